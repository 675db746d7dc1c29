//! What is known of the camera's direction before the men are asked: its pose, as the board's four corners tell it.
//!
//! Heights show a direction only as far as men stand on the middles of their squares, all of one set, in soft light: men
//! 0.3 squares off their places once made a camera straight before White look from the side of the h-file. So the pose is a
//! prior, as sure as poses are, against what the men say. Where they say very much else, and the board shows no
//! perspective, the picture was warped to the squares before it came, and no pose is right.

use super::occlusion::{Heights, Parallax};

/// Cost of a lean that nothing asks for, per squared square: rows of men side by side leave the shift along the row
/// nearly free, and a long one explains everything a little better than it should.
const LEAN_PENALTY: f64 = 0.02;
/// Standard deviation of a pose's angle, in radians: corners are known to a fiftieth of a square, lenses roughly.
const POSE_SD_RAD: f64 = 0.04;
/// Standard deviation of men's heights against ours, as a part of them: sets differ.
const SETS: f64 = 0.1;
/// Standard deviation of a kind's height in a set that is not Staunton's, as a part of ours, beside that of the whole set.
const KINDS: f64 = 0.2;
/// ln of the odds for a set of Staunton's proportions: one in twenty has others. From that of the test recordings and renders which
/// gains most by other heights 2.4 nats are gained; with kinds drawn half of the way to one height, seen from 30°, 3.8.
const STAUNTON: f64 = 3.0;
/// Standard deviation of the camera's nearness as a part of it: that of the focal length.
const NEARNESS: f64 = 0.3;
/// Nobody's nearness is known better than this, in squares⁻¹.
const LEAST_NEARNESS: f64 = 0.01;
/// So many independent looks at heights the points of a picture are worth: a dozen for each man of a full board.
const LOOKS: f64 = 400.0;
/// Lean, in squares a square of height, up to which a pose may be that of a picture warped to the squares: there the four
/// of the test recordings are seen as from straight above within 0.035.
const WARPED_LEAN: f64 = 0.1;
/// What a warped picture has to gain, as a mean over its points, with all men on the board. The test recordings' gain 0.11
/// to 0.18, men 0.3 squares off their places 0.06 at most.
const WARPED: f64 = 0.07;
/// Men at the beginning of a game.
const ALL_MEN: f64 = 32.0;

/// What is expected of the camera's direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    /// Nothing but this direction, of which one would not stray without a reason.
    Near(Parallax),
    /// The camera's pose says so.
    Posed(Parallax),
}

impl Expected {
    /// What a direction loses by being another one, as a mean log-likelihood of a picture's points.
    #[must_use]
    pub(super) fn penalty(&self, direction: &Parallax) -> f64 {
        let found = direction.at_centre();
        let off = |from: &Parallax| {
            let expected = from.at_centre();
            [found[0] - expected[0], found[1] - expected[1]]
        };
        match self {
            Self::Near(near) => {
                let [x, y] = off(near);
                LEAN_PENALTY * (x * x + y * y)
            }
            Self::Posed(posed) => {
                let ([x, y], expected) = (off(posed), posed.at_centre());
                let lean = expected[0].hypot(expected[1]);
                let pose_sd = POSE_SD_RAD * (1.0 + lean * lean);
                // Along the lean men of other heights count as well.
                let along = if lean > 0.0 { (x * expected[0] + y * expected[1]) / lean } else { 0.0 };
                let across2 = x * x + y * y - along * along;
                let nearer = direction.inverse_height - posed.inverse_height;
                let nearness_sd = LEAST_NEARNESS.hypot(NEARNESS * posed.inverse_height);
                let deviations2 = along * along / (pose_sd * pose_sd + (SETS * lean).powi(2))
                    + across2 / (pose_sd * pose_sd)
                    + (nearer / nearness_sd).powi(2);
                0.5 * deviations2 / LOOKS
            }
        }
    }
}

/// What men of these heights lose by not being ours, where the set is not Staunton's, as a mean log-likelihood of a picture's
/// points.
#[must_use]
pub(super) fn heights_penalty(heights: &Heights) -> f64 {
    let deviations2: f64 = heights.iter().map(|by| ((by - 1.0) / KINDS).powi(2)).sum();
    0.5 * deviations2 / LOOKS
}

/// What other heights than ours have to gain for the set not to be Staunton's, as a mean log-likelihood of a picture's points.
#[must_use]
pub(super) const fn other_set_gain() -> f64 {
    STAUNTON / LOOKS
}

/// Can this be the pose of a picture that was warped to the squares before it came?
#[must_use]
pub(super) fn may_be_warped(posed: &Parallax) -> bool {
    let [x, y] = posed.at_centre();
    x.hypot(y) <= WARPED_LEAN
}

/// What another direction than the pose's has to gain for a picture with so many men to count as warped, as a mean
/// log-likelihood of its points.
#[must_use]
pub(super) fn warped_gain(men: usize) -> f64 {
    WARPED * men as f64 / ALL_MEN
}

/// A direction after the camera has turned from one to another.
#[must_use]
pub fn turned(direction: &Parallax, from: &Parallax, to: &Parallax) -> Parallax {
    Parallax {
        lean: std::array::from_fn(|i| direction.lean[i] + to.lean[i] - from.lean[i]),
        inverse_height: direction.inverse_height + to.inverse_height - from.inverse_height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSED: Parallax = Parallax { lean: [0.36, -0.44], inverse_height: 0.09 };

    /// The pose's direction, its lean at the centre changed by so much along it and across.
    fn off(along: f64, across: f64) -> Parallax {
        let [x, y] = POSED.at_centre();
        let lean = x.hypot(y);
        let by = [(along * x - across * y) / lean, (along * y + across * x) / lean];
        Parallax { lean: std::array::from_fn(|i| POSED.lean[i] + by[i]), ..POSED }
    }

    #[test]
    fn a_pose_costs_nothing_and_men_of_another_height_less_than_another_side() {
        let penalty = |direction: &Parallax| Expected::Posed(POSED).penalty(direction);
        assert!(penalty(&POSED).abs() < 1e-12);
        for by in [-0.2, 0.2] {
            assert!(penalty(&off(by, 0.0)) < 0.6 * penalty(&off(0.0, by)));
            assert!(penalty(&off(0.0, by)) > Expected::Near(POSED).penalty(&off(0.0, by)));
            assert!((penalty(&off(0.0, by)) - penalty(&off(0.0, -by))).abs() < 1e-12);
        }
        let nearer = Parallax { inverse_height: 0.14, lean: POSED.lean.map(|v| v + 4.0 * 0.05) };
        assert!(penalty(&nearer) > 0.0);
    }

    #[test]
    fn only_what_is_seen_from_straight_above_may_be_warped_and_every_man_has_to_say_so() {
        assert!(!may_be_warped(&POSED) && may_be_warped(&Parallax::default()));
        assert!((warped_gain(32) - 4.0 * warped_gain(8)).abs() < 1e-12);
    }

    #[test]
    fn who_turns_there_and_back_has_not_turned() {
        let (a, b) = (off(0.3, 0.1), off(-0.2, 0.4));
        let back = turned(&turned(&POSED, &a, &b), &b, &a);
        assert!((0..2).all(|i| (back.lean[i] - POSED.lean[i]).abs() < 1e-12));
    }
}
