//! One binary for all integration tests: what users of the library and of the programs see.

// The helpers between the tests are tests as well.
#![allow(clippy::unwrap_used)]

mod announced;
mod archive;
mod bags;
mod claims;
mod damage;
mod docs;
mod endgame;
mod experiments;
mod following;
mod found_anywhere;
mod frames;
mod fuzz;
mod go;
mod grids;
mod incidents;
mod judge;
mod locate;
mod observer;
#[cfg(unix)]
mod outputs;
mod parameter_table;
mod placed;
mod pose;
mod programs;
mod protocols;
mod python;
mod record;
mod recordings;
mod sampling;
mod shards;
mod simulated;
mod soak;
#[cfg(unix)]
mod special;
mod streams;
mod support;
mod together;
