//! From light to bytes: blur, vignetting, haze, exposure, noise, compression.

use super::{mjpeg::Mjpeg, readout::Readout, render::Picture};
use crate::sim::{
    dice::{Dice, mix},
    grid::Rect,
    light::lightline::{Band, LightNow},
    math::{self, V3},
    scene::{Scene, Sensor as Setup, Standpoint},
};

/// Steps of the table from linear light to sRGB.
const STEPS: usize = 4096;
/// Side of the tile of noise, in pixels: beyond any structure that an observer compares within a picture.
const TILE: usize = 256;
/// The exposure follows what every so many pixels show, along rows and columns.
const METER: usize = 8;
/// Greatest and least gain of the automatic exposure, as logarithm: a factor of 8.
const GAIN_LOG: f64 = 2.079_441_541_679_835_7;

/// A sensor behind a lens.
#[derive(Debug)]
pub struct Sensor {
    setup: Setup,
    kernel: Vec<f32>,
    blurred: Vec<V3>,
    scratch: Vec<V3>,
    vignette: Vec<f32>,
    srgb: Vec<f32>,
    /// Correlated deviates of red, green and blue, of variance 1.
    noise: Vec<[f32; 3]>,
    phases: [f64; 2],
    seed: u64,
    readout: Readout,
    mjpeg: Mjpeg,
    shade: Shade,
    meter: Meter,
}

/// Where each pixel looks, and what shadows of people leave of its light.
#[derive(Debug, Default)]
struct Shade {
    ground: Vec<[f32; 2]>,
    light: Vec<[f32; 3]>,
    bands: Vec<Band>,
}

/// The automatic exposure.
#[derive(Debug, Default)]
struct Meter {
    /// Mean of the first picture: the camera was set for that.
    first: Option<f64>,
    gain_log: f64,
    time_s: f64,
}

