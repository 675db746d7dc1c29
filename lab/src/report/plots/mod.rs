//! Curves, bars and grids as SVG.
//!
//! Plotters writes colours as attributes. A rule of a style sheet outranks an attribute, so the page's style gives
//! every colour of the plots a second look on a dark ground; a plot alone, without the page, is for a light one.

mod bars;
mod calibration;
mod curves;
mod grid;

pub use bars::{counts, shares, spreads, stretches};
pub use calibration::calibration;
pub use curves::{ladder, survivors};
pub use grid::Grid;

use plotters::{
    backend::SVGBackend,
    coord::Shift,
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _},
    style::{
        Color as _, IntoFont as _, RGBColor, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

/// Why a plot could not be drawn, in plotters' words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this plot could not be drawn: {0}")]
pub struct PlotError(String);

/// Letters and axes.
const INK: RGBColor = RGBColor(0, 0, 0);
/// Lines that help to read a value.
const RULE: RGBColor = RGBColor(204, 204, 204);
/// What was measured: the blue of Okabe and Ito, which everybody tells from their vermilion.
const MEASURED: RGBColor = RGBColor(0, 114, 178);
/// What is to be looked at: faults and limits.
const WARNING: RGBColor = RGBColor(213, 94, 0);
/// Plots are drawn for a width of 960 and shown at half of that or less: plotters places everything on whole pixels.
const WIDTH_PX: u32 = 960;
/// Height of a plot with two axes.
const HEIGHT_PX: u32 = 600;
/// Size of letters as plotters counts it, 27 pixels in the SVG: still 10 on a phone 360 pixels wide.
const LETTERS_PX: i32 = 34;
/// From one row of bars or cells to the next.
const ROW_PX: i32 = 56;

type DrawError = DrawingAreaErrorKind<std::io::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Text in the plots' letters, hung up at its `across` and `down`.
fn letters(across: HPos, down: VPos) -> TextStyle<'static> {
    ("sans-serif", LETTERS_PX).into_font().color(&INK).pos(Pos::new(across, down))
}

/// Draws into a new SVG. `says` is what a screen reader says of it.
fn svg(height_px: u32, says: &str, draw: impl FnOnce(&Area<'_>) -> Result<(), DrawError>) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH_PX, height_px)).into_drawing_area();
        draw(&area).map_err(|e| PlotError(e.to_string()))?;
        area.present().map_err(|e| PlotError(e.to_string()))?;
    }
    let label = maud::html!(svg role="img" aria-label=(says) {}).into_string();
    let label = label.trim_end_matches("></svg>");
    Ok(text.replacen("<svg", label, 1))
}

/// `text`, or its beginning and `…`, so that it is at most so many letters long.
fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.into();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// A see-through version.
fn pale(colour: RGBColor, opacity: f64) -> plotters::style::RGBAColor {
    colour.mix(opacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_has_a_look_of_its_own_on_a_dark_ground() {
        let style = include_str!("../style.css");
        for (colour, name) in [(INK, "--ink"), (RULE, "--rule"), (MEASURED, "--measured"), (WARNING, "--warning")] {
            let hex = format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
            for kind in ["fill", "stroke"] {
                let rule = format!("svg [{kind}=\"{hex}\"] {{ {kind}: var({name}); }}");
                assert!(style.contains(&rule), "{rule}");
            }
            // Once for light, once for dark.
            let looks: Vec<&str> = style.split(&format!("{name}: #")).skip(1).map(|rest| &rest[..6]).collect();
            assert!(looks.len() == 2 && looks[0] != looks[1], "{name}: {looks:?}");
        }
    }

    #[test]
    fn long_names_are_shortened() {
        assert_eq!(shortened("dusk", 4), "dusk");
        assert_eq!(shortened("dämmer", 4), "däm…");
    }
}
