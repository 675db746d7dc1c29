//! Following the grid from picture to picture, and from photograph to photograph.
//!
//! In film the board is followed as a chess board is: patches on crossings are laid over how they looked
//! ([`Tracker`](super::super::track::Tracker)). Between two photographs of a series light and
//! hands change, but the lines stay: they are looked for where they were (A. Carta and M. Corsolini, PhotoKifu, §2.2). Stones
//! need no treatment of their own: what counts are the pieces of line between them.

use nalgebra::Matrix3;

use super::{
    super::{
        candidates::reduction,
        geometry::{BoardPoint, Homography},
        map::BoardMap,
        plane::Plane,
        track::{Nodes, Tracker},
    },
    Grid,
    arms::{self, Arm, Node, WAYS},
    fit::{Clear, Range},
    locate::{find_near, reduction_factor},
};
use crate::frame::Frame;

/// How far a patch reaches from its crossing, in distances between lines: short of the stones next to it.
const PATCH_LINES: f64 = 0.35;
/// Crossings along a side up to which each has a patch; on larger boards every second one has.
const EVERY_CROSSING: u8 = 13;
/// Movement of no corner by more than this is none, in distances between lines: what the lines of two pictures of one
/// scene differ by.
const SAME_LINES: f64 = 0.03;
/// Distance of a line from its place up to which it is in it, in distances between lines: lines are drawn by hand, and far
/// ones are seen to half a pixel.
const NEAR_LINES: f64 = 0.05;
/// Share of the lines that are seen near their places which must be in them; rims of stones are anywhere.
const STILL_NEAR: f64 = 0.7;
/// Fewest lines in their places that are not there by chance: a quarter of what is no line of the board's is as near.
const NO_CHANCE: usize = 4;
/// Fewest lines on which a place may rest.
const FEWEST_LINES: usize = 24;
/// Share of the places beyond the outer lines at which a line may be seen: more, and the board has moved by a whole line.
const MOST_BEYOND: f64 = 0.15;

/// What became of the grid in a picture.
// One at a time, on the stack: a box would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Following {
    /// It is where it was.
    Same,
    /// It has moved here.
    Moved(Grid),
    /// What is seen of it is in its place, but that is too little to say more: something is before it.
    Hidden,
    /// It is not seen near its place: look for it with [`find`](super::find), beginning there.
    Lost,
}

/// Follows a grid through a film.
#[derive(Debug, Clone)]
pub struct Follower {
    tracker: Tracker,
    grid: Grid,
}

impl Follower {
    /// Remembers how the board looks at its place in this picture.
    #[must_use]
    pub fn begin(frame: &Frame<'_>, grid: &Grid) -> Self {
        let tracker = Tracker::begin_at(frame, &eighths(grid), &nodes(grid), |_| true);
        Self { tracker, grid: *grid }
    }

    /// Where the board was in the last picture that showed it.
    #[must_use]
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Looks for the board near its place, up to a third of the distance between lines away: farther off it is lost, and to
    /// be looked for with [`find`](super::find).
    pub fn follow(&mut self, frame: &Frame<'_>) -> Following {
        let last = eighths(&self.grid);
        let followed = self.tracker.follow(frame, &last);
        if followed.in_place && followed.map == last {
            return Following::Same;
        }
        // Empty crossings look alike: where the patches have moved to, the lines must be as well. And lines are thin: patches
        // that are off by more than a few pixels do not feel which way to go, but the lines can still be laid over each other.
        let drawn = if followed.in_place { lines(&followed.map, &self.grid) } else { None };
        let moved = drawn.filter(|grid| rests(frame, grid)).or_else(|| find_near(frame, &self.grid));
        let Some(moved) = moved else { return Following::Lost };
        self.grid = moved;
        Following::Moved(moved)
    }

    /// Remembers anew what no longer looks as it did, at the crossings that are `clear` of anything but stones: to be called
    /// when a picture has been understood.
    pub(crate) fn renew(&mut self, frame: &Frame<'_>, clear: impl Fn(f64, f64) -> bool) {
        let nodes = nodes(&self.grid);
        let scale = f64::from(self.grid.size().lines() - 1) / 8.0;
        let is_clear = |k: usize| nodes.at.get(k).is_some_and(|p| clear(p.x * scale, p.y * scale));
        self.tracker.renew_at(frame, &eighths(&self.grid), |_| true, is_clear);
    }
}

/// The grid's map in eighths of the board, which the tracker takes for squares.
fn eighths(grid: &Grid) -> BoardMap {
    let scale = f64::from(grid.size().lines() - 1) / 8.0;
    let lines = Matrix3::new(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 1.0);
    // A scale is never without inverse.
    grid.map().after(&lines).unwrap_or(*grid.map())
}

