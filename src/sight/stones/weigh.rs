//! How likely is what is seen around a crossing, with each content?

use super::{
    colour::{ANYTHING_LN, Expected, Tone, either, median},
    memory::{Memory, hidden_bits},
    place::{AROUND, INSIDE, OUTSIDE, Place, SHIFTS, Window, offset},
    shape::{PER_LINE, WINDOW},
};
use crate::go::{Color, Content};

/// What one point counts for: neighbouring points share their noise, their light and their stone.
const TOGETHER: f32 = 0.3;
/// ln of the chance that something else than board and stones is seen: a hand over it.
const HAND_LN: f32 = -6.0;
/// Spread of colours over a hand or a sleeve, in levels.
const HAND_SPREAD: Tone = [14.0, 7.0, 6.0];
/// How far players put their stones off a crossing, in distances between lines, and how many nats less it is that a stone
/// has been pushed since the last picture.
const OFF: f32 = 0.09;
const PUSHED_LN: f32 = -2.0;
/// What is looked at around a crossing ends here, in ellipses of a stone.
const LOOKED: f32 = 1.7;
/// A point that fits worse than this does not show what was there, in nats.
const MISFIT_LN: f32 = -13.0;
/// How much less it is that a point shows what boards show than what it showed before, in nats.
const UNLIKE_LN: f32 = 1.5;
/// A crossing at which nothing is near to changing is weighed without shifts: no content comes this near, in nats.
const SETTLED: f32 = -12.0;

/// What was found for a crossing.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// ln p(seen | empty, black, white), against what was there before.
    pub ln: [f32; 3],
    /// How likely it is that a hand or the like is before it.
    pub hidden: f32,
}

impl Weighed {
    /// The likeliest content.
    #[must_use]
    pub fn best(&self) -> Content {
        let of = |c: &Content| self.ln[c.index()];
        Content::ALL.into_iter().max_by(|a, b| of(a).total_cmp(&of(b))).unwrap_or_default()
    }

    /// How much likelier the likeliest other content is than the one before, in nats.
    #[must_use]
    pub fn change(&self, before: Content) -> f32 {
        let others = Content::ALL.into_iter().filter(|c| *c != before);
        others.map(|c| self.ln[c.index()]).fold(f32::NEG_INFINITY, f32::max) - self.ln[before.index()]
    }
}

/// Weighs crossings of one picture.
#[derive(Debug)]
pub struct Weigher<'a> {
    memory: &'a Memory,
    place: &'a Place,
    before: &'a [Content],
    /// Contents that have clearly changed.
    changed: Vec<(usize, Content)>,
}

/// What is expected around a crossing.
struct Around {
    /// Points that are looked at.
    points: Vec<usize>,
    tones: [Tone; AROUND],
    /// ln p of what was there before.
    base: [f32; AROUND],
    /// ln p of what would be there without a stone on this crossing.
    without: [f32; AROUND],
    /// Does a nearer stone hide the point from here?
    is_hidden: [bool; AROUND],
}

impl<'a> Weigher<'a> {
    /// For the picture that a memory has taken in.
    #[must_use]
    pub const fn new(memory: &'a Memory, place: &'a Place, before: &'a [Content]) -> Self {
        Self { memory, place, before, changed: Vec::new() }
    }

    /// From now on a crossing counts as changed: what its stone covers says nothing of the neighbours.
    pub fn has_changed(&mut self, crossing: usize, content: Content) {
        self.changed.push((crossing, content));
    }

    /// The crossings that are changed or beside changed ones.
    #[must_use]
    pub fn beside_changed(&self) -> Vec<usize> {
        let mut beside: Vec<usize> = vec![];
        for (crossing, _) in &self.changed {
            beside.push(*crossing);
            beside.extend(self.place.windows[*crossing].neighbours.iter().flatten().map(|n| usize::from(*n)));
        }
        beside.sort_unstable();
        beside.dedup();
        beside
    }

    /// Weighs a crossing.
    #[must_use]
    pub fn weigh(&self, crossing: usize) -> Weighed {
        let window = &self.place.windows[crossing];
        let before = self.before[crossing];
        let around = self.around(window, before);
        if around.points.len() < 12 {
            // Hardly anything of it is in the picture.
            return Weighed { ln: [0.0; 3], hidden: 1.0 };
        }
        let hand = self.hand(&around);
        let mut ln = [0.0f32; 3];
        ln[Content::Empty.index()] = sum(&around, |k| around.without[k]);
        let shifts = |few: bool| if few { &SHIFTS[..1] } else { &SHIFTS[..] };
        for few in [true, false] {
            for color in [Color::Black, Color::White] {
                let content = Content::from(color);
                let mut all = f32::NEG_INFINITY;
                for off in shifts(few) {
                    all = either(all, off_ln(*off) + self.stone(crossing, &around, color, *off));
                }
                // A stone that was there looks as it did, or was pushed.
                ln[content.index()] = if content == before { either(0.0, PUSHED_LN + all) } else { all };
            }
            let most = Content::ALL.into_iter().filter(|c| *c != before).map(|c| ln[c.index()]).fold(hand, f32::max);
            if most < SETTLED {
                break;
            }
        }
        let likeliest = ln.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let hidden = 1.0 / (1.0 + (likeliest - hand).clamp(-60.0, 60.0).exp());
        Weighed { ln: ln.map(|v| either(v, hand)), hidden }
    }

