//! From a picture to lattices that may be a board: the scales that are tried, one after another.

use nalgebra::Matrix3;

use super::{
    crossings::{self, Crossing},
    geometry::Homography,
    lattice::{self, Lattice},
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
}

/// The scales in the order in which they are tried: the first suits most boards and is cheap, the second is for small
/// ones, the third for soft pictures, grain and noise, the fourth for lines between the squares, which are blurred
/// until they vanish, the last for squares of eight pixels.
const SCALES: [Scale; 5] = [
    Scale { long_side_px: 640, sigma_px: 1.2 },
    Scale { long_side_px: 1280, sigma_px: 1.2 },
    Scale { long_side_px: 320, sigma_px: 1.2 },
    Scale { long_side_px: 320, sigma_px: 2.2 },
    Scale { long_side_px: 1280, sigma_px: 0.8 },
];
/// Lattices kept of each scale.
const MOST_LATTICES: usize = 6;

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

/// The different scales for a picture whose longer side has `long_side_px` pixels: by how much it is reduced, and the
/// smoothing.
pub(crate) fn scales(long_side_px: u32) -> Vec<(u32, f32)> {
    let mut out: Vec<(u32, f32)> = Vec::new();
    for scale in SCALES {
        let factor = (f64::from(long_side_px) / f64::from(scale.long_side_px)).round().max(1.0) as u32;
        if !out.contains(&(factor, scale.sigma_px)) {
            out.push((factor, scale.sigma_px));
        }
    }
    out
}

impl Candidates {
    /// The crossings in a picture reduced by `factor` and smoothed by `sigma_px`.
    pub(crate) fn new(frame: &Frame<'_>, (factor, sigma_px): (u32, f32)) -> Self {
        let plane = Plane::reduced(frame, factor);
        let crossings = crossings::find(&plane, sigma_px);
        Self { factor, long_side_px: plane.width.max(plane.height) as u32, crossings }
    }

    /// The lattices among the crossings, those of most nodes first.
    pub(crate) fn lattices(&self) -> Vec<Lattice> {
        // A board in which two crossings are farther apart than a fifth of the picture does not fit in it.
        let longest = 0.2 * f64::from(self.long_side_px);
        lattice::find(&self.crossings, longest, MOST_LATTICES)
    }

    /// The lattice of a board expected at `map` (pixels of the whole picture from board coordinates).
    pub(crate) fn at_place(&self, map: &Homography) -> Option<Lattice> {
        let reduced = reduction(self.factor).try_inverse()?;
        lattice::at_place(&self.crossings, &Homography::from_matrix(reduced * map.matrix())?)
    }
}

/// Pixels of the picture from pixels of the one reduced by `factor`, whose first pixel is the mean of `factor` ones.
pub(crate) fn reduction(factor: u32) -> Matrix3<f64> {
    let f = f64::from(factor);
    Matrix3::new(f, 0.0, (f - 1.0) / 2.0, 0.0, f, (f - 1.0) / 2.0, 0.0, 0.0, 1.0)
}
