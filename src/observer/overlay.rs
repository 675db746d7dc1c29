//! What is known, drawn into the picture.

use font8x8::UnicodeFonts as _;
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut, draw_line_segment_mut};
use shakmaty::{Board, Color, Square};

use super::report::TrackerState;
use crate::{
    board::geometry::{BoardPoint, ImagePoint, square_centre},
    board::map::BoardMap,
    frame::Frame,
    sight::view::View,
};

const GRID: Rgb<u8> = Rgb([60, 220, 90]);
const CHANGE: Rgb<u8> = Rgb([255, 210, 0]);
const WHITE: Rgb<u8> = Rgb([255, 255, 255]);
const BLACK: Rgb<u8> = Rgb([0, 0, 0]);

/// Colour of the state's word: green where all is well, amber while waiting, red where somebody should look.
const fn state_colour(state: TrackerState) -> (&'static str, Rgb<u8>) {
    match state {
        TrackerState::NoBoard => ("searching for the board", Rgb([255, 90, 60])),
        TrackerState::Following => ("following", GRID),
        TrackerState::Disturbed => ("something moves", CHANGE),
        TrackerState::Doubt => ("in doubt", Rgb([255, 150, 0])),
        TrackerState::Illegal => ("illegal position", Rgb([255, 60, 60])),
        TrackerState::Paused => ("paused", CHANGE),
        TrackerState::Over => ("game over", GRID),
    }
}

/// The picture with the board's grid, the men believed to stand on it, and the last change.
pub(super) fn draw(
    frame: &Frame<'_>,
    view: Option<&View>,
    men: &Board,
    change: &[Square],
    state: TrackerState,
) -> RgbImage {
    let mut picture = frame.to_rgb();
    let scale = (picture.width() / 640).max(1);
    if let Some(view) = view {
        let plane = view.image_from_board();
        for k in 0..=8 {
            let k = f64::from(k);
            line(&mut picture, plane, [k, 0.0], [k, 8.0], GRID);
            line(&mut picture, plane, [0.0, k], [8.0, k], GRID);
        }
        for square in change {
            outline(&mut picture, plane, *square);
        }
        let radius = (plane.corners().square_px() * 0.1).clamp(2.0, 400.0) as i32;
        for (square, piece) in men {
            let Some(at) = pixel(&picture, plane.to_image(square_centre(square))) else { continue };
            let (fill, ring) = if piece.color == Color::White { (WHITE, BLACK) } else { (BLACK, WHITE) };
            draw_filled_circle_mut(&mut picture, at, radius, fill);
            draw_hollow_circle_mut(&mut picture, at, radius, ring);
            let letter = piece.role.upper_char();
            text(&mut picture, (at.0 - 4, at.1 - 4), &letter.to_string(), 1, ring);
        }
        for k in 0..8u8 {
            let middle = f64::from(k) + 0.5;
            for (point, name) in [([middle, -0.4], (b'a' + k) as char), ([-0.4, middle], (b'1' + k) as char)] {
                if let Some(at) = pixel(&picture, plane.to_image(BoardPoint::from(point))) {
                    text(&mut picture, (at.0 - 4, at.1 - 4), &name.to_string(), scale, GRID);
                }
            }
        }
    }
    let (word, colour) = state_colour(state);
    text(&mut picture, (6, 6), word, scale + 1, colour);
    picture
}

fn line(picture: &mut RgbImage, plane: &BoardMap, from: [f64; 2], to: [f64; 2], colour: Rgb<u8>) {
    let (a, b) = (plane.to_image(BoardPoint::from(from)), plane.to_image(BoardPoint::from(to)));
    // Far outside the picture there is nothing to draw, and coordinates without bound take for ever.
    let bound = 4.0 * f64::from(picture.width().max(picture.height()));
    if [a.x, a.y, b.x, b.y].iter().all(|v| v.abs() < bound) {
        draw_line_segment_mut(picture, (a.x as f32, a.y as f32), (b.x as f32, b.y as f32), colour);
    }
}

fn outline(picture: &mut RgbImage, plane: &BoardMap, square: Square) {
    let centre = square_centre(square);
    for inset in [0.46, 0.43, 0.40] {
        let corners = [[-inset, -inset], [inset, -inset], [inset, inset], [-inset, inset]]
            .map(|[x, y]| [centre.x + x, centre.y + y]);
        for k in 0..4 {
            line(picture, plane, corners[k], corners[(k + 1) % 4], CHANGE);
        }
    }
}

fn pixel(picture: &RgbImage, at: ImagePoint) -> Option<(i32, i32)> {
    let inside =
        (0.0..f64::from(picture.width())).contains(&at.x) && (0.0..f64::from(picture.height())).contains(&at.y);
    inside.then_some((at.x as i32, at.y as i32))
}

/// Eight by eight letters with a dark edge, so that they read on any board.
fn text(picture: &mut RgbImage, (x, y): (i32, i32), words: &str, scale: u32, colour: Rgb<u8>) {
    let scale = scale as i32;
    let mut put = |px: i32, py: i32, c: Rgb<u8>| {
        if px >= 0 && py >= 0 && (px as u32) < picture.width() && (py as u32) < picture.height() {
            picture.put_pixel(px as u32, py as u32, c);
        }
    };
    for (offset, c) in [(1, BLACK), (0, colour)] {
        for (k, letter) in words.chars().enumerate() {
            let Some(rows) = font8x8::BASIC_FONTS.get(letter) else { continue };
            for (row, bits) in rows.iter().enumerate() {
                for column in (0..8).filter(|b| bits >> b & 1 == 1) {
                    for dy in 0..scale {
                        for dx in 0..scale {
                            let px = x + (k as i32 * 8 + column) * scale + dx + offset;
                            put(px, y + row as i32 * scale + dy + offset, c);
                        }
                    }
                }
            }
        }
    }
}
