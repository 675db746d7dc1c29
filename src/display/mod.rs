//! The screen for people: boards as web pages. Knows no vision and no ROS, and the observer knows nothing of it.
//!
//! Boards are told to a [`Hall`] in [`words`]; whoever looks is sent the newest state, never a queue of old ones, so
//! a slow browser costs nobody anything. What a person asks for goes out as a `control::Command`, to whoever
//! implements `control::Controls`: the ROS services of an observer, or nobody where a recording is browsed.
//!
//! | file | what |
//! | --- | --- |
//! | [`words`] | what a board can tell |
//! | `board` | what is known of one board, of chess or of Go |
//! | `alarms` | what calls the arbiter: alarms, warnings |
//! | `game` | a game from its PGN, position by position |
//! | `go` | a game of Go: the stones, and the plays from its SGF |
//! | `record` | a board's game as it was heard |
//! | `hall` | all boards, and who looks at which picture |
//! | [`library`], `kept`, [`recorded`] | games whose looks are kept |
//! | `players`, [`round`], [`pgn`] | the games of a round as PGN, for broadcasts |
//! | `control` | what people can ask for |
//! | [`guard`] | who may ask, and what browsers are told to refuse |
//! | [`desk`] | what all routes have at hand |
//! | [`server`], [`routes`], `answers` | HTTP |

mod alarms;
pub(crate) mod answers;
pub(crate) mod board;
pub(crate) mod control;
pub mod desk;
pub(crate) mod game;
mod go;
pub mod guard;
pub(crate) mod hall;
pub(crate) mod kept;
pub mod library;
pub mod pgn;
pub(crate) mod players;
pub(crate) mod record;
pub mod recorded;
pub mod round;
pub mod routes;
pub mod server;
pub mod words;

#[cfg(test)]
mod tests;

pub use hall::Hall;
