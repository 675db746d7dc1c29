//! What is simulated: board, men, table, camera, light, sensor, hand and pace, from a TOML file.
//!
//! Every key has a default, and every number a range; a value outside it is refused with the key's name. The defaults
//! are an ordinary evening at a club: a wooden board, men a little off their centres, one lamp, a cheap camera.

use serde::{Deserialize, Serialize};

pub use super::{habits::Habits, pace::Pace};

/// Why a scene cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The text is not TOML, or has a key that no scene has, or a value of another type.
    #[error("not a scene: {0}")]
    Syntax(String),
    /// A number lies outside its range.
    #[error("{key} is {value}: it must be {low} to {high}")]
    Range {
        /// The key, as `section.key`.
        key: String,
        /// The value that came.
        value: f64,
        /// Least accepted value.
        low: f64,
        /// Greatest accepted value.
        high: f64,
    },
    /// Width × height × samples² is more than the memory of a usual computer holds.
    #[error(
        "sensor.samples is {samples}: {width}x{height} pixels with so many samples each are too many; at most {MAX_SAMPLES} samples in a picture"
    )]
    TooFine {
        /// Samples along each side of a pixel.
        samples: u32,
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The camera does not see the board.
    #[error("camera.{key}: {why}")]
    Camera {
        /// The key to change.
        key: &'static str,
        /// What is wrong, and what to do.
        why: &'static str,
    },
}

/// Most samples in a picture: 4 a pixel at 2560×1440. A sample takes some 70 bytes.
pub const MAX_SAMPLES: u32 = 16_000_000;

/// A colour as sRGB bytes: red, green, blue.
pub type Srgb = [u8; 3];

/// Everything that a simulated camera sees, except the game.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// The board.
    pub board: BoardLook,
    /// The men.
    pub men: MenLook,
    /// What the board lies on.
    pub table: TableLook,
    /// Where the camera is, and its lens.
    pub camera: CameraSetup,
    /// The lamp.
    pub light: Light,
    /// What the sensor makes of the light.
    pub sensor: Sensor,
    /// The hand that moves the men.
    pub hand: HandLook,
    /// How fast they play.
    pub pace: Pace,
    /// What they do beside the moves.
    pub habits: Habits,
    /// Knocks against the camera, in the order of the game.
    pub bump: Vec<Bump>,
}

/// The board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardLook {
    /// Side of a square, in metres.
    pub square_size_m: f64,
    /// Width of the border, in squares.
    pub border: f64,
    /// Thickness, in squares.
    pub thickness: f64,
    /// Colour of the light squares.
    pub light: Srgb,
    /// Colour of the dark squares.
    pub dark: Srgb,
    /// Colour of the border.
    pub border_colour: Srgb,
    /// Are there coordinates on the border?
    pub coordinates: bool,
    /// How strong the grain is: 0 vinyl, 1 coarse wood.
    pub grain: f64,
    /// How much it mirrors the lamp, 0 to 1.
    pub gloss: f64,
}

impl Default for BoardLook {
    fn default() -> Self {
        Self {
            square_size_m: 0.055, // FIDE handbook: 5 to 6 cm
            border: 0.5,
            thickness: 0.3,
            light: [214, 176, 124],
            dark: [122, 74, 44],
            border_colour: [84, 47, 29],
            coordinates: true,
            grain: 0.5,
            gloss: 0.25,
        }
    }
}

/// The men.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MenLook {
    /// Colour of White's men.
    pub white: Srgb,
    /// Colour of Black's men.
    pub black: Srgb,
    /// Greatest distance of a man from its square's centre, in squares.
    pub off_centre: f64,
    /// Greatest turn of a man away from facing the opponent, in degrees.
    pub turn_deg: f64,
    /// How much the men of one colour differ in brightness: 0.05 is ±5 %.
    pub unlike: f64,
    /// Size against the standard set (a king of 1.75 squares).
    pub scale: f64,
    /// How much they mirror the lamp, 0 to 1.
    pub gloss: f64,
}

impl Default for MenLook {
    fn default() -> Self {
        Self {
            white: [222, 190, 142], // boxwood
            black: [58, 36, 27],    // stained wood: never pure black
            off_centre: 0.12,       // measured on club boards: players set down within an eighth of a square
            turn_deg: 30.0,
            unlike: 0.06,
            scale: 1.0,
            gloss: 0.35,
        }
    }
}

/// What the board lies on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableLook {
    /// Its colour.
    pub colour: Srgb,
    /// How strong its grain is, 0 to 1.
    pub grain: f64,
    /// Are a clock, a cup and a score sheet on it?
    pub clutter: bool,
}

impl Default for TableLook {
    fn default() -> Self {
        Self { colour: [120, 90, 66], grain: 0.6, clutter: true }
    }
}

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
            frame_rate_hz: 10.0,
        }
    }
}

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

