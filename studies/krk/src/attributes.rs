//! What a chess player sees in a placement of king and rook against king: the 33 attributes of G. Breda, *KRK Chess
//! Endgame Database Knowledge Extraction and Compression* (2006), chapter 3.
//!
//! The thesis defines them twice, in words and by the program of its appendix B, and the two differ in three places
//! ([`Reading`]). Most are the same for all placements that mirror each other; files and ranks are not, so attributes
//! are those of the canonical placement.

use chess_observer::endgame::men::{Man, Men};

/// Which of the thesis's two definitions is meant, where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Chapter 3 as it is written.
    Words,
    /// The program of appendix B, with which the thesis's figures were made. There the rook never holds the black king
    /// towards the first rank (a file is compared with a rank), it squeezes when the kings are in opposition instead
    /// of when it holds, and of two nearest edges the one nearer to the white king is the bottom, not the farther one.
    Program,
}

/// How a decision may ask for an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number: at most so much?
    Number,
    /// 0 or 1.
    Boolean,
    /// One of so many words.
    Words(&'static [&'static str]),
}

macro_rules! attributes {
    ($($(#[doc = $about:literal])+ $name:ident: $kind:expr, $short:literal;)+) => {
        /// An attribute of table 3.1, in its order. WK, WR, BK are the strong king, the rook and the weak king.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Attribute { $($(#[doc = $about])+ $name,)+ }

        impl Attribute {
            /// All of them.
            pub const ALL: [Self; 33] = [$(Self::$name,)+];

            /// How it may be asked for.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self { $(Self::$name => $kind,)+ }
            }

            /// Short words for trees and tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $short,)+ }
            }
        }
    };
}

use Kind::{Boolean, Number, Words};

attributes! {
    /// 1. King's moves from WK to BK.
    WkBk: Number, "distance WK-BK";
    /// 2. King's moves from WR to BK.
    WrBk: Number, "distance WR-BK";
    /// 3. King's moves from WK to WR.
    WkWr: Number, "distance WK-WR";
    /// 4. Files from WR to BK.
    FileWrBk: Number, "files WR-BK";
    /// 5. Ranks from WR to BK.
    RankWrBk: Number, "ranks WR-BK";
    /// 6. Files from WK to WR.
    FileWkWr: Number, "files WK-WR";
    /// 7. Ranks from WK to WR.
    RankWkWr: Number, "ranks WK-WR";
    /// 8. Files from WK to BK.
    FileWkBk: Number, "files WK-BK";
    /// 9. Ranks from WK to BK.
    RankWkBk: Number, "ranks WK-BK";
    /// 10. Lines from WR's nearer line to BK: the smaller of 4 and 5.
    AlignmentWrBk: Number, "lines WR-BK";
    /// 11. WK and WR on neighbouring squares.
    AdjacentWkWr: Boolean, "WK beside WR";
    /// 12. WK and BK on neighbouring squares: never, in a possible placement.
    AdjacentWkBk: Boolean, "WK beside BK";
    /// 13. WR and BK on neighbouring squares.
    AdjacentWrBk: Boolean, "WR beside BK";
    /// 14. WR's file or rank is between those of the kings.
    WrBetween: Boolean, "WR between kings";
    /// 15. WK's file or rank is between those of WR and BK.
    WkBetween: Boolean, "WK between WR and BK";
    /// 16. BK's file or rank is between those of WK and WR.
    BkBetween: Boolean, "BK between WK and WR";
    /// 17. Lines from BK to the nearest edge.
    BkEdge: Number, "BK to edge";
    /// 18. King's moves from BK to the nearest corner.
    BkCorner: Number, "BK to corner";
    /// 19. King's moves from WK to the four squares in the middle.
    WkCross: Number, "WK to centre";
    /// 20. King's moves from WK to the nearest corner.
    WkCorner: Number, "WK to corner";
    /// 21. WR is one line above BK, the edge nearest to BK being below.
    VerticalWrBk: Boolean, "WR one line above BK";
    /// 22. WK is two lines above BK.
    VerticalWkBk: Boolean, "WK two lines above BK";
    /// 23. Lines that WK is beside BK.
    HorizontalWkBk: Words(&["zero", "odd", "even"]), "WK aside of BK";
    /// 24. WR and BK in the same third of the lines across.
    SameZone: Boolean, "WR and BK in one zone";
    /// 25. Kings in opposition.
    Opposition: Boolean, "opposition";
    /// 26. Kings a knight's move apart.
    AlmostOpposition: Boolean, "almost opposition";
    /// 27. Kings in opposition, and WR gives check across.
    LPattern: Boolean, "L pattern";
    /// 28. WR between the kings, BK on the side of its nearest edge.
    DividesToEdge: Boolean, "WR divides to edge";
    /// 29. WR one line above BK, as seen from its nearest edge.
    HoldsToEdge: Boolean, "WR holds to edge";
    /// 30. Kings in opposition, BK on the side of its nearest edge.
    OppositionToEdge: Boolean, "opposition to edge";
    /// 31. 28 and 29.
    Squeeze: Boolean, "WR squeezes BK";
    /// 32. Squares of the rectangle that WR leaves to BK.
    FreeSpace: Number, "free space";
    /// 33. Squares that BK may go to.
    Available: Number, "squares available";
}

