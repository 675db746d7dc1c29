//! Which eight by eight squares of a lattice are the board, and which way round it lies.
//!
//! A lattice seldom shows all its lines: men hide the outer ranks, a frame continues the pattern. Every window of eight
//! by eight cells and every quarter turn is weighed by what its cells show: the two colours of squares where nothing
//! should stand, something else where a man should, no chequers outside, light men at White's end.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};
use shakmaty::{Board, Color, Square};

use super::{
    geometry::{BoardPoint, Homography, ImagePoint, Projection},
    lattice::{Node, bounds},
    lens::Lens,
    map::BoardMap,
    pose::vertical_from_homography,
};
use crate::frame::{Frame, luma_from_rgb};

/// What a cell of the lattice shows.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Mean colour of its middle.
    rgb: Vector3<f64>,
    /// Spread of luminance in it, grey levels.
    spread: f64,
}

/// The two colours of squares, and how light falls on them.
#[derive(Debug, Clone)]
struct Colours {
    /// Colours of even and odd cells (i + j), at gain 1.
    of_parity: [Vector3<f64>; 2],
    /// Gain = g0 + g1 i + g2 j.
    gain: Vector3<f64>,
}

impl Colours {
    fn gain(&self, n: Node) -> f64 {
        // Light on one board seldom varies by more than a factor of two and a half to either side.
        self.gain.dot(&Vector3::new(1.0, f64::from(n.0), f64::from(n.1))).clamp(0.4, 2.5)
    }

    fn contrast(&self, n: Node) -> f64 {
        (self.of_parity[0] - self.of_parity[1]).norm() * self.gain(n)
    }

    fn expected(&self, n: Node) -> Vector3<f64> {
        self.of_parity[parity(n)] * self.gain(n)
    }

    fn dark_parity(&self) -> usize {
        usize::from(luma(self.of_parity[1]) < luma(self.of_parity[0]))
    }
}

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

/// The best placement on a lattice: `nodes` are those where a crossing was seen, `map` takes lattice coordinates to
/// pixels of the picture. `men`: what stands on the board, `None` if not known. `None` where the cells have no two
/// colours.
pub(crate) fn place(
    frame: &Frame<'_>,
    nodes: &BTreeMap<Node, usize>,
    map: &BoardMap,
    men: Option<&Board>,
) -> Option<Placement> {
    // Lattice coordinates may be left-handed; the board's are not.
    let corner = |x: f64, y: f64| map.plane().to_image(BoardPoint::new(x, y));
    let (low, high) = bounds(nodes);
    let (mx, my) = (f64::from(low.0 + high.0) / 2.0, f64::from(low.1 + high.1) / 2.0);
    let turn = (corner(mx + 1.0, my) - corner(mx, my)).perp(&(corner(mx, my + 1.0) - corner(mx, my)));
    let swap = turn > 0.0;
    let nodes: Vec<Node> = nodes.keys().map(|n| if swap { (n.1, n.0) } else { *n }).collect();
    let flip = if swap { Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0) } else { Matrix3::identity() };
    let matrix = map.plane().matrix() * flip;
    let (low, high) = if swap { ((low.1, low.0), (high.1, high.0)) } else { (low, high) };

    let cells = sample(frame, &matrix, map.lens(), (high.0 - 9, high.1 - 9), (low.0 + 9, low.1 + 9));
    let colours = colours(&cells, &nodes)?;

    let mut best: Vec<(f64, Node, usize)> = Vec::new();
    for oy in high.1 - 8..=low.1 {
        for ox in high.0 - 8..=low.0 {
            let base = window_score(&cells, &colours, &nodes, (ox, oy));
            for turns in 0..4 {
                if let Some(score) = turned_score(&cells, &colours, (ox, oy), turns, men) {
                    best.push((base + score, (ox, oy), turns));
                }
            }
        }
    }
    // A lattice may be wider than a board; then the window with most nodes inside is looked for.
    if best.is_empty() {
        return None;
    }
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (_, window, _) = best[0];
    let shifted = best.iter().find(|b| b.1 != window).map_or(f64::NEG_INFINITY, |b| b.0);
    let margin = best[0].0 - shifted;

    // Which way round: what should be where, and the men's lightness.
    let place = Matrix3::new(1.0, 0.0, f64::from(window.0), 0.0, 1.0, f64::from(window.1), 0.0, 0.0, 1.0);
    let mut ways: Vec<(f64, BoardMap)> = Vec::new();
    for (score, _, turns) in best.iter().filter(|b| b.1 == window) {
        let h = map.with_plane(Homography::from_matrix(matrix * place * quarter_turns(*turns))?);
        let light = men.map_or(0.0, |men| lightness(frame, &h, &cells, &colours, window, *turns, men));
        ways.push((score + light, h));
    }
    ways.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = ways.iter().map(|w| (w.0 - ways[0].0).exp()).sum();
    let (empty_fit, men_fit) = fits(&cells, &colours, window, best[0].2, men);
    let inside = |n: &&Node| (1..8).contains(&(n.0 - window.0)) && (1..8).contains(&(n.1 - window.1));
    Some(Placement {
        map: ways[0].1,
        margin,
        orientation: 1.0 / total,
        empty_fit,
        men_fit,
        contrast: colours.contrast((window.0 + 4, window.1 + 4)),
        crossings: nodes.iter().filter(inside).count(),
        continued: continued(&cells, &colours, window),
        visible: Square::ALL.iter().filter(|s| cells.contains_key(&cell_of(**s, window, 0))).count() as f64 / 64.0,
        one_colour: one_colour(&cells, &colours, window),
    })
}

