//! Is this the board that was seen before? How badly a picture differs from the reference, square by square alike.

use super::{
    colour::{Colour, Samples, colour_from_rgb},
    coverage::POINTS,
    light::median_ratio,
};

/// Errors beyond this, in levels, are other things than the board: they count as this much.
const LARGEST_ERROR: f32 = 40.0;

/// Mean difference of luminance, in levels (large ones cut), between what was read of the board at some place and the
/// reference; infinite where the board is hardly in the picture, 0 where nothing is remembered. `scratch` is a buffer.
#[must_use]
pub(crate) fn misfit(samples: &Samples, reference: &[Colour], scratch: &mut Vec<f32>) -> f64 {
    let pairs = || samples.0.iter().map(|rgb| colour_from_rgb(*rgb)[0]).zip(reference.iter().map(|then| then[0]));
    let gain = median_ratio(pairs(), scratch);
    let errors = pairs().map(|(now, then)| (now / gain - then).abs()).filter(|e| e.is_finite());
    let (sum, seen) = errors.fold((0.0, 0), |(sum, n), e| (sum + f64::from(e.min(LARGEST_ERROR)), n + 1_u32));
    let in_picture = samples.0.iter().filter(|rgb| rgb[0].is_finite()).count();
    if in_picture < POINTS / 4 { f64::INFINITY } else { sum / f64::from(seen.max(1)) }
}
