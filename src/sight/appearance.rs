//! What white men, black men and the board look like: learnt from this game, in this light.

use std::cell::{LazyCell, OnceCell};

use shakmaty::{Bitboard, Board, Square};

use super::{
    colour::{Colour, ColourModels, Gamut, relit, rgb_from_colour},
    coverage::{Coverage, POINTS, beside_on_square, points_on, square_of},
    density::STRANGE,
    layout::Layout,
    surface::{Surface, in_a_shadow, is_far, is_same_surface, largest_step, sigma_of},
};

mod likeness;

/// Weight of an understood picture against everything learnt before: the light of ten pictures ago is forgotten.
const KEEP: f32 = 0.9;
/// How fast the bare board's colour follows.
const BACKGROUND_RATE: f32 = 0.3;
/// The same for a point that shows what it showed, within [`SAME_SIGMAS`] of the noise: then picture and memory differ by 4/3 of a
/// picture's variance instead of twice that, and the memory still follows its light.
const REFERENCE_RATE: f32 = 0.5;
/// Standard deviations of the noise within which a point shows the same as before.
const SAME_SIGMAS: f32 = 3.0;
/// Standard deviations of noise from which on a point has changed so far that it is asked whether it may be learnt from: fewer than
/// a change that is told needs, since doubt costs one picture.
const DOUBT_SIGMAS: f32 = 3.0;
/// A point is in doubt where what should be there is less likely than so much of something else.
const DOUBT: f32 = 0.5;
/// So many of them on a square are more than noise makes.
const LEAST_DOUBTFUL: usize = 3;

/// Weight of a look with hands in it against those before, as that of understood pictures: the hands of the last ten or so are
/// remembered. This, [`SURELY_OVER`], [`LEAST_OF_A_HAND`] and [`LEAST_OF_HANDS`] were set by hand, not fitted: with them men held over
/// other squares are waited for (`lab --experiments conditions --only held`), and no recording is read worse.
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

    /// What points showed is remembered in a light in which red, green and blue of each are so many times as bright.
    pub(super) fn relight(&mut self, times: &[[f32; 3]]) {
        for colours in [&mut self.reference, &mut self.background, &mut self.newcomer] {
            colours.iter_mut().zip(times).for_each(|(colour, times)| *colour = relit(colour, *times));
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

    /// What the seen parts of a square have in common; `None` where too few were seen.
    fn surface(&self, square: Square) -> Option<&Surface> {
        let seen = || Surface::of(points_on(square).filter_map(|index| self.background(index)));
        self.surfaces[usize::from(square)].get_or_init(seen).as_ref()
    }

    /// What the bare board of a square looks like, as far as it was seen: red, green and blue in levels.
    pub(super) fn bare_rgb(&self, square: Square) -> Option<[f32; 3]> {
        self.surface(square).map(|surface| rgb_from_colour(&surface.middle))
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

    /// Works out what each point shows, one of the men who could hide it or the board: with `rested` by colour and cover, without by
    /// cover alone. On the squares of `rested`, where something lies that nothing explains, it may be none of them, as far as neither
    /// men nor board look like it.
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
            // Where only the board can be, no colour needs to tell it.
            let is_asked =
                |rested: Rested<'_>| rested.squares.contains(square_of(index)) || coverage.hidden(index, &men) > 0.0;
            let d = if rested.is_some_and(is_asked) { self.models.density(colour) } else { [1.0; CLASSES] };
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
