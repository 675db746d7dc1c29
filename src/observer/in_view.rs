//! The board while it is in view: followed from picture to picture, read, and found again where it was pushed to.

use shakmaty::{Bitboard, Board, Square};

use super::{
    again::{BETTER, distance_squares, find_again, turned_squares},
    camera::Camera,
};
use crate::{
    board::{map::BoardMap, refine::refine, track::Tracker},
    event::Event,
    frame::{Frame, Stamp},
    sight::{
        direction::turned,
        evidence::Desk,
        occlusion::Parallax,
        view::{Reading, View},
    },
};

/// Pause between searches in a video: a search costs about a tenth of a second.
pub(super) const SEARCH_PAUSE_S: f64 = 0.5;
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

/// Something costly that is done only so often.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seldom {
    last: Option<Stamp>,
}

impl Seldom {
    /// Was it not done within this pause? Neither was it where the clock has been set back.
    pub(super) fn is_due(&self, now: Stamp, pause_s: f64) -> bool {
        self.last.is_none_or(|last| now < last || now.since_s(last) >= pause_s)
    }

    pub(super) const fn done(&mut self, now: Stamp) {
        self.last = Some(now);
    }
}

/// A picture, and what it takes to search it for the board.
pub(super) struct Picture<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) stamp: Stamp,
    /// It stands by itself: there are none just before and after it.
    pub(super) still: bool,
    pub(super) camera: &'a Camera,
    /// When a whole picture was last searched.
    pub(super) searched: &'a mut Seldom,
    pub(super) events: &'a mut Vec<Event>,
}

impl Picture<'_> {
    pub(super) fn may_be_searched(&self) -> bool {
        self.searched.is_due(self.stamp, SEARCH_PAUSE_S)
    }
}

/// A board in view.
#[derive(Debug)]
pub(super) struct InView {
    view: View,
    tracker: Tracker,
    /// Where it was when it was worked out which parts of it the men hide.
    traced: BoardMap,
    /// Where it was last said to be.
    announced: BoardMap,
    /// The camera's lens was told since the map was fitted: it still leans on what was thought of the lens before.
    lens_is_new: bool,
    /// The last picture showed it where it is thought to be.
    in_place: bool,
    /// Since when it does not.
    unseen_since: Option<Stamp>,
    /// When it was last looked for near its place.
    leapt: Seldom,
    /// Readings in a row in which it was neither in its place nor elsewhere.
    failed: u32,
    /// It was told as lost.
    lost: bool,
    /// Difference of a settled picture to the one before, in levels.
    usual_misfit: f64,
    /// Standard deviation of points that had not changed, in the last picture that was understood, in levels.
    noise: f64,
}

impl InView {
    /// A board that was just found in this picture, with these men on it.
    pub(super) fn begin(frame: &Frame<'_>, view: View, men: &Board) -> Self {
        let map = *view.image_from_board();
        Self {
            tracker: Tracker::begin(frame, &map, &view.free_nodes(men)),
            view,
            traced: map,
            announced: map,
            lens_is_new: false,
            in_place: true,
            unseen_since: None,
            leapt: Seldom::default(),
            failed: 0,
            lost: false,
            usual_misfit: 0.0,
            noise: 0.0,
        }
    }

    pub(super) const fn view(&self) -> &View {
        &self.view
    }

    pub(super) const fn view_mut(&mut self) -> &mut View {
        &mut self.view
    }

    /// It was told as lost, and has not been seen since.
    pub(super) const fn is_lost(&self) -> bool {
        self.lost
    }

    /// Where it was last said to be.
    pub(super) const fn announced(&self) -> &BoardMap {
        &self.announced
    }

    /// Another resolution of the same camera shows the board in proportion.
    pub(super) fn scale(&mut self, scale: [f64; 2]) {
        if let Some(map) = self.announced.scaled(scale) {
            self.announced = map;
            self.view.follow(map);
            self.view.disturb();
        }
    }

    /// The camera's lens is another one than was thought: the corners stay where they are, and what lies between them is seen
    /// through it, until a picture shows where the crossings are.
    pub(super) fn through_lens_of(&mut self, camera: &Camera) {
        if let Some(map) = BoardMap::from_corners(&self.view.image_from_board().corners(), camera.lens()) {
            self.view.follow(map);
            self.lens_is_new = true;
        }
    }

