//! How does the light change in the course of a story? Dusk, lamps that are switched, people who walk past.
//!
//! All of it multiplies the light that the renderer found, so nothing needs to be drawn again; only where the lamps
//! change against the room, the renderer weighs its two layers anew.

use super::kelvin;
use crate::sim::{
    math,
    scene::{PassingShadow, Scene},
};

/// A point of time, as far as light is concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct When {
    /// Seconds from the beginning.
    pub time_s: f64,
    /// Plies completed.
    pub ply: usize,
    /// Changes after this many plies have come: in a film's pause they come in its middle.
    pub changes: usize,
    /// How much of the story is told, 0 to 1.
    pub progress: f64,
    /// One picture a ply, not a film?
    pub still: bool,
}

/// The light of one picture, against that of the scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LightNow {
    /// Factors of red, green and blue.
    pub(crate) factors: [f32; 3],
    /// Factor of the lamps alone.
    pub lamps: f32,
    /// Shadows of people.
    pub bands: Vec<Band>,
}

impl Default for LightNow {
    fn default() -> Self {
        Self { factors: [1.0; 3], lamps: 1.0, bands: vec![] }
    }
}

/// A dark band over the board's plane, or a bright one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Band {
    across: [f32; 2],
    middle: f32,
    half_width: f32,
    edge: f32,
    darkness: f32,
    tint: [f32; 3],
}

impl Band {
    /// Shares of red, green and blue light that are left at a point of the board's plane, in squares.
    #[must_use]
    pub fn light(&self, x: f32, y: f32) -> [f32; 3] {
        let d = ((x - 4.0) * self.across[0] + (y - 4.0) * self.across[1] - self.middle).abs() - self.half_width;
        let t = (0.5 - d / self.edge).clamp(0.0, 1.0);
        let inside = math::ease(t);
        self.tint.map(|tint| (1.0 - self.darkness * inside) * (1.0 + (tint - 1.0) * inside))
    }
}

/// A scene's light over time.
#[derive(Debug, Clone)]
pub(crate) struct LightLine {
    scene: Scene,
    /// When each passing shadow began, in seconds.
    began: Vec<Option<f64>>,
}

impl LightLine {
    /// The light of a scene from its beginning.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self { began: vec![None; scene.passing_shadow.len()], scene: scene.clone() }
    }

    /// The light at a moment; moments must be asked for in their order.
    pub fn at(&mut self, when: When) -> LightNow {
        let scene = &self.scene;
        let mut now = LightNow::default();
        let dusk = &scene.dusk;
        let t = ((when.progress - dusk.begin) / (dusk.end - dusk.begin).max(1e-9)).clamp(0.0, 1.0);
        let mut factor = math::pow(dusk.share, t);
        for change in scene.light_change.iter().filter(|c| c.ply < when.changes) {
            factor *= change.factor;
            now.lamps *= change.lamps as f32;
        }
        let warm = scene.light.colour.kelvin();
        let shift = if dusk.kelvin_shift == 0.0 {
            [1.0; 3]
        } else {
            kelvin::shift(warm, warm + t * dusk.kelvin_shift, scene.sensor.white_balance)
        };
        now.factors = shift.map(|v| (v * factor) as f32);
        for (shadow, began) in scene.passing_shadow.iter().zip(&mut self.began) {
            if when.still || shadow.speed_m_s == 0.0 {
                if (shadow.ply..shadow.ply + shadow.plies).contains(&when.ply) {
                    now.bands.push(band(shadow, shadow.offset));
                }
                continue;
            }
            if when.ply < shadow.ply {
                continue;
            }
            let since_s = when.time_s - *began.get_or_insert(when.time_s);
            // From outside of the board's corners to beyond them.
            let far = 0.5 * (shadow.width + shadow.edge) + 4.0 * std::f64::consts::SQRT_2 + scene.board.border;
            let middle = since_s * shadow.speed_m_s / scene.board.square_size_m - far;
            if middle < far {
                now.bands.push(band(shadow, middle));
            }
        }
        now
    }
}

