//! Games from text, and what is wrong with texts that hold none.

use super::*;

const TWO: &str = r#"[Event "A \"B\" C"]
[White "Müller, K."]
[Black "?"]
[Date "????.??.??"]
[Result "1-0"]

1. e4 $1 {best} e5 2. Nf3! (2. f4 exf4 (2... d5)) 2... Nc6 ; to the end
3. Bb5 a6 4. O-O 1-0

[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]

1. a8=N Kd7 1/2-1/2
"#;

#[test]
fn reads_headers_comments_variations_and_starts() {
    let games: Vec<_> = read_games(TWO).into_iter().map(Result::unwrap).collect();
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].ucis(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]);
    assert_eq!(games[0].header("Event"), Some("A \"B\" C"));
    assert_eq!(games[0].tags().white, "Müller, K.");
    assert_eq!(games[0].tags().black, "");
    assert_eq!(games[0].tags().date, "");
    assert_eq!(games[0].result.as_str(), "1-0");
    assert_eq!(games[0].positions().len(), 8);
    assert_eq!(games[1].ucis(), ["a7a8n", "e8d7"]);
    // What follows a semicolon is not kept.
    assert_eq!(games[0].comments, [(1, "best".to_owned())]);
    assert_eq!((games[0].number, games[1].number, games[1].comments.len()), (1, 2, 0));
    assert_eq!(games[1].start.fen().to_string(), "4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(games[1].result.as_str(), "1/2-1/2");
}

#[test]
fn a_fault_names_its_place_and_costs_one_game() {
    let text = "1. e4 e5\n 2. Ke3 Zz *\n\n1. d4 *\n\n[FEN \"nonsense\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n1. c4 *\n";
    let games = read_games(text);
    assert_eq!(games.len(), 5);
    let first = games[0].as_ref().unwrap_err();
    assert!(matches!(first, PgnError { game: 1, ply: Some(3), fault: Fault::Move { .. }, .. }), "{first}");
    let told = "game 1, ply 3, line 2, column 5: Ke3 is not legal in rnbqkbnr/";
    assert!(first.to_string().starts_with(told), "{first}");
    assert_eq!(games[1].as_ref().unwrap().ucis(), ["d2d4"]);
    assert!(matches!(games[2], Err(PgnError { game: 3, ply: None, fault: Fault::Start { .. }, .. })));
    assert!(matches!(games[3], Err(PgnError { game: 4, ply: None, fault: Fault::Variant(_), .. })));
    assert_eq!(games[4].as_ref().unwrap().ucis(), ["c2c4"]);
}

/// What is said of the first game.
fn fault(text: &str) -> String {
    match read_games(text).first() {
        Some(Err(e)) => e.to_string(),
        Some(Ok(game)) => panic!("{text:?} was read as {:?}", game.ucis()),
        None => panic!("{text:?} is no game"),
    }
}

