//! A placement as sixty-four small numbers: sight asks for the man on a square millions of times a second.

use shakmaty::{Bitboard, Board, Color, Role, Square};

/// Place of a kind in [`Candidate::cover`](super::coverage::Candidate::cover).
#[must_use]
pub(super) const fn role_index(role: Role) -> usize {
    role as usize - 1
}

/// Which man stands on each square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout([u8; 64]);

const EMPTY: u8 = 0;

impl Layout {
    /// The same placement as the board's.
    #[must_use]
    pub fn of(men: &Board) -> Self {
        let mut layout = Self([EMPTY; 64]);
        for color in Color::ALL {
            for role in Role::ALL {
                for square in men.by_color(color) & men.by_role(role) {
                    layout.set(square, usize::from(color == Color::Black), role_index(role));
                }
            }
        }
        layout
    }

    /// Colour (0 white, 1 black) and kind (a place in [`Candidate::cover`](super::coverage::Candidate::cover)) of the man
    /// on a square.
    #[must_use]
    pub const fn at(&self, square: Square) -> Option<(usize, usize)> {
        let man = self.0[square.to_usize()];
        if man == EMPTY { None } else { Some(((man as usize - 1) / 6, (man as usize - 1) % 6)) }
    }

    /// What stands on a square: 0 nothing, 1 a white man, 2 a black man.
    #[must_use]
    pub(crate) fn class(&self, square: Square) -> usize {
        self.at(square).map_or(0, |(color, _)| 1 + color)
    }

    /// Puts a man on a square.
    pub const fn set(&mut self, square: Square, color: usize, role: usize) {
        self.0[square.to_usize()] = (1 + 6 * color + role) as u8;
    }

    /// Takes the man off a square.
    pub const fn clear(&mut self, square: Square) {
        self.0[square.to_usize()] = EMPTY;
    }

    /// Does a square hold the same in both?
    #[must_use]
    pub const fn same(&self, other: &Self, square: Square) -> bool {
        self.0[square.to_usize()] == other.0[square.to_usize()]
    }

    /// The squares that do not hold the same in both.
    #[must_use]
    pub(crate) fn difference(&self, other: &Self) -> Bitboard {
        Square::ALL.into_iter().filter(|square| !self.same(other, *square)).collect()
    }
}
