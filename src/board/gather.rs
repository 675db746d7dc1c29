//! Several pictures of one board, from one place, made into a better one: their median at each pixel.
//!
//! What stands still is in most of the pictures: hands, heads and passers-by are in one or two, in other places, and
//! noise is different in each. While the board is not known, the pictures searched in vain are kept, and the search is
//! tried once more in their median. When the camera moves, what was kept is of no use and is dropped.
//!
//! Whether it has moved is told by tiles of a reduced picture: for each, least squares gives the shift between the old
//! and the new picture under any change of brightness (B. D. Lucas and T. Kanade, "An iterative image registration
//! technique with an application to stereo vision", 1981; one step).

use std::collections::VecDeque;

use image::RgbImage;
use nalgebra::{Matrix4, Vector4};

use super::{noise, plane::Plane};
use crate::frame::Frame;

/// Pictures kept by default: a hand may be over any one place in two of them.
const MOST_PICTURES: usize = 5;
/// Fewest of which a median drops what is in one only.
const FEWEST_PICTURES: usize = 3;
/// Bytes of pictures kept, at most; of very large pictures fewer are kept, but [`FEWEST_PICTURES`] at least.
const MOST_BYTES: usize = 64 << 20;
/// Longer side of the reduced picture in which movement is sought, in pixels.
const REDUCED_SIDE_PX: u32 = 320;
/// Side of a tile in the reduced picture, in pixels: a hundred and some tiles, each with an edge or two.
const TILE_PX: usize = 16;
/// Shift from which a tile has moved, in pixels of the reduced picture: at 1280×720 one pixel. Less blurs a crossing by
/// less than the lens does.
const MOVED_PX: f64 = 0.25;
/// Least part of a tile's variance that the old picture must explain: below it something else is there.
const LEAST_EXPLAINED: f64 = 0.5;
/// The same for a tile that is said to have moved.
const MOVED_EXPLAINED: f64 = 0.9;
/// Least share of the tiles that stand still when the camera does: two hands, one in the old and one in the new picture,
/// cover up to two thirds of what there is to see.
const LEAST_STEADY: f64 = 0.3;
/// And among those that show the same, in its place or beside it.
const LEAST_IN_PLACE: f64 = 0.6;
/// Least spread of a tile's luminance, in grey levels, that can show a shift.
const LEAST_SPREAD: f64 = 3.0;

/// The last few pictures of a camera that stands still.
#[derive(Debug, Clone)]
pub struct Gather {
    most: usize,
    pictures: VecDeque<RgbImage>,
    reduced: VecDeque<Plane>,
    /// Standard deviation of the noise in the newest reduced picture before it was smoothed, grey levels.
    noise: f64,
    median: Option<RgbImage>,
}

impl Default for Gather {
    /// Keeps five: a hand may be over any one place in two of them.
    fn default() -> Self {
        Self::new(MOST_PICTURES)
    }
}

impl Gather {
    /// Keeps the last `most` pictures, three at least, as far as they are not too large (64 MB together).
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, pictures: VecDeque::new(), reduced: VecDeque::new(), noise: 0.0, median: None }
    }

    /// Keeps a picture; the median of all that are kept, where that is more than the picture itself: from the third on.
    /// A picture of another size, or from another place, drops those before.
    ///
    /// Costs about 10 ms at 1280×720, and the memory of six pictures at most; meant for pictures half a second or more
    /// apart, in which hands have gone elsewhere.
    pub fn add(&mut self, frame: &Frame<'_>) -> Option<&RgbImage> {
        let (reduced, noise) = reduce(frame);
        if !self.stands(frame, &reduced, noise) {
            self.clear();
        }
        let bytes = 3 * frame.width() as usize * frame.height() as usize;
        let most = (MOST_BYTES / bytes.max(1)).min(self.most).max(FEWEST_PICTURES);
        while self.pictures.len() >= most {
            self.pictures.pop_front();
            self.reduced.pop_front();
        }
        self.pictures.push_back(frame.to_rgb());
        self.reduced.push_back(reduced);
        self.noise = noise;
        self.median = None;
        self.median()
    }

    /// The median of what is kept, from three pictures on.
    pub fn median(&mut self) -> Option<&RgbImage> {
        if self.pictures.len() < FEWEST_PICTURES {
            return None;
        }
        if self.median.is_none() {
            let pictures: Vec<&[u8]> = self.pictures.iter().map(|p| p.as_raw().as_slice()).collect();
            let first = self.pictures.front()?;
            self.median = RgbImage::from_raw(first.width(), first.height(), medians(&pictures));
        }
        self.median.as_ref()
    }

    /// How many pictures are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.pictures.len()
    }

    /// Would this picture join those kept (or be the first)? `false`: another size, or the camera has moved.
    #[must_use]
    pub fn joins(&self, frame: &Frame<'_>) -> bool {
        let (reduced, noise) = reduce(frame);
        self.stands(frame, &reduced, noise)
    }

    /// Forgets all pictures: the board is found, or the camera was moved.
    pub fn clear(&mut self) {
        *self = Self::new(self.most);
    }

    fn stands(&self, frame: &Frame<'_>, reduced: &Plane, noise: f64) -> bool {
        let Some(first) = self.pictures.front() else { return true };
        // Against all that is kept: hands that were in the old pictures shall not count with the one in the new.
        first.dimensions() == (frame.width(), frame.height())
            && steady(&middle(&self.reduced), reduced, noise.max(self.noise))
    }
}

