//! Laws of what happens beside the moves.

use std::collections::BTreeSet;

use shakmaty::{Board, Chess, Position as _};

use crate::{
    event::reasons::IllegalReason,
    game::{pgn_in::read_games, start::Start, verdicts},
    sim::{
        Scene, SimFrame, Simulation, State, Story,
        dice::Dice,
        play::{
            habits,
            script::{
                Script,
                tests::{EVERYTHING, moves},
            },
        },
        scene::Habits,
    },
};

/// Every kind of incident; game, and words that must come in this order among the pictures without a hand.
const GAMES: [(&str, &[&str]); 16] = [
    (
        "{[%illegal e7e5]} 1. e4 {[%illegal e8e7,d8e8]} e5 *",
        &["illegal:wrong_side", "illegal_takeback", "move", "illegal:too_many_changes", "illegal_takeback", "move"],
    ),
    (
        "{[%illegal e2e5]} 1. e4 {[%illegal h8h6]} e5 *",
        &["illegal:wrong_piece_movement", "illegal_takeback", "move", "illegal:path_blocked"],
    ),
    (
        "{[%illegal d1d2]} 1. e4 {[%illegal n@f6]} e5 *",
        &["illegal:own_piece_captured", "illegal_takeback", "move", "illegal:no_piece_there"],
    ),
    ("[FEN \"4k3/8/8/8/4r3/8/4N3/4K2R w K - 0 1\"]\n\n{[%illegal e2c3]} 1. h2 *", &[]),
    (
        "[FEN \"4k3/8/8/8/4r3/8/4N3/4K2R w K - 0 1\"]\n\n{[%illegal e2c3]} 1. Rh8+ {[%illegal e8g8]} Kd7 *",
        &["illegal:king_left_in_check", "illegal_takeback", "move", "illegal:king_left_in_check"],
    ),
    (
        "[FEN \"4k3/8/8/8/5r2/8/8/4K2R w K - 0 1\"]\n\n{[%illegal e1g1,h1f1]} 1. Ke2 *",
        &["illegal:castling_not_allowed", "illegal_takeback", "move"],
    ),
    (
        "[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1\"]\n\n{[%illegal e5d6,xd5]} 1. e6 *",
        &["illegal:en_passant_not_allowed", "illegal_takeback", "move"],
    ),
    (
        "[FEN \"8/4P2k/8/8/8/8/8/4K3 w - - 0 1\"]\n\n{[%illegal e7e8]} 1. e8=R {[%kings 1-0]} *",
        &["illegal:promotion_missing", "illegal_takeback", "promotion_R", "result"],
    ),
    (
        "[FEN \"8/4P2k/8/8/8/8/8/4K3 w - - 0 1\"]\n\n{[%late_promotion][%slide]} 1. e8=Q {[%kings]} 1/2-1/2",
        &["promotion_Q", "promotion_Q", "result"],
    ),
    (
        "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n{[%slow]} 1. O-O {[%rook_first]} O-O-O {[%kings]} 0-1",
        &["castle_k", "castle_k", "castle_q", "castle_q", "result"],
    ),
    ("1. e4 {[%takeback g8f6 e4e5]} e5 2. Nf3 *", &["move", "move", "move", "takeback", "takeback", "move", "move"]),
    (
        "1. e4 d5 {[%takeback e4d5 d8d5][%in_hand]} 2. exd5 {[%put_first]} Qxd5 *",
        &["move", "move", "capture", "capture", "takeback", "takeback", "capture", "capture"],
    ),
    (
        "{[%touch d1][%adjust e1]} 1. e4 {[%knock g8][%knock b1]} e5 2. Nf3 *",
        &["touch", "adjust", "move", "knock_over", "knock_over", "knock_over", "move"],
    ),
    ("{[%rest 4.0]} 1. e4 e5 {[%rest 1.0][%knock f1]} 2. Nf3 *", &["move", "knock_over", "knock_over"]),
    (
        "[FEN \"8/4P3/7k/8/8/8/8/4K3 w - - 0 1\"]\n\n{[%takeback e7e8q h6g5]} 1. e8=Q *",
        &["promotion_Q", "move", "takeback", "takeback", "promotion_Q"],
    ),
    ("1. e4 {[%clear_first][%illegal e7e5,xd2,Q@d2]} e5 *", &[]),
];

