//! The one who keeps looks: chooses them beside the observer, and hands them to a thread that writes.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::{
    ArchiveError, EXTENSION,
    file::{Shown, Writing},
    look::{Belief, Look, Why},
};
use crate::{
    event::Event,
    files,
    frame::{Frame, Stamp},
    observer::{Observer, TrackerState},
    params::{Params, SPECS, Value},
};

/// Quiet looks that are kept, each of them, after something was told: they teach what the new men and the bare squares look
/// like, and a replay that has not learnt it decides otherwise where it is close.
const TEACHING: u64 = 8;
/// Of the quiet looks after them one in so many is kept: one in a minute and a half while nobody moves.
const QUIET: u64 = 100;
/// Every look of a doubt is kept for so long, in seconds: the game goes by what it sees twice, so a replay needs them all,
/// and a hand is gone by then.
const DOUBT_WHOLE_S: f64 = 10.0;
/// A doubt that lasts longer is kept once in this time, in seconds: it is looked at five times as often.
const DOUBT_S: f64 = 1.0;
/// Looks that may wait for the disk: three seconds of doubt, 45 MB of pictures of 1280×720.
const WAITING: usize = 16;
/// The size of an archive that nobody has set, in bytes.
pub const MOST_BYTES: u64 = 512 << 20;

/// Where archives go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Into this file, whatever is begun.
    File(PathBuf),
    /// Into this folder, a file a game, named `NAME_date_time`.
    Folder(PathBuf, String),
}

/// What the thread is asked for.
enum Order {
    Keep(Box<Parcel>),
    Stop,
}

/// A look to be written.
struct Parcel {
    look: Look,
    picture: Option<Shown>,
    /// The game as PGN, where it has changed.
    pgn: Option<String>,
    /// A game begins with this look.
    begins: Option<Begins>,
}

/// A game begins.
#[derive(Debug, Clone)]
struct Begins {
    /// The game before it as it ended, where it had a move.
    ended: Option<String>,
}

/// How the archive is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    /// Looks that were written.
    pub written: u64,
    /// Looks that the disk did not take, or was too slow for.
    pub lost: u64,
    /// Why the last one was not written; empty while all is well.
    pub fault: String,
    /// Why the last of the lost ones was lost; empty where none was.
    pub why_lost: String,
}

impl Kept {
    fn loses(&mut self, looks: u64, why: &str) {
        self.lost += looks;
        why.clone_into(&mut self.fault);
        why.clone_into(&mut self.why_lost);
    }
}

/// Keeps looks.
#[derive(Debug)]
pub struct Keeper {
    orders: SyncSender<Order>,
    kept: Arc<Mutex<Kept>>,
    thread: Option<JoinHandle<()>>,
    /// A replay has time: it waits for the disk rather than lose a look.
    waits: bool,
    /// The position and the belief before the picture to come.
    before: (String, Option<Belief>),
    /// Quiet looks since something was told.
    quiet: u64,
    /// A game has begun of which no look was taken yet: whatever is lost, its looks go into a file of their own.
    begins: Option<Begins>,
    /// Games that have ended.
    finished: usize,
    /// When the doubt began, and when it was kept last.
    doubt: Option<(Stamp, Stamp)>,
}

