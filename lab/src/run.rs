//! One recording, from its folder to its figures.

use std::{convert::Infallible, ops::ControlFlow, path::Path};

use chess_observer::{
    bag::{BagError, Source, folder::Folder},
    board::corners::Corners,
    event::Event,
    frame::Stamp,
    game::CommandError,
    observer::Observer,
    params::Params,
    replay::{Ended, Replayed, Watcher, replay},
};
use serde::{Deserialize, Serialize};

use super::{
    score::{Hindsight, Score, score},
    squares::{Judge, Tally},
    truth::{Recording, Truth, TruthError},
};

/// How far a corner must have moved, in squares, before the true corners are given again: less is the jitter of the
/// camera and of the hand that marked them, which the observer must bear.
const CORNERS_AGAIN_SQUARES: f64 = 0.1;

/// Why a recording cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// Its truth cannot be read.
    #[error(transparent)]
    Truth(#[from] TruthError),
    /// Its pictures cannot be read.
    #[error(transparent)]
    Pictures(#[from] BagError),
    /// The observer does not accept its start position.
    #[error("{name}: {source}")]
    Start {
        /// The recording.
        name: String,
        /// Why not.
        source: CommandError,
    },
    /// The rows of events.csv are not the pictures of the folder.
    #[error("{name}: events.csv row {row} is {expected:?}, the picture there is {found:?}")]
    Rows {
        /// The recording.
        name: String,
        /// Number of the row, 1 for the first.
        row: usize,
        /// The row's picture.
        expected: String,
        /// The folder's picture.
        found: String,
    },
}

/// How to evaluate.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What the observer starts with; its start position is the recording's in any case.
    pub params: Params,
    /// Give the true corners, also after the camera was moved, instead of letting the observer find the board.
    pub given_corners: bool,
    /// Treat the pictures as a video instead of as separate looks.
    pub video: bool,
}

/// What evaluating a recording yields.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The figures.
    pub score: Score,
    /// Its squares, as sight saw them.
    pub squares: Tally,
    /// Every event with its picture's number.
    pub events: Vec<(usize, Event)>,
    /// Names of the pictures.
    pub names: Vec<String>,
    /// Times of the pictures.
    pub stamps: Vec<Stamp>,
    /// The game as the observer writes it.
    pub pgn: String,
}

/// Replays the recording in the folder `path` and compares it with its truth. `tick` is called once for each picture.
///
/// # Errors
/// When the recording or its truth cannot be read.
pub fn run(path: &Path, options: &Options, tick: impl FnMut()) -> Result<Outcome, EvalError> {
    let recording = Recording::open(path)?;
    let truth = &recording.truth;
    let stamps = stamps(truth);
    let (mut source, names) = pictures(&recording, &stamps)?;

    let mut params = options.params.clone();
    params.sight_stills = !options.video;
    params.game_start_fen = truth.start_fen.clone().unwrap_or_default();
    if let Some(corners) = truth.corners.first().copied().flatten().filter(|_| options.given_corners) {
        params.board_corners = corners.to_array().concat();
    }
    let mut observer =
        Observer::new(&params).map_err(|source| EvalError::Start { name: truth.name.clone(), source })?;

    observer.keep_looks();
    let corners = if options.given_corners { truth.corners.as_slice() } else { &[] };
    let last_given = corners.first().copied().flatten();
    let judge = Judge::default();
    let mut notes = Notes { tick, truth, corners, last_given, judge, events: Vec::new() };
    let (report, ended) = replay(source.as_mut(), &mut observer, &mut notes);
    if let Some(Ended::Source(e)) = ended {
        return Err(e.into());
    }
    let (mut events, squares) = (notes.events, notes.judge.into_tally());
    let last = truth.rows.len().saturating_sub(1);
    events.extend(observer.finish().into_iter().map(|event| (last, event)));
    let mut score = score(truth, &events, &report);
    score.hindsight = Some(Hindsight::of(truth, &observer.in_hindsight()));
    Ok(Outcome { score, squares, events, names, stamps, pgn: observer.pgn() })
}

/// The pictures of a recording, and their names: of its folder, or of the bag that its truth names.
pub(super) fn pictures(recording: &Recording, stamps: &[Stamp]) -> Result<(Box<dyn Source>, Vec<String>), EvalError> {
    let truth = &recording.truth;
    if let Some(bag) = recording.bag() {
        let source = chess_observer::bag::open(&bag, None)?;
        let rows: Vec<String> = truth.rows.iter().map(|r| r.frame.clone()).collect();
        // Pictures of a bag have no names: they are the rows in order, as many as there are.
        let count = source.pictures().map_or(rows.len(), |n| n as usize);
        let names: Vec<String> = (0..count).map(|i| rows.get(i).cloned().unwrap_or(format!("picture {i}"))).collect();
        check_rows(truth, &names)?;
        return Ok((source, rows));
    }
    let mut folder = Folder::open(&recording.frames())?;
    let names: Vec<String> = folder.names().map(str::to_owned).collect();
    check_rows(truth, &names)?;
    folder.set_stamps(stamps);
    Ok((Box::new(folder), names))
}

fn check_rows(truth: &Truth, names: &[String]) -> Result<(), EvalError> {
    for i in 0..truth.rows.len().max(names.len()) {
        let expected = truth.rows.get(i).map_or("", |r| r.frame.as_str());
        let found = names.get(i).map_or("", |n| n.rsplit_once('.').map_or(n.as_str(), |(stem, _)| stem));
        if expected != found {
            let (expected, found) = (expected.to_owned(), found.to_owned());
            return Err(EvalError::Rows { name: truth.name.clone(), row: i + 1, expected, found });
        }
    }
    Ok(())
}

/// The recording's own times, or five pictures a second where one is missing.
pub(super) fn stamps(truth: &Truth) -> Vec<Stamp> {
    let known: Option<Vec<Stamp>> = truth.rows.iter().map(|r| Some(Stamp(r.time_ms? * 1_000_000))).collect();
    known.unwrap_or_else(|| {
        (0..truth.rows.len())
            .map(|i| Stamp::from_s(i as f64 * chess_observer::bag::folder::DEFAULT_INTERVAL_S))
            .collect()
    })
}

struct Notes<'a, F> {
    tick: F,
    truth: &'a Truth,
    corners: &'a [Option<Corners>],
    last_given: Option<Corners>,
    judge: Judge,
    events: Vec<(usize, Event)>,
}

impl<F: FnMut()> Watcher for Notes<'_, F> {
    type Stop = Infallible;

    fn before(&mut self, index: usize, observer: &mut Observer) {
        let Some(now) = self.corners.get(index).copied().flatten() else { return };
        let moved = |last: Corners| last.farthest_px(&now) > CORNERS_AGAIN_SQUARES * now.square_px();
        if self.last_given.is_none_or(moved) {
            // Where no board can be, it is left where it was.
            if observer.locate_board(Some(now)).is_ok() {
                self.last_given = Some(now);
            }
        }
    }

    fn after(&mut self, seen: &Replayed<'_>) -> ControlFlow<Infallible> {
        if let Some(row) = self.truth.rows.get(seen.index) {
            let men = self.truth.placements.get(seen.index).and_then(Option::as_ref);
            self.judge.see(seen.observer, row, men, None);
        }
        self.events.extend(seen.events.iter().map(|e| (seen.index, e.clone())));
        (self.tick)();
        ControlFlow::Continue(())
    }

    fn aside(&mut self, index: Option<usize>, _text: &str) {
        if index.is_some() {
            (self.tick)();
        }
    }
}
