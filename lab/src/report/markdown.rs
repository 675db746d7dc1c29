//! Figures as Markdown, for the pages of the documentation.

use std::fmt::Write as _;

use super::{bad::harms, page::headline};
use crate::{
    experiments::{Curve, Experiment, Figures, Table, Timing, print},
    interval::{Rate, thousands},
    judge::Judgement,
    score::Score,
    table as sums,
};

/// How figures are shown on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// The whole experiment as the program prints it, or the tables of recordings.
    Text,
    /// Only the tables and curves whose headings begin so.
    Tables(Vec<String>),
    /// The papers' figures beside ours.
    Papers,
    /// A line for each experiment.
    Headlines,
    /// Up to where each curve stays at 99 %.
    Curves,
    /// A row for each recording.
    Recordings,
    /// What is bad, the worst first.
    Bad,
    /// A row for each thing that judges.
    Judged,
    /// What the clock said.
    Times,
    /// What parts of the program cost, as measured by `cargo bench`.
    Costs,
}

impl std::str::FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(titles) = text.strip_prefix("tables ") {
            return Ok(Self::Tables(titles.split(" + ").map(|title| title.trim().to_owned()).collect()));
        }
        Ok(match text {
            "text" => Self::Text,
            "papers" => Self::Papers,
            "headlines" => Self::Headlines,
            "curves" => Self::Curves,
            "recordings" => Self::Recordings,
            "bad" => Self::Bad,
            "judged" => Self::Judged,
            "times" => Self::Times,
            "costs" => Self::Costs,
            _ => {
                let forms =
                    "text, tables TITLE + TITLE, papers, headlines, curves, recordings, bad, judged, times or costs";
                return Err(format!("no form {text:?}: expected {forms}"));
            }
        })
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self {
            Self::Tables(titles) => return write!(f, "tables {}", titles.join(" + ")),
            Self::Text => "text",
            Self::Papers => "papers",
            Self::Headlines => "headlines",
            Self::Curves => "curves",
            Self::Recordings => "recordings",
            Self::Bad => "bad",
            Self::Judged => "judged",
            Self::Times => "times",
            Self::Costs => "costs",
        };
        f.write_str(word)
    }
}

/// What something costs, in nanoseconds of processor time.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cost {
    /// What was measured.
    pub name: String,
    /// The median.
    pub median_ns: f64,
}

/// What a block shows.
#[derive(Debug, Clone, Default)]
pub struct Shown<'a> {
    /// The command that gives these figures.
    pub command: String,
    /// The version that gave them.
    pub version: String,
    /// Experiments, in the order of the command.
    pub experiments: Vec<&'a Experiment>,
    /// What the clock said of them.
    pub timings: Vec<&'a Timing>,
    /// Recordings.
    pub recordings: &'a [Score],
    /// What `--judge` has given.
    pub judgement: Option<&'a Judgement>,
    /// Costs.
    pub costs: &'a [Cost],
    /// What the command has printed, where that says all.
    pub printed: &'a str,
}

