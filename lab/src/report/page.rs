//! Headings, tables and lists of faults. Everything that comes from outside is escaped by maud.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    bad::harms,
    picture::Picture,
    plots::{self, PlotError},
    survival,
};
use crate::{
    counts::{Counts, MEANINGS},
    experiments::{
        Cell, Curve, ErrorEntry, Experiment, Figures, GameFigures, LightFigures, Table, types::SquareFigures,
    },
    interval::Rate,
    latency::Spread,
    score::{Fault, Score},
    stalls::Stretch,
    table as sums,
};

const STYLE: &str = include_str!("style.css");
/// Rows of a table that are shown at once; a longer one is unfolded by whoever wants it.
const ROWS_SHOWN: usize = 16;
/// Runs of which a plot has a row each; of more only all together.
const RUNS_DRAWN: usize = 24;

/// What the page is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report<'a> {
    /// The experiments, in the order of the page.
    pub experiments: &'a [&'a Experiment],
    /// The figures of recordings.
    pub recordings: &'a [Score],
    /// Pictures that show what was measured.
    pub pictures: &'a [Picture],
}

impl Report<'_> {
    /// The page as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        page(self).into_string()
    }
}

/// The whole page.
fn page(report: &Report<'_>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "chess_observer: what it got right" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "chess_observer: what it got right" }
                p {
                    "Simulated boards and recordings whose truth is known, through the observer. A percentage stands \
                     with the number behind it; bands and lines across bars are intervals of 95 % (Wilson 1927, as if \
                     the plies of a game were independent). Version " (env!("CARGO_PKG_VERSION")) "."
                }
                (at_a_glance(report))
                (bad(report))
                @for experiment in report.experiments { (section(experiment, report.pictures)) }
                @if !report.recordings.is_empty() { (recordings(report.recordings)) }
                h2 id="meanings" { "What is counted" }
                dl { @for (name, meaning) in MEANINGS { dt { strong { (name) } } dd { (meaning) "." } } }
            }
        }
    }
}

fn at_a_glance(report: &Report<'_>) -> Markup {
    html! {
        div class="wide" {
            table {
                thead { tr { th { "experiment" } th { "result" } th { "faults" } th { "seed" } } }
                tbody {
                    @for e in report.experiments {
                        tr {
                            td { a href={ "#" (anchor(e)) } { (e.title) } }
                            td { (headline(e)) }
                            td { (e.errors.len()) }
                            td { (e.seed) }
                        }
                    }
                    @if !report.recordings.is_empty() {
                        @let all = sums::total(report.recordings);
                        tr {
                            td { a href="#recordings" { "Recordings" } }
                            td { (plies(Rate::new(all.right, all.plies))) }
                            td { (report.recordings.iter().map(|s| s.faults.len()).sum::<usize>()) }
                            td { "–" }
                        }
                    }
                }
            }
        }
    }
}

/// What is bad, the worst first.
fn bad(report: &Report<'_>) -> Markup {
    let harms = harms(report.experiments, report.recordings);
    html! {
        h2 id="bad" { "What is bad" }
        @if harms.is_empty() { p { "Nothing: no wrong move was told, no stall, no false warning, no board lost." } }
        @for harm in &harms {
            (table_markup(&harm.table))
            p { (harm.why) @if harm.more > 0 { " And " (harm.more) " more." } }
        }
    }
}

/// Do the confidences of moves hold, how late are moves told, and what went by unread? Of all runs together, and run by
/// run where there are not too many.
fn told(counts: &[Counts], command: &str) -> Vec<Markup> {
    let Some(all) = counts.last() else { return vec![] };
    let mut drawn = vec![];
    let mut add = |svg: Result<String, PlotError>, title: &str, caption: &str| {
        drawn.push(html! {
            figure {
                (plot(svg))
                figcaption { strong { (title) } " " (caption) " " code { (command) } "." }
            }
        });
    };
    let confidences = [
        ("Confidence of moves, all", &all.sure),
        ("Confidence of moves, with a hand in view", &all.sure_with_hand),
        ("Confidence of moves told together", &all.sure_together),
    ];
    for (title, sure) in confidences.into_iter().filter(|(_, sure)| sure.right.of > 0) {
        let caption = format!(
            "What was told against what came true, in log-odds; below the diagonal too sure. {} of {} right, log loss {:.4} \
             nats.",
            sure.right.right, sure.right.of, sure.log_loss_nats
        );
        add(plots::calibration(title, &sure.bins), title, &caption);
    }
    let runs: Vec<&Counts> = if counts.len() > RUNS_DRAWN { vec![all] } else { counts.iter().collect() };
    let name = |c: &Counts| if c.name.is_empty() { "all games".to_owned() } else { c.name.clone() };
    let late = |of: &dyn Fn(&Counts) -> Option<Spread>| -> Vec<(String, Spread)> {
        runs.iter().filter_map(|c| Some((name(c), of(c)?))).collect()
    };
    let latencies = [
        ("Seconds since the man was let go", late(&|c| c.since_let_go_s)),
        ("Seconds since the hand was gone", late(&|c| c.since_hand_gone_s)),
    ];
    for (title, spreads) in latencies.iter().filter(|(_, spreads)| !spreads.is_empty()) {
        add(plots::spreads(title, &spreads[..]), title, "Bar: median; line: to 95 % of the moves; mark: the latest.");
    }
    let unread: Vec<(String, Stretch)> = runs.iter().filter_map(|c| Some((name(c), c.longest_unread?))).collect();
    if unread.iter().any(|(_, stretch)| stretch.is_stall()) {
        let caption = "Plies of the longest stretch that went by unread; red: the observer did not say so.";
        add(plots::stretches("Longest stretch unread", &unread), "Longest stretch unread", caption);
    }
    drawn
}

