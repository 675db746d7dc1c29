//! Finding the lines of a Go board in a picture, with nothing known.
//!
//! Points on thin dark lines (`ridges`) are gathered into pencils (`pencils`), two pencils into a lattice (`comb`). The
//! lattice is laid over all lines that are seen (`fit`), and the board's own lines are chosen among the lattice's
//! (`window`). What is found is claimed only with a probability, as a chess board is.

use super::{
    super::{
        candidates::reduction,
        geometry::{BoardPoint, Homography, enlarged_px},
        lens::Lens,
        map::BoardMap,
        plane::Plane,
    },
    Grid,
    arms::{Arm, Node},
    comb,
    fit::{self, Fitted, Range},
    pencils::{self, Around, Pencil},
    ridges,
    window::{Seen, Window},
};
use crate::{frame::Frame, go::Size};

use nalgebra::Vector2;

/// Longer side of the picture in which lines are sought, in pixels, at least; larger ones are reduced by whole numbers.
const LONG_SIDE_PX: u32 = 1000;
/// By how much more the picture is reduced, one after the other: near boards have lines of several pixels.
const SCALES: [u32; 2] = [1, 2];
/// Boards that are known without being asked for.
const USUAL_LINES: [i32; 3] = [19, 13, 9];
/// Lines beyond those seen that may be the board's.
const BEYOND: i32 = 4;
/// Most lattices that are looked at.
const MOST_LATTICES: usize = 12;
/// A pencil with less than this share of the points of the largest is none of a grid's.
const LEAST_PENCIL: f64 = 0.12;
/// Distance from its last place up to which a board is taken for the one that was there by its lines alone, in distances
/// between lines: at half of it the next line is as near.
const NEAR_LINES: f64 = 0.35;
/// Distance from its last place up to which a board keeps the names of its corners, in sides of the board.
const KEEPS_NAMES: f64 = 0.4;
/// Confidence at which the search stops.
const SURE: f64 = 0.9;
/// Confidence below which nothing is claimed.
const LEAST_CONFIDENCE: f64 = 0.5;

/// What is known before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridHint {
    /// How many lines the board has; 19, 13 or 9 where that is not known.
    pub size: Option<Size>,
    /// Where it was before: searched first.
    pub near: Option<Grid>,
    /// What the camera's lens does, where that is known.
    pub lens: Option<Lens>,
}

/// A grid that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocatedGrid {
    /// Where it is; (0, 0) is the crossing that is upper left in the picture, or that which was nearest to it in the last
    /// place.
    pub grid: Grid,
    /// Probability that these are a Go board's outer lines: 0 to 1.
    pub confidence: f64,
    /// How it was found.
    pub diagnostics: Diagnostics,
}

impl LocatedGrid {
    /// Do all crossings lie within the picture?
    fn is_whole(&self) -> bool {
        self.diagnostics.visible >= 1.0
    }
}

/// Numbers of the search, for people.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diagnostics {
    /// Pieces of line next to crossings that are seen, of four for each crossing but those at the edges.
    pub(crate) arms: usize,
    /// The same that show bare wood, where there should be a line.
    pub bare: usize,
    /// Share of the crossings that lie within the picture.
    pub visible: f64,
    /// Lines that lead out of the board, of those that can be seen not to.
    pub(super) leaving: usize,
    /// Ends of lines that can be seen, leading out or not.
    pub ends: usize,
    /// Outer lines that are seen themselves, of four.
    pub(super) outer_seen: usize,
    /// Root mean square of the lines' distances from the map, in distances between lines.
    rms_lines: f64,
    /// Natural logarithm of how much likelier this place is than the best other one on the lattice.
    pub margin: f64,
    /// Contrast of clear lines, over the lightness of the wood.
    pub contrast: f64,
    /// How much the cells are chequered, 0 to 1.
    chequered: f64,
    /// Star points that are seen, of those whose crossing is.
    pub(crate) stars: usize,
    /// Crossings that are seen and should bear a star point.
    pub(super) star_places: usize,
}

