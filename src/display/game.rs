//! A game from its PGN, position by position, so that a page needs no rules of chess.

use std::collections::BTreeMap;

use serde::Serialize;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, san::SanPlus, uci::UciMove};

use crate::game::{
    pgn_in::{GameText, read_games},
    resume::Remark,
};

/// A ply of the game as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ply {
    /// The number before it, `12.` or `12...`.
    pub number: String,
    /// The move as SAN.
    pub san: String,
    /// The move as UCI.
    pub uci: String,
    /// The position after it.
    pub fen: String,
    /// How long it took, in seconds, where the record says so.
    pub(crate) took_s: Option<i64>,
    /// Probability that it is what was played, where it is known.
    pub confidence: Option<f64>,
    /// Time of the picture in which it was understood, in seconds since the epoch, where it is known.
    pub stamp_s: Option<f64>,
}

/// A game as its record tells it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Game {
    /// White's name; empty while unknown.
    pub white: String,
    /// Black's name; empty while unknown.
    pub black: String,
    /// The event; empty while unknown.
    pub event: String,
    /// The round; empty while unknown.
    pub round: String,
    /// The date as PGN writes it; empty while unknown.
    pub date: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The first position.
    pub start: String,
    /// The plies.
    pub plies: Vec<Ply>,
}

impl Game {
    /// Reads the last game of a PGN text; `None` where there is none that can be read.
    #[must_use]
    pub fn read(pgn: &str) -> Option<Self> {
        Some(Self::of(&read_games(pgn).pop()?.ok()?))
    }

    /// Notes when each ply was understood, and how surely.
    pub(super) fn time(&mut self, told: &BTreeMap<usize, (f64, Option<f64>)>) {
        for (index, ply) in self.plies.iter_mut().enumerate() {
            if let Some((stamp_s, confidence)) = told.get(&(index + 1)) {
                ply.stamp_s = Some(*stamp_s);
                ply.confidence = confidence.or(ply.confidence);
            }
        }
    }

    /// A game that was read.
    #[must_use]
    pub fn of(text: &GameText) -> Self {
        let tags = text.tags();
        let start = text.start.position().clone();
        let mut game = Self {
            white: tags.white,
            black: tags.black,
            event: tags.event,
            round: tags.round,
            date: tags.date,
            result: text.result.as_str().to_owned(),
            start: fen(&start),
            plies: Vec::with_capacity(text.moves.len()),
        };
        let (mut position, ucis, remarks) = (start, text.ucis(), remarks(text));
        for ((&mv, uci), remark) in text.moves.iter().zip(ucis).zip(remarks) {
            let number = position.fullmoves();
            let number = if position.turn().is_white() { format!("{number}.") } else { format!("{number}...") };
            let san = SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
            let (took_s, confidence) = (remark.took_s, remark.confidence);
            game.plies.push(Ply { number, san, uci, fen: fen(&position), took_s, confidence, stamp_s: None });
        }
        game
    }
}

/// What the comments say of each ply.
fn remarks(text: &GameText) -> Vec<Remark> {
    let mut remarks = vec![Remark::default(); text.moves.len()];
    for (plies, comment) in &text.comments {
        if let Some(remark) = plies.checked_sub(1).and_then(|index| remarks.get_mut(index)) {
            let said = Remark::read(comment);
            remark.took_s = remark.took_s.or(said.took_s);
            remark.confidence = remark.confidence.or(said.confidence);
        }
    }
    remarks
}

/// A move of a position as SAN; `None` where it is not legal, or the position cannot be read.
pub(super) fn san_of(fen: &str, uci: &str) -> Option<String> {
    let mut position: Chess = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
    let mv = uci.parse::<UciMove>().ok()?.to_move(&position).ok()?;
    Some(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string())
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ply_has_its_position_time_and_doubt() {
        let pgn = "[White \"Ada\"]\n[Black \"?\"]\n\n1. e4 {[%emt 0:01:05] 62.0 % sure} e5 {[%emt 0:00:02]} 2. Nf3 *\n";
        let game = Game::read(pgn).unwrap();
        assert_eq!((game.white.as_str(), game.black.as_str(), game.plies.len()), ("Ada", "", 3));
        let [first, second, third] = &game.plies[..] else { panic!() };
        assert_eq!((first.number.as_str(), first.san.as_str(), first.uci.as_str()), ("1.", "e4", "e2e4"));
        assert_eq!((first.took_s, first.confidence), (Some(65), Some(0.62)));
        assert_eq!((second.number.as_str(), second.took_s, second.confidence), ("1...", Some(2), None));
        assert_eq!(third.fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    }

    #[test]
    fn a_text_that_is_no_game_is_none() {
        assert_eq!(Game::read(""), None);
        assert_eq!(Game::read("1. e5 *"), None);
    }
}
