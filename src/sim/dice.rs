//! Chance that can be repeated: a seed decides all of it.

/// A well mixed 64-bit number from another (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014: the finaliser of SplitMix64).
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A small generator of reproducible numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dice(u64);

impl Dice {
    /// Dice for one purpose: the same seed and purpose give the same throws.
    #[must_use]
    pub const fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(seed ^ mix(purpose)))
    }

    /// The next number, 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of so many places, 0 for the first; 0 where there is none.
    pub fn index(&mut self, of: usize) -> usize {
        ((self.unit() * of as f64) as usize).min(of.saturating_sub(1))
    }

    /// The next number between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_reproducible_and_even() {
        let (mut a, mut b) = (Dice::new(5, 1), Dice::new(5, 1));
        let mean = (0..10_000).map(|_| a.unit()).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02);
        assert!((0..10_000).map(|_| b.unit()).sum::<f64>() / 1e4 == mean);
        assert_ne!(Dice::new(5, 2).unit(), Dice::new(5, 1).unit());
    }
}
