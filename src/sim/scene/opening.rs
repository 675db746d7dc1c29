//! How a film begins: a camera that has just been switched on, hands over the board, men that are still being set up.

use serde::{Deserialize, Serialize};

/// The beginning. By default the camera has long been running, the men stand, and nobody touches them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Opening {
    /// Exposure of the first picture against the settled one: 4 is four times too bright.
    pub exposure: f64,
    /// Time in which the exposure comes two thirds of the way to the settled one, in seconds.
    pub(crate) exposure_s: f64,
    /// Standard deviation of the first picture's further blur, in pixels: the lens is still seeking its focus.
    pub blur_px: f64,
    /// Time in which two thirds of that blur go away, in seconds.
    pub focus_s: f64,
    /// Films: both players' hands rest over their men for so many seconds from the first picture on.
    pub hands_s: f64,
    /// So many men, chosen by chance, lie beside the board at first and are set up by the players before the first ply.
    pub missing: u32,
    /// Films: the first picture shows the first visit of a hand when so much of it has passed, 0 to 1; 0: the film begins
    /// before it, with the board at rest.
    pub join: f64,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            exposure: 1.0,
            exposure_s: 0.6, // a webcam's metering takes some ten pictures
            blur_px: 0.0,
            focus_s: 0.5, // a contrast autofocus that hunts once
            hands_s: 0.0,
            missing: 0,
            join: 0.0,
        }
    }
}

impl Opening {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub(crate) fn ranges(&self) -> [(&'static str, f64, f64, f64); 7] {
        [
            ("opening.exposure", self.exposure, 0.02, 50.0),
            ("opening.exposure_s", self.exposure_s, 0.01, 60.0),
            ("opening.blur_px", self.blur_px, 0.0, 20.0),
            ("opening.focus_s", self.focus_s, 0.01, 60.0),
            ("opening.hands_s", self.hands_s, 0.0, 3600.0),
            ("opening.missing", f64::from(self.missing), 0.0, 32.0),
            // At 1 the hand would be gone.
            ("opening.join", self.join, 0.0, 0.99),
        ]
    }
}
