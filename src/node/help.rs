//! What the nodes say of themselves on `--help`.

use std::{error::Error, fmt::Write as _, process::ExitCode};

use r2r::{Parameter, ParameterValue, RosParams, indexmap::IndexMap};

use crate::params::{SPECS, Spec};

/// A program and what it says of itself.
#[derive(Debug)]
pub struct Program {
    /// Its file's name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What it hears and says, in whole lines.
    pub topics: &'static str,
}

impl Program {
    /// Says its help where that is asked for, with the parameters of `P`, else runs `start` until it ends: 0 after an orderly end,
    /// 2 when it could not start, and then why in one line.
    pub fn run<P: RosParams + Default>(&self, start: fn() -> Result<(), Box<dyn Error>>) -> ExitCode {
        if is_asked_for(std::env::args()) {
            print!("{}", usage(self.name, self.about, self.topics, &described(P::default())));
            return ExitCode::SUCCESS;
        }
        match start() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", self.name);
                ExitCode::from(2)
            }
        }
    }
}

/// The names of parameters, each with what it means and its default.
fn described(mut params: impl RosParams) -> Vec<(String, String)> {
    let mut described = IndexMap::new();
    // Without values from outside nothing is refused.
    let _ = params.register_parameters("", None, &mut described);
    let line = |(name, parameter): (&String, &Parameter)| {
        (name.clone(), format!("{} [{}]", parameter.description.trim(), shown(&parameter.value)))
    };
    described.iter().map(line).collect()
}

/// A default, as a parameter file has it.
fn shown(value: &ParameterValue) -> String {
    match value {
        ParameterValue::Bool(v) => v.to_string(),
        ParameterValue::Integer(v) => v.to_string(),
        ParameterValue::Double(v) => format!("{v:?}"),
        ParameterValue::String(v) => format!("{v:?}"),
        other => other.type_name().into(),
    }
}

/// Did somebody ask for help among the arguments before `--ros-args`?
#[must_use]
pub fn is_asked_for(arguments: impl IntoIterator<Item = String>) -> bool {
    arguments.into_iter().skip(1).take_while(|a| a != "--ros-args").any(|a| a == "--help" || a == "-h")
}

/// The usage of a node: its name, what it does in one line, what it hears and says, and its parameters.
#[must_use]
fn usage(name: &str, about: &str, topics: &str, parameters: &[(String, String)]) -> String {
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
    let described = |spec: &Spec| {
        let when = if spec.live { "may change while it runs" } else { "read at the start" };
        (spec.name.to_owned(), format!("{} [{}; {when}]", spec.about.trim(), spec.expected()))
    };
    usage(
        "observer_node",
        "Watches a chessboard through a camera and says what was played.",
        "Hears:  image_raw or image_raw/compressed, camera_info\n\
         Says:   moves, warnings, position, pgn, board, ~/overlay, ~/markers, /tf, /diagnostics\n\
         Asked:  ~/new_game, ~/set_position, ~/capture, ~/take_back, ~/correct_move, ~/expect_move, ~/set_result,\n        \
         ~/locate_board, ~/square_pose, ~/save_pgn, ~/pause\n",
        &SPECS.iter().map(described).collect::<Vec<_>>(),
    )
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
        let text = observer();
        assert!(SPECS.iter().all(|spec| text.contains(&format!("\n  {}\n", spec.name))), "{text}");
    }
}
