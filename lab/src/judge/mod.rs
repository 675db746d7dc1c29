//! Scores, and nothing else, of what nobody has looked at: the judge half of the recordings and of the single pictures, and
//! simulated games of seeds that nobody has fitted anything to.
//!
//! There are no lists of faults and no pictures: whoever saw those would begin to fit on them.

mod floors;

use serde::{Deserialize, Serialize};

pub use self::floors::{Fall, Floors};
use super::{
    counts::Counts,
    experiments::{
        self, Table,
        lab::{Game, Lab, Task},
        protocols,
    },
    interval::Rate,
    latency::Spread,
    protocol::{Protocol, Source},
    simulated::ShowError,
    singles::{self, Singles},
    split::{Data, FIRST_JUDGE_SEED, Half},
    stalls::Stretch,
};

/// Experiments on simulated boards, and whether their quick version is enough: what takes its share of twenty minutes on
/// two cores.
const EXPERIMENTS: [(&str, bool); 5] =
    [("petkov", false), ("koray", false), ("anywhere", true), ("bumps", true), ("conditions", true)];
/// Of the quick run.
const QUICK_EXPERIMENTS: [(&str, bool); 2] = [("petkov", true), ("anywhere", true)];
/// Games that are played, and plies of each.
const GAMES: [usize; 2] = [8, 60];
/// Of the quick run.
const QUICK_GAMES: [usize; 2] = [2, 16];
/// What a single picture takes, in milliseconds: for progress bars.
const SINGLE_MS: u64 = 100;

/// One line: what was judged, and how well it was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// What was judged.
    pub name: String,
    /// Does it need the data? Else it is simulated.
    pub data: bool,
    /// Games, recordings or single pictures.
    pub games: usize,
    /// Plies right in the final record, of all; of single pictures those whose board was found where it is.
    pub right: Rate,
    /// Moves told wrongly, of all told; of single pictures boards claimed wrongly, of all claimed.
    pub told_wrong: Rate,
    /// Illegal changes announced where nothing illegal stood.
    pub false_warnings: usize,
    /// Seconds since the men were let go.
    pub since_let_go_s: Option<Spread>,
    /// The longest stretch of play that went by unread.
    pub longest_unread: Option<Stretch>,
    /// Stalls.
    pub stalls: usize,
    /// Stalls during which the observer said nothing.
    pub silent_stalls: usize,
    /// Mean of -ln of the probability given to what came true, in nats a move; `None` where no moves were told.
    pub log_loss_nats: Option<f64>,
}

impl Row {
    fn of(name: String, data: bool, counts: &Counts) -> Self {
        Self {
            name,
            data,
            games: counts.games,
            right: counts.plies,
            told_wrong: counts.told_wrong,
            false_warnings: counts.false_warnings,
            since_let_go_s: counts.since_let_go_s,
            longest_unread: counts.longest_unread,
            stalls: counts.stalls,
            silent_stalls: counts.silent_stalls,
            log_loss_nats: (counts.sure.right.of > 0).then_some(counts.sure.log_loss_nats),
        }
    }

    fn of_singles(singles: &Singles) -> Self {
        Self {
            name: format!("single pictures, {}", singles.name),
            data: true,
            games: singles.right.of,
            right: singles.right,
            told_wrong: singles.wrong,
            ..Self::default()
        }
    }

    fn cells(&self) -> Vec<String> {
        let dash = || "–".to_owned();
        let stalls = if self.stalls == 0 { "0".into() } else { format!("{} ({})", self.stalls, self.silent_stalls) };
        vec![
            self.name.clone(),
            self.games.to_string(),
            self.right.count_text(),
            self.right.percent_text(),
            self.right.interval_text(),
            self.told_wrong.count_text(),
            self.false_warnings.to_string(),
            self.since_let_go_s.map_or_else(dash, |spread| spread.text(1)),
            self.log_loss_nats.map_or_else(dash, |nats| format!("{nats:.3}")),
            self.longest_unread.map_or_else(dash, |stretch| stretch.text()),
            stalls,
        ]
    }
}

