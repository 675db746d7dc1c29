//! What happens beside the moves, from a PGN's comments to the truth that is written beside the pictures.

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

#[test]
fn a_bag_has_the_truth_of_the_folder_of_the_same_game() {
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
