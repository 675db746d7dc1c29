//! What was really played: `truth.pgn`, `events.csv`, and where the board is in each picture.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use chess_observer::{
    board::corners::Corners,
    files,
    game::{
        pgn_in::{GameText, read_games},
        start::Start,
    },
};
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Position as _, uci::UciMove};

/// Why a recording's truth cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .path.display())]
pub struct TruthError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// The state of the board in a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the picture, without extension.
    pub frame: String,
    /// Seconds from the first picture, where known, in thousandths.
    pub time_ms: Option<i64>,
    /// Plies completed.
    pub ply: usize,
    /// Plies whose men are let go: one more than completed where a recording counts a ply only once the hand has left.
    pub let_go: usize,
    /// What led to the position: `start`, `move`, `illegal:path_blocked`, …
    pub event: String,
    /// The move that `event` speaks of, as UCI; may be empty.
    pub uci: String,
    /// `clean`, `hand`, `lifted`, `irregular`, `empty`, `bump`.
    pub state: String,
}

/// What was really played, and what each picture shows of it; of a recording or of a simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Truth {
    /// Name of the recording.
    pub name: String,
    /// First position as FEN; `None` for the usual one.
    pub start_fen: Option<String>,
    /// The game as UCI.
    pub plies: Vec<String>,
    /// `1-0`, `0-1` or `1/2-1/2`; `None` where the game is not finished.
    pub result: Option<String>,
    /// One row for each picture.
    pub rows: Vec<Row>,
    /// Outer corners of the playing area in each picture, as far as they are known.
    pub corners: Vec<Option<Corners>>,
    /// What stands on the board in each picture, hand or not, as far as it is known.
    #[serde(with = "placements")]
    pub placements: Vec<Option<Board>>,
}

/// Placements as the first field of a FEN.
mod placements {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer, de::Error as _};
    use shakmaty::Board;

    pub fn serialize<S: Serializer>(all: &[Option<Board>], to: S) -> Result<S::Ok, S::Error> {
        let texts: Vec<Option<String>> = all.iter().map(|board| board.as_ref().map(ToString::to_string)).collect();
        texts.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Option<Board>>, D::Error> {
        let texts: Vec<Option<String>> = Vec::deserialize(from)?;
        let board = |text: String| Board::from_ascii_board_fen(text.as_bytes()).map_err(D::Error::custom);
        texts.into_iter().map(|text| text.map(board).transpose()).collect()
    }
}

impl Truth {
    /// Seconds from one picture to another, where both times are known.
    #[must_use]
    pub fn seconds(&self, from: usize, to: usize) -> Option<f64> {
        let time = |i: usize| self.rows.get(i)?.time_ms;
        Some((time(to)? - time(from)?) as f64 * 1e-3)
    }

    /// What stands on the board before the first and after each ply.
    #[must_use]
    pub fn boards(&self) -> Vec<Board> {
        let start = self.start_fen.as_deref().and_then(|fen| Start::from_fen(fen).ok()).unwrap_or_default();
        let mut position = start.position().clone();
        let mut boards = vec![position.board().clone()];
        for ply in &self.plies {
            let Some(m) = ply.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok()) else { break };
            position.play_unchecked(m);
            boards.push(position.board().clone());
        }
        boards
    }
}

/// A recording with its truth.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Its folder.
    pub path: PathBuf,
    /// What was played.
    pub truth: Truth,
    /// Was it filmed? Then the times of its pictures are known; otherwise it is single pictures.
    pub film: bool,
}

#[derive(Deserialize)]
struct About {
    name: Option<String>,
    /// `video` or `stills`.
    kind: Option<String>,
    /// The bag that holds the pictures, from the folder, where they are not in it.
    bag: Option<PathBuf>,
}

impl Recording {
    /// Reads the truth of the recording in the folder `path`.
    ///
    /// # Errors
    /// When a file is missing or malformed, or `truth.pgn` holds an illegal move.
    pub fn open(path: &Path) -> Result<Self, TruthError> {
        let file = |name: &str| path.join(name);
        let about: About = match files::text(&file("about.toml"), files::LARGEST_SETTINGS) {
            Ok(text) => toml::from_str(&text).map_err(|e| wrong(&file("about.toml"), e.message()))?,
            // A simulated recording has none.
            Err(_) => About { name: None, kind: None, bag: None },
        };
        let game = read_pgn(&file("truth.pgn"))?;
        let plies = game.ucis();
        let rows = read_rows(&file("events.csv"), &plies)?;
        let corners = read_corners(path, &rows)?;
        let folder_name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let mut truth = Truth {
            name: about.name.unwrap_or(folder_name),
            start_fen: (!game.start.is_usual()).then(|| game.start.fen().to_string()),
            plies,
            result: game.result.known().map(|r| r.to_string()),
            rows,
            corners,
            placements: vec![],
        };
        truth.placements = placements(&file("events.csv"), &truth)?;
        let film = about.kind.as_deref() == Some("video") && truth.rows.iter().all(|row| row.time_ms.is_some());
        Ok(Self { path: path.into(), truth, film })
    }

