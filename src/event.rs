//! What the observer tells: the words that the node, the replay and the tests share.
//!
//! Serialised, an event is the object that `chess_observer replay --events` writes (there with `frame` and `stamp`).

use serde::{Deserialize, Serialize};

/// Something that the observer has seen or understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The board was found, or found again.
    BoardFound {
        /// Outer corners a1, h1, h8, a8, in pixels.
        corners: [[f64; 2]; 4],
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
        uci: String,
        /// The move as SAN, with check and mate signs.
        san: String,
        /// The position after it.
        fen: String,
        /// Probability that this is what was played, 0 to 1.
        confidence: f64,
    },
    /// A later picture changed our mind about a ply.
    Revised {
        /// Number of the ply that is another one now.
        ply: usize,
        /// What it was before, as UCI.
        was: String,
        /// What it is now, as UCI.
        uci: String,
        /// What it is now, as SAN.
        san: String,
        /// The position after it.
        fen: String,
    },
    /// The position went back: this ply no longer stands.
    TakeBack {
        /// Number of the ply taken back.
        ply: usize,
        /// The position now.
        fen: String,
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
        uci: String,
        /// What was expected, as UCI.
        expected: String,
        /// One sentence for people.
        text: String,
    },
    /// A change that no legal move explains.
    Illegal {
        /// Every reason that applies.
        reasons: Vec<IllegalReason>,
        /// The squares that changed, in algebraic notation.
        squares: Vec<String>,
        /// The attempted move as UCI; empty where it is not one move.
        uci: String,
        /// One sentence for people.
        text: String,
    },
    /// After an illegal change, the legal position stands again.
    Restored,
    /// A man was lifted and put back on its square.
    Touched {
        /// The square, in algebraic notation.
        square: String,
    },
    /// The picture cannot be told apart or explained; a look at these squares would settle it.
    Uncertain {
        /// The squares, in algebraic notation.
        squares: Vec<String>,
    },
    /// A new game begins; the old one is complete as it stands.
    NewGame {
        /// Its first position.
        fen: String,
    },
    /// The game is over.
    Result {
        /// `1-0`, `0-1`, `1/2-1/2`, or `*` when a result was withdrawn.
        result: String,
        /// Why, in words: `checkmate`, `stalemate`, `kings in the centre`, …
        reason: String,
    },
}

impl Event {
    /// What a warning says to people, one sentence; `None` for what is no warning.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Self::Illegal { text, .. } | Self::Unexpected { text, .. } => text.clone(),
            Self::Restored => "The legal position stands again.".into(),
            Self::Touched { square } => format!("The man on {square} was lifted and put back."),
            Self::Uncertain { squares } => format!("Unclear; please look at {}.", squares.join(", ")),
            Self::BoardMoved { .. } => "The board or the camera moved.".into(),
            Self::BoardLost => "The board is no longer where it was.".into(),
            Self::BoardFound { .. } => "The board was found.".into(),
            Self::Move { .. }
            | Self::Revised { .. }
            | Self::TakeBack { .. }
            | Self::Expected { .. }
            | Self::NewGame { .. }
            | Self::Result { .. } => return None,
        })
    }
}

/// Why a change on the board is not a legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IllegalReason {
    /// It is the other side's turn.
    WrongSide,
    /// No man of this kind moves like that.
    WrongPieceMovement,
    /// Another man stands between.
    PathBlocked,
    /// The target holds a man of the same colour.
    OwnPieceCaptured,
    /// The mover's king would be in check.
    KingLeftInCheck,
    /// Castling without the right to it, or through or out of check.
    CastlingNotAllowed,
    /// A pawn took en passant where that is not possible.
    EnPassantNotAllowed,
    /// A man has appeared from nowhere, or the square it is said to leave was empty.
    NoPieceThere,
    /// A pawn was left standing on the last rank.
    PromotionMissing,
    /// More has changed than any one move changes.
    TooManyChanges,
}

impl IllegalReason {
    /// The reason as events and recordings spell it: `path_blocked`.
    #[must_use]
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default()
    }
}
