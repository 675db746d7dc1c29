//! The timeline: where the hand is at each moment, what it holds, and when a ply is completed.

use shakmaty::{Board, Color, Role};

use super::{
    hand::{Hand, shoulder},
    mesh::V3,
    scene::Scene,
    script::{Cast, Place, PlyScript, Script, Stand, Task},
    texture::Dice,
};

/// Quiet time before the first ply, in seconds: an observer must find the board.
const OPENING_S: f64 = 3.0;
/// Quiet time after the last ply, in seconds.
const CLOSING_S: f64 = 3.0;
/// How high a man is lifted over its place, in squares: over its neighbours' heads.
const LIFT: f32 = 1.3;
/// Where a man is gripped, as a share of its height.
const GRIP: f32 = 0.82;

/// The state of things at a moment of the film.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Seconds from the beginning.
    pub time_s: f64,
    /// Plies completed.
    pub ply: usize,
    /// In a pause: its second half has begun.
    pub late: bool,
    /// No hand.
    pub clean: bool,
    /// Index of the ply under way, or of the next one.
    pub under_way: usize,
    /// Men in the air: number, foot, turn in radians.
    pub held: Vec<(usize, V3, f32)>,
    /// The hand.
    pub hand: Option<Hand>,
    /// What the hand is doing.
    pub note: &'static str,
}

/// Something that happens to a man at a time.
#[derive(Debug, Clone, Copy)]
enum Effect {
    /// The hand takes it; its foot hangs at this offset from the hand's tip.
    Grip { man: usize, hang: V3, turn_rad: f32 },
    /// The hand lets go of it.
    Release { man: usize, place: Place },
    /// The hand does something else now.
    Note(&'static str),
}

/// One ply on the timeline.
#[derive(Debug, Clone)]
struct Span {
    player: Color,
    placement: Board,
    begin_s: f64,
    end_s: f64,
    /// Where the hand's tip is at which time.
    path: Vec<(f64, V3)>,
    effects: Vec<(f64, Effect)>,
}

/// A film's timeline, and how far it has run.
#[derive(Debug, Clone)]
pub struct Film {
    spans: Vec<Span>,
    length_s: f64,
    period_s: f64,
    frame: usize,
    current: usize,
    applied: usize,
    ply: usize,
    held: Vec<(usize, V3, f32)>,
    note: &'static str,
}

impl Film {
    /// Plans a film. `height` gives a man's height in squares.
    #[must_use]
    pub fn new(scene: &Scene, script: &Script, height: impl Fn(Role) -> f32, seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0xf1);
        let mut cast = script.cast.clone();
        let mut time_s = OPENING_S;
        let mut spans = Vec::with_capacity(script.plies.len());
        for ply in &script.plies {
            time_s += ply.rest_s;
            let span = Planner::new(scene, ply, &height, &mut dice, time_s).plan(ply, &mut cast);
            time_s = span.end_s;
            spans.push(span);
        }
        Self {
            spans,
            length_s: time_s + CLOSING_S,
            period_s: 1.0 / scene.camera.frame_rate_hz,
            frame: 0,
            current: 0,
            applied: 0,
            ply: 0,
            held: vec![],
            note: "",
        }
    }

    /// Pictures from beginning to end.
    #[must_use]
    pub fn frames(&self) -> usize {
        (self.length_s / self.period_s) as usize + 1
    }

    /// How much of the story is told at a time: 0 until the first ply may begin, 1 from the last one's end.
    #[must_use]
    pub fn progress(&self, time_s: f64) -> f64 {
        ((time_s - OPENING_S) / (self.length_s - OPENING_S - CLOSING_S).max(1e-3)).clamp(0.0, 1.0)
    }

