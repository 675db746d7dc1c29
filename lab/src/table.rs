//! The figures of all recordings, for people.

use std::fmt::Write as _;

use super::{
    columns::{columns, fold},
    counts::{Counts, MEANINGS, SURE, TOLD, sure_rows, told_rows},
    experiments::{Table, print::table_text},
    latency::Spread,
    score::Score,
};

/// Sums of several recordings: counts are added, delays pooled; the first fault is of no one recording.
#[must_use]
pub fn total(scores: &[Score]) -> Score {
    let mut sum = Score { name: "all".into(), duration_s: Some(0.0), ..Score::default() };
    for s in scores {
        sum.pictures += s.pictures;
        sum.bad_pictures += s.bad_pictures;
        sum.plies += s.plies;
        sum.read += s.read;
        sum.right += s.right;
        sum.delays.extend(&s.delays);
        sum.told.extend(s.told.iter().cloned());
        sum.unread.extend(&s.unread);
        sum.duration_s = sum.duration_s.zip(s.duration_s).map(|(a, b)| a + b);
        sum.warnings.shown += s.warnings.shown;
        sum.warnings.announced += s.warnings.announced;
        sum.warnings.with_reason += s.warnings.with_reason;
        sum.warnings.reason_right += s.warnings.reason_right;
        sum.warnings.wrong += s.warnings.wrong;
        sum.board.lost += s.board.lost;
        sum.observing_s += s.observing_s;
        sum.total_s += s.total_s;
    }
    sum.perfect = scores.iter().all(|s| s.perfect);
    sum
}

/// Median and largest delay since the hand was gone, in pictures: `1 / 5`; a dash where nothing was right.
#[must_use]
pub fn delay_pictures(score: &Score) -> String {
    let spread = Spread::pictures(score.delays.iter());
    spread.map_or_else(|| "–".into(), |spread| format!("{} / {}", spread.median, spread.most))
}

const HEAD: [&str; 13] = [
    "recording",
    "pictures",
    "plies",
    "right",
    "%",
    "first fault",
    "perfect",
    "delay (pictures)",
    "illegal",
    "reason",
    "false",
    "result",
    "board",
];
const SPEED: &str = "ms/picture";

/// A table, one line for each recording and one for all of them.
#[must_use]
pub fn table(scores: &[Score]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned).into_iter().chain([SPEED.to_owned()]).collect::<Vec<_>>()];
    lines.extend(scores.iter().map(|s| row(s, None)));
    if scores.len() > 1 {
        let perfect = scores.iter().filter(|s| s.perfect).count();
        lines.push(row(&total(scores), Some((perfect, scores.len()))));
    }
    let more = count_tables(scores).iter().map(|table| format!("\n{}", table_text(table))).collect::<String>();
    columns(&lines) + &more
}

/// What is counted of every recording, and of all together where there are several.
#[must_use]
pub fn counts(scores: &[Score]) -> Vec<Counts> {
    let mut counts: Vec<Counts> = scores.iter().map(|score| Counts::of(&score.name, &[score])).collect();
    if scores.len() != 1 {
        counts.push(Counts::of("all", &scores.iter().collect::<Vec<_>>()));
    }
    counts
}

/// What was told and when, and how far the confidences of all recordings together hold.
#[must_use]
pub fn count_tables(scores: &[Score]) -> [Table; 2] {
    let counts = counts(scores);
    let sure = counts.last().map_or_else(Vec::new, sure_rows);
    [Table::of(TOLD, told_rows(&counts.iter().collect::<Vec<_>>())), Table::of(SURE, sure)]
}

/// What is counted, in words.
#[must_use]
pub fn meanings() -> String {
    MEANINGS
        .iter()
        .fold("What is counted\n".into(), |text, (name, meaning)| text + &fold(&format!("{name}: {meaning}.")))
}

/// `perfect`: how many of how many, in the line of all.
fn row(s: &Score, perfect: Option<(usize, usize)>) -> Vec<String> {
    let none = || "–".to_owned();
    let of = |part: usize, whole: usize| if whole == 0 { none() } else { format!("{part}/{whole}") };
    let percent = if s.plies == 0 { none() } else { format!("{:.1}", 100.0 * s.right as f64 / s.plies as f64) };
    let board = match (s.board.picture, s.board.worst_corner_squares) {
        (None, _) => none(),
        (Some(picture), None) => format!("@{picture}"),
        (Some(picture), Some(error)) => format!("@{picture} ±{error:.2}"),
    };
    let result = match (&s.result, &s.result_read) {
        (None, None) => none(),
        (Some(a), Some(b)) if a == b => "right".into(),
        (Some(_), None) => "missed".into(),
        _ => "wrong".into(),
    };
    vec![
        s.name.clone(),
        s.pictures.to_string(),
        s.plies.to_string(),
        s.right.to_string(),
        percent,
        if perfect.is_some() { none() } else { s.first_fault.map_or_else(none, |f| f.to_string()) },
        perfect.map_or_else(|| if s.perfect { "yes" } else { "no" }.to_owned(), |(part, whole)| of(part, whole)),
        delay_pictures(s),
        of(s.warnings.announced, s.warnings.shown),
        of(s.warnings.reason_right, s.warnings.with_reason),
        s.warnings.wrong.to_string(),
        if perfect.is_some() { none() } else { result },
        if perfect.is_some() { none() } else { board },
        if s.pictures == 0 { none() } else { format!("{:.1}", 1e3 * s.observing_s / s.pictures as f64) },
    ]
}

