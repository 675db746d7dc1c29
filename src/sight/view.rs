//! A board in view: everything sight knows of it, from its first picture on.

use shakmaty::{Bitboard, Board, Square};

use super::{
    appearance::{Appearance, Rested},
    arm::Arms,
    calibrate::{Recognition, fit_parallax, likelihood, recognise, refine},
    colour::{Colour, Samples, rgb_from_colour},
    coverage::{Coverage, POINTS, POINTS_PER_SIDE, index_at, points_on, square_of},
    densities::SeenColours,
    direction::turned,
    evidence::{Desk, LookEvidence},
    features::{self, Seen, SquareFeatures},
    layout::Layout,
    light::{self, Light, colour_without, rgb_without},
    misfit::misfit,
    occlusion::{Occlusion, Parallax},
    resting::Resting,
    sampler::Sampler,
    shade::Shade,
    stillness::{Motion, Stillness},
    surroundings::{self, AROUND, LookAround, Noise, Surroundings},
};
use crate::{
    board::{map::BoardMap, track::NODES},
    frame::{Frame, Stamp},
};

/// Least share of squares that must read as expected before a first picture is learnt from. Measured: the start
/// position reads 0.96 to 1.0 in every recording; an empty board, or a board named from the wrong side, below 0.7.
const LEAST_RECOGNISED: f64 = 0.85;

/// Why a picture cannot be begun with.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeginError {
    /// The men expected to be white are darker than those expected to be black: the board is named from the wrong side.
    #[error("the white men are darker than the black ones: is the board named from the wrong side?")]
    ColoursSwapped,
    /// The squares do not look as the expected position would have them.
    #[error("only {:.0} % of the squares look as expected (needed: {:.0} %)", 100.0 * share, 100.0 * LEAST_RECOGNISED)]
    NotThisPosition {
        /// Share of squares that do.
        share: f64,
    },
}

/// The colours of one picture, under the reference's light. Kept from picture to picture, it is filled anew without
/// allocating.
#[derive(Debug, Clone)]
pub struct Reading {
    samples: Samples,
    light: Light,
    shade: Shade,
    colours: Vec<Colour>,
    /// What a point may show as well: one of which the picture shows less than there is, for a channel of it ends at what pixels
    /// can say; and one of a square in a shadow that may end in the middle of it.
    otherwise: Vec<Option<Colour>>,
    sampler: Sampler,
    /// The same of what lies around the board.
    around: Samples,
    around_colours: Vec<Colour>,
    around_sampler: Sampler,
    /// For medians.
    scratch: Vec<f32>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            samples: Samples::default(),
            light: Light::default(),
            shade: Shade::default(),
            colours: Vec::new(),
            otherwise: Vec::new(),
            sampler: Sampler::default(),
            around: Samples::default(),
            around_colours: Vec::new(),
            around_sampler: Sampler::over(AROUND),
            scratch: Vec::new(),
        }
    }
}

impl Reading {
    /// The picture's light against the reference's.
    #[must_use]
    pub const fn light(&self) -> Light {
        self.light
    }
}

/// The board in view.
#[derive(Debug, Clone)]
pub struct View {
    image_from_board: BoardMap,
    /// The camera's direction as its pose has it; `None` where that is not known, or not believed.
    posed: Option<Parallax>,
    coverage: Coverage,
    appearance: Appearance,
    surroundings: Surroundings,
    arms: Arms,
    resting: Resting,
    reference_rgb: Vec<[f32; 3]>,
    /// How much the light of memory changes at each point, worked out anew each time.
    follows: Vec<[f32; 3]>,
    stillness: Stillness,
    recognised: f64,
    /// Log-likelihood of the first picture in its own colours.
    first_likelihood: f64,
    /// Changes of the position since the first picture.
    changes: u32,
    /// Another picture than the first one is looked at.
    goes_on: bool,
    /// Another picture than the first one was learnt from.
    confirmed: bool,
    /// What was not clear in the last reading learnt from.
    unclear: Option<Unclear>,
}

/// Squares that were not clear in a reading.
#[derive(Debug, Clone, Default)]
struct Unclear {
    squares: Bitboard,
    /// The reading's colours.
    colours: Vec<Colour>,
    /// Chance for each point that something lay over it; empty where nothing did.
    over: Vec<f32>,
}

