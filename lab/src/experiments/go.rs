//! Go: Carta and Corsolini's own game. Views by disturbances, whole games, and the search for the grid.
//!
//! A. Carta and M. Corsolini, *A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs* (2015), section 4.

use std::{ops::ControlFlow, time::Instant};

use chess_observer::{
    board::locate::{Hint, locate as locate_chess},
    frame::Frame,
    game::start::Start,
    go::{Content, Size},
    sim::{Scene, SceneError, SimError, Simulation, Story, dice::Dice, go::render},
};
use serde::{Deserialize, Serialize};

use super::{
    carta::DISTURBANCES,
    lab::{Lab, Task, table},
    types::{Cell, Experiment, Figures, Table, Timing},
};
use crate::{
    go::{
        find::{Found, NEAR, View, views},
        games::GoGame,
        others::{PATTERNS, Pattern},
        scenes::{self, CONDITIONS},
        show::{Came, Pictures, Show},
    },
    interval::Rate,
    simulated::ShowError,
    singles::{self, Single},
};

/// Whole games from one photograph a play.
const WHOLE: usize = 20;
/// Of them, those that are shown again with one photograph every few plays, and every how many.
const SPARSE: [usize; 2] = [20, 5];
/// Of them, those that are shown as films, and plays of each.
const FILMS: [usize; 2] = [1, 40];
/// Games of each cell of the table, and plays of each: not a multiple of [`EVERY`], for the last picture is clean.
const CELL: [usize; 2] = [2, 59];
/// Every so manyth picture of a disturbed game has a hand in it: odd, so that both sides are met.
const EVERY: usize = 3;
/// Views whose grid is searched.
const VIEWS: usize = 60;
/// Simulated boards of either game, on which the other one's is searched.
const OTHERS: usize = 10;
/// What a picture takes to be drawn and read, in milliseconds: for progress bars.
const PICTURE_MS: u64 = 120;
/// The same of a view that is drawn and searched.
const VIEW_MS: u64 = 2500;

/// A piece of work.
#[derive(Debug, Clone)]
enum Job {
    /// A game of a run.
    Game(String, Box<Show>),
    /// A grid to be found.
    Find(Box<View>),
    /// A chessboard, on which no Go board is.
    Chess(u64),
    /// A Go board, on which no chessboard is.
    Go(Box<View>),
    /// A pattern that is neither, with its seed.
    Pattern(Pattern, u64),
    /// A photograph, and what it shows.
    Photograph(Box<Single>, Photograph),
}

/// What a photograph shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Photograph {
    Chess,
    Go,
    Neither,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Result {
    Game(Box<Came>),
    Find(Found),
    /// Was the other game's board claimed?
    Other(bool),
}

/// Runs the experiment.
///
/// # Errors
/// When a scene is refused.
pub fn run(lab: &Lab<'_>) -> std::result::Result<(Experiment, Timing), ShowError> {
    let begin = Instant::now();
    let mut experiment = lab.experiment(
        "go",
        "Go: views by disturbances, whole games, the search for the grid",
        "Real games on boards of 19 lines; boards, stones, lights and cameras by chance. Whole games: of the plays, those \
         that stand in the final record in their order, and the games whose record is the game. Views by disturbances: one \
         photograph a play, every third one with a hand in it that leaves all, a third to two thirds, or nothing of the \
         stone played last visible, as far as there is a place for such a hand; of the disturbed plays (without \
         disturbance: of all), those that are right in the final record, and those that were right in the record at their \
         own photograph. Their conditions are drawn in a figure without numbers; ours: optimal 70° and 1280×960, good 48° \
         and 1024×768, fair 32° and 800×600. Grids: from 25° to 90°, with 0 to 250 stones, of a board whose size is not \
         told; right: no corner is more than 15 % of the distance between lines off.",
    );
    if lab.go_games.is_empty() {
        experiment
            .notes
            .push("No games were given: scripts/go_games.sh fetches some, --go-games names their folder.".into());
        return Ok((experiment, Timing { name: "go".into(), ..Timing::default() }));
    }
    experiment.command += " --go-games FOLDER";
    match lab.singles.len() {
        0 => experiment.notes.push("Photographs skipped: --recordings names folders of single pictures.".into()),
        _ => experiment.command += " --recordings FOLDER",
    }
    let tasks: Vec<Task<Job>> = jobs(lab).into_iter().filter(|task| task.name.contains(&lab.only)).collect();
    let done = lab.work("go", tasks, |job| carry_out(lab, job))?;
    experiment.left_out = done.iter().filter(|(_, result)| result.is_none()).count();
    let done: Vec<(Job, Result)> = done.into_iter().filter_map(|(job, result)| Some((job, result?))).collect();
    let cells = cells(&done);
    experiment.tables = vec![whole(&done), faults(&done)];
    experiment.tables.extend(cell_tables(&cells));
    experiment.tables.push(grids(&done));
    experiment.tables.push(others(&done));
    experiment.figures = Figures::Go {
        cells,
        plays: plays(&done, "one photograph a play"),
        perfect: perfect(&done, "one photograph a play"),
        grids: found(&done),
    };
    Ok((experiment, timing(&done, begin)))
}

