//! Hands that lie at the board, or over it, while plies go by.

use shakmaty::Color;

use crate::sim::{
    math::{self, V3},
    scene::{Player, RestingHand, Scene},
    shape::hand::{Hand, shoulder},
    slip::Slip,
};

/// Films: in this time a hand comes to where it rests, and goes again, in seconds.
const COMES_S: f64 = 0.9;
/// A hand at rest trembles by so much, in squares, so fast, in radians a second.
const TREMOR: f64 = 0.01;
const TREMOR_RAD_S: f64 = 9.0;

/// The resting hands of a scene over time.
#[derive(Debug, Clone)]
pub(crate) struct Resting {
    hands: Vec<RestingHand>,
    border: f32,
    /// When each came and went, in seconds.
    came_s: Vec<Option<f64>>,
    went_s: Vec<Option<f64>>,
}

impl Resting {
    /// Those of a scene, from its beginning.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let none = vec![None; scene.resting_hand.len()];
        let border = scene.board.border as f32;
        Self { hands: scene.resting_hand.clone(), border, came_s: none.clone(), went_s: none }
    }

    /// The hands in view after so many plies; moments must be asked for in their order. In stills they lie where they
    /// rest. They keep their place at the table when the board slips.
    pub fn at(&mut self, time_s: f64, ply: usize, still: bool, board_from_table: &Slip) -> Vec<Hand> {
        let times = self.came_s.iter_mut().zip(&mut self.went_s);
        let found = self.hands.iter().zip(times).filter_map(|(hand, (came_s, went_s))| {
            if ply < hand.ply || hand.plies == 0 {
                return None;
            }
            let gone = ply >= hand.ply + hand.plies;
            let came = *came_s.get_or_insert(time_s);
            let went = gone.then(|| *went_s.get_or_insert(time_s));
            let here = match (still, went) {
                (true, _) => f64::from(u8::from(!gone)),
                (false, None) => ((time_s - came) / COMES_S).min(1.0),
                (false, Some(went)) => 1.0 - (time_s - went) / COMES_S,
            };
            (here > 0.0 || !gone).then(|| self::hand(hand, here as f32, time_s, self.border, board_from_table))
        });
        found.collect()
    }
}

/// A hand that is so far on its way (0: at the player's seat, 1: there).
fn hand(hand: &RestingHand, here: f32, time_s: f64, border: f32, board_from_table: &Slip) -> Hand {
    let player = match hand.player {
        Player::White => Color::White,
        Player::Black => Color::Black,
    };
    let shoulder = shoulder(player);
    let y = if player == Color::White { -border - 7.0 } else { 8.0 + border + 7.0 };
    let (sin, cos) = math::sin_cos(TREMOR_RAD_S * time_s);
    let there = V3::new((hand.at[0] + TREMOR * sin) as f32, (hand.at[1] + TREMOR * cos) as f32, hand.height as f32);
    let seat = V3::new(shoulder.x, y, 2.5);
    let tip = seat + (there - seat) * math::ease(here);
    Hand { tip: board_from_table.point(tip), shoulder: board_from_table.point(shoulder), player, low: here }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_comes_rests_and_goes() {
        let at = [5.0, 0.2];
        let hand = RestingHand { ply: 1, plies: 2, player: Player::White, at, height: 0.1 };
        let scene = Scene { resting_hand: vec![hand], ..Scene::default() };
        let mut stills = Resting::new(&scene);
        let seen: Vec<usize> = (0..5).map(|ply| stills.at(2.0 * ply as f64, ply, true, &Slip::NONE).len()).collect();
        assert_eq!(seen, [0, 1, 1, 0, 0]);
        let mut film = Resting::new(&scene);
        // A ply every three seconds, ten pictures a second.
        let far: Vec<Option<f32>> = (0..150)
            .map(|i| {
                let (time_s, ply) = (f64::from(i) * 0.1, i as usize / 30);
                let hands = film.at(time_s, ply, false, &Slip::NONE);
                hands.first().map(|hand| (hand.tip - V3::new(5.0, 0.2, 0.1)).norm())
            })
            .collect();
        assert!(far[..30].iter().all(Option::is_none), "it comes with its ply");
        assert!(far[30].unwrap() > 6.0, "from outside");
        assert!(far[40..90].iter().all(|d| d.unwrap() < 0.03), "it lies there");
        assert!(far[95].unwrap() > 1.0 && far[100..].iter().all(Option::is_none), "it goes");
    }
}
