//! Games whose looks are kept: lists, whole games, pictures, evidence, reports to download.
//!
//! A game has a name of its own (that of its archive), so an address of it means the same for ever: also after the board
//! has begun another one.

use std::{io::Cursor, sync::Arc};

use axum::{
    Json,
    extract::{Path, Query, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use image::{ImageFormat, imageops::FilterType};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    answers::{as_pgn, download, fault},
    desk::{Desk, Shared},
    library::{aside, ask},
    recorded,
    words::Plays,
};
use crate::archive::{Archive, ArchiveError, EXTENSION};

/// Widths that a picture may be made small to, in pixels: below is no picture, above is the picture itself.
const WIDTHS_PX: std::ops::RangeInclusive<u32> = 64..=640;
/// A kept picture does not change; only a folder that was emptied and filled again has another one of its name.
const KEEP: HeaderValue = HeaderValue::from_static("private, max-age=600");

/// A kept game in a list.
#[derive(Debug, Serialize)]
struct Title {
    id: String,
    white: String,
    black: String,
    event: String,
    date: String,
    result: String,
    plies: usize,
    /// Time of its first look, in seconds since the epoch.
    begun_s: Option<f64>,
}

fn no_look() -> Response {
    fault(StatusCode::NOT_FOUND, "there is no such look, or its picture was let go")
}

/// All kept games, the newest first. One that cannot be read is left out.
pub(super) async fn games(State(desk): Shared) -> Response {
    let games = (desk.library.games)();
    let read = aside(move || {
        let mut titles: Vec<Title> = games.iter().filter_map(|(id, path)| title(id, path).ok()).collect();
        titles.sort_by(|a, b| b.begun_s.unwrap_or(0.0).total_cmp(&a.begun_s.unwrap_or(0.0)));
        Ok(titles)
    });
    read.await.map_or_else(|refused| *refused, |titles| Json(titles).into_response())
}

fn title(id: &str, path: &std::path::Path) -> Result<Title, ArchiveError> {
    let archive = Archive::open(path)?;
    let pgn = archive.about()?.remove("pgn").unwrap_or_default();
    let game = super::game::Game::read(&pgn).unwrap_or_default();
    let (plies, begun_s) = (game.plies.len(), archive.begun_s()?);
    let super::game::Game { white, black, event, date, result, .. } = game;
    Ok(Title { id: id.to_owned(), white, black, event, date, result, plies, begun_s })
}

/// The looks of the game that a board plays.
pub(super) async fn of_board(State(desk): Shared, Path(id): Path<String>) -> Response {
    let games = (desk.library.games)();
    let Some(game) = (desk.library.playing)(&id, &games) else {
        return fault(StatusCode::NOT_FOUND, "no looks are kept of this board");
    };
    match ask(&desk.library, &game, Archive::looks).await {
        Ok(looks) => Json(json!({ "game": game, "looks": looks })).into_response(),
        Err(refused) => *refused,
    }
}

/// A whole game: its plies with times and confidences, and its looks. Of a board whose looks are not kept, its game as it
/// stands.
pub(super) async fn whole(State(desk): Shared, Path(id): Path<String>) -> Response {
    if !desk.library.has(&id) {
        // Of Go no games are kept, and a board's own page shows all of its game.
        let chess = desk.hall.plays(&id) == Some(Plays::Chess);
        let Some((_, page)) = desk.hall.page(&id).filter(|_| chess) else {
            return fault(StatusCode::NOT_FOUND, "there is no such game");
        };
        return Json(with(page, &id, Some(&id), false, json!([]))).into_response();
    }
    let games = (desk.library.games)();
    let mut boards = desk.hall.tiles().into_iter().map(|tile| tile.id);
    let board = boards.find(|board| (desk.library.playing)(board, &games).as_deref() == Some(id.as_str()));
    let read = ask(&desk.library, &id, {
        let id = id.clone();
        move |archive: &Archive| Ok((recorded::page(&id, archive)?, archive.looks()?))
    });
    match read.await {
        Ok((page, looks)) => Json(with(page, &id, board.as_deref(), true, json!(looks))).into_response(),
        Err(refused) => *refused,
    }
}

/// A board's page as a game's: `board` plays it now, `kept` says whether there is an archive.
fn with(mut page: Value, id: &str, board: Option<&str>, kept: bool, looks: Value) -> Value {
    if let Value::Object(page) = &mut page {
        let more = [("id", json!(id)), ("board", json!(board)), ("kept", json!(kept)), ("looks", looks)];
        page.extend(more.map(|(key, value)| (key.to_owned(), value)));
    }
    page
}

/// The game as PGN.
pub(super) async fn pgn(State(desk): Shared, Path(id): Path<String>) -> Response {
    match ask(&desk.library, &id, |archive| Ok(archive.about()?.remove("pgn").unwrap_or_default())).await {
        Ok(pgn) => as_pgn(&id, pgn),
        Err(refused) => *refused,
    }
}

pub(super) async fn one(State(desk): Shared, Path((id, number)): Path<(String, u64)>) -> Response {
    match ask(&desk.library, &id, move |archive| archive.look(number)).await {
        Ok(Some(look)) => Json(look).into_response(),
        Ok(None) => no_look(),
        Err(refused) => *refused,
    }
}

#[derive(Deserialize)]
pub(super) struct Size {
    /// In pixels; the picture as it is where nothing is said.
    width: Option<u32>,
}

/// The picture of a look, as it is or small.
pub(super) async fn picture(
    State(desk): Shared,
    Path((id, number)): Path<(String, u64)>,
    Query(size): Query<Size>,
) -> Response {
    if size.width.is_some_and(|width| !WIDTHS_PX.contains(&width)) {
        return fault(StatusCode::BAD_REQUEST, "width: expected 64 to 640, or none for the picture as it is");
    }
    let _turn = match size.width {
        Some(_) => desk.library.small.acquire().await.ok(),
        None => None,
    };
    let read = move |archive: &Archive| {
        let jpeg = archive.picture(number)?;
        Ok::<_, ArchiveError>(jpeg.map(|jpeg| size.width.and_then(|width| smaller(&jpeg, width)).unwrap_or(jpeg)))
    };
    match ask(&desk.library, &id, read).await {
        Ok(Some(jpeg)) => {
            let kind = HeaderValue::from_static("image/jpeg");
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, KEEP)], jpeg).into_response()
        }
        Ok(None) => no_look(),
        Err(refused) => *refused,
    }
}

