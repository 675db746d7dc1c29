//! What was played? The rules of chess weigh what the pictures say.
//!
//! [`Game::observe`] takes what a picture says ([`evidence::Evidence`]) and returns what was understood. It never asks
//! "what is on each square?" but "which story explains the change best?": see [`Game::observe`].

mod alternatives;
mod announced;
mod beliefs;
mod commands;
pub mod evidence;
pub mod excerpt;
pub mod expect;
mod explanations;
mod fit;
pub mod gaps;
mod hypotheses;
pub mod line;
mod marginals;
mod misread;
mod notes;
mod observe;
mod pace;
pub mod pgn_in;
pub mod record;
pub mod resume;
mod search;
pub mod start;
mod status;
mod taken;
mod trust;
mod unseen;
pub mod verdicts;
mod weighing;

#[cfg(test)]
mod tests;

use shakmaty::{Bitboard, Board, Chess, Move, Position as _, Square};

use crate::event::Event;
use alternatives::Alternative;
use announced::Announced;
use beliefs::Belief;
pub use explanations::Explanation;
use line::{Line, Ply};
use notes::Notes;
pub use notes::Remarks;
use pace::Pace;
use start::Start;
pub use status::{Over, Status};
use trust::UsualClutter;

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
    /// Further headers, name and value; see [`record::read_headers`].
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
    line: Line,
    tags: Tags,
    /// What the record says beside the moves.
    notes: Notes,
    standing: Board,
    over: Option<Over>,
    /// The man that was seen in the air at the last look, to tell that it was touched.
    lifted: Option<Square>,
    /// Other lines that look the same so far.
    alternatives: Vec<Alternative>,
    /// The placement that the last look showed, when it was surely this one, and the squares that it left unexplained.
    shown: Option<(Board, Bitboard)>,
    /// Lines that the last looks suggested.
    beliefs: Vec<Belief>,
    /// What no rule allows, and the last look suggested.
    unlawful: Vec<Board>,
    /// Plies that were likely at an earlier look, and not yet believed: they came first.
    suspected: Vec<Move>,
    /// The same with a hand over them: they tell the order of plies, and no more.
    hinted: Vec<Move>,
    usual_clutter: UsualClutter,
    /// How many plies a look brings.
    pace: Pace,
    /// The ply that somebody has said he will make.
    announced: Option<Announced>,
    /// Number of the ply that was told on his word.
    unseen: Option<usize>,
    /// What pictures without change are weighed in, kept so that they allocate nothing.
    quiet: Vec<weighing::Weighed>,
    /// The present doubt has been told.
    doubt_told: bool,
    /// The plies that the last look left open.
    open: Vec<Explanation>,
    /// Patient looks in a row that nothing explained.
    lost_looks: u32,
    /// What the squares told, white men and black ones, when a long line was searched for last.
    searched: Option<(Bitboard, Bitboard)>,
    /// Games that ended when a new one was set up, as PGN.
    finished: Vec<String>,
    scored: usize,
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
            lifted: None,
            alternatives: Vec::new(),
            shown: None,
            beliefs: Vec::new(),
            unlawful: Vec::new(),
            suspected: Vec::new(),
            hinted: Vec::new(),
            usual_clutter: UsualClutter::default(),
            pace: Pace::default(),
            announced: None,
            unseen: None,
            quiet: Vec::new(),
            doubt_told: false,
            open: Vec::new(),
            lost_looks: 0,
            searched: None,
            finished: Vec::new(),
            scored: 0,
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

    /// What is taken to stand on the board: the legal position, the illegal one that was announced, or the kings in
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
        &self.open
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
