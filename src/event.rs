//! What the observer tells: the words that the node, the replay and the tests share.
//!
//! Serialised, an event is the object that `chess_observer replay --events` writes (there with `frame` and `stamp`): moves,
//! squares, positions and results are text there and nowhere before.

pub mod ending;
pub mod hindrance;
pub mod line;
pub mod reasons;
mod text;

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Outcome, Square, fen::Fen, san::SanPlus, uci::UciMove};

use self::{ending::Ending, reasons::Reasons};

/// Something that the observer has seen or understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The board was found, or found again.
    BoardFound {
        /// Outer corners a1, h1, h8, a8, in pixels.
        corners: [[f64; 2]; 4],
        /// The pictures are read as mirror images, left and right exchanged; the corners are in the pictures as they come.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mirrored: bool,
    },
    /// The board or the camera moved; the game goes on.
    BoardMoved {
        /// Outer corners a1, h1, h8, a8 now, in pixels.
        corners: [[f64; 2]; 4],
    },
    /// The board is no longer where it was, and not found elsewhere yet.
    BoardLost,
    /// A legal move.
    Move {
        /// Number of the ply, 1 for the first.
        ply: usize,
        /// The move as UCI; castling as the king's move (`e1g1`).
        uci: UciMove,
        /// The move as SAN, with check and mate signs.
        san: SanPlus,
        /// The position after it.
        fen: Fen,
        /// Probability that this is what was played, 0 to 1.
        confidence: f64,
    },
    /// A later picture changed our mind about a ply.
    Revised {
        /// Number of the ply that is another one now.
        ply: usize,
        /// What it was before, as UCI.
        was: UciMove,
        /// What it is now, as UCI.
        uci: UciMove,
        /// What it is now, as SAN.
        san: SanPlus,
        /// The position after it.
        fen: Fen,
    },
    /// The position went back: this ply no longer stands.
    TakeBack {
        /// Number of the ply taken back.
        ply: usize,
        /// The position now.
        fen: Fen,
    },
    /// The ply just told is the one that was expected: announced, or that of the game that is followed.
    Expected {
        /// Number of the ply.
        ply: usize,
        /// No look has shown it: something hid its squares, and it counts on the word of who announced it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unseen: bool,
    },
    /// The ply just told is not the one that was expected. Of a game that is followed the first difference is told.
    Unexpected {
        /// Number of the ply.
        ply: usize,
        /// What was played, as UCI.
        uci: UciMove,
        /// What was expected, as UCI.
        expected: UciMove,
        /// One sentence for people.
        text: String,
    },
    /// A change that no legal move explains.
    Illegal {
        /// Every reason that applies.
        reasons: Reasons,
        /// The squares that changed.
        #[serde(with = "text::squares")]
        squares: Bitboard,
        /// The attempted move as UCI; `None` where it is not one move.
        #[serde(with = "text::or_empty")]
        uci: Option<UciMove>,
        /// One sentence for people.
        text: String,
    },
    /// After an illegal change, the legal position stands again.
    Restored,
    /// A man was lifted and put back on its square.
    Touched {
        /// The square.
        #[serde(with = "text")]
        square: Square,
    },
    /// The picture cannot be told apart or explained; a look at these squares would settle it.
    Uncertain {
        /// The squares.
        #[serde(with = "text::squares")]
        squares: Bitboard,
    },
    /// A new game begins; the old one is complete as it stands.
    NewGame {
        /// Its first position.
        fen: Fen,
    },
    /// The game is over.
    Result {
        /// Who has won; unknown (`*`) when a result was withdrawn.
        #[serde(with = "text")]
        result: Outcome,
        /// Why.
        #[serde(with = "text")]
        reason: Ending,
    },
}

impl Event {
    /// The board was found, in pictures that are no mirror images.
    #[must_use]
    pub const fn found(corners: [[f64; 2]; 4]) -> Self {
        Self::BoardFound { corners, mirrored: false }
    }

    /// What a warning says to people, one sentence; `None` for what is no warning.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Self::Illegal { text, .. } | Self::Unexpected { text, .. } => text.clone(),
            Self::Restored => "The legal position stands again.".into(),
            Self::Touched { square } => format!("The man on {square} was lifted and put back."),
            Self::Uncertain { squares } => format!("Unclear; please look at {}.", text::names(*squares).join(", ")),
            Self::BoardMoved { .. } => "The board or the camera moved.".into(),
            Self::BoardLost => "The board is no longer where it was.".into(),
            Self::BoardFound { mirrored: false, .. } => "The board was found.".into(),
            Self::BoardFound { mirrored: true, .. } => {
                "The board was found in a mirror: the pictures have left and right exchanged, and are read so.".into()
            }
            Self::Move { .. }
            | Self::Revised { .. }
            | Self::TakeBack { .. }
            | Self::Expected { .. }
            | Self::NewGame { .. }
            | Self::Result { .. } => return None,
        })
    }
}
