//! What the packed forms of the table ask of a placement: the attributes of the thesis, and beside them plain
//! coordinates, because a table without loss must tell every placement from every other.

use chess_observer::endgame::men::{Man, Men};
use shakmaty::Square;

use crate::attributes::{Attribute, Lines, Reading, value};

/// Features are numbers from 0 to this: first the attributes in the order of [`Attribute::ALL`], then those below.
pub const FEATURES: u8 = 48;
/// Signed differences of lines are told from 0: this much is added.
const NO_DIFFERENCE: usize = 8;

/// The neighbours of a square, in the order of the bits of the feature 47.
const AROUND: [(i32, i32); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// A canonical placement, prepared to be asked for features.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    men: Men,
    lines: Lines,
}

impl Asked {
    /// Prepares a canonical placement.
    #[must_use]
    pub fn of(men: Men) -> Self {
        Self { men, lines: Lines::of(men) }
    }

    /// The feature number `feature`; 0 for numbers from [`FEATURES`] on.
    #[must_use]
    pub fn feature(&self, feature: u8) -> u8 {
        if let Some(&attribute) = Attribute::ALL.get(usize::from(feature)) {
            return value(attribute, &self.lines, Reading::Words);
        }
        let Men { king, man, weak } = self.men;
        let file = |square: Square| square.file().to_usize();
        let rank = |square: Square| square.rank().to_usize();
        let apart = |a: usize, b: usize| NO_DIFFERENCE + a - b;
        let number = match feature {
            33 => king.to_usize(),
            34 => man.to_usize(),
            35 => weak.to_usize(),
            36 => file(man),
            37 => rank(man),
            38 => file(weak),
            39 => rank(weak),
            40 => apart(file(man), file(weak)),
            41 => apart(rank(man), rank(weak)),
            42 => apart(file(man), file(king)),
            43 => apart(rank(man), rank(king)),
            44 => apart(file(king), file(weak)),
            45 => apart(rank(king), rank(weak)),
            46 => usize::from(self.men.check(Man::Rook)) + 2 * usize::from(self.rook_hangs()),
            47 => usize::from(self.ways_out()),
            _ => 0,
        };
        u8::try_from(number).unwrap_or(u8::MAX)
    }

    /// Is the rook beside the black king and not beside its own?
    #[must_use]
    pub fn rook_hangs(&self) -> bool {
        let Men { king, man, weak } = self.men;
        man.distance(weak) == 1 && man.distance(king) > 1
    }

    /// Has the black king neither a move nor a check?
    #[must_use]
    pub fn stalemate(&self) -> bool {
        self.ways_out() == 0 && !self.men.check(Man::Rook)
    }

    /// The neighbouring squares that the black king may go to, a bit each.
    fn ways_out(&self) -> u8 {
        let moves = self.men.weak_moves(Man::Rook);
        let free = |&(dx, dy): &(i32, i32)| shift(self.men.weak, dx, dy).is_some_and(|square| moves.contains(square));
        AROUND.iter().enumerate().filter(|(_, way)| free(way)).fold(0, |mask, (bit, _)| mask | 1 << bit)
    }
}

/// The square so many files and ranks (at most 8) further, if the board has it.
#[must_use]
pub fn shift(square: Square, files: i32, ranks: i32) -> Option<Square> {
    let file = square.file() as i32 + files;
    let rank = square.rank() as i32 + ranks;
    // Of numbers from 0 to 7 only the lowest three bits are set.
    if (file | rank) & !7 == 0 { Some(Square::ALL[(8 * rank + file) as usize]) } else { None }
}
