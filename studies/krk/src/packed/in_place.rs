//! The table as a decision tree with exceptions, asked without being unpacked.
//!
//! The tree has numbered tests, and no pointers: its nodes stand level by level, one bit each says whether a node asks
//! or answers, and counting those bits finds the branches (G. Jacobson, *Space-efficient static trees and graphs*,
//! 1989). An answer is a distance, or two neighbouring ones of which a ribbon tells the right one. Placements that the tree tells wrong by one or two moves are listed with two bits of correction each, their
//! numbers in the code of P. Elias (*Efficient storage and retrieval by content and address of static files*, 1974)
//! and R. Fano.

use std::sync::LazyLock;

use chess_observer::endgame::men::Men;

use super::{
    bits::{ones, read},
    features::Asked,
    ribbon,
};
use crate::places::place;

/// The packed table: written by `krk build`.
static BYTES: &[u8] = include_bytes!("krk_in_place.bin");

/// Widths of the fields in bits.
pub(super) mod width {
    /// Each of the three numbers of the head.
    pub const HEAD: usize = 12;
    /// A test: the feature, ...
    pub const FEATURE: usize = 6;
    /// ... equal or at most, and ...
    pub const EQUAL: usize = 1;
    /// ... the value.
    pub const VALUE: usize = 8;
    /// The size of the ribbon.
    pub const RIBBON: usize = 16;
    /// Three leaves: 34³ < 2¹⁶.
    pub const THREE_LEAVES: usize = 16;
    /// The low part of an exception's number; 4 is best for about one in 24 placements.
    pub const LOW: usize = 5;
    /// An exception's correction.
    pub const CORRECTION: usize = 2;
}

/// Nodes between counted ones: a count costs 12 bits, four words are counted quickly.
pub(super) const BLOCK: usize = 256;
/// No tree is as deep as this; damaged bytes could make a ring.
const DEEPEST: usize = 200;
/// A draw, and 0 to 16 moves.
pub(super) const CLASSES: usize = 18;
/// What a leaf tells: one class, or that the ribbon chooses between 0 and 1 moves, 1 and 2, … 15 and 16.
pub(super) const LEAVES: usize = CLASSES + 16;
/// What an exception's correction adds to the leaf's class.
pub(super) const CORRECTIONS: [i8; 4] = [-1, 1, -2, 2];
/// Buckets of exceptions by the high part of their numbers.
pub(super) const BUCKETS: usize = (28_056 >> width::LOW) + 1;

/// Bits to tell apart `n` things.
pub(super) fn bits_for(n: usize) -> usize {
    (n.max(1) - 1).checked_ilog2().map_or(0, |log| log as usize + 1)
}

/// Where the parts of a packed table begin, in bits.
#[derive(Debug, Clone, Copy)]
pub struct InPlace<'a> {
    bytes: &'a [u8],
    test_width: usize,
    tests: usize,
    counts: usize,
    shape: usize,
    asked: usize,
    leaves: usize,
    low: usize,
    high: usize,
    corrections: usize,
    ribbon: usize,
    ribbon_size: usize,
}

impl InPlace<'static> {
    /// The table in the program.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static TABLE: LazyLock<InPlace<'static>> = LazyLock::new(|| InPlace::open(BYTES));
        &TABLE
    }
}

