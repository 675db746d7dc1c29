//! Lines of several plies that explain one look: best first, bounded exactly.
//!
//! When pictures are missing, two, three or four plies lie between two looks. There are millions of such lines, and
//! all but a few are hopeless: each ply changes few squares, so what the remaining plies can still gain is bounded by
//! the squares that disagree ([`Reach`](super::marginals::Reach)). The line with the best bound is extended first; the
//! search ends when no bound comes near the best line found, or its budget is spent.
//!
//! There are several positions to go on from, each as likely as it is: where the game stands, where other lines lead, and
//! earlier ones, for the last plies may have been misunderstood. All share one queue, so each gets the time that its
//! promise is worth.

use std::{cmp::Ordering, collections::BinaryHeap};

use shakmaty::{Board, Chess, Color, Move, Position as _};

use super::{line::Ply, marginals::Marginals, replaced};

/// Nats that a line may leave unexplained, all squares together, and be taken for the whole.
pub(super) const EXPLAINED: f64 = 9.0;
/// Positions expanded after the first such line: other orders of its plies.
const AFTERWARDS: usize = 300;

/// A position that is gone on from.
#[derive(Debug, Clone)]
pub(super) struct Root<'a> {
    pub position: &'a Chess,
    /// Its log-prior, to which each ply adds its own.
    pub prior: f64,
    /// Fewest plies of a line that is returned.
    pub(super) min_plies: usize,
    /// Most plies of a line.
    pub(super) max_plies: usize,
    /// What follows does not bring a man back to where one of these took him from.
    pub done: &'a [Move],
    /// What was told to follow: the first of these plies was another one, the others may have been played as they were told.
    pub(super) told: &'a [Ply],
    /// Have pictures shown that the man of the first was let go?
    pub(super) let_go: bool,
}

impl Root<'_> {
    /// The log-prior of a ply, where so many come before it and each that was not told costs so much; `None` where it was told
    /// and was another one.
    fn ply(&self, before: usize, mv: Move, ply_prior: f64) -> Option<f64> {
        match (before, self.told.get(before)) {
            (0, Some(told)) => Some(ply_prior + replaced::prior(mv, told.mv, self.let_go)?),
            (_, Some(told)) if mv == told.mv => Some(0.0),
            _ => Some(ply_prior),
        }
    }

    /// The most that so many plies after so many others may have as their log-prior.
    fn most_of(&self, before: usize, count: usize, ply_prior: f64) -> f64 {
        let as_told = self.told.len().saturating_sub(before.max(1)).min(count);
        let instead = if before == 0 && !self.told.is_empty() { replaced::LIKELIEST } else { 0.0 };
        (count - as_told) as f64 * ply_prior + instead
    }
}

/// How far the search goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Positions whose moves are generated: bounds the time (about 10 µs each).
    pub(super) expansions: usize,
    /// Lines returned.
    pub lines: usize,
    /// Log-prior that each ply costs.
    pub(super) ply_prior: f64,
    /// A line this many nats below the best one is not worth returning.
    pub(super) slack: f64,
}

/// A line with its prior and its estimate: marginal gain over `base` plus that.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Index of the position that it goes on from.
    pub root: usize,
    pub moves: Vec<Move>,
    pub position: Chess,
    /// The log-priors of its root and its plies.
    pub prior: f64,
    pub(crate) estimate: f64,
}

/// A position on the way.
struct Node {
    root: usize,
    position: Chess,
    prior: f64,
    estimate: f64,
    bound: f64,
    depth: usize,
    /// Index of its last ply among the steps; none at the root.
    last: Option<usize>,
}

/// A ply and the index of the one before it.
struct Step {
    mv: Move,
    before: Option<usize>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Node {}
impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Node {
    /// Of two that promise the same, the longer one: it is nearer to keeping its promise.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.depth.cmp(&other.depth))
    }
}

/// The plies that lead to a step, the last one first.
fn back(steps: &[Step], last: Option<usize>) -> impl Iterator<Item = Move> + '_ {
    std::iter::successors(last, |&index| steps[index].before).map(|index| steps[index].mv)
}

/// The best lines from `roots`, best first. `floor` is what they must beat, on the estimate's scale: the best
/// explanation already known. Estimates are relative to `base`, the placement that all explanations are compared with.
pub(super) fn lines(roots: &[Root<'_>], base: &Board, marginals: &Marginals, floor: f64, limits: Limits) -> Vec<Found> {
    let mut search = Search {
        roots,
        marginals,
        whole: marginals.gains(base).iter().sum(),
        best: floor,
        left: limits.expansions,
        limits,
        done: Vec::new(),
        steps: Vec::new(),
        queue: BinaryHeap::new(),
    };
    for (index, root) in roots.iter().enumerate() {
        let position = root.position.clone();
        let prior = root.prior;
        let estimate = prior + marginals.gain(position.board(), base);
        let bound = search.potential(root, &position, estimate, 0);
        search.queue.push(Node { root: index, position, prior, estimate, bound, depth: 0, last: None });
    }
    while let Some(node) = search.queue.pop() {
        if node.bound < search.best - limits.slack || search.left == 0 {
            break;
        }
        search.left -= 1;
        node.position.legal_moves().into_iter().for_each(|mv| search.play(&node, mv));
        // Memory stays bounded: most of what was pushed early is hopeless later.
        if search.done.len() > 8 * limits.lines {
            prune(&mut search.done, limits.lines);
        }
    }
    prune(&mut search.done, limits.lines);
    search.done
}

/// A search under way.
struct Search<'a> {
    roots: &'a [Root<'a>],
    marginals: &'a Marginals,
    limits: Limits,
    /// The estimate of a line that explains everything: then only what explains it as well is still sought.
    whole: f64,
    /// The best explanation so far.
    best: f64,
    /// Positions that may still be expanded.
    left: usize,
    done: Vec<Found>,
    steps: Vec<Step>,
    queue: BinaryHeap<Node>,
}

