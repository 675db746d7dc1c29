//! What white men, black men and the board look like: learnt from this game, in this light.

use std::cell::{LazyCell, OnceCell};

use shakmaty::{Bitboard, Board, Square};

use super::{
    colour::{Colour, ColourModels, Gamut, colour_from_rgb, rgb_from_colour},
    coverage::{Coverage, POINTS, POINTS_PER_SIDE, beside_on_square, points_on, square_of},
    density::{OUTLIER_SHARE, PointDensity, STRANGE},
    layout::Layout,
    levels::median,
    tone::{Tone, Tones},
};

/// Least standard deviation of a settled point's colour: quantisation, JPEG and lamps' flicker.
const LEAST_NOISE: Colour = [2.0, 2.0, 2.0];
/// How much of the step between neighbouring points a shake of the camera may mix in.
const SHAKE: f32 = 0.15;
/// Weight of an understood picture against everything learnt before: the light of ten pictures ago is forgotten.
const KEEP: f32 = 0.9;
/// Levels within which two colours of a point are the same surface in much the same light.
const SAME_SURFACE: f32 = 14.0;
/// How fast the bare board's colour follows.
const BACKGROUND_RATE: f32 = 0.3;
/// The same for a point that shows what it showed, within [`SAME_SIGMAS`] of the noise: then picture and memory differ by 4/3 of a
/// picture's variance instead of twice that, and the memory still follows its light.
const REFERENCE_RATE: f32 = 0.5;
/// Standard deviations of the noise within which a point shows the same as before.
const SAME_SIGMAS: f32 = 3.0;
/// Points of a square that must have been seen bare before the others are expected to look like them.
const LEAST_SURFACE: usize = 8;
/// Least standard deviation of a square's own surface: grain.
const LEAST_SPREAD: Colour = [5.0, 3.0, 3.0];
/// How surely a part of a square that was never seen bare looks like the parts that were.
const LIKE_ITS_SQUARE: f32 = 0.4;
/// Colour differences that a surface may gain in a shadow, as a part of its luminance: there the light is the sky's.
const SAME_HUE: f32 = 0.05;
/// Luminance from which on a surface is brighter than a picture can show: its hue is known only when a shadow lies on it.
const CLIPPED: f32 = 248.0;
/// How far off the hue of such a surface may be, as a part of the luminance that a shadow leaves: as that of pale wood is
/// from white.
const CLIPPED_HUE: f32 = 0.1;
/// How far the light in a shadow differs from one square to the next, in luminance and colour differences, as a part of the
/// luminance: pale and dark wood under several lamps, and a camera's tone curve, measured in simulated films.
const CAST_SPREAD: Colour = [0.06, 0.03, 0.03];
/// Share of the points that show what they showed which do so but for noise; the others shake, or lie in a shadow.
const AS_IT_IS: f32 = 0.75;
/// Squared deviations from which a density is 0: there it is less than a millionth of [`OUTLIER_SHARE`]'s.
const FARTHEST: f32 = 60.0;
/// Standard deviations of noise from which on a point has changed so far that it is asked whether it may be learnt from: fewer than
/// a change that is told needs, since doubt costs one picture.
const DOUBT_SIGMAS: f32 = 3.0;
/// A point is in doubt where what should be there is less likely than so much of something else.
const DOUBT: f32 = 0.5;
/// So many of them on a square are more than noise makes.
const LEAST_DOUBTFUL: usize = 3;

/// Weight of a look with hands in it against those before, as that of understood pictures: the hands of the last ten or so are
/// remembered. This and the next four were set by hand, not fitted: with them men held over other squares are waited for
/// (`lab --experiments conditions --only held`), and no recording is read worse.
const KEEP_HANDS: f32 = 0.9;
/// Chance that something lies over a point from which on its colour is learnt as a hand's.
const SURELY_OVER: f32 = 0.6;
/// Points of a look; fewer are no hand but the edge of something. Half a square's.
const LEAST_OF_A_HAND: usize = 32;
/// Points of hands that must have been seen before anything is known of their colours: two squares' worth.
const LEAST_OF_HANDS: f32 = 128.0;

