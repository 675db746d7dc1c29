//! HTTP with TLS, to one server.

use std::{sync::Arc, time::Duration};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode, Uri,
    body::{Bytes, Incoming},
    header,
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};

use super::token::Token;

/// Longest wait for a connection, and for the head of an answer.
const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(20);
/// A stream sends an empty line every few seconds; one that is silent for so long is dead.
const SILENCE: Duration = Duration::from_secs(25);
/// Largest answer, and longest line of a stream: a game of 600 plies has 4 KB.
const LARGEST: usize = 1 << 20;
/// Largest text that is fetched: a thousand long games.
const LARGEST_TEXT: usize = 8 << 20;

/// Why there is no answer as hoped for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// The server has too much to do: nothing was carried out, and it wants to be left alone for a minute.
    Busy,
    /// It does not do that: its own words.
    Refused(u16, String),
    /// Nobody knows whether it was carried out: what went wrong.
    Unknown(String),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Busy => f.write_str("the server asks to be left alone for a minute (429)"),
            Self::Refused(status, why) => write!(f, "the server refuses ({status}): {why}"),
            Self::Unknown(why) => f.write_str(why),
        }
    }
}

/// Speaks to one server. Cheap to share.
#[derive(Clone)]
pub struct Client {
    base: Arc<str>,
    token: Option<Token>,
    http: Http<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Client {
    /// For the server at `base`, such as `https://lichess.org`. The token goes unencrypted to this machine alone.
    ///
    /// # Errors
    /// One line: no such address, a token that would go over a network unencrypted, or no certificates.
    pub fn new(base: &str, token: Option<Token>) -> Result<Self, String> {
        let wrong = || format!("expected an address such as https://lichess.org, got {base:?}");
        let uri: Uri = base.parse().map_err(|_| wrong())?;
        let host = uri.host().ok_or_else(wrong)?.trim_matches(['[', ']']);
        let own = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if own || token.is_none() => {}
            Some("http") => return Err(format!("{base}: a token goes to other machines over https only")),
            _ => return Err(wrong()),
        }
        let mut http = HttpConnector::new();
        http.set_connect_timeout(Some(CONNECT));
        http.set_nodelay(true);
        http.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
            .map_err(|e| format!("the certificates of this machine cannot be read: {e}"))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let http = Http::builder(TokioExecutor::new()).build(connector);
        Ok(Self { base: base.trim_end_matches('/').into(), token, http })
    }

    async fn ask(&self, method: Method, path: &str, body: Vec<u8>) -> Result<Response<Incoming>, Failed> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::USER_AGENT, concat!("chess_observer/", env!("CARGO_PKG_VERSION")))
            .header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
        let request = match &self.token {
            Some(token) => request.header(header::AUTHORIZATION, token.header()),
            None => request,
        };
        let request = request.body(Full::new(Bytes::from(body)));
        self.answer(request.map_err(|_| Failed::Refused(0, format!("{path:?} is no path")))?).await
    }

    /// Sends a request; an answer that is not as hoped for becomes the reason why.
    async fn answer(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failed> {
        let answer = match timeout(ANSWER, self.http.request(request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(Failed::Unknown(format!("no answer: {}", causes(&error)))),
            Err(_) => return Err(Failed::Unknown(format!("no answer in {} s", ANSWER.as_secs()))),
        };
        let status = answer.status();
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(answer);
        }
        let why = read(answer).await.unwrap_or(Value::Null);
        let why = why.get("error").map_or_else(String::new, |why| why.to_string().chars().take(200).collect());
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS => Failed::Busy,
            _ if status.is_client_error() => Failed::Refused(status.as_u16(), why),
            _ => Failed::Unknown(format!("the server answers {status} {why}")),
        })
    }

    /// Fetches a JSON value.
    ///
    /// # Errors
    /// As [`Failed`] says.
    pub async fn get(&self, path: &str) -> Result<Value, Failed> {
        read(self.ask(Method::GET, path, Vec::new()).await?).await
    }

    /// Fetches a text, unless the one called `known` is still the newest: `None`. Returns its name, where it has one, and it.
    ///
    /// # Errors
    /// As [`Failed`] says.
    pub async fn text(&self, path: &str, known: &str) -> Result<Option<(String, Bytes)>, Failed> {
        let request = Request::get(format!("{}{path}", self.base)).header(header::IF_NONE_MATCH, known);
        let request = request.body(Full::default()).map_err(|_| Failed::Refused(0, format!("{path:?} is no path")))?;
        let answer = self.answer(request).await?;
        if answer.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let tag = answer.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or_default().to_owned();
        bytes(answer, LARGEST_TEXT).await.map(|text| Some((tag, text)))
    }

    /// Asks for something to be done.
    ///
    /// # Errors
    /// As [`Failed`] says.
    pub async fn post(&self, path: &str, body: Vec<u8>) -> Result<Value, Failed> {
        // What was done was done, also where the answer is no JSON.
        Ok(read(self.ask(Method::POST, path, body).await?).await.unwrap_or(Value::Null))
    }

    /// Sends each line of a stream on, until it ends or nobody listens; returns why.
    ///
    /// # Errors
    /// As [`Failed`] says, also when the stream breaks off or falls silent.
    pub async fn lines(&self, path: &str, to: &mpsc::Sender<String>) -> Result<(), Failed> {
        let mut body = self.ask(Method::GET, path, Vec::new()).await?.into_body();
        let mut rest: Vec<u8> = Vec::new();
        loop {
            let frame = match timeout(SILENCE, body.frame()).await {
                Err(_) => return Err(Failed::Unknown(format!("the stream was silent for {} s", SILENCE.as_secs()))),
                Ok(None) => return Ok(()),
                Ok(Some(Err(error))) => return Err(Failed::Unknown(format!("the stream broke off: {error}"))),
                Ok(Some(Ok(frame))) => frame,
            };
            rest.extend(frame.into_data().unwrap_or_default());
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if !line.is_empty() && to.send(line).await.is_err() {
                    return Ok(());
                }
            }
            if rest.len() > LARGEST {
                return Err(Failed::Unknown("the stream has a line without end".into()));
            }
        }
    }
}

fn broken(what: &str) -> Failed {
    Failed::Unknown(format!("the answer cannot be read: {what}"))
}

async fn bytes(answer: Response<Incoming>, most: usize) -> Result<Bytes, Failed> {
    let body = timeout(ANSWER, Limited::new(answer.into_body(), most).collect()).await;
    Ok(body.map_err(|_| broken("too slow"))?.map_err(|e| broken(&e.to_string()))?.to_bytes())
}

async fn read(answer: Response<Incoming>) -> Result<Value, Failed> {
    serde_json::from_slice(&bytes(answer, LARGEST).await?).map_err(|e| broken(&e.to_string()))
}

/// An error with its causes in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace('\n', " ")
}
