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
    densities::Densities,
    density::{PointDensity, STRANGE},
    evidence::once,
    levels::median,
    shade::{TONE, deeper, side_by_side},
    sheen::Sheen,
    surroundings::Noise,
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
/// How likely a square lies in a shadow that squares beside it tell of. The recordings are read alike with 0.2 to 0.0003.
const SHADOW: f32 = 0.2;
/// Largest share of a square's points that is taken to lie in a shadow: a speck of light is left where all seem to.
const MOST: f32 = 0.98;
/// A block of points has so many along its side: noise is halved in its mean.
const BLOCK: usize = 2;
/// So many standard deviations of the noise may lie between points in one light.
const SPREAD: f32 = 2.0;
/// Standard error of a median, in those of a mean, of values with normal errors.
const MEDIAN_ERROR: f32 = 1.25;

/// The light that is left where a shadow lies on bare board.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cast {
    /// What is left of red, green and blue.
    gain: [f32; 3],
    /// Standard errors of its logarithms.
    error: [f32; 3],
    /// Share of the square's bare points that lie in it.
    share: f32,
    /// Which ones, by their place on the square.
    within: u64,
    /// How surely that is known.
    trust: f32,
}

/// The colours of a picture, against the bare board.
pub(super) struct SeenBoard<'a> {
    pub colours: &'a [Colour],
    /// Points that look otherwise than they did.
    pub differs: &'a [bool],
    pub noise: Noise,
    pub appearance: &'a Appearance,
}