/// What a point can show: a white man, a black man, a dark square, a light square.
pub(crate) const CLASSES: usize = 4;

/// What rests on the board and nothing explains.
#[derive(Debug, Clone, Copy)]
pub struct Rested<'a> {
    /// On these squares.
    pub squares: Bitboard,
    /// Chance for each point that a thing which was seen to come lies over it; empty where none was.
    pub over: &'a [f32],
}

impl Rested<'_> {
    const NOTHING: Self = Self { squares: Bitboard::EMPTY, over: &[] };
}

/// Everything learnt about how this game looks.
#[derive(Debug, Clone)]
pub struct Appearance {
    gamut: Gamut,
    models: ColourModels<CLASSES>,
    /// What lay over the board in the last looks: hands, sleeves.
    hands: ColourModels<1>,
    background: Vec<Colour>,
    /// 0: never seen bare, 1: surely known.
    background_trust: Vec<f32>,
    reference: Vec<Colour>,
    /// What the seen parts of each square have in common, once it is asked for.
    surfaces: [OnceCell<Option<Surface>>; 64],
    /// The last colour of a bare point that was not its background's: taken over when it is seen again.
    newcomer: Vec<Colour>,
    /// Squares that looked more like something else than what should be there in the last picture learnt from: believed when they
    /// do so again.
    doubted: Bitboard,
    /// How much of a point's colour was its bare board in the reference.
    bare: Vec<f32>,
    /// The same for each candidate of each point.
    shown: Vec<f32>,
    /// Chance that a point's colour in the reference was neither: a hand that rests, a stain.
    foreign: Vec<f32>,
    slope: Vec<Colour>,
    men_standing: Board,
    /// The colours that are learnt from, kept for the next time.
    seen: Vec<Colour>,
}

/// The bare board of one square, as far as it was seen: around the man who stands there, and behind him.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Surface {
    middle: Colour,
    spread: Colour,
}

impl Surface {
    fn of<'a>(seen: impl Iterator<Item = &'a Colour> + Clone) -> Option<Self> {
        let mut values = [0.0; POINTS_PER_SIDE * POINTS_PER_SIDE];
        let mut surface = Self { middle: [0.0; 3], spread: LEAST_SPREAD };
        for k in 0..3 {
            let count = values.iter_mut().zip(seen.clone()).map(|(value, colour)| *value = colour[k]).count();
            let values = &mut values[..count];
            if count < LEAST_SURFACE {
                return None;
            }
            surface.middle[k] = median(values);
            values.iter_mut().for_each(|v| *v = (*v - surface.middle[k]).abs());
            surface.spread[k] = surface.spread[k].max(1.4826 * median(values));
        }
        Some(surface)
    }
}

/// Surfaces that are worked out when they are asked for.
const fn unasked() -> [OnceCell<Option<Surface>>; 64] {
    [const { OnceCell::new() }; 64]
}

/// Class of a square's bare board.
pub(super) fn class_of_bare(square: Square) -> usize {
    2 + usize::from(square.is_light())
}

impl Appearance {
    /// Learns from a first picture in which these men stand: every layer takes what it covers most, then twice more
    /// what it explains best.
    #[must_use]
    pub fn begin(colours: &[Colour], men: &Board, coverage: &Coverage) -> Self {
        let gamut = Gamut::of(colours).fine();
        let mut appearance = Self {
            gamut,
            models: ColourModels::new(gamut),
            hands: ColourModels::new(gamut),
            background: vec![[0.0; 3]; POINTS],
            background_trust: vec![0.0; POINTS],
            reference: colours.to_vec(),
            surfaces: unasked(),
            newcomer: vec![[f32::NAN; 3]; POINTS],
            doubted: Bitboard::EMPTY,
            bare: vec![0.0; POINTS],
            shown: vec![0.0; coverage.candidate_count()],
            foreign: vec![0.0; POINTS],
            slope: vec![[0.0; 3]; POINTS],
            men_standing: men.clone(),
            seen: Vec::new(),
        };
        for round in 0..3 {
            appearance.share(colours, men, coverage, (round > 0).then_some(Rested::NOTHING));
            appearance.models = ColourModels::new(gamut);
            appearance.add_to_models(colours, men, coverage);
        }
        appearance.share(colours, men, coverage, Some(Rested::NOTHING));
        appearance.remember(colours, [0.0; 3], 1.0);
        appearance
    }

