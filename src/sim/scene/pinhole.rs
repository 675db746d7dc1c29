//! The simulated camera: a pinhole with radial distortion (Brown's model, `plumb_bob`), and its truth.
//!
//! World coordinates are those of [`crate::board::geometry`]: squares, the outer corner of a1 at (0, 0, 0), z up.
//! Camera coordinates are OpenCV's: x right, y down, z forward; the first pixel's centre at (0, 0).

use nalgebra::{Matrix3, Point3, Vector3};

use super::{Scene, SceneError};
use crate::{
    board::{
        corners::Corners,
        geometry::{BOARD_CORNERS, ImagePoint},
    },
    sim::math,
};

/// Intrinsics as a `sensor_msgs/CameraInfo` wants them.
#[derive(Debug, Clone, PartialEq)]
pub struct Intrinsics {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row-major 3×3 intrinsic matrix, in pixels.
    pub k: [f64; 9],
    /// `plumb_bob` coefficients k1, k2, t1, t2, k3.
    pub d: [f64; 5],
}

/// A camera in the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Focal length, in pixels.
    pub focal_px: f64,
    /// Distortion k1, k2.
    pub distortion: [f64; 2],
    /// Are left and right exchanged in its pictures?
    pub mirrored: bool,
    /// Turns world directions into camera directions.
    pub camera_from_world: Matrix3<f64>,
    /// Where the camera is, in squares.
    pub centre: Point3<f64>,
}

