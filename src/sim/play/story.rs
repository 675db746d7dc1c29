//! What is to happen at the board: where the game begins, what is played, and what else goes on.

use shakmaty::{KnownOutcome, Move, Outcome, Piece, Square, uci::UciMove};

use crate::game::{pgn_in::GameText, start::Start};

/// A game as it is to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// The first position.
    pub start: Start,
    /// The game's moves; each must be legal after those before it.
    pub moves: Vec<Move>,
    /// What else happens; those of one ply in this order.
    pub incidents: Vec<Incident>,
    /// The game's result as its text tells it; for the kings in the centre, and for the truth when they are there.
    pub result: Outcome,
}

/// Something that happens beside the moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Incident {
    /// Index of the ply that it precedes or shapes, from 0; the number of moves: after the last one.
    pub ply: usize,
    /// What happens.
    pub what: What,
}

/// What happens beside the moves.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Men are moved so that no legal move explains it; that stands for a while, and is put back.
    Illegal(Vec<HandMove>),
    /// Men are moved so that no legal move explains it (the first of these changes), and it is let stand: the players go
    /// on with the others, in turn. Only after the last ply: no record can hold what follows.
    Stands(Vec<Vec<HandMove>>),
    /// The man on this square is lifted and put back.
    Touch(Square),
    /// The man on this square is pushed to its middle.
    Adjust(Square),
    /// These legal moves are played, and then taken back.
    TakeBack(Vec<Move>),
    /// The hand that makes the ply knocks over the man on this square; it lies for a while and is set upright again.
    KnockOver(Square),
    /// The kings are put on the central squares to tell the result: both on light squares, White has won; both on
    /// dark ones, Black; one of each, a draw. Only after the last ply.
    Kings(KnownOutcome),
    /// The ply is a castling, and there is a pause between king and rook.
    SlowCastling,
    /// The ply is a castling that begins with the rook; a pause, and then the king.
    RookFirst,
    /// The ply is a promotion: the pawn stands on the last rank for a while before the new man comes.
    LatePromotion,
    /// The ply is a capture made in this order.
    Capture(CaptureOrder),
    /// The man is held low over this square for so many seconds before it is set down on its own.
    Hover(Square, f64),
    /// The man is pushed along the board.
    Slide,
    /// After the ply the hand comes to rest in view for so many seconds; the opponent plays on.
    Rest(f64),
}

/// In which order the men of a capture move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureOrder {
    /// First the square is cleared.
    ClearFirst,
    /// The captured man is taken with the other one in hand.
    InHand,
    /// The man is set down at the square's edge, the captured one is taken, the man is pushed to the middle.
    PutFirst,
}

/// One move of a hand, whatever the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandMove {
    /// A man is carried from a square to another; what stands there is taken off.
    Carry {
        /// Where it stands.
        from: Square,
        /// Where it will stand.
        to: Square,
    },
    /// A man is taken off.
    Remove(Square),
    /// A man that was not on the board is put on it; what stands there is taken off.
    Put {
        /// Colour and kind.
        piece: Piece,
        /// Where it will stand.
        at: Square,
    },
}

impl std::fmt::Display for HandMove {
    /// As in PGN comments: `e2e5`, `xd5`, `N@f3` (a black man: `n@f3`).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Carry { from, to } => write!(f, "{from}{to}"),
            Self::Remove(square) => write!(f, "x{square}"),
            Self::Put { piece, at } => write!(f, "{}@{at}", piece.char()),
        }
    }
}

/// Hand moves that belong together, as in PGN comments.
pub(super) fn together(hands: &[HandMove], between: &str) -> String {
    hands.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

impl std::fmt::Display for What {
    /// As in PGN comments: `[%illegal e5d6,xd5]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |words: Vec<String>, between| words.join(between);
        let text = match self {
            Self::Illegal(hands) => format!("illegal {}", together(hands, ",")),
            Self::Stands(changes) => {
                format!("stands {}", list(changes.iter().map(|hands| together(hands, ",")).collect(), " "))
            }
            Self::Touch(square) => format!("touch {square}"),
            Self::Adjust(square) => format!("adjust {square}"),
            Self::TakeBack(moves) => {
                let uci = |m: &Move| UciMove::from_move(*m, shakmaty::CastlingMode::Standard).to_string();
                format!("takeback {}", list(moves.iter().map(uci).collect(), " "))
            }
            Self::KnockOver(square) => format!("knock {square}"),
            Self::Kings(outcome) => format!("kings {}", outcome.as_str()),
            Self::SlowCastling => "slow".into(),
            Self::RookFirst => "rook_first".into(),
            Self::LatePromotion => "late_promotion".into(),
            Self::Capture(CaptureOrder::ClearFirst) => "clear_first".into(),
            Self::Capture(CaptureOrder::InHand) => "in_hand".into(),
            Self::Capture(CaptureOrder::PutFirst) => "put_first".into(),
            Self::Hover(square, seconds) => format!("hover {square} {seconds}"),
            Self::Slide => "slide".into(),
            Self::Rest(seconds) => format!("rest {seconds}"),
        };
        write!(f, "[%{text}]")
    }
}

impl Story {
    /// The moves of a game and nothing else.
    #[must_use]
    pub fn plain(game: &GameText) -> Self {
        Self { start: game.start.clone(), moves: game.moves.clone(), incidents: vec![], result: game.result }
    }

    /// The same with one more incident.
    #[must_use]
    pub fn with(mut self, ply: usize, what: What) -> Self {
        self.incidents.push(Incident { ply, what });
        self
    }
}

impl Default for Story {
    /// The usual start position, and nothing happens.
    fn default() -> Self {
        Self { start: Start::default(), moves: vec![], incidents: vec![], result: Outcome::Unknown }
    }
}

impl From<(Start, Vec<Move>)> for Story {
    fn from((start, moves): (Start, Vec<Move>)) -> Self {
        Self { start, moves, ..Self::default() }
    }
}
