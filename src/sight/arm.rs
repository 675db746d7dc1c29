//! An arm that comes over the board's edge. Hands come from outside: what has changed around the board, from where the
//! picture or the raster ends to the board's edge, and goes on over the board from there, is none of its men, whatever its
//! colours are. Skin is often as pale as white men, or as dark as black ones.

use super::{
    appearance::is_same_surface,
    colour::Colour,
    coverage::{POINTS, POINTS_PER_SIDE},
    intruder::{Patches, SIDE, point, within},
    surroundings::{self, FIRST_INNER, INNER, LookAround, POINTS_AROUND, Ray},
};
use crate::frame::Stamp;

/// Points around the board that an arm covers at least: a square's worth. A king's head on the last rank, seen from 30°,
/// hides less; a child's wrist has more.
const LEAST: usize = surroundings::PER_SQUARE * surroundings::PER_SQUARE;
/// Of those so many are where the raster or the picture ends: half a square's.
const LEAST_AT_END: usize = surroundings::PER_SQUARE / 2;
/// Where more than this share of what is around has changed, it is another light, or the board is elsewhere.
const MOST: f64 = 0.6;
/// What has not moved for so long is no arm but a thing that was put down, or another light: people hold a man, or lean on the
/// table, for some seconds, and never quite still.
const THING_S: f64 = 10.0;
/// Points of the board that may lie between parts of an arm, and between it and the edge: the board's frame is narrow.
const GAP: usize = 2;
/// Points of the board to each of those around it, along a side.
const FINER: usize = POINTS_PER_SIDE / surroundings::PER_SQUARE;

/// Where arms are in a picture.
#[derive(Debug, Clone, Default)]
pub struct Arms {
    /// How each point around the board looks.
    rays: Vec<Ray>,
    /// The last colour of each point that had changed, and since when it has shown that.
    resting: Vec<(Colour, Stamp)>,
    /// Points around the board that arms cover.
    around: Vec<bool>,
    /// Points of the board that lie at its edge, beside an arm.
    edge: Vec<bool>,
    patches: Patches,
}

impl Arms {
    /// The points around the board that they cover.
    pub(super) fn around(&self) -> &[bool] {
        &self.around
    }

    /// Finds what crosses all that is seen around the board, from outside to its edge.
    pub(super) fn find(&mut self, look: &LookAround<'_>, stamp: Stamp) {
        self.see(look, stamp);
        let Self { rays, around, edge, patches, .. } = self;
        around.clear();
        around.resize(POINTS_AROUND, false);
        edge.clear();
        edge.resize(POINTS, false);
        let of = |how: Ray| rays.iter().filter(|ray| **ray == how).count();
        let changed = of(Ray::Changed);
        if changed < LEAST || changed as f64 > MOST * (POINTS_AROUND - of(Ray::Unseen)) as f64 {
            return;
        }
        let side = surroundings::SIDE;
        let ray = |k: usize| surroundings::index_at(k % side, k / side).map(|index| rays[index]);
        let is_end = |k: &&usize| {
            let last = |at: usize| at == 0 || at == side - 1;
            last(**k % side) || last(**k / side) || within(side, **k, 1).any(|near| ray(near) == Some(Ray::Unseen))
        };
        patches.each(
            side,
            1,
            |k| ray(k) == Some(Ray::Changed),
            |patch| {
                if patch.len() < LEAST || patch.iter().filter(is_end).count() < LEAST_AT_END {
                    return;
                }
                for k in patch {
                    if let Some(index) = surroundings::index_at(k % side, k / side) {
                        around[index] = true;
                    }
                    let on_board = within(side, *k, 1).filter(|near| ray(*near).is_none());
                    on_board.flat_map(|k| finer(k % side, k / side)).for_each(|index| edge[index] = true);
                }
            },
        );
    }

    /// How each point looks now; one that has shown the same for long shows a thing.
    fn see(&mut self, look: &LookAround<'_>, stamp: Stamp) {
        let Self { rays, resting, .. } = self;
        rays.clear();
        rays.extend((0..POINTS_AROUND).map(|index| look.ray(index)));
        resting.resize(POINTS_AROUND, ([f32::NAN; 3], stamp));
        for (index, ((colour, since), ray)) in resting.iter_mut().zip(rays).enumerate() {
            let now = if *ray == Ray::Changed { look.colours[index] } else { [f32::NAN; 3] };
            if !is_same_surface(&now, colour) {
                (*colour, *since) = (now, stamp);
            } else if stamp.since_s(*since) >= THING_S {
                *ray = Ray::AsBefore;
            }
        }
    }

    /// The points of the board that they cover, given which have changed, into `covered`: those that hang together with
    /// the edge where an arm comes over it, and those beside them.
    pub(super) fn reach(&self, changed: impl Fn(usize) -> bool, patches: &mut Patches, covered: &mut Vec<bool>) {
        covered.clear();
        covered.resize(POINTS, false);
        if !self.edge.contains(&true) {
            return;
        }
        let at_edge = |k: &usize| within(SIDE, *k, GAP).chain([*k]).any(|near| self.edge[point(near)]);
        patches.each(
            SIDE,
            GAP,
            |k| changed(point(k)),
            |patch| {
                if patch.iter().any(|k| at_edge(k)) {
                    for k in patch {
                        within(SIDE, *k, 1).chain([*k]).for_each(|near| covered[point(near)] = true);
                    }
                }
            },
        );
    }
}

/// The board's points at the place of one of the coarser raster's.
fn finer(x: usize, y: usize) -> impl Iterator<Item = usize> {
    let at = |k: usize| (k - FIRST_INNER) * FINER..(k - FIRST_INNER + 1) * FINER;
    debug_assert!((FIRST_INNER..FIRST_INNER + INNER).contains(&x) && (FIRST_INNER..FIRST_INNER + INNER).contains(&y));
    at(y).flat_map(move |y| at(x).map(move |x| point(y * SIDE + x)))
}
