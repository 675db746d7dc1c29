//! A simulated game of Go as a folder: pictures, times, and the truth beside them.
//!
//! `frames/NNNNN.jpg`, `frames.csv` (`frame,stamp_s`), `truth.sgf`, `events.csv` (a row a picture: `frame`, `time_s`, plays
//! completed, `clean` or `hand`, note), `corners.csv` (the grid's corners: upper left, upper right, lower right, lower left of
//! the record), the scene as `scene.toml`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{GoFrame, GoScene};
use crate::sim::output::{OutputError, remove};

/// What [`GoTruth`] writes.
const TRUTH: [&str; 4] = ["truth.sgf", "events.csv", "corners.csv", "scene.toml"];

/// Writes the truth of a simulated game while it runs.
#[derive(Debug)]
pub struct GoTruth {
    folder: PathBuf,
    events: String,
    corners: String,
    rows: usize,
}

impl GoTruth {
    /// Begins in a new or empty folder.
    ///
    /// # Errors
    /// When the folder is not empty, or a file cannot be written.
    pub fn new(folder: &Path, sgf: &str, scene: &GoScene) -> Result<Self, OutputError> {
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
            return Err(OutputError::Occupied(folder.to_path_buf()));
        }
        fs::create_dir_all(folder).map_err(|source| OutputError::Write { path: folder.into(), source })?;
        let truth = Self {
            folder: folder.into(),
            events: "frame,time_s,ply,state,note\n".into(),
            corners: "frame,x0,y0,x1,y1,x2,y2,x3,y3\n".into(),
            rows: 0,
        };
        truth.write(TRUTH[0], sgf)?;
        let invalid = |e: toml::ser::Error| std::io::Error::new(std::io::ErrorKind::InvalidData, e);
        let text = toml::to_string(scene)
            .map_err(|e| OutputError::Write { path: folder.join(TRUTH[3]), source: invalid(e) })?;
        truth.write(TRUTH[3], &text)?;
        Ok(truth)
    }

    /// Removes the truth of an earlier simulation from its folder; whatever else lies there stays.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn clear(folder: &Path) -> Result<(), OutputError> {
        remove(folder, &TRUTH)
    }

    /// Pictures so far.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a picture.
    pub fn push(&mut self, frame: &GoFrame) {
        let state = if frame.clean { "clean" } else { "hand" };
        self.events += &format!("{:05},{:.3},{},{state},{}\n", self.rows, frame.time_s, frame.ply, frame.note);
        let numbers: Vec<String> = frame.corners.iter().flat_map(|p| [p.x, p.y]).map(|v| format!("{v:.2}")).collect();
        self.corners += &format!("{:05},{}\n", self.rows, numbers.join(","));
        self.rows += 1;
    }

    /// Writes what was pushed. Returns the number of pictures.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self) -> Result<usize, OutputError> {
        self.write(TRUTH[1], &self.events)?;
        self.write(TRUTH[2], &self.corners)?;
        Ok(self.rows)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), OutputError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|source| OutputError::Write { path, source })
    }
}
