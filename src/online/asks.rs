//! What people ask the table for, and what it tells them.

use serde_json::Value;
use shakmaty::Color;
use tokio::sync::oneshot;

use super::player::Ply;

/// What a person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The move on the board is meant.
    Confirm,
    /// Offer a draw, or accept the one that is offered.
    Draw,
    /// Give the game up.
    Resign,
    /// The kings were put in the centre: who has won by that, nobody in a draw.
    Kings(Option<Color>),
}

/// What a person asks for, and where the answer goes.
#[derive(Debug)]
pub struct Request {
    /// What.
    pub ask: Ask,
    /// What was done, or why not.
    pub answer: oneshot::Sender<Result<String, String>>,
}

/// What the table tells.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The other side has played this, and the position is then this FEN.
    Theirs(Ply, String),
    /// The board is to show this move next.
    Expect(Ply),
    /// Something for people to know.
    Notice(String),
    /// How everything stands, as JSON.
    State(Value),
}
