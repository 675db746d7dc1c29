//! The table of king and rook against king, packed without loss.

pub mod bits;
pub mod coder;
pub mod contexts;
pub mod features;
pub mod grow;
pub mod in_place;
pub mod model;
pub mod ribbon;
pub mod stored;