    /// The next moment; moves the men of `cast` accordingly. `None` after the end.
    pub fn next(&mut self, cast: &mut Cast) -> Option<Moment> {
        if self.frame >= self.frames() {
            return None;
        }
        let time_s = self.frame as f64 * self.period_s;
        self.frame += 1;
        while let Some(span) = self.spans.get(self.current) {
            while let Some((at, effect)) = span.effects.get(self.applied) {
                if *at > time_s {
                    break;
                }
                self.applied += 1;
                match *effect {
                    Effect::Grip { man, hang, turn_rad } => {
                        cast.men[man].place = Place::Held;
                        self.held.push((man, hang, turn_rad));
                    }
                    Effect::Release { man, place } => {
                        cast.men[man].place = place;
                        self.held.retain(|h| h.0 != man);
                    }
                    Effect::Note(note) => self.note = note,
                }
                if cast.placement() == span.placement {
                    self.ply = self.current + 1;
                }
            }
            if time_s < span.end_s {
                break;
            }
            // All effects lie before the end.
            (self.current, self.applied, self.ply) = (self.current + 1, 0, self.current + 1);
        }
        let span = self.spans.get(self.current);
        let tip = span.filter(|s| time_s >= s.begin_s).map(|s| position(&s.path, time_s));
        let pause_end_s = span.map_or(self.length_s, |s| s.begin_s);
        let pause_begin_s = self.current.checked_sub(1).map_or(0.0, |i| self.spans[i].end_s);
        Some(Moment {
            time_s,
            ply: self.ply,
            late: tip.is_none() && 2.0 * time_s > pause_begin_s + pause_end_s,
            clean: tip.is_none(),
            under_way: self.current,
            held: tip
                .map_or(vec![], |tip| self.held.iter().map(|&(man, hang, turn)| (man, tip + hang, turn)).collect()),
            hand: span.zip(tip).map(|(s, tip)| Hand { tip, player: s.player }),
            note: if tip.is_some() { self.note } else { "" },
        })
    }
}

/// The tip's place at a time: eased between the points of its path.
fn position(path: &[(f64, V3)], time_s: f64) -> V3 {
    let after = path.partition_point(|p| p.0 <= time_s);
    match (after.checked_sub(1).map(|i| path[i]), path.get(after)) {
        (Some((t0, p0)), Some(&(t1, p1))) => {
            let t = ((time_s - t0) / (t1 - t0)).clamp(0.0, 1.0) as f32;
            p0 + (p1 - p0) * (t * t * (3.0 - 2.0 * t))
        }
        (Some((_, p)), None) | (None, Some(&(_, p))) => p,
        (None, None) => V3::zeros(),
    }
}

/// Plans the path of one ply.
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
    span: Span,
}

impl<'a, H: Fn(Role) -> f32> Planner<'a, H> {
    fn new(scene: &Scene, ply: &PlyScript, height: &'a H, dice: &'a mut Dice, begin_s: f64) -> Self {
        let from = shoulder(ply.mover);
        // Seven squares off the board the whole hand is out of most pictures.
        let out = scene.board.border as f32 + 7.0;
        let y = if ply.mover == Color::White { -out } else { 8.0 + out };
        let outside = V3::new(from.x + dice.between(-1.0, 1.0) as f32, y, 2.5);
        Self {
            height,
            dice,
            square_m: scene.board.square_size_m,
            speed_m_s: scene.pace.hand_m_s * ply.haste,
            grip_s: scene.pace.grip_s,
            scale_s: 0.55 / scene.pace.hand_m_s / ply.haste,
            outside,
            time_s: begin_s,
            tip: outside,
            span: Span {
                player: ply.mover,
                placement: ply.placement.clone(),
                begin_s,
                end_s: begin_s,
                path: vec![(begin_s, outside)],
                effects: vec![(begin_s, Effect::Note("reaching in"))],
            },
        }
    }

