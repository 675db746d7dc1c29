//! Follows small movements of the board or the camera: the picture is laid over the reference picture.
//!
//! Gauss-Newton on the eight parameters of a homography (B. Lucas and T. Kanade, "An iterative image registration
//! technique", 1981), in board coordinates, with Tukey's weights so that hands and moved men do not pull. Since the
//! reference is a remembered picture, errors do not add up from frame to frame.

use nalgebra::{Matrix3, SMatrix, SVector};

use super::{
    colour::{Colour, Samples, colour_from_rgb},
    coverage::{POINTS, POINTS_PER_SIDE, point},
};
use crate::{board::map::BoardMap, frame::Frame};

/// Points along the board's side.
const SIDE: usize = 8 * POINTS_PER_SIDE;
/// Rounds at most; each follows up to half the distance between points, most movements are over after three.
const ROUNDS: usize = 12;
/// Residuals beyond this many median absolute deviations do not count at all (Tukey's constant for 95 % efficiency
/// is 4.685 standard deviations).
const TUKEY: f64 = 4.685 * 1.4826;
/// Movement, in squares, that one round can follow: the distance between points.
const REACH: f64 = 1.0 / POINTS_PER_SIDE as f64;
/// The mean error must fall to this part of what it was: noise alone finds a few per cent somewhere.
const LEAST_GAIN: f64 = 0.93;
/// Errors beyond this, in levels, are other things than the board: they count as this much.
const LARGEST_ERROR: f64 = 40.0;
/// Movement, in squares, below which the search ends: a fiftieth of the distance between points.
const ENOUGH: f64 = 0.0025;

/// Where the board is now, found from where it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Registration {
    /// The board in this picture.
    pub image_from_board: BoardMap,
    /// Mean difference of luminance to the reference there, in levels; large ones cut.
    pub residual: f64,
}

/// Mean difference of luminance, in levels (large ones cut), between the board at this place and the reference;
/// infinite where the board is hardly in the picture.
#[must_use]
pub fn misfit(frame: &Frame<'_>, image_from_board: &BoardMap, reference: &[Colour]) -> f64 {
    let errors = errors(frame, image_from_board, reference);
    let seen = errors.iter().filter(|e| e.is_finite()).count();
    if seen < POINTS / 4 { f64::INFINITY } else { mean_size(&errors).unwrap_or(f64::INFINITY) }
}

fn errors(frame: &Frame<'_>, image_from_board: &BoardMap, reference: &[Colour]) -> Vec<f64> {
    let now = luminance(frame, image_from_board);
    let gain = gain(&now, reference);
    now.iter().zip(reference).map(|(now, then)| f64::from(now / gain - then[0])).collect()
}

/// Lays the picture over the reference, starting at `start`. `None` where nothing is gained by moving, where the
/// picture has no structure to hold on to, or where it led away by more than a square.
#[must_use]
pub fn register(frame: &Frame<'_>, start: &BoardMap, reference: &[Colour]) -> Option<Registration> {
    let slopes = slopes(reference);
    let mut image_from_board = *start;
    let mut residual = f64::INFINITY;
    let mut first = None;
    for _ in 0..ROUNDS {
        let errors = errors(frame, &image_from_board, reference);
        residual = mean_size(&errors)?;
        first.get_or_insert(residual);
        let limit = TUKEY * median_size(&errors)?.max(1.0);
        let mut normal = SMatrix::<f64, 8, 8>::zeros();
        let mut right = SVector::<f64, 8>::zeros();
        for (index, error) in errors.iter().enumerate() {
            let [gx, gy] = slopes[index];
            // A step in the picture may be off by as much as a movement within reach makes it.
            let limit = limit + REACH * gx.hypot(gy);
            if !error.is_finite() || !limit.is_finite() || error.abs() >= limit {
                continue;
            }
            let weight = (1.0 - (error / limit).powi(2)).powi(2);
            let p = point(index);
            // Centred, so that the parameters are of one size.
            let (x, y) = ((p.x - 4.0) / 4.0, (p.y - 4.0) / 4.0);
            let g = gx * x + gy * y;
            let row = SVector::<f64, 8>::from([gx, gy, gx * x, gx * y, gy * x, gy * y, -g * x, -g * y]);
            normal += weight * row * row.transpose();
            right += weight * error * row;
        }
        // A board without any contrast along one direction cannot be followed along it.
        let damping = 1e-6 * normal.trace();
        if damping <= 0.0 {
            return None;
        }
        let step = (normal + SMatrix::<f64, 8, 8>::identity() * damping).cholesky()?.solve(&right);
        let centred = Matrix3::new(0.25, 0.0, -1.0, 0.0, 0.25, -1.0, 0.0, 0.0, 1.0);
        let warp = Matrix3::new(
            1.0 + step[2] / 4.0,
            step[3] / 4.0,
            step[0] / 4.0,
            step[4] / 4.0,
            1.0 + step[5] / 4.0,
            step[1] / 4.0,
            step[6] / 4.0,
            step[7] / 4.0,
            1.0,
        );
        // The picture shows at p what the reference shows at warp(p): the board is at the inverse of it.
        let back = centred.try_inverse()? * warp.try_inverse()? * centred;
        image_from_board = image_from_board.after(&back)?;
        let moved = step.rows(0, 2).norm().max(step.rows(2, 4).norm()).max(4.0 * step.rows(6, 2).norm());
        if moved < ENOUGH {
            break;
        }
    }
    let furthest = (0..4)
        .map(|k| {
            let corner = image_from_board.corners().0[k];
            nalgebra::distance(&start.to_board(corner), &start.to_board(start.corners().0[k]))
        })
        .fold(0.0, f64::max);
    let better = first.is_some_and(|first| residual < LEAST_GAIN * first);
    (better && furthest < 1.0).then_some(Registration { image_from_board, residual })
}

