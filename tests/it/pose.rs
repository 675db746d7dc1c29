//! The board's place in the picture and in space: its pose through a lens, the men's outlines, what is remembered.

use chess_observer::{
    board::{
        calibration::Calibration,
        corners::Corners,
        geometry::{Homography, ImagePoint, Projection, square_centre},
        lens::Lens,
        outline::{covered, silhouette},
    },
    event::Event,
    frame::{Frame, Stamp},
    game::start::Start,
    observer::{CameraInfo, Observer, Pose, PoseSource},
    params::{Params, Value},
    sight::{
        coverage::{Coverage, POINTS, point, square_of},
        layout::Layout,
        occlusion::{Occlusion, Parallax},
    },
    sim::{Camera, Scene, Simulation, shape::pieces::Men},
};
use image::RgbImage;
use imageproc::drawing::draw_filled_circle_mut;
use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use shakmaty::{Board, Color, Role, Square};

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

/// Drivers tell of their lens after the first pictures: the board was then fitted without one.
#[test]
fn the_pose_is_as_right_where_camera_info_comes_after_the_board_was_found() {
    for (elevation, k1) in [(55.0, -0.2), (45.0, -0.18), (75.0, -0.1)] {
        let (picture, camera, info) = start(elevation, k1, (960, 720));
        let mut late = observer();
        assert!(see(&mut late, &picture).is_some(), "not found at {elevation}");
        late.set_camera_info(&info).unwrap();
        late.observe(&Frame::from_rgb(&picture).unwrap(), Stamp(1_000_000_000));
        let pose = late.board().pose.expect("a pose");
        let (angle, distance) = errors(&pose, &camera, 0.05);
        assert_eq!(pose.source, PoseSource::CameraInfo);
        assert!(angle < 0.5 && distance < 0.002, "{elevation}°: {angle:.2}° and {:.2} % off", 100.0 * distance);
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

/// Round stickers on all crossings: there is nothing left for a search to find.
fn covered_up(picture: &RgbImage, camera: &Camera) -> RgbImage {
    let mut covered = picture.clone();
    let radius = (0.24 * camera.corners().square_px()) as i32;
    for k in 0..81 {
        let p = camera.to_image(&Point3::new(f64::from(k % 9), f64::from(k / 9), 0.0));
        let colour = if (k / 9 + k % 9) % 2 == 0 { [205, 200, 190] } else { [60, 70, 60] };
        draw_filled_circle_mut(&mut covered, (p.x as i32, p.y as i32), radius, image::Rgb(colour));
    }
    covered
}

#[test]
fn a_remembered_place_is_taken_where_the_search_fails_and_only_if_it_fits() {
    let (picture, camera, _) = start(70.0, 0.0, (640, 480));
    let hard = covered_up(&picture, &camera);
    assert_eq!(see(&mut observer(), &hard), None, "this picture should be too hard for the search");

    let offered = |corners: Corners| {
        let mut observer = observer();
        observer.offer_calibration(&Calibration::new(corners, (640, 480)).unwrap());
        observer
    };
    let truth = camera.corners();
    let mut right = offered(truth);
    let found = see(&mut right, &hard).expect("the remembered place");
    assert!(found.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 1.0));
    // What it found is what it would offer next time.
    let again = right.calibration().and_then(|c| c.corners_in((640, 480))).expect("a calibration");
    assert!(again.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 1.0));
    // Turned, and elsewhere.
    assert_eq!(see(&mut offered(truth.renamed(2)), &hard), None);
    assert_eq!(see(&mut offered(truth.renamed(1)), &hard), None);
    let shifted = truth.to_array().map(|[x, y]| [x + 60.0, y - 20.0]);
    assert_eq!(see(&mut offered(Corners::new(shifted).unwrap()), &hard), None);
    // Somebody who asks for a search does not want the old place.
    let mut asked = offered(truth);
    asked.locate_board(None).unwrap();
    assert_eq!(see(&mut asked, &hard), None);

    // Where the search finds the board, a wrong memory does no harm.
    let found = see(&mut offered(Corners::new(shifted).unwrap()), &picture).expect("found by itself");
    assert!(found.0.iter().zip(&truth.0).all(|(a, b)| (a - b).norm() < 3.0));
}

/// The exact camera of a scene as a projection in ideal pixels, with its lens.
fn projection(camera: &Camera, info: &CameraInfo) -> (Projection, Option<Lens>) {
    let k = Matrix3::from_row_slice(&info.k);
    let lens = Lens::new(&info.k, &info.distortion_model, &info.d).unwrap();
    let (r, c) = (camera.camera_from_world, camera.centre.coords);
    let columns = [r.column(0).into(), r.column(1).into(), -(r * c)].map(|v: Vector3<f64>| k * v);
    let plane = Homography::from_matrix(Matrix3::from_columns(&columns)).unwrap();
    // Homographies are scaled to 1 at the board's middle, and the vertical with them.
    let depth = camera.in_camera(&Point3::new(4.0, 4.0, 0.0)).z;
    (Projection::new(&plane, k * r.column(2) / depth), lens)
}

