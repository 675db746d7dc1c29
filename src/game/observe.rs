//! One look understood: every hypothesis weighed on the same likelihood, and a decision only where it is safe.
//!
//! 1. [`hypotheses::all`] proposes placements; the evidence scores each distinct one once.
//! 2. Hypotheses whose placements agree in colour on every square form one *sight*: a picture that knows no kinds of
//!    men cannot tell them apart. The posterior of a sight is the sum over its members.
//! 3. The best sight must reach the asked confidence against all others, and what it changes must be explained by the
//!    picture. Inside the sight, priors and whatever the picture says of kinds choose the story.
//!
//! A decision is refused where the evidence calls a changed square unexplained (a hand, a sleeve, a shadow over it).
//! Where only other squares are unexplained, the rest of the picture has to be ten times surer.

use std::cmp::Ordering;

use shakmaty::{Bitboard, Board, Color, Move, Position as _, Square};

use super::{
    Game, Look, Understanding,
    alternatives::{self, Alternative},
    beliefs,
    evidence::Evidence,
    explanations,
    fit::{Fit, fit},
    hypotheses::{self, Known, Story},
    line::Line,
    marginals::{Marginals, difference},
    taken::took_its_own,
    trust::{self, Sighting},
    unseen::after_an_unseen_ply,
    verdicts,
    weighing::{SUREST, Sight, Weighed, Weighing, lines_of, weigh, weighed_lines},
};
use crate::event::Event;

/// How much smaller the doubt must be while something unexplained is elsewhere on the board.
const CLUTTERED_DOUBT: f64 = 0.1;
/// The same with a hand over the board: the man that is missing may be in it. A hundredth of the doubt told three moves in a
/// hundred later, and no fewer wrong ones.
const HAND_DOUBT: f64 = 0.05;
/// Unexplained squares elsewhere beyond which nothing is decided: an arm over the board.
const CLUTTER_MAX: usize = 12;
/// When somebody says "now", the likeliest explanation is taken if it is likelier than all others together.
const FORCED_CONFIDENCE: f64 = 0.5;
/// Changed squares beyond which an unlawful placement is not an illegal move but men being set up or cleared away.
const TOO_MANY: usize = 8;

/// ln of the chance that a hand over the board is taken for men who have changed: seldom, but more often than several men
/// change at once.
const HAND_SUPPOSED: f64 = -8.0;
/// ln of the prior of a story from which on it is nothing unusual: one ply, a man in the air.
const USUAL: f64 = -6.5;
/// How much rarer moves are half made in a clear picture than in one with a hand.
const LIFTED_WITHOUT_HAND: f64 = 0.05;
/// Nats between what a square may hold below which it tells nothing: one of three is hardly likelier than another.
const SILENT: f64 = 1.0;
/// Probability from which a line tells what came first, even where a hand is over it.
const HINT: f64 = 0.9;
/// Probability of a line from which on those that go on from it count for it. Below that too few of the others were weighed.
const MOSTLY: f64 = 0.8;
/// Probability from which on what no rule allows is remembered for the next look.
const SUGGESTED: f64 = 0.2;
/// How much likelier a line becomes by beginning with what the last look suggested.
const HINTED_FIRST: f64 = 20.0;

