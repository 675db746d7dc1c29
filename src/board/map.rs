//! Where the board appears in the picture: a homography to ideal pixels, and the lens that bends them.

use nalgebra::Matrix3;

use super::{
    geometry::{BOARD_CORNERS, BoardPoint, Homography, ImagePoint, Rectangle, enlarged_px},
    lens::Lens,
};
use crate::board::corners::Corners;

/// The map between the board's plane (squares) and the pixels of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardMap {
    plane: Homography,
    lens: Option<Lens>,
}

impl From<Homography> for BoardMap {
    /// Under a lens that bends nothing.
    fn from(plane: Homography) -> Self {
        Self { plane, lens: None }
    }
}

impl BoardMap {
    /// From the map to ideal pixels and the lens.
    #[must_use]
    pub const fn new(plane: Homography, lens: Option<Lens>) -> Self {
        Self { plane, lens }
    }

    /// The map under which the board's outer corners appear at `corners` in the picture. `None` where no board does.
    #[must_use]
    pub fn from_corners(corners: &Corners, lens: Option<Lens>) -> Option<Self> {
        Self::from_points(BOARD_CORNERS.into_iter().zip(corners.0), lens)
    }

    /// The least-squares map under which points of the board's plane appear where they are seen in the picture. `None`
    /// where fewer than four do, or they lie on a line.
    #[must_use]
    pub(super) fn from_points(
        pairs: impl IntoIterator<Item = (BoardPoint, ImagePoint)>,
        lens: Option<Lens>,
    ) -> Option<Self> {
        let pairs: Option<Vec<_>> =
            pairs.into_iter().map(|(board, seen)| Some((board, straight(lens.as_ref(), seen)?))).collect();
        Some(Self { plane: Homography::from_points(&pairs?)?, lens })
    }

    /// Ideal pixels from the board.
    #[must_use]
    pub const fn plane(&self) -> &Homography {
        &self.plane
    }

    /// The lens between ideal pixels and those of the picture; `None` where it bends nothing.
    #[must_use]
    pub const fn lens(&self) -> Option<&Lens> {
        self.lens.as_ref()
    }

    /// The same lens over another plane.
    #[must_use]
    pub(crate) const fn with_plane(&self, plane: Homography) -> Self {
        Self { plane, lens: self.lens }
    }

    /// The board moved on itself: what was at `board_from_board * p` is now at `p`. `None` for a matrix without inverse.
    #[must_use]
    pub fn after(&self, board_from_board: &Matrix3<f64>) -> Option<Self> {
        Some(self.with_plane(Homography::from_matrix(self.plane.matrix() * board_from_board)?))
    }

    /// The same board named from another side: `turns` quarter turns, so that what was h1 becomes a1 after one.
    #[must_use]
    pub fn renamed(&self, turns: usize) -> Self {
        // A turn of the board on itself is never without inverse; none at all leaves even the last digit.
        if turns.is_multiple_of(4) {
            *self
        } else {
            self.after(&quarter_turns(turns, Rectangle::BOARD.width)).unwrap_or(*self)
        }
    }

    /// Where a point of the board appears in the picture; not a number where the lens shows nothing of it.
    #[must_use]
    pub fn to_image(&self, point: BoardPoint) -> ImagePoint {
        let ideal = self.plane.to_image(point);
        self.lens.as_ref().map_or(ideal, |lens| lens.distort(ideal))
    }

    /// Which point of the board's plane a pixel shows; not a number where the lens shows none.
    #[must_use]
    pub fn to_board(&self, point: ImagePoint) -> BoardPoint {
        straight(self.lens.as_ref(), point)
            .map_or_else(|| BoardPoint::new(f64::NAN, f64::NAN), |ideal| self.plane.to_board(ideal))
    }

    /// The outer corners a1, h1, h8, a8 in the picture.
    #[must_use]
    pub fn corners(&self) -> Corners {
        Corners(BOARD_CORNERS.map(|p| self.to_image(p)))
    }

    /// The same board in the mirror image of a picture of `width` pixels in a row.
    #[must_use]
    pub fn mirrored(&self, width: u32) -> Self {
        Self { plane: self.plane.mirrored(width), lens: self.lens.map(|lens| lens.mirrored(width)) }
    }

