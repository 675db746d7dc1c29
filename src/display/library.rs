//! Where the games are whose looks are kept, and how their archives are asked.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use axum::{http::StatusCode, response::Response};
use tokio::sync::Semaphore;

use super::answers::fault;
use crate::archive::{Archive, ArchiveError};

/// All kept games: their files by name.
type Games = dyn Fn() -> BTreeMap<String, PathBuf> + Send + Sync;
/// The game that a board plays, as far as it is kept.
type Playing = dyn Fn(&str, &BTreeMap<String, PathBuf>) -> Option<String> + Send + Sync;

/// Pictures that are made small at a time: each costs some 10 ms of a processor.
const MAKING_SMALL: usize = 2;

/// Where the kept games are.
#[derive(Clone)]
pub struct Library {
    pub(super) games: Arc<Games>,
    pub(super) playing: Arc<Playing>,
    /// Reports are made one at a time: each may be as large as an archive.
    pub(super) making: Arc<Semaphore>,
    pub(super) small: Arc<Semaphore>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    /// A library of the files that `games` names; `playing` says which of them a board of this name in addresses plays.
    #[must_use]
    pub fn new(
        games: impl Fn() -> BTreeMap<String, PathBuf> + Send + Sync + 'static,
        playing: impl Fn(&str, &BTreeMap<String, PathBuf>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let (games, playing) = (Arc::new(games), Arc::new(playing));
        Self { games, playing, making: Arc::new(Semaphore::new(1)), small: Arc::new(Semaphore::new(MAKING_SMALL)) }
    }

    /// One without any.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(BTreeMap::new, |_, _| None)
    }

    /// Is there a game of this name?
    pub(super) fn has(&self, game: &str) -> bool {
        (self.games)().contains_key(game)
    }
}

/// Asks something of archives, beside the threads that serve.
pub(super) async fn aside<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Answer<T> {
    match tokio::task::spawn_blocking(question).await {
        Ok(Ok(answer)) => Ok(answer),
        // Its path is nobody's business.
        _ => Err(Box::new(fault(StatusCode::INTERNAL_SERVER_ERROR, "the archive of this game cannot be read"))),
    }
}

pub(super) type Answer<T> = Result<T, Box<Response>>;

/// Asks something of a game's archive.
pub(super) async fn ask<T: Send + 'static>(
    library: &Library,
    game: &str,
    question: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
) -> Answer<T> {
    let none = || Box::new(fault(StatusCode::NOT_FOUND, "no looks are kept of such a game"));
    let path = (library.games)().remove(game).ok_or_else(none)?;
    aside(move || Archive::open(&path).and_then(|archive| question(&archive))).await
}
