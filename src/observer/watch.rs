//! Keeps the board in view: finds it, follows it, notices when it moves, and finds it again.

use shakmaty::{Bitboard, Board};

use super::{
    camera::{Camera, CameraError, CameraInfo},
    in_view::{InView, Picture, SEARCH_PAUSE_S, Seldom},
    report::{BoardState, Pose},
};
use crate::{
    board::{
        calibration::Calibration,
        gather::Gather,
        geometry::{Corners, GeometryError, Projection},
        locate::{Hint, locate},
        map::BoardMap,
    },
    event::Event,
    frame::{Frame, Stamp},
    sight::{
        stillness::Motion,
        view::{Reading, View},
    },
};

/// Orientation confidence from which other namings are not tried: no surer one was ever wrong in the test pictures.
const SURE_NAME: f64 = 0.9;

/// The board's place, from search to search.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Where the users say that it is.
    given: Option<Corners>,
    /// Where it was before this start, until it is found.
    offered: Option<Calibration>,
    camera: Camera,
    board: Sought,
    /// When a whole picture was last searched.
    searched: Seldom,
    /// The last pictures in which the board was not found.
    gathered: Gather,
}

/// What is known of the board.
#[derive(Debug)]
enum Sought {
    /// It is searched, first where it was last said to be.
    Unseen { near: Option<Calibration> },
    /// It is in view.
    InView(Box<InView>),
}

impl Default for Sought {
    fn default() -> Self {
        Self::Unseen { near: None }
    }
}

impl Watch {
    const fn in_view(&self) -> Option<&InView> {
        match &self.board {
            Sought::InView(board) => Some(board),
            Sought::Unseen { .. } => None,
        }
    }

    const fn in_view_mut(&mut self) -> Option<&mut InView> {
        match &mut self.board {
            Sought::InView(board) => Some(board),
            Sought::Unseen { .. } => None,
        }
    }

    pub(super) const fn state(&self) -> BoardState {
        match self.in_view() {
            None => BoardState::Searching,
            Some(board) if board.is_lost() => BoardState::Lost,
            Some(_) => BoardState::Locked,
        }
    }

    pub(super) fn view(&self) -> Option<&View> {
        self.in_view().map(InView::view)
    }

    /// The users say where the board is.
    pub(super) fn give_corners(&mut self, corners: Corners) {
        self.given = Some(corners);
        self.search_again();
    }

    /// Can the board be there in the pictures that come? Anywhere, before the first.
    pub(super) fn accepts(&self, corners: &Corners) -> Result<(), GeometryError> {
        let pictures = self.camera.pictures();
        if pictures == (0, 0) { Ok(()) } else { corners.fit(pictures) }
    }

    /// Why the corners that were given are not used.
    pub(super) fn corners_problem(&self) -> Option<GeometryError> {
        self.accepts(&self.given?).err()
    }

    /// Forgets the board's place; the next picture is searched.
    pub(super) fn search_again(&mut self) {
        if let Sought::InView(board) = &self.board {
            self.board = Sought::Unseen { near: self.place_of(board) };
        }
        self.searched = Seldom::default();
        self.offered = None;
    }

    /// Where the board was before this start.
    pub(super) const fn offer(&mut self, calibration: &Calibration) {
        self.offered = Some(*calibration);
    }

    /// The board's place, for the next start.
    pub(super) fn calibration(&self) -> Option<Calibration> {
        self.place_of(self.in_view().filter(|board| !board.is_lost())?)
    }

    /// Where a board was last said to be.
    fn place_of(&self, board: &InView) -> Option<Calibration> {
        Calibration::new(board.announced().corners(), self.camera.pictures()).ok()
    }

    /// The corners of such a place in the pictures that come now: another resolution shows the board in proportion.
    fn corners_of(&self, place: Option<Calibration>) -> Option<Corners> {
        place?.corners_in(self.camera.pictures())
    }

