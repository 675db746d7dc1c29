//! What broke observers in reality, simulated: shadows under a camera's tone curve, hands that stay, illegal moves that
//! are let stand.

use shakmaty::Square;

use super::{simulation, small};
use crate::{
    board::geometry::square_centre,
    sim::{
        Scene, SimFrame, Simulation,
        play::{script::State, story::What},
        scene::{PassingShadow, Player, RestingHand, Sensor},
    },
};

/// Mean red, green and blue of the middles of empty squares of files f to h: of the light ones, and of the dark ones.
fn shades(sim: &Simulation, frame: &SimFrame) -> [[f64; 3]; 2] {
    let mut sums = [[0.0; 3]; 2];
    for square in Square::ALL.into_iter().filter(|s| s.file() as u8 >= 5 && (2..=5).contains(&(s.rank() as u8))) {
        let centre = square_centre(square);
        let p = sim.camera().to_image(&nalgebra::Point3::new(centre.x, centre.y, 0.0));
        let shade = usize::from(square.is_dark());
        for (dx, dy) in (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
            let pixel = frame.image.get_pixel((p.x.round() as i32 + dx) as u32, (p.y.round() as i32 + dy) as u32);
            (0..3).for_each(|k| sums[shade][k] += f64::from(pixel.0[k]));
        }
    }
    sums
}

/// What a shadow over files e to h, from the first ply on, leaves of light and of dark squares: red, green, blue.
fn left_in_shadow(contrast: f64, shadow: PassingShadow) -> [[f64; 3]; 2] {
    let mut scene = Scene::overhead();
    (scene.camera.width, scene.camera.height) = (320, 240);
    scene.sensor = Sensor { contrast, ..Sensor::steady() };
    scene.light.ambient = 0.9;
    scene.passing_shadow = vec![shadow];
    let mut sim = simulation(&scene, "a2a3 a7a6", 4).stills();
    let frames: Vec<SimFrame> = sim.by_ref().collect();
    let (before, after) = (shades(&sim, &frames[0]), shades(&sim, &frames[1]));
    assert!(shades(&sim, &frames[2]).iter().zip(&after).all(|(a, b)| (a[1] / b[1] - 1.0).abs() < 0.01), "it stays");
    [0, 1].map(|shade| [0, 1, 2].map(|k| after[shade][k] / before[shade][k]))
}

/// Over files e to h for two plies.
fn over_half(darkness: f64) -> PassingShadow {
    PassingShadow {
        ply: 1,
        plies: 2,
        darkness,
        width: 8.0,
        edge: 0.5,
        direction_deg: 0.0,
        speed_m_s: 0.0,
        offset: 4.0,
        ..PassingShadow::default()
    }
}

#[test]
fn under_a_tone_curve_dark_squares_fall_by_more_than_light_ones() {
    // As in real recordings: light squares fall to 0.48, dark ones to 0.38.
    let [light, dark] = left_in_shadow(1.0, over_half(0.7));
    assert!((light[1] - 0.48).abs() < 0.05, "light squares fall to {}", light[1]);
    assert!((dark[1] - 0.38).abs() < 0.05, "dark squares fall to {}", dark[1]);
    let [light, dark] = left_in_shadow(0.0, over_half(0.7));
    assert!((light[1] - dark[1]).abs() < 0.06, "without the curve: {} and {}", light[1], dark[1]);
}

#[test]
fn a_shadow_has_the_hue_of_the_light_that_is_left() {
    let hue = |shadow| {
        let [light, _] = left_in_shadow(0.0, shadow);
        light[2] / light[0]
    };
    let (grey, blue) = (hue(over_half(0.5)), hue(PassingShadow { tint: [0.9, 1.0, 1.1], ..over_half(0.5) }));
    // The light turns by 22 %; levels, with a gamma of 2.2, by some 10 %.
    assert!((1.06..1.14).contains(&(blue / grey)), "blue over red turns by {}", blue / grey);
    // Less than no darkness is light that is added.
    let [light, dark] = left_in_shadow(0.0, over_half(-0.5));
    assert!(light[1] > 1.1 && dark[1] > 1.1, "{light:?} {dark:?}");
}

#[test]
fn the_light_from_everywhere_colours_the_shadows_of_men() {
    let picture = |fill| {
        let mut scene = small(Scene::overhead());
        scene.sensor = Sensor { white_balance: 1.0, ..Sensor::steady() };
        (scene.light.ambient, scene.light.elevation_deg, scene.light.softness) = (0.3, 25.0, 0.02);
        scene.light.fill = fill;
        simulation(&scene, "", 1).stills().next().unwrap().image
    };
    let (grey, blue) = (picture([1.0; 3]), picture([0.8, 1.0, 1.2]));
    let hue = |p: &image::Rgb<u8>| f64::from(p.0[2].max(1)) / f64::from(p.0[0].max(1));
    let luma = |p: &image::Rgb<u8>| p.0.iter().map(|v| u32::from(*v)).sum::<u32>();
    let mut turns: Vec<(u32, f64)> = grey
        .pixels()
        .zip(blue.pixels())
        .filter(|(g, _)| luma(g) > 30)
        .map(|(g, b)| (luma(g), hue(b) / hue(g)))
        .collect();
    turns.sort_by_key(|t| t.0);
    let mean = |part: &[(u32, f64)]| part.iter().map(|t| t.1).sum::<f64>() / part.len() as f64;
    let fifth = turns.len() / 5;
    let (shade, lit) = (mean(&turns[..fifth]), mean(&turns[4 * fifth..]));
    assert!(shade > lit + 0.05 && lit >= 1.0, "in the shade blue turns by {shade}, in the light by {lit}");
}

