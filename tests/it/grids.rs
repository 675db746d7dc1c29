//! Pictures of regular patterns that are no chessboard: floors, cloths, other games, targets, keyboards, façades.
//!
//! A pattern is a colour for each point of a plane, one cell a unit, its middle at the origin. It is shown by a camera
//! with a slight blur, uneven light, a highlight and noise; everything comes from the number of the view.

use chess_observer::sim::dice::{Dice, mix};
use image::{Rgb, RgbImage};
use imageproc::filter::gaussian_blur_f32;
use nalgebra::{Rotation3, Vector3};

type Colour = [f64; 3];

/// A pattern that is no chessboard.
pub struct Pattern {
    pub name: &'static str,
    /// Cells across the picture, least and most.
    shown: [f64; 2],
    colour: fn(f64, f64) -> Colour,
}

const WHITE: Colour = [236.0, 234.0, 226.0];
const BLACK: Colour = [30.0, 30.0, 32.0];
const GREY: Colour = [128.0, 126.0, 122.0];
const TABLE: Colour = [112.0, 84.0, 60.0];
const RED: Colour = [186.0, 40.0, 36.0];
const BLUE: Colour = [52.0, 84.0, 150.0];
const GREEN: Colour = [46.0, 104.0, 62.0];
const CREAM: Colour = [226.0, 204.0, 164.0];
const WALNUT: Colour = [112.0, 70.0, 42.0];
const BOX: Colour = [214.0, 176.0, 122.0];

