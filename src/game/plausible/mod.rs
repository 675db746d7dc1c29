//! How plausible is a move that nobody has seen? A guess from what people do: they take back, they take what hangs, they leave
//! nothing where it is lost, they answer near the last move, and their men have squares where they like to stand: others at the
//! beginning of a game than later.
//!
//! Each legal move gets a score, a weighted sum of [`Features`] and of the squares from which and to which it goes; a move's
//! probability is its share of the exponentials (a conditional logit model: McFadden 1974), and a little that any move has. The
//! weights are fitted (`fit`) to the 64 games of `games/classics.pgn`, where a played move then costs 2.44 nats in the mean, 2.50 in
//! games left out of the fit; with equal chances it would be 3.30. So it is a measure for the order of proposals and of plies that
//! nobody saw one by one, and no proof of what was played: it knows no line of an opening and nothing of strategy.

#[cfg(test)]
mod fit;
mod weights;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Rank, Role, Square};

use weights::{BEGINS, STANDS, WEIGHTS};

/// Number of features.
const FEATURES: usize = 12;
/// The share of moves that are played for reasons which no feature knows: any move is as likely then. The classic games are a little
/// likelier with it than without (2.443 nats a ply, 2.447), and no order is told with more certainty than such a model can have.
const ANY_MOVE: f64 = 0.05;
/// So many of a side's men have left its first two ranks when its game is no longer a beginning: with 3, 4, 6 and 8, games left out
/// of the fit cost 2.51, 2.50, 2.50 and 2.49 nats a ply.
const DEVELOPED: f64 = 6.0;
/// What is known of a move beside its squares; see [`features`].
type Features = [f64; FEATURES];

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

/// What the side `by` gains at least by taking on `square`, where a man worth `target` stands, with a man worth `taker`, in pawns: his
/// worth where nobody defends him, else what he is worth more than the taker.
fn gain_with(men: &Board, square: Square, target: f64, taker: f64, by: Color) -> f64 {
    let defended = men.attacks_to(square, !by, men.occupied()).any();
    if defended { (target - taker).max(0.0) } else { target }
}

/// The same with the cheapest man that can take; nothing where none can.
fn gain_of_taking(men: &Board, square: Square, target: f64, by: Color) -> f64 {
    let takers = men.attacks_to(square, by, men.occupied());
    let cheapest = takers.into_iter().filter_map(|s| men.role_at(s)).map(worth).min_by(f64::total_cmp);
    cheapest.map_or(0.0, |taker| gain_with(men, square, target, taker, by))
}

/// The most that is gained by taking one of these men, of each of whom `gain` tells it by his square and worth. Kings are not taken.
fn most(men: &Board, of: Bitboard, gain: impl Fn(Square, f64) -> f64) -> f64 {
    let gains = of.into_iter().filter_map(|square| {
        let role = men.role_at(square).filter(|&role| role != Role::King)?;
        Some(gain(square, worth(role)))
    });
    gains.fold(0.0, f64::max)
}

