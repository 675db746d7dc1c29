//! The ladder of disturbances: one thing grows worse rung by rung while all others stay; where does it become too much?

use chess_observer::sim::{
    Camera, Disturbance, Scene,
    scene::{Bump, HandLook, LightChange, Srgb},
};

use super::{
    climb::{Climb, Rung},
    lab::{Job, Lab},
    types::{Experiment, Timing},
};
use crate::simulated::{Shots, ShowError};

/// Games on each rung, and plies of each: some 140 plies a rung, for the first game is short.
const GAMES: [usize; 2] = [3, 52];
/// The same for the quick version.
const QUICK: [usize; 2] = [1, 30];
/// A knock after every so manyth ply.
const BUMP_EVERY: usize = 5;
/// The light changes after every so manyth ply.
const LIGHT_EVERY: usize = 8;

/// A sleeve is in every so manyth picture.
const SLEEVE_EVERY: usize = 3;
/// Cloth of a white shirt, and of a black coat.
pub(super) const PALE_CLOTH: Srgb = [244, 242, 236];
pub(super) const DARK_CLOTH: Srgb = [22, 22, 26];
/// A sleeve that reaches over the fingers, against a bare hand.
const WIDE_SLEEVE: f64 = 1.5;
/// As long as from one picture to the next: with the sleeve in it the exposure has followed most of the way, and in the
/// next, clean one it has not yet come back.
const FOLLOWS_S: f64 = 2.0;
const FOLLOWS: &str = "change of brightness that is made up for (%)";

/// The scene that is disturbed: an evening at a club, 640×480.
fn plain() -> Scene {
    Scene::oblique(50.0)
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let [count, plies] = if lab.quick { QUICK } else { GAMES };
    let games = lab.sample(count, plies);
    let mut climbs = climbs(plies);
    if lab.quick {
        climbs.iter_mut().for_each(Climb::thin_out);
    }
    let jobs: Vec<Job> = climbs
        .iter()
        .flat_map(|c| c.rungs.iter().map(move |r| (c, r)))
        .flat_map(|(c, r)| games.iter().map(move |game| (c.run(r), game, r)))
        .map(|(name, game, r)| match r.shots {
            Shots::Disturbed(_, SLEEVE_EVERY) => lab.job(&name, &game.with_clean_end(SLEEVE_EVERY), &r.scene, r.shots),
            _ => lab.job(&name, game, &r.scene, r.shots),
        })
        .collect();
    let results = lab.run("ladder", jobs)?;
    let mut experiment = lab.experiment(
        "ladder",
        "The ladder of disturbances",
        "The same games on every rung, one clean picture a ply, 640×480, 50° above the board, one lamp; one thing grows \
         worse at a time. The point at which the accuracy falls below 99 % is interpolated between the last rung above \
         and the first below. Squares: those of clean pictures, as in the experiment squares. One lost game weighs heavily among so few plies: mind the intervals.",
    );
    results.count_into(&mut experiment);
    experiment.curves = climbs.iter().filter_map(|climb| climb.curve(&results)).collect();
    Ok((experiment, results.timing))
}

/// The undisturbed scene, and the last rung of every disturbance that one can see in a single picture: what it is, its
/// scene, and which pictures are taken.
pub(super) fn ends() -> Vec<(String, Scene, Shots)> {
    let mut ends = vec![("undisturbed".to_owned(), plain(), Shots::Stills)];
    for mut climb in climbs(GAMES[1]) {
        let Some(last) = climb.rungs.pop() else { continue };
        let seen = last.scene.bump.is_empty() && last.scene != plain() || matches!(last.shots, Shots::Disturbed(..));
        if seen {
            let name = climb.name.replace('_', " ");
            ends.push((format!("{name}, {}: {}", climb.x_label, last.label), last.scene, last.shots));
        }
    }
    ends
}

/// All of them, in the order of the page. `plies`: how long the games are.
fn climbs(plies: usize) -> Vec<Climb> {
    let families = [changes(plies), like_the_squares(), hands(), shadows(), off_centre(), camera()];
    families.into_iter().flatten().collect()
}

fn climb(name: &'static str, title: &'static str, x_label: &'static str, rungs: Vec<Rung>) -> Climb {
    Climb { name, title, x_label, real: None, rungs }
}

