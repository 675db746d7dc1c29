//! Where is the board? Geometry, finding it in a picture, and its height dimension.
pub mod calibration;
mod candidates;
mod cells;
mod claim;
pub mod corners;
mod crossings;
pub mod gather;
pub mod geometry;
pub mod grid;
mod lattice;
pub mod lens;
pub mod locate;
pub mod map;
mod noise;
pub mod outline;
mod placement;
mod plane;
pub mod pose;
pub mod quality;
mod raster;
pub(crate) mod refine;
pub mod staunton;
mod steps;
pub mod track;
mod warp;

pub use locate::{Hint, LocateError, Located, locate};
