//! Photographs and renders: single pictures whose corners are known, with men that are told and with any men.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shakmaty::Board;

use super::super::{
    lab::{Lab, Task, table},
    types::Table,
};
use crate::{
    simulated::ShowError,
    singles::{self, Seen, Single},
    truth::TruthError,
};

/// Pictures of a recording, spread over it.
const PICTURES: usize = 12;
/// What a folder takes to be searched, in milliseconds: for progress bars.
const FOLDER_MS: u64 = 4000;
/// The columns of distances: within so many squares.
const WITHIN_SQUARES: [f64; 3] = [0.02, 0.05, singles::NEAR_SQUARES];

/// What is expected on the board when it is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Expected {
    /// What stands there.
    There,
    /// The start position, though there is no board.
    Start,
    /// An empty board, though there is none.
    Empty,
    /// Any men, or none.
    Any,
}

impl Expected {
    const ALL: [Self; 4] = [Self::There, Self::Start, Self::Empty, Self::Any];

    const fn name(self) -> &'static str {
        match self {
            Self::There => "what stands there",
            Self::Start => "start position",
            Self::Empty => "empty board",
            Self::Any => "any men",
        }
    }

    /// What a picture is searched with; `None` where this does not fit it.
    fn men(self, single: &Single) -> Option<Option<Board>> {
        match self {
            Self::There => single.men.clone().map(Some),
            Self::Start => (!single.has_board()).then(|| Some(Board::new())),
            Self::Empty => (!single.has_board()).then(|| Some(Board::empty())),
            Self::Any => Some(None),
        }
    }
}

/// Looks at the single pictures and at the recordings of the lab. The table, and how many folders were left out; no table
/// where there is nothing to look at.
///
/// # Errors
/// When a table or a picture cannot be read.
pub fn look(lab: &Lab<'_>) -> Result<(Option<Table>, usize), ShowError> {
    // A collection, or a recording, which is told by the folder that it is in.
    let collection = |path: &PathBuf| Folder { group: name(Some(path)), path: path.clone(), is_collection: true };
    let recording = |path: &PathBuf| Folder { group: name(path.parent()), path: path.clone(), is_collection: false };
    let folders = lab.singles.iter().map(collection).chain(lab.recordings.iter().map(recording));
    let task = |job: Folder| Task { name: format!("board: {}", job.path.display()), work_ms: FOLDER_MS, job };
    let done = lab.work("board", folders.map(task).collect(), |folder| {
        let seen = folder.seen().map_err(|e| ShowError::Recording(e.to_string()))?;
        lab.watch.advance(FOLDER_MS);
        Ok(Some(seen))
    })?;
    let left_out = done.iter().filter(|(_, seen)| seen.is_none()).count();
    let seen: Vec<(String, Vec<(Expected, Seen)>)> =
        done.into_iter().filter_map(|(folder, seen)| Some((folder.group, seen?))).collect();
    Ok(((!seen.is_empty()).then(|| told(&seen)), left_out))
}

/// A folder of single pictures.
#[derive(Debug)]
struct Folder {
    /// The rows of the table that it belongs to.
    group: String,
    path: PathBuf,
    /// Else it is a recording.
    is_collection: bool,
}

impl Folder {
    /// What came of each of its pictures, however it was searched.
    fn seen(&self) -> Result<Vec<(Expected, Seen)>, TruthError> {
        let singles = if self.is_collection {
            singles::collection(&self.path)?
        } else {
            singles::of_recording(&self.path, PICTURES)?
        };
        let looks = singles.iter().flat_map(|single| Expected::ALL.map(|expected| (single, expected)));
        let looks = looks.filter_map(|(single, expected)| Some((single, expected, expected.men(single)?)));
        looks.map(|(single, expected, men)| Ok((expected, single.look(men)?))).collect()
    }
}

fn name(path: Option<&Path>) -> String {
    path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// A row for each folder and for each of what was expected in it; at the end the sums.
fn told(seen: &[(String, Vec<(Expected, Seen)>)]) -> Table {
    let header = [
        "pictures",
        "expected",
        "boards",
        "claimed",
        "< 2 %",
        "< 5 %",
        "< 10 %",
        "elsewhere",
        "no board",
        "claimed there",
    ];
    let mut rows = vec![];
    let row = |group: &str, expected: Expected, of: Vec<&Seen>| -> Option<Vec<String>> {
        let count = |wanted: &dyn Fn(&Seen) -> bool| of.iter().filter(|seen| wanted(seen)).count();
        let (there, none) = (count(&|seen| seen.there), count(&|seen| !seen.there));
        let mut cells = vec![group.to_owned(), expected.name().into(), there.to_string()];
        cells.push(count(&|seen| seen.there && seen.claimed).to_string());
        let near = |squares: f64| count(&|seen| seen.found() && seen.off_squares < squares);
        cells.extend(WITHIN_SQUARES.map(|squares| near(squares).to_string()));
        cells.push(count(&|seen| seen.there && seen.is_wrong()).to_string());
        cells.extend([none.to_string(), count(&|seen| !seen.there && seen.claimed).to_string()]);
        (!of.is_empty()).then_some(cells)
    };
    let mut groups: Vec<&str> = seen.iter().map(|(group, _)| group.as_str()).collect();
    groups.dedup();
    for group in groups {
        for expected in Expected::ALL {
            let of = seen.iter().filter(|(name, _)| name == group).flat_map(|(_, seen)| seen);
            rows.extend(row(group, expected, of.filter(|(e, _)| *e == expected).map(|(_, seen)| seen).collect()));
        }
    }
    for expected in Expected::ALL {
        let of = seen.iter().flat_map(|(_, seen)| seen).filter(|(e, _)| *e == expected);
        rows.extend(row("all", expected, of.map(|(_, seen)| seen).collect()));
    }
    table("Single pictures: corners within so many per cent of a square", &header, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_counted_where_a_board_is_and_where_none_is() {
        let board = |off_squares: f64| Seen { there: true, claimed: true, off_squares, turned: false };
        let nothing = |claimed: bool| Seen { there: false, claimed, off_squares: 0.0, turned: false };
        let missed = Seen { claimed: false, ..board(0.0) };
        let seen = |all: &[Seen]| all.iter().map(|seen| (Expected::Any, *seen)).collect::<Vec<_>>();
        let turned = Seen { turned: true, ..board(0.01) };
        let table = told(&[
            ("one".into(), seen(&[board(0.01), board(0.04), board(0.3), missed, turned])),
            ("two".into(), seen(&[nothing(false), nothing(true)])),
        ]);
        let rows: Vec<String> = table.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(
            rows,
            ["one any men 5 4 1 2 2 2 0 0", "two any men 0 0 0 0 0 0 2 1", "all any men 5 4 1 2 2 2 2 1",]
        );
    }
}
