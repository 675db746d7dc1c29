//! What is in the table of king and rook against king? After G. Breda, *KRK Chess Endgame Database Knowledge Extraction and
//! Compression* (2006), whose figures come out, and with packed forms of our own.
//!
//! The table itself, and everything that players and robots ask of it, is `chess_observer::endgame`.
//!
//! | module | idea |
//! | --- | --- |
//! | [`attributes`] | what can be said of a placement |
//! | [`sets`] | the table, seen through some attributes only |
//! | [`tree`] | decision trees over attributes |
//! | [`words`] | trees and attributes in words |
//! | [`places`] | placements numbered without gaps |
//! | [`packed`] | the table packed without loss |
//! | [`printed`] | what the thesis prints |
//! | [`report`] | all of that side by side |
//! | [`command`] | the program `krk` |

pub mod attributes;
pub mod command;
pub mod packed;
pub mod places;
pub mod printed;
pub mod report;
pub mod sets;
pub mod tree;
pub mod words;
