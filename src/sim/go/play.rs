//! A game on a simulated board, picture by picture: stills, or a film with the hands that play it.

use std::sync::Arc;

use image::RgbImage;
use nalgebra::Point2;
use shakmaty::Color as Seat;

use super::{GoScene, GoView, Studio};
use crate::{
    go::{Color, Moment, Point, Size},
    sim::{
        Disturbance, STILL_S,
        dice::{Dice, mix},
        disturb,
        light::lightline::When,
        math::{self, V3},
        scene::SceneError,
        shape::{
            hand::{Hand, shoulder},
            thing::Thing,
        },
    },
};

/// From the board's edge a hand goes so far back, in units of the world: out of most pictures.
const BACK: f32 = 9.0;
/// Height at which a hand travels, and at which it lets a stone go, in units of the world.
const HEIGHTS: [f32; 2] = [1.6, 0.2];
/// Taking a captured stone off takes so long, in seconds: a hand takes several at once.
const TAKE_S: f64 = 0.25;

/// A picture of a game, and what is true of it.
#[derive(Debug, Clone)]
pub struct GoFrame {
    /// The picture.
    pub image: RgbImage,
    /// When it was taken, in seconds from the beginning.
    pub time_s: f64,
    /// Plays completed, passes among them.
    pub ply: usize,
    /// Is there no hand over the board?
    pub clean: bool,
    /// What is to be seen beside the stones: empty, or whose hand it is.
    pub note: &'static str,
    /// The grid's corners in the picture: (0, 0), (n-1, 0), (n-1, n-1), (0, n-1).
    pub corners: [Point2<f64>; 4],
}

/// What a hand does at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Put(Point, Color),
    Take(Point),
    /// The play is complete.
    Done,
}

/// A player's hand over the board.
#[derive(Debug, Clone)]
struct Visit {
    player: Color,
    /// Where the fingertips are at which time, in seconds.
    way: Vec<(f64, V3)>,
    acts: Vec<(f64, Act)>,
}

/// How pictures are taken.
#[derive(Debug)]
enum Mode {
    Stills { next: usize, every: usize },
    Film { visits: Vec<Visit>, next: usize, time_s: f64, ends_s: f64, done: usize },
}

/// A game before a simulated camera: an iterator over its pictures. The same seed gives the same bytes.
#[derive(Debug)]
pub struct GoSimulation {
    scene: GoScene,
    line: Vec<Arc<Moment>>,
    studio: Studio,
    mode: Mode,
    disturbed: Option<(Disturbance, usize)>,
    seed: u64,
}

/// The seat of a player, as hands have it.
const fn seat(color: Color) -> Seat {
    match color {
        Color::Black => Seat::Black,
        Color::White => Seat::White,
    }
}

impl GoSimulation {
    /// A film of a game, from its first moment to its last.
    ///
    /// # Errors
    /// When a number of the scene is outside its range, or a corner of the grid outside of the picture.
    pub fn new(scene: &GoScene, end: &Arc<Moment>, seed: u64) -> Result<Self, SceneError> {
        let line = end.line();
        let size = end.board().size();
        let mut studio = Studio::new(scene, size, seed)?;
        if let Some(first) = line.first() {
            studio.show(first.board().contents());
        }
        let mut simulation = Self {
            mode: Mode::Stills { next: 0, every: 1 },
            scene: scene.clone(),
            line,
            studio,
            disturbed: None,
            seed,
        };
        simulation.mode = simulation.film();
        Ok(simulation)
    }

    /// The same game as one picture before the first play and one after every `every`th and the last.
    #[must_use]
    pub fn stills(mut self, every: usize) -> Self {
        self.mode = Mode::Stills { next: 0, every: if every == 0 { 1 } else { every } };
        self
    }

    /// Leaves a hand in every `every`th still picture, as far as there is a place for it that makes this disturbance.
    #[must_use]
    pub const fn disturbed(mut self, disturbance: Disturbance, every: usize) -> Self {
        self.disturbed = Some((disturbance, every));
        self
    }

    /// Where the camera sees the board.
    #[must_use]
    pub const fn view(&self) -> &GoView {
        self.studio.view()
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.view().size()
    }

    /// How many pictures there will be, about.
    #[must_use]
    pub fn frames(&self) -> usize {
        match &self.mode {
            Mode::Stills { every, .. } => (self.line.len() - 1).div_ceil(*every) + 1,
            Mode::Film { ends_s, .. } => (ends_s * self.scene.scene.camera.frame_rate_hz) as usize + 1,
        }
    }

