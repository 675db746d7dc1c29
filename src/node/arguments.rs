//! The part of the command line that r2r does not tell: parameter files and remapped names.
//!
//! r2r panics where rcl refuses to start, for instance on a parameter file that does not exist, and it cannot say what
//! a topic is called after remapping, which is needed to ask who publishes it.

use std::path::PathBuf;

use super::level::Level;
use crate::{files, params};

/// Options between `--ros-args` and `--` that have a value, and such that have none.
const WITH_VALUE: [&str; 9] =
    ["-r", "--remap", "-p", "--param", "--params-file", "--log-level", "--log-config-file", "-e", "--enclave"];
const WITHOUT_VALUE: [&str; 6] = [
    "--enable-rosout-logs",
    DISABLE_ROSOUT,
    "--enable-stdout-logs",
    "--disable-stdout-logs",
    "--enable-external-lib-logs",
    "--disable-external-lib-logs",
];
/// Newer ones, of which some distributions know nothing: rcl says so.
const NEWER: &str = "--log-file-name";
const DISABLE_ROSOUT: &str = "--disable-rosout-logs";
/// The two that begin and end them.
const ROS_ARGS: &str = "--ros-args";
const END: &str = "--";

/// Why the arguments cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// An option lacks its value.
    #[error("{0} needs a value")]
    Incomplete(String),
    /// An argument that neither ROS nor the node knows.
    #[error(
        "unknown argument {argument:?}{}; parameters are given as --ros-args -p NAME:=VALUE, see --help",
        .nearest.map(|n| format!(": did you mean {n}?")).unwrap_or_default()
    )]
    Unknown {
        /// As given.
        argument: String,
        /// The most similar known one.
        nearest: Option<&'static str>,
    },
    /// A parameter file cannot be read.
    #[error("cannot read the parameter file {path:?}: {error}")]
    ParamsFile {
        /// As given.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A rule `[node:]from:=to`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remap {
    node: Option<String>,
    from: String,
    to: String,
}

/// What stands between `--ros-args` and `--`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RosArguments {
    remaps: Vec<Remap>,
    params_files: Vec<PathBuf>,
    /// Of one logger, or of all.
    log_levels: Vec<(Option<String>, Level)>,
    no_rosout: bool,
}

impl RosArguments {
    /// Reads the arguments of a process, its name first. Everything that only concerns rcl is left to it.
    ///
    /// # Errors
    /// When an option lacks its value, or there is no such option: r2r would start without it.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, ArgumentError> {
        let mut read = Self::default();
        let mut arguments = arguments.into_iter().skip(1);
        let mut ros = false;
        while let Some(argument) = arguments.next() {
            let word = argument.as_str();
            match word {
                ROS_ARGS => ros = true,
                END if ros => ros = false,
                DISABLE_ROSOUT if ros => read.no_rosout = true,
                _ if ros && WITHOUT_VALUE.contains(&word) => {}
                _ if ros && (WITH_VALUE.contains(&word) || word == NEWER) => {
                    let value = arguments.next().ok_or_else(|| ArgumentError::Incomplete(argument.clone()))?;
                    read.take(word, value);
                }
                _ => return Err(unknown(argument, ros)),
            }
        }
        Ok(read)
    }

    /// What a rule means that is none is for rcl to refuse.
    fn take(&mut self, option: &str, value: String) {
        match option {
            "-r" | "--remap" => self.remaps.extend(Remap::parse(&value)),
            "--params-file" => self.params_files.push(value.into()),
            "--log-level" => {
                let (name, level) = value.split_once(":=").map_or((None, value.as_str()), |(n, l)| (Some(n), l));
                self.log_levels.extend(Level::named(level).map(|level| (name.map(str::to_owned), level)));
            }
            _ => {}
        }
    }

    /// From which level on the logger `name` is asked to speak; the last word that concerns it counts, and one about its name
    /// more than one about all.
    #[must_use]
    pub(super) fn log_level(&self, name: &str) -> Level {
        let last = |of: Option<&str>| self.log_levels.iter().rev().find(|(n, _)| n.as_deref() == of).map(|(_, l)| *l);
        last(Some(name)).or_else(|| last(None)).unwrap_or(Level::Info)
    }

    /// Shall the log go to `/rosout` as well?
    #[must_use]
    pub(super) const fn rosout(&self) -> bool {
        !self.no_rosout
    }

    /// Makes sure that every parameter file can be read.
    ///
    /// # Errors
    /// When one cannot.
    pub(super) fn check_files(&self) -> Result<(), ArgumentError> {
        for path in &self.params_files {
            files::bytes(path, files::LARGEST_SETTINGS)
                .map_err(|error| ArgumentError::ParamsFile { path: path.clone(), error })?;
        }
        Ok(())
    }

    /// The full name of the topic that the node `name` in `namespace` calls `topic`, as rcl would find it: the first
    /// rule that matches holds.
    #[must_use]
    pub(crate) fn resolve(&self, topic: &str, name: &str, namespace: &str) -> String {
        let full = expand(topic, name, namespace);
        self.remaps
            .iter()
            .filter(|rule| rule.node.as_deref().is_none_or(|n| n == name))
            .find(|rule| expand(&rule.from, name, namespace) == full)
            .map_or(full.clone(), |rule| expand(&rule.to, name, namespace))
    }
}

