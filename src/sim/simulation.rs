//! A game as pictures: one clean picture a ply, or a film with hands.

use std::sync::Arc;

use image::RgbImage;
use shakmaty::{Board, Color, Move, Piece, Role};

use super::{
    camera::{Camera, Intrinsics},
    clutter::clutter,
    disturb::{self, Disturbance},
    film::Film,
    hand::Hand,
    mesh::{Mesh, V3},
    pieces::Men,
    raster::{Rect, Thing},
    render::Renderer,
    scene::{Scene, SceneError},
    script::{Cast, Man, Place, PlyScript, Script, ScriptError, Task},
    sensor::Sensor,
    story::Story,
    texture::{Dice, linear, mix},
};
use crate::{board::geometry::Corners, frame::Stamp, game::start::Start};

/// Why a simulation cannot begin.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The scene is not usable.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The game is not playable.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// One picture with its truth.
#[derive(Debug, Clone)]
pub struct SimFrame {
    /// What the camera saw.
    pub image: RgbImage,
    /// When, from the beginning of the film.
    pub stamp: Stamp,
    /// Plies completed on the board.
    pub ply: usize,
    /// No hand in the picture, no man in the air.
    pub clean: bool,
    /// What stands on the squares, hand or not.
    pub placement: Board,
    /// True outer corners of the playing area in this picture.
    pub corners: Corners,
    /// The ply that led to the position, or the one under way.
    pub uci: Option<String>,
    /// The word for `events.csv`: `start`, `move`, `capture`, `castle_k`, …, `bump`.
    pub word: &'static str,
    /// What the hand is doing; empty where there is none.
    pub note: &'static str,
}

/// A game on a simulated board; an iterator over its pictures.
#[derive(Debug)]
pub struct Simulation {
    scene: Scene,
    story: Story,
    seed: u64,
    camera: Camera,
    renderer: Renderer,
    sensor: Sensor,
    wardrobe: Wardrobe,
    clutter: Vec<Thing>,
    plies: Vec<PlyScript>,
    first: Cast,
    cast: Cast,
    mode: Mode,
    disturbed: Option<(Disturbance, usize)>,
    count: u64,
    knocks: usize,
    tags: Vec<(String, String)>,
}

/// What is shot.
#[derive(Debug)]
enum Mode {
    Film(Film),
    Stills { next: usize },
}

