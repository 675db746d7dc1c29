//! `lab fit`: the weights of trust, anew.

use std::{ops::ControlFlow, path::PathBuf};

use chess_observer::params::Params;
use chess_observer_lab::{
    experiments::{anywhere, lab::Unwatched, protocols, share::Share},
    fit::{Fitted, Sample, fitted},
    protocol::{Protocol, Showing, Source},
    split::{FIRST_JUDGE_SEED, Half},
};
use rayon::prelude::*;

use super::{AskedArgs, asked::Asked, data};
use crate::cli::{Done, print_out, say, stopped};

/// Of simulated boards only single pictures are drawn: films take twenty times as long.
const STILLS: [Protocol; 2] = [Protocol::Stills, Protocol::Untimed];

/// Fit the weights of trust to the training recordings and to simulated games, and print them.
///
/// Every training recording is shown under all protocols, and so are four simulated games with hands; games on any board
/// under any camera are shown as single pictures. The weights of src/game/trust.rs are those that lose the fewest nats over
/// all looks. Nothing is written into the sources.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder with recordings and a splits.toml [default: data in CHESS_OBSERVER_SHARED or in ../shared]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What chance decides follows from this number, which is below 1000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..FIRST_JUDGE_SEED))]
    seed: u64,
    /// Fewer games: to see that everything works
    #[arg(long)]
    quick: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let asked = AskedArgs { seed: Some(args.seed), quick: args.quick, ..AskedArgs::default() };
    let lab = Asked::read(&asked)?.lab(Share::default(), &Unwatched)?;
    let folder = args.data.clone().unwrap_or_else(data::usual);
    let train = data::read(args.data.as_deref())?.map(|data| data.recordings(Half::Train)).unwrap_or_default();
    if train.is_empty() {
        say(&format!("{}: no training recordings there; simulated games alone", folder.display()));
    }
    let films = protocols::simulated(&lab).map_err(|e| e.to_string())?;
    let all: &[Protocol] = if args.quick { &Protocol::QUICK } else { &Protocol::ALL };
    let mut shows: Vec<(Source, &[Protocol])> =
        train.into_iter().map(Source::Recording).chain(films).map(|source| (source, all)).collect();
    shows.extend(anywhere::sources(&lab).into_iter().map(|source| (source, &STILLS[..])));
    say(&format!("fit: {} games", shows.len()));
    let params = Params::default();
    let games: Result<Vec<Vec<Vec<Sample>>>, String> =
        shows.par_iter().with_max_len(1).map(|(source, protocols)| samples(source, protocols, &params, args)).collect();
    let games: Vec<Vec<Sample>> = games?.into_iter().flatten().collect();
    if stopped() {
        return Ok(Done::Interrupted);
    }
    print_out(&text(&fitted(&games)))?;
    Ok(Done::Processed)
}

/// The looks of a source under each protocol.
fn samples(source: &Source, protocols: &[Protocol], params: &Params, args: &Args) -> Result<Vec<Vec<Sample>>, String> {
    let plies = if args.quick { 8 } else { usize::MAX };
    let how = Showing { protocols, plies, params, seed: args.seed, samples: true };
    let mut tick = || if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let shown = source.show(&how, &mut tick).map_err(|e| e.to_string())?;
    Ok(shown.unwrap_or_default().into_iter().map(|shown| shown.samples).collect())
}

fn text(fitted: &Fitted) -> String {
    let Fitted { looks, stories, in_force, best, loss_nats: [alone, now, then] } = fitted;
    let mut lines = vec![
        format!("{looks} looks at lines of play, {stories} different stories"),
        String::new(),
        format!("{:<12}{:>10}{:>10}", "weight", "in force", "fits best"),
    ];
    let names = ["always", "log_odds", "hand", "clutter", "misfit", "several", "patient"];
    let weights = names.iter().zip(in_force.parts()).zip(best.parts());
    lines.extend(weights.map(|((name, now), then)| format!("{name:<12}{now:>10.2}{then:>10.2}")));
    lines.push(format!(
        "a story costs {then:.4} nats with these weights, {now:.4} with those in force, {alone:.4} as the posterior has it"
    ));
    lines.join("\n") + "\n"
}
