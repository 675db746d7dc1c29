//! What a picture says of a Go board, as the game sees it: likelihoods, never verdicts.

use super::{Content, Point, Size};

/// What a picture says of one crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// ln p(picture here | empty, black, white), as [`Content::ALL`] has them. Only differences count.
    pub log_likelihood: [f64; 3],
    /// Share of the crossing that a hand or another thing hides, 0 to 1.
    pub covered: f64,
}

impl Seen {
    /// A crossing of which the picture says nothing.
    pub(crate) const NOTHING: Self = Self { log_likelihood: [0.0; 3], covered: 1.0 };

    /// The likeliest content; of equals the first, so that a crossing that says nothing is empty.
    #[must_use]
    pub fn likeliest(&self) -> Content {
        let of = |c: Content| self.log_likelihood[c.index()];
        Content::ALL.into_iter().fold(Content::Empty, |best, c| if of(c) > of(best) { c } else { best })
    }
}

/// What a picture says of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The board's size.
    pub size: Size,
    /// Every crossing, row by row, as [`Size::index`] counts them.
    pub seen: Vec<Seen>,
}

impl Look {
    /// A look that says nothing.
    #[must_use]
    pub fn nothing(size: Size) -> Self {
        Self { size, seen: vec![Seen::NOTHING; size.count()] }
    }

    /// What it says of a crossing; nothing where there is none.
    #[must_use]
    pub fn at(&self, point: Point) -> Seen {
        let there = if self.size.has(point) { self.seen.get(self.size.index(point)) } else { None };
        there.copied().unwrap_or(Seen::NOTHING)
    }
}
