//! What shape has it? Solids, standing where they stand.
//!
//! | file | question it answers |
//! | --- | --- |
//! | `mesh` | how is a solid made of triangles? |
//! | `thing` | where is a solid, and what colour has it? |
//! | [`pieces`] | what shape has each kind of man? |
//! | `man` | where and how does a man of the set stand? |
//! | `wardrobe` | how does that man look there, upright, falling, lying or held? |
//! | `hand` | what shape has a hand with its forearm? |
//! | `clutter` | what else lies on the table? |

pub(crate) mod clutter;
pub(crate) mod hand;
pub(crate) mod man;
pub(crate) mod mesh;
pub mod pieces;
pub(crate) mod thing;
pub(crate) mod wardrobe;
