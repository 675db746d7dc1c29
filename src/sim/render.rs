//! From things to linear light at each pixel, re-rendering only what changed.
//!
//! Two layers. Standing things: depth, light from everywhere, and light from the lamp after their shadows, kept for
//! each sample. Moving things (a hand, a man in the air) are drawn over them each time, and their shadows darken the
//! kept light of the lamp. A change of the standing things re-renders the rectangle that they and their shadows cover;
//! the result is the same as rendering everything anew.

use super::{
    camera::Camera,
    mesh::V3,
    raster::{Rect, Seen, ShadowMap, Thing, View},
    scene::Scene,
    texture::Flat,
};

/// Linear light per pixel and colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel; 1 is a white sheet in full light.
    pub pixels: Vec<V3>,
}

/// A renderer of one camera, lamp and board.
#[derive(Debug)]
pub struct Renderer {
    samples: usize,
    view: View,
    rays: Vec<V3>,
    flat: Flat,
    lamp: Lamp,
    border: f32,
    floor: f32,
    board_gloss: f32,
    /// Standing things, and what they make.
    standing: Vec<Thing>,
    seen: Seen,
    ambient: Vec<V3>,
    direct: Vec<V3>,
    shadows: ShadowMap,
    occlusion: Occlusion,
    /// Moving things.
    moving_seen: Seen,
    moving_shadows: ShadowMap,
    moving_rect: Rect,
    picture: Picture,
    fresh: bool,
}

/// The lamp, ready for shading.
#[derive(Debug, Clone, Copy)]
struct Lamp {
    to_light: V3,
    direct: V3,
    ambient: V3,
    softness: f32,
    falloff: f32,
}

impl Renderer {
    /// A renderer of a scene seen by a camera; `seed` chooses the wood.
    #[must_use]
    pub fn new(scene: &Scene, camera: &Camera, seed: u64) -> Self {
        let samples = scene.sensor.samples.clamp(1, 4);
        let view = View::new(camera, samples);
        let rays = view.rays(camera, samples);
        let light = &scene.light;
        let (azimuth, elevation) = (light.azimuth_deg.to_radians(), light.elevation_deg.to_radians());
        let to_light = V3::new(
            (elevation.cos() * azimuth.sin()) as f32,
            (-elevation.cos() * azimuth.cos()) as f32,
            elevation.sin() as f32,
        );
        let tint = V3::new(light.tint[0] as f32, light.tint[1] as f32, light.tint[2] as f32);
        let ambient = light.ambient as f32;
        let lamp = Lamp {
            to_light,
            direct: tint * ((1.0 - ambient) / to_light.z),
            // What comes from walls and ceiling is half way between white and the lamp's colour.
            ambient: (tint + V3::repeat(1.0)) * (0.5 * ambient),
            softness: light.softness as f32,
            falloff: light.falloff as f32,
        };
        let n = view.size[0] * view.size[1];
        let (width, height) = (camera.width as usize, camera.height as usize);
        Self {
            samples: samples as usize,
            seen: Seen::new(view.size),
            moving_seen: Seen::new(view.size),
            view,
            rays,
            flat: Flat::new(scene, seed),
            lamp,
            border: scene.board.border as f32,
            floor: -scene.board.thickness as f32,
            board_gloss: scene.board.gloss as f32,
            standing: vec![],
            ambient: vec![V3::zeros(); n],
            direct: vec![V3::zeros(); n],
            shadows: ShadowMap::new(to_light, lamp.softness),
            occlusion: Occlusion::default(),
            moving_shadows: ShadowMap::new(to_light, lamp.softness),
            moving_rect: Rect::EMPTY,
            picture: Picture { width, height, pixels: vec![V3::zeros(); width * height] },
            fresh: true,
        }
    }

