//! What a lamp sees first: where a point lies behind that, it is in shadow.

use super::lamp::Lamp;
use crate::sim::{
    grid::{Rect, fill},
    math::{self, V3},
};

/// Side of the shadow map, in texels: 64 a square, a third of a pixel's width at 640×480.
const MAP: usize = 1024;
/// Squares that the map covers from its centre.
const REACH: f32 = 8.0;
/// Texels in a square.
const TEXELS: f32 = MAP as f32 / (2.0 * REACH);
/// Side of a coarse cell, in texels.
const CELL: usize = 4;
const CELLS: usize = MAP / CELL;
/// No filter's radius is larger, in texels.
const WIDEST: usize = 16;
/// How far a point is taken off its surface, so that a surface does not shade itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bias {
    /// Along the surface's normal, in squares.
    off_surface: f32,
    /// Towards the lamp, in squares.
    above: f32,
}

impl Bias {
    /// For men, which are high.
    pub(crate) const MEN: Self = Self { off_surface: 0.025, above: 0.012 };
    /// For stones, whose rims are a tenth of a square high: one texel, and what a slope of 45 degrees makes of it.
    pub const STONES: Self = Self { off_surface: 0.012, above: 0.006 };
}

/// More than that, and what arithmetic loses.
const SLACK: f32 = 0.03;
/// Turns of the pattern of taps.
const TURNS: usize = 64;

/// Heights over the board as a lamp sees them (L. Williams, "Casting curved shadows on curved surfaces", 1978; soft
/// edges after R. Fernando, "Percentage-closer soft shadows", 2005).
#[derive(Debug, Clone)]
pub(crate) struct ShadowMap {
    lamp: Lamp,
    bias: Bias,
    u: V3,
    v: V3,
    height: Vec<f32>,
    /// Radius within which is searched for what shades, in texels.
    search: f32,
    /// Greatest heights in cells, and these spread over the cells that a search may come from.
    own: Vec<f32>,
    coarse: Vec<f32>,
    /// Nothing is drawn in it.
    empty: bool,
    turns: Vec<Turn>,
}

/// Corners of a solid in a map: texel, and height towards the lamp.
pub type Cast = Vec<([f32; 2], f32)>;

impl ShadowMap {
    /// An empty map of a lamp.
    #[must_use]
    pub fn new(lamp: Lamp, bias: Bias) -> Self {
        let axis = lamp.axis;
        let u = if axis.z > 0.999 { V3::x() } else { axis.cross(&V3::z()).normalize() };
        Self {
            v: axis.cross(&u),
            u,
            search: (0.5 * lamp.softness * TEXELS).clamp(1.0, WIDEST as f32),
            lamp,
            bias,
            height: vec![f32::NEG_INFINITY; MAP * MAP],
            own: vec![f32::NEG_INFINITY; CELLS * CELLS],
            coarse: vec![f32::NEG_INFINITY; CELLS * CELLS],
            empty: true,
            turns: (0..TURNS).map(|i| Turn::new(std::f32::consts::TAU * i as f32 / TURNS as f32)).collect(),
        }
    }

    /// Texel of a point, and its height towards the lamp. Both are such that straight lines stay straight.
    fn project(&self, p: V3) -> ([f32; 2], f32) {
        let q = p - V3::new(4.0, 4.0, 0.0);
        let high = q.dot(&self.lamp.axis);
        let k = self.lamp.magnification(high);
        ([(q.dot(&self.u) * k + REACH) * TEXELS - 0.5, (q.dot(&self.v) * k + REACH) * TEXELS - 0.5], high * k)
    }

    /// The corners of a solid as the lamp sees them; none where a part is beside or behind the lamp.
    #[must_use]
    pub(crate) fn cast(&self, points: impl Iterator<Item = V3>) -> Cast {
        let mut cast = Vec::new();
        for p in points {
            if self.lamp.magnification((p - V3::new(4.0, 4.0, 0.0)).dot(&self.lamp.axis)) <= 0.0 {
                return vec![];
            }
            cast.push(self.project(p));
        }
        cast
    }

