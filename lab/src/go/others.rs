//! Is a Go board claimed where there is none? Regular patterns that have what a board has: lines at equal distances.

use chess_observer::{board::grid::locate, frame::Frame, sim::dice::Dice};
use image::{Rgb, RgbImage};
use nalgebra::{Rotation3, Vector3};

/// Size of the pictures, in pixels.
const SIZE: [u32; 2] = [960, 720];
/// Samples along each side of a pixel.
const FINE: u32 = 2;

type Colour = [f64; 3];

const WHITE: Colour = [232.0, 230.0, 224.0];
const BLACK: Colour = [34.0, 34.0, 36.0];
const GROUT: Colour = [96.0, 92.0, 86.0];
const TABLE: Colour = [112.0, 84.0, 60.0];
const WOOD: Colour = [214.0, 176.0, 122.0];

/// A pattern that is no Go board; one of its cells is a unit, its middle is at the origin.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What it is.
    pub name: &'static str,
    /// Cells across the picture, least and most.
    shown: [f64; 2],
    colour: fn(f64, f64) -> Colour,
}

/// Those that are shown.
pub const PATTERNS: [Pattern; 5] = [
    Pattern { name: "tiled floors", shown: [6.0, 26.0], colour: |x, y| ruled(x, y, 0.03, WHITE, GROUT) },
    Pattern { name: "wooden tiles", shown: [6.0, 26.0], colour: |x, y| ruled(x, y, 0.02, WOOD, BLACK) },
    Pattern {
        name: "squared paper",
        shown: [24.0, 50.0],
        colour: |x, y| if within(x, y, 27.0, 39.0) { ruled(x, y, 0.05, WHITE, [120.0, 130.0, 170.0]) } else { TABLE },
    },
    Pattern {
        name: "checkerboards",
        shown: [12.0, 18.0],
        colour: |x, y| match (within(x, y, 10.0, 7.0), within(x, y, 12.0, 9.0)) {
            (true, _) if is_odd(x, y + 0.5) => BLACK,
            (_, true) => WHITE,
            _ => TABLE,
        },
    },
    Pattern {
        name: "draughts boards of ten",
        shown: [12.0, 18.0],
        colour: |x, y| match (within(x, y, 10.0, 10.0), within(x, y, 11.0, 11.0)) {
            (true, _) if is_odd(x, y) => [112.0, 70.0, 42.0],
            (true, _) => WOOD,
            (_, true) => [80.0, 48.0, 30.0],
            _ => TABLE,
        },
    },
];

/// Is a point within so many columns and rows around the origin?
fn within(x: f64, y: f64, columns: f64, rows: f64) -> bool {
    x.abs() < columns / 2.0 && y.abs() < rows / 2.0
}

fn is_odd(x: f64, y: f64) -> bool {
    (x.floor() + y.floor()).rem_euclid(2.0) > 0.5
}

/// Lines of half a width between cells.
fn ruled(x: f64, y: f64, half: f64, cell: Colour, line: Colour) -> Colour {
    let off = |v: f64| (v - v.round()).abs();
    if off(x) < half || off(y) < half { line } else { cell }
}

impl Pattern {
    /// Is a Go board claimed in a picture of it? The seed decides on the view, the light and the noise.
    #[must_use]
    pub fn is_claimed(&self, seed: u64) -> bool {
        let image = self.picture(&mut Dice::new(seed, 0x7_11e5));
        Frame::from_rgb(&image).is_some_and(|frame| locate(&frame, None).is_ok())
    }

    fn picture(&self, dice: &mut Dice) -> RgbImage {
        let elevation = dice.between(30.0, 88.0).to_radians();
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), dice.between(-180.0, 180.0).to_radians())
            * Rotation3::from_axis_angle(&Vector3::x_axis(), elevation - std::f64::consts::FRAC_PI_2);
        let [w, h] = SIZE.map(f64::from);
        // A camera of 53 degrees over the origin.
        let (focal, cells) = (w, dice.between(self.shown[0], self.shown[1]));
        let camera = turn * Vector3::new(0.0, 0.0, cells);
        let lamp = [dice.between(-0.25, 0.25), dice.between(-0.25, 0.25)];
        let noise = dice.between(1.0, 3.0);
        let level = |px: f64, py: f64| -> Colour {
            let ray = turn * Vector3::new((px - w / 2.0) / focal, (py - h / 2.0) / focal, -1.0);
            // What the camera sees above the horizon is a wall.
            if ray.z > -1e-3 {
                return [150.0; 3];
            }
            let at = camera - ray * (camera.z / ray.z);
            let light = 1.0 + lamp[0] * (px / w - 0.5) + lamp[1] * (py / h - 0.5);
            (self.colour)(at.x, at.y).map(|v| v * light)
        };
        RgbImage::from_fn(SIZE[0], SIZE[1], |x, y| {
            let mut sum = [0.0; 3];
            for k in 0..FINE * FINE {
                let fine = |v: u32, k: u32| f64::from(v) + (f64::from(k) + 0.5) / f64::from(FINE);
                let colour = level(fine(x, k % FINE), fine(y, k / FINE));
                sum.iter_mut().zip(colour).for_each(|(s, v)| *s += v / f64::from(FINE * FINE));
            }
            let grain = dice.between(-noise, noise);
            Rgb(sum.map(|v| (v + grain).round().clamp(0.0, 255.0) as u8))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_seen_and_is_no_board() {
        for pattern in PATTERNS {
            let image = pattern.picture(&mut Dice::new(5, 1));
            let (low, high) = image.pixels().fold((255, 0), |(low, high), p| (p[1].min(low), p[1].max(high)));
            assert!(high - low > 60, "{}: nothing to be seen", pattern.name);
            assert!(!pattern.is_claimed(3), "{}", pattern.name);
        }
    }
}
