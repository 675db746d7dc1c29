//! The experiments on simulated boards: a small fixed subset with floors, the same figures in every run, and the
//! command as its users see it.

use std::{fs, path::Path};

use chess_observer::{
    game::start::Start,
    params::Params,
    sim::{Scene, Simulation},
};
use chess_observer_lab::experiments::{
    self, Figures,
    lab::{GAMES, Game, Lab, Unwatched, games},
};

use crate::support::{run, shared};

/// The first `plies` of the game of forty plies: castling to either side, captures, checks.
fn game(plies: usize) -> Game {
    let path = crate::support::root().join("games/forty_plies.pgn");
    games(&fs::read_to_string(path).unwrap()).unwrap()[0].first(plies)
}

fn lab(games: Vec<Game>, quick: bool) -> Lab<'static> {
    let params = Params::default();
    Lab {
        seed: 1,
        quick,
        film: false,
        params,
        games,
        own_games: true,
        go_games: vec![],
        only: String::new(),
        recordings: vec![],
        singles: vec![],
        train: vec![],
        share: Default::default(),
        watch: &Unwatched,
    }
}

#[test]
fn a_game_from_the_oblique_view_is_read_at_least_as_well_as_before() {
    let (experiment, timing) = experiments::run("petkov", &lab(vec![game(30)], false)).unwrap();
    let Figures::Petkov { games, plies, mean_first_fault, false_warnings, .. } = experiment.figures else {
        panic!("{:?}", experiment.figures)
    };
    println!("{} of {} plies, first fault {mean_first_fault}", plies.right, plies.of);
    assert_eq!((games, plies.of, timing.pictures), (1, 30, 31));
    assert_eq!(plies.right, 30, "{:?}", experiment.errors);
    assert_eq!(false_warnings, 0);
    // The whole length counts where nothing is wrong.
    assert!((mean_first_fault - 30.0).abs() < 1e-9);
}

#[test]
fn the_attempts_are_interpreted_at_least_as_well_as_before() {
    let (experiment, _) = experiments::run("koray", &lab(vec![], true)).unwrap();
    let Figures::Koray { lights } = &experiment.figures else { panic!("{:?}", experiment.figures) };
    // Seven of the attempts are illegal.
    let floors = [("yellow", 27), ("white", 27), ("day", 27)];
    assert_eq!(lights.len(), floors.len());
    for (light, (name, floor)) in lights.iter().zip(floors) {
        let (detected, interpreted) = (light.detected, light.interpreted);
        println!("{name}: {} detected, {} interpreted", detected.count_text(), interpreted.count_text());
        assert_eq!((light.light.as_str(), interpreted.of, light.reason_right.of), (name, 27, 7));
        assert!(interpreted.right >= floor, "{light:?} {:?}", experiment.tables);
        assert!(detected.right >= interpreted.right && light.illegal_announced.right >= light.reason_right.right);
    }
}

#[test]
fn two_runs_agree_to_the_digit() {
    let text = || {
        let mut games = vec![game(8), game(5)];
        games[1].number = 2;
        let (experiment, _) = experiments::run("petkov", &lab(games, false)).unwrap();
        serde_json::to_string(&experiment).unwrap()
    };
    let first = text();
    // Both games were played; whether each ply is read is not asked here.
    assert!(first.contains("\"of\":13"), "{first}");
    assert_eq!(first, text());
}

#[test]
fn the_games_that_ship_are_read() {
    let games = games(GAMES).unwrap();
    assert_eq!((games.len(), games.iter().map(Game::plies).sum::<usize>()), (64, 4651));
    assert!(games.iter().all(|g| !g.name.is_empty()));
}

