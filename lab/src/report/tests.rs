//! The page of hand-made results.

use super::{Picture, Report, plots};
use crate::{
    calibration::Bin,
    cause::Cause,
    counts::Counts,
    experiments::{
        Curve, ErrorEntry, Experiment, Figures, Point, Table, Tally,
        types::{Cell, GameFigures, LightFigures, SquareFigures},
    },
    interval::Rate,
    latency::Spread,
    score::{Fault, Score},
    squares::Calibration,
    stalls::Stretch,
    told::{Sureness, ToldMove},
};

fn table(title: &str, rows: &[&[&str]]) -> Table {
    let cells = |row: &[&str]| row.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
    Table { title: title.into(), header: cells(rows[0]), rows: rows[1..].iter().map(|r| cells(r)).collect() }
}

fn curve(name: &str, rungs: &[(f64, usize)], falls: Option<f64>) -> Curve {
    let point = |&(x, right): &(f64, usize)| Point {
        x,
        label: format!("{x} px"),
        rate: Rate::new(right, 200),
        perfect: Rate::new(right / 100, 2),
        false_warnings: 0,
        squares: Rate::new(6399, 6400),
        ..Point::default()
    };
    Curve {
        name: name.into(),
        title: format!("Ladder {name}"),
        x_label: "bump (px)".into(),
        points: rungs.iter().map(point).collect(),
        falls_below_99: falls,
        real: None,
    }
}

fn experiment(name: &str, title: &str) -> Experiment {
    Experiment {
        name: name.into(),
        title: title.into(),
        what: format!("What {name} is."),
        command: format!("lab --experiments {name} --seed 7"),
        seed: 7,
        ..Experiment::default()
    }
}

fn fault(game_name: &str) -> ErrorEntry {
    ErrorEntry {
        run: "dusk".into(),
        game: 4,
        game_name: game_name.into(),
        ply: 55,
        number: "28.".into(),
        correct: Some("Rh6".into()),
        read: None,
        piece: "rook".into(),
        cause: Cause::NotRead,
        picture: Some(55),
    }
}

/// Results of every kind.
fn experiments() -> Vec<Experiment> {
    vec![petkov(), koray(), carta(), ladder()]
}

/// Whole games, with a fault.
fn petkov() -> Experiment {
    let mut petkov = experiment("petkov", "Petkov: whole games");
    petkov.tables = vec![
        table("All games", &[&["", "Petkov 2013", "ours"], &["plies right (%)", "99.01", "99.59"]]),
        table(
            "Game by game",
            &[
                &["game", "plies", "first fault"],
                &["1 A – B", "80", "–"],
                &["2 C – D", "90", "55"],
                &["3 E – F", "40", "–"],
            ],
        ),
    ];
    petkov.errors = vec![fault("C – D 1990")];
    petkov.by_piece =
        vec![Tally { name: "pawn".into(), errors: 0, of: 80 }, Tally { name: "rook".into(), errors: 1, of: 31 }];
    petkov.by_cause = vec![Tally { name: Cause::GoalOnSameLine.words().into(), errors: 1, of: 210 }];
    petkov.figures = Figures::Petkov {
        games: 3,
        plies: Rate::new(209, 210),
        perfect: Rate::new(2, 3),
        mean_first_fault: 58.3,
        mean_length: 70.0,
        false_warnings: 0,
        by_game: [(80, None), (90, Some(55)), (40, None)]
            .into_iter()
            .enumerate()
            .map(|(i, (plies, first_fault))| GameFigures {
                number: i + 1,
                plies,
                right: plies - usize::from(first_fault.is_some()),
                first_fault,
                ..GameFigures::default()
            })
            .collect(),
    };
    petkov
}

/// Attempts in three lights.
fn koray() -> Experiment {
    let mut koray = experiment("koray", "Koray and Sümer: 100 attempts");
    let light = |name: &str, right| LightFigures {
        light: name.into(),
        detected: Rate::new(100, 100),
        interpreted: Rate::new(right, 100),
        illegal_announced: Rate::new(29, 30),
        reason_right: Rate::new(27, 30),
        missed: vec![3],
    };
    koray.figures = Figures::Koray { lights: vec![light("yellow", 97), light("white", 99), light("day", 98)] };
    koray
}

