//! The ROS 2 node for Go: pictures in; plays, SGF and warnings out.

fn main() -> std::process::ExitCode {
    chess_observer::node::go::run()
}
