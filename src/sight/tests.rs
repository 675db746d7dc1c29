//! Laws of sight, on pictures of the simulator.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position as _, Role, Square};

use super::{
    calibrate::{fit_parallax, recognise, refine},
    colour::Samples,
    squares::Squares,
    view::{BeginError, Reading, View},
};
use crate::{
    board::{corners::Corners, map::BoardMap},
    frame::{Frame, Stamp},
    game::{evidence::Evidence as _, start::Start},
    sim::{Scene, Simulation},
};

/// A small picture of the position after each of the first plies of an Italian game, and where the board is.
fn pictures(elevation_deg: f64) -> (Vec<image::RgbImage>, Vec<Chess>, Corners) {
    pictures_of(Scene::oblique(elevation_deg))
}

fn pictures_of(mut scene: Scene) -> (Vec<image::RgbImage>, Vec<Chess>, Corners) {
    (scene.camera.width, scene.camera.height) = (480, 360);
    let mut positions = vec![Chess::default()];
    let mut moves: Vec<Move> = Vec::new();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        let position = positions.last().unwrap();
        let mv = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(position).unwrap();
        moves.push(mv);
        let mut next = position.clone();
        next.play_unchecked(mv);
        positions.push(next);
    }
    let simulation = Simulation::new(&scene, (Start::default(), moves), 7).unwrap().stills();
    let corners = simulation.corners();
    (simulation.map(|frame| frame.image).collect(), positions, corners)
}

fn map(corners: &Corners) -> BoardMap {
    BoardMap::from_corners(corners, None).unwrap()
}

/// What is learnt from a first picture of this position.
fn begun(picture: &image::RgbImage, position: &Chess, map: &BoardMap) -> View {
    View::begin(&Frame::from_rgb(picture).unwrap(), map, position.board(), None).unwrap()
}

/// The picture painted over where `lies` says so of a place in the board's plane, file and rank in squares.
fn painted(
    picture: &image::RgbImage,
    map: &BoardMap,
    lies: impl Fn(f64, f64) -> bool,
    paint: impl Fn([u8; 3]) -> [u8; 3],
) -> image::RgbImage {
    let mut painted = picture.clone();
    for (x, y, pixel) in painted.enumerate_pixels_mut() {
        let on_board = map.to_board(nalgebra::Point2::new(f64::from(x), f64::from(y)));
        if lies(on_board.x, on_board.y) {
            pixel.0 = paint(pixel.0);
        }
    }
    painted
}

fn read(view: &View, picture: &image::RgbImage) -> Reading {
    let mut reading = Reading::default();
    view.read(&Frame::from_rgb(picture).unwrap(), &mut reading);
    reading
}

/// Learns from a reading in which these men stand, as the observer does. Returns the squares that were clear.
fn learn(view: &mut View, reading: &Reading, men: &Board) -> Bitboard {
    let look = view.evidence(reading, Bitboard::EMPTY, 4.0);
    let (clear, over) = (look.clear(men), look.over(men));
    view.learn_hands(reading, &over);
    view.learn(reading, men, clear, &over);
    clear
}

#[test]
fn the_camera_is_found_from_the_start_position_alone() {
    for elevation_deg in [40.0, 60.0, 88.0] {
        let mut scene = Scene::oblique(elevation_deg);
        if elevation_deg > 80.0 {
            // From straight above a hard shadow looks like the flank of a man who leans: there the camera's pose, not
            // known here, has to say that he does not.
            (scene.light.ambient, scene.light.softness) = (0.7, 0.5);
        }
        let (pictures, positions, corners) = pictures_of(scene);
        let plane = map(&corners);
        let colours = Samples::read(&Frame::from_rgb(&pictures[0]).unwrap(), &plane).in_light([1.0; 3]);
        let (parallax, _) = fit_parallax(&colours, positions[0].board(), None);
        // Seen from White's side: one square of height hides cot(elevation) squares behind it.
        let [across, along] = parallax.at_centre();
        let truth = -1.0 / elevation_deg.to_radians().tan();
        // Men are not quite as tall as ours, and the camera is not quite in the middle.
        assert!((along - truth).abs() < 0.3 && across.abs() < 0.3, "{elevation_deg}: {across} {along}, not {truth}");
    }
}

