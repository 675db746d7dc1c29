//! Looks that are kept, and looked at again.

use std::{process::Command, time::Duration};

use chess_observer::{
    archive::{
        Archive, Keeper, Why,
        keeper::{MOST_BYTES, Place},
        rerun::rerun,
    },
    bag::Picture,
    event::Event,
    frame::Frame,
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sim::{Scene, Simulation},
};
use image::{ImageEncoder, RgbImage, codecs::jpeg::JpegEncoder, imageops};

const GAME: &str = "1. e4 d5 2. exd5 Nf6 *";
const SCENE: &str = "[pace]\nrest_min_s = 1.6\nrest_max_s = 1.8\n[camera]\nwidth = 640\nheight = 480\n";

/// A picture as a JPEG that says how it is to be turned: 1 not at all, 6 to the right.
fn jpeg(image: &RgbImage, orientation: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 95);
    // One entry: the orientation, a short.
    encoder
        .set_exif_metadata([&b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[orientation], &[0; 6]].concat())
        .unwrap();
    encoder.encode_image(image).unwrap();
    bytes
}

/// Shows a simulated film to an observer that keeps its looks; returns what was told.
fn film(path: &std::path::Path) -> (Vec<Event>, String) {
    let game = read_games(GAME).remove(0).unwrap();
    let simulation = Simulation::new(&Scene::from_toml(SCENE).unwrap(), &game, 3).unwrap();
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let mut keeper = Keeper::new(Place::File(path.into()), MOST_BYTES, &params).unwrap();
    let mut told = Vec::new();
    for shown in simulation {
        let frame = Frame::from_rgb(&shown.image).unwrap();
        let events = observer.observe(&frame, shown.stamp);
        keeper.see(&observer, &frame, None, shown.stamp, &events);
        told.extend(events);
    }
    let kept = keeper.finish(Duration::from_secs(60));
    assert_eq!((kept.lost, kept.fault.as_str()), (0, ""));
    (told, observer.pgn())
}

fn moves(events: &[Event]) -> Vec<String> {
    events.iter().filter_map(|e| if let Event::Move { uci, .. } = e { Some(uci.to_string()) } else { None }).collect()
}

#[test]
fn what_was_kept_is_understood_again_as_it_was_whole_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.looks");
    let (told, pgn) = film(&path);
    assert_eq!(moves(&told), ["e2e4", "d7d5", "e4d5", "g8f6"]);
    let archive = Archive::open(&path).unwrap();
    let looks = archive.looks().unwrap();
    // Everything that was told is there, with its picture and what was believed.
    let kept: Vec<Event> =
        looks.iter().flat_map(|listed| archive.look(listed.number).unwrap().unwrap().events).collect();
    assert_eq!(kept, told);
    assert!(looks.iter().filter(|look| look.why == Why::Told).all(|look| look.has_picture));
    assert!(archive.about().unwrap()["pgn"].contains("1. e4"));

    // A report of the look at which the third ply was told.
    let third = looks.iter().find(|look| look.ply == 3 && look.told.contains(&"exd5".to_owned())).unwrap().number;
    let report = folder.path().join("report.looks");
    archive.cut(third, &report).unwrap();
    for (path, plies) in [(&path, 4), (&report, 3)] {
        let archive = Archive::open(path).unwrap();
        let mut observer = Observer::new(&archive.params().unwrap()).unwrap();
        let mut again = Vec::new();
        rerun(&archive, &mut observer, |look, _, _| {
            assert!(look.same_position, "look {} at ply {}", look.look.number, look.look.ply);
            // A picture that was compressed may tell squares under a hand otherwise; one that was understood does not.
            let most = if look.look.why == Why::Doubt { 4 } else { 0 };
            assert!(look.other_squares <= most, "look {}: {} squares", look.look.number, look.other_squares);
            again.extend(look.events.clone());
            true
        })
        .unwrap();
        assert_eq!(moves(&again), moves(&told)[..plies]);
    }

    // The same by the program.
    let program = env!("CARGO_BIN_EXE_chess_observer");
    let output = Command::new(program).arg("replay").arg(&path).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.contains("2. exd5") && pgn.contains("2. exd5"), "{out}");
    assert!(err.contains("looks were understood as they were kept"), "{err}");
}

