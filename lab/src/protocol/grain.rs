//! Fresh noise over a picture that was shown before.

use chess_observer::sim::dice::{Dice, mix};
use image::RgbImage;

/// Standard deviation of the noise, in levels of 255: that of the simulator's webcam indoors. The picture's own noise
/// stays below it, frozen.
const SIGMA_LEVELS: f64 = 2.2;
/// Side of the tile of noise, in pixels: no square of a board is as large.
const TILE_PX: usize = 256;

/// A tile of noise that is laid over pictures, each time from another place.
#[derive(Debug)]
pub(super) struct Grain {
    /// Levels of red, green and blue, row by row, each row twice in a row of its own so that it goes on at its end.
    rows: Vec<Vec<i16>>,
    seed: u64,
    picture: RgbImage,
}

impl Grain {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0x64a1);
        let mut level = || {
            // Box and Muller, "A note on the generation of random normal deviates", 1958.
            let (u, v) = (1.0 - dice.unit(), dice.unit());
            (SIGMA_LEVELS * (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v)).round() as i16
        };
        let mut row = || {
            let once: Vec<i16> = (0..3 * TILE_PX).map(|_| level()).collect();
            once.repeat(2)
        };
        Self { rows: (0..TILE_PX).map(|_| row()).collect(), seed, picture: RgbImage::default() }
    }

    /// The picture under noise that is another one for every number.
    pub fn over(&mut self, picture: &RgbImage, number: u64) -> &RgbImage {
        if self.picture.dimensions() != picture.dimensions() {
            self.picture = picture.clone();
        }
        let mut from = mix(self.seed ^ mix(number));
        let width = 3 * picture.width() as usize;
        if width == 0 {
            return &self.picture;
        }
        for (y, (was, new)) in picture.chunks_exact(width).zip(self.picture.chunks_exact_mut(width)).enumerate() {
            if y.is_multiple_of(TILE_PX) {
                from = mix(from);
            }
            let row = &self.rows[(y + from as usize) % TILE_PX][3 * ((from >> 32) as usize % TILE_PX)..];
            let tile = &row[..3 * TILE_PX];
            for (was, new) in was.chunks(3 * TILE_PX).zip(new.chunks_mut(3 * TILE_PX)) {
                for ((was, new), noise) in was.iter().zip(new).zip(tile) {
                    *new = (i16::from(*was) + noise).clamp(0, 255) as u8;
                }
            }
        }
        &self.picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_fresh_repeatable_and_as_strong_as_said() {
        let plain = RgbImage::from_pixel(600, 300, image::Rgb([100, 120, 140]));
        let mut grain = Grain::new(7);
        let (one, two) = (grain.over(&plain, 1).clone(), grain.over(&plain, 2).clone());
        assert_eq!(one, *Grain::new(7).over(&plain, 1));
        let sigma = |a: &RgbImage, b: &RgbImage| {
            let squares: f64 = a.iter().zip(b.iter()).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
            (squares / a.len() as f64).sqrt()
        };
        // Levels are whole numbers: rounding adds a twelfth.
        let told = (SIGMA_LEVELS * SIGMA_LEVELS + 1.0 / 12.0).sqrt();
        assert!((sigma(&one, &plain) - told).abs() < 0.1, "{}", sigma(&one, &plain));
        // Two fresh ones have nothing in common.
        assert!((sigma(&one, &two) - told * 2f64.sqrt()).abs() < 0.15, "{}", sigma(&one, &two));
    }
}