/// Each fault of a recording on a line of its own: `ply 12 [e1g1 – f1e1] at picture 40`.
#[must_use]
pub fn faults(score: &Score) -> String {
    let mut text = String::new();
    for f in &score.faults {
        let word = |m: &Option<String>| m.clone().unwrap_or_else(|| "nothing".into());
        let at = f.picture.map(|p| format!(" at picture {p}")).unwrap_or_default();
        let _ = writeln!(text, "{}: ply {} [{} – {}]{at}", score.name, f.ply, word(&f.correct), word(&f.read));
    }
    for c in &score.contradictions {
        let _ = writeln!(text, "{}: contradiction: {c}", score.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        latency::{Delay, Lag},
        score::{BoardFound, Fault, Warnings},
    };

    fn delays(pictures: &[i64]) -> Vec<Delay> {
        let lag = |pictures: i64| Lag { pictures, seconds: Some(pictures as f64 / 2.0) };
        pictures.iter().map(|p| Delay { ply: 1, let_go: lag(*p), hand_gone: Some(lag(*p)) }).collect()
    }

    fn scores() -> [Score; 2] {
        let one = Score {
            name: "one".into(),
            pictures: 10,
            plies: 4,
            read: 4,
            right: 4,
            perfect: true,
            delays: delays(&[0, 1, 5]),
            result: Some("1-0".into()),
            result_read: Some("1-0".into()),
            board: BoardFound { picture: Some(0), worst_corner_squares: Some(0.123), lost: 0 },
            observing_s: 0.1,
            ..Score::default()
        };
        let two = Score {
            name: "zwölf".into(),
            pictures: 30,
            plies: 12,
            right: 8,
            first_fault: Some(5),
            faults: vec![Fault { ply: 5, correct: Some("e1g1".into()), read: None, picture: None }],
            delays: delays(&[2]),
            warnings: Warnings { shown: 2, announced: 1, with_reason: 2, reason_right: 0, wrong: 3 },
            result: Some("0-1".into()),
            observing_s: 0.3,
            ..Score::default()
        };
        [one, two]
    }

    #[test]
    fn the_table_is_as_hand_made() {
        let text = table(&scores());
        let lines: Vec<Vec<&str>> =
            text.lines().map(|l| l.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()).collect();
        assert_eq!(
            lines[2],
            ["one", "10", "4", "4", "100.0", "–", "yes", "1 / 5", "–", "–", "0", "right", "@0 ±0.12", "10.0"]
        );
        assert_eq!(
            lines[3],
            ["zwölf", "30", "12", "8", "66.7", "5", "no", "2 / 2", "1/2", "0/2", "3", "missed", "–", "10.0"]
        );
        assert_eq!(
            lines[4],
            ["all", "40", "16", "12", "75.0", "–", "1/2", "1.5 / 5", "1/2", "0/2", "3", "–", "–", "10.0"]
        );
        // Columns stand below each other: every line has the same width.
        let widths: Vec<usize> = text.lines().take(5).map(|l| l.chars().count()).collect();
        assert!(widths.iter().all(|w| *w == widths[0]), "{text}");
        // The same recordings, and all of them, by what was told and when.
        let told = text.split(TOLD).nth(1).unwrap().trim_start();
        let names: Vec<&str> = told.lines().skip(2).take(3).map(|l| l.split_whitespace().next().unwrap()).collect();
        assert_eq!(names, ["one", "zwölf", "all"]);
        assert!(told.lines().nth(4).unwrap().contains("0.8 / 2.5 / 2.5"), "{told}");
        assert!(told.contains(SURE));
        assert!(MEANINGS.iter().all(|(name, _)| meanings().contains(&format!("\n{name}: "))), "{}", meanings());
    }

    #[test]
    fn faults_are_listed() {
        assert_eq!(faults(&scores()[1]), "zwölf: ply 5 [e1g1 – nothing]\n");
        assert_eq!(faults(&scores()[0]), "");
    }

    #[test]
    fn medians() {
        let of = |delays: Vec<Delay>| delay_pictures(&Score { delays, ..Score::default() });
        assert_eq!((of(delays(&[3, -1])).as_str(), of(vec![]).as_str()), ("1 / 3", "–"));
    }
}
