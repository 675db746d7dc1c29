//! Is each square seen rightly, and is sight as sure as it may be?
//!
//! The game needs whole placements and forgives much; here nothing is forgiven. What sight says of every square of every
//! clean picture is held against what stands there, and its probabilities against what comes true.
//!
//! | module | idea |
//! | --- | --- |
//! | `scenes` | good and fair conditions |
//! | `tables` | figures for people |

mod scenes;
mod tables;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use chess_observer::sim::{Disturbance, Scene};

use self::scenes::Named;
use super::{
    lab::{Game, Job, Lab, Results, Task},
    types::{Experiment, Figures, HandFigures, SquareFigures, Timing},
};
use crate::{
    interval::Rate,
    run::{Options, run as replay},
    simulated::{Shots, ShowError},
    squares::{BesideHand, Tally},
};

/// Games in each scene, and plies of each: some 7,500 squares a scene.
const GAMES: [usize; 2] = [3, 40];
/// The same for the quick version.
const QUICK: [usize; 2] = [1, 16];

/// A hand is in every so manyth picture of the scenes with hands.
const HAND_EVERY: usize = 3;

/// What a recording takes, in milliseconds: for progress bars.
const RECORDING_MS: u64 = 2000;

/// How good conditions are, and scenes in which they are so.
type Condition = (&'static str, Vec<Named>);

/// Scenes or recordings that are summed up together.
struct Group {
    name: &'static str,
    members: Vec<(String, Tally)>,
}

/// Runs the experiment.
///
/// # Errors
/// When a scene or a recording cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let begin = Instant::now();
    let [count, plies] = if lab.quick { QUICK } else { GAMES };
    let games = lab.sample(count, plies);
    let conditions = [("good", scenes::good()), ("fair", scenes::fair(plies))];
    let hands = scenes::hands();
    let results = lab.run("squares", jobs(lab, &games, &conditions, &hands))?;
    let groups = groups(&conditions, &results, recordings(lab)?);
    let mut experiment = lab.experiment("squares", "Squares: seen rightly, and how surely?", &what(lab.film));
    experiment.left_out = results.left_out;
    if !lab.recordings.is_empty() {
        experiment.command += " --recordings DIRS";
    }
    let figures: Vec<SquareFigures> = groups.iter().map(Group::figures).collect();
    let hands = beside_hands(&hands, &results);
    experiment.tables = tables::all(&groups, &figures, &hands);
    experiment.figures = Figures::Squares { groups: figures, hands };
    let timing = Timing { seconds: begin.elapsed().as_secs_f64(), ..results.timing };
    Ok((experiment, timing))
}

/// What is measured, in words.
fn what(film: bool) -> String {
    let how = if film { "films with hands" } else { "one clean picture a ply" };
    format!(
        "Every square of clean, settled pictures in which the observer looked: what it holds likeliest (empty, a \
         white man, a black man) against what stands there. Games in good conditions (50° and more, squares of 40 \
         pixels and more, soft shadows) and in fair ones, {how}; recordings where some are given. The first picture \
         of a game, from which the look of board and men is learnt, is not counted. In step: pictures before which \
         the record was what the pictures had shown; else sight compares with men that do not stand there. \
         Intervals take squares for independent, which those of one picture are not. Log loss: mean of -ln of the \
         probability of what stands there. Doubtful: squares that sight calls less than half reliable; covered: \
         those that it says are covered, though nothing covers them. With a hand in every third picture: squares \
         beside it are those of which it hides nothing, under it those of which it hides half and more."
    )
}

/// Every game in every scene, then in those with hands.
fn jobs(lab: &Lab<'_>, games: &[Game], conditions: &[Condition], hands: &[(Named, Disturbance)]) -> Vec<Job> {
    let shots = if lab.film { Shots::Film } else { Shots::Stills };
    let plain = conditions.iter().flat_map(|(_, scenes)| scenes).map(|named| (named, shots));
    let with_hands = hands.iter().map(|(named, disturbance)| (named, Shots::Disturbed(*disturbance, HAND_EVERY)));
    let of = |(named, shots): (&Named, Shots)| -> Vec<Job> {
        games.iter().map(|game| lab.job(named.name, game, &named.scene, shots)).collect()
    };
    plain.chain(with_hands).flat_map(of).collect()
}

