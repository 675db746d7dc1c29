//! What of the lattice belongs to which crossing, worked out once for a place of the board.

use super::shape::{PER_LINE, REACH, STRIDE, Shape, WINDOW, side};
use crate::go::{Point, Size};

/// Points around a crossing.
pub(crate) const AROUND: usize = WINDOW * WINDOW;
/// Up to here, in ellipses, a point shows the stone itself, wherever it was put exactly.
pub(super) const INSIDE: f32 = 0.8;
/// Beyond this a point shows what is beside the stone.
pub(crate) const OUTSIDE: f32 = 1.2;

/// Where a stone may lie besides its crossing, in points of the lattice: within 0.37 of a distance between lines.
pub(crate) const SHIFTS: [[i32; 2]; 21] = [
    [0, 0],
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
    [2, 0],
    [-2, 0],
    [0, 2],
    [0, -2],
    [2, 1],
    [2, -1],
    [-2, 1],
    [-2, -1],
    [1, 2],
    [-1, 2],
    [1, -2],
    [-1, -2],
];

/// What is around one crossing.
#[derive(Debug, Clone)]
pub struct Window {
    /// Number of the lattice's point in the middle.
    pub middle: usize,
    /// For each point around: how far within the ellipse of a stone in its place.
    pub within: [f32; AROUND],
    /// For each point around: which of the neighbours' stones would cover it or touch it, a bit each.
    pub covered: [u8; AROUND],
    /// Which of the neighbours are nearer to the camera, a bit each.
    pub nearer: u8,
    /// Numbers of the neighbours' crossings; none beside the board.
    pub neighbours: [Option<u16>; 8],
}

/// The windows of all crossings.
#[derive(Debug, Clone)]
pub struct Place {
    /// The geometry.
    pub shape: Shape,
    /// For each crossing, row by row.
    pub windows: Vec<Window>,
    /// For each point of the lattice, the nearest crossing.
    pub owner: Vec<u16>,
}

impl Place {
    /// Of a shape.
    #[must_use]
    pub fn new(shape: Shape, size: Size) -> Self {
        let windows = (0..size.count()).map(|crossing| window(&shape, size, crossing)).collect();
        let last = f32::from(size.lines() - 1);
        let nearest = |k: usize| ((k as f32 - REACH as f32) / PER_LINE as f32).round().clamp(0.0, last) as u8;
        let owner = (0..STRIDE * side(size))
            .map(|index| size.index(Point::new(nearest(index % STRIDE), nearest(index / STRIDE))) as u16);
        Self { owner: owner.collect(), shape, windows }
    }
}

impl Window {
    /// Number of the lattice's point number `k` around the crossing.
    #[must_use]
    pub const fn point(&self, k: usize) -> usize {
        self.middle + (k / WINDOW) * STRIDE + k % WINDOW - REACH as usize * (STRIDE + 1)
    }
}

/// Where point number `k` is from the crossing, in points.
#[must_use]
pub(crate) const fn offset(k: usize) -> [i32; 2] {
    [(k % WINDOW) as i32 - REACH, (k / WINDOW) as i32 - REACH]
}

fn window(shape: &Shape, size: Size, crossing: usize) -> Window {
    let here = size.point(crossing);
    let around = [(-1i8, -1i8), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
    let neighbour = |(dx, dy): (i8, i8)| {
        let point = Point::new(here.x.wrapping_add_signed(dx), here.y.wrapping_add_signed(dy));
        size.has(point).then_some(point)
    };
    let mut window = Window {
        middle: shape.middle(crossing),
        within: [0.0; AROUND],
        covered: [0; AROUND],
        nearer: 0,
        neighbours: around.map(|way| neighbour(way).map(|p| size.index(p) as u16)),
    };
    for (bit, way) in around.into_iter().enumerate() {
        if neighbour(way).is_some_and(|p| shape.is_nearer(crossing, p)) {
            window.nearer |= 1 << bit;
        }
    }
    for k in 0..AROUND {
        let at = offset(k).map(|v| v as f32);
        window.within[k] = shape.within(crossing, at, [0.0; 2]);
        for (bit, (dx, dy)) in around.into_iter().enumerate() {
            let middle = [dx, dy].map(|v| f32::from(v) * PER_LINE as f32);
            if neighbour((dx, dy)).is_some() && shape.within(crossing, at, middle) < OUTSIDE {
                window.covered[k] |= 1 << bit;
            }
        }
    }
    window
}

#[cfg(test)]
pub(super) mod tests {
    use nalgebra::Point2;

    use super::*;
    use crate::board::{grid::Grid, pose::Optics};

    /// A board of nine lines seen from above.
    pub(in crate::sight::stones) fn place() -> Place {
        let size = Size::new(9).unwrap();
        let corners = [[50.0, 50.0], [450.0, 50.0], [450.0, 450.0], [50.0, 450.0]].map(|[x, y]| Point2::new(x, y));
        let grid = Grid::from_corners(corners, size).unwrap();
        Place::new(Shape::new(&grid, &Optics::Unknown { size_px: (500, 500) }), size)
    }
}
