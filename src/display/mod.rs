//! The screen for people: boards as web pages. Knows no vision and no ROS, and the observer knows nothing of it.
//!
//! Boards are told to a [`Hall`] in [`words`]; whoever looks is sent the newest state, never a queue of old ones, so
//! a slow browser costs nobody anything. What a person asks for goes out as a [`control::Command`], to whoever
//! implements [`control::Controls`]: the ROS services of an observer, or nobody where a recording is browsed.
//!
//! | file | what |
//! | --- | --- |
//! | [`words`] | what a board can tell |
//! | [`board`] | what is known of one board; its alarms |
//! | [`game`] | a game from its PGN, position by position |
//! | [`record`] | a board's game as it was heard |
//! | [`hall`] | all boards, and who looks at which picture |
//! | [`kept`], [`recorded`] | games whose looks are kept |
//! | [`players`], [`round`], [`pgn`] | the games of a round as PGN, for broadcasts |
//! | [`control`] | what people can ask for |
//! | [`guard`] | who may ask, and what browsers are told to refuse |
//! | [`server`], [`routes`] | HTTP |

pub mod board;
pub mod control;
pub mod game;
pub mod guard;
pub mod hall;
pub mod kept;
pub mod pgn;
pub mod players;
pub mod record;
pub mod recorded;
pub mod round;
pub mod routes;
pub mod server;
pub mod words;

#[cfg(test)]
mod tests;

pub use hall::Hall;
