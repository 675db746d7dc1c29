//! Hypotheses weighed on one look, and brought together in *groups*: those whose placements agree in colour on every
//! square, which a picture that knows no kinds of men cannot tell apart.

use std::collections::HashMap;

use shakmaty::{Bitboard, Board, Move};

use super::{
    alternatives::Alternative,
    beliefs::{self, Remembered},
    evidence::Evidence,
    hypotheses::{Hypothesis, PLY, Story},
    line::Line,
    misread::{self, Misread},
};

/// Highest confidence told: nothing seen through a camera is certain.
pub(super) const SUREST: f64 = 0.999_999;

/// A hypothesis with its posterior.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub(super) hypothesis: Hypothesis,
    pub probability: f64,
    /// Of this look alone.
    pub log_likelihood: f64,
    /// What this look says besides of the kinds of men who have come, in nats, against the others of the group.
    pub kinds: f64,
}

/// Hypotheses that look alike in colours.
pub(super) struct Group {
    pub probability: f64,
    pub members: Vec<Weighed>,
}

impl Group {
    /// Of a picture that shows no change at all; `members` is a vector to use again.
    pub(super) fn only_standing(men: Board, mut members: Vec<Weighed>) -> Self {
        let hypothesis = Hypothesis { men, prior: 0.0, remembered: Remembered::default(), story: Story::Standing };
        members.clear();
        members.push(Weighed { hypothesis, probability: SUREST, log_likelihood: 0.0, kinds: 0.0 });
        Self { probability: SUREST, members }
    }

    /// Where the likeliest story is one that no rule allows: is it a ply of the same game with another man, since what a pawn
    /// became was misread? Then the group shows that.
    pub(super) fn ask_for_misread(&mut self, line: &Line, alternatives: &[Alternative], evidence: &dyn Evidence) {
        let Some(best) = self.members.first() else { return };
        if !matches!(best.hypothesis.story, Story::Illegal | Story::Anything) {
            return;
        }
        let lines = misread::lines(line, alternatives, &best.hypothesis.men);
        let total: f64 = lines.iter().map(|l| l.log_odds.exp()).sum();
        if total == 0.0 {
            return;
        }
        self.members = lines
            .into_iter()
            .map(|Misread { keep, moves, men, log_odds }| Weighed {
                probability: self.probability * log_odds.exp() / total,
                log_likelihood: evidence.log_likelihood(&men),
                kinds: 0.0,
                hypothesis: Hypothesis {
                    men,
                    prior: PLY + log_odds,
                    remembered: Remembered::default(),
                    story: Story::Line { keep, moves, over: None },
                },
            })
            .collect();
        self.share_by_kinds(evidence);
        self.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }

    /// Members that are so many nats likelier than they were share anew what they have together, the best first; the others keep what
    /// they have. Returns the nats that leave a member's probability as it was; `None` where nobody shares.
    pub(super) fn share(&mut self, nats: impl Fn(&Hypothesis) -> Option<f64>) -> Option<f64> {
        let nats: Vec<Option<f64>> = self.members.iter().map(|m| nats(&m.hypothesis)).collect();
        let most = nats.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut before, mut after) = (0.0, 0.0);
        for (member, nats) in self.members.iter().zip(&nats).filter_map(|(m, nats)| Some((m, (*nats)?))) {
            before += member.probability;
            after += member.probability * (nats - most).exp();
        }
        let mean = after.is_normal().then(|| most + (after / before).ln());
        if mean.is_some() {
            for (member, nats) in self.members.iter_mut().zip(nats).filter_map(|(m, nats)| Some((m, nats?))) {
                member.probability *= (nats - most).exp() * before / after;
            }
        }
        self.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        mean
    }

    /// Shares the group's probability among its members by what the picture says of kinds.
    fn share_by_kinds(&mut self, evidence: &dyn Evidence) {
        let men = |m: &Weighed| m.hypothesis.men.clone();
        if self.members.windows(2).all(|pair| pair[0].hypothesis.men == pair[1].hypothesis.men) {
            return;
        }
        let mut told: HashMap<Board, f64> = HashMap::new();
        for member in &self.members {
            told.entry(men(member)).or_insert_with_key(|men| evidence.kinds(men));
        }
        let mean = self.share(|hypothesis| told.get(&hypothesis.men).copied());
        for member in &mut self.members {
            member.kinds = told.get(&member.hypothesis.men).zip(mean).map_or(0.0, |(nats, mean)| nats - mean);
        }
    }
}

/// A group that is less probable is not told, and its members may share it as they like.
const LEAST_SHARED: f64 = 1e-3;

/// All hypotheses of a look, scored.
pub(super) struct Weighing {
    /// In order of their posterior.
    pub groups: Vec<Group>,
    /// ln of the sum of all scores.
    pub total: f64,
    /// Number of placements scored.
    pub scored: usize,
}

