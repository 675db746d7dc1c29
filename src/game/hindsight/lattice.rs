//! Every line that the looks leave likely: a layer of positions for each look, and the steps between them.
//!
//! The likeliest way through it is found as Viterbi (1967) does, the probability of each step by going forward and back
//! (Baum et al. 1970). Only the best positions of a layer are gone on from (a beam), and those of the line that was told.

use std::collections::{HashMap, HashSet};

use shakmaty::{Chess, Move, Position as _};

use super::{
    super::{
        hypotheses::PLY,
        line::Line,
        marginals::Marginals,
        search::{self, Limits, Root},
    },
    looks::{Kept, Men},
    prior,
};

/// Positions of a layer that are gone on from: twice as many changed no record in the simulator.
const BEAM: usize = 48;
/// Nats below the best from which a position is given up; one of the told line is given up later, for it is what all others
/// are measured with.
const HOPELESS: f64 = 25.0;
const HOPELESS_TOLD: f64 = 80.0;
/// Nats that a look must say against standing still for a ply to be tried: one ply costs four.
const ASKS_FOR_A_PLY: f64 = 3.0;
/// Nats that the best position must lose by a look for several plies to be searched for: two cost some ten.
const ASKS_FOR_PLIES: f64 = 8.0;
/// The same for long lines: four plies cost some 23.
const ASKS_FOR_MANY: f64 = 27.0;
/// Positions from which several plies are searched for, and nats below the best up to which they are.
const ROOTS: usize = 12;
const ROOT_WITHIN: f64 = 15.0;
/// Plies of such lines, and positions expanded in search of them, as in the live game.
const PLIES: (usize, usize) = (4, 600);
const MANY_PLIES: (usize, usize) = (8, 2500);
/// Squares on which a look may differ from the likeliest position for that to be plies: eight change seventeen at most, and a
/// shadow or two are let pass.
const MOST_CHANGED: usize = 20;
/// Lines that a search returns, and nats below the best of them from which they are not wanted.
const LINES: usize = 96;
const SLACK: f64 = 9.0;
/// Positions expanded for a whole game, some 10 µs each: a bound of some seconds for games in which nothing is ever explained.
const EXPANSIONS: usize = 600_000;
/// Plies of the told line that one look may bring.
pub(super) const TOLD_TOGETHER: usize = 12;

/// A position that a look left likely.
struct Node {
    position: Chess,
    men: Men,
    plies: usize,
    /// ln of the likeliest way here, and of all ways together.
    best: f64,
    sum: f64,
    told: bool,
}

/// Plies between two looks, none mostly.
struct Edge {
    from: usize,
    to: usize,
    /// Plies before it.
    plies: usize,
    moves: Vec<Move>,
    /// Its prior, and what the look said.
    weight: f64,
}

/// The steps into one layer.
struct Layer {
    edges: Vec<Edge>,
    /// Of each position of the layer before: ln of the likeliest way there, and of all ways together.
    before: Vec<(f64, f64)>,
}

/// All that the looks leave likely.
pub(super) struct Lattice<'a> {
    told: &'a Line,
    further_ply: f64,
    layers: Vec<Layer>,
    nodes: Vec<Node>,
    left: usize,
}

/// The steps into a layer while it is made.
struct Making<'a> {
    look: &'a Kept,
    nodes: Vec<Node>,
    of: HashMap<(Chess, usize), usize>,
    edges: Vec<Edge>,
    several: HashSet<(usize, Vec<Move>)>,
}

impl<'a> Lattice<'a> {
    /// Of all looks at a game that was told as this line.
    pub fn of(told: &'a Line, looks: &[Kept], further_ply: f64) -> Self {
        let position = told.position_after(0).clone();
        let men = Men::of(position.board());
        let first = Node { position, men, plies: 0, best: 0.0, sum: 0.0, told: true };
        let mut lattice = Self { told, further_ply, layers: vec![], nodes: vec![first], left: EXPANSIONS };
        looks.iter().for_each(|look| lattice.advance(look));
        lattice
    }

