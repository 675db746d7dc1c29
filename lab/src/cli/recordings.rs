//! Recordings with known truth through the observer.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chess_observer_lab::{
    experiments::lab::{Lab, Task},
    run::{Options, Outcome, run as evaluate},
    score::Score,
    simulated::ShowError,
    table,
};

use crate::cli::{events, outputs};

/// What a picture takes to be decoded and looked at, in milliseconds: for progress bars.
const PICTURE_MS: u64 = 20;

/// The figures of all recordings of the lab, and how many were not evaluated because of Ctrl-C. Events and games go into the
/// folder `report`.
pub fn run(lab: &Lab<'_>, options: &Options, report: Option<&Path>) -> Result<(Vec<Score>, usize), String> {
    let task = |path: &PathBuf| Task {
        name: format!("recordings: {}", path.display()),
        work_ms: pictures(path) * PICTURE_MS,
        job: path.clone(),
    };
    let tasks = lab.recordings.iter().map(task).collect();
    let outcomes = lab.work("recordings", tasks, |path| {
        let outcome = evaluate(path, options, || lab.watch.advance(PICTURE_MS));
        outcome.map(Some).map_err(|e| ShowError::Recording(e.to_string()))
    });
    let outcomes = outcomes.map_err(|e| e.to_string())?;
    let skipped = outcomes.iter().filter(|(_, outcome)| outcome.is_none()).count();
    let mut scores = vec![];
    for outcome in outcomes.into_iter().filter_map(|(_, outcome): (_, Option<Outcome>)| outcome) {
        if let Some(folder) = report {
            write_report(folder, &outcome)?;
        }
        scores.push(outcome.score);
    }
    Ok((scores, skipped))
}

/// The table, and with `verbose` every fault.
pub fn text(scores: &[Score], verbose: bool) -> String {
    let mut text = table::table(scores);
    if verbose {
        scores.iter().map(table::faults).filter(|f| !f.is_empty()).for_each(|f| text.push_str(&format!("\n{f}")));
    }
    text
}

/// Pictures of a recording, for the progress bar.
fn pictures(recording: &Path) -> u64 {
    fs::read_dir(recording.join("frames")).map_or(0, |entries| entries.count() as u64)
}

fn write_report(folder: &Path, outcome: &Outcome) -> Result<(), String> {
    let mut lines = String::new();
    for (frame, event) in &outcome.events {
        let stamp = outcome.stamps.get(*frame).copied().unwrap_or_default();
        lines.push_str(&events::line(event, *frame, stamp, outcome.names.get(*frame).map(String::as_str))?);
        lines.push('\n');
    }
    let name = &outcome.score.name;
    outputs::write(&folder.join(format!("{name}.jsonl")), lines.as_bytes())?;
    outputs::write(&folder.join(format!("{name}.pgn")), outcome.pgn.as_bytes())
}
