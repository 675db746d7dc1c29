//! Which eight by eight squares of a lattice are the board, and which way round it lies.
//!
//! A lattice seldom shows all its lines: men hide the outer ranks, a frame continues the pattern. Every window of eight
//! by eight cells and every quarter turn is weighed by what its cells show: the two colours of squares where nothing
//! should stand, something else where a man should, no chequers outside, light men at White's end.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Matrix3, Vector3};
use shakmaty::{Board, Color, Square};

use super::{
    cells::{Cells, Colours, Look, luma, median, parity, sample},
    geometry::{BoardPoint, Homography, Projection, Rectangle, square_centre},
    lattice::{Field, Node, bounds},
    map::{BoardMap, quarter_turns},
    pose::vertical_from_homography,
    staunton,
    steps::Steps,
};
use crate::frame::Frame;

/// How much likelier (natural logarithm) eight lines are, with men on the outer ones, than seven lines with men beside
/// them. The outer rank of a board in the start position, seen from a side, costs up to 21; targets of seven by seven
/// squares have 31 to 50.
const MEN_BESIDE_CHEQUERS: f64 = 25.0;

/// A board placed on a lattice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    /// Pixels of the picture from board coordinates (a1's outer corner the origin).
    pub(crate) map: BoardMap,
    /// How much better (natural logarithm) than the best placement shifted by a square or more.
    pub(crate) margin: f64,
    /// Probability of this way round among the four.
    pub(crate) orientation: f64,
    /// Fraction of the squares that should be empty and look so, among those within the picture; of all squares,
    /// those that look empty, where the men are unknown.
    pub(crate) empty_fit: f64,
    /// Fraction of the squares where men are expected that look more like men than empty; 1 where none are known.
    pub(crate) men_fit: f64,
    /// Distance of light and dark squares, in grey levels.
    pub(crate) contrast: f64,
    /// Crossings of the lattice within the board.
    pub(crate) crossings: usize,
    /// Sides of the board beyond which the chequers go on.
    pub(crate) continued: usize,
    /// Fraction of the squares that lie within the picture.
    pub(crate) visible: f64,
    /// Do the squares of one colour bear something, and those of the other nothing?
    pub(crate) one_colour: bool,
}

/// A lattice whose coordinates are right-handed, as the board's are.
struct Lattice {
    nodes: Vec<Node>,
    /// Pixels of the picture, without the lens, from the lattice.
    matrix: Matrix3<f64>,
    /// The least and the greatest coordinates of its nodes.
    low: Node,
    high: Node,
}

impl Lattice {
    fn right_handed(nodes: &BTreeMap<Node, usize>, map: &BoardMap) -> Self {
        let corner = |x: f64, y: f64| map.plane().to_image(BoardPoint::new(x, y));
        let (low, high) = bounds(nodes);
        let (mx, my) = (f64::from(low.0 + high.0) / 2.0, f64::from(low.1 + high.1) / 2.0);
        let turn = (corner(mx + 1.0, my) - corner(mx, my)).perp(&(corner(mx, my + 1.0) - corner(mx, my)));
        let nodes = nodes.keys().copied();
        let matrix = *map.plane().matrix();
        if turn > 0.0 {
            let flip = Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
            let swap = |n: Node| (n.1, n.0);
            Self { nodes: nodes.map(swap).collect(), matrix: matrix * flip, low: swap(low), high: swap(high) }
        } else {
            Self { nodes: nodes.collect(), matrix, low, high }
        }
    }

    /// The corners of all windows of a board's size that hold every node.
    fn windows(&self) -> impl Iterator<Item = Node> {
        let (low, high) = (self.low, self.high);
        (high.1 - 8..=low.1).flat_map(move |y| (high.0 - 8..=low.0).map(move |x| (x, y)))
    }

    /// The first and the last cell that a line of so many cells reaches from the nodes on the other side.
    fn reach(&self, cells: i32) -> (Node, Node) {
        let (low, high) = (self.low, self.high);
        ((high.0 - cells, high.1 - cells), (low.0 + cells, low.1 + cells))
    }
}

