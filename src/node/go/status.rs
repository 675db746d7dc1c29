//! How the work with a Go board goes, for the diagnostics and the console.

use std::time::Duration;

use r2r::diagnostic_msgs::msg::DiagnosticStatus;

use crate::{
    node::{
        diagnostics::{ERROR, WARN, board_words, key, status, tracker_words},
        status::{Missing, Reports},
    },
    observer::{BoardState, Stats, TrackerState},
};

/// What the diagnostics say of it.
#[derive(Debug, Clone)]
pub(super) struct GoStatus {
    /// State of the search for the board.
    pub(super) board: BoardState,
    /// Why it was not found at the last search; empty where it was, or before the first.
    pub(super) not_found: String,
    /// Lines of the board; `None` while it is not known.
    pub(super) lines: Option<u8>,
    /// Distance between its lines in the picture, in pixels; `None` while it is not known.
    pub(super) spacing_px: Option<f64>,
    /// Why nothing is used of what `camera_info` says; empty while it is used, or silent.
    pub(super) camera_problem: String,
    /// What the tracker is doing.
    pub(super) tracker: TrackerState,
    /// Plays so far.
    pub(super) number: usize,
    /// Is something in doubt that was told so?
    pub(super) uncertain: bool,
    /// Crossings under a hand or the like at the last look; `None` before the first one.
    pub(super) covered: Option<usize>,
    /// The observer's counters.
    pub(super) stats: Stats,
    /// How long the last picture took.
    pub(super) last_look: Duration,
}

impl Default for GoStatus {
    fn default() -> Self {
        Self {
            board: BoardState::Searching,
            not_found: String::new(),
            lines: None,
            spacing_px: None,
            camera_problem: String::new(),
            tracker: TrackerState::NoBoard,
            number: 0,
            uncertain: false,
            covered: None,
            stats: Stats::default(),
            last_look: Duration::ZERO,
        }
    }
}

impl Reports for GoStatus {
    const RECORD: &'static str = "sgf file";

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn missing(&self) -> Option<Missing> {
        match (self.tracker, self.board) {
            (TrackerState::Paused, _) | (_, BoardState::Locked) => None,
            (_, BoardState::Lost) => Some(Missing::Lost("start the node again with board.corners")),
            (_, BoardState::Searching) => {
                let why = if self.not_found.is_empty() { "none was looked at yet" } else { &self.not_found };
                let why =
                    format!("no Go board is found in them: {why}; the whole board must be in the picture, and sharp");
                Some(Missing::Board { kind: "", why })
            }
        }
    }

    fn parts(&self, hangs: Option<&str>) -> Vec<DiagnosticStatus> {
        vec![self.board(), self.tracker(hangs)]
    }
}

impl GoStatus {
    fn board(&self) -> DiagnosticStatus {
        let (mut level, state) = board_words(self.board);
        let mut message = state.to_owned();
        if self.board == BoardState::Searching && !self.not_found.is_empty() {
            message = format!("{state}; not found: {}", self.not_found);
        }
        if !self.camera_problem.is_empty() {
            level = WARN;
            message = format!("{message}; camera_info is not used: {}", self.camera_problem);
        }
        let values = vec![
            key("state", state),
            key("not_found", &self.not_found),
            key("lines", self.lines.map_or_else(String::new, |n| n.to_string())),
            key("spacing_px", self.spacing_px.map_or_else(String::new, |px| format!("{px:.1}"))),
            key("camera_info_problem", &self.camera_problem),
        ];
        status("board", level, message, values)
    }

    fn tracker(&self, hangs: Option<&str>) -> DiagnosticStatus {
        let (mut level, state) = tracker_words(self.tracker);
        let mut message = state.to_owned();
        if self.uncertain {
            level = level.max(WARN);
            message = format!("{state}; uncertain");
        }
        if let Some(why) = hangs {
            (level, message) = (ERROR, format!("the observer hangs: {why}"));
        }
        let values = vec![
            key("state", state),
            key("plays", self.number),
            key("uncertain", self.uncertain),
            key("disturbed_pictures", self.stats.disturbed),
            key("looks", self.stats.looks),
            key("looks_without_board", self.stats.refused),
            key("crossings_covered", self.covered.map_or_else(String::new, |n| n.to_string())),
            key("last_picture_ms", format!("{:.1}", 1e3 * self.last_look.as_secs_f64())),
        ];
        status("tracker", level, message, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::diagnostics::OK;

    #[test]
    fn a_board_that_is_not_found_says_why() {
        let searching = GoStatus { not_found: "no lines".into(), ..GoStatus::default() };
        let [board, _] = &searching.parts(None)[..] else { panic!() };
        assert_eq!((u32::from(board.level), board.message.as_str()), (WARN, "searching; not found: no lines"));
        let Some(Missing::Board { why, .. }) = searching.missing() else { panic!() };
        assert!(why.contains("no Go board is found in them: no lines; "), "{why}");
        let found = GoStatus { board: BoardState::Locked, tracker: TrackerState::Following, ..GoStatus::default() };
        assert_eq!((found.missing(), u32::from(found.board().level)), (None, OK));
        let paused = GoStatus { tracker: TrackerState::Paused, ..GoStatus::default() };
        assert_eq!(paused.missing(), None);
    }

    #[test]
    fn doubt_and_hanging_are_told() {
        let doubt = GoStatus { uncertain: true, tracker: TrackerState::Following, ..GoStatus::default() };
        let told = doubt.tracker(None);
        assert_eq!((u32::from(told.level), told.message.as_str()), (WARN, "following; uncertain"));
        let told = doubt.tracker(Some("no picture was finished for 15.0 s"));
        assert_eq!(u32::from(told.level), ERROR);
    }
}
