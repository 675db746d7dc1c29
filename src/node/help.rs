//! What the nodes say of themselves on `--help`.

use std::fmt::Write as _;

use crate::params::{self, SPECS, Spec};

/// Did somebody ask for help among the arguments before `--ros-args`?
#[must_use]
pub(super) fn is_asked_for(arguments: impl IntoIterator<Item = String>) -> bool {
    arguments.into_iter().skip(1).take_while(|a| a != "--ros-args").any(|a| a == "--help" || a == "-h")
}

/// The usage of a node: its name, what it does in one line, what it hears and says, and its parameters.
#[must_use]
pub(crate) fn usage(name: &str, about: &str, topics: &str, parameters: &[(String, String)]) -> String {
    let mut text = format!(
        "{about}\n\n\
         Usage: ros2 run chess_observer {name} --ros-args [-p NAME:=VALUE] [-r FROM:=TO] [--params-file FILE]\n\n\
         {topics}\nParameters:\n"
    );
    for (parameter, meaning) in parameters {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {parameter}\n      {meaning}");
    }
    text
}

/// The observer's usage.
#[must_use]
pub fn observer() -> String {
    usage(
        "observer_node",
        "Watches a chessboard through a camera and says what was played.",
        "Hears:  image_raw or image_raw/compressed, camera_info\n\
         Says:   moves, warnings, position, pgn, board, ~/overlay, ~/markers, /tf, /diagnostics\n\
         Asked:  ~/new_game, ~/set_position, ~/capture, ~/take_back, ~/correct_move, ~/expect_move, ~/set_result,\n        \
         ~/locate_board, ~/square_pose, ~/save_pgn, ~/pause\n",
        &described(SPECS),
    )
}

/// The usage of the observer of Go.
#[must_use]
pub fn go() -> String {
    usage(
        "go_node",
        "Watches a Go board through a camera and says what was played.",
        "Hears:  image_raw or image_raw/compressed, camera_info\n\
         Says:   go_moves, warnings, go_board, sgf, ~/overlay, /diagnostics\n\
         Asked:  ~/capture, ~/new_game, ~/pause\n",
        &described(params::go::SPECS),
    )
}

/// What a table says of its parameters.
fn described(specs: &[Spec]) -> Vec<(String, String)> {
    let line = |spec: &Spec| {
        let when = if spec.live { "may change while it runs" } else { "read at the start" };
        (spec.name.to_owned(), format!("{} [{}; {when}]", spec.about.trim(), spec.expected()))
    };
    specs.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_asked_for_before_the_arguments_of_ros() {
        let asked = |line: &str| is_asked_for(line.split(' ').map(str::to_owned));
        assert_eq!(
            [asked("x --help"), asked("x -h --ros-args"), asked("x --ros-args -p help:=--help"), asked("--help")],
            [true, true, false, false]
        );
    }

    #[test]
    fn every_parameter_is_named() {
        for (text, specs) in [(observer(), SPECS), (go(), params::go::SPECS)] {
            assert!(specs.iter().all(|spec| text.contains(&format!("\n  {}\n", spec.name))), "{text}");
        }
    }
}
