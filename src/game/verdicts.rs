//! Why a change on the board is not a legal move: all the reasons that apply, as an arbiter would give them.

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, EnPassantMode, File, Move, Piece, Position as _, Rank, Role, Square,
    attacks, uci::UciMove,
};

use super::hypotheses::castled;
use crate::event::{
    Event,
    reasons::{IllegalReason, Reasons},
};

/// A judged change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Every reason that applies; none for a legal move.
    pub reasons: Reasons,
    /// The squares that the change concerns, a1 first.
    pub squares: Bitboard,
    /// The attempted move as UCI; `None` where it is not one move.
    pub uci: Option<UciMove>,
    /// One sentence for people.
    pub text: String,
}

impl Verdict {
    /// As the event that is told.
    #[must_use]
    pub(super) fn into_event(self) -> Event {
        Event::Illegal { reasons: self.reasons, squares: self.squares, uci: self.uci, text: self.text }
    }

    fn many(squares: Bitboard, text: String) -> Self {
        Self { reasons: Reasons::from_iter([IllegalReason::TooManyChanges]), squares, uci: None, text }
    }
}

/// The squares at which two placements hold different men.
fn changed_squares(a: &Board, b: &Board) -> Bitboard {
    Square::ALL.into_iter().filter(|&s| a.piece_at(s) != b.piece_at(s)).collect()
}

/// Judges a placement that stands after `position`: finds the move that was attempted, and what the rules say to it.
#[must_use]
pub fn judge(position: &Chess, men: &Board) -> Verdict {
    let before = position.board();
    let changed = changed_squares(before, men);
    let appeared: Vec<(Square, Piece)> =
        changed.into_iter().filter_map(|s| men.piece_at(s).map(|piece| (s, piece))).collect();
    let emptied: Bitboard = changed.into_iter().filter(|&s| men.piece_at(s).is_none()).collect();
    let left = |piece: Piece, to: Square| {
        changed.into_iter().find(|&s| s != to && before.piece_at(s) == Some(piece) && men.piece_at(s) != Some(piece))
    };
    match appeared.as_slice() {
        [] => match emptied.single_square() {
            Some(square) => Verdict::many(changed, format!("{} has vanished", man_at(before, square))),
            None => Verdict::many(changed, format!("men have vanished from {}", list(emptied))),
        },
        &[(to, piece)] => {
            let Some(from) = left(piece, to) else {
                return match (left(piece.color.pawn(), to), emptied.count()) {
                    // A pawn that became another man where it may not.
                    (Some(from), 1) => attempt(position, from, to, Some(piece.role)),
                    _ => appeared_from_nowhere(before, changed, to, piece),
                };
            };
            let beside = Square::from_coords(to.file(), from.rank());
            let others = emptied.without(from);
            if others.is_empty() {
                attempt(position, from, to, None)
            } else if piece.role == Role::Pawn
                && others == Bitboard::from_square(beside)
                && before.piece_at(to).is_none()
                && attacks::pawn_attacks(piece.color, from).contains(to)
            {
                en_passant(position, from, to, changed)
            } else {
                Verdict::many(changed, format!("more than one move on {}", list(changed)))
            }
        }
        two => {
            // Both squares of a castling, whichever side made it.
            for colour in Color::ALL {
                for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                    let (king_to, rook_to) = castled(colour, side);
                    let put = [(king_to, colour.king()), (rook_to, colour.rook())];
                    let (Some(king), Some(rook)) = (left(colour.king(), king_to), left(colour.rook(), rook_to)) else {
                        continue;
                    };
                    if two.len() == 2
                        && put.iter().all(|p| two.contains(p))
                        && emptied == Bitboard::from_square(king).with(rook)
                    {
                        return castling(position, colour, king, king_to, changed);
                    }
                }
            }
            Verdict::many(changed, format!("more than one move on {}", list(changed)))
        }
    }
}

