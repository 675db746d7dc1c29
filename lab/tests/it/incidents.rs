//! What happens beside the moves, from the truth beside the pictures to the figures.

use std::{fs, path::Path};

use crate::support::{run, simulate};

/// The figures of a recording, without its name and times.
fn figures(dir: &Path, recording: &str) -> serde_json::Value {
    let json = dir.join("figures.json").display().to_string();
    let recording = dir.join(recording).display().to_string();
    let (status, _, err) = run(&["--recordings", &recording, "--json", &json]);
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
    for out in ["folder", "bag.mcap"] {
        simulate(dir.path(), pgn, out, &["--raw"]);
    }
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    let (mut folder, mut bag) = (figures(dir.path(), "folder"), figures(dir.path(), "bag_truth"));
    // The bag tells of the lens: its corners are nearer to the truth, confidences are others by a little, and nothing else differs.
    let [of_folder, of_bag] = [&mut folder, &mut bag].map(|figures| figures["board"]["worst_corner_squares"].take());
    assert!(of_bag.as_f64() < of_folder.as_f64() && of_bag.as_f64().is_some(), "{of_bag} {of_folder}");
    let [of_folder, of_bag] = [&mut folder, &mut bag].map(|figures| {
        let told = figures["told"].as_array_mut().unwrap();
        told.iter_mut().map(|told| told["confidence"].take().as_f64().unwrap()).collect::<Vec<_>>()
    });
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-3;
    assert!(of_folder.iter().zip(&of_bag).all(is_close), "{of_folder:?} {of_bag:?}");
    assert_eq!(folder, bag);
    assert_eq!(
        (&folder["plies"], &folder["pictures"], &folder["warnings"]["shown"]),
        (&4.into(), &10.into(), &1.into())
    );
    // A bag that lacks pictures is told.
    let rows = read("bag_truth/events.csv");
    fs::write(dir.path().join("bag_truth/events.csv"), format!("{rows}00010,9,4,move,,clean,,\n")).unwrap();
    let (status, _, err) = run(&["--recordings", &dir.path().join("bag_truth").display().to_string()]);
    assert_eq!((status, err.contains("events.csv row 11 is \"00010\"")), (2, true), "{err}");
}
