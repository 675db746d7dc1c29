//! Do these stones lie on the board that a grid would have in this picture?
//!
//! Crossings of bare wood look alike, and so do the four sides of a board: where a board was found, and from which side it
//! is seen, only its stones tell.

use super::Stones;
use crate::{
    board::grid::Grid,
    frame::Frame,
    go::{Content, Seen},
};

/// A crossing of which more than this is hidden shows nothing.
const HIDDEN: f64 = 0.5;

/// What a picture shows of stones that are known to lie on a board.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shown {
    /// Crossings with stones that show them, that show something else, and that are hidden.
    pub stones: [usize; 3],
    /// The same of crossings without stones.
    pub bare: [usize; 3],
}

impl Stones {
    /// What a picture shows of a position on any grid in it, by how wood and stones are known to look; where nothing is known
    /// yet, as they look in this picture, if that is the position.
    #[must_use]
    pub fn shown(&self, position: &[Content], frame: &Frame<'_>, grid: &Grid) -> Shown {
        let mut other = self.clone();
        // What single points showed is told of one place only, and all are to be asked alike.
        if let Some(memory) = &mut other.memory {
            memory.forget_points();
        }
        let look = other.look(frame, grid, position);
        let mut shown = Shown::default();
        for (content, seen) in position.iter().zip(&look.seen) {
            let counts = if *content == Content::Empty { &mut shown.bare } else { &mut shown.stones };
            counts[how(*content, seen)] += 1;
        }
        shown
    }
}

impl Shown {
    /// How much of the board is shown to lie so, 0 to 1. The few stones of a board count as much as all its bare wood, which
    /// is found on any other grid as well.
    #[must_use]
    pub fn share(&self) -> f64 {
        let of = |counts: &[usize; 3]| {
            let all: usize = counts.iter().sum();
            (all > 0).then(|| counts[0] as f64 / all as f64)
        };
        match (of(&self.stones), of(&self.bare)) {
            (Some(stones), Some(bare)) => 0.5 * (stones + bare),
            (one, other) => one.or(other).unwrap_or(0.0),
        }
    }

    /// Is this another game? Most of the stones' places are in sight, and most of these show something else.
    #[must_use]
    pub(crate) const fn is_another(&self) -> bool {
        let [right, wrong, hidden] = self.stones;
        right + wrong > hidden && wrong > right
    }
}

/// Shown, otherwise or hidden, as a number.
fn how(content: Content, seen: &Seen) -> usize {
    match seen.covered {
        covered if covered > HIDDEN => 2,
        _ if seen.likeliest() == content => 0,
        _ => 1,
    }
}
