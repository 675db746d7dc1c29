//! A lattice's map moved onto all lines that can be seen, and what the lens does to them where nobody knows it.

use nalgebra::{Matrix3, SMatrix, SVector, Vector2, Vector3};

use super::{
    super::{
        geometry::{BoardPoint, ImagePoint},
        lens::Lens,
        map::BoardMap,
        plane::Plane,
    },
    arms::{self, Arm, WAYS},
};

/// Least contrast of a line that is seen, as a part of that of clear lines.
const LEAST_OF_CLEAR: f32 = 0.4;
/// The same for a line from which the contrast of clear ones is learnt.
const LEAST_OF_FIT: f32 = 0.5;
/// Share of the arms with the clearest lines that are passed over before one is called clear: ink is not blacker than that.
const CLEAR_SHARE: f64 = 0.15;
/// Least contrast of any line, over the lightness beside it.
const LEAST_CONTRAST: f32 = 0.02;
/// Places along an arm that must show its line, of five.
const LEAST_PLACES: u8 = 4;
/// Fewest arms on which a fit may rest.
const FEWEST_ARMS: usize = 24;
/// Distance from the common map at which an arm counts half, at least, in distances between lines: lines are drawn by
/// hand.
const APART: f64 = 0.02;
/// Root mean square of the distances of lines from a map beyond which it is none of theirs, in distances between lines:
/// before the lens is known those of a board reach half of it, and what is no board has 0.08 and more.
const HOPELESS: f64 = 0.06;
/// Usual size of the two radial coefficients of an unknown lens, for the focal length [`USUAL_FOCAL`].
const LENS_SPREAD: [f64; 2] = [0.15, 0.3];
/// Focal length over the picture's longer side for which a coefficient is told.
const USUAL_FOCAL: f64 = 0.85;
/// Share of the root mean square of lines' distances that may be left for a lens' first and second coefficient to be
/// believed: with few lines a lens explains the rims of stones as well.
const LENS_GAIN: [f64; 2] = [0.8, 0.9];

/// The plane's eight numbers, and two of the lens.
type Row = SVector<f64, 10>;
type Normal = SMatrix<f64, 10, 10>;

/// Columns and rows of a lattice: from (x, y) up to (x, y), both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: (i32, i32),
    pub(super) high: (i32, i32),
}

impl Range {
    pub(super) fn nodes(self) -> impl Iterator<Item = (i32, i32)> {
        (self.low.1..=self.high.1).flat_map(move |y| (self.low.0..=self.high.0).map(move |x| (x, y)))
    }

    pub(super) fn holds(self, node: (i32, i32)) -> bool {
        (self.low.0..=self.high.0).contains(&node.0) && (self.low.1..=self.high.1).contains(&node.1)
    }

    pub(super) const fn grown(self, by: i32) -> Self {
        Self { low: (self.low.0 - by, self.low.1 - by), high: (self.high.0 + by, self.high.1 + by) }
    }

    /// Grown evenly to this many columns and rows at least.
    pub(super) fn at_least(self, lines: i32) -> Self {
        let grow = |low: i32, high: i32| {
            let missing = (lines - (high - low + 1)).max(0);
            (low - (missing + 1) / 2, high + (missing + 1) / 2)
        };
        let ((x0, x1), (y0, y1)) = (grow(self.low.0, self.high.0), grow(self.low.1, self.high.1));
        Self { low: (x0, y0), high: (x1, y1) }
    }

    /// A part of it around its middle.
    fn inner(self, share: f64) -> Self {
        let cut = |low: i32, high: i32| {
            let by = (f64::from(high - low) * 0.5 * (1.0 - share)).floor() as i32;
            (low + by, high - by)
        };
        let ((x0, x1), (y0, y1)) = (cut(self.low.0, self.high.0), cut(self.low.1, self.high.1));
        Self { low: (x0, y0), high: (x1, y1) }
    }
}

