//! The bend of an unknown lens, from a board's own crossings: straight lines that are not.
//!
//! One radial coefficient is estimated together with the homography (F. Devernay and O. Faugeras, "Straight lines have to
//! be straight", 2001, with the board's lattice in place of lines). Uneven squares bend lines as well; so it is believed
//! only where it explains clearly more than they could.

use super::{
    geometry::{BoardPoint, Homography, ImagePoint},
    lens::Lens,
    map::BoardMap,
};

/// Focal length over the picture's longer side, for which the coefficient is meant: any would do, this one makes it
/// comparable to calibrated lenses.
const FOCAL: f64 = 0.85;
/// Largest coefficient that is looked for, either way: beyond it a lens is a fisheye, and needs its `camera_info`.
const STRONGEST: f64 = 0.4;
/// Usual size of the coefficient: webcams and phones stay below 0.1 mostly.
const USUAL: f64 = 0.12;
/// Steps from one end to the other; then the best is refined.
const STEPS: i32 = 16;
/// Fewest crossings: with fewer, in the middle of the board, a bend at its corners would be a guess.
const FEWEST: usize = 24;
/// Share of the crossings' errors that are independent: neighbours share the unevenness of their squares.
const INDEPENDENT: f64 = 0.3;
/// Gain in log-likelihood from which the bend is believed: three standard deviations.
const CLEAR_GAIN: f64 = 4.5;

/// The map of a board whose crossings were `seen` in a picture of `size_px`, through the lens that explains them; `None`
/// where none is needed.
pub(crate) fn estimate(seen: &[(BoardPoint, ImagePoint)], size_px: (u32, u32)) -> Option<BoardMap> {
    if seen.len() < FEWEST {
        return None;
    }
    let straight = fit(seen, size_px, 0.0)?;
    let cost = |k1: f64| -> f64 {
        let n = INDEPENDENT * seen.len() as f64;
        // Two coordinates each, half the logarithm of the sum of squares: as good as their number of values.
        fit(seen, size_px, k1)
            .map_or(f64::INFINITY, |(_, rms)| 2.0 * n * (rms / straight.1).ln() + 0.5 * (k1 / USUAL).powi(2))
    };
    let step = 2.0 * STRONGEST / f64::from(STEPS);
    let (coarse, _) = (0..=STEPS)
        .map(|i| -STRONGEST + f64::from(i) * step)
        .map(|k1| (k1, cost(k1)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (mut best, mut least) = (coarse, cost(coarse));
    let mut width = 0.5 * step;
    // Halved six times: a thousandth, far below what can be seen.
    for _ in 0..6 {
        for k1 in [best - width, best + width] {
            let c = cost(k1);
            if c < least {
                (best, least) = (k1, c);
            }
        }
        width *= 0.5;
    }
    if least > -CLEAR_GAIN {
        return None;
    }
    fit(seen, size_px, best).map(|(map, _)| map)
}

/// The map under a lens with this coefficient, and the root mean square of its errors in the picture, in pixels.
fn fit(seen: &[(BoardPoint, ImagePoint)], size_px: (u32, u32), k1: f64) -> Option<(BoardMap, f64)> {
    let long_side = f64::from(size_px.0.max(size_px.1));
    let centre = ImagePoint::new((f64::from(size_px.0) - 1.0) / 2.0, (f64::from(size_px.1) - 1.0) / 2.0);
    let lens = (k1 != 0.0).then(|| Lens::radial(FOCAL * long_side, centre, k1));
    let ideal = |p: ImagePoint| lens.map_or(Some(p), |lens| lens.undistort(p));
    let pairs: Option<Vec<_>> = seen.iter().map(|(b, p)| Some((*b, ideal(*p)?))).collect();
    let map = BoardMap::new(Homography::from_points(&pairs?)?, lens);
    let squares: f64 = seen.iter().map(|(b, p)| (map.to_image(*b) - p).norm_squared()).sum();
    // A hundredth of a pixel: exact points are no proof of an infinitely good fit.
    squares.is_finite().then(|| (map, (squares / seen.len() as f64).sqrt().max(0.01)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::Corners;

    const SIZE: (u32, u32) = (1280, 720);

    /// The crossings of a board under a lens, each off by up to `uneven_px`, always the same way.
    fn seen(k1: f64, uneven_px: f64) -> (BoardMap, Vec<(BoardPoint, ImagePoint)>) {
        let corners = Corners::new([[260.0, 660.0], [1010.0, 650.0], [900.0, 80.0], [390.0, 90.0]]).expect("corners");
        let lens = Lens::radial(FOCAL * 1280.0, ImagePoint::new(639.5, 359.5), k1);
        let map = BoardMap::from_corners(&corners, Some(lens)).expect("a map");
        let crossings = (0..49).map(|k| {
            let b = BoardPoint::new(f64::from(k % 7) + 1.0, f64::from(k / 7) + 1.0);
            let angle = f64::from(k * k % 13);
            (b, map.to_image(b) + nalgebra::Vector2::new(angle.cos(), angle.sin()) * uneven_px)
        });
        (map, crossings.collect())
    }

    fn farthest_px(a: &BoardMap, b: &BoardMap) -> f64 {
        a.corners().0.iter().zip(&b.corners().0).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn a_bend_is_found_and_the_corners_with_it() {
        for k1 in [-0.3, -0.15, 0.1, 0.2] {
            let (truth, crossings) = seen(k1, 0.4);
            let found = estimate(&crossings, SIZE).expect("a lens");
            let straight = fit(&crossings, SIZE, 0.0).expect("a map").0;
            let (with, without) = (farthest_px(&found, &truth), farthest_px(&straight, &truth));
            assert!(with < 1.5 && with < 0.5 * without, "{k1}: {with} px, {without} without a lens");
        }
    }

    #[test]
    fn uneven_squares_are_no_lens() {
        for uneven_px in [0.05, 0.5, 3.0] {
            let (_, crossings) = seen(0.0, uneven_px);
            assert_eq!(estimate(&crossings, SIZE), None, "{uneven_px}");
        }
        let (_, crossings) = seen(-0.3, 0.3);
        assert_eq!(estimate(&crossings[..20], SIZE), None, "too few crossings");
    }
}
