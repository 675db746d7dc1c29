//! Laws of knocks in whole pictures: what moves, what stays, and what the truth says of it.

use nalgebra::Point3;

use super::{simulation, small};
use crate::{
    board::corners::Corners,
    game::start::Start,
    sim::{
        Camera, Scene, SimFrame, Simulation, State,
        output::{Pictures, write_folder},
        play::script::tests::moves,
        scene::{Bump, Knocked, Sensor},
    },
};

fn board(ply: usize, shift_squares: [f64; 2], turn_deg: f64) -> Bump {
    Bump { ply, what: Knocked::Board, shift_squares, turn_deg, ..Bump::default() }
}

/// Two kings on a board of pure colours, far enough away for the table to be seen around it.
fn plain() -> Scene {
    let mut scene = Scene::oblique(60.0);
    (scene.board.light, scene.board.dark, scene.board.grain) = ([255, 255, 255], [0, 0, 160], 0.0);
    (scene.sensor, scene.table.clutter, scene.camera.distance_m) = (Sensor::steady(), false, 1.0);
    scene
}

fn kings(scene: &Scene, line: &str) -> Simulation {
    let start = Start::from_fen("8/8/8/3k4/8/3K4/8/8 w - - 0 1").unwrap();
    let line = moves(start.position(), line);
    Simulation::new(scene, (start, line), 2).unwrap().stills()
}

/// The last still picture, and the camera that took it.
fn last(mut film: Simulation) -> (SimFrame, Camera) {
    let frame = film.by_ref().last().unwrap();
    (frame, film.camera().clone())
}

#[test]
fn squares_are_where_the_corners_say_and_the_table_stays_after_a_slip() {
    let mut scene = plain();
    let (before, _) = last(kings(&scene, "d3c3"));
    scene.bump = vec![board(0, [0.6, -0.4], 12.0)];
    let (after, camera) = last(kings(&scene, "d3c3"));
    assert!(before.corners != after.corners && after.corners == camera.corners());
    let luma = |x: f64, y: f64| {
        let p = camera.to_image(&Point3::new(x, y, 0.0));
        let [r, g, _] = after.image.get_pixel(p.x.round() as u32, p.y.round() as u32).0;
        u32::from(r) + u32::from(g)
    };
    for file in 1..8 {
        for rank in [0, 1, 6] {
            let (x, y) = (f64::from(file), f64::from(rank) + 0.5);
            let (left, right) = (luma(x - 0.1, y), luma(x + 0.1, y));
            let (bright, dark) = if (file + rank) % 2 == 1 { (right, left) } else { (left, right) };
            assert!(bright > dark + 100, "edge at file {file}, rank {rank}: {left} | {right}");
        }
    }
    // The table's wood at the picture's rim is the same wood in the same light.
    let (width, height) = before.image.dimensions();
    let rim =
        (0..width).flat_map(|x| [(x, 3), (x, height - 4)]).chain((0..height).flat_map(|y| [(3, y), (width - 4, y)]));
    let differ = rim.filter(|&(x, y)| {
        let (a, b) = (before.image.get_pixel(x, y).0, after.image.get_pixel(x, y).0);
        (0..3).any(|k| a[k].abs_diff(b[k]) > 3)
    });
    assert_eq!(differ.count(), 0, "pixels of the table changed");
    let changed = before.image.pixels().zip(after.image.pixels()).filter(|(a, b)| a.0[0].abs_diff(b.0[0]) > 30).count();
    assert!(changed > 5_000, "{changed} pixels");
}

/// Mean place of pixels that are much greener than red, outside of the board with its border; how many they are.
fn green(frame: &SimFrame, corners: &Corners) -> ([f64; 2], usize) {
    let plane = crate::board::geometry::Homography::from_corners(corners).unwrap();
    let (mut sum, mut n) = ([0.0; 2], 0);
    for (x, y, pixel) in frame.image.enumerate_pixels() {
        let p = plane.to_board(nalgebra::Point2::new(f64::from(x), f64::from(y)));
        let beside = !(-0.55..8.55).contains(&p.x);
        if beside && u32::from(pixel.0[1]) > 60 + 2 * u32::from(pixel.0[0]) {
            (sum, n) = ([sum[0] + f64::from(x), sum[1] + f64::from(y)], n + 1);
        }
    }
    (sum.map(|v| v / f64::from(n.max(1) as u32)), n)
}

#[test]
fn captured_men_stay_on_the_table_and_are_pushed_aside() {
    let mut scene = plain();
    (scene.men.black, scene.board.light, scene.board.dark) = ([20, 255, 20], [230, 230, 230], [90, 90, 90]);
    let captured = |bump: Vec<Bump>| {
        let scene = Scene { bump, ..scene.clone() };
        let start = Start::from_fen("8/8/8/k2p4/4P3/3K4/8/8 w - - 0 1").unwrap();
        let line = moves(start.position(), "e4d5 a5b5 d3c3");
        let (frame, camera) = last(Simulation::new(&scene, (start, line), 2).unwrap().stills());
        green(&frame, &camera.corners())
    };
    let (at, n) = captured(vec![]);
    assert!(n > 40, "a captured pawn is seen in {n} pixels");
    // The board goes away from it: it stays.
    let (stays, m) = captured(vec![board(2, [-0.8, 0.0], 0.0)]);
    assert!(m.abs_diff(n) < n / 8, "{n} and {m} pixels");
    assert!((at[0] - stays[0]).hypot(at[1] - stays[1]) < 1.0, "{at:?} {stays:?}");
    // The board comes and pushes it, and leaves it there when it goes.
    let pushed = [board(2, [1.5, 0.0], 0.0), board(2, [-1.5, 0.0], 0.0)];
    let (there, _) = captured(pushed[..1].to_vec());
    let (left, _) = captured(pushed.to_vec());
    assert!(there[0] > at[0] + 20.0, "{at:?} {there:?}");
    assert!((there[0] - left[0]).hypot(there[1] - left[1]) < 2.0, "{there:?} {left:?}");
}

