//! Which men stand where: the game's position, altered by what the last look saw otherwise.
//!
//! A look tells white, black and empty, not the kinds of men. A man who is seen where the game has none is the one who is
//! missing elsewhere, so a move half made, or an illegal one, is told with the men that were touched.

use shakmaty::{Board, Color, Piece, Rank, Role, Square, attacks};

use crate::display::words::{BoardWord, Squares};

/// A square is told otherwise than the game has it when its content and its change are each at least so probable: as sure as
/// moves are told by default.
const SURE: f32 = 0.95;
/// A square of which a picture tells less than this is left as the game has it: most of it is hidden.
const LEAST_SEEN: f32 = 0.3;

/// The men on the board.
#[must_use]
pub fn men(legal: &Board, place: &BoardWord) -> Board {
    let mut men = legal.clone();
    let Some(squares) = place.squares.as_ref().filter(|squares| squares.is_whole() && !place.lost) else { return men };
    let (mut missing, mut come) = (Vec::new(), Vec::new());
    for square in Square::ALL {
        let Some(seen) = seen(squares, square) else { continue };
        let was = legal.piece_at(square);
        if seen == was.map(|piece| piece.color) {
            continue;
        }
        men.discard_piece_at(square);
        missing.extend(was.map(|piece| (square, piece)));
        come.extend(seen.map(|color| (square, color)));
    }
    for (square, color) in come {
        let role = who(legal, &mut missing, square, color);
        men.set_piece_at(square, Piece { color, role });
    }
    men
}

/// What the last look surely saw on a square that is not as it was; `None` where it tells nothing.
fn seen(squares: &Squares, square: Square) -> Option<Option<Color>> {
    let index = usize::from(square);
    if squares.covered[index] || squares.reliability[index] < LEAST_SEEN || squares.changed[index] < SURE {
        return None;
    }
    let content = [None, Some(Color::White), Some(Color::Black)];
    content.into_iter().zip(&squares.occupancy[3 * index..]).find(|(_, p)| **p >= SURE).map(|(content, _)| content)
}

/// Who has come to a square: of the missing men of the colour one who could go there, else any; taken off the missing.
fn who(legal: &Board, missing: &mut Vec<(Square, Piece)>, to: Square, color: Color) -> Role {
    let goes = |(from, piece): &(Square, Piece)| {
        let steps = attacks::attacks(*from, *piece, legal.occupied()).contains(to);
        piece.color == color && (steps || (piece.role == Role::Pawn && from.file() == to.file()))
    };
    let found = missing.iter().position(goes).or_else(|| missing.iter().position(|(_, piece)| piece.color == color));
    match found {
        Some(index) => missing.swap_remove(index).1.role,
        // From beside the board: what a pawn becomes, or a man set up.
        None if to.rank() == color.fold_wb(Rank::Eighth, Rank::First) => Role::Queen,
        None => Role::Pawn,
    }
}

/// The men as the first field of a FEN; `turned`: as who sits at the other side would write it.
#[must_use]
pub fn text(men: &Board, turned: bool) -> String {
    let mut men = men.clone();
    if turned {
        men.rotate_180();
    }
    men.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::words::Tracker;

    /// A look at these men, in which all squares that differ from `legal` have changed.
    fn look(legal: &Board, shown: &Board) -> BoardWord {
        let content = |board: &Board, square| match board.color_at(square) {
            None => 0,
            Some(Color::White) => 1,
            Some(Color::Black) => 2,
        };
        let mut squares = Squares {
            occupancy: vec![0.0; 192],
            changed: vec![0.0; 64],
            reliability: vec![1.0; 64],
            covered: vec![false; 64],
        };
        for square in Square::ALL {
            let index = usize::from(square);
            squares.occupancy[3 * index + content(shown, square)] = 1.0;
            squares.changed[index] = if content(legal, square) == content(shown, square) { 0.0 } else { 1.0 };
        }
        BoardWord { tracker: Tracker::Following, squares: Some(squares), ..BoardWord::default() }
    }

    fn board(fen: &str) -> Board {
        Board::from_ascii_board_fen(fen.as_bytes()).unwrap()
    }

    fn told(legal: &str, shown: &str) -> String {
        let (legal, shown) = (board(legal), board(shown));
        text(&men(&legal, &look(&legal, &shown)), false)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn men_in_the_air_and_illegal_ones_are_told_as_they_stand() {
        for shown in [
            START,
            // A pawn in the air, and a knight put down.
            "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R",
            // A pawn's move that no pawn makes, and a black one out of turn.
            "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR",
        ] {
            assert_eq!(told(START, shown), shown);
        }
        // Of two men who are missing it is the one who goes there: castling half made, and a man who takes.
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R";
        assert_eq!(told(castling, "r3k2r/8/8/8/8/8/8/R5R1"), "r3k2r/8/8/8/8/8/8/R5R1");
        let taking = "4k3/8/8/3p4/4P3/8/8/4K3";
        assert_eq!(told(taking, "4k3/8/8/3P4/8/8/8/4K3"), "4k3/8/8/3P4/8/8/8/4K3");
        // A queen from beside the board.
        assert_eq!(told("4k3/P7/8/8/8/8/8/4K3", "Q3k3/P7/8/8/8/8/8/4K3"), "Q3k3/P7/8/8/8/8/8/4K3");
    }

    #[test]
    fn what_is_covered_or_unsure_is_as_the_game_has_it() {
        let (legal, shown) = (board(START), board("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
        let e2 = usize::from(Square::E2);
        let alter = |change: fn(&mut Squares, usize)| {
            let mut place = look(&legal, &shown);
            change(place.squares.as_mut().unwrap(), e2);
            text(&men(&legal, &place), false)
        };
        assert_eq!(alter(|_, _| ()), "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(alter(|s, i| s.covered[i] = true), START);
        assert_eq!(alter(|s, i| s.reliability[i] = 0.1), START);
        assert_eq!(alter(|s, i| s.changed[i] = 0.5), START);
        assert_eq!(alter(|s, i| s.occupancy[3 * i] = 0.6), START);
        assert_eq!(alter(|s, i| s.occupancy[3 * i] = f32::NAN), START);
        assert_eq!(alter(|s, _| s.covered.clear()), START);
        assert_eq!(text(&men(&legal, &BoardWord::default()), false), START);
    }

    #[test]
    fn a_turned_board_is_seen_from_the_other_side() {
        let men = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(text(&men, true), "RNBKQBNR/PPP1PPPP/8/3P4/8/8/pppppppp/rnbkqbnr");
    }
}
