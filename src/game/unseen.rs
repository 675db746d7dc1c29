//! Was it the other side's turn after all, since a ply was not seen?

use shakmaty::{Board, Chess, Position as _};

use super::{evidence::Evidence, verdicts::Verdict};
use crate::event::reasons::IllegalReason;

/// Nats against a ply up to which it may have been played all the same: black men on black squares in dim light, a man
/// behind another one. In the test recordings the ply that shows least costs 31.
const HARDLY_SEEN: f64 = 12.0;

/// Would these men, judged so after `position`, stand there by the reply to a ply that the picture can hardly tell from none?
/// Then nobody is to be told that it was not his turn.
pub(super) fn after_an_unseen_ply(evidence: &dyn Evidence, position: &Chess, men: &Board, verdict: &Verdict) -> bool {
    if !verdict.reasons.contains(IllegalReason::WrongSide) {
        return false;
    }
    let Some(reply) = verdict.uci else { return false };
    let told = evidence.log_likelihood(men);
    position.legal_moves().into_iter().any(|ply| {
        let mut after = position.clone();
        after.play_unchecked(ply);
        let Ok(reply) = reply.to_move(&after) else { return false };
        after.play_unchecked(reply);
        evidence.log_likelihood(after.board()) > told - HARDLY_SEEN
    })
}
