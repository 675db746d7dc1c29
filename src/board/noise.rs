//! How much noise is in luminances that lie in rows? What a mask shows of them that sees neither slopes nor edges along its
//! sides: the difference of differences, across both directions (J. Immerkær, "Fast noise variance estimation", 1996).

use nalgebra::RealField;

/// Deviation of what the mask shows of white noise of deviation 1.
pub(super) const NORM: f32 = 6.0;
/// Half of a normal distribution lies within so many deviations.
const HALF_WITHIN: f64 = 0.6745;

/// What the mask shows at each place that has others all around it, without its sign, row by row.
pub(super) fn mask<T: RealField + Copy>(data: &[T], width: usize) -> impl Iterator<Item = T> {
    let height = data.len().checked_div(width).unwrap_or(0);
    let bend = |before: T, here: T, after: T| before - (here + here) + after;
    let along = move |k: usize| bend(data[k - 1], data[k], data[k + 1]);
    (1..height.saturating_sub(1)).flat_map(move |row| {
        let inner = row * width + 1..(row * width + width).saturating_sub(1);
        inner.map(move |k| bend(along(k - width), along(k), along(k + width)).abs())
    })
}

/// Standard deviation of the noise, by what the mask shows at most places: its median leaves edges out. 0 where it fits nowhere.
pub(super) fn deviation<T: RealField + Copy + Into<f64>>(data: &[T], width: usize) -> f64 {
    let mut shown: Vec<f64> = mask(data, width).map(Into::into).collect();
    let middle = shown.len() / 2;
    let median = if shown.is_empty() { 0.0 } else { *shown.select_nth_unstable_by(middle, f64::total_cmp).1 };
    median / (f64::from(NORM) * HALF_WITHIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_edges_along_the_rows_are_no_noise_and_a_single_point_is() {
        let plane = |of: fn(usize, usize) -> f64| (0..63).map(|k| of(k % 9, k / 9)).collect::<Vec<f64>>();
        for still in [plane(|x, y| (3 * x + 5 * y) as f64), plane(|x, y| if x < 4 { 0.0 } else { 90.0 } + y as f64)] {
            assert_eq!((mask(&still, 9).count(), mask(&still, 9).sum::<f64>(), deviation(&still, 9)), (35, 0.0, 0.0));
        }
        // Of a point the mask shows itself: 1 2 1, 2 4 2, 1 2 1.
        let point = plane(|x, y| f64::from(u8::from((x, y) == (4, 3))));
        assert_eq!((mask(&point, 9).sum::<f64>(), mask(&point, 9).fold(0.0, f64::max)), (16.0, 4.0));
    }

    #[test]
    fn what_is_too_small_for_the_mask_has_no_noise() {
        for (count, width) in [(0, 0), (1, 1), (4, 2), (6, 2), (6, 3)] {
            assert_eq!(deviation(&vec![7.0_f32; count], width), 0.0, "{count} in rows of {width}");
        }
    }
}
