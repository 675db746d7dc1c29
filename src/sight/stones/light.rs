//! How has the light changed since the last picture?
//!
//! Lamps are switched, exposures change, and hands cast shadows with edges. What shows the same in another light keeps its
//! colour but for the lamp's; so the lamp's colour is what most points agree on, and a point that is darker or brighter by
//! more or less the same in all channels has kept its content and says how much light there is. Hands, and stones that have
//! come or gone, do not take part.

use super::{
    colour::{Expected, Tone, levels, median, tone},
    place::{AROUND, Place, Window},
    shape::STRIDE,
};

/// A point may have so much of its light, and so much more, without having changed.
const GAINS: (f32, f32) = (0.38, 2.5);
/// Width of the bins in which the lamp's colour is looked for: logarithms of the ratios of channels.
const BIN: f32 = 0.04;
/// Bins on either side of no change: lamps of 2,700 and 6,500 kelvin are a factor of two apart.
const BINS: i32 = 24;
/// Fewer points tell nothing of the light.
const FEW: usize = 8;
/// The same of the lamp's colour.
const ENOUGH: usize = 50;
/// Darker channels tell no ratios, in levels.
const DARKEST: f32 = 20.0;
/// Change of lightness from a point to the next from which on it is an edge, as a logarithm: lines and rims of stones are more,
/// the grain of wood is less.
const EDGE: f32 = 0.15;
/// Part of the board's edges that is left in any light: half, for pictures may become less sharp.
const EDGE_LEFT: f32 = 0.5;
/// Light whose tenths are apart by less than this factor is even.
const EVEN: f32 = 1.12;
/// Points on either side from which a point in uneven light takes its own.
const BESIDE: usize = 2;
/// The same, where that is too few.
const FURTHER: usize = 12;

/// Tones in the light of the last picture. `samples` are colours as if the light on the board were even; `last` is what each
/// point showed.
#[must_use]
pub(crate) fn as_before(samples: &[[f32; 3]], last: &[Option<Expected>], place: &Place) -> Vec<Tone> {
    let lamp = lamp(samples, last).map(|gain| 1.0 / gain);
    let mut seen: Vec<Tone> = samples.iter().map(|rgb| tone([0, 1, 2].map(|c| rgb[c] * lamp[c]))).collect();
    let own: Vec<f32> = seen.iter().zip(last).map(|(tone, last)| gain(*tone, last.as_ref())).collect();
    let mut all: Vec<f32> = own.iter().copied().step_by(5).filter(|g| g.is_finite()).collect();
    let whole = if all.len() < FEW { 1.0 } else { median(&mut all) };
    let crossings: Vec<Around> = place.windows.iter().map(|window| Around::of(window, &own)).collect();
    let mut near = Vec::with_capacity((2 * FURTHER + 1).pow(2));
    for (index, tone) in seen.iter_mut().enumerate().filter(|(_, tone)| !tone[0].is_nan()) {
        let gain = match crossings[usize::from(place.owner[index])] {
            Around::Even(gain) => gain,
            Around::Uneven => {
                let beside = at(index, &own, BESIDE, &mut near);
                beside.or_else(|| at(index, &own, FURTHER, &mut near)).unwrap_or(whole)
            }
            Around::Unknown => at(index, &own, FURTHER, &mut near).unwrap_or(whole),
        };
        tone.iter_mut().for_each(|v| *v /= gain);
    }
    seen
}

/// What the light around a crossing is like.
#[derive(Debug, Clone, Copy)]
enum Around {
    /// The same everywhere: so much of what it was.
    Even(f32),
    /// The edge of a shadow.
    Uneven,
    /// Too little is to be seen of it.
    Unknown,
}

impl Around {
    fn of(window: &Window, own: &[f32]) -> Self {
        let mut gains: Vec<f32> =
            (0..AROUND).step_by(2).map(|k| own[window.point(k)]).filter(|gain| gain.is_finite()).collect();
        if gains.len() < FEW {
            return Self::Unknown;
        }
        let n = gains.len();
        let [low, high] = [n / 10, n - 1 - n / 10].map(|k| *gains.select_nth_unstable_by(k, f32::total_cmp).1);
        if high < EVEN * low { Self::Even(median(&mut gains)) } else { Self::Uneven }
    }
}

