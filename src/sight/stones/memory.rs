//! What is known of this board and its stones, in this light: learnt from every picture that was understood.
//!
//! Everything is kept as it would look in the light of the first picture, and as if that light were even.

use super::{
    colour::{Expected, Tone, median, tone},
    light,
    place::{AROUND, INSIDE, OUTSIDE, Place},
    shape::STRIDE,
};
use crate::{
    go::{Color, Content, Size},
    sight::light::CLIPPED,
};

/// How dark ink is against the wood, in levels: drawn lines are black lacquer, printed ones brown.
const INK: f32 = 0.3;
/// Spread of the bare wood, in levels: grain, and what the light's unevenness leaves.
const WOOD_SPREAD: Tone = [9.0, 6.0, 4.0];
/// Further spread on a line, in levels: where it lies in its cell is known to a pixel only.
const LINE_SPREAD: Tone = [60.0, 12.0, 8.0];
/// Lightness of black stones before any was seen, as a share of the wood's brightest channel, and its spread in levels.
const BLACK: (f32, Tone) = (0.22, [22.0, 9.0, 7.0]);
/// The same of white stones. No white stone is darker than the wood's brightest channel.
const WHITE: (f32, Tone) = (1.05, [18.0, 12.0, 8.0]);
/// Stones that the first guess of a colour counts as.
const GUESS: f32 = 0.7;
/// Stones that the mean over a stone counts as at each point of it.
const EVEN: f32 = 2.0;
/// What a class of stones keeps of its lessons from picture to picture: some twenty pictures.
const KEPT: f32 = 0.95;
/// Least spread of stones of one colour, in levels: no two are the same.
const LEAST_SPREAD: Tone = [5.0, 3.0, 2.5];
/// Least and greatest spread of a point that has not changed, in levels: the sensor's noise after compression.
const OWN_SPREAD: [(f32, f32); 3] = [(2.5, 8.0), (1.6, 5.0), (1.4, 4.0)];
/// How far a grid wanders between pictures, in points of the lattice: a fifth of a pixel or two.
const WANDER: f32 = 0.22;
/// How much of a new picture goes into what is remembered of a point.
const FRESH: f32 = 0.5;

/// How the stones of one colour look.
#[derive(Debug, Clone)]
struct Class {
    /// Sums of tones at each point around the middle, and how many.
    sums: Box<[([f32; 3], f32); AROUND]>,
    /// Sum of squared deviations from the means, and how many.
    deviations: ([f32; 3], f32),
    guess: Expected,
    spread_guess: Tone,
    /// What is expected at each point of a stone.
    expected: Box<[Expected; AROUND]>,
}

impl Class {
    fn new(mean: Tone, spread: Tone) -> Self {
        let guess = Expected::new(mean, spread);
        Self {
            sums: Box::new([([0.0; 3], 0.0); AROUND]),
            deviations: ([0.0; 3], 0.0),
            guess,
            spread_guess: spread,
            expected: Box::new([guess; AROUND]),
        }
    }

    fn fade(&mut self) {
        for (sum, n) in self.sums.iter_mut() {
            sum.iter_mut().for_each(|v| *v *= KEPT);
            *n *= KEPT;
        }
        self.deviations.0.iter_mut().for_each(|v| *v *= KEPT);
        self.deviations.1 *= KEPT;
    }

    fn learn(&mut self, k: usize, tone: Tone) {
        let (sum, n) = &mut self.sums[k];
        for c in 0..3 {
            sum[c] += tone[c];
            let off = tone[c] - self.expected[k].mean[c];
            self.deviations.0[c] += off * off;
        }
        *n += 1.0;
        self.deviations.1 += 1.0;
    }