/// Why no grid is claimed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LocateGridError {
    /// No lines at equal distances.
    #[error(
        "no Go board found: no grid of thin dark lines; show the whole board, sharp and evenly lit, or give its corners"
    )]
    NoLattice,
    /// There is a board, but a part of it lies outside of the picture.
    #[error(
        "a Go board of {} lines, but not wholly in the picture: {:.0} % of its crossings are seen; show the whole board, \
         or give its corners", .board.grid.size().lines(), 100.0 * .board.diagnostics.visible
    )]
    CutOff {
        /// Where it seems to be.
        board: Box<LocatedGrid>,
    },
    /// There is a grid, but it is not clear that it is a Go board, or where the board ends on it.
    #[error(
        "no Go board claimed: the best candidate has {} lines and confidence {:.2}, {LEAST_CONFIDENCE} is needed; show \
         the whole board, say how many lines it has, or give its corners", .best.grid.size().lines(), .best.confidence
    )]
    Unsure {
        /// The candidate.
        best: Box<LocatedGrid>,
    },
}

/// Finds the grid of a Go board of so many lines, or of any usual board.
///
/// # Errors
/// When there is none, or none that is sure enough.
pub fn locate(frame: &Frame<'_>, size: Option<Size>) -> Result<Grid, LocateGridError> {
    find(frame, &GridHint { size, ..GridHint::default() }).map(|found| found.grid)
}

/// Finds the grid of a Go board, and says how sure that is.
///
/// # Errors
/// When there is none, or none that is sure enough.
pub fn find(frame: &Frame<'_>, hint: &GridHint) -> Result<LocatedGrid, LocateGridError> {
    let factor = reduction_factor(frame);
    let mut best: Option<LocatedGrid> = None;
    for larger in SCALES {
        Search::new(frame, factor * larger, hint).look(&mut best);
        if is_sure(&best) {
            break;
        }
    }
    match best {
        Some(found) if found.confidence >= LEAST_CONFIDENCE && found.is_whole() => Ok(found),
        Some(board) if board.confidence >= LEAST_CONFIDENCE => Err(LocateGridError::CutOff { board: Box::new(board) }),
        Some(best) => Err(LocateGridError::Unsure { best: Box::new(best) }),
        None => Err(LocateGridError::NoLattice),
    }
}

/// The grid near its last place, by what its lines are there: nowhere else is looked.
pub(super) fn find_near(frame: &Frame<'_>, last: &Grid) -> Option<Grid> {
    let hint = GridHint { size: Some(last.size()), near: Some(*last), lens: last.map().lens().copied() };
    let search = Search::new(frame, reduction_factor(frame), &hint);
    let found = search.at_last_place()?;
    (found.confidence >= LEAST_CONFIDENCE && found.is_whole()).then_some(found.grid)
}

/// By how much a picture is reduced before lines are sought in it.
pub(super) fn reduction_factor(frame: &Frame<'_>) -> u32 {
    (frame.width().max(frame.height()) / LONG_SIDE_PX).max(1)
}

/// A lattice of lines in the reduced picture.
struct Lattice {
    map: BoardMap,
    seen: Range,
    /// It is the board's own, of so many lines from (0, 0) on.
    is_board: bool,
}

/// A picture that is searched.
struct Search<'a> {
    frame: &'a Frame<'a>,
    plane: Plane,
    factor: u32,
    hint: &'a GridHint,
    /// The lens in the reduced picture.
    lens: Option<Lens>,
}

impl<'a> Search<'a> {
    fn new(frame: &'a Frame<'a>, factor: u32, hint: &'a GridHint) -> Self {
        let smaller = 1.0 / f64::from(factor);
        let lens = hint.lens.map(|lens| lens.scaled([smaller, smaller]));
        Self { frame, plane: Plane::reduced(frame, factor), factor, hint, lens }
    }

