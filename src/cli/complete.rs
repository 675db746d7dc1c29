//! `complete`: what was played where the score sheet has gaps?

use chess_observer::game::{gaps::complete_from, start::Start};

use super::{Done, print_out, say, stopped};

/// Print every line that makes a game with missing plies legal as a whole, one a line.
///
/// A missing ply is written `??`. Exit status: 0 searched (nothing is printed when no line is legal), 2 unusable
/// arguments, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game, as `e4 e5 Nf3 Nc6 ?? a6 Ba4`; move numbers and a result may be there
    game: String,
    /// Most lines printed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: usize,
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
    let mut lines = complete_from(&start, &args.game, args.limit.saturating_add(1)).map_err(|e| e.to_string())?;
    let mut printed = 0;
    for line in lines.by_ref() {
        if stopped() {
            return Ok(Done::Interrupted);
        }
        if printed == args.limit {
            say(&format!("there are more than {} lines (--limit)", args.limit));
            return Ok(Done::Processed);
        }
        if !print_out(&format!("{}\n", line.join(" ")))? {
            return Ok(Done::Processed);
        }
        printed += 1;
    }
    if printed == 0 {
        say(&format!("no legal line: of {} plies, none goes beyond ply {}", lines.plies(), lines.furthest()));
    }
    Ok(Done::Processed)
}
