//! The logarithm of a product of many likelihoods: a picture has thousands of points, and one logarithm costs more than the rest of
//! a point.

/// A product that is kept between these, and its logarithm beyond them: far from where numbers end, whatever one factor is.
const RANGE: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

/// A product of many positive factors, each between 1e-150 and 1e150, that is asked for its logarithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    factors: f64,
    ln: f64,
}

impl Product {
    /// Of no factors: 1.
    pub const fn new() -> Self {
        Self { factors: 1.0, ln: 0.0 }
    }

    /// Takes one more factor.
    pub fn times(&mut self, factor: f64) {
        self.factors *= factor;
        if !RANGE.contains(&self.factors) {
            self.ln += self.factors.ln();
            self.factors = 1.0;
        }
    }

    /// Its natural logarithm.
    #[must_use]
    pub fn ln(self) -> f64 {
        self.ln + self.factors.ln()
    }
}

/// ln of the product of these factors.
pub(super) fn ln_of_product(factors: impl Iterator<Item = f64>) -> f64 {
    let mut product = Product::new();
    factors.for_each(|factor| product.times(factor));
    product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_the_logarithms() {
        for factor in [1e-30, 1e-6, 0.97, 1.0, 3.0, 1e30] {
            for count in [0, 1, 7, 4096] {
                let varied = |k: usize| factor * (1.0 + (k % 5) as f64);
                let sum: f64 = (0..count).map(|k| varied(k).ln()).sum();
                let ln = ln_of_product((0..count).map(varied));
                assert!((ln - sum).abs() <= 1e-12 * sum.abs().max(1.0), "{factor} {count}: {ln} {sum}");
            }
        }
    }
}
