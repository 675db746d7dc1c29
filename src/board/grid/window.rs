//! Which lines of a lattice are the board's? Where the lines end, the board ends.
//!
//! Every arm of every crossing speaks: a line that is seen says that both crossings are on the board, bare wood where a
//! line would be says that one is not, and a stone hides both. Every window of a board's size is weighed by the arms
//! within it. Where stones cover an outer line, the star points of the others tell.

use nalgebra::{Matrix3, Vector3};

use super::{
    super::{geometry::BoardPoint, map::BoardMap, plane::Plane},
    arms::{Arm, WAYS},
    fit::{Clear, Range},
};

/// Natural logarithm of how much likelier an arm looks so on the board than beside it: a line, bare wood, anything else,
/// and out of the picture. Arms beside each other are hidden by the same stone, so they count half of what one alone
/// would tell.
const LINE: f64 = 1.4;
const BARE: f64 = -1.3;
const OTHER: f64 = -0.1;
const OUTSIDE: f64 = -0.7;
/// Greatest difference of levels across bare wood, as a part of a clear line's contrast.
const BARE_SPREAD: f32 = 0.55;
/// Lightness of bare wood over that of the wood around lines, as it changes over the board: shadows and lamps.
const BARE_LIGHTNESS: std::ops::Range<f32> = 0.65..1.15;
/// Colourfulness of bare wood over that of the wood around lines, at least: white stones are as smooth and as light, but
/// grey. Wood that has less colour than this is not told from stones so.
const BARE_COLOUR: f32 = 0.7;
const LEAST_COLOUR: f32 = 0.06;
/// The same for a star point that is seen where one is expected, and for one that is seen at another crossing.
const STAR: f64 = 2.0;
/// How far from a crossing a star point is read, in distances between lines, and where it is compared with.
const STAR_AT: f64 = 0.05;
const STAR_BESIDE: f64 = 0.24;
/// How much darker a crossing with a star point is than the middle one of all, over the lightness of the wood, and over
/// the middle distance of all from that.
const STAR_DARK: f32 = 0.08;
const STAR_CLEAR: f32 = 5.0;
/// Fewest crossings of which the middle one is no star point for certain.
const ENOUGH_CROSSINGS: usize = 12;

/// What an arm shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    Line,
    Bare,
    Other,
    Outside,
}

/// The crossings of a range with what their arms show.
pub(super) struct Seen {
    pub(super) range: Range,
    shows: Vec<[Shows; 4]>,
    /// Does a crossing that is wholly seen bear a star point?
    stars: Vec<Option<bool>>,
}

/// A board's lines among those of a lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// Its first column and row.
    pub(super) low: (i32, i32),
    /// Its lines.
    pub(super) lines: i32,
    /// Natural logarithm of how well it fits.
    pub(super) score: f64,
}

/// What speaks for and against a window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Evidence {
    /// Arms within it that show their line.
    pub(super) lines: usize,
    /// Arms within it that show bare wood.
    pub(super) bare: usize,
    /// Arms that lead out of it and show a line, and those that can be read.
    pub(super) leaving: usize,
    pub(super) ends: usize,
    /// Outer lines (of four) of which three arms are seen.
    pub(super) outer_seen: usize,
    /// Crossings within it that should have a star point and are wholly seen, and those that show one.
    pub(super) star_places: usize,
    pub(super) stars: usize,
}

impl Window {
    /// Its columns and rows.
    pub(super) fn range(&self) -> Range {
        Range { low: self.low, high: (self.low.0 + self.lines - 1, self.low.1 + self.lines - 1) }
    }
}