/// A map that lies on the lines.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) map: BoardMap,
    /// Root mean square of the distances of these from their lines, in distances between lines, those far apart held back.
    pub(super) rms: f64,
    /// Contrast of clear lines.
    pub(super) clear: Clear,
}

/// All arms of a range that lie within the picture.
pub(super) fn read_all(plane: &Plane, map: &BoardMap, range: Range, off_place: f64) -> Vec<Arm> {
    let ways = |node| (0..WAYS.len()).filter_map(move |way| arms::read(plane, map, node, way, off_place));
    range.nodes().flat_map(ways).collect()
}

/// Contrast of clear lines, over the lightness beside them: of rows and of columns, and how it changes over the board. Far
/// lines, and those seen from a low camera, are thinner in the picture and so less dark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clear {
    /// Planes over the board, of rows and of columns.
    planes: [Vector3<f32>; 2],
    /// Of all.
    pub(super) overall: f32,
}

impl Clear {
    /// From some arms.
    pub(super) fn of(arms: &[Arm]) -> Self {
        let mut contrasts: Vec<f32> = arms.iter().filter(|a| a.places >= LEAST_PLACES).map(|a| a.contrast).collect();
        let mut overall = LEAST_CONTRAST;
        if !contrasts.is_empty() {
            let at = ((contrasts.len() as f64 * (1.0 - CLEAR_SHARE)) as usize).min(contrasts.len() - 1);
            overall = contrasts.select_nth_unstable_by(at, f32::total_cmp).1.max(LEAST_CONTRAST);
        }
        let mut clear = Self { planes: [Vector3::new(overall, 0.0, 0.0); 2], overall };
        for _ in 0..3 {
            clear.planes = [true, false].map(|rows| clear.plane(arms.iter().filter(|a| a.is_row() == rows)));
        }
        clear
    }

    /// The plane through the contrasts of the arms that show a line as far as is known.
    fn plane<'a>(&self, arms: impl Iterator<Item = &'a Arm>) -> Vector3<f32> {
        // As if some lines of usual contrast had been seen, so that a few arms tell no slope.
        let mut normal = Matrix3::from_diagonal(&Vector3::new(4.0, 20.0, 20.0));
        let mut right = Vector3::new(4.0 * self.overall, 0.0, 0.0);
        for arm in arms.filter(|a| a.places >= LEAST_PLACES && a.contrast >= LEAST_OF_FIT * self.at(a)) {
            let row = Self::row(arm);
            // Clear lines count more than those at which a stone leans.
            let weight = if arm.contrast < self.at(arm) { 0.3 } else { 1.0 };
            normal += row * row.transpose() * weight;
            right += row * (weight * arm.contrast.min(1.5 * self.at(arm)));
        }
        normal.cholesky().map_or(Vector3::new(self.overall, 0.0, 0.0), |c| c.solve(&right))
    }

    fn row(arm: &Arm) -> Vector3<f32> {
        // A tenth, so that all three numbers are of one size.
        Vector3::new(1.0, 0.1 * arm.node.0 as f32, 0.1 * arm.node.1 as f32)
    }

    /// Contrast of a clear line where an arm is.
    pub(super) fn at(&self, arm: &Arm) -> f32 {
        let plane = &self.planes[usize::from(!arm.is_row())];
        plane.dot(&Self::row(arm)).clamp(0.35 * self.overall, 1.2 * self.overall)
    }

    /// Is a line seen there?
    pub(super) fn is_line(&self, arm: &Arm) -> bool {
        arm.contrast >= (LEAST_OF_CLEAR * self.at(arm)).max(LEAST_CONTRAST) && arm.places >= LEAST_PLACES
    }
}

