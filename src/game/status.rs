//! Is the game over, and what may be claimed?

use shakmaty::{Bitboard, Chess, Color, EnPassantMode, KnownOutcome, Move, Outcome, Position as _, Square, attacks};

use super::{Game, line::Line};
use crate::event::{Event, ending::Ending};

/// A result and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Over {
    /// Who has won.
    outcome: KnownOutcome,
    /// Why.
    reason: Ending,
}

impl Over {
    /// Have the rules ended it, and not people?
    pub(super) const fn by_rule(self) -> bool {
        self.reason.by_rule()
    }
}

/// The legal state of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Who is to move.
    pub turn: Color,
    /// Plies played.
    pub ply: usize,
    /// Is the side to move in check?
    pub check: bool,
    /// The position has stood three times: a draw may be claimed.
    pub threefold: bool,
    /// The position has stood five times: the game is drawn.
    pub(super) fivefold: bool,
    /// Fifty moves of each side without capture or pawn move: a draw may be claimed.
    pub fifty_moves: bool,
    /// Seventy-five: the game is drawn.
    seventy_five_moves: bool,
    /// Who has won; unknown (`*`) while the game goes on.
    pub result: Outcome,
    /// Why it is over; `None` while it is not.
    pub reason: Option<Ending>,
    /// Does an illegal position stand on the board?
    pub illegal: bool,
}

/// The result that the laws of chess give by themselves (FIDE 5.2 and 9.6).
fn by_rule(line: &Line) -> Option<Over> {
    let position = line.position();
    if position.is_checkmate() {
        return Some(Over { outcome: KnownOutcome::Decisive { winner: !position.turn() }, reason: Ending::Checkmate });
    }
    let reason = if position.is_stalemate() {
        Ending::Stalemate
    } else if position.is_insufficient_material() {
        Ending::InsufficientMaterial
    } else if walled_off(position) {
        Ending::DeadPosition
    } else if line.repetitions() >= 5 {
        Ending::FivefoldRepetition
    } else if position.halfmoves() >= 150 {
        Ending::SeventyFiveMoves
    } else {
        return None;
    };
    Some(Over { outcome: KnownOutcome::Draw, reason })
}

/// No pawn can ever move or take, and no king can ever reach a pawn that he could take: nobody can give mate (FIDE
/// 5.2.2). Of dead positions with more men than [`is_insufficient_material`](Chess::is_insufficient_material) knows these
/// are the ones that happen.
fn walled_off(position: &Chess) -> bool {
    let men = position.board();
    if men.occupied() != men.pawns() | men.kings() || position.ep_square(EnPassantMode::Legal).is_some() {
        return false;
    }
    let attacked = |by: Color| -> Bitboard {
        (men.pawns() & men.by_color(by))
            .into_iter()
            .map(|s| attacks::pawn_attacks(by, s))
            .fold(Bitboard::EMPTY, |a, b| a | b)
    };
    let stuck = |square: Square| {
        let forward = if men.color_at(square) == Some(Color::White) { 8 } else { -8 };
        square.offset(forward).is_some_and(|front| men.pawns().contains(front))
    };
    let free_to_take = |by: Color| (attacked(by) & men.pawns() & men.by_color(!by)).any();
    if !men.pawns().into_iter().all(stuck) || Color::ALL.into_iter().any(free_to_take) {
        return false;
    }
    Color::ALL.into_iter().all(|colour| {
        // Wherever he could go if the other king were not there.
        let closed = attacked(!colour) | (men.pawns() & men.by_color(colour));
        let mut reached: Bitboard = men.king_of(colour).into_iter().collect();
        loop {
            let steps = reached.into_iter().map(attacks::king_attacks).fold(reached, |a, b| a | b);
            let next = reached | (steps & !closed);
            if (next & men.pawns()).any() {
                return false;
            }
            if next == reached {
                return true;
            }
            reached = next;
        }
    })
}

