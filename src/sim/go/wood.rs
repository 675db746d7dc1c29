//! Which colour has the board? Wood with grain, lines, star points.

use super::{GoScene, units};
use crate::{
    go::{Point, Size},
    sim::{
        dice::{Dice, mix},
        math::{V3, length},
        picture::texture::{Face, Near},
        scene::linear,
    },
};

/// The upper face of a board.
#[derive(Debug, Clone)]
pub(super) struct Wood {
    lines: usize,
    /// Distance of lines along x and y, in units of the world.
    spacing: [f32; 2],
    /// Half the width of a line and half a star point's diameter, in units of the world.
    half_line: f32,
    half_star: f32,
    /// How far each line's two ends lie off their places, along x and along y, in units of the world.
    off: [Vec<[f32; 2]>; 2],
    stars: Vec<Point>,
    wood: V3,
    ink: V3,
    grain: f32,
    seed: u32,
}

impl Wood {
    /// The board of a scene; `seed` chooses the piece of wood and how its lines are drawn.
    #[must_use]
    pub fn new(scene: &GoScene, size: Size, seed: u64) -> Self {
        let goban = &scene.goban;
        let lines = usize::from(size.lines());
        let mut dice = Dice::new(seed, 0x60);
        let most = units(goban.uneven_mm);
        let off = [0, 1].map(|_| {
            let own = |i: usize| {
                let ends = [0, 1].map(|_| dice.between(-most, most) as f32);
                if i == 0 || i + 1 == lines { [0.0; 2] } else { ends }
            };
            (0..lines).map(own).collect()
        });
        Self {
            lines,
            spacing: goban.spacing_mm.map(|mm| units(mm) as f32),
            half_line: 0.5 * units(goban.line_mm) as f32,
            half_star: 0.5 * units(goban.star_mm) as f32,
            off,
            stars: stars(size),
            wood: linear(goban.wood),
            ink: linear(goban.ink),
            grain: goban.grain as f32,
            seed: mix(seed) as u32,
        }
    }

    /// Is there ink at a point? In lines from the upper left crossing.
    fn is_ink(&self, at: [f32; 2]) -> bool {
        let last = (self.lines - 1) as f32;
        for axis in 0..2 {
            let (v, across) = (at[axis], at[1 - axis]);
            let beyond = self.half_line / self.spacing[1 - axis];
            let nearest = (v + 0.5).floor().clamp(0.0, last);
            let [from, to] = self.off[axis][nearest as usize];
            let off = from + (to - from) * (across / last);
            let d = ((v - nearest) * self.spacing[axis] - off).abs();
            if d < self.half_line && (-beyond..last + beyond).contains(&across) {
                return true;
            }
        }
        let is_in = |p: &Point| {
            let d = [at[0] - f32::from(p.x), at[1] - f32::from(p.y)];
            length(d[0] * self.spacing[0], d[1] * self.spacing[1]) < self.half_star
        };
        self.stars.iter().any(is_in)
    }
}

impl Face for Wood {
    fn colour(&self, x: f32, y: f32, near: &mut Near) -> V3 {
        let middle = 0.5 * (self.lines - 1) as f32;
        if self.is_ink([(x - 4.0) / self.spacing[0] + middle, (4.0 - y) / self.spacing[1] + middle]) {
            return self.ink;
        }
        // Boards are cut along the tree: the grain runs from player to player.
        self.wood * near.wood(0.6 * y + 9.0, 0.55 * x + 40.0, self.grain, self.seed)
    }

    fn normal(&self, _x: f32, _y: f32) -> V3 {
        V3::z()
    }

    fn side(&self) -> V3 {
        self.wood * 0.75
    }
}

/// The star points of a board: on the fourth lines from the edge, or the third of small boards, and between them.
#[must_use]
pub(crate) fn stars(size: Size) -> Vec<Point> {
    let lines = size.lines();
    if lines < 7 {
        return if lines % 2 == 1 { vec![Point::new(lines / 2, lines / 2)] } else { vec![] };
    }
    let near = if lines < 13 { 2 } else { 3 };
    let (far, middle, has_middle) = (lines - 1 - near, lines / 2, lines % 2 == 1);
    let mut at = vec![near, far];
    // Between them only where there is room, as printed boards have it.
    if has_middle && lines >= 15 {
        at.push(middle);
    }
    let mut stars: Vec<Point> = at.iter().flat_map(|&x| at.iter().map(move |&y| Point::new(x, y))).collect();
    if has_middle && lines < 15 {
        stars.push(Point::new(middle, middle));
    }
    stars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_boards_have_their_nine_and_five_star_points() {
        for (lines, count) in [(5, 1), (6, 0), (9, 5), (13, 5), (19, 9)] {
            assert_eq!(stars(Size::new(lines).unwrap()).len(), count, "{lines} lines");
        }
        assert!(stars(Size::USUAL).contains(&Point::new(3, 15)));
    }

    #[test]
    fn lines_end_where_the_grid_ends() {
        let wood = Wood::new(&GoScene::default(), Size::USUAL, 1);
        assert!(wood.is_ink([0.0, 7.5]) && wood.is_ink([9.0, 18.0]) && wood.is_ink([3.1, 2.99]));
        assert!(!wood.is_ink([0.5, 7.5]) && !wood.is_ink([-0.3, 7.0]) && !wood.is_ink([7.0, 18.3]));
    }
}
