//! How has the board slipped on its table?
//!
//! Everything is told in the board's coordinates, in squares. The table's are those that the board had before anything
//! was knocked; lamps, players and what stands on the table keep theirs.

use super::math::{self, V3};

/// A rigid motion in the plane of the board: a turn, then a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slip {
    turn_rad: f64,
    sin: f64,
    cos: f64,
    shift: [f64; 2],
}

impl Slip {
    /// Nothing has moved.
    pub const NONE: Self = Self { turn_rad: 0.0, sin: 0.0, cos: 1.0, shift: [0.0; 2] };

    /// A turn about a point, anticlockwise seen from above, then a shift.
    #[must_use]
    pub fn new(turn_rad: f64, about: [f64; 2], shift: [f64; 2]) -> Self {
        let (sin, cos) = math::sin_cos(turn_rad);
        let turn = Self { turn_rad, sin, cos, shift: [0.0; 2] };
        let [x, y] = turn.at(about);
        Self { shift: [about[0] - x + shift[0], about[1] - y + shift[1]], ..turn }
    }

    /// Has nothing moved?
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// The turn, in radians, anticlockwise seen from above.
    #[must_use]
    pub(super) const fn turn_rad(&self) -> f64 {
        self.turn_rad
    }

    /// Where a point comes to.
    #[must_use]
    pub fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.cos * x - self.sin * y + self.shift[0], self.sin * x + self.cos * y + self.shift[1]]
    }

    /// Where a point comes to; it keeps its height.
    #[must_use]
    #[inline] // drawn with at every sample
    pub fn point(&self, p: V3) -> V3 {
        let (sin, cos) = (self.sin as f32, self.cos as f32);
        let [x, y] = self.shift.map(|v| v as f32);
        V3::new(cos * p.x - sin * p.y + x, sin * p.x + cos * p.y + y, p.z)
    }

    /// Where a direction comes to.
    #[must_use]
    pub(crate) fn direction(&self, v: V3) -> V3 {
        Self { shift: [0.0; 2], ..*self }.point(v)
    }

    /// This motion, and then another one.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let turn = Self::new(self.turn_rad + other.turn_rad, [0.0; 2], [0.0; 2]);
        Self { shift: other.at(self.shift), ..turn }
    }

    /// The motion that undoes it.
    #[must_use]
    pub(crate) fn inverse(&self) -> Self {
        let back = Self::new(-self.turn_rad, [0.0; 2], [0.0; 2]);
        let [x, y] = back.at(self.shift);
        Self { shift: [-x, -y], ..back }
    }
}

/// Where something on the table, of this radius, comes to when a board with a border of `edge` squares pushes it aside:
/// to the nearest place beside the board.
#[must_use]
pub fn pushed(at: V3, radius: f32, edge: f32) -> V3 {
    let (low, high) = (-edge - radius, 8.0 + edge + radius);
    let ways = [at.x - low, high - at.x, at.y - low, high - at.y];
    let (side, way) = ways.into_iter().enumerate().fold((0, f32::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
    if way <= 0.0 {
        return at;
    }
    at + [-V3::x(), V3::x(), -V3::y(), V3::y()][side] * way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_undone_and_follow_each_other() {
        let (a, b) = (Slip::new(0.7, [2.0, 5.0], [0.3, -1.0]), Slip::new(-2.1, [4.0, 4.0], [3.0, 0.5]));
        let near = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-12;
        for p in [[0.0, 0.0], [8.0, 8.0], [-3.0, 1.5]] {
            assert!(near(a.inverse().at(a.at(p)), p) && near(a.at(a.inverse().at(p)), p));
            assert!(near(a.then(&b).at(p), b.at(a.at(p))));
            assert!(!near(a.then(&b).at(p), b.then(&a).at(p)), "motions in the plane do not commute");
        }
        assert!(near(a.at([2.0, 5.0]), [2.3, 4.0]), "the point that it turns about is only shifted");
        assert!((a.then(&b).turn_rad() + 1.4).abs() < 1e-12);
    }

    #[test]
    fn what_lies_in_the_boards_way_is_pushed_to_its_edge() {
        let beside = V3::new(-1.0, 3.0, -0.3);
        assert_eq!(pushed(beside, 0.3, 0.5), beside);
        assert_eq!(pushed(beside, 0.8, 0.5), V3::new(-1.3, 3.0, -0.3));
        assert_eq!(pushed(V3::new(5.0, 8.0, -0.3), 1.0, 0.5), V3::new(5.0, 9.5, -0.3));
        assert_eq!(pushed(V3::new(12.0, 4.0, -0.3), 1.0, 0.5), V3::new(12.0, 4.0, -0.3));
    }

    #[test]
    fn no_motion_keeps_every_bit() {
        let p = V3::new(0.1, -7.3, 2.2);
        assert!(Slip::NONE.is_none() && Slip::NONE.point(p) == p && Slip::NONE.direction(p) == p);
        let quarter = Slip::new(std::f64::consts::FRAC_PI_2, [4.0, 4.0], [0.0, 0.0]);
        assert!((quarter.point(V3::new(8.0, 4.0, 1.0)) - V3::new(4.0, 8.0, 1.0)).norm() < 1e-5, "anticlockwise");
    }
}
