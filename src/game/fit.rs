//! What a single square says against a story that all squares together tell.

use shakmaty::Board;

use super::{evidence::Evidence, marginals::Marginals};

/// Nats by which one square, all others as told, must disagree to overthrow a story: more than any story's prior, and than
/// a square in a shadow that was never seen bare.
const CONTRADICTION: f64 = 12.0;

/// How a look goes with a story, square by square.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitting {
    /// Is the truth among the stories?
    pub fit: Fit,
    /// How much better the squares explain the look one by one, in nats.
    pub misfit: f64,
    /// The same without the square that disagrees most: what deceives one may be of that square alone, what deceives several
    /// (a shadow, another light) may have deceived all.
    pub misfit_of_several: f64,
}

impl Fitting {
    /// Of a look at which nothing has changed.
    pub(super) const PERFECT: Self = Self { fit: Fit::Well, misfit: 0.0, misfit_of_several: 0.0 };

    /// With these men.
    pub fn of(evidence: &dyn Evidence, marginals: &Marginals, men: &Board) -> Self {
        let gains = marginals.gains(men);
        let (misfit, most) = (gains.iter().sum(), gains.into_iter().fold(0.0, f64::max));
        Self { fit: fit(evidence, marginals, men), misfit, misfit_of_several: misfit - most }
    }
}

/// How the squares, one by one, go with a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// None says clearly that something else stands there.
    Well,
    /// The truth was not among the stories.
    Not,
}

/// How they go with these men.
pub(super) fn fit(evidence: &dyn Evidence, marginals: &Marginals, men: &Board) -> Fit {
    let told = evidence.log_likelihood(men);
    let mut against = marginals.surprises(men, CONTRADICTION).into_iter().filter(|(square, colour)| {
        let mut other = men.clone();
        match colour {
            None => other.discard_piece_at(*square),
            Some(colour) => other.set_piece_at(*square, colour.pawn()),
        }
        evidence.log_likelihood(&other) - told > CONTRADICTION
    });
    if against.next().is_none() { Fit::Well } else { Fit::Not }
}
