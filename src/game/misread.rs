//! What a pawn became may have been misread: from above all kinds look alike, and an upturned rook is a queen. Then what
//! looks illegal is a legal ply of the same game with another man, and nobody is warned of it.

use shakmaty::{Board, Chess, Move, Position as _};

use super::{
    alternatives::{Alternative, looking_like},
    hypotheses::promotion_prior,
    line::Line,
};

/// ln of how likely a kind is of which no alternative is left: the picture spoke clearly against it.
const REFUSED: f64 = -9.0;

/// The game with another man, and a ply more.
#[derive(Debug)]
pub(super) struct Misread {
    /// Plies before the promotion.
    pub keep: usize,
    /// The promotion, and what follows.
    pub moves: Vec<Move>,
    /// The men after them.
    pub men: Board,
    /// ln of how likely this is, up to a constant that all these lines share.
    pub log_odds: f64,
}

/// Every line that has looked like the game until now, differs from it in what one pawn became, and leads with one ply
/// more to a placement that looks like `men`. `alternatives` are those of which pictures have told how likely they are.
pub(super) fn lines(line: &Line, alternatives: &[Alternative], men: &Board) -> Vec<Misread> {
    let mut found = Vec::new();
    let promotions = line.plies().iter().enumerate().filter(|(_, ply)| ply.mv.is_promotion());
    for (keep, was) in promotions {
        let others = looking_like(line.position_after(keep), was.position.board());
        for (mv, position) in others.filter(|(mv, _)| *mv != was.mv) {
            let Some((moves, position)) = gone_on(line, keep, mv, position) else { continue };
            let told = alternatives.iter().find(|a| a.position == position).map(|a| a.log_odds);
            let kind = told.unwrap_or_else(|| REFUSED + promotion_prior(mv));
            for (ply, after) in looking_like(&position, men) {
                let moves = moves.iter().copied().chain([ply]).collect();
                let log_odds = kind + promotion_prior(ply);
                found.push(Misread { keep, moves, men: after.board().clone(), log_odds });
            }
        }
    }
    found
}

/// What was played from ply `keep` on where that ply was `mv`, which led to `position`; and where it leads. `None` where
/// the other man could not have been there.
fn gone_on(line: &Line, keep: usize, mv: Move, mut position: Chess) -> Option<(Vec<Move>, Chess)> {
    let mut moves = vec![mv];
    for ply in &line.plies()[keep + 1..] {
        let same_kind = |(mv, _): &(Move, Chess)| mv.promotion() == ply.mv.promotion();
        let (mv, next) = looking_like(&position, ply.position.board()).find(same_kind)?;
        moves.push(mv);
        position = next;
    }
    Some((moves, position))
}
