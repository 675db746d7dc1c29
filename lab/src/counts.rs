//! All that is counted of several recordings or games together: the same in every table, in the JSON and in the report.
//!
//! What each count means is said in [`MEANINGS`], and nowhere else.

use serde::{Deserialize, Serialize};

use super::{
    interval::Rate,
    latency::Spread,
    score::Score,
    stalls::Stretch,
    told::{EDGES, Sureness, ToldMove},
};

/// The columns of [`told_rows`] and [`sure_rows`], in words for somebody who sees them for the first time.
pub const MEANINGS: [(&str, &str); 11] = [
    ("right", "plies of the final record that are what was played, of all that were played"),
    ("in hindsight", "the same of the record that all looks together make likeliest"),
    (
        "told wrong",
        "moves published that are not what was played as their ply, mended later or not, of all moves published: a \
         robot would have acted on them",
    ),
    ("revised", "moves published in the place of another one that had been told before"),
    ("together", "plies told at the same picture as others: the picture alone did not say in which order they came"),
    ("false warnings", "illegal changes announced while nothing illegal stood on the board"),
    ("per hour", "the same by the hours from first to last picture, where the pictures' times are known"),
    (
        "since let go (s)",
        "seconds from the first picture in which the man is let go to the one at which the record says so for good; \
         median / 95 % / most; below zero: told before",
    ),
    (
        "since hand gone (s)",
        "the same from the first picture of the ply without a hand; plies without such a picture are left out",
    ),
    (
        "longest unread",
        "the longest stretch of play during which the record showed none of its plies: how many were played, for how \
         long, and whether the observer said that it is at a loss (uncertain, an illegal change, the board lost)",
    ),
    ("stalls", "such stretches of three plies or more; in brackets those during which the observer said nothing"),
];

/// Heading of [`told_rows`].
pub const TOLD: &str = "What was told, and when";
/// Heading of [`sure_rows`].
pub const SURE: &str = "Do the confidences of moves hold?";

/// What came of several recordings or games.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// The run, the recording, or `all`.
    pub name: String,
    /// Recordings or games.
    pub games: usize,
    /// Plies right in the final record, of all.
    pub plies: Rate,
    /// Plies right in the record that all looks together make likeliest; `None` where looks were not kept.
    #[serde(default)]
    pub hindsight: Option<usize>,
    /// Games right from first to last ply, of all.
    pub perfect: Rate,
    /// Moves published that were wrong (`right` of the rate), of all published.
    pub told_wrong: Rate,
    /// Moves published in the place of others.
    pub revised: usize,
    /// Plies told together with others.
    pub together: usize,
    /// Illegal changes announced where nothing illegal stood.
    pub false_warnings: usize,
    /// Of these, those in games whose pictures' times are known.
    pub false_warnings_timed: usize,
    /// Hours of these games, from first to last picture.
    pub hours: f64,
    /// Seconds since the men were let go.
    pub since_let_go_s: Option<Spread>,
    /// Seconds since the hands were gone.
    pub since_hand_gone_s: Option<Spread>,
    /// The longest stretch of play that went by unread.
    pub longest_unread: Option<Stretch>,
    /// Stalls.
    pub stalls: usize,
    /// Stalls during which the observer said nothing.
    pub silent_stalls: usize,
    /// Do the confidences hold? Of all moves.
    pub sure: Sureness,
    /// Of those told with a hand in the picture.
    pub sure_with_hand: Sureness,
    /// Of those told at the same picture as others.
    pub sure_together: Sureness,
}

