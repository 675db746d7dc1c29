//! What may have happened between two looks: placements of men with the story behind each and its prior.
//!
//! Priors are natural logarithms relative to "nothing has changed". They are rough on purpose: a square that shows
//! its content decides by tens of nats, priors only break ties in the direction of what people do at a board.

mod ends;
mod lines;
mod making;
mod unlawful;

use std::collections::{HashMap, HashSet};

use shakmaty::{Board, Chess, KnownOutcome, Move, Piece, Position as _, Role, Square};

use super::{
    alternatives::Alternative,
    beliefs::{Belief, Remembered},
    line::Line,
    marginals::Marginals,
    pace::Pace,
    suspicions::Suspicions,
};
pub(super) use making::{castled, changed};

/// ln of how likely it is that a ply was made which was announced and then hidden for long, against that nothing was done:
/// arms fail, drop men, and wait in a few of a thousand moves. With what else may have happened out of sight, 0.98 to 0.99
/// are left.
const GIVEN_WORD: f64 = 5.0;

/// One legal ply: about half of the looks after a disturbance show one, spread over some 35 moves.
pub(super) const PLY: f64 = -4.0;
/// Of a hundred pawns on the last rank 97 become queens, about two knights, one a rook, and one in five hundred a
/// bishop (counted in large collections of games).
const TO_KNIGHT: f64 = -4.0;
const TO_ROOK: f64 = -4.5;
const TO_BISHOP: f64 = -6.2;
/// From an illegal placement that was told, back to the legal position.
const RESTORED: f64 = -2.0;

/// Placements, besides the single legal plies, that are scored in full: the best by their marginals. With at most 218
/// legal plies a look costs fewer than 500 full scores.
const SHORTLIST: usize = 240;
/// Nats below the best by the marginals from which a placement is not scored at all. The marginals know nothing of men
/// that hide each other, so the margin is wide.
const HOPELESS: f64 = 40.0;
/// Illegal placements among them.
const SHORTLIST_ILLEGAL: usize = 60;

/// What happened, in a hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Story {
    /// Nothing: what stood there stands there.
    Standing,
    /// The game is its first `keep` plies and then `moves`. This is a move, several, a take-back, another last move,
    /// or an illegal change put right, whichever the old game makes of it. `over` when the kings tell a result.
    Line { keep: usize, moves: Vec<Move>, over: Option<KnownOutcome> },
    /// The men were set up for a new game, and its first ply may have been played already.
    NewGame { played: Option<Move> },
    /// A move is being made: wait. `lifted` names the man in the air, when there is one and nothing else has changed.
    Making { lifted: Option<Square> },
    /// A pawn stands on the last rank: wait as well, but not for ever.
    Unpromoted,
    /// What no rule allows.
    Illegal,
    /// Whatever the squares say one by one.
    Anything,
}

impl Story {
    /// Does no line of play lead to it, and is it no move that a hand is about to finish?
    pub const fn is_suspicion(&self) -> bool {
        matches!(self, Self::Illegal | Self::Unpromoted | Self::Anything)
    }
}

/// A placement, how likely it was before looking, and why it would stand there.
#[derive(Debug, Clone)]
pub(super) struct Hypothesis {
    pub men: Board,
    pub prior: f64,
    /// What earlier looks said.
    pub remembered: Remembered,
    pub story: Story,
}

/// What the game knows before the look.
pub(super) struct Known<'a> {
    pub line: &'a Line,
    pub standing: &'a Board,
    /// Other lines that look the same so far.
    pub(super) alternatives: &'a [Alternative],
    /// Lines that the last looks suggested.
    pub(super) beliefs: &'a [Belief],
    /// What no line leads to, and looks have shown.
    pub(super) suspicions: &'a Suspicions,
    /// The game has a result: moves are no longer expected.
    pub over: bool,
    /// How many plies a look brings.
    pub pace: &'a Pace,
    /// So many of the line's first plies have been seen to stand: their men were let go.
    pub(super) stood: usize,
    /// The ply that counts on the word of who announced it.
    pub(super) given_word: Option<Move>,
}

/// Collects placements.
struct Pool<'a> {
    marginals: &'a Marginals,
    base: &'a Board,
    /// Placements with a story that is no line of play.
    seen: HashSet<Board>,
    kept: Vec<Hypothesis>,
    ranked: Vec<(f64, Hypothesis)>,
    /// Estimate of the best placement so far.
    best: f64,
}

/// A placement that others are made from, and its estimated gain over the pool's base.
struct Origin<'a> {
    men: &'a Board,
    gain: f64,
}

