//! Lines of play besides the single legal ply: several plies, another last one, take-backs, other lines that look alike.

use shakmaty::{Chess, Move, Position as _};

use super::{
    super::{
        beliefs::{SWITCH, carried},
        line::Line,
        search::{self, Limits},
    },
    Known, PLY, Pool, Story, after, promotion_prior,
};

/// Each further ply in the same look: one picture in twenty is missed, times the moves to choose from.
const FURTHER_PLY: f64 = -6.5;
/// Taking back is rare, and rarer the further back.
const TAKE_BACK: f64 = -7.0;
const TAKE_BACK_FURTHER: f64 = -1.5;
/// The man that moved last goes on before the hand lets go for good, or the rook was moved first in castling.
const SAME_MAN: f64 = -6.0;
/// The last ply was misunderstood, or replaced by another man's.
const OTHER_MAN: f64 = -10.0;
/// Plies that may have been misunderstood together, and the price of each after the first.
const REWOUND: usize = 3;
const REWOUND_FURTHER: f64 = -2.0;
/// Nats below the best line from which another one is not weighed: one ply more may leave nothing to see.
const SLACK: f64 = 9.0;
/// Lines of one search that are weighed: other orders of the same plies among them.
const LINES: usize = 48;
/// Positions expanded in the search for lines of several plies.
const EXPANSIONS: usize = 400;
/// The same when the game is lost: some 30 ms, spent seldom.
const EXPANSIONS_DEEP: usize = 4000;
/// Of the lines that looks suggested, those from which several plies are searched for; from all others one may follow.
const BELIEFS_SEARCHED: usize = 4;
/// Of either, those from which long lines are searched for when the game is lost.
const DEEP_FROM: usize = 2;
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
pub(super) fn other_last_ply(pool: &mut Pool<'_>, line: &Line, over: bool) {
    let Some(last) = line.plies().last() else { return };
    let keep = line.len() - 1;
    let before = line.position_after(keep);
    for mv in before.legal_moves() {
        if mv == last.mv {
            continue;
        }
        let rook_first =
            matches!((mv, last.mv), (Move::Castle { rook, .. }, Move::Normal { from, .. }) if rook == from);
        let same_man = mv.from() == last.mv.from() || rook_first;
        let prior = if same_man { SAME_MAN } else { OTHER_MAN } + promotion_prior(mv);
        pool.rank(after(before, mv), prior, Story::Line { keep, moves: vec![mv], over: None });
    }
    if !over {
        let most = line.len().min(REWOUND);
        for back in 1..=most {
            rewound(pool, line, back);
        }
    }
}

/// The last `back` plies were others, one more or one less: a hand was taken for a man.
fn rewound(pool: &mut Pool<'_>, line: &Line, back: usize) {
    let keep = line.len() - back;
    let limits = limits(if back == 1 { 2 } else { 1 }, back + 1, EXPANSIONS / 4);
    for found in search::lines(line.position_after(keep), pool.base, pool.marginals, pool.best, limits) {
        if found.moves.first() != line.plies().get(keep).map(|p| &p.mv) {
            let prior = OTHER_MAN
                + REWOUND_FURTHER * (back - 1) as f64
                + FURTHER_PLY * (found.moves.len() - 1) as f64
                + found.moves.iter().map(|mv| promotion_prior(*mv)).sum::<f64>();
            let story = Story::Line { keep, moves: found.moves, over: None };
            pool.rank(found.position.board().clone(), prior, story);
        }
    }
}

/// Lines that have looked the same until now: the picture may know kinds of men, or a move is possible only there.
pub(super) fn other_lines(pool: &mut Pool<'_>, known: &Known<'_>, deep: bool) {
    for (number, alternative) in known.alternatives.iter().enumerate() {
        let prior = alternative.log_odds.min(0.0) + SWITCH;
        let reaches = reaches(EXPANSIONS / 8, deep && number < DEEP_FROM);
        other_line(pool, known, (&alternative.moves, &alternative.position), (prior, 0.0), reaches);
    }
}

