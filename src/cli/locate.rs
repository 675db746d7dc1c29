//! `locate`: where is the board in a picture?

use std::path::{Path, PathBuf};

use chess_observer::{
    bag::Picture,
    board::{
        gather::Gather,
        geometry::Homography,
        locate::{Hint, LocateError, Located, locate},
        pose::{Optics, board_pose, corner_sd_px},
    },
    frame::{Frame, Stamp},
};
use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{Board, fen::Fen};

use super::{Done, print_out, stopped};

/// Find the board in pictures; prints one line of JSON for each.
///
/// Corners are the outer corners of a1, h1, h8, a8 in pixels. The pose is estimated with square pixels and the picture's
/// centre as the lens's: rotation (x, y, z, w) and translation of the board (origin a1's corner, x towards h1, y towards
/// a8, z up, in squares) in the camera's optical frame, the camera's place seen from the board, and standard deviations.
/// "men" says under which expectation the board was sought last: start (the start position), fen (what --fen told) or any
/// (any men, or none). Without --fen and --any the start position is tried first, then any men. Any men do not tell which
/// side is White's: "orientation_confidence" is then about a half. A board that is not wholly in the picture is not found:
/// "squares_seen" counts its squares that are.
/// With --together "together" counts the pictures and "file" names the first.
/// Exit status: 0 every picture was looked at (board or not), 2 a picture cannot be read, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What stands on the board, as FEN (its first field is enough). Otherwise the usual start position is tried, then any
    /// men
    #[arg(long, value_name = "FEN", value_parser = men)]
    fen: Option<Board>,
    /// Nobody knows what stands on the board: do not try the start position first
    #[arg(long, conflicts_with = "fen")]
    any: bool,
    /// The pictures show the same board from the same place: search in all of them together (their median), where hands
    /// and passers-by are gone; one line for all. Needs three pictures or more
    #[arg(long)]
    together: bool,
    /// Pictures (.jpg, .png)
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,
}

fn men(text: &str) -> Result<Board, String> {
    text.trim().parse::<Fen>().map(|fen| fen.into_setup().board).map_err(|e| format!("not a FEN: {e}"))
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let ways = ways(args);
    if args.together {
        print_out(&format!("{}\n", look_together(&args.images, &ways)?))?;
        return Ok(Done::Processed);
    }
    let mut first_bad = None;
    // A batch keeps all cores busy, and lines come while one waits.
    for batch in args.images.chunks(2 * rayon::current_num_threads()) {
        if stopped() {
            return Ok(Done::Interrupted);
        }
        let found: Vec<Result<String, String>> = batch.par_iter().map(|path| look(path, &ways)).collect();
        for line in found {
            match line {
                Ok(line) if print_out(&format!("{line}\n"))? => {}
                Ok(_) => return Ok(Done::Processed),
                Err(why) => {
                    first_bad.get_or_insert(why);
                }
            }
        }
    }
    first_bad.map_or(Ok(Done::Processed), Err)
}

/// What may stand on the board, in the order in which it is tried.
fn ways(args: &Args) -> Vec<Expected> {
    match (&args.fen, args.any) {
        (Some(men), _) => vec![Expected { name: "fen", men: Some(men.clone()) }],
        (None, true) => vec![Expected { name: "any", men: None }],
        (None, false) => {
            vec![Expected { name: "start", men: Some(Board::new()) }, Expected { name: "any", men: None }]
        }
    }
}

/// What is expected on the board.
struct Expected {
    /// As the output calls it.
    name: &'static str,
    /// `None`: any men, or none.
    men: Option<Board>,
}

/// Looks for the board under one expectation after the other until it is found; with the name of the last one tried.
fn search(frame: &Frame<'_>, ways: &[Expected]) -> (&'static str, Result<Located, LocateError>) {
    let mut last = ("any", Err(LocateError::NoLattice { saddles: 0 }));
    for way in ways {
        last = (way.name, locate(frame, &Hint { men: way.men.clone(), ..Hint::default() }));
        // A board that leaves the picture is found as well, and is to be said.
        if matches!(last.1, Ok(_) | Err(LocateError::CutOff { .. })) {
            break;
        }
    }
    last
}

