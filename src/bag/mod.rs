//! What is in the recording? Folders of pictures and rosbag2 recordings, read and written without ROS.
//!
//! | module | idea |
//! | --- | --- |
//! | [`picture`] | one picture, as it came and decoded |
//! | [`folder`] | a folder of pictures |
//! | `rosbag` | a rosbag2 directory or file: topics, and pictures out of messages |
//! | [`metadata`] | `metadata.yaml` |
//! | `storage`, `mcap_file`, `mcap_records`, `sqlite_file` | where messages are stored |
//! | `write`, `schemas` | recordings that we write |
//! | [`messages`], `cdr` | what the messages' bytes mean |
//!
//! Without the feature `recordings` there are only messages and pictures: what a node needs.

pub(crate) mod cdr;
#[cfg(feature = "recordings")]
pub mod folder;
#[cfg(feature = "recordings")]
pub(crate) mod mcap_file;
#[cfg(feature = "recordings")]
pub(crate) mod mcap_records;
pub mod messages;
#[cfg(feature = "recordings")]
pub mod metadata;
pub mod picture;
#[cfg(feature = "recordings")]
pub(crate) mod rosbag;
#[cfg(feature = "recordings")]
pub(crate) mod schemas;
#[cfg(feature = "recordings")]
pub(crate) mod sqlite_file;
#[cfg(feature = "recordings")]
pub(crate) mod storage;
#[cfg(feature = "recordings")]
pub(crate) mod write;

#[cfg(feature = "recordings")]
use std::path::Path;
use std::{io, path::PathBuf};

pub use picture::{Decoded, Picture, PictureError};
#[cfg(feature = "recordings")]
pub use write::{BagWriter, Compression, TopicId};

/// A recording: yields its pictures in the order in which they were recorded.
pub trait Source {
    /// What comes next; `None` at the end.
    ///
    /// # Errors
    /// When the recording cannot be read any further. One unreadable picture is no error but an [`Item::Bad`].
    fn next_item(&mut self) -> Result<Option<Item>, BagError>;

    /// How many pictures there are, good and bad, where that is known beforehand.
    fn pictures(&self) -> Option<u64>;

    /// Do the pictures' stamps tell when they were taken? Otherwise they only tell their order.
    fn is_timed(&self) -> bool {
        true
    }
}

/// A piece of a recording.
#[derive(Debug)]
pub enum Item {
    /// A picture.
    Picture(Picture),
    /// The camera's parameters, as they are from here on.
    CameraInfo {
        /// The message.
        info: Box<messages::CameraInfo>,
        /// The pictures are rectified already (`image_rect`, `image_rect_color`).
        rectified: bool,
    },
    /// Something that cannot be used; the recording goes on.
    Bad {
        /// Its number among the pictures, where it is one.
        index: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// Something that the user should know of; the recording goes on, or ends where it should not.
    Note(String),
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// The operating system refuses.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was to be read or written.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// The path is none of what can be read.
    #[error("{}: expected a folder of pictures, a rosbag2 directory, a .mcap or a .db3 file", .0.display())]
    Unknown(PathBuf),
    /// A folder without pictures.
    #[error("{}: no picture in it (.jpg, .jpeg, .png)", .0.display())]
    Empty(PathBuf),
    /// A file of a recording is not what it should be.
    #[error("{}: {why}", .path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A recording that is being written cannot be completed.
    #[error("{}: cannot be written: {why}", .path.display())]
    Write {
        /// The recording.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The recording does not say which topic to read, or has no such topic.
    #[error("{}: {why}", .path.display())]
    Topic {
        /// The recording.
        path: PathBuf,
        /// What to choose from.
        why: String,
    },
    /// The table of the pictures' times is wrong.
    #[error("{0}")]
    Times(String),
}

/// Opens a recording: a folder of pictures, a rosbag2 directory, or one of its storage files. `topic` is the pictures'
/// topic; without it, a bag must have only one.
///
/// # Errors
/// When there is nothing at `path` that can be read, or the topic is not clear.
#[cfg(feature = "recordings")]
pub fn open(path: &Path, topic: Option<&str>) -> Result<Box<dyn Source>, BagError> {
    let meta = path.metadata().map_err(|source| BagError::Io { path: path.into(), source })?;
    if !meta.is_file() && !meta.is_dir() {
        return Err(BagError::Unknown(path.into()));
    }
    if meta.is_file() || rosbag::is_bag(path) {
        return Ok(Box::new(rosbag::Bag::open(path, topic)?));
    }
    if let Some(name) = topic {
        let why = format!("a folder of pictures has no topics (asked for {name})");
        return Err(BagError::Topic { path: path.into(), why });
    }
    Ok(Box::new(folder::Folder::open(path)?))
}
