//! The camera's place and lens, and its sensor.

use serde::{Deserialize, Serialize};

/// Where the camera is, and its lens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CameraSetup {
    /// Angle of the line of sight to the board's plane, in degrees: 90 looks straight down.
    pub elevation_deg: f64,
    /// Where it stands around the board, in degrees: 0 behind White, 90 beside the h file.
    pub azimuth_deg: f64,
    /// Distance from the point it looks at, in metres; 0: as near as the whole board with its men fits.
    pub distance_m: f64,
    /// Horizontal angle of view, in degrees, distortion left aside.
    pub field_of_view_deg: f64,
    /// Turn about the line of sight, in degrees, clockwise in the picture.
    pub roll_deg: f64,
    /// The point it looks at, from the board's centre towards h and towards 8, in metres.
    pub aim_m: [f64; 2],
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// First radial coefficient of distortion (OpenCV's k1).
    pub k1: f64,
    /// Second radial coefficient (k2).
    pub k2: f64,
    /// Does the driver mirror the pictures, left and right exchanged, as cameras for video calls do?
    pub mirrored: bool,
    /// Pictures in a second.
    pub frame_rate_hz: f64,
}

impl Default for CameraSetup {
    fn default() -> Self {
        Self {
            elevation_deg: 50.0,
            azimuth_deg: 4.0, // nobody puts a tripod exactly in the middle
            distance_m: 0.0,
            field_of_view_deg: 52.0, // a common webcam
            roll_deg: 0.8,
            aim_m: [0.006, -0.004],
            width: 640,
            height: 480,
            k1: -0.02,
            k2: 0.0,
            mirrored: false,
            frame_rate_hz: 10.0,
        }
    }
}

/// What the sensor makes of the light.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sensor {
    /// Gain: 1 shows white paper in full light just below white.
    pub exposure: f64,
    /// How much of a change of brightness the camera makes up for, 0 to 1: 0 keeps the exposure.
    pub auto_exposure: f64,
    /// Time in which it makes up for two thirds of that, in seconds.
    pub auto_exposure_s: f64,
    /// The exposure wanders up and down by this share.
    pub(crate) drift: f64,
    /// Period of this wandering, in seconds.
    pub(crate) drift_period_s: f64,
    /// How much of the main lamp's colour the camera takes away, 0 to 1.
    pub(crate) white_balance: f64,
    /// Red and blue wander by this share, against each other.
    pub(crate) white_balance_drift: f64,
    /// Period of this wandering, in seconds.
    pub(crate) white_balance_period_s: f64,
    /// Standard deviation of the noise in mid-grey, in levels of 255.
    pub noise_sigma: f64,
    /// Standard deviation of a grain of noise, in pixels: 0 is another value in each pixel.
    pub(crate) noise_grain_px: f64,
    /// Standard deviation of the lens' blur, in pixels.
    pub blur_px: f64,
    /// Light lost in the picture's corners: 0.3 is 30 %.
    pub(crate) vignetting: f64,
    /// Share of the picture's mean light that strays over all of it in the lens.
    pub haze: f64,
    /// The camera's tone curve: 0 keeps sRGB, 1 is a full S over its levels, as most cameras draw. What is dark gets darker
    /// still, so in one and the same shadow dark squares fall by more than light ones.
    pub contrast: f64,
    /// Does the camera compress its pictures, as webcams with MJPEG do? What is seen, and stored, has the artefacts.
    pub mjpeg: bool,
    /// Quality of JPEG, 1 to 100: of the camera if it compresses, else of the files.
    pub jpeg_quality: u8,
    /// Samples along each side of a pixel, 1 to 4.
    pub samples: u32,
}

impl Sensor {
    /// One without noise, without compression, and without anything that wanders or follows: the same light gives the
    /// same bytes.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn steady() -> Self {
        Self {
            auto_exposure: 0.0,
            drift: 0.0,
            white_balance_drift: 0.0,
            noise_sigma: 0.0,
            mjpeg: false,
            ..Self::default()
        }
    }

    /// Quality for files of pictures: one that adds nothing to see where the camera has compressed them before.
    #[must_use]
    pub const fn file_quality(&self) -> u8 {
        if self.mjpeg { 98 } else { self.jpeg_quality }
    }
}

impl Default for Sensor {
    fn default() -> Self {
        Self {
            exposure: 1.2,
            auto_exposure: 0.7,   // cheap webcams follow most of the way
            auto_exposure_s: 1.2, // and take some seconds for it
            drift: 0.02,
            drift_period_s: 23.0,
            white_balance: 0.8, // lamps still look yellow
            white_balance_drift: 0.01,
            white_balance_period_s: 41.0,
            noise_sigma: 2.2,    // a webcam indoors
            noise_grain_px: 0.7, // demosaicing and noise reduction spread it
            blur_px: 0.55,
            vignetting: 0.2,
            haze: 0.02,
            contrast: 0.0,
            mjpeg: true,
            jpeg_quality: 85, // what webcams send at 640x480 and 30 pictures a second
            samples: 2,
        }
    }
}
