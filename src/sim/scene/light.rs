//! What shines on the board, and how it changes in the course of the game.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Least and greatest colour temperature that the formula of `kelvin` holds for, in kelvin.
pub const KELVIN: [f64; 2] = [1667.0, 25_000.0];

/// Colour of a lamp: a name or a colour temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LampColour {
    /// `"yellow"`: a bulb, 2700 K.
    Yellow,
    /// `"white"`: an office LED, 4000 K.
    White,
    /// `"daylight"`: a window, 6500 K.
    Daylight,
    /// A number: kelvin.
    Kelvin(f64),
}

impl LampColour {
    /// The colour temperature, in kelvin.
    #[must_use]
    pub(crate) const fn kelvin(self) -> f64 {
        match self {
            Self::Yellow => 2700.0,
            Self::White => 4000.0,
            Self::Daylight => 6500.0,
            Self::Kelvin(kelvin) => kelvin,
        }
    }
}

impl Serialize for LampColour {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Yellow => to.serialize_str("yellow"),
            Self::White => to.serialize_str("white"),
            Self::Daylight => to.serialize_str("daylight"),
            Self::Kelvin(kelvin) => to.serialize_f64(*kelvin),
        }
    }
}

impl<'de> Deserialize<'de> for LampColour {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Word;
        impl de::Visitor<'_> for Word {
            type Value = LampColour;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a colour: \"yellow\", \"white\", \"daylight\", or a number of kelvin")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<LampColour, E> {
                match word {
                    "yellow" => Ok(LampColour::Yellow),
                    "white" => Ok(LampColour::White),
                    "daylight" => Ok(LampColour::Daylight),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }
            fn visit_f64<E: de::Error>(self, kelvin: f64) -> Result<LampColour, E> {
                Ok(LampColour::Kelvin(kelvin))
            }
            fn visit_i64<E: de::Error>(self, kelvin: i64) -> Result<LampColour, E> {
                Ok(LampColour::Kelvin(kelvin as f64))
            }
        }
        from.deserialize_any(Word)
    }
}

/// The main lamp, and the light of the room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Light {
    /// Where the lamp stands around the board, in degrees: 0 behind White, 90 beside the h file.
    pub azimuth_deg: f64,
    /// Its height over the board's plane, in degrees.
    pub elevation_deg: f64,
    /// Its distance from the board's centre, in metres; 0: so far away that its light is even, as the sky's.
    pub distance_m: f64,
    /// Its colour: `"yellow"`, `"white"`, `"daylight"` or kelvin; the camera's white balance takes part of it away.
    pub colour: LampColour,
    /// A shade or filter before it: factors of red, green and blue.
    pub tint: [f64; 3],
    /// Share of the light that comes from everywhere, 0 to 1: 1 has no shadows.
    pub ambient: f64,
    /// Colour of that light against what the room makes of the lamp's: factors of red, green and blue. It is what colours
    /// shadows.
    pub fill: [f64; 3],
    /// Width of a shadow's edge over the distance that casts it: 0.02 a bare bulb, 0.5 a window.
    pub softness: f64,
    /// How much darker the far side of the board is than the lamp's side, its distance left aside: 0.2 is 20 %.
    pub falloff: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            azimuth_deg: -55.0,
            elevation_deg: 52.0,
            distance_m: 1.6,                    // a lamp over the neighbouring table
            colour: LampColour::Kelvin(3000.0), // warm white, what is sold most
            tint: [1.0; 3],
            ambient: 0.34,
            fill: [1.0; 3],
            softness: 0.09,
            falloff: 0.1,
        }
    }
}

/// A further lamp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lamp {
    /// Where it stands around the board, in degrees: 0 behind White, 90 beside the h file.
    pub azimuth_deg: f64,
    /// Its height over the board's plane, in degrees.
    pub elevation_deg: f64,
    /// Its distance from the board's centre, in metres; 0: far away.
    pub distance_m: f64,
    /// Its colour: `"yellow"`, `"white"`, `"daylight"` or kelvin.
    pub colour: LampColour,
    /// Its light in the board's centre against the main lamp's.
    pub strength: f64,
    /// Width of a shadow's edge over the distance that casts it.
    pub softness: f64,
}

impl Default for Lamp {
    fn default() -> Self {
        Self {
            azimuth_deg: 120.0, // across from the main lamp
            elevation_deg: 45.0,
            distance_m: 2.5,
            colour: LampColour::White,
            strength: 0.5,
            softness: 0.09,
        }
    }
}

/// Nightfall in the course of the story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dusk {
    /// Share of the light that is left at the end: 1 is no dusk. It falls by the same factor in equal times (films) or
    /// plies (stills).
    pub share: f64,
    /// Change of the light's colour temperature until the end, in kelvin: dusk outdoors is bluer, a dimmed bulb yellower.
    pub(crate) kelvin_shift: f64,
    /// Where in the story it begins: 0 with the first ply, 1 with the last.
    pub begin: f64,
    /// Where in the story it ends.
    pub end: f64,
}

impl Default for Dusk {
    fn default() -> Self {
        Self { share: 1.0, kelvin_shift: 0.0, begin: 0.0, end: 1.0 }
    }
}

/// A lamp is switched, or a curtain drawn: all at once, in the middle of the pause after a ply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LightChange {
    /// After this ply.
    pub ply: usize,
    /// All light becomes this many times as strong; several changes multiply.
    #[serde(default = "one")]
    pub factor: f64,
    /// The light of lamps alone, their shadows with it, becomes this many times as strong on top of that.
    #[serde(default = "one")]
    pub lamps: f64,
}

fn one() -> f64 {
    1.0
}

/// Somebody walks between lamp and board, or stands there: a soft dark band over the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PassingShadow {
    /// Films: begins when this ply is completed. Stills: the first picture in which it lies is this ply's.
    pub ply: usize,
    /// Stills, and films without speed: it lies in the pictures of so many plies.
    pub plies: usize,
    /// Share of the light that it takes in its middle; less than 0: so much light is added, as by a window or a lamp.
    pub darkness: f64,
    /// Colour of the light that is left in it: factors of red, green and blue.
    pub tint: [f64; 3],
    /// Width of the band between the middles of its edges, in squares.
    pub width: f64,
    /// Width of an edge, in squares.
    pub edge: f64,
    /// Where it goes, in degrees: 0 towards the h file, 90 towards rank 8.
    pub direction_deg: f64,
    /// Its speed over the board, in metres a second; 0: it stands there.
    pub speed_m_s: f64,
    /// Where it stands in stills and without speed: its middle's distance from the board's centre, in squares.
    pub offset: f64,
}

impl Default for PassingShadow {
    fn default() -> Self {
        Self {
            ply: 0,
            plies: 1,
            darkness: 0.5, // a person before one of several lamps
            tint: [1.0; 3],
            width: 3.5,
            edge: 1.5,
            direction_deg: 20.0,
            speed_m_s: 0.8, // strolling among the tables
            offset: 0.0,
        }
    }
}
