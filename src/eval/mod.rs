//! How good was that? Runs the observer over recordings whose truth is known and counts what it got right.
//!
//! | module | idea |
//! | --- | --- |
//! | [`replay`] | a recording through the observer, as fast as the machine allows |
//! | [`line`] | from events to the game as it was finally read |
//! | [`truth`] | what was really played: `truth.pgn`, `events.csv`, corners |
//! | [`align`] | two lists of moves laid side by side |
//! | [`run`] | one recording, from its folder to its figures |
//! | [`score`] | the figures of one recording |
//! | [`table`] | the figures of all, for people |

pub mod align;
pub mod line;
pub mod replay;
pub mod run;
pub mod score;
pub mod table;
pub mod truth;