impl<'a> InPlace<'a> {
    /// Reads the head of a packed table. Damaged bytes give wrong answers, nothing worse.
    #[must_use]
    pub fn open(bytes: &'a [u8]) -> Self {
        let head = |i: usize| read(bytes, i * width::HEAD, width::HEAD);
        let (tests, inner, exceptions) = (head(0), head(1), head(2));
        let ribbon_size = read(bytes, 3 * width::HEAD, width::RIBBON);
        let (nodes, test_width) = (2 * inner + 1, bits_for(tests));
        let mut end = 0;
        let mut part = |bits: usize| {
            end += bits;
            end - bits
        };
        part(3 * width::HEAD + width::RIBBON);
        Self {
            bytes,
            test_width,
            tests: part(tests * (width::FEATURE + width::EQUAL + width::VALUE)),
            counts: part(nodes.div_ceil(BLOCK) * width::HEAD),
            shape: part(nodes),
            asked: part(inner * test_width),
            leaves: part((inner + 1).div_ceil(3) * width::THREE_LEAVES),
            low: part(exceptions * width::LOW),
            high: part(BUCKETS + exceptions),
            corrections: part(exceptions * width::CORRECTION),
            ribbon: part(ribbon_size),
            ribbon_size,
        }
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Full moves until mate with the weak side to move, of a possible placement of king and rook against king;
    /// `None` is a draw.
    #[must_use]
    pub fn distance(&self, men: Men) -> Option<u8> {
        let men = men.canonical();
        let index = place(men)?;
        let leaf = self.leaf(&Asked::of(men));
        let class = match leaf.checked_sub(CLASSES) {
            None => leaf,
            Some(fewer) => fewer + 1 + usize::from(ribbon::bit(self.bytes, self.ribbon, self.ribbon_size, index)),
        };
        u8::try_from(i8::try_from(class).ok()? + self.correction(index) - 1).ok()
    }

    /// What the tree tells, below [`LEAVES`].
    fn leaf(&self, asked: &Asked) -> usize {
        let mut node = 0;
        for _ in 0..DEEPEST {
            // Nodes that ask, before this one: their branches come one pair after the other, behind the root.
            let block = node / BLOCK;
            let before = read(self.bytes, self.counts + block * width::HEAD, width::HEAD)
                + ones(self.bytes, self.shape + block * BLOCK, node % BLOCK);
            if read(self.bytes, self.shape + node, 1) == 0 {
                let leaf = node.saturating_sub(before);
                let three = read(self.bytes, self.leaves + leaf / 3 * width::THREE_LEAVES, width::THREE_LEAVES);
                return three / LEAVES.pow((leaf % 3) as u32) % LEAVES;
            }
            let test = read(self.bytes, self.asked + before * self.test_width, self.test_width);
            node = 2 * before + 1 + usize::from(!self.passes(test, asked));
        }
        0
    }

    fn passes(&self, test: usize, asked: &Asked) -> bool {
        let at = self.tests + test * (width::FEATURE + width::EQUAL + width::VALUE);
        let field = |skip: usize, width: usize| read(self.bytes, at + skip, width);
        let feature = field(0, width::FEATURE);
        let value = field(width::FEATURE + width::EQUAL, width::VALUE);
        let found = usize::from(asked.feature(feature as u8));
        if field(width::FEATURE, width::EQUAL) == 1 { found == value } else { found <= value }
    }

    /// What the list of exceptions adds to the class of the placement `index`.
    fn correction(&self, index: usize) -> i8 {
        let (bucket, low) = (index >> width::LOW, index & ((1 << width::LOW) - 1));
        // A bucket ends with a zero: this one begins behind as many zeros as there are buckets before.
        let mut at = self.skip_zeros(bucket);
        while read(self.bytes, self.high + at, 1) == 1 {
            let exception = at - bucket;
            if read(self.bytes, self.low + exception * width::LOW, width::LOW) == low {
                let which = read(self.bytes, self.corrections + exception * width::CORRECTION, width::CORRECTION);
                return CORRECTIONS[which % CORRECTIONS.len()];
            }
            at += 1;
        }
        0
    }

    /// The place behind the first `zeros` zeros of the buckets.
    fn skip_zeros(&self, zeros: usize) -> usize {
        /// Bits counted at once.
        const STEP: usize = 32;
        let (mut at, mut left) = (0, zeros);
        while left > STEP {
            left -= STEP - ones(self.bytes, self.high + at, STEP);
            at += STEP;
        }
        while left > 0 {
            left -= 1 - read(self.bytes, self.high + at, 1);
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::endgame::{
        generate::Table,
        men::{Man, canonical_placements},
    };

    /// The packed table says of every position what the generated one says.
    #[test]
    fn equals_the_generated_table() {
        for (men, distance) in Table::of(Man::Rook).weak_to_move() {
            assert_eq!(InPlace::embedded().distance(men), distance, "{men:?}");
        }
    }

    /// Whatever stands in the bytes, asking ends and is in bounds.
    #[test]
    fn damaged_bytes_do_no_harm() {
        let asked: Vec<Men> = canonical_placements().step_by(997).collect();
        for at in (0..BYTES.len()).step_by(7) {
            let mut bytes = BYTES.to_vec();
            bytes[at] ^= 0x55;
            // At most class 17 and a correction by two.
            let bounded = |table: InPlace<'_>| asked.iter().all(|&men| table.distance(men).is_none_or(|d| d <= 18));
            assert!(bounded(InPlace::open(&bytes)) && bounded(InPlace::open(&BYTES[..at])), "{at}");
        }
    }
}
