//! Triangle meshes: turned profiles, swept tubes, boxes.

use crate::sim::math::{V3, length, sin_cos_f32};

/// A surface of triangles with a normal at each corner.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Corners, in squares.
    pub positions: Vec<V3>,
    /// Unit normals at the corners.
    pub(crate) normals: Vec<V3>,
    /// Indices of corners.
    pub triangles: Vec<[u32; 3]>,
    /// What it is made of, as far as that can be seen.
    pub(crate) matter: Matter,
}

/// What a thing is made of, as far as that can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Matter {
    /// One colour all over.
    #[default]
    Plain,
    /// A man of chess: of wood with grain or of plastic, on a foot of felt.
    Man,
    /// A stone of Go: a lens that touches what it lies on in its middle only.
    Stone,
}

/// One cross-section of a tube: an ellipse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Station {
    /// Its centre.
    pub centre: V3,
    /// Its first half axis.
    pub a: V3,
    /// Its second half axis.
    pub b: V3,
}

impl Mesh {
    /// Adds closed rings of equal length, joined in order, with smooth normals.
    pub(crate) fn add_rings(&mut self, rings: &[Vec<V3>]) {
        let Some(n) = rings.first().map(Vec::len) else { return };
        let first = self.positions.len();
        for ring in rings {
            self.positions.extend(ring);
        }
        let mut normals = vec![V3::zeros(); self.positions.len() - first];
        for i in 0..rings.len() - 1 {
            for j in 0..n {
                let (a, b) = (i * n + j, i * n + (j + 1) % n);
                for t in [[a, b, a + n], [b, b + n, a + n]] {
                    let [p, q, r] = t.map(|k| self.positions[first + k]);
                    let normal = (q - p).cross(&(r - p));
                    for k in t {
                        normals[k] += normal;
                    }
                    if normal.norm_squared() > 0.0 {
                        self.triangles.push(t.map(|k| (first + k) as u32));
                    }
                }
            }
        }
        // All corners of a ring of no size are one point: they share one normal.
        for (ring, normals) in rings.iter().zip(normals.chunks_mut(n)) {
            if ring.iter().all(|p| (p - ring[0]).norm_squared() < 1e-12) {
                let sum = normals.iter().sum::<V3>();
                normals.fill(sum);
            }
        }
        self.normals.extend(normals.iter().map(|v| v.try_normalize(1e-20).unwrap_or_else(V3::z)));
    }

    /// Adds a solid of revolution about the z axis: pieces of profile (radius, height) from the bottom up, smooth in
    /// themselves and with an edge where two meet. `wave` changes a point of the surface, given its angle.
    pub(crate) fn add_turned(&mut self, profile: &[Vec<[f32; 2]>], around: usize, wave: impl Fn(V3, f32) -> V3) {
        for part in profile {
            let rings: Vec<Vec<V3>> = smooth(part, 3)
                .iter()
                .map(|&[r, z]| {
                    (0..around)
                        .map(|j| {
                            let angle = std::f32::consts::TAU * j as f32 / around as f32;
                            let (sin, cos) = sin_cos_f32(angle);
                            wave(V3::new(r * cos, r * sin, z), angle)
                        })
                        .collect()
                })
                .collect();
            self.add_rings(&rings);
        }
    }

    /// Adds a tube through ellipses, closed at both ends.
    pub(super) fn add_tube(&mut self, stations: &[Station], around: usize) {
        let ring = |s: &Station, size: f32| -> Vec<V3> {
            (0..around)
                .map(|j| {
                    let angle = std::f32::consts::TAU * j as f32 / around as f32;
                    let (sin, cos) = sin_cos_f32(angle);
                    s.centre + (s.a * cos + s.b * sin) * size
                })
                .collect()
        };
        let (Some(first), Some(last)) = (stations.first(), stations.last()) else { return };
        let mut rings = vec![ring(first, 0.0)];
        rings.extend(stations.iter().map(|s| ring(s, 1.0)));
        rings.push(ring(last, 0.0));
        self.add_rings(&rings);
    }