/// The reduced picture, smoothed: only then are shifts of part of a pixel seen alike by every edge. And the noise it had before.
fn reduce(frame: &Frame<'_>) -> (Plane, f64) {
    let plane = Plane::reduced(frame, frame.width().max(frame.height()).div_ceil(REDUCED_SIDE_PX));
    let noise = noise::deviation(&plane.data, plane.width);
    (plane.blurred(1.0), noise)
}

/// The median at each place of slices of the same length; between the two middle ones of an even number.
fn medians(of: &[&[u8]]) -> Vec<u8> {
    let n = of.len();
    let len = of.iter().map(|p| p.len()).min().unwrap_or(0);
    let mut values = vec![0_u8; n];
    (0..len)
        .map(|i| {
            for (value, picture) in values.iter_mut().zip(of) {
                *value = picture[i];
            }
            values.sort_unstable();
            let (low, high) = (values[(n - 1) / 2], values[n / 2]);
            low.midpoint(high)
        })
        .collect()
}

/// The median of reduced pictures of one size; the earliest of two.
fn middle(planes: &VecDeque<Plane>) -> Plane {
    let (Some(first), n) = (planes.front(), planes.len()) else {
        return Plane { width: 0, height: 0, data: Vec::new() };
    };
    if n < FEWEST_PICTURES {
        return first.clone();
    }
    let mut values = vec![0.0_f32; n];
    let data = (0..first.data.len()).map(|i| {
        for (value, plane) in values.iter_mut().zip(planes) {
            *value = plane.data[i];
        }
        values.sort_unstable_by(f32::total_cmp);
        values[n / 2]
    });
    Plane { data: data.collect(), ..*first }
}

/// Does the new picture show most of what the old one does, in the same place?
fn steady(old: &Plane, new: &Plane, noise: f64) -> bool {
    if (old.width, old.height) != (new.width, new.height) {
        return false;
    }
    let mut tiles: Vec<Shows> = Vec::new();
    // One pixel of the edge is left for the gradients.
    for y in (1..old.height.saturating_sub(TILE_PX)).step_by(TILE_PX) {
        for x in (1..old.width.saturating_sub(TILE_PX)).step_by(TILE_PX) {
            tiles.extend(tile(old, new, noise, x, y));
        }
    }
    let count = |shows: Shows| tiles.iter().filter(|t| **t == shows).count() as f64;
    let (still, beside) = (count(Shows::Same), count(Shows::Beside));
    // A picture in which nothing is to be seen cannot be seen to move.
    tiles.is_empty() || still >= LEAST_STEADY * tiles.len() as f64 && still >= LEAST_IN_PLACE * (still + beside)
}

/// What a tile shows of the old picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// The same, in the same place.
    Same,
    /// The same, a little off.
    Beside,
    /// Something else.
    Other,
}