/// A rung for each value: the plain scene with so much of a change.
fn changed(values: &[f64], change: impl Fn(&mut Scene, f64)) -> Vec<Rung> {
    let rung = |&x: &f64| {
        let mut scene = plain();
        change(&mut scene, x);
        Rung { x, label: format!("{x}"), scene, shots: Shots::Stills, games: None }
    };
    values.iter().map(rung).collect()
}

/// A rung of the plain scene, of which other pictures are taken.
fn taken(x: f64, shots: Shots) -> Rung {
    Rung { x, label: format!("{x}"), scene: plain(), shots, games: None }
}

/// What changes in the course of a game: where the camera points, and how bright the lamp is.
fn changes(plies: usize) -> Vec<Climb> {
    vec![
        climb(
            "bump",
            "Knocks against the camera, one after every fifth ply",
            "jump of the picture (px)",
            changed(&[0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 48.0], |scene, px| bump(scene, px, plies)),
        ),
        climb(
            "light_drop",
            "A lamp switched off and on, every eighth ply",
            "light left (%)",
            changed(&[100.0, 80.0, 65.0, 50.0, 35.0, 25.0, 15.0, 10.0], |scene, percent| {
                light_drop(scene, percent, plies);
            }),
        ),
        climb(
            "dusk",
            "Dusk: the light fades in the course of the game",
            "light falls by a factor of",
            changed(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], |scene, factor| scene.dusk.share = 1.0 / factor),
        ),
    ]
}

/// Men in the colours of the squares.
fn like_the_squares() -> Vec<Climb> {
    vec![climb(
        "low_contrast",
        "White men as pale as the light squares, black men as dark as the dark ones",
        "nearer to the squares' colours (%)",
        changed(&[0.0, 25.0, 50.0, 70.0, 80.0, 90.0, 100.0], |scene, percent| low_contrast(scene, percent / 100.0)),
    )]
}

/// What hands do to pictures: sleeves that the exposure follows, and hands that hide squares.
fn hands() -> Vec<Climb> {
    vec![
        climb(
            "sleeve_bright",
            "A white sleeve in every third picture: the exposure follows it",
            FOLLOWS,
            sleeves(PALE_CLOTH),
        ),
        climb(
            "sleeve_dark",
            "A black sleeve in every third picture: the exposure follows it",
            FOLLOWS,
            sleeves(DARK_CLOTH),
        ),
        climb("hand_resting", "A hand resting over the board", "pictures with a hand (%)", resting()),
    ]
}

/// Sleeves of this cloth in every third picture, and a camera that makes up for more and more of what they change.
fn sleeves(cloth: Srgb) -> Vec<Rung> {
    let mut rungs = changed(&[0.0, 25.0, 50.0, 75.0, 100.0], |scene, percent| sleeve(scene, cloth, percent / 100.0));
    rungs.iter_mut().for_each(|rung| rung.shots = Shots::Disturbed(Disturbance::Visible, SLEEVE_EVERY));
    rungs
}

/// A hand in none of the pictures, and in every so manyth: every eighth picture is 12.5 % of them.
fn resting() -> Vec<Rung> {
    let every = |n: usize| taken(100.0 / n as f64, Shots::Disturbed(Disturbance::Visible, n));
    [taken(0.0, Shots::Stills)].into_iter().chain([8, 4, 2, 1].map(every)).collect()
}

/// Hard shadows of a single lamp.
fn shadows() -> Vec<Climb> {
    vec![
        climb(
            "shadow_length",
            "A bare bulb that sinks: longer and longer hard shadows",
            "lamp's height (°)",
            changed(&[75.0, 60.0, 45.0, 35.0, 25.0, 20.0, 15.0], |scene, deg| {
                scene.light.elevation_deg = deg;
                (scene.light.ambient, scene.light.softness) = (0.2, 0.02);
            }),
        ),
        climb(
            "shadow_depth",
            "One lamp at 35° with less and less light from elsewhere: darker and darker shadows",
            "light from everywhere (%)",
            changed(&[100.0, 75.0, 50.0, 35.0, 20.0, 10.0, 0.0], |scene, percent| {
                (scene.light.elevation_deg, scene.light.softness) = (35.0, 0.05);
                scene.light.ambient = percent / 100.0;
            }),
        ),
    ]
}

