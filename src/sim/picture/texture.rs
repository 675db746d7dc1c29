//! Colours of flat things: wood, squares, printed coordinates, from hashed noise so that a seed decides all of it.

use crate::sim::{
    dice::{Dice, mix},
    math::{self, V3},
    scene::{Scene, linear},
};

/// A number from 0 to 1 for a point of a lattice.
fn lattice(x: i32, y: i32, seed: u32) -> f32 {
    let mut h =
        (x as u32).wrapping_mul(0x85eb_ca6b) ^ (y as u32).wrapping_mul(0xc2b2_ae35) ^ seed.wrapping_mul(0x27d4_eb2f);
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    (h ^ (h >> 15)) as f32 / u32::MAX as f32
}

/// A cell of the lattice of a seed, and the numbers at its corners.
#[derive(Debug, Clone, Copy)]
struct Cell {
    place: (i32, i32, u32),
    corners: [[f32; 2]; 2],
}

impl Cell {
    fn new(place: (i32, i32, u32)) -> Self {
        let (i, j, seed) = place;
        let at = |i: i32, j: i32| lattice(i, j, seed);
        Self { place, corners: [[at(i, j), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1)]] }
    }

    /// The cell that a point lies in.
    fn of(x: f32, y: f32, seed: u32) -> (i32, i32, u32) {
        let whole = |v: f32| v as i32 - i32::from(v < 0.0);
        (whole(x), whole(y), seed)
    }

    fn between(&self, x: f32, y: f32) -> f32 {
        let (i, j, _) = self.place;
        math::within(self.corners, math::ease(x - i as f32), math::ease(y - j as f32))
    }

    /// Smooth noise from 0 to 1 with features of size 1. Points that follow each other mostly lie in the same cell.
    fn noise(&mut self, x: f32, y: f32, seed: u32) -> f32 {
        let place = Self::of(x, y, seed);
        if self.place != place {
            *self = Self::new(place);
        }
        self.between(x, y)
    }
}

/// The same noise at a point that is asked for by itself.
fn noise(x: f32, y: f32, seed: u32) -> f32 {
    Cell::new(Cell::of(x, y, seed)).between(x, y)
}

/// The cells in which points of flat things were met last: a row of samples goes through few of them.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    wood: [Cell; 3],
    wear: [Cell; 2],
}

impl Default for Near {
    fn default() -> Self {
        Self { wood: [Cell::new((0, 0, 0)); 3], wear: [Cell::new((0, 0, 0)); 2] }
    }
}

impl Near {
    /// Brightness of wood whose grain runs along x, about 1; `strength` 0 to 1.
    pub(crate) fn wood(&mut self, x: f32, y: f32, strength: f32, seed: u32) -> f32 {
        if strength == 0.0 {
            return 1.0;
        }
        let [warp, rings, fibres] = &mut self.wood;
        let warp = warp.noise(0.7 * x, 1.3 * y, seed) * 1.6;
        let rings = rings.noise(0.35 * x, 7.0 * y + warp * 2.0, seed ^ 11) - 0.5;
        let fibres = fibres.noise(2.0 * x, 34.0 * y + warp * 4.0, seed ^ 23) - 0.5;
        1.0 + strength * (0.38 * rings + 0.26 * fibres)
    }
}

/// Brightness of a man's wood at a point in its own size, about 1: its rings run upward. `own` differs from man to man.
#[must_use]
pub(super) fn man_grain(p: V3, strength: f32, own: f32) -> f32 {
    let seed = own.to_bits();
    let rings = noise(9.0 * p.x + 1.2 * p.z, 9.0 * p.y, seed) - 0.5;
    1.0 + strength * 0.5 * rings
}

/// The piece of veneer that a square is: its own brightness, its own stretch of grain, turned a little or, now and then,
/// across.
#[derive(Debug, Clone, Copy)]
struct Veneer {
    tone: f32,
    lean: f32,
    across: bool,
    /// Where its grain begins.
    from: [f32; 2],
}

/// The table on which a board lies.
#[derive(Debug, Clone)]
pub(super) struct TableTop {
    colour: V3,
    grain: f32,
    seed: u32,
}

impl TableTop {
    /// The table of a scene; `seed` chooses the planks.
    #[must_use]
    pub fn new(scene: &Scene, seed: u64) -> Self {
        Self { colour: linear(scene.table.colour), grain: scene.table.grain as f32, seed: mix(seed) as u32 }
    }

    /// Colour at (x, y).
    #[must_use]
    pub fn colour(&self, x: f32, y: f32, near: &mut Near) -> V3 {
        let plank = (y / 6.0 + 100.3).floor();
        let tone = 1.0 + 0.25 * self.grain * (lattice(plank as i32, 3, self.seed) - 0.5);
        self.colour * (tone * near.wood(0.35 * x + 13.0 * plank, 0.5 * y, self.grain, self.seed ^ 5))
    }
}

