//! An arm that comes over the board's edge. Hands come from outside: what has changed around the board, from where the
//! picture or the raster ends to the board's edge, and goes on over the board from there, is none of its men, whatever its
//! colours are. Skin is often as pale as white men, or as dark as black ones.

use super::{
    colour::Colour,
    coverage::{POINTS, POINTS_PER_SIDE},
    intruder::{Patches, SIDE, point, within},
    surface::is_same_surface,
    surroundings::{self, FIRST_INNER, INNER, LookAround, POINTS_AROUND, Ray},
};
use crate::frame::Stamp;

/// Points around the board that an arm covers at least: a square's worth. A king's head on the last rank, seen from 30°,
/// hides less; a child's wrist has more.
const LEAST: usize = surroundings::PER_SQUARE * surroundings::PER_SQUARE;
/// Of those so many are where the raster or the picture ends: half a square's.
const LEAST_AT_END: usize = surroundings::PER_SQUARE / 2;
/// Where more than this share of what is around has changed, it is another light, or the board is elsewhere.
const MOST: f64 = 0.6;
/// What has not moved for so long is no arm but a thing that was put down, or another light: people hold a man, or lean on the
/// table, for some seconds, and never quite still.
const THING_S: f64 = 10.0;
/// Points of the board between its edge and an arm at most: edges are mixed.
const FROM_EDGE: usize = 2;
/// Points of the board to each of those around it, along a side.
const FINER: usize = POINTS_PER_SIDE / surroundings::PER_SQUARE;

/// Where arms are in a picture.
#[derive(Debug, Clone, Default)]
pub struct Arms {
    /// How each point around the board looks.
    rays: Vec<Ray>,
    /// The last colour of each point that had changed, and since when it has shown that.
    resting: Vec<(Colour, Stamp)>,
    /// Points around the board that arms cover.
    around: Vec<bool>,
    /// Points of the board that lie at its edge, beside an arm.
    edge: Vec<bool>,
    /// The same, with arms that have become things.
    things_edge: Vec<bool>,
    patches: Patches,
}

impl Arms {
    /// The points around the board that they cover.
    pub(super) fn around(&self) -> &[bool] {
        &self.around
    }

    /// Finds what crosses all that is seen around the board, from outside to its edge.
    pub(super) fn find(&mut self, look: &LookAround<'_>, stamp: Stamp) {
        self.see(look, stamp);
        let Self { rays, around, edge, things_edge, patches, .. } = self;
        // The second one says what is around: things are learnt there as the table, arms are not.
        crossing(rays, |ray| matches!(ray, Ray::Changed | Ray::Thing), patches, around, things_edge);
        crossing(rays, |ray| ray == Ray::Changed, patches, around, edge);
    }

    /// How each point looks now; one that has shown the same for long shows a thing.
    fn see(&mut self, look: &LookAround<'_>, stamp: Stamp) {
        let Self { rays, resting, .. } = self;
        rays.clear();
        rays.extend((0..POINTS_AROUND).map(|index| look.ray(index)));
        resting.resize(POINTS_AROUND, ([f32::NAN; 3], stamp));
        for (index, ((colour, since), ray)) in resting.iter_mut().zip(rays).enumerate() {
            let now = if *ray == Ray::Changed { look.colours[index] } else { [f32::NAN; 3] };
            if !is_same_surface(&now, colour) {
                (*colour, *since) = (now, stamp);
            } else if stamp.since_s(*since) >= THING_S {
                *ray = Ray::Thing;
            }
        }
    }

    /// The points of the board that they cover, given which have changed, into `covered`: those that hang together with
    /// the edge where an arm comes over it, and those beside them.
    pub(super) fn reach(&self, changed: impl Fn(usize) -> bool, patches: &mut Patches, covered: &mut Vec<bool>) {
        reach_from(&self.edge, changed, patches, covered);
    }

    /// The same with arms that have become things: they hide as before, but play goes on beside them.
    pub(super) fn reach_of_things(
        &self,
        changed: impl Fn(usize) -> bool,
        patches: &mut Patches,
        covered: &mut Vec<bool>,
    ) {
        reach_from(&self.things_edge, changed, patches, covered);
    }
}

/// Finds what crosses the surroundings from outside to the board, of rays that look so: the points `around` the board, and those
/// of the board at its `edge`.
fn crossing(
    rays: &[Ray],
    is: impl Fn(Ray) -> bool,
    patches: &mut Patches,
    around: &mut Vec<bool>,
    edge: &mut Vec<bool>,
) {
    around.clear();
    around.resize(POINTS_AROUND, false);
    edge.clear();
    edge.resize(POINTS, false);
    let of = |is: &dyn Fn(Ray) -> bool| rays.iter().filter(|ray| is(**ray)).count();
    let changed = of(&is);
    if changed < LEAST || changed as f64 > MOST * (POINTS_AROUND - of(&|ray| ray == Ray::Unseen)) as f64 {
        return;
    }
    let side = surroundings::SIDE;
    let ray = |k: usize| surroundings::index_at(k % side, k / side).map(|index| rays[index]);
    let is_end = |k: &&usize| {
        let last = |at: usize| at == 0 || at == side - 1;
        last(**k % side) || last(**k / side) || within(side, **k, 1).any(|near| ray(near) == Some(Ray::Unseen))
    };
    patches.each(
        side,
        1,
        |k| ray(k).is_some_and(&is),
        |patch| {
            if patch.len() < LEAST || patch.iter().filter(is_end).count() < LEAST_AT_END {
                return;
            }
            for k in patch {
                if let Some(index) = surroundings::index_at(k % side, k / side) {
                    around[index] = true;
                }
                let on_board = within(side, *k, 1).filter(|near| ray(*near).is_none());
                on_board.flat_map(|k| finer(k % side, k / side)).for_each(|index| edge[index] = true);
            }
        },
    );
}

