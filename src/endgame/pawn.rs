//! King and pawn against king: distance to mate, from the rules and the tables of what the pawn becomes.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, File, Rank, Square, attacks};

use super::{
    generate::Table,
    men::{Man, Men},
};

/// Pawns on the files a–d and the ranks 2–7, the two kings anywhere.
const CODES: usize = 4 * 6 * 64 * 64;
/// No mate can be forced, or the placement is impossible.
const NONE: u8 = u8::MAX;
/// What a pawn may become that wins; a knight or bishop draws.
const PROMOTIONS: [Man; 2] = [Man::Queen, Man::Rook];
/// No table of a promoted pawn is longer (16 moves for the rook).
const LONGEST_PROMOTED: u8 = 16;

/// Distances to mate of king and pawn against king, the pawn going up the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PawnTable {
    strong: Vec<u8>,
    weak: Vec<u8>,
}

impl PawnTable {
    /// The table, generated when it is first asked for.
    #[must_use]
    pub fn get() -> &'static Self {
        static TABLE: LazyLock<PawnTable> = LazyLock::new(PawnTable::generate);
        &TABLE
    }

    /// Layer by layer from the mates: what is won in one move more, then what is lost whatever the weak king does.
    #[must_use]
    pub fn generate() -> Self {
        let mut table = Self { strong: vec![NONE; CODES], weak: vec![NONE; CODES] };
        let possible = || (0..CODES).filter(|&code| of_code(code).possible());
        let mut weak_open: Vec<usize> = possible().collect();
        let mut strong_open: Vec<usize> = possible().filter(|&code| !checks(of_code(code))).collect();
        for distance in 0_u8.. {
            let before = strong_open.len() + weak_open.len();
            let won = distance.checked_sub(1).map_or(Vec::new(), |after| {
                strong_open.extract_if(.., |code| table.wins(of_code(*code), after)).collect()
            });
            won.into_iter().for_each(|code| table.strong[code] = distance);
            let lost: Vec<usize> = weak_open.extract_if(.., |code| table.loses(of_code(*code))).collect();
            lost.into_iter().for_each(|code| table.weak[code] = distance);
            if before == strong_open.len() + weak_open.len() && distance > LONGEST_PROMOTED {
                break;
            }
        }
        table
    }

    /// Does a move lead to a placement that is lost in `after`?
    fn wins(&self, men: Men, after: u8) -> bool {
        let kings = attacks::king_attacks(men.king).into_iter().map(|king| Men { king, ..men });
        let mut pawns = pawn_moves(men).map(|man| Men { man, ..men });
        kings.filter(|men| men.possible()).any(|men| self.weak[code(men)] == after)
            || pawns.any(|men| match men.man.rank() {
                Rank::Eighth => PROMOTIONS.iter().any(|&man| Table::of(man).distance(men, false) == Some(after)),
                _ => self.weak[code(men)] == after,
            })
    }

    /// Is the weak king mated, or does every move of it lead to a won placement?
    fn loses(&self, men: Men) -> bool {
        let moves = attacks::king_attacks(men.weak)
            & !attacks::king_attacks(men.king)
            & !attacks::pawn_attacks(Color::White, men.man)
            & !Bitboard::from_square(men.king);
        if moves.is_empty() {
            return checks(men);
        }
        moves.into_iter().all(|weak| weak != men.man && self.strong[code(Men { weak, ..men })] != NONE)
    }

    /// Full moves until mate, the pawn (`men.man`) being `strong`'s; `None` where no mate can be forced, for
    /// impossible placements, and for a pawn on the first or last rank.
    #[must_use]
    pub fn distance(&self, men: Men, strong: Color, strong_to_move: bool) -> Option<u8> {
        let men = if strong.is_white() { men } else { men.map(Square::flip_vertical) };
        if men.man.rank() == Rank::First || men.man.rank() == Rank::Eighth {
            return None;
        }
        let distance = if strong_to_move { self.strong[code(men)] } else { self.weak[code(men)] };
        (distance != NONE).then_some(distance)
    }
}

fn checks(men: Men) -> bool {
    attacks::pawn_attacks(Color::White, men.man).contains(men.weak)
}

/// Where the pawn may go: one or two squares ahead.
fn pawn_moves(men: Men) -> impl Iterator<Item = Square> {
    let free = move |square: &Square| *square != men.king && *square != men.weak;
    let one = men.man.offset(8).filter(free);
    let two = one.filter(|_| men.man.rank() == Rank::Second).and_then(|square| square.offset(8)).filter(free);
    one.into_iter().chain(two)
}

/// The placement's number; the pawn must be on the ranks 2–7.
fn code(men: Men) -> usize {
    let men = if men.man.file() > File::D { men.map(Square::flip_horizontal) } else { men };
    let pawn = (men.man.rank().to_usize().max(1) - 1) * 4 + men.man.file().to_usize();
    (pawn * 64 + men.king.to_usize()) * 64 + men.weak.to_usize()
}

fn of_code(code: usize) -> Men {
    let pawn = code / 4096;
    let man = Square::from_coords(File::ALL[pawn % 4], Rank::ALL[pawn / 4 % 6 + 1]);
    Men { king: Square::ALL[code / 64 % 64], man, weak: Square::ALL[code % 64] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::generate::distribution;

    /// Golden: the longest win takes 28 moves, and of 81,664 placements with the pawn's side to move 62,480 are won,
    /// as tables of others have it.
    #[test]
    fn known_totals() {
        let table = PawnTable::get();
        let all = || (0..CODES).map(of_code).filter(|men| men.possible());
        let strong = all().filter(|men| !checks(*men)).map(|men| (men, table.distance(men, Color::White, true)));
        let (won, drawn) = distribution(strong);
        assert_eq!((won.iter().sum::<usize>(), drawn, won.len()), (62_480, 19_184, 29));
        let weak = all().map(|men| (men, table.distance(men, Color::White, false)));
        let (lost, drawn) = distribution(weak);
        assert_eq!((lost.iter().sum::<usize>(), drawn, lost.len()), (48_802, 35_210, 29));
    }
}
