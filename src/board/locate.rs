//! Finding the board in a picture, with nothing known but what stands on it.
//!
//! Crossings of light and dark squares (`crossings`) are joined to lattices
//! (`lattice`), at several scales (`candidates`); each lattice is tried in every position of the board on it
//! (`placement`); the best is refined on all crossings that can be seen.

use shakmaty::Board;

use super::{
    candidates::{self, Candidates, Scale, reduction},
    claim::{self, Claim},
    geometry::{Homography, ImagePoint},
    lattice::Lattice,
    lens::Lens,
    map::BoardMap,
    placement,
    refine::refine,
};
use crate::{board::corners::Corners, frame::Frame};

/// Fewest crossings of a board: three by three, and some.
const FEWEST_CROSSINGS: usize = 10;
/// Least distance between light and dark squares, in grey levels, of a board and not of wood's grain.
const LEAST_CONTRAST: f64 = 10.0;
/// Confidence in the names of a board's corners that it has from its last place, within a square of it.
const NAMED_BY_PLACE: f64 = 0.9;
/// Confidence at which the search stops at the first scale.
const SURE: f64 = 0.9;
/// Confidence below which nothing is claimed.
const LEAST_CONFIDENCE: f64 = 0.5;

/// What is known before.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// What stands on the board: the start position by default, an empty board, any position. `None`: not known.
    pub men: Option<Board>,
    /// Where it was before, in pixels: searched first, and the corners' names where the men do not tell.
    pub near: Option<Corners>,
    /// What the camera's lens does, where that is known.
    pub lens: Option<Lens>,
}

impl Default for Hint {
    fn default() -> Self {
        Self { men: Some(Board::new()), near: None, lens: None }
    }
}

/// A board that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// Where the board is in the picture.
    pub map: BoardMap,
    /// Probability that these are a board's corners, whatever their names: 0 to 1.
    pub confidence: f64,
    /// Probability that a1 is named rightly: about 0.5 where only the colour of the squares tells (an empty board).
    pub orientation_confidence: f64,
    /// How it was found.
    pub diagnostics: Diagnostics,
}

impl Located {
    /// Outer corners a1, h1, h8, a8 in pixels.
    #[must_use]
    pub fn corners(&self) -> Corners {
        self.map.corners()
    }

    /// How many of its 64 squares lie within the picture.
    #[must_use]
    pub fn squares_seen(&self) -> u32 {
        (64.0 * self.diagnostics.visible).round() as u32
    }
}

/// Numbers of the search, for people.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diagnostics {
    /// Longer side of the reduced picture it was found in, in pixels.
    pub long_side_px: u32,
    /// Saddle points in that picture.
    pub saddles: usize,
    /// Crossings that the homography rests on, of 49.
    pub crossings: usize,
    /// Root mean square of their distances from it, in pixels.
    pub residual_px: f64,
    /// Fraction of the squares expected to be empty that look so.
    pub empty_fit: f64,
    /// Fraction of the squares expected to bear men that look so.
    pub men_fit: f64,
    /// Log-likelihood ratio to the best other position on the same lattice.
    pub margin: f64,
    /// Distance between light and dark squares, in grey levels.
    pub contrast: f64,
    /// Fraction of the squares that lie within the picture.
    pub visible: f64,
}

/// Why no board is claimed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LocateError {
    /// Nothing in the picture looks like a board's lattice.
    #[error(
        "no chessboard found: {saddles} crossings of light and dark, not {FEWEST_CROSSINGS} of them in a lattice; \
         show the whole board, sharp and evenly lit, or give its corners"
    )]
    NoLattice {
        /// Saddle points seen.
        saddles: usize,
    },
    /// There is a board, but a part of it lies outside of the picture.
    #[error(
        "a chessboard, but not wholly in the picture: {} of its 64 squares are seen; show the whole board, or give its \
         corners", .board.squares_seen()
    )]
    CutOff {
        /// Where it seems to be; its confidence is that of being a board.
        board: Box<Located>,
    },
    /// There is a lattice, but it is not clear that it is a board, or where the board ends on it.
    #[error(
        "no chessboard claimed: the best candidate has confidence {:.2}, {LEAST_CONFIDENCE} is needed; set up the \
         expected position, or give the corners", .best.confidence
    )]
    Unsure {
        /// The candidate.
        best: Box<Located>,
    },
}

