//! Games of Go: records that other programs read, and the command line from pictures to SGF.

use std::{fs, path::Path, sync::Arc};

use chess_observer::{
    frame::{Frame, Stamp},
    go::{Board, Color, Event, Moment, Point, Rules, Size, record, sgf::Sgf},
    observer::go::{GoObserver, Settings, Told},
    sim::{
        go::{GoScene, Studio},
        light::lightline::When,
    },
};

use crate::support::run;

/// A random legal game.
pub fn game(lines: u64, plays: usize, seed: u64) -> Arc<Moment> {
    let size = Size::new(lines).unwrap();
    let (mut dice, mut moment) = (seed, Moment::start(Board::empty(size), Color::Black));
    for _ in 0..40 * plays {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let point = size.point((dice >> 33) as usize % size.count());
        if moment.number() < plays {
            moment = moment.play(point, &Rules::JAPANESE).unwrap_or(moment);
        }
    }
    moment
}

/// A record with everything that we write: comments, variations, a pass, a ko taken against the rules, stones laid out.
pub fn record_of_everything() -> String {
    let base = game(9, 30, 3).pass();
    let free = Size::new(9).unwrap().points().find(|&p| base.check(p, &Rules::JAPANESE).is_ok()).unwrap();
    let end = base.play(free, &Rules::JAPANESE).unwrap();
    let other = base.pass();
    let info = record::Info { black: "A]b\\c".into(), komi: Some(6.5), ..record::Info::default() };
    let mut notes = record::Notes { withdrawn: vec![other], ..record::Notes::default() };
    notes.comments.insert(end.path(), "last [play] \\ of all\nand a line".into());
    record::write(&info, &end, &notes).write()
}

#[test]
fn sgf_parse_reads_what_we_write() {
    let text = record_of_everything();
    let trees = sgf_parse::parse(&text).unwrap();
    assert_eq!(trees.len(), 1);
    let root = trees[0].as_go_node().unwrap();
    assert!(root.validate().is_ok(), "{:?}", root.validate());
    let ours = Sgf::read(text.as_bytes()).unwrap();
    assert_eq!(root.main_variation().count(), ours.main_line(0).count());
    let comment = root.main_variation().last().unwrap().get_property("C").unwrap().to_string();
    assert!(comment.contains("last [play"), "{comment}");
    // And the other way round.
    let theirs = sgf_parse::serialize(&trees);
    let back = record::Record::read(theirs.as_bytes()).unwrap();
    let before = record::Record::read(text.as_bytes()).unwrap();
    assert_eq!((back.plays(), back.info), (before.plays(), before.info));
}

#[test]
fn photographs_of_a_game_become_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let end = game(9, 12, 5);
    let mut scene = GoScene::default();
    (scene.scene.camera.width, scene.scene.camera.height) = (960, 720);
    let mut studio = Studio::new(&scene, end.board().size(), 2).unwrap();
    fs::create_dir(path("photographs")).unwrap();
    for (ply, moment) in end.line().iter().enumerate() {
        studio.show(moment.board().contents());
        let when = When { time_s: 10.0 * ply as f64, ply, changes: ply, progress: ply as f64 / 12.0, still: true };
        studio.shoot(&[], when).save(path(&format!("photographs/{ply:03}.png"))).unwrap();
    }
    let arguments = ["go", &path("photographs"), "--stills", "--size", "9", "--sgf", &path("game.sgf")];
    let (status, _, err) = run(&[&arguments[..], &["--events", &path("events.jsonl")]].concat());
    assert_eq!(status, 0, "{err}");
    let read = record::Record::read(&fs::read(path("game.sgf")).unwrap()).unwrap();
    assert_eq!(read.plays().len(), 12, "{err}");
    let turned = turns(&read, &end);
    assert!(turned, "{}", fs::read_to_string(path("game.sgf")).unwrap());
    let events = fs::read_to_string(path("events.jsonl")).unwrap();
    let count = |name: &str| events.lines().filter(|l| l.starts_with(&format!("{{\"event\":\"{name}\","))).count();
    assert_eq!((count("board_found"), count("begun"), count("play")), (1, 1, 12), "{events}");
}

#[test]
fn a_stone_that_is_taken_away_at_once_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let end = game(9, 3, 5);
    let mut scene = GoScene::default();
    (scene.scene.camera.width, scene.scene.camera.height) = (960, 720);
    let mut studio = Studio::new(&scene, end.board().size(), 2).unwrap();
    let line = end.line();
    for (number, moment) in line.iter().chain([&line[2]]).enumerate() {
        studio.show(moment.board().contents());
        let when = When { time_s: 10.0 * number as f64, ply: number, changes: number, progress: 0.5, still: true };
        studio.shoot(&[], when).save(dir.path().join(format!("{number}.png"))).unwrap();
    }
    let (status, out, err) = run(&["go", &dir.path().display().to_string(), "--stills", "--json"]);
    assert_eq!(status, 0, "{err}");
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("{\"event\":\"take_back\"") && last.contains("\"number\":3"), "{out}");
}

