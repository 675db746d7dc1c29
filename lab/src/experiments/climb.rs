//! One thing that grows worse rung by rung while all others stay: where does it become too much?

use chess_observer::sim::Scene;

use super::{
    lab::{Game, Results, false_warnings, perfect, plies_right, squares_right},
    types::{Break, Curve, Point},
};
use crate::simulated::Shots;

/// The share of plies, in per cent, that a rung must keep.
const GOOD_PERCENT: f64 = 99.0;

/// One thing that grows.
#[derive(Debug)]
pub(super) struct Climb {
    /// A short name without blanks.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What grows, with its unit.
    pub x_label: &'static str,
    /// How much of it was measured in reality, where that is known.
    pub real: Option<f64>,
    /// From none of it to the most.
    pub rungs: Vec<Rung>,
}

/// So much of it.
#[derive(Debug, Clone)]
pub(super) struct Rung {
    pub x: f64,
    pub label: String,
    pub scene: Scene,
    pub shots: Shots,
    /// Its own games instead of the experiment's, where what grows is what happens at the board.
    pub games: Option<Vec<Game>>,
}

impl Climb {
    /// The name of a rung's run.
    pub fn run(&self, rung: &Rung) -> String {
        format!("{} {}", self.name, rung.label)
    }

    /// Keeps the first, the middle and the last rung.
    pub fn thin_out(&mut self) {
        let (middle, last) = (self.rungs.len() / 2, self.rungs.len().saturating_sub(1));
        let mut index = 0;
        self.rungs.retain(|_| {
            index += 1;
            [0, middle, last].contains(&(index - 1))
        });
    }

    /// What came of it; `None` where no rung was completed.
    pub fn curve(&self, results: &Results) -> Option<Curve> {
        let point = |rung: &Rung| {
            let run = self.run(rung);
            let of = || results.of(&run);
            Point {
                x: rung.x,
                label: rung.label.clone(),
                rate: plies_right(of()),
                perfect: perfect(of()),
                false_warnings: false_warnings(of()),
                squares: squares_right(of()),
                told_wrong: of().map(|d| d.shown.score.told_wrong()).sum(),
                illegal_shown: of().map(|d| d.shown.score.warnings.shown).sum(),
                illegal_announced: of().map(|d| d.shown.score.warnings.announced).sum(),
                stalls: of().map(|d| d.shown.score.stalls().count()).sum(),
            }
        };
        let points: Vec<Point> = self.rungs.iter().map(point).filter(|p| p.rate.of > 0).collect();
        (!points.is_empty()).then(|| Curve {
            name: self.name.into(),
            title: self.title.into(),
            x_label: self.x_label.into(),
            falls_below_99: falls_below(&points, GOOD_PERCENT),
            real: self.real,
            points,
        })
    }
}

/// Where the curve falls below so many per cent for the first time, between two rungs by a straight line.
#[must_use]
fn falls_below(points: &[Point], percent: f64) -> Option<f64> {
    let first = points.iter().position(|p| p.rate.percent < percent)?;
    let below = &points[first];
    Some(match first.checked_sub(1).map(|i| &points[i]) {
        None => below.x,
        Some(above) => {
            let share = (above.rate.percent - percent) / (above.rate.percent - below.rate.percent);
            above.x + share * (below.x - above.x)
        }
    })
}

/// The first rung at which anything is wrong that a user would see, and what.
pub(super) fn breaks(curve: &Curve) -> Break {
    let bad = |p: &Point| {
        let told = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
        let why = [
            (p.rate.percent < GOOD_PERCENT).then(|| format!("{} plies right", p.rate.count_text())),
            told(p.told_wrong, "told wrong"),
            told(p.false_warnings, "false warnings"),
            told(p.stalls, "stalls"),
            told(p.illegal_shown.saturating_sub(p.illegal_announced), "illegal moves not announced"),
        ];
        why.into_iter().flatten().collect::<Vec<_>>()
    };
    let first = curve.points.iter().find(|p| !bad(p).is_empty());
    let grows = curve.points.first().zip(curve.points.last()).is_none_or(|(first, last)| first.x <= last.x);
    Break {
        name: curve.name.clone(),
        real: curve.real,
        at: first.map(|p| p.x),
        why: first.map(bad).unwrap_or_default(),
        beyond_real: first.zip(curve.real).map(|(p, real)| if grows { p.x > real } else { p.x < real }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Rate;

    fn point(x: f64, right: usize) -> Point {
        Point { x, rate: Rate::new(right, 100), ..Point::default() }
    }

    #[test]
    fn the_fall_is_interpolated() {
        assert_eq!(falls_below(&[point(0.0, 100), point(2.0, 99)], 99.0), None);
        assert_eq!(falls_below(&[point(0.0, 100), point(2.0, 98)], 99.0), Some(1.0));
        assert_eq!(falls_below(&[point(3.0, 98)], 99.0), Some(3.0));
        // What grows may fall: a lamp's height. Rungs after the first fall do not count.
        assert_eq!(falls_below(&[point(60.0, 100), point(40.0, 96), point(20.0, 100)], 99.0), Some(55.0));
    }

    #[test]
    fn a_condition_breaks_at_the_first_rung_with_anything_wrong() {
        let curve = |points: Vec<Point>, real| Curve { points, real, ..Curve::default() };
        assert_eq!(breaks(&curve(vec![point(0.0, 100), point(1.0, 99)], Some(1.0))).at, None);
        let false_move = Point { told_wrong: 1, ..point(2.0, 100) };
        let found = breaks(&curve(vec![point(0.0, 100), false_move, point(4.0, 50)], Some(1.0)));
        assert_eq!((found.at, found.beyond_real), (Some(2.0), Some(true)));
        assert_eq!(found.why, ["1 told wrong"]);
        let silent = Point { illegal_shown: 3, illegal_announced: 2, ..point(2.0, 100) };
        assert_eq!(breaks(&curve(vec![silent], Some(2.0))).beyond_real, Some(false));
        let stalled = Point { stalls: 1, ..point(30.0, 100) };
        // What grows may fall.
        let found = breaks(&curve(vec![point(60.0, 100), stalled], Some(40.0)));
        assert_eq!((found.at, found.beyond_real), (Some(30.0), Some(true)));
    }
}
