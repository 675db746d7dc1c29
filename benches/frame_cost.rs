//! What one picture costs the observer, at 1280×720: its sampled pixels alone, at rest, read while nothing has changed,
//! shaking, pushed away, settled with a move to decide; and what finding the board costs.
//!
//! The pictures come from the simulator, from 45° and from overhead. What the observer does is timed on the processor, where
//! the system tells it: other programs do not count. Run with `cargo bench --bench frame_cost`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::{
    board::{
        Hint, locate,
        map::BoardMap,
        track::{Followed, NODES, Tracker},
    },
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sight::{colour::Samples, sampler::Sampler},
    sim::{Scene, SimFrame, Simulation, scene::Bump},
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use processor::now;

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Nxe4 6. d4 b5 7. Bb3 d5 8. dxe5 Be6 *";

/// One clean picture of the start and one after each ply, 1280×720.
fn stills(scene: Scene) -> Vec<SimFrame> {
    stills_of(scene, GAME)
}

fn stills_of(mut scene: Scene, game: &str) -> Vec<SimFrame> {
    (scene.camera.width, scene.camera.height) = (1280, 720);
    let game = read_games(game).remove(0).expect("the game is legal");
    Simulation::new(&scene, &game, 1).expect("the scene is within its ranges").stills().collect()
}

fn frame(still: &SimFrame) -> Frame<'_> {
    Frame::from_rgb(&still.image).expect("1280x720 is a picture")
}

/// Pictures a second of an ordinary camera: at rest one of them in a second is read.
const VIDEO_HZ: f64 = 25.0;
/// So few that every one is read.
const READ_HZ: f64 = 1.0;

/// A camera that sees the start position in these pictures in turn: after some of the first one everything is at rest.
fn watching(pictures: &[SimFrame], rate_hz: f64, count: u64) -> Duration {
    let mut observer = Observer::new(&Params::default()).expect("the usual parameters");
    let stamp = |i: u64| Stamp::from_s(i as f64 / rate_hz);
    (0..25).for_each(|i| drop(observer.observe(&frame(&pictures[0]), stamp(i))));
    let looks = observer.stats().looks;
    let start = Instant::now();
    let before = now(start);
    for i in 25..25 + count {
        black_box(observer.observe(&frame(&pictures[i as usize % pictures.len()]), stamp(i)));
    }
    let spent = now(start).saturating_sub(before);
    assert!(rate_hz > READ_HZ || observer.stats().looks == looks + count, "what is timed must be read");
    spent
}

/// The start position before and after the camera is knocked by so many pixels.
fn knocked(mut scene: Scene, shift_px: [f64; 2]) -> Vec<SimFrame> {
    scene.bump = vec![Bump { ply: 3, shift_px, ..Bump::default() }];
    let mut all = stills_of(scene, "1. Nf3 Nf6 2. Ng1 Ng8 *");
    vec![all.swap_remove(0), all.swap_remove(1)]
}

/// The search for a board that was pushed by most of a square.
fn leap(stills: &[SimFrame]) -> impl Fn() -> Option<Followed> + '_ {
    let map = BoardMap::from_corners(&stills[0].corners, None).expect("a board");
    let tracker = Tracker::begin(&frame(&stills[0]), &map, &[true; NODES]);
    move || tracker.leap(&frame(&stills[1]), &map)
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
            let start = Instant::now();
            let before = now(start);
            black_box(observer.observe(&frame(still), still.stamp));
            spent += now(start).saturating_sub(before);
            done += 1;
        }
        assert_eq!(observer.position().ply, stills.len() - 1, "what is timed must be right decisions");
    }
}

fn frame_cost(criterion: &mut Criterion) {
    for (view, scene) in [("45 degrees", Scene::oblique(45.0)), ("overhead", Scene::overhead())] {
        let stills = stills(scene.clone());
        let mut group = criterion.benchmark_group("observe 1280x720");
        group.sample_size(10).measurement_time(Duration::from_secs(8));
        let map = BoardMap::from_corners(&stills[0].corners, None).expect("a board");
        let (mut sampler, mut samples) = (Sampler::default(), Samples::default());
        group.bench_function(BenchmarkId::new("sampled pixels alone", view), |b| {
            b.iter(|| sampler.read(black_box(&frame(&stills[0])), &map, &mut samples));
        });
        group.bench_function(BenchmarkId::new("at rest", view), |b| {
            b.iter_custom(|n| watching(&stills[..1], VIDEO_HZ, n))
        });
        group.bench_function(BenchmarkId::new("read, nothing new", view), |b| {
            b.iter_custom(|n| watching(&stills[..1], READ_HZ, n))
        });
        let shaken = knocked(scene.clone(), [1.2, 0.9]);
        group.bench_function(BenchmarkId::new("shaking", view), |b| b.iter_custom(|n| watching(&shaken, VIDEO_HZ, n)));
        let pushed = knocked(scene, [50.0, 30.0]);
        let leap = leap(&pushed);
        assert!(leap().is_some_and(|found| found.in_place), "what is timed must find it");
        group.bench_function(BenchmarkId::new("pushed away", view), |b| b.iter(&leap));
        group.bench_function(BenchmarkId::new("a move to decide", view), |b| b.iter_custom(|n| decisions(&stills, n)));
        group.finish();
    }
    let first = stills(Scene::oblique(45.0)).swap_remove(0);
    let mut group = criterion.benchmark_group("observe 1280x720");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    let picture = frame(&first);
    assert!(locate(&picture, &Hint::default()).is_ok(), "what is timed must find it");
    group.bench_function("find the board", |b| b.iter(|| locate(&picture, &Hint::default())));
    group.bench_function("find the board and learn its colours", |b| {
        b.iter_with_setup(
            || Observer::new(&Params::default()).expect("the usual parameters"),
            |mut observer| black_box(observer.observe(&frame(&first), Stamp::default())),
        );
    });
    group.finish();
}

criterion_group!(benches, frame_cost);
criterion_main!(benches);