fn story(text: &str) -> Option<Story> {
    Story::read(read_games(text)[0].as_ref().ok()?).ok()
}

fn tiny() -> Scene {
    let mut scene = Scene::oblique(45.0);
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (64, 64, 4.0);
    (scene.pace.rest_min_s, scene.pace.rest_max_s) = (0.6, 0.8);
    (scene.pace.stand_min_s, scene.pace.stand_max_s) = (1.0, 1.5);
    scene.habits = Habits { adjust: 0.0, slide: 0.0, ..Habits::default() };
    scene
}

fn positions(story: &Story) -> Vec<Chess> {
    let mut all = vec![story.start.position().clone()];
    for m in &story.moves {
        let mut next = all[all.len() - 1].clone();
        next.play_unchecked(*m);
        all.push(next);
    }
    all
}

/// What the pictures without a hand tell, each once.
fn told(frames: &[SimFrame]) -> Vec<(String, Option<String>, usize, State, Board)> {
    let rows = frames.iter().filter(|f| f.clean);
    let mut rows: Vec<_> =
        rows.map(|f| (f.word.to_string(), f.uci.clone(), f.ply, f.state, f.placement.clone())).collect();
    rows.dedup();
    rows
}

/// Clean pictures are the truth's position, or the illegal change that their word names.
fn is_true(story: &Story, frames: &[SimFrame], name: &str) {
    let positions = positions(story);
    for frame in frames {
        assert_eq!(frame.clean, frame.state != State::Hand, "{name}");
        if frame.state != State::Clean || frame.word == "result" {
            continue;
        }
        let position = &positions[frame.ply];
        match frame.word.strip_prefix("illegal:") {
            Some(why) => {
                let reasons = verdicts::judge(position, &frame.placement).reasons;
                assert_eq!(reasons.iter().next().map(IllegalReason::word).as_deref(), Some(why), "{name}");
            }
            None => assert_eq!(&frame.placement, position.board(), "{name}: clean picture of ply {}", frame.ply),
        }
    }
    let last = frames.last().unwrap();
    assert_eq!(last.ply, story.moves.len(), "{name}");
    if last.word != "result" {
        assert_eq!(&last.placement, positions[last.ply].board(), "{name}: the end");
    }
}

#[test]
fn every_incident_is_shown_as_told_in_film_and_stills() {
    let mut reasons = BTreeSet::new();
    for (text, words) in GAMES {
        let Some(story) = story(text) else {
            assert!(words.is_empty(), "{text} is not read");
            continue;
        };
        let simulation = || Simulation::new(&tiny(), story.clone(), 5);
        if words.is_empty() {
            assert!(simulation().is_err(), "{text} is played");
            continue;
        }
        let film: Vec<_> = simulation().unwrap().collect();
        let stills: Vec<_> = simulation().unwrap().stills().collect();
        assert_eq!(simulation().unwrap().stills().frames(), stills.len());
        is_true(&story, &film, text);
        is_true(&story, &stills, text);
        let (film, stills) = (told(&film), told(&stills));
        let mut order = words.iter();
        let mut next = order.next();
        for row in &film {
            if next.is_some_and(|w| row.0 == **w) {
                next = order.next();
            }
            reasons.extend(row.0.strip_prefix("illegal:").map(str::to_owned));
        }
        assert_eq!(next, None, "{text} tells {:?}", film.iter().map(|r| &r.0).collect::<Vec<_>>());
        let shown: Vec<_> = film.iter().filter(|r| r.0 != "touch" && r.0 != "adjust").collect();
        // While a hand rests in view, the opponent may have replied: the film has no picture without a hand in between.
        let rests = text.contains("[%rest");
        let stills: Vec<_> = stills.iter().filter(|row| !rests || shown.contains(row)).collect();
        assert_eq!(shown, stills, "{text}: film and stills");
    }
    assert_eq!(reasons, BTreeSet::from(IllegalReason::ALL.map(IllegalReason::word)));
}

