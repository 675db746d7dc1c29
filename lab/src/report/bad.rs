//! What is bad, the worst first: made of the same figures as everything else, so that nobody has to look for it.

use crate::{
    counts::Counts,
    experiments::{
        Experiment, Figures, Table,
        types::{Break, ProtocolFigures},
    },
    score::Score,
    table,
};

/// Runs that are named under each heading; the others are counted.
const NAMED: usize = 12;

/// A kind of harm, and where it was done, the worst first.
#[derive(Debug, Clone, PartialEq)]
pub struct Harm {
    /// What it is.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Where it was met, the worst first.
    pub table: Table,
    /// Runs with it that are not named.
    pub more: usize,
}

/// A run of some experiment, or a recording.
struct Run<'a> {
    of: &'a str,
    counts: &'a Counts,
}

/// Every kind of harm that was met, in the order of what it costs: wrong moves told, silence, false warnings, lost boards,
/// conditions that break the observer, games of which one protocol yields less than another.
#[must_use]
pub fn harms(experiments: &[&Experiment], recordings: &[Score]) -> Vec<Harm> {
    let of_recordings = table::counts(recordings);
    // The last of several is all of them together.
    let single = |counts: &[Counts]| if counts.len() > 1 { counts.len() - 1 } else { counts.len() };
    let mut runs: Vec<Run<'_>> = vec![];
    for experiment in experiments {
        let counts = &experiment.counts[..single(&experiment.counts)];
        runs.extend(counts.iter().map(|counts| Run { of: &experiment.name, counts }));
    }
    let counts = &of_recordings[..single(&of_recordings)];
    runs.extend(counts.iter().map(|counts| Run { of: "recordings", counts }));
    let all = [
        told_wrong(&runs),
        stalls(&runs),
        false_warnings(&runs),
        lost(recordings),
        broken(experiments),
        differing(experiments),
    ];
    all.into_iter().filter(|harm| !harm.table.rows.is_empty()).collect()
}

/// A heading with the worst of the runs, and how many there are beside them.
fn harm(title: &'static str, why: &'static str, header: &[&str], mut rows: Vec<Vec<String>>) -> Harm {
    let more = rows.len().saturating_sub(NAMED);
    rows.truncate(NAMED);
    let header = header.iter().map(|cell| (*cell).to_owned()).collect();
    Harm { title, why, table: Table { title: title.into(), header, rows }, more }
}

fn named(run: &Run<'_>) -> [String; 2] {
    let name = if run.counts.name.is_empty() { "all games" } else { &run.counts.name };
    [run.of.to_owned(), name.to_owned()]
}

fn told_wrong(runs: &[Run<'_>]) -> Harm {
    let mut bad: Vec<&Run<'_>> = runs.iter().filter(|run| run.counts.told_wrong.right > 0).collect();
    bad.sort_by_key(|run| std::cmp::Reverse(run.counts.told_wrong.right));
    let row = |run: &&Run<'_>| {
        let wrong = run.counts.told_wrong;
        let surest = run.counts.sure.bins.iter().rfind(|bin| bin.happened.right < bin.happened.of);
        let sure = surest.map_or_else(|| "–".into(), |bin| format!("{} %", 100.0 * bin.low));
        let cells = [wrong.count_text(), wrong.percent_text(), sure, run.counts.plies.percent_text()];
        named(run).into_iter().chain(cells).collect()
    };
    let why = "Moves published that nobody played, mended later or not: a robot would have acted on them. Surest: the bin of \
               the greatest confidence that one of them was told with.";
    let header = ["experiment", "run", "told wrong", "%", "surest: from", "plies right, %"];
    harm("Wrong moves told", why, &header, bad.iter().map(row).collect())
}

