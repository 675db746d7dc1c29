//! The one who owns the observer: examines pictures, carries out requests, publishes what is new.

use r2r::{chess_observer::msg::Warning, std_msgs::msg::Header};
use std::time::{Duration, Instant};

use super::{
    calibration_file::CalibrationFile,
    clock::RosClock,
    disk::Saved,
    inbox::{Inbox, Next},
    log::{Level, Log},
    messages::{self, Told},
    outputs::Outputs,
    pgn_file::{self, PgnFile},
    picture::Picture,
    status::Shared,
    viewing::Viewing,
    words::{begins, describe, level},
};
use crate::{
    archive::Keeper,
    board::calibration::Calibration,
    event::Event,
    frame::Stamp,
    game::CommandError,
    observer::{BoardReport, CameraInfo, Observer, Pose, PositionReport, TrackerState},
    params::Params,
};

/// How long the end waits for the looks that are still to be written.
const LAST_LOOKS: Duration = Duration::from_millis(500);
/// How long the end waits for the board's place to be written: far below what `run` grants the last picture.
const LAST_CALIBRATION: Duration = Duration::from_millis(500);

/// The owner of the observer.
#[derive(Debug)]
pub struct Actor {
    observer: Observer,
    params: Params,
    outputs: Outputs,
    pgn_file: PgnFile,
    log: Log,
    /// Header of the last picture; requests are answered with it.
    header: Header,
    position: PositionReport,
    pgn: String,
    calibration_file: CalibrationFile,
    /// Games before this one that have got their file.
    finished: usize,
    /// Has the disk not taken what was told last?
    unsaved: bool,
    /// Keeps looks, where a folder was named.
    archive: Option<Keeper>,
    /// What was said last of its faults.
    archive_fault: String,
    /// Time of the last picture.
    seen: Stamp,
    board: (BoardReport, TrackerState),
    /// What was published of it.
    told: (BoardReport, TrackerState),
    /// For cameras that leave the stamp at zero.
    clock: RosClock,
    status: Shared,
    /// Did somebody ask to pause?
    paused: bool,
    /// Is the node not active in its life cycle?
    inactive: bool,
    viewing: Viewing,
}

impl Actor {
    /// An actor with an observer at the beginning of a game. `calibration` is where the board's place is kept, and what was
    /// kept. Publishes the state, so that it is latched from the start.
    ///
    /// # Errors
    /// When the observer refuses the parameters.
    pub fn new(
        params: Params,
        outputs: Outputs,
        mut pgn_file: PgnFile,
        calibration: (CalibrationFile, Option<Calibration>),
        clock: RosClock,
        log: Log,
    ) -> Result<Self, CommandError> {
        let mut observer = Observer::new(&params)?;
        if let Some(calibration) = &calibration.1 {
            observer.offer_calibration(calibration);
        }
        begin(&mut observer, &mut pgn_file, &params, &log);
        let (position, pgn, board) = (observer.position(), observer.pgn(), (observer.board(), observer.tracker()));
        let status = Shared::at_start(&observer);
        let actor = Self {
            observer,
            params,
            outputs,
            pgn_file,
            log,
            header: Header::default(),
            position,
            pgn,
            finished: 0,
            unsaved: false,
            archive: None,
            archive_fault: String::new(),
            seen: Stamp::default(),
            calibration_file: calibration.0,
            told: board.clone(),
            board,
            clock,
            status,
            paused: false,
            inactive: false,
            viewing: Viewing::default(),
        };
        actor.outputs.position(&messages::position(&actor.position, &actor.header));
        actor.outputs.pgn(&actor.pgn);
        actor.outputs.board(&messages::board(&actor.board.0, actor.board.1, &actor.header));
        Ok(actor)
    }

    /// Keeps looks from now on.
    #[must_use]
    pub fn with_archive(mut self, keeper: Option<Keeper>) -> Self {
        self.archive = keeper;
        self
    }

