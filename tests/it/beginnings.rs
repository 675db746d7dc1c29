//! How games begin, and what is told where they cannot: joined in the middle, men that are set up late, boards that are cut off,
//! bare, blurred or in the dark.

use chess_observer::{
    event::{
        Event,
        hindrance::{Edges, Hindrance, Shows},
    },
    frame::{Frame, Stamp},
    game::{pgn_in::read_games, start::Start},
    observer::Observer,
    params::Params,
    sim::{Scene, Simulation},
};
use image::{Rgb, RgbImage, imageops};
use imageproc::{drawing::draw_polygon_mut, point::Point};
use shakmaty::{Chess, Color, Move, Position as _, Square, fen::Fen, uci::UciMove};

use crate::support::noisy;

/// An Italian game after five moves of each side.
const MIDDLE: &str = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7";

fn camera() -> Scene {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (480, 360, 10.0);
    scene
}

/// From a position on; the usual one where `fen` is empty.
fn play(scene: &Scene, fen: &str, ucis: &[&str], seed: u64) -> Simulation {
    let start = if fen.is_empty() { Start::default() } else { Start::from_fen(fen).unwrap() };
    let mut position: Chess = start.position().clone();
    let moves: Vec<Move> = ucis
        .iter()
        .map(|uci| {
            let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(mv);
            mv
        })
        .collect();
    Simulation::new(scene, (start, moves), seed).unwrap()
}

fn picture(scene: &Scene, fen: &str) -> RgbImage {
    play(scene, fen, &[], 5).stills().next().unwrap().image
}

fn stills() -> Params {
    Params { sight_stills: true, ..Params::default() }
}

fn see(observer: &mut Observer, pictures: impl Iterator<Item = (RgbImage, Stamp)>) -> Vec<Event> {
    pictures.flat_map(|(image, stamp)| observer.observe(&Frame::from_rgb(&image).unwrap(), stamp)).collect()
}

fn ucis(observer: &Observer) -> Vec<String> {
    read_games(&observer.pgn()).remove(0).unwrap().ucis()
}

/// Why no game begins in this picture alone.
fn why(image: &RgbImage) -> Option<Hindrance> {
    let mut observer = Observer::new(&stills()).unwrap();
    let events = observer.observe(&Frame::from_rgb(image).unwrap(), Stamp(0));
    assert_eq!(events, [], "it begins");
    observer.hindrance().cloned()
}

#[test]
fn a_game_is_joined_where_its_position_is_told() {
    let plies = ["c1g5", "h7h6", "g5h4", "g7g5", "f3g5"];
    for mirrored in [false, true] {
        let mut scene = camera();
        scene.camera.mirrored = mirrored;
        let params = Params { game_start_fen: MIDDLE.into(), ..stills() };
        let mut observer = Observer::new(&params).unwrap();
        let pictures = play(&scene, MIDDLE, &plies, 2).stills().map(|f| (f.image, f.stamp));
        let events = see(&mut observer, pictures);
        assert_eq!(ucis(&observer), plies, "{events:#?}");
        assert_eq!(observer.board().mirrored, mirrored);
    }
}

#[test]
fn a_film_that_joins_a_game_follows_it() {
    let plies = ["c1g5", "h7h6"];
    let mut observer = Observer::new(&Params { game_start_fen: MIDDLE.into(), ..Params::default() }).unwrap();
    let events = see(&mut observer, play(&camera(), MIDDLE, &plies, 2).map(|f| (f.image, f.stamp)));
    assert_eq!(ucis(&observer), plies, "{events:#?}");
}

#[test]
fn men_may_be_set_up_late() {
    let mut scene = camera();
    scene.opening.missing = 10;
    let plies = ["e2e4", "c7c5"];
    let mut observer = Observer::new(&Params::default()).unwrap();
    let events = see(&mut observer, play(&scene, "", &plies, 3).map(|f| (f.image, f.stamp)));
    assert_eq!(ucis(&observer), plies, "{events:#?}");
    assert!(!events.iter().any(|e| matches!(e, Event::Illegal { .. })), "{events:#?}");
}

#[test]
fn the_next_picture_takes_the_place_of_a_first_one_that_was_damaged_over_all_black_men() {
    let mut scene = Scene::oblique(85.0);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    (scene.stream.damaged_first, scene.stream.damage_height) = (1, 0.4);
    let plies = ["d2d4", "d7d5", "g1f3", "g8f6"];
    let mut observer = Observer::new(&Params::default()).unwrap();
    let events = see(&mut observer, play(&scene, "", &plies, 1).map(|f| (f.image, f.stamp)));
    assert_eq!(ucis(&observer), plies, "{events:#?}");
    // Nothing else was told than where the board is, and the plies: no doubt, no warning, no wrong ply.
    let told = |e: &&Event| !matches!(e, Event::BoardFound { .. } | Event::Move { .. });
    assert_eq!((events.iter().find(told), events.len()), (None, 1 + plies.len()), "{events:#?}");
}

/// An arm of this colour over the files e and f, from White's side to so many ranks.
fn with_arm(image: &RgbImage, corners: [[f64; 2]; 4], skin: Rgb<u8>, ranks: f64) -> RgbImage {
    let mut image = image.clone();
    let at = |file: f64, rank: f64| {
        let [u, v] = [file / 8.0, rank / 8.0];
        let of = |axis: usize| {
            let [a1, h1, h8, a8] = corners.map(|corner| corner[axis]);
            ((a1 * (1.0 - u) + h1 * u) * (1.0 - v) + (a8 * (1.0 - u) + h8 * u) * v) as i32
        };
        Point::new(of(0), of(1))
    };
    if ranks > 0.0 {
        draw_polygon_mut(&mut image, &[at(4.1, -3.0), at(5.9, -3.0), at(5.6, ranks), at(4.4, ranks)], skin);
    }
    image
}