impl Camera {
    /// The camera of a scene with a chessboard, before any bump.
    ///
    /// # Errors
    /// When part of the board's playing area is behind it or outside of the picture.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        // The board with its border, and the heads of tall men on its outer squares.
        let edge = scene.board.border;
        let tall = 1.8 * scene.men.scale * scene.men.heights.into_iter().fold(0.0, f64::max);
        let mut points = vec![];
        for corner in BOARD_CORNERS {
            let (x, y) = (corner.x, corner.y);
            let outward = |v: f64| if v > 4.0 { 8.0 + edge } else { -edge };
            points.push(Point3::new(outward(x), outward(y), 0.0));
            points.push(Point3::new(x + (4.0 - x) / 8.0, y + (4.0 - y) / 8.0, tall));
        }
        Self::showing(scene, &points, &BOARD_CORNERS.map(|p| Point3::new(p.x, p.y, 0.0)))
    }

    /// The camera of a scene that shows `whole` within 3 % of the edges where its distance is not given, and `least` in any
    /// case; in squares.
    ///
    /// # Errors
    /// When one of `least` is behind it or outside of the picture.
    pub(crate) fn showing(scene: &Scene, whole: &[Point3<f64>], least: &[Point3<f64>]) -> Result<Self, SceneError> {
        let setup = &scene.camera;
        let focal_px = f64::from(setup.width) / 2.0 / math::tan(setup.field_of_view_deg.to_radians() / 2.0);
        let (up, flat) = math::sin_cos(setup.elevation_deg.to_radians());
        let (sin, cos) = math::sin_cos(setup.azimuth_deg.to_radians());
        let back = Vector3::new(flat * sin, -flat * cos, up);
        let right = Vector3::new(cos, sin, 0.0);
        let down = (-back).cross(&right);
        let level = Matrix3::from_rows(&[right.transpose(), down.transpose(), (-back).transpose()]);
        let roll = math::rotation(&Vector3::z(), setup.roll_deg.to_radians());
        let square = scene.board.square_size_m;
        let aim = Point3::new(4.0 + setup.aim_m[0] / square, 4.0 + setup.aim_m[1] / square, 0.0);
        let mut camera = Self {
            width: setup.width,
            height: setup.height,
            focal_px,
            distortion: [setup.k1, setup.k2],
            mirrored: setup.mirrored,
            camera_from_world: roll * level,
            centre: aim,
        };
        if setup.distance_m > 0.0 {
            camera.centre = aim + back * (setup.distance_m / square);
            if camera.centre.z < 2.5 {
                return Err(SceneError::Camera {
                    key: "distance_m",
                    why: "the camera would stand among the men; move it away or higher",
                });
            }
        } else {
            let fits = |distance: f64| {
                let mut trial = camera.clone();
                trial.centre = aim + back * distance;
                whole.iter().all(|p| trial.inside(p, 0.03))
            };
            let (mut near, mut far) = (3.0, 400.0);
            if !fits(far) {
                return Err(SceneError::Camera {
                    key: "aim_m",
                    why: "no distance shows the whole board; look nearer to its centre",
                });
            }
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                if fits(middle) { far = middle } else { near = middle }
            }
            camera.centre = aim + back * far;
        }
        let seen = least.iter().all(|p| camera.inside(p, 0.0));
        if !seen {
            let (key, why) = if setup.aim_m.iter().any(|v| v.abs() > 2.0 * square) {
                ("aim_m", "a corner of the playing area is outside of the picture; look nearer to its centre")
            } else {
                ("distance_m", "a corner of the playing area is outside of the picture; move away, or give 0 to fit")
            };
            return Err(SceneError::Camera { key, why });
        }
        Ok(camera)
    }

    /// The camera turned so that the picture's centre jumps to the right and down by so many pixels, and the picture
    /// clockwise.
    #[must_use]
    pub fn turned(&self, [right_px, down_px]: [f64; 2], turn_deg: f64) -> Self {
        // The picture moves right when the camera turns left.
        let right_px = self.hand() * right_px;
        let yaw = math::rotation(&Vector3::y(), math::atan(right_px / self.focal_px));
        let pitch = math::rotation(&Vector3::x(), -math::atan(down_px / self.focal_px));
        let roll = math::rotation(&Vector3::z(), self.hand() * turn_deg.to_radians());
        Self { camera_from_world: pitch * yaw * roll * self.camera_from_world, ..self.clone() }
    }

    /// The camera carried along a turn of all space about a point; the turn as a rotation matrix.
    #[must_use]
    pub(crate) fn carried(&self, turn: &Matrix3<f64>, about: &Point3<f64>) -> Self {
        Self {
            camera_from_world: self.camera_from_world * turn.transpose(),
            centre: about + turn * (self.centre - about),
            ..self.clone()
        }
    }

    /// A world point in camera coordinates, in squares.
    #[must_use]
    pub fn in_camera(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.camera_from_world * (point - self.centre)
    }

    /// Where a world point (x, y, z), in squares, appears in the picture; meaningless behind the camera.
    #[must_use]
    pub fn to_image(&self, point: &Point3<f64>) -> ImagePoint {
        let v = self.in_camera(point);
        self.pixel(v.x / v.z, v.y / v.z)
    }

    /// Pixel of a normalised, undistorted direction (x/z, y/z).
    #[must_use]
    pub(crate) fn pixel(&self, x: f64, y: f64) -> ImagePoint {
        let r2 = x * x + y * y;
        let stretch = 1.0 + r2 * (self.distortion[0] + r2 * self.distortion[1]);
        let [cx, cy] = self.principal();
        ImagePoint::new(cx + self.hand() * self.focal_px * x * stretch, cy + self.focal_px * y * stretch)
    }

    /// World direction in which a pixel looks, of length 1 along the optical axis.
    #[must_use]
    pub fn ray(&self, x_px: f64, y_px: f64) -> Vector3<f64> {
        let [ray] = self.rays([x_px], y_px);
        ray
    }

    /// World directions in which pixels of one row look: several side by side take little longer than one.
    #[must_use]
    pub(crate) fn rays<const N: usize>(&self, x_px: [f64; N], y_px: f64) -> [Vector3<f64>; N] {
        let [cx, cy] = self.principal();
        let seen = x_px.map(|x_px| self.hand() * (x_px - cx) / self.focal_px);
        let yd = (y_px - cy) / self.focal_px;
        let (x, y) = if self.distortion == [0.0, 0.0] { (seen, [yd; N]) } else { self.straight(seen, yd) };
        let world_from_camera = self.camera_from_world.transpose();
        std::array::from_fn(|i| world_from_camera * Vector3::new(x[i], y[i], 1.0))
    }

    /// Where distorted points of a row, normalised, would be without distortion.
    fn straight<const N: usize>(&self, xd: [f64; N], yd: f64) -> ([f64; N], [f64; N]) {
        let (mut x, mut y, mut step) = (xd, [yd; N], [f64::INFINITY; N]);
        // Fixed-point inversion, as OpenCV's undistortPoints does it; converges for the accepted coefficients.
        for _ in 0..12 {
            for i in 0..N {
                let r2 = x[i] * x[i] + y[i] * y[i];
                let stretch = 1.0 + r2 * (self.distortion[0] + r2 * self.distortion[1]);
                let (new_x, new_y) = (xd[i] / stretch, yd / stretch);
                let new_step = (new_x - x[i]).abs() + (new_y - y[i]).abs();
                // A billionth of a focal length is far below a pixel's thousandth: such a point stays.
                let goes_on = step[i] >= 1e-9;
                x[i] = if goes_on { new_x } else { x[i] };
                y[i] = if goes_on { new_y } else { y[i] };
                step[i] = if goes_on { new_step } else { step[i] };
            }
            if step.iter().all(|step| *step < 1e-9) {
                break;
            }
        }
        (x, y)
    }

    /// True outer corners of the playing area, distortion included.
    #[must_use]
    pub fn corners(&self) -> Corners {
        Corners(BOARD_CORNERS.map(|p| self.to_image(&Point3::new(p.x, p.y, 0.0))))
    }

    /// Intrinsics. Those of a mirrored camera are what a calibration with mirrored pictures of chequers finds: chequers look
    /// the same in a mirror.
    #[must_use]
    pub fn intrinsics(&self) -> Intrinsics {
        let [cx, cy] = self.principal();
        let f = self.focal_px;
        Intrinsics {
            width: self.width,
            height: self.height,
            k: [f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0],
            d: [self.distortion[0], self.distortion[1], 0.0, 0.0, 0.0],
        }
    }

    /// -1 where left and right are exchanged, else 1.
    pub(in crate::sim) const fn hand(&self) -> f64 {
        if self.mirrored { -1.0 } else { 1.0 }
    }

    fn principal(&self) -> [f64; 2] {
        [f64::from(self.width - 1) / 2.0, f64::from(self.height - 1) / 2.0]
    }

    fn inside(&self, point: &Point3<f64>, margin: f64) -> bool {
        let v = self.in_camera(point);
        if v.z < 0.5 {
            return false;
        }
        let p = self.pixel(v.x / v.z, v.y / v.z);
        let (w, h) = (f64::from(self.width), f64::from(self.height));
        let m = margin * w.min(h);
        p.x >= m && p.y >= m && p.x <= w - 1.0 - m && p.y <= h - 1.0 - m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::{Homography, Projection, square_centre};
    use shakmaty::Square;

    #[test]
    fn the_corners_are_where_the_camera_puts_them_and_turn_the_right_way() {
        for scene in [Scene::default(), Scene::overhead(), Scene::oblique(25.0)] {
            let camera = Camera::new(&scene).unwrap();
            let corners = camera.corners();
            assert!(Corners::new(corners.to_array()).is_ok());
            // White sits at the bottom in these scenes.
            assert!(corners.0[0].y > corners.0[3].y && corners.0[0].x < corners.0[1].x);
        }
    }

    #[test]
    fn without_distortion_the_homography_and_its_vertical_are_the_camera() {
        let mut scene = Scene::oblique(40.0);
        scene.camera.k1 = 0.0;
        let camera = Camera::new(&scene).unwrap();
        let plane = Homography::from_corners(&camera.corners()).unwrap();
        for square in Square::ALL {
            let c = square_centre(square);
            let d = nalgebra::distance(&plane.to_image(c), &camera.to_image(&Point3::new(c.x, c.y, 0.0)));
            assert!(d < 1e-6, "{square}: {d} px");
        }
        let k = Matrix3::from_row_slice(&camera.intrinsics().k);
        let scale = camera.in_camera(&Point3::new(4.0, 4.0, 0.0)).z;
        let vertical = k * camera.camera_from_world.column(2) / scale;
        let full = Projection::new(&plane, vertical);
        let d = nalgebra::distance(&full.to_image(2.5, 6.5, 1.7), &camera.to_image(&Point3::new(2.5, 6.5, 1.7)));
        assert!(d < 1e-6, "{d} px");
    }

    #[test]
    fn a_ray_through_a_pixel_comes_back_to_it() {
        let mut scene = Scene::default();
        (scene.camera.k1, scene.camera.k2) = (-0.2, 0.03);
        let camera = Camera::new(&scene).unwrap();
        for (x, y) in [(0.0, 0.0), (639.0, 479.0), (320.0, 11.0), (50.0, 333.0)] {
            let p = camera.to_image(&(camera.centre + camera.ray(x, y) * 7.0));
            assert!((p.x - x).hypot(p.y - y) < 1e-3, "({x}, {y}) came back as {p}");
        }
    }

    #[test]
    fn a_mirrored_camera_shows_everything_where_the_mirror_has_it() {
        let mut scene = Scene::oblique(35.0);
        (scene.camera.azimuth_deg, scene.camera.k1) = (30.0, -0.15);
        let plain = Camera::new(&scene).unwrap();
        scene.camera.mirrored = true;
        let mirrored = Camera::new(&scene).unwrap();
        for point in [Point3::new(0.0, 0.0, 0.0), Point3::new(7.5, 1.0, 1.6), Point3::new(3.0, 8.0, 0.4)] {
            let (here, there) = (plain.to_image(&point), mirrored.to_image(&point));
            assert!((here.x + there.x - 639.0).abs() < 1e-9 && here.y == there.y);
            let back = mirrored.to_image(&(mirrored.centre + mirrored.ray(there.x, there.y) * 5.0));
            assert!(nalgebra::distance(&back, &there) < 1e-3);
        }
        assert!(Corners::new(mirrored.corners().to_array()).is_err(), "its corners run the wrong way round");
        // A knock to the right is to the right in the picture.
        let centre = Point3::new(4.0, 4.0, 0.0);
        let jump = mirrored.turned([12.0, 0.0], 0.0).to_image(&centre) - mirrored.to_image(&centre);
        assert!((jump.x - 12.0).abs() < 0.5, "{jump}");
    }

    #[test]
    fn a_turn_moves_the_centre_of_the_picture_by_its_pixels() {
        let mut scene = Scene::default();
        scene.camera.aim_m = [0.0, 0.0];
        scene.camera.k1 = 0.0;
        let camera = Camera::new(&scene).unwrap();
        let centre = Point3::new(4.0, 4.0, 0.0);
        let (before, after) = (camera.to_image(&centre), camera.turned([12.0, -7.0], 0.0).to_image(&centre));
        assert!((after.x - before.x - 12.0).abs() < 0.05 && (after.y - before.y + 7.0).abs() < 0.05);
    }
}
