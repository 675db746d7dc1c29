//! How much of the room's light reaches the board between the men.

use crate::sim::{
    math::{length, within},
    shape::thing::Thing,
};

/// Beyond this distance a man's foot does not darken the board, in squares.
pub const OCCLUSION_REACH: f32 = 0.75;
/// Cells of the grid in a square.
const FINE: f32 = 16.0;
/// Cells along its side: the board and six squares on each side.
const SIDE: usize = 320;

/// Share of the room that the board sees between the men's feet.
#[derive(Debug, Clone, Default)]
pub struct Occlusion {
    cells: Vec<f32>,
}

impl Occlusion {
    /// Of standing things.
    #[must_use]
    pub fn new<'a>(things: impl Iterator<Item = &'a Thing>) -> Self {
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
                    let d = length(x as f32 + 0.5 - cx, y as f32 + 0.5 - cy) / FINE;
                    let beyond = ((d - foot) / (OCCLUSION_REACH - foot)).clamp(0.0, 1.0);
                    cells[y * SIDE + x] *= 1.0 - 0.5 * (1.0 - beyond) * (1.0 - beyond);
                }
            }
        }
        Self { cells }
    }

    /// At a point of the board or the table.
    #[must_use]
    pub fn open(&self, x: f32, y: f32) -> f32 {
        let (x, y) = ((x + 6.0) * FINE - 0.5, (y + 6.0) * FINE - 0.5);
        if !(x >= 0.0 && y >= 0.0 && x < (SIDE - 1) as f32 && y < (SIDE - 1) as f32) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f32, y - j as f32);
        let at = |i: usize, j: usize| self.cells[j * SIDE + i];
        within([[at(i, j), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1)]], fx, fy)
    }
}

/// How much of the room a man's surface sees at a height over its foot: less near the board.
#[must_use]
pub fn open_beside(height: f32) -> f32 {
    0.62 + 0.38 * (height / 0.5).clamp(0.0, 1.0)
}
