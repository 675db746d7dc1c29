//! The way of a hand: where it is at which time of an act, and what it does to the men.

use shakmaty::{Color, Role};

use super::{
    cast::{Cast, Task, Way},
    script::Act,
};
use crate::sim::{
    dice::Dice,
    math::{self, V3},
    scene::Scene,
    shape::{
        hand::shoulder,
        man::{Lean, Place, Stand},
    },
    slip::Slip,
};

/// How high a man is lifted over its place, in squares: over its neighbours' heads.
const LIFT: f32 = 1.3;
/// Where a man is gripped, as a share of its height.
const GRIP: f32 = 0.82;
/// How high over its foot a man that lies is gripped, in squares.
const LYING_GRIP: f32 = 0.3;
/// How high over a square a man is held who hesitates there, in squares: nearly set down.
const HOVER: f32 = 0.2;
/// How long a man takes to fall, in seconds: a pendulum of a king's height.
const FALL_S: f64 = 0.25;
/// How far a hand at rest trembles, in squares: half a millimetre.
const TREMOR: f64 = 0.01;
/// Time between two turns of the trembling, in seconds: physiological tremor is faster than pictures can follow.
const TREMOR_S: f64 = 0.12;

/// Something that happens to a man at a time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Effect {
    /// The hand takes it; its foot hangs at this offset from the hand's tip.
    Grip {
        /// Number of the man.
        man: usize,
        /// From the hand's tip to its foot, in squares.
        hang: V3,
        /// How it is turned, in radians.
        turn_rad: f32,
    },
    /// It is somewhere now; a hand that held it lets go.
    Put {
        /// Number of the man.
        man: usize,
        /// Where it is.
        place: Place,
    },
    /// The hand does something else now.
    Note(&'static str),
}

/// A point of a hand's way.
#[derive(Debug, Clone, Copy)]
pub struct Waypoint {
    /// When it is there.
    pub time_s: f64,
    /// Where its tip is.
    pub at: V3,
    /// Is that at the player's seat? Such a place stays where it is when the board slips on its table.
    pub outside: bool,
}

/// The way of a hand through an act.
#[derive(Debug, Clone, Default)]
pub struct Path {
    /// Where the hand's tip is at which time.
    pub points: Vec<Waypoint>,
    /// What it does when.
    pub(super) effects: Vec<(f64, Effect)>,
    /// From when to when it rests in view.
    pub(super) linger_s: Option<(f64, f64)>,
}

impl Path {
    /// When the hand comes in.
    #[must_use]
    pub(crate) fn begin_s(&self) -> f64 {
        self.points.first().map_or(0.0, |p| p.time_s)
    }

    /// When it is gone.
    #[must_use]
    pub(crate) fn end_s(&self) -> f64 {
        self.points.last().map_or(0.0, |p| p.time_s)
    }

    /// Is the hand in the picture?
    #[must_use]
    pub fn covers(&self, time_s: f64) -> bool {
        (self.begin_s()..self.end_s()).contains(&time_s)
    }

    fn on_men(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.effects.iter().filter(|e| !matches!(e.1, Effect::Note(_))).map(|e| e.0)
    }

    /// When it first takes or moves a man; at its end where it does not.
    #[must_use]
    pub(super) fn first_grip_s(&self) -> f64 {
        self.on_men().next().unwrap_or(self.end_s())
    }

    /// When it last does something to a man; at its beginning where it does not.
    #[must_use]
    pub(super) fn last_effect_s(&self) -> f64 {
        self.on_men().next_back().unwrap_or(self.begin_s())
    }

    /// Lets it begin later.
    pub(crate) fn shift(&mut self, by_s: f64) {
        self.points.iter_mut().for_each(|p| p.time_s += by_s);
        self.effects.iter_mut().for_each(|e| e.0 += by_s);
        self.linger_s = self.linger_s.map(|(from, to)| (from + by_s, to + by_s));
    }
}

/// The tip's place at a time: eased between the points of its path.
#[must_use]
pub fn position(points: &[Waypoint], time_s: f64, board_from_table: &Slip) -> V3 {
    let after = points.partition_point(|p| p.time_s <= time_s);
    let at = |p: &Waypoint| if p.outside { board_from_table.point(p.at) } else { p.at };
    match (after.checked_sub(1).map(|i| &points[i]), points.get(after)) {
        (Some(from), Some(to)) => {
            let t = ((time_s - from.time_s) / (to.time_s - from.time_s)).clamp(0.0, 1.0) as f32;
            at(from) + (at(to) - at(from)) * math::ease(t)
        }
        (Some(p), None) | (None, Some(p)) => at(p),
        (None, None) => V3::zeros(),
    }
}

/// Plans the way of an act that begins at time 0, and carries it out on the cast. `height` gives a man's height in
/// squares.
pub(crate) fn plan<H: Fn(Role) -> f32>(scene: &Scene, act: &Act, height: &H, dice: &mut Dice, cast: &mut Cast) -> Path {
    Planner::new(scene, act, height, dice).plan(act, cast)
}

