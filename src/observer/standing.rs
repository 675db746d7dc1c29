//! Illegal moves that were let stand: when one is answered, the game goes on from there, where the users want that.
//!
//! An illegal change stands on the board. The next thing understood may be a legal line that ends in the same placement (a king
//! who went two squares may have gone one and one, had nobody looked), or nothing at all. Where the placement is what the illegal
//! move and one legal answer to it give, that is what was played: the warning has told the first half already.

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Position, Setup, Square, uci::UciMove,
};

use crate::{
    event::Event,
    game::{Game, start::Start},
};

/// An illegal move that stands.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    /// The legal position before it.
    before: Chess,
    /// The position after it, the other side to move.
    after: Chess,
    /// The move.
    uci: UciMove,
}

/// An illegal move that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    /// The position in which it was answered.
    start: Start,
    /// The illegal move, and the answer.
    uci: UciMove,
    answer: UciMove,
    /// How many plies of the legal line, if one was told, are to be taken back.
    told: usize,
}

/// Keeps in mind what stands after `events`. Where an illegal move that stood was answered, and `accepts` says so, the game goes on
/// after it: the record until then is complete, a new one begins in the position that was answered, and `events` tell that.
pub(super) fn judge(standing: &mut Option<Standing>, game: &mut Game, accepts: bool, events: &mut Vec<Event>) {
    let answered = standing.as_ref().and_then(|standing| standing.answered(events, game.position()));
    if let Some(answered) = answered.filter(|_| accepts)
        && let Ok(accepted) = game.accept(answered.start, (answered.uci, answered.answer), answered.told)
    {
        *events = accepted;
        *standing = None;
    } else if let Some(now) = Standing::of(events, game.position()) {
        *standing = Some(now);
    } else if standing.is_some() && !game.status().illegal {
        *standing = None;
    }
}

impl Standing {
    /// What `events` say of an illegal move in `position`, the legal one that stands; `None` where none was made, it is not one
    /// move, or nobody could go on from there (a king could be taken).
    pub(super) fn of(events: &[Event], position: &Chess) -> Option<Self> {
        let uci = events.iter().rev().find_map(|event| match event {
            Event::Illegal { uci, .. } => Some(*uci),
            _ => None,
        })??;
        let after = forced(position, uci)?;
        Some(Self { before: position.clone(), after, uci })
    }

    /// Was it answered, by what was understood next? `now` is the legal position after `events`.
    pub(super) fn answered(&self, events: &[Event], now: &Chess) -> Option<Answered> {
        let told = events.iter().filter(|event| matches!(event, Event::Move { .. })).count();
        let mut answers = self.answers().into_iter();
        let answer = if told > 1 {
            answers.find(|(_, board)| board == now.board())
        } else if told == 0 {
            // No legal line leads there; the squares must tell the answer alone.
            let changed = changed_squares(events)?;
            let mut fitting = answers.filter(|(_, board)| difference(self.before.board(), board) == changed);
            fitting.next().filter(|_| fitting.next().is_none())
        } else {
            // One legal ply: it was put right.
            None
        }?;
        let start = Start::from_position(self.after.clone());
        let answer = UciMove::from_move(answer.0, CastlingMode::Standard);
        Some(Answered { start, uci: self.uci, answer, told })
    }

    /// Every legal answer, with the placement after it.
    fn answers(&self) -> Vec<(Move, Board)> {
        let placed = |answer: Move| {
            let mut position = self.after.clone();
            position.play_unchecked(answer);
            (answer, position.board().clone())
        };
        self.after.legal_moves().into_iter().map(placed).collect()
    }
}

/// The position with a move carried out that the rules do not allow.
fn forced(position: &Chess, uci: UciMove) -> Option<Chess> {
    let (from, to) = (uci.from()?, uci.to()?);
    let mut setup: Setup = position.to_setup(EnPassantMode::Legal);
    let man = setup.board.remove_piece_at(from)?;
    setup.board.set_piece_at(to, man);
    setup.turn = man.color.other();
    setup.ep_square = None;
    setup.halfmoves = 0;
    // Who has moved, or was taken, castles no more.
    setup.castling_rights &= !(Bitboard::from_square(from) | Bitboard::from_square(to));
    if setup.board.king_of(man.color) == Some(to) {
        setup.castling_rights &= !Bitboard::from_rank(man.color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth));
    }
    if man.color == Color::Black {
        setup.fullmoves = setup.fullmoves.checked_add(1).unwrap_or(setup.fullmoves);
    }
    setup.position(CastlingMode::Standard).ok()
}

