//! A hand left over the board in a still picture: beside the man that has moved, before a part of it, before all of it.
//!
//! A. Carta and M. Corsolini, "A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs", 2015, sort their pictures by what a disturbance leaves visible of the stone played last (table 1); so
//! are ours. How much a hand hides is counted in the picture, not guessed from where it is.

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

use super::{
    dice::Dice,
    math::V3,
    picture::{
        raster::{Seen, View},
        solid::Solid,
    },
    scene::{Camera, Scene, Standpoint},
    shape::{
        hand::{Hand, shoulder},
        thing::Thing,
    },
};

/// Places that are tried for a hand before the picture is left undisturbed.
const TRIES: usize = 600;
/// A hand counts as a disturbance when it covers this share of the board in the picture: two squares.
const LEAST_COVER: f64 = 2.0 / 64.0;
/// How far from the man's foot the fingertips may be, in squares: further away a hand and its forearm, four squares
/// long, hide nothing that is not also hidden from nearer by.
const REACH: f64 = 3.5;
/// Height of the fingertips over the board, in squares: over the heads of all but kings and queens, which a player's
/// hand avoids, and as high as a hand is held while thinking.
const HEIGHT: [f64; 2] = [1.2, 3.2];

/// What a hand leaves visible of the man that has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// All of it: the hand is elsewhere over the board.
    Visible,
    /// A part.
    Partly,
    /// Nothing or next to nothing.
    Hidden,
}

impl Disturbance {
    /// All of them, from the least to the worst.
    pub const ALL: [Self; 3] = [Self::Visible, Self::Partly, Self::Hidden];

    /// What a picture's note says.
    #[must_use]
    pub const fn note(self) -> &'static str {
        match self {
            Self::Visible => "hand beside the moved man",
            Self::Partly => "hand before a part of the moved man",
            Self::Hidden => "hand before the moved man",
        }
    }

    /// Does a hand that hides this share of a man's visible pixels make this disturbance?
    #[must_use]
    fn is_made_by(self, hidden: f64) -> bool {
        match self {
            Self::Visible => hidden <= 0.01,
            // A third to two thirds: neither "nearly all to be seen" nor "nearly nothing".
            Self::Partly => (0.33..=0.67).contains(&hidden),
            Self::Hidden => hidden >= 0.97,
        }
    }
}

/// How much a hand hides of one thing among the standing ones.
#[derive(Debug)]
pub(super) struct Cover {
    view: View,
    standing: Seen,
    hand: Seen,
    /// The square of the playing area that a sample looks at (or a man before it).
    board: Vec<Option<Square>>,
    board_samples: usize,
    subject: u16,
    visible: usize,
}

impl Cover {
    /// Measures at half the picture's resolution how much is seen of `standing[subject]`: a pawn still has some
    /// hundred samples at 640×480, and many hands are tried.
    pub(super) fn new(camera: &Camera, standing: &[Thing], subject: usize) -> Self {
        let camera = &Camera {
            width: camera.width / 2,
            height: camera.height / 2,
            focal_px: camera.focal_px / 2.0,
            ..camera.clone()
        };
        let view = View::new(camera, 1);
        let mut seen = Seen::new(view.size);
        let all = view.whole();
        for (number, thing) in standing.iter().enumerate() {
            bare(thing, &view).draw(&mut seen, number as u16, all);
        }
        let subject = subject as u16 + 1;
        let visible = seen.thing.iter().filter(|n| **n == subject).count();
        let board = view.rays(camera, 1).into_iter().map(|ray| {
            let at = view.centre - ray * (view.centre.z / ray.z);
            let on_board = ray.z < 0.0 && (0.0..8.0).contains(&at.x) && (0.0..8.0).contains(&at.y);
            on_board.then(|| Square::new(8 * at.y as u32 + at.x as u32))
        });
        let board: Vec<Option<Square>> = board.collect();
        let board_samples = board.iter().flatten().count();
        Self { board, board_samples, hand: Seen::new(view.size), view, standing: seen, subject, visible }
    }

    /// Share of the subject's visible pixels that things in front of it hide, and share of the board that they cover.
    pub(super) fn hidden(&mut self, moving: &[Thing]) -> (f64, f64) {
        self.draw(moving);
        let (mut hidden, mut covered) = (0, 0);
        for (i, near) in self.hand.near.iter().enumerate() {
            if *near > self.standing.near[i] {
                covered += usize::from(self.board[i].is_some());
                hidden += usize::from(self.standing.thing[i] == self.subject);
            }
        }
        (hidden as f64 / self.visible.max(1) as f64, covered as f64 / self.board_samples.max(1) as f64)
    }

    /// Of what is seen of each square and of the man on it: the share that things in front of them hide. `on`: the square
    /// on which each of the standing things is. 0 for a square of which nothing is seen.
    pub(super) fn by_square(&mut self, moving: &[Thing], on: &[Option<Square>]) -> [f32; 64] {
        self.draw(moving);
        let (mut seen, mut hidden) = ([0u32; 64], [0u32; 64]);
        for (i, ground) in self.board.iter().enumerate() {
            let thing = usize::from(self.standing.thing[i]).checked_sub(1);
            let Some(square) = thing.map_or(*ground, |number| on.get(number).copied().flatten()) else { continue };
            seen[usize::from(square)] += 1;
            hidden[usize::from(square)] += u32::from(self.hand.near[i] > self.standing.near[i]);
        }
        std::array::from_fn(|square| hidden[square] as f32 / seen[square].max(1) as f32)
    }

    fn draw(&mut self, moving: &[Thing]) {
        let all = self.view.whole();
        self.hand.clear(all);
        for thing in moving {
            bare(thing, &self.view).draw(&mut self.hand, 0, all);
        }
    }
}

/// A thing that casts no shadows: only what it hides counts here.
fn bare(thing: &Thing, view: &View) -> Solid {
    Solid::new(thing, view, &[], &[], false, 0.0)
}

/// A hand that makes the disturbance to the man `standing[subject]`: the mover's, drawing back, or where that does not
/// serve his opponent's, reaching out. `None` when the man is not seen at all, or none of many tried places serves.
pub(super) fn hand(
    scene: &Scene,
    standpoint: &Standpoint,
    standing: &[Thing],
    subject: usize,
    mover: Color,
    wanted: Disturbance,
    dice: &mut Dice,
) -> Option<Hand> {
    let foot = standing.get(subject)?.at;
    let mut cover = Cover::new(&standpoint.camera, standing, subject);
    if cover.visible == 0 {
        return None;
    }
    (0..TRIES).find_map(|n| {
        let player = if 2 * n < TRIES { mover } else { !mover };
        let by = |dice: &mut Dice| dice.between(-REACH, REACH) as f32;
        let height = dice.between(HEIGHT[0], HEIGHT[1]) as f32;
        let tip = V3::new(foot.x + by(dice), foot.y + by(dice), height);
        let shoulder = standpoint.board_from_table.point(shoulder(player));
        let hand = Hand { tip, shoulder, player, low: 0.0 };
        let (hidden, covered) = cover.hidden(&hand.things(scene));
        (covered >= LEAST_COVER && wanted.is_made_by(hidden)).then_some(hand)
    })
}
