//! What compression in the camera leaves of a picture: JPEG as webcams send it.
//!
//! Colours are kept for pairs of pixels (4:2:2), blocks of 8×8 are transformed, rounded to the steps of the standard's
//! tables at a quality, and transformed back. The lossless coding of what is left would change nothing and is left out.
//! Transforms: Y. Arai, T. Agui, M. Nakajima, "A fast DCT-SQ scheme for images", 1988. Eight columns are transformed
//! side by side; sums are in a fixed order, so that bytes do not depend on the machine.

use crate::sim::math;

/// A row of a block.
type Row = [f32; 8];
/// 8×8 values.
type Block = [Row; 8];

/// The standard's table for brightness (ITU-T T.81, annex K).
const LUMA: [u8; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];
/// Its table for colour.
const CHROMA: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99,
];
/// Factors that the transforms leave out: cos(kπ/16)·√2, 1 for k = 0.
const SCALE: Row = [1.0, 1.387_039_8, 1.306_563, 1.175_875_6, 1.0, 0.785_694_96, 0.541_196_1, 0.275_899_38];

/// A codec of one quality.
#[derive(Debug, Clone)]
pub(super) struct Mjpeg {
    /// What coefficients are multiplied by before rounding, and after it: brightness, colour.
    tables: [[Block; 2]; 2],
    /// A band of eight rows: brightness of each pixel, two colours of each pair.
    luma: Vec<f32>,
    chroma: [Vec<f32>; 2],
    /// One row: levels, and the colours spread over their pairs.
    levels: Vec<f32>,
    spread: [Vec<f32>; 2],
}

impl Mjpeg {
    /// A codec of a quality from 1 to 100, in the scale of the Independent JPEG Group.
    #[must_use]
    pub fn new(quality: u8) -> Self {
        let quality = i32::from(quality.clamp(1, 100));
        let scale = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
        let tables = [LUMA, CHROMA].map(|table| {
            let mut pair = [[[0.0; 8]; 8]; 2];
            for (i, step) in table.iter().enumerate() {
                let step = ((i32::from(*step) * scale + 50) / 100).clamp(1, 255) as f32;
                let factor = SCALE[i / 8] * SCALE[i % 8];
                pair[0][i / 8][i % 8] = 1.0 / (step * factor * 8.0);
                pair[1][i / 8][i % 8] = step * factor / 8.0;
            }
            pair
        });
        Self { tables, luma: vec![], chroma: [vec![], vec![]], levels: vec![], spread: [vec![], vec![]] }
    }

    /// Compresses and decompresses a picture of `width`×`height` pixels of red, green and blue, in place.
    pub fn pass(&mut self, bytes: &mut [u8], width: usize, height: usize) {
        // Whole blocks: the last column and row are repeated.
        let wide = width.next_multiple_of(16);
        self.luma.resize(8 * wide, 0.0);
        self.levels.resize(3 * wide, 0.0);
        self.chroma.iter_mut().for_each(|plane| plane.resize(8 * wide / 2, 0.0));
        self.spread.iter_mut().for_each(|row| row.resize(wide, 0.0));
        for first in (0..height).step_by(8) {
            for y in 0..8 {
                let row = (first + y).min(height - 1);
                self.take(&bytes[3 * width * row..][..3 * width], y);
            }
            blocks(&mut self.luma, wide, &self.tables[0]);
            self.chroma.iter_mut().for_each(|plane| blocks(plane, wide / 2, &self.tables[1]));
            for y in 0..8.min(height - first) {
                self.give(&mut bytes[3 * width * (first + y)..][..3 * width], y);
            }
        }
    }

