//! How likely things are at a board before anybody looks: natural logarithms, against "nothing has happened".
//!
//! They are rough on purpose. A crossing that shows its content decides by ten nats; priors only break ties in the direction
//! of what people do.

use std::sync::Arc;

use crate::go::{Moment, Point};

/// A legal play, somewhere: on every one of 361 crossings ln(1/361) = -5.9, and two looks of three show none.
pub(super) const PLAY: f64 = -6.5;
/// A play under a hand, where the next one is seen: there must have been one, and it may lie wherever the hand is.
pub(crate) const UNSEEN: f64 = -1.0;
/// A stone that was put where the next one takes it at once, beside the play that takes it. One play in thirty, and there are
/// few crossings for it.
pub(super) const THROWN_IN: f64 = -4.0;
/// A play against the rules, beside being a play. One in some hundred of those that look like one.
pub const FORBIDDEN: f64 = -6.0;
/// The same where a ko is taken back at once: the usual slip, and where the ko stands there is one crossing for it.
pub(super) const FORBIDDEN_KO: f64 = -1.0;
/// The same player plays again, without the other having passed. One in a thousand.
pub(crate) const TURN: f64 = -8.0;
/// A pass while there is much left to play for: hardly ever.
const PASS_EARLY: f64 = -12.0;
/// A pass when most of the board is full.
const PASS_LATE: f64 = -4.0;
/// Shares of the board that are full, between which passes become likely.
pub(crate) const FULL: (f64, f64) = (0.35, 0.6);
/// The last play was taken back. One in some hundred.
pub(crate) const TAKE_BACK: f64 = -6.0;
/// The same where it took a ko, beside that: the board after it is the one that a ko taken back at once leaves, and nobody
/// can tell them apart.
pub(super) const TAKE_BACK_KO: f64 = -7.0;
/// Every further play that was.
pub(crate) const TAKE_BACK_FURTHER: f64 = -1.5;
/// A stone that was put down wrongly is moved to a crossing beside: the rest of a take-back and a play is no accident then.
pub(super) const CORRECTED: f64 = 3.0;
/// Something else came about on a crossing: a stone pushed away, taken off, added. The next ones are likelier.
pub(super) const ODD: f64 = -10.0;
/// Every further such crossing.
pub(super) const ODD_FURTHER: f64 = -8.0;
/// A stone pushed to a crossing beside: two crossings, one accident.
pub(super) const PUSHED: f64 = -10.0;
/// What was odd was put right.
pub(super) const PUT_RIGHT: f64 = -0.7;
/// The stones that will be taken are taken off before the stone that takes them is put down. One capture in twenty.
pub(super) const TAKEN_FIRST: f64 = -9.0;
/// The stones that were taken still lie on the board.
pub(super) const STILL_THERE: f64 = -2.5;
/// Some of them do.
pub(super) const PARTLY_THERE: f64 = -4.0;
/// The board was cleared for a new game.
pub(crate) const NEW_GAME: f64 = -10.0;
/// Another stone of a handicap is put down, before anybody has played.
pub(super) const HANDICAP: f64 = -8.0;
/// Whatever nobody thought of.
pub(crate) const ANYTHING: f64 = -14.0;
/// Every crossing that it changes.
pub(super) const ANYTHING_FURTHER: f64 = -8.0;

/// A pass, with so many stones on the board.
pub fn pass(moment: &Moment) -> f64 {
    let size = moment.board().size();
    let stones = moment.board().stones().count() as f64 / size.count() as f64;
    let share = ((stones - FULL.0) / (FULL.1 - FULL.0)).clamp(0.0, 1.0);
    PASS_EARLY + share * (PASS_LATE - PASS_EARLY)
}

/// How often a play lies so many lines from the last one, against plays anywhere, 1 line first; the last figure is for all that
/// are further. Counted, with [`OWN_LAST`], in 70,000 plays of 300 games on 19 lines.
const LAST: [f64; 9] = [16.0, 3.0, 1.1, 0.5, 0.4, 0.3, 0.22, 0.2, 0.15];
/// The same from the player's own last play; the two add up.
const OWN_LAST: [f64; 9] = [3.0, 1.3, 0.6, 0.4, 0.3, 0.2, 0.15, 0.12, 0.1];

/// How much likelier a play is here than anywhere: plays are answered where they were made.
pub(super) fn nearness(after: &Arc<Moment>, at: Point) -> f64 {
    let distance = |p: Point| usize::from(p.x.abs_diff(at.x).max(p.y.abs_diff(at.y)).clamp(1, 9)) - 1;
    let mut lasts = after.back().take(2).map(|m| m.last().and_then(|p| p.at));
    let mut weight = |table: [f64; 9]| lasts.next().flatten().map(|p| table[distance(p)]);
    match (weight(LAST), weight(OWN_LAST)) {
        (Some(last), own) => (last + own.unwrap_or(OWN_LAST[8])).ln(),
        (None, _) => 0.0,
    }
}
