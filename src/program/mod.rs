//! What programs of the command line share: how they end, whom they hear, and what they write. `chess_observer` has it, and
//! so have the programs beside this package.
//!
//! | module | idea |
//! | --- | --- |
//! | [`outputs`] | files that are asked for, and are not each other |
//! | [`events`] | events as lines of JSON |

pub mod events;
pub mod outputs;

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::Parser;

/// Exit status after unusable input or arguments.
const UNUSABLE: u8 = 2;
/// Exit status after Ctrl-C, as shells have it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// How a command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All was done.
    Processed,
    /// A figure has fallen below what was reached before.
    Fallen,
    /// Ctrl-C was pressed; what was complete by then is written.
    Interrupted,
}

/// Ctrl-C was pressed: the commands look at it between pictures.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Was Ctrl-C pressed?
#[must_use]
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Runs the program `name`: reads its arguments, does what they ask for, and tells on one line what went wrong.
pub fn run<A: Parser>(name: &str, command: impl FnOnce(&A) -> Result<Done, String>) -> ExitCode {
    let args = match A::try_parse() {
        Ok(args) => args,
        Err(e) => return refuse_arguments(name, &e),
    };
    if let Err(e) = hear_signals() {
        say(&format!("{name}: Ctrl-C ends at once: {e}"));
    }
    match command(&args) {
        Ok(Done::Processed) => ExitCode::SUCCESS,
        Ok(Done::Fallen) => ExitCode::FAILURE,
        Ok(Done::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(line) => {
            say(&format!("{name}: {}", one_line(&line)));
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
fn refuse_arguments(name: &str, error: &clap::Error) -> ExitCode {
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
    say(&format!("{name}: {} (see --help)", useful.join(" ")));
    ExitCode::from(UNUSABLE)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a line to standard error; nobody is left to tell when that fails.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes to standard output. A reader who has gone away (`| head`) is no fault, but false: write no more.
///
/// # Errors
/// In words, when the disk or the device refuses.
pub fn print_out(text: &str) -> Result<bool, String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(format!("standard output: {e}")),
    }
}
