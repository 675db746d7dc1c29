//! What people may say: it overrules what was seen.

use std::sync::Arc;

use super::{Begin, Game, line_at};
use crate::go::{
    Board, Color, Event, Moment,
    belief::{Belief, Weighed},
};

/// Why a command was refused: what was asked, and what is possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CommandError(pub String);

impl Game {
    /// Takes back the last plays. The stones are taken to lie accordingly.
    ///
    /// # Errors
    /// When fewer have been played, or none is asked for.
    pub fn take_back(&mut self, plays: usize) -> Result<Vec<Event>, CommandError> {
        let played = self.told.end.number();
        if plays == 0 || plays > played {
            return Err(CommandError(format!("cannot take back {plays} plays: {played} have been played")));
        }
        let end = self.before(played - plays);
        Ok(self.go_to(&end))
    }

    /// Ends the game with a result as SGF writes it (`B+3.5`, `W+R`, `0`), or reopens it with an empty one.
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn set_result(&mut self, text: &str) -> Result<Vec<Event>, CommandError> {
        let text = text.trim();
        let how = text.strip_prefix("B+").or_else(|| text.strip_prefix("W+"));
        let known = match how {
            Some("R" | "T" | "F" | "Resign" | "Time" | "Forfeit") => true,
            Some(points) => points.parse::<f64>().is_ok_and(|p| p > 0.0 && p.is_finite()),
            None => matches!(text, "" | "0" | "Draw" | "Void" | "?"),
        };
        if !known {
            let shown: String = text.chars().take(40).collect();
            return Err(CommandError(format!("result {shown:?} is none of B+3.5, W+R, 0, Void, ?")));
        }
        text.clone_into(&mut self.info.result);
        Ok(vec![Event::Result { result: text.to_owned() }])
    }

    /// Begins a new game on an empty board. The old one is complete as it stands.
    pub fn new_game(&mut self) -> Vec<Event> {
        let start = Moment::start(Board::empty(self.size()), Color::Black);
        self.restart(Begin::At(start))
    }

    /// What lies on the board is another game, which begins as the board shows it. The old one is complete as it stands.
    pub fn another(&mut self) -> Vec<Event> {
        self.restart(Begin::AsSeen(self.size()))
    }

    /// The moment after so many plays.
    fn before(&self, plays: usize) -> Arc<Moment> {
        let end = &self.told.end;
        end.back().find(|m| m.number() <= plays).unwrap_or(end).clone()
    }

    /// The game is this, because somebody says so.
    fn go_to(&mut self, end: &Arc<Moment>) -> Vec<Event> {
        let mut events = Vec::new();
        let sure = Weighed { lines: vec![(line_at(end.clone()), 1.0)] };
        self.told.odd.clear();
        self.advance(end, &sure, &mut events);
        self.belief = Belief::certain([end.clone()]);
        self.weighed = None;
        self.standing = end.board().clone();
        self.understood();
        events
    }
}