/// The camera's direction is worked out again after the first, second, fourth … change up to this one: in the start
/// position the men stand in rows and hide what their heights would show.
const LAST_RETRACE: u32 = 32;
/// So many squares may look new and be learnt as they are when two readings agree on them: a stain, a highlight, a
/// man's shadow. More is a hand that rests there, unless …
const RENEWED_SQUARES: usize = 6;
/// … this picture shows this share of them as they are expected, with colours learnt in itself: then what is remembered of them
/// was damaged, had a hand in it, or lay in a shadow that was not known as one.
const RENEWED_SHARE: f64 = 0.9;
/// Part of the way (in logarithms) that the light of memory goes towards a picture's with each reading learnt from in which nothing is
/// over the board: what was learnt wrongly under a hand is gone after some thirty of them. Set by hand on the training recordings under
/// all protocols: with 0.01 the memory of `f03` was 17 % too dark after fifteen plies, with 0.1 a film of a board that moves stood still.
const LIGHT_FOLLOWS: f32 = 0.03;
/// Most that it goes at a time (in logarithms): too little to matter within ten readings, which is how long colours are remembered.
/// Where a lamp was switched off the gain says so, and there is no hurry.
const FOLLOWS_MOST: f32 = 0.01;
/// Standard deviations of noise from which on a point around the board shows something else: more than on the board, for skin is
/// seldom near the colour of a table, and what lies there is not cared for.
const ARM_SIGMAS: f32 = 6.0;
/// A point that men hide with less than this chance shows the board.
const BARE: f32 = 0.3;
/// Mean difference of luminance, in levels, under which two readings of a square agree.
const SAME_LOOK: f32 = 8.0;

impl View {
    /// Learns a first picture in which these men stand on the board at this place. `guess` is the camera's
    /// direction where its pose is known.
    ///
    /// # Errors
    /// When the squares do not look like this position.
    pub fn begin(
        frame: &Frame<'_>,
        image_from_board: &BoardMap,
        men: &Board,
        guess: Option<Parallax>,
    ) -> Result<Self, BeginError> {
        let samples = Samples::read(frame, image_from_board);
        let colours = samples.in_light([1.0; 3]);
        let (parallax, posed) = fit_parallax(&colours, men, guess);
        let occlusion = Occlusion::from(parallax);
        let recognition = recognise(&colours, men, &occlusion);
        let recognised = recognition.share;
        if recognised < LEAST_RECOGNISED {
            return Err(BeginError::NotThisPosition { share: recognised });
        }
        if recognition.white_over_black < 1.0 {
            return Err(BeginError::ColoursSwapped);
        }
        let first_likelihood = likelihood(&colours, men, &occlusion);
        let coverage = Coverage::new(occlusion);
        let appearance = Appearance::begin(&colours, men, &coverage);
        let mut around = Samples::default();
        Sampler::over(AROUND).read(frame, image_from_board, &mut around);
        Ok(Self {
            image_from_board: *image_from_board,
            posed,
            coverage,
            appearance,
            surroundings: Surroundings::begin(&around.in_light([1.0; 3]), men, occlusion),
            arms: Arms::default(),
            resting: Resting::default(),
            reference_rgb: samples.0,
            follows: Vec::new(),
            stillness: Stillness::default(),
            recognised,
            first_likelihood,
            changes: 0,
            goes_on: false,
            confirmed: false,
            unclear: None,
        })
    }

    /// Where the board is.
    #[must_use]
    pub(crate) const fn image_from_board(&self) -> &BoardMap {
        &self.image_from_board
    }

    /// What comes is another picture than the one it began with.
    pub const fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// Is another picture looked at than the one it began with?
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Everything learnt is what this view has; what moves is still told by the pictures before.
    pub(crate) fn begin_again(&mut self, begun: Self) {
        let stillness = std::mem::take(&mut self.stillness);
        *self = Self { stillness, ..begun };
    }

    /// Has no picture yet borne out what the first one showed?
    #[must_use]
    pub(crate) const fn is_first_alone(&self) -> bool {
        self.goes_on && !self.confirmed
    }

    /// The board has moved a little; the rest of before goes on.
    pub fn follow(&mut self, image_from_board: BoardMap) {
        self.image_from_board = image_from_board;
    }

    /// How badly the picture of a board at this place differs from the last one learnt from, in levels.
    #[must_use]
    pub(crate) fn misfit(&self, frame: &Frame<'_>, image_from_board: &BoardMap) -> f64 {
        misfit(&Samples::read(frame, image_from_board), self.appearance.reference(), &mut Vec::new())
    }

    /// How badly a reading of this board differs from the last one learnt from, in levels.
    #[must_use]
    pub fn misfit_of(&self, reading: &mut Reading) -> f64 {
        misfit(&reading.samples, self.appearance.reference(), &mut reading.scratch)
    }

