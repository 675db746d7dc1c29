//! A right hand with its forearm, holding a man between thumb and two fingers.
//!
//! Lengths are those of a grown-up's hand, in metres: 0.19 from wrist to fingertip, 0.085 across, a forearm of 0.25.

use std::sync::Arc;

use shakmaty::Color;

use super::{
    mesh::{Mesh, Station},
    thing::Thing,
};
use crate::sim::{
    math::V3,
    scene::{Scene, linear},
};

/// Facets around a finger or an arm.
const AROUND: usize = 12;

/// A hand at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hand {
    /// Where thumb and fingers meet, in squares.
    pub tip: V3,
    /// Where the player's shoulder is, in squares.
    pub(crate) shoulder: V3,
    /// Whose hand it is.
    pub player: Color,
    /// How far it is laid down: 0 holds, 1 rests with its heel on what it lies on.
    pub low: f32,
}

/// How high a hand that rests is against one that holds.
const LAID: f32 = 0.5;

/// Where a player's shoulder is, in squares of the table: a little to the right of the middle of his side.
#[must_use]
pub(crate) fn shoulder(player: Color) -> V3 {
    match player {
        Color::White => V3::new(6.2, -8.0, 6.0),
        Color::Black => V3::new(1.8, 16.0, 6.0),
    }
}

impl Hand {
    /// Skin and sleeve as solids.
    #[must_use]
    pub(crate) fn things(&self, scene: &Scene) -> Vec<Thing> {
        let squares = (scene.hand.scale / scene.board.square_size_m) as f32;
        let back = self.tip - self.shoulder;
        let on = V3::new(back.x, back.y, 0.0).try_normalize(1e-3).unwrap_or_else(V3::y);
        let axes = Axes { on, right: on.cross(&V3::z()), up: 1.0 - (1.0 - LAID) * self.low, squares };
        let knuckles = axes.from(self.tip, -0.052, 0.006, 0.074);
        let wrist = axes.from(knuckles, -0.078, 0.006, 0.016);
        let elbow = axes.from(wrist, -0.235, 0.05, 0.045);

        let mut skin = Mesh::default();
        skin.add_tube(&palm(&axes, wrist, knuckles), 16);
        for (number, joints) in fingers(&axes, self.tip, wrist, knuckles).iter().enumerate() {
            let thick = if number == 4 { 0.0115 } else { 0.0098 - 0.0006 * (number as f32 - 1.0).abs() };
            for (k, bone) in joints.windows(2).enumerate() {
                let radius = |k: usize| thick * (1.0 - 0.08 * k as f32) * squares;
                skin.add_capsule(bone[0], bone[1], [radius(k), radius(k + 1)], AROUND);
            }
        }
        let forearm = elbow - wrist;
        skin.add_capsule(wrist, wrist + forearm * 0.4, [0.026 * squares, 0.032 * squares], AROUND);

        let mut sleeve = Mesh::default();
        sleeve.add_capsule(wrist + forearm * 0.3, elbow, [0.04 * squares, 0.055 * squares], 16);
        let behind = axes.from(elbow, -0.2, 0.02, 0.12);
        sleeve.add_capsule(elbow, behind, [0.055 * squares, 0.07 * squares], 16);

        let hand = &scene.hand;
        let (skin_colour, sleeve_colour) = match self.player {
            Color::White => (hand.skin_white, hand.sleeve_white),
            Color::Black => (hand.skin_black, hand.sleeve_black),
        };
        let thing = |mesh: Mesh, colour, gloss| Thing {
            mesh: Arc::new(mesh),
            at: V3::zeros(),
            turn_rad: 0.0,
            scale: 1.0,
            colour: linear(colour),
            gloss,
            glass: 0.0,
        };
        vec![thing(skin, skin_colour, 0.08), thing(sleeve, sleeve_colour, 0.0)]
    }
}

/// The hand's own directions.
struct Axes {
    on: V3,
    right: V3,
    /// How much of its height it has.
    up: f32,
    /// Squares in a metre.
    squares: f32,
}

impl Axes {
    /// A place of the hand: forward, to the right and up, in metres, from a given point in squares.
    fn from(&self, origin: V3, forward: f32, right: f32, up: f32) -> V3 {
        origin + (self.on * forward + self.right * right + V3::z() * (up * self.up)) * self.squares
    }
}

/// The palm, a flattened tube from the wrist to the knuckles.
fn palm(axes: &Axes, wrist: V3, knuckles: V3) -> Vec<Station> {
    let up = axes.right.cross(&(knuckles - wrist).normalize());
    let stations =
        [[-0.1, 0.027, 0.021], [0.15, 0.034, 0.02], [0.55, 0.043, 0.019], [0.9, 0.044, 0.016], [1.1, 0.038, 0.012]];
    let station = |[t, half_width, half_height]: [f32; 3]| Station {
        centre: wrist + (knuckles - wrist) * t,
        a: axes.right * (half_width * axes.squares),
        b: up * (half_height * axes.squares),
    };
    stations.into_iter().map(station).collect()
}

/// The joints of index, middle, ring and little finger and of the thumb.
fn fingers(axes: &Axes, tip: V3, wrist: V3, knuckles: V3) -> [[V3; 4]; 5] {
    let tip = |f, r, u| axes.from(tip, f, r, u);
    let knuckle = |r, f, u| axes.from(knuckles, f, r, u);
    [
        // Index and middle finger come down on the man, ring and little finger are drawn in.
        [knuckle(-0.03, 0.0, 0.0), tip(-0.012, -0.016, 0.05), tip(0.003, -0.011, 0.026), tip(0.006, -0.005, 0.002)],
        [knuckle(-0.009, 0.004, 0.002), tip(0.012, 0.006, 0.052), tip(0.02, 0.007, 0.027), tip(0.011, 0.006, 0.0)],
        [
            knuckle(0.012, 0.002, 0.0),
            knuckle(0.016, 0.038, -0.014),
            knuckle(0.016, 0.036, -0.038),
            knuckle(0.015, 0.018, -0.052),
        ],
        [
            knuckle(0.032, -0.006, -0.003),
            knuckle(0.037, 0.026, -0.014),
            knuckle(0.036, 0.024, -0.034),
            knuckle(0.033, 0.008, -0.045),
        ],
        [
            axes.from(wrist, 0.02, -0.03, -0.008),
            tip(-0.05, -0.036, 0.047),
            tip(-0.03, -0.025, 0.026),
            tip(-0.012, -0.008, 0.004),
        ],
    ]
}
