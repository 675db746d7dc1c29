//! `complete`: what was played where the score sheet has gaps?

use chess_observer::game::{
    gaps::{Best, Sheet},
    start::Start,
};

use super::{Done, print_out, say, stopped};

/// Print every line that makes a game with missing plies legal as a whole, one a line.
///
/// A missing ply is written `??`, and `?` stands for one character that cannot be read: `N?5`, `?xd4`, `e8=?`; `N??` is
/// any knight's move. Where no line is legal, the ply at which nothing fits is named on standard error. Exit status: 0
/// searched, 2 unusable arguments, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game, as `e4 e5 Nf3 Nc6 ?? a6 Ba4`; move numbers and a result may be there
    game: String,
    /// Most lines printed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: usize,
    /// Print the N most plausible lines (at most 10000), the most plausible first, each after its plausibility over that of
    /// the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=10_000),
          conflicts_with_all = ["limit", "count"])]
    best: Option<u16>,
    /// Print how many lines there are, and no line
    #[arg(long, conflicts_with = "limit")]
    count: bool,
    /// Position that the game starts from; the usual one otherwise
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let start = match &args.fen {
        Some(fen) => Start::from_fen(fen).map_err(|e| format!("--fen: {e}"))?,
        None => Start::default(),
    };
    let sheet = Sheet::read(&start, &args.game).map_err(|e| e.to_string())?;
    if args.count {
        return match sheet.count(|| !stopped()) {
            Some(count) => print_out(&format!("{count}\n")).map(|_| Done::Processed),
            None if stopped() => Ok(Done::Interrupted),
            None => Err("there are more lines than a number of 64 bits can tell".into()),
        };
    }
    match args.best {
        Some(wanted) => match sheet.best(usize::from(wanted), || !stopped()) {
            Some(best) => print_best(&best),
            None => Ok(Done::Interrupted),
        },
        None => print_all(&sheet, args.limit),
    }
}

fn print_all(sheet: &Sheet, limit: usize) -> Result<Done, String> {
    let mut lines = sheet.lines();
    let mut printed = 0;
    while let Some(line) = lines.next_while(|| !stopped()) {
        if printed == limit {
            say(&format!("there are more than {limit} lines (--limit)"));
            return Ok(Done::Processed);
        }
        if !print_out(&format!("{}\n", line.join(" ")))? {
            return Ok(Done::Processed);
        }
        printed += 1;
    }
    if stopped() {
        return Ok(Done::Interrupted);
    }
    if printed == 0
        && let Some(stuck) = lines.stuck()
    {
        say(&stuck.to_string());
    }
    Ok(Done::Processed)
}

fn print_best(best: &Best) -> Result<Done, String> {
    let first = best.lines.first().map_or(0.0, |line| line.log_plausibility);
    for line in &best.lines {
        let share = (line.log_plausibility - first).exp();
        if !print_out(&format!("{share:.4}\t{}\n", line.sans.join(" ")))? {
            return Ok(Done::Processed);
        }
    }
    if let Some(stuck) = &best.stuck {
        say(&stuck.to_string());
    } else if !best.exact {
        say("there are too many lines to compare them all: others may be more plausible");
    } else if !best.all {
        say(&format!("there are more than these {} lines", best.lines.len()));
    }
    Ok(Done::Processed)
}
