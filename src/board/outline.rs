//! The outline of a man in the picture, and what it covers of the board behind him.
//!
//! A man is a stack of discs ([`staunton`](super::staunton)); between two neighbouring discs he is their convex hull, and
//! so is the image of that part the hull of the discs' images. The image of the man is the union of these parts.

use std::f64::consts::TAU;

use shakmaty::{Role, Square};

use super::{
    geometry::{ImagePoint, Projection, square_centre},
    lens::Lens,
    staunton::discs,
};

/// Points around a disc: the polygon is within a hundredth of its radius, which is well below a pixel.
const AROUND: usize = 24;
/// Points along a side of a square at which it is asked whether they are covered: shares are good to two per cent.
const PER_SIDE: usize = 16;
/// Squares farther than this from a man are covered by no man's image under a camera that sees the board's squares.
const REACH: i32 = 7;

/// The image of a man.
#[derive(Debug, Clone, PartialEq)]
pub struct Silhouette {
    /// Convex polygons, all turning the same way.
    parts: Vec<Vec<ImagePoint>>,
}

/// The image of a man in the middle of a square, in pixels of the picture behind `lens`. `None` where the picture cannot
/// show all of him.
#[must_use]
pub fn silhouette(projection: &Projection, lens: Option<&Lens>, role: Role, square: Square) -> Option<Silhouette> {
    let foot = square_centre(square);
    let ring = |&(z, radius): &(f32, f32)| -> Option<Vec<ImagePoint>> {
        let (z, radius) = (f64::from(z), f64::from(radius));
        (0..AROUND)
            .map(|k| {
                let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
                let ideal = projection.to_image(foot.x + radius * cos, foot.y + radius * sin, z);
                let seen = lens.map_or(ideal, |lens| lens.distort(ideal));
                (seen.x.is_finite() && seen.y.is_finite()).then_some(seen)
            })
            .collect()
    };
    let rings: Vec<Vec<ImagePoint>> = discs(role).iter().map(ring).collect::<Option<_>>()?;
    let parts = rings.windows(2).map(|pair| hull(pair.concat())).collect();
    Some(Silhouette { parts })
}

impl Silhouette {
    /// Does the image show the man at this pixel?
    #[must_use]
    pub fn contains(&self, p: ImagePoint) -> bool {
        self.parts
            .iter()
            .any(|part| part.iter().zip(part.iter().cycle().skip(1)).all(|(a, b)| (b - a).perp(&(p - a)) >= 0.0))
    }

    /// The convex polygons whose union it is, each in order.
    #[must_use]
    pub fn parts(&self) -> &[Vec<ImagePoint>] {
        &self.parts
    }

    /// The convex polygon around all of it.
    #[must_use]
    pub fn hull(&self) -> Vec<ImagePoint> {
        hull(self.parts.concat())
    }
}

/// The squares of which the man's image covers a part when he stands in the middle of his square, himself on his own
/// included, with the part (0 to 1) of each.
#[must_use]
pub fn covered(projection: &Projection, role: Role, square: Square) -> Vec<(Square, f64)> {
    // A lens moves the man and what is behind him alike.
    let Some(image) = silhouette(projection, None, role, square) else { return Vec::new() };
    let near = |a: u32, b: u32| (a as i32 - b as i32).abs() <= REACH;
    let step = |k: usize| (k as f64 + 0.5) / PER_SIDE as f64 - 0.5;
    Square::ALL
        .into_iter()
        .filter(|s| near(s.file().into(), square.file().into()) && near(s.rank().into(), square.rank().into()))
        .filter_map(|other| {
            let centre = square_centre(other);
            let hidden = (0..PER_SIDE * PER_SIDE)
                .filter(|k| {
                    let (x, y) = (centre.x + step(k % PER_SIDE), centre.y + step(k / PER_SIDE));
                    image.contains(projection.to_image(x, y, 0.0))
                })
                .count();
            (hidden > 0).then(|| (other, hidden as f64 / (PER_SIDE * PER_SIDE) as f64))
        })
        .collect()
}

