//! `evaluate`: recordings with known truth through the observer, and what it got right.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use chess_observer::{
    eval::{
        run::{Options, Outcome, run as evaluate},
        score::Score,
        table, truth,
    },
    params::Params,
};
use rayon::prelude::*;

use super::{Done, atomic, events, params_file, print_out, progress, say, stopped};

/// Score the observer on recordings whose truth is known, and print the table.
///
/// A recording is a folder with frames/, truth.pgn, events.csv, about.toml, and corners.csv or camera.json.
/// Exit status: 0 evaluated (whatever the figures), 2 unusable input or arguments, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A recording, or a folder of recordings; may be given several times
    #[arg(long, value_name = "DIR", required = true, num_args = 1..)]
    recordings: Vec<PathBuf>,
    /// Give the true corners instead of letting the observer find the board (rectified recordings always get them)
    #[arg(long)]
    given_corners: bool,
    /// Treat the pictures as a video instead of as separate looks
    #[arg(long)]
    video: bool,
    /// Parameters of the observer, as the node reads them
    #[arg(long, value_name = "FILE.yaml")]
    params: Option<PathBuf>,
    /// Also list every fault as [correct – read]
    #[arg(long, short)]
    verbose: bool,
    /// Where to write the figures as JSON
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Folder for each recording's events and game (NAME.jsonl, NAME.pgn) and the table
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let mut params = Params::default();
    if let Some(file) = &args.params {
        params_file::read(file, &mut params)?;
    }
    let options = Options { params, given_corners: args.given_corners, video: args.video };
    let mut paths = Vec::new();
    for folder in &args.recordings {
        paths.extend(truth::find(folder).map_err(|e| e.to_string())?);
    }
    if let Some(folder) = &args.report {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let bar = progress::bar(Some(paths.iter().map(|p| pictures(p)).sum()));
    let skipped = Mutex::new(0_usize);
    let scores: Vec<Score> = paths
        .par_iter()
        .filter_map(|path| {
            if stopped() {
                *skipped.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
                return None;
            }
            let outcome = match evaluate(path, &options, || bar.inc(1)) {
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

    let mut text = table::table(&scores);
    if args.verbose {
        scores.iter().map(table::faults).filter(|f| !f.is_empty()).for_each(|f| text.push_str(&format!("\n{f}")));
    }
    print_out(&text)?;
    if let Some(folder) = &args.report {
        atomic::write(&folder.join("table.txt"), &text)?;
    }
    if let Some(path) = &args.json {
        let all = serde_json::json!({ "recordings": scores, "all": table::total(&scores) });
        let text = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?;
        atomic::write(path, &(text + "\n"))?;
    }
    let skipped = skipped.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if skipped > 0 {
        say(&format!("interrupted: {skipped} recordings not evaluated"));
        return Ok(Done::Interrupted);
    }
    Ok(Done::Processed)
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
