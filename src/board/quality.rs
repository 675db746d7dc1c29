//! Can anything be found in a picture? Asked where nothing was.

use super::plane::Plane;
use crate::frame::Frame;

/// Luminance that only a fiftieth of a picture exceeds, under which it is dark: squares must differ by ten levels to be
/// found, and differ by a third of the lighter ones' luminance or less.
const DARK: f32 = 40.0;
/// Width of the sharpest edges from which a picture is blurred, in pixels: that of the smallest squares that are found.
const BLURRED_PX: f32 = 8.0;
/// Distance over which an edge of any width is told, in pixels: twice [`BLURRED_PX`].
const FAR_PX: usize = 16;
/// Share of the pixels that show no edge.
const NO_EDGE: f64 = 0.99;

/// What keeps everything from being found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It is nearly black.
    Dark,
    /// Its sharpest edges are so many pixels wide.
    Blurred(f32),
}

/// What is wrong with a picture in which nothing is found; `None` where it is light and sharp.
#[must_use]
pub fn fault(frame: &Frame<'_>) -> Option<Fault> {
    let plane = Plane::reduced(frame, 1);
    if quantile(plane.data.iter().copied(), 0.98) < DARK {
        return Some(Fault::Dark);
    }
    if plane.width <= FAR_PX || plane.height <= FAR_PX {
        return None;
    }
    // Blur by motion spares one direction, and a board has edges in both.
    let widths = [1, plane.width].map(|step| edge_px(&plane, step));
    let widest = widths[0].max(widths[1]);
    (widest >= BLURRED_PX).then_some(Fault::Blurred(widest))
}

/// Width of the sharpest edges along rows (`step` 1) or columns (`step` of a row): what an edge differs by over a long way,
/// over what it differs by from pixel to pixel.
fn edge_px(plane: &Plane, step: usize) -> f32 {
    let across = |way: usize| {
        let way = way * step;
        let differences = plane.data.iter().zip(&plane.data[way..]).map(|(a, b)| (a - b).abs());
        quantile(differences, NO_EDGE)
    };
    across(FAR_PX) / across(1).max(f32::EPSILON)
}

/// The value that a share of the values does not exceed, in levels from 0 to 255, to a sixteenth.
fn quantile(values: impl Iterator<Item = f32>, share: f64) -> f32 {
    const PER_LEVEL: f32 = 16.0;
    let mut counts = [0_u32; 4097];
    let mut all = 0.0;
    for value in values {
        counts[((value * PER_LEVEL) as usize).min(4096)] += 1;
        all += 1.0;
    }
    let mut seen = 0.0;
    let level = counts.iter().position(|count| {
        seen += f64::from(*count);
        seen >= share * all
    });
    level.unwrap_or(0) as f32 / PER_LEVEL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    /// Chequers of 24 pixels whose edges are ramps of so many pixels along x, between two levels.
    fn chequers(ramp_px: f32, levels: [f32; 2]) -> Vec<u8> {
        (0..240 * 240)
            .map(|i| {
                let (x, y) = (i % 240, i / 240);
                let from_edge = (x % 24).min(24 - x % 24) as f32;
                let side = if (x / 24 + y / 24) % 2 == 0 { 1.0 } else { -1.0 };
                let s = 0.5 + 0.5 * side * (2.0 * from_edge / ramp_px).min(1.0);
                (levels[0] + s * (levels[1] - levels[0])) as u8
            })
            .collect()
    }

    fn fault_of(data: &[u8]) -> Option<Fault> {
        fault(&Frame::new(240, 240, 240, PixelFormat::Mono8, data).expect("a frame"))
    }

    #[test]
    fn light_and_sharp_pictures_have_no_fault() {
        assert_eq!(fault_of(&chequers(1.0, [60.0, 180.0])), None);
        assert_eq!(fault_of(&[200; 240 * 240]), None);
    }

    #[test]
    fn dark_and_blurred_pictures_have_one() {
        assert_eq!(fault_of(&chequers(1.0, [5.0, 30.0])), Some(Fault::Dark));
        let blurred = fault_of(&chequers(14.0, [60.0, 180.0]));
        assert!(matches!(blurred, Some(Fault::Blurred(px)) if (8.0..20.0).contains(&px)), "{blurred:?}");
    }

    #[test]
    fn a_picture_of_a_pixel_is_no_trouble() {
        assert_eq!(fault(&Frame::new(1, 1, 1, PixelFormat::Mono8, &[255]).expect("a frame")), None);
    }
}
