//! What the record says beside the moves, the game that goes on from its record, and what was expected.

use super::*;
use crate::{
    event::ending::Ending,
    frame::Stamp,
    game::{
        Remarks,
        commands::read_move,
        expect::Expectations,
        pgn_in::{GameText, read_games},
        record::read_headers,
    },
};
use proptest::prelude::*;
use shakmaty::{KnownOutcome, Outcome, Position as _};

const ALL: Remarks = Remarks { times: true, doubt_below: 0.9, withdrawn: true };
/// 2026-11-20 14:05:01 UTC.
const AFTERNOON_S: f64 = 1_795_183_501.0;

fn noted(fen: Option<&str>) -> Game {
    let start = fen.map_or_else(Start::default, |fen| Start::from_fen(fen).unwrap());
    let mut game = Game::new(start, Tags::default());
    game.set_remarks(ALL);
    game
}

/// Plays moves, each understood at its time with its confidence.
fn play(game: &mut Game, plies: &[(&str, f64, f64)]) -> Vec<Event> {
    let mut events = Vec::new();
    for &(text, at_s, confidence) in plies {
        game.tick(Stamp::from_s(at_s));
        let mv = read_move(game.position(), text).unwrap_or_else(|| panic!("{text}"));
        events.extend(game.take_over(game.plies().len(), &[mv], &[confidence]));
    }
    events
}

