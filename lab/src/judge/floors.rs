//! What was reached before, and whether it has fallen.
//!
//! Equal programs give equal figures, so every difference comes from a change of the program. But a change that makes
//! nothing worse flips a ply here and there as well. *Beyond noise* is what lies outside of the interval of 95 %
//! (Wilson 1927) of the earlier figure: of plies read rightly below its lower end, of moves told wrongly and of false
//! warnings above its upper end. A stall is never noise: not one more is allowed, and not one more silent one.

use serde::{Deserialize, Serialize};

use super::{Judgement, Row};
use crate::interval::Rate;

/// What a row has reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Floor {
    name: String,
    /// Does it need the data?
    data: bool,
    /// Plies, or single pictures, and how many of them were right.
    plies: usize,
    right: usize,
    /// Moves told, and how many of them were wrong.
    told: usize,
    told_wrong: usize,
    false_warnings: usize,
    stalls: usize,
    silent_stalls: usize,
}

/// What all rows have reached.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Floors {
    /// The command that made them, and that is to be compared.
    pub command: String,
    rows: Vec<Floor>,
}

/// A figure that has fallen beyond noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fall {
    /// What was judged.
    pub row: String,
    /// What has fallen, from what to what.
    pub why: String,
}

impl std::fmt::Display for Fall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.row, self.why)
    }
}

impl Floor {
    fn of(row: &Row) -> Self {
        Self {
            name: row.name.clone(),
            data: row.data,
            plies: row.right.of,
            right: row.right.right,
            told: row.told_wrong.of,
            told_wrong: row.told_wrong.right,
            false_warnings: row.false_warnings,
            stalls: row.stalls,
            silent_stalls: row.silent_stalls,
        }
    }

    /// What of the row is worse than this, in words.
    fn falls(&self, row: &Row) -> Vec<String> {
        if row.right.of != self.plies {
            return vec![format!(
                "{} plies or pictures, {} before: other games, write the floors anew",
                row.right.of, self.plies
            )];
        }
        let mut falls = vec![];
        let (before, now) = (Rate::new(self.right, self.plies), row.right);
        if now.percent < before.low {
            falls.push(format!(
                "{} right, {} before, at least {:.1} % asked",
                now.count_text(),
                self.right,
                before.low
            ));
        }
        let mut more = |what: &str, now: Rate, before: Rate| {
            if now.right > before.right && now.percent > before.high {
                let most = before.high;
                falls.push(format!(
                    "{} {what}, {} before, at most {most:.1} % allowed",
                    now.count_text(),
                    before.right
                ));
            }
        };
        more("moves told wrongly", row.told_wrong, Rate::new(self.told_wrong, self.told));
        // A ply may bring more than one warning.
        let of_plies = |warnings: usize| Rate::new(warnings.min(self.plies), self.plies);
        more("false warnings", of_plies(row.false_warnings), of_plies(self.false_warnings));
        for (what, now, before) in
            [("stalls", row.stalls, self.stalls), ("silent stalls", row.silent_stalls, self.silent_stalls)]
        {
            if now > before {
                falls.push(format!("{now} {what}, {before} before, not one more allowed"));
            }
        }
        falls
    }
}

impl Floors {
    /// What was reached by `command`.
    #[must_use]
    pub fn of(judgement: &Judgement, command: &str) -> Self {
        let mut rows: Vec<Floor> = judgement.rows.iter().map(Floor::of).collect();
        rows.extend([true, false].iter().filter_map(|data| Some(Floor::of(&sum(judgement, *data)?))));
        Self { command: command.into(), rows }
    }

    /// What has fallen beyond noise. Rows that need the data are passed over where `judgement` has none of it.
    #[must_use]
    pub fn falls(&self, judgement: &Judgement) -> Vec<Fall> {
        let mut rows = judgement.rows.clone();
        rows.extend([true, false].iter().filter_map(|data| sum(judgement, *data)));
        let asked = self.rows.iter().filter(|floor| !floor.data || judgement.has_data());
        let fallen = asked.flat_map(|floor| match rows.iter().find(|row| row.name == floor.name) {
            Some(row) => floor.falls(row).into_iter().map(|why| Fall { row: floor.name.clone(), why }).collect(),
            None => vec![Fall { row: floor.name.clone(), why: "was not judged".into() }],
        });
        fallen.collect()
    }
}