#[test]
fn how_tall_the_kinds_of_a_set_are_is_seen_where_men_stand_alone() {
    let start = Start::from_fen("6k1/p4r1p/2n3p1/3bq3/1PP1N3/P2BQ3/5R1P/6K1 w - - 0 1").unwrap();
    let men = start.position().board().clone();
    let moves = vec![start.position().legal_moves()[0]];
    let seen = |heights: [f64; 6]| {
        let mut scene = Scene::oblique(35.0);
        scene.men.heights = heights;
        let still = Simulation::new(&scene, (start.clone(), moves.clone()), 7).unwrap().stills().next().unwrap();
        let plane = map(&still.corners);
        let colours = Samples::read(&Frame::from_rgb(&still.image).unwrap(), &plane).in_light([1.0; 3]);
        let (parallax, _) = fit_parallax(&colours, &men, None);
        refine(&colours, &men, &parallax.into(), None).heights()
    };
    // All as high as a knight: of a pawn and a king only how they compare can be seen, the camera's height being unknown.
    let (ours, alike) = (seen([1.0; 6]), seen([1.39, 1.0, 0.91, 1.2, 0.8, 0.69]));
    assert!(ours.iter().all(|by| (by - 1.0).abs() < 0.12), "{ours:?}");
    let [pawn, .., queen, king] = alike;
    assert!((pawn / king - 2.0).abs() < 0.35 && (pawn / queen - 1.74).abs() < 0.35, "{alike:?}");
}

#[test]
fn only_the_expected_position_is_recognised() {
    let (pictures, positions, corners) = pictures(55.0);
    let frame = Frame::from_rgb(&pictures[0]).unwrap();
    let men = positions[0].board();
    assert!(View::begin(&frame, &map(&corners), men, None).is_ok_and(|view| view.recognised() > 0.9));
    // The board named from another side, and a board that should be in the middle of a game.
    for turns in [1, 2, 3] {
        let error = View::begin(&frame, &map(&corners.renamed(turns)), men, None).err();
        let swapped = matches!(error, Some(BeginError::ColoursSwapped));
        assert!(swapped || matches!(error, Some(BeginError::NotThisPosition { .. })), "{turns}: {error:?}");
    }
    let endgame: shakmaty::fen::Fen = "8/5k2/8/3R4/2K5/8/8/8 w - - 0 1".parse().unwrap();
    let error = View::begin(&frame, &map(&corners), &endgame.as_setup().board, None).err();
    assert!(error.is_some());
}

#[test]
fn what_covers_the_board_or_cuts_it_off_makes_a_picture_less_likely_in_its_own_colours() {
    /// A hand's fingertips at the rim take so many nats; sound pictures differ by less than half of that.
    const FINGERTIPS: f64 = 50.0;
    let (pictures, positions, corners) = pictures(75.0);
    let men = positions[0].board();
    let mut view = begun(&pictures[0], &positions[0], &map(&corners));
    let first = view.first_likelihood();
    let of = |view: &View, picture: &image::RgbImage| view.likelihood_of(&Frame::from_rgb(picture).unwrap(), men);
    assert!((of(&view, &pictures[0]) - first).abs() < 1e-6);
    let arm = |file: f64, rank: f64| (4.1..5.9).contains(&file) && rank < 4.0;
    let with_arm = painted(&pictures[0], &map(&corners), arm, |_| [210, 165, 135]);
    assert!(of(&view, &with_arm) < first - FINGERTIPS, "{} {first}", of(&view, &with_arm));
    // The camera has turned away: nearly two files are outside the picture.
    let [a1, h1, ..] = corners.to_array();
    let left = (0.8 * a1[0] + 0.2 * h1[0]) as u32;
    let (width, height) = pictures[0].dimensions();
    let cut = image::imageops::crop_imm(&pictures[0], left, 0, width - left, height).to_image();
    view.follow(map(&Corners::new(corners.to_array().map(|[x, y]| [x - f64::from(left), y])).unwrap()));
    assert!(of(&view, &cut) < first - FINGERTIPS, "{} {first}", of(&view, &cut));
}