/// Lines that the last looks suggested, and play that went on from them.
pub(super) fn believed(pool: &mut Pool<'_>, known: &Known<'_>, deep: bool) {
    for (number, (belief, prior, remembered)) in carried(known.beliefs).enumerate() {
        let expansions = if number < BELIEFS_SEARCHED { EXPANSIONS / 4 } else { 0 };
        let reaches = reaches(expansions, deep && number < DEEP_FROM);
        other_line(pool, known, (&belief.moves, &belief.position), (prior, remembered), reaches);
    }
}

/// Another line than the game's, whose prior this is, and every way in which play goes on from where it leads.
/// `remembered` is the part of the prior that earlier looks said.
fn other_line(
    pool: &mut Pool<'_>,
    known: &Known<'_>,
    (moves, position): (&[Move], &Chess),
    (prior, remembered): (f64, f64),
    (plies, expansions): (usize, usize),
) {
    let keep = known.line.common(moves);
    let own = &moves[keep..];
    let story = |more: &[Move]| Story::Line { keep, moves: own.iter().chain(more).copied().collect(), over: None };
    pool.rank_again(position.board().clone(), prior, remembered, story(&[]));
    if known.over {
        return;
    }
    // What was told is not revised for a man who went and came back: nobody can say that he did.
    let revised = if keep < known.line.len() { own } else { &[] };
    let undone = |mv: &Move| revised.iter().any(|other| search::undoes(*mv, *other));
    for mv in position.legal_moves().into_iter().filter(|mv| !undone(mv)) {
        pool.rank_again(after(position, mv), prior + PLY + promotion_prior(mv), remembered, story(&[mv]));
    }
    if expansions == 0 {
        return;
    }
    let limits = limits(2, plies, expansions);
    let found = search::lines(position, pool.base, pool.marginals, pool.best - prior, limits);
    for found in found.into_iter().filter(|found| !found.moves.iter().any(undone)) {
        let prior = prior + several_prior(&found.moves);
        pool.rank_again(found.position.board().clone(), prior, remembered, story(&found.moves));
    }
}

/// How many plies are searched for from another line than the game's, and in how many positions.
fn reaches(expansions: usize, deep: bool) -> (usize, usize) {
    if deep { (MAX_PLIES_DEEP, EXPANSIONS_DEEP / 4) } else { (MAX_PLIES, expansions) }
}

/// Prior of several plies in one look.
fn several_prior(moves: &[Move]) -> f64 {
    PLY + (moves.len() - 1) as f64 * FURTHER_PLY + moves.iter().map(|&m| promotion_prior(m)).sum::<f64>()
}

/// Limits of a search.
const fn limits(min_plies: usize, max_plies: usize, expansions: usize) -> Limits {
    Limits { min_plies, max_plies, expansions, lines: LINES, ply_prior: FURTHER_PLY, slack: SLACK }
}

/// Pictures were missed: two plies and more since the last look.
pub(super) fn several_plies(pool: &mut Pool<'_>, line: &Line, deep: bool) {
    let (plies, expansions) = if deep { (MAX_PLIES_DEEP, EXPANSIONS_DEEP) } else { (MAX_PLIES, EXPANSIONS) };
    let limits = limits(2, plies, expansions);
    let found = search::lines(line.position(), pool.base, pool.marginals, pool.best, limits);
    let whole = pool.marginals.gain_of_all(pool.base);
    let gain = |found: &search::Found| pool.marginals.gain(found.position.board(), pool.base);
    pool.explained = found.first().is_some_and(|best| gain(best) >= whole - search::EXPLAINED);
    for found in found {
        let prior = several_prior(&found.moves);
        let story = Story::Line { keep: line.len(), moves: found.moves, over: None };
        pool.rank(found.position.board().clone(), prior, story);
    }
}
