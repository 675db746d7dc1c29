//! What best play leads to in endings of two and three men.

use shakmaty::{Board, Chess, Color, Move, Position as _, Role};

use super::{
    generate::Table,
    men::{Man, Men},
    pawn::PawnTable,
};

/// What best play leads to, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The side to move mates.
    Win,
    /// Nobody can force mate.
    Draw,
    /// The side to move is mated.
    Loss,
}

/// What the tables say of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// For the side to move.
    pub outcome: Outcome,
    /// Full moves until mate, those of the side that mates: 1 when it mates at once, 0 when it has mated. `None` in a
    /// draw.
    pub distance: Option<u8>,
    /// Every move that keeps the outcome and the distance; empty when the game is over.
    pub best: Vec<Move>,
}

/// Can a side force mate, and in how many moves?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Draw,
    Mate { strong: Color, distance: u8 },
}

/// What stands on `board` is worth, with `turn` to move; `None` for men that are in no table.
fn value(board: &Board, turn: Color) -> Option<Value> {
    if board.occupied() == board.kings() {
        return Some(Value::Draw);
    }
    let (men, role, strong) = Men::of_board(board)?;
    let distance = match role {
        Role::Rook => Table::of(Man::Rook).distance(men, turn == strong),
        Role::Queen => Table::of(Man::Queen).distance(men, turn == strong),
        Role::Pawn => PawnTable::get().distance(men, strong, turn == strong),
        Role::Knight | Role::Bishop => None,
        Role::King => return None,
    };
    Some(distance.map_or(Value::Draw, |distance| Value::Mate { strong, distance }))
}

/// The value of a position, unless castling is possible or its men are in no table.
fn value_of(position: &Chess) -> Option<Value> {
    if position.castles().any() { None } else { value(position.board(), position.turn()) }
}

/// Outcome for the side to move, and distance, of best play in a position of two or three men, of either colour and
/// with either side to move. `None` for more men, or while castling is possible.
#[must_use]
pub fn outcome(position: &Chess) -> Option<(Outcome, Option<u8>)> {
    Some(match value_of(position)? {
        Value::Draw => (Outcome::Draw, None),
        Value::Mate { strong, distance } if strong == position.turn() => (Outcome::Win, Some(distance)),
        Value::Mate { distance, .. } => (Outcome::Loss, Some(distance)),
    })
}

/// The same as [`outcome`], with the best moves.
#[must_use]
pub fn probe(position: &Chess) -> Option<Probe> {
    let (outcome, distance) = outcome(position)?;
    let wanted = match value_of(position)? {
        Value::Mate { strong, distance } if strong == position.turn() => {
            Value::Mate { strong, distance: distance.saturating_sub(1) }
        }
        other => other,
    };
    let keeps = |&mv: &Move| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        value_of(&next) == Some(wanted)
    };
    let best = position.legal_moves().into_iter().filter(keeps).collect();
    Some(Probe { outcome, distance, best })
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Role, Setup, Square, fen::Fen};

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    fn after(position: &Chess, mv: Move) -> Probe {
        let mut next = position.clone();
        next.play_unchecked(mv);
        probe(&next).unwrap()
    }

    #[test]
    fn known_positions() {
        let mate = probe(&position("R6k/8/6K1/8/8/8/8/8 b - - 0 1")).unwrap();
        assert_eq!((mate.outcome, mate.distance, mate.best.len()), (Outcome::Loss, Some(0), 0));
        let one = probe(&position("7k/8/6K1/8/8/8/8/R7 w - - 0 1")).unwrap();
        assert_eq!((one.outcome, one.distance), (Outcome::Win, Some(1)));
        assert_eq!(one.best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Ra1-a8"]);
        let stalemate = probe(&position("k7/1R6/2K5/8/8/8/8/8 b - - 0 1")).unwrap();
        assert_eq!((stalemate.outcome, stalemate.distance), (Outcome::Draw, None));
        let rook_lost = probe(&position("8/8/8/8/8/1k6/1R6/7K b - - 0 1")).unwrap();
        assert_eq!((rook_lost.outcome, rook_lost.best.len()), (Outcome::Draw, 1), "only taking the rook draws");
        assert_eq!(probe(&position("4k3/8/8/8/8/8/8/4K3 w - - 0 1")).unwrap().outcome, Outcome::Draw);
        assert_eq!(probe(&position("4k3/8/8/8/8/8/8/4KN2 w - - 0 1")).unwrap().outcome, Outcome::Draw);
        // A queen would be stalemate.
        let under = probe(&position("8/5P1k/5K2/8/8/8/8/8 w - - 0 1")).unwrap();
        assert_eq!(under.best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["f7-f8=R"]);
        assert_eq!(probe(&Chess::default()), None);
        assert_eq!(probe(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")), None, "castling");
        assert!(probe(&position("4k3/8/8/8/8/8/8/4K2R w - - 0 1")).is_some());
    }

    /// Law: the tables agree with themselves through the moves of an independent move generator, for both colours.
    #[test]
    fn every_distance_follows_from_those_after_one_move() {
        for role in [Role::Rook, Role::Queen, Role::Pawn] {
            let mut seen = 0;
            // Every 61st position of all 262,144: a prime, so that no square is favoured.
            for code in (0..64 * 64 * 64).step_by(61) {
                let squares = [code / 4096, code / 64 % 64, code % 64].map(|i| Square::ALL[i]);
                for (strong, turn) in
                    [(Color::White, Color::White), (Color::White, Color::Black), (Color::Black, Color::Black)]
                {
                    let mut setup = Setup::empty();
                    setup.board.set_piece_at(squares[1], role.of(strong));
                    setup.board.set_piece_at(squares[0], strong.king());
                    setup.board.set_piece_at(squares[2], (!strong).king());
                    setup.turn = turn;
                    let Ok(position) = setup.position::<Chess>(CastlingMode::Standard) else { continue };
                    seen += 1;
                    follows_from_the_next(&position);
                }
            }
            assert!(seen > 8000, "{role:?}: {seen}");
        }
    }

    fn follows_from_the_next(position: &Chess) {
        let here = probe(position).unwrap();
        let after: Vec<Probe> = position.legal_moves().into_iter().map(|mv| after(position, mv)).collect();
        let lost = after.iter().filter(|p| p.outcome == Outcome::Loss).filter_map(|p| p.distance).min();
        let won = after.iter().filter(|p| p.outcome == Outcome::Win).filter_map(|p| p.distance).max();
        let all_won = after.iter().all(|p| p.outcome == Outcome::Win);
        match (here.outcome, here.distance) {
            (Outcome::Win, Some(distance)) => assert_eq!(lost, Some(distance - 1), "{position:?}"),
            (Outcome::Loss, Some(0)) => assert!(position.is_checkmate()),
            (Outcome::Loss, Some(distance)) => assert!(all_won && won == Some(distance), "{position:?}"),
            (Outcome::Draw, None) => assert!(lost.is_none() && (!all_won || after.is_empty()), "{position:?}"),
            impossible => panic!("{impossible:?}"),
        }
        assert_eq!(here.best.is_empty(), position.legal_moves().is_empty(), "{position:?}");
    }
}