/// The convex hull, by Andrew's monotone chain (1979).
fn hull(mut points: Vec<ImagePoint>) -> Vec<ImagePoint> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut chain: Vec<ImagePoint> = Vec::with_capacity(points.len());
    let mut add_all = |points: &mut dyn Iterator<Item = ImagePoint>| {
        let begun = chain.len();
        for p in points {
            while chain.len() >= begun + 2
                && (chain[chain.len() - 1] - chain[chain.len() - 2]).perp(&(p - chain[chain.len() - 1])) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        // The last point begins the other half.
        chain.pop();
    };
    add_all(&mut points.iter().copied());
    add_all(&mut points.iter().rev().copied());
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{
        corners::Corners,
        geometry::Homography,
        pose::{Optics, board_pose, intrinsics},
    };
    use nalgebra::{Matrix3, Vector3};

    /// A camera straight above a point of the board, at a height in squares.
    fn above(x: f64, y: f64, height: f64) -> Projection {
        // 40 pixels a square on the board; the picture's y runs down.
        let matrix = Matrix3::new(40.0, 0.0, 100.0, 0.0, -40.0, 500.0, 0.0, 0.0, 1.0);
        let plane = Homography::from_matrix(matrix).expect("a map");
        // Looking straight down, a point at height z is enlarged from the foot of the camera by 1 / (1 - z / height).
        let foot = plane.to_image(ImagePoint::new(x, y));
        Projection::new(&plane, Vector3::new(foot.x, foot.y, 1.0) * (-1.0 / height))
    }

    fn oblique() -> Projection {
        let corners = Corners::new([[300.0, 640.0], [980.0, 655.0], [880.0, 150.0], [410.0, 140.0]]).expect("corners");
        let plane = Homography::from_corners(&corners).expect("a map");
        let pose = board_pose(&plane, &Optics::Known(intrinsics(1000.0, (1280, 720))), 1.0).expect("a pose");
        Projection::new(&plane, pose.vertical())
    }

    #[test]
    fn a_hull_is_convex_and_holds_its_points() {
        let points: Vec<ImagePoint> =
            (0..40).map(|i| ImagePoint::new(f64::from(i * 37 % 41), f64::from(i * i % 29))).collect();
        let around = hull(points.clone());
        let turns = |k: usize| {
            let at = |i: usize| around[i % around.len()];
            (at(k + 1) - at(k)).perp(&(at(k + 2) - at(k + 1)))
        };
        assert!(around.len() >= 3 && (0..around.len()).all(|k| turns(k) > 0.0));
        let all = Silhouette { parts: vec![around] };
        assert!(points.iter().all(|p| all.contains(*p)));
        assert!(!all.contains(ImagePoint::new(-1.0, 10.0)));
    }

    #[test]
    fn from_straight_above_a_man_covers_his_own_square_only() {
        for square in [Square::A1, Square::E4, Square::H8] {
            let centre = square_centre(square);
            for height in [8.0, 1e6] {
                for role in Role::ALL {
                    let covers = covered(&above(centre.x, centre.y, height), role, square);
                    assert!(matches!(covers.as_slice(), [(s, _)] if *s == square), "{role:?} {covers:?}");
                    // The foot is a disc of this radius, and nothing of him is wider.
                    let radius = f64::from(discs(role)[0].1);
                    assert!((covers[0].1 - TAU / 2.0 * radius * radius).abs() < 0.04, "{role:?} {covers:?}");
                }
            }
        }
    }

    #[test]
    fn seen_from_whites_side_he_covers_what_is_behind_him_the_more_the_taller() {
        let projection = oblique();
        let behind = |role: Role| -> f64 {
            let covers = covered(&projection, role, Square::E4);
            assert!(covers.iter().all(|(s, _)| s.rank() >= Square::E4.rank()), "{covers:?}");
            covers.iter().filter(|(s, _)| *s != Square::E4).map(|(_, share)| share).sum()
        };
        let of = [Role::Pawn, Role::Bishop, Role::Queen, Role::King].map(behind);
        assert!(of.windows(2).all(|pair| pair[0] < pair[1]), "{of:?}");
        assert!(of[0] < 0.1 && of[3] > 0.25, "{of:?}");
    }

    #[test]
    fn the_outline_is_seen_through_the_lens() {
        let projection = oblique();
        let lens = Lens::radial(1000.0, ImagePoint::new(639.5, 359.5), [-0.3, 0.0]);
        let hull =
            |lens: Option<&Lens>| silhouette(&projection, lens, Role::King, Square::A8).expect("an image").hull();
        let (plain, bent) = (hull(None), hull(Some(&lens)));
        let all = Silhouette { parts: vec![bent] };
        let middle = plain.iter().map(|p| p.coords).sum::<nalgebra::Vector2<f64>>() / plain.len() as f64;
        let at = |p: &ImagePoint, part: f64| lens.distort(ImagePoint::from(middle + part * (p.coords - middle)));
        // Lines bend a little between the corners.
        assert!(plain.iter().all(|p| all.contains(at(p, 0.97)) && !all.contains(at(p, 1.03))));
        assert!((at(&plain[0], 0.0) - ImagePoint::from(middle)).norm() > 5.0);
    }
}
