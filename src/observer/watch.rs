//! Keeps the board in view: finds it, follows it, notices when it moves, and finds it again.

use shakmaty::{Bitboard, Board, Square};

use super::{
    again::{BETTER, distance_squares, find_again, turned_squares},
    camera::{Camera, CameraError, CameraInfo},
    report::{BoardState, Pose},
};
use crate::{
    board::{
        calibration::Calibration,
        gather::Gather,
        geometry::{Corners, GeometryError, Projection},
        lens::Lens,
        locate::{Hint, locate},
        map::BoardMap,
        track::Tracker,
    },
    event::Event,
    frame::{Frame, Stamp},
    sight::{
        calibrate::FLATTEST,
        coverage::Parallax,
        direction::turned,
        stillness::Motion,
        view::{Reading, View},
    },
};

/// Pause between searches in a video: a search costs about a tenth of a second.
const SEARCH_PAUSE_S: f64 = 0.5;
/// Pause between searches near the last place: they cost a tenth of that, and a hand that covers most of the board
/// sets them off as well.
const LEAP_PAUSE_S: f64 = 0.2;
/// The picture differs from the last one by this many times the usual: the board may have moved.
const POOR_FIT: f64 = 1.7;
/// Levels of difference that are always usual: noise, and a few men that moved.
const LEAST_MISFIT: f64 = 3.0;
/// How fast the usual difference follows.
const USUAL_RATE: f64 = 0.1;
/// Mean difference of a picture in its place, in standard deviations of its noise: that of a normal distribution.
const MISFIT_OF_NOISE: f64 = 0.8;
/// Orientation confidence from which other namings are not tried: no surer one was ever wrong in the test pictures.
const SURE_NAME: f64 = 0.9;
/// A movement by less than this part of a square is followed silently.
const ANNOUNCE_SQUARES: f64 = 0.1;
/// Change of men's lean, in squares a square of height, from which they hide other parts of the board than before: the
/// blur of their outlines is less.
const TURNED_SQUARES: f64 = 0.15;
/// The camera's direction is worked out again when the board has moved by this many squares: it follows from the
/// corners, and changes by less than [`TURNED_SQUARES`] before.
const RETRACED_SQUARES: f64 = 0.3;
/// After so many failed searches in a row the board is lost.
const LOST_AFTER: u32 = 8;