    fn advance(&mut self, look: &Kept) {
        let mut making = Making { look, nodes: vec![], of: HashMap::new(), edges: vec![], several: HashSet::new() };
        let top = best_of(&self.nodes);
        for (from, node) in self.nodes.iter().enumerate() {
            let stays = making.add(self.told, (from, node), vec![], node.position.clone(), 0.0);
            if stays < -ASKS_FOR_A_PLY {
                for mv in node.position.legal_moves() {
                    self.play(&mut making, from, vec![mv]);
                }
            }
            if node.told {
                let plies = self.told.plies().iter().skip(node.plies).map(|ply| ply.mv);
                let moves: Vec<Move> = plies.take(TOLD_TOGETHER).collect();
                let first = if stays < -ASKS_FOR_A_PLY { 2 } else { 1 };
                (first..=moves.len()).for_each(|count| self.play(&mut making, from, moves[..count].to_vec()));
            }
        }
        for (asks, (plies, expansions)) in [(ASKS_FOR_PLIES, PLIES), (ASKS_FOR_MANY, MANY_PLIES)] {
            if top - best_of(&making.nodes) > asks && self.left >= expansions {
                self.left -= expansions;
                self.search(&mut making, plies, expansions);
            }
        }
        let (nodes, edges) = making.pruned();
        let before = self.nodes.iter().map(|node| (node.best, node.sum)).collect();
        self.layers.push(Layer { edges, before });
        self.nodes = nodes;
    }

    /// Plays moves that are known to be legal.
    fn play(&self, making: &mut Making<'_>, from: usize, moves: Vec<Move>) {
        let node = &self.nodes[from];
        let mut position = node.position.clone();
        for &mv in &moves {
            if !position.is_legal(mv) {
                return;
            }
            position.play_unchecked(mv);
        }
        if moves.len() > 1 && !making.several.insert((from, moves.clone())) {
            return;
        }
        let prior = prior(&moves, self.further_ply);
        making.add(self.told, (from, node), moves, position, prior);
    }

    /// Two plies and more, from the likeliest positions, all in one queue.
    fn search(&self, making: &mut Making<'_>, max_plies: usize, expansions: usize) {
        let top = best_of(&self.nodes);
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|&n| self.nodes[n].best > top - ROOT_WITHIN).collect();
        order.sort_by(|&a, &b| self.nodes[b].best.total_cmp(&self.nodes[a].best));
        order.truncate(ROOTS);
        let Some(&first) = order.first() else { return };
        if making.look.contradicted(self.nodes[first].men) > MOST_CHANGED {
            return;
        }
        let base = self.nodes[first].position.board();
        let marginals = Marginals::new(&making.look.as_evidence(base));
        let root = |&n: &usize| {
            let Node { position, best, .. } = &self.nodes[n];
            // The first of several plies is likelier than those that follow.
            let prior = best - top + PLY - self.further_ply;
            Root { position, prior, min_plies: 2, max_plies, done: &[], told: &[], let_go: false }
        };
        let roots: Vec<Root<'_>> = order.iter().map(root).collect();
        let limits = Limits { expansions, lines: LINES, ply_prior: self.further_ply, slack: SLACK };
        for found in search::lines(&roots, base, &marginals, f64::NEG_INFINITY, limits) {
            self.play(making, order[found.root], found.moves);
        }
    }

    /// The likeliest of all lines.
    pub fn likeliest(&self) -> Vec<Move> {
        let mut at = (0..self.nodes.len()).max_by(|&a, &b| self.nodes[a].best.total_cmp(&self.nodes[b].best));
        let mut parts: Vec<&[Move]> = vec![];
        for layer in self.layers.iter().rev() {
            let Some(to) = at else { break };
            let way = |edge: &Edge| layer.before[edge.from].0 + edge.weight;
            let into = layer.edges.iter().filter(|edge| edge.to == to);
            let best = into.max_by(|a, b| way(a).total_cmp(&way(b)));
            parts.extend(best.map(|edge| edge.moves.as_slice()));
            at = best.map(|edge| edge.from);
        }
        parts.into_iter().rev().flatten().copied().collect()
    }

    /// For each ply of a line the probability that it was played as that ply.
    pub fn confidences(&self, line: &[Move]) -> Vec<f64> {
        let total = ln_sum(self.nodes.iter().map(|node| node.sum));
        let mut confidences = vec![0.0; line.len()];
        let mut after = vec![0.0; self.nodes.len()];
        for layer in self.layers.iter().rev() {
            let mut before = vec![vec![]; layer.before.len()];
            for edge in &layer.edges {
                let rest = edge.weight + after[edge.to];
                before[edge.from].push(rest);
                let probability = (layer.before[edge.from].1 + rest - total).exp();
                for (ply, mv) in edge.moves.iter().enumerate() {
                    if line.get(edge.plies + ply) == Some(mv) {
                        confidences[edge.plies + ply] += probability;
                    }
                }
            }
            after = before.into_iter().map(|ways| ln_sum(ways.into_iter())).collect();
        }
        confidences
    }
}