#[test]
fn the_command_makes_all_experiments() {
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    fs::write(arg("splits.toml"), "train = []\njudge = []\n").unwrap();
    fs::write(arg("tiny.pgn"), "[White \"A, B\"]\n[Black \"C\"]\n[Date \"1999.??.??\"]\n\n1. e4 e5 *\n").unwrap();
    // Conditions are films, some hundred of them: too long for a test of the command. They have tests of their own.
    let asked: Vec<&str> = experiments::NAMES.into_iter().filter(|name| *name != "conditions").collect();
    let (status, out, err) = run(&[
        "--quick",
        "--experiments",
        &asked.join(","),
        "--pgn",
        &arg("tiny.pgn"),
        "--data",
        &arg(""),
        "--json",
        &arg("out.json"),
        "--report",
        &arg("report"),
        "-v",
    ]);
    assert_eq!(status, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(arg("out.json")).unwrap()).unwrap();
    let names: Vec<&str> =
        json["experiments"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, asked);
    for experiment in json["experiments"].as_array().unwrap() {
        assert!(out.contains(experiment["title"].as_str().unwrap()), "{out}");
        assert_eq!(experiment["left_out"], 0);
        for table in experiment["tables"].as_array().unwrap() {
            let width = table["header"].as_array().unwrap().len();
            let rows = table["rows"].as_array().unwrap();
            assert!(rows.iter().all(|row| row.as_array().unwrap().len() == width), "{table}");
        }
    }
    assert!(out.contains("1 A – C 1999") && out.contains("falls below 99 %") | out.contains("stays at 99 %"), "{out}");
    // What the clock says is not among the figures.
    assert_eq!(json["timings"].as_array().unwrap().len(), asked.len());
    assert!(!json["experiments"].to_string().contains("observing_s"));
    assert!(err.contains("petkov: ") && !out.contains(" ms to observe"), "{err}");
    assert!(Path::new(&arg("report/table.txt")).is_file());
    let page = fs::read_to_string(arg("report/index.html")).unwrap();
    for experiment in json["experiments"].as_array().unwrap() {
        let of = |key: &str| experiment[key].as_str().unwrap().to_owned();
        assert!(page.contains(&of("title")) && page.contains(&of("command")), "{}", of("name"));
    }
    assert!(page.contains("<svg ") && page.contains("src=\"data:image/jpeg;base64,/9j/"));
}

#[test]
fn a_condition_says_at_what_strength_it_breaks() {
    let dir = tempfile::tempdir().unwrap();
    let pgn = dir.path().join("tiny.pgn").display().to_string();
    fs::write(&pgn, "1. e4 e5 *").unwrap();
    let one = ["--experiments", "conditions", "--only", "first_band_strong", "--quick", "--pgn", &pgn];
    let (status, out, err) = run(&one);
    assert_eq!(status, 0, "{err}");
    let own = games(&fs::read_to_string(&pgn).unwrap()).unwrap();
    let lab = Lab { only: "first_band_strong".into(), ..lab(own, true) };
    let (experiment, _) = experiments::run("conditions", &lab).unwrap();
    assert_eq!((experiment.curves.len(), experiment.left_out), (1, 0));
    assert!(out.contains(&experiment.title) && out.contains(&experiment.curves[0].title), "{out}");
}

#[test]
fn scenes_are_tried_one_row_each() {
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    fs::write(arg("tiny.pgn"), "1. e4 e5 *").unwrap();
    fs::create_dir(arg("scenes")).unwrap();
    fs::write(arg("scenes/low.toml"), "[camera]\nelevation_deg = 35.0\n").unwrap();
    fs::write(arg("scenes/above.toml"), "[camera]\nelevation_deg = 85.0\n").unwrap();
    fs::write(arg("scenes/notes.txt"), "not a scene").unwrap();
    let evaluate = |more: &[&str]| run(&[&["--pgn", &arg("tiny.pgn")], more].concat());
    let (status, out, err) = evaluate(&["--scenes", &arg("scenes")]);
    assert_eq!(status, 0, "{err}");
    let rows: Vec<&str> = out.lines().filter(|l| l.contains("640×480") && l.contains("100.00")).collect();
    assert!(rows.len() == 2 && rows[0].starts_with("above") && rows[1].starts_with("low"), "{out}");
    assert!(!out.contains("Petkov"), "{out}");
    let (_, one, _) = evaluate(&["--scenes", &arg("scenes/low.toml"), "--seed", "1"]);
    assert_eq!(rows[1], one.lines().find(|l| l.starts_with("low")).unwrap(), "{one}");
}

#[test]
fn wrong_arguments_are_told_on_one_line_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    fs::write(arg("bad.pgn"), "1. e4 e5 2. Ke3 *").unwrap();
    fs::write(arg("none.pgn"), "").unwrap();
    fs::write(arg("bad.toml"), "[men]\noff_centre = 0.9\n").unwrap();
    fs::create_dir(arg("empty")).unwrap();
    for (args, says) in [
        (["--pgn", &arg("bad.pgn")], "bad.pgn: game 1, ply 3, line 1, column 13: Ke3 is not legal"),
        (["--pgn", &arg("none.pgn")], "none.pgn: no game in it"),
        (["--pgn", &arg("missing.pgn")], "missing.pgn: No such file"),
        (["--scenes", &arg("bad.toml")], "bad.toml: men.off_centre is 0.9"),
        (["--scenes", &arg("empty")], "no scene in it"),
        (["--scenes", &arg("missing")], "missing: No such file"),
        (["--experiments", "petkov,caruana"], "invalid value 'caruana'"),
        (["--seed", "one"], "invalid value 'one'"),
        (["--report", &arg("bad.pgn")], "bad.pgn"),
        (["--compare", &arg("missing.json")], "missing.json: No such file"),
        (["--compare", &arg("bad.pgn")], "bad.pgn: invalid number"),
        (["--json", "/nonexistent/out.json"], "/nonexistent/out.json"),
    ] {
        let (status, out, err) = run(&[args[0], args[1]]);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("lab: ") && err.contains(says), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
    }
}

