//! Files that are none, bags that point elsewhere, corners where no board is: refused in one line, and nobody waits.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use chess_observer::{
    bag::{BagWriter, Compression},
    board::corners::Corners,
    frame::{Frame, Stamp},
    observer::Observer,
    params::{Params, Value},
};

use crate::{
    programs::{blanks, simulated},
    support::{PICTURES, contents, picture, png, write},
};

fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn ended(args: &[&str]) -> Option<(i32, String)> {
    crate::ended::ended(env!("CARGO_BIN_EXE_chess_observer"), args)
}

/// A pipe that nobody writes to, and a device that never ends.
fn endless(dir: &Path) -> [(PathBuf, &'static str); 2] {
    let (pipe, zero) = (dir.join("pipe"), dir.join("zero"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/zero", &zero).unwrap();
    [(pipe, "is a pipe, expected a file to read"), (zero, "is a device, expected a file to read")]
}

#[test]
fn nobody_waits_for_what_is_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let frames = dir.path().join("frames");
    blanks(&frames, 2);
    let game = dir.path().join("game.pgn");
    fs::write(&game, "1. e4 *\n").unwrap();
    let out = dir.path().join("out");
    for (special, says) in endless(dir.path()) {
        let special = arg(&special);
        for args in [
            vec!["replay", arg(&frames), "--params", special],
            vec!["simulate", "--out", arg(&out), "--pgn", special],
            vec!["simulate", "--out", arg(&out), "--pgn", arg(&game), "--scene", special],
            vec!["locate", special],
            #[cfg(feature = "display")]
            vec!["browse", special],
        ] {
            let (status, err) = ended(&args).unwrap_or_else(|| panic!("{args:?} waits"));
            assert_eq!((status, err.lines().count()), (2, 1), "{args:?}: {err}");
            assert!(err.contains(&format!("{special}: {says}")), "{args:?}: {err}");
        }
        let (status, err) = ended(&["replay", special]).expect("no waiting");
        assert!(status == 2 && err.contains("expected a folder of pictures, a rosbag2 directory"), "{err}");
    }
}

#[test]
fn special_files_among_pictures_are_counted_and_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let [(pipe, _), (zero, _)] = endless(dir.path());
    let frames = dir.path().join("frames");
    fs::create_dir(&frames).unwrap();
    fs::write(frames.join("0.png"), png(&picture(1, 16, 12))).unwrap();
    fs::create_dir(frames.join("1.jpg")).unwrap();
    fs::rename(&pipe, frames.join("2.jpg")).unwrap();
    fs::rename(&zero, frames.join("3.png")).unwrap();
    fs::write(frames.join("4.png"), png(&picture(2, 16, 12))).unwrap();
    let (status, err) = ended(&["replay", arg(&frames)]).expect("no waiting");
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("2 pictures in "), "{err}");
    assert!(err.contains("3 not usable, the first: 1.jpg: is a folder, expected a file to read"), "{err}");
    fs::rename(frames.join("2.jpg"), frames.join("frames.csv")).unwrap();
    let (status, err) = ended(&["replay", arg(&frames)]).expect("no waiting");
    assert!(status == 2 && err.contains("frames.csv: is a pipe, expected a file to read"), "{err}");
}

#[test]
fn a_bag_stays_in_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let [(pipe, _), _] = endless(dir.path());
    let outside = dir.path().join("outside.mcap");
    write(BagWriter::mcap(&outside, Compression::None).unwrap(), true);
    let bag = dir.path().join("bag");
    write(BagWriter::mcap(&bag, Compression::None).unwrap(), true);
    let yaml = fs::read_to_string(bag.join("metadata.yaml")).unwrap();
    let named = |name: &str| fs::write(bag.join("metadata.yaml"), yaml.replace("bag_0.mcap", name)).unwrap();
    for name in ["../outside.mcap", arg(&outside), "x/../../outside.mcap"] {
        named(name);
        let told = contents(&bag, None).unwrap_err();
        assert!(told.contains("which is not in its folder") && told.lines().count() == 1, "{name}: {told}");
    }
    // What lies in the folder under that name is meant, as old recorders wrote it.
    for name in ["bag/bag_0.mcap", "/home/robot/bag/bag_0.mcap"] {
        named(name);
        assert_eq!(contents(&bag, None).unwrap().pictures.len(), PICTURES, "{name}");
    }
    // Pipes inside.
    named("pipe.mcap");
    fs::rename(&pipe, bag.join("pipe.mcap")).unwrap();
    let (status, err) = ended(&["replay", arg(&bag)]).expect("no waiting");
    assert!(status == 2 && err.contains("pipe.mcap: is a pipe, expected a file to read"), "{err}");
    fs::rename(bag.join("pipe.mcap"), bag.join("metadata.yaml")).unwrap();
    let (status, err) = ended(&["replay", arg(&bag)]).expect("no waiting");
    assert_eq!(status, 0, "{err}");
    // And what a database would read beside itself.
    let database = dir.path().join("x.db3");
    write(BagWriter::sqlite(&database, Compression::None).unwrap(), true);
    fs::rename(bag.join("metadata.yaml"), dir.path().join("x.db3-wal")).unwrap();
    let (status, err) = ended(&["replay", arg(&database)]).expect("no waiting");
    assert!(status == 2 && err.contains("x.db3-wal: is a pipe"), "{err}");
}

