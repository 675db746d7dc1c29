//! How far is mate? Endgames of three men, solved from the rules alone.

pub mod attributes;
pub mod generate;
pub mod men;
pub mod packed;
pub mod pawn;
pub mod printed;
pub mod probe;
pub mod sets;
pub mod syzygy;
pub mod tree;
pub mod words;

pub use probe::{Outcome, Probe, outcome, probe};
pub use syzygy::{Syzygy, SyzygyFault};
