//! The whole pipeline in one place: pictures in, events out. What may be asked of it stands in `queries`, what people may tell it
//! in `commands`.

mod again;
mod begin;
mod camera;
mod commands;
pub mod go;
mod hindrance;
mod in_view;
mod overlay;
mod pace;
mod queries;
mod report;
mod restart;
mod settings;
mod standing;
mod watch;

use std::cell::OnceCell;

use shakmaty::Board;

pub use self::{
    camera::{CameraError, CameraInfo},
    report::{
        BoardReport, BoardState, Endgame, Figures, LookSummary, Manner, Pose, PoseSource, PositionReport, Stats,
        TrackerState,
    },
};
use self::{
    pace::{Asked, Pace, is_readable},
    queries::{Findings, FirstSight},
    restart::Memory,
    settings::{follow, remarks, tags},
    standing::Standing,
    watch::Watch,
};
use crate::{
    endgame::{Syzygy, SyzygyFault},
    event::Event,
    frame::{Frame, Stamp, WALL_CLOCK_FROM},
    game::{CommandError, Game, expect::Expectations, start::Start},
    params::{GameMode, Params, StandingIllegal},
    sight::{
        evidence::Desk,
        squares::Squares,
        threshold::{Bounds, ChangeThreshold},
        view::Reading,
    },
};

/// How a picture is to be read.
#[derive(Debug, Clone, Copy)]
enum Told {
    /// As it comes, one of many.
    Nothing,
    /// As it was read before: kept pictures come without those between them. `None` where it was not read.
    Manner(Option<Manner>),
}

/// The pipeline: feed it pictures, it returns events.
#[derive(Debug)]
pub struct Observer {
    params: Params,
    syzygy: Option<Syzygy>,
    syzygy_fault: Option<SyzygyFault>,
    game: Game,
    expectations: Expectations,
    watch: Watch,
    tracker: TrackerState,
    findings: Findings,
    threshold: ChangeThreshold,
    /// The last look's colours; its buffers serve every look.
    reading: Reading,
    /// What the last look was worked out on.
    desk: Desk,
    last_stamp: Option<Stamp>,
    pace: Pace,
    /// The day of the current game's first picture, as PGN writes it; empty while unknown.
    date: String,
    /// A game was resumed, and the board has not shown yet whether it is this one or one that begins here.
    undecided: Option<Start>,
    /// An illegal move that stands.
    standing: Option<Standing>,
}

impl Observer {
    /// An observer at the beginning of a game.
    ///
    /// # Errors
    /// When the start position is not legal, or the game to be followed cannot be read or begins elsewhere.
    pub fn new(params: &Params) -> Result<Self, CommandError> {
        let (expectations, followed) = follow(params)?;
        let start = match (params.game_start_fen.as_str(), followed) {
            ("", followed) => followed.unwrap_or_default(),
            (fen, None) => Start::from_fen(fen)?,
            (fen, Some(followed)) => {
                let start = Start::from_fen(fen)?;
                if start != followed {
                    let why = format!("game.follow_pgn begins from {}, game.start_fen says {fen}", followed.fen());
                    return Err(CommandError::Refused(why));
                }
                start
            }
        };
        let (syzygy, syzygy_fault) = match params.syzygy_directory.as_str() {
            "" => (None, None),
            directory => {
                let (tables, fault) = Syzygy::open(directory);
                (Some(tables), fault)
            }
        };
        let mut observer = Self {
            params: params.clone(),
            syzygy,
            syzygy_fault,
            game: Game::new(start, tags(params, "")),
            expectations,
            watch: Watch::new(params.board_mirrored),
            tracker: TrackerState::NoBoard,
            findings: Findings::default(),
            threshold: threshold(params),
            reading: Reading::default(),
            desk: Desk::default(),
            last_stamp: None,
            pace: Pace::default(),
            date: String::new(),
            undecided: None,
            standing: None,
        };
        observer.game.set_remarks(remarks(params));
        if let Some(corners) = params.corners() {
            observer.watch.give_corners(corners);
        }
        Ok(observer)
    }