#[test]
fn a_knock_comes_with_the_hand_in_the_picture_when_it_is_told_so() {
    let mut scene = small(Scene::default());
    scene.bump = vec![
        Bump { while_hand: true, moment: 0.4, ..board(1, [0.3, 0.0], 0.0) },
        Bump { while_hand: true, moment: 0.8, shift_px: [7.0, 0.0], ply: 2, ..Bump::default() },
        board(3, [0.0, 0.5], 0.0),
    ];
    let frames: Vec<_> = simulation(&scene, "e2e4 e7e5 g1f3 b8c6", 1).collect();
    let bumps: Vec<&SimFrame> = frames.iter().filter(|f| f.word == "bump").collect();
    assert!(bumps.len() == 3 && bumps.iter().all(|f| f.state == State::Bump));
    assert_eq!(bumps.iter().map(|f| f.clean).collect::<Vec<_>>(), [false, false, true]);
    // In the middle of the visit the ply is not made yet; near its end it is.
    assert_eq!(bumps.iter().map(|f| f.ply).collect::<Vec<_>>(), [1, 3, 3]);
    let mut places: Vec<Corners> = frames.iter().map(|f| f.corners).collect();
    places.dedup();
    assert_eq!(places.len(), 4);
    // After the last ply there is no visit: the knock does not come.
    scene.bump = vec![Bump { while_hand: true, ..board(4, [0.3, 0.0], 0.0) }];
    assert!(simulation(&scene, "e2e4 e7e5 g1f3 b8c6", 1).all(|f| f.word != "bump"));
}

#[test]
fn a_hand_in_the_air_does_not_go_with_the_board() {
    // The hand is told in the board's coordinates; in the picture it must not jump with a board that jumps.
    let mut scene = plain();
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (320, 240, 10.0);
    (scene.hand.skin_white, scene.hand.sleeve_white) = ([255, 0, 0], [255, 0, 0]);
    (scene.board.light, scene.board.dark, scene.men.white) = ([200, 200, 200], [80, 80, 80], [230, 230, 230]);
    let red = |bump: Vec<Bump>| {
        let scene = Scene { bump, ..scene.clone() };
        let frames = simulation(&scene, "e2e4", 1);
        let place = |f: SimFrame| {
            let red = f.image.enumerate_pixels().filter(|(.., p)| p.0[0] > 100 && p.0[1] < 40);
            let (x, n) = red.fold((0.0, 0.0), |(sum, n), (x, ..)| (sum + f64::from(x), n + 1.0));
            (f.word == "bump", if n > 100.0 { x / n } else { f64::NAN })
        };
        frames.map(place).collect::<Vec<_>>()
    };
    let (still, moved) = (red(vec![]), red(vec![Bump { while_hand: true, ..board(0, [1.0, 0.0], 0.0) }]));
    let at = moved.iter().position(|f| f.0).unwrap();
    assert!((moved[at].1 - still[at].1).abs() < 1.5, "{} {}", moved[at].1, still[at].1);
    // Half a second later it has found the board's squares.
    assert!(moved[at + 5].1 - still[at + 5].1 > 4.0, "{} {}", moved[at + 5].1, still[at + 5].1);
}

#[test]
fn a_slide_is_told_picture_by_picture_and_a_zoom_in_the_camera() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = small(Scene::default());
    scene.bump =
        vec![Bump { slide_s: 1.0, ..board(1, [0.4, 0.0], 5.0) }, Bump { ply: 2, zoom: 0.9, ..Bump::default() }];
    let out = folder.path().join("game");
    write_folder(simulation(&scene, "e2e4 e7e5 g1f3", 1), &out, Pictures::Jpeg, |_, _| {}).unwrap();
    let mut reader = csv::Reader::from_path(out.join("events.csv")).unwrap();
    let bumps = reader.records().filter(|r| &r.as_ref().unwrap()[3] == "bump").count();
    // A second at four pictures a second, and the zoom.
    assert_eq!(bumps, 5);
    let camera: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("camera.json")).unwrap()).unwrap();
    let segments = camera["segments"].as_array().unwrap();
    assert_eq!(segments.len(), 6);
    let focal = |value: &serde_json::Value| value["K"][0][0].as_f64().unwrap();
    assert_eq!(focal(&camera), focal(&segments[0]));
    assert!((focal(&segments[5]) / focal(&segments[4]) - 0.9).abs() < 1e-9);
    let scene_again = Scene::from_toml(&std::fs::read_to_string(out.join("scene.toml")).unwrap()).unwrap();
    assert_eq!(scene_again, scene);
}