impl Sensor {
    /// The sensor of a scene; `seed` decides its noise.
    #[must_use]
    pub fn new(scene: &Scene, seed: u64) -> Self {
        let setup = scene.sensor.clone();
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
                let v = i as f64 / STEPS as f64;
                let level = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * math::pow(v, 1.0 / 2.4) - 0.055 };
                let s_curve = level * level * (3.0 - 2.0 * level);
                (255.0 * ((1.0 - setup.contrast) * level + setup.contrast * s_curve)) as f32
            })
            .collect();
        let mut dice = Dice::new(seed, 0x5e);
        Self {
            kernel: gaussian(setup.blur_px),
            blurred: vec![V3::zeros(); w * h],
            scratch: vec![V3::zeros(); w * h],
            vignette,
            srgb,
            noise: noise(setup.noise_grain_px, &mut dice),
            phases: [0, 1].map(|_| std::f64::consts::TAU * dice.unit()),
            seed,
            readout: Readout::new(scene),
            mjpeg: Mjpeg::new(setup.jpeg_quality),
            shade: Shade::default(),
            meter: Meter::default(),
            setup,
        }
    }

    /// The camera looks elsewhere from now on.
    pub fn moved(&mut self) {
        self.shade = Shade::default();
    }

    /// A picture's bytes. `changed` are rectangles outside of which nothing differs from
    /// the picture before; `frame` numbers the noise.
    pub fn expose(
        &mut self,
        picture: &Picture,
        changed: &[Rect],
        frame: u64,
        time_s: f64,
        light: &LightNow,
        standpoint: &Standpoint,
    ) -> image::RgbImage {
        changed.iter().for_each(|rect| self.blur(picture, *rect));
        self.shade.update(light, standpoint);
        let setup = &self.setup;
        let swing = |period_s: f64, phase: f64| math::sin_cos(std::f64::consts::TAU * time_s / period_s + phase).0;
        let mean = self.mean(picture, light);
        let auto = self.meter.follow(setup, mean.iter().sum::<f64>() / 3.0, time_s) * self.readout.gain(time_s);
        let drift = 1.0 + setup.drift * swing(setup.drift_period_s, self.phases[0]);
        let warm = setup.white_balance_drift * swing(setup.white_balance_period_s, self.phases[1]);
        let balance = [1.0 + warm, 1.0, 1.0 - warm];
        let gain = [0, 1, 2]
            .map(|k| (setup.exposure * auto * drift * balance[k] * f64::from(light.factors[k]) * STEPS as f64) as f32);
        // What strays in the lens is light of the same lamps.
        let haze = mean.map(|v| (setup.haze * v) as f32);
        let haze = [0, 1, 2].map(|k| haze[k] / light.factors[k].max(1e-6));
        // Shot noise: light that is amplified has as many times fewer quanta.
        let sigma = (setup.noise_sigma * auto.max(1.0).sqrt()) as f32;
        let start = mix(self.seed ^ mix(frame)) as usize;
        let (from_x, from_y) = (start % TILE, (start / TILE) % TILE);
        let (width, height) = (picture.width, picture.height);
        let seen = self.readout.read(&self.blurred, width, time_s);
        let mut bytes = vec![0u8; 3 * seen.len()];
        for (y, row) in bytes.chunks_exact_mut(3 * width).enumerate() {
            let at = y * width;
            let noise = &self.noise[((y + from_y) % TILE) * TILE..][..TILE];
            let shade = self.shade.light.get(at..at + width);
            for (x, out) in row.chunks_exact_mut(3).enumerate() {
                let light = &seen[at + x];
                let lens = shade.map_or([1.0; 3], |s| s[x]).map(|s| self.vignette[at + x] * s);
                let deviate = &noise[(x + from_x) % TILE];
                for k in 0..3 {
                    let linear = ((light[k] * lens[k] + haze[k]) * gain[k]).clamp(0.0, STEPS as f32);
                    let level = self.srgb[linear as usize];
                    // Read-out noise, and shot noise that gamma flattens: strongest in the darks, little in white.
                    let spread = sigma * (1.15 - (0.5 / 255.0) * level);
                    out[k] = (level + spread * deviate[k] + 0.5).clamp(0.0, 255.0) as u8;
                }
            }
        }
        if setup.mjpeg {
            self.mjpeg.pass(&mut bytes, width, height);
        }
        image::RgbImage::from_raw(width as u32, height as u32, bytes).unwrap_or_default()
    }

    /// Mean linear light of the picture, all changes of light included, at the scene's exposure.
    fn mean(&self, picture: &Picture, light: &LightNow) -> [f64; 3] {
        let (mut sum, mut n) = ([0.0; 3], 0.0f64);
        for y in (METER / 2..picture.height).step_by(METER) {
            for x in (METER / 2..picture.width).step_by(METER) {
                let i = y * picture.width + x;
                let lens = self.shade.light.get(i).unwrap_or(&[1.0; 3]).map(|s| self.vignette[i] * s);
                for (k, sum) in sum.iter_mut().enumerate() {
                    *sum += f64::from(self.blurred[i][k] * lens[k]);
                }
                n += 1.0;
            }
        }
        [0, 1, 2].map(|k| sum[k] * f64::from(light.factors[k]) / n.max(1.0))
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
            let row = &picture.pixels[y * w..][..w];
            for x in outer.low[0]..outer.high[0] {
                let mut sum = V3::zeros();
                if x >= reach && x + reach < w {
                    for (weight, from) in self.kernel.iter().zip(&row[x - reach..]) {
                        sum += from * *weight;
                    }
                } else {
                    for (k, weight) in self.kernel.iter().enumerate() {
                        sum += row[(x + k).saturating_sub(reach).min(w - 1)] * *weight;
                    }
                }
                self.scratch[y * w + x] = sum;
            }
        }
        for y in outer.low[1]..outer.high[1] {
            let columns = y * w + outer.low[0]..y * w + outer.high[0];
            let n = columns.len();
            self.blurred[columns.clone()].fill(V3::zeros());
            for (k, weight) in self.kernel.iter().enumerate() {
                let from = (y + k).saturating_sub(reach).min(h - 1) * w + outer.low[0];
                for (sum, row) in self.blurred[columns.clone()].iter_mut().zip(&self.scratch[from..from + n]) {
                    *sum += row * *weight;
                }
            }
        }
    }
}