    /// Works out what is expected from what was learnt.
    fn conclude(&mut self, inside: usize) {
        let whole = self
            .sums
            .iter()
            .fold(([0.0f32; 3], 0.0f32), |(sum, n), (s, m)| ([sum[0] + s[0], sum[1] + s[1], sum[2] + s[2]], n + m));
        let stones = whole.1 / inside.max(1) as f32;
        let guessed = GUESS * inside as f32;
        let mean = |k: usize| (whole.0[k] + guessed * self.guess.mean[k]) / (whole.1 + guessed);
        let mean: Tone = std::array::from_fn(mean);
        // A stone's points go together: spread is known from so many stones, not from so many points.
        let counted = self.deviations.1.max(1e-3);
        let spread: Tone = std::array::from_fn(|c| {
            let seen = self.deviations.0[c] / counted;
            let (stones, guess) = (stones.min(30.0), self.spread_guess[c]);
            let square = (seen * stones + 2.0 * guess * guess) / (stones + 2.0);
            square.sqrt().max(LEAST_SPREAD[c])
        });
        let expected = Expected::new(mean, spread);
        for ((sum, n), out) in self.sums.iter().zip(self.expected.iter_mut()) {
            *out = expected.around(std::array::from_fn(|c| (sum[c] + EVEN * mean[c]) / (n + EVEN)));
        }
    }
}

/// What is remembered.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    size: Size,
    /// Colour of the wood.
    wood: [f32; 3],
    /// Light on each crossing against the mean.
    light: Vec<f32>,
    /// What each point of the lattice showed last; none where it was never seen.
    pub last: Vec<Option<Expected>>,
    /// What each crossing held when it was learnt what its points show; none where it was not.
    pub shown: Vec<Option<Content>>,
    /// What it shows without stones.
    pub bare: Vec<Option<Expected>>,
    /// Black and white stones.
    classes: [Class; 2],
    /// Spread of what has not changed.
    own: Tone,
    /// The picture in hand as tones in the light of the first one; not a number beside the picture.
    pub seen: Vec<Tone>,
}

impl Memory {
    /// From the first picture of a board with this position on it; `samples` are the colours of the lattice.
    #[must_use]
    pub fn new(samples: &[[f32; 3]], place: &Place, size: Size, before: &[Content]) -> Self {
        let bare = bare_points(place, before);
        let wood = wood(samples, &bare);
        let light = light(samples, &bare, place, size, wood);
        let brightest = wood.iter().fold(0.0f32, |a, v| a.max(*v));
        let grey = |(share, spread): (f32, Tone)| {
            let level = (share * brightest).min(CLIPPED);
            // Lamps colour stones a little, wood a lot.
            Class::new(tone([level, level, level * 0.96]), spread)
        };
        Self {
            size,
            wood,
            light,
            last: vec![None; samples.len()],
            shown: vec![None; size.count()],
            bare: vec![None; samples.len()],
            classes: [grey(BLACK), grey(WHITE)],
            own: OWN_SPREAD.map(|(least, most)| 0.5 * (least + most)),
            seen: vec![],
        }
    }

    /// Forgets what single points showed: the camera looks from elsewhere.
    pub(super) fn forget_points(&mut self) {
        self.last.fill(None);
        self.shown.fill(None);
        self.bare.fill(None);
    }

    /// Takes a picture in: tells every point as in the light of the first picture.
    pub fn take(&mut self, samples: &[[f32; 3]], place: &Place) {
        let even =
            samples.iter().zip(&place.owner).map(|(rgb, owner)| rgb.map(|v| v / self.light[usize::from(*owner)]));
        self.seen = light::as_before(&even.collect::<Vec<_>>(), &self.last, place);
        self.measure_spread();
    }

