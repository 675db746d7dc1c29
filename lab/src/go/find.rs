//! What came of the search for a board in a picture?

use chess_observer::{
    board::grid::{Grid, locate},
    frame::Frame,
    go::{Content, Size},
    sim::{
        dice::Dice,
        go::{GoScene, render},
        scene::SceneError,
    },
};
use serde::{Deserialize, Serialize};

/// Within so many distances between lines at each corner a grid is right.
pub const NEAR: f64 = 0.15;

/// A view of a board whose grid is searched.
#[derive(Debug, Clone)]
pub struct View {
    /// Board, camera, light.
    pub scene: GoScene,
    /// The stones, row by row.
    pub position: Vec<Content>,
    /// What chance decides follows from this.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Found {
    /// Elevation of the camera, in degrees.
    pub elevation_deg: f64,
    /// Stones on the board.
    pub stones: usize,
    /// A grid was claimed.
    pub claimed: bool,
    /// Greatest distance of a corner from the true one, as named best, in distances between lines there.
    pub off_lines: f64,
}

impl Found {
    /// Is the grid where it is?
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.claimed && self.off_lines <= NEAR
    }
}

/// Views by chance: from 25 to 90 degrees, of the positions given.
#[must_use]
pub fn views(count: usize, seed: u64, position: impl Fn(usize, &mut Dice) -> Vec<Content>) -> Vec<View> {
    let view = |i: usize| {
        let own = seed.wrapping_mul(1009).wrapping_add(i as u64);
        let mut dice = Dice::new(own, 0xf1_4d);
        let mut scene = super::scenes::any(own);
        // Every elevation alike.
        scene.scene.camera.elevation_deg = 25.0 + 65.0 * (i as f64 + dice.unit()) / count as f64;
        View { scene, position: position(i, &mut dice), seed: own }
    };
    (0..count).map(view).collect()
}

impl View {
    /// Searches the grid in the picture, of a board whose size is not told.
    ///
    /// # Errors
    /// When the scene is refused.
    pub fn run(&self) -> Result<Found, SceneError> {
        let size = Size::USUAL;
        let (image, view) = render(&self.position, size, &self.scene, self.seed)?;
        let mut found = Found {
            elevation_deg: self.scene.scene.camera.elevation_deg,
            stones: self.position.iter().filter(|c| **c != Content::Empty).count(),
            ..Found::default()
        };
        let Some(grid) = Frame::from_rgb(&image).and_then(|frame| locate(&frame, None).ok()) else { return Ok(found) };
        found.claimed = true;
        found.off_lines = if grid.size() == size { off(&grid, &view.corners()) } else { f64::from(size.lines()) };
        Ok(found)
    }
}

/// Greatest distance of a grid's corners from the true ones, in distances between lines there.
fn off(grid: &Grid, truth: &[nalgebra::Point2<f64>; 4]) -> f64 {
    let Ok(known) = Grid::from_corners(*truth, grid.size()) else { return f64::INFINITY };
    let last = f64::from(grid.size().lines() - 1);
    let places = [(0.0, 0.0), (last, 0.0), (last, last), (0.0, last)];
    let turned = (0..4).map(|turns| {
        let corners = grid.renamed(turns).corners();
        let each = corners.iter().zip(truth).zip(places);
        each.map(|((a, b), (x, y))| nalgebra::distance(a, b) / known.spacing_px_at(x, y)).fold(0.0, f64::max)
    });
    turned.fold(f64::INFINITY, f64::min)
}
