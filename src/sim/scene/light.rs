//! What shines on the board.

use serde::{Deserialize, Serialize};

/// The lamp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Light {
    /// Where it stands around the board, in degrees: 0 behind White, 90 beside the h file.
    pub azimuth_deg: f64,
    /// Its height over the board's plane, in degrees.
    pub elevation_deg: f64,
    /// Share of the light that comes from everywhere, 0 to 1: 1 has no shadows.
    pub ambient: f64,
    /// Width of a shadow's edge over the distance that casts it: 0.02 a bare bulb, 0.5 a window.
    pub softness: f64,
    /// Colour of the lamp: factors of red, green and blue.
    pub tint: [f64; 3],
    /// How much darker the far side of the board is than the lamp's side: 0.2 is 20 %.
    pub falloff: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            azimuth_deg: -55.0,
            elevation_deg: 52.0,
            ambient: 0.34,
            softness: 0.09,
            tint: [1.0, 0.95, 0.86],
            falloff: 0.25,
        }
    }
}