    /// Takes a row of bytes into the band.
    fn take(&mut self, row: &[u8], y: usize) {
        let wide = self.levels.len() / 3;
        let (levels, beyond) = self.levels.split_at_mut(row.len());
        levels.iter_mut().zip(row).for_each(|(level, byte)| *level = f32::from(*byte));
        if let Some(last) = levels.last_chunk::<3>() {
            beyond.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(last));
        }
        let luma = &mut self.luma[y * wide..][..wide];
        for (luma, [red, green, blue]) in luma.iter_mut().zip(self.levels.as_chunks::<3>().0) {
            *luma = 0.299 * red + 0.587 * green + 0.114 * blue - 128.0;
        }
        let [blues, reds] = &mut self.chroma;
        let [blues, reds] = [blues, reds].map(|plane| &mut plane[y * wide / 2..][..wide / 2]);
        for ((blue, red), [a, b, c, d, e, f]) in blues.iter_mut().zip(reds).zip(self.levels.as_chunks::<6>().0) {
            let sum = [a + d, b + e, c + f];
            *blue = -0.084_368 * sum[0] - 0.165_632 * sum[1] + 0.25 * sum[2];
            *red = 0.25 * sum[0] - 0.209_344 * sum[1] - 0.040_656 * sum[2];
        }
    }

    /// Gives a row of the band back as bytes.
    fn give(&mut self, row: &mut [u8], y: usize) {
        let wide = self.levels.len() / 3;
        for (plane, spread) in self.chroma.iter().zip(&mut self.spread) {
            let plane = &plane[y * wide / 2..][..wide / 2];
            // Between the middles of the pairs.
            for (i, [left, right]) in spread.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let beside = [plane[i.saturating_sub(1)], plane[(i + 1).min(wide / 2 - 1)]];
                [*left, *right] = beside.map(|beside| 0.75 * plane[i] + 0.25 * beside);
            }
        }
        let colours = self.spread[0].iter().zip(&self.spread[1]);
        let pixels = self.luma[y * wide..][..wide].iter().zip(colours);
        for (level, (luma, (cb, cr))) in self.levels.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
            let bright = luma + 128.5;
            *level = [bright + 1.402 * cr, bright - 0.344_136 * cb - 0.714_136 * cr, bright + 1.772 * cb];
        }
        row.iter_mut().zip(&self.levels).for_each(|(byte, level)| *byte = math::whole(*level, 255.0) as u8);
    }
}

/// Rounds the coefficients of all blocks of a plane.
fn blocks(plane: &mut [f32], width: usize, [down, up]: &[Block; 2]) {
    for band in plane.chunks_exact_mut(8 * width) {
        for x in (0..width).step_by(8) {
            let mut block = [[0.0; 8]; 8];
            for (y, row) in block.iter_mut().enumerate() {
                row.copy_from_slice(&band[y * width + x..][..8]);
            }
            let mut block = forward(transposed(forward(block)));
            for (row, (down, up)) in block.iter_mut().zip(down.iter().zip(up)) {
                for k in 0..8 {
                    // Adding and taking away 1.5·2²³ rounds to whole numbers.
                    row[k] = ((row[k] * down[k] + 12_582_912.0) - 12_582_912.0) * up[k];
                }
            }
            let block = inverse(transposed(inverse(block)));
            for (y, row) in block.iter().enumerate() {
                band[y * width + x..][..8].copy_from_slice(row);
            }
        }
    }
}

fn transposed(b: Block) -> Block {
    std::array::from_fn(|y| std::array::from_fn(|x| b[x][y]))
}

fn add(a: Row, b: Row) -> Row {
    std::array::from_fn(|k| a[k] + b[k])
}

fn sub(a: Row, b: Row) -> Row {
    std::array::from_fn(|k| a[k] - b[k])
}

fn times(a: Row, factor: f32) -> Row {
    std::array::from_fn(|k| a[k] * factor)
}

/// Transforms columns.
fn forward(b: Block) -> Block {
    let [s0, s1, s2, s3] = [0, 1, 2, 3].map(|k| add(b[k], b[7 - k]));
    let [d0, d1, d2, d3] = [0, 1, 2, 3].map(|k| sub(b[k], b[7 - k]));
    let (t0, t3, t1, t2) = (add(s0, s3), sub(s0, s3), add(s1, s2), sub(s1, s2));
    let z1 = times(add(t2, t3), 0.707_106_77);
    let (u0, u1, u2) = (add(d3, d2), add(d2, d1), add(d1, d0));
    let z5 = times(sub(u0, u2), 0.382_683_43);
    let z2 = add(times(u0, 0.541_196_1), z5);
    let z4 = add(times(u2, 1.306_563), z5);
    let z3 = times(u1, 0.707_106_77);
    let (z11, z13) = (add(d0, z3), sub(d0, z3));
    [add(t0, t1), add(z11, z4), add(t3, z1), sub(z13, z2), sub(t0, t1), add(z13, z2), sub(t3, z1), sub(z11, z4)]
}

