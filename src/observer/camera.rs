//! What is known of the camera, and the board's pose that follows from it.

use std::cell::Cell;

use super::report::{Pose, PoseSource};
use crate::{
    bag::messages,
    board::{
        corners::Corners,
        geometry::{Homography, Projection, enlarged_px, enlargement, mirrored_px},
        lens::{Lens, LensError},
        map::BoardMap,
        pose::{BoardPose, Optics, board_pose, corner_sd_px},
    },
    frame::Frame,
    sight::{calibrate::FLATTEST, occlusion::Parallax},
};

/// Focal lengths, over the picture's longer side, that any lens has: from a fisheye to a telescope.
const FOCAL_RANGE: std::ops::Range<f64> = 0.02..200.0;

/// Intrinsic parameters of a camera, as in `sensor_msgs/CameraInfo`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CameraInfo {
    /// Pixels in a row of the calibrated pictures.
    pub width: u32,
    /// Rows of the calibrated pictures.
    pub height: u32,
    /// Row-major 3×3 intrinsic matrix, in pixels of the calibrated pictures. Zeros: not calibrated.
    pub k: [f64; 9],
    /// Distortion model: `plumb_bob`, `rational_polynomial`, `equidistant`.
    pub distortion_model: String,
    /// Its coefficients.
    pub d: Vec<f64>,
    /// Row-major 3×4 matrix of the rectified pictures, in pixels. Zeros where it is not known.
    pub p: [f64; 12],
    /// The pictures are rectified (`image_rect`, `image_rect_color`): `p` is theirs, and they are not distorted.
    pub rectified: bool,
    /// Pixels of the sensor that make one of the pictures, along x and y; 0 and 1 are the same.
    pub binning: [u32; 2],
    /// The part of the calibrated pictures that is sent: x and y of its first pixel, width, height. All zero: all of it.
    pub roi: [u32; 4],
}

impl CameraInfo {
    /// From a recorded message; `rectified` says what its pictures are.
    #[must_use]
    pub fn from_message(message: messages::CameraInfo, rectified: bool) -> Self {
        Self {
            width: message.width,
            height: message.height,
            k: message.k,
            distortion_model: message.distortion_model,
            d: message.d,
            p: message.p,
            rectified,
            binning: message.binning,
            roi: message.roi,
        }
    }

    /// Size of the pictures that it describes.
    fn size(&self) -> (u32, u32) {
        let [_, _, width, height] = self.roi;
        let whole = if width > 0 && height > 0 { (width, height) } else { (self.width, self.height) };
        (whole.0 / self.binning[0].max(1), whole.1 / self.binning[1].max(1))
    }

    /// What it says of pictures of `size`; `None` where it says nothing, as uncalibrated drivers do.
    ///
    /// # Errors
    /// When it contradicts itself, has a lens that is not known, or is of pictures of another shape.
    fn fit(&self, size: (u32, u32)) -> Result<Option<Fitted>, CameraError> {
        let p = &self.p;
        let of_p = [p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]];
        // A driver without rectification of its own leaves P empty.
        let k = if self.rectified && of_p[0] != 0.0 { of_p } else { self.k };
        if k[0] == 0.0 && k[4] == 0.0 {
            return Ok(None);
        }
        let calibrated = self.size();
        let Some([sx, sy]) = enlargement(calibrated, size) else {
            return Err(CameraError::Size { calibrated, pictures: size });
        };
        let [x, y] = [f64::from(self.roi[0]), f64::from(self.roi[1])];
        let (sx, sy) = (sx / f64::from(self.binning[0].max(1)), sy / f64::from(self.binning[1].max(1)));
        let centre = [enlarged_px(k[2] - x, sx), enlarged_px(k[5] - y, sy)];
        let k = [k[0] * sx, k[1] * sx, centre[0], 0.0, k[4] * sy, centre[1], 0.0, 0.0, 1.0];
        let long = f64::from(size.0.max(size.1));
        let inside = |v: f64| (-long..2.0 * long).contains(&v);
        let true_k = FOCAL_RANGE.contains(&(k[0] / long))
            && FOCAL_RANGE.contains(&(k[4] / long))
            && inside(k[2])
            && inside(k[5])
            && k[1].is_finite();
        if !true_k {
            return Err(CameraError::Matrix { focal: [k[0], k[4]], centre: [k[2], k[5]], pictures: size });
        }
        let lens = if self.rectified { None } else { Lens::new(&k, &self.distortion_model, &self.d)? };
        Ok(Some(Fitted { k, lens }))
    }
}

