//! One binary for all integration tests: what users of the library and of the programs see.

mod bags;
mod damage;
mod frames;
mod programs;
mod python;
mod support;
