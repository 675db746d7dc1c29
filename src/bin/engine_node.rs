//! An engine as opponent.

fn main() -> std::process::ExitCode {
    chess_observer::node::engine::run()
}
