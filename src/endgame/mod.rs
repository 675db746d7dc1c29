//! How far is mate? The endgame of king and rook against king, solved from the rules alone.

pub mod krk;

pub use krk::{Outcome, Probe, probe};
