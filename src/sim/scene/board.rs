//! Board, men and table: what stands still in front of the camera.

use serde::{Deserialize, Serialize};

use super::Srgb;

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
    /// How much the squares of one colour differ in brightness: 0.1 is ±10 %.
    pub unlike: f64,
    /// How far the lines between squares lie off their places, in millimetres, and the squares' edges are askew.
    pub(crate) uneven_mm: f64,
    /// How worn it is, 0 to 1: stains, scratches, paler middles of squares.
    pub wear: f64,
    /// How wrinkled it is, 0 flat to 1 just unrolled: waves that catch the light, as vinyl and paper have.
    pub wrinkles: f64,
    /// Does it fold between ranks 4 and 5?
    pub fold: bool,
    /// How much it mirrors lamps and men, 0 dull to 1 lacquered.
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
            unlike: 0.1,     // veneer is cut from many logs
            uneven_mm: 0.25, // measured on photographs: crossings lie up to a hundredth of a square off the grid
            wear: 0.3,
            wrinkles: 0.0,
            fold: true,
            gloss: 0.3,
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
    /// How strong the grain of their wood is: 0 plastic, 1 coarse.
    pub grain: f64,
    /// Size against the standard set (a king of 1.75 squares).
    pub scale: f64,
    /// Height of each kind against the standard set's, beside `scale`: pawn, knight, bishop, rook, queen, king.
    pub heights: [f64; 6],
    /// How much they mirror the lamp, 0 to 1.
    pub gloss: f64,
    /// How much of what stands behind White's and Black's men is seen through them, 0 to 1: 0.4 is frosted glass, 0.8 clear.
    pub glass: [f64; 2],
}

impl Default for MenLook {
    fn default() -> Self {
        Self {
            white: [222, 190, 142], // boxwood
            black: [58, 36, 27],    // stained wood: never pure black
            off_centre: 0.12,       // measured on club boards: players set down within an eighth of a square
            turn_deg: 30.0,
            unlike: 0.06,
            grain: 0.35,
            scale: 1.0,
            heights: [1.0; 6],
            gloss: 0.35,
            glass: [0.0; 2],
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
