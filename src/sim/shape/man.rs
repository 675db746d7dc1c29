//! A man of the set: where and how it stands.

use shakmaty::{Piece, Square};

use crate::sim::math::V3;

/// How a man stands on its foot, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Lean {
    /// On its foot.
    #[default]
    Upright,
    /// Half way down, for a moment.
    Falling,
    /// On its side.
    Lying,
}

/// Where and how a man stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stand {
    /// Its foot's centre, in squares.
    pub at: V3,
    /// The direction that it faces, or in which it has fallen, in radians from +x, anticlockwise.
    pub(crate) turn_rad: f32,
    /// Upright or not.
    pub(crate) lean: Lean,
}

/// What a man is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// It stands on a square, or lies there.
    On(Square, Stand),
    /// It stands beside the board.
    Beside(Stand),
    /// A hand holds it.
    Held,
    /// It is not in the picture.
    Away,
}

impl Place {
    /// Where and how, for a man that stands or lies somewhere in the picture.
    #[must_use]
    pub const fn stand(self) -> Option<Stand> {
        match self {
            Self::On(_, stand) | Self::Beside(stand) => Some(stand),
            Self::Held | Self::Away => None,
        }
    }
}

/// A man of the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Man {
    /// Colour and kind.
    pub piece: Piece,
    /// Where it is.
    pub place: Place,
    /// Its brightness against its colour's mean.
    pub tone: f32,
}
