//! What is found at which address.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::{get, post},
};
use futures::{Stream, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_http::{catch_panic::CatchPanicLayer, limit::RequestBodyLimitLayer};

use super::{
    answers::{as_pgn, download, fault},
    control::{Answer, Command},
    desk::{Desk, Shared},
    guard::{self, Refused},
    hall::{Tile, View},
    kept,
    pgn::{self, Publisher},
    words::Plays,
};

/// Largest body of a request: names and positions are short.
const BODY: usize = 16 << 10;
/// A body must be here by then.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Least time between two states that one page is sent: faster than anybody reads.
const PACE: Duration = Duration::from_millis(100);
/// Pictures a page gets: 5 a second at most.
const PICTURE_PACE: Duration = Duration::from_millis(200);
/// A page that waits for a newer picture is answered by then, so that it hears when there is none.
const PICTURE_WAIT: Duration = Duration::from_secs(2);
/// How long an observer may take for an answer.
const PATIENCE: Duration = Duration::from_secs(8);

macro_rules! assets {
    ($($name:literal: $kind:literal),+ $(,)?) => {
        /// The pages and what they need, as the program carries them: name, type, content.
        const ASSETS: &[(&str, &str, &str)] = &[$(($name, $kind, include_str!(concat!("assets/", $name)))),+];
    };
}
assets! {
    "hall.html": "text/html; charset=utf-8",
    "board.html": "text/html; charset=utf-8",
    "game.html": "text/html; charset=utf-8",
    "games.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "chess.js": "text/javascript; charset=utf-8",
    "chess_page.js": "text/javascript; charset=utf-8",
    "go.js": "text/javascript; charset=utf-8",
    "go_page.js": "text/javascript; charset=utf-8",
    "svg.js": "text/javascript; charset=utf-8",
    "common.js": "text/javascript; charset=utf-8",
    "hall.js": "text/javascript; charset=utf-8",
    "looks.js": "text/javascript; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "controls.js": "text/javascript; charset=utf-8",
    "eyes.js": "text/javascript; charset=utf-8",
    "plots.js": "text/javascript; charset=utf-8",
    "line.js": "text/javascript; charset=utf-8",
    "look.js": "text/javascript; charset=utf-8",
    "game.js": "text/javascript; charset=utf-8",
    "games.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

/// All routes.
pub fn routes(desk: Desk) -> Router {
    let games = pgn::routes(desk.publisher.clone());
    let pages = Router::new()
        .route("/", get(|| async { asset("hall.html") }))
        .route("/board/{id}", get(board_page))
        .route("/games", get(|| async { asset("games.html") }))
        .route("/game/{id}", get(game_page))
        .route("/assets/{name}", get(|Path(name): Path<String>| async move { asset(&name) }))
        .route("/api/about", get(about))
        .route("/api/boards", get(boards))
        .route("/api/events", get(hall_events))
        .route("/api/boards/{id}", get(board))
        .route("/api/boards/{id}/events", get(board_events))
        .route("/api/boards/{id}/squares", get(squares))
        .route("/api/boards/{id}/picture.jpg", get(picture))
        .route("/api/boards/{id}/game.pgn", get(|desk, id| record(desk, id, Plays::Chess)))
        .route("/api/boards/{id}/game.sgf", get(|desk, id| record(desk, id, Plays::Go)))
        .route("/api/boards/{id}/looks", get(kept::of_board))
        .route("/api/boards/{id}/commands", post(command))
        .route("/api/boards/{id}/acknowledge", post(acknowledge))
        .route("/api/games", get(kept::games))
        .route("/api/games/{id}", get(kept::whole))
        .route("/api/games/{id}/game.pgn", get(kept::pgn))
        .route("/api/games/{id}/archive", get(kept::archive))
        .route("/api/games/{id}/looks/{number}", get(kept::one))
        .route("/api/games/{id}/looks/{number}/picture.jpg", get(kept::picture))
        .route("/api/games/{id}/looks/{number}/report", get(kept::report))
        .route("/api/token", post(token))
        .with_state(Arc::new(desk));
    guard(pages.merge(games))
}

/// The games of the round alone: for those who are to see no more.
pub fn games_alone(publisher: Publisher) -> Router {
    guard(pgn::routes(publisher))
}

/// What every listener has around its routes.
pub(crate) fn guard(routes: Router) -> Router {
    routes
        .fallback(|| async { fault(StatusCode::NOT_FOUND, "there is no such page") })
        .layer(middleware::from_fn(guarded))
        .layer(RequestBodyLimitLayer::new(BODY))
        .layer(CatchPanicLayer::new())
}

/// The checks that every request passes, and the headers of every answer.
async fn guarded(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let reading = request.method().is_safe();
    let checked = guard::check_host(headers).and_then(|()| if reading { Ok(()) } else { guard::check_origin(headers) });
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(why) => refusal(why),
    };
    let headers = response.headers_mut();
    headers.extend(guard::HEADERS);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn refusal(why: Refused) -> Response {
    let status = if why == Refused::Token { StatusCode::UNAUTHORIZED } else { StatusCode::FORBIDDEN };
    fault(status, &why.to_string())
}

fn no_board() -> Response {
    fault(StatusCode::NOT_FOUND, "there is no such board")
}

fn asset(name: &str) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, content)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *content).into_response()
        }
        None => fault(StatusCode::NOT_FOUND, "there is no such file"),
    }
}

