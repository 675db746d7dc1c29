//! The light over a part of the board against that over all of it: shadows that lie or stand there, lamps that reach only so far.
//!
//! Light is told from things by the chequers: it changes light and dark squares side by side by much the same factor, while
//! what lies over both shows its own colour. Where a shadow ends in the middle of squares, each of their points lies in
//! the light of one side or of the other, or between the two.
//!
//! The shadow of a hand is a witness of the hand, and small. So a light is believed over some squares only where it is plain; over
//! as many as no hand shades, also under a tone curve, and at its edges.

use shakmaty::{Bitboard, Square, attacks};

use super::{
    colour::{Samples, colour_from_rgb},
    coverage::{POINTS, POINTS_PER_SIDE, points_on},
    levels::{DARK, median},
};

/// The points of a square in one light agree in the logarithm of their ratio to the reference within this much (median
/// absolute deviation): the grain of wood. A man, a hand or a shadow's edge gives several times as much.
const AGREE: f32 = 0.05;
/// The noise of a point in levels, which is a greater part of what is dark.
const NOISE_LEVELS: f32 = 1.5;
/// Squares side by side lie in one light when their ratios agree within this much.
const SAME_LIGHT: f32 = 0.1;
/// By this part of a light square's change, in the logarithm, a dark one beside it may fall deeper, and gain more: a camera's tone
/// curve makes more of what is dark, and the deeper the light falls the more. In recordings light squares fall to 0.48 where dark
/// ones fall to 0.38, by a third more; under a steep curve, in the render `s07`, by half. A thing that lies over both does the
/// opposite.
pub(super) const TONE: f32 = 0.6;
/// Least points of a square that must show their ratio.
const LEAST_POINTS: usize = 24;
/// Squares that no hand shades, with its arm: a shadow or a lamp over so many is a person's, or the room's.
const LARGE: usize = 8;
/// A change of light by less is the noise's affair.
const LEAST_CHANGE: f32 = 0.03;
/// A shadow is darker by more than this, in the logarithm, and so are the two sides of an edge.
const EDGE: f32 = 0.15;
/// How near, in the logarithm, a point's ratio must come to a light to lie in it.
const NEAR: f32 = 0.2;

/// ln of what a light does to red, green and blue.
type Ratio = [f32; 3];

/// ln of the change of luminance, near enough: green is most of it.
const fn luminance(of: &Ratio) -> f32 {
    of[1]
}

/// The light over each square, where its points agree on one.
type Lights = [Option<Ratio>; 64];

/// The light over each point of a picture.
#[derive(Debug, Clone, Default)]
pub(super) struct Shade {
    /// What red, green and blue of each point are multiplied with.
    pub(crate) factors: Vec<[f32; 3]>,
    /// Squares that have changed and are taken to lie in the light of most around them: its edge may as well run through them.
    pub(crate) supposed: Bitboard,
}

impl Shade {
    /// Works out what each point is multiplied with besides the `gain` of the whole board: 1 where that is nothing, or cannot be
    /// told. Returns the squares in another light.
    pub(super) fn see(
        &mut self,
        samples: &Samples,
        gain: [f32; 3],
        reference_rgb: &[[f32; 3]],
        scratch: &mut Vec<f32>,
    ) -> Bitboard {
        self.factors.clear();
        self.factors.resize(POINTS, [1.0; 3]);
        self.supposed = Bitboard::EMPTY;
        let seen = Seen { samples, gain, reference_rgb };
        let found = Square::ALL.map(|square| seen.light_of(square, scratch));
        let told = found.map(|one| one.map(|one| one.channels));
        let bend = bend(&told, gain[1].ln(), scratch);
        let lights = alike(&told, Deeper { bend, tone: TONE });
        if !lights.iter().flatten().any(is_another) {
            // The smaller ones are among them.
            Bitboard::EMPTY
        } else if lights.iter().flatten().filter(|light| luminance(light).abs() > EDGE).count() >= LARGE {
            self.large(&seen, &lights)
        } else {
            let plain = found.map(|one| one.and_then(|one| one.plain).map(|ratio| [ratio; 3]));
            self.small(&alike(&plain, Deeper::default()), scratch)
        }
    }

    /// Light over some squares: of each as a whole, the same for red, green and blue.
    fn small(&mut self, lights: &Lights, scratch: &mut Vec<f32>) -> Bitboard {
        let mut shaded = Bitboard::EMPTY;
        for square in Square::ALL {
            let light = lights[usize::from(square)].or_else(|| {
                // A square that has changed lies in the light of most around it.
                scratch.clear();
                let near = (0..9).filter_map(|k| lights[usize::from(beside(square, [k % 3 - 1, k / 3 - 1])?)]);
                scratch.extend(near.map(|light| luminance(&light)));
                (scratch.len() >= 4).then(|| [median(scratch); 3])
            });
            if let Some(light) = light.filter(is_another) {
                shaded.add(square);
                self.suppose(square, lights);
                self.factors[points_on(square)].fill(light.map(f32::exp));
            }
        }
        shaded
    }

