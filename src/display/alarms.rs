//! What calls the arbiter to a board: its alarms, and all that it has warned of.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::{Value, json};

use super::words::{WarningKind, WarningWord};

/// Warnings that are kept for the page: the last evening's.
pub(super) const WARNINGS: usize = 200;
/// What is said of an illegal position before its warning was heard.
pub(super) const UNTOLD: &str = "An illegal position stands on the board.";

/// Something that the arbiter has to see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alarm {
    /// Number among the alarms of this board.
    pub id: u64,
    /// Why the arbiter is called.
    pub kind: AlarmKind,
    /// One sentence.
    pub text: String,
    /// The squares or crossings concerned.
    pub squares: Vec<String>,
    /// What to put right: the place, and the man or stone that belongs there as its position writes him, empty for none.
    pub(super) restore: Vec<(String, String)>,
    /// Time of the picture, in seconds since the epoch.
    pub stamp_s: f64,
    /// It still stands on the board.
    pub stands: bool,
    /// Somebody has seen to it.
    pub(super) acknowledged: bool,
}

/// Why the arbiter is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AlarmKind {
    /// An illegal change.
    Illegal,
    /// The picture cannot be explained.
    Uncertain,
    /// The board is not where it was.
    BoardLost,
    /// The camera or the observer is silent.
    Silent,
    /// The disk has not taken what was told.
    NotSaved,
}

/// The alarms of one board, and its warnings.
#[derive(Debug, Clone, Default)]
pub(super) struct Alarms {
    warnings: VecDeque<Value>,
    alarms: Vec<Alarm>,
    alarms_so_far: u64,
}

impl Alarms {
    /// Takes over a warning; `restore` is what to put right where it is of an illegal change.
    pub(super) fn hear(&mut self, word: WarningWord, restore: Vec<(String, String)>) {
        let kind = match word.kind {
            WarningKind::Illegal => Some(AlarmKind::Illegal),
            WarningKind::Uncertain => Some(AlarmKind::Uncertain),
            WarningKind::BoardLost => Some(AlarmKind::BoardLost),
            WarningKind::Restored => {
                self.settle(AlarmKind::Illegal);
                self.settle(AlarmKind::Uncertain);
                None
            }
            WarningKind::BoardFound | WarningKind::BoardMoved => {
                self.settle(AlarmKind::BoardLost);
                None
            }
            WarningKind::NotSaved => Some(AlarmKind::NotSaved),
            WarningKind::Saved => {
                self.settle(AlarmKind::NotSaved);
                None
            }
            WarningKind::Touched | WarningKind::Unexpected => None,
        };
        let about = json!({ "kind": word.kind, "text": word.text, "squares": word.squares, "stamp_s": word.stamp_s });
        self.warnings.push_back(about);
        while self.warnings.len() > WARNINGS {
            self.warnings.pop_front();
        }
        if let Some(kind) = kind {
            self.raise(kind, word.text, word.squares, restore, word.stamp_s);
        }
    }

    /// Says whether an illegal position stands. Who comes late hears no warning, and the warning may come after the position.
    pub(super) fn illegal(&mut self, stands: bool) {
        if !stands {
            self.settle(AlarmKind::Illegal);
        } else if !self.alarms.iter().any(|a| a.stands && a.kind == AlarmKind::Illegal) {
            self.raise(AlarmKind::Illegal, UNTOLD.into(), Vec::new(), Vec::new(), 0.0);
        }
    }

    /// Raises an alarm without a warning.
    pub(super) fn call(&mut self, kind: AlarmKind, text: &str) {
        self.raise(kind, text.into(), Vec::new(), Vec::new(), 0.0);
    }

    /// Raises an alarm, unless the same one stands already.
    fn raise(
        &mut self,
        kind: AlarmKind,
        text: String,
        squares: Vec<String>,
        restore: Vec<(String, String)>,
        stamp_s: f64,
    ) {
        if self.alarms.iter().any(|a| a.stands && a.kind == kind && a.text == text) {
            return;
        }
        let restore = if kind == AlarmKind::Illegal { restore } else { Vec::new() };
        if let Some(untold) = self.alarms.iter_mut().find(|a| a.stands && a.kind == kind && a.text == UNTOLD) {
            (untold.text, untold.squares, untold.restore, untold.stamp_s) = (text, squares, restore, stamp_s);
            return;
        }
        // One reason of a kind stands at a time: a new one takes the old one's place.
        self.settle(kind);
        self.alarms.retain(|a| a.kind != kind);
        self.alarms_so_far += 1;
        let id = self.alarms_so_far;
        self.alarms.push(Alarm { id, kind, text, squares, restore, stamp_s, stands: true, acknowledged: false });
    }

    /// What was the matter is so no longer. An illegal change stays to be acknowledged: the arbiter has to know of it.
    pub(super) fn settle(&mut self, kind: AlarmKind) {
        self.alarms.iter_mut().filter(|a| a.kind == kind).for_each(|a| a.stands = false);
        self.alarms.retain(|a| a.stands || (a.kind == AlarmKind::Illegal && !a.acknowledged));
    }

    /// Somebody has seen to the alarm `id`. False where there is none.
    pub(super) fn acknowledge(&mut self, id: u64) -> bool {
        let found = self.alarms.iter_mut().find(|a| a.id == id);
        let there = found.map(|alarm| alarm.acknowledged = true).is_some();
        self.alarms.retain(|a| a.stands || !a.acknowledged);
        there
    }

    /// The alarm that calls loudest, for the hall.
    pub(super) fn calling(&self) -> Option<&Alarm> {
        self.alarms.iter().find(|a| !a.acknowledged).or_else(|| self.alarms.first())
    }

    /// All alarms.
    pub(super) fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }

    /// All warnings that are kept, the oldest first.
    pub(super) const fn warnings(&self) -> &VecDeque<Value> {
        &self.warnings
    }
}
