//! The experiments of the papers, repeated on simulated boards, and a ladder of disturbances of our own.
//!
//! An [`Experiment`] is a result: tables, curves and errors, each ready to be printed, drawn or compared. What the
//! clock says is not in it but in its [`Timing`], so that two runs with one seed agree to the digit.
//!
//! | module | whose experiment |
//! | --- | --- |
//! | [`petkov`] | G. Petkov 2013: many games from one oblique view |
//! | [`koray`] | Koray and Sümer 2019: 100 attempts, 30 of them illegal, in three lights |
//! | [`carta`] | Carta and Corsolini: views by disturbances |
//! | [`go`] | Carta and Corsolini, their own game: views by disturbances, whole games |
//! | [`ladder`] | ours: how much of each disturbance is too much? |
//! | [`conditions`] | ours: at what strength do the faults of real recordings come? |
//! | [`anywhere`] | ours: are games read on any board, under any camera? |
//! | [`bumps`] | ours: does the game go on when camera or board are knocked? |
//! | [`board`] | ours: is the board found, and how precisely? |
//! | [`squares`] | ours: is each square seen rightly, and how surely? |
//! | [`evidence`] | ours: how good are the rules alone, when squares tell the truth, or nearly? |
//! | [`protocols`] | ours: one game as stills and as films of many and few pictures |
//! | [`scenes`] | the user's: is this camera good enough? |
//!
//! Jobs can be shared among machines and kept in files: [`share`] and [`part`]. [`views`] are what each of them shows to the observer.

pub mod anywhere;
pub mod board;
pub mod bumps;
pub mod carta;
mod climb;
pub mod conditions;
pub mod evidence;
pub mod go;
pub mod koray;
pub mod lab;
pub mod ladder;
pub mod part;
pub mod petkov;
pub mod print;
pub mod protocols;
pub mod scenes;
pub mod share;
pub mod squares;
pub mod types;
pub mod views;

pub use types::{
    Break, Cell, Curve, ErrorEntry, Experiment, Figures, GameFigures, LightFigures, Point, Table, Tally, Timing,
};

use self::lab::Lab;
use super::simulated::ShowError;

/// The version of what makes the figures: the package's, and a hash of the sources (see `build.rs`).
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CHESS_OBSERVER_SOURCES"));

/// The experiments' names, in their order.
pub const NAMES: [&str; 12] = [
    "petkov",
    "koray",
    "carta",
    "ladder",
    "conditions",
    "squares",
    "anywhere",
    "bumps",
    "board",
    "evidence",
    "protocols",
    "go",
];

/// Runs the experiment of this name, one of [`NAMES`]; any other name runs nothing.
///
/// # Errors
/// When a scene or a game cannot be shown.
pub fn run(name: &str, lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    match name {
        "petkov" => petkov::run(lab),
        "koray" => koray::run(lab),
        "carta" => carta::run(lab),
        "ladder" => ladder::run(lab),
        "conditions" => conditions::run(lab),
        "squares" => squares::run(lab),
        "anywhere" => anywhere::run(lab),
        "bumps" => bumps::run(lab),
        "board" => board::run(lab),
        "evidence" => evidence::run(lab),
        "protocols" => protocols::run(lab),
        "go" => go::run(lab),
        _ => Ok(Default::default()),
    }
}