    /// Takes over a camera's parameters.
    pub(super) fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        if self.camera.set(info)?
            && let Sought::InView(board) = &mut self.board
        {
            board.through_lens_of(&self.camera);
        }
        Ok(())
    }

    /// Why the camera's parameters are not used.
    pub(super) fn camera_problem(&self) -> Option<CameraError> {
        self.camera.problem()
    }

    /// What moves next is compared with nothing.
    pub(super) fn disturb(&mut self) {
        if let Some(board) = self.in_view_mut() {
            board.view_mut().disturb();
        }
    }

    pub(super) fn motion(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Option<Motion> {
        Some(self.in_view_mut()?.view_mut().motion(frame, stamp))
    }

    /// The board's pose.
    pub(super) fn pose(&self, square_size_m: f64) -> Option<Pose> {
        self.camera.report(self.view()?.image_from_board(), square_size_m)
    }

    /// The camera over the board in view: from its own parameters, or as the pictures have taught it, which holds also
    /// where they were warped before they came.
    pub(super) fn projection(&self) -> Option<Projection> {
        let view = self.view()?;
        let map = view.image_from_board();
        if self.camera.k().is_some() {
            return self.camera.projection(map);
        }
        Some(view.parallax().projection(map.plane()))
    }

    /// The board with these men in this picture, where it can be found in it; nothing is remembered.
    pub(super) fn begin(&self, frame: &Frame<'_>, men: &Board) -> Option<View> {
        match self.given {
            Some(corners) if corners.fit((frame.width(), frame.height())).is_err() => None,
            Some(corners) => self.begin_at(frame, &corners, men),
            None => self.search(frame, men).or_else(|| self.begin_at(frame, &self.corners_of(self.offered)?, men)),
        }
    }

    /// The board with these corners, if it looks like these men there.
    fn begin_at(&self, frame: &Frame<'_>, corners: &Corners, men: &Board) -> Option<View> {
        let map = BoardMap::from_corners(corners, self.camera.lens())?;
        View::begin(frame, &map, men, self.camera.parallax(&map)).ok()
    }

    /// Finds the board where it is not in view. `men` is what should stand on it; `still` says that the picture stands by itself.
    pub(super) fn find(&mut self, frame: &Frame<'_>, stamp: Stamp, men: &Board, still: bool, events: &mut Vec<Event>) {
        let scale = self.camera.sees(frame);
        if let Some(board) = self.in_view_mut() {
            if let Some(scale) = scale {
                board.scale(scale);
            }
            board.view_mut().go_on();
            return;
        }
        if !still && !self.may_search(stamp) {
            return;
        }
        self.searched.done(stamp);
        let view = self.begin(frame, men);
        let view = if view.is_none() && self.given.is_none() && !still { self.search_median(frame, men) } else { view };
        if let Some(view) = view {
            events.push(Event::BoardFound { corners: view.image_from_board().corners().to_array() });
            self.board = Sought::InView(Box::new(InView::begin(frame, view, men)));
            self.offered = None;
            self.gathered.clear();
        }
    }

    /// Searches the median of the pictures that were searched in vain: hands and noise are not in it.
    fn search_median(&mut self, frame: &Frame<'_>, men: &Board) -> Option<View> {
        self.gathered.add(frame);
        let mut gathered = std::mem::take(&mut self.gathered);
        let view = gathered.median().and_then(Frame::from_rgb).and_then(|median| self.search(&median, men));
        self.gathered = gathered;
        view
    }

    fn search(&self, frame: &Frame<'_>, men: &Board) -> Option<View> {
        let Sought::Unseen { near } = &self.board else { return None };
        let near = self.corners_of(*near).or_else(|| self.corners_of(self.offered));
        let located = locate(frame, &Hint { men: Some(men.clone()), near, lens: self.camera.lens() }).ok()?;
        // The name that the search prefers; where it was not sure, then the board seen from the other sides.
        let namings: &[usize] = if located.orientation_confidence >= SURE_NAME { &[0] } else { &[0, 2, 1, 3] };
        namings.iter().find_map(|turns| {
            let map = located.map.renamed(*turns);
            View::begin(frame, &map, men, self.camera.parallax(&map)).ok()
        })
    }

    pub(super) fn may_search(&self, stamp: Stamp) -> bool {
        self.searched.is_due(stamp, SEARCH_PAUSE_S)
    }

    /// The board in view, with a picture that may show it.
    fn in_picture<'a>(
        &'a mut self,
        frame: &'a Frame<'a>,
        stamp: Stamp,
        still: bool,
        events: &'a mut Vec<Event>,
    ) -> Option<(&'a mut InView, Picture<'a>)> {
        let Self { board: Sought::InView(board), camera, searched, .. } = self else { return None };
        Some((board, Picture { frame, stamp, still, camera, searched, events }))
    }

    /// Follows the board into this picture; searches for it where it was pushed to, where it no longer is in its place.
    pub(super) fn track(&mut self, frame: &Frame<'_>, stamp: Stamp, still: bool, events: &mut Vec<Event>) {
        if let Some((board, mut picture)) = self.in_picture(frame, stamp, still, events) {
            board.track(&mut picture);
        }
    }

    /// Reads the board into `reading`. False where it is not in its place, and not found elsewhere either.
    pub(super) fn read(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        still: bool,
        reading: &mut Reading,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some((board, mut picture)) = self.in_picture(frame, stamp, still, events) else { return false };
        board.read(&mut picture, reading)
    }

    /// What was learnt of every point is forgotten: it may have been learnt from men who stand elsewhere.
    pub(super) fn see_anew(&mut self) {
        if let Some(board) = self.in_view_mut() {
            board.see_anew();
        }
    }

    /// What was learnt of the board where it is begins with this picture, in which these men stand. False where it does not
    /// show them.
    pub(super) fn begin_again(&mut self, frame: &Frame<'_>, men: &Board) -> bool {
        let Self { board: Sought::InView(board), camera, .. } = self else { return false };
        board.begin_again(frame, camera, men)
    }

    /// Learns from a reading that these men explain; only `clear` squares show nothing else.
    pub(super) fn learn(&mut self, frame: &Frame<'_>, reading: &Reading, men: &Board, clear: Bitboard) {
        if let Some(board) = self.in_view_mut() {
            board.learn(frame, reading, men, clear);
        }
    }
}
