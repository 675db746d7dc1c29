//! Every move as it was published, right or wrong, mended later or not: a robot would have acted on it.

use chess_observer::event::Event;
use serde::{Deserialize, Serialize};

use super::{
    calibration::{Bin, Counter},
    interval::Rate,
    truth::Truth,
};

/// Edges of the bins of confidences: nobody acts on less than 0.5, and above 0.9 each bin has a tenth of the doubt of
/// the one before.
pub const EDGES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// The least doubt that counts, so that the loss of one wrong move is finite: the observer itself announces no
/// confidence above 1 less this.
const LEAST_DOUBT: f64 = 1e-6;

/// A move that was published: as new, or in the place of another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToldMove {
    /// Number of the picture, from 0.
    pub picture: usize,
    /// Number of the ply that it was told as, 1 for the first.
    pub ply: usize,
    /// The move as UCI.
    pub uci: String,
    /// How sure it was told; `None` where it revised another one.
    pub confidence: Option<f64>,
    /// Is it what was played as this ply?
    pub right: bool,
    /// Was a hand in the picture, or a man in the air?
    pub hand: bool,
    /// Were other plies told at the same picture?
    pub together: bool,
}

/// Every move that the events tell, in their order.
#[must_use]
pub fn told(truth: &Truth, events: &[(usize, Event)]) -> Vec<ToldMove> {
    let taken_back = taken_back(truth);
    let played = |ply: usize, uci: &str| {
        let stays = ply.checked_sub(1).and_then(|i| truth.plies.get(i)).is_some_and(|is| is == uci);
        stays || taken_back.contains(&(ply, uci))
    };
    let new_at = |picture: usize| {
        events.iter().filter(|(at, event)| *at == picture && matches!(event, Event::Move { .. })).count()
    };
    let one = |(picture, event): &(usize, Event)| {
        let (ply, uci, confidence) = match event {
            Event::Move { ply, uci, confidence, .. } => (*ply, uci.to_string(), Some(*confidence)),
            Event::Revised { ply, uci, .. } => (*ply, uci.to_string(), None),
            _ => return None,
        };
        let hand = truth.rows.get(*picture).is_some_and(|row| row.state == "hand" || row.state == "lifted");
        Some(ToldMove {
            picture: *picture,
            ply,
            right: played(ply, &uci),
            uci,
            confidence,
            hand,
            together: confidence.is_some() && new_at(*picture) > 1,
        })
    };
    events.iter().filter_map(one).collect()
}

/// Legal plies that were played and taken back, with their numbers. The row of a take-back names the move that goes:
/// while it is under way the ply still stands, later it does not. That both numbers are taken does no harm: one of them
/// is the other side's turn.
fn taken_back(truth: &Truth) -> Vec<(usize, &str)> {
    let rows = truth.rows.iter().filter(|row| row.event == "takeback");
    rows.flat_map(|row| [(row.ply, row.uci.as_str()), (row.ply + 1, row.uci.as_str())]).collect()
}

/// Of the moves told with a confidence: does it hold?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sureness {
    /// Confidences told against moves that were right, between [`EDGES`]; empty bins are left out.
    pub bins: Vec<Bin>,
    /// Moves that were right, of all.
    pub right: Rate,
    /// Mean of -ln of the probability that was given to what came true, in nats a move: 0 is perfect; a wrong move told
    /// with 99.99 % costs nine.
    pub log_loss_nats: f64,
}

impl Sureness {
    /// Of these moves; those told without a confidence are left out.
    #[must_use]
    pub fn of<'a>(moves: impl Iterator<Item = &'a ToldMove>) -> Self {
        let (mut counter, mut loss_nats, mut right, mut of) = (Counter::default(), 0.0, 0, 0);
        for told in moves {
            let Some(confidence) = told.confidence.filter(|p| (0.0..=1.0).contains(p)) else { continue };
            counter.add(confidence, told.right);
            let came_true = if told.right { confidence } else { 1.0 - confidence };
            loss_nats -= came_true.max(LEAST_DOUBT).ln();
            (right, of) = (right + usize::from(told.right), of + 1);
        }
        let log_loss_nats = loss_nats / of.max(1) as f64;
        Self { bins: counter.bins_between(&EDGES), right: Rate::new(right, of), log_loss_nats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        say::{played, revised},
        truth::Row,
    };

    fn truth() -> Truth {
        let row = |ply: usize, event: &str, uci: &str, state: &str| Row {
            frame: String::new(),
            time_ms: None,
            ply,
            let_go: ply,
            event: event.into(),
            uci: uci.into(),
            state: state.into(),
        };
        Truth {
            plies: ["e2e4", "e7e5", "g1f3"].map(str::to_owned).into(),
            rows: vec![
                row(0, "start", "", "clean"),
                row(1, "move", "e2e4", "hand"),
                row(2, "move", "g8f6", "irregular"),
                row(2, "takeback", "g8f6", "hand"),
                row(1, "takeback", "g8f6", "clean"),
                row(2, "move", "e7e5", "clean"),
            ],
            ..Truth::default()
        }
    }

    #[test]
    fn a_move_is_wrong_when_it_was_told_though_mended_later() {
        let events = [
            (1, played(1, "d2d4", 0.97)),
            (1, revised(1, "d2d4", "e2e4")),
            (2, played(2, "g8f6", 0.99)),
            (5, played(2, "e7e5", 0.999)),
            (5, played(3, "g1f3", 0.6)),
            (5, played(4, "b8c6", 0.6)),
        ];
        let told = told(&truth(), &events);
        let right: Vec<bool> = told.iter().map(|t| t.right).collect();
        // The ply that was taken back was played; the last one was not.
        assert_eq!(right, [false, true, true, true, true, false]);
        assert_eq!(told.iter().map(|t| t.together).collect::<Vec<_>>(), [false, false, false, true, true, true]);
        assert_eq!(told.iter().map(|t| t.hand).collect::<Vec<_>>(), [true, true, false, false, false, false]);
        let sure = Sureness::of(told.iter());
        assert_eq!((sure.right.right, sure.right.of), (3, 5), "a revision has no confidence");
        let loss = -(0.03f64.ln() + 0.99f64.ln() + 0.999f64.ln() + 0.6f64.ln() + 0.4f64.ln()) / 5.0;
        assert!((sure.log_loss_nats - loss).abs() < 1e-12);
        let bins: Vec<_> = sure.bins.iter().map(|b| (b.low, b.high, b.happened.right, b.happened.of)).collect();
        assert_eq!(bins, [(0.5, 0.9, 1, 2), (0.9, 0.99, 0, 1), (0.99, 0.999, 1, 1), (0.999, 0.9999, 1, 1)]);
    }

    #[test]
    fn what_was_told_as_another_ply_is_wrong() {
        let told = told(&truth(), &[(5, played(3, "e7e5", 0.9)), (5, played(0, "e2e4", 1.0))]);
        assert_eq!(told.iter().filter(|t| t.right).count(), 0);
        assert!((Sureness::of(told.iter()).log_loss_nats - (10f64.ln() + 1e6f64.ln()) / 2.0).abs() < 1e-9);
    }
}