/// An experiment's name as a target of links: letters, digits and hyphens only.
fn anchor(experiment: &Experiment) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("experiment-{}", experiment.name.chars().map(plain).collect::<String>())
}

fn plies(rate: Rate) -> String {
    format!("{} % of {} plies right", rate.percent_text(), rate.of)
}

/// The one figure to remember.
pub(super) fn headline(experiment: &Experiment) -> String {
    match &experiment.figures {
        Figures::Petkov { plies: right, perfect, .. } => {
            format!("{}, {} games perfect", plies(*right), perfect.count_text())
        }
        Figures::Koray { lights } => {
            let all = lights.iter().map(|l| l.interpreted).reduce(Rate::and).unwrap_or_default();
            format!("{} % of {} attempts interpreted rightly", all.percent_text(), all.of)
        }
        Figures::Bumps { without_false_move, right } => format!(
            "{} games without a false move, {} right to the end",
            without_false_move.count_text(),
            right.count_text()
        ),
        Figures::Squares { groups, .. } => {
            let of = |group: &SquareFigures| {
                format!("{}: one square wrong in {}", group.name, group.right.one_wrong_in_text())
            };
            groups.iter().map(of).collect::<Vec<_>>().join("; ")
        }
        Figures::Board { found, corner_px, pose_right } => format!(
            "{} % of {} boards found, corners {} px off, {} % of the poses as good as asked",
            found[0].percent_text(),
            found[0].of,
            corner_px[0].map_or_else(|| "–".into(), |px| format!("{px:.2}")),
            pose_right[0].percent_text()
        ),
        Figures::Go { plays, perfect, .. } => format!("{}, {} games perfect", plies(*plays), perfect.count_text()),
        Figures::Conditions { breaks } => {
            let hold = breaks.iter().filter(|b| b.at.is_none() || b.beyond_real == Some(true)).count();
            format!("{hold} of {} conditions hold at the strength of reality", breaks.len())
        }
        Figures::None if !experiment.curves.is_empty() => {
            let holds = experiment.curves.iter().filter(|c| c.falls_below_99.is_none()).count();
            format!("{holds} of {} curves stay at 99 %", experiment.curves.len())
        }
        Figures::None | Figures::Carta { .. } | Figures::Protocols { .. } => {
            let of = experiment.by_piece.iter().map(|t| t.of).sum::<usize>();
            // A move that was invented is a fault, but no ply.
            let wrong = experiment.errors.iter().filter(|e| e.correct.is_some()).count();
            if of == 0 { String::new() } else { plies(Rate::new(of.saturating_sub(wrong), of)) }
        }
    }
}

fn section(experiment: &Experiment, pictures: &[Picture]) -> Markup {
    let of_it: Vec<&Picture> = pictures.iter().filter(|p| p.experiment == experiment.name).collect();
    html! {
        h2 id=(anchor(experiment)) { (experiment.title) }
        p { (experiment.what) }
        (command(experiment))
        @if experiment.left_out > 0 {
            p { strong { "Interrupted: " (experiment.left_out) " games or runs are left out." } }
        }
        @if !of_it.is_empty() {
            div class="pictures" {
                @for picture in of_it {
                    figure {
                        img src=(picture.data_url()) alt=(picture.label) loading="lazy";
                        figcaption { (picture.label) }
                    }
                }
            }
        }
        @let drawn = figures(experiment);
        @if !drawn.is_empty() {
            div class="plots" { @for figure in drawn { (figure) } }
        }
        @for table in &experiment.tables { (table_markup(table)) }
        @for curve in &experiment.curves { (table_markup(&curve.table())) }
        @for table in experiment.count_tables() { (table_markup(&table)) }
        @for note in &experiment.notes { p { (note) } }
        (faults(&experiment.errors))
    }
}