/// Scores every hypothesis; groups in order of their posterior, members likewise.
pub(super) fn weigh(hypotheses: Vec<Hypothesis>, evidence: &dyn Evidence) -> Weighing {
    let mut scores: HashMap<Board, f64> = HashMap::new();
    let mut weighed: Vec<(Hypothesis, f64, f64)> = Vec::with_capacity(hypotheses.len());
    for hypothesis in hypotheses {
        let likelihood = *scores.entry(hypothesis.men.clone()).or_insert_with_key(|men| evidence.log_likelihood(men));
        let score = likelihood + hypothesis.prior;
        weighed.push((hypothesis, likelihood, if score.is_nan() { f64::NEG_INFINITY } else { score }));
    }
    let best = weighed.iter().map(|(_, _, s)| *s).fold(f64::NEG_INFINITY, f64::max);
    if !best.is_finite() {
        return Weighing { groups: Vec::new(), total: f64::NEG_INFINITY, scored: scores.len() };
    }
    let total: f64 = weighed.iter().map(|(_, _, s)| (s - best).exp()).sum();
    let mut groups: HashMap<(Bitboard, Bitboard), Group> = HashMap::new();
    for (hypothesis, log_likelihood, score) in weighed {
        let probability = (score - best).exp() / total;
        let group = groups
            .entry((hypothesis.men.white(), hypothesis.men.black()))
            .or_insert_with(|| Group { probability: 0.0, members: Vec::new() });
        group.probability += probability;
        group.members.push(Weighed { hypothesis, probability, log_likelihood, kinds: 0.0 });
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        if group.probability > LEAST_SHARED {
            group.share_by_kinds(evidence);
        }
        group.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }
    // Equal probabilities are ordered by placement: the same look must always end in the same decision.
    let key = |group: &Group| group.members.first().map(|m| (m.hypothesis.men.white().0, m.hypothesis.men.black().0));
    groups.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| key(a).cmp(&key(b))));
    Weighing { groups, total: best + total.ln(), scored: scores.len() }
}

/// Every line of play that was weighed, other than the game's own, against that one, whose placement has the log-likelihood
/// `standing`.
///
/// A line says what was played, not what a hand is doing just now: with the game's own line goes every move half made that
/// begins there. A picture that one of these explains as well speaks for no other line. And no picture says more than
/// `most` nats for or against any line, measured from what it shows best.
pub(super) fn weighed_lines<'a, S: Iterator<Item = &'a Group>>(
    line: &Line,
    groups: impl Fn() -> S,
    standing: f64,
    most: f64,
) -> Vec<beliefs::Weighed<'a>> {
    let members = || groups().flat_map(|group| &group.members);
    let making = |m: &&Weighed| matches!(m.hypothesis.story, Story::Making { .. } | Story::Unpromoted);
    let own = members().filter(making).map(|m| m.hypothesis.prior + m.log_likelihood).fold(standing, f64::max);
    let shown = members().next().map_or(own, |m| m.log_likelihood);
    let said = |log_likelihood: f64| (log_likelihood - shown).clamp(-most, most);
    members()
        .filter_map(|Weighed { hypothesis, log_likelihood, kinds, .. }| match &hypothesis.story {
            Story::Line { keep, moves, over: None } if *keep < line.len() || !moves.is_empty() => {
                Some(beliefs::Weighed {
                    keep: *keep,
                    moves,
                    prior: hypothesis.prior - hypothesis.remembered.weight,
                    evidence: hypothesis.remembered.said + said(*log_likelihood) - said(own),
                    kinds: *kinds,
                    face_value: hypothesis.prior + log_likelihood - own,
                })
            }
            _ => None,
        })
        .collect()
}

/// The lines of a group, each with its share of the group.
pub(super) fn lines_of(group: &Group) -> Vec<(usize, &[Move], f64)> {
    group
        .members
        .iter()
        .filter_map(|m| match &m.hypothesis.story {
            Story::Line { keep, moves, .. } => Some((*keep, moves.as_slice(), m.probability)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{difference::difference, start::Start};
    use shakmaty::{Position as _, Square};

    /// A picture that tells nothing but how many queens there are.
    struct Queens(Board, f64);

    impl Evidence for Queens {
        fn log_likelihood(&self, men: &Board) -> f64 {
            -(difference(men, &self.0).count() as f64)
        }

        fn reference(&self) -> &Board {
            &self.0
        }

        fn square(&self, _: Square) -> [f64; 3] {
            [0.0; 3]
        }

        fn unexplained(&self, _: &Board) -> Bitboard {
            Bitboard::EMPTY
        }

        fn kinds(&self, men: &Board) -> f64 {
            self.1 * men.queens().count() as f64
        }
    }

    #[test]
    fn kinds_share_a_sight_and_leave_it_as_probable_as_it_was() {
        let start = Start::from_fen("4k3/P6P/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let line = Line::new(start);
        let (position, men) = (line.position(), line.position().board());
        let hypotheses = || {
            let moves = position.legal_moves().into_iter().enumerate();
            let prior = |i: usize| -0.1 * i as f64;
            let story = |mv| Story::Line { keep: 0, moves: vec![mv], over: None };
            moves.map(move |(i, mv)| Hypothesis {
                men: position.clone().play(mv).unwrap().board().clone(),
                prior: prior(i),
                remembered: Remembered::default(),
                story: story(mv),
            })
        };
        let [without, with, against] =
            [0.0, 3.0, -3.0].map(|nats| weigh(hypotheses().collect(), &Queens(men.clone(), nats)).groups);
        let queen = |group: &Group| -> f64 {
            let queens = group.members.iter().filter(|m| m.hypothesis.men.queens().any());
            queens.map(|m| m.probability).sum::<f64>() / group.probability
        };
        let mut promotions = 0;
        for ((a, b), c) in without.iter().zip(&with).zip(&against) {
            for other in [b, c] {
                assert_eq!(a.probability, other.probability);
                let sum: f64 = other.members.iter().map(|m| m.probability).sum();
                assert!((sum - a.probability).abs() < 1e-12 && a.members.len() == other.members.len());
                // What is carried over to the next look says the same as this one's posterior.
                let of = |m: &Weighed| m.hypothesis.prior + m.log_likelihood + m.kinds - m.probability.ln();
                assert!(other.members.windows(2).all(|pair| (of(&pair[0]) - of(&pair[1])).abs() < 1e-9));
            }
            if a.members.len() > 1 {
                promotions += 1;
                assert!(queen(b) > queen(a) + 0.1 && queen(c) < queen(a) - 0.1);
            }
        }
        assert_eq!(promotions, 2, "on a8 and on h8");
    }
}
