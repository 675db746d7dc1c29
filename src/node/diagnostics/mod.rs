//! How a node is doing, at 1 Hz on `/diagnostics`: what it hears, and what whoever owns its observer says of the rest.

mod chess;

use r2r::{
    Node, Publisher, QosProfile,
    diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue},
};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use super::{
    awaited::{Line, Silence},
    clock::RosClock,
    disk::Written,
    inbox::{Arrivals, Inbox},
    input::Source,
    log::Log,
    owner::Owner,
    picture::BadPicture,
    status::{Reports, Shared},
    watchdog::Health,
};
use crate::observer::{BoardState, Stats, TrackerState};

/// Time between reports, as diagnostic_updater has it.
pub(super) const PERIOD: Duration = Duration::from_secs(1);
/// Rates are means over this many periods: steady enough to read, quick enough to see a change.
const RATE_PERIODS: usize = 5;
/// No picture for this long is worth a warning: no camera is slower on purpose.
const SILENCE: Duration = Duration::from_secs(5);
/// Fewer pictures than this part of the `camera_info` messages means that pictures are lost on the way.
const ARRIVING: f64 = 0.5;

/// A disk that has not taken the game for this long is worth an error: moves are told unsaved then.
const SLOW: Duration = Duration::from_millis(500);

pub(super) const OK: u32 = DiagnosticStatus::OK as u32;
pub(super) const WARN: u32 = DiagnosticStatus::WARN as u32;
pub(super) const ERROR: u32 = DiagnosticStatus::ERROR as u32;

/// Reads everybody's counters and publishes them.
#[derive(Debug)]
pub struct Diagnostics<A: Owner> {
    publisher: Publisher<DiagnosticArray>,
    node: String,
    clock: RosClock,
    inbox: Arc<Inbox<A>>,
    source: Arc<Mutex<Source>>,
    status: Shared<A::Status>,
    history: VecDeque<(Instant, Arrivals)>,
    begun: Instant,
    silence: Silence,
    log: Log,
}

/// Rates over the last few periods, in Hz.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Rates {
    pictures: f64,
    camera_infos: f64,
}

impl<A: Owner> Diagnostics<A> {
    /// Diagnostics of `node`.
    ///
    /// # Errors
    /// When the middleware refuses the publisher.
    pub fn new(
        node: &mut Node,
        inbox: &Arc<Inbox<A>>,
        source: Arc<Mutex<Source>>,
        status: Shared<A::Status>,
        log: Log,
    ) -> r2r::Result<Self> {
        Ok(Self {
            publisher: node.create_publisher("/diagnostics", QosProfile::default().keep_last(1))?,
            node: node.fully_qualified_name()?.trim_start_matches('/').to_owned(),
            clock: RosClock::of(node),
            inbox: Arc::clone(inbox),
            source,
            status,
            history: VecDeque::new(),
            begun: Instant::now(),
            silence: Silence::default(),
            log,
        })
    }

    /// Publishes one report, and tells the console what is awaited; `written` is how the file of the game is doing, `health` how the node's threads are.
    pub fn report(&mut self, written: &Written, health: &Health) {
        let (arrivals, now) = (self.inbox.arrivals(), Instant::now());
        let rates = self.history.front().map_or_else(Rates::default, |(then, before)| {
            let seconds = now.duration_since(*then).as_secs_f64().max(1e-3);
            Rates {
                pictures: arrivals.received.saturating_sub(before.received) as f64 / seconds,
                camera_infos: arrivals.camera_infos.saturating_sub(before.camera_infos) as f64 / seconds,
            }
        });
        self.history.push_back((now, arrivals.clone()));
        if self.history.len() > RATE_PERIODS {
            self.history.pop_front();
        }
        let source = self.source.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let status = self.status.get();
        let silent = arrivals.last.unwrap_or(self.begun).elapsed();
        match self.silence.look(&source, &arrivals, &status, now) {
            Some(Line::Waits(text)) => self.log.warn(&text),
            Some(Line::GoesOn(text)) => self.log.info(&text),
            None => {}
        }

        let mut message = DiagnosticArray::default();
        message.header.stamp = self.clock.stamp();
        let mut input = input(&source, &arrivals, rates, silent, status.stats());
        if let Some(stamp) = arrivals.last_stamp_s {
            input.values.push(key("age_s", format!("{:.3}", self.clock.now().as_secs_f64() - stamp)));
        }
        message.status = vec![input];
        message.status.extend(status.parts(hangs(health)));
        message.status.push(game_file(A::Status::RECORD, written));
        for status in &mut message.status {
            status.name = format!("{}: {}", self.node, status.name);
            status.hardware_id.clone_from(&source.topic);
        }
        // The next report comes in a second.
        let _ = self.publisher.publish(&message);
    }
}

