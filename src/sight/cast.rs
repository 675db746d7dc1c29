//! The light that a shadow leaves, as squares side by side tell it.
//!
//! The shadow of a hand lies over more than one square, and squares side by side are of different wood. So what light it leaves is
//! measured on the changed points of each square that were bare, and holds as far as a square beside tells the same: what hides
//! light and dark wood alike shows ratios as different as they are, and is no shadow. Each channel has its own ratio, for where
//! one lamp is hidden, others of another hue go on shining. Without that pale wood in the shadow of a hand looks more like a white
//! man than like itself.

use shakmaty::Square;

use super::{
    appearance::Appearance,
    colour::{Colour, rgb_from_colour},
    coverage::{POINTS_PER_SIDE, points_on},
    levels::median,
    shade::{TONE, deeper, side_by_side},
    sheen::Sheen,
};

/// How much of its light a channel may have in a shadow: from deep ones, where hardly a lamp is left, to more than before, where
/// the grey part of the shadow is known already (`shade`) and its hue is left.
const LEFT: std::ops::RangeInclusive<f32> = 0.2..=1.4;
/// Points of a square in one shadow agree on its light within this part of it: wood under several lamps, and their soft edges.
const AGREES: f32 = 0.15;
/// Points, an eighth of a square, that tell half as surely as many more do what the light is: fewer may be an edge.
const HALF_SURE: f32 = 8.0;
/// How far apart the light in one shadow is on pale and on dark wood, as a standard deviation of its logarithm, beyond what a tone
/// curve takes from dark wood ([`TONE`]): it takes some of red from pale wood, measured in simulated films.
const SAME_SHADOW: f32 = 0.08;
/// How likely a point that looks otherwise lies in the shadow of its square: as likely as in any other.
const SHADOW: f32 = 0.2;

/// The light that is left where a shadow lies on bare board.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cast {
    /// What is left of red, green and blue.
    gain: [f32; 3],
    /// How surely that is known.
    trust: f32,
}

impl Cast {
    /// Of a square: the light that most of its changed, bare points agree on.
    fn on(square: Square, colours: &[Colour], differs: &[bool], appearance: &Appearance) -> Option<Self> {
        let mut gains = [[0.0; 3]; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let left = points_on(square).filter(|index| differs[*index]).filter_map(|index| {
            let (now, bare) = (rgb_from_colour(&colours[index]), rgb_from_colour(appearance.known_bare(index)?));
            let gain: [f32; 3] = std::array::from_fn(|k| now[k] / bare[k].max(1.0));
            gain.iter().all(|g| LEFT.contains(g)).then_some(gain)
        });
        let count = gains.iter_mut().zip(left).map(|(slot, gain)| *slot = gain).count();
        let middle = middle_of(&gains[..count])?;
        let agrees = |gain: &[f32; 3]| (0..3).all(|k| (gain[k] / middle[k] - 1.0).abs() < AGREES);
        let mut agreeing = 0;
        for place in 0..count {
            if agrees(&gains[place]) {
                gains.swap(agreeing, place);
                agreeing += 1;
            }
        }
        let gain = middle_of(&gains[..agreeing])?;
        Some(Self { gain, trust: agreeing as f32 / (agreeing as f32 + HALF_SURE) })
    }

    /// How likely this one, on pale wood, and another one on dark wood are one shadow: 1 where they leave the same light, and where
    /// a tone curve takes more of the dark wood's, or its sheen is gone.
    fn likeness(&self, dark: &Self, sheen: &[f32; 3]) -> f32 {
        let apart = |k: usize| {
            let [pale, dark] = [self.gain[k], dark.gain[k]].map(f32::ln);
            let (deeper, sheen) = (deeper(pale, dark), if pale < 0.0 { sheen[k] } else { 0.0 });
            (deeper - deeper.clamp(0.0, TONE * pale.abs() + sheen)) / SAME_SHADOW
        };
        (-0.5 * (0..3).map(|k| apart(k) * apart(k)).sum::<f32>()).exp()
    }
}

/// The median of each channel, of a square's points at most; `None` of no point.
fn middle_of(gains: &[[f32; 3]]) -> Option<[f32; 3]> {
    let mut channel = [0.0; POINTS_PER_SIDE * POINTS_PER_SIDE];
    (!gains.is_empty()).then(|| {
        std::array::from_fn(|k| {
            channel.iter_mut().zip(gains).for_each(|(slot, gain)| *slot = gain[k]);
            median(&mut channel[..gains.len()])
        })
    })
}

/// The shadows that squares lie in.
#[derive(Debug, Clone)]
pub(super) struct Casts {
    on: [Option<Cast>; 64],
    sheen: Sheen,
}

impl Casts {
    /// Measures them on the bare board, where points look otherwise than they did.
    pub fn seen(colours: &[Colour], differs: &[bool], appearance: &Appearance) -> Self {
        Self {
            on: Square::ALL.map(|square| Cast::on(square, colours, differs, appearance)),
            sheen: Sheen::of(appearance),
        }
    }

    /// What is left of the light in the shadow on this square, and the chance that a point that looks otherwise lies in it; `None`
    /// where no square beside lies in the same.
    pub fn on(&self, square: Square) -> Option<([f32; 3], f32)> {
        let own = self.on[usize::from(square)]?;
        let same = side_by_side(square).into_iter().filter_map(|at| {
            let there = self.on[usize::from(at)]?;
            let ([pale, dark], of_dark) = if square.is_light() { ([own, there], at) } else { ([there, own], square) };
            Some(there.trust * pale.likeness(&dark, self.sheen.on(of_dark)))
        });
        let same = same.fold(0.0, f32::max);
        (same > 0.0).then_some((own.gain, SHADOW * own.trust * same))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_may_fall_deeper_on_dark_wood_than_on_pale_and_not_the_other_way() {
        let cast = |left: f32| Cast { gain: [left; 3], trust: 1.0 };
        let likeness = |pale: f32, dark: f32| cast(pale).likeness(&cast(dark), &[0.0; 3]);
        // The shadow of an arm in the render s04; the deepest ones of recordings.
        for [pale, dark] in [[0.8, 0.8], [0.8, 0.7], [0.48, 0.38]] {
            assert_eq!(likeness(pale, dark), 1.0, "{pale} {dark}");
        }
        // What lies over both takes more from pale wood, or far more from one of them than any camera does.
        for [pale, dark] in [[0.7, 0.8], [0.6, 1.2], [0.8, 0.5]] {
            assert!(likeness(pale, dark) < 0.1, "{pale} {dark}: {}", likeness(pale, dark));
        }
    }
}
