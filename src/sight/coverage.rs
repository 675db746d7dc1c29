//! Which man would hide which point of the board, seen from this camera.
//!
//! The height shift of what stands on the board is the one of A. Carta and M. Corsolini, "Reconstruction of a Go game
//! through a series of photographs" (PhotoKifu), for men of several heights instead of stones of one.

use std::sync::LazyLock;

use nalgebra::Vector3;
use shakmaty::{Bitboard, Role, Square};

use super::layout::{Layout, role_index};
use crate::board::{
    geometry::{BoardPoint, Homography, Projection, square_centre},
    staunton::{TALLEST, discs},
};

/// Sample points along a square's side. Eight give 64 points a square: enough for a pawn's head seen obliquely
/// (a quarter of a square) to hold four, few enough that a look at the whole board costs a millisecond.
pub const POINTS_PER_SIDE: usize = 8;
/// Sample points of the board.
pub const POINTS: usize = 64 * POINTS_PER_SIDE * POINTS_PER_SIDE;

/// Men hide a point within their outline surely only as far as their outline is known: players put men off the
/// centre by a tenth of a square or more, and sets differ.
const OUTLINE_BLUR: f32 = 0.07;
/// Even in the middle of its outline a man is not quite certain to cover (carved knights, crowns).
const MOST_COVER: f32 = 0.985;
/// Less cover than this is not kept.
const LEAST_COVER: f32 = 0.04;

/// Direction from the board to the camera: the ray from the board's point p stands, at height z, over the point
/// `p * (1 - z * inverse_height) + z * lean`. All in squares; a camera straight above at infinity has zeros.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parallax {
    /// Shift per square of height at the board's origin.
    pub(crate) lean: [f64; 2],
    /// One over the camera's height.
    pub(crate) inverse_height: f64,
}

impl Parallax {
    /// Under which men of our outlines hide what men `by` times as tall hide.
    #[must_use]
    pub(super) fn for_taller(&self, by: f64) -> Self {
        Self { lean: self.lean.map(|v| v * by), inverse_height: self.inverse_height * by }
    }

    /// Of a camera whose projection is known.
    #[must_use]
    pub fn from_projection(projection: &Projection) -> Option<Self> {
        let c = projection.camera_centre();
        let parallax = Self { lean: [c.x / c.z, c.y / c.z], inverse_height: c.w / c.z };
        (parallax.lean.iter().all(|v| v.is_finite()) && parallax.inverse_height.is_finite()).then_some(parallax)
    }

    /// The projection of a camera in this direction that sees the plane so: the inverse of [`Self::from_projection`].
    #[must_use]
    pub fn projection(&self, plane: &Homography) -> Projection {
        // The camera's centre is the one point without an image.
        let centre = Vector3::new(self.lean[0], self.lean[1], self.inverse_height);
        Projection::new(plane, -(plane.matrix() * centre))
    }

    /// Over which point of the board the ray from `point` stands at height `z`.
    #[must_use]
    pub(crate) fn at_height(&self, point: [f64; 2], z: f64) -> [f64; 2] {
        std::array::from_fn(|i| point[i] * (1.0 - z * self.inverse_height) + z * self.lean[i])
    }

    /// Shift per square of height at the board's centre.
    #[must_use]
    pub(crate) fn at_centre(&self) -> [f64; 2] {
        std::array::from_fn(|i| self.lean[i] - 4.0 * self.inverse_height)
    }
}

/// A square whose man could hide a point.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The square.
    pub square: Square,
    /// Chance that a man of each kind (pawn, knight, bishop, rook, queen, king) there hides the point.
    pub cover: [f32; 6],
}

