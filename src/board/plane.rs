//! A picture's luminance as numbers: reduced, smoothed, sampled between pixels.

use crate::frame::Frame;

/// Luminance of a picture, row by row, in grey levels 0 to 255. Pixel centres are at whole coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plane {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<f32>,
}

impl Plane {
    /// The picture with blocks of `factor` × `factor` pixels averaged; an incomplete block at the edge is dropped
    /// unless it is the only one.
    pub(crate) fn reduced(frame: &Frame<'_>, factor: u32) -> Self {
        let factor = factor.max(1);
        let (width, height) = ((frame.width() / factor).max(1), (frame.height() / factor).max(1));
        let mut data = Vec::with_capacity(width as usize * height as usize);
        let mut sums = vec![0_u32; width as usize];
        let mut row = Vec::with_capacity(frame.width() as usize);
        let per_block = 1.0 / (factor * factor) as f32;
        let columns = width as usize * factor as usize;
        for y in 0..height {
            sums.fill(0);
            for dy in 0..factor {
                frame.luma_row(y * factor + dy, &mut row);
                // A picture narrower than a block repeats its edge.
                row.resize(columns, row.last().copied().unwrap_or(0));
                add_blocks(&mut sums, &row, factor as usize);
            }
            data.extend(sums.iter().map(|s| *s as f32 * per_block));
        }
        Self { width: width as usize, height: height as usize, data }
    }

    /// Value at a pixel; coordinates beyond the edge read the edge.
    #[cfg(test)]
    pub(crate) fn at(&self, x: isize, y: isize) -> f32 {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.data[y * self.width + x]
    }

    /// Value between pixels, bilinear; the place must be a pixel or more inside of the edges.
    pub(crate) fn between(&self, x: f64, y: f64) -> f32 {
        let (x0, y0) = (x.max(0.0) as usize, y.max(0.0) as usize);
        let i = y0.min(self.height.saturating_sub(2)) * self.width + x0.min(self.width.saturating_sub(2));
        let (fx, fy) = ((x - x0 as f64) as f32, (y - y0 as f64) as f32);
        let d = &self.data;
        let top = d[i] + fx * (d[i + 1] - d[i]);
        let bottom = d[i + self.width] + fx * (d[i + self.width + 1] - d[i + self.width]);
        top + fy * (bottom - top)
    }

    /// What is made of the second derivatives (along x, along y, mixed) at each pixel; 0 at the edges.
    pub(crate) fn curvature(&self, of: impl Fn(f32, f32, f32) -> f32) -> Vec<f32> {
        let w = self.width;
        let mut out = vec![0.0_f32; self.data.len()];
        for y in 1..self.height - 1 {
            let row = |y: usize| &self.data[y * w..(y + 1) * w];
            let (above, here, below) = (row(y - 1), row(y), row(y + 1));
            let out = &mut out[y * w + 1..(y + 1) * w - 1];
            // Slices of one length, shifted against each other: no bounds are checked in the loop.
            let n = w - 2;
            let (a0, a1, a2) = (&above[..n], &above[1..=n], &above[2..]);
            let (h0, h1, h2) = (&here[..n], &here[1..=n], &here[2..]);
            let (b0, b1, b2) = (&below[..n], &below[1..=n], &below[2..]);
            for x in 0..n {
                let twice = 2.0 * h1[x];
                let (xx, yy) = (h0[x] - twice + h2[x], a1[x] - twice + b1[x]);
                let xy = 0.25 * (a0[x] + b2[x] - a2[x] - b0[x]);
                out[x] = of(xx, yy, xy);
            }
        }
        out
    }

    /// Without light lines and specks narrower than `2 * reach + 1` pixels: the greatest of the least values around
    /// (J. Serra, "Image analysis and mathematical morphology", 1982: the opening by a square). What is darker stays.
    pub(crate) fn opened(&self, reach: usize) -> Self {
        self.extreme(reach, f32::min).extreme(reach, f32::max)
    }

    /// The same for dark lines: the closing.
    pub(crate) fn closed(&self, reach: usize) -> Self {
        self.extreme(reach, f32::max).extreme(reach, f32::min)
    }

    /// The least or greatest value in a square around each pixel, edges repeated.
    fn extreme(&self, reach: usize, pick: impl Fn(f32, f32) -> f32) -> Self {
        let (w, h) = (self.width, self.height);
        let mut rows = self.data.clone();
        for (line, out) in self.data.chunks_exact(w).zip(rows.chunks_exact_mut(w)) {
            for d in 1..=reach.min(w - 1) {
                // Each pixel with the one d to its right, and the other way round.
                out[..w - d].iter_mut().zip(&line[d..]).for_each(|(o, v)| *o = pick(*o, *v));
                out[d..].iter_mut().zip(&line[..w - d]).for_each(|(o, v)| *o = pick(*o, *v));
            }
        }
        let mut data = rows.clone();
        for (y, out) in data.chunks_exact_mut(w).enumerate() {
            for v in y.saturating_sub(reach)..=(y + reach).min(h - 1) {
                out.iter_mut().zip(&rows[v * w..(v + 1) * w]).for_each(|(o, v)| *o = pick(*o, *v));
            }
        }
        Self { width: w, height: h, data }
    }

