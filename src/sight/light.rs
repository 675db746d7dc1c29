//! The light of one picture against that of the last one learnt from: a gain for each channel, shadows that lie over
//! several squares, and the noise.

use super::{
    colour::{Colour, Samples, colour_from_rgb},
    coverage::{POINTS, points_on},
};

/// Levels below which a point of the reference says nothing about the light.
const DARK: f32 = 12.0;
/// No change of light is greater, up or down: a lens cap is no light.
const MOST_GAIN: f32 = 50.0;
/// The points of a square in one light agree in the logarithm of their ratio to the reference within this much (median
/// absolute deviation): noise and the grain of wood. A man, a hand or a shadow's edge gives several times as much.
const AGREE: f32 = 0.05;
/// Squares side by side lie in one shadow when their ratios agree within this much. They are a light and a dark one, so
/// what hides both (a sleeve, a tall man) shows ratios as different as the squares are.
const SAME_SHADOW: f32 = 0.1;
/// A change of light by less is the noise's affair.
const LEAST_CHANGE: f32 = 0.03;
/// Least points of a square that must show their ratio.
const LEAST_POINTS: usize = 24;

/// No camera whose pictures can be read has more noise than this, in levels, after the mean over a point's pixels: that of a
/// sensor with 50 levels a pixel is 20.
const MOST_NOISE: f32 = 40.0;

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
    /// The same for each square besides: a shadow, or light from elsewhere, that lies over several of them. 1 where there
    /// is none, or where it cannot be told.
    pub local: [f32; 64],
    /// Standard deviation of unchanged points, as luminance and colour differences.
    pub noise: Colour,
}

impl Default for Light {
    fn default() -> Self {
        Self { gain: [1.0; 3], local: [1.0; 64], noise: [2.0; 3] }
    }
}

impl Light {
    /// Compares a picture with the reference, robustly: most of the board shows what it showed before.
    #[must_use]
    pub fn compare(
        samples: &Samples,
        reference_rgb: &[[f32; 3]],
        reference: &[Colour],
        scratch: &mut Vec<f32>,
    ) -> Self {
        let mut light = Self::default();
        let pairs = || samples.0.iter().zip(reference_rgb);
        // ln of the green light's ratio that most points share; the points that share it tell the other channels.
        let most = most_frequent(pairs().map(|(now, then)| (now[1], then[1])), scratch);
        let shares =
            |now: &[f32; 3], then: &[f32; 3]| most.is_none_or(|most| ((now[1] / then[1]).ln() - most).abs() < WINDOW);
        for (k, gain) in light.gain.iter_mut().enumerate() {
            let of_those = pairs().filter(|(now, then)| shares(now, then)).map(|(now, then)| (now[k], then[k]));
            let ratio = median_ratio(of_those, scratch);
            if scratch.len() >= POINTS / 8 {
                *gain = ratio;
            }
        }
        light.local = local(samples, &light, reference, scratch);
        let mut deviation = Colour::default();
        for (k, deviation) in deviation.iter_mut().enumerate() {
            scratch.clear();
            let seen = (0..POINTS).filter(|i| shares(&samples.0[*i], &reference_rgb[*i]));
            let steps = seen.map(|i| (light.colour(i, &samples.0[i])[k] - reference[i][k]).abs());
            scratch.extend(steps.filter(|d| d.is_finite()));
            // From the median absolute deviation.
            *deviation = (1.4826 * median(scratch)).min(MOST_NOISE);
        }
        light.noise = deviation;
        light
    }

    /// A point's red, green and blue as they would be under the reference's light.
    #[must_use]
    pub fn rgb(&self, index: usize, rgb: &[f32; 3]) -> [f32; 3] {
        let local = self.local[index / (POINTS / 64)];
        std::array::from_fn(|k| rgb[k] / (self.gain[k] * local))
    }

    /// A point's colour under the reference's light.
    #[must_use]
    pub fn colour(&self, index: usize, rgb: &[f32; 3]) -> Colour {
        colour_from_rgb(self.rgb(index, rgb))
    }
}

/// ln of the ratio (now to then) around which most pairs lie, where it is not that of most of the board: something covers
/// a good part of it, and the middle of all ratios would be a mixture.
fn most_frequent(pairs: impl Iterator<Item = (f32, f32)>, ratios: &mut Vec<f32>) -> Option<f32> {
    ratios_of(pairs, ratios);
    let mut bins = [0_u32; BINS];
    for ratio in ratios.iter() {
        let bin = (ratio.ln() / WINDOW + 0.5 * BINS as f32).floor();
        if (0.0..BINS as f32).contains(&bin) {
            bins[bin as usize] += 1;
        }
    }
    // Two bins side by side, so that their border does not matter.
    let (share, border) = (1..BINS).map(|k| (bins[k - 1] + bins[k], k)).max()?;
    (f64::from(share) < MOST_OF_THE_BOARD * ratios.len() as f64).then_some((border as f32 - 0.5 * BINS as f32) * WINDOW)
}

