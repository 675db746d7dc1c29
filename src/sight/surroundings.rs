//! What lies around the board: the table, clocks, captured men, and the heads of men on the outer ranks, seen against it.
//!
//! Points are read on the board's plane, two squares beyond its edge on all four sides. What really lies there is lower
//! or higher than the board; that does not matter, since a point stands for its ray, and only compares with itself.

use shakmaty::Board;

use super::{
    colour::{Colour, Samples, colour_from_rgb, relit},
    coverage::Coverage,
    layout::Layout,
    light::Light,
    occlusion::Occlusion,
    sampler::Raster,
    surface::{in_a_shadow, is_far, is_same_surface, largest_step, sigma_of},
};
use crate::board::geometry::BoardPoint;

/// Squares beyond the edge that are looked at: from 30° above, a king on the last rank hides two and a half squares behind
/// the board, and what tells him from a pawn begins after one.
const MARGIN: usize = 2;
/// Points along a square's side: half as many as on the board. A pawn's head still holds one or two, and a picture costs
/// less than a third more to read, though this is more than as many squares again.
pub(crate) const PER_SQUARE: usize = 4;
/// Points along the side of the raster that holds the board and what is around it.
pub(crate) const SIDE: usize = (8 + 2 * MARGIN) * PER_SQUARE;
/// The raster's columns and rows from here on, [`INNER`] of them, are the board's.
pub(super) const FIRST_INNER: usize = MARGIN * PER_SQUARE;
pub(super) const INNER: usize = 8 * PER_SQUARE;
/// Points around the board.
pub(super) const POINTS_AROUND: usize = SIDE * SIDE - INNER * INNER;

/// Where they are read.
pub(crate) const AROUND: Raster =
    Raster { side: SIDE, per_square: PER_SQUARE, margin: MARGIN, points: POINTS_AROUND, index_at };

/// A point that men hide with less than this chance shows what lies around the board.
const BARE: f32 = 0.3;
/// How fast what lies around the board follows its light.
const RATE: f32 = 0.3;
/// Trust gained by every look that shows the same, and the share kept where one does not: people lean on tables.
const GAIN: f32 = 0.5;
const LOSS: f32 = 0.7;
/// Under this trust another ground takes its place: after some seven looks. A hand that rests at the edge while somebody
/// thinks does not.
const FORGOTTEN: f32 = 0.1;
/// Nothing is trusted more.
const MOST_TRUST: f32 = 0.95;

/// Place of the point in column `x` and row `y` of the raster, from the corner beyond a1; `None` on the board.
#[must_use]
pub(super) fn index_at(x: usize, y: usize) -> Option<usize> {
    let inner = |k: usize| (FIRST_INNER..FIRST_INNER + INNER).contains(&k);
    let beside = SIDE - INNER;
    // Whole rows, rows that the board interrupts, whole rows.
    match (inner(x), inner(y)) {
        (true, true) => None,
        (_, false) if y < FIRST_INNER => Some(y * SIDE + x),
        (_, false) => Some(y * SIDE + x - INNER * INNER),
        (false, true) => {
            let before = FIRST_INNER * SIDE + (y - FIRST_INNER) * beside;
            Some(before + if x < FIRST_INNER { x } else { x - INNER })
        }
    }
}

/// Column and row of a point around the board: the inverse of [`index_at`].
#[must_use]
pub const fn place(index: usize) -> [usize; 2] {
    let (below, beside) = (FIRST_INNER * SIDE, SIDE - INNER);
    if index < below {
        return [index % SIDE, index / SIDE];
    }
    let k = index - below;
    if k < INNER * beside {
        let x = k % beside;
        return [if x < FIRST_INNER { x } else { x + INNER }, FIRST_INNER + k / beside];
    }
    let k = k - INNER * beside;
    [k % SIDE, FIRST_INNER + INNER + k / SIDE]
}