    /// A square whose own points tell no light lies in that of others.
    fn suppose(&mut self, square: Square, lights: &Lights) {
        if lights[usize::from(square)].is_none() {
            self.supposed.add(square);
        }
    }

    /// Light over a good part of the board.
    fn large(&mut self, seen: &Seen<'_>, lights: &Lights) -> Bitboard {
        let mut shaded = Bitboard::EMPTY;
        for square in Square::ALL {
            let near = Near::of(lights, square);
            match (lights[usize::from(square)], near.most()) {
                // A square that has changed lies in the light around it.
                (Some(light), _) | (None, Some(light)) if is_another(&light) => {
                    shaded.add(square);
                    self.suppose(square, lights);
                    self.factors[points_on(square)].fill(light.map(f32::exp));
                }
                (None, None) if near.count > 0 => {
                    shaded.add(square);
                    seen.edge(square, &near, &mut self.factors);
                }
                _ => {}
            }
        }
        shaded
    }
}

fn is_another(light: &Ratio) -> bool {
    luminance(light).abs() > LEAST_CHANGE
}

/// The one light over a square.
#[derive(Clone, Copy)]
struct OneLight {
    channels: Ratio,
    /// ln of the change of luminance, where the points agree on it without allowing for their noise.
    plain: Option<f32>,
}

/// What is compared: a picture with the reference.
struct Seen<'a> {
    samples: &'a Samples,
    gain: [f32; 3],
    reference_rgb: &'a [[f32; 3]],
}

impl Seen<'_> {
    /// ln of how much a point's luminance has changed; `None` where that cannot be told.
    fn ratio(&self, index: usize) -> Option<f32> {
        let [now, then] = [self.under_gain(index), self.reference_rgb[index]].map(|rgb| colour_from_rgb(rgb)[0]);
        (now.is_finite() && then > DARK).then(|| (now / then).max(1e-3).ln())
    }

    fn under_gain(&self, index: usize) -> [f32; 3] {
        std::array::from_fn(|k| self.samples.0[index][k] / self.gain[k])
    }

    /// The light over a square, where its points agree on one, up to their noise.
    fn light_of(&self, square: Square, scratch: &mut Vec<f32>) -> Option<OneLight> {
        scratch.clear();
        scratch.extend(points_on(square).filter_map(|index| self.ratio(index)));
        if scratch.len() < LEAST_POINTS {
            return None;
        }
        let middle = median(scratch);
        scratch.iter_mut().for_each(|ratio| *ratio = (*ratio - middle).abs());
        let spread = median(scratch);
        if spread >= AGREE {
            scratch.clear();
            let levels = points_on(square).map(|index| colour_from_rgb(self.under_gain(index))[0]);
            scratch.extend(levels.filter(|level| level.is_finite()));
            if spread >= AGREE + NOISE_LEVELS / median(scratch).max(1.0) {
                return None;
            }
        }
        let mut channels = [middle; 3];
        if is_another(&channels) {
            for (k, channel) in channels.iter_mut().enumerate() {
                scratch.clear();
                let told = |index: &usize| self.reference_rgb[*index][k] > DARK && self.samples.0[*index][k] > 1.0;
                let ratio = |index: usize| (self.under_gain(index)[k] / self.reference_rgb[index][k]).ln();
                scratch.extend(points_on(square).filter(told).map(ratio).filter(|v| v.is_finite()));
                if scratch.len() >= LEAST_POINTS {
                    *channel = median(scratch);
                }
            }
        }
        Some(OneLight { channels, plain: (spread < AGREE).then_some(middle) })
    }

    /// A square in which a light ends: each point lies in one of the lights `near`, or between two.
    fn edge(&self, square: Square, near: &Near, factors: &mut [[f32; 3]]) {
        const N: usize = POINTS_PER_SIDE;
        let points = points_on(square);
        let first = points.start;
        let mut lit: [Option<usize>; N * N] = [None; N * N];
        for (lit, index) in lit.iter_mut().zip(points) {
            let Some(ratio) = self.ratio(index) else { continue };
            let far = |n: &usize| (luminance(&near.lights[*n]) - ratio).abs();
            *lit = (0..near.count).min_by(|a, b| far(a).total_cmp(&far(b))).filter(|n| far(n) < NEAR);
        }
        for at in 0..N * N {
            // Specks of grain lie in the light of most around them.
            let (x, y) = (at % N, at / N);
            let beside = |k: usize| k.saturating_sub(1)..=(k + 1).min(N - 1);
            let mut votes = [0_u8; Near::MOST];
            let around = || beside(y).flat_map(|y| beside(x).map(move |x| y * N + x));
            around().filter_map(|other| lit[other]).for_each(|n| votes[n] += 1);
            let Some(most) = (0..near.count).max_by_key(|n| votes[*n]).filter(|n| votes[*n] > 0) else { continue };
            let borders = (0..near.count)
                .any(|n| votes[n] > 0 && (luminance(&near.lights[n]) - luminance(&near.lights[most])).abs() > EDGE);
            let mut light = near.lights[most];
            if borders && let Some(ratio) = self.ratio(first + at) {
                // Between the two: as far as the point itself says, and no farther than either.
                let [low, high] = near.range();
                let between = ratio.clamp(low, high) - luminance(&light);
                light = light.map(|v| v + between);
            }
            factors[first + at] = light.map(f32::exp);
        }
    }
}

