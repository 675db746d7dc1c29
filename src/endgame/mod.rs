//! How far is mate? Endgames of three men, solved from the rules alone. What else is in the table of king and rook against
//! king is a study of its own, `studies/krk/`.

pub mod generate;
pub mod men;
pub mod pawn;
pub mod probe;
pub(crate) mod syzygy;

pub use probe::{Outcome, Probe, outcome, probe};
pub use syzygy::{Syzygy, SyzygyFault};
