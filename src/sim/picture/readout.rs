//! What focus and readout do to the light before it becomes levels: a lens that seeks its focus, rows exposed one after
//! the other under a flickering lamp, rows of the picture before.

use std::borrow::Cow;

use super::{
    blur::{along_columns, along_rows, gaussian},
    render::Light,
};
use crate::sim::{
    grid::Rect,
    math::{self, within},
    scene::{Opening, Readout as Setup, Scene},
};

/// A blur that is less than this is not seen, in pixels.
const SHARP_PX: f64 = 0.15;

/// Focus and readout of one camera.
#[derive(Debug)]
pub struct Readout {
    setup: Setup,
    opening: Opening,
    /// When the first picture was taken.
    began_s: Option<f64>,
    /// The light of the picture before, for interlaced pictures.
    before: Vec<Light>,
    scratch: Vec<Light>,
}

impl Readout {
    /// The focus and the readout of a scene's camera.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let (setup, opening) = (scene.readout.clone(), scene.opening.clone());
        Self { setup, opening, began_s: None, before: vec![], scratch: vec![] }
    }

    /// Gain of the exposure against the settled one.
    pub(crate) fn gain(&mut self, time_s: f64) -> f64 {
        let since_s = self.since_s(time_s);
        math::exp(math::ln(self.opening.exposure) * math::exp(-since_s / self.opening.exposure_s))
    }

    /// How much larger the picture is than with the lens at rest: 1 is as large.
    #[must_use]
    pub(crate) fn zoom(setup: &Setup, time_s: f64) -> f64 {
        1.0 + setup.hunt_zoom * hunt(setup, time_s)
    }

    /// The light that is read: rows of `width` pixels.
    pub fn read<'a>(&mut self, light: &'a [Light], width: usize, time_s: f64) -> Cow<'a, [Light]> {
        let mut read = Cow::Borrowed(light);
        let since_s = self.since_s(time_s);
        let unsettled_px = self.opening.blur_px * math::exp(-since_s / self.opening.focus_s);
        let hunting_px = self.setup.hunt_px * hunt(&self.setup, time_s);
        let blur_px = (unsettled_px * unsettled_px + hunting_px * hunting_px).sqrt();
        if blur_px > SHARP_PX {
            self.blur(read.to_mut(), width, blur_px);
        }
        let zoom = Self::zoom(&self.setup, time_s);
        if (zoom - 1.0).abs() > 1e-6 {
            read = Cow::Owned(zoomed(&read, width, zoom));
        }
        if self.setup.bands > 0.0 {
            self.band(read.to_mut(), width, time_s);
        }
        if self.setup.interlaced {
            self.weave(read.to_mut(), width);
        }
        read
    }

    fn since_s(&mut self, time_s: f64) -> f64 {
        time_s - *self.began_s.get_or_insert(time_s)
    }

    fn blur(&mut self, light: &mut [Light], width: usize, sigma_px: f64) {
        let kernel = gaussian(sigma_px);
        let whole = Rect { low: [0, 0], high: [width, light.len() / width] };
        self.scratch.resize(light.len(), [0.0; 3]);
        along_rows(&kernel, light, &mut self.scratch, width, whole);
        along_columns(&kernel, &self.scratch, light, width, whole);
    }

    /// Dark bands that roll down.
    fn band(&self, light: &mut [Light], width: usize, time_s: f64) {
        let height = (light.len() / width) as f64;
        for (y, row) in light.chunks_exact_mut(width).enumerate() {
            let along = y as f64 / height - time_s / self.setup.bands_s;
            let wave = math::sin_cos(std::f64::consts::TAU * self.setup.bands_in_picture * along).0;
            let left = (1.0 - self.setup.bands * (0.5 + 0.5 * wave)) as f32;
            row.as_flattened_mut().iter_mut().for_each(|light| *light *= left);
        }
    }

    /// Every second row is of the picture before, and this one is kept for the next.
    fn weave(&mut self, light: &mut [Light], width: usize) {
        let now = light.to_vec();
        if self.before.len() == now.len() {
            let pairs = light.chunks_exact_mut(width).zip(self.before.chunks_exact(width));
            pairs.skip(1).step_by(2).for_each(|(row, before)| row.copy_from_slice(before));
        }
        self.before = now;
    }
}

/// How far the hunting lens is from its focus, 0 to 1.
fn hunt(setup: &Setup, time_s: f64) -> f64 {
    // The first hunt comes after the usual time.
    let turns = time_s / setup.hunt_every_s;
    let into_s = (turns - turns.floor()) * setup.hunt_every_s;
    if turns < 1.0 || into_s > setup.hunt_s {
        return 0.0;
    }
    0.5 - 0.5 * math::sin_cos(std::f64::consts::TAU * into_s / setup.hunt_s).1
}

