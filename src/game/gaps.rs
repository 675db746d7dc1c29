//! Missing moves: every line of play that makes a score sheet with gaps legal as a whole.
//!
//! After K. Saumik, *Digitizing Chess Scoresheets* (finding missing moves by the legality of the moves after them).
//! That search is O(n·b^k) in the number of gaps k; here it is depth first, gives its lines one by one, and remembers
//! positions from which no line led to the end, so that the many orders of the same missing moves are searched once.

use std::collections::HashSet;

use shakmaty::{
    Chess, Move, Position as _,
    san::{San, SanPlus},
    uci::UciMove,
};

use super::start::Start;

/// Longest line accepted, in plies: more than any game played.
pub const MAX_PLIES: usize = 1000;
/// Dead ends remembered: bounds the memory (about 150 bytes each).
const DEAD_ENDS: usize = 1_000_000;

/// Why a text is not a line with gaps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GapError {
    /// A word that is neither a move nor a gap.
    #[error("word {number}, {word:?}, is neither a move (SAN or UCI) nor ?? for a missing one")]
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

/// One ply of the score sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Missing,
    San(San),
    Uci(UciMove),
}

impl Step {
    fn read(word: &str) -> Option<Self> {
        if matches!(word, "??" | "?") {
            return Some(Self::Missing);
        }
        let plain = word.trim_end_matches(['!', '?']);
        if let Ok(uci) = plain.parse::<UciMove>() {
            return uci.is_normal().then_some(Self::Uci(uci));
        }
        plain.parse::<SanPlus>().ok().map(|san| Self::San(san.san))
    }

    /// The moves that this can be; a move that fits several men is none, as everywhere in SAN.
    fn moves(self, position: &Chess) -> Vec<Move> {
        match self {
            Self::Missing => position.legal_moves().into_iter().rev().collect(),
            Self::San(san) => san.to_move(position).into_iter().collect(),
            Self::Uci(uci) => uci.to_move(position).into_iter().collect(),
        }
    }
}

/// The words of a line: move numbers and a result at the end are left out.
fn steps(text: &str) -> Result<Vec<Step>, GapError> {
    let mut steps = Vec::new();
    for (index, word) in text.split_whitespace().enumerate() {
        // `12.`, `12...`, `12.e4`
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let bare =
            if digits.len() < word.len() && digits.starts_with('.') { digits.trim_start_matches('.') } else { word };
        if bare.is_empty() || matches!(bare, "1-0" | "0-1" | "1/2-1/2" | "*") {
            continue;
        }
        let shown = || word.chars().take(40).collect();
        steps.push(Step::read(bare).ok_or_else(|| GapError::Word { number: index + 1, word: shown() })?);
    }
    match steps.len() {
        0 => Err(GapError::Empty),
        plies if plies > MAX_PLIES => Err(GapError::Long { plies }),
        _ => Ok(steps),
    }
}

/// A position on the way, and the moves still to be tried from it.
#[derive(Debug, Clone)]
struct Fork {
    position: Chess,
    left: Vec<Move>,
    led_on: bool,
}

/// The lines, found while they are asked for; each as SAN from the first ply to the last.
#[derive(Debug, Clone)]
pub struct Lines {
    steps: Vec<Step>,
    forks: Vec<Fork>,
    sans: Vec<String>,
    dead: HashSet<(usize, Chess)>,
    limit: usize,
    furthest: usize,
}

impl Lines {
    /// Plies that some line reached: where it is below the whole, the ply after it is legal in no line.
    #[must_use]
    pub const fn furthest(&self) -> usize {
        self.furthest
    }

    /// Plies of the whole.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.steps.len()
    }
}

impl Iterator for Lines {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.limit == 0 {
            return None;
        }
        loop {
            let depth = self.forks.len();
            let fork = self.forks.last_mut()?;
            let Some(mv) = fork.left.pop() else {
                let fork = self.forks.pop()?;
                self.sans.truncate(self.forks.len().saturating_sub(1));
                if !fork.led_on && self.dead.len() < DEAD_ENDS {
                    self.dead.insert((depth - 1, fork.position));
                }
                continue;
            };
            let mut position = fork.position.clone();
            let san = SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
            self.sans.truncate(depth - 1);
            self.furthest = self.furthest.max(depth);
            if depth == self.steps.len() {
                self.forks.iter_mut().for_each(|fork| fork.led_on = true);
                self.limit -= 1;
                return Some(self.sans.iter().cloned().chain([san]).collect());
            }
            let key = (depth, position);
            if self.dead.contains(&key) {
                continue;
            }
            let (_, position) = key;
            let left = self.steps[depth].moves(&position);
            self.sans.push(san);
            self.forks.push(Fork { position, left, led_on: false });
        }
    }
}