struct Planner<'a, H> {
    height: &'a H,
    dice: &'a mut Dice,
    square_m: f64,
    speed_m_s: f64,
    grip_s: f64,
    scale_s: f64,
    /// Where the hand comes from and goes to.
    outside: V3,
    time_s: f64,
    tip: V3,
    /// Where the next man to be set down is held before, and for how many seconds.
    hover: Option<(V3, f64)>,
    path: Path,
}

impl<'a, H: Fn(Role) -> f32> Planner<'a, H> {
    fn new(scene: &Scene, act: &Act, height: &'a H, dice: &'a mut Dice) -> Self {
        let from = shoulder(act.player);
        // Seven squares off the board the whole hand is out of most pictures.
        let out = scene.board.border as f32 + 7.0;
        let y = if act.player == Color::White { -out } else { 8.0 + out };
        let outside = V3::new(from.x + dice.between(-1.0, 1.0) as f32, y, 2.5);
        let effects = vec![(0.0, Effect::Note("reaching in"))];
        Self {
            height,
            dice,
            square_m: scene.board.square_size_m,
            speed_m_s: scene.pace.hand_m_s * act.haste,
            grip_s: scene.pace.grip_s,
            scale_s: 0.55 / scene.pace.hand_m_s / act.haste,
            outside,
            time_s: 0.0,
            tip: outside,
            hover: act.hover,
            path: Path { points: vec![Waypoint { time_s: 0.0, at: outside, outside: true }], effects, linger_s: None },
        }
    }

    fn plan(mut self, act: &Act, cast: &mut Cast) -> Path {
        for task in &act.tasks {
            match *task {
                Task::Carry { man, to, way: Way::Lifted } => {
                    self.take(cast, man, LIFT);
                    self.bring(cast, man, to, V3::zeros());
                }
                Task::Carry { man, to, way: Way::Slid } => self.slide(cast, man, to),
                Task::Swap { man, to, victim, aside } => {
                    self.take(cast, man, LIFT);
                    if let (Place::On(_, there), Some(goal)) = (cast.men[victim].place, to.stand()) {
                        self.swap(cast, [man, victim], there, goal);
                        self.bring(cast, man, to, SIDE);
                    }
                    self.bring(cast, victim, aside, V3::zeros());
                }
                Task::Topple { man, to } => self.topple(cast, man, to),
            }
            cast.perform(*task);
        }
        if let Some((place, seconds)) = act.linger {
            self.rest(place, seconds);
        }
        self.go(self.outside, "drawing back");
        self.path
    }

    /// From a man's foot to where it is gripped.
    fn grip(&self, cast: &Cast, man: usize) -> V3 {
        V3::new(0.0, 0.0, GRIP * (self.height)(cast.men[man].piece.role))
    }

    /// Reaches for a man and lifts it; one that is away is brought from outside.
    fn take(&mut self, cast: &Cast, man: usize, lift: f32) {
        let hang = -self.grip(cast, man);
        match cast.men[man].place {
            Place::On(_, stand) | Place::Beside(stand) => {
                let tip = stand.at - hang;
                self.go(tip + V3::z() * LIFT, "reaching");
                if stand.lean == Lean::Upright {
                    self.dip(tip);
                    self.note("hand on the man");
                    self.dwell();
                } else {
                    // A man that lies is drawn up by its head.
                    let (sin, cos) = math::sin_cos_f32(stand.turn_rad);
                    let along = V3::new(cos, sin, 0.0);
                    self.dip(stand.at + along * (-0.4 * hang.z) + V3::z() * LYING_GRIP);
                    self.note("hand on the man that lies");
                    self.dwell();
                    let place = cast.men[man].place;
                    self.lean(man, place, Lean::Falling);
                    self.dip(tip);
                }
                self.effect(Effect::Grip { man, hang, turn_rad: stand.turn_rad });
                self.note("in the air");
                self.dip(tip + V3::z() * lift);
            }
            Place::Held | Place::Away => {
                self.go(self.outside, "fetching a man");
                self.effect(Effect::Grip { man, hang, turn_rad: 0.0 });
            }
        }
    }

    /// Carries a man to a place and sets it down; `aside` is how it hangs beside the fingers.
    fn bring(&mut self, cast: &Cast, man: usize, to: Place, aside: V3) {
        let Some(goal) = to.stand() else { return };
        let grip = self.grip(cast, man);
        self.hold(man, aside - grip, goal.turn_rad);
        if matches!(to, Place::On(..))
            && let Some((over, seconds)) = self.hover.take()
        {
            self.go(over + grip - aside + V3::z() * LIFT, "in the air");
            self.dip(over + grip - aside + V3::z() * HOVER);
            self.note("held over another square");
            self.stay(seconds);
        }
        let tip = goal.at + grip - aside;
        self.go(tip + V3::z() * LIFT, "in the air");
        self.note("about to land");
        self.dip(tip);
        self.effect(Effect::Put { man, place: to });
        self.note("set down, hand still on it");
        self.dwell();
        self.dip(tip + V3::z() * LIFT);
    }

