//! Incidents from the comments of a PGN: `{[%illegal e1e3]}` before the move that it precedes or shapes.
//!
//! | command | what happens |
//! | --- | --- |
//! | `[%illegal e1e3]` | the man is carried from e1 to e3; that stands for a while and is put back |
//! | `[%illegal e5d6,xd5]` | several hand moves: `xd5` takes a man off, `N@f3` puts a white knight on (`n@f3` a black one) |
//! | `[%stands e1e3 d7d5]` | after the last move: the illegal move e1e3 is let stand, and answered by d7d5 |
//! | `[%touch d1]`, `[%adjust d1]` | the man is lifted and put back; is pushed to the middle of its square |
//! | `[%takeback g1h3 b8c6]` | these legal moves are played and taken back |
//! | `[%knock e4]` | the hand that makes the next move knocks over the man on e4; it is set upright afterwards |
//! | `[%kings]`, `[%kings 1-0]` | after the last move: kings on the central squares, for the game's result or another |
//! | `[%slow]`, `[%rook_first]` | castling with a pause between king and rook; with the rook first |
//! | `[%late_promotion]` | the pawn waits on the last rank for the new man |
//! | `[%clear_first]`, `[%in_hand]`, `[%put_first]` | the order of a capture |
//! | `[%slide]` | the man is pushed along the board |
//! | `[%hover e5 2.0]` | the man is held low over e5 for so many seconds before it is set down |
//! | `[%rest 4.0]` | after the move the hand rests in view for so many seconds |
//!
//! A comment belongs to the move after it; one after the last move happens after the game. Commands of other programs
//! (`%clk`, `%eval`, `%emt`, `%cal`, `%csl`, …) are passed over, and so is text beside the commands.

use std::convert::Infallible;

use shakmaty::{Move, Outcome, Piece, Position as _, Square, uci::UciMove};

use super::story::{CaptureOrder, HandMove, Incident, Story, What};
use crate::{game::pgn_in::GameText, sim::scene::LONGEST_REST_S};

/// Why a game's comments cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, ply {ply}: comment [%{command}]: expected {expected}")]
pub struct StoryError {
    /// Which game, 1 for the first.
    pub game: usize,
    /// The ply that the comment precedes, 1 for the first.
    pub ply: usize,
    /// What came, on one line.
    pub command: String,
    /// What should have come.
    pub expected: &'static str,
}

const SQUARE: &str = "one square, as in [%touch d1]";
const NOTHING: &str = "no argument";

/// Everything that the comments of a game tell to happen.
///
/// # Errors
/// Names the first command of ours that is malformed.
pub(crate) fn incidents(game: &GameText) -> Result<Vec<Incident>, StoryError> {
    let mut found = vec![];
    for (ply, comment) in &game.comments {
        for command in commands(comment) {
            let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            let what = what(game, *ply, name, rest.trim()).map_err(|expected| StoryError {
                game: game.number,
                ply: ply + 1,
                command: command.split_whitespace().collect::<Vec<_>>().join(" "),
                expected,
            })?;
            found.extend(what.map(|what| Incident { ply: *ply, what }));
        }
    }
    Ok(found)
}

/// What stands between `[%` and `]`, without blanks around it.
fn commands(comment: &str) -> impl Iterator<Item = &str> {
    comment.split("[%").skip(1).filter_map(|part| part.split_once(']').map(|(command, _)| command.trim()))
}

