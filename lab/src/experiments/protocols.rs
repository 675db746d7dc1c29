//! One and the same game under every protocol: as stills with their times and without, as films of many and of few
//! pictures a second. What differs in a row of the tables is a fault of the observer's, not of the game's.

use std::{ops::ControlFlow, time::Instant};

use chess_observer::sim::Scene;
use serde::{Deserialize, Serialize};

use super::{
    lab::{Game, Lab, Task, entry, table},
    types::{ErrorEntry, Experiment, Figures, ProtocolFigures, Table, Timing},
};
use crate::{
    counts::Counts,
    protocol::{Protocol, Showing, Simulated, Source},
    score::Score,
    simulated::ShowError,
    split,
    stalls::Stretch,
};

/// Scenes that ship with the program: a club in the evening, overhead by day, hard shadows, hands all the time.
const SCENES: [(&str, &str); 4] = [
    ("oblique55_evening_club", include_str!("../../../scenes/oblique55_evening_club.toml")),
    ("overhead_daylight_walnut", include_str!("../../../scenes/overhead_daylight_walnut.toml")),
    ("side45_hard_point_green_vinyl", include_str!("../../../scenes/side45_hard_point_green_vinyl.toml")),
    ("blitz", include_str!("../../../scenes/blitz.toml")),
];
/// Plies of each simulated game: castling and captures are among them, and a film of them lasts two minutes.
const PLIES: usize = 24;
/// Plies of each game of the quick version, recordings included.
const QUICK_PLIES: usize = 8;
/// What a picture takes to be drawn or decoded and looked at under all protocols, in milliseconds: for progress bars.
const PICTURE_MS: u64 = 100;

/// What a source yielded under one protocol.
#[derive(Debug, Serialize, Deserialize)]
struct Yielded {
    protocol: Protocol,
    score: Score,
    errors: Vec<ErrorEntry>,
    reading_s: f64,
}

/// Runs the experiment on the recordings of the lab, or else on those of the train half, and on simulated games.
///
/// # Errors
/// When a recording cannot be read, or a scene cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let recordings = if lab.recordings.is_empty() { &lab.train } else { &lab.recordings };
    let none_there = recordings.is_empty();
    let mut sources: Vec<Source> = recordings.iter().cloned().map(Source::Recording).collect();
    sources.extend(simulated(lab)?);
    sources.retain(|source| source.name().contains(&lab.only));
    let protocols: &[Protocol] = if lab.quick { &Protocol::QUICK } else { &Protocol::ALL };
    let (mut experiment, timing) = shown(lab, "protocols", sources, protocols)?;
    if none_there {
        let note = format!("No recordings: neither --recordings nor a folder with {} was given (--data).", split::FILE);
        experiment.notes.push(note);
    }
    Ok((experiment, timing))
}

/// A game in each scene; in the quick version in the first alone.
///
/// # Errors
/// When a scene cannot be read.
pub fn simulated(lab: &Lab<'_>) -> Result<Vec<Source>, ShowError> {
    let count = if lab.quick { 1 } else { SCENES.len() };
    let games = lab.sample(count, PLIES);
    let source = |((name, text), game): (&(&str, &str), &Game)| {
        let scene = Scene::from_toml(text).map_err(|e| ShowError::Script(format!("{name}: {e}")))?;
        let (name, seed) = (format!("simulated {name}"), lab.seed_of(game));
        Ok(Source::Simulated(Box::new(Simulated { name, story: game.story.clone(), scene, seed })))
    };
    SCENES.iter().take(count).zip(games.iter().cycle()).map(source).collect()
}

/// The scenes of the report's pictures.
pub(super) fn ends() -> Vec<(String, Scene)> {
    let named = |(name, text): &(&str, &str)| Some(((*name).to_owned(), Scene::from_toml(text).ok()?));
    SCENES.iter().filter_map(named).collect()
}

