//! The outlines of men looked at closely: what tells kinds is finer than the discs that say what a man hides.

use std::sync::LazyLock;

use shakmaty::Role;

use super::{layout::role_index, occlusion::Parallax};
use crate::board::geometry::BoardPoint;

/// Heights at which a ray is compared with an outline: a knight's ears are a step high.
const SLICE_HEIGHT: f32 = 0.06;
/// Steps up to the top of the king.
const SLICES: usize = 31;

/// A section of a man at a height, in squares: he is turned on a lathe, except for a knight's head, which is longer than
/// wide.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Section {
    height: f32,
    /// Its middle from the man's axis, towards where he faces.
    forward: f32,
    /// Half of its length along where he faces, and half of its width.
    half: [f32; 2],
}

/// A section of what was turned.
const fn round(height: f32, radius: f32) -> Section {
    Section { height, forward: 0.0, half: [radius; 2] }
}

const fn head(height: f32, forward: f32, half_length: f32, half_width: f32) -> Section {
    Section { height, forward, half: [half_length, half_width] }
}

/// Height and radius of a turned man's rings, from his foot up.
type Rings = &'static [(f32, f32)];

const PAWN: Rings = &[
    (0.0, 0.29),
    (0.13, 0.28),
    (0.35, 0.16),
    (0.5, 0.11),
    (0.58, 0.17),
    (0.65, 0.13),
    (0.75, 0.155),
    (0.85, 0.12),
    (0.9, 0.04),
];
const ROOK: Rings = &[(0.0, 0.33), (0.13, 0.31), (0.4, 0.22), (0.65, 0.19), (0.75, 0.25), (1.02, 0.25)];
const KNIGHTS_FOOT: Rings = &[(0.0, 0.33), (0.13, 0.31), (0.25, 0.25)];
const KNIGHTS_HEAD: [Section; 7] = [
    head(0.3, 0.0, 0.23, 0.18),
    head(0.5, -0.04, 0.24, 0.16),
    head(0.75, -0.02, 0.27, 0.14),
    head(0.9, 0.06, 0.3, 0.13),
    head(1.0, 0.03, 0.24, 0.12),
    head(1.1, -0.05, 0.16, 0.1),
    head(1.22, -0.05, 0.06, 0.07),
];
const BISHOP: Rings = &[
    (0.0, 0.32),
    (0.13, 0.31),
    (0.35, 0.2),
    (0.6, 0.12),
    (0.8, 0.11),
    (0.85, 0.19),
    (0.93, 0.12),
    (1.08, 0.17),
    (1.2, 0.13),
    (1.3, 0.05),
    (1.37, 0.03),
];
const QUEEN: Rings = &[
    (0.0, 0.35),
    (0.13, 0.34),
    (0.4, 0.22),
    (0.7, 0.14),
    (0.98, 0.12),
    (1.05, 0.22),
    (1.15, 0.14),
    (1.25, 0.15),
    (1.45, 0.23),
    (1.47, 0.1),
    (1.56, 0.04),
];
const KING: Rings = &[
    (0.0, 0.36),
    (0.13, 0.35),
    (0.4, 0.23),
    (0.75, 0.15),
    (1.05, 0.13),
    (1.13, 0.24),
    (1.22, 0.15),
    (1.5, 0.22),
    (1.57, 0.13),
    (1.62, 0.05),
    (1.8, 0.05),
];

/// Staunton men with a king of 1.75 squares, as the usual tournament sets have them: heights as king 1, queen 0.88, bishop
/// 0.78, knight 0.7, rook 0.58, pawn 0.51; a rook's turret is three quarters of its foot; a knight's head is as long as its
/// foot is wide, and half as wide.
fn sections(role: Role) -> Vec<Section> {
    let (rings, head): (_, &[Section]) = match role {
        Role::Pawn => (PAWN, &[]),
        Role::Rook => (ROOK, &[]),
        Role::Knight => (KNIGHTS_FOOT, &KNIGHTS_HEAD),
        Role::Bishop => (BISHOP, &[]),
        Role::Queen => (QUEEN, &[]),
        Role::King => (KING, &[]),
    };
    rings.iter().map(|&(height, radius)| round(height, radius)).chain(head.iter().copied()).collect()
}

/// What a section hides: discs, each with its middle towards where he faces and its radius.
type Discs = [(f32, f32); 3];

