//! Why a change on the board is not a legal move: the reasons, and a set of them.
//!
//! All that is said of a reason stands here: its word in events and recordings, its bit in messages, its sentence.

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// Why a change on the board is not a legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IllegalReason {
    /// It is the other side's turn.
    WrongSide,
    /// No piece of this role moves like that.
    WrongPieceMovement,
    /// Another piece stands between.
    PathBlocked,
    /// The target holds a piece of the same colour.
    OwnPieceCaptured,
    /// The mover's king would be in check.
    KingLeftInCheck,
    /// Castling without the right to it, or through or out of check.
    CastlingNotAllowed,
    /// A pawn took en passant where that is not possible.
    EnPassantNotAllowed,
    /// A piece has appeared from nowhere, or the square it is said to leave was empty.
    NoPieceThere,
    /// A pawn was left standing on the last rank.
    PromotionMissing,
    /// More has changed than any one move changes.
    TooManyChanges,
}

impl IllegalReason {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 10] = [
        Self::WrongSide,
        Self::WrongPieceMovement,
        Self::PathBlocked,
        Self::OwnPieceCaptured,
        Self::KingLeftInCheck,
        Self::CastlingNotAllowed,
        Self::EnPassantNotAllowed,
        Self::NoPieceThere,
        Self::PromotionMissing,
        Self::TooManyChanges,
    ];

    /// The reason as events and recordings spell it: `path_blocked`.
    #[must_use]
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default()
    }

    /// Its bit in messages, where reasons are added up.
    #[must_use]
    pub const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// What people read of it, where it is the turn of `turn`.
    pub(crate) const fn sentence(self, turn: Color) -> &'static str {
        match (self, turn) {
            (Self::WrongSide, Color::White) => "it is White's turn",
            (Self::WrongSide, Color::Black) => "it is Black's turn",
            (Self::WrongPieceMovement, _) => "this man does not move like that",
            (Self::PathBlocked, _) => "another man stands between",
            (Self::OwnPieceCaptured, _) => "a man of the same colour stands there",
            (Self::KingLeftInCheck, _) => "the king would be in check",
            (Self::CastlingNotAllowed, _) => "castling is not allowed here",
            (Self::EnPassantNotAllowed, _) => "taking en passant is not possible here",
            (Self::NoPieceThere, _) => "there was no such man",
            (Self::PromotionMissing, _) => "the pawn must be replaced by another man",
            (Self::TooManyChanges, _) => "more has changed than one move changes",
        }
    }
}

/// Every reason that applies to a change. Serialised, a list of their words in the order of [`IllegalReason::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<IllegalReason>", into = "Vec<IllegalReason>")]
pub struct Reasons(u16);

impl Reasons {
    /// Adds a reason.
    pub const fn insert(&mut self, reason: IllegalReason) {
        self.0 |= reason.bit();
    }

    /// Is this one of them?
    #[must_use]
    pub const fn contains(self, reason: IllegalReason) -> bool {
        self.0 & reason.bit() != 0
    }

    /// None: the change is a legal move.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their bits, added up, as messages have them.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Each of them, in the order of [`IllegalReason::ALL`].
    pub fn iter(self) -> impl Iterator<Item = IllegalReason> {
        IllegalReason::ALL.into_iter().filter(move |reason| self.contains(*reason))
    }
}

impl FromIterator<IllegalReason> for Reasons {
    fn from_iter<T: IntoIterator<Item = IllegalReason>>(reasons: T) -> Self {
        let mut set = Self::default();
        reasons.into_iter().for_each(|reason| set.insert(reason));
        set
    }
}

impl From<Vec<IllegalReason>> for Reasons {
    fn from(reasons: Vec<IllegalReason>) -> Self {
        reasons.into_iter().collect()
    }
}

impl From<Reasons> for Vec<IllegalReason> {
    fn from(reasons: Reasons) -> Self {
        reasons.iter().collect()
    }
}

impl std::fmt::Debug for Reasons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_tells_its_reasons_once_and_in_their_order() {
        let all: Reasons = IllegalReason::ALL.into_iter().rev().chain(IllegalReason::ALL).collect();
        assert_eq!(all.iter().collect::<Vec<_>>(), IllegalReason::ALL);
        assert_eq!(usize::try_from(all.bits().count_ones()), Ok(IllegalReason::ALL.len()));
        let two: Reasons = [IllegalReason::KingLeftInCheck, IllegalReason::PathBlocked].into_iter().collect();
        let text = serde_json::to_string(&two).unwrap();
        assert_eq!(text, r#"["path_blocked","king_left_in_check"]"#);
        assert_eq!(serde_json::from_str::<Reasons>(&text).unwrap(), two);
        assert!(Reasons::default().is_empty() && !two.is_empty());
        assert!(two.contains(IllegalReason::PathBlocked) && !two.contains(IllegalReason::WrongSide));
    }
}
