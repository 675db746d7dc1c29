//! Small movements of a board on itself: eight numbers, as a homography has.

use nalgebra::{Matrix3, SMatrix, SVector};

use super::geometry::{BoardPoint, Rectangle};

/// The eight numbers: translation, the linear part, the perspective; in the plane's unit at the board's edge.
pub(crate) type Step = SVector<f64, 8>;

/// Movements of a square board of this half side, counted from its middle so that the numbers are of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Warp {
    half: f64,
}

impl Warp {
    /// Of a chess board.
    pub(crate) const BOARD: Self = Self { half: 4.0 };

    /// Of a square board with a corner at (0, 0).
    pub(crate) const fn of_side(side: f64) -> Self {
        Self { half: 0.5 * side }
    }

    /// Displacement of a point by the eight numbers, in the plane's unit.
    pub(crate) fn way(self, point: BoardPoint) -> SMatrix<f64, 2, 8> {
        let (u, v) = ((point.x - self.half) / self.half, (point.y - self.half) / self.half);
        SMatrix::<f64, 2, 8>::from_row_slice(&[
            1.0,
            0.0,
            u,
            v,
            0.0,
            0.0,
            -u * u,
            -u * v, //
            0.0,
            1.0,
            0.0,
            0.0,
            u,
            v,
            -u * v,
            -v * v,
        ])
    }

    /// The movement of the board on itself that they stand for.
    pub(crate) fn matrix(self, step: &Step) -> Matrix3<f64> {
        let half = self.half;
        let s = step / half;
        let small = 1.0 / half;
        let centred = Matrix3::new(small, 0.0, -1.0, 0.0, small, -1.0, 0.0, 0.0, 1.0);
        let back = Matrix3::new(half, 0.0, half, 0.0, half, half, 0.0, 0.0, 1.0);
        back * Matrix3::new(1.0 + s[2], s[3], s[0], s[4], 1.0 + s[5], s[1], s[6], s[7], 1.0) * centred
    }

    /// How far it moves the corner that it moves farthest, in the plane's unit; not a number where it moves none so.
    pub(crate) fn farthest(self, step: &Step) -> f64 {
        let side = 2.0 * self.half;
        let moved = Rectangle { width: side, height: side }.corners().map(|corner| (self.way(corner) * step).norm());
        moved.into_iter().fold(0.0, |a, b| if a >= b { a } else { b })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_step_moves_points_as_its_matrix_does() {
        for warp in [Warp::BOARD, Warp::of_side(18.0)] {
            let step = Step::from([0.02, -0.01, 0.005, 0.003, -0.004, 0.006, 0.002, -0.001]);
            let matrix = warp.matrix(&step);
            for (x, y) in [(0.0, 0.0), (3.0, 1.0), (8.0, 8.0), (0.0, 5.0)] {
                let moved = matrix * nalgebra::Vector3::new(x, y, 1.0);
                let by = warp.way(BoardPoint::new(x, y)) * step;
                assert!((moved.x / moved.z - x - by.x).hypot(moved.y / moved.z - y - by.y) < 1e-3);
            }
            assert!(warp.farthest(&step) > 0.02);
        }
    }
}
