//! How good is the observer of Go? Games on simulated boards, read and counted.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`games`] | which games are played? |
//! | [`scenes`] | on which boards, before which cameras? |
//! | [`show`] | what came of a game? |
//! | [`find`] | what came of the search for a board in a picture? |
//! | [`others`] | is a Go board claimed where there is none? |

pub mod find;
pub mod games;
pub mod others;
pub mod scenes;
pub mod show;