impl Counts {
    /// What came of these recordings or games together.
    #[must_use]
    pub fn of(name: &str, scores: &[&Score]) -> Self {
        let sum = |of: &dyn Fn(&Score) -> usize| scores.iter().map(|score| of(score)).sum::<usize>();
        let told = || scores.iter().flat_map(|score| &score.told);
        let sure = |wanted: &dyn Fn(&ToldMove) -> bool| Sureness::of(told().filter(|told| wanted(told)));
        let delays = || scores.iter().flat_map(|score| &score.delays);
        let timed = |score: &Score| if score.duration_s.is_some() { score.warnings.wrong } else { 0 };
        let stretches = scores.iter().filter_map(|score| score.longest_unread());
        Self {
            name: name.into(),
            games: scores.len(),
            plies: Rate::new(sum(&|s| s.right), sum(&|s| s.plies)),
            hindsight: scores.iter().map(|score| Some(score.hindsight?.right)).sum(),
            perfect: Rate::new(sum(&|s| usize::from(s.perfect)), scores.len()),
            told_wrong: Rate::new(sum(&Score::told_wrong), told().count()),
            revised: sum(&Score::revised),
            together: sum(&Score::told_together),
            false_warnings: sum(&|s| s.warnings.wrong),
            false_warnings_timed: sum(&timed),
            hours: scores.iter().filter_map(|score| score.duration_s).sum::<f64>() / 3600.0,
            since_let_go_s: Spread::since_let_go(delays()),
            since_hand_gone_s: Spread::since_hand_gone(delays()),
            longest_unread: stretches.reduce(Stretch::worse),
            stalls: sum(&|s| s.stalls().count()),
            silent_stalls: sum(&|s| s.stalls().filter(|stall| !stall.said).count()),
            sure: sure(&|_| true),
            sure_with_hand: sure(&|told| told.hand),
            sure_together: sure(&|told| told.together),
        }
    }

    /// False warnings in an hour of recording; `None` where no times are known.
    #[must_use]
    pub fn false_warnings_per_hour(&self) -> Option<f64> {
        (self.hours > 0.0).then(|| self.false_warnings_timed as f64 / self.hours)
    }

    /// False warnings in a thousand plies played; `None` where none were played.
    #[must_use]
    pub fn false_warnings_per_1000_plies(&self) -> Option<f64> {
        (self.plies.of > 0).then(|| 1000.0 * self.false_warnings as f64 / self.plies.of as f64)
    }

    /// Is there something that no user should meet: a wrong move told, a false warning, a stall?
    #[must_use]
    pub const fn has_harm(&self) -> bool {
        self.told_wrong.right > 0 || self.false_warnings > 0 || self.stalls > 0
    }

    fn row(&self) -> Vec<String> {
        let dash = || "–".to_owned();
        let seconds = |spread: Option<Spread>| spread.map_or_else(dash, |spread| spread.text(1));
        let stalls = if self.stalls == 0 { "0".into() } else { format!("{} ({})", self.stalls, self.silent_stalls) };
        vec![
            self.name.clone(),
            self.plies.count_text(),
            self.plies.percent_text(),
            self.hindsight.map_or_else(dash, |right| right.to_string()),
            self.told_wrong.count_text(),
            self.revised.to_string(),
            self.together.to_string(),
            self.false_warnings.to_string(),
            self.false_warnings_per_1000_plies().map_or_else(dash, |n| format!("{n:.1}")),
            self.false_warnings_per_hour().map_or_else(dash, |n| format!("{n:.1}")),
            seconds(self.since_let_go_s),
            seconds(self.since_hand_gone_s),
            self.longest_unread.map_or_else(dash, |stretch| stretch.text()),
            stalls,
        ]
    }
}

