//! Shapes and colours of the men of a scene, on their feet and fallen.

use std::sync::Arc;

use shakmaty::{Color, Piece, Role};

use super::{
    man::{Lean, Man, Stand},
    mesh::Mesh,
    pieces::Men,
    thing::Thing,
};
use crate::sim::{
    math::{self, V3},
    scene::{Scene, linear},
};

/// How far a man that is falling leans, in radians.
const FALLING_RAD: f32 = 0.8;
/// How far a man slips back on the board while it falls, as a share of its height.
const SLIP: f32 = 0.3;

/// Shapes and colours of the men.
#[derive(Debug)]
pub(crate) struct Wardrobe {
    men: Men,
    /// For each kind: upright, falling, lying.
    meshes: [[Arc<Mesh>; 3]; 6],
    colours: [V3; 2],
    scale: f32,
    gloss: f32,
    glass: [f32; 2],
}

impl Wardrobe {
    /// The men of a scene.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let men = Men::new(scene.men.heights);
        Self {
            meshes: Role::ALL.map(|role| {
                let mesh = men.mesh(role);
                let lying = lying_rad(mesh);
                [mesh.clone(), tipped(mesh, FALLING_RAD), tipped(mesh, lying)].map(Arc::new)
            }),
            men,
            colours: [linear(scene.men.black), linear(scene.men.white)],
            scale: scene.men.scale as f32,
            gloss: scene.men.gloss as f32,
            glass: [1, 0].map(|i| scene.men.glass[i] as f32),
        }
    }

    /// Height of a kind of man in squares.
    #[must_use]
    pub fn height(&self, role: Role) -> f32 {
        self.men.height(role) * self.scale
    }

    /// A man that stands or lies.
    #[must_use]
    pub fn standing(&self, man: &Man, stand: Stand) -> Thing {
        self.dress(man, stand.at, stand.turn_rad, stand.lean)
    }

    /// A man in the air.
    #[must_use]
    pub fn held(&self, man: &Man, at: V3, turn_rad: f32) -> Thing {
        self.dress(man, at, turn_rad, Lean::Upright)
    }

    fn dress(&self, man: &Man, at: V3, turn_rad: f32, lean: Lean) -> Thing {
        let Piece { color, role } = man.piece;
        Thing {
            mesh: self.meshes[role as usize - 1][lean as usize].clone(),
            at,
            turn_rad,
            scale: self.scale,
            colour: self.colours[usize::from(color == Color::White)] * man.tone,
            gloss: self.gloss,
            glass: self.glass[usize::from(color == Color::White)],
        }
    }
}

/// How far a man on its side leans: until something of it beside its foot touches the board.
fn lying_rad(mesh: &Mesh) -> f32 {
    let foot = mesh.positions.iter().filter(|p| p.z < 0.12).fold(0.0f32, |r, p| r.max(math::length(p.x, p.y)));
    // Seen from the foot's rim, the lowest line of sight to anything on the side that it falls to.
    let above = mesh.positions.iter().filter(|p| p.z > 0.3);
    let narrowing = above.map(|p| math::atan(f64::from((foot - p.x) / p.z)) as f32).fold(f32::INFINITY, f32::min);
    // Less than a right angle for a knight, whose nose reaches beyond its foot.
    std::f32::consts::FRAC_PI_2 + if narrowing.is_finite() { narrowing } else { 0.0 }
}

/// A man that leans towards +x, its lowest point on the board.
fn tipped(mesh: &Mesh, lean_rad: f32) -> Mesh {
    let (s, c) = math::sin_cos_f32(lean_rad);
    let tip = |v: &V3| V3::new(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
    let mut tipped = Mesh {
        positions: mesh.positions.iter().map(tip).collect(),
        normals: mesh.normals.iter().map(tip).collect(),
        triangles: mesh.triangles.clone(),
        matter: mesh.matter,
    };
    let low = tipped.positions.iter().fold(f32::INFINITY, |low, p| low.min(p.z));
    let shift = V3::new(-SLIP * mesh.extent()[1] * s, 0.0, -low);
    tipped.positions.iter_mut().for_each(|p| *p += shift);
    tipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_man_that_lies_rests_on_the_board_with_both_ends() {
        let men = Men::default();
        for role in Role::ALL {
            let mesh = men.mesh(role);
            let lying = tipped(mesh, lying_rad(mesh));
            let [_, height] = mesh.extent();
            let low = |from: f32, to: f32| {
                let ends = mesh.positions.iter().zip(&lying.positions);
                ends.filter(|(was, _)| (from..to).contains(&was.z)).fold(f32::INFINITY, |low, (_, p)| low.min(p.z))
            };
            assert!(low(0.0, 0.2) < 0.03, "{role:?}: the foot is {} above the board", low(0.0, 0.2));
            assert!(low(0.3, 2.0) < 0.05, "{role:?}: the head is {} above the board", low(0.3, 2.0));
            assert!(low(0.0, 2.0) > -1e-5);
            let top = lying.positions.iter().fold(0.0f32, |top, p| top.max(p.z));
            assert!(top < 0.8, "{role:?} lies {top} high");
            let reach = lying.positions.iter().fold(0.0f32, |far, p| far.max(p.x.hypot(p.y)));
            assert!(reach < height, "{role:?} lies {reach} away from its square");
        }
    }
}
