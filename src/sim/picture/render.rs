//! From things to linear light at each pixel, re-rendering only what changed.
//!
//! Three layers. Board and table without anything on them: computed once. Standing things: depth, light from everywhere,
//! and light from each lamp after their shadows, kept for each sample. Moving things (a hand, a man in the air) are
//! drawn over them each time, and their shadows darken the kept light of the lamps. A change of the standing things
//! re-renders the tiles that they, their shadows and their mirror images touch; the result is the same as rendering
//! everything anew.

use std::ops::Range;

use super::{
    boxes::Boxes,
    moving::Moving,
    raster::{Seen, View},
    solid::Solid,
    surface::{ROOM, Surface},
    texture::{Near, man_grain},
    tiles::Tiles,
};
use crate::sim::{
    grid::Rect,
    light::{
        kelvin,
        lamp::Lamp,
        occlusion::{Occlusion, open_at},
        shadow::{Bias, ShadowMap},
    },
    math::{self, V3},
    scene::{Scene, Standpoint},
    shape::{mesh::Matter, thing::Thing},
};

/// Most lamps of a scene.
const LAMPS: usize = 4;
/// Mirror images of men fade at this height over the board, in squares: a board is not quite flat and not quite smooth.
const MIRROR_FADES: f32 = 1.1;
/// A man stands on felt of this height, in its own size.
const FELT: f32 = 0.022;

/// Linear light of a pixel: red, green, blue; 1 is a white sheet in full light.
pub type Light = [f32; 3];

/// Linear light per pixel and colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Rows of pixels.
    pub pixels: Vec<Light>,
}

/// A renderer of one camera, its lamps and a board.
#[derive(Debug)]
pub(crate) struct Renderer {
    samples: usize,
    view: View,
    rays: Vec<V3>,
    surface: Surface,
    lamps: Vec<Lamp>,
    room: V3,
    falloff: f32,
    /// The main lamp's side of the board, and the length of that vector.
    bright: (V3, f32),
    men_grain: f32,
    /// Board and table: one over the depth (negative: the board's face), light from everywhere and from each lamp.
    bare_near: Vec<f32>,
    bare_ambient: Vec<V3>,
    bare_direct: Vec<Vec<V3>>,
    /// How much of what it mirrors a glossy board shows in each sample.
    bare_mirrors: Vec<f32>,
    /// Standing things, and what they make.
    standing: Vec<Solid>,
    seen: Seen,
    mirror: Option<Seen>,
    ambient: Vec<V3>,
    direct: Vec<Vec<V3>>,
    shadows: Vec<ShadowMap>,
    occlusion: Occlusion,
    moving: Moving,
    /// What is drawn again, and where in the world each tile is.
    tiles: Tiles,
    boxes: Boxes,
    lamp_factor: f32,
    picture: Picture,
    fresh: bool,
}

impl Renderer {
    /// A renderer of a chessboard's scene seen from a standpoint; `seed` chooses the wood.
    #[must_use]
    pub fn new(scene: &Scene, standpoint: &Standpoint, seed: u64) -> Self {
        let surface = Surface::new(scene, &standpoint.board_from_table, seed);
        Self::of(scene, standpoint, surface, Bias::MEN)
    }

    /// A renderer of whatever lies flat in a scene, seen from a standpoint.
    #[must_use]
    pub fn of(scene: &Scene, standpoint: &Standpoint, surface: Surface, bias: Bias) -> Self {
        let (camera, slip) = (&standpoint.camera, &standpoint.board_from_table);
        let samples = scene.sensor.samples.clamp(1, 4);
        let view = View::new(camera, samples);
        let mut lamps: Vec<Lamp> = Lamp::all(scene).iter().map(|lamp| lamp.seen_from(slip)).collect();
        lamps.truncate(LAMPS);
        // What comes from walls and ceiling is half way between white and the main lamp's colour.
        let ambient = scene.light.ambient as f32;
        let cast = kelvin::tints(scene)[0];
        let fill = scene.light.fill.map(|v| v as f32);
        let n = view.size[0] * view.size[1];
        let (width, height) = (camera.width as usize, camera.height as usize);
        let axis = lamps[0].axis;
        let flat = V3::new(axis.x, axis.y, 0.0);
        Self {
            samples: samples as usize,
            rays: view.rays(camera, samples),
            seen: Seen::new(view.size),
            mirror: (surface.gloss() > 0.0).then(|| Seen::new(view.size)),
            tiles: Tiles::new(view.size),
            moving: Moving::new(view.size, bias),
            boxes: Boxes::new(view.size),
            bright: (flat, flat.norm().max(1e-3)),
            bare_mirrors: vec![0.0; if surface.gloss() > 0.0 { n } else { 0 }],
            surface,
            room: ((cast + V3::repeat(1.0)) * (0.5 * ambient)).component_mul(&V3::from(fill)),
            falloff: scene.light.falloff as f32,
            men_grain: scene.men.grain as f32,
            bare_near: vec![0.0; n],
            bare_ambient: vec![V3::zeros(); n],
            bare_direct: vec![vec![V3::zeros(); n]; lamps.len()],
            standing: vec![],
            ambient: vec![V3::zeros(); n],
            direct: vec![vec![V3::zeros(); n]; lamps.len()],
            shadows: lamps.iter().map(|lamp| ShadowMap::new(*lamp, bias)).collect(),
            occlusion: Occlusion::default(),
            lamp_factor: 1.0,
            picture: Picture { width, height, pixels: vec![[0.0; 3]; width * height] },
            fresh: true,
            view,
            lamps,
        }
    }

