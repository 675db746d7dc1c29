//! Watches a real chessboard through an ordinary camera and says what was played.
//!
//! One pipeline, no ROS inside it: pixels → board → sight → game → events. The ROS node, the offline replay, the
//! simulator and the tests all run the very same [`observer::Observer`].
//!
//! The rooms, lowest first; a room never imports one below it in this list:
//!
//! | room | question it answers |
//! | --- | --- |
//! | [`event`] | the words in which the rooms tell what happened |
//! | [`files`] | what may be read and written? |
//! | [`frame`] | what is in the picture's memory? |
//! | [`endgame`] | how far is mate? |
//! | [`game`] | what was played? |
//! | [`go`] | what was played at a Go board? |
//! | [`bag`] | what is in the recording? |
//! | [`board`] | where is the board? |
//! | [`sim`] | what would a camera see? |
//! | [`sight`] | what does the picture say about a placement of men? |
//! | [`params`] | the words in which the outside asks |
//! | [`observer`] | the whole pipeline |
//! | [`replay`] | the same, of a recording |
//! | [`archive`] | which looks are kept? |
//! | `display` (feature `display`) | what do people see of it? |
//! | `eboard` (feature `display`) | which programs take our moves, as from an electronic board? |
//! | `online` (feature `online`) | what do we tell a server on which somebody plays, and it us? |
//! | `program` (feature `cli`) | what do programs of the command line share? |
//! | `node` (feature `ros`) | ROS 2 |
//!
//! How good all that is, is measured beside this package: `lab/` (experiments, scores, reports) and `studies/krk/` (what is
//! in the table of king and rook against king). Both use it from outside.

pub mod archive;
pub mod bag;
pub mod board;
#[cfg(feature = "display")]
pub mod display;
#[cfg(feature = "display")]
pub mod eboard;
pub mod endgame;
pub mod event;
pub mod files;
pub mod frame;
pub mod game;
pub mod go;
#[cfg(feature = "ros")]
pub mod node;
pub mod observer;
#[cfg(feature = "online")]
pub mod online;
pub mod params;
#[cfg(feature = "cli")]
pub mod program;
pub mod replay;
pub mod sight;
pub mod sim;

/// The package's version, and a hash of the sources that games are read with (see `build.rs`).
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CHESS_OBSERVER_SOURCES"));
