//! How the node is doing, at 1 Hz on `/diagnostics`.

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
    picture::BadPicture,
    status::{Shared, Status},
    watchdog::Health,
};
use crate::{
    game::Explanation,
    observer::{BoardState, Pose, PoseSource, Sight, TrackerState},
    sight::features::Contrast,
};

/// Time between reports, as diagnostic_updater has it.
pub const PERIOD: Duration = Duration::from_secs(1);
/// Rates are means over this many periods: steady enough to read, quick enough to see a change.
const RATE_PERIODS: usize = 5;
/// No picture for this long is worth a warning: no camera is slower on purpose.
const SILENCE: Duration = Duration::from_secs(5);
/// Fewer pictures than this part of the `camera_info` messages means that pictures are lost on the way.
const ARRIVING: f64 = 0.5;

/// A disk that has not taken the game for this long is worth an error: moves are told unsaved then.
const SLOW: Duration = Duration::from_millis(500);

const OK: u32 = DiagnosticStatus::OK as u32;
const WARN: u32 = DiagnosticStatus::WARN as u32;
const ERROR: u32 = DiagnosticStatus::ERROR as u32;

/// Reads everybody's counters and publishes them.
#[derive(Debug)]
pub struct Diagnostics {
    publisher: Publisher<DiagnosticArray>,
    node: String,
    clock: RosClock,
    inbox: Arc<Inbox>,
    source: Arc<Mutex<Source>>,
    status: Shared,
    has_tf: bool,
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

impl Diagnostics {
    /// Diagnostics of `node`.
    ///
    /// # Errors
    /// When the middleware refuses the publisher.
    pub fn new(
        node: &mut Node,
        inbox: &Arc<Inbox>,
        source: Arc<Mutex<Source>>,
        status: Shared,
        has_tf: bool,
        log: Log,
    ) -> r2r::Result<Self> {
        Ok(Self {
            publisher: node.create_publisher("/diagnostics", QosProfile::default().keep_last(1))?,
            node: node.fully_qualified_name()?.trim_start_matches('/').to_owned(),
            clock: RosClock::of(node),
            inbox: Arc::clone(inbox),
            source,
            status,
            has_tf,
            history: VecDeque::new(),
            begun: Instant::now(),
            silence: Silence::default(),
            log,
        })
    }

    /// Publishes one report, and tells the console what is awaited; `written` is how the PGN file is doing, `health` how the node's threads are.
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
        let mut input = input(&source, &arrivals, rates, silent, &status);
        if let Some(stamp) = arrivals.last_stamp_s {
            input.values.push(key("age_s", format!("{:.3}", self.clock.now().as_secs_f64() - stamp)));
        }
        message.status = vec![input, board(&status, self.has_tf), tracker(&status, health), pgn_file(written)];
        for status in &mut message.status {
            status.name = format!("{}: {}", self.node, status.name);
            status.hardware_id.clone_from(&source.topic);
        }
        // The next report comes in a second.
        let _ = self.publisher.publish(&message);
    }
}

fn key(key: &str, value: impl ToString) -> KeyValue {
    KeyValue { key: key.into(), value: value.to_string().replace('\0', " ") }
}

fn status(name: &str, level: u32, message: impl Into<String>, values: Vec<KeyValue>) -> DiagnosticStatus {
    DiagnosticStatus {
        name: name.into(),
        level: level as u8,
        message: message.into(),
        values,
        ..DiagnosticStatus::default()
    }
}

fn input(source: &Source, arrivals: &Arrivals, rates: Rates, silent: Duration, actor: &Status) -> DiagnosticStatus {
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
        key("examined", actor.stats.frames),
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
    values.push(key("time_jumps", actor.stats.time_jumps));
    values.push(key("last_refusal", &arrivals.last_refusal));
    status("input", level, message, values)
}

