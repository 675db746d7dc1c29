//! Where the corners of a board are in a picture, and whether a board can be there.

use serde::{Deserialize, Serialize};

use super::geometry::{BOARD_CORNERS, Homography, ImagePoint, mirrored_px};

/// Least side of a square, in pixels, in the mean over the board: less is found by no search and read by nobody.
const LEAST_SQUARE_PX: f64 = 4.0;

/// Outer corners of the playing area in the picture: a1, h1, h8, a8, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[[f64; 2]; 4]", into = "[[f64; 2]; 4]")]
pub struct Corners(pub [ImagePoint; 4]);

impl From<[[f64; 2]; 4]> for Corners {
    /// As they are: [`Corners::new`] asks whether they can be a board's.
    fn from(corners: [[f64; 2]; 4]) -> Self {
        Self(corners.map(|[x, y]| ImagePoint::new(x, y)))
    }
}

impl From<Corners> for [[f64; 2]; 4] {
    fn from(corners: Corners) -> Self {
        corners.to_array()
    }
}

/// Why four points cannot be a board's corners.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// A coordinate is not a number, or infinite.
    #[error("corners must be finite pixel coordinates")]
    NotFinite,
    /// The quadrilateral is not convex, or (nearly) without area.
    #[error("corners a1, h1, h8, a8 must form a convex quadrilateral in this order")]
    NotConvex,
    /// Seen from above, a1, h1, h8, a8 turn anticlockwise (clockwise in pixel coordinates they would be a mirror image).
    #[error(
        "corners a1, h1, h8, a8 run the wrong way round: as seen in the picture they must run anticlockwise, or clockwise \
         in pictures that are read as mirrored (board.mirrored)"
    )]
    Mirrored,
    /// The pictures are mirror images, and the corners are not those of one.
    #[error(
        "corners a1, h1, h8, a8 run the wrong way round: as seen in pictures that are read as mirrored (board.mirrored) they \
         must run clockwise"
    )]
    NotMirrored,
    /// A corner is farther outside of the picture than one that is cut off.
    #[error(
        "corner {corner} at ({x_px:.0}, {y_px:.0}) is more than a square outside of the picture of {width}x{height} pixels"
    )]
    Outside {
        /// Its square.
        corner: &'static str,
        /// Where it is said to be.
        x_px: f64,
        /// Where it is said to be.
        y_px: f64,
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The squares are too small.
    #[error("the corners make squares of {0:.1} pixels: expected {LEAST_SQUARE_PX} or more")]
    TooSmall(f64),
}

impl Corners {
    /// Corners in the order a1, h1, h8, a8.
    ///
    /// # Errors
    /// When the points do not form a convex quadrilateral that runs anticlockwise in the picture, as a board
    /// seen from above does.
    pub fn new(corners: [[f64; 2]; 4]) -> Result<Self, GeometryError> {
        let corners = Self::of_either_hand(corners)?;
        corners.of_hand(false)?;
        Ok(corners)
    }

    /// Do they run as in a picture that is a mirror image, or as in one that is not?
    ///
    /// # Errors
    /// When they run the other way round.
    pub(crate) fn of_hand(&self, mirrored: bool) -> Result<(), GeometryError> {
        match (mirrored, self.is_mirrored()) {
            (false, true) => Err(GeometryError::Mirrored),
            (true, false) => Err(GeometryError::NotMirrored),
            _ => Ok(()),
        }
    }

    /// The same for pictures that may be mirror images.
    ///
    /// # Errors
    /// When the points do not form a convex quadrilateral.
    pub fn of_either_hand(corners: [[f64; 2]; 4]) -> Result<Self, GeometryError> {
        if corners.iter().flatten().any(|v| !v.is_finite()) {
            return Err(GeometryError::NotFinite);
        }
        let corners = Self(corners.map(|[x, y]| ImagePoint::new(x, y)));
        let turns = [0, 1, 2, 3].map(|i| corners.turn(i));
        // One square pixel of turn: less is a line, not a corner.
        let is_convex = turns.iter().all(|t| *t < -1.0) || turns.iter().all(|t| *t > 1.0);
        if is_convex { Ok(corners) } else { Err(GeometryError::NotConvex) }
    }

    /// Twice the area of the triangle of three neighbouring corners, in square pixels: above zero where they run clockwise.
    fn turn(&self, i: usize) -> f64 {
        let (a, b, c) = (self.0[i], self.0[(i + 1) % 4], self.0[(i + 2) % 4]);
        (b - a).perp(&(c - b))
    }

