//! What a board can tell: the messages of its observer, free of ROS.

use serde::{Deserialize, Serialize};

/// What one look said of every square.
pub use crate::archive::Belief as Squares;
use crate::{event::Event, game::Explanation};

/// Something that a board tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    /// A ply was played, revised or taken back.
    Move(MoveWord),
    /// Something that a player or an arbiter should look at.
    Warning(WarningWord),
    /// The legal position.
    Position(PositionWord),
    /// The whole game as PGN.
    Game(String),
    /// Where the board is and what stands on it.
    Board(Box<BoardWord>),
    /// How its observer is doing.
    Health(Health),
    /// What its last look rests on.
    Sight(SightWord),
}

/// What happened to a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// It was played.
    New,
    /// It was another one.
    Revised,
    /// It no longer stands.
    TakenBack,
}

/// A ply.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveWord {
    /// What happened to it.
    pub kind: MoveKind,
    /// Its number, 1 for the first.
    pub ply: usize,
    /// The move as UCI; empty when taken back.
    pub uci: String,
    /// Probability that this is what was played; `None` where none was computed.
    pub confidence: Option<f64>,
    /// Time of the picture, in seconds since the epoch.
    pub stamp_s: f64,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// A change that no legal move explains stands on the board.
    Illegal,
    /// The legal position stands again.
    Restored,
    /// A man was lifted and put back.
    Touched,
    /// The picture cannot be explained.
    Uncertain,
    /// The board or the camera moved.
    BoardMoved,
    /// The board is not where it was.
    BoardLost,
    /// The board was found.
    BoardFound,
    /// A legal move, and not the expected one.
    Unexpected,
    /// The disk has not taken what was told.
    NotSaved,
    /// The game is saved again.
    Saved,
}

/// A warning.
#[derive(Debug, Clone, PartialEq)]
pub struct WarningWord {
    /// What it is about.
    pub kind: WarningKind,
    /// One sentence for people.
    pub text: String,
    /// The squares concerned, in algebraic notation.
    pub squares: Vec<String>,
    /// The legal position as FEN: for an illegal change the one to restore.
    pub fen: String,
    /// Time of the picture, in seconds since the epoch.
    pub stamp_s: f64,
}

/// The legal position and its state under the rules.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PositionWord {
    /// Six fields.
    pub fen: String,
    /// Plies played.
    pub ply: usize,
    /// Is the side to move in check?
    pub check: bool,
    /// May a draw be claimed by threefold repetition?
    pub threefold: bool,
    /// May a draw be claimed by fifty moves?
    pub fifty_moves: bool,
    /// `*`, `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Why it is over; empty while it is not.
    pub result_reason: String,
    /// Does an illegal position stand on the board?
    pub illegal: bool,
}

/// What the tracker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tracker {
    /// No board yet.
    #[default]
    NoBoard,
    /// At rest and understood.
    Following,
    /// Something moves on the board.
    Disturbed,
    /// At rest, and not understood.
    Doubt,
    /// An illegal position stands.
    Illegal,
    /// Asked to pause.
    Paused,
    /// The game is over.
    Over,
}

/// Where the board is and what the last look said of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardWord {
    /// It was there, and is not now.
    pub lost: bool,
    /// What the tracker is doing.
    pub tracker: Tracker,
    /// x, y of the outer corners a1, h1, h8, a8 in pixels: eight numbers, or none.
    pub corners: Vec<f64>,
    /// What was said of every square; `None` before the first look.
    pub squares: Option<Squares>,
}

/// How a board's observer is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Health {
    /// Why no pictures are looked at; empty while they are.
    pub silent: String,
    /// The observer itself has gone.
    pub gone: bool,
}

/// What the last look rests on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SightWord {
    /// Standard deviations of the noise from which a point of the board has changed; `None` before the first look.
    pub change_threshold: Option<f64>,
    /// Standard deviation of luminance where nothing has changed, in grey levels; `None` before the first look.
    pub noise_levels: Option<f64>,
    /// The likeliest explanations of a look that was not understood, the likeliest first.
    pub explanations: Vec<Explanation>,
}

impl Word {
    /// What an observer's event tells; `None` where only position or PGN change. `fen` is the legal position after it.
    #[must_use]
    pub fn of_event(event: &Event, stamp_s: f64, fen: &str) -> Option<Self> {
        let a_move = |kind, ply: usize, uci: &str, confidence| {
            Some(Self::Move(MoveWord { kind, ply, uci: uci.into(), confidence, stamp_s }))
        };
        let warning = |kind, squares: &[String]| {
            let text = event.sentence().unwrap_or_default();
            Some(Self::Warning(WarningWord { kind, text, squares: squares.to_vec(), fen: fen.into(), stamp_s }))
        };
        match event {
            Event::Move { ply, uci, confidence, .. } => a_move(MoveKind::New, *ply, uci, Some(*confidence)),
            Event::Revised { ply, uci, .. } => a_move(MoveKind::Revised, *ply, uci, None),
            Event::TakeBack { ply, .. } => a_move(MoveKind::TakenBack, *ply, "", None),
            Event::Illegal { squares, .. } => warning(WarningKind::Illegal, squares),
            Event::Unexpected { .. } => warning(WarningKind::Unexpected, &[]),
            Event::Restored => warning(WarningKind::Restored, &[]),
            Event::Touched { square } => warning(WarningKind::Touched, std::slice::from_ref(square)),
            Event::Uncertain { squares } => warning(WarningKind::Uncertain, squares),
            Event::BoardMoved { .. } => warning(WarningKind::BoardMoved, &[]),
            Event::BoardLost => warning(WarningKind::BoardLost, &[]),
            Event::BoardFound { .. } => warning(WarningKind::BoardFound, &[]),
            Event::Expected { .. } | Event::NewGame { .. } | Event::Result { .. } => None,
        }
    }
}
