//! What waits for the actor: a bounded number of requests, in order, the newest settings, and the newest picture alone.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::picture::{BadPicture, Picture};
use crate::frame::Stamp;

/// Something that the actor is asked to do between two pictures.
pub type Request<A> = Box<dyn FnOnce(&mut A) + Send>;

/// Requests that wait at most. Between two pictures a handful arrives; who sends more is told that the node is busy.
const MOST_REQUESTS: usize = 32;

/// Stamps that are the same for so long tell no time: a picture sent again and again, or a driver's fault. Pictures that
/// come twice do so within a tenth of this.
const STANDING: Duration = Duration::from_secs(2);

/// What is set and not asked: only the newest of each kind counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// The parameters.
    Params,
    /// What the camera says of itself.
    Camera,
}

/// What the actor does next.
pub enum Next<A> {
    /// Carry out a request.
    Request(Request<A>),
    /// Examine a picture.
    Picture(Box<Picture>),
    /// End.
    Closed,
}

impl<A> fmt::Debug for Next<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request(_) => "Request",
            Self::Picture(_) => "Picture",
            Self::Closed => "Closed",
        })
    }
}

/// What has arrived since the start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrivals {
    /// Pictures, good and bad.
    pub(super) received: u64,
    /// Good pictures that a newer one replaced before they were examined.
    pub replaced: u64,
    /// Good pictures left out because of `max_rate_hz`.
    pub skipped: u64,
    /// Bad pictures, by [`BadPicture::reason`].
    pub refused: BTreeMap<&'static str, u64>,
    /// Why the last bad picture was refused; empty when none was.
    pub(super) last_refusal: String,
    /// Messages on `camera_info`.
    pub(super) camera_infos: u64,
    /// Encoding of the last good picture; empty before the first.
    pub encoding: String,
    /// When the last good picture arrived.
    pub last: Option<Instant>,
    /// Stamp of the last good picture, in seconds.
    pub(super) last_stamp_s: Option<f64>,
    /// Do the stamps stand still, so that the node's clock is used instead?
    pub(super) stamps_stand: bool,
    /// Requests that were told that the node is busy.
    pub busy: u64,
}

/// Who has the actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Requests,
    Pictures,
}

struct State<A> {
    requests: VecDeque<Request<A>>,
    settings: BTreeMap<Setting, Request<A>>,
    /// Whose turn it is, and since when; `None` while the actor waits.
    working: Option<(Turn, Instant)>,
    /// Since when the actor owes something: it was handed its turn then, or could have taken one.
    owed: Option<Instant>,
    /// How much more time requests have had than pictures since both began to wait, in seconds.
    ahead_s: f64,
    newest: Option<Box<Picture>>,
    closed: bool,
    arrivals: Arrivals,
    accepted: Option<Instant>,
    /// The last stamp, and when the first picture with it arrived.
    stamp: Option<(Stamp, Instant)>,
    least_interval: Duration,
}

/// Where pictures and requests wait. Pictures never queue: a slow machine sees fewer of them, not older ones. While both
/// wait, each side gets half of the actor's time: neither a flood of requests nor large pictures can keep the other away.
///
/// `A` is the actor: whoever owns the observer.
pub struct Inbox<A> {
    state: Mutex<State<A>>,
    bell: Condvar,
}

impl<A> Default for State<A> {
    fn default() -> Self {
        Self {
            requests: VecDeque::new(),
            settings: BTreeMap::new(),
            working: None,
            owed: None,
            ahead_s: 0.0,
            newest: None,
            closed: false,
            arrivals: Arrivals::default(),
            accepted: None,
            stamp: None,
            least_interval: Duration::ZERO,
        }
    }
}

impl<A> Default for Inbox<A> {
    fn default() -> Self {
        Self { state: Mutex::default(), bell: Condvar::new() }
    }
}

impl<A> fmt::Debug for Inbox<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("arrivals", &self.arrivals()).finish_non_exhaustive()
    }
}

