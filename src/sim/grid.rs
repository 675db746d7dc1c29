//! Rectangles and triangles on a grid, be it the pixels of a picture or the map of a lamp.

use std::ops::Range;

/// A rectangle of pixels; the upper ends are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// First column and row.
    pub low: [usize; 2],
    /// First column and row beyond.
    pub high: [usize; 2],
}

impl Rect {
    /// No pixels.
    pub const EMPTY: Self = Self { low: [usize::MAX; 2], high: [0; 2] };

    /// Are there no pixels?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.low[0] >= self.high[0] || self.low[1] >= self.high[1]
    }

    /// Have both a pixel in common?
    #[must_use]
    pub(crate) const fn touches(&self, other: &Self) -> bool {
        self.low[0] < other.high[0]
            && other.low[0] < self.high[0]
            && self.low[1] < other.high[1]
            && other.low[1] < self.high[1]
    }

    /// Grown by a margin, within a picture.
    #[must_use]
    pub(crate) fn grown(self, margin: usize, size: [usize; 2]) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        Self {
            low: self.low.map(|v| v.saturating_sub(margin)),
            high: [(self.high[0] + margin).min(size[0]), (self.high[1] + margin).min(size[1])],
        }
    }

    /// Around pixel coordinates, cut to a picture.
    pub(super) fn around_points(points: impl Iterator<Item = [f32; 2]>, size: [usize; 2]) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for p in points {
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        if low[0] > high[0] {
            return Self::EMPTY;
        }
        let cut = |v: f32, k: usize| v.clamp(0.0, size[k] as f32) as usize;
        Self {
            low: [cut(low[0].floor(), 0), cut(low[1].floor(), 1)],
            high: [cut(high[0].ceil() + 1.0, 0), cut(high[1].ceil() + 1.0, 1)],
        }
    }
}

/// Calls `at(x, y, weights)` for each pixel centre inside of a triangle and a rectangle.
pub(super) fn fill([a, b, c]: [[f32; 2]; 3], size: [usize; 2], rect: Rect, mut at: impl FnMut(usize, usize, [f32; 3])) {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area.abs() < 1e-9 || !area.is_finite() {
        return;
    }
    let ends = |k: usize| {
        let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
        // What ends below 0 has no pixels.
        let end = if high < 0.0 { 0 } else { (high as usize).saturating_add(1).min(rect.high[k]).min(size[k]) };
        (up(low).max(rect.low[k])..end, high - low)
    };
    let ((columns, wide), (rows, high)) = (ends(0), ends(1));
    let inverse = 1.0 / area;
    // In a narrow triangle it takes longer to find a row's ends than to try them all.
    let edges = (columns.len() > WIDE).then(|| [[b, c], [c, a], [a, b]].map(|ends| Edge::new(ends, area, wide * high)));
    for y in rows {
        let py = y as f32;
        let row = edges.as_ref().map_or(columns.clone(), |edges| Edge::between(edges, py, columns.clone()));
        for x in row {
            let px = x as u32 as f32;
            let wa = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) * inverse;
            let wb = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) * inverse;
            let wc = 1.0 - wa - wb;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                at(x, y, [wa, wb, wc]);
            }
        }
    }
}

/// The ends of the rows of triangles that are wider than this are looked for, in pixels.
const WIDE: usize = 6;

/// An edge of a triangle: no pixel beyond it, by more than a margin, passes for inside, whatever rounding does.
struct Edge {
    from: [f32; 2],
    /// Columns a row.
    slope: f32,
    margin: f32,
    /// Is the triangle to the right of it?
    left: bool,
}

impl Edge {
    /// From end to end, of a triangle with twice this signed area, in a box of this area.
    fn new([from, to]: [[f32; 2]; 2], area: f32, boxed: f32) -> Self {
        let down = to[1] - from[1];
        // The products that tell inside from outside are less than the box, and off by a few 2⁻²⁴ of it.
        let margin = 1.0 + 1e-5 * boxed / down.abs();
        Self { from, slope: (to[0] - from[0]) / down, margin, left: (down < 0.0) == (area > 0.0) }
    }

    /// What may be inside of a row.
    fn between(edges: &[Self; 3], row: f32, columns: Range<usize>) -> Range<usize> {
        let (mut low, mut high) = (0.0f32, f32::INFINITY);
        for edge in edges {
            // A level edge has no such place: not a number, or an infinite margin, bounds nothing.
            let x = edge.from[0] + (row - edge.from[1]) * edge.slope;
            if edge.left {
                low = low.max(x - edge.margin);
            } else {
                high = high.min(x + edge.margin);
            }
        }
        columns.start.max(low as usize)..columns.end.min((high.max(0.0) as usize).saturating_add(1))
    }
}

/// The least whole number that is not below a number; 0 below 0.
fn up(v: f32) -> usize {
    let whole = v as usize;
    whole.saturating_add(usize::from((whole as f32) < v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::dice::Dice;

    /// What [`fill`] does, every pixel tried.
    fn tried([a, b, c]: [[f32; 2]; 3], size: [usize; 2]) -> Vec<(usize, usize)> {
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area.abs() < 1e-9 || !area.is_finite() {
            return vec![];
        }
        let ends = |k: usize| (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
        let inside = |&(x, y): &(usize, usize)| {
            let (px, py) = (x as f32, y as f32);
            let wa = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) * (1.0 / area);
            let wb = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) * (1.0 / area);
            let boxed = [(px, ends(0)), (py, ends(1))].iter().all(|(v, (low, high))| low <= v && v <= high);
            boxed && wa >= 0.0 && wb >= 0.0 && 1.0 - wa - wb >= 0.0
        };
        (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))).filter(inside).collect()
    }

    #[test]
    fn the_ends_of_rows_leave_no_pixel_out() {
        let (mut dice, size) = (Dice::new(7, 7), [90, 60]);
        let rect = Rect { low: [0, 0], high: size };
        for round in 0..6000 {
            let far = [20.0, 200.0, 3000.0][round % 3];
            let mut corners = [[0.0f32; 2]; 3].map(|p| p.map(|_| (45.0 + dice.between(-far, far)) as f32));
            match round % 7 {
                // On pixel centres; with a level edge, or one that nearly is; long and thin.
                0 => corners = corners.map(|p| p.map(f32::round)),
                1 => corners[1][1] = corners[0][1],
                2 => corners[1][1] = f32::from_bits(corners[0][1].to_bits() + 3),
                3 => corners[2] = [0, 1].map(|k| (corners[0][k] + corners[1][k]) / 2.0 + 0.01),
                4 => corners[2][0] = 1e30,
                _ => {}
            }
            let mut found = vec![];
            fill(corners, size, rect, |x, y, _| found.push((x, y)));
            assert_eq!(found, tried(corners, size), "{corners:?}");
        }
    }
}