    /// The spread of what has not changed, from the median of the deviations.
    fn measure_spread(&mut self) {
        let mut off: [Vec<f32>; 3] = Default::default();
        for index in (0..self.seen.len()).step_by(11) {
            let Some(last) = self.last[index] else { continue };
            let tone = self.seen[index];
            if !tone[0].is_nan() {
                (0..3).for_each(|c| off[c].push((tone[c] - last.mean[c]).abs()));
            }
        }
        if off[0].len() > 50 {
            for c in 0..3 {
                // The median of a normal deviate's size is 0.67 of its spread; edges and grain spread more.
                let spread = 1.3 * median(&mut off[c]) / 0.674;
                self.own[c] = spread.clamp(OWN_SPREAD[c].0, OWN_SPREAD[c].1);
            }
        }
    }

    /// The highest level that a camera's channel has on a crossing, as it would look in even light.
    #[must_use]
    pub(super) fn ceiling(&self, crossing: usize) -> f32 {
        self.light.get(crossing).map_or(CLIPPED, |light| CLIPPED / light)
    }

    /// ln p(tone) of a stone's point, where channels end at a level.
    #[must_use]
    pub(super) fn stone_ln(&self, color: Color, k: usize, tone: Tone, ceiling: f32) -> f32 {
        self.classes[color as usize].expected[k].below(ceiling).ln(tone)
    }

    /// ln p(tone) of a stone wherever on it, where channels end at a level.
    #[must_use]
    pub(super) fn any_stone_ln(&self, color: Color, tone: Tone, ceiling: f32) -> f32 {
        self.stone_ln(color, AROUND / 2, tone, ceiling)
    }

    /// ln p(tone) of wood with so much of a line in it, as boards are, where channels end at a level.
    #[must_use]
    pub(super) fn wood_ln(&self, line: f32, seen: Tone, ceiling: f32) -> f32 {
        if line.is_nan() {
            return super::colour::ANYTHING_LN;
        }
        let mean = tone(self.wood.map(|v| (v * (1.0 - line * (1.0 - INK))).min(ceiling)));
        Expected::new(mean, std::array::from_fn(|c| WOOD_SPREAD[c] + line * LINE_SPREAD[c])).ln(seen)
    }

    /// Learns from the picture in hand. `frozen` are the points of which it is not sure what they show; `known` the
    /// crossings whose content is.
    pub(crate) fn learn(&mut self, place: &Place, before: &[Content], frozen: &[bool], known: &[bool]) {
        let bare = bare_points(place, before);
        let others = self.shown_otherwise(place, before, known);
        for index in 0..self.seen.len() {
            if frozen[index] || self.seen[index][0].is_nan() {
                continue;
            }
            let fresh = self.seen[index];
            let last = self.last[index].filter(|_| !others[index]);
            self.last[index] = Some(self.remembered(index, last, fresh));
            if bare[index] {
                self.bare[index] = self.last[index];
            }
        }
        for (shown, content) in self.shown.iter_mut().zip(before).zip(known).filter_map(|(both, is)| is.then_some(both))
        {
            *shown = Some(*content);
        }
        self.classes.iter_mut().for_each(Class::fade);
        let mut inside = 1;
        for (crossing, window) in place.windows.iter().enumerate() {
            let Some(color) = before[crossing].color().filter(|_| known[crossing]) else { continue };
            let hidden = hidden_bits(window.nearer, &window.neighbours, before);
            inside = 0;
            for k in (0..AROUND).filter(|k| window.within[*k] < INSIDE) {
                inside += 1;
                let tone = self.seen[window.point(k)];
                if window.covered[k] & hidden == 0 && !tone[0].is_nan() {
                    self.classes[color as usize].learn(k, tone);
                }
            }
        }
        self.classes.iter_mut().for_each(|class| class.conclude(inside.max(20)));
    }

    /// The points that showed another content when they were learnt. What they showed then is forgotten: halfway between a
    /// black stone and wood lies wood in the shade.
    fn shown_otherwise(&self, place: &Place, now: &[Content], known: &[bool]) -> Vec<bool> {
        let mut others = vec![false; self.seen.len()];
        for (crossing, window) in place.windows.iter().enumerate().filter(|(crossing, _)| known[*crossing]) {
            if self.shown[crossing].is_some_and(|shown| shown != now[crossing]) {
                (0..AROUND).filter(|k| window.within[*k] < OUTSIDE).for_each(|k| others[window.point(k)] = true);
            }
        }
        others
    }

