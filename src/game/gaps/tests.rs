//! The search against the paper's own, and laws of gaps.

use proptest::prelude::*;

use super::*;
use crate::game::pgn_in::read_games;

fn sheet(text: &str) -> Sheet {
    Sheet::read(&Start::default(), text).unwrap()
}

fn lines(text: &str) -> Vec<String> {
    sheet(text).lines().map(|line| line.join(" ")).collect()
}

fn counted(text: &str) -> u64 {
    sheet(text).count(|| true).unwrap()
}

/// The paper's search, word for word: all lines, no memory.
fn plain(position: &Chess, steps: &[Step]) -> u64 {
    let Some((first, rest)) = steps.split_first() else { return 1 };
    let next = |mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        plain(&next, rest)
    };
    first.moves(position).into_iter().map(next).sum()
}

#[test]
fn the_papers_example_has_one_answer() {
    assert_eq!(lines("e4 e5 Nf3 Nc6 ?? a6 Ba4"), ["e4 e5 Nf3 Nc6 Bb5 a6 Ba4"]);
    assert_eq!(lines("1. e4 e5 2. Nf3 Nc6 3. ?? a6 4.Ba4! *"), ["e4 e5 Nf3 Nc6 Bb5 a6 Ba4"]);
    let best = sheet("e4 e5 Nf3 Nc6 ?? a6 Ba4").best(5, || true).unwrap();
    assert_eq!((best.lines.len(), best.all, best.exact), (1, true, true));
    assert_eq!(best.lines[0].sans.join(" "), "e4 e5 Nf3 Nc6 Bb5 a6 Ba4");
}

#[test]
fn counts_are_those_of_the_move_tree() {
    // The paper's counts after one to four plies.
    for (plies, count) in [(1, 20), (2, 400), (3, 8902), (4, 197_281)] {
        assert_eq!(counted(&"?? ".repeat(plies)), count);
    }
    assert_eq!(lines("?? ?? ??").len(), 8902);
    // "Out of these 197281 moves, exactly one of them actually ends in checkmate": by eight orders of White's moves.
    let mates = sheet("?? ?? ?? Q??").lines().filter(|line| line[3].ends_with('#')).count();
    assert_eq!(mates, 8);
}

#[test]
fn finds_exactly_what_the_plain_search_finds() {
    for text in [
        "e4 ?? Nf3 ?? Bb5 a6 Ba4",
        "d4 d5 ?? ?? Nc3 Nf6 Bg5",
        "e4 ?? ?? d5 exd5 Qxd5",
        "?? e5 ?? Nc6 Bb5",
        "e4 e5 ?? ?? ?? Nxd4",
        "f3 ?? g4 Qh4#",
        "e2e4 ?? e4d5 d8d5",
        "e4 N?6 ?? ?x?4",
        "e4 d5 ?xd5 Q?? N?3",
    ] {
        let found = lines(text);
        let mut distinct = found.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), found.len(), "{text}");
        let sheet = sheet(text);
        assert_eq!(found.len() as u64, plain(&Chess::default(), &sheet.steps), "{text}");
        assert_eq!(found.len() as u64, counted(text), "{text}");
        // The best first are the same lines, in the order of their plausibility.
        let best = sheet.best(usize::MAX, || true).unwrap();
        assert!(best.all && best.exact && best.stuck.is_none());
        assert!(best.lines.is_sorted_by(|a, b| a.log_plausibility >= b.log_plausibility));
        let mut sorted: Vec<String> = best.lines.iter().map(|line| line.sans.join(" ")).collect();
        sorted.sort();
        assert_eq!(sorted, distinct, "{text}");
        assert!(!found.is_empty(), "{text}");
    }
}

