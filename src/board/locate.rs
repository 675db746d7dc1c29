//! Finding the board in a picture, with nothing known but what stands on it.
//!
//! Crossings of light and dark squares ([`crossings`](super::crossings)) are joined to lattices
//! ([`lattice`](super::lattice)); each lattice is tried in every position of the board on it
//! ([`placement`](super::placement)); the best is refined on all crossings that can be seen.

use std::collections::HashMap;

use nalgebra::Matrix3;
use shakmaty::Board;

use super::{
    crossings,
    geometry::{BoardPoint, Corners, Homography, ImagePoint},
    lattice::{self, Lattice},
    placement::{self, Placement},
    plane::Plane,
};
use crate::frame::Frame;

/// Longer sides, in pixels, of the reduced pictures in which the board is sought, in this order: the first suits
/// most boards; the second is for soft large pictures, the third for small boards.
const LONG_SIDES_PX: [u32; 3] = [800, 400, 1600];
/// Smoothing before saddles are sought, in pixels of the reduced picture.
const SIGMA_PX: f32 = 1.5;
/// Lattices tried in every position.
const MOST_LATTICES: usize = 6;
/// Fewest crossings of a board: three by three, and some.
const FEWEST_CROSSINGS: usize = 10;
/// Least distance between light and dark squares, in grey levels, of a board and not of wood's grain.
const LEAST_CONTRAST: f64 = 10.0;
/// Confidence at which the search stops at the first scale.
const SURE: f64 = 0.9;
/// Confidence below which nothing is claimed.
const LEAST_CONFIDENCE: f64 = 0.5;

/// What is known before.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// What stands on the board: the start position by default, an empty board, any position. `None`: not known.
    pub men: Option<Board>,
    /// Where it was before, in pixels: searched first.
    pub near: Option<Corners>,
}

impl Default for Hint {
    fn default() -> Self {
        Self { men: Some(Board::new()), near: None }
    }
}

/// A board that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// Outer corners a1, h1, h8, a8 in pixels.
    pub corners: Corners,
    /// Probability that these are a board's corners, whatever their names: 0 to 1.
    pub confidence: f64,
    /// Probability that a1 is named rightly: about 0.5 where only the colour of the squares tells (an empty board).
    pub orientation_confidence: f64,
    /// How it was found.
    pub diagnostics: Diagnostics,
}

/// Numbers of the search, for people.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diagnostics {
    /// Longer side of the reduced picture it was found in, in pixels.
    pub long_side_px: u32,
    /// Saddle points in that picture.
    pub saddles: usize,
    /// Crossings that the homography rests on, of 49.
    pub crossings: usize,
    /// Root mean square of their distances from it, in pixels.
    pub residual_px: f64,
    /// Fraction of the squares expected to be empty that look so.
    pub empty_fit: f64,
    /// Fraction of the squares expected to bear men that look so.
    pub men_fit: f64,
    /// Log-likelihood ratio to the best other position on the same lattice.
    pub margin: f64,
    /// Distance between light and dark squares, in grey levels.
    pub contrast: f64,
}

/// Why no board is claimed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LocateError {
    /// Nothing in the picture looks like a board's lattice.
    #[error(
        "no chessboard found: {saddles} crossings of light and dark, none of them {FEWEST_CROSSINGS} in a lattice; show the whole board, sharp and evenly lit, or give its corners"
    )]
    NoLattice {
        /// Saddle points seen.
        saddles: usize,
    },
    /// There is a lattice, but it is not clear that it is a board, or where the board ends on it.
    #[error(
        "no chessboard claimed: the best candidate has confidence {confidence:.2}, {LEAST_CONFIDENCE} is needed; set up the expected position, or give the corners"
    )]
    Unsure {
        /// Its confidence.
        confidence: f64,
        /// Its corners.
        corners: Corners,
        /// Its numbers.
        diagnostics: Diagnostics,
    },
}

