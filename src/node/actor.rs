//! The one who owns the observer: examines pictures, carries out requests, publishes what is new.

use r2r::{chess_observer::msg::Warning, std_msgs::msg::Header};
use std::time::{Duration, Instant};

use super::{
    calibration_file::CalibrationFile,
    clock::RosClock,
    game_file::{self, GameFile},
    inbox::Inbox,
    level::Level,
    log::Log,
    messages::{self, Message},
    outputs::Outputs,
    owner::{NodeParams, Owner, node_params},
    picture::Picture,
    record::Record,
    status::{Shared, Status},
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
    game_file: GameFile,
    log: Log,
    /// Header of the last picture; requests are answered with it.
    header: Header,
    position: PositionReport,
    record: Record,
    calibration_file: CalibrationFile,
    /// Keeps looks, where a folder was named.
    archive: Option<Keeper>,
    /// What was said last of its faults.
    archive_fault: String,
    /// Time of the last picture.
    seen: Stamp,
    /// Time of the last overlay.
    drawn: Option<Stamp>,
    board: (BoardReport, TrackerState),
    /// What was published of it.
    told: (BoardReport, TrackerState),
    /// For cameras that leave the stamp at zero.
    clock: RosClock,
    status: Shared<Status>,
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
        mut game_file: GameFile,
        calibration: (CalibrationFile, Option<Calibration>),
        clock: RosClock,
        log: Log,
    ) -> Result<Self, CommandError> {
        let mut observer = Observer::new(&params)?;
        if let Some(calibration) = &calibration.1 {
            observer.offer_calibration(calibration);
        }
        begin(&mut observer, &mut game_file, &params, &log);
        let (position, board) = (observer.position(), (observer.board(), observer.tracker()));
        let record = Record::of(observer.pgn());
        let status = Shared::new(Status::at_start(&observer, outputs.has_tf()));
        let actor = Self {
            observer,
            params,
            outputs,
            game_file,
            log,
            header: Header::default(),
            position,
            record,
            archive: None,
            archive_fault: String::new(),
            seen: Stamp::default(),
            drawn: None,
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
        actor.outputs.pgn(actor.record.text());
        actor.outputs.board(&messages::board(&actor.board.0, actor.board.1, &actor.header));
        Ok(actor)
    }

    /// Keeps looks from now on.
    #[must_use]
    pub(super) fn with_archive(mut self, keeper: Option<Keeper>) -> Self {
        self.archive = keeper;
        self
    }

    fn now(&self) -> Stamp {
        Stamp(i64::try_from(self.clock.now().as_nanos()).unwrap_or(i64::MAX))
    }

    /// Saves the record, then publishes `events` and every state that has changed with them.
    fn tell(&mut self, events: &[Event]) {
        let position = self.observer.position();
        let legal = position.fen.to_string();
        // Who hears of a move finds it on the disk, unless he is told that it is not.
        let records = self.save(events, position.ply);
        let saved = self.record.settle(&self.game_file, !records.is_empty());
        for (index, event) in events.iter().enumerate() {
            match messages::tell(event, &self.header, &legal) {
                Some(Message::Move(mut message)) => {
                    message.expected = messages::expectation(events.get(index + 1));
                    self.log.info(&describe(&message));
                    self.outputs.a_move(&message);
                }
                Some(Message::Warning(message)) => self.warn(&message),
                None => {}
            }
            match event {
                Event::Result { result, reason } => {
                    let goes_to = self.game_file.goes_to();
                    self.log.info(&match result.is_known() {
                        false => format!("the game goes on: {reason}"),
                        true => format!("the game is over, {result}: {reason}; its PGN {goes_to}"),
                    });
                }
                Event::NewGame { fen } => self.log.info(&begins(&fen.to_string(), &self.game_file.goes_to())),
                _ => {}
            }
        }
        if let Some(message) = saved {
            self.warn(&Warning { header: self.header.clone(), fen: legal, ..message });
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
        status.square_px = self.board.0.corners.as_ref().map(crate::board::corners::Corners::square_px);
        status.mirrored = self.board.0.mirrored;
        status.hindrance = self.observer.hindrance().cloned();
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
        let begun = events.iter().filter(|e| matches!(e, Event::NewGame { .. })).count();
        // A game without a move is not worth a file.
        let worth = ply > 0 || !events.is_empty();
        let (observer, file) = (&self.observer, &mut self.game_file);
        self.record.save(file, observer.pgn(), (observer.finished(), begun), |_| worth)
    }

    /// Pauses, or goes on, as somebody asks. Says whether pictures are looked at now.
    pub(crate) fn set_paused(&mut self, paused: bool) -> bool {
        self.paused = paused;
        self.apply_pause()
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

    /// Does somebody look at the overlay who has not just seen one?
    fn is_overlay_due(&self, stamp: Stamp) -> bool {
        let pause_s = self.params.overlay_max_rate_hz.recip();
        let is_soon = |drawn| pause_s.is_finite() && (0.0..pause_s).contains(&stamp.since_s(drawn));
        self.outputs.overlay_wanted() && !self.drawn.is_some_and(is_soon)
    }

    /// Publishes where the camera sees the board, as a transform. That has no deviations to tell: an estimate that is too rough to
    /// build on is kept to `board`.
    fn tell_pose(&self) {
        let wanted = |pose: &Pose| self.params.publish_tf && self.outputs.has_tf() && pose.is_sure();
        if let Some(pose) = self.board.0.pose.filter(wanted) {
            self.outputs.transform(messages::transform(&pose, &self.header, &self.params.board_frame));
        }
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
        self.record.text()
    }

    /// A copy of the game, to be written elsewhere than here; see [`GameFile::copy`].
    ///
    /// # Errors
    /// Why there cannot be such a copy.
    pub(crate) fn copy(&mut self, request: &str) -> Result<game_file::Copy, String> {
        self.game_file.copy(request, self.record.text(), self.params.pgn_save_anywhere)
    }
}

impl Owner for Actor {
    type Params = Params;
    type Status = Status;

    fn node_params(params: &Params) -> NodeParams<'_> {
        node_params!(params)
    }

    fn status(&self) -> Shared<Status> {
        self.status.clone()
    }

    fn look(&mut self, picture: Picture, inbox: &Inbox<Self>) {
        let begun = Instant::now();
        let stamp = picture.stamp().unwrap_or_else(|| self.now());
        self.seen = stamp;
        if self.observer.leaves_out(stamp) {
            self.header = picture.header;
            return self.tell_pose();
        }
        let overlay_wanted = self.is_overlay_due(stamp);
        let (observer, archive) = (&mut self.observer, &mut self.archive);
        let seen = picture.with_frame(|frame| {
            let events = observer.observe(frame, stamp);
            if let Some(archive) = archive {
                archive.see(observer, frame, picture.jpeg(), stamp, &events);
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
            self.drawn = Some(stamp);
            self.outputs.overlay(&self.header, overlay);
        }
        self.tell_pose();
        self.status.lock().last_look = begun.elapsed();
    }

    fn set_camera_info(&mut self, info: &CameraInfo) {
        // What is wrong with it is asked for below, with what turns out to be wrong when a picture comes.
        let _ = self.observer.set_camera_info(info);
        self.tell(&[]);
    }

    fn set_params(&mut self, params: Params) {
        self.observer.set_params(&params);
        self.params = params;
        self.tell(&[]);
    }

    fn set_active(&mut self, active: bool) {
        self.inactive = !active;
        self.apply_pause();
    }

    fn finish(mut self) {
        // No picture comes any more that could bear out what the last ones suggest.
        let events = self.observer.finish();
        self.tell(&events);
        self.calibration_file.finish(LAST_CALIBRATION);
        if let Some(archive) = self.archive {
            archive.finish(LAST_LOOKS);
        }
    }
}

/// Prepares the folder of the games, and goes on with the last one or begins a new one; says which.
fn begin(observer: &mut Observer, game_file: &mut GameFile, params: &Params, log: &Log) {
    if let Some(fault) = observer.syzygy_fault() {
        log.warn(&fault.to_string());
    }
    if let Err(error) = game_file.make_folder() {
        let folder = &params.pgn_directory;
        log.error(&format!("pgn_directory {folder} cannot be made: {error}; it is tried again with every move"));
    }
    game_file.tidy();
    let goes_on = |pgn: &str| observer.resume(pgn).map(|()| format!("{} plies", observer.position().ply));
    if !(params.game_resume && game_file.resume(log, goes_on)) {
        log.info(&begins(&observer.position().fen.to_string(), &game_file.goes_to()));
    }
}