    /// Judges all lattices that may be a board's until one is sure: that of the last place, then those of pencils.
    fn look(&self, best: &mut Option<LocatedGrid>) {
        if let Some(found) = self.at_last_place() {
            keep_better(found, best);
        }
        if is_sure(best) {
            return;
        }
        let mut edgels = ridges::find(&self.plane);
        if let Some(lens) = &self.lens {
            edgels = edgels.into_iter().filter_map(|e| e.straightened(lens)).collect();
        }
        let around = Around::new(self.plane.width, self.plane.height);
        let pencils = pencils::find(&edgels, &around);
        let combs = pairs(&pencils).into_iter().flat_map(|pair| comb::combs(&edgels, pair, &around));
        for comb in combs.take(MOST_LATTICES) {
            let [x, y] = comb.seen;
            let seen = Range { low: (x.0, y.0), high: (x.1, y.1) };
            let lattice = Lattice { map: BoardMap::new(comb.map, self.lens), seen, is_board: false };
            if let Some(found) = self.judge(&lattice) {
                keep_better(found, best);
            }
            if is_sure(best) {
                return;
            }
        }
    }

    /// The board near its last place. Farther off the lines of another row might have been taken for the right ones, and
    /// over part of the board only: then the whole picture must be searched.
    fn at_last_place(&self) -> Option<LocatedGrid> {
        let last = self.hint.near?;
        let found = self.judge(&self.last_place()?)?;
        (found.grid.farthest_px(&last) < NEAR_LINES * last.spacing_px()).then_some(found)
    }

    fn last_place(&self) -> Option<Lattice> {
        let near = self.hint.near.as_ref()?;
        let smaller = reduction(self.factor).try_inverse()?;
        let plane = Homography::from_matrix(smaller * near.map().plane().matrix())?;
        let scale = 1.0 / f64::from(self.factor);
        let lens = near.map().lens().map(|lens| lens.scaled([scale, scale]));
        let last = i32::from(near.size().lines()) - 1;
        let seen = Range { low: (0, 0), high: (last, last) };
        Some(Lattice { map: BoardMap::new(plane, lens), seen, is_board: true })
    }

    /// The board on a lattice, with how sure that is.
    fn judge(&self, lattice: &Lattice) -> Option<LocatedGrid> {
        let lens_known = self.lens.is_some() || lattice.is_board && lattice.map.lens().is_some();
        let fitted = fit::fit(&self.plane, &lattice.map, lattice.seen, lens_known)?;
        let sizes: Vec<i32> = match (self.hint.size, lattice.is_board) {
            (Some(size), _) => vec![i32::from(size.lines())],
            (None, true) => vec![lattice.seen.high.0 + 1],
            (None, false) => USUAL_LINES.to_vec(),
        };
        // Wide enough for the largest board, should it be hidden on one side.
        let range = lattice.seen.grown(BEYOND).at_least(sizes.iter().copied().max().unwrap_or(0) + 2);
        let arms = fit::read_all(&self.plane, &fitted.map, range, 0.6);
        let colour = |arm: &Arm| self.colour(&fitted.map, arm);
        let seen = Seen::new(&self.plane, &fitted.map, range, &arms, &fitted.clear, colour);
        let windows = seen.windows(&sizes);
        let window = *windows.first()?;
        let margin = windows.get(1).map_or(window.score, |second| window.score - second.score);
        // Once more on the board's lines alone.
        let own = window.range();
        let refined = fit::step(&self.plane, &fitted.map, own, 0.6, 0).unwrap_or(fitted);
        let chequered = self.chequered(&refined.map, own);
        let evidence = seen.evidence(&window);
        let grid = self.grid(&refined, &window)?;
        let diagnostics = Diagnostics {
            arms: evidence.lines,
            bare: evidence.bare,
            visible: self.visible(&refined.map, own),
            leaving: evidence.leaving,
            ends: evidence.ends,
            outer_seen: evidence.outer_seen,
            rms_lines: refined.rms,
            margin,
            contrast: f64::from(refined.clear.overall),
            chequered,
            stars: evidence.stars,
            star_places: evidence.star_places,
        };
        let board = confidence(&diagnostics, window.lines, self.hint.size.is_some());
        Some(LocatedGrid { grid, confidence: board, diagnostics })
    }

