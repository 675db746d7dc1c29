//! Hands that stay over the board, that come before the last one has gone, and that look like the board.

use super::{film, of};
use crate::{
    eval::{experiments::climb::Climb, simulated::Shots},
    sim::scene::{HandLook, Srgb},
};

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
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
        ),
        climb(
            "pale_hand",
            "Hands and sleeves in the colour of the light squares",
            "nearer to the squares' colour (%)",
            None,
            of(&[0.0, 50.0, 80.0, 100.0], Shots::Film, |percent| {
                let mut scene = film();
                let light = scene.board.light;
                scene.hand = coloured(&scene.hand, light, percent / 100.0);
                scene
            }),
        ),
    ]
}

/// Skin and sleeves nearer to a colour by this share of the way.
fn coloured(hand: &HandLook, to: Srgb, share: f64) -> HandLook {
    let nearer = |from: Srgb| -> Srgb {
        std::array::from_fn(|k| (f64::from(from[k]) + share * (f64::from(to[k]) - f64::from(from[k]))).round() as u8)
    };
    HandLook {
        skin_white: nearer(hand.skin_white),
        skin_black: nearer(hand.skin_black),
        sleeve_white: nearer(hand.sleeve_white),
        sleeve_black: nearer(hand.sleeve_black),
        ..hand.clone()
    }
}