    /// What the diagnostics read.
    #[must_use]
    pub fn status(&self) -> Shared {
        self.status.clone()
    }

    /// Works until the inbox is closed.
    pub fn run(mut self, inbox: &Inbox) {
        loop {
            match inbox.next() {
                Next::Request(request) => request(&mut self),
                Next::Picture(picture) => self.look(*picture, inbox),
                Next::Closed => break,
            }
        }
        self.calibration_file.finish(LAST_CALIBRATION);
        if let Some(archive) = self.archive {
            archive.finish(LAST_LOOKS);
        }
    }

    fn look(&mut self, picture: Picture, inbox: &Inbox) {
        let begun = Instant::now();
        let stamp = picture.stamp().unwrap_or_else(|| self.now());
        let overlay_wanted = self.outputs.overlay_wanted();
        let (observer, archive) = (&mut self.observer, &mut self.archive);
        self.seen = stamp;
        let seen = picture.with_frame(|frame| {
            let events = observer.observe(frame, stamp);
            if let Some(archive) = archive {
                archive.see(observer, frame, stamp, &events);
            }
            (events, overlay_wanted.then(|| observer.overlay(frame)))
        });
        let (events, overlay) = match seen {
            Ok(seen) => seen,
            Err(error) => return inbox.refuse(&error),
        };
        self.header = picture.header;
        self.tell(&events);
        if let Some(overlay) = overlay {
            self.outputs.overlay(&self.header, overlay);
        }
        // A transform has no deviations to tell: an estimate that is too rough to build on is kept to `board`.
        let wanted = |pose: &Pose| self.params.publish_tf && self.outputs.has_tf() && pose.is_sure();
        if let Some(pose) = self.board.0.pose.filter(wanted) {
            self.outputs.transform(messages::transform(&pose, &self.header, &self.params.board_frame));
        }
        self.status.lock().last_look = begun.elapsed();
    }

    fn now(&self) -> Stamp {
        Stamp(i64::try_from(self.clock.now().as_nanos()).unwrap_or(i64::MAX))
    }

    /// Saves the record, then publishes `events` and every state that has changed with them.
    fn tell(&mut self, events: &[Event]) {
        let position = self.observer.position();
        // Who hears of a move finds it on the disk, unless he is told that it is not.
        let records = self.save(events, position.ply);
        let saved = match records.is_empty() {
            false => Some(self.pgn_file.settle()),
            true => (self.unsaved && self.pgn_file.is_settled()).then_some(Saved::All),
        };
        for (index, event) in events.iter().enumerate() {
            match messages::tell(event, &self.header, &position.fen) {
                Some(Told::Move(mut message)) => {
                    message.expected = messages::expectation(events.get(index + 1));
                    self.log.info(&describe(&message));
                    self.outputs.a_move(&message);
                }
                Some(Told::Warning(message)) => self.warn(&message),
                None => {}
            }
            match event {
                Event::Result { result, reason } => {
                    let goes_to = self.pgn_file.goes_to();
                    self.log.info(&match result.as_str() {
                        "*" => format!("the game goes on: {reason}"),
                        _ => format!("the game is over, {result}: {reason}; its PGN {goes_to}"),
                    });
                }
                Event::NewGame { fen } => self.log.info(&begins(fen, &self.pgn_file.goes_to())),
                _ => {}
            }
        }
        if let Some(saved) = saved {
            self.tell_saved(saved, &position.fen);
        }
        for record in &records {
            self.outputs.pgn(record);
        }
        if position != self.position {
            self.outputs.position(&messages::position(&position, &self.header));
            self.position = position;
        }
        self.viewing.hear(events, &self.position);
        self.viewing.show(&self.outputs, &self.position, &self.params);
        self.tell_board(events);
        self.tell_problems();
        self.tell_archive_fault();
        let mut status = self.status.lock();
        status.board = self.board.0.state;
        status.square_px = self.board.0.corners.as_ref().map(crate::board::geometry::Corners::square_px);
        status.pose = self.board.0.pose;
        status.tracker = self.board.1;
        status.ply = self.position.ply;
        status.sight = self.observer.sight();
        status.explanations = self.observer.explanations().to_vec();
        status.stats = *self.observer.stats();
    }