    /// Share of the squares that read as the men last learnt stand, if the board is here and the camera looks at it so;
    /// 0 where the white men would be darker than the black ones. Colours are those of this picture alone.
    #[must_use]
    pub(crate) fn recognition(&self, frame: &Frame<'_>, image_from_board: &BoardMap, parallax: &Parallax) -> f64 {
        let colours = Samples::read(frame, image_from_board).in_light([1.0; 3]);
        let found = recognise(&colours, self.men(), &self.occlusion().seen_from(*parallax));
        if found.white_over_black < 1.0 { 0.0 } else { found.share }
    }

    /// How well the picture shows these men, with the board and the camera where they are.
    #[must_use]
    pub(crate) fn recognition_of(&self, frame: &Frame<'_>, men: &Board) -> Recognition {
        recognise(&self.colours_in(frame), men, self.occlusion())
    }

    /// Log-likelihood of the picture with these men, in colours that are learnt from it with them on it.
    #[must_use]
    pub(crate) fn likelihood_of(&self, frame: &Frame<'_>, men: &Board) -> f64 {
        likelihood(&self.colours_in(frame), men, self.occlusion())
    }

    /// [`View::likelihood_of`] each of these placements of men.
    #[must_use]
    pub(crate) fn likelihoods(&self, frame: &Frame<'_>, men: &[Board]) -> Vec<f64> {
        let colours = self.colours_in(frame);
        men.iter().map(|men| likelihood(&colours, men, self.occlusion())).collect()
    }

    /// The picture's colours as they come, with the board where it is.
    fn colours_in(&self, frame: &Frame<'_>) -> Vec<Colour> {
        Samples::read(frame, &self.image_from_board).in_light([1.0; 3])
    }

    /// Share of the squares that the first picture showed as expected.
    #[must_use]
    pub(crate) const fn recognised(&self) -> f64 {
        self.recognised
    }

    /// Log-likelihood of the first picture, as [`View::likelihood_of`].
    #[must_use]
    pub(crate) const fn first_likelihood(&self) -> f64 {
        self.first_likelihood
    }

    const fn occlusion(&self) -> &Occlusion {
        self.coverage.occlusion()
    }

    /// The camera's direction.
    #[must_use]
    pub(crate) const fn parallax(&self) -> Parallax {
        self.coverage.parallax()
    }

    /// The men that stood in the last picture learnt from.
    #[must_use]
    pub const fn men(&self) -> &Board {
        self.appearance.men_standing()
    }

    /// The board is seen from elsewhere, or lies otherwise in its light: men hide other parts of it and look different.
    pub(crate) fn seen_anew(&mut self, parallax: Parallax) {
        self.posed = self.posed.map(|posed| turned(&posed, &self.parallax(), &parallax));
        let occlusion = self.occlusion().seen_from(parallax);
        self.coverage = Coverage::new(occlusion);
        let men = Layout::of(self.appearance.men_standing());
        for (index, rgb) in self.reference_rgb.iter_mut().enumerate() {
            // The bare board still tells how bright the picture is, however many looks ago it was seen.
            let board = self.appearance.background(index).filter(|_| self.coverage.hidden(index, &men) <= BARE);
            *rgb = board.map_or([f32::NAN; 3], rgb_from_colour);
        }
        self.appearance.seen_anew(&self.coverage);
        self.surroundings.seen_anew(occlusion);
        self.arms = Arms::default();
        self.resting.forget();
        self.unclear = None;
        self.changes = 0;
    }

    /// The picture that was learnt from may have shown other men than was thought: only colours are kept.
    pub(crate) fn forget_board(&mut self) {
        self.seen_anew(self.parallax());
        self.appearance.forget_board();
    }

    /// Is there anything that a picture can be compared with? Not before the first look after the board is seen anew.
    #[must_use]
    pub(crate) fn remembers(&self) -> bool {
        self.appearance.reference().iter().any(|colour| colour[0].is_finite())
    }

    /// The lattice's nodes that these men do not hide.
    #[must_use]
    pub(crate) fn free_nodes(&self, men: &Board) -> [bool; NODES] {
        let men = Layout::of(men);
        std::array::from_fn(|node| {
            let around = points_around(node % 9, node / 9);
            let hidden = around.clone().filter(|index| self.coverage.hidden(*index, &men) > BARE).count();
            hidden * 4 <= around.count()
        })
    }