pub(super) fn key(key: &str, value: impl ToString) -> KeyValue {
    KeyValue { key: key.into(), value: value.to_string().replace('\0', " ") }
}

pub(super) fn status(name: &str, level: u32, message: impl Into<String>, values: Vec<KeyValue>) -> DiagnosticStatus {
    DiagnosticStatus {
        name: name.into(),
        level: level as u8,
        message: message.into(),
        values,
        ..DiagnosticStatus::default()
    }
}

/// What hangs, and for how long; `None` where nothing does.
fn hangs(health: &Health) -> Option<&str> {
    match health {
        Health::Well => None,
        Health::Late(why) | Health::Hung(why) => Some(why),
    }
}

/// What the search for the board has come to, and how grave that is.
pub(super) const fn board_words(board: BoardState) -> (u32, &'static str) {
    match board {
        BoardState::Searching => (WARN, "searching"),
        BoardState::Locked => (OK, "locked"),
        BoardState::Lost => (WARN, "lost"),
    }
}

/// What the tracker is doing, and how grave that is.
pub(super) const fn tracker_words(tracker: TrackerState) -> (u32, &'static str) {
    match tracker {
        TrackerState::NoBoard => (WARN, "no board"),
        TrackerState::Following => (OK, "following"),
        TrackerState::Disturbed => (OK, "something moves on the board"),
        TrackerState::Doubt => (WARN, "at rest and not understood"),
        TrackerState::Illegal => (WARN, "an illegal position stands"),
        TrackerState::Paused => (OK, "paused"),
        TrackerState::Over => (OK, "the game is over"),
    }
}

fn input(source: &Source, arrivals: &Arrivals, rates: Rates, silent: Duration, stats: &Stats) -> DiagnosticStatus {
    let seconds = silent.as_secs_f64();
    let refused: u64 = arrivals.refused.values().sum();
    let (level, message) = if let (0, Some(kind)) = (source.publishers, source.foreign_types.first()) {
        (ERROR, format!("{} carries {kind}, which is no picture: nothing can arrive", source.topic))
    } else if source.publishers == 0 {
        (WARN, format!("nobody publishes on {}", source.topic))
    } else if source.incompatible {
        (ERROR, "a publisher is best effort and image_reliability is reliable: nothing can arrive".into())
    } else if silent > SILENCE {
        (WARN, format!("no usable picture for {seconds:.0} s"))
    } else if arrivals.stamps_stand {
        (WARN, "the pictures' stamps stand still: the node's clock is used instead".into())
    } else if rates.camera_infos > 1.0 && rates.pictures < ARRIVING * rates.camera_infos {
        let text = "pictures are lost on the way, see \"Large pictures\" in the README";
        (WARN, format!("announced at {:.1} Hz, arriving at {:.1} Hz: {text}", rates.camera_infos, rates.pictures))
    } else if source.publishers > 1 {
        (WARN, format!("{} publishers on {}: pictures of several cameras are mixed", source.publishers, source.topic))
    } else if arrivals.received == refused {
        (WARN, format!("every picture was refused: {}", arrivals.last_refusal))
    } else {
        (OK, format!("{:.1} Hz, {}", rates.pictures, arrivals.encoding))
    };
    let mut values = vec![
        key("topic", &source.topic),
        key("publishers", source.publishers),
        key("foreign_types", source.foreign_types.join(", ")),
        key("reliability", if source.reliable { "reliable" } else { "best_effort" }),
        key("rate_hz", format!("{:.2}", rates.pictures)),
        key("camera_info_rate_hz", format!("{:.2}", rates.camera_infos)),
        key("silent_s", format!("{seconds:.2}")),
        key("encoding", &arrivals.encoding),
        key("received", arrivals.received),
        key("examined", stats.frames),
        key("left_out_at_rest", stats.left_out),
        key("dropped_for_newer", arrivals.replaced),
        key("skipped_max_rate", arrivals.skipped),
        key("refused", refused),
        key("requests_busy", arrivals.busy),
    ];
    values.extend(
        BadPicture::REASONS
            .iter()
            .map(|reason| key(&format!("refused_{reason}"), arrivals.refused.get(reason).unwrap_or(&0))),
    );
    let stamps = if arrivals.stamps_stand { "standing still" } else { "used" };
    values.push(key("stamps", stamps));
    values.push(key("time_jumps", stats.time_jumps));
    values.push(key("last_refusal", &arrivals.last_refusal));
    status("input", level, message, values)
}

