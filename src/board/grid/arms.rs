//! The pieces of line next to a crossing: seen, bare wood, or covered.
//!
//! A crossing has an arm towards each neighbour, along the line to it, short of a stone on that neighbour. The outer
//! crossings have three, corners two: where arms end, the grid ends. Each arm is read across, and tells how dark the line
//! is there, how far it lies off its place, and what is beside it.

use nalgebra::Vector2;

use super::super::{geometry::BoardPoint, map::BoardMap, plane::Plane};

/// Where along an arm it is read, in distances between lines from its crossing: clear of the crossing itself, of its star
/// point, and of a stone on the neighbour.
const ALONG: [f64; 5] = [0.15, 0.21, 0.27, 0.33, 0.39];
/// Half the width that is read across an arm, in distances between lines.
const ACROSS: f64 = 0.34;
/// How far off its place a line is looked for, in distances between lines.
const OFF_PLACE: f64 = 0.22;
/// Distance from a line's middle at which what is beside it is read: in distances between lines, and at least in pixels.
const BESIDE: f64 = 0.10;
const BESIDE_PX: f64 = 1.8;
/// Samples to each side of the middle, at least and at most.
const FEWEST_SAMPLES: usize = 5;
const MOST_SAMPLES: usize = 14;

/// A place of a lattice: column and row.
pub(super) type Node = (i32, i32);

/// The directions of the arms: right, down, left, up.
pub(super) const WAYS: [Node; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// What is seen of an arm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arm {
    /// Its crossing.
    pub(super) node: Node,
    /// Its direction, one of [`WAYS`].
    pub(super) way: usize,
    /// How much darker its darkest line is than the darker of both sides, over the lightness beside it; below 0 where
    /// there is none.
    pub(super) contrast: f32,
    /// How many of the places along it show the line.
    pub(super) places: u8,
    /// How far the line lies off its place across, in distances between lines.
    pub(super) off: f64,
    /// Lightness beside it, in levels.
    pub(super) beside: f32,
    /// Greatest difference of levels across it, over the lightness beside it.
    pub(super) spread: f32,
}

impl Arm {
    /// The point of the board in its middle.
    pub(super) fn middle(&self) -> BoardPoint {
        let (dx, dy) = WAYS[self.way];
        let middle = ALONG[ALONG.len() / 2];
        BoardPoint::new(
            f64::from(self.node.0) + middle * f64::from(dx),
            f64::from(self.node.1) + middle * f64::from(dy),
        )
    }

    /// Does it run along x?
    pub(super) const fn is_row(&self) -> bool {
        self.way.is_multiple_of(2)
    }
}

/// Reads an arm; `None` where part of it is outside of the picture. `off_place` is how far off the line may lie, as a
/// share of what is looked at usually.
pub(super) fn read(plane: &Plane, map: &BoardMap, node: Node, way: usize, off_place: f64) -> Option<Arm> {
    let (dx, dy) = (f64::from(WAYS[way].0), f64::from(WAYS[way].1));
    let (x, y) = (f64::from(node.0), f64::from(node.1));
    let middle = ALONG[ALONG.len() / 2];
    let at = |s: f64, w: f64| map.to_image(BoardPoint::new(x + s * dx - w * dy, y + s * dy + w * dx));
    let centre = at(middle, 0.0);
    // Within an arm the map is taken for affine.
    let along: Vector2<f64> = (at(middle + 0.15, 0.0) - at(middle - 0.15, 0.0)) / 0.3;
    let across: Vector2<f64> = (at(middle, 0.2) - at(middle, -0.2)) / 0.4;
    // A line is crossed at a right angle in the board's plane; in the picture what counts is the distance to the line.
    let spacing_px = along.perp(&across).abs() / along.norm();
    if !(spacing_px > 2.0 && spacing_px < 1e3) {
        return None;
    }
    let half = ((ACROSS * spacing_px * 1.2).ceil() as usize).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
    let step = ACROSS / half as f64;
    let reach = |v: f64, u: f64| 0.12 * v.abs() + ACROSS * u.abs() + 1.0;
    let (rx, ry) = (reach(along.x, across.x), reach(along.y, across.y));
    let inside = centre.x - rx >= 0.0
        && centre.y - ry >= 0.0
        && centre.x + rx < plane.width as f64 - 1.0
        && centre.y + ry < plane.height as f64 - 1.0;
    if !inside {
        return None;
    }
    let mut rows = [[0.0_f32; 2 * MOST_SAMPLES + 1]; ALONG.len()];
    let mut mean = [0.0_f32; 2 * MOST_SAMPLES + 1];
    let count = 2 * half + 1;
    for (row, s) in rows.iter_mut().zip(ALONG) {
        for (k, value) in row[..count].iter_mut().enumerate() {
            let w = (k as f64 - half as f64) * step;
            let p = centre + along * (s - middle) + across * w;
            *value = plane.between(p.x, p.y);
            mean[k] += *value / ALONG.len() as f32;
        }
    }
    let beside = BESIDE.max(BESIDE_PX / spacing_px);
    let beside = ((beside / step).round() as usize).clamp(1, half - 1);
    let reach = ((OFF_PLACE * off_place / step).floor() as usize).clamp(1, half - beside);
    Some(judge(node, way, &rows, &mean[..count], step, [half, beside, reach]))
}

/// The arm in its samples: `half` of them to each side of its place, the line within `reach` of it, its sides `beside`
/// samples away.
fn judge(
    node: Node,
    way: usize,
    rows: &[[f32; 2 * MOST_SAMPLES + 1]],
    mean: &[f32],
    step: f64,
    [half, beside, reach]: [usize; 3],
) -> Arm {
    let darkness = |row: &[f32], k: usize| row[k - beside].min(row[k + beside]) - row[k];
    let best =
        (half - reach..=half + reach).max_by(|a, b| darkness(mean, *a).total_cmp(&darkness(mean, *b))).unwrap_or(half);
    let dark = darkness(mean, best);
    let lightness = (0.5 * (mean[best - beside] + mean[best + beside])).max(8.0);
    // Between samples: the summit of the parabola through the neighbours.
    let (a, b, c) = (mean[best - 1], mean[best], mean[best + 1]);
    let bend = a - 2.0 * b + c;
    let shift = if bend > 1e-3 { (0.5 * (a - c) / bend).clamp(-0.6, 0.6) } else { 0.0 };
    let places = rows.iter().filter(|row| darkness(&row[..], best) > 0.4 * dark).count();
    let low = mean.iter().copied().fold(f32::MAX, f32::min);
    let high = mean.iter().copied().fold(f32::MIN, f32::max);
    let off = (best as f64 - half as f64 + f64::from(shift)) * step;
    // Turned with the arm: rows look across downwards, columns to the right.
    let off = match WAYS[way] {
        (1, 0) | (0, -1) => off,
        _ => -off,
    };
    Arm {
        node,
        way,
        contrast: dark / lightness,
        places: if dark > 0.0 { places as u8 } else { 0 },
        off,
        beside: lightness,
        spread: (high - low) / lightness,
    }
}