#[test]
fn a_hand_that_rests_over_the_board_before_the_first_ply_is_not_begun_with() {
    let scene = Scene::oblique(80.0);
    let corners = play(&scene, "", &[], 1).corners().to_array();
    let [start, played] = ["", "e2e4"].map(|uci| {
        let plies: Vec<&str> = [uci].into_iter().filter(|uci| !uci.is_empty()).collect();
        play(&scene, "", &plies, 1).stills().last().unwrap().image
    });
    for skin in [Rgb([210, 165, 135]), Rgb([190, 140, 110])] {
        // It comes, rests for four seconds, and leaves the pawn on e4.
        let film = [(&start, 0.0, 8), (&start, 1.0, 1), (&start, 4.0, 20), (&played, 0.0, 10)];
        let shots = film.into_iter().flat_map(|(image, ranks, times)| (0..times).map(move |_| (image, ranks)));
        let pictures = (0_u32..).zip(shots).map(|(k, (image, ranks))| {
            let image = with_arm(image, corners, skin, ranks);
            (noisy(&image, 1.5, k.into()), Stamp(i64::from(k) * 200_000_000))
        });
        let mut observer = Observer::new(&Params::default()).unwrap();
        let events = see(&mut observer, pictures);
        assert_eq!(ucis(&observer), ["e2e4"], "{skin:?}: {events:#?}");
    }
}

#[test]
fn squares_that_do_not_look_as_expected_are_named() {
    let Some(Hindrance::Otherwise { squares }) = why(&picture(&camera(), MIDDLE)) else { panic!("not otherwise") };
    let (stands, expected) = (MIDDLE.parse::<Fen>().unwrap().into_setup().board, Chess::default().board().clone());
    let look = |color: Option<Color>| match color {
        None => Shows::Empty,
        Some(Color::White) => Shows::White,
        Some(Color::Black) => Shows::Black,
    };
    let other = Square::ALL.into_iter().filter(|s| stands.color_at(*s) != expected.color_at(*s)).count();
    let right = squares.iter().filter(|(square, shows)| look(stands.color_at(*square)) == *shows).count();
    // White men on light squares are hard to tell in a single picture.
    assert!(3 * squares.len() >= 2 * other && right == squares.len(), "{other} differ: {squares:?}");
    let text = Hindrance::Otherwise { squares }.sentence();
    assert!(text.contains(" look empty; ") && text.contains(" more; "), "{text}");
}

#[test]
fn a_bare_board_is_called_bare() {
    let mut scene = camera();
    scene.opening.missing = 32;
    assert_eq!(why(&play(&scene, "", &["e2e4"], 1).next().unwrap().image), Some(Hindrance::Bare));
}

#[test]
fn the_edges_that_cut_a_board_off_are_named() {
    let image = picture(&camera(), "");
    let corners = play(&camera(), "", &[], 5).corners().to_array();
    let square_px = ((corners[1][0] - corners[0][0]) / 8.0) as u32;
    let left = corners[0][0].max(corners[3][0]) as u32 + 2 * square_px;
    let cut = imageops::crop_imm(&image, left, 0, image.width() - left, image.height()).to_image();
    let found = why(&cut);
    let Some(Hindrance::CutOff { edges, squares_seen }) = found else { panic!("{found:?}") };
    assert_eq!(edges, Edges { left: true, ..Edges::default() });
    assert!((32..=57).contains(&squares_seen), "{squares_seen}");
    // In a mirror it is the right edge, as the picture shows.
    let found = why(&imageops::flip_horizontal(&cut));
    let Some(Hindrance::CutOff { edges, .. }) = found else { panic!("{found:?}") };
    assert_eq!(edges, Edges { right: true, ..Edges::default() });
}

#[test]
fn dark_blurred_and_empty_pictures_are_called_so() {
    let image = picture(&camera(), "");
    let dark = RgbImage::from_fn(image.width(), image.height(), |x, y| Rgb(image.get_pixel(x, y).0.map(|v| v / 30)));
    assert_eq!(why(&dark), Some(Hindrance::Dark));
    let blurred = why(&imageops::blur(&image, 25.0));
    assert!(matches!(blurred, Some(Hindrance::Blurred { .. })), "{blurred:?}");
    let stripes = RgbImage::from_fn(480, 360, |x, _| Rgb(if x / 20 % 2 == 0 { [60; 3] } else { [200; 3] }));
    assert_eq!(why(&stripes), Some(Hindrance::NoBoard));
}

#[test]
fn a_film_is_asked_thoroughly_after_ten_seconds() {
    let mut scene = camera();
    scene.opening.missing = 32;
    let image = play(&scene, "", &["e2e4"], 1).next().unwrap().image;
    let mut observer = Observer::new(&Params::default()).unwrap();
    let after = |observer: &mut Observer, image: &RgbImage, s: f64| {
        observer.observe(&Frame::from_rgb(image).unwrap(), Stamp::from_s(s));
        observer.hindrance().map(Hindrance::word)
    };
    assert_eq!(observer.hindrance(), None);
    // A glance does not tell that nothing stands on a board.
    for s in [100.0, 105.0] {
        assert!(!matches!(after(&mut observer, &image, s), Some("bare") | None), "{s} s");
    }
    assert_eq!(after(&mut observer, &image, 110.1), Some("bare"));
    // Where it begins nothing hinders it.
    assert_eq!(after(&mut observer, &picture(&camera(), ""), 111.0), None);
}
