//! Where experiments are made: games, runs on all processors, and what all experiments count alike.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf, time::Instant};

use chess_observer::{
    game::{
        pgn_in::{GameText, PgnError, read_games},
        verdicts::role_name,
    },
    params::Params,
    sim::{Scene, Story, StoryError},
};
use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use shakmaty::{Chess, Position as _, Role};

use super::{
    share::{Share, Todo},
    types::{ErrorEntry, Experiment, Table, Tally, Timing},
};
use crate::{
    cause::{Cause, Explained, explain},
    counts::Counts,
    go::games::GoGame,
    interval::Rate,
    score::Score,
    simulated::{Shots, Show, ShowError, Shown},
};

/// The games that ship with the program, as PGN.
pub const GAMES: &str = include_str!("../../../games/classics.pgn");

/// Somebody who wants to know how far an experiment is, and who may stop it.
pub trait Watch: Sync {
    /// A part of `experiment` begins, which will take so long (see [`Task::work_ms`]).
    fn begin(&self, _experiment: &str, _work_ms: u64) {}
    /// So much of it is done.
    fn advance(&self, _work_ms: u64) {}
    /// Is it to stop? Asked between pictures; what is complete is kept.
    fn stopped(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// A game for experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// Its place in its collection, 1 for the first.
    pub number: usize,
    /// Players and year.
    pub name: String,
    /// What happens at the board.
    pub story: Story,
}

impl Game {
    /// The game as its text tells it, with what its comments tell to happen beside the moves.
    ///
    /// # Errors
    /// When a comment has a command of ours that is malformed or does not fit.
    pub fn new(number: usize, text: &GameText) -> Result<Self, StoryError> {
        let tags = text.tags();
        let surname = |name: &str| name.split([',', '/']).next().unwrap_or_default().trim().to_owned();
        let players: Vec<String> =
            [&tags.white, &tags.black].map(|n| surname(n)).into_iter().filter(|n| !n.is_empty()).collect();
        let mut name = players.join(" – ");
        let year: String = tags.date.chars().take_while(char::is_ascii_digit).collect();
        if !year.is_empty() {
            name = format!("{name} {year}");
        }
        if name.is_empty() {
            name = if tags.event.is_empty() { format!("game {number}") } else { tags.event };
        }
        Ok(Self { number, name: name.trim().to_owned(), story: Story::read(text)? })
    }

    /// The same game, cut off after so many plies.
    #[must_use]
    pub fn first(&self, plies: usize) -> Self {
        let mut game = self.clone();
        game.story.moves.truncate(plies);
        game.story.incidents.retain(|incident| incident.ply < plies);
        game
    }

    /// The same game, a ply shorter where every `every`th picture is disturbed and the last one would be: no later one
    /// could settle it.
    #[must_use]
    pub fn with_clean_end(&self, every: usize) -> Self {
        if self.plies().is_multiple_of(every) { self.first(self.plies().saturating_sub(1)) } else { self.clone() }
    }

    /// How many plies it has.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.story.moves.len()
    }

    /// The positions before each ply.
    fn positions(&self) -> impl Iterator<Item = (Chess, shakmaty::Move)> + '_ {
        let mut position = self.story.start.position().clone();
        self.story.moves.iter().map(move |&m| {
            let before = position.clone();
            position.play_unchecked(m);
            (before, m)
        })
    }
}

/// Why games cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GamesError {
    /// The text is not legal.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// A comment tells something that cannot happen.
    #[error(transparent)]
    Story(#[from] StoryError),
}

/// Every game of a PGN text.
///
/// # Errors
/// The first game that cannot be read.
pub fn games(text: &str) -> Result<Vec<Game>, GamesError> {
    let texts = read_games(text).into_iter().enumerate();
    texts.map(|(i, game)| Ok(Game::new(i + 1, &game?)?)).collect()
}

