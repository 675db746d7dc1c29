//! How sure is a look's likeliest story, and is that enough to act on it?
//!
//! The posterior compares only what was proposed. So a story is held back where the picture leaves a changed square
//! unexplained, where a hand still holds what it changed, and where one square disagrees clearly with it; and the doubt that
//! is left to it is smaller while anything foreign is in view.

use shakmaty::{Bitboard, Board, Move, Position as _};

use super::{
    Game, Look,
    difference::difference,
    evidence::Evidence,
    fit::{Fit, Fitting},
    hypotheses::Story,
    taken::took_its_own,
    trust::{self, Sighting},
    weighing::{Group, SUREST, Weighed},
};

/// Who asks for more confidence than this has to do with it: hardly any look gives more, and silence
/// would be worse.
const MOST_ASKED: f64 = 0.99;
/// Seconds without an understood look in which the odds that are asked for fall by half: two plies of a blitz game.
const PATIENCE_S: f64 = 2.0;
/// Nobody waits so long that less than this is told: one in ten of such plies is wrong.
const LEAST_ASKED: f64 = 0.9;
/// How much smaller the doubt must be while something unexplained is elsewhere on the board.
const CLUTTERED_DOUBT: f64 = 0.1;
/// The same with a hand over the board: the man that is missing may be in it. A hundredth of the doubt told three moves in a
/// hundred later, and no fewer wrong ones.
pub(super) const HAND_DOUBT: f64 = 0.05;
/// Unexplained squares elsewhere beyond which nothing is decided: an arm over the board.
const CLUTTER_MAX: usize = 12;
/// ln of the odds, before a look, from which what earlier looks have shown is about as likely as what stood there: as good as a look
/// that showed it.
const AS_LIKELY: f64 = -1.0;
/// When somebody says "now", the likeliest explanation is taken if it is likelier than all others together.
pub(super) const FORCED_CONFIDENCE: f64 = 0.5;
/// Probability of a line from which on those that go on from it count for it. Below that too few of the others were weighed.
const MOSTLY: f64 = 0.8;

/// A look's likeliest story, and what it would take to act on it.
pub(super) struct Decision<'a> {
    /// The story, with what was weighed.
    pub first: &'a Weighed,
    /// Squares on which it differs from what stood there.
    pub changed: Bitboard,
    /// Squares of which the picture tells nothing.
    pub hidden: Bitboard,
    /// Other squares that the story leaves unexplained.
    pub unexplained: Bitboard,
    /// How much of the picture is foreign to it, in squares.
    pub clutter: f64,
    /// How much better the squares explain the look, one by one, in nats.
    pub misfit: f64,
    /// Its posterior, with that of all lines that go on from it.
    pub posterior: f64,
    /// How plies were seen that go on from the game; `None` for other stories.
    pub sighting: Option<Sighting>,
    /// The probability that it is right, as it was seen.
    pub confidence: f64,
    /// The confidence that it needs.
    pub needed: f64,
    /// A hand holds what it changed, or the picture does not explain that.
    pub covered: bool,
    /// No square disagrees clearly.
    pub fits: bool,
    /// Nothing covers it, and its posterior is as high as it needs.
    pub shown: bool,
    /// Nothing foreign is in the picture.
    pub clean: bool,
    /// What was foreign in one of two looks is not in the other one: every square has shown what these men explain.
    pub(super) all_seen: bool,
    /// It is the ply of somebody on whose word it counts.
    pub(super) given_word: bool,
    /// It may be acted on.
    pub sure: bool,
}

impl Decision<'_> {
    pub fn story(&self) -> &Story {
        &self.first.hypothesis.story
    }
}

