//! What is known, drawn into the picture.

mod signs;

use font8x8::UnicodeFonts as _;
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut, draw_line_segment_mut};
use shakmaty::{Board, Color, Piece, Square};

use super::report::TrackerState;
use crate::{
    board::{
        geometry::{BoardPoint, ImagePoint, Projection, square_centre},
        map::BoardMap,
        outline::silhouette,
    },
    frame::Frame,
    sight::squares::Squares,
};

pub(super) const GRID: Rgb<u8> = Rgb([60, 220, 90]);
pub(super) const CHANGE: Rgb<u8> = Rgb([255, 210, 0]);
pub(super) const WHITE: Rgb<u8> = Rgb([255, 255, 255]);
/// Outlines: neither white nor black, which the men and squares are.
const WHITE_MAN: Rgb<u8> = Rgb([255, 120, 200]);
const BLACK_MAN: Rgb<u8> = Rgb([70, 170, 255]);
pub(super) const BLACK: Rgb<u8> = Rgb([0, 0, 0]);
/// Doubt, as a tint and as the state's word.
pub(super) const DOUBT: Rgb<u8> = Rgb([255, 150, 0]);

/// Colour of the state's word: green where all is well, amber while waiting, red where somebody should look.
pub(super) const fn state_colour(state: TrackerState) -> (&'static str, Rgb<u8>) {
    match state {
        TrackerState::NoBoard => ("searching for the board", Rgb([255, 90, 60])),
        TrackerState::Following => ("following", GRID),
        TrackerState::Disturbed => ("something moves", CHANGE),
        TrackerState::Doubt => ("in doubt", DOUBT),
        TrackerState::Illegal => ("illegal position", Rgb([255, 60, 60])),
        TrackerState::Paused => ("paused", CHANGE),
        TrackerState::Over => ("game over", GRID),
    }
}

/// What is to be drawn.
#[derive(Debug)]
pub(super) struct Drawing<'a> {
    /// Where the board is; `None` while it is not known.
    pub(super) map: Option<&'a BoardMap>,
    /// The camera over it, where its pose is known.
    pub(super) camera: Option<Projection>,
    /// The men believed to stand there.
    pub(super) men: &'a Board,
    /// Squares of the last move.
    pub(super) change: &'a [Square],
    /// What the last look said of each square; `None` before the first one.
    pub(super) squares: Option<&'a Squares>,
    /// What the tracker is doing.
    pub(super) state: TrackerState,
}

