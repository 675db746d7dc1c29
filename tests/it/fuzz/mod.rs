//! Inputs by chance: whatever comes from outside makes nothing panic, hang or lie. The inputs are mutations of small valid
//! ones and the same on every machine. `CHESS_OBSERVER_FUZZ` is their number (600 by default; a million in all for
//! 80,000); targets that cost much get a share of it, cheap ones a multiple.
//!
//! After the mutations of M. Zalewski's *american fuzzy lop* (2013).

mod bytes;
mod looks;
mod sgf;
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Random numbers that are the same on every machine (Marsaglia, "Xorshift RNGs", 2003).
pub struct Dice(u64);

impl Dice {
    fn of(name: &str, number: usize) -> Self {
        // Fowler, Noll and Vo's hash; the state must not be 0.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut dice = Self((hash ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1);
        for _ in 0..4 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to `n` - 1; 0 for an empty range.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Numbers at which programs err, as bytes.
const EDGES: [&[u8]; 8] = [
    &[0],
    &[0xff],
    &[0x7f, 0xff, 0xff, 0xff],
    &[0xff, 0xff, 0xff, 0xff],
    &[0, 0, 0, 0x80],
    &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 1, 0],
];

/// Changes a valid input in one to eight places.
fn mutated(dice: &mut Dice, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = dice.one_of(seeds).clone();
    for _ in 0..1 + dice.below(8) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + 1 + dice.below(64)).min(bytes.len());
        match dice.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end.max(at))),
            4 => {
                let part = bytes[at..end.max(at)].to_vec();
                let to = dice.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            5 => {
                let edge = *dice.one_of(&EDGES);
                let end = (at + edge.len()).min(bytes.len());
                bytes.splice(at..end, edge.iter().copied());
            }
            6 => {
                let other = dice.one_of(seeds);
                let from = dice.below(other.len() + 1);
                let part = other[from..(from + 1 + dice.below(200)).min(other.len())].to_vec();
                bytes.splice(at..at, part);
            }
            _ if !words.is_empty() => drop(bytes.splice(at..at, dice.one_of(words).bytes())),
            _ => {}
        }
    }
    bytes
}

/// Shows mutations of `seeds` to the target; `share` is how many of the usual number. `words` are put in among the others.
pub fn fuzz(name: &str, share: f64, seeds: &[Vec<u8>], words: &[&str], mut target: impl FnMut(&[u8], &mut Dice)) {
    let asked = std::env::var("CHESS_OBSERVER_FUZZ").ok().and_then(|n| n.parse::<f64>().ok()).unwrap_or(600.0);
    let count = (asked * share).ceil() as usize;
    let begun = std::time::Instant::now();
    for number in 0..count {
        let mut dice = Dice::of(name, number);
        let input = mutated(&mut dice, seeds, words);
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input, &mut dice)));
        assert!(outcome.is_ok(), "{name}: input {number} is not borne: {:?}", String::from_utf8_lossy(&input));
    }
    println!("{name}: {count} inputs in {:.1} s", begun.elapsed().as_secs_f64());
}

/// Errors are told on one line.
pub fn one_line(error: &impl std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains(['\n', '\r']), "{text:?}");
}