/// The features of a legal move; `last` is the move before it.
///
/// 0: the worth of the man taken; 1: it takes on the square where the other side has just taken; 2: what the other side
/// gains at least by taking the man where he goes; 3: the most that it gains by taking another; 4: the most that he threatens to take;
/// 5: check; 6: promotion to a queen; 7: to something else; 8: castling; 9: how many squares more he attacks than before, in
/// fours; 10: how far from where the last move went, in a king's steps; 11: a king's or rook's move that gives up castling.
fn features(position: &Chess, mv: Move, last: Option<Move>) -> Features {
    let mut features = [0.0; FEATURES];
    let us = position.turn();
    let Some(from) = mv.from() else { return features };
    let after = {
        let mut after = position.clone();
        after.play_unchecked(mv);
        after
    };
    let men = after.board();
    let lost = |of: Bitboard| most(men, of, |square, target| gain_of_taking(men, square, target, !us));
    features[5] = f64::from(after.is_check());
    if mv.is_castle() {
        features[3] = lost(men.by_color(us));
        features[8] = 1.0;
        return features;
    }
    let (to, becomes) = (mv.to(), mv.promotion().unwrap_or(mv.role()));
    if let Some(taken) = mv.capture() {
        features[0] = worth(taken);
        features[1] = f64::from(last.is_some_and(|last| last.is_capture() && last.to() == to));
    }
    features[2] = lost(Bitboard::from(to));
    features[3] = lost(men.by_color(us).without(to));
    let threatened = men.attacks_from(to) & men.by_color(!us);
    features[4] = most(men, threatened, |square, target| gain_with(men, square, target, worth(becomes), us));
    match mv.promotion() {
        Some(Role::Queen) => features[6] = 1.0,
        Some(_) => features[7] = 1.0,
        None => {}
    }
    if mv.role() != Role::Pawn {
        let reach = |men: &Board, square: Square| men.attacks_from(square).count() as f64;
        features[9] = (reach(men, to) - reach(position.board(), from)) / 4.0;
    }
    features[10] = last.map_or(0.0, |last| f64::from(to.distance(last.to())));
    let rights = |position: &Chess| (position.castles().castling_rights() & Bitboard::from_rank(us.backrank())).count();
    features[11] = f64::from(rights(position) > rights(&after));
    features
}

/// Where a man stands, as his side sees it: rank from its own first one, and file.
fn stand(square: Square, us: Color) -> (usize, usize) {
    (us.relative_rank(square.rank()) as usize, square.file() as usize)
}

/// The score of a legal move, in nats: only differences between moves of one position count.
fn score(position: &Chess, mv: Move, last: Option<Move>) -> f64 {
    let known: f64 = features(position, mv, last).iter().zip(&WEIGHTS).map(|(f, w)| f * w).sum();
    let squares = squares(position, mv).map_or(0.0, |[from, to]| {
        let role = mv.role() as usize - 1;
        let beginning = beginning(position, mv);
        let liked = |(rank, file): (usize, usize)| {
            STANDS[role][rank][file.min(7 - file)] + beginning * BEGINS[role][rank][file]
        };
        liked(to) - liked(from)
    });
    known + squares
}

/// How much a move belongs to the beginning of a game: 1 at the start, less with each man who has left his side's first two ranks.
/// What is taken is taken at once, at the beginning as later.
fn beginning(position: &Chess, mv: Move) -> f64 {
    if mv.is_capture() {
        return 0.0;
    }
    let us = position.turn();
    let home = Bitboard::from_rank(us.relative_rank(Rank::First)) | Bitboard::from_rank(us.relative_rank(Rank::Second));
    let left = 16.0 - (position.board().by_color(us) & home).count() as f64;
    (1.0 - left / DEVELOPED).max(0.0)
}

/// The squares from which and to which a move goes; of castling none, for two men go.
fn squares(position: &Chess, mv: Move) -> Option<[(usize, usize); 2]> {
    let us = position.turn();
    mv.from().filter(|_| !mv.is_castle()).map(|from| [stand(from, us), stand(mv.to(), us)])
}

/// The natural logarithm of the probability of each legal move; `last` is the move before.
#[must_use]
pub(super) fn log_probabilities(position: &Chess, last: Option<Move>) -> Vec<(Move, f64)> {
    let mut scored: Vec<(Move, f64)> =
        position.legal_moves().into_iter().map(|mv| (mv, score(position, mv, last))).collect();
    let best = scored.iter().map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scored.iter().map(|(_, s)| (s - best).exp()).sum();
    let any = ANY_MOVE / scored.len() as f64;
    scored.iter_mut().for_each(|(_, s)| *s = ((1.0 - ANY_MOVE) * (*s - best).exp() / total + any).ln());
    scored
}

/// The natural logarithm of the probability of moves one after another, as likely as people make them: minus infinity where the rules
/// do not allow them. `last` is the move before the first of them.
#[must_use]
pub(super) fn log_probability(position: &Chess, mut last: Option<Move>, moves: &[Move]) -> f64 {
    let (mut position, mut sum) = (position.clone(), 0.0);
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
        for game in read_games(include_str!("../../../games/classics.pgn")) {
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
        assert!(told < 2.5 && equal > 3.29, "{told} {equal}");
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
