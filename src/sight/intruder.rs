//! What lies over the board and is none of it: hands, arms, sleeves, a head. Found as a patch of points that have changed,
//! larger than men are or of a colour that nothing on this board has. What it covers says little of men and board.

use super::coverage::{POINTS, POINTS_PER_SIDE, index_at};

/// Sample points along the board's side.
pub(super) const SIDE: usize = 8 * POINTS_PER_SIDE;
/// What is asked of a patch to be an intruder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// It is larger than so many of the largest man.
    large: f64,
    /// Its parts may be so many points apart.
    gap: usize,
}

/// Of what can be nothing else. Castling moves two men side by side, and changes four squares.
pub(super) const CERTAIN: Asked = Asked { large: 5.0, gap: 1 };
/// Of what may be one. A hand in the colour of the squares falls into parts. Of 44 men who moved beside a hand, seen from 32°, 20
/// were told at once without this search, 31 with `large` = 1.5, 33 with 0.8, and 37 with `gap` = 2 as well; with `large` = 0.4 the
/// man himself is taken for a hand.
pub(super) const SUPPOSED: Asked = Asked { large: 0.8, gap: 2 };
/// A smaller patch is one as well if this share of its points looks like nothing on this board, and these are so many of the largest
/// man's points: the man who moved may look unusual where he stands now.
const STRANGE_SHARE: f64 = 0.25;
const STRANGE_SIZE: f64 = 0.8;
/// An intruder over more of the board than this is another light, or the board is elsewhere: then nothing is told apart.
const MOST: f64 = 0.8;

/// How a point looks that is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// As before, or as its bare board.
    None,
    /// Changed, as a man or the board may look.
    Known,
    /// Changed into something that neither men nor board look like.
    Strange,
}

/// What the search for intruders works with, kept from one to the next, and what it found.
#[derive(Debug, Clone, Default)]
pub(super) struct Patches {
    seen: Vec<bool>,
    stack: Vec<usize>,
    members: Vec<usize>,
    /// Points that an intruder covers.
    pub covered: Vec<bool>,
    /// Those of them that an arm covers.
    pub(super) arm: Vec<bool>,
    /// Points that an arm covers, or what was one and has become a thing.
    pub(super) thing: Vec<bool>,
}

impl Patches {
    /// Keeps those patches of which that is asked, given their points, and arms; the others cover nothing. Patches that touch
    /// are one.
    pub fn keep(&mut self, mut is_kept: impl FnMut(&[usize]) -> bool) {
        let (covered, arm) = (std::mem::take(&mut self.covered), std::mem::take(&mut self.arm));
        let mut kept = covered.clone();
        self.each(
            SIDE,
            1,
            |k| covered[point(k)],
            |patch| {
                let points: Vec<usize> = patch.iter().map(|k| point(*k)).collect();
                if !is_kept(&points) {
                    points.iter().for_each(|index| kept[*index] = arm.get(*index).is_some_and(|arm| *arm));
                }
            },
        );
        (self.covered, self.arm) = (kept, arm);
    }

    /// Every patch of points that `belongs`, its parts at most so many points apart, on a raster of `side` by `side` points.
    pub(super) fn each(
        &mut self,
        side: usize,
        gap: usize,
        belongs: impl Fn(usize) -> bool,
        mut patch: impl FnMut(&[usize]),
    ) {
        let Self { seen, stack, members, .. } = self;
        seen.clear();
        seen.resize(side * side, false);
        for start in 0..side * side {
            if seen[start] || !belongs(start) {
                continue;
            }
            members.clear();
            stack.push(start);
            seen[start] = true;
            while let Some(k) = stack.pop() {
                members.push(k);
                for other in within(side, k, gap) {
                    if !seen[other] && belongs(other) {
                        seen[other] = true;
                        stack.push(other);
                    }
                }
            }
            patch(members);
        }
    }
}

/// Number of a point of the raster among all points.
pub(super) fn point(k: usize) -> usize {
    index_at(k % SIDE, k / SIDE)
}

/// Points over which something lies that does not belong to the board: patches as large as is `asked`, and those that look
/// like nothing here. `largest` is how many points the largest man hides. Points beside an intruder, up to one away, are
/// its own: edges are mixed.
pub(super) fn intruders(change: impl Fn(usize) -> Change, largest: usize, asked: Asked, patches: &mut Patches) {
    let at = |k: usize| change(point(k));
    let mut covered = std::mem::take(&mut patches.covered);
    covered.clear();
    covered.resize(POINTS, false);
    let mut total = 0;
    patches.each(
        SIDE,
        asked.gap,
        |k| at(k) != Change::None,
        |patch| {
            let strange = patch.iter().filter(|k| at(**k) == Change::Strange).count();
            let size = patch.len() as f64 / largest.max(1) as f64;
            let is_strange = strange as f64 >= (STRANGE_SHARE * patch.len() as f64).max(STRANGE_SIZE * largest as f64);
            if size > asked.large || is_strange {
                total += patch.len();
                for k in patch {
                    within(SIDE, *k, 1).chain([*k]).for_each(|near| covered[point(near)] = true);
                }
            }
        },
    );
    if total as f64 > MOST * POINTS as f64 {
        covered.fill(false);
    }
    patches.covered = covered;
}

