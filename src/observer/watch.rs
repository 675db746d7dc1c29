//! Keeps the board in view: finds it, follows it, notices when it moves, and finds it again.

use shakmaty::{Bitboard, Board};

use super::{
    begin::{Begun, Known, Unfound},
    camera::{Camera, CameraError, CameraInfo},
    in_view::{InView, Picture, SEARCH_PAUSE_S, Seldom},
    report::{BoardState, Pose},
};
use crate::{
    board::{
        calibration::Calibration,
        corners::{Corners, GeometryError},
        gather::Gather,
        geometry::Projection,
        map::BoardMap,
    },
    event::{Event, hindrance::Hindrance},
    frame::{Frame, Stamp},
    params::Mirrored,
    sight::{
        evidence::Desk,
        stillness::Motion,
        view::{Reading, View},
    },
};

/// A search in vain for so long is worth finding out why, which costs as much as three more, and then again from time to time: who
/// sets up a board and a camera waits no longer.
const WONDER_AFTER_S: f64 = 10.0;

/// The board's place, from search to search.
///
/// Pictures come here as the camera's are [read](Watch::picture), and what is told outside is in pictures as they come.
#[derive(Debug)]
pub(super) struct Watch {
    /// Do the users say that the pictures are mirror images?
    mirrored: Mirrored,
    /// Where the users say that it is, in the pictures as they come.
    given: Option<Corners>,
    /// Where it was before this start, until it is found.
    offered: Option<Calibration>,
    camera: Camera,
    board: Sought,
    /// When a whole picture was last searched.
    searched: Seldom,
    /// The last pictures in which the board was not found.
    gathered: Gather,
    vain: Vain,
}

/// A search that has come to nothing so far.
#[derive(Debug, Default)]
struct Vain {
    since: Option<Stamp>,
    /// When it was last found out thoroughly why.
    wondered: Seldom,
    why: Option<Hindrance>,
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
    /// Nothing was seen yet.
    pub(super) fn new(mirrored: Mirrored) -> Self {
        let mut watch = Self {
            mirrored,
            given: None,
            offered: None,
            camera: Camera::default(),
            board: Sought::default(),
            searched: Seldom::default(),
            gathered: Gather::default(),
            vain: Vain::default(),
        };
        watch.turn(mirrored == Mirrored::Always);
        watch
    }

    /// The camera mirrors its pictures, or not.
    fn turn(&mut self, mirrors: bool) {
        if self.camera.mirrors() != mirrors {
            self.camera = self.camera.turned();
            self.gathered.clear();
        }
    }

    /// The users say whether the pictures are mirror images. Where that is not what was thought, the board is searched again.
    pub(super) fn set_mirrored(&mut self, mirrored: Mirrored) {
        self.mirrored = mirrored;
        let mirrors = self.camera.mirrors();
        if (mirrored == Mirrored::Always && !mirrors) || (mirrored == Mirrored::Never && mirrors) {
            self.search_again();
        }
    }

    /// Are the pictures read as mirror images?
    pub(super) const fn mirrors(&self) -> bool {
        self.camera.mirrors()
    }