/// The grid of a map in eighths.
fn lines(map: &BoardMap, like: &Grid) -> Option<Grid> {
    let scale = 8.0 / f64::from(like.size().lines() - 1);
    let eighths = Matrix3::new(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 1.0);
    Some(Grid::new(like.size(), map.after(&eighths)?))
}

/// The crossings that have patches, in eighths of the board.
fn nodes(grid: &Grid) -> Nodes {
    let lines = grid.size().lines();
    let step = if lines > EVERY_CROSSING { 2 } else { 1 };
    let scale = 8.0 / f64::from(lines - 1);
    let along = || (0..lines).step_by(step);
    let at = along().flat_map(|y| along().map(move |x| BoardPoint::new(f64::from(x) * scale, f64::from(y) * scale)));
    // A patch has seven samples along each side.
    Nodes { at: at.collect(), spacing: PATCH_LINES * scale / 3.5 }
}

/// What became of a grid in another photograph of its series, taken from nearly the same place. Nothing but the lines is
/// compared, so that light and stones may be others.
#[must_use]
pub fn follow(grid: &Grid, frame: &Frame<'_>) -> Following {
    let lines = lines_at(frame, grid).unwrap_or_default();
    if lines.rest() {
        return Following::Same;
    }
    match find_near(frame, grid) {
        // A board of which a sleeve leaves little in sight is not elsewhere.
        None if lines.in_place() => Following::Hidden,
        None => Following::Lost,
        Some(moved) if grid.farthest_px(&moved) < SAME_LINES * grid.spacing_px() => Following::Same,
        Some(moved) => Following::Moved(moved),
    }
}

/// All lines of a grid.
fn whole(grid: &Grid) -> Range {
    let last = i32::from(grid.size().lines()) - 1;
    Range { low: (0, 0), high: (last, last) }
}

/// The grid's map in the reduced picture.
fn reduced(grid: &Grid, factor: u32) -> Option<BoardMap> {
    let smaller = 1.0 / f64::from(factor);
    let plane = Homography::from_matrix(reduction(factor).try_inverse()? * grid.map().plane().matrix())?;
    Some(BoardMap::new(plane, grid.map().lens().map(|lens| lens.scaled([smaller, smaller]))))
}

/// Are the lines where the grid has them, and do they end there?
fn rests(frame: &Frame<'_>, grid: &Grid) -> bool {
    lines_at(frame, grid).is_some_and(|lines| lines.rest())
}

/// What is seen of lines at a grid's place.
#[derive(Debug, Clone, Copy, Default)]
struct Lines {
    /// Within the grid, near their places, and of these the ones in them.
    seen: usize,
    near: usize,
    /// Places beyond the outer lines, and of these the ones that show a line.
    beyond: usize,
    leaving: usize,
}

impl Lines {
    /// Is what is seen where the grid has it?
    fn in_place(&self) -> bool {
        self.seen >= NO_CHANCE
            && self.near as f64 >= STILL_NEAR * self.seen as f64
            && self.leaving as f64 <= MOST_BEYOND * self.beyond as f64
    }

    /// And is that enough to be the board?
    fn rest(&self) -> bool {
        self.seen >= FEWEST_LINES && self.in_place()
    }
}

/// The lines at a grid's place; a third of the rows and columns tells whether they are in it.
fn lines_at(frame: &Frame<'_>, grid: &Grid) -> Option<Lines> {
    let factor = reduction_factor(frame);
    let map = reduced(grid, factor)?;
    let (plane, range) = (Plane::reduced(frame, factor), whole(grid));
    let is_within = |node: Node, way: usize| range.holds((node.0 + WAYS[way].0, node.1 + WAYS[way].1));
    let is_chosen = |node: Node, way: usize| !is_within(node, way) || node.0 % 3 == 0 && node.1 % 3 == 0;
    let arms: Vec<Arm> = range
        .nodes()
        .flat_map(|node| (0..WAYS.len()).map(move |way| (node, way)))
        .filter(|(node, way)| is_chosen(*node, *way))
        .filter_map(|(node, way)| arms::read(&plane, &map, node, way, 1.0))
        .collect();
    let clear = Clear::of(&arms);
    let (within, beyond): (Vec<&Arm>, Vec<&Arm>) = arms.iter().partition(|a| is_within(a.node, a.way));
    let seen: Vec<&&Arm> = within.iter().filter(|a| clear.is_line(a)).collect();
    let near = seen.iter().filter(|a| a.off.abs() < NEAR_LINES).count();
    let leaving = beyond.iter().filter(|a| clear.is_line(a)).count();
    Some(Lines { seen: seen.len(), near, beyond: beyond.len(), leaving })
}
