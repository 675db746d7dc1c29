//! In which order were the plies of a line played?
//!
//! Pictures tell placements. Plies of one side that change different squares may have been played in any order, if no look came
//! between them; they lead to the same position, so nothing that comes tells it. How sure the order is, is counted: all orders that
//! the rules allow, each as likely as people play its plies one after the other ([`plausible`]), going forward and back over the
//! sets of plies that may have been played first (as Baum et al., 1970, over the states of a chain).

use std::collections::HashMap;

use shakmaty::{Chess, Move, Position as _};

use super::plausible;

/// How much likelier a line becomes by beginning with what an earlier look suggested: that look was not believed, but seldom wrong.
pub(super) const SUGGESTED_FIRST: f64 = 20.0;
/// Plies whose orders are counted together: the next ones are taken to come after all of these. Ten have at most two
/// thousand sets of plies that may come first, with the last of them, and each takes some 4 µs: most lines a millisecond in all.
const TOGETHER: usize = 10;
/// Fewer plies, one of each side, have one order.
const HAS_ORDERS: usize = 3;

/// Plies of a line that have been played, a bit for each; and which of them was the last: on that depends whether a pawn may be
/// taken in passing, and what is likely to follow.
type Played = (u32, usize);

/// Where some of the plies lead.
struct Node {
    position: Chess,
    last: Option<Move>,
    /// How likely it is against others with as many plies.
    weight: f64,
    /// Ways here from the first position, and from here to the last one, each as likely as its plies and the positions that it passes.
    to: f64,
    on: f64,
    /// How likely the likeliest way here is, and the number of its last step.
    likeliest: f64,
    by: usize,
}

/// A ply that leads from a position to one of the next layer: their numbers, and the ply's.
struct Step {
    before: usize,
    after: usize,
    ply: usize,
    /// How likely it is to be played there.
    probability: f64,
}

/// What looks have shown of the order: each of these sets of plies was there before the others.
pub(super) type Shown<'a> = [&'a [Move]];

/// For each ply of a line the chance that it was played just then; `last` is the ply before the line.
pub(super) fn chances(position: &Chess, last: Option<Move>, moves: &[Move], shown: &Shown<'_>) -> Vec<f64> {
    if moves.len() < HAS_ORDERS {
        return vec![1.0; moves.len()];
    }
    let mut chances = Vec::with_capacity(moves.len());
    for_each_part(position, last, moves, shown, |orders, part| chances.extend(orders.chances(part)));
    chances
}

/// The likeliest order of a line's plies; `last` is the ply before the line.
pub(super) fn likeliest(position: &Chess, last: Option<Move>, moves: &[Move], shown: &Shown<'_>) -> Vec<Move> {
    if moves.len() < HAS_ORDERS {
        return moves.to_vec();
    }
    let mut likeliest = Vec::with_capacity(moves.len());
    for_each_part(position, last, moves, shown, |orders, part| {
        likeliest.extend(orders.likeliest().map(|ply| part[ply]))
    });
    likeliest
}

/// Counts the orders of a line's plies, so many together.
fn for_each_part(
    position: &Chess,
    mut last: Option<Move>,
    moves: &[Move],
    shown: &Shown<'_>,
    mut then: impl FnMut(&Orders, &[Move]),
) {
    let mut position = position.clone();
    for (number, part) in moves.chunks(TOGETHER).enumerate() {
        let before = &moves[..number * TOGETHER];
        let suggested: Vec<u32> = shown.iter().filter_map(|plies| played_of(part, before, plies)).collect();
        then(&Orders::of(&position, last, part, &suggested), part);
        part.iter().for_each(|&mv| position.play_unchecked(mv));
        last = part.last().copied();
    }
}

/// Which plies of a part have been played where these plies of the line have been: a bit for each. `None` where not all that come
/// before the part are among them.
fn played_of(part: &[Move], before: &[Move], plies: &[Move]) -> Option<u32> {
    let mut left = plies.to_vec();
    let mut take = |mv: &Move| left.iter().position(|other| other == mv).map(|at| left.swap_remove(at)).is_some();
    if !before.iter().all(&mut take) {
        return None;
    }
    let played = part.iter().enumerate().filter(|(_, mv)| take(mv)).fold(0, |played, (ply, _)| played | 1 << ply);
    Some(played)
}

/// All orders of some plies: layers of positions, each with a ply more, and the steps between them.
struct Orders {
    layers: Vec<Vec<Node>>,
    steps: Vec<Vec<Step>>,
}

impl Orders {
    /// Each of `suggested` are plies that were probably there before the others, a bit for each.
    fn of(position: &Chess, last: Option<Move>, moves: &[Move], suggested: &[u32]) -> Self {
        let first = Node { position: position.clone(), last, weight: 1.0, to: 1.0, on: 0.0, likeliest: 1.0, by: 0 };
        let mut orders = Self { layers: vec![vec![first]], steps: vec![] };
        let mut played = vec![0];
        for _ in moves {
            played = orders.add_layer(moves, &played, |after: u32| {
                let goes_against = |&plies: &u32| plies.count_ones() == after.count_ones() && plies != after;
                if suggested.iter().any(goes_against) { 1.0 / SUGGESTED_FIRST } else { 1.0 }
            });
        }
        orders.count_back();
        orders
    }

