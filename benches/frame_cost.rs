//! What one picture costs the observer, at 1280×720: at rest, and settled with a move to decide.
//!
//! The pictures come from the simulator, from 45° and from overhead. Run with `cargo bench --bench frame_cost`.

use std::{hint::black_box, time::Duration};

use chess_observer::{
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sim::{Scene, SimFrame, Simulation},
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Nxe4 6. d4 b5 7. Bb3 d5 8. dxe5 Be6 *";

/// One clean picture of the start and one after each ply, 1280×720.
fn stills(mut scene: Scene) -> Vec<SimFrame> {
    (scene.camera.width, scene.camera.height) = (1280, 720);
    let game = read_games(GAME).remove(0).expect("the game is legal");
    Simulation::new(&scene, &game, 1).expect("the scene is within its ranges").stills().collect()
}

fn frame(still: &SimFrame) -> Frame<'_> {
    Frame::from_rgb(&still.image).expect("1280x720 is a picture")
}

/// A camera at 25 pictures a second that sees the start position: after a second everything is at rest.
fn at_rest(stills: &[SimFrame], pictures: u64) -> Duration {
    let mut observer = Observer::new(&Params::default()).expect("the usual parameters");
    let picture = frame(&stills[0]);
    let stamp = |i: u64| Stamp::from_s(i as f64 / 25.0);
    (0..25).for_each(|i| drop(observer.observe(&picture, stamp(i))));
    let start = std::time::Instant::now();
    for i in 25..25 + pictures {
        black_box(observer.observe(&picture, stamp(i)));
    }
    start.elapsed()
}

/// Each picture shows one more ply and decides it; the search for the board in the first picture is not counted.
fn decisions(stills: &[SimFrame], pictures: u64) -> Duration {
    let params = Params { sight_stills: true, ..Params::default() };
    let (mut spent, mut done) = (Duration::ZERO, 0);
    loop {
        let mut observer = Observer::new(&params).expect("the usual parameters");
        observer.observe(&frame(&stills[0]), Stamp::default());
        for still in &stills[1..] {
            if done == pictures {
                return spent;
            }
            let start = std::time::Instant::now();
            black_box(observer.observe(&frame(still), still.stamp));
            spent += start.elapsed();
            done += 1;
        }
        assert_eq!(observer.position().ply, stills.len() - 1, "what is timed must be right decisions");
    }
}

fn frame_cost(criterion: &mut Criterion) {
    for (view, scene) in [("45 degrees", Scene::oblique(45.0)), ("overhead", Scene::overhead())] {
        let stills = stills(scene);
        let mut group = criterion.benchmark_group("observe 1280x720");
        group.sample_size(10).measurement_time(Duration::from_secs(8));
        group.bench_function(BenchmarkId::new("at rest", view), |b| b.iter_custom(|n| at_rest(&stills, n)));
        group.bench_function(BenchmarkId::new("a move to decide", view), |b| b.iter_custom(|n| decisions(&stills, n)));
        group.finish();
    }
    let first = stills(Scene::oblique(45.0)).swap_remove(0);
    let mut group = criterion.benchmark_group("observe 1280x720");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    group.bench_function("find the board", |b| {
        b.iter_with_setup(
            || Observer::new(&Params::default()).expect("the usual parameters"),
            |mut observer| black_box(observer.observe(&frame(&first), Stamp::default())),
        );
    });
    group.finish();
}

criterion_group!(benches, frame_cost);
criterion_main!(benches);
