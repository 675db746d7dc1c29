//! Predicts bits from several contexts at once, and learns from every bit: context mixing, as in M. Mahoney's *lpaq*
//! (*Adaptive weighing of context models for lossless data compression*, 2005).
//!
//! Every context counts on its own how often its bit was set. A mixer weighs the predictions in the logistic domain, by
//! weights that follow the error. All numbers are whole, so every machine predicts the same.

use std::sync::LazyLock;

use super::{
    coder::Probability,
    contexts::{CONTEXTS, FIRST_RATE, FIRST_WEIGHT, HISTORY_MEMORY, INPUTS, MIXERS, RATE, SLOT_MEMORY, STEP},
};

/// Largest value of the logistic domain, in 192nds: odds of 42,000 to one.
const LIMIT: i32 = 2047;
/// Slots of a context's table. More would spare a few bytes, but all tables together should fit a processor's cache.
const SLOT_BITS: usize = 12;
/// Sets of weights of a mixer.
const CHOICES: usize = 1024;
/// Counts in this direction before more are not told apart.
const MOST_RUNS: u8 = 15;

/// Largest weight, ±8: its product with a prediction has 31 bits, and so has the sum of a 32nd of each.
const MOST_WEIGHT: i32 = (1 << 19) - 1;

/// Logistic function and its inverse.
#[derive(Debug)]
struct Tables {
    squash: Vec<u16>,
    stretch: Vec<i16>,
    /// How far an estimate moves after n bits, in 65,536ths.
    step: Vec<i64>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    /// e^(1/192) · 2^40.
    const BASE: u128 = 1_105_253_189_843;
    let mut power: u128 = 1 << 40;
    let mut squash = vec![0; 2 * LIMIT as usize + 2];
    for x in 0..=LIMIT as usize {
        let p = (65_536 * power / (power + (1 << 40))).clamp(1, 65_535) as u32;
        squash[LIMIT as usize + 1 + x] = p as u16;
        squash[LIMIT as usize + 1 - x] = (65_536 - p) as u16;
        power = (power * BASE) >> 40;
    }
    squash[0] = squash[1];
    // Of each sixteen probabilities the middle one.
    let place = |p: u32| squash.partition_point(|&q| u32::from(q) < p) as i32 - LIMIT - 1;
    let stretch = (0..4096).map(|p| place(16 * p + 8).clamp(-LIMIT, LIMIT) as i16).collect();
    let step = (0..256).map(|n| 65_536 * 16 / (16 * n + STEP)).collect();
    Tables { squash, stretch, step }
});

impl Tables {
    fn squash(&self, x: i32) -> i32 {
        i32::from(self.squash[(x.clamp(-LIMIT, LIMIT) + LIMIT + 1) as usize])
    }

    fn stretch(&self, p: i32) -> i32 {
        i32::from(self.stretch[(p >> 4) as usize])
    }

    /// The estimate `p` after another bit, when so many were seen before.
    fn learn(&self, p: i32, bit: bool, seen: usize) -> i32 {
        let error = if bit { 65_535 - p } else { -p };
        p + ((i64::from(error) * self.step[seen]) >> 16) as i32
    }
}

/// What one context knows of one case.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Part of the hash, to tell cases apart that fall on one slot.
    check: u16,
    /// How probable a set bit is, in 65,536ths.
    set: u16,
    /// Bits seen.
    seen: u8,
    /// Cleared bits of late, in the upper half, and set ones.
    history: u8,
}

impl Slot {
    fn new(check: u16) -> Self {
        Self { check, set: 1 << 15, seen: 0, history: 0 }
    }

    /// Counts a bit. When the other one comes, what was counted before matters less.
    fn count(&mut self, bit: bool) {
        let fade = |n: u8| if n > 2 { (n + 2) / 2 } else { n };
        let grow = |n: u8| (n + 1).min(MOST_RUNS);
        let (cleared, set) = (self.history >> 4, self.history & 15);
        let (cleared, set) = if bit { (fade(cleared), grow(set)) } else { (grow(cleared), fade(set)) };
        self.history = cleared << 4 | set;
        self.seen = self.seen.saturating_add(1);
    }
}

/// The state of prediction.
#[derive(Debug)]
pub struct Model {
    tables: &'static Tables,
    /// For each context and case.
    slots: Vec<Slot>,
    /// For each context, history, and first or later try: how probable a set bit is, and bits seen.
    histories: Vec<(i32, usize)>,
    /// For each mixer and choice, the weights of all predictions in 65,536ths.
    weights: Vec<i32>,
    /// Bits seen with each set of weights.
    used: Vec<i64>,
    /// Multipliers that hash the inputs.
    hash: [u32; INPUTS],
    // What the prediction in hand was made from.
    places: [usize; CONTEXTS.len()],
    later: usize,
    predictions: [i32; PREDICTIONS],
    mixed: [(usize, i32); MIXERS.len()],
}

/// Predictions that a mixer weighs: two of each context, and a constant.
const PREDICTIONS: usize = 2 * CONTEXTS.len() + 1;
/// Of a context, for first and later tries.
const HISTORIES: usize = 2 * 256;

