//! The light of one picture against that of the last one learnt from: a gain for each channel, other light over a part of the
//! board, and the noise.

use shakmaty::Bitboard;

use super::{
    colour::{Colour, Samples, colour_from_rgb},
    coverage::{POINTS, square_of},
    levels::{DARK, median},
    shade::Shade,
};

/// No change of light is greater, up or down: a lens cap is no light.
const MOST_GAIN: f32 = 50.0;
/// No camera whose pictures can be read has more noise than this, in levels, after the mean over a point's pixels: that of a
/// sensor with 50 levels a pixel is 20.
const MOST_NOISE: f32 = 40.0;

/// Level from which on a channel may be brighter than it says: pixels end at 255, and a point is the mean of some with noise.
pub(super) const CLIPPED: f32 = 250.0;
/// Level at which pixels end.
const FULL: f32 = 255.0;
/// Half the width in which ratios (their logarithms) count as the same light.
const WINDOW: f32 = 0.06;
/// Ratios are counted in so many steps of this width: up to a factor of seven.
const BINS: usize = 64;
/// Where a smaller share of the points lies in one light, only those that do tell what it is. A board without an arm over
/// it has 80 to 95 %.
const MOST_OF_THE_BOARD: f64 = 0.7;

/// A picture's light against the reference's, and its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// What each channel (red, green, blue) of the reference must be multiplied with to look like this picture.
    pub gain: [f32; 3],
    /// Squares in a shadow, or in light from elsewhere, that lies over several of them.
    pub shaded: Bitboard,
    /// Standard deviation of unchanged points, as luminance and colour differences.
    pub noise: Colour,
}

impl Default for Light {
    fn default() -> Self {
        Self { gain: [1.0; 3], shaded: Bitboard::EMPTY, noise: [2.0; 3] }
    }
}

/// Share of the points of one light from which on they are those of squares of one colour alone: under one light without a tone curve
/// it is a half, and nearly all where a curve has parted them. Set by hand.
const ALONE: f64 = 0.8;

impl Light {
    /// Compares a picture with the reference, robustly: most of the board shows what it showed before. `shade` becomes what
    /// each point is multiplied with in this picture, and `colours` what the points look like without that.
    #[must_use]
    pub(super) fn compare(
        samples: &Samples,
        reference_rgb: &[[f32; 3]],
        reference: &[Colour],
        shade: &mut Shade,
        colours: &mut Vec<Colour>,
        scratch: &mut Vec<f32>,
    ) -> Self {
        let mut light = Self::default();
        let pairs = || samples.0.iter().zip(reference_rgb);
        // The points that share the green light's most frequent ratio tell the other channels.
        let most = most_frequent(pairs().map(|(now, then)| (now[1], then[1])));
        let shares = |now: &[f32; 3], then: &[f32; 3]| {
            most.is_none_or(|(ratio, window)| ((now[1] / then[1]).ln() - ratio).abs() <= window)
        };
        for (k, gain) in light.gain.iter_mut().enumerate() {
            let of_those = pairs().filter(|(now, then)| shares(now, then)).map(|(now, then)| (now[k], then[k]));
            let ratio = median_ratio(of_those, scratch);
            if scratch.len() >= POINTS / 8 {
                *gain = ratio;
            }
        }
        light.shaded = shade.see(samples, light.gain, reference_rgb, scratch);
        for factor in &mut shade.factors {
            *factor = std::array::from_fn(|k| factor[k] * light.gain[k]);
        }
        colours.clear();
        colours.extend(pairs().zip(&shade.factors).map(|((now, then), factor)| colour_without(factor, now, then)));
        let mut deviation = Colour::default();
        for (k, deviation) in deviation.iter_mut().enumerate() {
            scratch.clear();
            let seen = pairs().zip(colours.iter().zip(reference)).filter(|((now, then), _)| shares(now, then));
            let steps = seen.map(|(_, (colour, before))| (colour[k] - before[k]).abs());
            scratch.extend(steps.filter(|d| d.is_finite()));
            // From the median absolute deviation.
            *deviation = (1.4826 * median(scratch)).min(MOST_NOISE);
        }
        light.noise = deviation;
        light
    }
}

