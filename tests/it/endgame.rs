//! Endgame tables as their users see them: best play to the end, the command line, and the folder of Syzygy tables.

use std::collections::HashMap;

use chess_observer::{
    endgame::{Outcome, outcome, probe},
    observer::Observer,
    params::Params,
};
use shakmaty::{Board, CastlingMode, Chess, Color, Position as _, Role, Setup, Square};

use crate::support::run;

/// King and one man against king, if it is legal.
fn placed(role: Role, strong: Color, turn: Color, [king, man, weak]: [Square; 3]) -> Option<Chess> {
    let mut setup = Setup::empty();
    setup.board.set_piece_at(man, role.of(strong));
    setup.board.set_piece_at(king, strong.king());
    setup.board.set_piece_at(weak, (!strong).king());
    setup.turn = turn;
    let legal = king != man && man != weak && king != weak;
    setup.position(CastlingMode::Standard).ok().filter(|_| legal)
}

/// What came of positions: the full moves of the side that mates, and whether it was mate in the end.
type Played = HashMap<(Board, Color), (u8, bool)>;

/// Both sides play the first best move until the end, or until a position that was played before.
fn play(mut position: Chess, played: &mut Played) -> (u8, bool) {
    let winner = winner(&position);
    let mut way = Vec::new();
    let (mut moves, mate) = loop {
        let here = (position.board().clone(), position.turn());
        if let Some(&known) = played.get(&here) {
            break known;
        }
        way.push(here);
        assert!(way.len() < 80, "no end: {position:?}");
        match probe(&position).unwrap().best.first() {
            Some(&mv) => position.play_unchecked(mv),
            None => break (0, position.is_checkmate()),
        }
    };
    for here in way.into_iter().rev() {
        // In the last position of a game it is the turn of the side that is mated.
        moves += u8::from(Some(here.1) == winner);
        played.insert(here, (moves, mate));
    }
    (moves, mate)
}

fn winner(position: &Chess) -> Option<Color> {
    match outcome(position).unwrap().0 {
        Outcome::Win => Some(position.turn()),
        Outcome::Loss => Some(!position.turn()),
        Outcome::Draw => None,
    }
}

/// Best play mates in exactly as many moves as the table says, from every position with the rook that is not a mirror
/// image of another, with either side to move; and from a sample of the queen's and the pawn's.
#[test]
fn best_play_mates_in_time() {
    let ten = [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (3, 3)];
    let kings = ten.map(|(file, rank)| Square::ALL[8 * rank + file]);
    let (mut played, mut known) = ([0; 3], Played::new());
    for (which, (role, step)) in [(Role::Rook, 1), (Role::Queen, 11), (Role::Pawn, 11)].into_iter().enumerate() {
        for code in (0..10 * 64 * 64).step_by(step) {
            let squares = [kings[code / 4096], Square::ALL[code / 64 % 64], Square::ALL[code % 64]];
            for turn in Color::ALL {
                let Some(position) = placed(role, Color::White, turn, squares) else { continue };
                // Drawn positions have no end to play to.
                let (Outcome::Win | Outcome::Loss, Some(distance)) = outcome(&position).unwrap() else { continue };
                assert_eq!(play(position.clone(), &mut known), (distance, true), "{position:?}");
                played[which] += 1;
            }
        }
    }
    assert!(played[0] > 45_000 && played[1] > 4000 && played[2] > 2000, "{played:?}");
}

