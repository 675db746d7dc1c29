//! `lab merge`: the figures of a run whose parts were made apart.

use std::path::PathBuf;

use chess_observer_lab::experiments::{
    VERSION,
    lab::Unwatched,
    part::{Part, whole},
    share::Share,
};

use super::{OutArgs, asked::Asked, bars::Bars, tell::Out};
use crate::cli::{Done, stopped};

/// Make the figures of a run from its parts, as `lab --shard I/N --part FILE` has written them: the same tables,
/// report and JSON as one run gives, to the digit.
///
/// All parts have to be there, of one run and of this version of the program. Recordings, games and scenes are not needed
/// again.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The parts, in any order
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    out: OutArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let mut out = Out::open(&args.out)?;
    let parts: Vec<Part> =
        args.parts.iter().map(|path| Part::read(path)).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let parts = whole(parts, VERSION).map_err(|e| e.to_string())?;
    let Some(first) = parts.first() else { return Err("no part".into()) };
    let not_ours = |e: serde_json::Error| format!("{}: not a run of this program: {e}", first.path.display());
    let asked: Asked = serde_json::from_value(first.head.asked.clone()).map_err(not_ours)?;
    let lab = asked.lab(Share::merged(parts), &Unwatched)?;
    out.tell(&asked, &lab, &Bars::new(0))?;
    Ok(if stopped() { Done::Interrupted } else { Done::Processed })
}