    /// The hands' times and ways.
    fn film(&self) -> Mode {
        let pace = &self.scene.scene.pace;
        let mut dice = Dice::new(self.seed, 0xf1);
        let mut time_s = pace.rest_min_s.max(1.0);
        let mut visits = vec![];
        for pair in self.line.windows(2) {
            let moment = &pair[1];
            let color = moment.last().map_or(Color::Black, |play| play.color);
            let visit = self.visit(moment, color, time_s);
            let ended_s = visit.way.last().map_or(time_s, |w| w.0);
            visits.push(visit);
            time_s = ended_s + dice.between(pace.rest_min_s, pace.rest_max_s).max(0.0);
        }
        Mode::Film { visits, next: 0, time_s: 0.0, ends_s: time_s + 1.0, done: 0 }
    }

    /// A hand that makes a play.
    fn visit(&self, moment: &Moment, player: Color, from_s: f64) -> Visit {
        let (pace, stones) = (&self.scene.scene.pace, &self.studio.stones);
        let mut visit = Visit { player, way: vec![], acts: vec![] };
        let mut time_s = from_s;
        if let Some(point) = moment.last().and_then(|play| play.at) {
            let goal = stones.world(point, [0.0; 2]);
            let away = shoulder(seat(player)) - goal;
            let back = V3::new(away.x, away.y, 0.0).normalize() * BACK;
            let out = goal + back + V3::z() * HEIGHTS[0];
            let unit_s = super::UNIT_M / pace.hand_m_s;
            let reach_s = f64::from(back.norm()) * unit_s;
            visit.way.push((time_s, out));
            time_s += reach_s;
            visit.way.push((time_s, goal + V3::z() * HEIGHTS[1]));
            time_s += pace.grip_s;
            visit.acts.push((time_s, Act::Put(point, player)));
            visit.way.push((time_s, goal + V3::z() * HEIGHTS[1]));
            for taken in moment.captured() {
                time_s += TAKE_S;
                visit.way.push((time_s, stones.world(*taken, [0.0; 2]) + V3::z() * HEIGHTS[1]));
                visit.acts.push((time_s, Act::Take(*taken)));
            }
            time_s += reach_s;
            visit.way.push((time_s, out));
        }
        visit.acts.push((time_s, Act::Done));
        if visit.way.is_empty() {
            visit.way.push((time_s, V3::new(0.0, 0.0, -100.0)));
        }
        visit
    }

    fn still(&mut self) -> Option<GoFrame> {
        let Mode::Stills { next, every } = self.mode else { return None };
        let last = self.line.len() - 1;
        if next > last {
            return None;
        }
        let following = if next == last { last + 1 } else { (next + every).min(last) };
        self.mode = Mode::Stills { next: following, every };
        let moment = self.line[next].clone();
        self.studio.show(moment.board().contents());
        let hand = self.disturbance(&moment, next);
        let moving: Vec<Thing> = hand.iter().flat_map(|(hand, _)| hand.things(self.studio.world())).collect();
        let time_s = STILL_S * next as f64;
        let progress = next as f64 / last.max(1) as f64;
        let when = When { time_s, ply: next, changes: next, progress, still: true };
        let image = self.studio.shoot(&moving, when);
        Some(GoFrame {
            image,
            time_s,
            ply: next,
            clean: hand.is_none(),
            note: hand.map_or("", |(_, note)| note),
            corners: self.view().corners(),
        })
    }

    /// The hand that is left in the picture after a play.
    fn disturbance(&self, moment: &Moment, ply: usize) -> Option<(Hand, &'static str)> {
        let (wanted, every) = self.disturbed?;
        if every == 0 || ply == 0 || !ply.is_multiple_of(every) {
            return None;
        }
        let play = moment.last()?;
        let (standing, subject) = self.studio.standing(Some(play.at?));
        let mut dice = Dice::new(self.seed ^ mix(ply as u64), 0xd1);
        let (world, standpoint) = (self.studio.world(), self.studio.standpoint());
        let hand = disturb::hand(world, standpoint, &standing, subject?, seat(play.color), wanted, &mut dice)?;
        Some((hand, wanted.note()))
    }