impl Seen {
    /// From the arms of a range; those that are missing are out of the picture.
    /// `colour` tells how colourful a point of the board is, 0 to 1.
    pub(super) fn new(
        plane: &Plane,
        map: &BoardMap,
        range: Range,
        arms: &[Arm],
        clear: &Clear,
        colour: impl Fn(&Arm) -> f32,
    ) -> Self {
        let lines = || arms.iter().filter(|a| clear.is_line(a));
        let wood = Lightness::of(lines());
        let colour_of_wood = median(lines().step_by(5).map(&colour).collect()).unwrap_or(0.0);
        let is_wood = |arm: &Arm| {
            let colourless = colour_of_wood < LEAST_COLOUR;
            BARE_LIGHTNESS.contains(&(arm.beside / wood.at(arm)))
                && (colourless || colour(arm) > BARE_COLOUR * colour_of_wood)
        };
        let width = (range.high.0 - range.low.0 + 1) as usize;
        let height = (range.high.1 - range.low.1 + 1) as usize;
        let mut seen =
            Self { range, shows: vec![[Shows::Outside; 4]; width * height], stars: vec![None; width * height] };
        for arm in arms {
            let shows = if clear.is_line(arm) {
                Shows::Line
            } else if arm.spread < BARE_SPREAD * clear.at(arm) && is_wood(arm) {
                Shows::Bare
            } else {
                Shows::Other
            };
            let at = seen.index(arm.node);
            seen.shows[at][arm.way] = shows;
        }
        seen.find_stars(plane, map);
        seen
    }

    /// Which of the crossings that are seen bear a star point: those darker than most.
    fn find_stars(&mut self, plane: &Plane, map: &BoardMap) {
        let clear = self.range.nodes().filter(|node| self.shows[self.index(*node)].iter().all(|s| *s == Shows::Line));
        let found: Vec<(usize, f32)> =
            clear.filter_map(|node| Some((self.index(node), darkness(plane, map, node)?))).collect();
        if found.len() < ENOUGH_CROSSINGS {
            return;
        }
        let Some(usual) = median(found.iter().map(|f| f.1).collect()) else { return };
        let Some(spread) = median(found.iter().map(|f| (f.1 - usual).abs()).collect()) else { return };
        for (at, dark) in found {
            self.stars[at] = Some(dark > usual + STAR_DARK.max(STAR_CLEAR * spread));
        }
    }

    fn index(&self, node: (i32, i32)) -> usize {
        let width = self.range.high.0 - self.range.low.0 + 1;
        ((node.1 - self.range.low.1) * width + node.0 - self.range.low.0) as usize
    }

    /// The windows of these sizes, the best first.
    pub(super) fn windows(&self, sizes: &[i32]) -> Vec<Window> {
        let mut windows = Vec::new();
        for &lines in sizes {
            for y in self.range.low.1..=self.range.high.1 - lines + 1 {
                for x in self.range.low.0..=self.range.high.0 - lines + 1 {
                    let mut window = Window { low: (x, y), lines, score: 0.0 };
                    window.score = self.score(&window);
                    windows.push(window);
                }
            }
        }
        windows.sort_by(|a, b| b.score.total_cmp(&a.score));
        windows
    }

    fn score(&self, window: &Window) -> f64 {
        let range = window.range();
        let mut score = 0.0;
        for node in range.nodes() {
            let shows = &self.shows[self.index(node)];
            for (way, shows) in WAYS.iter().zip(shows) {
                if range.holds((node.0 + way.0, node.1 + way.1)) {
                    score += match shows {
                        Shows::Line => LINE,
                        Shows::Bare => BARE,
                        Shows::Other => OTHER,
                        Shows::Outside => OUTSIDE,
                    };
                } else if *shows == Shows::Line {
                    // It leads on beyond the board.
                    score -= 0.5 * LINE;
                }
            }
            if self.stars[self.index(node)] == Some(true) {
                let expected = is_star_point((node.0 - window.low.0, node.1 - window.low.1), window.lines);
                score += if expected { STAR } else { -STAR };
            }
        }
        score
    }