    /// What moves on the board, and since when the rest is at rest.
    pub fn motion(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Motion {
        self.stillness.see(frame, &self.image_from_board, stamp)
    }

    /// Forgets the picture before: the next one begins a new rest.
    pub fn disturb(&mut self) {
        self.stillness.reset();
    }

    /// Reads the colours of the board and of what lies around it.
    pub fn read(&self, frame: &Frame<'_>, reading: &mut Reading) {
        let Reading {
            samples,
            light,
            shade,
            colours,
            otherwise,
            sampler,
            around,
            around_colours,
            around_sampler,
            scratch,
        } = reading;
        sampler.read(frame, &self.image_from_board, samples);
        let reference = self.appearance.reference();
        *light = Light::compare(samples, &self.reference_rgb, reference, shade, colours, scratch);
        let lit = samples.0.iter().zip(&shade.factors).zip(&self.reference_rgb);
        otherwise.clear();
        otherwise.extend(lit.enumerate().map(|(index, ((rgb, factor), then))| {
            let supposed = shade.supposed.contains(square_of(index));
            if supposed { Some(colour_without(&light.gain, rgb, then)) } else { light::brightest(factor, rgb) }
        }));
        around_sampler.read(frame, &self.image_from_board, around);
        surroundings::in_light(around, light, around_colours);
    }

    /// Looks for arms that come over the board's edge in a reading of this moment.
    pub fn look_around(&mut self, reading: &Reading, stamp: Stamp) {
        let noise = Noise { deviation: reading.light.noise, sigmas: ARM_SIGMAS };
        let look = LookAround { surroundings: &self.surroundings, colours: &reading.around_colours, noise };
        self.arms.find(&look, stamp);
    }

    /// Holds a reading against everything learnt. `unsettled` squares say nothing; a point differs from so many standard
    /// deviations of the noise on.
    #[cfg(test)]
    #[must_use]
    pub(super) fn evidence<'a>(&'a self, reading: &'a Reading, unsettled: Bitboard, sigmas: f32) -> LookEvidence<'a> {
        self.evidence_on(Desk::default(), reading, unsettled, sigmas)
    }

    /// The same, worked out on a desk that an earlier look has left.
    #[must_use]
    pub(crate) fn evidence_on<'a>(
        &'a self,
        desk: Desk,
        reading: &'a Reading,
        unsettled: Bitboard,
        sigmas: f32,
    ) -> LookEvidence<'a> {
        let noise = Noise { deviation: reading.light.noise, sigmas };
        let around = LookAround { surroundings: &self.surroundings, colours: &reading.around_colours, noise };
        let seen = SeenColours { seen: &reading.colours, otherwise: &reading.otherwise, noise };
        LookEvidence::new(seen, unsettled, (&self.coverage, &self.appearance, &self.resting), around, &self.arms, desk)
    }

    /// Remembers what covers the board in a look, which has left its desk, and which squares show what they did.
    pub(crate) fn remember_cover(&mut self, desk: &Desk, as_before: Bitboard, unsettled: Bitboard) {
        self.resting.see(desk.covered(), as_before, unsettled);
    }

    /// A reading's colours, and those it was compared with, to be put in figures later.
    #[must_use]
    pub fn seen(&self, reading: &Reading) -> Seen {
        let reference = self.appearance.reference().to_vec();
        Seen { rgb: reading.samples.0.clone(), colours: reading.colours.clone(), reference }
    }

    /// A picture in which these men stand, in figures.
    #[must_use]
    pub fn features(&self, seen: &Seen, men: &Layout) -> [SquareFeatures; 64] {
        features::read(seen, &self.coverage, men)
    }

    /// Learns what hands look like from a reading in which something lies over points with these chances.
    pub(crate) fn learn_hands(&mut self, reading: &Reading, over: &[f32]) {
        self.appearance.learn_hands(&reading.colours, over);
    }

    /// Learns from a reading that these men explain, where it is `clear`; something lies `over` points with these chances (empty:
    /// nothing does).
    pub(crate) fn learn(&mut self, reading: &Reading, men: &Board, clear: Bitboard, over: &[f32]) {
        let (clear, rested) = self.renewed(reading, men, clear, over);
        self.confirmed |= self.goes_on && clear.any();
        let changed = men != self.appearance.men_standing();
        let seen = (&reading.colours[..], reading.light.noise);
        let learnt = self.appearance.learn(
            seen,
            men,
            &self.coverage,
            clear,
            Rested { squares: rested, over: self.unclear.as_ref().map_or(&[], |unclear| &unclear.over) },
        );
        let arms: &[bool] = if clear == Bitboard::FULL { &[] } else { self.arms.around() };
        self.surroundings.learn(&reading.around_colours, men, arms);
        for (index, (reference, now)) in self.reference_rgb.iter_mut().zip(&reading.samples.0).enumerate() {
            if learnt.contains(square_of(index)) && now[0].is_finite() {
                *reference = rgb_without(&reading.shade.factors[index], now, reference);
            }
        }
        if clear == Bitboard::FULL {
            self.follow_light(reading);
        }
        self.changes += u32::from(changed);
        if changed && self.changes <= LAST_RETRACE && self.changes.is_power_of_two() && (!clear).is_empty() {
            self.retrace(&reading.colours);
        }
    }

    /// The light in which everything is remembered follows that of a picture with nothing over the board, point by point. Each reading is
    /// learnt in the light in which it was compared, an estimate, and errors of estimates would add up: in 28 games before one lamp the
    /// memory lost half of its brightness. And what a hand takes of the light while it is near, too little to be told from noise, is
    /// learnt with the board: without this it would be light from elsewhere when the hand has gone.
    fn follow_light(&mut self, reading: &Reading) {
        let step = |factor: f32| (LIGHT_FOLLOWS * factor.ln()).clamp(-FOLLOWS_MOST, FOLLOWS_MOST).exp();
        // Points side by side mostly lie in one light.
        let mut last = ([1.0; 3], [1.0; 3]);
        self.follows.clear();
        self.follows.extend(reading.shade.factors.iter().map(|factors| {
            if *factors != last.0 {
                last = (*factors, factors.map(step));
            }
            last.1
        }));
        self.appearance.relight(&self.follows);
        self.surroundings.relight(reading.light.gain.map(step));
        for (reference, times) in self.reference_rgb.iter_mut().zip(&self.follows) {
            *reference = std::array::from_fn(|k| reference[k] * times[k]);
        }
    }

    /// Works out the camera's direction and the men's heights again, now that men stand elsewhere.
    fn retrace(&mut self, colours: &[Colour]) {
        let occlusion = refine(colours, self.appearance.men_standing(), self.occlusion(), self.posed);
        self.coverage = Coverage::new(occlusion);
        self.appearance.retrace(&self.coverage);
        self.surroundings.retrace(occlusion);
    }

    /// The clear squares, and those of the others that look as they did at the last reading: what rests is how they look
    /// now, if it is little, or if this reading by itself shows there what `men` have there. Otherwise it is a hand. With them
    /// those of them on which something rests that nothing explains.
    fn renewed(&mut self, reading: &Reading, men: &Board, clear: Bitboard, over: &[f32]) -> (Bitboard, Bitboard) {
        let other = !clear;
        let nothing = Bitboard::EMPTY;
        if other.is_empty() {
            self.unclear = None;
            return (clear, nothing);
        }
        let same = self.unclear.get_or_insert_default().follow(&reading.colours, other, over);
        if other.count() <= RENEWED_SQUARES {
            return (clear | same, same);
        }
        if same.count() < RENEWED_SQUARES {
            return (clear, nothing);
        }
        let shown = recognise(&reading.colours, men, self.occlusion()).shows(men) & same;
        let shows = shown.count() as f64 >= RENEWED_SHARE * same.count() as f64;
        (if shows { clear | shown } else { clear }, nothing)
    }
}

