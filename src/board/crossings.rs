//! Where four squares meet: saddle points of the luminance.
//!
//! At a crossing two light squares face each other across two dark ones: the smoothed luminance has a saddle there,
//! and the two directions in which its curvature vanishes are the board's lines. (L. Lucchese and S. K. Mitra, "Using
//! saddle points for subpixel feature detection in camera calibration targets", 2002.)

use std::f64::consts::PI;

use nalgebra::{Matrix2, Vector2};

use super::{geometry::ImagePoint, plane::Plane};
use crate::frame::Frame;

/// Most crossings kept, the strongest first. A board has 49; the rest is clutter, of which a picture full of square
/// markers has about a thousand.
const MOST_CROSSINGS: usize = 1000;
/// Weakest saddle: square root of minus the Hessian's determinant, in grey levels at unit smoothing. Light and dark
/// squares ten grey levels apart give about 1.6.
const WEAKEST: f32 = 0.6;
/// Greatest ratio of the two curvatures: beyond it (an angle of 2·atan(√7) = 139° between the lines) it is a ridge.
const MOST_UNEQUAL: f32 = 7.0;

/// A saddle point of the luminance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Where, in pixels of the plane it was found in.
    pub(crate) at: ImagePoint,
    /// Directions of the two lines, radians in 0..π. Turning from the first to the second through the light sector
    /// is an increase of angle (x right, y down); so neighbours on the board have them swapped.
    pub(crate) lines: [f64; 2],
    /// Square root of minus the Hessian's determinant, in grey levels at unit smoothing.
    pub(crate) strength: f32,
}

/// Least angle between two lines' directions, 0..π/2.
pub(crate) fn line_angle(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(PI);
    d.min(PI - d)
}

/// The crossings of `plane` at the scale of `sigma` pixels, strongest first.
pub(crate) fn find(plane: &Plane, sigma: f32) -> Vec<Crossing> {
    let smooth = plane.blurred(sigma);
    let (w, h) = (smooth.width, smooth.height);
    if w < 7 || h < 7 {
        return Vec::new();
    }
    let scale = sigma * sigma;
    let mut saddle = vec![0.0_f32; w * h];
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let [xx, xy, yy] = hessian(&smooth, x, y);
            let minus_determinant = xy * xy - xx * yy;
            if minus_determinant > 0.0 {
                saddle[y * w + x] = minus_determinant.sqrt() * scale;
            }
        }
    }
    // Neighbouring crossings are at least five pixels apart, or their squares could not be judged.
    let radius = 2_usize.max(sigma.round() as usize);
    let mut found = Vec::new();
    for y in radius..h - radius {
        for x in radius..w - radius {
            let here = saddle[y * w + x];
            if here < WEAKEST {
                continue;
            }
            let peak = (y - radius..=y + radius).all(|v| {
                saddle[v * w + x - radius..=v * w + x + radius]
                    .iter()
                    .enumerate()
                    .all(|(i, s)| *s < here || (*s == here && (v, x + i - radius) <= (y, x)))
            });
            if peak && let Some(crossing) = describe(&smooth, x, y, here) {
                found.push(crossing);
            }
        }
    }
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    found.truncate(MOST_CROSSINGS);
    found
}

fn hessian(p: &Plane, x: usize, y: usize) -> [f32; 3] {
    let i = y * p.width + x;
    let (d, w) = (&p.data, p.width);
    let xx = d[i - 1] - 2.0 * d[i] + d[i + 1];
    let yy = d[i - w] - 2.0 * d[i] + d[i + w];
    let xy = 0.25 * (d[i - w - 1] + d[i + w + 1] - d[i - w + 1] - d[i + w - 1]);
    [xx, xy, yy]
}

