//! Why no game begins: what was found out where the board was searched in vain, and what people are told of it.

use shakmaty::Square;

/// So many squares are named; more are counted.
const NAMED: usize = 8;

/// Why no game begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Hindrance {
    /// The picture is nearly black.
    Dark,
    /// Nothing in the picture is sharp.
    Blurred {
        /// Width of its sharpest edges, in pixels.
        edge_px: f32,
    },
    /// Nothing in the picture looks like a chessboard.
    NoBoard,
    /// Something looks like a chessboard, but it is not clear that it is one, or where it ends.
    Unclear,
    /// The squares are too small.
    Small {
        /// Mean side of a square, in pixels.
        square_px: f64,
    },
    /// A part of the board is outside of the picture.
    CutOff {
        /// Where.
        edges: Edges,
        /// How many of its 64 squares are inside.
        squares_seen: u32,
    },
    /// The board is there, and nothing stands on it.
    Bare,
    /// The board is there, and these squares do not look as expected.
    Otherwise {
        /// What they look like.
        squares: Vec<(Square, Shows)>,
    },
    /// The men who should be white are darker than those who should be black.
    SidesSwapped,
    /// The picture is a mirror image, and the users say that it is none.
    Mirrored,
}

/// What a square looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Nothing stands on it.
    Empty,
    /// A white man.
    White,
    /// A black one.
    Black,
}

/// Edges of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Edges {
    /// Where x is 0.
    pub left: bool,
    /// Where x is greatest.
    pub right: bool,
    /// Where y is 0.
    pub top: bool,
    /// Where y is greatest.
    pub bottom: bool,
}

impl Hindrance {
    /// One word, for programs: it stays the same while only numbers change.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Blurred { .. } => "blurred",
            Self::NoBoard => "no_board",
            Self::Unclear => "unclear",
            Self::Small { .. } => "small",
            Self::CutOff { .. } => "cut_off",
            Self::Bare => "bare",
            Self::Otherwise { .. } => "other_men",
            Self::SidesSwapped => "sides_swapped",
            Self::Mirrored => "mirrored",
        }
    }

    /// What people are told: why, and what to do; neither a capital nor a full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Dark => "the picture is too dark to find a board in it; switch on a light, or open the lens".into(),
            Self::Blurred { edge_px } => {
                format!("the picture is blurred: its sharpest edges are {edge_px:.0} pixels wide; focus the camera")
            }
            Self::NoBoard => {
                "nothing in the picture looks like a chessboard; all of it must be in sight, sharp and evenly lit".into()
            }
            Self::Unclear => "something looks like a chessboard, but not where it ends, or what stands on it; \
                              set up the first position, with nothing over the board and around it"
                .into(),
            Self::Small { square_px } => format!(
                "the squares are too small: {square_px:.0} pixels a side; go nearer, or let the camera send larger pictures"
            ),
            Self::CutOff { edges, squares_seen } => format!(
                "the board is not wholly in the picture: {}{squares_seen} of its 64 squares are seen",
                edges.words()
            ),
            Self::Bare => "a board is found, and nothing stands on it; set up the men of the first position".into(),
            Self::Otherwise { squares } => format!(
                "a board is found, and {} as expected: {}; set up the first position, or say what stands there \
                 (~/set_position, game.start_fen)",
                if squares.len() == 1 { "this square does not look" } else { "these squares do not look" },
                named(squares)
            ),
            Self::SidesSwapped => "a board is found, and the men who should be white are darker than those who should be \
                                   black; is it named from the wrong side?"
                .into(),
            Self::Mirrored => "a board is found in the mirror image of the picture: the camera seems to exchange left and \
                               right, or the board lies with a dark square at White's right hand; set board.mirrored to \
                               auto or true, or turn the board"
                .into(),
        }
    }
}

/// `e2 looks empty, d7 black and 3 more`: the squares of the same look together, at most [`NAMED`] in all.
fn named(squares: &[(Square, Shows)]) -> String {
    let first = &squares[..squares.len().min(NAMED)];
    let mut words: Vec<String> = Vec::new();
    for (look, word) in [(Shows::Empty, "empty"), (Shows::White, "white"), (Shows::Black, "black")] {
        let names: Vec<String> =
            first.iter().filter(|(_, l)| *l == look).map(|(square, _)| square.to_string()).collect();
        if !names.is_empty() {
            words.push(format!("{} {} {word}", names.join(", "), if names.len() == 1 { "looks" } else { "look" }));
        }
    }
    let more = squares.len() - first.len();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join("; ")
}

impl Edges {
    /// The same picture's edges in its mirror image.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self { left: self.right, right: self.left, ..self }
    }

    /// `it is cut off at the left and the upper edge, `; nothing where no edge is known.
    fn words(self) -> String {
        let edges = [(self.left, "left"), (self.right, "right"), (self.top, "upper"), (self.bottom, "lower")];
        let names: Vec<&str> = edges.iter().filter(|(cut, _)| *cut).map(|(_, name)| *name).collect();
        match names[..] {
            [] => String::new(),
            [one] => format!("it is cut off at the {one} edge, "),
            _ => format!("it is cut off at the edges {}, ", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_named_with_their_looks_and_the_rest_is_counted() {
        let squares = vec![(Square::E2, Shows::Empty), (Square::E4, Shows::White), (Square::D2, Shows::Empty)];
        let text = Hindrance::Otherwise { squares }.sentence();
        assert!(
            text.contains("these squares do not look as expected: e2, d2 look empty; e4 looks white; set up"),
            "{text}"
        );
        let one = Hindrance::Otherwise { squares: vec![(Square::D8, Shows::Black)] }.sentence();
        assert!(one.contains("this square does not look as expected: d8 looks black; set up"), "{one}");
        let all = Square::ALL.into_iter().map(|square| (square, Shows::Empty)).collect();
        let text = Hindrance::Otherwise { squares: all }.sentence();
        assert!(text.contains("a1, b1, c1, d1, e1, f1, g1, h1 look empty; and 56 more;"), "{text}");
    }

    #[test]
    fn the_edge_that_cuts_the_board_is_named() {
        let cut = |edges| Hindrance::CutOff { edges, squares_seen: 56 }.sentence();
        let left = Edges { left: true, ..Edges::default() };
        assert_eq!(
            cut(left),
            "the board is not wholly in the picture: it is cut off at the left edge, 56 of its 64 squares are seen"
        );
        assert!(cut(Edges { top: true, ..left }.mirrored()).contains("at the edges right, upper, 56"));
        assert!(cut(Edges::default()).contains("the picture: 56 of"));
    }
}
