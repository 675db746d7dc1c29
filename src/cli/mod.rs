//! The command line: one file per command, and what they share.

mod args;
#[cfg(feature = "display")]
mod browse;
mod complete;
mod endgame;
mod evaluate;
mod events;
mod features;
mod go;
mod locate;
mod outputs;
mod progress;
mod replay;
mod simulate;

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use chess_observer::eval::experiments::VERSION;
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
    Evaluate(Box<evaluate::Args>),
    Locate(locate::Args),
    Complete(complete::Args),
    Endgame(endgame::Args),
    #[cfg(feature = "display")]
    Browse(browse::Args),
}

/// Exit status after unusable input or arguments.
const UNUSABLE: u8 = 2;
/// Exit status after Ctrl-C, as shells have it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// How a command ended, when it did not fail.
enum Done {
    Processed,
    /// A figure has fallen below what was reached before.
    Fallen,
    Interrupted,
}

/// Ctrl-C was pressed: the commands look at it between pictures.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return refuse_arguments(&e),
    };
    if let Err(e) = hear_signals() {
        say(&format!("chess_observer: Ctrl-C ends at once: {e}"));
    }
    let outcome = match cli.command {
        None => {
            Err("expected a command: replay, go, simulate, evaluate, locate, complete, endgame or browse (see --help)"
                .into())
        }
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Go(args)) => go::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Complete(args)) => complete::run(&args),
        Some(Command::Endgame(args)) => endgame::run(&args),
        #[cfg(feature = "display")]
        Some(Command::Browse(args)) => browse::run(&args),
        Some(Command::Locate(args)) => locate::run(&args),
        Some(Command::Evaluate(args)) => evaluate::run(&args),
    };
    match outcome {
        Ok(Done::Processed) => ExitCode::SUCCESS,
        Ok(Done::Fallen) => ExitCode::FAILURE,
        Ok(Done::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(line) => {
            say(&format!("chess_observer: {}", one_line(&line)));
            ExitCode::from(UNUSABLE)
        }
    }
}

/// The first Ctrl-C ends after the picture in hand, the second one at once; what was written stays whole either way. A file
/// that has reached the size that is allowed (`ulimit -f`) is an error of the writing, and does not kill.
fn hear_signals() -> io::Result<()> {
    use signal_hook::{consts, flag};
    #[cfg(unix)]
    {
        // A signal that somebody hears does not kill.
        flag::register(consts::SIGXFSZ, Arc::default())?;
        hear(consts::SIGHUP)?;
    }
    hear(consts::SIGTERM)?;
    return hear(consts::SIGINT);

    fn hear(signal: i32) -> io::Result<()> {
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&STOP))?;
        flag::register(signal, Arc::clone(&STOP))?;
        Ok(())
    }
}

/// Help and version as they are; every fault of the arguments on one line.
fn refuse_arguments(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print_out(&error.to_string()).ok();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let useful: Vec<&str> = lines
        .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
        .map(|l| l.trim_start_matches("error: "))
        .collect();
    say(&format!("chess_observer: {} (see --help)", useful.join(" ")));
    ExitCode::from(UNUSABLE)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a line to standard error; nobody is left to tell when that fails.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes to standard output. A reader who has gone away (`| head`) is no fault, but false: write no more.
fn print_out(text: &str) -> Result<bool, String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(format!("standard output: {e}")),
    }
}