    /// Adds a tapered capsule: a round limb from `from` to `to` with a radius at each end.
    pub(super) fn add_capsule(&mut self, from: V3, to: V3, radius: [f32; 2], around: usize) {
        let axis = (to - from).try_normalize(1e-6).unwrap_or_else(V3::z);
        let side = if axis.z.abs() < 0.9 { axis.cross(&V3::z()) } else { axis.cross(&V3::x()) }.normalize();
        let other = axis.cross(&side);
        let station = |centre: V3, r: f32| Station { centre, a: side * r, b: other * r };
        // Round caps: rings at 30 degrees.
        let caps = [(1.0, 0.05f32), (0.866, 0.5), (0.5, 0.866), (0.0, 1.0)];
        let mut stations: Vec<Station> =
            caps.iter().map(|&(back, r)| station(from - axis * (back * radius[0]), r * radius[0])).collect();
        // Short pieces, so that one that comes too near to a camera takes little of the limb with it.
        stations.extend(
            [0.2f32, 0.4, 0.6, 0.8].map(|t| station(from + (to - from) * t, radius[0] + (radius[1] - radius[0]) * t)),
        );
        stations.extend(caps.iter().rev().map(|&(on, r)| station(to + axis * (on * radius[1]), r * radius[1])));
        self.add_tube(&stations, around);
    }

    /// Adds a box with flat sides.
    pub(super) fn add_box(&mut self, low: V3, high: V3) {
        for axis in 0..3 {
            for end in [low, high] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut corners = [end; 4];
                for (k, corner) in corners.iter_mut().enumerate() {
                    corner[axis] = end[axis];
                    corner[u] = if k == 1 || k == 2 { high[u] } else { low[u] };
                    corner[v] = if k >= 2 { high[v] } else { low[v] };
                }
                let mut normal = V3::zeros();
                normal[axis] = if end == high { 1.0 } else { -1.0 };
                self.add_flat(corners, normal);
            }
        }
    }

    /// Adds a flat four-sided face.
    pub(super) fn add_flat(&mut self, corners: [V3; 4], normal: V3) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.normals.extend([normal; 4]);
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    /// Greatest distance from the z axis, and greatest height.
    #[must_use]
    pub(crate) fn extent(&self) -> [f32; 2] {
        self.positions.iter().fold([0.0, 0.0], |[r, z], p| [r.max(length(p.x, p.y)), z.max(p.z)])
    }

    /// Makes it so many times as high, and no wider.
    pub(crate) fn stretch(&mut self, by: f32) {
        // A factor of one would round the normals anew, and with them every picture.
        if by == 1.0 {
            return;
        }
        self.positions.iter_mut().for_each(|p| p.z *= by);
        self.normals.iter_mut().for_each(|n| *n = V3::new(n.x, n.y, n.z / by).normalize());
    }
}

/// Catmull-Rom through points: `steps` pieces between each two.
fn smooth(points: &[[f32; 2]], steps: usize) -> Vec<[f32; 2]> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let at = |i: isize| points[i.clamp(0, points.len() as isize - 1) as usize];
    let mut out = vec![];
    for i in 0..points.len() as isize - 1 {
        let [p0, p1, p2, p3] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
        for s in 0..steps {
            let t = s as f32 / steps as f32;
            let spline = |k: usize| {
                let (a, b, c, d) = (p0[k], p1[k], p2[k], p3[k]);
                0.5 * (2.0 * b
                    + (c - a) * t
                    + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t
                    + (3.0 * b - a - 3.0 * c + d) * t * t * t)
            };
            out.push([spline(0).max(0.0), spline(1)]);
        }
    }
    out.push(at(points.len() as isize - 1));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_turned_solids_point_outward() {
        let mut ball = Mesh::default();
        let profile: Vec<[f32; 2]> = (0..=12)
            .map(|i| {
                let a = std::f32::consts::PI * i as f32 / 12.0;
                [a.sin(), -a.cos()]
            })
            .collect();
        ball.add_turned(&[profile], 24, |p, _| p);
        for (p, n) in ball.positions.iter().zip(&ball.normals) {
            assert!(p.dot(n) > 0.9, "{p} has the normal {n}");
        }
    }

    #[test]
    fn a_box_has_its_size_and_outward_normals() {
        let mut cube = Mesh::default();
        cube.add_box(V3::new(-1.0, -2.0, 0.0), V3::new(1.0, 2.0, 3.0));
        assert_eq!(cube.triangles.len(), 12);
        assert_eq!(cube.extent()[1], 3.0);
        let centre = V3::new(0.0, 0.0, 1.5);
        assert!(cube.positions.iter().zip(&cube.normals).all(|(p, n)| (p - centre).dot(n) > 0.9));
    }
}
