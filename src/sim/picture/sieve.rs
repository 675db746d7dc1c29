//! Which samples of a glass man show it, and which what is behind it?
//!
//! Glass is drawn as if through a fine screen: of the samples within a pixel some are the man's, the others show what is
//! behind him, be it the board or other men (after E. Enderton and others, "Stochastic transparency", 2010, with a fixed
//! pattern). Its rims, which are seen aslant, hide what is behind them, as the rims of real glass do. What light does in
//! its inside is not followed: nothing behind it is bent.

use crate::sim::math::V3;

/// Thresholds of a screen that is as even as can be (B. Bayer, "An optimum method for two-level rendition of
/// continuous-tone pictures", 1973), in sixteenths.
const SCREEN: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
/// So much of the light that passes through glass to the camera also passes to the board: curved glass throws part of it
/// aside.
const SHADOW: f32 = 0.6;

/// The screen before one glass man.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sieve {
    /// Share of what is behind that is seen.
    glass: f32,
    /// Unit direction to the camera.
    towards: V3,
    /// Where the screen begins: another place for each man, so that two men in line do not hide each other.
    from: [usize; 2],
}

impl Sieve {
    /// The screen of a man through which so much is seen; `None` where nothing is. `own` differs from man to man.
    #[must_use]
    pub fn new(glass: f32, towards: V3, own: f32) -> Option<Self> {
        let bits = own.to_bits().wrapping_mul(0x9e37_79b9) as usize >> 8;
        let towards = towards.try_normalize(1e-6).unwrap_or_else(V3::z);
        (glass > 0.0).then_some(Self { glass, towards, from: [bits % 4, bits / 4 % 4] })
    }

    /// Does this sample show the man? The normal need not have length 1.
    #[must_use]
    pub(crate) fn keeps(&self, x: usize, y: usize, normal: V3) -> bool {
        let facing = normal.dot(&self.towards) / normal.norm().max(1e-6);
        // From the middle, which is seen through, to the rim, which is not.
        self.drawn(1.0 - self.glass * facing.abs().min(1.0), x, y)
    }

    /// Does this place of a lamp's map lie in the man's shadow?
    #[must_use]
    pub(crate) fn shades(&self, x: usize, y: usize) -> bool {
        self.drawn(1.0 - SHADOW * self.glass, x, y)
    }

    fn drawn(&self, share: f32, x: usize, y: usize) -> bool {
        let threshold = SCREEN[(y + self.from[1]) % 4][(x + self.from[0]) % 4];
        share * 16.0 > f32::from(threshold) + 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(drawn: impl Fn(usize, usize) -> bool) -> f64 {
        let cells = (0..8).flat_map(|y| (0..8).map(move |x| (x, y)));
        cells.filter(|&(x, y)| drawn(x, y)).count() as f64 / 64.0
    }

    #[test]
    fn as_much_is_seen_through_the_middle_as_is_told_and_nothing_through_the_rim() {
        for glass in [0.25, 0.5, 0.75] {
            let sieve = Sieve::new(glass, V3::new(0.0, -2.0, 2.0), 0.3).unwrap();
            let middle = share(|x, y| sieve.keeps(x, y, V3::new(0.0, -0.5, 0.5)));
            assert!((middle - f64::from(1.0 - glass)).abs() < 1e-9, "{glass}: {middle}");
            assert!((share(|x, y| sieve.keeps(x, y, V3::x())) - 1.0).abs() < 1e-9);
            let shade = share(|x, y| sieve.shades(x, y));
            assert!(shade > middle && shade < 1.0, "{shade}");
        }
        assert_eq!(Sieve::new(0.0, V3::z(), 0.3), None);
    }
}
