//! How the work of whoever owns an observer goes, for the diagnostics and the console.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use r2r::diagnostic_msgs::msg::DiagnosticStatus;

use crate::{
    event::hindrance::Hindrance,
    game::Explanation,
    observer::{BoardState, LookSummary, Observer, Pose, Stats, TrackerState},
};

/// What the diagnostics and the console take from a status, whichever game is watched.
pub trait Reports: std::fmt::Debug + Clone + Send + 'static {
    /// What the diagnostics call the file of the game.
    const RECORD: &'static str;

    /// The observer's counters.
    fn stats(&self) -> &Stats;

    /// What the pictures do not show although it is looked for.
    fn missing(&self) -> Option<Missing>;

    /// What the diagnostics say besides the input and the file; `hangs` is what hangs.
    fn parts(&self, hangs: Option<&str>) -> Vec<DiagnosticStatus>;
}

/// What is looked for in pictures and not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A board: why, and what must be seen.
    Board {
        /// What stays the same while only numbers and names in `why` change; empty where `why` is known at once.
        kind: &'static str,
        /// For people.
        why: String,
    },
    /// The board that was there: how else to say where it is.
    Lost(&'static str),
}

/// What the diagnostics say of the work with a chessboard.
#[derive(Debug, Clone)]
pub struct Status {
    /// State of the search for the board.
    pub board: BoardState,
    /// Mean side of a square in the picture, in pixels; `None` without a board.
    pub square_px: Option<f64>,
    /// Are the pictures read as mirror images?
    pub mirrored: bool,
    /// Why no game begins; `None` while that is not known, or one does.
    pub hindrance: Option<Hindrance>,
    /// The board's pose, where it is known.
    pub pose: Option<Pose>,
    /// Why nothing is used of what `camera_info` says; empty while it is used, or silent.
    pub camera_problem: String,
    /// Why the given corners are not used; empty while they are.
    pub corners_problem: String,
    /// Why `syzygy_directory` gives no tables, or not all; empty while it does, or is empty.
    pub(super) syzygy_problem: String,
    /// What the tracker is doing.
    pub tracker: TrackerState,
    /// Plies played.
    pub ply: usize,
    /// The last look in a few numbers; `None` before the first one.
    pub sight: Option<LookSummary>,
    /// The likeliest explanations of the last look; empty where it was understood.
    pub explanations: Vec<Explanation>,
    /// The observer's counters.
    pub stats: Stats,
    /// Is the node able to publish on `/tf`?
    pub(super) has_tf: bool,
    /// How long the last picture took.
    pub(super) last_look: Duration,
}

impl Status {
    /// The status before the first picture.
    #[must_use]
    pub(super) fn at_start(observer: &Observer, has_tf: bool) -> Self {
        Self {
            board: observer.board().state,
            square_px: None,
            mirrored: observer.board().mirrored,
            hindrance: None,
            pose: None,
            camera_problem: String::new(),
            corners_problem: String::new(),
            syzygy_problem: observer.syzygy_fault().map_or_else(String::new, ToString::to_string),
            tracker: observer.tracker(),
            ply: observer.position().ply,
            sight: None,
            explanations: Vec::new(),
            stats: *observer.stats(),
            has_tf,
            last_look: Duration::ZERO,
        }
    }
}

/// A status that is shared with the diagnostics.
#[derive(Debug, Clone)]
pub struct Shared<S>(Arc<Mutex<S>>);

impl<S: Clone> Shared<S> {
    /// Shares it.
    #[must_use]
    pub fn new(status: S) -> Self {
        Self(Arc::new(Mutex::new(status)))
    }

    /// The status as it is now.
    #[must_use]
    pub fn get(&self) -> S {
        self.lock().clone()
    }

    /// The status, to be changed.
    pub fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
