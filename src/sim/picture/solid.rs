//! A standing or moving thing as the camera and the lamps see it, prepared once and drawn often.

use super::{
    raster::{Seen, View},
    sieve::Sieve,
};
use crate::sim::{
    grid::Rect,
    light::{
        lamp::Lamp,
        occlusion,
        shadow::{Cast, ShadowMap},
    },
    math::V3,
    shape::thing::Thing,
};

/// A shadow's way from what casts it to the floor is cut into so many pieces, each with a rectangle around it.
const PIECES: usize = 4;

/// Corners as the camera sees them, with their world normals.
type Corners = Vec<([f32; 3], V3)>;

/// A prepared thing.
#[derive(Debug)]
pub(crate) struct Solid {
    /// What it is.
    pub thing: Thing,
    /// What of the picture it changes: itself, its mirror image, the dark around its foot. Samples.
    pub own: [Rect; 3],
    /// Around the ways of its shadows, generously: what of it they do not touch can be told by the lamps' maps.
    pub shadows: Vec<Rect>,
    corners: Corners,
    mirrored: Corners,
    /// Samples of the thing itself, and of its mirror image.
    rect: Rect,
    mirror_rect: Rect,
    casts: Vec<(Cast, Rect)>,
    /// What lets light through, where it is of glass.
    sieve: Option<Sieve>,
}

impl Solid {
    /// Prepares a thing; `mirror`: the board is glossy. `floor` is the height of the table.
    #[must_use]
    pub fn new(thing: &Thing, view: &View, maps: &[ShadowMap], lamps: &[Lamp], mirror: bool, floor: f32) -> Self {
        let world: Vec<(V3, V3)> = thing.corners().collect();
        let sieve = Sieve::new(thing.glass, view.centre - thing.at, thing.colour.x);
        let corners: Corners = world.iter().map(|&(p, n)| (view.project(p), n)).collect();
        let flip = |v: V3| V3::new(v.x, v.y, -v.z);
        // What stands on the table is beside the board.
        let mirrored: Corners = if mirror && thing.at.z >= 0.0 {
            // The normal stays the true one: the mirror shows the light on the true surface.
            world.iter().map(|&(p, n)| (view.project(flip(p)), n)).collect()
        } else {
            vec![]
        };
        let casts = maps
            .iter()
            .map(|map| {
                let cast = map.cast(world.iter().map(|c| c.0));
                let rect = map.rect(&cast);
                (cast, rect)
            })
            .collect();
        let (rect, mirror_rect) = (view.rect_of(&corners), view.rect_of(&mirrored));
        // What a foot darkens is a matter of its place alone, on the board or on the table beside it.
        let far = occlusion::foot(thing)[1] + 0.1;
        let foot = [(-far, -far), (-far, far), (far, -far), (far, far)]
            .map(|(x, y)| [thing.at.z, floor].map(|z| V3::new(thing.at.x + x, thing.at.y + y, z)));
        let own = [rect, mirror_rect, view.rect(foot.into_iter().flatten())];
        let mut shadows = vec![];
        for lamp in lamps {
            shadow_rects(&world, lamp, view, floor, &mut shadows);
        }
        Self { thing: thing.clone(), own, shadows, corners, mirrored, rect, mirror_rect, casts, sieve }
    }

    /// Draws what is within a rectangle of samples.
    pub fn draw(&self, seen: &mut Seen, number: u16, rect: Rect) {
        if rect.touches(&self.rect) {
            seen.draw(&self.corners, &self.thing.mesh.triangles, number, rect, self.sieve);
        }
    }

    /// Draws its mirror image in the board.
    pub(super) fn draw_mirrored(&self, seen: &mut Seen, number: u16, rect: Rect) {
        if rect.touches(&self.mirror_rect) {
            seen.draw(&self.mirrored, &self.thing.mesh.triangles, number, rect, self.sieve);
        }
    }

    /// What it covers in the map of a lamp.
    #[must_use]
    pub(super) fn cast_rect(&self, lamp: usize) -> Rect {
        self.casts[lamp].1
    }

    /// Draws it into the map of a lamp.
    pub(crate) fn cast(&self, map: &mut ShadowMap, lamp: usize, rect: Rect) {
        let (cast, own) = &self.casts[lamp];
        if rect.touches(own) {
            let shades = |x, y| self.sieve.is_none_or(|sieve| sieve.shades(x, y));
            map.draw(cast, &self.thing.mesh.triangles, rect, shades);
        }
    }
}

/// Rectangles around the way that a solid's shadow takes to the floor: it can fall on anything on that way.
fn shadow_rects(world: &[(V3, V3)], lamp: &Lamp, view: &View, floor: f32, reach: &mut Vec<Rect>) {
    let whole = Rect { low: [0, 0], high: view.size };
    // A box stands for many corners.
    let (mut low, mut high) = (V3::repeat(f32::INFINITY), V3::repeat(f32::NEG_INFINITY));
    for (p, _) in world {
        (low, high) = (low.inf(p), high.sup(p));
    }
    let boxed: [V3; 8] =
        std::array::from_fn(|i| V3::from_fn(|axis, _| if i >> axis & 1 == 0 { low[axis] } else { high[axis] }));
    let mut ways = Vec::with_capacity(8);
    for p in boxed {
        let Some(end) = lamp.shadow(p, floor) else {
            reach.push(whole);
            return;
        };
        ways.push((p, end - p));
    }
    // The widest filter of the map, seen aslant, and what the map's points lie off their surfaces.
    let margin = 0.36 / lamp.axis.z + 0.1;
    for piece in 0..PIECES {
        let ends = [piece, piece + 1].map(|k| k as f32 / PIECES as f32);
        let points = ways.iter().flat_map(|&(p, way)| ends.map(|t| p + way * t));
        let around = points.flat_map(|p| {
            [(-margin, -margin), (-margin, margin), (margin, -margin), (margin, margin)]
                .map(|(x, y)| V3::new(p.x + x, p.y + y, p.z))
        });
        reach.push(view.rect(around));
    }
}
