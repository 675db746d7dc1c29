//! Triangles into the camera's depth buffer.

use std::sync::Arc;

use super::{
    camera::Camera,
    math,
    mesh::{Mesh, V3},
};
use nalgebra::Matrix3;

/// A solid at a place.
#[derive(Debug, Clone)]
pub struct Thing {
    /// Its shape.
    pub mesh: Arc<Mesh>,
    /// Where its origin is, in squares.
    pub at: V3,
    /// Turn about the vertical, in radians, anticlockwise seen from above.
    pub turn_rad: f32,
    /// Size against the mesh.
    pub scale: f32,
    /// Colour in linear light.
    pub colour: V3,
    /// How much it mirrors the lamp, 0 to 1.
    pub gloss: f32,
}

impl PartialEq for Thing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh)
            && self.at == other.at
            && self.turn_rad == other.turn_rad
            && self.scale == other.scale
            && self.colour == other.colour
            && self.gloss == other.gloss
    }
}

impl Thing {
    /// Every corner in world coordinates, with its normal.
    pub fn corners(&self) -> impl Iterator<Item = (V3, V3)> + '_ {
        let (s, c) = math::sin_cos_f32(self.turn_rad);
        let turn = move |v: &V3| V3::new(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
        self.mesh.positions.iter().zip(&self.mesh.normals).map(move |(p, n)| (turn(p) * self.scale + self.at, turn(n)))
    }

    /// Every corner in world coordinates.
    pub fn points(&self) -> impl Iterator<Item = V3> + '_ {
        self.corners().map(|(p, _)| p)
    }

    /// Greatest height.
    #[must_use]
    pub fn top(&self) -> f32 {
        self.points().fold(f32::NEG_INFINITY, |top, p| top.max(p.z))
    }
}

/// A rectangle of pixels; the upper ends are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// First column and row.
    pub low: [usize; 2],
    /// First column and row beyond.
    pub high: [usize; 2],
}

impl Rect {
    /// No pixels.
    pub const EMPTY: Self = Self { low: [usize::MAX; 2], high: [0; 2] };

    /// Are there no pixels?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.low[0] >= self.high[0] || self.low[1] >= self.high[1]
    }

    /// The smallest rectangle around both.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Self {
            low: [self.low[0].min(other.low[0]), self.low[1].min(other.low[1])],
            high: [self.high[0].max(other.high[0]), self.high[1].max(other.high[1])],
        }
    }

    /// Have both a pixel in common?
    #[must_use]
    pub const fn touches(&self, other: &Self) -> bool {
        self.low[0] < other.high[0]
            && other.low[0] < self.high[0]
            && self.low[1] < other.high[1]
            && other.low[1] < self.high[1]
    }

    /// Grown by a margin, within a picture.
    #[must_use]
    pub fn grown(self, margin: usize, size: [usize; 2]) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        Self {
            low: self.low.map(|v| v.saturating_sub(margin)),
            high: [(self.high[0] + margin).min(size[0]), (self.high[1] + margin).min(size[1])],
        }
    }

    /// Around pixel coordinates, cut to a picture.
    pub fn around_points(points: impl Iterator<Item = [f32; 2]>, size: [usize; 2]) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for p in points {
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        if low[0] > high[0] {
            return Self::EMPTY;
        }
        let cut = |v: f32, k: usize| v.clamp(0.0, size[k] as f32) as usize;
        Self {
            low: [cut(low[0].floor(), 0), cut(low[1].floor(), 1)],
            high: [cut(high[0].ceil() + 1.0, 0), cut(high[1].ceil() + 1.0, 1)],
        }
    }
}

/// The camera at the sampling density, in single precision.
#[derive(Debug, Clone)]
pub struct View {
    /// Samples in a row, and rows.
    pub size: [usize; 2],
    /// Where the camera is.
    pub centre: V3,
    matrix: Matrix3<f32>,
    focal: f32,
    principal: [f32; 2],
    distortion: [f32; 2],
    /// Squared distance from the axis, in focal lengths, of what the picture's corners show.
    outermost: f32,
}

impl View {
    /// A view with `samples` samples along each side of a pixel.
    #[must_use]
    pub fn new(camera: &Camera, samples: u32) -> Self {
        let s = samples as f32;
        let corner = camera.camera_from_world * camera.ray(-2.0, -2.0);
        Self {
            outermost: 1.05 * (corner.x * corner.x + corner.y * corner.y) as f32,
            size: [(camera.width * samples) as usize, (camera.height * samples) as usize],
            centre: camera.centre.coords.cast(),
            matrix: camera.camera_from_world.cast(),
            focal: camera.focal_px as f32 * s,
            principal: [camera.width, camera.height].map(|n| ((n as f32 - 1.0) / 2.0 + 0.5) * s - 0.5),
            distortion: camera.distortion.map(|v| v as f32),
        }
    }