fn movetext(game: &Game) -> String {
    game.pgn().split_once("\n\n").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read(pgn: &str) -> GameText {
    read_games(pgn).remove(0).unwrap()
}

#[test]
fn times_are_differences_of_rounded_stamps() {
    let mut game = noted(None);
    game.tick(Stamp::from_s(AFTERNOON_S));
    let at = |s: f64| AFTERNOON_S + s;
    play(&mut game, &[("e4", at(0.6), 1.0), ("e5", at(1.2), 1.0), ("Nf3", at(1.8), 0.62), ("Nc6", at(3725.4), 1.0)]);
    assert_eq!(
        movetext(&game),
        "1. e4 {[%emt 0:00:01]} 1... e5 {[%emt 0:00:00]} 2. Nf3 {[%emt 0:00:01] 62.0 % sure} 2... Nc6 {[%emt 1:02:03]} *"
    );
    assert!(game.pgn().contains("[UTCDate \"2026.11.20\"]\n[UTCTime \"14:05:01\"]\n"), "{}", game.pgn());
    // A film's own time tells how long, and not when.
    let mut film = noted(None);
    film.tick(Stamp::from_s(0.0));
    play(&mut film, &[("e4", 4.0, 1.0), ("e5", 3.0, 1.0), ("d4", 9.0, 1.0)]);
    // A clock that ran backwards tells nothing of that ply.
    assert_eq!(movetext(&film), "1. e4 {[%emt 0:00:04]} 1... e5 2. d4 {[%emt 0:00:06]} *");
    assert!(!film.pgn().contains("UTCDate"));
    film.set_remarks(Remarks::default());
    assert_eq!(movetext(&film), "1. e4 e5 2. d4 *");
}

/// A record tells whole seconds: the ply before may be said to have come later than the next one.
#[test]
fn a_quick_answer_after_a_restart_has_its_time() {
    let mut game = noted(None);
    let at = |s: f64| AFTERNOON_S + s;
    game.tick(Stamp::from_s(at(0.3)));
    play(&mut game, &[("e4", at(10.9), 1.0)]);
    let mut again = Game::resume(&read(&game.pgn()), Tags::default(), ALL);
    for game in [&mut game, &mut again] {
        play(game, &[("e5", at(10.95), 1.0)]);
        assert_eq!(movetext(game), "1. e4 {[%emt 0:00:11]} 1... e5 {[%emt 0:00:00]} *");
    }
}

#[test]
fn what_is_understood_otherwise_was_made_when_it_was() {
    let mut game = noted(None);
    game.tick(Stamp::from_s(0.0));
    play(&mut game, &[("e4", 10.0, 1.0), ("e5", 30.0, 1.0)]);
    game.tick(Stamp::from_s(99.0));
    game.correct_move(1, "d4").unwrap();
    assert_eq!(movetext(&game), "1. d4 {[%emt 0:00:10]} 1... e5 {[%emt 0:00:20]} *");
}

#[test]
fn withdrawn_plies_stay_as_comments() {
    let mut game = noted(None);
    play(&mut game, &[("e4", 1.0, 1.0), ("e5", 2.0, 1.0), ("Bc4", 3.0, 1.0), ("Nc6", 4.0, 1.0)]);
    game.take_back(2).unwrap();
    play(&mut game, &[("Nf3", 9.0, 1.0)]);
    game.take_back(3).unwrap();
    let with = Remarks { times: false, ..ALL };
    game.set_remarks(with);
    assert_eq!(movetext(&game), "{withdrawn: 2. Bc4 Nc6} {withdrawn: 1. e4 e5 2. Nf3} *");
    play(&mut game, &[("d4", 20.0, 1.0), ("d5", 21.0, 1.0)]);
    game.take_back(1).unwrap();
    assert_eq!(movetext(&game), "{withdrawn: 2. Bc4 Nc6} {withdrawn: 1. e4 e5 2. Nf3} 1. d4 {withdrawn: 1... d5} *");
    assert_eq!(read(&game.pgn()).ucis(), ["d2d4"]);
    game.set_remarks(Remarks::default());
    assert_eq!(movetext(&game), "1. d4 *");
}

#[test]
fn a_position_set_by_hand_begins_a_record_that_says_so() {
    let mut game = noted(None);
    play(&mut game, &[("e4", 1.0, 1.0), ("e5", 2.0, 1.0)]);
    // The rook jumps its pawn; they play on.
    let illegal = "rnbqkbnr/pppp1ppp/8/4p3/4P3/R7/PPPP1PPP/1NBQKBNR";
    assert_eq!(words(&see(&mut game, illegal, PATIENT)), ["illegal"]);
    assert!(game.status().illegal);
    game.set_position(&format!("{illegal} b Kkq - 0 2")).unwrap();
    assert!(!game.status().illegal && game.standing() == &board(illegal));
    play(&mut game, &[("Nc6", 9.0, 1.0)]);
    assert_eq!(
        movetext(&game),
        "{the position was set by hand: an illegal move after ply 2 was let stand} 2... Nc6 {[%emt 0:00:07]} *"
    );
    let whole = format!("{}\n{}", game.finished()[0], game.pgn());
    let ucis: Vec<Vec<String>> = read_games(&whole).into_iter().map(|game| game.unwrap().ucis()).collect();
    assert_eq!(ucis, [vec!["e2e4", "e7e5"], vec!["b8c6"]]);
}

#[test]
fn kings_in_the_centre_change_no_mate_and_are_no_move() {
    let mut game = noted(None);
    play(&mut game, &[("f3", 1.0, 1.0), ("e5", 2.0, 1.0), ("g4", 3.0, 1.0), ("Qh4#", 4.0, 1.0)]);
    assert_eq!(game.result().as_str(), "0-1");
    let before = game.pgn();
    // e4 and d5: that would be White's.
    let kings = "rnb2bnr/pppp1ppp/8/3kp3/4K1Pq/5P2/PPPPP2P/RNBQ1BNR";
    assert_eq!(see(&mut game, kings, PATIENT), []);
    assert_eq!((game.result().as_str(), game.status().reason), ("0-1", Some(Ending::Checkmate)));
    assert_eq!(game.pgn(), before);
}

#[test]
fn a_king_on_his_way_to_the_centre_leaves_no_trace_in_the_record() {
    let mut game = noted(Some("4k3/8/8/8/8/4K3/7P/7R w - - 0 1"));
    assert_eq!(told(&see(&mut game, "4k3/8/8/8/4K3/8/7P/7R", PATIENT)), ["e3e4"]);
    let events = see(&mut game, "8/8/8/3k4/4K3/8/7P/7R", PATIENT);
    assert_eq!(words(&events), ["take_back", "result"]);
    assert_eq!((game.plies().len(), movetext(&game).as_str()), (0, "1-0"));
    // A king that goes back is one that was withdrawn.
    let mut game = noted(Some("4k3/8/8/8/8/4K3/7P/7R w - - 0 1"));
    play(&mut game, &[("Ke4", 1.0, 1.0)]);
    game.take_back(1).unwrap();
    assert_eq!(movetext(&game), "{withdrawn: 1. Ke4} *");
}

#[test]
fn walls_of_pawns_end_the_game_and_gaps_in_them_do_not() {
    let result = |fen: &str| {
        let game = game(fen);
        (game.result(), game.status().reason)
    };
    let dead = (Outcome::Known(KnownOutcome::Draw), Some(Ending::DeadPosition));
    assert_eq!(result("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"), dead);
    assert_eq!(result("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 b - - 0 1"), dead);
    // Files are open; a pawn may go on; one may take; a knight may jump.
    assert_eq!(result("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1").0, Outcome::Unknown);
    assert_eq!(result("4k3/8/6p1/p1p1p3/P1P1P1P1/8/8/4K3 w - - 0 1").0, Outcome::Unknown);
    assert_eq!(result("4k3/8/8/p1p1ppp1/P1P1PPP1/8/8/4K3 w - - 0 1").0, Outcome::Unknown);
    assert_eq!(result("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4KN2 w - - 0 1").0, Outcome::Unknown);
    // The king may take a pawn that none defends.
    assert_eq!(result("4k3/8/8/p1p1p1p1/P1P1P1P1/K7/8/8 w - - 0 1"), dead);
    assert_eq!(result("8/8/8/p1p1p1p1/P1P1P1P1/4k3/8/7K w - - 0 1").0, Outcome::Unknown);
}

#[test]
fn further_headers_are_written_and_nonsense_is_refused() {
    let headers = read_headers(" WhiteElo = 2100;; TimeControl=40/7200:3600 ; Annotator=N. \"N.\" = me").unwrap();
    let tags = Tags { round: "3".into(), more: headers, ..Tags::default() };
    let pgn = Game::new(Start::default(), tags).pgn();
    assert!(pgn.contains("[Round \"3\"]\n"), "{pgn}");
    assert!(
        pgn.contains("[WhiteElo \"2100\"]\n[TimeControl \"40/7200:3600\"]\n[Annotator \"N. \\\"N.\\\" = me\"]\n"),
        "{pgn}"
    );
    for (text, why) in [
        ("Elo", "no ="),
        ("White Elo=1", "no header's name"),
        ("=1", "no header's name"),
        ("FEN=x", "by itself"),
        ("A=1;A=2", "twice"),
    ] {
        let error = read_headers(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn an_announced_move_is_compared_with_what_is_played() {
    let mut game = noted(None);
    let mut expected = Expectations::default();
    let (uci, san) = expected.announce(&game, "Nf3").unwrap().unwrap();
    assert_eq!((uci.to_string().as_str(), san.to_string().as_str()), ("g1f3", "Nf3"));
    assert!(expected.announce(&game, "Nf6").unwrap_err().to_string().contains("is not one legal move"));
    let events = play(&mut game, &[("Nc3", 1.0, 1.0)]);
    let judged = expected.judge(events, &game);
    assert_eq!(words(&judged), ["move", "unexpected"]);
    let Event::Unexpected { ply: 1, uci, expected: wanted, text } = &judged[1] else { panic!("{judged:?}") };
    assert_eq!([uci, wanted].map(ToString::to_string), ["b1c3", "g1f3"]);
    assert_eq!(text, "Nf3 was expected, Nc3 was played.");
    // Put right by a person, or by a later picture.
    let events = game.correct_move(1, "g1f3").unwrap();
    assert_eq!(words(&expected.judge(events, &game)), ["revised", "expected"]);
    // It was for that ply alone.
    let events = play(&mut game, &[("e5", 1.0, 1.0)]);
    assert_eq!(words(&expected.judge(events, &game)), ["move"]);
    // Withdrawn by its owner, or because its position has gone.
    expected.announce(&game, "e4").unwrap();
    assert_eq!(expected.announce(&game, " ").unwrap(), None);
    let events = play(&mut game, &[("d4", 1.0, 1.0)]);
    assert_eq!(words(&expected.judge(events, &game)), ["move"]);
    expected.announce(&game, "exd4").unwrap();
    let events = game.take_back(1).unwrap();
    assert_eq!(words(&expected.judge(events, &game)), ["take_back"]);
    let events = play(&mut game, &[("e4", 1.0, 1.0), ("d5", 1.0, 1.0)]);
    assert_eq!(words(&expected.judge(events, &game)), ["move", "move"]);
}

#[test]
fn of_a_followed_game_the_first_difference_is_told() {
    let mut expected = Expectations::following(&read("1. e4 e5 2. Nf3 Nc6 3. Bb5 *"));
    let mut game = noted(None);
    let mut say = |game: &mut Game, san: &str| {
        let events = play(game, &[(san, 1.0, 1.0)]);
        words(&expected.judge(events, game)).pop().unwrap()
    };
    assert_eq!(say(&mut game, "e4"), "expected");
    assert_eq!(say(&mut game, "c5"), "unexpected");
    // The rest follows from it.
    assert_eq!(say(&mut game, "Nf3"), "move");
    assert_eq!(say(&mut game, "Nc6"), "move");
    game.take_back(3).unwrap();
    assert_eq!(say(&mut game, "e5"), "expected");
    assert_eq!(say(&mut game, "Nc3"), "unexpected");
    game.take_back(1).unwrap();
    for (san, said) in [("Nf3", "expected"), ("Nc6", "expected"), ("Bb5", "expected"), ("a6", "move")] {
        assert_eq!(say(&mut game, san), said, "{san}");
    }
    // In a game that begins elsewhere nothing is expected.
    let mut other = self::game("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(say(&mut other, "e4"), "move");
}

/// One look at squares that tell the truth is enough for up to four plies that were played while nobody watched.
#[test]
fn a_resumed_game_finds_what_was_played_meanwhile() {
    let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *";
    let positions = read(text).positions();
    for at in 0..=12 {
        let mut game = noted(None);
        positions[1..=at].iter().for_each(|p| drop(show(&mut game, p.board(), PATIENT)));
        for missed in 1..=4 {
            let mut again = Game::resume(&read(&game.pgn()), Tags::default(), ALL);
            let men = positions[at + missed].board();
            let evidence = Synthetic::clear(men, &again).with_kinds(men, 5.0);
            again.observe(&evidence, PATIENT);
            assert_eq!(again.position(), &positions[at + missed], "{missed} missed after {at}: {:?}", ucis(&again));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: a game that goes on from its own record writes the same record, and goes on as if nothing had happened.
    #[test]
    fn a_game_goes_on_from_its_record(seed in any::<u64>(), plies in 0usize..80, cut in 0usize..80, wall in any::<bool>()) {
        let mut dice = Dice(seed);
        let moves = random_line(&mut dice, plies);
        let cut = cut.min(moves.len());
        let mut now = if wall { AFTERNOON_S } else { 0.0 };
        let mut game = noted(None);
        game.tick(Stamp::from_s(now));
        let step = |game: &mut Game, mv: shakmaty::Move, dice: &mut Dice, now: &mut f64| {
            *now += 200.0 * dice.unit();
            game.tick(Stamp::from_s(*now));
            game.take_over(game.plies().len(), &[mv], &[((1000.0 * dice.unit()).round() / 1000.0).clamp(0.5, 1.0)]);
            if dice.unit() < 0.05 {
                // Taken back and played again.
                game.take_back(1).unwrap();
                *now += 3.0;
                game.tick(Stamp::from_s(*now));
                game.take_over(game.plies().len(), &[mv], &[1.0]);
            }
        };
        for &mv in &moves[..cut] {
            step(&mut game, mv, &mut dice, &mut now);
        }
        prop_assume!(game.result().is_unknown());
        let pgn = game.pgn();
        let mut again = Game::resume(&read(&pgn), game.tags().clone(), ALL);
        prop_assert_eq!(again.pgn(), pgn.clone());
        prop_assert_eq!(again.position(), game.position());
        prop_assert_eq!(again.standing(), game.standing());
        let mut same = Dice(dice.0);
        let mut later = now;
        for &mv in &moves[cut..] {
            step(&mut game, mv, &mut dice, &mut now);
            step(&mut again, mv, &mut same, &mut later);
        }
        if wall {
            // To the second: the record holds no more.
            let plain = |game: &Game| read(&game.pgn());
            prop_assert_eq!(plain(&again).moves, plain(&game).moves);
            prop_assert_eq!(plain(&again).comments.len(), plain(&game).comments.len());
        }
        prop_assert_eq!(ucis(&again), ucis(&game));
        prop_assert_eq!(again.result(), game.result());
    }
}