/// What was told and when, a row each, under a row of headings.
#[must_use]
pub fn told_rows(counts: &[&Counts]) -> Vec<Vec<String>> {
    let head = [
        "",
        "right",
        "%",
        "in hindsight",
        "told wrong",
        "revised",
        "together",
        "false warnings",
        "per 1,000 plies",
        "per hour",
        "since let go (s)",
        "since hand gone (s)",
        "longest unread",
        "stalls",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(counts.iter().map(|counts| counts.row()));
    rows
}

/// How far the confidences of moves hold, a row for each bin and one for the log loss, under a row of headings.
#[must_use]
pub fn sure_rows(counts: &Counts) -> Vec<Vec<String>> {
    let columns = [&counts.sure, &counts.sure_with_hand, &counts.sure_together];
    let share = |rate: Rate| match rate.of {
        0 => "–".to_owned(),
        _ => format!("{} of {}, {} ({})", rate.right, rate.of, rate.percent_text(), rate.interval_text()),
    };
    let head = ["told with", "all: right, % (95 %)", "with a hand in view", "together with others"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let edges: Vec<f64> = std::iter::once(0.0).chain(EDGES).collect();
    for (i, low) in edges.iter().enumerate() {
        let of =
            |sure: &&Sureness| sure.bins.iter().find(|bin| bin.low == *low).map_or(Rate::new(0, 0), |b| b.happened);
        if columns.iter().all(|sure| of(sure).of == 0) {
            continue;
        }
        let name = edges.get(i + 1).map_or_else(|| format!("{low} and more"), |high| format!("{low} to {high}"));
        rows.push(std::iter::once(name).chain(columns.iter().map(|sure| share(of(sure)))).collect());
    }
    let all = columns.iter().map(|sure| share(sure.right));
    rows.push(std::iter::once("any".to_owned()).chain(all).collect());
    let loss = columns.iter().map(|sure| match sure.right.of {
        0 => "–".to_owned(),
        _ => format!("{:.4}", sure.log_loss_nats),
    });
    rows.push(std::iter::once("log loss (nats)".to_owned()).chain(loss).collect());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        latency::{Delay, Lag},
        score::Warnings,
    };

    fn told(confidence: f64, right: bool, hand: bool) -> ToldMove {
        ToldMove { picture: 3, ply: 1, uci: "e2e4".into(), confidence: Some(confidence), right, hand, together: hand }
    }

    fn scores() -> [Score; 2] {
        let lag = |seconds: f64| Lag { pictures: 1, seconds: Some(seconds) };
        let stretch = |plies: usize, said: bool| Stretch { ply: 2, plies, seconds: Some(9.5), said };
        let one = Score {
            plies: 10,
            right: 10,
            perfect: true,
            told: vec![told(0.95, true, false), told(0.99995, false, true)],
            delays: vec![Delay { ply: 1, let_go: lag(0.5), hand_gone: None }],
            warnings: Warnings { wrong: 1, ..Warnings::default() },
            duration_s: Some(1800.0),
            ..Score::default()
        };
        let two = Score {
            plies: 30,
            right: 20,
            delays: vec![Delay { ply: 1, let_go: lag(1.5), hand_gone: Some(lag(-0.25)) }],
            warnings: Warnings { wrong: 3, ..Warnings::default() },
            unread: vec![stretch(2, false), stretch(3, false), stretch(7, true)],
            ..Score::default()
        };
        [one, two]
    }

    #[test]
    fn sums_and_rates_are_as_made_by_hand() {
        let [one, two] = scores();
        let both = Counts::of("both", &[&one, &two]);
        assert_eq!((both.plies.right, both.plies.of, both.perfect.right), (30, 40, 1));
        assert_eq!((both.told_wrong.right, both.told_wrong.of), (1, 2));
        assert_eq!((both.stalls, both.silent_stalls), (2, 1));
        // Half an hour is known, with one of the four warnings.
        assert_eq!((both.false_warnings_per_hour(), both.false_warnings_per_1000_plies()), (Some(2.0), Some(100.0)));
        assert_eq!(both.longest_unread.map(|s| (s.plies, s.said)), Some((7, true)));
        assert_eq!((both.sure_with_hand.right.of, both.sure_with_hand.bins[0].low), (1, 0.9999));
        let cells = both.row();
        assert_eq!(cells[10..], ["1.0 / 1.5 / 1.5", "-0.2 / -0.2 / -0.2", "7 plies, 9.5 s, said so", "2 (1)"]);
        assert!(both.has_harm() && !Counts::of("none", &[]).has_harm());
        assert_eq!(Counts::of("none", &[]).row()[8..], ["–", "–", "–", "–", "–", "0"]);
    }

    #[test]
    fn each_bin_of_confidences_has_its_row() {
        let [one, _] = scores();
        let rows = sure_rows(&Counts::of("one", &[&one]));
        let names: Vec<&str> = rows.iter().skip(1).map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["0.9 to 0.99", "0.9999 and more", "any", "log loss (nats)"]);
        assert_eq!(rows[2][1..], ["0 of 1, 0.00 (0.0–79.3)", "0 of 1, 0.00 (0.0–79.3)", "0 of 1, 0.00 (0.0–79.3)"]);
    }

    #[test]
    fn every_column_that_is_not_plain_has_a_meaning() {
        let rows = told_rows(&[]);
        let plain = ["", "%", "per 1,000 plies"];
        for name in rows[0].iter().filter(|name| !plain.contains(&name.as_str())) {
            assert!(MEANINGS.iter().any(|(known, _)| known == name), "{name}");
        }
    }
}
