//! A game of Go before the camera: the pipeline of chess with another board, another sight and other rules.
//!
//! Pictures, stillness, lenses, following and what is told of the board are those of chess; the lines are found by
//! [`board::grid`](crate::board::grid), the stones weighed by [`sight::stones`](crate::sight::stones), the plays by
//! [`go`].

mod overlay;
mod place;

use std::sync::Arc;

use image::RgbImage;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Square};

use self::place::{Known, Place};
use super::{
    camera::{CameraError, CameraInfo},
    pace::{Asked, Pace, is_readable},
    report::{BoardState, Stats, TrackerState},
};
use crate::{
    board::grid::{Grid, GridError},
    frame::{Frame, Stamp, WALL_CLOCK_FROM},
    go::{
        self, Begin, CommandError, Content, Game, How, Look, Moment, Point, Seen, Size,
        record::{self, Info},
    },
    sight::{stillness::Stillness, stones::Stones},
};

/// A first picture is read again with what it showed as the position before, so often: stones teach how stones look.
const FIRST_READINGS: usize = 3;

/// Share of a crossing under a hand from which on nothing there is remembered of how the board looks.
const HIDDEN: f64 = 0.3;

/// How a game is to be observed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Lines of the board; `None`: 19, 13 or 9, as the board shows.
    pub size: Option<Size>,
    /// The crossings at the board's corners in pixels, as the picture shows them: upper left, upper right, lower right, lower
    /// left. `None`: they are searched for.
    pub corners_px: Option<[[f64; 2]; 4]>,
    /// Where the game begins; `None`: as the board shows.
    pub begin: Option<Arc<Moment>>,
    /// What the record says beside the plays, and by which rules is played.
    pub info: Info,
    /// Each picture is a look by itself: there is no stillness between pictures to wait for.
    pub stills: bool,
    /// Only look when [`capture`](GoObserver::capture) is asked for.
    pub manual: bool,
    /// Least probability at which a play is told.
    pub min_confidence: f64,
    /// How long a part of the board must be at rest before it is read, in seconds.
    pub rest_s: f64,
    /// How long the board must be at rest before what is unexplained is told, in seconds.
    pub warn_after_s: f64,
}

impl Default for Settings {
    /// As the parameters of the observer for chess have them.
    fn default() -> Self {
        let params = crate::params::Params::default();
        Self {
            size: None,
            corners_px: None,
            begin: None,
            info: Info::default(),
            stills: params.sight_stills,
            manual: false,
            min_confidence: params.game_min_confidence,
            rest_s: params.sight_rest_s,
            warn_after_s: params.sight_warn_after_s,
        }
    }
}

/// Something that the observer has seen or understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Told {
    /// Of the game.
    Game(go::Event),
    /// Of the board.
    Board(crate::event::Event),
}

impl Told {
    /// What a warning says to people, one sentence; `None` for what is no warning.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        match self {
            Self::Game(event) => event.sentence(),
            Self::Board(event) => event.sentence(),
        }
    }
}

/// The pipeline: feed it pictures, it returns what is new.
#[derive(Debug)]
pub struct GoObserver {
    settings: Settings,
    place: Place,
    sight: Stones,
    stillness: Stillness,
    game: Option<Game>,
    stats: Stats,
    tracker: TrackerState,
    last_stamp: Option<Stamp>,
    pace: Pace,
    /// Was a record gone on with, and the board not seen since?
    resumed: bool,
    /// The last look, for people.
    look: Option<Look>,
}

impl GoObserver {
    /// An observer before the first picture.
    ///
    /// # Errors
    /// When the given corners are none of a board.
    pub fn new(settings: Settings) -> Result<Self, GridError> {
        let size = settings.begin.as_ref().map(|m| m.board().size()).or(settings.size);
        let place = Place::new(size, settings.corners_px)?;
        let game = settings.begin.clone().map(|begin| Game::new(Begin::At(begin), settings.info.clone()));
        Ok(Self {
            settings,
            place,
            sight: Stones::default(),
            stillness: Stillness::default(),
            game,
            stats: Stats::default(),
            tracker: TrackerState::NoBoard,
            last_stamp: None,
            pace: Pace::default(),
            resumed: false,
            look: None,
        })
    }