/// Shows the sources under the protocols.
///
/// # Errors
/// When a recording cannot be read, or a scene cannot be shown.
pub(crate) fn shown(
    lab: &Lab<'_>,
    name: &str,
    sources: Vec<Source>,
    protocols: &[Protocol],
) -> Result<(Experiment, Timing), ShowError> {
    let begin = Instant::now();
    let task = |(number, source): (usize, Source)| Task {
        name: format!("{name}: {}", source.name()),
        work_ms: pictures(&source, lab.quick) * PICTURE_MS,
        job: (number + 1, source),
    };
    let tasks = sources.into_iter().enumerate().map(task).collect();
    let done = lab.work(name, tasks, |(number, source)| one(lab, *number, source, protocols))?;
    let mut experiment = lab.experiment(
        name,
        "Protocols: one game in many forms",
        "Each game as stills with their true times (where these are known) and without (then five a second, as a folder \
         without times is read), and as films of 30 to 0.2 pictures a second. A recorded film, or one that the simulator \
         has drawn at the scene's own rate, is thinned out, or its pictures are held with fresh noise; its stills are one \
         clean picture of each position. Of recorded stills a film is made: clean pictures are held for 0.4 to 3 s, \
         pictures with hands for 0.1 to 2.4 s, by chance that the seed decides. What differs within a row is a fault to \
         explain.",
    );
    experiment.left_out = done.iter().filter(|(_, yielded)| yielded.is_none()).count();
    let names: Vec<String> = done.iter().map(|((_, source), _)| source.name()).collect();
    let yielded: Vec<(&str, Vec<Yielded>)> = names
        .iter()
        .map(String::as_str)
        .zip(done.into_iter().map(|(_, yielded)| yielded))
        .filter_map(|(name, yielded)| Some((name, yielded?)))
        .collect();
    let timing = timing(name, begin, &yielded);
    count(&mut experiment, protocols, &yielded);
    Ok((experiment, timing))
}

/// How many pictures a source has, as far as that is known without drawing them.
fn pictures(source: &Source, quick: bool) -> u64 {
    /// Pictures of a simulated ply: ten a second for five seconds.
    const OF_A_PLY: usize = 50;
    let count = match source {
        Source::Recording(path) => std::fs::read_dir(path.join("frames")).map_or(0, Iterator::count),
        Source::Simulated(of) => of.story.moves.len().min(if quick { QUICK_PLIES } else { PLIES }) * OF_A_PLY,
    };
    count as u64
}

