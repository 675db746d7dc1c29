//! What each square says by itself: the cheap estimate that shortlists placements before they are scored in full.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position as _, Rank, Square};

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

    /// What plies of either side can still gain over the position's placement.
    pub fn reach(&self, position: &Chess) -> Reach {
        let men = position.board();
        let mut reach = Reach::default();
        for (colour, side) in [(Color::White, 0), (Color::Black, 1)] {
            let own = men.by_color(colour);
            let (mut arrive, mut leave) = ([0.0; 4], [0.0; 4]);
            for square in Square::ALL {
                if own.contains(square) {
                    insert(&mut leave, self.regret(men, square, 0));
                } else {
                    insert(&mut arrive, self.regret(men, square, side + 1));
                }
            }
            for plies in 0..4 {
                reach.moves[side][plies + 1] = reach.moves[side][plies] + arrive[plies] + leave[plies];
            }
            reach.castling[side] = [CastlingSide::KingSide, CastlingSide::QueenSide]
                .into_iter()
                .filter_map(|wing| self.castling_gain(position, colour, wing))
                .fold(0.0, f64::max);
            let rank = colour.relative_rank(Rank::Fourth);
            let pawns = men.by_piece(colour.pawn());
            let takers = men.by_piece((!colour).pawn()) & Bitboard::from_rank(rank);
            let beside = (takers.shift(1) | takers.shift(-1)) & Bitboard::from_rank(rank);
            let taken = beside.into_iter().flat_map(|s| {
                // The pawn may still be at home, two squares back.
                let home = Square::from_coords(s.file(), colour.relative_rank(Rank::Second));
                [s, home].into_iter().filter(|&s| pawns.contains(s))
            });
            reach.en_passant[1 - side] = taken.map(|s| self.regret(men, s, 0)).fold(0.0, f64::max);
        }
        reach
    }

    /// What castling would gain, while the right to it remains.
    fn castling_gain(&self, position: &Chess, colour: Color, wing: CastlingSide) -> Option<f64> {
        let men = position.board();
        let rook = position.castles().rook(colour, wing)?;
        let king = men.king_of(colour)?;
        let own = 1 + usize::from(colour == Color::Black);
        let arrive = self.regret(men, wing.king_to(colour), own) + self.regret(men, wing.rook_to(colour), own);
        Some(arrive + self.regret(men, king, 0) + self.regret(men, rook, 0))
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

/// Upper bounds on what plies can gain; index 0 is White.
///
/// One ply puts one man of its colour somewhere and vacates one square of its colour; castling, once a game, its four
/// squares; en passant empties a square of the other colour. Outside the bound are only lines in which a man captures
/// and leaves again, or a pawn arrives and then takes en passant: they need three plies in one look.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    moves: [[f64; 5]; 2],
    castling: [f64; 2],
    en_passant: [f64; 2],
}

impl Reach {
    /// The bound for so many plies of each side, at most 4.
    pub fn gain(&self, plies_of: [usize; 2]) -> f64 {
        let side = |side: usize| {
            let plies = plies_of[side].min(4);
            if plies == 0 {
                return 0.0;
            }
            let moves = &self.moves[side];
            moves[plies].max(self.castling[side] + moves[plies - 1]) + self.en_passant[side]
        };
        side(0) + side(1)
    }
}

/// Keeps the largest values, largest first.
fn insert(best: &mut [f64; 4], mut value: f64) {
    if value <= best[3] {
        return;
    }
    for slot in best {
        if value > *slot {
            std::mem::swap(slot, &mut value);
        }
    }
}