#[test]
fn a_grey_picture_is_no_position() {
    let (_, positions, corners) = pictures(55.0);
    let grey = image::RgbImage::from_pixel(480, 360, image::Rgb([120; 3]));
    let plane = map(&corners);
    let colours = Samples::read(&Frame::from_rgb(&grey).unwrap(), &plane).in_light([1.0; 3]);
    let (parallax, _) = fit_parallax(&colours, positions[0].board(), None);
    assert!(recognise(&colours, positions[0].board(), &parallax.into()).share < 0.8);
}

/// The picture with blocks of its left half lighter or darker than they are: a transmission with faults.
fn damaged(picture: &image::RgbImage) -> image::RgbImage {
    let mut damaged = picture.clone();
    for (x, y, pixel) in damaged.enumerate_pixels_mut() {
        if x < picture.width() / 2 {
            let step = i32::from([60_i8, -60, 20][((x / 9) * 7 + (y / 9) * 5) as usize % 3]);
            pixel.0 = pixel.0.map(|level| (i32::from(level) + step).clamp(0, 255) as u8);
        }
    }
    damaged
}

#[test]
fn what_was_damaged_is_not_remembered_for_ever_however_often_it_was_seen_so() {
    let (pictures, positions, corners) = pictures(55.0);
    let men = positions[0].board();
    let damaged = damaged(&pictures[0]);
    for learnt_again in [0, 1, 4] {
        let mut view = View::begin(&Frame::from_rgb(&damaged).unwrap(), &map(&corners), men, None).unwrap();
        let mut learn = |picture: &image::RgbImage| {
            let reading = read(&view, picture);
            let clear = learn(&mut view, &reading, men);
            view.go_on();
            clear
        };
        (0..learnt_again).for_each(|_| assert!(learn(&damaged).count() > 60));
        let at_first = learn(&pictures[0]);
        assert!(at_first.count() < 54, "the clean picture looks otherwise on {} squares only", 64 - at_first.count());
        (0..2).for_each(|_| _ = learn(&pictures[0]));
        let learnt = learn(&pictures[0]);
        assert!(learnt.count() >= 62, "only {} squares are known again", learnt.count());
    }
}

#[test]
fn likelihood_by_difference_is_likelihood_in_full() {
    let (pictures, positions, corners) = pictures(45.0);
    let view = begun(&pictures[0], &positions[0], &map(&corners));
    let reading = read(&view, &pictures[1]);
    let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
    let zero = look.log_likelihood(positions[0].board()) - look.in_full(positions[0].board());
    let mut other = positions[2].board().clone();
    other.set_piece_at(Square::D5, Piece { color: Color::White, role: Role::King });
    other.discard_piece_at(Square::A1);
    for men in [positions[1].board(), positions[2].board(), &other] {
        let off = look.log_likelihood(men) - look.in_full(men) - zero;
        assert!(off.abs() < 1e-3, "{off}");
    }
}

#[test]
fn what_shows_what_it_showed_is_explained_as_if_everything_had_been_asked() {
    let (pictures, positions, corners) = pictures(45.0);
    let map = map(&corners);
    let view = begun(&pictures[0], &positions[0], &map);
    let blue = painted(&pictures[0], &map, |x, y| x > 2.2 && y < 5.5, |_| [30, 60, 200]);
    let grey = painted(&pictures[0], &map, |x, _| x < 3.0, |rgb| rgb.map(|level| level / 2 + 60));
    let mut unexplained = 0;
    for picture in [&pictures[0], &noisy(&pictures[0], 20, 3), &pictures[1], &blue, &grey] {
        let reading = read(&view, picture);
        for (index, [quickly, in_full]) in
            view.evidence(&reading, Bitboard::EMPTY, 4.0).unexplained_both_ways().into_iter().enumerate()
        {
            assert_eq!(quickly, in_full, "point {index}");
            unexplained += usize::from(in_full);
        }
    }
    assert!(unexplained > 500, "{unexplained}");
}

