//! How the actor's work goes, for the diagnostics and the console.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    game::Explanation,
    observer::{BoardState, Observer, Pose, Sight, Stats, TrackerState},
};

/// What the diagnostics say of the actor's work.
#[derive(Debug, Clone)]
pub struct Status {
    /// State of the search for the board.
    pub board: BoardState,
    /// Mean side of a square in the picture, in pixels; `None` without a board.
    pub square_px: Option<f64>,
    /// The board's pose, where it is known.
    pub pose: Option<Pose>,
    /// Why nothing is used of what `camera_info` says; empty while it is used, or silent.
    pub camera_problem: String,
    /// Why the given corners are not used; empty while they are.
    pub corners_problem: String,
    /// Why `syzygy_directory` gives no tables, or not all; empty while it does, or is empty.
    pub syzygy_problem: String,
    /// What the tracker is doing.
    pub tracker: TrackerState,
    /// Plies played.
    pub ply: usize,
    /// The last look in a few numbers; `None` before the first one.
    pub sight: Option<Sight>,
    /// The likeliest explanations of the last look; empty where it was understood.
    pub explanations: Vec<Explanation>,
    /// The observer's counters.
    pub stats: Stats,
    /// How long the last picture took.
    pub last_look: Duration,
}

/// [`Status`], shared with the diagnostics.
#[derive(Debug, Clone)]
pub struct Shared(Arc<Mutex<Status>>);

impl Shared {
    /// The status before the first picture.
    #[must_use]
    pub fn at_start(observer: &Observer) -> Self {
        let status = Status {
            board: observer.board().state,
            square_px: None,
            pose: None,
            camera_problem: String::new(),
            corners_problem: String::new(),
            syzygy_problem: observer.syzygy_fault().map_or_else(String::new, ToString::to_string),
            tracker: observer.tracker(),
            ply: observer.position().ply,
            sight: None,
            explanations: Vec::new(),
            stats: *observer.stats(),
            last_look: Duration::ZERO,
        };
        Self(Arc::new(Mutex::new(status)))
    }

    /// The status as it is now.
    #[must_use]
    pub fn get(&self) -> Status {
        self.lock().clone()
    }

    /// The status, to be changed.
    pub fn lock(&self) -> MutexGuard<'_, Status> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
