//! The command line as its users see it.

use std::{fs, path::Path, process::Command};

#[cfg(unix)]
use crate::ended::ended;
use crate::support::{PROGRAM, recording, run, simulate};

fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn recordings_are_evaluated() {
    let dir = tempfile::tempdir().unwrap();
    recording(&dir.path().join("a/one"), 3);
    recording(&dir.path().join("a/two"), 3);
    let json = dir.path().join("out.json");
    let report = dir.path().join("report");
    let (status, out, err) =
        run(&["--recordings", arg(&dir.path().join("a")), "--json", arg(&json), "--report", arg(&report), "--verbose"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("nothing: ply 2 [e7e5 – nothing]"), "{out}");
    let figures: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(figures["recordings"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&figures["all"]["plies"], &figures["all"]["right"], &figures["all"]["pictures"]),
        (&4.into(), &0.into(), &6.into())
    );
    assert!(report.join("nothing.jsonl").is_file() && report.join("table.txt").is_file());
    // The rows must be the pictures.
    fs::remove_file(dir.path().join("a/one/frames/001.png")).unwrap();
    let (status, _, err) = run(&["--recordings", arg(&dir.path().join("a/one"))]);
    assert_eq!(status, 2);
    assert_eq!(err, "lab: nothing: events.csv row 2 is \"001\", the picture there is \"002\"\n");
}

#[test]
fn a_simulated_game_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let pgn = "1. e4 d5 2. exd5 Nf6 3. Nf3 Nxd5 4. Bc4 e6 5. O-O *\n";
    let folder = simulate(dir.path(), pgn, "folder", &["--raw"]);
    let json = dir.path().join("figures.json");
    assert_eq!(run(&["--recordings", arg(&folder), "--json", arg(&json)]).0, 0);
    let figures: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(figures["recordings"][0]["perfect"], true, "{figures:#}");
    assert_eq!(figures["recordings"][0]["delays"].as_array().unwrap().len(), 9);
}

#[test]
fn wrong_arguments_are_told_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    recording(&dir.path().join("r"), 1);
    let (r, x, empty) = (dir.path().join("r"), dir.path().join("x"), dir.path().join("r/frames"));
    fs::write(&x, "1. e4 *\n").unwrap();
    for (args, says) in [
        (vec!["measure"], "unrecognized subcommand 'measure'"),
        (vec!["--recordings", arg(&empty)], "no recording in it"),
        (vec!["--recordings", arg(&r), "--pgn", arg(&x), "--json", arg(&x)], "--pgn and --json are the same file"),
        (vec!["--recordings", arg(&r), "--json", "/nonexistent/x.json"], "/nonexistent/x.json"),
    ] {
        let (status, out, err) = run(&args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("lab: ") && err.contains(says), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
    }
    assert_eq!(fs::read_to_string(&x).unwrap(), "1. e4 *\n");
    let version = concat!("lab ", env!("CARGO_PKG_VERSION"), "+");
    assert!(run(&["--version"]).1.starts_with(version));
    assert!(run(&["--help"]).1.contains("--judge"));
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_what_is_no_file() {
    let dir = tempfile::tempdir().unwrap();
    recording(&dir.path().join("r"), 2);
    let (r, pipe, zero) = (dir.path().join("r"), dir.path().join("pipe"), dir.path().join("zero"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
    for (special, says) in
        [(pipe, "is a pipe, expected a file to read"), (zero, "is a device, expected a file to read")]
    {
        let special = arg(&special);
        for option in ["--pgn", "--scenes", "--compare"] {
            let args = ["--recordings", arg(&r), option, special];
            let (status, err) = ended(PROGRAM, &args).unwrap_or_else(|| panic!("{args:?} waits"));
            assert_eq!((status, err.lines().count()), (2, 1), "{args:?}: {err}");
            assert!(err.contains(&format!("{special}: {says}")), "{args:?}: {err}");
        }
    }
}

/// Links are followed, and a disk or a reader that refuses is told with the name of the file.
#[cfg(unix)]
#[test]
fn figures_are_written_whole_or_their_fault_is_told() {
    let dir = tempfile::tempdir().unwrap();
    recording(&dir.path().join("r"), 1);
    let r = dir.path().join("r");
    let link = dir.path().join("link.json");
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    let (status, _, err) = run(&["--recordings", arg(&r), "--json", arg(&link)]);
    assert_eq!(status, 0, "{err}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link was replaced");
    assert!(fs::metadata(dir.path().join("real.json")).unwrap().len() > 100);

    let refused = |output: std::process::Output, path: &Path, why: &str| {
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), err.lines().count()), (Some(2), 1), "{err}");
        assert!(err.contains(&format!("{}: ", path.display())) && err.contains(why), "{err}");
    };
    let out = dir.path().join("x.json");
    let none = "ulimit -f 0; exec \"$0\" \"$@\"";
    let asked = ["--recordings", arg(&r), "--json", arg(&out)];
    refused(Command::new("bash").args(["-c", none, PROGRAM]).args(asked).output().unwrap(), &out, "File too large");
    assert!(fs::read_dir(dir.path()).unwrap().all(|e| !e.unwrap().file_name().to_string_lossy().ends_with(".tmp")));

    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(fs::File::open(pipe).unwrap())
    });
    let asked = ["--recordings", arg(&r), "--json", arg(&pipe)];
    refused(Command::new(PROGRAM).args(asked).output().unwrap(), &pipe, "Broken pipe");
    reader.join().unwrap();
}
