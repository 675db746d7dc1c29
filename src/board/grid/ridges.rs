//! Thin dark lines in a picture: where it is darker than on both sides.
//!
//! The difference of Gaussians of A. Carta and M. Corsolini (PhotoKifu, §2.1) answers to every edge. Here the second
//! derivatives of the smoothed picture give the direction across a line, and the picture must be lighter on both
//! sides of it: the rims of stones and the edge of the board are lighter on one side only.

use super::super::{geometry::ImagePoint, lens::Lens, plane::Plane};

/// Smoothing before lines are sought, in pixels: printed lines are one to three pixels wide.
const SIGMA_PX: f32 = 1.0;
/// Weakest line: second derivative across it, in levels at unit smoothing. A line of one pixel, 8 levels darker than
/// the wood, has 1.9.
const WEAKEST: f32 = 1.2;
/// Distance from the line's middle at which it must be lighter, in pixels: beyond a line of three pixels.
const BESIDE_PX: f64 = 2.5;
/// Least darkness of a line against either side, in levels.
const LEAST_CONTRAST: f32 = 2.5;
/// Most points kept, those of the strongest contrast: twice what an empty board of 19 lines shows at 720p.
const MOST_POINTS: usize = 40_000;

/// A point on a thin dark line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edgel {
    /// Where, in pixels.
    pub(super) at: ImagePoint,
    /// Direction across the line, radians in 0..π.
    pub(super) normal: f64,
    /// Darkness against the lighter of both sides, in levels.
    pub(super) contrast: f32,
}

impl Edgel {
    /// As a pinhole would show it; `None` where the lens shows nothing there.
    pub(super) fn straightened(&self, lens: &Lens) -> Option<Self> {
        let at = lens.undistort(self.at)?;
        let (sin, cos) = self.normal.sin_cos();
        // A line's direction is that of two points on it.
        let way = lens.undistort(self.at + nalgebra::Vector2::new(-sin, cos))? - at;
        Some(Self { at, normal: (-way.x).atan2(way.y).rem_euclid(std::f64::consts::PI), ..*self })
    }
}

/// The points on thin dark lines, row by row.
pub(super) fn find(plane: &Plane) -> Vec<Edgel> {
    let smooth = plane.blurred(SIGMA_PX);
    let margin = BESIDE_PX.ceil() as usize + 2;
    let (w, h) = (smooth.width, smooth.height);
    if w < 2 * margin + 3 || h < 2 * margin + 3 {
        return Vec::new();
    }
    let sharp = curvatures(&smooth);
    let mut found = Vec::new();
    for y in margin..h - margin {
        for x in margin..w - margin {
            if sharp[y * w + x] >= WEAKEST
                && let Some(edgel) = edgel(&smooth, &sharp, x, y)
            {
                found.push(edgel);
            }
        }
    }
    if found.len() > MOST_POINTS {
        let mut contrasts: Vec<f32> = found.iter().map(|e| e.contrast).collect();
        let cut = contrasts.len() - MOST_POINTS;
        let least = *contrasts.select_nth_unstable_by(cut, f32::total_cmp).1;
        found.retain(|e| e.contrast >= least);
    }
    found
}

/// The greatest second derivative at each pixel; 0 at the edges.
fn curvatures(p: &Plane) -> Vec<f32> {
    p.curvature(|xx, yy, xy| {
        let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
        mean + (half * half + xy * xy).sqrt()
    })
}

/// The line's point nearest to a pixel, when it is one: the sharpest across it, and darker than both sides.
fn edgel(p: &Plane, sharp: &[f32], x: usize, y: usize) -> Option<Edgel> {
    let (w, d) = (p.width, &p.data);
    let i = y * w + x;
    let (xx, yy) = (d[i - 1] - 2.0 * d[i] + d[i + 1], d[i - w] - 2.0 * d[i] + d[i + w]);
    let xy = 0.25 * (d[i - w - 1] + d[i + w + 1] - d[i - w + 1] - d[i + w - 1]);
    let normal = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = normal.sin_cos();
    // Neighbours across the line, of eight.
    let (dx, dy) = ((1.3 * cos).round() as isize, (1.3 * sin).round() as isize);
    let (dx, dy) = (dx.clamp(-1, 1), dy.clamp(-1, 1));
    let ahead = i.wrapping_add_signed(dy * w as isize + dx);
    let behind = i.wrapping_add_signed(-(dy * w as isize + dx));
    if sharp[i] < sharp[behind] || sharp[i] <= sharp[ahead] {
        return None;
    }
    let slope = 0.5 * ((d[i + 1] - d[i - 1]) * cos + (d[i + w] - d[i - w]) * sin);
    let shift = f64::from(-slope / sharp[i]);
    // Farther than this the line is a neighbour's.
    if shift.abs() > 1.0 {
        return None;
    }
    let (sin, cos) = (f64::from(sin), f64::from(cos));
    let at = ImagePoint::new(x as f64 + shift * cos, y as f64 + shift * sin);
    let beside = |side: f64| p.between(at.x + side * BESIDE_PX * cos, at.y + side * BESIDE_PX * sin);
    let contrast = beside(-1.0).min(beside(1.0)) - p.between(at.x, at.y);
    (contrast >= LEAST_CONTRAST).then(|| Edgel {
        at,
        normal: f64::from(normal).rem_euclid(std::f64::consts::PI),
        contrast,
    })
}
