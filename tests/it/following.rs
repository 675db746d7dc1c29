//! Following the board: pushed, turned, shaken and drifting boards with exact truth.

use chess_observer::{
    board::{
        corners::Corners,
        lens::Lens,
        map::BoardMap,
        track::{NODES, Tracker},
    },
    frame::Frame,
    game::pgn_in::read_games,
    sim::{Scene, SimFrame, Simulation, scene::Bump},
};

use crate::support::noise;

/// Two pictures of one scene, a ply apart, and between them the camera was knocked.
fn knocked(elevation_deg: f64, shift_px: [f64; 2], turn_deg: f64) -> ([SimFrame; 2], Option<Lens>) {
    let mut scene = Scene::oblique(elevation_deg);
    scene.bump = vec![Bump { ply: 1, shift_px, turn_deg, ..Bump::default() }];
    let game = read_games("1. e4 e5 2. Nf3 *").remove(0).expect("a game");
    let simulation = Simulation::new(&scene, &game, 3).expect("a scene");
    let info = simulation.camera_info();
    let lens = Lens::new(&info.k, "plumb_bob", &info.d).expect("a lens");
    let mut stills = simulation.stills().skip(1);
    ([stills.next().expect("ply 1"), stills.next().expect("ply 2")], lens)
}

#[test]
fn a_knock_of_up_to_a_square_is_made_up_for_in_one_picture() {
    let mut failures = Vec::new();
    for elevation_deg in [35.0, 55.0, 88.0] {
        for part in [0.0, 0.02, 0.1, 0.25, 0.5, 1.0] {
            for (way, turn_deg) in [(0.7_f64, 1.0), (2.3, -2.0), (4.0, 0.0)] {
                let square_px = 40.0;
                let shift_px = [way.cos() * part * square_px, way.sin() * part * square_px];
                let turn_deg = turn_deg * part;
                let ([before, after], lens) = knocked(elevation_deg, shift_px, turn_deg);
                let map = BoardMap::from_corners(&before.corners, lens).expect("a map");
                let tracker = Tracker::begin(&Frame::from_rgb(&before.image).expect("a frame"), &map, &[true; NODES]);
                let frame = Frame::from_rgb(&after.image).expect("a frame");
                let stayed = tracker.follow(&frame, &map);
                let followed = if stayed.in_place { Some(stayed) } else { tracker.leap(&frame, &map) };
                let off = followed.map_or(f64::INFINITY, |f| f.map.corners().farthest_px(&after.corners));
                println!(
                    "{elevation_deg:4} deg, {part:4} squares {turn_deg:5} deg: {off:7.3} px, seen {:.2} {}",
                    followed.map_or(0.0, |f| f.seen),
                    if stayed.in_place { "" } else { "leapt" }
                );
                if off > 0.7 {
                    failures.push((elevation_deg, part, turn_deg, off));
                }
            }
        }
    }
    assert_eq!(failures, [], "elevation, squares, degrees, pixels off");
}

/// A picture cut off at the board's outermost corners, and the same corners in it.
fn cut_to_the_board(frame: &SimFrame) -> (image::RgbImage, Corners) {
    let corners = frame.corners.to_array();
    let ends = |k: usize| {
        let at = corners.map(|corner| corner[k]);
        [at.into_iter().fold(f64::INFINITY, f64::min), at.into_iter().fold(0.0, f64::max)]
    };
    let [[left, right], [top, bottom]] = [ends(0), ends(1)].map(|ends| ends.map(|at| at.round() as u32));
    let picture = image::imageops::crop_imm(&frame.image, left, top, right - left, bottom - top).to_image();
    let corners = corners.map(|[x, y]| [x - f64::from(left), y - f64::from(top)]);
    (picture, Corners::new(corners).expect("corners"))
}

#[test]
fn a_picture_that_stays_the_same_leaves_the_board_where_it_is() {
    let game = read_games("1. d4 d5 2. Nf3 Nf6 3. e3 e6 4. Bd3 c5 5. c3 Nc6 6. O-O Bd6 *").remove(0).expect("a game");
    let mut restless = Vec::new();
    for elevation_deg in [60.0, 75.0, 88.0] {
        let stills: Vec<SimFrame> =
            Simulation::new(&Scene::oblique(elevation_deg), &game, 1).expect("a scene").stills().collect();
        let (first, corners) = cut_to_the_board(&stills[0]);
        let (last, _) = cut_to_the_board(stills.last().expect("the last ply"));
        let [first, last] = [&first, &last].map(|picture| Frame::from_rgb(picture).expect("a frame"));
        let here = BoardMap::from_corners(&corners, None).expect("a map");
        // Some patches were remembered while the board was taken to be a few pixels away: not all say the same.
        for away_px in [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0] {
            for way in [0.4_f64, 1.9, 3.5, 5.1] {
                let moved = corners.to_array().map(|[x, y]| [x + away_px * way.cos(), y + away_px * way.sin()]);
                let there = BoardMap::from_corners(&Corners::new(moved).expect("corners"), None).expect("a map");
                let mut tracker = Tracker::begin(&first, &here, &[true; NODES]);
                tracker.renew(&last, &there, &[true; NODES], |_| true);
                let mut map = there;
                let moves: Vec<bool> = (0..12)
                    .map(|_| {
                        let followed = tracker.follow(&last, &map);
                        let moves = followed.map != map;
                        map = followed.map;
                        moves
                    })
                    .collect();
                if moves[6..].contains(&true) {
                    restless.push((elevation_deg, away_px, way));
                }
            }
        }
    }
    assert!(restless.is_empty(), "{} of 108: {restless:?}", restless.len());
}

