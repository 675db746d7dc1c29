//! Where the board was, kept for the next start.
//!
//! The corners are enough, in pixels of the picture as it comes: what a lens does between them comes with every start
//! from `camera_info`, and what has been remembered could be of another camera.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::geometry::{enlarged_px, enlargement};
use crate::{
    board::corners::{Corners, GeometryError},
    files,
};

/// First key of the file: says what it is and which form it has.
const FORMAT: &str = "chess_observer calibration 1";
/// Such a file has some 500 bytes; a larger one is something else, and not read to its end.
const LARGEST: u64 = 16 * 1024;

/// Where the board was in a camera's picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    corners: Corners,
    size_px: (u32, u32),
}

/// Why a file is no calibration.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The operating system refuses.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// The file is another one, or damaged.
    #[error("{}: not a calibration of chess_observer, or a damaged one: {why}", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// What is wrong with a text that should be a calibration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TextError {
    /// Not the file's form.
    #[error("{0}")]
    Form(String),
    /// Written by another version, or another program.
    #[error("expected format {FORMAT:?}, got {0:?}")]
    Format(String),
    /// The corners are no board's.
    #[error(transparent)]
    Corners(#[from] GeometryError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    format: String,
    /// When, for people.
    #[serde(default)]
    written: String,
    picture_px: [u32; 2],
    a1: [f64; 2],
    h1: [f64; 2],
    h8: [f64; 2],
    a8: [f64; 2],
}

impl Calibration {
    /// A board with these outer corners in pictures of `size_px` (pixels in a row, rows); they run clockwise where the camera
    /// mirrors its pictures.
    ///
    /// # Errors
    /// When no board can be there.
    pub fn new(corners: Corners, size_px: (u32, u32)) -> Result<Self, TextError> {
        let corners = Corners::of_either_hand(corners.to_array())?;
        corners.fit(size_px)?;
        Ok(Self { corners, size_px })
    }

    /// The corners in pictures of `size_px`; `None` where those have another shape.
    #[must_use]
    pub fn corners_in(&self, size_px: (u32, u32)) -> Option<Corners> {
        let by = enlargement(self.size_px, size_px)?;
        let scaled = self.corners.to_array().map(|[x, y]| [enlarged_px(x, by[0]), enlarged_px(y, by[1])]);
        Corners::of_either_hand(scaled).ok()
    }

    /// The file's text; `written` says when, for people.
    #[must_use]
    pub fn to_text(&self, written: &str) -> String {
        // Hundredths of a pixel: what follows is noise.
        let [a1, h1, h8, a8] = self.corners.to_array().map(|p| p.map(|v| (100.0 * v).round() / 100.0));
        let picture_px = [self.size_px.0, self.size_px.1];
        let text = Text { format: FORMAT.into(), written: written.into(), picture_px, a1, h1, h8, a8 };
        let about = "# Where the board was: outer corners of a1, h1, h8, a8, in pixels. Offered at the next start, if it\n\
                     # still fits the picture then; may be deleted at any time.\n";
        // Plain numbers and texts can always be written.
        format!("{about}{}", toml::to_string(&text).unwrap_or_default())
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// When it is something else, or damaged.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let one_line = |e: toml::de::Error| TextError::Form(e.message().replace('\n', " "));
        let text: Text = toml::from_str(text).map_err(one_line)?;
        if text.format != FORMAT {
            return Err(TextError::Format(text.format.chars().take(60).collect()));
        }
        let corners = Corners::of_either_hand([text.a1, text.h1, text.h8, text.a8])?;
        Self::new(corners, (text.picture_px[0], text.picture_px[1]))
    }

