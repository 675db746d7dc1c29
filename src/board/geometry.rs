//! The board's plane and the picture's: corners, homography, and the camera that sees height.
//!
//! Board coordinates are in squares: the outer corner of a1 is (0, 0), x runs towards the h file, y towards rank 8,
//! z up. The centre of e4 is (4.5, 3.5, 0). Picture coordinates are in pixels, the first pixel's centre at (0, 0).
//! Names of transforms read right to left: `image_from_board * point_in_board`.

use nalgebra::{Matrix3, Matrix3x4, Point2, SMatrix, SVector, Vector3, Vector4};
use shakmaty::Square;

/// A point of the picture, in pixels.
pub type ImagePoint = Point2<f64>;
/// A point of the board's plane, in squares.
pub type BoardPoint = Point2<f64>;

/// The outer corners of the playing area on the board's plane: a1, h1, h8, a8.
pub const BOARD_CORNERS: [BoardPoint; 4] = Rectangle::BOARD.corners();

/// A rectangle on a plane, its corner of least coordinates at (0, 0): the playing area of a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Extent in x, in the plane's unit.
    pub width: f64,
    /// Extent in y.
    pub height: f64,
}

impl Rectangle {
    /// The playing area of a chess board, in squares.
    pub(crate) const BOARD: Self = Self { width: 8.0, height: 8.0 };

    /// Its corners as [`BOARD_CORNERS`] are ordered: the one at (0, 0), then that of greatest x, and round.
    #[must_use]
    pub const fn corners(self) -> [BoardPoint; 4] {
        let Self { width, height } = self;
        [
            BoardPoint::new(0.0, 0.0),
            BoardPoint::new(width, 0.0),
            BoardPoint::new(width, height),
            BoardPoint::new(0.0, height),
        ]
    }

    /// Its middle.
    #[must_use]
    pub const fn centre(self) -> BoardPoint {
        BoardPoint::new(0.5 * self.width, 0.5 * self.height)
    }
}

/// Largest difference of the scales in x and y (natural logarithm) between pictures of one shape: drivers round sizes to
/// even numbers, and a picture cut to another shape differs by a tenth and more.
const SAME_SHAPE: f64 = 0.01;

/// A projective map between the board's plane (squares) and the picture (pixels).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homography {
    image_from_board: Matrix3<f64>,
    board_from_image: Matrix3<f64>,
}

impl Homography {
    /// Least-squares map from four or more pairs (board, picture) by the normalised direct linear transform
    /// (R. Hartley, "In defense of the eight-point algorithm", 1997). `None` for fewer or degenerate pairs.
    #[must_use]
    pub(super) fn from_points(pairs: &[(BoardPoint, ImagePoint)]) -> Option<Self> {
        if pairs.len() < 4 {
            return None;
        }
        let from = normalisation(pairs.iter().map(|p| p.0))?;
        let to = normalisation(pairs.iter().map(|p| p.1))?;
        let mut normal = SMatrix::<f64, 9, 9>::zeros();
        for (board, image) in pairs {
            let b = from.transform_point(board);
            let i = to.transform_point(image);
            let rows = [
                [b.x, b.y, 1.0, 0.0, 0.0, 0.0, -i.x * b.x, -i.x * b.y, -i.x],
                [0.0, 0.0, 0.0, b.x, b.y, 1.0, -i.y * b.x, -i.y * b.y, -i.y],
            ];
            for row in rows {
                let row = SVector::<f64, 9>::from(row);
                normal += row * row.transpose();
            }
        }
        let eigen = normal.symmetric_eigen();
        let smallest = eigen.eigenvalues.imin();
        let h = eigen.eigenvectors.column(smallest);
        let normalised = Matrix3::new(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]);
        Self::from_matrix(to.try_inverse()? * normalised * from)
    }

    /// From a matrix that takes homogeneous board points to homogeneous pixels. `None` where it has no inverse.
    #[must_use]
    pub fn from_matrix(image_from_board: Matrix3<f64>) -> Option<Self> {
        // Scaled so that the board's centre has a positive denominator: then "in front of the camera" is w > 0.
        let w = (image_from_board * Vector3::new(4.0, 4.0, 1.0)).z;
        let image_from_board = image_from_board / w;
        let board_from_image = image_from_board.try_inverse()?;
        (image_from_board.iter().chain(board_from_image.iter()).all(|v| v.is_finite()))
            .then_some(Self { image_from_board, board_from_image })
    }

    /// The matrix; its scale makes the denominator 1 at the board's centre.
    #[must_use]
    pub(crate) const fn matrix(&self) -> &Matrix3<f64> {
        &self.image_from_board
    }

    /// Does a point of the board's plane lie before the camera? One behind it has an image all the same.
    #[must_use]
    pub(crate) fn is_before_camera(&self, point: BoardPoint) -> bool {
        (self.image_from_board * Vector3::new(point.x, point.y, 1.0)).z > 0.0
    }

    /// Where a point of the board appears in the picture.
    #[must_use]
    pub fn to_image(&self, point: BoardPoint) -> ImagePoint {
        divide(self.image_from_board * Vector3::new(point.x, point.y, 1.0))
    }

    /// Which point of the board's plane a pixel shows.
    #[must_use]
    pub fn to_board(&self, point: ImagePoint) -> BoardPoint {
        divide(self.board_from_image * Vector3::new(point.x, point.y, 1.0))
    }

    /// The map into the mirror image of a picture of `width` pixels in a row.
    #[must_use]
    pub fn mirrored(&self, width: u32) -> Self {
        // A mirror is its own inverse.
        let mirror = mirror(width);
        Self { image_from_board: mirror * self.image_from_board, board_from_image: self.board_from_image * mirror }
    }
}