#[test]
fn games_go_on_after_knocks_at_least_as_well_as_before() {
    let one = |only: &str| {
        let lab = Lab { only: only.into(), ..lab(vec![game(6)], true) };
        experiments::run("bumps", &lab).unwrap().0
    };
    for only in ["camera shifted, at rest", "board turned, hand in"] {
        let experiment = one(only);
        let Figures::Bumps { without_false_move, right } = experiment.figures else { panic!("{only}") };
        println!("{only}: {} without a false move, {} right", without_false_move.count_text(), right.count_text());
        assert_eq!((without_false_move.of, right.of), (1, 1));
        assert_eq!((without_false_move.right, right.right), (1, 1), "{only}: {:?}", experiment.errors);
        // Its group, all, and the two shares; the size by itself.
        assert_eq!(experiment.tables.iter().map(|t| t.rows.len()).collect::<Vec<_>>(), [4, 1]);
        assert!(experiment.command.ends_with(&format!("--quick --only {only:?}")), "{}", experiment.command);
    }
}

#[test]
fn boards_are_found_and_posed_at_least_as_well_as_before() {
    let run = || experiments::run("board", &lab(vec![game(20)], true)).unwrap().0;
    let experiment = run();
    let Figures::Board { found, corner_px, pose_right } = &experiment.figures else {
        panic!("{:?}", experiment.figures)
    };
    println!("found {}, corners {corner_px:?} px, poses {}", found[0].count_text(), pose_right[0].count_text());
    assert_eq!(found.map(|rate| rate.of), [12, 12]);
    assert!(found[0].right >= 8, "{:?}", experiment.tables);
    assert!(corner_px[0].is_some_and(|px| px < 1.0), "{corner_px:?}");
    assert!(2 * pose_right[0].right > pose_right[0].of, "{:?}", experiment.tables);
    assert_eq!(experiment, run(), "two runs differ");
}

#[test]
fn squares_are_seen_at_least_as_well_as_before() {
    let lab = Lab { only: "club, ".into(), ..lab(vec![game(16)], true) };
    let (experiment, timing) = experiments::run("squares", &lab).unwrap();
    let Figures::Squares { groups, hands } = &experiment.figures else { panic!("{:?}", experiment.figures) };
    assert_eq!((groups.len(), hands.len(), timing.pictures), (1, 0, 3 * 17));
    let good = &groups[0];
    println!("{} squares right, log loss {:.4}", good.right.count_text(), good.log_loss_nats);
    // The first picture of each game is not counted.
    assert_eq!((good.name.as_str(), good.pictures, good.right.of), ("good", 3 * 16, 3 * 16 * 64));
    assert_eq!(good.missed + good.imagined + good.wrong_colour, good.right.of - good.right.right);
    assert!(good.right.of - good.right.right <= 6, "{:?}", experiment.tables);
    assert!(good.log_loss_nats < 0.02, "{}", good.log_loss_nats);
    let told = |bins: &[chess_observer_lab::calibration::Bin]| bins.iter().map(|bin| bin.happened.of).sum::<usize>();
    assert_eq!(told(&good.calibration.contents), 3 * good.right.of);
    // Of each bin of the three classes, one square's probabilities add up to 1.
    let sum: f64 = good.calibration.contents.iter().map(|bin| bin.told * bin.happened.of as f64).sum();
    assert!((sum - good.right.of as f64).abs() < 0.01, "{sum}");
}

#[test]
fn pictures_with_a_hand_are_asked_what_it_hides() {
    let lab = Lab { only: "bare hand, 50°".into(), ..lab(vec![game(16)], true) };
    let (experiment, _) = experiments::run("squares", &lab).unwrap();
    let Figures::Squares { groups, hands } = &experiment.figures else { panic!("{:?}", experiment.figures) };
    let [hand] = &hands[..] else { panic!("{hands:?}") };
    println!(
        "beside the hand {}, under it covered {}",
        hand.beside_right.count_text(),
        hand.under_covered.count_text()
    );
    // A hand is in every third picture of sixteen plies, and hides two squares at least.
    assert_eq!((groups.len(), hand.pictures), (0, 5));
    assert!(hand.under_covered.of >= 5 && hand.beside_right.of > 5 * 32, "{hand:?}");
    assert!(hand.beside_right.percent > 95.0, "{hand:?}");
}

