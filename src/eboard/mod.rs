//! A board with a camera as an electronic board: the words that programs for such boards know, over a local web socket.
//! Knows no vision and no ROS; boards come from the display's [`Hall`](crate::display::Hall).
//!
//! The interface is that which Lichess's and chess.com's pages look for on the player's own machine:
//! `ws://127.0.0.1:1982/api/v1.0`, JSON in text messages, and the list of boards over HTTP. Each board of the hall is one.
//!
//! | file | what |
//! | --- | --- |
//! | [`placement`] | which men stand where, men in the air and illegal positions included |
//! | `serial` | the numbers by which programs know boards |
//! | `feed` | what one program is told of one board: position, and the moves since the position that it has set up |
//! | `session` | what one program asks, and what it is answered |
//! | [`origin`] | which web pages may listen |
//! | [`server`] | web socket and HTTP |

mod feed;
pub mod origin;
pub mod placement;
mod serial;
pub mod server;
mod session;

#[cfg(test)]
mod tests;