impl Shown<'_> {
    /// The block, with the command and the version that gave it.
    #[must_use]
    pub fn markdown(&self, form: &Form) -> String {
        let body = match form {
            Form::Text if !self.printed.is_empty() => {
                return format!("```text\n$ {}\n{}```\n", self.command, self.printed);
            }
            Form::Tables(titles) if !self.printed.is_empty() => sections(self.printed, titles),
            Form::Text => return self.text(&[]),
            Form::Tables(titles) => return self.text(titles),
            Form::Papers => papers(&self.experiments),
            Form::Headlines => self.headlines(),
            Form::Curves => curves(&self.experiments),
            Form::Recordings => recordings(self.recordings),
            Form::Bad => self.bad(),
            Form::Judged => self.judgement.map_or_else(String::new, judged),
            Form::Times => times(&self.timings),
            Form::Costs => costs(self.costs),
        };
        format!("{body}\n`{}`, version {}\n", self.command, self.version)
    }

    /// Headings and words as Markdown, tables as the program prints them.
    fn text(&self, titles: &[String]) -> String {
        let mut text = String::new();
        for experiment in &self.experiments {
            if titles.is_empty() {
                let _ = writeln!(text, "{}", crate::columns::fold(&experiment.what));
            }
            let body = if titles.is_empty() { print::body(experiment) } else { chosen(experiment, titles) };
            let _ = write!(text, "```text\n$ {}\nversion {}\n{body}```\n", self.command, self.version);
        }
        if !self.recordings.is_empty() {
            let table = sums::table(self.recordings);
            let _ = write!(text, "```text\n$ {}\nversion {}\n\n{table}```\n", self.command, self.version);
        }
        if let Some(judgement) = self.judgement {
            let table = print::table_text(&judgement.table());
            let _ = write!(text, "```text\n$ {}\nversion {}\n\n{table}```\n", self.command, self.version);
        }
        text
    }

    fn headlines(&self) -> String {
        let row = |e: &&Experiment| vec![e.title.clone(), headline(e)];
        let mut rows: Vec<Vec<String>> = self.experiments.iter().map(row).collect();
        if !self.recordings.is_empty() {
            let all = sums::total(self.recordings);
            let perfect = self.recordings.iter().filter(|s| s.perfect).count();
            let right = Rate::new(all.right, all.plies);
            rows.push(vec![
                "Recordings of real boards, and photoreal renders".into(),
                format!(
                    "{} % of {} plies right, {perfect}/{} games perfect",
                    right.percent_text(),
                    thousands(right.of as f64),
                    self.recordings.len()
                ),
            ]);
        }
        table(&["experiment", "result"], &rows)
    }

    fn bad(&self) -> String {
        let harms = harms(&self.experiments, self.recordings);
        if harms.is_empty() {
            return "Nothing: no wrong move was told, no stall, no false warning, no board lost.\n".into();
        }
        let mut text = String::new();
        for harm in harms {
            let header: Vec<&str> = harm.table.header.iter().map(String::as_str).collect();
            let _ = write!(text, "**{}.** {}\n\n{}\n", harm.title, harm.why, table(&header, &harm.table.rows));
            if harm.more > 0 {
                let _ = write!(text, "And {} more.\n\n", harm.more);
            }
        }
        text.truncate(text.trim_end().len());
        text + "\n"
    }
}

/// What stands below those headings of a text in Markdown that begin with one of the titles.
fn sections(text: &str, titles: &[String]) -> String {
    let sections = text.split("## ").filter_map(|section| section.split_once('\n'));
    let wanted = sections.filter(|(heading, _)| titles.iter().any(|title| heading.starts_with(title.as_str())));
    let bodies: Vec<String> = wanted.map(|(_, body)| format!("{}\n", body.trim())).collect();
    bodies.join("\n")
}

/// The tables and curves whose headings begin with one of the titles, as the program prints them.
fn chosen(experiment: &Experiment, titles: &[String]) -> String {
    let wanted = |title: &str| titles.iter().any(|begin| title.starts_with(begin.as_str()));
    let tables = experiment.tables.iter().cloned().chain(experiment.count_tables());
    let tables = tables.filter(|table| wanted(&table.title)).map(|table| format!("\n{}", print::table_text(&table)));
    let curves = experiment.curves.iter().filter(|curve| wanted(&curve.title));
    tables.chain(curves.map(|curve| format!("\n{}", print::curve_text(curve)))).collect()
}

/// A table of Markdown.
fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(header.iter().map(|cell| (*cell).to_owned()).collect());
    text += &line(header.iter().map(|_| "---".to_owned()).collect());
    let escaped = |row: &Vec<String>| row.iter().map(|cell| cell.replace('|', "\\|")).collect();
    rows.iter().for_each(|row| text += &line(escaped(row)));
    text
}