/// Moves a map onto the lines of a range. `lens_known` says that the map's lens, or none, is the true one. `None` where
/// too few lines are seen.
pub(super) fn fit(plane: &Plane, start: &BoardMap, range: Range, lens_known: bool) -> Option<Fitted> {
    // From the middle outwards: what the first map is wrong by grows with the distance, and beyond half of the distance
    // between lines the next line would be taken for the right one.
    let mut now: Option<Fitted> = None;
    let mut terms = 0;
    for share in [0.4, 0.55, 0.7, 0.85, 1.0, 1.0] {
        let part = range.inner(share);
        let map = now.as_ref().map_or(*start, |fitted| fitted.map);
        let Some(plain) = step(plane, &map, part, 1.0, terms) else { continue };
        let plain = step(plane, &plain.map, part, 0.8, terms).unwrap_or(plain);
        let most = if lens_known { 0 } else { LENS_SPREAD.len() };
        let bent = (terms < most).then(|| bent(plane, &plain, part, terms + 1)).flatten();
        terms += usize::from(bent.is_some());
        let fitted = bent.unwrap_or(plain);
        if fitted.rms > HOPELESS {
            return None;
        }
        now = Some(fitted);
    }
    let fitted = now?;
    Some(step(plane, &fitted.map, range, 0.6, 0).unwrap_or(fitted))
}

/// The same lines with so many of the lens' coefficients, if that explains them better.
fn bent(plane: &Plane, plain: &Fitted, range: Range, terms: usize) -> Option<Fitted> {
    let first = step(plane, &plain.map, range, 0.8, terms)?;
    let bent = step(plane, &first.map, range, 0.8, terms)?;
    (bent.rms < LENS_GAIN[terms - 1] * plain.rms).then_some(bent)
}

/// One step of least squares on all lines, those apart held back; with so many of the lens' coefficients.
pub(super) fn step(plane: &Plane, map: &BoardMap, range: Range, off_place: f64, lens_terms: usize) -> Option<Fitted> {
    let arms = read_all(plane, map, range, off_place);
    let clear = Clear::of(&arms);
    let seen: Vec<Arm> = arms.into_iter().filter(|a| clear.is_line(a)).collect();
    if seen.len() < FEWEST_ARMS {
        return None;
    }
    let around = Centre::of(range);
    let bending = Bending::new(plane, map);
    let rows: Vec<(Row, f64)> = seen.iter().map(|arm| around.row(arm, map, &bending, lens_terms)).collect();
    let (solution, rms) = solve(&rows)?;
    let moved = around.moved(map, &solution)?;
    let map = if lens_terms > 0 { bending.bent(&moved, [solution[8], solution[9]])? } else { moved };
    Some(Fitted { map, rms, clear })
}

/// Robust least squares: the solution and the usual residual.
fn solve(rows: &[(Row, f64)]) -> Option<(Row, f64)> {
    let mut solution = Row::zeros();
    let mut bar = 0.1;
    let mut result = None;
    for _ in 0..6 {
        // Hardly a prior: the plane may be a lattice's first guess. The lens has one.
        let mut normal = Normal::identity() * 1e-6;
        for (k, spread) in LENS_SPREAD.into_iter().enumerate() {
            normal[(8 + k, 8 + k)] = (APART / spread).powi(2);
        }
        let mut right = Row::zeros();
        let (mut squares, mut weights) = (0.0, 0.0);
        let mut apart: Vec<f64> = Vec::with_capacity(rows.len());
        for (row, off) in rows {
            let rest = off - row.dot(&solution);
            apart.push(rest.abs());
            let weight = 1.0 / (1.0 + (rest / bar).powi(2)).powi(2);
            normal += row * row.transpose() * weight;
            right += row * (weight * off);
            squares += weight * rest * rest;
            weights += weight;
        }
        solution = normal.cholesky()?.solve(&right);
        let middle = apart.len() / 2;
        let median = *apart.select_nth_unstable_by(middle, f64::total_cmp).1;
        bar = (2.5 * median).max(APART);
        result = Some((solution, (squares / weights.max(1e-9)).sqrt()));
    }
    result.filter(|(solution, _)| solution.iter().all(|v| v.is_finite()))
}