    /// Adds the positions that one ply more leads to; `played` are the plies that lead to each of the last ones. Returns those of the
    /// new ones.
    fn add_layer(&mut self, moves: &[Move], played: &[u32], weight: impl Fn(u32) -> f64) -> Vec<u32> {
        let (mut nodes, mut steps, mut plies): (Vec<Node>, Vec<Step>, Vec<u32>) = Default::default();
        let mut known: HashMap<Played, usize> = HashMap::new();
        for (before, (node, &played)) in self.layers.last().into_iter().flatten().zip(played).enumerate() {
            let legal = plausible::log_probabilities(&node.position, node.last);
            for ply in next(moves, played) {
                let Some((_, log)) = legal.iter().find(|(mv, _)| *mv == moves[ply]) else { continue };
                let (after, weight, probability) = (played | 1 << ply, weight(played | 1 << ply), log.exp());
                let number = *known.entry((after, ply)).or_insert_with(|| {
                    let mut position = node.position.clone();
                    position.play_unchecked(moves[ply]);
                    nodes.push(Node {
                        position,
                        last: Some(moves[ply]),
                        weight,
                        to: 0.0,
                        on: 0.0,
                        likeliest: 0.0,
                        by: 0,
                    });
                    plies.push(after);
                    nodes.len() - 1
                });
                let (after, way) = (&mut nodes[number], node.likeliest * probability * weight);
                after.to += node.to * probability * weight;
                if way > after.likeliest {
                    (after.likeliest, after.by) = (way, steps.len());
                }
                steps.push(Step { before, after: number, ply, probability });
            }
        }
        self.layers.push(nodes);
        self.steps.push(steps);
        plies
    }

    fn count_back(&mut self) {
        self.layers.last_mut().into_iter().flatten().for_each(|node| node.on = node.weight);
        for (layer, steps) in self.steps.iter().enumerate().rev() {
            let (before, after) = self.layers.split_at_mut(layer + 1);
            for step in steps {
                let node = &mut before[layer][step.before];
                node.on += node.weight * step.probability * after[0][step.after].on;
            }
        }
    }

    /// The plies of the likeliest order, first to last (Viterbi, 1967).
    fn likeliest(&self) -> impl Iterator<Item = usize> {
        let by_likelihood = |(_, a): &(usize, &Node), (_, b): &(usize, &Node)| a.likeliest.total_cmp(&b.likeliest);
        let last = self.layers.last().and_then(|nodes| nodes.iter().enumerate().max_by(by_likelihood));
        let mut at = last.map_or(0, |(number, _)| number);
        let mut plies: Vec<usize> = vec![];
        for (nodes, steps) in self.layers[1..].iter().zip(&self.steps).rev() {
            let step = &steps[nodes[at].by];
            plies.push(step.ply);
            at = step.before;
        }
        plies.into_iter().rev()
    }

    /// For each of these plies the share of all orders in which it comes where it does here.
    fn chances(&self, moves: &[Move]) -> Vec<f64> {
        let all = self.layers[0][0].on;
        let share = |(layer, &mv): (usize, &Move)| {
            let same = self.steps[layer].iter().filter(|step| moves[step.ply] == mv);
            let ways = same.map(|step| {
                let (before, after) = (&self.layers[layer][step.before], &self.layers[layer + 1][step.after]);
                before.to * step.probability * after.on
            });
            ways.sum::<f64>() / all
        };
        moves.iter().enumerate().map(share).collect()
    }
}

