//! Where is the board? Geometry, finding it in a picture, and its height dimension.
mod candidates;
mod crossings;
pub mod geometry;
mod lattice;
pub mod locate;
mod placement;
mod plane;
pub mod pose;

pub use locate::{Hint, LocateError, Located, locate};