/// A point's red, green and blue without the light's factors, where `reference` was seen there before. A channel that is brighter than
/// a picture can show, now or then, is as it was if it may be: otherwise pale wood in the sun turns blue with each change of light.
pub(super) fn rgb_without(factors: &[f32; 3], rgb: &[f32; 3], reference: &[f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| {
        let (now, then, without) = (rgb[k], reference[k], rgb[k] / factors[k]);
        let as_before = if without < then { now >= CLIPPED } else { then >= CLIPPED };
        if as_before { then } else { without }
    })
}

/// A point's colour without the light's factors, as [`rgb_without`].
pub(super) fn colour_without(factors: &[f32; 3], rgb: &[f32; 3], reference: &[f32; 3]) -> Colour {
    colour_from_rgb(rgb_without(factors, rgb, reference))
}

/// ln of the ratio (now to then) around which most points lie, and how far from it they count as the same light, where that is not the
/// ratio of most of the board: something covers a good part of it, and the middle of all ratios would be a mixture. So it would be
/// where a tone curve takes more from dark squares than from light ones, and noise fills what lies between the two.
///
/// Noise spreads the ratios of one light: they count as far as they are at least half as frequent, and as far again. (Two steps that
/// lie side by side share half of their pairs, so the first of them tells nothing.)
fn most_frequent(pairs: impl Iterator<Item = (f32, f32)>) -> Option<(f32, f32)> {
    let [mut dark, mut light] = [[0_u32; BINS]; 2];
    let mut told = 0_u32;
    for (index, ratio) in pairs.enumerate().filter_map(|(index, pair)| Some((index, ratio_of(pair)?))) {
        told += 1;
        let bin = (ratio.ln() / WINDOW + 0.5 * BINS as f32).floor();
        if (0.0..BINS as f32).contains(&bin) {
            let bins = if square_of(index).is_light() { &mut light } else { &mut dark };
            bins[bin as usize] += 1;
        }
    }
    let both: [u32; BINS] = std::array::from_fn(|k| dark[k] + light[k]);
    // Two bins side by side, so that their border does not matter.
    let around = |bins: &[u32; BINS], border: usize| bins[border - 1] + bins[border];
    let (most, border) = (1..BINS).map(|border| (around(&both, border), border)).max()?;
    if f64::from(most) >= MOST_OF_THE_BOARD * f64::from(told) {
        return None;
    }
    // Where nearly all of them are squares of one colour, the others lie elsewhere.
    let alone = |bins: &&[u32; BINS]| f64::from(around(bins, border)) > ALONE * f64::from(most);
    let bins = [&light, &dark].into_iter().find(alone).unwrap_or(&both);
    let share = around(bins, border);
    let half = |k: &usize| 2 * around(bins, *k) >= share;
    let beside = (border + 1..BINS).take_while(half).count().max((1..border).rev().take_while(half).count());
    Some(((border as f32 - 0.5 * BINS as f32) * WINDOW, WINDOW * (2 * beside).saturating_sub(1).max(1) as f32))
}

/// The median ratio of pairs (now, then), robust as long as most of the board is as before; 1 where none tells. `ratios`
/// is a buffer and holds those that told.
pub(super) fn median_ratio(pairs: impl Iterator<Item = (f32, f32)>, ratios: &mut Vec<f32>) -> f32 {
    ratios.clear();
    ratios.extend(pairs.filter_map(ratio_of));
    median(ratios).clamp(1.0 / MOST_GAIN, MOST_GAIN)
}

/// The ratio of a pair (now, then), where it tells.
fn ratio_of((now, then): (f32, f32)) -> Option<f32> {
    (now.is_finite() && then > DARK).then(|| now / then)
}

