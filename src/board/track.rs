//! Following the board from picture to picture: small patches at the lattice's nodes, laid over how they looked.
//!
//! A patch around each node is remembered in board coordinates: on a chess board the nine by nine where squares meet, on
//! a Go board crossings spread over it. In every picture the patches are
//! read at the last place, each under its own gain and offset, and one step of all (eight parameters of a homography,
//! B. D. Lucas and T. Kanade, "An iterative image registration technique", 1981) lays them over their memory. Patches
//! under hands and moved men do not look as remembered and do not count. Noise makes any two pictures look less alike, so
//! it is measured in each picture and taken out of the correlation (C. Spearman, "The proof and measurement of association
//! between two things", 1904). Since the memory is older than the last picture, errors do not add up from picture to
//! picture. It is the search for small displacements of A. Carta and
//! M. Corsolini (PhotoKifu, §2.2), below the pixel and for the whole lattice at once.

use nalgebra::{Matrix2, SMatrix, SVector, Vector2};

use super::{
    geometry::{BoardPoint, ImagePoint},
    map::BoardMap,
    noise,
    raster::{Raster, Reduced},
    warp::{Step, Warp},
};
use crate::frame::{Frame, Visit, luma_from_rgb};

/// Nodes along a side of the lattice, the board's edges included.
const SIDE: usize = 9;
/// Nodes of the lattice: index = column + 9 × row, from a1's outer corner.
pub const NODES: usize = SIDE * SIDE;
/// Samples along a side of a patch.
const PATCH: usize = 7;
const SAMPLES: usize = PATCH * PATCH;
/// Most nodes of any board.
pub(crate) const MOST_NODES: usize = 169;
/// Distance between samples on a chess board, in squares. The patch reaches 0.2 squares to each side: beyond it men would
/// be in it, and a smaller one could not be followed as far between two pictures.
const SPACING: f64 = 0.06;
/// Pixels read for a sample, along each side: their mean is a sample without aliasing.
const TAPS: i32 = 3;
/// Taps from a patch's centre to its edge.
const HALF: i32 = (PATCH as i32 * TAPS - 1) / 2;
/// Least standard deviation of a patch, in levels, for it to hold on to: wood's grain has 2 to 3.
const LEAST_STRUCTURE: f32 = 5.0;
/// Correlation with its memory, noise apart, from which a patch is believed to show what it showed.
const MATCHES: f32 = 0.75;
/// Share of its energy that is no noise, from which a patch can be held on to: mere noise would match by chance. At least so much
/// of a picture's patch is taken for structure, so that no correlation grows more than fourfold.
const LEAST_SHARE: f32 = 0.25;
/// Least number of free patches; with fewer, those under men are used as well.
const ENOUGH_FREE: usize = 12;
/// Fewest matching patches on which a step of the whole board may rest.
const FEWEST: usize = 6;
/// Share of the used patches that must match for the board to be in its place: hands take the rest.
const IN_PLACE: f64 = 0.35;
/// Steps in one picture at most. Movements within reach are over after three.
const STEPS: usize = 5;
/// A movement of no corner by more than this ends the search: in squares, far below a pixel.
const SETTLED_SQUARES: f64 = 0.001;
/// A movement of no corner by more than this is the sensor's noise: in pixels. The map then stays exactly as it was,
/// and points compared with the picture before are the very same pixels.
const HOLD_PX: f64 = 0.12;
/// Farthest that a step may move a patch of a chess board, in squares: half of the patch.
const REACH_SQUARES: f64 = 0.25;
/// Noise of a sample, in levels, against which the prior of a step is weighed.
const NOISE: f64 = 4.0;
/// Usual size of a step's eight parameters, in squares at the board's edge: translation, the linear part, the
/// perspective. Only where few patches are seen does it matter.
const PRIOR_SQUARES: [f64; 8] = [2.0, 2.0, 0.2, 0.2, 0.2, 0.2, 0.02, 0.02];
/// Displacement of a patch of a chess board from the common step at which it counts half, in squares; grows with the
/// usual one.
const APART_SQUARES: f64 = 0.015;

/// Where the patches are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nodes {
    /// Their middles on a board of eight by eight squares, [`MOST_NODES`] at most.
    pub(crate) at: Vec<BoardPoint>,
    /// Distance between samples, in squares.
    pub(crate) spacing: f64,
}