/// Judges one man's way from a square to another, whoever made it. `promotion` says what a pawn became.
#[must_use]
pub fn attempt(position: &Chess, from: Square, to: Square, promotion: Option<Role>) -> Verdict {
    use IllegalReason as R;
    let men = position.board();
    let squares = Bitboard::from_square(from).with(to);
    let uci = UciMove::Normal { from, to, promotion };
    let Some(piece) = men.piece_at(from) else {
        let text = format!("there is no man on {from}");
        return Verdict { reasons: Reasons::from_iter([R::NoPieceThere]), squares, uci: Some(uci), text };
    };
    let mut reasons = Reasons::default();
    if piece.color != position.turn() {
        reasons.insert(R::WrongSide);
    }
    let target = men.piece_at(to);
    let castling_shape = piece.role == Role::King
        && from == Square::from_coords(File::E, piece.color.backrank())
        && from.rank() == to.rank()
        && matches!(to.file(), File::C | File::G);
    let last_rank = piece.role == Role::Pawn && to.rank() == (!piece.color).backrank();
    let moves_so = shape(position, piece, from, to);
    if castling_shape {
        reasons.insert(R::CastlingNotAllowed);
    } else {
        match moves_so {
            Shape::Never => reasons.insert(R::WrongPieceMovement),
            Shape::Blocked => reasons.insert(R::PathBlocked),
            Shape::EnPassant => reasons.insert(R::EnPassantNotAllowed),
            Shape::Fits => {}
        }
    }
    if target.is_some_and(|t| t.color == piece.color) {
        reasons.insert(R::OwnPieceCaptured);
    }
    if leaves_king_in_check(men, piece, Bitboard::from_square(from), to) {
        reasons.insert(R::KingLeftInCheck);
    }
    if last_rank && promotion.is_none() {
        reasons.insert(R::PromotionMissing);
    }
    if let Some(role) = promotion
        && (!last_rank || matches!(role, Role::Pawn | Role::King))
    {
        reasons.insert(R::WrongPieceMovement);
    }
    finish(position, reasons, squares, piece, uci)
}

fn finish(position: &Chess, reasons: Reasons, squares: Bitboard, piece: Piece, uci: UciMove) -> Verdict {
    let why: Vec<&str> = reasons.iter().map(|reason| reason.sentence(position.turn())).collect();
    let way: Vec<String> = [uci.from(), uci.to()].into_iter().flatten().map(|square| square.to_string()).collect();
    let (man, way) = (man(piece), way.join("-"));
    let text =
        if why.is_empty() { format!("{man} {way} is legal") } else { format!("{man} {way}: {}", why.join("; ")) };
    Verdict { reasons, squares, uci: Some(uci), text }
}

/// How a man's way fits its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Fits,
    Never,
    Blocked,
    EnPassant,
}

/// Does this kind of man move so on an empty board, and is the way free? The target's colour is judged elsewhere.
fn shape(position: &Chess, piece: Piece, from: Square, to: Square) -> Shape {
    let men = position.board();
    if piece.role == Role::Pawn {
        return pawn_shape(position, piece.color, from, to);
    }
    if !attacks::attacks(from, piece, Bitboard::EMPTY).contains(to) {
        Shape::Never
    } else if (attacks::between(from, to) & men.occupied()).any() {
        Shape::Blocked
    } else {
        Shape::Fits
    }
}

fn pawn_shape(position: &Chess, colour: Color, from: Square, to: Square) -> Shape {
    let men = position.board();
    let forward = colour.fold_wb(8, -8);
    if attacks::pawn_attacks(colour, from).contains(to) {
        if men.occupied().contains(to) {
            return Shape::Fits;
        }
        let beside = Square::from_coords(to.file(), from.rank());
        let legal_now = position.ep_square(EnPassantMode::Always) == Some(to) && position.turn() == colour;
        return match (legal_now, men.piece_at(beside) == Some((!colour).pawn())) {
            (true, _) => Shape::Fits,
            (false, true) => Shape::EnPassant,
            (false, false) => Shape::Never,
        };
    }
    let one = from.offset(forward);
    let home = if colour.is_white() { Rank::Second } else { Rank::Seventh };
    let two = (from.rank() == home).then(|| from.offset(2 * forward)).flatten();
    if one == Some(to) {
        // Straight ahead a pawn does not capture.
        if men.occupied().contains(to) { Shape::Blocked } else { Shape::Fits }
    } else if two == Some(to) {
        let way = attacks::between(from, to).with(to);
        if (way & men.occupied()).any() { Shape::Blocked } else { Shape::Fits }
    } else {
        Shape::Never
    }
}

