//! Colours as they are written, and the light that they stand for.

use crate::sim::math::{self, V3};

/// A colour as sRGB bytes: red, green, blue.
pub type Srgb = [u8; 3];

/// Linear light of an sRGB colour.
#[must_use]
pub fn linear(colour: Srgb) -> V3 {
    let channel = |v: u8| {
        let v = f32::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { math::pow((f64::from(v) + 0.055) / 1.055, 2.4) as f32 }
    };
    V3::new(channel(colour[0]), channel(colour[1]), channel(colour[2]))
}
