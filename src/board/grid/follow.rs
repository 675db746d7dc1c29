//! Following the grid from picture to picture, and from photograph to photograph.
//!
//! In film the board is followed as a chess board is: patches on crossings are laid over how they looked, and after a bump
//! they are looked for nearby ([`Tracker`](super::super::track::Tracker)). Between two photographs of a series light and
//! hands change, but the lines stay: they are looked for where they were (A. Carta and M. Corsolini, PhotoKifu, §2.2). Stones
//! need no treatment of their own: what counts are the pieces of line between them.

use nalgebra::Matrix3;

use super::{
    super::{
        candidates::reduction,
        geometry::{BoardPoint, Homography},
        map::BoardMap,
        plane::Plane,
        track::{Followed, Nodes, Tracker},
    },
    Grid,
    arms::{self, Arm, WAYS},
    fit::{self, Clear, Fitted, Range},
    locate::reduction_factor,
};
use crate::frame::Frame;

/// How far a patch reaches from its crossing, in distances between lines: short of the stones next to it.
const PATCH_LINES: f64 = 0.35;
/// Crossings along a side up to which each has a patch; on larger boards every second one has.
const EVERY_CROSSING: u8 = 13;
/// Movement of no corner by more than this is none, in distances between lines: what the lines of two pictures of one
/// scene differ by.
const SAME_LINES: f64 = 0.03;
/// Share of the lines seen before the search that must still be seen in their places.
const STILL_SEEN: f64 = 0.5;
/// Fewest lines on which a place may rest.
const FEWEST_LINES: usize = 30;
/// Share of the places beyond the outer lines at which a line may be seen: more, and the board has moved by a whole line.
const MOST_BEYOND: f64 = 0.15;
/// Greatest root mean square of the lines' distances from the map, in distances between lines.
const FLAT_LINES: f64 = 0.06;

/// What became of the grid in a picture.
// One at a time, on the stack: a box would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Following {
    /// It is where it was.
    Same,
    /// It has moved here.
    Moved(Grid),
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

    /// Looks for the board near its place, small movements first, then as far as a bump may have pushed it: an eighth of
    /// the board along each line, and turned by up to sixteen degrees.
    pub fn follow(&mut self, frame: &Frame<'_>) -> Following {
        let last = eighths(&self.grid);
        let mut followed = self.tracker.follow(frame, &last);
        if !followed.in_place {
            match self.search(frame, &last) {
                Some(found) => followed = found,
                None => return Following::Lost,
            }
        }
        if followed.map == last {
            return Following::Same;
        }
        match lines(&followed.map, &self.grid) {
            Some(moved) => {
                self.grid = moved;
                Following::Moved(moved)
            }
            None => Following::Lost,
        }
    }

    /// Lines are thin: patches that are off by more than a few pixels do not feel which way to go. So the map is laid over the
    /// lines first, from the last place and then from those that look like the board from afar. Which of the lines are the
    /// board's the patches tell.
    fn search(&self, frame: &Frame<'_>, last: &BoardMap) -> Option<Followed> {
        let factor = reduction_factor(frame);
        let plane = Plane::reduced(frame, factor);
        let onto_lines = |start: BoardMap| {
            let grid = lines(&start, &self.grid)?;
            let fitted = onto_lines(&plane, &reduced(&grid, factor)?, whole(&grid))?;
            Some(eighths(&enlarged(&grid, &fitted, factor)?))
        };
        self.tracker.best_of(frame, onto_lines(*last)).or_else(|| {
            let pushes = self.tracker.pushes(frame, last);
            self.tracker.best_of(frame, pushes.into_iter().filter_map(onto_lines))
        })
    }

    /// Remembers anew what no longer looks as it did, at the crossings that are `clear` of anything but stones: to be called
    /// when a picture has been understood.
    pub fn renew(&mut self, frame: &Frame<'_>, clear: impl Fn(f64, f64) -> bool) {
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

/// What became of a grid in another photograph of its series, taken from nearly the same place: up to a third of the
/// distance between lines away. Nothing but the lines is compared, so that light and stones may be others.
#[must_use]
pub fn follow(grid: &Grid, frame: &Frame<'_>) -> Following {
    let factor = reduction_factor(frame);
    let Some(map) = reduced(grid, factor) else { return Following::Lost };
    let range = whole(grid);
    let plane = Plane::reduced(frame, factor);
    if at_rest(&plane, &map, range) {
        return Following::Same;
    }
    let fitted = onto_lines(&plane, &map, range).filter(|fitted| ends(&plane, &fitted.map, range));
    match fitted.and_then(|fitted| enlarged(grid, &fitted, factor)) {
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

/// A map laid over the lines that are seen near it, if these are enough.
fn onto_lines(plane: &Plane, map: &BoardMap, range: Range) -> Option<Fitted> {
    let mut fitted = fit::step(plane, map, range, 1.5, 0)?;
    for off_place in [1.5, 1.0] {
        fitted = fit::step(plane, &fitted.map, range, off_place, 0)?;
    }
    (fitted.seen >= FEWEST_LINES && fitted.rms < FLAT_LINES).then_some(fitted)
}

/// The grid in the whole picture of a map in the reduced one.
fn enlarged(grid: &Grid, fitted: &Fitted, factor: u32) -> Option<Grid> {
    Some(grid.with_plane(Homography::from_matrix(reduction(factor) * fitted.map.plane().matrix())?))
}

/// The grid's map in the reduced picture.
fn reduced(grid: &Grid, factor: u32) -> Option<BoardMap> {
    let smaller = 1.0 / f64::from(factor);
    let plane = Homography::from_matrix(reduction(factor).try_inverse()? * grid.map().plane().matrix())?;
    Some(BoardMap::new(plane, grid.map().lens().map(|lens| lens.scaled([smaller, smaller]))))
}

/// Are the lines of every third row and column where they were, and do they end there?
fn at_rest(plane: &Plane, map: &BoardMap, range: Range) -> bool {
    let nodes = range.nodes().filter(|(x, y)| x % 3 == 0 && y % 3 == 0);
    let arms: Vec<Arm> = nodes
        .flat_map(|node| (0..WAYS.len()).map(move |way| (node, way)))
        .filter(|(node, way)| range.holds((node.0 + WAYS[*way].0, node.1 + WAYS[*way].1)))
        .filter_map(|(node, way)| arms::read(plane, map, node, way, 1.0))
        .collect();
    let clear = Clear::of(&arms);
    let seen: Vec<&Arm> = arms.iter().filter(|a| clear.is_line(a)).collect();
    let near = seen.iter().filter(|a| a.off.abs() < SAME_LINES).count();
    seen.len() >= FEWEST_LINES && near as f64 > STILL_SEEN * seen.len() as f64 && ends(plane, map, range)
}

/// Do the lines end at the outer ones?
fn ends(plane: &Plane, map: &BoardMap, range: Range) -> bool {
    let arms = fit::read_all(plane, map, range, 0.6);
    let clear = Clear::of(&arms);
    let beyond = |a: &&Arm| !range.holds((a.node.0 + WAYS[a.way].0, a.node.1 + WAYS[a.way].1));
    let all = arms.iter().filter(beyond).count();
    let lines = arms.iter().filter(beyond).filter(|a| clear.is_line(a)).count();
    lines as f64 <= MOST_BEYOND * all as f64
}
