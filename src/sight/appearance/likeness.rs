//! How likely a colour is at a point, by what was learnt: of men, of the bare board, of what was seen there before.

use shakmaty::Square;

use super::{Appearance, CLASSES, class_of_bare};
use crate::sight::{
    colour::{Colour, ColourModels},
    coverage::{points_on, square_of},
    density::{OUTLIER_SHARE, PointDensity},
    surface::{LEAST_SURFACE, gauss, in_this_shadow, like_background, shaded},
    tone::{Tone, Tones},
};

/// Share of the points that show what they showed which do so but for noise; the others shake, or lie in a shadow.
const AS_IT_IS: f32 = 0.75;
/// How surely a part of a square that was never seen bare looks like the parts that were.
const LIKE_ITS_SQUARE: f32 = 0.4;

impl Appearance {
    /// Densities at one point of a look, whose squares may be in these tones.
    #[must_use]
    pub(in crate::sight) fn density(
        &self,
        index: usize,
        colour: &Colour,
        noise: Colour,
        tones: &[Tones; 64],
    ) -> PointDensity {
        if !colour[0].is_finite() {
            return PointDensity::default();
        }
        let sigma = self.sigma(index, noise);
        let densities = self.models.density(colour);
        let trust = self.background_trust[index];
        let like_its_square = self.like_its_square(index, colour, &densities, sigma);
        let class = if trust > 0.0 {
            like_its_square
        } else {
            self.in_tones(&tones[usize::from(square_of(index))], index, colour, like_its_square, sigma)
        };
        let board = like_background(colour, &self.background[index], trust, sigma, class);
        let seen = &self.reference[index];
        let reference = if seen[0].is_finite() {
            AS_IT_IS * gauss(colour, seen, sigma, 1.0)
                + 0.15 * gauss(colour, seen, sigma, 3.0)
                + 0.1 * shaded(colour, seen, sigma)
        } else {
            0.0
        };
        let men = [densities[0], densities[1]];
        PointDensity { men, board, reference, hand: 0.0, outlier: OUTLIER_SHARE * self.gamut.uniform() }
    }

    /// How likely the point's colour is at least if it shows what it showed.
    pub(in crate::sight) fn at_least_as_before(&self, index: usize, colour: &Colour, noise: Colour) -> f32 {
        let seen = &self.reference[index];
        let is_known = colour[0].is_finite() && seen[0].is_finite();
        if is_known { AS_IT_IS * gauss(colour, seen, self.sigma(index, noise), 1.0) } else { 0.0 }
    }

    /// Density of a bare point's colour by what was seen of the board elsewhere: on its square, and on all squares of its class,
    /// whose densities these are.
    fn like_its_square(&self, index: usize, colour: &Colour, densities: &[f32; CLASSES], sigma: Colour) -> f32 {
        let square = square_of(index);
        let class = densities[class_of_bare(square)];
        let Some(surface) = self.surface(square) else { return class };
        let sigma = std::array::from_fn(|k| (surface.spread[k] * surface.spread[k] + sigma[k] * sigma[k]).sqrt());
        LIKE_ITS_SQUARE
            * (0.8 * gauss(colour, &surface.middle, sigma, 1.0) + 0.2 * shaded(colour, &surface.middle, sigma))
            + (1.0 - LIKE_ITS_SQUARE) * class
    }

    /// The same for a point that was never seen bare: its square may be brighter or darker than those that were, as far as a picture
    /// can show it. `as_they_are` is its density if it is not.
    fn in_tones(&self, tones: &Tones, index: usize, colour: &Colour, as_they_are: f32, sigma: Colour) -> f32 {
        let other = |(tone, chance): (Tone, f32)| {
            let colour = tone.left_out(colour);
            chance * self.like_its_square(index, &colour, &self.models.density(&colour), sigma) / tone.stretch()
        };
        tones.same() * as_they_are + tones.others().map(other).sum::<f32>()
    }

    /// How bright each square is, if nothing but its board is seen where it never was before; `has_changed` says where a point shows
    /// something else than what is remembered.
    #[must_use]
    pub(in crate::sight) fn tones(&self, colours: &[Colour], has_changed: impl Fn(usize) -> bool) -> [Tones; 64] {
        Square::ALL.map(|square| {
            let is_new = |index: usize| has_changed(index) || !self.is_remembered(index);
            if points_on(square).any(|index| self.background(index).is_none() && is_new(index)) {
                self.tones_of(square, colours)
            } else {
                Tones::AS_THE_OTHERS
            }
        })
    }

    /// All points of a square that were never seen bare speak for the same tone, and so does what was seen of it, with the weight of
    /// the fewest points that make a surface, for it may lie in other light.
    fn tones_of(&self, square: Square, colours: &[Colour]) -> Tones {
        let unknown = || points_on(square).filter(|i| self.background(*i).is_none() && colours[*i][0].is_finite());
        let class = class_of_bare(square);
        let floor = OUTLIER_SHARE * self.gamut.uniform();
        Tones::told(|tone| {
            let log_density =
                |colour: &Colour| (self.models.density(&tone.left_out(colour))[class] / tone.stretch() + floor).ln();
            let seen = self.surface(square).map_or(0.0, |surface| LEAST_SURFACE as f32 * log_density(&surface.middle));
            seen + unknown().map(|index| log_density(&colours[index])).sum::<f32>()
        })
    }