impl Keeper {
    /// Begins; nothing is written before the first look. At most `most_bytes` a file.
    ///
    /// # Errors
    /// When the folder cannot be made, or the thread does not start.
    pub fn new(place: Place, most_bytes: u64, params: &Params) -> std::io::Result<Self> {
        match &place {
            Place::Folder(folder, name) => {
                std::fs::create_dir_all(folder)?;
                // What a killed node has left half begun.
                let begin = format!("{name}_");
                files::tidy(folder, |left| left.starts_with(&begin));
            }
            Place::File(path) if path.exists() => {
                let why = format!("{} exists already: give a new name", path.display());
                return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, why));
            }
            Place::File(path) => files::tidy_beside(path),
        }
        let waits = matches!(place, Place::File(_));
        let (orders, taken) = sync_channel(WAITING);
        let kept = Arc::new(Mutex::new(Kept::default()));
        let about = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("params", parameters(params)),
            ("name", if let Place::Folder(_, name) = &place { name.clone() } else { String::new() }),
        ];
        let thread = {
            let kept = Arc::clone(&kept);
            std::thread::Builder::new().name("archive".into()).spawn(move || {
                Writer { place, most_bytes, about, open: None, kept }.work(&taken);
            })?
        };
        let before = (String::new(), None);
        Ok(Self { orders, kept, thread: Some(thread), waits, before, quiet: 0, begins: None, finished: 0, doubt: None })
    }

    /// Keeps the picture that `observer` has just looked at, if it is worth it: as the `jpeg` that has the pixels of `frame`,
    /// where it came as one. Copies the picture then; beside a camera it never waits.
    pub fn see(&mut self, observer: &Observer, frame: &Frame<'_>, jpeg: Option<&[u8]>, stamp: Stamp, events: &[Event]) {
        let looked = observer.manner().is_some();
        if !looked && events.is_empty() {
            return;
        }
        let doubt = matches!(observer.tracker(), TrackerState::Doubt | TrackerState::Illegal);
        if !doubt {
            self.doubt = None;
        }
        let why = if !events.is_empty() {
            self.quiet = 0;
            Why::Told
        } else if doubt {
            let (begun, last) = self.doubt.unwrap_or((stamp, Stamp(i64::MIN)));
            let whole = (0.0..DOUBT_WHOLE_S).contains(&stamp.since_s(begun));
            if !whole && (0.0..DOUBT_S).contains(&stamp.since_s(last)) {
                return self.remember(observer);
            }
            self.doubt = Some((begun, stamp));
            Why::Doubt
        } else {
            self.quiet += 1;
            if self.quiet > TEACHING && !self.quiet.is_multiple_of(QUIET) {
                return self.remember(observer);
            }
            Why::Quiet
        };
        let picture = jpeg.map_or_else(|| Shown::Pixels(frame.to_rgb()), |jpeg| Shown::Jpeg(jpeg.into()));
        self.keep(Look::of(observer, stamp, why, events, self.before.clone()), Some(picture), observer);
    }

    /// Keeps what a person has said, with the time of the last picture.
    pub fn hear(&mut self, observer: &Observer, stamp: Stamp, events: &[Event]) {
        if !events.is_empty() {
            let look = Look::of(observer, stamp, Why::Said, events, self.before.clone());
            self.keep(Look { manner: None, ..look }, None, observer);
        }
    }

    fn keep(&mut self, look: Look, picture: Option<Shown>, observer: &Observer) {
        if look.events.iter().any(|event| matches!(event, Event::NewGame { .. })) {
            let ended = observer.finished().get(self.finished..).and_then(<[String]>::last).cloned();
            self.finished = observer.finished().len();
            self.begins = Some(Begins { ended });
        }
        let pgn = (!look.events.is_empty()).then(|| observer.pgn());
        let begins = self.begins.clone();
        if self.send(Order::Keep(Box::new(Parcel { look, picture, pgn, begins }))) {
            self.begins = None;
        }
        self.remember(observer);
    }

    fn remember(&mut self, observer: &Observer) {
        self.before = (observer.position().fen.to_string(), observer.squares().map(Belief::of));
    }

    /// False where it is lost.
    fn send(&self, order: Order) -> bool {
        let taken = if self.waits { self.orders.send(order).is_ok() } else { self.orders.try_send(order).is_ok() };
        if !taken {
            self.lost(1, "the disk is too slow");
        }
        taken
    }

    fn lost(&self, looks: u64, why: &str) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).loses(looks, why);
    }

    /// How it is doing.
    #[must_use]
    pub fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes what waits, for at most `patience`. Returns how it went.
    pub fn finish(mut self, patience: Duration) -> Kept {
        let begun = Instant::now();
        let mut stopped = false;
        while begun.elapsed() < patience {
            stopped = stopped || self.orders.try_send(Order::Stop).is_ok();
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        match self.thread.take() {
            Some(thread) if thread.is_finished() => drop(thread.join()),
            Some(_) => self.lost(1, "the disk has not taken the last looks"),
            None => {}
        }
        self.kept()
    }
}

/// The beginning of an archive's name for the node with this full name.
#[must_use]
pub fn stem(node: &str) -> String {
    node.trim_matches('/').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// All parameters as JSON, by name.
fn parameters(params: &Params) -> String {
    let values = SPECS.iter().filter_map(|spec| Some((spec.name, params.get(spec.name)?)));
    let map: std::collections::BTreeMap<&str, Value> = values.collect();
    serde_json::to_string(&map).unwrap_or_default()
}

/// The thread's side.
struct Writer {
    place: Place,
    most_bytes: u64,
    about: Vec<(&'static str, String)>,
    open: Option<Writing>,
    kept: Arc<Mutex<Kept>>,
}

impl Writer {
    fn work(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            match order {
                Order::Keep(parcel) => {
                    let result = self.keep(&parcel);
                    let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                    match result {
                        Ok(()) => {
                            kept.written += 1;
                            kept.fault.clear();
                        }
                        Err(error) => kept.loses(1, &error.to_string()),
                    }
                }
                Order::Stop => return,
            }
        }
    }

    fn keep(&mut self, parcel: &Parcel) -> Result<(), ArchiveError> {
        let Parcel { look, picture, pgn, begins } = parcel;
        if let Some(Begins { ended }) = begins
            && matches!(self.place, Place::Folder(..))
            && let Some(old) = self.open.take()
            && let Some(pgn) = ended
        {
            // Its result may be as new as the game after it. That it cannot be noted keeps nobody from the new one.
            let _ = old.about("pgn", pgn);
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => Writing::open(&self.path(Stamp(look.stamp_ns)), self.most_bytes, &self.about)?,
        };
        let open = self.open.insert(open);
        open.keep(look, picture.as_ref())?;
        pgn.as_ref().map_or(Ok(()), |pgn| open.about("pgn", pgn))
    }

    fn path(&self, begun: Stamp) -> PathBuf {
        let (folder, name) = match &self.place {
            Place::File(path) => return path.clone(),
            Place::Folder(folder, name) => (folder, name),
        };
        let ((year, month, day), seconds) = (begun.utc_date(), begun.0.div_euclid(1_000_000_000).rem_euclid(86_400));
        let time = format!("{:02}{:02}{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let begin = format!("{name}_{year:04}{month:02}{day:02}_{time}");
        // Two games may begin in one second, and recordings begin again: an old file is never written into.
        let file = |n: u32| if n == 1 { format!("{begin}.{EXTENSION}") } else { format!("{begin}_{n}.{EXTENSION}") };
        (1..).map(|n| folder.join(file(n))).find(|path| !path.exists()).unwrap_or_else(|| folder.join(file(1)))
    }
}
