//! The move that somebody expects next, or a whole game that is to be played: does the board show it?

use shakmaty::{san::SanPlus, uci::UciMove};

use super::{CommandError, Game, commands::read_move, line::fen, pgn_in::GameText, start::Start};
use crate::event::Event;

/// A move that was announced: a robot's own, before it is carried out.
#[derive(Debug, Clone, PartialEq)]
struct Announced {
    /// Number of the ply, 1 for the first.
    ply: usize,
    expected: (UciMove, SanPlus),
}

/// A game that is to be played, ply by ply.
#[derive(Debug, Clone, PartialEq)]
struct Followed {
    start: Start,
    plies: Vec<(UciMove, SanPlus)>,
}

/// What is expected, and from where.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Expectations {
    announced: Option<Announced>,
    followed: Option<Followed>,
}

impl Expectations {
    /// Expects the moves of `text`, in every game that begins in its first position.
    #[must_use]
    pub fn following(text: &GameText) -> Self {
        let mode = text.start.castling_mode();
        let ucis = text.moves.iter().map(|&mv| UciMove::from_move(mv, mode));
        let plies = ucis.zip(text.start.sans(&text.moves)).collect();
        Self { announced: None, followed: Some(Followed { start: text.start.clone(), plies }) }
    }

    /// Expects `text` (UCI or SAN) as the next move of `game`; an empty text expects nothing any more. Returns the move.
    ///
    /// # Errors
    /// When it is not one legal move in the position; then what was expected before stays expected.
    pub(crate) fn announce(&mut self, game: &Game, text: &str) -> Result<Option<(UciMove, SanPlus)>, CommandError> {
        let text = text.trim();
        if text.is_empty() {
            self.announced = None;
            return Ok(None);
        }
        let position = game.position();
        let mv = read_move(position, text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            CommandError::Refused(format!("{shown:?} is not one legal move (UCI or SAN) in {}", fen(position)))
        })?;
        let uci = UciMove::from_move(mv, game.start().castling_mode());
        let expected = (uci, SanPlus::from_move(position.clone(), mv));
        self.announced = Some(Announced { ply: game.plies().len() + 1, expected });
        Ok(Some(expected))
    }

    /// `events`, after which `game` is as it is, and behind each move whether it was the expected one.
    ///
    /// Of a game that is followed only the first difference is told; once it is put right, the next one.
    pub fn judge(&mut self, events: Vec<Event>, game: &Game) -> Vec<Event> {
        let mut judged = Vec::with_capacity(events.len());
        for event in events {
            match &event {
                Event::NewGame { .. } => self.announced = None,
                // The position in which it was announced has gone.
                Event::TakeBack { ply, .. } => drop(self.announced.take_if(|announced| announced.ply > *ply)),
                _ => {}
            }
            let said = match &event {
                Event::Move { ply, uci, san, .. } | Event::Revised { ply, uci, san, .. } => {
                    self.compare(*ply, *uci, *san, game)
                }
                _ => None,
            };
            judged.push(event);
            judged.extend(said);
        }
        judged
    }

    fn compare(&self, ply: usize, uci: UciMove, san: SanPlus, game: &Game) -> Option<Event> {
        let (expected, as_san) = match &self.announced {
            Some(announced) if announced.ply == ply => announced.expected,
            _ => self.followed.as_ref()?.at(ply, game)?,
        };
        if expected == uci {
            return Some(Event::Expected { ply, unseen: game.told_unseen(ply) });
        }
        let text = format!("{as_san} was expected, {san} was played.");
        Some(Event::Unexpected { ply, uci, expected, text })
    }
}

impl Followed {
    /// The ply of this number, where the game has gone as it should until then.
    fn at(&self, ply: usize, game: &Game) -> Option<(UciMove, SanPlus)> {
        let before = ply.checked_sub(1)?;
        let same = game.start() == &self.start && game.plies().len() >= before;
        let played = game.plies().iter().map(|p| p.uci).take(before);
        (same && played.eq(self.plies.iter().map(|(uci, _)| *uci).take(before)))
            .then(|| self.plies.get(before).copied())?
    }
}