fn reach_from(edge: &[bool], changed: impl Fn(usize) -> bool, patches: &mut Patches, covered: &mut Vec<bool>) {
    covered.clear();
    covered.resize(POINTS, false);
    if !edge.contains(&true) {
        return;
    }
    let at_edge = |k: &usize| within(SIDE, *k, FROM_EDGE).chain([*k]).any(|near| edge[point(near)]);
    patches.each(
        SIDE,
        1,
        |k| changed(point(k)),
        |patch| {
            if patch.iter().any(at_edge) {
                for k in patch {
                    within(SIDE, *k, 1).chain([*k]).for_each(|near| covered[point(near)] = true);
                }
            }
        },
    );
}

/// The board's points at the place of one of the coarser raster's.
fn finer(x: usize, y: usize) -> impl Iterator<Item = usize> {
    let at = |k: usize| (k - FIRST_INNER) * FINER..(k - FIRST_INNER + 1) * FINER;
    debug_assert!((FIRST_INNER..FIRST_INNER + INNER).contains(&x) && (FIRST_INNER..FIRST_INNER + INNER).contains(&y));
    at(y).flat_map(move |y| at(x).map(move |x| point(y * SIDE + x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::{
        coverage::square_of,
        occlusion::Parallax,
        surroundings::{Noise, Surroundings},
    };
    use shakmaty::{Board, Square};

    const TABLE: Colour = [90.0, 20.0, 30.0];
    const SLEEVE: Colour = [40.0, -30.0, -20.0];

    /// The points of the board that arms cover, and those that arms or things do, where a sleeve lies over these places around the
    /// board (columns and rows of that raster) and these squares have changed, after so many seconds.
    fn reached(sleeve: impl Fn(usize, usize) -> bool, changed: &[Square], rested_s: f64) -> [Vec<bool>; 2] {
        let surroundings =
            Surroundings::begin(&vec![TABLE; POINTS_AROUND], &Board::default(), Parallax::default().into());
        let place = |index: usize| surroundings::place(index);
        let is_sleeve = |index: usize| sleeve(place(index)[0], place(index)[1]);
        let colours: Vec<Colour> =
            (0..POINTS_AROUND).map(|index| if is_sleeve(index) { SLEEVE } else { TABLE }).collect();
        let noise = Noise { deviation: [2.0; 3], sigmas: 6.0 };
        let look = LookAround { surroundings: &surroundings, colours: &colours, noise };
        let (mut arms, mut patches) = (Arms::default(), Patches::default());
        let [mut covered, mut things] = [Vec::new(), Vec::new()];
        for second in [0.0, rested_s] {
            arms.find(&look, Stamp::from_s(second));
        }
        let has_changed = |index| changed.contains(&square_of(index));
        arms.reach(has_changed, &mut patches, &mut covered);
        arms.reach_of_things(has_changed, &mut patches, &mut things);
        [covered, things]
    }

    fn covered(sleeve: impl Fn(usize, usize) -> bool, changed: &[Square], rested_s: f64) -> Vec<bool> {
        let [covered, _] = reached(sleeve, changed, rested_s);
        covered
    }

    fn squares(covered: &[bool]) -> Vec<Square> {
        let is_covered = |square: &Square| crate::sight::coverage::points_on(*square).all(|index| covered[index]);
        Square::ALL.into_iter().filter(is_covered).collect()
    }

    /// An arm from beyond the first rank, over the columns of e1.
    fn over_e1(x: usize, y: usize) -> bool {
        let column = FIRST_INNER + 4 * surroundings::PER_SQUARE;
        (column..column + surroundings::PER_SQUARE).contains(&x) && y < FIRST_INNER
    }

    #[test]
    fn what_hangs_together_with_an_arm_is_the_arm_and_a_man_elsewhere_is_not() {
        let changed = [Square::E1, Square::E2, Square::E3, Square::B5];
        assert_eq!(squares(&covered(over_e1, &changed, 0.2)), changed[..3]);
        // Nothing has changed beside the board: the same squares are men, or another hand.
        assert!(!covered(|_, _| false, &changed, 0.2).contains(&true));
    }

    #[test]
    fn a_thing_beside_the_board_and_a_head_behind_it_are_no_arm() {
        let changed = [Square::E1, Square::E2];
        // A captured man stands at the edge; the way from outside is free.
        assert!(!covered(|x, y| over_e1(x, y) && y + 4 > FIRST_INNER, &changed, 0.2).contains(&true));
        // A king's head reaches that far, but is narrow.
        let narrow = FIRST_INNER + 4 * surroundings::PER_SQUARE;
        assert!(!covered(|x, y| over_e1(x, y) && x == narrow, &changed, 0.2).contains(&true));
    }

    #[test]
    fn what_has_not_moved_for_long_is_a_thing_and_lies_over_the_same_squares() {
        let changed = [Square::E1, Square::B5];
        let [arm, both] = reached(over_e1, &changed, THING_S - 1.0);
        assert!(squares(&arm) == [Square::E1] && arm == both);
        let [arm, thing] = reached(over_e1, &changed, THING_S + 1.0);
        assert!(!arm.contains(&true) && thing == both);
    }

    #[test]
    fn where_nearly_all_around_has_changed_there_is_no_arm() {
        assert!(!covered(|_, _| true, &[Square::E1], 0.2).contains(&true));
    }
}