/// Where experiments are made.
pub struct Lab<'a> {
    /// What chance decides follows from this number.
    pub seed: u64,
    /// Smaller experiments, for a first impression.
    pub quick: bool,
    /// Films instead of still pictures where an experiment leaves the choice.
    pub film: bool,
    /// What the observer starts with.
    pub params: Params,
    /// The games that are played; each experiment takes those that it needs.
    pub games: Vec<Game>,
    /// Did the user give these games? Then none of them is left out.
    pub own_games: bool,
    /// Only runs in whose name this stands are made; empty: all.
    pub only: String,
    /// Recordings whose pictures the experiments `board` and `squares` look at beside their own.
    pub recordings: Vec<PathBuf>,
    /// Collections of single pictures that the experiment `board` looks at.
    pub singles: Vec<PathBuf>,
    /// Recordings of the train half, which the experiment `protocols` shows where no others are given.
    pub train: Vec<PathBuf>,
    /// Games of Go, for the experiment `go`.
    pub go_games: Vec<GoGame>,
    /// Which jobs are carried out here, and where the others' results are.
    pub share: Share,
    /// Who watches.
    pub watch: &'a dyn Watch,
}

impl std::fmt::Debug for Lab<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Lab {{ seed: {}, quick: {}, film: {}, games: {} }}",
            self.seed,
            self.quick,
            self.film,
            self.games.len()
        )
    }
}

/// A game in a scene, with the name of the run that it belongs to.
#[derive(Debug, Clone)]
pub struct Job {
    /// The run: a view, a light, a rung.
    pub run: String,
    /// The game.
    pub game: Game,
    /// How it is shown.
    pub show: Show,
}

/// A piece of work of an experiment, whatever it is.
#[derive(Debug, Clone)]
pub struct Task<J> {
    /// What it is called where something is wrong with it.
    pub name: String,
    /// How long it takes one processor, in milliseconds, as far as that can be said beforehand: progress is told in it.
    /// Whoever carries the task out tells the [`Watch`] as much, little by little.
    pub work_ms: u64,
    /// What is to be done.
    pub job: J,
}

/// A job that was carried out.
#[derive(Debug)]
pub struct Done {
    /// The run that it belongs to.
    pub run: String,
    /// The game.
    pub game: Game,
    /// What came of it.
    pub shown: Shown,
}

/// All jobs of an experiment that were carried out, in their order.
#[derive(Debug, Default)]
pub struct Results {
    /// The jobs.
    pub done: Vec<Done>,
    /// Jobs that were left out because the experiment was stopped.
    pub left_out: usize,
    /// What the clock said.
    pub timing: Timing,
}

/// What the clock said of an experiment that began then and has shown these games.
pub(super) fn timing<'a, I: Iterator<Item = &'a Shown>>(
    experiment: &str,
    begin: Instant,
    shown: impl Fn() -> I,
) -> Timing {
    Timing {
        name: experiment.to_owned(),
        seconds: begin.elapsed().as_secs_f64(),
        drawing_s: shown().map(|s| s.drawing.as_secs_f64()).sum(),
        observing_s: shown().map(|s| s.observing.as_secs_f64()).sum(),
        pictures: shown().map(|s| s.score.pictures).sum(),
        plies: shown().map(|s| s.score.plies).sum(),
        threads: rayon::current_num_threads(),
    }
}