fn jobs(lab: &Lab<'_>) -> Vec<Task<Job>> {
    let few = |n: usize| if lab.quick { n.div_ceil(10) } else { n };
    let pick = |count: usize| -> Vec<&GoGame> {
        let (all, count) = (lab.go_games.len(), few(count).min(lab.go_games.len()));
        (0..count).map(|i| &lab.go_games[i * all / count]).collect()
    };
    let mut tasks = vec![];
    let mut game = |run: &str, game: GoGame, scene, seed, pictures, count: usize| {
        let name = format!("{run}: {}", game.name);
        let show = Box::new(Show { game, scene, seed, pictures });
        tasks.push(Task { name, work_ms: count as u64 * PICTURE_MS, job: Job::Game(run.to_owned(), show) });
    };
    let seed_of = |i: usize| lab.seed.wrapping_mul(1009).wrapping_add(i as u64);
    for (i, g) in pick(WHOLE).into_iter().enumerate() {
        game(WHOLE_RUN, g.clone(), scenes::any(seed_of(i)), seed_of(i), Pictures::Every(1), g.plays());
    }
    for (i, g) in pick(SPARSE[0]).into_iter().enumerate() {
        let pictures = Pictures::Every(SPARSE[1]);
        game(SPARSE_RUN, g.clone(), scenes::any(seed_of(i)), seed_of(i), pictures, g.plays() / SPARSE[1]);
    }
    for (i, g) in pick(FILMS[0]).into_iter().enumerate() {
        let g = g.first(FILMS[1]);
        game(FILM_RUN, g, scenes::any(seed_of(i)), seed_of(i), Pictures::Film, 40 * FILMS[1]);
    }
    for condition in &CONDITIONS {
        for (name, disturbance) in DISTURBANCES {
            for (i, g) in pick(CELL[0]).into_iter().enumerate() {
                let pictures = disturbance.map_or(Pictures::Every(1), |d| Pictures::Disturbed(d, EVERY));
                let run = format!("{}, {name}", condition.name);
                game(&run, g.first(CELL[1]), scenes::of(condition, seed_of(i)), seed_of(i), pictures, CELL[1]);
            }
        }
    }
    tasks.extend(search(lab, few));
    tasks.extend(others_of(lab, few));
    tasks
}

const WHOLE_RUN: &str = "one photograph a play";
const SPARSE_RUN: &str = "one photograph every fifth play";
const FILM_RUN: &str = "film";

