//! An experiment as text.

use std::fmt::Write as _;

use super::types::{Curve, ErrorEntry, Experiment, Table, Tally, Timing};
use crate::columns::{columns, fold};

/// The whole experiment: headings, tables, curves, errors. Writing to a string cannot fail.
#[must_use]
pub fn text(experiment: &Experiment) -> String {
    let mut text = format!("{}\n{}\n", experiment.title, "=".repeat(experiment.title.chars().count()));
    let _ = writeln!(text, "{}\n$ {}", fold(&experiment.what), experiment.command);
    if experiment.left_out > 0 {
        let _ = writeln!(text, "Interrupted: {} games are left out.", experiment.left_out);
    }
    text + &body(experiment)
}

/// Tables, curves, counts, faults and notes.
#[must_use]
pub fn body(experiment: &Experiment) -> String {
    let mut text = String::new();
    for table in &experiment.tables {
        let _ = write!(text, "\n{}", table_text(table));
    }
    for curve in &experiment.curves {
        let _ = write!(text, "\n{}", curve_text(curve));
    }
    for table in experiment.count_tables() {
        let _ = write!(text, "\n{}", table_text(&table));
    }
    if !experiment.errors.is_empty() {
        let _ = write!(text, "\n{}", tally_text("Faults by man", "man", &experiment.by_piece));
        let _ = write!(text, "\n{}", tally_text("Faults by cause", "cause", &experiment.by_cause));
    }
    for note in &experiment.notes {
        let _ = write!(text, "\n{}", fold(note));
    }
    text
}

/// Every fault on a line of its own: `game 4, 28. [Rh6 – Rh7] rook: other goal on the same line`.
#[must_use]
pub fn errors(experiment: &Experiment) -> String {
    experiment.errors.iter().map(|e| error(e) + "\n").collect()
}

fn error(e: &ErrorEntry) -> String {
    let word = |san: &Option<String>| san.clone().unwrap_or_else(|| "nothing".into());
    let run = if e.run.is_empty() { String::new() } else { format!("{}, ", e.run) };
    let picture = e.picture.map(|p| format!(" (picture {p})")).unwrap_or_default();
    let (correct, read, cause) = (word(&e.correct), word(&e.read), e.cause.words());
    format!("{run}game {}, {} [{correct} – {read}] {}: {cause}{picture}", e.game, e.number, e.piece)
}

/// A table with its heading.
#[must_use]
pub fn table_text(table: &Table) -> String {
    let lines: Vec<Vec<String>> = std::iter::once(&table.header).chain(&table.rows).cloned().collect();
    format!("{}\n{}", table.title, columns(&lines))
}

/// A curve as a table, with the point at which it falls below 99 %.
#[must_use]
pub fn curve_text(curve: &Curve) -> String {
    let falls = match curve.falls_below_99 {
        Some(x) => format!("falls below 99 % at {x:.2}"),
        None => "stays at 99 % or above".into(),
    };
    table_text(&Table { title: format!("{}: {falls}", curve.title), ..curve.table() })
}

fn tally_text(title: &str, name: &str, tallies: &[Tally]) -> String {
    let mut lines = vec![vec![name.to_owned(), "faults".into(), "plies".into()]];
    lines.extend(tallies.iter().map(|t| vec![t.name.clone(), t.errors.to_string(), t.of.to_string()]));
    format!("{title}\n{}", columns(&lines))
}

/// What the clock said, one line.
#[must_use]
pub fn timing(t: &Timing) -> String {
    let per = |seconds: f64| 1e3 * seconds / t.pictures.max(1) as f64;
    format!(
        "{}: {:.0} s on {} cores; {} plies, {} pictures; each {:.0} ms to draw, {:.0} ms to observe",
        t.name,
        t.seconds,
        t.threads,
        t.plies,
        t.pictures,
        per(t.drawing_s),
        per(t.observing_s)
    )
}
