//! Lines that meet in one point: the two directions of a grid, each a pencil of lines through its vanishing point.
//!
//! As in PhotoKifu (§2.1) the Hough transform is used twice: the first gathers points into lines, the second lines into
//! pencils. Points vote only for lines near their own direction, and the second one is exact: every two lines propose
//! the point where they meet, and the others are counted that run there.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector2, Vector3};

use super::{super::geometry::ImagePoint, ridges::Edgel};

/// Width of a direction's bin, and half the range of directions that a point votes for, in bins.
const TURN_BINS: usize = 180;
const TURN_REACH: i32 = 3;
/// Width of a distance's bin, in pixels.
const STEP_PX: f64 = 1.5;
/// Most lines that are looked at, those of the most points first: twice those of a grid, and clutter.
const MOST_LINES: usize = 140;
/// Lines that propose vanishing points.
const PROPOSERS: usize = 90;
/// Fewest points of a line.
const FEWEST_POINTS: f64 = 18.0;
/// Greatest distance of a point from its line, in pixels: lenses bend lines.
const OFF_LINE_PX: f64 = 2.0;
/// How far a line may miss its vanishing point: an angle, and so many pixels at its end.
const MISS_RAD: f64 = 0.006;
const MISS_PX: f64 = 1.0;
/// Most pencils that are looked at: the two of the grid, and what else is in the picture.
const MOST_PENCILS: usize = 8;
/// Fewest lines of a pencil.
const FEWEST_LINES: u32 = 4;
/// Share of common lines from which two pencils are one.
const SAME_PENCIL: f64 = 0.6;
/// Cosine of twice the angle (20°) up to which lines run alike: seen at 25° from a corner, a grid's run 45° apart.
const LIKE_WAYS: f64 = 0.766;
/// Most pencils of one direction.
const MOST_OF_DIRECTION: usize = 3;

/// A straight line in the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// The middle of its points.
    middle: ImagePoint,
    /// Its direction.
    way: Vector2<f64>,
    /// Standard deviation of its points along it, in pixels.
    reach_px: f64,
    /// Its points.
    points: f64,
}

/// Lines that meet in one point.
#[derive(Debug, Clone)]
pub(super) struct Pencil {
    /// Where they meet, homogeneous, in coordinates of [`Around`].
    pub(super) vanishing: Vector3<f64>,
    /// Points of its lines.
    pub(super) points: f64,
    /// How well it is supported by them.
    support: f64,
    /// The mean direction of its lines, at twice the angle.
    way: Vector2<f64>,
    lines: Set,
}

/// Coordinates of the size 1 around the picture's middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    middle: ImagePoint,
    half_px: f64,
}

impl Around {
    /// Of a picture of so many pixels.
    pub(super) fn new(width: usize, height: usize) -> Self {
        let (w, h) = (width as f64, height as f64);
        Self { middle: ImagePoint::new(0.5 * w, 0.5 * h), half_px: 0.5 * w.max(h) }
    }

    /// A pixel in these coordinates, homogeneous.
    pub(super) fn normal(&self, p: ImagePoint) -> Vector3<f64> {
        let v = (p - self.middle) / self.half_px;
        Vector3::new(v.x, v.y, 1.0)
    }

    /// These coordinates from pixels.
    pub(super) fn matrix(&self) -> Matrix3<f64> {
        let s = 1.0 / self.half_px;
        Matrix3::new(s, 0.0, -s * self.middle.x, 0.0, s, -s * self.middle.y, 0.0, 0.0, 1.0)
    }
}

impl Line {
    /// The line in coordinates of size 1, of unit normal.
    fn homogeneous(&self, around: &Around) -> Vector3<f64> {
        let m = around.normal(self.middle);
        let n = Vector2::new(-self.way.y, self.way.x);
        Vector3::new(n.x, n.y, -(n.x * m.x + n.y * m.y))
    }

    /// Does it run to this vanishing point?
    fn meets(&self, around: &Around, vanishing: &Vector3<f64>) -> bool {
        let to = direction(around, vanishing, self.middle);
        // A line's direction is as uncertain as a pixel at its ends; two deviations are from the middle to an end.
        self.way.perp(&to).abs() < MISS_RAD + MISS_PX / (2.0 * self.reach_px)
    }
}

/// Direction from a pixel to a vanishing point, of length 1.
pub(super) fn direction(around: &Around, vanishing: &Vector3<f64>, from: ImagePoint) -> Vector2<f64> {
    let p = around.normal(from);
    let to = Vector2::new(vanishing.x - vanishing.z * p.x, vanishing.y - vanishing.z * p.y);
    to / to.norm().max(1e-12)
}

/// Some of the lines, by number.
type Set = [u64; MOST_LINES.div_ceil(64)];