/// A placement as attributes are worked out from it: files and ranks from 0.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    men: Men,
    wk: [i8; 2],
    wr: [i8; 2],
    bk: [i8; 2],
}

/// The board's edges: the axis that crosses them (0 across the files), and whether they are at its far end.
const EDGES: [(usize, bool); 4] = [(0, false), (0, true), (1, false), (1, true)];

/// Lines from the edge.
fn height(square: [i8; 2], (axis, far): (usize, bool)) -> i8 {
    if far { 7 - square[axis] } else { square[axis] }
}

/// Lines from the nearer of an axis's two edges.
fn inward(line: i8) -> i8 {
    line.min(7 - line)
}

fn corner(square: [i8; 2]) -> i8 {
    inward(square[0]).max(inward(square[1]))
}

fn lines_apart(a: [i8; 2], b: [i8; 2], axis: usize) -> i8 {
    (a[axis] - b[axis]).abs()
}

fn apart(a: [i8; 2], b: [i8; 2]) -> i8 {
    lines_apart(a, b, 0).max(lines_apart(a, b, 1))
}

/// Is a line of `middle` strictly between those of the others?
fn between(middle: [i8; 2], a: [i8; 2], b: [i8; 2]) -> bool {
    (0..2).any(|axis| (a[axis].min(b[axis]) + 1..a[axis].max(b[axis])).contains(&middle[axis]))
}

impl Lines {
    /// Of a placement of king and rook against king; attributes mean the canonical one.
    #[must_use]
    pub fn of(men: Men) -> Self {
        let [wk, wr, bk] = [men.king, men.man, men.weak].map(|square| {
            let line = |n: u32| i8::try_from(n).unwrap_or_default();
            [line(square.file().to_u32()), line(square.rank().to_u32())]
        });
        Self { men, wk, wr, bk }
    }

    fn bk_edge(&self) -> i8 {
        inward(self.bk[0]).min(inward(self.bk[1]))
    }

    /// The one or two edges nearest to the black king.
    fn nearest_edges(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        EDGES.into_iter().filter(|&edge| height(self.bk, edge) == self.bk_edge())
    }

    /// The edge that counts as below: the nearest to the black king, and of two such one by the white king.
    fn bottom(&self, reading: Reading) -> (usize, bool) {
        let mut edges = self.nearest_edges();
        let first = edges.next().unwrap_or(EDGES[0]);
        let Some(second) = edges.next() else { return first };
        let by = |edge| height(self.wk, edge);
        let take_first = match reading {
            Reading::Words => by(first) >= by(second),
            Reading::Program => by(first) <= by(second),
        };
        if take_first { first } else { second }
    }

    fn opposition_on(&self, axis: usize) -> bool {
        lines_apart(self.wk, self.bk, axis) == 2 && lines_apart(self.wk, self.bk, 1 - axis) == 0
    }

    fn divides_to_edge(&self) -> bool {
        self.nearest_edges()
            .any(|edge| height(self.bk, edge) < height(self.wr, edge) && height(self.wr, edge) < height(self.wk, edge))
    }

    fn holds_to_edge(&self, reading: Reading) -> bool {
        // In the program the comparison for the first rank is never true.
        let counts = |edge: &(usize, bool)| reading == Reading::Words || *edge != (1, false);
        self.nearest_edges().filter(counts).any(|edge| height(self.wr, edge) == height(self.bk, edge) + 1)
    }

    fn opposition_to_edge(&self) -> bool {
        self.nearest_edges()
            .any(|edge| self.opposition_on(edge.0) && height(self.wk, edge) == height(self.bk, edge) + 2)
    }