    /// Renders standing and moving things; `lamp_factor` multiplies the light of the lamps, not that of the room.
    /// Returns the picture, and rectangles of its pixels outside of which nothing differs from the time before.
    pub fn render(&mut self, standing: &[Thing], moving: &[Thing], lamp_factor: f32) -> (&Picture, Vec<Rect>) {
        self.tiles.clear();
        if self.fresh {
            self.bare();
        }
        if self.fresh || !self.standing.iter().map(|s| &s.thing).eq(standing) {
            self.restock(standing);
            self.render_standing();
        }
        // Where moving things were, and where they are.
        self.tiles.mark_all(&self.moving.tiles);
        self.restock_moving(moving);
        self.tiles.mark_all(&self.moving.tiles);
        if self.fresh || self.lamp_factor != lamp_factor {
            self.lamp_factor = lamp_factor;
            self.tiles.mark(Rect { low: [0, 0], high: self.view.size });
        }
        self.fresh = false;
        self.resolve();
        let s = self.samples;
        let pixels = |r: Rect| Rect { low: r.low.map(|v| v / s), high: r.high.map(|v| v.div_ceil(s)) };
        (&self.picture, self.tiles.rects().into_iter().map(pixels).collect())
    }

    fn solid(&self, thing: &Thing, mirror: bool) -> Solid {
        Solid::new(thing, &self.view, &self.shadows, &self.lamps, mirror, self.surface.floor())
    }

    /// Takes in what stands now, and marks what that changes.
    fn restock(&mut self, standing: &[Thing]) {
        let mut old: Vec<Option<Solid>> = std::mem::take(&mut self.standing).into_iter().map(Some).collect();
        let (mut shadows, mut changed) = (Tiles::new(self.view.size), vec![]);
        let mut cast = vec![vec![]; self.lamps.len()];
        let mut note = |solid: &Solid| {
            changed.extend(solid.own);
            solid.shadows.iter().for_each(|rect| shadows.mark(*rect));
            cast.iter_mut().enumerate().for_each(|(lamp, rects): (usize, &mut Vec<Rect>)| {
                rects.push(solid.cast_rect(lamp));
            });
        };
        let stock: Vec<Solid> = standing
            .iter()
            .map(|thing| {
                let kept = old.iter_mut().find(|s| s.as_ref().is_some_and(|s| s.thing == *thing));
                kept.and_then(Option::take).unwrap_or_else(|| {
                    let solid = self.solid(thing, self.mirror.is_some());
                    note(&solid);
                    solid
                })
            })
            .collect();
        old.iter().flatten().for_each(note);
        self.standing = stock;
        changed.iter().for_each(|rect| self.tiles.mark(*rect));
        for (lamp, (map, rects)) in self.shadows.iter_mut().zip(&cast).enumerate() {
            for rect in rects.iter().filter(|r| !r.is_empty()) {
                map.clear(*rect);
                self.standing.iter().for_each(|s| s.cast(map, lamp, *rect));
            }
            map.finish();
        }
        self.occlusion = Occlusion::new(self.standing.iter().map(|s| &s.thing));
        if self.fresh {
            self.tiles.mark(Rect { low: [0, 0], high: self.view.size });
        }
        self.mark_shadows(&shadows, &cast);
        self.boxes.forget(&self.tiles);
    }