impl Pool<'_> {
    /// Scored in full whatever the marginals say.
    /// What a legal ply explains needs no story without moves: it would only take a share of the confidence.
    fn keep(&mut self, men: Board, prior: f64, story: Story) {
        self.seen.insert(men.clone());
        self.best = self.best.max(self.marginals.gain(&men, self.base) + prior);
        self.kept.push(Hypothesis { men, prior, remembered: Remembered::default(), story });
    }

    /// Is a placement with this estimate not worth scoring?
    fn hopeless(&self, estimate: f64) -> bool {
        estimate < self.best - HOPELESS
    }

    /// Scored in full when it is among the best. Of several stories without moves the first one stands for all.
    fn rank(&mut self, men: Board, prior: f64, story: Story) {
        self.rank_again(men, prior, Remembered::default(), story);
    }

    /// Is it not worth scoring to empty some squares of a placement and to put men down on others?
    fn hopeless_change(&self, of: &Origin<'_>, emptied: &[Square], put: &[(Square, Piece)], prior: f64) -> bool {
        self.hopeless(of.gain + self.marginals.change(of.men, emptied, put) + prior)
    }

    /// The same as [`rank`](Self::rank) for such a change. Most of what could be done on a board is hopeless: its placement
    /// is made only where it is not.
    fn rank_changed(&mut self, of: &Origin<'_>, emptied: &[Square], put: &[(Square, Piece)], prior: f64, story: Story) {
        if !self.hopeless_change(of, emptied, put, prior) {
            self.rank(changed(of.men, emptied, put), prior, story);
        }
    }

    /// A placement that others are made from.
    fn origin<'m>(&self, men: &'m Board) -> Origin<'m> {
        Origin { men, gain: self.marginals.gain(men, self.base) }
    }

    /// The same where earlier looks have said something, of which the prior knows.
    fn rank_again(&mut self, men: Board, prior: f64, remembered: Remembered, story: Story) {
        let estimate = self.marginals.gain(&men, self.base) + prior;
        if self.hopeless(estimate) {
            return;
        }
        self.best = self.best.max(estimate);
        if !matches!(story, Story::Line { .. }) && !self.seen.insert(men.clone()) {
            return;
        }
        self.ranked.push((estimate, Hypothesis { men, prior, remembered, story }));
    }
}

/// Every story worth a full score, at most [`SHORTLIST`] besides the legal plies. `deep` looks for lines of up
/// to eight plies: the way back after many missed pictures.
pub(super) fn all(known: &Known<'_>, marginals: &Marginals, deep: bool) -> Vec<Hypothesis> {
    let line = known.line;
    let legal = line.position();
    let mut pool = Pool {
        marginals,
        base: legal.board(),
        seen: HashSet::new(),
        kept: Vec::new(),
        ranked: Vec::new(),
        best: f64::NEG_INFINITY,
    };
    pool.keep(known.standing.clone(), 0.0, Story::Standing);
    if known.standing != legal.board() && !known.over {
        let story = Story::Line { keep: line.len(), moves: Vec::new(), over: None };
        pool.keep(legal.board().clone(), RESTORED, story);
    }
    if !known.over {
        for mv in legal.legal_moves() {
            let story = Story::Line { keep: line.len(), moves: vec![mv], over: None };
            let prior = if known.given_word == Some(mv) { GIVEN_WORD } else { PLY + promotion_prior(mv) };
            pool.keep(after(legal, mv), prior, story);
        }
        making::reply_begun(&mut pool, line);
    }
    lines::take_backs(&mut pool, line);
    lines::other_last_ply(&mut pool, known);
    lines::other_lines(&mut pool, known);
    if !known.over {
        lines::several_plies(&mut pool, known, deep);
    }
    making::making(&mut pool, known);
    ends::one_king_in_the_centre(&mut pool, known);
    ends::centre(&mut pool, known);
    ends::new_game(&mut pool, known);
    if !known.over {
        unlawful::illegal(&mut pool, legal);
    }
    unlawful::anything(&mut pool, known.standing);
    let Pool { mut kept, mut ranked, .. } = pool;
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut illegal_left = SHORTLIST_ILLEGAL;
    ranked.retain(|(_, h)| {
        h.story != Story::Illegal || {
            illegal_left = illegal_left.saturating_sub(1);
            illegal_left > 0
        }
    });
    kept.extend(ranked.into_iter().take(SHORTLIST).map(|(_, h)| h));
    suspect(&mut kept, known, marginals);
    if !known.beliefs.is_empty() {
        once(&mut kept);
    }
    kept
}

/// What no line of play leads to is likelier by what earlier looks say for it, less what they say for anything likelier. As of lines, none
/// is likelier than that nothing has changed: the last look must show what is told as well.
fn suspect(hypotheses: &mut [Hypothesis], known: &Known<'_>, marginals: &Marginals) {
    if known.suspicions.is_empty() {
        return;
    }
    let look = known.suspicions.at(known.standing, marginals);
    let carried: Vec<f64> = hypotheses.iter().map(|h| look.carried(&h.men)).collect();
    let prior = |(h, said): (&Hypothesis, &f64)| h.prior - h.remembered.weight + said;
    let best = hypotheses.iter().zip(&carried).map(prior).fold(0.0, f64::max);
    for (h, said) in hypotheses.iter_mut().zip(carried).filter(|(h, _)| h.story.is_suspicion()) {
        h.prior += (said - best).max(0.0);
    }
}

/// A line that was come upon in several ways counts once, with the likeliest of its priors.
fn once(hypotheses: &mut Vec<Hypothesis>) {
    let key = |h: &Hypothesis| match &h.story {
        Story::Line { keep, moves, over: None } => Some((*keep, moves.clone())),
        _ => None,
    };
    let mut best: HashMap<(usize, Vec<Move>), f64> = HashMap::new();
    for h in hypotheses.iter() {
        if let Some(key) = key(h) {
            let prior = best.entry(key).or_insert(f64::NEG_INFINITY);
            *prior = prior.max(h.prior);
        }
    }
    hypotheses.retain(|h| {
        key(h).is_none_or(|key| {
            let first = best.get(&key) == Some(&h.prior);
            if first {
                best.remove(&key);
            }
            first
        })
    });
}

fn after(position: &Chess, mv: Move) -> Board {
    let mut next = position.clone();
    next.play_unchecked(mv);
    next.board().clone()
}

/// ln of how likely the kind is that a pawn becomes, against a queen; 0 for all other moves.
pub(super) fn promotion_prior(mv: Move) -> f64 {
    match mv.promotion() {
        Some(Role::Knight) => TO_KNIGHT,
        Some(Role::Rook) => TO_ROOK,
        Some(Role::Bishop) => TO_BISHOP,
        _ => 0.0,
    }
}