/// One command; `None` for those of other programs. The error says what was expected.
fn what(game: &GameText, ply: usize, name: &str, rest: &str) -> Result<Option<What>, &'static str> {
    let square = || rest.parse::<Square>().map_err(|_| SQUARE);
    let what = match name {
        "illegal" => What::Illegal(hand_moves(rest)?),
        "stands" => What::Stands(changes(rest)?),
        "touch" => What::Touch(square()?),
        "adjust" => What::Adjust(square()?),
        "takeback" => What::TakeBack(line(game, ply, rest)?),
        "knock" => What::KnockOver(square()?),
        "kings" => match if rest.is_empty() { Ok(game.result) } else { rest.parse() } {
            Ok(Outcome::Known(outcome)) => What::Kings(outcome),
            Ok(Outcome::Unknown) => return Err("a result (1-0, 0-1, 1/2-1/2), since the game has none"),
            Err(_) => return Err("a result: 1-0, 0-1 or 1/2-1/2"),
        },
        "hover" => hover(rest)?,
        "rest" => match rest.parse::<f64>() {
            Ok(seconds) if (0.0..=LONGEST_REST_S).contains(&seconds) => What::Rest(seconds),
            _ => return Err("seconds, 0 to 3600, as in [%rest 4.0]"),
        },
        _ => {
            let plain = match name {
                "slow" => What::SlowCastling,
                "rook_first" => What::RookFirst,
                "late_promotion" => What::LatePromotion,
                "clear_first" => What::Capture(CaptureOrder::ClearFirst),
                "in_hand" => What::Capture(CaptureOrder::InHand),
                "put_first" => What::Capture(CaptureOrder::PutFirst),
                "slide" => What::Slide,
                _ => return Ok(None),
            };
            if !rest.is_empty() {
                return Err(NOTHING);
            }
            plain
        }
    };
    Ok(Some(what))
}

/// `e8e6`, or `e5d6,xd5`, or `N@f3`.
fn hand_moves(text: &str) -> Result<Vec<HandMove>, &'static str> {
    text.split(',')
        .map(|word| hand_move(word.trim()))
        .collect::<Option<_>>()
        .ok_or("hand moves with commas between: e8e6 (carried), xd5 (taken off), N@f3 or n@f3 (put on)")
}

/// `e1e3 d7d5`: hand moves of one player, then of the other, and so on.
fn changes(text: &str) -> Result<Vec<Vec<HandMove>>, &'static str> {
    const EXPECTED: &str = "an illegal change and its answers with blanks between, as in [%stands e1e3 d7d5]";
    let read = text.split_whitespace().map(hand_moves).collect::<Result<Vec<_>, _>>().map_err(|_| EXPECTED)?;
    if read.is_empty() { Err(EXPECTED) } else { Ok(read) }
}

/// `e5 2.0`.
fn hover(text: &str) -> Result<What, &'static str> {
    let read = || {
        let (square, seconds) = text.split_once(char::is_whitespace)?;
        Some((square.parse().ok()?, seconds.trim().parse::<f64>().ok()?))
    };
    match read() {
        Some((square, seconds)) if (0.0..=LONGEST_REST_S).contains(&seconds) => Ok(What::Hover(square, seconds)),
        _ => Err("a square and seconds, 0 to 3600, as in [%hover e5 2.0]"),
    }
}

fn hand_move(word: &str) -> Option<HandMove> {
    if let Some(square) = word.strip_prefix('x') {
        return Some(HandMove::Remove(square.parse().ok()?));
    }
    if let Some((man, square)) = word.split_once('@') {
        let mut letters = man.chars();
        let piece = Piece::from_char(letters.next()?).filter(|_| letters.next().is_none())?;
        return Some(HandMove::Put { piece, at: square.parse().ok()? });
    }
    let (from, to) = (word.get(..2)?.parse().ok()?, word.get(2..)?.parse().ok()?);
    (from != to).then_some(HandMove::Carry { from, to })
}

/// Moves in UCI that are legal from the position before a ply on.
fn line(game: &GameText, ply: usize, text: &str) -> Result<Vec<Move>, &'static str> {
    const EXPECTED: &str = "legal moves in UCI notation, as in [%takeback g1h3 b8c6]";
    let mut position = game.start.position().clone();
    for m in &game.moves[..ply.min(game.moves.len())] {
        position.play_unchecked(*m);
    }
    let moves = text
        .split_whitespace()
        .map(|word| {
            let m = word.parse::<UciMove>().ok()?.to_move(&position).ok()?;
            position.play_unchecked(m);
            Some(m)
        })
        .collect::<Option<Vec<_>>>();
    moves.filter(|m| !m.is_empty()).ok_or(EXPECTED)
}