    /// Learns from a picture with this noise that these men explain. `clear` says which squares show nothing else (no hand), or
    /// something that `rested` there. Returns the squares that were learnt from: those of the clear ones that are not in doubt.
    pub(crate) fn learn(
        &mut self,
        (colours, noise): (&[Colour], Colour),
        men: &Board,
        coverage: &Coverage,
        clear: Bitboard,
        rested: Rested<'_>,
    ) -> Bitboard {
        let doubtful = self.doubtful(colours, noise, men, coverage);
        let learnt = clear & !(doubtful & !self.doubted);
        self.doubted = doubtful & clear;
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        seen.extend_from_slice(colours);
        for (index, colour) in seen.iter_mut().enumerate() {
            if !learnt.contains(square_of(index)) {
                *colour = [f32::NAN; 3];
            }
        }
        self.share(&seen, men, coverage, Some(rested));
        self.models.forget(KEEP);
        self.add_to_models(&seen, men, coverage);
        self.men_standing = men.clone();
        self.remember(&seen, noise, BACKGROUND_RATE);
        self.seen = seen;
        learnt
    }

    /// Learns what hands look like from a picture in which something lies over points with these chances; none where nothing does.
    pub(crate) fn learn_hands(&mut self, colours: &[Colour], over: &[f32]) {
        if over.iter().filter(|chance| **chance > SURELY_OVER).count() < LEAST_OF_A_HAND {
            return;
        }
        self.hands.forget(KEEP_HANDS);
        for (colour, chance) in colours.iter().zip(over).filter(|(_, chance)| **chance > SURELY_OVER) {
            self.hands.add(0, colour, *chance);
        }
        self.hands.settle();
    }

    /// What hands look like; `None` before enough of them was seen.
    pub(super) fn hands(&self) -> Option<&ColourModels<1>> {
        (self.hands.total()[0] >= LEAST_OF_HANDS).then_some(&self.hands)
    }

    /// Squares on which, by these men, nothing has changed, and that look at some points more like something else than what should
    /// be there. A move that was taken for "nothing has happened" must not be learnt: else the next picture, which shows the same,
    /// speaks for it.
    fn doubtful(&self, colours: &[Colour], noise: Colour, men: &Board, coverage: &Coverage) -> Bitboard {
        let (now, before) = (Layout::of(men), Layout::of(&self.men_standing));
        // Seldom needed: at rest no point differs.
        let has_changed =
            |index: usize| colours[index][0].is_finite() && self.differs(index, &colours[index], noise, DOUBT_SIGMAS);
        let tones = LazyCell::new(|| self.tones(colours, has_changed));
        let is_doubtful = |index: &usize| {
            let (colour, candidates) = (&colours[*index], coverage.candidates(*index));
            if !has_changed(*index) || candidates.iter().any(|c| !now.same(&before, c.square)) {
                return false;
            }
            let density = self.density(*index, colour, noise, &tones);
            let (mut open, mut ours) = (1.0, 0.0);
            for candidate in candidates {
                let Some((class, role)) = now.at(candidate.square) else { continue };
                ours += open * candidate.cover[role] * density.men[class];
                open *= 1.0 - candidate.cover[role];
            }
            ours += open * density.board;
            ours < DOUBT * density.men[0].max(density.men[1]).max(density.board)
        };
        Square::ALL
            .into_iter()
            .filter(|square| points_on(*square).filter(is_doubtful).count() >= LEAST_DOUBTFUL)
            .collect()
    }

