//! How likely is what is seen around a crossing, with each content?

use super::{
    colour::{ANYTHING_LN, Expected, Tone, either, median},
    cover::{Cover, HAND_SPREAD, Veil},
    memory::{Memory, hidden_bits},
    place::{AROUND, INSIDE, OUTSIDE, Place, SHIFTS, Window, offset},
    shape::{PER_LINE, WINDOW},
};
use crate::go::{Color, Content};

/// What one point counts for: neighbouring points share their noise, their light and their stone.
const TOGETHER: f32 = 0.3;
/// ln of the chance that something else than board and stones is seen: a hand over it.
const HAND_LN: f32 = -6.0;
/// Beside a hand no content is likelier than another one by more than this, in nats: what shows of a stone may be a thing
/// that only looks so.
const MOST_BESIDE: f32 = 12.0;
/// Share of a crossing in sight from which on it may say so much. What shows less says less.
const SHOWS: f32 = 0.2;
/// A crossing of which more than this share is hidden, whatever lies there, says nothing.
const ALL_HIDDEN: f32 = 0.85;
/// From so likely on a crossing is one from which a hand's points are followed.
const IN_HAND: f32 = 0.5;
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
/// Fewer points that do not show what was there are no hand: a finger is as wide as two rows of them.
const FEW: usize = 8;
/// A crossing at which nothing is near to changing is weighed without shifts: no content comes this near, in nats.
const SETTLED: f32 = -12.0;

/// What was found for a crossing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighed {
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
pub(super) struct Weigher<'a> {
    memory: &'a Memory,
    place: &'a Place,
    before: &'a [Content],
    /// Contents that have clearly changed.
    changed: Vec<(usize, Content)>,
    /// What is before the board, once that was looked for.
    cover: Option<Cover>,
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
    /// What covers the points.
    veil: Option<Veil>,
    /// ln p of what was there before, through that.
    base_veiled: [f32; AROUND],
    /// Where channels end, in levels as in even light.
    ceiling: f32,
}

/// What the neighbours of a crossing do to the points around it, a bit for each neighbour.
struct Beside {
    /// Those whose stones stand before it, and behind it.
    nearer: u8,
    farther: u8,
    /// Those that have changed.
    changed: u8,
    /// Is what it shows with its content known?
    is_learnt: bool,
    /// Where channels end, in levels as in even light.
    ceiling: f32,
}

impl<'a> Weigher<'a> {
    /// For the picture that a memory has taken in.
    #[must_use]
    pub const fn new(memory: &'a Memory, place: &'a Place, before: &'a [Content]) -> Self {
        Self { memory, place, before, changed: Vec::new(), cover: None }
    }

    /// From now on a crossing counts as changed: what its stone covers says nothing of the neighbours.
    pub fn has_changed(&mut self, crossing: usize, content: Content) {
        self.changed.push((crossing, content));
    }

    /// The crossings that are changed or beside changed ones.
    #[must_use]
    pub(super) fn beside_changed(&self) -> Vec<usize> {
        let mut beside: Vec<usize> = vec![];
        for (crossing, _) in &self.changed {
            beside.push(*crossing);
            beside.extend(self.place.windows[*crossing].neighbours.iter().flatten().map(|n| usize::from(*n)));
        }
        beside.sort_unstable();
        beside.dedup();
        beside
    }

    /// Looks for what is before the board, going on from the crossings that it hides. From now on every point beside it
    /// counts by itself, as a part of it or not.
    pub(super) fn find_cover(&mut self, weighed: &[Weighed]) {
        let is_in = |crossing: usize| weighed[crossing].hidden > IN_HAND;
        let is_known = self.memory.shown.iter().any(Option::is_some);
        if !is_known || !(0..weighed.len()).any(is_in) {
            return;
        }
        let mut strange = vec![false; self.memory.seen.len()];
        for (crossing, window) in self.place.windows.iter().enumerate() {
            let around = self.around(crossing, window, self.before[crossing]);
            for k in around.points.iter().copied().filter(|k| around.base[*k] < MISFIT_LN) {
                let index = window.point(k);
                strange[index] |= usize::from(self.place.owner[index]) == crossing;
            }
        }
        let seeds = (0..strange.len()).filter(|i| strange[*i] && is_in(usize::from(self.place.owner[*i])));
        self.cover = Cover::grown(seeds, &strange, &self.memory.seen);
    }

    /// What is before the board, as far as it was found.
    #[must_use]
    pub(super) fn into_cover(self) -> Option<Cover> {
        self.cover
    }

