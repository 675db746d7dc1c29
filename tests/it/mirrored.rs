//! Cameras that mirror their pictures: whole games, and everything that is told of the board, in the pictures as they come.

use chess_observer::{
    board::corners::Corners,
    event::{Event, hindrance::Hindrance},
    frame::{Frame, Stamp},
    game::pgn_in::{GameText, read_games},
    observer::{CameraInfo, Observer},
    params::{Mirrored, Params},
    sim::{Scene, Simulation, scene::CameraSetup},
};

use crate::support::shared;

/// The first plies of a game with castling to either side, captures and checks.
fn game(plies: usize) -> GameText {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/forty_plies.pgn");
    let mut game = read_games(&std::fs::read_to_string(path).unwrap()).remove(0).unwrap();
    game.moves.truncate(plies);
    game
}

/// A scene in the size of a small camera that mirrors.
fn mirroring(mut scene: Scene) -> Scene {
    (scene.camera.width, scene.camera.height, scene.camera.frame_rate_hz) = (480, 360, 10.0);
    scene.camera.mirrored = true;
    scene
}

fn stills(mirrored: Mirrored) -> Params {
    Params { sight_stills: true, board_mirrored: mirrored, ..Params::default() }
}

/// Colour of the grid in overlays.
const GRID: [u8; 3] = [60, 220, 90];

fn see(observer: &mut Observer, simulation: Simulation) -> Vec<Event> {
    simulation.flat_map(|picture| observer.observe(&Frame::from_rgb(&picture.image).unwrap(), picture.stamp)).collect()
}

fn ucis(observer: &Observer) -> Vec<String> {
    read_games(&observer.pgn()).remove(0).unwrap().ucis()
}