#[test]
fn the_played_move_is_likelier_than_any_other() {
    for elevation_deg in [35.0, 60.0, 88.0] {
        let (pictures, positions, corners) = pictures(elevation_deg);
        let first = Frame::from_rgb(&pictures[0]).unwrap();
        let mut view = View::begin(&first, &map(&corners), positions[0].board(), None).unwrap();
        for (ply, pair) in positions.windows(2).enumerate() {
            let reading = read(&view, &pictures[ply + 1]);
            let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
            let played = look.log_likelihood(pair[1].board());
            let rival = pair[0]
                .legal_moves()
                .into_iter()
                .map(|mv| {
                    let mut next = pair[0].clone();
                    next.play_unchecked(mv);
                    next.board().clone()
                })
                .filter(|men| men != pair[1].board())
                .chain([pair[0].board().clone()])
                .map(|men| look.log_likelihood(&men))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(played > rival + 5.0, "{elevation_deg}: ply {}: {played} against {rival}", ply + 1);
            let clear = learn(&mut view, &reading, pair[1].board());
            assert!(clear.count() > 58, "{elevation_deg}: ply {}: {clear:?}", ply + 1);
        }
    }
}

/// The picture with noise of up to so many levels either way, other noise for each seed.
fn noisy(picture: &image::RgbImage, levels: u32, seed: u32) -> image::RgbImage {
    let mut noisy = picture.clone();
    for (place, level) in noisy.iter_mut().enumerate() {
        let mut hasher = DefaultHasher::new();
        (place, seed).hash(&mut hasher);
        let by = hasher.finish() as u32 % (2 * levels + 1);
        *level = (u32::from(*level) + by).saturating_sub(levels).min(255) as u8;
    }
    noisy
}

#[test]
fn noise_counts_less_the_more_pictures_were_learnt_and_a_move_is_remembered_at_once() {
    let (pictures, positions, corners) = pictures(55.0);
    let men = positions[0].board();
    let mut view = begun(&noisy(&pictures[0], 40, 1), &positions[0], &map(&corners));
    let noise = |view: &View| read(view, &noisy(&pictures[0], 40, 99)).light().noise.iter().sum::<f32>();
    let at_first = noise(&view);
    let learn = |view: &mut View, picture: &image::RgbImage, men| learn(view, &read(view, picture), men);
    (2..10).for_each(|seed| _ = learn(&mut view, &noisy(&pictures[0], 40, seed), men));
    let learnt = noise(&view);
    // A picture and the last one differ by twice its variance, a picture and the memory by 4/3 of it: 0.82 of the deviation, where
    // no channel ends.
    assert!(learnt < 0.93 * at_first, "{learnt} levels, and {at_first} at first");
    learn(&mut view, &noisy(&pictures[1], 40, 10), positions[1].board());
    let reading = read(&view, &noisy(&pictures[1], 40, 11));
    assert!(view.evidence(&reading, Bitboard::EMPTY, 4.0).unexplained(positions[1].board()).is_empty());
}

/// What is left of red, green and blue in a dim and warmer light.
const DIM: [f32; 3] = [0.5, 0.45, 0.35];

fn dim(picture: &image::RgbImage) -> image::RgbImage {
    let mut dim = picture.clone();
    for pixel in dim.pixels_mut() {
        for (channel, left) in pixel.0.iter_mut().zip(DIM) {
            *channel = (f32::from(*channel) * left) as u8;
        }
    }
    dim
}

fn assert_dim(reading: &Reading) {
    let gain = reading.light().gain;
    for (found, truth) in gain.iter().zip(DIM) {
        assert!((found - truth).abs() < 0.03, "{gain:?}");
    }
}

#[test]
fn another_light_is_a_gain_and_not_a_change() {
    let (pictures, positions, corners) = pictures(55.0);
    let view = begun(&pictures[0], &positions[0], &map(&corners));
    let reading = read(&view, &dim(&pictures[0]));
    assert_dim(&reading);
    let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
    assert!(look.unexplained(positions[0].board()).is_empty());
    assert!(look.clutter(positions[0].board()) < 0.5);
}

