//! Which parts of a picture must be drawn again.

use crate::sim::grid::Rect;

/// Side of a tile, in samples: a whole number of pixels with one to four samples along each.
const TILE: usize = 24;

/// A picture cut into tiles, some of them marked.
#[derive(Debug, Clone)]
pub(super) struct Tiles {
    size: [usize; 2],
    count: [usize; 2],
    marked: Vec<bool>,
}

impl Tiles {
    /// Tiles of a picture of a size in samples, none of them marked.
    #[must_use]
    pub fn new(size: [usize; 2]) -> Self {
        let count = size.map(|n| n.div_ceil(TILE));
        Self { size, count, marked: vec![false; count[0] * count[1]] }
    }

    /// Forgets all marks.
    pub fn clear(&mut self) {
        self.marked.fill(false);
    }

    /// Marks what a rectangle touches.
    pub fn mark(&mut self, rect: Rect) {
        if rect.is_empty() {
            return;
        }
        for y in rect.low[1] / TILE..rect.high[1].div_ceil(TILE).min(self.count[1]) {
            let row = &mut self.marked[y * self.count[0]..][..self.count[0]];
            row[rect.low[0] / TILE..rect.high[0].div_ceil(TILE).min(self.count[0])].fill(true);
        }
    }

    /// Marks what others have marked.
    pub(super) fn mark_all(&mut self, other: &Self) {
        self.marked.iter_mut().zip(&other.marked).for_each(|(a, b)| *a |= b);
    }

    /// How many tiles there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// Is a tile marked?
    #[must_use]
    pub(super) fn is_marked(&self, tile: usize) -> bool {
        self.marked[tile]
    }

    /// Takes the mark from a tile.
    pub(super) fn unmark(&mut self, tile: usize) {
        self.marked[tile] = false;
    }

    /// Number and place of every marked tile.
    pub fn marked(&self) -> impl Iterator<Item = (usize, Rect)> {
        self.marked.iter().enumerate().filter(|(_, marked)| **marked).map(|(tile, _)| (tile, self.rect(tile)))
    }

    fn rect(&self, tile: usize) -> Rect {
        let low = [tile % self.count[0] * TILE, tile / self.count[0] * TILE];
        Rect { low, high: [0, 1].map(|k| (low[k] + TILE).min(self.size[k])) }
    }

    /// The marked tiles as few rectangles that do not overlap.
    #[must_use]
    pub(super) fn rects(&self) -> Vec<Rect> {
        let mut rects: Vec<Rect> = vec![];
        // Runs of the row above may go on downward.
        let mut open: Vec<usize> = vec![];
        for y in 0..self.count[1] {
            let row = &self.marked[y * self.count[0]..][..self.count[0]];
            let bottom = ((y + 1) * TILE).min(self.size[1]);
            let mut still = vec![];
            let mut x = 0;
            while x < row.len() {
                if !row[x] {
                    x += 1;
                    continue;
                }
                let from = x;
                x += row[x..].iter().take_while(|m| **m).count();
                let (low, high) = (from * TILE, (x * TILE).min(self.size[0]));
                if let Some(&i) = open.iter().find(|&&i| rects[i].low[0] == low && rects[i].high[0] == high) {
                    rects[i].high[1] = bottom;
                    still.push(i);
                } else {
                    still.push(rects.len());
                    rects.push(Rect { low: [low, y * TILE], high: [high, bottom] });
                }
            }
            open = still;
        }
        rects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_the_marks_once() {
        let mut tiles = Tiles::new([200, 130]);
        assert!(tiles.rects().is_empty());
        let marks = [
            Rect { low: [10, 10], high: [30, 100] },
            Rect { low: [20, 50], high: [150, 60] },
            Rect { low: [190, 120], high: [200, 130] },
            Rect::EMPTY,
        ];
        marks.iter().for_each(|r| tiles.mark(*r));
        let rects = tiles.rects();
        let mut times = vec![0; 200 * 130];
        for r in &rects {
            (r.low[1]..r.high[1]).for_each(|y| (r.low[0]..r.high[0]).for_each(|x| times[y * 200 + x] += 1));
        }
        assert!(times.iter().all(|n| *n <= 1));
        for r in &marks[..3] {
            assert!((r.low[1]..r.high[1]).all(|y| (r.low[0]..r.high[0]).all(|x| times[y * 200 + x] == 1)));
        }
        assert!(times.iter().sum::<i32>() < 200 * 130 / 2, "{rects:?}");
        assert!(rects.len() <= 4, "{rects:?}");
    }
}
