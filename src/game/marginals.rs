//! What each square says by itself: the cheap estimate that shortlists placements before they are scored in full.

use shakmaty::{Bitboard, Board, Color, Square};

use super::evidence::Evidence;

/// Log-likelihoods of the 64 squares, each by itself.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    log: [[f64; 3]; 64],
}

/// Index of what a square holds in [`Evidence::square`]'s answer.
fn class(men: &Board, square: Square) -> usize {
    if men.white().contains(square) {
        1
    } else if men.black().contains(square) {
        2
    } else {
        0
    }
}

/// The squares on which two placements differ in colour: what a picture that knows no kinds of men can tell.
pub(super) fn difference(a: &Board, b: &Board) -> Bitboard {
    (a.white() ^ b.white()) | (a.black() ^ b.black())
}

impl Marginals {
    /// Asks the evidence once for each square. Values that are no numbers count as "says nothing".
    pub fn new(evidence: &dyn Evidence) -> Self {
        let mut log = [[0.0; 3]; 64];
        for square in Square::ALL {
            let said = evidence.square(square);
            if said.iter().all(|v| v.is_finite()) {
                log[square.to_usize()] = said;
            }
        }
        Self { log }
    }

    /// Estimated log p(picture | men) − log p(picture | base), from the squares that differ.
    pub fn gain(&self, men: &Board, base: &Board) -> f64 {
        difference(men, base)
            .into_iter()
            .map(|s| self.log[s.to_usize()][class(men, s)] - self.log[s.to_usize()][class(base, s)])
            .sum()
    }

    /// How much better the square would be explained by `to` than by what `men` have there; not below zero.
    fn regret(&self, men: &Board, square: Square, to: usize) -> f64 {
        let log = &self.log[square.to_usize()];
        (log[to] - log[class(men, square)]).max(0.0)
    }

    /// Upper bound on what the next plies of each side can still gain over `men`, by the marginals.
    ///
    /// One ply puts one man of its colour somewhere and vacates one square of its colour (castling: two of each), and
    /// en passant vacates one of the other colour. The only lines outside the bound have a man that captures and
    /// leaves again within it; they need three plies in one look.
    pub fn reachable_gain(&self, men: &Board, plies_of: [usize; 2], may_castle: [bool; 2]) -> f64 {
        let mut sum = 0.0;
        for (colour, side) in [(Color::White, 0), (Color::Black, 1)] {
            let plies = plies_of[side];
            let moved = if plies == 0 { 0 } else { plies + usize::from(may_castle[side]) };
            let vacated = moved + plies_of[1 - side];
            let own = men.by_color(colour);
            sum += top(moved, (!own).into_iter().map(|s| self.regret(men, s, side + 1)));
            sum += top(vacated, own.into_iter().map(|s| self.regret(men, s, 0)));
        }
        sum
    }

    /// The squares at which something else than `men` is likelier by more than `margin` nats, and the likeliest there.
    pub fn surprises(&self, men: &Board, margin: f64) -> Vec<(Square, Option<Color>)> {
        Square::ALL
            .into_iter()
            .filter_map(|s| {
                let best = (0..3).max_by(|&a, &b| self.log[s.to_usize()][a].total_cmp(&self.log[s.to_usize()][b]))?;
                let colour = [None, Some(Color::White), Some(Color::Black)][best];
                (self.regret(men, s, best) > margin).then_some((s, colour))
            })
            .collect()
    }
}

/// Sum of the `count` largest values.
fn top(count: usize, values: impl Iterator<Item = f64>) -> f64 {
    // At most a handful: a sorted array of the best is quicker than sorting all.
    let mut best = [0.0_f64; 12];
    let count = count.min(best.len());
    for value in values {
        let mut value = value;
        for slot in &mut best[..count] {
            if value > *slot {
                std::mem::swap(slot, &mut value);
            }
        }
    }
    best[..count].iter().sum()
}