    /// The camera's direction is known better now: what each point showed is worked out anew.
    pub(super) fn retrace(&mut self, coverage: &Coverage) {
        self.shown = vec![0.0; coverage.candidate_count()];
        let (colours, men) = (self.reference.clone(), self.men_standing.clone());
        self.share(&colours, &men, coverage, Some(Rested::NOTHING));
    }

    /// What points showed is remembered in a light that is so many times as bright.
    pub(super) fn relight(&mut self, times: f32) {
        for colours in [&mut self.reference, &mut self.background, &mut self.newcomer] {
            colours.iter_mut().flatten().for_each(|level| *level *= times);
        }
        self.surfaces = unasked();
    }

    /// The board is seen from elsewhere, or lies otherwise in its light: what each point looked like no longer holds, and
    /// what the bare board looked like holds half as well. The colours of men and squares stay.
    pub(crate) fn seen_anew(&mut self, coverage: &Coverage) {
        self.shown = vec![0.0; coverage.candidate_count()];
        self.bare.fill(0.0);
        self.foreign.fill(0.0);
        self.reference.fill([f32::NAN; 3]);
        self.newcomer.fill([f32::NAN; 3]);
        self.doubted = Bitboard::EMPTY;
        for trust in &mut self.background_trust {
            *trust *= 0.5;
        }
    }

    /// What was taken for the bare board may have been men.
    pub(super) fn forget_board(&mut self) {
        self.background_trust.fill(0.0);
        self.surfaces = unasked();
    }

    /// The men that stood in the reference picture.
    #[must_use]
    pub(super) const fn men_standing(&self) -> &Board {
        &self.men_standing
    }

    /// Colours of the reference picture.
    #[must_use]
    pub(crate) fn reference(&self) -> &[Colour] {
        &self.reference
    }

    /// How much of the point's colour in the reference was this candidate's (index over all candidates).
    #[must_use]
    pub fn shown(&self, candidate: usize) -> f32 {
        self.shown[candidate]
    }

    /// How much of the point's colour in the reference was its bare board.
    #[must_use]
    pub(crate) fn bare(&self, index: usize) -> f32 {
        self.bare[index]
    }

    /// Chance that the point's colour in the reference was something foreign's, which stayed there.
    #[must_use]
    pub fn foreign(&self, index: usize) -> f32 {
        self.foreign[index]
    }

