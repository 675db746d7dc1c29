//! What lies beside the board? Each player's bowl with his stones.

use std::sync::Arc;

use super::{GoScene, UNIT_M, stones::Stones, units};
use crate::{
    go::{Color, Size},
    sim::{
        dice::Dice,
        math::{self, V3},
        scene::linear,
        shape::{mesh::Mesh, thing::Thing},
    },
};

/// Facets around a bowl.
const AROUND: usize = 32;
/// Stones that are seen in a bowl.
const IN_BOWL: usize = 19;
/// Radius of a bowl, in metres.
const RADIUS_M: f64 = 0.066;
/// Height of the stones in it, in metres.
const FULL_M: f64 = 0.062;

/// Both bowls; the seed shifts them.
#[must_use]
pub(super) fn bowls(scene: &GoScene, size: Size, stones: &Stones, seed: u64) -> Vec<Thing> {
    if !scene.goban.bowls {
        return vec![];
    }
    let mut dice = Dice::new(seed, 0xb0);
    let floor = -units(scene.goban.thickness_mm) as f32;
    let half =
        |k: usize| 0.5 * f64::from(size.lines() - 1) * units(scene.goban.spacing_mm[k]) + units(scene.goban.margin_mm);
    let beside = half(0) + RADIUS_M / UNIT_M + 0.8;
    let mut things = vec![];
    // At each player's right hand; White sits at the lower side.
    for (color, side) in [(Color::White, 1.0), (Color::Black, -1.0)] {
        let mut near = |v: f64, by: f64| dice.between(v - by, v + by);
        let at = [4.0 + side * near(beside, 0.3), 4.0 - side * near(0.55 * half(1), 0.5)].map(|v| v as f32);
        let at = V3::new(at[0], at[1], floor);
        let mut wood = Mesh::default();
        wood.add_turned(
            &[
                vec![[0.035, 0.0], [0.058, 0.012], [0.066, 0.04], [0.062, 0.066], [0.05, 0.082]],
                vec![[0.05, 0.082], [0.046, 0.082]],
                vec![[0.046, 0.082], [0.05, 0.062], [0.0, 0.055]],
            ],
            AROUND,
            |p, _| p,
        );
        things.push(Thing {
            mesh: Arc::new(wood),
            at,
            turn_rad: 0.0,
            scale: (1.0 / UNIT_M) as f32,
            colour: linear([118, 66, 38]),
            gloss: 0.3,
            glass: 0.0,
        });
        for i in 0..IN_BOWL {
            // A sunflower of stones.
            let out = 0.034 * (i as f64 / IN_BOWL as f64).sqrt() / UNIT_M;
            let (sin, cos) = math::sin_cos(2.4 * i as f64 + dice.between(0.0, 0.4));
            let up = (FULL_M + dice.between(-0.006, 0.002)) / UNIT_M;
            things.push(stones.loose(color, at + V3::new((out * cos) as f32, (out * sin) as f32, up as f32)));
        }
    }
    things
}