impl Nodes {
    /// Those of a chess board.
    fn chess() -> Self {
        let at = (0..NODES).map(|k| BoardPoint::new((k % SIDE) as f64, (k / SIDE) as f64)).collect();
        Self { at, spacing: SPACING }
    }
}

/// The same share of a patch whose samples are so far apart.
fn of_patch(of_chess: f64, spacing: f64) -> f64 {
    of_chess * (spacing / SPACING)
}

/// A patch as a picture shows it, row by row.
type Samples = [f32; SAMPLES];

/// One patch and its memory.
#[derive(Debug, Clone)]
struct Patch {
    node: BoardPoint,
    template: Samples,
    mean: f32,
    /// Sum of squares about the mean that is not noise.
    energy: f32,
    /// Slope of the memory at every sample, levels a square.
    slope: [[f32; 2]; SAMPLES],
    /// Sum of the slopes' outer products.
    stiffness: Matrix2<f64>,
    /// Has structure to hold on to.
    textured: bool,
    /// No man stands in the way.
    free: bool,
}

/// What a patch says of a step.
#[derive(Debug, Clone, Copy)]
struct Answer {
    /// Correlation with its memory.
    correlation: f32,
    /// Sum of slope times error.
    pull: Vector2<f64>,
}

/// What became of the board in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Followed {
    /// Where the board is now; where it was, if it is not in place.
    pub map: BoardMap,
    /// Share of the patches that show what they showed: hands and moved men take the rest.
    pub seen: f64,
    /// Enough of it is seen here.
    pub in_place: bool,
}

/// Follows the board.
#[derive(Debug, Clone)]
pub struct Tracker {
    patches: Vec<Patch>,
    /// Distance between samples, in squares.
    spacing: f64,
    raster: Raster,
}

impl Tracker {
    /// Remembers the board as this picture shows it at `map`. `free` says which nodes no man hides.
    #[must_use]
    pub fn begin(frame: &Frame<'_>, map: &BoardMap, free: &[bool; NODES]) -> Self {
        Self::begin_at(frame, map, &Nodes::chess(), |node| free[node])
    }

    /// The same for a board with its patches elsewhere.
    pub(crate) fn begin_at(frame: &Frame<'_>, map: &BoardMap, nodes: &Nodes, free: impl Fn(usize) -> bool) -> Self {
        let blank = |(k, &node): (usize, &BoardPoint)| Patch {
            node,
            template: [0.0; SAMPLES],
            mean: 0.0,
            energy: 0.0,
            slope: [[0.0; 2]; SAMPLES],
            stiffness: Matrix2::zeros(),
            textured: false,
            free: free(k),
        };
        let patches = nodes.at.iter().take(MOST_NODES).enumerate().map(blank).collect();
        let mut tracker = Self { patches, spacing: nodes.spacing, raster: Raster::of(frame, map) };
        let (seen, noise) = tracker.look(frame, map, |_, _| true);
        for (patch, seen) in tracker.patches.iter_mut().zip(&seen) {
            if let Some(seen) = seen {
                patch.remember(seen, noise, nodes.spacing);
            }
        }
        tracker
    }

    /// Remembers anew what no longer looks as it did, now that the board is known to be at `map`: at the nodes
    /// that are `clear` of anything but men. What still looks the same keeps its older memory, so that no drift creeps in.
    pub fn renew(&mut self, frame: &Frame<'_>, map: &BoardMap, free: &[bool; NODES], clear: impl Fn(usize) -> bool) {
        self.renew_at(frame, map, |node| free[node], clear);
    }

    /// The same for a board with its patches elsewhere.
    pub(crate) fn renew_at(
        &mut self,
        frame: &Frame<'_>,
        map: &BoardMap,
        free: impl Fn(usize) -> bool,
        clear: impl Fn(usize) -> bool,
    ) {
        let (seen, noise) = self.look(frame, map, |k, _| clear(k));
        let mut changed = false;
        for (k, (patch, seen)) in self.patches.iter_mut().zip(&seen).enumerate() {
            patch.free = free(k);
            if let Some(seen) = seen
                && patch.compare(seen, noise).correlation < MATCHES
            {
                // What had no structure and has none is not news: it looks like nothing in every picture.
                let held = patch.textured;
                patch.remember(seen, noise, self.spacing);
                changed |= held || patch.textured;
            }
        }
        if changed {
            self.raster = Raster::of(frame, map);
        }
    }

