//! Triangles into the camera's depth buffer.

use nalgebra::Matrix3;

use super::sieve::Sieve;
use crate::sim::{
    grid::{Rect, fill},
    math::V3,
    scene::Camera,
};

/// The camera at the sampling density, in single precision.
#[derive(Debug, Clone)]
pub struct View {
    /// Samples in a row, and rows.
    pub size: [usize; 2],
    /// Where the camera is.
    pub centre: V3,
    matrix: Matrix3<f32>,
    focal: f32,
    /// -1 where left and right are exchanged, else 1.
    hand: f32,
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
            hand: camera.hand() as f32,
            principal: [camera.width, camera.height].map(|n| ((n as f32 - 1.0) / 2.0 + 0.5) * s - 0.5),
            distortion: camera.distortion.map(|v| v as f32),
        }
    }

    /// Sample coordinates and depth of a world point.
    #[must_use]
    pub(crate) fn project(&self, point: V3) -> [f32; 3] {
        let v = self.matrix * (point - self.centre);
        let (x, y) = (v.x / v.z, v.y / v.z);
        // Beyond the picture the polynomial may turn back on itself: there it goes on with its last value.
        let r2 = (x * x + y * y).min(self.outermost);
        let stretch = self.focal * (1.0 + r2 * (self.distortion[0] + r2 * self.distortion[1]));
        [self.principal[0] + self.hand * x * stretch, self.principal[1] + y * stretch, v.z]
    }

    /// World directions of all samples, of length 1 along the optical axis.
    #[must_use]
    pub(crate) fn rays(&self, camera: &Camera, samples: u32) -> Vec<V3> {
        let s = f64::from(samples);
        let pixel = |i: usize| (i as f64 + 0.5) / s - 0.5;
        let mut rays = Vec::with_capacity(self.size[0] * self.size[1]);
        for y in 0..self.size[1] {
            for x in (0..self.size[0]).step_by(LANES) {
                let row = camera.rays::<LANES>(std::array::from_fn(|i| pixel(x + i)), pixel(y));
                rays.extend(row.iter().take(self.size[0] - x).map(|ray| ray.cast::<f32>()));
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
    pub(super) fn rect_of(&self, corners: &[([f32; 3], V3)]) -> Rect {
        let seen = corners.iter().map(|c| c.0).filter(|p| p[2] >= NEAR);
        Rect::around_points(seen.map(|p| [p[0], p[1]]), self.size)
    }

    /// The samples around points; those that are too near or behind are left out, as they are not drawn.
    #[must_use]
    pub(crate) fn rect(&self, points: impl Iterator<Item = V3>) -> Rect {
        let seen = points.map(|p| self.project(p)).filter(|p| p[2] >= NEAR);
        Rect::around_points(seen.map(|p| [p[0], p[1]]), self.size)
    }
}

/// Rays that are found side by side.
const LANES: usize = 8;
/// Nothing nearer to the camera than this is drawn, in squares.
const NEAR: f32 = 0.3;

/// What each sample of the camera sees first.
#[derive(Debug, Clone)]
pub struct Seen {
    size: [usize; 2],
    /// One over the depth; 0 is infinitely far.
    pub near: Vec<f32>,
    /// World normal, where a thing is seen.
    pub(crate) normal: Vec<V3>,
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
    /// their world normals; of glass only those samples are drawn that its sieve keeps.
    pub fn draw(
        &mut self,
        corners: &[([f32; 3], V3)],
        triangles: &[[u32; 3]],
        number: u16,
        rect: Rect,
        sieve: Option<Sieve>,
    ) {
        for t in triangles {
            let [a, b, c] = t.map(|i| corners[i as usize]);
            if !may_touch([a.0, b.0, c.0], rect) {
                continue;
            }
            if a.0[2] < NEAR || b.0[2] < NEAR || c.0[2] < NEAR {
                continue;
            }
            let (near, size) = ([1.0 / a.0[2], 1.0 / b.0[2], 1.0 / c.0[2]], self.size);
            fill([a.0, b.0, c.0].map(|p| [p[0], p[1]]), size, rect, |x, y, w| {
                let i = y * size[0] + x;
                let depth = near[0] * w[0] + near[1] * w[1] + near[2] * w[2];
                if depth > self.near[i] {
                    let normal = a.1 * w[0] + b.1 * w[1] + c.1 * w[2];
                    if sieve.is_some_and(|sieve| !sieve.keeps(x, y, normal)) {
                        return;
                    }
                    self.near[i] = depth;
                    self.normal[i] = normal;
                    self.thing[i] = number + 1;
                }
            });
        }
    }
}

/// May a triangle touch a rectangle? Most triangles of a thing do not, where a tile is drawn again.
fn may_touch([a, b, c]: [[f32; 3]; 3], rect: Rect) -> bool {
    let beside =
        |k: usize| a[k].max(b[k]).max(c[k]) < rect.low[k] as f32 || a[k].min(b[k]).min(c[k]) > rect.high[k] as f32;
    !(beside(0) || beside(1))
}
