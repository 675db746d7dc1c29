//! The one who owns the observer of Go: examines pictures, carries out requests, publishes what is new.

use std::time::Instant;

use r2r::{
    chess_observer::msg::{GoBoard, Warning},
    std_msgs::msg::Header,
};

use super::{
    outputs::Outputs,
    settings,
    status::GoStatus,
    told::{a_move, board, describe, is_news, shown, warning},
};
use crate::{
    frame::Stamp,
    go,
    node::{
        clock::RosClock,
        game_file::GameFile,
        inbox::Inbox,
        level::Level,
        log::Log,
        owner::{NodeParams, Owner, node_params},
        picture::Picture,
        record::Record,
        services::Outcome,
        status::Shared,
        words::level,
    },
    observer::{
        CameraInfo, TrackerState,
        go::{GoObserver, Told},
    },
    params::go::Params,
};

/// The owner of the observer.
pub(super) struct GoActor {
    observer: GoObserver,
    outputs: Outputs,
    game_file: GameFile,
    log: Log,
    /// Header of the last picture.
    header: Header,
    record: Record,
    /// The board as it was published last.
    board: GoBoard,
    /// For cameras that leave the stamp at zero.
    clock: RosClock,
    status: Shared<GoStatus>,
    /// Did somebody ask to pause?
    paused: bool,
    /// Is the node not active in its life cycle?
    inactive: bool,
}

impl GoActor {
    /// An actor before the first picture. Publishes the state, so that it is latched from the start.
    pub(super) fn new(
        mut observer: GoObserver,
        outputs: Outputs,
        mut game_file: GameFile,
        resumes: bool,
        clock: RosClock,
        log: Log,
    ) -> Self {
        if let Err(error) = game_file.make_folder() {
            log.error(&format!("sgf_directory cannot be made: {error}; it is tried again with every play"));
        }
        game_file.tidy();
        let goes_on = |sgf: &str| {
            observer.resume(sgf).map(|()| format!("{} plays", observer.game().map_or(0, |game| game.told().number())))
        };
        if !(resumes && game_file.resume(&log, goes_on)) {
            log.info(&format!("a game begins with the stones that lie there; its SGF {}", game_file.goes_to()));
        }
        let record = Record::of(observer.sgf());
        let actor = Self {
            observer,
            outputs,
            game_file,
            log,
            header: Header::default(),
            record,
            board: GoBoard::default(),
            clock,
            status: Shared::new(GoStatus::default()),
            paused: false,
            inactive: false,
        };
        actor.outputs.board(&actor.board);
        if !actor.record.text().is_empty() {
            actor.outputs.sgf(actor.record.text());
        }
        actor
    }

    const fn is_paused(&self) -> bool {
        self.paused || self.inactive
    }

    fn tracker(&self) -> TrackerState {
        if self.is_paused() { TrackerState::Paused } else { self.observer.tracker_state() }
    }

    fn number(&self) -> usize {
        self.observer.game().map_or(0, |game| game.told().number())
    }

    /// Saves the record, publishes it, then what is new, then the board: whoever hears of a play finds it in the record, and on the
    /// disk, unless he is told that it is not.
    fn tell(&mut self, told: &[Told]) {
        let records = self.save(told);
        let saved = self.record.settle(&self.game_file, !records.is_empty());
        for record in &records {
            self.outputs.sgf(record);
        }
        let stones = self.observer.game().map(shown).unwrap_or_default();
        for told in told {
            if let Told::Game(event) = told
                && let Some(message) = a_move(event, &self.header, &stones)
            {
                self.log.info(&describe(&message));
                self.outputs.a_move(&message);
            }
            if let Told::Game(go::Event::NewGame) = told {
                self.log.info(&format!("a new game begins; its SGF {}", self.game_file.goes_to()));
            }
            if let Some(message) = warning(told, &self.header) {
                self.warn(&message);
            }
        }
        if let Some(message) = saved {
            self.warn(&Warning { header: self.header.clone(), ..message });
        }
        self.tell_board();
        self.note();
    }

    /// Puts what is new in the record on its way to the disk. Returns the games that are to be published, oldest first.
    fn save(&mut self, told: &[Told]) -> Vec<String> {
        let begun = told.iter().filter(|t| matches!(t, Told::Game(go::Event::NewGame))).count();
        let number = self.number();
        let finished = self.observer.game().map_or(&[][..], go::Game::finished);
        // A game without a play is not worth a file.
        let worth = |file: &GameFile| number > 0 || file.has_begun();
        self.record.save(&mut self.game_file, self.observer.sgf(), (finished, begun), worth)
    }