    /// Reads a file; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read, is something else, or is damaged.
    pub fn read(path: &Path) -> Result<Option<Self>, CalibrationError> {
        let failed = |source| CalibrationError::Io { path: path.into(), source };
        let foreign = |why: String| CalibrationError::Foreign { path: path.into(), why };
        let text = match files::text(path, LARGEST) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) if matches!(e.kind(), io::ErrorKind::Other | io::ErrorKind::InvalidData) => {
                return Err(foreign(e.to_string()));
            }
            Err(e) => return Err(failed(e)),
        };
        Self::parse(&text).map(Some).map_err(|e| foreign(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration() -> Calibration {
        let corners = Corners::new([[105.25, 415.5], [520.0, 428.125], [465.0, 92.0], [182.0, 88.0]]).expect("corners");
        Calibration::new(corners, (640, 480)).expect("a board")
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("board.toml");
        assert!(Calibration::read(&path).expect("no file is no error").is_none());
        std::fs::write(&path, calibration().to_text("today")).expect("written");
        let read = Calibration::read(&path).expect("readable").expect("there");
        for (a, b) in read.corners.0.iter().zip(&calibration().corners.0) {
            assert!((a - b).norm() < 0.01);
        }
        assert_eq!(read.size_px, (640, 480));
        assert_eq!(Calibration::parse(&read.to_text("")), Ok(read));
    }

    #[test]
    fn every_cut_and_every_lost_line_is_refused() {
        let text = calibration().to_text("2026-11-20 19:00:00 UTC");
        // A cut within the last number leaves another number, which only the last line can suffer.
        let last = text.trim_end().rfind('\n').expect("lines");
        for cut in (0..=last).filter(|c| text.is_char_boundary(*c)) {
            assert!(Calibration::parse(&text[..cut]).is_err(), "cut at {cut}");
        }
        let lines: Vec<&str> = text.lines().collect();
        for skip in 0..lines.len() {
            let without: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, l)| *l).collect();
            let needed = !lines[skip].starts_with('#') && !lines[skip].starts_with("written");
            assert_eq!(Calibration::parse(&without.join("\n")).is_err(), needed, "without {:?}", lines[skip]);
        }
    }

    #[test]
    fn what_is_something_else_is_refused_with_a_reason() {
        let text = calibration().to_text("");
        let refused = |text: &str| Calibration::parse(text).expect_err("refused").to_string();
        assert!(refused(&text.replace("calibration 1", "calibration 2")).starts_with("expected format"));
        assert!(refused("[package]\nname = \"x\"").contains("unknown field"));
        assert!(refused(&text.replace("105.25", "nan")).contains("finite"));
        assert!(refused(&text.replace("105.25", "-900.0")).contains("outside of the picture of 640x480"));
        assert!(refused(&text.replace("[640, 480]", "[0, 0]")).contains("outside of the picture"));
        assert!(refused(&text.replace("[640, 480]", "[64000, -48]")).len() > 10);
        let crossed = text.replace("h1 =", "q =").replace("h8 =", "h1 =").replace("q =", "h8 =");
        assert!(refused(&crossed).contains("convex"));
        assert!(!refused("\0\u{1}\n]]").contains('\n'));

        let folder = tempfile::tempdir().expect("a folder");
        let (binary, large) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&binary, [0xff, 0xfe, 0]).expect("written");
        std::fs::write(&large, "#".repeat(20_000)).expect("written");
        for (path, why) in [(&binary, "is no text"), (&large, "at most 16384"), (&folder.path().into(), "is a folder")]
        {
            let text = Calibration::read(path).expect_err("refused").to_string();
            assert!(text.contains(why) && !text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn a_board_in_a_mirror_is_kept_as_it_is_seen() {
        let mirrored = Calibration::new(calibration().corners.mirrored(640), (640, 480)).expect("a board");
        let read = Calibration::parse(&mirrored.to_text("")).expect("a calibration");
        assert!(read.corners.farthest_px(&mirrored.corners) < 0.01);
        assert!(mirrored.corners_in((320, 240)).expect("same shape").is_mirrored());
    }

    #[test]
    fn another_resolution_shows_the_board_in_proportion() {
        let double = calibration().corners_in((1280, 960)).expect("same shape").to_array();
        assert_eq!(double[0], [211.0, 831.5]);
        assert_eq!(calibration().corners_in((640, 480)).map(|c| c.to_array()), Some(calibration().corners.to_array()));
        assert!(calibration().corners_in((1280, 720)).is_none() && calibration().corners_in((0, 0)).is_none());
    }
}
