//! The record and what hangs on it, with pictures: a restart, the three modes, a game that is followed.

use chess_observer::{
    event::Event,
    frame::{Frame, Stamp},
    game::{
        pgn_in::{GameText, read_games},
        start::Start,
    },
    observer::Observer,
    params::{Params, Value},
    sim::{Scene, Simulation},
};
use image::RgbImage;
use shakmaty::{Chess, Move, Position as _, san::San};

/// Seconds of the clock at the first picture.
const CLOCK_S: f64 = 1_795_183_501.0;
/// A Ruy Lopez until most of the men have moved.
const GAME: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O";

/// A picture of each position, the first one included.
fn pictures(sans: &str) -> Vec<RgbImage> {
    pictures_from(60.0, 5, sans)
}

/// The same from so many degrees above the board's plane, with other men and wood for another seed.
fn pictures_from(elevation_deg: f64, seed: u64, sans: &str) -> Vec<RgbImage> {
    let mut scene = Scene::oblique(elevation_deg);
    (scene.camera.width, scene.camera.height) = (480, 360);
    let mut position = Chess::default();
    let mut play = |san: &str| {
        let mv = san.parse::<San>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(mv);
        mv
    };
    let moves: Vec<Move> = sans.split_whitespace().map(&mut play).collect();
    Simulation::new(&scene, (Start::default(), moves), seed).unwrap().stills().map(|frame| frame.image).collect()
}

fn observer(set: &[(&str, Value)]) -> Observer {
    let mut params = Params::default();
    for (name, value) in set {
        params.set(name, value).unwrap();
    }
    Observer::new(&params).unwrap()
}

fn stills() -> Observer {
    observer(&[("sight.stills", Value::Bool(true))])
}

fn see(observer: &mut Observer, picture: &RgbImage, seconds: f64) -> Vec<Event> {
    observer.observe(&Frame::from_rgb(picture).unwrap(), Stamp::from_s(CLOCK_S + seconds))
}

fn moves(events: &[Event]) -> Vec<String> {
    events.iter().filter_map(|e| if let Event::Move { san, .. } = e { Some(san.to_string()) } else { None }).collect()
}

/// Shows the pictures, one every ten seconds; the moves told.
fn watch(observer: &mut Observer, pictures: &[RgbImage], from: usize) -> Vec<String> {
    let mut told = Vec::new();
    for (k, picture) in pictures.iter().enumerate() {
        let events = see(observer, picture, 10.0 * (from + k) as f64);
        told.extend(moves(&events));
    }
    told
}

fn sans(game: &GameText) -> Vec<String> {
    let positions = game.positions();
    positions.iter().zip(&game.moves).map(|(position, mv)| San::from_move(position, *mv).to_string()).collect()
}

fn told_moves(range: std::ops::Range<usize>) -> Vec<String> {
    GAME.split_whitespace().skip(range.start).take(range.len()).map(str::to_owned).collect()
}

#[test]
fn a_restarted_observer_goes_on_from_the_record() {
    let pictures = pictures(GAME);
    let mut first = stills();
    assert_eq!(watch(&mut first, &pictures[..=8], 0), told_moves(0..8));
    let kept = first.pgn();
    // While it was away nothing, one ply, or two plies were played.
    for missed in 0..=2 {
        let mut second = stills();
        second.resume(&kept).unwrap();
        assert_eq!(second.pgn(), kept);
        assert_eq!(watch(&mut second, &pictures[8 + missed..], 8 + missed), told_moves(8..16), "{missed} missed");
        let game = read_games(&second.pgn()).remove(0).unwrap();
        assert_eq!(game.moves.len(), 16);
        assert_eq!(game.header("UTCTime"), Some("14:05:01"));
        // Every ply has its time, those before the restart too; together they are the game's.
        let seconds: Vec<&str> = game.comments.iter().map(|(_, comment)| comment.as_str()).collect();
        assert_eq!(seconds.iter().filter(|c| c.starts_with("[%emt 0:00:")).count(), 16, "{seconds:?}");
    }
}

