//! Figures of now beside earlier ones: `lab --compare OLD.json`.

use std::path::Path;

use chess_observer::files;
use chess_observer_lab::{
    columns::columns,
    experiments::{Cell, Curve, Experiment, Figures, LightFigures, Table, types::SquareFigures},
    interval::Rate,
};

/// The experiments of an earlier `--json`.
///
/// # Errors
/// One line when it cannot be read, or is not such a file.
pub fn read(path: &Path) -> Result<Vec<Experiment>, String> {
    let at = |why: String| format!("{}: {why}", path.display());
    let text = files::text(path, files::LARGEST_TABLE).map_err(|e| at(e.to_string()))?;
    let mut json: serde_json::Value = serde_json::from_str(&text).map_err(|e| at(e.to_string()))?;
    let experiments = json.get_mut("experiments").map(serde_json::Value::take).unwrap_or_default();
    let read = serde_json::from_value(experiments);
    read.map_err(|e| at(format!("not figures that lab --json has written: {e}")))
}

/// What both have, side by side: `before → after`, and one figure where they are the same.
pub fn text(before: &[Experiment], after: &[Experiment]) -> String {
    let mut text = String::new();
    for now in after {
        let Some(then) = before.iter().find(|then| then.name == now.name) else { continue };
        text += &format!("\n{}: before → after\n", now.title);
        if then.command != now.command {
            text += &format!("Not the same experiment: before it was\n$ {}\n", then.command);
        }
        let pairs = pairs(&then.figures, &now.figures);
        if !pairs.is_empty() {
            text += &format!("\n{}", columns(&pairs));
        }
        for curve in &now.curves {
            if let Some(old) = then.curves.iter().find(|old| old.name == curve.name) {
                text += &format!("\n{}\n{}", curve.title, columns(&rungs(old, curve)));
            }
        }
        for table in &now.tables {
            // Curves of probabilities have other bins each time: their single figures stand above.
            let same = |old: &&Table| old.title == table.title && old.header == table.header;
            if let (Some(old), true) = (then.tables.iter().find(same), table.title.contains("scene by scene")) {
                text += &format!("\n{}\n{}", table.title, columns(&cells(old, table)));
            }
        }
    }
    if text.is_empty() { "\nNothing to compare: the earlier figures are of other experiments.\n".into() } else { text }
}

/// `a → b`, or one of them where they are the same.
fn change(then: &str, now: &str) -> String {
    if then == now { now.into() } else { format!("{then} → {now}") }
}

fn percent(then: Rate, now: Rate) -> String {
    change(&then.percent_text(), &now.percent_text())
}

fn rungs(then: &Curve, now: &Curve) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = vec![
        [now.x_label.as_str(), "plies right (%)", "false warnings", "one square wrong in"].map(str::to_owned).into(),
    ];
    for point in &now.points {
        let Some(old) = then.points.iter().find(|old| old.label == point.label) else { continue };
        lines.push(vec![
            point.label.clone(),
            percent(old.rate, point.rate),
            change(&old.false_warnings.to_string(), &point.false_warnings.to_string()),
            change(&old.squares.one_wrong_in_text(), &point.squares.one_wrong_in_text()),
        ]);
    }
    let falls = |curve: &Curve| curve.falls_below_99.map_or_else(|| "–".to_owned(), |x| format!("{x:.2}"));
    lines.push(vec!["falls below 99 % at".into(), change(&falls(then), &falls(now))]);
    lines
}

/// Cell by cell, rows by their first cell.
fn cells(then: &Table, now: &Table) -> Vec<Vec<String>> {
    let row = |row: &Vec<String>| match then.rows.iter().find(|old| old.first() == row.first()) {
        Some(old) => old.iter().zip(row).map(|(then, now)| change(then, now)).collect(),
        None => row.clone(),
    };
    std::iter::once(now.header.clone()).chain(now.rows.iter().map(row)).collect()
}

/// Lines under their header.
fn under(header: &[&str], lines: impl IntoIterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let header = header.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(header).chain(lines).collect()
}

/// The figures that only this experiment has, each with its name.
fn pairs(then: &Figures, now: &Figures) -> Vec<Vec<String>> {
    match (then, now) {
        (
            Figures::Petkov { plies, perfect, false_warnings, .. },
            Figures::Petkov { plies: plies_now, perfect: perfect_now, false_warnings: false_now, .. },
        ) => {
            let line = vec![
                percent(*plies, *plies_now),
                change(&perfect.count_text(), &perfect_now.count_text()),
                change(&false_warnings.to_string(), &false_now.to_string()),
            ];
            under(&["plies right (%)", "perfect games", "false warnings"], [line])
        }
        (Figures::Koray { lights: then }, Figures::Koray { lights: now }) => lights(then, now),
        (Figures::Carta { cells: then }, Figures::Carta { cells: now })
        | (Figures::Go { cells: then, .. }, Figures::Go { cells: now, .. }) => views(then, now),
        (Figures::Squares { groups: then, .. }, Figures::Squares { groups: now, .. }) => squares(then, now),
        (
            Figures::Bumps { without_false_move, right },
            Figures::Bumps { without_false_move: without_now, right: right_now },
        ) => {
            let line = vec![
                change(&without_false_move.count_text(), &without_now.count_text()),
                change(&right.count_text(), &right_now.count_text()),
            ];
            under(&["games without a false move", "right to the end"], [line])
        }
        _ => vec![],
    }
}

/// Attempts, light by light.
fn lights(then: &[LightFigures], now: &[LightFigures]) -> Vec<Vec<String>> {
    let line = |(then, now): (&LightFigures, &LightFigures)| {
        vec![
            now.light.clone(),
            percent(then.detected, now.detected),
            percent(then.interpreted, now.interpreted),
            percent(then.illegal_announced, now.illegal_announced),
        ]
    };
    under(&["light", "detected (%)", "interpreted (%)", "illegal announced (%)"], then.iter().zip(now).map(line))
}

/// Views by disturbances, cell by cell.
fn views(then: &[Cell], now: &[Cell]) -> Vec<Vec<String>> {
    let line = |(then, now): (&Cell, &Cell)| {
        let name = format!("{}, {}", now.condition, now.disturbance);
        vec![name, percent(then.in_the_end, now.in_the_end), percent(then.at_once, now.at_once)]
    };
    under(&["view, disturbance", "right in the end (%)", "at the picture itself (%)"], then.iter().zip(now).map(line))
}

/// Squares, by the conditions that both have.
fn squares(then: &[SquareFigures], now: &[SquareFigures]) -> Vec<Vec<String>> {
    let points = |then: f64, now: f64| change(&format!("{then:.4}"), &format!("{now:.4}"));
    let line = |now: &SquareFigures| {
        let then = then.iter().find(|then| then.name == now.name)?;
        let (told, told_now) = (&then.calibration, &now.calibration);
        Some(vec![
            now.name.clone(),
            change(&then.right.one_wrong_in_text(), &now.right.one_wrong_in_text()),
            change(&format!("{:.5}", then.log_loss_nats), &format!("{:.5}", now.log_loss_nats)),
            percent(told.sure, told_now.sure),
            points(told.error_percent, told_now.error_percent),
            points(told.changed_error_percent, told_now.changed_error_percent),
        ])
    };
    let header = [
        "conditions",
        "one square wrong in",
        "log loss (nats)",
        "told with 99 %: right (%)",
        "calibration error (points)",
        "of change (points)",
    ];
    under(&header, now.iter().filter_map(line))
}
