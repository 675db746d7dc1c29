//! The observer as the node and the replay use it: commands, bad moments, and pictures of nothing.

use chess_observer::{
    board::{corners::Corners, geometry::square_centre, map::BoardMap},
    event::Event,
    frame::{Frame, PixelFormat, Stamp},
    game::start::Start,
    observer::{BoardState, Observer, TrackerState},
    params::{Params, Value},
    sim::{Scene, Simulation},
};
use image::RgbImage;
use shakmaty::{Chess, Move, Position as _, Square, uci::UciMove};

fn stills(ucis: &[&str]) -> Vec<RgbImage> {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height) = (480, 360);
    let mut position = Chess::default();
    let moves: Vec<Move> = ucis
        .iter()
        .map(|uci| {
            let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(mv);
            mv
        })
        .collect();
    Simulation::new(&scene, (Start::default(), moves), 3).unwrap().stills().map(|frame| frame.image).collect()
}

fn observer(set: &[(&str, Value)]) -> Observer {
    let mut params = Params::default();
    params.set("sight.stills", &Value::Bool(true)).unwrap();
    for (name, value) in set {
        params.set(name, value).unwrap();
    }
    Observer::new(&params).unwrap()
}

fn see(observer: &mut Observer, picture: &RgbImage, stamp_s: f64) -> Vec<Event> {
    observer.observe(&Frame::from_rgb(picture).unwrap(), Stamp::from_s(stamp_s))
}

fn moves(events: &[Event]) -> Vec<String> {
    events.iter().filter_map(|e| if let Event::Move { uci, .. } = e { Some(uci.to_string()) } else { None }).collect()
}

#[test]
fn a_game_is_followed_and_commands_change_it() {
    let pictures = stills(&["e2e4", "e7e5", "g1f3"]);
    let mut observer = observer(&[("game.note_times", Value::Bool(false))]);
    assert_eq!(observer.board().state, BoardState::Searching);
    let events = see(&mut observer, &pictures[0], 0.0);
    assert!(matches!(events.as_slice(), [Event::BoardFound { .. }]), "{events:?}");
    for (picture, uci) in pictures[1..].iter().zip(["e2e4", "e7e5", "g1f3"]) {
        let events = see(&mut observer, picture, 1.0);
        assert_eq!(moves(&events), [uci]);
    }
    assert!(observer.pgn().contains("1. e4 e5 2. Nf3 *"), "{}", observer.pgn());
    assert_eq!(observer.tracker(), TrackerState::Following);
    let occupancy = observer.squares().unwrap().probability;
    // f3 holds a white man, g1 nothing, e8 a black man.
    assert!(occupancy[21][1] > 0.9 && occupancy[6][0] > 0.9 && occupancy[60][2] > 0.9);
    assert!(observer.take_back(9).is_err());
    let events = observer.take_back(1).unwrap();
    assert!(matches!(events.as_slice(), [Event::TakeBack { ply: 3, .. }]), "{events:?}");
    assert!(observer.set_result("2-0").is_err());
    observer.set_result("1-0").unwrap();
    assert_eq!(observer.position().result.as_str(), "1-0");
    observer.new_game(None).unwrap();
    assert_eq!(observer.position().ply, 0);
    assert!(observer.set_position("no position").is_err());
}

#[test]
fn while_paused_nothing_is_seen() {
    let pictures = stills(&["d2d4"]);
    let mut observer = observer(&[]);
    see(&mut observer, &pictures[0], 0.0);
    observer.set_paused(true);
    assert!(see(&mut observer, &pictures[1], 1.0).is_empty());
    assert_eq!(observer.tracker(), TrackerState::Paused);
    observer.set_paused(false);
    assert_eq!(moves(&see(&mut observer, &pictures[1], 2.0)), ["d2d4"]);
}

