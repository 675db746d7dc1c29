//! Where does the camera see a crossing?

use nalgebra::{Point2, Point3};

use super::{GoScene, units};
use crate::{
    go::Size,
    sim::scene::{Camera, SceneError},
};

/// A camera before a board.
#[derive(Debug, Clone, PartialEq)]
pub struct GoView {
    /// The camera in the world.
    pub camera: Camera,
    size: Size,
    /// Distance of lines to the right and down, in units of the world.
    spacing: [f64; 2],
}

impl GoView {
    /// The camera of a scene.
    ///
    /// # Errors
    /// When a number is outside its range, or a corner of the grid outside of the picture.
    pub fn new(scene: &GoScene, size: Size) -> Result<Self, SceneError> {
        scene.check()?;
        let spacing = scene.goban.spacing_mm.map(units);
        let half = spacing.map(|s| 0.5 * f64::from(size.lines() - 1) * s);
        let corners = |edge: f64, z: f64| -> Vec<Point3<f64>> {
            let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            signs.map(|(x, y)| Point3::new(4.0 + x * (half[0] + edge), 4.0 + y * (half[1] + edge), z)).to_vec()
        };
        let mut whole = corners(units(scene.goban.margin_mm), 0.0);
        whole.extend(corners(units(0.5 * scene.stones.diameter_mm[0]), units(scene.stones.height_mm)));
        let camera = Camera::showing(&scene.world(), &whole, &corners(0.0, 0.0))?;
        Ok(Self { camera, size, spacing })
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Where a point of the board appears in the picture, lens included, in pixels: (0, 0) is the upper left crossing, x
    /// counts lines to the right, y lines down, z spacings to the right's width above the board.
    #[must_use]
    pub(crate) fn image_from_board(&self, x: f64, y: f64, z: f64) -> Point2<f64> {
        let middle = 0.5 * f64::from(self.size.lines() - 1);
        let at = Point3::new(
            4.0 + (x - middle) * self.spacing[0],
            4.0 - (y - middle) * self.spacing[1],
            z * self.spacing[0],
        );
        self.camera.to_image(&at)
    }

    /// The grid's corners in the picture: (0, 0), (n-1, 0), (n-1, n-1), (0, n-1).
    #[must_use]
    pub fn corners(&self) -> [Point2<f64>; 4] {
        let last = f64::from(self.size.lines() - 1);
        [(0.0, 0.0), (last, 0.0), (last, last), (0.0, last)].map(|(x, y)| self.image_from_board(x, y, 0.0))
    }

    /// The same board before another camera.
    #[must_use]
    pub fn with(&self, camera: Camera) -> Self {
        Self { camera, ..self.clone() }
    }
}
