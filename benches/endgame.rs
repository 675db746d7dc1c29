//! What the endgame tables cost: generating them, and asking them. Time on the processor where the system tells it: other
//! programs do not count.
//!
//! Run with `cargo bench --bench endgame`.

#[path = "processor/runs.rs"]
mod runs;

use chess_observer::endgame::{
    generate::Table,
    men::{Man, Men, canonical_placements},
    pawn::PawnTable,
    probe,
};
use criterion::{Criterion, criterion_group, criterion_main};
use runs::time;
use shakmaty::{CastlingMode, Chess, fen::Fen};

fn costs(c: &mut Criterion) {
    let mut group = c.benchmark_group("endgame");
    group.sample_size(20);
    group.bench_function("generate rook", |b| b.iter_custom(|runs| time(runs, |_| Table::generate(Man::Rook))));
    group.bench_function("generate queen", |b| b.iter_custom(|runs| time(runs, |_| Table::generate(Man::Queen))));
    group.bench_function("generate pawn", |b| b.iter_custom(|runs| time(runs, |_| PawnTable::generate())));
    // In an order in which no position helps the next one: a step that shares no factor with their number.
    let men: Vec<Men> = canonical_placements().collect();
    let table = Table::of(Man::Rook);
    let nth = |run: u64| men[(run.wrapping_mul(10_007) % men.len() as u64) as usize];
    group.bench_function("ask rook", |b| {
        b.iter_custom(|runs| time(runs, |run| table.distance(nth(run), false)));
    });
    let fen: Fen = "8/8/8/3k4/8/8/1K6/4R3 w - - 0 1".parse().expect("a position");
    let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal one");
    group.bench_function("probe with best moves", |b| b.iter_custom(|runs| time(runs, |_| probe(&position))));
    group.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
