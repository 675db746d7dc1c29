//! Knocks during play: camera and board are shifted and turned by so much, at rest and with a hand in the picture. Does
//! the game go on?

use chess_observer::{
    event::Event,
    sim::{
        Camera, Scene,
        scene::{Bump, Knocked},
    },
};

use super::{
    lab::{Done, Job, Lab, Results, false_warnings, perfect, plies_right, table},
    types::{Experiment, Figures, Table, Timing},
};
use crate::{
    interval::Rate,
    simulated::{Shots, ShowError},
};

/// Plies of each game, and how many of them pass from knock to knock.
const PLIES: usize = 10;
const EVERY: usize = 2;
/// Shifts in per cent of a square, and turns in degrees.
const SHIFTS: [f64; 6] = [2.0, 5.0, 10.0, 25.0, 50.0, 100.0];
const TURNS: [f64; 5] = [1.0, 2.0, 5.0, 10.0, 15.0];
/// Cameras' heights over the board, in degrees, and places around it: one after the other.
const HEIGHTS: [f64; 3] = [45.0, 65.0, 88.0];
const PLACES: [f64; 4] = [4.0, -20.0, 12.0, 25.0];
/// Which part of a hand's visit passes before the knock: reaching in, a man in the air, setting down, drawing back.
const MOMENTS: [f64; 4] = [0.5, 0.3, 0.65, 0.85];
/// The camera is so many times as far away as the whole board needs to fit: it must still fit after a knock.
const FARTHER: f64 = 1.35;
/// The board is found again when no corner is further off than this, in squares: less is no fault that a reading of the
/// squares feels.
const FOUND_SQUARES: f64 = 0.15;

/// One kind of knock; the name of its run.
#[derive(Debug, Clone)]
struct Kind {
    /// What is knocked, how, and when: the row of the first table.
    group: &'static str,
    /// How much of it.
    size: String,
    /// One knock; the `i`th of a game goes the `i`th way.
    knock: fn(f64, usize) -> Bump,
    amount: f64,
    while_hand: bool,
    /// Where the board's centre is at first, seen from the point that the camera looks at, in squares.
    aside: f64,
}

impl Kind {
    fn run(&self) -> String {
        format!("{}, {}", self.group, self.size)
    }
}

/// Every kind.
fn kinds() -> Vec<Kind> {
    let mut kinds = vec![];
    let mut add = |group, unit: &str, sizes: &[f64], knock, while_hand| {
        kinds.extend(sizes.iter().map(|&amount| Kind {
            group,
            size: format!("{amount} {unit}"),
            knock,
            amount,
            while_hand,
            aside: 0.0,
        }));
    };
    add("camera shifted, at rest", "%", &SHIFTS, camera_shifted, false);
    add("camera shifted, hand in", "%", &SHIFTS, camera_shifted, true);
    add("camera turned, at rest", "°", &TURNS, camera_turned, false);
    add("camera turned, hand in", "°", &TURNS, camera_turned, true);
    add("board shifted, at rest", "%", &SHIFTS, board_shifted, false);
    add("board shifted, hand in", "%", &SHIFTS, board_shifted, true);
    add("board turned, at rest", "°", &TURNS, board_turned, false);
    add("board turned, hand in", "°", &TURNS, board_turned, true);
    let large = |size: &str, amount, knock, aside| Kind {
        group: "large, at rest",
        size: size.into(),
        knock,
        amount,
        while_hand: false,
        aside,
    };
    kinds.extend([
        large("camera by 3 squares", 3.0, camera_to_and_fro as fn(f64, usize) -> Bump, -1.5),
        large("camera zooms by 1.15", 1.15, camera_zooms, 0.0),
        large("camera carried by 15°", 15.0, camera_carried, 0.0),
        large("board by 3 squares", 3.0, board_to_and_fro, -1.5),
        large("board turned by 90°", 90.0, |deg, _| Bump { turn_deg: deg, ..of_board() }, 0.0),
        // Once: the next one would undo it.
        large(
            "board turned by 180°",
            180.0,
            |deg, i| Bump { turn_deg: if i == 0 { deg } else { 0.0 }, ..of_board() },
            0.0,
        ),
    ]);
    kinds
}

fn of_board() -> Bump {
    Bump { what: Knocked::Board, ..Bump::default() }
}

/// Ways that lead back after four knocks; not along the lines of the board.
fn way(i: usize) -> [f64; 2] {
    [[0.8, 0.6], [-0.6, 0.8], [-0.8, -0.6], [0.6, -0.8]][i % 4]
}

