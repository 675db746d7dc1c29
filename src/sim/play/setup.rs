//! Men that are still being set up when the film begins.

use shakmaty::{Color, Square};

use super::{
    cast::{Task, Way},
    script::{Label, State, Writer},
};
use crate::sim::{dice::Dice, shape::man::Place};

/// So many men does a player set up in one visit of the hand.
const IN_ONE_VISIT: usize = 2;

impl Writer<'_> {
    /// Puts as many men beside the board as the scene tells; returns where they belong, in the order in which they will
    /// be set up. `seed` chooses them.
    pub(super) fn lay_aside(&mut self, seed: u64) -> Vec<(usize, Place)> {
        let mut dice = Dice::new(seed, 0x5e);
        let mut chosen = vec![];
        let mut standing: Vec<usize> = (0..self.cast.men.len()).collect();
        for _ in 0..self.scene.opening.missing {
            if standing.is_empty() {
                break;
            }
            let man = standing.swap_remove(dice.index(standing.len()));
            chosen.push((man, self.cast.men[man].place));
        }
        for &(man, _) in &chosen {
            let owner = self.cast.men[man].piece.color;
            self.cast.men[man].place = self.aside(owner);
        }
        chosen
    }

    /// The players set up men, each his own, by turns; no ply stands yet.
    pub(super) fn set_up(&mut self, men: Vec<(usize, Place)>) {
        let (white, black): (Vec<_>, Vec<_>) =
            men.into_iter().partition(|(man, _)| self.cast.men[*man].piece.color == Color::White);
        let (mut white, mut black) = (white.chunks(IN_ONE_VISIT), black.chunks(IN_ONE_VISIT));
        loop {
            let visits = [(Color::White, white.next()), (Color::Black, black.next())];
            for (player, men) in visits {
                self.visit(player, men.unwrap_or_default());
            }
            if visits.iter().all(|visit| visit.1.is_none()) {
                break;
            }
        }
        // When the last man stands the game can begin.
        if let Some(last) = self.acts.last_mut() {
            (last.state, last.note, last.after) = (State::Clean, "", Label::new("start", ""));
        }
        self.calm_s = self.stand_s();
    }

    fn visit(&mut self, player: Color, men: &[(usize, Place)]) {
        let Some(square) = men.last().and_then(|(_, to)| on(*to)) else { return };
        let mut tasks = vec![];
        for &(man, to) in men {
            self.does(&mut tasks, Task::Carry { man, to, way: Way::Lifted });
        }
        let act = self.act(player, Label::new("setup", square), tasks, 0);
        (act.state, act.note) = (State::Irregular, "men are being set up");
        self.calm_s = self.half_s();
    }
}

const fn on(place: Place) -> Option<Square> {
    match place {
        Place::On(square, _) => Some(square),
        Place::Beside(_) | Place::Held | Place::Away => None,
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;
    use crate::{
        game::start::Start,
        sim::{
            Scene,
            play::{
                script::{Script, tests::moves},
                story::Story,
            },
        },
    };

    #[test]
    fn the_men_that_are_missing_are_set_up_before_the_first_ply() {
        let start = Start::default();
        let story: Story = (start.clone(), moves(start.position(), "e2e4 e7e5")).into();
        for missing in [1, 5, 32] {
            let mut scene = Scene::default();
            scene.opening.missing = missing;
            let script = Script::new(&scene, &story, 7).unwrap();
            let mut cast = script.cast.clone();
            assert_eq!(cast.placement().occupied().count(), 32 - missing as usize);
            let mut stands = cast.placement().occupied().count();
            let before: Vec<_> = script.acts.iter().filter(|act| act.plies == 0).collect();
            for (i, act) in before.iter().enumerate() {
                act.tasks.iter().for_each(|task| cast.perform(*task));
                assert!(cast.shows(&act.placement) && act.placement.occupied().count() > stands);
                stands = act.placement.occupied().count();
                let last = i + 1 == before.len();
                assert_eq!((act.state == State::Clean, act.after.word == "start"), (last, last));
                assert_eq!(act.label.word, "setup");
            }
            assert_eq!(&cast.placement(), start.position().board(), "{missing} men");
            assert_eq!(script.acts.len(), before.len() + 2);
        }
    }
}