    /// The crossings that have something before them or beside them.
    #[must_use]
    pub(super) fn beside_cover(&self) -> Vec<usize> {
        let Some(cover) = &self.cover else { return vec![] };
        let is_beside = |window: &Window| (0..AROUND).any(|k| window.within[k] < LOOKED && cover.has(window.point(k)));
        let windows = self.place.windows.iter().enumerate();
        windows.filter(|(_, window)| is_beside(window)).map(|(crossing, _)| crossing).collect()
    }

    /// Weighs a crossing.
    #[must_use]
    pub(crate) fn weigh(&self, crossing: usize) -> Weighed {
        let window = &self.place.windows[crossing];
        let before = self.before[crossing];
        let around = self.around(crossing, window, before);
        if around.points.len() < 12 {
            // Hardly anything of it is in the picture.
            return Weighed { ln: [0.0; 3], hidden: 1.0 };
        }
        if self.hidden_at_least(&around, window) > ALL_HIDDEN {
            return Weighed { ln: [0.0; 3], hidden: 1.0 };
        }
        let hand = if around.veil.is_some() { f32::NEG_INFINITY } else { self.hand(&around) };
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
        if let Some(veil) = &around.veil {
            return self.beside(crossing, &around, veil, ln);
        }
        let likeliest = ln.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let hidden = 1.0 / (1.0 + (likeliest - hand).clamp(-60.0, 60.0).exp());
        Weighed { ln: ln.map(|v| either(v, hand)), hidden }
    }

    /// The share of a crossing that is hidden even with the content that leaves most of it in sight, point by point.
    fn hidden_at_least(&self, around: &Around, window: &Window) -> f32 {
        let Some(veil) = &around.veil else { return 0.0 };
        let (mut hidden, mut all) = (0.0, 0.0);
        for &k in around.points.iter().filter(|k| window.within[**k] < INSIDE) {
            let stone = |color| self.memory.stone_ln(color, k, around.tones[k], around.ceiling);
            let board = around.base[k].max(around.without[k]);
            hidden += veil.hides(k, board.max(stone(Color::Black)).max(stone(Color::White)));
            all += 1.0;
        }
        if all > 0.0 { hidden / all } else { 1.0 }
    }

    /// What was found for a crossing with something before it or beside it.
    fn beside(&self, crossing: usize, around: &Around, veil: &Veil, ln: [f32; 3]) -> Weighed {
        let mut weighed = Weighed { ln, hidden: 0.0 };
        let best = weighed.best();
        let window = &self.place.windows[crossing];
        let (mut hidden, mut all) = (0.0, 0.0);
        for &k in around.points.iter().filter(|k| window.within[**k] < INSIDE) {
            let ln = match best.color() {
                _ if best == self.before[crossing] => around.base[k],
                None => around.without[k],
                Some(color) => self.memory.stone_ln(color, k, around.tones[k], around.ceiling),
            };
            hidden += veil.hides(k, ln);
            all += 1.0;
        }
        weighed.hidden = if all > 0.0 { hidden / all } else { 1.0 };
        let most = ln.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let least = most - MOST_BESIDE * ((1.0 - weighed.hidden) / SHOWS).min(1.0);
        weighed.ln = ln.map(|v| v.max(least));
        weighed
    }

    fn around(&self, crossing: usize, window: &Window, before: Content) -> Around {
        let memory = self.memory;
        let beside = Beside {
            nearer: hidden_bits(window.nearer, &window.neighbours, self.before),
            farther: hidden_bits(!window.nearer, &window.neighbours, self.before),
            changed: self.changed_bits(window),
            is_learnt: memory.shown[crossing] == Some(before),
            ceiling: memory.ceiling(crossing),
        };
        let mut around = Around {
            points: Vec::with_capacity(AROUND),
            tones: [[0.0; 3]; AROUND],
            base: [0.0; AROUND],
            without: [0.0; AROUND],
            is_hidden: [false; AROUND],
            base_veiled: [0.0; AROUND],
            ceiling: beside.ceiling,
            veil: self.cover.as_ref().and_then(|cover| cover.veil(self.place, window, &memory.seen)),
        };
        for k in (0..AROUND).filter(|k| self.says_something(window, *k, &beside)) {
            let (base, without) = self.as_before(window, k, before, &beside);
            around.points.push(k);
            (around.tones[k], around.base[k], around.without[k]) = (memory.seen[window.point(k)], base, without);
            around.is_hidden[k] = window.covered[k] & beside.nearer != 0;
            around.base_veiled[k] = around.veil.as_ref().map_or(base, |veil| veil.through(k, base));
        }
        around
    }

