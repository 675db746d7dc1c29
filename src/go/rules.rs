//! The rules by which a game is played.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which positions may not come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ko {
    /// Only a single stone may not be taken back at once.
    Simple,
    /// No position of the whole board may come again.
    Positional,
    /// No position may come again with the same player to play.
    Situational,
}

/// How the winner is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Stones on the board and what they surround.
    Area,
    /// What stones surround, less those that were taken.
    Territory,
}

/// A set of rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// As SGF names it in `RU`.
    pub name: &'static str,
    /// Repetitions.
    pub ko: Ko,
    /// May a player take the last liberty of his own stones? They are taken off then.
    pub(super) suicide: bool,
    /// Who has won.
    pub(super) counting: Counting,
    /// White's usual points for playing second.
    pub komi: f64,
}

impl Rules {
    /// Japanese rules: long cycles end without result, which nobody has to be warned of.
    pub const JAPANESE: Self =
        Self { name: "Japanese", ko: Ko::Simple, suicide: false, counting: Counting::Territory, komi: 6.5 };
    /// Korean rules.
    const KOREAN: Self = Self { name: "Korean", ..Self::JAPANESE };
    /// Chinese rules.
    pub const CHINESE: Self =
        Self { name: "Chinese", ko: Ko::Positional, suicide: false, counting: Counting::Area, komi: 7.5 };
    /// Rules of the American Go Association.
    pub(crate) const AGA: Self =
        Self { name: "AGA", ko: Ko::Situational, suicide: false, counting: Counting::Area, komi: 7.5 };
    /// New Zealand rules.
    pub(super) const NEW_ZEALAND: Self =
        Self { name: "NZ", ko: Ko::Situational, suicide: true, counting: Counting::Area, komi: 7.0 };
    /// Rules of Tromp and Taylor.
    pub(super) const TROMP_TAYLOR: Self =
        Self { name: "Tromp-Taylor", ko: Ko::Positional, suicide: true, counting: Counting::Area, komi: 7.5 };
    /// All that have a name.
    pub const ALL: [Self; 6] =
        [Self::JAPANESE, Self::KOREAN, Self::CHINESE, Self::AGA, Self::NEW_ZEALAND, Self::TROMP_TAYLOR];

    /// The rules of this name, however it is written; `None` where nobody knows them.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain =
            |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        let wanted = match plain(name).as_str() {
            "jp" | "japan" => "japanese".into(),
            "cn" | "china" => "chinese".into(),
            "kr" | "korea" => "korean".into(),
            "newzealand" => "nz".into(),
            other => other.to_owned(),
        };
        Self::ALL.into_iter().find(|r| plain(r.name) == wanted)
    }
}

impl Default for Rules {
    /// Japanese rules: they forbid least, so nobody is warned of what his own rules allow, but for suicide.
    fn default() -> Self {
        Self::JAPANESE
    }
}

/// Why a play is against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// There is a stone already.
    Occupied,
    /// It takes back at once the single stone that has just taken one.
    Ko,
    /// It repeats an earlier position.
    Repeats,
    /// The stone would have no liberty.
    Suicide,
    /// The other player was to play.
    Turn,
}

impl Fault {
    /// One word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Occupied => "occupied",
            Self::Ko => "ko",
            Self::Repeats => "repeats",
            Self::Suicide => "suicide",
            Self::Turn => "turn",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Occupied => "there is a stone already",
            Self::Ko => "the ko may not be taken back at once",
            Self::Repeats => "the position was on the board before",
            Self::Suicide => "the stone has no liberty",
            Self::Turn => "the other player was to play",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_known_by_the_names_that_files_use() {
        for rules in Rules::ALL {
            assert_eq!(Rules::named(rules.name), Some(rules));
        }
        assert_eq!(Rules::named("new zealand"), Some(Rules::NEW_ZEALAND));
        assert_eq!(Rules::named("tromp taylor"), Some(Rules::TROMP_TAYLOR));
        assert_eq!(Rules::named("aga"), Some(Rules::AGA));
        assert_eq!(Rules::named("GOE"), None);
    }
}