    fn warn(&self, message: &Warning) {
        match level(message.kind) {
            Level::Error => self.log.error(&message.text),
            Level::Warn => self.log.warn(&message.text),
            _ => self.log.info(&message.text),
        }
        self.outputs.warning(message);
    }

    /// Puts what is new in the record on its way to the disk. Returns the games that are to be published, oldest first.
    fn save(&mut self, events: &[Event], ply: usize) -> Vec<String> {
        let mut records = Vec::new();
        for _ in events.iter().filter(|e| matches!(e, Event::NewGame { .. })) {
            // Its result may be as new as the game after it.
            if let Some(old) = self.observer.finished().get(self.finished) {
                self.finished += 1;
                if *old != self.pgn {
                    self.pgn_file.write(old);
                    records.push(old.clone());
                }
            }
            self.pgn_file.next_game();
        }
        let pgn = self.observer.pgn();
        if pgn != self.pgn {
            // A game without a move is not worth a file.
            if ply > 0 || !events.is_empty() {
                self.pgn_file.write(&pgn);
            }
            records.push(pgn.clone());
            self.pgn = pgn;
        }
        records
    }

    /// Says once that what was told is not saved, and once that it is.
    fn tell_saved(&mut self, saved: Saved, fen: &str) {
        let unsaved = saved != Saved::All;
        if unsaved == self.unsaved {
            return;
        }
        self.unsaved = unsaved;
        let (kind, text) = match saved {
            Saved::All => (Warning::KIND_SAVED as u8, "The game is saved again.".to_owned()),
            Saved::NotYet(why) => {
                (Warning::KIND_NOT_SAVED as u8, format!("What is told now is not saved: {why}. It is tried again."))
            }
        };
        self.warn(&Warning { header: self.header.clone(), kind, text, fen: fen.into(), ..Warning::default() });
    }

    /// Pauses, or goes on, as somebody asks. Says whether pictures are looked at now.
    pub fn set_paused(&mut self, paused: bool) -> bool {
        self.paused = paused;
        self.apply_pause()
    }

    /// Looks at pictures from now on, or at none, as the node's life cycle says.
    pub fn set_active(&mut self, active: bool) {
        self.inactive = !active;
        self.apply_pause();
    }

    fn apply_pause(&mut self) -> bool {
        let paused = self.paused || self.inactive;
        self.observer.set_paused(paused);
        self.tell(&[]);
        !paused
    }

    /// Publishes the board where it is news, and keeps its place.
    fn tell_board(&mut self, events: &[Event]) {
        let placed = |e: &Event| matches!(e, Event::BoardFound { .. } | Event::BoardMoved { .. });
        if events.iter().any(placed)
            && let Some(calibration) = self.observer.calibration()
        {
            self.calibration_file.write(&calibration, self.now());
        }
        let board = (self.observer.board(), self.observer.tracker());
        if board.1 != self.told.1 || board.0.is_news_to(&self.told.0) {
            self.outputs.board(&messages::board(&board.0, board.1, &self.header));
            self.told.clone_from(&board);
        }
        self.board = board;
    }

    /// Says once why looks are not kept, and once that they are again.
    fn tell_archive_fault(&mut self) {
        let Some(archive) = &self.archive else { return };
        let fault = archive.kept().fault;
        if fault != self.archive_fault {
            match fault.as_str() {
                "" => self.log.info("looks are kept again"),
                why => self.log.warn(&format!("looks are not kept; the game goes on: {why}")),
            }
            self.archive_fault = fault;
        }
    }

