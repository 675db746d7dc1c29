//! A board that begins: found in one picture, known by its men.
//!
//! A picture that is a mirror image shows a board with its colours swapped, and no naming of its corners puts the men on the
//! squares where they stand. So where a picture shows no board beyond doubt as it comes, its mirror image is asked, and believed
//! where it does, and shows the men better.

use shakmaty::Board;

use super::camera::Camera;
use crate::{
    board::{
        calibration::Calibration,
        corners::Corners,
        locate::{Hint, LocateError, locate},
        map::BoardMap,
    },
    frame::Frame,
    params::Mirrored,
    sight::view::{BeginError, View},
};

/// Orientation confidence from which other namings are not tried: no surer one was ever wrong in the test pictures.
const SURE_NAME: f64 = 0.9;
/// Confidence of a search from which a picture shows a board beyond doubt: that of a search that is sure. A board in a mirror image,
/// named a rank or a file aside, had up to 0.81.
const SURE: f64 = 0.9;
/// Share of the squares that must then read as the men stand, and in any mirror image. The start position reads 0.96 to 1.0 in every
/// recording, and chequers named a file aside at most 0.94, were half of the table's part of it read rightly by chance.
const RECOGNISED: f64 = 0.95;
/// Share of the squares that must read better in the mirror image, where a board is found without: two squares.
const CLEARLY: f64 = 0.03;

/// What is known before the board is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) camera: &'a Camera,
    /// Are the pictures mirror images?
    pub(super) mirrored: Mirrored,
    /// Where the users say that it is, in the pictures as they come.
    pub(super) given: Option<Corners>,
    /// Where it was before this start.
    pub(super) offered: Option<Calibration>,
    /// Where it was last.
    pub(super) near: Option<Calibration>,
}

/// A board that was found, with its men.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) view: View,
    /// The camera, where it mirrors its pictures otherwise than was thought.
    pub(super) turned: Option<Camera>,
}

impl Begun {
    /// The picture in which it was found, as it is read now.
    pub(super) fn picture<'a>(&self, frame: &Frame<'a>) -> Frame<'a> {
        if self.turned.is_some() { frame.mirrored() } else { *frame }
    }
}

/// Why no board begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unfound {
    /// Nobody knows where it is.
    Nowhere(LocateError),
    /// It is at a place that no board can have.
    NoPlace,
    /// It is there, and does not look as it should.
    Otherwise(Box<BoardMap>, BeginError),
    /// It is seen beyond doubt in the mirror image, and the users say that the pictures are none.
    InMirror,
}

impl Known<'_> {
    /// The board with these men in a picture as it is read, where it can be found in it.
    pub(super) fn begin(&self, frame: &Frame<'_>, men: &Board) -> Result<Begun, Unfound> {
        if let Some(corners) = self.given {
            return self.begin_given(frame, &corners, men);
        }
        let here = self.begin_anywhere(frame, men);
        if matches!(&here, Ok((view, confidence)) if is_beyond_doubt(view, *confidence)) {
            return here.map(|(view, _)| Begun { view, turned: None });
        }
        match self.begin_in_mirror(frame, men, &here) {
            Some(mirrored) => mirrored,
            None => here.map(|(view, _)| Begun { view, turned: None }),
        }
    }

    fn begin_given(&self, frame: &Frame<'_>, corners: &Corners, men: &Board) -> Result<Begun, Unfound> {
        if corners.fit((frame.width(), frame.height())).is_err() {
            return Err(Unfound::NoPlace);
        }
        Ok(Begun { view: self.begin_at(frame, corners, men)?, turned: None })
    }

    /// The same with these corners, in pictures as they come.
    fn begin_at(&self, frame: &Frame<'_>, corners: &Corners, men: &Board) -> Result<View, Unfound> {
        let map = BoardMap::from_corners(&self.camera.corners(corners), self.camera.lens()).ok_or(Unfound::NoPlace)?;
        View::begin(frame, &map, men, self.camera.parallax(&map)).map_err(|why| Unfound::Otherwise(Box::new(map), why))
    }

    /// The same where nobody says where it is, and how sure the search for it is; 1 where it is where it was.
    fn begin_anywhere(&self, frame: &Frame<'_>, men: &Board) -> Result<(View, f64), Unfound> {
        self.search(frame, men).or_else(|why| match self.corners_of(self.offered) {
            Some(corners) => self.begin_at(frame, &corners, men).map(|view| (view, 1.0)).map_err(|_| why),
            None => Err(why),
        })
    }

    /// The corners of a place in the pictures that come now: another resolution shows the board in proportion. None of a
    /// picture that is a mirror image where these are none.
    fn corners_of(&self, place: Option<Calibration>) -> Option<Corners> {
        let corners = place?.corners_in(self.camera.pictures())?;
        (corners.is_mirrored() == self.camera.mirrors()).then_some(corners)
    }

    fn search(&self, frame: &Frame<'_>, men: &Board) -> Result<(View, f64), Unfound> {
        let near = self.corners_of(self.near).or_else(|| self.corners_of(self.offered));
        let near = near.map(|corners| self.camera.corners(&corners));
        let hint = Hint { men: Some(men.clone()), near, lens: self.camera.lens() };
        let located = locate(frame, &hint).map_err(Unfound::Nowhere)?;
        // The name that the search prefers; where it was not sure, then the board seen from the other sides.
        let namings: &[usize] = if located.orientation_confidence >= SURE_NAME { &[0] } else { &[0, 2, 1, 3] };
        let mut why = None;
        for turns in namings {
            let map = located.map.renamed(*turns);
            match View::begin(frame, &map, men, self.camera.parallax(&map)) {
                Ok(view) => return Ok((view, located.confidence)),
                Err(other) => why = why.or(Some(Unfound::Otherwise(Box::new(map), other))),
            }
        }
        Err(why.unwrap_or(Unfound::NoPlace))
    }

    /// The same in the mirror image of a picture that shows no board, or none beyond doubt. `None` where it does not show men and
    /// squares clearly better.
    fn begin_in_mirror(
        &self,
        frame: &Frame<'_>,
        men: &Board,
        here: &Result<(View, f64), Unfound>,
    ) -> Option<Result<Begun, Unfound>> {
        if self.camera.mirrors() || self.mirrored == Mirrored::Always {
            return None;
        }
        let camera = self.camera.turned();
        let known = Known { camera: &camera, ..*self };
        let was_there = known.corners_of(self.near).or_else(|| known.corners_of(self.offered)).is_some();
        // A mirror image has the same crossings; and a board that is cut off has no ninth file.
        let nothing =
            |why: &Unfound| matches!(why, Unfound::Nowhere(LocateError::NoLattice { .. } | LocateError::CutOff { .. }));
        if here.as_ref().is_err_and(nothing) && !was_there {
            return None;
        }
        let (view, _) = known.begin_anywhere(&frame.mirrored(), men).ok()?;
        let least = here.as_ref().map_or(0.0, |(here, _)| here.recognised() + CLEARLY).max(RECOGNISED);
        if view.recognised() < least {
            return None;
        }
        if self.mirrored == Mirrored::Never {
            return Some(Err(Unfound::InMirror));
        }
        Some(Ok(Begun { view, turned: Some(camera) }))
    }
}

/// Does a picture show a board and its men so that its mirror image need not be asked?
fn is_beyond_doubt(view: &View, confidence: f64) -> bool {
    confidence >= SURE && view.recognised() >= RECOGNISED
}