impl Lab<'_> {
    /// What chance decides in a game follows from this.
    #[must_use]
    pub const fn seed_of(&self, game: &Game) -> u64 {
        self.seed.wrapping_mul(1009).wrapping_add(game.number as u64)
    }

    /// A job: the game in a scene. The men stand, and the noise falls, as the lab's seed and the game's number decide:
    /// the same in every run, so that runs differ in nothing but what they are about.
    #[must_use]
    pub fn job(&self, run: &str, game: &Game, scene: &Scene, shots: Shots) -> Job {
        let seed = self.seed_of(game);
        let show = Show { name: game.name.clone(), story: game.story.clone(), scene: scene.clone(), seed, shots };
        Job { run: run.to_owned(), game: game.clone(), show }
    }

    /// `count` games from all over the collection, the first `plies` plies of each.
    #[must_use]
    pub fn sample(&self, count: usize, plies: usize) -> Vec<Game> {
        let all = self.games.len();
        let count = count.min(all);
        (0..count).map(|i| self.games[i * all / count].first(plies)).collect()
    }

    /// Has this lab's share of the tasks carried out on all processors; their order stays. With each job comes what it
    /// yielded: nothing where it was left out, because somebody stopped the lab or because it is not in the share.
    ///
    /// All work of experiments goes through here: so it can be shared, stopped and taken up again. A job must not depend on
    /// what another one has yielded.
    ///
    /// # Errors
    /// Those of `carry_out`, which returns nothing where it was stopped; and when what a job yields cannot be kept or looked
    /// up.
    pub fn work<J: Send, R: Serialize + DeserializeOwned + Send>(
        &self,
        experiment: &str,
        tasks: Vec<Task<J>>,
        carry_out: impl Fn(&J) -> Result<Option<R>, ShowError> + Sync,
    ) -> Result<Vec<(J, Option<R>)>, ShowError> {
        let first = self.share.number(tasks.len());
        let todo = |index: usize| self.share.todo(first + index as u64);
        let ours = tasks.iter().enumerate().filter(|(index, _)| todo(*index) == Todo::CarryOut);
        self.watch.begin(experiment, ours.map(|(_, task)| task.work_ms).sum());
        if self.share.is_rehearsal() {
            return Ok(tasks.into_iter().map(|task| (task.job, None)).collect());
        }
        let kept = |why: String| ShowError::Kept(why);
        let one = |(index, Task { name, job, .. }): (usize, Task<J>)| {
            let number = first + index as u64;
            let yielded = match todo(index) {
                Todo::Leave => None,
                // No figures are made of a part of the run, so nothing needs to be looked up.
                Todo::LookUp if self.share.is_partial() => None,
                Todo::LookUp => Some(self.share.look_up(number, &name).map_err(kept)?),
                Todo::CarryOut if self.watch.stopped() => None,
                Todo::CarryOut => {
                    let yielded = carry_out(&job)?;
                    if let Some(yielded) = &yielded {
                        self.share.keep(number, &name, yielded).map_err(|e| kept(e.to_string()))?;
                    }
                    yielded.filter(|_| !self.share.is_partial())
                }
            };
            Ok((job, yielded))
        };
        // A job is a long piece of work: no processor takes two while another has none.
        tasks.into_par_iter().enumerate().with_max_len(1).map(one).collect()
    }

    /// Shows games on all processors; their order stays.
    ///
    /// # Errors
    /// When a scene or a story is refused.
    pub fn run(&self, experiment: &str, mut jobs: Vec<Job>) -> Result<Results, ShowError> {
        jobs.retain(|job| job.run.contains(&self.only));
        let begin = Instant::now();
        let task = |job: Job| Task {
            name: format!("{experiment}: {}, {}", job.run, job.game.name),
            work_ms: job.game.plies() as u64 * job.show.ply_ms(),
            job,
        };
        let shown = self.work(experiment, jobs.into_iter().map(task).collect(), |job| {
            let (mut ply, ply_ms) = (0, job.show.ply_ms());
            job.show.run(&self.params, |frame, _| {
                // What is taken back and played again is no progress.
                self.watch.advance(frame.ply.saturating_sub(ply) as u64 * ply_ms);
                ply = ply.max(frame.ply);
                if self.watch.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })?;
        let left_out = shown.iter().filter(|(_, shown)| shown.is_none()).count();
        let done = |(job, shown): (Job, Option<Shown>)| Some(Done { run: job.run, game: job.game, shown: shown? });
        let done: Vec<Done> = shown.into_iter().filter_map(done).collect();
        let timing = timing(experiment, begin, || done.iter().map(|d| &d.shown));
        Ok(Results { done, left_out, timing })
    }

    /// An experiment with its headings, and nothing in it yet.
    #[must_use]
    pub fn experiment(&self, name: &str, title: &str, what: &str) -> Experiment {
        let quick = if self.quick { " --quick" } else { "" };
        let film = if self.film { " --film" } else { "" };
        let only = if self.only.is_empty() { String::new() } else { format!(" --only {:?}", self.only) };
        Experiment {
            name: name.into(),
            title: title.into(),
            what: what.into(),
            command: format!("lab --experiments {name} --seed {}{quick}{film}{only}", self.seed),
            seed: self.seed,
            quick: self.quick,
            ..Experiment::default()
        }
    }
}

impl Results {
    /// Puts what all experiments count alike into one of them: what was told in every run; faults, by man and by cause.
    pub fn count_into(&self, experiment: &mut Experiment) {
        experiment.left_out += self.left_out;
        experiment.counts = self.counts();
        experiment.errors.extend(self.done.iter().flat_map(errors));
        let played = self.done.iter().flat_map(|d| d.game.positions().map(|(_, m)| m.role()).collect::<Vec<_>>());
        let mut plies: BTreeMap<Role, usize> = BTreeMap::new();
        played.for_each(|role| *plies.entry(role).or_default() += 1);
        for role in Role::ALL {
            let name = role_name(role);
            let of = plies.get(&role).copied().unwrap_or(0);
            let errors = experiment.errors.iter().filter(|e| e.piece == name).count();
            experiment.by_piece.push(Tally { name: name.into(), errors, of });
        }
        let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
        experiment.errors.iter().for_each(|e| *causes.entry(e.cause).or_default() += 1);
        let of = plies.values().sum();
        experiment.by_cause =
            causes.into_iter().map(|(cause, errors)| Tally { name: cause.words().into(), errors, of }).collect();
        // Stable: causes of equal number keep their order.
        experiment.by_cause.sort_by_key(|tally| std::cmp::Reverse(tally.errors));
    }

    /// What is counted of every run, in their order, and of all together where there are several.
    fn counts(&self) -> Vec<Counts> {
        let mut runs: Vec<&str> = vec![];
        self.done.iter().for_each(|d| {
            if !runs.contains(&d.run.as_str()) {
                runs.push(&d.run)
            }
        });
        let scores = |run: Option<&str>| -> Vec<&Score> {
            self.done.iter().filter(|d| run.is_none_or(|run| d.run == run)).map(|d| &d.shown.score).collect()
        };
        let mut counts: Vec<Counts> = runs.iter().map(|run| Counts::of(run, &scores(Some(run)))).collect();
        if counts.len() != 1 {
            counts.push(Counts::of("all", &scores(None)));
        }
        counts
    }

    /// Those of a run.
    pub fn of<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a Done> {
        self.done.iter().filter(move |d| d.run == run)
    }
}

/// Plies right, of all.
pub fn plies_right<'a>(done: impl Iterator<Item = &'a Done>) -> Rate {
    let (right, of) = done.fold((0, 0), |(r, n), d| (r + d.shown.score.right, n + d.shown.score.plies));
    Rate::new(right, of)
}