#[test]
fn squares_of_recordings_are_counted_where_the_truth_is_known() {
    let recording = shared().join("data/real/hfcc-10ply");
    if !recording.is_dir() {
        println!("skipped: no recordings in {}", shared().display());
        return;
    }
    let lab = Lab { only: "hfcc".into(), recordings: vec![recording], ..lab(vec![game(2)], true) };
    let (experiment, _) = experiments::run("squares", &lab).unwrap();
    let Figures::Squares { groups, .. } = &experiment.figures else { panic!("{:?}", experiment.figures) };
    let [group] = &groups[..] else { panic!("{groups:?}") };
    println!("{}: {} squares right", group.name, group.right.count_text());
    // Twelve pictures: the first is learnt from, and in the last a man is in the air.
    assert_eq!((group.name.as_str(), group.pictures), ("recordings", 10));
    assert!(group.right.percent > 90.0, "{:?}", experiment.tables);
}

#[test]
fn single_pictures_are_scored_with_the_men_that_stand_there_and_with_any() {
    let dir = tempfile::tempdir().unwrap();
    let scene = Scene::overhead();
    let mut stills = Simulation::new(&scene, (Start::default(), vec![]), 5).unwrap().stills();
    let frame = stills.next().unwrap();
    frame.image.save(dir.path().join("board.png")).unwrap();
    image::RgbImage::from_pixel(320, 240, image::Rgb([90, 120, 100])).save(dir.path().join("cloth.png")).unwrap();
    let corners = frame.corners.to_array().map(|[x, y]| format!("{x:.1},{y:.1}")).join(",");
    let table = format!(
        "file,content,fen,a1x,a1y,h1x,h1y,h8x,h8y,a8x,a8y,orientation,note\nboard.png,start,,{corners},known,\n\
         cloth.png,none,,,,,,,,,,,\n"
    );
    fs::write(dir.path().join("locate.csv"), table).unwrap();
    // Without --experiments: single pictures are nothing to replay.
    let (status, out, err) =
        run(&["--recordings", &dir.path().display().to_string(), "--quick", "--only", "none of these"]);
    assert_eq!(status, 0, "{err}");
    let rows: Vec<&str> =
        out.split("\nSingle pictures: ").nth(1).unwrap().lines().filter(|l| l.starts_with("all ")).collect();
    let cells = |row: &str| row.split_whitespace().filter_map(|w| w.parse().ok()).collect::<Vec<usize>>();
    let [there, start, empty, any] = rows[..] else { panic!("{out}") };
    for (row, boards, none) in [(there, 1, 0), (start, 0, 1), (empty, 0, 1), (any, 1, 1)] {
        let counts = cells(row);
        // Boards, claimed, within 10 %, elsewhere; no board, claimed there.
        let of = [0, 1, 4, 5, 6, 7].map(|i| counts[i]);
        assert_eq!(of, [boards, boards, boards, 0, none, 0], "{row}");
    }
    let other = run(&["--recordings", &dir.path().display().to_string(), "--experiments", "petkov"]);
    assert!(other.0 == 2 && other.2.contains("looked at by --experiments board"), "{}", other.2);
}

#[test]
fn earlier_figures_stand_beside_those_of_now() {
    let dir = tempfile::tempdir().unwrap();
    let arg = |name: &str| dir.path().join(name).display().to_string();
    fs::write(arg("tiny.pgn"), "1. e4 e5 *").unwrap();
    let squares = ["--experiments", "squares", "--quick", "--only", "club, 85°", "--pgn", &arg("tiny.pgn")];
    let evaluate = |more: &[&str]| {
        let (status, out, err) = run(&[&squares, more].concat());
        assert_eq!(status, 0, "{err}");
        out
    };
    evaluate(&["--json", &arg("old.json")]);
    let same = evaluate(&["--compare", &arg("old.json")]);
    let compared = same.split("before → after").nth(1).unwrap();
    assert!(compared.contains("club, 85°") && !compared.contains('→') && !compared.contains("Not the same"), "{same}");
    let figures = fs::read_to_string(arg("old.json")).unwrap();
    fs::write(arg("other.json"), figures.replace("--seed 1", "--seed 2").replace("\"0.0", "\"0.7")).unwrap();
    let other = evaluate(&["--compare", &arg("other.json")]);
    assert!(other.contains("Not the same experiment") && other.contains("0.7") && other.contains(" → 0.0"), "{other}");
    fs::write(arg("none.json"), "{\"experiments\": []}").unwrap();
    assert!(evaluate(&["--compare", &arg("none.json")]).contains("Nothing to compare"));
}
