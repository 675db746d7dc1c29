//! The whole game in hindsight: which line of play do all looks together make likeliest?
//!
//! At the moment a ply is told by what was seen until then. A recording can wait: what a later look contradicts is mended,
//! and where play was lost, what follows may tell what went before. Nothing is seen anew: what each look said was kept
//! ([`looks`]).
//!
//! | module | idea |
//! | --- | --- |
//! | `looks` | what looks said, and which of it was news |
//! | `lattice` | all lines that the looks leave likely |
//! | `fit` | one given line against all looks |
//!
//! The line that was told is the incumbent: another one takes the place of a part of it only where it is much likelier.

mod fit;
mod lattice;
mod looks;
#[cfg(test)]
mod tests;

use shakmaty::{Move, Position as _};

pub(super) use self::looks::Looks;
use self::{fit::fit, lattice::Lattice};
use super::{
    Game,
    evidence::Evidence,
    hypotheses::{PLY, promotion_prior},
    line::Line,
    pace::Pace,
    weighing::SUREST,
};
use crate::frame::Stamp;

/// Nats by which a line must be likelier than the told one, to take its place. What looks say is summed square by square
/// here, which men that hide each other make wrong by some nats; and a right move that is undone is worse than a wrong one
/// that is left.
const CLEARLY: f64 = 15.0;

/// ln of how likely plies are that come between two looks, against none.
fn prior(moves: &[Move], further_ply: f64) -> f64 {
    let plies = moves.len().checked_sub(1).map_or(0.0, |further| PLY + further as f64 * further_ply);
    plies + moves.iter().map(|&mv| promotion_prior(mv)).sum::<f64>()
}

impl Game {
    /// From now on what looks say is kept, for [`in_hindsight`](Self::in_hindsight).
    pub fn keep_looks(&mut self) {
        self.looks.get_or_insert_default();
    }

    /// Keeps what a look says, where that is wanted. When a game is over, what follows is no play.
    pub(super) fn keep_look(&mut self, evidence: &dyn Evidence) {
        let quiet = evidence.may_have_changed().is_empty() && *evidence.reference() == self.standing;
        if let Some(looks) = self.looks.as_mut().filter(|_| self.over.is_none() && !quiet) {
            looks.add(evidence, self.notes.now());
        }
    }

    /// The game with the line of play that all looks together make likeliest: what was told, unless other plies are clearly
    /// likelier, each with its probability. The same game where no looks were kept.
    #[must_use]
    pub fn in_hindsight(&self) -> Self {
        let mut game = self.clone();
        game.looks = None;
        let Some(looks) = self.looks.as_ref().map(Looks::all).filter(|looks| !looks.is_empty()) else { return game };
        let further_ply = Pace::default().further_ply();
        let Some(told) = fit(&self.line, looks, further_ply) else { return game };
        let lattice = Lattice::of(&self.line, looks, further_ply);
        let (mut line, mut fitted) = (self.line.clone(), told);
        for (from, moves, to) in differences(&self.line, &lattice.likeliest()) {
            // Where people have said who has won, the last position is what they said it of.
            if to == self.line.len() && self.over.is_some_and(|over| !over.by_rule()) {
                continue;
            }
            let Some(other) = with(&line, from, &moves, to) else { continue };
            if let Some(better) = fit(&other, looks, further_ply).filter(|f| f.score > fitted.score + CLEARLY) {
                (line, fitted) = (other, better);
            }
        }
        let at = fitted.came.iter().map(|&look| looks.get(look).and_then(|look| look.at)).collect();
        let moves: Vec<Move> = line.plies().iter().map(|ply| ply.mv).collect();
        game.mend(&moves, &lattice.confidences(&moves), at);
        game
    }

    /// The game is these moves now, each with its probability and the time at which it came, where nothing else is known of
    /// it.
    fn mend(&mut self, moves: &[Move], confidences: &[f64], at: Vec<Option<Stamp>>) {
        let told = self.line.clone();
        self.line.truncate(0);
        let same = |ply: usize| told.plies().get(ply).filter(|was| Some(&was.mv) == moves.get(ply));
        for (ply, (&mv, &confidence)) in moves.iter().zip(confidences).enumerate() {
            // What a pawn became is told by outlines as well, which were not kept.
            let seen = same(ply).filter(|_| mv.is_promotion()).map(|was| was.confidence);
            self.line.push(mv, seen.unwrap_or(confidence.clamp(0.0, SUREST)));
        }
        let times = self.notes.times.clone();
        let known = |ply: usize| same(ply).and_then(|_| times.get(ply)).and_then(|time| time.at);
        let at = at.into_iter().enumerate().map(|(ply, came)| known(ply).or(came)).collect();
        self.notes.mend(&told, &self.line, at);
        self.standing = self.line.position().board().clone();
        if self.over.is_none_or(|over| over.by_rule()) {
            self.over = None;
            let _ = self.end_by_rule();
        }
    }
}

/// A part of the told line and what another line has in its place: from which ply on, its moves, and up to which ply.
type Difference = (usize, Vec<Move>, usize);

/// Where another line of the same game parts from the told one, up to where both have the same position again.
fn differences(told: &Line, moves: &[Move]) -> Vec<Difference> {
    let mut other = Line::new(told.start().clone());
    if !moves.iter().all(|&mv| other.push(mv, 1.0)) {
        return vec![];
    }
    let both = told.len().min(other.len());
    let meet = (0..=both).filter(|&ply| told.position_after(ply) == other.position_after(ply));
    let mut parts: Vec<Difference> = vec![];
    let mut from = 0;
    for ply in meet {
        let own = |line: &Line| line.plies()[from..ply].iter().map(|p| p.mv).collect::<Vec<_>>();
        if own(told) != own(&other) {
            parts.push((from, own(&other), ply));
        }
        from = ply;
    }
    let rest: Vec<Move> = moves[from..].to_vec();
    if told.plies()[from..].iter().map(|ply| ply.mv).ne(rest.iter().copied()) {
        parts.push((from, rest, told.len()));
    }
    parts
}

/// The line with other moves in place of its plies `from` to `to`; `None` where that is not legal.
fn with(line: &Line, from: usize, moves: &[Move], to: usize) -> Option<Line> {
    let mut other = line.clone();
    other.truncate(from);
    let after = line.plies().iter().skip(to);
    let mut all = moves.iter().map(|&mv| (mv, 1.0)).chain(after.map(|ply| (ply.mv, ply.confidence)));
    all.all(|(mv, confidence)| other.push(mv, confidence)).then_some(other)
}
