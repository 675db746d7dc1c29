//! Where the camera stands over a Go board.
//!
//! The pose is found as for a chess board, from the four corners (A. Carta and M. Corsolini, "A new approach to an old
//! problem", §2.3). What chess boards do not have: a grid is a little longer than wide, by how much and which way is not
//! known, so each of the usual shapes is tried and the likeliest taken.

use nalgebra::Vector3;

use super::Grid;
use crate::board::{
    geometry::{BoardPoint, Homography, Projection, Rectangle},
    pose::{BoardPose, Optics, rectangle_pose},
};

/// Distance between rows over the distance between columns, and how often (natural logarithm, more or less): Japanese
/// and Korean boards, Chinese ones, each looked at from a player's side or from another, and square ones.
const SHAPES: [(f64, f64); 5] = [(1.077, 0.0), (1.0 / 1.077, -0.7), (1.038, -1.0), (1.0 / 1.038, -1.7), (1.0, -1.5)];
/// How precisely a grid's corners are known, in distances between lines: boards are bent, and lenses bend them.
const CORNER_SPREAD_LINES: f64 = 0.04;

/// The camera over a Go board, in distances between columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridPose {
    /// The pose of the board whose origin is the crossing (0, n-1), lower left in the picture, x along the row to the
    /// right, y along the column upwards, z out of the board.
    pub pose: BoardPose,
    /// Distance between rows over that between columns.
    pub(crate) aspect: f64,
    lines: f64,
}

impl GridPose {
    /// The camera's centre over the board: (x, y) in lines as the grid counts them, height in distances between columns.
    #[must_use]
    pub fn camera(&self) -> Vector3<f64> {
        let at = self.pose.camera_in_board();
        Vector3::new(at.x, self.lines - 1.0 - at.y / self.aspect, at.z)
    }

    /// Angle of the line of sight to the board's middle over the board, in degrees.
    #[must_use]
    pub fn elevation_deg(&self) -> f64 {
        let side = self.lines - 1.0;
        let from_middle = self.pose.camera_in_board() - Vector3::new(0.5 * side, 0.5 * side * self.aspect, 0.0);
        from_middle.z.atan2(from_middle.x.hypot(from_middle.y)).to_degrees()
    }
}

impl Grid {
    /// Where the camera stands. `None` where no camera above the board can see it so.
    #[must_use]
    pub fn pose(&self, optics: &Optics) -> Option<GridPose> {
        let sd_px = CORNER_SPREAD_LINES * self.spacing_px();
        let side = self.last_line();
        let posed = |(aspect, usual): (f64, f64)| {
            let plane = Homography::from_matrix(self.map.plane().matrix() * self.grid_from_upright(aspect))?;
            let area = Rectangle { width: side, height: side * aspect };
            let (pose, likelihood) = rectangle_pose(&plane, area, optics, sd_px)?;
            Some((likelihood + usual, GridPose { pose, aspect, lines: side + 1.0 }))
        };
        SHAPES.into_iter().filter_map(posed).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, pose)| pose)
    }

    /// The camera over the board, height included, in ideal pixels (those before the lens): from x and y in lines and
    /// the height over the board in distances between columns. `None` where no camera above the board can see it so.
    #[must_use]
    pub(crate) fn projection(&self, optics: &Optics) -> Option<Projection> {
        let GridPose { pose, aspect, lines } = self.pose(optics)?;
        // A homography's denominator is 1 at (4, 4).
        let unit = BoardPoint::new(4.0, (lines - 1.0 - 4.0) * aspect);
        Some(Projection::new(self.map.plane(), pose.vertical_for(unit)))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Rotation3};

    use super::*;
    use crate::{
        board::{geometry::ImagePoint, pose::intrinsics},
        go::Size,
    };

    /// Where a camera over a board of 19 lines, in distances between columns, sees (x, y, height).
    fn seen(camera: Vector3<f64>, k: &[f64; 9], aspect: f64, [x, y, z]: [f64; 3]) -> ImagePoint {
        let middle = Vector3::new(9.0, 9.0 * aspect, 0.0);
        let forward = (middle - camera).normalize();
        let right = forward.cross(&Vector3::z()).normalize();
        let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_rows(&[
            right.transpose(),
            forward.cross(&right).transpose(),
            forward.transpose(),
        ]));
        let p = Matrix3::from_row_slice(k) * (rotation * (Vector3::new(x, (18.0 - y) * aspect, z) - camera));
        ImagePoint::new(p.x / p.z, p.y / p.z)
    }

    #[test]
    fn camera_shape_and_height_come_back() {
        let (size_px, last) = ((1280, 720), 18.0);
        for aspect in [1.077, 1.0 / 1.077] {
            for camera in [Vector3::new(3.0, -25.0, 16.0), Vector3::new(12.0, -12.0, 30.0)] {
                let k = intrinsics(1000.0, size_px);
                let at = |x, y, z| seen(camera, &k, aspect, [x, y, z]);
                let corners = [at(0.0, 0.0, 0.0), at(last, 0.0, 0.0), at(last, last, 0.0), at(0.0, last, 0.0)];
                let grid = Grid::from_corners(corners, Size::USUAL).expect("a grid");
                let optics = Optics::Known(k);
                let pose = grid.pose(&optics).expect("a pose");
                assert!((pose.aspect - aspect).abs() < 1e-9, "{pose:?}");
                let expected = Vector3::new(camera.x, 18.0 - camera.y / aspect, camera.z);
                assert!((pose.camera() - expected).norm() < 1e-3, "{pose:?}");
                let projection = grid.projection(&optics).expect("a camera");
                for (x, y) in [(0.0, 0.0), (3.0, 15.0), (18.0, 7.0)] {
                    assert!((projection.to_image(x, y, 0.41) - at(x, y, 0.41)).norm() < 1e-3);
                }
                // Without the camera's matrix heights are still right to a part of a pixel.
                let guessed = grid.projection(&Optics::Unknown { size_px }).expect("a camera");
                assert!((guessed.to_image(3.0, 3.0, 0.41) - at(3.0, 3.0, 0.41)).norm() < 1.5);
            }
        }
    }
}
