//! How long something takes on the processor.

#[path = "mod.rs"]
mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Time of `runs` runs of `work`.
pub fn time<T>(runs: u64, mut work: impl FnMut(u64) -> T) -> Duration {
    let start = Instant::now();
    let before = processor::now(start);
    for run in 0..runs {
        black_box(work(run));
    }
    processor::now(start).saturating_sub(before)
}