    /// Finds the board near `map`, its place in the picture before.
    #[must_use]
    pub fn follow(&self, frame: &Frame<'_>, map: &BoardMap) -> Followed {
        let used = self.used();
        let [mut here, mut there] = [[None; MOST_NODES]; 2];
        let [here, there] = [&mut here, &mut there].map(|answers| &mut answers[..self.patches.len()]);
        self.ask(frame, map, used, here);
        there.copy_from_slice(here);
        let (now, is_settled) = self.steps(frame, map, used, there);
        let mut moves = map.corners().farthest_px(&now.corners()) > HOLD_PX;
        if moves {
            self.ask(frame, &now, used, there);
            // Steps may go to and fro for ever, where patches match in one place and not in the other. Such a board stays, unless
            // it looks more like its memory there.
            moves = is_settled || self.likeness(there) > self.likeness(here);
        }
        let (now, answers) = if moves { (now, &*there) } else { (*map, &*here) };
        let (seen, matching) = self.seen(answers, used);
        let in_place = seen >= IN_PLACE && matching >= FEWEST;
        Followed { map: if in_place { now } else { *map }, seen, in_place }
    }

    /// Where steps from `map` lead, whose patches have given these answers, and whether they came to an end there.
    fn steps(&self, frame: &Frame<'_>, map: &BoardMap, used: bool, answers: &mut [Option<Answer>]) -> (BoardMap, bool) {
        let mut now = *map;
        for round in 0..STEPS {
            if round > 0 {
                self.ask(frame, &now, used, answers);
            }
            let Some(step) = self.step(answers) else { break };
            let Some(next) = now.after(&Warp::BOARD.matrix(&step)) else { break };
            let moved = Warp::BOARD.farthest(&step);
            if moved > 2.0 * of_patch(REACH_SQUARES, self.spacing) || moved.is_nan() {
                break;
            }
            now = next;
            if moved < SETTLED_SQUARES {
                return (now, true);
            }
        }
        (now, false)
    }

    /// Searches for the board where it may have been pushed to since the picture before: up to a square and a quarter
    /// along each line, turned by up to sixteen degrees. `None` where nothing there looks like it.
    #[must_use]
    pub fn leap(&self, frame: &Frame<'_>, map: &BoardMap) -> Option<Followed> {
        let reduced = Reduced::of(frame, map);
        self.raster
            .candidates(&reduced, map)
            .into_iter()
            .map(|start| self.follow(frame, &start))
            .filter(|followed| followed.in_place)
            .max_by(|a, b| a.seen.total_cmp(&b.seen))
    }

    /// Are only free patches used? With too few of them all are.
    fn used(&self) -> bool {
        self.patches.iter().filter(|p| p.free && p.textured).count() >= ENOUGH_FREE
    }

    fn ask(&self, frame: &Frame<'_>, map: &BoardMap, only_free: bool, answers: &mut [Option<Answer>]) {
        let (seen, noise) = self.look(frame, map, |_, patch| patch.textured && (patch.free || !only_free));
        for ((patch, seen), answer) in self.patches.iter().zip(&seen).zip(answers) {
            *answer = seen.as_ref().map(|seen| patch.compare(seen, noise));
        }
    }

    /// What the picture shows at those patches that are asked for and lie within it, and the variance of its noise there.
    fn look(
        &self,
        frame: &Frame<'_>,
        map: &BoardMap,
        wanted: impl Fn(usize, &Patch) -> bool,
    ) -> ([Option<Samples>; MOST_NODES], f32) {
        let mut seen = [None; MOST_NODES];
        for (k, (patch, seen)) in self.patches.iter().zip(&mut seen).enumerate() {
            *seen = if wanted(k, patch) { read(frame, map, patch.node, self.spacing) } else { None };
        }
        let noise = noise_variance(&seen);
        (seen, noise)
    }

    /// How much of the patches' structure looks as remembered: of each that matches its energy, as far as it does so better than it
    /// must. It grows with the board's fit, and a patch that begins to match or ceases to makes no step in it.
    fn likeness(&self, answers: &[Option<Answer>]) -> f32 {
        let of = |(patch, answer): (&Patch, &Option<Answer>)| {
            answer.map_or(0.0, |a| patch.energy * (a.correlation - MATCHES).max(0.0))
        };
        self.patches.iter().zip(answers).map(of).sum()
    }

