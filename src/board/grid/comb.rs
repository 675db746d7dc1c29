//! Equal distances: from two pencils of lines to a lattice.
//!
//! Once both vanishing points are known the picture can be straightened so that the lines of a grid are parallel to the
//! axes and equally far apart. Each direction is then one row of numbers, in which the lines are the teeth of a comb:
//! its distance is the lowest strong frequency, and from the clearest tooth on each next one is sought where the last
//! ones lead.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3};

use super::{
    super::geometry::{BoardPoint, Homography, ImagePoint},
    pencils::{Around, Pencil, direction},
    ridges::Edgel,
};

/// Greatest angle between a point's line and the way to its vanishing point, as a sine: three times what smoothing and
/// pixels leave of the direction.
const OFF_WAY: f64 = 0.07;
/// Distances between lines that are looked for, in pixels at the middle of the lines.
const NEAREST_PX: f64 = 5.5;
const FARTHEST_PX: f64 = 160.0;
/// Bins of a comb in its smallest distance.
const BIN_PX: f64 = 0.5;
/// Most bins: lines reach no farther than a picture's diagonal.
const MOST_BINS: usize = 6000;
/// Share of the strongest frequency that a lower one must have to be the comb's: its multiples are nearly as strong.
const FUNDAMENTAL: f64 = 0.6;
/// Least size of a comb's wave, as a share of all points.
const LEAST_WAVE: f64 = 0.12;
/// How far a tooth may lie from where it is expected, in distances between lines.
const OFF_TOOTH: f64 = 0.2;
/// Share of a usual tooth's points that makes a tooth.
const LEAST_TOOTH: f64 = 0.2;
/// Teeth that may be missing between two: stones hide lines, seldom three together.
const MOST_MISSING: i32 = 3;
/// Fewest teeth of a direction.
const FEWEST_TEETH: usize = 4;

/// One direction's lines: number and place of each.
type Teeth = Vec<(i32, f64)>;

/// The lattice of two pencils: pixels from whole numbers of lines, and how many lines there are.
#[derive(Debug, Clone)]
pub(super) struct Comb {
    pub(super) map: Homography,
    /// First and last line seen in x and y.
    pub(super) seen: [(i32, i32); 2],
}

/// The lattices whose lines run to these two vanishing points, the likeliest first: one for each pair of distances that the
/// lines may have.
pub(super) fn combs(edgels: &[Edgel], pencils: [&Pencil; 2], around: &Around) -> Vec<Comb> {
    let [first, second] = [0, 1].map(|k| towards(edgels, pencils[k], around));
    if first.len() < 20 || second.len() < 20 {
        return Vec::new();
    }
    let both: Vec<ImagePoint> = first.iter().chain(&second).map(|e| e.at).collect();
    let Some(straight) = straighten(&both, pencils, around) else { return Vec::new() };
    let Some(back) = straight.try_inverse() else { return Vec::new() };
    // Lines of the first pencil run along x and so tell y.
    let (columns, rows) = (teeth(&second, &straight, 0), teeth(&first, &straight, 1));
    let mut pairs: Vec<(usize, &Teeth, &Teeth)> = Vec::new();
    for (i, columns) in columns.iter().enumerate() {
        pairs.extend(rows.iter().enumerate().map(|(j, rows)| (i + j, columns, rows)));
    }
    pairs.sort_by_key(|pair| pair.0);
    pairs.into_iter().filter_map(|(_, columns, rows)| lattice(columns, rows, &back)).collect()
}

/// The lattice of these lines; `back` takes straightened coordinates to pixels.
fn lattice(columns: &Teeth, rows: &Teeth, back: &Matrix3<f64>) -> Option<Comb> {
    let mut pairs = Vec::with_capacity(columns.len() * rows.len());
    for (i, x) in columns {
        for (j, y) in rows {
            let p = back * Vector3::new(*x, *y, 1.0);
            pairs.push((BoardPoint::new(f64::from(*i), f64::from(*j)), ImagePoint::new(p.x / p.z, p.y / p.z)));
        }
    }
    let map = Homography::from_points(&pairs)?;
    let range = |teeth: &Teeth| (teeth.first().map_or(0, |t| t.0), teeth.last().map_or(0, |t| t.0));
    Some(Comb { map, seen: [range(columns), range(rows)] })
}

/// The points on lines that run to a vanishing point.
fn towards(edgels: &[Edgel], pencil: &Pencil, around: &Around) -> Vec<Edgel> {
    let runs = |e: &&Edgel| {
        let to = direction(around, &pencil.vanishing, e.at);
        let (sin, cos) = e.normal.sin_cos();
        (to.x * cos + to.y * sin).abs() < OFF_WAY
    };
    edgels.iter().filter(runs).copied().collect()
}

