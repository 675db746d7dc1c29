//! Collections of single pictures: is the board found where it is, and none where there is none?

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::Board;

use super::{
    interval::Rate,
    truth::{TruthError, corners_of, table},
};
use crate::{
    bag::picture::Picture,
    board::{Hint, locate},
    frame::Stamp,
};

/// A corner further off than this, in squares, is another place: men are then sought beside their squares.
const NEAR_SQUARES: f64 = 0.1;
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
struct Single {
    path: PathBuf,
    /// What stands on the board, where that is known.
    men: Option<Board>,
    /// In any order round the board where the names are unknown.
    corners: Option<[[f64; 2]; 4]>,
    named: bool,
}

/// What came of one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Missed,
    Wrong,
}

/// Looks for the board in every picture of the collection in a folder.
///
/// # Errors
/// When `locate.csv` or a picture cannot be read.
pub fn run(folder: &Path) -> Result<Singles, TruthError> {
    let rows = table(&folder.join("locate.csv"))?;
    let singles: Vec<Single> = rows.iter().map(|row| single(folder, row)).collect::<Result<_, _>>()?;
    let verdicts: Vec<Verdict> = singles.par_iter().map(look).collect::<Result<_, _>>()?;
    let count = |verdict: Verdict| verdicts.iter().filter(|v| **v == verdict).count();
    let nothing_there = singles.iter().zip(&verdicts).filter(|(s, v)| s.corners.is_none() && **v == Verdict::Right);
    let claimed = verdicts.len() - count(Verdict::Missed) - nothing_there.count();
    Ok(Singles {
        name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        right: Rate::new(count(Verdict::Right), verdicts.len()),
        wrong: Rate::new(count(Verdict::Wrong), claimed),
    })
}

fn single(folder: &Path, row: &HashMap<String, String>) -> Result<Single, TruthError> {
    let cell = |name: &str| row.get(name).map_or("", String::as_str);
    let path = folder.join(cell("file"));
    let wrong = |why: String| TruthError { path: path.clone(), why };
    let corners = corners_of(row);
    let (fen, content) = (cell("fen"), cell("content"));
    if corners.is_none() && content != "none" {
        return Err(wrong(format!("content {content:?}, but no corners")));
    }
    let men = match (fen, content) {
        ("", "start") => Some(Board::new()),
        ("", "empty") => Some(Board::empty()),
        ("", _) => None,
        (fen, _) => Some(Board::from_ascii_board_fen(fen.as_bytes()).map_err(|e| wrong(format!("{fen:?}: {e}")))?),
    };
    Ok(Single { men, corners, named: cell("orientation") == "known", path })
}

fn look(single: &Single) -> Result<Verdict, TruthError> {
    let wrong = |why: String| TruthError { path: single.path.clone(), why };
    let picture = Picture::from_file(&single.path, 0, Stamp(0)).map_err(|e| wrong(e.to_string()))?;
    let decoded = picture.decode().map_err(|e| wrong(e.to_string()))?;
    let frame = decoded.frame().map_err(|e| wrong(e.to_string()))?;
    let found = locate(&frame, &Hint { men: single.men.clone(), ..Hint::default() });
    Ok(match (found, &single.corners) {
        (Err(_), None) => Verdict::Right,
        (Err(_), Some(_)) => Verdict::Missed,
        (Ok(_), None) => Verdict::Wrong,
        (Ok(found), Some(truth)) => {
            let (off_squares, as_named) = compare(found.corners().to_array(), *truth);
            let turned = single.named && !as_named && found.orientation_confidence > SURE_OF_NAMES;
            if off_squares > NEAR_SQUARES || turned { Verdict::Wrong } else { Verdict::Right }
        }
    })
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
