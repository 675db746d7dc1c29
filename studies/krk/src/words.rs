//! Trees and attributes in words.

use std::fmt;

use chess_observer::endgame::men::Men;
use shakmaty::Square;

use super::{
    attributes::{Attribute, Kind, Reading, values},
    tree::{Test, Tree},
};

/// "draw", or the number of moves.
#[must_use]
pub fn distance_words(distance: Option<u8>) -> String {
    distance.map_or_else(|| "draw".into(), |distance| distance.to_string())
}

/// As Weka prints it: a line a branch, with the answer where there is one, and in brackets the rows behind it and those
/// of them that it tells wrong.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf { .. } => writeln!(f, ":{}", Answer(self)),
            Self::Node { .. } => branches(self, 0, f),
        }
    }
}

struct Answer<'a>(&'a Tree);

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree::Leaf { distance, rows, errors } = self.0 else { return Ok(()) };
        write!(f, " {} ({rows}", distance_words(*distance))?;
        if *errors > 0 {
            write!(f, "/{errors}")?;
        }
        write!(f, ")")
    }
}

fn branches(tree: &Tree, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Tree::Node { attribute, test, branches: below } = tree else { return Ok(()) };
    for (answer, branch) in below.iter().enumerate() {
        write!(f, "{}{} {}", "|   ".repeat(depth), attribute.name(), answer_words(*attribute, *test, answer))?;
        if matches!(branch, Tree::Leaf { .. }) {
            writeln!(f, ":{}", Answer(branch))?;
        } else {
            writeln!(f)?;
            branches(branch, depth + 1, f)?;
        }
    }
    Ok(())
}

fn answer_words(attribute: Attribute, test: Test, answer: usize) -> String {
    match (test, attribute.kind()) {
        (Test::AtMost(most), _) => format!("{} {most}", if answer == 0 { "<=" } else { ">" }),
        (Test::Which, Kind::Words(words)) => format!("= {}", words.get(answer).unwrap_or(&"?")),
        (Test::Which, _) => format!("= {}", if answer == 1 { "yes" } else { "no" }),
    }
}

/// What an attribute says of a placement, in a sentence; the white and the black king of the thesis are "the rook's
/// king" and "the lone king" here, for colours may be the other way round.
#[must_use]
pub fn sentence(attribute: Attribute, value: u8) -> String {
    use Attribute as A;
    let plural = |n: u8, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let not = if value == 0 { "not " } else { "" };
    let does = |yes: &str, no: &str| (if value == 0 { no } else { yes }).to_owned();
    match attribute {
        A::WkBk => format!("the kings are {} apart", plural(value, "step")),
        A::WrBk => format!("the rook is {} from the lone king", plural(value, "step")),
        A::WkWr => format!("the rook is {} from its king", plural(value, "step")),
        A::FileWrBk => format!("the rook is {} from the lone king's", plural(value, "file")),
        A::RankWrBk => format!("the rook is {} from the lone king's", plural(value, "rank")),
        A::FileWkWr => format!("the rook is {} from its king's", plural(value, "file")),
        A::RankWkWr => format!("the rook is {} from its king's", plural(value, "rank")),
        A::FileWkBk => format!("the kings are {} apart", plural(value, "file")),
        A::RankWkBk => format!("the kings are {} apart", plural(value, "rank")),
        A::AlignmentWrBk => format!("the rook's nearer line is {} from the lone king", plural(value, "line")),
        A::AdjacentWkWr => format!("the rook is {not}protected by its king"),
        A::AdjacentWkBk => does("the kings touch", "the kings do not touch"),
        A::AdjacentWrBk => format!("the rook is {not}beside the lone king"),
        A::WrBetween => format!("the rook is {not}between the kings"),
        A::WkBetween => format!("the rook's king is {not}between the rook and the lone king"),
        A::BkBetween => format!("the lone king is {not}between the others"),
        A::BkEdge => format!("the lone king is {} from the edge", plural(value, "step")),
        A::BkCorner => format!("the lone king is {} from a corner", plural(value, "step")),
        A::WkCross => format!("the rook's king is {} from the centre", plural(value, "step")),
        A::WkCorner => format!("the rook's king is {} from a corner", plural(value, "step")),
        A::VerticalWrBk => format!("the rook is {not}on the line above the lone king"),
        A::VerticalWkBk => format!("the rook's king is {not}two lines above the lone king"),
        A::HorizontalWkBk => match value {
            0 => "the kings face each other".into(),
            1 => "the rook's king is an odd number of lines aside".into(),
            _ => "the rook's king is an even number of lines aside".into(),
        },
        A::SameZone => format!("the rook and the lone king are {not}in one third of the board"),
        A::Opposition => format!("the kings are {not}in opposition"),
        A::AlmostOpposition => format!("the kings are {not}a knight's move apart"),
        A::LPattern => does("the three form an L with check", "the three do not form an L with check"),
        A::DividesToEdge => {
            does("the rook cuts the lone king off at its edge", "the rook does not cut the lone king off at its edge")
        }
        A::HoldsToEdge => {
            does("the rook holds the lone king at its edge", "the rook does not hold the lone king at its edge")
        }
        A::OppositionToEdge => format!("the kings are {not}in opposition towards the edge"),
        A::Squeeze => {
            does("the rook squeezes the lone king to its edge", "the rook does not squeeze the lone king to its edge")
        }
        A::FreeSpace => format!("the rook leaves {}", plural(value, "square")),
        A::Available => format!("the lone king may go to {}", plural(value, "square")),
    }
}

