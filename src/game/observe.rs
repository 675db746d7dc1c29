//! One look understood: every hypothesis weighed on the same likelihood, and a decision only where it is safe.
//!
//! 1. [`hypotheses::all`] proposes placements; the evidence scores each distinct one once.
//! 2. Hypotheses whose placements agree in colour on every square form one *group*: a picture that knows no kinds of
//!    men cannot tell them apart. The posterior of a group is the sum over its members.
//! 3. The best group must reach the asked confidence against all others, and what it changes must be explained by the
//!    picture (`decision`). Inside the group, priors and whatever the picture says of kinds choose the story.
//! 4. What follows is told (`consequences`), and what the look said of every line is carried over to the next one (`beliefs`).

use shakmaty::{Bitboard, Position as _};

use super::{
    Game, Look, Understanding,
    account::Account,
    beliefs,
    decision::{FORCED_CONFIDENCE, HAND_DOUBT, begun, needed},
    evidence::Evidence,
    fit::{Fit, Fitting, fit},
    hypotheses::{self, Hypothesis, Known, Story},
    line::Line,
    marginals::Marginals,
    memory::Stage,
    orders::{self, SUGGESTED_FIRST},
    pace::ONE_OF_THE_MOVES,
    plausible, suspicions,
    weighing::{Group, Weighed, Weighing, weigh, weighed_lines},
};
use crate::event::Event;

/// ln of the chance that a hand over the board is taken for men who have changed: seldom, but more often than several men
/// change at once.
const HAND_SUPPOSED: f64 = -8.0;
/// ln of the prior of a story from which on it is nothing unusual: one ply, a man in the air.
const USUAL: f64 = -6.5;
/// How much rarer moves are half made in a clear picture than in one with a hand.
const LIFTED_WITHOUT_HAND: f64 = 0.05;
/// A deeper search is made at every so manyth look at least while the game is lost, for it is slow.
const DEEP_EVERY: u32 = 8;

impl Game {
    /// Understands one look; returns what is new. After it, [`standing`](Self::standing) says what the men are taken
    /// to be, when the look was understood.
    ///
    /// Fewer than 500 placements are scored (see [`scored`](Self::scored)), as many again where a hand is supposed, or none, and as
    /// many again where the game is lost; everything else is bounded too.
    pub fn observe(&mut self, evidence: &dyn Evidence, look: Look) -> Understanding {
        self.account = None;
        if !look.settled && !look.forced {
            return Understanding { events: Vec::new(), explained: None };
        }
        self.keep_look(evidence);
        let elapsed_s = self.memory.elapsed_s.take().unwrap_or(f64::INFINITY);
        self.memory.pace.looked();
        beliefs::grow_older(&mut self.memory.beliefs, elapsed_s);
        if let Some(puzzled) = self.memory.puzzled.as_mut().filter(|_| elapsed_s.is_finite()) {
            puzzled.grow(elapsed_s);
        }
        self.memory.open.clear();
        self.watch_announced(evidence.hidden(), look.forced);
        if evidence.may_have_changed().is_empty() && *evidence.reference() == self.standing {
            return self.nothing_has_changed(evidence, look);
        }
        let marginals = Marginals::new(evidence);
        let weighed = self.weighed(&marginals, evidence, false);
        let at_rest = look.patient && !look.passing;
        // What one ply explains is no hand, however large it is: castling under a low lamp, with all its shadows.
        if at_rest
            && let Some(open) = self.opened(&weighed, evidence)
            && let Some(answer) = self.supposed(&*open, f64::NEG_INFINITY, look)
        {
            return answer;
        }
        // Where nothing simple explains the picture, something may lie over the board.
        if at_rest
            && self.is_odd(&weighed, evidence)
            && let Some(hand) = evidence.with_hand()
            && let Some(answer) = self.supposed(&*hand, weighed.total - HAND_SUPPOSED, look)
        {
            return answer;
        }
        self.understand(weighed, &marginals, evidence, look)
    }

