//! Where is the board? Geometry, finding it in a picture, and its height dimension.
pub mod geometry;
pub mod pose;
pub mod locate;
