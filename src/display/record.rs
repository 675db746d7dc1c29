//! A board's game as it was heard: read once, with every position, and with the time at which each ply came.

use std::{sync::Arc, time::Instant};

use shakmaty::{Chess, san::SanPlus};

use crate::game::pgn_in::{GameText, read_games};

/// A game as a board told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The game as its text says.
    pub game: GameText,
    /// The plies as SAN.
    pub sans: Vec<String>,
    /// The positions: one more than there are plies.
    pub positions: Vec<Chess>,
    /// When each ply was first heard here; a ply that is corrected keeps its time.
    pub heard: Vec<Instant>,
}

impl Record {
    /// Reads the last game of a PGN text that came at `now`, after the record `before`. `None` where there is none that can
    /// be read.
    #[must_use]
    pub fn read(pgn: &str, before: Option<&Self>, now: Instant) -> Option<Arc<Self>> {
        let game = read_games(pgn).pop()?.ok()?;
        let mut position = game.start.position().clone();
        let mut positions = vec![position.clone()];
        let mut sans = Vec::with_capacity(game.moves.len());
        for &mv in &game.moves {
            sans.push(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
            positions.push(position.clone());
        }
        let mut heard = before.map(|before| before.kept(&game)).unwrap_or_default();
        heard.resize(game.moves.len(), now);
        Some(Arc::new(Self { game, sans, positions, heard }))
    }

    /// The times of the plies that `next` still has. Of a game that is shorter only those before the first difference count:
    /// it may be another game, of which nothing was heard before.
    fn kept(&self, next: &GameText) -> Vec<Instant> {
        let begun = |game: &GameText| ["UTCDate", "UTCTime"].map(|name| game.header(name).map(str::to_owned));
        if self.game.start != next.start || begun(&self.game) != begun(next) {
            return Vec::new();
        }
        let (old, new) = (&self.game.moves, &next.moves);
        let kept =
            if new.len() < old.len() { old.iter().zip(new).take_while(|(a, b)| a == b).count() } else { old.len() };
        self.heard.iter().take(kept).copied().collect()
    }

    /// Is the game over?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.game.result != shakmaty::Outcome::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_ply_keeps_the_time_at_which_it_was_first_heard() {
        let begin = Instant::now();
        let mut record: Option<Arc<Record>> = None;
        let mut hear = |second: u64, pgn: &str| {
            let now = begin + Duration::from_secs(second);
            record = Record::read(pgn, record.as_deref(), now);
            let heard = &record.as_ref().unwrap().heard;
            heard.iter().map(|at| at.duration_since(begin).as_secs()).collect::<Vec<_>>()
        };
        assert_eq!(hear(0, "*"), [0_u64; 0]);
        assert_eq!(hear(1, "1. e4 *"), [1]);
        assert_eq!(hear(2, "1. e4 e5 2. Nf3 *"), [1, 2, 2]);
        // Corrected, and taken back.
        assert_eq!(hear(3, "1. e4 e6 2. Nf3 *"), [1, 2, 2]);
        assert_eq!(hear(4, "1. e4 e6 *"), [1, 2]);
        assert_eq!(hear(5, "1. e4 e6 2. d4 *"), [1, 2, 5]);
        // Another game, of which the beginning was missed.
        assert_eq!(hear(6, "1. d4 d5 *"), [6, 6]);
        assert_eq!(hear(7, "[UTCTime \"10:00:00\"]\n\n1. d4 d5 2. c4 *"), [7, 7, 7]);
    }

    #[test]
    fn what_cannot_be_read_is_none() {
        for text in ["", "1. e5 *", "{"] {
            assert_eq!(Record::read(text, None, Instant::now()), None, "{text:?}");
        }
    }
}
