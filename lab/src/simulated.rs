//! One simulated game through the observer, in memory: pictures and their truth come from the same frames.
//!
//! Whatever happens at the board or to the picture is the simulator's affair: here frames go in, and rows of truth, as
//! `events.csv` would hold them, come out. So a new incident of a story is scored without a change in this file.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use chess_observer::{
    event::Event,
    frame::{Frame, Stamp},
    game::CommandError,
    observer::Observer,
    params::Params,
    replay::Report,
    sim::{Disturbance, Scene, SimError, SimFrame, Simulation, Story},
};
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use super::{
    score::{Hindsight, Score, corner_error, score},
    squares::{Judge, Tally},
    truth::{Row, Truth},
};

/// From a picture to its second look, in nanoseconds: less than the two seconds between still pictures.
const AGAIN_NS: i64 = 500_000_000;

/// What a picture takes to be drawn and looked at, for each of its pixels, in milliseconds: some 33 ms at 640×480, measured
/// with `lab --experiments petkov`.
const PIXEL_MS: f64 = 33.0 / (640.0 * 480.0);
/// How long a hand is over the board at a ply, in seconds, in films at the usual pace.
const HAND_S: f64 = 1.5;

/// Which pictures of a game are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shots {
    /// A film with hands, read as a video.
    Film,
    /// One clean picture a ply, each read as a look of its own.
    #[default]
    Stills,
    /// As [`Shots::Stills`], each picture shown twice, half a second apart: a camera that is there all the time, and
    /// has time for a second look.
    Twice,
    /// As [`Shots::Stills`], but after each picture so many plies have none; the last ply always has one.
    Missing(usize),
    /// As [`Shots::Stills`], with a hand left in every so manyth picture.
    Disturbed(Disturbance, usize),
}

/// A game to be shown to the observer.
#[derive(Debug, Clone, PartialEq)]
pub struct Show {
    /// What it is called in the figures.
    pub name: String,
    /// What happens at the board.
    pub story: Story,
    /// What it looks like.
    pub scene: Scene,
    /// What chance decides follows from this number.
    pub seed: u64,
    /// Which pictures are shown.
    pub shots: Shots,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shown {
    /// What was really played, and what each picture shows of it.
    pub truth: Truth,
    /// Every event with its picture's number.
    pub events: Vec<(usize, Event)>,
    /// After each picture: the largest distance of a corner, as the observer has it, from the true one, in squares; `None`
    /// while it has none.
    pub corner_errors: Vec<Option<f64>>,
    /// Its squares, as sight saw them.
    pub squares: Tally,
    /// The figures. Its times are the only part that differs from run to run.
    pub score: Score,
    /// Time spent drawing.
    pub drawing: Duration,
    /// Time spent in the observer.
    pub observing: Duration,
}

/// Why a game cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// The simulator refuses the scene or the story.
    #[error("{name}: {source}")]
    Simulation {
        /// The game.
        name: String,
        /// Why.
        source: SimError,
    },
    /// The script of an experiment cannot be read.
    #[error("the script of the experiment: {0}")]
    Script(String),
    /// A recording cannot be evaluated.
    #[error("{0}")]
    Recording(String),
    /// What jobs yielded cannot be kept, or not be looked up.
    #[error("{0}")]
    Kept(String),
    /// The observer refuses the first position.
    #[error("{name}: {source}")]
    Start {
        /// The game.
        name: String,
        /// Why.
        source: CommandError,
    },
}

impl Show {
    /// The simulation that this show draws its pictures from.
    ///
    /// # Errors
    /// When the scene or the story is not usable.
    pub fn simulation(&self) -> Result<Simulation, ShowError> {
        let film = Simulation::new(&self.scene, self.story.clone(), self.seed)
            .map_err(|source| ShowError::Simulation { name: self.name.clone(), source })?;
        Ok(match self.shots {
            Shots::Film => film,
            Shots::Stills | Shots::Twice | Shots::Missing(_) => film.stills(),
            Shots::Disturbed(disturbance, every) => film.stills().disturbed(disturbance, every),
        })
    }

    /// How long a ply takes one processor, in milliseconds: an estimate, for progress bars.
    #[must_use]
    pub fn ply_ms(&self) -> u64 {
        let (camera, pace) = (&self.scene.camera, &self.scene.pace);
        let pictures = match self.shots {
            Shots::Film => camera.frame_rate_hz * (f64::midpoint(pace.rest_min_s, pace.rest_max_s) + HAND_S).max(0.5),
            Shots::Stills | Shots::Disturbed(..) => 1.0,
            Shots::Twice => 2.0,
            Shots::Missing(plies) => 1.0 / (plies + 1) as f64,
        };
        let pixels = f64::from(camera.width) * f64::from(camera.height);
        (pictures * pixels * PIXEL_MS).ceil() as u64
    }