fn look(path: &Path, ways: &[Expected]) -> Result<String, String> {
    let file = path.display().to_string();
    with_frame(path, |frame| line(&file, None, frame, ways))?
}

/// The board in the median of pictures from one place.
fn look_together(paths: &[PathBuf], ways: &[Expected]) -> Result<String, String> {
    let mut gather = Gather::new(paths.len());
    for path in paths {
        let joins = with_frame(path, |frame| {
            let joins = gather.joins(frame);
            gather.add(frame);
            joins
        })?;
        if !joins {
            return Err(format!(
                "{}: of another size, or from another place than the pictures before; --together needs a camera and a \
                 board that stand still",
                path.display()
            ));
        }
    }
    let kept = gather.kept();
    let (Some(median), Some(first)) = (gather.median(), paths.first()) else {
        return Err(format!("--together needs three pictures or more, {} given", paths.len()));
    };
    let frame = Frame::from_rgb(median).ok_or("an empty picture")?;
    line(&first.display().to_string(), Some(kept), &frame, ways)
}

/// Reads a picture and does something with it; errors begin with its name.
fn with_frame<T>(path: &Path, mut act: impl FnMut(&Frame<'_>) -> T) -> Result<T, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let picture = Picture::from_file(path, 0, Stamp::default()).map_err(|e| failed(&e))?;
    let decoded = picture.decode().map_err(|e| failed(&e))?;
    let frame = decoded.frame().map_err(|e| failed(&e))?;
    Ok(act(&frame))
}

/// What is printed of a picture, or of several together.
fn line(file: &str, together: Option<usize>, frame: &Frame<'_>, ways: &[Expected]) -> Result<String, String> {
    let (men, found) = search(frame, ways);
    let line = match found {
        Ok(found) => Line {
            file,
            together,
            found: true,
            men,
            corners: Some(found.corners().to_array()),
            confidence: found.confidence,
            squares_seen: None,
            orientation_confidence: Some(found.orientation_confidence),
            pose: pose(found.map.plane(), frame),
            reason: None,
        },
        Err(e) => Line {
            file,
            together,
            found: false,
            men,
            corners: None,
            confidence: if let LocateError::Unsure { best } = &e { best.confidence } else { 0.0 },
            squares_seen: if let LocateError::CutOff { board } = &e { Some(board.squares_seen()) } else { None },
            orientation_confidence: None,
            pose: None,
            reason: Some(e.to_string()),
        },
    };
    serde_json::to_string(&line).map_err(|e| format!("{file}: {e}"))
}

/// What is printed of a picture.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    /// How many pictures were searched together.
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<usize>,
    found: bool,
    /// What was expected on the board at last: `start`, `fen` or `any`.
    men: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    corners: Option<[[f64; 2]; 4]>,
    confidence: f64,
    /// Of a board that is not wholly in the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    squares_seen: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orientation_confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pose: Option<Pose>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Pose {
    focal_px: f64,
    /// Standard deviations, of the focal length and the distance as parts of them.
    focal_sd: f64,
    angle_sd_rad: f64,
    distance_sd: f64,
    rotation: [f64; 4],
    translation_squares: [f64; 3],
    camera_squares: [f64; 3],
    residual_px: f64,
}

/// The pose under a camera whose focal length is estimated from the board's own perspective, with its deviations: large
/// ones where the perspective does not tell (a board seen from straight above).
fn pose(map: &Homography, frame: &Frame<'_>) -> Option<Pose> {
    let optics = Optics::Unknown { size_px: (frame.width(), frame.height()) };
    let pose = board_pose(map, &optics, corner_sd_px(map))?;
    Some(Pose {
        focal_px: pose.focal_px(),
        focal_sd: pose.focal_sd,
        angle_sd_rad: pose.angle_sd_rad,
        distance_sd: pose.distance_sd,
        rotation: pose.rotation.coords.into(),
        translation_squares: pose.translation.into(),
        camera_squares: pose.camera_in_board().into(),
        residual_px: pose.residual_px,
    })
}