/// Transforms columns back.
fn inverse(b: Block) -> Block {
    let (t0, t1) = (add(b[0], b[4]), sub(b[0], b[4]));
    let t3 = add(b[2], b[6]);
    let t2 = sub(times(sub(b[2], b[6]), std::f32::consts::SQRT_2), t3);
    let (e0, e3, e1, e2) = (add(t0, t3), sub(t0, t3), add(t1, t2), sub(t1, t2));
    let (z13, z10) = (add(b[5], b[3]), sub(b[5], b[3]));
    let (z11, z12) = (add(b[1], b[7]), sub(b[1], b[7]));
    let o7 = add(z11, z13);
    let o11 = times(sub(z11, z13), std::f32::consts::SQRT_2);
    let z5 = times(add(z10, z12), 1.847_759);
    let o10 = sub(z5, times(z12, 1.082_392_2));
    let o12 = sub(z5, times(z10, 2.613_126));
    let o6 = sub(o12, o7);
    let o5 = sub(o11, o6);
    let o4 = sub(o10, o5);
    [add(e0, o7), add(e1, o6), add(e2, o5), add(e3, o4), sub(e3, o4), sub(e2, o5), sub(e1, o6), sub(e0, o7)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::dice::Dice;

    /// Smooth colours with edges and some noise.
    fn picture(width: usize, height: usize) -> Vec<u8> {
        let mut dice = Dice::new(1, 1);
        (0..width * height)
            .flat_map(|i| {
                let (x, y) = (i % width, i / width);
                let edge = if (x / 19 + y / 23) % 2 == 0 { 60.0 } else { 0.0 };
                [(3.0, 0.2), (1.0, 0.9), (0.4, 0.5)].map(|(a, b)| {
                    (60.0 + edge + a * 20.0 * (x as f64 / width as f64) + b * y as f64 + dice.between(-4.0, 4.0)) as u8
                })
            })
            .collect()
    }

    fn rms(a: &[u8], b: &[u8]) -> f64 {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
        (sum / a.len() as f64).sqrt()
    }

    #[test]
    fn the_transform_is_the_cosine_transform_and_its_inverse_undoes_it() {
        let mut dice = Dice::new(4, 4);
        let block: Block = std::array::from_fn(|_| std::array::from_fn(|_| dice.between(-128.0, 127.0) as f32));
        let coefficients = forward(transposed(forward(block)));
        for v in 0..8 {
            for u in 0..8 {
                let wave = |i: usize, k: usize| (std::f64::consts::PI * (2 * i + 1) as f64 * k as f64 / 16.0).cos();
                let part = |k: usize| if k == 0 { 0.125f64.sqrt() } else { 0.5 };
                let sum: f64 = (0..64).map(|i| f64::from(block[i / 8][i % 8]) * wave(i % 8, u) * wave(i / 8, v)).sum();
                let ours = f64::from(coefficients[u][v]) / (8.0 * f64::from(SCALE[u] * SCALE[v]));
                assert!((sum * part(u) * part(v) - ours).abs() < 1e-3, "{u} {v}: {ours}");
            }
        }
        let mut scaled = coefficients;
        scaled.iter_mut().flatten().for_each(|value| *value /= 64.0);
        let back = inverse(transposed(inverse(scaled)));
        assert!((0..64).all(|i| (back[i / 8][i % 8] - block[i / 8][i % 8]).abs() < 1e-3));
    }

    #[test]
    fn lower_quality_loses_more_as_a_real_codec_does() {
        for (width, height) in [(160, 120), (75, 61)] {
            let original = picture(width, height);
            let mut last = 0.0;
            for quality in [98, 90, 70, 40, 15] {
                let mut ours = original.clone();
                Mjpeg::new(quality).pass(&mut ours, width, height);
                let image = image::RgbImage::from_raw(width as u32, height as u32, original.clone()).unwrap();
                let real = crate::sim::output::jpeg(&image, quality).unwrap();
                let real = image::load_from_memory(&real).unwrap().to_rgb8().into_raw();
                let (loss, usual) = (rms(&ours, &original), rms(&real, &original));
                assert!(loss > last, "quality {quality} loses {loss}, the better one {last}");
                assert!((0.6..1.7).contains(&(loss / usual)), "quality {quality}: {loss:.2}, another codec {usual:.2}");
                last = loss;
            }
        }
    }

    #[test]
    fn an_even_picture_stays_even() {
        let mut grey = vec![120u8; 3 * 40 * 24];
        Mjpeg::new(90).pass(&mut grey, 40, 24);
        assert!(grey.iter().all(|v| v.abs_diff(120) <= 1), "{:?}", &grey[..9]);
    }
}