impl Story {
    /// A game with what its comments tell to happen beside the moves (see `comments`).
    ///
    /// # Errors
    /// When a comment has a command of ours that is malformed or does not fit.
    pub fn read(game: &GameText) -> Result<Self, StoryError> {
        Ok(Self { incidents: incidents(game)?, ..Self::plain(game) })
    }
}

impl TryFrom<&GameText> for Story {
    type Error = StoryError;

    /// As [`Story::read`].
    fn try_from(game: &GameText) -> Result<Self, StoryError> {
        Self::read(game)
    }
}

impl From<Infallible> for StoryError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{game::pgn_in::read_games, sim::Story};

    fn read(text: &str) -> Result<Vec<Incident>, StoryError> {
        Story::read(read_games(text)[0].as_ref().unwrap()).map(|s| s.incidents)
    }

    #[test]
    fn commands_belong_to_the_move_after_them() {
        let text = "{[%illegal e1e3] and words} 1. e4 {[%clk 0:01:02][%touch d7] [%rest 2.5][%hover e6 0.5]} e5 {[%eval 0.3]} \
            2. Nf3 (2. f4 {[%nonsense][%illegal]}) {[%takeback b8c6 f1b5]} Nc6 \
            {[%illegal e4d5,xd7, n@f3][%stands e4d5,xd7 c6c5][%kings]} 1/2-1/2";
        let found = read(text).unwrap();
        let words: Vec<_> = found.iter().map(|i| (i.ply, format!("{:?}", i.what))).collect();
        let at: Vec<_> = words.iter().map(|w| w.0).collect();
        assert_eq!(at, [0, 1, 1, 1, 3, 4, 4, 4], "{words:?}");
        assert_eq!(found[3].what.to_string(), "[%hover e6 0.5]");
        assert_eq!(found[6].what.to_string(), "[%stands e4d5,xd7 c6c5]");
        assert_eq!(found[2].what, What::Rest(2.5));
        let What::TakeBack(moves) = &found[4].what else { panic!("{words:?}") };
        assert_eq!(moves.len(), 2);
        let What::Illegal(moves) = &found[5].what else { panic!("{words:?}") };
        let text: Vec<_> = moves.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["e4d5", "xd7", "n@f3"]);
        assert_eq!(found[7].what, What::Kings(shakmaty::KnownOutcome::Draw));
    }

    #[test]
    fn what_is_wrong_names_game_ply_command_and_what_was_expected() {
        for (comment, expected) in [
            ("illegal", "hand moves"),
            ("illegal e8", "hand moves"),
            ("illegal e8e8", "hand moves"),
            ("illegal e8e9", "hand moves"),
            ("illegal NN@f3", "hand moves"),
            ("illegal é8", "hand moves"),
            ("touch z9", "one square"),
            ("takeback e2e5", "legal moves"),
            ("takeback", "legal moves"),
            ("rest soon", "seconds"),
            ("rest -1", "seconds"),
            ("hover e5", "a square and seconds"),
            ("hover 2.0 e5", "a square and seconds"),
            ("hover e5 -1", "a square and seconds"),
            ("stands", "an illegal change and its answers"),
            ("stands e2e5 e7", "an illegal change and its answers"),
            ("kings", "a result"),
            ("kings 2-0", "a result"),
            ("slow 3", "no argument"),
        ] {
            let text = format!("1. d4 *\n\n1. e4 {{[%{comment}]}} e5 *");
            let game = read_games(&text)[1].clone().unwrap();
            let error = Story::read(&game).expect_err(comment).to_string();
            let begin = format!("game 2, ply 2: comment [%{comment}]: expected {expected}");
            assert!(error.starts_with(&begin), "{error}");
        }
        // A comment may go over several lines; what is said of it does not.
        let game = read_games("1. e4 {[%knock a\r\n8]} e5 *").remove(0).unwrap();
        let error = Story::read(&game).unwrap_err().to_string();
        assert!(error.starts_with("game 1, ply 2: comment [%knock a 8]: expected one square"), "{error}");
    }
}
