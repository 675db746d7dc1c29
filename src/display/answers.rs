//! Answers that several routes give.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::control::Answer;

/// An answer that says in words why there is no other.
pub(crate) fn fault(status: StatusCode, why: &str) -> Response {
    (status, Json(Answer::refused(why))).into_response()
}

/// A game to download.
pub(super) fn as_pgn(id: &str, pgn: String) -> Response {
    download("application/x-chess-pgn", id, ".pgn", pgn)
}

/// A file to download, called `id` (as far as that has letters, digits, `-` and `_`) and `ending`.
pub(super) fn download(kind: &'static str, id: &str, ending: &str, body: impl IntoResponse) -> Response {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name = format!("attachment; filename=\"{}{ending}\"", id.chars().map(plain).collect::<String>());
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static(kind);
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], body).into_response()
}
