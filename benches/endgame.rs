//! What the endgame tables cost: generating king and rook against king, unpacking its stored form, and asking the form
//! that stays packed. Time on the processor where the system tells it: other programs do not count.
//!
//! Run with `cargo bench --bench endgame`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::endgame::{
    generate::Table,
    men::{Man, Men, canonical_placements},
    packed::{in_place::InPlace, stored::Unpacked},
    pawn::PawnTable,
    probe,
};
use criterion::{Criterion, criterion_group, criterion_main};
use processor::now;
use shakmaty::{CastlingMode, Chess, fen::Fen};

/// Time of `runs` runs of `work`.
fn time<T>(runs: u64, mut work: impl FnMut(u64) -> T) -> Duration {
    let start = Instant::now();
    let before = now(start);
    for run in 0..runs {
        black_box(work(run));
    }
    now(start).saturating_sub(before)
}

fn costs(c: &mut Criterion) {
    let mut group = c.benchmark_group("endgame");
    group.sample_size(20);
    group.bench_function("generate rook", |b| b.iter_custom(|runs| time(runs, |_| Table::generate(Man::Rook))));
    group.bench_function("generate queen", |b| b.iter_custom(|runs| time(runs, |_| Table::generate(Man::Queen))));
    group.bench_function("generate pawn", |b| b.iter_custom(|runs| time(runs, |_| PawnTable::generate())));
    group.bench_function("unpack stored rook", |b| b.iter_custom(|runs| time(runs, |_| Unpacked::embedded())));
    // In an order in which no position helps the next one: a step that shares no factor with their number.
    let men: Vec<Men> = canonical_placements().collect();
    let nth = |run: u64| men[(run.wrapping_mul(10_007) % men.len() as u64) as usize];
    group.bench_function("ask rook in place", |b| {
        b.iter_custom(|runs| time(runs, |run| InPlace::embedded().distance(nth(run))));
    });
    let fen: Fen = "8/8/8/3k4/8/8/1K6/4R3 w - - 0 1".parse().expect("a position");
    let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal one");
    group.bench_function("probe with best moves", |b| b.iter_custom(|runs| time(runs, |_| probe(&position))));
    group.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