fn command(experiment: &Experiment) -> Markup {
    html! { p class="command" { code { (experiment.command) } " (seed " (experiment.seed) ")" } }
}

/// All plots of an experiment, each with the command that repeats it.
fn figures(experiment: &Experiment) -> Vec<Markup> {
    let mut all = match &experiment.figures {
        Figures::Petkov { by_game, .. } => vec![survivors(experiment, by_game)],
        Figures::Carta { cells } => by_view(experiment, cells),
        Figures::Koray { lights } => by_light(experiment, lights),
        Figures::Squares { groups, .. } => groups.iter().flat_map(|group| sureness(experiment, group)).collect(),
        _ => vec![],
    };
    all.extend(experiment.curves.iter().map(|curve| rungs(experiment, curve)));
    all.extend(told(&experiment.counts, &experiment.command));
    if !experiment.errors.is_empty() {
        for (title, tallies) in [("Faults by man", &experiment.by_piece), ("Faults by cause", &experiment.by_cause)] {
            all.push(figure(experiment, plots::counts(title, tallies), title, "Out of the plies behind “of”."));
        }
    }
    all
}

/// How many games are still without a fault, ply by ply.
fn survivors(experiment: &Experiment, games: &[GameFigures]) -> Markup {
    let caption = "Games without a fault up to each ply (Kaplan and Meier 1958: a game that ends without one leaves \
                   the count).";
    let drawn = plots::survivors(&survival::lives(games));
    figure(experiment, drawn, "How long games go well", caption)
}

/// Grids of views by disturbances.
fn by_view(experiment: &Experiment, cells: &[Cell]) -> Vec<Markup> {
    let caption = "Share right, the redder the worse; the last line of a cell: Carta and Corsolini.";
    let grid = |title: &str, share: fn(&Cell) -> Rate| {
        figure(experiment, plots::Grid::new(title, cells, share).draw(), title, caption)
    };
    vec![grid("Right in the final record", |c| c.in_the_end), grid("Right at the picture itself", |c| c.at_once)]
}

