//! Is the board at rest?

use crate::{
    board::map::BoardMap,
    frame::{Frame, Stamp},
    sight::coverage::{POINTS, POINTS_PER_SIDE, point},
};

/// A quarter of the sample points, spread evenly: a fingertip (a third of a square) still covers several.
const STRIDE: usize = 2;
/// Least step of luminance that is motion: above the flicker of lamps and JPEG.
const LEAST_STEP: f32 = 10.0;
/// Steps beyond this many times the usual one are motion.
const STEP_FACTOR: f32 = 6.0;
/// Share of moving points at which the board is disturbed: three points in a thousand, one fingertip.
const MOVING_SHARE: f64 = 0.003;

/// Points looked at.
const LOOKED_AT: usize = POINTS / (STRIDE * STRIDE);
/// How much of the contrast within a point's four pixels may be a shake below a pixel. The tracker follows larger ones.
const SHAKE: f32 = 0.35;

/// Watches for motion on the board between pictures. Its buffers are made once: nothing is allocated for a picture.
#[derive(Debug, Clone, Default)]
pub struct Stillness {
    /// Luminance of the points in the picture before, and its contrast around each; empty before the first one.
    last: Vec<[f32; 2]>,
    now: Vec<[f32; 2]>,
    sorted: Vec<f32>,
    still_since: Option<Stamp>,
    noise: f32,
}

/// What a picture says of motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Share of the board's points that moved since the picture before.
    pub moving_share: f64,
    /// How long nothing has moved.
    pub still_s: f64,
}

impl Motion {
    /// Is something moving on the board now?
    #[must_use]
    pub fn disturbed(&self) -> bool {
        self.moving_share > MOVING_SHARE
    }
}

impl Stillness {
    /// Compares the picture with the one before.
    pub fn see(&mut self, frame: &Frame<'_>, image_from_board: &BoardMap, stamp: Stamp) -> Motion {
        let looked_at = |i: &usize| i.is_multiple_of(STRIDE) && (i / POINTS_PER_SIDE).is_multiple_of(STRIDE);
        self.now.clear();
        self.now.extend((0..POINTS).filter(looked_at).map(|index| {
            let at = image_from_board.to_image(point(index));
            // Two by two pixels: half the noise at a quarter of the board's points.
            let (x, y) = (at.x.max(0.0) as u32, at.y.max(0.0) as u32);
            let four = [frame.luma(x, y), frame.luma(x + 1, y), frame.luma(x, y + 1), frame.luma(x + 1, y + 1)];
            let (low, high) = four.iter().fold((u8::MAX, 0), |(low, high), v| (low.min(*v), high.max(*v)));
            [0.25 * four.into_iter().map(f32::from).sum::<f32>(), f32::from(high - low)]
        }));
        let moving_share = if self.last.len() == LOOKED_AT { self.moving_share() } else { 1.0 };
        std::mem::swap(&mut self.last, &mut self.now);
        let since = match self.still_since {
            Some(since) if moving_share <= MOVING_SHARE && since <= stamp => since,
            _ => stamp,
        };
        self.still_since = Some(since);
        Motion { moving_share, still_s: stamp.since_s(since) }
    }

    /// Share of the points that differ from the picture before.
    fn moving_share(&mut self) -> f64 {
        let middle = LOOKED_AT / 2;
        let sorted = &mut self.sorted;
        let pairs = || self.now.iter().zip(&self.last);
        // A step of the whole picture is the exposure's, not a hand's.
        sorted.clear();
        sorted.extend(pairs().map(|(a, b)| a[0] - b[0]));
        let common = *sorted.select_nth_unstable_by(middle, f32::total_cmp).1;
        sorted.clear();
        sorted.extend(pairs().map(|(a, b)| (a[0] - b[0] - common).abs()));
        let usual = *sorted.select_nth_unstable_by(middle, f32::total_cmp).1;
        // The usual step of a still picture is the noise; a moving one must not raise the bar.
        self.noise =
            if self.noise == 0.0 { usual } else { self.noise + 0.1 * (usual.min(2.0 * self.noise) - self.noise) };
        let bar = LEAST_STEP.max(STEP_FACTOR * self.noise.max(0.5));
        let moving = pairs().filter(|(a, b)| (a[0] - b[0] - common).abs() > bar + SHAKE * a[1].max(b[1])).count();
        moving as f64 / LOOKED_AT as f64
    }

    /// Forgets the picture before: the next one begins anew.
    pub fn reset(&mut self) {
        self.last.clear();
        self.still_since = None;
    }
}
