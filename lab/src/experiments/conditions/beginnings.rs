//! How films begin: damaged or unsettled first pictures, hands over the men, men that are still being set up, a board that
//! is pushed before the first move, a stream that joins in the middle of one.

use chess_observer::sim::{
    Scene,
    scene::{Bump, Damage, Knocked},
};

use super::{film, of};
use crate::{experiments::climb::Climb, simulated::Shots};

/// The film, seen from nearly above as in the recording whose first picture is damaged: the band lies over the squares.
fn above() -> Scene {
    Scene { camera: chess_observer::sim::scene::CameraSetup { elevation_deg: 85.0, ..film().camera }, ..film() }
}

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let families = [damaged(), unsettled(), players()];
    families.into_iter().flatten().collect()
}

/// The first pictures come damaged.
fn damaged() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "first_band",
            "The first picture has a bluish band over its upper part",
            "height of the band (% of the picture)",
            // The film wf-scholarsmate: its upper 100 of 480 rows.
            Some(21.0),
            of(&[0.0, 10.0, 21.0, 40.0, 70.0], Shots::Film, |percent| {
                let mut scene = above();
                (scene.stream.damaged_first, scene.stream.damage_height) = (u32::from(percent > 0.0), percent / 100.0);
                scene
            }),
        ),
        climb(
            "first_band_strong",
            "The first picture has a veil over half of it that lets less and less through",
            "strength of the veil (%)",
            Some(40.0),
            of(&[0.0, 20.0, 40.0, 70.0, 100.0], Shots::Film, |percent| {
                let mut scene = above();
                (scene.stream.damaged_first, scene.stream.damage_height) = (u32::from(percent > 0.0), 0.5);
                scene.stream.damage_strength = percent / 100.0;
                scene
            }),
        ),
        climb(
            "half_pictures",
            "Of the first pictures only the upper half has come",
            "pictures",
            None,
            of(&[0.0, 1.0, 3.0, 10.0], Shots::Film, |pictures| {
                let mut scene = above();
                (scene.stream.damaged_first, scene.stream.damage_height) = (pictures as u32, 0.5);
                scene.stream.damage = Damage::Missing;
                scene
            }),
        ),
    ]
}

/// The camera has not settled yet.
fn unsettled() -> Vec<Climb> {
    let climb = |name, title, x_label, rungs| Climb { name, title, x_label, real: None, rungs };
    vec![
        climb(
            "settling_exposure",
            "The exposure settles in the first seconds",
            "first exposure over the settled one",
            of(&[1.0, 1.5, 2.5, 5.0, 12.0], Shots::Film, |times| {
                let mut scene = film();
                scene.opening.exposure = times;
                scene
            }),
        ),
        climb(
            "settling_focus",
            "The lens finds its focus in the first seconds",
            "blur of the first picture (px)",
            of(&[0.0, 1.5, 3.0, 6.0, 12.0], Shots::Film, |px| {
                let mut scene = film();
                (scene.opening.blur_px, scene.opening.focus_s) = (px, 1.0);
                scene
            }),
        ),
    ]
}

/// The players are not ready, or have begun.
fn players() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "first_hands",
            "Both players' hands are over their men in the first pictures",
            "seconds from the first picture",
            None,
            of(&[0.0, 0.5, 2.0, 6.0], Shots::Film, |s| {
                let mut scene = film();
                scene.opening.hands_s = s;
                scene
            }),
        ),
        climb(
            "setting_up",
            "Men are still being set up when the film begins",
            "men beside the board at first",
            None,
            of(&[0.0, 1.0, 4.0, 12.0], Shots::Film, |men| {
                let mut scene = film();
                scene.opening.missing = men as u32;
                scene
            }),
        ),
        climb(
            "pushed_first",
            "The board is pushed between the first picture and the first move",
            "push (squares)",
            // The pictures jb-k-11ply: 9 px to the right and 19 px up, where a square has 70.
            Some(0.3),
            of(&[0.0, 0.15, 0.3, 0.6, 1.0], Shots::Stills, |squares| {
                let mut scene = Scene::oblique(80.0);
                // Farther away, so that the board stays in the picture.
                scene.camera.distance_m = 1.0;
                if squares > 0.0 {
                    let shift_squares = [0.43, 0.9].map(|part| part * squares);
                    scene.bump = vec![Bump { what: Knocked::Board, shift_squares, turn_deg: 1.0, ..Bump::default() }];
                }
                scene
            }),
        ),
        climb(
            "joins",
            "The stream joins in the middle of the first move",
            "how much of it has passed (%)",
            None,
            of(&[0.0, 25.0, 45.0, 65.0, 85.0], Shots::Film, |percent| {
                let mut scene = film();
                scene.opening.join = percent / 100.0;
                scene
            }),
        ),
    ]
}