/// Window coordinates from board coordinates: the board's a1 lies at the window's corner number `turns`, counted
/// anticlockwise in the picture.
fn quarter_turns(turns: usize) -> Matrix3<f64> {
    match turns % 4 {
        0 => Matrix3::identity(),
        1 => Matrix3::new(0.0, -1.0, 8.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        2 => Matrix3::new(-1.0, 0.0, 8.0, 0.0, -1.0, 8.0, 0.0, 0.0, 1.0),
        _ => Matrix3::new(0.0, 1.0, 0.0, -1.0, 0.0, 8.0, 0.0, 0.0, 1.0),
    }
}

/// Cell of the lattice that shows a square.
fn cell_of(square: Square, window: Node, turns: usize) -> Node {
    let centre = quarter_turns(turns)
        * Vector3::new(f64::from(square.file() as u8) + 0.5, f64::from(square.rank() as u8) + 0.5, 1.0);
    (window.0 + centre.x.floor() as i32, window.1 + centre.y.floor() as i32)
}

fn parity(n: Node) -> usize {
    (n.0 + n.1).rem_euclid(2) as usize
}

fn luma(rgb: Vector3<f64>) -> f64 {
    rgb.dot(&Vector3::new(0.299, 0.587, 0.114))
}

/// The cells whose middle lies in the picture, from `low` up to but without `high`.
fn sample(
    frame: &Frame<'_>,
    matrix: &Matrix3<f64>,
    lens: Option<&Lens>,
    low: Node,
    high: Node,
) -> BTreeMap<Node, Cell> {
    // Five by five points in the middle half: men stand there, and uneven cuts and printed lines do not reach it.
    const POINTS: i32 = 5;
    let mut cells = BTreeMap::new();
    let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
    for j in low.1..high.1 {
        'cell: for i in low.0..high.0 {
            let mut sum = Vector3::zeros();
            let (mut luma_sum, mut luma_squares) = (0.0, 0.0);
            for k in 0..POINTS * POINTS {
                let (a, b) = (f64::from(k % POINTS), f64::from(k / POINTS));
                let (x, y) = (f64::from(i) + 0.25 + a * 0.125, f64::from(j) + 0.25 + b * 0.125);
                let p = matrix * Vector3::new(x, y, 1.0);
                // Beyond the horizon, or outside.
                if p.z <= 1e-9 {
                    continue 'cell;
                }
                let ideal = ImagePoint::new(p.x / p.z, p.y / p.z);
                let ImagePoint { coords } = lens.map_or(ideal, |lens| lens.distort(ideal));
                let (u, v) = (coords.x, coords.y);
                if !(u >= 0.0 && v >= 0.0 && u <= width - 1.0 && v <= height - 1.0) {
                    continue 'cell;
                }
                let rgb = frame.rgb(u.round() as u32, v.round() as u32);
                let light = f64::from(luma_from_rgb(rgb));
                sum += Vector3::from(rgb.map(f64::from));
                luma_sum += light;
                luma_squares += light * light;
            }
            let n = f64::from(POINTS * POINTS);
            let variance = luma_squares / n - (luma_sum / n).powi(2);
            cells.insert((i, j), Cell { rgb: sum / n, spread: variance.max(0.0).sqrt() });
        }
    }
    cells
}

