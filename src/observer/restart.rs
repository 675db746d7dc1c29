//! After a restart the board decides: is it the game that was resumed, and what was played meanwhile?
//!
//! Colours that were learnt from wrong men mislead every later look, so this is asked before any are learnt: how well can
//! the squares be told apart, in this picture alone, if these men stand there?

use shakmaty::{Board, Chess, Position as _};

use super::watch::Watch;
use crate::{
    frame::{Frame, Stamp},
    sight::view::View,
};

/// Share of the squares that must read better with the men of a new game: two squares, so more than a ply and less than a
/// game.
const CLEARLY_NEW: f64 = 0.03;
/// The same for each ply that was played meanwhile. A man that stands elsewhere is two squares, 0.031; half of one may be
/// hidden.
const CLEARLY_PLAYED: f64 = 0.02;
/// Plies that are looked for.
const PLIES: usize = 6;
/// Lines that are followed from ply to ply: a ply that was played makes the picture better by itself.
const LINES: usize = 3;

/// What stands on the board.
pub(super) enum Shown {
    /// The men of a new game.
    New,
    /// The resumed game, with these men.
    Resumed(Board),
}

/// What the picture shows while the board is not found yet: the men of `start`, or those of `resumed` or of a position a few
/// plies later. `None` where it shows no board, or is not to be searched.
pub(super) fn shown(
    watch: &Watch,
    frame: &Frame<'_>,
    stamp: Option<Stamp>,
    start: &Board,
    resumed: &Chess,
) -> Option<Shown> {
    if watch.view().is_some() || stamp.is_some_and(|stamp| !watch.may_search(stamp)) {
        return None;
    }
    let share = |view: &Option<View>| view.as_ref().map_or(0.0, View::recognised);
    let (new, old) = (watch.begin(frame, start), watch.begin(frame, resumed.board()));
    if share(&new) > share(&old) + CLEARLY_NEW {
        return Some(Shown::New);
    }
    old.map(|view| Shown::Resumed(after(&view, frame, resumed)))
}

/// The men that stand after what was played from `position` on until this picture of the board in `view`.
fn after(view: &View, frame: &Frame<'_>, position: &Chess) -> Board {
    let now = view.recognitions(frame, &[position.board().clone()]).first().copied().unwrap_or_default();
    let mut best = (now, position.board().clone());
    let mut lines = vec![position.clone()];
    for _ in 0..PLIES {
        let mut next: Vec<Chess> = Vec::new();
        for position in &lines {
            for mv in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(mv);
                if next.iter().all(|known| known.board() != after.board()) {
                    next.push(after);
                }
            }
        }
        let men: Vec<Board> = next.iter().map(|position| position.board().clone()).collect();
        let mut ranked: Vec<(f64, Chess)> = view.recognitions(frame, &men).into_iter().zip(next).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.truncate(LINES);
        let better = ranked.first().filter(|(share, _)| *share > best.0 + CLEARLY_PLAYED);
        let Some((share, position)) = better else { break };
        best = (*share, position.board().clone());
        lines = ranked.into_iter().map(|(_, position)| position).collect();
    }
    best.1
}