async fn board_page(State(desk): Shared, Path(id): Path<String>) -> Response {
    let mut page = asset("board.html");
    if !desk.hall.has(&id) {
        // The page itself says so, and waits for the board.
        *page.status_mut() = StatusCode::NOT_FOUND;
    }
    page
}

async fn game_page(State(desk): Shared, Path(id): Path<String>) -> Response {
    let mut page = asset("game.html");
    if !desk.library.has(&id) && desk.hall.plays(&id) != Some(Plays::Chess) {
        *page.status_mut() = StatusCode::NOT_FOUND;
    }
    page
}

async fn about(State(desk): Shared) -> Json<Value> {
    Json(json!({ "version": env!("CARGO_PKG_VERSION"), "controls": desk.controls.is_some() }))
}

async fn boards(State(desk): Shared) -> Response {
    let tiles: Vec<_> = desk.hall.tiles().into_iter().map(|tile| tile.json).collect();
    ([(header::CONTENT_TYPE, "application/json")], format!("[{}]", tiles.join(","))).into_response()
}

async fn board(State(desk): Shared, Path(id): Path<String>) -> Response {
    desk.hall.page(&id).map_or_else(no_board, |(_, page)| Json(page).into_response())
}

async fn squares(State(desk): Shared, Path(id): Path<String>) -> Response {
    desk.hall.squares(&id).map_or_else(no_board, |squares| Json(squares).into_response())
}

/// The game of a board on which this is played.
async fn record(State(desk): Shared, Path(id): Path<String>, wanted: Plays) -> Response {
    match desk.hall.text(&id) {
        None => no_board(),
        Some((plays, _)) if plays != wanted => fault(StatusCode::NOT_FOUND, "another game is played on this board"),
        Some((Plays::Chess, pgn)) => as_pgn(&id, pgn),
        Some((Plays::Go, sgf)) => download("application/x-go-sgf", &id, ".sgf", sgf),
    }
}