    /// The texels around a cast, whole cells.
    #[must_use]
    pub(crate) fn rect(&self, cast: &Cast) -> Rect {
        let rect = Rect::around_points(cast.iter().map(|c| c.0), [MAP, MAP]);
        if rect.is_empty() {
            return Rect::EMPTY;
        }
        Rect { low: rect.low.map(|v| v / CELL * CELL), high: rect.high.map(|v| v.next_multiple_of(CELL)) }
    }

    /// Forgets what is in a rectangle of whole cells.
    pub fn clear(&mut self, rect: Rect) {
        for y in rect.low[1]..rect.high[1] {
            self.height[y * MAP + rect.low[0]..y * MAP + rect.high[0]].fill(f32::NEG_INFINITY);
        }
        for y in rect.low[1] / CELL..rect.high[1].div_ceil(CELL) {
            self.own[y * CELLS + rect.low[0] / CELL..y * CELLS + rect.high[0].div_ceil(CELL)].fill(f32::NEG_INFINITY);
        }
    }

    /// Draws a solid within a rectangle of whole cells, in those texels that it shades.
    pub fn draw(&mut self, cast: &Cast, triangles: &[[u32; 3]], rect: Rect, shades: impl Fn(usize, usize) -> bool) {
        if cast.is_empty() {
            return;
        }
        self.empty = false;
        for t in triangles {
            let [a, b, c] = t.map(|i| cast[i as usize]);
            fill([a.0, b.0, c.0], [MAP, MAP], rect, |x, y, w| {
                let d = a.1 * w[0] + b.1 * w[1] + c.1 * w[2];
                let texel = &mut self.height[y * MAP + x];
                if d > *texel && shades(x, y) {
                    *texel = d;
                    let cell = &mut self.own[(y / CELL) * CELLS + x / CELL];
                    *cell = cell.max(d);
                }
            });
        }
    }

    /// Makes ready for [`Self::light`] after drawing.
    pub fn finish(&mut self) {
        // Half a texel more, as texels are rounded.
        let reach = (self.search as usize + 2).div_ceil(CELL);
        let mut rows = vec![f32::NEG_INFINITY; CELLS * CELLS];
        for (row, own) in rows.chunks_exact_mut(CELLS).zip(self.own.chunks_exact(CELLS)) {
            higher(row, own);
            for shift in 1..=reach {
                higher(&mut row[shift..], own);
                higher(row, &own[shift..]);
            }
        }
        for (y, most) in self.coarse.chunks_exact_mut(CELLS).enumerate() {
            most.fill(f32::NEG_INFINITY);
            let near = y.saturating_sub(reach)..(y + reach + 1).min(CELLS);
            near.for_each(|y| higher(most, &rows[y * CELLS..][..CELLS]));
        }
    }

    /// May anything in the map shade a point between two corners of a box? Where not, [`Self::light`] is 1 there.
    #[must_use]
    pub(crate) fn may_shade(&self, [low, high]: [V3; 2]) -> bool {
        !self.empty
            && self.texels([low, high]).is_none_or(|Rect { low, high }| {
                (low[1] / CELL..high[1] / CELL).any(|y| {
                    let row = &self.coarse[y * CELLS..][..CELLS];
                    row[low[0] / CELL..high[0] / CELL].iter().any(|height| *height > f32::NEG_INFINITY)
                })
            })
    }

    /// May a change of what is drawn in a rectangle of whole cells change the light on points between two corners of a box?
    #[must_use]
    pub(crate) fn may_change(&self, around: [V3; 2], changed: Rect) -> bool {
        self.texels(around).is_none_or(|texels| texels.grown(WIDEST + 1, [MAP, MAP]).touches(&changed))
    }