/// Coordinates in which lines to the first vanishing point are parallel to x and those to the second to y, about as
/// large as pixels in the middle of the points. `None` where the horizon runs through them.
fn straighten(points: &[ImagePoint], pencils: [&Pencil; 2], around: &Around) -> Option<Matrix3<f64>> {
    let [first, second] = pencils.map(|p| p.vanishing);
    let horizon = first.cross(&second).try_normalize(1e-6)?;
    let count = points.len() as f64;
    let middle = points.iter().map(|p| p.coords).sum::<nalgebra::Vector2<f64>>() / count;
    let middle = around.normal(ImagePoint::from(middle));
    // Positive on the near side of the horizon.
    let horizon = horizon * horizon.dot(&middle).signum();
    let depth = horizon.dot(&middle);
    if depth < 0.05 * horizon.xy().norm().max(horizon.z.abs()) {
        return None;
    }
    let before = points.iter().filter(|p| horizon.dot(&around.normal(**p)) > 0.15 * depth).count();
    if before * 10 < points.len() * 9 {
        return None;
    }
    let (across, along) = (second.cross(&middle), first.cross(&middle));
    let scaled = |line: Vector3<f64>| -> Option<Vector3<f64>> {
        // In the middle a unit is to be a pixel.
        let slope = line.xy().norm() / depth * around.matrix()[(0, 0)];
        (slope > 1e-9).then(|| line / slope)
    };
    let rows = [scaled(across)?, scaled(along)?, horizon];
    let straight = Matrix3::from_rows(&rows.map(|r| r.transpose())) * around.matrix();
    straight.iter().all(|v| v.is_finite()).then_some(straight)
}

/// Points counted by one coordinate.
struct Histogram {
    low: f64,
    bins: Vec<f64>,
}