    /// Marks those of the tiles near the shadows' ways in which a change of the lamps' maps (rectangles for each lamp) can
    /// be seen.
    fn mark_shadows(&mut self, near: &Tiles, cast: &[Vec<Rect>]) {
        for (tile, rect) in near.marked() {
            if self.tiles.is_marked(tile) {
                continue;
            }
            let point = point_of(&self.seen.near, &self.rays, self.view.centre);
            let around = self.boxes.around(tile, rect, point);
            let mut lamps = self.shadows.iter().zip(cast);
            if lamps.any(|(map, rects)| rects.iter().any(|changed| map.may_change(around, *changed))) {
                self.tiles.mark(rect);
            }
        }
    }

    fn restock_moving(&mut self, moving: &[Thing]) {
        if moving.is_empty() && self.moving.is_empty() {
            return;
        }
        let solids: Vec<Solid> = moving.iter().map(|thing| self.solid(thing, false)).collect();
        self.moving.restock(solids, &self.lamps);
        let point = point_of(&self.seen.near, &self.rays, self.view.centre);
        self.moving.thin_out(|tile, rect| self.boxes.around(tile, rect, &point));
    }

    /// Light on board and table without anything on them.
    fn bare(&mut self) {
        let mut near = Near::default();
        for i in 0..self.rays.len() {
            let ray = self.rays[i];
            let hit = self.surface.hit(self.view.centre, ray, &mut near);
            if hit.depth == 0.0 {
                self.bare_near[i] = 0.0;
                self.bare_ambient[i] = hit.colour.component_mul(&self.room) * 2.0;
                self.bare_direct.iter_mut().for_each(|layer| layer[i] = V3::zeros());
                continue;
            }
            self.bare_near[i] = if hit.board { -1.0 } else { 1.0 } / hit.depth;
            if let Some(mirrors) = self.bare_mirrors.get_mut(i) {
                *mirrors = mirrored_share(self.surface.gloss(), ray);
            }
            let point = self.view.centre + ray * hit.depth;
            let (ambient, direct) = self.shade(point, hit.normal, ray, hit.colour, hit.gloss);
            self.bare_ambient[i] = ambient;
            for (k, lamp) in self.lamps.iter().enumerate() {
                self.bare_direct[k][i] = if self.surface.shades(point, lamp) { V3::zeros() } else { direct[k] };
            }
        }
    }

    fn render_standing(&mut self) {
        let rects = self.tiles.rects();
        for rect in &rects {
            self.seen.clear(*rect);
            if let Some(mirror) = &mut self.mirror {
                mirror.clear(*rect);
            }
        }
        for (number, solid) in self.standing.iter().enumerate() {
            for rect in &rects {
                solid.draw(&mut self.seen, number as u16, *rect);
                if let Some(mirror) = &mut self.mirror {
                    solid.draw_mirrored(mirror, number as u16, *rect);
                }
            }
        }
        for rect in rects {
            for y in rect.low[1]..rect.high[1] {
                for x in rect.low[0]..rect.high[0] {
                    self.stand(x, y);
                }
            }
        }
    }

    /// The light of one sample of what stands.
    fn stand(&mut self, x: usize, y: usize) {
        let i = y * self.view.size[0] + x;
        let (ray, twist) = (self.rays[i], twist(x, y));
        let number = self.seen.thing[i];
        if number == 0 {
            let bare = self.bare_near[i];
            self.seen.near[i] = bare.abs();
            if bare == 0.0 {
                self.ambient[i] = self.bare_ambient[i];
                self.direct.iter_mut().for_each(|layer| layer[i] = V3::zeros());
                return;
            }
            let point = self.view.centre + ray / bare.abs();
            self.ambient[i] = self.bare_ambient[i] * self.occlusion.open(point.x, point.y);
            for (k, map) in self.shadows.iter().enumerate() {
                let direct = self.bare_direct[k][i];
                let lit = if direct == V3::zeros() { 0.0 } else { map.light(point, V3::z(), twist) };
                self.direct[k][i] = direct * lit;
            }
            if bare < 0.0 {
                let mirrored = self.mirrored(i, ray);
                self.ambient[i] += mirrored;
            }
            return;
        }
        let thing = &self.standing[usize::from(number) - 1].thing;
        let point = self.view.centre + ray / self.seen.near[i];
        let normal = facing(self.seen.normal[i], ray);
        let colour = self.colour(thing, point);
        let (ambient, direct) = self.shade(point, normal, ray, colour, thing.gloss);
        self.ambient[i] = ambient * open_at(thing, point.z);
        for (k, map) in self.shadows.iter().enumerate() {
            let lit = if direct[k] == V3::zeros() { 0.0 } else { map.light(point, normal, twist) };
            self.direct[k][i] = direct[k] * lit;
        }
    }