fn board(actor: &Status, has_tf: bool) -> DiagnosticStatus {
    let (mut level, state) = match actor.board {
        BoardState::Searching => (WARN, "searching"),
        BoardState::Locked => (OK, "locked"),
        BoardState::Lost => (WARN, "lost"),
    };
    let mut message = state.to_owned();
    if !actor.camera_problem.is_empty() {
        level = WARN;
        message = format!("{state}; camera_info is not used: {}", actor.camera_problem);
    }
    if !actor.corners_problem.is_empty() {
        level = WARN;
        message = format!("{state}; board.corners are not used: {}", actor.corners_problem);
    }
    let source = actor.pose.map_or("none", |pose| match pose.source {
        PoseSource::CameraInfo => "camera_info",
        PoseSource::Estimated => "estimated",
    });
    let of_pose = |number: fn(&Pose) -> f64, digits: usize| {
        actor.pose.as_ref().map_or_else(String::new, |pose| format!("{:.digits$}", number(pose)))
    };
    let values = vec![
        key("state", state),
        key("square_px", actor.square_px.map_or_else(String::new, |px| format!("{px:.1}"))),
        key("pose", source),
        key("pose_angle_sd_deg", of_pose(|pose| pose.angle_sd_rad.to_degrees(), 2)),
        key("pose_distance_sd_percent", of_pose(|pose| 100.0 * pose.distance_sd, 2)),
        key("focal_px", of_pose(|pose| pose.focal_px, 0)),
        key("camera_info_problem", &actor.camera_problem),
        key("corners_problem", &actor.corners_problem),
        key("tf", if has_tf { "available" } else { "built without tf2_msgs" }),
    ];
    status("board", level, message, values)
}

fn tracker(actor: &Status, health: &Health) -> DiagnosticStatus {
    let (mut level, state) = match actor.tracker {
        TrackerState::NoBoard => (WARN, "no board"),
        TrackerState::Following => (OK, "following"),
        TrackerState::Disturbed => (OK, "something moves on the board"),
        TrackerState::Doubt => (WARN, "at rest and not understood"),
        TrackerState::Illegal => (WARN, "an illegal position stands"),
        TrackerState::Paused => (OK, "paused"),
        TrackerState::Over => (OK, "the game is over"),
    };
    let mut message = state.to_owned();
    if !actor.syzygy_problem.is_empty() {
        level = WARN;
        message = format!("{state}; {}", actor.syzygy_problem);
    }
    if let Health::Late(why) | Health::Hung(why) = health {
        (level, message) = (ERROR, format!("the observer hangs: {why}"));
    }
    let of_sight = |text: fn(&Sight) -> String| actor.sight.as_ref().map_or_else(String::new, text);
    let contrast = actor.sight.as_ref().and_then(|sight| sight.contrast.as_ref());
    let of_contrast = |text: fn(&Contrast) -> String| contrast.map_or_else(String::new, text);
    let values = vec![
        key("state", state),
        key("ply", actor.ply),
        key("disturbed_pictures", actor.stats.disturbed),
        key("looks", actor.stats.looks),
        key("looks_without_board", actor.stats.refused),
        key("squares_covered", of_sight(|sight| sight.covered.to_string())),
        key("squares_in_doubt", of_sight(|sight| sight.in_doubt.to_string())),
        key("mean_reliability", of_sight(|sight| format!("{:.2}", sight.mean_reliability))),
        key("squares_shaded", of_sight(|sight| sight.shaded.to_string())),
        key("light_gain_red", of_sight(|sight| format!("{:.3}", sight.light_gain[0]))),
        key("light_gain_green", of_sight(|sight| format!("{:.3}", sight.light_gain[1]))),
        key("light_gain_blue", of_sight(|sight| format!("{:.3}", sight.light_gain[2]))),
        key("noise_levels", of_sight(|sight| format!("{:.2}", sight.noise_levels))),
        key("change_threshold", of_sight(|sight| format!("{:.2}", sight.change_threshold))),
        key("contrast_delta_e", of_contrast(|contrast| format!("{:.1}", contrast.delta_e))),
        key("contrast_between", of_contrast(|contrast| contrast.between.join(" and "))),
        key("explanations", explanations(&actor.explanations)),
        key("last_picture_ms", format!("{:.1}", 1e3 * actor.last_look.as_secs_f64())),
    ];
    status("tracker", level, message, values)
}

/// `e2e4 0.612, none 0.201`: each ply as UCI with its probability.
fn explanations(open: &[Explanation]) -> String {
    let named = |e: &Explanation| {
        let ply = if e.uci.is_empty() { "none" } else { e.uci.as_str() };
        format!("{ply} {:.3}", e.probability)
    };
    open.iter().map(named).collect::<Vec<_>>().join(", ")
}

