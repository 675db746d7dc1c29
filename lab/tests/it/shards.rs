//! Runs that are shared among machines, or stopped and taken up again: the figures are those of one run, to the digit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::support::{product, run};

/// A folder with a small collection of games and a recording, and what is asked of them.
struct Case {
    dir: tempfile::TempDir,
    asked: Vec<String>,
}

impl Case {
    fn new(asked: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let games = "[White \"A, B\"]\n[Date \"1999.??.??\"]\n\n1. e4 e5 *\n\n[White \"C\"]\n\n1. d4 d5 2. c4 *\n";
        fs::write(dir.path().join("tiny.pgn"), games).unwrap();
        let asked = asked.iter().map(|arg| (*arg).to_owned()).collect();
        Self { dir, asked }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// Simulates a game as a recording; its folder.
    fn recording(&self, name: &str) -> String {
        let (pgn, out) = (self.path("tiny.pgn"), self.path(name));
        let (status, _, err) = product(&["simulate", "--pgn", &pgn, "--game", "2", "--stills", "--raw", "--out", &out]);
        assert_eq!(status, 0, "{err}");
        out
    }

    /// Evaluates what is asked; exit status, standard output, standard error.
    fn evaluate(&self, more: &[&str]) -> (i32, String, String) {
        let asked: Vec<&str> = self.asked.iter().map(String::as_str).collect();
        run(&[&["--pgn", &self.path("tiny.pgn")], &asked[..], more].concat())
    }

    /// Makes part `number` of `of`; its file.
    fn part(&self, number: usize, of: usize) -> String {
        let file = self.path(&format!("{number}of{of}.part"));
        let (status, out, err) = self.evaluate(&["--shard", &format!("{number}/{of}"), "--part", &file]);
        assert_eq!((status, out.as_str()), (0, ""), "{err}");
        assert!(err.contains(&format!("part {number} of {of} of ")) && err.contains("lab merge"), "{err}");
        file
    }
}

fn merge(args: &[&str]) -> (i32, String, String) {
    run(&[&["merge"], args].concat())
}

/// The figures of a JSON file, without what the clock said.
fn figures(path: &str) -> serde_json::Value {
    fn without_clock(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.retain(|key, _| !["timings", "observing_s", "total_s"].contains(&key.as_str()));
                map.values_mut().for_each(without_clock);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(without_clock),
            _ => {}
        }
    }
    let mut json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    without_clock(&mut json);
    json
}

/// Text without the last column of the table of recordings, which says how long a picture took.
fn without_clock(text: &str) -> String {
    let clocked = text.lines().position(|line| line.ends_with("ms/picture"));
    let last = |line: &str| line.rsplit_once(' ').map_or_else(String::new, |(rest, _)| rest.trim_end().to_owned());
    let table = |i: usize, line: &str| match clocked {
        // The rule below the heading is as long as the widest row.
        Some(head) if i == head + 1 => String::new(),
        Some(head) if i >= head && line.contains(' ') && i < head + 5 => last(line),
        _ => line.to_owned(),
    };
    text.lines().enumerate().map(|(i, line)| table(i, line) + "\n").collect()
}

fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    let read = |path: PathBuf| {
        let text = without_clock(&fs::read_to_string(&path).unwrap());
        (Path::new(path.file_name().unwrap()).to_owned(), text)
    };
    names.into_iter().map(read).collect()
}

