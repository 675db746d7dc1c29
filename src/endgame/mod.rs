//! How far is mate? Endgames of three men, solved from the rules alone.

pub mod attributes;
pub mod generate;
pub mod men;
pub mod pawn;
pub mod probe;
pub mod sets;
pub mod tree;

pub use probe::{Outcome, Probe, probe};
