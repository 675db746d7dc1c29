//! The lines of a Go board: where they are in a picture, and the camera over them.
//!
//! A grid is a [`BoardMap`] like that of a chess board, in another unit: the distance between neighbouring lines, with
//! the crossing of column x and row y at (x, y). Real boards are longer than wide by a few per cent; the homography
//! takes that in, and only the [`pose`](Grid::pose) asks for it.

mod arms;
mod comb;
mod fit;
mod follow;
mod locate;
mod pencils;
mod pose;
mod ridges;
#[cfg(test)]
mod tests;
mod window;

pub use follow::{Follower, Following, follow};
pub use locate::{Diagnostics, GridHint, LocateGridError, LocatedGrid, find, locate};
pub use pose::GridPose;

use nalgebra::Matrix3;

use super::{
    geometry::{BoardPoint, ImagePoint, Rectangle},
    lens::Lens,
    map::{BoardMap, quarter_turns},
};
use crate::{
    board::corners::{Corners, GeometryError},
    go::Size,
};

/// Least distance between lines, in pixels, in the mean over the board: with less no stone can be told from none.
const LEAST_SPACING_PX: f64 = 4.0;

/// Why four points cannot be the corners of a grid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum GridError {
    /// A coordinate is not a number, or infinite.
    #[error("the grid's corners must be finite pixel coordinates")]
    NotFinite,
    /// The quadrilateral is not convex, or (nearly) without area.
    #[error("the grid's corners must form a convex quadrilateral: upper left, upper right, lower right, lower left")]
    NotConvex,
    /// They turn as in a mirror.
    #[error(
        "the grid's corners run the wrong way round: as seen in the picture they must run clockwise, upper left, upper \
         right, lower right, lower left"
    )]
    Mirrored,
    /// The lines are too near to each other.
    #[error("the corners make lines {0:.1} pixels apart: expected {LEAST_SPACING_PX} or more")]
    TooSmall(f64),
}

impl From<GeometryError> for GridError {
    fn from(error: GeometryError) -> Self {
        match error {
            GeometryError::NotFinite => Self::NotFinite,
            GeometryError::Mirrored => Self::Mirrored,
            // The others do not come from corners alone.
            _ => Self::NotConvex,
        }
    }
}

/// The lines of a Go board in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    size: Size,
    map: BoardMap,
}

impl Grid {
    /// A grid of so many lines whose crossings (0, 0), (n-1, 0), (n-1, n-1), (0, n-1) are seen at these pixels.
    ///
    /// # Errors
    /// When they cannot be that, as seen from above.
    pub fn from_corners(corners_px: [ImagePoint; 4], size: Size) -> Result<Self, GridError> {
        Self::from_corners_through(corners_px, size, None)
    }

    /// The same in the picture of a known lens.
    ///
    /// # Errors
    /// When they cannot be that, as seen from above.
    pub(crate) fn from_corners_through(
        corners_px: [ImagePoint; 4],
        size: Size,
        lens: Option<Lens>,
    ) -> Result<Self, GridError> {
        // Rows run downwards and ranks upwards: the other way round.
        let [a, b, c, d] = corners_px.map(|p| [p.x, p.y]);
        Corners::new([d, c, b, a])?;
        let pairs = Self::area(size).corners().into_iter().zip(corners_px);
        let map = BoardMap::from_points(pairs, lens).ok_or(GridError::NotConvex)?;
        let grid = Self { size, map };
        let spacing_px = grid.spacing_px();
        if spacing_px < LEAST_SPACING_PX { Err(GridError::TooSmall(spacing_px)) } else { Ok(grid) }
    }

    /// From its map: pixels from lines.
    #[must_use]
    pub const fn new(size: Size, map: BoardMap) -> Self {
        Self { size, map }
    }

    /// How many lines it has in each direction.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The map between its plane, in distances between lines, and the picture.
    #[must_use]
    pub const fn map(&self) -> &BoardMap {
        &self.map
    }

    /// Where the point (x, y) of the board, in lines, appears in the picture; not a number where the lens shows nothing
    /// of it.
    #[must_use]
    pub(crate) fn image_from_board(&self, x: f64, y: f64) -> ImagePoint {
        self.map.to_image(BoardPoint::new(x, y))
    }

    /// The crossings (0, 0), (n-1, 0), (n-1, n-1), (0, n-1) in the picture.
    #[must_use]
    pub fn corners(&self) -> [ImagePoint; 4] {
        Self::area(self.size).corners().map(|p| self.map.to_image(p))
    }

    /// Mean distance between lines along the four outer ones, in pixels.
    #[must_use]
    pub fn spacing_px(&self) -> f64 {
        let corners = self.corners();
        let around: f64 = (0..4).map(|i| nalgebra::distance(&corners[i], &corners[(i + 1) % 4])).sum();
        around / (4.0 * self.last_line())
    }

