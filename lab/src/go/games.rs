//! Which games are played? Real ones, read from a folder of SGF files.

use std::{path::Path, sync::Arc};

use chess_observer::{
    files,
    go::{Moment, Size, record::Record},
};

/// Plays of a game that counts as a whole one.
const LEAST_PLAYS: usize = 150;

/// A game for experiments.
#[derive(Debug, Clone)]
pub struct GoGame {
    /// Its file's name.
    pub name: String,
    /// Where it ends; passes are left out, for no picture shows them.
    pub end: Arc<Moment>,
}

impl GoGame {
    /// Plays on the board.
    #[must_use]
    pub fn plays(&self) -> usize {
        self.end.line().len() - 1
    }

    /// The same game cut off after so many plays.
    #[must_use]
    pub fn first(&self, plays: usize) -> Self {
        let line = self.end.line();
        let end = line.get(plays).unwrap_or(&self.end).clone();
        Self { name: self.name.clone(), end }
    }
}

/// The whole games on boards of 19 lines in a folder of SGF files, by their names: without handicap, of 150 plays and more,
/// all of them within the rules. With them how many files were left out.
///
/// # Errors
/// When the folder cannot be read.
pub fn read(folder: &Path) -> Result<(Vec<GoGame>, usize), String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", folder.display());
    let mut paths = vec![];
    for entry in std::fs::read_dir(folder).map_err(|e| told(&e))? {
        let path = entry.map_err(|e| told(&e))?.path();
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sgf")) {
            paths.push(path);
        }
    }
    paths.sort();
    let games: Vec<GoGame> = paths.iter().filter_map(|path| game(path)).collect();
    let left_out = paths.len() - games.len();
    Ok((games, left_out))
}

fn game(path: &Path) -> Option<GoGame> {
    let text = files::text(path, files::LARGEST_TABLE).ok()?;
    let record = Record::read(text.as_bytes()).ok()?;
    let plays = record.plays();
    let is_whole = record.end.board().size() == Size::USUAL
        && record.info.handicap < 2
        && plays.iter().all(|play| play.fault.is_none())
        && plays.iter().filter(|play| play.at.is_some()).count() >= LEAST_PLAYS;
    let mut moment = record.line().first()?.clone();
    if !is_whole || moment.board().stones().next().is_some() {
        return None;
    }
    for play in plays {
        // Passes, and what comes of them, do not show.
        let Some(at) = play.at else { break };
        moment = moment.play(at, &record.info.rules).ok()?;
    }
    let name = path.file_stem()?.to_string_lossy().into_owned();
    (moment.number() >= LEAST_PLAYS).then_some(GoGame { name, end: moment })
}
