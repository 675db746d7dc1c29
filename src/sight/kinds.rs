//! What the picture says of men's kinds beyond the board's edge.
//!
//! From an oblique view the head of a man on an outer rank stands against the table, where no square is. How much of the
//! table he hides tells his height: a queen's hides twice as much as a pawn's. Only men who have come are asked, where the
//! colour of a square has changed: who stood there before was judged when he came, and the same pixels are no new witness.

use shakmaty::Square;

use super::{
    appearance::{Appearance, OUTLIER_SHARE, gauss, shaded},
    colour::{Colour, ColourModel},
    coverage::POINTS_PER_SIDE,
    evidence::INDEPENDENCE,
    layout::Layout,
    surroundings::{LookAround, PER_SQUARE, POINTS_AROUND},
};

/// How much of a point's log-likelihood counts: the points lie farther apart than on the board, and each stands for more.
const WEIGHT: f64 = TEMPER * INDEPENDENCE * ((POINTS_PER_SIDE * POINTS_PER_SIDE) / (PER_SQUARE * PER_SQUARE)) as f64;
/// Sets are not all of our proportions, and all points of a man err together.
const TEMPER: f64 = 0.5;

/// What tells kinds beyond the edge in one picture.
#[derive(Debug, Clone)]
pub struct Kinds<'a> {
    around: LookAround<'a>,
    appearance: &'a Appearance,
    /// What lies around the board in general: for places that were never seen without a man before them.
    ground: ColourModel,
}

impl<'a> Kinds<'a> {
    /// Of a look around the board, with what men look like.
    #[must_use]
    pub fn new(around: LookAround<'a>, appearance: &'a Appearance) -> Self {
        let seen = (0..POINTS_AROUND).filter_map(|index| around.surroundings.ground(index));
        Self { around, appearance, ground: appearance.colours_of(seen.map(|(colour, _)| colour)) }
    }

    /// Log-likelihood of what is seen beyond the edge if these men stand on the board, against the men `before`.
    #[must_use]
    pub fn likelihood(&self, men: &Layout, before: &Layout) -> f64 {
        let rays = self.around.surroundings.rays();
        let come = |square: &Square| men.class(*square) != before.class(*square);
        let mut points: Vec<u16> =
            Square::ALL.into_iter().filter(come).flat_map(|square| rays.points_of(square)).copied().collect();
        points.sort_unstable();
        points.dedup();
        WEIGHT * points.into_iter().map(|index| self.point_ln(usize::from(index), men, before)).sum::<f64>()
    }

    /// ln of a point's likelihood under `men` against that under the men `before`.
    fn point_ln(&self, index: usize, men: &Layout, before: &Layout) -> f64 {
        let colour = &self.around.colours[index];
        if !colour[0].is_finite() {
            return 0.0;
        }
        let of_men = self.appearance.men_density(colour);
        let behind = self.behind(index, colour);
        let ln = |layout: &Layout| {
            let (mut open, mut sum) = (1.0, OUTLIER_SHARE * self.appearance.uniform());
            for candidate in self.around.surroundings.rays().candidates(index) {
                let Some((class, role)) = layout.at(candidate.square) else { continue };
                sum += open * candidate.cover[role] * of_men[class];
                open *= 1.0 - candidate.cover[role];
            }
            f64::from((sum + open * behind).ln())
        };
        ln(men) - ln(before)
    }

    /// Density of a point's colour where no man hides it.
    fn behind(&self, index: usize, colour: &Colour) -> f32 {
        let anything = self.ground.density(colour);
        self.around.surroundings.ground(index).map_or(anything, |(ground, trust)| {
            let sigma = self.around.surroundings.sigma(index, &self.around.noise);
            // As on the board: the same, a little off, or in a shadow; or else something that has come.
            trust * (0.6 * gauss(colour, ground, sigma, 1.5) + 0.2 * shaded(colour, ground, sigma))
                + (1.0 - 0.8 * trust) * anything
        })
    }
}
