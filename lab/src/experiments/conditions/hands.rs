//! Hands that stay over the board, that come before the last one has gone, and that look like the board.

use chess_observer::sim::{
    Scene,
    scene::{HandLook, Player, RestingHand, Srgb},
};

use super::{film, of};
use crate::{
    experiments::climb::{Climb, Rung},
    simulated::Shots,
};

/// A hand comes to rest when this ply is completed.
const FROM_PLY: usize = 2;

/// A hand that comes to rest with its fingertips there, for so many plies.
fn rests(player: Player, at: [f64; 2], height: f64, plies: usize) -> RestingHand {
    RestingHand { ply: FROM_PLY, plies, player, at, height }
}

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let families = [hurried(), at_rest(), held(), like_the_board()];
    families.into_iter().flatten().collect()
}

fn climb(name: &'static str, title: &'static str, x_label: &'static str, real: Option<f64>, rungs: Vec<Rung>) -> Climb {
    Climb { name, title, x_label, real, rungs }
}

/// Hands that come before the last one has gone.
fn hurried() -> Vec<Climb> {
    vec![climb(
        "blitz",
        "Blitz: the next hand comes before the last has left",
        "pause between two hands (s)",
        // The film wf-scholarsmate: both players' hands are in the picture together.
        Some(-1.0),
        of(&[1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0], Shots::Film, |s| {
            let mut scene = film();
            scene.camera.frame_rate_hz = 10.0;
            (scene.pace.rest_min_s, scene.pace.rest_max_s) = (s, s + 0.2);
            scene
        }),
    )]
}

/// Hands that stay at the board while others play on.
fn at_rest() -> Vec<Climb> {
    let resting = |hands: Vec<RestingHand>| {
        let mut scene = film();
        scene.resting_hand = hands;
        scene
    };
    vec![
        climb(
            "rim",
            "Fingertips at the rim for six plies, further and further in",
            "over the rim (squares)",
            // Pictures of false warnings: fingertips on the border and just over the first rank's edge.
            Some(0.2),
            of(&[-1.5, -0.4, 0.0, 0.2, 0.5, 0.8, 1.2], Shots::Film, |squares| {
                resting(vec![rests(Player::White, [4.0, squares], 0.05, 6)])
            }),
        ),
        climb(
            "resting",
            "A hand at rest over men and squares while plies go by",
            "plies",
            Some(2.0),
            of(&[0.0, 1.0, 2.0, 4.0, 8.0], Shots::Film, |plies| {
                resting(vec![rests(Player::White, [6.3, 2.2], 1.4, plies as usize)])
            }),
        ),
        climb(
            "many_hands",
            "More hands at rest at the board, besides those that move the men",
            "hands",
            Some(1.0),
            of(&[0.0, 1.0, 2.0, 3.0], Shots::Film, |hands| {
                let places = [
                    rests(Player::White, [6.8, 0.3], 1.3, 8),
                    rests(Player::Black, [1.2, 6.2], 1.3, 8),
                    rests(Player::White, [1.0, 0.3], 1.3, 8),
                ];
                resting(places.into_iter().take(hands as usize).collect())
            }),
        ),
    ]
}

/// Hands that hesitate with a man.
fn held() -> Vec<Climb> {
    vec![climb(
        "held",
        "A man held low over the next square before it is set down",
        "time (s)",
        Some(1.0),
        of(&[0.0, 0.5, 1.0, 2.0, 4.0], Shots::Film, |s| {
            let mut scene = film();
            if s > 0.0 {
                (scene.habits.hover, scene.habits.hover_min_s, scene.habits.hover_max_s) = (1.0, s, s);
            }
            scene
        }),
    )]
}

/// Hands in the colours of the squares.
fn like_the_board() -> Vec<Climb> {
    let shares = [0.0, 50.0, 80.0, 100.0];
    let of = |change: &dyn Fn(&HandLook, &Scene, f64) -> HandLook| {
        of(&shares, Shots::Film, |percent| {
            let mut scene = film();
            scene.hand = change(&scene.hand, &scene, percent / 100.0);
            // It rests in the picture as well: only then it must be known for a hand without its motion.
            scene.resting_hand = vec![rests(Player::White, [4.6, 1.0], 1.0, 3)];
            scene
        })
    };
    let climb = |name, title, rungs| climb(name, title, "nearer to the squares' colours (%)", None, rungs);
    vec![
        climb(
            "pale_skin",
            "Pale skin on pale squares",
            of(&|hand, scene, share| {
                let skin = |from| nearer(from, scene.board.light, share);
                HandLook { skin_white: skin(hand.skin_white), skin_black: skin(hand.skin_black), ..hand.clone() }
            }),
        ),
        climb(
            "sleeves",
            "Sleeves in the colours of the squares: White's of the light, Black's of the dark",
            of(&|hand, scene, share| HandLook {
                sleeve_white: nearer(hand.sleeve_white, scene.board.light, share),
                sleeve_black: nearer(hand.sleeve_black, scene.board.dark, share),
                scale: 1.3,
                ..hand.clone()
            }),
        ),
    ]
}

/// A colour nearer to another by this share of the way.
fn nearer(from: Srgb, to: Srgb, share: f64) -> Srgb {
    std::array::from_fn(|k| (f64::from(from[k]) + share * (f64::from(to[k]) - f64::from(from[k]))).round() as u8)
}
