//! What the last look could tell of the squares, drawn onto them: amber over what is in doubt, hatching over what is
//! covered, shade over what can hardly be seen, and a ringed disc where a square reads otherwise than it is believed to
//! stand.

use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut};
use shakmaty::{Board, Square};

use super::{BLACK, DOUBT, WHITE, fill, line, pixel, text, within_reach};
use crate::{
    board::{
        geometry::{BoardPoint, ImagePoint, square_centre},
        map::BoardMap,
    },
    sight::{layout::Layout, squares::Squares},
};

/// Hatching, unlike any board, man or hand.
const COVERED: Rgb<u8> = Rgb([120, 235, 255]);
/// The word in the legend for shade.
const SHADE: Rgb<u8> = Rgb([170, 170, 170]);

/// Part of a tint in a square whose doubt is 1; the greatest doubt, of three alike, is two thirds: then men are still
/// seen through it.
const TINT: f32 = 0.8;
/// Part of black in a square of which the picture tells nothing: dark, and yet seen.
const DARKEST: f32 = 0.5;
/// A tint or shade fainter than this cannot be seen.
const FAINTEST: f32 = 0.02;
/// Hatching lines over a square: five pixels apart where its side has 30, as in pictures of 640×480.
const HATCHES: u32 = 7;

/// Lays over every square what the last look said of it.
pub(super) fn tell(picture: &mut RgbImage, map: &BoardMap, squares: &Squares) {
    Square::ALL.into_iter().for_each(|square| tell_one(picture, map, square, squares));
}

fn tell_one(picture: &mut RgbImage, map: &BoardMap, square: Square, squares: &Squares) {
    let (index, covered) = (usize::from(square), squares.covered.contains(square));
    let (x, y) = (f64::from(square.file() as u8), f64::from(square.rank() as u8));
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
        .map(|[dx, dy]: [f64; 2]| map.to_image(BoardPoint::new(x + dx, y + dy)));
    if corners.iter().all(|p| within_reach(picture, *p)) {
        let doubt = 1.0 - squares.probability[index].iter().copied().fold(0.0, f32::max);
        // The hatching says by itself that nothing is seen of a covered square; what covers it had better be seen.
        let hidden = if covered { 0.0 } else { 1.0 - squares.reliability[index] };
        blend(picture, &corners, BLACK, DARKEST * hidden);
        blend(picture, &corners, DOUBT, TINT * doubt);
    }
    if covered {
        for k in 1..=HATCHES {
            // From side to side of the square, where x + y is the same.
            let sum = 2.0 * f64::from(k) / f64::from(HATCHES + 1);
            let (low, high) = ((sum - 1.0).max(0.0), sum.min(1.0));
            line(picture, map, [x + low, y + high], [x + high, y + low], COVERED);
        }
    }
}

/// Mixes a colour into every pixel inside a convex polygon; `share` of it, 0 to 1.
fn blend(picture: &mut RgbImage, polygon: &[ImagePoint], colour: Rgb<u8>, share: f32) {
    if share < FAINTEST || share.is_nan() {
        return;
    }
    let share = share.min(1.0);
    let size = (picture.width() as i32, picture.height() as i32);
    let bytes: &mut [u8] = picture;
    fill(polygon, size, |at| {
        for (old, new) in bytes[3 * at..3 * at + 3].iter_mut().zip(colour.0) {
            *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share).round() as u8;
        }
    });
}

/// Marks what is not covered and reads otherwise than these men stand: a white disc, a black one, or none, in a ring of amber.
pub(super) fn mark(picture: &mut RgbImage, map: &BoardMap, men: &Board, squares: &Squares, radius: i32) {
    let believed = Layout::of(men);
    // What a covered square reads as is a hand's colour.
    for square in !squares.covered {
        let likeliest = squares.likeliest(square);
        // Beside the man's own disc.
        let corner = square_centre(square) + nalgebra::Vector2::new(0.3, 0.3);
        let Some(at) = pixel(picture, map.to_image(corner)).filter(|_| likeliest != believed.class(square)) else {
            continue;
        };
        for (wider, colour) in [(3, BLACK), (2, DOUBT), (1, DOUBT)] {
            draw_hollow_circle_mut(picture, at, radius + wider, colour);
        }
        match likeliest {
            1 => draw_filled_circle_mut(picture, at, radius, WHITE),
            2 => draw_filled_circle_mut(picture, at, radius, BLACK),
            _ => {}
        }
    }
}