fn game_file(name: &str, written: &Written) -> DiagnosticStatus {
    let path = written.path.as_ref().map_or_else(String::new, |p| p.display().to_string());
    let age = written.at.and_then(|at| SystemTime::now().duration_since(at).ok());
    let waits = written.unsaved_since.map(|since| since.elapsed());
    let (level, message) = if !written.error.is_empty() {
        (ERROR, format!("not saved: cannot write {path}: {}; trying again", written.error))
    } else if let Some(waits) = waits.filter(|waits| *waits > SLOW) {
        (ERROR, format!("not saved: the disk has not answered for {:.1} s", waits.as_secs_f64()))
    } else if written.count == 0 {
        (OK, "nothing written yet".into())
    } else {
        (OK, path.clone())
    };
    let values = vec![
        key("path", path),
        key("written", written.count),
        key("last_write_age_s", age.map_or_else(String::new, |age| format!("{:.1}", age.as_secs_f64()))),
        key("unsaved_s", waits.map_or_else(String::new, |waits| format!("{:.1}", waits.as_secs_f64()))),
        key("error", &written.error),
    ];
    status(name, level, message, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source { topic: "/image_raw".into(), publishers: 1, ..Source::default() }
    }

    fn arrivals() -> Arrivals {
        Arrivals { received: 30, encoding: "bgr8".into(), ..Arrivals::default() }
    }

    fn said(source: &Source, arrivals: &Arrivals, rates: Rates, silent_s: u64) -> (u32, String) {
        let told = input(source, arrivals, rates, Duration::from_secs(silent_s), &Stats::default());
        (u32::from(told.level), told.message)
    }

    const STEADY: Rates = Rates { pictures: 30.0, camera_infos: 30.0 };

    #[test]
    fn the_input_says_what_is_wrong() {
        assert_eq!(said(&source(), &arrivals(), STEADY, 0), (OK, "30.0 Hz, bgr8".into()));
        let nobody = Source { publishers: 0, ..source() };
        assert_eq!(said(&nobody, &arrivals(), STEADY, 0), (WARN, "nobody publishes on /image_raw".into()));
        let deaf = Source { incompatible: true, ..source() };
        assert_eq!(said(&deaf, &arrivals(), STEADY, 0).0, ERROR);
        assert_eq!(said(&source(), &arrivals(), STEADY, 7), (WARN, "no usable picture for 7 s".into()));
        let lossy = Rates { pictures: 0.4, camera_infos: 30.0 };
        let two = Source { publishers: 2, ..source() };
        let foreign = Source { publishers: 0, foreign_types: vec!["std_msgs/msg/String".into()], ..source() };
        let text = "/image_raw carries std_msgs/msg/String, which is no picture: nothing can arrive";
        assert_eq!(said(&foreign, &arrivals(), STEADY, 0), (ERROR, text.into()));
        let standing = Arrivals { stamps_stand: true, ..arrivals() };
        let text = "the pictures' stamps stand still: the node's clock is used instead";
        assert_eq!(said(&source(), &standing, STEADY, 0), (WARN, text.into()));
        let text = "2 publishers on /image_raw: pictures of several cameras are mixed";
        assert_eq!(said(&two, &arrivals(), STEADY, 0), (WARN, text.into()));
        let text = "announced at 30.0 Hz, arriving at 0.4 Hz: pictures are lost on the way, see \"Large pictures\" in the README";
        assert_eq!(said(&source(), &arrivals(), lossy, 0), (WARN, text.into()));
    }

    #[test]
    fn every_reason_of_refusal_is_counted_by_name() {
        let mut bad = arrivals();
        bad.refused.insert("bad_step", 2);
        let told = input(&source(), &bad, STEADY, Duration::ZERO, &Stats::default());
        let value = |name: &str| told.values.iter().find(|v| v.key == name).unwrap().value.clone();
        assert_eq!(
            (value("refused"), value("refused_bad_step"), value("refused_bad_size")),
            ("2".into(), "2".into(), "0".into())
        );
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let written = Written {
            path: Some("/games/a.pgn".into()),
            error: "No space left on device".into(),
            ..Written::default()
        };
        let told = game_file("pgn file", &written);
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (ERROR, "not saved: cannot write /games/a.pgn: No space left on device; trying again")
        );
    }

    #[test]
    fn a_disk_that_does_not_answer_is_an_error() {
        let since = |ago: Duration| Written { unsaved_since: Instant::now().checked_sub(ago), ..Written::default() };
        let told = game_file("pgn file", &since(Duration::from_secs(3)));
        assert_eq!(u32::from(told.level), ERROR);
        assert!(told.message.starts_with("not saved: the disk has not answered for 3."), "{}", told.message);
        assert_eq!(u32::from(game_file("pgn file", &since(Duration::ZERO)).level), OK);
    }
}
