//! What happens beside the moves, from a PGN's comments to the truth that an evaluation reads.

use std::{fs, path::Path};

use crate::support::run;

fn simulate(dir: &Path, pgn: &str, out: &str, more: &[&str]) -> (i32, String) {
    let file = dir.join("game.pgn");
    fs::write(&file, pgn).unwrap();
    let out = dir.join(out).display().to_string();
    let file = file.display().to_string();
    let mut args = vec!["simulate", "--pgn", &file, "--out", &out, "--stills"];
    args.extend(more);
    let (status, _, err) = run(&args);
    (status, err)
}

/// The figures of a recording, without its name and times.
fn figures(dir: &Path, recording: &str) -> serde_json::Value {
    let json = dir.join("figures.json").display().to_string();
    let recording = dir.join(recording).display().to_string();
    let (status, _, err) = run(&["evaluate", "--recordings", &recording, "--json", &json]);
    assert_eq!(status, 0, "{err}");
    let mut value: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let mut figures = value["recordings"][0].take();
    for key in ["name", "observing_s", "total_s"] {
        assert!(figures.as_object_mut().unwrap().remove(key).is_some(), "no {key} in {figures}");
    }
    figures
}

#[test]
fn a_bag_is_evaluated_like_the_folder_of_the_same_game() {
    let dir = tempfile::tempdir().unwrap();
    let pgn = "[Result \"1-0\"]\n\n1. e4 {[%illegal d8d4]} e5 2. Nf3 {[%takeback g8f6]} Nc6 {[%kings]} 1-0\n";
    for (out, more) in [("folder", ["--raw"].as_slice()), ("bag.mcap", &["--raw"])] {
        let (status, err) = simulate(dir.path(), pgn, out, more);
        assert_eq!(status, 0, "{err}");
        // Five positions, the illegal move and its correction, the take-back, the kings.
        assert!(err.starts_with("10 pictures: "), "{err}");
    }
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    for file in ["truth.pgn", "events.csv", "corners.csv", "scene.toml"] {
        assert_eq!(read(&format!("folder/{file}")), read(&format!("bag_truth/{file}")), "{file}");
    }
    assert!(read("folder/truth.pgn").contains("[Result \"1-0\"]"));
    assert!(read("bag_truth/about.toml").contains("bag = \"../bag.mcap\""));
    let (mut folder, mut bag) = (figures(dir.path(), "folder"), figures(dir.path(), "bag_truth"));
    // The bag tells of the lens: its corners are nearer to the truth, and nothing else differs.
    let [of_folder, of_bag] = [&mut folder, &mut bag].map(|figures| figures["board"]["worst_corner_squares"].take());
    assert!(of_bag.as_f64() < of_folder.as_f64() && of_bag.as_f64().is_some(), "{of_bag} {of_folder}");
    assert_eq!(folder, bag);
    assert_eq!(
        (&folder["plies"], &folder["pictures"], &folder["warnings"]["shown"]),
        (&4.into(), &10.into(), &1.into())
    );
    // A bag that lacks pictures is told.
    let rows = read("bag_truth/events.csv");
    fs::write(dir.path().join("bag_truth/events.csv"), format!("{rows}00010,9,4,move,,clean,,\n")).unwrap();
    let (status, _, err) = run(&["evaluate", "--recordings", &dir.path().join("bag_truth").display().to_string()]);
    assert_eq!((status, err.contains("events.csv row 11 is \"00010\"")), (2, true), "{err}");
    // Neither another bag nor its truth is overwritten unless it is given up.
    let refused = |left: &str| {
        let (status, err) = simulate(dir.path(), pgn, "bag.mcap", &[]);
        assert!(status == 2 && err.contains(&format!("{left}: exists: give another name, or --force")), "{err}");
    };
    refused("bag.mcap");
    fs::remove_file(dir.path().join("bag.mcap")).unwrap();
    refused("bag_truth");
}

#[test]
fn faults_of_comments_and_games_are_told_by_game_and_ply() {
    let dir = tempfile::tempdir().unwrap();
    for (pgn, says) in [
        ("1. e4 {[%illegal e9]} e5 *", "game 1, ply 2: comment [%illegal e9]: expected hand moves with commas"),
        ("1. e4 {[%illegal e7e5]} e5 *", "game 1: ply 2: [%illegal e7e5] cannot be shown: it is no illegal change"),
        ("1. e4 e5 2. Ke3 *", "game 1, ply 3, line 1, column 13: Ke3 is not legal in"),
    ] {
        let (status, err) = simulate(dir.path(), pgn, "out", &[]);
        assert!(status == 2 && err.contains(says), "{err}");
        assert!(!dir.path().join("out").exists());
    }
}
