//! The user's experiment: is this camera, in this place and light, good enough?

use std::{
    fs,
    path::{Path, PathBuf},
};

use chess_observer::{files, sim::Scene};
use serde::{Deserialize, Serialize};

use super::{
    lab::{Lab, boards_found, score_cells, table},
    types::{Experiment, Timing},
};
use crate::simulated::{Shots, ShowError};

/// Why scenes cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .path.display())]
pub struct ScenesError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// A scene with the name of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The file's name without its ending.
    pub name: String,
    /// The scene.
    pub scene: Scene,
}

/// The scene in a file, or the scenes of a folder's `.toml` files in the order of their names.
///
/// # Errors
/// When the file or folder cannot be read, holds no scene, or one of its scenes is not usable.
pub fn read(path: &Path) -> Result<Vec<Named>, ScenesError> {
    let wrong = |path: &Path, why: String| ScenesError { path: path.into(), why };
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(|e| wrong(path, e.to_string()))?;
        let is_scene = |p: &PathBuf| p.extension().is_some_and(|e| e == "toml");
        files = entries.filter_map(|e| Some(e.ok()?.path())).filter(is_scene).collect();
        files.sort();
        if files.is_empty() {
            return Err(wrong(path, "no scene in it (a file ending in .toml)".into()));
        }
    }
    let read = |file: &PathBuf| {
        let text = files::text(file, files::LARGEST_SETTINGS).map_err(|e| wrong(file, e.to_string()))?;
        let scene = Scene::from_toml(&text).map_err(|e| wrong(file, e.to_string()))?;
        let name = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Named { name, scene })
    };
    files.iter().map(read).collect()
}

/// Games that are played in each scene when none are given: as long as one needs for a first decision.
const GAMES: usize = 3;
/// Plies of each.
const PLIES: usize = 60;

/// Runs the experiment.
///
/// # Errors
/// When a scene or a game cannot be shown.
pub fn run(lab: &Lab<'_>, scenes: &[Named]) -> Result<(Experiment, Timing), ShowError> {
    let shots = if lab.film { Shots::Film } else { Shots::Stills };
    let games = match (lab.own_games, lab.quick) {
        (true, false) => lab.games.clone(),
        (false, false) => lab.sample(GAMES, PLIES),
        (_, true) => lab.sample(1, PLIES / 2),
    };
    let jobs = scenes.iter().flat_map(|named| games.iter().map(|game| lab.job(&named.name, game, &named.scene, shots)));
    let results = lab.run("scenes", jobs.collect())?;
    let how = if lab.film { "filmed with hands" } else { "one clean picture a ply" };
    let mut experiment = lab.experiment(
        "scenes",
        "Scenes: is this camera good enough?",
        &format!(
            "The games in each scene, {how}. Square: mean side of a square in the first picture, in pixels. Board found: \
             the games in which it was; corner: the largest distance of an announced corner from the true one, in \
             squares."
        ),
    );
    experiment.command = experiment.command.replace("--experiments scenes", "--scenes FILES");
    results.count_into(&mut experiment);
    let mut rows = vec![];
    for named in scenes {
        let of = || results.of(&named.name);
        let worst = of().filter_map(|d| d.shown.score.board.worst_corner_squares).reduce(f64::max);
        let square = of().find_map(|d| Some(d.shown.truth.corners.first()?.as_ref()?.square_px()));
        let dash = || "–".to_owned();
        let mut row = vec![
            named.name.clone(),
            format!("{}×{}", named.scene.camera.width, named.scene.camera.height),
            square.map_or_else(dash, |px| format!("{px:.0}")),
        ];
        row.extend(score_cells(of));
        row.push(boards_found(of()).count_text());
        row.push(worst.map_or_else(dash, |w| format!("{w:.2}")));
        rows.push(row);
    }
    let header = [
        "scene",
        "picture",
        "square (px)",
        "plies",
        "right",
        "%",
        "95 % interval",
        "perfect games",
        "false warnings",
        "board found",
        "corner",
    ];
    experiment.tables = vec![table("Scene by scene", &header, rows)];
    Ok((experiment, results.timing))
}