impl Game {
    /// The legal state of the game.
    #[must_use]
    pub fn status(&self) -> Status {
        let position = self.line.position();
        let repetitions = self.line.repetitions();
        Status {
            turn: position.turn(),
            ply: self.line.len(),
            check: position.is_check(),
            threefold: repetitions >= 3,
            fivefold: repetitions >= 5,
            fifty_moves: position.halfmoves() >= 100,
            seventy_five_moves: position.halfmoves() >= 150,
            result: self.result(),
            reason: self.over.map(|over| over.reason),
            illegal: self.over.is_none() && &self.standing != position.board(),
        }
    }

    /// The result; unknown, which PGN writes as `*`, while the game goes on.
    #[must_use]
    pub fn result(&self) -> Outcome {
        Outcome::from_known(self.over.map(|over| over.outcome))
    }

    /// Ends the game. What the rules have decided, kings in the centre do not change.
    pub(super) fn end(&mut self, outcome: KnownOutcome, reason: Ending) -> Option<Event> {
        if reason == Ending::KingsInTheCentre {
            self.notes.forget_gesture(self.line.len());
            if self.over.is_some_and(|over| over.reason.by_rule()) {
                return None;
            }
        }
        if self.over.is_some_and(|over| over.outcome == outcome) {
            return None;
        }
        self.over = Some(Over { outcome, reason });
        Some(Event::Result { result: outcome.into(), reason })
    }

    /// Ends the game where the rules do so by themselves.
    pub(super) fn end_by_rule(&mut self) -> Option<Event> {
        let over = by_rule(&self.line)?;
        self.end(over.outcome, over.reason)
    }

    /// After the line has changed: withdraws a result that no longer holds, finds a new one.
    pub(super) fn review_result(&mut self) -> Vec<Event> {
        let now = by_rule(&self.line);
        let withdrawn = self.over.take_if(|over| now != Some(*over));
        let ended = self.end_by_rule();
        match (withdrawn, ended) {
            (_, Some(event)) => vec![event],
            (Some(_), None) => vec![Event::Result { result: Outcome::Unknown, reason: Ending::GoesOn }],
            (None, None) => Vec::new(),
        }
    }

    /// The game is now its first `keep` plies and then `moves`. Tells the difference: take-backs from the last ply
    /// down, then revised plies, then new ones, then a result. Confidences belong to `moves`.
    pub(super) fn take_over(&mut self, keep: usize, moves: &[Move], confidences: &[f64]) -> Vec<Event> {
        let old = self.line.clone();
        let stood_illegal = self.over.is_none() && &self.standing != old.position().board();
        let mut line = old.clone();
        line.truncate(keep);
        for (i, &mv) in moves.iter().enumerate() {
            if !line.push(mv, confidences.get(i).copied().unwrap_or(1.0)) {
                // Hypotheses are made of legal moves; one that is not changes nothing.
                return Vec::new();
            }
        }
        self.memory.stood = self.memory.stood.min(keep);
        let mut events = Vec::new();
        if stood_illegal {
            events.push(Event::Restored);
        }
        for ply in (line.len()..old.len()).rev() {
            events.push(Event::TakeBack { ply: ply + 1, fen: super::line::fen(old.position_after(ply)) });
        }
        for (index, ply) in line.plies().iter().enumerate() {
            let (uci, san, fen) = (ply.uci, ply.san, ply.fen());
            match old.plies().get(index) {
                Some(was) if was.uci == uci => {}
                Some(was) => events.push(Event::Revised { ply: index + 1, was: was.uci, uci, san, fen }),
                None => events.push(Event::Move { ply: index + 1, uci, san, fen, confidence: ply.confidence }),
            }
        }
        let changed = line != old;
        self.notes.follow(&old, &line);
        self.line = line;
        self.standing = self.line.position().board().clone();
        if changed {
            events.extend(self.review_result());
        }
        events
    }
}
