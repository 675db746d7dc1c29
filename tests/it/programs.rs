//! The command line as its users see it.

use std::{
    fs,
    io::Read,
    process::{Command, Stdio},
};

use crate::support::{PICTURES, every_form, picture, png, run};

/// Makes a folder of `n` pictures without anything on them.
pub fn blanks(dir: &std::path::Path, n: usize) {
    fs::create_dir_all(dir).unwrap();
    for i in 0..n {
        fs::write(dir.join(format!("{i:04}.png")), png(&picture(i as u8, 16, 12))).unwrap();
    }
}

fn folder(n: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    blanks(dir.path(), n);
    dir
}

#[test]
fn every_form_is_replayed() {
    let dir = tempfile::tempdir().unwrap();
    for (name, path) in every_form(dir.path()) {
        let overlay = dir.path().join("overlay");
        let events = dir.path().join("events.jsonl");
        let pgn = dir.path().join("game.pgn");
        let features = dir.path().join("features.csv");
        let arg = |p: &std::path::Path| p.display().to_string();
        let (status, out, err) = run(&[
            "replay",
            &arg(&path),
            "--stills",
            "--overlay",
            &arg(&overlay),
            "--events",
            &arg(&events),
            "--features",
            &arg(&features),
            "--pgn",
            &arg(&pgn),
        ]);
        assert_eq!((status, out.as_str()), (0, ""), "{name}: {err}");
        assert!(err.starts_with(&format!("{PICTURES} pictures in ")), "{name}: {err}");
        assert!(err.contains(&format!("PGN: {}", pgn.display())), "{name}: {err}");
        assert!(!err.contains('\r'), "no progress bar where there is no terminal: {err:?}");
        assert!(pgn.is_file() && events.is_file());
        let table = fs::read_to_string(&features).unwrap();
        assert!(table.starts_with("stamp_s,square,holds,part,") && table.lines().count() == 1, "no board: {table}");
        let drawn: Vec<_> = fs::read_dir(&overlay).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(drawn.len(), PICTURES, "{name}");
        assert!(drawn.contains(&if name == "folder" { "003.jpg" } else { "000003.jpg" }.into()), "{name}: {drawn:?}");
        fs::remove_dir_all(&overlay).unwrap();
    }
}

