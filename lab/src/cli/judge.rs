//! `lab --judge`: scores of what nobody has looked at.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use chess_observer::files;
use chess_observer_lab::{
    experiments::{VERSION, lab::Watch, print::table_text, share::Share},
    judge::{Floors, Judgement, judge},
    simulated::ShowError,
    split::{Data, FILE, FIRST_JUDGE_SEED},
};
use serde_json::json;

use super::{
    Args, AskedArgs,
    asked::Asked,
    bars::{Bars, Rehearsal},
    data,
};
use crate::cli::{Done, outputs, print_out, say, stopped};

/// Judging.
#[derive(Debug, clap::Args)]
pub struct JudgeArgs {
    /// Only judge: run everything that nobody has looked at (the judge half of --data under several protocols, its single
    /// pictures, simulated games of seeds from 1000 on) and print scores alone
    #[arg(long, conflicts_with_all = ["verbose", "report", "compare", "part", "recordings", "scenes", "experiments",
        "only", "pgn", "film", "given_corners", "video"])]
    pub judge: bool,
    /// With --judge: figures that must not have fallen beyond noise (the intervals of 95 %; stalls not at all); exit
    /// status 1 where one has
    #[arg(long, value_name = "FILE.json", requires = "judge")]
    floors: Option<PathBuf>,
    /// With --judge: where to write the figures for a later --floors
    #[arg(long, value_name = "FILE.json", requires = "judge", conflicts_with = "floors")]
    write_floors: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let asked = Asked::read(&args.asked)?;
    let data = data::read(args.asked.data.as_deref())?;
    let floors = args.judge.floors.as_deref().map(read).transpose()?;
    let seed = seed(&args.asked);
    let work_ms = if Bars::are_seen() {
        let rehearsal = Rehearsal::default();
        judged(&asked, seed, Share::default().rehearsal(), &rehearsal, data.as_ref())?;
        rehearsal.work_ms()
    } else {
        0
    };
    let bars = Bars::new(work_ms);
    let begin = Instant::now();
    let judgement = judged(&asked, seed, Share::default(), &bars, data.as_ref())?;
    bars.finish();
    let seconds = begin.elapsed().as_secs_f64();
    print_out(&table_text(&judgement.table()))?;
    say(&format!("judge: {seconds:.0} s on {} cores", rayon::current_num_threads()));
    let arguments = arguments(&args.asked);
    let command = format!("lab {arguments}");
    if let Some(path) = &args.out.json {
        let json = json!({ "version": VERSION, "arguments": arguments, "judgement": judgement, "seconds": seconds });
        write(path, &json)?;
    }
    if stopped() {
        say(&format!("interrupted: {} games or recordings not judged", judgement.left_out));
        return Ok(Done::Interrupted);
    }
    if let Some(path) = &args.judge.write_floors {
        write(path, &Floors::of(&judgement, &command))?;
    }
    let fallen = match &floors {
        Some(floors) => compared(floors, &judgement, &command)?,
        None => false,
    };
    if !judgement.has_data() {
        let folder = args.asked.data.clone().unwrap_or_else(data::usual);
        let folder = folder.display();
        print_out(&format!("without data: no {FILE} in {folder} (see --data): only simulated games have judged\n"))?;
    }
    Ok(if fallen { Done::Fallen } else { Done::Processed })
}

/// Judges with this seed.
pub fn judged(
    asked: &Asked,
    seed: u64,
    share: Share,
    watch: &dyn Watch,
    data: Option<&Data>,
) -> Result<Judgement, String> {
    let mut lab = asked.lab(share, watch)?;
    lab.seed = seed;
    judge(&mut lab, data).map_err(|e: ShowError| e.to_string())
}

/// What chance decides follows from this number.
pub fn seed(asked: &AskedArgs) -> u64 {
    asked.seed.unwrap_or(FIRST_JUDGE_SEED)
}

/// What is asked, in one spelling: equal figures have equal ones.
pub fn arguments(asked: &AskedArgs) -> String {
    let seed = seed(asked);
    let quick = if asked.quick { " --quick" } else { "" };
    let params = asked.params.as_ref().map_or_else(String::new, |file| format!(" --params {}", file.display()));
    format!("--judge{quick} --seed {seed}{params}")
}

/// Says what has fallen; has anything?
fn compared(floors: &Floors, judgement: &Judgement, command: &str) -> Result<bool, String> {
    if floors.command != command {
        return Err(format!("the floors are those of `{}`, and this is `{command}`", floors.command));
    }
    let falls = floors.falls(judgement);
    falls.iter().try_for_each(|fall| print_out(&format!("fallen: {fall}\n")).map(drop))?;
    if falls.is_empty() {
        print_out("nothing has fallen beyond noise\n")?;
    }
    Ok(!falls.is_empty())
}

fn read(path: &Path) -> Result<Floors, String> {
    let at = |why: String| format!("{}: {why}", path.display());
    let text = files::text(path, files::LARGEST_TABLE).map_err(|e| at(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| at(format!("not what --write-floors has written: {e}")))
}

fn write(path: &Path, of: &impl serde::Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(of).map_err(|e| e.to_string())?;
    outputs::write(path, (text + "\n").as_bytes())
}
