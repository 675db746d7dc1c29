//! What happens at the board, and where are hands and men meanwhile?
//!
//! A story becomes a script of acts; a film carries the acts out along paths.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`story`] | what is to happen? |
//! | `comments` | what do a PGN's comments tell to happen? |
//! | [`habits`] | what happens by chance? |
//! | [`script`] | which visits of a hand make a story, and what do they mean? |
//! | `setup` | which men are set up only now? |
//! | `ply`, `incident` | which trips make a ply, an illegal move, a take-back? |
//! | [`cast`] | which men are there, and what does a trip change? |
//! | `path` | which way does a hand go? |
//! | `resting` | which hands lie on the board between plies? |
//! | `film` | where are the hands at each moment, and when is an act completed? |

pub mod cast;
pub(crate) mod comments;
pub(crate) mod film;
pub mod habits;
mod incident;
pub(crate) mod path;
mod ply;
pub(crate) mod resting;
pub mod script;
mod setup;
pub mod story;
