//! What the packed forms cost: unpacking the stored one, and asking the one that stays packed. Time on the processor where
//! the system tells it: other programs do not count.
//!
//! Run with `cargo bench -p chess_observer_krk --bench packed`.

#[path = "../../../benches/processor/runs.rs"]
mod runs;

use chess_observer::endgame::men::{Men, canonical_placements};
use chess_observer_krk::packed::{in_place::InPlace, stored::Unpacked};
use criterion::{Criterion, criterion_group, criterion_main};
use runs::time;

fn costs(c: &mut Criterion) {
    let mut group = c.benchmark_group("packed");
    group.sample_size(20);
    group.bench_function("unpack stored rook", |b| b.iter_custom(|runs| time(runs, |_| Unpacked::embedded())));
    // In an order in which no position helps the next one: a step that shares no factor with their number.
    let men: Vec<Men> = canonical_placements().collect();
    let nth = |run: u64| men[(run.wrapping_mul(10_007) % men.len() as u64) as usize];
    group.bench_function("ask rook in place", |b| {
        b.iter_custom(|runs| time(runs, |run| InPlace::embedded().distance(nth(run))));
    });
    group.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