#[test]
fn plies_go_back_when_they_are_taken_back() {
    let story = story("1. e4 {[%takeback g8f6 e4e5]} e5 *").unwrap();
    let stills: Vec<_> = Simulation::new(&tiny(), story, 1).unwrap().stills().collect();
    let rows: Vec<_> =
        stills.iter().map(|f| (f.ply, f.word.as_ref(), f.uci.as_deref().unwrap_or(""), f.state)).collect();
    use State::{Clean, Irregular};
    assert_eq!(
        rows,
        [
            (0, "start", "", Clean),
            (1, "move", "e2e4", Clean),
            (2, "move", "g8f6", Irregular),
            (3, "move", "e4e5", Irregular),
            (2, "takeback", "e4e5", Irregular),
            (1, "takeback", "g8f6", Clean),
            (2, "move", "e7e5", Clean),
        ]
    );
}

#[test]
fn a_castling_half_made_is_irregular_and_no_ply_yet() {
    let text = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n{[%slow]} 1. O-O {[%rook_first]} O-O-O *";
    let stills: Vec<_> = Simulation::new(&tiny(), story(text).unwrap(), 1).unwrap().stills().collect();
    let fen = |i: usize| stills[i].placement.to_string();
    assert_eq!(
        [fen(1), fen(2), fen(3)],
        ["r3k2r/8/8/8/8/8/8/R5KR", "r3k2r/8/8/8/8/8/8/R4RK1", "3rk2r/8/8/8/8/8/8/R4RK1"]
    );
    assert_eq!(stills.iter().map(|f| f.ply).collect::<Vec<_>>(), [0, 0, 1, 1, 2]);
    assert_eq!((stills[1].state, stills[3].state, stills[4].state), (State::Irregular, State::Irregular, State::Clean));
}

#[test]
fn the_kings_stand_where_their_result_says() {
    for (result, light) in [("1-0", [true, true]), ("0-1", [false, false]), ("1/2-1/2", [true, false])] {
        // The black king is on one of the squares already, and a rook stands on another.
        let text = format!("[FEN \"8/8/8/7R/4k3/8/8/K7 w - - 0 1\"]\n\n1. Rd5 {{[%kings]}} {result}");
        let last = Simulation::new(&tiny(), story(&text).unwrap(), 2).unwrap().stills().last().unwrap();
        let mut kings: Vec<_> = last.placement.kings().into_iter().collect();
        assert!(kings.iter().all(|k| ["d4", "d5", "e4", "e5"].contains(&k.to_string().as_str())), "{kings:?}");
        kings.sort_by_key(|k| !k.is_light());
        assert_eq!([kings[0].is_light(), kings[1].is_light()], light, "{result}");
        assert_eq!((last.word.as_ref(), last.uci.as_deref()), ("result", Some(result)));
    }
}

#[test]
fn what_does_not_fit_is_refused_by_ply() {
    for (text, ply, part) in [
        ("{[%illegal e2e4]} 1. e4 *", 1, "it is no illegal change"),
        ("{[%illegal e4e5]} 1. e4 *", 1, "no man stands on e4"),
        ("{[%illegal e2e4,e4e2]} 1. e4 *", 1, "it changes nothing"),
        ("1. e4 {[%slow]} e5 *", 2, "the ply is no castling"),
        ("1. e4 {[%slow]} *", 2, "no ply follows it"),
        ("{[%kings 1-0]} 1. e4 *", 1, "it belongs after the last ply"),
        ("1. e4 e5 {[%slide]} 2. Nf3 *", 3, "no knight"),
        ("1. e4 {[%knock e7]} e5 *", 2, "on e7 no man stands through"),
        ("1. e4 {[%late_promotion]} e5 *", 2, "no promotion"),
        ("1. e4 {[%in_hand]} e5 *", 2, "no capture"),
        ("1. e4 {[%touch e2]} e5 *", 2, "no man stands on e2"),
    ] {
        let error = Simulation::new(&tiny(), story(text).unwrap(), 1).unwrap_err().to_string();
        assert!(error.starts_with(&format!("ply {ply}: [%")) && error.contains(part), "{text}: {error}");
    }
}

