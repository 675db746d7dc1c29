//! The web socket, and the list of boards over HTTP.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{
        Path, State,
        ws::{Message, WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout},
};

use super::{origin::Origins, session::Session};
use crate::display::{Hall, answers::fault, routes::guard};

/// Programs at a time: a few for each of sixty boards; more would only be an attack.
const PROGRAMS: usize = 256;
/// Longest message that a program may send: a FEN has a hundred signs.
const LONGEST: usize = 16 << 10;
/// Least time between two rounds of events to one program: ten times faster than anybody moves.
const PACE: Duration = Duration::from_millis(30);
/// A program that takes nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often an idle program is asked whether it is still there; one that has been silent for three times as long is let go.
const PING: Duration = Duration::from_secs(30);

/// What the listener needs.
#[derive(Debug, Clone)]
struct Desk {
    hall: Hall,
    origins: Arc<Origins>,
    places: Arc<Semaphore>,
}

/// The routes of the listener: all boards, and each board alone below its name.
pub fn routes(hall: Hall, origins: Origins) -> Router {
    let desk = Desk { hall, origins: Arc::new(origins), places: Arc::new(Semaphore::new(PROGRAMS)) };
    let routes = Router::new()
        .route("/api/v1.0", get(all))
        .route("/api/v1.0/", get(all))
        .route("/api/v1.0/eboards", get(list_all).options(preflight))
        .route("/{board}/api/v1.0", get(one))
        .route("/{board}/api/v1.0/eboards", get(list_one).options(preflight))
        .with_state(desk);
    guard(routes)
}

type Asked = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn all(State(desk): State<Desk>, headers: HeaderMap, asked: Asked) -> Response {
    connect(desk, None, &headers, asked)
}

async fn one(State(desk): State<Desk>, Path(board): Path<String>, headers: HeaderMap, asked: Asked) -> Response {
    connect(desk, Some(board), &headers, asked)
}

fn refused() -> Response {
    fault(StatusCode::FORBIDDEN, "pages of this site may not listen here: name it in the parameter eboard.origins")
}

fn connect(desk: Desk, only: Option<String>, headers: &HeaderMap, asked: Asked) -> Response {
    if !desk.origins.admits(headers).0 {
        return refused();
    }
    let Ok(place) = desk.places.try_acquire_owned() else {
        return fault(StatusCode::SERVICE_UNAVAILABLE, "too many programs listen already");
    };
    match asked {
        Ok(upgrade) => upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| async move {
            converse(socket, desk.hall, only).await;
            drop(place);
        }),
        Err(_) => fault(StatusCode::BAD_REQUEST, "here is a web socket; the list of boards is at /api/v1.0/eboards"),
    }
}

/// Talks with one program until it goes away.
async fn converse(mut socket: WebSocket, hall: Hall, only: Option<String>) {
    let mut changes = hall.watch();
    let mut session = Session::new(hall, only);
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut heard, mut next) = (Instant::now(), Instant::now());
    loop {
        let said = tokio::select! {
            message = socket.recv() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => session.hear(&text),
                    Some(Ok(Message::Binary(bytes))) => session.hear(&String::from_utf8_lossy(&bytes)),
                    // The library answers pings by itself.
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Vec::new(),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            changed = changed_after(&mut changes, next), if session.follows() => {
                if !changed {
                    return;
                }
                next = Instant::now() + PACE;
                session.news()
            }
            _ = ping.tick() => {
                if heard.elapsed() > 3 * PING || !send(&mut socket, Message::Ping(Vec::new().into())).await {
                    return;
                }
                Vec::new()
            }
        };
        for text in said {
            if !send(&mut socket, Message::Text(text.into())).await {
                return;
            }
        }
    }
}

/// Waits for a change, and first until `next`; false when there will be none any more.
async fn changed_after(changes: &mut watch::Receiver<u64>, next: Instant) -> bool {
    sleep_until(next).await;
    changes.changed().await.is_ok()
}

/// False when the program is gone, or takes nothing.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    timeout(PATIENCE, socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
}

async fn list_all(State(desk): State<Desk>, headers: HeaderMap) -> Response {
    list(desk, None, &headers)
}

async fn list_one(State(desk): State<Desk>, Path(board): Path<String>, headers: HeaderMap) -> Response {
    list(desk, Some(board), &headers)
}

fn list(desk: Desk, only: Option<String>, headers: &HeaderMap) -> Response {
    match desk.origins.admits(headers) {
        (true, origin) => (shared_with(origin), Json(Session::new(desk.hall, only).list())).into_response(),
        (false, _) => refused(),
    }
}

/// A browser asks whether a page may read the list.
async fn preflight(State(desk): State<Desk>, headers: HeaderMap) -> Response {
    match desk.origins.admits(&headers) {
        (true, origin) => (StatusCode::NO_CONTENT, shared_with(origin)).into_response(),
        (false, _) => refused(),
    }
}

/// What tells a browser that the page of this site may read an answer from this machine.
fn shared_with(origin: Option<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(origin) = origin.and_then(|origin| HeaderValue::from_str(&origin).ok()) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        headers.insert("access-control-allow-private-network", HeaderValue::from_static("true"));
    }
    headers
}