/// What was judged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Judgement {
    /// The small run.
    pub quick: bool,
    /// What chance decided follows from this number.
    pub seed: u64,
    /// The rows, in the order in which they are printed.
    pub rows: Vec<Row>,
    /// Jobs that were left out because somebody pressed Ctrl-C.
    pub left_out: usize,
}

impl Judgement {
    /// The summary.
    #[must_use]
    pub fn table(&self) -> Table {
        let head = [
            "judged",
            "games",
            "right",
            "%",
            "95 % interval",
            "told wrong",
            "false warnings",
            "since let go (s)",
            "log loss (nats)",
            "longest unread",
            "stalls",
        ];
        let rows = std::iter::once(head.map(str::to_owned).to_vec()).chain(self.rows.iter().map(Row::cells));
        Table::of("What judges: plies right (of single pictures: boards found)", rows.collect())
    }

    /// Was anything of the data judged?
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.rows.iter().any(|row| row.data)
    }
}

/// Judges: with the lab's watcher, parameters and games, the recordings and pictures of the data's judge half, and
/// simulated games.
///
/// # Errors
/// When the lab's seed is not one that judges; when a recording, a picture or a scene cannot be shown.
pub fn judge(lab: &mut Lab<'_>, data: Option<&Data>) -> Result<Judgement, ShowError> {
    if lab.seed < FIRST_JUDGE_SEED {
        let why = format!("seed {} is one to fit on: those that judge begin at {FIRST_JUDGE_SEED}", lab.seed);
        return Err(ShowError::Script(why));
    }
    let quick = lab.quick;
    let mut judgement = Judgement { quick, seed: lab.seed, ..Judgement::default() };
    if let Some(data) = data {
        let recordings = data.recordings(Half::Judge).into_iter().map(Source::Recording).collect();
        under_protocols(lab, "recordings", true, recordings, &mut judgement)?;
        for folder in data.singles(Half::Judge) {
            let task = Task { name: folder.display().to_string(), work_ms: SINGLE_MS, job: folder };
            let done = lab.work("single pictures", vec![task], |folder| {
                let singles = singles::run(folder).map_err(|e| ShowError::Recording(e.to_string()))?;
                lab.watch.advance(SINGLE_MS);
                Ok(Some(singles))
            })?;
            judgement.left_out += done.iter().filter(|(_, singles)| singles.is_none()).count();
            judgement.rows.extend(done.iter().filter_map(|(_, singles)| singles.as_ref()).map(Row::of_singles));
        }
    }
    let simulated = protocols::simulated(lab)?;
    under_protocols(lab, "simulated", false, simulated, &mut judgement)?;
    let [count, plies] = if quick { QUICK_GAMES } else { GAMES };
    let games: Vec<Game> = lab.sample(count, plies);
    let all = std::mem::replace(&mut lab.games, games);
    for &(name, quick) in if quick { QUICK_EXPERIMENTS.as_slice() } else { &EXPERIMENTS } {
        lab.quick = quick;
        let (experiment, _) = experiments::run(name, lab)?;
        judgement.left_out += experiment.left_out;
        judgement.rows.extend(experiment.counts.last().map(|counts| Row::of(name.to_owned(), false, counts)));
    }
    (lab.quick, lab.games) = (quick, all);
    Ok(judgement)
}

/// The sources under the protocols, a row for each of these.
fn under_protocols(
    lab: &Lab<'_>,
    what: &str,
    data: bool,
    sources: Vec<Source>,
    judgement: &mut Judgement,
) -> Result<(), ShowError> {
    let protocols: &[Protocol] = if lab.quick { &Protocol::QUICK } else { &Protocol::ALL };
    let (experiment, _) = protocols::shown(lab, what, sources, protocols)?;
    judgement.left_out += experiment.left_out;
    let rows = experiment.counts.iter().take(protocols.len()).filter(|counts| counts.games > 0);
    judgement.rows.extend(rows.map(|counts| Row::of(format!("{what}, {}", counts.name), data, counts)));
    Ok(())
}
