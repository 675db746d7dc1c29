//! From how many standard deviations on a point has changed: as many as this game's pictures ask for.
//!
//! After G. Petkov, "Chess move detection" (2013, section 4.4): too many changed squares make it less sensitive, too few more, within
//! bounds, driven by running averages. His counts were of pixels of a whole picture; here the explained picture says
//! which squares should have changed, so both errors are known and not guessed.

/// How fast the running averages follow: some ten pictures.
const RATE: f32 = 0.1;
/// Squares a picture that may show a change where nothing has changed, on average: the edge of a shadow, a man adjusted.
const TOO_MANY: f32 = 1.0;
/// Fewer than this, and the threshold may be lower.
const FEW: f32 = 0.25;
/// Share of the squares that have changed and do not show it from which it is not sensitive enough.
const MISSED: f32 = 0.1;
/// One step up; a step down is a quarter of it: a hand that is not noticed does more harm than one too many.
const STEP: f32 = 1.06;

/// Bounds of the threshold, in standard deviations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    /// Most sensitive.
    pub least: f32,
    /// Least sensitive.
    pub most: f32,
}

/// The threshold and what drives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChangeThreshold {
    sigma: f32,
    bounds: Bounds,
    /// Running average of the squares that show a change where there is none.
    false_changes: f32,
    /// Running average of the share of changed squares that do not show it.
    missed: f32,
}

/// What a picture that was understood showed of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Squares where a man came or went.
    pub expected: usize,
    /// Of these, squares that do not show it.
    pub missed: usize,
    /// Squares that show a change, and nothing has come or gone there.
    pub wrong: usize,
}

impl ChangeThreshold {
    /// Begins at so many standard deviations; outside the bounds, at the nearer one.
    #[must_use]
    pub fn new(sigma: f32, bounds: Bounds) -> Self {
        let bounds = Bounds { least: bounds.least.min(bounds.most), most: bounds.most.max(bounds.least) };
        let sigma = sigma.clamp(bounds.least, bounds.most);
        Self { sigma, bounds, false_changes: 0.5 * (FEW + TOO_MANY), missed: 0.0 }
    }

    /// Standard deviations from which a point has changed.
    #[must_use]
    pub(crate) const fn sigma(&self) -> f32 {
        self.sigma
    }

    /// Learns from a picture that was understood.
    pub(crate) fn adapt(&mut self, seen: Changes) {
        self.false_changes += RATE * (seen.wrong as f32 - self.false_changes);
        if seen.expected > 0 {
            self.missed += RATE * (seen.missed as f32 / seen.expected as f32 - self.missed);
        }
        if self.missed > MISSED {
            self.sigma /= STEP;
        } else if self.false_changes > TOO_MANY {
            self.sigma *= STEP;
        } else if self.false_changes < FEW {
            self.sigma /= STEP.sqrt().sqrt();
        }
        self.sigma = self.sigma.clamp(self.bounds.least, self.bounds.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { least: 2.5, most: 8.0 };

    /// Pictures whose false changes fall off with the threshold, as noise does; where it ends.
    fn settled(start: f32, noise: f32) -> f32 {
        let mut threshold = ChangeThreshold::new(start, BOUNDS);
        for _ in 0..400 {
            let wrong = (64.0 * (-threshold.sigma() / noise).exp()) as usize;
            threshold.adapt(Changes { expected: 2, missed: usize::from(threshold.sigma() > 7.0), wrong });
        }
        threshold.sigma()
    }

    #[test]
    fn it_ends_where_the_noise_asks_for_wherever_it_began() {
        for noise in [0.8, 1.2, 1.6] {
            let (low, high) = (settled(2.5, noise), settled(8.0, noise));
            assert!((low - high).abs() < 0.6, "{noise}: {low} {high}");
        }
        assert!(settled(4.0, 1.6) > settled(4.0, 0.8) + 0.5);
    }

    #[test]
    fn it_stays_within_its_bounds_whatever_comes() {
        let mut threshold = ChangeThreshold::new(99.0, BOUNDS);
        assert_eq!(threshold.sigma(), 8.0);
        for wrong in [64, 0] {
            for _ in 0..1000 {
                threshold.adapt(Changes { expected: 0, missed: 0, wrong });
                assert!((2.5..=8.0).contains(&threshold.sigma()));
            }
        }
        assert_eq!(threshold.sigma(), 2.5);
    }

    #[test]
    fn changes_that_do_not_show_make_it_more_sensitive() {
        let mut threshold = ChangeThreshold::new(6.0, BOUNDS);
        for _ in 0..10 {
            threshold.adapt(Changes { expected: 2, missed: 2, wrong: 1 });
        }
        assert!(threshold.sigma() < 6.0);
    }
}