    /// Tells the camera's intrinsic parameters. Ones of a camera that is not calibrated (zeros) change nothing.
    ///
    /// # Errors
    /// When they cannot be true, or the lens is not known: the camera counts as unknown then.
    pub fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.place.set_camera_info(info)
    }

    /// Takes over who plays, the komi, and from which confidence and rest on something is told. Board, rules and beginning stay.
    pub fn change(&mut self, settings: Settings) {
        let Settings { info, min_confidence, rest_s, warn_after_s, .. } = settings;
        let own = &mut self.settings;
        (own.min_confidence, own.rest_s, own.warn_after_s) = (min_confidence, rest_s, warn_after_s);
        own.info = Info { rules: own.info.rules, ..info };
        if let Some(game) = &mut self.game {
            game.set_info(Info { date: game.info().date.clone(), ..own.info.clone() });
        }
    }

    /// Need a picture of a film that was taken then not be seen? As [`Observer::leaves_out`](super::Observer::leaves_out).
    pub fn leaves_out(&mut self, stamp: Stamp) -> bool {
        let left_out = self.pace.leaves_out(stamp);
        self.stats.left_out += u64::from(left_out);
        left_out
    }

    /// Looks at a picture.
    pub fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Told> {
        self.stats.frames += 1;
        if self.last_stamp.is_some_and(|last| stamp < last) {
            self.stats.time_jumps += 1;
            self.stillness.reset();
            self.pace.forget_last();
        }
        self.last_stamp = Some(stamp);
        let mut events = Vec::new();
        let was = self.place.grid().map(Grid::size);
        let begun = self.game.as_ref().filter(|game| game.has_begun());
        let known = begun.map(|game| Known { position: game.standing().contents(), sight: &self.sight });
        self.place.see(frame, stamp, self.settings.stills, known, &mut events);
        let mut told: Vec<Told> = events.into_iter().map(Told::Board).collect();
        let Some(grid) = self.place.grid().copied() else {
            self.tracker = TrackerState::NoBoard;
            return told;
        };
        if was.is_none() {
            self.sight = Stones::new(self.place.k());
        }
        let info = &self.settings.info;
        self.game.get_or_insert_with(|| Game::new(Begin::AsSeen(grid.size()), info.clone()));
        self.date_game(stamp);
        if let Some((how, unsettled)) = self.may_look(frame, stamp, &grid) {
            if !self.place.in_place() {
                self.stats.refused += 1;
                // Nothing was read: who said "now" still waits for it.
                if how.forced {
                    self.pace.capture();
                }
                return told;
            }
            self.look(frame, stamp, &grid, how, unsettled, &mut told);
        }
        told
    }

    /// There are no more pictures: the likeliest of what is believed is told.
    pub fn finish(&mut self) -> Vec<Told> {
        self.game.as_mut().map(Game::finish).unwrap_or_default().into_iter().map(Told::Game).collect()
    }

    /// Goes on with the game of an SGF file, as this program has written it: plays, comments, what was taken back. Where the
    /// board is then found with other stones, a new game begins.
    ///
    /// # Errors
    /// When it cannot be read, is of another board, or has a result: then nothing changes.
    pub fn resume(&mut self, sgf: &str) -> Result<(), CommandError> {
        let (record, notes) = record::Record::with_notes(sgf.as_bytes()).map_err(|e| CommandError(e.to_string()))?;
        let size = record.end.board().size();
        if let Some(other) = self.settings.size.filter(|other| *other != size) {
            return Err(CommandError(format!("it was played on a {size} board, and this one is {other}")));
        }
        if !record.info.result.is_empty() {
            return Err(CommandError(format!("its game is over: {}", record.info.result)));
        }
        let (date, handicap) = (record.info.date, record.info.handicap);
        let info = Info { date, handicap, ..self.settings.info.clone() };
        self.game = Some(Game::resume(record.end, info, notes));
        self.place.has_lines(size);
        self.resumed = true;
        Ok(())
    }

    /// After a restart the board itself says whether it is the game that was resumed.
    fn begin_another(&mut self, frame: &Frame<'_>, grid: &Grid, told: &mut Vec<Told>) {
        let Some(game) = self.game.as_mut().filter(|_| std::mem::take(&mut self.resumed)) else { return };
        if self.sight.shown(game.standing().contents(), frame, grid).is_another() {
            told.extend(game.another().into_iter().map(Told::Game));
        }
    }

    /// Decides whether this picture is one to read, and which parts of the board are not at rest.
    fn may_look(&mut self, frame: &Frame<'_>, stamp: Stamp, grid: &Grid) -> Option<(How, Bitboard)> {
        let Settings { stills, manual, min_confidence, rest_s, warn_after_s, .. } = self.settings;
        let manner = if stills {
            self.pace.of_still(stamp, manual)?
        } else {
            let motion = self.stillness.see(frame, &place::in_patches(grid)?, stamp);
            if motion.disturbed() {
                self.stats.disturbed += 1;
                if !is_readable(&motion, rest_s) {
                    self.tracker = TrackerState::Disturbed;
                }
            }
            self.pace.of_film(stamp, &motion, Asked { manual, rest_s, warn_after_s })?
        };
        let how = How { stills, patient: manner.patient, forced: manner.forced, min_confidence };
        Some((how, Bitboard(manner.unsettled)))
    }

    fn look(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        grid: &Grid,
        how: How,
        unsettled: Bitboard,
        told: &mut Vec<Told>,
    ) {
        self.stats.looks += 1;
        self.pace.look(stamp);
        self.begin_another(frame, grid, told);
        let Some(game) = &mut self.game else { return };
        let mut look = if game.has_begun() {
            self.sight.look(frame, grid, game.standing().contents())
        } else {
            self.sight = Stones::new(self.place.k());
            first_look(&mut self.sight, frame, grid)
        };
        hide(&mut look, unsettled);
        let understanding = game.observe(&look, how);
        self.sight.learn(game.standing().contents());
        let is_explained = understanding.explained.is_some();
        self.pace.set_quiet(is_explained);
        self.tracker = match (game.is_illegal(), is_explained) {
            (true, _) => TrackerState::Illegal,
            (false, _) if !game.info().result.is_empty() => TrackerState::Over,
            (false, true) => TrackerState::Following,
            (false, false) => TrackerState::Doubt,
        };
        if is_explained {
            let size = look.size;
            let hidden = |x: f64, y: f64| {
                let near = |p: Point| (f64::from(p.x) - x).abs() < 1.0 && (f64::from(p.y) - y).abs() < 1.0;
                size.points().zip(&look.seen).any(|(p, seen)| near(p) && seen.covered > HIDDEN)
            };
            self.place.renew(frame, |x, y| !hidden(x, y));
        }
        self.look = Some(look);
        told.extend(understanding.events.into_iter().map(Told::Game));
    }

    /// A game without a date was played on the day of its first picture.
    fn date_game(&mut self, stamp: Stamp) {
        let Some(game) = self.game.as_mut().filter(|g| g.info().date.is_empty()) else { return };
        if stamp >= WALL_CLOCK_FROM {
            let (year, month, day) = stamp.utc_date();
            game.set_info(Info { date: format!("{year:04}-{month:02}-{day:02}"), ..game.info().clone() });
        }
    }

    /// What is taken to lie on the board, row by row; empty before the board is known.
    #[must_use]
    pub fn standing(&self) -> &[Content] {
        self.game.as_ref().map_or(&[], |game| game.standing().contents())
    }

    /// The game; `None` before the board is known.
    #[must_use]
    pub const fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// The game as SGF; empty before the board is known.
    #[must_use]
    pub fn sgf(&self) -> String {
        self.game.as_ref().map(Game::sgf).unwrap_or_default()
    }

    /// Where the board's lines are in the last picture.
    #[must_use]
    pub const fn grid(&self) -> Option<&Grid> {
        self.place.grid()
    }

    /// State of the search for the board.
    #[must_use]
    pub const fn board_state(&self) -> BoardState {
        self.place.state()
    }

    /// Why the board was not found at the last search; `None` where it was.
    #[must_use]
    pub fn not_found(&self) -> Option<&str> {
        self.place.not_found()
    }

    /// What the tracker is doing.
    #[must_use]
    pub const fn tracker_state(&self) -> TrackerState {
        self.tracker
    }

    /// Crossings under a hand or the like at the last look; `None` before the first one.
    #[must_use]
    pub fn covered(&self) -> Option<usize> {
        self.look.as_ref().map(|look| look.seen.iter().filter(|seen| seen.covered > HIDDEN).count())
    }

    /// Counts.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The picture with the lines, the stones believed to lie there, and the last play.
    #[must_use]
    pub fn overlay(&self, frame: &Frame<'_>) -> RgbImage {
        let last = self.game.as_ref().and_then(|g| g.told().last()?.at);
        overlay::draw(frame, self.place.grid(), self.standing(), last, self.look.as_ref(), self.tracker)
    }

    /// The next picture is to be read as it is, and decided on as well as possible.
    pub const fn capture(&mut self) {
        self.pace.capture();
    }

    /// What people say of the game: it overrules what was seen.
    ///
    /// # Errors
    /// Where there is no game yet, and whatever the game has against it.
    pub fn say(
        &mut self,
        what: impl FnOnce(&mut Game) -> Result<Vec<go::Event>, CommandError>,
    ) -> Result<Vec<Told>, CommandError> {
        let none = || CommandError("there is no game yet: no board has been found".into());
        let events = what(self.game.as_mut().ok_or_else(none)?)?;
        self.pace.set_quiet(false);
        Ok(events.into_iter().map(Told::Game).collect())
    }
}

