//! What the cells of a lattice show: the two colours of squares under the light that falls on them, and how well a cell
//! goes with an empty square, a man, or what surrounds a board.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::{geometry::ImagePoint, lattice::Node, lens::Lens};
use crate::frame::{Frame, luma_from_rgb};

/// What a cell of the lattice shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Mean colour of its middle.
    rgb: Vector3<f64>,
    /// Spread of luminance in it, grey levels.
    spread: f64,
}

/// The cells whose middle lies in the picture.
pub(super) type Cells = BTreeMap<Node, Cell>;

/// Is a cell one of the even (0) or odd ones (1)?
pub(super) fn parity(n: Node) -> usize {
    (n.0 + n.1).rem_euclid(2) as usize
}

pub(super) fn luma(rgb: Vector3<f64>) -> f64 {
    rgb.dot(&Vector3::new(0.299, 0.587, 0.114))
}

/// The element in the middle; 0 of none.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * share) as usize).copied().unwrap_or(0.0)
}

/// The cells whose middle lies in the picture, from `low` up to but without `high`.
pub(super) fn sample(frame: &Frame<'_>, matrix: &Matrix3<f64>, lens: Option<&Lens>, low: Node, high: Node) -> Cells {
    // Five by five points in the middle half: men stand there, and uneven cuts and printed lines do not reach it.
    const POINTS: i32 = 5;
    let mut cells = Cells::new();
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

/// How far the light of neighbouring squares tells that of a cell, in cells: lamps and shadows' edges change it within
/// a few squares, a man's shadow within one.
const LIGHT_REACH: f64 = 1.4;
/// The lightest that a picture can show.
const WHITE: f64 = 255.0;
/// Share of the known cells from which colours and light are taken.
const SHARE_SMOOTH: f64 = 0.65;
/// Share of the known cells that show their square well, whatever stands on the others: half may bear men.
const SHARE_EMPTY: f64 = 0.3;
/// Quantile of a half-normal distribution of deviation 1 at [`SHARE_EMPTY`].
const QUANTILE_EMPTY: f64 = 0.385;
/// Deviations of an empty square's colour and spread, in units of the two colours' distance: at least what sampling
/// and uneven light make, at most that at which the two colours can still be told apart.
const LEAST_DEVIATION: f64 = 0.13;
const MOST_DEVIATION: f64 = 0.32;

/// The two colours of squares, how light falls on them, and how uneven they are.
#[derive(Debug, Clone)]
pub(super) struct Colours {
    /// Colours of even and odd cells (i + j), at gain 1.
    of_parity: [Vector3<f64>; 2],
    /// Gain = g0 + g1 i + g2 j, times the local light.
    plane: Vector3<f64>,
    /// The cells that show their colour, and their light over that of the plane.
    local: Vec<(Node, f64)>,
    /// Deviations of an empty square's colour and of its spread, in units of the colours' distance.
    deviation: (f64, f64),
}

impl Colours {
    /// From the cells whose corners were all, or nearly all, seen: nothing tall stands there. `None` where there are
    /// not both colours.
    pub(super) fn new(cells: &Cells, nodes: &[Node]) -> Option<Self> {
        let all = known(cells, nodes);
        let even = smooth(&all);
        let mut of_parity = [Vector3::zeros(); 2];
        let mut colours =
            Self { of_parity, plane: Vector3::new(1.0, 0.0, 0.0), local: Vec::new(), deviation: (0.0, 0.0) };
        // The colours under even light, the light on these colours, and again.
        for _ in 0..2 {
            for (p, colour) in of_parity.iter_mut().enumerate() {
                let of: Vec<Vector3<f64>> =
                    even.iter().filter(|(n, _)| parity(*n) == p).map(|(n, c)| c.rgb / colours.gain(*n)).collect();
                if of.is_empty() {
                    return None;
                }
                *colour = Vector3::from_fn(|k, _| median(of.iter().map(|c| c[k])));
            }
            colours = Self { of_parity, local: Vec::new(), plane: light(&all, &of_parity)?, ..colours };
            let ratio = |n: Node, c: &Cell| luma(c.rgb) / luma(colours.expected_at(n, colours.gain(n))).max(1.0);
            colours.local = all.iter().map(|(n, c)| (*n, ratio(*n, c))).collect();
        }
        let of = |k: usize| {
            let values = all.iter().map(|(n, cell)| colours.look(cell, *n)).map(|l| [l.off, l.spread][k]);
            let deviation = quantile(values, SHARE_EMPTY) / QUANTILE_EMPTY;
            deviation.hypot(LEAST_DEVIATION).min(MOST_DEVIATION)
        };
        let deviation = (of(0), of(1));
        Some(Self { deviation, ..colours })
    }

    /// The light on a cell.
    pub(super) fn gain(&self, n: Node) -> f64 {
        // Light on one board seldom varies by more than a factor of two and a half to either side.
        let plane = self.plane.dot(&Vector3::new(1.0, f64::from(n.0), f64::from(n.1))).clamp(0.4, 2.5);
        // The weighted median of the neighbours and, with the weight of one, of the plane: men do not move it.
        let mut near = vec![(1.0, 1.0)];
        for (m, ratio) in &self.local {
            let square = f64::from((m.0 - n.0).pow(2) + (m.1 - n.1).pow(2)) / (LIGHT_REACH * LIGHT_REACH);
            if square < 6.0 {
                near.push((*ratio, (-0.5 * square).exp()));
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5 * near.iter().map(|v| v.1).sum::<f64>();
        let mut sum = 0.0;
        let middle = near.iter().find(|v| {
            sum += v.1;
            sum >= half
        });
        plane * middle.map_or(1.0, |v| v.0).clamp(0.3, 3.0)
    }

    /// Distance of the two colours on a cell, in grey levels.
    pub(super) fn contrast(&self, n: Node) -> f64 {
        self.contrast_at(self.gain(n))
    }

    fn contrast_at(&self, gain: f64) -> f64 {
        (self.of_parity[0] - self.of_parity[1]).norm() * gain
    }

    /// Colour of a cell's empty square under this gain.
    fn expected_at(&self, n: Node, gain: f64) -> Vector3<f64> {
        (self.of_parity[parity(n)] * gain).map(|v| v.min(WHITE))
    }

    /// Colour of a cell's empty square.
    pub(super) fn expected(&self, n: Node) -> Vector3<f64> {
        self.expected_at(n, self.gain(n))
    }

    /// Of the cells of which parity the dark squares are.
    pub(super) fn dark_parity(&self) -> usize {
        usize::from(luma(self.of_parity[1]) < luma(self.of_parity[0]))
    }

    /// How a cell looks beside its square.
    pub(super) fn look(&self, cell: &Cell, n: Node) -> Look {
        let gain = self.gain(n);
        let contrast = self.contrast_at(gain).max(1.0);
        let bright = gain * luma(self.of_parity[0]).max(luma(self.of_parity[1]));
        Look {
            off: (cell.rgb - self.expected_at(n, gain)).norm() / contrast,
            spread: cell.spread / contrast,
            bright: bright / contrast,
            deviation: self.deviation,
        }
    }
}

/// The cells whose corners were seen: all four, or as many as leave some of both colours.
fn known(cells: &Cells, nodes: &[Node]) -> Vec<(Node, Cell)> {
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
    known
}

/// The smoother ones of each colour: a man's outline, his shadow and his light make a cell uneven.
fn smooth(known: &[(Node, Cell)]) -> Vec<(Node, Cell)> {
    // White beyond what a picture can show says little of colour and light; but where it is what most light squares show,
    // the others bear men.
    let within: Vec<(Node, Cell)> = known.iter().filter(|(_, c)| c.rgb.max() < 0.98 * WHITE).copied().collect();
    let count = |cells: &[(Node, Cell)], p: usize| cells.iter().filter(|(n, _)| parity(*n) == p).count();
    let enough = |p: usize| 2 * count(&within, p) >= count(known, p).max(6);
    let known = if enough(0) && enough(1) { &within } else { known };
    let most = [0, 1].map(|p| {
        let of = known.iter().filter(|(n, _)| parity(*n) == p);
        quantile(of.map(|(_, c)| c.spread), SHARE_SMOOTH)
    });
    known.iter().filter(|(n, c)| c.spread <= most[parity(*n)]).copied().collect()
}

/// How the light falls: ratio of each cell to its colour, a plane through it, outliers held back.
fn light(known: &[(Node, Cell)], of_parity: &[Vector3<f64>; 2]) -> Option<Vector3<f64>> {
    let middle = known.iter().fold((0.0, 0.0), |s, (n, _)| (s.0 + f64::from(n.0), s.1 + f64::from(n.1)));
    let count = known.len() as f64;
    let (mi, mj) = (middle.0 / count, middle.1 / count);
    let mut gain = Vector3::new(1.0, 0.0, 0.0);
    for _ in 0..5 {
        // The slopes are held back as by four cells that show none.
        let mut normal = Matrix3::from_diagonal(&Vector3::new(1e-6, 4.0, 4.0));
        let mut right = Vector3::zeros();
        for (n, cell) in known {
            let row = Vector3::new(1.0, f64::from(n.0) - mi, f64::from(n.1) - mj);
            let ratio = luma(cell.rgb) / luma(of_parity[parity(*n)]).max(1.0);
            let off = (ratio - gain.dot(&row)) / 0.15;
            let weight = 1.0 / (1.0 + off * off);
            normal += row * row.transpose() * weight;
            right += row * (ratio * weight);
        }
        gain = normal.try_inverse()? * right;
    }
    Some(Vector3::new(gain.x - gain.y * mi - gain.z * mj, gain.y, gain.z))
}

/// Distance from a square's colour, and spread, in units of the two colours' distance, up to which a cell looks like an
/// empty square: below a half it is nearer to this colour than to the other.
const LIKE_A_SQUARE: f64 = 0.4;

/// Density of a half-normal distribution.
fn half_normal(x: f64, sigma: f64) -> f64 {
    let z = x / sigma;
    0.797_884_6 / sigma * (-0.5 * z * z).exp()
}

/// How a cell looks beside the square that it may be; all in units of the two colours' distance there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Distance from the expected colour.
    off: f64,
    /// Spread of luminance.
    spread: f64,
    /// Luminance of a light square: men and tables differ from squares by a part of that, however much alike the
    /// squares are.
    bright: f64,
    /// See [`Colours`].
    deviation: (f64, f64),
}

// Densities of a cell's look. Wood grain, uneven light and noise keep an empty square near its colour, how near the
// picture itself tells; a man in its middle is anything; outside lies a frame, a table, anything, often of even colour.

/// Of any look at all: no single cell decides.
const LEAST_DENSITY: f64 = 1e-3;

impl Look {
    /// Like an empty square rather than anything else.
    pub(super) fn is_empty(self) -> bool {
        self.off < LIKE_A_SQUARE && self.spread < LIKE_A_SQUARE
    }

    /// A square with nothing on it.
    fn bare(self) -> f64 {
        half_normal(self.off, self.deviation.0) * half_normal(self.spread, self.deviation.1)
    }

    /// Something else: colours differ by `off` of the squares' distance and a third of a light square's luminance.
    fn other(self, off: f64, spread: f64) -> f64 {
        half_normal(self.off, off.hypot(0.3 * self.bright)) * half_normal(self.spread, spread.hypot(0.15 * self.bright))
    }

    /// Of a square expected to be empty: reflections, shadows, letters, cups and hands are there as well.
    pub(super) fn empty(self) -> f64 {
        0.96 * self.bare() + 0.04 * self.other(0.5, 0.4) + LEAST_DENSITY
    }

    /// Of a square expected to bear a man.
    pub(super) fn man(self) -> f64 {
        0.85 * self.other(0.5, 0.4) + 0.15 * self.bare() + LEAST_DENSITY
    }

    /// Of a cell beside the board, where its men may stand before it or not: where not, seldom anything stands.
    pub(super) fn beside(self, men: bool) -> f64 {
        let even = half_normal(self.off, 0.8_f64.hypot(0.3 * self.bright)) * half_normal(self.spread, self.deviation.1);
        let share = if men { [0.35, 0.5, 0.15] } else { [0.7, 0.12, 0.18] };
        share[0] * even + share[1] * self.other(0.8, 0.45) + share[2] * self.bare() + LEAST_DENSITY
    }

    /// Of a cell beside the board.
    pub(super) fn outside(self) -> f64 {
        let even = half_normal(self.off, 0.8_f64.hypot(0.3 * self.bright)) * half_normal(self.spread, self.deviation.1);
        0.45 * even + 0.35 * self.other(0.8, 0.45) + 0.2 * self.bare() + LEAST_DENSITY
    }
}