    /// Says once what is wrong with `camera_info`, and with the corners that were given.
    fn tell_problems(&mut self) {
        let camera = self.observer.camera_problem().map_or_else(String::new, |e| e.to_string());
        let corners = self.observer.corners_problem().map_or_else(String::new, |e| e.to_string());
        let mut status = self.status.lock();
        if status.camera_problem != camera && !camera.is_empty() {
            self.log.warn(&format!("camera_info is not used: {camera}"));
        }
        if status.corners_problem != corners && !corners.is_empty() {
            self.log.warn(&format!("board.corners are not used: {corners}"));
        }
        (status.camera_problem, status.corners_problem) = (camera, corners);
    }

    /// Takes over what the camera says of itself.
    pub fn set_camera_info(&mut self, info: &CameraInfo) {
        // What is wrong with it is asked for below, with what turns out to be wrong when a picture comes.
        let _ = self.observer.set_camera_info(info);
        self.tell(&[]);
    }

    /// Asks something of the observer and publishes what follows from it.
    ///
    /// # Errors
    /// What the observer refuses.
    pub fn command(
        &mut self,
        command: impl FnOnce(&mut Observer) -> Result<Vec<Event>, CommandError>,
    ) -> Result<(), CommandError> {
        let events = command(&mut self.observer)?;
        if let Some(archive) = &mut self.archive {
            archive.hear(&self.observer, self.seen, &events);
        }
        self.tell(&events);
        Ok(())
    }

    /// Asks something of the observer that publishes nothing.
    ///
    /// # Errors
    /// What the observer refuses.
    pub fn ask<T>(&mut self, ask: impl FnOnce(&mut Observer) -> Result<T, CommandError>) -> Result<T, CommandError> {
        ask(&mut self.observer)
    }

    /// Takes over changed parameters.
    pub fn set_params(&mut self, params: Params) {
        self.observer.set_params(&params);
        self.params = params;
        self.tell(&[]);
    }

    /// Header of the last picture.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The position as it was last published.
    #[must_use]
    pub const fn position(&self) -> &PositionReport {
        &self.position
    }

    /// The game as it was last published.
    #[must_use]
    pub fn pgn(&self) -> &str {
        &self.pgn
    }

    /// A copy of the game, to be written elsewhere than here; see [`PgnFile::copy`].
    ///
    /// # Errors
    /// Why there cannot be such a copy.
    pub fn copy(&mut self, request: &str) -> Result<pgn_file::Copy, String> {
        self.pgn_file.copy(request, &self.pgn, self.params.pgn_save_anywhere)
    }
}

/// Prepares the folder of the games, and goes on with the last one or begins a new one; says which.
fn begin(observer: &mut Observer, pgn_file: &mut PgnFile, params: &Params, log: &Log) {
    if let Some(fault) = observer.syzygy_fault() {
        log.warn(&fault.to_string());
    }
    if let Err(error) = pgn_file.make_folder() {
        let folder = &params.pgn_directory;
        log.error(&format!("pgn_directory {folder} cannot be made: {error}; it is tried again with every move"));
    }
    pgn_file.tidy();
    if !(params.game_resume && resume(observer, pgn_file, log)) {
        log.info(&begins(&observer.position().fen, &pgn_file.goes_to()));
    }
}

/// Goes on with the last game in the folder, where there is one that has no result. Says whether it does.
fn resume(observer: &mut Observer, pgn_file: &mut PgnFile, log: &Log) -> bool {
    let (path, text) = match pgn_file.latest() {
        Ok(Some(latest)) => latest,
        Ok(None) => return false,
        Err(error) => {
            log.warn(&format!("no game to go on with can be read: {error}"));
            return false;
        }
    };
    match observer.resume(&text) {
        Ok(()) => {
            log.info(&format!("the game of {} goes on: {} plies", path.display(), observer.position().ply));
            pgn_file.go_on(path);
            true
        }
        Err(error) => {
            log.info(&format!("the game of {} does not go on: {error}", path.display()));
            false
        }
    }
}