#[test]
fn every_habit_fits_every_game_and_the_truth_stays_the_game() {
    let every = Habits {
        illegal: 0.5,
        touch: 0.3,
        adjust: 0.3,
        take_back: 0.3,
        knock_over: 0.3,
        rest: 0.3,
        hover: 0.3,
        slide: 0.5,
        slow_castling: 0.5,
        rook_first: 0.5,
        late_promotion: 0.5,
        in_hand: 0.4,
        put_first: 0.4,
        kings_for_result: true,
        ..Habits::default()
    };
    let start = Start::default();
    let plain: Story = (start.clone(), moves(start.position(), EVERYTHING)).into();
    let mut scene = tiny();
    scene.habits = every.clone();
    let boards = positions(&plain);
    let mut kinds = BTreeSet::new();
    for seed in 0..12 {
        let story = every.embellish(plain.clone(), seed);
        assert_eq!((&story.moves, &story.incidents), (&plain.moves, &every.embellish(plain.clone(), seed).incidents));
        kinds.extend(story.incidents.iter().map(|i| i.what.to_string().split(' ').next().unwrap().replace(']', "")));
        let script = Script::new(&scene, &story, seed).unwrap();
        let mut cast = script.cast.clone();
        for act in &script.acts {
            act.tasks.iter().for_each(|task| cast.perform(*task));
            assert!(cast.shows(&act.placement), "seed {seed}, {:?}: {}", act.label, cast.placement());
            if act.state == State::Clean && !act.label.word.starts_with("illegal:") {
                assert_eq!(&act.placement, boards[act.plies].board(), "seed {seed}, {:?}", act.label);
            }
        }
        assert_eq!(script.acts.last().unwrap().plies, plain.moves.len());
        assert_ne!(story.incidents, every.embellish(plain.clone(), seed + 100).incidents);
    }
    for kind in [
        "illegal",
        "touch",
        "adjust",
        "takeback",
        "knock",
        "rest",
        "hover",
        "slide",
        "slow",
        "rook_first",
        "late_promotion",
    ] {
        assert!(kinds.contains(&format!("[%{kind}")), "{kind} never happens: {kinds:?}");
    }
    let none = Habits { adjust: 0.0, slide: 0.0, ..Habits::default() };
    assert_eq!(none.embellish(plain.clone(), 1), plain);
}

#[test]
fn illegal_moves_are_drawn_from_every_reason_that_the_position_allows() {
    // A pawn that may promote, pawns side by side, castling forbidden by the rook on f8, a pinned bishop.
    let start = Start::from_fen("5r2/P5k1/4r3/1Pp5/8/8/4B3/4K2R w K - 0 1").unwrap();
    let mut seen = BTreeSet::new();
    for seed in 0..400 {
        let hands = habits::illegal(start.position(), &mut Dice::new(seed, 9)).unwrap();
        let after = habits::after(start.position().board(), &hands);
        seen.extend(verdicts::judge(start.position(), &after).reasons.iter().next());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), IllegalReason::ALL);
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_every_habit() {
    let mut scene = tiny();
    let habits = &mut scene.habits;
    (habits.illegal, habits.touch, habits.take_back, habits.knock_over, habits.rest) = (0.4, 0.4, 0.4, 0.4, 0.4);
    (scene.pace.rest_min_s, scene.pace.rest_max_s) = (-0.5, 0.2);
    let line = moves(&Chess::default(), "e2e4 d7d5 e4d5");
    let shoot = |seed| {
        let film = Simulation::new(&scene, (Start::default(), line.clone()), seed).unwrap();
        film.map(|f| (f.stamp, f.word, f.state, f.image.into_raw())).collect::<Vec<_>>()
    };
    let first = shoot(3);
    assert!(first == shoot(3), "two films of one seed differ");
    assert!(first.iter().map(|f| &f.1).collect::<BTreeSet<_>>() != shoot(4).iter().map(|f| &f.1).collect());
}

#[test]
fn a_man_knocked_over_lies_for_a_while_and_looks_so() {
    let mut scene = tiny();
    (scene.camera.width, scene.camera.height, scene.sensor.noise_sigma, scene.sensor.drift) = (320, 240, 0.0, 0.0);
    let shoot = |text: &str| Simulation::new(&scene, story(text).unwrap(), 3).unwrap().stills().collect::<Vec<_>>();
    let frames = shoot("{[%knock d8]} 1. e4 *");
    assert_eq!(frames.len(), 3);
    assert!(frames[1].state == State::Irregular && frames[1].ply == 1 && frames[2].state == State::Clean);
    let differing = |a: &SimFrame, b: &SimFrame| {
        let pairs = a.image.pixels().zip(b.image.pixels());
        pairs.filter(|(p, q)| (0..3).any(|k| p.0[k].abs_diff(q.0[k]) > 20)).count()
    };
    let lies = differing(&frames[1], &frames[2]);
    assert!(lies > 150, "a queen on her side changes {lies} pixels");
}