/// The same picture, so many pixels wide; `None` where it is smaller, or cannot be read.
fn smaller(jpeg: &[u8], width: u32) -> Option<Vec<u8>> {
    let picture = image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).ok()?;
    if picture.width() <= width {
        return None;
    }
    let mut small = Cursor::new(Vec::new());
    let height = u64::from(picture.height()) * u64::from(width) / u64::from(picture.width());
    let picture = picture.resize(width, u32::try_from(height).ok()?.max(1), FilterType::Triangle);
    picture.write_to(&mut small, ImageFormat::Jpeg).ok()?;
    Some(small.into_inner())
}

/// The archive up to a look, as a file that `chess_observer replay` runs again.
pub(super) async fn report(State(desk): Shared, Path((id, number)): Path<(String, u64)>) -> Response {
    cut(desk, id, number, format!("_look_{number}")).await
}

/// The whole archive.
pub(super) async fn archive(State(desk): Shared, Path(id): Path<String>) -> Response {
    cut(desk, id, u64::MAX, String::new()).await
}

async fn cut(desk: Arc<Desk>, id: String, last: u64, part: String) -> Response {
    let Ok(_turn) = desk.library.making.acquire().await else { return no_look() };
    let made = ask(&desk.library, &id, move |archive| {
        let cannot = |e: std::io::Error| ArchiveError::Foreign { path: "report".into(), why: e.to_string() };
        let folder = tempfile::tempdir().map_err(cannot)?;
        let path = folder.path().join("report");
        archive.cut(last, &path)?;
        std::fs::read(&path).map_err(cannot)
    });
    match made.await {
        Ok(bytes) => download("application/vnd.sqlite3", &id, &format!("{part}.{EXTENSION}"), bytes),
        Err(refused) => *refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_made_small_and_keeps_its_shape() {
        let mut jpeg = Cursor::new(Vec::new());
        image::RgbImage::new(640, 360).write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
        let small = image::load_from_memory(&smaller(jpeg.get_ref(), 160).unwrap()).unwrap();
        assert_eq!((small.width(), small.height()), (160, 90));
        assert_eq!(smaller(jpeg.get_ref(), 640), None);
        assert_eq!(smaller(b"no picture", 160), None);
    }
}