impl Search<'_> {
    /// What a line with `depth` plies can become, over all lengths it may still grow to.
    fn potential(&self, root: &Root<'_>, position: &Chess, estimate: f64, depth: usize) -> f64 {
        let reach = self.marginals.reach(position);
        let first = usize::from(position.turn() == Color::Black);
        (usize::from(depth < root.min_plies)..=root.max_plies - depth)
            .map(|left| {
                let mut plies_of = [0; 2];
                plies_of[first] = left.div_ceil(2);
                plies_of[1 - first] = left / 2;
                estimate + reach.gain(plies_of) + root.most_of(depth, left, self.limits.ply_prior)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Goes on from a node with one move, where that may still lead somewhere.
    fn play(&mut self, node: &Node, mv: Move) {
        let root = &self.roots[node.root];
        let (depth, limits) = (node.depth + 1, self.limits);
        // A man that goes and comes back leaves nothing to see: nobody can say that it did.
        if comes_back(mv, back(&self.steps, node.last).chain(root.done.iter().rev().copied())) {
            return;
        }
        let Some(ply) = root.ply(node.depth, mv, limits.ply_prior) else { return };
        let (prior, estimate) =
            (node.prior + ply, node.estimate + self.marginals.step(node.position.board(), mv) + ply);
        let complete = depth >= root.min_plies && estimate >= self.best - limits.slack;
        if !complete && depth == root.max_plies {
            return;
        }
        let mut position = node.position.clone();
        position.play_unchecked(mv);
        if complete {
            self.best = self.best.max(estimate);
            if estimate - prior >= self.whole - EXPLAINED {
                self.left = self.left.min(AFTERWARDS);
            }
            let mut moves: Vec<Move> = back(&self.steps, node.last).collect();
            moves.reverse();
            moves.push(mv);
            self.done.push(Found { root: node.root, moves, position: position.clone(), prior, estimate });
        }
        if depth < root.max_plies {
            let bound = self.potential(root, &position, estimate, depth);
            if bound >= self.best - limits.slack {
                self.steps.push(Step { mv, before: node.last });
                let last = Some(self.steps.len() - 1);
                self.queue.push(Node { root: node.root, position, prior, estimate, bound, depth, last });
            }
        }
    }
}

/// Does a move bring a man back to where plies `before` it, the last one first, took him from, and none of them took a man?
pub(super) fn comes_back(mv: Move, before: impl Iterator<Item = Move>) -> bool {
    let Some(mut stood) = mv.from().filter(|_| !mv.is_capture()) else { return false };
    for other in before.filter(|m| !m.is_castle()) {
        if other.to() == stood {
            if other.is_capture() {
                return false;
            }
            stood = other.from().unwrap_or(stood);
            if stood == mv.to() {
                return true;
            }
        }
    }
    false
}

fn prune(done: &mut Vec<Found>, keep: usize) {
    done.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
    done.truncate(keep);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::line::tests::{moves, played};

    #[test]
    fn what_was_told_after_a_ply_that_was_another_one_costs_nothing_and_no_line_is_likelier_than_its_bound() {
        let (start, line) = (Chess::default(), played("e2e4 e7e5 g1f3"));
        let told = line.plies();
        let root = Root { position: &start, prior: 0.0, min_plies: 1, max_plies: 4, done: &[], told, let_go: false };
        let ply_prior = -7.0;
        let prior = |ucis: &str| -> Option<f64> {
            moves(ucis).into_iter().enumerate().map(|(before, mv)| root.ply(before, mv, ply_prior)).sum()
        };
        let instead = replaced::prior(moves("d2d4")[0], told[0].mv, false).unwrap();
        assert_eq!(prior("e2e4 e7e5"), None, "nothing was another one");
        assert_eq!(prior("d2d4 e7e5 g1f3"), Some(ply_prior + instead));
        assert_eq!(prior("d2d4 d7d5 g1f3 g8f6"), Some(3.0 * ply_prior + instead));
        for line in ["d2d4", "e2e3 e7e5", "d2d4 e7e5 g1f3", "e2e3 e7e5 g1f3 b8c6", "d2d4 d7d5 c2c4"] {
            let plies: Vec<f64> =
                (0..).zip(moves(line)).map(|(before, mv)| root.ply(before, mv, ply_prior).unwrap()).collect();
            for before in 0..plies.len() {
                let most = root.most_of(before, plies.len() - before, ply_prior);
                assert!(plies[before..].iter().sum::<f64>() <= most, "{line} from {before}");
            }
        }
    }

    #[test]
    fn who_comes_back_by_any_way_leaves_nothing_to_see_unless_he_took() {
        let comes_back = |ucis: &str| {
            let mut moves = moves(ucis);
            let last = moves.pop().unwrap();
            super::comes_back(last, moves.into_iter().rev())
        };
        assert!(comes_back("g1f3 a7a6 f3g1"));
        assert!(comes_back("d2d4 a7a6 d1d2 a6a5 d2c3 a5a4 c3d2") && comes_back("d2d4 a7a6 d1d2 a6a5 d2d3 a5a4 d3d1"));
        assert!(!comes_back("g1f3 e7e5 f3e5 a7a6 e5f3") && !comes_back("g1f3 a7a6 f3d4"));
    }
}
