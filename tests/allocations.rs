//! Following a board allocates nothing: a picture at rest, or shaken by a pixel, costs time but no memory.
//!
//! A program of its own, because it counts what the whole process allocates.

use chess_observer::{
    event::Event,
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sim::{Scene, SimFrame, Simulation, scene::Bump},
};

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

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

#[test]
fn a_followed_picture_allocates_nothing() {
    let pictures = pictures();
    let frames = [0, 1].map(|k: usize| Frame::from_rgb(&pictures[k].image).expect("a frame"));
    let mut observer = Observer::new(&Params::default()).expect("the usual parameters");
    let stamp = |i: usize| Stamp::from_s(i as f64 / 25.0);
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
        let before = dhat::HeapStats::get().total_blocks;
        observer.observe(frame, stamp(i));
        let allocated = dhat::HeapStats::get().total_blocks - before;
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