impl Game {
    /// How sure the likeliest story of a look is.
    pub(super) fn judged<'a>(
        &self,
        best: &'a Group,
        rivals: &[Group],
        evidence: &dyn Evidence,
        look: Look,
        fitting: Fitting,
    ) -> Option<Decision<'a>> {
        let first = self.shown_by(best, evidence, look)?;
        let (men, story) = (&first.hypothesis.men, &first.hypothesis.story);
        let changed = difference(men, &self.standing);
        let hidden = evidence.hidden();
        let unexplained = evidence.unexplained(men) & !hidden;
        // Who announced it has been waited for: the man that is missing is where he said.
        let given_word = self.is_given_word(story);
        let held = evidence.held(men, self.changed_since_shown(story, men)) && !given_word;
        let clean = (unexplained | hidden).is_empty();
        let doubt = if given_word || clean {
            1.0
        } else if hidden.any() {
            HAND_DOUBT
        } else {
            CLUTTERED_DOUBT
        };
        let needed = if look.forced { FORCED_CONFIDENCE } else { needed(look, doubt) };
        let mut posterior = begun(best, rivals, story, hidden);
        if *story == Story::Illegal {
            let said = evidence.log_likelihood(men) - evidence.log_likelihood(&self.standing);
            posterior = discounted(posterior, said, fitting.misfit_of_several);
        }
        let covered = (unexplained & changed).any() || held || unexplained.count() > CLUTTER_MAX;
        let fits = fitting.fit == Fit::Well;
        let mut decision = Decision {
            first,
            changed,
            hidden,
            unexplained,
            clutter: evidence.residue(men),
            misfit: fitting.misfit,
            posterior,
            sighting: None,
            confidence: posterior,
            needed,
            covered,
            fits,
            shown: posterior >= needed && !covered && fits,
            clean,
            all_seen: false,
            given_word,
            sure: false,
        };
        if self.new_plies(story).is_some() && !given_word {
            self.judge_line(&mut decision, look, held);
        } else {
            self.judge_other(&mut decision, look);
        }
        Some(decision)
    }

    /// The squares that a story changes. Of a line those left out of a ply that an earlier look has shown with nothing over it: it
    /// was let go of before the next one was played.
    fn changed_since_shown(&self, story: &Story, men: &Board) -> Bitboard {
        let Some(moves) = self.new_plies(story) else { return Bitboard::FULL };
        let mut position = self.line.position().clone();
        let shown = self.memory.stages.clear_plies(moves).min(moves.len() - 1);
        moves[..shown].iter().for_each(|&mv| position.play_unchecked(mv));
        difference(position.board(), men)
    }

    /// The plies of a story by which the game went on; `None` where that is another one.
    pub(super) fn new_plies<'s>(&self, story: &'s Story) -> Option<&'s [Move]> {
        match story {
            Story::Line { keep, moves, over: None } if *keep == self.line.len() && !moves.is_empty() => Some(moves),
            _ => None,
        }
    }

    /// Plies that go on are told where they are as sure as was asked for, no hand holds what they change, and it is not just
    /// passing.
    fn judge_line(&self, decision: &mut Decision<'_>, look: Look, held: bool) {
        let sighting = self.sighting(decision, look);
        decision.sighting = Some(sighting);
        decision.confidence = sighting.probability();
        decision.covered = held;
        if look.forced {
            // Somebody says "now": the likeliest story, if it is likelier than all others together.
            decision.sure = decision.posterior >= FORCED_CONFIDENCE;
        } else {
            decision.needed = self.asked(look, sighting.hand);
            let passed = !(look.passing && sighting.hand) || self.was_suggested(decision.story());
            decision.sure = decision.confidence >= decision.needed && !held && passed;
        }
    }

    /// The confidence that a ply needs now: what was asked for, and less the longer nothing was understood without a hand, for waiting
    /// costs as well, and has brought nothing. A hand is waited for: it leaves, and then the squares tell.
    fn asked(&self, look: Look, hand: bool) -> f64 {
        let asked = look.min_confidence.min(MOST_ASKED);
        let waited_s = self.memory.puzzled.filter(|_| !hand).map_or(0.0, |puzzled| puzzled.waited_s);
        let odds = asked / (1.0 - asked) * 0.5_f64.powf(waited_s / PATIENCE_S);
        (odds / (1.0 + odds)).max(asked.min(LEAST_ASKED))
    }

    /// Did earlier looks suggest it, or what it goes on from?
    fn was_suggested(&self, story: &Story) -> bool {
        let suggested = self.memory.stages.suggested();
        matches!((story, suggested), (Story::Line { moves, .. }, Some(stage)) if moves.starts_with(&stage.plies))
    }

    /// How a line was seen.
    fn sighting(&self, decision: &Decision<'_>, look: Look) -> Sighting {
        let Decision { posterior, hidden, clutter, misfit, .. } = *decision;
        let new = match decision.story() {
            Story::Line { moves, .. } => moves.len() - self.memory.stages.clear_plies(moves),
            _ => 0,
        };
        Sighting {
            log_odds: trust::log_odds(posterior),
            hand: hidden.any(),
            clutter,
            misfit,
            several: new > 1,
            patient: look.patient,
        }
    }

    /// What seldom happens is believed where the picture is clear enough for it, or has shown the same twice.
    fn judge_other(&self, decision: &mut Decision<'_>, look: Look) {
        let Decision { hidden, unexplained, shown, posterior, needed, clutter, .. } = *decision;
        let Weighed { hypothesis, .. } = decision.first;
        let memory = &self.memory;
        // The last look showed it, or all looks so far make it as likely as what stood there.
        let likely = hypothesis.story.is_suspicion() && hypothesis.prior > AS_LIKELY;
        let again = memory.last.as_ref().filter(|last| shown && (likely || last.showed(&hypothesis.men)));
        // What something hid then it does not hide now.
        decision.all_seen = hidden.is_empty() && again.is_some_and(|last| (last.unexplained & unexplained).is_empty());
        // What a passing hand leaves behind is there in the next picture as well.
        let passed = !look.passing || hidden.is_empty() || again.is_some();
        // Who was in doubt wants to see twice what no rule allows.
        let doubted = memory.doubt_told && again.is_none() && hypothesis.story == Story::Illegal;
        let believed = trust::believed(&hypothesis.story, clutter, again.is_some(), &memory.usual_clutter);
        let sees = shown && passed && !doubted && believed;
        // A man that stands next to its squares' edge or a hand's shadow is no obstacle to what somebody asked for.
        decision.sure = if look.forced { posterior >= needed } else { sees };
    }

    /// The story that a group is taken to show: its likeliest, unless another one is to be preferred while that is not as sure
    /// as a move.
    fn shown_by<'a>(&self, best: &'a Group, evidence: &dyn Evidence, look: Look) -> Option<&'a Weighed> {
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
}

