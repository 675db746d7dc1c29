//! The men: Staunton solids, turned on a lathe except for the knight's head.
//!
//! Units are squares. Proportions follow the usual recommendation for tournament sets: a king as high as 1.7 to 1.8
//! squares, base diameters of 0.6 to 0.75 squares, heights in the order king, queen, bishop, knight, rook, pawn.

use shakmaty::Role;

use super::mesh::{Matter, Mesh, Station};
use crate::sim::math::{V3, length, sin_cos_f32};

/// Facets around a turned man: at 640×480 a base is about 40 pixels wide, so a facet is three pixels.
const AROUND: usize = 24;

/// Meshes of the six men. A man stands at the origin and faces +x.
#[derive(Debug, Clone)]
pub struct Men {
    meshes: [Mesh; 6],
}

impl Default for Men {
    fn default() -> Self {
        Self::new([1.0; 6])
    }
}

impl Men {
    /// Men so many times as tall as the standard set's, each kind by itself, the pawn first, as wide as they are there.
    #[must_use]
    pub fn new(heights: [f64; 6]) -> Self {
        let mut meshes = [pawn(), knight(), bishop(), rook(), queen(), king()];
        for (mesh, by) in meshes.iter_mut().zip(heights) {
            mesh.matter = Matter::Man;
            mesh.stretch(by as f32);
        }
        Self { meshes }
    }

    /// The mesh of a kind of man.
    #[must_use]
    pub fn mesh(&self, role: Role) -> &Mesh {
        &self.meshes[role as usize - 1]
    }

    /// Height in squares.
    #[must_use]
    pub fn height(&self, role: Role) -> f32 {
        self.mesh(role).extent()[1]
    }
}

/// Foot and stem, up to a neck of radius `neck` at height `top`.
fn stem(foot: f32, neck: f32, top: f32) -> Vec<Vec<[f32; 2]>> {
    vec![
        vec![[0.93 * foot, 0.0], [foot, 0.03], [foot, 0.09], [0.9 * foot, 0.13]],
        vec![
            [0.9 * foot, 0.13],
            [0.85 * foot, 0.2],
            [0.62 * foot, 0.2 + 0.12 * top],
            [neck + 0.06, 0.2 + 0.3 * top],
            [neck + 0.015, 0.75 * top],
            [neck, top],
        ],
    ]
}

/// A ring around the neck.
fn collar(neck: f32, wide: f32, low: f32, high: f32) -> Vec<[f32; 2]> {
    let middle = 0.5 * (low + high);
    vec![
        [neck, low],
        [0.92 * wide, 0.6 * low + 0.4 * middle],
        [wide, middle],
        [0.92 * wide, 0.6 * high + 0.4 * middle],
        [neck, high],
    ]
}

/// A ball from its lower neck up.
fn ball(radius: f32, centre: f32) -> Vec<[f32; 2]> {
    (2..=10)
        .map(|i| {
            let angle = std::f32::consts::PI * i as f32 / 10.0;
            let (sin, cos) = sin_cos_f32(angle);
            [radius * sin.max(0.0), centre - radius * cos]
        })
        .collect()
}

fn turned(profile: &[Vec<[f32; 2]>]) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.add_turned(profile, AROUND, |p, _| p);
    mesh
}

fn pawn() -> Mesh {
    let mut profile = stem(0.3, 0.095, 0.55);
    profile.push(collar(0.095, 0.18, 0.54, 0.62));
    profile.push(ball(0.155, 0.745));
    turned(&profile)
}

fn rook() -> Mesh {
    let mut profile = stem(0.335, 0.19, 0.68);
    profile.push(vec![[0.19, 0.68], [0.25, 0.7], [0.265, 0.74], [0.25, 0.77]]);
    profile.push(vec![[0.25, 0.77], [0.255, 0.92]]);
    profile.push(vec![[0.255, 0.92], [0.0, 0.92]]);
    let mut mesh = turned(&profile);
    // Six merlons on the wall.
    let (inner, outer, low, high) = (0.17, 0.255, 0.91, 1.04);
    for merlon in 0..6 {
        let at = |step: usize, r: f32, z: f32| {
            let angle = std::f32::consts::TAU * (merlon as f32 + 0.21 * step as f32) / 6.0;
            let (sin, cos) = sin_cos_f32(angle);
            V3::new(r * cos, r * sin, z)
        };
        for s in 0..3 {
            let mid = at(s, 1.0, 0.0) + at(s + 1, 1.0, 0.0);
            let out = mid.normalize();
            mesh.add_flat([at(s, outer, low), at(s + 1, outer, low), at(s + 1, outer, high), at(s, outer, high)], out);
            mesh.add_flat([at(s, inner, low), at(s + 1, inner, low), at(s + 1, inner, high), at(s, inner, high)], -out);
            mesh.add_flat(
                [at(s, inner, high), at(s + 1, inner, high), at(s + 1, outer, high), at(s, outer, high)],
                V3::z(),
            );
        }
        for (s, turn) in [(0, -1.0), (3, 1.0)] {
            let out = at(s, 1.0, 0.0);
            let face = V3::new(-out.y, out.x, 0.0) * turn;
            mesh.add_flat([at(s, inner, low), at(s, outer, low), at(s, outer, high), at(s, inner, high)], face);
        }
    }
    mesh
}

