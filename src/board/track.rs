//! Following the board from one picture to the next.
//!
//! The crossings between squares are measured where they were, those that men or hands cover are noticed by their
//! colours or their disagreement and left out, and the corners are moved to fit the rest. Every picture is measured
//! against the squares themselves, not against the picture before: errors do not add up. When most crossings are not
//! where they were, shifts and turns of up to half a square are tried before giving up. (The thought of searching
//! near the last place, on the parts without men: A. Carta and M. Corsolini, "A new approach to an old problem", §2.2.)

use nalgebra::{SMatrix, SVector, Vector2};
use shakmaty::{Board, File, Rank, Square};

use super::{
    crossings,
    geometry::{BoardPoint, Corners, Homography, ImagePoint},
};
use crate::frame::Frame;

/// Where the four squares at a crossing are compared, in squares from it: clear of the lines, near enough to be
/// visible between men.
const QUADRANT_SQUARES: f64 = 0.2;
/// Least contrast of a crossing, as a part of that of the board's middle one: shadows halve it.
const LEAST_CONTRAST: f64 = 0.25;
/// Farthest that a crossing is from where its neighbours' movement puts it, in squares: beyond it something else was
/// measured.
const OFF_PLACE_SQUARES: f64 = 0.06;
/// Part of the known crossings that must be seen in place before a picture changes anything.
const LEAST_QUALITY: f64 = 0.25;
/// Part of them that makes a wider search needless.
const GOOD_QUALITY: f64 = 0.6;
/// Movements of all corners below this, in squares, are taken for noise and followed slowly.
const NOISE_SQUARES: f64 = 0.01;
/// How fast such noise is followed: a tenth of a second's pictures at 30 a second weigh as much as all before.
const NOISE_GAIN: f64 = 0.25;
/// Farthest shift tried in the wider search, in squares. The pattern repeats after one square along both
/// directions at once; half of that is told apart with room to spare.
const WIDEST_SHIFT_SQUARES: f64 = 0.6;
/// Step of the wider search, in squares: half the reach of a crossing's measurement.
const SHIFT_STEP_SQUARES: f64 = 0.1;
/// Turns tried in the wider search, in radians about the board's middle: 2.3° moves a corner by 0.22 squares.
const TURNS_RAD: [f64; 5] = [0.0, 0.02, -0.02, 0.04, -0.04];
/// How much of a crossing's distance from its ideal place is believed when a man stands beside it: the line of his foot
/// draws the measurement. Tried on the rendered recordings, together with [`OFFSET_LATER`]: believing all, this part
/// and nothing gave 0.086, 0.031 and 0.036 squares of median corner error on the worst of them.
const OFFSET_BESIDE_MEN: f64 = 0.5;
/// The same for crossings first seen later, under a map that was followed: its own error must not become theirs, or
/// slow drift would accumulate.
const OFFSET_LATER: f64 = 0.3;
/// Largest window in which a crossing is measured, in pixels: beyond it nothing is gained but time lost.
const WINDOW_PX: f64 = 8.0;

/// A crossing that is followed.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// File and rank lines, 1 to 7.
    board: BoardPoint,
    /// Where it lies beside its ideal place, in squares: boards are cut unevenly. `None` until it was seen.
    offset: Option<Vector2<f64>>,
    /// +1 where the squares towards h8 and a1 are dark, else -1.
    sign: f64,
    /// A man is expected on one of the four squares.
    beside_men: bool,
}

/// Follows a board.
#[derive(Debug, Clone)]
pub struct Tracker {
    map: Homography,
    marks: Vec<Mark>,
    /// Typical distance between light and dark at a crossing, grey levels.
    contrast: f64,
}

/// Where the board is in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackResult {
    /// Pixels from board coordinates, in this picture; that of the last good picture when the quality is too low.
    pub homography: Homography,
    /// Root mean square distance of the crossings that agree from it, in pixels.
    pub residual_px: f64,
    /// Part of the known crossings that were seen in place: 1 for a free view, low for a hand over the board,
    /// near 0 where the board is gone.
    pub quality: f64,
    /// Farthest that a corner moved since the last picture, in squares.
    pub moved_squares: f64,
    /// Was the picture good enough to be followed?
    pub followed: bool,
}