fn describe(p: &Plane, x: usize, y: usize, strength: f32) -> Option<Crossing> {
    let [xx, xy, yy] = hessian(p, x, y);
    let (mean, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    let (up, down) = (mean + half, half - mean);
    if up <= 0.0 || down <= 0.0 || up > MOST_UNEQUAL * down || down > MOST_UNEQUAL * up {
        return None;
    }
    // The saddle itself: the gradient vanishes.
    let i = y * p.width + x;
    let gradient =
        Vector2::new(0.5 * (p.data[i + 1] - p.data[i - 1]), 0.5 * (p.data[i + p.width] - p.data[i - p.width]));
    let shift = Matrix2::new(xx, xy, xy, yy).try_inverse().map(|m| -(m * gradient))?;
    // Farther than this the quadratic is no description of what is here: an edge with noise on it.
    if shift.norm() > 1.8 {
        return None;
    }
    // Along the upward axis it gets lighter both ways; the lines lie on both sides of it.
    let axis = 0.5 * f64::from(2.0 * xy).atan2(f64::from(xx - yy));
    let half_sector = f64::from(up / down).sqrt().atan();
    Some(Crossing {
        at: ImagePoint::new(x as f64 + f64::from(shift.x), y as f64 + f64::from(shift.y)),
        lines: [(axis - half_sector).rem_euclid(PI), (axis + half_sector).rem_euclid(PI)],
        strength,
    })
}

/// Refines a crossing in the full picture: the point to which all luminance gradients in a window of `radius_px` are
/// orthogonal (W. Förstner and E. Gülch, "A fast operator for detection and precise location of distinct points,
/// corners and centres of circular features", 1987). `None` where it runs away or the window has no two directions.
pub(crate) fn refine(frame: &Frame<'_>, start: ImagePoint, radius_px: f64) -> Option<ImagePoint> {
    let radius = radius_px.clamp(2.0, 20.0);
    let reach = radius.ceil() as i64;
    let mut point = start;
    for _ in 0..6 {
        let (cx, cy) = (point.x.round() as i64, point.y.round() as i64);
        let inside = cx - reach > 0
            && cy - reach > 0
            && cx + reach + 1 < i64::from(frame.width())
            && cy + reach + 1 < i64::from(frame.height());
        if !inside {
            return None;
        }
        let luma = |x: i64, y: i64| f64::from(frame.luma(x as u32, y as u32));
        let mut normal = Matrix2::zeros();
        let mut right = Vector2::zeros();
        for y in cy - reach..=cy + reach {
            for x in cx - reach..=cx + reach {
                let from = Vector2::new(x as f64 - point.x, y as f64 - point.y);
                let distance = from.norm() / radius;
                if distance >= 1.0 {
                    continue;
                }
                let gradient = Vector2::new(luma(x + 1, y) - luma(x - 1, y), luma(x, y + 1) - luma(x, y - 1));
                let outer = gradient * gradient.transpose() * (1.0 - distance * distance);
                normal += outer;
                right += outer * from;
            }
        }
        let (trace, determinant) = (normal.trace(), normal.determinant());
        // Below this ratio one direction has less than a hundredth of the other's gradients: a line, not a crossing.
        if determinant <= 0.01 * trace * trace {
            return None;
        }
        let step = normal.try_inverse()? * right;
        point += step;
        if (point - start).norm() > radius {
            return None;
        }
        if step.norm() < 0.01 {
            break;
        }
    }
    Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    /// A picture whose quadrants around (cx, cy), turned by `angle`, are light and dark; smoothed by 4×4 subsamples.
    fn quadrants(cx: f64, cy: f64, angle: f64) -> Vec<u8> {
        let (s, c) = angle.sin_cos();
        let mut data = Vec::new();
        for y in 0..40 {
            for x in 0..40 {
                let mut sum = 0.0;
                for k in 0..16 {
                    let px = f64::from(x) + (f64::from(k % 4) - 1.5) / 4.0 - cx;
                    let py = f64::from(y) + (f64::from(k / 4) - 1.5) / 4.0 - cy;
                    sum += if (px * c + py * s) * (py * c - px * s) > 0.0 { 180.0 } else { 60.0 };
                }
                data.push((sum / 16.0) as u8);
            }
        }
        data
    }

    #[test]
    fn a_crossing_is_found_with_its_lines() {
        for (cx, cy, angle) in [(20.0, 20.0, 0.0), (19.3, 20.6, 0.3), (20.4, 18.7, 1.0), (18.5, 21.5, 2.2)] {
            let data = quadrants(cx, cy, angle);
            let frame = Frame::new(40, 40, 40, PixelFormat::Mono8, &data).expect("a frame");
            let found = find(&Plane::reduced(&frame, 1), 1.5);
            let first = found.first().expect("a crossing");
            assert!((first.at - ImagePoint::new(cx, cy)).norm() < 0.1, "{first:?} for {cx} {cy}");
            // Light where both turned coordinates are positive: from the direction `angle` through light to 90° more.
            assert!(line_angle(first.lines[0], angle) < 0.05, "{first:?} for {angle}");
            assert!(line_angle(first.lines[1], angle + PI / 2.0) < 0.05, "{first:?} for {angle}");
            assert!(found.len() == 1 || found[1].strength < 0.3 * first.strength);
            let refined = refine(&frame, ImagePoint::new(cx + 1.2, cy - 0.9), 6.0).expect("refined");
            assert!((refined - ImagePoint::new(cx, cy)).norm() < 0.06, "{refined} for {cx} {cy}");
        }
    }

    #[test]
    fn an_edge_is_no_crossing() {
        let data: Vec<u8> = (0..40 * 40).map(|i| if i % 40 < 20 { 40 } else { 200 }).collect();
        let frame = Frame::new(40, 40, 40, PixelFormat::Mono8, &data).expect("a frame");
        assert_eq!(find(&Plane::reduced(&frame, 1), 1.5), []);
        assert_eq!(refine(&frame, ImagePoint::new(20.0, 20.0), 6.0), None);
    }
}
