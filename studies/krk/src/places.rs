//! Placements numbered without gaps, so that a table has one entry for each.

use std::{cmp::Ordering, sync::LazyLock};

use chess_observer::endgame::men::{KINGS, Men};
use shakmaty::{Square, attacks};

/// Placements with the two kings on given squares of a canonical placement: all squares but theirs.
const MEN_OFF_DIAGONAL: usize = 62;
/// The same where both kings stand on the diagonal: on or below it, but theirs.
const MEN_ON_DIAGONAL: usize = 34;

/// How many canonical placements come before those with the kings on [`KINGS`] `[king]` and `weak`, by
/// `king * 64 + weak`.
static BEFORE: LazyLock<[u16; KINGS.len() * 64]> = LazyLock::new(|| {
    let mut count = 0;
    std::array::from_fn(|pair| {
        let (king, weak) = (KINGS[pair / 64], Square::ALL[pair % 64]);
        let before = u16::try_from(count).unwrap_or(u16::MAX);
        let apart = king != weak && !attacks::king_attacks(king).contains(weak);
        if apart && !(above_diagonal(king).is_eq() && above_diagonal(weak).is_gt()) {
            let both = above_diagonal(king).is_eq() && above_diagonal(weak).is_eq();
            count += if both { MEN_ON_DIAGONAL } else { MEN_OFF_DIAGONAL };
        }
        before
    })
});

/// Rank against file.
fn above_diagonal(square: Square) -> Ordering {
    square.rank().to_u32().cmp(&square.file().to_u32())
}

/// The place of a possible canonical placement in
/// [`canonical_placements`](chess_observer::endgame::men::canonical_placements).
#[must_use]
pub fn place(men: Men) -> Option<usize> {
    let king = KINGS.iter().position(|&k| k == men.king)?;
    let before = usize::from(BEFORE[king * 64 + men.weak.to_usize()]);
    let (file, rank) = (men.man.file().to_usize(), men.man.rank().to_usize());
    let both = above_diagonal(men.king).is_eq() && above_diagonal(men.weak).is_eq();
    // Of the ranks below, those on or below the diagonal: 8, 7, 6 …
    let squares = if both { (0..rank).map(|r| 8 - r).sum::<usize>() + file - rank.min(file) } else { rank * 8 + file };
    let kings = usize::from(men.king < men.man) + usize::from(men.weak < men.man);
    Some(before + squares - kings)
}

#[cfg(test)]
mod tests {
    use chess_observer::endgame::men::canonical_placements;

    use super::*;

    #[test]
    fn the_place_is_that_in_the_list() {
        for (nth, men) in canonical_placements().enumerate() {
            assert_eq!(place(men), Some(nth), "{men:?}");
        }
    }
}
