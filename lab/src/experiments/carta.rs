//! Carta and Corsolini's experiment: how good the view is, by how much a hand hides.
//!
//! A. Carta and M. Corsolini, *A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs* (2015), section 4: success per move by the view (their figure 15: the board's size in pixels and the
//! camera's elevation) and by what a disturbance leaves visible of the stone played last (table 2).
//!
//! Their figure is a picture without numbers in the text, so the bands are ours: see [`CONDITIONS`].

use chess_observer::{
    event::line::Line,
    sim::{Disturbance, Scene},
};

use super::{
    lab::{Done, Game, Job, Lab, plies_right, table},
    types::{Cell, Experiment, Figures, Table, Timing},
};
use crate::{
    condition::Condition,
    interval::Rate,
    simulated::{Shots, ShowError},
};

/// One view in the middle of each band, as we draw them: *optimal* from steep views (60° and more) of boards whose
/// squares have 45 px or more, *good* from 40° to 60° and 30 to 45 px, *fair* below 40° and 30 px. Their boards have 19
/// lines where ours have 8 squares: a board of theirs with the same distance between lines has twice as many pixels.
pub const CONDITIONS: [Condition; 3] = Condition::all([800, 640, 480]);

/// Disturbances from none to the worst, with their names.
pub(super) const DISTURBANCES: [(&str, Option<Disturbance>); 4] = [
    ("none", None),
    ("fully visible", Some(Disturbance::Visible)),
    ("partly hidden", Some(Disturbance::Partly)),
    ("hidden", Some(Disturbance::Hidden)),
];

/// Every so manyth picture is disturbed: odd, so that both sides are met; in theirs it was one in six.
const EVERY: usize = 3;
/// Games of each cell, and plies of each: 54 disturbed plies a cell, for the games are of their length; the last picture
/// is clean.
const GAMES: [usize; 2] = [3, 76];
/// The same for the quick version.
const QUICK: [usize; 2] = [1, 31];

/// The scene of a condition.
pub(super) fn scene(condition: &Condition) -> Scene {
    let mut scene = Scene::oblique(condition.elevation_deg);
    (scene.camera.width, scene.camera.height) = condition.picture();
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
    let games: Vec<Game> = games.iter().filter(|game| game.plies() > 0).map(|g| g.with_clean_end(EVERY)).collect();
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
    let mut cells = vec![];
    for condition in &CONDITIONS {
        let theirs = condition.theirs.iter().copied().chain([""]);
        for ((disturbance, kind), theirs) in DISTURBANCES.into_iter().zip(theirs) {
            let run = run_name(condition, disturbance);
            let done: Vec<&Done> = results.of(&run).collect();
            let (in_the_end, at_once) = match kind {
                None => (plies_right(done.iter().copied()), sum_all(&done)),
                Some(_) => (sum(&done, right_in_the_end), sum(&done, right_at)),
            };
            let name = (condition.name.to_owned(), disturbance.to_owned());
            cells.push(Cell { condition: name.0, disturbance: name.1, in_the_end, at_once, theirs: theirs.into() });
        }
    }
    let mut tables = vec![
        cell_table("Right in the final record, % (count)", &cells, |c| c.in_the_end),
        cell_table("Right at the disturbed picture itself, % (count)", &cells, |c| c.at_once),
    ];
    tables.push(views(&results.done));
    experiment.tables = tables;
    experiment.figures = Figures::Carta { cells };
    Ok((experiment, results.timing))
}

pub(super) fn cell_table(title: &str, cells: &[Cell], of: impl Fn(&Cell) -> Rate) -> Table {
    let mut rows = vec![];
    for cells in cells.chunks(DISTURBANCES.len()) {
        let row = |name: &str, text: &dyn Fn(&Cell) -> String| {
            std::iter::once(name.to_owned()).chain(cells.iter().map(text)).collect::<Vec<_>>()
        };
        let name = cells.first().map_or("", |c| c.condition.as_str());
        rows.push(row(name, &|c| format!("{} ({})", of(c).percent_text(), of(c).count_text())));
        rows.push(row("  95 % interval", &|c| of(c).interval_text()));
        let dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
        rows.push(row("  Carta and Corsolini", &|c| dash(&c.theirs)));
    }
    table(title, &["conditions", "none", "fully visible", "partly hidden", "hidden"], rows)
}

fn right_in_the_end(done: &Done, row: usize) -> bool {
    done.shown.score.faults.iter().all(|fault| fault.ply != done.shown.truth.rows[row].ply)
}

/// All plies whose record was right at their own picture, of all that have one.
fn sum_all(done: &[&Done]) -> Rate {
    let pictures =
        |d: &Done| (0..d.shown.truth.rows.len()).filter(|&row| d.shown.truth.rows[row].ply > 0).collect::<Vec<_>>();
    done.iter().fold(Rate::new(0, 0), |rate, d| {
        let rows = pictures(d);
        rate.and(Rate::new(rows.iter().filter(|&&row| right_at(d, row)).count(), rows.len()))
    })
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
    line.plies().get(index).is_some_and(|p| p.uci.to_string() == done.shown.truth.plies[index])
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
