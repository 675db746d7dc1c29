//! Reads sample points of the board's plane from a camera's pixels: those of the board, or those around it.
//!
//! Where a point's pixels lie is worked out once for a place of the board, and again only when the board has moved or
//! the picture has another size; so a picture at rest costs the reading alone. The point's middle goes through the whole
//! map, its taps lie around it as on a plane: perspective and lens bend a point's cell by less than a thirtieth of a
//! pixel where a square has 200.

use super::{
    colour::Samples,
    coverage::{POINTS, POINTS_PER_SIDE, index_at},
};
use crate::{
    board::{
        geometry::{BoardPoint, ImagePoint},
        map::BoardMap,
    },
    frame::{Frame, Visit},
};

/// Taps along each side of a point's cell: a point stands for its cell, and their mean takes the sensor's noise away.
const TAPS_PER_SIDE: usize = 3;
const TAPS: usize = TAPS_PER_SIDE * TAPS_PER_SIDE;
/// A tap that is not in the picture. No picture is so wide.
const OUTSIDE: [u16; 2] = [u16::MAX; 2];

/// A raster of points on the board's plane, along its ranks and files.
#[derive(Debug, Clone, Copy)]
pub struct Raster {
    /// Points along each of its sides, at least three.
    pub side: usize,
    /// Points along the side of a square.
    pub(super) per_square: usize,
    /// Squares from the board's edge to its own, on all four sides.
    pub margin: usize,
    /// How many of its points are read.
    pub points: usize,
    /// Place of the point in column `x` and row `y` (from the corner at a1 on) among those that are read; `None` for one
    /// that is not.
    pub(super) index_at: fn(usize, usize) -> Option<usize>,
}

impl Raster {
    /// The board's own points.
    pub(crate) const BOARD: Self = Self {
        side: 8 * POINTS_PER_SIDE,
        per_square: POINTS_PER_SIDE,
        margin: 0,
        points: POINTS,
        index_at: |x, y| Some(index_at(x, y)),
    };

    /// The point in column `x` and row `y`.
    #[must_use]
    pub fn point(&self, x: usize, y: usize) -> BoardPoint {
        let at = |k: usize| (k as f64 + 0.5) / self.per_square as f64 - self.margin as f64;
        BoardPoint::new(at(x), at(y))
    }
}

/// Where the pixels of the sample points are in a picture.
#[derive(Debug, Clone)]
pub struct Sampler {
    raster: Raster,
    /// The place of the board and the size of the picture that the taps are for.
    aim: Option<(BoardMap, [u32; 2])>,
    /// Middles of the points in the picture, row by row of the raster.
    middles: Vec<[f32; 2]>,
    /// Column and row of each tap, point by point.
    taps: Vec<[[u16; 2]; TAPS]>,
}

impl Default for Sampler {
    fn default() -> Self {
        Self::over(Raster::BOARD)
    }
}

impl Sampler {
    /// For the points of a raster.
    #[must_use]
    pub const fn over(raster: Raster) -> Self {
        Self { raster, aim: None, middles: Vec::new(), taps: Vec::new() }
    }

    /// Reads the colours around every sample point of a board at `image_from_board` into `samples`: the mean over those
    /// of a point's taps that are in the picture, not a number where none is.
    pub fn read(&mut self, frame: &Frame<'_>, image_from_board: &BoardMap, samples: &mut Samples) {
        let aim = (*image_from_board, [frame.width(), frame.height()]);
        if self.aim != Some(aim) {
            self.aim_at(aim.0, aim.1);
            self.aim = Some(aim);
        }
        frame.visit(Reader { taps: &self.taps, samples: &mut samples.0 });
    }

    fn aim_at(&mut self, image_from_board: BoardMap, size: [u32; 2]) {
        let Raster { side, points, index_at, .. } = self.raster;
        self.middles.clear();
        self.middles.extend((0..side * side).map(|k| {
            let point = self.raster.point(k % side, k / side);
            if !image_from_board.plane().is_before_camera(point) {
                return [f32::NAN; 2];
            }
            let ImagePoint { coords } = image_from_board.to_image(point);
            [coords.x as f32, coords.y as f32]
        }));
        self.taps.resize(points, [OUTSIDE; TAPS]);
        let end = size.map(|s| s as f32);
        for y in 0..side {
            for x in 0..side {
                let Some(index) = index_at(x, y) else { continue };
                let middle = self.middles[y * side + x];
                let right = slope(x, side, |x| self.middles[y * side + x]);
                let up = slope(y, side, |y| self.middles[y * side + x]);
                for (k, tap) in self.taps[index].iter_mut().enumerate() {
                    let [dx, dy] = [k % TAPS_PER_SIDE, k / TAPS_PER_SIDE].map(|k| (k as f32 - 1.0) / 3.0);
                    // Half a pixel on, so that cutting off rounds.
                    let [u, v] = [0, 1].map(|i| middle[i] + dx * right[i] + dy * up[i] + 0.5);
                    let inside = u > 0.0 && v > 0.0 && u < end[0] && v < end[1];
                    *tap = if inside { [u as u16, v as u16] } else { OUTSIDE };
                }
            }
        }
    }
}

/// Change of a value from one point of a row of `side` to the next, at point `k`: exact for parabolas, at the ends as well.
fn slope(k: usize, side: usize, at: impl Fn(usize) -> [f32; 2]) -> [f32; 2] {
    let last = side - 1;
    let one_sided = |a: [f32; 2], b: [f32; 2], c: [f32; 2]| [0, 1].map(|i| 2.0 * b[i] - 1.5 * a[i] - 0.5 * c[i]);
    if k == 0 {
        one_sided(at(0), at(1), at(2))
    } else if k == last {
        one_sided(at(last), at(last - 1), at(last - 2)).map(|v| -v)
    } else {
        let (before, after) = (at(k - 1), at(k + 1));
        [0, 1].map(|i| 0.5 * (after[i] - before[i]))
    }
}

struct Reader<'a> {
    taps: &'a [[[u16; 2]; TAPS]],
    samples: &'a mut Vec<[f32; 3]>,
}

impl Visit for Reader<'_> {
    type Answer = ();

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) {
        self.samples.clear();
        self.samples.extend(self.taps.iter().map(|taps| {
            let mut sum = [0_u16; 3];
            let mut seen = 0_u8;
            for tap in taps.iter().filter(|tap| **tap != OUTSIDE) {
                let rgb = rgb(usize::from(tap[0]), usize::from(tap[1]));
                for k in 0..3 {
                    sum[k] += u16::from(rgb[k]);
                }
                seen += 1;
            }
            // None seen: nothing over nothing is not a number.
            sum.map(|s| f32::from(s) / f32::from(seen))
        }));
    }
}

impl Samples {
    /// Reads the camera's pixels around every sample point of a board at `image_from_board`, once: for pictures that
    /// follow each other keep a [`Sampler`].
    #[must_use]
    pub fn read(frame: &Frame<'_>, image_from_board: &BoardMap) -> Self {
        let mut samples = Self::default();
        Sampler::default().read(frame, image_from_board, &mut samples);
        samples
    }
}
