//! Which recordings may be looked at and fitted on, and which only judge.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use chess_observer::files;
use serde::Deserialize;

use super::truth::TruthError;

/// The file that says it, in the folder of all recordings.
pub const FILE: &str = "splits.toml";
/// Simulated games of seeds below this may be looked at and fitted on; the others judge.
pub const FIRST_JUDGE_SEED: u64 = 1000;
/// The folder in which collections of single pictures are.
const SINGLES: &str = "locate/";

/// One of the two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// To look at, to fit on, to debug with.
    Train,
    /// It gives scores, and nothing else.
    Judge,
}

/// Recordings and collections of single pictures, and which half each belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Data {
    folder: PathBuf,
    names: Names,
}

/// Names from the folder: `real/one`, `locate/another`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
struct Names {
    train: Vec<String>,
    judge: Vec<String>,
}

impl Data {
    /// What is in a folder; `None` where no file says which half is which.
    ///
    /// # Errors
    /// When that file is malformed, or names something in both halves.
    pub fn read(folder: &Path) -> Result<Option<Self>, TruthError> {
        let path = folder.join(FILE);
        let wrong = |why: String| TruthError { path: path.clone(), why };
        let text = match files::text(&path, files::LARGEST_SETTINGS) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(wrong(e.to_string())),
        };
        let names: Names = toml::from_str(&text).map_err(|e| wrong(e.message().to_owned()))?;
        match names.train.iter().find(|name| names.judge.contains(name)) {
            Some(name) => Err(wrong(format!("{name:?} is in both halves: what has been looked at cannot judge"))),
            None => Ok(Some(Self { folder: folder.into(), names })),
        }
    }

    fn of(&self, half: Half, are_singles: bool, file: &str) -> Vec<PathBuf> {
        let names = if half == Half::Train { &self.names.train } else { &self.names.judge };
        let wanted = names.iter().filter(|name| name.starts_with(SINGLES) == are_singles);
        wanted.map(|name| self.folder.join(name)).filter(|path| path.join(file).is_file()).collect()
    }

    /// The recordings of a half, as far as they are there.
    #[must_use]
    pub fn recordings(&self, half: Half) -> Vec<PathBuf> {
        self.of(half, false, "events.csv")
    }

    /// The collections of single pictures of a half, as far as they are there.
    #[must_use]
    pub fn singles(&self, half: Half) -> Vec<PathBuf> {
        self.of(half, true, "locate.csv")
    }

    /// Is this folder, by whatever path, one that only judges?
    #[must_use]
    pub fn is_judge(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let path = real(path);
        path.is_some() && self.names.judge.iter().any(|name| real(&self.folder.join(name)) == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_read_and_nothing_is_in_both() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Data::read(dir.path()).unwrap(), None);
        let write = |text: &str| fs::write(dir.path().join(FILE), text).unwrap();
        write("train = [\"real/a\", \"locate/b\"]\njudge = [\"real/c\"]\n");
        let data = || Data::read(dir.path()).unwrap().unwrap();
        assert!(data().recordings(Half::Train).is_empty(), "none is there");
        for (folder, file) in [("real/a", "events.csv"), ("locate/b", "locate.csv"), ("real/c", "events.csv")] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            fs::write(dir.path().join(folder).join(file), "").unwrap();
        }
        let of = |name: &str| dir.path().join(name);
        assert_eq!(data().recordings(Half::Train), [of("real/a")]);
        assert_eq!(data().recordings(Half::Judge), [of("real/c")]);
        assert_eq!((data().singles(Half::Train), data().singles(Half::Judge)), (vec![of("locate/b")], vec![]));
        assert!(data().is_judge(&of("real/../real/c")) && !data().is_judge(&of("real/a")));
        write("train = [\"real/a\"]\njudge = [\"real/a\"]\n");
        assert!(Data::read(dir.path()).unwrap_err().to_string().contains("in both halves"));
        write("train = 3\n");
        assert!(Data::read(dir.path()).is_err());
    }
}
