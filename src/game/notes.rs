//! What the record says beside the moves: how long they took, how sure they are, what was taken back.

use shakmaty::Role;

use super::line::{Line, numbered};
use crate::frame::{Stamp, WALL_CLOCK_FROM};

/// Withdrawn lines kept: more than a game has, and a bound for one that never ends.
const WITHDRAWN: usize = 200;
/// What a comment with a withdrawn line begins with.
pub(super) const WITHDRAWN_WORD: &str = "withdrawn:";

/// Which remarks the record is to have; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Remarks {
    /// How long each move took: `[%emt h:mm:ss]`, the time from the picture in which the ply before it was understood to
    /// the picture in which this one was.
    pub times: bool,
    /// How sure a move is, where it is less sure than this, 0 to 1: `62.0 % sure`.
    pub(crate) doubt_below: f64,
    /// Plies that were taken back: `withdrawn: 3. Bb5 a6`.
    pub withdrawn: bool,
}

/// When a ply was understood.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Time {
    /// Stamp of that picture; `None` when it is not known.
    pub(super) at: Option<Stamp>,
    /// Whole seconds that it took; `None` when they are not known.
    pub(super) took_s: Option<i64>,
}

/// A line that was taken back.
#[derive(Debug, Clone, PartialEq)]
struct Withdrawn {
    /// Plies that stood before it.
    after: usize,
    text: String,
    /// A king's move alone.
    king: bool,
}

/// The remarks of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Notes {
    pub(super) wanted: Remarks,
    /// Said before the first move; empty: nothing.
    pub(super) preface: String,
    /// Stamps of the first and of the last look at the game.
    pub(super) begun: Option<Stamp>,
    now: Option<Stamp>,
    pub(super) times: Vec<Time>,
    withdrawn: Vec<Withdrawn>,
}

impl Notes {
    /// A look at the game is made in the picture of this time.
    pub(super) fn tick(&mut self, stamp: Stamp) {
        // A game whose record tells no beginning, and goes on from it, has begun some time.
        if self.times.is_empty() {
            self.begun.get_or_insert(stamp);
        }
        self.now = Some(stamp);
    }

    /// When the look that is being understood was made.
    pub(super) const fn now(&self) -> Option<Stamp> {
        self.now
    }

    /// Those of the next game, which begins with the last look.
    pub(super) fn next_game(&self) -> Self {
        Self { wanted: self.wanted, begun: self.now, now: self.now, ..Self::default() }
    }

    /// The line has changed. A ply that is now understood otherwise was made when it was; what no longer stands was
    /// withdrawn.
    pub(super) fn follow(&mut self, old: &Line, line: &Line) {
        let stands = line.len();
        if old.len() > stands {
            self.withdrawn.iter_mut().for_each(|w| w.after = w.after.min(stands));
            let king = old.len() == stands + 1 && old.plies()[stands].mv.role() == Role::King;
            self.withdraw(stands, numbered(old, stands), king);
        }
        self.times.truncate(stands);
        while self.times.len() < stands {
            self.came(self.now);
        }
    }

    /// The next ply was understood at this time.
    fn came(&mut self, at: Option<Stamp>) {
        let before = match self.times.last() {
            Some(last) => last.at,
            None => self.begun,
        };
        let whole_s = |at: Option<Stamp>| Some(at?.since_s(self.begun?).round() as i64);
        // Differences of rounded times: what is rounded does not add up. They are compared rounded, too: a time that was
        // read from a record is up to half a second late, and the next ply may come before it.
        let took_s = whole_s(before).zip(whole_s(at)).map(|(before, now)| now - before).filter(|s| *s >= 0);
        self.times.push(Time { at, took_s });
    }

    /// The line is another one in hindsight, whose plies came at these times. What it has in place of what was told was
    /// withdrawn; what was withdrawn and stands now was not.
    pub(super) fn mend(&mut self, told: &Line, line: &Line, at: Vec<Option<Stamp>>) {
        if told.plies().iter().map(|ply| ply.mv).eq(line.plies().iter().map(|ply| ply.mv)) {
            return;
        }
        let same = |ply: &usize| told.plies().get(*ply).map(|p| p.mv) == line.plies().get(*ply).map(|p| p.mv);
        self.withdrawn.retain(|w| {
            let stands = numbered(line, w.after.min(line.len()));
            !(stands == w.text || stands.starts_with(&format!("{} ", w.text)))
        });
        self.withdrawn.iter_mut().for_each(|w| w.after = w.after.min(line.len()));
        let mut ply = 0;
        while ply < told.len() {
            let until = (ply..told.len()).find(same).unwrap_or(told.len());
            if until > ply {
                let mut part = told.clone();
                part.truncate(until);
                self.withdraw(ply.min(line.len()), numbered(&part, ply), false);
            }
            ply = until + 1;
        }
        self.times.clear();
        for at in at {
            // A ply does not come before the one that it follows.
            let last = self.times.last().and_then(|time| time.at);
            self.came(at.max(last));
        }
    }

    pub(super) fn withdraw(&mut self, after: usize, text: String, king: bool) {
        if self.withdrawn.len() == WITHDRAWN {
            self.withdrawn.remove(0);
        }
        self.withdrawn.push(Withdrawn { after, text, king });
    }

    /// The king that was the first to go to the centre was taken for a move: nothing was withdrawn.
    pub(super) fn forget_gesture(&mut self, plies: usize) {
        self.withdrawn.pop_if(|last| last.king && last.after == plies);
    }

    /// The comments after `plies` plies, without their braces.
    pub(super) fn comments(&self, line: &Line, plies: usize) -> Vec<String> {
        let mut comments = Vec::new();
        if plies == 0 && !self.preface.is_empty() {
            comments.push(self.preface.clone());
        }
        let mut of_ply = Vec::new();
        if let Some(index) = plies.checked_sub(1) {
            let took_s = self.times.get(index).and_then(|time| time.took_s).filter(|_| self.wanted.times);
            of_ply.extend(took_s.map(|s| format!("[%emt {}]", seconds_text(s))));
            let confidence = line.plies().get(index).map_or(1.0, |ply| ply.confidence);
            if confidence < self.wanted.doubt_below {
                of_ply.push(format!("{:.1} % sure", 100.0 * confidence));
            }
        }
        if !of_ply.is_empty() {
            comments.push(of_ply.join(" "));
        }
        if self.wanted.withdrawn {
            let here = self.withdrawn.iter().filter(|w| w.after == plies);
            comments.extend(here.map(|w| format!("{WITHDRAWN_WORD} {}", w.text)));
        }
        comments
    }

    /// When the game began, where the stamps are those of a clock and times are wanted.
    pub(super) fn began_at(&self) -> Option<Stamp> {
        self.begun.filter(|begun| self.wanted.times && *begun >= WALL_CLOCK_FROM)
    }
}

/// Seconds as PGN writes them: `h:mm:ss`.
fn seconds_text(seconds: i64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
