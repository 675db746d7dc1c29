//! The display: the boards of a ROS 2 graph as web pages.

fn main() -> std::process::ExitCode {
    chess_observer::node::display::run()
}
