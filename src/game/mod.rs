//! What was played? The rules of chess weigh what the pictures say.
pub mod evidence;
pub mod pgn_in;
pub mod start;

use shakmaty::{Board, Chess};

use crate::event::Event;
use evidence::Evidence;
use start::Start;

/// PGN headers that the users give.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags {
    /// Event, site, date (`2026.11.20`), round, White's and Black's name; empty means unknown.
    pub event: String,
    /// Where.
    pub site: String,
    /// When, as PGN writes it.
    pub date: String,
    /// Round.
    pub round: String,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
}

/// How a look may be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Nothing moves: moves may be decided.
    pub settled: bool,
    /// It has been at rest long enough that an unexplained position deserves a warning.
    pub patient: bool,
    /// Somebody said "now" (a clock press): decide as well as possible.
    pub forced: bool,
    /// Least probability at which a move is announced.
    pub min_confidence: f64,
}

/// Why a command was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The text is no position.
    #[error(transparent)]
    Position(#[from] start::StartError),
    /// Said of what was asked and what is possible.
    #[error("{0}")]
    Refused(String),
}

/// A game in progress: the line of play, and what is believed to stand on the board.
#[derive(Debug, Clone)]
pub struct Game {
    start: Start,
    position: Chess,
    standing: Board,
}

impl Game {
    /// A game from its first position.
    #[must_use]
    pub fn new(start: Start, _tags: Tags) -> Self {
        let position = start.position().clone();
        let standing = shakmaty::Position::board(&position).clone();
        Self { start, position, standing }
    }

    /// Understands one look; returns what is new. After it, [`standing`](Self::standing) says what the men are taken
    /// to be, when the look was understood.
    pub fn observe(&mut self, _evidence: &dyn Evidence, _look: Look) -> Understanding {
        Understanding { events: Vec::new(), explained: None }
    }

    /// The legal position.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// What is taken to stand on the board: the legal position, or the illegal one that was announced.
    #[must_use]
    pub const fn standing(&self) -> &Board {
        &self.standing
    }

    /// Where it began.
    #[must_use]
    pub const fn start(&self) -> &Start {
        &self.start
    }
}

/// What the game made of a look.
#[derive(Debug, Clone)]
pub struct Understanding {
    /// What is new.
    pub events: Vec<Event>,
    /// The placement that explains the look beyond doubt; the picture may be learnt from. `None`: it may not.
    pub explained: Option<Board>,
}
