//! What no rule allows, and whatever nobody thought of.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, File, Piece, Position as _, Rank, Role, Square};

use super::{super::difference::difference, Hypothesis, Pool, Story, making::castled};

/// Deliberate or careless, under one move in a hundred, spread over thousands of placements.
const ILLEGAL: f64 = -13.0;
/// Of those, what looks like a move: the other side's turn, the own king in check. There are some fifty.
const ILLEGAL_MOVE: f64 = -9.0;
/// A man from nowhere that is no pawn.
const ILLEGAL_OTHER: f64 = ILLEGAL - 2.5;
/// Anything at all: a base and a price for each square that changes.
const ANYTHING: f64 = -5.0;
const ANYTHING_SQUARE: f64 = -7.0;
/// Nats by which a square must disagree before "anything at all" changes it.
const SURPRISE: f64 = 3.0;

/// What a player could do against the rules with one man, or with king and rook.
pub(super) fn illegal(pool: &mut Pool<'_>, legal: &Chess) {
    let men = legal.board();
    let of = pool.origin(men);
    for colour in Color::ALL {
        // Castling without the right to it, from the usual squares.
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            let king = Square::from_coords(File::E, colour.backrank());
            let rook_file = if side == CastlingSide::KingSide { File::H } else { File::A };
            let rook = Square::from_coords(rook_file, colour.backrank());
            if men.piece_at(king) == Some(colour.king()) && men.piece_at(rook) == Some(colour.rook()) {
                let (king_to, rook_to) = castled(colour, side);
                let put = [(king_to, colour.king()), (rook_to, colour.rook())];
                pool.rank_changed(&of, &[king, rook], &put, ILLEGAL + 4.0, Story::Illegal);
            }
        }
        // A pawn takes a neighbour en passant.
        for from in men.by_piece(colour.pawn()) {
            for to in shakmaty::attacks::pawn_attacks(colour, from) & !men.occupied() {
                let beside = Square::from_coords(to.file(), from.rank());
                if men.piece_at(beside) == Some((!colour).pawn()) {
                    let put = [(to, colour.pawn())];
                    pool.rank_changed(&of, &[from, beside], &put, ILLEGAL + 3.0, Story::Illegal);
                }
            }
        }
    }
    for (from, piece) in men.iter() {
        let reach = reach(men, from, piece);
        // It takes its own man, or a pawn takes where nothing stands.
        let looks_like = men.attacks_from(from);
        // Nobody takes his own king.
        for to in !(Bitboard::from_square(from) | men.by_piece(piece.color.king())) {
            let prior = if (reach | looks_like).contains(to) { ILLEGAL_MOVE } else { ILLEGAL };
            pool.rank_changed(&of, &[from], &[(to, piece)], prior, Story::Illegal);
        }
        // The man has left the board.
        pool.rank_changed(&of, &[from], &[], ILLEGAL, Story::Illegal);
    }
    for to in !men.occupied() {
        for colour in Color::ALL {
            pool.rank_changed(&of, &[], &[(to, colour.pawn())], ILLEGAL - 1.0, Story::Illegal);
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                pool.rank_changed(&of, &[], &[(to, role.of(colour))], ILLEGAL_OTHER, Story::Illegal);
            }
        }
    }
}

/// Where a man could go if it were its turn and its king did not matter.
fn reach(men: &Board, from: Square, piece: Piece) -> Bitboard {
    let attacked = men.attacks_from(from);
    if piece.role != Role::Pawn {
        return attacked & !men.by_color(piece.color);
    }
    let free = !men.occupied();
    let forward = piece.color.fold_wb(8, -8);
    let one = Bitboard::from_square(from).shift(forward) & free;
    let from_home = Bitboard::from_rank(piece.color.relative_rank(Rank::Third));
    let two = (one & from_home).shift(forward) & free;
    (attacked & men.by_color(!piece.color)) | one | two
}

/// The placement that the squares say one by one. It stands for all that nobody thought of: where it wins, the look
/// is not understood, or a good deal more has changed than a move changes.
pub(super) fn anything(pool: &mut Pool<'_>, standing: &Board) {
    let surprises = pool.marginals.surprises(standing, SURPRISE);
    if surprises.is_empty() {
        return;
    }
    let prior = ANYTHING + ANYTHING_SQUARE * surprises.len() as f64;
    // Which of the men that are gone stands where: the first two of a colour may be taken for one another.
    let orders = [false, true].map(|swapped| {
        let mut men = standing.clone();
        let mut lost = Color::ALL.map(|colour| lost_men(standing, &surprises, colour, swapped));
        for &(square, colour) in &surprises {
            match colour {
                None => men.discard_piece_at(square),
                Some(colour) => {
                    let own = &mut lost[usize::from(colour.is_black())];
                    men.set_piece_at(square, own.pop().unwrap_or(colour.pawn()));
                }
            }
        }
        men
    });
    // What is explained better needs no story without moves: it would only take a share of the confidence.
    let told = |h: &&Hypothesis| difference(&h.men, &orders[0]).is_empty();
    let all = pool.kept.iter().chain(pool.ranked.iter().map(|(_, h)| h));
    let explained: f64 = all.filter(told).map(|h| h.prior.exp()).sum();
    if explained > prior.exp() {
        return;
    }
    for men in orders {
        pool.rank(men, prior, Story::Anything);
    }
}

/// The men of this colour that left their squares, the next one to stand somewhere last; where there are none left, a
/// pawn is the most common man.
fn lost_men(standing: &Board, surprises: &[(Square, Option<Color>)], colour: Color, swapped: bool) -> Vec<Piece> {
    let gone = |&(square, now): &(Square, Option<Color>)| {
        standing.piece_at(square).filter(|p| p.color == colour && now != Some(colour))
    };
    let mut gone: Vec<Piece> = surprises.iter().rev().filter_map(gone).collect();
    let last = gone.len();
    if swapped && last > 1 {
        gone.swap(last - 1, last - 2);
    }
    gone
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::{
        marginals::Marginals,
        tests::{Dice, Synthetic},
    };

    #[test]
    fn a_king_may_go_or_be_taken_but_not_by_his_own_side() {
        let legal = Chess::default();
        let men = legal.board();
        let marginals = Marginals::new(&Synthetic::new(men, men, 0.0, 0.0, &mut Dice(1)));
        let (seen, kept, ranked) = (HashSet::new(), Vec::new(), Vec::new());
        let mut pool = Pool { marginals: &marginals, base: men, seen, kept, ranked, best: f64::NEG_INFINITY };
        illegal(&mut pool, &legal);
        let kingless = |colour: Color| {
            let stories = pool.ranked.iter().map(move |(_, h)| &h.men);
            stories.filter(move |after| after.by_piece(colour.king()).is_empty())
        };
        for colour in Color::ALL {
            let others = men.by_color(colour) & !men.kings();
            assert!(kingless(colour).all(|after| after.by_color(colour) == others), "{colour:?} takes its own king");
            // He leaves the board, or one of the other side's sixteen takes him.
            assert_eq!(kingless(colour).count(), 17);
        }
    }
}