    /// Sample coordinates and depth of a world point.
    #[must_use]
    pub fn project(&self, point: V3) -> [f32; 3] {
        let v = self.matrix * (point - self.centre);
        let (x, y) = (v.x / v.z, v.y / v.z);
        // Beyond the picture the polynomial may turn back on itself: there it goes on with its last value.
        let r2 = (x * x + y * y).min(self.outermost);
        let stretch = self.focal * (1.0 + r2 * (self.distortion[0] + r2 * self.distortion[1]));
        [self.principal[0] + x * stretch, self.principal[1] + y * stretch, v.z]
    }

    /// World directions of all samples, of length 1 along the optical axis.
    #[must_use]
    pub fn rays(&self, camera: &Camera, samples: u32) -> Vec<V3> {
        let s = f64::from(samples);
        let pixel = |i: usize| (i as f64 + 0.5) / s - 0.5;
        let mut rays = Vec::with_capacity(self.size[0] * self.size[1]);
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                rays.push(camera.ray(pixel(x), pixel(y)).cast());
            }
        }
        rays
    }

    /// All samples.
    #[must_use]
    pub const fn whole(&self) -> Rect {
        Rect { low: [0, 0], high: self.size }
    }

    /// The samples around projected corners; those that are too near or behind are left out, as they are not drawn.
    #[must_use]
    pub fn rect_of(&self, corners: &[([f32; 3], V3)]) -> Rect {
        let seen = corners.iter().map(|c| c.0).filter(|p| p[2] >= NEAR);
        Rect::around_points(seen.map(|p| [p[0], p[1]]), self.size)
    }

    /// The samples around points; those that are too near or behind are left out, as they are not drawn.
    #[must_use]
    pub fn rect(&self, points: impl Iterator<Item = V3>) -> Rect {
        let seen = points.map(|p| self.project(p)).filter(|p| p[2] >= NEAR);
        Rect::around_points(seen.map(|p| [p[0], p[1]]), self.size)
    }
}

/// Nothing nearer to the camera than this is drawn, in squares.
const NEAR: f32 = 0.3;

/// What each sample of the camera sees first.
#[derive(Debug, Clone)]
pub struct Seen {
    size: [usize; 2],
    /// One over the depth; 0 is infinitely far.
    pub near: Vec<f32>,
    /// World normal, where a thing is seen.
    pub normal: Vec<V3>,
    /// 1 + number of the thing; 0: none.
    pub thing: Vec<u16>,
}

impl Seen {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(size: [usize; 2]) -> Self {
        let n = size[0] * size[1];
        Self { size, near: vec![0.0; n], normal: vec![V3::zeros(); n], thing: vec![0; n] }
    }

    /// Forgets what was seen in a rectangle.
    pub fn clear(&mut self, rect: Rect) {
        for y in rect.low[1]..rect.high[1] {
            let row = y * self.size[0];
            self.near[row + rect.low[0]..row + rect.high[0]].fill(0.0);
            self.thing[row + rect.low[0]..row + rect.high[0]].fill(0);
        }
    }

    /// Draws a solid where it is nearer than what is there, within a rectangle. Its corners are projected ones with
    /// their world normals.
    pub fn draw(&mut self, corners: &[([f32; 3], V3)], triangles: &[[u32; 3]], number: u16, rect: Rect) {
        for t in triangles {
            let [a, b, c] = t.map(|i| corners[i as usize]);
            if a.0[2] < NEAR || b.0[2] < NEAR || c.0[2] < NEAR {
                continue;
            }
            let (near, size) = ([1.0 / a.0[2], 1.0 / b.0[2], 1.0 / c.0[2]], self.size);
            fill([a.0, b.0, c.0].map(|p| [p[0], p[1]]), size, rect, |x, y, w| {
                let i = y * size[0] + x;
                let depth = near[0] * w[0] + near[1] * w[1] + near[2] * w[2];
                if depth > self.near[i] {
                    self.near[i] = depth;
                    self.normal[i] = a.1 * w[0] + b.1 * w[1] + c.1 * w[2];
                    self.thing[i] = number + 1;
                }
            });
        }
    }
}

/// Calls `at(x, y, weights)` for each pixel centre inside of a triangle and a rectangle.
pub(super) fn fill([a, b, c]: [[f32; 2]; 3], size: [usize; 2], rect: Rect, mut at: impl FnMut(usize, usize, [f32; 3])) {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area.abs() < 1e-9 || !area.is_finite() {
        return;
    }
    let min = |k: usize| a[k].min(b[k]).min(c[k]).ceil().max(rect.low[k] as f32);
    let max = |k: usize| a[k].max(b[k]).max(c[k]).floor().min(rect.high[k].min(size[k]) as f32 - 1.0);
    let (x0, x1, y0, y1) = (min(0), max(0), min(1), max(1));
    if x0 > x1 || y0 > y1 {
        return;
    }
    let inverse = 1.0 / area;
    for y in y0 as usize..=y1 as usize {
        let py = y as f32;
        for x in x0 as usize..=x1 as usize {
            let px = x as f32;
            let wa = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) * inverse;
            let wb = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) * inverse;
            let wc = 1.0 - wa - wb;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                at(x, y, [wa, wb, wc]);
            }
        }
    }
}