/// The tiles that have changed, as they change; all of them first.
async fn hall_events(State(desk): Shared) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = desk.hall.watch();
    let events = stream::unfold((desk, changes, None::<Vec<Tile>>), |(desk, mut changes, sent)| async move {
        loop {
            if sent.is_some() {
                tokio::time::sleep(PACE).await;
                changes.changed().await.ok()?;
            }
            changes.mark_unchanged();
            let tiles = desk.hall.tiles();
            let known = |tile: &&Tile| sent.as_ref().is_none_or(|sent| !sent.contains(tile));
            let news: Vec<_> = tiles.iter().filter(known).map(|tile| tile.json.as_ref()).collect();
            if sent.is_none() || !news.is_empty() {
                let event = Event::default().event("tiles").data(format!("[{}]", news.join(",")));
                return Some((Ok(event), (desk, changes, Some(tiles))));
            }
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// One board, whenever it has changed.
async fn board_events(State(desk): Shared, Path(id): Path<String>) -> Response {
    if !desk.hall.has(&id) {
        return no_board();
    }
    let changes = desk.hall.watch();
    let events = stream::unfold((desk, id, changes, None), |(desk, id, mut changes, sent)| async move {
        if sent.is_some() {
            tokio::time::sleep(PACE).await;
        }
        while sent.is_some() && desk.hall.version(&id) == sent {
            changes.changed().await.ok()?;
        }
        let (version, page) = desk.hall.page(&id)?;
        let event: Result<Event, Infallible> = Ok(Event::default().event("board").data(page.to_string()));
        Some((event, (desk, id, changes, Some(version))))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    view: String,
    #[serde(default)]
    after: u64,
}

/// The newest picture, as soon as it is newer than the one that the page has.
async fn picture(State(desk): Shared, Path(id): Path<String>, Query(wanted): Query<Wanted>) -> Response {
    let view = match wanted.view.as_str() {
        "camera" => View::Camera,
        "overlay" | "" => View::Overlay,
        _ => return fault(StatusCode::BAD_REQUEST, "view: expected camera or overlay"),
    };
    let Some(mut pictures) = desk.hall.look(&id, view) else { return no_board() };
    if wanted.after > 0 {
        tokio::time::sleep(PICTURE_PACE).await;
    }
    let newer = pictures.wait_for(|p| p.as_ref().is_some_and(|p| p.number != wanted.after));
    let newest = match tokio::time::timeout(PICTURE_WAIT, newer).await {
        Ok(Ok(newest)) => newest.clone(),
        _ => None,
    };
    match newest {
        Some(picture) => {
            let number = (HeaderName::from_static("x-picture"), picture.number.to_string());
            ([(header::CONTENT_TYPE, "image/jpeg".to_owned()), (number.0, number.1)], picture.jpeg.clone())
                .into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// The body as JSON, whatever its type is called; what is wrong with it is told.
async fn read<T: for<'a> Deserialize<'a>>(request: Request) -> Result<T, Box<Response>> {
    let body = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(request.into_body(), BODY)).await;
    let Ok(Ok(body)) = body else {
        return Err(Box::new(fault(StatusCode::BAD_REQUEST, "the body is too large, too late, or broke off")));
    };
    serde_json::from_slice(&body)
        .map_err(|e| Box::new(fault(StatusCode::BAD_REQUEST, &format!("the body is not as expected: {e}"))))
}

fn authorised(desk: &Desk, headers: &HeaderMap) -> Result<(), Box<Response>> {
    desk.token.check(headers).map_err(|why| Box::new(refusal(why)))
}

async fn command(State(desk): Shared, Path(id): Path<String>, headers: HeaderMap, request: Request) -> Response {
    if let Err(refused) = authorised(&desk, &headers) {
        return *refused;
    }
    let command: Command = match read(request).await {
        Ok(command) => command,
        Err(refused) => return *refused,
    };
    if !desk.hall.has(&id) {
        return no_board();
    }
    let Some(controls) = &desk.controls else {
        return fault(StatusCode::CONFLICT, "these are recorded games: there is nothing to control");
    };
    let late = || Answer::refused("the observer has not answered: does it still run?");
    let answer = tokio::time::timeout(PATIENCE, controls.carry_out(&id, command)).await.unwrap_or_else(|_| late());
    Json(answer).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Acknowledgment {
    alarm: u64,
}

async fn acknowledge(State(desk): Shared, Path(id): Path<String>, headers: HeaderMap, request: Request) -> Response {
    if let Err(refused) = authorised(&desk, &headers) {
        return *refused;
    }
    let about: Acknowledgment = match read(request).await {
        Ok(about) => about,
        Err(refused) => return *refused,
    };
    if desk.hall.acknowledge(&id, about.alarm) {
        Json(Answer { success: true, message: "acknowledged".into() }).into_response()
    } else {
        fault(StatusCode::NOT_FOUND, "there is no such alarm any more")
    }
}

/// Is the token right? So that a page can tell before it is needed.
async fn token(State(desk): Shared, headers: HeaderMap) -> Response {
    match authorised(&desk, &headers) {
        Ok(()) => Json(Answer { success: true, message: "the token is right".into() }).into_response(),
        Err(refused) => *refused,
    }
}
