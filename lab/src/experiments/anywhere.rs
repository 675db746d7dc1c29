//! Any board under any camera: games in scenes by chance, of which nobody has chosen one.
//!
//! Every other seed throws other scenes: what was mended for one of them is tried on all that nobody has looked at.

use chess_observer::sim::{Scene, dice::Dice};

use super::{
    board::scenes::{self, HEIGHTS, LENSES, SETS},
    lab::{Done, Game, Job, Lab, boards_found, score_cells, table},
    types::{Experiment, Timing},
};
use crate::{
    protocol::{Simulated, Source},
    simulated::{Shots, ShowError},
};

/// Scenes at each height of the camera: a fault in one of a hundred scenes is seen.
const SCENES: usize = 32;
/// Of the quick version.
const QUICK_SCENES: usize = 2;
/// Plies of each game: men stand all over the board by then.
const PLIES: usize = 40;
/// Sizes of pictures.
const SIZES: [[u32; 2]; 4] = [[640, 480], [800, 600], [960, 540], [1280, 720]];
/// From half of the light that a picture needs to nearly twice as much: light squares are white then, and white men lose their
/// outline, but not yet their colour.
const EXPOSURE: [f64; 2] = [0.5, 1.8];

/// A scene as [`scenes::scene`] throws it, with men and board of different sets, any table, and any webcam.
fn scene(height_deg: [f64; 2], dice: &mut Dice) -> Scene {
    let mut scene = scenes::scene(height_deg, LENSES[1], dice);
    let ([_, _, _, white, black], _) = SETS[dice.index(SETS.len())];
    (scene.men.white, scene.men.black) = (white, black);
    (scene.men.scale, scene.men.unlike) = (dice.between(0.8, 1.1), dice.between(0.0, 0.12));
    scene.board.unlike = dice.between(0.0, 0.15);
    scene.table.colour = std::array::from_fn(|_| dice.between(20.0, 235.0) as u8);
    scene.light.ambient = dice.between(0.15, 0.7);
    scene.dusk.share = if dice.unit() < 0.5 { 1.0 } else { dice.between(0.3, 1.0) };
    let sensor = &mut scene.sensor;
    (sensor.exposure, sensor.noise_sigma) = (dice.between(EXPOSURE[0], EXPOSURE[1]), dice.between(1.0, 7.0));
    (sensor.blur_px, sensor.haze) = (dice.between(0.3, 1.2), dice.between(0.0, 0.08));
    sensor.jpeg_quality = dice.between(50.0, 95.0) as u8;
    [scene.camera.width, scene.camera.height] = SIZES[dice.index(SIZES.len())];
    scene
}

/// The scenes at each of the camera's heights.
fn thrown(seed: u64, count: usize) -> Vec<(String, Vec<Scene>)> {
    let at = |(row, height): (usize, [f64; 2])| {
        let scenes = (0..count).map(|k| {
            let index = (row * 1000 + k) as u64;
            scene(height, &mut Dice::new(seed.wrapping_mul(100_003).wrapping_add(index), 0xa17))
        });
        (format!("{}–{}°", height[1], height[0]), scenes.collect())
    };
    HEIGHTS.into_iter().enumerate().map(at).collect()
}

/// A game in each scene, as a source of pictures under any protocol.
#[must_use]
pub fn sources(lab: &Lab<'_>) -> Vec<Source> {
    let count = if lab.quick { QUICK_SCENES } else { SCENES };
    let games = lab.sample(count, PLIES);
    let one = |(scene, game): (Scene, &Game)| {
        let (name, story, seed) = (game.name.clone(), game.story.clone(), lab.seed_of(game));
        Source::Simulated(Box::new(Simulated { name, story, scene, seed }))
    };
    thrown(lab.seed, count).into_iter().flat_map(|(_, scenes)| scenes.into_iter().zip(&games).map(one)).collect()
}

/// The scenes of the report's pictures: one of each height.
pub(super) fn ends() -> Vec<(String, Scene)> {
    thrown(1, 1)
        .into_iter()
        .flat_map(|(name, scenes)| scenes.into_iter().map(move |scene| (name.clone(), scene)))
        .collect()
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let shots = if lab.film { Shots::Film } else { Shots::Stills };
    let count = if lab.quick { QUICK_SCENES } else { SCENES };
    let games: Vec<Game> = lab.sample(count, PLIES);
    let thrown = thrown(lab.seed, count);
    let run = |name: &str, k: usize| format!("{name}, scene {:02}", k + 1);
    let jobs: Vec<Job> = thrown
        .iter()
        .flat_map(|(name, scenes)| scenes.iter().enumerate().map(move |(k, scene)| (name, k, scene)))
        .filter_map(|(name, k, scene)| Some(lab.job(&run(name, k), games.get(k % games.len().max(1))?, scene, shots)))
        .collect();
    let results = lab.run("anywhere", jobs)?;
    let how = if lab.film { "filmed with hands" } else { "one clean picture a ply" };
    let mut experiment = lab.experiment(
        "anywhere",
        "Anywhere: any board under any camera",
        &format!(
            "Games of {PLIES} plies, {how}, each in a scene by chance: men and board of seven makes, not always of the same; \
             any table; a camera at any side, its lens distorting, the board in any part of the picture from half to \
             nearly all of its height; pictures of 640×480 to 1280×720 with {} to {} of the light that they need, noise, \
             blur, hard JPEG; lamps anywhere, dusk in half of the games. Another seed throws other scenes.",
            EXPOSURE[0], EXPOSURE[1],
        ),
    );
    results.count_into(&mut experiment);
    let row = |name: &str, key: &str| {
        let of = || results.done.iter().filter(|done| done.run.starts_with(key));
        [name.to_owned(), boards_found(of()).count_text()].into_iter().chain(score_cells(of)).collect()
    };
    let mut by_height: Vec<_> = thrown.iter().map(|(name, _)| row(name, name)).collect();
    by_height.push(row("all", ""));
    let header =
        ["camera", "board found", "plies", "right", "%", "95 % interval", "games without a fault", "false warnings"];
    experiment.tables = vec![table("By height of the camera", &header, by_height)];
    let faulty = |done: &&Done| !done.shown.score.perfect || done.shown.score.warnings.wrong > 0;
    let seen = |done: &Done| {
        let (_, k) = done.run.rsplit_once(' ')?;
        let (_, scenes) = thrown.iter().find(|(name, _)| done.run.starts_with(name))?;
        let scene = scenes.get(k.parse::<usize>().ok()?.checked_sub(1)?)?;
        let score = &done.shown.score;
        Some(vec![
            done.run.clone(),
            format!("{}×{}", scene.camera.width, scene.camera.height),
            format!("{:.2}", scene.sensor.exposure),
            format!("{}/{}", score.right, score.plies),
            score.warnings.wrong.to_string(),
        ])
    };
    let faults: Vec<_> = results.done.iter().filter(faulty).filter_map(seen).collect();
    if !faults.is_empty() {
        let header = ["scene", "picture", "exposure", "right", "false warnings"];
        experiment.tables.push(table("Scenes with a fault", &header, faults));
    }
    Ok((experiment, results.timing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_can_be_shown_and_seeds_and_places_throw_others() {
        let all: Vec<Scene> = [1, 2].into_iter().flat_map(|seed| thrown(seed, SCENES)).flat_map(|(_, s)| s).collect();
        assert_eq!(all.len(), 2 * 3 * SCENES);
        for (k, scene) in all.iter().enumerate() {
            scene.check().unwrap();
            assert!(!all[..k].contains(scene));
        }
    }
}
