//! Lines of play besides the single legal ply: several plies, another last one, take-backs, other lines that look alike.

use shakmaty::{Chess, Move, Position as _};

use super::{
    super::{
        beliefs::{Remembered, SWITCH, carried},
        line::Line,
        pace::Pace,
        replaced,
        search::{self, Limits, Root},
    },
    Known, PLY, Pool, Story, after, promotion_prior,
};

/// Taking back is rare, and rarer the further back.
const TAKE_BACK: f64 = -7.0;
const TAKE_BACK_FURTHER: f64 = -1.5;
/// Plies that may have been misunderstood together, and the price of each after the first.
const REWOUND: usize = 3;
const REWOUND_FURTHER: f64 = -2.0;
/// Nats below the best line from which another one is not weighed: one ply more may leave nothing to see.
const SLACK: f64 = 9.0;
/// Lines of several plies that are weighed: other orders of the same plies among them.
const LINES: usize = 96;
/// Positions expanded in the search for them.
const EXPANSIONS: usize = 600;
/// The same when the game is lost: some 40 ms, spent seldom. Twice as many found no line more.
const EXPANSIONS_DEEP: usize = 2000;
/// Of the lines that looks suggested, those from which several plies are searched for; from all others one may follow.
const BELIEFS_SEARCHED: usize = 32;
/// Of either, those from which long lines are searched for when the game is lost.
const DEEP_FROM: usize = 4;
/// Most plies that one look can add.
const MAX_PLIES: usize = 4;
/// Most plies that are searched for when the game is lost.
const MAX_PLIES_DEEP: usize = 8;

pub(super) fn take_backs(pool: &mut Pool<'_>, line: &Line) {
    for back in 1..=line.len() {
        let keep = line.len() - back;
        let prior = TAKE_BACK + TAKE_BACK_FURTHER * (back - 1) as f64;
        let men = line.position_after(keep).board().clone();
        pool.rank(men, prior, Story::Line { keep, moves: Vec::new(), over: None });
    }
}

/// The last ply was another one: its man went on, castling began with the rook, or it was misunderstood.
pub(super) fn other_last_ply(pool: &mut Pool<'_>, known: &Known<'_>) {
    let line = known.line;
    let Some(last) = line.plies().last() else { return };
    let keep = line.len() - 1;
    let before = line.position_after(keep);
    for mv in before.legal_moves() {
        let Some(prior) = replaced::prior(mv, last.mv, keep < known.stood) else { continue };
        let story = Story::Line { keep, moves: vec![mv], over: None };
        pool.rank(after(before, mv), prior + promotion_prior(mv), story);
    }
}

/// Lines that have looked the same until now: the picture may know kinds of men, or a move is possible only there. Lines that
/// the last looks suggested. Each as it is, and with a ply more.
pub(super) fn other_lines(pool: &mut Pool<'_>, known: &Known<'_>) {
    for other in others(known) {
        let own = &other.moves[other.keep..];
        let story = |more: &[Move]| Story::Line {
            keep: other.keep,
            moves: own.iter().chain(more).copied().collect(),
            over: None,
        };
        let men = other.position.board();
        pool.rank_again(men.clone(), other.prior, other.remembered, story(&[]));
        if known.over {
            continue;
        }
        let ply = PLY + Pace::played_within(other.age_s);
        let estimate = pool.marginals.gain(men, pool.base) + other.prior + ply;
        let done = other.done(known.line);
        for mv in other.position.legal_moves() {
            // Most are hopeless: the placement is made of those that are not.
            if pool.hopeless(estimate + pool.marginals.step(men, mv))
                || search::comes_back(mv, done.iter().rev().copied())
            {
                continue;
            }
            let prior = other.prior + ply + promotion_prior(mv);
            pool.rank_again(after(other.position, mv), prior, other.remembered, story(&[mv]));
        }
    }
}

/// Another line than the game's.
struct Other<'a> {
    /// Plies that it shares with the game.
    keep: usize,
    moves: &'a [Move],
    position: &'a Chess,
    prior: f64,
    remembered: Remembered,
    /// How long ago it was first suggested, in seconds.
    age_s: f64,
}