    /// Densities at one point of a look, whose squares may be in these tones.
    #[must_use]
    pub(super) fn density(&self, index: usize, colour: &Colour, noise: Colour, tones: &[Tones; 64]) -> PointDensity {
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
    pub(super) fn at_least_as_before(&self, index: usize, colour: &Colour, noise: Colour) -> f32 {
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
    pub(super) fn tones(&self, colours: &[Colour], has_changed: impl Fn(usize) -> bool) -> [Tones; 64] {
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

    /// Does the point show something else than before, by so many standard deviations of the noise and more than shaking
    /// does? Before is the reference picture, or the bare board, where the point was bare then.
    #[must_use]
    pub(crate) fn differs(&self, index: usize, colour: &Colour, noise: Colour, sigmas: f32) -> bool {
        let far = |seen: &Colour| is_far(colour, seen, noise, sigmas, self.slope[index]);
        far(&self.reference[index]) && self.known_bare(index).is_none_or(far)
    }

    /// Standard deviation of the point's colour while it shows the same.
    pub(super) fn sigma(&self, index: usize, noise: Colour) -> Colour {
        sigma_of(noise, self.slope[index])
    }

    /// What the point's bare board looks like, where that is what was there and it is known.
    #[must_use]
    pub(super) fn known_bare(&self, index: usize) -> Option<&Colour> {
        self.background(index).filter(|_| self.bare[index] > 0.7)
    }

    /// What the point's bare board looked like when it was last seen, by whatever it may be covered now.
    #[must_use]
    pub(super) fn background(&self, index: usize) -> Option<&Colour> {
        (self.background_trust[index] > 0.0).then(|| &self.background[index])
    }

    /// Densities at a point of the bare board, and of what was seen there before, in a shadow that leaves so much of the light.
    #[must_use]
    pub(super) fn density_in(&self, gain: [f32; 3], index: usize, colour: &Colour, noise: Colour) -> [f32; 2] {
        let sigma = self.sigma(index, noise);
        let of = |seen: &Colour| {
            let rgb = rgb_from_colour(seen);
            let there = colour_from_rgb(std::array::from_fn(|k| gain[k] * rgb[k]));
            let spread = |k: usize| CAST_SPREAD[k] * there[0];
            gauss(colour, &there, std::array::from_fn(|k| sigma[k].hypot(spread(k))), 1.0)
        };
        let seen = &self.reference[index];
        [self.background_trust[index] * of(&self.background[index]), if seen[0].is_finite() { of(seen) } else { 0.0 }]
    }

    /// What the seen parts of a square have in common; `None` where too few were seen.
    fn surface(&self, square: Square) -> Option<&Surface> {
        let seen = || Surface::of(points_on(square).filter_map(|index| self.background(index)));
        self.surfaces[usize::from(square)].get_or_init(seen).as_ref()
    }

    /// What the bare board of a square looks like, as far as it was seen: red, green and blue in levels.
    pub(super) fn bare_rgb(&self, square: Square) -> Option<[f32; 3]> {
        self.surface(square).map(|surface| rgb_from_colour(&surface.middle))
    }

    /// Density of a colour among those of white men and of black men.
    #[must_use]
    pub(super) fn men_density(&self, colour: &Colour) -> [f32; 2] {
        let [white, black, ..] = self.models.density(colour);
        [white, black]
    }

    /// Is it known what the point showed before?
    #[must_use]
    pub(super) fn is_remembered(&self, index: usize) -> bool {
        self.reference[index][0].is_finite()
    }

    /// Does the point show the same surface as before in a shadow: luminance down to a third, the colour differences in
    /// proportion?
    #[must_use]
    pub(super) fn is_shaded(&self, index: usize, colour: &Colour) -> bool {
        in_a_shadow(colour, &self.reference[index])
            || self.background(index).is_some_and(|board| in_a_shadow(colour, board))
    }

    /// What colours something has that is none of ours.
    #[must_use]
    pub(super) fn colours_of<'a>(&self, seen: impl Iterator<Item = &'a Colour>) -> ColourModels<1> {
        let mut model = ColourModels::new(self.gamut);
        seen.for_each(|colour| model.add(0, colour, 1.0));
        model.settle();
        model
    }

    /// Density of a colour of which nothing is known.
    #[must_use]
    pub(super) fn uniform(&self) -> f32 {
        self.gamut.uniform()
    }

    /// Works out which layer each point's colour came from: by its colour, where squares are named on which something rests that
    /// nothing explains (there it may be none of them, as far as neither men nor board look like it), else by cover alone.
    fn share(&mut self, colours: &[Colour], men: &Board, coverage: &Coverage, rested: Option<Rested<'_>>) {
        let (men, before) = (Layout::of(men), Layout::of(&self.men_standing));
        let strange = STRANGE * self.gamut.uniform();
        for (index, colour) in colours.iter().enumerate() {
            let first = coverage.first_candidate(index);
            let candidates = coverage.candidates(index);
            if !colour[0].is_finite() {
                // Not seen now. What was seen before still holds, unless something there has changed.
                if candidates.iter().any(|c| !men.same(&before, c.square)) {
                    self.shown[first..first + candidates.len()].fill(0.0);
                    (self.bare[index], self.foreign[index]) = (0.0, 0.0);
                }
                continue;
            }
            let d = if rested.is_some() { self.models.density(colour) } else { [1.0; CLASSES] };
            let mut open = 1.0;
            let mut total = 0.0;
            for (k, candidate) in candidates.iter().enumerate() {
                let weight = men.at(candidate.square).map_or(0.0, |(class, role)| {
                    let cover = candidate.cover[role];
                    let weight = open * cover * d[class];
                    open *= 1.0 - cover;
                    weight
                });
                self.shown[first + k] = weight;
                total += weight;
            }
            self.bare[index] = open * d[class_of_bare(square_of(index))];
            total += self.bare[index];
            if !is_same_surface(colour, &self.reference[index]) {
                // What lay there does so no longer.
                self.foreign[index] = 0.0;
            }
            if let Some(rested) = rested.filter(|rested| rested.squares.contains(square_of(index))) {
                let over = rested.over.get(index).copied().unwrap_or(0.0);
                self.foreign[index] = self.foreign[index].max(over).max(strange / (strange + total));
            }
            if total > 0.0 {
                for share in &mut self.shown[first..first + candidates.len()] {
                    *share /= total;
                }
                self.bare[index] /= total;
            }
        }
    }

    fn add_to_models(&mut self, colours: &[Colour], men: &Board, coverage: &Coverage) {
        // A point that could be either teaches neither.
        let sure = |share: f32| if share > 0.6 { share } else { 0.0 };
        let men = Layout::of(men);
        for (index, colour) in colours.iter().enumerate() {
            let first = coverage.first_candidate(index);
            let ours = 1.0 - self.foreign[index];
            for (k, candidate) in coverage.candidates(index).iter().enumerate() {
                let Some((class, _)) = men.at(candidate.square) else { continue };
                self.models.add(class, colour, sure(ours * self.shown[first + k]));
            }
            self.models.add(class_of_bare(square_of(index)), colour, sure(ours * self.bare[index]));
        }
        self.models.settle();
    }

    fn remember(&mut self, colours: &[Colour], noise: Colour, background_rate: f32) {
        for (index, colour) in colours.iter().enumerate() {
            if !colour[0].is_finite() {
                continue;
            }
            let before = &mut self.reference[index];
            if before[0].is_finite() && !is_far(colour, before, noise, SAME_SIGMAS, self.slope[index]) {
                before.iter_mut().zip(colour).for_each(|(mean, now)| *mean += REFERENCE_RATE * (now - *mean));
            } else {
                *before = *colour;
            }
            let bare = (1.0 - self.foreign[index]) * self.bare[index];
            if bare > 0.7 {
                let trust = &mut self.background_trust[index];
                let near = |other: &Colour| is_same_surface(colour, other);
                // The first sight is taken over, later ones are averaged in. What differs must come twice: the first
                // time it may be a hand in the colour of wood.
                let rate = if *trust == 0.0 || (!near(&self.background[index]) && near(&self.newcomer[index])) {
                    1.0
                } else if near(&self.background[index]) {
                    background_rate * bare
                } else {
                    0.0
                };
                for (mean, now) in self.background[index].iter_mut().zip(colour) {
                    *mean += rate * (now - *mean);
                }
                self.newcomer[index] = *colour;
                *trust = (*trust + 0.5 * bare).min(0.95);
            }
        }
        self.surfaces = unasked();
        for index in 0..POINTS {
            self.slope[index] = largest_step(&self.reference, index, beside_on_square(index));
        }
    }
}

/// Standard deviation of a point's colour while it shows the same, where the step to the points beside is `slope`.
pub(super) fn sigma_of(noise: Colour, slope: Colour) -> Colour {
    std::array::from_fn(|k| {
        let n = noise[k].max(LEAST_NOISE[k]);
        let s = SHAKE * slope[k];
        (n * n + s * s).sqrt()
    })
}

/// Is the colour so many standard deviations of the noise from what was `seen`, and more than shaking makes of it?
pub(super) fn is_far(colour: &Colour, seen: &Colour, noise: Colour, sigmas: f32, slope: Colour) -> bool {
    (0..3).any(|k| (colour[k] - seen[k]).abs() > sigmas * noise[k].max(LEAST_NOISE[k]) + SHAKE * slope[k])
}

/// Are these the same surface in much the same light?
pub(super) fn is_same_surface(a: &Colour, b: &Colour) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < SAME_SURFACE)
}

