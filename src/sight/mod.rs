//! What does the picture say about a placement of men?
//!
//! The ray from the camera to a point of the board passes through what could hide that point: men on squares nearer to
//! the camera, and the man on the point's own square. Given a placement, the first man whom the ray meets, or else the
//! board, is what the pixel shows ([`coverage`]). What white men, black men and each part of the board look like is
//! learnt from this game, in this light (`appearance`). So a whole placement gets one likelihood, with occlusion by
//! neighbours accounted for, and the game asks for the placements that the rules allow ([`evidence`]).
//!
//! [`view`] holds what is known of a board and leads through a look; the other files by what they answer:
//!
//! | question | files |
//! | --- | --- |
//! | which colour has each point? | `sampler`, [`colour`], [`levels`] |
//! | which light is that of the picture, and of its parts? | `exposure` (of the whole since the last picture), [`light`] (of the whole since what is remembered), `shade` (of a part of the board), `cast` (of a square, as the squares beside it tell it), `sheen` (what a dark square mirrors), `tone` (how bright a square is whose board was never seen) |
//! | which man hides which point? | [`occlusion`] and `rays` (what a ray meets), [`coverage`], `direction` and `separation` (where the camera is), [`layout`] (a placement, quickly asked) |
//! | what do men and board look like? | `appearance`, `histogram` (which colours they have), `surface` (is this the same?), `anew` (a man who was turned), `calibrate` (is this the position that is expected?), [`misfit`] |
//! | what lies over the board? | `intruder` (a patch that is no man), `arm` (it comes over the edge), `surroundings` (the table around), `resting` (it lay there before) |
//! | what has moved? | `stillness`, [`threshold`] (how much is a change) |
//! | how likely is a placement? | `density` and `densities` (of a point), [`evidence`] (of a look), `product` |
//! | which role has come? | [`kinds`], [`outline`] |
//! | what do squares say by themselves? | [`squares`], [`features`] |
//! | the same of a Go board | [`stones`] |

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
mod histogram;
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
