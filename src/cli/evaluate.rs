//! `evaluate`: experiments on simulated boards, a user's scenes, and recordings with known truth.

mod bars;
mod compare;
mod recordings;

use std::{fs, path::PathBuf};

use chess_observer::{
    eval::{
        experiments::{
            self, Experiment, Timing,
            lab::{self, GAMES, Game, Lab},
            print,
            scenes::Named,
            views,
        },
        report::{self, Picture, Report},
        run::Options,
        table,
    },
    params::Params,
};

use self::bars::Bars;
use super::{Done, atomic, params_file, print_out, say, stopped};

/// Measure the observer: the papers' experiments on simulated boards, your own scenes, or recordings with known truth.
///
/// Without --scenes and --recordings all experiments are made: petkov (whole games, one oblique view), koray (100
/// attempts to move, 30 of them illegal, in three lights), carta (views by disturbances), ladder (how much of each
/// disturbance is too much), conditions (at what strength do the faults of real recordings come?), squares (is each square seen rightly, and how surely?), anywhere (any board under any
/// camera, by chance: each seed throws others), bumps (does the game go on when camera or board are knocked?), board
/// (single pictures: found, how precisely, and the camera's pose), evidence (no pictures: the rules alone). With
/// --scenes the games are played in each scene file: try a camera before you buy it. With --recordings folders with
/// frames/, truth.pgn, events.csv, about.toml, and corners.csv or camera.json are read; the experiments squares and
/// board look at them too.
///
/// Equal arguments give equal figures; what the clock says is printed to standard error and stands
/// apart in the JSON (`timings`). Exit status: 0 evaluated (whatever the figures), 2 unusable input or arguments, 130
/// ended by Ctrl-C with the figures of what was complete.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The games that are played on simulated boards [default: the collection that ships with the program]
    #[arg(long, value_name = "GAMES.pgn")]
    pgn: Option<PathBuf>,
    /// A scene file, or a folder of them (*.toml): the games are played in each, one row a scene
    #[arg(long, value_name = "DIR|FILE")]
    scenes: Option<PathBuf>,
    /// A recording, or a folder of recordings; may be given several times
    #[arg(long, value_name = "DIR", num_args = 1..)]
    recordings: Vec<PathBuf>,
    /// Which experiments, separated by commas [default: all without --scenes and --recordings, else none]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = experiments::NAMES)]
    experiments: Option<Vec<String>>,
    /// Of each experiment only the runs in whose name this stands: a light, a rung, a knock (`--experiments bumps
    /// --only "board turned"`)
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Smaller experiments: a first impression in a minute or two
    #[arg(long)]
    quick: bool,
    /// Films with hands instead of one clean picture a ply, where an experiment leaves the choice: some twenty times
    /// as long
    #[arg(long)]
    film: bool,
    /// What chance decides (grain, noise, how men stand) follows from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Recordings: give the true corners instead of letting the observer find the board
    #[arg(long)]
    given_corners: bool,
    /// Recordings: treat the pictures as a video instead of as separate looks
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
    /// Figures of an earlier --json: what both have is then printed side by side, before → after
    #[arg(long, value_name = "OLD.json")]
    compare: Option<PathBuf>,
    /// Folder for a report: index.html with plots, tables and pictures, to open in a browser; the tables as text; each
    /// recording's events and game (NAME.jsonl, NAME.pgn)
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let mut params = Params::default();
    if let Some(file) = &args.params {
        params_file::read(file, &mut params)?;
    }
    // Whatever can be refused is refused before the first minute is spent.
    let games = games(args)?;
    let before = args.compare.as_deref().map(compare::read).transpose()?;
    let scenes = args.scenes.as_deref().map(experiments::scenes::read).transpose().map_err(|e| e.to_string())?;
    if let Some(folder) = &args.report {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    if let Some(path) = &args.json {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        if path.is_dir() || folder.is_some_and(|p| !p.is_dir()) {
            return Err(format!("{}: cannot be written there: give a file in a folder that exists", path.display()));
        }
    }
    let nothing_else = args.scenes.is_none() && args.recordings.is_empty();
    let names: Vec<&str> = match &args.experiments {
        // In the order of the documentation, each once.
        Some(asked) => experiments::NAMES.into_iter().filter(|n| asked.iter().any(|a| a == n)).collect(),
        None if nothing_else => experiments::NAMES.to_vec(),
        None => vec![],
    };

    let mut text = String::new();
    let mut json = serde_json::Map::new();
    let mut left_out = 0;
    let mut scores = vec![];
    if !args.recordings.is_empty() {
        let options = Options { params: params.clone(), given_corners: args.given_corners, video: args.video };
        let (read, skipped) = recordings::run(args, &options)?;
        scores = read;
        left_out += skipped;
        text += &recordings::text(&scores, args.verbose);
        print_out(&text)?;
        json.insert("recordings".into(), value(&scores)?);
        json.insert("all".into(), value(&table::total(&scores))?);
        json.insert("counts".into(), value(&table::counts(&scores))?);
    }

    let bars = Bars::default();
    let (quick, film, own_games) = (args.quick, args.film, args.pgn.is_some());
    let only = args.only.clone();
    let paths = recordings::paths(args)?;
    let lab = Lab { seed: args.seed, quick, film, params, games, own_games, only, recordings: paths, watch: &bars };
    let mut made: Vec<(Experiment, Timing)> = vec![];
    let mut tell = |one: (Experiment, Timing)| -> Result<(), String> {
        bars.clear();
        let mut told = print::text(&one.0);
        if args.verbose && !one.0.errors.is_empty() {
            told += &format!("\nFaults\n{}", print::errors(&one.0));
        }
        if !text.is_empty() {
            told.insert(0, '\n');
        }
        print_out(&told)?;
        say(&print::timing(&one.1));
        left_out += one.0.left_out;
        text += &told;
        made.push(one);
        Ok(())
    };
    if let Some(scenes) = &scenes {
        tell(experiments::scenes::run(&lab, scenes).map_err(|e| e.to_string())?)?;
    }
    for name in names {
        if stopped() {
            break;
        }
        tell(experiments::run(name, &lab).map_err(|e| e.to_string())?)?;
    }
    if !scores.is_empty() || made.iter().any(|(one, _)| !one.counts.is_empty()) {
        let told = format!("\n{}", table::meanings());
        print_out(&told)?;
        text += &told;
    }
    if let Some(before) = &before {
        let now: Vec<Experiment> = made.iter().map(|(one, _)| one.clone()).collect();
        let told = compare::text(before, &now);
        print_out(&told)?;
        text += &told;
    }
    if let Some(folder) = &args.report {
        atomic::write(&folder.join("table.txt"), &text)?;
        let names: Vec<&str> = made.iter().map(|(one, _)| one.name.as_str()).collect();
        let pictures = pictures(&lab, &names, scenes.as_deref().unwrap_or_default())?;
        let experiments: Vec<&Experiment> = made.iter().map(|(one, _)| one).collect();
        let page = Report { experiments: &experiments, recordings: &scores, pictures: &pictures }.html();
        atomic::write(&folder.join("index.html"), &page)?;
    }
    if let Some(path) = &args.json {
        let (results, timings): (Vec<Experiment>, Vec<Timing>) = made.into_iter().unzip();
        json.insert("experiments".into(), value(&results)?);
        json.insert("timings".into(), value(&timings)?);
        let text = serde_json::to_string_pretty(&json).map_err(|e| e.to_string())?;
        atomic::write(path, &(text + "\n"))?;
    }
    if stopped() {
        say(&format!("interrupted: {left_out} games or recordings not evaluated"));
        return Ok(Done::Interrupted);
    }
    Ok(Done::Processed)
}

/// A picture of every scene of these experiments, in the middle of the first game.
fn pictures(lab: &Lab<'_>, experiments: &[&str], scenes: &[Named]) -> Result<Vec<Picture>, String> {
    /// Then some men have been taken, and most still stand.
    const PLIES: usize = 20;
    let mut all = views::of_scenes(scenes);
    all.extend(experiments.iter().flat_map(|name| views::views(name)));
    let Some(game) = lab.games.first() else { return Ok(vec![]) };
    report::pictures(&all, &game.first(PLIES).story, lab.seed).map_err(|e| e.to_string())
}

fn value(of: &impl serde::Serialize) -> Result<serde_json::Value, String> {
    serde_json::to_value(of).map_err(|e| e.to_string())
}

fn games(args: &Args) -> Result<Vec<Game>, String> {
    let Some(path) = &args.pgn else { return lab::games(GAMES).map_err(|e| e.to_string()) };
    let at = |why: String| format!("{}: {why}", path.display());
    let games = lab::games(&fs::read_to_string(path).map_err(|e| at(e.to_string()))?).map_err(|e| at(e.to_string()))?;
    if games.is_empty() {
        return Err(at("no game in it".into()));
    }
    Ok(games)
}