    /// Share of a range's crossings that lie within the picture.
    fn visible(&self, map: &BoardMap, range: Range) -> f64 {
        let (w, h) = (self.plane.width as f64, self.plane.height as f64);
        let inside = |node: &Node| {
            let p = map.to_image(point(*node));
            (-0.5..w - 0.5).contains(&p.x) && (-0.5..h - 0.5).contains(&p.y)
        };
        range.nodes().filter(inside).count() as f64 / range.nodes().count().max(1) as f64
    }

    /// How colourful the board is beside an arm, 0 to 1: the greatest difference of its colours over their sum.
    fn colour(&self, map: &BoardMap, arm: &Arm) -> f32 {
        let factor = f64::from(self.factor);
        let middle = arm.middle();
        let across = if arm.is_row() { Vector2::new(0.0, 0.2) } else { Vector2::new(0.2, 0.0) };
        let mut sum = [0.0; 3];
        for at in [middle + across, middle - across] {
            let p = map.to_image(at);
            let Some(rgb) = self.frame.sample(enlarged_px(p.x, factor), enlarged_px(p.y, factor)) else { return 0.0 };
            sum.iter_mut().zip(rgb).for_each(|(s, v)| *s += v);
        }
        let (low, high) = sum.iter().fold((f32::MAX, 0.0_f32), |(low, high), v| (low.min(*v), high.max(*v)));
        (high - low) / sum.iter().sum::<f32>().max(1.0)
    }

    /// The window as a grid in the whole picture.
    fn grid(&self, fitted: &Fitted, window: &Window) -> Option<Grid> {
        let size = Size::new(u64::try_from(window.lines).ok()?).ok()?;
        let (x, y) = (f64::from(window.low.0), f64::from(window.low.1));
        let moved = nalgebra::Matrix3::new(1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0, 1.0);
        let plane = Homography::from_matrix(reduction(self.factor) * fitted.map.plane().matrix() * moved)?;
        let factor = f64::from(self.factor);
        // The lens that is known is taken as it came, to the last digit.
        let lens = self.hint.lens.or_else(|| fitted.map.lens().map(|lens| lens.scaled([factor, factor])));
        let grid = Grid::new(size, BoardMap::new(plane, lens));
        let grid = if grid.is_mirrored() { grid.transposed()? } else { grid };
        // Near its last place a board keeps its names.
        let known = self.hint.near.filter(|near| near.size() == size).and_then(|near| {
            let turned = (0..4).map(|turns| grid.renamed(turns));
            let nearest = turned.min_by(|a, b| near.farthest_px(a).total_cmp(&near.farthest_px(b)))?;
            (near.farthest_px(&nearest) < KEEPS_NAMES * f64::from(window.lines - 1) * near.spacing_px())
                .then_some(nearest)
        });
        Some(known.unwrap_or_else(|| grid.upright()))
    }

    /// How much the cells of a range are light and dark by turns, as those of a chess board are: the share of the spread
    /// of their levels that their colours would explain. A chess board's squares may have two cells along each side.
    fn chequered(&self, map: &BoardMap, range: Range) -> f64 {
        let (w, h) = (self.plane.width as f64, self.plane.height as f64);
        let cells = range.nodes().filter(|n| n.0 < range.high.0 && n.1 < range.high.1);
        let levels: Vec<(Node, f64)> = cells
            .filter_map(|node| {
                let p = map.to_image(point(node) + Vector2::new(0.5, 0.5));
                let inside = p.x >= 1.0 && p.y >= 1.0 && p.x < w - 2.0 && p.y < h - 2.0;
                inside.then(|| (node, f64::from(self.plane.between(p.x, p.y))))
            })
            .collect();
        const PATTERNS: [(i32, i32, i32); 5] = [(1, 0, 0), (2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)];
        let share = |(period, dx, dy): (i32, i32, i32)| {
            let is_light = |n: Node| ((n.0 + dx).div_euclid(period) + (n.1 + dy).div_euclid(period)).rem_euclid(2) == 0;
            explained(levels.iter().map(|(node, level)| (is_light(*node), *level)))
        };
        PATTERNS.into_iter().map(share).fold(0.0, f64::max)
    }
}

