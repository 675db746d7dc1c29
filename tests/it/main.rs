//! One binary for all integration tests: what users of the library and of the programs see.

// The helpers between the tests are tests as well.
#![allow(clippy::unwrap_used)]

mod announced;
mod archive;
mod bags;
mod beginnings;
mod claims;
mod damage;
#[cfg(unix)]
mod ended;
mod endgame;
mod following;
mod found_anywhere;
mod frames;
mod fuzz;
mod go;
mod grids;
mod incidents;
mod locate;
mod mirrored;
mod observer;
#[cfg(unix)]
mod outputs;
mod parameter_table;
mod placed;
mod pose;
mod programs;
mod python;
mod record;
mod rooms;
mod sampling;
mod simulated;
mod soak;
#[cfg(unix)]
mod special;
mod streams;
mod support;
mod together;
