//! A recording through the observer, as fast as the machine allows.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use crate::{
    bag::{BagError, Decoded, Item, Source},
    event::Event,
    frame::{Frame, Stamp},
    observer::{
        CameraError, CameraInfo, Observer,
        go::{GoObserver, Told},
    },
};

/// Somebody who looks at pictures: the observer of a game of chess, or of Go.
pub trait Looks {
    /// What he tells.
    type Told;

    /// Hears of the camera.
    ///
    /// # Errors
    /// When that cannot be true.
    fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError>;

    /// Looks at a picture.
    fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Self::Told>;
}

impl Looks for Observer {
    type Told = Event;

    fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.set_camera_info(info)
    }

    fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Event> {
        self.observe(frame, stamp)
    }
}

impl Looks for GoObserver {
    type Told = Told;

    fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.set_camera_info(info)
    }

    fn observe(&mut self, frame: &Frame<'_>, stamp: Stamp) -> Vec<Told> {
        self.observe(frame, stamp)
    }
}

/// One picture, and what the observer made of it.
#[derive(Debug)]
pub struct Replayed<'a, O: Looks = Observer> {
    /// Number of the picture in its recording, from 0.
    pub index: usize,
    /// When it was taken.
    pub stamp: Stamp,
    /// Name of its file; `None` for a message of a bag.
    pub name: Option<&'a str>,
    /// Its pixels.
    pub frame: Frame<'a>,
    /// The JPEG that has these pixels as they lie, where they came so.
    pub jpeg: Option<&'a [u8]>,
    /// What is new.
    pub events: &'a [O::Told],
    /// The observer after this picture.
    pub observer: &'a O,
}

/// Somebody who looks over the observer's shoulder.
pub trait Watcher<O: Looks = Observer> {
    /// What ends the replay before its time.
    type Stop;

    /// Called before the picture `index` is shown to the observer.
    fn before(&mut self, _index: usize, _observer: &mut O) {}

    /// Called after it.
    ///
    /// # Errors
    /// Whatever should end the replay.
    fn after(&mut self, seen: &Replayed<'_, O>) -> ControlFlow<Self::Stop>;

    /// Called for what could not be used, and for what the recording itself has to say.
    fn aside(&mut self, _index: Option<usize>, _text: &str) {}
}

/// What was replayed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Pictures shown to the observer.
    pub pictures: u64,
    /// Pictures and messages that could not be used.
    pub bad: u64,
    /// Why the first of them could not.
    pub first_bad: Option<String>,
    /// What the recording itself had to say (cut short, for instance).
    pub notes: Vec<String>,
    /// Time spent in the observer.
    pub observing: Duration,
    /// Time in all, reading and decoding included.
    pub total: Duration,
}

/// Why a replay ended early.
#[derive(Debug)]
pub enum Ended<S> {
    /// The recording cannot be read further.
    Source(BagError),
    /// The watcher has had enough.
    Watcher(S),
}

/// Shows every picture of `source` to `observer`. Returns the report in any case, and why it ended if it ended early.
///
/// One bad picture is counted and passed over.
pub fn replay<O: Looks, W: Watcher<O>>(
    source: &mut dyn Source,
    observer: &mut O,
    watcher: &mut W,
) -> (Report, Option<Ended<W::Stop>>) {
    let mut report = Report::default();
    let mut camera = None;
    let start = Instant::now();
    let ended = loop {
        let picture = match source.next_item() {
            Ok(None) => break None,
            Err(e) => break Some(Ended::Source(e)),
            Ok(Some(Item::Picture(picture))) => picture,
            Ok(Some(Item::Bad { index, reason })) => {
                report.count_bad::<O, W>(index, reason, watcher);
                continue;
            }
            Ok(Some(Item::CameraInfo { info, rectified })) => {
                let info = CameraInfo::from_message(*info, rectified);
                if camera.as_ref() != Some(&info) {
                    if let Err(e) = observer.set_camera_info(&info) {
                        report.note::<O, W>(format!("camera_info is not used: {e}"), watcher);
                    }
                    camera = Some(info);
                }
                continue;
            }
            Ok(Some(Item::Note(text))) => {
                report.note::<O, W>(text, watcher);
                continue;
            }
        };
        let name = picture.name.as_deref();
        let decoded = picture.decode();
        let frame = match &decoded {
            Ok(decoded) => decoded.frame().map_err(|e| e.to_string()),
            Err(e) => Err(e.to_string()),
        };
        let frame = match frame {
            Ok(frame) => frame,
            Err(e) => {
                let of = name.map_or_else(|| format!("picture {}", picture.index), str::to_owned);
                report.count_bad::<O, W>(Some(picture.index), format!("{of}: {e}"), watcher);
                continue;
            }
        };
        watcher.before(picture.index, observer);
        let looking = Instant::now();
        let events = observer.observe(&frame, picture.stamp);
        report.observing += looking.elapsed();
        report.pictures += 1;
        let (jpeg, stamp) = (decoded.as_ref().ok().and_then(Decoded::jpeg), picture.stamp);
        let seen = Replayed { index: picture.index, stamp, name, frame, jpeg, events: &events, observer };
        if let ControlFlow::Break(stop) = watcher.after(&seen) {
            break Some(Ended::Watcher(stop));
        }
    };
    report.total = start.elapsed();
    (report, ended)
}

impl Report {
    fn note<O: Looks, W: Watcher<O>>(&mut self, text: String, watcher: &mut W) {
        watcher.aside(None, &text);
        self.notes.push(text);
    }

    fn count_bad<O: Looks, W: Watcher<O>>(&mut self, index: Option<usize>, reason: String, watcher: &mut W) {
        watcher.aside(index, &reason);
        self.bad += 1;
        self.first_bad.get_or_insert(reason);
    }
}
