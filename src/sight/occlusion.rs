//! What a ray from the board to the camera meets: the men that stand in its way, as tall as those of this set are.
//!
//! The height shift of what stands on the board is the one of A. Carta and M. Corsolini, "Reconstruction of a Go game
//! through a series of photographs" (PhotoKifu), for men of several heights instead of stones of one.

use nalgebra::Vector3;
use shakmaty::{Role, Square};

use super::layout::{Layout, role_index};
use crate::board::{
    geometry::{BoardPoint, Homography, Projection, square_centre},
    staunton::{TALLEST, discs, height},
};

/// Men hide a point within their outline surely only as far as their outline is known: players put men off the
/// centre by a tenth of a square or more, and sets differ.
const OUTLINE_BLUR: f32 = 0.07;
/// Even in the middle of its outline a man is not quite certain to cover (carved knights, crowns).
const MOST_COVER: f32 = 0.985;
/// Less cover than this is not kept.
pub(super) const LEAST_COVER: f32 = 0.04;

/// Radius of the widest of all men at his foot, in squares: nothing of anybody is wider.
const WIDEST: f32 = discs(Role::King)[0].1;
/// A ray that passes so far outside of a man's outline meets less of him than [`LEAST_COVER`], in squares.
const BEYOND: f32 = 0.2;

/// Heights at which rays are compared with outlines: steps of 7.5 % of a square, half of the thinnest man's neck.
const SLICE_HEIGHT: f64 = 0.075;
/// The slice at the top of the tallest man.
const TOP: usize = 24;
/// Slices that are compared: some above everybody's top, so that they come in whole groups.
const SLICES: usize = (TOP + 1).next_multiple_of(GROUP);
/// Slices that are compared side by side.
const GROUP: usize = 4;

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

/// How tall each kind is against Staunton's, pawn, knight, bishop, rook, queen, king. A set that is taller or flatter as a
/// whole is none: under its camera's direction men lean more or less ([`Parallax::for_taller`]).
pub(super) type Heights = [f64; 6];

/// Heights of the flattest kind that is looked for, against Staunton's.
const FLATTEST: f64 = 0.4;

/// Can men be so tall: none taller than the king of our outlines?
#[must_use]
pub(super) fn are_possible(heights: &Heights) -> bool {
    let is_possible = |role: Role| {
        let by = heights[role_index(role)];
        by >= FLATTEST && by * height(role) <= TALLEST + 1e-6
    };
    Role::ALL.into_iter().all(is_possible)
}

/// What men hide: the direction to the camera, and how tall they are.
#[derive(Debug, Clone, Copy)]
pub struct Occlusion {
    parallax: Parallax,
    heights: Heights,
    /// Radius of every kind of man at every slice, in squares; -1 above its top.
    radii: [[f32; SLICES]; 6],
    /// Slices that reach up to each kind's top, in whole groups.
    slices: [usize; 6],
}

impl From<Parallax> for Occlusion {
    /// By Staunton men.
    fn from(parallax: Parallax) -> Self {
        Self::new(parallax, [1.0; 6])
    }
}

impl Occlusion {
    /// By men so many times as tall as Staunton's; nobody is taken to be taller than a Staunton king.
    #[must_use]
    pub(super) fn new(parallax: Parallax, heights: Heights) -> Self {
        let radii = Role::ALL.map(|role| radii(role, heights[role_index(role)]));
        let slices = radii.map(|radii| (top(&radii) + 1).next_multiple_of(GROUP));
        Self { parallax, heights, radii, slices }
    }

    /// By the same men, seen from elsewhere.
    #[must_use]
    pub(super) const fn seen_from(&self, parallax: Parallax) -> Self {
        Self { parallax, ..*self }
    }

    /// The direction to the camera.
    #[must_use]
    pub const fn parallax(&self) -> Parallax {
        self.parallax
    }

    /// How tall the men are.
    #[must_use]
    pub(super) const fn heights(&self) -> Heights {
        self.heights
    }

    /// The squares whose men could stand in the way of a ray from `p`.
    pub(super) fn squares_near_ray(&self, p: BoardPoint) -> impl Iterator<Item = Square> + use<> {
        let foot = [p.x, p.y];
        let top = self.parallax.at_height(foot, TALLEST);
        // The widest radius and its blur.
        let reach = 0.5;
        let span = |i: usize| {
            let low = (foot[i].min(top[i]) - reach).max(0.0) as u32;
            // Below the board's edge there is none: an empty range.
            let end = (foot[i].max(top[i]) + reach + 1.0).max(0.0) as u32;
            low..end.min(8)
        };
        let files = span(0);
        span(1).flat_map(move |rank| files.clone().map(move |file| Square::new(rank * 8 + file)))
    }

