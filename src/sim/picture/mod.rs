//! What does the camera make of it? From things to bytes.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`raster`] | what does each sample of the camera see first? |
//! | [`sieve`] | which samples of a glass man show it, and which what is behind it? |
//! | [`solid`] | what of a thing can be prepared once and drawn often? |
//! | [`texture`], [`surface`] | which colours have board and table, and what is seen beside the things? |
//! | [`boxes`] | where in the world is what a tile shows? |
//! | [`moving`] | what do moving things and their shadows touch? |
//! | [`tiles`] | which parts of a picture must be drawn again? |
//! | [`render`] | how much light comes to each pixel? |
//! | [`sensor`] | which bytes come of it? (blur, vignetting, haze, exposure, noise) |
//! | [`blur`] | how does a lens spread it? |
//! | [`readout`] | what do focus and readout do to the light? |
//! | [`mjpeg`] | what does the camera's compression leave of them? |
//! | [`damage`] | what does a disturbed transmission leave of a picture? |

pub(crate) mod blur;
pub(crate) mod boxes;
pub(crate) mod damage;
pub(crate) mod mjpeg;
pub(crate) mod moving;
pub(crate) mod raster;
pub(crate) mod readout;
pub(crate) mod render;
pub(crate) mod sensor;
pub(crate) mod sieve;
pub(crate) mod solid;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod tiles;
