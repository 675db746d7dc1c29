//! What a board can tell: the messages of its observer, free of ROS.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, uci::UciMove};

/// What one look said of every square.
pub use crate::archive::Belief as Squares;
use crate::{event::Event, game::Explanation, go::Color};

/// Something that a board tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    /// A ply was played, revised or taken back.
    Move(MoveWord),
    /// Something that a player or an arbiter should look at.
    Warning(WarningWord),
    /// The legal position.
    Position(PositionWord),
    /// The stones of a Go board.
    Stones(Box<StonesWord>),
    /// The whole game as PGN, or as SGF.
    Game(String),
    /// Where the board is and what stands on it.
    Board(Box<BoardWord>),
    /// How its observer is doing.
    Health(Health),
    /// What its last look rests on.
    Sight(SightWord),
}

/// What is played on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Plays {
    /// Chess.
    Chess,
    /// Go.
    Go,
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
    /// The move as UCI, or the crossing; empty when taken back, and for a pass.
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
    /// The squares concerned in algebraic notation, or crossings as players name them.
    pub squares: Vec<String>,
    /// The legal position as FEN: for an illegal change the one to restore. Empty for a Go board.
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

/// The stones of a Go board by the game.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StonesWord {
    /// Lines of the board; 0 before it is known.
    pub size: u8,
    /// Row by row from above: X black, O white, . none; rows end with a line end.
    pub stones: String,
    /// Whose turn it is; `None` before the board is known.
    pub to_play: Option<Color>,
    /// Plays so far.
    pub number: usize,
    /// Crossing of the last play; empty for a pass, and before the first.
    pub last: String,
    /// Crossing that the ko forbids; empty where there is none.
    pub ko: String,
    /// Stones that Black and White have taken.
    pub captured: [u32; 2],
    /// Do stones stand that the rules forbid, or lie otherwise than they were played?
    pub illegal: bool,
    /// Why the board was not found at the last search; empty where it was.
    pub problem: String,
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
    /// x, y of the outer corners a1, h1, h8, a8 in pixels, or of the crossings at a Go board's corners, the upper left one first,
    /// clockwise: eight numbers, or none.
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
        let a_move = |kind, ply: usize, uci: Option<UciMove>, confidence| {
            let uci = uci.map_or_else(String::new, |uci| uci.to_string());
            Some(Self::Move(MoveWord { kind, ply, uci, confidence, stamp_s }))
        };
        let warning = |kind, squares: Bitboard| {
            let text = event.sentence().unwrap_or_default();
            let squares = squares.into_iter().map(|square| square.to_string()).collect();
            Some(Self::Warning(WarningWord { kind, text, squares, fen: fen.into(), stamp_s }))
        };
        match event {
            Event::Move { ply, uci, confidence, .. } => a_move(MoveKind::New, *ply, Some(*uci), Some(*confidence)),
            Event::Revised { ply, uci, .. } => a_move(MoveKind::Revised, *ply, Some(*uci), None),
            Event::TakeBack { ply, .. } => a_move(MoveKind::TakenBack, *ply, None, None),
            Event::Illegal { squares, .. } => warning(WarningKind::Illegal, *squares),
            Event::Unexpected { .. } => warning(WarningKind::Unexpected, Bitboard::EMPTY),
            Event::Restored => warning(WarningKind::Restored, Bitboard::EMPTY),
            Event::Touched { square } => warning(WarningKind::Touched, Bitboard::from_square(*square)),
            Event::Uncertain { squares } => warning(WarningKind::Uncertain, *squares),
            Event::BoardMoved { .. } => warning(WarningKind::BoardMoved, Bitboard::EMPTY),
            Event::BoardLost => warning(WarningKind::BoardLost, Bitboard::EMPTY),
            Event::BoardFound { .. } => warning(WarningKind::BoardFound, Bitboard::EMPTY),
            Event::Expected { .. } | Event::NewGame { .. } | Event::Result { .. } => None,
        }
    }
}
