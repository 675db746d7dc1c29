//! Where does the camera stand? Pose of the board from its homography, with the camera's parameters or without.
//!
//! With the intrinsic matrix `K` the homography is `s K [r1 r2 t]`, and the third axis is `r1 × r2`. Without it the
//! focal length follows from the right angle and equal lengths of the two board directions, square pixels and a
//! principal point at the picture's centre being assumed (Z. Zhang, "A flexible new technique for camera calibration",
//! 2000, eq. 3 and 4; the idea of finding the point of view from the grid alone: A. Carta and M. Corsolini, "A new
//! approach to an old problem", §2.3). Seen from straight above a board says nothing of the focal length; a weak
//! prior then decides.

use nalgebra::{Matrix3, Rotation3, SMatrix, SVector, UnitQuaternion, Vector3};

use super::geometry::{Homography, ImagePoint};

/// Focal length over the picture's longer side that is expected of an unknown camera: 0.72 for a phone's main lens,
/// 0.78 for a webcam of 65°, up to 1.1 for a phone's cropped video.
const USUAL_FOCAL: f64 = 0.85;
/// Spread of the logarithm of [`USUAL_FOCAL`] among cameras: two of three within a factor of 1.35.
const FOCAL_SPREAD: f64 = 0.3;
/// How precisely a board's corners are known, in fractions of a square's side: boards are cut unevenly and bent,
/// so the exact residual of one homography is no better than this.
const CORNER_SPREAD_SQUARES: f64 = 0.02;
/// Range of focal lengths considered, over the longer side: from a 150° lens to a telescope.
const FOCAL_RANGE: (f64, f64) = (0.2, 6.0);

/// Pose of the board in the camera's optical frame (x right, y down, z forward):
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
}

impl BoardPose {
    /// The camera's centre in board coordinates, in the unit of the translation.
    #[must_use]
    pub fn camera_in_board(&self) -> Vector3<f64> {
        -(self.rotation.inverse() * self.translation)
    }

    /// The same pose with the translation in metres, for squares of `square_size_m`.
    #[must_use]
    pub fn in_metres(&self, square_size_m: f64) -> Self {
        Self { translation: self.translation * square_size_m, ..*self }
    }
}

/// Pose in squares of the board under a camera with intrinsic matrix `k` (row-major 3×3, pixels), refined to the least
/// distance between the corners in the picture. `None` where `k` is no camera or the board is seen from below.
#[must_use]
pub fn pose_from_homography(h: &Homography, k: &[f64; 9]) -> Option<BoardPose> {
    let k = Matrix3::from_row_slice(k);
    let k_inverse = k.try_inverse().filter(|m| m.iter().all(|v| v.is_finite()))?;
    let b = k_inverse * h.matrix();
    let (first, second, third): (Vector3<f64>, Vector3<f64>, Vector3<f64>) =
        (b.column(0).into(), b.column(1).into(), b.column(2).into());
    let scale = (first.norm() * second.norm()).sqrt();
    if !(scale.is_finite() && scale > 1e-12) {
        return None;
    }
    // The homography is positive in front of the camera, hence so is the scale.
    let (r1, r2) = (first / first.norm(), second / second.norm());
    let rough = Matrix3::from_columns(&[r1, r2, r1.cross(&r2)]);
    let rotation = UnitQuaternion::from_rotation_matrix(&nearest_rotation(&rough)?);
    let pose = refine(h, &k, rotation, third / scale)?;
    (pose.camera_in_board().z > 0.0).then_some(pose)
}

