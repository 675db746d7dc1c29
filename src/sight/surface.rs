//! Is this the same surface: by itself, in noise and a shake, a little off, or in a shadow?

use super::{
    colour::{Colour, relit},
    coverage::POINTS_PER_SIDE,
    levels::median,
};

/// Least standard deviation of a settled point's colour: quantisation, JPEG and lamps' flicker.
pub(super) const LEAST_NOISE: Colour = [2.0, 2.0, 2.0];
/// How much of the step between neighbouring points a shake of the camera may mix in.
const SHAKE: f32 = 0.15;
/// Levels within which two colours of a point are the same surface in much the same light.
const SAME_SURFACE: f32 = 14.0;
/// Points of a square that must have been seen bare before the others are expected to look like them.
pub(super) const LEAST_SURFACE: usize = 8;
/// Least standard deviation of a square's own surface: grain.
const LEAST_SPREAD: Colour = [5.0, 3.0, 3.0];
/// Colour differences that a surface may gain in a shadow, as a part of its luminance: there the light is the sky's.
const SAME_HUE: f32 = 0.05;
/// Luminance from which on a surface is brighter than a picture can show: its hue is known only when a shadow lies on it.
const CLIPPED: f32 = 248.0;
/// How far off the hue of such a surface may be, as a part of the luminance that a shadow leaves: as that of pale wood is
/// from white.
const CLIPPED_HUE: f32 = 0.1;
/// How far the light in a shadow differs from one square to the next, in luminance and colour differences, as a part of the
/// luminance: pale and dark wood under several lamps, and a camera's tone curve, measured in simulated films.
const CAST_SPREAD: Colour = [0.06, 0.03, 0.03];
/// Squared deviations from which a density is 0: there it is less than a millionth of [`OUTLIER_SHARE`](super::density::OUTLIER_SHARE)'s.
const FARTHEST: f32 = 60.0;

/// The bare board of one square, as far as it was seen: around the man who stands there, and behind him.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surface {
    pub middle: Colour,
    pub spread: Colour,
}

impl Surface {
    pub fn of<'a>(seen: impl Iterator<Item = &'a Colour> + Clone) -> Option<Self> {
        let mut values = [0.0; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let mut surface = Self { middle: [0.0; 3], spread: LEAST_SPREAD };
        for k in 0..3 {
            let count = values.iter_mut().zip(seen.clone()).map(|(value, colour)| *value = colour[k]).count();
            let values = &mut values[..count];
            if count < LEAST_SURFACE {
                return None;
            }
            surface.middle[k] = median(values);
            values.iter_mut().for_each(|v| *v = (*v - surface.middle[k]).abs());
            surface.spread[k] = surface.spread[k].max(1.4826 * median(values));
        }
        Some(surface)
    }
}

/// Standard deviation of a point's colour while it shows the same, where the step to the points beside is `slope`.
pub(super) fn sigma_of(noise: Colour, slope: Colour) -> Colour {
    std::array::from_fn(|k| {
        let n = noise[k].max(LEAST_NOISE[k]);
        let s = SHAKE * slope[k];
        (n * n + s * s).sqrt()
    })
}

/// Is the colour so many standard deviations of the noise from what was `seen`, and more than shaking makes of it?
pub(super) fn is_far(colour: &Colour, seen: &Colour, noise: Colour, sigmas: f32, slope: Colour) -> bool {
    (0..3).any(|k| (colour[k] - seen[k]).abs() > sigmas * noise[k].max(LEAST_NOISE[k]) + SHAKE * slope[k])
}

/// Are these the same surface in much the same light?
pub(super) fn is_same_surface(a: &Colour, b: &Colour) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < SAME_SURFACE)
}

/// Largest step, channel by channel, from a point's colour to those of other points; what was not seen has no steps.
pub(super) fn largest_step(colours: &[Colour], index: usize, others: impl Iterator<Item = usize>) -> Colour {
    let mut slope = [0.0f32; 3];
    for other in others {
        for (k, slope) in slope.iter_mut().enumerate() {
            *slope = slope.max((colours[other][k] - colours[index][k]).abs());
        }
    }
    slope
}