    /// Share and number of the used patches that match.
    fn seen(&self, answers: &[Option<Answer>], only_free: bool) -> (f64, usize) {
        let used = self.patches.iter().filter(|p| p.textured && (p.free || !only_free)).count();
        let matching = answers.iter().flatten().filter(|a| a.correlation >= MATCHES).count();
        (matching as f64 / used.max(1) as f64, matching)
    }

    /// The step of the whole board that the patches ask for, those apart from the others held back.
    fn step(&self, answers: &[Option<Answer>]) -> Option<Step> {
        let matching = || {
            (self.patches.iter().zip(answers))
                .filter_map(|(p, a)| a.filter(|a| a.correlation >= MATCHES).map(|a| (p, a)))
        };
        if matching().count() < FEWEST {
            return None;
        }
        let least_apart = of_patch(APART_SQUARES, self.spacing);
        let mut step = Step::zeros();
        let mut bar = f64::INFINITY;
        for _ in 0..4 {
            let mut normal =
                SMatrix::<f64, 8, 8>::from_diagonal(&SVector::from(PRIOR_SQUARES.map(|usual| (NOISE / usual).powi(2))));
            let mut right = SVector::<f64, 8>::zeros();
            let mut apart = [0.0; MOST_NODES];
            let mut count = 0;
            for (patch, answer) in matching() {
                let way = Warp::BOARD.way(patch.node);
                let rest = answer.pull - patch.stiffness * (way * step);
                let off = rest.norm() / patch.stiffness.trace();
                apart[count] = off;
                count += 1;
                let weight = 1.0 / (1.0 + (off / bar).powi(2)).powi(2);
                normal += way.transpose() * patch.stiffness * way * weight;
                right += way.transpose() * answer.pull * weight;
            }
            step = normal.cholesky()?.solve(&right);
            let apart = &mut apart[..count];
            let middle = *apart.select_nth_unstable_by(count / 2, f64::total_cmp).1;
            // From the second round on: the first step's rests say what is usual.
            bar = if bar.is_finite() { (2.0 * middle).max(least_apart) } else { 4.0 * middle.max(least_apart) };
        }
        Some(step)
    }
}

impl Patch {
    /// Takes over what a picture of this noise shows.
    fn remember(&mut self, seen: &Samples, noise: f32, spacing: f64) {
        self.template = *seen;
        let whole;
        (self.mean, self.energy, whole) = structure(seen, noise);
        self.textured = self.energy > (SAMPLES as f32 * LEAST_STRUCTURE.powi(2)).max(LEAST_SHARE * whole);
        self.stiffness = Matrix2::zeros();
        let at = |x: usize, y: usize| seen[y * PATCH + x];
        for y in 0..PATCH {
            for x in 0..PATCH {
                let (x0, x1) = (x.saturating_sub(1), (x + 1).min(PATCH - 1));
                let (y0, y1) = (y.saturating_sub(1), (y + 1).min(PATCH - 1));
                let slope = [
                    (at(x1, y) - at(x0, y)) / ((x1 - x0) as f32 * spacing as f32),
                    (at(x, y1) - at(x, y0)) / ((y1 - y0) as f32 * spacing as f32),
                ];
                self.slope[y * PATCH + x] = slope;
                let slope = Vector2::from(slope.map(f64::from));
                self.stiffness += slope * slope.transpose();
            }
        }
    }

    /// Compares what a picture of this noise shows with the memory.
    fn compare(&self, now: &Samples, noise: f32) -> Answer {
        let (mean, energy, _) = structure(now, noise);
        let common: f32 = now.iter().zip(&self.template).map(|(n, t)| (n - mean) * (t - self.mean)).sum();
        let correlation = common / (energy * self.energy).sqrt().max(1e-3);
        let gain = common / self.energy.max(1e-3);
        let mut pull = Vector2::zeros();
        if correlation >= MATCHES {
            for ((n, t), slope) in now.iter().zip(&self.template).zip(&self.slope) {
                // The picture shows here what was a step farther on: the board has moved back by it.
                let error = f64::from((t - self.mean) - (n - mean) / gain);
                pull += Vector2::new(f64::from(slope[0]), f64::from(slope[1])) * error;
            }
        }
        Answer { correlation, pull }
    }
}