/// Focal length in pixels of a camera without distortion, square pixels and its principal point at the centre of a
/// picture of `size_px`, from the homography and the lengths that cameras usually have. `None` for a degenerate map.
#[must_use]
pub fn focal_from_homography(h: &Homography, size_px: (u32, u32)) -> Option<f64> {
    let long_side = f64::from(size_px.0.max(size_px.1));
    let square_px = h.corners().square_px();
    if !(square_px.is_finite() && square_px > 1e-6) {
        return None;
    }
    let cost = |focal: f64| -> f64 {
        let misfit = pose_from_homography(h, &intrinsics(focal * long_side, size_px))
            .map_or(f64::INFINITY, |p| p.residual_px / (CORNER_SPREAD_SQUARES * square_px));
        // Four corners, each with its error in x and y.
        4.0 * misfit * misfit + ((focal / USUAL_FOCAL).ln() / FOCAL_SPREAD).powi(2)
    };
    // A coarse search over all lengths, for the cost may have two valleys, then a golden section in the best one.
    let steps = 24;
    let ratio = (FOCAL_RANGE.1 / FOCAL_RANGE.0).powf(1.0 / f64::from(steps));
    let (best, least) = (0..=steps)
        .map(|i| FOCAL_RANGE.0 * ratio.powi(i))
        .map(|focal| (focal, cost(focal)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    if !least.is_finite() {
        return None;
    }
    let golden = 0.618_033_988_749_895;
    let (mut low, mut high) = (best / ratio, best * ratio);
    for _ in 0..24 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if cost(left) < cost(right) {
            high = right;
        } else {
            low = left;
        }
    }
    Some(0.5 * (low + high) * long_side)
}

/// The image of the vertical: third column of the camera matrix at the homography's scale, for
/// [`Projection::new`](super::geometry::Projection::new); z points up, towards the camera. `k` is the row-major
/// intrinsic matrix of the picture of `size_px`; without it the focal length is estimated. `None` where no camera
/// above the board can see it so.
#[must_use]
pub fn vertical_from_homography(h: &Homography, size_px: (u32, u32), k: Option<[f64; 9]>) -> Option<Vector3<f64>> {
    let k = match k {
        Some(k) => k,
        None => intrinsics(focal_from_homography(h, size_px)?, size_px),
    };
    let pose = pose_from_homography(h, &k)?;
    let centre_depth = (pose.rotation * Vector3::new(4.0, 4.0, 0.0) + pose.translation).z;
    let up = pose.rotation * Vector3::z();
    // The homography's denominator is 1 at the board's centre; the depth there is what this camera divides by.
    Some(Matrix3::from_row_slice(&k) * up / centre_depth)
}

/// Row-major intrinsic matrix of a camera with square pixels and a central principal point.
#[must_use]
pub fn intrinsics(focal_px: f64, size_px: (u32, u32)) -> [f64; 9] {
    let (cx, cy) = ((f64::from(size_px.0) - 1.0) / 2.0, (f64::from(size_px.1) - 1.0) / 2.0);
    [focal_px, 0.0, cx, 0.0, focal_px, cy, 0.0, 0.0, 1.0]
}

/// The rotation nearest to a matrix in the least-squares sense.
fn nearest_rotation(rough: &Matrix3<f64>) -> Option<Rotation3<f64>> {
    let svd = rough.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let sign = (u * v_t).determinant().signum();
    Some(Rotation3::from_matrix_unchecked(u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign)) * v_t))
}

