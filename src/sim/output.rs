//! A simulated recording as a folder: pictures, times, and the truth beside them; or the truth of a bag.
//!
//! `frames/NNNNN.jpg`, `frames.csv` (`frame,stamp_s`), `truth.pgn`, `events.csv` (a row a picture: `frame`, `time_s`,
//! plies completed, event, move, state, placement, note), `corners.csv`, `camera.json` (intrinsics, and the pose of the
//! board for each stretch in which camera and board stand still), `about.toml`, and the scene as `scene.toml`. Beside a bag
//! there are no pictures and no `frames.csv`, and `about.toml` names it (`bag`).
//!
//! Words of `events.csv`, column `event` (and what `uci` holds):
//!
//! | event | what happens |
//! | --- | --- |
//! | `start` | nothing yet |
//! | `move`, `capture`, `castle_k`, `castle_q`, `en_passant`, `promotion_Q` (`R`, `B`, `N`) | a ply (its move); slow castlings and late promotions too, from their first half on |
//! | `illegal:<why>` | an illegal change (the move, or its hand moves joined by `+`): being made and standing; `<why>` is the first reason that [`judge`](crate::game::verdicts::judge) gives |
//! | `illegal_takeback` | it is put back, and was |
//! | `takeback` | legal plies are taken back (the move that goes) |
//! | `touch`, `adjust` | a man is lifted and put back, pushed to the middle of its square (the square) |
//! | `knock_over` | a man lies on its side, is set upright, and was (the square) |
//! | `rest`, `rest_end` | a hand has come to rest in view, and leaves |
//! | `result` | the kings are put on the central squares (the result) |
//! | `setup` | men are missing and being set up (a square) |
//! | `bump` | the camera or the board was knocked, or still slides or shakes |
//!
//! `ply` counts the plies that stand on the board, those included that will be taken back; `truth.pgn` holds the final
//! line only. Pictures of plies that are not in it, of moves half made and of men that lie have the state `irregular`:
//! they are not the position of `truth.pgn` after `ply` plies. So a clean row always shows that position, or the illegal
//! change that its event names, and the delay of a ply runs from the first clean picture of the ply that remained.
//! Damaged pictures are `irregular` too. A picture that comes twice, or in the place of others while the stream is frozen,
//! has a row of its own, which tells what it shows. `time_s` is the time at which it was taken or came again;
//! `frames.csv` has what the stamps say, or where there is none the time at which the picture came.
//!
//! `hand` is any picture during the visit of a hand; when it begins and ends, the hand may be outside of the picture.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use nalgebra::Point3;
use serde_json::json;
use shakmaty::{Color, KnownOutcome, Outcome, Position, san::SanPlus};

use super::{
    scene::Camera,
    simulation::{SimFrame, Simulation},
};
use crate::game::start::Start;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or folder could not be made.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A picture could not be encoded.
    #[error("cannot encode {path}: {source}")]
    Encode {
        /// Which.
        path: PathBuf,
        /// Why.
        source: image::ImageError,
    },
    /// There is something already.
    #[error("{0} exists and is not an empty folder: give another name, or remove it")]
    Occupied(PathBuf),
}

/// How a folder's pictures are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// JPEG of the scene's quality.
    Jpeg,
    /// PNG: every bit kept.
    Png,
}

/// A picture as JPEG.
///
/// # Errors
/// When the encoder refuses it.
pub fn jpeg(image: &image::RgbImage, quality: u8) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = vec![];
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100)).encode_image(image)?;
    Ok(bytes)
}

/// The game as PGN. `tags` are further headers (name, value) that replace the usual ones of the same name.
#[must_use]
pub(super) fn truth_pgn(start: &Start, moves: &[shakmaty::Move], tags: &[(String, String)]) -> String {
    let mut position = start.position().clone();
    let mut text = String::new();
    let mut line = 0;
    let mut number = position.fullmoves().get();
    for (index, m) in moves.iter().enumerate() {
        let turn = position.turn();
        let mut word = String::new();
        if turn == Color::White {
            word = format!("{number}. ");
        } else if index == 0 {
            word = format!("{number}... ");
        }
        number += u32::from(turn == Color::Black);
        word += &SanPlus::from_move_and_play_unchecked(&mut position, *m).to_string();
        // PGN's export format ends lines before column 80.
        if line + word.len() + 1 > 79 {
            text.push('\n');
            line = 0;
        } else if line > 0 {
            text.push(' ');
            line += 1;
        }
        line += word.len();
        text += &word;
    }
    let result = match position.outcome() {
        Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
        Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
        Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
        Outcome::Unknown => "*",
    };
    let given = |name: &str| tags.iter().find(|t| t.0 == name).map(|t| t.1.as_str());
    let result = given("Result").unwrap_or(result);
    let mut out = String::new();
    for (name, usual) in [
        ("Event", "Simulation"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", result),
    ] {
        let value = given(name).unwrap_or(usual).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "[{name} \"{value}\"]");
    }
    if !start.is_usual() {
        let _ = writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", start.fen());
    }
    let gap = match line {
        0 => "",
        _ if line + 1 + result.len() > 79 => "\n",
        _ => " ",
    };
    let _ = write!(out, "\n{text}{gap}{result}\n");
    out
}

