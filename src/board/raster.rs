//! The board as a coarse raster of grey levels, to look for it where it may have been pushed to.

use nalgebra::Matrix3;

use super::{
    geometry::{BoardPoint, Homography, ImagePoint},
    map::BoardMap,
    plane::Plane,
};
use crate::frame::{Frame, Visit, luma_from_rgb};

/// Cells along a square's side.
const PER_SQUARE: usize = 3;
/// Squares around the board that are remembered with it: its frame and the table break the chequers' period.
const MARGIN: f64 = 1.0;
/// Cells along the raster's side.
const SIDE: usize = 10 * PER_SQUARE;
/// Pixels that a square's side has in the reduced picture, about: two for each cell.
const SQUARE_PX: f64 = 6.0;
/// Greatest displacement that is looked for, in squares: a bump of a whole square, and some.
const FARTHEST_SQUARES: f64 = 1.25;
/// Step of the search, in squares: the correlation of a chequered board falls to a half within a quarter.
const STEP_SQUARES: f64 = 0.25;
/// Step of the turn, in degrees: a corner moves by a fifth of a square.
const STEP_TURN_DEG: f64 = 2.0;
/// Candidates that are followed up.
const MOST_CANDIDATES: usize = 4;
/// Correlation below which a place is no candidate.
const LEAST_CORRELATION: f32 = 0.3;

/// A picture reduced so far that a square has a few pixels.
#[derive(Debug, Clone)]
pub(crate) struct Reduced {
    plane: Plane,
    factor: u32,
}

/// Pixels along the side of a block that becomes one, for a board at `map`.
fn factor(map: &BoardMap) -> u32 {
    (map.corners().square_px() / SQUARE_PX).clamp(1.0, 64.0) as u32
}

/// Column and row of the block that holds a point of the full picture, of so many columns and rows; `None` outside of them.
fn block(p: ImagePoint, factor: u32, [columns, rows]: [usize; 2]) -> Option<[usize; 2]> {
    let [x, y] = [p.x, p.y].map(|v| (v + 0.5) / f64::from(factor));
    // Not a number fails both.
    (x >= 0.0 && y >= 0.0 && x < columns as f64 && y < rows as f64).then_some([x as usize, y as usize])
}

impl Reduced {
    /// Reduces a picture of a board at `map`.
    pub(crate) fn of(frame: &Frame<'_>, map: &BoardMap) -> Self {
        let factor = factor(map);
        Self { plane: Plane::reduced(frame, factor), factor }
    }

    /// Grey level at a point of the full picture; not a number outside.
    fn at(&self, p: ImagePoint) -> f32 {
        let Plane { width, height, data } = &self.plane;
        block(p, self.factor, [*width, *height]).map_or(f32::NAN, |[x, y]| data[y * width + x])
    }
}

/// Reads the mean grey levels of some blocks of so many pixels a side; not a number where there is none.
struct BlockReader<B> {
    blocks: B,
    factor: usize,
}

impl<B: Iterator<Item = Option<[usize; 2]>>> Visit for BlockReader<B> {
    type Answer = Vec<f32>;

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) -> Vec<f32> {
        let Self { blocks, factor } = self;
        let pixels = |first: usize| first * factor..(first + 1) * factor;
        let per_block = 1.0 / (factor * factor) as f32;
        let level = |[x, y]: [usize; 2]| {
            let row = |y: usize| pixels(x).map(|x| u32::from(luma_from_rgb(rgb(x, y)))).sum::<u32>();
            pixels(y).map(row).sum::<u32>() as f32 * per_block
        };
        blocks.map(|block| block.map_or(f32::NAN, level)).collect()
    }
}

/// Grey levels of the board and what is around it, row by row; not a number where nothing was seen.
#[derive(Debug, Clone)]
pub(crate) struct Raster {
    cells: Vec<f32>,
}

impl Raster {
    /// Of the board at `map`: as the reduced picture shows it, of whose pixels only the board's are worked out.
    pub(crate) fn of(frame: &Frame<'_>, map: &BoardMap) -> Self {
        let factor = factor(map);
        let size = [frame.width(), frame.height()].map(|pixels| (pixels / factor) as usize);
        let blocks = (0..SIDE * SIDE).map(|k| block(map.to_image(cell(k)), factor, size));
        Self { cells: frame.visit(BlockReader { blocks, factor: factor as usize }) }
    }

