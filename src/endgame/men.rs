//! Two kings and one man: placements, their symmetries, and what the rules say of them.
//!
//! *Strong* is the side with the man, *weak* the king alone.

use std::cmp::Ordering;

use shakmaty::{Bitboard, Board, Color, File, Rank, Role, Square, attacks};

/// The man beside the strong king.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Man {
    /// King and rook against king.
    Rook,
    /// King and queen against king.
    Queen,
}

impl Man {
    /// Squares attacked from `from` through the free squares of a board on which `occupied` is not free.
    #[must_use]
    pub fn attacks(self, from: Square, occupied: Bitboard) -> Bitboard {
        match self {
            Self::Rook => attacks::rook_attacks(from, occupied),
            Self::Queen => attacks::queen_attacks(from, occupied),
        }
    }
}

/// Where the three men stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Men {
    /// The king with the man.
    pub king: Square,
    /// The man: rook, queen or pawn.
    pub man: Square,
    /// The king alone.
    pub weak: Square,
}

/// Squares of the strong king in a canonical placement, one of each eight (or four) that mirror each other.
pub const KINGS: [Square; 10] = [
    Square::A1,
    Square::B1,
    Square::C1,
    Square::D1,
    Square::B2,
    Square::C2,
    Square::D2,
    Square::C3,
    Square::D3,
    Square::D4,
];

/// Codes of placements with the strong king on one of [`KINGS`], possible or not.
pub(super) const CODES: usize = KINGS.len() * 64 * 64;

impl Men {
    /// The placement that stands for all that mirror it: the strong king on one of [`KINGS`]; where it stands on the
    /// diagonal a1–h8, the weak king on or below the diagonal; where both stand on it, the man on or below it. These
    /// are the five steps of G. Breda, *KRK Chess Endgame Database Knowledge Extraction and Compression* (2006),
    /// §1.2.1.
    #[must_use]
    pub fn canonical(self) -> Self {
        let mut men = self;
        if men.king.file() > File::D {
            men = men.map(Square::flip_horizontal);
        }
        if men.king.rank() > Rank::Fourth {
            men = men.map(Square::flip_vertical);
        }
        let first_off = [men.king, men.weak, men.man].into_iter().map(above_diagonal).find(|above| above.is_ne());
        if first_off.is_some_and(Ordering::is_gt) {
            men = men.map(Square::flip_diagonal);
        }
        men
    }

    /// Every man moved as `mirror` says.
    #[must_use]
    pub fn map(self, mirror: impl Fn(Square) -> Square) -> Self {
        Self { king: mirror(self.king), man: mirror(self.man), weak: mirror(self.weak) }
    }

    /// Does the strong king stand on the diagonal a1–h8?
    #[must_use]
    pub(super) fn on_diagonal(self) -> bool {
        self.king.rank().to_u32() == self.king.file().to_u32()
    }

    /// A number below [`CODES`], the weak king's square last; the strong king must be on one of [`KINGS`].
    #[must_use]
    pub(crate) fn code(self) -> Option<usize> {
        let king = KINGS.iter().position(|&k| k == self.king)?;
        Some((king * 64 + self.man.to_usize()) * 64 + self.weak.to_usize())
    }

    /// The placement of a code; codes beyond [`CODES`] count anew from 0.
    #[must_use]
    pub(super) fn of_code(code: usize) -> Self {
        let square = |i: usize| Square::ALL[i % 64];
        Self { king: KINGS[code / 4096 % KINGS.len()], man: square(code / 64), weak: square(code) }
    }

    /// Three squares, and the kings do not touch. With a rook or queen it is then possible with the weak side to move.
    #[must_use]
    pub fn possible(self) -> bool {
        self.king != self.man && self.man != self.weak && self.king != self.weak && !self.kings_touch()
    }

    fn kings_touch(self) -> bool {
        attacks::king_attacks(self.king).contains(self.weak)
    }

    /// Is the weak king attacked by the man?
    #[must_use]
    pub fn check(self, man: Man) -> bool {
        man.attacks(self.man, Bitboard::from_square(self.king)).contains(self.weak)
    }

    /// Where the weak king may go; the man's square is among them when it is not protected.
    #[must_use]
    pub fn weak_moves(self, man: Man) -> Bitboard {
        let strong = attacks::king_attacks(self.king);
        // The king does not hide behind itself from the man.
        let swept = man.attacks(self.man, Bitboard::from_square(self.king));
        attacks::king_attacks(self.weak) & !strong & !swept & !Bitboard::from_square(self.king)
    }

    /// The three men of `board`, what the one beside the kings is and whose it is; `None` for other men.
    #[must_use]
    pub fn of_board(board: &Board) -> Option<(Self, Role, Color)> {
        let kings = board.kings();
        if board.occupied().count() != 3 || kings.count() != 2 {
            return None;
        }
        let man = (board.occupied() & !kings).single_square()?;
        let strong = board.color_at(man)?;
        let men = Self { king: board.king_of(strong)?, man, weak: board.king_of(!strong)? };
        Some((men, board.role_at(man)?, strong))
    }
}

/// Every canonical placement that is possible with the weak side to move, 28,056 of them, in the order of the strong
/// king, the weak king and the man.
pub fn canonical_placements() -> impl Iterator<Item = Men> {
    KINGS.into_iter().flat_map(|king| {
        Square::ALL.into_iter().flat_map(move |weak| {
            Square::ALL
                .into_iter()
                .map(move |man| Men { king, man, weak })
                .filter(|men| men.possible() && men.canonical() == *men)
        })
    })
}

/// Rank against file.
fn above_diagonal(square: Square) -> Ordering {
    square.rank().to_u32().cmp(&square.file().to_u32())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The board's eight symmetries.
    pub(crate) fn mirrors() -> [fn(Square) -> Square; 8] {
        [
            |s| s,
            Square::flip_horizontal,
            Square::flip_vertical,
            Square::flip_diagonal,
            Square::flip_anti_diagonal,
            Square::rotate_90,
            Square::rotate_180,
            Square::rotate_270,
        ]
    }

    /// Breda 2006, table 1.2.
    #[test]
    fn as_many_as_the_thesis_counts() {
        assert_eq!(canonical_placements().count(), 28_056);
        let all = (0..64 * 4096).map(|i| Men {
            king: Square::ALL[i / 4096],
            man: Square::ALL[i / 64 % 64],
            weak: Square::ALL[i % 64],
        });
        assert_eq!(all.filter(|men| men.possible()).count(), 223_944);
    }

    /// Law: all that mirror each other have one canonical placement, which is its own.
    #[test]
    fn mirrored_placements_have_one_canonical_form() {
        for code in 0..CODES {
            let men = Men::of_code(code);
            assert_eq!(men.code(), Some(code));
            let canonical = men.canonical();
            assert!(KINGS.contains(&canonical.king));
            for mirror in mirrors() {
                assert_eq!(men.map(mirror).canonical(), canonical, "{men:?}");
            }
        }
    }
}