fn bishop() -> Mesh {
    let mut profile = stem(0.315, 0.1, 0.82);
    profile.push(collar(0.1, 0.2, 0.8, 0.89));
    profile.push(collar(0.1, 0.155, 0.88, 0.94));
    let mut mesh = turned(&profile);
    // The mitre, with a cut from the upper front downward.
    let mitre: Vec<[f32; 2]> = vec![
        [0.1, 0.94],
        [0.15, 1.0],
        [0.172, 1.06],
        [0.17, 1.1],
        [0.155, 1.15],
        [0.13, 1.2],
        [0.1, 1.24],
        [0.06, 1.28],
        [0.03, 1.3],
    ];
    mesh.add_turned(&[mitre], 32, |p, _| {
        let across = (p.x - 0.02) * 0.75 - (p.z - 1.16) * 0.66;
        let cut = if p.x > 0.0 && p.z > 1.08 { (1.0 - (across / 0.035).abs()).max(0.0) } else { 0.0 };
        V3::new(p.x * (1.0 - 0.55 * cut), p.y * (1.0 - 0.35 * cut), p.z - 0.02 * cut)
    });
    mesh.add_turned(&[ball(0.045, 1.33)], 12, |p, _| p);
    mesh
}

fn queen() -> Mesh {
    let mut profile = stem(0.35, 0.115, 1.02);
    profile.push(collar(0.115, 0.23, 1.0, 1.1));
    profile.push(collar(0.115, 0.175, 1.09, 1.15));
    let mut mesh = turned(&profile);
    let crown = vec![
        vec![[0.115, 1.14], [0.14, 1.24], [0.18, 1.34], [0.24, 1.45]],
        vec![[0.24, 1.45], [0.2, 1.46], [0.17, 1.41], [0.09, 1.42], [0.05, 1.44]],
    ];
    mesh.add_turned(&crown, 32, |p, angle| {
        let rim = ((p.z - 1.36) / 0.09).clamp(0.0, 1.0) * ((length(p.x, p.y) - 0.1) / 0.1).clamp(0.0, 1.0);
        let wave = sin_cos_f32(8.0 * angle).1 * rim;
        V3::new(p.x * (1.0 + 0.05 * wave), p.y * (1.0 + 0.05 * wave), p.z + 0.035 * wave)
    });
    mesh.add_turned(&[ball(0.07, 1.49)], 16, |p, _| p);
    mesh
}

fn king() -> Mesh {
    let mut profile = stem(0.365, 0.125, 1.1);
    profile.push(collar(0.125, 0.25, 1.08, 1.18));
    profile.push(collar(0.125, 0.19, 1.17, 1.24));
    profile.push(vec![[0.12, 1.23], [0.145, 1.33], [0.185, 1.43], [0.225, 1.5]]);
    profile.push(vec![[0.225, 1.5], [0.2, 1.54], [0.12, 1.58], [0.05, 1.6], [0.0, 1.605]]);
    let mut mesh = turned(&profile);
    // The cross stands across the view of the opponent.
    mesh.add_box(V3::new(-0.03, -0.032, 1.58), V3::new(0.03, 0.032, 1.8));
    mesh.add_box(V3::new(-0.029, -0.085, 1.67), V3::new(0.029, 0.085, 1.73));
    mesh
}