/// Position of a point around the board, in squares.
#[must_use]
pub fn point(index: usize) -> BoardPoint {
    let [x, y] = place(index);
    AROUND.point(x, y)
}

/// The points beside one on the raster, as far as they are around the board.
fn beside(index: usize) -> impl Iterator<Item = usize> {
    let [x, y] = place(index);
    [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)]
        .into_iter()
        .filter(|(x, y)| *x < SIDE && *y < SIDE)
        .filter_map(|(x, y)| index_at(x, y))
}

/// How much a point of a picture may differ without showing anything else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation of an unchanged point.
    pub deviation: Colour,
    /// It has changed from so many of these on.
    pub(crate) sigmas: f32,
}

/// Everything remembered of what lies around the board.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    rays: Coverage,
    /// What each point showed, men's heads included; not a number where it was never seen.
    reference: Vec<Colour>,
    /// The last colour of a point that was not its reference's: taken over when it is seen again.
    newcomer: Vec<Colour>,
    /// Largest step of the reference to a point beside.
    slope: Vec<Colour>,
    /// What lies there where no man hides it, and how surely: 0 where that was never seen.
    ground: Vec<Colour>,
    trust: Vec<f32>,
    /// The men of the last picture learnt from.
    men: Layout,
}

impl Surroundings {
    /// Learns a first picture in which these men stand.
    #[must_use]
    pub fn begin(colours: &[Colour], men: &Board, occlusion: Occlusion) -> Self {
        let mut surroundings = Self {
            rays: trace(occlusion),
            reference: vec![[f32::NAN; 3]; POINTS_AROUND],
            newcomer: vec![[f32::NAN; 3]; POINTS_AROUND],
            slope: vec![[0.0; 3]; POINTS_AROUND],
            ground: vec![[f32::NAN; 3]; POINTS_AROUND],
            trust: vec![0.0; POINTS_AROUND],
            men: Layout::of(men),
        };
        surroundings.learn(colours, men, &[]);
        surroundings
    }

    /// Which men could hide each point.
    #[must_use]
    pub(crate) const fn rays(&self) -> &Coverage {
        &self.rays
    }

    /// What lies at a point where no man hides it, and how surely (0 to 1); `None` where that was never seen.
    #[must_use]
    pub fn ground(&self, index: usize) -> Option<(&Colour, f32)> {
        (self.trust[index] > 0.0).then(|| (&self.ground[index], self.trust[index]))
    }

    /// Standard deviation of a point's colour while it shows the same.
    #[must_use]
    pub(super) fn sigma(&self, index: usize, noise: &Noise) -> Colour {
        sigma_of(noise.deviation, self.slope[index])
    }

    /// The camera's direction is known better now.
    pub(super) fn retrace(&mut self, occlusion: Occlusion) {
        self.rays = trace(occlusion);
    }

    /// What points showed is remembered in a light that is so many times as bright.
    pub(super) fn relight(&mut self, times: [f32; 3]) {
        for colours in [&mut self.reference, &mut self.newcomer, &mut self.ground] {
            colours.iter_mut().for_each(|colour| *colour = relit(colour, times));
        }
    }

    /// The board is seen from elsewhere: other things lie around it.
    pub(crate) fn seen_anew(&mut self, occlusion: Occlusion) {
        self.rays = trace(occlusion);
        for colours in [&mut self.reference, &mut self.newcomer, &mut self.ground] {
            colours.fill([f32::NAN; 3]);
        }
        self.trust.fill(0.0);
    }