/// What a tile shows. `None` where it could not be seen to move.
fn tile(old: &Plane, new: &Plane, noise: f64, x0: usize, y0: usize) -> Option<Shows> {
    let mut normal = Matrix4::zeros();
    let mut right = Vector4::zeros();
    let (mut sum, mut squares) = ([0.0; 2], [0.0; 2]);
    for y in y0..y0 + TILE_PX {
        for x in x0..x0 + TILE_PX {
            let i = y * old.width + x;
            let value = f64::from(old.data[i]);
            let now = f64::from(new.data[i]);
            let gx = 0.5 * f64::from(old.data[i + 1] - old.data[i - 1]);
            let gy = 0.5 * f64::from(old.data[i + old.width] - old.data[i - old.width]);
            // now = gain · value + offset - gradient · shift
            let row = Vector4::new(value, 1.0, -gx, -gy);
            normal += row * row.transpose();
            right += row * now;
            for (k, v) in [value, now].into_iter().enumerate() {
                sum[k] += v;
                squares[k] += v * v;
            }
        }
    }
    let n = (TILE_PX * TILE_PX) as f64;
    let scatter = |k: usize| (squares[k] - sum[k] * sum[k] / n).max(0.0);
    let spread = [0, 1].map(|k| (scatter(k) / n).sqrt());
    if spread[1] > 3.0 * spread[0].max(LEAST_SPREAD) {
        // Something has come where nothing was to be seen.
        return Some(Shows::Other);
    }
    if spread[0] < LEAST_SPREAD {
        return None;
    }
    let inverse = normal.try_inverse()?;
    // Smoothing takes from each pixel's noise what it gives to its neighbours; and both pictures have noise.
    let error = (2.0 * noise * noise * (inverse[(2, 2)] + inverse[(3, 3)])).sqrt();
    if error.is_nan() || error >= 0.5 * MOVED_PX {
        return None;
    }
    let fit = inverse * right;
    // The model is linear: the residual follows from the sums alone.
    let residual = squares[1] - 2.0 * fit.dot(&right) + (fit.transpose() * normal * fit).x;
    let explained = 1.0 - residual / scatter(1).max(1e-9);
    let shift = fit.z.hypot(fit.w) / fit.x.abs().max(1e-6);
    // More or less light than by a factor of five is not the same picture.
    Some(match (0.2..5.0).contains(&fit.x) && explained > LEAST_EXPLAINED {
        true if shift < MOVED_PX => Shows::Same,
        // A shadow's edge, or a man set down beside his place, explains less than a movement.
        true if explained > MOVED_EXPLAINED => Shows::Beside,
        _ => Shows::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::dice::Dice;

    const SIZE: (u32, u32) = (320, 240);

    /// Chequers on a grey ground, moved by (dx, dy) and turned by `turn` radians about the picture's middle, lit by
    /// `light`, with noise, under a disc of skin at `hand`.
    fn picture(shift: [f64; 2], turn: f64, light: f64, noise: f64, hand: Option<[f64; 2]>, seed: u64) -> RgbImage {
        let mut dice = Dice::new(seed, 1);
        RgbImage::from_fn(SIZE.0, SIZE.1, |x, y| {
            let mut sum = 0.0;
            for k in 0..9 {
                let (u, v) =
                    (f64::from(x) - 160.0 + f64::from(k % 3) / 3.0, f64::from(y) - 120.0 + f64::from(k / 3) / 3.0);
                // Never along the pixels: so that edges have every place between them.
                let (s, c) = (turn + 0.07_f64).sin_cos();
                let (u, v) = (c * u + s * v - shift[0], c * v - s * u - shift[1]);
                let chequer = (u / 22.0).floor() + (v / 22.0).floor();
                sum += match (u.abs().max(v.abs()) < 88.0, chequer.rem_euclid(2.0) > 0.5) {
                    (true, true) => 170.0,
                    (true, false) => 70.0,
                    _ => 110.0 + 40.0 * (u / 5.0).sin() * (v / 7.0).cos(),
                } / 9.0;
            }
            let under = hand.is_some_and(|h| (f64::from(x) - h[0]).hypot(f64::from(y) - h[1]) < 55.0);
            let value = if under { 190.0 } else { sum * light };
            image::Rgb([0; 3].map(|_: i32| (value + noise * dice.between(-1.7, 1.7)).clamp(0.0, 255.0) as u8))
        })
    }

    fn add(gather: &mut Gather, image: &RgbImage) -> Option<RgbImage> {
        gather.add(&Frame::from_rgb(image).expect("a frame")).cloned()
    }

    /// Mean difference of two pictures, in grey levels.
    fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
        let sum: f64 = a.iter().zip(b.iter()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
        sum / f64::from(3 * SIZE.0 * SIZE.1)
    }

    const HANDS: [[f64; 2]; 5] = [[90.0, 70.0], [230.0, 70.0], [90.0, 180.0], [230.0, 180.0], [160.0, 120.0]];

    #[test]
    fn hands_and_noise_vanish() {
        let clean = picture([0.0; 2], 0.0, 1.0, 0.0, None, 0);
        let mut gather = Gather::default();
        let mut last = None;
        for (i, hand) in HANDS.into_iter().enumerate() {
            let noisy = picture([0.0; 2], 0.0, 1.0, 12.0, Some(hand), i as u64);
            assert!(difference(&noisy, &clean) > 12.0);
            last = add(&mut gather, &noisy);
            assert_eq!((gather.kept(), last.is_some()), (i + 1, i >= 2));
        }
        // The median of five has 0.54 of the noise: 12 levels are 9.6 in the mean, and 5.2 then. Where one of the five
        // is a hand, four are left, one end of them cut off.
        let left = difference(&last.expect("a median"), &clean);
        assert!(left < 7.5, "{left}");
    }

    #[test]
    fn no_more_than_five_are_kept_and_the_newest_stay() {
        let mut gather = Gather::default();
        for seed in 0..9 {
            add(&mut gather, &picture([0.0; 2], 0.0, 1.0 - 0.02 * seed as f64, 3.0, None, seed));
        }
        assert_eq!(gather.kept(), MOST_PICTURES);
        let newest = picture([0.0; 2], 0.0, 0.88, 0.0, None, 0);
        assert!(difference(gather.median().expect("a median"), &newest) < 3.0);
    }

    #[test]
    fn light_and_hands_are_no_movement_but_shift_turn_and_size_are() {
        let joins = |image: &RgbImage| {
            let mut gather = Gather::default();
            for (i, hand) in HANDS.into_iter().take(3).enumerate() {
                add(&mut gather, &picture([0.0; 2], 0.0, 1.0, 4.0, Some(hand), i as u64));
            }
            let joins = gather.joins(&Frame::from_rgb(image).expect("a frame"));
            add(&mut gather, image);
            assert_eq!(gather.kept(), if joins { 4 } else { 1 });
            joins
        };
        assert!(joins(&picture([0.0; 2], 0.0, 1.0, 4.0, Some(HANDS[4]), 9)));
        assert!(joins(&picture([0.0; 2], 0.0, 0.7, 4.0, Some(HANDS[3]), 9)));
        assert!(joins(&picture([0.1, -0.1], 0.0, 1.0, 4.0, None, 9)));
        for shift in [[1.0, 0.0], [0.0, -3.0], [11.0, 8.0], [40.0, -25.0]] {
            assert!(!joins(&picture(shift, 0.0, 1.0, 4.0, None, 9)), "{shift:?}");
        }
        for turn in [0.02, -0.1, 0.8] {
            assert!(!joins(&picture([0.0; 2], turn, 1.0, 4.0, None, 9)), "{turn}");
        }
        assert!(!joins(&RgbImage::from_pixel(SIZE.0, SIZE.1, image::Rgb([90; 3]))));
        let mut gather = Gather::default();
        add(&mut gather, &picture([0.0; 2], 0.0, 1.0, 4.0, None, 9));
        let small = RgbImage::new(160, 120);
        assert!(!gather.joins(&Frame::from_rgb(&small).expect("a frame")));
    }

    #[test]
    fn tiny_and_empty_pictures_are_no_trouble() {
        let mut gather = Gather::default();
        for _ in 0..4 {
            add(&mut gather, &RgbImage::new(1, 1));
        }
        assert_eq!(gather.median().map(RgbImage::dimensions), Some((1, 1)));
        gather.clear();
        assert!(gather.median().is_none() && gather.kept() == 0);
    }
}
