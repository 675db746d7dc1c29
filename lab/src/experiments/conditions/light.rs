//! Shadows that stay, under a camera's tone curve and in the colour of the light that is left; light of two lamps, and from a side.

use chess_observer::sim::{
    Scene,
    scene::{Lamp, LampColour, PassingShadow},
};

use super::{film, of};
use crate::{
    experiments::{climb::Climb, ladder},
    simulated::Shots,
};

/// The shadow begins with this ply and lies there for so many.
const FROM_PLY: usize = 3;
const PLIES: usize = 6;
/// Share of the light that a shadow takes under which, with the full tone curve, light squares fall to 0.48 of their
/// levels and dark ones to 0.38, as measured in real recordings.
const REAL_DARKNESS: f64 = 0.7;

/// A camera with a tone curve, half from above, and a shadow over the right half of the board as the camera sees it.
fn shaded(darkness: f64, contrast: f64, turn: f64) -> Scene {
    let mut scene = Scene::oblique(60.0);
    scene.sensor.contrast = contrast;
    scene.passing_shadow = vec![PassingShadow {
        ply: FROM_PLY,
        plies: PLIES,
        darkness,
        // The hue turns by so much: blue against red, in levels, which follow light with a power of 1 / 2.2.
        tint: [1.0 - 1.1 * turn, 1.0, 1.0 + 1.1 * turn],
        width: 8.0,
        edge: 0.6,
        direction_deg: 15.0,
        speed_m_s: 0.0,
        offset: 4.0,
    }];
    scene
}

/// A yellow lamp at one side, and at the other a white one of so much of its strength, both near.
fn two_lamps(strength: f64) -> Scene {
    let mut scene = Scene::oblique(60.0);
    scene.sensor.contrast = 0.5;
    (scene.light.azimuth_deg, scene.light.elevation_deg, scene.light.distance_m) = (-80.0, 40.0, 0.6);
    (scene.light.colour, scene.light.ambient) = (LampColour::Yellow, 0.25);
    scene.lamp = vec![Lamp {
        azimuth_deg: 100.0,
        elevation_deg: 40.0,
        distance_m: 0.6,
        colour: LampColour::Daylight,
        strength,
        softness: 0.05,
    }];
    scene
}

/// A window at the right, with so much of its light lost over the board, on men who are nearly of the squares' woods.
fn from_a_side(falloff: f64) -> Scene {
    let mut scene = Scene::oblique(75.0);
    ladder::low_contrast(&mut scene, 0.7);
    (scene.men.unlike, scene.men.gloss) = (0.02, 0.1);
    (scene.light.azimuth_deg, scene.light.softness, scene.light.ambient) = (70.0, 0.5, 0.6);
    scene.light.falloff = falloff;
    scene
}

/// A film over whose board a shadow creeps.
fn creeping(darkness: f64) -> Scene {
    let mut scene = film();
    let mut shadow = shaded(darkness, 1.0, 0.08).passing_shadow.remove(0);
    // Over the board's width in half a minute; wide enough to cover all of it in the end.
    (shadow.ply, shadow.speed_m_s, shadow.width, shadow.direction_deg) = (0, 0.03, 16.0, 20.0);
    scene.sensor.contrast = 1.0;
    scene.passing_shadow = vec![shadow];
    scene
}

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "half_shadow",
            "A shadow over half of the board that stays for six plies, under a camera's tone curve",
            "light taken (%)",
            Some(100.0 * REAL_DARKNESS),
            of(&[0.0, 20.0, 40.0, 55.0, 70.0, 80.0, 90.0], Shots::Stills, |p| shaded(p / 100.0, 1.0, 0.08)),
        ),
        climb(
            "tone_curve",
            "The same shadow under more and more of a tone curve",
            "S of the tone curve (%)",
            Some(100.0),
            of(&[0.0, 25.0, 50.0, 75.0, 100.0], Shots::Stills, |p| shaded(REAL_DARKNESS, p / 100.0, 0.0)),
        ),
        climb(
            "fill_colour",
            "A shadow over half of the board, lit by coloured light",
            "turn of the hue in the shadow (%)",
            Some(12.0),
            of(&[0.0, 6.0, 12.0, 18.0, 24.0, 36.0], Shots::Stills, |p| shaded(0.5, 0.5, p / 100.0)),
        ),
        climb(
            "regional_light",
            "Warm light of a second lamp on half of the board, for six plies",
            "light added (%)",
            None,
            of(&[0.0, 25.0, 50.0, 75.0, 100.0, 150.0], Shots::Stills, |p| shaded(-p / 100.0, 0.5, -0.08)),
        ),
        climb(
            "two_lamps",
            "A yellow lamp at one side and a white one at the other, both near",
            "second lamp against the first (%)",
            None,
            of(&[0.0, 50.0, 100.0, 150.0, 200.0], Shots::Stills, |p| two_lamps(p / 100.0)),
        ),
        climb(
            "from_a_side",
            "Light that falls off from one side of the board to the other, on men of nearly the squares' woods",
            "light lost over the board (%)",
            None,
            of(&[0.0, 30.0, 60.0, 90.0], Shots::Stills, |p| from_a_side(p / 100.0)),
        ),
        climb(
            "creeping_shadow",
            "The edge of a shadow that creeps over the board while hands play",
            "light taken (%)",
            Some(100.0 * REAL_DARKNESS),
            of(&[0.0, 30.0, 50.0, 70.0, 90.0], Shots::Film, |p| creeping(p / 100.0)),
        ),
    ]
}