/// Share of all lines of two sets that are in both.
fn common(a: &Set, b: &Set) -> f64 {
    let count = |of: fn(u64, u64) -> u64| a.iter().zip(b).map(|(a, b)| of(*a, *b).count_ones()).sum::<u32>();
    f64::from(count(|a, b| a & b)) / f64::from(count(|a, b| a | b).max(1))
}

/// The pencils among points on lines, those of the best supported vanishing points first. Lines may belong to several:
/// stones in a row and the true lines have points in common.
pub(super) fn find(edgels: &[Edgel], around: &Around) -> Vec<Pencil> {
    let lines = lines(edgels, around);
    let homogeneous: Vec<Vector3<f64>> = lines.iter().map(|l| l.homogeneous(around)).collect();
    let mut proposed: Vec<Pencil> = Vec::new();
    for i in 0..lines.len().min(PROPOSERS) {
        for j in 0..i {
            // Lines of one direction of a grid are less than 60° apart, even with the camera low.
            if lines[i].way.dot(&lines[j].way).abs() < 0.5 {
                continue;
            }
            if let Some(meet) = homogeneous[i].cross(&homogeneous[j]).try_normalize(1e-9) {
                proposed.push(Pencil::of(&lines, around, meet));
            }
        }
    }
    proposed.sort_by(|a, b| b.support.total_cmp(&a.support));
    let mut pencils: Vec<Pencil> = Vec::new();
    for pencil in proposed {
        if pencils.len() == MOST_PENCILS || pencil.count() < FEWEST_LINES {
            break;
        }
        let is_new = |pencil: &Pencil| pencils.iter().all(|p| common(&p.lines, &pencil.lines) < SAME_PENCIL);
        // Wood's grain alone gives many of one direction.
        let like = pencils.iter().filter(|p| !p.is_other_than(&pencil)).count();
        if like < MOST_OF_DIRECTION && is_new(&pencil) {
            let refined = pencil.refined(&lines, &homogeneous, around);
            if is_new(&refined) {
                pencils.push(refined);
            }
        }
    }
    pencils
}

impl Pencil {
    /// The lines that run to a point.
    fn of(lines: &[Line], around: &Around, vanishing: Vector3<f64>) -> Self {
        let mut pencil = Self { vanishing, points: 0.0, support: 0.0, way: Vector2::zeros(), lines: Set::default() };
        for (k, line) in lines.iter().enumerate() {
            if line.meets(around, &vanishing) {
                pencil.lines[k / 64] |= 1 << (k % 64);
                pencil.points += line.points;
                // Long lines are worth more, but one long one not as much as two.
                pencil.support += line.points.sqrt();
                // Twice the angle: a line has no forwards.
                let (x, y) = (line.way.x, line.way.y);
                pencil.way += line.points * Vector2::new(x * x - y * y, 2.0 * x * y);
            }
        }
        pencil
    }

    fn count(&self) -> u32 {
        self.lines.iter().map(|l| l.count_ones()).sum()
    }

    /// Do the lines of two pencils run so differently that they may be a grid's two directions?
    pub(super) fn is_other_than(&self, other: &Self) -> bool {
        self.way.dot(&other.way) < LIKE_WAYS * self.way.norm() * other.way.norm()
    }

    /// The point that all its lines together run to, as long as that is supported better.
    fn refined(self, lines: &[Line], homogeneous: &[Vector3<f64>], around: &Around) -> Self {
        let mut best = self;
        for _ in 0..4 {
            let mut normal = Matrix3::zeros();
            for (k, (line, h)) in lines.iter().zip(homogeneous).enumerate() {
                if best.lines[k / 64] >> (k % 64) & 1 == 1 {
                    // As precise as the direction of a line of its length.
                    normal += h * h.transpose() * (line.points * line.reach_px * line.reach_px);
                }
            }
            let eigen = normal.symmetric_eigen();
            let vanishing: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into();
            let now = Self::of(lines, around, vanishing);
            if now.support < best.support {
                break;
            }
            best = now;
        }
        best
    }
}

/// Votes of the points for lines: directions across by distances from the picture's middle.
struct Votes {
    rows: usize,
    middle: ImagePoint,
    bins: Vec<f32>,
}

impl Votes {
    fn new(edgels: &[Edgel], around: &Around) -> Self {
        let farthest = 2.0 * around.half_px / STEP_PX;
        let rows = 2 * farthest.ceil() as usize + 3;
        let mut votes = Self { rows, middle: around.middle, bins: vec![0.0; TURN_BINS * rows] };
        let turns: Vec<(f64, f64)> = (0..TURN_BINS).map(|k| (angle(k)).sin_cos()).collect();
        for edgel in edgels {
            let own = (edgel.normal / PI * TURN_BINS as f64).round() as i32;
            for d in -TURN_REACH..=TURN_REACH {
                let k = (own + d).rem_euclid(TURN_BINS as i32) as usize;
                let (sin, cos) = turns[k];
                let row = votes.row(edgel.at, cos, sin);
                let weight = 1.0 - d.abs() as f32 / (TURN_REACH + 1) as f32;
                if let Some(bin) = votes.bins.get_mut(k * rows + row) {
                    *bin += weight;
                }
            }
        }
        votes
    }

