//! One ply as acts: which trips it takes, and in which order.

use shakmaty::{CastlingSide, Color, Move, Piece, Role, Square};

use super::{
    cast::{Task, Way},
    script::{Label, Manner, State, Writer, word},
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

/// A ply that is being written.
struct Ply<'a> {
    mover: Color,
    label: Label,
    /// Counts from 1.
    number: usize,
    manner: &'a Manner,
}

impl Writer<'_> {
    /// Writes a legal ply; `number` counts from 1.
    pub(super) fn ply(&mut self, mover: Color, m: Move, uci: &str, number: usize, manner: &Manner) {
        let ply = Ply { mover, label: Label::new(word(m), uci), number, manner };
        let mut tasks = match m {
            Move::Normal { from, to, promotion, .. } => self.goes(&ply, from, to, promotion),
            Move::EnPassant { from, to } => self.takes_in_passing(&ply, from, to),
            Move::Castle { king, rook } => self.castles(&ply, king, rook),
            Move::Put { .. } => vec![],
        };
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
        let act = self.act(mover, ply.label, tasks, number);
        (act.hover, act.linger) = (hover, linger);
        if let Some(square) = manner.knocks.first() {
            (act.after, act.state, act.note) = (Label::new(KNOCK, square), State::Irregular, "a man lies on its side");
        }
        self.puts_up(mover, &manner.knocks, number);
    }

    /// One man to another square, with what it takes there and what it becomes.
    fn goes(&mut self, ply: &Ply<'_>, from: Square, to: Square, promotion: Option<Role>) -> Vec<Task> {
        let mut tasks = vec![];
        let Some(man) = self.cast.on(from) else { return tasks };
        match self.cast.on(to) {
            Some(victim) => self.capture(&mut tasks, [man, victim], [from, to], ply.mover, ply.manner),
            None => {
                let task = self.carry(man, to, ply.manner.way());
                self.does(&mut tasks, task);
            }
        }
        if let Some(role) = promotion {
            if ply.manner.late {
                self.half(ply, std::mem::take(&mut tasks), "pawn on the last rank");
            }
            self.takes_off(&mut tasks, man, ply.mover);
            let new = self.spare(Piece { color: ply.mover, role });
            let task = self.carry(new, to, Way::Lifted);
            self.does(&mut tasks, task);
        }
        tasks
    }

    /// A pawn goes and takes the one beside it, in either order.
    fn takes_in_passing(&mut self, ply: &Ply<'_>, from: Square, to: Square) -> Vec<Task> {
        let mut tasks = vec![];
        let victim = self.cast.on(Square::from_coords(to.file(), from.rank()));
        let first = self.dice.unit() < 0.5;
        for takes in [first, !first] {
            match (takes, victim, self.cast.on(from)) {
                (true, Some(victim), _) => self.takes_off(&mut tasks, victim, ply.mover),
                (false, _, Some(man)) => {
                    let task = self.carry(man, to, ply.manner.way());
                    self.does(&mut tasks, task);
                }
                _ => {}
            }
        }
        tasks
    }

    /// King and rook, one after the other.
    fn castles(&mut self, ply: &Ply<'_>, king: Square, rook: Square) -> Vec<Task> {
        let mut tasks = vec![];
        let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
        let goals = [side.king_to(ply.mover), side.rook_to(ply.mover)];
        let mut trips = [(self.cast.on(king), goals[0]), (self.cast.on(rook), goals[1])];
        if ply.manner.rook_first {
            trips.reverse();
        }
        for (turn, (man, to)) in trips.into_iter().enumerate() {
            if turn == 1 && (ply.manner.slow || ply.manner.rook_first) {
                let note = if ply.manner.rook_first { "king not castled yet" } else { "rook not castled yet" };
                self.half(ply, std::mem::take(&mut tasks), note);
            }
            if let Some(man) = man {
                let task = self.carry(man, to, Way::Lifted);
                self.does(&mut tasks, task);
            }
        }
        tasks
    }

    /// Men who were knocked over are put up again, one by one.
    fn puts_up(&mut self, mover: Color, knocks: &[Square], number: usize) {
        for (index, &square) in knocks.iter().enumerate() {
            self.calm_s = self.stand_s();
            let Some(man) = self.cast.on(square) else { continue };
            let mut tasks = vec![];
            let task = self.carry(man, square, Way::Lifted);
            self.does(&mut tasks, task);
            let act = self.act(mover, Label::new(KNOCK, square), tasks, number);
            if let Some(next) = knocks.get(index + 1) {
                (act.after, act.state, act.note) =
                    (Label::new(KNOCK, next), State::Irregular, "a man lies on its side");
            }
            self.calm_s = self.half_s();
        }
    }

    /// Ends an act that leaves its ply half made.
    fn half(&mut self, ply: &Ply<'_>, tasks: Vec<Task>, note: &'static str) {
        let calm_s = self.half_s();
        let act = self.act(ply.mover, ply.label.clone(), tasks, ply.number - 1);
        (act.state, act.note) = (State::Irregular, note);
        self.calm_s = calm_s;
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
                let task = self.carry(man, to, manner.way());
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
