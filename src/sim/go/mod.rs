//! What would a camera see of a game of Go? Boards, stones and bowls for the simulator of the rooms beside this one.
//!
//! Camera, lens, lamps, shadows, noise, compression and hands are those of chess; what is Go's own is here. The world's unit
//! is `UNIT_M`, the middle of the board at (4, 4, 0), z up, as lamps and cameras want it; x runs to the right as the
//! crossings' x does, y against theirs.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`scene`] | what is simulated? (TOML, defaults, ranges) |
//! | [`wood`] | which colour has the board, with its lines and star points? |
//! | [`stones`] | where does each stone lie, and what shape has it? |
//! | `bowls` | what lies beside the board? |
//! | [`view`] | where does the camera see a crossing? |
//! | [`studio`] | what picture does a position make? |
//! | [`play`] | which pictures make a game? |
//! | [`output`] | how is a recording stored? |

mod bowls;
pub mod output;
pub mod play;
pub mod scene;
pub mod stones;
pub mod studio;
pub mod view;
pub mod wood;

pub use output::GoTruth;
pub use play::{GoFrame, GoSimulation};
pub use scene::{GoScene, Goban, StoneLook};
pub use studio::{Studio, render};
pub use view::GoView;

/// The world's unit in metres: with it a board of 19 lines is as large as the chessboards that lamps, shadows and hands
/// were made for.
const UNIT_M: f64 = 0.05;

/// Millimetres as units of the world.
const fn units(mm: f64) -> f64 {
    mm * 1e-3 / UNIT_M
}
