//! What follows from a decision: moves, an illegal change, an end, a new game, a touch, or a doubt.

use std::cmp::Ordering;

use shakmaty::{Bitboard, Board, Color, KnownOutcome, Move};

use super::{
    Game, Look, Understanding,
    alternatives::{self, Alternative},
    decision::Decision,
    difference::difference,
    evidence::Evidence,
    explanations,
    hypotheses::Story,
    line::Line,
    memory::{LastLook, Stage, Stages},
    orders,
    unseen::after_an_unseen_ply,
    verdicts,
    weighing::{Group, SUREST, lines_of},
};
use crate::event::{Event, ending::Ending};

/// Changed squares beyond which an unlawful placement is not an illegal move but men being set up or cleared away.
const TOO_MANY: usize = 8;
/// Nats between what a square may hold below which it tells nothing: one of three is hardly likelier than another.
const SILENT: f64 = 1.0;

/// Seconds without a look that is understood after which that is said, though the board has never rested for long: a hand makes
/// its move in less, and a camera of few pictures a second may never show a rest.
const PUZZLED_S: f64 = 5.0;
/// The same where two plies or more have probably gone by untold: a stop, and nobody is to wait for a third one to hear of it.
const BEHIND_S: f64 = 1.0;

/// Does what was seen need no other look?
type Understood = bool;

impl Game {
    /// Acts on a decision, or says that it is at a loss.
    pub(super) fn act(
        &mut self,
        decision: &Decision<'_>,
        best: &Group,
        rivals: &[Group],
        evidence: &dyn Evidence,
        look: Look,
    ) -> Understanding {
        let mut answer = Understanding { events: Vec::new(), explained: None };
        let (sure, men) = (decision.sure, &decision.first.hypothesis.men);
        let shown = decision.shown.then(|| men.clone());
        self.memory.last = Some(LastLook { shown, unexplained: decision.unexplained });
        self.memory.usual_clutter.add(decision.clutter);
        let understood = match decision.story() {
            Story::Standing if sure => self.stands(decision, look, &mut answer),
            Story::Line { keep, moves, over } if sure => {
                answer.events = self.go_on((*keep, moves), *over, decision, best);
                answer.explained = Some(men.clone());
                true
            }
            Story::NewGame { played } if sure => {
                answer.events = self.begin_again(men, *played, decision.confidence);
                answer.explained = Some(men.clone());
                true
            }
            Story::Making { lifted } if sure => {
                if decision.clean && lifted.is_some() {
                    self.memory.lifted = *lifted;
                }
                true
            }
            Story::Unpromoted if sure && !(look.patient || look.forced) => true,
            Story::Illegal | Story::Unpromoted | Story::Anything
                if sure && (decision.clean || decision.all_seen) && self.over.is_none() =>
            {
                self.warn(decision, evidence, look, &mut answer)
            }
            _ => self.over.is_some(),
        };
        self.suspect(decision, best);
        self.doubt(understood, decision, (best, rivals), look, &mut answer);
        answer
    }

    /// What stood there stands there.
    fn stands(&mut self, decision: &Decision<'_>, look: Look, answer: &mut Understanding) -> Understood {
        if let Some(square) = self.memory.lifted.take() {
            answer.events.push(Event::Touched { square });
        }
        if look.patient && decision.clean {
            self.memory.stood = self.line.len();
        }
        self.memory.pace.is_back();
        answer.explained = Some(self.standing.clone());
        true
    }

