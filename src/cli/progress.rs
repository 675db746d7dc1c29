//! A progress bar where a terminal is, nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `total` pictures (unknown: a counter).
pub(crate) fn bar(total: Option<u64>) -> ProgressBar {
    // indicatif hides the bar by itself where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "{bar:30} {pos}/{len} pictures  {per_sec}  {eta} left  {msg}",
        None => "{spinner} {pos} pictures  {per_sec}  {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