impl Cast {
    /// Of a square: the light that most of its changed, bare points agree on.
    fn on(square: Square, seen: &SeenBoard<'_>) -> Option<Self> {
        let mut gains = [[0.0; 3]; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let mut places = [0; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let mut count = 0;
        let mut levels = [0.0; 3];
        for block in blocks_on(square) {
            let together = seen.has_changed(&block);
            for index in block.into_iter().filter(|index| together || seen.differs[*index]) {
                let Some((now, bare)) = seen.against_bare(index) else { continue };
                let gain: [f32; 3] = std::array::from_fn(|k| now[k] / bare[k].max(1.0));
                if gain.iter().all(|g| LEFT.contains(g)) {
                    gains[count] = gain;
                    places[count] = index - points_on(square).start;
                    count += 1;
                    levels.iter_mut().zip(bare).for_each(|(sum, level)| *sum += level.max(1.0));
                }
            }
        }
        let middle = middle_of(&gains[..count])?;
        let noise = rgb_noise(seen.noise.deviation);
        let apart: [f32; 3] = std::array::from_fn(|k| noise[k] * count as f32 / (levels[k] * middle[k]));
        let agrees =
            |gain: &[f32; 3]| (0..3).all(|k| (gain[k] / middle[k] - 1.0).abs() < AGREES.hypot(SPREAD * apart[k]));
        let (mut agreeing, mut within) = (0, 0);
        for k in 0..count {
            if agrees(&gains[k]) {
                within |= 1 << places[k];
                gains.swap(agreeing, k);
                agreeing += 1;
            }
        }
        let gain = middle_of(&gains[..agreeing])?;
        let bare = points_on(square).filter(|index| seen.appearance.known_bare(*index).is_some()).count();
        let share = (agreeing as f32 / bare.max(1) as f32).min(MOST);
        let error = apart.map(|apart| MEDIAN_ERROR * apart / (agreeing as f32).sqrt());
        Some(Self { gain, error, share, within, trust: agreeing as f32 / (agreeing as f32 + HALF_SURE) })
    }

    /// The square lies in it with this `chance`, which is one event for all of its points: each bare one is in it or not, as often as
    /// the square's points are, if that explains them better than no shadow does.
    fn fall_on(
        &self,
        square: Square,
        chance: f32,
        (densities, shaded): (&mut Densities<'_>, &mut [bool]),
        seen: &SeenBoard<'_>,
    ) {
        let SeenBoard { colours, differs, noise, appearance } = seen;
        let each = once(chance, points_on(square).len());
        let mut in_it = [[0.0; 2]; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let (mut there, mut gained) = ([PointDensity::default(); POINTS_PER_SIDE * POINTS_PER_SIDE], 0.0);
        for (k, index) in points_on(square).enumerate() {
            let [board, before] = appearance.density_in(self.gain, index, &colours[index], noise.deviation);
            let (point, now) = (densities.at(index), &mut there[k]);
            (in_it[k], *now) = ([board, before], *point);
            if appearance.known_bare(index).is_none() {
                now.board += each * board;
                now.reference += each * before;
                continue;
            }
            now.board = each * (self.share * board + (1.0 - self.share) * point.board);
            now.reference = each * (self.share * before + (1.0 - self.share) * point.reference);
            if point.outlier > 0.0 {
                gained += point.gained([now, point].map(|d| d.stayed(appearance.bare(index), d.board)));
            }
        }
        if gained <= 0.0 {
            return;
        }
        let strange = STRANGE * appearance.uniform();
        for (k, index) in points_on(square).enumerate() {
            densities.set(index, there[k]);
            shaded[index] |= differs[index] && chance * in_it[k][0].max(in_it[k][1]) > strange;
        }
    }

    /// How surely this shadow goes on over the border to the square beside, where that one lies: what the bare points there that
    /// face points in this one show. What stands in the middle of a square reaches no border.
    fn goes_on(&self, square: Square, (beside, at): (&Self, Square), seen: &SeenBoard<'_>) -> f32 {
        let (mut sure, mut facing) = (0.0, 0_u8);
        for [here, there] in along_border(square, at) {
            let index = points_on(at).start + there;
            if (self.within >> here) & 1 == 0 || seen.appearance.known_bare(index).is_none() {
                continue;
            }
            let density = |gain| seen.appearance.density_in(gain, index, &seen.colours[index], seen.noise.deviation)[0];
            let [inside, outside] = [beside.gain, [1.0; 3]].map(|gain| density(gain) + seen.appearance.uniform());
            sure += inside / (inside + outside);
            facing += 1;
        }
        sure / f32::from(facing.max(1))
    }

    /// How likely this one, on pale wood, and another one on dark wood are one shadow: 1 where they leave the same light, and where
    /// a tone curve takes more of the dark wood's, or its sheen is gone.
    fn likeness(&self, dark: &Self, sheen: &[f32; 3]) -> f32 {
        let apart = |k: usize| {
            let error = SAME_SHADOW.hypot(self.error[k]).hypot(dark.error[k]);
            let [pale, dark] = [self.gain[k], dark.gain[k]].map(f32::ln);
            let sheen = if pale < 0.0 && dark < pale { sheen[k] } else { 0.0 };
            let deeper = deeper(pale, dark);
            (deeper - deeper.clamp(0.0, TONE * pale.abs() + sheen)) / error
        };
        (-0.5 * (0..3).map(|k| apart(k) * apart(k)).sum::<f32>()).exp()
    }
}

impl SeenBoard<'_> {
    /// Red, green and blue of a point now and bare, where it was bare.
    fn against_bare(&self, index: usize) -> Option<([f32; 3], [f32; 3])> {
        let bare = self.appearance.known_bare(index)?;
        Some((rgb_from_colour(&self.colours[index]), rgb_from_colour(bare)))
    }

    /// Do a block's points look otherwise together? In noise dark wood shows a shadow only so.
    fn has_changed(&self, block: &[usize; BLOCK * BLOCK]) -> bool {
        let (mut change, mut variance) = ([0.0; 3], [0.0; 3]);
        for index in block {
            let Some(bare) = self.appearance.known_bare(*index) else { continue };
            let sigma = self.appearance.sigma(*index, self.noise.deviation);
            for k in 0..3 {
                change[k] += self.colours[*index][k] - bare[k];
                variance[k] += sigma[k] * sigma[k];
            }
        }
        (0..3).any(|k| change[k].abs() > self.noise.sigmas * f32::sqrt(variance[k]))
    }
}

/// Standard deviations of red, green and blue, of those of a colour.
fn rgb_noise([luminance, reddish, yellowish]: Colour) -> [f32; 3] {
    let of = |parts: [f32; 2]| luminance.hypot(parts[0] * reddish).hypot(parts[1] * yellowish);
    [of([0.645, 0.11]), of([0.355, 0.11]), of([0.145, 0.89])]
}

/// The places, on a square and on one that has an edge in common with it, of the points that face each other over that edge.
fn along_border(square: Square, beside: Square) -> impl Iterator<Item = [usize; 2]> {
    const LAST: usize = POINTS_PER_SIDE - 1;
    let side_by_side = square.rank() == beside.rank();
    let is_before = square < beside;
    (0..POINTS_PER_SIDE).map(move |k| {
        let places = [LAST, 0].map(|x| if side_by_side { k * POINTS_PER_SIDE + x } else { x * POINTS_PER_SIDE + k });
        if is_before { places } else { [places[1], places[0]] }
    })
}

/// The blocks of points on a square.
fn blocks_on(square: Square) -> impl Iterator<Item = [usize; BLOCK * BLOCK]> {
    let first = points_on(square).start;
    (0..POINTS_PER_SIDE / BLOCK).flat_map(move |y| {
        (0..POINTS_PER_SIDE / BLOCK).map(move |x| {
            std::array::from_fn(|k| first + (y * BLOCK + k / BLOCK) * POINTS_PER_SIDE + x * BLOCK + k % BLOCK)
        })
    })
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
struct Casts {
    on: [Option<Cast>; 64],
    sheen: Sheen,
}

impl Casts {
    /// Measures them on the bare board, where it looks otherwise than it did.
    fn seen(seen: &SeenBoard<'_>) -> Self {
        Self { on: Square::ALL.map(|square| Cast::on(square, seen)), sheen: Sheen::of(seen.appearance) }
    }

    /// The shadow on this square, and the chance that it lies in it; `None` where no square beside lies in the same.
    fn on(&self, square: Square, seen: &SeenBoard<'_>) -> Option<(Cast, f32)> {
        let own = self.on[usize::from(square)]?;
        let same = side_by_side(square).into_iter().filter_map(|at| {
            let there = self.on[usize::from(at)]?;
            let ([pale, dark], of_dark) = if square.is_light() { ([own, there], at) } else { ([there, own], square) };
            let goes_on = own.goes_on(square, (&there, at), seen);
            (goes_on > 0.0).then(|| there.trust * goes_on * pale.likeness(&dark, self.sheen.on(of_dark)))
        });
        let same = same.fold(0.0, f32::max);
        (same > 0.0).then_some((own, SHADOW * own.trust * same))
    }
}

/// The board, and what was there before, may look so in shadows that squares side by side know.
pub(super) fn in_shadows(densities: &mut Densities<'_>, shaded: &mut [bool], seen: &SeenBoard<'_>) {
    if !seen.differs.contains(&true) {
        return;
    }
    let casts = Casts::seen(seen);
    for square in Square::ALL {
        if let Some((cast, chance)) = casts.on(square, seen) {
            cast.fall_on(square, chance, (densities, shaded), seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::point;

    fn cast(left: f32) -> Cast {
        Cast { gain: [left; 3], error: [0.0; 3], share: 1.0, within: u64::MAX, trust: 1.0 }
    }

    #[test]
    fn a_shadow_may_fall_deeper_on_dark_wood_than_on_pale_and_not_the_other_way() {
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

    #[test]
    fn dark_wood_that_shines_loses_more_in_a_shadow_and_gains_no_more_where_one_leaves() {
        let likeness = |pale: f32, dark: f32| cast(pale).likeness(&cast(dark), &[0.4; 3]);
        assert_eq!(likeness(0.8, 0.55), 1.0);
        assert!(likeness(0.98, 1.25) < 0.02, "{}", likeness(0.98, 1.25));
    }

    #[test]
    fn points_that_face_each_other_over_a_border_are_next_to_each_other() {
        for square in Square::ALL {
            for beside in side_by_side(square) {
                let at = |on: Square, place: usize| point(points_on(on).start + place);
                let facing: Vec<_> = along_border(square, beside).collect();
                let steps = facing.iter().map(|[here, there]| (at(beside, *there) - at(square, *here)).norm());
                assert!(steps.into_iter().all(|step| (step - 1.0 / POINTS_PER_SIDE as f64).abs() < 1e-9), "{square}");
                let places: std::collections::HashSet<_> = facing.iter().map(|[here, _]| here).collect();
                assert_eq!(places.len(), POINTS_PER_SIDE, "{square} {beside}");
            }
        }
    }
}
