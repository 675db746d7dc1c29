//! Our recordings read by Python's tools, and theirs by us.
//!
//! The interpreter is named by the environment variable CHESS_OBSERVER_PYTHON, else `python3`; what it needs is listed
//! in tests/python/requirements.txt.

use std::{path::Path, process::Command};

use chess_observer::{
    bag::messages::CameraInfo,
    frame::Stamp,
    go::{
        Color, Point,
        record::{self, Info, Notes, Record},
    },
};

use crate::support::{PICTURES, SIZE, camera_info, contents, every_form, picture, png, stamp};

fn interpreter() -> String {
    std::env::var("CHESS_OBSERVER_PYTHON").unwrap_or_else(|_| "python3".into())
}

/// Is the Python package there? Says so when it is not.
fn has(package: &str) -> bool {
    let python = interpreter();
    let found = Command::new(&python).args(["-c", &format!("import {package}")]).output();
    let found = found.is_ok_and(|o| o.status.success());
    if !found {
        println!("skipped: {python} has no package {package} (pip install -r tests/python/requirements.txt)");
    }
    found
}

fn script(name: &str, args: &[&Path]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(name);
    let output = Command::new(interpreter()).arg(path).args(args).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn bags_written_by_rosbags_are_read() {
    if !has("rosbags") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    script("write_bags.py", &[dir.path()]);
    let pixel = |i: u8| image::RgbImage::from_fn(8, 6, |x, y| image::Rgb([x as u8, y as u8, i]));
    let expected: Vec<_> = (0..5).map(|i| (i, Stamp(100_000_000_000 + i as i64 * 1000), pixel(i as u8))).collect();
    let mut forms = 0;
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let mut storage = std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path());
        let storage = storage.find(|p| p.extension().is_none_or(|e| e != "yaml")).unwrap();
        for path in [&path, &storage] {
            let read = contents(path, None).unwrap();
            assert_eq!(read.pictures, expected, "{}", path.display());
            assert_eq!((read.bad, read.notes), (vec![], vec![]), "{}", path.display());
            let CameraInfo { d, k, .. } = &read.infos[0];
            assert_eq!(d, &[0.1, 0.2, 0.3, 0.4, 0.5]);
            assert_eq!(k, &std::array::from_fn(|i| i as f64));
        }
        forms += 1;
    }
    assert_eq!(forms, 7);
}

#[test]
fn our_bags_are_read_by_rosbags() {
    if !has("rosbags") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // rosbags reads directories.
    let forms: Vec<_> = every_form(dir.path()).into_iter().filter(|(_, p)| p.join("metadata.yaml").is_file()).collect();
    assert_eq!(forms.len(), 8);
    let paths: Vec<&Path> = forms.iter().map(|(_, path)| path.as_path()).collect();
    let text = script("read_bags.py", &paths);
    assert_eq!(text.lines().count(), forms.len());
    for (line, (name, _)) in text.lines().zip(&forms) {
        let found: serde_json::Value = serde_json::from_str(line).unwrap();
        let pictures = found["pictures"].as_array().unwrap();
        assert_eq!(pictures.len(), PICTURES, "{name}");
        for (i, read) in pictures.iter().enumerate() {
            let image = picture(i as u8, SIZE.0, SIZE.1);
            let expected = if name.contains("compressed pictures") {
                serde_json::json!([stamp(i).0, 0, "rgb8; png compressed rgb8", [], hex(&png(&image))])
            } else {
                serde_json::json!([stamp(i).0, stamp(i).0, "camera", [SIZE.0, SIZE.1, "rgb8", 3 * SIZE.0], hex(&image)])
            };
            assert_eq!(read, &expected, "{name}, picture {i}");
        }
        let info = camera_info();
        assert_eq!(found["info"], serde_json::json!([info.distortion_model, info.d, info.k, info.p]), "{name}");
        assert_eq!(found["texts"][3], "hello 3", "{name}");
        assert_eq!(found["topics"]["/cam/camera_info"], serde_json::json!(["sensor_msgs/msg/CameraInfo", 1]), "{name}");
    }
}

