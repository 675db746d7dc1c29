//! Logistic regression: the log-odds of being right as a weighted sum (Cox 1958), fitted by Newton's method.

use nalgebra::{SMatrix, SVector};

/// Parts of a sum.
const PARTS: usize = 7;
/// Half of the square of a weight costs this many nats: a weight that nothing speaks for stays at nought.
const RIDGE: f64 = 0.1;
/// Newton's steps; each doubles the digits that hold.
const STEPS: usize = 30;
/// The least probability that counts in a loss: the observer says no more than 1 less this.
const LEAST: f64 = 1e-6;

/// One look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub parts: [f64; PARTS],
    pub right: bool,
    pub weight: f64,
}

impl Row {
    /// The log-odds of being right.
    pub fn log_odds(&self, weights: &[f64; PARTS]) -> f64 {
        self.parts.iter().zip(weights).map(|(part, weight)| part * weight).sum()
    }
}

/// The weights that lose the fewest nats.
pub(super) fn fit(rows: &[Row]) -> [f64; PARTS] {
    let mut weights = [0.0; PARTS];
    for _ in 0..STEPS {
        let mut slope = SVector::<f64, PARTS>::zeros();
        let mut curve = SMatrix::<f64, PARTS, PARTS>::identity() * 1e-9;
        for row in rows {
            let p = 1.0 / (1.0 + (-row.log_odds(&weights)).exp());
            let parts = SVector::from(row.parts);
            slope += parts * (row.weight * (f64::from(u8::from(row.right)) - p));
            curve += parts * parts.transpose() * (row.weight * p * (1.0 - p));
        }
        // The first part is always there: it may be as large as it likes.
        for (k, weight) in weights.iter().enumerate().skip(1) {
            slope[k] -= RIDGE * weight;
            curve[(k, k)] += RIDGE;
        }
        let Some(step) = curve.lu().solve(&slope) else { break };
        // A step that is too long would leave the valley.
        let scale = 1.0 / (step.amax() / 2.0).max(1.0);
        weights.iter_mut().zip(step.iter()).for_each(|(weight, step)| *weight += step * scale);
    }
    weights
}

/// What a story costs, in nats: the mean of -ln of the probability that was given to what came true.
pub(super) fn loss(rows: &[Row], log_odds: impl Fn(&Row) -> f64) -> f64 {
    let nats = |row: &Row| {
        let p = (1.0 / (1.0 + (-log_odds(row)).exp())).clamp(LEAST, 1.0 - LEAST);
        -row.weight * if row.right { p.ln() } else { (1.0 - p).ln() }
    };
    rows.iter().map(nats).sum::<f64>() / rows.iter().map(|row| row.weight).sum::<f64>().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::sim::dice::Dice;

    #[test]
    fn weights_that_made_the_samples_are_found_again() {
        let truth = [1.0, 0.5, -1.5, 0.0, -0.7, 0.0, 0.0];
        let mut dice = Dice::new(5, 0);
        let rows: Vec<Row> = (0..40_000)
            .map(|_| {
                let mut parts = [0.0; PARTS];
                parts[0] = 1.0;
                parts[1] = dice.between(-4.0, 8.0);
                parts[2] = f64::from(u8::from(dice.unit() < 0.3));
                parts[4] = dice.between(0.0, 3.0);
                let mut row = Row { parts, right: false, weight: 1.0 };
                row.right = dice.unit() < 1.0 / (1.0 + (-row.log_odds(&truth)).exp());
                row
            })
            .collect();
        let found = fit(&rows);
        for (k, (found, truth)) in found.iter().zip(truth).enumerate() {
            assert!((found - truth).abs() < 0.12, "part {k}: {found} instead of {truth}");
        }
        assert!(loss(&rows, |row| row.log_odds(&found)) <= loss(&rows, |row| row.log_odds(&truth)));
    }

    #[test]
    fn what_nothing_speaks_for_stays_at_nought() {
        let row = |right| Row { parts: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], right, weight: 1.0 };
        let found = fit(&[row(true), row(true), row(true), row(false)]);
        assert!((found[0] - 3f64.ln()).abs() < 1e-6 && found[1..].iter().all(|w| w.abs() < 1e-9), "{found:?}");
    }
}
