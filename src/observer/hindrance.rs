//! What keeps a game from beginning, found out where the board is searched in vain.

use shakmaty::{Board, Color, Piece, Square};

use super::begin::{Known, Unfound};
use crate::{
    board::{
        geometry::square_centre,
        locate::{Hint, LocateError, Located, locate},
        map::BoardMap,
        quality::{Fault, fault},
    },
    event::hindrance::{Edges, Hindrance, Shows},
    frame::Frame,
    sight::{calibrate::read_squares, view::BeginError},
};

/// Side of a square, in pixels, below which a board is seldom found.
const SMALL_PX: f64 = 8.0;
/// Share of the squares that must look bare for a board to be empty: what lies beside its men may hide some.
const BARE: f64 = 0.9;

impl Known<'_> {
    /// Why no board with these men begins in a picture as it is read, as far as `why` and a glance tell. `None` where the corners
    /// that were given are at fault, which is told elsewhere.
    pub(super) fn glance(&self, frame: &Frame<'_>, men: &Board, why: &Unfound) -> Option<Hindrance> {
        Some(match why {
            Unfound::NoPlace => return None,
            Unfound::InMirror => Hindrance::Mirrored,
            Unfound::Otherwise(_, BeginError::ColoursSwapped) => Hindrance::SidesSwapped,
            Unfound::Otherwise(map, BeginError::NotThisPosition { .. }) => self.otherwise(frame, &[**map], men),
            Unfound::Nowhere(LocateError::CutOff { board }) => self.cut_off(frame, board),
            Unfound::Nowhere(LocateError::Unsure { best }) if best.corners().square_px() < SMALL_PX => {
                Hindrance::Small { square_px: best.corners().square_px() }
            }
            Unfound::Nowhere(LocateError::Unsure { .. }) => Hindrance::Unclear,
            Unfound::Nowhere(LocateError::NoLattice { .. }) => match fault(frame) {
                Some(Fault::Dark) => Hindrance::Dark,
                Some(Fault::Blurred(edge_px)) => Hindrance::Blurred { edge_px },
                None => Hindrance::NoBoard,
            },
        })
    }

    /// The same, searched for whatever stands on the board: as costly as three searches.
    pub(super) fn hindrance(&self, frame: &Frame<'_>, men: &Board, why: &Unfound) -> Option<Hindrance> {
        let unclear = matches!(why, Unfound::Nowhere(LocateError::Unsure { .. } | LocateError::NoLattice { .. }));
        let search = |men: Option<Board>| locate(frame, &Hint { men, near: None, lens: self.camera.lens() });
        let seen = if unclear { self.board_with_any(frame, men, search) } else { None };
        let seen = seen.or_else(|| if unclear { self.cut_off_in_mirror(frame, men) } else { None });
        seen.or_else(|| self.glance(frame, men, why))
    }

    /// What is told by the mirror image, where it shows a board of which a part is outside.
    fn cut_off_in_mirror(&self, frame: &Frame<'_>, men: &Board) -> Option<Hindrance> {
        let camera = self.camera.turned();
        let (known, mirror) = (Known { camera: &camera, ..*self }, frame.mirrored());
        match locate(&mirror, &Hint { men: Some(men.clone()), near: None, lens: camera.lens() }) {
            Err(LocateError::CutOff { board }) => Some(known.cut_off(&mirror, &board)),
            _ => None,
        }
    }

    /// What is told by a board that is found where nobody says what stands on it.
    fn board_with_any(
        &self,
        frame: &Frame<'_>,
        men: &Board,
        search: impl Fn(Option<Board>) -> Result<Located, LocateError>,
    ) -> Option<Hindrance> {
        match search(None) {
            Ok(found) => {
                let bare = search(Some(Board::empty())).is_ok_and(|empty| empty.diagnostics.empty_fit >= BARE);
                if bare && men.occupied().any() {
                    return Some(Hindrance::Bare);
                }
                // The colours of the squares leave two sides to name it from.
                Some(self.otherwise(frame, &[found.map, found.map.renamed(2)], men))
            }
            Err(LocateError::CutOff { board }) => Some(self.cut_off(frame, &board)),
            Err(LocateError::Unsure { .. } | LocateError::NoLattice { .. }) => None,
        }
    }

    /// The squares that do not look as these men stand, on the board that is at one of these places: where fewest do not.
    fn otherwise(&self, frame: &Frame<'_>, places: &[BoardMap], men: &Board) -> Hindrance {
        let differing = |map: &BoardMap| {
            let shown = read_squares(frame, map, men, self.camera.parallax(map));
            let look = |piece: Option<Piece>| match piece.map(|piece| piece.color) {
                None => Shows::Empty,
                Some(Color::White) => Shows::White,
                Some(Color::Black) => Shows::Black,
            };
            let of = |square: Square| (look(shown.piece_at(square)), look(men.piece_at(square)));
            let squares = Square::ALL.into_iter().filter(|square| of(*square).0 != of(*square).1);
            squares.map(|square| (square, of(square).0)).collect::<Vec<_>>()
        };
        let fewest = places.iter().map(differing).min_by_key(Vec::len).unwrap_or_default();
        // Where every square reads as expected by its neighbours, all of them together do not.
        if fewest.is_empty() { Hindrance::Unclear } else { Hindrance::Otherwise { squares: fewest } }
    }

    /// A board of which a part is outside of the picture: where, in the picture as it comes.
    fn cut_off(&self, frame: &Frame<'_>, board: &Located) -> Hindrance {
        let mut edges = Edges::default();
        for square in Square::ALL {
            let p = board.map.to_image(square_centre(square));
            edges.left |= p.x < 0.0;
            edges.top |= p.y < 0.0;
            edges.right |= p.x > f64::from(frame.width() - 1);
            edges.bottom |= p.y > f64::from(frame.height() - 1);
        }
        let edges = if self.camera.mirrors() { edges.mirrored() } else { edges };
        Hindrance::CutOff { edges, squares_seen: board.squares_seen() }
    }
}
