//! What is to happen at the board: where the game begins and what is played.

use shakmaty::Move;

use crate::game::{pgn_in::GameText, start::Start};

/// A game as it is to be shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Story {
    /// The first position.
    pub start: Start,
    /// The game's moves; each must be legal after those before it.
    pub moves: Vec<Move>,
}

impl From<(Start, Vec<Move>)> for Story {
    fn from((start, moves): (Start, Vec<Move>)) -> Self {
        Self { start, moves }
    }
}

impl From<&GameText> for Story {
    fn from(game: &GameText) -> Self {
        Self { start: game.start.clone(), moves: game.moves.clone() }
    }
}
