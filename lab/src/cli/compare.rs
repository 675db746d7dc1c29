//! Figures of now beside earlier ones: `lab --compare OLD.json`.

use std::path::Path;

use chess_observer::files;
use chess_observer_lab::{
    columns::columns,
    experiments::{Curve, Experiment, Figures, Table},
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

/// The figures that only this experiment has, each with its name.
fn pairs(then: &Figures, now: &Figures) -> Vec<Vec<String>> {
    let line = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    match (then, now) {
        (
            Figures::Petkov { plies, perfect, false_warnings, .. },
            Figures::Petkov { plies: plies_now, perfect: perfect_now, false_warnings: false_now, .. },
        ) => vec![
            line(&["plies right (%)", "perfect games", "false warnings"]),
            vec![
                percent(*plies, *plies_now),
                change(&perfect.count_text(), &perfect_now.count_text()),
                change(&false_warnings.to_string(), &false_now.to_string()),
            ],
        ],
        (Figures::Koray { lights }, Figures::Koray { lights: lights_now }) => {
            let mut lines = vec![line(&["light", "detected (%)", "interpreted (%)", "illegal announced (%)"])];
            lines.extend(lights.iter().zip(lights_now).map(|(a, b)| {
                vec![
                    b.light.clone(),
                    percent(a.detected, b.detected),
                    percent(a.interpreted, b.interpreted),
                    percent(a.illegal_announced, b.illegal_announced),
                ]
            }));
            lines
        }
        (Figures::Carta { cells }, Figures::Carta { cells: cells_now })
        | (Figures::Go { cells, .. }, Figures::Go { cells: cells_now, .. }) => {
            let mut lines = vec![line(&["view, disturbance", "right in the end (%)", "at the picture itself (%)"])];
            lines.extend(cells.iter().zip(cells_now).map(|(a, b)| {
                let name = format!("{}, {}", b.condition, b.disturbance);
                vec![name, percent(a.in_the_end, b.in_the_end), percent(a.at_once, b.at_once)]
            }));
            lines
        }
        (Figures::Squares { groups, .. }, Figures::Squares { groups: groups_now, .. }) => {
            let mut lines = vec![line(&[
                "conditions",
                "one square wrong in",
                "log loss (nats)",
                "told with 99 %: right (%)",
                "calibration error (points)",
                "of change (points)",
            ])];
            for b in groups_now {
                let Some(a) = groups.iter().find(|a| a.name == b.name) else { continue };
                let points = |a: f64, b: f64| change(&format!("{a:.4}"), &format!("{b:.4}"));
                let (then, now) = (&a.calibration, &b.calibration);
                lines.push(vec![
                    b.name.clone(),
                    change(&a.right.one_wrong_in_text(), &b.right.one_wrong_in_text()),
                    change(&format!("{:.5}", a.log_loss_nats), &format!("{:.5}", b.log_loss_nats)),
                    percent(then.sure, now.sure),
                    points(then.error_percent, now.error_percent),
                    points(then.changed_error_percent, now.changed_error_percent),
                ]);
            }
            lines
        }
        (
            Figures::Bumps { without_false_move, right },
            Figures::Bumps { without_false_move: without_now, right: right_now },
        ) => vec![
            line(&["games without a false move", "right to the end"]),
            vec![
                change(&without_false_move.count_text(), &without_now.count_text()),
                change(&right.count_text(), &right_now.count_text()),
            ],
        ],
        _ => vec![],
    }
}
