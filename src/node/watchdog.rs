//! Notices that the node hangs: that the actor is not done with a picture or a request, or that nobody spins any more.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::inbox::Inbox;

/// Where no limit is set, and as the most before a longer one: from how long on a turn is reported. The longest looks, a
/// search for the board in the largest pictures, take a few seconds on a small computer.
const REPORTED_FROM: Duration = Duration::from_secs(15);

/// Somebody's sign of life. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pulse(Arc<Mutex<Instant>>);

impl Default for Pulse {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Pulse {
    /// Shows a sign of life.
    pub(super) fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn age(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

/// How the node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It works.
    Well,
    /// It may hang: what, and for how long.
    Late(String),
    /// It hangs, for longer than was allowed.
    Hung(String),
}

/// Watches the actor and the thread that spins.
#[derive(Debug)]
pub(super) struct Watchdog<A> {
    limit: Option<Duration>,
    inbox: Arc<Inbox<A>>,
    spinning: Pulse,
}

impl<A> Watchdog<A> {
    /// A watchdog that lets a turn take `limit_s` seconds; 0 is for ever.
    #[must_use]
    pub fn new(limit_s: f64, inbox: &Arc<Inbox<A>>, spinning: Pulse) -> Self {
        let limit = Duration::try_from_secs_f64(limit_s).ok().filter(|limit| !limit.is_zero());
        Self { limit, inbox: Arc::clone(inbox), spinning }
    }

    /// How the node is now.
    #[must_use]
    pub fn look(&self) -> Health {
        let actor = self.inbox.working_for().unwrap_or_default();
        let spin = self.spinning.age();
        if spin > actor {
            judge(spin, self.limit, "nothing was taken from the middleware")
        } else {
            judge(actor, self.limit, "no picture or request was finished")
        }
    }
}

fn judge(taken: Duration, limit: Option<Duration>, what: &str) -> Health {
    let said = || format!("{what} for {:.1} s", taken.as_secs_f64());
    match limit {
        Some(limit) if taken >= limit => Health::Hung(said()),
        limit if taken >= limit.map_or(REPORTED_FROM, |limit| REPORTED_FROM.min(limit / 2)) => Health::Late(said()),
        _ => Health::Well,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_reported_and_then_ended() {
        let at = |taken_s: u64, limit_s: Option<u64>| match judge(
            Duration::from_secs(taken_s),
            limit_s.map(Duration::from_secs),
            "nothing was done",
        ) {
            Health::Well => "well".into(),
            Health::Late(why) => format!("late: {why}"),
            Health::Hung(why) => format!("hung: {why}"),
        };
        assert_eq!([at(14, Some(30)), at(14, None), at(4, Some(10))], ["well"; 3]);
        assert_eq!(at(15, Some(30)), "late: nothing was done for 15.0 s");
        assert_eq!(at(5, Some(10)), "late: nothing was done for 5.0 s");
        assert_eq!(at(10, Some(10)), "hung: nothing was done for 10.0 s");
        assert_eq!(at(1_000_000, None), "late: nothing was done for 1000000.0 s");
    }

    #[test]
    fn an_actor_that_waits_is_well_and_one_that_is_at_work_too_long_is_not() {
        let inbox = Arc::new(Inbox::<()>::default());
        let spinning = Pulse::default();
        let watchdog = Watchdog::new(0.01, &inbox, spinning.clone());
        std::thread::sleep(Duration::from_millis(20));
        assert!(matches!(watchdog.look(), Health::Hung(why) if why.starts_with("nothing was taken")));
        inbox.request(|_| ());
        let _ = inbox.next();
        std::thread::sleep(Duration::from_millis(20));
        spinning.beat();
        assert!(matches!(watchdog.look(), Health::Hung(why) if why.starts_with("no picture")));
        let unlimited = Watchdog::new(0.0, &inbox, spinning.clone());
        assert_eq!(unlimited.look(), Health::Well);
    }
}