    /// The bag that holds the pictures, one for each row, where about.toml names one.
    #[must_use]
    pub fn bag(&self) -> Option<PathBuf> {
        let text = files::text(&self.path.join("about.toml"), files::LARGEST_SETTINGS).ok()?;
        Some(self.path.join(toml::from_str::<About>(&text).ok()?.bag?))
    }

    /// Where the pictures are, when there is no bag.
    #[must_use]
    pub fn frames(&self) -> PathBuf {
        self.path.join("frames")
    }

    /// The file of a picture of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn picture(&self, frame: &str) -> Result<PathBuf, TruthError> {
        let files = ["jpg", "png"].map(|end| self.frames().join(format!("{frame}.{end}")));
        let found = files.into_iter().find(|path| path.is_file());
        found.ok_or_else(|| wrong(&self.path, &format!("no picture frames/{frame}")))
    }
}

/// The recordings in a folder: the folder itself, or its subfolders, in the order of their names.
///
/// # Errors
/// When the folder cannot be read or holds none.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, TruthError> {
    let is_recording = |p: &Path| p.join("truth.pgn").is_file() && p.join("events.csv").is_file();
    if is_recording(path) {
        return Ok(vec![path.into()]);
    }
    let entries = fs::read_dir(path).map_err(|e| wrong(path, &e.to_string()))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| is_recording(p)).collect();
    found.sort();
    if found.is_empty() {
        return Err(wrong(
            path,
            "no recording in it (a folder with truth.pgn, events.csv, about.toml and frames/), and no single pictures (locate.csv)",
        ));
    }
    Ok(found)
}

fn wrong(path: &Path, why: &str) -> TruthError {
    TruthError { path: path.into(), why: why.into() }
}

fn read(path: &Path) -> Result<String, TruthError> {
    files::text(path, files::LARGEST_TABLE).map_err(|e| wrong(path, &e.to_string()))
}

/// The first game of a PGN file.
fn read_pgn(path: &Path) -> Result<GameText, TruthError> {
    match read_games(&read(path)?).into_iter().next() {
        Some(game) => game.map_err(|e| wrong(path, &e.to_string())),
        None => Err(wrong(path, "no game in it")),
    }
}

/// A table with a header; cells by column name.
pub(super) fn table(path: &Path) -> Result<Vec<HashMap<String, String>>, TruthError> {
    let text = read(path)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.map_err(|e| wrong(path, &e.to_string()))).collect()
}

/// In the note of a row: the man of the ply under way is let go, the hand still over the board.
const LET_GO: &str = "let go";

fn read_rows(path: &Path, plies: &[String]) -> Result<Vec<Row>, TruthError> {
    let cell = |row: &HashMap<String, String>, name: &str| row.get(name).cloned().unwrap_or_default();
    table(path)?
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let (ply, uci) = (cell(row, "ply"), cell(row, "uci"));
            let ply = ply.parse().map_err(|_| wrong(path, &format!("row {}: ply {ply:?} is no number", i + 1)))?;
            let leaves = cell(row, "note").contains(LET_GO) && plies.get(ply).is_some_and(|next| *next == uci);
            Ok(Row {
                frame: cell(row, "frame"),
                time_ms: cell(row, "time_s").parse::<f64>().ok().map(|s| (s * 1e3).round() as i64),
                ply,
                let_go: ply + usize::from(leaves),
                event: cell(row, "event"),
                uci,
                state: cell(row, "state"),
            })
        })
        .collect()
}

/// From the column `placement`, or else the position after the row's plies, where nothing else is said to stand there.
fn placements(path: &Path, truth: &Truth) -> Result<Vec<Option<Board>>, TruthError> {
    let boards = truth.boards();
    let of = |cells: &HashMap<String, String>, row: &Row| {
        let told = cells.get("placement").filter(|text| !text.is_empty());
        let known = row.state == "clean" && (!row.event.starts_with("illegal") || row.event == "illegal_takeback");
        match told {
            Some(text) => Board::from_ascii_board_fen(text.as_bytes()).ok(),
            None => boards.get(row.ply).filter(|_| known).cloned(),
        }
    };
    Ok(table(path)?.iter().zip(&truth.rows).map(|(cells, row)| of(cells, row)).collect())
}

