//! One binary for all integration tests of the laboratory: what users of the program `lab` see.

// The helpers between the tests are tests as well.
#![allow(clippy::unwrap_used)]

mod docs;
#[cfg(unix)]
#[path = "../../../tests/it/ended.rs"]
mod ended;
mod experiments;
mod incidents;
mod judge;
mod programs;
mod protocols;
mod recordings;
mod shards;
mod support;
