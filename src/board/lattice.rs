//! Crossings that belong together: a lattice grown cell by cell under one homography.

use std::collections::BTreeMap;

use nalgebra::Vector2;

use super::{
    crossings::{Crossing, line_angle},
    geometry::{BoardPoint, Homography, ImagePoint},
};

/// Greatest angle between a line of a crossing and that of its neighbour: the estimate's own error, and perspective.
const LINES_APART_RAD: f64 = 0.45;
/// Greatest sine of the angle between a crossing's line and the way to its neighbour.
const OFF_LINE: f64 = 0.25;
/// Least ratio of the contrasts of neighbours: men's shadows and highlights take half and more.
const LEAST_SIMILAR: f32 = 0.2;
/// Seed cells grown before the search is given up. A board's seed is among the strongest; more only cost time in
/// pictures full of clutter.
const MOST_TRIES: usize = 160;
/// A lattice of this many nodes is very probably the board: the search is cut short.
const PLENTY: usize = 24;
/// Distance of a crossing from where the lattice expects it, in squares. Squares of wood are cut unevenly, halves of
/// folding boards do not lie in one plane.
const OFF_PLACE_SQUARES: f64 = 0.2;
/// By how much a lens may bend the lattice beyond that, in squares: three per cent at six squares from the middle.
const BENT_SQUARES: f64 = 0.18;
/// A line of so many crossings beside the seven by seven is no chance: the pattern is larger than a chess board.
const WHOLE_LINE: usize = 5;
/// How far from its last place a crossing is sought, in squares: less than half, or it could be the next one.
const NEAR_SQUARES: f64 = 0.33;
/// Shortest side of a square, in pixels of the reduced picture: below it crossings melt into each other.
const SHORTEST_PX: f64 = 6.0;
/// A lattice this wide is no chess board of 7 inner lines, even with two lines of frame or coordinates taken for it.
const WIDEST: i32 = 11;
/// Neighbours considered on each ray of a crossing: a stray saddle may come before the right one.
const PER_RAY: usize = 2;

/// A place in the lattice: whole steps along the seed's first and second line.
pub(crate) type Node = (i32, i32);

/// Cells of a lattice: a rectangle of them, or with eight by eight a board's squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// The cell of the lowest coordinates.
    pub(crate) low: Node,
    /// Cells along both lines.
    pub(crate) size: Node,
}

impl Field {
    /// As many cells as a board has, from this one on.
    pub(crate) const fn board(low: Node) -> Self {
        Self { low, size: (8, 8) }
    }

    /// With so many lines of cells more on every side.
    pub(crate) const fn grown(self, by: i32) -> Self {
        Self { low: (self.low.0 - by, self.low.1 - by), size: (self.size.0 + 2 * by, self.size.1 + 2 * by) }
    }

    /// Is a cell in it?
    pub(crate) fn holds(self, n: Node) -> bool {
        (0..self.size.0).contains(&(n.0 - self.low.0)) && (0..self.size.1).contains(&(n.1 - self.low.1))
    }

    /// Its cells.
    pub(crate) fn cells(self) -> impl Iterator<Item = Node> {
        let (low, size) = (self.low, self.size);
        (low.1..low.1 + size.1).flat_map(move |y| (low.0..low.0 + size.0).map(move |x| (x, y)))
    }

    /// A line of cells less on one side, or on two that meet: the eight ways.
    pub(crate) fn shrunk(self) -> impl Iterator<Item = Self> {
        let less = move |(left, right): (i32, i32), (above, below): (i32, i32)| Self {
            low: (self.low.0 + left, self.low.1 + above),
            size: (self.size.0 - left - right, self.size.1 - above - below),
        };
        const SIDES: [(i32, i32); 3] = [(0, 0), (1, 0), (0, 1)];
        SIDES.into_iter().flat_map(move |x| SIDES.map(|y| less(x, y))).filter(move |field| *field != self)
    }
}

/// Crossings at whole coordinates of a homography.
#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    /// Which crossing (index into the list) is at which node.
    pub(crate) nodes: BTreeMap<Node, usize>,
    /// Pixels of the reduced picture from lattice coordinates.
    pub(crate) map: Homography,
    /// Lattice width along both directions is more than a chess board's.
    pub(crate) too_wide: bool,
}

