//! Whole games on the simulated board: the record must be the game, ply for ply, from any side the camera looks.

use std::path::Path;

use chess_observer::{
    endgame::Outcome,
    event::{Event, line::Line},
    frame::{Frame, Stamp},
    game::pgn_in::{GameText, read_games},
    observer::{Endgame, Observer},
    params::Params,
    sim::{
        Scene, Simulation,
        scene::{Player, RestingHand},
    },
};

/// The first `plies` of a game with castling to either side, captures and checks.
fn game(plies: usize) -> GameText {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/forty_plies.pgn");
    let mut game = read_games(&std::fs::read_to_string(path).unwrap()).remove(0).unwrap();
    game.moves.truncate(plies);
    game
}

/// A scene in the size of a small camera.
fn camera(mut scene: Scene) -> Scene {
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (640, 480, 10.0);
    scene
}

/// What the observer makes of a simulation: its record as UCI, and everything that it told.
fn follow(simulation: Simulation, params: &Params, begin: Stamp) -> (Observer, Vec<(usize, Event)>) {
    let mut observer = Observer::new(params).unwrap();
    let mut told = Vec::new();
    for (i, picture) in simulation.enumerate() {
        let frame = Frame::from_rgb(&picture.image).unwrap();
        let events = observer.observe(&frame, Stamp(begin.0 + picture.stamp.0));
        told.extend(events.into_iter().map(|e| (i, e)));
    }
    (observer, told)
}

fn ucis(observer: &Observer) -> Vec<String> {
    read_games(&observer.pgn()).remove(0).unwrap().ucis()
}

/// The events alone tell the same game, and nothing that did not happen.
fn told(events: &[(usize, Event)]) -> Vec<String> {
    let mut line = Line::default();
    events.iter().for_each(|(i, event)| line.push(*i, event));
    assert_eq!(line.contradictions(), [""; 0]);
    line.plies().iter().map(|p| p.uci.to_string()).collect()
}

fn stills() -> Params {
    Params { sight_stills: true, ..Params::default() }
}

fn is_followed(scene: Scene, plies: usize, video: bool) {
    let game = game(plies);
    let simulation = Simulation::new(&camera(scene), &game, 1).unwrap();
    let (simulation, params) = if video { (simulation, Params::default()) } else { (simulation.stills(), stills()) };
    let (observer, events) = follow(simulation, &params, Stamp(0));
    assert_eq!(ucis(&observer), game.ucis(), "{events:#?}");
    assert_eq!(told(&events), game.ucis());
    let illegal = events.iter().filter(|(_, e)| matches!(e, Event::Illegal { .. })).count();
    assert_eq!(illegal, 0, "{events:#?}");
}

#[test]
fn forty_plies_from_45_degrees() {
    is_followed(Scene::oblique(45.0), 40, false);
}

#[test]
fn forty_plies_from_overhead() {
    is_followed(Scene::overhead(), 40, false);
}

#[test]
fn a_film_from_45_degrees() {
    is_followed(Scene::oblique(45.0), FILMED, true);
}

#[test]
fn a_film_from_overhead() {
    is_followed(Scene::overhead(), FILMED, true);
}

/// Of the films only the first plies, for they take long: two captures are the last of them. All forty are right too.
const FILMED: usize = 18;

/// Who hesitates holds his man low over another square, without moving, for longer than a hand takes to let go of one.
#[test]
fn a_man_held_over_another_square_is_waited_for() {
    let game = &read_games("1. d4 d5 2. Nf3 Nf6 3. c4 e6 4. Bg5 c5 *")[0];
    let game = game.as_ref().expect("a game");
    let mut scene = Scene::oblique(50.0);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    (scene.pace.rest_min_s, scene.pace.rest_max_s, scene.pace.hand_m_s) = (1.2, 1.8, 0.8);
    (scene.habits.hover, scene.habits.hover_min_s, scene.habits.hover_max_s) = (1.0, 2.0, 2.0);
    let (observer, events) = follow(Simulation::new(&scene, game, 1042).unwrap(), &Params::default(), Stamp(0));
    assert_eq!(ucis(&observer), game.ucis(), "{events:#?}");
    let wrong = |e: &Event| matches!(e, Event::Revised { .. } | Event::TakeBack { .. } | Event::Illegal { .. });
    assert!(!events.iter().any(|(_, e)| wrong(e)), "{events:#?}");
}

