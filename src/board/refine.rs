//! A board's map moved onto all crossings of the full picture that can be seen, and how well its corners are known then.

use nalgebra::{SMatrix, Vector3};

use super::{
    cells::median,
    crossings,
    geometry::{BoardPoint, Homography, ImagePoint},
    lattice,
    map::BoardMap,
};
use crate::frame::Frame;

/// A homography fitted to the crossings of the full picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refined {
    /// Pixels from board coordinates.
    pub(crate) map: BoardMap,
    /// Crossings it rests on.
    pub(crate) crossings: usize,
    /// Root mean square of their distances from it, in pixels.
    pub(crate) residual_px: f64,
    /// Standard deviation of the picture's noise over the distance of light from dark squares, at the middle one of these.
    pub(crate) noise: f64,
    /// Standard deviation of the worst known outer corner that follows from these, in pixels.
    pub(crate) corner_sd_px: f64,
}

/// Board points and where a pinhole would show them.
type Pairs = Vec<(BoardPoint, ImagePoint)>;

/// Moves a homography onto the crossings that are seen near their places. `None` when fewer than eight agree.
pub(crate) fn refine(frame: &Frame<'_>, start: &BoardMap) -> Option<Refined> {
    // Farther off at first, when the map is extrapolated from part of the board.
    let mut fitted = fit_to_seen(frame, start, 0.2)?;
    for _ in 0..2 {
        fitted = fit_to_seen(frame, &start.with_plane(fitted.0), 0.12)?;
    }
    let (plane, near, residual_px) = fitted;
    let corner_sd_px = corner_sd_px(&plane, &near, residual_px)?;
    let map = start.with_plane(plane);
    let noise_at = |(b, _): &(BoardPoint, ImagePoint)| {
        let spacing = lattice::spacing(&plane, (b.x as i32, b.y as i32));
        crossings::noise_over_contrast(frame, map.to_image(*b), 0.25 * spacing)
    };
    let noise = median(near.iter().filter_map(noise_at));
    Some(Refined { map, crossings: near.len(), residual_px, noise, corner_sd_px })
}

/// The plane through the crossings that are seen within `gate` of a square of where `map` has them, those it rests on,
/// and the root mean square of their distances from it, in pixels.
fn fit_to_seen(frame: &Frame<'_>, map: &BoardMap, gate: f64) -> Option<(Homography, Pairs, f64)> {
    let seen = |(i, j): (i32, i32)| {
        let b = BoardPoint::new(f64::from(i), f64::from(j));
        let spacing = lattice::spacing(map.plane(), (i, j));
        let expected = map.to_image(b);
        // A quarter of a square: the window must not reach the next lines.
        let p = crossings::refine(frame, expected, 0.25 * spacing)?;
        let near = (p - expected).norm() < gate * spacing;
        let ideal = map.lens().map_or(Some(p), |lens| lens.undistort(p));
        near.then_some((b, ideal?))
    };
    let pairs: Pairs = (0..49).filter_map(|k| seen((1 + k % 7, 1 + k / 7))).collect();
    fit_robustly(map.plane(), &pairs)
}

/// Least squares on the pairs that are near the map, near meaning 2.5 times the median distance, thrice over.
fn fit_robustly(start: &Homography, pairs: &[(BoardPoint, ImagePoint)]) -> Option<(Homography, Pairs, f64)> {
    let mut map = *start;
    let mut result = None;
    for _ in 0..4 {
        let mut distances: Vec<f64> = pairs.iter().map(|(b, p)| (map.to_image(*b) - p).norm()).collect();
        distances.sort_by(f64::total_cmp);
        let median = distances.get(distances.len() / 2)?;
        let gate = (2.5 * median).max(0.7);
        let near: Pairs = pairs.iter().filter(|(b, p)| (map.to_image(*b) - p).norm() < gate).copied().collect();
        if near.len() < 8 {
            return result;
        }
        map = Homography::from_points(&near)?;
        let squares: f64 = near.iter().map(|(b, p)| (map.to_image(*b) - p).norm_squared()).sum();
        let rms = (squares / near.len() as f64).sqrt();
        result = Some((map, near, rms));
    }
    result
}

/// How well the worst known of the outer corners is known, when the crossings deviate as they do, independently of each
/// other: `J (Σ Jᵀ J)⁻¹ Jᵀ`, J being the derivative of a point by the homography's parameters.
fn corner_sd_px(map: &Homography, pairs: &[(BoardPoint, ImagePoint)], residual_px: f64) -> Option<f64> {
    let m = map.matrix();
    // The last parameter is held; a point's z cannot be 0 on a board that is seen.
    let rows = |b: BoardPoint| {
        let b = Vector3::new(b.x - 4.0, b.y - 4.0, 1.0);
        let p = m * Vector3::new(b.x + 4.0, b.y + 4.0, 1.0);
        let (x, y, w) = (p.x / p.z, p.y / p.z, 1.0 / p.z);
        let mut rows = SMatrix::<f64, 2, 8>::zeros();
        for k in 0..3 {
            rows[(0, k)] = w * b[k];
            rows[(1, 3 + k)] = w * b[k];
        }
        for k in 0..2 {
            rows[(0, 6 + k)] = -w * x * b[k];
            rows[(1, 6 + k)] = -w * y * b[k];
        }
        rows
    };
    let normal = pairs.iter().fold(SMatrix::<f64, 8, 8>::zeros(), |sum, (b, _)| sum + rows(*b).transpose() * rows(*b));
    let covariance = normal.try_inverse()?;
    let of = |x: f64, y: f64| {
        let j = rows(BoardPoint::new(x, y));
        (j * covariance * j.transpose()).trace()
    };
    let worst = of(0.0, 0.0).max(of(8.0, 0.0)).max(of(8.0, 8.0)).max(of(0.0, 8.0));
    // Eight of the 2n coordinates' freedoms are used up; two coordinates share a residual.
    let n = pairs.len() as f64;
    let variance = 0.5 * residual_px.powi(2) * n / (n - 4.0).max(1.0);
    Some((worst * variance).sqrt())
}