/// There, back, and back again.
fn sign(i: usize) -> f64 {
    if i.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn camera_shifted(percent: f64, i: usize) -> Bump {
    Bump { shift_squares: way(i).map(|w| w * percent / 100.0), ..Bump::default() }
}

fn board_shifted(percent: f64, i: usize) -> Bump {
    Bump { shift_squares: way(i).map(|w| w * percent / 100.0), ..of_board() }
}

fn camera_turned(deg: f64, i: usize) -> Bump {
    Bump { turn_deg: deg * sign(i), ..Bump::default() }
}

/// About its centre, and about a corner of the playing area's inner squares: who pushes at a corner turns it so.
fn board_turned(deg: f64, i: usize) -> Bump {
    let about = if i % 4 < 2 { [4.0; 2] } else { [2.0, 3.0] };
    Bump { turn_deg: deg * sign(i), about, ..of_board() }
}

fn camera_to_and_fro(squares: f64, i: usize) -> Bump {
    Bump { shift_squares: [squares * sign(i), 0.0], ..Bump::default() }
}

fn board_to_and_fro(squares: f64, i: usize) -> Bump {
    Bump { shift_squares: [squares * sign(i), 0.0], ..of_board() }
}

fn camera_zooms(factor: f64, i: usize) -> Bump {
    Bump { zoom: if i.is_multiple_of(2) { factor } else { 1.0 / factor }, ..Bump::default() }
}

fn camera_carried(deg: f64, i: usize) -> Bump {
    // Down from straight above, up from elsewhere, and back.
    Bump { azimuth_deg: deg * sign(i), elevation_deg: -deg * sign(i) / 2.0, ..Bump::default() }
}

/// The scene of the `index`th game: a film at 4 pictures a second, 640×480.
fn scene(index: usize) -> Scene {
    let mut scene = Scene::oblique(HEIGHTS[index % HEIGHTS.len()]);
    scene.camera.azimuth_deg = PLACES[index % PLACES.len()];
    scene.camera.frame_rate_hz = 4.0;
    // Brisk play: what is measured are knocks, not patience.
    (scene.pace.rest_min_s, scene.pace.rest_max_s, scene.pace.hand_m_s) = (1.6, 2.2, 0.8);
    if let Ok(camera) = Camera::new(&scene) {
        let aim = nalgebra::Point3::new(4.0, 4.0, 0.0);
        scene.camera.distance_m = FARTHER * scene.board.square_size_m * nalgebra::distance(&camera.centre, &aim);
    }
    scene
}

/// The scene with its knocks. `slowly`: a slide instead of a jump; a camera shakes on for a while.
fn knocked(kind: &Kind, index: usize, plies: usize, slowly: bool) -> Scene {
    let mut scene = scene(index);
    scene.camera.aim_m[0] -= kind.aside * scene.board.square_size_m;
    let at = (1..plies.max(2)).filter(|ply| ply % EVERY == 0 || plies <= EVERY);
    scene.bump = at
        .enumerate()
        .map(|(i, ply)| {
            let mut bump = Bump {
                ply,
                while_hand: kind.while_hand,
                moment: if kind.while_hand { MOMENTS[(i + index) % MOMENTS.len()] } else { 0.5 },
                ..(kind.knock)(kind.amount, i)
            };
            if slowly {
                bump.slide_s = 0.6;
                if bump.what == Knocked::Camera {
                    (bump.shake_px, bump.shake_s) = (3.0, 0.8);
                }
            }
            bump
        })
        .collect();
    scene
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let mut kinds = kinds();
    if lab.quick {
        // The greatest of each group.
        let last: Vec<bool> =
            (0..kinds.len()).map(|i| kinds.get(i + 1).is_none_or(|k| k.group != kinds[i].group)).collect();
        let mut last = last.into_iter();
        kinds.retain(|_| last.next().unwrap_or_default());
    }
    let mut jobs: Vec<Job> = vec![];
    for kind in &kinds {
        for slowly in if lab.quick { [false].as_slice() } else { &[false, true] } {
            let index = jobs.len();
            let Some(game) = lab.games.get(index % lab.games.len().max(1)).map(|g| g.first(PLIES)) else { continue };
            jobs.push(lab.job(&kind.run(), &game, &knocked(kind, index, game.plies(), *slowly), Shots::Film));
        }
    }
    let results = lab.run("bumps", jobs)?;
    let mut experiment = lab.experiment(
        "bumps",
        "Knocks: does the game go on?",
        "Films of the first ten plies of games, 640×480, 4 pictures a second, from 45°, 65° and 88°; a knock after \
         every second ply, in the middle of the pause, or with a hand in the picture. Shifts in per cent of a square: \
         of the camera as a jump of the picture, of the board over its table with the men on it. Of each size one game \
         with knocks from one picture to the next, and one in which they take 0.6 s, and the camera shakes by 3 px \
         afterwards. False moves: moves (announced, or by revision) that the truth does not have at their place, and \
         plies taken back. Found again: pictures from the end of a knock until no corner is more than 0.15 squares \
         off; those never found before the next knock stand behind the sign /. Right: the final record is the truth.",
    );
    results.count_into(&mut experiment);
    experiment.tables = vec![in_all(&kinds, &results), size_by_size(&kinds, &results)];
    experiment.figures = Figures::Bumps {
        without_false_move: without_false_move(results.done.iter()),
        right: perfect(results.done.iter()),
    };
    Ok((experiment, results.timing))
}

/// The undisturbed scenes and some knocked ones.
pub(super) fn ends() -> Vec<(String, Scene)> {
    let mut ends: Vec<(String, Scene)> =
        (0..HEIGHTS.len()).map(|i| (format!("from {}°", HEIGHTS[i]), scene(i))).collect();
    for kind in kinds().iter().filter(|k| k.amount == 15.0 && !k.while_hand || k.group.starts_with("large")) {
        let mut scene = knocked(kind, 0, PLIES, false);
        scene.bump.truncate(1);
        scene.bump.iter_mut().for_each(|bump| bump.ply = 0);
        ends.push((kind.run(), scene));
    }
    ends
}

/// Moves announced that the truth does not have at their place, and plies taken back that stood.
fn false_moves(done: &Done) -> usize {
    let plies = &done.shown.truth.plies;
    let is_true = |ply: usize, uci: &str| ply.checked_sub(1).and_then(|i| plies.get(i)).is_some_and(|p| p == uci);
    let is_false = |event: &Event| match event {
        Event::Move { ply, uci, .. } | Event::Revised { ply, uci, .. } => !is_true(*ply, &uci.to_string()),
        Event::TakeBack { .. } | Event::NewGame { .. } => true,
        _ => false,
    };
    done.shown.events.iter().filter(|(_, event)| is_false(event)).count()
}

fn without_false_move<'a>(done: impl Iterator<Item = &'a Done>) -> Rate {
    let (right, of) = done.fold((0, 0), |(r, n), d| (r + usize::from(false_moves(d) == 0), n + 1));
    Rate::new(right, of)
}