/// Photographs of these moments from one side of the board, the latest last, and when the first was taken.
fn photographs(moments: &[Arc<Moment>], azimuth_deg: f64) -> Vec<image::RgbImage> {
    let mut scene = GoScene::default();
    (scene.scene.camera.width, scene.scene.camera.height) = (960, 720);
    scene.scene.camera.azimuth_deg += azimuth_deg;
    let mut studio = Studio::new(&scene, moments[0].board().size(), 2).unwrap();
    let shot = |(number, moment): (usize, &Arc<Moment>)| {
        studio.show(moment.board().contents());
        let when = When { time_s: 10.0 * number as f64, ply: number, changes: number, progress: 0.5, still: true };
        studio.shoot(&[], when)
    };
    moments.iter().enumerate().map(shot).collect()
}

fn shown_to(observer: &mut GoObserver, photographs: &[image::RgbImage], from_s: f64) -> Vec<Told> {
    let looks = photographs.iter().enumerate().map(|(number, image)| {
        let frame = Frame::from_rgb(image).unwrap();
        observer.observe(&frame, Stamp::from_s(from_s + 10.0 * number as f64))
    });
    looks.collect::<Vec<_>>().concat()
}

#[test]
fn a_record_goes_on_after_a_restart_from_whichever_side_the_board_is_seen() {
    let end = game(9, 14, 5);
    let line = end.line();
    let stills = || GoObserver::new(Settings { stills: true, ..Settings::default() }).unwrap();
    let mut first = stills();
    shown_to(&mut first, &photographs(&line[..9], 0.0), 0.0);
    let before = first.sgf();
    assert_eq!(record::Record::read(before.as_bytes()).unwrap().plays().len(), 8);
    for azimuth_deg in [0.0, 90.0, 180.0] {
        let mut second = stills();
        second.resume(&before).unwrap();
        assert_eq!(second.sgf(), before);
        // A play was made meanwhile.
        let told = shown_to(&mut second, &photographs(&line[9..], azimuth_deg), 1000.0);
        let plays = told.iter().filter(|t| matches!(t, Told::Game(Event::Play { .. }))).count();
        let read = record::Record::read(second.sgf().as_bytes()).unwrap();
        assert_eq!((plays, read.plays().len()), (6, 14), "{azimuth_deg}: {told:?}");
        assert!(turns(&read, &end), "{azimuth_deg}: {}", second.sgf());
    }
    // Nor has the camera that goes round the board in the middle of a game lost it.
    shown_to(&mut first, &photographs(&line[9..], 90.0), 1000.0);
    let read = record::Record::read(first.sgf().as_bytes()).unwrap();
    assert!(read.plays().len() == 14 && turns(&read, &end), "{}", first.sgf());
    // Another game lies there: it is not this one.
    let mut second = stills();
    second.resume(&before).unwrap();
    let told = shown_to(&mut second, &photographs(&game(9, 13, 77).line()[12..], 0.0), 1000.0);
    assert!(told.contains(&Told::Game(Event::NewGame)), "{told:?}");
    assert_eq!(second.game().unwrap().finished(), std::slice::from_ref(&before));
    // What does not go on is refused, and says why.
    let mut other = GoObserver::new(Settings { size: Size::new(13).ok(), ..Settings::default() }).unwrap();
    let refused = |observer: &mut GoObserver, sgf: &str| observer.resume(sgf).unwrap_err().to_string();
    assert_eq!(refused(&mut other, &before), "it was played on a 9x9 board, and this one is 13x13");
    assert_eq!(refused(&mut stills(), "(;SZ[9]RE[W+R];B[ee])"), "its game is over: W+R");
    assert!(other.game().is_none());
}

/// Is it the same game, seen from this side of the board or from another one?
fn turns(read: &record::Record, end: &Arc<Moment>) -> bool {
    let last = end.board().size().lines() - 1;
    let plays = |m: &Arc<Moment>| m.line().iter().filter_map(|m| m.last()?.at).collect::<Vec<Point>>();
    let (got, mut want) = (plays(&read.end), plays(end));
    (0..4).any(|_| {
        want.iter_mut().for_each(|p| *p = Point::new(last - p.y, p.x));
        want == got
    })
}

#[test]
fn what_is_no_game_of_go_is_told_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::create_dir(path("empty")).unwrap();
    fs::create_dir(path("grey")).unwrap();
    image::RgbImage::from_pixel(640, 480, image::Rgb([90, 90, 90])).save(path("grey/0.png")).unwrap();
    fs::write(path("bad.sgf"), "(;GM[2])").unwrap();
    let (grey, empty, bad) = (path("grey"), path("empty"), path("bad.sgf"));
    for (arguments, expected) in [
        (vec!["go", &grey, "--stills"], "no Go board found"),
        (vec!["go", &empty, "--stills"], "no picture"),
        (vec!["go", &grey, "--size", "26"], "a Go board has 5 to 25 lines, not 26"),
        (vec!["go", &grey, "--from", &bad], "expected a game of Go, GM[1], got GM[2]"),
        (vec!["go", &grey, "--handicap", "10"], "no handicap of 10 stones"),
        (vec!["go", &grey, "--corners", "0,0,9,0,9,9,0,9"], "lines"),
        (vec!["go", &grey, "--corners", "100,100,100,300,300,300,300,100"], "wrong way round"),
        (vec!["go", &grey, "--rules", "chess"], "none of"),
    ] {
        let (status, _, err) = run(&arguments);
        assert_eq!(status, 2, "{arguments:?}: {err}");
        assert!(err.contains(expected) && err.trim_end().lines().count() == 1, "{arguments:?}: {err}");
    }
    assert!(!Path::new(&path("empty.sgf")).exists());
}
