//! Why a game is over.

use std::{fmt, str::FromStr};

/// Why a game is over, or goes on after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is checkmated.
    Checkmate,
    /// The side to move has no move, and is not in check.
    Stalemate,
    /// Too few pieces for anybody to give mate.
    InsufficientMaterial,
    /// Nobody can give mate any more, whatever is played.
    DeadPosition,
    /// The position has stood five times.
    FivefoldRepetition,
    /// Seventy-five moves of each side without capture or pawn move.
    SeventyFiveMoves,
    /// The players have put the kings in the centre.
    KingsInTheCentre,
    /// A person has said so.
    SetByHand,
    /// A person has said that it goes on.
    Reopened,
    /// The moves that ended it no longer stand.
    GoesOn,
}

impl Ending {
    const ALL: [Self; 10] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::InsufficientMaterial,
        Self::DeadPosition,
        Self::FivefoldRepetition,
        Self::SeventyFiveMoves,
        Self::KingsInTheCentre,
        Self::SetByHand,
        Self::Reopened,
        Self::GoesOn,
    ];

    /// What people read.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::DeadPosition => "dead position",
            Self::FivefoldRepetition => "fivefold repetition",
            Self::SeventyFiveMoves => "75 moves without capture or pawn move",
            Self::KingsInTheCentre => "kings in the centre",
            Self::SetByHand => "set by hand",
            Self::Reopened => "reopened",
            Self::GoesOn => "the game goes on",
        }
    }

    /// Does it follow from the moves alone, and go when they go?
    pub(crate) const fn by_rule(self) -> bool {
        !matches!(self, Self::KingsInTheCentre | Self::SetByHand | Self::Reopened | Self::GoesOn)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for Ending {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|ending| ending.text() == text);
        found.ok_or_else(|| format!("expected why a game is over, such as checkmate, got {text:?}"))
    }
}