/// Finds the board in a picture.
///
/// # Errors
/// When there is none, or none that is sure enough.
pub fn locate(frame: &Frame<'_>, hint: &Hint) -> Result<Located, LocateError> {
    let long_side = frame.width().max(frame.height());
    let mut best = Best::default();
    let mut most_saddles = 0;
    for scale in candidates::scales(long_side) {
        most_saddles = most_saddles.max(at_scale(frame, hint, scale, &mut best));
        if best.is_sure() {
            break;
        }
    }
    match (best.whole, best.cut_off) {
        (Some(whole), _) if whole.confidence >= LEAST_CONFIDENCE => Ok(whole),
        (_, Some(board)) if board.confidence > SURE => Err(LocateError::CutOff { board: Box::new(board) }),
        (Some(best), _) => Err(LocateError::Unsure { best: Box::new(best) }),
        (None, _) => Err(LocateError::NoLattice { saddles: most_saddles }),
    }
}

/// The best of what was found.
#[derive(Default)]
struct Best {
    /// As a board that is wholly in the picture.
    whole: Option<Located>,
    /// As a board of which a part is outside; its confidence is that of being a board.
    cut_off: Option<Located>,
}

impl Best {
    fn is_sure(&self) -> bool {
        self.whole.as_ref().is_some_and(|b| b.confidence > SURE)
    }

    fn take(&mut self, found: Located, claim: Claim) {
        let better = |of: &Option<Located>, confidence: f64| of.as_ref().is_none_or(|b| confidence > b.confidence);
        // At least a row of squares is outside: a corner that lies on the picture's edge is no reason to say so.
        if found.diagnostics.visible <= 57.0 / 64.0 && better(&self.cut_off, claim.board) {
            self.cut_off = Some(Located { confidence: claim.board, ..found.clone() });
        }
        if better(&self.whole, claim.whole) {
            self.whole = Some(found);
        }
    }
}

/// The search at one scale (see [`candidates::scales`]); returns the number of saddles seen.
fn at_scale(frame: &Frame<'_>, hint: &Hint, scale: Scale, best: &mut Best) -> usize {
    let seen = Candidates::new(frame, scale, hint.lens.as_ref());
    let known = hint.near.as_ref().and_then(|near| seen.at_place(BoardMap::from_corners(near, hint.lens)?.plane()));
    let mut lattices: Vec<Lattice> = known.into_iter().collect();
    let mut next = 0;
    let mut searched = false;
    loop {
        // The whole picture is searched only when the known place does not convince.
        if next >= lattices.len() {
            if searched || best.is_sure() {
                break;
            }
            searched = true;
            lattices.extend(seen.lattices());
            continue;
        }
        next += 1;
        let Some((mut found, claim)) = judge(frame, &lattices[next - 1], seen.factor, hint) else { continue };
        found.diagnostics.saddles = seen.crossings.len();
        found.diagnostics.long_side_px = seen.long_side_px;
        best.take(found, claim);
    }
    seen.crossings.len()
}

/// A lattice taken for a board, refined.
fn judge(frame: &Frame<'_>, lattice: &Lattice, factor: u32, hint: &Hint) -> Option<(Located, Claim)> {
    if lattice.too_wide || lattice.nodes.len() < FEWEST_CROSSINGS {
        return None;
    }
    let map = BoardMap::new(Homography::from_matrix(reduction(factor) * lattice.map.matrix())?, hint.lens);
    let placement = placement::place(frame, &lattice.nodes, &map, hint.men.as_ref())?;
    if placement.contrast < LEAST_CONTRAST {
        return None;
    }
    let refined = refine(frame, &placement.map);
    let mut map = refined.as_ref().map_or(placement.map, |r| r.map);
    let corners = Corners::new(map.corners().to_array()).ok()?;
    let claim = claim::claim(&placement, hint.men.is_some(), refined.as_ref(), corners.square_px());
    let mut orientation = placement.orientation;
    if let Some(near) = &hint.near
        && orientation < NAMED_BY_PLACE
    {
        // Where the men do not tell, a board near its last place keeps its names.
        let turned = near.farthest_px(&corners.renamed(2)) < near.farthest_px(&corners);
        let named = if turned { map.renamed(2) } else { map };
        if near.farthest_px(&named.corners()) < corners.square_px() {
            map = named;
            orientation = NAMED_BY_PLACE;
        }
    }
    let located = Located {
        map,
        confidence: claim.whole,
        orientation_confidence: orientation,
        diagnostics: Diagnostics {
            crossings: refined.as_ref().map_or(0, |r| r.crossings),
            residual_px: refined.as_ref().map_or(0.0, |r| r.residual_px),
            empty_fit: placement.empty_fit,
            men_fit: placement.men_fit,
            margin: placement.margin,
            contrast: placement.contrast,
            visible: placement.visible,
            ..Diagnostics::default()
        },
    };
    Some((located, claim))
}

