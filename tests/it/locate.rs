//! Finding the board in real single pictures, in recordings and in renders with known truth: the distribution of the
//! corners' error, printed, and floors that it must not fall below.
//!
//! `LOCATE_OVERLAYS=DIR` writes every picture with what was found (green) and the truth (red); `LOCATE_ONLY=TEXT`
//! restricts to pictures whose name contains it.

use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    time::Instant,
};

use chess_observer::{
    board::{
        Hint, LocateError, Located, locate,
        locate::{Diagnostics, lattices},
    },
    frame::Frame,
};
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_cross_mut, draw_hollow_circle_mut, draw_line_segment_mut};
use shakmaty::{Board, Chess, Position, uci::UciMove};

use crate::support::shared;

/// One picture and what is true of it.
struct Case {
    path: PathBuf,
    group: String,
    content: String,
    men: Option<Board>,
    /// a1, h1, h8, a8, or four corners in any order round the board where the names are unknown.
    corners: Option<[[f64; 2]; 4]>,
    named: bool,
}

fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    reader.deserialize().map(|r| r.expect("a row")).collect()
}

fn corners(row: &HashMap<String, String>) -> Option<[[f64; 2]; 4]> {
    let number = |name: &str| row.get(name).and_then(|v| v.parse::<f64>().ok());
    let mut out = [[0.0; 2]; 4];
    for (corner, name) in out.iter_mut().zip(["a1", "h1", "h8", "a8"]) {
        *corner = [number(&format!("{name}x"))?, number(&format!("{name}y"))?];
    }
    Some(out)
}

fn board(placement: &str) -> Board {
    Board::from_ascii_board_fen(placement.as_bytes()).expect("a placement")
}

/// The picture with this name, with or without its extension.
fn picture(dir: &Path, name: &str) -> PathBuf {
    [name.to_owned(), format!("{name}.jpg"), format!("{name}.png")]
        .iter()
        .map(|n| dir.join(n))
        .find(|p| p.is_file())
        .expect("the picture of a row")
}

fn singles(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for dir in folders(&root.join("data/locate")) {
        for row in rows(&dir.join("locate.csv")) {
            if row["content"] == "none" {
                // Where there is no board, whatever the node may look for.
                for (what, men) in [("start", Some(Board::new())), ("empty", Some(Board::empty())), ("any", None)] {
                    cases.push(Case {
                        path: dir.join(&row["file"]),
                        group: format!("none, {what}"),
                        content: what.to_owned(),
                        men,
                        corners: None,
                        named: false,
                    });
                }
                continue;
            }
            let men = (!row["fen"].is_empty()).then(|| board(&row["fen"]));
            cases.push(Case {
                path: dir.join(&row["file"]),
                group: format!("locate {}", row["content"]),
                content: row["content"].clone(),
                men,
                corners: corners(&row),
                named: row["orientation"] == "known",
            });
        }
    }
    cases
}