/// A crossing measured: which mark, where, and how far one square is there.
#[derive(Debug, Clone, Copy)]
struct Seen {
    mark: usize,
    at: ImagePoint,
    spacing: f64,
}

impl Tracker {
    /// Begins to follow a board whose outer corners are known. `men`: what stands on it, `None` if not known.
    /// `None` for corners without a homography.
    #[must_use]
    pub fn new(frame: &Frame<'_>, corners: &Corners, men: Option<&Board>) -> Option<Self> {
        let map = Homography::from_corners(corners)?;
        let marks = (1..8_u8)
            .flat_map(|j| (1..8_u8).map(move |i| (i, j)))
            .map(|(i, j)| Mark {
                board: BoardPoint::new(f64::from(i), f64::from(j)),
                offset: None,
                sign: if (i + j) % 2 == 0 { 1.0 } else { -1.0 },
                beside_men: false,
            })
            .collect();
        let mut tracker = Self { map, marks, contrast: 0.0 };
        tracker.set_men(men);
        tracker.calibrate(frame);
        Some(tracker)
    }

    /// Tells what stands on the board now: crossings beside men count less.
    pub fn set_men(&mut self, men: Option<&Board>) {
        for mark in &mut self.marks {
            let (file, rank) = (mark.board.x as u32, mark.board.y as u32);
            let before = mark.beside_men;
            mark.beside_men = men.is_some_and(|men| {
                [(0, 0), (1, 0), (0, 1), (1, 1)].iter().any(|(df, dr)| {
                    let square = Square::from_coords(File::new(file - df), Rank::new(rank - dr));
                    men.piece_at(square).is_some()
                })
            });
            // What was measured may have been the man's foot.
            if before && !mark.beside_men {
                mark.offset = None;
            }
        }
    }

    /// The map as last followed.
    #[must_use]
    pub const fn homography(&self) -> &Homography {
        &self.map
    }

    /// Looks where the board is now.
    pub fn track(&mut self, frame: &Frame<'_>) -> TrackResult {
        let known = self.marks.iter().filter(|m| m.offset.is_some()).count().max(1) as f64;
        let mut best = self.measured(frame, &self.map, false);
        if (best.1 as f64) < GOOD_QUALITY * known
            && let Some(start) = self.search(frame)
        {
            let wide = self.measured(frame, &start, true);
            if wide.1 > best.1 {
                best = wide;
            }
        }
        let (map, count, residual_px) = best;
        let quality = (count as f64 / known).min(1.0);
        // Fewer than six crossings can agree by chance.
        if quality < LEAST_QUALITY || count < 6 {
            return TrackResult { homography: self.map, residual_px, quality, moved_squares: 0.0, followed: false };
        }
        let square_px = self.map.corners().square_px();
        let moved_squares = farthest(&self.map, &map) / square_px;
        if moved_squares < NOISE_SQUARES {
            self.map = between(&self.map, &map, NOISE_GAIN).unwrap_or(map);
        } else {
            self.map = map;
        }
        if quality > GOOD_QUALITY {
            self.learn(frame, false);
        }
        TrackResult { homography: self.map, residual_px, quality, moved_squares, followed: true }
    }

    /// First look: which crossings can be seen, where exactly, and with what contrast.
    fn calibrate(&mut self, frame: &Frame<'_>) {
        let mut contrasts: Vec<f64> =
            self.marks.iter().filter_map(|m| contrast(frame, &self.map, m, Vector2::zeros(), 0.0)).collect();
        contrasts.sort_by(f64::total_cmp);
        // Corners may be given with a1 on a light square; then all signs are the other way.
        let middle = contrasts.get(contrasts.len() / 2).copied().unwrap_or(0.0);
        if middle < 0.0 {
            for mark in &mut self.marks {
                mark.sign = -mark.sign;
            }
        }
        self.contrast = middle.abs();
        self.learn(frame, true);
    }

