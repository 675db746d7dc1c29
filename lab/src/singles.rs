//! Collections of single pictures: is the board found where it is, and none where there is none?

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use chess_observer::{
    bag::picture::Picture,
    board::{Hint, locate},
    frame::{Frame, Stamp},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::Board;

use super::{
    interval::Rate,
    truth::{Recording, TruthError, corners_of, table},
};

/// The table of a collection.
pub const FILE: &str = "locate.csv";
/// A corner further off than this, in squares, is another place: men are then sought beside their squares.
pub const NEAR_SQUARES: f64 = 0.1;
/// Above this probability a board is named for good: below it the observer asks the men again.
const SURE_OF_NAMES: f64 = 0.6;

/// What came of a collection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Singles {
    /// Its name.
    pub name: String,
    /// Pictures whose board was found in its place and not named wrongly, or in which none was claimed where none is.
    pub right: Rate,
    /// Boards claimed in another place, named wrongly though sure, or where none is (`right` of the rate), of all claimed.
    pub wrong: Rate,
}

/// One picture and what is true of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Single {
    path: PathBuf,
    /// What stands on the board, where that is known.
    pub men: Option<Board>,
    /// In any order round the board where the names are unknown; `None`: there is no board.
    corners: Option<[[f64; 2]; 4]>,
    named: bool,
}

/// What came of one picture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Is there a board?
    pub there: bool,
    /// Was one claimed?
    pub claimed: bool,
    /// The greatest distance of a claimed board's corner from the true one, in squares, under the names that fit best.
    pub off_squares: f64,
    /// Was it named wrongly, and surely?
    pub turned: bool,
}

impl Seen {
    /// Was a board claimed where it is, and not named wrongly?
    #[must_use]
    pub fn found(&self) -> bool {
        self.there && self.claimed && self.off_squares <= NEAR_SQUARES && !self.turned
    }

    /// Was one claimed where it is not, or named wrongly?
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.claimed && !self.found()
    }
}

