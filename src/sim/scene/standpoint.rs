//! Where camera and table are, seen from the board: what knocks change.

use nalgebra::{Point3, Vector3};

use super::{Bump, Camera, Knocked};
use crate::sim::{math, slip::Slip};

/// The board's centre: cameras are carried around it.
const CENTRE: [f64; 3] = [4.0, 4.0, 0.0];
/// A camera that is carried is never flatter over the board than this, in degrees: it would stand on the table.
const FLATTEST_DEG: f64 = 10.0;

/// Camera and table, in the board's coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Standpoint {
    /// The camera.
    pub camera: Camera,
    /// From the table's coordinates to the board's.
    pub(crate) board_from_table: Slip,
}

impl Standpoint {
    /// With a camera, and a board that has not moved.
    #[must_use]
    pub const fn new(camera: Camera) -> Self {
        Self { camera, board_from_table: Slip::NONE }
    }

    /// After a knock; what happens in the course of it is not asked here.
    #[must_use]
    pub(crate) fn bumped(&self, bump: &Bump) -> Self {
        match bump.what {
            Knocked::Camera => Self { camera: self.camera_bumped(bump), ..self.clone() },
            Knocked::Board => self.board_bumped(bump),
        }
    }

    fn camera_bumped(&self, bump: &Bump) -> Camera {
        let mut camera = self.camera.clone();
        let square_px = camera.corners().square_px();
        let [right, down] = [0, 1].map(|i| bump.shift_px[i] + bump.shift_squares[i] * square_px);
        let centre = Point3::from(CENTRE);
        if bump.azimuth_deg != 0.0 {
            camera = camera.carried(&math::rotation(&Vector3::z(), bump.azimuth_deg.to_radians()), &centre);
        }
        if bump.elevation_deg != 0.0 {
            let back = camera.centre - centre;
            let flat = (back.x * back.x + back.y * back.y).sqrt();
            let now_deg = math::atan(back.z / flat.max(1e-9)).to_degrees();
            let up_deg = (now_deg + bump.elevation_deg).clamp(FLATTEST_DEG, 90.0) - now_deg;
            // Straight above, the picture's lower edge says where flat is.
            let right = camera.camera_from_world.row(0).transpose();
            let across = Vector3::new(back.y, -back.x, 0.0);
            let axis = if flat > 1e-6 { across / flat } else { -Vector3::new(right.x, right.y, 0.0).normalize() };
            camera = camera.carried(&math::rotation(&axis, up_deg.to_radians()), &centre);
        }
        camera.focal_px *= bump.zoom;
        camera.turned([right, down], bump.turn_deg)
    }

    fn board_bumped(&self, bump: &Bump) -> Self {
        let table_from_board = self.board_from_table.inverse();
        let about = table_from_board.at(bump.about);
        let moves = Slip::new(-bump.turn_deg.to_radians(), about, bump.shift_squares);
        let board_from_table = table_from_board.then(&moves).inverse();
        // Where a point of the table, told by the board as it was, is told by the board as it is.
        let now_from_before = table_from_board.then(&board_from_table);
        let turn = math::rotation(&Vector3::z(), now_from_before.turn_rad());
        let [x, y] = now_from_before.at([0.0; 2]);
        let mut camera = self.camera.carried(&turn, &Point3::origin());
        camera.centre += Vector3::new(x, y, 0.0);
        Self { camera, board_from_table }
    }

