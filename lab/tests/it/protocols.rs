//! One game as stills and as films: the same truth in every form, and the same figures in every run.

use std::{fs, ops::ControlFlow};

use chess_observer::{
    params::Params,
    sim::{
        Scene, Simulation, Story,
        output::{Pictures, write_folder},
    },
};
use chess_observer_lab::{
    experiments::lab::games,
    protocol::{Protocol, Showing, Shown, Simulated, Source},
};

/// Plies of the game.
const PLIES: usize = 4;
const PROTOCOLS: [Protocol; 4] = [Protocol::Stills, Protocol::Untimed, Protocol::Film(20), Protocol::Film(150)];

fn story() -> Story {
    let path = crate::support::root().join("games/forty_plies.pgn");
    games(&fs::read_to_string(path).unwrap()).unwrap()[0].first(PLIES).story
}

fn scene() -> Scene {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height) = (400, 300);
    scene
}

fn show(source: &Source, plies: usize) -> Vec<Shown> {
    let params = Params::default();
    let how = Showing { protocols: &PROTOCOLS, plies, params: &params, seed: 1, samples: false };
    let mut shown = source.show(&how, &mut || ControlFlow::Continue(())).unwrap().unwrap();
    // What the clock says.
    shown.iter_mut().for_each(|one| (one.score.observing_s, one.score.total_s) = (0.0, 0.0));
    shown
}

fn pictures(shown: &[Shown]) -> Vec<(Protocol, u64, usize)> {
    shown.iter().map(|one| (one.protocol, one.score.pictures, one.score.plies)).collect()
}

#[test]
fn a_simulated_game_comes_in_every_form() {
    let of = Simulated { name: "four plies".into(), story: story(), scene: scene(), seed: 1 };
    let source = Source::Simulated(Box::new(of));
    let shown = show(&source, usize::MAX);
    // A picture of the start and one of each ply; films in the order of time, the fast one with held pictures.
    let told = pictures(&shown);
    assert_eq!(told[..2], [(Protocol::Stills, 5, PLIES), (Protocol::Untimed, 5, PLIES)]);
    assert!(told[3].1 > 7 * told[2].1 && told[3].1 < 8 * told[2].1 && told[2].1 > 30, "{told:?}");
    for one in &shown {
        println!("{}: {} of {}", one.protocol.name(), one.score.right, one.score.plies);
        assert_eq!(one.score.told_wrong(), 0, "{}: {:?}", one.protocol.name(), one.score.told);
        assert_eq!(one.score.duration_s.is_some(), one.protocol != Protocol::Untimed);
        assert!(one.score.right + 1 >= PLIES, "{}: {:?}", one.protocol.name(), one.score.faults);
    }
    let again: Vec<_> = show(&source, usize::MAX).into_iter().map(|one| one.score).collect();
    assert_eq!(again, shown.into_iter().map(|one| one.score).collect::<Vec<_>>(), "two runs differ");
}

#[test]
fn of_recorded_stills_a_film_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("recorded");
    let stills = Simulation::new(&scene(), story(), 1).unwrap().stills();
    write_folder(stills, &folder, Pictures::Png, |_, _| {}).unwrap();
    let source = Source::Recording(folder.clone());
    let shown = show(&source, usize::MAX);
    let told = pictures(&shown);
    // Five pictures are held for 0.4 to 3 s each, the last for one moment more.
    assert_eq!(told[..2], [(Protocol::Stills, 5, PLIES), (Protocol::Untimed, 5, PLIES)]);
    assert!((4..=26).contains(&told[2].1) && (24..=182).contains(&told[3].1), "{told:?}");
    for one in &shown {
        assert_eq!(one.score.told_wrong(), 0, "{}: {:?}", one.protocol.name(), one.score.told);
        assert_eq!(one.score.right, PLIES, "{}: {:?}", one.protocol.name(), one.score.faults);
    }
    // The same game cut off: no picture of a later ply, and no such ply asked for.
    let short = pictures(&show(&source, 2));
    assert_eq!(short[..2], [(Protocol::Stills, 3, 2), (Protocol::Untimed, 3, 2)]);
    // Without times there are no stills with true ones.
    let events = fs::read_to_string(folder.join("events.csv")).unwrap();
    let mut untimed = String::new();
    for line in events.lines() {
        let mut cells: Vec<&str> = line.split(',').collect();
        if cells[1] != "time_s" {
            cells[1] = "";
        }
        untimed += &(cells.join(",") + "\n");
    }
    fs::write(folder.join("events.csv"), untimed).unwrap();
    let protocols: Vec<Protocol> = show(&source, 2).iter().map(|one| one.protocol).collect();
    assert_eq!(protocols, PROTOCOLS[1..]);
}