#[test]
fn nothing_is_passed_over() {
    let move_expected = "expected a move (SAN), a comment, a variation or a result, got";
    for (text, says) in [
        (
            "1. e4 Zz9 e5 ?? 2. Nf3 (((( Nc6 3. Bb5 *",
            format!("game 1, ply 2, line 1, column 7: {move_expected} \"Zz9\""),
        ),
        ("hello", format!("game 1, ply 1, line 1, column 1: {move_expected} \"hello\"")),
        ("\u{0}\u{1}\u{fffd}", format!("game 1, ply 1, line 1, column 1: {move_expected} \"\\0\\u{{1}}\u{fffd}\"")),
        ("1. e4 é4 *", format!("game 1, ply 2, line 1, column 7: {move_expected} \"é4\"")),
        ("1. e4 é *\n\n1. e4", format!("game 1, ply 2, line 1, column 7: {move_expected} \"é\"")),
        (
            "1. e4 e5 2. Nf3 (2. f4\n*",
            "game 1, ply 4, line 1, column 17: this variation is never closed: expected )".into(),
        ),
        ("1. e4 (1. d4 {x}\n\n[Event \"next\"]\n\n1. e4 *", "game 1, ply 2, line 1, column 7: this variation".into()),
        ("1. e4 (1. d4 {x} (1. c4) *", "game 1, ply 2, line 1, column 7: this variation".into()),
        ("1. e4 ) e5 *", "game 1, ply 2, line 1, column 7: this ) closes no variation".into()),
        ("1. e4\ne5 { never ends", "game 1, ply 3, line 2, column 4: this comment is never closed: expected }".into()),
        ("1. e4 (e5 Zz) *", format!("game 1, ply 2, line 1, column 11: {move_expected} \"Zz\"")),
        ("1. e4 } *", "game 1, ply 2, line 1, column 7: expected a move (SAN) or a result, got \"}\"".into()),
        ("1. e4 [x] *", "game 1, ply 2, line 1, column 7: expected a move (SAN) or a result, got \"[\"".into()),
        ("[Event \"x]\n\n1. e4 *", "game 1, line 1, column 1: expected a header, [Name \"value\"], got".into()),
        ("[Event]\n\n1. e4 *", "game 1, line 1, column 1: expected a header, [Name \"value\"], got \"[Event]\"".into()),
        ("1. e4 $ *", format!("game 1, ply 2, line 1, column 7: {move_expected} \"$\"")),
        ("1. e4 -- 2. d4 *", "game 1, ply 2, line 1, column 7: -- is not legal".into()),
        (
            "[FEN \"4k3/8/8/8/8/8/4K3/R6R w - - 0 1\"]\n\n1. Rd1 *",
            "game 1, ply 1, line 3, column 4: Rd1 is ambiguous".into(),
        ),
    ] {
        let told = fault(text);
        assert!(told.starts_with(&says), "{text:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    assert!(read_games("").is_empty());
    assert!(read_games(" \n\n; nothing\n% here\n{or here}").is_empty());
}

#[test]
fn what_programs_and_people_write_is_read() {
    let ucis = |text: &str| read_games(text).remove(0).map(|game| game.ucis().join(" ")).map_err(|e| e.to_string());
    let open = "e2e4 e7e5 g1f3 b8c6";
    for text in [
        "1. e4 e5 2. Nf3 Nc6 *",
        "\u{feff}1.e4 e5 2.Nf3 Nc6",
        "1.e4 1...e5 2.Nf3 2...Nc6 1/2-1/2",
        "1. e4 1… e5 2. Nf3! Nc6!? ½-½",
        "1 e4 e5 2 Nf3 Nc6 0–1",
        "e4 e5 Nf3 Nc6 {and so on} 1-0",
        "1. e4$1 e5 $2 2. Nf3 += Nc6 (=) *",
        "% escaped\n1. e4 ; a remark ) }\ne5 2. Nf3 (2. f4 {)} exf4 (2... d5 1-0) 3. Nf3) (2. --) Nc6 *",
        "1. e4 e5\r\n\r\n2. Nf3 Nc6\r\n*\r\n",
        "{before}\n[Event \"a\"] [Site \"b\"]\n\n{first} 1. e4 e5\n[not \"a header of this game\"]\n",
    ] {
        let expected = if text.starts_with("{before}") { "e2e4 e7e5" } else { open };
        assert_eq!(ucis(text), Ok(expected.to_owned()), "{text:?}");
    }
    assert_eq!(ucis("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 *").map(|u| u.ends_with("e1g1")), Ok(true));
    assert_eq!(ucis("[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n1. exd6 e.p. *"), Ok("e5d6".into()));
}

#[test]
fn games_end_where_they_end() {
    let plies =
        |text: &str| -> Vec<usize> { read_games(text).iter().map(|g| g.as_ref().unwrap().moves.len()).collect() };
    // An empty line within a game ends it only where it begins anew.
    assert_eq!(plies("1. e4 e5\n\n2. Nf3 Nc6 *"), [4]);
    assert_eq!(plies("1. e4 e5\n\n1. e4 c5"), [2, 2]);
    assert_eq!(plies("1. e4\n\n1... e5 *"), [2]);
    assert_eq!(plies("1. e4\n\n1. d4 d5"), [1, 2]);
    assert_eq!(plies("1. e4 * 1. d4 d5 *"), [1, 2]);
    assert_eq!(plies("*\n\n*\n"), [0, 0]);
    // Remarks behind the result are the game's; those after an empty line the next one's.
    let games = read_games("1. e4 1-0 {resigns} $146\n\n{next} 1. d4 *");
    let comments = |i: usize| &games[i].as_ref().unwrap().comments;
    assert_eq!(comments(0), &[(1, "resigns".to_owned())]);
    assert_eq!(comments(1), &[(0, "next".to_owned())]);
    // Marks that nobody escaped, and signs that somebody did.
    let game = read_games("[Event \"The \"Open\" C:\\\\x \\q\"]\n\n*").remove(0).unwrap();
    assert_eq!(game.header("Event"), Some("The \"Open\" C:\\x \\q"));
}

#[test]
fn long_comments_stay_whole() {
    let text = format!("1. e4 {{{}}} e5 *", "long ".repeat(2000));
    let game = read_games(&text).remove(0).unwrap();
    assert_eq!(game.comments, [(1, "long ".repeat(2000))]);
}

#[test]
fn chess960_castles_as_king_takes_rook() {
    let text = "[Variant \"Chess960\"]\n[FEN \"1k6/8/8/8/8/8/8/1K4R1 w G - 0 1\"]\n\n1. O-O *";
    let game = read_games(text).remove(0).unwrap();
    assert_eq!(game.ucis(), ["b1g1"]);
}