    /// The camera shaken by so many pixels to the right and down.
    #[must_use]
    pub(crate) fn shaken(&self, by_px: [f64; 2]) -> Self {
        Self { camera: self.camera.turned(by_px, 0.0), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Scene;

    fn standpoint(elevation_deg: f64) -> Standpoint {
        let mut scene = Scene::oblique(elevation_deg);
        scene.camera.aim_m = [0.0; 2];
        Standpoint::new(Camera::new(&scene).unwrap())
    }

    fn board(shift_squares: [f64; 2], turn_deg: f64, about: [f64; 2]) -> Bump {
        Bump { what: Knocked::Board, shift_squares, turn_deg, about, ..Bump::default() }
    }

    fn seen(at: &Standpoint, x: f64, y: f64) -> nalgebra::Point2<f64> {
        at.camera.to_image(&Point3::new(x, y, 0.0))
    }

    #[test]
    fn a_board_moved_by_a_square_is_seen_where_its_neighbour_was() {
        let before = standpoint(50.0);
        let after = before.bumped(&board([1.0, -2.0], 0.0, [4.0; 2]));
        for (x, y) in [(0.0, 0.0), (8.0, 3.0), (2.5, 8.0)] {
            assert!(nalgebra::distance(&seen(&after, x, y), &seen(&before, x + 1.0, y - 2.0)) < 1e-6);
        }
        // The table's shifts stay the table's after a turn.
        let turned = before.bumped(&board([0.0; 2], 90.0, [4.0; 2]));
        assert!(nalgebra::distance(&seen(&turned, 0.0, 8.0), &seen(&before, 8.0, 8.0)) < 1e-6, "clockwise from above");
        let both = turned.bumped(&board([1.0, 0.0], 0.0, [4.0; 2]));
        assert!(nalgebra::distance(&seen(&both, 0.0, 8.0), &seen(&before, 9.0, 8.0)) < 1e-6);
        let [x, y] = both.board_from_table.at([9.0, 8.0]);
        assert!((x.abs() < 1e-9) && (y - 8.0).abs() < 1e-9);
    }

    #[test]
    fn the_point_that_a_board_turns_about_stays_in_the_picture() {
        let mut at = standpoint(35.0);
        for (turn, about) in [(15.0, [0.0, 8.0]), (-90.0, [4.0; 2]), (3.0, [9.0, -1.0])] {
            let after = at.bumped(&board([0.0; 2], turn, about));
            let moved = nalgebra::distance(&seen(&after, about[0], about[1]), &seen(&at, about[0], about[1]));
            assert!(moved < 1e-6, "{turn}: {moved} px");
            assert!(nalgebra::distance(&seen(&after, 2.0, 2.0), &seen(&at, 2.0, 2.0)) > 2.0);
            at = after;
        }
    }

    #[test]
    fn a_camera_is_turned_zoomed_and_carried() {
        let before = standpoint(40.0);
        let bumped = |bump: Bump| before.bumped(&bump);
        let corners = before.camera.corners();
        let size = |at: &Standpoint| at.camera.corners().square_px();
        let zoomed = bumped(Bump { zoom: 1.15, ..Bump::default() });
        assert!((size(&zoomed) / size(&before) - 1.15).abs() < 0.01);
        let shifted = bumped(Bump { shift_squares: [0.5, 0.0], ..Bump::default() });
        let jump = seen(&shifted, 4.0, 4.0) - seen(&before, 4.0, 4.0);
        assert!((jump.x / corners.square_px() - 0.5).abs() < 0.01 && jump.y.abs() < 0.1, "{jump}");
        for (up, now) in [(30.0, 70.0), (-20.0, 20.0), (70.0, 90.0), (-80.0, 10.0)] {
            let carried = bumped(Bump { elevation_deg: up, azimuth_deg: 25.0, ..Bump::default() }).camera;
            let back = carried.centre - Point3::from(CENTRE);
            let elevation = (back.z / back.norm()).asin().to_degrees();
            assert!((elevation - now).abs() < 1e-4, "{elevation}");
            let middle = carried.to_image(&Point3::from(CENTRE)) - seen(&before, 4.0, 4.0);
            assert!(middle.norm() < 1e-6, "it looks at the board as before");
        }
        let round = bumped(Bump { azimuth_deg: 90.0, ..Bump::default() }).camera;
        let (was, is) = (before.camera.centre, round.centre);
        assert!((is.x - 4.0 + (was.y - 4.0)).abs() < 1e-9 && is.x > 8.0, "from White's side to the h file's");
        // From straight above it can be carried down again.
        let above = bumped(Bump { elevation_deg: 80.0, ..Bump::default() });
        let down = above.bumped(&Bump { elevation_deg: -50.0, ..Bump::default() }).camera;
        assert!(down.corners().0[0].y > down.corners().0[3].y, "White is still below");
    }

    #[test]
    fn a_part_of_a_knock_is_a_smaller_one() {
        let before = standpoint(60.0);
        let whole = Bump { turn_deg: 8.0, zoom: 1.2, shift_squares: [0.4, 0.0], ..board([0.0; 2], 0.0, [4.0; 2]) };
        assert_eq!(before.bumped(&whole.part(1.0)), before.bumped(&whole));
        let none = before.bumped(&whole.part(0.0));
        assert!((0..4).all(|i| nalgebra::distance(&none.camera.corners().0[i], &before.camera.corners().0[i]) < 1e-9));
    }
}