    /// Notes the places of crossings not seen before; `first`: with the map as it was given, not as it was followed.
    fn learn(&mut self, frame: &Frame<'_>, first: bool) {
        let map = self.map;
        let least = LEAST_CONTRAST * self.contrast;
        for mark in &mut self.marks {
            if mark.offset.is_some() {
                continue;
            }
            let expected = map.to_image(mark.board);
            let spacing = spacing(&map, mark.board);
            let Some(at) = crossings::refine(frame, expected, window(spacing)) else { continue };
            let offset = map.to_board(at) - mark.board;
            if offset.norm() < 1.5 * OFF_PLACE_SQUARES
                && contrast(frame, &map, mark, at - expected, least).is_some_and(|c| c > least)
            {
                let part = match (first, mark.beside_men) {
                    (true, false) => 1.0,
                    (true, true) => OFFSET_BESIDE_MEN,
                    (false, _) => OFFSET_LATER,
                };
                mark.offset = Some(offset * part);
            }
        }
    }

    /// The map moved onto the crossings seen near where `start` has them; how many agree, and how well.
    fn measured(&self, frame: &Frame<'_>, start: &Homography, twice: bool) -> (Homography, usize, f64) {
        let mut map = *start;
        let mut result = (map, 0, 0.0);
        for _ in 0..if twice { 2 } else { 1 } {
            let seen = self.look(frame, &map);
            let Some(fitted) = self.fit(&map, &seen) else { return result };
            map = fitted.0;
            result = fitted;
        }
        result
    }

    fn look(&self, frame: &Frame<'_>, map: &Homography) -> Vec<Seen> {
        let least = LEAST_CONTRAST * self.contrast;
        let mut seen = Vec::with_capacity(self.marks.len());
        for (i, mark) in self.marks.iter().enumerate() {
            let Some(offset) = mark.offset else { continue };
            let expected = map.to_image(mark.board + offset);
            let spacing = spacing(map, mark.board);
            // The colours around are compared first where it was: cheaper than the measurement.
            let Some(at) = crossings::refine(frame, expected, window(spacing)) else { continue };
            let shift = at - map.to_image(mark.board);
            if contrast(frame, map, mark, shift, least).is_some_and(|c| c > least) {
                seen.push(Seen { mark: i, at, spacing });
            }
        }
        seen
    }