/// The sections of every kind at every slice, each as the three discs that fill it; `None` above the top.
static OUTLINES: LazyLock<[[Option<Discs>; SLICES]; 6]> = LazyLock::new(|| {
    Role::ALL.map(|role| {
        let sections = sections(role);
        std::array::from_fn(|k| {
            let z = k as f32 * SLICE_HEIGHT;
            let pair = sections.windows(2).find(|pair| (pair[0].height..=pair[1].height).contains(&z))?;
            let t = (z - pair[0].height) / (pair[1].height - pair[0].height);
            let between = |a: f32, b: f32| a + t * (b - a);
            let forward = between(pair[0].forward, pair[1].forward);
            let [length, width] = [0, 1].map(|i| between(pair[0].half[i], pair[1].half[i]));
            let ends = (length - width).max(0.0);
            Some([(forward - ends, width), (forward, width), (forward + ends, width)])
        })
    })
});

/// By how much, in squares, the ray from the point `p` passes within the outline of a man of a kind (a place in
/// [`Candidate::cover`](super::coverage::Candidate::cover)) who stands at `centre`, faces `towards` (a direction of length
/// 1) and is `girth` times as wide as ours; negative where it passes outside.
#[must_use]
pub(crate) fn margin(
    parallax: &Parallax,
    p: BoardPoint,
    centre: BoardPoint,
    towards: [f32; 2],
    girth: f32,
    role: usize,
) -> f32 {
    let step = |i: usize| SLICE_HEIGHT * (parallax.lean[i] - p[i] * parallax.inverse_height) as f32;
    let (start, step) = ([(p.x - centre.x) as f32, (p.y - centre.y) as f32], [step(0), step(1)]);
    let knight = role == role_index(Role::Knight);
    let mut most = f32::NEG_INFINITY;
    for (k, discs) in OUTLINES[role].iter().enumerate() {
        let Some(discs) = discs else { break };
        let at: [f32; 2] = std::array::from_fn(|i| start[i] + k as f32 * step[i]);
        // Whoever is turned on a lathe has three times the same disc.
        for (forward, radius) in if knight { &discs[..] } else { &discs[..1] } {
            let (x, y) = (at[0] - girth * forward * towards[0], at[1] - girth * forward * towards[1]);
            most = most.max(girth * radius - (x * x + y * y).sqrt());
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 45° above White's side.
    const FROM_WHITE: Parallax = Parallax { lean: [0.0, -1.0], inverse_height: 0.0 };
    const HERE: BoardPoint = BoardPoint::new(4.5, 4.5);

    fn hidden(role: Role, towards: [f32; 2], girth: f32) -> usize {
        let points = (0..40).flat_map(|x| (0..60).map(move |y| [x, y].map(|k| 0.05 * f64::from(k))));
        let at = |[x, y]: [f64; 2]| BoardPoint::new(HERE.x - 1.0 + x, HERE.y - 0.5 + y);
        points.filter(|p| margin(&FROM_WHITE, at(*p), HERE, towards, girth, role_index(role)) > 0.0).count()
    }

    #[test]
    fn sections_rise_from_the_board_and_stay_on_their_square() {
        for role in Role::ALL {
            let sections = sections(role);
            assert_eq!(sections[0].height, 0.0);
            assert!(sections.windows(2).all(|pair| pair[0].height < pair[1].height), "{role:?}");
            assert!(sections.iter().all(|s| s.forward.abs() + s.half[0] < 0.5 && s.half[1] > 0.0), "{role:?}");
        }
    }

    #[test]
    fn the_taller_the_farther_behind_him() {
        // The farthest point behind him that a man hides.
        let reach = |role| {
            let hides = |k: &i32| {
                let p = BoardPoint::new(HERE.x, HERE.y + 0.05 * f64::from(*k));
                margin(&FROM_WHITE, p, HERE, [1.0, 0.0], 1.0, role_index(role)) > 0.0
            };
            (0..60).rev().find(hides)
        };
        // A rook's broad top hides as far behind him as a knight's narrow ears.
        let by_height = [Role::Pawn, Role::Rook, Role::Bishop, Role::Queen, Role::King];
        assert!(by_height.windows(2).all(|pair| reach(pair[0]) < reach(pair[1])));
    }

    #[test]
    fn a_knight_from_the_side_hides_more_than_from_before_and_the_others_do_not_care() {
        let (aside, before) = ([1.0, 0.0], [0.0, -1.0]);
        assert!(hidden(Role::Knight, aside, 1.0) > hidden(Role::Knight, before, 1.0) + 10);
        assert_eq!(hidden(Role::Rook, aside, 1.0), hidden(Role::Rook, before, 1.0));
        assert!(hidden(Role::Rook, aside, 1.1) > hidden(Role::Rook, aside, 1.0));
    }
}
