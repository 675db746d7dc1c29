//! What a simulated picture costs: film and stills at 640×480, plain and with everything switched on, and the first
//! picture of a simulation. Time on the processor where the system tells it: other programs do not count.
//!
//! Run with `cargo bench --bench sim_cost`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::{
    game::pgn_in::read_games,
    sim::{
        Scene, Simulation,
        scene::{Lamp, PassingShadow},
    },
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use processor::now;

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Nxe4 6. d4 b5 7. Bb3 d5 8. dxe5 Be6 *";

fn simulation(scene: &Scene) -> Simulation {
    let game = read_games(GAME).remove(0).expect("the game is legal");
    Simulation::new(scene, &game, 1).expect("the scene is within its ranges")
}

/// Time of `pictures` pictures after the first `skip` ones of each run.
fn pictures(make: impl Fn() -> Simulation, skip: usize, pictures: u64) -> Duration {
    let (mut spent, mut done, begin) = (Duration::ZERO, 0, Instant::now());
    while done < pictures {
        let mut run = make();
        run.by_ref().take(skip).for_each(drop);
        let start = now(begin);
        let n = run.take((pictures - done) as usize).map(black_box).count() as u64;
        spent += now(begin) - start;
        done += n;
        assert!(n > 0, "the simulation is longer than what is skipped");
    }
    spent
}

fn sim_cost(criterion: &mut Criterion) {
    // Another lamp, dusk, a person who stands in the light, a board that mirrors: all that costs.
    let mut rich = Scene { lamp: vec![Lamp::default()], ..Scene::oblique(45.0) };
    rich.dusk.share = 0.5;
    rich.passing_shadow = vec![PassingShadow { speed_m_s: 0.0, ..PassingShadow::default() }];
    rich.board.gloss = 1.0;
    // One far lamp, a dull board, no compression: what the simulator could do before.
    let mut plain = Scene::oblique(45.0);
    (plain.light.distance_m, plain.board.gloss, plain.sensor.mjpeg) = (0.0, 0.0, false);
    let scenes =
        [("45 degrees", Scene::oblique(45.0)), ("overhead", Scene::overhead()), ("plain", plain), ("rich", rich)];
    for (name, scene) in scenes {
        let mut group = criterion.benchmark_group("simulate 640x480");
        group.sample_size(10).measurement_time(Duration::from_secs(4));
        // The first 30 pictures of a film show a board at rest; in half of the next 60 there is a hand.
        group.bench_function(BenchmarkId::new("film", name), |b| {
            b.iter_custom(|n| (0..n).map(|_| pictures(|| simulation(&scene), 30, 60) / 60).sum());
        });
        group.bench_function(BenchmarkId::new("stills", name), |b| {
            b.iter_custom(|n| (0..n).map(|_| pictures(|| simulation(&scene).stills(), 1, 16) / 16).sum());
        });
        group.bench_function(BenchmarkId::new("first", name), |b| {
            b.iter_custom(|n| (0..n).map(|_| pictures(|| simulation(&scene).stills(), 0, 1)).sum());
        });
        group.finish();
    }
}

criterion_group!(benches, sim_cost);
criterion_main!(benches);