    /// Renders standing and moving things. Returns the picture, and the rectangle of its pixels that may differ from
    /// the time before.
    pub fn render(&mut self, standing: &[Thing], moving: &[Thing]) -> (&Picture, Rect) {
        let mut dirty = self.moving_rect;
        if self.fresh || self.standing != standing {
            let rect = self.changed(standing);
            self.standing = standing.to_vec();
            self.render_standing(rect);
            dirty = dirty.around(rect);
            self.fresh = false;
        }
        self.moving_rect = moving.iter().fold(Rect::EMPTY, |rect, t| rect.around(self.reach(t)));
        dirty = dirty.around(self.moving_rect);
        if !moving.is_empty() {
            self.moving_shadows.draw(moving.iter());
        }
        // Whole pixels.
        let s = self.samples;
        let pixels = if dirty.is_empty() {
            Rect::EMPTY
        } else {
            Rect { low: dirty.low.map(|v| v / s), high: dirty.high.map(|v| v.div_ceil(s)) }
        };
        if !pixels.is_empty() {
            let samples = Rect { low: pixels.low.map(|v| v * s), high: pixels.high.map(|v| v * s) };
            self.resolve(samples, moving);
        }
        (&self.picture, pixels)
    }

    /// Samples that a thing or its shadow can touch.
    fn reach(&self, thing: &Thing) -> Rect {
        // Half of the widest penumbra, and the dark around a foot.
        let tall = thing.top() - self.floor;
        let margin = 0.5 * self.lamp.softness * tall / self.lamp.to_light.z + OCCLUSION_REACH;
        let lamp = self.lamp.to_light;
        let points = thing.points().flat_map(|p| {
            let shadow = p - lamp * ((p.z - self.floor).max(0.0) / lamp.z);
            [
                p,
                shadow + V3::x() * margin,
                shadow - V3::x() * margin,
                shadow + V3::y() * margin,
                shadow - V3::y() * margin,
            ]
        });
        self.view.rect(points)
    }

    fn changed(&self, standing: &[Thing]) -> Rect {
        if self.fresh {
            return Rect { low: [0, 0], high: self.view.size };
        }
        let gone = self.standing.iter().filter(|t| !standing.contains(t));
        let new = standing.iter().filter(|t| !self.standing.contains(t));
        gone.chain(new).fold(Rect::EMPTY, |rect, t| rect.around(self.reach(t)))
    }

    fn render_standing(&mut self, rect: Rect) {
        self.shadows.draw(self.standing.iter());
        self.occlusion = Occlusion::new(&self.standing);
        self.seen.clear(rect);
        for (number, thing) in self.standing.iter().enumerate() {
            self.seen.draw(&self.view, thing, number as u16, rect);
        }
        for y in rect.low[1]..rect.high[1] {
            for x in rect.low[0]..rect.high[0] {
                let i = y * self.view.size[0] + x;
                let ray = self.rays[i];
                let twist = twist(x, y);
                let (point, normal, colour, gloss, open) = match self.seen.thing[i] {
                    0 => {
                        let (depth, normal, colour, gloss) = self.flat_at(ray);
                        self.seen.near[i] = if depth > 0.0 { 1.0 / depth } else { 0.0 };
                        let point = self.view.centre + ray * depth;
                        (point, normal, colour, gloss, self.occlusion.open(point))
                    }
                    number => {
                        let thing = &self.standing[usize::from(number) - 1];
                        let point = self.view.centre + ray / self.seen.near[i];
                        let normal = self.facing(self.seen.normal[i], ray);
                        (point, normal, thing.colour, thing.gloss, open_beside(point.z - thing.at.z))
                    }
                };
                let (ambient, direct) = self.shade(point, normal, ray, colour, gloss);
                let lit = if direct == V3::zeros() { 0.0 } else { self.shadows.light(point, normal, twist) };
                let lit = if self.board_shades(point) { 0.0 } else { lit };
                self.ambient[i] = ambient * open;
                self.direct[i] = direct * lit;
            }
        }
    }