    /// No look comes any more: what the last ones suggested is told where it is likelier than all else, since nothing can bear it
    /// out.
    pub fn conclude(&mut self) -> Vec<Event> {
        let stages = std::mem::take(&mut self.memory.stages);
        let Some(Stage { plies, confidence, .. }) = stages.suggested() else { return vec![] };
        if *confidence <= FORCED_CONFIDENCE || self.over.is_some() {
            return vec![];
        }
        let (position, last) = (self.line.position(), self.line.last_of(self.line.len()));
        let orders = orders::chances(position, last, plies, &stages.of(plies));
        let confidences: Vec<f64> = orders.iter().map(|chance| chance * confidence).collect();
        self.take_over(self.line.len(), plies, &confidences)
    }

    /// Nothing differs from the picture before: what stood there stands there, and no doubt is left.
    fn nothing_has_changed(&mut self, evidence: &dyn Evidence, look: Look) -> Understanding {
        self.scored = 0;
        let memory = &mut self.memory;
        memory.lost_looks = 0;
        memory.beliefs.clear();
        memory.suspicions.forget();
        let standing = Group::only_standing(self.standing.clone(), std::mem::take(&mut memory.quiet));
        let answer = self.decide(&standing, &[], evidence, look, Fitting::PERFECT);
        self.memory.quiet = standing.members;
        answer
    }

    /// Understands the look as it is if a hand is supposed otherwise, where it is likelier than `least` then and shows one
    /// ply.
    fn supposed(&mut self, evidence: &dyn Evidence, least: f64, look: Look) -> Option<Understanding> {
        let marginals = Marginals::new(evidence);
        let weighed = self.weighed(&marginals, evidence, false);
        let taken = weighed.total > least && self.is_one_clear_ply(&weighed, evidence, &marginals, look);
        taken.then(|| self.understand(weighed, &marginals, evidence, look))
    }

    /// Every story that may explain a look, scored; `deep` searches for long lines as well.
    fn weighed(&self, marginals: &Marginals, evidence: &dyn Evidence, deep: bool) -> Weighing {
        let known = Known {
            line: &self.line,
            standing: &self.standing,
            alternatives: &self.memory.alternatives,
            beliefs: &self.memory.beliefs,
            suspicions: &self.memory.suspicions,
            over: self.over.is_some(),
            pace: &self.memory.pace,
            stood: self.memory.stood,
            given_word: self.given_word(),
        };
        weigh(hypotheses::all(&known, marginals, deep), evidence)
    }

    /// Decides on what was weighed, and carries over what the look said.
    fn understand(
        &mut self,
        mut weighed: Weighing,
        marginals: &Marginals,
        evidence: &dyn Evidence,
        look: Look,
    ) -> Understanding {
        self.lifted_without_hand(&mut weighed.groups, evidence);
        if self.is_to_be_searched_deeper(&weighed.groups, marginals, evidence, look) {
            let deep = self.weighed(marginals, evidence, true);
            weighed = Weighing { scored: weighed.scored + deep.scored, ..deep };
            self.lifted_without_hand(&mut weighed.groups, evidence);
        }
        let Weighing { mut groups, scored, .. } = weighed;
        self.scored = scored;
        if groups.is_empty() {
            return Understanding { events: Vec::new(), explained: None };
        }
        let rivals = groups.split_off(1);
        let mut best = groups.remove(0);
        self.prefer_hinted(&mut best);
        self.prefer_plausible(&mut best);
        self.order(&mut best);
        best.ask_for_misread(&self.line, &self.memory.alternatives, evidence);
        let fitting =
            best.members.first().map_or(Fitting::PERFECT, |m| Fitting::of(evidence, marginals, &m.hypothesis.men));
        self.remember_shown(&best, &rivals, marginals, evidence);
        let says_of_lines = self.says_of_lines(&best);
        let (before, stood) = (self.line.clone(), self.standing.clone());
        let answer = self.decide(&best, &rivals, evidence, look, fitting);
        if self.standing != stood {
            self.memory.suspicions.settled();
        }
        self.memory.suspicions.understood(answer.explained.as_ref(), marginals, evidence.hidden());
        if self.line.start() != before.start() {
            self.memory.beliefs.clear();
        } else if says_of_lines {
            self.memory.beliefs = self.carried_over(&before, &best, &rivals, evidence);
        }
        if let Some(account) = &mut self.account {
            account.carried_over(&self.line, &self.memory.beliefs);
        }
        answer
    }