/// Cells of views and disturbances.
fn carta() -> Experiment {
    let mut carta = experiment("carta", "Carta and Corsolini: views");
    carta.tables = vec![table(
        "Plies right",
        &[
            &["view", "none", "visible", "partly hidden", "hidden"],
            &["optimal", "100.00 (150/150)", "149/150", "140/150", "120/150"],
            &["  theirs", "100", "100", "70–80", "–"],
            &["good", "150/150", "148/150", "130/150", "100/150"],
            &["fair", "147/150", "141/150", "110/150", "90/150"],
        ],
    )];
    let cell = |condition: &str, disturbance: &str, right| Cell {
        condition: condition.into(),
        disturbance: disturbance.into(),
        in_the_end: Rate::new(right, 150),
        at_once: Rate::new(right / 2, 150),
        theirs: "70–80".into(),
    };
    carta.figures = Figures::Carta {
        cells: vec![
            cell("good", "none", 150),
            cell("good", "hidden", 120),
            cell("fair", "none", 147),
            cell("fair", "hidden", 90),
        ],
    };
    carta
}

/// Curves that fall, and one that does not.
fn ladder() -> Experiment {
    let mut ladder = experiment("ladder", "Ladder: how much is too much?");
    ladder.curves = vec![
        curve("bump", &[(0.0, 200), (2.0, 200), (4.0, 199), (8.0, 190), (16.0, 150)], Some(4.44)),
        curve("noise", &[(0.0, 200), (8.0, 199), (16.0, 199)], None),
        curve("width", &[(1280.0, 200), (640.0, 200), (320.0, 180)], Some(608.0)),
    ];
    ladder.notes = vec!["A note.".into()];
    ladder
}

fn recordings() -> Vec<Score> {
    let fault = Fault { ply: 9, correct: Some("e2e4".into()), read: Some("e2e3".into()), picture: Some(9) };
    let one = Score { name: "r01".into(), plies: 40, right: 40, perfect: true, pictures: 41, ..Score::default() };
    vec![
        one.clone(),
        Score { name: "r02".into(), right: 39, perfect: false, faults: vec![fault], observing_s: 1.5, ..one },
    ]
}

fn page(experiments: &[Experiment], recordings: &[Score], pictures: &[Picture]) -> String {
    let experiments: Vec<&Experiment> = experiments.iter().collect();
    Report { experiments: &experiments, recordings, pictures }.html()
}

/// Elements of HTML that have no end.
const VOID: [&str; 3] = ["meta", "img", "br"];

/// Checks that every element ends, in order, that attributes are quoted and their names not repeated, and that no id
/// stands twice.
fn well_formed(page: &str) -> Result<(), String> {
    let body = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    let (mut open, mut ids, mut rest) = (Vec::<&str>::new(), Vec::new(), body);
    while let Some(at) = rest.find('<') {
        // The style is no markup.
        if open.last() != Some(&"style") && rest[..at].contains('>') {
            return Err(format!("a bare > in {:?}", &rest[..at]));
        }
        let tag = &rest[at + 1..];
        let end = tag.find('>').ok_or("a tag without an end")?;
        let (tag, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> ends {last:?}"));
            }
            continue;
        }
        let (name, attributes) =
            tag.trim_end_matches('/').split_once([' ', '\n']).unwrap_or((tag.trim_end_matches('/'), ""));
        let (mut names, mut left) = (Vec::new(), attributes.trim());
        while !left.is_empty() {
            let (key, value) = left.split_once("=\"").ok_or_else(|| format!("not name=\"value\": {left:?}"))?;
            let (value, more) = value.split_once('"').ok_or_else(|| format!("no end of {key}"))?;
            if key.contains([' ', '\'', '"']) || names.contains(&key) {
                return Err(format!("attribute {key:?} in {tag:?}"));
            }
            names.push(key);
            if key == "id" {
                ids.push(value);
            }
            left = more.trim_start();
        }
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    match (open.is_empty(), ids.len() == count) {
        (true, true) => Ok(()),
        _ => Err(format!("open at the end: {open:?}; ids: {ids:?} of {count}")),
    }
}

#[test]
fn the_checker_finds_faults() {
    for wrong in [
        "<p>",
        "<p></b></p>",
        "<p class=x></p>",
        "<p id=\"a\"></p><p id=\"a\"></p>",
        "<p a=\"1\" a=\"2\"></p>",
        "<p>1 > 0</p>",
    ] {
        assert!(well_formed(&format!("<!DOCTYPE html>{wrong}")).is_err(), "{wrong}");
    }
    assert_eq!(well_formed("<!DOCTYPE html><p id=\"a\">1 &gt; 0<br><rect x=\"1\"/></p>"), Ok(()));
}