#[test]
fn says_at_which_ply_nothing_fits() {
    let stuck = |text: &str| {
        let sheet = sheet(text);
        let mut lines = sheet.lines();
        assert_eq!(lines.next(), None);
        let stuck = lines.stuck().unwrap();
        assert_eq!(sheet.best(1, || true).unwrap().stuck.as_ref(), Some(&stuck), "{text}");
        assert_eq!(sheet.count(|| true), Some(0));
        stuck.to_string()
    };
    assert_eq!(
        stuck("e4 e5 Ke3 ??"),
        "nothing fits at 2.: Ke3 (ply 3) is no legal move in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    );
    assert_eq!(stuck("e4 ?? d4 Qxe1"), "nothing fits at 2...: Qxe1 (ply 4) is no legal move in any line up to there");
    assert_eq!(stuck("f3 e5 g4 Qh4 ??").split(" is ").next(), Some("nothing fits at 3.: ?? (ply 5)"));
    assert!(stuck("e5").starts_with("nothing fits at 1.: e5 (ply 1) is no legal move in rnbqkbnr/"));
    // A line that goes through is not stuck.
    let sheet = sheet("e4 ?? Bb5");
    let mut lines = sheet.lines();
    assert!(lines.next().is_some());
    assert_eq!(lines.stuck(), None);
}

#[test]
fn streams_and_ends_when_asked() {
    let many = sheet(&"?? ".repeat(10));
    assert!(many.lines().take(3).all(|line| line.len() == 10));
    assert_eq!(many.count(|| false), None);
    let wide = sheet(&"?? ".repeat(MAX_PLIES));
    assert_eq!(wide.count(|| false), None);
    assert_eq!(wide.best(1, || false), None);
    assert_eq!(sheet("e4").best(0, || true).unwrap().lines, []);
}

#[test]
fn a_search_that_was_stopped_goes_on_where_it_was() {
    let sheet = sheet("e4 ?? Nf3 ?? Bb5");
    let all: Vec<_> = sheet.lines().collect();
    let (mut lines, mut found, mut asked) = (sheet.lines(), Vec::new(), 0);
    while found.len() < all.len() {
        // Once more than before: then it stops.
        let mut left = 2;
        let go_on = || {
            asked += 1;
            left -= 1;
            left > 0
        };
        found.extend(lines.next_while(go_on));
    }
    assert_eq!(found, all);
    assert!(asked > all.len(), "asked {asked} times for {} lines", all.len());
}

#[test]
fn whether_to_go_on_is_asked_all_the_time() {
    const QUESTIONS: usize = 20_000;
    // Wide, long, and without an answer.
    let wide = format!("{} Qh8", "?? ".repeat(10));
    let long = format!("?? a6 {}?? ?? ?? ?? Qh8", "Nf3 Nf6 Ng1 Ng8 ".repeat(240));
    for text in [&wide, &long] {
        let sheet = sheet(text);
        type Search<'a> = &'a dyn Fn(&mut dyn FnMut() -> bool);
        let searches: [Search<'_>; 3] = [
            &|go_on| {
                let _ = sheet.lines().next_while(go_on);
            },
            &|go_on| {
                let _ = sheet.count(go_on);
            },
            &|go_on| {
                let _ = sheet.best(1, go_on);
            },
        ];
        for (number, search) in searches.iter().enumerate() {
            let (mut gaps, mut last) = (Vec::new(), std::time::Instant::now());
            search(&mut || {
                gaps.push(last.elapsed());
                last = std::time::Instant::now();
                gaps.len() < QUESTIONS
            });
            assert!(gaps.len() > 1000, "{text:.40}, search {number}: asked {} times", gaps.len());
            gaps.sort();
            // Not the longest: other programs may have had the processor.
            let long = gaps[gaps.len() * 99 / 100];
            assert!(long.as_millis() < 10, "{text:.40}, search {number}: {long:?} of {} questions", gaps.len());
        }
    }
}

#[test]
fn what_cannot_come_is_seen_from_afar() {
    let mut asked = 0;
    let mut go_on = || {
        asked += 1;
        asked < 100_000
    };
    // Black never plays e8; a pawn of White would need five moves.
    for text in ["?? ?? ?? ?? ?? ?? ?? e8=Q#", "?? ?? ?? ?? ?? ?? e8=Q", "?? ?? ?? ?? ?? ?? ?? ?? a1=N"] {
        let sheet = sheet(text);
        let mut lines = sheet.lines();
        assert_eq!(lines.next_while(&mut go_on), None);
        let stuck = lines.stuck().unwrap();
        assert_eq!(stuck.ply, sheet.plies(), "{stuck}");
        assert_eq!(sheet.count(&mut go_on), Some(0));
        assert_eq!(sheet.best(1, &mut go_on).unwrap().stuck, Some(stuck));
    }
    // With four moves it comes, if it moves each time: few other lines are looked at.
    assert!(sheet("?? f6 ?? Kf7 ?? a6 ?? a5 e8=Q").lines().next_while(&mut go_on).is_some());
    assert!(asked < 2_000, "{asked} positions");
}

#[test]
fn a_search_that_is_too_wide_says_so() {
    let best = sheet(&"?? ".repeat(8)).best(3, || true).unwrap();
    assert_eq!((best.lines.len(), best.exact, best.all), (3, false, false));
}

#[test]
fn what_hangs_is_taken_and_what_was_taken_is_taken_back() {
    let first = |text: &str| sheet(text).best(1, || true).unwrap().lines.remove(0).sans;
    assert_eq!(first("e4 d5 exd5 ??")[3], "Qxd5");
    assert!(first("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 ??")[7].ends_with("xc6"));
    // The answer tells of the gap: a queen takes back what has taken.
    assert_eq!(first("e4 d5 ?? Qxd5")[2], "exd5");
    // A queen that hangs is taken.
    assert_eq!(first("e4 e5 Qh5 Nf6 ??")[4], "Qxe5+");
}

#[test]
fn errors_name_the_word() {
    let read = |text: &str| Sheet::read(&Start::default(), text).unwrap_err();
    let text = read("e4 e5 Kx9 Nf3").to_string();
    assert!(text.starts_with("word 3, \"Kx9\", is neither a move (SAN or UCI), nor ?? for a missing one"), "{text}");
    assert_eq!(read("  "), GapError::Empty);
    assert_eq!(read(&"e4 ".repeat(1001)), GapError::Long { plies: 1001 });
}

#[test]
fn starts_anywhere() {
    let start = Start::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 31").unwrap();
    let sheet = Sheet::read(&start, "?? Kg2 ?? Ra9 ?? Ra8").unwrap_err();
    assert!(matches!(sheet, GapError::Word { number: 4, .. }));
    let sheet = Sheet::read(&start, "?? Kg2 ?? Ra8").unwrap();
    assert!(sheet.lines().next().is_some());
    let sheet = Sheet::read(&start, "h6 Kg2 Ra8").unwrap();
    let mut lines = sheet.lines();
    assert_eq!(lines.next(), None);
    assert!(
        lines.stuck().unwrap().to_string().starts_with("nothing fits at 32...: Ra8 (ply 3) is no legal move in 6k1")
    );
}

/// Plies of a classic game as SAN.
fn classic(number: usize) -> Vec<String> {
    let text = include_str!("../../../games/classics.pgn");
    let games = read_games(text);
    let game = games[number % games.len()].as_ref().unwrap();
    assert!(game.start.is_usual());
    game.start.sans(&game.moves).iter().map(ToString::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Law: what is cut off as hopeless was never played: a game meets its needs at every gap, however many there are.
    #[test]
    fn a_game_that_was_played_is_never_hopeless(
        number in 0usize..64,
        masks in prop::collection::vec(any::<u64>(), 4),
        dense in any::<bool>(),
    ) {
        let game = classic(number);
        let blank = |ply: usize| {
            let bit = |mask: u64| mask >> (ply % 64) & 1 == 1;
            // About half of the plies, or seven of eight.
            bit(masks[0].rotate_left(ply as u32 / 64)) || (dense && (bit(masks[1]) || bit(masks[2])))
        };
        let words: Vec<&str> = game.iter().enumerate().map(|(i, san)| if blank(i) { "??" } else { san }).collect();
        let sheet = sheet(&words.join(" "));
        let mut position = Chess::default();
        for (ply, san) in game.iter().enumerate() {
            if sheet.branches(ply) {
                prop_assert_eq!(sheet.hopeless(&position, ply), None, "ply {} of {}", ply, words.join(" "));
            }
            let mv = san.parse::<shakmaty::san::SanPlus>().unwrap().san.to_move(&position).unwrap();
            position.play_unchecked(mv);
        }
    }

    /// Law: whatever moves of a game are blanked, and whatever characters of others, the game is among the lines, and it
    /// is counted.
    #[test]
    fn the_game_is_always_among_the_lines(
        number in 0usize..64,
        blanks in prop::collection::vec(0usize..200, 0..3),
        spots in prop::collection::vec((0usize..200, any::<u8>()), 0..3),
    ) {
        let game = classic(number);
        let mut words = game.clone();
        for (ply, mask) in spots {
            let word = &mut words[ply % game.len()];
            *word = word.chars().enumerate().map(|(i, c)| if mask >> i & 1 == 1 && c != '+' && c != '#' { '?' } else { c }).collect();
            // Question marks at the end of a whole move are the annotator's.
            if word.trim_end_matches('?').parse::<shakmaty::san::San>().is_ok() {
                word.clone_from(&game[ply % game.len()]);
            }
        }
        for ply in blanks {
            words[ply % game.len()] = "??".into();
        }
        let sheet = sheet(&words.join(" "));
        let (mut found, mut total) = (false, 0_u64);
        for line in sheet.lines() {
            found |= line == game;
            total += 1;
        }
        prop_assert!(found, "{}", words.join(" "));
        prop_assert_eq!(sheet.count(|| true), Some(total));
        let best = sheet.best(total as usize, || true);
        prop_assert!(best.is_some_and(|best| best.lines.iter().any(|line| line.sans == game)));
    }
}