    /// Does a point say something of the crossing?
    fn says_something(&self, window: &Window, k: usize, beside: &Beside) -> bool {
        let (index, within, covered) = (window.point(k), window.within[k], window.covered[k]);
        let Beside { nearer, farther, changed, .. } = *beside;
        // What a changed neighbour covers says nothing here, except where a stone here would stand before it.
        let is_taken = covered & changed != 0 && (covered & changed & window.nearer != 0 || within > 1.0);
        // What neighbours' stones show beside this one's place is theirs: they are pushed to and fro.
        let is_theirs = within > 1.0 && covered & (nearer | farther) != 0;
        // Beside the board there may be anything, until it was seen.
        let is_unknown = self.place.shape.line[index].is_nan() && self.memory.last[index].is_none();
        within <= LOOKED && !self.memory.seen[index][0].is_nan() && !is_taken && !is_theirs && !is_unknown
    }

    /// ln p of what a point shows with what was there before, and without a stone on this crossing.
    fn as_before(&self, window: &Window, k: usize, before: Content, beside: &Beside) -> (f32, f32) {
        let (memory, index, within, covered) = (self.memory, window.point(k), window.within[k], window.covered[k]);
        let (tone, ceiling, farther) = (memory.seen[index], beside.ceiling, covered & beside.farther);
        let bare = || {
            let wood = memory.wood_ln(self.place.shape.line[index], tone, ceiling);
            let own = memory.bare[index].map_or(wood, |bare| either(bare.ln(tone), wood) - std::f32::consts::LN_2);
            if farther == 0 { own } else { own.max(self.neighbours_ln(window, farther, tone, ceiling)) }
        };
        // A stone that came with the last picture has not been learnt: what was there before is not how it looks.
        let is_known = beside.is_learnt || within >= OUTSIDE;
        let last = memory.last[index].filter(|_| is_known).map(|last| last.ln(tone));
        let Some(color) = before.color() else {
            // Grains move, lines tremble, neighbours are pushed: what boards look like serves where memory does not.
            let known = |last: f32| if last > MISFIT_LN { last } else { last.max(bare() - UNLIKE_LN) };
            let base = last.map_or_else(bare, known);
            return (base, base);
        };
        let without = if within < OUTSIDE { bare() } else { last.unwrap_or_else(bare) };
        let stone = || match within {
            w if w < INSIDE => memory.stone_ln(color, k, tone, ceiling),
            w if w < OUTSIDE => either(memory.stone_ln(color, k, tone, ceiling), without) - std::f32::consts::LN_2,
            _ => without,
        };
        (last.unwrap_or_else(stone), without)
    }

    /// ln p(tone) of the stones that neighbours have.
    fn neighbours_ln(&self, window: &Window, bits: u8, tone: Tone, ceiling: f32) -> f32 {
        let stones = window.neighbours.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        let colors = stones.filter_map(|(_, n)| self.before[usize::from((*n)?)].color());
        colors.map(|color| self.memory.any_stone_ln(color, tone, ceiling)).fold(f32::NEG_INFINITY, f32::max)
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
            let stone = self.memory.stone_ln(color, row * WINDOW + column, around.tones[k], around.ceiling);
            if within < INSIDE { stone } else { either(stone, around.without[k]) - std::f32::consts::LN_2 }
        })
    }

    /// A hand or the like before all of it, against what was there before.
    fn hand(&self, around: &Around) -> f32 {
        let misfits = || around.points.iter().copied().filter(|k| around.base[*k] < MISFIT_LN);
        if misfits().count() < FEW {
            return HAND_LN + sum(around, |_| ANYTHING_LN);
        }
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
    let against = |k: usize| {
        let ln = ln(k);
        around.veil.as_ref().map_or(ln, |veil| veil.through(k, ln)) - around.base_veiled[k]
    };
    TOGETHER * around.points.iter().copied().map(against).sum::<f32>()
}

/// ln of how usual it is that a stone lies so far off its crossing.
fn off_ln(off: [i32; 2]) -> f32 {
    let far = ((off[0] * off[0] + off[1] * off[1]) as f32).sqrt() / PER_LINE as f32 / OFF;
    // Points of the lattice share what is within their cell; Student's distribution, as there are careless players.
    let cell = (1.0 / (PER_LINE as f32 * OFF)).powi(2);
    (cell / std::f32::consts::TAU).ln() - 2.5 * (1.0 + far * far / 3.0).ln()
}
