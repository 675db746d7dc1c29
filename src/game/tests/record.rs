//! The record: PGN written is PGN read, commands overrule, results follow the laws of chess.

use super::*;
use crate::{
    event::ending::Ending,
    game::{CommandError, notes::Notes, pgn_in::read_games},
};
use proptest::prelude::*;
use shakmaty::Outcome;

fn refused(answer: Result<Vec<Event>, CommandError>) -> String {
    answer.unwrap_err().to_string()
}

/// A game played by showing each position.
fn played(start: Start, tags: Tags, ucis: &str) -> (Game, Vec<Event>) {
    let mut game = Game::new(start, tags);
    let mut events = Vec::new();
    for text in ucis.split_whitespace() {
        let mv = super::super::commands::read_move(game.position(), text).unwrap();
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        events.extend(show(&mut game, after.board(), AT_REST).events);
        assert_eq!(game.position(), &after, "{text}");
    }
    (game, events)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: whatever the headers and the moves, reading what was written gives the same game, in short lines.
    #[test]
    fn pgn_is_read_back_identical(seed in any::<u64>(), plies in 0usize..140, cut in 0usize..80, names in prop::array::uniform6("\\PC{0,24}|[\\x00-\\x7f]{0,12}")) {
        let mut dice = Dice(seed);
        let moves = random_line(&mut dice, plies);
        let cut = cut.min(moves.len());
        let mut first = shakmaty::Chess::default();
        moves[..cut].iter().for_each(|&m| first.play_unchecked(m));
        // As its FEN says: en passant only where it is legal.
        let start = Start::from_fen(&super::super::line::fen(&first).to_string()).unwrap();
        let [event, site, date, round, white, black] = names;
        let tags = Tags { event, site, date, round, white, black, more: vec![("WhiteElo".into(), "2100".into())] };
        let mut line = super::super::line::Line::new(start.clone());
        for &mv in &moves[cut..] {
            prop_assert!(line.push(mv, 0.9));
        }
        let text = super::super::record::write(&line, &tags, "1/2-1/2", &Notes::default());
        let read = read_games(&text);
        prop_assert_eq!(read.len(), 1, "{}", text);
        let read = read.into_iter().next().unwrap().map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&read.moves, &moves[cut..]);
        prop_assert_eq!(read.start.fen(), start.fen());
        prop_assert_eq!(read.result.as_str(), "1/2-1/2");
        let plain = |text: &str| -> String {
            let spaced: String = text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect();
            spaced
        };
        for (name, value) in [("Event", &tags.event), ("Site", &tags.site), ("White", &tags.white)] {
            let want = plain(value.trim());
            let want = if value.trim().is_empty() { "?" } else { &want };
            prop_assert_eq!(read.header(name), Some(want));
        }
        let movetext = text.split("\n\n").nth(1).unwrap_or_default();
        prop_assert!(movetext.lines().all(|l| l.len() < 80));
        prop_assert_eq!(super::super::record::write(&line, &tags, "1/2-1/2", &Notes::default()), text);
    }
}

#[test]
fn the_record_of_a_short_game_word_for_word() {
    let tags = Tags { white: "A \"B\" \\".into(), black: "C\nD".into(), ..Tags::default() };
    let (game, _) = played(Start::default(), tags, "f2f3 e7e5 g2g4 d8h4");
    let text = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A \\\"B\\\" \\\\\"]\n\
        [Black \"C D\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    assert_eq!(game.pgn(), text);
    let (game, _) = played(Start::from_fen("4k3/8/8/8/8/8/7p/4K3 b - - 3 9").unwrap(), Tags::default(), "h2h1q");
    assert!(
        game.pgn().ends_with("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/7p/4K3 b - - 3 9\"]\n\n9... h1=Q+ *\n"),
        "{}",
        game.pgn()
    );
}

#[test]
fn chess960_castles_and_says_so() {
    let start = Start::from_fen("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1").unwrap();
    let (game, events) = played(start, Tags::default(), "b1g1");
    assert_eq!(told(&events), ["b1g1"]);
    assert!(game.pgn().contains("[Variant \"Chess960\"]") && game.pgn().contains("1. O-O *"), "{}", game.pgn());
    assert_eq!(read_games(&game.pgn()).remove(0).unwrap().ucis(), ["b1g1"]);
}

#[test]
fn castling_rights_are_read_in_both_spellings_of_chess960() {
    // X-FEN names the outermost rook, Shredder-FEN every rook by its file.
    let men = "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w";
    let [x_fen, shredder] = ["KQkq", "GBgb"].map(|rights| Start::from_fen(&format!("{men} {rights} - 0 1")).unwrap());
    assert_eq!(x_fen, shredder);
    assert_eq!(x_fen.castling_mode(), shakmaty::CastlingMode::Chess960);
    // An inner rook has the right: its file must be told, and is written.
    let inner = "1k6/8/8/8/8/8/8/1K3R1R w F - 0 1";
    let start = Start::from_fen(inner).unwrap();
    assert_eq!(start.fen().to_string(), inner);
    let (game, _) = played(start.clone(), Tags::default(), "b1f1");
    let read = read_games(&game.pgn()).remove(0).unwrap();
    assert_eq!((read.start, read.moves.len()), (start, 1));
    // The usual position in the spelling of Shredder-FEN is the usual position.
    let usual = Start::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1").unwrap();
    assert!(usual.is_exactly_usual());
}