/// In quick play one picture a second seldom shows a ply twice before the next hand comes: none shows a board that has not changed
/// since the one before.
#[test]
fn blitz_of_a_picture_a_second_costs_no_ply() {
    let (game, observer, events) = blitz(1.0);
    assert_eq!(ucis(&observer), game.ucis(), "{events:#?}");
}

/// Of one picture in two seconds the first that is not under a hand shows three plies of White and two of Black at once, and none
/// before it which was the first. They are all told, and what is told for likelier than not is right.
#[test]
fn blitz_of_a_picture_in_two_seconds_costs_no_ply_and_no_order_is_claimed_that_nothing_showed() {
    let (game, observer, events) = blitz(0.5);
    let text = observer.pgn();
    let record = read_games(&text).remove(0).unwrap();
    assert_eq!(record.positions().last(), game.positions().last(), "{events:#?}");
    let in_any_order = |game: &GameText| {
        let mut plies: Vec<_> = game.ucis().into_iter().enumerate().map(|(i, uci)| (i % 2, uci)).collect();
        plies.sort();
        plies
    };
    assert_eq!(in_any_order(&record), in_any_order(&game), "{events:#?}");
    let mut sure = 0;
    for (_, event) in &events {
        if let Event::Move { ply, uci, confidence, .. } = event
            && *confidence > 0.5
        {
            assert_eq!(uci.to_string(), game.ucis()[ply - 1], "{events:#?}");
            sure += 1;
        }
    }
    assert!(sure >= game.moves.len() / 3, "{sure} of {}: {events:#?}", game.moves.len());
}

/// What is made of a film of quick play, and what was played. Nothing illegal is told.
fn blitz(rate_hz: f64) -> (GameText, Observer, Vec<(usize, Event)>) {
    let game = game(12);
    let mut scene = camera(Scene::from_toml(include_str!("../../scenes/blitz.toml")).unwrap());
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (rate_hz, 1);
    let (observer, events) = follow(Simulation::new(&scene, &game, 3).unwrap(), &Params::default(), Stamp(0));
    assert!(!events.iter().any(|(_, e)| matches!(e, Event::Illegal { .. })), "{rate_hz} a second: {events:#?}");
    (game, observer, events)
}

/// A first picture of another day: every man stands elsewhere on his square, the camera a little farther off, the light
/// comes from another side.
#[test]
fn a_first_picture_of_another_day_costs_no_ply() {
    let game = game(11);
    let mut scene = camera(Scene::overhead());
    (scene.men.off_centre, scene.men.turn_deg) = (0.2, 180.0);
    let stills = |scene: &Scene, seed| Simulation::new(scene, &game, seed).unwrap().stills().map(|shown| shown.image);
    let mut another_day = scene.clone();
    another_day.light.azimuth_deg += 140.0;
    another_day.sensor.exposure *= 0.6;
    another_day.camera.distance_m *= 1.02;
    let pictures = stills(&another_day, 1).take(1).chain(stills(&scene, 2).skip(1));
    let mut observer = Observer::new(&self::stills()).unwrap();
    let mut events = vec![];
    for (i, picture) in pictures.enumerate() {
        let told = observer.observe(&Frame::from_rgb(&picture).unwrap(), Stamp::from_s(i as f64 * 5.0));
        events.extend(told.into_iter().map(|event| (i, event)));
    }
    assert_eq!(told(&events), game.ucis(), "{events:#?}");
}