/// What was seen, condition by condition and of the recordings, as far as anything was.
fn groups(conditions: &[Condition], results: &Results, recordings: Vec<(String, Tally)>) -> Vec<Group> {
    let tally = |named: &Named| {
        let mut sum = Tally::default();
        results.of(named.name).for_each(|done| sum.merge(&done.shown.squares));
        (named.name.to_owned(), sum)
    };
    let simulated = conditions.iter().map(|(name, scenes)| Group { name, members: scenes.iter().map(tally).collect() });
    let mut groups: Vec<Group> = simulated.chain([Group { name: "recordings", members: recordings }]).collect();
    for group in &mut groups {
        group.members.retain(|(_, tally)| tally.all().pictures + tally.unread > 0);
    }
    groups.retain(|group| !group.members.is_empty());
    groups
}

/// What was seen beside hands and under them, scene by scene.
fn beside_hands(hands: &[(Named, Disturbance)], results: &Results) -> Vec<HandFigures> {
    let figures = |(named, _): &(Named, Disturbance)| {
        let mut sum = BesideHand::default();
        results.of(named.name).for_each(|done| sum.merge(&done.shown.squares.hand));
        hand_figures(named.name, &sum)
    };
    hands.iter().map(figures).filter(|figures| figures.pictures > 0).collect()
}

/// The recordings that are given, as `lab --recordings` replays them, each with its name.
fn recordings(lab: &Lab<'_>) -> Result<Vec<(String, Tally)>, ShowError> {
    let options = Options { params: lab.params.clone(), ..Options::default() };
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let task = |path: &PathBuf| Task {
        name: format!("squares: {}", path.display()),
        work_ms: RECORDING_MS,
        job: path.clone(),
    };
    let asked = lab.recordings.iter().filter(|path| name(path).contains(&lab.only)).map(task).collect();
    let seen = lab.work("squares", asked, |path| {
        let outcome = replay(path, &options, || {}).map_err(|e| ShowError::Recording(e.to_string()))?;
        lab.watch.advance(RECORDING_MS);
        Ok(Some((outcome.score.name, outcome.squares)))
    })?;
    Ok(seen.into_iter().filter_map(|(_, seen)| seen).collect())
}

/// Scenes of each condition for the report's pictures; of the good ones those on other boards, for the others look alike.
pub(super) fn ends() -> Vec<(String, Scene, Shots)> {
    let good = scenes::good().into_iter().skip(4).take(4);
    let plain = good.chain(scenes::fair(GAMES[1])).map(|named| (named.name.to_owned(), named.scene, Shots::Stills));
    let hand =
        |(named, disturbance): (Named, _)| (named.name.to_owned(), named.scene, Shots::Disturbed(disturbance, 1));
    plain.chain(scenes::hands().into_iter().map(hand)).collect()
}

fn hand_figures(name: &str, sum: &BesideHand) -> HandFigures {
    HandFigures {
        name: name.into(),
        pictures: sum.pictures,
        beside_right: Rate::new(sum.beside_right, sum.beside),
        beside_covered: Rate::new(sum.beside_covered, sum.beside),
        under_covered: Rate::new(sum.under_covered, sum.under),
        under_surely_wrong: Rate::new(sum.under_surely_wrong, sum.under),
    }
}

impl Group {
    fn sum(&self) -> Tally {
        let mut sum = Tally::default();
        self.members.iter().for_each(|(_, tally)| sum.merge(tally));
        sum
    }

    fn figures(&self) -> SquareFigures {
        let sum = self.sum();
        let all = sum.all();
        SquareFigures {
            name: self.name.into(),
            pictures: all.pictures,
            right: all.right(),
            in_step: sum.in_step.right(),
            missed: all.missed,
            imagined: all.imagined,
            wrong_colour: all.wrong_colour,
            log_loss_nats: all.log_loss_nats(),
            calibration: all.calibration(),
        }
    }
}
