//! The end of a game, told by the kings, and the beginning of the next one.

use shakmaty::{Board, Color, KnownOutcome, Position as _, Role, Square};

use super::{super::beliefs::Remembered, Hypothesis, Known, PLY, Pool, Story, making::changed, promotion_prior};

/// The squares that kings are put on to tell a result.
const CENTRAL: [Square; 4] = [Square::E4, Square::D5, Square::D4, Square::E5];
/// The kings go to the centre when players agree on a result; after mate it is a habit.
const CENTRE: f64 = -9.0;
const CENTRE_AFTER_END: f64 = -4.0;
/// Each result is as common as the others, and a draw can be told in eight ways, a win in two.
const CENTRE_DRAW: f64 = -1.4;
/// A king's move to the centre directly before the result is nearly always part of telling it.
const GESTURE: f64 = 1.0;
/// A new game is set up in the middle of another one; after the end of a game it is expected.
const NEW_GAME: f64 = -11.0;
const NEW_GAME_AFTER_END: f64 = -4.0;

/// How likely it is that the kings tell a result now.
const fn told_by_kings(known: &Known<'_>) -> f64 {
    if known.over { CENTRE_AFTER_END } else { CENTRE }
}

/// Kings in the centre: e4 and d5, both light, White has won; d4 and e5, both dark, Black; one of each colour, a draw.
pub(super) fn centre(pool: &mut Pool<'_>, known: &Known<'_>) {
    let line = known.line;
    let prior = told_by_kings(known);
    let mut ends = vec![(line.len(), Vec::new(), line.position().clone(), prior)];
    if let Some(last) = line.plies().last()
        && last.mv.role() == Role::King
        && CENTRAL.contains(&last.mv.to())
    {
        // The first king that went was taken for a move.
        ends.push((line.len() - 1, Vec::new(), line.position_after(line.len() - 1).clone(), prior + GESTURE));
    }
    if !known.over {
        for mv in line.position().legal_moves() {
            let mut position = line.position().clone();
            position.play_unchecked(mv);
            let prior = prior + if position.is_game_over() { PLY / 2.0 } else { PLY } + promotion_prior(mv);
            ends.push((line.len(), vec![mv], position, prior));
        }
    }
    for (keep, moves, position, prior) in ends {
        let men = position.board();
        let (Some(w), Some(b)) = (men.king_of(Color::White), men.king_of(Color::Black)) else { continue };
        let of = pool.origin(men);
        for white in CENTRAL {
            for black in CENTRAL {
                let over = match (white.is_light(), black.is_light()) {
                    _ if white == black => continue,
                    (true, true) => KnownOutcome::Decisive { winner: Color::White },
                    (false, false) => KnownOutcome::Decisive { winner: Color::Black },
                    _ => KnownOutcome::Draw,
                };
                let put = [(white, Color::White.king()), (black, Color::Black.king())];
                let prior = prior + if over == KnownOutcome::Draw { CENTRE_DRAW } else { 0.0 };
                if !pool.hopeless_change(&of, &[w, b], &put, prior) {
                    let story = Story::Line { keep, moves: moves.clone(), over: Some(over) };
                    pool.rank(changed(men, &[w, b], &put), prior, story);
                }
            }
        }
    }
}

/// One king has gone to the centre and the other is on its way: as likely as that they tell a result. Nearer than three squares it
/// may be a move.
pub(super) fn one_king_in_the_centre(pool: &mut Pool<'_>, known: &Known<'_>) {
    let men = known.line.position().board();
    let prior = told_by_kings(known);
    for colour in Color::ALL {
        let Some(home) = men.king_of(colour) else { continue };
        for to in CENTRAL {
            if known.over || home.distance(to) >= 3 {
                pool.rank(changed(men, &[home], &[(to, colour.king())]), prior, Story::Making { lifted: None });
            }
        }
    }
}

pub(super) fn new_game(pool: &mut Pool<'_>, known: &Known<'_>) {
    if known.line.is_empty() && !known.over {
        return;
    }
    let prior = if known.over { NEW_GAME_AFTER_END } else { NEW_GAME };
    let men = known.line.start().position().board().clone();
    // Taking back everything leads to the same placement: the shorter the game, the likelier that.
    pool.ranked.push((
        pool.marginals.gain(&men, pool.base) + prior,
        Hypothesis { men, prior, remembered: Remembered::default(), story: Story::NewGame { played: None } },
    ));
    if !known.line.start().is_usual() {
        pool.rank(Board::new(), prior, Story::NewGame { played: None });
    }
    // Another first ply instead of the only one is that ply revised, or put right.
    if known.line.len() < 2 {
        return;
    }
    // Nobody waits for the camera: the first ply may have been played when the men are seen for the first time.
    for mv in known.line.start().position().legal_moves() {
        let mut after = known.line.start().position().clone();
        after.play_unchecked(mv);
        pool.rank(after.board().clone(), prior + PLY, Story::NewGame { played: Some(mv) });
    }
}