/// What the signs on the squares mean, on the last line.
pub(super) fn legend(picture: &mut RgbImage, scale: u32) {
    let words = [
        ("amber: doubt", DOUBT),
        ("hatched: covered", COVERED),
        ("dark: hidden", SHADE),
        ("ring: reads otherwise", DOUBT),
    ];
    let letter = 8 * scale as i32;
    let mut x = 6;
    for (word, colour) in words {
        let y = picture.height() as i32 - letter - 4;
        text(picture, (x, y), word, scale, colour);
        x += letter * (word.len() as i32 + 2);
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Bitboard;

    use super::{
        super::{Drawing, draw},
        *,
    };
    use crate::{board::corners::Corners, frame::Frame, observer::report::TrackerState};

    const GREY: u8 = 100;
    const SIDE: u32 = 480;

    fn map() -> BoardMap {
        let corners = Corners::new([[40.0, 440.0], [440.0, 440.0], [440.0, 40.0], [40.0, 40.0]]).expect("corners");
        BoardMap::from_corners(&corners, None).expect("a map")
    }

    fn clear(men: &Board) -> Squares {
        let men = Layout::of(men);
        let certain = |i: usize| std::array::from_fn(|k| f32::from(u8::from(k == men.class(Square::new(i as u32)))));
        Squares {
            probability: std::array::from_fn(certain),
            changed: [0.0; 64],
            reliability: [1.0; 64],
            covered: Bitboard::EMPTY,
        }
    }

    fn drawn(men: &Board, squares: Option<&Squares>) -> RgbImage {
        let grey = RgbImage::from_pixel(SIDE, SIDE, Rgb([GREY; 3]));
        let frame = Frame::from_rgb(&grey).expect("a frame");
        let map = map();
        let state = TrackerState::Following;
        draw(&frame, &Drawing { map: Some(&map), camera: None, men, change: &[], squares, state })
    }

    /// Pixels in which two pictures differ, by the square that shows them; `None` beside the board and on its grid.
    fn changes(a: &RgbImage, b: &RgbImage) -> Vec<(Option<Square>, Rgb<u8>)> {
        let map = map();
        let square = |x: u32, y: u32| {
            let p = map.to_board(ImagePoint::new(f64::from(x), f64::from(y)));
            let inside = |v: f64| (0.0..8.0).contains(&v) && (0.03..0.97).contains(&v.fract());
            (inside(p.x) && inside(p.y)).then(|| Square::new(p.x as u32 + 8 * p.y as u32))
        };
        let pairs = a.enumerate_pixels().zip(b.pixels());
        pairs.filter(|((_, _, a), b)| a != b).map(|((x, y, _), b)| (square(x, y), *b)).collect()
    }

    /// What one change of one square's look alters on the board: it must alter something there and nothing elsewhere.
    fn alters(men: &Board, square: Square, change: impl Fn(&mut Squares, usize)) -> Vec<Rgb<u8>> {
        let mut squares = clear(men);
        change(&mut squares, usize::from(square));
        let changed = changes(&drawn(men, Some(&clear(men))), &drawn(men, Some(&squares)));
        assert!(changed.iter().filter_map(|c| c.0).all(|s| s == square), "another square than {square} changed");
        let on_it: Vec<Rgb<u8>> = changed.into_iter().filter(|c| c.0.is_some()).map(|c| c.1).collect();
        assert!(!on_it.is_empty());
        on_it
    }

    #[test]
    fn where_all_is_clear_only_the_legend_is_added() {
        let men = Board::new();
        let changed = changes(&drawn(&men, None), &drawn(&men, Some(&clear(&men))));
        assert!(!changed.is_empty() && changed.iter().all(|c| c.0.is_none()));
    }

    #[test]
    fn doubt_colours_its_square_and_more_of_it_the_more() {
        let reddest = |doubt: f32| {
            let pixels = alters(&Board::empty(), Square::E4, |s, i| s.probability[i] = [1.0 - doubt, doubt, 0.0]);
            // The tint lies over the whole square.
            assert!(pixels.len() > 45 * 45, "{}", pixels.len());
            i32::from(pixels[0].0[0]) - i32::from(pixels[0].0[2])
        };
        let [little, more, most] = [0.1, 0.25, 0.45].map(reddest);
        assert!(0 < little && little < more && more < most, "{little} {more} {most}");
    }

    #[test]
    fn what_is_hidden_is_dark_and_what_is_covered_is_hatched() {
        let dark = alters(&Board::empty(), Square::A8, |s, i| s.reliability[i] = 0.0);
        assert!(dark.len() > 45 * 45 && dark.iter().all(|p| p.0 == [GREY / 2; 3]));
        let hatched = alters(&Board::empty(), Square::H1, |s, i| {
            s.reliability[i] = 0.0;
            s.covered.add(Square::H1);
        });
        // Lines, with the board between them.
        assert!(hatched.len() < 50 * 50 / 3 && hatched.iter().all(|p| *p == COVERED));
    }

    #[test]
    fn a_square_that_reads_otherwise_bears_a_disc_of_what_it_reads() {
        let men = Board::new();
        let reads = |square: Square, as_what: usize| {
            alters(&men, square, |s, i| s.probability[i] = std::array::from_fn(|k| f32::from(u8::from(k == as_what))))
        };
        let count = |pixels: &[Rgb<u8>], colour: Rgb<u8>| pixels.iter().filter(|p| **p == colour).count();
        // More pixels than the ring's dark edge has.
        let disc = 70;
        let (white, black, none) = (reads(Square::E4, 1), reads(Square::E4, 2), reads(Square::E2, 0));
        assert!(count(&white, WHITE) > disc && count(&black, BLACK) > disc);
        assert!(count(&none, WHITE) == 0 && count(&none, BLACK) < disc);
        for pixels in [&white, &black, &none] {
            assert!(count(pixels, DOUBT) > 20);
        }
        let covered = alters(&men, Square::E4, |s, i| {
            s.probability[i] = [0.0, 1.0, 0.0];
            s.covered.add(Square::E4);
        });
        assert_eq!(count(&covered, DOUBT), 0);
    }

    #[test]
    fn a_board_that_is_hardly_in_the_picture_is_drawn_without_harm() {
        let men = Board::new();
        let mut squares = clear(&men);
        squares.probability = [[0.34, 0.33, 0.33]; 64];
        (squares.covered, squares.reliability) = (Bitboard::FULL, [f32::NAN; 64]);
        let grey = RgbImage::from_pixel(32, 20, Rgb([GREY; 3]));
        let frame = Frame::from_rgb(&grey).expect("a frame");
        for far in [1e2, 1e4, 1e9] {
            let corners = Corners::new([[-far, far], [far, far], [far, -far], [-far, -far]]).expect("corners");
            let map = BoardMap::from_corners(&corners, None).expect("a map");
            let state = TrackerState::Doubt;
            let seen =
                Drawing { map: Some(&map), camera: None, men: &men, change: &[], squares: Some(&squares), state };
            assert_eq!(draw(&frame, &seen).dimensions(), (32, 20));
        }
    }
}