/// Men that are set down carelessly.
fn off_centre() -> Vec<Climb> {
    vec![climb(
        "off_centre",
        "Men off their squares' centres",
        "greatest distance (squares)",
        changed(&[0.0, 0.06, 0.12, 0.18, 0.24, 0.3], |scene, squares| scene.men.off_centre = squares),
    )]
}

/// A worse camera: its noise, the size of its pictures, its height, and pictures that it does not take.
fn camera() -> Vec<Climb> {
    vec![
        climb(
            "noise",
            "Noise of the sensor",
            "standard deviation (levels of 255)",
            changed(&[0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0], |scene, sigma| scene.sensor.noise_sigma = sigma),
        ),
        climb(
            "resolution",
            "Smaller and smaller pictures",
            "width of the picture (px)",
            changed(&[960.0, 640.0, 480.0, 320.0, 240.0, 160.0, 128.0, 96.0], |scene, width| {
                (scene.camera.width, scene.camera.height) = (width as u32, (width * 0.75) as u32);
            }),
        ),
        climb(
            "elevation",
            "A camera that sinks",
            "camera's height (°)",
            changed(&[88.5, 70.0, 60.0, 50.0, 40.0, 30.0, 25.0, 20.0], |scene, deg| scene.camera.elevation_deg = deg),
        ),
        climb(
            "missed_plies",
            "Plies without a picture: so many after each picture",
            "missed plies",
            (0..=6).map(|plies: usize| taken(plies as f64, Shots::Missing(plies))).collect(),
        ),
    ]
}

/// Off, on, off, and so on, all at once: the camera's exposure lags behind.
pub(super) fn light_drop(scene: &mut Scene, percent: f64, plies: usize) {
    let factor = percent / 100.0;
    let step = |i: usize| {
        let factor = if i.is_multiple_of(2) { factor } else { 1.0 / factor };
        LightChange { ply: (i + 1) * LIGHT_EVERY, factor, lamps: 1.0 }
    };
    if factor < 1.0 {
        scene.light_change = (0..plies / LIGHT_EVERY).map(step).collect();
    }
}

/// White men become more like the light squares, black men like the dark ones, by this share of the way.
pub(super) fn low_contrast(scene: &mut Scene, share: f64) {
    scene.men.white = mixed(scene.men.white, scene.board.light, share);
    scene.men.black = mixed(scene.men.black, scene.board.dark, share);
}

/// A colour on the way from one to another.
pub(super) fn mixed(from: Srgb, to: Srgb, share: f64) -> Srgb {
    std::array::from_fn(|k| (f64::from(from[k]) + share * (f64::from(to[k]) - f64::from(from[k]))).round() as u8)
}

/// Both players' hands in wide sleeves of this cloth, for arms alone would stay outside of the picture; and a camera that
/// makes up for so much of the change of brightness.
pub(super) fn sleeve(scene: &mut Scene, cloth: Srgb, auto_exposure: f64) {
    scene.hand =
        HandLook { skin_white: cloth, skin_black: cloth, sleeve_white: cloth, sleeve_black: cloth, scale: WIDE_SLEEVE };
    (scene.sensor.auto_exposure, scene.sensor.auto_exposure_s) = (auto_exposure, FOLLOWS_S);
}

/// Jumps to the right, down, left, up, and so on: after four the picture is where it was.
fn bump(scene: &mut Scene, px: f64, plies: usize) {
    // Further away by a quarter, so that the whole board stays in the picture.
    if let Ok(camera) = Camera::new(scene) {
        let aim = nalgebra::Point3::new(4.0, 4.0, 0.0);
        scene.camera.distance_m = 1.25 * scene.board.square_size_m * nalgebra::distance(&camera.centre, &aim);
    }
    let ways = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    if px > 0.0 {
        let knock =
            |i: usize| Bump { ply: (i + 1) * BUMP_EVERY, shift_px: ways[i % 4].map(|w| w * px), ..Bump::default() };
        scene.bump = (0..plies / BUMP_EVERY).map(knock).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_is_a_usable_scene_that_differs_in_one_thing() {
        for climb in climbs(40) {
            for rung in &climb.rungs {
                rung.scene.check().unwrap();
            }
            let mut labels: Vec<_> = climb.rungs.iter().map(|r| &r.label).collect();
            labels.dedup();
            assert!(labels.len() >= 5, "{}", climb.name);
            assert_eq!(labels.len(), climb.rungs.len());
        }
    }
}
