//! What players do beside the moves, by chance: how often men are slid, touched, adjusted, moved illegally.

use shakmaty::{Board, CastlingSide, Chess, Color, Move, Outcome, Piece, Position, Role, Square};

use super::{
    script::can_slide,
    story::{HandMove, Incident, Story, What},
};
use crate::{
    event::reasons::IllegalReason,
    game::verdicts,
    sim::{dice::Dice, scene::Habits},
};

/// Chance of another kind of incident is thrown with other dice, so that one habit does not change what another does.
const PURPOSE: u64 = 0xab17;

/// What chance brings at a ply, each habit with dice of its own.
struct Chances {
    seed: u64,
    ply: usize,
}

impl Chances {
    /// The habit's further dice, where it happens with this probability and does.
    fn of(&self, habit: u64, probability: f64) -> Option<Dice> {
        let mut dice = Dice::new(self.seed, PURPOSE ^ habit << 16 ^ (self.ply as u64) << 24);
        (dice.unit() < probability).then_some(dice)
    }
}

impl Habits {
    /// Adds to a story what habit brings. What the story says of a ply itself stays as it is: habit shapes only plies
    /// whose manner the story leaves open. A move that is not legal ends it there.
    #[must_use]
    pub fn embellish(&self, mut story: Story, seed: u64) -> Story {
        let mut added = vec![];
        let mut position = story.start.position().clone();
        for (ply, &m) in story.moves.iter().enumerate() {
            if !position.is_legal(m) {
                break;
            }
            let told: Vec<&What> = story.incidents.iter().filter(|i| i.ply == ply).map(|i| &i.what).collect();
            let chances = Chances { seed, ply };
            let mut before = self.before(&position, m, &told, &chances);
            before.extend(self.shape(&position, m, &told, &chances));
            added.extend(before.into_iter().map(|what| Incident { ply, what }));
            position.play_unchecked(m);
        }
        let told = story.incidents.iter().any(|i| matches!(i.what, What::Kings(_)));
        if self.kings_for_result && !told {
            let outcome = match position.outcome() {
                Outcome::Unknown => story.result,
                known => known,
            };
            if let Outcome::Known(outcome) = outcome {
                added.push(Incident { ply: story.moves.len(), what: What::Kings(outcome) });
            }
        }
        story.incidents.extend(added);
        story
    }

    /// What happens beside a ply.
    fn before(&self, position: &Chess, m: Move, told: &[&What], chances: &Chances) -> Vec<What> {
        let mut added = vec![];
        let own: Vec<Square> = position.us().into_iter().collect();
        if let Some(mut dice) = chances.of(1, self.adjust) {
            added.push(What::Adjust(pick(&mut dice, &own)));
        }
        if let Some(mut dice) = chances.of(2, self.touch) {
            added.push(What::Touch(pick(&mut dice, &own)));
        }
        if let Some(hands) = chances.of(3, self.illegal).and_then(|mut dice| illegal(position, &mut dice)) {
            added.push(What::Illegal(hands));
        }
        if let Some(mut dice) = chances.of(4, self.take_back) {
            let others: Vec<Move> = position.legal_moves().into_iter().filter(|o| *o != m).collect();
            if !others.is_empty() {
                added.push(What::TakeBack(vec![pick(&mut dice, &others)]));
            }
        }
        if let Some(mut dice) = chances.of(5, self.knock_over) {
            let mut after = position.clone();
            after.play_unchecked(m);
            let standing = |s: &Square| position.board().piece_at(*s) == after.board().piece_at(*s);
            let men: Vec<Square> = position.board().occupied().into_iter().filter(standing).collect();
            if !men.is_empty() && !told.iter().any(|w| matches!(w, What::KnockOver(_))) {
                added.push(What::KnockOver(pick(&mut dice, &men)));
            }
        }
        if let Some(mut dice) = chances.of(6, self.rest)
            && !told.iter().any(|w| matches!(w, What::Rest(_)))
        {
            added.push(What::Rest(dice.between(self.rest_min_s, self.rest_max_s)));
        }
        added
    }

    /// In which way a ply is made, where the story does not say.
    fn shape(&self, position: &Chess, m: Move, told: &[&What], chances: &Chances) -> Vec<What> {
        let shaped = |w: &&What| {
            matches!(
                w,
                What::Slide
                    | What::Hover(..)
                    | What::Capture(_)
                    | What::SlowCastling
                    | What::RookFirst
                    | What::LatePromotion
            )
        };
        if told.iter().any(shaped) {
            return vec![];
        }
        let hover = chances.of(11, self.hover).zip(self.beside(position, m)).map(|(mut dice, free)| {
            What::Hover(pick(&mut dice, &free), dice.between(self.hover_min_s, self.hover_max_s))
        });
        let held = hover.is_some();
        let mut added: Vec<What> = hover.into_iter().collect();
        if m.is_castle() && chances.of(7, self.rook_first).is_some() {
            added.push(What::RookFirst);
        } else if m.is_castle() && chances.of(8, self.slow_castling).is_some() {
            added.push(What::SlowCastling);
        }
        if m.is_promotion() && chances.of(9, self.late_promotion).is_some() {
            added.push(What::LatePromotion);
        }
        if !held && can_slide(m) && chances.of(10, self.slide).is_some() {
            added.push(What::Slide);
        }
        added
    }

