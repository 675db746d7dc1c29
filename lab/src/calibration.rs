//! Does what is told come true as often as was told?
//!
//! Probabilities are sorted into bins between fixed edges in the log-odds, where 99 % and 99.9 % are as far apart as they
//! are to somebody who relies on them. In each bin stands what was told, in the mean, beside the share that came true:
//! the reliability diagram of A. H. Murphy and R. L. Winkler, *Reliability of subjective probability forecasts of
//! precipitation and temperature*, Applied Statistics 26 (1977).

use serde::{Deserialize, Serialize};

use super::interval::Rate;

/// Edges between the bins: rounder than equal steps of the log-odds, and symmetric about one half, so that what is told of
/// "a man" and of "no man" falls into bins that mirror each other.
pub const EDGES: [f64; 17] =
    [0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999];
/// One more than edges.
const BINS: usize = EDGES.len() + 1;

/// Counts what was told and what came true.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Counter([Sum; BINS]);

/// One bin while it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Sum {
    told: f64,
    happened: usize,
    of: usize,
}

impl Counter {
    /// Something was told with `probability`; it `happened` or it did not. What is no probability is left out.
    pub fn add(&mut self, probability: f64, happened: bool) {
        if !(0.0..=1.0).contains(&probability) {
            return;
        }
        let bin = &mut self.0[EDGES.partition_point(|edge| *edge <= probability)];
        bin.told += probability;
        bin.happened += usize::from(happened);
        bin.of += 1;
    }

    /// Takes in what another one has counted.
    pub fn merge(&mut self, other: &Self) {
        for (bin, other) in self.0.iter_mut().zip(&other.0) {
            bin.told += other.told;
            bin.happened += other.happened;
            bin.of += other.of;
        }
    }

    /// Told against happened, from the least likely bin to the likeliest; empty bins are left out.
    #[must_use]
    pub fn bins(&self) -> Vec<Bin> {
        self.bins_between(&EDGES)
    }

    /// The same in fewer bins, between `edges`: some of [`EDGES`], rising.
    #[must_use]
    pub fn bins_between(&self, edges: &[f64]) -> Vec<Bin> {
        let lows = std::iter::once(0.0).chain(edges.iter().copied());
        let highs = edges.iter().copied().chain([1.0]);
        let first = |edge: f64| if edge == 0.0 { 0 } else { EDGES.partition_point(|e| *e < edge) + 1 };
        let bin = |(low, high): (f64, f64)| {
            let last = if high == 1.0 { BINS } else { first(high) };
            let sums = &self.0[first(low)..last];
            let of: usize = sums.iter().map(|sum| sum.of).sum();
            let told: f64 = sums.iter().map(|sum| sum.told).sum();
            let happened = Rate::new(sums.iter().map(|sum| sum.happened).sum(), of);
            Bin { low, high, told: told / of.max(1) as f64, happened }
        };
        lows.zip(highs).map(bin).filter(|bin| bin.happened.of > 0).collect()
    }

    /// The expected calibration error: how far told and happened are apart, in percentage points, in the mean over all
    /// that was told (M. P. Naeini, G. F. Cooper and M. Hauskrecht, *Obtaining well calibrated probabilities using
    /// Bayesian binning*, AAAI 2015). 0 where nothing was told.
    #[must_use]
    pub fn error_percent(&self) -> f64 {
        let of: usize = self.0.iter().map(|sum| sum.of).sum();
        let apart: f64 = self.0.iter().map(|sum| (sum.told - sum.happened as f64).abs()).sum();
        100.0 * apart / of.max(1) as f64
    }

    /// Of what was told with at least `probability`, one of [`EDGES`]: how much came true.
    #[must_use]
    pub fn at_least(&self, probability: f64) -> Rate {
        let bins = &self.0[EDGES.partition_point(|edge| *edge < probability) + 1..];
        Rate::new(bins.iter().map(|sum| sum.happened).sum(), bins.iter().map(|sum| sum.of).sum())
    }
}

/// What was told with a probability between two edges, and how much of it came true.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bin {
    /// The least probability of the bin.
    pub low: f64,
    /// The edge that it stays below; 1 belongs to the last bin.
    pub high: f64,
    /// What was told, in the mean.
    pub told: f64,
    /// How much came true.
    pub happened: Rate,
}