/// Largest step, channel by channel, from a point's colour to those of other points.
pub(super) fn largest_step(colours: &[Colour], index: usize, others: impl Iterator<Item = usize>) -> Colour {
    let mut slope = [0.0f32; 3];
    for other in others {
        for (k, slope) in slope.iter_mut().enumerate() {
            let step = (colours[other][k] - colours[index][k]).abs();
            if step.is_finite() {
                *slope = slope.max(step);
            }
        }
    }
    slope
}

/// Density of a colour where a background is known as surely as `trust`: the same, a little off, or in a shadow; or else
/// something else, of which its density is `otherwise`.
pub(super) fn like_background(colour: &Colour, background: &Colour, trust: f32, sigma: Colour, otherwise: f32) -> f32 {
    trust * (0.6 * gauss(colour, background, sigma, 1.5) + 0.2 * shaded(colour, background, sigma))
        + (1.0 - 0.8 * trust) * otherwise
}

/// Is this what was `seen`, in a shadow: luminance down to a third, the colour differences in proportion?
pub(super) fn in_a_shadow(colour: &Colour, seen: &Colour) -> bool {
    let f = colour[0] / seen[0].max(1.0);
    let same_hue = if seen[0] >= CLIPPED { SAME_HUE + CLIPPED_HUE } else { SAME_HUE };
    (0.33..=1.1).contains(&f)
        && (1..3).all(|k| (colour[k] - f * seen[k]).abs() < same_hue * colour[0].max(seen[0]) + LEAST_NOISE[k])
}