    /// Densities at a point of the bare board, and of what was seen there before, in a shadow that leaves so much of the light.
    #[must_use]
    pub(in crate::sight) fn density_in(
        &self,
        gain: [f32; 3],
        index: usize,
        colour: &Colour,
        noise: Colour,
    ) -> [f32; 2] {
        let sigma = self.sigma(index, noise);
        let of = |seen: &Colour| in_this_shadow(colour, seen, gain, sigma);
        let seen = &self.reference[index];
        [self.background_trust[index] * of(&self.background[index]), if seen[0].is_finite() { of(seen) } else { 0.0 }]
    }

    /// Density of a colour among those of white men and of black men.
    #[must_use]
    pub(in crate::sight) fn men_density(&self, colour: &Colour) -> [f32; 2] {
        let [white, black, ..] = self.models.density(colour);
        [white, black]
    }

    /// What colours something has that is none of ours.
    #[must_use]
    pub(in crate::sight) fn colours_of<'a>(&self, seen: impl Iterator<Item = &'a Colour>) -> ColourModels<1> {
        let mut model = ColourModels::new(self.gamut);
        seen.for_each(|colour| model.add(0, colour, 1.0));
        model.settle();
        model
    }

    /// Density of a colour of which nothing is known.
    #[must_use]
    pub(in crate::sight) fn uniform(&self) -> f32 {
        self.gamut.uniform()
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Board;

    use super::*;
    use crate::sight::{
        colour::colour_from_rgb,
        coverage::{Coverage, POINTS},
        density::STRANGE,
        layout::Layout,
        occlusion::Parallax,
        surface::LEAST_NOISE,
    };

    /// The start position from straight above, all squares of a colour and all men of a side alike but for some grain.
    fn begun() -> Appearance {
        let (men, coverage) = (Board::new(), Coverage::new(Parallax::default().into()));
        let layout = Layout::of(&men);
        let grain = |index: usize| ((index * 7) % 5) as f32 - 2.0;
        let colours: Vec<Colour> = (0..POINTS)
            .map(|index| {
                let square = square_of(index);
                let [r, g, b] = match layout.at(square).filter(|_| coverage.hidden(index, &layout) > 0.5) {
                    Some((0, _)) => [228.0, 192.0, 140.0],
                    Some(_) => [50.0, 40.0, 30.0],
                    None if square.is_light() => [246.0, 206.0, 146.0],
                    None => [140.0, 90.0, 60.0],
                };
                colour_from_rgb([r, g, b].map(|level| level + grain(index)))
            })
            .collect();
        Appearance::begin(&colours, &men, &coverage)
    }

    /// How many times as likely as something strange is, the bare board is where nothing but the rim of e2 was seen, when its hidden
    /// points show these colours by turns; one figure a colour.
    fn bare_on_e2(by_turns: &[[f32; 3]]) -> Vec<f32> {
        let appearance = begun();
        let hidden: Vec<usize> =
            points_on(Square::E2).filter(|index| appearance.background(*index).is_none()).collect();
        assert!(hidden.len() > 8, "a pawn hides the board");
        let mut colours = appearance.reference.clone();
        for (k, index) in hidden.iter().enumerate() {
            colours[*index] = colour_from_rgb(by_turns[k % by_turns.len()]);
        }
        let tones = appearance.tones(&colours, |index| colours[index] != appearance.reference[index]);
        let density = |index: &usize| appearance.density(*index, &colours[*index], LEAST_NOISE, &tones).board;
        hidden[..by_turns.len()].iter().map(|index| density(index) / (STRANGE * appearance.uniform())).collect()
    }

    #[test]
    fn a_square_that_is_bare_for_the_first_time_may_be_brighter_or_darker_than_all_others() {
        // A light square; brighter by a tenth, where red ends at what pixels can show; darker by as much.
        for rgb in [[246.0, 206.0, 146.0], [255.0, 225.0, 159.0], [224.0, 188.0, 133.0]] {
            let density = bare_on_e2(&[rgb]);
            assert!(density[0] > 4.0, "{rgb:?}: {density:?}");
        }
        for other in [[200.0, 60.0, 60.0], [60.0, 80.0, 200.0]] {
            let density = bare_on_e2(&[other]);
            assert!(density[0] < 1.0, "{other:?}: {density:?}");
        }
    }

    #[test]
    fn a_square_is_bright_or_dark_as_a_whole() {
        let [plain, dark] = [[246.0, 206.0, 146.0], [224.0, 188.0, 133.0]];
        let [alone, ..] = bare_on_e2(&[dark])[..] else { panic!() };
        let [_, _, among_others] = bare_on_e2(&[plain, plain, dark])[..] else { panic!() };
        assert!(among_others < 0.5 * alone, "{among_others} {alone}");
    }
}
