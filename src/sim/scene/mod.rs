//! What is simulated: board, men, table, camera, light, sensor, hand and pace, from a TOML file.
//!
//! Every key has a default, and every number a range; a value outside it is refused with the key's name. The defaults
//! are an ordinary evening at a club: a wooden board, men a little off their centres, one lamp, a cheap camera.

mod board;
mod bump;
mod camera;
mod colour;
mod habits;
mod light;
mod opening;
pub(crate) mod pinhole;
mod players;
mod ranges;
mod readout;
pub(crate) mod standpoint;
mod stream;

use serde::{Deserialize, Serialize};

pub use board::{BoardLook, MenLook, TableLook};
pub use bump::{Bump, Knocked};
pub use camera::{CameraSetup, Sensor};
pub use colour::{Srgb, linear};
pub use habits::{Habits, LONGEST_REST_S};
pub use light::{Dusk, KELVIN, Lamp, LampColour, Light, LightChange, PassingShadow};
pub use opening::Opening;
pub use pinhole::{Camera, Intrinsics};
pub use players::{HandLook, Pace, Player, RestingHand};
pub use readout::Readout;
pub use standpoint::Standpoint;
pub use stream::{Damage, Stream};

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

/// Most samples in a picture: 4 a pixel at 2560×1440. A sample takes some 120 bytes, and 24 for each further lamp.
const MAX_SAMPLES: u32 = 16_000_000;

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
    /// The main lamp, and the light of the room.
    pub light: Light,
    /// Further lamps.
    pub lamp: Vec<Lamp>,
    /// Nightfall in the course of the story.
    pub dusk: Dusk,
    /// Lamps that are switched.
    pub light_change: Vec<LightChange>,
    /// People who walk past.
    pub passing_shadow: Vec<PassingShadow>,
    /// What the sensor makes of the light.
    pub sensor: Sensor,
    /// How the camera reads its pictures out, and how its lens holds the focus.
    pub readout: Readout,
    /// How the film begins.
    pub opening: Opening,
    /// What goes wrong between the camera and whoever receives its pictures.
    pub stream: Stream,
    /// The hand that moves the men.
    pub hand: HandLook,
    /// Hands beside those that move the men: they lie there while plies go by.
    pub resting_hand: Vec<RestingHand>,
    /// How fast they play.
    pub pace: Pace,
    /// What they do beside the moves.
    pub habits: Habits,
    /// Knocks against the camera, and against the board on its table; in the order of the game.
    pub bump: Vec<Bump>,
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

    /// A scene with an absurd value, and how the message names it.
    const ABSURD: [(&str, &str); 56] = [
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
        ("[habits]\nhover_min_s = 9", "habits.hover_max_s"),
        ("[[resting_hand]]\nplies = 2", "ply"),
        ("[[resting_hand]]\nply = 2\nat = [90.0, 0.0]", "resting_hand[0].at[0]"),
        ("[[resting_hand]]\nply = 2\nplayer = 'red'", "red"),
        ("[habits]\nin_hand = 0.7\nput_first = 0.4", "habits.put_first"),
        ("[[bump]]\nply = 3\nshift_px = [900.0, 0.0]", "bump[0].shift_px[0]"),
        ("[[bump]]\nply = 3\n[[bump]]\nply = 3\nzoom = 0.0", "bump[1].zoom"),
        ("[[bump]]\nply = 3\nwhat = 'table'", "table"),
        ("[[bump]]\nshift_px = [9.0, 0.0]", "ply"),
        ("[camera]\nwidth = 4096\nheight = 4096", "sensor.samples"),
        ("[board]\nsquares = 64", "squares"),
        ("[light]\nambient = 'bright'", "ambient"),
        ("[light]\ncolour = 'green'", "colour"),
        ("[light]\ncolour = 100", "light.colour"),
        ("[light]\ndistance_m = 0.2", "light.distance_m"),
        ("[[lamp]]\nstrength = -1", "lamp[0].strength"),
        ("[[lamp]]\n[[lamp]]\ncolour = 30000", "lamp[1].colour"),
        ("[[lamp]]\n[[lamp]]\n[[lamp]]\n[[lamp]]", "lamp (how many)"),
        ("[dusk]\nshare = 0", "dusk.share"),
        ("[dusk]\nbegin = 0.5\nend = 0.4", "dusk.end"),
        ("[[light_change]]\nfactor = 0.5", "ply"),
        ("[[light_change]]\nply = 1\nfactor = 0", "light_change[0].factor"),
        ("[[passing_shadow]]\ndarkness = 1.5", "passing_shadow[0].darkness"),
        ("[board]\nunlike = 0.6", "board.unlike"),
        ("[board]\nuneven_mm = 4", "board.uneven_mm"),
        ("[board]\nwear = -0.1", "board.wear"),
        ("[board]\nwrinkles = 2", "board.wrinkles"),
        ("[men]\ngrain = 2", "men.grain"),
        ("[sensor]\nauto_exposure = 1.1", "sensor.auto_exposure"),
        ("[sensor]\nauto_exposure_s = 0", "sensor.auto_exposure_s"),
        ("[sensor]\nwhite_balance = -1", "sensor.white_balance"),
        ("[sensor]\nwhite_balance_drift = 1", "sensor.white_balance_drift"),
        ("[sensor]\nnoise_grain_px = 9", "sensor.noise_grain_px"),
        ("[sensor]\nhaze = 0.9", "sensor.haze"),
        ("[men]\nglass = [0.5, 1.5]", "men.glass[1]"),
        ("[readout]\nbands = 1.5", "readout.bands"),
        ("[readout]\nhunt_s = 20", "readout.hunt_every_s"),
        ("[opening]\nmissing = 33", "opening.missing"),
        ("[opening]\njoin = 1", "opening.join"),
        ("[stream]\ndropped = 1", "stream.dropped"),
        ("[stream]\ndamage = 'stripe'", "stripe"),
        ("[sensor]\ncontrast = 1.1", "sensor.contrast"),
        ("[light]\nfill = [1.0, 1.0, 3.0]", "light.fill[2]"),
        ("[[passing_shadow]]\ntint = [0.0, 1.0, 1.0]", "passing_shadow[0].tint[0]"),
    ];

    #[test]
    fn absurd_values_are_refused_by_name() {
        for (text, key) in ABSURD {
            let error = Scene::from_toml(text).expect_err(text).to_string();
            assert!(error.contains(key), "{text:?} gave {error:?}");
        }
    }
}
