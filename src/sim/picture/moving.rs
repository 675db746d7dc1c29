//! Moving things over what stands: hands and what they hold, and their shadows.
//!
//! They are drawn anew for every picture of a film, so it matters how little of the picture they touch. The rectangles
//! around a forearm and its shadow hold much that neither reaches: of their tiles only those are kept in which a moving
//! thing is seen, or on whose surfaces its shadow can fall.

use super::{raster::Seen, solid::Solid, tiles::Tiles};
use crate::sim::{
    grid::Rect,
    light::{
        lamp::Lamp,
        shadow::{Bias, ShadowMap},
    },
    math::V3,
    shape::thing::Thing,
};

/// Moving things, and what of the picture they touch.
#[derive(Debug)]
pub(super) struct Moving {
    size: [usize; 2],
    solids: Vec<Solid>,
    /// Of no size until something moves: still pictures need none.
    seen: Seen,
    /// Their shadows alone, for each lamp; none until something moves.
    pub shadows: Vec<ShadowMap>,
    /// What they and their shadows touch.
    pub tiles: Tiles,
    bias: Bias,
}

impl Moving {
    /// Nothing moves in a picture of a size in samples.
    #[must_use]
    pub fn new(size: [usize; 2], bias: Bias) -> Self {
        Self { size, solids: vec![], seen: Seen::new([0, 0]), shadows: vec![], tiles: Tiles::new(size), bias }
    }

    /// Does nothing move?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// Other things move now. All tiles are marked that they may touch.
    pub(super) fn restock(&mut self, solids: Vec<Solid>, lamps: &[Lamp]) {
        if self.shadows.is_empty() {
            self.shadows = lamps.iter().map(|lamp| ShadowMap::new(*lamp, self.bias)).collect();
            self.seen = Seen::new(self.size);
        }
        let before = std::mem::replace(&mut self.solids, solids);
        for (lamp, map) in self.shadows.iter_mut().enumerate() {
            before.iter().for_each(|s| map.clear(s.cast_rect(lamp)));
            self.solids.iter().for_each(|s| s.cast(map, lamp, s.cast_rect(lamp)));
            map.finish();
        }
        self.tiles.clear();
        self.solids.iter().flat_map(|s| s.own.iter().chain(&s.shadows)).for_each(|rect| self.tiles.mark(*rect));
        for rect in self.tiles.rects() {
            self.seen.clear(rect);
            for (number, solid) in self.solids.iter().enumerate() {
                solid.draw(&mut self.seen, number as u16, rect);
            }
        }
    }

    /// Takes the marks from tiles that they do not touch. `around` tells the box of what stands in a tile.
    pub(crate) fn thin_out(&mut self, mut around: impl FnMut(usize, Rect) -> [V3; 2]) {
        let tiles: Vec<(usize, Rect)> = self.tiles.marked().collect();
        for (tile, rect) in tiles {
            let mut rows = (rect.low[1]..rect.high[1]).map(|y| y * self.size[0] + rect.low[0]);
            let wide = rect.high[0] - rect.low[0];
            let is_seen = rows.any(|from| self.seen.thing[from..from + wide].iter().any(|number| *number != 0));
            if !is_seen && !self.shadows.iter().any(|map| map.may_shade(around(tile, rect))) {
                self.tiles.unmark(tile);
            }
        }
    }

    /// The moving thing that a sample shows, one over its depth, and its normal there.
    #[must_use]
    pub fn at(&self, sample: usize) -> Option<(&Thing, f32, V3)> {
        let number = usize::from(self.seen.thing[sample]).checked_sub(1)?;
        Some((&self.solids[number].thing, self.seen.near[sample], self.seen.normal[sample]))
    }
}
