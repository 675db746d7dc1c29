//! Where does each stone lie, and what shape has it?
//!
//! Stones are a little wider than the lines are apart, so neighbours touch: whoever is put down beside others makes its own
//! room and pushes them a little.

use std::sync::Arc;

use super::{GoScene, units};
use crate::{
    go::{Color, Point, Size},
    sim::{
        dice::Dice,
        math::{self, V3},
        scene::linear,
        shape::{
            mesh::{Matter, Mesh},
            thing::Thing,
        },
    },
};

/// Facets around a stone: at 720p one is some 30 pixels wide, so a facet is three pixels.
const AROUND: usize = 28;
/// Rings from a stone's foot to its top.
const RINGS: usize = 14;
/// Shape of a stone's section: 0.5 an ellipse, 1 a parabola with a sharp rim. Real ones lie between.
const BEVEL: f64 = 0.62;
/// Rounds in which stones push each other apart.
const ROUNDS: usize = 40;
/// Stones that overlap by less than this lie still, in millimetres: nobody sees it, and what lies still is not drawn again.
const TOUCH_MM: f64 = 0.1;
/// Nobody puts a stone further off than so many deviations: it is put right at once.
const MOST_OFF: f64 = 2.6;

/// A stone on the board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stone {
    /// Whose it is.
    pub color: Color,
    /// Where it lies from its crossing, to the right and down, in millimetres.
    pub off_mm: [f64; 2],
    /// Its brightness against its colour's mean.
    tone: f64,
}

/// The stones on a board, and how they look.
#[derive(Debug, Clone)]
pub struct Stones {
    size: Size,
    stones: Vec<Option<Stone>>,
    dice: Dice,
    spacing_mm: [f64; 2],
    radius_mm: [f64; 2],
    height_mm: f64,
    off_mm: f64,
    unlike: f64,
    mesh: Arc<Mesh>,
    colours: [V3; 2],
    gloss: [f64; 2],
}

impl Stones {
    /// An empty board of a scene; `seed` decides how stones are put down.
    #[must_use]
    pub fn new(scene: &GoScene, size: Size, seed: u64) -> Self {
        let look = &scene.stones;
        Self {
            size,
            stones: vec![None; size.count()],
            dice: Dice::new(seed, 0x570),
            spacing_mm: scene.goban.spacing_mm,
            radius_mm: look.diameter_mm.map(|d| 0.5 * d),
            height_mm: look.height_mm,
            off_mm: look.off_mm,
            unlike: look.unlike,
            mesh: Arc::new(lens(look.height_mm / look.diameter_mm[0])),
            colours: [linear(look.black), linear(look.white)],
            gloss: look.gloss,
        }
    }

