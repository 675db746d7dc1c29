//! How the camera reads its pictures out, and how its lens holds the focus.

use serde::{Deserialize, Serialize};

/// Readout and focus. By default all rows are read at once, evenly, by a lens that stays as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Readout {
    /// Are every second row's contents those of the picture before? What moves then has combs at its edges.
    pub interlaced: bool,
    /// Share of the light that is missing in the middle of the dark bands which a flickering lamp makes when rows are
    /// exposed one after the other.
    pub bands: f64,
    /// How many such bands there are in a picture.
    pub(crate) bands_in_picture: f64,
    /// Time in which they roll down by the picture's height, in seconds.
    pub(crate) bands_s: f64,
    /// The autofocus hunts: standard deviation of the further blur when it is farthest off, in pixels.
    pub hunt_px: f64,
    /// By this share the picture is then larger: a lens that is focused also zooms a little.
    pub hunt_zoom: f64,
    /// How long it hunts, in seconds.
    pub(crate) hunt_s: f64,
    /// Time from one hunt to the next, in seconds.
    pub(crate) hunt_every_s: f64,
}

impl Default for Readout {
    fn default() -> Self {
        Self {
            interlaced: false,
            bands: 0.0,
            bands_in_picture: 1.5, // 100 flashes a second, rows read within 15 ms
            bands_s: 2.0,          // flashes and pictures are seldom quite in step
            hunt_px: 0.0,
            hunt_zoom: 0.0,
            hunt_s: 1.5, // out of focus and back, as webcams do when a hand comes near
            hunt_every_s: 11.0,
        }
    }
}

impl Readout {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub(crate) fn ranges(&self) -> [(&'static str, f64, f64, f64); 7] {
        [
            ("readout.bands", self.bands, 0.0, 1.0),
            ("readout.bands_in_picture", self.bands_in_picture, 0.1, 20.0),
            ("readout.bands_s", self.bands_s, 0.02, 1e4),
            ("readout.hunt_px", self.hunt_px, 0.0, 20.0),
            ("readout.hunt_zoom", self.hunt_zoom, -0.2, 0.2),
            ("readout.hunt_s", self.hunt_s, 0.05, 60.0),
            ("readout.hunt_every_s", self.hunt_every_s, self.hunt_s, 1e4),
        ]
    }
}