#[test]
fn time_may_run_backwards_and_pictures_may_change_their_size() {
    let pictures = stills(&["d2d4", "d7d5"]);
    let mut observer = observer(&[]);
    see(&mut observer, &pictures[0], 100.0);
    assert_eq!(moves(&see(&mut observer, &pictures[1], 50.0)), ["d2d4"]);
    assert_eq!(observer.stats().time_jumps, 1);
    let larger = image::imageops::resize(&pictures[2], 960, 720, image::imageops::FilterType::Triangle);
    let events = see(&mut observer, &larger, 51.0);
    assert_eq!(moves(&events), ["d7d5"], "{events:?}");
}

#[test]
fn a_picture_without_the_board_is_counted_and_not_read() {
    let pictures = stills(&["d2d4"]);
    let mut observer = observer(&[]);
    see(&mut observer, &pictures[0], 0.0);
    assert_eq!((observer.stats().looks, observer.stats().refused), (1, 0));
    // The lens is covered.
    let (width, height) = pictures[0].dimensions();
    assert!(see(&mut observer, &RgbImage::from_pixel(width, height, image::Rgb([20; 3])), 1.0).is_empty());
    assert_eq!((observer.stats().looks, observer.stats().refused), (2, 1));
    assert_eq!(moves(&see(&mut observer, &pictures[1], 2.0)), ["d2d4"]);
    assert_eq!(observer.stats().refused, 1);
}

#[test]
fn in_manual_mode_only_a_capture_is_read() {
    let pictures = stills(&["e2e4"]);
    let mut observer = observer(&[("sight.stills", Value::Bool(false)), ("game.mode", Value::Text("manual".into()))]);
    for k in 0..40 {
        let events = see(&mut observer, &pictures[usize::from(k > 5)], f64::from(k) * 0.2);
        assert!(moves(&events).is_empty(), "picture {k}");
    }
    observer.capture().unwrap();
    assert_eq!(moves(&see(&mut observer, &pictures[1], 9.0)), ["e2e4"]);
}

/// The picture with a hand over a square and what is beside it: it is never where it was in the picture before.
fn with_hand(picture: &RgbImage, corners: &Corners, square: Square, k: u32) -> RgbImage {
    let mut picture = picture.clone();
    let at = BoardMap::from_corners(corners, None).unwrap().to_image(square_centre(square));
    let square_px = corners.square_px();
    let (x, y) = (at.x + f64::from(k % 3) * 0.4 * square_px, at.y + f64::from(k % 2) * 0.3 * square_px);
    let radius = 0.6 * square_px;
    for (u, v, pixel) in picture.enumerate_pixels_mut() {
        if (f64::from(u) - x).hypot(f64::from(v) - y) < radius {
            *pixel = image::Rgb([205, 148, 120]);
        }
    }
    picture
}

#[test]
fn a_hand_that_moves_holds_up_only_what_is_under_it() {
    let pictures = stills(&["e2e4"]);
    for (over, seen_beside_the_hand) in [(Square::A1, true), (Square::G3, true), (Square::E4, false)] {
        let mut observer = Observer::new(&Params::default()).unwrap();
        let mut stamps = (0..).map(|k| f64::from(k) * 0.1);
        let mut see = |observer: &mut Observer, picture: &RgbImage| see(observer, picture, stamps.next().unwrap());
        for _ in 0..15 {
            assert_eq!(moves(&see(&mut observer, &pictures[0])), [""; 0]);
        }
        let corners = observer.board().corners.unwrap();
        let events: Vec<Event> =
            (0..15).flat_map(|k| see(&mut observer, &with_hand(&pictures[1], &corners, over, k))).collect();
        let expected: &[&str] = if seen_beside_the_hand { &["e2e4"] } else { &[] };
        assert_eq!(moves(&events), expected, "hand over {over}");
        assert!(observer.stats().disturbed >= 14, "hand over {over}: it moves in every picture");
        // It goes, and leaves nothing in doubt.
        let events: Vec<Event> = (0..10).flat_map(|_| see(&mut observer, &pictures[1])).collect();
        let expected: &[&str] = if seen_beside_the_hand { &[] } else { &["e2e4"] };
        assert_eq!(moves(&events), expected, "hand gone from {over}");
        assert_eq!(observer.tracker(), TrackerState::Following);
    }
}

