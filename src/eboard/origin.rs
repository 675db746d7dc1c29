//! Which web pages may listen to the boards. A browser lets every page open a web socket to this machine and only says whose
//! page it is; programs that are no browsers say nothing.

use std::net::IpAddr;

use axum::http::{HeaderMap, header::ORIGIN};

/// Sites whose pages look for boards on the player's machine.
const SITES: [&str; 3] = ["https://lichess.org", "https://www.chess.com", "https://chess.com"];

/// The sites that may listen, besides pages of this machine.
#[derive(Debug, Clone)]
pub struct Origins(Vec<String>);

impl Origins {
    /// The usual ones, and those in `more`: `https://name` or `http://name:port`, separated by spaces.
    ///
    /// # Errors
    /// When one is no origin; the text says which.
    pub fn new(more: &str) -> Result<Self, String> {
        let mut known: Vec<_> = SITES.map(str::to_owned).into();
        for origin in more.split_whitespace() {
            let name = origin.split_once("://").map(|(_, name)| name).unwrap_or_default();
            if name.is_empty() || name.contains('/') {
                return Err(format!("expected origins such as https://lichess.org, got {origin:?}"));
            }
            known.push(origin.to_ascii_lowercase());
        }
        Ok(Self(known))
    }

    /// May who sends these headers listen? Also, whose page it is.
    #[must_use]
    pub(super) fn admits(&self, headers: &HeaderMap) -> (bool, Option<String>) {
        let Some(origin) = headers.get(ORIGIN) else { return (true, None) };
        let Ok(origin) = origin.to_str() else { return (false, None) };
        let known = self.0.iter().any(|known| known.eq_ignore_ascii_case(origin)) || is_of_this_machine(origin);
        (known, Some(origin.to_owned()))
    }
}

/// Is it a page that this machine has served to itself?
fn is_of_this_machine(origin: &str) -> bool {
    let Some((_, host)) = origin.split_once("://") else { return false };
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) => name,
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn known_sites_and_this_machine_may_listen_and_others_not() {
        let origins = Origins::new("http://club.example:8000").unwrap();
        let admits = |origin: &str| {
            let headers = [(ORIGIN, HeaderValue::from_str(origin).unwrap())].into_iter().collect();
            origins.admits(&headers).0
        };
        for known in [
            "https://lichess.org",
            "https://www.chess.com",
            "http://localhost:9663",
            "http://127.0.0.1",
            "http://[::1]:80",
            "http://club.example:8000",
        ] {
            assert!(admits(known), "{known}");
        }
        for other in [
            "https://evil.example",
            "http://lichess.org",
            "https://lichess.org.evil.example",
            "https://localhost.evil.example",
            "null",
            "http://192.168.1.5",
            "",
        ] {
            assert!(!admits(other), "{other}");
        }
        assert!(origins.admits(&HeaderMap::new()).0);
        assert!(Origins::new("lichess.org").is_err() && Origins::new("https://a/b").is_err());
    }
}
