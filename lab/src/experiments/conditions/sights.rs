//! What the camera has before it: a mirror's picture, men of two bright colours, of the wood of the squares, of glass,
//! of other proportions, seen flat from a side, or on a board that slips under a camera of many pixels.

use chess_observer::sim::{
    Scene,
    scene::{Bump, Knocked, Srgb},
};

use super::of;
use crate::{
    experiments::{
        climb::{Climb, Rung},
        ladder::{low_contrast, mixed},
    },
    simulated::Shots,
};

/// Plies in which the board slips by its whole way: as many as the experiment's games have.
const SLIPS: usize = 10;

/// Heights of the standard set's kinds, in squares: pawn, knight, bishop, rook, queen, king.
const STAUNTON: [f64; 6] = [0.9, 1.25, 1.37, 1.04, 1.56, 1.8];

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let mut all = sets();
    all.extend(builds());
    all.extend(cameras());
    all
}

/// Sets of other proportions than Staunton's, seen from so low that men hide what stands behind them.
fn builds() -> Vec<Climb> {
    let climb = |name, title, x_label, rungs| Climb { name, title, x_label, real: None, rungs };
    let heights = |height: fn(f64, f64) -> f64, grown: &[f64]| {
        of(grown, Shots::Stills, |x| {
            let mut scene = Scene::oblique(30.0);
            scene.men.heights = STAUNTON.map(|own| height(own, x));
            scene
        })
    };
    vec![
        climb("tall", "Taller and taller men", "times as tall", heights(|_, x| x, &[1.0, 1.2, 1.4, 1.7])),
        climb("flat", "Flatter and flatter men", "times as tall", heights(|_, x| x, &[1.0, 0.8, 0.6, 0.45])),
        climb(
            "alike",
            "Kinds more and more of one height, a knight's",
            "of the way (%)",
            heights(|own, x| 1.0 + x / 100.0 * (STAUNTON[1] / own - 1.0), &[0.0, 40.0, 70.0, 100.0]),
        ),
    ]
}

/// Men that are neither wooden nor plastic Staunton men in two shades of brown.
fn sets() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    let printed = |white: Srgb, black: Srgb| {
        of(&[0.0, 50.0, 80.0, 100.0], Shots::Stills, move |percent| {
            let mut scene = Scene::oblique(80.0);
            let nearer = |from: Srgb, to: Srgb| mixed(from, to, percent / 100.0);
            (scene.men.white, scene.men.black) = (nearer(scene.men.white, white), nearer(scene.men.black, black));
            // Printed on paper, as in the robot's cell.
            (scene.board.light, scene.board.dark) = ([226, 224, 232], [44, 44, 46]);
            (scene.board.grain, scene.board.gloss, scene.men.grain) = (0.0, 0.05, 0.0);
            scene
        })
    };
    vec![
        climb(
            "blue_and_red",
            "Blue and red printed men on a printed board",
            "nearer to the prints' colours (%)",
            // The pictures jb-k-11ply: medians of the men.
            Some(100.0),
            printed([52, 105, 174], [126, 42, 45]),
        ),
        climb(
            "yellow_and_teal",
            "Yellow and teal printed men on a printed board",
            "nearer to the prints' colours (%)",
            None,
            printed([214, 170, 48], [24, 112, 116]),
        ),
        climb(
            "wood_on_wood",
            "Men of the squares' two woods, coarse and each a little different",
            "nearer to the squares' colours (%)",
            None,
            of(&[0.0, 40.0, 70.0, 90.0, 100.0], Shots::Stills, |percent| {
                let mut scene = Scene::oblique(55.0);
                low_contrast(&mut scene, percent / 100.0);
                (scene.board.grain, scene.men.grain) = (0.9, 0.8);
                (scene.men.unlike, scene.board.unlike) = (0.12, 0.15);
                scene
            }),
        ),
        climb(
            "glass",
            "Glass men, White's clearer than Black's",
            "seen through White's men (%)",
            None,
            of(&[0.0, 30.0, 50.0, 70.0, 85.0], Shots::Stills, |percent| {
                let mut scene = Scene::oblique(60.0);
                (scene.men.white, scene.men.black) = ([226, 232, 230], [70, 72, 76]);
                (scene.men.gloss, scene.men.grain) = (1.0, 0.0);
                scene.men.glass = [percent / 100.0, 0.7 * percent / 100.0];
                scene
            }),
        ),
    ]
}

/// Cameras that stand or show otherwise.
fn cameras() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "mirrored",
            "A camera that exchanges left and right, lower and lower",
            "camera's height (°)",
            None,
            mirrored(),
        ),
        climb(
            "flat_side",
            "A camera beside the board that sinks",
            "camera's height (°)",
            Some(20.0),
            of(&[50.0, 35.0, 28.0, 24.0, 20.0, 17.0], Shots::Stills, |deg| {
                let mut scene = Scene::oblique(deg);
                scene.camera.azimuth_deg = 88.0;
                scene
            }),
        ),
        climb(
            "slips",
            "1920×1080 from nearly above, and a board that slips ply by ply",
            "way in ten plies (px)",
            // The webcam games of which ob-game01 is one.
            Some(12.0),
            of(&[0.0, 6.0, 12.0, 24.0, 48.0], Shots::Stills, slipping),
        ),
    ]
}

/// The plain camera first, for comparison.
fn mirrored() -> Vec<Rung> {
    let scene = |mirrored: bool, deg: f64| {
        let mut scene = Scene::oblique(deg);
        scene.camera.mirrored = mirrored;
        scene
    };
    let mut rungs = of(&[90.0, 88.0, 60.0, 40.0], Shots::Stills, |deg| scene(deg < 90.0, deg));
    "90, not mirrored".clone_into(&mut rungs[0].label);
    rungs
}

/// A roll-up board under a webcam: green and white, white men in the colour of its light squares.
fn slipping(px: f64) -> Scene {
    let mut scene = Scene::oblique(86.0);
    (scene.camera.width, scene.camera.height, scene.camera.azimuth_deg) = (1920, 1080, 90.0);
    // With one sample a pixel the picture still has four times as many as one of 960×540.
    (scene.sensor.samples, scene.board.fold, scene.board.wrinkles) = (1, false, 0.3);
    (scene.board.light, scene.board.dark, scene.board.border) = ([190, 208, 232], [40, 88, 60], 0.05);
    (scene.board.grain, scene.board.gloss, scene.board.coordinates, scene.board.thickness) = (0.0, 0.1, false, 0.05);
    (scene.men.white, scene.men.black, scene.men.grain) = ([206, 208, 206], [30, 32, 48], 0.0);
    scene.table.colour = [190, 168, 146];
    // A square has some 120 px.
    let step = px / 120.0 / SLIPS as f64;
    let bump = |ply| Bump { ply, what: Knocked::Board, shift_squares: [step * 0.8, step * 0.6], ..Bump::default() };
    if px > 0.0 {
        scene.bump = (0..SLIPS).map(bump).collect();
    }
    scene
}