    /// Draws the moving things over the kept light, and averages samples to pixels.
    fn resolve(&mut self, rect: Rect, moving: &[Thing]) {
        let s = self.samples;
        for y in rect.low[1] / s..rect.high[1] / s {
            let row = y * self.picture.width;
            self.picture.pixels[row + rect.low[0] / s..row + rect.high[0] / s].fill(V3::zeros());
        }
        if !moving.is_empty() {
            self.moving_seen.clear(rect);
            for (number, thing) in moving.iter().enumerate() {
                self.moving_seen.draw(&self.view, thing, number as u16, rect);
            }
        }
        let share = 1.0 / (s * s) as f32;
        for y in rect.low[1]..rect.high[1] {
            for x in rect.low[0]..rect.high[0] {
                let i = y * self.view.size[0] + x;
                let ray = self.rays[i];
                let hidden = !moving.is_empty()
                    && self.moving_seen.thing[i] != 0
                    && self.moving_seen.near[i] > self.seen.near[i];
                let light = if hidden {
                    let thing = &moving[usize::from(self.moving_seen.thing[i]) - 1];
                    let point = self.view.centre + ray / self.moving_seen.near[i];
                    let normal = self.facing(self.moving_seen.normal[i], ray);
                    let (ambient, direct) = self.shade(point, normal, ray, thing.colour, thing.gloss);
                    let twist = twist(x, y);
                    let lit =
                        self.shadows.light(point, normal, twist) * self.moving_shadows.light(point, normal, twist);
                    ambient * 0.9 + direct * lit
                } else if moving.is_empty() || self.seen.near[i] == 0.0 {
                    self.ambient[i] + self.direct[i]
                } else {
                    let point = self.view.centre + ray / self.seen.near[i];
                    // Any direction towards the lamp serves: moving things do not touch standing ones.
                    let lit = self.moving_shadows.light(point, self.lamp.to_light, twist(x, y));
                    self.ambient[i] + self.direct[i] * lit
                };
                self.picture.pixels[(y / s) * self.picture.width + x / s] += light * share;
            }
        }
    }

    fn facing(&self, normal: V3, ray: V3) -> V3 {
        let normal = normal.try_normalize(1e-9).unwrap_or_else(V3::z);
        if normal.dot(&ray) > 0.0 { -normal } else { normal }
    }

    /// Light from everywhere and, where nothing shades it, from the lamp, that a point sends to the camera.
    fn shade(&self, point: V3, normal: V3, ray: V3, colour: V3, gloss: f32) -> (V3, V3) {
        let lamp = &self.lamp;
        // The lamp's side of the board is the brighter one.
        let flat = V3::new(lamp.to_light.x, lamp.to_light.y, 0.0);
        let towards = (point - V3::new(4.0, 4.0, 0.0)).dot(&flat.try_normalize(1e-3).unwrap_or_else(V3::zeros));
        let uneven = 1.0 - lamp.falloff * (0.5 - towards / 10.0).clamp(0.0, 1.3);
        let ambient = colour.component_mul(&lamp.ambient) * ((0.68 + 0.32 * normal.z) * (0.5 + 0.5 * uneven));
        let slope = normal.dot(&lamp.to_light);
        if slope <= 0.0 {
            return (ambient, V3::zeros());
        }
        let half = (lamp.to_light - ray.normalize()).normalize();
        let glint = gloss * normal.dot(&half).max(0.0).powi(48);
        let direct = (colour * slope + V3::repeat(glint)).component_mul(&lamp.direct) * uneven;
        (ambient, direct)
    }

