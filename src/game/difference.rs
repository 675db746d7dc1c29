//! Where two placements of men differ.

use shakmaty::{Bitboard, Board};

/// The squares on which two placements differ in colour: what a picture that knows no kinds of men can tell.
pub(super) fn difference(a: &Board, b: &Board) -> Bitboard {
    difference_of((a.white(), a.black()), (b.white(), b.black()))
}

/// The same of placements as their white and their black men.
pub(super) fn difference_of(a: (Bitboard, Bitboard), b: (Bitboard, Bitboard)) -> Bitboard {
    (a.0 ^ b.0) | (a.1 ^ b.1)
}
