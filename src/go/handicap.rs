//! Where the stones of a handicap lie.

use super::{Board, Color, Content, Point, Size};

/// Where so many stones of a fixed handicap lie; `None` where the board has no such handicap. A free one lies anywhere.
#[must_use]
pub fn fixed(size: Size, stones: usize) -> Option<Vec<Point>> {
    let (near, middle, far) = lines(size);
    let [upper_left, upper_right, lower_left, lower_right] = corners(size);
    let mut all = vec![upper_right, lower_left, lower_right, upper_left];
    if size.lines() < 7 || !(2..=9).contains(&stones) {
        return None;
    }
    if stones > 4 {
        let middle = middle.filter(|_| stones == 5 || size.lines() >= 9)?;
        let at = |x, y| Point::new(x, y);
        all.extend([at(near, middle), at(far, middle), at(middle, near), at(middle, far)]);
        // The fifth, seventh and ninth lie in the middle.
        let centre = stones % 2 == 1;
        all.truncate(stones - usize::from(centre));
        all.extend(centre.then(|| at(middle, middle)));
    }
    all.truncate(stones);
    Some(all)
}

/// A board with these stones of Black.
#[must_use]
pub fn board(size: Size, stones: &[Point]) -> Board {
    let mut board = Board::empty(size);
    stones.iter().for_each(|&p| board.set(p, Content::from(Color::Black)));
    board
}

/// The line of the stars near the edge, the middle one, and the one near the other edge.
const fn lines(size: Size) -> (u8, Option<u8>, u8) {
    let lines = size.lines();
    let near = if lines >= 13 { 3 } else { 2 };
    (near, if lines % 2 == 1 { Some(lines / 2) } else { None }, lines - 1 - near)
}

fn corners(size: Size) -> [Point; 4] {
    let (near, _, far) = lines(size);
    [(near, near), (far, near), (near, far), (far, far)].map(|(x, y)| Point::new(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(size: u64, stones: usize) -> Option<String> {
        let size = Size::new(size).unwrap();
        Some(fixed(size, stones)?.iter().map(|p| p.name(size)).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn handicaps_lie_where_servers_put_them() {
        assert_eq!(names(19, 2).unwrap(), "Q16 D4");
        assert_eq!(names(19, 3).unwrap(), "Q16 D4 Q4");
        assert_eq!(names(19, 5).unwrap(), "Q16 D4 Q4 D16 K10");
        assert_eq!(names(19, 6).unwrap(), "Q16 D4 Q4 D16 D10 Q10");
        assert_eq!(names(19, 7).unwrap(), "Q16 D4 Q4 D16 D10 Q10 K10");
        assert_eq!(names(19, 9).unwrap(), "Q16 D4 Q4 D16 D10 Q10 K16 K4 K10");
        assert_eq!(names(9, 4).unwrap(), "G7 C3 G3 C7");
        assert_eq!((names(19, 1), names(19, 10), names(5, 2), names(12, 5)), (None, None, None, None));
        for stones in 2..=9 {
            let mut points = fixed(Size::USUAL, stones).unwrap();
            points.sort();
            points.dedup();
            assert_eq!(points.len(), stones);
        }
    }
}