/// Petkov's, Koray and Sümer's, and Carta and Corsolini's figures beside ours.
fn papers(experiments: &[&Experiment]) -> String {
    let mut rows: Vec<Vec<String>> = vec![];
    for experiment in experiments {
        match &experiment.figures {
            Figures::Petkov { plies, perfect, false_warnings, .. } => rows.push(vec![
                "Petkov 2013: whole games from one oblique view, one picture a ply".into(),
                format!(
                    "**{} %** of {} plies, {} games perfect, false warnings: {false_warnings}",
                    plies.percent_text(),
                    thousands(plies.of as f64),
                    perfect.count_text()
                ),
                "99.01 % of 3,680 plies, 30/54 games".into(),
            ]),
            Figures::Koray { lights } => {
                let sum = |of: &dyn Fn(&crate::experiments::LightFigures) -> Rate| {
                    lights.iter().map(of).fold(Rate::new(0, 0), Rate::and)
                };
                let interpreted = sum(&|l| l.interpreted);
                rows.push(vec![
                    "Koray and Sümer 2019: 100 attempts in three lights from above, 30 of them illegal".into(),
                    format!(
                        "**{} %** ({}) interpreted; {} illegal ones named with the right reason",
                        interpreted.percent_text(),
                        interpreted.count_text(),
                        sum(&|l| l.reason_right).count_text()
                    ),
                    "96.3 % (289/300)".into(),
                ]);
            }
            Figures::Carta { cells } => {
                for cells in cells.chunk_by(|a, b| a.condition == b.condition) {
                    let condition = cells.first().map_or("", |cell| cell.condition.as_str());
                    let ours: Vec<String> = cells.iter().map(|cell| cell.in_the_end.percent_text()).collect();
                    let dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
                    let theirs: Vec<String> = cells.iter().map(|cell| dash(&cell.theirs)).collect();
                    rows.push(vec![
                        format!(
                            "Carta and Corsolini 2015, {condition} view: no hand / moved man visible / partly hidden / \
                             hidden"
                        ),
                        format!("**{} %** right in the end", ours.join(" / ")),
                        format!("{} % (Go)", theirs.join(" / ")),
                    ]);
                }
            }
            _ => {}
        }
    }
    table(&["experiment", "here", "the paper"], &rows)
}

/// Up to where each curve stays at 99 %, and what comes then.
fn curves(experiments: &[&Experiment]) -> String {
    let row = |curve: &Curve| {
        let good = curve.points.iter().take_while(|point| point.rate.percent >= 99.0);
        let last = good.last().map_or_else(|| "–".into(), |point| point.label.clone());
        let next: Vec<String> = curve
            .points
            .iter()
            .skip_while(|point| point.rate.percent >= 99.0)
            .map(|point| format!("{} % at {}", point.rate.percent_text(), point.label))
            .collect();
        let next = if next.is_empty() { "the most that was tried".into() } else { next.join(", ") };
        vec![curve.title.clone(), curve.x_label.clone(), last, next]
    };
    let rows: Vec<Vec<String>> = experiments.iter().flat_map(|e| &e.curves).map(row).collect();
    table(&["disturbance", "what grows or falls", "99 % and more up to", "then, plies right"], &rows)
}

fn recordings(scores: &[Score]) -> String {
    let row = |s: &Score, perfect: String| {
        vec![
            s.name.clone(),
            format!("{}/{}", s.right, s.plies),
            perfect,
            s.told_wrong().to_string(),
            s.warnings.wrong.to_string(),
            s.stalls().count().to_string(),
        ]
    };
    let first = |s: &Score| s.first_fault.map_or_else(|| "none".into(), |ply| ply.to_string());
    let mut rows: Vec<Vec<String>> = scores.iter().map(|s| row(s, first(s))).collect();
    let perfect = scores.iter().filter(|s| s.perfect).count();
    rows.push(row(&sums::total(scores), format!("{perfect}/{} perfect", scores.len())));
    table(&["recording", "plies right", "first fault", "told wrong", "false warnings", "stalls"], &rows)
}