/// Gauss and Newton's steps on the distance in the picture between the board's corners and those of the pose.
fn refine(
    h: &Homography,
    k: &Matrix3<f64>,
    rotation: UnitQuaternion<f64>,
    translation: Vector3<f64>,
) -> Option<BoardPose> {
    let seen = h.corners().0;
    let board = [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]].map(|[x, y]| Vector3::new(x, y, 0.0));
    let residual = |rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>| -> f64 {
        let sum: f64 = (board.iter().zip(&seen))
            .map(|(b, s)| project(k, &(rotation * b + translation)).map_or(f64::INFINITY, |p| (p - s).norm_squared()))
            .sum();
        (sum / 4.0).sqrt()
    };
    let mut pose = BoardPose { rotation, translation, residual_px: residual(&rotation, &translation) };
    for _ in 0..10 {
        let mut normal = SMatrix::<f64, 6, 6>::zeros();
        let mut right = SVector::<f64, 6>::zeros();
        for (b, s) in board.iter().zip(&seen) {
            let turned = pose.rotation * b;
            let p = turned + pose.translation;
            let pixel = project(k, &p)?;
            // d pixel / d p, through the intrinsic matrix.
            let q = k * p;
            let by_q =
                SMatrix::<f64, 2, 3>::new(1.0 / q.z, 0.0, -q.x / (q.z * q.z), 0.0, 1.0 / q.z, -q.y / (q.z * q.z));
            let by_p = by_q * k;
            let by_turn = by_p * -turned.cross_matrix();
            let mut jacobian = SMatrix::<f64, 2, 6>::zeros();
            jacobian.fixed_columns_mut::<3>(0).copy_from(&by_turn);
            jacobian.fixed_columns_mut::<3>(3).copy_from(&by_p);
            normal += jacobian.transpose() * jacobian;
            right += jacobian.transpose() * (s - pixel);
        }
        let Some(step) = normal.cholesky().map(|c| c.solve(&right)) else { break };
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(step[0], step[1], step[2]));
        let rotation = turn * pose.rotation;
        let translation = pose.translation + Vector3::new(step[3], step[4], step[5]);
        let residual_px = residual(&rotation, &translation);
        if residual_px.is_nan() || residual_px > pose.residual_px {
            break;
        }
        let gained = pose.residual_px - residual_px;
        pose = BoardPose { rotation, translation, residual_px };
        // A thousandth of a pixel is far below what any corner is known to.
        if gained < 1e-3 {
            break;
        }
    }
    pose.residual_px.is_finite().then_some(pose)
}

