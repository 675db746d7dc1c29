//! Which squares are at rest? Every point is compared with the picture before, and each square's rest is timed by itself:
//! a hand in one corner of the board does not hide what the others show. A hand that rests is at rest; that it covers
//! something is for the evidence to say.

use shakmaty::{Bitboard, Square};

use crate::{
    board::map::BoardMap,
    frame::{Frame, Stamp, Visit, luma_from_rgb},
    sight::{
        coverage::{POINTS, POINTS_PER_SIDE, point},
        exposure::Exposure,
    },
};

/// A quarter of the sample points, spread evenly: a fingertip (a third of a square) still covers several.
const STRIDE: usize = 2;
/// Points looked at.
const LOOKED_AT: usize = POINTS / (STRIDE * STRIDE);
/// Least step of luminance that is motion: above the flicker of lamps and JPEG.
const LEAST_STEP: f32 = 10.0;
/// Steps beyond this many times the usual one are motion.
const STEP_FACTOR: f32 = 6.0;
/// Share of moving points at which something moves: three points in a thousand, one fingertip.
const MOVING_SHARE: f64 = 0.003;
/// How much of the contrast within a point's four pixels may be a shake below a pixel. The tracker follows larger ones.
const SHAKE: f32 = 0.35;
/// How much of a change of the whole picture may be the camera's own curve (gamma, contrast) and not a line.
const CURVE: f32 = 0.3;
/// How fast a point's flicker is believed, of what it is said to be, and forgotten. A lamp that beats against the shutter
/// is known after some ten pictures; a hand that comes and goes once is not one.
const FLICKER_RISE: f32 = 0.15;
const FLICKER_FALL: f32 = 0.02;
/// A flickering point moves from this many times its flicker on.
const FLICKER_FACTOR: f32 = 2.0;
/// No lamp flickers by more levels: hands do.
const MOST_FLICKER: f32 = 10.0;

/// Least rest that is taken for one where none was seen, in seconds: however short a rest is asked for, a hand takes so long to
/// come and go.
const LEAST_UNSEEN_REST_S: f64 = 0.25;

/// Watches for motion on the board between pictures. Its buffers are made once: nothing is allocated for a picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stillness {
    /// The place of the board and the size of the picture that `places` is for.
    aim: Option<(BoardMap, [u32; 2])>,
    /// Column and row of the points' first pixels.
    places: Vec<[u16; 2]>,
    /// The points in the picture before, and now; empty before the first one.
    last: Vec<Seen>,
    now: Vec<Seen>,
    habits: Vec<Habit>,
    scratch: Vec<f32>,
    noise: f32,
    /// Since when each square is at rest, and all of them; `None` before the first picture.
    since: Option<([Stamp; 64], Stamp)>,
    /// When the picture before was taken.
    taken: Option<Stamp>,
}

/// A point in one picture.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Luminance.
    level: f32,
    /// Contrast between its pixels.
    contrast: f32,
}

/// What a point does while nothing is there.
#[derive(Debug, Clone, Copy, Default)]
struct Habit {
    /// The last step of its luminance, without what the whole picture did.
    step: f32,
    /// How far it swings to and fro, in levels.
    flicker: f32,
}

/// What a picture says of motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Squares on which something moved since the picture before.
    pub moving: Bitboard,
    /// How long nothing has moved anywhere on the board.
    pub(crate) still_s: f64,
    /// How long nothing has moved on each square. What has changed since the picture before moved at a time that nobody knows:
    /// it has rested for half that gap in the mean.
    rest_s: [f64; 64],
}

impl Motion {
    /// Is something moving on the board now?
    #[must_use]
    pub fn disturbed(&self) -> bool {
        self.moving.any()
    }