    /// Takes over changed parameters; those that cannot change while running keep their value.
    pub fn set_params(&mut self, params: &Params) {
        if params.board_mirrored != self.params.board_mirrored {
            self.watch.set_mirrored(params.board_mirrored);
        }
        if params.board_corners != self.params.board_corners
            && let Some(corners) = params.corners()
        {
            self.watch.give_corners(corners);
        }
        if threshold(params) != threshold(&self.params) {
            self.threshold = threshold(params);
        }
        let fixed = self.params.clone();
        self.params = params.clone();
        self.params.game_start_fen = fixed.game_start_fen;
        self.params.sight_stills = fixed.sight_stills;
        self.params.syzygy_directory = fixed.syzygy_directory;
        self.params.game_follow_pgn = fixed.game_follow_pgn;
        self.params.game_follow_number = fixed.game_follow_number;
        self.game.set_remarks(remarks(&self.params));
        self.game.set_tags(tags(&self.params, &self.date));
    }

    /// Tells the camera's intrinsic parameters. Ones of a camera that is not calibrated (zeros) change nothing.
    ///
    /// # Errors
    /// When they cannot be true, or the lens is not known: the camera counts as unknown then.
    pub fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.watch.set_camera_info(info)
    }

    /// Looks at a picture.
    pub fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Event> {
        self.observe_as(frame, stamp, Told::Nothing)
    }

    /// Need a picture of a film that was taken then not be seen? The board is understood and at rest, and a picture of it was seen
    /// a moment ago. Whoever has a camera's pictures asks before decoding the next one, and counts it as left out by asking.
    pub fn leaves_out(&mut self, stamp: Stamp) -> bool {
        let left_out = self.tracker != TrackerState::Paused && self.pace.leaves_out(stamp);
        self.findings.stats.left_out += u64::from(left_out);
        left_out
    }

    /// Looks at a picture that was kept, in the manner in which it was looked at then.
    pub(super) fn observe_again(&mut self, frame: &Frame<'_>, stamp: Stamp, manner: Option<Manner>) -> Vec<Event> {
        self.observe_as(frame, stamp, Told::Manner(manner))
    }

    fn observe_as(&mut self, frame: &Frame<'_>, stamp: Stamp, told: Told) -> Vec<Event> {
        self.findings.stats.frames += 1;
        self.findings.manner = None;
        if self.last_stamp.is_some_and(|last| stamp < last) {
            self.findings.stats.time_jumps += 1;
            self.watch.disturb();
            self.pace.forget_last();
        }
        self.last_stamp = Some(stamp);
        if self.date.is_empty() && stamp >= WALL_CLOCK_FROM {
            self.date_game();
        }
        if self.tracker == TrackerState::Paused {
            return Vec::new();
        }
        let mut events = Vec::new();
        self.see(frame, stamp, told, &mut events);
        events.iter_mut().for_each(|event| self.watch.place(event));
        events
    }

    /// Finds, follows and reads the board in a picture.
    fn see(&mut self, frame: &Frame<'_>, stamp: Stamp, told: Told, events: &mut Vec<Event>) {
        let seen = self.watch.picture(frame);
        let men = self.men_to_find(&seen, stamp, events);
        self.watch.find(&seen, stamp, &men, self.params.sight_stills, events);
        // The search may have told that it is a mirror image.
        let frame = &self.watch.picture(frame);
        if self.undecided.is_some() {
            // The men may stand otherwise: this picture has told their colours, and no more.
            self.watch.forget_board();
        }
        if self.watch.view().is_none() {
            self.tracker = TrackerState::NoBoard;
            return;
        }
        self.watch.track(frame, stamp, self.params.sight_stills, events);
        if let Some(manner) = self.manner_of(frame, stamp, told) {
            self.look(frame, stamp, manner, events);
        }
    }

    /// How this picture is to be read; `None` where it is not.
    fn manner_of(&mut self, frame: &Frame<'_>, stamp: Stamp, told: Told) -> Option<Manner> {
        if let Told::Manner(manner) = told {
            return manner;
        }
        let manual = self.params.game_mode == GameMode::Manual;
        if self.params.sight_stills {
            return self.pace.of_still(stamp, manual);
        }
        let asked = Asked { manual, rest_s: self.params.sight_rest_s, warn_after_s: self.params.sight_warn_after_s };
        let motion = self.watch.motion(frame, stamp)?;
        if motion.disturbed() {
            self.findings.stats.disturbed += 1;
            if !is_readable(&motion, asked.rest_s) {
                self.tracker = TrackerState::Disturbed;
            }
        }
        self.pace.of_film(stamp, &motion, asked)
    }

    fn look(&mut self, frame: &Frame<'_>, stamp: Stamp, manner: Manner, events: &mut Vec<Event>) {
        self.findings.stats.looks += 1;
        let passed_s = self.pace.look(stamp).filter(|_| !self.params.sight_stills);
        self.game.passed(passed_s);
        if !self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events) {
            self.findings.stats.refused += 1;
            if manner.forced {
                // Nothing was read: who said "now" still waits for it.
                self.pace.capture();
            }
            return;
        }
        let (look, unsettled) = manner.look(self.params.game_min_confidence);
        let sigmas = self.threshold.sigma();
        let Some(mut view) = self.watch.view() else { return };
        let mut evidence = view.evidence_on(std::mem::take(&mut self.desk), &self.reading, unsettled, sigmas);
        let memory = self.memory(frame, &evidence, unsettled);
        if !matches!(memory, Memory::Holds) {
            let desk = evidence.into_desk();
            match memory {
                Memory::Replaced(men) => {
                    self.watch.begin_again(frame, &men);
                }
                Memory::Deceives | Memory::Holds => self.watch.see_anew(),
            }
            self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events);
            let Some(anew) = self.watch.view() else { return };
            view = anew;
            evidence = view.evidence_on(desk, &self.reading, unsettled, sigmas);
        }
        self.findings.manner = Some(manner);
        self.game.tick(stamp);
        let understanding = self.game.observe(&evidence, look);
        self.findings.squares = Some(Squares::read(&evidence));
        let over = evidence.over(understanding.explained.as_ref().unwrap_or(self.game.standing()));
        let explained = understanding.explained.map(|men| (evidence.clear(&men), evidence.changes(&men), men));
        let as_before = evidence.as_before();
        self.desk = evidence.into_desk();
        self.watch.remember_cover(&self.desk, as_before, unsettled);
        self.watch.learn_hands(&self.reading, &over);
        let mut told = understanding.events;
        let accepts = self.params.game_on_standing_illegal == StandingIllegal::Accept;
        standing::judge(&mut self.standing, &mut self.game, accepts, &mut told);
        let told = self.expectations.judge(told, &self.game);
        self.pace.set_quiet(explained.is_some());
        if let Some((clear, changes, men)) = &explained {
            self.threshold.adapt(*changes);
            self.remember_sight_of(stamp, men);
            self.watch.learn(frame, &self.reading, men, *clear, &over);
        }
        self.tell(told, explained.is_some(), events);
    }

    /// Tells what a look has shown, and keeps what it leaves the game in; was it understood?
    fn tell(&mut self, told: Vec<Event>, understood: bool, events: &mut Vec<Event>) {
        self.findings.remember_change(&told);
        if told.iter().any(|e| matches!(e, Event::NewGame { .. })) {
            self.date_game();
        }
        self.tracker = match self.game.status() {
            status if status.illegal => TrackerState::Illegal,
            status if status.result.is_known() => TrackerState::Over,
            _ if understood => TrackerState::Following,
            _ => TrackerState::Doubt,
        };
        let warn = self.params.game_warn_illegal;
        events.extend(told.into_iter().filter(|e| warn || !matches!(e, Event::Illegal { .. } | Event::Restored)));
    }

    /// Keeps how a position looks that is seen for the first time.
    fn remember_sight_of(&mut self, stamp: Stamp, men: &Board) {
        if self.findings.first_sight.as_ref().is_some_and(|sight| sight.men == *men) {
            return;
        }
        let Some(view) = self.watch.view() else { return };
        let sight = FirstSight { stamp, men: men.clone(), seen: view.seen(&self.reading), figures: OnceCell::new() };
        self.findings.first_sight = Some(sight);
    }

    /// The current game is played on the day of the last picture.
    fn date_game(&mut self) {
        self.date = match self.last_stamp {
            Some(stamp) if stamp >= WALL_CLOCK_FROM => {
                let (year, month, day) = stamp.utc_date();
                format!("{year:04}.{month:02}.{day:02}")
            }
            _ => String::new(),
        };
        self.game.set_tags(tags(&self.params, &self.date));
    }
}

fn threshold(params: &Params) -> ChangeThreshold {
    let bounds =
        Bounds { least: params.sight_change_threshold_min as f32, most: params.sight_change_threshold_max as f32 };
    ChangeThreshold::new(params.sight_change_threshold as f32, bounds)
}
