//! What waits for the actor: requests, in order, and the newest picture alone.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{
    actor::Actor,
    picture::{BadPicture, Picture},
};

/// Something that the actor is asked to do between two pictures.
pub type Request = Box<dyn FnOnce(&mut Actor) + Send>;

/// What the actor does next.
pub enum Next {
    /// Carry out a request.
    Request(Request),
    /// Examine a picture.
    Picture(Box<Picture>),
    /// End.
    Closed,
}

impl fmt::Debug for Next {
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
    pub received: u64,
    /// Good pictures that a newer one replaced before they were examined.
    pub replaced: u64,
    /// Good pictures left out because of `max_rate_hz`.
    pub skipped: u64,
    /// Bad pictures, by [`BadPicture::reason`].
    pub refused: BTreeMap<&'static str, u64>,
    /// Why the last bad picture was refused; empty when none was.
    pub last_refusal: String,
    /// Messages on `camera_info`.
    pub camera_infos: u64,
    /// Encoding of the last good picture; empty before the first.
    pub encoding: String,
    /// When the last good picture arrived.
    pub last: Option<Instant>,
    /// Stamp of the last good picture, in seconds.
    pub last_stamp_s: Option<f64>,
}

#[derive(Default)]
struct State {
    requests: VecDeque<Request>,
    newest: Option<Box<Picture>>,
    closed: bool,
    arrivals: Arrivals,
    accepted: Option<Instant>,
    least_interval: Duration,
}

/// Where pictures and requests wait. Pictures never queue: a slow machine sees fewer of them, not older ones.
#[derive(Default)]
pub struct Inbox {
    state: Mutex<State>,
    bell: Condvar,
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("arrivals", &self.arrivals()).finish_non_exhaustive()
    }
}

impl Inbox {
    /// The state is whole after every statement, so a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many pictures a second are examined at most; 0 is all.
    pub fn set_max_rate(&self, hz: f64) {
        self.state().least_interval =
            if hz > 0.0 { Duration::try_from_secs_f64(1.0 / hz).unwrap_or_default() } else { Duration::ZERO };
    }

    /// Counts what came from the camera and keeps it, if it is good and not too soon.
    pub fn offer(&self, picture: Result<Picture, BadPicture>, now: Instant) {
        let mut state = self.state();
        state.arrivals.received += 1;
        let picture = match picture {
            Ok(picture) => picture,
            Err(error) => return count_refusal(&mut state.arrivals, &error),
        };
        state.arrivals.last = Some(now);
        state.arrivals.last_stamp_s = picture.stamp().map(crate::frame::Stamp::as_s);
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
        self.bell.notify_one();
    }

    /// Counts a picture that turned out to be bad when it was decoded.
    pub fn refuse(&self, error: &BadPicture) {
        count_refusal(&mut self.state().arrivals, error);
    }

    /// Counts a message on `camera_info`.
    pub fn count_camera_info(&self) {
        self.state().arrivals.camera_infos += 1;
    }

    /// Puts a request to the actor. Dropped when the inbox is closed.
    pub fn request(&self, request: impl FnOnce(&mut Actor) + Send + 'static) {
        let mut state = self.state();
        if !state.closed {
            state.requests.push_back(Box::new(request));
            self.bell.notify_one();
        }
    }

    /// Waits for what comes next: requests first, then the newest picture.
    pub fn next(&self) -> Next {
        let mut state = self.state();
        loop {
            if state.closed {
                return Next::Closed;
            }
            if let Some(request) = state.requests.pop_front() {
                return Next::Request(request);
            }
            if let Some(picture) = state.newest.take() {
                return Next::Picture(picture);
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the actor: what still waits is dropped.
    pub fn close(&self) {
        self.state().closed = true;
        self.bell.notify_all();
    }

    /// What has arrived so far.
    pub fn arrivals(&self) -> Arrivals {
        self.state().arrivals.clone()
    }
}

fn count_refusal(arrivals: &mut Arrivals, error: &BadPicture) {
    *arrivals.refused.entry(error.reason()).or_default() += 1;
    arrivals.last_refusal = error.to_string();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameError;
    use r2r::sensor_msgs::msg::Image;

    fn picture(value: u8) -> Result<Picture, BadPicture> {
        let mut image =
            Image { width: 1, height: 1, step: 1, encoding: "mono8".into(), data: vec![value], ..Default::default() };
        image.header.stamp.sec = i32::from(value);
        Picture::from_image(image)
    }

    fn value(next: Next) -> u8 {
        let Next::Picture(picture) = next else { panic!("expected a picture, got {next:?}") };
        picture.with_frame(|frame| frame.luma(0, 0)).unwrap()
    }

    #[test]
    fn only_the_newest_picture_waits() {
        let inbox = Inbox::default();
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
        let inbox = Inbox::default();
        inbox.offer(picture(1), Instant::now());
        inbox.offer(Err(FrameError::Size { width: 0, height: 0 }.into()), Instant::now());
        assert_eq!(value(inbox.next()), 1);
        assert_eq!(inbox.arrivals().refused, BTreeMap::from([("bad_size", 1)]));
        assert_eq!(inbox.arrivals().last_refusal, "picture of 0x0 pixels: each side must be 1 to 16384");
    }

    #[test]
    fn pictures_too_soon_are_skipped() {
        let inbox = Inbox::default();
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
    fn requests_come_first_and_closing_ends_all() {
        let inbox = Inbox::default();
        inbox.offer(picture(1), Instant::now());
        inbox.request(|_| ());
        assert!(matches!(inbox.next(), Next::Request(_)));
        inbox.close();
        assert!(matches!(inbox.next(), Next::Closed));
    }
}