#[test]
fn the_page_is_well_formed_and_says_everything() {
    let (experiments, recordings) = (experiments(), recordings());
    let pictures = [Picture { experiment: "petkov".into(), label: "the hall".into(), jpeg: vec![0xff, 0xd8, 0xff] }];
    let html = page(&experiments, &recordings, &pictures);
    if let Ok(folder) = std::env::var("REPORT_LOOK") {
        std::fs::write(format!("{folder}/index.html"), &html).unwrap();
    }
    assert_eq!(well_formed(&html), Ok(()));
    for e in &experiments {
        // Once in the overview, once as a heading.
        assert_eq!(html.matches(&format!(">{}<", e.title)).count(), 2, "{}", e.title);
        // The command stands under the heading and under every plot.
        let plots = match e.name.as_str() {
            "petkov" => 3,
            "koray" => 4,
            "carta" => 2,
            _ => 3,
        };
        assert_eq!(html.matches(&e.command).count(), 1 + plots, "{}", e.name);
    }
    assert_eq!(html.matches("<svg ").count(), 3 + 4 + 2 + 3 + 1);
    for text in [
        "99.52 % of 210 plies right, 2/3 games perfect",
        "98.00 % of 300 attempts interpreted rightly",
        "1 of 3 curves stay at 99 %",
        "game 4 (C – D 1990), 28. [Rh6 – nothing] rook: not read",
        "r02, ply 9 [e2e4 – e2e3]",
        "Falls below 99 % at 4.44.",
        "<td>98.75</td>",
        "Petkov 2013",
        "A note.",
        "data:image/jpeg;base64,/9j/",
        "name=\"viewport\"",
        "the last line of a cell: Carta and Corsolini.",
    ] {
        assert!(html.contains(text), "{text}");
    }
    // Nothing comes from elsewhere: the one address is the name of SVG's namespace.
    assert_eq!(html.matches("http").count(), html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    assert!(!html.contains("<script") && !html.contains("@import"));
}

#[test]
fn equal_results_give_equal_pages_whatever_the_clock_says() {
    let (results, mut slower) = (experiments(), recordings());
    let html = page(&results, &slower, &[]);
    slower.iter_mut().for_each(|s| s.observing_s += 3.0);
    assert_eq!(html, page(&experiments(), &slower, &[]));
    slower[1].right = 38;
    assert_ne!(html, page(&experiments(), &slower, &[]));
}

#[test]
fn squares_have_a_diagram_of_contents_and_one_of_change_for_each_condition() {
    let bin = |told, right| Bin { low: told - 0.01, high: told + 0.01, told, happened: Rate::new(right, 100) };
    let calibration = Calibration {
        contents: vec![bin(0.3, 30), bin(0.97, 60)],
        changed: vec![bin(0.5, 50)],
        ..Calibration::default()
    };
    let group = |name: &str| SquareFigures {
        name: name.into(),
        right: Rate::new(6399, 6400),
        calibration: calibration.clone(),
        ..SquareFigures::default()
    };
    let mut squares = experiment("squares", "Squares: seen rightly?");
    squares.figures = Figures::Squares { groups: vec![group("good"), group("fair")], hands: vec![] };
    let html = page(&[squares], &[], &[]);
    assert_eq!(well_formed(&html), Ok(()));
    assert_eq!(html.matches("<svg ").count(), 4);
    for text in [
        "good: one square wrong in 6,400 (1,130–36,255); fair: one square wrong in 6,400",
        "Contents of squares, good: 1 of 2 bins hold what was told",
        "Change of squares, fair: 1 of 1 bins hold what was told",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn hostile_names_do_no_harm() {
    let evil = "\"><script>alert('1')</script>&amp;</svg>";
    let mut all = experiments();
    for e in &mut all {
        for text in [&mut e.name, &mut e.title, &mut e.what, &mut e.command] {
            text.push_str(evil);
        }
        e.notes.push(evil.into());
        e.errors.push(ErrorEntry { run: evil.into(), correct: Some(evil.into()), piece: evil.into(), ..fault(evil) });
        e.by_piece.push(Tally { name: evil.into(), errors: 1, of: 1 });
        e.by_cause.push(Tally { name: evil.into(), errors: 1, of: 1 });
        e.tables.iter_mut().for_each(|t| {
            t.title.push_str(evil);
            t.header.iter_mut().for_each(|h| h.push_str(evil));
            t.rows.iter_mut().for_each(|r| r[0].push_str(evil));
        });
        e.curves.iter_mut().for_each(|c| {
            c.title.push_str(evil);
            c.x_label.push_str(evil);
            c.points[0].label.push_str(evil);
        });
        if let Figures::Koray { lights } = &mut e.figures {
            lights[0].light.push_str(evil);
        }
    }
    let recordings = [Score { name: evil.into(), faults: recordings()[1].faults.clone(), ..Score::default() }];
    let pictures = [Picture { experiment: all[0].name.clone(), label: evil.into(), jpeg: vec![] }];
    let html = page(&all, &recordings, &pictures);
    assert_eq!(well_formed(&html), Ok(()));
    assert!(!html.contains("<script") && !html.contains("&amp;</svg>"));
    assert!(html.matches("&lt;script&gt;").count() > 40);
}

#[test]
fn nothing_measured_is_still_a_page() {
    let mut empty = experiment("ladder", "Nothing");
    empty.curves =
        vec![Curve::default(), curve("one", &[(3.0, 200)], None), curve("nan", &[(f64::NAN, 1)], Some(f64::NAN))];
    empty.tables = vec![Table::default(), table("no rows", &[&["game", "plies", "first fault"]])];
    empty.figures = Figures::Koray { lights: vec![] };
    empty.errors = vec![fault("")];
    assert_eq!(well_formed(&page(&[empty, Experiment::default()], &[Score::default()], &[])), Ok(()));
    assert_eq!(well_formed(&page(&[], &[], &[])), Ok(()));
}

#[test]
fn a_tiny_curve_is_drawn_as_before() {
    let drawn = plots::ladder(&curve("bump", &[(0.0, 200), (4.0, 198), (8.0, 190)], Some(4.0))).unwrap();
    if let Ok(folder) = std::env::var("REPORT_LOOK") {
        std::fs::write(format!("{folder}/tiny_curve.svg"), &drawn).unwrap();
    }
    assert_eq!(drawn, include_str!("tiny_curve.svg"), "if this is meant, REPORT_LOOK=FOLDER writes the new one there");
}

#[test]
fn what_is_worse_stands_lower_and_what_is_more_stands_further() {
    let places = |curve: &Curve| -> Vec<(i32, i32)> {
        let drawn = plots::ladder(curve).unwrap();
        let number = |part: &str, name: &str| -> i32 {
            part.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        drawn.split("<circle").skip(1).map(|part| (number(part, "cx"), number(part, "cy"))).collect()
    };
    let places_of_bump = places(&experiments()[3].curves[0]);
    assert_eq!(places_of_bump.len(), 5);
    for pair in places_of_bump.windows(2) {
        assert!(pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1, "{places_of_bump:?}");
    }
    // Equal steps of x are equal steps on the paper: 0, 2, 4 and 8.
    let x = |i: usize| places_of_bump[i].0;
    assert!((x(2) - x(1) - (x(1) - x(0))).abs() <= 1 && (x(3) - x(2) - 2 * (x(1) - x(0))).abs() <= 2);
    // A ladder that goes down in figures still goes to the right.
    let width = places(&experiments()[3].curves[2]);
    assert!(width[0].0 < width[1].0 && width[1].0 < width[2].0, "{width:?}");
}

/// Ten moves told surely, one of them wrong, and a stretch of five plies without a word.
fn counts() -> Counts {
    let told = |i: usize| ToldMove {
        picture: i,
        ply: i + 1,
        uci: "e2e4".into(),
        confidence: Some(0.995),
        right: i > 0,
        hand: false,
        together: false,
    };
    let told: Vec<ToldMove> = (0..10).map(told).collect();
    Counts {
        name: "dusk".into(),
        games: 1,
        plies: Rate::new(9, 15),
        told_wrong: Rate::new(1, 10),
        since_let_go_s: Spread::of([0.4, 0.6, 3.0].into_iter()),
        longest_unread: Some(Stretch { ply: 3, plies: 5, seconds: Some(8.0), said: false }),
        stalls: 1,
        silent_stalls: 1,
        sure: Sureness::of(told.iter()),
        ..Counts::default()
    }
}

#[test]
fn what_is_bad_stands_first_and_what_was_told_is_drawn() {
    let mut dusk = experiment("ladder", "The ladder");
    dusk.counts = vec![counts()];
    let html = page(&[dusk], &[], &[]);
    if let Ok(folder) = std::env::var("REPORT_LOOK") {
        std::fs::write(format!("{folder}/told.html"), &html).unwrap();
    }
    assert_eq!(well_formed(&html), Ok(()));
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("Wrong moves told") < place("Stalls") && place("Stalls") < place("id=\"experiment-ladder\""));
    for text in ["<td>1/10</td>", "99 %", "5 plies, 8.0 s, silent", "Confidence of moves, all", "0.6 / 3.0 / 3.0"] {
        assert!(html.contains(text), "{text}");
    }
    // Confidences, delays since the man was let go, and what went by unread; nothing is drawn of what is not known.
    assert_eq!(html.matches("<svg ").count(), 3);
    assert!(page(&[experiment("ladder", "The ladder")], &[], &[]).contains("Nothing: no wrong move was told"));
}
