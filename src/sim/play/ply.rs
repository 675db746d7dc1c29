//! One ply as acts: which trips it takes, and in which order.

use shakmaty::{CastlingSide, Color, Move, Piece, Square};

use super::{
    cast::{Task, Way},
    script::{Act, Label, Manner, State, Writer, word},
    story::CaptureOrder,
};
use crate::sim::{
    math::{self, V3},
    shape::man::{Lean, Place, Stand},
};

/// Where a man that is put down before the other one is taken stands meanwhile: so far from the square's centre, in
/// squares, that two feet find room.
const EDGE: f32 = 0.52;
/// What an event says of a man that is knocked over and set upright again.
const KNOCK: &str = "knock_over";

impl Writer<'_> {
    /// Writes a legal ply; `number` counts from 1.
    pub(super) fn ply(&mut self, mover: Color, m: Move, uci: &str, number: usize, manner: &Manner) {
        let label = Label::new(word(m), uci);
        let way = if manner.slide { Way::Slid } else { Way::Lifted };
        let mut tasks = vec![];
        match m {
            Move::Normal { from, to, promotion, .. } => {
                if let Some(man) = self.cast.on(from) {
                    match self.cast.on(to) {
                        Some(victim) => self.capture(&mut tasks, [man, victim], [from, to], mover, manner),
                        None => {
                            let task = self.carry(man, to, way);
                            self.does(&mut tasks, task);
                        }
                    }
                    if let Some(role) = promotion {
                        if manner.late {
                            self.half(mover, &label, std::mem::take(&mut tasks), number, "pawn on the last rank");
                        }
                        self.takes_off(&mut tasks, man, mover);
                        let new = self.spare(Piece { color: mover, role });
                        let task = self.carry(new, to, Way::Lifted);
                        self.does(&mut tasks, task);
                    }
                }
            }
            Move::EnPassant { from, to } => {
                let victim = self.cast.on(Square::from_coords(to.file(), from.rank()));
                let first = self.dice.unit() < 0.5;
                for takes in [first, !first] {
                    match (takes, victim, self.cast.on(from)) {
                        (true, Some(victim), _) => self.takes_off(&mut tasks, victim, mover),
                        (false, _, Some(man)) => {
                            let task = self.carry(man, to, way);
                            self.does(&mut tasks, task);
                        }
                        _ => {}
                    }
                }
            }
            Move::Castle { king, rook } => {
                let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
                let mut trips = [(self.cast.on(king), side.king_to(mover)), (self.cast.on(rook), side.rook_to(mover))];
                if manner.rook_first {
                    trips.reverse();
                }
                for (turn, (man, to)) in trips.into_iter().enumerate() {
                    if turn == 1 && (manner.slow || manner.rook_first) {
                        let note = if manner.rook_first { "king not castled yet" } else { "rook not castled yet" };
                        self.half(mover, &label, std::mem::take(&mut tasks), number, note);
                    }
                    if let Some(man) = man {
                        let task = self.carry(man, to, Way::Lifted);
                        self.does(&mut tasks, task);
                    }
                }
            }
            Move::Put { .. } => {}
        }
        for &square in &manner.knocks {
            if let Some((man, at)) =
                self.cast.on(square).and_then(|man| Some((man, self.cast.men[man].place.stand()?.at)))
            {
                let to = Place::On(square, self.fallen(man, at));
                self.does(&mut tasks, Task::Topple { man, to });
            }
        }
        let hover = manner.hover.map(|(square, seconds)| {
            let centre = crate::board::geometry::square_centre(square);
            (V3::new(centre.x as f32, centre.y as f32, 0.0), seconds)
        });
        let linger = manner.rest_s.map(|seconds| (self.rest_place(mover), seconds));
        let act = self.act(mover, label, tasks, number);
        (act.hover, act.linger) = (hover, linger);
        if let Some(square) = manner.knocks.first() {
            (act.after, act.state, act.note) = (Label::new(KNOCK, square), State::Irregular, "a man lies on its side");
        }
        for (index, &square) in manner.knocks.iter().enumerate() {
            self.calm_s = self.stand_s();
            let Some(man) = self.cast.on(square) else { continue };
            let mut tasks = vec![];
            let task = self.carry(man, square, Way::Lifted);
            self.does(&mut tasks, task);
            let act = self.act(mover, Label::new(KNOCK, square), tasks, number);
            if let Some(next) = manner.knocks.get(index + 1) {
                (act.after, act.state, act.note) =
                    (Label::new(KNOCK, next), State::Irregular, "a man lies on its side");
            }
            self.calm_s = self.half_s();
        }
    }

    /// Ends an act that leaves its ply half made.
    fn half(&mut self, mover: Color, label: &Label, tasks: Vec<Task>, number: usize, note: &'static str) -> &mut Act {
        let calm_s = self.half_s();
        self.act(mover, label.clone(), tasks, number - 1);
        self.calm_s = calm_s;
        let last = self.acts.len() - 1;
        let act = &mut self.acts[last];
        (act.state, act.note) = (State::Irregular, note);
        act
    }

    fn capture(
        &mut self,
        tasks: &mut Vec<Task>,
        [man, victim]: [usize; 2],
        [from, to]: [Square; 2],
        mover: Color,
        manner: &Manner,
    ) {
        let habits = &self.scene.habits;
        let chance = self.dice.unit();
        let usual = if manner.slide || chance >= habits.in_hand + habits.put_first {
            CaptureOrder::ClearFirst
        } else if chance < habits.in_hand {
            CaptureOrder::InHand
        } else {
            CaptureOrder::PutFirst
        };
        match manner.order.unwrap_or(usual) {
            CaptureOrder::ClearFirst => {
                self.takes_off(tasks, victim, mover);
                let task = self.carry(man, to, if manner.slide { Way::Slid } else { Way::Lifted });
                self.does(tasks, task);
            }
            CaptureOrder::InHand => {
                let aside = self.aside(mover);
                let to = Place::On(to, self.stand(to, self.cast.men[man].piece));
                self.does(tasks, Task::Swap { man, to, victim, aside });
            }
            CaptureOrder::PutFirst => {
                let (a, b) = (crate::board::geometry::square_centre(from), crate::board::geometry::square_centre(to));
                let back = V3::new((a.x - b.x) as f32, (a.y - b.y) as f32, 0.0).normalize() * EDGE;
                let edge = Stand {
                    at: V3::new(b.x as f32, b.y as f32, 0.0) + back,
                    ..self.stand_within(to, self.cast.men[man].piece, 0.0)
                };
                self.does(tasks, Task::Carry { man, to: Place::On(to, edge), way: Way::Lifted });
                self.takes_off(tasks, victim, mover);
                let task = self.carry(man, to, Way::Slid);
                self.does(tasks, task);
            }
        }
    }

    /// How a man lies that fell from where it stood: towards where there is most room.
    fn fallen(&mut self, man: usize, at: V3) -> Stand {
        let first = self.dice.between(0.0, std::f64::consts::TAU) as f32;
        let room = |turn: f32| {
            let (sin, cos) = math::sin_cos_f32(turn);
            let head = at + V3::new(cos, sin, 0.0) * 0.9;
            let others = self.cast.men.iter().enumerate().filter(|(i, _)| *i != man);
            let near = others.filter_map(|(_, m)| Some((m.place.stand()?.at - head).norm()));
            near.fold(2.0, f32::min)
        };
        let turns = (0..8).map(|i| first + i as f32 * std::f32::consts::FRAC_PI_4);
        let turn_rad = turns.max_by(|a, b| room(*a).total_cmp(&room(*b))).unwrap_or(first);
        Stand { at, turn_rad, lean: Lean::Lying }
    }

    /// Where a hand comes to rest in view: on the border before the player, or over the corner to his right.
    fn rest_place(&mut self, player: Color) -> V3 {
        let border = self.scene.board.border;
        let (x, y, z) = if self.dice.unit() < 0.6 {
            (self.dice.between(5.0, 8.0), -0.5 * border - 0.05, 0.03)
        } else {
            // Over the men there.
            (self.dice.between(6.9, 7.8), self.dice.between(0.2, 0.8), 1.5)
        };
        let (x, y) = if player == Color::White { (x, y) } else { (8.0 - x, 8.0 - y) };
        V3::new(x as f32, y as f32, z as f32)
    }
}