/// Mean of a patch, and its sum of squares about it: without the noise's share, but at least [`LEAST_SHARE`] of it, and whole.
fn structure(patch: &Samples, noise: f32) -> (f32, f32, f32) {
    let mean = patch.iter().sum::<f32>() / SAMPLES as f32;
    let whole: f32 = patch.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (whole - SAMPLES as f32 * noise).max(LEAST_SHARE * whole), whole)
}

/// Variance of a picture's noise, by the patches that it shows, in squared levels: the median, for in some of them men and
/// hands have edges that look like noise. 0 where there are none.
fn noise_variance(seen: &[Option<Samples>; MOST_NODES]) -> f32 {
    let mut variances = [0.0; MOST_NODES];
    let mut count = 0;
    for (variance, patch) in variances.iter_mut().zip(seen.iter().flatten()) {
        *variance = noise_of(patch).powi(2);
        count += 1;
    }
    let variances = &mut variances[..count];
    if variances.is_empty() { 0.0 } else { *variances.select_nth_unstable_by(count / 2, f32::total_cmp).1 }
}

/// Standard deviation of a patch's noise, in levels: by the mean of what the mask shows, for a patch has few places for a median,
/// and a crossing shows at its very middle only.
fn noise_of(patch: &Samples) -> f32 {
    let inner = (PATCH - 2) as f32;
    // The mean of a normal distribution without its sign, in deviations.
    let mean = (2.0 / std::f32::consts::PI).sqrt();
    noise::mask(patch, PATCH).sum::<f32>() / (inner * inner) / (noise::NORM * mean)
}

/// Reads a patch, each sample the mean of some pixels around it. `None` where part of it is outside the picture.
fn read(frame: &Frame<'_>, map: &BoardMap, node: BoardPoint, spacing: f64) -> Option<Samples> {
    let tap = spacing / f64::from(TAPS);
    let centre = map.to_image(node);
    // Within a patch the map is taken for affine: at this size perspective bends it by less than a hundredth of it.
    let reach = 0.2;
    let slope = |dx: f64, dy: f64| {
        let ahead = map.to_image(BoardPoint::new(node.x + reach * dx, node.y + reach * dy));
        let behind = map.to_image(BoardPoint::new(node.x - reach * dx, node.y - reach * dy));
        (ahead - behind) * (tap / (2.0 * reach))
    };
    let (right, up) = (slope(1.0, 0.0), slope(0.0, 1.0));
    let half = f64::from(HALF) + 1.0;
    let margin = Vector2::new(half * (right.x.abs() + up.x.abs()), half * (right.y.abs() + up.y.abs()));
    let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
    let inside = |p: ImagePoint| {
        p.x - margin.x >= 0.0 && p.y - margin.y >= 0.0 && p.x + margin.x < width - 1.0 && p.y + margin.y < height - 1.0
    };
    if !inside(centre) {
        return None;
    }
    // Fixed point with 16 bits of fraction: half of the cost of floating point.
    let fixed = |v: f64| (v * 65536.0) as i32;
    Some(frame.visit(PatchReader {
        centre: [fixed(centre.x + 0.5), fixed(centre.y + 0.5)],
        right: [fixed(right.x), fixed(right.y)],
        up: [fixed(up.x), fixed(up.y)],
    }))
}

/// A patch in the picture: its centre and the steps from tap to tap, in pixels with 16 bits of fraction.
struct PatchReader {
    centre: [i32; 2],
    right: [i32; 2],
    up: [i32; 2],
}

impl Visit for PatchReader {
    type Answer = Samples;

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) -> Samples {
        let Self { centre: [cx, cy], right: [rx, ry], up: [ux, uy] } = self;
        let mut sums = [0u32; SAMPLES];
        for row in 0..PATCH as i32 * TAPS {
            let dy = row - HALF;
            let (mut x, mut y) = (cx + dy * ux - HALF * rx, cy + dy * uy - HALF * ry);
            let line = (row / TAPS) as usize * PATCH;
            for sum in &mut sums[line..line + PATCH] {
                for _ in 0..TAPS {
                    *sum += u32::from(luma_from_rgb(rgb((x >> 16) as usize, (y >> 16) as usize)));
                    x += rx;
                    y += ry;
                }
            }
        }
        sums.map(|sum| sum as f32 / (TAPS * TAPS) as f32)
    }
}