impl<A> Inbox<A> {
    /// The state is whole after every statement, so a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, State<A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many pictures a second are examined at most; 0 is all.
    pub(super) fn set_max_rate(&self, hz: f64) {
        self.state().least_interval =
            if hz > 0.0 { Duration::try_from_secs_f64(1.0 / hz).unwrap_or_default() } else { Duration::ZERO };
    }

    /// Counts what came from the camera and keeps it, if it is good and not too soon.
    pub fn offer(&self, picture: Result<Picture, BadPicture>, now: Instant) {
        let mut state = self.state();
        state.arrivals.received += 1;
        let mut picture = match picture {
            Ok(picture) => picture,
            Err(error) => return count_refusal(&mut state.arrivals, &error),
        };
        state.arrivals.last = Some(now);
        state.arrivals.last_stamp_s = picture.stamp().map(Stamp::as_s);
        if state.stands(picture.stamp(), now) {
            picture.forget_stamp();
        }
        if state.arrivals.encoding != picture.encoding {
            state.arrivals.encoding.clone_from(&picture.encoding);
        }
        if state.accepted.is_some_and(|last| now.saturating_duration_since(last) < state.least_interval) {
            state.arrivals.skipped += 1;
            return;
        }
        state.accepted = Some(now);
        if state.newest.replace(Box::new(picture)).is_some() {
            state.arrivals.replaced += 1;
        }
        state.owed.get_or_insert_with(Instant::now);
        self.bell.notify_one();
    }

    /// Counts a picture that turned out to be bad when it was decoded.
    pub(super) fn refuse(&self, error: &BadPicture) {
        count_refusal(&mut self.state().arrivals, error);
    }

    /// Counts a message on `camera_info`.
    pub(super) fn count_camera_info(&self) {
        self.state().arrivals.camera_infos += 1;
    }

    /// Is there room for a request? Who gets none is counted.
    pub(super) fn has_room(&self) -> bool {
        let mut state = self.state();
        let room = state.requests.len() < MOST_REQUESTS;
        state.arrivals.busy += u64::from(!room);
        room
    }

    /// Puts a request to the actor. Dropped when the inbox is closed.
    pub fn request(&self, request: impl FnOnce(&mut A) + Send + 'static) {
        let mut state = self.state();
        if !state.closed {
            state.requests.push_back(Box::new(request));
            state.owed.get_or_insert_with(Instant::now);
            self.bell.notify_one();
        }
    }

    /// Has the actor take over a setting before it carries out any request that comes later. A newer one of its kind
    /// takes its place.
    pub fn set(&self, setting: Setting, apply: impl FnOnce(&mut A) + Send + 'static) {
        let mut state = self.state();
        if !state.closed {
            state.settings.insert(setting, Box::new(apply));
            state.owed.get_or_insert_with(Instant::now);
            self.bell.notify_one();
        }
    }