/// Luminance at every point, read exactly as the reference was: an unmoved board has no error at all.
fn luminance(frame: &Frame<'_>, image_from_board: &BoardMap) -> Vec<f32> {
    Samples::read(frame, image_from_board).0.into_iter().map(|rgb| colour_from_rgb(rgb)[0]).collect()
}

fn gain(now: &[f32], reference: &[Colour]) -> f32 {
    let mut ratios: Vec<f32> =
        now.iter().zip(reference).filter(|(n, r)| n.is_finite() && r[0] > 12.0).map(|(n, r)| n / r[0]).collect();
    if ratios.is_empty() {
        return 1.0;
    }
    let middle = ratios.len() / 2;
    ratios.select_nth_unstable_by(middle, f32::total_cmp).1.clamp(0.02, 50.0)
}

fn mean_size(errors: &[f64]) -> Option<f64> {
    let sizes = errors.iter().filter(|e| e.is_finite()).map(|e| e.abs().min(LARGEST_ERROR));
    let n = sizes.clone().count();
    (n > 0).then(|| sizes.sum::<f64>() / n as f64)
}

fn median_size(errors: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = errors.iter().filter(|e| e.is_finite()).map(|e| e.abs()).collect();
    if sizes.len() < POINTS / 4 {
        return None;
    }
    let middle = sizes.len() / 2;
    Some(*sizes.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Index of the point in column `x` and row `y` of the whole board's raster.
const fn index_at(x: usize, y: usize) -> usize {
    let n = POINTS_PER_SIDE;
    ((y / n) * 8 + x / n) * n * n + (y % n) * n + x % n
}

/// Slope of the reference's luminance at every point, in levels per square.
fn slopes(reference: &[Colour]) -> Vec<[f64; 2]> {
    let mut slopes = vec![[0.0; 2]; POINTS];
    let across = |a: usize, b: usize, steps: usize| {
        f64::from(reference[b][0] - reference[a][0]) * POINTS_PER_SIDE as f64 / steps as f64
    };
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (x0, x1) = (x.saturating_sub(1), (x + 1).min(SIDE - 1));
            let (y0, y1) = (y.saturating_sub(1), (y + 1).min(SIDE - 1));
            slopes[index_at(x, y)] =
                [across(index_at(x0, y), index_at(x1, y), x1 - x0), across(index_at(x, y0), index_at(x, y1), y1 - y0)];
        }
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::{BoardPoint, Corners};

    fn chequer(image_from_board: &BoardMap) -> image::RgbImage {
        image::RgbImage::from_fn(640, 480, |x, y| {
            let p = image_from_board.to_board(nalgebra::Point2::new(f64::from(x), f64::from(y)));
            let inside = (0.0..8.0).contains(&p.x) && (0.0..8.0).contains(&p.y);
            let light = (p.x.floor() + p.y.floor()).rem_euclid(2.0) > 0.5;
            // A man on every third square breaks the period.
            let man =
                (p.x.fract() - 0.5).hypot(p.y.fract() - 0.5) < 0.3 && (p.x.floor() * 3.0 + p.y.floor()) % 5.0 < 2.0;
            let v = if !inside {
                90
            } else if man {
                240
            } else if light {
                200
            } else {
                60
            };
            image::Rgb([v; 3])
        })
    }

    #[test]
    fn a_small_movement_is_followed_below_a_pixel() {
        let before = Corners::new([[120.0, 430.0], [540.0, 420.0], [450.0, 90.0], [190.0, 100.0]]).unwrap();
        let after = Corners::new([[123.0, 428.0], [542.0, 423.0], [451.5, 92.0], [192.0, 103.0]]).unwrap();
        let (before, after) =
            (BoardMap::from_corners(&before, None).unwrap(), BoardMap::from_corners(&after, None).unwrap());
        let first = chequer(&before);
        let reference: Vec<Colour> = Samples::read(&Frame::from_rgb(&first).unwrap(), &before).in_light([1.0; 3]);
        let second = chequer(&after);
        let found = register(&Frame::from_rgb(&second).unwrap(), &before, &reference).unwrap().image_from_board;
        for corner in [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0], [4.0, 4.0]] {
            let p = BoardPoint::from(corner);
            let off = nalgebra::distance(&found.to_image(p), &after.to_image(p));
            // Edges without anti-aliasing, and corners beyond the outermost point: a sixtieth of a square.
            assert!(off < 1.0, "{corner:?}: {off} px");
        }
    }

    #[test]
    fn a_picture_without_structure_is_not_followed() {
        let corners = Corners::new([[120.0, 430.0], [540.0, 420.0], [450.0, 90.0], [190.0, 100.0]]).unwrap();
        let h = BoardMap::from_corners(&corners, None).unwrap();
        let grey = image::RgbImage::from_pixel(640, 480, image::Rgb([99; 3]));
        let reference = vec![[99.0, 0.0, 0.0]; POINTS];
        assert_eq!(register(&Frame::from_rgb(&grey).unwrap(), &h, &reference), None);
    }
}
