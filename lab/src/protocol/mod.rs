//! Ways in which one and the same game may come before the observer: as stills with their times or without, and as films
//! of many and of few pictures a second. What differs between them is not the game's fault.
//!
//! A film shows at each of its moments the picture that stands then. Where that was shown before, its noise is fresh: a
//! camera never takes one picture twice. Of stills a film is made by holding each for a time by chance.
//!
//! | module | idea |
//! | --- | --- |
//! | `slots` | which picture is shown when |
//! | `grain` | fresh noise |
//! | `witness` | an observer that is shown a game under one protocol |
//! | `source` | where the pictures come from; one pass for all protocols |

mod grain;
mod slots;
mod source;
mod witness;

use serde::{Deserialize, Serialize};

pub use self::source::{Showing, Shown, Simulated, Source, SourceError};

/// A way in which a game comes before the observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Single pictures, each a look of its own, at the times at which they were taken.
    Stills,
    /// The same with no times known: they come as a folder without times is read, five a second.
    Untimed,
    /// A film of so many pictures in ten seconds.
    Film(u32),
}

impl Protocol {
    /// All of them: films of 30, 10, 5, 2, 1 and 0.2 pictures a second.
    pub const ALL: [Self; 8] = [
        Self::Stills,
        Self::Untimed,
        Self::Film(300),
        Self::Film(100),
        Self::Film(50),
        Self::Film(20),
        Self::Film(10),
        Self::Film(2),
    ];
    /// Of the quick version: without times, and the film that a slow computer still follows.
    pub const QUICK: [Self; 2] = [Self::Untimed, Self::Film(20)];

    /// Is it read as single pictures?
    #[must_use]
    pub const fn is_stills(self) -> bool {
        !matches!(self, Self::Film(_))
    }

    /// A few words for people: `film 0.2/s`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Stills => "stills, true times".into(),
            Self::Untimed => "stills, no times".into(),
            Self::Film(in_ten_s) => format!("film {}/s", f64::from(in_ten_s) / 10.0),
        }
    }
}
