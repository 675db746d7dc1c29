//! What one look says of each square by itself: for displays, diagnostics and figures. The game asks for whole
//! placements instead, because men hide each other ([`super::evidence`]).

use shakmaty::Bitboard;

/// Every square of one look, a1, b1, … h8.
#[derive(Debug, Clone, PartialEq)]
pub struct Squares {
    /// Probabilities of empty, white man, black man: they add up to 1.
    pub probability: [[f32; 3]; 64],
    /// Probability that the square holds something else than in the last picture that was understood.
    pub changed: [f32; 64],
    /// How much the picture can tell of the square: 0 nothing (hidden, covered, outside the picture), 1 all of it.
    pub reliability: [f32; 64],
    /// Squares over which there is something else than the board and its men: a hand, a sleeve, something that moves.
    pub covered: Bitboard,
}

impl Squares {
    /// What stands there most likely: 0 nothing, 1 a white man, 2 a black man.
    #[must_use]
    pub fn likeliest(&self, square: shakmaty::Square) -> usize {
        let probability = self.probability[usize::from(square)];
        (0..3).max_by(|a, b| probability[*a].total_cmp(&probability[*b])).unwrap_or(0)
    }
}
