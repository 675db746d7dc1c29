//! A robot says what it will play, and its arm stays over the board: is it recorded, and only then?

use chess_observer::{
    event::Event,
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::{Params, Value},
    sim::{
        Scene, Simulation,
        scene::{Player, RestingHand},
    },
};

/// What happened, and at which second of the film.
type Told = Vec<(f64, Event)>;

/// Three plies, e4 e5 Nf3, while Black's arm lies over the squares of its move from White's first move on until its second has been
/// made. When e4 is told, Black's `announced` is. Returns what was told, and when Black's move was made.
fn film(announced: &str, after_s: f64) -> (Told, f64) {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height) = (640, 480);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    (scene.pace.rest_min_s, scene.pace.rest_max_s) = (5.0, 5.5);
    scene.resting_hand = vec![RestingHand { ply: 1, plies: 2, player: Player::Black, at: [4.6, 4.4], height: 0.9 }];
    let game = read_games("1. e4 e5 2. Nf3 *").remove(0).expect("a game");
    let mut params = Params::default();
    params.set("game.expect_hidden_after_s", &Value::Double(after_s)).expect("a number of seconds");
    let mut observer = Observer::new(&params).expect("an observer");
    let (mut told, mut replied_s) = (Told::new(), f64::MAX);
    for shot in Simulation::new(&scene, &game, 3).expect("a scene") {
        let now_s = shot.stamp.since_s(Stamp(0));
        if shot.ply >= 2 {
            replied_s = replied_s.min(now_s);
        }
        for event in observer.observe(&Frame::from_rgb(&shot.image).expect("a frame"), shot.stamp) {
            if matches!(&event, Event::Move { ply: 1, .. }) {
                observer.expect_move(announced).expect("a legal reply");
            }
            told.push((now_s, event));
        }
    }
    (told, replied_s)
}

/// Moves and what became of them, in short.
fn short(told: &Told) -> Vec<String> {
    let word = |event: &Event| match event {
        Event::Move { uci, .. } => Some(uci.to_string()),
        Event::Revised { was, uci, .. } => Some(format!("{was} was {uci}")),
        Event::TakeBack { ply, .. } => Some(format!("{ply} taken back")),
        Event::Expected { unseen, .. } => Some(if *unseen { "expected, unseen" } else { "expected" }.to_owned()),
        Event::Unexpected { .. } => Some("unexpected".to_owned()),
        Event::Illegal { text, .. } => Some(text.clone()),
        _ => None,
    };
    told.iter().filter_map(|(_, event)| word(event)).collect()
}

fn second_of(told: &Told, wanted: &str) -> f64 {
    let found = told.iter().find(|(_, event)| matches!(event, Event::Move { uci, .. } if uci.to_string() == wanted));
    found.unwrap_or_else(|| panic!("{wanted} is not in {told:?}")).0
}

#[test]
fn a_move_that_the_arm_hides_is_recorded_on_the_robots_word() {
    let (told, replied_s) = film("e7e5", 2.0);
    assert_eq!(short(&told), ["e2e4", "e7e5", "expected, unseen", "g1f3"]);
    // Announced seven seconds before, and hidden most of that time: what was to be seen of the pawn on e7 spoke against it.
    let at_s = second_of(&told, "e7e5");
    assert!((replied_s..replied_s + 4.0).contains(&at_s), "{at_s} s, made at {replied_s} s");
    // Looks alone tell it when the arm has gone.
    let (told, _) = film("e7e5", 0.0);
    assert_eq!(short(&told), ["e2e4", "e7e5", "expected", "g1f3"]);
    assert!(second_of(&told, "e7e5") > replied_s + 6.0, "{told:?}");
}

#[test]
fn a_move_that_the_robot_did_not_make_is_not_recorded_whatever_it_said() {
    // Of the first two a square is in sight; those of the others lie under the arm, their men show between.
    for announced in ["d7d5", "h7h5", "f7f6", "f7f5", "d7d6"] {
        let (told, _) = film(announced, 1.0);
        assert_eq!(short(&told), ["e2e4", "e7e5", "unexpected", "g1f3"], "{announced}");
    }
}