/// The pictures in which boards are searched.
fn search(lab: &Lab<'_>, few: impl Fn(usize) -> usize) -> Vec<Task<Job>> {
    let position = |i: usize, dice: &mut Dice| -> Vec<Content> {
        let line = lab.go_games[i % lab.go_games.len()].end.line();
        line[dice.index(line.len().min(251))].board().contents().to_vec()
    };
    let mut tasks = vec![];
    let mut add = |name: &str, job| tasks.push(Task { name: name.to_owned(), work_ms: VIEW_MS, job });
    views(few(VIEWS), lab.seed, position).into_iter().for_each(|view| add("grids", Job::Find(Box::new(view))));
    (0..few(OTHERS) as u64).for_each(|i| add("chessboards", Job::Chess(lab.seed.wrapping_mul(1009).wrapping_add(i))));
    let others = views(few(OTHERS), lab.seed ^ 0x60, position);
    others.into_iter().for_each(|view| add("Go boards", Job::Go(Box::new(view))));
    tasks
}

/// Pictures without a Go board: patterns, and the photographs of the collections that were given.
fn others_of(lab: &Lab<'_>, few: impl Fn(usize) -> usize) -> Vec<Task<Job>> {
    let mut tasks = vec![];
    let mut add = |name: &str, job| tasks.push(Task { name: name.to_owned(), work_ms: VIEW_MS, job });
    for (i, pattern) in (0..few(OTHERS) as u64).flat_map(|i| PATTERNS.map(|pattern| (i, pattern))) {
        add(pattern.name, Job::Pattern(pattern, lab.seed.wrapping_mul(1009).wrapping_add(i)));
    }
    // A collection whose table cannot be read is told by the experiment that scores collections.
    for single in lab.singles.iter().filter_map(|folder| singles::collection(folder).ok()).flatten() {
        let is_go = single.path().file_name().is_some_and(|name| name.to_string_lossy().starts_with("go-board"));
        let shows = match (single.has_board(), is_go) {
            (true, _) => Photograph::Chess,
            (false, true) => Photograph::Go,
            (false, false) => Photograph::Neither,
        };
        add("photographs", Job::Photograph(Box::new(single), shows));
    }
    tasks
}

fn carry_out(lab: &Lab<'_>, job: &Job) -> std::result::Result<Option<Result>, ShowError> {
    let scene = |e: SceneError| ShowError::Simulation { name: "go".into(), source: SimError::Scene(e) };
    let found = match job {
        Job::Game(_, show) => {
            let mut done = 0;
            let came = show.run(|ply| {
                lab.watch.advance(ply.saturating_sub(done) as u64 * PICTURE_MS);
                done = done.max(ply);
                if lab.watch.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            return Ok(came.map_err(scene)?.map(|came| Result::Game(Box::new(came))));
        }
        Job::Find(view) => Result::Find(view.run().map_err(scene)?),
        Job::Chess(seed) => Result::Other(go_board_on_chess(*seed)?),
        Job::Go(view) => {
            let (image, _) = render(&view.position, Size::USUAL, &view.scene, view.seed).map_err(scene)?;
            let claimed = Frame::from_rgb(&image).is_some_and(|frame| locate_chess(&frame, &Hint::default()).is_ok());
            Result::Other(claimed)
        }
        Job::Pattern(pattern, seed) => Result::Other(pattern.is_claimed(*seed)),
        // A picture that cannot be read is left out of the count.
        Job::Photograph(single, _) => match single.claims_go() {
            Ok(claimed) => Result::Other(claimed),
            Err(_) => return Ok(None),
        },
    };
    lab.watch.advance(VIEW_MS);
    Ok(Some(found))
}

/// Is a Go board claimed on a chessboard at the beginning of a game?
fn go_board_on_chess(seed: u64) -> std::result::Result<bool, ShowError> {
    let mut dice = Dice::new(seed, 0xc4);
    let mut scene = Scene::oblique(dice.between(30.0, 85.0));
    scene.camera.azimuth_deg = dice.between(-180.0, 180.0);
    (scene.camera.width, scene.camera.height) = (1280, 720);
    let story = Story { start: Start::default(), moves: vec![], incidents: vec![], result: shakmaty::Outcome::Unknown };
    let refused = |source| ShowError::Simulation { name: "go: chessboards".into(), source };
    let mut simulation = Simulation::new(&scene, story, seed).map_err(refused)?.stills();
    let image = simulation.next().map(|frame| frame.image).unwrap_or_default();
    Ok(Frame::from_rgb(&image).is_some_and(|frame| chess_observer::board::grid::locate(&frame, None).is_ok()))
}

fn of<'a>(done: &'a [(Job, Result)], run: &'a str) -> impl Iterator<Item = (&'a Show, &'a Came)> {
    done.iter().filter_map(move |(job, result)| match (job, result) {
        (Job::Game(name, show), Result::Game(came)) if name == run => Some((&**show, &**came)),
        _ => None,
    })
}

fn sum<'a>(came: impl Iterator<Item = (&'a Show, &'a Came)>, of: impl Fn(&Came) -> [usize; 2]) -> Rate {
    let [right, all] = came.fold([0, 0], |[r, n], (_, came)| {
        let [right, all] = of(came);
        [r + right, n + all]
    });
    Rate::new(right, all)
}

