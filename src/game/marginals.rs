//! What each square says by itself: the cheap estimate that shortlists placements before they are scored in full.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Move, Piece, Position as _, Rank, Role, Square, attacks};

use super::{
    difference::{difference, difference_of},
    evidence::Evidence,
};

/// Log-likelihoods of the 64 squares, each by itself.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    log: [[f64; 3]; 64],
    /// Where a white man is likeliest, and where a black one.
    likeliest: (Bitboard, Bitboard),
    /// For White and Black: the squares in the order of what a man of theirs gains there, the most first, with that.
    arrive: [[(Square, f64); 64]; 2],
    /// The same of what it gains when their man is gone.
    leave: [[(Square, f64); 64]; 2],
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
        let likeliest = |class: usize| {
            let wins = |s: &Square| {
                let log = &log[s.to_usize()];
                log[class] > log[0] && log[class] > log[3 - class]
            };
            Square::ALL.into_iter().filter(wins).collect()
        };
        let order = |side: usize, sign: f64| {
            let gain = |s: Square| sign * (log[s.to_usize()][side + 1] - log[s.to_usize()][0]);
            let mut order: [(Square, f64); 64] = std::array::from_fn(|n| Square::new(n as u32)).map(|s| (s, gain(s)));
            order.sort_by(|a, b| b.1.total_cmp(&a.1));
            order
        };
        Self {
            log,
            likeliest: (likeliest(1), likeliest(2)),
            arrive: [order(0, 1.0), order(1, 1.0)],
            leave: [order(0, -1.0), order(1, -1.0)],
        }
    }

    /// Estimated log p(picture | men) − log p(picture | base), from the squares that differ.
    pub(crate) fn gain(&self, men: &Board, base: &Board) -> f64 {
        self.gains_of(men, base).map(|(_, nats)| nats).sum()
    }

    /// What it gains to empty squares of `men` and to put men on others, as far as the squares tell.
    pub fn change(&self, men: &Board, emptied: &[Square], put: &[(Square, Piece)]) -> f64 {
        let gain = |square: Square, to: usize| {
            let log = &self.log[square.to_usize()];
            log[to] - log[class(men, square)]
        };
        let left = emptied.iter().filter(|s| put.iter().all(|(to, _)| to != *s)).map(|&s| gain(s, 0));
        let come = put.iter().map(|&(s, piece)| gain(s, piece.color.fold_wb(1, 2)));
        left.chain(come).sum()
    }

    /// What the placement gains that the squares tell one by one, square by square.
    pub(super) fn gains(&self, base: &Board) -> [f64; 64] {
        Square::ALL.map(|s| {
            let log = &self.log[s.to_usize()];
            log.iter().copied().fold(f64::NEG_INFINITY, f64::max) - log[class(base, s)]
        })
    }

    /// What each square says for `men` against `base`, where they differ, in nats.
    pub(super) fn gains_of(&self, men: &Board, base: &Board) -> impl Iterator<Item = (Square, f64)> {
        difference(men, base).into_iter().map(|s| {
            let log = &self.log[s.to_usize()];
            (s, log[class(men, s)] - log[class(base, s)])
        })
    }

    /// How much better the square would be explained by `to` than by what `men` have there; not below zero.
    fn regret(&self, men: &Board, square: Square, to: usize) -> f64 {
        let log = &self.log[square.to_usize()];
        (log[to] - log[class(men, square)]).max(0.0)
    }

    /// Where a white man is likeliest, and where a black one.
    pub(crate) const fn likeliest(&self) -> (Bitboard, Bitboard) {
        self.likeliest
    }

    /// What a move gains, as far as the squares tell.
    pub fn step(&self, men: &Board, mv: Move) -> f64 {
        let put = |square: Square, to: usize| {
            let log = &self.log[square.to_usize()];
            log[to] - log[class(men, square)]
        };
        match mv {
            Move::Normal { from, to, .. } => put(from, 0) + put(to, class(men, from)),
            Move::EnPassant { from, to } => {
                put(from, 0) + put(to, class(men, from)) + put(Square::from_coords(to.file(), from.rank()), 0)
            }
            // Seldom: whether king or rook goes where the other one stood need not be worked out by hand.
            Move::Castle { king, .. } | Move::Put { to: king, .. } => {
                let mut after = men.clone();
                if let (Some(side), Some(piece)) = (mv.castling_side(), men.piece_at(king)) {
                    let Move::Castle { rook, .. } = mv else { return 0.0 };
                    after.discard_piece_at(king);
                    after.discard_piece_at(rook);
                    after.set_piece_at(side.king_to(piece.color), piece);
                    after.set_piece_at(side.rook_to(piece.color), piece.color.rook());
                }
                self.gain(&after, men)
            }
        }
    }

    /// What plies of either side can still gain over the position's placement.
    pub(crate) fn reach(&self, position: &Chess) -> Reach {
        let men = position.board();
        let wrong = difference_of((men.white(), men.black()), self.likeliest);
        let mut reach = Reach::default();
        for (colour, side) in [(Color::White, 0), (Color::Black, 1)] {
            let own = men.by_color(colour);
            reach.arrive[side] = sums(&self.arrive[side], !own);
            reach.leave[side] = sums(&self.leave[side], own);
            reach.castles[side] = position.castles().has_color(colour);
            let mut step = self.best_step(men, colour, wrong);
            if reach.castles[side] {
                let gains = [CastlingSide::KingSide, CastlingSide::QueenSide]
                    .into_iter()
                    .filter_map(|wing| self.castling_gain(position, colour, wing));
                step = gains.fold(step, f64::max);
            }
            let most =
                |squares: Bitboard, to: usize| squares.into_iter().map(|s| self.regret(men, s, to)).fold(0.0, f64::max);
            let ends = most(wrong & own, 0) + most(wrong & !own, side + 1);
            let taken = most(wrong & men.by_color(!colour), 0);
            // One man goes so many steps, from square to square, and may take on each; the others go one, or two.
            let mut men_go = [0.0_f64; MOST + 1];
            for plies in 1..=MOST {
                for of in 1..=plies {
                    let one_man = if of == 1 { step } else { ends + (of - 1) as f64 * taken };
                    men_go[plies] = men_go[plies].max(one_man + men_go[plies - of]);
                }
            }
            reach.men_go[side] = men_go;
            // A pawn that is taken en passant, where it is or still at home, two squares back.
            let pawns = men.by_piece(colour.pawn()) & wrong;
            let ranks = [Rank::Second, Rank::Fourth].map(|rank| Bitboard::from_rank(colour.relative_rank(rank)));
            let taken = pawns & (ranks[0] | ranks[1]);
            reach.en_passant[1 - side] = taken.into_iter().map(|s| self.regret(men, s, 0)).fold(0.0, f64::max);
        }
        reach
    }

    /// The most that one ply of a colour can gain, whatever stands between.
    fn best_step(&self, men: &Board, colour: Color, wrong: Bitboard) -> f64 {
        let own = men.by_color(colour);
        let goal = 1 + usize::from(colour == Color::Black);
        let goals = wrong & !own;
        let arrives = goals.into_iter().map(|s| self.regret(men, s, goal)).fold(0.0, f64::max);
        let mut best = 0.0_f64;
        // Those who gain by leaving come first: after them the others are seldom worth asking.
        for from in (own & wrong).into_iter().chain(own & !wrong) {
            let leaves = if wrong.contains(from) { self.regret(men, from, 0) } else { 0.0 };
            best = best.max(leaves);
            if leaves + arrives <= best {
                continue;
            }
            let Some(piece) = men.piece_at(from) else { continue };
            for to in could_go(from, piece) & goals {
                best = best.max(leaves + self.regret(men, to, goal));
            }
        }
        best
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
    pub(super) fn surprises(&self, men: &Board, margin: f64) -> Vec<(Square, Option<Color>)> {
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

/// Where a man could go in one ply on some board.
fn could_go(from: Square, piece: Piece) -> Bitboard {
    if piece.role != Role::Pawn {
        return attacks::attacks(from, piece, Bitboard::EMPTY);
    }
    let one = Bitboard::from_square(from).shift(piece.color.fold_wb(8, -8));
    let two = if from.rank() == piece.color.relative_rank(Rank::Second) {
        one.shift(piece.color.fold_wb(8, -8))
    } else {
        Bitboard::EMPTY
    };
    attacks::pawn_attacks(piece.color, from) | one | two
}

/// Plies of a side that are told apart; no search goes further.
const MOST: usize = 4;
/// Squares that a side can arrive at: one more than plies, for castling.
const ARRIVE: usize = MOST + 1;
/// Squares that a side's men can be gone from: as many, and those that the other side has taken.
const LEAVE: usize = ARRIVE + MOST;

/// Upper bounds on what plies can gain; index 0 is White.
///
/// Men are neither made nor lost: a side is gone from as many squares as it is new on, and from one more for each man
/// that was taken, of which there are no more than plies of the other side. And what one ply changes, one man has to do
/// that can go so.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Sums of the best gains of men on squares where their side is not.
    arrive: [[f64; ARRIVE + 1]; 2],
    /// Sums of the best gains of squares that are left.
    leave: [[f64; LEAVE + 1]; 2],
    /// May still castle: two squares in one ply.
    castles: [bool; 2],
    /// The most that so many plies gain, each man gone where it can go, whatever stands between.
    men_go: [[f64; MOST + 1]; 2],
    /// The most that taking en passant gains besides.
    en_passant: [f64; 2],
}

impl Reach {
    /// The bound for so many plies of each side, at most 4.
    pub(crate) fn gain(&self, plies_of: [usize; 2]) -> f64 {
        let plies_of = plies_of.map(|plies| plies.min(MOST));
        let side = |side: usize| {
            let most = if plies_of[side] == 0 { 0 } else { plies_of[side] + usize::from(self.castles[side]) };
            let of = |new: usize| {
                let taken = (0..=plies_of[1 - side]).map(|taken| self.leave[side][new + taken]);
                self.arrive[side][new] + taken.fold(f64::NEG_INFINITY, f64::max)
            };
            (0..=most).map(of).fold(f64::NEG_INFINITY, f64::max)
        };
        let go = |side: usize| {
            let plies = plies_of[side];
            self.men_go[side][plies] + if plies > 0 { self.en_passant[side] } else { 0.0 }
        };
        (side(0) + side(1)).min(go(0) + go(1))
    }
}

/// Sums of the first so many on these squares; what there is not cannot be had. A plain loop: half of a long search is spent
/// here.
fn sums<const N: usize>(order: &[(Square, f64)], on: Bitboard) -> [f64; N] {
    let mut sums = [f64::NEG_INFINITY; N];
    let (mut sum, mut count) = (0.0, 0);
    sums[0] = sum;
    for &(square, gain) in order {
        if on.contains(square) {
            sum += gain;
            count += 1;
            sums[count] = sum;
            if count + 1 == N {
                break;
            }
        }
    }
    sums
}
