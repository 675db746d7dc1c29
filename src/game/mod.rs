//! What was played? The rules of chess weigh what the pictures say.
//!
//! [`Game::observe`] takes what a picture says ([`evidence::Evidence`]) and returns what was understood. It never asks
//! "what is on each square?" but "which story explains the change best?": see [`Game::observe`].

pub mod account;
mod alternatives;
mod announced;
mod beliefs;
mod commands;
mod consequences;
mod decision;
mod difference;
pub mod evidence;
#[cfg(feature = "display")]
pub(crate) mod excerpt;
pub(crate) mod expect;
mod explanations;
mod fit;
pub mod gaps;
mod hindsight;
mod hypotheses;
pub(crate) mod line;
mod marginals;
mod memory;
mod misread;
mod notes;
mod observe;
mod orders;
mod pace;
pub mod pgn_in;
mod plausible;
pub(crate) mod record;
mod replaced;
pub(crate) mod resume;
mod search;
pub mod start;
mod status;
mod suspicions;
mod taken;
mod trust;
mod unseen;
pub mod verdicts;
mod weighing;

#[cfg(test)]
mod tests;

use shakmaty::{Board, Chess, Position as _};

use crate::event::Event;
use account::Account;
use announced::Announced;
pub use explanations::Explanation;
use line::{Line, Ply};
use memory::Memory;
use notes::Notes;
pub use notes::Remarks;
use start::Start;
use status::Over;
pub use status::Status;

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
    /// Further headers, name and value; see `record::read_headers`.
    pub more: Vec<(String, String)>,
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
    /// Pictures follow each other so fast, and nobody watched what moves, that a hand in this one may be passing.
    pub passing: bool,
    /// Least probability at which a move is told.
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
    line: Line,
    tags: Tags,
    /// What the record says beside the moves.
    notes: Notes,
    standing: Board,
    over: Option<Over>,
    /// What its looks have left.
    memory: Memory,
    /// The ply that somebody has said he will make.
    announced: Option<Announced>,
    /// Number of the ply that was told on his word.
    unseen: Option<usize>,
    /// Games that ended when a new one was set up, as PGN.
    finished: Vec<String>,
    scored: usize,
    /// Is an account of each look wanted?
    explaining: bool,
    account: Option<Account>,
    /// What its looks said, where that is to be kept.
    looks: Option<hindsight::Looks>,
}

impl Game {
    /// A game from its first position.
    #[must_use]
    pub fn new(start: Start, tags: Tags) -> Self {
        let standing = start.position().board().clone();
        let mut game = Self {
            line: Line::new(start),
            tags,
            notes: Notes::default(),
            standing,
            over: None,
            memory: Memory::default(),
            announced: None,
            unseen: None,
            finished: Vec::new(),
            scored: 0,
            explaining: false,
            account: None,
            looks: None,
        };
        // A game may begin where it is over already; nobody has to be told.
        let _ = game.end_by_rule();
        game
    }

    /// The legal position.
    #[must_use]
    pub fn position(&self) -> &Chess {
        self.line.position()
    }

    /// What is taken to stand on the board: the legal position, the illegal one that was told, or the kings in
    /// the centre after a result.
    #[must_use]
    pub const fn standing(&self) -> &Board {
        &self.standing
    }

    /// Where it began.
    #[must_use]
    pub const fn start(&self) -> &Start {
        self.line.start()
    }

    /// The line of play.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The plies, first to last.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        self.line.plies()
    }

    /// The headers.
    #[must_use]
    pub const fn tags(&self) -> &Tags {
        &self.tags
    }

    /// The games before this one, as PGN: those that were on the board when a new one was set up.
    #[must_use]
    pub fn finished(&self) -> &[String] {
        &self.finished
    }

    /// The likeliest explanations of the last look, the likeliest first; empty where it was understood, or where a person has
    /// said since what was played.
    #[must_use]
    pub fn explanations(&self) -> &[Explanation] {
        &self.memory.open
    }

    /// Says how long ago the last look was, in seconds, at the next one; `None` where nobody knows, as of photographs without times.
    pub(crate) fn passed(&mut self, elapsed_s: Option<f64>) {
        // Looks that were not read count as well.
        self.memory.elapsed_s = elapsed_s.map(|seconds| seconds + self.memory.elapsed_s.unwrap_or(0.0));
    }

    /// Says whether looks from now on are to be accounted for: see [`account`](Self::account).
    pub const fn explain(&mut self, wanted: bool) {
        self.explaining = wanted;
    }

    /// What was made of the last look, where that was wanted; `None` where nothing was read.
    #[must_use]
    pub const fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// Placements that the last look scored in full: what it cost.
    #[must_use]
    pub const fn scored(&self) -> usize {
        self.scored
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
