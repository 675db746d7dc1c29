//! What a single square says against a story that all squares together tell.

use shakmaty::Board;

use super::{evidence::Evidence, marginals::Marginals};

/// Nats by which one square, all others as told, must disagree to overthrow a story: more than any story's prior, and than
/// a square in a shadow that was never seen bare.
const CONTRADICTION: f64 = 12.0;

/// How the squares, one by one, go with a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// None says clearly that something else stands there.
    Well,
    /// One that is empty in the story says clearly that a man stands there, who has come from nowhere: where the story
    /// is a move, that is more often a shadow, a light or a thing that was put down than a man.
    OneTooMany,
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
    match (against.next(), against.next()) {
        (None, _) => Fit::Well,
        (Some((square, Some(_))), None) if men.piece_at(square).is_none() => Fit::OneTooMany,
        _ => Fit::Not,
    }
}