#[test]
fn results_follow_from_the_rules() {
    for (fen, moves, result, reason) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", "1-0", "checkmate"),
        ("7k/8/4Q3/8/8/8/8/K7 w - - 0 1", "e6f7", "1/2-1/2", "stalemate"),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", "1/2-1/2", "insufficient material"),
        ("7k/8/8/8/8/8/R7/K7 w - - 149 90", "a2b2", "1/2-1/2", "75 moves without capture or pawn move"),
    ] {
        let (game, events) = played(Start::from_fen(fen).unwrap(), Tags::default(), moves);
        let (result, reason): (Outcome, Ending) = (result.parse().unwrap(), reason.parse().unwrap());
        assert_eq!(events.last(), Some(&Event::Result { result, reason }));
        assert_eq!((game.result(), game.status().reason), (result, Some(reason)));
        assert!(game.pgn().ends_with(&format!("{result}\n")));
    }
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
    let (game, events) = played(Start::default(), Tags::default(), &shuffle);
    assert_eq!(words(&events).last().unwrap(), "result");
    assert!(game.status().fivefold && game.status().threefold);
    let (game, _) = played(Start::default(), Tags::default(), &"g1f3 g8f6 f3g1 f6g8 ".repeat(2));
    assert!(game.status().threefold && !game.status().fivefold && game.result().is_unknown());
    let (game, _) = played(Start::from_fen("7k/8/8/8/8/8/R7/K7 w - - 99 90").unwrap(), Tags::default(), "a2b2");
    assert!(game.status().fifty_moves && game.result().is_unknown());
}

#[test]
fn commands_overrule() {
    let (mut game, mut events) = played(Start::default(), Tags::default(), "e2e4 e7e5 g1f3 b8c6");
    assert!(refused(game.take_back(5)).contains("4 have been played"));
    assert!(refused(game.take_back(0)).contains("cannot take back 0"));
    events.extend(game.take_back(1).unwrap());
    assert_eq!(told(&events), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(game.standing(), game.position().board());
    // Corrected in the middle; what follows stays.
    events.extend(game.correct_move(1, "d2d4").unwrap());
    assert_eq!(told(&events), ["d2d4", "e7e5", "g1f3"]);
    events.extend(game.correct_move(0, "Nc3").unwrap());
    assert_eq!(told(&events), ["d2d4", "e7e5", "b1c3"]);
    assert_eq!(told(&events), ucis(&game));
    assert!(refused(game.correct_move(2, "e7e4")).contains("not one legal move"));
    assert!(refused(game.correct_move(5, "e7e5")).contains("there is no ply 5"));
    // One beyond the last: a ply that the pictures did not tell.
    events.extend(game.correct_move(4, "Nf6").unwrap());
    assert_eq!(told(&events), ["d2d4", "e7e5", "b1c3", "g8f6"]);
    assert_eq!(told(&events), ucis(&game));
    // The knight's later move would not be legal.
    let (mut other, _) = played(Start::default(), Tags::default(), "e2e4 e7e5 g1f3 b8c6 f3g5");
    let before = other.pgn();
    assert!(refused(other.correct_move(3, "b1c3")).contains("ply 5, Ng5, would not be legal"));
    assert_eq!(other.pgn(), before);
    // A result, withdrawn.
    assert_eq!(words(&game.set_result("0-1").unwrap()), ["result"]);
    assert_eq!(game.result().as_str(), "0-1");
    assert!(game.set_result("0-1").unwrap().is_empty());
    assert!(refused(game.set_result("2-0")).contains("none of 1-0"));
    assert_eq!(words(&game.set_result("*").unwrap()), ["result"]);
    assert_eq!(game.result().as_str(), "*");
    // Another position, another game.
    assert!(game.set_position("4k3/8/8/8/8/8/8/8 w - - 0 1").is_err());
    assert_eq!(words(&game.set_position("4k3/8/8/8/8/8/P7/4K3 w - - 0 1").unwrap()), ["new_game"]);
    assert_eq!(game.finished().len(), 1);
    game.new_game(None).unwrap();
    assert_eq!(game.position(), &shakmaty::Chess::default());
}

#[test]
fn a_promotion_is_corrected_with_all_that_follows() {
    let (mut game, _) =
        played(Start::from_fen("8/P3k3/8/8/8/8/7p/4K3 w - - 0 1").unwrap(), Tags::default(), "a7a8q e7e6 a8c8 e6e5");
    let events = game.correct_move(1, "a8=R").unwrap();
    assert_eq!(words(&events), ["revised"]);
    assert_eq!(ucis(&game), ["a7a8r", "e7e6", "a8c8", "e6e5"]);
    assert!(sans(&game)[2].starts_with("Rc8"));
}
