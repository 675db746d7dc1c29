//! The node that watches a Go board: pictures in; plays, SGF, warnings and the overlay out.

use std::{
    process::ExitCode,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures::StreamExt as _;
use r2r::{
    Node, Publisher, QosProfile, RosParams,
    chess_observer::msg::{GoMove, Warning},
    sensor_msgs::msg::{CameraInfo, Image},
    std_msgs::msg::{Header, String as Text},
    std_srvs::srv::Trigger,
};

use super::{
    input::calibration,
    log::Log,
    outputs::{EVENTS, LATCHED, PICTURES},
    picture::{self, Picture},
    program::{Begun, Program, begin},
};
use crate::{
    event, files,
    frame::Stamp,
    go::{self, Color, Game, Rules, Size, record::Info},
    observer::{
        self,
        go::{GoObserver, Settings, Told},
    },
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(20);
/// How long the eyes wait for a picture before they look whether the node ends.
const WAIT: Duration = Duration::from_millis(200);
/// How long the end waits for the picture in hand.
const LAST_PICTURE: Duration = Duration::from_millis(2500);

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// Lines of the board, 5 to 25; 0: 19, 13 or 9 as the board shows.
    size: i64,
    /// Crossings at the board's corners, upper left, upper right, lower right, lower left: x,y,x,y,x,y,x,y in pixels; empty searches.
    corners: String,
    /// Rules: Japanese, Korean, Chinese, AGA, NZ, Tromp-Taylor.
    rules: String,
    /// White's points for playing second, for the record.
    komi: f64,
    /// Black's name, for the record.
    black: String,
    /// White's name, for the record.
    white: String,
    /// Least probability at which a play is told, 0.5 to 0.9999.
    min_confidence: f64,
    /// Every picture is a separate look: there is no stillness between pictures to wait for.
    stills: bool,
    /// Pictures are JPEG or PNG, on image_raw/compressed.
    compressed: bool,
    /// SGF file that is written after every play; empty writes none.
    sgf_file: String,
    /// Follow /clock instead of the system's time.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            size: 0,
            corners: String::new(),
            rules: Rules::default().name.into(),
            komi: Rules::default().komi,
            black: String::new(),
            white: String::new(),
            min_confidence: 0.95,
            stills: false,
            compressed: false,
            sgf_file: String::new(),
            use_sim_time: false,
        }
    }
}

impl Params {
    fn settings(&self) -> Result<Settings, String> {
        let size = match u64::try_from(self.size) {
            Ok(0) => None,
            Ok(lines) => Some(Size::new(lines).map_err(|e| format!("parameter size: {e}"))?),
            Err(_) => return Err(format!("parameter size: expected 5 to 25, or 0, got {}", self.size)),
        };
        let numbers: Vec<f64> = self.corners.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let corners_px = match numbers[..] {
            [] if self.corners.trim().is_empty() => None,
            [a, b, c, d, e, f, g, h] if self.corners.split(',').count() == 8 => Some([[a, b], [c, d], [e, f], [g, h]]),
            _ => return Err(format!("parameter corners: expected eight numbers x,y, got {:?}", self.corners)),
        };
        let known = || Rules::ALL.map(|r| r.name).join(", ");
        let rules = Rules::named(&self.rules)
            .ok_or_else(|| format!("parameter rules: expected one of {}, got {:?}", known(), self.rules))?;
        if !(0.5..=0.9999).contains(&self.min_confidence) {
            return Err(format!("parameter min_confidence: expected 0.5 to 0.9999, got {}", self.min_confidence));
        }
        let info = Info {
            black: self.black.clone(),
            white: self.white.clone(),
            rules,
            komi: Some(self.komi).filter(|k| k.is_finite()),
            ..Info::default()
        };
        let (stills, min_confidence) = (self.stills, self.min_confidence);
        Ok(Settings { size, corners_px, info, stills, min_confidence, ..Settings::default() })
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "go_node",
        about: "Watches a Go board and says what was played.",
        topics: "Hears:   image_raw or image_raw/compressed, camera_info\n\
                 Says:    go_moves, sgf, warnings, ~/overlay\n\
                 Answers: ~/capture, ~/new_game\n",
    };
    program.run::<Params>(start)
}

