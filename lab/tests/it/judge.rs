//! What only judges: scores that must not fall, and nothing that anybody could fit on.

use std::{fs, path::Path};

use crate::support::{run, shared};

#[test]
fn what_judges_has_not_fallen() {
    let floors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/quick.json");
    let (status, out, err) = run(&["--judge", "--quick", "--floors", &floors.display().to_string()]);
    println!("{out}{err}");
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("nothing has fallen beyond noise"), "{out}");
    let there = shared().join("data/splits.toml").is_file();
    assert_eq!(out.lines().last().unwrap().starts_with("without data: "), !there, "{out}");
    if !there {
        println!("skipped: {} is not there, only simulated games have judged", shared().join("data").display());
    }
}

#[test]
fn what_judges_is_looked_at_by_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    for name in ["real/seen", "real/unseen"] {
        fs::create_dir_all(dir.path().join(name)).unwrap();
        for file in ["truth.pgn", "events.csv"] {
            fs::write(dir.path().join(name).join(file), "").unwrap();
        }
    }
    fs::create_dir(arg("empty")).unwrap();
    fs::write(arg("splits.toml"), "train = [\"real/seen\"]\njudge = [\"real/unseen\"]\n").unwrap();
    fs::write(arg("bad.json"), "{}").unwrap();
    let (data, unseen, all) = (arg(""), arg("real/unseen"), arg("real"));
    for (args, says) in [
        (vec!["--judge", "--verbose"], "--verbose"),
        (vec!["--judge", "--report", &arg("report")], "--report"),
        (vec!["--judge", "--recordings", &unseen], "--recordings"),
        (vec!["--judge", "--seed", "999"], "seed 999 is one to fit on"),
        (vec!["--judge", "--data", &arg("empty")], "empty: no splits.toml in it"),
        (vec!["--judge", "--floors", &arg("bad.json")], "bad.json: not what --write-floors has written"),
        (vec!["--floors", &arg("bad.json")], "--judge"),
        (vec!["--seed", "1000", "--verbose"], "seed 1000 only judges"),
        (vec!["--recordings", &unseen, "--data", &data, "-v"], "real/unseen: only judges"),
        (vec!["--recordings", &all, "--data", &data, "--report", &arg("report")], "real/unseen: only judges"),
    ] {
        let (status, out, err) = run(&args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("lab: ") && err.contains(says), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
    }
}