/// The collections in a folder: the folder itself, or its subfolders, in the order of their names; none where it has no
/// table.
#[must_use]
pub fn find(path: &Path) -> Vec<PathBuf> {
    let is_collection = |path: &Path| path.join(FILE).is_file();
    if is_collection(path) {
        return vec![path.into()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| is_collection(path)).collect();
    found.sort();
    found
}

/// Looks for the board in every picture of the collection in a folder, with the men that are known to stand there.
///
/// # Errors
/// When the table or a picture cannot be read.
pub fn run(folder: &Path) -> Result<Singles, TruthError> {
    let singles = collection(folder)?;
    let seen: Vec<Seen> = singles.par_iter().map(|single| single.look(single.men.clone())).collect::<Result<_, _>>()?;
    let right = seen.iter().filter(|seen| seen.found() || !seen.there && !seen.claimed).count();
    let claimed = seen.iter().filter(|seen| seen.claimed).count();
    Ok(Singles {
        name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        right: Rate::new(right, seen.len()),
        wrong: Rate::new(seen.iter().filter(|seen| seen.is_wrong()).count(), claimed),
    })
}

/// The pictures of the collection in a folder, without those that show a board whose corners nobody knows.
///
/// # Errors
/// When the table cannot be read.
pub fn collection(folder: &Path) -> Result<Vec<Single>, TruthError> {
    table(&folder.join(FILE))?.iter().filter_map(|row| single(folder, row).transpose()).collect()
}

/// Clean pictures of the recording in a folder whose men and corners are known, spread over it: `count` at most. None of a
/// recording whose pictures are in a bag.
///
/// # Errors
/// When its truth cannot be read, or one of the pictures is missing.
pub fn of_recording(folder: &Path, count: usize) -> Result<Vec<Single>, TruthError> {
    let recording = Recording::open(folder)?;
    if recording.bag().is_some() {
        return Ok(vec![]);
    }
    let truth = &recording.truth;
    let known = (0..truth.rows.len()).filter_map(|i| {
        let (row, men, corners) = (&truth.rows[i], truth.placements[i].as_ref()?, truth.corners[i]?);
        (row.state == "clean").then(|| (row.frame.clone(), men.clone(), corners.to_array()))
    });
    let known: Vec<_> = known.collect();
    let count = count.min(known.len());
    let chosen = (0..count).map(|i| known[i * known.len() / count].clone());
    let single = |(frame, men, corners): (String, Board, _)| {
        let path = recording.picture(&frame)?;
        Ok(Single { path, men: Some(men), corners: Some(corners), named: true })
    };
    chosen.map(single).collect()
}

fn single(folder: &Path, row: &HashMap<String, String>) -> Result<Option<Single>, TruthError> {
    let cell = |name: &str| row.get(name).map_or("", String::as_str);
    let path = folder.join(cell("file"));
    let wrong = |why: String| TruthError { path: path.clone(), why };
    let corners = corners_of(row);
    let (fen, content) = (cell("fen"), cell("content"));
    if corners.is_none() && content != "none" {
        return Ok(None);
    }
    let men = match (fen, content) {
        ("", "start") => Some(Board::new()),
        ("", "empty") => Some(Board::empty()),
        ("", _) => None,
        (fen, _) => Some(Board::from_ascii_board_fen(fen.as_bytes()).map_err(|e| wrong(format!("{fen:?}: {e}")))?),
    };
    Ok(Some(Single { men, corners, named: cell("orientation") == "known", path }))
}

impl Single {
    /// Does the picture show a board?
    #[must_use]
    pub const fn has_board(&self) -> bool {
        self.corners.is_some()
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is a board of Go claimed in it?
    ///
    /// # Errors
    /// When the picture cannot be read.
    pub fn claims_go(&self) -> Result<bool, TruthError> {
        self.with_frame(|frame| chess_observer::board::grid::locate(frame, None).is_ok())
    }

    fn with_frame<T>(&self, look: impl FnOnce(&Frame<'_>) -> T) -> Result<T, TruthError> {
        let wrong = |why: String| TruthError { path: self.path.clone(), why };
        let picture = Picture::from_file(&self.path, 0, Stamp(0)).map_err(|e| wrong(e.to_string()))?;
        let decoded = picture.decode().map_err(|e| wrong(e.to_string()))?;
        Ok(look(&decoded.frame().map_err(|e| wrong(e.to_string()))?))
    }

    /// Looks for the board; `men`: what is expected to stand on it, `None` for any men.
    ///
    /// # Errors
    /// When the picture cannot be read.
    pub fn look(&self, men: Option<Board>) -> Result<Seen, TruthError> {
        let found = self.with_frame(|frame| locate(frame, &Hint { men, ..Hint::default() }))?;
        let mut seen = Seen { there: self.has_board(), claimed: false, off_squares: 0.0, turned: false };
        let Ok(found) = found else { return Ok(seen) };
        seen.claimed = true;
        if let Some(truth) = self.corners {
            let (off_squares, as_named) = compare(found.corners().to_array(), truth);
            seen.off_squares = off_squares;
            seen.turned = self.named && !as_named && found.orientation_confidence > SURE_OF_NAMES;
        }
        Ok(seen)
    }
}

/// The greatest distance of a corner from the true one, in mean sides of a square, under the names that fit best, the
/// other way round included; and whether these are the given ones.
fn compare(found: [[f64; 2]; 4], truth: [[f64; 2]; 4]) -> (f64, bool) {
    let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let square_px = (0..4).map(|i| distance(truth[i], truth[(i + 1) % 4])).sum::<f64>() / 32.0;
    let namings = (0..8).map(|naming| {
        let of = |i: usize| if naming < 4 { (i + naming) % 4 } else { (8 + naming - i) % 4 };
        let worst = (0..4).map(|i| distance(found[i], truth[of(i)])).fold(0.0, f64::max);
        (worst, naming == 0)
    });
    let best = namings.fold((f64::INFINITY, false), |best, one| if one.0 < best.0 { one } else { best });
    (best.0 / square_px, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_compared_under_the_names_that_fit_best() {
        let truth = [[0.0, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]];
        let (squares, named) = compare([[1.0, 80.0], truth[1], truth[2], truth[3]], truth);
        assert!((squares - 0.1).abs() < 1e-9 && named, "{squares}");
        // The next corner first, and the other way round.
        for found in [[truth[1], truth[2], truth[3], truth[0]], [truth[3], truth[2], truth[1], truth[0]]] {
            let (squares, named) = compare(found, truth);
            assert!(squares < 1e-9 && !named, "{squares}");
        }
    }
}