    /// What a glossy board mirrors in a sample: men near their feet, else the room.
    fn mirrored(&self, i: usize, ray: V3) -> V3 {
        let Some(mirror) = &self.mirror else { return V3::zeros() };
        let room = ROOM.component_mul(&self.room) * 2.0;
        let share = self.bare_mirrors[i];
        let number = mirror.thing[i];
        if number == 0 {
            return room * share;
        }
        let thing = &self.standing[usize::from(number) - 1].thing;
        let image = self.view.centre + ray / mirror.near[i];
        let point = V3::new(image.x, image.y, -image.z);
        let strength = (1.0 - point.z / MIRROR_FADES).clamp(0.0, 1.0);
        let up = V3::new(ray.x, ray.y, -ray.z);
        let (ambient, direct) = self.shade(point, facing(mirror.normal[i], up), up, thing.colour, 0.0);
        let light = ambient * 0.8 + direct.iter().sum::<V3>() * 0.7;
        (light * strength + room * (1.0 - strength)) * share
    }

    /// Colour of a point of a thing: men have grain, and felt under them.
    fn colour(&self, thing: &Thing, point: V3) -> V3 {
        if thing.mesh.matter != Matter::Man {
            return thing.colour;
        }
        let own = (point - thing.at) / thing.scale;
        if own.z < FELT {
            return V3::new(0.02, 0.03, 0.02);
        }
        if self.men_grain == 0.0 { thing.colour } else { thing.colour * man_grain(own, self.men_grain, thing.colour.x) }
    }

    /// Averages the samples of the marked tiles to pixels.
    fn resolve(&mut self) {
        let (s, width) = (self.samples, self.picture.width);
        let share = 1.0 / (s * s) as f32;
        let mut pixels = std::mem::take(&mut self.picture.pixels);
        let mut lights = vec![];
        for (tile, rect) in self.tiles.marked() {
            let is_touched = self.moving.tiles.is_marked(tile);
            for y in rect.low[1]..rect.high[1] {
                self.row(y, rect.low[0]..rect.high[0], is_touched, &mut lights);
                let row = &mut pixels[(y / s) * width + rect.low[0] / s..][..lights.len() / s];
                if y % s == 0 {
                    row.fill([0.0; 3]);
                }
                for (pixel, samples) in row.iter_mut().zip(lights.chunks_exact(s)) {
                    for light in samples {
                        (0..3).for_each(|k| pixel[k] += light[k] * share);
                    }
                }
            }
        }
        self.picture.pixels = pixels;
    }

    /// The light of samples of a row; `is_touched`: by moving things or their shadows.
    fn row(&self, y: usize, columns: Range<usize>, is_touched: bool, lights: &mut Vec<V3>) {
        lights.clear();
        if is_touched {
            lights.extend(columns.map(|x| self.with_moving(x, y)));
            return;
        }
        let from = y * self.view.size[0];
        let samples = from + columns.start..from + columns.end;
        lights.extend(&self.ambient[samples.clone()]);
        for layer in &self.direct {
            for (light, direct) in lights.iter_mut().zip(&layer[samples.clone()]) {
                *light += direct * self.lamp_factor;
            }
        }
    }

