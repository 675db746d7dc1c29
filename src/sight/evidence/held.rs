//! Is a man still in a hand?

use shakmaty::{Bitboard, Role, Square};

use super::{EDGE, LookEvidence, foreign::SPECKS};
use crate::sight::{
    coverage::{Candidate, square_of},
    layout::{Layout, role_index},
};

/// A man stands where he hides a point with at least this chance.
const OUTLINE: f32 = 0.3;
/// A hand that holds a man covers more than this share of the space over him. Set by hand (`lab --experiments conditions --only
/// held`).
const ABOVE: f64 = 0.1;

impl LookEvidence<'_> {
    /// Is a man who has come to one of these squares still in a hand?
    pub(super) fn is_any_held(&self, men: &Layout, squares: Bitboard) -> bool {
        let uniform = self.appearance.uniform();
        // Who has left may be followed by the hand; who has come must be free of it.
        let come =
            (men.difference(&self.before) & squares).into_iter().filter_map(|square| Some((square, men.at(square)?.1)));
        come.into_iter().any(|(square, role)| {
            let (mut all, mut foreign, mut hidden) = (0, 0, false);
            for (index, candidate) in self.since_he_came(square) {
                if candidate.cover[role] > OUTLINE {
                    all += 1;
                    hidden |= self.patches.covered[index] || self.unsettled.contains(square_of(index));
                    // Where he looks no more like himself than like what lies over the board, it may be that.
                    let strange = self.densities.at(index).strange(uniform);
                    foreign += u32::from(self.explained_density(index, men) < strange.max(self.this_hand[index]));
                }
            }
            hidden && f64::from(foreign) > SPECKS * f64::from(all) || self.arm_above(square, role)
        })
    }

    /// The points that a man who has come to this square could hide, without those over which something lay before.
    fn since_he_came(&self, square: Square) -> impl Iterator<Item = (usize, &Candidate)> {
        self.coverage.hidden_from(square).filter(move |(index, _)| !self.resting.lay_there(*index, square))
    }

    /// Does an arm cover the space over a man, as high as a king: as a hand does that holds him by his top?
    fn arm_above(&self, square: Square, role: usize) -> bool {
        let king = role_index(Role::King);
        let above = || {
            let column = self.since_he_came(square);
            column.filter(|(_, c)| c.cover[king] > OUTLINE && c.cover[role] < EDGE).map(|(index, _)| index)
        };
        let covered = above().filter(|index| self.patches.arm[*index]).count();
        covered as f64 > ABOVE * above().count() as f64
    }
}
