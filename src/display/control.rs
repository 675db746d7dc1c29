//! What people can ask for, and who carries it out.

use std::{future::Future, pin::Pin};

use serde::{Deserialize, Serialize};

/// Something that a person asks of a board's observer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Read the next picture as it is.
    Capture {},
    /// Pause, or go on.
    Pause {
        /// True pauses.
        on: bool,
    },
    /// Take back the last plies.
    TakeBack {
        /// How many.
        plies: u32,
    },
    /// Say what a ply was; one beyond the last was played and not told.
    CorrectMove {
        /// Number of the ply, 0 for the last one.
        ply: u32,
        /// The move as UCI or SAN.
        #[serde(rename = "move")]
        text: String,
    },
    /// Say what stands on the board.
    SetPosition {
        /// As FEN.
        fen: String,
    },
    /// End the game, or open it again.
    SetResult {
        /// `1-0`, `0-1`, `1/2-1/2`, `*`.
        result: String,
    },
    /// Begin a new game.
    NewGame {
        /// First position as FEN; empty for the usual one.
        #[serde(default)]
        fen: String,
        /// White's name; empty leaves it unknown.
        #[serde(default)]
        white: String,
        /// Black's name; empty leaves it unknown.
        #[serde(default)]
        black: String,
    },
    /// Give the board's corners, or search for it again.
    LocateBoard {
        /// x, y of the outer corners a1, h1, h8, a8 in pixels, or none to search.
        corners: Vec<f64>,
    },
    /// Say what ends a move.
    SetMode {
        /// `automatic`, `manual` or `semi_automatic`.
        mode: String,
    },
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// It was carried out.
    pub success: bool,
    /// What was done, or why it was refused.
    pub message: String,
}

impl Answer {
    /// It was not carried out.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self { success: false, message: message.into() }
    }
}

/// An answer to come.
pub type Promise = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Who carries out what people ask for.
pub trait Controls: Send + Sync {
    /// Carries out `command` on the board called `board` in addresses.
    fn carry_out(&self, board: &str, command: Command) -> Promise;
}
