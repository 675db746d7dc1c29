//! The command line: one file per command, and what they share.

mod args;
#[cfg(feature = "display")]
mod browse;
mod complete;
mod endgame;
mod explain;
mod features;
mod go;
mod locate;
mod progress;
mod replay;
mod simulate;

use std::process::ExitCode;

use chess_observer::{
    VERSION,
    program::{self, Done, INTERRUPTED, events, outputs, print_out, say, stopped},
};
use clap::{Parser, Subcommand};

/// Watches a chessboard, or a Go board, in recordings and says what was played.
#[derive(Debug, Parser)]
#[command(name = "chess_observer", version = VERSION, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Replay(replay::Args),
    Go(go::Args),
    Simulate(simulate::Args),
    Locate(locate::Args),
    Complete(complete::Args),
    Endgame(endgame::Args),
    #[cfg(feature = "display")]
    Browse(browse::Args),
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    program::run("chess_observer", |cli: &Cli| match &cli.command {
        None => {
            Err("expected a command: replay, go, simulate, locate, complete, endgame or browse (see --help)".into())
        }
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Go(args)) => go::run(args),
        Some(Command::Simulate(args)) => simulate::run(args),
        Some(Command::Complete(args)) => complete::run(args),
        Some(Command::Endgame(args)) => endgame::run(args),
        #[cfg(feature = "display")]
        Some(Command::Browse(args)) => browse::run(args),
        Some(Command::Locate(args)) => locate::run(args),
    })
}