/// A number 0 to 1 that belongs to a cell.
fn chance(x: f64, y: f64, purpose: u64) -> f64 {
    let key = (x.floor() as i64 as u64) ^ mix((y.floor() as i64 as u64) ^ mix(purpose));
    (mix(key) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Distance from the nearest whole number.
fn off(v: f64) -> f64 {
    (v - v.round()).abs()
}

fn odd(x: f64, y: f64) -> bool {
    (x.floor() + y.floor()).rem_euclid(2.0) > 0.5
}

fn blend(a: Colour, b: Colour, share: f64) -> Colour {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

/// Is a point within a field of `columns` by `rows` cells around the origin?
fn within(x: f64, y: f64, columns: f64, rows: f64) -> bool {
    x.abs() < columns / 2.0 && y.abs() < rows / 2.0
}

/// Chequers of `columns` by `rows` cells with a margin on a ground.
fn chequers(x: f64, y: f64, size: [f64; 2], colours: [Colour; 2], margin: (f64, Colour), ground: Colour) -> Colour {
    if within(x, y, size[0], size[1]) {
        colours[usize::from(odd(x + size[0] / 2.0, y + size[1] / 2.0))]
    } else if within(x, y, size[0] + 2.0 * margin.0, size[1] + 2.0 * margin.0) {
        margin.1
    } else {
        ground
    }
}

/// Tiles with grout between them.
fn tiles(x: f64, y: f64, grout: (f64, Colour), tile: impl Fn(f64, f64) -> Colour) -> Colour {
    if off(x) < grout.0 || off(y) < grout.0 { grout.1 } else { tile(x, y) }
}

/// Lines of a game board, and round pieces on some of its crossings or cells.
fn ruled(x: f64, y: f64, lines: [f64; 2], pieces: f64) -> Colour {
    let (u, v) = (x + (lines[0] - 1.0) / 2.0, y + (lines[1] - 1.0) / 2.0);
    if !within(x, y, lines[0] + 1.2, lines[1] + 1.2) {
        return TABLE;
    }
    let inside = |m: f64| (-m..=lines[0] - 1.0 + m).contains(&u) && (-m..=lines[1] - 1.0 + m).contains(&v);
    let dice = chance(u.round(), v.round(), 3);
    if inside(0.4) && (u - u.round()).hypot(v - v.round()) < 0.46 && dice < pieces {
        return if dice < pieces / 2.0 { BLACK } else { WHITE };
    }
    if inside(0.04) && (off(u) < 0.04 || off(v) < 0.04) { BLACK } else { BOX }
}

fn draughts(x: f64, y: f64, n: f64, rows_of_men: f64) -> Colour {
    let ground = chequers(x, y, [n, n], [WALNUT, BOX], (0.6, [80.0, 48.0, 30.0]), TABLE);
    let (u, v) = (x + n / 2.0, y + n / 2.0);
    let man = within(x, y, n, n) && !odd(u, v) && (u - u.floor() - 0.5).hypot(v - v.floor() - 0.5) < 0.4;
    match v.floor() {
        row if man && row < rows_of_men => WHITE,
        row if man && row >= n - rows_of_men => BLACK,
        _ => ground,
    }
}

/// Cloth woven of two colours in both directions; `stripe` is the share of the second at a place along a thread.
fn woven(x: f64, y: f64, colours: [Colour; 2], stripe: fn(f64) -> f64) -> Colour {
    blend(colours[0], colours[1], 0.5 * (stripe(x) + stripe(y)))
}

fn second_half(t: f64) -> f64 {
    f64::from(u8::from(t.rem_euclid(2.0) > 1.0))
}

fn keys(x: f64, y: f64, key: Colour, ground: Colour) -> Colour {
    let row = y.floor();
    let u = x + 0.25 * row;
    if !within(x, y, 14.5, 5.2) {
        return if within(x, y, 15.5, 6.2) { ground } else { TABLE };
    }
    let (a, b) = (u - u.floor() - 0.5, y - row - 0.5);
    let letter = a.abs() < 0.13 && b.abs() < 0.17 && chance(u * 12.0, y * 12.0, 5) < 0.5;
    match (a.abs().max(b.abs()) < 0.41, letter) {
        (true, true) => ground,
        (true, false) => key,
        _ => blend(ground, BLACK, 0.3),
    }
}

fn crossword(x: f64, y: f64, n: f64, share: f64) -> Colour {
    let (u, v) = (x + n / 2.0, y + n / 2.0);
    if !within(x, y, n, n) {
        return if within(x, y, n + 0.1, n + 0.1) { BLACK } else { WHITE };
    }
    // Symmetrical about its middle, as they are in newspapers.
    let (a, b) = if v.floor() * n + u.floor() <= (n * n - 1.0) / 2.0 { (u, v) } else { (n - u, n - v) };
    let black = chance(a, b, 9) < share;
    if black || off(u) < 0.03 || off(v) < 0.03 { BLACK } else { WHITE }
}

fn square_marker(x: f64, y: f64, id: f64) -> Colour {
    // Within 0..1: a black frame around six by six random bits.
    let inner = (0.125..0.875).contains(&x) && (0.125..0.875).contains(&y);
    if inner && chance(x * 8.0, y * 8.0 + 64.0 * id, 21) < 0.5 { WHITE } else { BLACK }
}

fn spots(x: f64, y: f64, purpose: u64, colours: [Colour; 2]) -> Colour {
    // Value noise in three octaves: blobs like those of rooms, clothes, faces.
    let mut sum = 0.0;
    for octave in 0..3 {
        let f = f64::from(1 << octave);
        let (u, v) = (x * f, y * f);
        let (a, b) = (u - u.floor(), v - v.floor());
        let (a, b) = (a * a * (3.0 - 2.0 * a), b * b * (3.0 - 2.0 * b));
        let at = |i: f64, j: f64| chance(u.floor() + i, v.floor() + j, purpose + octave);
        let top = at(0.0, 0.0) * (1.0 - a) + at(1.0, 0.0) * a;
        let bottom = at(0.0, 1.0) * (1.0 - a) + at(1.0, 1.0) * a;
        sum += (top * (1.0 - b) + bottom * b) / f;
    }
    blend(colours[0], colours[1], (sum / 1.75).clamp(0.0, 1.0))
}

/// Every kind.
pub const PATTERNS: &[Pattern] = &[
    // Chequers of other numbers of cells.
    p("draughts 10x10", [11.0, 16.0], |x, y| draughts(x, y, 10.0, 0.0)),
    p("draughts 10x10 with men", [11.0, 16.0], |x, y| draughts(x, y, 10.0, 4.0)),
    p("draughts 12x12", [13.0, 19.0], |x, y| draughts(x, y, 12.0, 0.0)),
    p("draughts 12x12 with men", [13.0, 19.0], |x, y| draughts(x, y, 12.0, 5.0)),
    p("floor black and white", [9.0, 24.0], |x, y| chequers(x, y, [1e3; 2], [BLACK, WHITE], (0.0, GREY), GREY)),
    p("floor large", [9.0, 13.0], |x, y| chequers(x, y, [1e3; 2], [WALNUT, CREAM], (0.0, GREY), GREY)),
    p("floor terracotta, grout", [9.0, 24.0], |x, y| {
        tiles(x, y, (0.03, GREY), |x, y| if odd(x, y) { [176.0, 92.0, 64.0] } else { CREAM })
    }),
    p("floor, few tiles unlike", [9.0, 20.0], |x, y| {
        let c = chequers(x, y, [1e3; 2], [GREY, WHITE], (0.0, GREY), GREY);
        blend(c, BLACK, 0.35 * chance(x, y, 31))
    }),
    p("rug 6x9", [9.0, 14.0], |x, y| chequers(x, y, [6.0, 9.0], [BLUE, CREAM], (0.7, RED), TABLE)),
    p("rug 12x18", [13.0, 24.0], |x, y| chequers(x, y, [12.0, 18.0], [RED, CREAM], (0.5, CREAM), TABLE)),
    p("target 9x6 squares", [13.0, 17.0], |x, y| chequers(x, y, [9.0, 6.0], [BLACK, WHITE], (0.9, WHITE), GREY)),
    p("target 10x7 squares", [13.0, 17.0], |x, y| chequers(x, y, [10.0, 7.0], [BLACK, WHITE], (0.9, WHITE), GREY)),
    p("target 9x9 squares", [13.0, 17.0], |x, y| chequers(x, y, [9.0, 9.0], [BLACK, WHITE], (0.9, WHITE), GREY)),
    p("target 9x8 squares", [13.0, 17.0], |x, y| chequers(x, y, [9.0, 8.0], [BLACK, WHITE], (0.9, WHITE), GREY)),
    p("target 7x7 squares", [8.0, 12.0], |x, y| chequers(x, y, [7.0, 7.0], [BLACK, WHITE], (0.9, WHITE), GREY)),
    p("target 12x9 squares", [13.0, 18.0], |x, y| chequers(x, y, [12.0, 9.0], [BLACK, WHITE], (0.9, WHITE), TABLE)),
    p("target 6x5 squares", [7.0, 12.0], |x, y| chequers(x, y, [6.0, 5.0], [BLACK, WHITE], (0.9, WHITE), TABLE)),
    p("target with markers", [9.0, 13.0], |x, y| {
        let c = chequers(x, y, [8.0, 11.0], [BLACK, WHITE], (0.6, WHITE), GREY);
        let (u, v) = (x + 4.0, y + 5.5);
        let (a, b) = ((u - u.floor() - 0.15) / 0.7, (v - v.floor() - 0.15) / 0.7);
        let marker = within(x, y, 8.0, 11.0) && odd(u, v) && (0.0..1.0).contains(&a) && (0.0..1.0).contains(&b);
        if marker { square_marker(a, b, 16.0 * v.floor() + u.floor()) } else { c }
    }),
    p("markers in rows", [8.0, 14.0], |x, y| {
        let (a, b) = ((x - x.floor()) / 0.78, (y - y.floor()) / 0.78);
        let marker = within(x, y, 12.0, 12.0) && a < 1.0 && b < 1.0;
        if marker { square_marker(a, b, 16.0 * y.floor() + x.floor()) } else { WHITE }
    }),
    p("marker rows touching", [8.0, 14.0], |x, y| {
        // Kalibr's: tags with small black squares between their corners.
        let (a, b) = ((x - x.floor()) / 0.77, (y - y.floor()) / 0.77);
        match (within(x, y, 12.0, 12.0), a < 1.0, b < 1.0) {
            (true, true, true) => square_marker(a, b, 16.0 * y.floor() + x.floor()),
            (true, false, false) => BLACK,
            _ => WHITE,
        }
    }),
    p("racing flag", [9.0, 16.0], |x, y| {
        let (u, v) = (x + 0.3 * (0.5 * y).sin(), y + 0.35 * (0.6 * x).sin());
        chequers(u, v, [12.0, 9.0], [BLACK, WHITE], (0.0, GREY), BLUE)
    }),
    p("sloping chequers", [9.0, 16.0], |x, y| {
        chequers(x + 0.5 * y.floor(), y, [1e3; 2], [BLACK, WHITE], (0.0, GREY), GREY)
    }),
    p("diamonds", [9.0, 16.0], |x, y| chequers(x + 0.5 * y, x - 0.5 * y, [1e3; 2], [GREEN, CREAM], (0.0, GREY), GREY)),
    // Other grids.
    p("go 19x19", [20.0, 26.0], |x, y| ruled(x, y, [19.0; 2], 0.0)),
    p("go 19x19, stones", [20.0, 26.0], |x, y| ruled(x, y, [19.0; 2], 0.5)),
    p("go 13x13, stones", [14.0, 20.0], |x, y| ruled(x, y, [13.0; 2], 0.6)),
    p("go 9x9", [10.0, 14.0], |x, y| ruled(x, y, [9.0; 2], 0.0)),
    p("go 9x9, stones", [10.0, 14.0], |x, y| ruled(x, y, [9.0; 2], 0.7)),
    p("xiangqi", [11.0, 14.0], |x, y| ruled(x, y, [9.0, 10.0], 0.35)),
    p("reversi", [9.0, 13.0], |x, y| {
        let disc = (x - x.floor() - 0.5).hypot(y - y.floor() - 0.5) < 0.4 && within(x, y, 8.0, 8.0);
        match (disc, chance(x, y, 2)) {
            (true, c) if c < 0.3 => BLACK,
            (true, c) if c < 0.6 => WHITE,
            _ if within(x, y, 8.1, 8.1) => tiles(x, y, (0.03, BLACK), |_, _| GREEN),
            _ => TABLE,
        }
    }),
    p("backgammon", [14.0, 18.0], |x, y| {
        let tip = 5.0 * (1.0 - 2.0 * off(x + 0.5));
        let point = within(x, y, 12.0, 12.0) && 6.0 - y.abs() < tip;
        match (point, within(x, y, 12.0, 12.0)) {
            (true, _) => [BLACK, RED][usize::from(odd(x, y.signum()))],
            (false, true) => CREAM,
            _ => TABLE,
        }
    }),
    p("letter game 15x15", [16.0, 20.0], |x, y| {
        if !within(x, y, 15.0, 15.0) {
            return TABLE;
        }
        tiles(x + 0.5, y + 0.5, (0.04, WHITE), |x, y| match chance(x, y, 77) {
            c if c < 0.65 => [190.0, 190.0, 170.0],
            c if c < 0.75 => RED,
            c if c < 0.85 => BLUE,
            _ => CREAM,
        })
    }),
    p("four in a row", [8.0, 12.0], |x, y| {
        let hole = (x - x.floor() - 0.5).hypot(y - y.floor() - 0.5) < 0.38 && within(x, y, 8.0, 6.0);
        match (hole, chance(x, y, 6)) {
            (true, c) if c < 0.3 => RED,
            (true, c) if c < 0.6 => [230.0, 200.0, 40.0],
            (true, _) => WHITE,
            _ if within(x, y, 8.4, 6.4) => BLUE,
            _ => GREY,
        }
    }),
    p("crossword 15x15", [16.0, 22.0], |x, y| crossword(x, y, 15.0, 0.2)),
    p("crossword 8x8", [9.0, 13.0], |x, y| crossword(x, y, 8.0, 0.35)),
    p("crossword, every other", [14.0, 18.0], |x, y| {
        // Blocked: black where both are odd, and some more.
        let (u, v) = (x + 6.5, y + 6.5);
        let black = u.floor().rem_euclid(2.0) > 0.5 && v.floor().rem_euclid(2.0) > 0.5 || chance(u, v, 4) < 0.1;
        match (within(x, y, 13.0, 13.0), black || off(u) < 0.03 || off(v) < 0.03) {
            (true, true) => BLACK,
            _ => WHITE,
        }
    }),
    p("sudoku", [10.0, 14.0], |x, y| {
        let (u, v) = (x + 4.5, y + 4.5);
        let line = off(u) < 0.03 || off(v) < 0.03 || off(u / 3.0) < 0.02 || off(v / 3.0) < 0.02;
        let digit = (u - u.floor() - 0.5).abs() < 0.2 && (v - v.floor() - 0.5).abs() < 0.28;
        let ink = digit && chance(u, v, 8) < 0.5 && chance(u * 10.0, v * 10.0, 8) < 0.5;
        if within(x, y, 9.06, 9.06) && (line || ink) { BLACK } else { WHITE }
    }),
    p("keyboard, dark", [15.0, 20.0], |x, y| keys(x, y, [44.0, 44.0, 48.0], [190.0, 190.0, 194.0])),
    p("keyboard, light", [15.0, 20.0], |x, y| keys(x, y, WHITE, [150.0, 152.0, 156.0])),
    p("window front", [8.0, 14.0], |x, y| {
        let (a, b) = (x - x.floor() - 0.5, y - y.floor() - 0.5);
        let pane = a.abs() < 0.28 && b.abs() < 0.36 && a.abs() > 0.02;
        let glass = blend([40.0, 54.0, 76.0], WHITE, 0.8 * chance(x, y, 12).powi(2));
        if pane { glass } else { [176.0, 160.0, 136.0] }
    }),
    p("glass front", [10.0, 20.0], |x, y| {
        tiles(x, y, (0.06, [70.0, 74.0, 80.0]), |x, y| blend(BLUE, WHITE, chance(x, y, 13)))
    }),
    p("bathroom tiles, white", [8.0, 20.0], |x, y| tiles(x, y, (0.03, GREY), |_, _| WHITE)),
    p("bathroom tiles, blue", [8.0, 20.0], |x, y| {
        tiles(x, y, (0.04, WHITE), |x, y| blend(BLUE, WHITE, 0.3 * chance(x, y, 14)))
    }),
    p("mosaic", [12.0, 30.0], |x, y| {
        tiles(x, y, (0.05, GREY), |x, y| [WHITE, BLUE, GREEN, BLACK][(chance(x, y, 15) * 4.0) as usize])
    }),
    p("random black and white", [9.0, 16.0], |x, y| if chance(x, y, 16) < 0.5 { BLACK } else { WHITE }),
    p("octagons and dots", [8.0, 16.0], |x, y| if off(x) + off(y) < 0.3 { BLACK } else { WHITE }),
    p("parquet, basket", [8.0, 16.0], |x, y| {
        let strip = if odd(x, y) { y * 4.0 } else { x * 4.0 };
        let grain = chance(x.floor() * 5.0 + if odd(x, y) { 0.0 } else { strip }, y.floor() + strip.floor(), 17);
        let seam = off(x) < 0.015 || off(y) < 0.015 || off(strip) < 0.05;
        blend(if odd(x, y) { BOX } else { [186.0, 142.0, 92.0] }, WALNUT, if seam { 0.8 } else { 0.3 * grain })
    }),
    p("bricks", [8.0, 16.0], |x, y| {
        let u = x + 0.5 * (2.0 * y).floor().rem_euclid(2.0);
        let mortar = off(u) < 0.03 || off(2.0 * y) < 0.06;
        if mortar { [190.0, 184.0, 174.0] } else { blend(RED, WALNUT, chance(u, 2.0 * y, 18)) }
    }),
    p("gingham", [10.0, 30.0], |x, y| woven(x, y, [WHITE, RED], second_half)),
    p("gingham, dark", [10.0, 24.0], |x, y| woven(x, y, [CREAM, BLUE], second_half)),
    p("tartan", [8.0, 16.0], |x, y| {
        woven(x, y, [RED, GREEN], |t| f64::from(u8::from(t.rem_euclid(2.0) > 1.2 || off(t / 2.0 + 0.2) < 0.03)))
    }),
    p("picnic cloth, folds", [10.0, 20.0], |x, y| {
        let (u, v) = (x + 0.25 * (1.1 * y).sin(), y + 0.25 * (0.9 * x + 1.0).sin());
        blend(woven(u, v, [WHITE, GREEN], second_half), BLACK, 0.15 + 0.15 * (0.7 * x + 0.4 * y).sin())
    }),
    p("shirt", [20.0, 40.0], |x, y| {
        let (u, v) = (x + 0.8 * (0.15 * y).sin(), y + 0.8 * (0.2 * x).sin());
        let check = f64::from(u8::from(off(u) < 0.12)) + f64::from(u8::from(off(v) < 0.12));
        blend(blend(WHITE, BLUE, 0.4 * check), spots(x / 6.0, y / 6.0, 40, [BLACK, WHITE]), 0.35)
    }),
    p("spreadsheet", [12.0, 24.0], |x, y| {
        let text = (y - y.floor() - 0.5).abs() < 0.22 && x - x.floor() > 0.2 && chance(x * 14.0, y * 9.0, 19) < 0.45;
        match (off(x) < 0.02 || off(y) < 0.03, y.floor().rem_euclid(2.0) > 0.5) {
            (true, _) => [190.0; 3],
            _ if text && chance(x, y, 20) < 0.7 => BLACK,
            (_, true) => [232.0, 238.0, 246.0],
            _ => [250.0; 3],
        }
    }),
    p("icons on a screen", [8.0, 14.0], |x, y| {
        let icon = (x - x.floor() - 0.5).abs() < 0.3 && (y - y.floor() - 0.5).abs() < 0.3;
        let colours = [RED, BLUE, GREEN, WHITE];
        if icon { colours[(chance(x, y, 22) * 4.0) as usize] } else { [24.0, 40.0, 72.0] }
    }),
    p("matrix code", [30.0, 45.0], |x, y| {
        let bit = within(x, y, 25.0, 25.0) && chance(x, y, 23) < 0.5;
        if bit { BLACK } else { WHITE }
    }),
    p("polka dots", [9.0, 18.0], |x, y| if off(x).hypot(off(y)) < 0.3 { WHITE } else { RED }),
    p("dots in quincunx", [9.0, 18.0], |x, y| {
        let (u, v) = (x + y, x - y);
        if off(u).hypot(off(v)) < 0.36 { BLACK } else { CREAM }
    }),
    p("stripes", [8.0, 20.0], |x, _| if second_half(x) > 0.5 { BLACK } else { WHITE }),
    p("calendar", [8.0, 12.0], |x, y| {
        let (u, v) = (x + 3.5, y + 2.5);
        let digit = u - u.floor() < 0.35 && v - v.floor() < 0.35 && chance(u * 12.0, v * 12.0, 24) < 0.5;
        let line = off(u) < 0.02 || off(v) < 0.02;
        let weekend = u.floor() > 4.5;
        match (within(x, y, 7.05, 5.05), line || digit) {
            (true, true) => BLACK,
            (true, false) if weekend => [250.0, 214.0, 208.0],
            _ => WHITE,
        }
    }),
    p("chocolate", [7.0, 11.0], |x, y| {
        let rim = off(x).min(off(y));
        let base = [92.0, 54.0, 34.0];
        if !within(x, y, 8.0, 6.0) { WHITE } else { blend(BLACK, base, (rim / 0.12).min(1.0)) }
    }),
    p("star", [2.0, 3.0], |x, y| if (16.0 * y.atan2(x)).sin() > 0.0 { BLACK } else { WHITE }),
    p("rings", [6.0, 12.0], |x, y| if (x.hypot(y) * 2.0).fract() > 0.5 { BLACK } else { WHITE }),
    p("clutter", [8.0, 16.0], |x, y| spots(x, y, 50, [BLACK, WHITE])),
    p("people", [3.0, 5.0], |x, y| {
        let cell = [RED, BLUE, GREEN, CREAM, BLACK][(chance(x, 0.0, 60) * 5.0) as usize];
        let (a, b) = (x - x.floor() - 0.5, y);
        match (a.hypot(1.3 * (b + 0.6)) < 0.2, a.abs() < 0.4 && b > -0.4) {
            (true, _) => [206.0, 160.0, 132.0],
            (_, true) => blend(cell, spots(4.0 * x, 4.0 * y, 61, [BLACK, WHITE]), 0.3),
            _ => spots(x, y, 62, [GREY, WHITE]),
        }
    }),
];

const fn p(name: &'static str, shown: [f64; 2], colour: fn(f64, f64) -> Colour) -> Pattern {
    Pattern { name, shown, colour }
}

impl Pattern {
    /// The pattern in a camera's picture: the same number gives the same picture.
    pub fn view(&self, number: u64) -> RgbImage {
        let mut dice = Dice::new(number, self.name.bytes().fold(7, |h, b| mix(h ^ u64::from(b))));
        let (width, height) = [(640_u32, 480_u32), (800, 600), (1280, 720)][(dice.unit() * 3.0) as usize];
        let (w, h) = (f64::from(width), f64::from(height));
        let focal = w / 2.0 / dice.between(25.0_f64, 35.0).to_radians().tan();
        // Half of the views are nearly straight: there the cells look most like squares.
        let elevation = if number.is_multiple_of(2) { dice.between(75.0, 90.0) } else { dice.between(33.0, 75.0) };
        let azimuth = dice.between(-30.0, 30.0) + 90.0 * (dice.unit() * 4.0).floor();
        let cells = dice.between(self.shown[0], self.shown[1]);
        let distance = cells * focal / w.min(1.2 * h);
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), azimuth.to_radians())
            * Rotation3::from_axis_angle(&Vector3::x_axis(), (90.0 - elevation).to_radians());
        // At rest the camera is above the plane and looks down: x right, y towards the picture's lower edge.
        let eye = turn * Vector3::new(0.0, 0.0, -distance);
        let aim = [dice.between(-0.4, 0.4), dice.between(-0.4, 0.4)];
        let slope = [dice.between(-0.35, 0.35), dice.between(-0.35, 0.35)];
        let shine = [dice.between(0.0, w), dice.between(0.0, h), dice.between(0.0, 60.0)];
        let light = dice.between(0.6, 1.0);
        let image = RgbImage::from_fn(width, height, |px, py| {
            let mut sum = [0.0; 3];
            for k in 0..4 {
                let (u, v) = (f64::from(px) + f64::from(k % 2) / 2.0, f64::from(py) + f64::from(k / 2) / 2.0);
                let ray = turn * Vector3::new((u - w / 2.0) / focal, (v - h / 2.0) / focal, 1.0);
                let colour = if ray.z > 1e-3 {
                    let at = eye - ray * (eye.z / ray.z);
                    (self.colour)(at.x + aim[0], at.y + aim[1])
                } else {
                    GREY
                };
                sum = std::array::from_fn(|k| sum[k] + colour[k] / 4.0);
            }
            let (x, y) = (f64::from(px), f64::from(py));
            let gain = light * (1.0 + slope[0] * (x / w - 0.5) + slope[1] * (y / h - 0.5));
            let near = ((x - shine[0]).hypot(y - shine[1]) / (0.12 * w)).powi(2);
            Rgb(sum.map(|c| (c * gain + shine[2] * (-near).exp()) as u8))
        });
        let mut image = gaussian_blur_f32(&image, dice.between(0.5, 1.3) as f32);
        let noise = dice.between(0.5, 5.0);
        for value in image.iter_mut() {
            // The sum of three even throws has a bell's shape, near enough; its deviation is a half.
            let bell = dice.unit() + dice.unit() + dice.unit() - 1.5;
            *value = (f64::from(*value) + 2.0 * noise * bell).clamp(0.0, 255.0) as u8;
        }
        image
    }
}