/// Why the parameters of a camera are not used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CameraError {
    /// The lens cannot be used.
    #[error("{0}")]
    Lens(#[from] LensError),
    /// The intrinsic matrix is that of no camera.
    #[error(
        "the intrinsic matrix cannot be true: focal lengths {:.0} and {:.0}, principal point ({:.0}, {:.0}) in pictures \
         of {}x{} pixels; calibrate the camera anew", .focal[0], .focal[1], .centre[0], .centre[1], .pictures.0, .pictures.1
    )]
    Matrix {
        /// Focal lengths in x and y, in pixels.
        focal: [f64; 2],
        /// Principal point.
        centre: [f64; 2],
        /// Size of the pictures.
        pictures: (u32, u32),
    },
    /// The calibration is of pictures of another shape, so it is not known which part of them these are.
    #[error(
        "calibrated for {}x{} pixels, which is not the shape of the pictures of {}x{}: calibrate at their resolution",
        .calibrated.0, .calibrated.1, .pictures.0, .pictures.1
    )]
    Size {
        /// Size of the calibrated pictures, after binning and region of interest.
        calibrated: (u32, u32),
        /// Size of the pictures.
        pictures: (u32, u32),
    },
}

/// A camera's parameters for pictures of one size.
#[derive(Debug, Clone, Copy)]
struct Fitted {
    k: [f64; 9],
    lens: Option<Lens>,
}

impl Fitted {
    /// The same for mirror images of `width` pixels in a row.
    fn mirrored(&self, width: u32) -> Self {
        let mut k = self.k;
        (k[1], k[2]) = (-k[1], mirrored_px(k[2], width));
        Self { k, lens: self.lens.map(|lens| lens.mirrored(width)) }
    }
}

/// A pose, and what it was worked out from.
#[derive(Debug, Clone, Copy)]
struct Posed {
    plane: Homography,
    optics: Optics,
    pose: Option<BoardPose>,
}

/// The camera as far as it is known.
///
/// Where it mirrors its pictures, they are mirrored once more before anything is read, so that inside of the observer
/// everything is as a camera sees it; what goes out and comes in is told here where it is in the pictures as they come.
#[derive(Debug, Clone, Default)]
pub(super) struct Camera {
    /// Does it mirror its pictures?
    mirrors: bool,
    info: Option<CameraInfo>,
    refused: Option<CameraError>,
    /// Width and height of its pictures; zeros before the first.
    pictures: (u32, u32),
    /// What it was told to be, for pictures of that size.
    fitted: Option<Fitted>,
    /// Of the board's place last asked for.
    posed: Cell<Option<Posed>>,
}

impl Camera {
    /// Takes over a camera's parameters; says whether they are new. Ones that cannot be used are forgotten.
    pub(super) fn set(&mut self, info: &CameraInfo) -> Result<bool, CameraError> {
        if self.info.as_ref() == Some(info) {
            return Ok(false);
        }
        let checked = info.fit(info.size());
        self.refused = checked.as_ref().err().cloned();
        self.info = checked.as_ref().is_ok_and(Option::is_some).then(|| info.clone());
        self.fit();
        checked.map(|fitted| fitted.is_some())
    }

    /// Sees a picture. Returns how many times as wide and as high it is as those before, where it is of another size.
    pub(super) fn sees(&mut self, frame: &Frame<'_>) -> Option<[f64; 2]> {
        let (now, before) = ((frame.width(), frame.height()), self.pictures);
        if now == before {
            return None;
        }
        self.pictures = now;
        self.fit();
        Some([f64::from(now.0) / f64::from(before.0.max(1)), f64::from(now.1) / f64::from(before.1.max(1))])
    }

    fn fit(&mut self) {
        let fitted = self.info.as_ref().and_then(|info| info.fit(self.pictures).ok().flatten());
        // It was calibrated with its pictures as they come.
        self.fitted = fitted.map(|fitted| if self.mirrors { fitted.mirrored(self.pictures.0) } else { fitted });
    }

    /// Does it mirror its pictures?
    pub(super) const fn mirrors(&self) -> bool {
        self.mirrors
    }

    /// The same camera, if it mirrors its pictures where this one does not, and the other way round.
    pub(super) fn turned(&self) -> Self {
        let mut turned = Self { mirrors: !self.mirrors, ..self.clone() };
        turned.fit();
        turned
    }

