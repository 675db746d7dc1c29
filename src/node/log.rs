//! Lines for people, through the ROS log: the console, rcl's log file, and `/rosout`.
//!
//! Since Iron rcl leaves `/rosout` to client libraries, and r2r does not publish there: so this does, with an ordinary
//! publisher.

use r2r::{Node, Publisher, QosProfile, builtin_interfaces::msg::Time, rcl_interfaces::msg::Log as Line};
use std::{
    fmt,
    panic::Location,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, SystemTime},
};

use super::{arguments::RosArguments, level::Level};

/// Writes to the log of a node. Cheap to clone.
#[derive(Clone)]
pub struct Log(Arc<Inner>);

struct Inner {
    name: String,
    /// Lines below it are not written, as [`Level`].
    least: AtomicU8,
    rosout: Option<Mutex<Publisher<Line>>>,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Log").field(&self.0.name).finish()
    }
}

const ROSOUT: &str = "/rosout";

/// As rcl publishes there: who comes late hears the last ten seconds.
const ROSOUT_QOS: QosProfile =
    QosProfile::default().keep_last(1000).transient_local().lifespan(Duration::from_secs(10));

/// rcl takes C strings; r2r panics on a NUL inside.
fn printable(text: &str) -> String {
    text.replace('\0', " ")
}

impl Log {
    /// The log called `name`, as r2r's `Node::logger` says it, without `/rosout`.
    #[cfg(test)]
    pub fn new(name: &str) -> Self {
        Self(Arc::new(Inner { name: name.to_owned(), least: AtomicU8::new(Level::Info as u8), rosout: None }))
    }

    /// The log of `node`, on `/rosout` as well unless `arguments` forbid it, or rcl does that itself (Humble).
    ///
    /// # Errors
    /// When the middleware refuses the publisher.
    pub fn of(node: &mut Node, arguments: &RosArguments) -> r2r::Result<Self> {
        let name = node.logger().to_owned();
        let (own_name, own_namespace) = (node.name()?, node.namespace()?);
        let by_rcl = node
            .get_publishers_info_by_topic(ROSOUT, false)
            .is_ok_and(|all| all.iter().any(|p| p.node_name == own_name && p.node_namespace == own_namespace));
        let rosout = if arguments.rosout() && !by_rcl {
            Some(Mutex::new(node.create_publisher(ROSOUT, ROSOUT_QOS)?))
        } else {
            None
        };
        let least = AtomicU8::new(arguments.log_level(&name) as u8);
        Ok(Self(Arc::new(Inner { name, least, rosout })))
    }

    /// What the log is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Lines below this level are not written.
    #[must_use]
    pub fn least(&self) -> Level {
        Level::numbered(self.0.least.load(Ordering::Relaxed).into()).unwrap_or(Level::Info)
    }

    /// Sets that level. The console has none below the level that the node was started with.
    pub(super) fn set_least(&self, level: Level) {
        self.0.least.store(level as u8, Ordering::Relaxed);
    }

    /// Something worth knowing.
    #[track_caller]
    pub fn info(&self, text: &str) {
        self.write(Level::Info, text);
    }

    /// Something that works less well than it could.
    #[track_caller]
    pub(crate) fn warn(&self, text: &str) {
        self.write(Level::Warn, text);
    }

    /// Something that does not work.
    #[track_caller]
    pub fn error(&self, text: &str) {
        self.write(Level::Error, text);
    }

    #[track_caller]
    fn write(&self, level: Level, text: &str) {
        if level < self.least() {
            return;
        }
        let (name, text) = (&self.0.name, printable(text));
        match level {
            Level::Debug | Level::Info => r2r::log_info!(name, "{text}"),
            Level::Warn => r2r::log_warn!(name, "{text}"),
            Level::Error | Level::Fatal => r2r::log_error!(name, "{text}"),
        }
        let Some(rosout) = &self.0.rosout else { return };
        let caller = Location::caller();
        let line = Line {
            stamp: system_time(),
            level: level as u8,
            name: name.clone(),
            msg: text,
            file: caller.file().into(),
            function: String::new(),
            line: caller.line(),
        };
        // Where that fails the node is ending; the console has the line.
        let _ = rosout.lock().unwrap_or_else(PoisonError::into_inner).publish(&line);
    }
}

/// The log keeps the system's time, whatever `/clock` says, as rcl's does.
fn system_time() -> Time {
    r2r::Clock::to_builtin_time(&SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

/// What r2r says as an error where nothing is there to be taken, which is nothing unusual.
const NOTHING_TAKEN: &str = "failed to take serialized message";

/// Passes on what r2r itself reports, which would be lost otherwise.
#[derive(Debug)]
struct Bridge;

impl log::Log for Bridge {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn && metadata.target().starts_with("r2r")
    }

    fn log(&self, record: &log::Record<'_>) {
        let said = record.args().to_string();
        if self.enabled(record.metadata()) && said != NOTHING_TAKEN {
            r2r::log_warn!("r2r", "{}", printable(&said));
        }
    }

    fn flush(&self) {}
}

/// Turns the reports of r2r itself into lines of the ROS log. To be called once.
pub(super) fn bridge_r2r() {
    static BRIDGE: Bridge = Bridge;
    if log::set_logger(&BRIDGE).is_ok() {
        log::set_max_level(log::LevelFilter::Warn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_quiet_below_its_level() {
        let log = Log::new("test");
        assert_eq!(log.least(), Level::Info);
        log.clone().set_least(Level::Error);
        assert_eq!(log.least(), Level::Error);
    }
}
