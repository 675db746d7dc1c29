//! A moment of a game: the stones, who is to play, and the way there.
//!
//! Moments that come of each other share what came before, so that hundreds of lines cost little and every position that
//! was on the board stays known, for the rules ask for it.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::Arc,
};

use super::{Board, Color, Content, Fault, Ko, Point, Rules, board::Placed};

/// What a player did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Play {
    /// Who.
    pub color: Color,
    /// Where his stone went; `None` is a pass.
    pub at: Option<Point>,
    /// What the rules say against it, where it was made all the same.
    pub fault: Option<Fault>,
}

impl Play {
    /// A stone.
    #[must_use]
    pub const fn stone(color: Color, at: Point) -> Self {
        Self { color, at: Some(at), fault: None }
    }

    /// A pass.
    #[must_use]
    pub const fn pass(color: Color) -> Self {
        Self { color, at: None, fault: None }
    }
}

/// How a moment came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// The game begins here.
    Start,
    /// By a play.
    Played(Play),
    /// The stones were laid out so, or nobody saw how they came.
    Laid,
}

/// A moment of a game.
#[derive(Debug)]
pub struct Moment {
    before: Option<Arc<Moment>>,
    came: Came,
    board: Board,
    /// Tells boards apart.
    hash: u64,
    /// Tells ways apart.
    path: u64,
    to_play: Color,
    ko: Option<Point>,
    captured: Vec<Point>,
    /// Stones that Black and that White has taken.
    prisoners: [u32; 2],
    number: usize,
}

impl Moment {
    /// The beginning of a game.
    #[must_use]
    pub fn start(board: Board, to_play: Color) -> Arc<Self> {
        let hash = board.fingerprint();
        let path = hash_of(&(hash, to_play));
        let (came, ko, captured) = (Came::Start, None, Vec::new());
        Arc::new(Self { before: None, came, board, hash, path, to_play, ko, captured, prisoners: [0; 2], number: 0 })
    }

    /// Stones laid out so after a moment, by hands and not by plays.
    #[must_use]
    pub(super) fn laid(self: &Arc<Self>, board: Board, to_play: Color) -> Arc<Self> {
        self.next(Came::Laid, board, to_play, None, Vec::new())
    }

    /// The moment after a pass.
    #[must_use]
    pub fn pass(self: &Arc<Self>) -> Arc<Self> {
        let came = Came::Played(Play::pass(self.to_play));
        self.next(came, self.board.clone(), self.to_play.other(), None, Vec::new())
    }

    /// The moment after a stone of the player who is to play.
    ///
    /// # Errors
    /// What the rules have against it.
    pub fn play(self: &Arc<Self>, at: Point, rules: &Rules) -> Result<Arc<Self>, Fault> {
        let color = self.to_play;
        let placed = self.placed(at, color, rules)?;
        Ok(self.stone(Play::stone(color, at), placed))
    }

    /// The moment after a stone that the rules forbid, or that they allow: it says in its [`Play`] what they have against it.
    /// `None` where there is a stone already.
    #[must_use]
    pub fn force(self: &Arc<Self>, at: Point, color: Color, rules: &Rules) -> Option<Arc<Self>> {
        let turn = (color != self.to_play).then_some(Fault::Turn);
        match self.placed(at, color, rules) {
            Ok(placed) => Some(self.stone(Play { color, at: Some(at), fault: turn }, placed)),
            Err(Fault::Occupied) => None,
            Err(fault) => {
                let placed = self.board.place(at, color);
                Some(self.stone(Play { color, at: Some(at), fault: turn.or(Some(fault)) }, placed))
            }
        }
    }

    /// What the rules have against a stone of the player who is to play.
    ///
    /// # Errors
    /// That.
    pub fn check(self: &Arc<Self>, at: Point, rules: &Rules) -> Result<(), Fault> {
        self.placed(at, self.to_play, rules).map(|_| ())
    }

    /// The board after a stone, with what it takes taken off.
    fn placed(&self, at: Point, color: Color, rules: &Rules) -> Result<Placed, Fault> {
        if !self.board.size().has(at) || self.board.at(at) != Content::Empty {
            return Err(Fault::Occupied);
        }
        let mut placed = self.board.place(at, color);
        if self.ko == Some(at) && color == self.to_play && placed.captured.len() == 1 {
            return Err(Fault::Ko);
        }
        if placed.breathless {
            if !rules.suicide {
                return Err(Fault::Suicide);
            }
            for stone in placed.board.group(at).map(|g| g.stones).unwrap_or_default() {
                placed.board.set(stone, Content::Empty);
                placed.captured.push(stone);
            }
        }
        // Without a capture there are more stones than ever before.
        if !placed.captured.is_empty() && rules.ko != Ko::Simple && self.was_before(&placed.board, color, rules.ko) {
            return Err(Fault::Repeats);
        }
        Ok(placed)
    }

