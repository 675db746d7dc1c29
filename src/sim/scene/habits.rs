//! What players do beside the moves: how often men are slid, touched, adjusted, moved illegally.

use serde::{Deserialize, Serialize};

/// Longest rest in view, in seconds.
pub const LONGEST_REST_S: f64 = 3600.0;

/// Habits of the players, as probabilities from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Habits {
    /// For each ply: an illegal move is made first, stands for a while and is put back.
    pub illegal: f64,
    /// For each ply: a man of the side to move is lifted and put back first.
    pub touch: f64,
    /// For each ply: a man of the side to move is pushed to the middle of its square first.
    pub adjust: f64,
    /// For each ply: another legal move is played and taken back first.
    pub take_back: f64,
    /// For each ply: the hand knocks over a man, which is set upright again.
    pub knock_over: f64,
    /// For each ply: the hand then rests in view for a while.
    pub rest: f64,
    /// Shortest rest in view, in seconds.
    pub rest_min_s: f64,
    /// Longest rest in view, in seconds.
    pub rest_max_s: f64,
    /// For each ply that allows it: the man is held low over an empty square beside its goal for a while before it is
    /// set down.
    pub hover: f64,
    /// Shortest time of that, in seconds.
    pub hover_min_s: f64,
    /// Longest time of that, in seconds.
    pub hover_max_s: f64,
    /// For each ply that allows it: the man is pushed along the board.
    pub slide: f64,
    /// For each castling: a pause between king and rook.
    pub slow_castling: f64,
    /// For each castling: the rook goes first.
    pub rook_first: f64,
    /// For each promotion: the pawn waits on the last rank for the new man.
    pub late_promotion: f64,
    /// For each capture: the captured man is taken with the other one in hand.
    pub in_hand: f64,
    /// For each capture: the man is set down before the captured one is taken. Otherwise the square is cleared first.
    pub put_first: f64,
    /// After the game the kings are put on the central squares for its result.
    pub kings_for_result: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            // What changes the truth or asks for an arbiter happens only when it is asked for.
            illegal: 0.0,
            touch: 0.0,
            take_back: 0.0,
            knock_over: 0.0,
            rest: 0.0,
            rest_min_s: 3.0, // as long as a short think
            rest_max_s: 10.0,
            hover: 0.0,
            hover_min_s: 1.0, // a hesitation
            hover_max_s: 3.0,
            // Harmless, and seen in every club game: a man put straight now and then,
            adjust: 0.02,
            // rooks and pawns pushed rather than lifted,
            slide: 0.12,
            // and castling or promoting without haste is rare enough to be asked for.
            slow_castling: 0.0,
            rook_first: 0.0,
            late_promotion: 0.0,
            // Captures: nearly every second one with one hand, a few by putting down first.
            in_hand: 0.4,
            put_first: 0.06,
            kings_for_result: false,
        }
    }
}

impl Habits {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub(crate) fn ranges(&self) -> [(&'static str, f64, f64, f64); 17] {
        [
            ("habits.illegal", self.illegal, 0.0, 1.0),
            ("habits.touch", self.touch, 0.0, 1.0),
            ("habits.adjust", self.adjust, 0.0, 1.0),
            ("habits.take_back", self.take_back, 0.0, 1.0),
            ("habits.knock_over", self.knock_over, 0.0, 1.0),
            ("habits.rest", self.rest, 0.0, 1.0),
            ("habits.rest_min_s", self.rest_min_s, 0.0, LONGEST_REST_S),
            ("habits.rest_max_s", self.rest_max_s, self.rest_min_s, LONGEST_REST_S),
            ("habits.hover", self.hover, 0.0, 1.0),
            ("habits.hover_min_s", self.hover_min_s, 0.0, LONGEST_REST_S),
            ("habits.hover_max_s", self.hover_max_s, self.hover_min_s, LONGEST_REST_S),
            ("habits.slide", self.slide, 0.0, 1.0),
            ("habits.slow_castling", self.slow_castling, 0.0, 1.0),
            ("habits.rook_first", self.rook_first, 0.0, 1.0),
            ("habits.late_promotion", self.late_promotion, 0.0, 1.0),
            ("habits.in_hand", self.in_hand, 0.0, 1.0),
            // Both are shares of the same captures.
            ("habits.put_first", self.put_first, 0.0, 1.0 - self.in_hand),
        ]
    }
}