    /// Waits for what comes next: settings and requests first, then the newest picture; in turns while both wait.
    pub fn next(&self) -> Next<A> {
        let mut state = self.state();
        state.charge(Instant::now());
        state.owed = None;
        loop {
            if state.closed {
                return Next::Closed;
            }
            if let Some(next) = state.take(Instant::now()) {
                return next;
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How long the actor has been at what it does now, or has left lying what it could do; `None` while nothing waits.
    #[must_use]
    pub(super) fn working_for(&self) -> Option<Duration> {
        self.state().owed.map(|since| since.elapsed())
    }

    /// Ends the actor: what still waits is dropped.
    pub fn close(&self) {
        self.state().closed = true;
        self.bell.notify_all();
    }

    /// What has arrived so far.
    pub(crate) fn arrivals(&self) -> Arrivals {
        self.state().arrivals.clone()
    }
}

impl<A> State<A> {
    /// Do the stamps stand still?
    fn stands(&mut self, stamp: Option<Stamp>, now: Instant) -> bool {
        let stands = match (stamp, self.stamp) {
            (Some(stamp), Some((last, since))) if stamp == last => now.saturating_duration_since(since) > STANDING,
            _ => {
                self.stamp = stamp.map(|stamp| (stamp, now));
                false
            }
        };
        self.arrivals.stamps_stand = stands;
        stands
    }

    /// Charges the time since the last turn began to who had it.
    fn charge(&mut self, now: Instant) {
        if let Some((turn, since)) = self.working.take() {
            let spent_s = now.saturating_duration_since(since).as_secs_f64();
            self.ahead_s += if turn == Turn::Requests { spent_s } else { -spent_s };
        }
    }

    fn take(&mut self, now: Instant) -> Option<Next<A>> {
        let asked = !self.settings.is_empty() || !self.requests.is_empty();
        if !asked || self.newest.is_none() {
            // Nobody had to wait for the other.
            self.ahead_s = 0.0;
        }
        let (turn, next) = if asked && (self.newest.is_none() || self.ahead_s <= 0.0) {
            let request = self.settings.pop_first().map(|(_, apply)| apply).or_else(|| self.requests.pop_front())?;
            (Turn::Requests, Next::Request(request))
        } else {
            (Turn::Pictures, Next::Picture(self.newest.take()?))
        };
        self.working = Some((turn, now));
        self.owed = Some(now);
        Some(next)
    }
}

fn count_refusal(arrivals: &mut Arrivals, error: &BadPicture) {
    *arrivals.refused.entry(error.reason()).or_default() += 1;
    arrivals.last_refusal = error.to_string();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bag::messages::{Header, Image},
        frame::{FrameError, Stamp},
    };

    fn picture(value: u8) -> Result<Picture, BadPicture> {
        let header = Header { stamp: Stamp::from_s(f64::from(value)), frame_id: String::new() };
        let (encoding, data) = ("mono8".into(), &[value][..]);
        Picture::from_image(Image { header, height: 1, width: 1, encoding, is_bigendian: false, step: 1, data }.write())
    }

    fn value(next: Next<()>) -> u8 {
        let Next::Picture(picture) = next else { panic!("expected a picture, got {next:?}") };
        picture.with_frame(|frame| frame.luma(0, 0)).unwrap()
    }

    #[test]
    fn only_the_newest_picture_waits() {
        let inbox = Inbox::<()>::default();
        for i in 1..=3 {
            inbox.offer(picture(i), Instant::now());
        }
        assert_eq!(value(inbox.next()), 3);
        let arrivals = inbox.arrivals();
        assert_eq!((arrivals.received, arrivals.replaced), (3, 2));
        assert_eq!(arrivals.last_stamp_s, Some(3.0));
    }

    #[test]
    fn a_bad_picture_does_not_push_out_a_good_one() {
        let inbox = Inbox::<()>::default();
        inbox.offer(picture(1), Instant::now());
        inbox.offer(Err(FrameError::Size { width: 0, height: 0 }.into()), Instant::now());
        assert_eq!(value(inbox.next()), 1);
        assert_eq!(inbox.arrivals().refused, BTreeMap::from([("bad_size", 1)]));
        assert_eq!(inbox.arrivals().last_refusal, "picture of 0x0 pixels: each side must be 1 to 16384");
    }

    #[test]
    fn pictures_too_soon_are_skipped() {
        let inbox = Inbox::<()>::default();
        inbox.set_max_rate(10.0);
        let start = Instant::now();
        for i in 0..10 {
            inbox.offer(picture(i), start + Duration::from_millis(30 * u64::from(i)));
        }
        // 0, 120 and 240 ms are taken.
        assert_eq!(inbox.arrivals().skipped, 7);
        assert_eq!(value(inbox.next()), 8);
    }

    #[test]
    fn stamps_that_stand_still_are_no_time_until_they_go_on() {
        let (inbox, begun) = (Inbox::<()>::default(), Instant::now());
        let offer = |value: u8, after_s: f64| {
            inbox.offer(picture(value), begun + Duration::from_secs_f64(after_s));
            let Next::Picture(picture) = inbox.next() else { panic!("no picture") };
            (picture.stamp().is_some(), inbox.arrivals().stamps_stand)
        };
        let (timed, untimed) = ((true, false), (false, true));
        assert_eq!([offer(1, 0.0), offer(1, 0.1), offer(1, 1.9)], [timed; 3]);
        assert_eq!([offer(1, 2.1), offer(1, 60.0)], [untimed; 2]);
        assert_eq!([offer(2, 60.1), offer(1, 60.2), offer(1, 62.0)], [timed; 3]);
        assert_eq!(offer(1, 62.3), untimed);
        // Cameras without stamps are no fault.
        assert_eq!([offer(0, 70.0), offer(0, 80.0)], [(false, false); 2]);
    }

    #[test]
    fn a_flood_of_requests_leaves_pictures_their_half_of_the_time() {
        let mut state = State::<()>::default();
        let (mut now, mut had) = (Instant::now(), [Duration::ZERO; 2]);
        let (request, look) = (Duration::from_millis(3), Duration::from_millis(20));
        for _ in 0..2000 {
            state.charge(now);
            state.requests.push_back(Box::new(|_| ()));
            state.settings.insert(Setting::Params, Box::new(|_| ()));
            state.newest = Some(Box::new(picture(1).unwrap()));
            let (who, took) = match state.take(now).unwrap() {
                Next::Request(_) => (0, request),
                _ => (1, look),
            };
            had[who] += took;
            now += took;
        }
        let share = had[1].as_secs_f64() / (had[0] + had[1]).as_secs_f64();
        assert!((0.48..0.52).contains(&share), "{share}");
    }

    #[test]
    fn time_that_nobody_else_wanted_is_not_held_against_anyone() {
        let (mut state, begun) = (State::<()>::default(), Instant::now());
        for second in 0..100 {
            state.requests.push_back(Box::new(|_| ()));
            let now = begun + Duration::from_secs(second);
            state.charge(now);
            assert!(matches!(state.take(now), Some(Next::Request(_))));
        }
        state.charge(begun + Duration::from_secs(100));
        // Now a picture comes: it is the only one who waits.
        state.newest = Some(Box::new(picture(1).unwrap()));
        assert!(matches!(state.take(begun), Some(Next::Picture(_))));
        state.requests.push_back(Box::new(|_| ()));
        state.newest = Some(Box::new(picture(1).unwrap()));
        state.charge(begun + Duration::from_millis(1));
        assert!(matches!(state.take(begun), Some(Next::Request(_))));
    }

    #[test]
    fn requests_are_bounded_and_only_the_newest_setting_waits() {
        let inbox = Inbox::<()>::default();
        for n in 0..100 {
            assert_eq!(inbox.has_room(), n < MOST_REQUESTS, "{n}");
            if n < MOST_REQUESTS {
                inbox.request(|_| ());
            }
            inbox.set(Setting::Params, |_| ());
            inbox.set(Setting::Camera, |_| ());
        }
        assert_eq!(inbox.arrivals().busy, 100 - MOST_REQUESTS as u64);
        for _ in 0..MOST_REQUESTS + 2 {
            assert!(matches!(inbox.next(), Next::Request(_)));
        }
        inbox.close();
        assert!(matches!(inbox.next(), Next::Closed));
    }

    #[test]
    fn the_actor_is_known_to_work() {
        let inbox = Inbox::<()>::default();
        assert_eq!(inbox.working_for(), None);
        inbox.request(|_| ());
        // It does not come for what waits, or does not end what it has: both are told.
        std::thread::sleep(Duration::from_millis(20));
        assert!(inbox.working_for().unwrap() >= Duration::from_millis(20));
        let _ = inbox.next();
        assert!(inbox.working_for().is_some());
        inbox.close();
        let _ = inbox.next();
        assert_eq!(inbox.working_for(), None);
    }

    #[test]
    fn requests_come_first_and_closing_ends_all() {
        let inbox = Inbox::<()>::default();
        inbox.offer(picture(1), Instant::now());
        inbox.request(|_| ());
        assert!(matches!(inbox.next(), Next::Request(_)));
        inbox.close();
        assert!(matches!(inbox.next(), Next::Closed));
    }
}