    fn warn(&self, message: &Warning) {
        match level(message.kind) {
            Level::Error => self.log.error(&message.text),
            Level::Warn => self.log.warn(&message.text),
            _ => self.log.info(&message.text),
        }
        self.outputs.warning(message);
    }

    /// Publishes the board where it is news.
    fn tell_board(&mut self) {
        let now = board(&self.observer, self.tracker());
        if is_news(&now, &self.board) {
            self.outputs.board(&GoBoard { header: self.header.clone(), ..now.clone() });
            self.board = now;
        }
    }

    /// Writes down how the work goes.
    fn note(&self) {
        let (observer, grid) = (&self.observer, self.observer.grid());
        let mut status = self.status.lock();
        status.board = observer.board_state();
        status.not_found = observer.not_found().unwrap_or_default().to_owned();
        status.lines = grid.map(|grid| grid.size().lines());
        status.spacing_px = grid.map(crate::board::grid::Grid::spacing_px);
        status.tracker = self.tracker();
        status.number = self.number();
        status.uncertain = observer.game().is_some_and(go::Game::in_doubt);
        status.covered = observer.covered();
        status.stats = *observer.stats();
    }

    /// Has the next picture read as it is.
    pub(super) fn capture(&mut self) -> Outcome {
        if self.is_paused() {
            return Err("paused: no picture is read".into());
        }
        self.observer.capture();
        Ok("the next picture is read as it is".into())
    }

    /// Begins anew on an empty board.
    pub(super) fn new_game(&mut self) -> Outcome {
        let told = self.observer.say(|game| Ok(game.new_game())).map_err(|e| e.to_string())?;
        self.tell(&told);
        Ok("a new game begins".into())
    }

    /// Pauses, or goes on, as somebody asks.
    pub(super) fn pause(&mut self, paused: bool) -> Outcome {
        self.paused = paused;
        self.tell(&[]);
        Ok(match (self.is_paused(), paused) {
            (false, _) => "the game is followed",
            (true, true) => "paused",
            (true, false) => "the game is followed as soon as the node is activated",
        }
        .into())
    }
}

impl Owner for GoActor {
    type Params = Params;
    type Status = GoStatus;

    fn node_params(params: &Params) -> NodeParams<'_> {
        node_params!(params)
    }

    fn status(&self) -> Shared<GoStatus> {
        self.status.clone()
    }

    fn look(&mut self, picture: Picture, inbox: &Inbox<Self>) {
        let begun = Instant::now();
        let now = || Stamp(i64::try_from(self.clock.now().as_nanos()).unwrap_or(i64::MAX));
        let stamp = picture.stamp().unwrap_or_else(now);
        let (wanted, paused) = (self.outputs.overlay_wanted(), self.is_paused());
        let observer = &mut self.observer;
        if !paused && observer.leaves_out(stamp) {
            self.header = picture.header;
            return;
        }
        let seen = picture.with_frame(|frame| {
            let told = if paused { Vec::new() } else { observer.observe(frame, stamp) };
            (told, wanted.then(|| observer.overlay(frame)))
        });
        let (told, overlay) = match seen {
            Ok(seen) => seen,
            Err(error) => return inbox.refuse(&error),
        };
        self.header = picture.header;
        self.tell(&told);
        if let Some(overlay) = overlay {
            self.outputs.overlay(&self.header, overlay);
        }
        self.status.lock().last_look = begun.elapsed();
    }

    fn set_camera_info(&mut self, info: &CameraInfo) {
        let problem = self.observer.set_camera_info(info).err().map_or_else(String::new, |e| e.to_string());
        let mut status = self.status.lock();
        if status.camera_problem != problem && !problem.is_empty() {
            self.log.warn(&format!("camera_info is not used: {problem}"));
        }
        status.camera_problem = problem;
    }

    fn set_params(&mut self, params: Params) {
        self.observer.change(settings(&params));
        self.tell(&[]);
    }

    fn set_active(&mut self, active: bool) {
        self.inactive = !active;
        self.tell(&[]);
    }

    fn finish(self) {}
}
