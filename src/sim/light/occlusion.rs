//! How much of the room's light reaches the board between the men.

use crate::sim::{
    math::{length, within},
    shape::{mesh::Matter, thing::Thing},
};

/// Beyond this distance a man's foot does not darken the board, in squares.
const OCCLUSION_REACH: f32 = 0.75;
/// Beyond this distance from its rim a stone does not darken the board, in its radii: it is less than half as high.
const STONE_REACH: f32 = 0.6;
/// The grid goes so many squares beyond the board on each side.
const MARGIN: f32 = 6.0;
/// Cells of the grid in a square, for men and for stones, which are smaller.
const FINE: [usize; 2] = [16, 48];

/// Share of the room that the board sees between the men's feet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occlusion {
    cells: Vec<f32>,
    /// Cells in a square.
    fine: f32,
    /// Cells along the grid's side.
    side: usize,
}

/// Radius of what a thing covers of the board, and how far from its middle it darkens it, in squares.
#[must_use]
pub fn foot(thing: &Thing) -> [f32; 2] {
    if thing.mesh.matter == Matter::Stone {
        let radius = thing.reach();
        // Its rim is over the board: the darkest place is under it.
        return [0.75 * radius, (1.0 + STONE_REACH) * radius];
    }
    [0.33 * thing.scale, OCCLUSION_REACH]
}

impl Occlusion {
    /// Of standing things.
    #[must_use]
    pub fn new<'a>(things: impl Iterator<Item = &'a Thing>) -> Self {
        let things: Vec<&Thing> = things.collect();
        let is_fine = things.iter().any(|thing| thing.mesh.matter == Matter::Stone);
        let fine = FINE[usize::from(is_fine)];
        let side = fine * (8 + 2 * MARGIN as usize);
        let (mut cells, fine) = (vec![1.0f32; side * side], fine as f32);
        for thing in things {
            let [foot, far] = foot(thing);
            let to_cell = |v: f32| (v + MARGIN) * fine;
            let (cx, cy) = (to_cell(thing.at.x), to_cell(thing.at.y));
            let reach = far * fine;
            let range =
                |c: f32| (c - reach).clamp(0.0, side as f32) as usize..(c + reach).clamp(0.0, side as f32) as usize;
            for y in range(cy) {
                for x in range(cx) {
                    let d = length(x as f32 + 0.5 - cx, y as f32 + 0.5 - cy) / fine;
                    let beyond = ((d - foot) / (far - foot)).clamp(0.0, 1.0);
                    cells[y * side + x] *= 1.0 - 0.5 * (1.0 - beyond) * (1.0 - beyond);
                }
            }
        }
        Self { cells, fine, side }
    }

    /// At a point of the board or the table.
    #[must_use]
    pub fn open(&self, x: f32, y: f32) -> f32 {
        let (x, y) = ((x + MARGIN) * self.fine - 0.5, (y + MARGIN) * self.fine - 0.5);
        let last = self.side.saturating_sub(1) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f32, y - j as f32);
        let at = |i: usize, j: usize| self.cells[j * self.side + i];
        within([[at(i, j), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1)]], fx, fy)
    }
}

/// How much of the room a thing's surface sees at a height: less near the board. Stones are as flat as the board itself.
#[must_use]
pub(crate) fn open_at(thing: &Thing, z: f32) -> f32 {
    let (least, height) =
        if thing.mesh.matter == Matter::Stone { (0.72, thing.mesh.extent()[1] * thing.scale) } else { (0.62, 0.5) };
    least + (1.0 - least) * ((z - thing.at.z) / height).clamp(0.0, 1.0)
}
