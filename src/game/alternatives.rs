//! Other lines that look the same so far: kept alive until the board tells them apart.
//!
//! A picture that knows no kinds of men cannot see what a pawn was promoted to, nor, when pictures were missed, which
//! of two men of one colour stands where. The likeliest line is told at once; the others are remembered, follow the
//! game as long as they can, and take over when a later move is possible only in them.

use shakmaty::{Board, Chess, Move, Position as _};

use super::{difference::difference, line::Line};

/// Most lines remembered: four promotions of two pawns are ten.
const KEPT: usize = 10;
/// Log-odds below which a line is forgotten.
const FORGOTTEN: f64 = -9.0;

/// A line that looks the same as the game.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    /// All its plies from the start.
    pub moves: Vec<Move>,
    /// Where it leads.
    pub position: Chess,
    /// How likely it is against the game's own line, ln.
    pub log_odds: f64,
}

impl Alternative {
    /// The line that keeps `keep` plies of the game and goes on with `moves`.
    pub fn new(line: &Line, keep: usize, moves: &[Move], log_odds: f64) -> Option<Self> {
        let (moves, position) = line.branch(keep, moves)?;
        Some(Self { moves, position, log_odds })
    }

    /// Follows the game by one ply that leads there: a move of its own that looks the same.
    fn follow(&mut self, to: &Chess) -> bool {
        let Some((mv, next)) = looking_like(&self.position, to.board()).next() else { return false };
        self.moves.push(mv);
        self.position = next;
        true
    }
}

/// The moves from a position after which it looks like `men`, and where they lead.
pub(super) fn looking_like(position: &Chess, men: &Board) -> impl Iterator<Item = (Move, Chess)> {
    position.legal_moves().into_iter().filter_map(move |mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        difference(next.board(), men).is_empty().then_some((mv, next))
    })
}

/// After the game went from `old` to `new`: the remembered lines that still look like it, with those of the last look.
pub(super) fn carry_on(known: Vec<Alternative>, fresh: Vec<Alternative>, old: &Line, new: &Line) -> Vec<Alternative> {
    let grown = new.len() >= old.len() && new.plies()[..old.len()] == *old.plies();
    let mut kept = fresh;
    for mut alternative in known {
        if grown
            && alternative.moves.len() == old.len()
            && new.plies()[old.len()..].iter().all(|ply| alternative.follow(&ply.position))
        {
            kept.push(alternative);
        }
    }
    kept.retain(|a| {
        a.log_odds > FORGOTTEN
            && difference(a.position.board(), new.position().board()).is_empty()
            // Nothing that comes can separate equal positions.
            && a.position != *new.position()
    });
    kept.sort_by(|a, b| b.log_odds.total_cmp(&a.log_odds));
    let mut different: Vec<Alternative> = Vec::new();
    for alternative in kept {
        if different.len() < KEPT && different.iter().all(|d| d.position != alternative.position) {
            different.push(alternative);
        }
    }
    different
}