    fn moment(&mut self) -> Option<GoFrame> {
        let Mode::Film { visits, next, time_s, ends_s, done } = &mut self.mode else { return None };
        let now_s = *time_s;
        if now_s > *ends_s {
            return None;
        }
        *time_s += 1.0 / self.scene.scene.camera.frame_rate_hz;
        let mut hand = None;
        let mut holds = None;
        while let Some(visit) = visits.get_mut(*next) {
            while visit.acts.first().is_some_and(|(at_s, _)| *at_s <= now_s) {
                match visit.acts.remove(0).1 {
                    Act::Put(point, color) => self.studio.stones.put(point, color),
                    Act::Take(point) => drop(self.studio.stones.take(point)),
                    Act::Done => *done += 1,
                }
            }
            if visit.acts.is_empty() {
                *next += 1;
                continue;
            }
            if let Some(tip) = tip_at(&visit.way, now_s) {
                let puts = visit.acts.first().is_some_and(|(_, act)| matches!(act, Act::Put(..)));
                holds = puts.then_some((visit.player, tip));
                let shoulder = shoulder(seat(visit.player));
                hand = Some(Hand {
                    tip: tip + V3::z() * self.studio.stones.height(),
                    shoulder,
                    player: seat(visit.player),
                    low: 0.0,
                });
            }
            break;
        }
        let ply = *done;
        let mut moving: Vec<Thing> = hand.iter().flat_map(|hand| hand.things(self.studio.world())).collect();
        moving.extend(holds.map(|(color, at)| self.studio.stones.loose(color, at)));
        let progress = ply as f64 / (self.line.len() - 1).max(1) as f64;
        let when = When { time_s: now_s, ply, changes: ply, progress, still: false };
        let image = self.studio.shoot(&moving, when);
        let corners = self.view().corners();
        let note = if hand.is_some() { "hand" } else { "" };
        Some(GoFrame { image, time_s: now_s, ply, clean: hand.is_none(), note, corners })
    }
}

/// Where the fingertips are; nowhere before a hand comes.
fn tip_at(way: &[(f64, V3)], now_s: f64) -> Option<V3> {
    let pair = way.windows(2).find(|pair| (pair[0].0..pair[1].0).contains(&now_s))?;
    let [(from_s, from), (to_s, to)] = [pair[0], pair[1]];
    let t = math::ease(((now_s - from_s) / (to_s - from_s).max(1e-9)) as f32);
    let mut at = from + (to - from) * t;
    // Hands are lifted on their way.
    at.z = at.z.max(HEIGHTS[0] * 4.0 * t * (1.0 - t) * 0.3 + HEIGHTS[1]);
    Some(at)
}

impl Iterator for GoSimulation {
    type Item = GoFrame;

    fn next(&mut self) -> Option<GoFrame> {
        match self.mode {
            Mode::Stills { .. } => self.still(),
            Mode::Film { .. } => self.moment(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Board, Rules};

    fn game() -> Arc<Moment> {
        // White's stone in the corner is taken by the third play.
        let mut moment = Moment::start(Board::empty(Size::new(9).unwrap()), Color::Black);
        for point in [Point::new(1, 0), Point::new(0, 0), Point::new(0, 1), Point::new(5, 5)] {
            moment = moment.play(point, &Rules::default()).unwrap();
        }
        moment
    }

    fn small() -> GoScene {
        let mut scene = GoScene::default();
        (scene.scene.camera.width, scene.scene.camera.height, scene.scene.sensor.samples) = (160, 120, 1);
        scene.scene.camera.frame_rate_hz = 2.0;
        scene
    }

    #[test]
    fn stills_show_every_position_once_and_films_come_to_the_same_end() {
        let game = game();
        let stills: Vec<GoFrame> = GoSimulation::new(&small(), &game, 4).unwrap().stills(1).collect();
        assert_eq!(stills.iter().map(|f| f.ply).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let every: Vec<usize> = GoSimulation::new(&small(), &game, 4).unwrap().stills(3).map(|f| f.ply).collect();
        assert_eq!(every, [0, 3, 4]);
        let mut film = GoSimulation::new(&small(), &game, 4).unwrap();
        let frames: Vec<GoFrame> = film.by_ref().collect();
        assert_eq!(frames.last().map(|f| (f.ply, f.clean)), Some((4, true)));
        assert!(frames.iter().any(|f| !f.clean));
        for point in game.board().size().points() {
            let there = film.studio.stones.at(point).map(|stone| stone.color);
            assert_eq!(there, game.board().at(point).color(), "{point:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let [one, two, other] =
            [4, 4, 5].map(|seed| GoSimulation::new(&small(), &game(), seed).unwrap().stills(2).last());
        let bytes = |frame: Option<GoFrame>| frame.map(|f| f.image.into_raw());
        let one = bytes(one);
        assert_eq!(one, bytes(two));
        assert_ne!(one, bytes(other));
    }
}