    /// The board or the table in a direction: depth (0: neither), normal, colour, gloss.
    fn flat_at(&self, ray: V3) -> (f32, V3, V3, f32) {
        let c = self.view.centre;
        let (low, high) = (-self.border, 8.0 + self.border);
        if ray.z < 0.0 {
            let t = -c.z / ray.z;
            let p = c + ray * t;
            if (low..high).contains(&p.x) && (low..high).contains(&p.y) {
                return (t, V3::z(), self.flat.board(p.x, p.y), self.board_gloss);
            }
            // A side of the board?
            for axis in 0..2 {
                if ray[axis] == 0.0 {
                    continue;
                }
                let (wall, out) = if ray[axis] > 0.0 { (low, -1.0) } else { (high, 1.0) };
                let t = (wall - c[axis]) / ray[axis];
                let p = c + ray * t;
                if t > 0.0 && p.z <= 0.0 && p.z > self.floor && (low..high).contains(&p[1 - axis]) {
                    let mut normal = V3::zeros();
                    normal[axis] = out;
                    return (t, normal, self.flat.side(), self.board_gloss);
                }
            }
            let t = (self.floor - c.z) / ray.z;
            let p = c + ray * t;
            if p.x.abs().max(p.y.abs()) < 40.0 {
                return (t, V3::z(), self.flat.table(p.x, p.y), 0.08);
            }
        }
        // Beyond the table: a dim room.
        (0.0, V3::z(), V3::new(0.18, 0.17, 0.16), 0.0)
    }

    /// Does the board itself stand between a point of the table and the lamp?
    fn board_shades(&self, point: V3) -> bool {
        if point.z > self.floor + 1e-3 || self.floor > -1e-3 {
            return false;
        }
        let p = point - self.lamp.to_light * (point.z / self.lamp.to_light.z);
        let range = -self.border..8.0 + self.border;
        range.contains(&p.x) && range.contains(&p.y)
    }
}

/// A pattern that differs from sample to sample without visible order (J. Jimenez, "Next generation post processing in
/// Call of Duty: Advanced Warfare", 2014: interleaved gradient noise).
fn twist(x: usize, y: usize) -> f32 {
    (52.982_918 * (0.067_110_56 * x as f32 + 0.005_837_15 * y as f32).fract()).fract()
}

/// How much of the room a man's surface sees at a height over its foot: less near the board.
fn open_beside(height: f32) -> f32 {
    0.62 + 0.38 * (height / 0.5).clamp(0.0, 1.0)
}

/// Beyond this distance a man's foot does not darken the board, in squares.
const OCCLUSION_REACH: f32 = 0.75;
/// Cells of the occlusion grid in a square.
const FINE: f32 = 16.0;
/// Cells along its side: the board and six squares on each side.
const SIDE: usize = 320;

/// How much of the room the board sees between the men's feet.
#[derive(Debug, Clone, Default)]
struct Occlusion {
    cells: Vec<f32>,
}

impl Occlusion {
    fn new(things: &[Thing]) -> Self {
        let mut cells = vec![1.0f32; SIDE * SIDE];
        for thing in things {
            let foot = 0.33 * thing.scale;
            let to_cell = |v: f32| (v + 6.0) * FINE;
            let (cx, cy) = (to_cell(thing.at.x), to_cell(thing.at.y));
            let reach = OCCLUSION_REACH * FINE;
            let range =
                |c: f32| (c - reach).clamp(0.0, SIDE as f32) as usize..(c + reach).clamp(0.0, SIDE as f32) as usize;
            for y in range(cy) {
                for x in range(cx) {
                    let d = (x as f32 + 0.5 - cx).hypot(y as f32 + 0.5 - cy) / FINE;
                    let beyond = ((d - foot) / (OCCLUSION_REACH - foot)).clamp(0.0, 1.0);
                    cells[y * SIDE + x] *= 1.0 - 0.5 * (1.0 - beyond) * (1.0 - beyond);
                }
            }
        }
        Self { cells }
    }

    fn open(&self, p: V3) -> f32 {
        let (x, y) = ((p.x + 6.0) * FINE - 0.5, (p.y + 6.0) * FINE - 0.5);
        if !(x >= 0.0 && y >= 0.0 && x < (SIDE - 1) as f32 && y < (SIDE - 1) as f32) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x.fract(), y.fract());
        let at = |i: usize, j: usize| self.cells[j * SIDE + i];
        let top = at(i, j) * (1.0 - fx) + at(i + 1, j) * fx;
        let bottom = at(i, j + 1) * (1.0 - fx) + at(i + 1, j + 1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}
