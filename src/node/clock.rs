//! The time that ROS says it is: the system's, or that of `/clock`.

use r2r::{Node, builtin_interfaces::msg::Time};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A node's clock. Cheap to clone.
#[derive(Clone)]
pub struct RosClock(Arc<Mutex<r2r::Clock>>);

impl fmt::Debug for RosClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RosClock").field(&self.now()).finish()
    }
}

impl RosClock {
    /// The clock of `node`.
    #[must_use]
    pub fn of(node: &Node) -> Self {
        Self(node.get_ros_clock())
    }

    /// Time since the epoch of ROS; zero where rcl cannot say.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_now().unwrap_or_default()
    }

    /// [`now`](Self::now), for a message.
    #[must_use]
    pub fn stamp(&self) -> Time {
        self.stamp_ahead(0)
    }

    /// [`stamp`](Self::stamp) of a clock that is ahead by so many nanoseconds.
    #[must_use]
    pub(super) fn stamp_ahead(&self, by_ns: i64) -> Time {
        let (now, off) = (self.now(), Duration::from_nanos(by_ns.unsigned_abs()));
        r2r::Clock::to_builtin_time(&if by_ns < 0 { now.saturating_sub(off) } else { now.saturating_add(off) })
    }
}