/// What decides about a placement of king and rook against king: the attributes that `tree` asks on the way to its
/// answer, each once, in the order in which it asks.
#[must_use]
pub fn deciding(tree: &Tree, men: Men) -> Vec<String> {
    let mut seen = Vec::new();
    for (attribute, _, value) in tree.path(&values(men.canonical(), Reading::Words)).0 {
        if !seen.contains(&(attribute, value)) {
            seen.push((attribute, value));
        }
    }
    // Attributes are those of the canonical placement: files may be ranks on the board.
    let turned = files_apart(men) != files_apart(men.canonical());
    let on_board = |attribute| if turned { other_way(attribute) } else { attribute };
    seen.into_iter().map(|(attribute, value)| sentence(on_board(attribute), value)).collect()
}

fn files_apart(men: Men) -> [u32; 3] {
    let apart = |a: Square, b: Square| a.file().to_u32().abs_diff(b.file().to_u32());
    [apart(men.king, men.man), apart(men.king, men.weak), apart(men.man, men.weak)]
}

/// The attribute with files and ranks exchanged.
fn other_way(attribute: Attribute) -> Attribute {
    use Attribute as A;
    match attribute {
        A::FileWrBk => A::RankWrBk,
        A::RankWrBk => A::FileWrBk,
        A::FileWkWr => A::RankWkWr,
        A::RankWkWr => A::FileWkWr,
        A::FileWkBk => A::RankWkBk,
        A::RankWkBk => A::FileWkBk,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{attributes::Attribute, sets::Row};

    /// Rows that two attributes decide: the answer, and what is said of it.
    #[test]
    fn a_tree_can_be_read() {
        let row = |edge, opposition, distance| {
            let mut values = [0; 33];
            values[Attribute::BkEdge as usize] = edge;
            values[Attribute::Opposition as usize] = opposition;
            Row { values, distance }
        };
        let rows = [row(0, 1, Some(1)), row(0, 0, Some(4)), row(2, 0, Some(11)), row(3, 1, Some(11))];
        let rows: Vec<Row> = rows.into_iter().cycle().take(40).collect();
        let tree = Tree::grow(&rows, &[Attribute::BkEdge, Attribute::Opposition], 1);
        let text =
            "BK to edge <= 0\n|   opposition = no: 4 (10)\n|   opposition = yes: 1 (10)\nBK to edge > 0: 11 (20)\n";
        assert_eq!(tree.to_string(), text);
        assert_eq!(tree.classify(&rows[1].values), Some(4));
        let opposed = Men { king: Square::C3, man: Square::H8, weak: Square::C1 };
        let said = deciding(&tree, opposed);
        assert_eq!(said, ["the lone king is 0 steps from the edge", "the kings are in opposition"]);
        let inside = Men { king: Square::A1, man: Square::H1, weak: Square::D6 };
        assert_eq!(deciding(&tree, inside), ["the lone king is 2 steps from the edge"]);
    }

    /// What is said of files and ranks is true on the board as it stands, not only on the canonical one.
    #[test]
    fn files_are_files_on_the_board() {
        let row = |files, distance| {
            let mut values = [0; 33];
            values[Attribute::FileWrBk as usize] = files;
            Row { values, distance: Some(distance) }
        };
        let rows: Vec<Row> = [row(1, 3), row(4, 5)].into_iter().cycle().take(40).collect();
        let tree = Tree::grow(&rows, &[Attribute::FileWrBk], 1);
        let men = Men { king: Square::B1, man: Square::G4, weak: Square::C6 };
        assert_eq!(deciding(&tree, men), ["the rook is 4 files from the lone king's"]);
        assert_eq!(deciding(&tree, men.map(Square::flip_diagonal)), ["the rook is 4 ranks from the lone king's"]);
    }
}
