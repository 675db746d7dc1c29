//! Following a board, telling what moves on it and reading its colours allocates nothing: a picture at rest, or shaken by
//! a pixel, costs time but no memory.
//!
//! A program of its own, because it counts what the whole process allocates.

use std::sync::Mutex;

use chess_observer::{
    board::map::BoardMap,
    event::Event,
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sight::view::{Reading, View},
    sim::{Scene, SimFrame, Simulation, scene::Bump},
};
use shakmaty::Board;

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

/// One at a time: a test that allocates must not be counted with another one.
static ALONE: Mutex<()> = Mutex::new(());

/// The start position twice, the second time with the camera knocked by a pixel and a half.
fn pictures() -> [SimFrame; 2] {
    let still = |bump: Vec<Bump>| {
        let mut scene = Scene::oblique(50.0);
        scene.bump = bump;
        let game = read_games("1. Nf3 Nf6 2. Ng1 Ng8 *").remove(0).expect("a legal game");
        Simulation::new(&scene, &game, 1).expect("a scene").stills()
    };
    let knock = Bump { ply: 3, shift_px: [1.2, 0.9], ..Bump::default() };
    [still(vec![]).next().expect("the start"), still(vec![knock]).nth(4).expect("the start again")]
}

fn stamp(i: usize) -> Stamp {
    Stamp::from_s(i as f64 / 25.0)
}

/// Blocks allocated meanwhile.
fn allocated(act: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    act();
    dhat::HeapStats::get().total_blocks - before
}

#[test]
fn a_followed_picture_allocates_nothing() {
    let _alone = ALONE.lock();
    let pictures = pictures();
    let frames = [0, 1].map(|k: usize| Frame::from_rgb(&pictures[k].image).expect("a frame"));
    let mut observer = Observer::new(&Params::default()).expect("the usual parameters");
    let found =
        (0..50).flat_map(|i| observer.observe(&frames[0], stamp(i))).any(|e| matches!(e, Event::BoardFound { .. }));
    assert!(found, "the board is there");
    let place = observer.board().corners.expect("found");
    let _profiler = dhat::Profiler::builder().testing().build();
    let (mut followed, mut moved) = (0, 0);
    for i in 50..150 {
        let looks = observer.stats().looks;
        // At rest for two seconds, then shaking.
        let frame = &frames[if i < 100 { 0 } else { i / 2 % 2 }];
        let allocated = allocated(|| drop(observer.observe(frame, stamp(i))));
        if observer.stats().looks == looks {
            followed += 1;
            assert_eq!(allocated, 0, "picture {i}");
        }
        let now = observer.board().corners.expect("followed");
        moved += u32::from((now.0[0] - place.0[0]).norm() > 0.5);
    }
    assert!(followed > 80, "{followed} of 100 pictures were followed and not read");
    assert!(moved > 15, "{moved} pictures of the shaken camera were followed to their place");
}

#[test]
fn a_look_that_shows_nothing_new_allocates_nothing() {
    let _alone = ALONE.lock();
    let [start, _] = pictures();
    let frame = Frame::from_rgb(&start.image).expect("a frame");
    let mut observer = Observer::new(&Params::default()).expect("the usual parameters");
    // Until everything has its size: the tables, and what is remembered of the last pictures' clutter.
    (0..600).for_each(|i| drop(observer.observe(&frame, stamp(i))));
    let _profiler = dhat::Profiler::builder().testing().build();
    let before = observer.stats().looks;
    let blocks = allocated(|| (600..900).for_each(|i| drop(observer.observe(&frame, stamp(i)))));
    let looks = observer.stats().looks - before;
    assert!(looks >= 10, "{looks} looks in twelve seconds");
    assert_eq!(blocks, 0, "in {looks} looks");
}

#[test]
fn a_picture_that_is_read_allocates_nothing() {
    let _alone = ALONE.lock();
    let pictures = pictures();
    let frames = [0, 1].map(|k: usize| Frame::from_rgb(&pictures[k].image).expect("a frame"));
    let maps = [0, 1].map(|k: usize| BoardMap::from_corners(&pictures[k].corners, None).expect("a board"));
    let mut view = View::begin(&frames[0], &maps[0], &Board::default(), None).expect("the start position");
    let mut reading = Reading::default();
    view.read(&frames[0], &mut reading);
    view.motion(&frames[0], stamp(0));
    view.motion(&frames[0], stamp(1));
    let _profiler = dhat::Profiler::builder().testing().build();
    for i in 2..20 {
        // The board moves with every other picture.
        let k = i / 2 % 2;
        view.follow(maps[k]);
        let mut told = (0, f64::NAN);
        let allocated = allocated(|| {
            told.0 = view.motion(&frames[k], stamp(i)).moving.count();
            view.read(&frames[k], &mut reading);
            told.1 = view.misfit_of(&mut reading);
        });
        assert_eq!(allocated, 0, "picture {i}");
        assert!(told.1 < 10.0 && told.0 < 64, "picture {i}: {told:?}");
    }
}