impl<'a> Other<'a> {
    /// What was told is not revised for a man who went and came back: nobody can say that he did.
    fn done(&self, line: &Line) -> &'a [Move] {
        if self.keep < line.len() { &self.moves[self.keep..] } else { &[] }
    }
}

/// Lines that look alike, then those that looks suggested, each group the likeliest first.
fn others<'a>(known: &Known<'a>) -> impl Iterator<Item = Other<'a>> {
    let line = known.line;
    let of = move |moves: &'a [Move], position, prior, remembered, age_s| Other {
        keep: line.common(moves),
        moves,
        position,
        prior,
        remembered,
        age_s,
    };
    let alike = known
        .alternatives
        .iter()
        .map(move |a| of(&a.moves, &a.position, a.log_odds.min(0.0) + SWITCH, Remembered::default(), f64::INFINITY));
    let believed =
        carried(known.beliefs).map(move |(b, prior, remembered)| of(&b.moves, &b.position, prior, remembered, b.age_s));
    alike.chain(believed)
}

/// A position that several plies are searched from, and the line that leads to it.
struct Lead<'a> {
    keep: usize,
    own: &'a [Move],
    remembered: Remembered,
    root: Root<'a>,
}

/// Pictures were missed: two plies and more since the last look, from where the game stands, from where other lines lead, and
/// from earlier positions, for the last plies may have been others. `deep` looks for the way back of a lost game.
pub(super) fn several_plies(pool: &mut Pool<'_>, known: &Known<'_>, deep: bool) {
    let line = known.line;
    let most = if deep { MAX_PLIES_DEEP } else { MAX_PLIES };
    // The first of several plies is likelier than those that follow.
    let further_ply = known.pace.further_ply();
    let first = |age_s: f64| PLY + Pace::played_within(age_s) - further_ply;
    let here = Root {
        position: line.position(),
        prior: first(f64::INFINITY),
        min_plies: 2,
        max_plies: most,
        done: &[],
        told: &[],
        let_go: false,
    };
    let mut leads = vec![Lead { keep: line.len(), own: &[], remembered: Remembered::default(), root: here }];
    let alike = known.alternatives.len();
    for (number, other) in others(known).take(alike + BELIEFS_SEARCHED).enumerate() {
        let number = if number < alike { number } else { number - alike };
        let max_plies = if number < DEEP_FROM { most } else { MAX_PLIES };
        let done = other.done(line);
        let prior = other.prior + first(other.age_s);
        let root = Root { position: other.position, prior, min_plies: 2, max_plies, done, told: &[], let_go: false };
        leads.push(Lead { keep: other.keep, own: &other.moves[other.keep..], remembered: other.remembered, root });
    }
    // One of the last plies was another one, or all from there on, one more or one less: a hand was taken for a man.
    for back in 1..=line.len().min(REWOUND) {
        let keep = line.len() - back;
        let root = Root {
            position: line.position_after(keep),
            prior: REWOUND_FURTHER * (back - 1) as f64 - further_ply,
            min_plies: if back == 1 { 2 } else { 1 },
            max_plies: back + 1,
            done: &[],
            told: &line.plies()[keep..],
            let_go: keep < known.stood,
        };
        leads.push(Lead { keep, own: &[], remembered: Remembered::default(), root });
    }
    let roots: Vec<Root<'_>> = leads.iter().map(|lead| lead.root.clone()).collect();
    let expansions = if deep { EXPANSIONS_DEEP } else { EXPANSIONS };
    let limits = Limits { expansions, lines: LINES, ply_prior: further_ply, slack: SLACK };
    for found in search::lines(&roots, pool.base, pool.marginals, pool.best, limits) {
        let Lead { keep, own, remembered, .. } = &leads[found.root];
        let promotions: f64 = found.moves.iter().map(|&mv| promotion_prior(mv)).sum();
        let moves = own.iter().chain(&found.moves).copied().collect();
        let story = Story::Line { keep: *keep, moves, over: None };
        pool.rank_again(found.position.board().clone(), found.prior + promotions, *remembered, story);
    }
}