/// What the sensor makes of the light.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sensor {
    /// Gain: 1 shows white paper in full light just below white.
    pub exposure: f64,
    /// Standard deviation of the noise in mid-grey, in levels of 255.
    pub noise_sigma: f64,
    /// Standard deviation of the lens' blur, in pixels.
    pub blur_px: f64,
    /// Light lost in the picture's corners: 0.3 is 30 %.
    pub vignetting: f64,
    /// The exposure wanders up and down by this share.
    pub drift: f64,
    /// Period of this wandering, in seconds.
    pub drift_period_s: f64,
    /// Quality of JPEG pictures, 1 to 100.
    pub jpeg_quality: u8,
    /// Samples along each side of a pixel, 1 to 4.
    pub samples: u32,
}

impl Default for Sensor {
    fn default() -> Self {
        Self {
            exposure: 1.2,
            noise_sigma: 2.2, // a webcam indoors
            blur_px: 0.55,
            vignetting: 0.2,
            drift: 0.02,
            drift_period_s: 23.0,
            jpeg_quality: 90,
            samples: 2,
        }
    }
}

/// The hand that moves the men.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HandLook {
    /// Colour of White's player's skin.
    pub skin_white: Srgb,
    /// Colour of Black's player's skin.
    pub skin_black: Srgb,
    /// Colour of White's player's sleeve.
    pub sleeve_white: Srgb,
    /// Colour of Black's player's sleeve.
    pub sleeve_black: Srgb,
    /// Size against a grown-up's hand.
    pub scale: f64,
}

impl Default for HandLook {
    fn default() -> Self {
        Self {
            skin_white: [205, 150, 120],
            skin_black: [150, 100, 76],
            sleeve_white: [60, 72, 104],
            sleeve_black: [128, 44, 40],
            scale: 1.0,
        }
    }
}

/// A knock against the camera.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bump {
    /// After this ply, in the middle of the pause.
    pub ply: usize,
    /// How far the picture's centre jumps to the right and down, in pixels.
    #[serde(default)]
    pub shift_px: [f64; 2],
    /// How far the picture turns clockwise, in degrees.
    #[serde(default)]
    pub turn_deg: f64,
}

impl Scene {
    /// Reads a scene; missing keys have their defaults.
    ///
    /// # Errors
    /// When the text is not TOML, has an unknown key, or a value outside its range.
    pub fn from_toml(text: &str) -> Result<Self, SceneError> {
        let scene: Self = toml::from_str(text).map_err(|e| SceneError::Syntax(e.to_string()))?;
        scene.check()?;
        Ok(scene)
    }

    /// The default scene from straight above.
    #[must_use]
    pub fn overhead() -> Self {
        Self::oblique(88.5) // a stand is never quite plumb
    }

    /// The default scene from behind White, `elevation_deg` above the board's plane (kept within 15 to 90).
    #[must_use]
    pub fn oblique(elevation_deg: f64) -> Self {
        let elevation_deg = if elevation_deg.is_finite() { elevation_deg.clamp(15.0, 90.0) } else { 50.0 };
        Self { camera: CameraSetup { elevation_deg, ..CameraSetup::default() }, ..Self::default() }
    }

