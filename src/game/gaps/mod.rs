//! Missing moves: every line of play that makes a score sheet with gaps legal as a whole.
//!
//! After K. Saumik, *Digitizing Chess Scoresheets* (finding missing moves by the legality of the moves after them).
//! That search is O(n·b^k) in the number of gaps k. Here what can be read is played in one go; only gaps branch, and
//! what follows from a position behind a gap is searched once, however many orders of moves lead there, and what the moves
//! further on need is asked at every gap.
//!
//! Three ways to ask a [`Sheet`]: [`Sheet::lines`] gives every line, one by one, with bounded memory; [`Sheet::count`]
//! only says how many there are; [`Sheet::best`] gives the most plausible ones, by the measure of `plausible`. With many
//! gaps none of them comes to an end soon: each asks at every position whether to go on, so it can be stopped at once, and
//! each keeps no more than a stated number of positions.

mod best;
mod count;
mod lines;
mod needs;
mod words;

use shakmaty::{Chess, Move, Position as _, fen::Fen};

use super::{line::fen, start::Start};
pub use best::{Best, Found};
pub use lines::Lines;
use needs::Need;
pub use words::MAX_PLIES;
use words::Step;

/// Why a text is not a line with gaps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GapError {
    /// A word that is neither a move nor a gap.
    #[error(
        "word {number}, {word:?}, is neither a move (SAN or UCI), nor ?? for a missing one, nor one with ? for what \
         cannot be read (N?5)"
    )]
    Word {
        /// Which word, from 1.
        number: usize,
        /// The word.
        word: String,
    },
    /// Nothing to complete.
    #[error("expected moves and ?? for missing ones, got none")]
    Empty,
    /// Longer than [`MAX_PLIES`].
    #[error("{plies} plies, at most {MAX_PLIES} are read")]
    Long {
        /// How many.
        plies: usize,
    },
}

/// A score sheet: where the game began, and what can be read of each ply.
#[derive(Debug, Clone)]
pub struct Sheet {
    start: Start,
    steps: Vec<Step>,
    words: Vec<String>,
    /// What the plies after each gap need there.
    needs: Vec<Vec<Need>>,
}

/// Where the search came to its end, when no line goes through to the last ply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// Number of the ply at which nothing fits, 1 for the first.
    pub ply: usize,
    /// The same as the score sheet counts: `14.` or `14...`.
    pub number: String,
    /// The word that does not fit.
    pub word: String,
    /// The position there, where all lines up to there lead to the same one.
    pub fen: Option<Fen>,
}

impl std::fmt::Display for Stuck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { ply, number, word, fen } = self;
        write!(f, "nothing fits at {number}: {word} (ply {ply}) is no legal move ")?;
        match fen {
            Some(fen) => write!(f, "in {fen}"),
            None => f.write_str("in any line up to there"),
        }
    }
}

impl Sheet {
    /// Reads a text such as `e4 e5 Nf3 Nc6 ?? a6 Ba4`; see `words` for what `?` may stand for.
    ///
    /// # Errors
    /// When a word is neither a move nor a gap, or there are none or too many.
    pub fn read(start: &Start, text: &str) -> Result<Self, GapError> {
        let (steps, words): (Vec<Step>, _) = words::steps(text)?.into_iter().unzip();
        let needs = needs::needs(start, &steps);
        Ok(Self { start: start.clone(), steps, words, needs })
    }

    /// Plies of the whole.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.steps.len()
    }

    /// Every line, in the order of the search. [`Lines::next_while`] can be stopped.
    #[must_use]
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(self)
    }

    /// How many lines there are. `go_on` is asked at every position; `None` when it said no, or no number of 64 bits tells it.
    #[must_use]
    pub fn count(&self, mut go_on: impl FnMut() -> bool) -> Option<u64> {
        count::count(self, &mut go_on)
    }

    /// The `wanted` most plausible lines, the most plausible first. `go_on` is asked at every position; `None` when it
    /// said no.
    #[must_use]
    pub fn best(&self, wanted: usize, mut go_on: impl FnMut() -> bool) -> Option<Best> {
        best::search(self, wanted, &mut go_on)
    }

    /// Plays what can be read from `position`, which stands after `ply` plies; each move is `told` with the position
    /// before it. Returns the ply before which it stopped: that of a gap, the last one, or one that is not legal.
    fn play_on(&self, position: &mut Chess, ply: usize, mut told: impl FnMut(&Chess, Move)) -> usize {
        for (played, step) in self.steps[ply..].iter().enumerate() {
            let Some(mv) = step.one(position) else { return ply + played };
            told(position, mv);
            position.play_unchecked(mv);
        }
        self.steps.len()
    }

    /// Does the sheet ask for a choice at this ply?
    fn branches(&self, ply: usize) -> bool {
        self.steps.get(ply).is_some_and(|step| !step.is_read())
    }

    /// The first ply for which a position, in which the sheet asks for a choice, is hopeless; `None` where none is known.
    fn hopeless(&self, position: &Chess, ply: usize) -> Option<usize> {
        self.needs[ply].iter().find(|need| !need.is_met(position)).map(|need| need.ply)
    }

    fn stuck(&self, ply: usize, position: Option<&Chess>) -> Stuck {
        let (full, turn) = self.start.number(ply);
        let dots = turn.fold_wb(".", "...");
        let word = self.words.get(ply).cloned().unwrap_or_default();
        Stuck { ply: ply + 1, number: format!("{full}{dots}"), word, fen: position.map(fen) }
    }
}

#[cfg(test)]
mod tests;