/// Law: mirrored positions, and those with the colours exchanged, have the same outcome and distance.
#[test]
fn symmetries_change_nothing() {
    let all: [fn(Square) -> Square; 8] = [
        |s| s,
        Square::flip_horizontal,
        Square::flip_vertical,
        Square::flip_diagonal,
        Square::flip_anti_diagonal,
        Square::rotate_90,
        Square::rotate_180,
        Square::rotate_270,
    ];
    let mut seen = 0;
    for code in (0..64 * 64 * 64).step_by(97) {
        let squares = [code / 4096, code / 64 % 64, code % 64].map(|i| Square::ALL[i]);
        for (role, mirrors) in [(Role::Rook, &all[..]), (Role::Queen, &all[..]), (Role::Pawn, &all[..2])] {
            for turn in Color::ALL {
                let Some(position) = placed(role, Color::White, turn, squares) else { continue };
                let told = outcome(&position);
                for mirror in mirrors {
                    let mirrored = placed(role, Color::White, turn, squares.map(mirror)).unwrap();
                    assert_eq!(outcome(&mirrored), told, "{position:?}");
                }
                let exchanged = placed(role, Color::Black, !turn, squares.map(Square::flip_vertical)).unwrap();
                assert_eq!(outcome(&exchanged), told, "{position:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

#[test]
fn a_probe_is_one_line_of_json() {
    let ask = |fen: &str| {
        let (status, out, err) = run(&["endgame", "krk", "probe", fen, "--json"]);
        assert_eq!((status, err.as_str(), out.lines().count()), (0, "", 1));
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    };
    let mate = ask("7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    assert_eq!((&mate["outcome"], &mate["distance"]), (&"win".into(), &1.into()));
    assert_eq!(mate["best"], serde_json::json!(["a1a8"]));
    // The colours exchanged, the lone king to move.
    let lost = ask("8/8/8/8/r7/6k1/8/7K w - - 0 1");
    assert_eq!(
        (&lost["outcome"], &lost["distance"], &lost["best"]),
        (&"loss".into(), &1.into(), &serde_json::json!(["h1g1"]))
    );
    let drawn = ask("8/8/8/8/8/1k6/1R6/7K b - - 0 1");
    assert_eq!((&drawn["outcome"], &drawn["distance"]), (&"draw".into(), &serde_json::Value::Null));
    let queen = ask("8/8/8/4k3/8/8/8/KQ6 w - - 0 1");
    assert_eq!((&queen["outcome"], queen["distance"].as_u64().is_some()), (&"win".into(), true));
}

#[test]
fn a_probe_can_be_read() {
    let (status, out, _) = run(&["endgame", "krk", "probe", "7k/8/6K1/8/8/8/8/R7 w - - 0 1"]);
    assert_eq!((status, out.as_str()), (0, "White to move: White mates in 1\nbest: Ra8#\n"));
    let (_, out, _) = run(&["endgame", "krk", "probe", "R6k/8/6K1/8/8/8/8/8 b - - 0 1"]);
    assert_eq!(out, "checkmate: White has won\n");
}

#[test]
fn what_is_in_no_table_is_said() {
    for (fen, says) in [
        ("no position", "FEN"),
        ("8/8/8/8/8/8/8/KkR5 w - - 0 1", "legal"),
        ("4k3/8/8/8/8/8/4P3/4KR2 w - - 0 1", "got 4 men; more with --syzygy DIR"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling is possible"),
    ] {
        let (status, out, err) = run(&["endgame", "krk", "probe", fen]);
        assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{fen}: {err}");
        assert!(err.contains(says), "{fen}: {err}");
    }
    let four = "4k3/8/8/8/8/8/4P3/4KR2 w - - 0 1";
    let (status, _, err) = run(&["endgame", "krk", "probe", four, "--syzygy", "/no/such/folder"]);
    assert!(status == 2 && err.contains("/no/such/folder") && err.contains("cannot be read"), "{err}");
}

/// A folder of tables that is not there is told, and the observer works without.
#[test]
fn the_observer_works_without_syzygy_tables() {
    let observer = Observer::new(&Params::default()).unwrap();
    assert_eq!(observer.syzygy_fault(), None);
    let params = Params { syzygy_directory: "/no/such/folder".into(), ..Params::default() };
    let mut observer = Observer::new(&params).unwrap();
    assert!(observer.syzygy_fault().unwrap().to_string().contains("/no/such/folder"));
    observer.set_position("4k3/8/8/8/8/8/4P3/4KR2 w - - 0 1").unwrap();
    assert_eq!(observer.position().endgame, None);
    observer.set_position("4k3/8/8/8/8/8/8/4KR2 w - - 0 1").unwrap();
    assert_eq!(observer.position().endgame.map(|found| found.outcome), Some(Outcome::Win));
}