/// The colour of a point without the light's factors, if its channels that are brighter than the picture can show are as bright as the
/// reference could have shown; `None` where that is what is seen.
pub(super) fn brightest(factors: &[f32; 3], rgb: &[f32; 3]) -> Option<Colour> {
    let is_less = |k: usize| rgb[k] >= CLIPPED && rgb[k] / factors[k] < CLIPPED;
    (0..3)
        .any(is_less)
        .then(|| colour_from_rgb(std::array::from_fn(|k| if is_less(k) { FULL } else { rgb[k] / factors[k] })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::point;
    use shakmaty::Square;

    /// A chequered board with some grain, under light that `shade` gives each square.
    fn board(shade: impl Fn(Square) -> f32) -> Samples {
        let point = |index: usize| {
            let square = square_of(index);
            let level = if square.is_light() { 180.0 } else { 90.0 } + (index * 7 % 5) as f32;
            [level, 0.8 * level, 0.5 * level].map(|v| v * shade(square))
        };
        Samples((0..POINTS).map(point).collect())
    }

    /// The light, and the factors of green against the whole board's.
    fn compared(samples: &Samples) -> (Light, Vec<f32>) {
        let reference = board(|_| 1.0);
        let colours: Vec<Colour> = reference.0.iter().map(|rgb| colour_from_rgb(*rgb)).collect();
        let mut shade = Shade::default();
        let light = Light::compare(samples, &reference.0, &colours, &mut shade, &mut Vec::new(), &mut Vec::new());
        let green = shade.factors.iter().map(|factor| factor[1] / light.gain[1]).collect();
        (light, green)
    }

    #[test]
    fn a_shadow_over_several_squares_is_light() {
        let shadow = |s: Square| usize::from(s.file()) >= 5;
        let (light, factors) = compared(&board(|s| if shadow(s) { 0.5 } else { 0.9 }));
        for (index, factor) in factors.iter().enumerate() {
            let expected = if shadow(square_of(index)) { 0.5 / 0.9 } else { 1.0 };
            assert!((factor - expected).abs() < 0.02, "{}", square_of(index));
        }
        assert!((light.gain[0] - 0.9).abs() < 0.01 && light.noise[0] < 1.0, "{light:?}");
    }

    #[test]
    fn a_shadow_under_a_tone_curve_is_light_also_where_it_ends_in_the_middle_of_squares() {
        let shadow = |index: usize| point(index).x > 4.5;
        // What is left on light squares and on dark ones: in recordings, and under a steep curve in a deeper shadow.
        for [on_light, on_dark] in [[0.48, 0.38], [0.36, 0.22]] {
            let mut samples = board(|_| 1.0);
            let in_shadow = |square: Square| if square.is_light() { on_light } else { on_dark };
            for (index, rgb) in samples.0.iter_mut().enumerate().filter(|(index, _)| shadow(*index)) {
                *rgb = rgb.map(|v| v * in_shadow(square_of(index)));
            }
            let (light, factors) = compared(&samples);
            assert!(light.noise[0] < 1.0, "{light:?}");
            for (index, factor) in factors.iter().enumerate() {
                let expected = if shadow(index) { in_shadow(square_of(index)) } else { 1.0 };
                assert!((factor - expected).abs() < 0.03, "{} {factor} {expected}", square_of(index));
            }
        }
    }

    #[test]
    fn a_tone_curve_takes_more_from_dark_squares_also_when_all_the_board_darkens() {
        // As in a film over whose board a deep shadow creeps.
        let shadow = |square: Square| square.file() < shakmaty::File::G;
        let left = |square: Square| match (shadow(square), square.is_light()) {
            (true, true) => 0.75,
            (true, false) => 0.58,
            (false, true) => 1.25,
            (false, false) => 1.35,
        };
        let (light, factors) = compared(&board(left));
        assert!((light.gain[1] - 0.75).abs() < 0.01 && light.noise[0] < 1.0, "{light:?}");
        for (index, factor) in factors.iter().enumerate() {
            let expected = left(square_of(index)) / light.gain[1];
            assert!((factor / expected - 1.0).abs() < 0.02, "{} {factor} {expected}", square_of(index));
        }
    }

    #[test]
    fn what_light_leaves_of_light_squares_is_not_mixed_with_what_it_leaves_of_dark_ones() {
        // ln of the ratios: both are spread, by noise and by the lamp's place, so that they touch.
        let pair = |index: usize| {
            let part = (index * 37 % 64) as f32 / 64.0;
            let ln = if square_of(index).is_light() { -0.38 + 0.18 * part } else { -0.68 + 0.3 * part };
            (100.0 * ln.exp(), 100.0)
        };
        let (ratio, window) = most_frequent((0..POINTS).map(pair)).unwrap();
        assert!((ratio + 0.29).abs() < 0.07 && window < 0.25, "{ratio} ± {window}");
    }

    #[test]
    fn a_changed_square_is_only_supposed_to_lie_in_the_shadow_around_it() {
        // A man stood on g5 in a shadow over the files e to h, and hid what the lamp still lights there.
        let mut samples = board(|s| if s.file() >= shakmaty::File::E { 0.5 } else { 1.0 });
        for (index, rgb) in samples.0.iter_mut().enumerate().filter(|(index, _)| square_of(*index) == Square::G5) {
            *rgb = if index % 2 == 0 { [30.0, 25.0, 20.0] } else { [180.0, 144.0, 90.0] };
        }
        let reference = board(|_| 1.0);
        let colours: Vec<Colour> = reference.0.iter().map(|rgb| colour_from_rgb(*rgb)).collect();
        let mut shade = Shade::default();
        let light = Light::compare(&samples, &reference.0, &colours, &mut shade, &mut Vec::new(), &mut Vec::new());
        assert!(light.shaded.contains(Square::G5) && light.shaded.contains(Square::G6));
        assert_eq!(shade.supposed, Bitboard::from(Square::G5));
    }

    #[test]
    fn an_arm_over_half_of_the_board_is_no_light() {
        // A blue sleeve over the files a to e hides men and squares; the rest lies in a tenth less light.
        let mut samples = board(|_| 0.9);
        for (index, rgb) in samples.0.iter_mut().enumerate() {
            if square_of(index).file() <= shakmaty::File::E {
                *rgb = [40.0, 60.0 + (index % 7) as f32, 140.0];
            }
        }
        let (light, _) = compared(&samples);
        assert!(light.gain.iter().all(|gain| (gain - 0.9).abs() < 0.01), "{light:?}");
        assert!(light.noise.iter().all(|noise| *noise < 2.0), "{light:?}");
    }

    #[test]
    fn what_hides_several_squares_is_not() {
        // A sleeve shows one colour over light and dark squares.
        let mut samples = board(|_| 1.0);
        for (index, rgb) in samples.0.iter_mut().enumerate() {
            if square_of(index).file() >= shakmaty::File::F {
                *rgb = [60.0, 60.0, 60.0];
            }
        }
        assert_eq!(compared(&samples).0.shaded, Bitboard::EMPTY);
    }

    #[test]
    fn a_single_dark_square_is_a_man_and_not_a_shadow() {
        let (light, _) = compared(&board(|s| if s == Square::D4 { 0.4 } else { 1.0 }));
        assert_eq!(light.shaded, Bitboard::EMPTY);
    }

    #[test]
    fn what_is_brighter_than_a_picture_shows_is_as_before_if_it_may_be() {
        let (brighter, sun) = ([1.1; 3], [255.0, 220.0, 150.0]);
        let without = |reference: [f32; 3]| rgb_without(&brighter, &sun, &reference)[0];
        // Pale wood that was nearly full before, and something darker that has become at least so bright.
        assert_eq!(without([254.0, 200.0, 136.0]), 254.0);
        assert!((without([100.0, 90.0, 80.0]) - 255.0 / 1.1).abs() < 1e-3);
        // Full then, and fuller now: it was brighter then as well.
        assert_eq!(rgb_without(&[0.9; 3], &[250.0, 180.0, 100.0], &[255.0, 200.0, 111.0])[0], 255.0);
        // Nothing else is touched.
        assert!((rgb_without(&brighter, &sun, &[254.0, 210.0, 136.0])[1] - 200.0).abs() < 1e-3);
        let full = brightest(&brighter, &sun).unwrap();
        assert!(full[0] > colour_without(&brighter, &sun, &[0.0; 3])[0] && full[1] > 50.0);
        assert_eq!(brightest(&brighter, &[240.0, 220.0, 150.0]), None);
        assert_eq!(brightest(&[1.0; 3], &sun), None);
    }
}