fn judged(judgement: &Judgement) -> String {
    let Table { header, rows, .. } = judgement.table();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table(&header, &rows)
}

fn times(timings: &[&Timing]) -> String {
    let row = |t: &&Timing| {
        let per = |seconds: f64| match t.pictures {
            0 => "–".into(),
            pictures => format!("{:.0} ms", 1e3 * seconds / pictures as f64),
        };
        let pictures = thousands(t.pictures as f64);
        vec![t.name.clone(), thousands(t.plies as f64), pictures, per(t.drawing_s), per(t.observing_s)]
    };
    let rows: Vec<Vec<String>> = timings.iter().map(row).collect();
    table(&["experiment", "plies", "pictures", "to draw one", "to look at one"], &rows)
}

fn costs(costs: &[Cost]) -> String {
    let time = |ns: f64| match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e5 => format!("{:.1} µs", ns / 1e3),
        ns if ns < 1e7 => format!("{:.2} ms", ns / 1e6),
        ns if ns < 1e9 => format!("{:.0} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    };
    let rows: Vec<Vec<String>> = costs.iter().map(|cost| vec![cost.name.clone(), time(cost.median_ns)]).collect();
    table(&["what", "median"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::Point;

    #[test]
    fn forms_are_what_they_say() {
        for text in
            ["text", "papers", "curves", "bad", "judged", "tables By light + The views", "recordings", "times", "costs"]
        {
            assert_eq!(text.parse::<Form>().unwrap().to_string(), text);
        }
        assert!("poem".parse::<Form>().unwrap_err().contains("expected text, tables TITLE"));
    }

    #[test]
    fn curves_say_how_far_and_what_then() {
        let point =
            |x: f64, right: usize| Point { x, label: x.to_string(), rate: Rate::new(right, 100), ..Point::default() };
        let curve =
            |points| Curve { title: "Noise | dark".into(), x_label: "levels".into(), points, ..Curve::default() };
        let experiment = Experiment {
            curves: vec![curve(vec![point(0.0, 100), point(5.0, 60)]), curve(vec![point(0.0, 99)])],
            ..Experiment::default()
        };
        let shown =
            Shown { command: "do".into(), version: "1".into(), experiments: vec![&experiment], ..Shown::default() };
        let text = shown.markdown(&Form::Curves);
        assert!(text.contains("| Noise \\| dark | levels | 0 | 60.00 % at 5 |\n"), "{text}");
        assert!(text.contains("| 0 | the most that was tried |\n") && text.ends_with("\n`do`, version 1\n"), "{text}");
    }

    #[test]
    fn what_a_command_prints_is_shown_whole_or_by_its_headings() {
        let printed = "## Positions\n\n| a |\n\n## Sizes\n\n| b |\n";
        let shown = Shown { command: "krk report".into(), version: "1".into(), printed, ..Shown::default() };
        let text = shown.markdown(&Form::Tables(vec!["Sizes".into()]));
        assert_eq!(text, "| b |\n\n`krk report`, version 1\n");
        assert_eq!(shown.markdown(&Form::Text), format!("```text\n$ krk report\n{printed}```\n"));
    }

    #[test]
    fn costs_have_readable_units() {
        let of = |ns: f64| costs(&[Cost { name: "x".into(), median_ns: ns }]).lines().last().unwrap().to_owned();
        let texts = [12.0, 70_000.0, 1_650_000.0, 12_300_000.0, 2e9].map(of);
        assert_eq!(texts, ["| x | 12 ns |", "| x | 70.0 µs |", "| x | 1.65 ms |", "| x | 12 ms |", "| x | 2.00 s |"]);
    }
}
