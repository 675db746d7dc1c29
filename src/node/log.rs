//! Lines for people, through the ROS log.

/// Writes to the log of a node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Log {
    name: String,
}

/// rcl takes C strings; r2r panics on a NUL inside.
fn printable(text: &str) -> String {
    text.replace('\0', " ")
}

impl Log {
    /// The log called `name`, as r2r's `Node::logger` says it.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// Something worth knowing.
    pub fn info(&self, text: &str) {
        r2r::log_info!(&self.name, "{}", printable(text));
    }

    /// Something that works less well than it could.
    pub fn warn(&self, text: &str) {
        r2r::log_warn!(&self.name, "{}", printable(text));
    }

    /// Something that does not work.
    pub fn error(&self, text: &str) {
        r2r::log_error!(&self.name, "{}", printable(text));
    }
}

/// Passes on what r2r itself reports, which would be lost otherwise.
#[derive(Debug)]
struct Bridge;

impl log::Log for Bridge {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn && metadata.target().starts_with("r2r")
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            r2r::log_warn!("r2r", "{}", printable(&record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

/// Turns the reports of r2r itself into lines of the ROS log. To be called once.
pub fn bridge_r2r() {
    static BRIDGE: Bridge = Bridge;
    if log::set_logger(&BRIDGE).is_ok() {
        log::set_max_level(log::LevelFilter::Warn);
    }
}
