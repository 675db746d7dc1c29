//! Petkov's experiment: many games, one oblique view, one picture a ply.
//!
//! G. Petkov, *Tracking and annotating a chess game* (Edinburgh, 2013), sections 3.5 and 3.6: 54 games with 3,680
//! plies, drawn from photographs of the men. His figures stand beside ours. His pictures had no noise and no change of
//! light; ours have.

use chess_observer::sim::{Scene, scene::LampColour};

use super::{
    lab::{Done, Game, Job, Lab, Results, false_warnings, perfect, plies_right, table},
    types::{Experiment, Figures, GameFigures, Table, Timing},
};
use crate::{
    interval::Rate,
    simulated::{Shots, ShowError},
};

/// A camera high above the players' heads at the side of a hall with large windows.
#[must_use]
pub fn hall() -> Scene {
    let mut scene = Scene::oblique(50.0);
    // Windows along one side: far away, much light from everywhere, soft shadows.
    (scene.light.colour, scene.light.distance_m) = (LampColour::Daylight, 0.0);
    (scene.light.azimuth_deg, scene.light.elevation_deg) = (80.0, 40.0);
    (scene.light.ambient, scene.light.softness) = (0.55, 0.45);
    scene
}

/// Games of the quick version.
const QUICK_GAMES: usize = 4;
/// Plies of each.
const QUICK_PLIES: usize = 40;

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let games: Vec<Game> = if lab.quick { lab.sample(QUICK_GAMES, QUICK_PLIES) } else { lab.games.clone() };
    let shots = if lab.film { Shots::Film } else { Shots::Stills };
    let scene = hall();
    let jobs: Vec<Job> = games.iter().map(|game| lab.job("", game, &scene, shots)).collect();
    let results = lab.run("petkov", jobs)?;
    let how = if lab.film { "filmed with hands at 10 pictures a second" } else { "one clean picture a ply" };
    let mut experiment = lab.experiment(
        "petkov",
        "Petkov: whole games from one oblique view",
        &format!(
            "Every game of the collection, {how}, 640×480, 50° above the board, daylight. The observer finds the board \
             itself. A ply is right where the final record has it in its place (after a first fault: where an \
             alignment by edit distance has it). First fault: mean over the games of the first wrong ply, of the \
             whole length where none is wrong. His simulator: no noise, no shadows, no change of light."
        ),
    );
    results.count_into(&mut experiment);
    let figures = figures(&results);
    experiment.tables = vec![against_his(&figures), by_game(&figures)];
    experiment.figures = figures;
    Ok((experiment, results.timing))
}

fn figures(results: &Results) -> Figures {
    let games = results.done.len();
    let mean = |sum: usize| sum as f64 / games.max(1) as f64;
    let length = |score: &crate::score::Score| score.plies;
    Figures::Petkov {
        games,
        plies: plies_right(results.done.iter()),
        perfect: perfect(results.done.iter()),
        mean_first_fault: mean(
            results.done.iter().map(|d| d.shown.score.first_fault.unwrap_or_else(|| length(&d.shown.score))).sum(),
        ),
        mean_length: mean(results.done.iter().map(|d| length(&d.shown.score)).sum()),
        false_warnings: false_warnings(results.done.iter()),
        by_game: results.done.iter().map(game_figures).collect(),
    }
}

fn against_his(figures: &Figures) -> Table {
    let Figures::Petkov { games, plies, perfect, mean_first_fault, mean_length, false_warnings, .. } = figures else {
        return Table::default();
    };
    let row = |cells: [String; 4]| cells.to_vec();
    let rows = vec![
        row(["games".into(), "54".into(), games.to_string(), String::new()]),
        row(["plies".into(), "3680".into(), plies.of.to_string(), String::new()]),
        row(["plies right (%)".into(), "99.01".into(), plies.percent_text(), plies.interval_text()]),
        row(["games without a fault".into(), "30/54".into(), perfect.count_text(), perfect.interval_text()]),
        row(["mean first fault (ply)".into(), "52.2".into(), format!("{mean_first_fault:.1}"), String::new()]),
        row(["mean length (plies)".into(), "68.1".into(), format!("{mean_length:.1}"), String::new()]),
        row(["false warnings".into(), "–".into(), false_warnings.to_string(), String::new()]),
    ];
    table("All games", &["", "Petkov 2013", "ours", "95 % interval"], rows)
}

fn game_figures(done: &Done) -> GameFigures {
    let score = &done.shown.score;
    GameFigures {
        number: done.game.number,
        name: done.game.name.clone(),
        plies: score.plies,
        right: score.right,
        first_fault: score.first_fault,
        false_warnings: score.warnings.wrong,
    }
}

fn by_game(figures: &Figures) -> Table {
    let Figures::Petkov { by_game, .. } = figures else { return Table::default() };
    let rows = by_game
        .iter()
        .map(|g| {
            vec![
                format!("{} {}", g.number, g.name),
                g.plies.to_string(),
                g.right.to_string(),
                Rate::new(g.right, g.plies).percent_text(),
                g.first_fault.map_or_else(|| "–".into(), |ply| ply.to_string()),
                g.false_warnings.to_string(),
            ]
        })
        .collect();
    table("Game by game", &["game", "plies", "right", "%", "first fault", "false warnings"], rows)
}
