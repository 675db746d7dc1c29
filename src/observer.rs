//! The whole pipeline in one place: pictures in, events out. What may be asked of it stands in `asked`, what people may tell it
//! in `commands`.

mod again;
mod asked;
mod camera;
mod commands;
pub mod go;
mod overlay;
mod report;
mod restart;
mod settings;
mod standing;
mod watch;

use shakmaty::Bitboard;

use self::{
    asked::Findings,
    settings::{follow, remarks, tags},
    standing::Standing,
    watch::Watch,
};
pub use self::{
    camera::{CameraError, CameraInfo},
    report::{
        BoardReport, BoardState, Endgame, Figures, LookSummary, Manner, Pose, PoseSource, PositionReport, Stats,
        TrackerState,
    },
};
use crate::{
    board::geometry::Corners,
    endgame::{Syzygy, SyzygyFault},
    event::Event,
    frame::{Frame, Stamp, WALL_CLOCK_FROM},
    game::{CommandError, Game, Look, expect::Expectations, start::Start},
    params::{GameMode, Params, StandingIllegal},
    sight::{
        evidence::Desk,
        features::Contrast,
        layout::Layout,
        squares::Squares,
        threshold::{Bounds, ChangeThreshold},
        view::Reading,
    },
};

/// While nothing is in doubt, a settled board is looked at this often: to follow the light, and in case a change
/// slipped between two pictures.
const QUIET_LOOK_S: f64 = 1.0;
/// While something is in doubt, it is looked at this often: fast enough for a player, slow enough for the processor.
const DOUBT_LOOK_S: f64 = 0.2;
/// Still pictures that follow each other faster show hands on their way: people need about a second for a move.
const STILLS_APART_S: f64 = 1.0;
/// Squares that may not be at rest while the others are read. Measured on a film of blitz (`scenes/blitz.toml`, 30 plies):
/// with none or 12 the game is lost at ply 8, with 24 or 32 the order of three of Black's plies is all that is wrong.
const MOST_UNSETTLED: usize = 24;

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
    last_look: Option<Stamp>,
    /// The day of the current game's first picture, as PGN writes it; empty while unknown.
    date: String,
    /// The look after the last disturbance was understood.
    quiet: bool,
    captured: bool,
    /// How the next picture is to be read, where somebody says so: kept pictures come without those between them.
    given: Option<Option<Manner>>,
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
            watch: Watch::new(),
            tracker: TrackerState::NoBoard,
            findings: Findings::default(),
            threshold: threshold(params),
            reading: Reading::default(),
            desk: Desk::default(),
            last_stamp: None,
            last_look: None,
            date: String::new(),
            quiet: false,
            captured: false,
            given: None,
            undecided: None,
            standing: None,
        };
        observer.game.set_remarks(remarks(params));
        if let Some(corners) = given_corners(params) {
            observer.watch.give_corners(corners);
        }
        Ok(observer)
    }

    /// Takes over changed parameters; those that cannot change while running keep their value.
    pub fn set_params(&mut self, params: &Params) {
        if params.board_corners != self.params.board_corners
            && let Some(corners) = given_corners(params)
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
        self.findings.stats.frames += 1;
        self.findings.manner = None;
        if self.last_stamp.is_some_and(|last| stamp < last) {
            self.findings.stats.time_jumps += 1;
            self.watch.disturb();
            self.last_look = None;
        }
        self.last_stamp = Some(stamp);
        if self.date.is_empty() && stamp >= WALL_CLOCK_FROM {
            self.date_game();
        }
        if self.tracker == TrackerState::Paused {
            return Vec::new();
        }
        let mut events = Vec::new();
        let men = self.men_to_find(frame, stamp, &mut events);
        self.watch.find(frame, stamp, &men, self.params.sight_stills, &mut events);
        if self.undecided.is_some() {
            // The men may stand otherwise: this picture has told their colours, and no more.
            self.watch.see_anew();
        }
        if self.watch.view().is_none() {
            self.tracker = TrackerState::NoBoard;
            return events;
        }
        self.watch.track(frame, stamp, &mut events);
        if let Some((look, unsettled)) = self.may_look(frame, stamp) {
            self.look(frame, stamp, look, unsettled, &mut events);
        }
        events
    }

    /// Looks at a picture that was kept, in the manner in which it was looked at then.
    pub fn observe_again(&mut self, frame: &Frame<'_>, stamp: Stamp, manner: Option<Manner>) -> Vec<Event> {
        self.given = Some(manner);
        let events = self.observe(frame, stamp);
        self.given = None;
        events
    }

    /// Decides whether this picture is one to read, how far it may be trusted, and which squares are not at rest.
    fn may_look(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Option<(Look, Bitboard)> {
        let min_confidence = self.params.game_min_confidence;
        if let Some(given) = self.given.take() {
            return given.map(|manner| manner.look(min_confidence));
        }
        let by_rest = self.params.game_mode != GameMode::Manual;
        if self.params.sight_stills {
            let captured = std::mem::take(&mut self.captured);
            let passing = self.last_look.is_some_and(|last| (0.0..STILLS_APART_S).contains(&stamp.since_s(last)));
            let look = Look { settled: true, patient: true, forced: captured, passing, min_confidence };
            return (captured || by_rest).then_some((look, Bitboard::EMPTY));
        }
        let motion = self.watch.motion(frame, stamp)?;
        let captured = std::mem::take(&mut self.captured);
        let unsettled = !motion.settled(self.params.sight_rest_s);
        // Warnings wait for the whole board.
        let patient = motion.still_s >= self.params.sight_warn_after_s;
        let readable = unsettled.count() <= MOST_UNSETTLED;
        if motion.disturbed() {
            self.findings.stats.disturbed += 1;
            self.quiet = false;
            if !readable {
                self.tracker = TrackerState::Disturbed;
            }
        }
        if captured {
            let look = Look { settled: true, patient: true, forced: true, passing: false, min_confidence };
            return Some((look, Bitboard::EMPTY));
        }
        if !readable || !by_rest {
            return None;
        }
        let pause = if self.quiet { QUIET_LOOK_S } else { DOUBT_LOOK_S };
        if self.last_look.is_some_and(|last| stamp.since_s(last) < pause) {
            return None;
        }
        Some((Look { settled: true, patient, forced: false, passing: false, min_confidence }, unsettled))
    }

    fn look(&mut self, frame: &Frame<'_>, stamp: Stamp, look: Look, unsettled: Bitboard, events: &mut Vec<Event>) {
        self.findings.stats.looks += 1;
        let before = self.last_look.replace(stamp).filter(|_| !self.params.sight_stills);
        self.game.passed(before.map(|last| stamp.since_s(last)));
        if !self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events) {
            self.findings.stats.refused += 1;
            // Nothing was read: who said "now" still waits for it.
            self.captured |= look.forced;
            return;
        }
        if self.begin_anew(frame, unsettled) {
            self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events);
        }
        let Some(view) = self.watch.view() else { return };
        self.findings.manner = Some(Manner::of(look, unsettled));
        let desk = std::mem::take(&mut self.desk);
        let evidence = view.evidence_on(desk, &self.reading, unsettled, self.threshold.sigma());
        self.game.tick(stamp);
        let mut understanding = self.game.observe(&evidence, look);
        let accepts = self.params.game_on_standing_illegal == StandingIllegal::Accept;
        standing::judge(&mut self.standing, &mut self.game, accepts, &mut understanding.events);
        understanding.events = self.expectations.judge(understanding.events, &self.game);
        let explained = understanding.explained.map(|men| (evidence.clear(&men), men));
        self.quiet = explained.is_some();
        self.findings.squares = Some(Squares::read(&evidence));
        let changes = explained.as_ref().map(|(_, men)| evidence.changes(men));
        self.desk = evidence.into_desk();
        if let Some(changes) = changes {
            self.threshold.adapt(changes);
        }
        if let Some((clear, men)) = explained {
            if self.findings.figures.as_ref().is_none_or(|figures| figures.men != men)
                && let Some(view) = self.watch.view()
            {
                let layout = Layout::of(&men);
                let squares = view.features(&self.reading, &layout);
                let contrast = Contrast::of(&squares, &layout);
                self.findings.figures = Some(Box::new(Figures { stamp, men: men.clone(), squares, contrast }));
            }
            self.watch.learn(frame, &self.reading, &men, clear);
        }
        self.findings.remember_change(&understanding.events);
        if understanding.events.iter().any(|e| matches!(e, Event::NewGame { .. })) {
            self.date_game();
        }
        self.tracker = match (self.game.status(), self.quiet) {
            (status, _) if status.illegal => TrackerState::Illegal,
            (status, _) if status.result.is_known() => TrackerState::Over,
            (_, true) => TrackerState::Following,
            (_, false) => TrackerState::Doubt,
        };
        let warn = self.params.game_warn_illegal;
        let told = |e: &Event| warn || !matches!(e, Event::Illegal { .. } | Event::Restored);
        events.extend(understanding.events.into_iter().filter(told));
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

fn given_corners(params: &Params) -> Option<Corners> {
    let c = <[f64; 8]>::try_from(params.board_corners.as_slice()).ok()?;
    Corners::new(std::array::from_fn(|i| [c[2 * i], c[2 * i + 1]])).ok()
}