    /// What speaks for and against a window.
    pub(super) fn evidence(&self, window: &Window) -> Evidence {
        let range = window.range();
        let mut evidence = Evidence::default();
        let mut outer = [0; 4];
        for node in range.nodes() {
            let place = (node.0 - window.low.0, node.1 - window.low.1);
            if let (true, Some(star)) = (is_star_point(place, window.lines), self.stars[self.index(node)]) {
                evidence.star_places += 1;
                evidence.stars += usize::from(star);
            }
            for (k, way) in WAYS.iter().enumerate() {
                let shows = self.shows[self.index(node)][k];
                if range.holds((node.0 + way.0, node.1 + way.1)) {
                    evidence.lines += usize::from(shows == Shows::Line);
                    evidence.bare += usize::from(shows == Shows::Bare);
                    if shows == Shows::Line {
                        let along = k % 2 == 0;
                        outer[0] += usize::from(along && node.1 == range.low.1);
                        outer[1] += usize::from(along && node.1 == range.high.1);
                        outer[2] += usize::from(!along && node.0 == range.low.0);
                        outer[3] += usize::from(!along && node.0 == range.high.0);
                    }
                } else {
                    evidence.leaving += usize::from(shows == Shows::Line);
                    evidence.ends += usize::from(matches!(shows, Shows::Line | Shows::Bare));
                }
            }
        }
        evidence.outer_seen = outer.iter().filter(|n| **n >= 3).count();
        evidence
    }
}

/// Lightness of the wood: a plane over the board, since lamps stand on one side.
struct Lightness(Vector3<f32>);

impl Lightness {
    /// The plane through what is beside some arms.
    fn of<'a>(arms: impl Iterator<Item = &'a Arm>) -> Self {
        // Hardly a prior, so that no arms at all are no trouble.
        let mut normal = Matrix3::identity() * 1e-3;
        let mut right = Vector3::new(1e-3 * 128.0, 0.0, 0.0);
        for arm in arms {
            let row = Self::row(arm);
            normal += row * row.transpose();
            right += row * arm.beside;
        }
        Self(normal.cholesky().map_or(Vector3::new(128.0, 0.0, 0.0), |c| c.solve(&right)))
    }

    fn row(arm: &Arm) -> Vector3<f32> {
        // A tenth, so that all three numbers are of one size.
        Vector3::new(1.0, 0.1 * arm.node.0 as f32, 0.1 * arm.node.1 as f32)
    }

    fn at(&self, arm: &Arm) -> f32 {
        self.0.dot(&Self::row(arm)).max(8.0)
    }
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}

/// How dark it is around a crossing, off its lines: near it against farther off.
fn darkness(plane: &Plane, map: &BoardMap, node: (i32, i32)) -> Option<f32> {
    let (x, y) = (f64::from(node.0), f64::from(node.1));
    let level = |reach: f64| -> Option<f32> {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        corners.into_iter().try_fold(0.0, |sum, (dx, dy)| {
            let p = map.to_image(BoardPoint::new(x + reach * dx, y + reach * dy));
            let (w, h) = (plane.width as f64, plane.height as f64);
            let inside = p.x >= 1.0 && p.y >= 1.0 && p.x < w - 2.0 && p.y < h - 2.0;
            inside.then(|| sum + 0.25 * plane.between(p.x, p.y))
        })
    };
    Some(1.0 - level(STAR_AT)? / level(STAR_BESIDE)?.max(8.0))
}

/// Has a board of so many lines a star point there? Those of 19 lines have nine, smaller ones five.
fn is_star_point((x, y): (i32, i32), lines: i32) -> bool {
    let edge = if lines >= 13 { 3 } else { 2 };
    let outer = |v: i32| v == edge || v == lines - 1 - edge;
    let middle = |v: i32| lines % 2 == 1 && v == lines / 2;
    (outer(x) && outer(y))
        || (middle(x) && middle(y))
        || (lines >= 19 && (outer(x) || middle(x)) && (outer(y) || middle(y)))
}