/// Pixel of a point in the camera's frame; `None` behind the camera.
fn project(k: &Matrix3<f64>, p: &Vector3<f64>) -> Option<ImagePoint> {
    let q = k * p;
    (q.z > 1e-9).then(|| ImagePoint::new(q.x / q.z, q.y / q.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::{Corners, Projection};

    const SIZE: (u32, u32) = (1280, 720);

    /// A camera `distance` squares from the board's centre that looks at a point near it.
    fn camera(
        elevation_deg: f64,
        azimuth_deg: f64,
        roll_deg: f64,
        distance: f64,
    ) -> (UnitQuaternion<f64>, Vector3<f64>) {
        let (e, a) = (elevation_deg.to_radians(), azimuth_deg.to_radians());
        let centre = Vector3::new(4.0, 4.0, 0.0);
        let position = centre + distance * Vector3::new(a.sin() * e.cos(), -a.cos() * e.cos(), e.sin());
        let target = centre + Vector3::new(0.3, -0.2, 0.0);
        let forward = (target - position).normalize();
        let right = Vector3::new(a.cos(), a.sin(), 0.0);
        let right = (right - forward * right.dot(&forward)).normalize();
        let down = forward.cross(&right);
        let looking = Matrix3::from_rows(&[right.transpose(), down.transpose(), forward.transpose()]);
        let roll = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), roll_deg.to_radians());
        let rotation = roll * UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(looking));
        (rotation, -(rotation * position))
    }

    fn seen(k: &[f64; 9], rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>, p: [f64; 3]) -> ImagePoint {
        project(&Matrix3::from_row_slice(k), &(rotation * Vector3::from(p) + translation)).expect("in front")
    }

    fn homography(k: &[f64; 9], rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>) -> Homography {
        let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [8.0, 8.0, 0.0], [0.0, 8.0, 0.0]];
        let corners = corners.map(|p| seen(k, rotation, translation, p)).map(|p| [p.x, p.y]);
        Homography::from_corners(&Corners::new(corners).expect("seen from above")).expect("not degenerate")
    }

    /// Largest error over the board of the image of the point a king's height (1.7 squares) up, in squares.
    fn worst_top(h: &Homography, v: Vector3<f64>, k: &[f64; 9], r: &UnitQuaternion<f64>, t: &Vector3<f64>) -> f64 {
        let projection = Projection::new(h, v);
        let mut worst = 0.0_f64;
        for (x, y) in [(0.5, 0.5), (7.5, 0.5), (4.0, 4.0), (0.5, 7.5), (7.5, 7.5)] {
            let error = (projection.to_image(x, y, 1.7) - seen(k, r, t, [x, y, 1.7])).norm();
            worst = worst.max(error / h.corners().square_px());
        }
        worst
    }

    #[test]
    fn known_camera_gives_pose_and_vertical_exactly() {
        for elevation in [30.0, 45.0, 60.0, 80.0, 89.9] {
            for (azimuth, roll) in [(0.0, 0.0), (37.0, 5.0), (90.0, 180.0), (200.0, -80.0)] {
                let k = [1050.0, 0.0, 630.0, 0.0, 1040.0, 365.0, 0.0, 0.0, 1.0];
                let (rotation, translation) = camera(elevation, azimuth, roll, 14.0);
                let h = homography(&k, &rotation, &translation);
                let pose = pose_from_homography(&h, &k).expect("a pose");
                assert!(pose.rotation.angle_to(&rotation) < 1e-6, "{elevation} {azimuth}: {pose:?}");
                assert!((pose.translation - translation).norm() < 1e-5, "{elevation} {azimuth}: {pose:?}");
                assert!(pose.residual_px < 1e-6);
                let vertical = vertical_from_homography(&h, SIZE, Some(k)).expect("a vertical");
                assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 1e-6);
                let centre = Projection::new(&h, vertical).camera_centre();
                assert!(centre.z / centre.w > 5.0, "the camera is above the board: {centre:?}");
            }
        }
    }

    #[test]
    fn unknown_camera_is_estimated_from_an_oblique_board() {
        for (focal, elevation, azimuth) in
            [(1050.0, 30.0, 5.0), (900.0, 45.0, 30.0), (1300.0, 55.0, 85.0), (800.0, 40.0, 45.0)]
        {
            let k = intrinsics(focal, SIZE);
            let (rotation, translation) = camera(elevation, azimuth, 3.0, 13.0 * focal / 1050.0);
            let h = homography(&k, &rotation, &translation);
            let estimate = focal_from_homography(&h, SIZE).expect("a focal length");
            assert!((estimate / focal).ln().abs() < 0.06, "{focal} at {elevation}: {estimate}");
            let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
            let worst = worst_top(&h, vertical, &k, &rotation, &translation);
            assert!(worst < 0.05, "{focal} at {elevation}: {worst}");
        }
    }

    #[test]
    fn seen_from_above_the_prior_keeps_the_vertical_sane() {
        let k = intrinsics(1100.0, SIZE);
        let (rotation, translation) = camera(89.0, 10.0, 0.0, 16.0);
        let h = homography(&k, &rotation, &translation);
        let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
        assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 0.15);
    }

    #[test]
    fn half_a_pixel_of_noise_costs_little() {
        let k = intrinsics(1050.0, SIZE);
        let (rotation, translation) = camera(45.0, 20.0, 0.0, 14.0);
        let exact = homography(&k, &rotation, &translation).corners().to_array();
        for (i, shift) in [[0.5, 0.3], [-0.4, 0.5], [0.5, -0.5], [-0.5, -0.2]].into_iter().enumerate() {
            let mut corners = exact;
            corners[i] = [corners[i][0] + shift[0], corners[i][1] + shift[1]];
            let h = Homography::from_corners(&Corners::new(corners).expect("corners")).expect("a map");
            let pose = pose_from_homography(&h, &k).expect("a pose");
            assert!(pose.rotation.angle_to(&rotation).to_degrees() < 0.5, "{pose:?}");
            assert!((pose.translation - translation).norm() / translation.norm() < 0.01, "{pose:?}");
            let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
            assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 0.08);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let k = intrinsics(1050.0, SIZE);
        let (rotation, translation) = camera(45.0, 0.0, 0.0, 14.0);
        let h = homography(&k, &rotation, &translation);
        assert_eq!(pose_from_homography(&h, &[0.0; 9]), None);
        assert_eq!(vertical_from_homography(&h, SIZE, Some([f64::NAN; 9])), None);
    }

    #[test]
    fn metres_scale_the_translation_only() {
        let (rotation, translation) = camera(45.0, 0.0, 0.0, 14.0);
        let pose = BoardPose { rotation, translation, residual_px: 0.0 };
        let metres = pose.in_metres(0.057);
        assert_eq!(metres.rotation, rotation);
        assert!((metres.camera_in_board() - pose.camera_in_board() * 0.057).norm() < 1e-12);
    }
}
