//! From light to bytes: blur, vignetting, exposure, noise.

use super::{
    mesh::V3,
    raster::Rect,
    render::Picture,
    scene::Scene,
    texture::{Dice, mix},
};

/// Steps of the table from linear light to sRGB.
const STEPS: usize = 4096;
/// Entries of the table of normal deviates.
const DEVIATES: usize = 1 << 14;

/// A sensor behind a lens.
#[derive(Debug)]
pub struct Sensor {
    kernel: Vec<f32>,
    blurred: Vec<V3>,
    scratch: Vec<V3>,
    vignette: Vec<f32>,
    srgb: Vec<f32>,
    deviates: Vec<f32>,
    noise: f32,
    exposure: f64,
    drift: f64,
    period_s: f64,
    phase: f64,
    seed: u64,
}

impl Sensor {
    /// The sensor of a scene; `seed` decides its noise.
    #[must_use]
    pub fn new(scene: &Scene, seed: u64) -> Self {
        let setup = &scene.sensor;
        let sigma = setup.blur_px as f32;
        let reach = if sigma < 0.15 { 0 } else { (2.6 * sigma).ceil() as i32 };
        let mut kernel: Vec<f32> =
            (-reach..=reach).map(|i| (-0.5 * (i as f32 / sigma.max(0.15)).powi(2)).exp()).collect();
        let sum: f32 = kernel.iter().sum();
        kernel.iter_mut().for_each(|k| *k /= sum);
        let (w, h) = (scene.camera.width as usize, scene.camera.height as usize);
        let (cx, cy) = ((w as f32 - 1.0) / 2.0, (h as f32 - 1.0) / 2.0);
        let corner = cx * cx + cy * cy;
        let lost = setup.vignetting as f32;
        let vignette = (0..w * h)
            .map(|i| {
                let (x, y) = ((i % w) as f32 - cx, (i / w) as f32 - cy);
                1.0 - lost * (x * x + y * y) / corner
            })
            .collect();
        let srgb = (0..=STEPS)
            .map(|i| {
                let v = i as f32 / STEPS as f32;
                255.0 * if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
            })
            .collect();
        let mut dice = Dice::new(seed, 0x5e);
        let deviates = (0..DEVIATES)
            .map(|_| {
                // Box and Muller, "A note on the generation of random normal deviates", 1958.
                let (u, v) = (1.0 - dice.unit(), dice.unit());
                ((-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()) as f32
            })
            .collect();
        Self {
            kernel,
            blurred: vec![V3::zeros(); w * h],
            scratch: vec![V3::zeros(); w * h],
            vignette,
            srgb,
            deviates,
            noise: setup.noise_sigma as f32,
            exposure: setup.exposure,
            drift: setup.drift,
            period_s: setup.drift_period_s,
            phase: std::f64::consts::TAU * dice.unit(),
            seed,
        }
    }

    /// A picture's bytes. `changed` is the rectangle that differs from the picture before; `frame` numbers the noise.
    pub fn expose(&mut self, picture: &Picture, changed: Rect, frame: u64, time_s: f64) -> image::RgbImage {
        self.blur(picture, changed);
        let swing = (std::f64::consts::TAU * time_s / self.period_s + self.phase).sin();
        let gain = (self.exposure * (1.0 + self.drift * swing)) as f32 * STEPS as f32;
        let mut bytes = vec![0u8; 3 * self.blurred.len()];
        let mut state = mix(self.seed ^ mix(frame));
        for ((out, light), vignette) in bytes.chunks_exact_mut(3).zip(&self.blurred).zip(&self.vignette) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut random = (state ^ (state >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            random ^= random >> 29;
            for k in 0..3 {
                let linear = (light[k] * gain * vignette).clamp(0.0, STEPS as f32);
                let level = self.srgb[linear as usize];
                // Read-out noise, and shot noise that gamma flattens: strongest in the darks' middle, little in white.
                let sigma = self.noise * (1.15 - 0.5 * level / 255.0);
                let deviate = self.deviates[(random >> (18 * k)) as usize & (DEVIATES - 1)];
                out[k] = (level + sigma * deviate + 0.5).clamp(0.0, 255.0) as u8;
            }
        }
        image::RgbImage::from_raw(picture.width as u32, picture.height as u32, bytes).unwrap_or_default()
    }

    /// Gaussian blur of a rectangle and its surroundings.
    fn blur(&mut self, picture: &Picture, changed: Rect) {
        let (w, h) = (picture.width, picture.height);
        let reach = self.kernel.len() / 2;
        let outer = changed.grown(reach, [w, h]);
        if outer.is_empty() {
            return;
        }
        let rows = outer.grown(reach, [w, h]);
        for y in rows.low[1]..rows.high[1] {
            for x in outer.low[0]..outer.high[0] {
                let mut sum = V3::zeros();
                for (k, weight) in self.kernel.iter().enumerate() {
                    let from = (x + k).saturating_sub(reach).min(w - 1);
                    sum += picture.pixels[y * w + from] * *weight;
                }
                self.scratch[y * w + x] = sum;
            }
        }
        for y in outer.low[1]..outer.high[1] {
            for x in outer.low[0]..outer.high[0] {
                let mut sum = V3::zeros();
                for (k, weight) in self.kernel.iter().enumerate() {
                    let from = (y + k).saturating_sub(reach).min(h - 1);
                    sum += self.scratch[from * w + x] * *weight;
                }
                self.blurred[y * w + x] = sum;
            }
        }
    }
}
