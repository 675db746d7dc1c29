//! What a disturbed transmission leaves of a picture.

use crate::sim::{
    dice::{Dice, mix},
    scene::Damage,
};

/// So much of a full veil falls on red, green and blue: measured in a webcam's first picture, where a veil had made black
/// to (30, 45, 91), and let 88, 82 and 64 % of the picture through.
const VEIL: [f64; 3] = [0.3, 0.45, 0.9];
/// Side of the blocks that are disturbed together, in pixels: those of JPEG.
const BLOCK: usize = 8;
/// Half of the range by which the brightness of blocks under a full veil differs, in levels: at the strength that was
/// measured a deviation of 4 is left of it, as there.
const NOISE: f64 = 110.0;
/// What decoders put where no data came.
const GREY: u8 = 128;

/// Damages a picture of red, green and blue: `height` is the share of its rows, `strength` that of the veil; `seed` decides
/// the noise.
pub(crate) fn damage(image: &mut image::RgbImage, kind: Damage, height: f64, strength: f64, seed: u64) {
    let (width, rows) = (image.width() as usize, image.height() as usize);
    let damaged = (height * rows as f64).round() as usize;
    let bytes: &mut [u8] = image;
    match kind {
        Damage::Missing => bytes[3 * width * (rows - damaged)..].fill(GREY),
        Damage::Band => {
            let share = VEIL.map(|v| v * strength);
            for (y, row) in bytes.chunks_exact_mut(3 * width).take(damaged).enumerate() {
                let mut dice = Dice::new(seed ^ mix((y / BLOCK) as u64), 0xda);
                for block in row.chunks_mut(3 * BLOCK) {
                    // The third power: a weak veil has hardly any noise.
                    let off = NOISE * strength * strength * strength * dice.between(-1.0, 1.0);
                    for (i, byte) in block.iter_mut().enumerate() {
                        let veil = share[i % 3];
                        *byte = (f64::from(*byte) * (1.0 - veil) + 255.0 * veil + off + 0.5).clamp(0.0, 255.0) as u8;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(level: u8) -> image::RgbImage {
        image::RgbImage::from_pixel(160, 120, image::Rgb([level; 3]))
    }

    #[test]
    fn a_band_is_bluish_and_weaker_in_contrast_and_leaves_the_rest() {
        let shot = |level: u8, strength: f64| {
            let mut image = grey(level);
            damage(&mut image, Damage::Band, 0.25, strength, 5);
            assert!(image.rows().skip(30).flatten().all(|p| p.0 == [level; 3]));
            let sum = image
                .rows()
                .take(30)
                .flatten()
                .fold([0.0; 3], |sum, p| std::array::from_fn(|k| sum[k] + f64::from(p.0[k]) / (30.0 * 160.0)));
            let blocks: std::collections::BTreeSet<u8> = image.rows().take(30).flatten().map(|p| p.0[1]).collect();
            (sum, blocks.len())
        };
        // As measured.
        let (black, _) = shot(0, 0.4);
        for (level, expected) in black.iter().zip([30.0, 45.0, 91.0]) {
            assert!((level - expected).abs() < 6.0, "{black:?}");
        }
        let (white, _) = shot(200, 0.4);
        let contrast: Vec<f64> = (0..3).map(|k| (white[k] - black[k]) / 200.0).collect();
        for (left, expected) in contrast.iter().zip([0.88, 0.82, 0.64]) {
            assert!((left - expected).abs() < 0.03, "{contrast:?}");
        }
        let (_, calm) = shot(120, 0.1);
        let (_, wild) = shot(120, 1.0);
        assert!(calm < 5 && wild > 40, "{calm} and {wild} levels among blocks");
    }

    #[test]
    fn what_never_came_is_grey() {
        let mut image = grey(30);
        damage(&mut image, Damage::Missing, 0.5, 0.0, 1);
        let is_grey = |y: u32| image.get_pixel(3, y).0 == [128; 3];
        assert!(!is_grey(59) && is_grey(60) && is_grey(119));
        assert_eq!(image.get_pixel(3, 59).0, [30; 3]);
    }
}
