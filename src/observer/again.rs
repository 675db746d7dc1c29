//! Finding a board again that was known before: pushed far, turned, or seen from elsewhere.

use crate::{
    board::{
        locate::{Hint, locate},
        map::BoardMap,
    },
    frame::Frame,
    sight::{occlusion::Parallax, view::View},
};

/// A board found elsewhere must fit this much better than the one in its old place.
pub(super) const BETTER: f64 = 0.8;
/// Share of the squares that must read as the men stand, for a board to be known by its men.
const RECOGNISED: f64 = 0.85;
/// Share of the squares that must read better than elsewhere: a man moved meanwhile costs two or three per cent, a board
/// named from the wrong side thirty and more.
const CLEARLY: f64 = 0.1;

/// A place where the board may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// There.
    pub(super) map: BoardMap,
    /// How badly the picture there differs from the one learnt from, in levels.
    pub(super) misfit: f64,
    /// Share of the squares that read as the men stood.
    recognised: f64,
}

/// Searches the whole picture for the board that is no longer at its old place, where the picture differs by `misfit`
/// levels. `direction` tells how the camera looks at a board in another place.
///
/// The board is known by its men, read with colours learnt in this very picture, for a turned board shows other sides of
/// them in another light; where they do not tell it from any side, by the memory of every point.
pub(super) fn find_again(
    view: &View,
    frame: &Frame<'_>,
    misfit: f64,
    direction: impl Fn(&BoardMap) -> Parallax,
) -> Option<Place> {
    let now = view.image_from_board();
    let hint = Hint { men: Some(view.men().clone()), near: Some(now.corners()), lens: now.lens().copied() };
    let located = locate(frame, &hint).ok()?;
    let mut places: Vec<Place> = (0..4)
        .map(|turns| located.map.renamed(turns))
        .map(|map| Place {
            map,
            misfit: view.misfit(frame, &map),
            recognised: view.recognition(frame, &map, &direction(&map)),
        })
        .collect();
    places.sort_by(|a, b| b.recognised.total_cmp(&a.recognised));
    let here = view.recognition(frame, now, &view.parallax());
    let [first, second, ..] = places[..] else { return None };
    if first.recognised >= RECOGNISED && first.recognised > CLEARLY + second.recognised.max(here) {
        return Some(first);
    }
    let best = places.into_iter().min_by(|a, b| a.misfit.total_cmp(&b.misfit))?;
    // Bare squares look alike from two sides: never against what the men say.
    (best.misfit < BETTER * misfit && best.recognised + CLEARLY > here).then_some(best)
}

/// Largest change of the lean of men on the board between two directions of the camera, in squares a square of height.
pub(super) fn turned_squares(before: &Parallax, now: &Parallax) -> f64 {
    [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]]
        .into_iter()
        .map(|p| {
            let (a, b) = (before.at_height(p, 1.0), now.at_height(p, 1.0));
            (a[0] - b[0]).hypot(a[1] - b[1])
        })
        .fold(0.0, f64::max)
}

/// Largest distance of a corner between two places of the board, in squares.
pub(super) fn distance_squares(before: &BoardMap, after: &BoardMap) -> f64 {
    let (before, after) = (before.corners(), after.corners());
    let square_px = before.square_px();
    before.0.iter().zip(after.0).map(|(a, b)| nalgebra::distance(a, &b) / square_px).fold(0.0, f64::max)
}