/// The best placement on a lattice: `nodes` are those where a crossing was seen, `map` takes lattice coordinates to
/// pixels of the picture. `men`: what stands on the board, `None` if not known. `None` where the cells have no two
/// colours.
pub(crate) fn place(
    frame: &Frame<'_>,
    nodes: &BTreeMap<Node, usize>,
    map: &BoardMap,
    men: Option<&Board>,
) -> Option<Placement> {
    let lattice = Lattice::right_handed(nodes, map);
    let (nodes, matrix) = (&lattice.nodes, lattice.matrix);
    // The board, the ring around it, and where the men are not known a line more.
    let reach = lattice.reach(if men.is_some() { 9 } else { 10 });
    let cells = sample(frame, &matrix, map.lens(), reach.0, reach.1);
    let colours = Colours::new(&cells, nodes)?;
    let weighed: Weighed = cells.iter().map(|(n, cell)| (*n, Cell::new(colours.look(cell, *n)))).collect();
    let view = View::new(frame, &matrix, (lattice.low, lattice.high));
    // Men who are known tell the board's place themselves.
    let unknown = men.is_none().then(|| Unknown {
        cells: &weighed,
        nodes,
        steps: Steps::new(frame, &matrix, map.lens(), &colours, reach),
        view: view.as_ref(),
    });
    let mut best: Vec<Tried> = Vec::new();
    for window in lattice.windows() {
        let score = unknown.as_ref().map_or_else(|| window_score(&weighed, nodes, window), |u| u.board_score(window));
        let dark = |turns: &usize| parity(cell_of(Square::A1, window, *turns)) == colours.dark_parity();
        for turns in (0..4).filter(dark) {
            let hidden = men.zip(view.as_ref()).map(|(men, view)| view.hidden(men, window, turns));
            let mut way = Tried { score, window, turns, hidden: hidden.unwrap_or_default() };
            way.score += men.map_or(0.0, |men| turned_score(&weighed, &way, men));
            best.push(way);
        }
    }
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    // A lattice may be wider than a board; then the window with most nodes inside is looked for.
    let window = best.first()?.window;
    // Which way round: what should be where, and the men's lightness.
    let mut turned: Vec<(f64, BoardMap, &Tried)> = Vec::new();
    for way in best.iter().filter(|b| b.window == window) {
        let map = way.board_map(map, matrix)?;
        let light = men.map_or(0.0, |men| lightness(frame, &map, &cells, &colours, way, men));
        turned.push((way.score + light, map, way));
    }
    turned.sort_by(|a, b| b.0.total_cmp(&a.0));
    let &(top, map, way) = turned.first()?;
    let total: f64 = turned.iter().map(|w| (w.0 - top).exp()).sum();
    let (empty_fit, men_fit) = fits(&weighed, way, men);
    let inside = |n: &&Node| (1..8).contains(&(n.0 - window.0)) && (1..8).contains(&(n.1 - window.1));
    Some(Placement {
        map,
        margin: margin(&best, unknown.as_ref()),
        orientation: 1.0 / total,
        empty_fit,
        men_fit,
        contrast: colours.contrast((window.0 + 4, window.1 + 4)),
        crossings: nodes.iter().filter(inside).count(),
        continued: continued(&weighed, window),
        visible: Square::ALL.iter().filter(|s| cells.contains_key(&cell_of(**s, window, 0))).count() as f64 / 64.0,
        one_colour: one_colour(&weighed, window),
    })
}

/// A board placed on a lattice in one of the ways that are compared.
struct Tried {
    /// Natural logarithm of how well the cells go with it.
    score: f64,
    window: Node,
    turns: usize,
    /// The cells of empty squares that men hide; none where the men or the camera are not known.
    hidden: BTreeSet<Node>,
}

impl Tried {
    /// Pixels of the picture from the board, where `matrix` takes the lattice there. `None` where there is no such map.
    fn board_map(&self, map: &BoardMap, matrix: Matrix3<f64>) -> Option<BoardMap> {
        let [x, y] = [self.window.0, self.window.1].map(f64::from);
        let place = Matrix3::new(1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0, 1.0);
        let turn = quarter_turns(self.turns, Rectangle::BOARD.width);
        Some(map.with_plane(Homography::from_matrix(matrix * place * turn)?))
    }
}

