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

/// Watches for motion on the board between pictures.
#[derive(Debug, Clone, Default)]
pub struct Stillness {
    last: Vec<f32>,
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
        let now: Vec<f32> = (0..POINTS)
            .filter(|i| i.is_multiple_of(STRIDE) && (i / POINTS_PER_SIDE).is_multiple_of(STRIDE))
            .map(|index| {
                let at = image_from_board.to_image(point(index));
                // Two by two pixels: half the noise at a quarter of the board's points.
                let (x, y) = (at.x.max(0.0) as u32, at.y.max(0.0) as u32);
                0.25 * [frame.luma(x, y), frame.luma(x + 1, y), frame.luma(x, y + 1), frame.luma(x + 1, y + 1)]
                    .into_iter()
                    .map(f32::from)
                    .sum::<f32>()
            })
            .collect();
        let moving_share = if self.last.len() == now.len() {
            let mut steps: Vec<f32> = now.iter().zip(&self.last).map(|(a, b)| a - b).collect();
            // A step of the whole picture is the exposure's, not a hand's.
            let middle = steps.len() / 2;
            let common = *steps.select_nth_unstable_by(middle, f32::total_cmp).1;
            let mut sizes: Vec<f32> = steps.iter().map(|s| (s - common).abs()).collect();
            let usual = *sizes.select_nth_unstable_by(middle, f32::total_cmp).1;
            // The usual step of a still picture is the noise; a moving one must not raise the bar.
            self.noise =
                if self.noise == 0.0 { usual } else { self.noise + 0.1 * (usual.min(2.0 * self.noise) - self.noise) };
            let bar = LEAST_STEP.max(STEP_FACTOR * self.noise.max(0.5));
            sizes.iter().filter(|s| **s > bar).count() as f64 / sizes.len() as f64
        } else {
            1.0
        };
        self.last = now;
        let since = match self.still_since {
            Some(since) if moving_share <= MOVING_SHARE && since <= stamp => since,
            _ => stamp,
        };
        self.still_since = Some(since);
        Motion { moving_share, still_s: stamp.since_s(since) }
    }

    /// Forgets the picture before: the next one begins anew.
    pub fn reset(&mut self) {
        *self = Self { noise: self.noise, ..Self::default() };
    }
}
