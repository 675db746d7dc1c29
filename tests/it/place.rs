//! The board's place in the picture and in space: its pose through a lens, and what is remembered of it.

use chess_observer::{
    board::{calibration::Calibration, geometry::Corners},
    event::Event,
    frame::{Frame, Stamp},
    game::start::Start,
    observer::{CameraInfo, Observer, Pose, PoseSource},
    params::{Params, Value},
    sim::{Camera, Scene, Simulation},
};
use image::RgbImage;
use imageproc::drawing::draw_line_segment_mut;
use nalgebra::{Point3, Rotation3, UnitQuaternion, Vector3};

/// The start position from an elevation, and the camera that saw it.
fn start(elevation_deg: f64, k1: f64, size: (u32, u32)) -> (RgbImage, Camera, CameraInfo) {
    let mut scene = Scene::oblique(elevation_deg);
    (scene.camera.width, scene.camera.height) = size;
    scene.camera.k1 = k1;
    let simulation = Simulation::new(&scene, (Start::default(), Vec::new()), 5).unwrap();
    let (camera, intrinsics) = (simulation.camera().clone(), simulation.camera_info());
    let info = CameraInfo {
        width: intrinsics.width,
        height: intrinsics.height,
        k: intrinsics.k,
        distortion_model: "plumb_bob".into(),
        d: intrinsics.d.to_vec(),
        ..CameraInfo::default()
    };
    (simulation.stills().next().unwrap().image, camera, info)
}

fn observer() -> Observer {
    let mut params = Params::default();
    params.set("sight.stills", &Value::Bool(true)).unwrap();
    Observer::new(&params).unwrap()
}

fn see(observer: &mut Observer, picture: &RgbImage) -> Option<Corners> {
    let events = observer.observe(&Frame::from_rgb(picture).unwrap(), Stamp(0));
    let found = events.iter().any(|e| matches!(e, Event::BoardFound { .. }));
    observer.board().corners.filter(|_| found)
}

/// Angle in degrees, and relative error of the distance to the board's centre.
fn errors(pose: &Pose, camera: &Camera, square_m: f64) -> (f64, f64) {
    let truth = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(camera.camera_from_world));
    let middle = pose.rotation * Vector3::new(4.0, 4.0, 0.0) + pose.translation_m / square_m;
    let distance = camera.in_camera(&Point3::new(4.0, 4.0, 0.0)).norm();
    (pose.rotation.angle_to(&truth).to_degrees(), (middle.norm() / distance - 1.0).abs())
}

#[test]
fn the_pose_is_right_through_a_lens_with_and_without_camera_info() {
    for (elevation, k1) in [(45.0, -0.18), (60.0, -0.18), (60.0, 0.0), (75.0, -0.1)] {
        let (picture, camera, info) = start(elevation, k1, (1280, 720));
        let mut told = observer();
        told.set_camera_info(&info).unwrap();
        assert!(see(&mut told, &picture).is_some(), "not found at {elevation}");
        let pose = told.board().pose.expect("a pose");
        let (angle, distance) = errors(&pose, &camera, 0.05);
        println!(
            "{elevation}°, k1 {k1}: {angle:.2}° and {:.2} % off (claimed {:.2}° and {:.2} %)",
            100.0 * distance,
            pose.angle_sd_rad.to_degrees(),
            100.0 * pose.distance_sd
        );
        assert_eq!(pose.source, PoseSource::CameraInfo);
        assert!(angle < 2.0 && distance < 0.02, "{elevation}°: {angle}° {distance}");
        assert!(pose.is_sure());
        if k1 == 0.0 {
            let mut untold = observer();
            assert!(see(&mut untold, &picture).is_some());
            let pose = untold.board().pose.expect("a pose");
            let (angle, distance) = errors(&pose, &camera, 0.05);
            assert_eq!(pose.source, PoseSource::Estimated);
            assert!(angle < 4.0 && distance < 0.06, "{elevation}°: {angle}° {distance}");
        }
    }
}

