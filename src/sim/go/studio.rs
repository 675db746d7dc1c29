//! What picture does a position make?

use image::RgbImage;

use super::{GoScene, GoView, bowls::bowls, stones::Stones, units, wood::Wood};
use crate::{
    go::{Content, Point, Size},
    sim::{
        light::{
            lightline::{LightLine, When},
            shadow::Bias,
        },
        picture::{render::Renderer, sensor::Sensor, surface::Surface},
        scene::{Scene, SceneError, Standpoint},
        shape::{clutter::clutter, thing::Thing},
    },
};

/// A board before a camera: pictures are taken of it one after the other.
#[derive(Debug)]
pub struct Studio {
    /// The stones that lie on the board.
    pub stones: Stones,
    view: GoView,
    standpoint: Standpoint,
    renderer: Renderer,
    sensor: Sensor,
    light: LightLine,
    world: Scene,
    beside: Vec<Thing>,
    count: u64,
}

impl Studio {
    /// An empty board of a size; `seed` decides wood, noise and where stones come to lie.
    ///
    /// # Errors
    /// When a number of the scene is outside its range, or a corner of the grid outside of the picture.
    pub fn new(scene: &GoScene, size: Size, seed: u64) -> Result<Self, SceneError> {
        let view = GoView::new(scene, size)?;
        let world = scene.world();
        let standpoint = Standpoint::new(view.camera.clone());
        let half = scene
            .goban
            .spacing_mm
            .map(|mm| (0.5 * f64::from(size.lines() - 1) * units(mm) + units(scene.goban.margin_mm)) as f32);
        let face = Box::new(Wood::new(scene, size, seed));
        let reach = [half.map(|h| 4.0 - h), half.map(|h| 4.0 + h)];
        let surface = Surface::of(face, reach, &world, &standpoint.board_from_table, seed);
        let stones = Stones::new(scene, size, seed);
        let mut beside = clutter(&world, seed);
        beside.extend(bowls(scene, size, &stones, seed));
        Ok(Self {
            renderer: Renderer::of(&world, &standpoint, surface, Bias::STONES),
            sensor: Sensor::new(&world, seed),
            light: LightLine::new(&world),
            stones,
            view,
            standpoint,
            beside,
            world,
            count: 0,
        })
    }

    /// Where the camera sees the board.
    #[must_use]
    pub const fn view(&self) -> &GoView {
        &self.view
    }

    /// The camera in the world.
    #[must_use]
    pub const fn standpoint(&self) -> &Standpoint {
        &self.standpoint
    }

    /// The scene as lamps, cameras and hands are told.
    #[must_use]
    pub(crate) const fn world(&self) -> &Scene {
        &self.world
    }

    /// Puts and takes stones so that the board shows this position, row by row; stones that stay are not touched.
    pub fn show(&mut self, position: &[Content]) {
        let size = self.view.size();
        for (point, content) in size.points().zip(position) {
            let there = self.stones.at(point).map(|stone| stone.color);
            if there == content.color() {
                continue;
            }
            self.stones.take(point);
            if let Some(color) = content.color() {
                self.stones.put(point, color);
            }
        }
    }

    /// Everything that stands, and the number of a crossing's stone in it.
    #[must_use]
    pub fn standing(&self, of: Option<Point>) -> (Vec<Thing>, Option<usize>) {
        let mut things = self.beside.clone();
        let is_there = |p: &Point| self.stones.at(*p).is_some();
        let number = of.filter(is_there).map(|of| {
            let before = self.view.size().points().take_while(|p| *p != of);
            self.beside.len() + before.filter(is_there).count()
        });
        things.extend(self.stones.things());
        (things, number)
    }

    /// Takes a picture, with hands and what they hold.
    pub fn shoot(&mut self, moving: &[Thing], when: When) -> RgbImage {
        let light = self.light.at(when);
        let (standing, _) = self.standing(None);
        let (picture, changed) = self.renderer.render(&standing, moving, light.lamps);
        let number = self.count;
        self.count += 1;
        self.sensor.expose(picture, &changed, number, when.time_s, &light, &self.standpoint)
    }
}

/// One picture of a position (row by row), and where its camera sees the board.
///
/// # Errors
/// When a number of the scene is outside its range, or a corner of the grid outside of the picture.
pub fn render(position: &[Content], size: Size, scene: &GoScene, seed: u64) -> Result<(RgbImage, GoView), SceneError> {
    let mut studio = Studio::new(scene, size, seed)?;
    studio.show(position);
    let image = studio.shoot(&[], When { time_s: 0.0, ply: 0, changes: 0, progress: 0.0, still: true });
    Ok((image, studio.view))
}