    /// Places around `map` that look like the remembered board, the likeliest first.
    pub(crate) fn candidates(&self, reduced: &Reduced, map: &BoardMap) -> Vec<BoardMap> {
        let range = |most: f64, step: f64| {
            let n = (most / step).floor() as i32;
            (-n..=n).map(move |k| f64::from(k) * step)
        };
        let mut scored: Vec<(f32, Push)> = Vec::new();
        for what in [Pushed::Board, Pushed::Camera] {
            for turn_deg in range(what.most_turn_deg(), STEP_TURN_DEG) {
                for dy in range(FARTHEST_SQUARES, STEP_SQUARES) {
                    for dx in range(FARTHEST_SQUARES, STEP_SQUARES) {
                        let push = Push { what, by: [dx, dy, turn_deg] };
                        // Every other cell is enough to find the hill.
                        scored.push((self.score(reduced, map, &push, 2), push));
                    }
                }
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut tops: Vec<Push> = Vec::new();
        for (_, push) in scored {
            if tops.len() == MOST_CANDIDATES {
                break;
            }
            if !tops.iter().any(|top| top.near(&push)) {
                tops.push(push);
            }
        }
        let climbed = tops.into_iter().map(|push| self.climb(reduced, map, push));
        let mut best: Vec<(f32, Push)> = climbed.filter(|(score, _)| *score > LEAST_CORRELATION).collect();
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.into_iter().filter_map(|(_, push)| push.of(map)).collect()
    }

    fn score(&self, reduced: &Reduced, map: &BoardMap, push: &Push, stride: usize) -> f32 {
        push.of(map).map_or(0.0, |map| self.correlation(reduced, &map, stride))
    }

    /// The nearest summit of the correlation.
    fn climb(&self, reduced: &Reduced, map: &BoardMap, start: Push) -> (f32, Push) {
        let mut best = start;
        let mut value = self.score(reduced, map, &best, 1);
        let mut size = [0.5 * STEP_SQUARES, 0.5 * STEP_SQUARES, 0.5 * STEP_TURN_DEG];
        // Halved thrice, the steps are those that the patches follow by themselves.
        for _ in 0..3 {
            // So many steps lead to any neighbour of the start.
            for _ in 0..6 {
                let before = value;
                for (axis, size) in size.iter().enumerate() {
                    for sign in [-1.0, 1.0] {
                        let mut tried = best;
                        tried.by[axis] += sign * size;
                        let v = self.score(reduced, map, &tried, 1);
                        if v > value {
                            (value, best) = (v, tried);
                        }
                    }
                }
                if value <= before {
                    break;
                }
            }
            size = size.map(|s| 0.5 * s);
        }
        (value, best)
    }

    /// Correlation of the picture at `map` with the memory, over every `stride`th cell of each row, in turn.
    fn correlation(&self, reduced: &Reduced, map: &BoardMap, stride: usize) -> f32 {
        let (mut n, mut sa, mut sb, mut saa, mut sbb, mut sab) = (0.0f32, 0.0, 0.0, 0.0, 0.0, 0.0);
        for row in 0..SIDE {
            for column in ((row % stride)..SIDE).step_by(stride) {
                let k = row * SIDE + column;
                let (a, b) = (self.cells[k], reduced.at(map.to_image(cell(k))));
                if a.is_nan() || b.is_nan() {
                    continue;
                }
                n += 1.0;
                sa += a;
                sb += b;
                saa += a * a;
                sbb += b * b;
                sab += a * b;
            }
        }
        // A board of which half is outside the picture is not looked for.
        if n * stride as f32 * 2.0 < (SIDE * SIDE) as f32 {
            return 0.0;
        }
        let (va, vb) = (saa - sa * sa / n, sbb - sb * sb / n);
        (sab - sa * sb / n) / (va * vb).sqrt().max(1e-3)
    }
}

/// Middle of a cell, in board coordinates.
fn cell(k: usize) -> BoardPoint {
    let at = |i: usize| (i as f64 + 0.5) / PER_SQUARE as f64 - MARGIN;
    BoardPoint::new(at(k % SIDE), at(k / SIDE))
}

/// What was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pushed {
    /// The board, on its table.
    Board,
    /// The camera: the picture moves as a whole, far squares as much as near ones.
    Camera,
}

impl Pushed {
    /// Greatest turn that is looked for, in degrees. A camera on a stand seldom rolls.
    const fn most_turn_deg(self) -> f64 {
        match self {
            Self::Board => 16.0,
            Self::Camera => 4.0,
        }
    }
}

/// A push by dx, dy squares and a turn in degrees about the board's middle.
#[derive(Debug, Clone, Copy)]
struct Push {
    what: Pushed,
    by: [f64; 3],
}

impl Push {
    /// Do both lead to one summit?
    fn near(&self, other: &Self) -> bool {
        let [a, b] = [self.by, other.by];
        self.what == other.what
            && (a[0] - b[0]).hypot(a[1] - b[1]) < 2.0 * STEP_SQUARES
            && (a[2] - b[2]).abs() < 2.5 * STEP_TURN_DEG
    }

    /// Where the board of `map` is after the push.
    fn of(&self, map: &BoardMap) -> Option<BoardMap> {
        let [dx, dy, turn_deg] = self.by;
        let (s, c) = turn_deg.to_radians().sin_cos();
        let about = |x: f64, y: f64, dx: f64, dy: f64| {
            Matrix3::new(c, -s, x - c * x + s * y + dx, s, c, y - s * x - c * y + dy, 0.0, 0.0, 1.0)
        };
        match self.what {
            Pushed::Board => map.after(&about(4.0, 4.0, dx, dy)),
            Pushed::Camera => {
                let plane = map.plane();
                let middle = plane.to_image(BoardPoint::new(4.0, 4.0));
                let square_px = plane.corners().square_px();
                let moved = about(middle.x, middle.y, dx * square_px, dy * square_px) * plane.matrix();
                Some(map.with_plane(Homography::from_matrix(moved)?))
            }
        }
    }
}