/// Every line that makes `text` (`e4 e5 Nf3 Nc6 ?? a6 Ba4`) legal as a whole, at most `limit` of them.
///
/// # Errors
/// When a word is neither a move nor `??`, or there are none or too many.
pub fn complete(text: &str, limit: usize) -> Result<Lines, GapError> {
    complete_from(&Start::default(), text, limit)
}

/// The same from another first position.
///
/// # Errors
/// As [`complete`].
pub fn complete_from(start: &Start, text: &str, limit: usize) -> Result<Lines, GapError> {
    let steps = steps(text)?;
    let position = start.position().clone();
    let left = steps.first().map(|step| step.moves(&position)).unwrap_or_default();
    let forks = vec![Fork { position, left, led_on: false }];
    Ok(Lines { steps, forks, sans: Vec::new(), dead: HashSet::new(), limit, furthest: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        complete(text, usize::MAX).unwrap().map(|line| line.join(" ")).collect()
    }

    /// The paper's search, word for word: all lines, no memory.
    fn plain(position: &Chess, steps: &[Step]) -> usize {
        let Some((first, rest)) = steps.split_first() else { return 1 };
        let next = |mv| {
            let mut next = position.clone();
            next.play_unchecked(mv);
            plain(&next, rest)
        };
        first.moves(position).into_iter().map(next).sum()
    }

    #[test]
    fn the_papers_example_has_one_answer() {
        assert_eq!(lines("e4 e5 Nf3 Nc6 ?? a6 Ba4"), ["e4 e5 Nf3 Nc6 Bb5 a6 Ba4"]);
        assert_eq!(lines("1. e4 e5 2. Nf3 Nc6 3. ?? a6 4.Ba4! *"), ["e4 e5 Nf3 Nc6 Bb5 a6 Ba4"]);
    }

    #[test]
    fn counts_are_those_of_the_move_tree() {
        // The paper's counts after two moves.
        assert_eq!(lines("??").len(), 20);
        assert_eq!(lines("?? ??").len(), 400);
        assert_eq!(lines("?? ?? ??").len(), 8902);
    }

    #[test]
    fn finds_exactly_what_the_plain_search_finds() {
        for text in [
            "e4 ?? Nf3 ?? Bb5 a6 Ba4",
            "d4 d5 ?? ?? Nc3 Nf6 Bg5",
            "e4 ?? ?? d5 exd5 Qxd5",
            "?? e5 ?? Nc6 Bb5",
            "e4 e5 ?? ?? ?? Nxd4",
            "f3 ?? g4 Qh4#",
            "e2e4 ?? e4d5 d8d5",
        ] {
            let found = lines(text);
            let mut distinct = found.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), found.len(), "{text}");
            assert_eq!(found.len(), plain(&Chess::default(), &steps(text).unwrap()), "{text}");
            assert!(!found.is_empty(), "{text}");
        }
    }

    #[test]
    fn says_how_far_an_impossible_line_goes() {
        let mut impossible = complete("e4 e5 Ke3 ??", 5).unwrap();
        assert_eq!(impossible.next(), None);
        assert_eq!((impossible.furthest(), impossible.plies()), (2, 4));
    }

    #[test]
    fn streams_up_to_the_limit() {
        let mut many = complete("?? ?? ?? ?? ?? ?? ?? ?? ?? ??", 3).unwrap();
        assert!((0..3).all(|_| many.next().is_some_and(|line| line.len() == 10)));
        assert_eq!(many.next(), None);
        assert_eq!(complete("e4", 0).unwrap().next(), None);
    }

    #[test]
    fn errors_name_the_word() {
        let text = complete("e4 e5 Kx9 Nf3", 1).unwrap_err().to_string();
        assert_eq!(text, "word 3, \"Kx9\", is neither a move (SAN or UCI) nor ?? for a missing one");
        assert_eq!(complete("  ", 1).unwrap_err(), GapError::Empty);
        assert_eq!(complete(&"e4 ".repeat(1001), 1).unwrap_err(), GapError::Long { plies: 1001 });
    }

    #[test]
    fn starts_anywhere() {
        let start = Start::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").unwrap();
        let found: Vec<_> = complete_from(&start, "?? ?? Kg2 ?? Ra8", 10_000).unwrap().collect();
        assert!(!found.is_empty());
    }
}