    /// One of its pictures as it is read.
    pub(super) fn picture<'a>(&self, frame: &Frame<'a>) -> Frame<'a> {
        if self.mirrors { frame.mirrored() } else { *frame }
    }

    /// Corners in its pictures as they come, as they are read; and back.
    pub(super) fn corners(&self, corners: &Corners) -> Corners {
        if self.mirrors { corners.mirrored(self.pictures.0) } else { *corners }
    }

    /// A map of its pictures as they come, from one as they are read.
    pub(super) fn map(&self, map: &BoardMap) -> BoardMap {
        if self.mirrors { map.mirrored(self.pictures.0) } else { *map }
    }

    /// Width and height of its pictures, in pixels; zeros before the first.
    pub(super) const fn pictures(&self) -> (u32, u32) {
        self.pictures
    }

    /// Why nothing is used of what was told of the camera.
    pub(super) fn problem(&self) -> Option<CameraError> {
        let misfit = || self.info.as_ref().filter(|_| self.pictures.0 > 0)?.fit(self.pictures).err();
        self.refused.clone().or_else(misfit)
    }

    /// Row-major intrinsic matrix of its pictures, in pixels.
    pub(super) fn k(&self) -> Option<[f64; 9]> {
        self.fitted.map(|fitted| fitted.k)
    }

    /// Its lens.
    pub(super) fn lens(&self) -> Option<Lens> {
        self.fitted?.lens
    }

    /// The pose of a board, in squares.
    pub(super) fn pose(&self, map: &BoardMap) -> Option<BoardPose> {
        let optics = self.k().map_or(Optics::Unknown { size_px: self.pictures }, Optics::Known);
        if let Some(posed) = self.posed.get()
            && (posed.plane, posed.optics) == (*map.plane(), optics)
        {
            return posed.pose;
        }
        let pose = board_pose(map.plane(), &optics, corner_sd_px(map.plane()));
        self.posed.set(Some(Posed { plane: *map.plane(), optics, pose }));
        pose
    }

    /// The camera over the board, height included, in ideal pixels.
    pub(super) fn projection(&self, map: &BoardMap) -> Option<Projection> {
        Some(Projection::new(map.plane(), self.pose(map)?.vertical()))
    }

    /// How it looks at the board there; `None` where that cannot be worked out.
    pub(super) fn parallax(&self, map: &BoardMap) -> Option<Parallax> {
        let parallax = Parallax::from_projection(&self.projection(map)?)?;
        // A camera nearer than three squares, or flatter than any that sees a game, is a misreading of a warped picture.
        let [x, y] = parallax.at_centre();
        ((0.0..0.33).contains(&parallax.inverse_height) && x.hypot(y) < FLATTEST).then_some(parallax)
    }

    /// The pose of a board as it is told outside.
    pub(super) fn report(&self, map: &BoardMap, square_size_m: f64) -> Option<Pose> {
        let pose = self.pose(map)?;
        let source = if self.k().is_some() { PoseSource::CameraInfo } else { PoseSource::Estimated };
        Some(Pose {
            source,
            rotation: pose.rotation,
            translation_m: pose.translation * square_size_m,
            angle_sd_rad: pose.angle_sd_rad,
            distance_sd: pose.distance_sd,
            focal_px: pose.focal_px(),
            focal_sd: pose.focal_sd,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    fn info() -> CameraInfo {
        CameraInfo {
            width: 1280,
            height: 720,
            k: [900.0, 0.0, 630.0, 0.0, 905.0, 352.0, 0.0, 0.0, 1.0],
            distortion_model: "plumb_bob".into(),
            d: vec![-0.2, 0.05, 0.0, 0.0, 0.0],
            ..CameraInfo::default()
        }
    }

    /// A camera that sees pictures of this size.
    fn seeing(mut camera: Camera, (width, height): (u32, u32)) -> Camera {
        let bytes = vec![0; (width * height * 3) as usize];
        let frame = Frame::new(width, height, width as usize * 3, PixelFormat::Rgb8, &bytes).expect("a picture");
        camera.sees(&frame);
        camera
    }

    fn fitted(info: &CameraInfo, size: (u32, u32)) -> Fitted {
        info.fit(size).expect("usable").expect("calibrated")
    }

    #[test]
    fn another_resolution_of_the_same_shape_is_the_same_camera() {
        let (full, half) = (fitted(&info(), (1280, 720)), fitted(&info(), (640, 360)));
        assert_eq!(full.k, info().k);
        assert!((half.k[0] - 450.0).abs() < 1e-9 && (half.k[2] - (630.5 / 2.0 - 0.5)).abs() < 1e-9);
        let (full, half) = (full.lens.expect("bends"), half.lens.expect("bends"));
        let p = nalgebra::Point2::new(200.0, 100.0);
        let small = nalgebra::Point2::new(200.5 / 2.0 - 0.5, 100.5 / 2.0 - 0.5);
        let (bent, small) = (full.distort(p), half.distort(small));
        assert!(((bent.x + 0.5) / 2.0 - 0.5 - small.x).abs() < 1e-9 && (bent - p).norm() > 5.0);
        let error = info().fit((640, 480)).expect_err("another shape").to_string();
        assert!(error.starts_with("calibrated for 1280x720 pixels, which is not the shape of the pictures of 640x480"));
    }

    #[test]
    fn binning_and_region_of_interest_cut_and_shrink() {
        let cut = CameraInfo { roi: [320, 180, 640, 360], ..info() };
        let of_cut = fitted(&cut, (640, 360));
        assert_eq!([of_cut.k[0], of_cut.k[2], of_cut.k[5]], [900.0, 310.0, 172.0]);
        let binned = CameraInfo { binning: [2, 2], ..cut };
        let k = fitted(&binned, (320, 180)).k;
        assert_eq!([k[0], k[2], k[5]], [450.0, 310.5 / 2.0 - 0.5, 172.5 / 2.0 - 0.5]);
        // The same, sent at half the size once more.
        assert_eq!(fitted(&binned, (160, 90)).k[0], 225.0);
    }

    #[test]
    fn a_camera_that_mirrors_was_calibrated_with_its_mirror_images() {
        let mut camera = seeing(Camera::default(), (1280, 720));
        camera.set(&CameraInfo { d: vec![-0.2, 0.05, 1e-3, 2e-3, 0.0], ..info() }).expect("usable");
        let turned = camera.turned();
        assert!(turned.mirrors() && !turned.turned().mirrors());
        let corners = Corners::new([[300.0, 640.0], [980.0, 655.0], [880.0, 150.0], [410.0, 140.0]]).expect("corners");
        let come = turned.corners(&corners);
        assert!(come.is_mirrored() && turned.corners(&come) == corners);
        // Its lens bends the mirror image as the lens bends what is before the mirror.
        let mirror = |p: nalgebra::Point2<f64>| nalgebra::Point2::new(1279.0 - p.x, p.y);
        let (lens, there) = (camera.lens().expect("bends"), turned.lens().expect("bends"));
        for p in corners.0 {
            assert!((mirror(lens.distort(p)) - there.distort(mirror(p))).norm() < 1e-9);
        }
        let otherwise = |p: &nalgebra::Point2<f64>| (lens.distort(*p) - there.distort(*p)).norm();
        assert!(corners.0.iter().any(|p| otherwise(p) > 0.1), "it is another lens");
        assert_eq!(turned.k().map(|k| [k[0], k[2], k[5]]), Some([900.0, 649.0, 352.0]));
        assert_eq!(turned.turned().k(), camera.k());
    }

    #[test]
    fn rectified_pictures_have_the_projection_matrix_and_no_lens() {
        let p = [850.0, 0.0, 620.0, -40.0, 0.0, 850.0, 350.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let rectified = CameraInfo { p, rectified: true, ..info() };
        let fitted = fitted(&rectified, (1280, 720));
        assert_eq!((fitted.k[0], fitted.k[2], fitted.k[5]), (850.0, 620.0, 350.0));
        assert!(fitted.lens.is_none());
    }

    #[test]
    fn what_cannot_be_true_is_refused_and_forgotten() {
        let mut camera = Camera::default();
        assert_eq!(camera.set(&CameraInfo { k: [0.0; 9], ..info() }), Ok(false));
        assert_eq!(camera.set(&info()), Ok(true));
        assert_eq!(camera.set(&info()), Ok(false));
        assert_eq!((camera.k(), camera.problem()), (None, None), "nothing was seen yet");
        camera = seeing(camera, (640, 480));
        assert!(camera.k().is_none() && matches!(camera.problem(), Some(CameraError::Size { .. })));
        camera = seeing(camera, (640, 360));
        assert!(camera.k().is_some() && camera.problem().is_none());
        let fish = CameraInfo { distortion_model: "omni".into(), ..info() };
        assert!(matches!(camera.set(&fish), Err(CameraError::Lens(LensError::Model { .. }))));
        assert!(camera.k().is_none() && camera.problem().is_some());
        for wrong in [f64::NAN, f64::INFINITY, -900.0, 1e9, 1e-3] {
            let mut bad = info();
            bad.k[0] = wrong;
            assert!(matches!(camera.set(&bad), Err(CameraError::Matrix { .. })), "{wrong}");
        }
        assert!(camera.set(&CameraInfo { width: 0, ..info() }).is_err());
    }

    #[test]
    fn a_pose_says_where_it_comes_from() {
        let corners =
            crate::board::corners::Corners::new([[300.0, 640.0], [980.0, 655.0], [880.0, 150.0], [410.0, 140.0]]);
        let map = BoardMap::from_corners(&corners.expect("corners"), None).expect("a map");
        let mut camera = seeing(Camera::default(), (1280, 720));
        let estimated = camera.report(&map, 0.05).expect("a pose");
        assert_eq!(estimated.source, PoseSource::Estimated);
        assert!(estimated.focal_sd > 0.01 && estimated.distance_sd > 0.01);
        camera.set(&CameraInfo { d: vec![], ..info() }).expect("usable");
        let known = camera.report(&map, 0.05).expect("a pose");
        assert_eq!((known.source, known.focal_sd), (PoseSource::CameraInfo, 0.0));
        assert!(known.distance_sd < estimated.distance_sd);
    }
}
