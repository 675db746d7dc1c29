//! What one settled look at a Go board costs, at 1280×720: nothing is new, and the stones of half a game lie there.
//!
//! The pictures come from the simulator, from 45° and from overhead. What the sight does is timed on the processor, where
//! the system tells it: other programs do not count. Run with `cargo bench --bench go_look`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::{
    board::grid::Grid,
    frame::Frame,
    go::{Content, Size},
    sight::stones::Stones,
    sim::{
        dice::Dice,
        go::{GoScene, render},
    },
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use processor::now;

/// Stones of half a game.
const STONES: usize = 120;

fn position() -> Vec<Content> {
    let mut dice = Dice::new(1, 1);
    let mut position = vec![Content::Empty; Size::USUAL.count()];
    for i in 0..STONES {
        let at = dice.index(position.len());
        position[at] = if i % 2 == 0 { Content::Black } else { Content::White };
    }
    position
}

/// So many looks at a picture that shows what is known.
fn looks(image: &image::RgbImage, grid: &Grid, position: &[Content], count: u64) -> Duration {
    let frame = Frame::from_rgb(image).expect("1280x720 is a picture");
    let mut stones = Stones::new(None);
    (0..3).for_each(|_| drop(stones.look(&frame, grid, position)));
    let start = Instant::now();
    let before = now(start);
    for _ in 0..count {
        let look = black_box(stones.look(&frame, grid, position));
        let right = look.seen.iter().zip(position).filter(|(seen, content)| seen.likeliest() == **content).count();
        assert_eq!(right, position.len(), "what is timed must be a look at which nothing is new");
    }
    now(start).saturating_sub(before)
}

fn go_look(criterion: &mut Criterion) {
    for (view, elevation_deg) in [("45 degrees", 45.0), ("overhead", 88.5)] {
        let (scene, position) = (GoScene::from_side(elevation_deg, 4.0), position());
        let (image, view_of) = render(&position, Size::USUAL, &scene, 1).expect("the scene is within its ranges");
        let grid = Grid::from_corners(view_of.corners(), Size::USUAL).expect("a grid");
        let mut group = criterion.benchmark_group("look at a Go board, 1280x720");
        group.sample_size(10).measurement_time(Duration::from_secs(8));
        group.bench_function(BenchmarkId::new("nothing new", view), |b| {
            b.iter_custom(|n| looks(&image, &grid, &position, n));
        });
        group.finish();
    }
}

criterion_group!(benches, go_look);
criterion_main!(benches);
