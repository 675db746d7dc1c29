//! What the rays from many points of the board to the camera meet, for one placement of men: asked again and again while the
//! camera's direction and the men's heights are searched.

use shakmaty::Square;

use super::{
    layout::Layout,
    occlusion::{Heights, Occlusion, Parallax, Passed},
};
use crate::board::geometry::BoardPoint;

/// The men in the way of some points' rays.
#[derive(Debug)]
pub(super) struct Rays {
    men: Layout,
    points: Vec<BoardPoint>,
    /// For one point after the other, who stands near its ray, the nearest to the camera first; and how surely he hides it.
    passed: Vec<(Passed, f32)>,
    /// Where in it each point's part ends.
    ends: Vec<usize>,
    /// Under which direction and for which heights that is.
    aim: Option<(Parallax, Heights)>,
}

impl Rays {
    /// Of these points and men. Nothing is met before they are [aimed](Self::aim).
    pub fn new(points: Vec<BoardPoint>, men: Layout) -> Self {
        let ends = vec![0; points.len()];
        Self { men, points, passed: Vec::new(), ends, aim: None }
    }

    /// The men who stand.
    pub const fn men(&self) -> &Layout {
        &self.men
    }

    /// Traces them to a camera in this direction, past men of these heights. Where only the heights are others than the last time,
    /// only the men of those kinds are asked again.
    pub fn aim(&mut self, occlusion: &Occlusion) {
        let now = (occlusion.parallax(), occlusion.heights());
        match self.aim.replace(now) {
            Some((parallax, heights)) if parallax == now.0 => {
                let is_other = |role: usize| heights[role] != now.1[role];
                for (passed, cover) in self.passed.iter_mut().filter(|(passed, _)| is_other(passed.role)) {
                    *cover = occlusion.cover_by(passed);
                }
            }
            _ => {
                self.passed.clear();
                for (point, end) in self.points.iter().zip(&mut self.ends) {
                    occlusion.pass(*point, &self.men, &mut self.passed);
                    *end = self.passed.len();
                }
            }
        }
    }

    /// What a point's ray meets, the nearest to the camera first: squares, and how surely their men hide it.
    pub fn met(&self, point: usize) -> impl Iterator<Item = (Square, f32)> {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.passed[start..self.ends[point]].iter().map(|(passed, cover)| (passed.square, *cover))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::coverage::{POINTS, point};
    use shakmaty::Board;

    #[test]
    fn other_heights_are_met_as_if_traced_anew() {
        let parallax = Parallax { lean: [0.4, -1.1], inverse_height: 0.06 };
        let men = Layout::of(&Board::default());
        let points: Vec<BoardPoint> = (0..POINTS).step_by(5).map(point).collect();
        let mut rays = Rays::new(points.clone(), men);
        let heights = [[1.0; 6], [1.0, 0.9, 1.0, 1.0, 1.0, 1.0], [0.7, 0.9, 1.1, 1.0, 0.9, 1.0], [1.0; 6]];
        for heights in heights {
            let occlusion = Occlusion::new(parallax, heights);
            rays.aim(&occlusion);
            let mut anew = Rays::new(points.clone(), men);
            anew.aim(&occlusion);
            for k in 0..points.len() {
                assert!(rays.met(k).eq(anew.met(k)), "point {k}, {heights:?}");
            }
        }
        assert!((0..points.len()).any(|k| rays.met(k).filter(|(_, cover)| *cover > 0.5).count() > 1));
    }
}