/// Finds the board in a picture.
///
/// # Errors
/// When there is none, or none that is sure enough.
pub fn locate(frame: &Frame<'_>, hint: &Hint) -> Result<Located, LocateError> {
    let long_side = frame.width().max(frame.height());
    let mut best: Option<Located> = None;
    let mut most_saddles = 0;
    let mut factors: Vec<u32> = Vec::new();
    for target in LONG_SIDES_PX {
        let factor = (f64::from(long_side) / f64::from(target)).round().max(1.0) as u32;
        if factors.contains(&factor) {
            continue;
        }
        factors.push(factor);
        let (found, saddles) = at_scale(frame, hint, factor);
        most_saddles = most_saddles.max(saddles);
        if let Some(found) = found
            && best.as_ref().is_none_or(|b| found.confidence > b.confidence)
        {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|b| b.confidence > SURE) {
            break;
        }
    }
    match best {
        None => Err(LocateError::NoLattice { saddles: most_saddles }),
        Some(b) if b.confidence < LEAST_CONFIDENCE => {
            Err(LocateError::Unsure { confidence: b.confidence, corners: b.corners, diagnostics: b.diagnostics })
        }
        Some(b) => Ok(b),
    }
}

/// The search in a picture reduced by `factor`; with the number of saddles seen.
fn at_scale(frame: &Frame<'_>, hint: &Hint, factor: u32) -> (Option<Located>, usize) {
    let plane = Plane::reduced(frame, factor);
    let crossings = crossings::find(&plane, SIGMA_PX);
    // A board in which two crossings are farther apart than a fifth of the picture does not fit in it.
    let longest = 0.2 * plane.width.max(plane.height) as f64;
    let lattices = lattice::find(&crossings, longest, MOST_LATTICES);
    let mut best: Option<Located> = None;
    for lattice in &lattices {
        let Some(mut found) = judge(frame, lattice, factor, hint) else { continue };
        found.diagnostics.saddles = crossings.len();
        found.diagnostics.long_side_px = plane.width.max(plane.height) as u32;
        if best.as_ref().is_none_or(|b| found.confidence > b.confidence) {
            best = Some(found);
        }
    }
    (best, crossings.len())
}

/// A lattice taken for a board, refined.
fn judge(frame: &Frame<'_>, lattice: &Lattice, factor: u32, hint: &Hint) -> Option<Located> {
    if lattice.too_wide || lattice.nodes.len() < FEWEST_CROSSINGS {
        return None;
    }
    // Pixel centres: the reduced picture's first pixel is the mean of `factor` pixels.
    let f = f64::from(factor);
    let full = Matrix3::new(f, 0.0, (f - 1.0) / 2.0, 0.0, f, (f - 1.0) / 2.0, 0.0, 0.0, 1.0);
    let map = Homography::from_matrix(full * lattice.map.matrix())?;
    let placement = placement::place(frame, &lattice.nodes, &map, hint.men.as_ref())?;
    if placement.contrast < LEAST_CONTRAST {
        return None;
    }
    let refined = refine(frame, &placement.map);
    let h = refined.as_ref().map_or(placement.map, |r| r.map);
    let corners = Corners::new(h.corners().to_array()).ok()?;
    Some(Located {
        corners,
        confidence: confidence(&placement, hint.men.is_some()),
        orientation_confidence: placement.orientation,
        diagnostics: Diagnostics {
            crossings: refined.as_ref().map_or(0, |r| r.crossings),
            residual_px: refined.as_ref().map_or(0.0, |r| r.residual_px),
            empty_fit: placement.empty_fit,
            men_fit: placement.men_fit,
            margin: placement.margin,
            contrast: placement.contrast,
            ..Diagnostics::default()
        },
    })
}

