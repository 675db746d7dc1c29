//! What no rule allows, and whatever nobody thought of.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, File, Piece, Position as _, Rank, Role, Square};

use super::{
    super::marginals::difference,
    Hypothesis, Pool, Story,
    making::{castled, changed},
};

/// Deliberate or careless, under one move in a hundred, spread over thousands of placements.
const ILLEGAL: f64 = -13.0;
/// Of those, what looks like a move: the other side's turn, the own king in check. There are some fifty.
const ILLEGAL_MOVE: f64 = -9.0;
/// Anything at all: a base and a price for each square that changes.
const ANYTHING: f64 = -5.0;
const ANYTHING_SQUARE: f64 = -7.0;
/// Nats by which a square must disagree before "anything at all" changes it.
const SURPRISE: f64 = 3.0;

/// What a player could do against the rules with one man, or with king and rook.
pub(super) fn illegal(pool: &mut Pool<'_>, legal: &Chess) {
    let men = legal.board();
    for colour in Color::ALL {
        // Castling without the right to it, from the usual squares.
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            let king = Square::from_coords(File::E, colour.backrank());
            let rook_file = if side == CastlingSide::KingSide { File::H } else { File::A };
            let rook = Square::from_coords(rook_file, colour.backrank());
            if men.piece_at(king) == Some(colour.king()) && men.piece_at(rook) == Some(colour.rook()) {
                let (king_to, rook_to) = castled(colour, side);
                let put = [(king_to, colour.king()), (rook_to, colour.rook())];
                pool.rank(changed(men, &[king, rook], &put), ILLEGAL + 4.0, Story::Illegal);
            }
        }
        // A pawn takes a neighbour en passant.
        for from in men.by_piece(colour.pawn()) {
            for to in shakmaty::attacks::pawn_attacks(colour, from) & !men.occupied() {
                let beside = Square::from_coords(to.file(), from.rank());
                if men.piece_at(beside) == Some((!colour).pawn()) {
                    let put = [(to, colour.pawn())];
                    pool.rank(changed(men, &[from, beside], &put), ILLEGAL + 3.0, Story::Illegal);
                }
            }
        }
    }
    for (from, piece) in men.iter() {
        let reach = reach(men, from, piece);
        for to in !Bitboard::from_square(from) {
            let prior = if reach.contains(to) { ILLEGAL_MOVE } else { ILLEGAL };
            pool.rank(changed(men, &[from], &[(to, piece)]), prior, Story::Illegal);
        }
        // The man has left the board.
        pool.rank(changed(men, &[from], &[]), ILLEGAL, Story::Illegal);
    }
    for to in !men.occupied() {
        for colour in Color::ALL {
            pool.rank(changed(men, &[], &[(to, colour.pawn())]), ILLEGAL - 1.0, Story::Illegal);
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
    let mut men = standing.clone();
    for &(square, colour) in &surprises {
        match colour {
            None => men.discard_piece_at(square),
            Some(colour) => men.set_piece_at(square, lost_man(standing, &surprises, colour)),
        }
    }
    let told = |h: &Hypothesis| difference(&h.men, &men).is_empty();
    if pool.kept.iter().any(told) || pool.ranked.iter().any(|(_, h)| told(h)) {
        return;
    }
    let prior = ANYTHING + ANYTHING_SQUARE * surprises.len() as f64;
    pool.rank(men, prior, Story::Anything);
}

/// The man of this colour that left its square, when there is one; else a pawn, the most common man.
fn lost_man(standing: &Board, surprises: &[(Square, Option<Color>)], colour: Color) -> Piece {
    let gone = |&(square, now): &(Square, Option<Color>)| {
        standing.piece_at(square).filter(|p| p.color == colour && now != Some(colour))
    };
    surprises.iter().find_map(gone).unwrap_or(colour.pawn())
}
