//! What would a camera see? A simulated board, men, light and hand, with the truth beside every picture.
//!
//! [`Simulation::new`] takes a [`Scene`], a [`Story`] and a seed, and is an iterator over [`SimFrame`]s: a film with
//! hands, or with [`Simulation::stills`] one clean picture a ply. The same seed gives the same bytes.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`scene`] | what is simulated? (TOML, defaults, ranges) |
//! | [`story`] | what is to happen at the board? |
//! | [`script`] | which men does the hand carry for a move, and where to? |
//! | [`film`] | where is the hand at each moment, and when is a ply completed? |
//! | [`simulation`] | which pictures make a game? |
//! | [`camera`] | where does a point appear? (pinhole, distortion, corners) |
//! | [`pieces`], [`hand`], [`clutter`], [`mesh`] | what shape has it? |
//! | [`texture`], [`surface`] | what colour has it? |
//! | [`lamp`], [`shadow`], [`occlusion`] | which light reaches it? |
//! | [`raster`], [`solid`], [`tiles`], [`render`] | how much light comes to each pixel? |
//! | [`kelvin`], [`lightline`] | which colour has a lamp, and how does the light change in the course of a game? |
//! | [`sensor`], [`mjpeg`] | which bytes come of it? (blur, vignetting, exposure, noise, compression) |
//! | [`math`] | the same sines on every machine |
//! | [`output`] | how is a recording stored? |
//!
//! Illegal moves, take-backs and knocked-over men will be further [`script::Task`]s and words; nothing else needs to
//! know of them.
pub mod camera;
pub mod clutter;
pub mod film;
pub mod hand;
pub mod kelvin;
pub mod lamp;
pub mod lightline;
pub mod math;
pub mod mesh;
pub mod mjpeg;
pub mod occlusion;
pub mod output;
pub mod pieces;
pub mod raster;
pub mod render;
pub mod scene;
pub mod script;
pub mod sensor;
pub mod shadow;
pub mod simulation;
pub mod solid;
pub mod story;
pub mod surface;
pub mod texture;
pub mod tiles;

pub use scene::{Scene, SceneError};
pub use simulation::{SimError, SimFrame, Simulation};
pub use story::Story;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod tests;
