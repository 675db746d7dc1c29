//! Lines that looks have suggested and that nobody has told yet.
//!
//! One look may hide the squares of a ply, or show one of them wrongly. What it says of each line is carried over to the
//! next look, where every such line is gone on from: so a game that falls behind keeps up with itself, and what two
//! looks show half each is whole. The lines that a decision was made against are carried on as well: when it was wrong,
//! what follows says so.

use std::collections::{HashMap, HashSet};

use shakmaty::{Chess, Move};

use super::line::Line;

/// Most lines carried over: two plies in a row that nobody saw leave some hundred.
const KEPT: usize = 160;
/// Lines among them that are carried over for how well they explain the look, whatever that is worth. With a hand in every picture
/// the game's line grew to seven plies that could not be told yet, and was forgotten for single plies that nothing showed.
const EXPLAINING: usize = 32;
/// Nats below the likeliest from which a line is not carried over: it would take three squares to bring it back.
const FORGOTTEN: f64 = 20.0;
/// Weight of what earlier looks said against what this one says: the same shadow may have deceived both.
const REMEMBERED: f64 = 0.5;
/// What has been told is not taken back for a trifle.
pub(super) const SWITCH: f64 = -3.0;
/// Most plies by which a line may part from the game. Looks that were not understood add some each.
const LONGEST: usize = 48;

/// A line that parts from the game's.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    /// All its plies from the start.
    pub moves: Vec<Move>,
    /// Where it leads.
    pub position: Chess,
    /// Log-prior of its plies against none.
    prior: f64,
    /// What looks have said for it against the game's line, in nats; older ones count less.
    evidence: f64,
    /// From the look that first suggested it to the present one, in seconds; infinite where time is not known.
    pub age_s: f64,
}

/// A line as a look left it: weighed against the game's.
#[derive(Debug)]
pub(super) struct Weighed<'a> {
    /// Plies that it shares with the game, and those that follow.
    pub keep: usize,
    pub moves: &'a [Move],
    /// Log-prior without what earlier looks said.
    pub prior: f64,
    /// What earlier looks and this one said for it, in nats.
    pub evidence: f64,
    /// What this one said of kinds, in nats.
    pub kinds: f64,
    /// How much better than the game's own line it explains this look taken at face value, in nats.
    pub face_value: f64,
}

impl Belief {
    fn new(line: &Line, weighed: &Weighed<'_>) -> Option<Self> {
        let &Weighed { keep, moves, prior, evidence, .. } = weighed;
        let (moves, position) = line.branch(keep, moves)?;
        Some(Self { moves, position, prior, evidence, age_s: 0.0 })
    }

    /// What its prior and the looks say for it against the game's own line, in nats.
    pub fn log_odds(&self) -> f64 {
        self.prior + self.evidence
    }
}

/// What earlier looks said for a line, in nats.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Remembered {
    pub said: f64,
    /// The part of that which counts in the log-prior.
    pub weight: f64,
}

/// Each line with its log-prior at the next look and what earlier looks said for it. The likeliest is as likely as that
/// nothing has changed: no line is told that the next look does not show as well.
pub(super) fn carried(beliefs: &[Belief]) -> impl Iterator<Item = (&Belief, f64, Remembered)> {
    let said = |b: &Belief| REMEMBERED * b.evidence;
    let best = beliefs.iter().map(|b| b.prior + said(b)).fold(0.0, f64::max);
    beliefs.iter().map(move |b| {
        let weight = said(b) - best;
        (b, b.prior + weight, Remembered { said: said(b), weight })
    })
}

/// So much time has passed since the last look.
pub(super) fn grow_older(beliefs: &mut [Belief], elapsed_s: f64) {
    beliefs.iter_mut().for_each(|belief| belief.age_s += elapsed_s);
}