    /// Cover of the ray from `p` by a man of each kind at `centre`, and the slice at which it comes nearest to its axis.
    pub(super) fn cover(&self, p: BoardPoint, centre: BoardPoint) -> ([f32; 6], usize) {
        let ray = Passing::new(&self.parallax, p, centre);
        let Some(nearest) = ray.nearest() else { return ([0.0; 6], 0) };
        (std::array::from_fn(|role| self.cover_of(role, &ray, nearest)), nearest)
    }

    /// Adds to `out` those of the `men` who stand near the ray from `p`, the nearest to the camera first, and how surely each hides it.
    pub(super) fn pass(&self, p: BoardPoint, men: &Layout, out: &mut Vec<(Passed, f32)>) {
        let first = out.len();
        for square in self.squares_near_ray(p) {
            let Some((_, role)) = men.at(square) else { continue };
            let ray = Passing::new(&self.parallax, p, square_centre(square));
            let Some(nearest) = ray.nearest() else { continue };
            let passed = Passed { square, role, nearest, ray };
            out.push((passed, self.cover_by(&passed)));
        }
        out[first..].sort_by_key(|(passed, _)| std::cmp::Reverse(passed.nearest));
    }

    /// How surely a man hides the ray that passes him.
    pub(super) fn cover_by(&self, passed: &Passed) -> f32 {
        self.cover_of(passed.role, &passed.ray, passed.nearest)
    }

    /// The same by a man of a kind, to whose axis the ray comes nearest at that slice.
    fn cover_of(&self, role: usize, ray: &Passing, nearest: usize) -> f32 {
        let (radii, last) = (&self.radii[role], self.slices[role] / GROUP - 1);
        let within = |group: usize| {
            let first = GROUP * group;
            let distances = ray.distances_from(first);
            (0..GROUP).map(|i| radii[first + i] - distances[i]).fold(f32::NEG_INFINITY, f32::max)
        };
        let middle = (nearest / GROUP).min(last);
        let mut most = within(middle);
        // Farther up and farther down the ray is farther away: beyond where even the widest foot would not reach nearer to it than
        // he does, nothing of him does.
        let is_in_reach = |slice: usize, most: f32| WIDEST - ray.distance(slice) > most;
        for group in middle + 1..=last {
            if !is_in_reach(GROUP * group, most) {
                break;
            }
            most = most.max(within(group));
        }
        for group in (0..middle).rev() {
            if !is_in_reach(GROUP * group + GROUP - 1, most) {
                break;
            }
            most = most.max(within(group));
        }
        soft_cover(most, OUTLINE_BLUR)
    }

    /// How high, as a part of his height, the ray from `p` first meets a man of a kind (a place in
    /// [`Candidate::cover`](super::coverage::Candidate::cover)) who stands at `centre`, coming from the camera.
    #[must_use]
    pub(super) fn met_at(&self, p: BoardPoint, centre: BoardPoint, role: usize) -> f32 {
        let ray = Passing::new(&self.parallax, p, centre);
        let (distances, radii) = (ray.distances(), &self.radii[role]);
        let top = top(radii);
        // The ray comes from above; where it only grazes him, where it comes nearest.
        let met = (0..=top).rev().find(|k| distances[*k] <= radii[*k]);
        let nearest = || (0..=top).min_by(|a, b| (distances[*a] - radii[*a]).total_cmp(&(distances[*b] - radii[*b])));
        met.or_else(nearest).unwrap_or(0) as f32 / top.max(1) as f32
    }
}

/// The highest slice in which a man of these radii has anything.
fn top(radii: &[f32; SLICES]) -> usize {
    radii.iter().rposition(|radius| *radius >= 0.0).unwrap_or(0)
}

/// Radius at every slice of a man of this kind who is so many times as tall as ours; -1 above his top.
fn radii(role: Role, height: f64) -> [f32; SLICES] {
    let discs = discs(role);
    std::array::from_fn(|k| {
        let z = k as f32 * SLICE_HEIGHT as f32 / height as f32;
        discs
            .windows(2)
            .find(|pair| (pair[0].0..=pair[1].0).contains(&z))
            .map_or(-1.0, |pair| pair[0].1 + (pair[1].1 - pair[0].1) * (z - pair[0].0) / (pair[1].0 - pair[0].0))
    })
}

/// A man near whom a ray to the camera passes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed {
    pub(super) square: Square,
    pub(super) role: usize,
    /// The slice at which it comes nearest to his axis.
    nearest: usize,
    ray: Passing,
}