/// Index of crossings by place.
#[derive(Debug)]
struct Buckets {
    side: f64,
    cells: BTreeMap<(i32, i32), Vec<usize>>,
    /// The corners of the box that holds them all.
    low: ImagePoint,
    high: ImagePoint,
}

impl Buckets {
    fn new(crossings: &[Crossing], side: f64) -> Self {
        let mut cells: BTreeMap<(i32, i32), Vec<usize>> = BTreeMap::new();
        for (i, c) in crossings.iter().enumerate() {
            cells.entry(((c.at.x / side) as i32, (c.at.y / side) as i32)).or_default().push(i);
        }
        let (low, high) = crossings
            .iter()
            .fold((ImagePoint::new(f64::MAX, f64::MAX), ImagePoint::new(f64::MIN, f64::MIN)), |(low, high), c| {
                (low.inf(&c.at), high.sup(&c.at))
            });
        // A crossing may lie a little beyond where the map expects it.
        let margin = nalgebra::Vector2::new(side, side);
        Self { side, cells, low: low - margin, high: high + margin }
    }

    /// May there be crossings at `p`? Far outside nothing is looked for, however large the map's cells become there.
    fn covers(&self, p: ImagePoint) -> bool {
        self.low.x <= p.x && p.x <= self.high.x && self.low.y <= p.y && p.y <= self.high.y
    }

    /// Crossings in the buckets within `radius` of `p`.
    fn near(&self, p: ImagePoint, radius: f64) -> impl Iterator<Item = usize> + '_ {
        let low = (((p.x - radius) / self.side) as i32 - 1, ((p.y - radius) / self.side) as i32 - 1);
        let high = (((p.x + radius) / self.side) as i32 + 1, ((p.y + radius) / self.side) as i32 + 1);
        (low.1..=high.1)
            .flat_map(move |y| (low.0..=high.0).map(move |x| (x, y)))
            .filter_map(|key| self.cells.get(&key))
            .flatten()
            .copied()
    }
}

/// The lattices among `crossings` (strongest first), those of most nodes first, at most `most`.
pub(crate) fn find(crossings: &[Crossing], longest_px: f64, most: usize) -> Vec<Lattice> {
    let buckets = Buckets::new(crossings, 16.0);
    let mut used = vec![false; crossings.len()];
    let mut found: Vec<Lattice> = Vec::new();
    let mut tries = 0;
    for seed in 0..crossings.len() {
        if used[seed] {
            continue;
        }
        let enough = found.iter().any(|l| l.nodes.len() >= PLENTY);
        if tries > if enough { MOST_TRIES / 8 } else { MOST_TRIES } {
            break;
        }
        let rays = neighbours(crossings, seed, longest_px);
        'seed: for (first, second) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
            for &a in &rays[first] {
                for &b in &rays[second] {
                    if used[a] || used[b] {
                        continue;
                    }
                    let Some(start) = cell(crossings, &buckets, seed, a, b) else { continue };
                    tries += 1;
                    let Some(lattice) = grow(crossings, &buckets, longest_px, start) else { continue };
                    // Six nodes: less than that any clutter gives.
                    if lattice.nodes.len() >= 6 {
                        for i in lattice.nodes.values() {
                            used[*i] = true;
                        }
                        found.push(lattice);
                        break 'seed;
                    }
                }
            }
        }
    }
    found.sort_by_key(|l| std::cmp::Reverse(l.nodes.len()));
    found.truncate(most);
    found
}