    /// Moves the four corners so that the crossings fit, disagreeing ones held back; corners that nothing is seen of
    /// move with the others.
    fn fit(&self, start: &Homography, seen: &[Seen]) -> Option<(Homography, usize, f64)> {
        if seen.len() < 4 {
            return None;
        }
        let expected = |map: &Homography, s: &Seen| {
            let mark = &self.marks[s.mark];
            map.to_image(mark.board + mark.offset.unwrap_or_default())
        };
        // The common shift first, by the median: up to half of the crossings may be wrong.
        let median = |values: &mut Vec<f64>| -> f64 {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let shifts: Vec<Vector2<f64>> = seen.iter().map(|s| s.at - expected(start, s)).collect();
        let shift = Vector2::new(
            median(&mut shifts.iter().map(|s| s.x).collect()),
            median(&mut shifts.iter().map(|s| s.y).collect()),
        );
        let mut map = moved(start, &[shift; 4])?;
        let mut gate = 3.0;
        for _ in 0..8 {
            let mut normal = SMatrix::<f64, 8, 8>::zeros();
            let mut right = SVector::<f64, 8>::zeros();
            for s in seen {
                let residual = s.at - expected(&map, s);
                let scale = gate * OFF_PLACE_SQUARES * s.spacing;
                let trust = if self.marks[s.mark].beside_men { 0.4 } else { 1.0 };
                let off = residual.norm() / scale;
                // Tukey's weight: nothing beyond the gate.
                let weight = if off < 1.0 { trust * (1.0 - off * off).powi(2) } else { continue };
                let (u, v) = (self.marks[s.mark].board.x / 8.0, self.marks[s.mark].board.y / 8.0);
                let parts = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
                for (a, pa) in parts.iter().enumerate() {
                    for (b, pb) in parts.iter().enumerate() {
                        normal[(2 * a, 2 * b)] += weight * pa * pb;
                        normal[(2 * a + 1, 2 * b + 1)] += weight * pa * pb;
                    }
                    right[2 * a] += weight * pa * residual.x;
                    right[2 * a + 1] += weight * pa * residual.y;
                }
            }
            // Neighbouring corners tend to move alike: weak springs between them, as strong as a tenth of a crossing.
            const SPRING: f64 = 0.1;
            for a in 0..4 {
                let b = (a + 1) % 4;
                for k in 0..2 {
                    normal[(2 * a + k, 2 * a + k)] += SPRING;
                    normal[(2 * b + k, 2 * b + k)] += SPRING;
                    normal[(2 * a + k, 2 * b + k)] -= SPRING;
                    normal[(2 * b + k, 2 * a + k)] -= SPRING;
                }
            }
            for k in 0..8 {
                normal[(k, k)] += 1e-6;
            }
            let step = normal.cholesky()?.solve(&right);
            map = moved(&map, &std::array::from_fn(|a| Vector2::new(step[2 * a], step[2 * a + 1])))?;
            gate = (0.7 * gate).max(1.0);
        }
        let near: Vec<f64> = seen
            .iter()
            .map(|s| ((s.at - expected(&map, s)).norm(), s.spacing))
            .filter(|(d, spacing)| *d < OFF_PLACE_SQUARES * spacing)
            .map(|(d, _)| d)
            .collect();
        let n = near.len();
        let residual = if n == 0 { 0.0 } else { (near.iter().map(|d| d * d).sum::<f64>() / n as f64).sqrt() };
        Some((map, n, residual))
    }

    /// The shift and turn under which the crossings' colours fit best.
    fn search(&self, frame: &Frame<'_>) -> Option<Homography> {
        let corners = self.map.corners().0;
        let middle = self.map.to_image(BoardPoint::new(4.0, 4.0));
        let square = self.map.corners().square_px();
        let steps = (WIDEST_SHIFT_SQUARES / SHIFT_STEP_SQUARES).round() as i32;
        let mut best: Option<(f64, Homography)> = None;
        for turn in TURNS_RAD {
            let (sin, cos) = turn.sin_cos();
            let turned: [Vector2<f64>; 4] = std::array::from_fn(|i| {
                let d = corners[i] - middle;
                Vector2::new(cos * d.x - sin * d.y, sin * d.x + cos * d.y) - d
            });
            let Some(map) = moved(&self.map, &turned) else { continue };
            // Where the four squares around each crossing are looked at, before the shift.
            let marks: Vec<([ImagePoint; 4], f64)> = self
                .marks
                .iter()
                .filter(|m| m.offset.is_some())
                .map(|m| (quadrants(&map, m), if m.beside_men { 0.5 * m.sign } else { m.sign }))
                .collect();
            for y in -steps..=steps {
                for x in -steps..=steps {
                    let shift = Vector2::new(f64::from(x), f64::from(y)) * (SHIFT_STEP_SQUARES * square);
                    let score: f64 = marks
                        .iter()
                        .map(|(points, sign)| {
                            let Some([a, b, c, d]) = lumas(frame, points, shift) else { return 0.0 };
                            // One bright thing must not outweigh the others.
                            (sign * (b + d - a - c) / 2.0).clamp(-1.5 * self.contrast, 1.5 * self.contrast)
                        })
                        .sum();
                    if best.as_ref().is_none_or(|b| score > b.0)
                        && let Some(map) = moved(&map, &[shift; 4])
                    {
                        best = Some((score, map));
                    }
                }
            }
        }
        best.map(|b| b.1)
    }
}

/// Radius of the window in which a crossing is measured: it must not reach the next lines.
fn window(spacing: f64) -> f64 {
    (0.25 * spacing).min(WINDOW_PX)
}

/// Shortest distance to the next crossing, in pixels.
fn spacing(map: &Homography, at: BoardPoint) -> f64 {
    let here = map.to_image(at);
    let x = (map.to_image(BoardPoint::new(at.x + 1.0, at.y)) - here).norm();
    let y = (map.to_image(BoardPoint::new(at.x, at.y + 1.0)) - here).norm();
    x.min(y)
}

/// The middle-ward points of the four squares around a crossing: towards h8, a8, a1, h1.
fn quadrants(map: &Homography, mark: &Mark) -> [ImagePoint; 4] {
    let q = QUADRANT_SQUARES;
    let at = mark.board + mark.offset.unwrap_or_default();
    [(q, q), (-q, q), (-q, -q), (q, -q)].map(|(x, y)| map.to_image(BoardPoint::new(at.x + x, at.y + y)))
}

fn lumas(frame: &Frame<'_>, points: &[ImagePoint; 4], shift: Vector2<f64>) -> Option<[f64; 4]> {
    let mut out = [0.0; 4];
    for (o, p) in out.iter_mut().zip(points) {
        let (x, y) = ((p.x + shift.x).round(), (p.y + shift.y).round());
        if !(x >= 0.0 && y >= 0.0 && x < f64::from(frame.width()) && y < f64::from(frame.height())) {
            return None;
        }
        *o = f64::from(frame.luma(x as u32, y as u32));
    }
    Some(out)
}

/// Light less dark around a crossing at `shift` from its ideal place, positive when the right squares are light.
/// `None` outside the picture, or when a light square is not lighter than a dark one by half of `least`.
fn contrast(frame: &Frame<'_>, map: &Homography, mark: &Mark, shift: Vector2<f64>, least: f64) -> Option<f64> {
    let ideal = Mark { offset: None, ..*mark };
    let [a, b, c, d] = lumas(frame, &quadrants(map, &ideal), shift)?;
    let difference = mark.sign * (b + d - a - c) / 2.0;
    let (light, dark) = if mark.sign > 0.0 { ([b, d], [a, c]) } else { ([a, c], [b, d]) };
    let gap = light[0].min(light[1]) - dark[0].max(dark[1]);
    (least <= 0.0 || gap > 0.5 * least).then_some(difference)
}

/// The map with its four corners moved, in pixels.
fn moved(map: &Homography, by: &[Vector2<f64>; 4]) -> Option<Homography> {
    let corners = map.corners().0;
    let corners = std::array::from_fn(|i| corners[i] + by[i]);
    Homography::from_corners(&Corners(corners))
}

/// Farthest that a corner lies from the same one of the other map, in pixels.
fn farthest(a: &Homography, b: &Homography) -> f64 {
    a.corners().0.iter().zip(&b.corners().0).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
}

/// A map `part` of the way from one to the other.
fn between(from: &Homography, to: &Homography, part: f64) -> Option<Homography> {
    let (a, b) = (from.corners().0, to.corners().0);
    moved(from, &std::array::from_fn(|i| (b[i] - a[i]) * part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    const SIZE: (u32, u32) = (640, 480);
    const CORNERS: [[f64; 2]; 4] = [[120.0, 420.0], [530.0, 410.0], [460.0, 90.0], [180.0, 95.0]];

    fn map(corners: [[f64; 2]; 4]) -> Homography {
        Homography::from_corners(&Corners::new(corners).expect("corners")).expect("a map")
    }

    /// A board of two greys with a frame, four samples a pixel, and a little deterministic noise.
    fn picture(map: &Homography) -> Vec<u8> {
        let mut noise = 12_345_u32;
        let mut data = Vec::new();
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                let mut sum = 0.0;
                for k in 0..4 {
                    let (dx, dy) = (f64::from(k % 2) * 0.5 - 0.25, f64::from(k / 2) * 0.5 - 0.25);
                    let b = map.to_board(ImagePoint::new(f64::from(x) + dx, f64::from(y) + dy));
                    let on = (0.0..8.0).contains(&b.x) && (0.0..8.0).contains(&b.y);
                    let light = (b.x.floor() + b.y.floor()) as i64 % 2 != 0;
                    sum += if !on {
                        110.0
                    } else if light {
                        190.0
                    } else {
                        80.0
                    };
                }
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                data.push((sum / 4.0 + f64::from(noise >> 28) - 7.5) as u8);
            }
        }
        data
    }

    fn frame(data: &[u8]) -> Frame<'_> {
        Frame::new(SIZE.0, SIZE.1, SIZE.0 as usize, PixelFormat::Mono8, data).expect("a frame")
    }

