//! Which pictures are read, and in what manner.

use super::report::Manner;
use crate::{frame::Stamp, sight::stillness::Motion};

/// While nothing is in doubt, a settled board is looked at this often: to follow the light, and in case a change
/// slipped between two pictures.
const QUIET_LOOK_S: f64 = 1.0;
/// While something is in doubt, it is looked at this often: fast enough for a player, slow enough for the processor.
const DOUBT_LOOK_S: f64 = 0.2;
/// Still pictures that follow each other faster show hands on their way: people need about a second for a move.
const STILLS_APART_S: f64 = 1.0;
/// A board that is understood and has rested for so long is seldom touched in the next moment.
const RESTED_S: f64 = 1.0;
/// Then a picture that follows the last one sooner need not be seen: of 30 a second every other one. A hand that makes a move is
/// over the board for ten times as long.
const RESTING_APART_S: f64 = 0.045;
/// Squares that may not be at rest while the others are read. Measured on a film of blitz (`scenes/blitz.toml`, 30 plies):
/// with none or 12 the game is lost at ply 8, with 24 or 32 the order of three of Black's plies is all that is wrong.
const MOST_UNSETTLED: usize = 24;

/// What the users ask of a film.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// Pictures are read only where somebody says "now".
    pub(super) manual: bool,
    /// A part of the board is read once it has been at rest for so long.
    pub(super) rest_s: f64,
    /// The whole board must rest for so long before a warning.
    pub(super) warn_after_s: f64,
}

/// When somebody looks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    last: Option<Stamp>,
    /// What the last look showed was understood, and nothing has moved since.
    quiet: bool,
    /// The last picture, where the board had long been at rest in it.
    rested: Option<Stamp>,
    /// Somebody has said "now", and no picture was read since.
    captured: bool,
}

impl Pace {
    /// Whether what was shown was understood.
    pub(super) const fn set_quiet(&mut self, quiet: bool) {
        self.quiet = quiet;
    }

    /// The next picture is to be read, whatever moves in it.
    pub(super) const fn capture(&mut self) {
        self.captured = true;
    }

    /// The clock was set back: how long ago the last look was is not known.
    pub(super) const fn forget_last(&mut self) {
        (self.last, self.rested) = (None, None);
    }

    /// Is this picture of no use, since all is understood and at rest and one was seen a moment ago?
    pub(super) fn leaves_out(&self, stamp: Stamp) -> bool {
        let is_soon = |rested| (0.0..RESTING_APART_S).contains(&stamp.since_s(rested));
        self.quiet && !self.captured && self.rested.is_some_and(is_soon)
    }

    /// A picture is read now. Returns the seconds since the last one that was.
    pub(super) fn look(&mut self, stamp: Stamp) -> Option<f64> {
        self.last.replace(stamp).map(|last| stamp.since_s(last))
    }

    /// How a picture that stands by itself is read; `None` where it is not.
    pub(super) fn of_still(&mut self, stamp: Stamp, manual: bool) -> Option<Manner> {
        let forced = std::mem::take(&mut self.captured);
        let passing = self.last.is_some_and(|last| (0.0..STILLS_APART_S).contains(&stamp.since_s(last)));
        (forced || !manual).then_some(Manner { patient: true, forced, passing, unsettled: 0 })
    }

    /// How a picture of a film is read in which that moves; `None` where it is not.
    pub(super) fn of_film(&mut self, stamp: Stamp, motion: &Motion, asked: Asked) -> Option<Manner> {
        self.quiet &= !motion.disturbed();
        self.rested = (motion.still_s >= RESTED_S).then_some(stamp);
        if std::mem::take(&mut self.captured) {
            return Some(Manner { patient: true, forced: true, passing: false, unsettled: 0 });
        }
        if asked.manual || !is_readable(motion, asked.rest_s) {
            return None;
        }
        let pause_s = if self.quiet { QUIET_LOOK_S } else { DOUBT_LOOK_S };
        if self.last.is_some_and(|last| stamp.since_s(last) < pause_s) {
            return None;
        }
        // Warnings wait for the whole board.
        let patient = motion.still_s >= asked.warn_after_s;
        let settled = motion.settled(asked.rest_s);
        // What is only taken to rest, since it moved between two pictures far apart, may still be moving in this one.
        let passing = (motion.moving & settled).any();
        Some(Manner { patient, forced: false, passing, unsettled: (!settled).0 })
    }
}

/// Can what is at rest be read, beside what moves?
pub(super) fn is_readable(motion: &Motion, rest_s: f64) -> bool {
    (!motion.settled(rest_s)).count() <= MOST_UNSETTLED
}
