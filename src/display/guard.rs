//! Who may ask for what, and what browsers are told to refuse.

use std::net::IpAddr;

use axum::http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, HOST, ORIGIN},
};

/// Random bytes of a token: 128 bits cannot be guessed.
const TOKEN_BYTES: usize = 16;
/// The shortest token that a user may set: shorter ones can be tried out over a network.
const LEAST_TOKEN: usize = 8;

/// What every answer tells the browser: nothing from elsewhere, nobody's frame, no guessing of types.
pub(super) const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=()"),
    ),
];

/// The word that controlling needs.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Why a request goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The page that sends it is not ours.
    #[error("this request comes from a page of another site")]
    Foreign,
    /// It was sent to a name that is not this machine's.
    #[error("this server is reached by its address, by a name without a dot, or by a name in .local")]
    Host,
    /// It needs the token.
    #[error("controlling needs the token that the program has printed at its start")]
    Token,
}

impl Token {
    /// A new one by chance.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The one that the user has chosen.
    ///
    /// # Errors
    /// When it is short, or has characters that a header cannot carry.
    pub fn chosen(text: &str) -> Result<Self, String> {
        let fit = text.len() >= LEAST_TOKEN && text.chars().all(|c| c.is_ascii_graphic());
        if fit {
            Ok(Self(text.into()))
        } else {
            Err(format!("token: expected at least {LEAST_TOKEN} letters, digits or signs without spaces"))
        }
    }

    /// The token itself, to be printed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Does the request carry it? Takes the same time whatever is wrong with it.
    ///
    /// # Errors
    /// [`Refused::Token`] where it does not.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let given = headers.get(AUTHORIZATION).and_then(|v| v.as_bytes().strip_prefix(b"Bearer ")).unwrap_or_default();
        let expected = self.0.as_bytes();
        let differ = expected.iter().zip(given).fold(expected.len() ^ given.len(), |d, (a, b)| d | usize::from(a ^ b));
        if differ == 0 { Ok(()) } else { Err(Refused::Token) }
    }
}

/// Was the request sent to this server under a name that nobody else can own? A foreign page can point a name of its own
/// at our address, and its scripts would then count as ours.
///
/// # Errors
/// [`Refused::Host`] where it was not.
pub(super) fn check_host(headers: &HeaderMap) -> Result<(), Refused> {
    let host = headers.get(HOST).and_then(|v| v.to_str().ok()).ok_or(Refused::Host)?;
    let name = name_of(host);
    let own = name.parse::<IpAddr>().is_ok()
        || (!name.is_empty() && !name.contains('.'))
        || name.ends_with(".local") && name.len() > ".local".len();
    if own { Ok(()) } else { Err(Refused::Host) }
}

/// The name in `name:port` or `[address]:port`.
fn name_of(host: &str) -> String {
    if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address.to_owned();
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name).trim_end_matches('.').to_ascii_lowercase()
}

/// Was a request that changes something sent by a page of ours, or by no page at all?
///
/// # Errors
/// [`Refused::Foreign`] where it was sent by another one.
pub(super) fn check_origin(headers: &HeaderMap) -> Result<(), Refused> {
    let text = |name: &HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    if text(&HeaderName::from_static("sec-fetch-site")).is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(Refused::Foreign);
    }
    match (text(&ORIGIN), text(&HOST)) {
        (None, _) => Ok(()),
        (Some(origin), Some(host)) if origin.split_once("://").is_some_and(|(_, own)| own == host) => Ok(()),
        _ => Err(Refused::Foreign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(&'static str, &'static str)]) -> HeaderMap {
        of.iter().map(|(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v))).collect()
    }

    #[test]
    fn tokens_are_long_different_and_checked_whole() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(one != other && one.text().len() == 32);
        let token = Token::chosen("secret-word").unwrap();
        assert_eq!(token.check(&headers(&[("authorization", "Bearer secret-word")])), Ok(()));
        for bad in ["Bearer secret-wore", "Bearer secret-wor", "Bearer secret-word ", "secret-word", "Bearer ", ""] {
            assert_eq!(token.check(&headers(&[("authorization", bad)])), Err(Refused::Token), "{bad:?}");
        }
        assert_eq!(token.check(&headers(&[])), Err(Refused::Token));
        assert!(Token::chosen("short").is_err() && Token::chosen("with some spaces").is_err());
        assert_eq!(format!("{token:?}"), "Token(…)");
    }

    #[test]
    fn only_names_that_nobody_else_can_own_are_ours() {
        for own in ["127.0.0.1:8080", "[::1]:8080", "localhost:8080", "tower", "tower.local:80", "192.168.1.5"] {
            assert_eq!(check_host(&headers(&[("host", own)])), Ok(()), "{own}");
        }
        for other in ["evil.example:8080", "127.0.0.1.evil.example", "", ".local", "localhost.example.:80"] {
            assert_eq!(check_host(&headers(&[("host", other)])), Err(Refused::Host), "{other}");
        }
        assert_eq!(check_host(&headers(&[])), Err(Refused::Host));
    }

    #[test]
    fn pages_of_others_cannot_ask() {
        let ask = |origin| check_origin(&headers(&[("host", "localhost:8080"), ("origin", origin)]));
        assert_eq!(ask("http://localhost:8080"), Ok(()));
        for other in ["http://localhost:8081", "http://evil.example", "null", "http://localhost:8080.evil.example"] {
            assert_eq!(ask(other), Err(Refused::Foreign), "{other}");
        }
        assert_eq!(check_origin(&headers(&[("host", "localhost:8080")])), Ok(()));
        assert_eq!(check_origin(&headers(&[("sec-fetch-site", "cross-site")])), Err(Refused::Foreign));
    }
}