/// What is carried over from a look: the lines that explain it best, then the likeliest, the game's own excepted. `line` is
/// what the game was at the look, `now` what it is after the decision, and `known` what earlier looks had suggested.
pub(super) fn after(line: &Line, now: &Line, mut weighed: Vec<Weighed<'_>>, known: &[Belief]) -> Vec<Belief> {
    if line != now {
        // The men of the ply told are learnt as this look shows them; of any others the next look is asked again.
        weighed.iter_mut().for_each(|w| w.evidence += w.kinds);
    }
    let odds = |w: &Weighed<'_>| w.prior + w.evidence;
    let best = weighed.iter().map(odds).fold(0.0, f64::max);
    weighed.retain(|w| w.moves.len() <= LONGEST);
    // With an arm in the picture a look is worth little, and the odds put short lines first that nothing shows.
    let by_odds = |a: &Weighed<'_>, b: &Weighed<'_>| odds(b).total_cmp(&odds(a));
    weighed.sort_by(|a, b| b.face_value.total_cmp(&a.face_value).then_with(|| by_odds(a, b)));
    let most = weighed.first().map_or(0.0, |w| w.face_value).max(0.0);
    let explaining = weighed.iter().take(EXPLAINING).take_while(|w| w.face_value > most - FORGOTTEN).count();
    weighed[explaining..].sort_by(by_odds);
    // The game's own line, and those that go on from it.
    let goes_on = |w: &Weighed<'_>| {
        let moves = now.plies();
        w.keep + w.moves.len() >= moves.len()
            && w.moves.iter().zip(&moves[w.keep.min(moves.len())..]).all(|(a, b)| *a == b.mv)
            && line.plies().iter().zip(moves).take(w.keep).all(|(a, b)| a.mv == b.mv)
    };
    let own = |w: &Weighed<'_>| goes_on(w) && w.keep + w.moves.len() == now.len();
    let told = if line == now { None } else { weighed.iter().find(|w| own(w)) };
    // Against what the game is now.
    let (prior, evidence, switch) = told.map_or((0.0, 0.0, 0.0), |w| (w.prior, w.evidence, SWITCH));
    let ages: HashMap<&[Move], f64> = known.iter().map(|belief| (belief.moves.as_slice(), belief.age_s)).collect();
    let mut kept: Vec<Belief> = vec![];
    // Nothing that comes can separate equal positions: of the orders of the same plies the likeliest stands for all.
    let mut led_to = HashSet::from([now.position().clone()]);
    for (number, w) in weighed.iter().enumerate() {
        if own(w) || (number >= explaining && odds(w) <= best - FORGOTTEN) {
            continue;
        }
        if kept.len() == KEPT {
            break;
        }
        // Nothing is taken back by what goes on from it.
        let switch = if now.len() > line.len() && goes_on(w) { 0.0 } else { switch };
        // What was told is played, and its plies cost nothing any more: else lines of fewer plies, which were likelier for that alone,
        // would be likely again as soon as what the looks said against them is half forgotten.
        let relative = Weighed { prior: (w.prior - prior).min(0.0) + switch, evidence: w.evidence - evidence, ..*w };
        let belief = Belief::new(line, &relative).filter(|belief| led_to.insert(belief.position.clone()));
        kept.extend(belief.map(|belief| {
            let age_s = ages.get(belief.moves.as_slice()).copied().unwrap_or(0.0);
            Belief { age_s, ..belief }
        }));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{line::tests::moves, start::Start};

    /// Plies that were told at one look, and another line of one ply, which that look showed worse by 24 nats.
    #[test]
    fn a_shorter_line_is_not_likely_again_for_having_fewer_plies_than_what_was_told() {
        let line = Line::new(Start::default());
        let (told, other) = (moves("e2e4 e7e5 g1f3"), moves("d2d4"));
        let mut now = line.clone();
        told.iter().for_each(|&mv| assert!(now.push(mv, 1.0)));
        let weighed =
            |keep, moves, prior, evidence| Weighed { keep, moves, prior, evidence, kinds: 0.0, face_value: evidence };
        let mut known = after(&line, &now, vec![weighed(0, &told, -17.0, 40.0), weighed(0, &other, -4.0, 16.0)], &[]);
        // Looks at which a hand hides all squares in question.
        for look in 0..3 {
            let (_, prior, Remembered { said, weight }) = carried(&known).next().unwrap();
            assert!(prior <= SWITCH + REMEMBERED.powi(look + 1) * -24.0, "{look}: {prior}");
            known = after(&now, &now, vec![weighed(0, &other, prior - weight, said)], &known);
        }
    }
}