/// The picture with the board's grid, the men believed to stand on it, and the last change.
pub(super) fn draw(frame: &Frame<'_>, seen: &Drawing<'_>) -> RgbImage {
    let mut picture = frame.to_rgb();
    let scale = (picture.width() / 640).max(1);
    if let Some(plane) = seen.map {
        if let Some(squares) = seen.squares {
            signs::tell(&mut picture, plane, squares);
        }
        for k in 0..=8 {
            let k = f64::from(k);
            line(&mut picture, plane, [k, 0.0], [k, 8.0], GRID);
            line(&mut picture, plane, [0.0, k], [8.0, k], GRID);
        }
        for square in seen.change {
            frame_square(&mut picture, plane, *square);
        }
        if let Some(camera) = &seen.camera {
            outlines(&mut picture, plane, camera, seen.men);
        }
        let radius = (plane.corners().square_px() * 0.1).clamp(2.0, 400.0) as i32;
        for (square, piece) in seen.men.clone() {
            let Some(at) = pixel(&picture, plane.to_image(square_centre(square))) else { continue };
            let (fill, ring) = if piece.color == Color::White { (WHITE, BLACK) } else { (BLACK, WHITE) };
            draw_filled_circle_mut(&mut picture, at, radius, fill);
            draw_hollow_circle_mut(&mut picture, at, radius, ring);
            let letter = piece.role.upper_char();
            text(&mut picture, (at.0 - 4, at.1 - 4), &letter.to_string(), 1, ring);
        }
        if let Some(squares) = seen.squares {
            signs::mark(&mut picture, plane, seen.men, squares, radius);
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
    let (word, colour) = state_colour(seen.state);
    text(&mut picture, (6, 6), word, scale + 1, colour);
    if seen.map.is_some() && seen.squares.is_some() {
        signs::legend(&mut picture, scale);
    }
    picture
}

/// The outlines of the men, those in front hiding those behind.
fn outlines(picture: &mut RgbImage, map: &BoardMap, camera: &Projection, men: &Board) {
    let eye = camera.camera_centre();
    // A camera without a place (w of 0) looks along a direction; then the farthest along it comes first.
    let depth = |square: Square| {
        let centre = square_centre(square);
        if eye.w.abs() > 1e-9 {
            (centre.x - eye.x / eye.w).hypot(centre.y - eye.y / eye.w)
        } else {
            -(centre.x * eye.x + centre.y * eye.y)
        }
    };
    let mut order: Vec<(Square, Piece)> = men.clone().into_iter().collect();
    order.sort_by(|a, b| depth(b.0).total_cmp(&depth(a.0)));
    let (width, height) = (picture.width() as i32, picture.height() as i32);
    // Who is seen where: 0 for nobody, else one more than a place in `order`.
    let mut shown = vec![0_u8; (width * height) as usize];
    for (number, (square, piece)) in (1..).zip(&order) {
        let Some(image) = silhouette(camera, map.lens(), piece.role, *square) else { continue };
        for part in image.parts() {
            fill(part, (width, height), |at| shown[at] = number);
        }
    }
    let colour = |number: u8| match number.checked_sub(1).and_then(|i| order.get(usize::from(i))) {
        Some((_, piece)) if piece.color == Color::White => WHITE_MAN,
        _ => BLACK_MAN,
    };
    let at = |x: i32, y: i32| shown[(y * width + x) as usize];
    let step = (width / 1280).max(1);
    for y in 0..height - step {
        for x in 0..width - step {
            let here = at(x, y);
            let edge = [at(x + step, y), at(x, y + step)].into_iter().find(|other| *other != here);
            // Between two men the line belongs to the one in front.
            if let Some(other) = edge {
                picture.put_pixel(x as u32, y as u32, colour(here.max(other)));
            }
        }
    }
}

/// Calls `put` with the index of every pixel inside a convex polygon.
fn fill(polygon: &[ImagePoint], (width, height): (i32, i32), mut put: impl FnMut(usize)) {
    let (low, high) =
        polygon.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.y), high.max(p.y)));
    for y in (low.ceil().max(0.0) as i32)..=(high.floor().min(f64::from(height - 1)) as i32) {
        let line = f64::from(y);
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for (a, b) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            if (a.y <= line) != (b.y <= line) {
                let x = a.x + (b.x - a.x) * (line - a.y) / (b.y - a.y);
                (left, right) = (left.min(x), right.max(x));
            }
        }
        if left <= right {
            let inside = (left.ceil().max(0.0) as i32)..=(right.floor().min(f64::from(width - 1)) as i32);
            inside.for_each(|x| put((y * width + x) as usize));
        }
    }
}

pub(super) fn line(picture: &mut RgbImage, plane: &BoardMap, from: [f64; 2], to: [f64; 2], colour: Rgb<u8>) {
    let (a, b) = (plane.to_image(BoardPoint::from(from)), plane.to_image(BoardPoint::from(to)));
    if within_reach(picture, a) && within_reach(picture, b) {
        draw_line_segment_mut(picture, (a.x as f32, a.y as f32), (b.x as f32, b.y as f32), colour);
    }
}

/// Far outside the picture there is nothing to draw, and coordinates without bound take for ever.
fn within_reach(picture: &RgbImage, p: ImagePoint) -> bool {
    let bound = 4.0 * f64::from(picture.width().max(picture.height()));
    p.x.abs() < bound && p.y.abs() < bound
}

fn frame_square(picture: &mut RgbImage, plane: &BoardMap, square: Square) {
    let centre = square_centre(square);
    for inset in [0.46, 0.43, 0.40] {
        let corners = [[-inset, -inset], [inset, -inset], [inset, inset], [-inset, inset]]
            .map(|[x, y]| [centre.x + x, centre.y + y]);
        for k in 0..4 {
            line(picture, plane, corners[k], corners[(k + 1) % 4], CHANGE);
        }
    }
}

pub(super) fn pixel(picture: &RgbImage, at: ImagePoint) -> Option<(i32, i32)> {
    let inside =
        (0.0..f64::from(picture.width())).contains(&at.x) && (0.0..f64::from(picture.height())).contains(&at.y);
    inside.then_some((at.x as i32, at.y as i32))
}

/// Eight by eight letters with a dark edge, so that they read on any board.
pub(super) fn text(picture: &mut RgbImage, (x, y): (i32, i32), words: &str, scale: u32, colour: Rgb<u8>) {
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
