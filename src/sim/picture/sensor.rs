//! From light to bytes: blur, vignetting, haze, exposure, noise, compression.

use super::{
    blur::{along_columns, along_rows, gaussian},
    mjpeg::Mjpeg,
    readout::Readout,
    render::{Light, Picture},
};
use crate::sim::{
    dice::{Dice, mix},
    grid::Rect,
    light::lightline::{Band, LightNow},
    math,
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
    blurred: Vec<Light>,
    scratch: Vec<Light>,
    /// What the lens leaves of each pixel's red, green and blue.
    vignette: Vec<Light>,
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
        let places = (0..h).flat_map(|y| (0..w).map(move |x| (x as f32 - cx, y as f32 - cy)));
        let vignette = places.map(|(x, y)| [1.0 - lost * (x * x + y * y) / corner; 3]).collect();
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
            blurred: vec![[0.0; 3]; w * h],
            scratch: vec![[0.0; 3]; w * h],
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
    pub(crate) fn expose(
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
        let from = [start % TILE, (start / TILE) % TILE];
        let (width, height) = (picture.width, picture.height);
        let seen = self.readout.read(&self.blurred, width, time_s);
        let mut bytes = vec![0u8; 3 * seen.len()];
        let exposure = Exposure { gain, haze, sigma, noise: &self.noise, from, srgb: &self.srgb };
        exposure.develop(&seen, &self.vignette, &self.shade.light, width, &mut bytes);
        if self.setup.mjpeg {
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
                let shade = self.shade.light.get(i).unwrap_or(&[1.0; 3]);
                for (k, sum) in sum.iter_mut().enumerate() {
                    *sum += f64::from(self.blurred[i][k] * (self.vignette[i][k] * shade[k]));
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
        let rows = Rect { low: [outer.low[0], rows.low[1]], high: [outer.high[0], rows.high[1]] };
        along_rows(&self.kernel, &picture.pixels, &mut self.scratch, w, rows);
        along_columns(&self.kernel, &self.scratch, &mut self.blurred, w, outer);
    }
}

/// How light becomes levels.
struct Exposure<'a> {
    /// Steps of the table for light of 1, and what strays in the lens.
    gain: [f32; 3],
    haze: [f32; 3],
    /// Deviation of the noise in mid-grey, its tile, and where in the tile the picture begins.
    sigma: f32,
    noise: &'a [[f32; 3]],
    from: [usize; 2],
    srgb: &'a [f32],
}

impl Exposure<'_> {
    /// Levels of a picture, row by row, each in passes over numbers side by side, as processors like them. `vignette` and
    /// `shade` (empty: none) are what is left of each pixel's light.
    fn develop(&self, light: &[Light], vignette: &[Light], shade: &[Light], width: usize, levels: &mut [u8]) {
        let n = 3 * width;
        let along = |v: [f32; 3]| -> Vec<f32> { v.iter().copied().cycle().take(n).collect() };
        let (gain, haze) = (along(self.gain), along(self.haze));
        let (mut steps, mut row, mut deviates) = (vec![0i32; n], vec![0.0f32; n], vec![0.0f32; n]);
        for (y, out) in levels.chunks_exact_mut(n).enumerate() {
            let at = y * width..(y + 1) * width;
            let lens = match shade.get(at.clone()) {
                None => vignette[at.clone()].as_flattened(),
                Some(shade) => {
                    let both = vignette[at.clone()].as_flattened().iter().zip(shade.as_flattened());
                    row.iter_mut().zip(both).for_each(|(left, (v, s))| *left = v * s);
                    &row[..]
                }
            };
            let exposed = light[at].as_flattened().iter().zip(lens).zip(haze.iter().zip(&gain));
            for (step, ((light, lens), (haze, gain))) in steps.iter_mut().zip(exposed) {
                *step = math::whole((light * lens + haze) * gain, STEPS as f32);
            }
            row.iter_mut().zip(&steps).for_each(|(level, step)| *level = self.srgb[*step as usize]);
            self.noise_along(y, &mut deviates);
            for (out, (level, deviate)) in out.iter_mut().zip(row.iter().zip(&deviates)) {
                // Read-out noise, and shot noise that gamma flattens: strongest in the darks, little in white.
                let spread = self.sigma * (1.15 - (0.5 / 255.0) * level);
                *out = math::whole(level + spread * deviate + 0.5, 255.0) as u8;
            }
        }
    }

    /// The deviates of a row.
    fn noise_along(&self, y: usize, deviates: &mut [f32]) {
        let tile = self.noise[((y + self.from[1]) % TILE) * TILE..][..TILE].as_flattened();
        let (mut to, mut from) = (0, 3 * self.from[0]);
        while to < deviates.len() {
            let n = (deviates.len() - to).min(tile.len() - from);
            deviates[to..to + n].copy_from_slice(&tile[from..from + n]);
            (to, from) = (to + n, 0);
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

/// A tile of normal deviates that goes on at its edges, with grains of a size. Colours share a part of their noise, and
/// what they do not share is coarser, as demosaicing and noise reduction leave it.
fn noise(grain_px: f64, dice: &mut Dice) -> Vec<[f32; 3]> {
    let mut plane = |sigma_px: f64| {
        let white: Vec<f32> = (0..TILE * TILE)
            .map(|_| {
                // Box and Muller, "A note on the generation of random normal deviates", 1958.
                let (u, v) = (1.0 - dice.unit(), dice.unit());
                ((-2.0 * math::ln(u)).sqrt() * math::cos(std::f64::consts::TAU * v)) as f32
            })
            .collect();
        let kernel = gaussian(sigma_px);
        // The filter keeps the variance.
        let root = kernel.iter().map(|w| w * w).sum::<f32>().sqrt();
        let reach = kernel.len() / 2;
        let (mut rows, mut both) = (vec![0.0; TILE * TILE], vec![0.0; TILE * TILE]);
        for (row, out) in white.chunks_exact(TILE).zip(rows.chunks_exact_mut(TILE)) {
            // The tile goes on at its edges.
            let line = [&row[TILE - reach..], row, &row[..reach]].concat();
            filter(&kernel, root, out, |k| &line[k..k + TILE]);
        }
        for (y, out) in both.chunks_exact_mut(TILE).enumerate() {
            filter(&kernel, root, out, |k| &rows[(y + k + TILE - reach) % TILE * TILE..][..TILE]);
        }
        both
    };
    let (shared, own) = (plane(grain_px), [0, 1, 2].map(|_| plane(2.0 * grain_px)));
    (0..TILE * TILE).map(|i| [0, 1, 2].map(|k| 0.8 * shared[i] + 0.6 * own[k][i])).collect()
}

/// The sum of rows, each times its weight, over a number.
fn filter<'a>(kernel: &[f32], over: f32, out: &mut [f32], row: impl Fn(usize) -> &'a [f32]) {
    for (k, weight) in kernel.iter().enumerate() {
        out.iter_mut().zip(row(k)).for_each(|(sum, value)| *sum += weight * value);
    }
    out.iter_mut().for_each(|sum| *sum /= over);
}
