//! What lay over the board before a man came: a hand that rests there while others play does not hold him.
//!
//! Whether a hand holds a man cannot be told from one picture in which it hides a part of him. But the hand that puts him down comes
//! with him. So it is remembered since when each point has been covered, and when each square was last seen as it was.

use shakmaty::{Bitboard, Square};

use super::coverage::{POINTS, square_of};

/// Since when points are covered, and until when squares were as before; in looks.
#[derive(Debug, Clone, Default)]
pub struct Resting {
    look: u32,
    /// The first look since which the point has been covered; empty while nothing is.
    since: Vec<Option<u32>>,
    /// The last look in which the square showed what it had shown.
    as_before: Vec<u32>,
}

impl Resting {
    /// A look in which these points are covered, and these squares show what they did. Of `unsettled` squares it says nothing.
    pub fn see(&mut self, covered: &[bool], as_before: Bitboard, unsettled: Bitboard) {
        if self.since.is_empty() && !covered.contains(&true) {
            return;
        }
        self.look += 1;
        self.since.resize(POINTS, None);
        self.as_before.resize(64, 0);
        for (index, since) in self.since.iter_mut().enumerate() {
            if !unsettled.contains(square_of(index)) {
                let is_covered = covered.get(index).is_some_and(|covered| *covered);
                *since = is_covered.then(|| since.unwrap_or(self.look));
            }
        }
        as_before.into_iter().for_each(|square| self.as_before[usize::from(square)] = self.look);
        if self.since.iter().all(Option::is_none) {
            self.forget();
        }
    }

    /// The board is seen from elsewhere, or nothing lies over it any more.
    pub fn forget(&mut self) {
        self.look = 0;
        self.since.clear();
        self.as_before.clear();
    }

    /// Was the point covered already when this square was last seen as it was?
    pub fn lay_there(&self, index: usize, square: Square) -> bool {
        let since = self.since.get(index).copied().flatten();
        since.is_some_and(|since| since <= self.as_before[usize::from(square)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::points_on;

    /// These squares covered.
    fn over(squares: &[Square]) -> Vec<bool> {
        let mut covered = vec![false; POINTS];
        squares.iter().for_each(|square| covered[points_on(*square)].fill(true));
        covered
    }

    #[test]
    fn what_lay_there_before_a_square_changed_lay_there_and_what_came_with_the_change_did_not() {
        let (f3, g3) = (Square::F3, Square::G3);
        let on_g3 = points_on(g3).start;
        let of = Bitboard::from_square;
        let (nothing, unchanged) = (Bitboard::EMPTY, Bitboard::FULL);
        let mut resting = Resting::default();
        resting.see(&over(&[]), unchanged, nothing);
        assert!(!resting.lay_there(on_g3, f3));
        // A hand comes to rest on g3; then another one moves over both squares and leaves a man on f3.
        resting.see(&over(&[g3]), unchanged, nothing);
        resting.see(&over(&[]), nothing, of(f3) | of(g3));
        resting.see(&over(&[g3]), !of(f3), nothing);
        assert!(resting.lay_there(on_g3, f3));
        // It leaves, and another one comes with a man for f3.
        resting.see(&over(&[]), unchanged, nothing);
        resting.see(&over(&[g3]), !of(f3), nothing);
        assert!(!resting.lay_there(on_g3, f3) && resting.lay_there(on_g3, Square::A8));
    }
}