impl Game {
    /// Understands one look; returns what is new. After it, [`standing`](Self::standing) says what the men are taken
    /// to be, when the look was understood.
    ///
    /// At most some 700 placements are scored (see [`scored`](Self::scored)); everything else is bounded too.
    pub fn observe(&mut self, evidence: &dyn Evidence, look: Look) -> Understanding {
        let nothing = Understanding { events: Vec::new(), explained: None };
        if !look.settled && !look.forced {
            return nothing;
        }
        self.pace.looked();
        self.open.clear();
        self.watch_announced(evidence.hidden(), look.forced);
        if evidence.may_have_changed().is_empty() && *evidence.reference() == self.standing {
            (self.scored, self.lost_looks) = (0, 0);
            self.beliefs.clear();
            self.unlawful.clear();
            let standing = Sight::only_standing(self.standing.clone(), std::mem::take(&mut self.quiet));
            let answer = self.decide(&standing, &[], evidence, look, Fit::Well);
            self.quiet = standing.members;
            return answer;
        }
        let mut marginals = Marginals::new(evidence);
        let known = Known {
            line: &self.line,
            standing: &self.standing,
            alternatives: &self.alternatives,
            beliefs: &self.beliefs,
            unlawful: &self.unlawful,
            over: self.over.is_some(),
            pace: &self.pace,
            given_word: self.given_word(),
        };
        let mut weighed = weigh(hypotheses::all(&known, &marginals, false), evidence);
        // Where nothing simple explains the picture, something may lie over the board.
        let with_hand =
            if look.patient && !look.passing && self.is_odd(&weighed, evidence) { evidence.with_hand() } else { None };
        let mut evidence = evidence;
        if let Some(hand) = with_hand.as_deref() {
            let other = Marginals::new(hand);
            let supposed = weigh(hypotheses::all(&known, &other, false), hand);
            if supposed.total + HAND_SUPPOSED > weighed.total && self.is_one_clear_ply(&supposed, hand, &other, look) {
                (weighed, marginals, evidence) = (supposed, other, hand);
            }
        }
        let Weighing { mut sights, mut scored, .. } = weighed;
        self.lifted_without_hand(&mut sights, evidence);
        let patient = look.patient || look.forced;
        let lost = |sights: &[Sight]| {
            let Some(best) = sights.first() else { return false };
            let story = best.members.first().map(|m| &m.hypothesis.story);
            best.probability < look.min_confidence
                || matches!(story, Some(Story::Anything | Story::Illegal))
                || best.members.first().is_some_and(|m| fit(evidence, &marginals, &m.hypothesis.men) != Fit::Well)
        };
        if patient && self.over.is_none() && lost(&sights) {
            // Seldom, for it is slow: where the squares tell something new, and at every eighth look.
            let told = Some(marginals.likeliest());
            if self.lost_looks.is_multiple_of(8) || self.searched != told {
                self.searched = told;
                let deep = weigh(hypotheses::all(&known, &marginals, true), evidence);
                (sights, scored) = (deep.sights, scored + deep.scored);
                self.lifted_without_hand(&mut sights, evidence);
            }
            self.lost_looks = self.lost_looks.wrapping_add(1);
        } else {
            self.lost_looks = 0;
        }
        self.scored = scored;
        if sights.is_empty() {
            return nothing;
        }
        let rivals = sights.split_off(1);
        let Some(mut best) = sights.pop() else { return nothing };
        self.prefer_hinted(&mut best);
        best.ask_for_misread(&self.line, &self.alternatives, evidence);
        let fit = best.members.first().map_or(Fit::Well, |m| fit(evidence, &marginals, &m.hypothesis.men));
        // A look at what no line leads to, a man in the air, an illegal change, says nothing of lines.
        let of_lines = match best.members.first().map(|m| &m.hypothesis.story) {
            Some(Story::Line { over: None, .. }) => true,
            Some(Story::Standing) => &self.standing == self.line.position().board(),
            _ => false,
        };
        let suggested = |m: &&Weighed| m.hypothesis.story == Story::Illegal && m.probability > SUGGESTED;
        let unlawful = std::iter::once(&best).chain(&rivals).flat_map(|s| &s.members).filter(suggested);
        self.unlawful =
            if evidence.hidden().any() { vec![] } else { unlawful.map(|m| m.hypothesis.men.clone()).collect() };
        let before = self.line.clone();
        let standing = evidence.log_likelihood(before.position().board());
        let answer = self.decide(&best, &rivals, evidence, look, fit);
        if self.line.start() != before.start() {
            self.beliefs.clear();
        } else if of_lines {
            // Whatever an arm seems to show, it may be the arm.
            let most = if evidence.hidden().any() { -HAND_SUPPOSED } else { f64::INFINITY };
            let weighed = weighed_lines(&before, || std::iter::once(&best).chain(&rivals), standing, most);
            self.beliefs = beliefs::after(&before, &self.line, weighed);
        }
        answer
    }

    /// Is the likeliest story none of a clear picture in which one ply was played, or nothing happened?
    fn is_odd(&self, weighed: &Weighing, evidence: &dyn Evidence) -> bool {
        let Some(best) = weighed.sights.first().and_then(|sight| sight.members.first()) else { return false };
        best.hypothesis.prior < USUAL || !self.usual_clutter.is_clear(evidence.residue(&best.hypothesis.men))
    }