    /// The empty squares beside a man's goal over which it may be held first; `None` where there are none.
    fn beside(&self, position: &Chess, m: Move) -> Option<Vec<Square>> {
        let goal = if m.is_castle() { None } else { Some(m.to()) }?;
        let free = |s: &Square| s.distance(goal) == 1 && position.board().piece_at(*s).is_none();
        Some(Square::ALL.into_iter().filter(free).collect::<Vec<_>>()).filter(|free| !free.is_empty())
    }
}

fn pick<T: Copy>(dice: &mut Dice, among: &[T]) -> T {
    among[dice.index(among.len())]
}

/// An illegal change, drawn from all reasons that the position allows: first the reason, then the change. `None` where
/// the position allows none.
#[must_use]
pub fn illegal(position: &Chess, dice: &mut Dice) -> Option<Vec<HandMove>> {
    let mut by_reason: Vec<(IllegalReason, Vec<Vec<HandMove>>)> = vec![];
    for hands in attempts(position, dice) {
        let placement = after(position.board(), &hands);
        if placement == *position.board() {
            continue;
        }
        let Some(reason) = verdicts::judge(position, &placement).reasons.iter().next() else { continue };
        match by_reason.iter_mut().find(|r| r.0 == reason) {
            Some((_, found)) => found.push(hands),
            None => by_reason.push((reason, vec![hands])),
        }
    }
    // In the order of the reasons, whatever order they were found in.
    by_reason.sort_by_key(|r| r.0);
    if by_reason.is_empty() {
        return None;
    }
    let among = &by_reason[dice.index(by_reason.len())].1;
    among.get(dice.index(among.len())).cloned()
}

/// What hands can do to a placement.
#[must_use]
pub fn after(men: &Board, hands: &[HandMove]) -> Board {
    let mut men = men.clone();
    for hand in hands {
        match *hand {
            HandMove::Carry { from, to } => {
                if let Some(piece) = men.remove_piece_at(from) {
                    men.set_piece_at(to, piece);
                }
            }
            HandMove::Remove(square) => men.discard_piece_at(square),
            HandMove::Put { piece, at } => men.set_piece_at(at, piece),
        }
    }
    men
}

/// Changes that a hand might make against the rules: every way of one man (kings are not taken), castling, taking en
/// passant, a man that comes from nowhere, and two men at once.
fn attempts(position: &Chess, dice: &mut Dice) -> Vec<Vec<HandMove>> {
    let men = position.board();
    let king_at = |square: Square| men.role_at(square) == Some(Role::King);
    let mut found = vec![];
    for from in men.occupied() {
        for to in Square::ALL.into_iter().filter(|&to| to != from && !king_at(to)) {
            found.push(vec![HandMove::Carry { from, to }]);
            // A pawn beside may be taken off as if it had just come there.
            let beside = Square::from_coords(to.file(), from.rank());
            let diagonal = from.file().distance(to.file()) == 1 && from.rank().distance(to.rank()) == 1;
            if men.role_at(from) == Some(Role::Pawn) && diagonal && men.piece_at(to).is_none() {
                let pawn = men.color_at(from).map(|colour| (!colour).pawn());
                if men.piece_at(beside) == pawn {
                    found.push(vec![HandMove::Carry { from, to }, HandMove::Remove(beside)]);
                }
            }
        }
    }
    for colour in Color::ALL {
        for (side, rook) in [(CastlingSide::KingSide, 'h'), (CastlingSide::QueenSide, 'a')] {
            let rank = colour.backrank();
            let Some(file) = shakmaty::File::from_char(rook) else { continue };
            let (king, rook) = (Square::from_coords(shakmaty::File::E, rank), Square::from_coords(file, rank));
            let (king_to, rook_to) = (side.king_to(colour), side.rook_to(colour));
            let free = [king_to, rook_to].iter().all(|s| men.piece_at(*s).is_none());
            if free && men.piece_at(king) == Some(colour.king()) && men.piece_at(rook) == Some(colour.rook()) {
                let trips = [(king, king_to), (rook, rook_to)];
                found.push(trips.map(|(from, to)| HandMove::Carry { from, to }).to_vec());
            }
        }
    }
    let (standing, empty): (Vec<Square>, Vec<Square>) = Square::ALL.iter().partition(|s| men.piece_at(**s).is_some());
    if empty.len() >= 2 && standing.len() >= 2 {
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let piece = Piece { color: position.turn(), role };
            found.push(vec![HandMove::Put { piece, at: pick(dice, &empty) }]);
        }
        for _ in 0..4 {
            let (a, b) = (pick(dice, &standing), pick(dice, &standing));
            let (to, other) = (pick(dice, &empty), pick(dice, &empty));
            if a != b && to != other {
                found.push(vec![HandMove::Carry { from: a, to }, HandMove::Carry { from: b, to: other }]);
            }
        }
    }
    found
}