/// Noise of the sensor at which people still read the board with ease, in levels.
const NOISE: f64 = 50.0;

#[test]
fn noise_does_not_hide_the_board_and_is_none() {
    let mut scene = Scene::oblique(50.0);
    scene.sensor.noise_sigma = NOISE;
    scene.bump = vec![Bump { ply: 2, shift_px: [9.0, -6.0], turn_deg: 0.5, ..Bump::default() }];
    let game = read_games("1. e4 e5 *").remove(0).expect("a game");
    let simulation = Simulation::new(&scene, &game, 3).expect("a scene");
    let info = simulation.camera_info();
    let lens = Lens::new(&info.k, "plumb_bob", &info.d).expect("a lens");
    let pictures: Vec<SimFrame> = simulation.stills().collect();
    let map = BoardMap::from_corners(&pictures[0].corners, lens).expect("a map");
    let frame = |k: usize| Frame::from_rgb(&pictures[k].image).expect("a frame");
    let tracker = Tracker::begin(&frame(0), &map, &[true; NODES]);
    let still = tracker.follow(&frame(1), &map);
    // Two pixels are a twentieth of a square.
    let off = still.map.corners().farthest_px(&pictures[1].corners);
    assert!(still.in_place && off < 2.0, "seen {:.2}, {off:.2} px off", still.seen);
    let knocked = tracker.follow(&frame(2), &map);
    let knocked = if knocked.in_place { knocked } else { tracker.leap(&frame(2), &map).expect("found beside") };
    let off = knocked.map.corners().farthest_px(&pictures[2].corners);
    println!("{NOISE} levels: seen {:.2}; knocked: seen {:.2}, {off:.2} px off", still.seen, knocked.seen);
    assert!(off < 2.0, "{off} px");
    // A picture of nothing but noise shows no board, neither to who remembers one nor to who remembers noise.
    let noise = |seed: u32| {
        let mut levels = noise(seed);
        image::RgbImage::from_fn(640, 480, |_, _| image::Rgb([levels.next().expect("no end"); 3]))
    };
    let (one, other) = (noise(1), noise(2));
    let [one, other] = [&one, &other].map(|image| Frame::from_rgb(image).expect("a frame"));
    assert!(!tracker.follow(&one, &map).in_place);
    assert!(!Tracker::begin(&one, &map, &[true; NODES]).follow(&other, &map).in_place);
}

#[test]
fn drift_and_shaking_do_not_add_up() {
    let ([still, _], lens) = knocked(50.0, [0.0, 0.0], 0.0);
    let map = BoardMap::from_corners(&still.corners, lens).expect("a map");
    let mut tracker = Tracker::begin(&Frame::from_rgb(&still.image).expect("a frame"), &map, &[true; NODES]);
    let (mut now, mut worst) = (map, 0.0_f64);
    for i in 0..240 {
        let t = f64::from(i);
        // Two slow turns of ten pixels, and a shake of a third of a pixel.
        let by = [10.0 * (t / 38.0).sin() + 0.3 * (t * 2.1).sin(), 6.0 * (t / 27.0).sin() + 0.3 * (t * 1.7).cos()];
        let shifted = shifted(&still.image, by);
        let frame = Frame::from_rgb(&shifted).expect("a frame");
        let followed = tracker.follow(&frame, &now);
        assert!(followed.in_place, "picture {i}");
        now = followed.map;
        // What is learnt anew in every picture must not take the errors of the last one with it.
        tracker.renew(&frame, &now, &[true; NODES], |_| true);
        let truth = Corners(still.corners.0.map(|p| p - nalgebra::Vector2::from(by)));
        worst = worst.max(now.corners().farthest_px(&truth));
    }
    println!("worst corner of 240 pictures: {worst:.3} px");
    assert!(worst < 0.5, "{worst} px");
}

/// What a camera sees that has turned by so many pixels.
fn shifted(image: &image::RgbImage, by: [f64; 2]) -> image::RgbImage {
    let frame = Frame::from_rgb(image).expect("a frame");
    image::RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let rgb = frame.sample(f64::from(x) + by[0], f64::from(y) + by[1]).expect("a finite place");
        image::Rgb(rgb.map(|v| v.round() as u8))
    })
}
