//! What went wrong? Each fault is explained from the truth and from what the pictures could show.

use serde::{Deserialize, Serialize};

/// What went wrong at a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No clean picture shows the position after this ply, and the ply was misread or not read.
    NoCleanPicture,
    /// The right man, but another goal on the same line from where it stood (Petkov's commonest error).
    GoalOnSameLine,
    /// The right man, but another goal elsewhere.
    OtherGoal,
    /// The right goal, but another man went there.
    OtherOrigin,
    /// The right pawn and goal, but another man came of it.
    OtherPromotion,
    /// Castling was read as a move of the king or the rook alone, or the other way round, or to the other side.
    CastlingHalf,
    /// The right moves in another order.
    Order,
    /// A move that was taken back stands in the record.
    TakeBackNotSeen,
    /// An illegal move was read as a legal one.
    IllegalTakenForLegal,
    /// A legal move was announced as an illegal one.
    LegalTakenForIllegal,
    /// The ply was not read though a clean picture shows it.
    NotRead,
    /// A move was read that nobody played.
    Invented,
    /// Another move altogether.
    OtherMove,
    /// The record had left the game before this ply.
    AfterEarlierFault,
}

impl Cause {
    /// A few words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoCleanPicture => "no clean picture of the ply",
            Self::GoalOnSameLine => "other goal on the same line",
            Self::OtherGoal => "other goal",
            Self::OtherOrigin => "other man to the same goal",
            Self::OtherPromotion => "other promotion",
            Self::CastlingHalf => "half of castling",
            Self::Order => "order of plies",
            Self::TakeBackNotSeen => "take-back not seen",
            Self::IllegalTakenForLegal => "illegal taken for legal",
            Self::LegalTakenForIllegal => "legal taken for illegal",
            Self::NotRead => "not read",
            Self::Invented => "invented",
            Self::OtherMove => "another move",
            Self::AfterEarlierFault => "after an earlier fault",
        }
    }
}
