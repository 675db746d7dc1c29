//! What is told of a game of Go.
//!
//! Serialised, an event is the object that `chess_observer go --events` writes (there with `frame` and `stamp`). Crossings are
//! named as players do, `Q16`; a pass has none.

use serde::{Deserialize, Serialize};

use super::{Color, Fault};

/// Something that was understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The game begins: the board was seen clearly for the first time, or this was known before.
    Begun {
        /// Lines of the board.
        size: u8,
        /// Black's stones and White's that lie there already.
        stones: [usize; 2],
        /// Stones of the handicap; 0 without one.
        handicap: usize,
    },
    /// A play.
    Play {
        /// Number of the play, 1 for the first.
        number: usize,
        /// `black` or `white`.
        color: Color,
        /// Where; `None` for a pass.
        point: Option<String>,
        /// Stones that it took.
        captured: Vec<String>,
        /// Probability that this was played, 0 to 1.
        confidence: f64,
        /// Probability that it was this play of the game and not an earlier or later one.
        order: f64,
        /// What the rules say against it, where it was let stand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// A play that was told is another one: the stone was moved, or was seen wrongly.
    Revised {
        /// Number of the play.
        number: usize,
        /// Whose it is.
        color: Color,
        /// Where it was said to be.
        was: String,
        /// Where it is.
        point: String,
        /// Stones that it took.
        captured: Vec<String>,
        /// Probability that this was played, 0 to 1.
        confidence: f64,
    },
    /// A play no longer stands.
    TakeBack {
        /// Number of the play that was taken back.
        number: usize,
    },
    /// A play that the rules forbid.
    Illegal {
        /// What they say against it.
        reason: Fault,
        /// Whose stone it is.
        color: Color,
        /// Where.
        point: String,
        /// One sentence for people.
        text: String,
    },
    /// Stones lie otherwise than the plays have left them.
    Displaced {
        /// The crossings.
        points: Vec<String>,
        /// One sentence for people.
        text: String,
    },
    /// What was against the rules, or lay otherwise, was put right.
    Restored,
    /// The picture cannot be told apart or explained; a look at these crossings would settle it.
    Uncertain {
        /// The crossings.
        points: Vec<String>,
    },
    /// Nothing explained the stones for long; the game goes on from them as they lie. The plays between are not known.
    Resumed {
        /// Crossings that are different now.
        points: Vec<String>,
    },
    /// A new game begins; the old one is complete as it stands.
    NewGame,
    /// Somebody has said how the game ended.
    Result {
        /// As SGF writes it.
        result: String,
    },
}

impl Event {
    /// What a warning says to people, one sentence; `None` for what is no warning.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Self::Illegal { text, .. } | Self::Displaced { text, .. } => text.clone(),
            Self::Restored => "The stones lie again as they were played.".into(),
            Self::Uncertain { points } => format!("Unclear; please look at {}.", points.join(", ")),
            Self::Resumed { points } => format!(
                "{} crossings changed and no plays explain it; the game goes on from the stones as they lie.",
                points.len()
            ),
            _ => return None,
        })
    }
}