#[test]
fn a_light_that_stays_over_some_squares_becomes_the_usual_one() {
    let (pictures, positions, corners) = pictures(60.0);
    let (plane, men) = (map(&corners), positions[0].board());
    // What is remembered of three files is too dark, and too blue.
    let dimmed = painted(
        &pictures[0],
        &plane,
        |x, _| x < 3.0,
        |[r, g, b]| [(r, 0.90), (g, 0.92), (b, 0.94)].map(|(level, part)| (f64::from(level) * part).round() as u8),
    );
    let mut view = begun(&dimmed, &positions[0], &plane);
    let first = read(&view, &pictures[0]).light();
    assert!(first.shaded.count() >= 16, "{} squares in another light", first.shaded.count());
    for _ in 0..60 {
        let reading = read(&view, &pictures[0]);
        learn(&mut view, &reading, men);
    }
    let light = read(&view, &pictures[0]).light();
    assert!(light.shaded.is_empty(), "{:?}", light.shaded);
    assert!(light.gain.iter().all(|gain| (gain - 1.0).abs() < 0.01), "{:?}", light.gain);
}

#[test]
fn a_board_that_is_seen_from_elsewhere_again_and_again_still_tells_the_light() {
    let (pictures, positions, corners) = pictures(55.0);
    let mut view = begun(&pictures[0], &positions[0], &map(&corners));
    for _ in 0..3 {
        // An arm lies over the board, say: nothing is learnt between.
        view.seen_anew(view.parallax());
        assert_dim(&read(&view, &dim(&pictures[0])));
    }
}

#[test]
fn a_highlight_or_a_shadow_on_a_third_of_a_square_flips_nothing() {
    let (pictures, positions, corners) = pictures(55.0);
    let map = map(&corners);
    let view = begun(&pictures[0], &positions[0], &map);
    let truth = positions[1].board();
    // Squares without and with men, of both shades; the third is that of the file's side.
    for square in [Square::D5, Square::E5, Square::C3, Square::D2, Square::C2, Square::D7, Square::E7] {
        for paint in [|_: u8| 250, |v: u8| (f32::from(v) * 0.4) as u8] {
            let (first, near) = (f64::from(u32::from(square.file())), f64::from(u32::from(square.rank())));
            let third = |file: f64, rank: f64| {
                (0.0..1.0 / 3.0).contains(&(file - first)) && (0.0..1.0).contains(&(rank - near))
            };
            let picture = painted(&pictures[1], &map, third, |rgb| rgb.map(paint));
            let mut reading = Reading::default();
            view.read(&Frame::from_rgb(&picture).unwrap(), &mut reading);
            let squares = Squares::read(&view.evidence(&reading, Bitboard::EMPTY, 4.0));
            let stands = truth.color_at(square).map_or(0, |color| 1 + usize::from(color == Color::Black));
            assert_eq!(squares.likeliest(square), stands, "{square}: {:?}", squares.probability[usize::from(square)]);
        }
    }
}

#[test]
fn what_is_told_of_the_squares_is_a_distribution_and_knows_what_it_cannot_see() {
    let (pictures, positions, corners) = pictures(35.0);
    let view = begun(&pictures[0], &positions[0], &map(&corners));
    let mut reading = Reading::default();
    view.read(&Frame::from_rgb(&pictures[1]).unwrap(), &mut reading);
    let unsettled = Bitboard::from_square(Square::H4);
    let squares = Squares::read(&view.evidence(&reading, unsettled, 4.0));
    for square in Square::ALL {
        let i = usize::from(square);
        assert!((squares.probability[i].iter().sum::<f32>() - 1.0).abs() < 1e-4, "{square}");
        assert!((0.0..=1.0).contains(&squares.changed[i]) && (0.0..=1.0).contains(&squares.reliability[i]), "{square}");
    }
    assert!(squares.covered.contains(Square::H4));
    // The pawn before the queen hides less of the square behind than the queen does.
    let [behind_queen, before_queen] = [Square::D2, Square::D4].map(|s| squares.reliability[usize::from(s)]);
    assert!(behind_queen < before_queen, "{behind_queen} {before_queen}");
}