    /// The squares on which nothing has moved for so long, as likely as not.
    #[must_use]
    pub fn settled(&self, rest_s: f64) -> Bitboard {
        let asked_s = |square| if self.moving.contains(square) { rest_s.max(LEAST_UNSEEN_REST_S) } else { rest_s };
        Square::ALL.into_iter().filter(|square| self.rest_s[usize::from(*square)] >= asked_s(*square)).collect()
    }
}

impl Stillness {
    /// Compares the picture with the one before.
    pub fn see(&mut self, frame: &Frame<'_>, image_from_board: &BoardMap, stamp: Stamp) -> Motion {
        let aim = (*image_from_board, [frame.width(), frame.height()]);
        if self.aim != Some(aim) {
            self.aim_at(aim.0, aim.1);
            self.aim = Some(aim);
        }
        frame.visit(Reader { places: &self.places, size: aim.1, seen: &mut self.now });
        let moving = if self.last.len() == LOOKED_AT { self.moving() } else { Bitboard::FULL };
        std::mem::swap(&mut self.last, &mut self.now);
        let (since, all_since) = self.since.get_or_insert(([stamp; 64], stamp));
        for square in Square::ALL {
            let since = &mut since[usize::from(square)];
            if moving.contains(square) || *since > stamp {
                *since = stamp;
            }
        }
        if moving.any() || *all_since > stamp {
            *all_since = stamp;
        }
        let unseen_s = self.taken.replace(stamp).map_or(0.0, |taken| 0.5 * stamp.since_s(taken));
        let mut rest_s = since.map(|since| stamp.since_s(since));
        moving.into_iter().for_each(|square| rest_s[usize::from(square)] = unseen_s);
        Motion { moving, still_s: stamp.since_s(*all_since), rest_s }
    }

    fn aim_at(&mut self, image_from_board: BoardMap, size: [u32; 2]) {
        let looked_at = |i: &usize| i.is_multiple_of(STRIDE) && (i / POINTS_PER_SIDE).is_multiple_of(STRIDE);
        self.places.clear();
        self.places.extend((0..POINTS).filter(looked_at).map(|index| {
            let at = image_from_board.to_image(point(index));
            // What is outside the picture, or nowhere, is read at its edge: nothing moves there.
            [0, 1].map(|i| at[i].clamp(0.0, f64::from(size[i] - 1)) as u16)
        }));
    }

    /// The squares with points that differ from the picture before.
    fn moving(&mut self) -> Bitboard {
        let levels = || self.last.iter().zip(&self.now).map(|(last, now)| (last.level, now.level));
        // A step of the whole picture is the exposure's, not a hand's.
        let exposure = Exposure::between(levels, &mut self.scratch);
        self.scratch.clear();
        self.scratch.extend(levels().map(|(last, now)| (now - exposure.after(last)).abs()));
        let middle = LOOKED_AT / 2;
        let usual = *self.scratch.select_nth_unstable_by(middle, f32::total_cmp).1;
        // The usual step of a still picture is the noise; a moving one must not raise the bar.
        self.noise =
            if self.noise == 0.0 { usual } else { self.noise + 0.1 * (usual.min(2.0 * self.noise) - self.noise) };
        let bar = LEAST_STEP.max(STEP_FACTOR * self.noise.max(0.5));
        self.habits.resize(LOOKED_AT, Habit::default());
        let mut counts = [0_u32; 64];
        for (k, (habit, (last, now))) in self.habits.iter_mut().zip(self.last.iter().zip(&self.now)).enumerate() {
            let expected = exposure.after(last.level);
            let step = now.level - expected;
            let bar = bar
                + SHAKE * last.contrast.max(now.contrast)
                + CURVE * (expected - last.level).abs()
                + FLICKER_FACTOR * habit.flicker;
            counts[k / (LOOKED_AT / 64)] += u32::from(step.abs() > bar);
            habit.follow(step);
        }
        let all: u32 = counts.iter().sum();
        if f64::from(all) <= MOVING_SHARE * LOOKED_AT as f64 {
            return Bitboard::EMPTY;
        }
        Square::ALL.into_iter().filter(|square| counts[usize::from(*square)] > 0).collect()
    }