#[test]
fn what_a_person_says_is_kept_and_said_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("said.looks");
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let mut keeper = Keeper::new(Place::File(path.clone()), MOST_BYTES, &params).unwrap();
    let commands: [fn(&mut Observer) -> Vec<Event>; 4] = [
        |o| o.correct_move(1, "e4").unwrap(),
        |o| o.correct_move(2, "e5").unwrap(),
        |o| o.take_back(1).unwrap(),
        |o| o.set_result("1/2-1/2").unwrap(),
    ];
    for command in commands {
        let events = command(&mut observer);
        assert!(!events.is_empty());
        keeper.hear(&observer, chess_observer::frame::Stamp(5), &events);
    }
    assert_eq!(keeper.finish(Duration::from_secs(60)).written, 4);
    let mut again = Observer::new(&params).unwrap();
    rerun(&Archive::open(&path).unwrap(), &mut again, |_, _, _| true).unwrap();
    assert_eq!(again.pgn(), observer.pgn());
    assert_eq!(again.position(), observer.position());
}

#[test]
fn a_picture_that_came_as_jpeg_is_kept_as_it_came_unless_it_was_turned() {
    let folder = tempfile::tempdir().unwrap();
    let game = read_games("1. e4 *").remove(0).unwrap();
    let simulation = Simulation::new(&Scene::from_toml(SCENE).unwrap(), &game, 3).unwrap();
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let path = folder.path().join("film.looks");
    let mut keeper = Keeper::new(Place::File(path.clone()), MOST_BYTES, &params).unwrap();
    let (mut came, mut turned) = (Vec::new(), Vec::new());
    for (number, shown) in simulation.enumerate() {
        // A file's picture is turned as it says; one that says nothing of it lies as it is.
        let stands = if number % 2 == 0 { (1, shown.image) } else { (6, imageops::rotate270(&shown.image)) };
        let file = folder.path().join(format!("{number}.jpg"));
        std::fs::write(&file, jpeg(&stands.1, stands.0)).unwrap();
        let picture = Picture::from_file(&file, number, shown.stamp).unwrap();
        let decoded = picture.decode().unwrap();
        let frame = decoded.frame().unwrap();
        assert_eq!((frame.width(), frame.height()), (640, 480));
        let events = observer.observe(&frame, shown.stamp);
        keeper.see(&observer, &frame, decoded.jpeg(), shown.stamp, &events);
        let bytes = std::fs::read(&file).unwrap();
        if number % 2 == 0 { &mut came } else { &mut turned }.push((shown.stamp, bytes));
    }
    keeper.finish(Duration::from_secs(60));
    let archive = Archive::open(&path).unwrap();
    let (mut as_they_came, mut anew) = (0, 0);
    for look in archive.looks().unwrap() {
        let kept = archive.picture(look.number).unwrap().unwrap();
        let stamp = archive.look(look.number).unwrap().unwrap().stamp_ns;
        if let Some((_, bytes)) = came.iter().find(|(of, _)| of.0 == stamp) {
            assert!(kept == *bytes, "look {}", look.number);
            as_they_came += 1;
        } else {
            let size = image::load_from_memory(&kept).unwrap();
            assert_eq!((size.width(), size.height()), (640, 480), "look {} lies as it was looked at", look.number);
            assert!(turned.iter().all(|(_, bytes)| *bytes != kept));
            anew += 1;
        }
    }
    assert!(as_they_came > 3 && anew > 3, "{as_they_came}, {anew}");
}

#[test]
fn a_disk_that_refuses_is_told_and_costs_no_picture() {
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let mut keeper = Keeper::new(Place::File("/proc/no/such.looks".into()), MOST_BYTES, &params).unwrap();
    let events = observer.correct_move(1, "e4").unwrap();
    keeper.hear(&observer, chess_observer::frame::Stamp(5), &events);
    let kept = keeper.finish(Duration::from_secs(60));
    assert_eq!((kept.written, kept.lost), (0, 1));
    assert!(kept.fault.starts_with("/proc/no/such.looks: "), "{}", kept.fault);
}

#[test]
fn what_is_no_archive_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.looks");
    std::fs::write(&path, "nothing of the kind").unwrap();
    assert!(!Archive::is_one(&path));
    let error = Archive::open(&path).unwrap_err().to_string();
    assert!(error.contains("other.looks"), "{error}");
}
