//! Moves half made: what hands do between two positions. To be waited for, neither told nor warned of.

use shakmaty::{Board, CastlingSide, Chess, Color, Move, Piece, Position as _, Role, Square};

use super::{
    super::{difference::difference, line::Line},
    Known, PLY, Pool, Story, after, promotion_prior,
};

/// Men in the air and moves half made are as common as moves, but there are fewer kinds of them.
const MAKING: f64 = -6.0;
/// Both men of a capture in the air at once.
const MAKING_BOTH: f64 = -8.0;
/// A pawn on the last rank that waits for its queen; to be told from the queen by a picture that knows kinds of men.
const UNPROMOTED: f64 = -9.5;

/// One side has moved and the other has a man in the air already.
pub(super) fn reply_begun(pool: &mut Pool<'_>, line: &Line) {
    let legal = line.position();
    for mv in legal.legal_moves() {
        let men = after(legal, mv);
        let of = pool.origin(&men);
        for square in men.by_color(!legal.turn()) {
            let prior = PLY + MAKING + promotion_prior(mv);
            if !pool.hopeless_change(&of, &[square], &[], prior) {
                let story = Story::Line { keep: line.len(), moves: vec![mv], over: None };
                pool.rank(changed(&men, &[square], &[]), prior, story);
            }
        }
    }
}

/// `men` with some squares emptied and one man put down.
pub(in crate::game) fn changed(men: &Board, emptied: &[Square], put: &[(Square, Piece)]) -> Board {
    let mut men = men.clone();
    for &square in emptied {
        men.discard_piece_at(square);
    }
    for &(square, piece) in put {
        men.set_piece_at(square, piece);
    }
    men
}

/// Moves half made, by either hand, and illegal changes being put right.
pub(super) fn making(pool: &mut Pool<'_>, known: &Known<'_>) {
    let line = known.line;
    let legal = line.position();
    let men = legal.board();
    let of = pool.origin(men);
    // Any man may be touched or lifted by the side to move; the other side's when it is captured.
    for square in legal.us() {
        pool.rank_changed(&of, &[square], &[], MAKING, Story::Making { lifted: Some(square) });
    }
    for mv in legal.legal_moves() {
        half_made(pool, legal, mv);
    }
    // The last move being undone or its man adjusted; a captured man comes back last.
    if let Some(last) = line.plies().last() {
        let before = line.position_after(line.len() - 1);
        for square in difference(before.board(), men) & men.by_color(!legal.turn()) {
            pool.rank_changed(&of, &[square], &[], MAKING, Story::Making { lifted: Some(square) });
        }
        if let Some(captured) = captured_square(last.mv) {
            pool.rank_changed(&pool.origin(before.board()), &[captured], &[], MAKING, Story::Making { lifted: None });
        }
        // Castling that began with the rook.
        if let Move::Normal { role: Role::Rook, from, .. } = last.mv {
            for mv in before.legal_moves() {
                if matches!(mv, Move::Castle { rook, .. } if rook == from) {
                    half_made(pool, before, mv);
                }
            }
        }
    }
    // An illegal change being put right: its men in the air, or some of them back.
    if known.standing != men && !known.over {
        let wrong = difference(known.standing, men);
        let stood = pool.origin(known.standing);
        for square in wrong {
            let undone = men.piece_at(square).map_or_else(
                || changed(known.standing, &[square], &[]),
                |piece| changed(known.standing, &[], &[(square, piece)]),
            );
            pool.rank(undone, MAKING, Story::Making { lifted: None });
            pool.rank_changed(&stood, &[square], &[], MAKING, Story::Making { lifted: None });
            pool.rank_changed(&of, &[square], &[], MAKING, Story::Making { lifted: None });
        }
    }
}

/// Square of the man that a move captures.
pub(super) fn captured_square(mv: Move) -> Option<Square> {
    match mv {
        Move::Normal { to, capture: Some(_), .. } => Some(to),
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => None,
    }
}

/// The placements that a legal move passes through on its way.
fn half_made(pool: &mut Pool<'_>, position: &Chess, mv: Move) {
    let of = pool.origin(position.board());
    let us = position.turn();
    let waiting = |lifted| Story::Making { lifted };
    if let (Some(captured), Some(from)) = (captured_square(mv), mv.from()) {
        pool.rank_changed(&of, &[captured], &[], MAKING, waiting(Some(captured)));
        pool.rank_changed(&of, &[captured, from], &[], MAKING_BOTH, waiting(None));
        if mv.is_en_passant() {
            pool.rank_changed(&of, &[from], &[(mv.to(), us.pawn())], MAKING, waiting(None));
        }
    }
    if mv.is_promotion()
        && let Some(from) = mv.from()
    {
        pool.rank_changed(&of, &[from], &[(mv.to(), us.pawn())], UNPROMOTED, Story::Unpromoted);
    }
    if let (Move::Castle { king, rook }, Some(side)) = (mv, mv.castling_side()) {
        let (king_to, rook_to) = castled(us, side);
        pool.rank_changed(&of, &[king], &[], MAKING, waiting(Some(king)));
        pool.rank_changed(&of, &[king, rook], &[], MAKING, waiting(None));
        // Put down one of the two while the other is still at home, or in the air.
        pool.rank_changed(&of, &[king], &[(king_to, us.king())], MAKING, waiting(None));
        pool.rank_changed(&of, &[king, rook], &[(king_to, us.king())], MAKING, waiting(None));
        pool.rank_changed(&of, &[king, rook], &[(rook_to, us.rook())], MAKING, waiting(None));
        pool.rank_changed(&of, &[rook], &[(rook_to, us.rook())], MAKING, waiting(None));
    }
}

/// Where king and rook stand after castling.
pub(in crate::game) fn castled(colour: Color, side: CastlingSide) -> (Square, Square) {
    (side.king_to(colour), side.rook_to(colour))
}
