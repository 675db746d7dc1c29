//! How likely is a colour where another one is expected?

/// Lightness, and two differences of colours (red to blue, green to both), in levels: light changes the first more than
/// the others.
pub(super) type Tone = [f32; 3];

/// A colour as a tone.
#[must_use]
pub(crate) fn tone([r, g, b]: [f32; 3]) -> Tone {
    [(r + g + b) / 3.0, 0.5 * (r - b), 0.5 * g - 0.25 * (r + b)]
}

/// Red, green and blue of a tone.
#[must_use]
pub fn levels([l, c1, c2]: Tone) -> [f32; 3] {
    // The inverse of `tone`: r + g + b = 3 l, r - b = 2 c1, g/2 - (r + b)/4 = c2.
    let green = l + 4.0 / 3.0 * c2;
    let both = 3.0 * l - green;
    [0.5 * both + c1, green, 0.5 * both - c1]
}

/// Degrees of freedom of Student's distribution: outliers are usual (shadows, grain, edges), but no one is worth as much
/// as three ordinary points.
const FREEDOM: f32 = 4.0;
/// ln of the distribution's factor in three dimensions: Γ(7/2) / (Γ(2) (4π)^(3/2)).
const FACTOR_LN: f32 = -2.595;
/// ln of the density of anything at all: even over 256 levels of lightness and what colours there are.
pub(super) const ANYTHING_LN: f32 = -14.4;
/// ln of that where one point in twenty may show anything.
const STRAY_LN: f32 = ANYTHING_LN - 3.0;

/// Colours up to so many spreads apart are the same in another light.
const SAME_COLOUR: f32 = 3.0;
/// Spread of a difference of colours from which on it tells nothing, in levels.
const WIDE: f32 = 6.0;

/// What colour is expected, and how widely it spreads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The middle.
    pub mean: Tone,
    /// One over the spread.
    inverse: Tone,
    /// ln of the density in the middle.
    peak_ln: f32,
}

impl Expected {
    /// From the mean and the standard deviations.
    #[must_use]
    pub fn new(mean: Tone, spread: Tone) -> Self {
        let inverse = spread.map(|s| 1.0 / s);
        Self { mean, inverse, peak_ln: FACTOR_LN - spread.iter().map(|s| s.ln()).sum::<f32>() }
    }

    /// The same around another mean.
    #[must_use]
    pub(crate) const fn around(self, mean: Tone) -> Self {
        Self { mean, ..self }
    }

    /// Does a tone differ by the light alone, of which it has so much? Where colours spread widely nothing tells.
    #[must_use]
    pub(super) fn has_colour_of(&self, tone: Tone, gain: f32) -> bool {
        let is_same = |k: usize| ((tone[k] - gain * self.mean[k]) * self.inverse[k]).abs() < SAME_COLOUR;
        self.inverse[1] > 1.0 / WIDE && is_same(1) && is_same(2)
    }

    /// The same where no channel is brighter than this: cameras' channels end at 255, and what is lit too brightly changes its
    /// colour.
    #[must_use]
    pub(crate) fn below(self, ceiling: f32) -> Self {
        let rgb = levels(self.mean);
        if rgb.iter().all(|v| *v <= ceiling) { self } else { self.around(tone(rgb.map(|v| v.min(ceiling)))) }
    }

    /// ln p(tone).
    #[must_use]
    pub(crate) fn ln(&self, tone: Tone) -> f32 {
        let far: f32 = (0..3).map(|k| ((tone[k] - self.mean[k]) * self.inverse[k]).powi(2)).sum();
        (self.peak_ln - 0.5 * (FREEDOM + 3.0) * (1.0 + far / FREEDOM).ln()).max(STRAY_LN)
    }
}

/// ln(e^a + e^b).
#[must_use]
pub(crate) fn either(a: f32, b: f32) -> f32 {
    let (more, less) = if a > b { (a, b) } else { (b, a) };
    if less == f32::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
}

/// The median of some numbers, which are put in another order; not a number where there is none.
#[must_use]
pub fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return f32::NAN;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_inverse_of_tones() {
        let rgb = [210.0, 160.0, 95.0];
        let back = levels(tone(rgb));
        assert!(rgb.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-3), "{back:?}");
    }

    #[test]
    fn densities_are_highest_in_the_middle_and_never_below_a_stray() {
        let expected = Expected::new([100.0, 20.0, 0.0], [5.0, 3.0, 3.0]);
        let [middle, beside, far] = [100.0, 110.0, 250.0].map(|l| expected.ln([l, 20.0, 0.0]));
        assert!(middle > beside && beside > far);
        assert_eq!(far, STRAY_LN);
    }

    #[test]
    fn either_is_the_logarithm_of_a_sum() {
        assert!((either(0.0, 0.0) - 2f32.ln()).abs() < 1e-6);
        assert_eq!(either(-3.0, f32::NEG_INFINITY), -3.0);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert!(median(&mut []).is_nan());
    }
}
