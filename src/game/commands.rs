//! What people may say: it overrules what was seen.

use shakmaty::{Board, KnownOutcome, Move, Outcome, Position as _, san::SanPlus, uci::UciMove};

use super::{CommandError, Game, Remarks, Tags, line::fen, start::Start, weighing::SUREST};
use crate::{
    event::{Event, ending::Ending},
    frame::Stamp,
};

impl Game {
    /// Takes back the last `plies` plies. The men are taken to stand accordingly.
    ///
    /// # Errors
    /// When fewer have been played, or `plies` is 0.
    pub fn take_back(&mut self, plies: usize) -> Result<Vec<Event>, CommandError> {
        let played = self.line.len();
        if plies == 0 || plies > played {
            return Err(CommandError::Refused(format!("cannot take back {plies} plies: {played} have been played")));
        }
        self.forget_doubts();
        Ok(self.take_over(played - plies, &[], &[]))
    }

    /// Says that ply `ply` (1 for the first, 0 for the last one played) was `text`, in UCI or SAN. The plies after it
    /// stay. One beyond the last is a ply that was played and not told.
    ///
    /// # Errors
    /// When there is no such ply, the move is not legal there, or a ply after it no longer is; then nothing changes.
    pub fn correct_move(&mut self, ply: usize, text: &str) -> Result<Vec<Event>, CommandError> {
        let played = self.line.len();
        let number = if ply == 0 { played } else { ply };
        if number == 0 || number > played + 1 {
            return Err(CommandError::Refused(format!("there is no ply {number}: {played} have been played")));
        }
        let index = number - 1;
        let before = self.line.position_after(index);
        let shown: String = text.chars().take(40).collect();
        let mv = read_move(before, text.trim()).ok_or_else(|| {
            CommandError::Refused(format!(
                "ply {number}: {shown:?} is not one legal move (UCI or SAN) in {}",
                fen(before)
            ))
        })?;
        let mut moves = vec![mv];
        let mut position = before.clone();
        position.play_unchecked(mv);
        for later in self.line.plies().iter().skip(number) {
            // Said again in the corrected position: the man may be another one now.
            let again = later.uci.to_move(&position).ok();
            let Some(again) = again else {
                let which = index + 1 + moves.len();
                return Err(CommandError::Refused(format!(
                    "ply {number} cannot be {shown:?}: ply {which}, {}, would not be legal",
                    later.san
                )));
            };
            moves.push(again);
            position.play_unchecked(again);
        }
        let mut confidences: Vec<f64> = self.line.plies()[index..].iter().map(|p| p.confidence).collect();
        match confidences.first_mut() {
            Some(first) => *first = 1.0,
            None => confidences.push(1.0),
        }
        self.forget_doubts();
        Ok(self.take_over(index, &moves, &confidences))
    }

    /// Ends the game (`1-0`, `0-1`, `1/2-1/2`) or reopens it (`*`).
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn set_result(&mut self, text: &str) -> Result<Vec<Event>, CommandError> {
        let outcome = match text.trim() {
            "*" => None,
            text => Some(text.parse::<KnownOutcome>().map_err(|_| {
                let shown: String = text.chars().take(40).collect();
                CommandError::Refused(format!("result {shown:?} is none of 1-0, 0-1, 1/2-1/2, *"))
            })?),
        };
        self.forget_doubts();
        let Some(outcome) = outcome else {
            let was = self.over.take();
            self.standing = self.line.position().board().clone();
            let event = Event::Result { result: Outcome::Unknown, reason: Ending::Reopened };
            return Ok(was.map(|_| event).into_iter().collect());
        };
        Ok(self.end(outcome, Ending::SetByHand).into_iter().collect())
    }