    /// Is the likeliest story, with a hand over the board, one ply that the hand has let go, as sure as that needs?
    fn is_one_clear_ply(&self, weighed: &Weighing, hand: &dyn Evidence, marginals: &Marginals, look: Look) -> bool {
        let Some((sight, rivals)) = weighed.sights.split_first() else { return false };
        let Some(Weighed { hypothesis, .. }) = sight.members.first() else { return false };
        let needed = needed(look, HAND_DOUBT);
        matches!(&hypothesis.story, Story::Line { keep, moves, over: None } if *keep == self.line.len() && moves.len() == 1)
            && Self::begun(sight, rivals, &hypothesis.story, hand.hidden()) >= needed
            && !hand.held(&hypothesis.men)
            && fit(hand, marginals, &hypothesis.men) == Fit::Well
    }

    /// How sure a story is. Plies that nothing shows, under a hand or behind other men, cannot be told from none: what all these
    /// lines begin with is as sure as all of them together.
    fn begun(best: &Sight, rivals: &[Sight], story: &Story, hidden: Bitboard) -> f64 {
        let others: f64 = match story {
            Story::Line { keep, moves, over: None }
                if (hidden.any() || best.probability >= MOSTLY) && !moves.is_empty() =>
            {
                let begins = |m: &&Weighed| matches!(&m.hypothesis.story, Story::Line { keep: k, moves: line, over: None } if k == keep && line.starts_with(moves));
                rivals.iter().flat_map(|r| &r.members).filter(begins).map(|m| m.probability).sum()
            }
            _ => 0.0,
        };
        best.probability + others
    }

    /// Lines that look alike differ in the order of their plies; what the last look suggested came first.
    fn prefer_hinted(&self, best: &mut Sight) {
        if self.hinted.is_empty() {
            return;
        }
        let total = best.probability;
        for member in &mut best.members {
            if let Story::Line { keep, moves, .. } = &member.hypothesis.story
                && *keep == self.line.len()
                && moves.starts_with(&self.hinted)
            {
                member.probability *= HINTED_FIRST;
            }
        }
        let sum: f64 = best.members.iter().map(|m| m.probability).sum();
        for member in &mut best.members {
            member.probability *= total / sum;
        }
        best.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }

    /// A man in the air needs a hand that holds it: in a clear picture moves are seldom half made.
    fn lifted_without_hand(&self, sights: &mut [Sight], evidence: &dyn Evidence) {
        let Some(best) = sights.first().and_then(|s| s.members.first()) else { return };
        if !self.usual_clutter.is_clear(evidence.clutter(&best.hypothesis.men)) {
            return;
        }
        for member in sights.iter_mut().flat_map(|s| &mut s.members) {
            if matches!(member.hypothesis.story, Story::Making { .. }) {
                member.probability *= LIFTED_WITHOUT_HAND;
            }
        }
        let total: f64 = sights.iter().flat_map(|s| &s.members).map(|m| m.probability).sum();
        for sight in sights.iter_mut() {
            for member in &mut sight.members {
                member.probability /= total;
            }
            sight.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            sight.probability = sight.members.iter().map(|m| m.probability).sum();
        }
        sights.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }

