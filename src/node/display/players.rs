//! The players file: read at the start, and again when it has changed.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    display::{players::Players, round::Round},
    files,
    node::log::Log,
};

/// What tells that a file is another one: its time and size. `None` where it is not there.
type Mark = Option<(SystemTime, u64)>;

/// Keeps a round's players as the file says.
pub(super) struct PlayersFile {
    path: Option<PathBuf>,
    seen: Mark,
    round: Round,
}

impl PlayersFile {
    /// Reads the file for the first time; an empty name is none.
    ///
    /// # Errors
    /// One line, when it cannot be read.
    pub(super) fn open(path: &str, round: Round) -> Result<Self, String> {
        let path = (!path.is_empty()).then(|| PathBuf::from(path));
        let seen = path.as_deref().and_then(mark);
        if let Some(path) = &path {
            round.set_players(read(path).map_err(|e| format!("parameter pgn.players_file: {e}"))?);
        }
        Ok(Self { path, seen, round })
    }

    /// Reads it again where it has changed. What is wrong with it is told, and what was read before holds.
    pub(super) fn look_again(&mut self, log: &Log) {
        let Some(path) = &self.path else { return };
        let now = mark(path);
        if now == self.seen {
            return;
        }
        self.seen = now;
        match read(path) {
            Ok(players) => {
                log.info(&format!("{}: read again", path.display()));
                self.round.set_players(players);
            }
            Err(error) => log.error(&format!("{error}; the players stay as they were")),
        }
    }
}

fn mark(path: &Path) -> Mark {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

fn read(path: &Path) -> Result<Players, String> {
    let text = files::text(path, files::LARGEST_SETTINGS).map_err(|e| format!("{}: {e}", path.display()))?;
    Players::read(&text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::{Hall, round::Delay};

    #[test]
    fn a_file_that_becomes_wrong_leaves_the_players_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("players.toml");
        let round = Round::new(Hall::default(), Delay::default());
        let log = Log::new("test");
        let text = path.to_str().unwrap();
        assert!(PlayersFile::open(text, round.clone()).err().unwrap().contains("players_file"));
        std::fs::write(&path, "[[board]]\nname = \"a\"\nwhite = { name = \"Ada\" }\n").unwrap();
        let mut file = PlayersFile::open(text, round.clone()).unwrap();
        let has = |name: &str| round.games(std::time::Instant::now()).contains(name);
        assert!(has("[White \"Ada\"]"));
        std::fs::write(&path, "no players").unwrap();
        file.look_again(&log);
        assert!(has("[White \"Ada\"]"));
        std::fs::write(&path, "[[board]]\nname = \"a\"\nwhite = { name = \"Emanuel\" }\n").unwrap();
        file.look_again(&log);
        assert!(has("[White \"Emanuel\"]"));
        std::fs::remove_file(&path).unwrap();
        file.look_again(&log);
        assert!(has("[White \"Emanuel\"]"));
        assert!(PlayersFile::open("", round).unwrap().path.is_none());
    }
}