/// A chessboard's upper face.
#[derive(Debug, Clone)]
pub struct Flat {
    squares: [V3; 2],
    border: V3,
    ink: V3,
    edge: f32,
    grain: f32,
    /// By file and rank.
    veneers: [[Veneer; 8]; 8],
    wear: f32,
    wrinkles: f32,
    /// Half the width of the gap between the halves, in squares; 0: it does not fold.
    gap: f32,
    /// Where the lines between files and ranks are at their lower and upper ends.
    lines: [[[f32; 2]; 9]; 2],
    coordinates: bool,
    seed: u32,
}

impl Veneer {
    fn new(file: usize, rank: usize, unlike: f32, seed: u32) -> Self {
        let own = |what: u32| lattice(file as i32, rank as i32, seed ^ (77 + what));
        Self {
            tone: 1.0 + 2.0 * unlike * (own(0) - 0.5),
            lean: 0.3 * (own(1) - 0.5),
            across: own(2) < 0.2,
            from: [40.0 * own(0), 17.0 * own(1)],
        }
    }
}

impl Flat {
    /// That of a scene; `seed` chooses the pieces of wood.
    #[must_use]
    pub fn new(scene: &Scene, seed: u64) -> Self {
        let board = &scene.board;
        let border = linear(board.border_colour);
        // Printed letters stand out against the border, as they must to be read.
        let bright = border.sum() / 3.0 > 0.3;
        let ink = if bright { V3::new(0.04, 0.04, 0.05) } else { linear([212, 190, 150]) };
        let mut dice = Dice::new(seed, 0xb0);
        let off = board.uneven_mm * 1e-3 / board.square_size_m;
        // The outer lines are where the corners say.
        let lines = [0, 1].map(|_| {
            std::array::from_fn(|i| {
                let own = [0, 1].map(|_| dice.between(-off, off) as f32);
                if i == 0 || i == 8 { [i as f32; 2] } else { own.map(|v| i as f32 + v) }
            })
        });
        let (unlike, own) = (board.unlike as f32, mix(seed) as u32);
        Self {
            squares: [linear(board.dark), linear(board.light)],
            border,
            ink,
            edge: board.border as f32,
            grain: board.grain as f32,
            veneers: std::array::from_fn(|file| std::array::from_fn(|rank| Veneer::new(file, rank, unlike, own))),
            wear: board.wear as f32,
            wrinkles: board.wrinkles as f32,
            gap: if board.fold { (0.4e-3 / board.square_size_m) as f32 } else { 0.0 },
            lines,
            coordinates: board.coordinates && board.border >= 0.25,
            seed: own,
        }
    }

    fn square_at(&self, x: f32, y: f32, near: &mut Near) -> V3 {
        let (file, rank) = (self.cell(0, x, y), self.cell(1, y, x));
        let is_light = (file + rank) % 2;
        let veneer = &self.veneers[file][rank];
        let (u, v) = (x - file as f32, y - rank as f32);
        let (u, v) = if veneer.across { (v, u) } else { (u, v) };
        let ([from_u, from_v], lean) = (veneer.from, veneer.lean);
        let grain = near.wood(u + lean * v + from_u, v - lean * u + from_v, self.grain, self.seed ^ is_light as u32);
        self.squares[is_light] * (veneer.tone * grain * self.worn(x, y, u, v, near))
    }

    /// Which file (or rank) a point is in: lines are a little off, and askew.
    fn cell(&self, axis: usize, v: f32, across: f32) -> usize {
        let line = |i: usize| {
            let [from, to] = self.lines[axis][i];
            from + (to - from) * (across / 8.0)
        };
        let near = (v as usize).min(7);
        if v < line(near) {
            near.saturating_sub(1)
        } else if v >= line(near + 1) && near < 7 {
            near + 1
        } else {
            near
        }
    }