    /// Is this picture shown? `last` is the number of plies of the game.
    fn shows(&self, frame: &SimFrame, last: usize) -> bool {
        match self.shots {
            Shots::Missing(plies) => frame.ply.is_multiple_of(plies + 1) || frame.ply == last,
            Shots::Film | Shots::Stills | Shots::Twice | Shots::Disturbed(..) => true,
        }
    }

    /// Shows the game to an observer with these parameters; its start position and whether it reads stills are the
    /// show's. `look` is called after each picture with the frame and its events and may end the show: then there are
    /// no figures.
    ///
    /// # Errors
    /// When the scene, the story or its first position is refused.
    pub fn run(
        &self,
        params: &Params,
        mut look: impl FnMut(&SimFrame, &[Event]) -> ControlFlow<()>,
    ) -> Result<Option<Shown>, ShowError> {
        let simulation = self.simulation()?;
        let mut truth = truth_of(&self.name, &simulation);
        let params = Params {
            sight_stills: self.shots != Shots::Film,
            game_start_fen: truth.start_fen.clone().unwrap_or_default(),
            ..params.clone()
        };
        let mut observer =
            Observer::new(&params).map_err(|source| ShowError::Start { name: self.name.clone(), source })?;
        observer.keep_looks();
        let (mut events, mut corner_errors, mut report) = (Vec::new(), Vec::new(), Report::default());
        let mut judge = Judge::default();
        let begin = Instant::now();
        for frame in simulation {
            if !self.shows(&frame, truth.plies.len()) {
                continue;
            }
            for look_again in 0..if self.shots == Shots::Twice { 2 } else { 1 } {
                let [stamp, taken] = [frame.stamp, frame.taken].map(|at| Stamp(at.0 + look_again * AGAIN_NS));
                let index = truth.rows.len();
                truth.rows.push(row(index, &frame, taken));
                truth.corners.push(Some(frame.corners));
                truth.placements.push(Some(frame.placement.clone()));
                let looking = Instant::now();
                // A scene has at least 64×64 pixels.
                let told =
                    Frame::from_rgb(&frame.image).map_or_else(Vec::new, |picture| observer.observe(&picture, stamp));
                report.observing += looking.elapsed();
                report.pictures += 1;
                judge.see(&observer, &truth.rows[index], Some(&frame.placement), frame.hidden.as_ref());
                let corners = observer.board().corners;
                corner_errors.push(corners.map(|found| corner_error(&frame.corners, &found.to_array())));
                let goes_on = look(&frame, &told);
                events.extend(told.into_iter().map(|event| (index, event)));
                if goes_on.is_break() {
                    return Ok(None);
                }
            }
        }
        let last = truth.rows.len().saturating_sub(1);
        events.extend(observer.finish().into_iter().map(|event| (last, event)));
        report.total = begin.elapsed();
        let mut score = score(&truth, &events, &report);
        score.hindsight = Some(Hindsight::of(&truth, &observer.in_hindsight()));
        let drawing = report.total.saturating_sub(report.observing);
        let squares = judge.into_tally();
        Ok(Some(Shown { truth, events, corner_errors, squares, score, drawing, observing: report.observing }))
    }
}

/// What is played in a simulation, before its first picture.
pub(super) fn truth_of(name: &str, simulation: &Simulation) -> Truth {
    let start = simulation.start();
    let mode = start.castling_mode();
    Truth {
        name: name.to_owned(),
        start_fen: (!start.is_usual()).then(|| start.fen().to_string()),
        plies: simulation.moves().iter().map(|&m| UciMove::from_move(m, mode).to_string()).collect(),
        ..Truth::default()
    }
}

/// The row of `events.csv` for a frame that was taken then.
pub(super) fn row(index: usize, frame: &SimFrame, taken: Stamp) -> Row {
    Row {
        frame: format!("{index:05}"),
        time_ms: Some(taken.0 / 1_000_000),
        ply: frame.ply,
        let_go: frame.ply,
        event: frame.word.clone().into_owned(),
        uci: frame.uci.clone().unwrap_or_default(),
        state: frame.state.word().into(),
    }
}