fn plays(done: &[(Job, Result)], run: &str) -> Rate {
    sum(of(done, run), |came| [came.right, came.plays])
}

fn perfect(done: &[(Job, Result)], run: &str) -> Rate {
    sum(of(done, run), |came| [usize::from(came.perfect), 1])
}

fn found(done: &[(Job, Result)]) -> Rate {
    let grids = done.iter().filter_map(|(_, result)| if let Result::Find(found) = result { Some(found) } else { None });
    grids.fold(Rate::new(0, 0), |rate, found| rate.and(Rate::new(usize::from(found.is_right()), 1)))
}

fn whole(done: &[(Job, Result)]) -> Table {
    let rows = [WHOLE_RUN, SPARSE_RUN, FILM_RUN].map(|run| {
        let (plays, perfect) = (plays(done, run), perfect(done, run));
        let warnings: usize = of(done, run).map(|(_, came)| came.false_warnings).sum();
        vec![
            run.to_owned(),
            plays.of.to_string(),
            plays.right.to_string(),
            plays.percent_text(),
            plays.interval_text(),
            perfect.count_text(),
            sum(of(done, run), |came| [came.in_any_order, came.plays]).percent_text(),
            positions_text(sum(of(done, run), |came| came.positions)),
            warnings.to_string(),
        ]
    });
    let header = [
        "pictures",
        "plays",
        "right",
        "%",
        "95 % interval",
        "perfect games",
        "% in any order",
        "% of positions",
        "false warnings",
    ];
    table("Whole games", &header, rows.to_vec())
}

/// Films have no photographs whose positions count.
fn positions_text(positions: Rate) -> String {
    if positions.of == 0 { "–".into() } else { positions.percent_text() }
}

/// Every fault of the whole games, as `correct – read`.
fn faults(done: &[(Job, Result)]) -> Table {
    let dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".into());
    let rows = [WHOLE_RUN, SPARSE_RUN, FILM_RUN].iter().flat_map(|run| {
        of(done, run).filter(|(_, came)| !came.perfect).map(|(show, came)| {
            let first = came.faults.first();
            vec![
                (*run).to_owned(),
                show.game.name.clone(),
                came.plays.to_string(),
                came.right.to_string(),
                first.map_or_else(|| "–".into(), |f| f.play.to_string()),
                first.map_or_else(|| "–".into(), |f| format!("{} – {}", dash(&f.correct), dash(&f.read))),
                if came.found { "found" } else { "not found" }.into(),
            ]
        })
    });
    let header = ["pictures", "game", "plays", "right", "first fault at play", "correct – read", "board"];
    table("Games that are not perfect", &header, rows.collect())
}

fn cells(done: &[(Job, Result)]) -> Vec<Cell> {
    let mut cells = vec![];
    for condition in &CONDITIONS {
        let theirs = condition.theirs.iter().copied().chain([""]);
        for ((name, kind), theirs) in DISTURBANCES.into_iter().zip(theirs) {
            let run = format!("{}, {name}", condition.name);
            let (in_the_end, at_once) = match kind {
                None => (plays(done, &run), sum(of(done, &run), |came| came.clean)),
                Some(_) => (
                    sum(of(done, &run), |came| [came.disturbed[0], came.disturbed[2]]),
                    sum(of(done, &run), |came| [came.disturbed[1], came.disturbed[2]]),
                ),
            };
            let (condition, disturbance) = (condition.name.to_owned(), name.to_owned());
            cells.push(Cell { condition, disturbance, in_the_end, at_once, theirs: theirs.into() });
        }
    }
    cells
}