/// Which plies may come next, by whose turn it is; of equal ones the first.
fn next(moves: &[Move], played: u32) -> impl Iterator<Item = usize> + '_ {
    let is_left = move |ply: usize| played & (1 << ply) == 0;
    let turn = played.count_ones() as usize % 2;
    (turn..moves.len())
        .step_by(2)
        .filter(move |&ply| is_left(ply) && !(0..ply).any(|earlier| is_left(earlier) && moves[earlier] == moves[ply]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{line::tests::moves, pgn_in::read_games};

    /// Every order that the rules allow, one by one.
    fn every_order(position: &Chess, left: &[Move], begun: &mut Vec<Move>, found: &mut Vec<Vec<Move>>) {
        if left.is_empty() {
            found.push(begun.clone());
        }
        for (index, &mv) in left.iter().enumerate().filter(|(index, mv)| !left[..*index].contains(mv)) {
            if position.is_legal(mv) {
                let mut after = position.clone();
                after.play_unchecked(mv);
                let rest: Vec<Move> = left.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, mv)| *mv).collect();
                begun.push(mv);
                every_order(&after, &rest, begun, found);
                begun.pop();
            }
        }
    }

    #[test]
    fn chances_are_those_of_all_orders_written_out() {
        let lines = [
            "e2e4 e7e5 g1f3",
            "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5",
            "e2e4 a7a6 e4e5 d7d5 e5d6 c7d6 g1f3",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 e2e4",
            "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f8e7",
        ];
        for text in lines {
            let (start, moves) = (Chess::default(), moves(text));
            let mut all = vec![];
            every_order(&start, &moves, &mut vec![], &mut all);
            let got = chances(&start, None, &moves, &[]);
            let weights: Vec<f64> =
                all.iter().map(|order| plausible::log_probability(&start, None, order).exp()).collect();
            for (i, chance) in got.iter().enumerate() {
                let same = all.iter().zip(&weights).filter(|(order, _)| order[i] == moves[i]);
                let expected = same.map(|(_, weight)| weight).sum::<f64>() / weights.iter().sum::<f64>();
                assert!((chance - expected).abs() < 1e-12, "{text}, ply {i}: {chance}, of all orders {expected}");
            }
        }
    }

    #[test]
    fn the_likeliest_order_is_that_of_all_orders_written_out() {
        let start = Chess::default();
        for text in [
            "d2d4 d7d6 e2e4",
            "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 e2e4",
            "d2d4 g8f6 b1c3 d7d6 e2e4",
        ] {
            let moves = moves(text);
            let mut all = vec![];
            every_order(&start, &moves, &mut vec![], &mut all);
            let log = |order: &[Move]| plausible::log_probability(&start, None, order);
            let best = all.iter().map(|order| log(order)).fold(f64::NEG_INFINITY, f64::max);
            for order in &all {
                let got = likeliest(&start, None, order, &[]);
                assert!((log(&got) - best).abs() < 1e-9, "{text}: {got:?}");
                // What looks have shown turns it, however the line was proposed.
                let first = [moves[0], moves[1]];
                let got = likeliest(&start, None, order, &[&first[..1], &first]);
                assert!(got.starts_with(&first), "{text}: {got:?}");
            }
        }
    }

    #[test]
    fn what_a_look_suggested_first_probably_came_first() {
        let start = Chess::default();
        let chances = |start: &Chess, last, moves: &[Move], suggested: &[usize]| {
            let shown: Vec<&[Move]> = suggested.iter().map(|&count| &moves[..count]).collect();
            chances(start, last, moves, &shown)
        };
        let as_told = moves("e2e4 e7e5 g1f3");
        let log_odds = plausible::log_probability(&start, None, &as_told)
            - plausible::log_probability(&start, None, &moves("g1f3 e7e5 e2e4"));
        let near = |got: Vec<f64>, odds: f64| {
            let first = odds / (1.0 + odds);
            got.len() == 3 && got.iter().zip([first, 1.0, first]).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(near(chances(&start, None, &as_told, &[]), log_odds.exp()));
        assert!(near(chances(&start, None, &as_told, &[1]), SUGGESTED_FIRST * log_odds.exp()));
        // Two plies tell as well which of White's was the first.
        assert!(near(chances(&start, None, &as_told, &[2]), SUGGESTED_FIRST * log_odds.exp()));
        assert!(near(chances(&start, None, &as_told, &[3]), log_odds.exp()));
    }

    #[test]
    fn long_lines_are_counted_in_parts() {
        let moves = moves("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6");
        let mut then = Chess::default();
        moves[..TOGETHER].iter().for_each(|&mv| then.play_unchecked(mv));
        let got = chances(&Chess::default(), None, &moves, &[&moves[..TOGETHER + 2]]);
        assert_eq!(got[..TOGETHER], chances(&Chess::default(), None, &moves[..TOGETHER], &[]));
        assert_eq!(
            got[TOGETHER..],
            chances(&then, moves[..TOGETHER].last().copied(), &moves[TOGETHER..], &[&moves[TOGETHER..][..2]])
        );
    }

    #[test]
    fn people_play_the_likelier_order_and_its_chance_is_what_it_says() {
        // Three plies whose order no look has told, at every third ply of 64 games.
        let (mut plies, mut right, mut said, mut loss) = (0, 0, 0.0, 0.0);
        for game in read_games(include_str!("../../games/classics.pgn")) {
            let game = game.unwrap();
            for (before, (start, played)) in game.positions().iter().zip(game.moves.windows(3)).enumerate().step_by(3) {
                let last = before.checked_sub(1).map(|index| game.moves[index]);
                let other = [played[2], played[1], played[0]];
                let log = |moves: &[Move]| plausible::log_probability(start, last, moves);
                let told = if log(&other) > log(played) { &other } else { played };
                for (chance, (told, played)) in chances(start, last, told, &[]).into_iter().zip(told.iter().zip(played))
                {
                    let is_right = told == played;
                    plies += 1;
                    right += u32::from(is_right);
                    said += chance;
                    loss -= if is_right { chance.ln() } else { (1.0 - chance).ln() };
                }
            }
        }
        let of_all = |sum: f64| sum / f64::from(plies);
        let (right, said, loss) = (of_all(f64::from(right)), of_all(said), of_all(loss));
        println!("{plies} plies: {right:.3} right, {said:.3} said; {loss:.3} nats");
        assert!(right > 0.91 && (right - said).abs() < 0.02 && loss < 0.16, "{right} {said} {loss}");
    }
}
