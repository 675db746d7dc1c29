//! Brings the games of a round to a broadcast.

fn main() -> std::process::ExitCode {
    chess_observer::node::broadcast::run()
}