    /// Learns from a picture in which these men stand, but where an `arm` lies. What has come is believed when it is seen
    /// again: captured men stay, hands do not.
    pub(crate) fn learn(&mut self, colours: &[Colour], men: &Board, arm: &[bool]) {
        let men = Layout::of(men);
        let is_arm = |index: usize| arm.get(index).is_some_and(|arm| *arm);
        let seen = |(index, colour): &(usize, &Colour)| colour[0].is_finite() && !is_arm(*index);
        for (index, colour) in colours.iter().enumerate().filter(seen) {
            let known = self.reference[index];
            let again = is_same_surface(colour, &self.newcomer[index]);
            if !known[0].is_finite() || is_same_surface(colour, &known) || again || self.other_man(index, &men) {
                self.reference[index] = *colour;
            }
            if self.rays.hidden(index, &men) < BARE {
                self.learn_ground(index, colour, again);
            }
            self.newcomer[index] = *colour;
        }
        self.men = men;
        for index in 0..POINTS_AROUND {
            self.slope[index] = largest_step(&self.reference, index, beside(index));
        }
    }

    fn learn_ground(&mut self, index: usize, colour: &Colour, again: bool) {
        let (ground, trust) = (&mut self.ground[index], &mut self.trust[index]);
        if *trust > 0.0 && is_same_surface(colour, ground) {
            for k in 0..3 {
                ground[k] += RATE * (colour[k] - ground[k]);
            }
            *trust = (*trust + GAIN).min(MOST_TRUST);
        } else if *trust == 0.0 || (again && *trust < FORGOTTEN) {
            (*ground, *trust) = (*colour, GAIN);
        } else {
            *trust *= LOSS;
        }
    }

    /// Does another man than before, or none, stand where he could hide the point?
    fn other_man(&self, index: usize, men: &Layout) -> bool {
        self.rays.candidates(index).iter().any(|c| !men.same(&self.men, c.square))
    }
}

fn trace(occlusion: Occlusion) -> Coverage {
    Coverage::of(occlusion, (0..POINTS_AROUND).map(point))
}

/// The colours of a picture around the board under the reference's light, into `colours`. The light is the whole board's:
/// a shadow on its edge need not lie on the table.
pub(super) fn in_light(samples: &Samples, light: &Light, colours: &mut Vec<Colour>) {
    colours.clear();
    colours.extend(samples.0.iter().map(|rgb| colour_from_rgb(std::array::from_fn(|k| rgb[k] / light.gain[k]))));
}

/// How a point around the board looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ray {
    /// It is outside the picture.
    Unseen,
    /// As it looked, or as the table does, or either in a shadow.
    AsBefore,
    /// Something else is there.
    Changed,
    /// Something else has been there for long, and has not moved.
    Thing,
}

/// A look around the board: the colours of one picture held against what is remembered.
#[derive(Debug, Clone, Copy)]
pub struct LookAround<'a> {
    /// What is remembered.
    pub(super) surroundings: &'a Surroundings,
    /// Each point's colour, under the reference's light; not a number outside the picture.
    pub colours: &'a [Colour],
    /// How much a point may differ without showing anything else.
    pub noise: Noise,
}

