//! What would a camera see? A simulated board, men, light and hand, with the truth beside every picture.
//!
//! [`Simulation::new`] takes a [`Scene`], a [`Story`] and a seed, and is an iterator over [`SimFrame`]s: a film with
//! hands, or with [`Simulation::stills`] one clean picture a ply. The same seed gives the same bytes.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`scene`] | what is simulated? (TOML, defaults, ranges) |
//! | [`story`] | what is to happen at the board? |
//! | [`comments`] | what do a PGN's comments tell to happen? |
//! | [`habits`] | what happens by chance? |
//! | [`script`] | which visits of a hand make a story, and what do they mean? |
//! | `ply`, `incident` | which trips make a ply, an illegal move, a take-back? |
//! | [`cast`] | where is each man, and what does a trip change? |
//! | [`film`] | where are the hands at each moment, and when is an act completed? |
//! | [`path`] | which way does a hand go? |
//! | [`simulation`] | which pictures make a game? |
//! | [`disturb`] | where is a hand that hides the man that moved? |
//! | [`camera`] | where does a point appear? (pinhole, distortion, corners) |
//! | [`wardrobe`], [`pieces`], [`hand`], [`clutter`], [`mesh`] | what shape has it? |
//! | [`texture`], [`surface`] | what colour has it? |
//! | [`lamp`], [`shadow`], [`occlusion`] | which light reaches it? |
//! | [`raster`], [`solid`], [`tiles`], [`render`] | how much light comes to each pixel? |
//! | [`kelvin`], [`lightline`] | which colour has a lamp, and how does the light change in the course of a game? |
//! | [`sensor`], [`mjpeg`] | which bytes come of it? (blur, vignetting, exposure, noise, compression) |
//! | [`math`] | the same sines on every machine |
//! | [`output`] | how is a recording stored? |
//!
pub mod camera;
pub mod cast;
pub mod clutter;
pub mod comments;
pub mod disturb;
pub mod film;
pub mod habits;
pub mod hand;
mod incident;
pub mod kelvin;
pub mod lamp;
pub mod lightline;
pub mod math;
pub mod mesh;
pub mod mjpeg;
pub mod occlusion;
pub mod output;
pub mod path;
pub mod pieces;
mod ply;
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
pub mod wardrobe;

pub use disturb::Disturbance;
pub use scene::{Scene, SceneError};
pub use script::State;
pub use simulation::{SimError, SimFrame, Simulation};
pub use story::{Story, What};

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod incident_tests;
#[cfg(test)]
mod tests;