    /// Do they run clockwise, as in a picture that is a mirror image?
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.turn(0) > 0.0
    }

    /// Where they are in the mirror image of a picture of `width` pixels in a row.
    #[must_use]
    pub fn mirrored(&self, width: u32) -> Self {
        Self(self.0.map(|p| ImagePoint::new(mirrored_px(p.x, width), p.y)))
    }

    /// Can a board be read there in pictures of this size (pixels in a row, rows)? It may be cut off by up to a square.
    ///
    /// # Errors
    /// What is wrong with the corners.
    pub fn fit(&self, (width, height): (u32, u32)) -> Result<(), GeometryError> {
        // The nearest squares are the largest, and those that are cut off.
        let side = |i: usize| nalgebra::distance(&self.0[i], &self.0[(i + 1) % 4]);
        let square_px = (0..4).map(side).fold(0.0, f64::max) / 8.0;
        for (corner, p) in ["a1", "h1", "h8", "a8"].into_iter().zip(&self.0) {
            let inside = |v: f64, size: u32| (-square_px..=f64::from(size) + square_px).contains(&v);
            // With squares of any size every place would be near the picture: none is larger than it.
            let is_near = inside(p.x, width) && inside(p.y, height);
            if !is_near || square_px > f64::from(width.max(height)) {
                // A number that has more digits than a line tells no more.
                let [x_px, y_px] = [p.x, p.y].map(|v| v.clamp(-1e9, 1e9));
                return Err(GeometryError::Outside { corner, x_px, y_px, width, height });
            }
        }
        let square_px = self.square_px();
        if square_px < LEAST_SQUARE_PX { Err(GeometryError::TooSmall(square_px)) } else { Ok(()) }
    }

    /// As plain numbers, a1, h1, h8, a8.
    #[must_use]
    pub fn to_array(&self) -> [[f64; 2]; 4] {
        self.0.map(|p| [p.x, p.y])
    }

    /// The same board named from another side: `turns` quarter turns, so that what was h1 becomes a1 after one.
    #[must_use]
    pub fn renamed(&self, turns: usize) -> Self {
        Self(std::array::from_fn(|i| self.0[(i + turns) % 4]))
    }

    /// Largest distance between corners of one name, in pixels.
    #[must_use]
    pub fn farthest_px(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(a, b)| nalgebra::distance(a, b)).fold(0.0, f64::max)
    }

    /// Mean length of a square's side in the picture, in pixels.
    #[must_use]
    pub fn square_px(&self) -> f64 {
        (0..4).map(|i| nalgebra::distance(&self.0[i], &self.0[(i + 1) % 4])).sum::<f64>() / 32.0
    }
}

impl Homography {
    /// The map that takes the board's outer corners to `corners`.
    #[must_use]
    pub fn from_corners(corners: &Corners) -> Option<Self> {
        Self::from_points(&BOARD_CORNERS.into_iter().zip(corners.0).collect::<Vec<_>>())
    }

    /// The outer corners a1, h1, h8, a8 in the picture.
    #[must_use]
    pub fn corners(&self) -> Corners {
        Corners(BOARD_CORNERS.map(|p| self.to_image(p)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBLIQUE: [[f64; 2]; 4] = [[105.0, 415.0], [520.0, 428.0], [465.0, 92.0], [182.0, 88.0]];

    fn oblique() -> Corners {
        Corners::new(OBLIQUE).expect("corners")
    }

    #[test]
    fn corners_must_be_convex_and_the_right_way_round() {
        assert_eq!(oblique().to_array(), OBLIQUE);
        let [a1, h1, h8, a8] = OBLIQUE;
        assert_eq!(Corners::new([a1, a8, h8, h1]), Err(GeometryError::Mirrored));
        let mirrored = Corners::of_either_hand([a1, a8, h8, h1]).expect("convex");
        assert!(mirrored.is_mirrored() && !oblique().is_mirrored());
        assert!(oblique().mirrored(640).is_mirrored() && oblique().mirrored(640).mirrored(640) == oblique());
        assert_eq!(Corners::new([a1, h8, h1, a8]), Err(GeometryError::NotConvex));
        assert_eq!(Corners::of_either_hand([a1, h8, h1, a8]), Err(GeometryError::NotConvex));
        assert_eq!(Corners::new([a1; 4]), Err(GeometryError::NotConvex));
        assert_eq!(Corners::new([[f64::NAN, 0.0], h1, h8, a8]), Err(GeometryError::NotFinite));
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        assert_eq!(Corners::new(line), Err(GeometryError::NotConvex));
    }

    #[test]
    fn a_board_lies_in_the_picture_or_is_cut_off_by_a_square() {
        let size = (640, 480);
        assert_eq!(oblique().fit(size), Ok(()));
        // Moved until a square is outside, and a little more.
        let moved =
            |by: [f64; 2]| Corners::new(OBLIQUE.map(|[x, y]| [x + by[0], y + by[1]])).expect("corners").fit(size);
        let square = (OBLIQUE[0][0] - OBLIQUE[1][0]).hypot(OBLIQUE[0][1] - OBLIQUE[1][1]) / 8.0;
        assert_eq!(moved([0.0, -OBLIQUE[3][1] - 0.9 * square]), Ok(()));
        let text = moved([0.0, -OBLIQUE[3][1] - 1.1 * square]).expect_err("too far").to_string();
        assert_eq!(text, "corner h8 at (465, -53) is more than a square outside of the picture of 640x480 pixels");
        assert!(matches!(moved([0.0, 480.0]), Err(GeometryError::Outside { corner: "a1", .. })));
        let square =
            |from: f64, to: f64| Corners::new([[from, to], [to, to], [to, from], [from, from]]).expect("corners");
        let text = square(0.0, 20.0).fit(size).expect_err("tiny").to_string();
        assert_eq!(text, "the corners make squares of 2.5 pixels: expected 4 or more");
        // However large, it does not lie near.
        for far in [1e4, 1e9, 1e100] {
            assert!(matches!(square(-far, far).fit(size), Err(GeometryError::Outside { .. })), "{far}");
        }
    }
}
