//! What the node waits for, told on the console: once, and again when it changes. `/diagnostics` say it all the time.

use std::{
    mem::discriminant,
    time::{Duration, Instant},
};

use super::{
    inbox::Arrivals,
    input::Source,
    status::{Missing, Reports},
};

/// No progress for so long is told: a camera that starts up, and a search for the board, take less.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same for a board of which it is not known at once why it is not found: by then the observer has found out (after ten seconds
/// of pictures).
const BOARD_PATIENCE: Duration = Duration::from_secs(12);
/// What comes and goes is not told again sooner.
const AGAIN: Duration = Duration::from_secs(60);
/// A camera may be silent for so many times its longest silence so far.
const USUAL_SILENCE: u32 = 3;

/// What is awaited.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Awaited {
    /// Somebody who publishes pictures.
    Publisher,
    /// A publisher of pictures, where there is one of something else.
    Type,
    /// A publisher that offers what is asked for.
    Reliability,
    /// Pictures, from publishers that are there.
    Picture,
    /// A picture that can be read.
    GoodPicture,
    /// A board in the pictures: why there is none.
    Board {
        /// What stays the same while only numbers and names in `why` change.
        kind: &'static str,
        /// For people.
        why: String,
    },
    /// The board that was there: how else to say where it is.
    LostBoard(&'static str),
}

/// A line for the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// What is awaited, and what to do.
    Waits(String),
    /// That it goes on after that.
    GoesOn(String),
}

/// Remembers what was told.
#[derive(Debug, Clone)]
pub(super) struct Silence {
    waits: Option<(Awaited, Instant)>,
    /// What was told last, and when.
    told: Option<(Awaited, Instant)>,
    /// Does what was told last still hold?
    open: bool,
    /// When the last picture came, as far as known, and the longest time between two.
    last: Option<Instant>,
    longest: Duration,
}

impl Default for Silence {
    fn default() -> Self {
        Self { waits: None, told: None, open: false, last: None, longest: Duration::ZERO }
    }
}

impl Silence {
    /// Looks at how things are, `now`, and says what the console should say of it. To be called about once a second.
    pub fn look(&mut self, source: &Source, arrivals: &Arrivals, actor: &impl Reports, now: Instant) -> Option<Line> {
        if let (Some(last), Some(before)) = (arrivals.last, self.last)
            && last != before
        {
            self.longest = self.longest.max(last.saturating_duration_since(before));
        }
        self.last = arrivals.last;
        let allowed = PATIENCE.max(self.longest * USUAL_SILENCE);
        let quiet = arrivals.last.is_none_or(|last| now.saturating_duration_since(last) > allowed);
        match awaited(source, arrivals, actor, quiet) {
            Some(what) => {
                let same = |known: &Awaited| discriminant(known) == discriminant(&what);
                let since = self.waits.as_ref().filter(|(kind, _)| same(kind)).map_or(now, |(_, since)| *since);
                self.waits = Some((what.clone(), since));
                let patience = match what {
                    // A camera that was there has been quiet for long enough already.
                    Awaited::Picture if self.last.is_some() => Duration::ZERO,
                    Awaited::Board { kind, .. } if !kind.is_empty() => BOARD_PATIENCE,
                    _ => PATIENCE,
                };
                let known = self.told.as_ref().is_some_and(|(told, at)| {
                    let is_old = now.saturating_duration_since(*at) >= AGAIN;
                    // Another reason is told as well, but not every one of those that take turns.
                    same(told) && if self.open { !(is_old && is_other_reason(told, &what)) } else { !is_old }
                });
                if known || now.saturating_duration_since(since) < patience {
                    return None;
                }
                let line = said(&what, source, arrivals);
                (self.told, self.open) = (Some((what, now)), true);
                Some(Line::Waits(line))
            }
            None => {
                self.waits = None;
                // Between two pictures of a slow camera nothing is known.
                let goes_on = self.open && !quiet;
                self.open &= !goes_on;
                goes_on.then(|| Line::GoesOn(format!("pictures come on {} and the board is there", source.topic)))
            }
        }
    }
}

/// Is the board not there for another reason?
fn is_other_reason(told: &Awaited, now: &Awaited) -> bool {
    match (told, now) {
        (Awaited::Board { kind: told, .. }, Awaited::Board { kind: now, .. }) => told != now,
        _ => false,
    }
}

/// What keeps the node from following a game; `None` while nothing does. `quiet`: no picture has come for long.
fn awaited(source: &Source, arrivals: &Arrivals, actor: &impl Reports, quiet: bool) -> Option<Awaited> {
    let refused: u64 = arrivals.refused.values().sum();
    if source.publishers == 0 {
        return Some(if source.foreign_types.is_empty() { Awaited::Publisher } else { Awaited::Type });
    }
    if source.incompatible {
        return Some(Awaited::Reliability);
    }
    if arrivals.received > 0 && arrivals.received == refused {
        return Some(Awaited::GoodPicture);
    }
    if quiet {
        return Some(Awaited::Picture);
    }
    actor.missing().map(|missing| match missing {
        Missing::Board { kind, why } => Awaited::Board { kind, why },
        Missing::Lost(cure) => Awaited::LostBoard(cure),
    })
}

