//! What may have been played: lines of plays, each with its weight.
//!
//! One model for all that happens at a board. Every line that was thought of at the last look goes on: nothing, a play,
//! several, some taken back; stones that lie otherwise than the rules say; something that is being done; a new game; and
//! whatever nobody thought of, so that what explains a look badly is never certain for want of something better.

mod losses;
mod priors;
mod search;
mod stories;

use std::{collections::HashMap, sync::Arc};

pub use losses::{Losses, Odd};
use priors::{PUT_RIGHT, TAKE_BACK, TAKE_BACK_FURTHER, TAKE_BACK_KO};
pub use search::{Kind, Line};
use search::{Search, thinned};

use super::{Content, Moment, Rules};

/// What earlier looks said counts so much at the next one: the same shadow may have deceived all of them.
const CARRIED: f64 = 0.5;
/// Lines that are remembered.
const REMEMBERED: usize = 32;
/// Nats below the best from which a line is forgotten.
const FORGOTTEN: f64 = 25.0;
/// Nats that a line loses at every look which goes against what was told and finds nothing that speaks for it: who is to play
/// may never be seen, where every look brings plays of both.
const FADING: f64 = 1.5;
/// The line that was told is never thought of as unlikelier than this.
const TOLD: f64 = -12.0;
/// Plays that may have been taken back, whatever the look says of their stones.
const BACK: usize = 3;
/// The same where their stones are gone.
const FAR_BACK: usize = 40;
/// Plays more than were taken back that may have been made instead.
const FURTHER: usize = 4;
/// Nats by which a crossing may speak against what lies there, for the look to show nothing new.
const QUIET: f64 = 1.0;

/// Lines that may have been played.
#[derive(Debug, Clone)]
pub struct Belief {
    /// Their priors are relative to the best.
    lines: Vec<Line>,
}

/// The lines after a look, the likeliest first, with their probabilities.
#[derive(Debug, Clone)]
pub(crate) struct Weighed {
    pub lines: Vec<(Line, f64)>,
}

impl Belief {
    /// Certain of these moments, all alike.
    pub(crate) fn certain(moments: impl IntoIterator<Item = Arc<Moment>>) -> Self {
        let line =
            |end| Line { end, odd: Odd::new(), kind: Kind::Line, prior: 0.0, misfit: 0.0, undone: None, left: 0 };
        Self { lines: moments.into_iter().map(line).collect() }
    }

    /// Does the look show nothing but what was told?
    pub(super) fn is_quiet(&self, losses: &Losses, told: &Arc<Moment>, odd: &Odd) -> bool {
        let only = self.lines.len() == 1 && self.lines.iter().all(|l| l.end.path() == told.path() && l.odd == *odd);
        let lies = |p| odd.iter().find(|(q, _)| *q == p).map_or(told.board().at(p), |(_, c)| *c);
        only && losses.size.points().all(|p| losses.at(p, lies(p)) < QUIET)
    }

    /// Weighs everything on a look. `told` is where the game was told to be, `most` how many plays may have been missed.
    pub(crate) fn weigh(&self, losses: &Losses, told: &Line, rules: &Rules, most: usize) -> Weighed {
        let bases = self.bases(losses, told, most);
        let search = Search::new(losses, rules);
        let mut lines = search.grow(bases);
        let more = stories::all(&lines, told, losses);
        lines.extend(more);
        Weighed::of(lines)
    }

    /// Everything that may have been before the look's last plays.
    fn bases(&self, losses: &Losses, told: &Line, most: usize) -> Vec<Line> {
        let mut known: HashMap<(u64, Odd), Line> = HashMap::new();
        let mut add = |line: Line| {
            let place = known.entry((line.end.path(), line.odd.clone())).or_insert_with(|| line.clone());
            if place.prior < line.prior {
                *place = line;
            }
        };
        let floor = [Line { prior: TOLD, ..told.clone() }];
        for line in self.lines.iter().chain(&floor) {
            let base = |end: &Arc<Moment>, odd: &Odd, prior| Line {
                left: most,
                ..Line::new(end.clone(), odd.clone(), prior, losses)
            };
            add(Line { kind: line.kind, ..base(&line.end, &line.odd, line.prior) });
            let right = |&(p, c): &(_, Content)| losses.at(p, line.end.board().at(p)) < losses.at(p, c);
            let odd: Odd = line.odd.iter().filter(|o| !right(o)).copied().collect();
            let mut prior = line.prior;
            if odd.len() < line.odd.len() {
                prior += PUT_RIGHT;
                add(base(&line.end, &odd, prior));
            }
            self.taken_back(line, &odd, prior, most, losses, &mut add);
        }
        known.into_values().collect()
    }