impl Bin {
    /// Is what was told, in the mean, within the interval of what happened?
    #[must_use]
    pub fn holds(&self) -> bool {
        (self.happened.low..=self.happened.high).contains(&(100.0 * self.told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::sim::dice::Dice;

    /// Things told with probabilities from all over the log-odds, that happen as often as `true_log_odds` says.
    fn told(count: usize, true_log_odds: impl Fn(f64) -> f64) -> Counter {
        let mut dice = Dice::new(7, 0xca1);
        let mut counter = Counter::default();
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        for _ in 0..count {
            let log_odds = dice.between(-10.0, 10.0);
            counter.add(logistic(log_odds), dice.unit() < logistic(true_log_odds(log_odds)));
        }
        counter
    }

    #[test]
    fn what_is_well_calibrated_lies_on_the_diagonal() {
        let counter = told(200_000, |x| x);
        let bins = counter.bins();
        assert_eq!(bins.len(), BINS);
        // 95 of 100 intervals hold the truth: of 18 bins, three outside come once in seventy times.
        assert!(bins.iter().filter(|bin| !bin.holds()).count() <= 2, "{bins:?}");
        assert!(counter.error_percent() < 0.3, "{}", counter.error_percent());
        let sure = counter.at_least(0.99);
        assert!(sure.of > 10_000 && sure.percent > 99.0, "{sure:?}");
    }

    #[test]
    fn overconfidence_and_diffidence_are_seen_on_either_side() {
        for (stretch, says) in [(0.5, "overconfident"), (2.0, "diffident")] {
            let counter = told(200_000, |x| stretch * x);
            let bins = counter.bins();
            assert!(bins.iter().filter(|bin| !bin.holds()).count() > 12, "{says}: {bins:?}");
            assert!(counter.error_percent() > 3.0, "{says}");
            for bin in bins.iter().filter(|bin| (bin.told - 0.5).abs() > 0.3 && !bin.holds()) {
                let nearer_to_half = (bin.happened.percent / 100.0 - 0.5).abs() < (bin.told - 0.5).abs();
                assert_eq!(nearer_to_half, stretch < 1.0, "{says}: {bin:?}");
            }
            assert_eq!(counter.at_least(0.99).percent < 99.0, stretch < 1.0, "{says}");
        }
    }

    #[test]
    fn bins_have_their_lower_edges_and_what_is_told_of_the_opposite_mirrors_them() {
        let mut counter = Counter::default();
        let mut opposite = Counter::default();
        for p in [0.0, 0.00005, 0.003, 0.3, 0.6, 0.97, 1.0] {
            counter.add(p, p > 0.5);
            opposite.add(1.0 - p, p <= 0.5);
        }
        let (bins, mut mirrored) = (counter.bins(), opposite.bins());
        mirrored.reverse();
        for (bin, mirror) in bins.iter().zip(&mirrored) {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
            assert!(near(bin.low, 1.0 - mirror.high) && near(bin.high, 1.0 - mirror.low), "{bin:?} {mirror:?}");
            assert!(near(bin.told, 1.0 - mirror.told) && bin.happened.of == mirror.happened.of);
        }
        assert!((counter.error_percent() - opposite.error_percent()).abs() < 1e-12);
        let wide = counter.bins_between(&[0.5, 0.99]);
        let counts = |bins: &[Bin]| bins.iter().map(|b| (b.low, b.high, b.happened.of)).collect::<Vec<_>>();
        assert_eq!(counts(&wide), [(0.0, 0.5, 4), (0.5, 0.99, 2), (0.99, 1.0, 1)]);
        assert!((wide[1].told - (0.6 + 0.97) / 2.0).abs() < 1e-12);
        let mut edge = Counter::default();
        edge.add(0.99, true);
        assert_eq!((edge.bins()[0].low, edge.at_least(0.99).of, edge.at_least(0.995).of), (0.99, 1, 0));
    }

    #[test]
    fn parts_add_up_and_what_is_no_probability_is_left_out() {
        let (mut whole, mut parts) = (Counter::default(), [Counter::default(), Counter::default()]);
        for i in 0..100usize {
            let p = i as f64 / 100.0;
            whole.add(p, i.is_multiple_of(3));
            parts[i % 2].add(p, i.is_multiple_of(3));
        }
        let [mut sum, other] = parts;
        sum.merge(&other);
        let rates = |c: &Counter| c.bins().iter().map(|b| b.happened).collect::<Vec<_>>();
        assert_eq!(rates(&sum), rates(&whole));
        [f64::NAN, -0.1, 1.1].into_iter().for_each(|p| sum.add(p, true));
        assert_eq!(rates(&sum), rates(&whole));
        assert_eq!((Counter::default().error_percent(), Counter::default().bins()), (0.0, vec![]));
    }
}
