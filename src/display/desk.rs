//! What all routes have at hand.

use std::sync::Arc;

use axum::extract::State;

use super::{control::Controls, guard::Token, hall::Hall, library::Library, pgn::Publisher};

/// What the pages are made from.
#[derive(Clone)]
pub struct Desk {
    /// The boards.
    pub hall: Hall,
    /// Who carries out what people ask for; `None` where there is nothing to control.
    pub controls: Option<Arc<dyn Controls>>,
    /// The looks that are kept.
    pub library: Library,
    /// The games of the round, as others may have them.
    pub publisher: Publisher,
    /// What controlling needs.
    pub token: Token,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("hall", &self.hall).field("controls", &self.controls.is_some()).finish()
    }
}

/// As a route gets it.
pub(super) type Shared = State<Arc<Desk>>;
