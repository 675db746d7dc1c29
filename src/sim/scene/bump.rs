//! Knocks against the camera, and against the board on its table.

use serde::{Deserialize, Serialize};

/// What is knocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knocked {
    /// The camera: board and table move together in the picture.
    #[default]
    Camera,
    /// The board: it moves on its table, with the men on it, and pushes aside what lies in its way.
    Board,
}

/// A knock. What a key does not fit (a board has no zoom) is not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bump {
    /// After this ply, in the pause or during the next visit of a hand.
    pub ply: usize,
    /// `camera` or `board`.
    #[serde(default)]
    pub what: Knocked,
    /// Films: does it come while the hand of the next ply is in the picture, and not in the pause before it?
    #[serde(default)]
    pub while_hand: bool,
    /// Films: which part of that pause or visit has passed, 0 to 1. By the middle of a visit a man is in the air.
    #[serde(default = "half")]
    pub moment: f64,
    /// Films: how long it takes, in seconds; 0: it is over between two pictures.
    #[serde(default)]
    pub slide_s: f64,
    /// Camera: how far the picture's centre jumps to the right and down, in pixels.
    #[serde(default)]
    pub shift_px: [f64; 2],
    /// Board: how far it goes over the table towards where files h and rank 8 were at first, in squares. Camera: how far
    /// the picture jumps to the right and down, in mean sides of a square in the picture.
    #[serde(default)]
    pub shift_squares: [f64; 2],
    /// How far the picture turns about its centre, or the board on its table, in degrees: clockwise as the camera sees
    /// it, or as one sees it from above.
    #[serde(default)]
    pub turn_deg: f64,
    /// Board: the point of it that it turns about, in squares from the outer corner of a1.
    #[serde(default = "centre")]
    pub about: [f64; 2],
    /// Camera: the focal length becomes this many times as long.
    #[serde(default = "one")]
    pub zoom: f64,
    /// Camera: it is carried around the board by so many degrees, from White's side towards the h file's.
    #[serde(default)]
    pub azimuth_deg: f64,
    /// Camera: it is carried up by so many degrees, as seen from the board's centre; it stays between 10° and 90°.
    #[serde(default)]
    pub elevation_deg: f64,
    /// Films: the picture then shakes by so many pixels, less and less.
    #[serde(default)]
    pub shake_px: f64,
    /// Films: the time in which that dies away, in seconds.
    #[serde(default = "one")]
    pub shake_s: f64,
}

const fn half() -> f64 {
    0.5
}

const fn one() -> f64 {
    1.0
}

const fn centre() -> [f64; 2] {
    [4.0; 2]
}

impl Default for Bump {
    fn default() -> Self {
        Self {
            ply: 0,
            what: Knocked::Camera,
            while_hand: false,
            moment: half(),
            slide_s: 0.0,
            shift_px: [0.0; 2],
            shift_squares: [0.0; 2],
            turn_deg: 0.0,
            about: centre(),
            zoom: one(),
            azimuth_deg: 0.0,
            elevation_deg: 0.0,
            shake_px: 0.0,
            shake_s: one(), // a table on four legs
        }
    }
}

impl Bump {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub(crate) fn ranges(&self) -> [(&'static str, f64, f64, f64); 15] {
        [
            ("moment", self.moment, 0.0, 1.0),
            ("slide_s", self.slide_s, 0.0, 60.0),
            ("shift_px[0]", self.shift_px[0], -500.0, 500.0),
            ("shift_px[1]", self.shift_px[1], -500.0, 500.0),
            ("shift_squares[0]", self.shift_squares[0], -8.0, 8.0),
            ("shift_squares[1]", self.shift_squares[1], -8.0, 8.0),
            ("turn_deg", self.turn_deg, -180.0, 180.0),
            ("about[0]", self.about[0], -8.0, 16.0),
            ("about[1]", self.about[1], -8.0, 16.0),
            ("zoom", self.zoom, 0.25, 4.0),
            ("azimuth_deg", self.azimuth_deg, -180.0, 180.0),
            ("elevation_deg", self.elevation_deg, -80.0, 80.0),
            ("shake_px", self.shake_px, 0.0, 50.0),
            ("shake_s", self.shake_s, 0.05, 60.0),
            // Last, so that all of them are of one kind: a ply is a whole number.
            ("ply", self.ply as f64, 0.0, 1e6),
        ]
    }

    /// The knock when so much of it has happened, 0 to 1.
    #[must_use]
    pub fn part(&self, share: f64) -> Self {
        if share >= 1.0 {
            return self.clone();
        }
        Self {
            shift_px: self.shift_px.map(|v| v * share),
            shift_squares: self.shift_squares.map(|v| v * share),
            turn_deg: self.turn_deg * share,
            zoom: 1.0 + (self.zoom - 1.0) * share,
            azimuth_deg: self.azimuth_deg * share,
            elevation_deg: self.elevation_deg * share,
            ..self.clone()
        }
    }
}
