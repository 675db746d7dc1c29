//! The whole pipeline in one place: pictures in, events out.

mod again;
mod camera;
pub mod go;
mod overlay;
mod report;
mod restart;
mod settings;
mod standing;
mod watch;

use shakmaty::{Bitboard, Square};

pub use self::{
    camera::{CameraError, CameraInfo},
    report::{
        BoardReport, BoardState, Endgame, Figures, Manner, Pose, PoseSource, PositionReport, Sight, Stats, TrackerState,
    },
};
use self::{
    settings::{follow, remarks, tags},
    standing::Standing,
    watch::Watch,
};
use crate::{
    board::{
        calibration::Calibration,
        geometry::{Corners, GeometryError},
    },
    endgame::{self, Syzygy, SyzygyFault},
    event::Event,
    frame::{Frame, Stamp, WALL_CLOCK_FROM},
    game::{CommandError, Explanation, Game, Look, expect::Expectations, start::Start},
    params::Params,
    sight::{
        evidence::Desk,
        features::Contrast,
        layout::Layout,
        squares::Squares,
        threshold::{Bounds, ChangeThreshold},
        view::{Reading, View},
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
    stats: Stats,
    tracker: TrackerState,
    squares: Option<Squares>,
    threshold: ChangeThreshold,
    /// The last look's colours; its buffers serve every look.
    reading: Reading,
    /// What the last look was worked out on.
    desk: Desk,
    /// The last position, in figures.
    figures: Option<Box<Figures>>,
    last_stamp: Option<Stamp>,
    last_look: Option<Stamp>,
    /// The day of the current game's first picture, as PGN writes it; empty while unknown.
    date: String,
    /// The look after the last disturbance was understood.
    quiet: bool,
    captured: bool,
    paused: bool,
    /// How the last picture was read; `None` where it was not.
    manner: Option<Manner>,
    /// How the next picture is to be read, where somebody says so: kept pictures come without those between them.
    given: Option<Option<Manner>>,
    /// A game was resumed, and the board has not shown yet whether it is this one or one that begins here.
    undecided: Option<Start>,
    /// Squares of the last move, for the overlay.
    last_change: Vec<Square>,
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
            stats: Stats::default(),
            tracker: TrackerState::NoBoard,
            squares: None,
            threshold: threshold(params),
            reading: Reading::default(),
            desk: Desk::default(),
            figures: None,
            last_stamp: None,
            last_look: None,
            date: String::new(),
            quiet: false,
            captured: false,
            paused: false,
            manner: None,
            given: None,
            undecided: None,
            last_change: Vec::new(),
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

    /// Why nothing is used of what was told of the camera; `None` while it is used, or nothing was told.
    #[must_use]
    pub fn camera_problem(&self) -> Option<CameraError> {
        self.watch.camera_problem()
    }

    /// Looks at a picture.
    pub fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Event> {
        self.stats.frames += 1;
        self.manner = None;
        if self.last_stamp.is_some_and(|last| stamp < last) {
            self.stats.time_jumps += 1;
            self.watch.disturb();
            self.last_look = None;
        }
        self.last_stamp = Some(stamp);
        if self.date.is_empty() && stamp >= WALL_CLOCK_FROM {
            self.date_game();
        }
        if self.paused {
            self.tracker = TrackerState::Paused;
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

    /// How the last picture was read; `None` where it was not.
    #[must_use]
    pub const fn manner(&self) -> Option<Manner> {
        self.manner
    }

    /// Decides whether this picture is one to read, how far it may be trusted, and which squares are not at rest.
    fn may_look(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Option<(Look, Bitboard)> {
        let min_confidence = self.params.game_min_confidence;
        if let Some(given) = self.given.take() {
            return given.map(|manner| manner.look(min_confidence));
        }
        let by_rest = self.params.game_mode != "manual";
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
            self.stats.disturbed += 1;
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
        self.stats.looks += 1;
        self.last_look = Some(stamp);
        if !self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events) {
            self.stats.refused += 1;
            // Nothing was read: who said "now" still waits for it.
            self.captured |= look.forced;
            return;
        }
        if self.first_picture_deceives(frame, unsettled) {
            self.watch.see_anew();
            self.watch.read(frame, stamp, self.params.sight_stills, &mut self.reading, events);
        }
        let Some(view) = self.watch.view() else { return };
        self.manner = Some(Manner::of(look, unsettled));
        let desk = std::mem::take(&mut self.desk);
        let evidence = view.evidence_on(desk, &self.reading, unsettled, self.threshold.sigma());
        self.game.tick(stamp);
        let mut understanding = self.game.observe(&evidence, look);
        let accepts = self.params.game_on_standing_illegal == "accept";
        standing::judge(&mut self.standing, &mut self.game, accepts, &mut understanding.events);
        understanding.events = self.expectations.judge(understanding.events, &self.game);
        let explained = understanding.explained.map(|men| (evidence.clear(&men), men));
        self.quiet = explained.is_some();
        self.squares = Some(Squares::read(&evidence));
        let changes = explained.as_ref().map(|(_, men)| evidence.changes(men));
        self.desk = evidence.into_desk();
        if let Some(changes) = changes {
            self.threshold.adapt(changes);
        }
        if let Some((clear, men)) = explained {
            if self.figures.as_ref().is_none_or(|figures| figures.men != men)
                && let Some(view) = self.watch.view()
            {
                let layout = Layout::of(&men);
                let squares = view.features(&self.reading, &layout);
                let contrast = Contrast::of(&squares, &layout);
                self.figures = Some(Box::new(Figures { stamp, men: men.clone(), squares, contrast }));
            }
            self.watch.learn(frame, &self.reading, &men, clear);
        }
        self.remember_change(&understanding.events);
        if understanding.events.iter().any(|e| matches!(e, Event::NewGame { .. })) {
            self.date_game();
        }
        self.tracker = match (self.game.status(), self.quiet) {
            (status, _) if status.illegal => TrackerState::Illegal,
            (status, _) if status.result != "*" => TrackerState::Over,
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

    fn remember_change(&mut self, events: &[Event]) {
        for event in events {
            if let Event::Move { uci, .. } | Event::Revised { uci, .. } | Event::Illegal { uci, .. } = event {
                self.last_change = [0, 2].iter().filter_map(|i| uci.get(*i..i + 2)?.parse().ok()).collect();
            }
        }
    }

    /// Begins a new game from `fen`, or from the usual position.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn new_game(&mut self, fen: Option<&str>) -> Result<Vec<Event>, CommandError> {
        self.quiet = false;
        let events = self.game.new_game(fen)?;
        self.undecided = None;
        self.date_game();
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Says what stands on the board now; the game goes on from there.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn set_position(&mut self, fen: &str) -> Result<Vec<Event>, CommandError> {
        self.quiet = false;
        let events = self.game.set_position(fen)?;
        self.undecided = None;
        self.date_game();
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Takes the next picture as a settled position (a clock press, a robot's own signal).
    ///
    /// # Errors
    /// When the parameter `game.mode` is `automatic`: rest alone ends a move then.
    pub fn capture(&mut self) -> Result<(), CommandError> {
        if self.params.game_mode == "automatic" {
            let why = "game.mode is automatic: only rest ends a move; set it to manual or semi_automatic";
            return Err(CommandError::Refused(why.into()));
        }
        self.captured = true;
        Ok(())
    }

    /// Expects `text` (UCI or SAN) as the next move; an empty text expects nothing any more. Returns the move as UCI and
    /// SAN. When the move is told, so is whether it was this one. With the parameter `game.expect_hidden_after_s` it is told as well
    /// where something hides its squares for so long.
    ///
    /// # Errors
    /// When it is not one legal move in the position.
    pub fn expect_move(&mut self, text: &str) -> Result<Option<(String, String)>, CommandError> {
        let expected = self.expectations.announce(&self.game, text)?;
        let uci = expected.as_ref().map(|(uci, _)| uci.as_str());
        self.game.announce(uci, self.params.game_expect_hidden_after_s);
        Ok(expected)
    }

    /// Takes back the last `plies` plies.
    ///
    /// # Errors
    /// When fewer have been played.
    pub fn take_back(&mut self, plies: usize) -> Result<Vec<Event>, CommandError> {
        self.quiet = false;
        let events = self.game.take_back(plies)?;
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Says that ply `ply` (1 for the first, 0 for the last one played, one beyond the last for one that was not told)
    /// was `text`, as UCI or SAN.
    ///
    /// # Errors
    /// When there is no such ply, the move is not legal there, or the plies after it no longer are.
    pub fn correct_move(&mut self, ply: usize, text: &str) -> Result<Vec<Event>, CommandError> {
        self.quiet = false;
        let events = self.game.correct_move(ply, text)?;
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Ends the game (`1-0`, `0-1`, `1/2-1/2`) or reopens it (`*`).
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn set_result(&mut self, result: &str) -> Result<Vec<Event>, CommandError> {
        self.game.set_result(result)
    }

    /// Gives the board's corners, or asks for a new search in the next picture.
    ///
    /// # Errors
    /// When no board can be there in the pictures that come; nothing changes then.
    pub fn locate_board(&mut self, corners: Option<Corners>) -> Result<(), CommandError> {
        match corners {
            Some(corners) => {
                self.watch.accepts(&corners).map_err(|e| CommandError::Refused(e.to_string()))?;
                self.watch.give_corners(corners);
            }
            None => self.watch.search_again(),
        }
        Ok(())
    }

    /// Why the corners that were given are not used; `None` while they are, or none were given. Known from the first
    /// picture on.
    #[must_use]
    pub fn corners_problem(&self) -> Option<GeometryError> {
        self.watch.corners_problem()
    }

    /// Offers the place where the board was before. The first search begins there; where it finds nothing, that place
    /// itself is taken if it looks like the position. Forgotten when somebody asks for a new search.
    pub fn offer_calibration(&mut self, calibration: &Calibration) {
        self.watch.offer(calibration);
    }

    /// The board's place as it was last announced, to be offered at the next start; `None` where it is not known.
    #[must_use]
    pub fn calibration(&self) -> Option<Calibration> {
        self.watch.calibration()
    }

    /// While paused, pictures are counted and not looked at.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        self.tracker = match (paused, self.watch.view()) {
            (true, _) => TrackerState::Paused,
            (false, None) => TrackerState::NoBoard,
            (false, Some(_)) => TrackerState::Disturbed,
        };
        self.watch.disturb();
    }

    /// The game as PGN, always complete.
    #[must_use]
    pub fn pgn(&self) -> String {
        self.game.pgn()
    }

    /// The games before this one that had a move, oldest first, as PGN: complete, with their results.
    #[must_use]
    pub fn finished(&self) -> &[String] {
        self.game.finished()
    }

    /// The position and its legal state.
    #[must_use]
    pub fn position(&self) -> PositionReport {
        let status = self.game.status();
        PositionReport {
            fen: crate::game::line::fen(self.game.position()),
            white_to_move: status.turn.is_white(),
            check: status.check,
            ply: status.ply,
            threefold: status.threefold,
            fifty_moves: status.fifty_moves,
            result: status.result.to_owned(),
            result_reason: status.reason,
            illegal: status.illegal,
            endgame: self.endgame(),
        }
    }

    /// What the endgame tables say: our own, and for more men those of the parameter `syzygy_directory`.
    fn endgame(&self) -> Option<Endgame> {
        let position = self.game.position();
        let known = endgame::outcome(position);
        let known = known.or_else(|| Some((self.syzygy.as_ref()?.outcome(position)?, None)));
        known.map(|(outcome, distance)| Endgame { outcome, distance })
    }

    /// Why the parameter `syzygy_directory` gives no tables, or not all; `None` while it does, or is empty.
    #[must_use]
    pub fn syzygy_fault(&self) -> Option<&SyzygyFault> {
        self.syzygy_fault.as_ref()
    }

    /// The board: where, how sure, what on it.
    #[must_use]
    pub fn board(&self) -> BoardReport {
        BoardReport {
            state: self.watch.state(),
            corners: self.corners(),
            pose: self.watch.pose(self.params.square_size_m),
            squares: self.squares.clone(),
        }
    }

    /// Outer corners a1, h1, h8, a8 of the board; `None` while it is not known.
    #[must_use]
    pub fn corners(&self) -> Option<Corners> {
        self.watch.view().map(|view| view.image_from_board().corners())
    }

    /// What the last look said of each square; `None` before the first one.
    #[must_use]
    pub const fn squares(&self) -> Option<&Squares> {
        self.squares.as_ref()
    }

    /// The last position that was understood, in figures, as it was seen for the first time; `None` before the first one.
    #[must_use]
    pub fn figures(&self) -> Option<&Figures> {
        self.figures.as_deref()
    }

    /// The last look at the whole board in a few numbers; `None` before the first one.
    #[must_use]
    pub fn sight(&self) -> Option<Sight> {
        let squares = self.squares.as_ref()?;
        let contrast = self.figures.as_ref().and_then(|figures| figures.contrast);
        let (light, threshold) = (self.reading.light(), self.threshold.sigma());
        Some(Sight::of(squares, &light, threshold, contrast, self.params.game_min_confidence))
    }

    /// The likeliest explanations of the last look, the likeliest first; empty where it was understood.
    #[must_use]
    pub fn explanations(&self) -> &[Explanation] {
        self.game.explanations()
    }

    /// What the tracker is doing.
    #[must_use]
    pub const fn tracker(&self) -> TrackerState {
        self.tracker
    }

    /// Counters since the start.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The picture with what is known drawn into it: grid, the outlines of the men, the last move, the state, and of every
    /// square what the last look said of it. Where the outlines lie on the men, the board's place and pose are right.
    #[must_use]
    pub fn overlay(&self, frame: &Frame<'_>) -> image::RgbImage {
        let seen = overlay::Seen {
            map: self.watch.view().map(View::image_from_board),
            camera: self.watch.projection(),
            men: self.game.standing(),
            change: &self.last_change,
            squares: self.squares.as_ref(),
            state: self.tracker,
        };
        overlay::draw(frame, &seen)
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