impl Making<'_> {
    /// A step to a position; returns what the look says for it, without its prior.
    fn add(&mut self, told: &Line, (from, node): (usize, &Node), moves: Vec<Move>, position: Chess, prior: f64) -> f64 {
        let men = if moves.is_empty() { node.men } else { Men::of(position.board()) };
        let said = self.look.step(node.men, men, position.turn());
        let weight = prior + said;
        let plies = node.plies + moves.len();
        let (best, sum) = (node.best + weight, node.sum + weight);
        let nodes = &mut self.nodes;
        let to = *self.of.entry((position, plies)).or_insert_with_key(|(position, plies)| {
            let told = *plies <= told.len() && told.position_after(*plies) == position;
            let none = f64::NEG_INFINITY;
            nodes.push(Node { position: position.clone(), men, plies: *plies, best: none, sum: none, told });
            nodes.len() - 1
        });
        nodes[to].best = nodes[to].best.max(best);
        nodes[to].sum = ln_sum([nodes[to].sum, sum].into_iter());
        self.edges.push(Edge { from, to, plies: node.plies, moves, weight });
        said
    }

    /// The positions that are gone on from, and the steps that lead to them.
    fn pruned(self) -> (Vec<Node>, Vec<Edge>) {
        let top = best_of(&self.nodes);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| self.nodes[b].best.total_cmp(&self.nodes[a].best));
        let stays = |(rank, n): (usize, usize)| {
            let Node { best, told, .. } = self.nodes[n];
            (rank < BEAM && best > top - HOPELESS) || (told && best > top - HOPELESS_TOLD)
        };
        let kept: Vec<usize> = order.into_iter().enumerate().filter(|&of| stays(of)).map(|(_, n)| n).collect();
        let mut now = vec![None; self.nodes.len()];
        kept.iter().enumerate().for_each(|(new, &old)| now[old] = Some(new));
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let edges = self.edges.into_iter().filter_map(|edge| Some(Edge { to: now[edge.to]?, ..edge })).collect();
        (kept.into_iter().filter_map(|n| nodes[n].take()).collect(), edges)
    }
}

fn best_of(nodes: &[Node]) -> f64 {
    nodes.iter().map(|node| node.best).fold(f64::NEG_INFINITY, f64::max)
}

/// ln of a sum of what is given as logarithms.
fn ln_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_finite() { most + logs.map(|log| (log - most).exp()).sum::<f64>().ln() } else { most }
}

#[cfg(test)]
impl Lattice<'_> {
    /// The widest layer, and what is the most.
    pub(super) fn width(&self) -> (usize, usize) {
        let widest = self.layers.iter().map(|layer| layer.before.len()).max();
        (widest.unwrap_or(0), BEAM + self.told.len() + 1)
    }
}
