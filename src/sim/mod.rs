//! What would a camera see? A simulated board, men, light and hand, with the truth beside every picture.
//!
//! [`Simulation::new`] takes a [`Scene`], a [`Story`] and a seed, and is an iterator over [`SimFrame`]s: a film with
//! hands, or with [`Simulation::stills`] one clean picture a ply. The same seed gives the same bytes.
//!
//! From low to high; none imports a lower line of this table. What happens (`play`) and how it is drawn (`light`,
//! `picture`) do not know of each other:
//!
//! | house or file | question it answers |
//! | --- | --- |
//! | `math`, [`dice`], `grid` | the same sines on every machine; chance from a seed; triangles on a grid |
//! | `slip` | how has the board slipped on its table? |
//! | [`scene`] | what is simulated? (TOML, defaults, ranges; where the camera sees a point) |
//! | [`shape`] | what shape has it? (men, hand, clutter) |
//! | [`play`] | what happens at the board, and where are hands and men meanwhile? |
//! | [`light`] | which light reaches a point? (lamps, shadows, colours, dusk) |
//! | `picture` | what does the camera make of it? (drawing, sensor, compression) |
//! | `disturb` | where is a hand that hides the man that moved? |
//! | `knocks` | where are camera and table while knocks come and go on? |
//! | `simulation` | which pictures make a game? |
//! | [`output`] | how is a recording stored? |
//! | [`go`] | the same for a game of Go |

pub mod dice;
pub(crate) mod disturb;
pub mod go;
pub(crate) mod grid;
pub(crate) mod knocks;
pub mod light;
pub(crate) mod math;
pub mod output;
pub(crate) mod picture;
pub mod play;
pub mod scene;
pub mod shape;
pub(crate) mod simulation;
pub(crate) mod slip;

pub use disturb::Disturbance;
pub use play::{
    comments::StoryError,
    script::State,
    story::{Story, What},
};
pub use scene::{Camera, Intrinsics, Scene, SceneError};
pub use simulation::{STILL_S, SimError, SimFrame, Simulation};

#[cfg(test)]
mod tests;