    /// What a point shows from now on.
    fn remembered(&self, index: usize, last: Option<Expected>, fresh: Tone) -> Expected {
        let mean = last.map_or(fresh, |last| std::array::from_fn(|c| last.mean[c] + FRESH * (fresh[c] - last.mean[c])));
        // Beside edges a small movement of the grid is a large one of the levels.
        let at = |index: usize| self.seen.get(index).copied().filter(|t| !t[0].is_nan()).unwrap_or(fresh);
        let beside = [index.wrapping_sub(1), index + 1, index.wrapping_sub(STRIDE), index + STRIDE].map(at);
        let spread = std::array::from_fn(|c| {
            let steepest = beside.iter().fold(0.0f32, |most, t| most.max((t[c] - fresh[c]).abs()));
            let edge = WANDER * steepest;
            (self.own[c] * self.own[c] + edge * edge).sqrt()
        });
        Expected::new(mean, spread)
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }
}

/// Which of a crossing's neighbours stand before it, a bit each.
#[must_use]
pub(super) fn hidden_bits(nearer: u8, neighbours: &[Option<u16>; 8], before: &[Content]) -> u8 {
    let there = |n: &Option<u16>| n.is_some_and(|n| before[usize::from(n)] != Content::Empty);
    let bits = neighbours.iter().enumerate().filter(|(_, n)| there(n)).fold(0u8, |bits, (bit, _)| bits | 1 << bit);
    bits & nearer
}

/// The points of the lattice that no stone covers.
fn bare_points(place: &Place, before: &[Content]) -> Vec<bool> {
    let mut bare = vec![true; place.owner.len()];
    for (crossing, window) in place.windows.iter().enumerate() {
        if before[crossing] != Content::Empty {
            (0..AROUND).filter(|k| window.within[*k] < 1.3).for_each(|k| bare[window.point(k)] = false);
        }
    }
    for (bare, line) in bare.iter_mut().zip(&place.shape.line) {
        *bare &= !line.is_nan();
    }
    bare
}

/// Colour of the wood: the median of what neither stones nor lines cover.
fn wood(samples: &[[f32; 3]], bare: &[bool]) -> [f32; 3] {
    let mut channels: [Vec<f32>; 3] = Default::default();
    for (rgb, _) in samples.iter().zip(bare).filter(|(rgb, bare)| **bare && !rgb[0].is_nan()) {
        (0..3).for_each(|c| channels[c].push(rgb[c]));
    }
    // Lines are a third of the points, and darker: the median of the others is the upper third's end.
    channels.map(|mut v| {
        if v.is_empty() {
            return 150.0;
        }
        let at = v.len() * 3 / 5;
        *v.select_nth_unstable_by(at, f32::total_cmp).1
    })
}

/// Light on each crossing: of the bare points around it against the wood's.
fn light(samples: &[[f32; 3]], bare: &[bool], place: &Place, size: Size, wood: [f32; 3]) -> Vec<f32> {
    let own: Vec<f32> = place
        .windows
        .iter()
        .map(|window| {
            let points = (0..AROUND).map(|k| window.point(k)).filter(|i| bare[*i] && !samples[*i][0].is_nan());
            let mut sums: Vec<f32> = points.filter_map(|i| gain(samples[i], wood)).collect();
            if sums.len() < 6 {
                return f32::NAN;
            }
            let at = sums.len() * 3 / 5;
            *sums.select_nth_unstable_by(at, f32::total_cmp).1
        })
        .collect();
    // The median of five by five crossings: light changes slowly, and stones nobody knows of are fewer.
    let around = |p: crate::go::Point| {
        let mut near: Vec<f32> = size
            .points()
            .filter(|q| q.x.abs_diff(p.x) <= 2 && q.y.abs_diff(p.y) <= 2)
            .map(|q| own[size.index(q)])
            .filter(|v| v.is_finite())
            .collect();
        if near.is_empty() { 1.0 } else { median(&mut near).clamp(0.3, 3.0) }
    };
    size.points().map(around).collect()
}