#[test]
fn a_hand_may_rest_while_plies_go_by_and_the_truth_goes_on() {
    let mut scene = small(Scene::oblique(60.0));
    scene.resting_hand = vec![RestingHand { ply: 1, plies: 2, player: Player::White, at: [4.0, 0.3], height: 0.1 }];
    let line = "e2e4 e7e5 g1f3 b8c6";
    let stills: Vec<SimFrame> = simulation(&scene, line, 2).stills().collect();
    let plain: Vec<SimFrame> = simulation(&Scene { resting_hand: vec![], ..scene.clone() }, line, 2).stills().collect();
    let states: Vec<State> = stills.iter().map(|f| f.state).collect();
    assert_eq!(states, [State::Clean, State::Hand, State::Hand, State::Clean, State::Clean]);
    for (frame, without) in stills.iter().zip(&plain) {
        assert_eq!((frame.ply, &frame.placement, &frame.word), (without.ply, &without.placement, &without.word));
        assert_eq!(frame.clean, frame.hidden.is_none());
        if let Some(hidden) = &frame.hidden {
            assert!(hidden[Square::E1 as usize].max(hidden[Square::D1 as usize]) > 0.2, "it lies over White's men");
            assert!(hidden[Square::A8 as usize] == 0.0);
            let changed = frame.image.pixels().zip(without.image.pixels()).filter(|(a, b)| a != b).count();
            assert!(changed > 200, "the hand is not seen");
        }
    }
    // In the film every picture of those plies has it.
    let film: Vec<SimFrame> = simulation(&scene, line, 2).collect();
    assert!(film.iter().filter(|f| (1..3).contains(&f.ply)).all(|f| f.state == State::Hand && !f.clean));
    assert!(film.iter().any(|f| f.ply == 4 && f.clean));
    assert!(film.iter().filter(|f| (1..3).contains(&f.ply)).any(|f| f.note == "resting"));
}

#[test]
fn a_man_is_held_over_another_square_before_it_is_set_down() {
    let scene = small(Scene::oblique(60.0));
    let pictures = |seconds: f64| {
        let story = crate::sim::Story {
            moves: super::moves(&shakmaty::Chess::default(), "e2e4 e7e5"),
            ..crate::sim::Story::default()
        };
        let film = Simulation::new(&scene, story.with(0, What::Hover(Square::E3, seconds)), 3).unwrap();
        film.filter(|f| f.note == "held over another square")
            .map(|f| {
                assert_eq!((f.ply, f.state, f.clean), (0, State::Hand, false));
                assert!(f.placement.piece_at(Square::E2).is_none() && f.placement.piece_at(Square::E3).is_none());
            })
            .count()
    };
    // Four pictures a second.
    assert!((7..=9).contains(&pictures(2.0)), "{}", pictures(2.0));
    assert!(pictures(0.5) <= 3);
}

#[test]
fn an_illegal_move_that_stands_ends_the_true_record() {
    let text = "1. e4 e5 {[%stands d1d3 b8c6 d3c6]} *";
    let game = crate::game::pgn_in::read_games(text)[0].clone().unwrap();
    let scene = small(Scene::oblique(60.0));
    let stills: Vec<SimFrame> = Simulation::new(&scene, &game, 3).unwrap().stills().collect();
    let told: Vec<(usize, &str, Option<&str>, State)> =
        stills.iter().skip(2).map(|f| (f.ply, f.word.as_ref(), f.uci.as_deref(), f.state)).collect();
    let illegal = |state| (2, "illegal:path_blocked", Some("d1d3"), state);
    assert_eq!(
        told,
        [
            (2, "move", Some("e7e5"), State::Clean),
            illegal(State::Clean),
            illegal(State::Irregular),
            illegal(State::Irregular)
        ]
    );
    let last = &stills[5].placement;
    assert!(
        last.piece_at(Square::D3).is_none()
            && last.piece_at(Square::C6).is_some_and(|p| p.role == shakmaty::Role::Queen)
    );
    assert_eq!(Simulation::new(&scene, &game, 3).unwrap().moves().len(), 2);
    let film: Vec<SimFrame> = Simulation::new(&scene, &game, 3).unwrap().collect();
    let from = film.iter().position(|f| f.word.starts_with("illegal")).unwrap();
    assert!(film[from..].iter().all(|f| f.word == "illegal:path_blocked"), "it stands to the end");
    let early = Simulation::new(
        &scene,
        crate::sim::Story {
            moves: super::moves(&shakmaty::Chess::default(), "e2e4 e7e5"),
            ..crate::sim::Story::default()
        }
        .with(1, What::Stands(vec![])),
        3,
    );
    assert!(early.unwrap_err().to_string().contains("belongs after the last ply"));
}
