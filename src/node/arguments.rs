//! The part of the command line that r2r does not tell: parameter files and remapped names.
//!
//! r2r panics where rcl refuses to start, for instance on a parameter file that does not exist, and it cannot say what
//! a topic is called after remapping, which is needed to ask who publishes it.

use std::path::PathBuf;

use crate::files;

/// Why the arguments cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// An option lacks its value.
    #[error("{0} needs a value")]
    Incomplete(String),
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
}

impl RosArguments {
    /// Reads the arguments of a process. Everything that only concerns rcl is left to it.
    ///
    /// # Errors
    /// When a remap rule or parameter file option lacks its value.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, ArgumentError> {
        let mut read = Self::default();
        let mut arguments = arguments.into_iter();
        let mut ros = false;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--ros-args" => ros = true,
                "--" => ros = false,
                "-r" | "--remap" if ros => {
                    let rule = arguments.next().ok_or(ArgumentError::Incomplete(argument))?;
                    // A rule that is none is for rcl to refuse.
                    read.remaps.extend(Remap::parse(&rule));
                }
                "--params-file" if ros => {
                    let path = arguments.next().ok_or(ArgumentError::Incomplete(argument))?;
                    read.params_files.push(path.into());
                }
                _ => {}
            }
        }
        Ok(read)
    }

    /// Makes sure that every parameter file can be read.
    ///
    /// # Errors
    /// When one cannot.
    pub fn check_files(&self) -> Result<(), ArgumentError> {
        for path in &self.params_files {
            files::bytes(path, files::LARGEST_SETTINGS)
                .map_err(|error| ArgumentError::ParamsFile { path: path.clone(), error })?;
        }
        Ok(())
    }

    /// The full name of the topic that the node `name` in `namespace` calls `topic`, as rcl would find it: the first
    /// rule that matches holds.
    #[must_use]
    pub fn resolve(&self, topic: &str, name: &str, namespace: &str) -> String {
        let full = expand(topic, name, namespace);
        self.remaps
            .iter()
            .filter(|rule| rule.node.as_deref().is_none_or(|n| n == name))
            .find(|rule| expand(&rule.from, name, namespace) == full)
            .map_or(full.clone(), |rule| expand(&rule.to, name, namespace))
    }
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
        let given = parse("x --ros-args -r eye:/b/image_raw:=left/image -- -r image_raw:=/no");
        assert_eq!(given.resolve("image_raw", "eye", "/b"), "/b/left/image");
        assert_eq!(given.resolve("image_raw", "eye", "/c"), "/c/image_raw");
    }

    #[test]
    fn rules_outside_ros_args_do_not_count() {
        assert_eq!(parse("x -r image_raw:=/no"), RosArguments::default());
    }

    #[test]
    fn missing_files_and_values_are_named() {
        let error = parse("x --ros-args --params-file /no/such.yaml").check_files().unwrap_err().to_string();
        assert!(error.starts_with("cannot read the parameter file \"/no/such.yaml\": No such file"), "{error}");
        let error = parse("x --ros-args --params-file /dev/zero").check_files().unwrap_err().to_string();
        assert!(error.ends_with("is a device, expected a file to read"), "{error}");
        let error = RosArguments::parse(["--ros-args", "-r"].map(str::to_owned)).unwrap_err().to_string();
        assert_eq!(error, "-r needs a value");
    }
}
