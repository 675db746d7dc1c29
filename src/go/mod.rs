//! What was played at a Go board? The rules of Go weigh what the pictures say.
//!
//! The room stands beside [`game`](crate::game), which does the same for chess: it knows rules and likelihoods, no pixels.

mod belief;
mod board;
pub mod event;
mod game;
pub mod handicap;
mod look;
mod moment;
mod point;
pub mod record;
mod rules;
pub mod score;
pub mod sgf;
mod stone;

pub use board::{Board, Group};
pub use event::Event;
pub use game::{Begin, CommandError, Game, How, Understanding};
pub use look::{Look, Seen};
pub use moment::{Came, Moment, Play};
pub use point::{Point, Size, SizeError};
pub use rules::{Counting, Fault, Ko, Rules};
pub use stone::{Color, Content};