impl Unclear {
    /// Goes on to the next reading, in which these squares are not clear and these points have something over them. Returns the
    /// squares that look as they did; what lay over them then does so still.
    fn follow(&mut self, colours: &[Colour], squares: Bitboard, over: &[f32]) -> Bitboard {
        let is_same = |square: &Square| {
            let points = points_on(*square);
            let n = points.len() as f32;
            let sum: f32 = points.map(|i| (self.colours[i][0] - colours[i][0]).abs()).sum();
            sum / n < SAME_LOOK
        };
        let same: Bitboard = (self.squares & squares).into_iter().filter(is_same).collect();
        if !(over.is_empty() && self.over.is_empty()) {
            self.over.resize(POINTS, 0.0);
            for (index, before) in self.over.iter_mut().enumerate() {
                let kept = if same.contains(square_of(index)) { *before } else { 0.0 };
                *before = over.get(index).map_or(kept, |now| now.max(kept));
            }
        }
        self.squares = squares;
        self.colours.clear();
        self.colours.extend_from_slice(colours);
        same
    }
}

/// The sample points within a quarter of a square of a node of the lattice: `column` and `row` from 0 to 8.
fn points_around(column: usize, row: usize) -> impl Iterator<Item = usize> + Clone {
    let near = |k: usize| {
        let k = k * POINTS_PER_SIDE;
        k.saturating_sub(POINTS_PER_SIDE / 4)..(k + POINTS_PER_SIDE / 4).min(8 * POINTS_PER_SIDE)
    };
    near(row).flat_map(move |y| near(column).map(move |x| index_at(x, y)))
}