    /// The light of a sample where moving things, or their shadows, may be.
    fn with_moving(&self, x: usize, y: usize) -> V3 {
        let i = y * self.view.size[0] + x;
        let ray = self.rays[i];
        if let Some((thing, near, normal)) = self.moving.at(i).filter(|(_, near, _)| *near > self.seen.near[i]) {
            let point = self.view.centre + ray / near;
            let normal = facing(normal, ray);
            let (ambient, direct) = self.shade(point, normal, ray, self.colour(thing, point), thing.gloss);
            let mut light = ambient * 0.9;
            for (k, direct) in direct.iter().enumerate().take(self.lamps.len()) {
                if *direct != V3::zeros() {
                    let twist = twist(x, y);
                    let mut lit = self.moving.shadows[k].light(point, normal, twist);
                    // Most of what is dark on a hand lies in its own shadow.
                    if lit > 0.0 {
                        lit *= self.shadows[k].light(point, normal, twist);
                    }
                    light += direct * (lit * self.lamp_factor);
                }
            }
            return light;
        }
        let mut light = self.ambient[i];
        if self.seen.near[i] == 0.0 {
            return light;
        }
        let point = self.view.centre + ray / self.seen.near[i];
        for ((layer, map), lamp) in self.direct.iter().zip(&self.moving.shadows).zip(&self.lamps) {
            // Any direction towards the lamp serves: moving things do not touch standing ones.
            if layer[i] != V3::zeros() {
                light += layer[i] * (map.light(point, lamp.axis, twist(x, y)) * self.lamp_factor);
            }
        }
        light
    }

    /// Light from everywhere and, where nothing shades it, from each lamp, that a point sends to the camera.
    fn shade(&self, point: V3, normal: V3, ray: V3, colour: V3, gloss: f32) -> (V3, [V3; LAMPS]) {
        // The main lamp's side of the board is the brighter one.
        let towards = (point - V3::new(4.0, 4.0, 0.0)).dot(&self.bright.0) / self.bright.1;
        let uneven = 1.0 - self.falloff * (0.5 - towards / 10.0).clamp(0.0, 1.3);
        let ambient = colour.component_mul(&self.room) * ((0.68 + 0.32 * normal.z) * (0.5 + 0.5 * uneven));
        let mut direct = [V3::zeros(); LAMPS];
        let length = if gloss > 0.0 { ray.norm() } else { 0.0 };
        for (direct, lamp) in direct.iter_mut().zip(&self.lamps) {
            let (to_light, strength) = lamp.at(point);
            let slope = normal.dot(&to_light);
            if slope <= 0.0 {
                continue;
            }
            let mut light = colour * slope;
            if gloss > 0.0 && may_glint(slope, normal.dot(&ray) / length, to_light.dot(&ray) / length) {
                let half = (to_light - ray.normalize()).normalize();
                let cosine = normal.dot(&half).max(0.0);
                if cosine > 0.8 {
                    light += V3::repeat(gloss * math::power(cosine, 48));
                }
            }
            *direct = light.component_mul(&lamp.light) * (strength * uneven);
        }
        (ambient, direct)
    }
}

/// Can the half vector between lamp and camera come so near to the normal that a highlight is seen? From cosines: of the
/// normal with the direction to the lamp, and of the line of sight with both. Where not, its length need not be known.
fn may_glint(slope: f32, normal_ray: f32, lamp_ray: f32) -> bool {
    // The half vector's cosine is (slope - normal_ray) / √(2 - 2 lamp_ray), and must be over 0.8; squared, with a margin.
    let along = slope - normal_ray;
    along * along > 0.6 * (2.0 - 2.0 * lamp_ray) - 1e-4
}

/// Which share of what it mirrors a board of a gloss shows along a line of sight.
fn mirrored_share(gloss: f32, ray: V3) -> f32 {
    // C. Schlick, "An inexpensive BRDF model for physically-based rendering", 1994; lacquer has an index of 1.5.
    let aslant = 1.0 + ray.z / ray.norm();
    let square = aslant * aslant;
    gloss * (0.04 + 0.96 * square * square * aslant)
}

/// Which point each sample shows, of depths (one over them) along rays from a centre; none where only the room is seen.
fn point_of<'a>(near: &'a [f32], rays: &'a [V3], centre: V3) -> impl Fn(usize) -> Option<V3> + 'a {
    move |i| (near[i] > 0.0).then(|| centre + rays[i] / near[i])
}

/// The unit normal on the camera's side.
fn facing(normal: V3, ray: V3) -> V3 {
    let normal = normal.try_normalize(1e-9).unwrap_or_else(V3::z);
    if normal.dot(&ray) > 0.0 { -normal } else { normal }
}

/// A pattern that differs from sample to sample without visible order (J. Jimenez, "Next generation post processing in
/// Call of Duty: Advanced Warfare", 2014: interleaved gradient noise).
fn twist(x: usize, y: usize) -> f32 {
    // What is left of a positive number's whole part, without a call of the C library.
    let part = |v: f32| v - v as u32 as f32;
    part(52.982_918 * part(0.067_110_56 * x as f32 + 0.005_837_15 * y as f32))
}
