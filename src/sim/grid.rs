//! Rectangles and triangles on a grid, be it the pixels of a picture or the map of a lamp.

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
    let min = |k: usize| a[k].min(b[k]).min(c[k]).ceil().max(rect.low[k] as f32);
    let max = |k: usize| a[k].max(b[k]).max(c[k]).floor().min(rect.high[k].min(size[k]) as f32 - 1.0);
    let (x0, x1, y0, y1) = (min(0), max(0), min(1), max(1));
    if x0 > x1 || y0 > y1 {
        return;
    }
    let inverse = 1.0 / area;
    for y in y0 as usize..=y1 as usize {
        let py = y as f32;
        for x in x0 as usize..=x1 as usize {
            let px = x as f32;
            let wa = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) * inverse;
            let wb = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) * inverse;
            let wc = 1.0 - wa - wb;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                at(x, y, [wa, wb, wc]);
            }
        }
    }
}