/// The light over each square against that over the whole board.
fn local(samples: &Samples, light: &Light, reference: &[Colour], scratch: &mut Vec<f32>) -> [f32; 64] {
    // ln of the ratio where all points of a square agree.
    let mut uniform = [None; 64];
    for (square, uniform) in shakmaty::Square::ALL.into_iter().zip(&mut uniform) {
        scratch.clear();
        let ratios = points_on(square).filter(|i| reference[*i][0] > DARK).map(|i| {
            let now = colour_from_rgb(std::array::from_fn(|k| samples.0[i][k] / light.gain[k]));
            (now[0] / reference[i][0]).max(1e-3).ln()
        });
        scratch.extend(ratios.filter(|r| r.is_finite()));
        if scratch.len() < LEAST_POINTS {
            continue;
        }
        let middle = median(scratch);
        scratch.iter_mut().for_each(|r| *r = (*r - middle).abs());
        *uniform = (median(scratch) < AGREE).then_some(middle);
    }
    let beside = |square: usize, [x, y]: [i32; 2]| {
        let (file, rank) = (square as i32 % 8 + x, square as i32 / 8 + y);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
    };
    let shadow: [Option<f32>; 64] = std::array::from_fn(|square| {
        let here = uniform[square]?;
        let alike = [[1, 0], [-1, 0], [0, 1], [0, -1]]
            .into_iter()
            .filter_map(|step| uniform[beside(square, step)?])
            .filter(|other| (other - here).abs() < SAME_SHADOW)
            .count();
        (alike >= 2).then_some(here)
    });
    std::array::from_fn(|square| {
        let ln = shadow[square].or_else(|| {
            // A square that has changed lies in the light of most around it.
            scratch.clear();
            scratch.extend((0..9).filter_map(|k| shadow[beside(square, [k % 3 - 1, k / 3 - 1])?]));
            (scratch.len() >= 4).then(|| median(scratch))
        });
        ln.filter(|ln| ln.abs() > LEAST_CHANGE).map_or(1.0, f32::exp)
    })
}

/// The median ratio of pairs (now, then), robust as long as most of the board is as before; 1 where none tells. `ratios`
/// is a buffer and holds those that told.
pub(super) fn median_ratio(pairs: impl Iterator<Item = (f32, f32)>, ratios: &mut Vec<f32>) -> f32 {
    ratios_of(pairs, ratios);
    median(ratios).clamp(1.0 / MOST_GAIN, MOST_GAIN)
}

/// The ratios of those pairs (now, then) that tell.
fn ratios_of(pairs: impl Iterator<Item = (f32, f32)>, ratios: &mut Vec<f32>) {
    ratios.clear();
    ratios.extend(pairs.filter(|(now, then)| now.is_finite() && *then > DARK).map(|(now, then)| now / then));
}

/// The middle value; 1 where there is none.
pub fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return 1.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::square_of;
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

    fn compared(samples: &Samples) -> Light {
        let reference = board(|_| 1.0);
        let colours: Vec<Colour> = reference.0.iter().map(|rgb| colour_from_rgb(*rgb)).collect();
        Light::compare(samples, &reference.0, &colours, &mut Vec::new())
    }

    #[test]
    fn a_shadow_over_several_squares_is_light() {
        let shadow = |s: Square| usize::from(s.file()) >= 5;
        let light = compared(&board(|s| if shadow(s) { 0.5 } else { 0.9 }));
        for square in Square::ALL {
            let expected = if shadow(square) { 0.5 / 0.9 } else { 1.0 };
            assert!((light.local[usize::from(square)] - expected).abs() < 0.02, "{square}");
        }
        assert!((light.gain[0] - 0.9).abs() < 0.01 && light.noise[0] < 1.0, "{light:?}");
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
        let light = compared(&samples);
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
        assert_eq!(compared(&samples).local, [1.0; 64]);
    }

    #[test]
    fn a_single_dark_square_is_a_man_and_not_a_shadow() {
        let light = compared(&board(|s| if s == Square::D4 { 0.4 } else { 1.0 }));
        assert_eq!(light.local[usize::from(Square::D4)], 1.0);
    }
}