/// Games right from first to last ply, of all.
pub fn perfect<'a>(done: impl Iterator<Item = &'a Done>) -> Rate {
    let (right, of) = done.fold((0, 0), |(r, n), d| (r + usize::from(d.shown.score.perfect), n + 1));
    Rate::new(right, of)
}

/// Illegal moves announced where nothing illegal stood on the board.
pub fn false_warnings<'a>(done: impl Iterator<Item = &'a Done>) -> usize {
    done.map(|d| d.shown.score.warnings.wrong).sum()
}

/// How games were read, as cells of a table: plies, those right, their share, its interval, games right throughout, false
/// warnings.
pub fn score_cells<'a, I: Iterator<Item = &'a Done>>(done: impl Fn() -> I) -> [String; 6] {
    let plies = plies_right(done());
    [
        plies.of.to_string(),
        plies.right.to_string(),
        plies.percent_text(),
        plies.interval_text(),
        perfect(done()).count_text(),
        false_warnings(done()).to_string(),
    ]
}

/// Games in which the board was found, of all.
pub fn boards_found<'a>(done: impl Iterator<Item = &'a Done>) -> Rate {
    let (found, of) = done.fold((0, 0), |(f, n), d| (f + usize::from(d.shown.score.board.picture.is_some()), n + 1));
    Rate::new(found, of)
}

/// Squares of clean pictures whose likeliest content is the true one, of all.
pub fn squares_right<'a>(done: impl Iterator<Item = &'a Done>) -> Rate {
    done.map(|d| d.shown.squares.all().right()).fold(Rate::new(0, 0), Rate::and)
}

fn errors(done: &Done) -> Vec<ErrorEntry> {
    let faults = explain(&done.shown.truth, &done.shown.events).into_iter();
    faults.map(|fault| entry(&done.run, done.game.number, &done.game.name, fault)).collect()
}

/// A fault of a run's game.
pub(super) fn entry(run: &str, game: usize, game_name: &str, fault: Explained) -> ErrorEntry {
    ErrorEntry {
        run: run.into(),
        game,
        game_name: game_name.into(),
        ply: fault.ply,
        number: fault.number,
        correct: fault.correct,
        read: fault.read,
        piece: role_name(fault.role).into(),
        cause: fault.cause,
        picture: fault.picture,
    }
}

/// A table from a heading, names of columns and rows.
#[must_use]
pub fn table(title: &str, header: &[&str], rows: Vec<Vec<String>>) -> Table {
    Table { title: title.into(), header: header.iter().map(|h| (*h).to_owned()).collect(), rows }
}
