//! Stones on a board, and what a play takes off it.

use super::{Color, Content, Point, Size};

/// What lies on every crossing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: Size,
    cells: Vec<Content>,
}

/// Stones of one colour that hang together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its stones.
    pub stones: Vec<Point>,
    /// Empty crossings next to it, each once.
    pub(super) liberties: Vec<Point>,
}

/// A board after a stone has been put down and what it takes has been taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub board: Board,
    /// Stones of the other player that it took.
    pub captured: Vec<Point>,
    /// Does the stone's own group have no liberty left? It still lies on the board.
    pub(super) breathless: bool,
}

impl Board {
    /// A board without stones.
    #[must_use]
    pub fn empty(size: Size) -> Self {
        Self { size, cells: vec![Content::Empty; size.count()] }
    }

    /// A board with this on its crossings, row by row; what is missing is empty, what is too much is left out.
    #[must_use]
    pub(super) fn from_contents(size: Size, contents: impl IntoIterator<Item = Content>) -> Self {
        let mut cells: Vec<_> = contents.into_iter().take(size.count()).collect();
        cells.resize(size.count(), Content::Empty);
        Self { size, cells }
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// What lies on a crossing; beside the board nothing does.
    #[must_use]
    pub fn at(&self, point: Point) -> Content {
        if self.size.has(point) { self.cells[self.size.index(point)] } else { Content::Empty }
    }

    /// Puts something on a crossing, or takes it off; beside the board nothing happens.
    pub fn set(&mut self, point: Point, content: Content) {
        if self.size.has(point) {
            self.cells[self.size.index(point)] = content;
        }
    }

    /// Every crossing, row by row, as [`Size::index`] counts them.
    #[must_use]
    pub fn contents(&self) -> &[Content] {
        &self.cells
    }

    /// The stones, row by row.
    pub fn stones(&self) -> impl Iterator<Item = (Point, Color)> {
        self.cells.iter().enumerate().filter_map(|(i, c)| c.color().map(|color| (self.size.point(i), color)))
    }

    /// How many stones a player has on the board.
    #[must_use]
    pub fn count(&self, color: Color) -> usize {
        self.cells.iter().filter(|&&c| c == color.into()).count()
    }

    /// The stones that hang together with the one here; `None` where there is none.
    #[must_use]
    pub fn group(&self, point: Point) -> Option<Group> {
        let color = self.at(point).color()?;
        let mut seen = Marked::default();
        let mut group = Group { stones: vec![point], liberties: Vec::new() };
        seen.mark(self.size.index(point));
        let mut next = 0;
        while let Some(&stone) = group.stones.get(next) {
            next += 1;
            for beside in self.size.next_to(stone) {
                let content = self.at(beside);
                if (content == Content::Empty || content == color.into()) && seen.mark(self.size.index(beside)) {
                    if content == Content::Empty {
                        group.liberties.push(beside);
                    } else {
                        group.stones.push(beside);
                    }
                }
            }
        }
        Some(group)
    }

    /// Puts a stone on an empty crossing and takes off what has no liberty then.
    pub(super) fn place(&self, point: Point, color: Color) -> Placed {
        let mut board = self.clone();
        board.set(point, color.into());
        let mut captured = Vec::new();
        for beside in self.size.next_to(point) {
            if board.at(beside) != color.other().into() {
                continue;
            }
            if let Some(group) = board.group(beside).filter(|g| g.liberties.is_empty()) {
                group.stones.iter().for_each(|&p| board.set(p, Content::Empty));
                captured.extend(group.stones);
            }
        }
        let breathless = captured.is_empty() && board.group(point).is_some_and(|g| g.liberties.is_empty());
        Placed { board, captured, breathless }
    }

    /// The same for equal boards, and for hardly any others.
    pub(super) fn fingerprint(&self) -> u64 {
        // A multiplication a crossing: the standard's hasher takes ten times as long, and this is asked for every play tried.
        let mix =
            |sum: u64, cell: &Content| (sum.rotate_left(5) ^ (*cell as u64 + 1)).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.cells.iter().fold(u64::from(self.size.lines()), mix)
    }

    /// Crossings that two boards of one size have differently.
    pub fn differences(&self, other: &Self) -> impl Iterator<Item = Point> {
        let pairs = self.cells.iter().zip(&other.cells).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(i, _)| self.size.point(i))
    }
}

/// Crossings that were looked at.
#[derive(Default)]
struct Marked([u64; 10]);

impl Marked {
    /// True where it was not yet marked.
    fn mark(&mut self, index: usize) -> bool {
        let (word, bit) = (index / 64, 1 << (index % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A board from text: `X` black, `O` white, all else empty; one line a row.
    pub fn board(text: &str) -> Board {
        let rows: Vec<&str> = text.split_whitespace().collect();
        let size = Size::new(rows.len() as u64).unwrap();
        let content = |c: char| match c {
            'X' => Content::Black,
            'O' => Content::White,
            _ => Content::Empty,
        };
        assert!(rows.iter().all(|r| r.len() == rows.len()), "{text}");
        Board::from_contents(size, rows.iter().flat_map(|r| r.chars().map(content)))
    }

    #[test]
    fn a_group_has_its_stones_and_each_liberty_once() {
        let b = board(
            ".XX..
             .XO..
             .....
             .....
             ....O",
        );
        let group = b.group(Point::new(1, 0)).unwrap();
        assert_eq!((group.stones.len(), group.liberties.len()), (3, 4));
        assert_eq!(b.group(Point::new(4, 4)).unwrap().liberties.len(), 2);
        assert_eq!(b.group(Point::new(0, 0)), None);
    }

    #[test]
    fn stones_without_liberties_are_taken_in_the_corner_and_in_several_groups() {
        let b = board(
            ".XO..
             XO.O.
             O....
             .....
             .....",
        );
        let placed = b.place(Point::new(0, 0), Color::White);
        assert_eq!(placed.captured.len(), 2);
        assert!(!placed.breathless);
        assert_eq!(placed.board.count(Color::Black), 0);
    }

    #[test]
    fn a_stone_without_liberties_that_takes_nothing_is_breathless() {
        let b = board(
            ".X...
             X....
             .....
             .....
             .....",
        );
        assert!(b.place(Point::new(0, 0), Color::White).breathless);
        assert!(!b.place(Point::new(0, 0), Color::Black).breathless);
    }
}
