//! What the edges between cells show: the step from light to dark, or another one, or none.
//!
//! A man stands on the middle of his square: near its corners the board shows between the feet, on the outer ranks as
//! well. There the edge between two squares is a step from light to dark; beside the board it is none. The edges
//! between the outer squares and a frame of one colour have two steps by turns, which together make a whole one,
//! whatever the colour. So the edges tell where a board ends, though nobody knows what stands on it.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::{
    cells::{Colours, parity},
    geometry::ImagePoint,
    lattice::{Field, Node},
    lens::Lens,
};
use crate::frame::Frame;

/// Where an edge is looked at, from either end along it, in squares: beyond the blur of the next line, and before the
/// foot of a man (0.36 squares in radius) on either square.
const FROM_END: f64 = 0.17;
/// And to either side of it: past uneven cuts and thin lines between the squares.
const BESIDE: f64 = 0.14;
/// Half of the side of the patch that is averaged.
const HALF_PATCH: f64 = 0.05;
/// Neighbouring places tell partly the same: a shadow's edge, a man's foot and the grain lie over several.
const SHARE: f64 = 0.5;
/// Deviation of a step from what the squares' colours tell, in units of their distance: uneven light, grain, shadows.
const DEVIATION: f64 = 0.25;
/// Of none beside the board, where there is less to vary.
const NO_STEP: f64 = 0.15;
/// Of what men and shadows make of either.
const COVERED: f64 = 0.7;
/// Share of the edges on a board that men and shadows leave to be seen; half of the outer ones in the start position.
const SEEN: f64 = 0.65;
/// Of any step at all: no single one decides.
const LEAST_DENSITY: f64 = 0.02;
/// Steps from light squares to a frame that are tried: from frames much lighter to much darker than the squares.
const FRAMES: [f64; 17] =
    [-1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5];

/// The steps from each cell to the next one to the right (0) and below (1), near both ends of their edge: 1 as between
/// two squares, 0 none; as far as they lie in the picture.
pub(super) struct Steps(BTreeMap<Node, [Vec<f64>; 2]>);

impl Steps {
    /// Of the cells from `low` up to but without `high`.
    pub(super) fn new(
        frame: &Frame<'_>,
        matrix: &Matrix3<f64>,
        lens: Option<&Lens>,
        colours: &Colours,
        (low, high): (Node, Node),
    ) -> Self {
        let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
        let at = |x: f64, y: f64| {
            let p = matrix * Vector3::new(x, y, 1.0);
            let ideal = ImagePoint::new(p.x / p.z, p.y / p.z);
            let seen = lens.map_or(ideal, |lens| lens.distort(ideal));
            let inside = p.z > 1e-9 && (0.0..width - 1.0).contains(&seen.x) && (0.0..height - 1.0).contains(&seen.y);
            inside.then(|| frame.sample(seen.x, seen.y)).flatten().map(|rgb| Vector3::from(rgb.map(f64::from)))
        };
        let patch = |x: f64, y: f64| {
            let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
            let sum: Option<Vector3<f64>> =
                corners.iter().map(|(a, b)| at(x + a * HALF_PATCH, y + b * HALF_PATCH)).sum();
            sum.map(|s| s / 4.0)
        };
        let all = (low.1..high.1).flat_map(|j| (low.0..high.0).map(move |i| (i, j)));
        let expected: BTreeMap<Node, Vector3<f64>> = all.map(|n| (n, colours.expected(n))).collect();
        let steps = |n: Node, axis: usize| {
            let Some(next) = expected.get(&after(n, axis)) else { return Vec::new() };
            let whole = expected[&n] - next;
            let square = whole.norm_squared().max(1.0);
            let (x, y) = (f64::from(n.0), f64::from(n.1));
            let side = |beside: f64, along: f64| match axis {
                0 => patch(x + 1.0 + beside, y + along),
                _ => patch(x + along, y + 1.0 + beside),
            };
            let ends = [FROM_END, 1.0 - FROM_END].into_iter();
            let step = |along: f64| Some((side(-BESIDE, along)? - side(BESIDE, along)?).dot(&whole) / square);
            ends.filter_map(step).collect()
        };
        Self(expected.keys().map(|n| (*n, [0, 1].map(|axis| steps(*n, axis)))).collect())
    }