impl Shade {
    fn update(&mut self, light: &LightNow, standpoint: &Standpoint) {
        if light.bands.is_empty() {
            self.light.clear();
        } else if light.bands != self.bands || self.light.is_empty() {
            if self.ground.is_empty() {
                // People walk past the table, wherever the board is on it.
                let (camera, table_from_board) = (&standpoint.camera, standpoint.board_from_table.inverse());
                let pixels = (0..camera.height).flat_map(|y| (0..camera.width).map(move |x| (x, y)));
                let ground = pixels.map(|(x, y)| {
                    let ray = camera.ray(f64::from(x), f64::from(y));
                    // What looks over the table's edge sees the far room: nobody's shadow lies there.
                    let t = if ray.z < -1e-6 { -camera.centre.z / ray.z } else { 1e6 };
                    let p = camera.centre + ray * t;
                    table_from_board.at([p.x, p.y]).map(|v| v as f32)
                });
                self.ground = ground.collect();
            }
            let shaded = |p: &[f32; 2]| {
                let bands = light.bands.iter().map(|band| band.light(p[0], p[1]));
                bands.fold([1.0; 3], |all, band| [0, 1, 2].map(|k| all[k] * band[k]))
            };
            self.light.clear();
            self.light.extend(self.ground.iter().map(shaded));
        }
        self.bands.clone_from(&light.bands);
    }
}

impl Meter {
    /// The gain for a picture of a mean brightness. What is met first is the camera's setting.
    fn follow(&mut self, setup: &Setup, mean: f64, time_s: f64) -> f64 {
        let mean = mean.max(1e-6);
        let first = *self.first.get_or_insert(mean);
        let goal = (setup.auto_exposure * math::ln(first / mean)).clamp(-GAIN_LOG, GAIN_LOG);
        // The picture is exposed as the camera judged before it; in the time since it came nearer to its goal.
        let passed_s = (time_s - self.time_s).max(0.0);
        self.time_s = time_s;
        self.gain_log += (goal - self.gain_log) * (1.0 - math::exp(-passed_s / setup.auto_exposure_s));
        math::exp(self.gain_log)
    }
}

/// A Gaussian's weights; of one pixel where it is narrow.
pub(super) fn gaussian(sigma_px: f64) -> Vec<f32> {
    let reach = if sigma_px < 0.15 { 0 } else { (2.6 * sigma_px).ceil() as i32 };
    let weight = |i: i32| math::exp(-0.5 * f64::from(i * i) / (sigma_px * sigma_px).max(0.02));
    let sum: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|i| (weight(i) / sum) as f32).collect()
}

/// A tile of normal deviates that goes on at its edges, with grains of a size. Colours share a part of their noise, and
/// what they do not share is coarser, as demosaicing and noise reduction leave it.
fn noise(grain_px: f64, dice: &mut Dice) -> Vec<[f32; 3]> {
    let mut plane = |sigma_px: f64| {
        let white: Vec<f32> = (0..TILE * TILE)
            .map(|_| {
                // Box and Muller, "A note on the generation of random normal deviates", 1958.
                let (u, v) = (1.0 - dice.unit(), dice.unit());
                ((-2.0 * math::ln(u)).sqrt() * math::sin_cos(std::f64::consts::TAU * v).1) as f32
            })
            .collect();
        let kernel = gaussian(sigma_px);
        let reach = kernel.len() / 2;
        // The filter keeps the variance.
        let energy: f32 = kernel.iter().map(|w| w * w).sum();
        let along = |from: &[f32], step: [usize; 2]| -> Vec<f32> {
            (0..TILE * TILE)
                .map(|i| {
                    let (x, y) = (i % TILE, i / TILE);
                    let tap = |k: usize| {
                        let (dx, dy) = ((k + TILE - reach) * step[0], (k + TILE - reach) * step[1]);
                        from[((y + dy) % TILE) * TILE + (x + dx) % TILE]
                    };
                    kernel.iter().enumerate().map(|(k, w)| w * tap(k)).sum::<f32>() / energy.sqrt()
                })
                .collect()
        };
        along(&along(&white, [1, 0]), [0, 1])
    };
    let (shared, own) = (plane(grain_px), [0, 1, 2].map(|_| plane(2.0 * grain_px)));
    (0..TILE * TILE).map(|i| [0, 1, 2].map(|k| 0.8 * shared[i] + 0.6 * own[k][i])).collect()
}