fn stalls(runs: &[Run<'_>]) -> Harm {
    let mut bad: Vec<&Run<'_>> = runs.iter().filter(|run| run.counts.stalls > 0).collect();
    // Silence first; among equals the longest.
    let plies = |run: &Run<'_>| run.counts.longest_unread.map_or(0, |stretch| stretch.plies);
    bad.sort_by_key(|run| std::cmp::Reverse((run.counts.silent_stalls, run.counts.stalls, plies(run))));
    let row = |run: &&Run<'_>| {
        let longest = run.counts.longest_unread.map_or_else(|| "–".into(), |stretch| stretch.text());
        let cells = [run.counts.stalls.to_string(), run.counts.silent_stalls.to_string(), longest];
        named(run).into_iter().chain(cells).collect()
    };
    let why = "Three plies and more that went by unread. Silent: the observer did not say that it was at a loss.";
    harm("Stalls", why, &["experiment", "run", "stalls", "silent", "longest"], bad.iter().map(row).collect())
}

fn false_warnings(runs: &[Run<'_>]) -> Harm {
    let mut bad: Vec<&Run<'_>> = runs.iter().filter(|run| run.counts.false_warnings > 0).collect();
    bad.sort_by_key(|run| std::cmp::Reverse(run.counts.false_warnings));
    let row = |run: &&Run<'_>| {
        let per = run.counts.false_warnings_per_1000_plies().map_or_else(|| "–".into(), |n| format!("{n:.1}"));
        named(run).into_iter().chain([run.counts.false_warnings.to_string(), per]).collect()
    };
    let why = "Illegal moves announced while nothing illegal stood on the board: a game was interrupted for nothing.";
    harm("False warnings", why, &["experiment", "run", "false", "per 1,000 plies"], bad.iter().map(row).collect())
}

fn lost(recordings: &[Score]) -> Harm {
    let mut bad: Vec<&Score> = recordings.iter().filter(|s| s.board.picture.is_none() || s.board.lost > 0).collect();
    bad.sort_by_key(|s| (s.board.picture.is_some(), std::cmp::Reverse(s.board.lost)));
    let row = |s: &&Score| {
        let found = s.board.picture.map_or_else(|| "never".into(), |picture| format!("at picture {picture}"));
        vec!["recordings".into(), s.name.clone(), found, s.board.lost.to_string()]
    };
    let why = "Boards that were not found, or lost on the way.";
    harm("Boards not found, or lost", why, &["experiment", "recording", "found", "lost"], bad.iter().map(row).collect())
}

fn broken(experiments: &[&Experiment]) -> Harm {
    let breaks = experiments.iter().filter_map(|experiment| match &experiment.figures {
        Figures::Conditions { breaks } => Some((experiment, breaks)),
        _ => None,
    });
    let mut bad: Vec<(&Experiment, &Break)> =
        breaks.flat_map(|(experiment, breaks)| breaks.iter().map(move |b| (*experiment, b))).collect();
    bad.retain(|(_, b)| b.at.is_some());
    // Weaker than reality first, then what reality has not told of, then what is beyond it.
    bad.sort_by_key(|(_, b)| match b.beyond_real {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    });
    let number = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| format!("{x}"));
    let row = |(experiment, b): &(&Experiment, &Break)| {
        let curve = experiment.curves.iter().find(|curve| curve.name == b.name);
        let grows = curve.map_or_else(String::new, |curve| curve.x_label.clone());
        vec![b.name.replace('_', " "), grows, number(b.at), number(b.real), b.why.join(", ")]
    };
    let why = "Conditions that break the observer: first those that break it at a strength that reality has.";
    let header = ["condition", "what grows", "breaks at", "in reality", "what is wrong there"];
    harm("Conditions that break it", why, &header, bad.iter().map(row).collect())
}