    /// The stone on a crossing.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<Stone> {
        self.stones[self.size.index(point)]
    }

    /// Puts a stone down; its neighbours make room.
    pub fn put(&mut self, point: Point, color: Color) {
        let off_mm = [0, 1].map(|_| self.off_mm * self.normal());
        let tone = 1.0 + self.dice.between(-self.unlike, self.unlike);
        self.stones[self.size.index(point)] = Some(Stone { color, off_mm, tone });
        self.jostle();
    }

    /// Takes a stone off the board.
    pub fn take(&mut self, point: Point) -> Option<Stone> {
        self.stones[self.size.index(point)].take()
    }

    /// A normal deviate that is not extreme.
    fn normal(&mut self) -> f64 {
        // Box and Muller, "A note on the generation of random normal deviates", 1958.
        let (u, v) = (1.0 - self.dice.unit(), self.dice.unit());
        let deviate = (-2.0 * math::ln(u)).sqrt() * math::cos(std::f64::consts::TAU * v);
        deviate.clamp(-MOST_OFF, MOST_OFF)
    }

    /// Stones that overlap push each other apart.
    fn jostle(&mut self) {
        for _ in 0..ROUNDS {
            let mut most = 0.0f64;
            for point in self.size.points() {
                for (dx, dy) in [(1i8, 0i8), (0, 1), (1, 1), (-1, 1)] {
                    let other = Point::new(point.x.wrapping_add_signed(dx), point.y.wrapping_add_signed(dy));
                    if self.size.has(other) {
                        most = most.max(self.part(point, other));
                    }
                }
            }
            if most < TOUCH_MM {
                return;
            }
        }
    }

    /// Pushes two stones apart by what they overlap; returns that, in millimetres.
    fn part(&mut self, a: Point, b: Point) -> f64 {
        let (i, j) = (self.size.index(a), self.size.index(b));
        let (Some(one), Some(two)) = (self.stones[i], self.stones[j]) else { return 0.0 };
        let way = |k: usize, from: u8, to: u8| {
            (f64::from(to) - f64::from(from)) * self.spacing_mm[k] + two.off_mm[k] - one.off_mm[k]
        };
        let (x, y) = (way(0, a.x, b.x), way(1, a.y, b.y));
        let apart = (x * x + y * y).sqrt().max(1e-6);
        let overlap = self.radius_mm[one.color as usize] + self.radius_mm[two.color as usize] - apart;
        if overlap < TOUCH_MM {
            return 0.0;
        }
        let push = [x, y].map(|v| 0.5 * overlap * v / apart);
        for (index, sign) in [(i, -1.0), (j, 1.0)] {
            if let Some(stone) = &mut self.stones[index] {
                (0..2).for_each(|k| stone.off_mm[k] += sign * push[k]);
            }
        }
        overlap
    }

    /// Every stone as a thing of the world, row by row.
    #[must_use]
    pub(crate) fn things(&self) -> Vec<Thing> {
        let there = |point: Point| Some(self.thing(self.at(point)?, self.world(point, self.at(point)?.off_mm)));
        self.size.points().filter_map(there).collect()
    }

    /// A stone of a colour somewhere in the world.
    #[must_use]
    pub(super) fn loose(&self, color: Color, at: V3) -> Thing {
        self.thing(Stone { color, off_mm: [0.0; 2], tone: 1.0 }, at)
    }

    fn thing(&self, stone: Stone, at: V3) -> Thing {
        let k = stone.color as usize;
        Thing {
            mesh: self.mesh.clone(),
            at,
            turn_rad: 0.0,
            scale: units(2.0 * self.radius_mm[k]) as f32,
            colour: self.colours[k] * stone.tone as f32,
            gloss: self.gloss[k] as f32,
            glass: 0.0,
        }
    }

    /// The world's point on the board's face beside a crossing.
    #[must_use]
    pub(crate) fn world(&self, point: Point, off_mm: [f64; 2]) -> V3 {
        let middle = 0.5 * f64::from(self.size.lines() - 1);
        let mm = [
            (f64::from(point.x) - middle) * self.spacing_mm[0] + off_mm[0],
            (f64::from(point.y) - middle) * self.spacing_mm[1] + off_mm[1],
        ];
        V3::new((4.0 + units(mm[0])) as f32, (4.0 - units(mm[1])) as f32, 0.0)
    }

    /// Height of a stone in units of the world.
    #[must_use]
    pub fn height(&self) -> f32 {
        units(self.height_mm) as f32
    }
}

/// A lens of diameter 1 that lies on the board.
fn lens(height: f64) -> Mesh {
    let ring = |i: usize| -> Vec<V3> {
        let angle = std::f64::consts::PI * (i as f64 / RINGS as f64 - 0.5);
        let (up, out) = math::sin_cos(angle);
        // Rings close together at the rim, where the section bends most.
        let z = 0.5 * height * up.signum() * math::pow((1.0 - out * out).max(0.0), BEVEL);
        let around = |j: usize| {
            let (sin, cos) = math::sin_cos(std::f64::consts::TAU * j as f64 / AROUND as f64);
            V3::new((0.5 * out * cos) as f32, (0.5 * out * sin) as f32, (z + 0.5 * height) as f32)
        };
        (0..AROUND).map(around).collect()
    };
    let mut mesh = Mesh { matter: Matter::Stone, ..Mesh::default() };
    mesh.add_rings(&(0..=RINGS).map(ring).collect::<Vec<_>>());
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stone_is_a_lens_with_outward_normals() {
        let mesh = lens(0.4);
        let [reach, top] = mesh.extent();
        assert!((reach - 0.5).abs() < 1e-3 && (top - 0.4).abs() < 1e-3);
        let centre = V3::new(0.0, 0.0, 0.2);
        assert!(mesh.positions.iter().zip(&mesh.normals).all(|(p, n)| (p - centre).dot(n) > 0.0));
    }

    #[test]
    fn neighbours_touch_and_do_not_overlap() {
        let scene = GoScene::default();
        let size = Size::USUAL;
        let mut stones = Stones::new(&scene, size, 5);
        for (i, point) in size.points().enumerate().filter(|(i, _)| i % 3 != 0) {
            stones.put(point, if i % 2 == 0 { Color::Black } else { Color::White });
        }
        let mut off = 0.0f64;
        for point in size.points() {
            let Some(one) = stones.at(point) else { continue };
            off = off.max(one.off_mm[0].hypot(one.off_mm[1]));
            for other in size.next_to(point) {
                let Some(two) = stones.at(other) else { continue };
                let way = stones.world(other, two.off_mm) - stones.world(point, one.off_mm);
                let touching = stones.radius_mm[one.color as usize] + stones.radius_mm[two.color as usize];
                assert!(f64::from(way.norm()) > units(touching) - 0.01, "{point:?} and {other:?} overlap");
            }
        }
        assert!(off < 8.0, "a stone was pushed {off} mm away");
    }
}