/// For each knock the pictures from its end until the board is found again; `None` where the next knock or the end of
/// the film comes first.
fn found_again(done: &Done) -> Vec<Option<usize>> {
    let rows = &done.shown.truth.rows;
    let is_bump = |i: usize| rows.get(i).is_some_and(|r| r.event == "bump");
    let ends = (0..rows.len()).filter(|&i| is_bump(i) && !is_bump(i + 1));
    let until = |from: usize| (from + 1..rows.len()).find(|&i| is_bump(i)).unwrap_or(rows.len());
    let near = |i: &usize| done.shown.corner_errors.get(*i).copied().flatten().is_some_and(|e| e <= FOUND_SQUARES);
    ends.map(|end| (end..until(end)).find(near).map(|i| i - end)).collect()
}

const HEADER: [&str; 12] = [
    "knock",
    "games",
    "without false move",
    "right",
    "plies right",
    "%",
    "95 % interval",
    "false moves",
    "false warnings",
    "moved",
    "lost",
    "found again: median, most",
];

fn row<'a>(name: &str, done: impl Iterator<Item = &'a Done> + Clone) -> Vec<String> {
    let plies = plies_right(done.clone());
    let told = |is: fn(&Event) -> bool| {
        done.clone().flat_map(|d| &d.shown.events).filter(|(_, event)| is(event)).count().to_string()
    };
    let (games, right) = (without_false_move(done.clone()), perfect(done.clone()));
    let knocks: Vec<Option<usize>> = done.clone().flat_map(found_again).collect();
    let mut found: Vec<usize> = knocks.iter().copied().flatten().collect();
    found.sort_unstable();
    let found_text = match (found.get(found.len() / 2), found.last()) {
        (Some(median), Some(most)) => format!("{median}, {most} / {}", knocks.len() - found.len()),
        _ => format!("– / {}", knocks.len()),
    };
    vec![
        name.to_owned(),
        games.of.to_string(),
        games.right.to_string(),
        right.right.to_string(),
        plies.count_text(),
        plies.percent_text(),
        plies.interval_text(),
        done.clone().map(false_moves).sum::<usize>().to_string(),
        false_warnings(done.clone()).to_string(),
        told(|e| matches!(e, Event::BoardMoved { .. })),
        told(|e| matches!(e, Event::BoardLost)),
        found_text,
    ]
}

