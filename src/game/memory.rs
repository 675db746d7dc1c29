//! What a game keeps of its looks besides the line of play. It begins empty with every game, and what people say of the game
//! ends most of it.

use shakmaty::{Bitboard, Board, Move, Square};

use super::{
    alternatives::Alternative, beliefs::Belief, explanations::Explanation, pace::Pace, trust::UsualClutter, weighing,
};

/// Plies after the game's last that a look suggested, and that were not told: they came first.
#[derive(Debug, Clone, Default)]
pub(super) struct Suggested {
    pub plies: Vec<Move>,
    /// So many of them were seen with nothing over them; of the others only the order is known.
    pub shown: usize,
    /// The probability that they were played.
    pub confidence: f64,
}

impl Suggested {
    /// How many plies of a line that goes on from the game so were seen with nothing over them.
    pub fn shown(&self, plies: &[Move]) -> usize {
        let shown = self.plies.get(..self.shown).unwrap_or_default();
        if plies.starts_with(shown) { shown.len() } else { 0 }
    }
}

/// Most lines of plies that are kept to know in which order they were played: a game at a standstill may show any number.
const MOST_STAGES: usize = 64;

/// Plies after the game's last that looks have shown more probably than all else, since the last one was told: what tells in
/// which order they were played.
#[derive(Debug, Clone, Default)]
pub(super) struct Stages(Vec<Vec<Move>>);

impl Stages {
    /// A look has shown these plies.
    pub fn add(&mut self, plies: &[Move]) {
        if !self.0.iter().any(|known| known == plies) {
            if self.0.len() == MOST_STAGES {
                self.0.remove(0);
            }
            self.0.push(plies.to_vec());
        }
    }

    /// How many of a line's first plies were shown, look by look.
    pub fn of(&self, plies: &[Move]) -> Vec<usize> {
        self.0.iter().filter(|shown| plies.starts_with(shown)).map(Vec::len).collect()
    }
}

/// What earlier looks left.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// The man that was seen in the air at the last look, to tell that it was touched.
    pub lifted: Option<Square>,
    /// Other lines that look the same so far.
    pub(super) alternatives: Vec<Alternative>,
    /// The placement that the last look showed, when it was surely this one, and the squares that it left unexplained.
    pub shown: Option<(Board, Bitboard)>,
    /// Lines that the last looks suggested.
    pub(super) beliefs: Vec<Belief>,
    /// What no rule allows, and the last look suggested.
    pub(crate) unlawful: Vec<Board>,
    /// The line that the last look suggested, and that was not told.
    pub(super) suggested: Suggested,
    /// What looks have shown since the last ply was told.
    pub(super) stages: Stages,
    /// How much of a clear picture shows something foreign.
    pub(super) usual_clutter: UsualClutter,
    /// How many plies a look brings.
    pub pace: Pace,
    /// From the last look to the present one, in seconds; `None` where time is not known.
    pub(super) elapsed_s: Option<f64>,
    /// From the first of the looks in a row that were not understood to the present one, in seconds; `None` where the last one
    /// was.
    pub(super) puzzled_s: Option<f64>,
    /// The present doubt has been told.
    pub(crate) doubt_told: bool,
    /// The plies that the last look left open.
    pub open: Vec<Explanation>,
    /// Patient looks in a row that nothing explained.
    pub(super) lost_looks: u32,
    /// What the squares told, white men and black ones, when a long line was searched for last.
    pub searched: Option<(Bitboard, Bitboard)>,
    /// What pictures without change are weighed in, kept so that they allocate nothing.
    pub quiet: Vec<weighing::Weighed>,
}

impl Memory {
    /// Somebody has said what was played: what looks suggested is over. How the camera sees and how fast the game goes is not.
    pub(super) fn overrule(&mut self) {
        let (usual_clutter, mut pace) = (std::mem::take(&mut self.usual_clutter), std::mem::take(&mut self.pace));
        pace.went_on(0);
        *self = Self { usual_clutter, pace, ..Self::default() };
    }
}