/// Writes a simulation into a new or empty folder. `progress` is called after each picture with the number written
/// and the number in all. Returns the number of pictures.
///
/// # Errors
/// When the folder is not empty, or a file cannot be written.
pub fn write_folder(
    mut simulation: Simulation,
    folder: &Path,
    pictures: Pictures,
    mut progress: impl FnMut(usize, usize),
) -> Result<usize, OutputError> {
    let mut truth = TruthWriter::new(folder, &simulation)?;
    let frames = folder.join("frames");
    fs::create_dir_all(&frames).map_err(|source| OutputError::Write { path: frames.clone(), source })?;
    let mut stamps = Table::new(folder, "frames.csv", "frame,stamp_s")?;
    let (total, quality) = (simulation.frames(), simulation.scene().sensor.file_quality());
    for frame in simulation.by_ref() {
        let name = format!("{:05}", truth.rows());
        let bytes = match pictures {
            Pictures::Jpeg => jpeg(&frame.image, quality),
            Pictures::Png => png(&frame.image),
        };
        let path = frames.join(format!("{name}.{}", if pictures == Pictures::Jpeg { "jpg" } else { "png" }));
        let bytes = bytes.map_err(|source| OutputError::Encode { path: path.clone(), source })?;
        // Its time first: what a kill leaves is a folder in which every picture has one, and it can be replayed.
        stamps.row(&format!("{name},{:.6}", frame.stamp.as_s()))?;
        fs::write(&path, bytes).map_err(|source| OutputError::Write { path, source })?;
        truth.push(&frame)?;
        progress(truth.rows(), total);
    }
    stamps.finish()?;
    truth.finish(&simulation, None)
}

/// What [`TruthWriter`] writes.
const TRUTH: [&str; 6] = ["truth.pgn", "events.csv", "corners.csv", "about.toml", "scene.toml", "camera.json"];

/// Removes the truth of an earlier simulation from its folder; whatever else lies there stays.
///
/// # Errors
/// When the system refuses.
pub fn clear_truth(folder: &Path) -> Result<(), OutputError> {
    remove(folder, &TRUTH)
}