/// The lattice of a board expected at `map` (pixels of the reduced picture from board coordinates), up to a third of a
/// square off. `None` when not even six crossings are there.
pub(crate) fn at_place(crossings: &[Crossing], map: &Homography) -> Option<Lattice> {
    let buckets = Buckets::new(crossings, 16.0);
    let mut nodes: BTreeMap<Node, usize> = BTreeMap::new();
    for node in (1..8).flat_map(|j| (1..8).map(move |i| (i, j))) {
        let expected = at(map, node);
        let radius = NEAR_SQUARES * spacing(map, node);
        if !(radius > 0.5 && radius < 1e3 && buckets.covers(expected)) {
            continue;
        }
        let way = |d: Node| {
            let v = at(map, (node.0 + d.0, node.1 + d.1)) - expected;
            v.y.atan2(v.x)
        };
        let (x, y) = (way((1, 0)), way((0, 1)));
        let fits = |c: &Crossing| {
            let off = |a: f64, b: f64| line_angle(c.lines[0], a).max(line_angle(c.lines[1], b));
            off(x, y).min(off(y, x)) < LINES_APART_RAD
        };
        let best = buckets
            .near(expected, radius)
            .filter(|i| fits(&crossings[*i]))
            .map(|i| ((crossings[i].at - expected).norm(), i))
            .filter(|(d, _)| *d < radius)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, i)) = best {
            nodes.insert(node, i);
        }
    }
    let mut map = fit(crossings, &nodes)?;
    prune(crossings, &mut nodes, &mut map)?;
    (nodes.len() >= 6).then_some(Lattice { nodes, map, too_wide: false })
}

/// Do the lines of two crossings fit neighbours (`steps` odd: light and dark swapped) or crossings two steps apart?
fn agree(a: &Crossing, b: &Crossing, steps: i32) -> bool {
    let [first, second] = if steps % 2 == 0 { b.lines } else { [b.lines[1], b.lines[0]] };
    line_angle(a.lines[0], first) < LINES_APART_RAD && line_angle(a.lines[1], second) < LINES_APART_RAD
}

/// Nearest fitting crossings along +first line, -first, +second, -second.
fn neighbours(crossings: &[Crossing], i: usize, longest_px: f64) -> [Vec<usize>; 4] {
    let c = &crossings[i];
    let ways = c.lines.map(|l| Vector2::new(l.cos(), l.sin()));
    let mut rays: [Vec<(f64, usize)>; 4] = Default::default();
    for (j, other) in crossings.iter().enumerate() {
        let way = other.at - c.at;
        let distance = way.norm();
        if j == i || distance < SHORTEST_PX || distance > longest_px {
            continue;
        }
        for (line, pair) in ways.iter().zip([0, 2]) {
            let off = line.perp(&way).abs() / distance;
            if off < OFF_LINE && similar(c, other) && agree(c, other, 1) {
                let ray = if line.dot(&way) > 0.0 { pair } else { pair + 1 };
                rays[ray].push((distance * (1.0 + 2.0 * off), j));
            }
        }
    }
    rays.map(|mut ray| {
        ray.sort_by(|a, b| a.0.total_cmp(&b.0));
        ray.into_iter().take(PER_RAY).map(|(_, j)| j).collect()
    })
}

/// Is `other` a crossing of as much contrast, more or less?
fn similar(c: &Crossing, other: &Crossing) -> bool {
    let ratio = other.strength / c.strength;
    ratio > LEAST_SIMILAR && ratio * LEAST_SIMILAR < 1.0
}

/// The fourth crossing of the cell with a seed and its two neighbours, when there is one.
fn cell(crossings: &[Crossing], buckets: &Buckets, seed: usize, a: usize, b: usize) -> Option<[(Node, usize); 4]> {
    let (p, q, r) = (crossings[seed].at, crossings[a].at, crossings[b].at);
    let side = (q - p).norm().min((r - p).norm());
    let expected = q + (r - p);
    // A foreshortened square's far side is up to a quarter shorter.
    let radius = 0.3 * side;
    let diagonal = buckets
        .near(expected, radius)
        .filter(|i| (crossings[*i].at - expected).norm() < radius && agree(&crossings[seed], &crossings[*i], 2))
        .min_by(|i, j| (crossings[*i].at - expected).norm().total_cmp(&(crossings[*j].at - expected).norm()))?;
    Some([((0, 0), seed), ((1, 0), a), ((0, 1), b), ((1, 1), diagonal)])
}

fn fit(crossings: &[Crossing], nodes: &BTreeMap<Node, usize>) -> Option<Homography> {
    let pairs: Vec<(BoardPoint, ImagePoint)> =
        nodes.iter().map(|(n, i)| (BoardPoint::new(f64::from(n.0), f64::from(n.1)), crossings[*i].at)).collect();
    Homography::from_points(&pairs)
}

fn at(map: &Homography, n: Node) -> ImagePoint {
    map.to_image(BoardPoint::new(f64::from(n.0), f64::from(n.1)))
}