/// How much better the first of some ways is, the best first, than those that place the board elsewhere. Chequers of seven
/// lines, on the same cells, are as far from a board as those that end elsewhere.
fn margin(best: &[Tried], unknown: Option<&Unknown<'_>>) -> f64 {
    let Some(first) = best.first() else { return 0.0 };
    let shifted = best.iter().find(|b| b.window != first.window).map_or(f64::NEG_INFINITY, |b| b.score);
    let board = Field::board(first.window);
    let shrunk = unknown.into_iter().flat_map(|u| board.shrunk().map(|field| u.score(field, board.grown(1))));
    let shrunk = shrunk.fold(f64::NEG_INFINITY, f64::max) - MEN_BESIDE_CHEQUERS;
    first.score - shifted.max(shrunk)
}

/// Cell of the lattice that shows a square of a board whose a1 lies at the window's corner number `turns`, counted
/// anticlockwise in the picture.
fn cell_of(square: Square, window: Node, turns: usize) -> Node {
    let centre = quarter_turns(turns, Rectangle::BOARD.width) * square_centre(square).to_homogeneous();
    (window.0 + centre.x.floor() as i32, window.1 + centre.y.floor() as i32)
}

/// Sides of the window beyond which the chequers go on: a ninth line in which five squares on end have their colours. In
/// a frame of one colour there is never more than one; a man or a hand may hide some.
fn continued(cells: &Weighed, window: Node) -> usize {
    let side = |side: i32| {
        let beyond = if side < 2 { -1 } else { 8 };
        let mut run = 0;
        (0..8).any(|along| {
            let n = if side % 2 == 0 { (along, beyond) } else { (beyond, along) };
            let n = (window.0 + n.0, window.1 + n.1);
            run = if cells.get(&n).is_some_and(|cell| cell.look.is_empty()) { run + 1 } else { 0 };
            run >= 5
        })
    };
    (0..4).filter(|s| side(*s)).count()
}

/// Do nearly all squares of one colour bear something, and nearly none of the other?
fn one_colour(cells: &Weighed, window: Node) -> bool {
    let mut share = [(0.0, 0.0); 2];
    for n in (0..64).map(|i| (window.0 + i % 8, window.1 + i / 8)) {
        let Some(cell) = cells.get(&n) else { continue };
        let of = &mut share[parity(n)];
        of.0 += f64::from(u8::from(cell.look.is_empty()));
        of.1 += 1.0;
    }
    let [a, b] = share.map(|(empty, all)| if all > 0.0 { empty / all } else { 1.0 });
    a.min(b) < 0.2 && a.max(b) > 0.85
}

/// What does not depend on the way round: the ring of cells around the window, and crossings outside it.
fn window_score(cells: &Weighed, nodes: &[Node], window: Node) -> f64 {
    let field = Field::board(window);
    let ring = field.grown(1).cells().filter(|n| !field.holds(*n));
    let score: f64 = ring.filter_map(|n| cells.get(&n)).map(|cell| cell.outside).sum();
    // A crossing of light and dark outside the board happens where letters or a frame's pattern lie: seldom.
    // Crossings are tested for their four sectors, so chance makes few.
    score - 4.0 * stray(nodes, field) as f64
}

/// Crossings that are not between four cells of a field.
fn stray(nodes: &[Node], field: Field) -> usize {
    let between = |v: i32, low: i32, size: i32| (1..size).contains(&(v - low));
    let (low, size) = (field.low, field.size);
    nodes.iter().filter(|n| !(between(n.0, low.0, size.0) && between(n.1, low.1, size.1))).count()
}

/// What a lattice shows where nobody knows the men.
struct Unknown<'a> {
    cells: &'a Weighed,
    nodes: &'a [Node],
    steps: Steps,
    view: Option<&'a View>,
}

