//! The command line: experiments on simulated boards, a user's scenes, and recordings with known truth.

mod asked;
mod bars;
mod compare;
mod data;
mod docs;
mod fit;
mod judge;
mod merge;
mod recordings;
mod tell;

use std::{path::PathBuf, process::ExitCode};

use chess_observer::program::{self, Done, events, outputs, print_out, say, stopped};
use chess_observer_lab::experiments::{
    self, VERSION,
    part::{Head, Shard, Writer},
    share::Share,
};
use clap::Parser;

use self::{asked::Asked, bars::Bars, judge::JudgeArgs, tell::Out};

/// Measure the observer: the papers' experiments on simulated boards, your own scenes, or recordings with known truth.
///
/// Without --scenes and --recordings all experiments are made: petkov (whole games, one oblique view), koray (100
/// attempts to move, 30 of them illegal, in three lights), carta (views by disturbances), ladder (how much of each
/// disturbance is too much), conditions (at what strength do the faults of real recordings come?), squares (is each
/// square seen rightly, and how surely?), anywhere (any board under any camera, by chance: each seed throws others),
/// bumps (does the game go on when camera or board are knocked?), board (single pictures: found, how precisely, and
/// the camera's pose), evidence (no pictures: the rules alone), protocols (one game as stills and as films of 30 to 0.2
/// pictures a second), go (games of Go, with --go-games). With --judge only scores are given, of what nobody has looked at. With --scenes the games are
/// played in each scene file: try a camera before you buy it. With --recordings folders with frames/, truth.pgn,
/// events.csv, about.toml, and corners.csv or camera.json are read; the experiments squares, board and protocols look
/// at them too.
///
/// Equal arguments give equal figures; what the clock says is printed to standard error and stands
/// apart in the JSON (`timings`). Long runs are shared among machines with --shard I/N --part FILE, and `lab merge`
/// makes the same figures of the parts. Exit status: 0 evaluated (whatever the figures), 1 fallen below
/// --floors, 2 unusable input or arguments, 130 ended by Ctrl-C with the figures of what was complete.
#[derive(Debug, Parser)]
#[command(name = "lab", version = VERSION, max_term_width = 110)]
#[command(args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    asked: AskedArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    out: OutArgs,
    /// Keep what every game and recording yields in FILE as soon as it is there: the same command, given again, goes on
    /// where it was stopped
    #[arg(long, value_name = "FILE")]
    part: Option<PathBuf>,
    /// Do only every Nth job, and keep what it yields in --part FILE: `lab merge` makes the figures of all parts
    #[arg(long, value_name = "I/N", requires = "part", conflicts_with_all = ["json", "compare", "report", "verbose"])]
    shard: Option<Shard>,
    /// Write every figure in DIR/README.md and DIR/docs/*.md anew: each stands in a block whose marker names the command
    /// that gives it [default DIR: .]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = ["json", "compare", "report", "part", "check_docs"])]
    write_docs: Option<PathBuf>,
    /// With --write-docs: take the figures from the JSON of earlier runs, and from what scripts/costs.py has written,
    /// instead of measuring now; blocks without figures there stay as they are
    #[arg(long, value_name = "FIGURES.json", num_args = 1.., requires = "write_docs")]
    from: Vec<PathBuf>,
    /// See that every block of figures in DIR/README.md and DIR/docs/*.md is as it was written, and that its command
    /// still exists [default DIR: .]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = ["json", "compare", "report", "part"])]
    check_docs: Option<PathBuf>,
    /// How many processors are used [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Merge(merge::Args),
    Fit(fit::Args),
}