fn in_all(kinds: &[Kind], results: &Results) -> Table {
    let mut groups: Vec<&str> = kinds.iter().map(|k| k.group).collect();
    groups.dedup();
    let of = |group: &str| {
        let runs: Vec<String> = kinds.iter().filter(|k| k.group == group).map(Kind::run).collect();
        results.done.iter().filter(|d| runs.contains(&d.run)).collect::<Vec<_>>()
    };
    // Groups that were not asked for are left out.
    groups.retain(|group| !of(group).is_empty());
    let mut rows: Vec<Vec<String>> = groups.iter().map(|group| row(group, of(group).into_iter())).collect();
    rows.push(row("all", results.done.iter()));
    let (clean, right) = (without_false_move(results.done.iter()), perfect(results.done.iter()));
    let share = |name: &str, rate: Rate| {
        let mut cells = vec![String::new(); HEADER.len()];
        (cells[0], cells[1], cells[5], cells[6]) =
            (name.into(), rate.count_text(), rate.percent_text(), rate.interval_text());
        cells
    };
    rows.extend([share("games without false move", clean), share("games right", right)]);
    table("By kind", &HEADER, rows)
}

fn size_by_size(kinds: &[Kind], results: &Results) -> Table {
    let shown = kinds.iter().map(Kind::run).filter(|run| results.of(run).next().is_some());
    let rows = shown.map(|run| row(&run, results.done.iter().filter(|d| d.run == run).collect::<Vec<_>>().into_iter()));
    table("Size by size", &HEADER, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        experiments::lab::{GAMES, games},
        simulated::Shown,
        truth::{Row, Truth},
    };
    use chess_observer::{board::corners::Corners, sim::Simulation};

    #[test]
    fn every_knock_leaves_the_playing_area_in_the_picture() {
        let games = games(GAMES).unwrap();
        let mut films = 0;
        for (index, kind) in kinds().iter().enumerate().flat_map(|(i, k)| [(2 * i, k), (2 * i + 1, k)]) {
            let scene = knocked(kind, index, PLIES, false);
            scene.check().unwrap();
            assert_eq!(scene.bump.len(), 4);
            let film = Simulation::new(&scene, games[index % games.len()].first(PLIES).story, 1).unwrap();
            let mut places: Vec<Corners> = film.standpoints().iter().map(|at| at.camera.corners()).collect();
            places.push(film.corners());
            for corner in places.iter().flat_map(|c| c.0) {
                let inside = (0.0..640.0).contains(&corner.x) && (0.0..480.0).contains(&corner.y);
                assert!(inside, "{}, game {index}: {corner}", kind.run());
            }
            films += 1;
        }
        assert_eq!(films, 100);
    }

    #[test]
    fn runs_have_names_of_their_own() {
        let mut names: Vec<String> = kinds().iter().map(Kind::run).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), count), (50, 50));
    }

    fn done(events: Vec<(usize, Event)>, bumps: &[usize], errors: &[f64]) -> Done {
        let game = games("1. e4 e5 *").unwrap().remove(0);
        let row = |i: usize| Row {
            frame: i.to_string(),
            time_ms: None,
            ply: 0,
            let_go: 0,
            event: if bumps.contains(&i) { "bump" } else { "move" }.into(),
            uci: String::new(),
            state: "clean".into(),
        };
        let truth = Truth {
            plies: vec!["e2e4".into(), "e7e5".into()],
            rows: (0..errors.len()).map(row).collect(),
            ..Truth::default()
        };
        let corner_errors = errors.iter().map(|e| Some(*e).filter(|e| e.is_finite())).collect();
        let shown = Shown {
            truth,
            events,
            corner_errors,
            squares: Default::default(),
            score: Default::default(),
            drawing: Default::default(),
            observing: Default::default(),
        };
        Done { run: String::new(), game, shown }
    }

    #[test]
    fn false_moves_are_those_that_the_truth_has_not_at_their_place() {
        let played = |ply, uci: &str| (0, crate::say::played(ply, uci, 1.0));
        let back = (0, Event::TakeBack { ply: 2, fen: shakmaty::fen::Fen::default() });
        let count = |events: Vec<(usize, Event)>| false_moves(&done(events, &[], &[]));
        assert_eq!(count(vec![played(1, "e2e4"), played(2, "e7e5")]), 0);
        assert_eq!(count(vec![played(1, "e7e5"), played(3, "e2e4"), played(2, "e7e6")]), 3);
        assert_eq!(count(vec![played(1, "e2e4"), played(2, "e7e5"), back, played(2, "e7e5")]), 1);
    }

    #[test]
    fn a_board_is_found_again_at_the_first_picture_in_which_it_is_near() {
        let (n, f) = (f64::NAN, 0.5);
        // A slide of two pictures, found at the second one after it; a jump that is followed at once; one that is never.
        let errors = [0.0, f, f, f, 0.1, 0.0, 0.05, 0.0, n, n];
        assert_eq!(found_again(&done(vec![], &[1, 2, 6, 8], &errors)), [Some(2), Some(0), None]);
    }
}
