//! Plays a game with somebody far away: the camera's moves go to the server, the other side's moves come back.

fn main() -> std::process::ExitCode {
    chess_observer::node::lichess::run()
}