/// What waits for the eyes: the newest picture, and what else was said.
#[derive(Default)]
struct Desk {
    picture: Option<Picture>,
    camera: Option<observer::CameraInfo>,
    capture: bool,
    new_game: bool,
}

/// The desk, and a bell that rings when something comes.
#[derive(Default)]
struct Waiting {
    desk: Mutex<Desk>,
    bell: Condvar,
}

impl Waiting {
    fn put(&self, put: impl FnOnce(&mut Desk)) {
        put(&mut self.desk.lock().unwrap_or_else(PoisonError::into_inner));
        self.bell.notify_one();
    }

    /// Takes everything, after a while even if nothing has come.
    fn take(&self) -> Desk {
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = |desk: &mut Desk| desk.picture.is_none() && !desk.new_game;
        let (mut desk, _) = self.bell.wait_timeout_while(desk, WAIT, empty).unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *desk)
    }
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime, params, log, stop } = begin::<Params>("go_observer", 2)?;
    let observer = GoObserver::new(params.settings()?).map_err(|e| format!("parameter corners: {e}"))?;
    let file = match params.sgf_file.as_str() {
        "" => None,
        path => Some(files::expanded(path).map_err(|e| format!("parameter sgf_file: {path:?}: {e}"))?),
    };
    let waiting = Arc::new(Waiting::default());
    hear(&mut node, &runtime, &params, &waiting, &log)?;
    let mut eyes = Eyes {
        observer,
        says: Says::new(&mut node, log.clone())?,
        file,
        sgf: String::new(),
        header: Header::default(),
    };
    let over = Arc::new(AtomicBool::new(false));
    let (ended, theirs) = (Arc::clone(&over), Arc::clone(&waiting));
    let looking = std::thread::Builder::new().name("eyes".into()).spawn(move || {
        while !ended.load(Ordering::Relaxed) {
            eyes.take(theirs.take());
        }
    })?;
    log.info("waiting for pictures of a Go board");
    while !stop.is_finished() {
        node.spin_once(SPIN);
    }
    over.store(true, Ordering::Relaxed);
    let patience = Instant::now() + LAST_PICTURE;
    while !looking.is_finished() && Instant::now() < patience {
        std::thread::sleep(SPIN);
    }
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

/// Subscribes to pictures and the camera, and offers the services.
fn hear(
    node: &mut Node,
    runtime: &tokio::runtime::Runtime,
    params: &Params,
    waiting: &Arc<Waiting>,
    log: &Log,
) -> Result<(), Failure> {
    let topic = if params.compressed { "image_raw/compressed" } else { "image_raw" };
    let mut pictures = picture::subscribe(node, topic, params.compressed, PICTURES.best_effort())?;
    let (desk, told) = (Arc::clone(waiting), log.clone());
    runtime.spawn(async move {
        while let Some(picture) = pictures.next().await {
            match picture {
                Ok(picture) => desk.put(|desk| desk.picture = Some(picture)),
                Err(error) => told.warn(&format!("a picture is not usable: {error}")),
            }
        }
    });
    let mut cameras = node.subscribe::<CameraInfo>("camera_info", QosProfile::sensor_data())?;
    let desk = Arc::clone(waiting);
    runtime.spawn(async move {
        while let Some(message) = cameras.next().await {
            if let Some(info) = calibration(message, false) {
                desk.put(|desk| desk.camera = Some(info));
            }
        }
    });
    for (name, ask) in
        [("~/capture", (|desk| desk.capture = true) as fn(&mut Desk)), ("~/new_game", |desk| desk.new_game = true)]
    {
        let mut asked = node.create_service::<Trigger::Service>(name, QosProfile::services_default())?;
        let (desk, told) = (Arc::clone(waiting), log.clone());
        runtime.spawn(async move {
            while let Some(request) = asked.next().await {
                desk.put(ask);
                let answer = Trigger::Response { success: true, message: String::new() };
                if let Err(error) = request.respond(answer) {
                    told.error(&format!("could not answer {name}: {error}"));
                }
            }
        });
    }
    Ok(())
}