/// A ray to the camera, seen from the axis of a man: where it starts on the board, and how far it goes aside from slice to
/// slice. In squares.
#[derive(Debug, Clone, Copy)]
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

    /// Distances from the axis at a group of slices.
    fn distances_from(&self, first: usize) -> [f32; GROUP] {
        std::array::from_fn(|i| self.distance(first + i))
    }

    /// Distances from the axis, slice by slice.
    fn distances(&self) -> [f32; SLICES] {
        std::array::from_fn(|slice| self.distance(slice))
    }

    /// The slice at which it comes nearest to the axis; `None` where it passes him by there.
    fn nearest(&self) -> Option<usize> {
        let ([x, y], [dx, dy]) = (self.start, self.step);
        // Where the derivative of the squared distance vanishes. A ray straight up stays as far away as it starts: NaN is 0.
        let slice = (0.5 - (x * dx + y * dy) / (dx * dx + dy * dy)) as usize;
        let slice = slice.min(TOP);
        (self.distance(slice) <= WIDEST + BEYOND).then_some(slice)
    }
}

/// Chance that a man hides a point whose ray passes so far within his outline (negative: outside). `blur` is how far the
/// outline is uncertain. All in squares.
#[must_use]
pub(super) fn soft_cover(margin: f32, blur: f32) -> f32 {
    if margin < -BEYOND {
        return 0.0;
    }
    let cover = MOST_COVER / (1.0 + (-margin * (1.7 / blur)).exp());
    if cover < LEAST_COVER { 0.0 } else { cover }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::{POINTS, point};

    #[test]
    fn a_ray_is_nearest_to_a_man_where_no_slice_is_nearer() {
        for (lean, inverse_height) in [([0.0, 0.0], 0.0), ([0.9, -0.4], 0.08), ([-3.0, 1.0], 0.3), ([0.2, 0.0], 0.1)] {
            let parallax = Parallax { lean, inverse_height };
            for (index, square) in (0..POINTS).step_by(7).zip(Square::ALL.into_iter().cycle()) {
                let ray = Passing::new(&parallax, point(index), square_centre(square));
                let least = ray.distances()[..=TOP].iter().copied().fold(f32::INFINITY, f32::min);
                match ray.nearest() {
                    Some(slice) => assert!((ray.distance(slice) - least).abs() < 1e-5, "{index} {square}"),
                    None => assert!(least > WIDEST + BEYOND - 1e-5, "{index} {square}: {least}"),
                }
            }
        }
    }

    #[test]
    fn no_part_of_a_man_is_missed_where_only_some_of_him_is_compared() {
        for (lean, inverse_height) in [([0.0, 0.0], 0.0), ([0.9, -0.4], 0.08), ([-3.0, 1.0], 0.3)] {
            let occlusion = Occlusion::from(Parallax { lean, inverse_height });
            for (index, square) in (0..POINTS).step_by(3).zip(Square::ALL.into_iter().cycle()) {
                let (p, centre) = (point(index), square_centre(square));
                let distances = Passing::new(&occlusion.parallax, p, centre).distances();
                let (covers, _) = occlusion.cover(p, centre);
                for (cover, radii) in covers.iter().zip(&occlusion.radii) {
                    let margins = radii.iter().zip(&distances).map(|(radius, distance)| radius - distance);
                    let all = soft_cover(margins.fold(f32::NEG_INFINITY, f32::max), OUTLINE_BLUR);
                    assert!((cover - all).abs() < 1e-4, "{index} {square}: {cover} {all}");
                }
            }
        }
        assert!(Role::ALL.iter().flat_map(|role| discs(*role)).all(|(_, radius)| *radius <= WIDEST));
    }

    #[test]
    fn a_taller_man_hides_what_ours_would_hide_if_he_leant_more() {
        let parallax = Parallax { lean: [0.5, -0.9], inverse_height: 0.07 };
        let (taller, ours) = (Occlusion::new(parallax, [1.3; 6]), Occlusion::from(parallax.for_taller(1.3)));
        let hidden = |occlusion: &Occlusion, role: Role| -> f32 {
            let of = |p: BoardPoint| {
                let covers =
                    occlusion.squares_near_ray(p).map(square_centre).map(|centre| occlusion.cover(p, centre).0);
                covers.map(|cover| cover[role_index(role)]).sum::<f32>()
            };
            (0..POINTS).map(point).map(of).sum()
        };
        // A bishop of 1.3 times a bishop's height is still no taller than a king.
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook] {
            let ([taller, ours], as_ours) = ([&taller, &ours].map(|o| hidden(o, role)), hidden(&parallax.into(), role));
            assert!(
                (taller - ours).abs() < 0.02 * ours && taller > 1.05 * as_ours,
                "{role:?}: {taller} {ours} {as_ours}"
            );
        }
    }
}
