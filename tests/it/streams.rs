//! Bags of streams with faults: pictures that come twice or without a stamp keep their rows of truth.

use std::path::Path;

use crate::support::{contents, run};

/// The first second of 2026: simulated bags begin then.
const BEGIN_S: f64 = 1_767_225_600.0;

fn rows(path: &Path) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(path).unwrap().records().map(|row| row.unwrap()).collect()
}

#[test]
fn a_bag_of_a_faulty_stream_has_a_row_for_every_picture_in_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    std::fs::write(file("game.pgn"), "1. e4 e5 *\n").unwrap();
    let scene = "[camera]\nwidth = 96\nheight = 72\nframe_rate_hz = 4\n[sensor]\nmjpeg = false\n\
        [stream]\ndropped = 0.2\nduplicated = 0.2\nunstamped = 0.4\nlatency_s = 0.6\n";
    std::fs::write(file("scene.toml"), scene).unwrap();
    let text = |name: &str| file(name).to_string_lossy().into_owned();
    let (pgn, scene, bag) = (text("game.pgn"), text("scene.toml"), text("film.mcap"));
    let (status, _, err) = run(&["simulate", "--pgn", &pgn, "--scene", &scene, "--out", &bag, "--raw"]);
    assert_eq!(status, 0, "{err}");

    let (bag, events) = (contents(&file("film.mcap"), None).unwrap(), rows(&file("film_truth/events.csv")));
    assert_eq!((bag.pictures.len(), bag.infos.len(), bag.bad.len()), (events.len(), events.len(), 0));
    let (mut late, mut twice) = (0, 0);
    for (i, ((_, stamp, image), row)) in bag.pictures.iter().zip(&events).enumerate() {
        // A stamp, or for want of one the time at which the picture was recorded.
        let off_s = stamp.as_s() - BEGIN_S - row[1].parse::<f64>().unwrap();
        assert!((-2e-3..0.9).contains(&off_s), "picture {i}: {off_s} s late");
        late += usize::from(off_s > 2e-3);
        if row[7].contains("once more") {
            assert!(*image == bag.pictures[i - 1].2 && row[2] == events[i - 1][2], "picture {i} is the one before");
            twice += 1;
        }
    }
    assert!(late > events.len() / 5 && late < events.len() / 2 && twice > 5, "{late} late, {twice} twice");
}