/// The points so many steps from one at most, on a raster of `side` by `side` points.
pub(super) fn within(side: usize, k: usize, steps: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (k % side, k / side);
    let near = move |at: usize| at.saturating_sub(steps)..=(at + steps).min(side - 1);
    near(y).flat_map(move |row| near(x).map(move |column| (column, row))).filter_map(move |(column, row)| {
        let apart = column.abs_diff(x) + row.abs_diff(y);
        (1..=steps).contains(&apart).then_some(row * side + column)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intruders(change: impl Fn(usize) -> Change, largest: usize, asked: Asked) -> Vec<bool> {
        let mut patches = Patches::default();
        super::intruders(change, largest, asked, &mut patches);
        patches.covered
    }

    /// Points that have changed inside these rectangles of the raster: left, bottom, right, top, and how.
    fn changed(patches: &[([usize; 4], Change)]) -> impl Fn(usize) -> Change {
        let mut all = vec![Change::None; POINTS];
        for ([left, bottom, right, top], how) in patches {
            for y in *bottom..*top {
                for x in *left..*right {
                    all[index_at(x, y)] = *how;
                }
            }
        }
        move |index| all[index]
    }

    /// A king from above hides so many points.
    const KING: usize = 30;

    #[test]
    fn an_arm_is_told_and_the_man_beside_it_is_not() {
        // An arm over eleven squares, the colour of a man; a man who has moved, five points away.
        let arm = ([20, 0, 32, 60], Change::Known);
        let man = ([37, 20, 43, 26], Change::Known);
        let found = intruders(changed(&[arm, man]), KING, CERTAIN);
        assert!(found[index_at(25, 30)] && found[index_at(20, 0)], "the arm");
        assert!(found[index_at(32, 30)], "its edge");
        assert!(!found[index_at(40, 23)] && !found[index_at(5, 5)], "the man and the board");
    }

    #[test]
    fn of_two_patches_the_one_that_men_explain_covers_nothing() {
        let castled = ([33, 0, 63, 12], Change::Known);
        let arm = ([0, 30, 12, 60], Change::Known);
        let mut patches = Patches::default();
        super::intruders(changed(&[castled, arm]), KING, CERTAIN, &mut patches);
        assert!(patches.covered[index_at(40, 5)] && patches.covered[index_at(5, 40)]);
        patches.keep(|points| points.contains(&index_at(5, 40)));
        assert!(!patches.covered[index_at(40, 5)] && patches.covered[index_at(5, 40)]);
    }

    #[test]
    fn castling_is_no_hand() {
        // Four squares in a row, all changed and all of known colours.
        let found = intruders(changed(&[([33, 1, 63, 6], Change::Known)]), KING + 1, CERTAIN);
        assert!(!found.contains(&true));
    }

    #[test]
    fn a_small_patch_is_a_hand_only_where_it_looks_like_nothing_here() {
        let patch = [10, 50, 18, 60];
        assert!(intruders(changed(&[(patch, Change::Strange)]), KING, CERTAIN)[index_at(14, 55)]);
        assert!(!intruders(changed(&[(patch, Change::Known)]), KING, CERTAIN).contains(&true));
        // A man who looks unusual is smaller.
        assert!(!intruders(changed(&[([10, 50, 14, 55], Change::Strange)]), KING, CERTAIN).contains(&true));
    }

    #[test]
    fn a_hand_in_parts_is_supposed_and_not_certain() {
        let hand = [([10, 40, 14, 46], Change::Known), ([15, 41, 19, 47], Change::Known)];
        assert!(!intruders(changed(&hand), KING, CERTAIN).contains(&true));
        let found = intruders(changed(&hand), KING, SUPPOSED);
        assert!(found[index_at(11, 42)] && found[index_at(17, 44)]);
        // One of the parts is smaller than a man.
        assert!(!intruders(changed(&hand[..1]), KING, SUPPOSED).contains(&true));
    }

    #[test]
    fn where_nearly_all_has_changed_nothing_is_told_apart() {
        assert!(!intruders(|_| Change::Strange, KING, CERTAIN).contains(&true));
        assert!(!intruders(|_| Change::None, KING, CERTAIN).contains(&true));
    }
}