/// Shows one source under the protocols.
fn one(
    lab: &Lab<'_>,
    number: usize,
    source: &Source,
    protocols: &[Protocol],
) -> Result<Option<Vec<Yielded>>, ShowError> {
    let plies = if lab.quick { QUICK_PLIES } else { usize::MAX };
    let how = Showing { protocols, plies, params: &lab.params, seed: lab.seed, samples: false };
    let begin = Instant::now();
    let mut tick = || {
        lab.watch.advance(PICTURE_MS);
        if lab.watch.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let shown = source.show(&how, &mut tick).map_err(|e| ShowError::Recording(e.to_string()))?;
    let Some(shown) = shown else { return Ok(None) };
    let observing_s: f64 = shown.iter().map(|one| one.score.observing_s).sum();
    let reading_s = (begin.elapsed().as_secs_f64() - observing_s) / shown.len().max(1) as f64;
    let name = source.name();
    let yielded = |one: crate::protocol::Shown| Yielded {
        errors: one.faults.into_iter().map(|fault| entry(&one.protocol.name(), number, &name, fault)).collect(),
        protocol: one.protocol,
        score: one.score,
        reading_s,
    };
    Ok(Some(shown.into_iter().map(yielded).collect()))
}

fn timing(name: &str, begin: Instant, yielded: &[(&str, Vec<Yielded>)]) -> Timing {
    let all = || yielded.iter().flat_map(|(_, all)| all);
    Timing {
        name: name.into(),
        seconds: begin.elapsed().as_secs_f64(),
        drawing_s: all().map(|y| y.reading_s).sum(),
        observing_s: all().map(|y| y.score.observing_s).sum(),
        pictures: all().map(|y| y.score.pictures).sum(),
        plies: all().map(|y| y.score.plies).sum(),
        threads: rayon::current_num_threads(),
    }
}

/// Puts counts, tables and faults into the experiment.
fn count(experiment: &mut Experiment, protocols: &[Protocol], yielded: &[(&str, Vec<Yielded>)]) {
    let of = |protocol: Protocol| {
        let all = yielded.iter().flat_map(|(_, all)| all).filter(move |y| y.protocol == protocol);
        all.map(|y| &y.score).collect::<Vec<&Score>>()
    };
    experiment.counts = protocols.iter().map(|p| Counts::of(&p.name(), &of(*p))).collect();
    let all: Vec<&Score> = yielded.iter().flat_map(|(_, all)| all).map(|y| &y.score).collect();
    experiment.counts.push(Counts::of("all", &all));
    experiment.errors = yielded.iter().flat_map(|(_, all)| all).flat_map(|y| y.errors.clone()).collect();
    let figures = |(name, all): &(&str, Vec<Yielded>)| {
        let one = |y: &Yielded| ProtocolFigures {
            source: (*name).to_owned(),
            protocol: y.protocol.name(),
            counts: Counts::of(name, &[&y.score]),
        };
        all.iter().map(one).collect::<Vec<_>>()
    };
    let cells: Vec<ProtocolFigures> = yielded.iter().flat_map(figures).collect();
    let sources: Vec<&str> = yielded.iter().map(|(name, _)| *name).collect();
    experiment.tables = tables(protocols, &sources, &cells, &experiment.counts);
    experiment.figures = Figures::Protocols { cells };
}

/// Sources by protocols: plies right, moves told wrongly, seconds, and the longest stretch unread.
fn tables(protocols: &[Protocol], sources: &[&str], cells: &[ProtocolFigures], sums: &[Counts]) -> Vec<Table> {
    type Cell = fn(&Counts) -> String;
    let kinds: [(&str, Cell); 4] = [
        ("Plies right", |c| c.plies.count_text()),
        ("Moves told wrongly, mended later or not", |c| c.told_wrong.right.to_string()),
        ("Seconds since the man was let go: median / 95 %", |c| {
            c.since_let_go_s.map_or_else(|| "–".into(), |s| format!("{:.1} / {:.1}", s.median, s.most_of_95))
        }),
        ("Most plies that went by unread (in brackets: silently)", |c| {
            c.longest_unread.map_or_else(|| "0".into(), plies)
        }),
    ];
    let names: Vec<String> = protocols.iter().map(|p| p.name()).collect();
    let header: Vec<&str> = std::iter::once("game").chain(names.iter().map(String::as_str)).collect();
    let made = |(title, cell): (&str, Cell)| {
        let row = |source: &&str| {
            let at = |protocol: &String| {
                let found = cells.iter().find(|c| c.source == **source && c.protocol == *protocol);
                found.map_or_else(|| "–".into(), |found| cell(&found.counts))
            };
            std::iter::once((*source).to_owned()).chain(names.iter().map(at)).collect::<Vec<String>>()
        };
        let mut rows: Vec<Vec<String>> = sources.iter().map(row).collect();
        if sources.len() > 1 {
            let all = sums.iter().take(names.len()).map(|sum| if sum.games == 0 { "–".into() } else { cell(sum) });
            rows.push(std::iter::once("all".to_owned()).chain(all).collect());
        }
        table(title, &header, rows)
    };
    kinds.into_iter().map(made).collect()
}

fn plies(stretch: Stretch) -> String {
    if stretch.said { stretch.plies.to_string() } else { format!("({})", stretch.plies) }
}