    /// The line with its last plays taken back.
    fn taken_back(
        &self,
        line: &Line,
        odd: &Odd,
        mut prior: f64,
        most: usize,
        losses: &Losses,
        add: &mut impl FnMut(Line),
    ) {
        let (mut now, mut played) = (&line.end, 0);
        for back in 0..FAR_BACK {
            let (Some(before), Some(play)) = (now.before(), now.last()) else { break };
            let gone = play.at.is_none_or(|at| losses.at(at, Content::Empty) < losses.at(at, play.color.into()));
            if back >= BACK && !gone {
                break;
            }
            prior += match play.fault {
                Some(_) => PUT_RIGHT,
                None if played > 0 => TAKE_BACK_FURTHER,
                None if now.ko().is_some() => TAKE_BACK + TAKE_BACK_KO,
                None => TAKE_BACK,
            };
            played += usize::from(play.fault.is_none());
            // Nobody plays on and on before he is seen: with enough plays another game would explain every board.
            let left = most.min(back + 1 + FURTHER);
            let undone = (back == 0).then_some(play);
            add(Line { undone, left, ..Line::new(before.clone(), odd.clone(), prior, losses) });
            now = before;
        }
    }

    /// Remembers what a look has left, now that the game was told as far as `told`. `settled`: nothing else is thought of any more.
    pub(crate) fn remember(&mut self, weighed: &Weighed, told: &Arc<Moment>, settled: bool) {
        let carried = |l: &Line| l.prior - CARRIED * l.misfit;
        let goes_on =
            |l: &Line| l.end.back().take_while(|m| m.number() >= told.number()).any(|m| m.path() == told.path());
        let lines = || weighed.lines.iter().map(|(l, _)| l).filter(|l| matches!(l.kind, Kind::Line | Kind::Waiting));
        let top = |of: &dyn Fn(&Line) -> f64| lines().filter(|l| goes_on(l)).map(of).fold(f64::NEG_INFINITY, f64::max);
        let (best, best_score) = (top(&carried), top(&Line::score));
        if !best.is_finite() {
            return;
        }
        // What was decided stays so: against what was told a line has no more than the look has left it.
        let relative = |l: &Line| {
            let weight = carried(l) - best;
            if goes_on(l) { weight } else { weight.min(l.score() - best_score) - FADING }
        };
        let mut kept: Vec<_> = lines().map(|l| Line { prior: relative(l), undone: None, ..l.clone() }).collect();
        kept.retain(|l| l.prior > -FORGOTTEN && (!settled || goes_on(l)));
        kept.sort_by(|a, b| b.prior.total_cmp(&a.prior));
        kept.truncate(REMEMBERED);
        self.lines = kept;
    }
}

impl Weighed {
    /// Lines with what they promise, as probabilities.
    fn of(lines: Vec<Line>) -> Self {
        let lines = thinned(lines);
        let best = lines.iter().map(Line::score).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = lines.iter().map(|l| (l.score() - best).exp()).collect();
        let total: f64 = weights.iter().sum();
        Self { lines: lines.into_iter().zip(weights).map(|(l, w)| (l, w / total)).collect() }
    }

    /// Probability of all lines of which this holds.
    pub fn probability(&self, holds: impl Fn(&Line) -> bool) -> f64 {
        self.lines.iter().filter(|(l, _)| holds(l)).map(|(_, p)| p).sum()
    }

    /// The likeliest line of what is likeliest, all orders of what leads to the same together.
    pub fn best(&self) -> Option<&Line> {
        let mut classes: HashMap<_, f64> = HashMap::new();
        for (line, p) in &self.lines {
            *classes.entry(line.class()).or_default() += p;
        }
        // The first of equals, as the lines are ordered, so that the answer is always the same.
        let mut best: Option<(&Line, f64)> = None;
        for (line, _) in &self.lines {
            let p = classes.get(&line.class()).copied().unwrap_or(0.0);
            if best.is_none_or(|(_, before)| p > before) {
                best = Some((line, p));
            }
        }
        best.map(|(line, _)| line)
    }
}
