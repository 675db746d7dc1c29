//! A board's map moved onto all crossings of the full picture that can be seen, under an unknown lens if need be.

use super::{
    crossings,
    geometry::{BoardPoint, Homography, ImagePoint},
    lattice,
    lens::Lens,
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
}

/// Fewest crossings from which the bend of an unknown lens is taken: it has one parameter beside the homography's
/// eight, and cells hidden by men leave their crossings on one side.
const FEWEST_FOR_BEND: usize = 20;
/// Usual bend of an unknown lens: how far it moves the picture's corner, as a fraction of the half diagonal. Webcams and
/// phones reach 3 %.
const USUAL_BEND: f64 = 0.02;
/// Least deviation of a crossing, in pixels.
const CROSSING_SD_PX: f64 = 0.15;
/// By how much the sum of squared deviations must fall, in variances, for a bend to be believed: three deviations.
const BEND_SEEN: f64 = 9.0;

/// Moves a homography onto the crossings that are seen near their places. `None` when fewer than eight agree.
///
/// Where the lens is not known and the crossings show that it bends, they are sought and fitted under that bend; what is
/// returned is then the homography nearest to it over the whole board.
pub(crate) fn refine(frame: &Frame<'_>, start: &BoardMap) -> Option<Refined> {
    let mut map = *start;
    let mut last = None;
    for round in 0..4 {
        // Farther off at first, when the map is extrapolated from part of the board.
        let gate = if round == 0 { 0.2 } else { 0.12 };
        let mut pairs: Vec<(BoardPoint, ImagePoint)> = Vec::new();
        for j in 1..8 {
            for i in 1..8 {
                let b = BoardPoint::new(f64::from(i), f64::from(j));
                let spacing = lattice::spacing(map.plane(), (i, j));
                let expected = map.to_image(b);
                // A quarter of a square: the window must not reach the next lines.
                if let Some(p) = crossings::refine(frame, expected, 0.25 * spacing)
                    && (p - expected).norm() < gate * spacing
                {
                    pairs.push((b, p));
                }
            }
        }
        if start.lens().is_none() && std::env::var("BEND").is_ok() {
            let lens = bend(frame, map.plane(), &pairs);
            map = BoardMap::new(*map.plane(), lens);
        }
        let (plane, crossings, residual_px) = fit_robustly(map.plane(), &straight(map.lens(), &pairs))?;
        map = map.with_plane(plane);
        last = Some(Refined { map, crossings, residual_px });
        // Without a bend the third round changes nothing any more.
        if round == 2 && (start.lens().is_some() || map.lens().is_none()) {
            break;
        }
    }
    let mut refined = last?;
    if start.lens().is_none() && refined.map.lens().is_some() {
        refined.map = if std::env::var("BEND").unwrap_or_default() == "2" {
            BoardMap::from_corners(&refined.map.corners(), None)?
        } else {
            flattened(&refined.map)?
        };
    }
    Some(refined)
}

/// The pairs with their points as a pinhole would show them.
fn straight(lens: Option<&Lens>, pairs: &[(BoardPoint, ImagePoint)]) -> Vec<(BoardPoint, ImagePoint)> {
    let ideal = |p: &ImagePoint| lens.map_or(Some(*p), |lens| lens.undistort(*p));
    pairs.iter().filter_map(|(b, p)| Some((*b, ideal(p)?))).collect()
}

/// The lens of one radial coefficient under which the crossings lie in a plane best; `None` where they show no bend.
fn bend(frame: &Frame<'_>, plane: &Homography, pairs: &[(BoardPoint, ImagePoint)]) -> Option<Lens> {
    if pairs.len() < FEWEST_FOR_BEND {
        return None;
    }
    let (w, h) = (f64::from(frame.width()), f64::from(frame.height()));
    let half_diagonal = 0.5 * w.hypot(h);
    // With the half diagonal for a focal length the coefficient is the bend in the corner.
    let lens = |k: f64| Lens::radial(half_diagonal, ImagePoint::new(0.5 * (w - 1.0), 0.5 * (h - 1.0)), k);
    let distances = |k: f64| -> Option<Vec<f64>> {
        let seen = straight(Some(&lens(k)), pairs);
        let (plane, _, _) = fit_robustly(plane, &seen)?;
        Some(seen.iter().map(|(b, p)| (plane.to_image(*b) - p).norm()).collect())
    };
    // Squares up to the gate at which the fit takes a crossing for wrong, in variances of one under the straight lens'.
    let mut plain = distances(0.0)?;
    plain.sort_by(f64::total_cmp);
    let median = plain[plain.len() / 2];
    let gate = (2.5 * median).max(0.7).powi(2);
    let cost = |k: f64, variance: f64| -> Option<f64> {
        let sum: f64 = distances(k)?.iter().map(|d| (d * d).min(gate)).sum();
        Some(sum / variance + (k / USUAL_BEND).powi(2))
    };
    // The median of the length of two normal deviations is 1.18 of one.
    let mut variance = (median / 1.18).max(CROSSING_SD_PX).powi(2);
    let (mut best, mut step) = (0.0, 0.01);
    for _ in 0..3 {
        let [a, b, c] = [cost(best - step, variance)?, cost(best, variance)?, cost(best + step, variance)?];
        let curvature = a - 2.0 * b + c;
        let shift = if curvature > 0.0 { 0.5 * step * (a - c) / curvature } else { step * (a - c).signum() };
        best = (best + shift.clamp(-3.0 * step, 3.0 * step)).clamp(-0.08, 0.08);
        step *= 0.5;
        let mut now = distances(best)?;
        now.sort_by(f64::total_cmp);
        variance = (now[now.len() / 2] / 1.18).max(CROSSING_SD_PX).powi(2);
    }
    (cost(0.0, variance)? - cost(best, variance)? > BEND_SEEN).then(|| lens(best))
}

/// The homography without a lens that is nearest to the map over the whole board.
fn flattened(map: &BoardMap) -> Option<BoardMap> {
    let points = (0..81).map(|k| BoardPoint::new(f64::from(k % 9), f64::from(k / 9)));
    let pairs: Vec<(BoardPoint, ImagePoint)> = points.map(|b| (b, map.to_image(b))).collect();
    if pairs.iter().any(|(_, p)| !(p.x.is_finite() && p.y.is_finite())) {
        return None;
    }
    Some(BoardMap::from(Homography::from_points(&pairs)?))
}

/// Least squares on the pairs that are near the map, near meaning 2.5 times the median distance, thrice over.
fn fit_robustly(start: &Homography, pairs: &[(BoardPoint, ImagePoint)]) -> Option<(Homography, usize, f64)> {
    let mut map = *start;
    let mut result = None;
    for _ in 0..4 {
        let mut distances: Vec<f64> = pairs.iter().map(|(b, p)| (map.to_image(*b) - p).norm()).collect();
        distances.sort_by(f64::total_cmp);
        let median = distances.get(distances.len() / 2)?;
        let gate = (2.5 * median).max(0.7);
        let near: Vec<(BoardPoint, ImagePoint)> =
            pairs.iter().filter(|(b, p)| (map.to_image(*b) - p).norm() < gate).copied().collect();
        if near.len() < 8 {
            return result;
        }
        map = Homography::from_points(&near)?;
        let squares: f64 = near.iter().map(|(b, p)| (map.to_image(*b) - p).norm_squared()).sum();
        result = Some((map, near.len(), (squares / near.len() as f64).sqrt()));
    }
    result
}
