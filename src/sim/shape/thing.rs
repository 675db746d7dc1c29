//! A solid at a place, with its colour: what houses above this one draw.

use std::sync::Arc;

use super::mesh::Mesh;
use crate::sim::math::{self, V3};

/// A solid at a place.
#[derive(Debug, Clone)]
pub struct Thing {
    /// Its shape.
    pub mesh: Arc<Mesh>,
    /// Where its origin is, in squares.
    pub at: V3,
    /// Turn about the vertical, in radians, anticlockwise seen from above.
    pub(crate) turn_rad: f32,
    /// Size against the mesh.
    pub scale: f32,
    /// Colour in linear light.
    pub colour: V3,
    /// How much it mirrors the lamp, 0 to 1.
    pub gloss: f32,
    /// How much of what is behind it is seen through it, 0 to 1.
    pub glass: f32,
}

impl PartialEq for Thing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh)
            && self.at == other.at
            && self.turn_rad == other.turn_rad
            && self.scale == other.scale
            && self.colour == other.colour
            && self.gloss == other.gloss
            && self.glass == other.glass
    }
}

impl Thing {
    /// Every corner in world coordinates, with its normal.
    pub fn corners(&self) -> impl Iterator<Item = (V3, V3)> + '_ {
        let (s, c) = math::sin_cos_f32(self.turn_rad);
        let turn = move |v: &V3| V3::new(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
        self.mesh.positions.iter().zip(&self.mesh.normals).map(move |(p, n)| (turn(p) * self.scale + self.at, turn(n)))
    }

    /// Every corner in world coordinates.
    pub fn points(&self) -> impl Iterator<Item = V3> + '_ {
        self.corners().map(|(p, _)| p)
    }

    /// Greatest distance of anything of it from its origin, seen from above.
    #[must_use]
    pub(crate) fn reach(&self) -> f32 {
        self.mesh.positions.iter().fold(0.0f32, |far, p| far.max(math::length(p.x, p.y))) * self.scale
    }
}