/// For overlays and measurements: the crossings of a lattice, and its map from whole lattice coordinates, in pixels.
type SeenLattice = (Vec<ImagePoint>, Homography);

/// For overlays and measurements: the crossings seen at each scale that the search may try, and of each lattice among
/// them, the largest first, its crossings and its map from whole lattice coordinates; all in pixels of the picture.
#[must_use]
pub fn lattices(frame: &Frame<'_>) -> Vec<(Vec<ImagePoint>, Vec<SeenLattice>)> {
    let at_scale = |scale| {
        let seen = Candidates::new(frame, scale, None);
        let whole = reduction(seen.factor);
        let full = |i: usize| {
            let p = seen.crossings[i].at;
            let p = whole * nalgebra::Vector3::new(p.x, p.y, 1.0);
            ImagePoint::new(p.x, p.y)
        };
        let found = seen.lattices();
        let lattices = found.iter().filter(|l| !l.too_wide).filter_map(|l| {
            Some((l.nodes.values().map(|i| full(*i)).collect(), Homography::from_matrix(whole * l.map.matrix())?))
        });
        ((0..seen.crossings.len()).map(full).collect(), lattices.collect())
    };
    candidates::scales(frame.width().max(frame.height())).into_iter().map(at_scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{board::geometry::BoardPoint, frame::PixelFormat};

    const SIZE: (u32, u32) = (640, 480);

    fn corners(turns: usize) -> Corners {
        let corners = Corners::new([[105.0, 415.0], [520.0, 428.0], [465.0, 92.0], [182.0, 88.0]]).expect("corners");
        corners.renamed(turns)
    }

    /// Grey levels of light and dark squares, of white and black men.
    const GREYS: [f64; 4] = [180.0, 85.0, 235.0, 30.0];

    /// A board with discs for men, White's light, four samples a pixel, on a table of a third grey.
    fn picture(corners: &Corners, men: &Board) -> Vec<u8> {
        picture_in(GREYS, corners, men)
    }

    fn picture_in(greys: [f64; 4], corners: &Corners, men: &Board) -> Vec<u8> {
        let map = Homography::from_corners(corners).expect("a map");
        let mut data = Vec::new();
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                let mut sum = 0.0;
                for k in 0..4 {
                    let (dx, dy) = (f64::from(k % 2) * 0.5 - 0.25, f64::from(k / 2) * 0.5 - 0.25);
                    sum += shade(map.to_board(ImagePoint::new(f64::from(x) + dx, f64::from(y) + dy)), men, greys);
                }
                data.push((sum / 4.0) as u8);
            }
        }
        data
    }

    fn shade(b: BoardPoint, men: &Board, [light, dark, white, black]: [f64; 4]) -> f64 {
        if !((0.0..8.0).contains(&b.x) && (0.0..8.0).contains(&b.y)) {
            return 120.0;
        }
        let (file, rank) = (b.x as u32, b.y as u32);
        let square = shakmaty::Square::from_coords(shakmaty::File::new(file), shakmaty::Rank::new(rank));
        let from_middle = (b.x - f64::from(file) - 0.5).hypot(b.y - f64::from(rank) - 0.5);
        match men.piece_at(square) {
            Some(piece) if from_middle < 0.33 => piece.color.fold_wb(white, black),
            _ if square.is_light() => light,
            _ => dark,
        }
    }

    fn find(data: &[u8], hint: &Hint) -> Result<Located, LocateError> {
        locate(&Frame::new(SIZE.0, SIZE.1, SIZE.0 as usize, PixelFormat::Mono8, data).expect("a frame"), hint)
    }

    #[test]
    fn the_start_position_is_found_from_all_four_sides() {
        for turns in 0..4 {
            let truth = corners(turns);
            let found = find(&picture(&truth, &Board::new()), &Hint::default()).expect("a board");
            assert!(found.corners().farthest_px(&truth) < 0.7, "{turns}: {found:?}");
            assert!(found.confidence > 0.9 && found.orientation_confidence > 0.95, "{turns}: {found:?}");
        }
    }

    #[test]
    fn light_squares_whiter_than_a_picture_can_show_are_squares() {
        let truth = corners(0);
        let found = find(&picture_in([255.0, 50.0, 150.0, 60.0], &truth, &Board::new()), &Hint::default());
        let found = found.expect("a board");
        assert!(found.corners().farthest_px(&truth) < 0.7 && found.confidence > 0.9, "{found:?}");
    }

    #[test]
    fn an_empty_board_has_no_white_side_unless_its_place_was_known() {
        let truth = corners(0);
        let data = picture(&truth, &Board::empty());
        let found = find(&data, &Hint { men: Some(Board::empty()), near: None, lens: None }).expect("a board");
        let apart = found.corners().farthest_px(&truth).min(found.corners().renamed(2).farthest_px(&truth));
        assert!(apart < 0.7, "{found:?}");
        assert!((found.orientation_confidence - 0.5).abs() < 0.01, "{found:?}");
        for turns in [0, 2] {
            let near = Corners(truth.renamed(turns).0.map(|p| p + nalgebra::Vector2::new(7.0, -5.0)));
            let found =
                find(&data, &Hint { men: Some(Board::empty()), near: Some(near), lens: None }).expect("a board");
            assert!(found.corners().farthest_px(&truth.renamed(turns)) < 0.7, "{turns}: {found:?}");
            assert!(found.orientation_confidence > 0.8);
        }
    }

    #[test]
    fn a_board_is_found_whatever_stands_on_it() {
        let truth = corners(0);
        let boards = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "r4rk1/pp3ppp/2n5/3q4/3P4/8/PP3PPP/R2Q1RK1",
            "8/8/8/8/8/8/8/8",
        ];
        for placement in boards {
            let men = Board::from_ascii_board_fen(placement.as_bytes()).expect("a placement");
            let found = find(&picture(&truth, &men), &Hint { men: None, ..Hint::default() }).expect("a board");
            let apart = (0..4).map(|t| found.corners().renamed(t).farthest_px(&truth)).fold(f64::MAX, f64::min);
            assert!(apart < 0.7 && found.confidence > 0.9, "{placement}: {found:?}");
            assert!((found.orientation_confidence - 0.5).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn a_board_that_leaves_the_picture_is_said_to() {
        // Its lowest rank is below the picture.
        let truth = Corners(corners(0).0.map(|p| p + nalgebra::Vector2::new(0.0, 100.0)));
        let men = Board::from_ascii_board_fen(b"r4rk1/pp3ppp/2n5/3q4/3P4/8/8/8").expect("a placement");
        for expected in [None, Some(men.clone())] {
            let hint = Hint { men: expected, ..Hint::default() };
            let found = find(&picture(&truth, &men), &hint);
            let Err(LocateError::CutOff { board }) = &found else { panic!("{found:?}") };
            let apart = (0..4).map(|t| board.corners().renamed(t).farthest_px(&truth)).fold(f64::MAX, f64::min);
            assert!(apart < 3.0 && board.squares_seen() == 56, "{board:?}");
            assert!(found.is_err_and(|e| e.to_string().contains("not wholly in the picture")));
        }
    }

    #[test]
    fn the_wrong_position_is_not_claimed() {
        let data = picture(&corners(0), &Board::empty());
        assert!(matches!(find(&data, &Hint::default()), Err(LocateError::Unsure { .. })));
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let grey = vec![90_u8; (SIZE.0 * SIZE.1) as usize];
        assert_eq!(find(&grey, &Hint::default()), Err(LocateError::NoLattice { saddles: 0 }));
        let pixel = Frame::new(1, 1, 1, PixelFormat::Mono8, &[3]).expect("a frame");
        assert_eq!(locate(&pixel, &Hint::default()), Err(LocateError::NoLattice { saddles: 0 }));
        // A last place that makes no sense does no harm.
        let near = Corners([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [f64::NAN, 1e300]].map(ImagePoint::from));
        assert!(find(&grey, &Hint { men: None, near: Some(near), lens: None }).is_err());
    }
}