/// The mirror image's homogeneous pixels from those of a picture of `width` pixels in a row.
fn mirror(width: u32) -> Matrix3<f64> {
    Matrix3::new(-1.0, 0.0, mirrored_px(0.0, width), 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
}

/// A camera over the board, height included: pixels from (x, y, z) in squares. For a picture that its source has
/// already warped to the squares this still holds; only the height column is then unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection {
    image_from_board: Matrix3x4<f64>,
}

impl Projection {
    /// A homography with the image of the vertical: `vertical` is the third column of the camera matrix at the
    /// homography's scale (pixels per square of height, at denominator 1).
    #[must_use]
    pub fn new(plane: &Homography, vertical: Vector3<f64>) -> Self {
        let m = plane.matrix();
        Self {
            image_from_board: Matrix3x4::from_columns(&[
                m.column(0).into(),
                m.column(1).into(),
                vertical,
                m.column(2).into(),
            ]),
        }
    }

    /// Where the point (x, y, z), in squares, appears in the picture.
    #[must_use]
    pub fn to_image(&self, x: f64, y: f64, z: f64) -> ImagePoint {
        divide(self.image_from_board * Vector4::new(x, y, z, 1.0))
    }

    /// The image of the vertical: third column of the matrix.
    #[must_use]
    pub(crate) fn vertical(&self) -> Vector3<f64> {
        self.image_from_board.column(2).into()
    }

    /// The camera's centre in board coordinates (squares), homogeneous: w is 0 for a camera at infinity; z is below zero.
    #[must_use]
    pub(crate) fn camera_centre(&self) -> Vector4<f64> {
        let m = &self.image_from_board;
        let minor = |skip: usize| {
            let columns: Vec<usize> = (0..4).filter(|c| *c != skip).collect();
            Matrix3::from_fn(|r, c| m[(r, columns[c])]).determinant()
        };
        let centre = Vector4::new(minor(0), -minor(1), minor(2), -minor(3));
        // Of a mirror image all signs are the other ones.
        if centre.z > 0.0 { -centre } else { centre }
    }

    /// What the mirror image shows of a picture of `width` pixels in a row.
    #[must_use]
    pub fn mirrored(&self, width: u32) -> Self {
        Self { image_from_board: mirror(width) * self.image_from_board }
    }
}

/// Centre of a square on the board's plane.
#[must_use]
pub fn square_centre(square: Square) -> BoardPoint {
    BoardPoint::new(f64::from(square.file() as u8) + 0.5, f64::from(square.rank() as u8) + 0.5)
}

/// A coordinate in a picture enlarged by `factor`, in pixels: pixel centres are at whole coordinates, so what stays
/// where it is is the picture's edge, at -0.5. Not a digit changes where nothing is enlarged.
#[must_use]
pub(crate) fn enlarged_px(v: f64, factor: f64) -> f64 {
    if factor == 1.0 { v } else { (v + 0.5) * factor - 0.5 }
}

/// The column of a point in the mirror image of a picture of `width` pixels in a row.
#[must_use]
pub(crate) fn mirrored_px(x: f64, width: u32) -> f64 {
    f64::from(width) - 1.0 - x
}

/// By how much (x, y) pictures of size `to` are larger than those of size `from` (pixels in a row, rows), if they show
/// the same; `None` where their shape is another one.
#[must_use]
pub(crate) fn enlargement(from: (u32, u32), to: (u32, u32)) -> Option<[f64; 2]> {
    let by = [f64::from(to.0) / f64::from(from.0), f64::from(to.1) / f64::from(from.1)];
    // Not a number, of pictures without pixels, fails as well.
    ((by[0] / by[1]).ln().abs() <= SAME_SHAPE).then_some(by)
}

fn divide(v: Vector3<f64>) -> Point2<f64> {
    Point2::new(v.x / v.z, v.y / v.z)
}

