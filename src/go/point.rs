//! Boards of any size and their crossings.

use std::fmt;

/// Letters of the columns as players name them: there is no I, because it looks like J.
const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// How many lines a board has in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u8);

/// A number of lines that no board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a Go board has {least} to {most} lines, not {0}", least = Size::LEAST, most = Size::MOST)]
pub struct SizeError(pub u64);

impl Size {
    /// Lines of the smallest board.
    pub(crate) const LEAST: u8 = 5;
    /// Lines of the largest: as many as there are names of columns.
    pub const MOST: u8 = 25;
    /// The usual board.
    pub const USUAL: Self = Self(19);

    /// A board of so many lines.
    ///
    /// # Errors
    /// Fewer lines than `LEAST`, or more than [`MOST`](Self::MOST).
    pub fn new(lines: u64) -> Result<Self, SizeError> {
        match u8::try_from(lines) {
            Ok(lines @ Self::LEAST..=Self::MOST) => Ok(Self(lines)),
            _ => Err(SizeError(lines)),
        }
    }

    /// Lines in each direction.
    #[must_use]
    pub const fn lines(self) -> u8 {
        self.0
    }

    /// Crossings.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0 as usize * self.0 as usize
    }

    /// All crossings, row by row, as [`index`](Self::index) counts them.
    pub fn points(self) -> impl Iterator<Item = Point> {
        (0..self.0).flat_map(move |y| (0..self.0).map(move |x| Point { x, y }))
    }

    /// Is there such a crossing?
    #[must_use]
    pub const fn has(self, point: Point) -> bool {
        point.x < self.0 && point.y < self.0
    }

    /// Number of a crossing, row by row.
    #[must_use]
    pub const fn index(self, point: Point) -> usize {
        point.y as usize * self.0 as usize + point.x as usize
    }

    /// The crossing of this number, which is below [`count`](Self::count).
    #[must_use]
    pub const fn point(self, index: usize) -> Point {
        let lines = self.0 as usize;
        Point { x: (index % lines) as u8, y: (index / lines) as u8 }
    }

    /// The two, three or four crossings next to one.
    pub(crate) fn next_to(self, point: Point) -> impl Iterator<Item = Point> {
        let Point { x, y } = point;
        let all = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        all.into_iter().map(|(x, y)| Point { x, y }).filter(move |&p| self.has(p))
    }
}

impl Default for Size {
    fn default() -> Self {
        Self::USUAL
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.0)
    }
}

/// A crossing: `x` lines to the right and `y` lines down from the upper left one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Lines to the right, from 0.
    pub x: u8,
    /// Lines down, from 0.
    pub y: u8,
}

impl Point {
    /// A crossing by its lines.
    #[must_use]
    pub const fn new(x: u8, y: u8) -> Self {
        Self { x, y }
    }

    /// As players name it: a letter for the column (there is no I) and the row from below, as `Q16`.
    #[must_use]
    pub fn name(self, size: Size) -> String {
        let letter = COLUMNS.get(usize::from(self.x)).map_or('?', |&c| char::from(c));
        format!("{letter}{}", i32::from(size.lines()) - i32::from(self.y))
    }

    /// The crossing of such a name, in small or capital letters.
    #[must_use]
    pub fn parse(name: &str, size: Size) -> Option<Self> {
        let letter = name.bytes().next()?.to_ascii_uppercase();
        let x = u8::try_from(COLUMNS.iter().position(|&c| c == letter)?).ok()?;
        let row: u8 = name.get(1..)?.parse().ok()?;
        let point = Self { x, y: size.lines().checked_sub(row)? };
        (row > 0 && size.has(point)).then_some(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_5_to_25_lines() {
        assert!(Size::new(4).is_err() && Size::new(26).is_err() && Size::new(u64::MAX).is_err());
        assert_eq!(Size::new(4).map_err(|e| e.to_string()), Err("a Go board has 5 to 25 lines, not 4".to_owned()));
        for lines in 5..=25 {
            let size = Size::new(lines).unwrap();
            assert_eq!(size.points().count(), size.count());
            for (index, point) in size.points().enumerate() {
                assert_eq!((size.index(point), size.point(index)), (index, point));
                assert_eq!(Point::parse(&point.name(size), size), Some(point), "{}", point.name(size));
            }
        }
    }

    #[test]
    fn names_have_no_i_and_count_rows_from_below() {
        let size = Size::USUAL;
        assert_eq!(Point::new(0, 18).name(size), "A1");
        assert_eq!(Point::new(8, 0).name(size), "J19");
        assert_eq!(Point::parse("q16", size), Some(Point::new(15, 3)));
        for wrong in ["", "I5", "A0", "A20", "U1", "5", "AA", "Ä1", "A-1"] {
            assert_eq!(Point::parse(wrong, size), None, "{wrong}");
        }
    }

    #[test]
    fn corners_have_two_neighbours_edges_three_others_four() {
        let size = Size::new(9).unwrap();
        assert_eq!(size.next_to(Point::new(0, 0)).count(), 2);
        assert_eq!(size.next_to(Point::new(8, 8)).count(), 2);
        assert_eq!(size.next_to(Point::new(4, 8)).count(), 3);
        assert_eq!(size.next_to(Point::new(4, 4)).count(), 4);
    }
}