    fn start(corners: [[f64; 2]; 4]) -> Tracker {
        let data = picture(&map(corners));
        Tracker::new(&frame(&data), &Corners::new(corners).expect("corners"), Some(&Board::empty())).expect("a tracker")
    }

    fn shifted(by: [f64; 2], turn: f64) -> [[f64; 2]; 4] {
        let (s, c) = turn.sin_cos();
        CORNERS.map(|[x, y]| {
            let (x, y) = (x - 320.0, y - 250.0);
            [320.0 + c * x - s * y + by[0], 250.0 + s * x + c * y + by[1]]
        })
    }

    #[test]
    fn at_rest_it_rests() {
        let mut tracker = start(CORNERS);
        let truth = map(CORNERS);
        let data = picture(&truth);
        for _ in 0..20 {
            let result = tracker.track(&frame(&data));
            assert!(result.followed && result.quality > 0.95, "{result:?}");
            assert!(farthest(&result.homography, &truth) < 0.25, "{result:?}");
        }
    }

    #[test]
    fn shifts_and_turns_up_to_half_a_square_are_followed_at_once() {
        // Squares are about 42 pixels wide.
        for (by, turn) in [
            ([0.4, -0.3], 0.0),
            ([3.0, 2.0], 0.003),
            ([-10.0, 6.0], 0.0),
            ([14.0, 14.0], 0.01),
            ([-20.0, 3.0], -0.03),
            ([5.0, -18.0], 0.035),
        ] {
            let mut tracker = start(CORNERS);
            let truth = map(shifted(by, turn));
            let data = picture(&truth);
            let mut result = tracker.track(&frame(&data));
            assert!(result.followed && result.quality > 0.8, "{by:?} {turn}: {result:?}");
            assert!(
                farthest(&result.homography, &truth) < 1.5,
                "{by:?} {turn}: {}",
                farthest(&result.homography, &truth)
            );
            for _ in 0..6 {
                result = tracker.track(&frame(&data));
            }
            // One and a half hundredths of a square: the corners lie one square outside what is measured, in noise.
            assert!(
                farthest(&result.homography, &truth) < 0.6,
                "{by:?} {turn}: {}",
                farthest(&result.homography, &truth)
            );
        }
    }