    /// The game is its first `keep` plies and then these moves.
    fn go_on(
        &mut self,
        (keep, moves): (usize, &[Move]),
        over: Option<KnownOutcome>,
        decision: &Decision<'_>,
        best: &Group,
    ) -> Vec<Event> {
        let first = decision.first;
        let lines = lines_of(best);
        // What the look as a whole is worth, shared among the lines that it cannot tell apart.
        let worth = decision.confidence / best.probability.max(f64::MIN_POSITIVE);
        let stages = std::mem::take(&mut self.memory.stages);
        let shown = if keep == self.line.len() { stages.of(moves) } else { vec![] };
        let orders = orders::chances(self.line.position_after(keep), self.line.last_of(keep), moves, &shown);
        let confidences = confidences(&self.line, (keep, moves), &orders, &lines, worth);
        let fresh = others(&self.line, &lines, first.probability);
        let old = self.line.clone();
        self.unseen = decision.given_word.then_some(keep + 1);
        let mut events = self.take_over(keep, moves, &confidences);
        self.memory.pace.went_on(if keep == old.len() { moves.len() } else { 0 });
        let known = std::mem::take(&mut self.memory.alternatives);
        self.memory.alternatives = alternatives::carry_on(known, fresh, &old, &self.line);
        let men = &first.hypothesis.men;
        if let Some(outcome) = over {
            events.extend(self.end(outcome, Ending::KingsInTheCentre));
            self.standing.clone_from(men);
        } else {
            // The reply may have begun: then one man is in the air.
            self.memory.lifted = difference(men, &self.standing).single_square();
        }
        events
    }

    /// What no rule allows is told, unless what cannot be seen may explain it.
    fn warn(
        &mut self,
        decision: &Decision<'_>,
        evidence: &dyn Evidence,
        look: Look,
        answer: &mut Understanding,
    ) -> Understood {
        let men = &decision.first.hypothesis.men;
        let position = self.line.position();
        let verdict = verdicts::judge(position, men);
        let only_missing = men.iter().all(|(square, piece)| self.standing.piece_at(square) == Some(piece));
        if self.line.is_empty() && only_missing {
            // Before the first move: the last men are being set up.
            return true;
        }
        if !(look.patient || look.forced) {
            return false;
        }
        // He who seems one too many may have come from what is out of sight, he who is gone have gone there.
        if out_of_sight(evidence, &self.standing, men)
            || after_an_unseen_ply(evidence, position, men, &verdict)
            || decision.changed.count() > TOO_MANY
        {
            return false;
        }
        self.memory.lifted = None;
        answer.events.push(verdict.into_event());
        self.standing.clone_from(men);
        answer.explained = Some(men.clone());
        true
    }

    /// Plies that are likely and not yet believed are remembered: they came first.
    fn suspect(&mut self, decision: &Decision<'_>, best: &Group) {
        if decision.sure {
            self.memory.stages = Stages::default();
        } else if let Some(plies) = self.new_plies(decision.story()) {
            let stages = &mut self.memory.stages;
            stages.add(Stage {
                plies: plies.to_vec(),
                shown: if decision.shown { plies.len() } else { stages.clear_plies(plies) },
                probability: best.probability,
                confidence: decision.confidence,
            });
        }
    }

    /// Have two plies or more probably been played that were not told?
    fn is_behind(&self, best: &Group, rivals: &[Group]) -> bool {
        let told = self.line.len();
        let is_ahead =
            |story: &Story| matches!(story, Story::Line { keep, moves, .. } if keep + moves.len() >= told + 2);
        let members = std::iter::once(best).chain(rivals).flat_map(|group| &group.members);
        let ahead: f64 = members.filter(|m| is_ahead(&m.hypothesis.story)).map(|m| m.probability).sum();
        ahead > 0.5
    }

    /// Where a look was not understood, the plies that it leaves open are named, and the doubt is told once.
    fn doubt(
        &mut self,
        understood: Understood,
        decision: &Decision<'_>,
        (best, rivals): (&Group, &[Group]),
        look: Look,
        answer: &mut Understanding,
    ) {
        if understood {
            (self.memory.doubt_told, self.memory.puzzled) = (false, None);
            return;
        }
        let puzzled = self.memory.puzzled.get_or_insert_default();
        puzzled.hand = decision.hidden.any();
        let all_s = puzzled.all_s;
        let long = all_s >= PUZZLED_S || (all_s >= BEHIND_S && self.is_behind(best, rivals));
        self.memory.open = explanations::of(&self.line, std::iter::once(best).chain(rivals));
        if (look.patient || look.forced || long) && !self.memory.doubt_told && self.over.is_none() {
            self.memory.doubt_told = true;
            let squares = doubtful(best, rivals, decision.unexplained, decision.changed);
            answer.events.push(Event::Uncertain { squares });
        }
    }
}