/// The picture larger by a factor about its middle; between pixels by straight lines.
fn zoomed(light: &[Light], width: usize, zoom: f64) -> Vec<Light> {
    let height = light.len() / width;
    let place = |i: usize, n: usize| {
        let middle = (n as f64 - 1.0) / 2.0;
        let from = ((i as f64 - middle) / zoom + middle).clamp(0.0, n as f64 - 1.0);
        let low = (from as usize).min(n.saturating_sub(2));
        (low, (from - low as f64) as f32)
    };
    let columns: Vec<(usize, f32)> = (0..width).map(|x| place(x, width)).collect();
    let mut out = Vec::with_capacity(light.len());
    for y in 0..height {
        let (row, down) = place(y, height);
        for &(column, right) in &columns {
            let at = |dy: usize, dx: usize| light[(row + dy) * width + column + dx];
            let [a, b, c, d] = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)];
            out.push(std::array::from_fn(|k| within([[a[k], b[k]], [c[k], d[k]]], right, down)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 60;

    fn readout(change: impl Fn(&mut Scene)) -> Readout {
        let mut scene = Scene::default();
        change(&mut scene);
        Readout::new(&scene)
    }

    /// Upright bars of 6 pixels.
    fn bars() -> Vec<Light> {
        (0..WIDTH * 40).map(|i| [if (i % WIDTH / 6).is_multiple_of(2) { 0.8 } else { 0.2 }; 3]).collect()
    }

    fn spread(light: &[Light]) -> f32 {
        let mean = light.iter().map(|v| v[0]).sum::<f32>() / light.len() as f32;
        (light.iter().map(|v| (v[0] - mean) * (v[0] - mean)).sum::<f32>() / light.len() as f32).sqrt()
    }

    #[test]
    fn by_default_the_light_is_read_as_it_is() {
        let mut readout = readout(|_| ());
        assert!(matches!(readout.read(&bars(), WIDTH, 13.0), Cow::Borrowed(_)));
        assert_eq!(readout.gain(14.0), 1.0);
    }

    #[test]
    fn exposure_and_focus_settle_after_the_first_picture() {
        let mut readout = readout(|scene| {
            (scene.opening.exposure, scene.opening.exposure_s) = (4.0, 0.5);
            (scene.opening.blur_px, scene.opening.focus_s) = (5.0, 0.5);
        });
        let gains: Vec<f64> = [7.0, 7.5, 12.0].map(|t| readout.gain(t)).to_vec();
        assert!((gains[0] - 4.0).abs() < 1e-9 && gains[1] < 1.7 && (gains[2] - 1.0).abs() < 1e-3, "{gains:?}");
        let left: Vec<f32> = [7.0, 7.5, 12.0].map(|t| spread(&readout.read(&bars(), WIDTH, t))).to_vec();
        assert!(left[0] < 0.09 && (0.1..0.28).contains(&left[1]) && left[2] > 0.299, "{left:?}");
    }

    #[test]
    fn a_hunting_lens_loses_its_focus_and_finds_it() {
        let mut readout = readout(|scene| (scene.readout.hunt_px, scene.readout.hunt_zoom) = (3.0, 0.03));
        let setup = readout.setup.clone();
        for (time_s, out_of_focus) in [(0.75, false), (10.9, false), (11.75, true), (12.6, false), (22.75, true)] {
            let blurred = spread(&readout.read(&bars(), WIDTH, time_s)) < 0.2;
            assert_eq!(blurred, out_of_focus, "at {time_s} s");
            assert_eq!(Readout::zoom(&setup, time_s) > 1.02, out_of_focus);
        }
    }

    #[test]
    fn a_zoom_moves_points_away_from_the_middle() {
        let ramp: Vec<Light> = (0..WIDTH * 40).map(|i| [(i % WIDTH) as f32, (i / WIDTH) as f32, 0.0]).collect();
        let out = zoomed(&ramp, WIDTH, 1.1);
        let at = |x: usize, y: usize| out[y * WIDTH + x];
        // What is 10 pixels off the middle was 9.09 off.
        let seen = at(39, 29);
        assert!((seen[0] - (29.5 + 9.5 / 1.1)).abs() < 1e-3 && (seen[1] - (19.5 + 9.5 / 1.1)).abs() < 1e-3, "{seen:?}");
    }

    #[test]
    fn bands_take_their_share_and_roll() {
        let mut readout = readout(|scene| (scene.readout.bands, scene.readout.bands_in_picture) = (0.4, 2.0));
        let even = vec![[0.5; 3]; WIDTH * 80];
        let rows = |light: &[Light]| light.chunks(WIDTH).map(|row| row[0][0] / 0.5).collect::<Vec<f32>>();
        let first = rows(&readout.read(&even, WIDTH, 0.0));
        let (least, most) = first.iter().fold((1.0f32, 0.0f32), |(a, b), v| (a.min(*v), b.max(*v)));
        assert!((least - 0.6).abs() < 0.01 && (most - 1.0).abs() < 0.01, "{least} to {most}");
        // Half of a band's height later.
        let later = rows(&readout.read(&even, WIDTH, 0.5));
        assert!((0..60).all(|y| (later[y + 20] - first[y]).abs() < 0.01));
    }

    #[test]
    fn every_second_row_of_an_interlaced_picture_is_older() {
        let mut readout = readout(|scene| scene.readout.interlaced = true);
        let (dark, bright) = (vec![[0.1; 3]; WIDTH * 4], vec![[0.9; 3]; WIDTH * 4]);
        assert!(readout.read(&dark, WIDTH, 0.0).iter().all(|v| v[0] == 0.1));
        let rows: Vec<f32> = readout.read(&bright, WIDTH, 0.1).chunks(WIDTH).map(|row| row[7][0]).collect();
        assert_eq!(rows, [0.9, 0.1, 0.9, 0.1]);
        assert!(readout.read(&bright, WIDTH, 0.2).iter().all(|v| v[0] == 0.9));
    }
}