#[test]
fn our_records_of_go_are_read_by_sgfmill() {
    if !has("sgfmill") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let handicap = "(;GM[1]FF[4]SZ[19]HA[2]AB[dd][pp];W[dp];B[pd];W[];B[qq])".to_owned();
    let long = crate::go::game(19, 250, 8);
    let long = record::write(&Info::default(), &long, &Notes::default()).write();
    for (number, text) in [crate::go::record_of_everything(), handicap, long].into_iter().enumerate() {
        let ours = Record::read(text.as_bytes()).unwrap();
        let again = record::write(&ours.info, &ours.end, &Notes::default()).write();
        for (name, text) in [("as it was", &text), ("written again", &again)] {
            let path = dir.path().join(format!("{number} {name}.sgf"));
            std::fs::write(&path, text).unwrap();
            let theirs: serde_json::Value = serde_json::from_str(&script("read_sgf.py", &[&path])).unwrap();
            let board = ours.end.board();
            let last = i64::from(board.size().lines()) - 1;
            let place = |p: Point| serde_json::json!([last - i64::from(p.y), p.x]);
            let letter = |c: Color| if c == Color::Black { "b" } else { "w" };
            let plays: Vec<_> =
                ours.plays().iter().map(|p| serde_json::json!([letter(p.color), p.at.map(place)])).collect();
            assert_eq!(theirs["plays"], serde_json::json!(plays), "{text}");
            let stone = |(p, c): (Point, Color)| (letter(c), last - i64::from(p.y), i64::from(p.x));
            let mut stones: Vec<_> = board.stones().map(stone).collect();
            stones.sort_unstable();
            assert_eq!(theirs["stones"], serde_json::json!(stones), "{text}");
            assert_eq!(theirs["size"], i64::from(board.size().lines()));
        }
    }
}

#[test]
fn our_games_are_read_by_python_chess() {
    if !has("chess") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    let text = "[White \"Ann \\\"x\\\"\"]\n\n1. Nf3 d5 2. g3 c6 3. Bg2 Nf6 4. O-O *\n";
    std::fs::write(dir.path().join("played.pgn"), text).unwrap();
    let simulate = ["simulate", "--stills", "--pgn", &arg("played.pgn"), "--out", &arg("film")];
    assert_eq!(crate::support::run(&simulate).0, 0);
    let replay = ["replay", "--stills", &arg("film/frames"), "--pgn", &arg("read.pgn")];
    assert_eq!(crate::support::run(&replay).0, 0);
    for name in ["read.pgn", "film/truth.pgn"] {
        let moves = script("read_pgn.py", &[&dir.path().join(name)]);
        assert_eq!(moves.trim(), "* g1f3 d7d5 g2g3 c7c6 f1g2 g8f6 e1g1", "{name}");
        let ours = chess_observer::game::pgn_in::read_games(&std::fs::read_to_string(dir.path().join(name)).unwrap());
        assert_eq!(ours[0].as_ref().unwrap().ucis().join(" "), "g1f3 d7d5 g2g3 c7c6 f1g2 g8f6 e1g1", "{name}");
    }
}

#[test]
fn our_reader_of_games_agrees_with_python_chess() {
    if !has("chess") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (i, pgn) in [
        "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {a comment} Nc6 3. Bb5 (3. Bc4) a6 4. O-O Nf6 1-0\n",
        "[FEN \"r3k2r/P6p/8/8/8/8/8/4K3 b kq - 0 1\"]\n[SetUp \"1\"]\n[Result \"*\"]\n\n1... O-O-O 2. a8=N h5 *\n",
    ]
    .iter()
    .enumerate()
    {
        let path = dir.path().join(format!("{i}.pgn"));
        std::fs::write(&path, pgn).unwrap();
        let ours = chess_observer::game::pgn_in::read_games(pgn).remove(0).unwrap();
        let result = ours.result.to_string();
        assert_eq!(script("read_pgn.py", &[&path]).trim(), format!("{result} {}", ours.ucis().join(" ")));
    }
}
