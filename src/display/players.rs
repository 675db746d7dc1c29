//! Who plays at which board: the players file of a round.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Most boards that a file may name: the largest open tournaments have some hundreds.
const MOST_BOARDS: usize = 2000;
/// Headers that are not for `headers`: the file has keys of their own for some, and the game tells the others.
const OWN: [&str; 12] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "Board", "Variant", "SetUp", "FEN", "PlyCount"];

/// A round: what all its games have in common, and who plays where.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Players {
    /// Name of the tournament.
    pub event: Option<String>,
    /// Where it is played.
    pub site: Option<String>,
    /// The day, as PGN writes it: `2026.11.23`.
    pub date: Option<String>,
    /// The round.
    pub round: Option<String>,
    /// Further headers of every game.
    pub headers: std::collections::BTreeMap<String, String>,
    /// The boards. Where there are any, no others are told.
    #[serde(rename = "board")]
    pub boards: Vec<Seat>,
}

/// One board and its players.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// Namespace of the board's observer; empty for one without.
    pub name: String,
    /// Number of the board, from 1; one more than the board before it where it is not given.
    pub number: Option<u32>,
    /// Who has White.
    #[serde(default)]
    pub white: Player,
    /// Who has Black.
    #[serde(default)]
    pub black: Player,
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Player {
    /// As PGN writes it: `Lovelace, Ada`.
    pub name: Option<String>,
    /// Rating.
    pub rating: Option<u32>,
    /// Title, such as `WGM`.
    pub title: Option<String>,
    /// Number at FIDE.
    fide_id: Option<u64>,
    /// Team.
    team: Option<String>,
}

impl Players {
    /// Reads a players file (TOML).
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut players: Self = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            format!("line {line}: {}", e.message().replace('\n', " "))
        })?;
        if players.boards.len() > MOST_BOARDS {
            return Err(format!("expected at most {MOST_BOARDS} boards, got {}", players.boards.len()));
        }
        for name in players.headers.keys() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if OWN.contains(&name.as_str())
                || !name.starts_with(|c: char| c.is_ascii_alphabetic())
                || !name.chars().all(word)
            {
                return Err(format!("headers: {name:?} is none that can be given here"));
            }
        }
        players.number_boards()?;
        Ok(players)
    }

    fn number_boards(&mut self) -> Result<(), String> {
        let (mut numbers, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut next = 1;
        for seat in &mut self.boards {
            let number = seat.number.unwrap_or(next);
            if number == 0 || !numbers.insert(number) {
                return Err(format!(
                    "board {:?}: expected a number from 1 that no other board has, got {number}",
                    seat.name
                ));
            }
            if !names.insert(seat.id()) {
                return Err(format!("board {:?} stands there twice", seat.name));
            }
            seat.number = Some(number);
            next = number.saturating_add(1);
        }
        self.boards.sort_by_key(|seat| seat.number);
        Ok(())
    }
}

impl Seat {
    /// The board's name in addresses.
    #[must_use]
    pub fn id(&self) -> String {
        match self.name.trim_matches('/') {
            "" => "the-board".into(),
            name => name.replace('/', "-"),
        }
    }
}

impl Player {
    /// The headers that tell of him, after `White` or `Black`.
    pub(super) fn headers(&self, side: &str) -> Vec<(String, String)> {
        let of = |what: &str, value: Option<String>| value.map(|value| (format!("{side}{what}"), value));
        [
            of("", self.name.clone()),
            of("Title", self.title.clone()),
            of("Elo", self.rating.map(|rating| rating.to_string())),
            of("FideId", self.fide_id.map(|id| id.to_string())),
            of("Team", self.team.clone()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_read_and_its_boards_are_numbered() {
        let players = Players::read(
            "event = \"Open\"\nround = \"3\"\n[headers]\nTimeControl = \"5400+30\"\n\
             [[board]]\nname = \"hall/b\"\nnumber = 7\nwhite = { name = \"Lovelace, Ada\", rating = 2100, title = \"WGM\" }\n\
             [[board]]\nname = \"\"\n[[board]]\nname = \"c\"\nnumber = 1\n",
        )
        .unwrap();
        let boards: Vec<_> = players.boards.iter().map(|seat| (seat.number, seat.id())).collect();
        assert_eq!(boards, [(Some(1), "c".into()), (Some(7), "hall-b".into()), (Some(8), "the-board".into())]);
        let ada = players.boards[1].white.headers("White");
        assert_eq!(
            ada,
            [("White", "Lovelace, Ada"), ("WhiteTitle", "WGM"), ("WhiteElo", "2100")]
                .map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(Players::read(""), Ok(Players::default()));
    }

    #[test]
    fn what_is_wrong_is_told_in_one_line() {
        for (text, told) in [
            ("[[board]]\nnam = \"b\"\n", "line 2: unknown field `nam`"),
            ("[[board]]\n", "missing field `name`"),
            ("[[board]]\nname = \"a\"\n[[board]]\nname = \"/a/\"\n", "board \"/a/\" stands there twice"),
            ("[[board]]\nname = \"a\"\nnumber = 0\n", "expected a number from 1"),
            ("[[board]]\nname = \"a\"\nnumber = 4294967295\n[[board]]\nname = \"b\"\n", "that no other board has"),
            ("[headers]\nWhite = \"x\"\n", "headers: \"White\" is none"),
            ("[headers]\n\"a b\" = \"x\"\n", "headers: \"a b\" is none"),
            ("event = 3\n", "line 1: invalid type"),
        ] {
            let error = Players::read(text).unwrap_err();
            assert!(error.contains(told) && !error.contains('\n'), "{error}");
        }
    }
}