impl Unknown<'_> {
    /// How well a board there goes with what is seen.
    fn board_score(&self, window: Node) -> f64 {
        self.score(Field::board(window), Field::board(window).grown(1))
    }

    /// Natural logarithm of how well all goes with chequers on these cells alone, men on any of them.
    /// The cells of the region around them are what surrounds a board.
    fn score(&self, field: Field, region: Field) -> f64 {
        let cell = |n: Node| match (self.cells.get(&n), field.holds(n)) {
            (Some(cell), true) => cell.unknown,
            // A square outside the picture cannot be played on: as bad as a wrong colour.
            (None, true) => -2.0,
            (Some(cell), false) => cell.beside[usize::from(self.view.is_some_and(|v| v.behind_men(n, field)))],
            (None, false) => 0.0,
        };
        let cells: f64 = region.cells().map(cell).sum();
        // Heads of men and the ends of the border's squares give crossings as well: half of what they count with known men.
        cells + self.steps.score(field, region) - 2.0 * stray(self.nodes, field) as f64
    }
}

/// The squares of a window taken for a board whose a1 lies at its corner number `turns`.
fn turned_score(cells: &Weighed, way: &Tried, men: &Board) -> f64 {
    let mut score = 0.0;
    for square in Square::ALL {
        let n = cell_of(square, way.window, way.turns);
        // A square outside the picture cannot be played on: as bad as a wrong colour.
        let Some(cell) = cells.get(&n) else {
            score -= 2.0;
            continue;
        };
        score += if men.piece_at(square).is_some() {
            cell.man
        } else if way.hidden.contains(&n) {
            cell.unknown
        } else {
            cell.empty
        };
    }
    score
}

/// A cell with what it says; natural logarithms against any of it, so that a window partly outside the picture is
/// weighed on the same scale.
struct Cell {
    look: Look,
    /// For an empty square.
    empty: f64,
    /// For a man.
    man: f64,
    /// For a square with or without a man.
    unknown: f64,
    /// For what surrounds the board.
    outside: f64,
    /// The same where nobody on the board can stand before it, and where somebody may.
    beside: [f64; 2],
}

impl Cell {
    fn new(look: Look) -> Self {
        let (empty, man, outside) = (look.empty(), look.man(), look.outside());
        let either = (empty + man + outside) / 3.0;
        let of = |density: f64| (density / either).ln();
        Self {
            look,
            empty: of(empty),
            man: of(man),
            unknown: of(0.5 * (empty + man)),
            outside: of(outside),
            beside: [false, true].map(|b| of(look.beside(b))),
        }
    }
}

type Weighed = BTreeMap<Node, Cell>;

/// How men stand up in the picture of a lattice, in its own coordinates.
struct View {
    /// A point at height z above the lattice's point p covers that at p + z `up`, both homogeneous.
    up: Vector3<f64>,
}

impl View {
    /// `None` where no camera can see the lattice so. `matrix` takes lattice coordinates to ideal pixels.
    fn new(frame: &Frame<'_>, matrix: &Matrix3<f64>, (low, high): (Node, Node)) -> Option<Self> {
        // As the picture of a board in the lattice's middle.
        let middle = |a: i32, b: i32| f64::from((a + b) / 2 - 4);
        let (x, y) = (middle(low.0, high.0), middle(low.1, high.1));
        let place = Matrix3::new(1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0, 1.0);
        let plane = Homography::from_matrix(matrix * place)?;
        let vertical = vertical_from_homography(&plane, (frame.width(), frame.height()), None)?;
        let up = plane.matrix().try_inverse()? * vertical;
        Some(Self { up: place * up })
    }

    /// May a man on the board in this window stand before the middle of a cell beside it?
    fn behind_men(&self, n: Node, field: Field) -> bool {
        let at = Vector3::new(f64::from(n.0) + 0.5, f64::from(n.1) + 0.5, 1.0);
        // From a pawn's waist to a king's head.
        [0.4, 0.7, 1.0, 1.3, 1.6].into_iter().any(|z| {
            let foot = at * (1.0 + z * self.up.z) - self.up * z;
            // A foot stands on a square, not on a line.
            let inside = |v: f64, low: i32, size: i32| (0.1..f64::from(size) - 0.1).contains(&(v - f64::from(low)));
            inside(foot.x / foot.z, field.low.0, field.size.0) && inside(foot.y / foot.z, field.low.1, field.size.1)
        })
    }

