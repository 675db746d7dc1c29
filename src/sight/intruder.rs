//! What lies over the board and is none of it: hands, arms, sleeves, a head. Found as a patch of points that have changed,
//! larger than men are or of a colour that nothing on this board has; it says nothing of the squares under it.

use super::coverage::{POINTS, POINTS_PER_SIDE, index_at};

/// Sample points along the board's side.
const SIDE: usize = 8 * POINTS_PER_SIDE;
/// A patch is an intruder when it is larger than so many of the largest man: castling moves two men side by side, and
/// changes four squares.
const LARGE: f64 = 5.0;
/// A smaller one is when this share of it looks like nothing on this board, and it is so much of the largest man: the
/// one who moved may look unusual where he stands now.
const STRANGE_SHARE: f64 = 0.25;
const STRANGE: f64 = 0.8;
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

/// Points over which something lies that does not belong to the board. `largest` is how many points the largest man
/// hides. Points beside an intruder, up to one away, are its own: edges are mixed.
#[must_use]
pub fn intruders(change: impl Fn(usize) -> Change, largest: usize) -> Vec<bool> {
    let at = |k: usize| change(index_at(k % SIDE, k / SIDE));
    let mut patch = vec![0_u16; SIDE * SIDE];
    let mut covered = vec![false; POINTS];
    let (mut stack, mut members) = (Vec::new(), Vec::new());
    let mut total = 0;
    for start in 0..SIDE * SIDE {
        if patch[start] != 0 || at(start) == Change::None {
            continue;
        }
        members.clear();
        stack.push(start);
        patch[start] = 1;
        let mut strange = 0;
        while let Some(k) = stack.pop() {
            members.push(k);
            strange += usize::from(at(k) == Change::Strange);
            for other in around(k) {
                if patch[other] == 0 && at(other) != Change::None {
                    patch[other] = 1;
                    stack.push(other);
                }
            }
        }
        let size = members.len() as f64 / largest.max(1) as f64;
        let is_strange = strange as f64 >= (STRANGE_SHARE * members.len() as f64).max(STRANGE * largest as f64);
        if size > LARGE || is_strange {
            total += members.len();
            for k in &members {
                for near in around(*k).chain([*k]) {
                    covered[index_at(near % SIDE, near / SIDE)] = true;
                }
            }
        }
    }
    if total as f64 > MOST * POINTS as f64 {
        covered.fill(false);
    }
    covered
}

/// The points beside one, on the board's raster.
pub fn around(k: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (k % SIDE, k / SIDE);
    [
        (x > 0).then(|| k - 1),
        (x + 1 < SIDE).then_some(k + 1),
        (y > 0).then(|| k - SIDE),
        (y + 1 < SIDE).then_some(k + SIDE),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let found = intruders(changed(&[arm, man]), KING);
        assert!(found[index_at(25, 30)] && found[index_at(20, 0)], "the arm");
        assert!(found[index_at(32, 30)], "its edge");
        assert!(!found[index_at(40, 23)] && !found[index_at(5, 5)], "the man and the board");
    }

    #[test]
    fn castling_is_no_hand() {
        // Four squares in a row, all changed and all of known colours.
        let found = intruders(changed(&[([33, 1, 63, 6], Change::Known)]), KING + 1);
        assert!(!found.contains(&true));
    }

    #[test]
    fn a_small_patch_is_a_hand_only_where_it_looks_like_nothing_here() {
        let patch = [10, 50, 18, 60];
        assert!(intruders(changed(&[(patch, Change::Strange)]), KING)[index_at(14, 55)]);
        assert!(!intruders(changed(&[(patch, Change::Known)]), KING).contains(&true));
        // A man who looks unusual is smaller.
        assert!(!intruders(changed(&[([10, 50, 14, 55], Change::Strange)]), KING).contains(&true));
    }

    #[test]
    fn where_nearly_all_has_changed_nothing_is_told_apart() {
        assert!(!intruders(|_| Change::Strange, KING).contains(&true));
        assert!(!intruders(|_| Change::None, KING).contains(&true));
    }
}
