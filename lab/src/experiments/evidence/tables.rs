//! The figures of the rules alone, for people.

use std::collections::BTreeMap;

use chess_observer::event::{Event, reasons::Reasons};
use shakmaty::Move;

use super::{Part, Run};
use crate::{
    experiments::{
        lab::{Game, table},
        types::Table,
    },
    interval::Rate,
    score::incidents,
    simulated::Shown,
};

/// Every table that has a row.
pub(super) fn all(runs: &[Run]) -> Vec<Table> {
    let part = |part: Part| runs.iter().filter(move |run| run.part == part);
    let tables = [
        doubt(part(Part::Doubt).collect()),
        unseen(part(Part::Unseen).collect()),
        beside(part(Part::Incidents).collect()),
        by_reason(part(Part::Incidents).collect()),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

impl Run {
    fn rate(&self, of: impl Fn(&Game, &super::Played) -> Rate) -> Rate {
        self.games.iter().map(|(game, played)| of(game, played)).fold(Rate::new(0, 0), Rate::and)
    }

    fn plies(&self) -> Rate {
        self.rate(|_, played| Rate::new(played.shown.score.right, played.shown.score.plies))
    }

    fn perfect(&self) -> Rate {
        self.rate(|_, played| Rate::new(usize::from(played.shown.score.perfect), 1))
    }

    fn false_warnings(&self) -> usize {
        self.games.iter().map(|(_, played)| played.shown.score.warnings.wrong).sum()
    }

    fn most_scored(&self) -> usize {
        self.games.iter().map(|(_, played)| played.most_scored).max().unwrap_or(0)
    }
}

/// Castling, en passant, promotions: those in their place.
fn special(game: &Game, shown: &Shown) -> Rate {
    let special = |m: &Move| m.is_castle() || m.is_en_passant() || m.is_promotion();
    let plies = game.story.moves.iter().enumerate().filter(|(_, m)| special(m)).map(|(i, _)| i + 1);
    let wrong = |ply: &usize| shown.score.faults.iter().any(|fault| fault.ply == *ply && fault.correct.is_some());
    let (wrong, right): (Vec<usize>, Vec<usize>) = plies.partition(wrong);
    Rate::new(right.len(), wrong.len() + right.len())
}

fn doubt(runs: Vec<&Run>) -> Table {
    let row = |run: &&Run| {
        let (plies, perfect) = (run.plies(), run.perfect());
        vec![
            run.setting.name.clone(),
            plies.of.to_string(),
            plies.right.to_string(),
            plies.percent_text(),
            plies.interval_text(),
            run.rate(|_, played| played.in_hindsight()).percent_text(),
            perfect.count_text(),
            run.rate(|game, played| special(game, &played.shown)).count_text(),
            run.false_warnings().to_string(),
            run.most_scored().to_string(),
        ]
    };
    let header = [
        "squares",
        "plies",
        "right",
        "%",
        "95 % interval",
        "in hindsight, %",
        "perfect games",
        "special plies right",
        "false warnings",
        "most scored",
    ];
    table("Doubt of squares", &header, runs.iter().map(row).collect())
}

fn unseen(runs: Vec<&Run>) -> Table {
    let row = |run: &&Run| {
        let (plies, positions) = (run.plies(), run.rate(|_, played| played.positions));
        vec![
            run.setting.name.clone(),
            plies.of.to_string(),
            plies.percent_text(),
            plies.interval_text(),
            run.rate(|_, played| played.in_hindsight()).percent_text(),
            run.perfect().count_text(),
            positions.count_text(),
            positions.percent_text(),
            positions.interval_text(),
            run.rate(|_, played| played.positions_in_hindsight).percent_text(),
            run.false_warnings().to_string(),
        ]
    };
    let header = [
        "plies between looks",
        "plies",
        "right, %",
        "95 % interval",
        "in hindsight, %",
        "perfect games",
        "positions right",
        "%",
        "95 % interval",
        "in hindsight, %",
        "false warnings",
    ];
    table("Unseen plies", &header, runs.iter().map(row).collect())
}

fn beside(runs: Vec<&Run>) -> Table {
    let row = |run: &&Run| {
        let (plies, score) = (run.plies(), |of: &dyn Fn(&Shown) -> Rate| run.rate(|_, played| of(&played.shown)));
        let announced = score(&|s| Rate::new(s.score.warnings.announced, s.score.warnings.shown));
        let reason = score(&|s| Rate::new(s.score.warnings.reason_right, s.score.warnings.with_reason));
        vec![
            run.setting.name.clone(),
            plies.count_text(),
            run.perfect().count_text(),
            run.rate(|game, played| special(game, &played.shown)).count_text(),
            announced.count_text(),
            reason.count_text(),
            reason.percent_text(),
            run.rate(|_, played| played.once).count_text(),
            run.rate(|_, played| played.restored).count_text(),
            run.false_warnings().to_string(),
        ]
    };
    let header = [
        "shown",
        "plies right",
        "perfect games",
        "special plies right",
        "illegal announced",
        "reason right",
        "%",
        "told once",
        "restored",
        "false warnings",
    ];
    table("What happens beside the moves", &header, runs.iter().map(row).collect())
}

/// What became of the attempts whose first reason is this one.
#[derive(Debug, Clone, Copy, Default)]
struct OfReason {
    shown: usize,
    announced: usize,
    right: usize,
}

fn by_reason(runs: Vec<&Run>) -> Table {
    let mut rows: BTreeMap<(usize, String), OfReason> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        for (_, played) in &run.games {
            let Shown { truth, events, .. } = &played.shown;
            for incident in incidents(truth).iter().filter(|i| i.shown) {
                let reason = incident.event.strip_prefix("illegal:").unwrap_or_default();
                let told: Vec<Reasons> = events
                    .iter()
                    .filter(|(frame, _)| incident.pictures.contains(frame))
                    .filter_map(|(_, e)| if let Event::Illegal { reasons, .. } = e { Some(*reasons) } else { None })
                    .collect();
                let sum = rows.entry((number, reason.to_owned())).or_default();
                sum.shown += 1;
                sum.announced += usize::from(!told.is_empty());
                sum.right += usize::from(told.iter().any(|reasons| reasons.iter().any(|r| r.word() == reason)));
            }
        }
    }
    let row = |((number, reason), sum): (&(usize, String), &OfReason)| {
        let counts = [sum.shown, sum.announced, sum.right].map(|n| n.to_string());
        [runs[*number].setting.name.clone(), reason.clone()].into_iter().chain(counts).collect()
    };
    let header = ["shown", "first reason", "attempts", "announced", "with the reason"];
    table("Illegal attempts by reason", &header, rows.iter().map(row).collect())
}