fn said(what: &Awaited, source: &Source, arrivals: &Arrivals) -> String {
    let topic = &source.topic;
    match what {
        Awaited::Publisher if source.elsewhere.is_empty() => format!(
            "waiting for pictures: nobody publishes on {topic}; start the camera, or name its topic \
             (-r image_raw:=TOPIC, image_topic:=TOPIC of the launch files)"
        ),
        Awaited::Publisher => match source.elsewhere.iter().find(|other| source.is_other_transport(other)) {
            Some(other) => format!(
                "waiting for pictures: nobody publishes on {topic}, but on {other}; set image_transport to auto"
            ),
            None => {
                let others = source.elsewhere.join(", ");
                let base = source.elsewhere[0].trim_end_matches("/compressed");
                format!(
                    "waiting for pictures: nobody publishes on {topic}; there are pictures on {others}: name the topic \
                     (-r image_raw:={base}, and -r image_raw/compressed:={base}/compressed; image_topic:={base} of the \
                     launch files)"
                )
            }
        },
        Awaited::Type => format!(
            "waiting for pictures: {topic} carries {}, which is no picture; name the topic of the camera \
             (-r image_raw:=TOPIC, image_topic:=TOPIC of the launch files)",
            source.foreign_types.join(", ")
        ),
        Awaited::Reliability => format!(
            "waiting for pictures: a publisher on {topic} offers best effort and image_reliability is reliable, so none is \
             received (incompatible policy: RELIABILITY); set image_reliability to auto"
        ),
        Awaited::Picture => format!(
            "waiting for pictures: {} on {topic}, and no picture comes; is the camera running? Large best-effort pictures \
             may be lost on the way: see \"Large pictures\" in the README",
            match source.publishers {
                1 => "there is a publisher".to_owned(),
                n => format!("there are {n} publishers"),
            }
        ),
        Awaited::GoodPicture => format!("waiting for a picture that can be read: {}", arrivals.last_refusal),
        Awaited::Board { why, .. } => format!(
            "waiting for the board: pictures come on {topic}, and {why}; look at ~/overlay, or give board.corners"
        ),
        Awaited::LostBoard(cure) => format!(
            "waiting for the board: it is not where it was; give the camera a clear view of all of it, or {cure}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        node::status::Status,
        observer::{BoardState, Stats, TrackerState},
    };
    use std::collections::BTreeMap;

    fn actor(board: BoardState, tracker: TrackerState) -> Status {
        Status {
            board,
            square_px: None,
            mirrored: false,
            hindrance: None,
            pose: None,
            camera_problem: String::new(),
            corners_problem: String::new(),
            syzygy_problem: String::new(),
            tracker,
            ply: 0,
            sight: None,
            explanations: Vec::new(),
            stats: Stats::default(),
            has_tf: true,
            last_look: Duration::ZERO,
        }
    }

    fn source(publishers: usize) -> Source {
        Source { topic: "/image_raw".into(), publishers, ..Source::default() }
    }

    /// What is said at each of so many seconds of the same.
    struct Told(Silence, Instant);

    impl Told {
        fn new() -> Self {
            Self(Silence::default(), Instant::now())
        }

        fn seconds(&mut self, seconds: u32, source: &Source, pictures: bool, actor: &Status) -> Vec<String> {
            let mut lines = Vec::new();
            for _ in 0..seconds {
                self.1 += Duration::from_secs(1);
                let last = if pictures { Some(self.1) } else { self.0.last };
                let arrivals = Arrivals { received: u64::from(last.is_some()), last, ..Arrivals::default() };
                lines.extend(self.0.look(source, &arrivals, actor, self.1).map(|line| match line {
                    Line::Waits(text) => text,
                    Line::GoesOn(text) => format!("on: {text}"),
                }));
            }
            lines
        }
    }

    #[test]
    fn what_is_awaited_is_told_once_after_five_seconds_and_again_when_it_changes() {
        let (mut told, searching) = (Told::new(), actor(BoardState::Searching, TrackerState::NoBoard));
        let following = actor(BoardState::Locked, TrackerState::Following);
        assert!(told.seconds(5, &source(0), false, &searching).is_empty());
        let [line] = &told.seconds(100, &source(0), false, &searching)[..] else { panic!("not once") };
        assert!(line.starts_with("waiting for pictures: nobody publishes on /image_raw; start the camera"), "{line}");
        // The camera comes, and shows no board.
        assert!(told.seconds(12, &source(1), true, &searching).is_empty());
        let [line] = &told.seconds(100, &source(1), true, &searching)[..] else { panic!("not once") };
        assert!(line.starts_with("waiting for the board: pictures come on /image_raw"), "{line}");
        let lines = told.seconds(100, &source(1), true, &following);
        assert_eq!(lines, ["on: pictures come on /image_raw and the board is there"]);
        // The camera is pulled out, and put in again.
        assert_eq!(told.seconds(20, &source(0), false, &following).len(), 1);
        assert_eq!(told.seconds(20, &source(1), true, &following).len(), 1);
    }

    #[test]
    fn the_reason_why_there_is_no_board_is_told_and_another_one_after_a_minute() {
        use crate::event::hindrance::Hindrance;
        let why =
            |hindrance| Status { hindrance: Some(hindrance), ..actor(BoardState::Searching, TrackerState::NoBoard) };
        let mut told = Told::new();
        assert!(told.seconds(10, &source(1), true, &why(Hindrance::NoBoard)).is_empty());
        let [line] = &told.seconds(10, &source(1), true, &why(Hindrance::Dark))[..] else { panic!("not once") };
        assert!(line.contains("pictures come on /image_raw, and the picture is too dark"), "{line}");
        assert!(told.seconds(30, &source(1), true, &why(Hindrance::Bare)).is_empty());
        let [line] = &told.seconds(100, &source(1), true, &why(Hindrance::Bare))[..] else { panic!("not once") };
        assert!(line.contains("nothing stands on it"), "{line}");
    }

    #[test]
    fn a_good_start_and_short_gaps_are_not_worth_a_word() {
        let mut told = Told::new();
        assert!(told.seconds(3, &source(0), false, &actor(BoardState::Searching, TrackerState::NoBoard)).is_empty());
        assert!(told.seconds(3, &source(1), true, &actor(BoardState::Searching, TrackerState::NoBoard)).is_empty());
        let following = actor(BoardState::Locked, TrackerState::Following);
        for _ in 0..20 {
            assert!(told.seconds(3, &source(1), true, &following).is_empty());
            assert!(told.seconds(4, &source(1), false, &following).is_empty());
        }
    }

    #[test]
    fn a_camera_of_one_picture_in_twenty_seconds_is_not_told_of_for_ever() {
        let (mut told, following) = (Told::new(), actor(BoardState::Locked, TrackerState::Following));
        let mut lines = Vec::new();
        for _ in 0..50 {
            lines.extend(told.seconds(1, &source(1), true, &following));
            lines.extend(told.seconds(19, &source(1), false, &following));
        }
        assert_eq!(lines.len(), 2, "{lines:?}");
    }

    #[test]
    fn every_silence_has_its_cure() {
        let good = || Arrivals { received: 9, last: Some(Instant::now()), ..Arrivals::default() };
        let searching = actor(BoardState::Searching, TrackerState::NoBoard);
        let line = |source: &Source, arrivals: &Arrivals, quiet| {
            said(&awaited(source, arrivals, &searching, quiet).unwrap(), source, arrivals)
        };
        let elsewhere = Source { elsewhere: vec!["/cam/image".into(), "/x/compressed".into()], ..source(0) };
        let text = line(&elsewhere, &good(), false);
        assert!(text.contains("on /cam/image, /x/compressed: name the topic (-r image_raw:=/cam/image,"), "{text}");
        let compressed = || vec!["/image_raw/compressed".to_owned()];
        let mismatch = Source { elsewhere: compressed(), other_topics: compressed(), ..source(0) };
        assert!(line(&mismatch, &good(), false).ends_with("but on /image_raw/compressed; set image_transport to auto"));
        let foreign = Source { foreign_types: vec!["std_msgs/msg/String".into()], ..source(0) };
        assert!(line(&foreign, &good(), false).contains("carries std_msgs/msg/String, which is no picture"));
        let deaf = Source { incompatible: true, ..source(1) };
        assert!(line(&deaf, &good(), true).contains("RELIABILITY"));
        assert!(line(&source(2), &good(), true).contains("there are 2 publishers on /image_raw, and no picture comes"));
        let bad = Arrivals {
            refused: BTreeMap::from([("bad_size", 9)]),
            last_refusal: "picture of 0x0 pixels".into(),
            ..good()
        };
        assert_eq!(line(&source(1), &bad, false), "waiting for a picture that can be read: picture of 0x0 pixels");
        let lost = actor(BoardState::Lost, TrackerState::NoBoard);
        assert_eq!(
            awaited(&source(1), &good(), &lost, false),
            Some(Awaited::LostBoard("its corners with ~/locate_board"))
        );
        let paused = actor(BoardState::Searching, TrackerState::Paused);
        assert_eq!(awaited(&source(1), &good(), &paused, false), None);
    }
}