/// From the numbers of a placement to a probability.
fn confidence(p: &Placement, men_known: bool) -> f64 {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    // The margin's cells are not independent (one shadow darkens many): it counts a third.
    let position = logistic(p.margin / 3.0);
    let lattice = logistic((p.crossings as f64 - 12.0) / 2.0);
    // Where the men are not known, half of the squares may bear one.
    let fit = logistic((p.empty_fit - if men_known { 0.6 } else { 0.35 }) * 12.0);
    // White men on light squares, seen from above, are hard to tell from none.
    let men = logistic((p.men_fit - 0.4) * 12.0);
    position * lattice * fit * men
}

/// A homography fitted to the crossings of the full picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refined {
    /// Pixels from board coordinates.
    pub(crate) map: Homography,
    /// Crossings it rests on.
    pub(crate) crossings: usize,
    /// Root mean square of their distances from it, in pixels.
    pub(crate) residual_px: f64,
}

/// Moves a homography onto the crossings that are seen near their places. `None` when fewer than eight agree.
pub(crate) fn refine(frame: &Frame<'_>, start: &Homography) -> Option<Refined> {
    let mut map = *start;
    let mut last = None;
    for round in 0..3 {
        // Farther off at first, when the map is extrapolated from part of the board.
        let gate = if round == 0 { 0.2 } else { 0.12 };
        let mut pairs: Vec<(BoardPoint, ImagePoint, f64)> = Vec::new();
        for j in 1..8 {
            for i in 1..8 {
                let b = BoardPoint::new(f64::from(i), f64::from(j));
                let spacing = lattice::spacing(&map, (i, j));
                let expected = map.to_image(b);
                // A quarter of a square: the window must not reach the next lines.
                if let Some(p) = crossings::refine(frame, expected, 0.25 * spacing)
                    && (p - expected).norm() < gate * spacing
                {
                    pairs.push((b, p, spacing));
                }
            }
        }
        let (next, inliers, residual_px) = fit_robustly(&map, &pairs)?;
        map = next;
        last = Some(Refined { map, crossings: inliers, residual_px });
    }
    last
}

/// Least squares on the pairs that are near the map, near meaning 2.5 times the median distance, thrice over.
fn fit_robustly(start: &Homography, pairs: &[(BoardPoint, ImagePoint, f64)]) -> Option<(Homography, usize, f64)> {
    let mut map = *start;
    let mut result = None;
    for _ in 0..4 {
        let mut distances: Vec<f64> = pairs.iter().map(|(b, p, _)| (map.to_image(*b) - p).norm()).collect();
        distances.sort_by(f64::total_cmp);
        let median = distances.get(distances.len() / 2)?;
        let gate = (2.5 * median).max(0.7);
        let near: Vec<(BoardPoint, ImagePoint)> =
            pairs.iter().filter(|(b, p, _)| (map.to_image(*b) - p).norm() < gate).map(|(b, p, _)| (*b, *p)).collect();
        if near.len() < 8 {
            return result;
        }
        map = Homography::from_points(&near)?;
        let squares: f64 = near.iter().map(|(b, p)| (map.to_image(*b) - p).norm_squared()).sum();
        result = Some((map, near.len(), (squares / near.len() as f64).sqrt()));
    }
    result
}

/// For tests and tools: the nodes of the largest lattice in a picture.
#[must_use]
pub fn lattice_points(frame: &Frame<'_>, factor: u32) -> (Vec<ImagePoint>, Vec<Vec<ImagePoint>>) {
    let plane = Plane::reduced(frame, factor);
    let crossings = crossings::find(&plane, SIGMA_PX);
    let longest = 0.2 * plane.width.max(plane.height) as f64;
    let f = f64::from(factor);
    let full = |p: ImagePoint| ImagePoint::new(p.x * f + (f - 1.0) / 2.0, p.y * f + (f - 1.0) / 2.0);
    let lattices = lattice::find(&crossings, longest, MOST_LATTICES);
    let points = |nodes: &HashMap<_, usize>| nodes.values().map(|i| full(crossings[*i].at)).collect();
    (crossings.iter().map(|c| full(c.at)).collect(), lattices.iter().map(|l| points(&l.nodes)).collect())
}