    /// The story that a sight is taken to show: its likeliest, unless another one is to be preferred while that is not as sure
    /// as a move.
    fn shown_by<'a>(&self, best: &'a Sight, evidence: &dyn Evidence, look: Look) -> Option<&'a Weighed> {
        let first = best.members.first()?;
        let in_doubt = first.probability < look.min_confidence * best.probability;
        let rather = |is: fn(&Story) -> bool| best.members.iter().find(|m| in_doubt && is(&m.hypothesis.story));
        // To change our mind about what looks the same needs to be sure.
        let preferred = rather(|story| *story == Story::Standing).or_else(|| match first.hypothesis.story {
            // A man who took his own may as well be one who is in the air, …
            Story::Illegal => rather(|story| matches!(story, Story::Making { .. })),
            // … and a pawn that became nothing a small man.
            Story::Unpromoted if look.patient || look.forced => rather(|story| matches!(story, Story::Line { .. })),
            _ => None,
        });
        let first = preferred.unwrap_or(first);
        Some(took_its_own(first, best, self.line.position(), evidence, look).unwrap_or(first))
    }

    fn decide(
        &mut self,
        best: &Sight,
        rivals: &[Sight],
        evidence: &dyn Evidence,
        look: Look,
        fit: Fit,
    ) -> Understanding {
        let mut answer = Understanding { events: Vec::new(), explained: None };
        let Some(first) = self.shown_by(best, evidence, look) else { return answer };
        let men = &first.hypothesis.men;
        let changed = difference(men, &self.standing);
        let hidden = evidence.hidden();
        let unexplained = evidence.unexplained(men) & !hidden;
        let story = &first.hypothesis.story;
        // Who announced it has been waited for: the man that is missing is where he said.
        let given_word = self.is_given_word(story);
        let needed = if look.forced {
            FORCED_CONFIDENCE
        } else if given_word {
            needed(look, 1.0)
        } else if hidden.any() {
            needed(look, HAND_DOUBT)
        } else if unexplained.any() {
            needed(look, CLUTTERED_DOUBT)
        } else {
            needed(look, 1.0)
        };
        // A man that stands next to its squares' edge or a hand's shadow is no obstacle to what somebody asked for.
        let covered =
            (unexplained & changed).any() || (evidence.held(men) && !given_word) || unexplained.count() > CLUTTER_MAX;
        let begun = Self::begun(best, rivals, story, hidden);
        let fits = match fit {
            Fit::Well => true,
            Fit::OneTooMany => matches!(story, Story::Line { moves, over: None, .. } if !moves.is_empty()),
            Fit::Not => false,
        };
        let shown = begun >= needed && !covered && fits;
        // What the last looks suggested stands again, or play went on from it.
        let suspected = match story {
            Story::Line { keep, moves, .. } if *keep == self.line.len() && moves.starts_with(&self.suspected) => {
                self.suspected.len()
            }
            _ => 0,
        };
        let again = self.shown.as_ref().filter(|(was, _)| shown && was == men);
        let repeated = shown && (suspected > 0 || again.is_some());
        // What something hid then it does not hide now: every square has shown what these men explain.
        let all_seen = hidden.is_empty() && again.is_some_and(|(_, then)| (*then & unexplained).is_empty());
        self.shown = shown.then(|| (men.clone(), unexplained));
        let clutter = evidence.residue(men);
        let sighting = Sighting {
            plies: self.line.len(),
            suspected,
            repeated,
            clutter,
            log_odds: (begun / (1.0 - begun).max(f64::MIN_POSITIVE)).ln(),
        };
        // What a passing hand leaves behind is there in the next picture as well, and so are men who are one too many.
        let passed = (!look.passing || hidden.is_empty()) && fit == Fit::Well || repeated;
        // Who was in doubt wants to see twice what no rule allows.
        let doubted = self.doubt_told && !repeated && *story == Story::Illegal;
        let believed = look.forced || (passed && !doubted && trust::believed(story, sighting, &self.usual_clutter));
        let clean = (unexplained | hidden).is_empty();
        self.usual_clutter.add(clutter);
        let sure = begun >= needed && (look.forced || (!covered && fits)) && believed;
        let patient = look.patient || look.forced;
        let mut understood = sure;
        match story {
            Story::Standing if sure => {
                if let Some(square) = self.lifted.take() {
                    answer.events.push(Event::Touched { square: square.to_string() });
                }
                if look.patient && clean {
                    self.pace.stands();
                }
                answer.explained = Some(self.standing.clone());
            }
            Story::Line { .. } | Story::NewGame { .. } if sure => {
                let men = men.clone();
                match story {
                    Story::Line { keep, moves, over } => {
                        let lines = lines_of(best);
                        let confidences = confidences(&self.line, *keep, moves, &lines);
                        let fresh = alternatives(&self.line, &lines, first.probability);
                        let old = self.line.clone();
                        self.unseen = given_word.then_some(keep + 1);
                        answer.events = self.take_over(*keep, moves, &confidences);
                        self.pace.went_on(if *keep == old.len() { moves.len() } else { 0 });
                        let known = std::mem::take(&mut self.alternatives);
                        self.alternatives = alternatives::carry_on(known, fresh, &old, &self.line);
                        if let Some(outcome) = over {
                            answer.events.extend(self.end(*outcome, super::status::KINGS, false));
                            self.standing.clone_from(&men);
                        } else {
                            // The reply may have begun: then one man is in the air.
                            self.lifted = difference(&men, &self.standing).single_square();
                        }
                    }
                    Story::NewGame { played } => answer.events = self.begin_again(&men, *played, begun),
                    _ => {}
                }
                answer.explained = Some(men);
            }
            Story::Making { lifted } if sure => {
                if clean && lifted.is_some() {
                    self.lifted = *lifted;
                }
            }
            Story::Unpromoted if sure && !patient => {}
            Story::Illegal | Story::Unpromoted | Story::Anything
                if sure && (clean || all_seen) && self.over.is_none() =>
            {
                let position = self.line.position();
                let verdict = verdicts::judge(position, men);
                let only_missing = men.iter().all(|(square, piece)| self.standing.piece_at(square) == Some(piece));
                if self.line.is_empty() && only_missing {
                    // Before the first move: the last men are being set up.
                } else if patient && out_of_sight(evidence, &self.standing, men) {
                    // He who seems one too many may have come from there, he who is gone have gone there.
                    understood = false;
                } else if patient && after_an_unseen_ply(evidence, position, men, &verdict) {
                    understood = false;
                } else if patient && changed.count() <= TOO_MANY {
                    self.lifted = None;
                    answer.events.push(verdict.into_event());
                    self.standing.clone_from(men);
                    answer.explained = Some(men.clone());
                } else {
                    understood = !patient;
                }
            }
            _ => understood = self.over.is_some(),
        }
        if sure {
            self.suspected.clear();
            self.hinted.clear();
        } else if let Story::Line { keep, moves, over: None } = &first.hypothesis.story
            && *keep == self.line.len()
            && best.probability >= HINT
        {
            self.hinted.clone_from(moves);
            if shown {
                self.suspected.clone_from(moves);
            }
        }
        if !understood {
            self.open = explanations::of(&self.line, std::iter::once(best).chain(rivals));
        }
        if understood {
            self.doubt_told = false;
        } else if patient && !self.doubt_told && self.over.is_none() {
            self.doubt_told = true;
            let squares = doubtful(best, rivals, unexplained, changed);
            answer.events.push(Event::Uncertain { squares: squares.into_iter().map(|s| s.to_string()).collect() });
        }
        answer
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

/// The confidence that a story needs where only this share of the usual doubt is left to it.
fn needed(look: Look, doubt: f64) -> f64 {
    1.0 - doubt * (1.0 - look.min_confidence.clamp(0.5, SUREST))
}

/// The other lines of the sight, measured against the one that was chosen.
fn alternatives(line: &Line, lines: &[(usize, &[Move], f64)], chosen: f64) -> Vec<Alternative> {
    lines.iter().filter_map(|&(keep, moves, p)| Alternative::new(line, keep, moves, (p / chosen).ln())).collect()
}

/// For each of the moves, the posterior that this ply was it: the sum over all lines that agree on it.
fn confidences(line: &Line, keep: usize, moves: &[Move], lines: &[(usize, &[Move], f64)]) -> Vec<f64> {
    let at = |(k, m, _): &(usize, &[Move], f64), ply: usize| {
        if ply < *k { line.plies().get(ply).map(|p| p.mv) } else { m.get(ply - k).copied() }
    };
    (0..moves.len())
        .map(|i| {
            let ply = keep + i;
            let agreeing: f64 = lines.iter().filter(|l| at(l, ply) == Some(moves[i])).map(|l| l.2).sum();
            agreeing.clamp(0.0, SUREST)
        })
        .collect()
}

/// The squares that a second look would have to settle: what is unexplained, or else what the best rival disputes.
fn doubtful(best: &Sight, rivals: &[Sight], unexplained: Bitboard, changed: Bitboard) -> Bitboard {
    if unexplained.any() {
        return unexplained;
    }
    let men = |s: &Sight| s.members.first().map(|m| m.hypothesis.men.clone());
    let disputed = match (men(best), rivals.first().and_then(men)) {
        (Some(a), Some(b)) => difference(&a, &b),
        _ => Bitboard::EMPTY,
    };
    if best.probability < 0.99 { disputed | changed } else { changed }
}

/// Squares as text, a1 first.
pub(super) fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|s: Square| s.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::start::Start;

    #[test]
    fn confidence_of_a_ply_sums_over_the_lines_that_agree_on_it() {
        let line = Line::new(Start::default());
        let legal = line.position().legal_moves();
        let (a, b, c) = (legal[0], legal[1], legal[2]);
        let (one, two) = ([a, b], [a, c]);
        let lines: Vec<(usize, &[Move], f64)> = vec![(0, &one, 0.5), (0, &two, 0.3)];
        let got = confidences(&line, 0, &one, &lines);
        assert!((got[0] - 0.8).abs() < 1e-12 && (got[1] - 0.5).abs() < 1e-12, "{got:?}");
    }
}