/// All rows together that need the data, or that do not: many small falls are one. `None` where there are none.
fn sum(judgement: &Judgement, data: bool) -> Option<Row> {
    let name = if data { "all that needs the data" } else { "all that is simulated" };
    let rows = judgement.rows.iter().filter(|row| row.data == data);
    rows.cloned()
        .reduce(|sum, row| Row {
            right: sum.right.and(row.right),
            told_wrong: sum.told_wrong.and(row.told_wrong),
            false_warnings: sum.false_warnings + row.false_warnings,
            stalls: sum.stalls + row.stalls,
            silent_stalls: sum.silent_stalls + row.silent_stalls,
            ..sum
        })
        .map(|sum| Row { name: name.into(), ..sum })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, data: bool, right: usize) -> Row {
        let (right, told_wrong) = (Rate::new(right, 100), Rate::new(1, 100));
        Row { name: name.into(), data, right, told_wrong, stalls: 2, silent_stalls: 1, ..Row::default() }
    }

    fn judgement() -> Judgement {
        Judgement { rows: vec![row("a", true, 100), row("b", false, 97)], ..Judgement::default() }
    }

    fn falls(change: impl Fn(&mut Judgement)) -> Vec<String> {
        let floors = Floors::of(&judgement(), "x");
        let text = serde_json::to_string(&floors).unwrap();
        let mut now = judgement();
        change(&mut now);
        let read: Floors = serde_json::from_str(&text).unwrap();
        read.falls(&now).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_equal_or_better_has_not_fallen() {
        assert_eq!(falls(|_| {}), [""; 0]);
        assert_eq!(
            falls(|now| now.rows[1] = Row { told_wrong: Rate::new(0, 100), stalls: 0, ..row("b", false, 100) }),
            [""; 0]
        );
    }

    #[test]
    fn a_ply_is_noise_and_many_are_not() {
        // Of 100 of 100 the interval begins at 96.3 %.
        assert_eq!(falls(|now| now.rows[0].right = Rate::new(97, 100)), [""; 0]);
        let told = falls(|now| now.rows[0].right = Rate::new(96, 100));
        assert_eq!(told[0], "a: 96/100 right, 100 before, at least 96.3 % asked");
        assert!(told[1].starts_with("all that needs the data: 96/100"), "{told:?}");
        // Of 1 of 100 it ends at 5.4 %.
        assert_eq!(falls(|now| now.rows[0].told_wrong = Rate::new(5, 100)), [""; 0]);
        assert!(falls(|now| now.rows[0].told_wrong = Rate::new(6, 100))[0].contains("6/100 moves told wrongly"));
        assert!(falls(|now| now.rows[1].false_warnings = 4)[0].contains("b: 4/100 false warnings, 0 before"));
    }

    #[test]
    fn small_falls_everywhere_are_a_fall() {
        let five =
            || Judgement { rows: (0..5).map(|i| row(&i.to_string(), false, 100)).collect(), ..Judgement::default() };
        let mut now = five();
        now.rows.iter_mut().for_each(|row| row.right = Rate::new(98, 100));
        let falls = Floors::of(&five(), "x").falls(&now);
        assert_eq!(falls.len(), 1);
        assert_eq!(falls[0].row, "all that is simulated");
    }

    #[test]
    fn a_stall_is_never_noise() {
        assert_eq!(falls(|now| now.rows[1].stalls = 3)[0], "b: 3 stalls, 2 before, not one more allowed");
        assert_eq!(falls(|now| now.rows[1].silent_stalls = 2)[0], "b: 2 silent stalls, 1 before, not one more allowed");
    }

    #[test]
    fn what_is_not_there_is_passed_over_only_where_no_data_is() {
        let told = falls(|now| drop(now.rows.remove(0)));
        assert_eq!(told, [""; 0], "no data at all");
        assert!(falls(|now| drop(now.rows.remove(1))).contains(&"b: was not judged".to_owned()));
        let other = falls(|now| now.rows[1].right = Rate::new(50, 50));
        assert!(other[0].starts_with("b: 50 plies or pictures, 100 before: other games"), "{other:?}");
    }
}
