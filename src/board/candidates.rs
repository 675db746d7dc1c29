//! From a picture to lattices that may be a board: the scales that are tried, one after another.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector2};

use super::{
    crossings::{self, Crossing},
    geometry::{Homography, ImagePoint, enlarged_px},
    lattice::{self, Lattice},
    lens::Lens,
    plane::Plane,
};
use crate::frame::Frame;

/// A scale at which crossings are sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// Longer side of the reduced picture, in pixels, more or less: it is reduced by a whole number.
    long_side_px: u32,
    /// Smoothing before saddles are sought, in pixels of the reduced picture.
    sigma_px: f32,
    /// What is taken out before.
    lines: Lines,
}

/// Thin lines that are taken out of a picture because they may lie between squares, where they hide the crossings:
/// three-coloured boards have no saddles there.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lines {
    /// None.
    Kept,
    /// Lighter than the squares.
    Light,
    /// Darker than the squares.
    Dark,
}

/// The scales in the order in which they are tried: the first suits most boards and is cheap, the second is for small
/// ones, the third for soft pictures, grain and noise, the fourth for squares of eight pixels; then boards with lines
/// between the squares.
const SCALES: [Scale; 7] = [
    Scale { long_side_px: 640, sigma_px: 1.2, lines: Lines::Kept },
    Scale { long_side_px: 1280, sigma_px: 1.2, lines: Lines::Kept },
    Scale { long_side_px: 320, sigma_px: 1.2, lines: Lines::Kept },
    Scale { long_side_px: 1280, sigma_px: 0.8, lines: Lines::Kept },
    Scale { long_side_px: 640, sigma_px: 1.5, lines: Lines::Light },
    Scale { long_side_px: 320, sigma_px: 1.2, lines: Lines::Light },
    Scale { long_side_px: 640, sigma_px: 1.5, lines: Lines::Dark },
];
/// Half the width of the lines that are taken out, in pixels of the reduced picture: five pixels are more than a line
/// of a tenth of a square in squares of 40, blur included.
const LINE_REACH_PX: usize = 2;
/// Lattices kept of each scale.
const MOST_LATTICES: usize = 6;

/// Beside a lattice of so many nodes those with less than half are not worth being weighed: noise grows lattices of 20
/// to 28 nodes.
const LARGE: usize = 30;

/// What is seen at one scale.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// By how much the picture is reduced.
    pub(crate) factor: u32,
    /// Its longer side then, in pixels.
    pub(crate) long_side_px: u32,
    /// The crossings, the strongest and clearest first, in pixels of the reduced picture.
    pub(crate) crossings: Vec<Crossing>,
}

/// The different scales for a picture whose longer side has `long_side_px` pixels, in the order in which they are to be
/// tried.
pub(crate) fn scales(long_side_px: u32) -> Vec<Scale> {
    let mut out: Vec<Scale> = Vec::new();
    for scale in SCALES {
        let same = |s: &Scale| {
            s.factor(long_side_px) == scale.factor(long_side_px)
                && (s.sigma_px, s.lines) == (scale.sigma_px, scale.lines)
        };
        if !out.iter().any(same) {
            out.push(scale);
        }
    }
    out
}

impl Scale {
    /// By how much a picture with this longer side is reduced.
    fn factor(self, long_side_px: u32) -> u32 {
        (f64::from(long_side_px) / f64::from(self.long_side_px)).round().max(1.0) as u32
    }
}

impl Candidates {
    /// The crossings of a picture at a scale, straightened where the lens is known.
    pub(crate) fn new(frame: &Frame<'_>, scale: Scale, lens: Option<&Lens>) -> Self {
        let factor = scale.factor(frame.width().max(frame.height()));
        let plane = Plane::reduced(frame, factor);
        let plane = match scale.lines {
            Lines::Kept => plane,
            Lines::Light => plane.opened(LINE_REACH_PX),
            Lines::Dark => plane.closed(LINE_REACH_PX),
        };
        let crossings = straightened(crossings::find(&plane, scale.sigma_px), lens, factor);
        Self { factor, long_side_px: plane.width.max(plane.height) as u32, crossings }
    }

    /// The lattices among the crossings, those of most nodes first.
    pub(crate) fn lattices(&self) -> Vec<Lattice> {
        // A board in which two crossings are farther apart than a fifth of the picture does not fit in it.
        let longest = 0.2 * f64::from(self.long_side_px);
        let mut found = lattice::find(&self.crossings, longest, MOST_LATTICES);
        let most = found.first().map_or(0, |l| l.nodes.len());
        if most >= LARGE {
            found.retain(|l| 2 * l.nodes.len() >= most);
        }
        found
    }

    /// The lattice of a board expected at `map` (pixels of the whole picture from board coordinates).
    pub(crate) fn at_place(&self, map: &Homography) -> Option<Lattice> {
        let reduced = reduction(self.factor).try_inverse()?;
        lattice::at_place(&self.crossings, &Homography::from_matrix(reduced * map.matrix())?)
    }
}

/// The crossings as a pinhole would show them, in the picture reduced by `factor`.
fn straightened(crossings: Vec<Crossing>, lens: Option<&Lens>, factor: u32) -> Vec<Crossing> {
    let Some(lens) = lens else { return crossings };
    let f = f64::from(factor);
    let enlarged = |p: ImagePoint, by: f64| ImagePoint::new(enlarged_px(p.x, by), enlarged_px(p.y, by));
    let straight = |p: ImagePoint| Some(enlarged(lens.undistort(enlarged(p, f))?, 1.0 / f));
    let turned = |from: ImagePoint, ideal: ImagePoint, angle: f64| {
        let way = straight(from + Vector2::new(angle.cos(), angle.sin()))? - ideal;
        Some(way.y.atan2(way.x).rem_euclid(PI))
    };
    crossings
        .into_iter()
        .filter_map(|c| {
            let at = straight(c.at)?;
            let lines = [turned(c.at, at, c.lines[0])?, turned(c.at, at, c.lines[1])?];
            Some(Crossing { at, lines, ..c })
        })
        .collect()
}

/// Pixels of the picture from pixels of the one reduced by `factor`, whose first pixel is the mean of `factor` ones.
pub(crate) fn reduction(factor: u32) -> Matrix3<f64> {
    let f = f64::from(factor);
    let origin = enlarged_px(0.0, f);
    Matrix3::new(f, 0.0, origin, 0.0, f, origin, 0.0, 0.0, 1.0)
}
