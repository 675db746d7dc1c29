//! What the completion of score sheets costs: the paper's enumeration of four plies, three gaps in a game of 60 moves
//! (all lines counted, and the five most plausible), and the game with five unreadable words. Time on the processor where
//! the system tells it: other programs do not count.
//!
//! Run with `cargo bench --bench gaps`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::game::{
    gaps::Sheet,
    pgn_in::{GameText, read_games},
    start::Start,
};
use criterion::{Criterion, criterion_group, criterion_main};
use processor::now;
use shakmaty::san::SanPlus;

/// Plies of the game in which gaps are made: 60 moves of each side.
const PLIES: usize = 120;

/// Time of `runs` runs of `work`.
fn time<T>(runs: u64, mut work: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let before = now(start);
    for _ in 0..runs {
        black_box(work());
    }
    now(start).saturating_sub(before)
}

/// The first classic game that is long enough, as SAN.
fn long_game() -> Vec<String> {
    let games = read_games(include_str!("../games/classics.pgn"));
    let game: GameText = games.into_iter().flatten().find(|game| game.moves.len() >= PLIES).expect("a long game");
    let mut position = game.start.position().clone();
    let san = |&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
    game.moves.iter().take(PLIES).map(san).collect()
}

/// The game without the plies at these indices.
fn blanked(game: &[String], plies: &[usize]) -> Sheet {
    let word = |(i, san): (usize, &String)| if plies.contains(&i) { "??".to_owned() } else { san.clone() };
    let words: Vec<String> = game.iter().enumerate().map(word).collect();
    Sheet::read(&Start::default(), &words.join(" ")).expect("a score sheet")
}

fn costs(c: &mut Criterion) {
    let mut group = c.benchmark_group("gaps");
    group.sample_size(10);
    let four = Sheet::read(&Start::default(), "?? ?? ?? ??").expect("a score sheet");
    assert_eq!(four.count(|| true), Some(197_281));
    group.bench_function("count four plies", |b| b.iter_custom(|runs| time(runs, || four.count(|| true))));
    group.bench_function("write four plies", |b| b.iter_custom(|runs| time(runs, || four.lines().count())));
    let game = long_game();
    for (name, plies) in
        [("scattered", [20, 51, 80]), ("the paper's: moves 12 and 13", [22, 23, 24]), ("near the end", [112, 115, 118])]
    {
        let sheet = blanked(&game, &plies);
        println!("three gaps, {name}: {} lines", sheet.count(|| true).expect("a number"));
        group.bench_function(format!("three gaps, {name}: count"), |b| {
            b.iter_custom(|runs| time(runs, || sheet.count(|| true)));
        });
        group.bench_function(format!("three gaps, {name}: five most plausible"), |b| {
            b.iter_custom(|runs| time(runs, || sheet.best(5, || true)));
        });
    }
    group.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
