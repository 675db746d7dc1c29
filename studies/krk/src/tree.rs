//! Decision trees from attributes to distances, grown as J. R. Quinlan's C4.5 does (*C4.5: Programs for Machine
//! Learning*, 1993), in the form that Weka's J48 gives it with `-U -M n`, which the thesis used: unpruned, but a node
//! whose test spares no error becomes a leaf.

use super::{
    attributes::{Attribute, Kind, Values},
    sets::Row,
};

/// Classes: a draw, and 0 to 16 moves.
const CLASSES: usize = 18;
/// Fewest rows on both sides of a number's threshold: a tenth of what a class has on average, as in C4.5 ...
const SHARE_A_SIDE: f64 = 0.1;
/// ... but never more than this.
const MOST_A_SIDE: f64 = 25.0;
/// Differences below this are none, as in Weka: sums of logarithms are not exact.
const EQUAL: f64 = 1e-6;
/// A test may be this much (bits) below the average gain of all tests and still count, as in C4.5.
const BELOW_AVERAGE: f64 = 1e-3;

/// How many rows of each class.
type Counts = [u32; CLASSES];

fn class(row: &Row) -> usize {
    row.distance.map_or(0, |distance| usize::from(distance) + 1).min(CLASSES - 1)
}

fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> Counts {
    let mut counts = [0; CLASSES];
    rows.for_each(|row| counts[class(row)] += 1);
    counts
}

fn total(counts: &Counts) -> f64 {
    f64::from(counts.iter().sum::<u32>())
}

/// The most frequent class, of equal ones the first, and how many rows are of others.
fn majority(counts: &Counts) -> (usize, u32) {
    let best = (0..CLASSES).rev().max_by_key(|&class| counts[class]).unwrap_or(0);
    (best, counts.iter().sum::<u32>() - counts[best])
}

/// Bits to tell the class of every row: n log n − Σ nᵢ log nᵢ.
fn bits(counts: &[f64]) -> f64 {
    let term = |n: f64| if n > 0.0 { n * n.log2() } else { 0.0 };
    term(counts.iter().sum()) - counts.iter().copied().map(term).sum::<f64>()
}

fn class_bits(counts: &Counts) -> f64 {
    bits(&counts.map(f64::from))
}

/// What a node asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// Is the number at most so much? The branches are yes and no.
    AtMost(u8),
    /// Which word, or 0 or 1? One branch each, in that order.
    Which,
}

/// A decision tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// The distance; `None` is a draw.
    Leaf {
        /// Of most of its rows.
        distance: Option<u8>,
        /// Rows it was grown from.
        rows: u32,
        /// Rows of these with another distance.
        errors: u32,
    },
    /// A question.
    Node {
        /// What is asked for.
        attribute: Attribute,
        /// What is asked.
        test: Test,
        /// One tree for each answer.
        branches: Vec<Tree>,
    },
}

struct Split {
    attribute: Attribute,
    test: Test,
    gain: f64,
    ratio: f64,
}

/// Rows on each side, of each class.
fn gain_ratio(sides: &[Counts], gain: f64) -> f64 {
    let totals: Vec<f64> = sides.iter().map(total).collect();
    let split = bits(&totals) / totals.iter().sum::<f64>();
    if split < EQUAL { 0.0 } else { gain / split }
}

fn branches_of(kind: Kind) -> usize {
    match kind {
        Kind::Number | Kind::Boolean => 2,
        Kind::Words(words) => words.len(),
    }
}

/// The split of `rows` by the words of `attribute`; at least two sides must have `least` rows.
fn split_by_word(rows: &[Row], attribute: Attribute, least: u32) -> Option<Split> {
    let mut sides = vec![[0; CLASSES]; branches_of(attribute.kind())];
    for row in rows {
        sides[usize::from(row.values[attribute as usize])][class(row)] += 1;
    }
    let large = sides.iter().filter(|side| total(side) + EQUAL >= f64::from(least)).count();
    if large < 2 {
        return None;
    }
    let gain = (class_bits(&counts(rows.iter())) - sides.iter().map(class_bits).sum::<f64>()) / rows.len() as f64;
    Some(Split { attribute, test: Test::Which, gain, ratio: gain_ratio(&sides, gain) })
}