/// Which of [`CHOICES`] some inputs choose.
fn choice(list: &[u8], inputs: &[u8; INPUTS]) -> usize {
    // Most inputs are below 24.
    list.iter().fold(0, |choice, &input| choice * 24 + usize::from(inputs[usize::from(input)])) % CHOICES
}

impl Default for Model {
    fn default() -> Self {
        // An estimate in the manner of Krichevsky and Trofimov.
        let first = |history: usize| {
            let (cleared, set) = ((history >> 4 & 15) as i32, (history & 15) as i32);
            (65_535 * (5 * set + 2) / (5 * (cleared + set) + 4), 3)
        };
        let tables: &'static Tables = &TABLES;
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let hash = std::array::from_fn(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 20) as u32 | 1
        });
        Self {
            tables,
            slots: vec![Slot::new(0); CONTEXTS.len() << SLOT_BITS],
            histories: (0..CONTEXTS.len() * HISTORIES).map(first).collect(),
            weights: vec![FIRST_WEIGHT; MIXERS.len() * CHOICES * PREDICTIONS],
            used: vec![0; MIXERS.len() * CHOICES],
            hash,
            places: [0; CONTEXTS.len()],
            later: 0,
            predictions: [0; PREDICTIONS],
            mixed: [(0, 0); MIXERS.len()],
        }
    }
}

impl Model {
    /// How probable is it that the next bit is set, for these inputs? `later` is false for the first try of a value.
    pub fn predict(&mut self, inputs: &[u8; INPUTS], later: bool) -> Probability {
        self.later = usize::from(later) << 8;
        // All places first: the processor can then fetch them together.
        let hashes: [u32; CONTEXTS.len()] = CONTEXTS.map(|list| self.hash_of(list, inputs));
        for (context, hash) in hashes.into_iter().enumerate() {
            let place = context << SLOT_BITS | (hash >> (32 - SLOT_BITS)) as usize;
            self.places[context] = place;
            if self.slots[place].check != hash as u16 {
                self.slots[place] = Slot::new(hash as u16);
            }
        }
        for context in 0..CONTEXTS.len() {
            let slot = self.slots[self.places[context]];
            // A case that was never seen says nothing.
            let known = slot.seen > 0;
            let history = self.histories[self.history(context, slot)].0;
            self.predictions[2 * context] = if known { self.tables.stretch(i32::from(slot.set)) } else { 0 };
            self.predictions[2 * context + 1] = if known { self.tables.stretch(history) } else { 0 };
        }
        self.predictions[PREDICTIONS - 1] = 256;

        let mut sum = 0;
        for (mixer, list) in MIXERS.iter().enumerate() {
            let set = mixer * CHOICES + choice(list, inputs);
            let weights = &self.weights[set * PREDICTIONS..][..PREDICTIONS];
            // Within 32 bits, which processors multiply four at a time: see MOST_WEIGHT.
            let dot: i32 = weights.iter().zip(&self.predictions).map(|(&w, &x)| (w * x) >> 5).sum();
            let mixed = (dot >> 11).clamp(-LIMIT, LIMIT);
            self.mixed[mixer] = (set, mixed);
            sum += mixed;
        }
        let mixed = sum / MIXERS.len() as i32;
        // Never surer than one in 2,700: a surprise costs 11 bits, not more.
        self.tables.squash(mixed).clamp(24, 65_536 - 24) as Probability
    }

    /// Learns the bit that was predicted last.
    pub fn learn(&mut self, bit: bool) {
        for &(set, mixed) in &self.mixed {
            let error = i64::from(if bit { 65_536 } else { 0 } - self.tables.squash(mixed));
            self.used[set] += 1;
            let step = ((error * (RATE + FIRST_RATE / (self.used[set] + 16))) >> 8) as i32;
            let weights = &mut self.weights[set * PREDICTIONS..][..PREDICTIONS];
            for (weight, &x) in weights.iter_mut().zip(&self.predictions) {
                *weight = (*weight + ((x * step + (1 << 9)) >> 10)).clamp(-MOST_WEIGHT, MOST_WEIGHT);
            }
        }
        for (context, &place) in self.places.iter().enumerate() {
            let slot = self.slots[place];
            if slot.seen > 0 {
                let place = self.history(context, slot);
                let (p, seen) = &mut self.histories[place];
                *p = self.tables.learn(*p, bit, *seen);
                *seen = (*seen + 1).min(HISTORY_MEMORY);
            }
            let slot = &mut self.slots[place];
            slot.set = self.tables.learn(i32::from(slot.set), bit, usize::from(slot.seen).min(SLOT_MEMORY)) as u16;
            slot.count(bit);
        }
    }

    /// A case of a context: its upper bits choose the slot, its lower ones tell cases of one slot apart.
    fn hash_of(&self, list: &[u8], inputs: &[u8; INPUTS]) -> u32 {
        let hash = list.iter().fold(0_u32, |hash, &input| {
            let input = usize::from(input);
            hash.wrapping_add((u32::from(inputs[input]) + 1).wrapping_mul(self.hash[input]))
        });
        let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        hash ^ hash >> 13
    }

    fn history(&self, context: usize, slot: Slot) -> usize {
        context * HISTORIES + self.later + usize::from(slot.history)
    }
}