/// For every sample point: who could hide it, nearest to the camera first.
#[derive(Debug, Clone)]
pub struct Coverage {
    parallax: Parallax,
    candidates: Vec<Candidate>,
    /// Start of each point's candidates in `candidates`; one more entry than points.
    starts: Vec<u32>,
    /// For every square, the points that a man on it could hide.
    points_of: Vec<Vec<u16>>,
    /// For every square, those whose men could hide one of the same points.
    beside: [Bitboard; 64],
    /// Points that the largest man hides.
    largest_man: usize,
}

/// Position of a sample point on the board, in squares.
#[must_use]
pub fn point(index: usize) -> BoardPoint {
    let (square, inner) = (index / (POINTS_PER_SIDE * POINTS_PER_SIDE), index % (POINTS_PER_SIDE * POINTS_PER_SIDE));
    let step = |k: usize| (k as f64 + 0.5) / POINTS_PER_SIDE as f64;
    BoardPoint::new(
        (square % 8) as f64 + step(inner % POINTS_PER_SIDE),
        (square / 8) as f64 + step(inner / POINTS_PER_SIDE),
    )
}

/// Index of the sample point in column `x` and row `y` of the whole board's raster, from a1's outer corner.
#[must_use]
pub(super) const fn index_at(x: usize, y: usize) -> usize {
    let n = POINTS_PER_SIDE;
    ((y / n) * 8 + x / n) * n * n + (y % n) * n + x % n
}

/// The square that a sample point lies on.
#[must_use]
pub fn square_of(index: usize) -> Square {
    Square::new((index / (POINTS_PER_SIDE * POINTS_PER_SIDE)) as u32)
}

/// The sample points beside one on its square.
pub(super) fn beside_on_square(index: usize) -> impl Iterator<Item = usize> {
    let n = POINTS_PER_SIDE;
    let (x, y) = (index % n, index / n % n);
    let beside = [
        (x > 0).then(|| index - 1),
        (x + 1 < n).then_some(index + 1),
        (y > 0).then(|| index - n),
        (y + 1 < n).then_some(index + n),
    ];
    beside.into_iter().flatten()
}

/// The sample points of a square.
#[must_use]
pub(super) fn points_on(square: Square) -> std::ops::Range<usize> {
    let n = POINTS_PER_SIDE * POINTS_PER_SIDE;
    let first = usize::from(square) * n;
    first..first + n
}

impl Coverage {
    /// Traces the rays of all sample points.
    #[must_use]
    pub fn new(parallax: Parallax) -> Self {
        Self::of(parallax, (0..POINTS).map(point))
    }

    /// Traces the rays of these points of the board's plane, at most 65,536; they may lie beyond the board's edge.
    #[must_use]
    pub fn of(parallax: Parallax, points: impl ExactSizeIterator<Item = BoardPoint>) -> Self {
        let mut candidates = Vec::with_capacity(points.len() * 4);
        let mut starts = Vec::with_capacity(points.len() + 1);
        let mut points_of = vec![Vec::new(); 64];
        let mut beside = [Bitboard::EMPTY; 64];
        let mut of_point: Vec<(usize, Candidate)> = Vec::with_capacity(12);
        for (index, p) in points.enumerate() {
            starts.push(candidates.len() as u32);
            of_point.clear();
            for square in squares_near_ray(&parallax, p) {
                let (cover, nearest) = cover(&parallax, p, square_centre(square));
                if cover.iter().any(|c| *c >= LEAST_COVER) {
                    of_point.push((nearest, Candidate { square, cover }));
                }
            }
            // The ray comes down from the camera: what it meets highest hides what it would meet lower.
            of_point.sort_by_key(|(nearest, _)| std::cmp::Reverse(*nearest));
            let together: Bitboard = of_point.iter().map(|(_, candidate)| candidate.square).collect();
            for (_, candidate) in &of_point {
                beside[usize::from(candidate.square)] |= together;
                points_of[usize::from(candidate.square)].push(index as u16);
                candidates.push(*candidate);
            }
        }
        starts.push(candidates.len() as u32);
        let king = role_index(Role::King);
        let mut hides = [0; 64];
        for candidate in candidates.iter().filter(|c| c.cover[king] > 0.5) {
            hides[usize::from(candidate.square)] += 1;
        }
        let largest_man = hides.into_iter().max().unwrap_or(0);
        Self { parallax, candidates, starts, points_of, beside, largest_man }
    }

