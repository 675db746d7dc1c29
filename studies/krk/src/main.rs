//! The program `krk`: builds the packed forms, reports on them, and says what decides.

use chess_observer::program;
use chess_observer_krk::command::Args;

fn main() -> std::process::ExitCode {
    program::run("krk", |args: &Args| {
        program::print_out(&args.answer()?)?;
        Ok(program::Done::Processed)
    })
}
