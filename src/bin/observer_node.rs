//! The ROS 2 node: pictures in; moves, PGN, position and warnings out.

fn main() -> std::process::ExitCode {
    chess_observer::node::run::run()
}
