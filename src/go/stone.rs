//! Who plays, and what a crossing holds.

use serde::{Deserialize, Serialize};

/// A player, and his stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Who begins.
    Black,
    /// The other.
    White,
}

impl Color {
    /// The other player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// As it stands in sentences that begin with it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "Black",
            Self::White => "White",
        }
    }
}

/// What a crossing holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Content {
    /// No stone.
    #[default]
    Empty,
    /// A black stone.
    Black,
    /// A white stone.
    White,
}

impl Content {
    /// All that there are, in the order in which likelihoods are told.
    pub const ALL: [Self; 3] = [Self::Empty, Self::Black, Self::White];

    /// Place in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whose stone it is.
    #[must_use]
    pub const fn color(self) -> Option<Color> {
        match self {
            Self::Empty => None,
            Self::Black => Some(Color::Black),
            Self::White => Some(Color::White),
        }
    }
}

impl From<Color> for Content {
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}
