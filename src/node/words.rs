//! What the console says of games, moves and warnings.

use r2r::chess_observer::msg::{Move, Warning};

use super::level::Level;

/// The position that needs no words.
const USUAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A line for people: where a game begins, and where its PGN goes.
#[must_use]
pub fn begins(fen: &str, goes_to: &str) -> String {
    let from = if fen == USUAL { String::new() } else { format!(" from {fen}") };
    format!("a new game begins{from}; its PGN {goes_to}")
}

/// How much a warning matters to who reads the log.
#[must_use]
pub(crate) const fn level(kind: u8) -> Level {
    match kind as u32 {
        k if k == Warning::KIND_NOT_SAVED as u32 => Level::Error,
        k if k == Warning::KIND_ILLEGAL as u32
            || k == Warning::KIND_UNCERTAIN as u32
            || k == Warning::KIND_BOARD_LOST as u32
            || k == Warning::KIND_UNEXPECTED as u32 =>
        {
            Level::Warn
        }
        _ => Level::Info,
    }
}

/// A line for people: what a message on `moves` says.
#[must_use]
pub(super) fn describe(message: &Move) -> String {
    let number = message.ply.div_ceil(2);
    let dots = if message.ply % 2 == 1 { "." } else { "..." };
    if message.kind == Move::KIND_TAKEN_BACK as u8 {
        format!("ply {} was taken back", message.ply)
    } else if message.kind == Move::KIND_REVISED as u8 {
        format!("{number}{dots} {} (was {})", message.san, message.was)
    } else {
        format!("{number}{dots} {} ({:.1} % sure)", message.san, 100.0 * message.confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_should_look_at_is_a_warning() {
        let kinds = [
            (Warning::KIND_ILLEGAL as u8, Level::Warn),
            (Warning::KIND_UNCERTAIN as u8, Level::Warn),
            (Warning::KIND_BOARD_LOST as u8, Level::Warn),
            (Warning::KIND_UNEXPECTED as u8, Level::Warn),
            (Warning::KIND_NOT_SAVED as u8, Level::Error),
            (Warning::KIND_RESTORED as u8, Level::Info),
            (Warning::KIND_BOARD_FOUND as u8, Level::Info),
            (Warning::KIND_SAVED as u8, Level::Info),
        ];
        for (kind, matters) in kinds {
            assert_eq!(level(kind), matters, "{kind}");
        }
    }

    #[test]
    fn only_an_unusual_beginning_is_named() {
        assert_eq!(begins(USUAL, "is in x"), "a new game begins; its PGN is in x");
        assert_eq!(begins("8/8 w", "is in x"), "a new game begins from 8/8 w; its PGN is in x");
    }
}