fn gauss(colour: &Colour, mean: &Colour, sigma: Colour, widen: f32) -> f32 {
    let mut exponent = 0.0;
    let mut scale = 1.0;
    for k in 0..3 {
        let s = sigma[k] * widen;
        let d = (colour[k] - mean[k]) / s;
        exponent += d * d;
        scale *= s;
    }
    // (2π)^-3/2
    0.063_493_6 * bell(exponent) / scale
}

/// The same surface in a shadow or a little more light: luminance anywhere from a third to a tenth above, the colour
/// differences in proportion.
fn shaded(colour: &Colour, mean: &Colour, sigma: Colour) -> f32 {
    let f = colour[0] / mean[0].max(1.0);
    if !(0.33..=1.1).contains(&f) {
        return 0.0;
    }
    let mut exponent = 0.0;
    let mut scale = 0.77 * mean[0].max(8.0);
    let clipped = mean[0] >= CLIPPED;
    for k in 1..3 {
        let s = sigma[k] * 1.5;
        let s = if clipped { s.hypot(CLIPPED_HUE * colour[0]) } else { s };
        let d = (colour[k] - f * mean[k]) / s;
        exponent += d * d;
        scale *= s;
    }
    // 1 / 2π
    0.159_155 * bell(exponent) / scale
}

/// exp(-x/2); nothing where it does not count.
fn bell(x: f32) -> f32 {
    if x < FARTHEST { (-0.5 * x).exp() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::occlusion::Parallax;

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

    #[test]
    fn the_hue_that_a_shadow_shows_of_a_clipped_surface_was_not_known() {
        let shadow = [150.0, 3.0, 18.0];
        let [clipped, pale] = [255.0, 240.0].map(|luminance| [luminance, 0.0, 0.0]);
        assert!(in_a_shadow(&shadow, &clipped) && !in_a_shadow(&shadow, &pale));
        assert!(shaded(&shadow, &clipped, [2.0; 3]) > 1000.0 * shaded(&shadow, &pale, [2.0; 3]));
        // A blue or a red thing is none.
        assert!([[150.0, 3.0, -60.0], [150.0, 60.0, 18.0]].iter().all(|thing| !in_a_shadow(thing, &clipped)));
    }
}