fn unknown(argument: String, ros: bool) -> ArgumentError {
    let known = if ros { WITH_VALUE.iter().chain(&WITHOUT_VALUE).copied().collect() } else { vec![ROS_ARGS, "--help"] };
    // Of words of two letters every other one is near.
    let nearest = params::nearest(&argument, known).filter(|known| known.len() > 2);
    ArgumentError::Unknown { argument, nearest }
}

impl Remap {
    fn parse(rule: &str) -> Option<Self> {
        let (from, to) = rule.split_once(":=")?;
        let from = from.strip_prefix("rostopic://").unwrap_or(from);
        let (node, from) = from.split_once(':').map_or((None, from), |(node, from)| (Some(node.to_owned()), from));
        Some(Self { node, from: from.to_owned(), to: to.to_owned() })
    }
}

/// Relative, private or absolute name to absolute name.
fn expand(topic: &str, name: &str, namespace: &str) -> String {
    let namespace = namespace.trim_end_matches('/');
    if topic.starts_with('/') {
        topic.to_owned()
    } else if let Some(private) = topic.strip_prefix('~') {
        format!("{namespace}/{name}{private}")
    } else {
        format!("{namespace}/{topic}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> RosArguments {
        RosArguments::parse(line.split_whitespace().map(str::to_owned)).unwrap()
    }

    #[test]
    fn names_are_expanded() {
        let none = parse("observer_node");
        assert_eq!(none.resolve("image_raw", "eye", "/"), "/image_raw");
        assert_eq!(none.resolve("image_raw", "eye", "/board_1"), "/board_1/image_raw");
        assert_eq!(none.resolve("~/overlay", "eye", "/board_1"), "/board_1/eye/overlay");
        assert_eq!(none.resolve("/tf", "eye", "/board_1"), "/tf");
    }

    #[test]
    fn first_matching_rule_holds() {
        let given = parse("x --ros-args -r other:image_raw:=/no --remap image_raw:=/cam/image -r image_raw:=late");
        assert_eq!(given.resolve("image_raw", "eye", "/b"), "/cam/image");
        assert_eq!(given.resolve("camera_info", "eye", "/b"), "/b/camera_info");
        let given = parse("x --ros-args -r eye:/b/image_raw:=left/image --");
        assert_eq!(given.resolve("image_raw", "eye", "/b"), "/b/left/image");
        assert_eq!(given.resolve("image_raw", "eye", "/c"), "/c/image_raw");
    }

    #[test]
    fn unknown_arguments_are_told() {
        let says =
            |line: &str| RosArguments::parse(line.split_whitespace().map(str::to_owned)).unwrap_err().to_string();
        let rest = "parameters are given as --ros-args -p NAME:=VALUE, see --help";
        assert_eq!(says("x -r image_raw:=/no"), format!("unknown argument \"-r\"; {rest}"));
        assert_eq!(
            says("x --ros-arg -p a:=1"),
            format!("unknown argument \"--ros-arg\": did you mean --ros-args?; {rest}")
        );
        assert_eq!(
            says("x --ros-args --param-file a.yaml"),
            format!("unknown argument \"--param-file\": did you mean --params-file?; {rest}")
        );
        assert_eq!(says("x --ros-args -- stray"), format!("unknown argument \"stray\"; {rest}"));
        // What ROS knows is let through.
        parse(
            "x --ros-args -p a:=1 --param b:=2 -e /e --log-config-file f --enable-stdout-logs --disable-external-lib-logs",
        );
    }

    #[test]
    fn the_log_has_the_level_that_was_asked_for() {
        let given = parse("x --ros-args --log-level WARN --log-level eye:=debug --log-level other:=fatal");
        assert_eq!([given.log_level("eye"), given.log_level("b.eye")], [Level::Debug, Level::Warn]);
        assert_eq!((parse("x").log_level("eye"), parse("x").rosout()), (Level::Info, true));
        assert!(!parse("x --ros-args --disable-rosout-logs").rosout());
    }

    #[test]
    fn missing_files_and_values_are_named() {
        let error = parse("x --ros-args --params-file /no/such.yaml").check_files().unwrap_err().to_string();
        assert!(error.starts_with("cannot read the parameter file \"/no/such.yaml\": No such file"), "{error}");
        let error = parse("x --ros-args --params-file /dev/zero").check_files().unwrap_err().to_string();
        assert!(error.ends_with("is a device, expected a file to read"), "{error}");
        let error = RosArguments::parse(["x", "--ros-args", "-r"].map(str::to_owned)).unwrap_err().to_string();
        assert_eq!(error, "-r needs a value");
    }
}
