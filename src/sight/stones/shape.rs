//! Where does the picture show what lies on a crossing?
//!
//! A stone is a lens over its crossing: its middle lies half a stone's height above the board, and in the picture it is
//! shifted away from the crossing, the more so the lower the camera stands and the further away the stone is (A. Carta and
//! M. Corsolini, "A new approach to an old problem", §2.3). So everything is read in the plane of the stones' middles. There
//! every stone is an ellipse around its crossing, drawn out along the line of sight, and of two that overlap the nearer one
//! hides the other.

use nalgebra::{Matrix3, Vector3};

use crate::{
    board::{geometry::Homography, grid::Grid, map::BoardMap, pose::Optics},
    go::{Point, Size},
    sight::sampler::Raster,
};

/// Points of the lattice in a distance between lines: a stone is six points wide, so its middle half has a dozen.
pub(super) const PER_LINE: usize = 6;
/// Points of the lattice beyond the outer lines: as far as what is looked at around a crossing.
pub(crate) const MARGIN: usize = REACH as usize;
/// How far around a crossing is looked, in points: as far as a stone seen from low reaches, with what lies beside it.
pub(crate) const REACH: i32 = 5;
/// Points along a side of what is looked at around a crossing.
pub(crate) const WINDOW: usize = 2 * REACH as usize + 1;
/// Points of the lattice in a row, for the largest board.
pub(crate) const STRIDE: usize = (Size::MOST as usize - 1) * PER_LINE + 1 + 2 * MARGIN;
/// Radius of a stone, in distances between columns: stones touch.
const RADIUS: f32 = 0.5;
/// Height of a stone's middle, in distances between columns: 4.5 of 22 mm.
const MIDDLE: f64 = 0.205;
/// Width of a line, in distances between columns: 1 of 22 mm.
const LINE: f32 = 0.045;
/// A board's wood ends so far beyond its outer lines, in distances between lines.
const WOOD: f32 = 0.62;

/// Where the points of the lattice lie, and how stones look from the camera.
#[derive(Debug, Clone)]
pub struct Shape {
    size: Size,
    /// Pixels from points of the lattice, in distances between lines, in the plane of the stones' middles.
    pub map: BoardMap,
    /// Distance of rows over that of columns.
    pub(crate) aspect: f32,
    /// For each crossing, the direction to the camera in the board's plane, in columns, times the cotangent of its height.
    towards: Vec<[f32; 2]>,
    /// How much of each point of the lattice is a line, where no stone lies; not a number beside the board.
    pub line: Vec<f32>,
}

impl Shape {
    /// As a camera sees a grid. Where no camera can see it so, stones are taken to be flat.
    #[must_use]
    pub fn new(grid: &Grid, optics: &Optics) -> Self {
        let size = grid.size();
        let projection = grid.projection(optics);
        let pose = grid.pose(optics);
        let raised = projection.and_then(|p| {
            let ground = grid.map().plane().matrix();
            let up: Vector3<f64> = p.vertical() * MIDDLE;
            let columns = [ground.column(0).into(), ground.column(1).into(), ground.column(2) + up];
            Homography::from_matrix(Matrix3::from_columns(&columns))
        });
        let map = raised.map_or(*grid.map(), |plane| grid.map().with_plane(plane));
        let aspect = pose.map_or(1.0, |pose| pose.aspect) as f32;
        let towards = size.points().map(|p| {
            let Some(pose) = &pose else { return [0.0; 2] };
            let to = pose.camera() - Vector3::new(f64::from(p.x), f64::from(p.y), 0.0);
            let height = (to.z - MIDDLE).max(1e-3);
            [(to.x / height) as f32, (to.y / height) as f32 * aspect]
        });
        let mut shape =
            Self { size, map, aspect, towards: towards.collect(), line: vec![f32::NAN; STRIDE * side(size)] };
        shape.draw_lines();
        shape
    }