    fn row(&self, at: ImagePoint, cos: f64, sin: f64) -> usize {
        let distance = (at.x - self.middle.x) * cos + (at.y - self.middle.y) * sin;
        (distance / STEP_PX + 0.5 * self.rows as f64) as usize
    }

    /// Summed with the neighbours in distance: a line is not centred on a bin.
    fn at(&self, k: usize, row: usize) -> f32 {
        let i = k * self.rows + row;
        self.bins[i] + 0.5 * (self.bins[i - 1] + self.bins[i + 1])
    }

    /// The bins with more votes than all around them, most votes first.
    fn peaks(&self) -> Vec<(f32, usize, usize)> {
        let mut peaks = Vec::new();
        for k in 0..TURN_BINS {
            for row in 5..self.rows - 5 {
                let here = self.at(k, row);
                if f64::from(here) >= FEWEST_POINTS && self.is_peak(k, row, here) {
                    peaks.push((here, k, row));
                }
            }
        }
        peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
        peaks.truncate(2 * MOST_LINES);
        peaks
    }

    fn is_peak(&self, k: usize, row: usize, here: f32) -> bool {
        (-4_i32..=4).all(|dk| {
            // Half a turn on, distances change their sign.
            let turned = k as i32 + dk;
            let other = turned.rem_euclid(TURN_BINS as i32) as usize;
            let mirrored = !(0..TURN_BINS as i32).contains(&turned);
            (-2_i32..=2).all(|dr| {
                let r = row as i32 + dr;
                let r = if mirrored { self.rows as i32 - r } else { r };
                if (dk, dr) == (0, 0) || r < 1 || r as usize >= self.rows - 1 {
                    return true;
                }
                let there = self.at(other, r as usize);
                there < here || (there == here && (dk, dr) > (0, 0))
            })
        })
    }
}

fn angle(k: usize) -> f64 {
    k as f64 * PI / TURN_BINS as f64
}

/// The straight lines among the points, those of the most points first.
fn lines(edgels: &[Edgel], around: &Around) -> Vec<Line> {
    let votes = Votes::new(edgels, around);
    let mut by_turn: Vec<Vec<u32>> = vec![Vec::new(); TURN_BINS];
    for (i, edgel) in edgels.iter().enumerate() {
        by_turn[(edgel.normal / PI * TURN_BINS as f64) as usize % TURN_BINS].push(i as u32);
    }
    let mut lines: Vec<Line> = Vec::new();
    for (_, k, row) in votes.peaks() {
        if lines.len() == MOST_LINES {
            break;
        }
        let near: Vec<ImagePoint> = (-5_i32..=5)
            .flat_map(|d| &by_turn[(k as i32 + d).rem_euclid(TURN_BINS as i32) as usize])
            .map(|i| edgels[*i as usize].at)
            .collect();
        let (sin, cos) = angle(k).sin_cos();
        let distance = (row as f64 + 0.5 - 0.5 * votes.rows as f64) * STEP_PX;
        let start = Line {
            middle: around.middle + distance * Vector2::new(cos, sin),
            way: Vector2::new(-sin, cos),
            reach_px: around.half_px,
            points: 0.0,
        };
        let Some(line) = fit(&near, start, 2.0 * OFF_LINE_PX).and_then(|l| fit(&near, l, OFF_LINE_PX)) else {
            continue;
        };
        // Two peaks of one line.
        let known = |other: &Line| {
            let off = (other.middle - line.middle).perp(&line.way).abs();
            other.way.perp(&line.way).abs() < 0.03 && off < 2.5
        };
        if line.points >= FEWEST_POINTS && !lines.iter().any(known) {
            lines.push(line);
        }
    }
    lines.sort_by(|a, b| b.points.total_cmp(&a.points));
    lines
}

/// The line through the points near one.
fn fit(points: &[ImagePoint], start: Line, off_px: f64) -> Option<Line> {
    let near = || points.iter().map(|p| p - start.middle).filter(|v| v.perp(&start.way).abs() < off_px);
    let count = near().count() as f64;
    if count < 2.0 {
        return None;
    }
    let mean = near().sum::<Vector2<f64>>() / count;
    let (mut along, mut across, mut both) = (0.0, 0.0, 0.0);
    for v in near() {
        let (s, d) = ((v - mean).dot(&start.way), start.way.perp(&(v - mean)));
        along += s * s;
        across += d * d;
        both += s * d;
    }
    let turn = 0.5 * (2.0 * both).atan2(along - across);
    let (sin, cos) = turn.sin_cos();
    let way = Vector2::new(start.way.x * cos - start.way.y * sin, start.way.x * sin + start.way.y * cos);
    let reach_px = (along / count).sqrt();
    (reach_px > 1.0).then_some(Line { middle: start.middle + mean, way, reach_px, points: count })
}
