//! What else lies on a table where chess is played: a clock, a cup, a score sheet. All of it has edges, and none of it
//! is a board.

use std::sync::Arc;

use super::{
    mesh::{Mesh, Station},
    thing::Thing,
};
use crate::sim::{
    dice::Dice,
    math::V3,
    scene::{Scene, Srgb, linear},
};

/// Facets around round things.
const AROUND: usize = 28;

/// The things beside the board; the seed shifts and turns them.
#[must_use]
pub fn clutter(scene: &Scene, seed: u64) -> Vec<Thing> {
    if !scene.table.clutter {
        return vec![];
    }
    let mut dice = Dice::new(seed, 0xc1);
    // Lengths below are metres.
    let scale = 1.0 / scene.board.square_size_m as f32;
    let mut near = |v: f64, by: f64| dice.between(v - by, v + by) as f32;
    // Beyond two columns of captured men.
    let side = scene.board.border + 2.6;
    let mut things = vec![];
    let mut add = |mesh: Mesh, at: [f32; 2], turn_rad: f32, colour: Srgb, gloss: f32| {
        let at = V3::new(at[0], at[1], -scene.board.thickness as f32);
        things.push(Thing { mesh: Arc::new(mesh), at, turn_rad, scale, colour: linear(colour), gloss, glass: 0.0 });
    };

    let (at, turn) = ([near(-side - 0.8, 0.3), near(4.3, 0.5)], near(0.0, 0.15));
    let mut case = Mesh::default();
    case.add_box(V3::new(-0.03, -0.1, 0.0), V3::new(0.03, 0.1, 0.1));
    add(case, at, turn, [44, 34, 30], 0.3);
    let mut dials = Mesh::default();
    for y in [-0.047, 0.047] {
        let face = [0.0302, 0.032].map(|x| Station {
            centre: V3::new(x, y, 0.052),
            a: V3::new(0.0, 0.036, 0.0),
            b: V3::new(0.0, 0.0, 0.036),
        });
        dials.add_tube(&face, AROUND);
    }
    add(dials, at, turn, [214, 218, 212], 0.4);

    let at = [near(8.0 + side + 0.9, 0.4), near(9.2, 0.6)];
    let mut cup = Mesh::default();
    cup.add_turned(
        &[
            vec![[0.028, 0.0], [0.031, 0.004], [0.035, 0.03], [0.039, 0.09]],
            vec![[0.039, 0.09], [0.036, 0.09]],
            vec![[0.036, 0.09], [0.034, 0.075]],
        ],
        AROUND,
        |p, _| p,
    );
    add(cup, at, 0.0, [226, 226, 222], 0.5);
    let mut coffee = Mesh::default();
    coffee.add_turned(&[vec![[0.035, 0.078], [0.0, 0.078]]], AROUND, |p, _| p);
    add(coffee, at, 0.0, [46, 28, 18], 0.6);

    let (at, turn) = ([near(8.0 + side + 1.1, 0.3), near(1.6, 0.6)], near(0.0, 0.35));
    let mut sheet = Mesh::default();
    sheet.add_box(V3::new(-0.055, -0.1, 0.0), V3::new(0.055, 0.1, 0.0015));
    add(sheet, at, turn, [232, 230, 222], 0.02);
    let mut pen = Mesh::default();
    pen.add_capsule(V3::new(0.075, -0.06, 0.005), V3::new(0.062, 0.07, 0.005), [0.0045, 0.0045], 10);
    add(pen, at, turn, [30, 44, 130], 0.5);
    things
}
