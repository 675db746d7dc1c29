//! What was played at a Go board? The rules of Go weigh what the pictures say.
//!
//! The room stands beside [`game`](crate::game), which does the same for chess: it knows rules and likelihoods, no pixels.

mod look;
mod point;
mod stone;

pub use look::{Look, Seen};
pub use point::{Point, Size, SizeError};
pub use stone::{Color, Content};
