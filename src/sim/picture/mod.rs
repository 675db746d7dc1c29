//! What does the camera make of it? From things to bytes.
//!
//! | file | question it answers |
//! | --- | --- |
//! | [`raster`] | what does each sample of the camera see first? |
//! | [`solid`] | what of a thing can be prepared once and drawn often? |
//! | [`texture`], [`surface`] | which colours have board and table, and what is seen beside the things? |
//! | [`tiles`] | which parts of a picture must be drawn again? |
//! | [`render`] | how much light comes to each pixel? |
//! | [`sensor`] | which bytes come of it? (blur, vignetting, haze, exposure, noise) |
//! | [`mjpeg`] | what does the camera's compression leave of them? |

pub mod mjpeg;
pub mod raster;
pub mod render;
pub mod sensor;
pub mod solid;
pub mod surface;
pub mod texture;
pub mod tiles;