/// Is the mover's king attacked once the man stands on `to` and `emptied` are empty?
fn leaves_king_in_check(men: &Board, piece: Piece, emptied: Bitboard, to: Square) -> bool {
    let mut after = men.clone();
    for square in emptied {
        after.discard_piece_at(square);
    }
    after.set_piece_at(to, piece);
    attacked_king(&after, piece.color)
}

fn attacked_king(men: &Board, colour: Color) -> bool {
    men.king_of(colour).is_some_and(|king| men.attacks_to(king, !colour, men.occupied()).any())
}

fn en_passant(position: &Chess, from: Square, to: Square, squares: Bitboard) -> Verdict {
    use IllegalReason as R;
    let men = position.board();
    let beside = Square::from_coords(to.file(), from.rank());
    let Some(piece) = men.piece_at(from) else {
        return Verdict::many(squares, format!("more than one move on {}", list(squares)));
    };
    let mut reasons = Reasons::default();
    if piece.color != position.turn() {
        reasons.insert(R::WrongSide);
    }
    let possible = piece.color == position.turn() && position.ep_square(EnPassantMode::Always) == Some(to);
    if men.piece_at(beside) != Some((!piece.color).pawn()) || !possible {
        reasons.insert(R::EnPassantNotAllowed);
    }
    if leaves_king_in_check(men, piece, Bitboard::from_square(from).with(beside), to) {
        reasons.insert(R::KingLeftInCheck);
    }
    finish(position, reasons, squares, piece, UciMove::Normal { from, to, promotion: None })
}

fn castling(position: &Chess, colour: Color, king: Square, king_to: Square, squares: Bitboard) -> Verdict {
    let allowed = position.legal_moves().iter().any(|&m| {
        matches!(m, Move::Castle { king: k, .. } if k == king)
            && m.castling_side().map(|s| s.king_to(colour)) == Some(king_to)
    });
    let mut reasons = Reasons::default();
    if colour != position.turn() {
        reasons.insert(IllegalReason::WrongSide);
    }
    if !allowed {
        reasons.insert(IllegalReason::CastlingNotAllowed);
    }
    let uci = UciMove::Normal { from: king, to: king_to, promotion: None };
    finish(position, reasons, squares, colour.king(), uci)
}

fn appeared_from_nowhere(before: &Board, changed: Bitboard, to: Square, piece: Piece) -> Verdict {
    let colour = piece.color.fold_wb("white", "black");
    let mut reasons = Reasons::from_iter([IllegalReason::NoPieceThere]);
    let text = if changed.count() > 1 {
        reasons.insert(IllegalReason::TooManyChanges);
        format!("a {colour} man has appeared on {to}, and more has changed")
    } else if before.piece_at(to).is_none() {
        format!("a {colour} man has appeared on {to}")
    } else {
        format!("another man stands on {to}")
    };
    Verdict { reasons, squares: changed, uci: None, text }
}

fn man(piece: Piece) -> String {
    format!("{} {}", piece.color.fold_wb("white", "black"), role_name(piece.role))
}

/// The English name of a kind of man.
#[must_use]
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn man_at(men: &Board, square: Square) -> String {
    men.piece_at(square).map_or_else(|| format!("the man on {square}"), |p| format!("the {} on {square}", man(p)))
}

fn list(squares: Bitboard) -> String {
    squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(", ")
}
