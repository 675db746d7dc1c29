//! The endgames of king and rook, or queen, against king, solved from the rules alone by retrograde analysis.
//!
//! Distances count full moves of the strong side, as in M. Bain's table and in G. Breda, *KRK Chess Endgame Database
//! Knowledge Extraction and Compression* (2006), whose table 1.3 comes out. The rule of fifty moves never matters:
//! sixteen are enough.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Square, attacks};

use super::men::{CODES, Man, Men, canonical_placements};

/// No mate can be forced, or the placement is impossible.
const NONE: u8 = u8::MAX;

/// Distances to mate of every placement of king and man against king.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    man: Man,
    /// Strong side to move, by [`Men::code`].
    strong: Vec<u8>,
    /// Weak side to move.
    weak: Vec<u8>,
}

impl Table {
    /// The table, generated when it is first asked for.
    #[must_use]
    pub fn of(man: Man) -> &'static Self {
        static ROOK: LazyLock<Table> = LazyLock::new(|| Table::generate(Man::Rook));
        static QUEEN: LazyLock<Table> = LazyLock::new(|| Table::generate(Man::Queen));
        match man {
            Man::Rook => &ROOK,
            Man::Queen => &QUEEN,
        }
    }

    /// From the mates backwards: a placement is won for the strong side in n + 1 when a move leads to one that is lost
    /// in n; it is lost for the weak side when every move leads to a won one, in as many as the last of them.
    #[must_use]
    pub fn generate(man: Man) -> Self {
        let mut table = Self { man, strong: vec![NONE; CODES], weak: vec![NONE; CODES] };
        // Moves of the weak king that are not known to lose yet; one that takes the man never will be.
        let mut escapes = vec![0_u8; CODES];
        let mut front = Vec::new();
        for (code, escape) in escapes.iter_mut().enumerate() {
            let men = Men::of_code(code);
            if !men.possible() {
                continue;
            }
            *escape = u8::try_from(men.weak_moves(man).count()).unwrap_or(u8::MAX);
            if *escape == 0 && men.check(man) {
                table.weak[code] = 0;
                front.push(men);
            }
        }
        for distance in 1.. {
            if front.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for won in front.into_iter().flat_map(|lost| before_strong_move(lost, man)) {
                let Some(code) = won.code().filter(|&code| table.strong[code] == NONE) else { continue };
                if won.check(man) {
                    continue;
                }
                table.strong[code] = distance;
                // From where did the weak king come?
                for weak in attacks::king_attacks(won.weak) {
                    let before = Men { weak, ..won };
                    let Some(code) = before.code().filter(|_| before.possible()) else { continue };
                    if !before.weak_moves(man).contains(won.weak) {
                        continue;
                    }
                    escapes[code] -= 1;
                    if escapes[code] == 0 {
                        table.weak[code] = distance;
                        next.push(before);
                    }
                }
            }
            front = next;
        }
        table
    }

    /// Full moves until mate; `None` where no mate can be forced, and for impossible placements.
    #[must_use]
    pub fn distance(&self, men: Men, strong_to_move: bool) -> Option<u8> {
        let code = men.canonical().code()?;
        let distance = if strong_to_move { self.strong[code] } else { self.weak[code] };
        (distance != NONE).then_some(distance)
    }

    /// Every canonical placement with the weak side to move and its distance, in the order of
    /// [`canonical_placements`].
    pub fn weak_to_move(&self) -> impl Iterator<Item = (Men, Option<u8>)> {
        canonical_placements().map(|men| (men, self.distance(men, false)))
    }

    /// Every canonical placement with the strong side to move, the weak king not attacked, and its distance.
    pub fn strong_to_move(&self) -> impl Iterator<Item = (Men, Option<u8>)> {
        canonical_placements().filter(|men| !men.check(self.man)).map(|men| (men, self.distance(men, true)))
    }
}

/// How many placements are decided in 0, 1, 2, … full moves, and how many are drawn.
#[must_use]
pub fn distribution(placements: impl Iterator<Item = (Men, Option<u8>)>) -> (Vec<usize>, usize) {
    let (mut decided, mut drawn) = (Vec::new(), 0);
    for (_, distance) in placements {
        let Some(distance) = distance.map(usize::from) else {
            drawn += 1;
            continue;
        };
        if decided.len() <= distance {
            decided.resize(distance + 1, 0);
        }
        decided[distance] += 1;
    }
    (decided, drawn)
}

/// The placements from which a move of the strong side leads to `men`, with the king on one of
/// [`KINGS`](super::men::KINGS): both of two that mirror each other when it comes to stand on the diagonal.
fn before_strong_move(men: Men, man: Man) -> Vec<Men> {
    let mut before = Vec::with_capacity(40);
    for king in attacks::king_attacks(men.king) {
        let from = Men { king, ..men };
        if from.possible() {
            let from = from.canonical();
            before.push(from);
            if from.on_diagonal() {
                before.push(from.map(Square::flip_diagonal));
            }
        }
    }
    for from in man.attacks(men.man, Bitboard::from_square(men.king).with(men.weak)) {
        let from = Men { man: from, ..men };
        if from.possible() {
            before.push(from);
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Breda 2006, table 1.3: 28,056 positions with Black to move.
    #[test]
    fn the_distribution_is_that_of_the_literature() {
        let (lost, drawn) = distribution(Table::of(Man::Rook).weak_to_move());
        let table = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
        assert_eq!((lost.as_slice(), drawn), (&table[..], 2796));
        assert_eq!(lost.iter().sum::<usize>() + drawn, 28_056);
    }

    /// With the move the rook always wins but where it is lost for nothing; ten moves are enough for a queen.
    #[test]
    fn with_the_move_the_strong_side_wins() {
        let (won, drawn) = distribution(Table::of(Man::Rook).strong_to_move());
        assert_eq!((won.len(), won[0], drawn), (17, 0, 0));
        let (won, drawn) = distribution(Table::of(Man::Queen).strong_to_move());
        assert_eq!((won.len(), won[0], drawn), (11, 0, 0));
        let (lost, _) = distribution(Table::of(Man::Queen).weak_to_move());
        assert_eq!(lost.len(), 11);
    }
}