/// Movements of a range on itself.
struct Centre {
    middle: BoardPoint,
    half: f64,
}

impl Centre {
    fn of(range: Range) -> Self {
        let mean = |a: i32, b: i32| 0.5 * f64::from(a + b);
        let (x, y) = (mean(range.low.0, range.high.0), mean(range.low.1, range.high.1));
        let half = 0.5 * f64::from((range.high.0 - range.low.0).max(range.high.1 - range.low.1)).max(2.0);
        Self { middle: BoardPoint::new(x, y), half }
    }

    /// The range as a square with a corner at (0, 0).
    fn shifted(&self, p: BoardPoint) -> BoardPoint {
        BoardPoint::new(p.x - self.middle.x + self.half, p.y - self.middle.y + self.half)
    }

    fn warp(&self) -> super::super::warp::Warp {
        super::super::warp::Warp::of_side(2.0 * self.half)
    }

    /// How an arm's distance from its line depends on the eight numbers and on the lens, and that distance.
    fn row(&self, arm: &Arm, map: &BoardMap, bending: &Bending, lens_terms: usize) -> (Row, f64) {
        let mut at = arm.middle();
        let axis = usize::from(arm.is_row());
        at[axis] += arm.off;
        let ways = self.warp().way(self.shifted(at));
        let mut row = Row::zeros();
        for k in 0..8 {
            row[k] = ways[(axis, k)];
        }
        if lens_terms > 0 {
            for (k, slope) in bending.slopes(map, at).into_iter().enumerate().take(lens_terms) {
                row[8 + k] = -slope[axis];
            }
        }
        (row, arm.off)
    }

    fn moved(&self, map: &BoardMap, solution: &Row) -> Option<BoardMap> {
        let step = SVector::<f64, 8>::from_fn(|k, _| solution[k]);
        let shift =
            Matrix3::new(1.0, 0.0, self.middle.x - self.half, 0.0, 1.0, self.middle.y - self.half, 0.0, 0.0, 1.0);
        map.after(&(shift * self.warp().matrix(&step) * shift.try_inverse()?))
    }
}

/// What two radial coefficients do to a picture.
struct Bending {
    focal_px: f64,
    centre: ImagePoint,
    now: [f64; 2],
}

/// Change of a coefficient from which its effect is measured.
const SMALL: f64 = 1e-3;

impl Bending {
    fn new(plane: &Plane, map: &BoardMap) -> Self {
        let (w, h) = (plane.width as f64, plane.height as f64);
        let centre = ImagePoint::new(0.5 * (w - 1.0), 0.5 * (h - 1.0));
        Self { focal_px: USUAL_FOCAL * w.max(h), centre, now: map.lens().map_or([0.0; 2], Lens::first_radials) }
    }

    fn lens(&self, by: [f64; 2]) -> Lens {
        Lens::radial(self.focal_px, self.centre, [self.now[0] + by[0], self.now[1] + by[1]])
    }

    /// How the point of the board that a pixel shows moves with each coefficient.
    fn slopes(&self, map: &BoardMap, at: BoardPoint) -> [Vector2<f64>; 2] {
        let pixel = map.to_image(at);
        [[SMALL, 0.0], [0.0, SMALL]].map(|by| {
            let moved = BoardMap::new(*map.plane(), Some(self.lens(by))).to_board(pixel);
            if moved.x.is_finite() && moved.y.is_finite() { (moved - at) / SMALL } else { Vector2::zeros() }
        })
    }

    /// The same plane under a lens bent by so much more; `None` where no lens bends so.
    fn bent(&self, map: &BoardMap, by: [f64; 2]) -> Option<BoardMap> {
        let believable = self.now.iter().zip(by).all(|(now, by)| (now + by).abs() < 2.0);
        believable.then(|| BoardMap::new(*map.plane(), Some(self.lens(by))))
    }
}