/// A flat view and a steep one, three moments of the game: with up to two plies that nobody saw the record is the game. With
/// three or four the position is right in the end, but once: castling and the rook's next move look like a rook's move alone.
#[test]
fn whatever_was_played_while_it_was_away_is_made_up_for() {
    let (mut wrong, mut lost) = (Vec::new(), Vec::new());
    let mut last = Chess::default();
    for san in GAME.split_whitespace() {
        let mv = san.parse::<San>().unwrap().to_move(&last).unwrap();
        last.play_unchecked(mv);
    }
    for (elevation_deg, seed) in [(40.0, 1), (85.0, 4)] {
        let pictures = pictures_from(elevation_deg, seed, GAME);
        for at in [4, 8, 11] {
            let mut first = stills();
            watch(&mut first, &pictures[..=at], 0);
            for missed in 0..=4 {
                let mut second = stills();
                second.resume(&first.pgn()).unwrap();
                watch(&mut second, &pictures[at + missed..], at + missed);
                let game = read_games(&second.pgn()).remove(0).unwrap();
                let played = sans(&game);
                let told = format!("{elevation_deg}°, {missed} missed after {at}: {}", played.join(" "));
                if missed <= 2 && played != told_moves(0..16) {
                    wrong.push(told);
                } else if missed > 2 && game.positions().last() != Some(&last) {
                    // Which of two plies of a side came first leaves no trace.
                    lost.push(told);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(lost.len() <= 1, "{lost:#?}");
}

#[test]
fn what_cannot_go_on_is_refused_and_a_new_game_stands() {
    let mut observer = stills();
    for (pgn, why) in [("", "no game"), ("1. e4 e5 1-0", "over: 1-0"), ("1. e5 *", "not legal"), ("1. e4 {", "game 1")]
    {
        let error = observer.resume(pgn).unwrap_err().to_string();
        assert!(error.contains(why), "{pgn:?}: {error}");
        assert_eq!(observer.position().ply, 0);
    }
}

#[test]
fn a_new_game_on_the_board_overrules_what_was_resumed() {
    let all = pictures(GAME);
    for plies in [6, 16] {
        let mut first = stills();
        watch(&mut first, &all[..=plies], 0);
        let kept = first.pgn();
        let mut second = stills();
        second.resume(&kept).unwrap();
        let mut events: Vec<Event> = (0..6).flat_map(|k| see(&mut second, &all[0], 900.0 + f64::from(k))).collect();
        events.extend((1..5).flat_map(|k| see(&mut second, &all[k], 1000.0 + 10.0 * k as f64)));
        assert!(events.iter().any(|e| matches!(e, Event::NewGame { .. })), "after {plies} plies");
    }
}

/// Pictures ten times a second, each `times` times; the moves, and the number of the picture with each.
fn film(observer: &mut Observer, from: usize, picture: &RgbImage, times: usize) -> Vec<(usize, String)> {
    let mut told = Vec::new();
    for k in from..from + times {
        told.extend(moves(&see(observer, picture, 0.1 * k as f64)).into_iter().map(|san| (k, san.to_owned())));
    }
    told
}

#[test]
fn three_modes_end_a_move_in_three_ways() {
    let pictures = pictures("e4 e5 Nf3");
    for (mode, by_rest, by_capture) in
        [("automatic", true, false), ("manual", false, true), ("semi_automatic", true, true)]
    {
        let mut observer = observer(&[("game.mode", Value::Text(mode.into()))]);
        assert_eq!(film(&mut observer, 0, &pictures[0], 15), []);
        // At rest for a second and a half.
        let rested = film(&mut observer, 15, &pictures[1], 15);
        assert_eq!(!rested.is_empty(), by_rest, "{mode}: {rested:?}");
        if !by_rest {
            observer.capture().unwrap();
            assert_eq!(film(&mut observer, 30, &pictures[1], 1).len(), 1, "{mode}");
        }
        // The very picture in which the man has arrived: it has not been at rest.
        assert_eq!(film(&mut observer, 31, &pictures[2], 1), [], "{mode}");
        let asked = observer.capture();
        assert_eq!(asked.is_ok(), by_capture, "{mode}");
        let at_once = film(&mut observer, 32, &pictures[2], 1);
        assert_eq!(!at_once.is_empty(), by_capture, "{mode}: {at_once:?}");
        if let Err(error) = asked {
            assert!(error.to_string().contains("semi_automatic"), "{error}");
        }
    }
}

#[test]
fn in_manual_mode_stills_wait_for_the_capture_as_well() {
    let pictures = pictures("e4");
    let mut observer = observer(&[("sight.stills", Value::Bool(true)), ("game.mode", Value::Text("manual".into()))]);
    assert_eq!(watch(&mut observer, &[pictures[0].clone(), pictures[1].clone(), pictures[1].clone()], 0), [""; 0]);
    observer.capture().unwrap();
    assert_eq!(watch(&mut observer, &pictures[1..], 3), ["e4"]);
}

#[test]
fn a_game_is_followed_and_the_first_difference_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given.pgn");
    std::fs::write(&path, "1. d4 *\n\n[White \"A\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Nxe5 *\n").unwrap();
    let path = Value::Text(path.display().to_string());
    let follow =
        [("sight.stills", Value::Bool(true)), ("game.follow_pgn", path.clone()), ("game.follow_number", Value::Int(2))];
    let mut observer = observer(&follow);
    let mut told = Vec::new();
    for (k, picture) in pictures("e4 e5 Nf3 Nc6 Bb5").iter().enumerate() {
        for event in see(&mut observer, picture, k as f64) {
            match event {
                Event::Expected { ply, .. } => told.push(format!("{ply} as expected")),
                Event::Unexpected { ply, text, .. } => told.push(format!("{ply} {text}")),
                _ => {}
            }
        }
    }
    assert_eq!(told, ["1 as expected", "2 as expected", "3 as expected", "4 Nf6 was expected, Nc6 was played."]);
    let refused = |set: &[(&str, Value)]| {
        let mut params = Params::default();
        set.iter().for_each(|(name, value)| params.set(name, value).unwrap());
        Observer::new(&params).unwrap_err().to_string()
    };
    assert!(
        refused(&[("game.follow_pgn", Value::Text("/no/such.pgn".into()))])
            .starts_with("game.follow_pgn: /no/such.pgn: ")
    );
    let error = refused(&[("game.follow_pgn", path.clone()), ("game.follow_number", Value::Int(3))]);
    assert!(error.ends_with("there is no game 3, it holds 2"), "{error}");
    let elsewhere = Value::Text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".into());
    assert!(refused(&[("game.follow_pgn", path), ("game.start_fen", elsewhere)]).contains("game.start_fen says"));
}