/// Who looks, and tells.
struct Eyes {
    observer: GoObserver,
    says: Says,
    file: Option<String>,
    /// As it was published last.
    sgf: String,
    /// Of the last picture.
    header: Header,
}

impl Eyes {
    fn take(&mut self, desk: Desk) {
        if let Some(error) = desk.camera.and_then(|info| self.observer.set_camera_info(&info).err()) {
            self.says.log.warn(&format!("camera_info is not used: {error}"));
        }
        if desk.new_game {
            match self.observer.say(|game| Ok(game.new_game())) {
                Ok(told) => self.tell(&told),
                Err(error) => self.says.log.warn(&error.to_string()),
            }
        }
        if desk.capture {
            self.observer.capture();
        }
        let Some(picture) = desk.picture else { return };
        let stamp = picture.stamp().unwrap_or_else(now);
        self.header.clone_from(&picture.header);
        let wanted = self.says.overlay_wanted();
        let observer = &mut self.observer;
        let seen = picture.with_frame(|frame| {
            let told = observer.observe(frame, stamp);
            (told, wanted.then(|| observer.overlay(frame)))
        });
        match seen {
            Ok((told, overlay)) => {
                self.tell(&told);
                if let Some(overlay) = overlay {
                    self.says.overlay(&self.header, overlay);
                }
            }
            Err(error) => self.says.log.warn(&format!("a picture is not usable: {error}")),
        }
    }

    /// The record first, then what is new: whoever hears of a play finds it there.
    fn tell(&mut self, told: &[Told]) {
        let sgf = self.observer.sgf();
        if sgf != self.sgf {
            self.sgf = sgf;
            if let Some(path) = &self.file
                && let Err(error) = files::write(path.as_ref(), self.sgf.as_bytes())
            {
                self.says.log.error(&format!("{path}: {error}"));
            }
            self.says.sgf(&self.sgf);
        }
        let board = self.observer.game().map(shown).unwrap_or_default();
        for told in told {
            if let Told::Game(event) = told
                && let Some(message) = a_move(event, &self.header, &board)
            {
                self.says.a_move(&message);
            }
            if let Some(message) = warning(told, &self.header) {
                self.says.log.info(&message.text);
                self.says.warning(&message);
            }
        }
    }
}

/// The system's time, for cameras that tell none.
fn now() -> Stamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// The stones, row by row.
fn shown(game: &Game) -> String {
    let letter = |c: &go::Content| match c {
        go::Content::Empty => '.',
        go::Content::Black => 'X',
        go::Content::White => 'O',
    };
    let board = game.told().board();
    let rows = board.contents().chunks(usize::from(board.size().lines()));
    rows.map(|row| row.iter().map(letter).chain(['\n']).collect::<String>()).collect()
}

/// A play as a message; `None` for what is none.
fn a_move(event: &go::Event, header: &Header, board: &str) -> Option<GoMove> {
    let color = |c: &Color| match c {
        Color::Black => GoMove::COLOR_BLACK as u8,
        Color::White => GoMove::COLOR_WHITE as u8,
    };
    let empty = GoMove {
        header: header.clone(),
        confidence: f32::NAN,
        order: f32::NAN,
        board: board.to_owned(),
        ..GoMove::default()
    };
    Some(match event {
        go::Event::Play { number, color: c, point, captured, confidence, order, fault } => GoMove {
            kind: GoMove::KIND_NEW as u8,
            number: *number as u32,
            color: color(c),
            point: point.clone().unwrap_or_default(),
            captured: captured.clone(),
            confidence: *confidence as f32,
            order: *order as f32,
            fault: fault.map(|f| f.word().to_owned()).unwrap_or_default(),
            ..empty
        },
        go::Event::Revised { number, color: c, was, point, captured, confidence } => GoMove {
            kind: GoMove::KIND_REVISED as u8,
            number: *number as u32,
            color: color(c),
            point: point.clone(),
            was: was.clone(),
            captured: captured.clone(),
            confidence: *confidence as f32,
            ..empty
        },
        go::Event::TakeBack { number } => {
            GoMove { kind: GoMove::KIND_TAKEN_BACK as u8, number: *number as u32, ..empty }
        }
        _ => return None,
    })
}