    /// The cells of empty squares whose middles the men stand before.
    fn hidden(&self, men: &Board, window: Node, turns: usize) -> BTreeSet<Node> {
        let mut hidden = BTreeSet::new();
        for (square, piece) in men.clone() {
            let own = cell_of(square, window, turns);
            let foot = Vector3::new(f64::from(own.0) + 0.5, f64::from(own.1) + 0.5, 1.0);
            for (z, radius) in staunton::discs(piece.role) {
                let p = foot + self.up * f64::from(*z);
                if p.z <= 1e-9 {
                    break;
                }
                let (x, y, radius) = (p.x / p.z, p.y / p.z, f64::from(*radius) / p.z);
                let n = (x.floor() as i32, y.floor() as i32);
                // The middle half of a cell is looked at; a third of it is enough to spoil it.
                let reach = 0.08 + radius;
                let inside = |v: f64| (v - v.floor() - 0.5).abs() < reach;
                if n != own && inside(x) && inside(y) {
                    hidden.insert(n);
                }
            }
        }
        hidden
    }
}

/// Evidence (natural logarithm of odds, halved) that White's men are the lighter ones this way round.
fn lightness(frame: &Frame<'_>, map: &BoardMap, cells: &Cells, colours: &Colours, way: &Tried, men: &Board) -> f64 {
    let size = (frame.width(), frame.height());
    let Some(vertical) = vertical_from_homography(map.plane(), size, None) else { return 0.0 };
    let camera = Projection::new(map.plane(), vertical);
    let mut values: [Vec<f64>; 2] = Default::default();
    for (square, piece) in men.clone() {
        let n = cell_of(square, way.window, way.turns);
        if !cells.contains_key(&n) {
            continue;
        }
        let foot = square_centre(square);
        // The lower half of a pawn, the lower third of a queen: body, whatever stands there.
        let mut samples = Vec::new();
        for (dx, dy, z) in [
            (0.0, 0.0, 0.1),
            (0.0, 0.0, 0.3),
            (0.0, 0.0, 0.5),
            (0.1, 0.0, 0.2),
            (-0.1, 0.0, 0.2),
            (0.0, 0.1, 0.2),
            (0.0, -0.1, 0.2),
        ] {
            let ideal = camera.to_image(foot.x + dx, foot.y + dy, z);
            let p = map.lens().map_or(ideal, |lens| lens.distort(ideal));
            if let Some(rgb) = frame.sample(p.x, p.y) {
                samples.push(luma(Vector3::from(rgb.map(f64::from))));
            }
        }
        let side = usize::from(piece.color == Color::Black);
        values[side].push(median(samples.into_iter()) / colours.gain(n));
    }
    let [white, black] = &values;
    if white.is_empty() || black.is_empty() {
        return 0.0;
    }
    let (mw, vw) = mean_and_variance(white);
    let (mb, vb) = mean_and_variance(black);
    let contrast = colours.contrast((way.window.0 + 4, way.window.1 + 4)).max(1.0);
    // A single man's lightness is known no better than a quarter of the board's contrast: highlights and shadows.
    let floor = (0.25 * contrast).powi(2);
    let error = ((vw + floor) / white.len() as f64 + (vb + floor) / black.len() as f64).sqrt();
    // Twelve: beyond it other errors than noise decide (a lamp on one side).
    ((mw - mb) / error).clamp(-6.0, 6.0)
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n)
}

/// See [`Placement::empty_fit`] and [`Placement::men_fit`].
fn fits(cells: &Weighed, way: &Tried, men: Option<&Board>) -> (f64, f64) {
    let (mut empty_fits, mut men_fits, mut empties, mut occupied) = (0.0, 0.0, 0.0, 0.0);
    for square in Square::ALL {
        let n = cell_of(square, way.window, way.turns);
        let Some(cell) = cells.get(&n) else { continue };
        if let Some(piece) = men.and_then(|men| men.piece_at(square)) {
            // A light man on a light square, or a dark one on a dark square, may not be told from none.
            if (piece.color == Color::White) == square.is_light() {
                continue;
            }
            occupied += 1.0;
            men_fits += f64::from(u8::from(cell.man > cell.empty));
        } else if !way.hidden.contains(&n) {
            empties += 1.0;
            empty_fits += f64::from(u8::from(cell.empty > cell.man));
        }
    }
    let share = |part: f64, of: f64, none: f64| if of > 0.0 { part / of } else { none };
    (share(empty_fits, empties, 0.0), share(men_fits, occupied, 1.0))
}
