//! What it costs to suppose that a told ply was another one.

use shakmaty::Move;

/// The man that moved last goes on before the hand lets go for good, or the rook was moved first in castling.
const SAME_MAN: f64 = -6.0;
/// The same of a man who was let go: players seldom do what is not allowed. On the next square he may have been all the time, but
/// not where what he took is gone.
const LET_GO: f64 = -12.0;
/// The ply was misunderstood, or replaced by another man's.
const OTHER_MAN: f64 = -10.0;

/// The log-prior of what is likeliest to have been played instead of a ply.
pub(super) const LIKELIEST: f64 = SAME_MAN;

/// Log-prior that a move was played instead of one that was told; `None` where it is the same. `let_go`: have pictures shown that
/// its man was let go?
pub(super) fn prior(mv: Move, told: Move, let_go: bool) -> Option<f64> {
    let rook_first = matches!((mv, told), (Move::Castle { rook, .. }, Move::Normal { from, .. }) if rook == from);
    let same_man = mv.from() == told.from();
    let let_go = same_man && let_go && (told.is_capture() || mv.to().distance(told.to()) > 1);
    let prior = if let_go {
        LET_GO
    } else if same_man || rook_first {
        SAME_MAN
    } else {
        OTHER_MAN
    };
    (mv != told).then_some(prior)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, Chess, fen::Fen, uci::UciMove};

    #[test]
    fn the_man_who_moved_may_have_gone_on_and_a_rook_may_have_begun_to_castle() {
        let fen: Fen = "4k3/7p/8/8/8/8/8/R3K2R w KQ - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mv = |uci: &str| uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        let prior = |played: &str, told: &str, let_go| prior(mv(played), mv(told), let_go);
        assert_eq!(prior("h1f1", "h1f1", false), None);
        assert_eq!(prior("h1h4", "h1h2", false), Some(SAME_MAN));
        assert_eq!(prior("h1h4", "h1h2", true), Some(LET_GO));
        assert_eq!(prior("h1h3", "h1h2", true), Some(SAME_MAN), "he may have stood there");
        assert_eq!(prior("h1h6", "h1h7", true), Some(LET_GO), "he took");
        assert_eq!(prior("h1h6", "h1h7", false), Some(SAME_MAN));
        assert_eq!(prior("e1g1", "h1f1", false), Some(SAME_MAN));
        assert_eq!(prior("e1g1", "a1d1", false), Some(OTHER_MAN));
        for (played, told) in [("e1g1", "h1g1"), ("e1c1", "a1d1"), ("a1a8", "h1h7"), ("e1e2", "e1d1")] {
            assert!(prior(played, told, false).unwrap() <= LIKELIEST);
        }
    }
}