#[test]
fn corners_where_no_board_can_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = simulated(dir.path(), "recording", &[]);
    let rows = fs::read_to_string(folder.join("corners.csv")).unwrap();
    let truth: Vec<f64> = rows.lines().nth(1).unwrap().split(',').skip(1).map(|v| v.parse().unwrap()).collect();
    let text = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let moved =
        |by: f64| truth.iter().enumerate().map(|(i, v)| if i % 2 == 0 { v + by } else { *v }).collect::<Vec<_>>();
    let order = |of: [usize; 4]| of.iter().flat_map(|k| [truth[2 * k], truth[2 * k + 1]]).collect::<Vec<_>>();
    let scaled = |by: f64| truth.iter().map(|v| v * by).collect::<Vec<_>>();
    let frames = folder.join("frames");
    let pgn = dir.path().join("out.pgn");
    for (corners, says) in [
        (moved(5000.0), "--corners: corner a1 at ("),
        (moved(-3000.0), "is more than a square outside of the picture of "),
        (scaled(1000.0), "outside of the picture"),
        (scaled(1e20), "outside of the picture"),
        (scaled(0.01), "--corners: the corners make squares of 0."),
        (order([0, 3, 2, 1]), "parameter board.corners: corners a1, h1, h8, a8 run the wrong way round"),
        (order([0, 2, 1, 3]), "must form a convex quadrilateral"),
    ] {
        let corners = text(&corners);
        let args = ["replay", arg(&frames), "--stills", "--corners", &corners, "--pgn", arg(&pgn)];
        let (status, err) = ended(&args).expect("no waiting");
        assert_eq!((status, err.lines().count()), (2, 1), "{corners}: {err}");
        assert!(err.contains(says), "{corners}: {err}");
        assert!(!fs::read_to_string(&pgn).unwrap_or_default().contains("1."), "no plies are invented");
    }
    let (status, err) = ended(&["replay", arg(&frames), "--stills", "--corners", &text(&truth)]).unwrap();
    assert!(status == 0 && err.contains("9 plies"), "{err}");
    // The same as a parameter, and as the service asks.
    let params = dir.path().join("p.yaml");
    fs::write(&params, format!("board.corners: [{}]\n", text(&moved(5000.0)))).unwrap();
    let (status, err) = ended(&["replay", arg(&frames), "--stills", "--params", arg(&params)]).unwrap();
    assert!(status == 2 && err.contains("parameter board.corners: corner a1 at ("), "{err}");
    let mut params = Params::default();
    params.set("board.corners", &Value::Doubles(moved(5000.0))).unwrap();
    let mut observer = Observer::new(&params).unwrap();
    let image = image::open(frames.join("00000.jpg")).unwrap().into_rgb8();
    assert_eq!(observer.corners_problem(), None, "before a picture they may be right");
    let events = observer.observe(&Frame::from_rgb(&image).unwrap(), Stamp::from_s(1.0));
    assert!(events.is_empty(), "{events:?}");
    assert!(observer.corners_problem().unwrap().to_string().starts_with("corner a1 at ("));
    let corners =
        |numbers: &[f64]| Corners::new(std::array::from_fn(|i| [numbers[2 * i], numbers[2 * i + 1]])).unwrap();
    assert!(observer.locate_board(Some(corners(&scaled(1000.0)))).is_err());
    observer.locate_board(Some(corners(&truth))).unwrap();
    assert_eq!(observer.corners_problem(), None);
    let events = observer.observe(&Frame::from_rgb(&image).unwrap(), Stamp::from_s(10.0));
    assert!(events.iter().any(|e| matches!(e, chess_observer::event::Event::BoardFound { .. })), "{events:?}");
}