/// The board's place, from search to search.
#[derive(Debug)]
pub(super) struct Watch {
    given: Option<Corners>,
    view: Option<View>,
    tracker: Option<Tracker>,
    /// Where the board was when it was worked out which parts of it the men hide.
    traced: Option<BoardMap>,
    /// The last picture showed the board where it is thought to be.
    in_place: bool,
    /// Since when it does not.
    unseen_since: Option<Stamp>,
    last_leap: Option<Stamp>,
    /// The last pictures in which the board was not found.
    gathered: Gather,
    state: BoardState,
    size: (u32, u32),
    camera: Camera,
    last_search: Option<Stamp>,
    failed: u32,
    /// Difference of a settled picture to the one before, in levels.
    usual_misfit: f64,
    /// Standard deviation of points that had not changed, in the last picture that was understood, in levels.
    noise: f64,
    announced: Option<BoardMap>,
    /// Where the board was before this start, until it is found.
    offered: Option<Calibration>,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            given: None,
            view: None,
            tracker: None,
            traced: None,
            in_place: false,
            unseen_since: None,
            last_leap: None,
            gathered: Gather::default(),
            state: BoardState::Searching,
            size: (0, 0),
            camera: Camera::default(),
            last_search: None,
            failed: 0,
            usual_misfit: 0.0,
            noise: 0.0,
            announced: None,
            offered: None,
        }
    }

    pub(super) const fn state(&self) -> BoardState {
        self.state
    }

    pub(super) const fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// The users say where the board is.
    pub(super) fn give_corners(&mut self, corners: Corners) {
        self.given = Some(corners);
        self.search_again();
    }

    /// Can the board be there in the pictures that come? Anywhere, before the first.
    pub(super) fn accepts(&self, corners: &Corners) -> Result<(), GeometryError> {
        if self.size == (0, 0) { Ok(()) } else { corners.fit(self.size) }
    }

    /// Why the corners that were given are not used.
    pub(super) fn corners_problem(&self) -> Option<GeometryError> {
        self.accepts(&self.given?).err()
    }

    /// Forgets the board's place; the next picture is searched.
    pub(super) fn search_again(&mut self) {
        self.view = None;
        self.tracker = None;
        self.state = BoardState::Searching;
        self.last_search = None;
        self.failed = 0;
        self.offered = None;
    }

    /// Where the board was before this start.
    pub(super) const fn offer(&mut self, calibration: &Calibration) {
        self.offered = Some(*calibration);
    }

    /// The board's place, for the next start.
    pub(super) fn calibration(&self) -> Option<Calibration> {
        let map = self.announced.filter(|_| self.state == BoardState::Locked)?;
        Calibration::new(map.corners(), self.size).ok()
    }

    /// The board where it was before this start, if it looks like the position there.
    fn remembered(&self, frame: &Frame<'_>, men: &Board) -> Option<View> {
        let map = BoardMap::from_corners(&self.offered?.corners_in(self.size)?, self.lens())?;
        View::begin(frame, &map, men, self.guess(&map)).ok()
    }

    /// Takes over a camera's parameters.
    pub(super) fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        if !self.camera.set(info)? {
            return Ok(());
        }
        // The corners stay where they are; what lies between them is seen through the lens from now on.
        let lens = self.lens();
        if let Some(view) = &mut self.view
            && let Some(map) = BoardMap::from_corners(&view.image_from_board().corners(), lens)
        {
            view.follow(map);
        }
        Ok(())
    }

    /// Why the camera's parameters are not used.
    pub(super) fn camera_problem(&self) -> Option<CameraError> {
        self.camera.problem(self.size)
    }

    /// What moves next is compared with nothing.
    pub(super) fn disturb(&mut self) {
        if let Some(view) = &mut self.view {
            view.disturb();
        }
    }

    pub(super) fn motion(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Option<Motion> {
        Some(self.view.as_mut()?.motion(frame, stamp))
    }

    /// The board's pose.
    pub(super) fn pose(&self, square_size_m: f64) -> Option<Pose> {
        self.camera.report(self.view.as_ref()?.image_from_board(), self.size, square_size_m)
    }

    /// The camera over the board in view: from its own parameters, or as the pictures have taught it, which holds also
    /// where they were warped before they came.
    pub(super) fn projection(&self) -> Option<Projection> {
        let view = self.view.as_ref()?;
        let map = view.image_from_board();
        if self.camera.k(self.size).is_some() {
            return self.camera.projection(map, self.size);
        }
        Some(view.parallax().projection(map.plane()))
    }

    /// The lens, where it is known for pictures of this size.
    fn lens(&self) -> Option<Lens> {
        self.camera.lens(self.size)
    }

    fn guess(&self, map: &BoardMap) -> Option<Parallax> {
        let parallax = Parallax::from_projection(&self.camera.projection(map, self.size)?)?;
        // A camera nearer than three squares, or flatter than any that sees a game, is a misreading of a warped picture.
        let [x, y] = parallax.at_centre();
        ((0.0..0.33).contains(&parallax.inverse_height) && x.hypot(y) < FLATTEST).then_some(parallax)
    }

    /// The board with these men in this picture, where it can be found in it; nothing is remembered.
    pub(super) fn begin(&self, frame: &Frame<'_>, men: &Board) -> Option<View> {
        match self.given {
            Some(corners) if corners.fit((frame.width(), frame.height())).is_err() => None,
            Some(corners) => BoardMap::from_corners(&corners, self.lens())
                .and_then(|map| View::begin(frame, &map, men, self.guess(&map)).ok()),
            None => self.search(frame, men).or_else(|| self.remembered(frame, men)),
        }
    }

    /// Finds the board where it is not in view. `men` is what should stand on it.
    pub(super) fn find(&mut self, frame: &Frame<'_>, stamp: Stamp, men: &Board, stills: bool, events: &mut Vec<Event>) {
        let size = (frame.width(), frame.height());
        if self.size != size {
            // Another resolution of the same camera shows the board in proportion.
            let scale =
                [f64::from(size.0) / f64::from(self.size.0.max(1)), f64::from(size.1) / f64::from(self.size.1.max(1))];
            self.announced = self.announced.and_then(|map| map.scaled(scale));
            self.size = size;
            if let (Some(view), Some(map)) = (&mut self.view, self.announced) {
                view.follow(map);
                view.disturb();
            }
        }
        if let Some(view) = &mut self.view {
            view.go_on();
            return;
        }
        if !stills && !self.may_search(stamp) {
            return;
        }
        self.last_search = Some(stamp);
        let view = self.begin(frame, men);
        let view =
            if view.is_none() && self.given.is_none() && !stills { self.search_median(frame, men) } else { view };
        if let Some(view) = view {
            events.push(Event::BoardFound { corners: view.image_from_board().corners().to_array() });
            let map = *view.image_from_board();
            self.announced = Some(map);
            self.traced = Some(map);
            self.tracker = Some(Tracker::begin(frame, &map, &view.free_nodes(men)));
            self.in_place = true;
            self.unseen_since = None;
            self.offered = None;
            self.gathered.clear();
            self.view = Some(view);
            self.usual_misfit = 0.0;
            self.state = BoardState::Locked;
            self.failed = 0;
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
        let offered = || self.offered.and_then(|offered| offered.corners_in(self.size));
        let near = self.announced.map(|map| map.corners()).or_else(offered);
        let located = locate(frame, &Hint { men: Some(men.clone()), near, lens: self.lens() }).ok()?;
        // The name that the search prefers; where it was not sure, then the board seen from the other sides.
        let namings: &[usize] = if located.orientation_confidence >= SURE_NAME { &[0] } else { &[0, 2, 1, 3] };
        namings.iter().find_map(|turns| {
            let map = located.map.renamed(*turns);
            View::begin(frame, &map, men, self.guess(&map)).ok()
        })
    }

    /// Follows the board into this picture; searches for it where it was pushed to, where it no longer is in its place.
    pub(super) fn track(&mut self, frame: &Frame<'_>, stamp: Stamp, events: &mut Vec<Event>) {
        let (Some(view), Some(tracker)) = (&mut self.view, &self.tracker) else { return };
        let here = *view.image_from_board();
        let mut followed = tracker.follow(frame, &here);
        if followed.in_place {
            self.unseen_since = None;
        } else {
            let since = *self.unseen_since.get_or_insert(stamp);
            if self.last_leap.is_none_or(|last| stamp < last || stamp.since_s(last) >= LEAP_PAUSE_S) {
                self.last_leap = Some(stamp);
                let misfit = view.misfit(frame, &here);
                let leapt = tracker.leap(frame, &here);
                if let Some(leapt) = leapt.filter(|l| view.misfit(frame, &l.map) <= BETTER * misfit) {
                    followed = leapt;
                    self.unseen_since = None;
                } else if stamp.since_s(since) >= SEARCH_PAUSE_S && self.may_search(stamp) {
                    self.search_elsewhere(frame, stamp, misfit, events);
                    return;
                }
            }
        }
        self.in_place = followed.in_place;
        if followed.map != here {
            self.settle(followed.map, false);
            self.announce(events);
        }
    }

    /// What was learnt of every point is forgotten: it may have been learnt from men who stand elsewhere.
    pub(super) fn see_anew(&mut self) {
        if let Some(view) = &mut self.view {
            view.seen_anew(view.parallax());
        }
    }

    /// What was learnt of the board where it is begins with this picture, in which these men stand. False where it does not show them.
    pub(super) fn begin_again(&mut self, frame: &Frame<'_>, men: &Board) -> bool {
        let Some(map) = self.view.as_ref().map(|view| *view.image_from_board()) else { return false };
        let Ok(begun) = View::begin(frame, &map, men, self.guess(&map)) else { return false };
        if let Some(view) = &mut self.view {
            view.begin_again(begun);
        }
        self.traced = Some(map);
        self.usual_misfit = 0.0;
        true
    }

    pub(super) fn may_search(&self, stamp: Stamp) -> bool {
        self.last_search.is_none_or(|last| stamp < last || stamp.since_s(last) >= SEARCH_PAUSE_S)
    }

    /// Searches the whole picture for the board that is not in its place, where the picture differs by `misfit`.
    fn search_elsewhere(&mut self, frame: &Frame<'_>, stamp: Stamp, misfit: f64, events: &mut Vec<Event>) -> bool {
        self.last_search = Some(stamp);
        let Some(view) = &self.view else { return false };
        let direction = |map: &BoardMap| self.direction(view, map);
        let Some(found) = find_again(view, frame, misfit, direction) else { return false };
        self.failed = 0;
        self.in_place = true;
        self.unseen_since = None;
        self.settle(found.map, true);
        // It looks different from there: that is usual from now on.
        self.usual_misfit = self.usual_misfit.max(found.misfit / POOR_FIT);
        if let (Some(view), Some(tracker)) = (&self.view, &self.tracker)
            && !tracker.follow(frame, &found.map).in_place
        {
            // Seen from elsewhere the patches look different.
            self.tracker = Some(Tracker::begin(frame, &found.map, &view.free_nodes(view.men())));
        }
        self.announce(events);
        true
    }

    /// The camera's direction to the board at `map`. What the picture told of the men's heights stays.
    fn direction(&self, view: &View, map: &BoardMap) -> Parallax {
        let known = view.parallax();
        match (self.traced.as_ref().and_then(|map| self.guess(map)), self.guess(map)) {
            (Some(before), Some(now)) => turned(&known, &before, &now),
            _ => known,
        }
    }

    /// The board is here now. Where it is seen from another side, men hide other parts of it; where it was `found` far
    /// from where it was, the light falls on it otherwise as well.
    fn settle(&mut self, map: BoardMap, found: bool) {
        let far = self.traced.is_none_or(|traced| distance_squares(&traced, &map) > RETRACED_SQUARES);
        let direction = self.view.as_ref().filter(|_| far).map(|view| self.direction(view, &map));
        let Some(view) = &mut self.view else { return };
        view.follow(map);
        if let Some(direction) = direction
            && (found || turned_squares(&view.parallax(), &direction) > TURNED_SQUARES)
        {
            view.seen_anew(direction);
            self.traced = Some(map);
        }
    }

    /// Tells where the board is, if that is news.
    fn announce(&mut self, events: &mut Vec<Event>) {
        let Some(map) = self.view.as_ref().map(|view| *view.image_from_board()) else { return };
        let corners = || map.corners().to_array();
        if self.state == BoardState::Lost {
            self.state = BoardState::Locked;
            events.push(Event::BoardFound { corners: corners() });
        } else if self.announced.is_none_or(|before| distance_squares(&before, &map) >= ANNOUNCE_SQUARES) {
            events.push(Event::BoardMoved { corners: corners() });
        } else {
            return;
        }
        self.announced = Some(map);
    }

    /// Reads the board into `reading`. False where it is not in its place, and not found elsewhere either.
    pub(super) fn read(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        stills: bool,
        reading: &mut Reading,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some(view) = &self.view else { return false };
        view.read(frame, reading);
        let misfit = view.misfit_of(reading);
        let usual = self.usual_misfit.max(LEAST_MISFIT).max(MISFIT_OF_NOISE * self.noise);
        let poor = if view.remembers() { misfit > POOR_FIT * usual } else { !self.in_place };
        if poor {
            let found = (stills || self.may_search(stamp)) && self.search_elsewhere(frame, stamp, misfit, events);
            if !found && !self.in_place {
                self.failed += 1;
                if self.failed >= LOST_AFTER && self.state == BoardState::Locked {
                    self.state = BoardState::Lost;
                    events.push(Event::BoardLost);
                }
                return false;
            }
            if found && let Some(view) = &self.view {
                view.read(frame, reading);
            }
        } else {
            self.failed = 0;
            // Slowly: the men move on, the light fades, and a hand is in some of the pictures.
            self.usual_misfit += USUAL_RATE * (misfit - self.usual_misfit);
            if !self.in_place {
                // The picture is the remembered one, only the patches are not: another light.
                self.tracker = Some(Tracker::begin(frame, view.image_from_board(), &view.free_nodes(view.men())));
                self.in_place = true;
            }
            self.announce(events);
        }
        if let Some(view) = &mut self.view {
            view.look_around(reading, stamp);
        }
        true
    }

    /// Learns from a reading that these men explain; only `clear` squares show nothing else.
    pub(super) fn learn(&mut self, frame: &Frame<'_>, reading: &Reading, men: &Board, clear: Bitboard) {
        let Some(view) = &mut self.view else { return };
        view.learn(reading, men, clear);
        self.noise = f64::from(reading.light().noise[0]);
        if let Some(tracker) = &mut self.tracker
            && self.in_place
        {
            tracker.renew(frame, view.image_from_board(), &view.free_nodes(men), |node| within(node, clear));
        }
    }
}

/// Are all squares at this node of the lattice among `squares`?
fn within(node: usize, squares: Bitboard) -> bool {
    let (column, row) = (node % 9, node / 9);
    let around = |k: usize| k.saturating_sub(1)..(k + 1).min(8);
    around(row).all(|rank| around(column).all(|file| squares.contains(Square::new((8 * rank + file) as u32))))
}