/// The light at a point: its own, within what is usual so far around it.
fn at(index: usize, own: &[f32], reach: usize, near: &mut Vec<f32>) -> Option<f32> {
    near.clear();
    let step = if reach > BESIDE { 2 } else { 1 };
    for row in (0..=2 * reach).step_by(step) {
        let from = (index + row * STRIDE).checked_sub(reach * STRIDE + reach);
        let Some(from) = from.filter(|from| from + 2 * reach < own.len()) else { continue };
        near.extend(own[from..=from + 2 * reach].iter().step_by(step).filter(|gain| gain.is_finite()));
    }
    if near.len() < FEW / 2 {
        return None;
    }
    let n = near.len();
    if !own[index].is_finite() {
        return Some(median(near));
    }
    let [low, high] = [n / 5, n - 1 - n / 5].map(|k| *near.select_nth_unstable_by(k, f32::total_cmp).1);
    Some(own[index].clamp(low, high))
}

/// How much of its light a point has that shows what it did; not a number where it shows something else.
fn gain(tone: Tone, last: Option<&Expected>) -> f32 {
    let Some(last) = last.filter(|last| last.mean[0] > 15.0) else { return f32::NAN };
    let gain = tone[0] / last.mean[0];
    let in_range = (GAINS.0..GAINS.1).contains(&gain);
    if in_range && last.has_colour_of(tone, gain) { gain } else { f32::NAN }
}

/// What a point says of the lamp.
#[derive(Debug, Clone, Copy)]
struct Hue {
    /// Logarithms of how red and how blue the light became there, against green.
    at: [f32; 2],
    /// How much is left of the edge towards the point beside it, where there was one.
    edge: Option<f32>,
}

/// What some points say of the lamp.
fn hues(samples: &[[f32; 3]], last: &[Option<Expected>]) -> Vec<Hue> {
    let known = |index: usize| {
        let (rgb, was) = (samples.get(index)?, levels(last.get(index)?.as_ref()?.mean));
        (!rgb[0].is_nan() && was.iter().chain(rgb).all(|v| *v >= DARKEST)).then_some((*rgb, was))
    };
    let lightness = |rgb: [f32; 3]| rgb.iter().sum::<f32>().ln();
    let of = |index: usize| {
        let (rgb, was) = known(index)?;
        let [r, g, b] = [0, 1, 2].map(|c| (rgb[c] / was[c]).ln());
        let edge = known(index + 1).and_then(|(beside, was_beside)| {
            let before = lightness(was_beside) - lightness(was);
            (before.abs() > EDGE).then(|| (lightness(beside) - lightness(rgb)) / before)
        });
        Some(Hue { at: [r - g, b - g], edge })
    };
    (0..samples.len()).step_by(5).filter_map(of).collect()
}

/// What the lamp's colour has become as most of these points have it.
fn usual(hues: &[Hue]) -> [f32; 2] {
    const SIDE: usize = 2 * BINS as usize + 1;
    let mut bins = vec![0u16; SIDE * SIDE];
    for hue in hues {
        let [i, j] = hue.at.map(|v| (v / BIN).round().clamp(-BINS as f32, BINS as f32) as i32 + BINS);
        bins[j as usize * SIDE + i as usize] += 1;
    }
    // A bin with those beside it.
    let sum = |k: usize| -> u32 {
        let (i, j) = (k % SIDE, k / SIDE);
        let rows = j.saturating_sub(1)..=(j + 1).min(SIDE - 1);
        rows.flat_map(|j| (i.saturating_sub(1)..=(i + 1).min(SIDE - 1)).map(move |i| j * SIDE + i))
            .map(|k| u32::from(bins[k]))
            .sum()
    };
    let fullest = (0..SIDE * SIDE).filter(|k| bins[*k] > 0).max_by_key(|k| sum(*k)).unwrap_or(SIDE * SIDE / 2);
    [fullest % SIDE, fullest / SIDE].map(|k| (k as i32 - BINS) as f32 * BIN)
}