    /// Was this board there before, as the rules ask?
    fn was_before(&self, board: &Board, played: Color, ko: Ko) -> bool {
        let hash = board.fingerprint();
        let same = |m: &&Self| m.hash == hash && m.board == *board;
        let mut moments = std::iter::successors(Some(self), |m| m.before.as_deref());
        moments.any(|m| same(&m) && (ko == Ko::Positional || m.to_play == played.other()))
    }

    fn stone(self: &Arc<Self>, play: Play, placed: Placed) -> Arc<Self> {
        let Some(at) = play.at else { return self.pass() };
        // A single stone that took a single one, and could be taken itself at once.
        let ko = match placed.captured[..] {
            [taken] if taken != at => {
                placed.board.group(at).is_some_and(|g| g.stones.len() == 1 && g.liberties.len() == 1).then_some(taken)
            }
            _ => None,
        };
        self.next(Came::Played(play), placed.board, play.color.other(), ko, placed.captured)
    }

    fn next(
        self: &Arc<Self>,
        came: Came,
        board: Board,
        to_play: Color,
        ko: Option<Point>,
        captured: Vec<Point>,
    ) -> Arc<Self> {
        let hash = board.fingerprint();
        let (number, path, mut prisoners) = match came {
            Came::Played(play) => (self.number + 1, hash_of(&(self.path, play)), self.prisoners),
            Came::Start | Came::Laid => (self.number, hash_of(&(self.path, hash, to_play)), [0; 2]),
        };
        for &taken in &captured {
            let by = match self.board.at(taken).color() {
                Some(Color::White) => Color::Black,
                Some(Color::Black) => Color::White,
                // The stone that took its own last liberty.
                None => to_play,
            };
            prisoners[by as usize] += 1;
        }
        Arc::new(Self { before: Some(self.clone()), came, board, hash, path, to_play, ko, captured, prisoners, number })
    }

    /// The moment before.
    #[must_use]
    pub const fn before(&self) -> Option<&Arc<Self>> {
        self.before.as_ref()
    }

    /// How it came.
    #[must_use]
    pub const fn came(&self) -> Came {
        self.came
    }

    /// The play by which it came.
    #[must_use]
    pub const fn last(&self) -> Option<Play> {
        match self.came {
            Came::Played(play) => Some(play),
            Came::Start | Came::Laid => None,
        }
    }

    /// The stones.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Who is to play.
    #[must_use]
    pub const fn to_play(&self) -> Color {
        self.to_play
    }

    /// Where the ko may not be taken back now.
    #[must_use]
    pub const fn ko(&self) -> Option<Point> {
        self.ko
    }

    /// Stones that the play took by which it came.
    #[must_use]
    pub fn captured(&self) -> &[Point] {
        &self.captured
    }

    /// Stones that this player has taken since the stones were last laid out.
    #[must_use]
    pub const fn prisoners(&self, by: Color) -> u32 {
        self.prisoners[by as usize]
    }

    /// Plays since the beginning, passes included.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number
    }

    /// The same for moments that came in the same way, and for hardly any others.
    #[must_use]
    pub const fn path(&self) -> u64 {
        self.path
    }

    /// The same for moments from which the game goes on in the same way, and for hardly any others.
    #[must_use]
    pub(super) fn situation(&self) -> u64 {
        hash_of(&(self.hash, self.to_play, self.ko))
    }

    /// All moments from the beginning to this one.
    #[must_use]
    pub fn line(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut line: Vec<_> = std::iter::successors(Some(self.clone()), |m| m.before.clone()).collect();
        line.reverse();
        line
    }

    /// This moment and those before it, the latest first.
    pub(super) fn back(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        std::iter::successors(Some(self), |m| m.before.as_ref())
    }
}

impl Drop for Moment {
    /// One after another, for a long game would be too deep for calls within calls.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut moment) = before.and_then(Arc::into_inner) {
            before = moment.before.take();
        }
    }
}

fn hash_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
