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
        let per_block = 1.0 / (factor * factor) as f32;
        for y in 0..height {
            sums.fill(0);
            for dy in 0..factor {
                for (x, sum) in sums.iter_mut().enumerate() {
                    for dx in 0..factor {
                        *sum += u32::from(frame.luma(x as u32 * factor + dx, y * factor + dy));
                    }
                }
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

    /// Smoothed by a Gaussian of `sigma` pixels, edges repeated.
    pub(crate) fn blurred(&self, sigma: f32) -> Self {
        // Three sigma hold 99.7 % of the weight.
        let radius = (3.0 * sigma).ceil() as isize;
        let weight = |d: isize| (-((d * d) as f32) / (2.0 * sigma * sigma)).exp();
        let total: f32 = (-radius..=radius).map(weight).sum();
        let kernel: Vec<f32> = (-radius..=radius).map(|d| weight(d) / total).collect();
        let (w, h) = (self.width as isize, self.height as isize);
        let mut rows = vec![0.0; self.data.len()];
        let mut padded = vec![0.0; self.width + 2 * radius as usize];
        for y in 0..self.height {
            for (i, p) in padded.iter_mut().enumerate() {
                *p = self.data[y * self.width + (i as isize - radius).clamp(0, w - 1) as usize];
            }
            for (x, out) in rows[y * self.width..(y + 1) * self.width].iter_mut().enumerate() {
                *out = kernel.iter().zip(&padded[x..]).map(|(k, p)| k * p).sum();
            }
        }
        let mut data = vec![0.0; self.data.len()];
        for y in 0..h {
            let out = &mut data[y as usize * self.width..(y as usize + 1) * self.width];
            for (k, dy) in kernel.iter().zip(-radius..=radius) {
                let from = (y + dy).clamp(0, h - 1) as usize * self.width;
                for (o, v) in out.iter_mut().zip(&rows[from..from + self.width]) {
                    *o += k * v;
                }
            }
        }
        Self { width: self.width, height: self.height, data }
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