    /// Natural logarithm of how well the edges go with chequers on these cells alone: those between them, those of their
    /// border, and all others of the `region`. Against the mean of an edge on a board and one beside it.
    pub(super) fn score(&self, field: Field, region: Field) -> f64 {
        let mut score = 0.0;
        let mut borders: [Vec<(f64, usize)>; 4] = Default::default();
        for (n, of) in self.0.iter().filter(|(n, _)| region.holds(**n)) {
            for (axis, steps) in of.iter().enumerate() {
                let next = after(*n, axis);
                if !region.holds(next) {
                    continue;
                }
                match (field.holds(*n), field.holds(next)) {
                    (true, true) => score += sum(steps, |s| on_board(s).ln() - either(s)),
                    (false, false) => score += sum(steps, |s| beside(s).ln() - either(s)),
                    (inside, _) => {
                        let of_square = parity(if inside { *n } else { next });
                        borders[2 * axis + usize::from(inside)].extend(steps.iter().map(|s| (*s, of_square)));
                    }
                }
            }
        }
        score + borders.iter().map(|of| border(of)).sum::<f64>()
    }
}

/// The next cell to the right (axis 0) or below.
fn after(n: Node, axis: usize) -> Node {
    if axis == 0 { (n.0 + 1, n.1) } else { (n.0, n.1 + 1) }
}

fn sum(steps: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    SHARE * steps.iter().map(|s| of(*s)).sum::<f64>()
}

fn normal(off: f64, deviation: f64) -> f64 {
    (-0.5 * (off / deviation).powi(2)).exp() / deviation
}

/// Density of a step where `seen` is to be seen if nothing covers it.
fn of_seen(step: f64, seen: f64, deviation: f64) -> f64 {
    SEEN * normal(step - seen, deviation) + (1.0 - SEEN) * normal(step, COVERED) + LEAST_DENSITY
}

/// Of a step between two squares.
fn on_board(step: f64) -> f64 {
    of_seen(step, 1.0, DEVIATION)
}

/// Of one beside the board.
fn beside(step: f64) -> f64 {
    of_seen(step, 0.0, NO_STEP)
}

/// What all are weighed against: half of the logarithms of both.
fn either(step: f64) -> f64 {
    0.5 * (on_board(step) * beside(step)).ln()
}

/// The edges of one side of the board, each with the parity of its square, beside a frame of any one colour.
fn border(steps: &[(f64, usize)]) -> f64 {
    let under = |light: f64| {
        let of = |(step, parity): &(f64, usize)| {
            let seen = if *parity == 0 { light } else { 1.0 - light };
            of_seen(*step, seen, DEVIATION).ln() - either(*step)
        };
        SHARE * steps.iter().map(of).sum::<f64>()
    };
    let all = FRAMES.map(under);
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + (all.iter().map(|v| (v - most).exp()).sum::<f64>() / FRAMES.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps as a board shows them on a frame whose step from the light squares is `light`, with every `hidden`th
    /// covered.
    fn seen(board: Field, light: f64, hidden: usize) -> Steps {
        let step = |n: Node, next: Node| match (board.holds(n), board.holds(next)) {
            (true, true) => 1.0,
            (false, false) => 0.0,
            (inside, _) if parity(if inside { n } else { next }) == 0 => light,
            _ => 1.0 - light,
        };
        let mut count = 0;
        let mut of = |n: Node, axis: usize| {
            let one = |_: i32| {
                count += 1;
                if count % hidden == 0 { -0.6 } else { step(n, after(n, axis)) }
            };
            (0..2).map(one).collect()
        };
        Steps(board.grown(4).cells().map(|n| (n, [of(n, 0), of(n, 1)])).collect())
    }

    #[test]
    fn a_board_is_where_its_steps_begin_and_end_on_any_frame() {
        let board = Field::board((2, -1));
        for light in [-0.8, 0.0, 0.5, 1.0, 1.9] {
            for hidden in [2, 3, 1000] {
                let steps = seen(board, light, hidden);
                let score = |field: Field| steps.score(field, field.grown(1));
                for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (2, 0), (0, -3)] {
                    let other = Field::board((2 + dx, dy - 1));
                    assert!(score(board) > score(other) + 5.0, "frame {light}, every {hidden}th hidden, {dx} {dy}");
                }
                for fewer in board.shrunk() {
                    let apart = score(board) - steps.score(fewer, board.grown(1));
                    assert!(apart > 5.0, "frame {light}, every {hidden}th hidden, {fewer:?}: {apart}");
                }
            }
        }
    }

    #[test]
    fn one_step_decides_nothing() {
        for step in [-9.0, -1.0, 0.0, 0.5, 1.0, 2.0, 9.0] {
            let odds = (on_board(step) / beside(step)).ln();
            assert!(odds.abs() < 4.0, "{step}: {odds}");
        }
    }
}