/// What is measured.
#[derive(Debug, Default, clap::Args)]
struct AskedArgs {
    /// The games that are played on simulated boards [default: the collection that ships with the program]
    #[arg(long, value_name = "GAMES.pgn")]
    pgn: Option<PathBuf>,
    /// A scene file, or a folder of them (*.toml): the games are played in each, one row a scene
    #[arg(long, value_name = "DIR|FILE")]
    scenes: Option<PathBuf>,
    /// A recording, or a folder of recordings; single pictures with a locate.csv, or a folder of such folders, for the
    /// experiment board; may be given several times
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
    /// [default: 1; of --judge 1000]. Seeds below 1000 may be fitted on, the others judge
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Recordings: give the true corners instead of letting the observer find the board
    #[arg(long)]
    given_corners: bool,
    /// Recordings: treat the pictures as a video instead of as separate looks
    #[arg(long)]
    video: bool,
    /// Folder with recordings and a splits.toml that says which are to fit on (train) and which only judge: the experiment
    /// protocols shows the one half, --judge the other [default: data in CHESS_OBSERVER_SHARED or in ../shared]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder with games of Go (*.sgf) for the experiment go; scripts/go_games.sh fetches some
    #[arg(long, value_name = "DIR")]
    go_games: Option<PathBuf>,
    /// Parameters of the observer, as the node reads them
    #[arg(long, value_name = "FILE.yaml")]
    params: Option<PathBuf>,
}

/// What chance decides follows from this number where no other is given.
const SEED: u64 = 1;

/// Where the figures go.
#[derive(Debug, clap::Args)]
struct OutArgs {
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

/// Runs the program.
pub fn main() -> ExitCode {
    program::run("lab", run)
}

fn run(args: &Args) -> Result<Done, String> {
    match &args.command {
        Some(Command::Merge(args)) => return merge::run(args),
        Some(Command::Fit(args)) => return fit::run(args),
        None => {}
    }
    if let Some(jobs) = args.jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.into());
        pool.build_global().map_err(|e| e.to_string())?;
    }
    if let Some(root) = &args.write_docs {
        return docs::write(root, &args.from);
    }
    if let Some(root) = &args.check_docs {
        return docs::check(root);
    }
    if args.judge.judge {
        return judge::run(args);
    }
    // Whatever can be refused is refused before the first minute is spent.
    let (asked, out) = (&args.asked, &args.out);
    outputs::different(
        &[
            ("--pgn", asked.pgn.as_deref()),
            ("--scenes", asked.scenes.as_deref()),
            ("--params", asked.params.as_deref()),
        ],
        &[("--json", out.json.as_deref()), ("--part", args.part.as_deref())],
    )?;
    data::guard(args)?;
    let asked = Asked::read(&args.asked)?;
    let mut out = Out::open(&args.out)?;
    let share = share(args, &asked)?;
    let (known, partial) = (share.known(), share.is_partial());
    if known > 0 {
        say(&format!("{known} jobs are there already"));
    }
    out.quiet = partial;
    // Where nobody sees it, nothing is counted.
    let bars = Bars::new(if Bars::are_seen() { Out::work_ms(&asked, share.rehearsal())? } else { 0 });
    let lab = asked.lab(share, &bars)?;
    out.tell(&asked, &lab, &bars)?;
    if stopped() {
        if let Some(part) = &args.part {
            say(&format!("interrupted: what is complete is in {}; the same command goes on", part.display()));
        } else {
            say(&format!("interrupted: {} games or recordings not evaluated", out.left_out));
        }
        return Ok(Done::Interrupted);
    }
    lab.share.complete().map_err(|e| e.to_string())?;
    if let (true, Some(part)) = (partial, &args.part) {
        let shard = args.shard.unwrap_or_default();
        let jobs = lab.share.numbered();
        say(&format!("{shard} of {jobs} jobs is complete: {}; lab merge makes figures of all", part.display()));
    }
    Ok(Done::Processed)
}

/// Which jobs are carried out, and what is known already.
fn share(args: &Args, asked: &Asked) -> Result<Share, String> {
    let Some(path) = &args.part else { return Ok(Share::default()) };
    let shard = args.shard.unwrap_or_default();
    let asked = serde_json::to_value(asked).map_err(|e| e.to_string())?;
    let head = Head { version: VERSION.into(), shard, asked };
    let (writer, part) = Writer::open(path, &head).map_err(|e| e.to_string())?;
    Ok(Share::kept(writer, part))
}