/// The best threshold on the number `attribute`: that of the highest gain. Its gain is then charged for the choice
/// among thresholds (Quinlan 1996, *Improved Use of Continuous Attributes in C4.5*).
fn split_by_number(rows: &[Row], attribute: Attribute, least: u32) -> Option<Split> {
    let n = rows.len() as f64;
    let least = (SHARE_A_SIDE * n / CLASSES as f64).min(MOST_A_SIDE).max(f64::from(least));
    if n < 2.0 * least {
        return None;
    }
    let mut by_value = vec![[0; CLASSES]; 1 + usize::from(u8::MAX)];
    for row in rows {
        by_value[usize::from(row.values[attribute as usize])][class(row)] += 1;
    }
    let all = counts(rows.iter());
    let before = class_bits(&all);
    let (mut below, mut last) = ([0; CLASSES], None);
    let (mut best, mut tried): (Option<(f64, u8, [Counts; 2])>, u32) = (None, 0);
    for value in 0..=u8::MAX {
        let here = &by_value[usize::from(value)];
        if here.iter().all(|&n| n == 0) {
            continue;
        }
        let above = std::array::from_fn(|class| all[class] - below[class]);
        if let Some(last) = last
            && total(&below) + EQUAL >= least
            && total(&above) + EQUAL >= least
        {
            tried += 1;
            let gain = (before - class_bits(&below) - class_bits(&above)) / n;
            if gain > best.as_ref().map_or(0.0, |best| best.0) + EQUAL {
                best = Some((gain, last, [below, above]));
            }
        }
        below = std::array::from_fn(|class| below[class] + here[class]);
        last = Some(value);
    }
    let (gain, threshold, sides) = best?;
    let gain = gain - f64::from(tried).log2() / n;
    (gain > EQUAL).then(|| Split { attribute, test: Test::AtMost(threshold), gain, ratio: gain_ratio(&sides, gain) })
}

/// The test of the highest gain ratio among those whose gain is at least average.
fn best_split(rows: &[Row], attributes: &[Attribute], least: u32) -> Option<Split> {
    let splits: Vec<Split> = attributes
        .iter()
        .filter_map(|&attribute| match attribute.kind() {
            Kind::Number => split_by_number(rows, attribute, least),
            Kind::Boolean | Kind::Words(_) => split_by_word(rows, attribute, least),
        })
        .collect();
    let average = splits.iter().map(|split| split.gain).sum::<f64>() / splits.len().max(1) as f64;
    let mut best: Option<Split> = None;
    for split in splits {
        let wanted = best.as_ref().map_or(0.0, |best| best.ratio);
        if split.gain >= average - BELOW_AVERAGE && split.ratio > wanted + EQUAL {
            best = Some(split);
        }
    }
    best
}

impl Tree {
    /// Grows a tree on `rows`, with at least `least` rows on two sides of every test.
    #[must_use]
    pub fn grow(rows: &[Row], attributes: &[Attribute], least: u32) -> Self {
        grow(rows.to_vec(), attributes, least).0
    }

    /// The distance that the tree tells; `None` is a draw.
    #[must_use]
    pub fn classify(&self, values: &Values) -> Option<u8> {
        self.path(values).1
    }

    /// The questions on the way to the answer, each with the value that was found, and the answer.
    #[must_use]
    pub fn path(&self, values: &Values) -> (Vec<(Attribute, Test, u8)>, Option<u8>) {
        let (mut tree, mut path) = (self, Vec::new());
        loop {
            match tree {
                Self::Leaf { distance, .. } => return (path, *distance),
                Self::Node { attribute, test, branches } => {
                    let value = values[*attribute as usize];
                    path.push((*attribute, *test, value));
                    let answer = match test {
                        Test::AtMost(most) => usize::from(value > *most),
                        Test::Which => usize::from(value),
                    };
                    let Some(branch) = branches.get(answer) else { return (path, None) };
                    tree = branch;
                }
            }
        }
    }

    /// Leaves.
    #[must_use]
    pub fn leaves(&self) -> usize {
        match self {
            Self::Leaf { .. } => 1,
            Self::Node { branches, .. } => branches.iter().map(Self::leaves).sum(),
        }
    }

    /// Nodes and leaves.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Leaf { .. } => 1,
            Self::Node { branches, .. } => 1 + branches.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// Rows that it was grown from and tells wrong.
    #[must_use]
    pub fn errors(&self) -> u32 {
        match self {
            Self::Leaf { errors, .. } => *errors,
            Self::Node { branches, .. } => branches.iter().map(Self::errors).sum(),
        }
    }
}

/// The tree, and its errors.
fn grow(rows: Vec<Row>, attributes: &[Attribute], least: u32) -> (Tree, u32) {
    let counts = counts(rows.iter());
    let (class, errors) = majority(&counts);
    let leaf = Tree::Leaf {
        distance: class.checked_sub(1).and_then(|distance| u8::try_from(distance).ok()),
        rows: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        errors,
    };
    if errors == 0 || rows.len() < 2 * least as usize {
        return (leaf, errors);
    }
    let Some(split) = best_split(&rows, attributes, least) else { return (leaf, errors) };
    let mut sides = vec![Vec::new(); branches_of(split.attribute.kind())];
    for row in rows {
        let value = row.values[split.attribute as usize];
        let side = match split.test {
            Test::AtMost(most) => usize::from(value > most),
            Test::Which => usize::from(value),
        };
        sides[side].push(row);
    }
    let grown: Vec<(Tree, u32)> = sides.into_iter().map(|side| grow(side, attributes, least)).collect();
    let below: u32 = grown.iter().map(|(_, errors)| errors).sum();
    if below >= errors {
        return (leaf, errors);
    }
    let branches = grown.into_iter().map(|(tree, _)| tree).collect();
    (Tree::Node { attribute: split.attribute, test: split.test, branches }, below)
}
