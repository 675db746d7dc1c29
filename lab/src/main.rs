//! The program `lab`: measures the observer.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