    fn decide(
        &mut self,
        best: &Group,
        rivals: &[Group],
        evidence: &dyn Evidence,
        look: Look,
        fitting: Fitting,
    ) -> Understanding {
        let Some(decision) = self.judged(best, rivals, evidence, look, fitting) else {
            return Understanding { events: Vec::new(), explained: None };
        };
        let account = self.explaining.then(|| {
            let groups = || std::iter::once(best).chain(rivals);
            Account::of(&self.line, &self.standing, &self.memory.beliefs, groups, &decision, evidence)
        });
        let answer = self.act(&decision, best, rivals, evidence, look);
        self.account = account;
        answer
    }

    /// Is a patient look not explained by what was weighed? Long lines are searched for seldom, for it is slow: where the
    /// squares tell something new, and at every eighth look.
    fn is_to_be_searched_deeper(
        &mut self,
        groups: &[Group],
        marginals: &Marginals,
        evidence: &dyn Evidence,
        look: Look,
    ) -> bool {
        let lost = |groups: &[Group]| {
            let Some(best) = groups.first() else { return false };
            let story = best.members.first().map(|m| &m.hypothesis.story);
            best.probability < look.min_confidence
                || matches!(story, Some(Story::Anything | Story::Illegal))
                || best.members.first().is_some_and(|m| fit(evidence, marginals, &m.hypothesis.men) != Fit::Well)
        };
        if !(look.patient || look.forced) || self.over.is_some() || !lost(groups) {
            self.memory.lost_looks = 0;
            return false;
        }
        let memory = &mut self.memory;
        let told = Some(marginals.likeliest());
        let is_due = memory.lost_looks.is_multiple_of(DEEP_EVERY) || memory.searched != told;
        if is_due {
            memory.searched = told;
        }
        memory.lost_looks = memory.lost_looks.wrapping_add(1);
        is_due
    }