/// The squares' two colours from the cells whose corners were all, or nearly all, seen: nothing tall stands there.
fn colours(cells: &BTreeMap<Node, Cell>, nodes: &[Node]) -> Option<Colours> {
    let is_node = |n: Node| nodes.contains(&n);
    let mut known: Vec<(Node, Cell)> = Vec::new();
    for corners in [4, 3, 2] {
        known = cells
            .iter()
            .filter(|(n, _)| {
                let seen = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|d| is_node((n.0 + d.0, n.1 + d.1)));
                seen.iter().filter(|s| **s).count() >= corners
            })
            .map(|(n, c)| (*n, *c))
            .collect();
        let even = known.iter().filter(|(n, _)| parity(*n) == 0).count();
        // Three of each colour give a median that one man cannot spoil.
        if even >= 3 && known.len() - even >= 3 {
            break;
        }
    }
    known.sort_by_key(|k| k.0);
    let of_parity = [0, 1].map(|p| {
        let of: Vec<&Cell> = known.iter().filter(|(n, _)| parity(*n) == p).map(|(_, c)| c).collect();
        (!of.is_empty()).then(|| Vector3::from_fn(|k, _| median(of.iter().map(|c| c.rgb[k]))))
    });
    let of_parity = [of_parity[0]?, of_parity[1]?];

    // How the light falls: ratio of each cell to its colour, a plane through it, outliers held back.
    let middle = known.iter().fold((0.0, 0.0), |s, (n, _)| (s.0 + f64::from(n.0), s.1 + f64::from(n.1)));
    let count = known.len() as f64;
    let (mi, mj) = (middle.0 / count, middle.1 / count);
    let mut gain = Vector3::new(1.0, 0.0, 0.0);
    for _ in 0..5 {
        // The slopes are held back as by four cells that show none.
        let mut normal = Matrix3::from_diagonal(&Vector3::new(1e-6, 4.0, 4.0));
        let mut right = Vector3::zeros();
        for (n, cell) in &known {
            let row = Vector3::new(1.0, f64::from(n.0) - mi, f64::from(n.1) - mj);
            let ratio = luma(cell.rgb) / luma(of_parity[parity(*n)]).max(1.0);
            let off = (ratio - gain.dot(&row)) / 0.15;
            let weight = 1.0 / (1.0 + off * off);
            normal += row * row.transpose() * weight;
            right += row * (ratio * weight);
        }
        gain = normal.try_inverse()? * right;
    }
    let gain = Vector3::new(gain.x - gain.y * mi - gain.z * mj, gain.y, gain.z);
    Some(Colours { of_parity, gain })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Distance from a square's colour, and spread, in units of the two colours' distance, up to which a cell looks like an
/// empty square: below a half it is nearer to this colour than to the other.
const LIKE_A_SQUARE: f64 = 0.4;

/// Density of a half-normal distribution.
fn half_normal(x: f64, sigma: f64) -> f64 {
    let z = x / sigma;
    0.797_884_6 / sigma * (-0.5 * z * z).exp()
}

/// Distance from the expected colour and spread, in units of the two colours' distance.
fn look(cell: &Cell, colours: &Colours, n: Node) -> (f64, f64) {
    let contrast = colours.contrast(n).max(1.0);
    ((cell.rgb - colours.expected(n)).norm() / contrast, cell.spread / contrast)
}

/// Like an empty square rather than anything else.
fn looks_empty((off, spread): (f64, f64)) -> bool {
    off < LIKE_A_SQUARE && spread < LIKE_A_SQUARE
}

// Densities of a cell's look. Wood grain, uneven light and noise keep an empty square within a fifth of the contrast
// from its colour; a man in its middle is anything; outside lies a frame, a table, anything, often of even colour.

/// Of any look at all: no single cell decides.
const LEAST_DENSITY: f64 = 1e-3;

fn empty((off, spread): (f64, f64)) -> f64 {
    0.92 * half_normal(off, 0.18) * half_normal(spread, 0.15) + 0.08 * 0.4
}

fn man((off, spread): (f64, f64)) -> f64 {
    0.85 * half_normal(off, 0.6) * half_normal(spread, 0.45)
        + 0.15 * half_normal(off, 0.18) * half_normal(spread, 0.15)
        + LEAST_DENSITY
}

fn outside((off, spread): (f64, f64)) -> f64 {
    0.45 * half_normal(off, 0.9) * half_normal(spread, 0.15)
        + 0.35 * half_normal(off, 0.9) * half_normal(spread, 0.5)
        + 0.2 * half_normal(off, 0.15) * half_normal(spread, 0.12)
        + LEAST_DENSITY
}

/// Sides of the window beyond which the chequers go on: a ninth line in which five squares on end have their colours. In
/// a frame of one colour there is never more than one; a man or a hand may hide some.
fn continued(cells: &BTreeMap<Node, Cell>, colours: &Colours, window: Node) -> usize {
    let side = |side: i32| {
        let beyond = if side < 2 { -1 } else { 8 };
        let mut run = 0;
        (0..8).any(|along| {
            let n = if side % 2 == 0 { (along, beyond) } else { (beyond, along) };
            let n = (window.0 + n.0, window.1 + n.1);
            let like = |cell| looks_empty(look(cell, colours, n));
            run = if cells.get(&n).is_some_and(like) { run + 1 } else { 0 };
            run >= 5
        })
    };
    (0..4).filter(|s| side(*s)).count()
}

