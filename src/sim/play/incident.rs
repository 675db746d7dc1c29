//! What happens beside the moves as acts: illegal moves and their correction, take-backs, touched men, the kings that
//! tell a result.

use shakmaty::{Chess, Color, KnownOutcome, Move, Position, Square, uci::UciMove};

use super::{
    cast::{Cast, Task, Way},
    script::{Label, Manner, State, Writer},
    story::{HandMove, together},
};
use crate::{game::verdicts, sim::shape::man::Place};

/// The squares that kings are put on to tell a result.
const CENTRAL: [Square; 4] = [Square::E4, Square::D5, Square::D4, Square::E5];
/// A man that is adjusted stands within this distance of its square's centre: in squares, and at a seat's glance exact.
const ADJUSTED: f64 = 0.03;

impl Writer<'_> {
    /// An illegal change that stands for a while and is put back. `plies` stand before and after it.
    pub(super) fn illegal(&mut self, position: &Chess, plies: usize, hands: &[HandMove]) -> Result<(), String> {
        let before = self.cast.clone();
        let (player, label, tasks) = self.unlawful(position, hands)?;
        let undone = undo(&before, &tasks);
        let uci = label.uci.clone();
        self.act(player, label, tasks, plies).note = "illegal move stands on the board";
        self.calm_s = self.stand_s();
        self.put_back(player, Label::new("illegal_takeback", uci), &undone, plies);
        self.calm_s = self.half_s();
        Ok(())
    }

    /// An illegal change that is let stand, and what the players then play: a legal record ends before it.
    pub(super) fn stands(&mut self, position: &Chess, plies: usize, changes: &[Vec<HandMove>]) -> Result<(), String> {
        let Some((first, answers)) = changes.split_first() else { return Err("it has no change".into()) };
        let (mut player, label, tasks) = self.unlawful(position, first)?;
        self.act(player, label.clone(), tasks, plies).note = "illegal move stands on the board";
        for answer in answers {
            self.calm_s = self.stand_s();
            player = !player;
            let (mut tasks, mut by) = (vec![], Some(player));
            for hand in answer {
                self.hand_move(*hand, player, &mut by, &mut tasks)?;
            }
            // What stands illegally is still the illegal move.
            let act = self.act(player, label.clone(), tasks, plies);
            (act.state, act.note) = (State::Irregular, "an illegal move was let stand and answered");
        }
        Ok(())
    }

    /// Carries out an illegal change: whose hand makes it, what it is called, and its trips.
    fn unlawful(&mut self, position: &Chess, hands: &[HandMove]) -> Result<(Color, Label, Vec<Task>), String> {
        let mut tasks = vec![];
        let mut player = None;
        for hand in hands {
            self.hand_move(*hand, position.turn(), &mut player, &mut tasks)?;
        }
        let placement = self.cast.placement();
        if placement == *position.board() {
            return Err("it changes nothing".into());
        }
        let verdict = verdicts::judge(position, &placement);
        let Some(reason) = verdict.reasons.iter().next() else {
            return Err(format!("it is no illegal change: {}", verdict.text));
        };
        let word = format!("illegal:{}", reason.word());
        let player = player.unwrap_or_else(|| position.turn());
        // Not one move: the hand moves, without a comma, which would part columns.
        let uci = verdict.uci.map_or_else(|| together(hands, "+"), |uci| uci.to_string());
        Ok((player, Label::new(word, uci), tasks))
    }

    fn hand_move(
        &mut self,
        hand: HandMove,
        turn: Color,
        player: &mut Option<Color>,
        tasks: &mut Vec<Task>,
    ) -> Result<(), String> {
        let on = |cast: &Cast, square: Square| cast.on(square).ok_or_else(|| format!("no man stands on {square}"));
        match hand {
            HandMove::Carry { from, to } => {
                let man = on(&self.cast, from)?;
                let owner = *player.get_or_insert(self.cast.men[man].piece.color);
                if let Some(victim) = self.cast.on(to) {
                    self.takes_off(tasks, victim, owner);
                }
                let task = self.carry(man, to, Way::Lifted);
                self.does(tasks, task);
            }
            HandMove::Remove(square) => {
                let man = on(&self.cast, square)?;
                self.takes_off(tasks, man, player.unwrap_or(turn));
            }
            HandMove::Put { piece, at } => {
                let man = self.spare(piece);
                if let Some(victim) = self.cast.on(at) {
                    self.takes_off(tasks, victim, player.unwrap_or(turn));
                }
                let task = self.carry(man, at, Way::Lifted);
                self.does(tasks, task);
            }
        }
        Ok(())
    }

    /// Brings men back to where they were.
    fn put_back(&mut self, player: Color, label: Label, undone: &[(usize, Place)], plies: usize) {
        let mut tasks = vec![];
        for &(man, was) in undone {
            let to = match was {
                Place::On(square, _) => Place::On(square, self.stand(square, self.cast.men[man].piece)),
                Place::Beside(stand) => Place::Beside(stand),
                Place::Held | Place::Away => self.aside(player),
            };
            self.does(&mut tasks, Task::Carry { man, to, way: Way::Lifted });
        }
        self.act(player, label, tasks, plies);
    }

    /// A man is lifted and put back, or (slid) pushed to the middle of its square.
    pub(super) fn touch(&mut self, plies: usize, square: Square, way: Way) -> Result<(), String> {
        let man = self.cast.on(square).ok_or_else(|| format!("no man stands on {square}"))?;
        let piece = self.cast.men[man].piece;
        let adjusts = way == Way::Slid;
        let off = self.scene.men.off_centre;
        let stand = self.stand_within(square, piece, if adjusts { ADJUSTED.min(off) } else { off });
        let mut tasks = vec![];
        self.does(&mut tasks, Task::Carry { man, to: Place::On(square, stand), way });
        let word = if adjusts { "adjust" } else { "touch" };
        // Nothing new stands afterwards: the next still shows where the man is now.
        self.act(piece.color, Label::new(word, square), tasks, plies).still = false;
        Ok(())
    }

    /// Legal moves that are played and then taken back, last one first, each by the hand that made it.
    pub(super) fn take_back(
        &mut self,
        position: &Chess,
        mode: shakmaty::CastlingMode,
        plies: usize,
        moves: &[Move],
    ) -> Result<(), String> {
        let mut position = position.clone();
        let mut made = vec![];
        for (index, m) in moves.iter().enumerate() {
            let uci = UciMove::from_move(*m, mode).to_string();
            if !position.is_legal(*m) {
                return Err(format!("{uci} is not legal there"));
            }
            let (before, mover, first) = (self.cast.clone(), position.turn(), self.acts.len());
            self.ply(mover, *m, &uci, plies + index + 1, &Manner::default());
            let mut tasks = vec![];
            for act in &mut self.acts[first..] {
                (act.state, act.note) = (State::Irregular, "will be taken back");
                tasks.extend(act.tasks.iter().copied());
            }
            made.push((mover, uci, undo(&before, &tasks)));
            position.play_unchecked(*m);
        }
        self.calm_s = self.stand_s();
        for (index, (mover, uci, undone)) in made.into_iter().enumerate().rev() {
            self.put_back(mover, Label::new("takeback", uci), &undone, plies + index);
            if index > 0 {
                let last = self.acts.len() - 1;
                (self.acts[last].state, self.acts[last].note) = (State::Irregular, "will be taken back");
            }
        }
        self.calm_s = self.half_s();
        Ok(())
    }

    /// The kings go to the central squares of a result, along the way that displaces the fewest men.
    pub(super) fn kings(&mut self, plies: usize, outcome: KnownOutcome) -> Result<(), String> {
        let king = |colour: Color| {
            let man = self.cast.men.iter().position(|m| m.piece == colour.king() && matches!(m.place, Place::On(..)));
            man.ok_or_else(|| "a king is missing".to_owned())
        };
        let kings = [king(Color::White)?, king(Color::Black)?];
        let fits = |white: Square, black: Square| match outcome {
            _ if white == black => false,
            KnownOutcome::Decisive { winner } => [white, black].iter().all(|s| s.is_light() == winner.is_white()),
            KnownOutcome::Draw => white.is_light() != black.is_light(),
        };
        let cost = |goals: &[Square; 2]| -> usize {
            let trips = |(man, square): (&usize, &Square)| match self.cast.on(*square) {
                Some(there) if there == *man => 0,
                Some(_) => 2,
                None => 1,
            };
            kings.iter().zip(goals).map(trips).sum()
        };
        let pairs = CENTRAL.into_iter().flat_map(|white| CENTRAL.map(|black| [white, black]));
        let goals = pairs.filter(|[white, black]| fits(*white, *black)).min_by_key(cost);
        let Some(goals) = goals else { return Err("no squares for it".into()) };
        let winner = outcome.winner().unwrap_or(Color::White);
        let mut tasks = vec![];
        for square in goals {
            if let Some(man) = self.cast.on(square).filter(|man| !kings.contains(man)) {
                self.takes_off(&mut tasks, man, winner);
            }
        }
        for (man, square) in kings.into_iter().zip(goals) {
            if self.cast.on(square) != Some(man) {
                let task = self.carry(man, square, Way::Lifted);
                self.does(&mut tasks, task);
            }
        }
        self.act(winner, Label::new("result", outcome.as_str()), tasks, plies).note = match outcome.winner() {
            Some(Color::White) => "kings on e4 and d5",
            Some(Color::Black) => "kings on d4 and e5",
            None => "kings on squares of both colours",
        };
        Ok(())
    }
}

/// The men that tasks have moved and where they were before, in the order in which they go back.
fn undo(before: &Cast, tasks: &[Task]) -> Vec<(usize, Place)> {
    let mut found: Vec<(usize, Place)> = vec![];
    for man in tasks.iter().rev().flat_map(|t| t.men()) {
        if !found.iter().any(|f| f.0 == man) {
            found.push((man, before.men.get(man).map_or(Place::Away, |m| m.place)));
        }
    }
    found
}
