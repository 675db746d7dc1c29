//! Which man would hide which point of the board, seen from this camera.

use shakmaty::{Bitboard, Role, Square};

use super::{
    layout::{Layout, role_index},
    occlusion::{LEAST_COVER, Occlusion, Parallax},
};
use crate::board::geometry::{BoardPoint, square_centre};

/// Sample points along a square's side. Eight give 64 points a square: enough for a pawn's head seen obliquely
/// (a quarter of a square) to hold four, few enough that a look at the whole board costs a millisecond.
pub const POINTS_PER_SIDE: usize = 8;
/// Sample points of the board.
pub const POINTS: usize = 64 * POINTS_PER_SIDE * POINTS_PER_SIDE;

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
    occlusion: Occlusion,
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
    pub fn new(occlusion: Occlusion) -> Self {
        Self::of(occlusion, (0..POINTS).map(point))
    }

    /// Traces the rays of these points of the board's plane, at most 65,536; they may lie beyond the board's edge.
    #[must_use]
    pub fn of(occlusion: Occlusion, points: impl ExactSizeIterator<Item = BoardPoint>) -> Self {
        let mut candidates = Vec::with_capacity(points.len() * 4);
        let mut starts = Vec::with_capacity(points.len() + 1);
        let mut points_of = vec![Vec::new(); 64];
        let mut beside = [Bitboard::EMPTY; 64];
        let mut of_point: Vec<(usize, Candidate)> = Vec::with_capacity(12);
        for (index, p) in points.enumerate() {
            starts.push(candidates.len() as u32);
            of_point.clear();
            for square in occlusion.squares_near_ray(p) {
                let (cover, nearest) = occlusion.cover(p, square_centre(square));
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
        Self { occlusion, candidates, starts, points_of, beside, largest_man }
    }

    /// What this was traced for.
    #[must_use]
    pub(super) const fn occlusion(&self) -> &Occlusion {
        &self.occlusion
    }

    /// The camera direction that this was traced for.
    #[must_use]
    pub(crate) const fn parallax(&self) -> Parallax {
        self.occlusion.parallax()
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
        self.occlusion.met_at(point(index), square_centre(square), role)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_above_a_man_hides_its_own_square_only() {
        let coverage = Coverage::new(Parallax::default().into());
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
        let coverage = Coverage::new(Parallax { lean: [0.0, -1.0], inverse_height: 0.0 }.into());
        // Middle of e5: the ray passes over e4 one square up.
        let middle = points_on(Square::E5).nth(4 * POINTS_PER_SIDE + 4).unwrap();
        let squares: Vec<Square> = coverage.candidates(middle).iter().map(|c| c.square).collect();
        assert_eq!(squares, [Square::E4, Square::E5]);
        let e4 = coverage.candidates(middle)[0];
        assert!(e4.cover[role_index(Role::King)] > 0.7 && e4.cover[role_index(Role::Pawn)] < 0.3, "{e4:?}");
    }

    #[test]
    fn points_of_is_the_inverse_of_candidates() {
        let coverage = Coverage::new(Parallax { lean: [0.9, -0.4], inverse_height: 0.08 }.into());
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
