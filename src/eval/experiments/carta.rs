//! Carta and Corsolini's experiment: how good the view is, by how much a hand hides.
//!
//! A. Carta and M. Corsolini, *A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs* (2015), section 4: success per move by the view (their figure 15: the board's size in pixels and the
//! camera's elevation) and by what a disturbance leaves visible of the stone played last (table 2).
//!
//! Their figure is a picture without numbers in the text, so the bands are ours: see [`CONDITIONS`].

use super::{
    lab::{Done, Job, Lab, plies_right, table},
    types::{Experiment, Table, Timing},
};
use crate::{
    eval::{
        interval::Rate,
        line::Line,
        simulated::{Shots, ShowError},
    },
    sim::{Disturbance, Scene},
};

/// A band of views.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// Elevation of the camera over the board, in degrees.
    pub elevation_deg: f64,
    /// Width of the picture, in pixels; its height is three quarters of that.
    pub width: u32,
    /// What they expect without a disturbance, with the stone visible, and partly hidden.
    pub theirs: [&'static str; 3],
}

/// One view in the middle of each band, as we draw them: *optimal* from steep views (60° and more) of boards whose
/// squares have 45 px or more, *good* from 40° to 60° and 30 to 45 px, *fair* below 40° and 30 px. Their boards have 19
/// lines where ours have 8 squares: a board of theirs with the same distance between lines has twice as many pixels.
pub const CONDITIONS: [Condition; 3] = [
    Condition { name: "optimal", elevation_deg: 70.0, width: 800, theirs: ["100", "100", "70–80"] },
    Condition { name: "good", elevation_deg: 48.0, width: 640, theirs: ["100", "100", "60–70"] },
    Condition { name: "fair", elevation_deg: 32.0, width: 480, theirs: ["99–100", "95–100", "50–60"] },
];

/// Disturbances from none to the worst, with their names.
pub(super) const DISTURBANCES: [(&str, Option<Disturbance>); 4] = [
    ("none", None),
    ("fully visible", Some(Disturbance::Visible)),
    ("partly hidden", Some(Disturbance::Partly)),
    ("hidden", Some(Disturbance::Hidden)),
];

/// Every so manyth picture is disturbed: odd, so that both sides are met; in theirs it was one in six.
const EVERY: usize = 3;
/// Games of each cell, and plies of each: 75 disturbed plies a cell, and a last picture that is clean.
const GAMES: [usize; 2] = [3, 76];
/// The same for the quick version.
const QUICK: [usize; 2] = [1, 31];

/// The scene of a condition.
pub(super) fn scene(condition: &Condition) -> Scene {
    let mut scene = Scene::oblique(condition.elevation_deg);
    (scene.camera.width, scene.camera.height) = (condition.width, condition.width / 4 * 3);
    scene
}