#[test]
fn a_game_in_a_mirror_is_the_game() {
    let game = game(12);
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

#[test]
fn a_film_in_a_mirror_is_followed() {
    let game = game(3);
    let simulation = Simulation::new(&mirroring(Scene::oblique(50.0)), &game, 4).unwrap();
    let mut observer = Observer::new(&Params::default()).unwrap();
    let events = see(&mut observer, simulation);
    assert_eq!(ucis(&observer), game.ucis(), "{events:#?}");
    assert!(observer.board().mirrored);
}

/// Pictures of the beginning of a game, as stills.
fn first(scene: Scene) -> (image::RgbImage, Simulation) {
    let mut simulation = Simulation::new(&scene, &game(0), 7).unwrap().stills();
    let image = simulation.next().unwrap().image;
    (image, simulation)
}

fn look(observer: &mut Observer, image: &image::RgbImage) -> Vec<Event> {
    observer.observe(&Frame::from_rgb(image).unwrap(), Stamp(0))
}

#[test]
fn who_says_that_there_is_no_mirror_is_told_that_there_seems_to_be_one() {
    let (image, _) = first(mirroring(Scene::oblique(60.0)));
    let mut observer = Observer::new(&stills(Mirrored::Never)).unwrap();
    assert_eq!(look(&mut observer, &image), []);
    assert_eq!(observer.hindrance(), Some(&Hindrance::Mirrored));
    // Said otherwise, the next picture is read as a mirror image.
    observer.set_params(&stills(Mirrored::Auto));
    assert!(matches!(look(&mut observer, &image)[..], [Event::BoardFound { mirrored: true, .. }]));
    assert_eq!(observer.hindrance(), None);
}

#[test]
fn a_plain_picture_is_no_mirror_image() {
    let scene =
        Scene { camera: CameraSetup { mirrored: false, ..mirroring(Scene::oblique(60.0)).camera }, ..Scene::default() };
    let (image, simulation) = first(scene);
    let mut observer = Observer::new(&stills(Mirrored::Auto)).unwrap();
    assert!(matches!(look(&mut observer, &image)[..], [Event::BoardFound { mirrored: false, .. }]));
    assert!(!observer.board().mirrored);
    // Read as a mirror image against better knowledge it shows no board.
    let mut observer = Observer::new(&stills(Mirrored::Always)).unwrap();
    assert_eq!(look(&mut observer, &image), []);
    // Corners run as those of a plain picture.
    let corners = simulation.corners();
    assert!(Observer::new(&stills(Mirrored::Auto)).unwrap().locate_board(Some(corners)).is_ok());
    assert!(Observer::new(&stills(Mirrored::Always)).unwrap().locate_board(Some(corners)).is_err());
}

#[test]
fn place_pose_and_corners_are_told_and_given_in_the_pictures_as_they_come() {
    let mut scene = mirroring(Scene::oblique(55.0));
    (scene.camera.azimuth_deg, scene.camera.aim_m, scene.camera.k1) = (25.0, [0.03, 0.02], -0.15);
    let mut plain = scene.clone();
    plain.camera.mirrored = false;
    let (image, simulation) = first(scene);
    let mut observer = Observer::new(&stills(Mirrored::Auto)).unwrap();
    let told = simulation.camera_info();
    let info = CameraInfo {
        width: told.width,
        height: told.height,
        k: told.k,
        distortion_model: "plumb_bob".into(),
        d: told.d.to_vec(),
        ..CameraInfo::default()
    };
    observer.set_camera_info(&info).unwrap();
    look(&mut observer, &image);
    let corners = simulation.corners();
    let near = |found: &Corners| found.farthest_px(&corners) < 0.1 * corners.square_px();
    assert!(near(&observer.corners().unwrap()));
    // The pose is that of the same board before the same camera without a mirror.
    let (image_plain, _) = first(plain);
    let mut other = Observer::new(&stills(Mirrored::Auto)).unwrap();
    other.set_camera_info(&info).unwrap();
    look(&mut other, &image_plain);
    let (mirrored, plain) = (observer.board().pose.unwrap(), other.board().pose.unwrap());
    let off_m = (mirrored.translation_m - plain.translation_m).norm();
    assert!(mirrored.rotation.angle_to(&plain.rotation) < 0.02 && off_m < 0.01, "{mirrored:?} {plain:?}");
    // The place outlives the observer, and says by itself that it is in a mirror.
    let kept = observer.calibration().unwrap();
    assert!(near(&kept.corners_in((image.width(), image.height())).unwrap()));
    let mut again = Observer::new(&stills(Mirrored::Auto)).unwrap();
    again.offer_calibration(&kept);
    assert!(matches!(look(&mut again, &image)[..], [Event::BoardFound { mirrored: true, .. }]));
    // Corners that are given while it is read so, and from the start.
    again.locate_board(Some(corners)).unwrap();
    assert!(matches!(look(&mut again, &image)[..], [Event::BoardFound { mirrored: true, .. }]));
    let given = Params { board_corners: corners.to_array().concat(), ..stills(Mirrored::Always) };
    given.check().unwrap();
    let mut told = Observer::new(&given).unwrap();
    assert!(matches!(look(&mut told, &image)[..], [Event::BoardFound { mirrored: true, .. }]));
    // The overlay is drawn onto the picture as it comes: of the grid's lines the outer ones go through the corners.
    let drawn = told.overlay(&Frame::from_rgb(&image).unwrap());
    for p in corners.0 {
        let near = |v: f64| (v as u32 - 3)..(v as u32 + 4);
        let green =
            near(p.x).flat_map(|x| near(p.y).map(move |y| (x, y))).filter(|(x, y)| drawn.get_pixel(*x, *y).0 == GRID);
        assert!(green.count() > 3, "no grid at {p}");
    }
}

/// Photographs of boards, and their mirror images: none is taken for the other, but for boards that were laid wrongly.
#[test]
fn no_photograph_is_taken_for_its_mirror_image() {
    /// A dark square at White's right hand.
    const LAID_WRONGLY: [&str; 1] = ["248af7f2088fe164704cbbb4e68d419946663fb1.jpeg"];
    let folder = shared().join("data/locate");
    let Ok(sets) = std::fs::read_dir(&folder) else {
        println!("skipped: no_photograph_is_taken_for_its_mirror_image, no {}", folder.display());
        return;
    };
    let splits = std::fs::read_to_string(folder.with_file_name("splits.toml")).unwrap();
    let trains = splits.split("\njudge").next().unwrap_or_default().to_owned();
    let told = |image: &image::RgbImage| match look(&mut Observer::new(&stills(Mirrored::Auto)).unwrap(), image)[..] {
        [Event::BoardFound { mirrored, .. }, ..] => Some(mirrored),
        _ => None,
    };
    let (mut seen, mut begun, mut wrong) = (0, [0, 0], Vec::new());
    for set in sets.flatten().map(|set| set.path()) {
        let name = set.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !trains.contains(&format!("\"locate/{name}\"")) {
            continue;
        }
        for path in std::fs::read_dir(&set).unwrap().flatten().map(|p| p.path()) {
            let Ok(image) = image::open(&path).map(|image| image.to_rgb8()) else { continue };
            seen += 1;
            let pictures = [image.clone(), image::imageops::flip_horizontal(&image)];
            for (k, picture) in pictures.iter().enumerate() {
                let found = told(picture);
                begun[k] += i32::from(found == Some(k == 1));
                let laid_wrongly = LAID_WRONGLY.iter().any(|name| path.ends_with(name));
                if found.is_some_and(|mirrored| mirrored != ((k == 1) != laid_wrongly)) {
                    wrong.push(format!("{}, mirrored: {}", path.display(), k == 1));
                }
            }
        }
    }
    println!("of {seen} photographs {} begin a game, of their mirror images {}", begun[0], begun[1]);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(begun[0] > 0 && begun[1] > 0, "{begun:?}");
}