/// Removes these files from a folder, as far as they are there.
pub(super) fn remove(folder: &Path, names: &[&str]) -> Result<(), OutputError> {
    for path in names.iter().map(|name| folder.join(name)) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(OutputError::Write { path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the truth of a simulation while it runs.
#[derive(Debug)]
pub struct TruthWriter {
    folder: PathBuf,
    events: Table,
    corners: Table,
    /// (first frame, camera as the board sees it) of each stretch without a bump.
    segments: Vec<(usize, Camera)>,
    count: usize,
}

impl TruthWriter {
    /// Begins in a new or empty folder.
    ///
    /// # Errors
    /// When the folder is not empty, or a file cannot be written.
    pub fn new(folder: &Path, simulation: &Simulation) -> Result<Self, OutputError> {
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
            return Err(OutputError::Occupied(folder.to_path_buf()));
        }
        fs::create_dir_all(folder).map_err(|source| OutputError::Write { path: folder.into(), source })?;
        let mut tags = simulation.tags().to_vec();
        if !tags.iter().any(|t| t.0 == "Result") {
            tags.push(("Result".into(), simulation.result().as_str().into()));
        }
        write(folder, "truth.pgn", &truth_pgn(simulation.start(), simulation.moves(), &tags))?;
        Ok(Self {
            folder: folder.into(),
            events: Table::new(folder, "events.csv", "frame,time_s,ply,event,uci,state,placement,note")?,
            corners: Table::new(folder, "corners.csv", "frame,a1x,a1y,h1x,h1y,h8x,h8y,a8x,a8y")?,
            segments: vec![],
            count: 0,
        })
    }

    /// Pictures so far.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.count
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn push(&mut self, frame: &SimFrame) -> Result<(), OutputError> {
        if self.segments.last().is_none_or(|s| s.1 != frame.camera) {
            self.segments.push((self.count, frame.camera.clone()));
        }
        let (name, time_s) = (format!("{:05}", self.count), frame.taken.as_s());
        let (uci, state, placement) = (frame.uci.as_deref().unwrap_or(""), frame.state.word(), &frame.placement);
        let note = if frame.note.contains(',') { format!("\"{}\"", frame.note) } else { frame.note.to_owned() };
        let (ply, word) = (frame.ply, &frame.word);
        self.events.row(&format!("{name},{time_s:.3},{ply},{word},{uci},{state},{placement},{note}"))?;
        let numbers: Vec<String> = frame.corners.to_array().as_flattened().iter().map(|v| format!("{v:.2}")).collect();
        self.corners.row(&format!("{name},{}", numbers.join(",")))?;
        self.count += 1;
        Ok(())
    }

    /// Completes the truth. `bag` is where the pictures are, from the folder, where they are not in it. Returns the
    /// number of pictures.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self, simulation: &Simulation, bag: Option<&str>) -> Result<usize, OutputError> {
        let Self { folder, events, corners, segments, count } = self;
        events.finish()?;
        corners.finish()?;
        let info = simulation.camera_info();
        let mut about = json!({
            "name": folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default(),
            "set": "simulated",
            "kind": if simulation.is_stills() { "stills" } else { "video" },
            "rectified": false,
            "fixed_camera": segments.len() < 2,
            "width": info.width,
            "height": info.height,
            "plies": simulation.moves().len(),
            "frames": count,
            "start_fen": simulation.start().fen().to_string(),
            "seed": simulation.seed().to_string(),
        });
        if let Some(bag) = bag {
            about["bag"] = bag.into();
        }
        write(&folder, "about.toml", &toml_text(&about, &folder)?)?;
        write(&folder, "scene.toml", &toml_text(simulation.scene(), &folder)?)?;
        write(&folder, "camera.json", &camera_json(simulation, &segments, count))?;
        Ok(count)
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), OutputError> {
    let path = folder.join(name);
    fs::write(&path, text).map_err(|source| OutputError::Write { path, source })
}

/// A value as TOML. Only a type that TOML cannot hold is refused, and none of ours is.
fn toml_text(value: &impl serde::Serialize, folder: &Path) -> Result<String, OutputError> {
    toml::to_string(value).map_err(|e| OutputError::Write {
        path: folder.to_path_buf(),
        source: std::io::Error::new(std::io::ErrorKind::InvalidData, e),
    })
}

/// A text file that grows by rows. Each is handed to the system at once, so that a kill loses none.
#[derive(Debug)]
struct Table {
    path: PathBuf,
    file: fs::File,
}

impl Table {
    fn new(folder: &Path, name: &str, header: &str) -> Result<Self, OutputError> {
        let path = folder.join(name);
        let file = fs::File::create(&path).map_err(|source| OutputError::Write { path: path.clone(), source })?;
        let mut table = Self { path, file };
        table.row(header)?;
        Ok(table)
    }

    fn row(&mut self, text: &str) -> Result<(), OutputError> {
        self.file
            .write_all(format!("{text}\n").as_bytes())
            .map_err(|source| OutputError::Write { path: self.path.clone(), source })
    }

    fn finish(self) -> Result<(), OutputError> {
        self.file.sync_all().map_err(|source| OutputError::Write { path: self.path, source })
    }
}

fn png(image: &image::RgbImage) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = std::io::Cursor::new(vec![]);
    image.write_to(&mut bytes, image::ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

/// The truth about the camera. Its board frame is in metres, origin in the board's centre, x from a to h, y from rank 1
/// to 8, z up.
fn camera_json(simulation: &Simulation, segments: &[(usize, Camera)], frames: usize) -> String {
    let scene = simulation.scene();
    let info = segments.first().map_or_else(|| simulation.camera_info(), |s| s.1.intrinsics());
    let rows = |k: &[f64; 9]| json!([&k[0..3], &k[3..6], &k[6..9]]);
    let square_m = scene.board.square_size_m;
    let corners = |camera: &Camera| {
        let c = camera.corners().to_array();
        json!({"a1": c[0], "h1": c[1], "h8": c[2], "a8": c[3]})
    };
    let stretches: Vec<_> = segments
        .iter()
        .enumerate()
        .map(|(i, (first, camera))| {
            let last = segments.get(i + 1).map_or(frames, |next| next.0) - 1;
            let rotation = camera.camera_from_world;
            let centre_m = (camera.centre - Point3::new(4.0, 4.0, 0.0)) * square_m;
            let row = |r: usize| [rotation[(r, 0)], rotation[(r, 1)], rotation[(r, 2)]];
            let translation = -(rotation * centre_m);
            json!({
                "segment": i,
                "frames": [first, last],
                "K": rows(&camera.intrinsics().k),
                "R_cam_from_board": [row(0), row(1), row(2)],
                "t_cam_from_board": translation.as_slice(),
                "camera_position_board_m": centre_m.as_slice(),
                "corners": corners(camera),
            })
        })
        .collect();
    let value = json!({
        "width": info.width,
        "height": info.height,
        "K": rows(&info.k),
        "distortion_model": "plumb_bob",
        "D": info.d,
        "square_size_m": square_m,
        "mirrored": scene.camera.mirrored,
        "border_m": scene.board.border * square_m,
        "board_frame": "metres, origin in the board centre on its surface, x from a to h, y from rank 1 to 8, z up",
        "image_convention": "OpenCV, pixel centres at integer coordinates; where mirrored is true, K, R and t tell the picture before left and right were exchanged",
        "corners": segments.first().map(|s| corners(&s.1)),
        "segments": stretches,
    });
    format!("{value:#}\n")
}