/// How bright a colour is against the wood's, from the channels that do not end there: what is lit too brightly keeps
/// getting brighter in the others.
fn gain(rgb: [f32; 3], wood: [f32; 3]) -> Option<f32> {
    let (mut seen, mut known) = (0.0, 0.0);
    for (level, wood) in rgb.into_iter().zip(wood).filter(|(level, _)| *level < CLIPPED) {
        seen += level;
        known += wood;
    }
    (known > 0.0).then(|| seen / known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::stones::place::tests::place;

    const WOOD: [f32; 3] = [220.0, 170.0, 100.0];
    const BLACK: [f32; 3] = [40.0, 40.0, 42.0];

    #[test]
    fn wood_in_a_light_that_is_too_bright_for_the_camera_is_wood() {
        let place = place();
        let size = Size::new(9).unwrap();
        let content = vec![Content::Empty; size.count()];
        let lit = |index: usize| if size.point(usize::from(place.owner[index])).x < 2 { 1.4 } else { 1.0 };
        let clipped = |index| WOOD.map(|v| (v * lit(index)).min(255.0));
        let samples: Vec<_> = (0..place.owner.len()).map(clipped).collect();
        let mut memory = Memory::new(&samples, &place, size, &content);
        memory.take(&samples, &place);
        let wood = |crossing: usize| {
            memory.wood_ln(0.0, memory.seen[place.windows[crossing].middle], memory.ceiling(crossing))
        };
        let [corner, far] = [0, 8].map(wood);
        assert!((corner - far).abs() < 0.5, "{corner} {far}");
        let unclipped = memory.wood_ln(0.0, memory.seen[place.windows[0].middle], f32::INFINITY);
        assert!(unclipped < far - 2.0, "{unclipped} {far}: the scene shows what it should");
    }

    #[test]
    fn what_a_crossing_showed_without_a_stone_does_not_go_into_how_its_stone_looks() {
        let place = place();
        let size = Size::new(9).unwrap();
        let crossing = size.index(crate::go::Point::new(4, 4));
        let window = &place.windows[crossing];
        let mut content = vec![Content::Empty; size.count()];
        let mut samples = vec![WOOD; place.owner.len()];
        let mut memory = Memory::new(&samples, &place, size, &content);
        let (frozen, known) = (vec![false; samples.len()], vec![true; size.count()]);
        let mut learn = |samples: &[[f32; 3]], content: &[Content]| {
            memory.take(samples, &place);
            memory.learn(&place, content, &frozen, &known);
            memory.last[window.middle].unwrap().mean[0]
        };
        let wood = learn(&samples, &content);
        content[crossing] = Content::Black;
        (0..AROUND).filter(|k| window.within[*k] < 1.0).for_each(|k| samples[window.point(k)] = BLACK);
        let stone = learn(&samples, &content);
        assert!((wood - tone(WOOD)[0]).abs() < 3.0 && (stone - tone(BLACK)[0]).abs() < 3.0, "{wood} {stone}");
    }

    #[test]
    fn a_class_learns_the_stones_it_sees() {
        let mut class = Class::new([50.0, 0.0, 0.0], [20.0, 9.0, 7.0]);
        for stone in 0..20 {
            (0..AROUND).for_each(|k| class.learn(k, [30.0 + (stone % 3) as f32, 2.0, 0.0]));
        }
        class.conclude(AROUND);
        let middle = class.expected[AROUND / 2].mean;
        assert!((middle[0] - 31.0).abs() < 2.0, "{middle:?}");
    }
}
