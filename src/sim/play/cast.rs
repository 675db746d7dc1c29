//! The men of a set, where each of them is, and what a hand does with one.

use shakmaty::{Board, Square};

use crate::sim::shape::man::{Man, Place};

/// How a man is brought from place to place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Lifted over its neighbours' heads.
    Lifted,
    /// Pushed along the board.
    Slid,
}

/// One trip of the hand with a man.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task {
    /// Take a man from where it stands, or bring it from outside of the picture, and set it down. A man that lies is
    /// set upright.
    Carry {
        /// Number of the man.
        man: usize,
        /// Where it will stand.
        to: Place,
        /// How it comes there.
        way: Way,
    },
    /// Take a man, lift the victim from its goal with the same hand, set the man down, and the victim aside.
    Swap {
        /// Number of the man.
        man: usize,
        /// Where it will stand.
        to: Place,
        /// Number of the man on the goal.
        victim: usize,
        /// Where that one will stand.
        aside: Place,
    },
    /// Knock a man over in passing.
    Topple {
        /// Number of the man.
        man: usize,
        /// Where it will lie.
        to: Place,
    },
}

impl Task {
    /// The men that it moves, in the order in which they are set down.
    pub fn men(self) -> impl DoubleEndedIterator<Item = usize> {
        let (first, second) = match self {
            Self::Carry { man, .. } | Self::Topple { man, .. } => (man, None),
            Self::Swap { man, victim, .. } => (man, Some(victim)),
        };
        [Some(first), second].into_iter().flatten()
    }
}

/// Every man of a set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cast {
    /// The men; a man keeps its number.
    pub men: Vec<Man>,
}

impl Cast {
    /// What stands or lies on the squares. Two men on a square: the later one.
    #[must_use]
    pub fn placement(&self) -> Board {
        let mut board = Board::empty();
        for man in &self.men {
            if let Place::On(square, _) = man.place {
                board.set_piece_at(square, man.piece);
            }
        }
        board
    }

    /// Is exactly this on the squares, one man on each?
    #[must_use]
    pub fn shows(&self, placement: &Board) -> bool {
        let men = self.men.iter().filter(|m| matches!(m.place, Place::On(..))).count();
        men == placement.occupied().count() && self.placement() == *placement
    }

    /// Carries out a task at once.
    pub fn perform(&mut self, task: Task) {
        match task {
            Task::Carry { man, to, .. } | Task::Topple { man, to } => self.men[man].place = to,
            Task::Swap { man, to, victim, aside } => {
                self.men[man].place = to;
                self.men[victim].place = aside;
            }
        }
    }

    /// Number of the man on a square.
    #[must_use]
    pub fn on(&self, square: Square) -> Option<usize> {
        self.men.iter().position(|m| matches!(m.place, Place::On(s, _) if s == square))
    }
}