fn knight() -> Mesh {
    let mut profile = vec![stem(0.325, 0.2, 0.5).swap_remove(0)];
    profile.push(vec![[0.29, 0.13], [0.28, 0.18], [0.25, 0.22], [0.23, 0.24]]);
    profile.push(vec![[0.25, 0.24], [0.26, 0.27], [0.24, 0.3], [0.0, 0.31]]);
    let mut mesh = turned(&profile);
    // Neck and head: ellipses along a spine in the plane y = 0: x, z, tilt of the section, half depth, half width.
    let spine: [[f32; 5]; 14] = [
        [0.0, 0.28, 0.0, 0.22, 0.18],
        [-0.01, 0.38, 0.05, 0.235, 0.18],
        [-0.03, 0.5, 0.1, 0.225, 0.165],
        [-0.06, 0.64, 0.05, 0.21, 0.15],
        [-0.075, 0.78, -0.1, 0.205, 0.135],
        [-0.06, 0.91, -0.35, 0.205, 0.125],
        [-0.02, 1.01, -0.8, 0.2, 0.12],
        [0.05, 1.045, -1.3, 0.185, 0.115],
        [0.13, 1.02, -1.75, 0.165, 0.11],
        [0.21, 0.96, -2.05, 0.13, 0.1],
        [0.28, 0.89, -2.15, 0.105, 0.085],
        [0.335, 0.825, -2.2, 0.095, 0.08],
        [0.365, 0.785, -2.2, 0.08, 0.07],
        [0.38, 0.765, -2.2, 0.045, 0.04],
    ];
    let stations: Vec<Station> = spine
        .iter()
        .map(|&[x, z, tilt, depth, width]| Station {
            centre: V3::new(x, 0.0, z),
            a: V3::new(sin_cos_f32(tilt).1, 0.0, sin_cos_f32(tilt).0) * depth,
            b: V3::new(0.0, width, 0.0),
        })
        .collect();
    mesh.add_tube(&stations, 20);
    for side in [-1.0, 1.0] {
        mesh.add_capsule(V3::new(-0.05, 0.06 * side, 1.15), V3::new(-0.04, 0.075 * side, 1.27), [0.05, 0.014], 10);
    }
    // The mane: a ridge down the back of the neck.
    let mane: Vec<Station> = [[-0.03, 1.2], [-0.17, 1.12], [-0.25, 0.97], [-0.28, 0.78], [-0.27, 0.6], [-0.24, 0.42]]
        .iter()
        .map(|&[x, z]| Station { centre: V3::new(x, 0.0, z), a: V3::new(0.06, 0.0, 0.03), b: V3::new(0.0, 0.035, 0.0) })
        .collect();
    mesh.add_tube(&mane, 10);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taller_men_are_as_wide_and_their_sides_face_where_they_should() {
        let (ours, taller) = (Men::default(), Men::new([1.5; 6]));
        for role in Role::ALL {
            let ([wide, high], [as_wide, higher]) = (ours.mesh(role).extent(), taller.mesh(role).extent());
            assert!(wide == as_wide && (higher - 1.5 * high).abs() < 1e-5, "{role:?}");
            // What was at right angles to a side of a triangle still is.
            let mesh = taller.mesh(role);
            for (before, [a, b, _]) in ours.mesh(role).triangles.iter().zip(&mesh.triangles) {
                let along = |mesh: &Mesh| {
                    let [p, q] = [before[0], before[1]].map(|i| mesh.positions[i as usize]);
                    (q - p).dot(&mesh.normals[before[0] as usize])
                };
                assert_eq!([before[0], before[1]], [*a, *b]);
                assert!(along(ours.mesh(role)).abs() > 1e-4 || along(mesh).abs() < 1e-3, "{role:?}");
            }
        }
    }

    #[test]
    fn the_set_has_the_proportions_of_a_tournament_set() {
        let men = Men::default();
        let height = |role| men.height(role);
        assert!((1.7..=1.9).contains(&height(Role::King)));
        assert!((0.85..=0.95).contains(&height(Role::Pawn)));
        let order = [Role::King, Role::Queen, Role::Bishop, Role::Knight, Role::Rook, Role::Pawn];
        assert!(order.windows(2).all(|w| height(w[0]) > height(w[1])));
        for role in order {
            let mesh = men.mesh(role);
            let foot = mesh.positions.iter().filter(|p| p.z < 0.12).map(|p| p.x.hypot(p.y)).fold(0.0, f32::max);
            assert!((0.6..=0.75).contains(&(2.0 * foot)), "{role:?} stands on {} squares", 2.0 * foot);
            assert!(mesh.positions.iter().all(|p| p.z >= -1e-6));
            assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.positions.len()));
            assert!(mesh.normals.iter().all(|n| (n.norm() - 1.0).abs() < 1e-3));
        }
    }
}
