//! A man who took one of his own. In colours he is merely gone from where he stood, like a man in the air; but on his
//! goal stands another man than before.

use shakmaty::{Chess, Position as _};

use super::{
    Look,
    evidence::Evidence,
    hypotheses::{Story, changed},
    weighing::{Group, Weighed},
};

/// Nats by which the picture may speak against another man on the goal, in whose stead its pixels know the one before best.
/// Men who took their own (nine pictures straight from above, three lights): -3.2 to 2.3; the best of the others, whom
/// nobody took: below -9.
const AS_WELL: f64 = 6.0;

/// The story in `group` that he who seems to be in the air has taken his own, where a picture without a hand shows it: of
/// his side's men one alone looks otherwise than before, and stands where he could have gone.
pub(super) fn took_its_own<'a>(
    lifted: &Weighed,
    group: &'a Group,
    legal: &Chess,
    evidence: &dyn Evidence,
    look: Look,
) -> Option<&'a Weighed> {
    let Story::Making { lifted: Some(from) } = lifted.hypothesis.story else { return None };
    let men = legal.board();
    let piece = men.piece_at(from).filter(|piece| piece.color == legal.turn())?;
    if !look.patient || evidence.hidden().any() {
        return None;
    }
    let to = (evidence.altered() & legal.us()).without(from).single_square()?;
    if !men.attacks_from(from).contains(to) {
        return None;
    }
    let taken = changed(men, &[from], &[(to, piece)]);
    let tells = |m: &&Weighed| m.hypothesis.story == Story::Illegal && m.hypothesis.men == taken;
    group.members.iter().find(tells).filter(|m| m.log_likelihood > lifted.log_likelihood - AS_WELL)
}
