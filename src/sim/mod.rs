//! What would a camera see? A simulated board, men, light and hand, with the truth beside every picture.
pub mod camera;
pub mod clutter;
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
pub mod texture;

pub use scene::{Scene, SceneError};
pub use simulation::{SimError, SimFrame, Simulation};

#[cfg(test)]
mod tests;
