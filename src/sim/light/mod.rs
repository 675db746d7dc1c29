//! Which light reaches a point?
//!
//! | file | question it answers |
//! | --- | --- |
//! | `kelvin` | which colour has a lamp, and what does a white balance leave of it? |
//! | `lamp` | where does a lamp's light come from, and how much of it arrives? |
//! | `shadow` | what stands in a lamp's way? |
//! | `occlusion` | how much of the room's light reaches the board between the men? |
//! | [`lightline`] | how does the light change in the course of a story? |

pub(crate) mod kelvin;
pub(crate) mod lamp;
pub mod lightline;
pub(crate) mod occlusion;
pub(crate) mod shadow;
