//! What does the picture say about a placement of men?
//!
//! A ray from every sample point of the board to the camera passes through what could hide that point: the man on its
//! own square, and the heads of men on nearer ones. Given a placement, the first man that the ray meets, or else the
//! board, is what the pixel shows ([`coverage`]). What white men, black men and each part of the board look like is
//! learnt from this game, in this light (`appearance`). So a whole placement gets one likelihood, with occlusion by
//! neighbours accounted for, and the game asks for the placements that the rules allow ([`evidence`]).

mod anew;
mod appearance;
mod arm;
pub(super) mod calibrate;
mod cast;
pub mod colour;
pub mod coverage;
mod densities;
mod density;
pub(super) mod direction;
pub mod evidence;
mod exposure;
pub mod features;
mod intruder;
pub mod kinds;
pub mod layout;
pub mod levels;
pub mod light;
pub mod misfit;
pub mod occlusion;
pub mod outline;
mod product;
mod rays;
mod resting;
pub mod sampler;
mod separation;
mod shade;
mod sheen;
pub mod squares;
pub(super) mod stillness;
pub mod stones;
mod surface;
mod surroundings;
pub mod threshold;
mod tone;
pub mod view;

#[cfg(test)]
mod tests;
