//! A share with its confidence interval: no percentage without the number of plies behind it.

use serde::{Deserialize, Serialize};

/// Standard normal quantile of 0.975: the interval holds the true share in 95 of 100 experiments.
const Z_95: f64 = 1.959_963_984_540_054;

/// So many right out of so many, with the interval of Wilson's score test at 95 %.
///
/// E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, Journal of the American
/// Statistical Association 22 (1927). Unlike the usual normal interval it says something at 100 % too: 150 of 150 is
/// "97.5 % or more". It takes the plies for independent; faults of one game are not, so where they come in heaps the
/// true interval is wider.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Rate {
    /// How many were right.
    pub right: usize,
    /// How many there were.
    pub of: usize,
    /// Their share, 0 to 100; 0 where there were none.
    pub percent: f64,
    /// Lower end of the interval, 0 to 100.
    pub low: f64,
    /// Upper end of the interval, 0 to 100.
    pub high: f64,
}

impl Rate {
    /// `right` of `of`; `right` is at most `of`. Of none nothing is known: 0 to 100.
    #[must_use]
    pub fn new(right: usize, of: usize) -> Self {
        if of == 0 {
            return Self { right, of, percent: 0.0, low: 0.0, high: 100.0 };
        }
        let (n, p) = (of as f64, right as f64 / of as f64);
        let z2 = Z_95 * Z_95;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        // At the ends the formula gives 0 and 1 exactly, rounding apart.
        let low = if right == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if right >= of { 1.0 } else { (centre + half).min(1.0) };
        Self { right, of, percent: 100.0 * p, low: 100.0 * low, high: 100.0 * high }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(self.right + other.right, self.of + other.of)
    }

    /// `99.0 %`, or a dash where there were none.
    #[must_use]
    pub fn percent_text(&self) -> String {
        if self.of == 0 { "–".into() } else { format!("{:.2}", self.percent) }
    }

    /// `98.6–99.3`, or a dash where there were none.
    #[must_use]
    pub fn interval_text(&self) -> String {
        if self.of == 0 { "–".into() } else { format!("{:.1}–{:.1}", self.low, self.high) }
    }

    /// How seldom it was not right, `1,200 (600–2,400)`; with nothing wrong `> 600`, and a dash where there were none.
    #[must_use]
    pub fn one_wrong_in_text(&self) -> String {
        let one_in = |percent: f64| thousands((100.0 / (100.0 - percent)).round());
        match self.of {
            0 => "–".into(),
            _ if self.right >= self.of => format!("> {}", one_in(self.low)),
            _ => format!("{} ({}–{})", one_in(self.percent), one_in(self.low), one_in(self.high)),
        }
    }

    /// `148/150`, or a dash where there were none.
    #[must_use]
    pub fn count_text(&self) -> String {
        if self.of == 0 { "–".into() } else { format!("{}/{}", self.right, self.of) }
    }
}

/// A whole number in groups of three digits: `12,300`.
pub fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let grouped = digits.bytes().enumerate().flat_map(|(i, digit)| {
        let comma = i > 0 && (digits.len() - i).is_multiple_of(3);
        comma.then_some(',').into_iter().chain([char::from(digit)])
    });
    grouped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_values() {
        // Newcombe 1998 (Statistics in Medicine 17), table I, method 3: Wilson's score interval.
        for (right, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let rate = Rate::new(right, of);
            assert!((rate.low - 100.0 * low).abs() < 0.006 && (rate.high - 100.0 * high).abs() < 0.006, "{rate:?}");
        }
    }

    #[test]
    fn the_interval_holds_the_share_and_is_symmetric() {
        for of in 1..60 {
            for right in 0..=of {
                let (rate, other) = (Rate::new(right, of), Rate::new(of - right, of));
                assert!(rate.low <= rate.percent && rate.percent <= rate.high, "{rate:?}");
                assert!((rate.low - (100.0 - other.high)).abs() < 1e-9, "{rate:?} {other:?}");
            }
        }
        assert_eq!(Rate::new(0, 0).percent_text(), "–");
        assert_eq!(Rate::new(0, 0).one_wrong_in_text(), "–");
        assert_eq!(Rate::new(1_199, 1_200).one_wrong_in_text(), "1,200 (213–6,797)");
        assert_eq!(Rate::new(100_000, 100_000).one_wrong_in_text(), "> 26,033");
        assert_eq!([0.0, 999.0, 1000.0, 1_234_567.0].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(Rate::new(3, 4).and(Rate::new(1, 1)).count_text(), "4/5");
    }
}
