//! Where in the world is what a tile shows? Boxes around its points tell which shadows cannot fall on it.

use super::tiles::Tiles;
use crate::sim::{grid::Rect, math::V3};

/// Corners of a box around nothing.
const NOTHING: [V3; 2] = [
    V3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
    V3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
];

/// The lower and the upper corner of a box around the points of board, table and standing things that each tile shows, as
/// far as anybody asked.
#[derive(Debug)]
pub(super) struct Boxes {
    size: [usize; 2],
    around: Vec<Option<[V3; 2]>>,
}

impl Boxes {
    /// Of a picture of a size in samples.
    #[must_use]
    pub fn new(size: [usize; 2]) -> Self {
        Self { size, around: vec![None; Tiles::new(size).count()] }
    }

    /// The box of a tile at a place; `point` tells the point that a sample shows, if there is one.
    pub(crate) fn around(&mut self, tile: usize, rect: Rect, point: impl Fn(usize) -> Option<V3>) -> [V3; 2] {
        *self.around[tile].get_or_insert_with(|| {
            let row = |y: usize| y * self.size[0] + rect.low[0]..y * self.size[0] + rect.high[0];
            let points = (rect.low[1]..rect.high[1]).flat_map(row).filter_map(point);
            points.fold(NOTHING, |[low, high], p| [low.inf(&p), high.sup(&p)])
        })
    }

    /// What stands has changed in these tiles.
    pub fn forget(&mut self, tiles: &Tiles) {
        tiles.marked().for_each(|(tile, _)| self.around[tile] = None);
    }
}
