//! What a game keeps of its looks besides the line of play. It begins empty with every game, and what people say of the game
//! ends most of it.

use shakmaty::{Bitboard, Board, Move, Square};

use super::{
    alternatives::Alternative, beliefs::Belief, explanations::Explanation, pace::Pace, suspicions::Suspicions,
    trust::UsualClutter, weighing,
};

/// Probability from which a look shows that the plies of a line came before those that follow: it is likelier than all else.
const SHOWN: f64 = 0.5;
/// Probability from which a look suggests a line, even where a hand is over it.
const SUGGESTED: f64 = 0.9;
/// Most lines that are kept to know in which order their plies were played: a game at a standstill may show any number.
const MOST_STAGES: usize = 64;

/// Plies after the game's last that a look showed more probably than all else, and that were not told.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub plies: Vec<Move>,
    /// So many of them were seen with nothing over them; of the others only the order is known.
    pub shown: usize,
    /// The probability that the look gave them.
    pub probability: f64,
    /// The probability that they were played.
    pub confidence: f64,
}

/// For how long nothing has been understood, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Puzzled {
    /// From the first look that was not understood to the present one.
    pub all_s: f64,
    /// Of these, what followed on looks that no hand was in.
    pub waited_s: f64,
    /// Was a hand in the last look?
    pub hand: bool,
}

impl Puzzled {
    /// Another look comes, so many seconds after the last one.
    pub fn grow(&mut self, elapsed_s: f64) {
        self.all_s += elapsed_s;
        if !self.hand {
            self.waited_s += elapsed_s;
        }
    }
}

/// What looks have shown since the last one that was understood: what tells in which order plies were played.
#[derive(Debug, Clone, Default)]
pub(super) struct Stages(Vec<Stage>);

impl Stages {
    /// Keeps what a look has shown, if that is likelier than all else. What only shows it again takes nothing from a look that
    /// suggested it.
    pub fn add(&mut self, stage: Stage) {
        let known = self.0.iter().position(|known| known.plies == stage.plies);
        if stage.probability <= SHOWN || (known.is_some() && stage.probability < SUGGESTED) {
            return;
        }
        if let Some(known) = known {
            self.0.remove(known);
        } else if self.0.len() == MOST_STAGES {
            self.0.remove(0);
        }
        self.0.push(stage);
    }

    /// What a look suggested last.
    pub fn suggested(&self) -> Option<&Stage> {
        self.0.iter().rfind(|stage| stage.probability >= SUGGESTED)
    }

    /// How many of a line's first plies were suggested and seen with nothing over them.
    pub fn clear_plies(&self, plies: &[Move]) -> usize {
        let shown = self.suggested().and_then(|stage| stage.plies.get(..stage.shown)).unwrap_or_default();
        if plies.starts_with(shown) { shown.len() } else { 0 }
    }

    /// The plies of a line that were shown, look by look: these came before the others.
    pub fn of(&self, line: &[Move]) -> Vec<&[Move]> {
        let count = |plies: &[Move], mv: &Move| plies.iter().filter(|other| *other == mv).count();
        let belongs = |plies: &[Move]| plies.iter().all(|mv| count(plies, mv) <= count(line, mv));
        self.0.iter().map(|stage| stage.plies.as_slice()).filter(|plies| belongs(plies)).collect()
    }
}

/// What the last look showed.
#[derive(Debug, Clone)]
pub(super) struct LastLook {
    /// The men, when it was surely these.
    pub shown: Option<Board>,
    /// The squares that it left unexplained.
    pub unexplained: Bitboard,
}

impl LastLook {
    /// Was it surely these men?
    pub fn showed(&self, men: &Board) -> bool {
        self.shown.as_ref() == Some(men)
    }
}

/// What earlier looks left.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// The man that was seen in the air at the last look, to tell that it was touched.
    pub lifted: Option<Square>,
    /// Other lines that look the same so far.
    pub(super) alternatives: Vec<Alternative>,
    /// The last look.
    pub(super) last: Option<LastLook>,
    /// Lines that the last looks suggested.
    pub(super) beliefs: Vec<Belief>,
    /// What no line leads to, and looks have shown.
    pub(super) suspicions: Suspicions,
    /// Plies that looks have shown, and that were not told.
    pub(super) stages: Stages,
    /// How much of a clear picture shows something foreign.
    pub(super) usual_clutter: UsualClutter,
    /// How many plies a look brings.
    pub pace: Pace,
    /// So many of the line's first plies have stood at a patient look, with nobody's hand near: their men were let go.
    pub(super) stood: usize,
    /// From the last look to the present one, in seconds; `None` where time is not known.
    pub(super) elapsed_s: Option<f64>,
    /// For how long nothing has been understood; `None` where the last look was.
    pub(super) puzzled: Option<Puzzled>,
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
        let usual_clutter = std::mem::take(&mut self.usual_clutter);
        *self = Self { usual_clutter, ..std::mem::take(self).of_next_game() };
    }

    /// What a new game begins with: how the camera deceives, and how fast people play.
    pub(super) fn of_next_game(self) -> Self {
        let Self { suspicions, mut pace, .. } = self;
        pace.went_on(0);
        Self { suspicions: suspicions.overruled(), pace, ..Self::default() }
    }
}