    /// Pushes a man along the board.
    fn slide(&mut self, cast: &Cast, man: usize, to: Place) {
        let Some(goal) = to.stand() else { return };
        let hang = -self.grip(cast, man);
        self.take(cast, man, 0.0);
        self.hold(man, hang, goal.turn_rad);
        self.go(goal.at - hang, "dragged");
        self.effect(Effect::Put { man, place: to });
        self.note("set down, hand still on it");
        self.dwell();
        self.dip(goal.at - hang + V3::z() * LIFT);
    }

    /// Takes the victim from the goal with the hand that holds the man.
    fn swap(&mut self, cast: &Cast, [man, victim]: [usize; 2], there: Stand, goal: Stand) {
        // The man is held aside, clear of the board, while the fingers take the other one.
        let (own, other) = (self.grip(cast, man), self.grip(cast, victim));
        let high = there.at + other;
        self.go(high + V3::z() * LIFT, "in the air");
        let clear = V3::z() * ((own.z - other.z).max(0.0) + 0.3);
        self.hold(man, SIDE + clear - own, goal.turn_rad);
        self.dip(high);
        self.effect(Effect::Grip { man: victim, hang: -other, turn_rad: there.turn_rad });
        self.note("captured piece in hand");
        self.dwell();
        self.dip(high + V3::z() * LIFT);
        // Now the other one is drawn up into the hand, so that the man can be set down.
        self.hold(victim, V3::z() * (0.3 - own.z).max(-other.z), there.turn_rad);
    }

    /// Passes by a man so near that it falls.
    fn topple(&mut self, cast: &Cast, man: usize, to: Place) {
        let Some(goal) = to.stand() else { return };
        let (sin, cos) = math::sin_cos_f32(goal.turn_rad);
        let along = V3::new(cos, sin, 0.0);
        let head = goal.at + self.grip(cast, man);
        self.go(head - along * 1.2 + V3::z() * 0.4, "drawing back");
        self.note("knocks against a man");
        self.step(head - along * 0.2, 0.2 * self.scale_s);
        self.lean(man, to, Lean::Falling);
        self.step(head + along * 0.4 + V3::z() * 0.3, FALL_S);
        self.effect(Effect::Put { man, place: to });
        self.note("a man has fallen");
    }

    /// Comes to rest somewhere in view, and stays.
    fn rest(&mut self, place: V3, seconds: f64) {
        self.go(place + V3::z() * 0.6, "coming to rest");
        self.dip(place);
        self.note("resting");
        self.path.linger_s = Some((self.time_s, self.time_s + seconds));
        self.stay(seconds);
    }

    /// Stays where it is for a while, trembling a little.
    fn stay(&mut self, seconds: f64) {
        let (place, end_s) = (self.tip, self.time_s + seconds);
        while self.time_s + TREMOR_S < end_s {
            let mut off = || self.dice.between(-TREMOR, TREMOR) as f32;
            let tip = place + V3::new(off(), off(), off());
            self.step(tip, TREMOR_S);
        }
        self.step(place, end_s - self.time_s);
    }

    /// Changes how a man stands or lies, where it is.
    fn lean(&mut self, man: usize, place: Place, lean: Lean) {
        let place = match place {
            Place::On(square, stand) => Place::On(square, Stand { lean, ..stand }),
            Place::Beside(stand) => Place::Beside(Stand { lean, ..stand }),
            other => other,
        };
        self.effect(Effect::Put { man, place });
    }

    /// Changes how a held man hangs.
    fn hold(&mut self, man: usize, hang: V3, turn_rad: f32) {
        self.effect(Effect::Put { man, place: Place::Held });
        self.effect(Effect::Grip { man, hang, turn_rad });
    }

    fn note(&mut self, note: &'static str) {
        self.effect(Effect::Note(note));
    }

    fn effect(&mut self, effect: Effect) {
        self.path.effects.push((self.time_s, effect));
    }

    /// Moves the hand over a distance.
    fn go(&mut self, to: V3, note: &'static str) {
        self.note(note);
        let distance_m = f64::from((to - self.tip).norm()) * self.square_m;
        // The easing doubles the speed in the middle; a short way takes its time too.
        let time_s = (distance_m / self.speed_m_s).max(0.25 * self.scale_s);
        self.step(to, time_s);
    }

    /// Lowers or lifts the hand.
    fn dip(&mut self, to: V3) {
        let time_s = 0.24 * self.scale_s * self.dice.between(0.8, 1.3);
        self.step(to, time_s);
    }

    fn dwell(&mut self) {
        let time_s = self.grip_s * self.dice.between(0.7, 1.5);
        self.step(self.tip, time_s);
    }

    fn step(&mut self, to: V3, time_s: f64) {
        self.time_s += time_s.max(1e-3);
        self.tip = to;
        self.path.points.push(Waypoint { time_s: self.time_s, at: to, outside: to == self.outside });
    }
}

/// Where a man is held while the fingers take another one: beside them, in squares.
const SIDE: V3 = V3::new(0.55, 0.0, 0.0);
