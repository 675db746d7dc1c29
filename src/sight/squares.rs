//! What one look says of each square: the likeliest placement of men, found square by square without any rule of play.
//!
//! A man who has moved hides other squares than before, so no square can be read with all others as they were. The
//! reading begins with the men that stood there, changes the square where the picture asks for it most, looks again at
//! those whose points it shares, and ends when no single change is likelier.

use shakmaty::{Bitboard, Role, Square};

use super::{coverage::role_index, evidence::LookEvidence, layout::Layout};

/// ln of the odds that a square's content has changed to one certain other: a ply changes two or three of 64.
const CHANGED: f64 = -4.0;
/// Changes after which the reading stops: more is a hand, or another position.
const MOST_CHANGES: usize = 16;
/// What a square says counts so much less in its probability: measured on 61,376 squares of recordings and scenes, of
/// those told with 95 to 98 % without this 86 % were right.
const CALIBRATION: f64 = 0.75;
/// Nats for a square of which no point differs from before: measured, they say 20 and more.
const AS_BEFORE: f64 = 12.0;
/// Nats below the likeliest content from which the kinds of men are not told apart.
const HOPELESS: f64 = 30.0;
/// How often men of each kind move, pawn to king: 64 classical games.
const KINDS: [f64; 6] = [0.27, 0.19, 0.14, 0.15, 0.13, 0.12];

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
    /// Reads a look.
    #[must_use]
    pub fn read(look: &LookEvidence<'_>) -> Self {
        let before = look.before();
        let mut men = *before;
        let mut told: [Told; 64] = std::array::from_fn(|i| Told::of(look, &men, Square::new(i as u32)));
        for _ in 0..MOST_CHANGES {
            let gain = |square: Square| told[usize::from(square)].best_gain(men.class(square), before.class(square));
            let Some((square, gain)) = Square::ALL.into_iter().map(|s| (s, gain(s))).max_by(|a, b| a.1.total_cmp(&b.1))
            else {
                break;
            };
            if gain <= 0.0 {
                break;
            }
            let told_here = &told[usize::from(square)];
            match told_here.best_class(before.class(square)) {
                0 => men.clear(square),
                class => men.set(square, class - 1, told_here.roles[class - 1]),
            }
            for other in look.coverage().beside(square) {
                told[usize::from(other)] = Told::of(look, &men, other);
            }
        }
        let covered = look.covered(&men);
        let probability = std::array::from_fn(|i| {
            let square = Square::new(i as u32);
            told[i].probability(before.class(square))
        });
        let changed = std::array::from_fn(|i| 1.0 - probability[i][before.class(Square::new(i as u32))]);
        let reliability = std::array::from_fn(|i| look.visible(&men, Square::new(i as u32)));
        Self { probability, changed, reliability, covered }
    }

    /// What stands there most likely: 0 nothing, 1 a white man, 2 a black man.
    #[must_use]
    pub fn likeliest(&self, square: Square) -> usize {
        likeliest(self.probability[usize::from(square)].map(f64::from))
    }
}

fn likeliest(of: [f64; 3]) -> usize {
    (0..3).max_by(|a, b| of[*a].total_cmp(&of[*b])).unwrap_or(0)
}

/// What a square says while all others hold what they hold.
#[derive(Debug, Clone, Copy)]
struct Told {
    /// Log-likelihoods of empty, white man, black man.
    ln: [f64; 3],
    /// The likeliest kind of a white and a black man.
    roles: [usize; 2],
}

impl Told {
    fn of(look: &LookEvidence<'_>, men: &Layout, square: Square) -> Self {
        let mut empty = *men;
        empty.clear(square);
        let ln_of = |color: usize, role: usize| {
            let mut other = empty;
            other.set(square, color, role);
            look.step(&other, &empty, square)
        };
        let mut told = Self { ln: [0.0; 3], roles: [role_index(Role::Pawn); 2] };
        if *men == *look.before() && !look.may_have_changed(square) {
            told.ln = [-AS_BEFORE; 3];
            told.ln[men.class(square)] = 0.0;
            return told;
        }
        // The man who stood there is no other one.
        let known = look.before().at(square);
        let mut by_color = [[f64::NEG_INFINITY; 6]; 2];
        for (color, of_kind) in by_color.iter_mut().enumerate() {
            match known.filter(|(c, _)| *c == color) {
                Some((_, role)) => of_kind[role] = ln_of(color, role),
                None => {
                    for role in [role_index(Role::Pawn), role_index(Role::Queen)] {
                        of_kind[role] = ln_of(color, role) + KINDS[role].ln();
                    }
                }
            }
        }
        let best = by_color.as_flattened().iter().copied().fold(0.0, f64::max);
        for (color, of_kind) in by_color.iter_mut().enumerate() {
            if known.is_none_or(|(c, _)| c != color) && of_kind.iter().any(|ln| *ln > best - HOPELESS) {
                for (role, ln) in of_kind.iter_mut().enumerate().filter(|(_, ln)| **ln == f64::NEG_INFINITY) {
                    *ln = ln_of(color, role) + KINDS[role].ln();
                }
            }
            let most = of_kind.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            told.ln[1 + color] = most + of_kind.iter().map(|ln| (ln - most).exp()).sum::<f64>().ln();
            told.roles[color] = (0..6).max_by(|a, b| of_kind[*a].total_cmp(&of_kind[*b])).unwrap_or(0);
        }
        told
    }

    /// ln of prior times likelihood to the power of `weight`, where `before` stood.
    fn posterior_ln(&self, before: usize, weight: f64) -> [f64; 3] {
        std::array::from_fn(|class| weight * self.ln[class] + if class == before { 0.0 } else { CHANGED })
    }

    fn best_class(&self, before: usize) -> usize {
        likeliest(self.posterior_ln(before, 1.0))
    }

    /// How much likelier the best content is than the present one.
    fn best_gain(&self, now: usize, before: usize) -> f64 {
        let ln = self.posterior_ln(before, 1.0);
        ln[likeliest(ln)] - ln[now]
    }

    fn probability(&self, before: usize) -> [f32; 3] {
        let ln = self.posterior_ln(before, CALIBRATION);
        let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = ln.map(|l| (l - most).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|w| (w / sum) as f32)
    }
}