/// A warning as a message; `None` for what is none.
fn warning(told: &Told, header: &Header) -> Option<Warning> {
    let text = told.sentence()?;
    let (kind, squares) = match told {
        Told::Game(go::Event::Illegal { point, .. }) => (Warning::KIND_ILLEGAL as u8, vec![point.clone()]),
        Told::Game(go::Event::Displaced { points, .. }) => (Warning::KIND_ILLEGAL as u8, points.clone()),
        Told::Game(go::Event::Restored) => (Warning::KIND_RESTORED as u8, Vec::new()),
        Told::Game(go::Event::Uncertain { points } | go::Event::Resumed { points }) => {
            (Warning::KIND_UNCERTAIN as u8, points.clone())
        }
        Told::Board(event::Event::BoardMoved { .. }) => (Warning::KIND_BOARD_MOVED as u8, Vec::new()),
        Told::Board(event::Event::BoardLost) => (Warning::KIND_BOARD_LOST as u8, Vec::new()),
        Told::Board(event::Event::BoardFound { .. }) => (Warning::KIND_BOARD_FOUND as u8, Vec::new()),
        _ => return None,
    };
    Some(Warning { header: header.clone(), kind, squares, text, ..Warning::default() })
}

/// The publishers.
struct Says {
    moves: Publisher<GoMove>,
    sgf: Publisher<Text>,
    warnings: Publisher<Warning>,
    overlay: Publisher<Image>,
    log: Log,
}

impl Says {
    fn new(node: &mut Node, log: Log) -> r2r::Result<Self> {
        Ok(Self {
            moves: node.create_publisher("go_moves", EVENTS)?,
            sgf: node.create_publisher("sgf", LATCHED)?,
            warnings: node.create_publisher("warnings", EVENTS)?,
            overlay: node.create_publisher("~/overlay", PICTURES)?,
            log,
        })
    }

    fn a_move(&self, message: &GoMove) {
        self.check("go_moves", self.moves.publish(message));
    }

    fn sgf(&self, text: &str) {
        // A C string ends at a NUL, and r2r panics on one.
        self.check("sgf", self.sgf.publish(&Text { data: text.replace('\0', " ") }));
    }

    fn warning(&self, message: &Warning) {
        self.check("warnings", self.warnings.publish(message));
    }

    fn overlay_wanted(&self) -> bool {
        self.overlay.get_inter_process_subscription_count().is_ok_and(|n| n > 0)
    }

    fn overlay(&self, header: &Header, picture: image::RgbImage) {
        let (width, height) = picture.dimensions();
        let message = Image {
            header: header.clone(),
            width,
            height,
            step: 3 * width,
            encoding: "rgb8".into(),
            is_bigendian: 0,
            data: picture.into_raw(),
        };
        self.check("~/overlay", self.overlay.publish(&message));
    }

    fn check(&self, topic: &str, result: r2r::Result<()>) {
        if let Err(error) = result {
            self.log.error(&format!("could not publish on {topic}: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked() {
        assert!(Params::default().settings().is_ok());
        let wrong = |params: Params| params.settings().err().unwrap();
        assert!(wrong(Params { size: 4, ..Params::default() }).contains("5 to 25"));
        assert!(wrong(Params { size: -1, ..Params::default() }).contains("got -1"));
        assert!(wrong(Params { corners: "1,2,3".into(), ..Params::default() }).contains("eight numbers"));
        assert!(wrong(Params { rules: "chess".into(), ..Params::default() }).contains("Tromp-Taylor"));
        assert!(wrong(Params { min_confidence: f64::NAN, ..Params::default() }).contains("0.5 to 0.9999"));
    }
}
