//! What the programs write, and what is left of it when the disk refuses or the process is killed.

use std::{
    fs,
    io::Read as _,
    os::unix::fs::{FileTypeExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use chess_observer::{archive::Archive, game::pgn_in::read_games};

use crate::{
    programs::{blanks, simulated},
    support::{contents, run},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_chess_observer");

fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The short game as a folder of pictures with their times.
fn pictures(dir: &Path) -> PathBuf {
    simulated(dir, "recording", &[]).join("frames")
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs the program where no file may become larger than this many kilobytes.
fn limited(kilobytes: u32, args: &[&str]) -> Output {
    let shell = format!("ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
    Command::new("bash").args(["-c", &shell, PROGRAM]).args(args).output().unwrap()
}

/// Unusable, said in one line that names the file.
fn refused(output: &Output, file: &Path) {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err} {output:?}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("chess_observer: ") && err.contains(&format!("{}: ", file.display())), "{err}");
}

/// Names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn pipes_links_and_devices_are_written_to_and_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let frames = pictures(dir.path());
    let at = |name: &str| dir.path().join(name);
    pipe(&at("pipe"));
    symlink("/dev/null", at("null")).unwrap();
    symlink("real.csv", at("link.csv")).unwrap();
    let reader = {
        let path = at("pipe");
        std::thread::spawn(move || fs::read_to_string(path).unwrap())
    };
    let outputs = ["--pgn", arg(&at("pipe")), "--events", arg(&at("null")), "--features", arg(&at("link.csv"))]
        .map(str::to_owned);
    let mut args = vec!["replay", arg(&frames), "--stills"];
    args.extend(outputs.iter().map(String::as_str));
    let (status, _, err) = run(&args);
    assert_eq!(status, 0, "{err}");
    // Were the pipe replaced, its reader would wait for ever: it is looked at first.
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo(), "the pipe was replaced");
    assert_eq!(read_games(&reader.join().unwrap()).remove(0).unwrap().moves.len(), 9);
    assert!(fs::metadata(at("null")).unwrap().file_type().is_char_device());
    assert!(fs::symlink_metadata(at("null")).unwrap().is_symlink());
    assert!(fs::read_to_string(at("real.csv")).unwrap().lines().count() > 640);

    // What is replaced as a whole follows links as well.
    symlink("real.pgn", at("link.pgn")).unwrap();
    let link = at("link.pgn");
    let (status, _, err) = run(&["replay", arg(&frames), "--stills", "--pgn", arg(&link)]);
    assert_eq!(status, 0, "{err}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "a link was replaced");
    assert!(fs::metadata(at("real.pgn")).unwrap().len() > 100);
}

#[test]
fn no_file_is_two_things_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let frames = at("frames");
    blanks(&frames, 1);
    let (x, same) = (at("x"), dir.path().join("./x"));
    fs::write(&x, "1. e4 *\n").unwrap();
    symlink("x", at("link")).unwrap();
    let (bag, link) = (at("bag.mcap"), at("link"));
    crate::support::write(
        chess_observer::bag::BagWriter::mcap(&bag, chess_observer::bag::Compression::None).unwrap(),
        false,
    );
    let whole = fs::read(&bag).unwrap();
    for (args, says) in [
        (
            vec!["replay", arg(&frames), "--pgn", arg(&x), "--events", arg(&same)],
            "--pgn and --events are the same file",
        ),
        (vec!["replay", arg(&frames), "--pgn", arg(&x), "--features", arg(&link)], "--pgn and --features are"),
        (vec!["replay", arg(&bag), "--pgn", arg(&bag)], "the input and --pgn are the same file"),
        (vec!["simulate", "--pgn", arg(&bag), "--out", arg(&bag), "--force"], "--pgn and --out are the same file"),
    ] {
        let (status, _, err) = run(&args);
        assert_eq!((status, err.lines().count()), (2, 1), "{args:?}: {err}");
        assert!(err.contains(says), "{args:?}: {err}");
    }
    assert_eq!(fs::read_to_string(&x).unwrap(), "1. e4 *\n");
    assert!(fs::read(&bag).unwrap() == whole, "the input is as it was");
}

#[test]
fn a_bag_is_replaced_only_when_it_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let bag = dir.path().join("game.mcap");
    fs::write(&bag, "a recording of another day").unwrap();
    let pgn = dir.path().join("one.pgn");
    fs::write(&pgn, "1. e4 *\n").unwrap();
    let args = ["simulate", "--stills", "--pgn", arg(&pgn), "--out", arg(&bag)];
    let (status, _, err) = run(&args);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("game.mcap: exists: give another name, or --force to replace it"), "{err}");
    assert_eq!(fs::read_to_string(&bag).unwrap(), "a recording of another day");
    assert_eq!(names(dir.path()), ["game.mcap", "one.pgn"]);

    let forced = [&args[..], &["--force"]].concat();
    for round in 0..2 {
        let (status, _, err) = run(&forced);
        assert_eq!(status, 0, "round {round}: {err}");
        assert_eq!(contents(&bag, None).unwrap().pictures.len(), 2);
    }
    let truth = dir.path().join("game_truth");
    assert!(fs::read_to_string(truth.join("truth.pgn")).unwrap().contains("1. e4"));
    // The truth alone is not overwritten either, and what is not a truth is nobody's to remove.
    fs::remove_file(&bag).unwrap();
    let (status, _, err) = run(&args);
    assert!(status == 2 && err.contains("game_truth: exists: give another name, or --force"), "{err}");
    fs::write(truth.join("notes.txt"), "mine").unwrap();
    let (status, _, err) = run(&forced);
    assert!(status == 2 && err.contains("game_truth exists and is not an empty folder"), "{err}");
    assert_eq!(fs::read_to_string(truth.join("notes.txt")).unwrap(), "mine");
    // Arguments that are wrong cost nothing.
    fs::remove_file(truth.join("notes.txt")).unwrap();
    run(&forced);
    let before = fs::read(&bag).unwrap();
    let (status, ..) = run(&[&forced[..], &["--game", "9"]].concat());
    assert!(status == 2 && fs::read(&bag).unwrap() == before);
    assert_eq!(names(&truth).len(), 6);
}

