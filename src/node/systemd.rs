//! Words to systemd, where it started the node as a service of type `notify` (`sd_notify(3)`): that it is ready, that it
//! lives, that it ends. Elsewhere nobody listens and nothing is said.

use std::{
    ffi::OsStr,
    os::unix::{
        ffi::OsStrExt as _,
        net::{SocketAddr, UnixDatagram},
    },
};

/// The line to systemd.
#[derive(Debug)]
pub(super) struct Systemd(Option<(UnixDatagram, SocketAddr)>);

impl Systemd {
    /// The line that the environment variable `NOTIFY_SOCKET` names; one on which nobody listens where there is none.
    #[must_use]
    pub(super) fn from_environment() -> Self {
        Self(std::env::var_os("NOTIFY_SOCKET").as_deref().and_then(line))
    }

    /// The node works.
    pub(super) fn ready(&self) {
        self.say("READY=1");
    }

    /// The node lives.
    pub(super) fn alive(&self) {
        self.say("WATCHDOG=1");
    }

    /// The node ends.
    pub fn ending(&self) {
        self.say("STOPPING=1");
    }

    fn say(&self, word: &str) {
        if let Some((socket, to)) = &self.0 {
            // Who does not listen needs no words.
            let _ = socket.send_to_addr(word.as_bytes(), to);
        }
    }
}

fn line(name: &OsStr) -> Option<(UnixDatagram, SocketAddr)> {
    let socket = UnixDatagram::unbound().ok()?;
    socket.set_nonblocking(true).ok()?;
    Some((socket, address(name)?))
}

fn address(name: &OsStr) -> Option<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = name.as_bytes().strip_prefix(b"@") {
        return <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name).ok();
    }
    name.as_bytes().starts_with(b"/").then(|| SocketAddr::from_pathname(name).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_arrive_where_systemd_listens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let listener = UnixDatagram::bind(&path).unwrap();
        let systemd = Systemd(line(path.as_os_str()));
        systemd.ready();
        systemd.alive();
        systemd.ending();
        let mut word = [0; 32];
        for expected in ["READY=1", "WATCHDOG=1", "STOPPING=1"] {
            let n = listener.recv(&mut word).unwrap();
            assert_eq!(&word[..n], expected.as_bytes());
        }
        drop(listener);
        systemd.alive();
        assert!(line(OsStr::new("vsock:2:1")).is_none());
        Systemd(None).alive();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_names_begin_with_an_at_sign() {
        use std::os::linux::net::SocketAddrExt as _;
        let name = format!("chess_observer_test_{}", std::process::id());
        let listener = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(name.as_bytes()).unwrap()).unwrap();
        Systemd(line(OsStr::new(&format!("@{name}")))).alive();
        let mut word = [0; 32];
        assert_eq!(listener.recv(&mut word).unwrap(), b"WATCHDOG=1".len());
    }
}