/// The share of the spread of some levels that belonging to one of two groups explains.
fn explained(levels: impl Iterator<Item = (bool, f64)> + Clone) -> f64 {
    let of = |group: bool| {
        let own = levels.clone().filter(move |l| l.0 == group).map(|l| l.1);
        (own.clone().count() as f64, own.sum::<f64>())
    };
    let ((n, light), (m, dark)) = (of(true), of(false));
    let mean = (light + dark) / (n + m);
    let variance = levels.clone().map(|l| (l.1 - mean).powi(2)).sum::<f64>() / (n + m);
    let between = (n * (light / n - mean).powi(2) + m * (dark / m - mean).powi(2)) / (n + m);
    // Not a number where a group is empty.
    let share = between / variance;
    if share.is_finite() { share } else { 0.0 }
}

/// The pairs of pencils that may be a grid's, those of the most points first.
fn pairs(pencils: &[Pencil]) -> Vec<[&Pencil; 2]> {
    let most = pencils.iter().map(|p| p.points).fold(0.0, f64::max);
    let large: Vec<&Pencil> = pencils.iter().filter(|p| p.points >= LEAST_PENCIL * most).collect();
    let mut pairs: Vec<[&Pencil; 2]> = Vec::new();
    for (i, a) in large.iter().enumerate() {
        pairs.extend(large[..i].iter().filter(|b| b.is_other_than(a)).map(|b| [*b, *a]));
    }
    let fewer = |pair: &[&Pencil; 2]| pair[0].points.min(pair[1].points);
    pairs.sort_by(|a, b| fewer(b).total_cmp(&fewer(a)));
    pairs
}

fn keep_better(found: LocatedGrid, best: &mut Option<LocatedGrid>) {
    if best.as_ref().is_none_or(|b| found.confidence > b.confidence) {
        *best = Some(found);
    }
}

fn is_sure(best: &Option<LocatedGrid>) -> bool {
    best.as_ref().is_some_and(|b| b.confidence > SURE)
}

/// A crossing as a point of the board.
fn point(node: Node) -> BoardPoint {
    BoardPoint::new(f64::from(node.0), f64::from(node.1))
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Probability that a window is a Go board, in the picture as a whole or not, and is where it is said to be.
fn confidence(d: &Diagnostics, lines: i32, is_asked: bool) -> f64 {
    // A window shifted by a line must be clearly worse; one stone hides several arms.
    let position = logistic((d.margin - 5.0) / 2.0);
    // So many arms have a few of the crossings of a board full of stones.
    let enough = logistic((d.arms as f64 - 0.12 * f64::from(4 * lines * (lines - 1))) / 8.0);
    let wood = logistic((0.25 - d.bare as f64 / (d.arms + d.bare).max(1) as f64) / 0.03);
    // Boards that are drawn by hand lie within 0.01, chance lattices on other things begin at 0.015.
    let flat = logistic((0.016 - d.rms_lines) / 0.0015);
    // Stones leaning over the edge look like lines now and then: a few of few tell nothing.
    let ends = logistic((0.16 - d.leaving as f64 / (d.ends + 8) as f64) / 0.02);
    // Of a board that is wholly in the picture, some ends are seen even when it is full.
    let seen_to_end = if d.visible < 1.0 { 1.0 } else { logistic(d.ends as f64 - 3.0) };
    let plain = logistic((0.35 - d.chequered) / 0.05);
    // Eight squares of a drawn chess board have nine lines as well, but no star points.
    let stars = if !is_asked && lines < 19 && d.star_places >= 2 && d.stars == 0 { 0.1 } else { 1.0 };
    let all = position * enough * wood * flat * ends * seen_to_end * plain * stars;
    if all.is_finite() { all } else { 0.0 }
}
