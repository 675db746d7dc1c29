//! `locate`: where is the board in a picture?

use std::path::{Path, PathBuf};

use chess_observer::{
    bag::Picture,
    board::{
        geometry::Homography,
        locate::{Hint, LocateError, locate},
        pose::{focal_from_homography, intrinsics, pose_from_homography},
    },
    frame::{Frame, Stamp},
};
use rayon::prelude::*;
use serde_json::{Value, json};
use shakmaty::{Board, fen::Fen};

use super::{Done, print_out, stopped};

/// Find the board in pictures; prints one line of JSON for each.
///
/// Corners are the outer corners of a1, h1, h8, a8 in pixels. The pose is estimated with square pixels and the picture's
/// centre as the lens's: rotation (x, y, z, w) and translation of the board (origin a1's corner, x towards h1, y towards
/// a8, z up, in squares) in the camera's optical frame, and the camera's place seen from the board.
/// Exit status: 0 every picture was looked at (board or not), 2 a picture cannot be read, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What stands on the board, as FEN (its first field is enough): the usual start position otherwise
    #[arg(long, value_name = "FEN", value_parser = men)]
    fen: Option<Board>,
    /// Pictures (.jpg, .png)
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,
}

fn men(text: &str) -> Result<Board, String> {
    text.trim().parse::<Fen>().map(|fen| fen.into_setup().board).map_err(|e| format!("not a FEN: {e}"))
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let hint = Hint { men: Some(args.fen.clone().unwrap_or_default()), near: None };
    let mut first_bad = None;
    // A batch keeps all cores busy, and lines come while one waits.
    for batch in args.images.chunks(2 * rayon::current_num_threads()) {
        if stopped() {
            return Ok(Done::Interrupted);
        }
        let found: Vec<Result<Value, String>> = batch.par_iter().map(|path| look(path, &hint)).collect();
        for line in found {
            match line {
                Ok(line) => print_out(&format!("{line}\n"))?,
                Err(why) => {
                    first_bad.get_or_insert(why);
                }
            }
        }
    }
    first_bad.map_or(Ok(Done::Processed), Err)
}

fn look(path: &Path, hint: &Hint) -> Result<Value, String> {
    let file = path.display().to_string();
    let failed = |e: &dyn std::fmt::Display| format!("{file}: {e}");
    let picture = Picture::from_file(path, 0, Stamp::default()).map_err(|e| failed(&e))?;
    let decoded = picture.decode().map_err(|e| failed(&e))?;
    let frame = decoded.frame().map_err(|e| failed(&e))?;
    Ok(match locate(&frame, hint) {
        Ok(found) => json!({
            "file": file,
            "found": true,
            "corners": found.corners.to_array(),
            "confidence": found.confidence,
            "orientation_confidence": found.orientation_confidence,
            "pose": Homography::from_corners(&found.corners).and_then(|h| pose(&h, &frame)),
        }),
        Err(e @ LocateError::Unsure { confidence, .. }) => {
            json!({ "file": file, "found": false, "confidence": confidence, "reason": e.to_string() })
        }
        Err(e) => json!({ "file": file, "found": false, "confidence": 0.0, "reason": e.to_string() }),
    })
}

/// The pose under a camera whose focal length is guessed from the board's own perspective; nothing where that does not
/// tell (a board seen from straight above).
fn pose(map: &Homography, frame: &Frame<'_>) -> Option<Value> {
    let size = (frame.width(), frame.height());
    let focal_px = focal_from_homography(map, size)?;
    let pose = pose_from_homography(map, &intrinsics(focal_px, size))?;
    let camera = pose.camera_in_board();
    Some(json!({
        "focal_px": focal_px,
        "rotation": pose.rotation.coords.as_slice(),
        "translation_squares": pose.translation.as_slice(),
        "camera_squares": camera.as_slice(),
        "residual_px": pose.residual_px,
    }))
}
