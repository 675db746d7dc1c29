//! Men who stayed, and look otherwise than before all over.
//!
//! A man is expected to look at each point as he looked there. Where he was turned, or light came over him, he looks otherwise at all
//! of his points, and that is one event, not as many as he has points: held against him point by point, it costs more than a man
//! vanishing, and another man in his place, of whom no look is remembered, explains the picture better.

use shakmaty::Square;

use super::{
    appearance::Appearance, coverage::Coverage, densities::Densities, density::PointDensity, evidence::once,
    layout::Layout,
};

/// Chance that a man who stayed looks otherwise than before all over. Set by hand: recordings are read alike with 0.05 and 0.001, but
/// with the latter a shadow that leaves the board is once a rook that took its own pawn.
const LOOKS_ANEW: f32 = 0.01;
/// A point is a man's where he is what is seen there with at least this chance.
const HIS: f32 = 0.5;

/// Which men look so.
#[derive(Debug, Clone)]
pub(super) struct Anew {
    /// By square, what each of its man's points counts; `None` where he looks as he did.
    each: [Option<f32>; 64],
}

/// A look at the men who stood there before.
pub(super) struct SeenMen<'a> {
    pub before: &'a Layout,
    pub coverage: &'a Coverage,
    pub appearance: &'a Appearance,
    pub densities: &'a Densities<'a>,
    /// Points that look otherwise than they did.
    pub differs: &'a [bool],
}

impl Default for Anew {
    fn default() -> Self {
        Self { each: [None; 64] }
    }
}

impl Anew {
    /// Finds them; `is_told` says whether the picture tells what is at a point.
    pub fn seen(men: &SeenMen<'_>, is_told: impl Fn(usize) -> bool) -> Self {
        Self { each: Square::ALL.map(|square| men.looks_anew(square, &is_told)) }
    }

    /// Does the man who stayed on this square look as he did?
    pub const fn looks_as_he_did(&self, square: Square) -> bool {
        self.each[square.to_usize()].is_none()
    }

    /// Density of a point of the man of this class who stayed on this square; so much of it was `shown` there before.
    pub fn density(&self, square: Square, point: &PointDensity, class: usize, shown: f32) -> f32 {
        match self.each[usize::from(square)] {
            None => point.stayed(shown, point.men[class]),
            Some(each) => each * point.men[class],
        }
    }
}

impl SeenMen<'_> {
    /// What each point of the man on this square counts, where he looks otherwise than before all over.
    fn looks_anew(&self, square: Square, is_told: impl Fn(usize) -> bool) -> Option<f32> {
        let (class, _) = self.before.at(square)?;
        let points = || self.coverage.points_of(square).iter().map(|index| usize::from(*index));
        if !points().any(|index| self.differs[index]) {
            return None;
        }
        let (mut count, mut gained) = (0, 0.0);
        for index in points().filter(|index| is_told(*index)) {
            let Some(shown) = self.shown_of(square, index) else { continue };
            let point = self.densities.at(index);
            let anew = point.men[class];
            gained += point.gained([anew, point.stayed(shown, anew)]);
            count += 1;
        }
        let each = once(LOOKS_ANEW, count);
        (gained + count as f32 * each.ln() > 0.0).then_some(each)
    }

    /// How much of him was shown at this point, where the man on this square is what is seen there.
    fn shown_of(&self, square: Square, index: usize) -> Option<f32> {
        let first = self.coverage.first_candidate(index);
        let mut open = 1.0;
        for (k, candidate) in self.coverage.candidates(index).iter().enumerate() {
            let Some((_, role)) = self.before.at(candidate.square) else { continue };
            let cover = candidate.cover[role];
            if candidate.square == square {
                return (open * cover >= HIS).then(|| self.appearance.shown(first + k));
            }
            open *= 1.0 - cover;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::evidence::INDEPENDENCE;

    #[test]
    fn what_is_one_event_counts_once_however_many_points_show_it() {
        for points in [5, 20, 64] {
            let together = INDEPENDENCE as f32 * points as f32 * once(LOOKS_ANEW, points).ln();
            assert!((together - LOOKS_ANEW.ln()).abs() < 1e-3, "{points}: {together}");
        }
        assert_eq!(once(LOOKS_ANEW, 1), LOOKS_ANEW, "one point never counts more than the event");
    }
}