fn folders(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut out: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

/// First picture with the start position, and the empty board, of the recordings that show more than the squares.
fn recordings(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["ts-testset1", "ts-0303-2", "ts-0303-3"] {
        let dir = root.join("data/real").join(name);
        if !dir.is_dir() {
            continue;
        }
        let truth: HashMap<String, _> =
            rows(&dir.join("corners.csv")).into_iter().map(|r| (r["frame"].clone(), corners(&r))).collect();
        for event in ["start", "empty"] {
            let Some(row) = rows(&dir.join("events.csv")).into_iter().find(|r| r["event"] == event) else { continue };
            let empty = event == "empty";
            cases.push(Case {
                path: picture(&dir.join("frames"), &row["frame"]),
                group: format!("real {event}"),
                content: event.to_owned(),
                men: Some(if empty { Board::empty() } else { Board::new() }),
                corners: truth.get(&row["frame"]).copied().flatten(),
                named: true,
            });
        }
    }
    cases
}

fn renders(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for dir in folders(&root.join("data/renders")) {
        let Ok(text) = fs::read_to_string(dir.join("camera.json")) else { continue };
        let camera: serde_json::Value = serde_json::from_str(&text).expect("camera.json");
        let truth =
            ["a1", "h1", "h8", "a8"].map(|n| [0, 1].map(|k| camera["corners"][n][k].as_f64().expect("a corner")));
        let row = &rows(&dir.join("events.csv"))[0];
        cases.push(Case {
            path: picture(&dir.join("frames"), &row["frame"]),
            group: "render start".to_owned(),
            content: "start".to_owned(),
            men: Some(board(&row["placement"])),
            corners: Some(truth),
            named: true,
        });
    }
    cases
}

/// Every clean picture after the first moves, with the position on the board known: what a bump needs.
fn played(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["ts-testset1", "ts-0303-2", "ts-0303-3"] {
        let dir = root.join("data/real").join(name);
        if !dir.is_dir() {
            continue;
        }
        let truth: HashMap<String, _> =
            rows(&dir.join("corners.csv")).into_iter().map(|r| (r["frame"].clone(), corners(&r))).collect();
        let mut position = Chess::default();
        for row in rows(&dir.join("events.csv")) {
            if row["event"] != "move" || row["state"] != "clean" {
                continue;
            }
            if !row["note"].contains("same position") {
                let uci: UciMove = row["uci"].parse().expect("a move");
                let m = uci.to_move(&position).expect("a legal move");
                position = position.play(m).expect("a legal move");
            }
            cases.push(Case {
                path: picture(&dir.join("frames"), &row["frame"]),
                group: "real played".to_owned(),
                content: "fen".to_owned(),
                men: Some(position.board().clone()),
                corners: truth.get(&row["frame"]).copied().flatten(),
                named: true,
            });
        }
    }
    cases
}

/// Greatest corner error in squares under the best naming; whether that naming is the given one.
fn compare(found: [[f64; 2]; 4], truth: [[f64; 2]; 4]) -> (f64, bool) {
    let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let side = (0..4).map(|i| distance(truth[i], truth[(i + 1) % 4])).sum::<f64>() / 32.0;
    let mut best = (f64::INFINITY, 9);
    for naming in 0..8 {
        let error = (0..4)
            .map(|i| {
                let j = if naming < 4 { (i + naming) % 4 } else { (8 + naming - i) % 4 };
                distance(found[i], truth[j])
            })
            .fold(0.0, f64::max);
        if error < best.0 {
            best = (error, naming);
        }
    }
    (best.0 / side, best.1 == 0)
}

/// Group, pictures that must be found within 10 % of a square, most that may be claimed in a wrong place: what was
/// reached.
const FLOORS: [(&str, usize, usize); 11] = [
    ("locate empty", 23, 0),
    ("locate fen", 4, 0),
    // Three of the four are 12 to 34 % of a square off, one by a square.
    ("locate other", 80, 4),
    ("locate start", 33, 1),
    ("none, any", 0, 0),
    ("none, empty", 0, 0),
    ("none, start", 0, 0),
    ("real empty", 2, 0),
    ("real played", 33, 0),
    ("real start", 3, 0),
    ("render start", 4, 0),
];

/// What became of a case.
struct Outcome {
    group: String,
    found: bool,
    error: Option<f64>,
    right_way: Option<bool>,
}

fn run(case: &Case) -> Outcome {
    let image = image::open(&case.path).expect("a picture").to_rgb8();
    let frame = Frame::from_rgb(&image).expect("a frame");
    let begun = Instant::now();
    let result = locate(&frame, &Hint { men: case.men.clone(), near: None, lens: None });
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let name = case.path.iter().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect::<PathBuf>();
    let (found, text) = said(&result);
    let claimed = result.is_ok();
    let sure_way = result.as_ref().is_ok_and(|l| l.orientation_confidence > 0.6);
    let compared = found.zip(case.corners).map(|(f, t)| compare(f, t));
    let verdict = match (&case.corners, claimed, compared) {
        (None, true, _) => "FALSE FIND",
        (None, false, _) => "rightly none",
        (_, false, _) => "MISSED",
        (_, true, Some((e, _))) if e > 0.1 => "WRONG PLACE",
        (_, true, Some((_, false))) if case.named && sure_way => "turned",
        _ => "ok",
    };
    println!(
        "{verdict:12} {:5.3} {ms:5.0} ms {:45} {:6} {text}",
        compared.map_or(9.0, |c| c.0),
        name.display(),
        case.content
    );
    if let Some(dir) = env::var_os("LOCATE_OVERLAYS") {
        overlay(
            &image,
            &frame,
            found,
            case.corners,
            &Path::new(&dir).join(format!(
                "{}-{}.png",
                verdict.replace(' ', ""),
                name.display().to_string().replace('/', "_")
            )),
        );
    }
    Outcome {
        group: case.group.clone(),
        found: claimed,
        error: compared.filter(|_| claimed).map(|c| c.0),
        // Where the finder itself says that it cannot tell, nothing was said wrongly.
        right_way: compared.filter(|_| claimed && case.named && sure_way).map(|c| c.1),
    }
}

/// The corners that are claimed, or would be if the finder were sure; and its figures in words.
fn said(result: &Result<Located, LocateError>) -> (Option<[[f64; 2]; 4]>, String) {
    match result {
        Ok(l) => {
            let sure = format!("conf {:.3} way {:.3}", l.confidence, l.orientation_confidence);
            (Some(l.corners().to_array()), format!("{sure} {}", brief(l.diagnostics)))
        }
        Err(LocateError::Unsure { best }) => {
            (Some(best.corners().to_array()), format!("UNSURE {:.3} {}", best.confidence, brief(best.diagnostics)))
        }
        Err(LocateError::CutOff { board }) => {
            (Some(board.corners().to_array()), format!("CUT OFF {:.3} {}", board.confidence, brief(board.diagnostics)))
        }
        Err(e) => (None, format!("NO LATTICE {e}")),
    }
}

fn brief(d: Diagnostics) -> String {
    format!(
        "at {} saddles {} crossings {} rms {:.2} empty {:.2} men {:.2} margin {:.0} contrast {:.0}",
        d.long_side_px, d.saddles, d.crossings, d.residual_px, d.empty_fit, d.men_fit, d.margin, d.contrast
    )
}

fn overlay(
    image: &RgbImage,
    frame: &Frame<'_>,
    found: Option<[[f64; 2]; 4]>,
    truth: Option<[[f64; 2]; 4]>,
    path: &Path,
) {
    let mut out = image.clone();
    for (all, found) in lattices(frame) {
        for p in all {
            draw_hollow_circle_mut(&mut out, (p.x as i32, p.y as i32), 2, Rgb([255, 255, 0]));
        }
        for (i, (points, _)) in found.iter().enumerate() {
            for p in points {
                let colour = if i == 0 { Rgb([0, 255, 255]) } else { Rgb([255, 0, 255]) };
                draw_hollow_circle_mut(&mut out, (p.x as i32, p.y as i32), 4, colour);
            }
        }
    }
    for (corners, colour) in [(truth, Rgb([255, 0, 0])), (found, Rgb([0, 255, 0]))] {
        let Some(c) = corners else { continue };
        for i in 0..4 {
            let (a, b) = (c[i].map(|v| v as f32), c[(i + 1) % 4].map(|v| v as f32));
            draw_line_segment_mut(&mut out, (a[0], a[1]), (b[0], b[1]), colour);
        }
        draw_cross_mut(&mut out, colour, c[0][0] as i32, c[0][1] as i32);
        draw_hollow_circle_mut(&mut out, (c[0][0] as i32, c[0][1] as i32), 7, colour);
    }
    out.save(path).expect("an overlay");
}

#[test]
fn boards_are_found_in_real_and_rendered_pictures() {
    let root = shared();
    if !root.join("data/locate").is_dir() {
        println!("skipped: no {}", root.join("data/locate").display());
        return;
    }
    let only = env::var("LOCATE_ONLY").unwrap_or_default();
    let mut cases = recordings(&root);
    cases.extend(played(&root));
    cases.extend(renders(&root));
    cases.extend(singles(&root));
    cases.retain(|c| c.path.to_string_lossy().contains(&only));
    let outcomes: Vec<Outcome> = cases.iter().map(run).collect();

    let mut groups: Vec<&String> = outcomes.iter().map(|o| &o.group).collect();
    groups.sort();
    groups.dedup();
    println!(
        "\n{:14} {:>4} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "group", "n", "found", "<2%", "<5%", "<10%", "wrong", "turned"
    );
    for group in groups {
        let of: Vec<&Outcome> = outcomes.iter().filter(|o| &o.group == group).collect();
        let below = |limit: f64| of.iter().filter(|o| o.error.is_some_and(|e| e < limit)).count();
        let wrong = of.iter().filter(|o| o.error.is_some_and(|e| e >= 0.1)).count();
        let turned = of.iter().filter(|o| o.error.is_some_and(|e| e < 0.1) && o.right_way == Some(false)).count();
        println!(
            "{group:14} {:4} {:6} {:7} {:7} {:7} {wrong:7} {turned:7}",
            of.len(),
            of.iter().filter(|o| o.found).count(),
            below(0.02),
            below(0.05),
            below(0.1)
        );
        if only.is_empty() {
            let floor = FLOORS.iter().find(|f| f.0 == group).expect("a floor for every group");
            assert!(below(0.1) >= floor.1, "{group}: {} within 10 %, {} were reached before", below(0.1), floor.1);
            assert!(wrong <= floor.2, "{group}: {wrong} claimed in a wrong place");
            assert_eq!(turned, 0, "{group}: named wrongly though sure");
            if group.starts_with("none") {
                assert_eq!(of.iter().filter(|o| o.found).count(), 0, "a board was claimed where there is none");
            }
        }
    }
}
