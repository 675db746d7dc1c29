//! A game as pictures: one clean picture a ply, or a film with hands.

mod knocked;
mod transmission;

use std::borrow::Cow;

use image::RgbImage;
use shakmaty::{Board, Move, Outcome};

use super::{
    dice::{Dice, mix},
    disturb::{self, Disturbance},
    knocks::Knocks,
    light::lightline::{LightLine, When},
    picture::{readout::Readout, render::Renderer, sensor::Sensor},
    play::{
        cast::{Cast, Task},
        comments::StoryError,
        film::Film,
        resting::Resting,
        script::{Act, Label, Script, ScriptError, State},
        story::{Story, What},
    },
    scene::{Camera, Intrinsics, Scene, SceneError, Standpoint},
    shape::{
        clutter::clutter,
        hand::{Hand, shoulder},
        man::Place,
        thing::Thing,
        wardrobe::Wardrobe,
    },
    slip::Slip,
};
use transmission::Transmission;

use crate::{board::corners::Corners, frame::Stamp, game::start::Start};

/// Why a simulation cannot begin.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The scene is not usable.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The game's comments are not understood.
    #[error(transparent)]
    Story(#[from] StoryError),
    /// The game is not playable.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// One picture with its truth.
#[derive(Debug, Clone)]
pub struct SimFrame {
    /// What the camera saw.
    pub image: RgbImage,
    /// When it was taken as its stamp says, from the beginning of the film; without a stamp, when it came.
    pub stamp: Stamp,
    /// When it really was taken, or (one that comes again) came.
    pub taken: Stamp,
    /// Did the camera give it a stamp?
    pub stamped: bool,
    /// Plies that stand on the board, those included that will be taken back.
    pub ply: usize,
    /// No hand in the picture, no man in the air.
    pub clean: bool,
    /// The state as in `events.csv`.
    pub state: State,
    /// What stands on the squares, hand or not; a man that lies counts for its square.
    pub placement: Board,
    /// Of what is seen of each square and of the man on it without the hand, the share that the hand hides; `None` where
    /// there is none, and in films.
    pub hidden: Option<[f32; 64]>,
    /// The camera that took it, in the board's coordinates.
    pub camera: Camera,
    /// True outer corners of the playing area in this picture.
    pub corners: Corners,
    /// The move, square or result that the word speaks of.
    pub uci: Option<String>,
    /// The word for `events.csv`: of the act that led to the position, or of the one under way (see
    /// [`output`](super::output)).
    pub word: Cow<'static, str>,
    /// What the hand is doing, or what stands on the board; mostly empty where there is no hand.
    pub note: &'static str,
}

/// A game on a simulated board; an iterator over its pictures.
#[derive(Debug)]
pub struct Simulation {
    scene: Scene,
    story: Story,
    seed: u64,
    standpoint: Standpoint,
    knocks: Knocks,
    /// Knocks that have begun.
    knocked: usize,
    /// How the board slipped lately, and when: hands over it have not gone with it.
    slips: Vec<(f64, Slip)>,
    renderer: Renderer,
    sensor: Sensor,
    wardrobe: Wardrobe,
    clutter: Vec<Thing>,
    resting: Resting,
    acts: Vec<Act>,
    first: Cast,
    cast: Cast,
    mode: Mode,
    disturbed: Option<(Disturbance, usize)>,
    count: u64,
    light: LightLine,
    transmission: Transmission,
    tags: Vec<(String, String)>,
}

/// What is shot.
#[derive(Debug)]
enum Mode {
    Film(Film),
    /// What to show, and how much of it was shown.
    Stills(Vec<Still>, usize),
}

/// What a still picture shows.
#[derive(Debug, Clone, Copy)]
struct Still {
    /// After so many acts.
    acts: usize,
    /// With the hand of the last one at rest in view.
    rest: bool,
}

impl Still {
    fn all(acts: &[Act]) -> Vec<Self> {
        let after = acts.iter().enumerate().flat_map(|(i, act)| {
            let rest = act.linger.map(|_| Self { acts: i + 1, rest: true });
            rest.into_iter().chain(act.still.then_some(Self { acts: i + 1, rest: false }))
        });
        std::iter::once(Self { acts: 0, rest: false }).chain(after).collect()
    }
}

/// Seconds between two still pictures of a simulation.
pub const STILL_S: f64 = 2.0;
/// What is told of pictures in which men are still missing.
const SETTING_UP: &str = "men are being set up";

impl Simulation {
    /// A film of a game: of a [`Story`], of a start and moves, or of a PGN's game with what its comments tell to happen
    /// (see `comments`). What the scene's habits bring comes on top.
    ///
    /// # Errors
    /// When the scene has a value out of range, a comment is malformed, a move is not legal, or an incident does not
    /// fit.
    pub fn new(
        scene: &Scene,
        story: impl TryInto<Story, Error: Into<StoryError>>,
        seed: u64,
    ) -> Result<Self, SimError> {
        scene.check()?;
        let story = story.try_into().map_err(Into::into)?;
        let story = scene.habits.embellish(story, seed);
        let mut scene = scene.clone();
        scene
            .bump
            .sort_by(|a, b| (a.ply, a.while_hand).cmp(&(b.ply, b.while_hand)).then(a.moment.total_cmp(&b.moment)));
        let scene = &scene;
        let standpoint = Standpoint::new(Camera::new(scene)?);
        let script = Script::new(scene, &story, seed)?;
        let wardrobe = Wardrobe::new(scene);
        let film = Film::new(scene, &script, |role| wardrobe.height(role), seed);
        Ok(Self {
            renderer: Renderer::new(scene, &standpoint, seed),
            sensor: Sensor::new(scene, seed),
            knocks: Knocks::new(standpoint.clone(), seed),
            knocked: 0,
            slips: vec![],
            standpoint,
            scene: scene.clone(),
            story,
            seed,
            wardrobe,
            clutter: clutter(scene, seed),
            resting: Resting::new(scene),
            cast: script.cast.clone(),
            first: script.cast,
            acts: script.acts,
            mode: Mode::Film(film),
            disturbed: None,
            count: 0,
            light: LightLine::new(scene),
            transmission: Transmission::new(scene, seed),
            tags: vec![],
        })
    }

    /// Gives the headers (name, value) that `truth.pgn` is to have.
    #[must_use]
    pub fn with_tags(mut self, tags: Vec<(String, String)>) -> Self {
        self.tags = tags;
        self
    }

    /// Headers of the game.
    #[must_use]
    pub fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// The same game as one clean picture before the first ply and one of everything that then stands on the board for a
    /// while: after each ply, and of an illegal move, of its correction, of a castling half made, of a man that lies, of
    /// moves that will be taken back, of kings in the centre; and one of each hand that rests in view. Men touched or
    /// adjusted have no picture of their own.
    #[must_use]
    pub fn stills(mut self) -> Self {
        self.mode = Mode::Stills(Still::all(&self.acts), 0);
        self.transmission.pictures_every(STILL_S);
        self.cast = self.first.clone();
        self
    }

    /// Leaves a hand in every `every`th still picture, as far as there is a place for it that makes this disturbance.
    /// Such a picture is not clean, and its note is [`Disturbance::note`].
    #[must_use]
    pub const fn disturbed(mut self, disturbance: Disturbance, every: usize) -> Self {
        self.disturbed = Some((disturbance, every));
        self
    }

    /// True outer corners of the playing area in the next picture.
    #[must_use]
    pub fn corners(&self) -> Corners {
        self.standpoint.camera.corners()
    }

    /// Intrinsics of the camera as it is now: only a zoom changes them.
    #[must_use]
    pub fn camera_info(&self) -> Intrinsics {
        self.standpoint.camera.intrinsics()
    }

    /// The camera as it stands now, in the board's coordinates: it moves when the board does.
    #[must_use]
    pub const fn camera(&self) -> &Camera {
        &self.standpoint.camera
    }

    /// Where camera and table will be after each of the scene's knocks, in their order.
    #[must_use]
    pub fn standpoints(&self) -> Vec<Standpoint> {
        let mut last = self.standpoint.clone();
        let after = self.scene.bump[self.knocked..].iter().map(|bump| {
            last = last.bumped(bump);
            last.clone()
        });
        after.collect()
    }

    /// The scene.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Single pictures instead of a film?
    #[must_use]
    pub(crate) const fn is_stills(&self) -> bool {
        matches!(self.mode, Mode::Stills(..))
    }

    /// Where the game begins.
    #[must_use]
    pub const fn start(&self) -> &Start {
        &self.story.start
    }

    /// The game.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.story.moves
    }

    /// What happens beside the moves, the scene's habits included.
    #[must_use]
    pub const fn story(&self) -> &Story {
        &self.story
    }

    /// The result that the pictures can tell: by the kings in the centre, or by the last position.
    #[must_use]
    pub fn result(&self) -> Outcome {
        use shakmaty::Position as _;
        let kings = self.story.incidents.iter().find_map(|i| match i.what {
            What::Kings(outcome) => Some(Outcome::Known(outcome)),
            _ => None,
        });
        kings.unwrap_or_else(|| {
            let mut position = self.story.start.position().clone();
            self.story.moves.iter().for_each(|m| position.play_unchecked(*m));
            position.outcome()
        })
    }

    /// How many pictures the camera takes from beginning to end; what is lost or comes twice on the way is not counted.
    #[must_use]
    pub fn frames(&self) -> usize {
        match &self.mode {
            Mode::Film(film) => film.frames(),
            Mode::Stills(stills, _) => stills.len(),
        }
    }

    /// Carries out all acts but the last at once, for tests: the next picture is the last still, by a renderer that saw
    /// nothing.
    #[cfg(test)]
    pub(super) fn skip_to_end(&mut self) {
        let earlier = self.acts.len().saturating_sub(1);
        for task in self.acts[..earlier].iter().flat_map(|a| a.tasks.clone()) {
            self.cast.perform(task);
        }
        let last = Still { acts: self.acts.len(), rest: false };
        self.mode = Mode::Stills(vec![Still { acts: earlier, rest: false }, last], 1);
    }

    fn still(&mut self) -> Option<SimFrame> {
        let Mode::Stills(stills, next) = &mut self.mode else { return None };
        let number = *next;
        *next += 1;
        let still = *stills.get(number)?;
        let before = number.checked_sub(1).map_or(0, |i| stills[i].acts);
        for task in self.acts[before..still.acts].iter().flat_map(|a| a.tasks.clone()) {
            self.cast.perform(task);
        }
        let act = still.acts.checked_sub(1).map(|i| &self.acts[i]);
        let ply = act.map_or(0, |a| a.plies);
        let resting = act.filter(|_| still.rest).and_then(|a| Some((a.linger?.0, a.player)));
        let time_s = STILL_S * number as f64;
        while let Some(bump) = self.scene.bump.get(self.knocked).filter(|b| b.ply < ply) {
            self.knocks.settle(bump);
            self.knocked += 1;
            // Each pushes what is in its way.
            self.stand_at(time_s);
        }
        let board_from_table = self.standpoint.board_from_table;
        let hand = resting.map(|(tip, player)| Hand {
            tip,
            shoulder: board_from_table.point(shoulder(player)),
            player,
            low: 1.0,
        });
        let progress = still.acts as f64 / self.acts.len().max(1) as f64;
        let disturbance = if hand.is_none() { self.disturbance(still.acts) } else { None };
        let hand = hand.or(disturbance.map(|(_, hand)| hand));
        let others = self.resting.at(time_s, ply, true, &board_from_table);
        let moving: Vec<Thing> = hand.iter().chain(&others).flat_map(|hand| hand.things(&self.scene)).collect();
        let hidden = (!moving.is_empty()).then(|| self.hidden(&moving));
        let image = self.shoot(&moving, When { time_s, ply, changes: ply, progress, still: true });
        let frame = SimFrame { hidden, ..self.told(image, time_s, still.acts) };
        Some(if let Some((wanted, _)) = disturbance {
            SimFrame { clean: false, state: State::Hand, note: wanted.note(), ..frame }
        } else if hand.is_some() {
            SimFrame { clean: false, state: State::Hand, word: "rest".into(), uci: None, note: "resting", ..frame }
        } else if !others.is_empty() {
            SimFrame { clean: false, state: State::Hand, note: "resting", ..frame }
        } else {
            frame
        })
    }

    /// A picture without a hand after so many acts.
    fn told(&self, image: RgbImage, time_s: f64, acts: usize) -> SimFrame {
        let act = acts.checked_sub(1).map(|i| &self.acts[i]);
        let setting_up = act.is_none() && self.scene.opening.missing > 0;
        let camera = self.zoomed(time_s);
        SimFrame {
            image,
            stamp: Stamp::from_s(time_s),
            taken: Stamp::from_s(time_s),
            stamped: true,
            ply: act.map_or(0, |a| a.plies),
            clean: true,
            state: act.map_or(if setting_up { State::Irregular } else { State::Clean }, |a| a.state),
            placement: self.cast.placement(),
            hidden: None,
            corners: camera.corners(),
            camera,
            uci: act.and_then(|a| named(&a.after)),
            word: act.map_or(if setting_up { "setup" } else { "start" }.into(), |a| a.after.word.clone()),
            note: act.map_or(if setting_up { SETTING_UP } else { "" }, |a| a.note),
        }
    }

    /// The camera as it stands, with what a hunting lens makes of its focal length at a time.
    fn zoomed(&self, time_s: f64) -> Camera {
        let mut camera = self.standpoint.camera.clone();
        camera.focal_px *= Readout::zoom(&self.scene.readout, time_s);
        camera
    }

    /// The hand that is left in the still picture after so many acts, when the last of them completed a ply.
    fn disturbance(&self, acts: usize) -> Option<(Disturbance, Hand)> {
        let (wanted, every) = self.disturbed?;
        let index = acts.checked_sub(1)?;
        let act = self.acts.get(index)?;
        let before = index.checked_sub(1).map_or(0, |i| self.acts[i].plies);
        if every == 0 || act.state != State::Clean || act.plies != before + 1 || !act.plies.is_multiple_of(every) {
            return None;
        }
        let (standing, men) = self.standing();
        // The man that has moved: the last one to be set down on a square. In castling that is the rook.
        let moved = act.tasks.iter().rev().find_map(|task| match *task {
            Task::Carry { man, to: Place::On(..), .. } | Task::Swap { man, .. } => Some(man),
            Task::Carry { .. } | Task::Topple { .. } => None,
        })?;
        let subject = men.iter().position(|man| *man == Some(moved))?;
        let mut dice = Dice::new(self.seed ^ mix(act.plies as u64), 0xd1);
        let hand = disturb::hand(&self.scene, &self.standpoint, &standing, subject, act.player, wanted, &mut dice)?;
        Some((wanted, hand))
    }

    /// How much of each square these things hide.
    fn hidden(&self, moving: &[Thing]) -> [f32; 64] {
        let (standing, men) = self.standing();
        let square = |man: &Option<usize>| match self.cast.men.get((*man)?)?.place {
            Place::On(square, _) => Some(square),
            Place::Beside(_) | Place::Held | Place::Away => None,
        };
        let on: Vec<_> = men.iter().map(square).collect();
        disturb::Cover::new(&self.standpoint.camera, &standing, 0).by_square(moving, &on)
    }

    /// Everything that stands, and the number of the man that each thing is.
    fn standing(&self) -> (Vec<Thing>, Vec<Option<usize>>) {
        let men = self
            .cast
            .men
            .iter()
            .enumerate()
            .filter_map(|(number, man)| Some((self.wardrobe.standing(man, man.place.stand()?), Some(number))));
        self.clutter.iter().cloned().map(|thing| (thing, None)).chain(men).unzip()
    }

    /// The next picture as it leaves the camera.
    fn shot(&mut self) -> Option<SimFrame> {
        match &mut self.mode {
            Mode::Film(_) => self.moment(),
            Mode::Stills(..) => self.still(),
        }
    }

    fn moment(&mut self) -> Option<SimFrame> {
        let Mode::Film(film) = &mut self.mode else { return None };
        let mut moment = film.next(&mut self.cast, &self.standpoint.board_from_table)?;
        let ply = moment.acts.checked_sub(1).map_or(0, |i| self.acts[i].plies);
        let (progress, begins_s) = (film.progress(moment.time_s), film.begins_s());
        while let Some(bump) = self.scene.bump.get(self.knocked).filter(|b| self.is_due(b, &moment, ply)) {
            self.knocks.begin(bump, moment.time_s);
            self.knocked += 1;
        }
        let bumped = self.stand_at(moment.time_s);
        self.lag(&mut moment);
        let mut moving: Vec<Thing> = moment
            .held
            .iter()
            .map(|&(man, at, turn_rad)| self.wardrobe.held(&self.cast.men[man], at, turn_rad))
            .collect();
        let others = self.resting.at(moment.time_s, ply, false, &self.standpoint.board_from_table);
        moving.extend(moment.hands.iter().chain(&others).flat_map(|hand| hand.things(&self.scene)));
        // Between two plies the light changes in the middle of the pause.
        let changes = ply + usize::from(moment.late);
        let image = self.shoot(&moving, When { time_s: moment.time_s, ply, changes, progress, still: false });
        let mut frame = self.told(image, moment.time_s, moment.acts);
        let taken = Stamp::from_s(moment.time_s - begins_s);
        (frame.stamp, frame.taken) = (taken, taken);
        if !others.is_empty() {
            (frame.clean, frame.state, frame.note) = (false, State::Hand, "resting");
        }
        if moment.opening {
            (frame.clean, frame.state, frame.note) = (false, State::Hand, moment.note);
        }
        if let Some(act) = moment.under_way.and_then(|i| self.acts.get(i)) {
            (frame.clean, frame.state, frame.note) = (false, State::Hand, moment.note);
            (frame.word, frame.uci) = match moment.resting {
                None => (act.label.word.clone(), named(&act.label)),
                Some(still) => (if still { "rest" } else { "rest_end" }.into(), None),
            };
        }
        if bumped {
            (frame.word, frame.state) = ("bump".into(), State::Bump);
        }
        Some(frame)
    }

    fn shoot(&mut self, moving: &[Thing], when: When) -> RgbImage {
        let (standing, _) = self.standing();
        let light = self.light.at(when);
        let (picture, changed) = self.renderer.render(&standing, moving, light.lamps);
        let frame = self.count;
        self.count += 1;
        self.sensor.expose(picture, &changed, frame, when.time_s, &light, &self.standpoint)
    }
}

impl Iterator for Simulation {
    type Item = SimFrame;

    fn next(&mut self) -> Option<SimFrame> {
        let mut transmission = std::mem::take(&mut self.transmission);
        let frame = transmission.next(|| self.shot());
        self.transmission = transmission;
        frame
    }
}

fn named(label: &Label) -> Option<String> {
    Some(label.uci.clone()).filter(|uci| !uci.is_empty())
}
