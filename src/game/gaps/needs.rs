//! What must be true before a move that can be read: seen from the far end, most lines are hopeless long before they get
//! there. Who plays `e8=Q` stands on e7, so before four gaps of his side a pawn of it is near enough; who plays `O-O` may
//! still castle.
//!
//! A man's way is measured on an empty board on which nobody stands in his way, so whoever could come is let through: what
//! is cut off can never be right.

use shakmaty::{Bitboard, Castles, CastlingSide, Chess, Color, Position as _, Rank, Role, Square, attacks, san::San};

use super::words::Step;
use crate::game::start::Start;

/// Plies that are looked ahead: a man who may move six times or more goes anywhere.
const AHEAD: usize = 40;

/// Something that must hold for a move to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Need {
    /// The ply that needs it, 0 for the first.
    pub ply: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Such a man stands on one of these squares, or a pawn who may become one on one of those.
    Man { color: Color, role: Role, on: Bitboard, pawns_on: Bitboard },
    /// The right to castle.
    Castling { color: Color, side: CastlingSide },
}

impl Need {
    /// Could it still become true?
    pub(super) fn is_met(&self, position: &Chess) -> bool {
        match self.kind {
            Kind::Man { color, role, on, pawns_on } => {
                let (board, ours) = (position.board(), position.board().by_color(color));
                let man = board.by_role(role) & on;
                let pawn = board.by_role(Role::Pawn) & pawns_on;
                ((man | pawn) & ours).any()
            }
            Kind::Castling { color, side } => {
                let castles: &Castles = position.castles();
                castles.has(color, side)
            }
        }
    }

    /// Does it follow from the other?
    fn follows_from(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (
                Kind::Man { color, role, on, pawns_on },
                Kind::Man { color: same_color, role: same_role, on: less, pawns_on: fewer },
            ) => color == same_color && role == same_role && less.is_subset(on) && fewer.is_subset(pawns_on),
            (kind, other) => kind == other,
        }
    }
}

/// For each ply at which the sheet asks for a choice, what the moves after it need; nothing for the others.
pub(super) fn needs(start: &Start, steps: &[Step]) -> Vec<Vec<Need>> {
    let turn = |ply: usize| start.number(ply).1;
    let of_gap = |gap: usize| {
        let mut needs: Vec<Need> = Vec::new();
        // Plies until then in which a man of this kind may move, by side and kind.
        let mut moves = [[0_u32; 6]; 2];
        for (ply, step) in steps.iter().enumerate().skip(gap).take(AHEAD) {
            let color = turn(ply);
            let chances = &mut moves[usize::from(color.is_white())];
            if let Some(kind) = kind(step, color, chances) {
                let need = Need { ply, kind };
                if !needs.iter().any(|known| need.follows_from(known)) {
                    needs.push(need);
                }
            }
            for (chances, role) in chances.iter_mut().zip(Role::ALL) {
                *chances += u32::from(may_move(step, role));
            }
        }
        needs
    };
    steps.iter().enumerate().map(|(ply, step)| if step.is_read() { vec![] } else { of_gap(ply) }).collect()
}

/// May a man of this kind move, or come to be, by this ply?
fn may_move(step: &Step, role: Role) -> bool {
    match step {
        Step::San(San::Normal { role: moved, .. }) => *moved == role,
        Step::San(San::Castle(_)) => matches!(role, Role::King | Role::Rook),
        Step::San(_) => false,
        Step::Man(moved) => *moved == role,
        Step::Uci(_) | Step::Missing | Step::Illegible(_) => true,
    }
}

/// What a move needs, when men of each kind may have moved so often before it.
fn kind(step: &Step, color: Color, moves: &[u32; 6]) -> Option<Kind> {
    let times = |role: Role| moves[usize::from(role) - 1];
    let San::Normal { role, file, rank, capture, to, .. } = (match step {
        Step::San(San::Castle(side)) => return Some(Kind::Castling { color, side: *side }),
        Step::San(san) => *san,
        _ => return None,
    }) else {
        return None;
    };
    let named = |s: &Square| file.is_none_or(|f| s.file() == f) && rank.is_none_or(|r| s.rank() == r);
    let from: Bitboard = (if role == Role::Pawn {
        if capture { attacks::pawn_attacks(!color, to) } else { pushed_from(color, to) }
    } else {
        reach(color, role, to)
    })
    .into_iter()
    .filter(named)
    .collect();
    let on = (0..times(role)).try_fold(from, |on, _| grown(color, role, on)).unwrap_or_else(|all| all);
    // Who can become such a man needs a move for it, and is one at the earliest on the last rank.
    let can_become = !matches!(role, Role::Pawn | Role::King) && times(Role::Pawn) > 0;
    let last = Bitboard::from(color.fold_wb(Rank::Eighth, Rank::First));
    let pawns_on = if can_become {
        (0..times(Role::Pawn)).try_fold(last, |on, _| grown(color, Role::Pawn, on)).unwrap_or_else(|all| all)
    } else {
        Bitboard::EMPTY
    };
    Some(Kind::Man { color, role, on, pawns_on })
}

