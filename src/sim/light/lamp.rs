//! A lamp in the scene: where its light comes from, and how much of it arrives.

use super::kelvin;
use crate::sim::{
    math::{self, V3},
    scene::Scene,
    slip::Slip,
};

/// The board's centre: lamps are measured from there.
const CENTRE: V3 = V3::new(4.0, 4.0, 0.0);
/// What comes nearer to a lamp than this, along its axis, casts no shadow: it would hide all of the light, in squares.
const TOO_NEAR: f32 = 0.4;

/// A lamp at a distance or, like the sun, far away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lamp {
    /// Unit vector from the board's centre towards it.
    pub axis: V3,
    /// Its distance from the board's centre, in squares; infinite: far away.
    pub distance: f32,
    /// Its light on a surface in the board's centre that faces it: red, green, blue.
    pub light: V3,
    /// Width of a shadow's edge over the distance that casts it.
    pub softness: f32,
}

impl Lamp {
    /// All lamps of a scene; the main lamp first.
    #[must_use]
    pub fn all(scene: &Scene) -> Vec<Self> {
        let light = &scene.light;
        let share = 1.0 - light.ambient as f32;
        let main = [(light.azimuth_deg, light.elevation_deg, light.distance_m, light.softness)];
        let others = scene.lamp.iter().map(|l| (l.azimuth_deg, l.elevation_deg, l.distance_m, l.softness));
        main.into_iter()
            .chain(others)
            .zip(kelvin::tints(scene))
            .map(|((azimuth_deg, elevation_deg, distance_m, softness), tint)| {
                let (up, flat) = math::sin_cos(elevation_deg.to_radians());
                let (sin, cos) = math::sin_cos(azimuth_deg.to_radians());
                let axis = V3::new((flat * sin) as f32, (-flat * cos) as f32, up as f32);
                let distance =
                    if distance_m > 0.0 { (distance_m / scene.board.square_size_m) as f32 } else { f32::INFINITY };
                // The board's centre is as bright under a low lamp as under a high one.
                Self { axis, distance, light: tint * (share / axis.z), softness: softness as f32 }
            })
            .collect()
    }

    /// The same lamp told by a board that has slipped on its table. Without a slip no bit changes.
    #[must_use]
    pub(crate) fn seen_from(&self, board_from_table: &Slip) -> Self {
        if board_from_table.is_none() {
            return *self;
        }
        if self.distance == f32::INFINITY {
            return Self { axis: board_from_table.direction(self.axis), ..*self };
        }
        let way = board_from_table.point(self.axis * self.distance + CENTRE) - CENTRE;
        let distance = way.norm().max(TOO_NEAR);
        let nearer = self.distance / distance;
        Self { axis: way / distance, distance, light: self.light * (nearer * nearer), ..*self }
    }

    /// Unit vector from a point towards the lamp, and its light there against the board's centre (inverse square law).
    #[must_use]
    pub fn at(&self, point: V3) -> (V3, f32) {
        if self.distance == f32::INFINITY {
            return (self.axis, 1.0);
        }
        let way = self.axis * self.distance + CENTRE - point;
        let square = way.norm_squared().max(0.1);
        (way / square.sqrt(), self.distance * self.distance / square)
    }

    /// How many times larger something appears to the lamp at a height towards it than in the board's centre; 0 beside
    /// and behind the lamp.
    #[must_use]
    pub(super) fn magnification(&self, high: f32) -> f32 {
        if self.distance == f32::INFINITY {
            1.0
        } else if self.distance - high < TOO_NEAR {
            0.0
        } else {
            self.distance / (self.distance - high)
        }
    }

    /// Where the shadow of a point falls on a plane of height `z`; nowhere for what is not below the lamp.
    #[must_use]
    pub(crate) fn shadow(&self, point: V3, z: f32) -> Option<V3> {
        let drop = (point.z - z).max(0.0);
        if self.distance == f32::INFINITY {
            return Some(point - self.axis * (drop / self.axis.z));
        }
        let lamp = self.axis * self.distance + CENTRE;
        let below = lamp.z - point.z;
        (below > TOO_NEAR).then(|| point + (point - lamp) * (drop / below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamp(distance_m: f64, elevation_deg: f64) -> Lamp {
        let mut scene = Scene::default();
        (scene.light.distance_m, scene.light.elevation_deg) = (distance_m, elevation_deg);
        Lamp::all(&scene)[0]
    }

    #[test]
    fn a_nearer_and_a_lower_lamp_cast_longer_shadows() {
        let length = |lamp: Lamp| {
            let foot = V3::new(7.0, 6.0, 0.0);
            (lamp.shadow(foot + V3::z() * 1.7, 0.0).unwrap() - foot).norm()
        };
        let lengths = [(0.0, 50.0), (2.0, 50.0), (1.0, 50.0)].map(|(d, e)| length(lamp(d, e)));
        assert!(lengths.windows(2).all(|w| w[0] < w[1]), "{lengths:?}");
        assert!((lengths[0] - 1.7 / 50.0f32.to_radians().tan()).abs() < 1e-4, "of a far lamp");
        assert!(length(lamp(1.0, 30.0)) > length(lamp(1.0, 50.0)));
    }

    #[test]
    fn a_board_that_slips_is_lit_by_the_same_lamp() {
        let slip = Slip::new(0.4, [1.0, 7.0], [2.0, -1.0]);
        for lamp in [lamp(1.1, 50.0), lamp(0.0, 35.0)] {
            let moved = lamp.seen_from(&slip);
            for p in [V3::new(4.0, 4.0, 0.0), V3::new(-1.0, 6.0, 1.2)] {
                let ((before, strength), (after, now)) = (lamp.at(p), moved.at(slip.point(p)));
                assert!((slip.direction(before) - after).norm() < 1e-5);
                let light = (lamp.light * strength - moved.light * now).norm();
                assert!(light < 1e-4, "{light}");
                let (a, b) = (lamp.shadow(p, -0.3).unwrap(), moved.shadow(slip.point(p), -0.3).unwrap());
                assert!((slip.point(a) - b).norm() < 1e-4);
            }
            assert_eq!(lamp.seen_from(&Slip::NONE), lamp);
        }
    }

    #[test]
    fn light_falls_with_the_square_of_the_distance() {
        let lamp = lamp(1.1, 90.0);
        let (towards, light) = lamp.at(V3::new(4.0, 4.0, 0.0));
        assert!((towards - V3::z()).norm() < 1e-5 && (light - 1.0).abs() < 1e-5);
        // 1.1 m are 20 squares; half way up the light is four times as strong, 20 squares aside half as strong.
        assert!((lamp.at(V3::new(4.0, 4.0, 10.0)).1 - 4.0).abs() < 1e-4);
        assert!((lamp.at(V3::new(24.0, 4.0, 0.0)).1 - 0.5).abs() < 1e-4);
        assert!(lamp.shadow(V3::new(4.0, 4.0, 20.5), 0.0).is_none());
    }
}