#[test]
fn a_calibration_of_another_resolution_serves_and_a_nonsensical_one_is_refused() {
    let (picture, camera, mut info) = start(55.0, -0.15, (640, 480));
    let scale = |v: f64| (v + 0.5) * 2.0 - 0.5;
    (info.width, info.height) = (1280, 960);
    info.k = [2.0 * info.k[0], 0.0, scale(info.k[2]), 0.0, 2.0 * info.k[4], scale(info.k[5]), 0.0, 0.0, 1.0];
    let mut observer = observer();
    observer.set_camera_info(&info).unwrap();
    assert!(see(&mut observer, &picture).is_some());
    let (angle, distance) = errors(&observer.board().pose.expect("a pose"), &camera, 0.05);
    assert!(angle < 2.0 && distance < 0.02, "{angle}° {distance}");
    assert_eq!(observer.camera_problem(), None);

    let error = observer.set_camera_info(&CameraInfo { distortion_model: "warp".into(), ..info.clone() });
    assert!(error.unwrap_err().to_string().contains("unknown distortion model \"warp\""));
    assert_eq!(observer.board().pose.map(|p| p.source), Some(PoseSource::Estimated));
    assert!(observer.camera_problem().is_some());

    observer.set_camera_info(&CameraInfo { width: 1280, height: 720, ..info }).unwrap();
    assert_eq!(observer.board().pose.map(|p| p.source), Some(PoseSource::Estimated));
    let problem = observer.camera_problem().unwrap().to_string();
    assert!(problem.contains("calibrated for 1280x720") && problem.contains("640x480"), "{problem}");
}

/// White tape along all lines: no square touches another, so there are no crossings to be found.
fn taped(picture: &RgbImage, camera: &Camera) -> RgbImage {
    let mut taped = picture.clone();
    let mut line = |a: [f64; 2], b: [f64; 2]| {
        let [a, b] = [a, b].map(|[x, y]| camera.to_image(&Point3::new(x, y, 0.0)));
        let across = (b - a).normalize();
        for k in -4..=4 {
            let off = 0.6 * f64::from(k) * nalgebra::Vector2::new(-across.y, across.x);
            let [p, q] = [a + off, b + off].map(|p| (p.x as f32, p.y as f32));
            draw_line_segment_mut(&mut taped, p, q, image::Rgb([235, 235, 230]));
        }
    };
    for k in 0..=8 {
        let k = f64::from(k);
        line([k, 0.0], [k, 8.0]);
        line([0.0, k], [8.0, k]);
    }
    taped
}

#[test]
fn a_remembered_place_is_taken_where_the_search_fails_and_only_if_it_fits() {
    let (picture, camera, _) = start(70.0, 0.0, (640, 480));
    let taped = taped(&picture, &camera);
    assert_eq!(see(&mut observer(), &taped), None, "this picture should be too hard for the search");

    let offered = |corners: Corners| {
        let mut observer = observer();
        observer.offer_calibration(&Calibration::new(corners, (640, 480)).unwrap());
        observer
    };
    let truth = camera.corners();
    let mut right = offered(truth);
    let found = see(&mut right, &taped).expect("the remembered place");
    assert!(found.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 1.0));
    // What it found is what it would offer next time.
    let again = right.calibration().and_then(|c| c.corners_in((640, 480))).expect("a calibration");
    assert!(again.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 1.0));
    // Turned, and elsewhere.
    assert_eq!(see(&mut offered(truth.renamed(2)), &taped), None);
    assert_eq!(see(&mut offered(truth.renamed(1)), &taped), None);
    let shifted = truth.to_array().map(|[x, y]| [x + 60.0, y - 20.0]);
    assert_eq!(see(&mut offered(Corners::new(shifted).unwrap()), &taped), None);
    // Somebody who asks for a search does not want the old place.
    let mut asked = offered(truth);
    asked.locate_board(None);
    assert_eq!(see(&mut asked, &taped), None);

    // Where the search finds the board, a wrong memory does no harm.
    let found = see(&mut offered(Corners::new(shifted).unwrap()), &picture).expect("found by itself");
    assert!(found.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 3.0));
}