fn band(shadow: &PassingShadow, middle: f64) -> Band {
    let (sin, cos) = math::sin_cos(shadow.direction_deg.to_radians());
    Band {
        across: [cos as f32, sin as f32],
        middle: middle as f32,
        half_width: 0.5 * shadow.width as f32,
        edge: (shadow.edge as f32).max(0.02),
        darkness: shadow.darkness as f32,
        tint: shadow.tint.map(|v| v as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::scene::{Dusk, LightChange};

    fn still(ply: usize, plies: usize) -> When {
        When { time_s: 2.0 * ply as f64, ply, changes: ply, progress: ply as f64 / plies as f64, still: true }
    }

    #[test]
    fn dusk_ends_with_its_share_and_falls_by_equal_factors() {
        let scene = Scene { dusk: Dusk { share: 0.1, ..Dusk::default() }, ..Scene::default() };
        let mut line = LightLine::new(&scene);
        let green: Vec<f32> = (0..=4).map(|ply| line.at(still(ply, 4)).factors[1]).collect();
        assert_eq!(green[0], 1.0);
        assert!((green[4] - 0.1).abs() < 1e-6);
        assert!(green.windows(2).all(|w| (w[1] / w[0] - 0.1f32.powf(0.25)).abs() < 1e-5));
    }

    #[test]
    fn dusk_turns_blue_or_yellow() {
        for (kelvin_shift, bluer) in [(4000.0, true), (-1000.0, false)] {
            let scene = Scene { dusk: Dusk { kelvin_shift, ..Dusk::default() }, ..Scene::default() };
            let [red, _, blue] = LightLine::new(&scene).at(still(4, 4)).factors;
            assert_eq!(blue > red, bluer);
        }
    }

    #[test]
    fn changes_of_light_multiply_after_their_plies() {
        let change = |ply, factor, lamps| LightChange { ply, factor, lamps };
        let scene = Scene { light_change: vec![change(1, 0.5, 1.0), change(2, 0.5, 0.0)], ..Scene::default() };
        let mut line = LightLine::new(&scene);
        let seen: Vec<_> = (0..=3).map(|ply| line.at(still(ply, 3))).map(|l| (l.factors[0], l.lamps)).collect();
        assert_eq!(seen, [(1.0, 1.0), (1.0, 1.0), (0.5, 1.0), (0.25, 0.0)]);
    }

    #[test]
    fn a_person_walks_over_the_board_and_is_gone() {
        let shadow = PassingShadow { ply: 1, direction_deg: 0.0, speed_m_s: 0.55, ..PassingShadow::default() };
        let scene = Scene { passing_shadow: vec![shadow], ..Scene::default() };
        let mut line = LightLine::new(&scene);
        let mut film = |time_s: f64| {
            let ply = usize::from(time_s >= 5.0);
            line.at(When { time_s, ply, changes: ply, progress: 0.0, still: false }).bands
        };
        let light = |bands: &[Band], x| bands.iter().map(|b| b.light(x, 4.0)[0]).product::<f32>();
        assert!(film(4.9).is_empty());
        let begun = film(5.0);
        assert!(light(&begun, -0.5) > 0.99, "it must come from outside");
        // Ten squares a second: over file a first, over file h later, and gone.
        let (a, h): (Vec<f32>, Vec<f32>) =
            (0..30).map(|i| film(5.0 + 0.1 * f64::from(i))).map(|b| (light(&b, 0.5), light(&b, 7.5))).unzip();
        let darkest = |v: &[f32]| (0..v.len()).min_by(|&i, &j| v[i].total_cmp(&v[j])).unwrap();
        assert!((a[darkest(&a)] - 0.5).abs() < 1e-3);
        assert_eq!(darkest(&h) - darkest(&a), 7);
        assert!(film(9.0).is_empty());
    }

    #[test]
    fn a_shadow_that_stays_lies_there_for_its_plies_and_takes_its_colour() {
        let shadow = PassingShadow {
            ply: 2,
            plies: 3,
            darkness: 0.5,
            tint: [0.9, 1.0, 1.1],
            speed_m_s: 0.0,
            width: 4.0,
            offset: 2.0,
            direction_deg: 0.0,
            edge: 0.1,
        };
        let scene = Scene { passing_shadow: vec![shadow], ..Scene::default() };
        for still in [true, false] {
            let mut line = LightLine::new(&scene);
            let at = |ply: usize| When { still, ..self::still(ply, 8) };
            let lies: Vec<bool> = (0..8).map(|ply| !line.at(at(ply)).bands.is_empty()).collect();
            assert_eq!(lies, [false, false, true, true, true, false, false, false], "still: {still}");
            let band = LightLine::new(&scene).at(at(2)).bands[0];
            assert_eq!(band.light(1.0, 4.0), [1.0; 3], "files a to d are in the light");
            let left = band.light(6.0, 4.0);
            assert!([0.45, 0.5, 0.55].iter().zip(left).all(|(a, b)| (a - b).abs() < 1e-6), "{left:?}");
        }
    }
}