/// Shortest distance from a node to the next ones, in pixels.
pub(crate) fn spacing(map: &Homography, n: Node) -> f64 {
    let here = at(map, n);
    [(1, 0), (-1, 0), (0, 1), (0, -1)]
        .into_iter()
        .map(|d| (at(map, (n.0 + d.0, n.1 + d.1)) - here).norm())
        .fold(f64::INFINITY, f64::min)
}

fn grow(crossings: &[Crossing], buckets: &Buckets, longest_px: f64, start: [(Node, usize); 4]) -> Option<Lattice> {
    let mut nodes: BTreeMap<Node, usize> = start.into_iter().collect();
    // Steps of one, and when these are exhausted of two, over men that hide crossings.
    let mut reach = 1;
    let mut map = fit(crossings, &nodes)?;
    // Pruned nodes are not tried again: they would come back for ever.
    let mut refused: Vec<Node> = Vec::new();
    while reach <= 2 {
        let mut added: Vec<(f64, Node, usize)> = Vec::new();
        for node in around(&nodes, reach) {
            if refused.contains(&node) {
                continue;
            }
            let expected = predict(crossings, &nodes, &map, node);
            let radius = OFF_PLACE_SQUARES * spacing(&map, node);
            // Near the horizon or a map's other follies the cells are of any size.
            if !(radius >= 1.0 && radius < OFF_PLACE_SQUARES * longest_px && buckets.covers(expected)) {
                continue;
            }
            let near = nearest(&nodes, node);
            let Some(reference) = nodes.get(&near).map(|i| &crossings[*i]) else { continue };
            let steps = node.0 - near.0 + node.1 - near.1;
            let best = buckets
                .near(expected, radius)
                .filter(|i| similar(reference, &crossings[*i]) && agree(reference, &crossings[*i], steps))
                .map(|i| ((crossings[i].at - expected).norm() / radius, i))
                .filter(|(d, _)| *d < 1.0)
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((distance, i)) = best {
                added.push((distance, node, i));
            }
        }
        // Two nodes may want the same crossing.
        added.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut taken: Vec<usize> = nodes.values().copied().collect();
        let before = nodes.len();
        for (_, node, i) in added {
            if !taken.contains(&i) {
                taken.push(i);
                nodes.insert(node, i);
            }
        }
        if nodes.len() == before {
            reach += 1;
            continue;
        }
        map = fit(crossings, &nodes)?;
        refused.extend(prune(crossings, &mut nodes, &mut map)?);
        let (low, high) = bounds(&nodes);
        if high.0 - low.0 > WIDEST || high.1 - low.1 > WIDEST {
            break;
        }
        // After a leap the near ones come first again.
        reach = 1;
    }
    let too_wide = trim(&mut nodes);
    map = fit(crossings, &nodes)?;
    Some(Lattice { nodes, map, too_wide })
}

/// Keeps the nodes of the seven by seven lines that hold most of them; true when a whole line, or as much as a third of
/// that number, was outside: a pattern larger than a chess board.
fn trim(nodes: &mut BTreeMap<Node, usize>) -> bool {
    let (low, high) = bounds(nodes);
    let mut best = (0, low);
    for y in low.1..=low.1.max(high.1 - 6) {
        for x in low.0..=low.0.max(high.0 - 6) {
            let inside = nodes.keys().filter(|n| (x..x + 7).contains(&n.0) && (y..y + 7).contains(&n.1)).count();
            if inside > best.0 {
                best = (inside, (x, y));
            }
        }
    }
    let all = nodes.len();
    let (inside, (x, y)) = best;
    let on = |line: &dyn Fn(&Node) -> bool| nodes.keys().filter(|n| line(n)).count();
    let column = |k: i32| on(&|n| n.0 == k && (y..y + 7).contains(&n.1));
    let row = |k: i32| on(&|n| n.1 == k && (x..x + 7).contains(&n.0));
    let beside = column(x - 1).max(column(x + 7)).max(row(y - 1)).max(row(y + 7));
    nodes.retain(|n, _| (x..x + 7).contains(&n.0) && (y..y + 7).contains(&n.1));
    beside >= WHOLE_LINE || (all - inside) * 3 > inside
}

