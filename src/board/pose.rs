//! Where does the camera stand? Pose of the board from its homography, with the camera's parameters or without, and
//! how well it is known.
//!
//! With the intrinsic matrix `K` the homography is `s K [r1 r2 t]`, and the third axis is `r1 × r2`. Without it the
//! focal length follows from the right angle and equal lengths of the two board directions, that is, from the board's
//! vanishing points (Z. Zhang, "A flexible new technique for camera calibration", 2000, eq. 3 and 4; the idea of
//! finding the point of view from the grid alone: A. Carta and M. Corsolini, "A new approach to an old problem", §2.3).
//! That is the start; the pose is the one likeliest to have given the corners as they are seen, and its deviations are
//! those of the likelihood around it (`fit`). Seen from straight above a board says nothing of the focal length, nor
//! of the distance: what cameras usually have then decides, and the deviations say so.

mod fit;
#[cfg(test)]
mod tests;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::geometry::{BoardPoint, Homography, Rectangle};

/// Focal length over the picture's longer side that is expected of an unknown camera: 0.72 for a phone's main lens,
/// 0.78 for a webcam of 65°, up to 1.1 for a phone's cropped video.
const USUAL_FOCAL: f64 = 0.85;
/// Spread of the logarithm of [`USUAL_FOCAL`] among cameras: two of three within a factor of 1.35.
const FOCAL_SPREAD: f64 = 0.3;
/// Spread of an unknown camera's principal point around the picture's centre, over the longer side: calibrations of
/// webcams and phones lie within one to two per cent.
const CENTRE_SPREAD: f64 = 0.012;
/// How precisely a board's corners are known, in fractions of a square's side: boards are cut unevenly and bent,
/// so the exact residual of one homography is no better than this.
const CORNER_SPREAD_SQUARES: f64 = 0.02;

/// What is known of the camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optics {
    /// Its row-major 3×3 intrinsic matrix, in pixels.
    Known([f64; 9]),
    /// No more than the size of its picture: square pixels, the principal point near the centre, a usual lens.
    Unknown {
        /// Pixels in a row, and rows.
        size_px: (u32, u32),
    },
}

/// Pose of the board in the camera's optical frame (x right, y down, z forward), and how well it is known:
/// `point_in_camera = rotation * point_in_board + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardPose {
    /// Rotation camera from board (x towards h1, y towards a8, z up).
    pub rotation: UnitQuaternion<f64>,
    /// Position of a1's outer corner in the camera's optical frame: squares, or metres where said so.
    pub translation: Vector3<f64>,
    /// Root mean square distance in the picture between the board's corners and those of this pose, in pixels. It
    /// grows when the homography cannot be one of a square board under this camera.
    pub residual_px: f64,
    /// Row-major 3×3 intrinsic matrix that the pose belongs to, in pixels: given, or estimated with it.
    pub k: [f64; 9],
    /// Standard deviation of the focal length over the focal length; 0 where it was given.
    pub focal_sd: f64,
    /// Standard deviation of the rotation: root mean square of the angle by which it may be wrong, in radians.
    pub angle_sd_rad: f64,
    /// Standard deviation of the distance from the camera to the board's centre, over that distance.
    pub distance_sd: f64,
}

impl BoardPose {
    /// Focal length in pixels, the mean of the two directions.
    #[must_use]
    pub fn focal_px(&self) -> f64 {
        (self.k[0] * self.k[4]).sqrt()
    }

    /// The image of the vertical under this camera, as [`vertical_from_homography`] says it. For a pose in squares.
    #[must_use]
    pub(crate) fn vertical(&self) -> Vector3<f64> {
        self.vertical_for(Rectangle::BOARD.centre())
    }

    /// The same for a homography whose denominator is 1 at `unit`, a point of the board's plane.
    #[must_use]
    pub(super) fn vertical_for(&self, unit: BoardPoint) -> Vector3<f64> {
        let depth = (self.rotation * Vector3::new(unit.x, unit.y, 0.0) + self.translation).z;
        let up = self.rotation * Vector3::z();
        // The depth where the homography's denominator is 1 is what this camera divides by.
        Matrix3::from_row_slice(&self.k) * up / depth
    }

    /// The camera's centre in board coordinates, in the unit of the translation.
    #[must_use]
    pub fn camera_in_board(&self) -> Vector3<f64> {
        -(self.rotation.inverse() * self.translation)
    }
}

/// Deviation of a board's corner that is to be expected, in pixels: uneven and bent boards set it, not the picture.
#[must_use]
pub fn corner_sd_px(h: &Homography) -> f64 {
    CORNER_SPREAD_SQUARES * h.corners().square_px()
}

/// Pose in squares of the board that is seen through `h` (to ideal pixels, without a lens), the likeliest for corners
/// with independent errors of `corner_sd_px` in x and y ([`corner_sd_px`](fn@corner_sd_px) where nothing better is
/// known). `None` where the camera's matrix is none, or no camera above the board can see it so.
///
/// A small or distant board has two poses, tilted to one side and to the other, that look nearly the same. Both are
/// tried; where both fit, the likelier one is returned and the deviations span the other.
#[must_use]
pub fn board_pose(h: &Homography, optics: &Optics, corner_sd_px: f64) -> Option<BoardPose> {
    rectangle_pose(h, Rectangle::BOARD, optics, corner_sd_px).map(|(pose, _)| pose)
}

/// The same for a board of another extent, with the natural logarithm of how likely the corners are under it: for
/// boards of which several extents are possible.
#[must_use]
pub(super) fn rectangle_pose(
    h: &Homography,
    board: Rectangle,
    optics: &Optics,
    corner_sd_px: f64,
) -> Option<(BoardPose, f64)> {
    fit::solve(h, board, optics, corner_sd_px)
}

/// The image of the vertical: third column of the camera matrix at the homography's scale, for
/// [`Projection::new`](super::geometry::Projection::new); z points up, towards the camera. `k` is the row-major
/// intrinsic matrix of the picture of `size_px`; without it the focal length is estimated. `None` where no camera
/// above the board can see it so.
#[must_use]
pub(super) fn vertical_from_homography(
    h: &Homography,
    size_px: (u32, u32),
    k: Option<[f64; 9]>,
) -> Option<Vector3<f64>> {
    let optics = k.map_or(Optics::Unknown { size_px }, Optics::Known);
    board_pose(h, &optics, corner_sd_px(h)).map(|pose| pose.vertical())
}

/// Row-major intrinsic matrix of a camera with square pixels and a central principal point.
#[must_use]
pub fn intrinsics(focal_px: f64, size_px: (u32, u32)) -> [f64; 9] {
    let (cx, cy) = ((f64::from(size_px.0) - 1.0) / 2.0, (f64::from(size_px.1) - 1.0) / 2.0);
    [focal_px, 0.0, cx, 0.0, focal_px, cy, 0.0, 0.0, 1.0]
}