fn run_name(condition: &Condition, disturbance: &str) -> String {
    format!("{}, {disturbance}", condition.name)
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let [count, plies] = if lab.quick { QUICK } else { GAMES };
    let games = lab.sample(count, plies);
    let mut jobs: Vec<Job> = vec![];
    for condition in &CONDITIONS {
        let scene = scene(condition);
        for (name, disturbance) in DISTURBANCES {
            let shots = disturbance.map_or(Shots::Stills, |d| Shots::Disturbed(d, EVERY));
            jobs.extend(games.iter().map(|game| lab.job(&run_name(condition, name), game, &scene, shots)));
        }
    }
    let results = lab.run("carta", jobs)?;
    let mut experiment = lab.experiment(
        "carta",
        "Carta and Corsolini: views by disturbances",
        "Games as separate pictures, one a ply; every third picture has a hand in it that leaves all, a third to two \
         thirds, or nothing of the moved man visible, as far as there is a place for such a hand. Success per ply: of \
         the disturbed plies (without disturbance: of all), those that are right in the final record; and those that \
         were right in the record at the disturbed picture itself. Their bands of conditions are drawn in a figure \
         without numbers; ours: optimal 70° and 800×600, good 48° and 640×480, fair 32° and 480×360. Theirs is Go.",
    );
    results.count_into(&mut experiment);
    let cells = |condition: &Condition, count: &dyn Fn(&[&Done], bool) -> Rate| -> Vec<Rate> {
        DISTURBANCES
            .iter()
            .map(|(name, d)| count(&results.of(&run_name(condition, name)).collect::<Vec<_>>(), d.is_some()))
            .collect()
    };
    let at_last = |done: &[&Done], disturbed: bool| match disturbed {
        true => sum(done, |d, row| d.shown.score.faults.iter().all(|f| f.ply != d.shown.truth.rows[row].ply)),
        false => plies_right(done.iter().copied()),
    };
    let at_once = |done: &[&Done], disturbed: bool| match disturbed {
        true => sum(done, right_at),
        false => plies_right(done.iter().copied()),
    };
    let mut tables = vec![];
    for (title, count) in [
        ("Right in the final record, % (count)", &at_last as &dyn Fn(&[&Done], bool) -> Rate),
        ("Right at the disturbed picture itself, % (count)", &at_once),
    ] {
        let mut rows = vec![];
        for condition in &CONDITIONS {
            let rates = cells(condition, count);
            let cell = |r: &Rate| format!("{} ({})", r.percent_text(), r.count_text());
            rows.push(std::iter::once(condition.name.to_owned()).chain(rates.iter().map(cell)).collect());
            rows.push(
                std::iter::once("  95 % interval".to_owned()).chain(rates.iter().map(Rate::interval_text)).collect(),
            );
            let theirs = condition.theirs.map(str::to_owned).into_iter().chain(["–".into()]);
            rows.push(std::iter::once("  Carta and Corsolini".to_owned()).chain(theirs).collect());
        }
        tables.push(table(title, &["conditions", "none", "fully visible", "partly hidden", "hidden"], rows));
    }
    tables.push(views(&results.done));
    experiment.tables = tables;
    Ok((experiment, results.timing))
}

/// Disturbed plies for which `test` holds, of all. `test` is given the row of the disturbed picture.
fn sum(done: &[&Done], test: impl Fn(&Done, usize) -> bool) -> Rate {
    let mut counts = (0, 0);
    for d in done {
        for (row, _) in d.shown.truth.rows.iter().enumerate().filter(|(_, r)| r.state != "clean" && r.ply > 0) {
            counts = (counts.0 + usize::from(test(d, row)), counts.1 + 1);
        }
    }
    Rate::new(counts.0, counts.1)
}

/// Did the record hold the right move once this picture had been looked at?
fn right_at(done: &Done, row: usize) -> bool {
    let mut line = Line::default();
    done.shown.events.iter().filter(|(frame, _)| *frame <= row).for_each(|(frame, event)| line.push(*frame, event));
    let index = done.shown.truth.rows[row].ply - 1;
    line.plies().get(index).is_some_and(|p| p.uci == done.shown.truth.plies[index])
}

/// What the views look like, as measured in the first picture.
fn views(done: &[Done]) -> Table {
    let rows = CONDITIONS.iter().map(|condition| {
        let run = run_name(condition, DISTURBANCES[0].0);
        let first = done.iter().find(|d| d.run == run);
        let square = first.and_then(|d| Some(d.shown.truth.corners.first()?.as_ref()?.square_px()));
        vec![
            condition.name.to_owned(),
            format!("{}", condition.elevation_deg),
            format!("{}×{}", condition.width, condition.width / 4 * 3),
            square.map_or_else(|| "–".into(), |px| format!("{:.0}", 8.0 * px)),
            square.map_or_else(|| "–".into(), |px| format!("{px:.0}")),
        ]
    });
    table("The views", &["conditions", "elevation (°)", "picture", "board's side (px)", "square (px)"], rows.collect())
}