    /// The same board in the same camera's picture enlarged by `by` (x, y).
    #[must_use]
    pub(crate) fn scaled(&self, by: [f64; 2]) -> Option<Self> {
        let origin = by.map(|factor| enlarged_px(0.0, factor));
        let larger = Matrix3::new(by[0], 0.0, origin[0], 0.0, by[1], origin[1], 0.0, 0.0, 1.0);
        let plane = Homography::from_matrix(larger * self.plane.matrix())?;
        Some(Self { plane, lens: self.lens.map(|lens| lens.scaled(by)) })
    }
}

/// Coordinates on a square of sides `side` from those on the board that it becomes when its corner number `turns`,
/// counted anticlockwise as a1, h1, h8, a8 are, is called a1.
pub(crate) fn quarter_turns(turns: usize, side: f64) -> Matrix3<f64> {
    match turns % 4 {
        0 => Matrix3::identity(),
        1 => Matrix3::new(0.0, -1.0, side, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        2 => Matrix3::new(-1.0, 0.0, side, 0.0, -1.0, side, 0.0, 0.0, 1.0),
        _ => Matrix3::new(0.0, 1.0, 0.0, -1.0, 0.0, side, 0.0, 0.0, 1.0),
    }
}

/// The ideal pixel of one of the picture.
fn straight(lens: Option<&Lens>, seen: ImagePoint) -> Option<ImagePoint> {
    lens.map_or(Some(seen), |lens| lens.undistort(seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent() -> BoardMap {
        let k = [900.0, 0.0, 640.0, 0.0, 905.0, 358.0, 0.0, 0.0, 1.0];
        let lens = Lens::new(&k, "plumb_bob", &[-0.28, 0.07, 1e-3, -5e-4, 0.0]).expect("a model");
        let corners = Corners::new([[300.0, 640.0], [980.0, 655.0], [880.0, 150.0], [410.0, 140.0]]).expect("corners");
        BoardMap::from_corners(&corners, lens).expect("a map")
    }

    #[test]
    fn corners_come_back_through_the_lens() {
        let map = bent();
        let again = BoardMap::from_corners(&map.corners(), map.lens().copied()).expect("a map");
        for (x, y) in [(0.0, 0.0), (3.0, 4.5), (8.0, 1.0), (7.0, 7.5)] {
            let p = BoardPoint::new(x, y);
            assert!((again.to_image(p) - map.to_image(p)).norm() < 1e-2);
            assert!((map.to_board(map.to_image(p)) - p).norm() < 1e-4);
        }
        // The lens is worth pixels: the middle of an edge is not where a straight line would have it.
        let straight = BoardMap::from(Homography::from_corners(&map.corners()).expect("a map"));
        assert!((straight.to_image(BoardPoint::new(4.0, 0.0)) - map.to_image(BoardPoint::new(4.0, 0.0))).norm() > 3.0);
    }

    #[test]
    fn a_larger_picture_shows_the_same_board() {
        let map = bent();
        let large = map.scaled([1.5, 2.0]).expect("a map");
        for (x, y) in [(0.0, 0.0), (8.0, 8.0), (2.5, 6.0)] {
            let (small, large) = (map.to_image(BoardPoint::new(x, y)), large.to_image(BoardPoint::new(x, y)));
            assert!(((small.x + 0.5) * 1.5 - 0.5 - large.x).abs() < 1e-6);
            assert!(((small.y + 0.5) * 2.0 - 0.5 - large.y).abs() < 1e-6);
        }
    }

    #[test]
    fn a_mirror_shows_the_same_board() {
        let map = bent();
        let mirrored = map.mirrored(1280);
        for (x, y) in [(0.0, 0.0), (8.0, 8.0), (2.5, 6.0)] {
            let (here, there) = (map.to_image(BoardPoint::new(x, y)), mirrored.to_image(BoardPoint::new(x, y)));
            assert!((1279.0 - here.x - there.x).abs() < 1e-9 && (here.y - there.y).abs() < 1e-9);
            assert!((mirrored.to_board(there) - BoardPoint::new(x, y)).norm() < 1e-4);
        }
        assert!(mirrored.corners().is_mirrored());
    }

    #[test]
    fn a_quarter_turn_of_the_board_renames_its_corners() {
        let map = bent();
        for turns in 0..5 {
            for (a, b) in map.renamed(turns).corners().0.iter().zip(&map.corners().renamed(turns).0) {
                assert!((a - b).norm() < 1e-6);
            }
        }
    }
}
