//! Conditions of real recordings that broke the observer, each simulated in growing strength: at what strength does it
//! break, and is that beyond what reality showed?
//!
//! A condition is a `Climb`; its `real` is the strength that was measured in a recording. It *breaks* at its first rung
//! with fewer than 99 % of the plies, a move told wrongly, a false warning, a stall, or an illegal move that is not
//! announced.
//!
//! | module | family |
//! | --- | --- |
//! | `light` | shadows that stay, tone curves, light of two lamps, and from a side |
//! | `colours` | men in the squares' colours, diffuse light |
//! | `hands` | hands that stay, hurry, or look like the board |
//! | `captures` | illegal moves that are hard to see, or let stand |
//! | `beginnings` | first pictures that are not like the others, boards that are not ready |
//! | `sights` | mirrored, flat and slipping views; printed, wooden and glass men, tall and flat ones |
//! | `streams` | pictures lost, frozen, misdated, banded, out of focus, compressed, damaged |

mod beginnings;
mod captures;
mod colours;
mod hands;
mod light;
mod sights;
mod streams;

use chess_observer::sim::Scene;

use super::{
    climb::{Climb, Rung, breaks},
    lab::{Game, Job, Lab, table},
    types::{Break, Experiment, Figures, Table, Timing},
};
use crate::simulated::{Shots, ShowError};

/// Games on each rung, and plies of each: films are long.
const GAMES: [usize; 2] = [2, 10];
/// The same for the quick version.
const QUICK: [usize; 2] = [1, 6];

/// Every condition, family by family. Where what grows is what happens at the board, it happens in these games.
fn climbs(games: &[Game]) -> Vec<Climb> {
    let families = [
        light::climbs(),
        colours::climbs(),
        hands::climbs(),
        beginnings::climbs(),
        captures::climbs(games),
        sights::climbs(),
        streams::climbs(),
    ];
    families.into_iter().flatten().collect()
}

/// A film of brisk play from half above: what is measured are conditions, not patience.
fn film() -> Scene {
    let mut scene = Scene::oblique(50.0);
    (scene.camera.frame_rate_hz, scene.sensor.samples) = (5.0, 1);
    (scene.pace.rest_min_s, scene.pace.rest_max_s, scene.pace.hand_m_s) = (1.2, 1.8, 0.8);
    scene
}

/// A rung for each strength: a scene that has so much of it.
fn of(values: &[f64], shots: Shots, scene: impl Fn(f64) -> Scene) -> Vec<Rung> {
    let rung = |&x: &f64| Rung { x, label: format!("{x}"), scene: scene(x), shots, games: None };
    values.iter().map(rung).collect()
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let [count, plies] = if lab.quick { QUICK } else { GAMES };
    let games = lab.sample(count, plies);
    let mut climbs = climbs(&games);
    if lab.quick {
        climbs.iter_mut().for_each(Climb::thin_out);
    }
    let results = lab.run("conditions", jobs(lab, &climbs, &games))?;
    let mut experiment = lab.experiment(
        "conditions",
        "Conditions that broke the observer in reality",
        "Each condition grows rung by rung while all else stays, and names the strength that was measured in a real \
         recording. It breaks at its first rung with fewer than 99 % of the plies, a move told wrongly (mended later or \
         not), a false warning, a stall (three plies or more that went by unread), or an illegal move that is not \
         announced.",
    );
    results.count_into(&mut experiment);
    experiment.curves = climbs.iter().filter_map(|climb| climb.curve(&results)).collect();
    let breaks: Vec<Break> = experiment.curves.iter().map(breaks).collect();
    experiment.tables = vec![broken(&climbs, &breaks)];
    experiment.figures = Figures::Conditions { breaks };
    Ok((experiment, results.timing))
}

fn jobs(lab: &Lab<'_>, climbs: &[Climb], games: &[Game]) -> Vec<Job> {
    let rungs = climbs.iter().flat_map(|climb| climb.rungs.iter().map(move |rung| (climb.run(rung), rung)));
    let jobs = rungs.flat_map(|(name, rung)| -> Vec<Job> {
        let games = rung.games.as_deref().unwrap_or(games);
        games.iter().map(|game| lab.job(&name, game, &rung.scene, rung.shots)).collect()
    });
    jobs.collect()
}

/// The table of conditions: where each breaks, and why.
fn broken(climbs: &[Climb], breaks: &[Break]) -> Table {
    let number = |x: Option<f64>| x.map_or_else(|| "–".into(), |x| format!("{x}"));
    let row = |b: &Break| {
        let climb = climbs.iter().find(|climb| climb.name == b.name)?;
        let verdict = match (b.at, b.beyond_real) {
            (None, _) => "never here",
            (_, Some(true)) => "yes",
            (_, Some(false)) => "no",
            (_, None) => "–",
        };
        let cells = [b.name.clone(), climb.x_label.into(), number(b.real), number(b.at), verdict.into()];
        Some(cells.into_iter().chain([b.why.join(", ")]).collect())
    };
    let header = ["condition", "what grows", "in reality", "breaks at", "beyond reality?", "what is wrong there"];
    table("Where it breaks", &header, breaks.iter().filter_map(row).collect())
}

/// The last rung of every condition: what it is, its scene, and which pictures are taken. What happens at the board is
/// not seen in a view, so of several that look the same the first is taken.
pub(super) fn ends() -> Vec<(String, Scene, Shots)> {
    let mut ends: Vec<(String, Scene, Shots)> = vec![];
    for mut climb in climbs(&[]) {
        let Some(last) = climb.rungs.pop() else { continue };
        if ends.iter().all(|(_, scene, shots)| (scene, *shots) != (&last.scene, last.shots)) {
            ends.push((format!("{}, {}: {}", climb.title, climb.x_label, last.label), last.scene, last.shots));
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::lab::{GAMES as GAMES_PGN, games};

    #[test]
    fn every_condition_begins_harmless_and_has_rungs_that_differ() {
        let games: Vec<Game> = games(GAMES_PGN).unwrap()[..2].iter().map(|game| game.first(6)).collect();
        let climbs = climbs(&games);
        for (i, climb) in climbs.iter().enumerate() {
            assert!(climbs[..i].iter().all(|other| other.name != climb.name), "{} stands twice", climb.name);
            assert!(climb.rungs.len() >= 3, "{}", climb.name);
            for (k, rung) in climb.rungs.iter().enumerate() {
                rung.scene.check().unwrap();
                for other in &climb.rungs[..k] {
                    assert!(
                        (&other.scene, other.shots, &other.games) != (&rung.scene, rung.shots, &rung.games),
                        "{} {} and {}",
                        climb.name,
                        other.label,
                        rung.label
                    );
                }
            }
        }
    }
}