    /// Lays the map on the crossings of this picture, where its lens is new and enough of them are seen.
    fn fit_to_new_lens(&mut self, frame: &Frame<'_>) {
        if self.lens_is_new
            && let Some(refined) = refine(frame, self.view.image_from_board())
        {
            self.view.follow(refined.map);
            self.begin_tracking(frame);
            self.lens_is_new = false;
        }
    }

    /// Only colours are kept of what was learnt: it may have been learnt from men who stand elsewhere.
    pub(super) fn forget_board(&mut self) {
        self.view.forget_board();
    }

    /// What was learnt of every point is forgotten: it may have been learnt from men who stand elsewhere.
    pub(super) fn see_anew(&mut self) {
        self.view.seen_anew(self.view.parallax());
    }

    /// What was learnt of the board where it is begins with this picture, in which these men stand. False where it does not
    /// show them.
    pub(super) fn begin_again(&mut self, frame: &Frame<'_>, camera: &Camera, men: &Board) -> bool {
        let map = *self.view.image_from_board();
        let Ok(begun) = View::begin(frame, &map, men, camera.parallax(&map)) else { return false };
        self.view.begin_again(begun);
        self.traced = map;
        self.usual_misfit = 0.0;
        true
    }

    /// What was remembered of the board's patches is as this picture shows them where the board is now.
    fn begin_tracking(&mut self, frame: &Frame<'_>) {
        let free = self.view.free_nodes(self.view.men());
        self.tracker = Tracker::begin(frame, self.view.image_from_board(), &free);
    }

    /// Follows the board into this picture; searches for it where it was pushed to, where it no longer is in its place.
    pub(super) fn track(&mut self, picture: &mut Picture<'_>) {
        let Picture { frame, stamp, camera, .. } = *picture;
        self.fit_to_new_lens(frame);
        let here = *self.view.image_from_board();
        let mut followed = self.tracker.follow(frame, &here);
        if followed.in_place {
            self.unseen_since = None;
        } else {
            let since = *self.unseen_since.get_or_insert(stamp);
            if self.leapt.is_due(stamp, LEAP_PAUSE_S) {
                self.leapt.done(stamp);
                let misfit = self.view.misfit(frame, &here);
                let leapt = self.tracker.leap(frame, &here);
                if let Some(leapt) = leapt.filter(|l| self.view.misfit(frame, &l.map) <= BETTER * misfit) {
                    followed = leapt;
                    self.unseen_since = None;
                } else if stamp.since_s(since) >= SEARCH_PAUSE_S && picture.may_be_searched() {
                    self.search_elsewhere(picture, misfit);
                    return;
                }
            }
        }
        self.in_place = followed.in_place;
        if followed.map != here {
            self.settle(followed.map, camera, false);
            self.announce(picture.events);
        }
    }

    /// Searches the whole picture for the board that is not in its place, where the picture differs by `misfit`.
    fn search_elsewhere(&mut self, picture: &mut Picture<'_>, misfit: f64) -> bool {
        picture.searched.done(picture.stamp);
        let Picture { frame, camera, .. } = *picture;
        let direction = |map: &BoardMap| self.direction(camera, map);
        let Some(found) = find_again(&self.view, frame, misfit, direction) else { return false };
        self.failed = 0;
        self.in_place = true;
        self.unseen_since = None;
        self.settle(found.map, camera, true);
        // It looks different from there: that is usual from now on.
        self.usual_misfit = self.usual_misfit.max(found.misfit / POOR_FIT);
        if !self.tracker.follow(frame, &found.map).in_place {
            // Seen from elsewhere the patches look different.
            self.begin_tracking(frame);
        }
        self.announce(picture.events);
        true
    }

    /// The camera's direction to the board at `map`. What the picture told of the men's heights stays.
    fn direction(&self, camera: &Camera, map: &BoardMap) -> Parallax {
        let known = self.view.parallax();
        match (camera.parallax(&self.traced), camera.parallax(map)) {
            (Some(before), Some(now)) => turned(&known, &before, &now),
            _ => known,
        }
    }

