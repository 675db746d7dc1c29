//! The command line: replays recordings, scores them, and more, without ROS.

#[path = "../cli/mod.rs"]
mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
