//! The kept looks of a board: lists, pictures, evidence, reports to download.

use std::{path::PathBuf, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use tokio::sync::Semaphore;

use super::routes::{Shared, fault, plain};
use crate::archive::{Archive, ArchiveError, EXTENSION};

/// Says where the looks of a board of this name are kept.
type Find = dyn Fn(&str) -> Option<PathBuf> + Send + Sync;

/// Where the archives are.
#[derive(Clone)]
pub struct Library {
    /// The file with the looks of a board, by its name in addresses.
    find: Arc<Find>,
    /// Reports are made one at a time: each may be as large as an archive.
    making: Arc<Semaphore>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    /// A library whose files are found by `find`.
    #[must_use]
    pub fn new(find: impl Fn(&str) -> Option<PathBuf> + Send + Sync + 'static) -> Self {
        Self { find: Arc::new(find), making: Arc::new(Semaphore::new(1)) }
    }

    /// One without any.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(|_| None)
    }
}

/// Asks something of a board's archive, beside the threads that serve.
async fn ask<T: Send + 'static>(
    library: &Library,
    board: &str,
    question: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, Box<Response>> {
    let none = || Box::new(fault(StatusCode::NOT_FOUND, "no looks are kept of this board"));
    let path = (library.find)(board).ok_or_else(none)?;
    let answer = tokio::task::spawn_blocking(move || Archive::open(&path).and_then(|archive| question(&archive))).await;
    match answer {
        Ok(Ok(answer)) => Ok(answer),
        // Its path is nobody's business.
        _ => Err(Box::new(fault(StatusCode::INTERNAL_SERVER_ERROR, "the archive of this board cannot be read"))),
    }
}

fn no_look() -> Response {
    fault(StatusCode::NOT_FOUND, "there is no such look, or its picture was let go")
}

pub(super) async fn list(State(desk): Shared, Path(id): Path<String>) -> Response {
    match ask(&desk.library, &id, Archive::looks).await {
        Ok(looks) => Json(looks).into_response(),
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

pub(super) async fn picture(State(desk): Shared, Path((id, number)): Path<(String, u64)>) -> Response {
    match ask(&desk.library, &id, move |archive| archive.picture(number)).await {
        Ok(Some(jpeg)) => ([(header::CONTENT_TYPE, "image/jpeg")], jpeg).into_response(),
        Ok(None) => no_look(),
        Err(refused) => *refused,
    }
}

/// The archive up to a look, as a file that `chess_observer replay` runs again.
pub(super) async fn report(State(desk): Shared, Path((id, number)): Path<(String, u64)>) -> Response {
    let Ok(_turn) = desk.library.making.acquire().await else { return no_look() };
    let made = ask(&desk.library, &id, move |archive| {
        let cannot = |e: std::io::Error| ArchiveError::Foreign { path: "report".into(), why: e.to_string() };
        let folder = tempfile::tempdir().map_err(cannot)?;
        let path = folder.path().join("report");
        archive.cut(number, &path)?;
        std::fs::read(&path).map_err(cannot)
    })
    .await;
    match made {
        Ok(bytes) => download(&format!("{}_look_{number}.{EXTENSION}", plain(&id)), bytes),
        Err(refused) => *refused,
    }
}

/// The whole archive.
pub(super) async fn whole(desk: Shared, Path(id): Path<String>) -> Response {
    report(desk, Path((id, u64::MAX))).await
}

fn download(name: &str, bytes: Vec<u8>) -> Response {
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let headers: [(HeaderName, HeaderValue); 2] = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/vnd.sqlite3")),
        (header::CONTENT_DISPOSITION, name.unwrap_or(HeaderValue::from_static("attachment"))),
    ];
    (headers, bytes).into_response()
}