/// What share of both the outline and the simulator's man have in common: intersection over union, in pixels.
fn overlap(camera: &Camera, info: &CameraInfo, role: Role, square: Square) -> f64 {
    let (view, lens) = projection(camera, info);
    let outline = silhouette(&view, lens.as_ref(), role, square).unwrap();
    let men = Men::default();
    let mesh = men.mesh(role);
    let foot = square_centre(square);
    let seen: Vec<ImagePoint> = mesh
        .positions
        .iter()
        .map(|p| camera.to_image(&Point3::new(foot.x + f64::from(p.x), foot.y + f64::from(p.y), f64::from(p.z))))
        .collect();
    let drawn = |p: ImagePoint| {
        mesh.triangles.iter().any(|t| {
            let [a, b, c] = t.map(|i| seen[i as usize]);
            let sides = [(b - a).perp(&(p - a)), (c - b).perp(&(p - b)), (a - c).perp(&(p - c))];
            sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
        })
    };
    let (mut both, mut either) = (0, 0);
    let bounds = seen.iter().chain(outline.parts().iter().flatten());
    let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
    for p in bounds {
        low = [low[0].min(p.x), low[1].min(p.y)];
        high = [high[0].max(p.x), high[1].max(p.y)];
    }
    for y in low[1].floor() as i32..=high[1].ceil() as i32 {
        for x in low[0].floor() as i32..=high[0].ceil() as i32 {
            let p = ImagePoint::new(f64::from(x), f64::from(y));
            let (a, b) = (outline.contains(p), drawn(p));
            both += i32::from(a && b);
            either += i32::from(a || b);
        }
    }
    f64::from(both) / f64::from(either)
}

/// Other sets differ from ours by more than the simulator's does, which was drawn by other rules.
#[test]
fn outlines_lie_on_the_men_that_the_simulator_draws() {
    for (elevation, k1) in [(35.0, 0.0), (60.0, -0.2), (85.0, 0.0)] {
        let (_, camera, info) = start(elevation, k1, (1280, 720));
        for role in Role::ALL {
            let overlaps = [Square::A1, Square::E4, Square::H8, Square::A8].map(|s| overlap(&camera, &info, role, s));
            let least = overlaps.into_iter().fold(1.0, f64::min);
            println!("{elevation}° {role:?}: {overlaps:.2?}");
            // The knight's head is no turned solid.
            assert!(least > if role == Role::Knight { 0.65 } else { 0.78 }, "{elevation}° {role:?}: {overlaps:?}");
        }
        // On the neighbouring square it is another outline.
        let (view, lens) = projection(&camera, &info);
        let [here, there] =
            [Square::E4, Square::F4].map(|s| silhouette(&view, lens.as_ref(), Role::Rook, s).unwrap().hull()[0]);
        assert!((here - there).norm() > 30.0);
    }
}

/// The rays of `sight` and the outlines of `board` are two ways to say the same.
#[test]
fn outlines_agree_with_the_rays_through_possible_men() {
    for elevation in [35.0, 60.0, 85.0] {
        let (_, camera, mut info) = start(elevation, 0.0, (1280, 720));
        info.d.clear();
        let (view, _) = projection(&camera, &info);
        let parallax = Parallax::from_projection(&view).unwrap();
        let again = parallax.projection(&Homography::from_corners(&camera.corners()).unwrap());
        assert!((again.to_image(1.5, 6.5, 1.7) - view.to_image(1.5, 6.5, 1.7)).norm() < 1e-4);
        let coverage = Coverage::new(Occlusion::from(parallax));
        let (mut agree, mut all, mut covered_points) = (0, 0, 0);
        for (role, square) in [(Role::Pawn, Square::D3), (Role::Queen, Square::E4), (Role::King, Square::B6)] {
            let mut men = Board::empty();
            men.set_piece_at(square, role.of(Color::White));
            let men = Layout::of(&men);
            let outline = silhouette(&view, None, role, square).unwrap();
            let mut shares = vec![0.0; 64];
            for index in 0..POINTS {
                let p = point(index);
                // Half covered: the blurred outline's own edge.
                let by_rays = coverage.hidden(index, &men) > 0.49;
                let by_outline = outline.contains(view.to_image(p.x, p.y, 0.0));
                all += i32::from(by_rays || by_outline);
                agree += i32::from(by_rays && by_outline);
                covered_points += i32::from(by_outline);
                shares[usize::from(square_of(index))] += f64::from(i32::from(by_rays)) / 64.0;
            }
            for (other, share) in covered(&view, role, square) {
                // Eight by eight points of a square know the area of a disc to a few hundredths.
                assert!(
                    (share - shares[usize::from(other)]).abs() < 0.09,
                    "{elevation}° {role:?} on {square}: {other}"
                );
            }
        }
        println!("{elevation}°: {agree} of {all} points alike, {covered_points} covered");
        assert!(covered_points > 50 && f64::from(agree) > 0.93 * f64::from(all), "{elevation}°: {agree} of {all}");
    }
}
