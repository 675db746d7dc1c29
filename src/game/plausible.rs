//! How plausible is a move that nobody has seen? A guess from what people do: they take back, they take what hangs,
//! they do not leave a man where it is lost, they go where they attack more.
//!
//! Each legal move gets a score, a weighted sum of [`features`]; a move's probability is its share of the exponentials
//! (a conditional logit model: McFadden 1974). The weights were fitted by likelihood to the 64 games of
//! `games/classics.pgn`, where a played move then costs 2.76 nats in the mean; with equal chances it would be 3.30. In two
//! tournament games that were not among them (165 plies) it is 2.70 against 3.32, the played move comes first in 23 % and
//! among the first five in 53 %. So it is a measure for the order of proposals and of plies that nobody saw one by one, and no
//! proof of what was played: it knows nothing of openings or of strategy.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

/// Number of features.
const FEATURES: usize = 12;

/// What a feature is worth, in nats; see [`features`] for their order. Fitted as told above, rounded to what the likelihood
/// can tell.
const WEIGHTS: [f64; FEATURES] = [0.85, 2.1, -0.65, 0.2, 1.65, 1.4, -0.3, 2.65, 0.25, 0.2, -0.65, 0.15];

/// A man's worth in pawns; the king's is above all others, since he may not be left to be taken.
const fn worth(role: Role) -> f64 {
    match role {
        Role::Pawn => 1.0,
        Role::Knight | Role::Bishop => 3.0,
        Role::Rook => 5.0,
        Role::Queen => 9.0,
        Role::King => 20.0,
    }
}

/// What the side `by` gains at least by taking on `square`, where a man worth `target` stands, in pawns: his worth where
/// nobody defends him, or what he is worth more than the cheapest man that can take him.
fn gain_of_taking(men: &Board, occupied: Bitboard, square: Square, target: f64, by: Color) -> f64 {
    let takers = men.attacks_to(square, by, occupied) & occupied;
    let cheapest = takers.into_iter().filter_map(|s| men.role_at(s)).map(worth).fold(f64::INFINITY, f64::min);
    if cheapest.is_infinite() {
        return 0.0;
    }
    let defended = (men.attacks_to(square, !by, occupied) & occupied).without(square).any();
    if defended { (target - cheapest).max(0.0) } else { target }
}

/// The features of a legal move; `last` is the move before it.
///
/// 0: the worth of the man taken; 1: it takes on the square where the other side has just taken; 2: what the other side
/// gains at least by taking the man where he goes; 3: what it would have gained where he stood; 4: check; 5: promotion to
/// a queen; 6: to something else; 7: castling; 8: how many squares more he attacks than before; 9: how much nearer to the
/// middle of the board he goes, in squares; 10: a king's move that is no castling; 11: a pawn's move.
fn features(position: &Chess, mv: Move, last: Option<Move>) -> [f64; FEATURES] {
    let mut features = [0.0; FEATURES];
    let (men, us) = (position.board(), position.turn());
    let (role, to) = (mv.role(), mv.to());
    let Some(from) = mv.from() else { return features };
    let after = {
        let mut after = position.clone();
        after.play_unchecked(mv);
        after
    };
    features[4] = f64::from(after.is_check());
    if mv.is_castle() {
        features[7] = 1.0;
        return features;
    }
    let becomes = mv.promotion().unwrap_or(role);
    if let Some(taken) = mv.capture() {
        features[0] = worth(taken);
        features[1] = f64::from(last.is_some_and(|last| last.is_capture() && last.to() == to));
    }
    let (before_men, after_men) = (men.occupied(), after.board().occupied());
    features[2] = gain_of_taking(after.board(), after_men, to, worth(becomes), !us);
    features[3] = gain_of_taking(men, before_men, from, worth(role), !us);
    match mv.promotion() {
        Some(Role::Queen) => features[5] = 1.0,
        Some(_) => features[6] = 1.0,
        None => {}
    }
    let reach =
        |role: Role, square: Square, occupied: Bitboard| attacks::attacks(square, role.of(us), occupied).count() as f64;
    if role != Role::Pawn {
        features[8] = (reach(role, to, after_men) - reach(role, from, before_men)) / 4.0;
    }
    features[9] = off_centre(from) - off_centre(to);
    features[10] = f64::from(role == Role::King);
    features[11] = f64::from(role == Role::Pawn);
    features
}

/// Distance from the middle of the board, in squares along the longer of the two axes and half of the other.
fn off_centre(square: Square) -> f64 {
    let axis = |n: u32| (f64::from(n) - 3.5).abs();
    let (file, rank) = (axis(u32::from(square.file())), axis(u32::from(square.rank())));
    file.max(rank) + 0.5 * file.min(rank)
}

/// The natural logarithm of the probability of each legal move; `last` is the move before.
#[must_use]
pub(super) fn log_probabilities(position: &Chess, last: Option<Move>) -> Vec<(Move, f64)> {
    let score = |mv| features(position, mv, last).iter().zip(&WEIGHTS).map(|(f, w)| f * w).sum::<f64>();
    let mut scored: Vec<(Move, f64)> = position.legal_moves().into_iter().map(|mv| (mv, score(mv))).collect();
    let best = scored.iter().map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max);
    let total = scored.iter().map(|(_, s)| (s - best).exp()).sum::<f64>().ln() + best;
    scored.iter_mut().for_each(|(_, s)| *s -= total);
    scored
}

/// The natural logarithm of the probability of moves one after another, as likely as people make them: minus infinity where the rules
/// do not allow them.
#[must_use]
pub(super) fn log_probability(position: &Chess, moves: &[Move]) -> f64 {
    let (mut position, mut last, mut sum) = (position.clone(), None, 0.0);
    for &mv in moves {
        let legal = log_probabilities(&position, last).into_iter().find(|(legal, _)| *legal == mv);
        let Some((_, log)) = legal else { return f64::NEG_INFINITY };
        sum += log;
        position.play_unchecked(mv);
        last = Some(mv);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{pgn_in::read_games, start::Start};

    #[test]
    fn played_moves_are_more_plausible_than_chance_has_it() {
        let (mut plies, mut told, mut equal) = (0, 0.0, 0.0);
        for game in read_games(include_str!("../../games/classics.pgn")) {
            let game = game.unwrap();
            let mut last = None;
            for (position, &mv) in game.positions().iter().zip(&game.moves) {
                let all = log_probabilities(position, last);
                let sum: f64 = all.iter().map(|(_, p)| p.exp()).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                told += all.iter().find(|(m, _)| *m == mv).unwrap().1;
                equal -= (all.len() as f64).ln();
                plies += 1;
                last = Some(mv);
            }
        }
        let (told, equal) = (-told / f64::from(plies), -equal / f64::from(plies));
        println!("{plies} plies: {told:.3} nats a ply, {equal:.3} with equal chances");
        assert!(told < 2.78 && equal > 3.29, "{told} {equal}");
    }

    #[test]
    fn colours_count_alike() {
        let white = Start::from_fen("r3k2r/ppp2ppp/2n2n2/3qp3/3P4/2N1PN2/PP3PPP/R2QK2R w KQkq - 0 1").unwrap();
        let black = Start::from_fen("r2qk2r/pp3ppp/2n1pn2/3p4/3QP3/2N2N2/PPP2PPP/R3K2R b KQkq - 0 1").unwrap();
        let sorted = |start: &Start| {
            let mut all: Vec<f64> = log_probabilities(start.position(), None).into_iter().map(|(_, p)| p).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let (white, black) = (sorted(&white), sorted(&black));
        assert_eq!(white.len(), black.len());
        assert!(white.iter().zip(&black).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
