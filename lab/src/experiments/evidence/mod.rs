//! How good are the rules alone, when squares tell the truth, or nearly?
//!
//! No pictures: what stands on the board goes to the game square by square, with doubt by chance, every doubt as large as
//! it says. So what is wrong here is the inference's fault, and nobody else's.
//!
//! | module | idea |
//! | --- | --- |
//! | `told` | squares that are wrong as often as they say |
//! | `play` | a game shown look by look |
//! | `tables` | figures for people |

mod play;
mod tables;
mod told;

use std::time::Instant;

use chess_observer::sim::scene::Habits;

use self::{
    play::{Looks, Played, Setting, play},
    told::Doubt,
};
use super::{
    lab::{Done, Game, Lab, Results, Task, timing},
    types::{Experiment, Timing},
};
use crate::simulated::ShowError;

/// Games of the quick version, and plies of each.
const QUICK: (usize, usize) = (3, 40);
/// Flips and hidden squares, in per cent.
const FLIPS: [f64; 4] = [0.0, 0.1, 1.0, 3.0];
const HIDDEN: [f64; 3] = [0.0, 20.0, 40.0];
/// Looks after each ply, as a film that comes to rest has them.
const FILM: usize = 3;
/// Plies without a look between two looks.
const UNSEEN: [usize; 5] = [1, 2, 3, 4, 5];

/// What is shown under one heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Doubt of squares.
    Doubt,
    /// Plies that nobody saw.
    Unseen,
    /// What happens beside the moves.
    Incidents,
}

/// What came of one setting.
struct Run {
    part: Part,
    setting: Setting,
    games: Vec<(Game, Played)>,
}

fn none() -> Habits {
    Habits { adjust: 0.0, slide: 0.0, in_hand: 0.0, put_first: 0.0, ..Habits::default() }
}

fn settings() -> Vec<(Part, Setting)> {
    let share = |percent: f64| percent / 100.0;
    let mut all = vec![];
    let mut add = |part, name: String, doubt, looks, habits| all.push((part, Setting { name, doubt, looks, habits }));
    for hidden in HIDDEN {
        for flips in FLIPS {
            let doubt = Doubt { flips: share(flips), hidden: share(hidden), kinds: true };
            add(Part::Doubt, format!("{flips} % told wrongly, {hidden} % hidden"), doubt, Looks::Each(1), none());
        }
    }
    for (flips, hidden) in [(1.0, 0.0), (1.0, 40.0), (3.0, 40.0)] {
        let doubt = Doubt { flips: share(flips), hidden: share(hidden), kinds: true };
        let name = format!("film: {flips} % told wrongly, {hidden} % hidden");
        add(Part::Doubt, name, doubt, Looks::Each(FILM), none());
    }
    for flips in [0.0, 1.0] {
        let doubt = Doubt { flips: share(flips), hidden: 0.0, kinds: false };
        add(Part::Doubt, format!("colours only: {flips} % told wrongly"), doubt, Looks::Each(1), none());
    }
    for (kinds, flips) in [(true, 0.0), (true, 1.0), (false, 0.0)] {
        for unseen in UNSEEN {
            let doubt = Doubt { flips: share(flips), hidden: 0.0, kinds };
            let what = if kinds { "" } else { "colours only: " };
            let name = format!("{what}{unseen} unseen, {flips} % told wrongly");
            add(Part::Unseen, name, doubt, Looks::Missing(unseen, 1), none());
        }
    }
    for unseen in UNSEEN {
        let doubt = Doubt { flips: share(1.0), ..Doubt::NONE };
        let name = format!("film: {unseen} unseen, 1 % told wrongly");
        add(Part::Unseen, name, doubt, Looks::Missing(unseen, FILM), none());
    }
    let incidents = Habits {
        illegal: 0.2,
        touch: 0.05,
        take_back: 0.05,
        slow_castling: 0.4,
        rook_first: 0.3,
        late_promotion: 0.5,
        ..none()
    };
    for flips in [0.0, 1.0] {
        let doubt = Doubt { flips: share(flips), ..Doubt::NONE };
        add(Part::Incidents, format!("incidents, {flips} % told wrongly"), doubt, Looks::Each(2), incidents.clone());
    }
    let doubt = Doubt { flips: share(1.0), ..Doubt::NONE };
    add(Part::Incidents, "film: incidents, 1 % told wrongly".into(), doubt, Looks::Again(2 * FILM), incidents);
    add(Part::Incidents, "every hand's way".into(), Doubt::NONE, Looks::Making, Habits { in_hand: 0.4, ..none() });
    all
}

/// Runs the experiment.
///
/// # Errors
/// When a game cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let begin = Instant::now();
    let games: Vec<Game> = if lab.quick { lab.sample(QUICK.0, QUICK.1) } else { lab.games.clone() };
    let settings: Vec<(Part, Setting)> =
        settings().into_iter().filter(|(_, setting)| setting.name.contains(&lab.only)).collect();
    let task = |(number, game): (usize, &Game)| Task {
        name: format!("evidence: {}, {}", settings[number].1.name, game.name),
        // Half a millisecond a ply, and some for long searches.
        work_ms: game.plies() as u64,
        job: (number, game.clone()),
    };
    let each = (0..settings.len()).flat_map(|number| games.iter().map(move |game| (number, game)));
    let shown = lab.work("evidence", each.map(task).collect(), |(number, game)| {
        let played = play(game, &settings[*number].1, lab.seed_of(game))?;
        lab.watch.advance(game.plies() as u64);
        Ok(Some(played))
    })?;
    let left_out = shown.iter().filter(|(_, played)| played.is_none()).count();
    let mut runs: Vec<Run> =
        settings.iter().map(|(part, setting)| Run { part: *part, setting: setting.clone(), games: vec![] }).collect();
    for ((number, game), played) in shown {
        runs[number].games.extend(played.map(|played| (game, played)));
    }
    runs.retain(|run| !run.games.is_empty());

    let mut experiment = lab.experiment(
        "evidence",
        "Evidence: the rules alone",
        &format!(
            "No pictures. Each square tells what it holds, kind and colour (colours only: empty, white, black); so many \
             tell something else, drawn anew for every square and look, and tell it with the odds of being wrong; hidden \
             ones tell nothing. One look after each ply ({FILM} in a film) and a few more at the end. Unseen: so many \
             plies lie between two looks. A ply is right where the final record has it in its place; a position, where \
             the final record has it after the ply that was looked at: plies whose order leaves no trace on the board \
             can be told in another order and lead to the same position."
        ),
    );
    experiment.tables = tables::all(&runs);
    let timing = timing("evidence", begin, || runs.iter().flat_map(|run| &run.games).map(|(_, played)| &played.shown));
    // What lies unseen cannot be told from the board alone: its faults stand in its table.
    let kept = runs.into_iter().filter(|run| run.part != Part::Unseen);
    let done = kept.flat_map(|run| {
        let name = run.setting.name;
        run.games.into_iter().map(move |(game, played)| Done { run: name.clone(), game, shown: played.shown })
    });
    Results { done: done.collect(), left_out, timing: Timing::default() }.count_into(&mut experiment);
    Ok((experiment, timing))
}
