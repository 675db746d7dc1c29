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
//! | [`disturb`] | where is a hand that hides the man that moved? |
//! | [`camera`] | where does a point appear? (pinhole, distortion, corners) |
//! | [`pieces`], [`hand`], [`clutter`], [`mesh`] | what shape has it? |
//! | [`texture`] | what colour has it? |
//! | [`raster`], [`render`] | how much light comes to each pixel? (depth buffer, shadow map) |
//! | [`sensor`] | which bytes come of it? (blur, vignetting, noise) |
//! | [`output`] | how is a recording stored? |
//!
//! Illegal moves, take-backs and knocked-over men will be further [`script::Task`]s and words; nothing else needs to
//! know of them.
pub mod camera;
pub mod clutter;
pub mod disturb;
pub mod film;
pub mod hand;
pub mod mesh;
pub mod output;
pub mod pieces;
pub mod raster;
pub mod render;
pub mod scene;
pub mod script;
pub mod sensor;
pub mod simulation;
pub mod story;
pub mod texture;

pub use disturb::Disturbance;
pub use scene::{Scene, SceneError};
pub use simulation::{SimError, SimFrame, Simulation};
pub use story::Story;

#[cfg(test)]
mod tests;