    #[test]
    fn a_hand_over_half_of_the_board_changes_nothing() {
        let mut tracker = start(CORNERS);
        let truth = map(shifted([1.5, -1.0], 0.0));
        let mut data = picture(&truth);
        for y in 0..480_usize {
            for x in 0..640_usize {
                if x + y / 3 > 430 {
                    data[y * 640 + x] = 150 + (x % 23) as u8;
                }
            }
        }
        let result = tracker.track(&frame(&data));
        assert!(result.followed && result.quality < 0.9, "{result:?}");
        assert!(farthest(&result.homography, &truth) < 1.0, "{}", farthest(&result.homography, &truth));
    }

    #[test]
    fn a_board_that_is_gone_is_not_followed() {
        let mut tracker = start(CORNERS);
        let before = *tracker.homography();
        let data: Vec<u8> = (0..640 * 480_u64).map(|i| 100 + ((i * 7919) % 31) as u8).collect();
        let result = tracker.track(&frame(&data));
        assert!(!result.followed && result.quality < LEAST_QUALITY, "{result:?}");
        assert_eq!(*tracker.homography(), before);
    }

    #[test]
    fn slow_drift_does_not_accumulate() {
        let mut tracker = start(CORNERS);
        for step in 1..=60 {
            let truth = map(shifted([0.25 * f64::from(step), -0.1 * f64::from(step)], 0.0005 * f64::from(step)));
            let result = tracker.track(&frame(&picture(&truth)));
            assert!(
                farthest(&result.homography, &truth) < 1.6,
                "step {step}: {}",
                farthest(&result.homography, &truth)
            );
        }
    }

    #[test]
    fn a_picture_smaller_than_the_board_is_no_panic() {
        let mut tracker = start(CORNERS);
        let tiny = Frame::new(1, 1, 1, PixelFormat::Mono8, &[9]).expect("a frame");
        assert!(!tracker.track(&tiny).followed);
    }
}
