//! Packs the table as [`InPlace`](super::in_place::InPlace) reads it: grows the tree, and finds out where an exception
//! is cheaper than another question.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::RangeInclusive,
};

use chess_observer::endgame::men::Men;

use super::{
    bits::BitWriter,
    features::{Asked, FEATURES},
    in_place::{BLOCK, BUCKETS, CLASSES, CORRECTIONS, LEAVES, bits_for, width},
    ribbon,
};

/// Trees are grown in rounds, each with the most frequent tests of the tree before, the first one with all: how many
/// tests of each node are tried, and how many are kept for the next round. The smallest packed form counts. More rounds,
/// tests or tries made it no smaller than by a percent.
const ROUNDS: [(usize, usize); 3] = [(1, 224), (7, 192), (10, 0)];
/// What a question adds to the packed form, in hundredths of a bit: two bits of shape, a leaf (a third of 16 bits) ...
const QUESTION: u32 = 200 + 533;
/// ... and the number of its test, here of 128.
const TEST: u32 = 700;
/// What another exception costs: two bits of correction, five low ones and one in the buckets are 8; half a bit more
/// was smaller in the end.
const EXCEPTION: u32 = 850;
/// What a placement costs in the ribbon.
const RIBBON: u32 = 105;

/// A placement: its features and class.
struct Row {
    features: [u8; FEATURES as usize],
    class: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Test {
    feature: u8,
    equal: bool,
    value: u8,
}

impl Test {
    fn passes(self, row: &Row) -> bool {
        let found = row.features[usize::from(self.feature)];
        if self.equal { found == self.value } else { found <= self.value }
    }
}

enum Node {
    Leaf(u8),
    Ask(Test, Box<[Node; 2]>),
}

type Counts = [u32; CLASSES];

/// Bits to tell the class of every row.
fn entropy(counts: &Counts) -> f64 {
    // libm and not the platform's logarithm: the same tree with every C library.
    let term = |n: u32| if n == 0 { 0.0 } else { f64::from(n) * libm::log2(f64::from(n)) };
    term(counts.iter().sum()) - counts.iter().copied().map(term).sum::<f64>()
}

/// Does a correction lead from one class to the other, or are they one?
fn near(class: usize, other: usize) -> bool {
    class == other || class > 0 && other > 0 && CORRECTIONS.iter().any(|&c| class as i8 + c == other as i8)
}

/// The classes that a leaf may tell: one, or two.
fn classes_of(leaf: usize) -> RangeInclusive<usize> {
    match leaf.checked_sub(CLASSES) {
        None => leaf..=leaf,
        Some(fewer) => fewer + 1..=fewer + 2,
    }
}

/// The cheapest leaf for placements of these classes, and its cost; `None` where corrections do not reach all.
fn leaf(counts: &Counts) -> Option<(u8, u32)> {
    let total: u32 = counts.iter().sum();
    let cost = |leaf: usize| {
        let classes = classes_of(leaf);
        let told: u32 = counts[classes.clone()].iter().sum();
        let reached = (0..CLASSES).all(|other| {
            counts[other] == 0 || classes.contains(&other) || classes.clone().all(|class| near(class, other))
        });
        let ribbon = if leaf < CLASSES { 0 } else { told * RIBBON };
        (told > 0 && reached).then_some((leaf as u8, (total - told) * EXCEPTION + ribbon))
    };
    (0..LEAVES).filter_map(cost).min_by_key(|&(_, cost)| cost)
}

/// The `most` best tests by entropy: of all thresholds and values, or only of `allowed` ones.
fn best_tests(rows: &[&Row], counts: &Counts, allowed: Option<&[Test]>, most: usize) -> Vec<Test> {
    let before = entropy(counts);
    let mut found: Vec<(f64, Test)> = Vec::new();
    for feature in 0..FEATURES {
        if allowed.is_some_and(|allowed| allowed.iter().all(|test| test.feature != feature)) {
            continue;
        }
        let mut by_value: BTreeMap<u8, Counts> = BTreeMap::new();
        for row in rows {
            by_value.entry(row.features[usize::from(feature)]).or_insert([0; CLASSES])[usize::from(row.class)] += 1;
        }
        if by_value.len() < 2 {
            continue;
        }
        let mut below = [0; CLASSES];
        let mut weigh = |test: Test, inside: &Counts| {
            let outside = std::array::from_fn(|class| counts[class] - inside[class]);
            let gain = before - entropy(inside) - entropy(&outside);
            let both = inside.iter().sum::<u32>() > 0 && outside.iter().sum::<u32>() > 0;
            if both {
                found.push((gain, test));
            }
        };
        match allowed {
            None => {
                for (&value, here) in &by_value {
                    below = std::array::from_fn(|class| below[class] + here[class]);
                    weigh(Test { feature, equal: false, value }, &below);
                    weigh(Test { feature, equal: true, value }, here);
                }
            }
            Some(allowed) => {
                for &test in allowed.iter().filter(|test| test.feature == feature) {
                    let mut inside = [0; CLASSES];
                    let passing =
                        by_value.iter().filter(|&(&v, _)| if test.equal { v == test.value } else { v <= test.value });
                    for (_, here) in passing {
                        inside = std::array::from_fn(|class| inside[class] + here[class]);
                    }
                    weigh(test, &inside);
                }
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Tests that gain the same mostly are the same question in other words.
    found.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-9);
    found.truncate(most);
    found.into_iter().map(|(_, test)| test).collect()
}

/// A tree for `rows`, and its cost; `None` where the allowed tests cannot tell them apart. Of the `tried` best tests of
/// each node the one is taken under which trees grown by the best test alone are cheapest.
fn grow(rows: &[&Row], allowed: Option<&[Test]>, tried: usize) -> Option<(Node, u32)> {
    let mut counts = [0; CLASSES];
    rows.iter().for_each(|row| counts[usize::from(row.class)] += 1);
    let alone = leaf(&counts).map(|(leaf, cost)| (Node::Leaf(leaf), cost));
    if alone.as_ref().is_some_and(|(_, cost)| *cost < QUESTION + TEST) {
        return alone;
    }
    let sides = |test: Test| -> (Vec<&Row>, Vec<&Row>) { rows.iter().partition(|row| test.passes(row)) };
    let asking = |test: Test, tried: usize| {
        let (yes, no) = sides(test);
        let ((yes, a), (no, b)) = (grow(&yes, allowed, tried)?, grow(&no, allowed, tried)?);
        Some((Node::Ask(test, Box::new([yes, no])), a + b + QUESTION + TEST))
    };
    let tests = best_tests(rows, &counts, allowed, tried);
    let asked = match tests[..] {
        [] => None,
        [test] => asking(test, tried),
        _ => {
            let costs = tests.iter().filter_map(|&test| asking(test, 1).map(|(_, cost)| (cost, test)));
            costs.min().and_then(|(_, test)| asking(test, tried))
        }
    };
    match (alone, asked) {
        (Some(alone), Some(asked)) => Some(if alone.1 <= asked.1 { alone } else { asked }),
        (alone, asked) => alone.or(asked),
    }
}

/// Tests of a tree and how often it asks each.
fn count_tests(node: &Node, counts: &mut BTreeMap<Test, usize>) {
    if let Node::Ask(test, branches) = node {
        *counts.entry(*test).or_default() += 1;
        branches.iter().for_each(|branch| count_tests(branch, counts));
    }
}

fn leaf_of(mut node: &Node, row: &Row) -> usize {
    loop {
        match node {
            Node::Leaf(leaf) => return usize::from(*leaf),
            Node::Ask(test, branches) => node = &branches[usize::from(!test.passes(row))],
        }
    }
}

/// Packs the distances of all canonical placements with the weak side to move, in their order.
///
/// # Errors
/// When the tests cannot tell the placements apart, or there are more of something than the format counts.
pub fn pack(placements: impl Iterator<Item = (Men, Option<u8>)>) -> Result<Vec<u8>, String> {
    let rows: Vec<Row> = placements
        .map(|(men, distance)| {
            let asked = Asked::of(men);
            Row {
                features: std::array::from_fn(|feature| asked.feature(feature as u8)),
                class: distance.map_or(0, |distance| distance + 1),
            }
        })
        .collect();
    let all: Vec<&Row> = rows.iter().collect();
    let mut allowed: Option<Vec<Test>> = None;
    let mut best: Option<Vec<u8>> = None;
    for (tried, kept) in ROUNDS {
        let (tree, _) = grow(&all, allowed.as_deref(), tried).ok_or("the features do not tell all placements apart")?;
        if let Some(tests) = &allowed {
            best = best.into_iter().chain(write(&tree, tests, &rows)).min_by_key(Vec::len);
        }
        let mut used = BTreeMap::new();
        count_tests(&tree, &mut used);
        let mut by_use: Vec<(usize, Test)> = used.into_iter().map(|(test, n)| (n, test)).collect();
        by_use.sort_by_key(|&(n, test)| (std::cmp::Reverse(n), test));
        let mut tests: Vec<Test> = by_use.iter().take(kept).map(|&(_, test)| test).collect();
        tests.sort_unstable();
        allowed = Some(tests);
    }
    best.ok_or_else(|| "the packed form cannot count that many nodes or exceptions".into())
}

/// The bytes of a tree; `None` where a number does not fit.
fn write(tree: &Node, tests: &[Test], rows: &[Row]) -> Option<Vec<u8>> {
    let nodes = Nodes::of(tree, tests)?;
    let ribbon = ribbon_of(tree, rows);
    let exceptions = exceptions(tree, rows, &ribbon);
    let mut writer = BitWriter::default();
    for count in [tests.len(), nodes.tests.len(), exceptions.len()] {
        writer.put_whole(count, width::HEAD)?;
    }
    writer.put_whole(ribbon.len(), width::RIBBON)?;
    for test in tests {
        writer.put_whole(usize::from(test.feature), width::FEATURE)?;
        writer.put_whole(usize::from(test.equal), width::EQUAL)?;
        writer.put_whole(usize::from(test.value), width::VALUE)?;
    }
    nodes.write(&mut writer, bits_for(tests.len()))?;
    write_exceptions(&mut writer, &exceptions)?;
    ribbon.iter().for_each(|&bit| writer.put(u32::from(bit), 1));
    Some(writer.finish())
}

/// The nodes of a tree, level by level.
#[derive(Default)]
struct Nodes {
    /// Does a node ask?
    asks: Vec<bool>,
    /// The tests of those that ask, by their numbers.
    tests: Vec<usize>,
    /// What the others tell.
    leaves: Vec<usize>,
}

impl Nodes {
    /// `None` where the tree has a test that is not among these.
    fn of(tree: &Node, tests: &[Test]) -> Option<Self> {
        let mut nodes = Self::default();
        let mut queue = VecDeque::from([tree]);
        while let Some(node) = queue.pop_front() {
            match node {
                Node::Leaf(leaf) => nodes.leaves.push(usize::from(*leaf)),
                Node::Ask(test, branches) => {
                    nodes.tests.push(tests.binary_search(test).ok()?);
                    queue.extend(branches.iter());
                }
            }
            nodes.asks.push(matches!(node, Node::Ask(..)));
        }
        Some(nodes)
    }

    /// Counts of those that ask before each block, then their shape, tests and leaves.
    fn write(&self, writer: &mut BitWriter, test_width: usize) -> Option<()> {
        let mut before = 0;
        for block in self.asks.chunks(BLOCK) {
            writer.put_whole(before, width::HEAD)?;
            before += block.iter().filter(|&&asks| asks).count();
        }
        self.asks.iter().for_each(|&asks| writer.put(u32::from(asks), 1));
        for &test in &self.tests {
            writer.put_whole(test, test_width)?;
        }
        for three in self.leaves.chunks(3) {
            writer.put_whole(three.iter().rev().fold(0, |sum, &leaf| sum * LEAVES + leaf), width::THREE_LEAVES)?;
        }
        Some(())
    }
}

/// Each placement's number, the classes that its leaf tells, and its own.
fn told(tree: &Node, rows: &[Row]) -> impl Iterator<Item = (usize, RangeInclusive<usize>, usize)> {
    rows.iter().enumerate().map(|(index, row)| (index, classes_of(leaf_of(tree, row)), usize::from(row.class)))
}

/// The ribbon that chooses where a leaf tells two classes. Exceptions may have any bit in it: what it says of them is
/// corrected.
fn ribbon_of(tree: &Node, rows: &[Row]) -> Vec<bool> {
    let bits: Vec<(usize, bool)> = told(tree, rows)
        .filter(|(_, classes, class)| classes.end() > classes.start() && classes.contains(class))
        .map(|(index, classes, class)| (index, class == *classes.end()))
        .collect();
    ribbon::pack(&bits)
}

/// Placements of which tree and ribbon tell the wrong class, each with the number of its correction.
fn exceptions(tree: &Node, rows: &[Row], ribbon: &[bool]) -> Vec<(usize, usize)> {
    let mut bytes = BitWriter::default();
    ribbon.iter().for_each(|&bit| bytes.put(u32::from(bit), 1));
    let bytes = bytes.finish();
    told(tree, rows)
        .filter_map(|(index, classes, class)| {
            let choice = classes.end() > classes.start() && ribbon::bit(&bytes, 0, ribbon.len(), index);
            let off = class as i8 - (classes.start() + usize::from(choice)) as i8;
            CORRECTIONS.iter().position(|&c| c == off).map(|which| (index, which))
        })
        .collect()
}

/// The low parts of the exceptions' numbers, how many are in each bucket of the high parts, and the corrections.
fn write_exceptions(writer: &mut BitWriter, exceptions: &[(usize, usize)]) -> Option<()> {
    for (index, _) in exceptions {
        writer.put_whole(index & ((1 << width::LOW) - 1), width::LOW)?;
    }
    for bucket in 0..BUCKETS {
        let inside = exceptions.iter().filter(|(index, _)| index >> width::LOW == bucket).count();
        (0..inside).for_each(|_| writer.put(1, 1));
        writer.put(0, 1);
    }
    exceptions.iter().try_for_each(|&(_, which)| writer.put_whole(which, width::CORRECTION))
}
