//! What may be read and written? Files that are whole at every moment, and nothing replaced but files.

mod expand;
mod read;
mod write;

pub use expand::{ExpandError, expanded};
pub use read::{LARGEST_SETTINGS, LARGEST_TABLE, bytes, check, check_database, open, text};
pub use write::{Output, aside, create, folder_of, is_same, replace, tidy, tidy_beside, write};