#[test]
fn every_square_is_read_right_from_the_side_and_from_above() {
    for elevation_deg in [32.0, 50.0, 88.0] {
        let (pictures, positions, corners) = pictures(elevation_deg);
        let first = Frame::from_rgb(&pictures[0]).unwrap();
        let mut view = View::begin(&first, &map(&corners), positions[0].board(), None).unwrap();
        for (ply, position) in positions.iter().enumerate().skip(1) {
            let reading = read(&view, &pictures[ply]);
            let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
            let squares = Squares::read(&look);
            for square in Square::ALL {
                let stands = position.board().color_at(square).map_or(0, |c| 1 + usize::from(c == Color::Black));
                let told = squares.probability[usize::from(square)];
                assert_eq!(squares.likeliest(square), stands, "{elevation_deg}: ply {ply}, {square}: {told:?}");
            }
            learn(&mut view, &reading, position.board());
        }
    }
}

#[test]
fn a_picture_without_change_says_so_and_one_with_a_move_does_not() {
    let (pictures, positions, corners) = pictures(50.0);
    let first = Frame::from_rgb(&pictures[0]).unwrap();
    let mut view = View::begin(&first, &map(&corners), positions[0].board(), None).unwrap();
    let same = read(&view, &pictures[0]);
    assert!(view.evidence(&same, Bitboard::EMPTY, 4.0).may_have_changed().is_empty());
    let moved = read(&view, &pictures[1]);
    let may = view.evidence(&moved, Bitboard::EMPTY, 4.0).may_have_changed();
    assert!(may.contains(Square::E2) && may.contains(Square::E4) && !may.contains(Square::A8), "{may:?}");
    // What moves, and what is not remembered, may be anything.
    let unsettled = Bitboard::from_square(Square::H8);
    assert!(view.evidence(&same, unsettled, 4.0).may_have_changed().contains(Square::H8));
    view.seen_anew(view.parallax());
    let anew = read(&view, &pictures[0]);
    assert_eq!(view.evidence(&anew, Bitboard::EMPTY, 4.0).may_have_changed(), Bitboard::FULL);
}

#[test]
fn a_man_beside_a_hand_is_seen_and_one_under_it_is_held() {
    let (pictures, positions, corners) = pictures(60.0);
    let map = map(&corners);
    let view = begun(&pictures[0], &positions[0], &map);
    // An arm from the right over the fourth rank, up to a file.
    let with_arm = |cloth: [u8; 3], to_file: f64| {
        painted(&pictures[1], &map, |file, rank| file > to_file && (2.4..4.4).contains(&rank), |_| cloth)
    };
    let played = positions[1].board();
    // Bare, and in a dark sleeve: over light and dark squares that is no shadow.
    let cloths = [[214, 150, 130], [48, 44, 60]];
    for (cloth, (to_file, held)) in cloths.into_iter().flat_map(|c| [(c, (5.0, false)), (c, (4.3, true))]) {
        let reading = read(&view, &with_arm(cloth, to_file));
        let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
        assert!(look.hidden().contains(Square::G4), "the arm is seen: {cloth:?}");
        assert_eq!(look.held(played, Bitboard::FULL), held, "{cloth:?} {to_file}");
        let odds = look.log_likelihood(played) - look.log_likelihood(positions[0].board());
        assert!(held || odds > 10.0, "{cloth:?} {to_file}: {odds}");
    }
}

#[test]
fn a_man_is_held_whose_top_an_arm_touches_and_not_one_beside_it() {
    let (pictures, positions, corners) = pictures(55.0);
    let map = map(&corners);
    let mut view = begun(&pictures[1], &positions[1], &map);
    let played = positions[2].board();
    for (to_rank, from_file, held) in [(5.3, 4.2, true), (5.3, 6.2, false), (7.0, 4.2, false)] {
        // Black's bare arm over the last rank's edge, down to a rank, while e5 is played.
        let lies =
            |file: f64, rank: f64| (from_file..from_file + 1.2).contains(&file) && (to_rank..10.5).contains(&rank);
        let reading = read(&view, &painted(&pictures[2], &map, lies, |_| [214, 150, 130]));
        view.look_around(&reading, Stamp(0));
        let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
        assert!(look.hidden().intersects(Bitboard::from_rank(shakmaty::Rank::Eighth)), "the arm is seen");
        assert_eq!(look.held(played, Square::E5.into()), held, "down to {to_rank} from {from_file}");
    }
}

