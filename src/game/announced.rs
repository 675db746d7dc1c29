//! A ply that somebody has said he will make, while something hides its squares: a robot whose arm stays over the board.
//!
//! What looks show decides, as of every ply. Only where they show nothing of it for as long as was asked does the word of him
//! who announced it count, as the prior of that ply: it is then told with the confidence which that leaves, unless what is in
//! sight speaks against it, and revised like every other when the squares come to light.

use shakmaty::{Bitboard, Chess, Move, Position as _, uci::UciMove};

use super::{Game, difference::difference, hypotheses::Story};
use crate::frame::Stamp;

/// A ply that was announced.
#[derive(Debug, Clone)]
pub(super) struct Announced {
    mv: Move,
    /// The position in which it was: in no other one it counts.
    position: Chess,
    /// What it changes.
    squares: Bitboard,
    /// How long some of these must be hidden.
    after_s: f64,
    /// The first of the last looks that did not show all of them.
    hidden_since: Option<Stamp>,
    /// They have been hidden for long enough.
    due: bool,
}

impl Game {
    /// Somebody will make this ply next. Where looks do not show all of its squares for `after_s` seconds, or somebody
    /// says "now" meanwhile, it is told on his word, unless what they show speaks against it; 0 asks for looks alone. `None`:
    /// nothing is announced any more.
    pub(crate) fn announce(&mut self, uci: Option<UciMove>, after_s: f64) {
        let position = self.line.position();
        self.announced = uci.and_then(|uci| uci.to_move(position).ok()).filter(|_| after_s > 0.0).map(|mv| {
            let mut after = position.clone();
            after.play_unchecked(mv);
            let squares = difference(position.board(), after.board());
            Announced { mv, position: position.clone(), squares, after_s, hidden_since: None, due: false }
        });
    }

    /// Was ply `ply` (1 for the first) recorded because it was announced, while its squares were hidden?
    #[must_use]
    pub(super) fn told_unseen(&self, ply: usize) -> bool {
        self.unseen == Some(ply)
    }

    /// This look shows nothing of these squares; `now`, where somebody says that the ply has been made.
    pub(super) fn watch_announced(&mut self, hidden: Bitboard, now: bool) {
        let Some(announced) = &mut self.announced else { return };
        let Some(stamp) = self.notes.now().filter(|_| (announced.squares & hidden).any()) else {
            (announced.hidden_since, announced.due) = (None, false);
            return;
        };
        let since = *announced.hidden_since.get_or_insert(stamp);
        if stamp < since {
            announced.hidden_since = Some(stamp);
        }
        announced.due = now || stamp.since_s(since) >= announced.after_s;
    }

    /// The ply that counts on somebody's word.
    pub(super) fn given_word(&self) -> Option<Move> {
        let announced = self.announced.as_ref().filter(|a| a.due && &a.position == self.line.position())?;
        Some(announced.mv)
    }

    /// Is this story that ply?
    pub(super) fn is_given_word(&self, story: &Story) -> bool {
        matches!((story, self.given_word()), (Story::Line { keep, moves, over: None }, Some(mv))
            if *keep == self.line.len() && moves.as_slice() == [mv])
    }
}