    /// Thirds that overlap by one line: a–c, c–f, f–h.
    fn same_zone(&self, reading: Reading) -> bool {
        let across = 1 - self.bottom(reading).0;
        [0..=2, 2..=5, 5..=7].iter().any(|zone| zone.contains(&self.wr[across]) && zone.contains(&self.bk[across]))
    }

    fn free_space(&self) -> i8 {
        let side = |axis: usize| {
            let (wr, bk) = (self.wr[axis], self.bk[axis]);
            match wr.cmp(&bk) {
                std::cmp::Ordering::Less => 7 - wr,
                std::cmp::Ordering::Greater => wr,
                std::cmp::Ordering::Equal => wr.max(7 - wr),
            }
        };
        side(0) * side(1)
    }
}

fn available(men: Men) -> i8 {
    i8::try_from(men.weak_moves(Man::Rook).count()).unwrap_or(i8::MAX)
}

/// The values of [`Attribute::ALL`], in that order: numbers, 0 and 1, or places in the list of words.
pub type Values = [u8; 33];

/// The attributes of a canonical placement of king and rook against king.
#[must_use]
pub fn values(men: Men, reading: Reading) -> Values {
    let lines = Lines::of(men);
    Attribute::ALL.map(|attribute| value(attribute, &lines, reading))
}

/// One attribute of a canonical placement: a number, 0 or 1, or a place in the list of words.
#[must_use]
pub fn value(attribute: Attribute, lines: &Lines, reading: Reading) -> u8 {
    use Attribute as A;
    let Lines { men, wk, wr, bk } = *lines;
    let above = |square| {
        let bottom = lines.bottom(reading);
        height(square, bottom) - height(bk, bottom)
    };
    let apart_by = |a, b| (lines_apart(wk, bk, 0), lines_apart(wk, bk, 1)) == (a, b);
    let number = match attribute {
        A::WkBk => apart(wk, bk),
        A::WrBk => apart(wr, bk),
        A::WkWr => apart(wk, wr),
        A::FileWrBk => lines_apart(wr, bk, 0),
        A::RankWrBk => lines_apart(wr, bk, 1),
        A::FileWkWr => lines_apart(wk, wr, 0),
        A::RankWkWr => lines_apart(wk, wr, 1),
        A::FileWkBk => lines_apart(wk, bk, 0),
        A::RankWkBk => lines_apart(wk, bk, 1),
        A::AlignmentWrBk => lines_apart(wr, bk, 0).min(lines_apart(wr, bk, 1)),
        A::AdjacentWkWr => i8::from(apart(wk, wr) == 1),
        A::AdjacentWkBk => i8::from(apart(wk, bk) == 1),
        A::AdjacentWrBk => i8::from(apart(wr, bk) == 1),
        A::WrBetween => i8::from(between(wr, wk, bk)),
        A::WkBetween => i8::from(between(wk, wr, bk)),
        A::BkBetween => i8::from(between(bk, wk, wr)),
        A::BkEdge => lines.bk_edge(),
        A::BkCorner => corner(bk),
        A::WkCross => 3 - inward(wk[0]).min(inward(wk[1])),
        A::WkCorner => corner(wk),
        A::VerticalWrBk => i8::from(above(wr) == 1),
        A::VerticalWkBk => i8::from(above(wk) == 2),
        A::HorizontalWkBk => match lines_apart(wk, bk, 1 - lines.bottom(reading).0) {
            0 => 0,
            aside if aside % 2 == 1 => 1,
            _ => 2,
        },
        A::SameZone => i8::from(lines.same_zone(reading)),
        A::Opposition => i8::from(lines.opposition_on(0) || lines.opposition_on(1)),
        A::AlmostOpposition => i8::from(apart_by(1, 2) || apart_by(2, 1)),
        A::LPattern => i8::from((0..2).any(|axis| lines.opposition_on(axis) && lines_apart(wr, bk, axis) == 0)),
        A::DividesToEdge => i8::from(lines.divides_to_edge()),
        A::HoldsToEdge => i8::from(lines.holds_to_edge(reading)),
        A::OppositionToEdge => i8::from(lines.opposition_to_edge()),
        A::Squeeze => i8::from(
            lines.divides_to_edge()
                && match reading {
                    Reading::Words => lines.holds_to_edge(reading),
                    Reading::Program => lines.opposition_to_edge(),
                },
        ),
        A::FreeSpace => lines.free_space(),
        A::Available => available(men),
    };
    number.unsigned_abs()
}