#[test]
fn what_has_the_colours_of_hands_that_were_seen_is_no_man_and_no_bare_square() {
    let (pictures, positions, corners) = pictures(60.0);
    let (map, men) = (map(&corners), positions[0].board());
    let skin = |_| [150, 105, 84];
    // A finger's breadth of skin where the knight of g1 stood, too small to be an arm: does the square look bare?
    let finger =
        painted(&pictures[0], &map, |file, rank| (6.1..6.9).contains(&file) && (0.0..1.6).contains(&rank), skin);
    let bare = |view: &View| {
        let reading = read(view, &finger);
        let [empty, white, _] = view.evidence(&reading, Bitboard::EMPTY, 4.0).square(Square::G1);
        empty - white
    };
    let mut view = begun(&pictures[0], &positions[0], &map);
    let before = bare(&view);
    let hand = painted(&pictures[0], &map, |file, rank| file > 4.0 && (2.5..4.5).contains(&rank), skin);
    for _ in 0..3 {
        let reading = read(&view, &hand);
        learn(&mut view, &reading, men);
    }
    let after = bare(&view);
    assert!(after < 0.7 * before, "bare by {before} nats before hands were seen, and by {after} then");
}

/// The picture with a shadow over the part of the board's plane where `lies` says so, which leaves so much of each channel.
fn in_a_shadow(
    picture: &image::RgbImage,
    map: &BoardMap,
    gain: [f64; 3],
    lies: impl Fn(f64, f64) -> bool,
) -> image::RgbImage {
    let left = |rgb: [u8; 3]| std::array::from_fn(|k| (f64::from(rgb[k]) * gain[k]).round() as u8);
    painted(picture, map, lies, left)
}

/// Where one lamp is hidden others of another hue go on shining.
const SHADOWS: [[f64; 3]; 6] = [
    [0.70, 0.68, 0.77],
    [0.60, 0.60, 0.72],
    [0.80, 0.78, 0.86],
    [0.74, 0.70, 0.66],
    [0.55, 0.60, 0.66],
    [0.85, 0.80, 0.74],
];

/// In the shadow that leaves `gain` of the light these squares are hidden by nothing, and bare rather than anything else.
fn assert_bare(view: &View, reading: &Reading, squares: impl IntoIterator<Item = Square>, gain: [f64; 3]) {
    let look = view.evidence(reading, Bitboard::EMPTY, 4.0);
    for square in squares {
        assert!(!look.hidden().contains(square), "{gain:?}: a shadow hides nothing on {square}");
        let [empty, white, black] = look.square(square);
        assert!(empty > white.max(black), "{gain:?}: {square}: {empty:.1} {white:.1} {black:.1}");
    }
}

#[test]
fn bare_squares_in_the_shadow_of_a_hand_are_bare_whatever_hue_is_left_there() {
    let (pictures, positions, corners) = pictures(60.0);
    let map = map(&corners);
    let view = begun(&pictures[0], &positions[0], &map);
    for gain in SHADOWS {
        // Over d4, e4 and the half of f4, and a part of the squares behind.
        let picture = in_a_shadow(&pictures[0], &map, gain, |x, y| (3.0..5.5).contains(&x) && (3.0..4.6).contains(&y));
        let reading = read(&view, &picture);
        assert_bare(&view, &reading, [Square::D4, Square::E4, Square::F4], gain);
    }
}