    /// The camera direction that this was traced for.
    #[must_use]
    pub(crate) const fn parallax(&self) -> Parallax {
        self.parallax
    }

    /// Who could hide the point, nearest to the camera first.
    #[must_use]
    pub(crate) fn candidates(&self, index: usize) -> &[Candidate] {
        &self.candidates[self.first_candidate(index)..self.first_candidate(index + 1)]
    }

    /// Number of candidates before those of this point: an index for tables kept per candidate.
    #[must_use]
    pub(super) fn first_candidate(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// Candidates of all points together.
    #[must_use]
    pub(super) fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// Chance that one of these men hides the point.
    #[must_use]
    pub fn hidden(&self, index: usize, men: &Layout) -> f32 {
        let open: f32 = (self.candidates(index).iter())
            .filter_map(|c| men.at(c.square).map(|(_, role)| 1.0 - c.cover[role]))
            .product();
        1.0 - open
    }

    /// Points that the largest man on the board hides.
    #[must_use]
    pub(super) const fn largest_man(&self) -> usize {
        self.largest_man
    }

    /// How high, as a part of his height, a point's ray from the camera first meets a man of a kind (a place in
    /// [`Candidate::cover`]) who stands on the middle of this square.
    #[must_use]
    pub(super) fn met_at(&self, index: usize, square: Square, role: usize) -> f32 {
        let ray = Passing::new(&self.parallax, point(index), square_centre(square));
        let (distances, radii) = (ray.distances(), &RADII[role]);
        let top = radii.iter().rposition(|radius| *radius >= 0.0).unwrap_or(0);
        // The ray comes from above; where it only grazes him, where it comes nearest.
        let met = (0..=top).rev().find(|k| distances[*k] <= radii[*k]);
        let nearest = || (0..=top).min_by(|a, b| (distances[*a] - radii[*a]).total_cmp(&(distances[*b] - radii[*b])));
        met.or_else(nearest).unwrap_or(0) as f32 / top.max(1) as f32
    }

    /// The squares whose men could hide a point that a man on this square could hide, itself included: what stands on
    /// any other one tells nothing of this.
    #[must_use]
    pub(crate) const fn beside(&self, square: Square) -> Bitboard {
        self.beside[square.to_usize()]
    }

    /// The points that a man on this square could hide, each with how surely.
    pub(super) fn hidden_from(&self, square: Square) -> impl Iterator<Item = (usize, &Candidate)> {
        self.points_of(square).iter().filter_map(move |index| {
            let index = usize::from(*index);
            self.candidates(index).iter().find(|c| c.square == square).map(|candidate| (index, candidate))
        })
    }

    /// The points that a man on this square could hide.
    #[must_use]
    pub(super) fn points_of(&self, square: Square) -> &[u16] {
        &self.points_of[usize::from(square)]
    }
}

fn squares_near_ray(parallax: &Parallax, p: BoardPoint) -> impl Iterator<Item = Square> {
    let foot = [p.x, p.y];
    let top = parallax.at_height(foot, TALLEST);
    // The widest radius and its blur.
    let reach = 0.5;
    let span = |i: usize| {
        let low = (foot[i].min(top[i]) - reach).floor().max(0.0) as u32;
        // Below the board's edge there is none: an empty range.
        let end = (foot[i].max(top[i]) + reach).floor().min(7.0) + 1.0;
        low..end.max(0.0) as u32
    };
    let files = span(0);
    span(1).flat_map(move |rank| files.clone().map(move |file| Square::new(rank * 8 + file)))
}

/// Heights at which rays are compared with outlines: steps of 7.5 % of a square, half of the thinnest man's neck.
const SLICES: usize = 25;
const SLICE_HEIGHT: f64 = 0.075;

/// Radius of every kind of man at every slice; -1 above its top.
static RADII: LazyLock<[[f32; SLICES]; 6]> = LazyLock::new(|| {
    Role::ALL.map(|role| {
        let discs = discs(role);
        std::array::from_fn(|k| {
            let z = k as f32 * SLICE_HEIGHT as f32;
            discs
                .windows(2)
                .find(|pair| (pair[0].0..=pair[1].0).contains(&z))
                .map_or(-1.0, |pair| pair[0].1 + (pair[1].1 - pair[0].1) * (z - pair[0].0) / (pair[1].0 - pair[0].0))
        })
    })
});

/// A ray to the camera, seen from the axis of a man: where it starts on the board, and how far it goes aside from slice to
/// slice. In squares.
struct Passing {
    start: [f32; 2],
    step: [f32; 2],
}

impl Passing {
    /// The ray from `p` past a man at `centre`.
    fn new(parallax: &Parallax, p: BoardPoint, centre: BoardPoint) -> Self {
        // The ray is straight: one step from slice to slice.
        let step = |i: usize| (SLICE_HEIGHT * (parallax.lean[i] - p[i] * parallax.inverse_height)) as f32;
        Self { start: [(p.x - centre.x) as f32, (p.y - centre.y) as f32], step: [step(0), step(1)] }
    }

