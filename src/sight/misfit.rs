//! Is this the board that was seen before? How badly a picture differs from the reference, square by square alike.

use super::{
    colour::{Colour, Samples, colour_from_rgb},
    coverage::POINTS,
};
use crate::{board::map::BoardMap, frame::Frame};

/// Errors beyond this, in levels, are other things than the board: they count as this much.
const LARGEST_ERROR: f32 = 40.0;
/// Levels below which a point of the reference says nothing about the light.
const DARK: f32 = 12.0;

/// Mean difference of luminance, in levels (large ones cut), between the board at this place and the reference;
/// infinite where the board is hardly in the picture,
/// 0 where nothing is remembered.
#[must_use]
pub fn misfit(frame: &Frame<'_>, image_from_board: &BoardMap, reference: &[Colour]) -> f64 {
    // Read exactly as the reference was: an unmoved board has no error at all.
    let now: Vec<f32> =
        Samples::read(frame, image_from_board).0.into_iter().map(|rgb| colour_from_rgb(rgb)[0]).collect();
    let gain = gain(&now, reference);
    let errors = now.iter().zip(reference).map(|(now, then)| (now / gain - then[0]).abs()).filter(|e| e.is_finite());
    let (sum, seen) = errors.fold((0.0, 0), |(sum, n), e| (sum + f64::from(e.min(LARGEST_ERROR)), n + 1_u32));
    let in_picture = now.iter().filter(|n| n.is_finite()).count();
    if in_picture < POINTS / 4 { f64::INFINITY } else { sum / f64::from(seen.max(1)) }
}

/// The light now against that of the reference: the median ratio, robust as long as most of the board is as before.
fn gain(now: &[f32], reference: &[Colour]) -> f32 {
    let mut ratios: Vec<f32> =
        now.iter().zip(reference).filter(|(n, r)| n.is_finite() && r[0] > DARK).map(|(n, r)| n / r[0]).collect();
    if ratios.is_empty() {
        return 1.0;
    }
    let middle = ratios.len() / 2;
    ratios.select_nth_unstable_by(middle, f32::total_cmp).1.clamp(0.02, 50.0)
}
