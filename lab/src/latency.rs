//! How long after a move was made was it told?
//!
//! Two moments count. A man is *let go* in the first picture from which on the ply stands on the board, the hand perhaps
//! still over it; the hand is *gone* in the first clean picture of it from then on. A delay runs from either to the
//! picture at which the record came to say so for good: a move that was told wrongly at first counts from its
//! correction. It is negative where the move was told before.

use serde::{Deserialize, Serialize};

use super::truth::Truth;

/// When a ply came to stand on the board, as numbers of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// The man is let go.
    pub let_go: usize,
    /// The hand is gone; `None` where the next hand came first.
    pub hand_gone: Option<usize>,
}

/// When the plies of the game were made, the first ply first; `None` where no picture shows one. A ply that was taken
/// back and played again counts from the last time.
#[must_use]
pub fn made(truth: &Truth) -> Vec<Option<Made>> {
    let of = |ply: usize| {
        let let_go = truth.rows.iter().rposition(|row| row.let_go < ply).map_or(0, |last| last + 1);
        let rest = truth.rows.get(let_go..).filter(|rest| !rest.is_empty())?;
        let hand_gone = rest.iter().position(|row| row.ply >= ply && row.state == "clean");
        Some(Made { let_go, hand_gone: hand_gone.map(|i| let_go + i) })
    };
    (1..=truth.plies.len()).map(of).collect()
}

/// From one picture to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lag {
    /// In pictures.
    pub pictures: i64,
    /// In seconds, where the pictures' times are known.
    pub seconds: Option<f64>,
}

impl Lag {
    /// From picture `from` to picture `to`.
    #[must_use]
    pub fn new(truth: &Truth, from: usize, to: usize) -> Self {
        Self { pictures: to as i64 - from as i64, seconds: truth.seconds(from, to) }
    }
}

/// How long the record lagged behind the board at one right ply.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Delay {
    /// Number of the ply, 1 for the first.
    pub ply: usize,
    /// Since the man was let go.
    pub let_go: Lag,
    /// Since the hand was gone; `None` where no picture shows the ply without a hand.
    pub hand_gone: Option<Lag>,
}

/// The middle and the end of many delays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there are.
    pub of: usize,
    /// As many are shorter as are longer.
    pub median: f64,
    /// 95 of 100 are no longer than this (nearest rank).
    pub most_of_95: f64,
    /// The longest.
    pub most: f64,
}

impl Spread {
    /// Of these values, in any order; `None` of none.
    #[must_use]
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let (of, most) = (sorted.len(), *sorted.last()?);
        let median = f64::midpoint(sorted[(of - 1) / 2], sorted[of / 2]);
        // 1 to `of`: the 19th of 20, the 20th of 21.
        let rank = (95 * of).div_ceil(100);
        Some(Self { of, median, most_of_95: sorted[rank - 1], most })
    }

    /// Seconds from when the men were let go; plies without known times are left out.
    #[must_use]
    pub fn since_let_go<'a>(delays: impl Iterator<Item = &'a Delay>) -> Option<Self> {
        Self::of(delays.filter_map(|delay| delay.let_go.seconds))
    }

    /// Seconds from when the hands were gone; plies without known times, or without a clean picture, are left out.
    #[must_use]
    pub fn since_hand_gone<'a>(delays: impl Iterator<Item = &'a Delay>) -> Option<Self> {
        Self::of(delays.filter_map(|delay| delay.hand_gone?.seconds))
    }

    /// Pictures from when the hands were gone.
    #[must_use]
    pub fn pictures<'a>(delays: impl Iterator<Item = &'a Delay>) -> Option<Self> {
        Self::of(delays.filter_map(|delay| Some(delay.hand_gone?.pictures as f64)))
    }

    /// Median, 95 % and most, as in `0.4 / 1.2 / 3.0`, with so many digits.
    #[must_use]
    pub fn text(&self, digits: usize) -> String {
        format!("{:.digits$} / {:.digits$} / {:.digits$}", self.median, self.most_of_95, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::Row;

    /// Rows of let-go plies, completed plies and states, half a second apart.
    fn truth(plies: usize, rows: &[(usize, usize, &str)]) -> Truth {
        let row = |(i, &(let_go, ply, state)): (usize, &(usize, usize, &str))| Row {
            frame: i.to_string(),
            time_ms: Some(500 * i as i64),
            ply,
            let_go,
            event: "move".into(),
            uci: String::new(),
            state: state.into(),
        };
        Truth {
            plies: vec![String::new(); plies],
            rows: rows.iter().enumerate().map(row).collect(),
            ..Truth::default()
        }
    }

    #[test]
    fn a_man_is_let_go_before_the_hand_is_gone() {
        let truth = truth(3, &[(0, 0, "clean"), (1, 0, "hand"), (1, 1, "hand"), (1, 1, "clean"), (2, 2, "hand")]);
        let made = made(&truth);
        assert_eq!(made[0], Some(Made { let_go: 1, hand_gone: Some(3) }));
        assert_eq!(made[1], Some(Made { let_go: 4, hand_gone: None }), "no clean picture");
        assert_eq!(made[2], None, "no picture");
        assert_eq!(Lag::new(&truth, 3, 1), Lag { pictures: -2, seconds: Some(-1.0) });
    }

    #[test]
    fn a_ply_played_again_counts_from_the_last_time() {
        let truth = truth(1, &[(1, 1, "irregular"), (0, 0, "clean"), (0, 0, "hand"), (1, 1, "clean")]);
        assert_eq!(made(&truth), [Some(Made { let_go: 3, hand_gone: Some(3) })]);
    }

    #[test]
    fn spreads_have_their_ranks() {
        let of = |n: usize| Spread::of((1..=n).rev().map(|v| v as f64)).unwrap();
        assert_eq!((of(20).median, of(20).most_of_95, of(20).most), (10.5, 19.0, 20.0));
        assert_eq!((of(21).median, of(21).most_of_95, of(21).most), (11.0, 20.0, 21.0));
        assert_eq!((of(1).median, of(1).most_of_95, of(1).of), (1.0, 1.0, 1));
        assert_eq!(Spread::of(std::iter::empty()), None);
        assert_eq!(of(20).text(1), "10.5 / 19.0 / 20.0");
    }
}
