//! One progress bar for a whole run, where a terminal is.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use chess_observer_lab::experiments::lab::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::{print_out, say, stopped};

/// How much of all that is asked for is done, and what is being done.
#[derive(Debug)]
pub struct Bars {
    bar: ProgressBar,
}

impl Bars {
    /// A bar over so much work, in milliseconds of one processor.
    pub fn new(work_ms: u64) -> Self {
        // indicatif hides the bar by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(work_ms), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg:10} {bar:30} {percent:>3} %  {elapsed}, {eta} left") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }

    /// Is there a terminal to draw on?
    pub fn are_seen() -> bool {
        std::io::IsTerminal::is_terminal(&std::io::stderr())
    }

    /// Prints while the bar stands aside.
    pub fn print(&self, text: &str) -> Result<bool, String> {
        self.bar.suspend(|| print_out(text))
    }

    /// Tells something beside the figures while the bar stands aside.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    /// Takes the bar away: all is done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Bars {
    fn begin(&self, experiment: &str, _work_ms: u64) {
        self.bar.set_message(experiment.to_owned());
    }

    fn advance(&self, work_ms: u64) {
        self.bar.inc(work_ms);
    }

    fn stopped(&self) -> bool {
        stopped()
    }
}

/// Adds up how much there is to do.
#[derive(Debug, Default)]
pub struct Rehearsal(AtomicU64);

impl Rehearsal {
    /// All of it, in milliseconds of one processor.
    pub fn work_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Watch for Rehearsal {
    fn begin(&self, _experiment: &str, work_ms: u64) {
        self.0.fetch_add(work_ms, Ordering::Relaxed);
    }
}
