//! The logarithm of a product of many likelihoods: a picture has thousands of points, and one logarithm costs more than the rest of
//! a point.

/// A product is kept between these, and its logarithm beyond them: far from where numbers end, whatever one factor is.
const RANGE: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

/// ln of the product of these positive factors, each between 1e-150 and 1e150; 0 of none.
pub(super) fn ln_of_product(factors: impl Iterator<Item = f64>) -> f64 {
    let (mut product, mut ln) = (1.0, 0.0);
    factors.for_each(|factor| {
        product *= factor;
        if !RANGE.contains(&product) {
            ln += f64::ln(product);
            product = 1.0;
        }
    });
    ln + product.ln()
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