/// Smallest and largest coordinates of the nodes.
pub(crate) fn bounds(nodes: &BTreeMap<Node, usize>) -> (Node, Node) {
    nodes.keys().fold(((i32::MAX, i32::MAX), (i32::MIN, i32::MIN)), |(low, high), n| {
        ((low.0.min(n.0), low.1.min(n.1)), (high.0.max(n.0), high.1.max(n.1)))
    })
}

/// Empty nodes at `reach` steps along one line from a filled one, in a fixed order.
fn around(nodes: &BTreeMap<Node, usize>, reach: i32) -> Vec<Node> {
    let mut empty: Vec<Node> = nodes
        .keys()
        .flat_map(|n| [(reach, 0), (-reach, 0), (0, reach), (0, -reach)].map(|d| (n.0 + d.0, n.1 + d.1)))
        .filter(|n| !nodes.contains_key(n))
        .collect();
    empty.sort_unstable();
    empty.dedup();
    empty
}

fn nearest(nodes: &BTreeMap<Node, usize>, node: Node) -> Node {
    nodes.keys().copied().min_by_key(|n| ((n.0 - node.0).abs() + (n.1 - node.1).abs(), *n)).unwrap_or(node)
}

/// Where a node is expected: under the homography, moved by what its nearest neighbours are off.
fn predict(crossings: &[Crossing], nodes: &BTreeMap<Node, usize>, map: &Homography, node: Node) -> ImagePoint {
    let mut sum = Vector2::zeros();
    let mut count = 0.0;
    for d in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        let n = (node.0 + d.0, node.1 + d.1);
        if let Some(i) = nodes.get(&n) {
            sum += crossings[*i].at - at(map, n);
            count += 1.0;
        }
    }
    at(map, node) + if count > 0.0 { sum / count } else { sum }
}

/// How far a node is off the map (in squares) otherwise than those around it: a lens bends the lattice, and moves
/// neighbours alike. Infinite with less than three of them.
fn off_neighbours(off_map: &BTreeMap<Node, Vector2<f64>>, n: Node) -> f64 {
    let around = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))).filter(|d| *d != (0, 0));
    let near: Vec<&Vector2<f64>> = around.filter_map(|d| off_map.get(&(n.0 + d.0, n.1 + d.1))).collect();
    if near.len() < 3 {
        return f64::INFINITY;
    }
    let mean = near.iter().copied().sum::<Vector2<f64>>() / near.len() as f64;
    off_map.get(&n).map_or(f64::INFINITY, |v| (v - mean).norm())
}

/// Drops nodes that the common homography does not explain, and fits again; returns what was dropped.
fn prune(crossings: &[Crossing], nodes: &mut BTreeMap<Node, usize>, map: &mut Homography) -> Option<Vec<Node>> {
    let mut dropped = Vec::new();
    for _ in 0..6 {
        if nodes.len() <= 6 {
            break;
        }
        let off_map: BTreeMap<Node, Vector2<f64>> =
            nodes.iter().map(|(n, i)| (*n, (crossings[*i].at - at(map, *n)) / spacing(map, *n))).collect();
        let mut off: Vec<(f64, Node)> = off_map
            .iter()
            .map(|(n, v)| (v.norm().min(off_neighbours(&off_map, *n)).max(v.norm() - BENT_SQUARES), *n))
            .filter(|o| o.0.is_nan() || o.0 >= OFF_PLACE_SQUARES)
            .collect();
        if off.is_empty() {
            break;
        }
        // The worst of them first: it is what bends the map, and the others may fit without it.
        off.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, n) in off.iter().take(off.len().div_ceil(3)) {
            nodes.remove(n);
            dropped.push(*n);
        }
        *map = fit(crossings, nodes)?;
    }
    Some(dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_less_a_line_is_within_it() {
        let board = Field::board((3, -2));
        assert_eq!(board.cells().count(), 64);
        assert_eq!(board.grown(1).cells().count(), 100);
        let shrunk: Vec<Field> = board.shrunk().collect();
        assert_eq!(shrunk.len(), 8);
        for (i, field) in shrunk.iter().enumerate() {
            assert!(field.cells().all(|n| board.holds(n)), "{field:?}");
            assert!([56, 49].contains(&field.cells().count()), "{field:?}");
            assert!(!shrunk[..i].contains(field), "{field:?} twice");
        }
    }
}