fn cell_tables(cells: &[Cell]) -> [Table; 2] {
    [
        super::carta::cell_table("Right in the final record, % (count)", cells, |c| c.in_the_end),
        super::carta::cell_table("Right at the disturbed picture itself, % (count)", cells, |c| c.at_once),
    ]
}

fn grids(done: &[(Job, Result)]) -> Table {
    let all: Vec<&Found> =
        done.iter().filter_map(|(_, r)| if let Result::Find(found) = r { Some(found) } else { None }).collect();
    let bands = [(25.0, 40.0), (40.0, 60.0), (60.0, 90.0)];
    let stones = [(0, 60), (60, 160), (160, usize::MAX)];
    let row = |name: String, of: Vec<&Found>| {
        let right = of.iter().filter(|f| f.is_right()).count();
        let elsewhere = of.iter().filter(|f| f.claimed && f.off_lines > NEAR).count();
        let rate = Rate::new(right, of.len());
        vec![
            name,
            of.len().to_string(),
            right.to_string(),
            rate.percent_text(),
            rate.interval_text(),
            elsewhere.to_string(),
        ]
    };
    let mut rows = vec![];
    for (low, high) in bands {
        let of = all.iter().copied().filter(|f| (low..high).contains(&f.elevation_deg)).collect();
        rows.push(row(format!("{low}° to {high}°"), of));
    }
    for (low, high) in stones {
        let of = all.iter().copied().filter(|f| (low..high).contains(&f.stones)).collect();
        rows.push(row(
            if high == usize::MAX { format!("{low} stones and more") } else { format!("{low} to {} stones", high - 1) },
            of,
        ));
    }
    rows.push(row("all".into(), all));
    table("Grids", &["views", "pictures", "right", "%", "95 % interval", "claimed elsewhere"], rows)
}

fn others(done: &[(Job, Result)]) -> Table {
    let row = |name: &str, is: &dyn Fn(&Job) -> bool| {
        let of: Vec<bool> = done
            .iter()
            .filter(|(job, _)| is(job))
            .filter_map(|(_, r)| if let Result::Other(claimed) = r { Some(*claimed) } else { None })
            .collect();
        vec![name.to_owned(), of.len().to_string(), of.iter().filter(|claimed| **claimed).count().to_string()]
    };
    let mut rows = vec![
        row("chessboards claimed on Go boards", &|job| matches!(job, Job::Go(_))),
        row("Go boards claimed on chessboards", &|job| matches!(job, Job::Chess(_))),
    ];
    rows.extend(PATTERNS.iter().map(|pattern| {
        row(&format!("on {}", pattern.name), &|job| matches!(job, Job::Pattern(other, _) if other.name == pattern.name))
    }));
    let photographs = [
        ("on photographs of chessboards", Photograph::Chess),
        ("on photographs of neither", Photograph::Neither),
        ("on photographs of Go boards, rightly", Photograph::Go),
    ];
    rows.extend(
        photographs.map(|(name, shows)| row(name, &|job| matches!(job, Job::Photograph(_, other) if *other == shows))),
    );
    table("Boards claimed where there are none of this game", &["", "pictures", "claimed"], rows)
}

fn timing(done: &[(Job, Result)], begin: Instant) -> Timing {
    let games = || done.iter().filter_map(|(_, r)| if let Result::Game(came) = r { Some(&**came) } else { None });
    Timing {
        name: "go".into(),
        seconds: begin.elapsed().as_secs_f64(),
        drawing_s: games().map(|c| c.drawing.as_secs_f64()).sum(),
        observing_s: games().map(|c| c.observing.as_secs_f64()).sum(),
        pictures: games().map(|c| c.pictures).sum(),
        plies: games().map(|c| c.plays).sum(),
        threads: rayon::current_num_threads(),
    }
}