    /// Where points between two corners of a box fall, in whole cells; `None` where that cannot be told, beside the lamp.
    fn texels(&self, [low, high]: [V3; 2]) -> Option<Rect> {
        if low.x > high.x {
            return Some(Rect::EMPTY);
        }
        // The points that are asked for lie a little off their surfaces.
        let end = |i: usize, axis: usize| if i >> axis & 1 == 0 { low[axis] - SLACK } else { high[axis] + SLACK };
        let cast = self.cast((0..8).map(|i| V3::from_fn(|axis, _| end(i, axis))));
        (!cast.is_empty()).then(|| self.rect(&cast))
    }

    /// Share of the lamp that the point sees, 0 to 1. `twist` (0 to 1) turns the pattern of taps.
    #[must_use]
    pub fn light(&self, point: V3, normal: V3, twist: f32) -> f32 {
        if self.empty {
            return 1.0;
        }
        let (place, depth) = self.project(point + normal * self.bias.off_surface);
        let depth = depth + self.bias.above;
        let [Some(cx), Some(cy)] = place.map(|v| index(v / CELL as f32, CELLS)) else { return 1.0 };
        if self.coarse[cy * CELLS + cx] <= depth { 1.0 } else { self.filtered(place, depth, twist) }
    }

    /// The light on a point at a place of the map, in texels, at a height towards the lamp.
    fn filtered(&self, [x, y]: [f32; 2], depth: f32, twist: f32) -> f32 {
        let turn = &self.turns[(twist * TURNS as f32) as usize % TURNS];
        // A texel is a whole number; beyond the map nothing stands.
        let (x, y) = (x + 0.5, y + 0.5);
        let tap = |[dx, dy]: [f32; 2], radius: f32| -> f32 {
            let (i, j) = ((x + dx * radius) as i32 as usize, (y + dy * radius) as i32 as usize);
            if i < MAP && j < MAP { self.height[j * MAP + i] } else { f32::NEG_INFINITY }
        };
        // How far away is what shades?
        let (mut sum, mut n) = (0.0, 0.0);
        for at in turn.search {
            let h = tap(at, self.search);
            if h > depth {
                sum += h - depth;
                n += 1.0;
            }
        }
        if n == 0.0 {
            return 1.0;
        }
        let width = (0.5 * self.lamp.softness * (sum / n) * TEXELS).clamp(0.8, WIDEST as f32);
        let shaded: u32 = turn.taps.iter().map(|at| u32::from(tap(*at, width) > depth)).sum();
        1.0 - shaded as f32 / TAPS.len() as f32
    }
}

/// The patterns of taps at one angle.
#[derive(Debug, Clone)]
struct Turn {
    search: [[f32; 2]; 5],
    taps: [[f32; 2]; 12],
}

impl Turn {
    fn new(angle_rad: f32) -> Self {
        let (s, c) = math::sin_cos_f32(angle_rad);
        let turn = |[x, y]: [f32; 2]| [c * x - s * y, s * x + c * y];
        Self { search: SEARCH.map(turn), taps: TAPS.map(turn) }
    }
}

/// Raises heights to those of others, as far as there are others.
fn higher(heights: &mut [f32], others: &[f32]) {
    // None is NaN, so the cheapest comparison serves.
    heights
        .iter_mut()
        .zip(others)
        .for_each(|(height, other)| *height = if *other > *height { *other } else { *height });
}

fn index(v: f32, n: usize) -> Option<usize> {
    (v >= 0.0 && v < n as f32).then_some(v as usize)
}

/// Where the search for what shades looks, in units of its radius.
const SEARCH: [[f32; 2]; 5] = [[0.0, 0.0], [0.8, 0.1], [-0.1, 0.8], [-0.8, -0.1], [0.1, -0.8]];
/// Taps of the filter: a sunflower of twelve points in the unit disc.
const TAPS: [[f32; 2]; 12] = [
    [0.204, 0.0],
    [-0.261, 0.239],
    [0.040, -0.455],
    [0.329, 0.429],
    [-0.603, -0.106],
    [0.571, -0.363],
    [-0.191, 0.711],
    [-0.362, -0.703],
    [0.778, 0.309],
    [-0.803, 0.387],
    [0.374, -0.857],
    [0.330, 0.922],
];
