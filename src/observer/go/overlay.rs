//! What is known of a Go board, drawn into the picture.

use image::RgbImage;
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut};

use crate::{
    board::grid::Grid,
    frame::Frame,
    go::{Content, Look, Point},
    observer::{
        overlay::{BLACK, CHANGE, DOUBT, GRID, WHITE, line, pixel, state_colour, text},
        report::TrackerState,
    },
};

/// Share of a crossing that must be hidden for it to be marked.
const HIDDEN: f64 = 0.5;

/// The picture with the board's lines, the stones believed to lie there, and the last play.
pub(super) fn draw(
    frame: &Frame<'_>,
    grid: Option<&Grid>,
    standing: &[Content],
    last: Option<Point>,
    look: Option<&Look>,
    state: TrackerState,
) -> RgbImage {
    let mut picture = frame.to_rgb();
    let scale = (picture.width() / 640).max(1);
    if let Some(grid) = grid {
        lines(&mut picture, grid);
        stones(&mut picture, grid, standing, last);
        if let Some(look) = look.filter(|look| look.size == grid.size()) {
            doubts(&mut picture, grid, standing, look);
        }
        names(&mut picture, grid, scale);
    }
    let (word, colour) = state_colour(state);
    text(&mut picture, (6, 6), word, scale + 1, colour);
    picture
}

fn lines(picture: &mut RgbImage, grid: &Grid) {
    let end = f64::from(grid.size().lines() - 1);
    for k in 0..grid.size().lines() {
        let k = f64::from(k);
        line(picture, grid.map(), [k, 0.0], [k, end], GRID);
        line(picture, grid.map(), [0.0, k], [end, k], GRID);
    }
}

fn radius(grid: &Grid, point: Point, share: f64) -> i32 {
    (grid.spacing_px_at(f64::from(point.x), f64::from(point.y)) * share).clamp(2.0, 200.0) as i32
}

fn place(picture: &RgbImage, grid: &Grid, point: Point) -> Option<(i32, i32)> {
    pixel(picture, grid.image_from_board(f64::from(point.x), f64::from(point.y)))
}

fn stones(picture: &mut RgbImage, grid: &Grid, standing: &[Content], last: Option<Point>) {
    for (point, content) in grid.size().points().zip(standing) {
        let Some(at) = place(picture, grid, point) else { continue };
        let (fill, ring) = match content {
            Content::Empty => continue,
            Content::Black => (BLACK, WHITE),
            Content::White => (WHITE, BLACK),
        };
        let size = radius(grid, point, 0.22);
        draw_filled_circle_mut(picture, at, size, fill);
        draw_hollow_circle_mut(picture, at, size, ring);
        if last == Some(point) {
            (1..=2).for_each(|k| draw_hollow_circle_mut(picture, at, size + k, CHANGE));
        }
    }
}

/// Crossings that are hidden, and those that show something else than is believed.
fn doubts(picture: &mut RgbImage, grid: &Grid, standing: &[Content], look: &Look) {
    for ((point, content), seen) in grid.size().points().zip(standing).zip(&look.seen) {
        let Some(at) = place(picture, grid, point) else { continue };
        let size = radius(grid, point, 0.35);
        if seen.covered > HIDDEN {
            draw_hollow_circle_mut(picture, at, size, BLACK);
        } else if seen.likeliest() != *content {
            (0..2).for_each(|k| draw_hollow_circle_mut(picture, at, size + k, DOUBT));
        }
    }
}

fn names(picture: &mut RgbImage, grid: &Grid, scale: u32) {
    let size = grid.size();
    for k in 0..size.lines() {
        let column = Point::new(k, 0).name(size);
        let row = Point::new(0, k).name(size);
        let end = f64::from(size.lines()) - 0.1;
        for (x, y, name) in [(f64::from(k), end, &column[..1]), (-0.9, f64::from(k), &row[1..])] {
            if let Some(at) = pixel(picture, grid.image_from_board(x, y)) {
                text(picture, (at.0 - 4, at.1 - 4), name, scale, GRID);
            }
        }
    }
}