/// Do nearly all squares of one colour bear something, and nearly none of the other?
fn one_colour(cells: &BTreeMap<Node, Cell>, colours: &Colours, window: Node) -> bool {
    let mut share = [(0.0, 0.0); 2];
    for n in (0..64).map(|i| (window.0 + i % 8, window.1 + i / 8)) {
        let Some(cell) = cells.get(&n) else { continue };
        let of = &mut share[parity(n)];
        of.0 += f64::from(u8::from(looks_empty(look(cell, colours, n))));
        of.1 += 1.0;
    }
    let [a, b] = share.map(|(empty, all)| if all > 0.0 { empty / all } else { 1.0 });
    a.min(b) < 0.2 && a.max(b) > 0.85
}

/// What does not depend on the way round: the ring of cells around the window, and crossings outside it.
fn window_score(cells: &BTreeMap<Node, Cell>, colours: &Colours, nodes: &[Node], window: Node) -> f64 {
    let mut score = 0.0;
    for k in -1..=8 {
        let ring = if k == -1 || k == 8 { (-1..=8).collect() } else { vec![-1, 8] };
        for l in ring {
            let n = (window.0 + l, window.1 + k);
            if let Some(cell) = cells.get(&n) {
                let look = look(cell, colours, n);
                // Against "either": so that a window partly outside the picture is weighed on the same scale.
                score += (outside(look) / either(look)).ln();
            }
        }
    }
    let stray = nodes.iter().filter(|n| !((1..8).contains(&(n.0 - window.0)) && (1..8).contains(&(n.1 - window.1))));
    // A crossing of light and dark outside the board happens where letters or a frame's pattern lie: seldom.
    // Crossings are tested for their four sectors, so chance makes few.
    score - 4.0 * stray.count() as f64
}

fn either(look: (f64, f64)) -> f64 {
    (empty(look) + man(look) + outside(look)) / 3.0
}

/// The squares of a window taken for a board whose a1 lies at its corner number `turns`; `None` where a1 is light.
fn turned_score(
    cells: &BTreeMap<Node, Cell>,
    colours: &Colours,
    window: Node,
    turns: usize,
    men: Option<&Board>,
) -> Option<f64> {
    if parity(cell_of(Square::A1, window, turns)) != colours.dark_parity() {
        return None;
    }
    let mut score = 0.0;
    for square in Square::ALL {
        let n = cell_of(square, window, turns);
        // A square outside the picture cannot be played on: as bad as a wrong colour.
        let Some(cell) = cells.get(&n) else {
            score -= 2.0;
            continue;
        };
        let look = look(cell, colours, n);
        let likelihood = match men {
            None => 0.5 * (empty(look) + man(look)),
            Some(men) if men.piece_at(square).is_some() => man(look),
            Some(_) => empty(look),
        };
        score += (likelihood / either(look)).ln();
    }
    Some(score)
}

/// Evidence (natural logarithm of odds, halved) that White's men are the lighter ones this way round.
fn lightness(
    frame: &Frame<'_>,
    map: &BoardMap,
    cells: &BTreeMap<Node, Cell>,
    colours: &Colours,
    window: Node,
    turns: usize,
    men: &Board,
) -> f64 {
    let size = (frame.width(), frame.height());
    let Some(vertical) = vertical_from_homography(map.plane(), size, None) else { return 0.0 };
    let camera = Projection::new(map.plane(), vertical);
    let mut values: [Vec<f64>; 2] = Default::default();
    for (square, piece) in men.clone() {
        let n = cell_of(square, window, turns);
        if !cells.contains_key(&n) {
            continue;
        }
        let (x, y) = (f64::from(square.file() as u8) + 0.5, f64::from(square.rank() as u8) + 0.5);
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
            let ideal = camera.to_image(x + dx, y + dy, z);
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
    let contrast = colours.contrast((window.0 + 4, window.1 + 4)).max(1.0);
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
fn fits(
    cells: &BTreeMap<Node, Cell>,
    colours: &Colours,
    window: Node,
    turns: usize,
    men: Option<&Board>,
) -> (f64, f64) {
    let (mut empty_fits, mut men_fits, mut empties, mut occupied) = (0.0, 0.0, 0.0, 0.0);
    for square in Square::ALL {
        let n = cell_of(square, window, turns);
        let Some(cell) = cells.get(&n) else { continue };
        let look = look(cell, colours, n);
        if men.is_some_and(|men| men.piece_at(square).is_some()) {
            occupied += 1.0;
            men_fits += f64::from(u8::from(man(look) > empty(look)));
        } else {
            empties += 1.0;
            empty_fits += f64::from(u8::from(looks_empty(look)));
        }
    }
    let share = |part: f64, of: f64, none: f64| if of > 0.0 { part / of } else { none };
    (share(empty_fits, empties, 0.0), share(men_fits, occupied, 1.0))
}