/// Nothing learnt before the first ply is worth more than what a better picture shows: films that begin five times too bright, or
/// with both players' hands over their men.
#[test]
fn a_film_that_begins_badly_costs_no_ply() {
    let film = || {
        let mut scene = Scene::oblique(50.0);
        (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
        scene
    };
    let (mut bright, mut hands) = (film(), film());
    bright.opening.exposure = 5.0;
    hands.opening.hands_s = 2.0;
    is_followed(bright, 6, true);
    is_followed(hands, 6, true);
}

/// From 30° a pawn's first step hides its own square and throws a shadow: the picture shows the first position by itself as
/// clearly as the one before, and yet a ply was played.
#[test]
fn a_first_ply_is_no_new_beginning() {
    let game = game(2);
    let mut scene = Scene::default();
    scene.camera.elevation_deg = 30.0;
    for seed in [5, 7, 9, 19] {
        let simulation = Simulation::new(&scene, &game, seed).unwrap().stills();
        let (observer, events) = follow(simulation, &stills(), Stamp(0));
        assert_eq!(ucis(&observer), game.ucis(), "seed {seed}: {events:#?}");
    }
}

/// A hand that comes to rest over b1 and its neighbours hides them and says nothing of who stands there: the knight leaves b1 under it.
#[test]
fn men_under_a_hand_that_rests_play_on() {
    let mut scene = Scene::oblique(50.0);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    scene.resting_hand = vec![RestingHand { ply: 2, plies: 8, player: Player::White, at: [1.8, 0.3], height: 1.3 }];
    is_followed(scene, 6, true);
}

/// A hand rests where it hides a part of whoever stands on f3 in the picture. It lay there before the knight came, so it does not hold
/// him, and what is played beside it is told while it rests.
#[test]
fn a_man_is_told_who_comes_to_a_hand_that_rests() {
    let mut scene = Scene::oblique(50.0);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    scene.resting_hand = vec![RestingHand { ply: 2, plies: 8, player: Player::White, at: [6.3, 2.2], height: 1.4 }];
    let game = read_games("1. e4 e5 2. Nf3 d6 3. d4 *").remove(0).unwrap();
    let (_, events) = follow(Simulation::new(&scene, &game, 1).unwrap(), &Params::default(), Stamp(0));
    assert_eq!(told(&events), game.ucis());
}

#[test]
fn the_same_pictures_tell_the_same() {
    let game = game(4);
    let look = || {
        let simulation = Simulation::new(&camera(Scene::oblique(45.0)), &game, 2);
        follow(simulation.unwrap().stills(), &stills(), Stamp(0)).1
    };
    let first = look();
    assert_eq!(told(&first), game.ucis());
    assert_eq!(first, look());
}

#[test]
fn games_are_dated_by_the_camera_where_its_clock_tells_the_day() {
    let game = game(2);
    let date = |begin: Stamp| {
        let simulation = Simulation::new(&camera(Scene::overhead()), &game, 3);
        let (mut observer, _) = follow(simulation.unwrap().stills(), &stills(), begin);
        assert_eq!(ucis(&observer), game.ucis());
        observer.set_result("0-1").unwrap();
        observer.new_game(None).unwrap();
        // The game that ended is complete, and the next one is dated as well.
        let [old] = observer.finished() else { panic!("{:?}", observer.finished()) };
        assert!(old.contains("[Result \"0-1\"]") && old.trim_end().ends_with("0-1"), "{old}");
        [old.as_str(), &observer.pgn()].map(|pgn| read_games(pgn).remove(0).unwrap().tags().date)
    };
    assert_eq!(date(Stamp(0)), ["", ""]);
    // A second before the end of a leap day: the pictures are two seconds apart.
    assert_eq!(date(Stamp(1_709_251_199_000_000_000)), ["2024.02.29", "2024.03.01"]);
}

#[test]
fn the_endgame_tables_are_asked() {
    let mut observer = Observer::new(&Params::default()).unwrap();
    assert_eq!(observer.position().endgame, None);
    let mut probe = |fen: &str| {
        observer.set_position(fen).unwrap();
        observer.position().endgame
    };
    let known = |outcome, distance| Some(Endgame { outcome, distance });
    assert_eq!(probe("7k/8/6K1/8/8/8/8/R7 w - - 0 1"), known(Outcome::Win, Some(1)));
    assert_eq!(probe("7k/8/6K1/8/8/8/8/R7 b - - 0 1").unwrap().outcome, Outcome::Loss);
    assert_eq!(probe("8/8/8/8/8/3k4/3R4/7K b - - 0 1"), known(Outcome::Draw, None));
    assert_eq!(probe("8/8/8/8/8/3k4/3Q4/7K b - - 0 1"), known(Outcome::Draw, None));
    assert_eq!(probe("8/8/8/8/8/k7/3q4/7K w - - 0 1").map(|found| found.outcome), Some(Outcome::Loss));
    assert_eq!(probe("8/8/8/4k3/3n4/8/3R4/7K w - - 0 1"), None);
}