    fn around(&self, window: &Window, before: Content) -> Around {
        let (memory, line) = (self.memory, &self.place.shape.line);
        let nearer = hidden_bits(window.nearer, &window.neighbours, self.before);
        let farther = hidden_bits(!window.nearer, &window.neighbours, self.before);
        let changed = self.changed_bits(window);
        let mut around = Around {
            points: Vec::with_capacity(AROUND),
            tones: [[0.0; 3]; AROUND],
            base: [0.0; AROUND],
            without: [0.0; AROUND],
            is_hidden: [false; AROUND],
        };
        for k in 0..AROUND {
            let (index, within, covered) = (window.point(k), window.within[k], window.covered[k]);
            let tone = memory.seen[index];
            // What a changed neighbour covers says nothing here, except where a stone here would stand before it.
            let is_taken = covered & changed != 0 && (covered & changed & window.nearer != 0 || within > 1.0);
            // What neighbours' stones show beside this one's place is theirs: they are pushed to and fro.
            let is_theirs = within > 1.0 && covered & (nearer | farther) != 0;
            // Beside the board there may be anything, until it was seen.
            let is_unknown = line[index].is_nan() && memory.last[index].is_none();
            if within > LOOKED || tone[0].is_nan() || is_taken || is_theirs || is_unknown {
                continue;
            }
            let bare = || {
                let wood = memory.wood_ln(line[index], tone);
                let own = memory.bare[index].map_or(wood, |bare| either(bare.ln(tone), wood) - std::f32::consts::LN_2);
                if covered & farther == 0 { own } else { own.max(self.neighbours_ln(window, covered & farther, tone)) }
            };
            let last = memory.last[index].map(|last| last.ln(tone));
            let (base, without) = match before.color() {
                None => {
                    // Grains move, lines tremble, neighbours are pushed: what boards look like serves where memory does not.
                    let base = last
                        .map_or_else(bare, |last| if last > MISFIT_LN { last } else { last.max(bare() - UNLIKE_LN) });
                    (base, base)
                }
                Some(color) => {
                    let without = if within < OUTSIDE { bare() } else { last.unwrap_or_else(bare) };
                    let stone = || match within {
                        w if w < INSIDE => memory.stone_ln(color, k, tone),
                        w if w < OUTSIDE => either(memory.stone_ln(color, k, tone), without) - std::f32::consts::LN_2,
                        _ => without,
                    };
                    (last.unwrap_or_else(stone), without)
                }
            };
            around.points.push(k);
            (around.tones[k], around.base[k], around.without[k]) = (tone, base, without);
            around.is_hidden[k] = covered & nearer != 0;
        }
        around
    }

    /// ln p(tone) of the stones that neighbours have.
    fn neighbours_ln(&self, window: &Window, bits: u8, tone: Tone) -> f32 {
        let stones = window.neighbours.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        let colors = stones.filter_map(|(_, n)| self.before[usize::from((*n)?)].color());
        colors.map(|color| self.memory.any_stone_ln(color, tone)).fold(f32::NEG_INFINITY, f32::max)
            - std::f32::consts::LN_2
    }

    /// Which of the neighbours have changed, a bit each.
    fn changed_bits(&self, window: &Window) -> u8 {
        let is_changed = |n: &Option<u16>| n.is_some_and(|n| self.changed.iter().any(|c| c.0 == usize::from(n)));
        let bits = window.neighbours.iter().enumerate().filter(|(_, n)| is_changed(n));
        bits.fold(0u8, |bits, (bit, _)| bits | 1 << bit)
    }

    /// A stone at a distance from its crossing against what was there before.
    fn stone(&self, crossing: usize, around: &Around, color: Color, off: [i32; 2]) -> f32 {
        let window = &self.place.windows[crossing];
        let shifted = off != [0, 0];
        sum(around, |k| {
            if around.is_hidden[k] {
                return around.without[k];
            }
            let [x, y] = offset(k);
            let at = [x - off[0], y - off[1]];
            let within = if shifted {
                self.place.shape.within(crossing, [x as f32, y as f32], off.map(|v| v as f32))
            } else {
                window.within[k]
            };
            if within >= OUTSIDE {
                return around.without[k];
            }
            let reach = (WINDOW / 2) as i32;
            let [column, row] = at.map(|v| (v.clamp(-reach, reach) + reach) as usize);
            let stone = self.memory.stone_ln(color, row * WINDOW + column, around.tones[k]);
            if within < INSIDE { stone } else { either(stone, around.without[k]) - std::f32::consts::LN_2 }
        })
    }

    /// A hand or the like before all of it, against what was there before.
    fn hand(&self, around: &Around) -> f32 {
        let misfits = || around.points.iter().copied().filter(|k| around.base[*k] < MISFIT_LN);
        let mut values = Vec::with_capacity(AROUND);
        let mean = std::array::from_fn(|c| {
            values.clear();
            values.extend(misfits().map(|k| around.tones[k][c]));
            median(&mut values)
        });
        let even = (!mean[0].is_nan()).then(|| Expected::new(mean, HAND_SPREAD));
        HAND_LN
            + sum(around, |k| {
                let even = even.map_or(f32::NEG_INFINITY, |hand| hand.ln(around.tones[k]));
                either(even, ANYTHING_LN) - std::f32::consts::LN_2
            })
    }
}

/// What points say together against what was there before.
fn sum(around: &Around, ln: impl Fn(usize) -> f32) -> f32 {
    TOGETHER * around.points.iter().map(|&k| ln(k) - around.base[k]).sum::<f32>()
}

/// ln of how usual it is that a stone lies so far off its crossing.
fn off_ln(off: [i32; 2]) -> f32 {
    let far = ((off[0] * off[0] + off[1] * off[1]) as f32).sqrt() / PER_LINE as f32 / OFF;
    // Points of the lattice share what is within their cell; Student's distribution, as there are careless players.
    let cell = (1.0 / (PER_LINE as f32 * OFF)).powi(2);
    (cell / std::f32::consts::TAU).ln() - 2.5 * (1.0 + far * far / 3.0).ln()
}