    /// Is every number within its range?
    ///
    /// # Errors
    /// Names the first key that is not.
    pub fn check(&self) -> Result<(), SceneError> {
        let (b, m, c, l) = (&self.board, &self.men, &self.camera, &self.light);
        let s = &self.sensor;
        let numbers = [
            ("board.square_size_m", b.square_size_m, 0.01, 0.2),
            ("board.border", b.border, 0.0, 2.0),
            ("board.thickness", b.thickness, 0.0, 2.0),
            ("board.grain", b.grain, 0.0, 1.0),
            ("board.gloss", b.gloss, 0.0, 1.0),
            ("men.off_centre", m.off_centre, 0.0, 0.3),
            ("men.turn_deg", m.turn_deg, 0.0, 180.0),
            ("men.unlike", m.unlike, 0.0, 0.5),
            ("men.scale", m.scale, 0.3, 1.3),
            ("men.gloss", m.gloss, 0.0, 1.0),
            ("table.grain", self.table.grain, 0.0, 1.0),
            ("camera.elevation_deg", c.elevation_deg, 15.0, 90.0),
            ("camera.azimuth_deg", c.azimuth_deg, -360.0, 360.0),
            ("camera.distance_m", c.distance_m, 0.0, 5.0),
            ("camera.field_of_view_deg", c.field_of_view_deg, 10.0, 110.0),
            ("camera.roll_deg", c.roll_deg, -180.0, 180.0),
            ("camera.aim_m[0]", c.aim_m[0], -1.0, 1.0),
            ("camera.aim_m[1]", c.aim_m[1], -1.0, 1.0),
            ("camera.width", f64::from(c.width), 64.0, 4096.0),
            ("camera.height", f64::from(c.height), 64.0, 4096.0),
            ("camera.k1", c.k1, -0.3, 0.3),
            ("camera.k2", c.k2, -0.1, 0.1),
            ("camera.frame_rate_hz", c.frame_rate_hz, 0.2, 120.0),
            ("light.azimuth_deg", l.azimuth_deg, -360.0, 360.0),
            ("light.elevation_deg", l.elevation_deg, 15.0, 90.0),
            ("light.ambient", l.ambient, 0.0, 1.0),
            ("light.softness", l.softness, 0.0, 1.0),
            ("light.tint[0]", l.tint[0], 0.1, 2.0),
            ("light.tint[1]", l.tint[1], 0.1, 2.0),
            ("light.tint[2]", l.tint[2], 0.1, 2.0),
            ("light.falloff", l.falloff, 0.0, 0.9),
            ("sensor.exposure", s.exposure, 0.02, 10.0),
            ("sensor.noise_sigma", s.noise_sigma, 0.0, 50.0),
            ("sensor.blur_px", s.blur_px, 0.0, 10.0),
            ("sensor.vignetting", s.vignetting, 0.0, 0.9),
            ("sensor.drift", s.drift, 0.0, 0.5),
            ("sensor.drift_period_s", s.drift_period_s, 0.5, 1e5),
            ("sensor.jpeg_quality", f64::from(s.jpeg_quality), 1.0, 100.0),
            ("sensor.samples", f64::from(s.samples), 1.0, 4.0),
            ("hand.scale", self.hand.scale, 0.5, 1.5),
        ];
        let bumps = self.bump.iter().enumerate().flat_map(|(i, bump)| {
            [
                (format!("bump[{i}].shift_px[0]"), bump.shift_px[0], -500.0, 500.0),
                (format!("bump[{i}].shift_px[1]"), bump.shift_px[1], -500.0, 500.0),
                (format!("bump[{i}].turn_deg"), bump.turn_deg, -45.0, 45.0),
            ]
        });
        let numbers = numbers.into_iter().chain(self.pace.ranges()).chain(self.habits.ranges());
        for (key, value, low, high) in numbers.map(|(k, v, l, h)| (k.to_string(), v, l, h)).chain(bumps) {
            if !(low..=high).contains(&value) {
                return Err(SceneError::Range { key, value, low, high });
            }
        }
        // The ranges above keep this product within 32 bits.
        if c.width * c.height * s.samples * s.samples > MAX_SAMPLES {
            return Err(SceneError::TooFine { samples: s.samples, width: c.width, height: c.height });
        }
        super::camera::Camera::new(self)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_usable_scene_and_survives_toml() {
        let scene = Scene::default();
        scene.check().unwrap();
        let text = toml::to_string(&scene).unwrap();
        assert_eq!(Scene::from_toml(&text).unwrap(), scene);
        assert_eq!(Scene::from_toml("").unwrap(), scene);
        Scene::overhead().check().unwrap();
        for elevation in [15.0, 30.0, 45.0, 60.0, 90.0, f64::NAN] {
            Scene::oblique(elevation).check().unwrap();
        }
    }

    #[test]
    fn absurd_values_are_refused_by_name() {
        for (text, key) in [
            ("[men]\noff_centre = 0.31", "men.off_centre"),
            ("[men]\noff_centre = nan", "men.off_centre"),
            ("[camera]\nelevation_deg = -10", "camera.elevation_deg"),
            ("[camera]\nwidth = 0", "camera.width"),
            ("[camera]\nheight = 100000", "camera.height"),
            ("[camera]\ndistance_m = 0.05", "camera.distance_m"),
            ("[camera]\naim_m = [0.0, 1.0]\ndistance_m = 0.6", "camera.aim_m"),
            ("[sensor]\nnoise_sigma = -1", "sensor.noise_sigma"),
            ("[pace]\nrest_min_s = 9", "pace.rest_max_s"),
            ("[pace]\nstand_min_s = -1", "pace.stand_min_s"),
            ("[habits]\nillegal = 1.5", "habits.illegal"),
            ("[habits]\nslide = nan", "habits.slide"),
            ("[habits]\nin_hand = 0.7\nput_first = 0.4", "habits.put_first"),
            ("[[bump]]\nply = 3\nshift_px = [900.0, 0.0]", "bump[0].shift_px[0]"),
            ("[camera]\nwidth = 4096\nheight = 4096", "sensor.samples"),
            ("[board]\nsquares = 64", "squares"),
            ("[light]\nambient = 'bright'", "ambient"),
        ] {
            let error = Scene::from_toml(text).expect_err(text).to_string();
            assert!(error.contains(key), "{text:?} gave {error:?}");
        }
    }
}
