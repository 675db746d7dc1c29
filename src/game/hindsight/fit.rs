//! One given line against all looks: how well does it explain them, and when was each ply played?

use shakmaty::Position as _;

use super::{
    super::line::Line,
    lattice::TOLD_TOGETHER,
    looks::{Kept, Men},
    prior,
};

/// Nats below the best from which a moment of the line is given up.
const HOPELESS: f64 = 80.0;

/// How a line fits.
pub(super) struct Fit {
    /// ln of its prior and of what the looks say for it, at the likeliest times of its plies.
    pub score: f64,
    /// For each ply the number of the look at which it had been played.
    pub came: Vec<usize>,
}

/// A line that stands at some ply after a look.
#[derive(Clone, Copy)]
struct Moment {
    plies: usize,
    score: f64,
    /// Plies after the look before.
    before: usize,
}

/// Fits a line to the looks; `None` where it cannot be that it was played.
pub(super) fn fit(line: &Line, looks: &[Kept], further_ply: f64) -> Option<Fit> {
    let men: Vec<Men> = (0..=line.len()).map(|plies| Men::of(line.position_after(plies).board())).collect();
    let moves: Vec<_> = line.plies().iter().map(|ply| ply.mv).collect();
    let mut layers: Vec<Vec<Moment>> = vec![];
    let mut now = vec![Moment { plies: 0, score: 0.0, before: 0 }];
    for look in looks {
        let mut next: Vec<Moment> = vec![];
        for from in &now {
            for plies in from.plies..=(from.plies + TOLD_TOGETHER).min(line.len()) {
                let turn = line.start().number(plies).1;
                let said = look.step(men[from.plies], men[plies], turn);
                let score = from.score + prior(&moves[from.plies..plies], further_ply) + said;
                let moment = Moment { plies, score, before: from.plies };
                match next.iter_mut().find(|other| other.plies == plies) {
                    Some(other) if other.score >= score => {}
                    Some(other) => *other = moment,
                    None => next.push(moment),
                }
            }
        }
        let best = next.iter().map(|moment| moment.score).fold(f64::NEG_INFINITY, f64::max);
        next.retain(|moment| moment.score > best - HOPELESS);
        layers.push(next.clone());
        now = next;
    }
    let score = now.iter().find(|moment| moment.plies == line.len())?.score;
    let mut came = vec![0; line.len()];
    let mut plies = line.len();
    for (number, layer) in layers.iter().enumerate().rev() {
        let moment = layer.iter().find(|moment| moment.plies == plies)?;
        came[moment.before..plies].fill(number);
        plies = moment.before;
    }
    Some(Fit { score, came })
}