/// What became of the attempts in each light, measure by measure.
fn by_light(experiment: &Experiment, lights: &[LightFigures]) -> Vec<Markup> {
    type Measure = (&'static str, fn(&LightFigures) -> Rate);
    let measures: [Measure; 4] = [
        ("detected", |l| l.detected),
        ("interpreted", |l| l.interpreted),
        ("announced as illegal", |l| l.illegal_announced),
        ("with the right reason", |l| l.reason_right),
    ];
    let draw = |(name, measure): Measure| {
        let rates: Vec<(String, Rate)> =
            lights.iter().map(|l| (l.light.clone(), measure(l))).filter(|(_, rate)| rate.of > 0).collect();
        // The quick version has no illegal attempts.
        if rates.is_empty() {
            return None;
        }
        let drawn = plots::shares(&format!("{name}, by light"), &format!("{name} (%)"), &rates);
        let caption = "Attempts in each light, of all (in brackets).";
        Some(figure(experiment, drawn, &format!("Light: {name}"), caption))
    };
    measures.into_iter().filter_map(draw).collect()
}

/// Do the probabilities of squares hold under these conditions?
fn sureness(experiment: &Experiment, group: &SquareFigures) -> [Markup; 2] {
    let caption = "What was told against what came true, in log-odds, with intervals of 95 %; on the diagonal \
                   the probabilities hold. Below it sight is too sure where it says yes.";
    [("Contents", &group.calibration.contents), ("Change", &group.calibration.changed)].map(|(what, bins)| {
        let title = format!("{what} of squares, {}", group.name);
        figure(experiment, plots::calibration(&title, bins), &title, caption)
    })
}

/// How a disturbance tells, rung by rung.
fn rungs(experiment: &Experiment, curve: &Curve) -> Markup {
    let caption = match curve.falls_below_99 {
        Some(x) => format!("Falls below 99 % at {x:.2}."),
        None => "Stays at 99 % or above.".into(),
    };
    figure(experiment, plots::ladder(curve), &curve.title, &caption)
}

fn figure(experiment: &Experiment, drawn: Result<String, PlotError>, title: &str, caption: &str) -> Markup {
    html! {
        figure {
            (plot(drawn))
            figcaption {
                strong { (title) } " " (caption) " " code { (experiment.command) } ", seed " (experiment.seed) "."
            }
        }
    }
}

/// A plot, or why there is none.
fn plot(drawn: Result<String, PlotError>) -> Markup {
    html! {
        @match drawn {
            Ok(svg) => { (PreEscaped(svg)) }
            Err(why) => { p { (why) } }
        }
    }
}

fn table_markup(table: &Table) -> Markup {
    let body = html! {
        div class="wide" {
            table {
                thead { tr { @for cell in &table.header { th { (cell) } } } }
                tbody {
                    @for row in &table.rows { tr { @for cell in row { td { (cell) } } } }
                }
            }
        }
    };
    html! {
        h3 { (table.title) }
        @if table.rows.len() > ROWS_SHOWN {
            details { summary { (table.rows.len()) " rows" } (body) }
        } @else {
            (body)
        }
    }
}

/// The faults of an experiment.
fn faults(errors: &[ErrorEntry]) -> Markup {
    let entry = |e: &ErrorEntry| {
        html! {
            @if !e.run.is_empty() { (e.run) ", " }
            "game " (e.game) " (" (e.game_name) "), " (e.number) " "
            (pair(e.correct.as_deref(), e.read.as_deref())) " " (e.piece) ": " (e.cause.words())
        }
    };
    every_fault(&errors.iter().map(entry).collect::<Vec<_>>())
}

/// As Petkov lists them: `[correct – read]`.
fn every_fault(entries: &[Markup]) -> Markup {
    html! {
        @if !entries.is_empty() {
            details {
                summary { "Every fault (" (entries.len()) ") as [correct – read]" }
                ul class="faults" { @for entry in entries { li { (entry) } } }
            }
        }
    }
}

fn pair(correct: Option<&str>, read: Option<&str>) -> String {
    format!("[{} – {}]", correct.unwrap_or("nothing"), read.unwrap_or("nothing"))
}

/// What recordings say: how much of each was read rightly, what was told of it, and every fault.
fn recordings(scores: &[Score]) -> Markup {
    let rates: Vec<(String, Rate)> = scores.iter().map(|s| (s.name.clone(), Rate::new(s.right, s.plies))).collect();
    html! {
        h2 id="recordings" { "Recordings" }
        p { "Folders of pictures whose truth is known. Delay: median and largest, in pictures, from the first clean \
             picture of a ply to the one at which the record says so for good." }
        p class="command" { code { "lab --recordings DIR" } }
        div class="plots" {
            figure {
                (plot(plots::shares("Plies right, by recording", "plies right (%)", &rates)))
                figcaption { strong { "Plies right" } " by recording, of all (in brackets)." }
            }
        }
        (table_markup(&by_recording(scores)))
        @let drawn = told(&sums::counts(scores), "lab --recordings DIR");
        @if !drawn.is_empty() { div class="plots" { @for figure in drawn { (figure) } } }
        @for table in sums::count_tables(scores) { (table_markup(&table)) }
        (recorded_faults(scores))
    }
}

/// A row for each recording, and one for all where there are several.
fn by_recording(scores: &[Score]) -> Table {
    let header = [
        "recording",
        "pictures",
        "plies",
        "right",
        "%",
        "95 % interval",
        "first fault",
        "perfect",
        "delay (pictures)",
        "illegal",
        "reason",
        "false",
    ];
    let row = |s: &Score, perfect: String| {
        let rate = Rate::new(s.right, s.plies);
        let of = |part: usize, whole: usize| if whole == 0 { "–".into() } else { format!("{part}/{whole}") };
        vec![
            s.name.clone(),
            s.pictures.to_string(),
            s.plies.to_string(),
            s.right.to_string(),
            rate.percent_text(),
            rate.interval_text(),
            s.first_fault.map_or_else(|| "–".into(), |ply| ply.to_string()),
            perfect,
            sums::delay_pictures(s),
            of(s.warnings.announced, s.warnings.shown),
            of(s.warnings.reason_right, s.warnings.with_reason),
            s.warnings.wrong.to_string(),
        ]
    };
    let mut rows: Vec<Vec<String>> =
        scores.iter().map(|s| row(s, if s.perfect { "yes" } else { "no" }.into())).collect();
    if scores.len() > 1 {
        let perfect = scores.iter().filter(|s| s.perfect).count();
        rows.push(row(&sums::total(scores), format!("{perfect}/{}", scores.len())));
    }
    Table { title: "Recording by recording".into(), header: header.map(str::to_owned).to_vec(), rows }
}

/// The faults of all recordings.
fn recorded_faults(scores: &[Score]) -> Markup {
    let entry = |(score, fault): (&Score, &Fault)| {
        html! {
            (score.name) ", ply " (fault.ply) " " (pair(fault.correct.as_deref(), fault.read.as_deref()))
        }
    };
    let all = scores.iter().flat_map(|score| score.faults.iter().map(move |fault| (score, fault)));
    every_fault(&all.map(entry).collect::<Vec<_>>())
}