#[test]
fn a_replay_in_hindsight_writes_a_legal_game() {
    let dir = tempfile::tempdir().unwrap();
    pictures(dir.path());
    let (game, bag) = (dir.path().join("game.pgn"), dir.path().join("bag.mcap"));
    let (status, _, err) = run(&["simulate", "--stills", "--pgn", arg(&game), "--out", arg(&bag)]);
    assert_eq!(status, 0, "{err}");
    let record = |more: &[&str]| {
        let (status, out, err) = run(&[&["replay", arg(&bag), "--stills"], more].concat());
        assert_eq!(status, 0, "{err}");
        read_games(&out).remove(0).unwrap()
    };
    let (told, hindsight) = (record(&[]), record(&["--hindsight"]));
    assert_eq!(hindsight.moves.len(), 9);
    assert_eq!((hindsight.moves, hindsight.result), (told.moves, told.result));
}

#[test]
fn a_disk_that_takes_nothing_is_told_with_the_name_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let frames = pictures(dir.path());
    let game = dir.path().join("game.pgn");
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    let replay = ["replay", arg(&frames), "--stills"];
    let simulate = ["simulate", "--stills", "--pgn", arg(&game), "--out"];
    for (command, option, name) in [
        (&replay[..], Some("--pgn"), "x.pgn"),
        (&replay, Some("--events"), "x.jsonl"),
        (&replay, Some("--features"), "x.csv"),
        (&simulate, None, "x.mcap"),
    ] {
        let path = out.join(name);
        let args: Vec<&str> = command.iter().copied().chain(option).chain([arg(&path)]).collect();
        // The truth of a bag is written first.
        let named = if name == "x.mcap" { out.join("x_truth/truth.pgn") } else { path.clone() };
        let output = limited(0, &args);
        refused(&output, &named);
        assert!(String::from_utf8_lossy(&output.stderr).contains("File too large"), "{output:?}");
        assert!(names(&out).iter().all(|n| !n.ends_with(".tmp")), "{:?}", names(&out));
    }
    refused(&limited(0, &[&replay[..], &["--overlay", arg(&out)]].concat()), &out.join("00000.jpg"));
    for (option, path) in [("--pgn", "/dev/full"), ("--events", "/dev/full"), ("--features", "/dev/full")] {
        let output = Command::new(PROGRAM).args(replay).args([option, path]).output().unwrap();
        refused(&output, Path::new(path));
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"), "{output:?}");
        assert!(fs::metadata(path).unwrap().file_type().is_char_device());
    }
    // An archive: at its beginning, and where it has grown. What was kept until then can be read.
    let path = out.join("x.looks");
    for kilobytes in [0, 300] {
        let output = limited(kilobytes, &[&replay[..], &["--archive", arg(&path)]].concat());
        refused(&output, &path);
        assert!(String::from_utf8_lossy(&output.stderr).contains(" looks are lost: "), "{output:?}");
        // The game is not lost with them.
        assert_eq!(read_games(&String::from_utf8_lossy(&output.stdout)).remove(0).unwrap().moves.len(), 9);
        assert!(names(&out).iter().all(|n| !n.ends_with(".tmp")), "{:?}", names(&out));
        assert_eq!(path.exists(), kilobytes > 0);
    }
    assert!(!Archive::open(&path).unwrap().looks().unwrap().is_empty());
    let path = out.join("missing/x.looks");
    refused(&limited(300, &[&replay[..], &["--archive", arg(&path)]].concat()), &path);
    // A bag whose disk is full at its first picture.
    let path = out.join("y.mcap");
    refused(&limited(4, &[&simulate[..], &[arg(&path)]].concat()), &path);
    // A folder the same: what is told is the picture.
    let path = out.join("folder");
    refused(&limited(4, &[&simulate[..], &[arg(&path)]].concat()), &path.join("frames/00000.jpg"));
}

