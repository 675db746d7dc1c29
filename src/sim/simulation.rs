//! A game as pictures: one clean picture a ply, or a film with hands.

use std::sync::Arc;

use image::RgbImage;
use shakmaty::{Board, Color, Move, Piece, Role};

use super::{
    camera::{Camera, Intrinsics},
    clutter::clutter,
    film::Film,
    lightline::{LightLine, When},
    mesh::{Mesh, V3},
    pieces::Men,
    raster::Thing,
    render::Renderer,
    scene::{Scene, SceneError},
    script::{Cast, Man, Place, PlyScript, Script, ScriptError},
    sensor::Sensor,
    story::Story,
    texture::linear,
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
    count: u64,
    knocks: usize,
    light: LightLine,
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
            count: 0,
            knocks: 0,
            light: LightLine::new(scene),
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
        let progress = ply as f64 / self.plies.len().max(1) as f64;
        let image = self.shoot(&[], When { time_s, ply, changes: ply, progress, still: true });
        Some(SimFrame {
            image,
            stamp: Stamp::from_s(time_s),
            ply,
            clean: true,
            placement: self.cast.placement(),
            corners: self.corners(),
            uci: ply.checked_sub(1).map(|p| self.plies[p].uci.clone()),
            word: ply.checked_sub(1).map_or("start", |p| self.plies[p].word),
            note: "",
        })
    }

    fn moment(&mut self) -> Option<SimFrame> {
        let Mode::Film(film) = &mut self.mode else { return None };
        let moment = film.next(&mut self.cast)?;
        let progress = film.progress(moment.time_s);
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
        let (time_s, ply) = (moment.time_s, moment.ply);
        // Between two plies the light changes in the middle of the pause.
        let changes = ply + usize::from(moment.late);
        let image = self.shoot(&moving, When { time_s, ply, changes, progress, still: false });
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
        self.sensor.moved();
    }

    fn shoot(&mut self, moving: &[Thing], when: When) -> RgbImage {
        let men = self.cast.men.iter().filter_map(|man| match man.place {
            Place::On(_, stand) | Place::Beside(stand) => Some(self.wardrobe.dress(man, stand.at, stand.turn_rad)),
            Place::Held | Place::Away => None,
        });
        let standing: Vec<Thing> = self.clutter.iter().cloned().chain(men).collect();
        let light = self.light.at(when);
        let (picture, changed) = self.renderer.render(&standing, moving, light.lamps);
        let frame = self.count;
        self.count += 1;
        self.sensor.expose(picture, &changed, frame, when.time_s, &light, &self.camera)
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