/// Is there a man more of a colour than stood there, or one fewer, and a square that tells nothing from which he may have
/// come, or on which he may stand now?
fn out_of_sight(evidence: &dyn Evidence, standing: &Board, men: &Board) -> bool {
    let silent = |wanted: Bitboard| {
        wanted.into_iter().any(|square| {
            let said = evidence.square(square);
            let (least, most) = said.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            most - least < SILENT
        })
    };
    let only_left = (difference(standing, men) & men.occupied()).is_empty();
    Color::ALL.into_iter().any(|colour| {
        let (before, now) = (standing.by_color(colour), men.by_color(colour));
        match before.count().cmp(&now.count()) {
            Ordering::Less => silent(before & now),
            // Nobody has come to where he was taken.
            Ordering::Greater if only_left => silent(!men.occupied()),
            Ordering::Greater => false,
            Ordering::Equal => false,
        }
    })
}

/// The other lines of the group, measured against the one that was chosen.
fn others(line: &Line, lines: &[(usize, &[Move], f64)], chosen: f64) -> Vec<Alternative> {
    lines.iter().filter_map(|&(keep, moves, p)| Alternative::new(line, keep, moves, (p / chosen).ln())).collect()
}

/// For each of the moves, the probability that this ply was it, times what the look is `worth`: of the lines that have the same
/// plies, by all their orders; of others, where they agree on it. `orders` has the chance of each ply to have come just then.
fn confidences(
    line: &Line,
    (keep, moves): (usize, &[Move]),
    orders: &[f64],
    lines: &[(usize, &[Move], f64)],
    worth: f64,
) -> Vec<f64> {
    let count = |all: &[Move], mv: &Move| all.iter().filter(|other| *other == mv).count();
    let is_order = |(k, m, _): &(usize, &[Move], f64)| {
        *k == keep && m.len() == moves.len() && m.iter().all(|mv| count(m, mv) == count(moves, mv))
    };
    let at = |(k, m, _): &(usize, &[Move], f64), ply: usize| {
        if ply < *k { line.plies().get(ply).map(|p| p.mv) } else { m.get(ply - k).copied() }
    };
    let same: f64 = lines.iter().filter(|l| is_order(l)).map(|l| l.2).sum();
    let others = || lines.iter().filter(|l| !is_order(l));
    (0..moves.len())
        .map(|i| {
            let agreeing: f64 = others().filter(|l| at(l, keep + i) == Some(moves[i])).map(|l| l.2).sum();
            ((same * orders[i] + agreeing) * worth).clamp(0.0, SUREST)
        })
        .collect()
}

/// The squares that a second look would have to settle: what is unexplained, or else what the best rival disputes.
fn doubtful(best: &Group, rivals: &[Group], unexplained: Bitboard, changed: Bitboard) -> Bitboard {
    if unexplained.any() {
        return unexplained;
    }
    let men = |group: &Group| group.members.first().map(|m| m.hypothesis.men.clone());
    let disputed = match (men(best), rivals.first().and_then(men)) {
        (Some(a), Some(b)) => difference(&a, &b),
        _ => Bitboard::EMPTY,
    };
    if best.probability < 0.99 { disputed | changed } else { changed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    use crate::game::start::Start;

    #[test]
    fn confidence_of_a_ply_sums_over_the_lines_that_agree_on_it() {
        let line = Line::new(Start::default());
        let legal = line.position().legal_moves();
        let (a, b, c) = (legal[0], legal[1], legal[2]);
        let (one, two) = ([a, b], [a, c]);
        let lines: Vec<(usize, &[Move], f64)> = vec![(0, &one, 0.5), (0, &two, 0.3)];
        let got = confidences(&line, (0, &one), &[1.0; 2], &lines, 1.0);
        assert!((got[0] - 0.8).abs() < 1e-12 && (got[1] - 0.5).abs() < 1e-12, "{got:?}");
    }
}