    /// Brightness of what wear has left, about 1: stains, scratches, and middles of squares rubbed pale.
    fn worn(&self, x: f32, y: f32, u: f32, v: f32, near: &mut Near) -> f32 {
        if self.wear == 0.0 {
            return 1.0;
        }
        let [stain, scratch] = &mut near.wear;
        let stain = (stain.noise(0.9 * x + 3.0, 0.9 * y, self.seed ^ 31) - 0.45).max(0.0);
        // Scratches: thin lines of one noise's middle value, where another noise is high.
        let level = (scratch.noise(2.2 * x + 1.1 * y, 0.35 * y, self.seed ^ 37) - 0.5).abs();
        let scratch = if level < 0.012 && noise(0.8 * x, 0.8 * y + 9.0, self.seed ^ 41) > 0.55 { 0.18 } else { 0.0 };
        let middle = (1.0 - 4.0 * ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5))).max(0.0);
        1.0 + self.wear * (0.09 * middle + scratch - 0.6 * stain)
    }

    fn border_at(&self, x: f32, y: f32, near: &mut Near) -> V3 {
        let beside = !(0.0..8.0).contains(&x);
        let (along, across, seed) = if beside { (y, x, self.seed ^ 9) } else { (x, y, self.seed ^ 8) };
        let grain = near.wood(along, across, self.grain, seed);
        if self.coordinates && self.glyph_at(x, y) { self.ink } else { self.border * grain }
    }

    /// Is there ink of a letter or digit at this point of the border?
    fn glyph_at(&self, x: f32, y: f32) -> bool {
        let size = (0.55 * self.edge).min(0.4);
        let pixel = size / 7.0;
        let (along, across, glyph, upside_down);
        if (0.0..8.0).contains(&x) {
            upside_down = y > 4.0;
            glyph = x as usize;
            along = x - x.floor() - 0.5;
            across = if upside_down { y - 8.0 - self.edge / 2.0 } else { y + self.edge / 2.0 };
        } else if (0.0..8.0).contains(&y) {
            upside_down = x > 4.0;
            glyph = 8 + y as usize;
            along = if upside_down { x - 8.0 - self.edge / 2.0 } else { x + self.edge / 2.0 };
            across = y - y.floor() - 0.5;
        } else {
            return false;
        }
        let (along, across) = if upside_down { (-along, -across) } else { (along, across) };
        // The dots melt into strokes: ink where the values between them pass one half.
        let (column, row) = (along / pixel + 2.0, 3.0 - across / pixel);
        let (c, r) = (column.floor(), row.floor());
        let (fx, fy) = (column - c, row - r);
        let dot = |c: f32, r: f32| {
            let inside = (0.0..5.0).contains(&c) && (0.0..7.0).contains(&r);
            f32::from(u8::from(inside && GLYPHS[glyph][r as usize] >> (4 - c as u8) & 1 == 1))
        };
        let top = dot(c, r) * (1.0 - fx) + dot(c + 1.0, r) * fx;
        let bottom = dot(c, r + 1.0) * (1.0 - fx) + dot(c + 1.0, r + 1.0) * fx;
        top * (1.0 - fy) + bottom * fy > 0.45
    }
}

/// The upper face of a board, and its sides.
pub(crate) trait Face: std::fmt::Debug + Send + Sync {
    /// Colour at a point (x, y) of the upper face, in linear light; `near` belongs to the row of samples.
    fn colour(&self, x: f32, y: f32, near: &mut Near) -> V3;
    /// Unit normal there.
    fn normal(&self, x: f32, y: f32) -> V3;
    /// Colour of the sides.
    fn side(&self) -> V3;
}

impl Face for Flat {
    fn colour(&self, x: f32, y: f32, near: &mut Near) -> V3 {
        let colour = if (0.0..8.0).contains(&x) && (0.0..8.0).contains(&y) {
            self.square_at(x, y, near)
        } else {
            self.border_at(x, y, near)
        };
        if self.gap > 0.0 && (y - 4.0).abs() < self.gap { colour * 0.25 } else { colour }
    }

    // Wrinkles catch the light.
    fn normal(&self, x: f32, y: f32) -> V3 {
        if self.wrinkles == 0.0 {
            return V3::z();
        }
        // Waves across the direction in which it was rolled, and a few dents.
        let height = |x: f32, y: f32| {
            0.5 * noise(0.28 * x, 1.1 * y + 0.2 * x, self.seed ^ 51) + 0.25 * noise(0.9 * x, 0.8 * y, self.seed ^ 53)
        };
        let step = 0.05;
        let slope = |dx: f32, dy: f32| (height(x + dx, y + dy) - height(x - dx, y - dy)) / (2.0 * step);
        // At most some 10 degrees.
        let strength = 0.25 * self.wrinkles;
        V3::new(-strength * slope(step, 0.0), -strength * slope(0.0, step), 1.0).normalize()
    }

    fn side(&self) -> V3 {
        self.border * 0.8
    }
}

/// a to h and 1 to 8 in five by seven dots, a row a byte.
const GLYPHS: [[u8; 7]; 16] = [
    [0, 0, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111],
    [0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b11110],
    [0, 0, 0b01110, 0b10001, 0b10000, 0b10001, 0b01110],
    [0b00001, 0b00001, 0b01111, 0b10001, 0b10001, 0b10001, 0b01111],
    [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
    [0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000],
    [0, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110],
    [0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
    [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a1_is_dark_and_squares_alternate() {
        let flat = Flat::new(&Scene::default(), 3);
        for file in 0..8 {
            for rank in 0..8 {
                let colour = flat.colour(file as f32 + 0.5, rank as f32 + 0.5, &mut Near::default());
                let is_light = (file + rank) % 2 == 1;
                assert_eq!(colour.sum() > 0.6, is_light, "file {file} rank {rank}: {colour}");
            }
        }
    }
}