/// Names of the corners in files.
const NAMES: [&str; 4] = ["a1", "h1", "h8", "a8"];

/// The four corners in a row of a table, as it names them, where all are told.
pub(super) fn corners_of(row: &HashMap<String, String>) -> Option<[[f64; 2]; 4]> {
    let number = |name: String| row.get(&name).and_then(|v| v.parse::<f64>().ok());
    let mut points = [[0.0; 2]; 4];
    for (point, name) in points.iter_mut().zip(NAMES) {
        *point = [number(format!("{name}x"))?, number(format!("{name}y"))?];
    }
    Some(points)
}

/// From corners.csv, or from camera.json, or unknown.
fn read_corners(path: &Path, rows: &[Row]) -> Result<Vec<Option<Corners>>, TruthError> {
    let csv_path = path.join("corners.csv");
    if csv_path.is_file() {
        let mut by_frame = HashMap::new();
        for row in table(&csv_path)? {
            let corners = corners_of(&row).and_then(|points| Corners::new(points).ok());
            by_frame.insert(row.get("frame").cloned().unwrap_or_default(), corners);
        }
        return Ok(rows.iter().map(|r| by_frame.get(&r.frame).copied().flatten()).collect());
    }
    let json_path = path.join("camera.json");
    if !json_path.is_file() {
        return Ok(vec![None; rows.len()]);
    }
    let camera: serde_json::Value =
        serde_json::from_str(&read(&json_path)?).map_err(|e| wrong(&json_path, &e.to_string()))?;
    let quad = |value: &serde_json::Value| -> Option<Corners> {
        let points = NAMES.map(|n| Some([value.get(n)?.get(0)?.as_f64()?, value.get(n)?.get(1)?.as_f64()?]));
        points.iter().copied().collect::<Option<Vec<_>>>().and_then(to_corners)
    };
    let first = camera.get("corners").and_then(quad);
    let moved = camera.get("corners_of_frames_after_the_camera_moved");
    Ok((0..rows.len()).map(|i| moved.and_then(|m| m.get(i.to_string())).and_then(quad).or(first)).collect())
}

fn to_corners(points: Vec<[f64; 2]>) -> Option<Corners> {
    Corners::new(points.try_into().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_tells_that_a_man_is_let_go_before_the_ply_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.csv");
        let rows = "frame,time_s,ply,event,uci,state,placement,note\n0,,0,move,e2e4,hand,x,in the air\n\
            1,,0,move,e2e4,hand,x,let go\n2,,0,illegal:path_blocked,f1b5,hand,x,let go\n3,,1,move,e2e4,clean,x,\n";
        fs::write(&path, rows).unwrap();
        let rows = read_rows(&path, &["e2e4".to_owned()]).unwrap();
        assert_eq!(rows.iter().map(|row| (row.ply, row.let_go)).collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 0), (1, 1)]);
    }

    #[test]
    fn corners_come_from_either_file() {
        let dir = tempfile::tempdir().unwrap();
        let rows = ["p0", "p1", "p2"].map(|f| Row {
            frame: f.into(),
            time_ms: None,
            ply: 0,
            let_go: 0,
            event: String::new(),
            uci: String::new(),
            state: String::new(),
        });
        assert_eq!(read_corners(dir.path(), &rows).unwrap(), [None, None, None]);
        let square = |size: f64| Corners::new([[0.0, size], [size, size], [size, 0.0], [0.0, 0.0]]).unwrap();
        let json = r#"{"corners":{"a1":[0,9],"h1":[9,9],"h8":[9,0],"a8":[0,0]},
            "corners_of_frames_after_the_camera_moved":{"2":{"a1":[0,7],"h1":[7,7],"h8":[7,0],"a8":[0,0]}}}"#;
        fs::write(dir.path().join("camera.json"), json).unwrap();
        assert_eq!(read_corners(dir.path(), &rows).unwrap(), [Some(square(9.0)), Some(square(9.0)), Some(square(7.0))]);
        let csv = "frame,a1x,a1y,h1x,h1y,h8x,h8y,a8x,a8y\np0,0,5,5,5,5,0,0,0\np2,0,6,6,6,6,0,0,0\n";
        fs::write(dir.path().join("corners.csv"), csv).unwrap();
        assert_eq!(read_corners(dir.path(), &rows).unwrap(), [Some(square(5.0)), None, Some(square(6.0))]);
    }
}