    /// Forgets the picture before: the next one begins anew.
    pub(crate) fn reset(&mut self) {
        self.last.clear();
        self.habits.clear();
        (self.since, self.taken) = (None, None);
    }
}

impl Habit {
    fn follow(&mut self, step: f32) {
        // What comes and goes: the smaller of two steps in opposite directions.
        let swing = if step * self.step < 0.0 { step.abs().min(self.step.abs()).min(MOST_FLICKER) } else { 0.0 };
        let rate = if swing > self.flicker { FLICKER_RISE } else { FLICKER_FALL };
        self.flicker += rate * (swing - self.flicker);
        self.step = step;
    }
}

struct Reader<'a> {
    places: &'a [[u16; 2]],
    size: [u32; 2],
    seen: &'a mut Vec<Seen>,
}

impl Visit for Reader<'_> {
    type Answer = ();

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) {
        let last = self.size.map(|s| s as usize - 1);
        self.seen.clear();
        self.seen.extend(self.places.iter().map(|place| {
            // Two by two pixels: half the noise at a quarter of the board's points.
            let [x, y] = place.map(usize::from);
            let (x1, y1) = ((x + 1).min(last[0]), (y + 1).min(last[1]));
            let four = [(x, y), (x1, y), (x, y1), (x1, y1)].map(|(x, y)| luma_from_rgb(rgb(x, y)));
            let (low, high) = four.iter().fold((u8::MAX, 0), |(low, high), v| (low.min(*v), high.max(*v)));
            Seen { level: 0.25 * four.into_iter().map(f32::from).sum::<f32>(), contrast: f32::from(high - low) }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{corners::Corners, geometry::BoardPoint};

    const RATE_HZ: f64 = 25.0;

    /// A board of 40 pixels a square, seen from above: chequers under a lamp at one side.
    struct Scene {
        stillness: Stillness,
        map: BoardMap,
        pictures: u32,
        apart_s: f64,
    }

    impl Scene {
        fn new() -> Self {
            let corners = [[20.0, 340.0], [340.0, 340.0], [340.0, 20.0], [20.0, 20.0]];
            let map = BoardMap::from_corners(&Corners::new(corners).unwrap(), None).unwrap();
            Self { stillness: Stillness::default(), map, pictures: 0, apart_s: 1.0 / RATE_HZ }
        }

        /// The next picture: the chequers' level at each pixel goes through `shows`.
        fn see(&mut self, shows: impl Fn(BoardPoint, f64) -> f64) -> Motion {
            let image = image::RgbImage::from_fn(360, 360, |x, y| {
                let p = self.map.to_board([f64::from(x), f64::from(y)].into());
                let chequer = if (p.x.floor() + p.y.floor()).rem_euclid(2.0) < 1.0 { 60.0 } else { 170.0 };
                image::Rgb([shows(p, chequer + 3.0 * p.x).round().clamp(0.0, 255.0) as u8; 3])
            });
            self.pictures += 1;
            let stamp = Stamp::from_s(f64::from(self.pictures) * self.apart_s);
            self.stillness.see(&Frame::from_rgb(&image).unwrap(), &self.map, stamp)
        }

        fn rest(&mut self, pictures: u32) -> Motion {
            (0..pictures).map(|_| self.see(|_, level| level)).last().unwrap()
        }
    }

    /// Is the point on a square of which the file and rank are the same as that square's?
    fn on(square: Square, p: BoardPoint) -> bool {
        (p.x.floor(), p.y.floor()) == (f64::from(u32::from(square.file())), f64::from(u32::from(square.rank())))
    }

    #[test]
    fn a_hand_in_one_square_leaves_the_others_at_rest() {
        let mut scene = Scene::new();
        assert_eq!(scene.see(|_, level| level).moving, Bitboard::FULL, "nothing is known of the first picture");
        let motion = scene.rest(25);
        assert_eq!((motion.settled(0.9), motion.disturbed()), (Bitboard::FULL, false));
        for k in 0..25 {
            let motion = scene.see(|p, level| if on(Square::C6, p) { f64::from(90 + 40 * (k % 3)) } else { level });
            assert_eq!(motion.moving, Bitboard::from(Square::C6), "picture {k}");
            assert_eq!(motion.settled(0.3), !Bitboard::from(Square::C6));
            assert_eq!(motion.still_s, 0.0);
        }
        // It goes; then that square comes to rest as well, after as long.
        scene.see(|_, level| level);
        let motion = scene.rest(5);
        assert_eq!((motion.settled(0.19), motion.settled(0.21)), (Bitboard::FULL, !Bitboard::from(Square::C6)));
    }

    #[test]
    fn a_hand_that_rests_is_at_rest() {
        let mut scene = Scene::new();
        scene.rest(3);
        let hand = |p: BoardPoint, level| if p.x < 3.0 { 120.0 } else { level };
        assert!(scene.see(hand).disturbed());
        let motion = (0..10).map(|_| scene.see(hand)).last().unwrap();
        assert_eq!(motion.settled(0.39), Bitboard::FULL);
    }

    #[test]
    fn what_changed_between_pictures_far_apart_may_be_read() {
        for (gap_s, may) in [(0.04, false), (0.5, false), (0.7, true), (5.0, true)] {
            let mut scene = Scene::new();
            scene.apart_s = gap_s;
            scene.rest(3);
            let motion = scene.see(|p, level| if on(Square::C6, p) { 115.0 } else { level });
            assert_eq!(motion.moving, Bitboard::from(Square::C6));
            assert_eq!(motion.settled(0.3).contains(Square::C6), may, "{gap_s} s apart");
            assert!(!motion.settled(3.0).contains(Square::C6), "a longer rest was asked for, {gap_s} s apart");
        }
        // Nobody knows how long before the first picture anything moved.
        let mut scene = Scene::new();
        assert_eq!(scene.see(|_, level| level).settled(0.0), Bitboard::EMPTY);
    }

    #[test]
    fn a_step_of_exposure_is_no_motion_and_hides_none() {
        for (gain, offset) in [(1.3, 0.0), (0.7, 0.0), (1.0, 25.0), (1.0, -25.0), (0.8, 30.0), (1.5, -20.0)] {
            let mut scene = Scene::new();
            scene.rest(3);
            let stepped = |level: f64| gain * level + offset;
            assert!(!scene.see(|_, level| stepped(level)).disturbed(), "{gain} {offset}");
            // Back again, with a hand in the same picture.
            let motion = scene.see(|p, level| if on(Square::F2, p) { 115.0 } else { level });
            assert_eq!(motion.moving, Bitboard::from(Square::F2), "{gain} {offset}");
        }
    }

    #[test]
    fn flicker_is_got_used_to_and_a_hand_in_it_is_seen() {
        let mut scene = Scene::new();
        let flicker = |k: u32, p: BoardPoint, level: f64| {
            // A band of the shutter that beats against the lamp: every other picture is darker there.
            if p.y > 5.0 { level - 14.0 * f64::from(k % 2) } else { level }
        };
        let disturbed = (0..50).filter(|k| scene.see(|p, level| flicker(*k, p, level)).disturbed()).count();
        assert!(disturbed < 15, "{disturbed} of 50 pictures");
        let motion = scene.see(|p, level| if on(Square::D7, p) { 115.0 } else { flicker(0, p, level) });
        assert_eq!(motion.moving, Bitboard::from(Square::D7));
    }

    #[test]
    fn where_time_runs_backwards_rest_begins_anew() {
        let mut scene = Scene::new();
        scene.rest(50);
        scene.pictures = 0;
        let motion = scene.rest(1);
        assert_eq!((motion.settled(0.1), motion.still_s), (Bitboard::EMPTY, 0.0));
    }
}
