//! Where a game begins: a checked position from FEN.

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position as _, fen::Fen, san::SanPlus};

/// Why a text is not a position that a game can begin from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The text is not Forsyth-Edwards notation.
    #[error("not a FEN: {0}")]
    Syntax(String),
    /// The text is read, but the rules forbid the position.
    #[error("not a legal position: {0}")]
    Rules(String),
}

/// The first position of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    position: Chess,
    castling_mode: CastlingMode,
}

impl Default for Start {
    fn default() -> Self {
        Self { position: Chess::default(), castling_mode: CastlingMode::Standard }
    }
}

impl Start {
    /// Reads a FEN: all six fields, or the first ones with the usual values for the rest. Castling rights that only
    /// Chess960 can have make it a game of Chess960.
    ///
    /// # Errors
    /// When the text is not a FEN, or the position is not legal.
    pub fn from_fen(text: &str) -> Result<Self, StartError> {
        let fen: Fen = text.trim().parse().map_err(|e| StartError::Syntax(format!("{e}")))?;
        let setup = fen.into_setup();
        let castling_mode = CastlingMode::detect(&setup);
        let position = setup.position::<Chess>(castling_mode).map_err(|e| StartError::Rules(format!("{e}")))?;
        Ok(Self { position, castling_mode })
    }

    /// A position of standard chess.
    #[must_use]
    pub const fn from_position(position: Chess) -> Self {
        Self { position, castling_mode: CastlingMode::Standard }
    }

    /// The position.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// Standard chess or Chess960.
    #[must_use]
    pub const fn castling_mode(&self) -> CastlingMode {
        self.castling_mode
    }

    /// The usual start position?
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.position == Chess::default()
    }

    /// The usual start position, move counters included: what PGN needs no FEN header for.
    #[must_use]
    pub(super) fn is_exactly_usual(&self) -> bool {
        self.castling_mode == CastlingMode::Standard && self.fen() == Self::default().fen()
    }

    /// The number of the move that the ply with this index (0 for the first) belongs to, and who makes it.
    #[must_use]
    pub fn number(&self, index: usize) -> (usize, Color) {
        let half_moves = index + usize::from(self.position.turn() == Color::Black);
        (self.position.fullmoves().get() as usize + half_moves / 2, Color::from_white(half_moves.is_multiple_of(2)))
    }

    /// These plies from here on as SAN; each must be legal after those before it.
    #[must_use]
    pub(super) fn sans(&self, moves: &[Move]) -> Vec<SanPlus> {
        let mut position = self.position.clone();
        moves.iter().map(|&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv)).collect()
    }

    /// As FEN, all six fields.
    #[must_use]
    pub fn fen(&self) -> Fen {
        Fen::from_position(&self.position, EnPassantMode::Legal)
    }
}