#[test]
fn every_other_picture_of_a_board_at_rest_is_left_out_and_none_that_shows_a_hand() {
    let pictures = stills(&["e2e4"]);
    let mut observer = Observer::new(&Params::default()).unwrap();
    let mut stamps = (0..).map(|k| f64::from(k) / 30.0);
    // As a node does with what a camera sends: which of so many pictures are left out, and what the others tell.
    let mut film = |observer: &mut Observer, count: u32, picture: &dyn Fn(u32) -> RgbImage| {
        let (mut left_out, mut told) = (0, vec![]);
        for k in 0..count {
            let stamp = stamps.next().unwrap();
            if observer.leaves_out(Stamp::from_s(stamp)) {
                left_out += 1;
            } else {
                told.extend(moves(&see(observer, &picture(k), stamp)));
            }
        }
        (left_out, told)
    };
    let start = |_| pictures[0].clone();
    let (left_out, _) = film(&mut observer, 30, &start);
    assert_eq!(left_out, 0, "it has not rested for long");
    film(&mut observer, 60, &start);
    let (left_out, told) = film(&mut observer, 60, &start);
    assert_eq!((left_out, told.len()), (30, 0));
    let corners = observer.board().corners.unwrap();
    // The hand may come with a picture that is left out; not two of them.
    let (left_out, told) = film(&mut observer, 30, &|k| with_hand(&pictures[1], &corners, Square::E4, k));
    assert!(left_out <= 1 && told.is_empty(), "{left_out} left out, {told:?}");
    let (left_out, told) = film(&mut observer, 20, &|_| pictures[1].clone());
    assert_eq!((left_out, told), (0, vec!["e2e4".to_owned()]));
    let (left_out, _) = film(&mut observer, 90, &|_| pictures[1].clone());
    assert!((30..=45).contains(&left_out), "{left_out} left out");
    // Who says "now" has the next picture looked at, whichever it is.
    let mut params = Params::default();
    params.set("game.mode", &Value::Text("semi_automatic".into())).unwrap();
    observer.set_params(&params);
    for stamp in stamps.take(4) {
        observer.capture().unwrap();
        assert!(!observer.leaves_out(Stamp::from_s(stamp)));
        see(&mut observer, &pictures[1], stamp);
    }
    assert!(observer.stats().frames > observer.stats().left_out);
    // A clock that was set back.
    assert!(!observer.leaves_out(Stamp::from_s(1.0)));
}

#[test]
fn pictures_of_nothing_are_looked_at_and_say_nothing() {
    let mut observer = observer(&[]);
    let mut noise = crate::support::noise(12345);
    for (k, (width, height)) in
        [(1, 1), (2, 3), (16, 16), (64, 48), (640, 2), (3, 480), (320, 240)].into_iter().enumerate()
    {
        for format in PixelFormat::ALL {
            let step = format.row_bytes(width) + k;
            let data: Vec<u8> = noise.by_ref().take(step * height as usize).collect();
            let frame = Frame::new(width, height, step, format, &data).unwrap();
            assert!(observer.observe(&frame, Stamp::from_s(k as f64)).is_empty(), "{width}x{height} {format}");
            assert_eq!(observer.overlay(&frame).dimensions(), (width, height));
        }
    }
    // Corners given far outside the picture.
    let corners: Vec<f64> = [-9e5, 9e5, 9e5, 9e5, 9e5, -9e5, -9e5, -9e5].to_vec();
    let mut lost = self::observer(&[("board.corners", Value::Doubles(corners))]);
    let picture = RgbImage::from_pixel(64, 64, image::Rgb([90; 3]));
    assert!(see(&mut lost, &picture, 0.0).is_empty());
    assert_eq!(lost.overlay(&Frame::from_rgb(&picture).unwrap()).dimensions(), (64, 64));
}
