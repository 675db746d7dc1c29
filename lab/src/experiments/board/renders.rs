//! Pictures of recordings whose camera is known: `camera.json` tells its intrinsics, its distortion, and the board's
//! pose for each stretch in which nothing moves.

use std::path::Path;

use chess_observer::{
    board::{corners::Corners, geometry::BOARD_CORNERS},
    files,
    sim::Intrinsics,
};
use nalgebra::{Matrix3, Vector3};
use serde::Deserialize;

use super::{Shot, TruePose};
use crate::truth::{Recording, TruthError};

/// Pictures of a recording that are looked at, spread over it.
pub const PICTURES: usize = 12;

#[derive(Deserialize)]
#[allow(non_snake_case)] // as the file has it
struct CameraFile {
    width: u32,
    height: u32,
    K: [[f64; 3]; 3],
    D: Vec<f64>,
    square_size_m: f64,
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
#[allow(non_snake_case)] // as the file has it
struct Segment {
    frames: [usize; 2],
    K: Option<[[f64; 3]; 3]>,
    R_cam_from_board: [[f64; 3]; 3],
    t_cam_from_board: [f64; 3],
}

/// Clean pictures of the recording in a folder, spread over it; none where no `camera.json` tells the camera.
///
/// # Errors
/// When its truth or its pictures cannot be read.
pub fn shots(path: &Path) -> Result<Vec<Shot>, TruthError> {
    let recording = Recording::open(path)?;
    let wrong = |path: &Path, why: String| TruthError { path: path.into(), why };
    let file = path.join("camera.json");
    let Ok(text) = files::text(&file, files::LARGEST_TABLE) else { return Ok(vec![]) };
    let camera: CameraFile = serde_json::from_str(&text).map_err(|e| wrong(&file, e.to_string()))?;
    let truth = &recording.truth;
    let boards = truth.boards();
    let clean: Vec<usize> = (0..truth.rows.len())
        .filter(|&i| truth.rows[i].state == "clean" && !truth.rows[i].event.starts_with("illegal"))
        .collect();
    let count = PICTURES.min(clean.len());
    let chosen = (0..count).map(|i| clean[i * clean.len() / count]);
    let mut shots = vec![];
    for index in chosen {
        let row = &truth.rows[index];
        let segment = camera.segments.iter().find(|s| (s.frames[0]..=s.frames[1]).contains(&index));
        let (Some(segment), Some(men)) = (segment, boards.get(row.ply)) else { continue };
        let rows = |m: [[f64; 3]; 3]| Matrix3::from_row_slice(m.as_flattened());
        let k = segment.K.unwrap_or(camera.K);
        let rotation = rows(segment.R_cam_from_board);
        // The file counts metres from the board's centre, we squares from the corner of a1.
        let centre = Vector3::from(segment.t_cam_from_board) / camera.square_size_m;
        let pose = TruePose { rotation, translation: centre - rotation * Vector3::new(4.0, 4.0, 0.0) };
        let picture = recording.picture(&row.frame)?;
        let image = image::open(&picture).map_err(|e| wrong(&picture, e.to_string()))?.to_rgb8();
        let d = std::array::from_fn(|i| camera.D.get(i).copied().unwrap_or(0.0));
        let k = k.as_flattened().try_into().unwrap_or([0.0; 9]);
        let intrinsics = Intrinsics { width: camera.width, height: camera.height, k, d };
        let corners = truth.corners.get(index).copied().flatten().unwrap_or_else(|| pose.corners(&intrinsics));
        shots.push(Shot { group: truth.name.clone(), image, men: men.clone(), corners, pose, intrinsics });
    }
    Ok(shots)
}

impl TruePose {
    /// Outer corners under a lens that bends nothing.
    fn corners(&self, intrinsics: &Intrinsics) -> Corners {
        let k = Matrix3::from_row_slice(&intrinsics.k);
        Corners(BOARD_CORNERS.map(|at| {
            let p = k * (self.rotation * Vector3::new(at.x, at.y, 0.0) + self.translation);
            nalgebra::Point2::new(p.x / p.z, p.y / p.z)
        }))
    }
}