    /// Says what stands on the board now, an illegal move that was let stand included. The old record is complete as it
    /// is; a new one begins there and says so in a comment, because no PGN holds an illegal move.
    ///
    /// # Errors
    /// When the text is not a FEN or the position not legal.
    pub fn set_position(&mut self, fen: &str) -> Result<Vec<Event>, CommandError> {
        let start = Start::from_fen(fen)?;
        let (plies, illegal) = (self.line.len(), self.status().illegal);
        let events = self.restart(start);
        self.notes.preface = match (plies, illegal) {
            (0, false) => String::new(),
            (_, false) => format!("the position was set by hand after ply {plies}"),
            (_, true) => format!("the position was set by hand: an illegal move after ply {plies} was let stand"),
        };
        Ok(events)
    }

    /// Takes the illegal move `illegal` as played, after taking back `told` plies: the old record is complete as it is; a
    /// new one begins in `start`, the position after it, says so in a comment, and goes on with `answer`.
    ///
    /// # Errors
    /// When fewer plies have been played, or the answer is not legal; then nothing has changed.
    pub fn accept(
        &mut self,
        start: Start,
        (illegal, answer): (UciMove, UciMove),
        told: usize,
    ) -> Result<Vec<Event>, CommandError> {
        let mut accepted = self.clone();
        if told > 0 {
            accepted.take_back(told)?;
        }
        let plies = accepted.line.len();
        let mut events = accepted.restart(start);
        accepted.notes.preface = format!("the illegal move {illegal} after ply {plies} was let stand and answered");
        events.extend(accepted.correct_move(1, &answer.to_string())?);
        *self = accepted;
        Ok(events)
    }

    /// Begins a new game from `fen`, or from the usual position. The old one is complete as it stands.
    ///
    /// # Errors
    /// When the text is not a FEN or the position not legal.
    pub fn new_game(&mut self, fen: Option<&str>) -> Result<Vec<Event>, CommandError> {
        let start = fen.map_or_else(|| Ok(Start::default()), Start::from_fen)?;
        Ok(self.restart(start))
    }

    /// Says which remarks the record is to have.
    pub(crate) fn set_remarks(&mut self, wanted: Remarks) {
        self.notes.wanted = wanted;
    }

    /// The looks to come are at the picture of this time.
    pub fn tick(&mut self, stamp: Stamp) {
        self.notes.tick(stamp);
    }

    /// Replaces the headers.
    pub(crate) fn set_tags(&mut self, tags: Tags) {
        self.tags = tags;
    }

    /// A new game has been set up on the board, and these men stand there; its first ply may have been `played`, as surely as
    /// is said.
    pub(super) fn begin_again(&mut self, men: &Board, played: Option<Move>, confidence: f64) -> Vec<Event> {
        let own = self.line.start();
        let goes_on = played.is_some() || own.position().board() == men;
        let start = if goes_on { own.clone() } else { Start::default() };
        let mut events = self.restart(start);
        if let Some(mv) = played {
            events.extend(self.take_over(0, &[mv], &[confidence.min(SUREST)]));
        }
        events
    }

    fn restart(&mut self, start: Start) -> Vec<Event> {
        let mut finished = std::mem::take(&mut self.finished);
        if !self.line.is_empty() {
            finished.push(self.in_hindsight().pgn());
        }
        let event = Event::NewGame { fen: start.fen() };
        let (notes, memory) = (self.notes.next_game(), std::mem::take(&mut self.memory).of_next_game());
        let explaining = self.explaining;
        let looks = self.looks.is_some().then(Default::default);
        *self = Self::new(start, self.tags.clone());
        self.explaining = explaining;
        self.looks = looks;
        (self.notes, self.memory) = (notes, memory);
        self.finished = finished;
        vec![event]
    }

    fn forget_doubts(&mut self) {
        self.memory.overrule();
        // What a person has said stands in hindsight as well.
        self.looks = self.looks.is_some().then(Default::default);
        self.unseen = None;
    }
}

/// A move in UCI (either way of writing castling) or SAN.
pub(super) fn read_move(position: &shakmaty::Chess, text: &str) -> Option<Move> {
    if let Ok(uci) = text.parse::<UciMove>() {
        return uci.to_move(position).ok();
    }
    text.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(position).ok())
}
