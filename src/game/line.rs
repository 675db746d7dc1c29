//! A line of play: where it began, and each ply with the position after it.

use std::{fmt::Write as _, sync::Arc};

use shakmaty::{Chess, Color, EnPassantMode, Move, Position as _, fen::Fen, san::SanPlus, uci::UciMove};

use super::start::Start;

/// One ply of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// The move as UCI; castling as the king's move (`e1g1`), in Chess960 as the king taking its rook.
    pub uci: UciMove,
    /// The move as SAN, with check and mate signs.
    pub san: SanPlus,
    /// The position after it.
    pub position: Chess,
    /// Probability that this is what was played, 0 to 1; 1 when a person said so.
    pub confidence: f64,
}

impl Ply {
    /// The position after it as FEN.
    #[must_use]
    pub fn fen(&self) -> Fen {
        fen(&self.position)
    }
}

/// A position as FEN, all six fields; the en passant square only where such a capture is legal.
#[must_use]
pub fn fen(position: &Chess) -> Fen {
    Fen::from_position(position, EnPassantMode::Legal)
}

/// A line of play. Every ply is legal after those before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    start: Start,
    /// Shared by copies of the line, which every look takes, until one of them changes.
    plies: Arc<Vec<Ply>>,
}

impl Line {
    /// No ply yet.
    #[must_use]
    pub fn new(start: Start) -> Self {
        Self { start, plies: Arc::default() }
    }

    /// The first position.
    #[must_use]
    pub const fn start(&self) -> &Start {
        &self.start
    }

    /// The plies, first to last.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Number of plies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    /// Nothing played?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// The position after the last ply.
    #[must_use]
    pub fn position(&self) -> &Chess {
        self.position_after(self.len())
    }

    /// The position after `plies` plies; after the last one when there are fewer.
    #[must_use]
    pub fn position_after(&self, plies: usize) -> &Chess {
        let last = plies.min(self.len());
        if last == 0 { self.start.position() } else { &self.plies[last - 1].position }
    }

    /// The last of the first `plies` plies; `None` where there is none before the first.
    pub(super) fn last_of(&self, plies: usize) -> Option<Move> {
        self.plies.iter().take(plies).next_back().map(|ply| ply.mv)
    }

    /// Plays a move on. Returns false, and does nothing, when it is not legal.
    pub fn push(&mut self, mv: Move, confidence: f64) -> bool {
        let mut position = self.position().clone();
        if !position.is_legal(mv) {
            return false;
        }
        let uci = UciMove::from_move(mv, self.start.castling_mode());
        let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
        Arc::make_mut(&mut self.plies).push(Ply { mv, uci, san, position, confidence });
        true
    }

    /// The line that keeps `keep` plies of this one and goes on with `moves`: all its moves from the start, and where it
    /// leads; `None` when one of them is not legal.
    pub(super) fn branch(&self, keep: usize, moves: &[Move]) -> Option<(Vec<Move>, Chess)> {
        let mut position = self.position_after(keep).clone();
        for &mv in moves {
            if !position.is_legal(mv) {
                return None;
            }
            position.play_unchecked(mv);
        }
        Some((self.plies.iter().take(keep).map(|p| p.mv).chain(moves.iter().copied()).collect(), position))
    }

    /// Plies that these moves from the start share with it.
    pub(super) fn common(&self, moves: &[Move]) -> usize {
        moves.iter().zip(self.plies()).take_while(|(a, b)| **a == b.mv).count()
    }

    /// Goes back to the position after `plies` plies.
    pub fn truncate(&mut self, plies: usize) {
        if plies < self.len() {
            Arc::make_mut(&mut self.plies).truncate(plies);
        }
    }

    /// How often the last position has stood, itself included, as the rule of repetition counts: same men, same side
    /// to move, same castling and en passant rights.
    #[must_use]
    pub(super) fn repetitions(&self) -> usize {
        let last = self.position();
        // A capture or a pawn's move cannot be undone: nothing before the last one can repeat.
        let reversible = usize::try_from(last.halfmoves()).unwrap_or(usize::MAX).min(self.len());
        (self.len() - reversible..=self.len()).filter(|&n| self.position_after(n) == last).count()
    }
}

/// The plies from index `from` on with their numbers: `3... a6 4. Ba4`.
pub(super) fn numbered(line: &Line, from: usize) -> String {
    let mut text = String::new();
    for index in from..line.len() {
        if let Some(number) = number(line, index, index == from) {
            let _ = write!(text, "{number} ");
        }
        let _ = write!(text, "{} ", line.plies()[index].san);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The number before the ply with this index: White's always has one, Black's only where it must be said.
pub(super) fn number(line: &Line, index: usize, needed: bool) -> Option<String> {
    match line.start().number(index) {
        (full, Color::White) => Some(format!("{full}.")),
        (full, Color::Black) => needed.then(|| format!("{full}...")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The line of these moves from the start, each as UCI.
    pub(in crate::game) fn played(ucis: &str) -> Line {
        let mut line = Line::new(Start::default());
        for text in ucis.split_whitespace() {
            let mv = text.parse::<UciMove>().unwrap().to_move(line.position()).unwrap();
            assert!(line.push(mv, 1.0));
        }
        line
    }

    /// The same as moves alone.
    pub(in crate::game) fn moves(ucis: &str) -> Vec<Move> {
        played(ucis).plies().iter().map(|ply| ply.mv).collect()
    }

    #[test]
    fn counts_repetitions_back_to_the_last_pawn_move() {
        assert_eq!(played("g1f3 g8f6 f3g1 f6g8").repetitions(), 2);
        assert_eq!(played("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8").repetitions(), 3);
        // The king has moved: without castling rights it is another position.
        assert_eq!(played("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8").repetitions(), 1);
        assert_eq!(played("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7").repetitions(), 2);
    }

    #[test]
    fn refuses_what_is_not_legal_and_goes_back() {
        let mut line = played("e2e4 e7e5");
        let mv = line.plies()[0].mv;
        assert!(!line.push(mv, 1.0));
        assert_eq!(line.len(), 2);
        line.truncate(0);
        assert_eq!(line.position(), &Chess::default());
    }
}