    /// Smoothed by a Gaussian of `sigma` pixels, edges repeated.
    pub(crate) fn blurred(&self, sigma: f32) -> Self {
        // Three sigma hold 99.7 % of the weight.
        let radius = (3.0 * sigma).ceil() as isize;
        let weight = |d: isize| (-((d * d) as f32) / (2.0 * sigma * sigma)).exp();
        let total: f32 = (-radius..=radius).map(weight).sum();
        let kernel: Vec<f32> = (-radius..=radius).map(|d| weight(d) / total).collect();
        let (w, h) = (self.width, self.height as isize);
        let radius = radius as usize;
        let half = &kernel[radius..];
        let mut rows = vec![0.0; self.data.len()];
        let mut padded = vec![0.0; w + 2 * radius];
        for (line, out) in self.data.chunks_exact(w).zip(rows.chunks_exact_mut(w)) {
            padded[..radius].fill(line[0]);
            padded[radius..radius + w].copy_from_slice(line);
            padded[radius + w..].fill(line[w - 1]);
            weigh(out, half, |d| (&padded[radius - d..radius - d + w], &padded[radius + d..radius + d + w]));
        }
        let mut data = vec![0.0; self.data.len()];
        let row = |y: isize| {
            let from = y.clamp(0, h - 1) as usize * w;
            &rows[from..from + w]
        };
        for (y, out) in data.chunks_exact_mut(w).enumerate() {
            let y = y as isize;
            weigh(out, half, |d| (row(y - d as isize), row(y + d as isize)));
        }
        Self { width: self.width, height: self.height, data }
    }
}

/// Adds to each sum its block of `factor` values of a row.
fn add_blocks(sums: &mut [u32], row: &[u8], factor: usize) {
    match factor {
        1 => sums.iter_mut().zip(row).for_each(|(s, v)| *s += u32::from(*v)),
        // Written out: the compiler then takes many blocks at once.
        2 => {
            let blocks = row.chunks_exact(2);
            sums.iter_mut().zip(blocks).for_each(|(s, b)| *s += u32::from(b[0]) + u32::from(b[1]));
        }
        _ => {
            let blocks = row.chunks_exact(factor);
            sums.iter_mut().zip(blocks).for_each(|(s, b)| *s += b.iter().map(|v| u32::from(*v)).sum::<u32>());
        }
    }
}

/// A row of a symmetric filter: `half` has its weights from the middle outwards, `pair` the rows at a distance on
/// either side.
fn weigh<'a>(out: &mut [f32], half: &[f32], pair: impl Fn(usize) -> (&'a [f32], &'a [f32])) {
    let (middle, _) = pair(0);
    out.iter_mut().zip(middle).for_each(|(o, v)| *o = half[0] * v);
    for (d, weight) in half.iter().enumerate().skip(1) {
        let (before, after) = pair(d);
        for ((o, a), b) in out.iter_mut().zip(before).zip(after) {
            *o += weight * (a + b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    #[test]
    fn reduction_averages_blocks() {
        let data = [0, 10, 100, 100, 7, 20, 30, 100, 100, 7];
        let frame = Frame::new(5, 2, 5, PixelFormat::Mono8, &data).expect("a frame");
        let plane = Plane::reduced(&frame, 2);
        assert_eq!((plane.width, plane.height), (2, 1));
        assert_eq!(plane.data, [15.0, 100.0]);
    }

    #[test]
    fn tiny_pictures_are_no_trouble() {
        let frame = Frame::new(1, 1, 1, PixelFormat::Mono8, &[9]).expect("a frame");
        let plane = Plane::reduced(&frame, 4).blurred(2.0);
        assert_eq!((plane.width, plane.height), (1, 1));
        assert!((plane.at(-3, 5) - 9.0).abs() < 1e-4);
    }

    #[test]
    fn an_opening_takes_thin_light_lines_and_nothing_else() {
        let data: Vec<u8> = (0..20 * 20)
            .map(|i| match (i % 20, i / 20) {
                (9 | 10, _) => 250,
                (x, _) if x < 9 => 80,
                _ => 30,
            })
            .collect();
        let frame = Frame::new(20, 20, 20, PixelFormat::Mono8, &data).expect("a frame");
        let plane = Plane::reduced(&frame, 1);
        let opened = plane.opened(2);
        assert!((0..20).all(|x| opened.at(x, 10) == if x < 11 { 80.0 } else { 30.0 }));
        assert_eq!(plane.closed(2).at(9, 3), 250.0);
        // A closing is the opening of the negative.
        let negative = |p: &Plane| Plane { data: p.data.iter().map(|v| 255.0 - v).collect(), ..p.clone() };
        assert_eq!(negative(&negative(&plane).opened(3)), plane.closed(3));
        let dot = Plane { width: 1, height: 1, data: vec![7.0] };
        assert_eq!(dot.opened(4), dot);
    }

    #[test]
    fn blur_keeps_the_mean_and_a_constant() {
        let mut data = vec![50_u8; 41 * 41];
        data[20 * 41 + 20] = 150;
        let frame = Frame::new(41, 41, 41, PixelFormat::Mono8, &data).expect("a frame");
        let blurred = Plane::reduced(&frame, 1).blurred(2.0);
        let sum: f32 = blurred.data.iter().map(|v| v - 50.0).sum();
        assert!((sum - 100.0).abs() < 0.1, "{sum}");
        assert!(blurred.at(20, 20) > blurred.at(21, 20));
        assert!((blurred.at(22, 20) - blurred.at(20, 22)).abs() < 1e-3);
    }
}