/// Squares from which such a man is here with one move more; as an error when that is all.
fn grown(color: Color, role: Role, on: Bitboard) -> Result<Bitboard, Bitboard> {
    let mut all = on;
    for to in on {
        all |= if role == Role::Pawn {
            pushed_from(color, to) | attacks::pawn_attacks(!color, to)
        } else {
            reach(color, role, to)
        };
    }
    if all == on { Err(on) } else { Ok(all) }
}

/// Squares from which a man comes here in one move on an empty board; castling goes anywhere on the first rank.
fn reach(color: Color, role: Role, to: Square) -> Bitboard {
    let plain = attacks::attacks(to, role.of(color), Bitboard::EMPTY);
    let home = color.fold_wb(Rank::First, Rank::Eighth);
    if matches!(role, Role::King | Role::Rook) && to.rank() == home { plain | Bitboard::from(home) } else { plain }
}

/// Squares from which a pawn is pushed here.
fn pushed_from(color: Color, to: Square) -> Bitboard {
    let at = |rank: u32| Bitboard::from(Square::from_coords(to.file(), Rank::new(rank)));
    let rank = u32::from(to.rank());
    match (color, rank) {
        (Color::White, 0 | 1) | (Color::Black, 6 | 7) => Bitboard::EMPTY,
        (Color::White, 3) => at(2) | at(1),
        (Color::Black, 4) => at(5) | at(6),
        (Color::White, rank) => at(rank - 1),
        (Color::Black, rank) => at(rank + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, fen: &str, gap: usize) -> Vec<Need> {
        let start = Start::from_fen(fen).unwrap();
        let (steps, _): (Vec<Step>, Vec<String>) = crate::game::gaps::words::steps(text).unwrap().into_iter().unzip();
        needs(&start, &steps).swap_remove(gap)
    }

    fn hopeless(text: &str, fen: &str) -> Option<usize> {
        let start = Start::from_fen(fen).unwrap();
        of(text, fen, 0).into_iter().find(|need| !need.is_met(start.position())).map(|need| need.ply)
    }

    const USUAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_pawn_must_be_near_enough() {
        // From the second rank four moves lead to e7, by captures as well.
        assert_eq!(hopeless("?? ?? ?? ?? ?? ?? e8=Q", USUAL), Some(6));
        assert_eq!(hopeless("?? ?? ?? ?? ?? ?? ?? ?? e8=Q", USUAL), None);
        // Black's pawns never go there.
        assert_eq!(hopeless("?? ?? ?? ?? ?? ?? ?? e8=Q#", USUAL), Some(7));
        assert_eq!(hopeless("?? ?? ?? Nf6 ?? ?? exd5", USUAL), None);
        assert_eq!(hopeless("?? ?? exd5", USUAL), None);
        assert_eq!(hopeless("?? ?? exd6", USUAL), Some(2));
    }

    #[test]
    fn a_man_must_exist_and_reach_his_square() {
        let rooks = "4k3/8/8/8/8/8/P7/R3K3 w Q - 0 1";
        assert_eq!(hopeless("?? ?? Ra5", rooks), None);
        assert_eq!(hopeless("?? ?? Qa5", rooks), Some(2), "a queen could come only after five moves of the pawn");
        assert_eq!(hopeless("?? ?? ?? ?? ?? ?? ?? ?? ?? ?? Qa5", rooks), None);
        assert_eq!(hopeless("?? ?? Nf3", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1"), Some(2), "it is four moves away");
        assert_eq!(hopeless("?? ?? ?? ?? ?? ?? Nf3", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1"), None);
        assert_eq!(hopeless("?? ?? O-O-O", rooks), None);
        assert_eq!(hopeless("?? ?? O-O", rooks), Some(2));
    }

    #[test]
    fn what_follows_is_kept_once() {
        assert_eq!(of("?? ?? Nf3 ?? Ng5 ?? Nf3", USUAL, 0).len(), 1);
        assert_eq!(of("?? ?? Nf3 ?? Ng5 ?? O-O ?? Kh1", USUAL, 1).iter().filter(|n| n.ply == 6).count(), 1);
        assert!(of("e4 ?? Nf3", USUAL, 0).is_empty(), "what can be read is played, not foreseen");
    }
}