#[test]
fn in_noise_dark_squares_tell_of_a_shadow_together_where_no_point_of_theirs_does() {
    let mut scene = Scene::oblique(60.0);
    (scene.board.light, scene.board.dark) = ([226, 224, 214], [44, 84, 150]);
    let (pictures, positions, corners) = pictures_of(scene);
    let map = map(&corners);
    let dusk = in_a_shadow(&pictures[0], &map, [0.3; 3], |_, _| true);
    let view = begun(&noisy(&dusk, 8, 1), &positions[0], &map);
    // By their points alone the pale squares in it are bare by 2.4 and 4.7 nats.
    let shadow =
        in_a_shadow(&dusk, &map, [0.85, 0.80, 0.74], |x, y| (2.0..5.0).contains(&x) && (3.0..5.0).contains(&y));
    let reading = read(&view, &noisy(&shadow, 8, 2));
    let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
    for square in [Square::C4, Square::D5, Square::E4] {
        let [empty, white, black] = look.square(square);
        assert!(empty - white.max(black) > 6.0, "{square}: {empty:.1} {white:.1} {black:.1}");
    }
}

#[test]
fn a_man_who_comes_beside_a_shadow_or_in_it_is_seen() {
    let (pictures, positions, corners) = pictures(60.0);
    let map = map(&corners);
    let view = begun(&pictures[0], &positions[0], &map);
    for gain in SHADOWS {
        for first_file in [4.0, 5.0] {
            // From the pawn's own file on, or from the one beside it.
            let picture =
                in_a_shadow(&pictures[1], &map, gain, |x, y| (first_file..7.0).contains(&x) && (2.0..5.0).contains(&y));
            let reading = read(&view, &picture);
            let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
            let odds = look.log_likelihood(positions[1].board()) - look.log_likelihood(positions[0].board());
            assert!(odds > 10.0, "{gain:?} from {first_file}: {odds:.1}");
        }
    }
}

/// The picture of a board whose surface mirrors a window where `lies` says so: an eighth of the light that shows as white is added.
fn with_sheen(picture: &image::RgbImage, map: &BoardMap, lies: impl Fn(f64, f64) -> bool) -> image::RgbImage {
    // Light adds, levels do not: those of a display are the root of 2.2 of it.
    let brighter = |level: u8| 255.0 * ((f64::from(level) / 255.0).powf(2.2) + 0.12).min(1.0).powf(1.0 / 2.2);
    painted(picture, map, lies, |rgb| rgb.map(|level| brighter(level).round() as u8))
}

/// Where nobody stands, on most of the board.
fn in_the_window(x: f64, y: f64) -> bool {
    (1.0..7.0).contains(&x) && (3.0..6.0).contains(&y)
}

#[test]
fn dark_squares_whose_sheen_something_takes_are_bare() {
    let (pictures, positions, corners) = pictures(60.0);
    let map = map(&corners);
    let mirrors = with_sheen(&pictures[0], &map, in_the_window);
    let view = begun(&mirrors, &positions[0], &map);
    for gain in [[1.0; 3], [0.85, 0.85, 0.9], [0.7, 0.68, 0.77]] {
        for last_file in [4.0, 5.5, 7.0] {
            let taken = |x: f64, y: f64| (2.0..last_file).contains(&x) && (3.0..5.0).contains(&y);
            let picture = with_sheen(&pictures[0], &map, |x, y| in_the_window(x, y) && !taken(x, y));
            let reading = read(&view, &in_a_shadow(&picture, &map, gain, taken));
            assert_bare(&view, &reading, [Square::C5, Square::D4], gain);
        }
    }
}

#[test]
fn a_man_who_comes_where_sheen_goes_is_seen() {
    let (pictures, positions, corners) = pictures(60.0);
    let map = map(&corners);
    let mirrors = |k: usize, taken: &dyn Fn(f64, f64) -> bool| {
        with_sheen(&pictures[k], &map, |x, y| in_the_window(x, y) && !taken(x, y))
    };
    for (ply, square) in [(1, "e4"), (2, "e5")] {
        let view = begun(&mirrors(ply - 1, &|_, _| false), &positions[ply - 1], &map);
        // From the man's own file on, or from the one beside it.
        for first_file in [3.0, 4.0] {
            let taken = |x: f64, y: f64| (first_file..7.0).contains(&x) && (3.0..5.0).contains(&y);
            let reading = read(&view, &mirrors(ply, &taken));
            let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
            let odds = look.log_likelihood(positions[ply].board()) - look.log_likelihood(positions[ply - 1].board());
            assert!(odds > 10.0, "{square} from {first_file}: {odds:.1}");
        }
    }
}
