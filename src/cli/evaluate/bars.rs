//! A progress bar for each experiment, where a terminal is.

use std::sync::{Mutex, PoisonError};

use chess_observer::eval::experiments::lab::Watch;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::cli::stopped;

/// Bars below each other, one for each part of the work.
#[derive(Default)]
pub struct Bars {
    all: MultiProgress,
    current: Mutex<Option<ProgressBar>>,
}

impl Bars {
    /// Takes the bars away.
    pub fn clear(&self) {
        // A bar that cannot be taken away stays.
        let _ = self.all.clear();
    }
}

impl Watch for Bars {
    fn begin(&self, experiment: &str, plies: u64) {
        let bar = self.all.add(ProgressBar::new(plies));
        if let Ok(style) = ProgressStyle::with_template("{msg:8} {bar:30} {pos}/{len} plies  {per_sec}  {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(experiment.to_owned());
        if let Some(old) = self.current.lock().unwrap_or_else(PoisonError::into_inner).replace(bar) {
            old.abandon();
        }
    }

    fn advance(&self, plies: u64) {
        if let Some(bar) = self.current.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            bar.inc(plies);
        }
    }

    fn stopped(&self) -> bool {
        stopped()
    }
}
