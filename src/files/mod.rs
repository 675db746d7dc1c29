//! What may be read and written? Files that are whole at every moment, and nothing replaced but files.

mod read;
mod write;

pub use read::{LARGEST_SETTINGS, LARGEST_TABLE, bytes, check, open, text};
pub use write::{Output, is_same, write};