    /// How far two shapes' crossings have moved against what they show, in distances between lines: the change of the shift
    /// that height makes.
    #[must_use]
    pub fn turned(&self, other: &Self) -> f32 {
        let apart = self.towards.iter().zip(&other.towards).map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs()));
        apart.fold(0.0, f32::max) * MIDDLE as f32
    }

    fn draw_lines(&mut self) {
        let last = f32::from(self.size.lines() - 1);
        for y in 0..side(self.size) {
            for x in 0..side(self.size) {
                let at = [x, y].map(|k| (k as f32 - MARGIN as f32) / PER_LINE as f32);
                let near = Point::new(at[0].round().clamp(0.0, last) as u8, at[1].round().clamp(0.0, last) as u8);
                let towards = self.towards[self.size.index(near)];
                // What is seen there of the bare board lies further away.
                let height = MIDDLE as f32;
                let ground = [at[0] - height * towards[0], at[1] - height * towards[1] / self.aspect];
                self.line[y * STRIDE + x] = self.line_at(ground, last);
            }
        }
    }

    /// How much of a point's cell on the bare board is a line.
    fn line_at(&self, at: [f32; 2], last: f32) -> f32 {
        if at.iter().any(|v| !(-WOOD..=last + WOOD).contains(v)) {
            return f32::NAN;
        }
        let cell = 1.0 / PER_LINE as f32;
        let share = |k: usize, wide: f32| {
            if !(-0.5 * cell..=last + 0.5 * cell).contains(&at[1 - k]) {
                return 0.0;
            }
            let off = (at[k] - at[k].round().clamp(0.0, last)).abs();
            let overlap = (0.5 * cell).min(off + 0.5 * wide) - (-0.5 * cell).max(off - 0.5 * wide);
            overlap.max(0.0) / cell
        };
        1.0 - (1.0 - share(0, LINE)) * (1.0 - share(1, LINE / self.aspect))
    }

    /// Where a point beside a crossing is within the ellipse of a stone around that crossing, shifted by `off` points: 0 in
    /// its middle, 1 on its edge.
    #[must_use]
    pub fn within(&self, crossing: usize, at: [f32; 2], off: [f32; 2]) -> f32 {
        let per = PER_LINE as f32;
        let d = [(at[0] - off[0]) / per, (at[1] - off[1]) / per * self.aspect];
        let towards = self.towards[crossing];
        let flat = (towards[0] * towards[0] + towards[1] * towards[1]).sqrt();
        let drawn = (1.0 + (MIDDLE as f32 * flat / RADIUS).powi(2)).sqrt();
        let along = if flat > 1e-6 { (d[0] * towards[0] + d[1] * towards[1]) / flat } else { 0.0 };
        let across = (d[0] * d[0] + d[1] * d[1] - along * along).max(0.0);
        ((along / drawn).powi(2) + across).sqrt() / RADIUS
    }

    /// Is the other crossing nearer to the camera?
    #[must_use]
    pub(super) fn is_nearer(&self, crossing: usize, other: Point) -> bool {
        let here = self.size.point(crossing);
        let towards = self.towards[crossing];
        let way = [f32::from(other.x) - f32::from(here.x), (f32::from(other.y) - f32::from(here.y)) * self.aspect];
        way[0] * towards[0] + way[1] * towards[1] > 0.0
    }

    /// Number of the point in the middle of a crossing's window.
    #[must_use]
    pub fn middle(&self, crossing: usize) -> usize {
        let p = self.size.point(crossing);
        (MARGIN + PER_LINE * usize::from(p.y)) * STRIDE + MARGIN + PER_LINE * usize::from(p.x)
    }

    /// The points that are read.
    #[must_use]
    pub(crate) fn raster(&self) -> Raster {
        Raster {
            side: side(self.size),
            per_square: PER_LINE,
            margin: 0,
            points: STRIDE * side(self.size),
            index_at: |x, y| Some(y * STRIDE + x),
        }
    }

    /// The map for the raster, whose points lie in the middles of their cells.
    #[must_use]
    pub(super) fn raster_map(&self) -> BoardMap {
        let shift = -(MARGIN as f64 + 0.5) / PER_LINE as f64;
        let move_it = Matrix3::new(1.0, 0.0, shift, 0.0, 1.0, shift, 0.0, 0.0, 1.0);
        self.map.after(&move_it).unwrap_or(self.map)
    }
}

/// Points of the lattice along a board's side.
#[must_use]
pub fn side(size: Size) -> usize {
    (usize::from(size.lines()) - 1) * PER_LINE + 1 + 2 * MARGIN
}
