//! How many plies come between two looks: learnt from the game.
//!
//! Whoever looks at every ply for a whole game does not miss five at once in the middle of it: what only so long a line
//! explains is rather something that no rule allows.

/// Plies that are taken to have come before the first, one of them unseen: one picture in twenty is missed.
const PLIES_BEFORE: f64 = 20.0;
/// Most plies that are remembered as seen: then one in 150 is missed at least, for cables come off in the best of games.
const PLIES_REMEMBERED: f64 = 130.0;
/// Chance of yet another ply while nobody looked: as likely as not.
const AFTER_ABSENCE: f64 = 0.5;
/// What a ply takes where hands are fastest, in the mean, in seconds: in bullet games the hands go one after the other in this time.
const PLY_TAKES_S: f64 = 1.0;
/// ln of the chance that is left to a ply in no time at all: two may have been told late, in one look.
const SOONEST: f64 = -5.0;
/// ln of the share that one of the moves to choose from has.
pub(super) const ONE_OF_THE_MOVES: f64 = -3.5;

/// Plies and looks so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace {
    plies: f64,
    /// Of them, those that came with others in one look.
    unseen: f64,
    /// Looks at rest since the game went on.
    looks: usize,
    /// Nobody has looked for some time: the record has been taken up again.
    away: bool,
}

impl Pace {
    /// Of a game that is taken up again: nobody knows how many plies were played meanwhile.
    pub(super) fn after_absence() -> Self {
        Self { away: true, ..Self::default() }
    }

    /// A look has shown where the game stands.
    pub(super) const fn is_back(&mut self) {
        self.away = false;
    }

    /// There was a look at a board at rest.
    pub const fn looked(&mut self) {
        self.looks = self.looks.saturating_add(1);
    }

    /// ln of the chance that the next ply has been played so many seconds after a look suggested one: people need time.
    pub(super) fn played_within(seconds: f64) -> f64 {
        (-(-seconds.max(0.0) / PLY_TAKES_S).exp()).ln_1p().max(SOONEST)
    }

    /// The game went on by so many plies, or changed otherwise: then by none.
    pub(super) fn went_on(&mut self, plies: usize) {
        // One ply a look is what each of them may show.
        let unseen = plies.saturating_sub(self.looks.max(1));
        self.plies = (self.plies + plies as f64).min(PLIES_REMEMBERED);
        self.unseen += unseen as f64;
        self.looks = 0;
        self.is_back();
    }

    /// Log-prior of each further ply in one look. Never more than before the first ply, whatever was missed: hidden squares
    /// would let too many lines pass.
    pub(super) fn further_ply(&self) -> f64 {
        if self.away {
            return ONE_OF_THE_MOVES + AFTER_ABSENCE.ln();
        }
        let missed = (1.0 + self.unseen) / (PLIES_BEFORE + self.plies);
        ONE_OF_THE_MOVES + missed.min(1.0 / PLIES_BEFORE).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_missed_is_less_and_less_likely_and_one_gap_brings_it_back() {
        let mut pace = Pace::default();
        let before = pace.further_ply();
        assert!((before + 6.5).abs() < 0.01);
        for _ in 0..400 {
            pace.looked();
            pace.went_on(1);
        }
        let after = pace.further_ply();
        assert!(after < before - 1.9 && after > before - 2.1);
        // Two plies after two looks are none too many.
        (0..2).for_each(|_| pace.looked());
        pace.went_on(2);
        assert_eq!(pace.further_ply(), after);
        pace.looked();
        pace.went_on(8);
        assert_eq!(pace.further_ply(), before);
    }

    #[test]
    fn any_number_of_plies_may_be_played_while_nobody_looks() {
        let mut pace = Pace::after_absence();
        let usual = Pace::default().further_ply();
        assert!(pace.further_ply() > usual + 2.0);
        pace.looked();
        assert!(pace.further_ply() > usual + 2.0, "a look that was not understood tells nothing");
        pace.is_back();
        assert_eq!(pace.further_ply(), usual);
    }

    #[test]
    fn a_ply_needs_time_where_time_is_known() {
        assert_eq!(Pace::played_within(f64::INFINITY), 0.0);
        assert!(Pace::played_within(0.2) < -1.5 && Pace::played_within(2.0) > -0.2);
        assert_eq!(Pace::played_within(0.0), SOONEST);
    }
}
