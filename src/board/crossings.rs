//! Where four squares meet: saddle points of the luminance.
//!
//! At a crossing two light squares face each other across two dark ones: the smoothed luminance has a saddle there, and
//! a ring around it shows the two lines. (L. Lucchese and S. K. Mitra, "Using
//! saddle points for subpixel feature detection in camera calibration targets", 2002.)

use std::f64::consts::PI;

use nalgebra::{Matrix2, SMatrix, SVector, Vector2};

use super::{geometry::ImagePoint, noise, plane::Plane};
use crate::frame::Frame;

/// Most crossings kept, the strongest and clearest first. A board has 49; in 120 simulated pictures full of noise and
/// grain 95 % of those that are seen at all are among the first 200.
const MOST_CROSSINGS: usize = 250;
/// Weakest saddle: square root of minus the Hessian's determinant, in grey levels at unit smoothing. Light and dark
/// squares ten grey levels apart give about 1.6.
const WEAKEST: f32 = 0.6;
/// Greatest ratio of the two curvatures: four sectors have two alike, whatever the angle of their lines; men, shadows
/// and the next crossings change that. Beyond it, it is a ridge.
const MOST_UNEQUAL: f32 = 7.0;
/// Samples on the ring around a crossing; a multiple of four.
const RING: usize = 32;
/// Angle from one to the next, radians.
const RING_STEP: f64 = 2.0 * PI / RING as f64;
/// The ring's radius, in sigmas: beyond the blur (0.9 of the contrast is reached) and still before the middle of a
/// square of five sigmas, where a man may stand.
const RING_SIGMAS: f64 = 2.4;
/// Least angle between the lines, radians: at 30° elevation and with a wide lens those of a board that stands on its
/// corner are 38° apart.
const NARROWEST_RAD: f64 = 0.45;
/// Windows of a smaller radius have too few pixels for their edges to be told from their neighbours' and from noise.
const SMALL_PX: f64 = 2.6;

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