    /// The look without what the likeliest story explains, where that is a ply.
    fn opened<'a>(&self, weighed: &Weighing, evidence: &'a dyn Evidence) -> Option<Box<dyn Evidence + 'a>> {
        let Weighed { hypothesis, .. } = weighed.groups.first()?.members.first()?;
        if self.is_ply(&hypothesis.story) { evidence.without_hand(&hypothesis.men) } else { None }
    }

    /// Is the likeliest story none of a clear picture in which one ply was played, or nothing happened?
    fn is_odd(&self, weighed: &Weighing, evidence: &dyn Evidence) -> bool {
        let Some(best) = weighed.groups.first().and_then(|group| group.members.first()) else { return false };
        best.hypothesis.prior < USUAL || !self.memory.usual_clutter.is_clear(evidence.residue(&best.hypothesis.men))
    }

    /// Is the likeliest story one ply that no hand holds, as sure as it needs to be with a hand over the board?
    fn is_one_clear_ply(&self, weighed: &Weighing, evidence: &dyn Evidence, marginals: &Marginals, look: Look) -> bool {
        let Some((group, rivals)) = weighed.groups.split_first() else { return false };
        let Some(Weighed { hypothesis, .. }) = group.members.first() else { return false };
        let needed = needed(look, HAND_DOUBT);
        self.is_ply(&hypothesis.story)
            && begun(group, rivals, &hypothesis.story, evidence.hidden()) >= needed
            && !evidence.held(&hypothesis.men, Bitboard::FULL)
            && fit(evidence, marginals, &hypothesis.men) == Fit::Well
    }

    /// Is it that the game went on by one ply?
    fn is_ply(&self, story: &Story) -> bool {
        self.new_plies(story).is_some_and(|plies| plies.len() == 1)
    }

    /// Lines that look alike differ in the order of their plies; what the last look suggested came first.
    fn prefer_hinted(&self, best: &mut Group) {
        let Some(Stage { plies: suggested, .. }) = self.memory.stages.suggested() else { return };
        let len = self.line.len();
        best.share(|hypothesis| match &hypothesis.story {
            Story::Line { keep, moves, .. } if *keep == len && moves.starts_with(suggested) => {
                Some(SUGGESTED_FIRST.ln())
            }
            _ => Some(0.0),
        });
    }

    /// Lines of several plies that look alike are as likely as people play their plies one after the other.
    fn prefer_plausible(&self, best: &mut Group) {
        if best.members.len() < 2 {
            return;
        }
        best.share(|hypothesis| match &hypothesis.story {
            Story::Line { keep, moves, .. } if moves.len() > 1 => {
                let log = plausible::log_probability(self.line.position_after(*keep), self.line.last_of(*keep), moves);
                Some(log - moves.len() as f64 * ONE_OF_THE_MOVES)
            }
            _ => None,
        });
    }

    /// The likeliest line's plies are told in their likeliest order: few of all orders were proposed.
    fn order(&self, best: &mut Group) {
        let (position, last) = (self.line.position(), self.line.last_of(self.line.len()));
        if let Some(Weighed { hypothesis: Hypothesis { story: Story::Line { keep, moves, over: None }, .. }, .. }) =
            best.members.first_mut()
            && *keep == self.line.len()
        {
            *moves = orders::likeliest(position, last, moves, &self.memory.stages.of(moves));
        }
    }

    /// A man in the air needs a hand that holds it: in a clear picture moves are seldom half made.
    fn lifted_without_hand(&self, groups: &mut [Group], evidence: &dyn Evidence) {
        let Some(best) = groups.first().and_then(|group| group.members.first()) else { return };
        if !self.memory.usual_clutter.is_clear(evidence.clutter(&best.hypothesis.men)) {
            return;
        }
        for member in groups.iter_mut().flat_map(|group| &mut group.members) {
            if matches!(member.hypothesis.story, Story::Making { .. }) {
                member.probability *= LIFTED_WITHOUT_HAND;
            }
        }
        let total: f64 = groups.iter().flat_map(|group| &group.members).map(|m| m.probability).sum();
        for group in groups.iter_mut() {
            for member in &mut group.members {
                member.probability /= total;
            }
            group.members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            group.probability = group.members.iter().map(|m| m.probability).sum();
        }
        groups.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }

    /// Does a look whose likeliest story is this one say anything of lines? One at what no line leads to, a man in the air, an
    /// illegal change, does not.
    fn says_of_lines(&self, best: &Group) -> bool {
        match best.members.first().map(|m| &m.hypothesis.story) {
            Some(Story::Line { over: None, .. }) => true,
            Some(Story::Standing) => &self.standing == self.line.position().board(),
            _ => false,
        }
    }

    /// What looks have shown goes on to the next one, whatever is decided, unless something hid a part of the board.
    fn remember_shown(&mut self, best: &Group, rivals: &[Group], marginals: &Marginals, evidence: &dyn Evidence) {
        if evidence.hidden().any() {
            self.memory.suspicions.forget();
            return;
        }
        let standing = evidence.log_likelihood(&self.standing);
        let members = std::iter::once(best).chain(rivals).flat_map(|group| &group.members);
        let weighed = members.map(|Weighed { hypothesis: Hypothesis { men, prior, .. }, log_likelihood, .. }| {
            suspicions::Weighed { men, prior: *prior, says: log_likelihood - standing }
        });
        self.memory.suspicions.after(weighed, &self.standing, marginals);
    }

    /// What a look said of every line, measured against the game's own `before` it.
    fn carried_over(
        &self,
        before: &Line,
        best: &Group,
        rivals: &[Group],
        evidence: &dyn Evidence,
    ) -> Vec<beliefs::Belief> {
        // Whatever an arm seems to show, it may be the arm.
        let most = if evidence.hidden().any() { -HAND_SUPPOSED } else { f64::INFINITY };
        let standing = evidence.log_likelihood(before.position().board());
        let weighed = weighed_lines(before, || std::iter::once(best).chain(rivals), standing, most);
        beliefs::after(before, &self.line, weighed, &self.memory.beliefs)
    }
}