impl Simulation {
    /// A film of a game.
    ///
    /// # Errors
    /// When the scene has a value out of range, or a move is not legal.
    pub fn new(scene: &Scene, story: impl Into<Story>, seed: u64) -> Result<Self, SimError> {
        scene.check()?;
        let story = story.into();
        let mut scene = scene.clone();
        scene.bump.sort_by_key(|bump| bump.ply);
        let scene = &scene;
        let camera = Camera::new(scene)?;
        let script = Script::new(scene, &story, seed)?;
        let wardrobe = Wardrobe::new(scene);
        let film = Film::new(scene, &script, |role| wardrobe.men.height(role) * scene.men.scale as f32, seed);
        Ok(Self {
            renderer: Renderer::new(scene, &camera, seed),
            sensor: Sensor::new(scene, seed),
            camera,
            scene: scene.clone(),
            story,
            seed,
            wardrobe,
            clutter: clutter(scene, seed),
            cast: script.cast.clone(),
            first: script.cast,
            plies: script.plies,
            mode: Mode::Film(film),
            disturbed: None,
            count: 0,
            knocks: 0,
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

    /// The same game as one clean picture before the first ply and one after each.
    #[must_use]
    pub fn stills(mut self) -> Self {
        self.mode = Mode::Stills { next: 0 };
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
        self.camera.corners()
    }

    /// Intrinsics of the camera: they stay the same through bumps.
    #[must_use]
    pub fn camera_info(&self) -> Intrinsics {
        self.camera.intrinsics()
    }

    /// The camera as it stands now.
    #[must_use]
    pub const fn camera(&self) -> &Camera {
        &self.camera
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

    /// One clean picture a ply?
    #[must_use]
    pub const fn is_stills(&self) -> bool {
        matches!(self.mode, Mode::Stills { .. })
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

    /// How many pictures there are from beginning to end.
    #[must_use]
    pub fn frames(&self) -> usize {
        match &self.mode {
            Mode::Film(film) => film.frames(),
            Mode::Stills { .. } => self.plies.len() + 1,
        }
    }

    /// Carries out all plies at once, for tests: the next picture is the last still, by a renderer that saw nothing.
    #[cfg(test)]
    pub(super) fn skip_to_end(&mut self) {
        let (last, earlier) = self.plies.split_last().map_or((0, &[][..]), |(_, earlier)| (earlier.len() + 1, earlier));
        for task in earlier.iter().flat_map(|p| p.tasks.clone()) {
            self.cast.perform(task);
        }
        self.mode = Mode::Stills { next: last };
    }

    fn still(&mut self, ply: usize) -> Option<SimFrame> {
        if ply > self.plies.len() {
            return None;
        }
        if ply > 0 {
            for task in self.plies[ply - 1].tasks.clone() {
                self.cast.perform(task);
            }
            let knocks: Vec<usize> =
                (0..self.scene.bump.len()).filter(|&i| self.scene.bump[i].ply + 1 == ply).collect();
            knocks.into_iter().for_each(|i| self.knock(i));
        }
        let time_s = 2.0 * ply as f64;
        let disturbance = self.disturbance(ply);
        let moving = disturbance.map_or_else(Vec::new, |(_, hand)| hand.things(&self.scene));
        let image = self.shoot(&moving, time_s);
        Some(SimFrame {
            image,
            stamp: Stamp::from_s(time_s),
            ply,
            clean: disturbance.is_none(),
            placement: self.cast.placement(),
            corners: self.corners(),
            uci: ply.checked_sub(1).map(|p| self.plies[p].uci.clone()),
            word: ply.checked_sub(1).map_or("start", |p| self.plies[p].word),
            note: disturbance.map_or("", |(wanted, _)| wanted.note()),
        })
    }

    /// The hand that is left in the still picture after a ply.
    fn disturbance(&self, ply: usize) -> Option<(Disturbance, Hand)> {
        let (wanted, every) = self.disturbed?;
        let played = self.plies.get(ply.checked_sub(1)?)?;
        if every == 0 || !ply.is_multiple_of(every) {
            return None;
        }
        let (standing, men) = self.standing();
        // The man that has moved: the last one to be set down on a square. In castling that is the rook.
        let moved = played.tasks.iter().rev().find_map(|task| match *task {
            Task::Carry { man, to: Place::On(..) } | Task::Swap { man, .. } => Some(man),
            Task::Carry { .. } => None,
        })?;
        let subject = men.iter().position(|man| *man == Some(moved))?;
        let mut dice = Dice::new(self.seed ^ mix(ply as u64), 0xd1);
        let hand = disturb::hand(&self.scene, &self.camera, &standing, subject, played.mover, wanted, &mut dice)?;
        Some((wanted, hand))
    }

    /// Everything that stands, and the number of the man that each thing is.
    fn standing(&self) -> (Vec<Thing>, Vec<Option<usize>>) {
        let men = self.cast.men.iter().enumerate().filter_map(|(number, man)| match man.place {
            Place::On(_, stand) | Place::Beside(stand) => {
                Some((self.wardrobe.dress(man, stand.at, stand.turn_rad), Some(number)))
            }
            Place::Held | Place::Away => None,
        });
        self.clutter.iter().cloned().map(|thing| (thing, None)).chain(men).unzip()
    }

    fn moment(&mut self) -> Option<SimFrame> {
        let Mode::Film(film) = &mut self.mode else { return None };
        let moment = film.next(&mut self.cast)?;
        let mut bumped = false;
        while self.scene.bump.get(self.knocks).is_some_and(|b| (b.ply, true) <= (moment.ply, moment.late)) {
            self.knock(self.knocks);
            self.knocks += 1;
            bumped = true;
        }
        let mut moving: Vec<Thing> = moment
            .held
            .iter()
            .map(|&(man, at, turn_rad)| self.wardrobe.dress(&self.cast.men[man], at, turn_rad))
            .collect();
        if let Some(hand) = &moment.hand {
            moving.extend(hand.things(&self.scene));
        }
        let image = self.shoot(&moving, moment.time_s);
        // The ply that is under way, or the last one.
        let index = if moment.clean { moment.ply.checked_sub(1) } else { Some(moment.under_way) };
        let ply = index.and_then(|i| self.plies.get(i));
        Some(SimFrame {
            image,
            stamp: Stamp::from_s(moment.time_s),
            ply: moment.ply,
            clean: moment.clean,
            placement: self.cast.placement(),
            corners: self.corners(),
            uci: ply.map(|p| p.uci.clone()),
            word: if bumped { "bump" } else { ply.map_or("start", |p| p.word) },
            note: moment.note,
        })
    }

    fn knock(&mut self, index: usize) {
        self.camera = self.camera.bumped(&self.scene.bump[index]);
        self.renderer = Renderer::new(&self.scene, &self.camera, self.seed);
    }

    fn shoot(&mut self, moving: &[Thing], time_s: f64) -> RgbImage {
        let (standing, _) = self.standing();
        let (picture, changed) = self.renderer.render(&standing, moving);
        let frame = self.count;
        self.count += 1;
        // The first picture of a sensor is new everywhere.
        let changed = if frame == 0 { Rect { low: [0, 0], high: [picture.width, picture.height] } } else { changed };
        self.sensor.expose(picture, changed, frame, time_s)
    }
}

impl Iterator for Simulation {
    type Item = SimFrame;

    fn next(&mut self) -> Option<SimFrame> {
        match &mut self.mode {
            Mode::Film(_) => self.moment(),
            Mode::Stills { next } => {
                let ply = *next;
                *next += 1;
                self.still(ply)
            }
        }
    }
}

/// Shapes and colours of the men.
#[derive(Debug)]
struct Wardrobe {
    men: Men,
    meshes: [Arc<Mesh>; 6],
    colours: [V3; 2],
    scale: f32,
    gloss: f32,
}

impl Wardrobe {
    fn new(scene: &Scene) -> Self {
        let men = Men::default();
        Self {
            meshes: Role::ALL.map(|role| Arc::new(men.mesh(role).clone())),
            men,
            colours: [linear(scene.men.black), linear(scene.men.white)],
            scale: scene.men.scale as f32,
            gloss: scene.men.gloss as f32,
        }
    }

    fn dress(&self, man: &Man, at: V3, turn_rad: f32) -> Thing {
        let Piece { color, role } = man.piece;
        Thing {
            mesh: self.meshes[role as usize - 1].clone(),
            at,
            turn_rad,
            scale: self.scale,
            colour: self.colours[usize::from(color == Color::White)] * man.tone,
            gloss: self.gloss,
        }
    }
}