/// Gain of each channel, but for what all have in common.
///
/// Most points agree on the lamp's colour, and so do those of a sleeve on theirs. But in another light the board keeps its
/// edges, and under a sleeve it has none.
fn lamp(samples: &[[f32; 3]], last: &[Option<Expected>]) -> [f32; 3] {
    let mut hues = hues(samples, last);
    while hues.len() >= ENOUGH {
        let middle = usual(&hues);
        let is_near = |hue: &Hue| (0..2).all(|c| (hue.at[c] - middle[c]).abs() < 2.0 * BIN);
        let near: Vec<Hue> = hues.iter().copied().filter(is_near).collect();
        let mut edges: Vec<f32> = near.iter().filter_map(|hue| hue.edge).collect();
        if edges.len() >= FEW && median(&mut edges) < EDGE_LEFT {
            hues.retain(|hue| !is_near(hue));
            continue;
        }
        let (mut x, mut y): (Vec<f32>, Vec<f32>) = near.iter().map(|hue| (hue.at[0], hue.at[1])).unzip();
        let [r, b] = [median(&mut x), median(&mut y)];
        // What all channels have in common is found point by point.
        let common = (r + b) / 3.0;
        return [r - common, -common, b - common].map(|ln| if ln.is_finite() { ln.exp() } else { 1.0 });
    }
    [1.0; 3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::stones::place::tests::place;

    const WOOD: [f32; 3] = [220.0, 176.0, 105.0];

    /// How far the points of a board that is as it was are from what they showed, as this light shows it.
    fn worst(light: impl Fn(usize) -> [f32; 3]) -> f32 {
        worst_of(|_| WOOD, light)
    }

    /// The same of a board that was so.
    fn worst_of(was: impl Fn(usize) -> [f32; 3], light: impl Fn(usize) -> [f32; 3]) -> f32 {
        let place = place();
        let last: Vec<_> = (0..place.owner.len()).map(|i| Some(Expected::new(tone(was(i)), [3.0, 2.0, 2.0]))).collect();
        let samples: Vec<[f32; 3]> = (0..last.len()).map(light).collect();
        let seen = as_before(&samples, &last, &place);
        let board = (0..seen.len()).filter(|i| samples[*i][0] > samples[*i][2]);
        board.map(|i| (seen[i][0] - tone(was(i))[0]).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn another_exposure_changes_nothing() {
        assert!(worst(|_| WOOD.map(|v| 0.7 * v)) < 0.5);
    }

    #[test]
    fn another_lamp_changes_nothing() {
        assert!(worst(|_| [WOOD[0], 0.9 * WOOD[1], 0.8 * WOOD[2]]) < 0.5);
    }

    #[test]
    fn the_edge_of_a_shadow_changes_nothing() {
        assert!(worst(|i| WOOD.map(|v| if i % STRIDE < 30 { 0.6 * v } else { v })) < 0.5);
    }

    #[test]
    fn a_sleeve_before_half_of_the_board_changes_nothing_beside_it() {
        assert!(worst(|i| if i % STRIDE < 30 { [60.0, 70.0, 120.0] } else { WOOD.map(|v| 0.8 * v) }) < 0.5);
    }

    #[test]
    fn a_sleeve_before_most_of_the_board_is_no_other_lamp() {
        let lines = |i: usize| if (i % STRIDE).is_multiple_of(6) { WOOD.map(|v| 0.6 * v) } else { WOOD };
        let sleeve = |i: usize| if i / STRIDE < 45 { [60.0, 70.0, 120.0] } else { lines(i) };
        assert!(worst_of(lines, sleeve) < 0.5);
        let lamp = |i: usize| [lines(i)[0], 0.9 * lines(i)[1], 0.8 * lines(i)[2]];
        assert!(worst_of(lines, lamp) < 0.5);
    }

    #[test]
    fn a_black_stone_is_no_shadow() {
        let place = place();
        let last = vec![Some(Expected::new(tone(WOOD), [3.0, 2.0, 2.0])); place.owner.len()];
        let window = &place.windows[40];
        let mut samples = vec![WOOD; last.len()];
        (0..AROUND).filter(|k| window.within[*k] < 1.0).for_each(|k| samples[window.point(k)] = [38.0, 36.0, 35.0]);
        let seen = as_before(&samples, &last, &place);
        assert!((seen[window.middle][0] - 36.3).abs() < 1.0, "{:?}", seen[window.middle]);
    }
}