    /// Distance between lines around a point of the board, in pixels: the shorter one of both directions.
    #[must_use]
    pub fn spacing_px_at(&self, x: f64, y: f64) -> f64 {
        let across = self.image_from_board(x + 0.5, y) - self.image_from_board(x - 0.5, y);
        let along = self.image_from_board(x, y + 0.5) - self.image_from_board(x, y - 0.5);
        across.norm().min(along.norm())
    }

    /// Greatest distance between corners of the same place, in pixels.
    #[must_use]
    pub(crate) fn farthest_px(&self, other: &Self) -> f64 {
        let apart = self.corners().into_iter().zip(other.corners()).map(|(a, b)| nalgebra::distance(&a, &b));
        apart.fold(0.0, f64::max)
    }

    /// The same board seen from another side: `turns` quarter turns, so that what was the upper right crossing becomes
    /// the upper left one after one.
    #[must_use]
    pub fn renamed(&self, turns: usize) -> Self {
        let turn = quarter_turns(turns, self.last_line());
        self.map.after(&turn).map_or(*self, |map| Self { map, ..*self })
    }

    /// The same board named so that (0, 0) is its uppermost left crossing in the picture, as somebody would name it who
    /// looks at it.
    #[must_use]
    pub(super) fn upright(&self) -> Self {
        let lowest = |grid: &Self| {
            let corner = grid.corners()[0];
            corner.x + corner.y
        };
        let turned = (0..4).map(|turns| self.renamed(turns));
        turned.min_by(|a, b| lowest(a).total_cmp(&lowest(b))).unwrap_or(*self)
    }

    /// Does it turn as in a mirror?
    fn is_mirrored(&self) -> bool {
        let [a, b, _, d] = self.corners();
        (b - a).perp(&(d - a)) < 0.0
    }

    /// Columns for rows: the grid as in a mirror.
    fn transposed(&self) -> Option<Self> {
        let swap = Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        Some(Self { map: self.map.after(&swap)?, ..*self })
    }

    /// The same board in the same camera's picture enlarged by `by` (x, y).
    #[must_use]
    pub(crate) fn scaled(&self, by: [f64; 2]) -> Option<Self> {
        Some(Self { map: self.map.scaled(by)?, ..*self })
    }

    /// Number of the last line.
    fn last_line(&self) -> f64 {
        f64::from(self.size.lines() - 1)
    }

    /// What the outer lines enclose.
    fn area(size: Size) -> Rectangle {
        let side = f64::from(size.lines() - 1);
        Rectangle { width: side, height: side }
    }

    /// Coordinates of the grid from those of an upright board of the same lines: x as it is, y from the lowest line
    /// upwards, `aspect` units of x between rows.
    fn grid_from_upright(&self, aspect: f64) -> Matrix3<f64> {
        Matrix3::new(1.0, 0.0, 0.0, 0.0, -1.0 / aspect, self.last_line(), 0.0, 0.0, 1.0)
    }
}

#[cfg(test)]
mod corner_tests {
    use super::*;

    fn corners() -> [ImagePoint; 4] {
        [[410.0, 140.0], [880.0, 150.0], [980.0, 655.0], [300.0, 640.0]].map(|[x, y]| ImagePoint::new(x, y))
    }

    #[test]
    fn corners_are_where_they_were_said_to_be() {
        for lines in [5, 9, 13, 19, 25] {
            let size = Size::new(lines).expect("a size");
            let grid = Grid::from_corners(corners(), size).expect("a grid");
            let last = f64::from(size.lines() - 1);
            for (p, (x, y)) in corners().iter().zip([(0.0, 0.0), (last, 0.0), (last, last), (0.0, last)]) {
                assert!((grid.image_from_board(x, y) - p).norm() < 1e-6);
                assert!((grid.map().to_board(*p) - BoardPoint::new(x, y)).norm() < 1e-6);
            }
            assert_eq!(grid.upright(), grid);
        }
    }

    #[test]
    fn corners_that_are_none_are_refused_with_a_reason() {
        let [a, b, c, d] = corners();
        let refused = |corners| Grid::from_corners(corners, Size::USUAL).expect_err("no grid");
        assert_eq!(refused([d, c, b, a]), GridError::Mirrored);
        assert_eq!(refused([a, c, b, d]), GridError::NotConvex);
        assert_eq!(refused([a, b, c, ImagePoint::new(f64::NAN, 0.0)]), GridError::NotFinite);
        let small = corners().map(|p| p * 0.1);
        assert!(matches!(refused(small), GridError::TooSmall(px) if px < 4.0));
    }

    #[test]
    fn a_turned_board_is_the_same_one() {
        let grid = Grid::from_corners(corners(), Size::USUAL).expect("a grid");
        for turns in 0..4 {
            let turned = grid.renamed(turns);
            for (k, p) in turned.corners().iter().enumerate() {
                assert!((p - grid.corners()[(k + turns) % 4]).norm() < 1e-6, "{turns}");
            }
            assert!(turned.upright().farthest_px(&grid) < 1e-6);
        }
    }
}