    /// Distance from the axis at a slice.
    fn distance(&self, slice: usize) -> f32 {
        let [x, y] = std::array::from_fn(|i| self.start[i] + slice as f32 * self.step[i]);
        (x * x + y * y).sqrt()
    }

    /// Distances from the axis, slice by slice.
    fn distances(&self) -> [f32; SLICES] {
        std::array::from_fn(|slice| self.distance(slice))
    }

    /// The slice at which it comes nearest to the axis; `None` where it passes him by there.
    fn nearest(&self) -> Option<usize> {
        let ([x, y], [dx, dy]) = (self.start, self.step);
        // Where the derivative of the squared distance vanishes. A ray straight up stays as far away as it starts: NaN is 0.
        let slice = (-(x * dx + y * dy) / (dx * dx + dy * dy)).round() as usize;
        let slice = slice.min(SLICES - 1);
        (self.distance(slice) <= 0.6).then_some(slice)
    }
}

fn blurred_cover(distances: &[f32; SLICES], role: usize, blur: f32) -> f32 {
    // Above a man's top the margin is below -1: nothing is covered there.
    let margin = distances.iter().zip(&RADII[role]).map(|(d, r)| r - d).fold(f32::NEG_INFINITY, f32::max);
    soft_cover(margin, blur)
}

/// Chance that a man hides a point whose ray passes so far within his outline (negative: outside). `blur` is how far the
/// outline is uncertain. All in squares.
#[must_use]
pub(super) fn soft_cover(margin: f32, blur: f32) -> f32 {
    // Nothing of this slope reaches LEAST_COVER beyond a fifth of a square.
    if margin < -0.2 {
        return 0.0;
    }
    let cover = MOST_COVER / (1.0 + (-margin * (1.7 / blur)).exp());
    if cover < LEAST_COVER { 0.0 } else { cover }
}

/// Cover by a man of each kind at `centre`, and the slice at which the ray comes nearest to its axis.
fn cover(parallax: &Parallax, p: BoardPoint, centre: BoardPoint) -> ([f32; 6], usize) {
    let ray = Passing::new(parallax, p, centre);
    let Some(nearest) = ray.nearest() else { return ([0.0; 6], 0) };
    let distances = ray.distances();
    (std::array::from_fn(|role| blurred_cover(&distances, role, OUTLINE_BLUR)), nearest)
}

/// The layers that a ray from `p` meets when `men` stand on the board, nearest to the camera first: square and cover.
pub fn layers(parallax: &Parallax, p: BoardPoint, men: &Layout, out: &mut Vec<(Square, f32)>) {
    let mut found: [(usize, Square, f32); 12] = [(0, Square::A1, 0.0); 12];
    let mut n = 0;
    for square in squares_near_ray(parallax, p) {
        let Some((_, role)) = men.at(square) else { continue };
        let ray = Passing::new(parallax, p, square_centre(square));
        let Some(nearest) = ray.nearest() else { continue };
        let cover = blurred_cover(&ray.distances(), role, OUTLINE_BLUR);
        if cover > 0.0 && n < found.len() {
            found[n] = (nearest, square, cover);
            n += 1;
        }
    }
    found[..n].sort_by_key(|(nearest, ..)| std::cmp::Reverse(*nearest));
    out.clear();
    out.extend(found[..n].iter().map(|(_, square, cover)| (*square, *cover)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_above_a_man_hides_its_own_square_only() {
        let coverage = Coverage::new(Parallax::default());
        for index in 0..POINTS {
            for candidate in coverage.candidates(index) {
                assert_eq!(candidate.square, square_of(index), "point {index}");
            }
        }
        let centre = points_on(Square::E4).nth(POINTS_PER_SIDE * POINTS_PER_SIDE / 2 + POINTS_PER_SIDE / 2).unwrap();
        assert!(coverage.candidates(centre)[0].cover.iter().all(|c| *c > 0.9));
    }

    #[test]
    fn a_king_hides_the_square_behind_it_and_the_nearer_man_comes_first() {
        // 45 degrees from White's side: one square of height hides one square behind.
        let coverage = Coverage::new(Parallax { lean: [0.0, -1.0], inverse_height: 0.0 });
        // Middle of e5: the ray passes over e4 one square up.
        let middle = points_on(Square::E5).nth(4 * POINTS_PER_SIDE + 4).unwrap();
        let squares: Vec<Square> = coverage.candidates(middle).iter().map(|c| c.square).collect();
        assert_eq!(squares, [Square::E4, Square::E5]);
        let e4 = coverage.candidates(middle)[0];
        assert!(e4.cover[role_index(Role::King)] > 0.7 && e4.cover[role_index(Role::Pawn)] < 0.3, "{e4:?}");
    }

    #[test]
    fn a_ray_is_nearest_to_a_man_where_no_slice_is_nearer() {
        for (lean, inverse_height) in [([0.0, 0.0], 0.0), ([0.9, -0.4], 0.08), ([-3.0, 1.0], 0.3), ([0.2, 0.0], 0.1)] {
            let parallax = Parallax { lean, inverse_height };
            for (index, square) in (0..POINTS).step_by(7).zip(Square::ALL.into_iter().cycle()) {
                let ray = Passing::new(&parallax, point(index), square_centre(square));
                let least = ray.distances().into_iter().fold(f32::INFINITY, f32::min);
                match ray.nearest() {
                    Some(slice) => assert!((ray.distance(slice) - least).abs() < 1e-5, "{index} {square}"),
                    None => assert!(least > 0.6 - 1e-5, "{index} {square}: {least}"),
                }
            }
        }
    }

    #[test]
    fn points_of_is_the_inverse_of_candidates() {
        let coverage = Coverage::new(Parallax { lean: [0.9, -0.4], inverse_height: 0.08 });
        for square in Square::ALL {
            for index in 0..POINTS {
                let listed = coverage.points_of(square).contains(&(index as u16));
                let candidate = coverage.candidates(index).iter().any(|c| c.square == square);
                assert_eq!(listed, candidate, "{square} {index}");
            }
        }
    }

    #[test]
    fn a_point_lies_on_its_square() {
        for index in 0..POINTS {
            let p = point(index);
            assert_eq!(square_of(index), Square::new((p.y.floor() * 8.0 + p.x.floor()) as u32));
        }
    }
}
