//! A simulated camera over a simulated board: plays a game onto `image_raw`.

fn main() -> std::process::ExitCode {
    chess_observer::node::simulator::run()
}