    /// A picture as it is read.
    pub(super) fn picture<'a>(&self, frame: &Frame<'a>) -> Frame<'a> {
        self.camera.picture(frame)
    }

    /// What was said of a picture as it is read, of one as it comes.
    pub(super) fn place(&self, event: &mut Event) {
        match event {
            Event::BoardFound { corners, mirrored } => {
                *corners = self.camera.corners(&(*corners).into()).into();
                *mirrored = self.mirrors();
            }
            Event::BoardMoved { corners } => *corners = self.camera.corners(&(*corners).into()).into(),
            _ => {}
        }
    }

    /// The board in pictures as they come; `None` while it is not known.
    pub(super) fn map(&self) -> Option<BoardMap> {
        Some(self.camera.map(self.view()?.image_from_board()))
    }

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

    /// The users say where the board is, in the pictures as they come.
    pub(super) fn give_corners(&mut self, corners: Corners) {
        self.search_again();
        self.turn(corners.is_mirrored());
        self.given = Some(corners);
    }

    /// Can the board be there in the pictures that come? Anywhere, before the first.
    pub(super) fn accepts(&self, corners: &Corners) -> Result<(), GeometryError> {
        corners.of_hand(self.mirrors())?;
        let pictures = self.camera.pictures();
        if pictures == (0, 0) { Ok(()) } else { corners.fit(pictures) }
    }

    /// Why the corners that were given are not used.
    pub(super) fn corners_problem(&self) -> Option<GeometryError> {
        self.accepts(&self.given?).err()
    }

    /// Forgets the board's place, and what it told of mirrors; the next picture is searched.
    pub(super) fn search_again(&mut self) {
        if let Sought::InView(board) = &self.board {
            self.board = Sought::Unseen { near: self.place_of(board) };
        }
        self.searched = Seldom::default();
        self.vain = Vain::default();
        self.offered = None;
        self.turn(match self.given {
            Some(corners) => corners.is_mirrored(),
            None => self.mirrored == Mirrored::Always,
        });
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
        Calibration::new(self.camera.corners(&board.announced().corners()), self.camera.pictures()).ok()
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

    /// The camera over the board in view, in ideal pixels of pictures as they come: from its own parameters, or as the
    /// pictures have taught it, which holds also where they were warped before they came.
    pub(super) fn projection(&self) -> Option<Projection> {
        let view = self.view()?;
        let map = view.image_from_board();
        let projection = match self.camera.k() {
            Some(_) => self.camera.projection(map)?,
            None => view.parallax().projection(map.plane()),
        };
        Some(if self.mirrors() { projection.mirrored(self.camera.pictures().0) } else { projection })
    }

    /// Why no game begins, as far as it is known; `None` where one does, or nothing was searched.
    pub(super) const fn hindrance(&self) -> Option<&Hindrance> {
        self.vain.why.as_ref()
    }

    /// The board with these men in this picture, where it can be found in it; nothing is remembered.
    pub(super) fn begin(&self, frame: &Frame<'_>, men: &Board) -> Result<Begun, Unfound> {
        self.known().begin(frame, men)
    }

    fn known(&self) -> Known<'_> {
        let near = match self.board {
            Sought::Unseen { near } => near,
            Sought::InView(_) => None,
        };
        let Self { camera, mirrored, given, offered, .. } = self;
        Known { camera, mirrored: *mirrored, given: *given, offered: *offered, near }
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
        let begun = self.begin(frame, men).or_else(|why| {
            if self.given.is_none() && !still { self.begin_in_median(frame, men).ok_or(why) } else { Err(why) }
        });
        let begun = match begun {
            Ok(begun) => begun,
            Err(why) => return self.wonder(frame, stamp, men, still, &why),
        };
        let now = begun.picture(frame);
        if let Some(camera) = begun.turned {
            self.camera = camera;
        }
        events.push(Event::found(begun.view.image_from_board().corners().to_array()));
        self.board = Sought::InView(Box::new(InView::begin(&now, begun.view, men)));
        self.offered = None;
        self.gathered.clear();
        self.vain = Vain::default();
    }

    /// Finds out why the board was not found in this picture: at a glance, and thoroughly where that has gone on for long.
    fn wonder(&mut self, frame: &Frame<'_>, stamp: Stamp, men: &Board, still: bool, why: &Unfound) {
        let mut vain = std::mem::take(&mut self.vain);
        let since = *vain.since.get_or_insert(stamp);
        let is_long = still || stamp < since || stamp.since_s(since) >= WONDER_AFTER_S;
        if is_long && (still || vain.wondered.is_due(stamp, WONDER_AFTER_S)) {
            vain.wondered.done(stamp);
            vain.why = self.known().hindrance(frame, men, why);
        } else if !is_long {
            vain.why = self.known().glance(frame, men, why);
        }
        self.vain = vain;
    }

    /// The board in the median of the pictures that were searched in vain: hands and noise are not in it.
    fn begin_in_median(&mut self, frame: &Frame<'_>, men: &Board) -> Option<Begun> {
        self.gathered.add(frame);
        let mut gathered = std::mem::take(&mut self.gathered);
        let begun = gathered.median().and_then(Frame::from_rgb).and_then(|median| self.begin(&median, men).ok());
        self.gathered = gathered;
        begun
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

    /// Only colours are kept of what was learnt: it may have been learnt from men who stand elsewhere.
    pub(super) fn forget_board(&mut self) {
        if let Some(board) = self.in_view_mut() {
            board.forget_board();
        }
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

    /// Learns what hands look like from a reading in which something lies over points with these chances.
    pub(super) fn learn_hands(&mut self, reading: &Reading, over: &[f32]) {
        if let Some(board) = self.in_view_mut() {
            board.learn_hands(reading, over);
        }
    }

    /// Remembers what covers the board in a look, as [`View::remember_cover`].
    pub(super) fn remember_cover(&mut self, desk: &Desk, as_before: Bitboard, unsettled: Bitboard) {
        if let Some(board) = self.in_view_mut() {
            board.remember_cover(desk, as_before, unsettled);
        }
    }

    /// Learns from a reading that these men explain, where it is `clear`; something lies `over` points with these chances.
    pub(super) fn learn(&mut self, frame: &Frame<'_>, reading: &Reading, men: &Board, clear: Bitboard, over: &[f32]) {
        if let Some(board) = self.in_view_mut() {
            board.learn(frame, reading, men, clear, over);
        }
    }
}
