//! `metadata.yaml` of a rosbag2 directory: read leniently, for versions differ; written as version 5.

use std::{fmt::Write as _, path::Path};

use serde::Deserialize;

use super::{BagError, storage::Topic};
use crate::files;

/// Name of the file.
pub const FILE_NAME: &str = "metadata.yaml";

/// What a reader needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The storage files, in order, relative to the directory.
    pub files: Vec<String>,
    /// The topics.
    pub topics: Vec<Topic>,
}

#[derive(Deserialize)]
struct Root {
    rosbag2_bagfile_information: Information,
}

#[derive(Deserialize)]
struct Information {
    relative_file_paths: Vec<String>,
    #[serde(default)]
    topics_with_message_count: Vec<Counted>,
}

#[derive(Deserialize)]
struct Counted {
    topic_metadata: TopicMetadata,
    #[serde(default)]
    message_count: u64,
}

#[derive(Deserialize)]
struct TopicMetadata {
    name: String,
    r#type: String,
    #[serde(default)]
    serialization_format: String,
}

impl Metadata {
    /// Reads the file of the bag in `directory`.
    ///
    /// # Errors
    /// When there is none, or it lacks the list of files.
    pub fn read(directory: &Path) -> Result<Self, BagError> {
        let path = directory.join(FILE_NAME);
        let text = files::text(&path, files::LARGEST_SETTINGS)
            .map_err(|source| BagError::Io { path: path.clone(), source })?;
        Self::parse(&text).map_err(|why| BagError::Storage { path, why })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let root: Root = serde_saphyr::from_str(text).map_err(|e| {
            let text = e.to_string();
            format!("not the metadata of a rosbag2 recording: {}", text.lines().next().unwrap_or_default())
        })?;
        let information = root.rosbag2_bagfile_information;
        let topics = information.topics_with_message_count.into_iter().map(|counted| Topic {
            name: counted.topic_metadata.name,
            kind: counted.topic_metadata.r#type,
            serialization: counted.topic_metadata.serialization_format,
            count: Some(counted.message_count),
        });
        Ok(Self { files: information.relative_file_paths, topics: topics.collect() })
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<'a> {
    /// `mcap` or `sqlite3`.
    pub storage: &'a str,
    /// Name of the storage file.
    pub file: &'a str,
    /// The topics with their counts.
    pub topics: &'a [Topic],
    /// First and last time, in nanoseconds.
    pub(super) times_ns: Option<(i64, i64)>,
    /// `("zstd", "message" | "file")`, or `("", "")`.
    pub compression: (&'a str, &'a str),
}

impl Written<'_> {
    /// The file's text. Version 5: the newest that every supported distribution reads (Humble writes it).
    #[must_use]
    pub(super) fn to_yaml(&self) -> String {
        let (start, end) = self.times_ns.unwrap_or((0, 0));
        let count: u64 = self.topics.iter().filter_map(|t| t.count).sum();
        let mut yaml = format!(
            "rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: {}\n  duration:\n    nanoseconds: {}\n  \
             starting_time:\n    nanoseconds_since_epoch: {start}\n  message_count: {count}\n  \
             topics_with_message_count:\n",
            self.storage,
            end.saturating_sub(start)
        );
        for topic in self.topics {
            let _ = write!(
                yaml,
                "    - topic_metadata:\n        name: {}\n        type: {}\n        serialization_format: {}\n        \
                 offered_qos_profiles: \"\"\n      message_count: {}\n",
                topic.name,
                topic.kind,
                topic.serialization,
                topic.count.unwrap_or(0)
            );
        }
        let (format, mode) = self.compression;
        let _ = write!(
            yaml,
            "  compression_format: {format:?}\n  compression_mode: {mode:?}\n  relative_file_paths:\n    - {file}\n  files:\n    \
             - path: {file}\n      starting_time:\n        nanoseconds_since_epoch: {start}\n      duration:\n        \
             nanoseconds: {}\n      message_count: {count}\n",
            end.saturating_sub(start),
            file = self.file,
        );
        yaml
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(name: &str, count: u64) -> Topic {
        let (kind, serialization) = ("sensor_msgs/msg/Image".into(), "cdr".into());
        Topic { name: name.into(), kind, serialization, count: Some(count) }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let topics = [topic("/image_raw", 3), topic("/b", 0)];
        let written = Written {
            storage: "mcap",
            file: "bag_0.mcap",
            topics: &topics,
            times_ns: Some((5, 9)),
            compression: ("", ""),
        };
        let read = Metadata::parse(&written.to_yaml()).unwrap();
        assert_eq!(read, Metadata { files: vec!["bag_0.mcap".into()], topics: topics.to_vec() });
    }

    #[test]
    fn fields_of_other_versions_do_not_matter() {
        // Version 9 lists qualities of service and has custom data that may be nothing.
        let text = "rosbag2_bagfile_information:\n  version: 9\n  relative_file_paths: [a.mcap]\n  custom_data: ~\n  ros_distro: jazzy\n  \
                    topics_with_message_count:\n    - topic_metadata:\n        name: /i\n        type: sensor_msgs/msg/Image\n        \
                    serialization_format: cdr\n        offered_qos_profiles:\n          - history: keep_last\n      message_count: 3\n";
        let read = Metadata::parse(text).unwrap();
        assert_eq!((read.files, read.topics), (vec!["a.mcap".to_owned()], vec![topic("/i", 3)]));
        let old = "rosbag2_bagfile_information:\n  version: 1\n  relative_file_paths:\n    - a.db3\n";
        assert_eq!(Metadata::parse(old).unwrap().files, ["a.db3"]);
        assert!(Metadata::parse("a: 1").unwrap_err().starts_with("not the metadata of a rosbag2 recording: "));
    }
}