fn changed_squares(events: &[Event]) -> Option<Bitboard> {
    events.iter().rev().find_map(|event| match event {
        Event::Illegal { squares, .. } => Some(*squares),
        _ => None,
    })
}

fn difference(a: &Board, b: &Board) -> Bitboard {
    Square::ALL.into_iter().filter(|square| a.piece_at(*square) != b.piece_at(*square)).collect()
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    fn illegal(uci: &str, squares: &[&str]) -> Event {
        Event::Illegal {
            reasons: crate::event::reasons::Reasons::default(),
            squares: squares.iter().map(|s| s.parse::<Square>().unwrap()).collect(),
            uci: uci.parse().ok(),
            text: String::new(),
        }
    }

    fn a_move(uci: &str) -> Event {
        Event::Move {
            ply: 1,
            uci: uci.parse().unwrap(),
            san: "e4".parse().unwrap(),
            fen: Fen::default(),
            confidence: 1.0,
        }
    }

    const FOUR_KNIGHTS: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

    #[test]
    fn an_answer_after_a_legal_detour_is_known() {
        let standing = Standing::of(&[illegal("e1e3", &["e1", "e3"])], &position(FOUR_KNIGHTS)).unwrap();
        let now = position("r1bqkbnr/ppp2ppp/2n5/3pp3/4P3/4KN2/PPPP1PPP/RNBQ1B1R b kq - 1 4");
        let line = [Event::Restored, a_move("e1e2"), a_move("d7d5"), a_move("e2e3")];
        let answered = standing.answered(&line, &now).unwrap();
        assert_eq!(answered.start.fen().to_string(), "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/4KN2/PPPP1PPP/RNBQ1B1R b kq - 0 3");
        assert_eq!(
            (answered.uci.to_string(), answered.answer.to_string(), answered.told),
            ("e1e3".into(), "d7d5".into(), 3)
        );
        // Put right with another move, or led elsewhere: no answer.
        let right = position("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPPKPPP/RNBQ1B1R b kq - 3 3");
        assert_eq!(standing.answered(&[Event::Restored, a_move("e1e2")], &right), None);
        assert_eq!(standing.answered(&[Event::Restored], &position(FOUR_KNIGHTS)), None);
    }

    #[test]
    fn an_answer_without_a_legal_line_is_known_by_its_squares() {
        let standing = Standing::of(&[illegal("e4e3", &["e4", "e3"])], &position(FOUR_KNIGHTS)).unwrap();
        let now = position(FOUR_KNIGHTS);
        let squares = ["e4", "e3", "d7", "d5"];
        assert_eq!(standing.answered(&[illegal("", &squares)], &now).unwrap().answer.to_string(), "d7d5");
        // The other illegal move alone, or one more man: not that.
        assert_eq!(standing.answered(&[illegal("e4e3", &squares[..2])], &now), None);
        assert_eq!(standing.answered(&[illegal("", &["e4", "e3", "d7", "d5", "a2"])], &now), None);
    }

    #[test]
    fn who_moves_twice_is_answered_by_the_other() {
        let twice = position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        let standing = Standing::of(&[illegal("g1f3", &["g1", "f3"])], &twice).unwrap();
        let now = position("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        let line = [Event::Restored, a_move("e7e5"), a_move("g1f3")];
        assert_eq!(standing.answered(&line, &now).unwrap().answer.to_string(), "e7e5");
    }

    #[test]
    fn nobody_goes_on_where_a_king_could_be_taken() {
        let pinned = position("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1");
        assert!(Standing::of(&[illegal("e2d3", &["e2", "d3"])], &pinned).is_none());
        assert!(Standing::of(&[illegal("", &["e2"])], &pinned).is_none());
        assert!(Standing::of(&[Event::Restored], &pinned).is_none());
    }
}
