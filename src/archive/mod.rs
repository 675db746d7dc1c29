//! Every look worth keeping: the picture, what was believed before and after it, and what was told.
//!
//! One SQLite file a game, written by a thread of its own ([`keeper`]), so that no disk holds up an observer. The
//! pages browse it, and [`rerun`] shows its pictures to an observer again, each in the manner in which it was looked at:
//! so a file, or its beginning ([`Archive::cut`]), is a fault report.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

mod file;
pub mod keeper;
pub(crate) mod look;
mod read;
pub mod rerun;

pub use self::{
    keeper::Keeper,
    look::{Belief, Look, Why},
    read::Archive,
};

/// The ending of an archive's name.
pub const EXTENSION: &str = "looks";

/// The archives in a folder, by their names without the ending.
///
/// # Errors
/// When the folder cannot be read.
pub fn in_folder(folder: &Path) -> std::io::Result<BTreeMap<String, PathBuf>> {
    let mut archives = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        if let Some(name) = name.filter(|_| path.extension().is_some_and(|ending| ending == EXTENSION)) {
            archives.insert(name, path);
        }
    }
    Ok(archives)
}

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// SQLite refuses.
    #[error("{path}: {error}")]
    Sqlite {
        /// The file.
        path: String,
        /// Why.
        error: rusqlite::Error,
    },
    /// It is no archive of this program, or one of another version.
    #[error("{path}: {why}")]
    Foreign {
        /// The file.
        path: String,
        /// What it is instead.
        why: String,
    },
}