fn pgn_file(written: &Written) -> DiagnosticStatus {
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
    status("pgn file", level, message, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Stats;

    fn actor() -> Status {
        Status {
            board: BoardState::Locked,
            square_px: Some(40.0),
            pose: None,
            camera_problem: String::new(),
            corners_problem: String::new(),
            syzygy_problem: String::new(),
            tracker: TrackerState::Following,
            ply: 4,
            sight: None,
            explanations: Vec::new(),
            stats: Stats::default(),
            last_look: Duration::ZERO,
        }
    }

    fn source() -> Source {
        Source { topic: "/image_raw".into(), publishers: 1, ..Source::default() }
    }

    fn arrivals() -> Arrivals {
        Arrivals { received: 30, encoding: "bgr8".into(), ..Arrivals::default() }
    }

    fn said(source: &Source, arrivals: &Arrivals, rates: Rates, silent_s: u64) -> (u32, String) {
        let told = input(source, arrivals, rates, Duration::from_secs(silent_s), &actor());
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
        let told = input(&source(), &bad, STEADY, Duration::ZERO, &actor());
        let value = |name: &str| told.values.iter().find(|v| v.key == name).unwrap().value.clone();
        assert_eq!(
            (value("refused"), value("refused_bad_step"), value("refused_bad_size")),
            ("2".into(), "2".into(), "0".into())
        );
    }

    #[test]
    fn a_calibration_that_is_not_used_is_a_warning() {
        let told = board(&actor(), true);
        assert_eq!((u32::from(told.level), told.message.as_str()), (OK, "locked"));
        let told = board(&Status { camera_problem: "no such lens".into(), ..actor() }, true);
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (WARN, "locked; camera_info is not used: no such lens")
        );
    }

    #[test]
    fn the_last_look_is_told_in_numbers_once_there_is_one() {
        let values = |sight: Option<Sight>| {
            let told = tracker(&Status { sight, ..actor() }, &Health::Well);
            [
                "squares_covered",
                "squares_in_doubt",
                "mean_reliability",
                "light_gain_blue",
                "noise_levels",
                "contrast_delta_e",
                "contrast_between",
            ]
            .map(|name| told.values.iter().find(|v| v.key == name).unwrap().value.clone())
        };
        assert_eq!(values(None), [""; 7]);
        let sight = Sight {
            covered: 3,
            in_doubt: 1,
            mean_reliability: 0.87,
            shaded: 0,
            light_gain: [1.0, 1.0, 0.9],
            noise_levels: 1.25,
            change_threshold: 4.0,
            contrast: Some(Contrast { delta_e: 12.34, between: ["white men", "light squares"] }),
        };
        let told = ["3", "1", "0.87", "0.900", "1.25", "12.3", "white men and light squares"];
        assert_eq!(values(Some(sight)), told);
    }

    #[test]
    fn what_a_look_left_open_is_named() {
        let open = |uci: &str, probability| Explanation { uci: uci.into(), san: String::new(), probability };
        assert_eq!(explanations(&[]), "");
        assert_eq!(explanations(&[open("e2e4", 0.6), open("", 0.25)]), "e2e4 0.600, none 0.250");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let written = Written {
            path: Some("/games/a.pgn".into()),
            error: "No space left on device".into(),
            ..Written::default()
        };
        let told = pgn_file(&written);
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (ERROR, "not saved: cannot write /games/a.pgn: No space left on device; trying again")
        );
    }

    #[test]
    fn a_disk_that_does_not_answer_is_an_error() {
        let since = |ago: Duration| Written { unsaved_since: Instant::now().checked_sub(ago), ..Written::default() };
        let told = pgn_file(&since(Duration::from_secs(3)));
        assert_eq!(u32::from(told.level), ERROR);
        assert!(told.message.starts_with("not saved: the disk has not answered for 3."), "{}", told.message);
        assert_eq!(u32::from(pgn_file(&since(Duration::ZERO)).level), OK);
    }

    #[test]
    fn an_observer_that_hangs_is_an_error() {
        let told = tracker(&actor(), &Health::Late("no picture was finished for 15.0 s".into()));
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (ERROR, "the observer hangs: no picture was finished for 15.0 s")
        );
    }
}
