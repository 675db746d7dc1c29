//! A game that was read, written again for others: with other headers, up to a ply, and with nothing of our remarks but the
//! times.

use std::fmt::Write as _;

use shakmaty::{Color, san::SanPlus};

use super::{
    pgn_in::GameText,
    record::{escape, wrap},
};

/// Commands in comments that are told to others: time left on the clock, and time that the move took.
const TOLD: [&str; 2] = ["[%clk ", "[%emt "];

/// The first `plies` plies of a game as PGN, with these headers and this result, which ends the moves.
///
/// Doubts and withdrawn lines are left out: they are for those at the board, and may tell what is not to be told yet.
#[must_use]
pub fn excerpt(game: &GameText, headers: &[(String, String)], plies: usize, result: &str) -> String {
    let mut text = String::new();
    for (name, value) in headers {
        let _ = writeln!(text, "[{name} \"{}\"]", escape(value));
    }
    text.push('\n');
    wrap(&mut text, tokens(game, plies, result));
    text
}

fn tokens(game: &GameText, plies: usize, result: &str) -> Vec<String> {
    let mut tokens = Vec::with_capacity(2 * plies + 1);
    let mut position = game.start.position().clone();
    let mut interrupted = true;
    for (index, &mv) in game.moves.iter().take(plies).enumerate() {
        match game.start.number(index) {
            (full, Color::White) => tokens.push(format!("{full}.")),
            (full, Color::Black) if interrupted => tokens.push(format!("{full}...")),
            _ => {}
        }
        tokens.push(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
        let times: Vec<&str> =
            game.comments.iter().filter(|(after, _)| *after == index + 1).flat_map(|(_, text)| times(text)).collect();
        interrupted = !times.is_empty();
        if interrupted {
            tokens.push(format!("{{{}}}", times.join(" ")));
        }
    }
    tokens.push(result.to_owned());
    tokens
}

/// The times in a comment, each with its brackets.
fn times(comment: &str) -> impl Iterator<Item = &str> {
    let command = |(at, _): (usize, &str)| {
        let rest = &comment[at..];
        let end = rest.find(']')?;
        let plain = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ' ');
        rest[TOLD[0].len()..end].chars().all(plain).then(|| &rest[..=end])
    };
    comment
        .match_indices("[%")
        .filter(|(at, _)| TOLD.iter().any(|told| comment[*at..].starts_with(told)))
        .filter_map(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::pgn_in::read_games;

    fn read(pgn: &str) -> GameText {
        read_games(pgn).remove(0).unwrap()
    }

    #[test]
    fn times_stay_and_doubts_do_not() {
        let game = read(
            "1. e4 {[%emt 0:00:04] 62.0 % sure} e5 {withdrawn: 2. Qh5} 2. Nf3 {[%clk 1:29:58] good [%emt 0:00:07]} Nc6 1-0",
        );
        let headers = [("White".to_owned(), "Ada \"the\" Countess".to_owned())];
        assert_eq!(
            excerpt(&game, &headers, 4, "1-0"),
            "[White \"Ada \\\"the\\\" Countess\"]\n\n1. e4 {[%emt 0:00:04]} 1... e5 2. Nf3 {[%clk 1:29:58] [%emt 0:00:07]} 2... Nc6\n1-0\n"
        );
        assert_eq!(excerpt(&game, &[], 1, "*"), "\n1. e4 {[%emt 0:00:04]} *\n");
        assert_eq!(excerpt(&game, &[], 0, "*"), "\n*\n");
    }

    #[test]
    fn a_game_that_begins_with_black_has_his_number() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let game = read(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1... e5 2. Nf3 *\n"));
        assert_eq!(
            excerpt(&game, &game.headers, 2, "*"),
            format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1... e5 2. Nf3 *\n")
        );
    }

    #[test]
    fn what_is_no_time_is_not_told() {
        for comment in ["[%emt", "[%emt 0:00:01", "[%emt } x]", "[%eval 0.3]", "[%clk é]", "[%"] {
            assert_eq!(times(comment).count(), 0, "{comment}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_game() {
        for game in read_games(include_str!("../../games/classics.pgn")).into_iter().map(Result::unwrap) {
            let again = read(&excerpt(&game, &game.headers, game.moves.len(), game.result.as_str()));
            assert_eq!((again.moves, again.start, again.result), (game.moves, game.start, game.result));
        }
    }
}