/// The crossings of `plane` at the scale of `sigma` pixels: the strongest and clearest first.
pub(crate) fn find(plane: &Plane, sigma: f32) -> Vec<Crossing> {
    let smooth = plane.blurred(sigma);
    let (w, h) = (smooth.width, smooth.height);
    // So far around a crossing its sectors are looked at.
    let margin = (RING_SIGMAS * f64::from(sigma)).ceil() as usize + 1;
    if w < 2 * margin + 3 || h < 2 * margin + 3 {
        return Vec::new();
    }
    let saddle = saddles(&smooth);
    let weakest = (WEAKEST / (sigma * sigma)).powi(2);
    let radius = 2_usize.max(sigma.round() as usize);
    let mut found: Vec<(f32, Crossing)> = Vec::new();
    for y in margin..h - margin {
        let row = &saddle[y * w..(y + 1) * w];
        for x in margin..w - margin {
            let here = row[x];
            // Most pixels are no saddles, and most of the others lower than a neighbour in their row.
            if here < weakest || here < row[x - 1] || here < row[x + 1] || !is_peak(&saddle, w, x, y, radius) {
                continue;
            }
            let strength = here.sqrt() * sigma * sigma;
            if let Some((at, axis)) = summit(&smooth, x, y)
                && let Some((lines, clear)) = sectors(&smooth, at, axis, f64::from(sigma))
            {
                found.push((clear * strength, Crossing { at, lines, strength }));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_CROSSINGS);
    found.into_iter().map(|(_, crossing)| crossing).collect()
}

/// Minus the determinant of the Hessian at each pixel; 0 at the edges.
fn saddles(p: &Plane) -> Vec<f32> {
    p.curvature(|xx, yy, xy| xy * xy - xx * yy)
}

/// Is there nothing higher within `radius`? Of equals the first one is the peak.
fn is_peak(saddle: &[f32], w: usize, x: usize, y: usize, radius: usize) -> bool {
    let here = saddle[y * w + x];
    (y - radius..=y + radius).all(|v| {
        let row = &saddle[v * w + x - radius..=v * w + x + radius];
        row.iter().enumerate().all(|(i, s)| *s < here || (*s == here && (v, x + i - radius) >= (y, x)))
    })
}

/// The two lines of a crossing, and how much what surrounds it looks like four squares that meet, 0 to 1: opposite
/// sectors alike, the light ones lighter than both dark ones. Noise and grain have saddles as well, but not this. `None`
/// where there are no four sectors.
///
/// The curvatures cannot tell the lines: a blurred picture of sectors, whatever their angles, has a Hessian without
/// trace in the middle, as if the lines were at right angles. A ring around it can.
fn sectors(p: &Plane, at: ImagePoint, axis: f64, sigma: f64) -> Option<([f64; 2], f32)> {
    let radius = RING_SIGMAS * sigma;
    let ring: [f32; RING] = std::array::from_fn(|k| {
        let (s, c) = (axis + k as f64 * RING_STEP).sin_cos();
        p.between(at.x + radius * c, at.y + radius * s)
    });
    // Both halves of the ring show the same; their mean has the light sector's middle at 0.
    let folded: [f32; RING / 2] = std::array::from_fn(|k| 0.5 * (ring[k] + ring[k + RING / 2]));
    let (light, dark) = (folded[0], folded[RING / 4]);
    let contrast = light - dark;
    if contrast <= 0.0 {
        return None;
    }
    let middle = 0.5 * (light + dark);
    // From the light sector's middle to either side until it is dark.
    let edge = |side: i32| {
        let value = |k: i32| folded[(side * k).rem_euclid(RING as i32 / 2) as usize];
        (0..RING as i32 / 4).find(|k| value(k + 1) < middle).map(|k| {
            let share = (value(k) - middle) / (value(k) - value(k + 1)).max(1e-6);
            (f64::from(k) + f64::from(share.clamp(0.0, 1.0))) * RING_STEP
        })
    };
    let (before, after) = (edge(-1)?, edge(1)?);
    if !(NARROWEST_RAD..PI - NARROWEST_RAD).contains(&(before + after)) {
        return None;
    }
    let apart = ring[0].min(ring[RING / 2]) - ring[RING / 4].max(ring[3 * RING / 4]);
    let unlike = (0..RING / 2).map(|k| (0.5 * (ring[k] - ring[k + RING / 2])).powi(2)).sum::<f32>();
    let unlike = (unlike / (RING / 2) as f32).sqrt();
    let clear = (1.0 - unlike / contrast).max(0.0) * (0.5 + 0.5 * apart / contrast).max(0.0);
    let lines = [(axis - before).rem_euclid(PI), (axis + after).rem_euclid(PI)];
    (clear > 0.0).then_some((lines, clear))
}

fn hessian(p: &Plane, x: usize, y: usize) -> [f32; 3] {
    let i = y * p.width + x;
    let (d, w) = (&p.data, p.width);
    let xx = d[i - 1] - 2.0 * d[i] + d[i + 1];
    let yy = d[i - w] - 2.0 * d[i] + d[i + w];
    let xy = 0.25 * (d[i - w - 1] + d[i + w + 1] - d[i - w + 1] - d[i + w - 1]);
    [xx, xy, yy]
}

/// The saddle itself near a pixel, where the gradient vanishes, and the direction in which it gets lighter both ways;
/// `None` where there is none, or rather a ridge.
fn summit(p: &Plane, x: usize, y: usize) -> Option<(ImagePoint, f64)> {
    let [xx, xy, yy] = hessian(p, x, y);
    let (mean, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    let (up, down) = (mean + half, half - mean);
    if up <= 0.0 || down <= 0.0 || up > MOST_UNEQUAL * down || down > MOST_UNEQUAL * up {
        return None;
    }
    let i = y * p.width + x;
    let gradient =
        Vector2::new(0.5 * (p.data[i + 1] - p.data[i - 1]), 0.5 * (p.data[i + p.width] - p.data[i - p.width]));
    let shift = Matrix2::new(xx, xy, xy, yy).try_inverse().map(|m| -(m * gradient))?;
    // Farther than this the quadratic is no description of what is here: an edge with noise on it.
    if shift.norm() > 1.8 {
        return None;
    }
    let axis = 0.5 * f64::from(2.0 * xy).atan2(f64::from(xx - yy));
    Some((ImagePoint::new(x as f64 + f64::from(shift.x), y as f64 + f64::from(shift.y)), axis))
}

/// Refines a crossing in the full picture. Within `radius_px` there must be no other one; small windows are described
/// by a paraboloid, larger ones by their edges. `None` where it runs away or there is no crossing.
pub(crate) fn refine(frame: &Frame<'_>, start: ImagePoint, radius_px: f64) -> Option<ImagePoint> {
    if radius_px < SMALL_PX { by_saddle(frame, start, radius_px) } else { by_edges(frame, start, radius_px) }
}

/// Standard deviation of the noise around a crossing over the distance of light from dark there; `None` where it is not
/// inside of the picture.
pub(crate) fn noise_over_contrast(frame: &Frame<'_>, at: ImagePoint, radius_px: f64) -> Option<f64> {
    let centre = (at.x.round() as i64, at.y.round() as i64);
    let patch = Patch::new(frame, centre, radius_px.clamp(2.0, 20.0).ceil() as i64)?;
    Some(patch.noise_over_contrast())
}

/// Luminance around a pixel, read once.
struct Patch {
    reach: i64,
    centre: (i64, i64),
    data: Vec<f64>,
}

impl Patch {
    /// `None` where it is not inside of the picture.
    fn new(frame: &Frame<'_>, centre: (i64, i64), reach: i64) -> Option<Self> {
        let (cx, cy) = centre;
        let inside = cx - reach >= 0
            && cy - reach >= 0
            && cx + reach < i64::from(frame.width())
            && cy + reach < i64::from(frame.height());
        if !inside {
            return None;
        }
        let mut data = Vec::with_capacity((2 * reach + 1).pow(2) as usize);
        for y in cy - reach..=cy + reach {
            data.extend((cx - reach..=cx + reach).map(|x| f64::from(frame.luma(x as u32, y as u32))));
        }
        Some(Self { reach, centre, data })
    }

    fn noise_over_contrast(&self) -> f64 {
        let noise = noise::deviation(&self.data, (2 * self.reach + 1) as usize);
        let n = self.data.len() as f64;
        let mean = self.data.iter().sum::<f64>() / n;
        let variance = self.data.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        // Half of a crossing is light.
        let contrast = 2.0 * (variance - noise * noise).max(0.0).sqrt();
        if contrast > 0.0 { noise / contrast } else { 0.0 }
    }

    /// A pixel of the picture within the patch.
    fn at(&self, x: i64, y: i64) -> f64 {
        let side = 2 * self.reach + 1;
        self.data[((y - self.centre.1 + self.reach) * side + x - self.centre.0 + self.reach) as usize]
    }

    /// Does it reach so far around a pixel?
    fn covers(&self, centre: (i64, i64), reach: i64) -> bool {
        (centre.0 - self.centre.0).abs().max((centre.1 - self.centre.1).abs()) + reach <= self.reach
    }
}

/// The saddle of the paraboloid that fits best around a point, weights falling off as a Gaussian (Lucchese and Mitra).
fn by_saddle(frame: &Frame<'_>, start: ImagePoint, radius_px: f64) -> Option<ImagePoint> {
    let sigma = (radius_px / 2.5).max(0.8);
    let reach = (2.5 * sigma).ceil() as i64;
    let first = (start.x.round() as i64, start.y.round() as i64);
    let mut patch = Patch::new(frame, first, reach + 2)?;
    let mut point = start;
    for _ in 0..6 {
        let (cx, cy) = (point.x.round() as i64, point.y.round() as i64);
        if !patch.covers((cx, cy), reach) {
            patch = Patch::new(frame, (cx, cy), reach + 2)?;
        }
        let mut normal = SMatrix::<f64, 6, 6>::zeros();
        let mut right = SVector::<f64, 6>::zeros();
        for y in cy - reach..=cy + reach {
            for x in cx - reach..=cx + reach {
                let (u, v) = (x as f64 - point.x, y as f64 - point.y);
                let weight = (-(u * u + v * v) / (2.0 * sigma * sigma)).exp();
                let row = SVector::<f64, 6>::from([1.0, u, v, 0.5 * u * u, u * v, 0.5 * v * v]);
                normal += row * row.transpose() * weight;
                right += row * (weight * patch.at(x, y));
            }
        }
        let c = normal.cholesky()?.solve(&right);
        let hessian = Matrix2::new(c[3], c[4], c[4], c[5]);
        let minus_determinant = -hessian.determinant();
        // At the scale of the window as weak as what is taken for a saddle.
        if minus_determinant <= 0.0 || minus_determinant.sqrt() * sigma * sigma < f64::from(WEAKEST) {
            return None;
        }
        let step = -(hessian.try_inverse()? * Vector2::new(c[1], c[2]));
        // The paraboloid holds within its window: a longer step is not trusted in full.
        let length = step.norm();
        point += if length > sigma { step * (sigma / length) } else { step };
        if (point - start).norm() > radius_px {
            return None;
        }
        if length < 0.01 {
            break;
        }
    }
    Some(point)
}

/// The point to which all luminance gradients in a window of `radius_px` are orthogonal (W. Förstner and E. Gülch, "A
/// fast operator for detection and precise location of distinct points, corners and centres of circular features",
/// 1987). `None` where it runs away or the window has no two directions.
fn by_edges(frame: &Frame<'_>, start: ImagePoint, radius_px: f64) -> Option<ImagePoint> {
    let radius = radius_px.clamp(2.0, 20.0);
    let reach = radius.ceil() as i64;
    let first = (start.x.round() as i64, start.y.round() as i64);
    let mut patch = Patch::new(frame, first, reach + 1)?;
    let mut point = start;
    for _ in 0..6 {
        let (cx, cy) = (point.x.round() as i64, point.y.round() as i64);
        if !patch.covers((cx, cy), reach + 1) {
            patch = Patch::new(frame, (cx, cy), reach + 1)?;
        }
        let mut normal = Matrix2::zeros();
        let mut right = Vector2::zeros();
        for y in cy - reach..=cy + reach {
            for x in cx - reach..=cx + reach {
                let from = Vector2::new(x as f64 - point.x, y as f64 - point.y);
                let distance = from.norm_squared() / (radius * radius);
                if distance >= 1.0 {
                    continue;
                }
                let gradient =
                    Vector2::new(patch.at(x + 1, y) - patch.at(x - 1, y), patch.at(x, y + 1) - patch.at(x, y - 1));
                let outer = gradient * gradient.transpose() * (1.0 - distance);
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