#[test]
fn a_reader_who_leaves_his_pipe_is_told_with_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let frames = pictures(dir.path());
    let replay = ["replay", arg(&frames), "--stills"];
    for option in ["--pgn", "--events", "--features"] {
        let path = dir.path().join(option);
        pipe(&path);
        let reader = std::thread::spawn({
            let path = path.clone();
            move || drop(fs::File::open(path).unwrap())
        });
        let output = Command::new(PROGRAM).args(replay).args([option, arg(&path)]).output().unwrap();
        refused(&output, &path);
        assert!(String::from_utf8_lossy(&output.stderr).contains("Broken pipe"), "{output:?}");
        reader.join().unwrap();
    }
}

/// Moves told by events.
fn told(events: &str) -> Vec<String> {
    let moves = events.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    moves.filter(|v| v["event"] == "move").map(|v| v["uci"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_record_comes_before_the_events_that_tell_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let frames = pictures(dir.path());
    let (pgn, events) = (dir.path().join("game.pgn"), dir.path().join("events"));
    pipe(&events);
    let reader = {
        let path = events.clone();
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    // With names so long that the record grows beyond what is allowed in the last plies; the pipe has no bounds.
    let (status, whole, err) = run(&["replay", arg(&frames), "--stills"]);
    assert_eq!(status, 0, "{err}");
    let args = ["replay", arg(&frames), "--stills", "--pgn", arg(&pgn), "--events", arg(&events)];
    let white = format!("game.white: {}\n", "W".repeat(1024 + 40 - whole.len()));
    let params = dir.path().join("p.yaml");
    fs::write(&params, white).unwrap();
    let output = limited(1, &[&args[..], &["--params", arg(&params)]].concat());
    refused(&output, &pgn);
    let kept = read_games(&fs::read_to_string(&pgn).unwrap()).remove(0).unwrap().ucis();
    let told = told(&reader.join().unwrap());
    assert!(kept.len() < 9 && !kept.is_empty(), "the disk refused in the middle: {kept:?}");
    assert!(kept.starts_with(&told), "told {told:?}, kept {kept:?}");
}

/// Starts the program, kills it once it is time, and says whether it was still running.
fn killed(args: &[&str], is_time: impl Fn() -> bool) -> bool {
    let mut child = Command::new(PROGRAM).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while child.try_wait().unwrap().is_none() && !is_time() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let ran = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    ran
}

#[test]
fn whatever_was_told_before_a_kill_is_in_the_record() {
    const KILLS: u32 = 24;
    let dir = tempfile::tempdir().unwrap();
    let frames = pictures(dir.path());
    let (pgn, events) = (dir.path().join("game.pgn"), dir.path().join("events.jsonl"));
    let args = ["replay", arg(&frames), "--stills", "--pgn", arg(&pgn), "--events", arg(&events)];
    let begun = Instant::now();
    assert_eq!(run(&args).0, 0);
    let whole = begun.elapsed();
    assert_eq!(told(&fs::read_to_string(&events).unwrap()).len(), 9);
    let mut while_running = 0;
    for kill in 0..KILLS {
        for path in [&pgn, &events] {
            fs::remove_file(path).ok();
        }
        let begun = Instant::now();
        while_running += u32::from(killed(&args, || begun.elapsed() >= whole * kill / KILLS));
        let told = told(&fs::read_to_string(&events).unwrap_or_default());
        let Ok(text) = fs::read_to_string(&pgn) else {
            assert!(told.is_empty(), "kill {kill}: {told:?} without a record");
            continue;
        };
        let kept = read_games(&text).remove(0).unwrap().ucis();
        assert!(kept.starts_with(&told), "kill {kill}: told {told:?}, kept {kept:?}");
    }
    assert!(while_running > 2, "{while_running} of {KILLS} kills came before the end");
    // What a kill may have left beside the record goes with the next start.
    fs::write(dir.path().join(".game.pgn.x8Rt2a.tmp"), "half").unwrap();
    assert_eq!(run(&args).0, 0);
    assert!(names(dir.path()).iter().all(|name| !name.ends_with(".tmp")), "{:?}", names(dir.path()));
}

#[test]
fn what_a_killed_simulation_leaves_can_be_read() {
    const KILLS: u32 = 8;
    let dir = tempfile::tempdir().unwrap();
    let pgn = dir.path().join("game.pgn");
    fs::write(&pgn, "1. e4 d5 2. exd5 Nf6 3. Nf3 Nxd5 4. Bc4 e6 5. O-O *\n").unwrap();
    let simulate = |out: &Path| ["simulate", "--stills", "--pgn", arg(&pgn), "--out", arg(out)].map(str::to_owned);
    assert_eq!(run(&simulate(&dir.path().join("whole")).each_ref().map(String::as_str)).0, 0);
    let mut with_pictures = 0;
    for kill in 0..KILLS {
        let name = if kill % 2 == 0 { format!("{kill}") } else { format!("{kill}.mcap") };
        let out = dir.path().join(&name);
        let args = simulate(&out);
        let truth = if kill % 2 == 0 { out.clone() } else { dir.path().join(format!("{kill}_truth")) };
        let rows = || fs::read_to_string(truth.join("events.csv")).unwrap_or_default().lines().skip(1).count();
        // By what it has written, and not by the clock: a busy machine would be killed before its first picture.
        killed(&args.each_ref().map(String::as_str), || rows() >= kill as usize);
        let rows = rows();
        let Ok(read) = contents(&out, None) else {
            assert_eq!(rows, 0, "{name}: rows without pictures");
            continue;
        };
        // The picture in hand may be lost or cut; no row of the truth is without its picture.
        assert!(read.pictures.len() >= rows && read.bad.len() <= 1, "{name}: {rows} rows, {:?}", read.bad);
        with_pictures += u32::from(rows > 0);
    }
    assert!(with_pictures >= KILLS - 1, "{with_pictures} of {KILLS} kills came after the first picture");
}