fn strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// The figures of one run and those of its parts.
fn agree(case: &Case, of: usize, with_report: bool) -> String {
    let [json, merged_json] = ["one.json", "merged.json"].map(|name| case.path(name));
    let [report, merged_report] = ["one", "merged"].map(|name| case.path(name));
    let out = |json: &str, report: &str| {
        let report = if with_report { vec!["--report", report] } else { vec![] };
        [&["--verbose", "--json", json][..], &report].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (status, text, err) = case.evaluate(&strs(&out(&json, &report)));
    assert_eq!(status, 0, "{err}");
    let mut parts: Vec<String> = (1..=of).map(|number| case.part(number, of)).collect();
    // In any order.
    parts.rotate_left(1);
    parts.extend(out(&merged_json, &merged_report));
    let (status, merged, err) = merge(&strs(&parts));
    assert_eq!(status, 0, "{err}");
    assert_eq!(without_clock(&merged), without_clock(&text));
    assert_eq!(figures(&merged_json), figures(&json));
    if with_report {
        assert_eq!(files(&merged_report), files(&report));
    }
    text
}

#[test]
fn parts_of_simulated_experiments_give_the_same_figures_as_one_run() {
    // Each in its own way: games, a script, boards, films, rules.
    let case = Case::new(&["--experiments", "petkov,koray,carta,bumps,board,evidence", "--quick"]);
    let text = agree(&case, 3, false);
    assert!(text.contains("Petkov") && text.contains("the rules alone"), "{text}");
}

#[test]
fn parts_of_recordings_and_scenes_give_the_same_figures_as_one_run() {
    let mut case = Case::new(&["--experiments", "board,squares", "--only", "club, 85°", "--quick"]);
    fs::write(case.path("low club, 85°.toml"), "[camera]\nelevation_deg = 35.0\n").unwrap();
    let recordings = [case.recording("a"), case.recording("b")];
    let scene = case.path("low club, 85°.toml");
    case.asked.extend(["--scenes".into(), scene.clone(), "--recordings".into()]);
    case.asked.extend(recordings.clone());
    let text = agree(&case, 2, true);
    assert!(text.contains("ms/picture") && text.contains("Scene by scene"), "{text}");
    // What was measured is not needed again.
    fs::remove_dir_all(&recordings[0]).unwrap();
    fs::remove_file(scene).unwrap();
    let (status, merged, err) = merge(&[&case.path("1of2.part"), &case.path("2of2.part"), "--verbose"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(without_clock(&merged), without_clock(&text));
}

#[test]
fn a_run_goes_on_where_it_was_cut_off() {
    let case = Case::new(&["--experiments", "petkov,carta", "--quick"]);
    let (_, text, _) = case.evaluate(&[]);
    let file = case.path("whole.part");
    let (status, first, err) = case.evaluate(&["--part", &file]);
    assert_eq!((status, first.as_str()), (0, text.as_str()), "{err}");
    let whole = fs::read(&file).unwrap();
    // As a killed process or a full disk leaves it: cut off anywhere.
    for keep in [whole.len() - 1, whole.len() / 2, whole.len() / 5] {
        fs::write(&file, &whole[..keep]).unwrap();
        let (status, again, err) = case.evaluate(&["--part", &file]);
        assert_eq!((status, again.as_str()), (0, text.as_str()), "{err}");
        assert!(err.contains(" jobs are there already"), "{err}");
    }
    let (status, merged, err) = merge(&[&file]);
    assert_eq!((status, merged), (0, text), "{err}");
}

#[test]
fn parts_that_do_not_fit_are_refused_on_one_line() {
    let case = Case::new(&["--experiments", "evidence", "--only", "every hand's way", "--quick"]);
    let [one, two] = [case.part(1, 2), case.part(2, 2)];
    let other = Case { asked: [case.asked.clone(), vec!["--seed".into(), "2".into()]].concat(), dir: case.dir };
    let (status, _, _) = other.evaluate(&["--shard", "2/2", "--part", &other.path("seed2.part")]);
    assert_eq!(status, 0);
    let third = other.part(3, 3);
    let copy = other.path("copy.part");
    fs::copy(&one, &copy).unwrap();
    let whole = fs::read(&one).unwrap();
    fs::write(other.path("cut.part"), &whole[..whole.len() - 3]).unwrap();
    let version = concat!(env!("CARGO_PKG_VERSION"), "+");
    let at = whole.windows(version.len()).position(|bytes| bytes == version.as_bytes()).unwrap() + version.len();
    let mut old = whole;
    old[at..at + 8].copy_from_slice(b"00000000");
    fs::write(other.path("old.part"), old).unwrap();
    let [cut, old, seed2] = ["cut.part", "old.part", "seed2.part"].map(|name| other.path(name));
    for (parts, says) in [
        (vec![&one], "part 2 of 2 is missing"),
        (vec![&one, &copy, &two], "is part 1 of 2, and so is"),
        (vec![&one, &seed2], "of another run: its seed is 2, expected 1"),
        (vec![&one, &third], "of another run: its seed is 2, expected 1"),
        (vec![&seed2, &third], "is part 3 of 3, but"),
        (vec![&cut, &two], "not complete (1 jobs)"),
        (vec![&one, &old], "made by version 0.1.0+00000000, this is 0.1.0+"),
        (vec![&other.path("tiny.pgn")], "tiny.pgn: not a part that lab --part has written"),
        (vec![&other.path("none.part")], "none.part: No such file"),
    ] {
        let parts: Vec<&str> = parts.into_iter().map(String::as_str).collect();
        let (status, out, err) = merge(&parts);
        assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{parts:?}: {err}");
        assert!(err.starts_with("lab: ") && err.contains(says), "{parts:?}: {err}");
    }
    for (args, says) in [
        (vec!["--shard", "2/2", "--part", &one], "of another run: its seed is 1, expected 2"),
        (vec!["--shard", "1/2", "--part", &seed2], "is part 2 of 2, not part 1 of 2"),
        (vec!["--shard", "3/2", "--part", "x"], "expected I/N with I from 1 to N, as 2/5"),
        (vec!["--shard", "1/2"], "--part <FILE>"),
        (vec!["--shard", "1/2", "--part", "x", "--json", "y"], "cannot be used with"),
        (vec!["--part", "/nonexistent/x"], "/nonexistent/x: No such file"),
    ] {
        let (status, out, err) = other.evaluate(&args);
        assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{args:?}: {err}");
        assert!(err.starts_with("lab: ") && err.contains(says), "{args:?}: {err}");
    }
}
