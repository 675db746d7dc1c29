//! The weights are where the games are likeliest: fitted by Newton's method, and printed as they stand in `weights.rs`.

use nalgebra::{DMatrix, DVector};
use shakmaty::{Move, Position as _};

use super::{FEATURES, beginning, features, squares, weights};
use crate::game::pgn_in::read_games;

/// All weights in one row: features, then squares by role, rank and file from the nearer edge, then what they are worth besides at
/// the beginning, by role, rank and file.
const ALL: usize = BEGINS + 6 * 8 * 8;
const STANDS: usize = FEATURES;
const BEGINS: usize = STANDS + 6 * 8 * 4;

/// How far from nothing a weight is expected to be, in nats: what is seldom seen is worth little.
fn expected(weight: usize) -> f64 {
    match weight {
        ..STANDS => 3.0,
        STANDS..BEGINS => 0.4,
        _ => 0.7,
    }
}

/// A legal move as the few of all quantities that are not zero in it.
type Row = Vec<(usize, f64)>;

/// A position: its legal moves, and which of them was played.
struct Choice {
    rows: Vec<Row>,
    played: usize,
}

/// The positions of each game.
fn games() -> Vec<Vec<Choice>> {
    let mut games = vec![];
    for game in read_games(include_str!("../../../games/classics.pgn")) {
        let game = game.unwrap();
        let (mut last, mut choices): (Option<Move>, _) = (None, vec![]);
        for (position, &mv) in game.positions().iter().zip(&game.moves) {
            let legal = position.legal_moves();
            let row = |&mv: &Move| {
                let known = features(position, mv, last).into_iter().enumerate();
                let beginning = beginning(position, mv);
                let stand = |rank: usize| (mv.role() as usize - 1) * 8 + rank;
                let places = |(rank, file): (usize, usize), sign: f64| {
                    let always = (STANDS + stand(rank) * 4 + file.min(7 - file), sign);
                    [always, (BEGINS + stand(rank) * 8 + file, sign * beginning)]
                };
                let stands = squares(position, mv).map(|[from, to]| [places(from, -1.0), places(to, 1.0)]);
                known.chain(stands.into_iter().flatten().flatten()).filter(|(_, value)| *value != 0.0).collect()
            };
            choices.push(Choice {
                rows: legal.iter().map(row).collect(),
                played: legal.iter().position(|&m| m == mv).unwrap(),
            });
            last = Some(mv);
        }
        games.push(choices);
    }
    games
}

/// What the weights of the games cost, with its gradient and curvature; the weights' own cost (EXPECTED) included.
fn cost(choices: &[&Choice], weights: &DVector<f64>) -> (f64, DVector<f64>, DMatrix<f64>) {
    let precision = |i: usize| expected(i).powi(-2);
    let mut cost: f64 = (0..ALL).map(|i| 0.5 * precision(i) * weights[i].powi(2)).sum();
    let mut gradient = DVector::from_fn(ALL, |i, _| precision(i) * weights[i]);
    let mut curvature = DMatrix::from_fn(ALL, ALL, |i, j| if i == j { precision(i) } else { 0.0 });
    for choice in choices {
        let score = |row: &Row| row.iter().map(|&(i, value)| weights[i] * value).sum::<f64>();
        let scores: Vec<f64> = choice.rows.iter().map(score).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|s| (s - best).exp()).sum();
        cost += total.ln() + best - scores[choice.played];
        let mut mean: DVector<f64> = DVector::zeros(ALL);
        for (row, score) in choice.rows.iter().zip(&scores) {
            let share = (score - best).exp() / total;
            for &(i, a) in row {
                mean[i] += share * a;
                row.iter().for_each(|&(j, b)| curvature[(i, j)] += share * a * b);
            }
        }
        let used: Vec<usize> = (0..ALL).filter(|&i| mean[i].abs() > 0.0).collect();
        for &i in &used {
            gradient[i] += mean[i];
            used.iter().for_each(|&j| curvature[(i, j)] -= mean[i] * mean[j]);
        }
        choice.rows[choice.played].iter().for_each(|&(i, value)| gradient[i] -= value);
    }
    (cost, gradient, curvature)
}

/// The weights that make the games likeliest, from these on: what they cost, and they.
fn fitted(choices: &[&Choice], mut weights: DVector<f64>) -> (f64, DVector<f64>) {
    let (mut least, mut gradient, mut curvature) = cost(choices, &weights);
    for _ in 0..50 {
        let mut step = curvature.clone().cholesky().unwrap().solve(&gradient);
        // A whole step may go too far.
        let better = (0..10).find_map(|_| {
            let tried = &weights - &step;
            step *= 0.5;
            Some((cost(choices, &tried), tried)).filter(|((cost, ..), _)| *cost < least)
        });
        let Some(((cost, slope, bend), tried)) = better else { break };
        let gained = least - cost;
        (least, gradient, curvature, weights) = (cost, slope, bend, tried);
        if gained < 1e-3 {
            break;
        }
    }
    (least, weights)
}

/// As they stand in `weights.rs`.
fn printed(weights: &DVector<f64>) {
    println!("WEIGHTS: {:.2?}", &weights.as_slice()[..FEATURES]);
    for (weights, files) in [(&weights.as_slice()[STANDS..BEGINS], 4), (&weights.as_slice()[BEGINS..], 8)] {
        println!("squares:");
        for role in weights.chunks(8 * files) {
            println!("    [");
            role.chunks(files).for_each(|files| println!("        {files:.2?},"));
            println!("    ],");
        }
    }
}

#[test]
fn weights_are_where_the_games_are_likeliest() {
    let games = games();
    let choices: Vec<&Choice> = games.iter().flatten().collect();
    let stands = weights::STANDS.iter().flatten().flatten();
    let begins = weights::BEGINS.iter().flatten().flatten();
    let told = DVector::from_iterator(ALL, weights::WEIGHTS.iter().chain(stands).chain(begins).copied());
    let (now, ..) = cost(&choices, &told);
    let (least, fitted) = fitted(&choices, told.clone());
    printed(&fitted);
    println!("{now:.1} nats as they stand, {least:.1} fitted");
    let furthest = (fitted - told).amax();
    assert!(furthest < 0.02 && now - least < 0.5, "{furthest}");
}

#[test]
fn games_that_were_left_out_of_the_fit_are_likely_as_well() {
    let games = games();
    let (mut nats, mut plies) = (0.0, 0);
    for part in 0..8 {
        let of = |left_out: bool| -> Vec<&Choice> {
            let these = games.iter().enumerate().filter(|(number, _)| (number % 8 == part) == left_out);
            these.flat_map(|(_, choices)| choices).collect()
        };
        let (_, weights) = fitted(&of(false), DVector::zeros(ALL));
        // What the weights themselves cost is not the games'.
        let left_out = of(true);
        nats += cost(&left_out, &weights).0 - cost(&[], &weights).0;
        plies += left_out.len();
    }
    let a_ply = nats / plies as f64;
    println!("{plies} plies: {a_ply:.3} nats a ply");
    assert!(a_ply < 2.6, "{a_ply}");
}
