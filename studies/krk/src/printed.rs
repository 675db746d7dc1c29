//! What the thesis prints, to compare with: G. Breda, *KRK Chess Endgame Database Knowledge Extraction and Compression*
//! (2006).

use super::sets::Set;

/// Table 1.3: canonical positions with Black to move that are lost in 0, 1, … 16 moves.
pub const LOST: [usize; 17] =
    [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
/// Table 1.3: drawn ones.
pub const DRAWN: usize = 2796;

/// A row of table 4.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transformed {
    /// The set of attributes.
    pub set: Set,
    /// "DB size": combinations of values that fix the distance.
    pub rows: usize,
    /// "Errors": positions whose values do not.
    pub errors: usize,
    /// Per cent.
    pub correctness: f64,
    /// Rows and errors a position.
    pub compression: f64,
}

const fn transformed(set: Set, rows: usize, errors: usize, correctness: f64, compression: f64) -> Transformed {
    Transformed { set, rows, errors, correctness, compression }
}

/// Table 4.1.
pub const TRANSFORMED: [Transformed; 6] = [
    transformed(Set::Bain, 1864, 23_585, 15.94, 0.91),
    transformed(Set::Morales, 3, 26_736, 4.70, 0.95),
    transformed(Set::Sadikov, 5567, 17_442, 37.83, 0.82),
    transformed(Set::Torres, 0, 28_056, 0.0, 1.0),
    transformed(Set::Selection, 22_531, 2272, 91.90, 0.88),
    transformed(Set::All, 28_056, 0, 100.0, 1.0),
];

/// A tree of appendix A: fewest rows a leaf, leaves, size, and wrong rows (from the percentages, which tell them
/// exactly). The last tree of all attributes cannot be read in the copy at hand.
pub type Grown = (u32, usize, usize, u32);

/// Appendix A.
pub const TREES: [(Set, &[Grown]); 3] = [
    (
        Set::Sadikov,
        &[
            (1, 1756, 3511, 89),
            (2, 950, 1899, 638),
            (4, 567, 1133, 1133),
            (8, 302, 603, 1593),
            (16, 156, 311, 2004),
            (32, 89, 177, 2391),
            (64, 45, 89, 2823),
            (128, 23, 45, 3091),
        ],
    ),
    (
        Set::Selection,
        &[
            (1, 6313, 12_625, 431),
            (2, 3567, 7133, 2166),
            (4, 2148, 4295, 3922),
            (8, 1207, 2413, 5646),
            (16, 628, 1255, 7157),
            (32, 348, 695, 8567),
            (64, 185, 369, 9980),
            (128, 95, 189, 11_169),
        ],
    ),
    (
        Set::All,
        &[
            (1, 4372, 8675, 12),
            (2, 3060, 6078, 943),
            (4, 2161, 4289, 2238),
            (8, 1329, 2640, 4153),
            (16, 775, 1539, 6132),
            (32, 433, 860, 8153),
            (64, 227, 452, 10_518),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{attributes::Reading, sets::Database, tree::Tree};
    use chess_observer::endgame::{generate::Table, men::Man};

    fn database(set: Set, reading: Reading) -> Database {
        Database::transform(Table::of(Man::Rook).weak_to_move(), set, reading)
    }

    /// Table 4.1 comes out to the last digit with the definitions of the thesis's program.
    #[test]
    fn the_transformed_databases_are_those_of_the_thesis() {
        for printed in TRANSFORMED {
            let ours = database(printed.set, Reading::Program);
            assert_eq!((ours.rows.len(), ours.errors), (printed.rows, printed.errors), "{:?}", printed.set);
            assert!((100.0 * ours.correctness() - printed.correctness).abs() < 0.006, "{:?}", printed.set);
            assert!((ours.compression() - printed.compression).abs() < 0.006, "{:?}", printed.set);
        }
    }

    /// With the definitions in words only the set whose attributes the program has otherwise differs.
    #[test]
    fn the_definitions_in_words_differ_where_the_program_does() {
        for printed in TRANSFORMED {
            let ours = database(printed.set, Reading::Words);
            let same = (ours.rows.len(), ours.errors) == (printed.rows, printed.errors);
            assert_eq!(same, printed.set != Set::Sadikov, "{:?}: {} {}", printed.set, ours.rows.len(), ours.errors);
        }
    }

    /// Every tree of appendix A that can be read: leaves, size and errors.
    #[test]
    fn the_trees_are_those_of_the_thesis() {
        for (set, trees) in TREES {
            let database = database(set, Reading::Program);
            for &(least, leaves, size, wrong) in trees {
                let tree = Tree::grow(&database.rows, &set.attributes(), least);
                assert_eq!((tree.leaves(), tree.size(), tree.errors()), (leaves, size, wrong), "{set:?} {least}");
            }
        }
    }
}
