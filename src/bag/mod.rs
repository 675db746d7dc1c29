//! What is in the recording? Folders of pictures and rosbag2 recordings, read and written without ROS.

pub mod cdr;
pub mod folder;
pub mod messages;
pub mod picture;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use picture::{Decoded, Picture, PictureError};

/// A recording: yields its pictures in the order in which they were recorded.
pub trait Source {
    /// What comes next; `None` at the end.
    ///
    /// # Errors
    /// When the recording cannot be read any further. One unreadable picture is no error but an [`Item::Bad`].
    fn next_item(&mut self) -> Result<Option<Item>, BagError>;

    /// How many pictures there are, good and bad, where that is known beforehand.
    fn pictures(&self) -> Option<u64>;
}

/// A piece of a recording.
#[derive(Debug)]
pub enum Item {
    /// A picture.
    Picture(Picture),
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
    #[error("{}: no picture in it (.jpg, .jpeg, .png){hint}", .path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// Where pictures are, perhaps.
        hint: String,
    },
    /// The table of the pictures' times is wrong.
    #[error("{0}")]
    Times(String),
}

/// Opens a recording: a folder of pictures.
///
/// # Errors
/// When there is nothing at `path` that can be read.
pub fn open(path: &Path) -> Result<Box<dyn Source>, BagError> {
    let meta = path.metadata().map_err(|source| BagError::Io { path: path.into(), source })?;
    if meta.is_dir() {
        return Ok(Box::new(folder::Folder::open(path)?));
    }
    Err(BagError::Unknown(path.into()))
}