/// Density of a colour where a background is known as surely as `trust`: the same, a little off, or in a shadow; or else
/// something else, of which its density is `otherwise`.
pub(super) fn like_background(colour: &Colour, background: &Colour, trust: f32, sigma: Colour, otherwise: f32) -> f32 {
    trust * (0.6 * gauss(colour, background, sigma, 1.5) + 0.2 * shaded(colour, background, sigma))
        + (1.0 - 0.8 * trust) * otherwise
}

/// Is this what was `seen`, in a shadow: luminance down to a third, the colour differences in proportion?
pub(super) fn in_a_shadow(colour: &Colour, seen: &Colour) -> bool {
    let f = colour[0] / seen[0].max(1.0);
    let same_hue = if seen[0] >= CLIPPED { SAME_HUE + CLIPPED_HUE } else { SAME_HUE };
    (0.33..=1.1).contains(&f)
        && (1..3).all(|k| (colour[k] - f * seen[k]).abs() < same_hue * colour[0].max(seen[0]) + LEAST_NOISE[k])
}

/// Density of a colour where one of this mean and these deviations, so many times as wide, is expected.
pub(super) fn gauss(colour: &Colour, mean: &Colour, sigma: Colour, widen: f32) -> f32 {
    let mut exponent = 0.0;
    let mut scale = 1.0;
    for k in 0..3 {
        let s = sigma[k] * widen;
        let d = (colour[k] - mean[k]) / s;
        exponent += d * d;
        scale *= s;
    }
    // (2π)^-3/2
    0.063_493_6 * bell(exponent) / scale
}

/// Density of the colour of a surface that was `seen`, in a shadow that leaves so much of each channel's light.
pub(super) fn in_this_shadow(colour: &Colour, seen: &Colour, gain: [f32; 3], sigma: Colour) -> f32 {
    let there = relit(seen, gain);
    let spread = |k: usize| CAST_SPREAD[k] * there[0];
    gauss(colour, &there, std::array::from_fn(|k| sigma[k].hypot(spread(k))), 1.0)
}

/// The same surface in a shadow or a little more light: luminance anywhere from a third to a tenth above, the colour
/// differences in proportion.
pub(super) fn shaded(colour: &Colour, mean: &Colour, sigma: Colour) -> f32 {
    let f = colour[0] / mean[0].max(1.0);
    if !(0.33..=1.1).contains(&f) {
        return 0.0;
    }
    let mut exponent = 0.0;
    let mut scale = 0.77 * mean[0].max(8.0);
    let clipped = mean[0] >= CLIPPED;
    for k in 1..3 {
        let s = sigma[k] * 1.5;
        let s = if clipped { s.hypot(CLIPPED_HUE * colour[0]) } else { s };
        let d = (colour[k] - f * mean[k]) / s;
        exponent += d * d;
        scale *= s;
    }
    // 1 / 2π
    0.159_155 * bell(exponent) / scale
}

/// exp(-x/2); nothing where it does not count.
fn bell(x: f32) -> f32 {
    if x < FARTHEST { (-0.5 * x).exp() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hue_that_a_shadow_shows_of_a_clipped_surface_was_not_known() {
        let shadow = [150.0, 3.0, 18.0];
        let [clipped, pale] = [255.0, 240.0].map(|luminance| [luminance, 0.0, 0.0]);
        assert!(in_a_shadow(&shadow, &clipped) && !in_a_shadow(&shadow, &pale));
        assert!(shaded(&shadow, &clipped, [2.0; 3]) > 1000.0 * shaded(&shadow, &pale, [2.0; 3]));
        // A blue or a red thing is none.
        assert!([[150.0, 3.0, -60.0], [150.0, 60.0, 18.0]].iter().all(|thing| !in_a_shadow(thing, &clipped)));
    }
}
