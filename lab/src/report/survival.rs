//! How many games are still without a fault after so many plies?
//!
//! E. L. Kaplan and P. Meier, *Nonparametric estimation from incomplete observations*, Journal of the American
//! Statistical Association 53 (1958). A short game without a fault does not tell whether the next ply would have been
//! read: it counts for as many plies as it has, and then leaves the count.

use crate::experiments::types::GameFigures;

/// A game: how long it was, and how long it went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Its plies.
    pub plies: usize,
    /// Its first wrong ply, 1 for the first; `None` where all are right.
    pub first_fault: Option<usize>,
}

/// The share of games without a fault up to a ply, where it changes: (ply, 0 to 1), from (0, 1) to the longest game.
#[must_use]
pub fn survival(lives: &[Life]) -> Vec<(usize, f64)> {
    let mut faults: Vec<usize> = lives.iter().filter_map(|l| l.first_fault).collect();
    faults.sort_unstable();
    faults.dedup();
    let mut steps = vec![(0, 1.0)];
    let mut share = 1.0;
    for ply in faults {
        let at_risk = lives.iter().filter(|l| l.first_fault.unwrap_or(l.plies) >= ply).count();
        let fallen = lives.iter().filter(|l| l.first_fault == Some(ply)).count();
        share *= 1.0 - fallen as f64 / at_risk as f64;
        steps.push((ply, share));
    }
    let longest = lives.iter().map(|l| l.first_fault.unwrap_or(l.plies)).max().unwrap_or(0);
    if steps.last().is_some_and(|last| last.0 < longest) {
        steps.push((longest, share));
    }
    steps
}

/// How each game went.
#[must_use]
pub fn lives(games: &[GameFigures]) -> Vec<Life> {
    games.iter().map(|game| Life { plies: game.plies, first_fault: game.first_fault }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(plies: usize, first_fault: Option<usize>) -> Life {
        Life { plies, first_fault }
    }

    #[test]
    fn games_of_one_length_give_the_plain_share() {
        let lives = [life(50, Some(10)), life(50, Some(10)), life(50, Some(30)), life(50, None)];
        assert_eq!(survival(&lives), [(0, 1.0), (10, 0.5), (30, 0.25), (50, 0.25)]);
    }

    #[test]
    fn a_short_game_without_a_fault_leaves_the_count() {
        // Of two games, one ends well at ply 20; at ply 30 there is one left, and it falls.
        assert_eq!(survival(&[life(20, None), life(40, Some(30))]), [(0, 1.0), (30, 0.0)]);
        // A game that ends at the ply at which another falls is still counted there.
        assert_eq!(survival(&[life(30, None), life(40, Some(30))]), [(0, 1.0), (30, 0.5)]);
        assert_eq!(survival(&[life(7, None)]), [(0, 1.0), (7, 1.0)]);
        assert_eq!(survival(&[]), [(0, 1.0)]);
    }
}