    /// The board is here now. Where it is seen from another side, men hide other parts of it; where it was `found` far
    /// from where it was, the light falls on it otherwise as well.
    fn settle(&mut self, map: BoardMap, camera: &Camera, found: bool) {
        let far = distance_squares(&self.traced, &map) > RETRACED_SQUARES;
        let direction = far.then(|| self.direction(camera, &map));
        self.view.follow(map);
        if let Some(direction) = direction
            && (found || turned_squares(&self.view.parallax(), &direction) > TURNED_SQUARES)
        {
            self.view.seen_anew(direction);
            self.traced = map;
        }
    }

    /// Tells where the board is, if that is news.
    fn announce(&mut self, events: &mut Vec<Event>) {
        let map = *self.view.image_from_board();
        let corners = || map.corners().to_array();
        if self.lost {
            self.lost = false;
            events.push(Event::found(corners()));
        } else if distance_squares(&self.announced, &map) >= ANNOUNCE_SQUARES {
            events.push(Event::BoardMoved { corners: corners() });
        } else {
            return;
        }
        self.announced = map;
    }

    /// Reads the board into `reading`. False where it is not in its place, and not found elsewhere either.
    pub(super) fn read(&mut self, picture: &mut Picture<'_>, reading: &mut Reading) -> bool {
        self.view.read(picture.frame, reading);
        let misfit = self.view.misfit_of(reading);
        if self.is_poor(misfit) {
            let found = (picture.still || picture.may_be_searched()) && self.search_elsewhere(picture, misfit);
            if !found && !self.in_place {
                self.not_seen(picture.events);
                return false;
            }
            if found {
                self.view.read(picture.frame, reading);
            }
        } else {
            self.seen_in_place(picture.frame, misfit);
            self.announce(picture.events);
        }
        self.view.look_around(reading, picture.stamp);
        true
    }

    /// Does a picture that differs by so much show that the board is elsewhere?
    fn is_poor(&self, misfit: f64) -> bool {
        let usual = self.usual_misfit.max(LEAST_MISFIT).max(MISFIT_OF_NOISE * self.noise);
        if self.view.remembers() { misfit > POOR_FIT * usual } else { !self.in_place }
    }

    fn not_seen(&mut self, events: &mut Vec<Event>) {
        self.failed += 1;
        if self.failed >= LOST_AFTER && !self.lost {
            self.lost = true;
            events.push(Event::BoardLost);
        }
    }

    fn seen_in_place(&mut self, frame: &Frame<'_>, misfit: f64) {
        self.failed = 0;
        // Slowly: the men move on, the light fades, and a hand is in some of the pictures.
        self.usual_misfit += USUAL_RATE * (misfit - self.usual_misfit);
        if !self.in_place {
            // The picture is the remembered one, only the patches are not: another light.
            self.begin_tracking(frame);
            self.in_place = true;
        }
    }

    /// Learns what hands look like from a reading in which something lies over points with these chances.
    pub(super) fn learn_hands(&mut self, reading: &Reading, over: &[f32]) {
        self.view.learn_hands(reading, over);
    }

    /// Remembers what covers the board in a look, as [`View::remember_cover`].
    pub(super) fn remember_cover(&mut self, desk: &Desk, as_before: Bitboard, unsettled: Bitboard) {
        self.view.remember_cover(desk, as_before, unsettled);
    }

    /// Learns from a reading that these men explain, where it is `clear`; something lies `over` points with these chances.
    pub(super) fn learn(&mut self, frame: &Frame<'_>, reading: &Reading, men: &Board, clear: Bitboard, over: &[f32]) {
        self.view.learn(reading, men, clear, over);
        self.noise = f64::from(reading.light().noise[0]);
        if self.in_place {
            let (map, free) = (self.view.image_from_board(), self.view.free_nodes(men));
            self.tracker.renew(frame, map, &free, |node| within(node, clear));
        }
    }
}

/// Are all squares at this node of the lattice among `squares`?
fn within(node: usize, squares: Bitboard) -> bool {
    let (column, row) = (node % 9, node / 9);
    let around = |k: usize| k.saturating_sub(1)..(k + 1).min(8);
    around(row).all(|rank| around(column).all(|file| squares.contains(Square::new((8 * rank + file) as u32))))
}
