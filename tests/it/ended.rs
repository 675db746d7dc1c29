//! A program that may wait for ever.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Longer than any run takes on a busy machine, and shorter than for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Exit status and standard error of `program`; `None` if it had to be killed.
pub fn ended(program: &str, args: &[&str]) -> Option<(i32, String)> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    Some((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned()))
}