impl LookAround<'_> {
    /// How a point looks.
    pub(super) fn ray(&self, index: usize) -> Ray {
        let (colour, known) = (&self.colours[index], self.surroundings);
        let (noise, slope) = (&self.noise, known.slope[index]);
        // A shadow that comes, or one that was there then.
        let other_light = |seen: &Colour| in_a_shadow(colour, seen) || in_a_shadow(seen, colour);
        let other = |seen: &Colour| is_far(colour, seen, noise.deviation, noise.sigmas, slope) && !other_light(seen);
        match known.ground(index) {
            _ if !colour[0].is_finite() => Ray::Unseen,
            Some((ground, _)) if !other(ground) => Ray::AsBefore,
            _ if other(&known.reference[index]) => Ray::Changed,
            _ => Ray::AsBefore,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::layout::role_index;
    use crate::sight::occlusion::Parallax;
    use shakmaty::{Role, Square};

    /// From 45° above White's side.
    const FROM_WHITE: Parallax = Parallax { lean: [0.0, -1.0], inverse_height: 0.0 };
    const QUIET: Noise = Noise { deviation: [2.0; 3], sigmas: 4.0 };

    fn table() -> Vec<Colour> {
        (0..POINTS_AROUND).map(|index| [90.0 + (index * 7 % 5) as f32, 20.0, 30.0]).collect()
    }

    /// Does the point show something else than is remembered, and not only the same in a shadow?
    fn differs(surroundings: &Surroundings, colours: &[Colour], index: usize) -> bool {
        LookAround { surroundings, colours, noise: QUIET }.ray(index) == Ray::Changed
    }

    #[test]
    fn every_point_has_its_place_outside_the_board() {
        let mut seen = 0;
        for y in 0..SIDE {
            for x in 0..SIDE {
                let p = AROUND.point(x, y);
                let on_board = (0.0..8.0).contains(&p.x) && (0.0..8.0).contains(&p.y);
                assert_eq!(index_at(x, y).is_none(), on_board, "{x} {y}");
                if let Some(index) = index_at(x, y) {
                    assert_eq!((index, place(index), point(index)), (seen, [x, y], p));
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, POINTS_AROUND);
    }

    #[test]
    fn from_above_no_man_hides_what_lies_around() {
        let table = table();
        let surroundings = Surroundings::begin(&table, &Board::default(), Parallax::default().into());
        assert!((0..POINTS_AROUND).all(|index| surroundings.rays.candidates(index).is_empty()));
    }

    #[test]
    fn a_man_on_the_last_rank_hides_the_more_the_taller_he_is() {
        let rays = trace(FROM_WHITE.into());
        let hidden = |role: Role, square: Square| -> f32 {
            let of = |index: &u16| {
                let here = rays.candidates(usize::from(*index)).iter().find(|c| c.square == square);
                here.map_or(0.0, |c| c.cover[role_index(role)])
            };
            rays.points_of(square).iter().map(of).sum()
        };
        // A bishop is taller than a knight, and thinner.
        let by_height = [Role::Pawn, Role::Rook, Role::Knight, Role::Queen, Role::King];
        for pair in by_height.windows(2) {
            assert!(hidden(pair[0], Square::E8) < hidden(pair[1], Square::E8) - 0.3, "{pair:?}");
        }
        // All that he hides lies behind him; in front of the board nobody hides anything.
        assert!(rays.points_of(Square::E8).iter().all(|index| point(usize::from(*index)).y > 8.0));
        assert_eq!(hidden(Role::King, Square::E1), 0.0);
    }

    #[test]
    fn who_is_put_down_beside_the_board_is_taken_over_when_he_is_seen_again() {
        let (table, men) = (table(), Board::default());
        let mut surroundings = Surroundings::begin(&table, &men, FROM_WHITE.into());
        let captured = index_at(3, 20).unwrap();
        let mut colours = table.clone();
        colours[captured] = [200.0, 10.0, 60.0];
        assert!(!differs(&surroundings, &table, captured));
        for seen in 0..2 {
            assert!(differs(&surroundings, &colours, captured), "seen {seen} times");
            surroundings.learn(&colours, &men, &[]);
        }
        assert!(!differs(&surroundings, &colours, captured));
        // A hand that was there once leaves no trace.
        let other = index_at(3, 40).unwrap();
        colours[other] = [200.0, 80.0, 60.0];
        surroundings.learn(&colours, &men, &[]);
        colours[other] = table[other];
        assert!(!differs(&surroundings, &colours, other));
    }

    #[test]
    fn a_shadow_is_no_change_and_what_is_not_in_the_picture_tells_nothing() {
        let table = table();
        let surroundings = Surroundings::begin(&table, &Board::default(), FROM_WHITE.into());
        let shadow: Vec<Colour> = table.iter().map(|c| c.map(|v| 0.6 * v)).collect();
        let nothing = vec![[f32::NAN; 3]; POINTS_AROUND];
        for colours in [shadow, nothing] {
            assert!((0..POINTS_AROUND).all(|index| !differs(&surroundings, &colours, index)));
        }
    }
}