/// Similarity that moves the points' mean to 0 and their mean distance to √2.
fn normalisation(points: impl Iterator<Item = Point2<f64>> + Clone) -> Option<Matrix3<f64>> {
    let n = points.clone().count() as f64;
    let mean = points.clone().map(|p| p.coords).sum::<nalgebra::Vector2<f64>>() / n;
    let distance = points.map(|p| (p.coords - mean).norm()).sum::<f64>() / n;
    (distance > 1e-9).then(|| {
        let s = std::f64::consts::SQRT_2 / distance;
        Matrix3::new(s, 0.0, -s * mean.x, 0.0, s, -s * mean.y, 0.0, 0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::corners::Corners;

    const OBLIQUE: [[f64; 2]; 4] = [[105.0, 415.0], [520.0, 428.0], [465.0, 92.0], [182.0, 88.0]];

    fn oblique() -> Corners {
        Corners::new(OBLIQUE).expect("corners")
    }

    #[test]
    fn four_quarter_turns_are_none() {
        let corners = oblique();
        assert_eq!(corners.renamed(1).0[0], corners.0[1]);
        assert_eq!(corners.renamed(1).renamed(1).renamed(1).renamed(1), corners);
        assert_eq!(corners.renamed(1).renamed(3), corners);
    }

    #[test]
    fn corners_come_back_from_their_homography() {
        let h = Homography::from_corners(&oblique()).expect("a map");
        for (found, given) in h.corners().0.iter().zip(&oblique().0) {
            assert!((found - given).norm() < 1e-9);
        }
        // The diagonals' crossing is the board's middle, whatever the view.
        let c = oblique().0;
        let (d1, d2) = (c[2] - c[0], c[3] - c[1]);
        let t = (c[1] - c[0]).perp(&d2) / d1.perp(&d2);
        assert!((h.to_image(BoardPoint::new(4.0, 4.0)) - (c[0] + d1 * t)).norm() < 1e-9);
    }

    #[test]
    fn degenerate_pairs_have_no_homography() {
        let pair = (BoardPoint::new(0.0, 0.0), ImagePoint::new(1.0, 1.0));
        assert_eq!(Homography::from_points(&[pair; 3]), None);
        assert_eq!(Homography::from_points(&[pair; 5]), None);
        assert_eq!(Homography::from_matrix(Matrix3::zeros()), None);
    }

    #[test]
    fn a_square_side_is_an_eighth_of_the_board() {
        let corners = Corners::new([[0.0, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]]).expect("corners");
        assert!((corners.square_px() - 10.0).abs() < 1e-12);
        let h = Homography::from_corners(&corners).expect("a map");
        let e4 = h.to_image(square_centre(Square::E4));
        assert!((e4 - ImagePoint::new(45.0, 45.0)).norm() < 1e-9, "{e4}");
    }

    #[test]
    fn an_enlarged_picture_keeps_its_edges() {
        let width = 640.0;
        for factor in [0.5, 1.0, 1.5, 3.0] {
            // Its first and last pixels' outer edges.
            assert_eq!(enlarged_px(-0.5, factor), -0.5);
            assert_eq!(enlarged_px(width - 0.5, factor), width * factor - 0.5);
            let there = enlarged_px(123.4, factor);
            assert!((enlarged_px(there, 1.0 / factor) - 123.4).abs() < 1e-12);
        }
        assert_eq!(enlargement((1280, 720), (640, 360)), Some([0.5, 0.5]));
        assert_eq!(enlargement((640, 480), (1280, 962)).map(|by| by[0]), Some(2.0));
        for (from, to) in [((640, 480), (640, 360)), ((0, 480), (640, 480)), ((0, 0), (1, 1)), ((0, 0), (0, 0))] {
            assert_eq!(enlargement(from, to), None, "{from:?} {to:?}");
        }
    }

    #[test]
    fn the_projection_of_the_plane_is_the_homography() {
        let h = Homography::from_corners(&oblique()).expect("a map");
        let vertical = Vector3::new(3.0, -30.0, -0.01);
        let projection = Projection::new(&h, vertical);
        assert_eq!(projection.vertical(), vertical);
        let p = projection.to_image(2.5, 6.0, 0.0);
        assert!((p - h.to_image(BoardPoint::new(2.5, 6.0))).norm() < 1e-9);
        // The camera's centre is the one point without an image.
        let m = projection.image_from_board * projection.camera_centre();
        assert!(m.norm() < 1e-6 * projection.camera_centre().norm(), "{m}");
    }

    proptest! {
        #[test]
        fn there_and_back_again(x in -3.0..11.0_f64, y in -3.0..11.0_f64) {
            let h = Homography::from_corners(&oblique()).expect("a map");
            let b = BoardPoint::new(x, y);
            prop_assert!((h.to_board(h.to_image(b)) - b).norm() < 1e-7);
        }

        #[test]
        fn many_exact_pairs_give_the_same_map(seed in prop::collection::vec((0.0..8.0_f64, 0.0..8.0_f64), 12)) {
            let h = Homography::from_corners(&oblique()).expect("a map");
            let pairs: Vec<_> = seed.iter().map(|(x, y)| BoardPoint::new(*x, *y)).map(|b| (b, h.to_image(b))).collect();
            let again = Homography::from_points(&pairs).expect("a map");
            let off = again.corners().farthest_px(&h.corners());
            // Twelve points may by chance lie close together; then the corners are extrapolated.
            prop_assert!(off < 1e-3, "{off}");
        }
    }
}