    fn plan(mut self, ply: &PlyScript, cast: &mut Cast) -> Span {
        for task in &ply.tasks {
            match *task {
                Task::Carry { man, to } => {
                    self.take(cast, man);
                    self.bring(cast, man, to, V3::zeros());
                }
                Task::Swap { man, to, victim, aside } => {
                    self.take(cast, man);
                    if let (Place::On(_, there), Some(goal)) = (cast.men[victim].place, stand(to)) {
                        // The man is held aside, clear of the board, while the fingers take the other one.
                        let (own, other) = (self.grip(cast, man), self.grip(cast, victim));
                        let high = there.at + other;
                        self.go(high + V3::z() * LIFT, "in the air");
                        let side = V3::new(0.55, 0.0, 0.0);
                        let clear = V3::z() * ((own.z - other.z).max(0.0) + 0.3);
                        self.hold(man, side + clear - own, goal.turn_rad);
                        self.dip(high);
                        self.effect(Effect::Grip { man: victim, hang: -other, turn_rad: there.turn_rad });
                        self.dwell();
                        self.dip(high + V3::z() * LIFT);
                        // Now the other one is drawn up into the hand, so that the man can be set down.
                        self.hold(victim, V3::z() * (0.3 - own.z).max(-other.z), there.turn_rad);
                        self.bring(cast, man, to, side);
                    }
                    self.bring(cast, victim, aside, V3::zeros());
                }
            }
            cast.perform(*task);
        }
        self.go(self.outside, "drawing back");
        self.span.end_s = self.time_s;
        self.span
    }

    /// From a man's foot to where it is gripped.
    fn grip(&self, cast: &Cast, man: usize) -> V3 {
        V3::new(0.0, 0.0, GRIP * (self.height)(cast.men[man].piece.role))
    }

    /// Reaches for a man and lifts it; one that is away is brought from outside.
    fn take(&mut self, cast: &Cast, man: usize) {
        let hang = -self.grip(cast, man);
        match cast.men[man].place {
            Place::On(_, stand) | Place::Beside(stand) => {
                let tip = stand.at - hang;
                self.go(tip + V3::z() * LIFT, "reaching");
                self.dip(tip);
                self.effect(Effect::Note("hand on the man"));
                self.dwell();
                self.effect(Effect::Grip { man, hang, turn_rad: stand.turn_rad });
                self.effect(Effect::Note("in the air"));
                self.dip(tip + V3::z() * LIFT);
            }
            Place::Held | Place::Away => {
                self.go(self.outside, "fetching a man");
                self.effect(Effect::Grip { man, hang, turn_rad: 0.0 });
            }
        }
    }

    /// Carries a man to a place and sets it down; `aside` is how it hangs beside the fingers.
    fn bring(&mut self, cast: &Cast, man: usize, to: Place, aside: V3) {
        let Some(goal) = stand(to) else { return };
        let grip = self.grip(cast, man);
        self.hold(man, aside - grip, goal.turn_rad);
        let tip = goal.at + grip - aside;
        self.go(tip + V3::z() * LIFT, "in the air");
        self.effect(Effect::Note("about to land"));
        self.dip(tip);
        self.effect(Effect::Release { man, place: to });
        self.effect(Effect::Note("set down, hand still on it"));
        self.dwell();
        self.dip(tip + V3::z() * LIFT);
    }

    /// Changes how a held man hangs.
    fn hold(&mut self, man: usize, hang: V3, turn_rad: f32) {
        self.effect(Effect::Release { man, place: Place::Held });
        self.effect(Effect::Grip { man, hang, turn_rad });
    }

    fn effect(&mut self, effect: Effect) {
        self.span.effects.push((self.time_s, effect));
    }

    /// Moves the hand over a distance.
    fn go(&mut self, to: V3, note: &'static str) {
        self.effect(Effect::Note(note));
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
        self.span.path.push((self.time_s, to));
    }
}

fn stand(place: Place) -> Option<Stand> {
    match place {
        Place::On(_, stand) | Place::Beside(stand) => Some(stand),
        Place::Held | Place::Away => None,
    }
}
