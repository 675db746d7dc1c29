//! `/games.pgn` and `/boards/N.pgn`: made to be asked for again and again. Who has the newest text is told so in a few bytes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use sha1::{Digest as _, Sha1};

use super::{answers::fault, round::Round};

/// A text, and since when it is so.
#[derive(Debug, Clone, PartialEq)]
struct Version {
    /// Its name, with quotes.
    etag: String,
    /// The second in which it came, since the epoch.
    second: u64,
    /// Another text came in the same second: that second does not tell which of them somebody has.
    shared: bool,
}

impl Version {
    /// The version of `text` at `second`, after `before`.
    fn of(text: &str, second: u64, before: Option<&Self>) -> Self {
        let hash = Sha1::digest(text.as_bytes());
        let etag = format!("\"{}\"", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        match before {
            Some(before) if before.etag == etag => before.clone(),
            // A clock that was set back makes no text older than the one before it.
            Some(before) => Self { etag, second: second.max(before.second), shared: second <= before.second },
            None => Self { etag, second, shared: false },
        }
    }

    /// Has the client this version already? Its own words for it: the tag, or else the time.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(tags) = text(&header::IF_NONE_MATCH) {
            return tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == self.etag);
        }
        let since = text(&header::IF_MODIFIED_SINCE).and_then(|text| httpdate::parse_http_date(text).ok());
        let since = since.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok()).map(|at| at.as_secs());
        since.is_some_and(|since| since > self.second || (since == self.second && !self.shared))
    }
}

/// Tells the games of a round over HTTP. Cheap to share.
#[derive(Debug, Clone)]
pub struct Publisher {
    round: Round,
    versions: Arc<Mutex<BTreeMap<String, Version>>>,
}

impl Publisher {
    /// Tells the games of this round.
    #[must_use]
    pub fn new(round: Round) -> Self {
        Self { round, versions: Arc::default() }
    }

    fn answer(&self, what: &str, text: String, headers: &HeaderMap) -> Response {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let version = {
            let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
            let version = Version::of(&text, now, versions.get(what));
            versions.insert(what.to_owned(), version.clone());
            version
        };
        let modified = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(version.second));
        let names = [
            (header::ETAG, version.etag.clone()),
            (header::LAST_MODIFIED, modified),
            // To be kept, and to be asked for every time.
            (header::CACHE_CONTROL, "no-cache".into()),
        ];
        if version.is_known(headers) {
            return (StatusCode::NOT_MODIFIED, names).into_response();
        }
        let kind = HeaderValue::from_static("application/x-chess-pgn; charset=utf-8");
        (names, [(header::CONTENT_TYPE, kind)], text).into_response()
    }
}

/// The addresses of the games.
pub fn routes(publisher: Publisher) -> Router {
    Router::new().route("/games.pgn", get(games)).route("/boards/{file}", get(board)).with_state(publisher)
}

async fn games(State(publisher): State<Publisher>, headers: HeaderMap) -> Response {
    publisher.answer("", publisher.round.games(Instant::now()), &headers)
}

async fn board(State(publisher): State<Publisher>, Path(file): Path<String>, headers: HeaderMap) -> Response {
    let text = file.strip_suffix(".pgn").and_then(|which| publisher.round.board(which, Instant::now()));
    text.map_or_else(
        || fault(StatusCode::NOT_FOUND, "this round has no such board"),
        |text| publisher.answer(&file, text, &headers),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(HeaderName, &str)]) -> HeaderMap {
        of.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    fn since(second: u64) -> HeaderMap {
        let at = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        headers(&[(header::IF_MODIFIED_SINCE, &at)])
    }

    #[test]
    fn who_names_the_newest_version_has_it() {
        let first = Version::of("a", 100, None);
        let same = Version::of("a", 105, Some(&first));
        assert_eq!(first, same);
        let second = Version::of("b", 110, Some(&first));
        assert!(second.is_known(&headers(&[(header::IF_NONE_MATCH, &second.etag)])));
        let several = format!("\"x\", W/{}", second.etag);
        assert!(second.is_known(&headers(&[(header::IF_NONE_MATCH, &several)])));
        // The tag goes before the time.
        let mut both = since(500);
        both.extend(headers(&[(header::IF_NONE_MATCH, &first.etag)]));
        assert!(!second.is_known(&both) && !second.is_known(&HeaderMap::new()));
    }

    #[test]
    fn a_second_with_two_texts_tells_nothing() {
        let first = Version::of("a", 100, None);
        assert!(first.is_known(&since(100)) && first.is_known(&since(101)) && !first.is_known(&since(99)));
        let second = Version::of("b", 100, Some(&first));
        assert!(!second.is_known(&since(100)) && second.is_known(&since(101)));
        // A clock that was set back.
        let third = Version::of("c", 50, Some(&second));
        assert!(third.second == 100 && !third.is_known(&since(100)));
        assert!(!third.is_known(&headers(&[(header::IF_MODIFIED_SINCE, "yesterday")])));
    }
}