/// What no rule allows, and a picture speaks for with `said` nats, counts only by the share of what the picture says that it
/// explains: what deceives several squares elsewhere, by `misfit` nats, may have deceived these as well.
fn discounted(posterior: f64, said: f64, misfit: f64) -> f64 {
    if said > 0.0 { trust::logistic(trust::log_odds(posterior) - said * misfit / (said + misfit)) } else { posterior }
}

/// How sure a story is. Plies that nothing shows, under a hand or behind other men, cannot be told from none: what all these
/// lines begin with is as sure as all of them together.
pub(super) fn begun(best: &Group, rivals: &[Group], story: &Story, hidden: Bitboard) -> f64 {
    let others: f64 = match story {
        Story::Line { keep, moves, over: None }
            if (hidden.any() || best.probability >= MOSTLY) && !moves.is_empty() =>
        {
            let goes_on = |other: &Story| is_begun_with(other, *keep, moves);
            let begins = |m: &&Weighed| goes_on(&m.hypothesis.story);
            rivals.iter().flat_map(|r| &r.members).filter(begins).map(|m| m.probability).sum()
        }
        _ => 0.0,
    };
    best.probability + others
}

/// Is a story a line that keeps as much of the game and begins with these plies?
fn is_begun_with(story: &Story, kept: usize, plies: &[Move]) -> bool {
    matches!(story, Story::Line { keep, moves, over: None } if *keep == kept && moves.starts_with(plies))
}

/// The confidence that a story needs where only this share of the usual doubt is left to it.
pub(super) fn needed(look: Look, doubt: f64) -> f64 {
    1.0 - doubt * (1.0 - look.min_confidence.clamp(0.5, SUREST))
}