impl Histogram {
    /// `None` where the points are nowhere near each other.
    fn new(edgels: &[Edgel], straight: &Matrix3<f64>, axis: usize) -> Option<Self> {
        let mut values: Vec<f64> = edgels
            .iter()
            .map(|e| straight * Vector3::new(e.at.x, e.at.y, 1.0))
            .filter(|p| p.z > 0.0)
            .map(|p| p[axis] / p.z)
            .filter(|v| v.is_finite())
            .collect();
        if values.len() < 20 {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values[((values.len() - 1) as f64 * share) as usize];
        let (from, to) = (at(0.01), at(0.99));
        let margin = 0.15 * (to - from) + 1.0;
        let low = from - margin;
        let count = ((to - from + 2.0 * margin) / BIN_PX).ceil();
        if !(count > 8.0 && count < MOST_BINS as f64) {
            return None;
        }
        let mut bins = vec![0.0; count as usize];
        for v in values {
            // Shared between the two bins next to it.
            let place = (v - low) / BIN_PX - 0.5;
            let (k, share) = (place.floor(), place - place.floor());
            if k >= 0.0 && (k as usize) + 1 < bins.len() {
                bins[k as usize] += 1.0 - share;
                bins[k as usize + 1] += share;
            }
        }
        Some(Self { low, bins })
    }

    /// Size and phase of a frequency, in turns a bin.
    fn wave(&self, frequency: f64) -> (f64, f64) {
        let (step_sin, step_cos) = (TAU * frequency).sin_cos();
        let (mut sin, mut cos, mut a, mut b) = (0.0_f64, 1.0_f64, 0.0, 0.0);
        for v in &self.bins {
            a += v * cos;
            b += v * sin;
            (cos, sin) = (cos * step_cos - sin * step_sin, sin * step_cos + cos * step_sin);
        }
        (a.hypot(b), b.atan2(a))
    }

    /// Frequencies and phases that may be the comb's: the lowest of the strong ones, and the strongest.
    fn combs(&self) -> Vec<(f64, f64)> {
        let step = 1.0 / (3.0 * self.bins.len() as f64);
        let (least, most) = (BIN_PX / FARTHEST_PX, BIN_PX / NEAREST_PX);
        // Three waves at least: what is longer is the board itself.
        let least = least.max(3.0 / self.bins.len() as f64);
        let count = ((most - least) / step).max(0.0) as usize;
        let sizes: Vec<f64> = (0..count).map(|k| self.wave(least + k as f64 * step).0).collect();
        let strongest = sizes.iter().copied().fold(0.0, f64::max);
        if strongest < LEAST_WAVE * self.bins.iter().sum::<f64>() {
            return Vec::new();
        }
        let is_peak = |k: usize| sizes[k] >= sizes[k - 1] && sizes[k] >= sizes[k + 1];
        let strong = |share: f64| {
            let mut inner = 1..count.saturating_sub(1);
            inner.find(|&k| sizes[k] >= share * strongest && is_peak(k))
        };
        let mut peaks: Vec<usize> = [FUNDAMENTAL, 1.0].into_iter().filter_map(strong).collect();
        peaks.dedup();
        let refined = |peak: usize| {
            let near = (-10..=10).map(|i| least + (peak as f64 + 0.1 * f64::from(i)) * step);
            let waves = near.map(|frequency| (self.wave(frequency), frequency));
            waves.max_by(|a, b| a.0.0.total_cmp(&b.0.0)).map(|((_, phase), frequency)| (frequency, phase))
        };
        peaks.into_iter().filter_map(refined).collect()
    }

    /// Points within `reach` bins of a place, and their mean place, both in bins.
    fn around(&self, place: f64, reach: f64) -> (f64, f64) {
        let low = (place - reach).max(0.0).ceil() as usize;
        let high = ((place + reach).max(0.0) as usize + 1).min(self.bins.len());
        let (mut sum, mut first) = (0.0, 0.0);
        for k in low..high.max(low) {
            sum += self.bins[k];
            first += self.bins[k] * k as f64;
        }
        if sum > 0.0 { (sum, first / sum) } else { (0.0, place) }
    }

    /// The tooth at a place, sharpened: the mean within a tenth of the distance of the mean within a fifth.
    fn tooth(&self, place: f64, distance: f64) -> (f64, f64) {
        let (sum, mean) = self.around(place, OFF_TOOTH * distance);
        let (_, mean) = self.around(mean, 0.1 * distance + 1.0);
        (sum, mean)
    }
}

/// The lines of one direction, in the straightened coordinate: for each distance that they may have.
fn teeth(edgels: &[Edgel], straight: &Matrix3<f64>, axis: usize) -> Vec<Teeth> {
    let Some(histogram) = Histogram::new(edgels, straight, axis) else { return Vec::new() };
    histogram.combs().into_iter().filter_map(|comb| teeth_of(&histogram, comb)).collect()
}

/// The teeth of one frequency and phase.
fn teeth_of(histogram: &Histogram, (frequency, phase): (f64, f64)) -> Option<Teeth> {
    let distance = 1.0 / frequency;
    let first = phase.rem_euclid(TAU) / TAU * distance;
    let count = (histogram.bins.len() as f64 / distance) as usize;
    let all: Vec<f64> = (0..count).map(|k| histogram.tooth(first + k as f64 * distance, distance).0).collect();
    let mut sorted = all.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let usual = *sorted.get(sorted.len().min(8) / 2)?;
    // A start amid strong teeth: three in a row.
    let row = |k: usize| all[k - 1].min(all[k]).min(all[k + 1]);
    let start = (1..count.checked_sub(1)?).max_by(|a, b| row(*a).total_cmp(&row(*b)))?;
    let (_, at) = histogram.tooth(first + start as f64 * distance, distance);
    let mut teeth: Teeth = vec![(0, at)];
    for side in [1, -1] {
        walk(histogram, distance, LEAST_TOOTH * usual, side, &mut teeth);
    }
    teeth.sort_by_key(|t| t.0);
    let place = |v: f64| (v + 0.5) * BIN_PX + histogram.low;
    (teeth.len() >= FEWEST_TEETH).then(|| teeth.into_iter().map(|(k, v)| (k, place(v))).collect())
}

/// From the tooth 0 on to one side, each tooth where the last ones lead.
fn walk(histogram: &Histogram, distance: f64, least: f64, side: i32, teeth: &mut Teeth) {
    let Some(&(_, start)) = teeth.iter().find(|t| t.0 == 0) else { return };
    let (mut last, mut pace) = ((0, start), distance * f64::from(side));
    let mut k = 0;
    while k - last.0 * side <= MOST_MISSING {
        k += 1;
        let expected = last.1 + pace * f64::from(k - last.0 * side);
        if expected < 0.0 || expected >= histogram.bins.len() as f64 {
            break;
        }
        let (points, at) = histogram.tooth(expected, distance);
        if points < least || (at - expected).abs() > OFF_TOOTH * distance {
            continue;
        }
        let now = (at - last.1) / f64::from(k - last.0 * side);
        pace += 0.3 * (now - pace);
        last = (k * side, at);
        teeth.push(last);
    }
}
