//! Sets of attributes, and what is left of the table when each placement is known only by the values of one set: the
//! transformed databases of Breda 2006, chapter 4.

use std::collections::BTreeMap;

use chess_observer::endgame::men::Men;

use super::attributes::{Attribute, Reading, Values, values};

/// A set of attributes of table 3.1, named for who used it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Set {
    /// M. Bain.
    Bain,
    /// E. Morales.
    Morales,
    /// A. Sadikov.
    Sadikov,
    /// L. Torres y Quevedo's machine.
    Torres,
    /// The thesis's own choice ("My Selection").
    Selection,
    /// All 33.
    All,
}

impl Set {
    /// In the order of table 4.1.
    pub const EVERY: [Self; 6] = [Self::Bain, Self::Morales, Self::Sadikov, Self::Torres, Self::Selection, Self::All];

    /// As in table 4.1.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bain => "Bain",
            Self::Morales => "Morales",
            Self::Sadikov => "Sadikov",
            Self::Torres => "Torres",
            Self::Selection => "My Selection",
            Self::All => "All attributes",
        }
    }

    /// Its attributes, in the order of the thesis's program: the first of equally good tests is taken, so trees depend
    /// on it.
    #[must_use]
    pub fn attributes(self) -> Vec<Attribute> {
        use Attribute as A;
        match self {
            Self::Bain => vec![
                A::FileWkBk,
                A::RankWkBk,
                A::FileWrBk,
                A::RankWrBk,
                A::FileWkWr,
                A::RankWkWr,
                A::WkBetween,
                A::WrBetween,
                A::BkBetween,
                A::AdjacentWkWr,
                A::AdjacentWkBk,
                A::AdjacentWrBk,
            ],
            Self::Morales => vec![A::AdjacentWrBk, A::WrBetween, A::AlmostOpposition, A::LPattern, A::WkBetween],
            Self::Sadikov => vec![
                A::WkBk,
                A::WrBk,
                A::Opposition,
                A::BkEdge,
                A::FreeSpace,
                A::WrBetween,
                A::DividesToEdge,
                A::HoldsToEdge,
                A::OppositionToEdge,
                A::Squeeze,
                A::BkCorner,
                A::WkCross,
            ],
            Self::Torres => vec![A::VerticalWrBk, A::SameZone, A::VerticalWkBk, A::HorizontalWkBk],
            Self::Selection => vec![
                A::WrBk,
                A::WkWr,
                A::WkBk,
                A::BkCorner,
                A::AlignmentWrBk,
                A::Available,
                A::FreeSpace,
                A::OppositionToEdge,
                A::WkCross,
                A::WkCorner,
                A::AlmostOpposition,
            ],
            Self::All => {
                let others = [Self::Bain, Self::Morales, Self::Sadikov, Self::Torres, Self::Selection];
                let mut all = Vec::new();
                for attribute in others.into_iter().flat_map(Self::attributes) {
                    if !all.contains(&attribute) {
                        all.push(attribute);
                    }
                }
                all
            }
        }
    }
}

/// A combination of attribute values that fixes the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Of all attributes; those outside the set are 0.
    pub values: Values,
    /// Full moves until mate; `None` is a draw.
    pub distance: Option<u8>,
}

/// The table, seen through a set of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// Each combination of values whose placements all have one distance, once.
    pub rows: Vec<Row>,
    /// Placements whose combination of values does not fix the distance.
    pub errors: usize,
    /// Placements in all.
    pub placements: usize,
}

impl Database {
    /// Looks at `placements` and their distances through `set`.
    #[must_use]
    pub fn transform(placements: impl Iterator<Item = (Men, Option<u8>)>, set: Set, reading: Reading) -> Self {
        let seen = set.attributes();
        // Of each combination: how many placements, and their distance while they agree.
        let mut combinations: BTreeMap<Values, (usize, Option<Option<u8>>)> = BTreeMap::new();
        let mut total = 0;
        for (men, distance) in placements {
            total += 1;
            let all = values(men, reading);
            let mut values = [0; 33];
            for &attribute in &seen {
                values[attribute as usize] = all[attribute as usize];
            }
            let (count, agreed) = combinations.entry(values).or_insert((0, Some(distance)));
            *count += 1;
            *agreed = agreed.filter(|&agreed| agreed == distance);
        }
        let (mut rows, mut errors) = (Vec::new(), 0);
        for (values, (count, agreed)) in combinations {
            match agreed {
                Some(distance) => rows.push(Row { values, distance }),
                None => errors += count,
            }
        }
        Self { rows, errors, placements: total }
    }

    /// Share of placements whose distance the attributes fix, 0 to 1.
    #[must_use]
    pub fn correctness(&self) -> f64 {
        (self.placements - self.errors) as f64 / self.placements.max(1) as f64
    }

    /// Rows and errors a placement: how much shorter the table has become.
    #[must_use]
    pub fn compression(&self) -> f64 {
        (self.rows.len() + self.errors) as f64 / self.placements.max(1) as f64
    }
}