/// The lights of the squares of one colour around a square.
struct Near {
    lights: [Ratio; Self::MOST],
    count: usize,
}

impl Near {
    /// Squares of one colour at most two steps away.
    const MOST: usize = 12;

    fn of(lights: &Lights, square: Square) -> Self {
        let mut near = Self { lights: [[0.0; 3]; Self::MOST], count: 0 };
        for (x, y) in (-2..=2).flat_map(|y| (-2..=2).map(move |x| (x, y))) {
            let same_colour = (x + y) % 2 == 0 && (x, y) != (0, 0);
            if same_colour
                && let Some(light) = beside(square, [x, y]).and_then(|other| lights[usize::from(other)])
                && near.count < Self::MOST
            {
                near.lights[near.count] = light;
                near.count += 1;
            }
        }
        near
    }

    fn range(&self) -> [f32; 2] {
        let lights = self.lights[..self.count].iter().map(luminance);
        lights.fold([f32::MAX, f32::MIN], |[low, high], l| [low.min(l), high.max(l)])
    }

    /// The light that all of them share; `None` where they differ, or are too few.
    fn most(&self) -> Option<Ratio> {
        let [low, high] = self.range();
        let (enough, one) = (self.count >= 3, high - low < EDGE);
        (enough && one).then(|| {
            let mut lights = self.lights;
            let lights = &mut lights[..self.count];
            lights.sort_by(|a, b| luminance(a).total_cmp(&luminance(b)));
            lights[lights.len() / 2]
        })
    }
}

fn beside(square: Square, [x, y]: [i32; 2]) -> Option<Square> {
    let (file, rank) = (i32::from(square.file() as u8) + x, i32::from(square.rank() as u8) + y);
    let inside = (0..8).contains(&file) && (0..8).contains(&rank);
    inside.then(|| Square::new((8 * rank + file) as u32))
}

/// The squares that have an edge in common with this one: of those around it, the ones of the other colour.
pub(super) fn side_by_side(square: Square) -> Bitboard {
    let other = if square.is_light() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
    attacks::king_attacks(square) & other
}

/// How much more a dark square has changed than a light one, both in the logarithm.
pub(super) fn deeper(light: f32, dark: f32) -> f32 {
    if light + dark < 0.0 { light - dark } else { dark - light }
}

/// How much deeper than a light square a dark one beside it may fall in the same light, in the logarithm; or how much more it may gain.
#[derive(Debug, Clone, Copy, Default)]
struct Deeper {
    /// Whatever the light square does.
    bend: f32,
    /// As a part of what the light square changes by, against the whole board.
    tone: f32,
}

/// How much more of its light a dark square has lost, or gained, than the light ones beside it that have changed as the whole board
/// has, by ln of its gain: what a camera's curve makes of that. 0 of a camera without one.
fn bend(lights: &Lights, whole: f32, steps: &mut Vec<f32>) -> f32 {
    steps.clear();
    for pale in Bitboard::LIGHT_SQUARES {
        let Some(light) = lights[usize::from(pale)].map(|light| luminance(&light)).filter(|v| v.abs() < EDGE) else {
            continue;
        };
        let beside = side_by_side(pale).into_iter().filter_map(|dark| lights[usize::from(dark)]);
        steps.extend(beside.map(|dark| (luminance(&dark) - light) * whole.signum()));
    }
    if steps.is_empty() { 0.0 } else { median(steps).clamp(0.0, TONE * whole.abs()) }
}

/// The lights that squares side by side share.
fn alike(lights: &Lights, deeper_by: Deeper) -> Lights {
    let Deeper { bend, tone } = deeper_by;
    std::array::from_fn(|index| {
        let square = Square::new(index as u32);
        let here = lights[index]?;
        let shares = |other: &Square| {
            let Some(there) = lights[usize::from(*other)] else { return false };
            let [light, dark] = if square.is_light() { [here, there] } else { [there, here] };
            let [light, dark] = [luminance(&light), luminance(&dark)];
            (-SAME_LIGHT..SAME_LIGHT + bend + tone * light.abs()).contains(&deeper(light, dark))
        };
        (side_by_side(square).into_iter().filter(shares).count() >= 2).then_some(here)
    })
}