/// Games that are read better under one protocol than under another.
fn differing(experiments: &[&Experiment]) -> Harm {
    let mut rows: Vec<(f64, Vec<String>)> = vec![];
    for experiment in experiments {
        let Figures::Protocols { cells } = &experiment.figures else { continue };
        for game in cells.chunk_by(|a, b| a.source == b.source) {
            let share = |cell: &&ProtocolFigures| cell.counts.plies.percent;
            let Some(best) = game.iter().max_by(|a, b| share(a).total_cmp(&share(b))) else { continue };
            let Some(worst) = game.iter().min_by(|a, b| share(a).total_cmp(&share(b))) else { continue };
            let wrong = |cell: &&ProtocolFigures| cell.counts.told_wrong.right;
            let wrongs: Vec<usize> = game.iter().map(|cell| wrong(&cell)).collect();
            let [least, most] = [wrongs.iter().min(), wrongs.iter().max()].map(|n| n.copied().unwrap_or(0));
            if share(&best) == share(&worst) && least == most {
                continue;
            }
            let told = |cell: &ProtocolFigures| format!("{}: {}", cell.protocol, cell.counts.plies.count_text());
            let cells = [experiment.name.clone(), best.source.clone(), told(best), told(worst)];
            rows.push((
                share(&best) - share(&worst),
                cells.into_iter().chain([format!("{least} to {most}")]).collect(),
            ));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let why = "One game in several forms (stills, films of many and of few pictures a second): what one form loses and another \
               does not is the observer's fault, or what a slow film cannot show.";
    let header = ["experiment", "game", "best, plies right", "worst, plies right", "told wrong, by form"];
    harm("Protocols that differ", why, &header, rows.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{interval::Rate, stalls::Stretch};

    fn counts(name: &str, told_wrong: usize, silent: usize, false_warnings: usize) -> Counts {
        Counts {
            name: name.into(),
            plies: Rate::new(90, 100),
            told_wrong: Rate::new(told_wrong, 100),
            stalls: silent,
            silent_stalls: silent,
            longest_unread: Some(Stretch { ply: 1, plies: 5, seconds: None, said: silent == 0 }),
            false_warnings,
            ..Counts::default()
        }
    }

    #[test]
    fn the_worst_comes_first_and_what_is_good_is_not_told() {
        let all = ["fine", "bad", "worse"].iter().zip([0, 2, 7]).map(|(name, wrong)| counts(name, wrong, 0, 0));
        let experiment = Experiment {
            name: "ladder".into(),
            counts: all.chain([counts("all", 9, 0, 0)]).collect(),
            ..Experiment::default()
        };
        let told = harms(&[&experiment], &[]);
        let [harm] = &told[..] else { panic!("{told:?}") };
        let names: Vec<&str> = harm.table.rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!((harm.title, names), ("Wrong moves told", vec!["worse", "bad"]));
        assert_eq!(harm.table.rows[0][2], "7/100");
        assert!(harms(&[], &[]).is_empty());
    }

    #[test]
    fn only_so_many_are_named_and_silence_outranks_length() {
        let many = (0..20).map(|i| counts(&format!("run {i}"), 1 + i, i % 3, 0));
        let experiment = Experiment { counts: many.collect(), ..Experiment::default() };
        let told = harms(&[&experiment], &[]);
        assert_eq!(told.iter().map(|harm| harm.title).collect::<Vec<_>>(), ["Wrong moves told", "Stalls"]);
        assert_eq!((told[0].table.rows.len(), told[0].more), (NAMED, 19 - NAMED));
        assert_eq!(told[1].table.rows[0][3], "2");
        assert!(told.iter().all(|h| h.table.rows.iter().all(|row| row.len() == h.table.header.len())));
    }

    #[test]
    fn games_are_told_whose_protocols_differ_the_widest_gap_first() {
        let cell = |source: &str, protocol: &str, right: usize, wrong: usize| ProtocolFigures {
            source: source.into(),
            protocol: protocol.into(),
            counts: Counts { plies: Rate::new(right, 10), told_wrong: Rate::new(wrong, 10), ..counts(source, 0, 0, 0) },
        };
        let cells = vec![
            cell("equal", "stills", 9, 0),
            cell("equal", "film", 9, 0),
            cell("near", "stills", 10, 0),
            cell("near", "film", 10, 1),
            cell("far", "stills", 3, 0),
            cell("far", "film", 10, 2),
        ];
        let experiment = Experiment { figures: Figures::Protocols { cells }, ..Experiment::default() };
        let told = harms(&[&experiment], &[]);
        let [harm] = &told[..] else { panic!("{told:?}") };
        let rows: Vec<String> = harm.table.rows.iter().map(|row| row[1..].join(", ")).collect();
        assert_eq!(rows[0], "far, film: 10/10, stills: 3/10, 0 to 2");
        assert!(rows[1].starts_with("near, ") && rows.len() == 2, "{rows:?}");
    }
}
