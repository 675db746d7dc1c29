//! Recordings with known truth through the observer.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use chess_observer::eval::{
    run::{Options, Outcome, run as evaluate},
    score::Score,
    table, truth,
};
use rayon::prelude::*;

use super::Args;
use crate::cli::{atomic, events, progress, stopped};

/// The recordings that are asked for.
pub fn paths(args: &Args) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for folder in &args.recordings {
        paths.extend(truth::find(folder).map_err(|e| e.to_string())?);
    }
    Ok(paths)
}

/// The figures of all recordings, and how many were not evaluated because of Ctrl-C.
pub fn run(args: &Args, options: &Options) -> Result<(Vec<Score>, usize), String> {
    let paths = paths(args)?;
    let bar = progress::bar(Some(paths.iter().map(|p| pictures(p)).sum()));
    let skipped = Mutex::new(0_usize);
    let scores: Vec<Score> = paths
        .par_iter()
        .filter_map(|path| {
            if stopped() {
                *skipped.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
                return None;
            }
            let outcome = match evaluate(path, options, || bar.inc(1)) {
                Ok(outcome) => outcome,
                Err(e) => return Some(Err(e.to_string())),
            };
            if let Some(folder) = &args.report
                && let Err(why) = write_report(folder, &outcome)
            {
                return Some(Err(why));
            }
            Some(Ok(outcome.score))
        })
        .collect::<Result<_, String>>()?;
    bar.finish_and_clear();
    Ok((scores, skipped.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)))
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
    atomic::write(&folder.join(format!("{name}.jsonl")), &lines)?;
    atomic::write(&folder.join(format!("{name}.pgn")), &outcome.pgn)
}