#[test]
fn wrong_arguments_are_told_on_one_line() {
    let dir = folder(1);
    let input = dir.path().display().to_string();
    let params = dir.path().join("p.yaml");
    fs::write(&params, "sight:\n  rest: 1.0\n").unwrap();
    let params = params.display().to_string();
    for (args, says) in [
        (vec![], "expected a command"),
        (vec!["play"], "unrecognized subcommand 'play'"),
        (vec!["replay"], "required arguments were not provided: <INPUT>"),
        (vec!["replay", &input, "--corners", "1,2,3"], "expected 8 numbers x,y of a1, h1, h8, a8, got 3"),
        (vec!["replay", &input, "--corners", "0,0,9,0,9,9,0,9"], "run the wrong way round"),
        (vec!["replay", &input, "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "game.start_fen"),
        (vec!["replay", &input, "--fen", "hello"], "game.start_fen"),
        (
            vec!["replay", &input, "--params", &params],
            "unknown parameter \"sight.rest\": did you mean \"sight.rest_s\"?",
        ),
        (vec!["replay", &input, "--topic", "/x"], "a folder of pictures has no topics"),
        (vec!["replay", &input, "--pgn", "/nonexistent/game.pgn"], "/nonexistent/game.pgn"),
        (vec!["replay", &input, "--events", "/nonexistent/e.jsonl"], "/nonexistent/e.jsonl"),
        (vec!["replay", "/nonexistent"], "/nonexistent: No such file or directory"),
    ] {
        let (status, out, err) = run(&args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("chess_observer: ") && err.contains(says), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
    }
}

#[test]
fn help_and_version_are_no_faults() {
    let (status, out, err) = run(&["--help"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("replay") && out.contains("simulate"), "{out}");
    let version = concat!("chess_observer ", env!("CARGO_PKG_VERSION"), "+");
    assert!(run(&["--version"]).1.starts_with(version));
    assert_eq!(run(&["replay", "--help"]).0, 0);
}

#[test]
fn unusable_pictures_are_counted() {
    let dir = folder(3);
    fs::write(dir.path().join("0001.png"), "no picture").unwrap();
    let (status, _, err) = run(&["replay", &dir.path().display().to_string()]);
    assert_eq!(status, 0);
    assert!(
        err.contains("2 pictures in ") && err.contains("1 not usable, the first: 0001.png: neither JPEG nor PNG"),
        "{err}"
    );
    for i in [0, 2] {
        fs::write(dir.path().join(format!("000{i}.png")), "").unwrap();
    }
    let (status, _, err) = run(&["replay", &dir.path().display().to_string()]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("no usable picture: 0000.png: neither JPEG nor PNG"), "{err}");
}

#[test]
fn a_reader_who_goes_away_is_no_fault() {
    let dir = folder(2);
    let mut child = Command::new(env!("CARGO_BIN_EXE_chess_observer"))
        .args(["replay", &dir.path().display().to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_is_there() {
    let dir = folder(3000);
    let pgn = dir.path().join("game.pgn");
    let overlay = dir.path().join("overlay");
    let child = Command::new(env!("CARGO_BIN_EXE_chess_observer"))
        .args(["replay", &dir.path().display().to_string(), "--pgn", &pgn.display().to_string()])
        .args(["--overlay", &overlay.display().to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while fs::read_dir(&overlay).map_or(0, Iterator::count) < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.starts_with("interrupted: "), "{err}");
    assert!(pgn.is_file());
    assert!(fs::read_dir(&overlay).unwrap().count() < 3000, "it ended before the end");
}

/// A short game with a capture and castling, simulated as stills; its folder.
pub fn simulated(dir: &std::path::Path, name: &str, more: &[&str]) -> std::path::PathBuf {
    let pgn = dir.join("game.pgn");
    fs::write(&pgn, "1. e4 d5 2. exd5 Nf6 3. Nf3 Nxd5 4. Bc4 e6 5. O-O *\n").unwrap();
    let out = dir.join(name);
    let mut args = vec!["simulate", "--pgn", pgn.to_str().unwrap(), "--out", out.to_str().unwrap(), "--stills"];
    args.extend(more);
    let (status, _, err) = run(&args);
    assert_eq!(status, 0, "{err}");
    assert!(err.starts_with("10 pictures: "), "{err}");
    out
}

#[test]
fn a_simulated_game_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = simulated(dir.path(), "folder", &["--raw"]);
    let bag = simulated(dir.path(), "bag.mcap", &["--raw"]);
    let jpegs = simulated(dir.path(), "jpegs.mcap", &[]);
    // Every bit is kept, and a bag says the same as a folder.
    let pictures = |path: &std::path::Path| {
        crate::support::contents(path, None).unwrap().pictures.into_iter().map(|p| p.2).collect::<Vec<_>>()
    };
    assert!(pictures(&folder.join("frames")) == pictures(&bag), "folder and bag differ");
    // Pictures alone, without what a recording knows of them.
    let bare = dir.path().join("bare");
    fs::create_dir(&bare).unwrap();
    for picture in fs::read_dir(folder.join("frames")).unwrap() {
        let picture = picture.unwrap();
        fs::copy(picture.path(), bare.join(picture.file_name())).unwrap();
    }
    for input in [folder.join("frames"), folder, bag, jpegs, bare.clone()] {
        let [events, features] = ["events.jsonl", "features.csv"].map(|name| dir.path().join(name));
        let arg = |path: &std::path::Path| path.display().to_string();
        let outputs = ["--events", &arg(&events), "--features", &arg(&features)];
        let (status, pgn, err) = run(&[&["replay", &arg(&input), "--stills"], &outputs[..]].concat());
        assert_eq!(status, 0, "{err}");
        // Every position is in the table once, with every square, and what stands on it.
        let table = fs::read_to_string(&features).unwrap();
        let squares: std::collections::BTreeSet<(&str, &str, &str)> = table
            .lines()
            .skip(1)
            .map(|row| row.split(',').collect::<Vec<_>>())
            .map(|row| (row[0], row[1], row[2]))
            .collect();
        assert_eq!(squares.len(), 10 * 64);
        assert_eq!(squares.iter().filter(|(_, square, man)| *square == "e1" && *man == "K").count(), 9);
        let game = chess_observer::game::pgn_in::read_games(&pgn).remove(0).unwrap();
        let ucis = ["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "f1c4", "e7e6", "e1g1"];
        assert_eq!(game.ucis(), ucis, "{}: {pgn}", input.display());
        // Pictures without frames.csv do not tell when they were taken, so nothing says how long they thought.
        let timed = game.comments.iter().any(|(_, comment)| comment.starts_with("[%emt "));
        assert_eq!(timed, input != bare, "{}: {pgn}", input.display());
        // The events tell the same game, line by line.
        let mut line = chess_observer::event::line::Line::default();
        for text in fs::read_to_string(&events).unwrap().lines() {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let frame = value["frame"].as_u64().unwrap() as usize;
            assert_eq!(value["picture"].is_string(), input.is_dir(), "{text}");
            line.push(frame, &serde_json::from_value(value).unwrap());
        }
        let ucis: Vec<String> = line.plies().iter().map(|p| p.uci.to_string()).collect();
        assert_eq!(ucis, ["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "f1c4", "e7e6", "e1g1"]);
        assert_eq!(line.contradictions(), [""; 0]);
    }
    // Written PGN is what python-chess reads too: see python.rs.
}

#[test]
fn the_board_is_located() {
    let dir = tempfile::tempdir().unwrap();
    let folder = simulated(dir.path(), "folder", &[]);
    let first = folder.join("frames/00000.jpg").display().to_string();
    let blank = dir.path().join("blank.png");
    fs::write(&blank, png(&image::RgbImage::new(64, 48))).unwrap();
    let (status, out, err) = run(&["locate", &first, &blank.display().to_string()]);
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((&lines[0]["file"], &lines[0]["found"]), (&first.as_str().into(), &true.into()));
    let truth = fs::read_to_string(folder.join("corners.csv")).unwrap();
    let truth: Vec<f64> = truth.lines().nth(1).unwrap().split(',').skip(1).map(|v| v.parse().unwrap()).collect();
    for (i, value) in truth.iter().enumerate() {
        let found = lines[0]["corners"][i / 2][i % 2].as_f64().unwrap();
        assert!((found - value).abs() < 3.0, "corner {}: {found} for {value}", i / 2);
    }
    assert!(lines[0]["pose"]["focal_px"].as_f64().unwrap() > 100.0);
    assert_eq!((&lines[0]["men"], &lines[1]["men"]), (&"start".into(), &"any".into()));
    assert_eq!(lines[1]["found"], false);
    assert!(lines[1]["reason"].as_str().unwrap().starts_with("no chessboard found"));
    // Whatever stands on it, the board is where it is; which side is White's is then a guess, and said to be one.
    let (status, out, err) = run(&["locate", "--any", &first]);
    assert_eq!((status, err.as_str()), (0, ""));
    let line: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&line["men"], &line["found"]), (&"any".into(), &true.into()));
    assert!(line["orientation_confidence"].as_f64().unwrap() < 0.6, "{line}");
    for i in 0..4 {
        let at = |value: &serde_json::Value| [0, 1].map(|k| value["corners"][i][k].as_f64().unwrap());
        let apart = |j: usize| (at(&line)[0] - truth[2 * j]).hypot(at(&line)[1] - truth[2 * j + 1]);
        assert!((0..4).any(|j| apart(j) < 3.0), "corner {i}: {line}");
    }
    let (status, _, err) = run(&["locate", "--any", "--fen", "8/8/8/8/8/8/8/8", &first]);
    assert_eq!(status, 2);
    assert!(err.contains("cannot be used with"), "{err}");
    // Several pictures of the same board.
    let frames = ["00000", "00001", "00002"].map(|n| folder.join(format!("frames/{n}.jpg")).display().to_string());
    let (status, out, err) = run(&["locate", "--together", &frames[0], &frames[1], &frames[2]]);
    assert_eq!((status, err.as_str()), (0, ""));
    let line: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&line["file"], &line["together"], &line["found"]), (&first.as_str().into(), &3.into(), &true.into()));
    let (status, out, err) = run(&["locate", "--together", &frames[0], &frames[1]]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("three pictures or more"), "{err}");
    let (status, _, err) = run(&["locate", "--together", &frames[0], &blank.display().to_string(), &frames[1]]);
    assert_eq!(status, 2);
    assert!(err.contains("blank.png: of another size, or from another place"), "{err}");
    // A picture that cannot be read is told; the others are looked at all the same.
    let (status, out, err) = run(&["locate", "/nonexistent.png", &first]);
    assert_eq!((status, out.lines().count()), (2, 1));
    assert!(err.starts_with("chess_observer: /nonexistent.png: "), "{err}");
}

#[test]
fn score_sheets_are_completed() {
    let (status, out, err) = run(&["complete", "1. e4 e5 2. Nf3 Nc6 3. ?? a6 4. Ba4"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4\n", ""));
    let (status, out, err) = run(&["complete", "?? e5", "--limit", "3"]);
    assert_eq!((status, out.lines().count()), (0, 3));
    assert_eq!(err, "there are more than 3 lines (--limit)\n");
    let (status, out, err) = run(&["complete", "e4 e4"]);
    assert_eq!((status, out.as_str()), (0, ""));
    assert!(
        err.starts_with("nothing fits at 1...: e4 (ply 2) is no legal move in rnbqkbnr/pppppppp/8/8/4P3/"),
        "{err}"
    );
    let (status, _, err) = run(&["complete", "e4 xyzzy"]);
    assert_eq!(status, 2);
    assert!(err.contains("word 2, \"xyzzy\", is neither a move"), "{err}");
}