/// A picture of a board that was never seen. What it shows is taken as the position before, until that shows the same.
fn first_look(sight: &mut Stones, frame: &Frame<'_>, grid: &Grid) -> Look {
    let fresh = sight.clone();
    let mut look = sight.look(frame, grid, &[]);
    for _ in 1..FIRST_READINGS {
        let shown: Vec<Content> = look.seen.iter().map(Seen::likeliest).collect();
        let mut again = fresh.clone();
        let next = again.look(frame, grid, &shown);
        let same = next.seen.iter().map(Seen::likeliest).eq(shown.iter().copied());
        (*sight, look) = (again, next);
        if same {
            break;
        }
    }
    look
}

/// A look says nothing of what is not at rest.
fn hide(look: &mut Look, unsettled: Bitboard) {
    if unsettled.is_empty() {
        return;
    }
    for (index, seen) in look.seen.iter_mut().enumerate() {
        if unsettled.contains(patch(look.size.point(index), look.size)) {
            *seen = Seen::NOTHING;
        }
    }
}

/// The part of the board, of eight by eight, in which a crossing lies.
fn patch(point: Point, size: Size) -> Square {
    let part = |line: u8| u32::from(line) * 8 / u32::from(size.lines());
    Square::new(8 * (7 - part(point.y)) + part(point.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossing_lies_in_the_patch_that_is_watched_there() {
        for lines in [5, 9, 13, 19, 25] {
            let size = Size::new(lines).unwrap();
            let last = size.lines() - 1;
            assert_eq!(patch(Point::new(0, 0), size), Square::A8);
            let opposite = patch(Point::new(last, last), size);
            assert_eq!(opposite, if lines < 8 { Square::G2 } else { Square::H1 });
        }
    }
}
