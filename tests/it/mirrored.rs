//! Cameras that mirror their pictures: whole games, and everything that is told of the board, in the pictures as they come.

use chess_observer::{
    board::geometry::Corners,
    event::Event,
    frame::Frame,
    game::pgn_in::{GameText, read_games},
    observer::Observer,
    params::{Mirrored, Params},
    sim::{Scene, Simulation},
};

/// The first plies of a game with castling to either side, captures and checks.
fn game(plies: usize) -> GameText {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/forty_plies.pgn");
    let mut game = read_games(&std::fs::read_to_string(path).unwrap()).remove(0).unwrap();
    game.moves.truncate(plies);
    game
}

/// A scene in the size of a small camera that mirrors.
fn mirroring(mut scene: Scene) -> Scene {
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (640, 480, 10.0);
    scene.camera.mirrored = true;
    scene
}

fn stills(mirrored: Mirrored) -> Params {
    Params { sight_stills: true, board_mirrored: mirrored, ..Params::default() }
}

fn see(observer: &mut Observer, simulation: Simulation) -> Vec<Event> {
    simulation.flat_map(|picture| observer.observe(&Frame::from_rgb(&picture.image).unwrap(), picture.stamp)).collect()
}

fn ucis(observer: &Observer) -> Vec<String> {
    read_games(&observer.pgn()).remove(0).unwrap().ucis()
}

#[test]
fn a_game_in_a_mirror_is_the_game() {
    let game = game(40);
    for (scene, mirrored) in [
        (Scene::oblique(45.0), Mirrored::Auto),
        (Scene::overhead(), Mirrored::Auto),
        (Scene::oblique(45.0), Mirrored::Always),
    ] {
        let simulation = Simulation::new(&mirroring(scene), &game, 1).unwrap();
        let corners = simulation.corners();
        let mut observer = Observer::new(&stills(mirrored)).unwrap();
        let events = see(&mut observer, simulation.stills());
        assert_eq!(ucis(&observer), game.ucis(), "{events:#?}");
        assert!(!events.iter().any(|e| matches!(e, Event::Illegal { .. })), "{events:#?}");
        // It is said, and in pixels of the pictures as they come.
        let Some(Event::BoardFound { corners: found, mirrored: true }) = events.first() else {
            panic!("{:?}", events.first())
        };
        let found = Corners::from(*found);
        assert!(found.is_mirrored() && found.farthest_px(&corners) < 0.1 * corners.square_px(), "{found:?}");
        assert!(observer.board().mirrored);
        assert!(observer.corners().unwrap().farthest_px(&corners) < 0.1 * corners.square_px());
    }
}
