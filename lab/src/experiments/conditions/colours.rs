//! Men in the colours of the squares, in light that casts no shadows.

use chess_observer::sim::Scene;

use super::of;
use crate::{
    experiments::{climb::Climb, ladder},
    simulated::Shots,
};

/// Men that are so much like the squares (0 to 1), under light of which so much comes from everywhere, seen from so
/// high: nearly from above, men stand on their squares only and cast no shadow beside them.
fn pale(share: f64, ambient: f64, elevation_deg: f64) -> Scene {
    let mut scene = Scene::oblique(elevation_deg);
    ladder::low_contrast(&mut scene, share);
    (scene.light.ambient, scene.light.elevation_deg, scene.light.softness) = (ambient, 85.0, 0.5);
    // Turned of the wood of the board: nothing but their form tells them.
    (scene.men.unlike, scene.men.gloss) = (0.02, 0.1);
    scene
}

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let climb = |name, title, x_label, rungs| Climb { name, title, x_label, real: None, rungs };
    let shares = [0.0, 50.0, 70.0, 80.0, 90.0, 100.0];
    vec![
        climb(
            "pale_men_above",
            "Men in the squares' colours, diffuse light, from 82°: the first plies",
            "nearer to the squares' colours (%)",
            of(&shares, Shots::Stills, |p| pale(p / 100.0, 0.92, 82.0)),
        ),
        climb(
            "pale_men_oblique",
            "The same from 55°",
            "nearer to the squares' colours (%)",
            of(&shares, Shots::Stills, |p| pale(p / 100.0, 0.92, 55.0)),
        ),
        climb(
            "diffuse",
            "Men nearly in the squares' colours (85 %) from 75°: less and less of a lamp",
            "light from everywhere (%)",
            of(&[30.0, 50.0, 70.0, 85.0, 100.0], Shots::Stills, |p| pale(0.85, p / 100.0, 75.0)),
        ),
    ]
}
