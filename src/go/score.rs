//! Who has won, once it is agreed which stones are dead.

use super::{Board, Color, Content, Counting, Moment, Point, Rules};

/// A count of a board on which nobody plays any more.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Empty crossings that only Black's stones surround, once the dead ones are gone; and White's.
    territory: [usize; 2],
    /// Living stones of Black, and of White.
    pub stones: [usize; 2],
    /// Dead stones of Black, and of White.
    pub(crate) dead: [usize; 2],
    /// Points by the rules, komi with White's.
    pub points: [f64; 2],
}

impl Score {
    /// The result as SGF writes it: `B+3.5`, `W+0.5`, `0` where nobody has won.
    #[must_use]
    pub fn result(&self) -> String {
        let lead = self.points[0] - self.points[1];
        match lead {
            l if l > 0.0 => format!("B+{l}"),
            l if l < 0.0 => format!("W+{}", -l),
            _ => "0".to_owned(),
        }
    }
}

/// Counts a board. `dead` names a stone of each group that the players call dead.
///
/// Where territory is counted, that of groups in seki is counted as well: nothing here knows of seki.
#[must_use]
pub fn score(moment: &Moment, dead: &[Point], rules: &Rules, komi: f64) -> Score {
    let mut board = moment.board().clone();
    let mut gone = [0; 2];
    for &point in dead {
        let Some((group, color)) = board.group(point).zip(board.at(point).color()) else { continue };
        gone[color as usize] += group.stones.len();
        group.stones.iter().for_each(|&p| board.set(p, Content::Empty));
    }
    let territory = territory(&board);
    let stones = [board.count(Color::Black), board.count(Color::White)];
    let mut points = match rules.counting {
        Counting::Area => [0, 1].map(|i| (territory[i] + stones[i]) as f64),
        Counting::Territory => [Color::Black, Color::White].map(|c| {
            let taken = moment.prisoners(c) as usize + gone[c.other() as usize];
            (territory[c as usize] + taken) as f64
        }),
    };
    points[1] += komi;
    Score { territory, stones, dead: gone, points }
}

/// Empty crossings that only one player's stones surround.
fn territory(board: &Board) -> [usize; 2] {
    let size = board.size();
    let mut seen = vec![false; size.count()];
    let mut owned = [0; 2];
    for start in size.points() {
        if board.at(start) != Content::Empty || std::mem::replace(&mut seen[size.index(start)], true) {
            continue;
        }
        let (mut region, mut next, mut touches) = (vec![start], 0, [false; 2]);
        while let Some(&point) = region.get(next) {
            next += 1;
            for beside in size.next_to(point) {
                match board.at(beside).color() {
                    Some(color) => touches[color as usize] = true,
                    None if !std::mem::replace(&mut seen[size.index(beside)], true) => region.push(beside),
                    None => {}
                }
            }
        }
        match touches {
            [true, false] => owned[0] += region.len(),
            [false, true] => owned[1] += region.len(),
            _ => {}
        }
    }
    owned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Size, board::tests::board};

    const ENDED: &str = ".X.O.
                         XX.OO
                         .X.O.
                         XXXO.
                         .OXO.";

    #[test]
    fn area_counts_stones_and_what_they_surround() {
        let moment = Moment::start(board(ENDED), Color::Black);
        let plain = score(&moment, &[], &Rules::CHINESE, 7.5);
        // Black's two crossings lie at the left edge; the lower left one touches both.
        assert_eq!((plain.stones, plain.territory), ([8, 7], [2, 4]));
        let dead = score(&moment, &[Point::new(1, 4)], &Rules::CHINESE, 7.5);
        assert_eq!((dead.stones, dead.territory, dead.dead), ([8, 6], [4, 4], [0, 1]));
        assert_eq!(dead.points, [12.0, 17.5]);
        assert_eq!(dead.result(), "W+5.5");
    }

    #[test]
    fn territory_counts_prisoners_and_dead_stones_instead_of_stones() {
        let moment = Moment::start(board(ENDED), Color::Black);
        let dead = score(&moment, &[Point::new(1, 4)], &Rules::JAPANESE, 0.5);
        assert_eq!(dead.points, [5.0, 4.5]);
        assert_eq!(dead.result(), "B+0.5");
    }

    #[test]
    fn an_empty_board_belongs_to_nobody() {
        let moment = Moment::start(Board::empty(Size::new(9).unwrap()), Color::Black);
        let none = score(&moment, &[Point::new(3, 3)], &Rules::CHINESE, 0.0);
        assert_eq!((none.result(), none.territory), ("0".to_owned(), [0, 0]));
    }
}
