//! What goes wrong with pictures and their stamps between the camera and whoever receives them.

use serde::{Deserialize, Serialize};

/// How a damaged picture looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Damage {
    /// A bluish veil with noise in blocks lies over its upper part.
    #[default]
    Band,
    /// Its lower part never came, and is grey.
    Missing,
}

/// The way of the pictures. By default all of them arrive, once, whole, and with true stamps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// Share of the pictures that are lost.
    pub dropped: f64,
    /// Share of the pictures that come twice: once more in the middle of the time until the next one.
    pub duplicated: f64,
    /// For each picture: the stream freezes, and this picture comes again and again in the place of the following ones.
    pub frozen: f64,
    /// For how long it freezes, in seconds.
    pub frozen_s: f64,
    /// For each picture: the clock of the stamps jumps, forward or backward as chance decides, and stays there.
    pub jump: f64,
    /// How far it jumps, in seconds.
    pub jump_s: f64,
    /// Share of the pictures without a stamp: whoever receives one takes the time at which it came.
    pub unstamped: f64,
    /// Pictures come so many seconds late at most.
    pub latency_s: f64,
    /// Share of the pictures that are damaged.
    pub damaged: f64,
    /// So many of the first pictures are damaged in any case.
    pub damaged_first: u32,
    /// `band`: a bluish veil with noise over the upper part. `missing`: the lower part is grey.
    pub damage: Damage,
    /// Share of the picture's height that is damaged.
    pub damage_height: f64,
    /// How strong the veil is, 0 to 1: at 1 hardly anything is seen through it.
    pub damage_strength: f64,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            dropped: 0.0,
            duplicated: 0.0,
            frozen: 0.0,
            frozen_s: 3.0, // until a driver notices and starts again
            jump: 0.0,
            jump_s: 5.0, // a clock that is set right
            unstamped: 0.0,
            latency_s: 0.1, // a network camera
            damaged: 0.0,
            damaged_first: 0,
            damage: Damage::Band,
            // Both as in the first picture of a webcam's recording: a band over its upper 100 of 480 rows, in which black
            // has become (30, 45, 91).
            damage_height: 0.21,
            damage_strength: 0.4,
        }
    }
}

impl Stream {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub(crate) fn ranges(&self) -> [(&'static str, f64, f64, f64); 12] {
        [
            // A stream of which everything is lost, or that is frozen from the first picture to the last, shows nothing.
            ("stream.dropped", self.dropped, 0.0, 0.99),
            ("stream.duplicated", self.duplicated, 0.0, 1.0),
            ("stream.frozen", self.frozen, 0.0, 0.9),
            ("stream.frozen_s", self.frozen_s, 0.0, 3600.0),
            ("stream.jump", self.jump, 0.0, 1.0),
            ("stream.jump_s", self.jump_s, 0.0, 1e6),
            ("stream.unstamped", self.unstamped, 0.0, 1.0),
            ("stream.latency_s", self.latency_s, 0.0, 60.0),
            ("stream.damaged", self.damaged, 0.0, 1.0),
            ("stream.damaged_first", f64::from(self.damaged_first), 0.0, 1e6),
            ("stream.damage_height", self.damage_height, 0.0, 1.0),
            ("stream.damage_strength", self.damage_strength, 0.0, 1.0),
        ]
    }
}
