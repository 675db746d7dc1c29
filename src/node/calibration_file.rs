//! The board's place on disk, for the next start: read once, and written on a thread of its own, because a disk can be
//! slow. What cannot be read or written is said in one line, and nothing else suffers.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{self, Sender},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::log::Log;
use crate::{board::calibration::Calibration, files, frame::Stamp};

/// The value of the parameter that stands for a file named after the node.
const AUTO: &str = "auto";

/// The file that the parameter `board.calibration_file` means for the node `name`; `None` where none is wanted, or the
/// user has no home. `ros_home` and `home` are the environment variables `ROS_HOME` and `HOME`.
#[must_use]
pub fn place(parameter: &str, name: &str, ros_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<Place> {
    if parameter != AUTO {
        return (!parameter.is_empty()).then(|| Place { path: parameter.into(), own_folder: false });
    }
    let given = |path: Option<PathBuf>| path.filter(|p| !p.as_os_str().is_empty());
    let folder = given(ros_home).or_else(|| given(home).map(|home| home.join(".ros")))?;
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = folder.join("chess_observer").join(format!("{}.toml", name.trim_matches('_')));
    Some(Place { path, own_folder: true })
}

/// Where a calibration is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Is its folder ours, to be made where it is missing? Of a path that the user gives only the file is made.
    own_folder: bool,
}

/// Takes calibrations to the disk.
#[derive(Debug)]
pub struct CalibrationFile {
    desk: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

impl CalibrationFile {
    /// Writes to `place`, or nowhere.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(place: Option<Place>, log: Log) -> std::io::Result<Self> {
        let Some(Place { path, own_folder }) = place else { return Ok(Self { desk: None, thread: None }) };
        let (desk, texts) = mpsc::channel::<String>();
        let thread = std::thread::Builder::new().name("calibration".into()).spawn(move || {
            let mut said = String::new();
            while let Ok(mut text) = texts.recv() {
                // Only the newest counts.
                text = texts.try_iter().last().unwrap_or(text);
                let made = if own_folder { std::fs::create_dir_all(files::folder_of(&path)) } else { Ok(()) };
                let written = made.and_then(|()| files::write(&path, text.as_bytes()));
                let problem = written.err().map_or_else(String::new, |e| e.to_string());
                if problem != said && !problem.is_empty() {
                    log.warn(&format!("the board's place is not kept: cannot write {}: {problem}", path.display()));
                }
                said = problem;
            }
        })?;
        Ok(Self { desk: Some(desk), thread: Some(thread) })
    }

    /// Has the calibration written soon.
    pub fn write(&self, calibration: &Calibration, now: Stamp) {
        if let Some(desk) = &self.desk {
            let (year, month, day) = now.utc_date();
            // The thread ends only after the desk.
            let _ = desk.send(calibration.to_text(&format!("{year:04}-{month:02}-{day:02} UTC")));
        }
    }

    /// Writes what still waits, for as long as `patience` allows; a calibration is not worth a longer wait.
    pub fn finish(mut self, patience: Duration) {
        drop(self.desk.take());
        let begun = Instant::now();
        if let Some(thread) = self.thread.take() {
            while !thread.is_finished() && begun.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Reads what was kept; says what cannot be used of it.
#[must_use]
pub fn read(path: &Path, log: &Log) -> Option<Calibration> {
    match Calibration::read(path) {
        Ok(Some(calibration)) => {
            log.info(&format!("the board is looked for where it was: {}", path.display()));
            Some(calibration)
        }
        Ok(None) => None,
        Err(error) => {
            log.warn(&format!("the board's place is not remembered: {error}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::corners::Corners;

    #[test]
    fn the_file_is_named_after_the_node() {
        let path = |parameter: &str, ros: Option<&str>, home: Option<&str>| {
            place(parameter, "/board_1/eye", ros.map(PathBuf::from), home.map(PathBuf::from))
        };
        let place = |path: &str, own_folder: bool| Some(Place { path: path.into(), own_folder });
        assert_eq!(path("", None, Some("/h")), None);
        assert_eq!(path("/x/y.toml", None, None), place("/x/y.toml", false));
        assert_eq!(path(AUTO, None, Some("/h")), place("/h/.ros/chess_observer/board_1_eye.toml", true));
        assert_eq!(path(AUTO, Some("/r"), Some("/h")), place("/r/chess_observer/board_1_eye.toml", true));
        assert_eq!(path(AUTO, Some(""), None), None);
    }

    #[test]
    fn the_last_of_several_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/board.toml");
        let place = |own_folder| Some(Place { path: path.clone(), own_folder });
        let file = CalibrationFile::new(place(true), Log::new("test")).unwrap();
        let corners = |x: f64| Corners::new([[x, 400.0], [500.0, 420.0], [460.0, 90.0], [180.0, 80.0]]).unwrap();
        for x in [90.0, 95.0, 100.0] {
            file.write(&Calibration::new(corners(x), (640, 480)).unwrap(), Stamp(1_795_183_501_000_000_000));
        }
        file.finish(Duration::from_secs(5));
        let kept = Calibration::read(&path).unwrap().unwrap();
        assert_eq!(kept.corners_in((640, 480)).unwrap().to_array()[0], [100.0, 400.0]);
        assert!(std::fs::read_to_string(&path).unwrap().contains("2026-11-20 UTC"));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_the_user_names_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("~/board.toml");
        let file = CalibrationFile::new(Some(Place { path, own_folder: false }), Log::new("test")).unwrap();
        let corners = Corners::new([[90.0, 400.0], [500.0, 420.0], [460.0, 90.0], [180.0, 80.0]]).unwrap();
        file.write(&Calibration::new(corners, (640, 480)).unwrap(), Stamp(0));
        file.finish(Duration::from_secs(5));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_disk_that_refuses_stops_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, "in the way").unwrap();
        let file =
            CalibrationFile::new(Some(Place { path: blocked.join("board.toml"), own_folder: true }), Log::new("test"))
                .unwrap();
        let corners = Corners::new([[90.0, 400.0], [500.0, 420.0], [460.0, 90.0], [180.0, 80.0]]).unwrap();
        file.write(&Calibration::new(corners, (640, 480)).unwrap(), Stamp(0));
        file.finish(Duration::from_secs(5));
        assert_eq!(std::fs::read_to_string(&blocked).unwrap(), "in the way");
        CalibrationFile::new(None, Log::new("test")).unwrap().finish(Duration::ZERO);
    }
}
