//! Events of a game that was never played, for tests.

use chess_observer::event::{Event, reasons::IllegalReason};
use shakmaty::{Bitboard, fen::Fen};

/// This ply was told.
pub fn played(ply: usize, uci: &str, confidence: f64) -> Event {
    let (uci, san) = (uci.parse().unwrap(), "e4".parse().unwrap());
    Event::Move { ply, uci, san, fen: Fen::default(), confidence }
}

/// This ply is another one now.
pub fn revised(ply: usize, was: &str, uci: &str) -> Event {
    let (was, uci, san) = (was.parse().unwrap(), uci.parse().unwrap(), "e4".parse().unwrap());
    Event::Revised { ply, was, uci, san, fen: Fen::default() }
}

/// A change against the rules was told.
pub fn illegal(reasons: &[IllegalReason]) -> Event {
    let reasons = reasons.iter().copied().collect();
    Event::Illegal { reasons, squares: Bitboard::EMPTY, uci: None, text: String::new() }
}
