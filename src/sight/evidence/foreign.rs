//! What a look shows that neither the men nor the board as it was explain.

use shakmaty::{Bitboard, Board, Square};

use super::{BETWEEN, LookEvidence};
use crate::game::evidence::Evidence;
use crate::sight::{
    coverage::{POINTS, POINTS_PER_SIDE, points_on},
    density::{AS_BEFORE, OUTLIER_SHARE},
    layout::Layout,
    threshold::Changes,
};

/// A point is unexplained when anything at all is likelier than what should be there.
const UNEXPLAINED_RATIO: f32 = 1.0;
/// A square is unexplained when this share of its points is.
pub(super) const UNEXPLAINED_SHARE: f64 = 0.3;
/// Share of a square's points that may differ without meaning anything.
pub(super) const SPECKS: f64 = 0.15;

impl LookEvidence<'_> {
    /// Is a point less likely than anything at all, where what stands on the board gives it this density?
    fn is_unexplained(&self, index: usize, explained: f32) -> bool {
        explained < UNEXPLAINED_RATIO * self.densities.at(index).outlier
    }

    /// Does the reference placement not explain a point? Most points show what they showed, and need not be asked for more.
    fn was_unexplained(&self, index: usize) -> bool {
        *self.unexplained[index].get_or_init(|| {
            let least = self.densities.at_least_as_before(index);
            // Twice: sums of small numbers are rounded.
            let enough = 2.0 * UNEXPLAINED_RATIO * OUTLIER_SHARE * self.appearance.uniform();
            let is_as_before = least > 0.0 && AS_BEFORE * least * self.was_shown(index) >= enough;
            !is_as_before && self.is_unexplained(index, self.explained_density(index, &self.before))
        })
    }

    /// How much of what the point showed was what stood there or the bare board, as far as it looks as it did.
    fn was_shown(&self, index: usize) -> f32 {
        let of_man = |square, _, shown| if self.anew.looks_as_he_did(square) { shown } else { 0.0 };
        let ours = self.met(index, &self.before, self.appearance.bare(index), of_man);
        (1.0 - self.appearance.foreign(index)) * ours
    }

    /// Points that these men hide or show otherwise than those before.
    pub(super) fn moved(&self, men: &Layout) -> [bool; POINTS] {
        let mut moved = [false; POINTS];
        for square in men.difference(&self.before) {
            for index in self.coverage.points_of(square) {
                moved[usize::from(*index)] = true;
            }
        }
        moved
    }

    /// Share of a square's points that these men do not explain; `moved` are theirs.
    fn unexplained_share(&self, square: Square, men: &Layout, moved: &[bool; POINTS]) -> f64 {
        let mut seen = 0u32;
        let mut unexplained = 0u32;
        for index in points_on(square).filter(|index| self.is_told(*index)) {
            seen += 1;
            unexplained += u32::from(if moved[index] {
                self.is_unexplained(index, self.explained_density(index, men))
            } else {
                self.was_unexplained(index)
            });
        }
        if seen == 0 { 0.0 } else { f64::from(unexplained) / f64::from(seen) }
    }

    /// Share of every square's points that have changed where these men have not, or do not belong to them: a hand
    /// and its shadow where `all` count.
    fn foreign(&self, men: &Layout, moved: &[bool; POINTS], all: bool) -> [f64; 64] {
        std::array::from_fn(|square| {
            let square = Square::new(square as u32);
            if self.unsettled.contains(square) {
                return f64::from(u8::from(all));
            }
            let foreign = |index: &usize| {
                if self.patches.covered[*index] { all } else { self.is_foreign(*index, men, moved, all) }
            };
            points_on(square).filter(foreign).count() as f64 / (POINTS_PER_SIDE * POINTS_PER_SIDE) as f64
        })
    }

    /// Does a point show neither these men, of whom those that came or left hide what has `moved`, nor what it showed before?
    /// A shadow is foreign where `all` count.
    pub(super) fn is_foreign(&self, index: usize, men: &Layout, moved: &[bool; POINTS], all: bool) -> bool {
        if moved[index] {
            self.explained_density(index, men) < self.densities.at(index).strange(self.appearance.uniform())
        } else {
            self.has_come(index) && (all || !self.shaded[index])
        }
    }

    /// The same for the whole board, with what is unexplained, in squares.
    pub(super) fn foreign_squares(&self, men: &Layout, all: bool) -> f64 {
        // Specks along the edges of men and squares are the camera's; a hand fills squares.
        let solid = |share: f64| (share - SPECKS).max(0.0) / (1.0 - SPECKS);
        let moved = self.moved(men);
        let unexplained: f64 = Square::ALL.into_iter().map(|s| self.unexplained_share(s, men, &moved)).sum();
        unexplained + self.foreign(men, &moved, all).into_iter().map(solid).sum::<f64>()
    }

    /// What the picture shows of changes, where these men explain it.
    #[must_use]
    pub fn changes(&self, men: &Board) -> Changes {
        let men = Layout::of(men);
        let moved = men.difference(&self.before);
        let near: Bitboard =
            moved.into_iter().fold(Bitboard::EMPTY, |near, square| near | self.coverage.beside(square));
        let shows = |square: &Square| {
            let count = points_on(*square).filter(|index| self.differs[*index]).count();
            count as f64 > SPECKS * (POINTS_PER_SIDE * POINTS_PER_SIDE) as f64
        };
        let hidden = self.hidden();
        Changes {
            expected: (moved & !hidden).count(),
            missed: (moved & !hidden).into_iter().filter(|square| !shows(square)).count(),
            wrong: (!near & !hidden).into_iter().filter(shows).count(),
        }
    }

    /// Squares that show what they did beside something that covers a part of the board: of what men on them could hide a half or
    /// more is in sight, and has not changed.
    #[must_use]
    pub(crate) fn as_before(&self) -> Bitboard {
        if !self.patches.covered.contains(&true) {
            return Bitboard::EMPTY;
        }
        let is_as_before = |square: &Square| {
            let points = self.coverage.points_of(*square);
            let (mut told, mut new) = (0, 0);
            for index in points.iter().map(|index| usize::from(*index)).filter(|index| self.is_told(*index)) {
                told += 1;
                new += u32::from(self.has_come(index) && !self.shaded[index]);
            }
            2 * told >= points.len() && f64::from(new) <= SPECKS * told as f64
        };
        Square::ALL.into_iter().filter(is_as_before).collect()
    }

    /// Squares that show the board and these men and nothing else: they may be learnt from.
    #[must_use]
    pub fn clear(&self, men: &Board) -> Bitboard {
        !self.covered(&Layout::of(men))
    }

    /// Chance for each point that it shows what lies over these men and the board: a hand. Empty where nothing does.
    #[must_use]
    pub fn over(&self, men: &Board) -> Vec<f32> {
        let is_any = |covered: &[bool]| covered.contains(&true);
        if !is_any(&self.patches.covered) && !is_any(&self.patches.thing) {
            return Vec::new();
        }
        let men = Layout::of(men);
        (0..POINTS).map(|index| self.is_over(index, &men)).collect()
    }

    /// Chance that a point shows what lies over these men and the board.
    fn is_over(&self, index: usize, men: &Layout) -> f32 {
        if !self.patches.covered[index] {
            return f32::from(u8::from(self.patches.thing[index]));
        }
        (1.0 - BETWEEN) * self.this_hand[index] / self.with_others(index, self.explained_density(index, men))
    }

    /// Squares that show something else than the board and these men, or are not at rest.
    pub(in crate::sight) fn covered(&self, men: &Layout) -> Bitboard {
        let moved = self.moved(men);
        let foreign = self.foreign(men, &moved, true);
        let unexplained = |square: Square| self.unexplained_share(square, men, &moved) > UNEXPLAINED_SHARE;
        Square::ALL.into_iter().filter(|s| foreign[usize::from(*s)] > UNEXPLAINED_SHARE || unexplained(*s)).collect()
    }

    /// Squares of which these men do not explain a good part.
    pub(in crate::sight) fn unexplained_by(&self, men: &Layout) -> Bitboard {
        let moved = self.moved(men);
        let share = |square: &Square| self.unexplained_share(*square, men, &moved);
        Square::ALL.into_iter().filter(|square| share(square) > UNEXPLAINED_SHARE).collect()
    }

    /// Of each point, does the reference placement not explain it: as it is asked, and from all that the point may show?
    #[cfg(test)]
    pub(in crate::sight) fn unexplained_both_ways(&self) -> Vec<[bool; 2]> {
        let in_full = |index| self.is_unexplained(index, self.explained_density(index, &self.before));
        (0..POINTS).map(|index| [self.was_unexplained(index), in_full(index)]).collect()
    }
}
