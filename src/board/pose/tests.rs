use nalgebra::Rotation3;

use super::*;
use crate::board::{
    corners::Corners,
    geometry::{ImagePoint, Projection},
};

const SIZE: (u32, u32) = (1280, 720);

/// A camera `distance` squares from the board's centre that looks at a point near it.
fn camera(elevation_deg: f64, azimuth_deg: f64, roll_deg: f64, distance: f64) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let (e, a) = (elevation_deg.to_radians(), azimuth_deg.to_radians());
    let centre = Vector3::new(4.0, 4.0, 0.0);
    let position = centre + distance * Vector3::new(a.sin() * e.cos(), -a.cos() * e.cos(), e.sin());
    let target = centre + Vector3::new(0.3, -0.2, 0.0);
    let forward = (target - position).normalize();
    let right = Vector3::new(a.cos(), a.sin(), 0.0);
    let right = (right - forward * right.dot(&forward)).normalize();
    let down = forward.cross(&right);
    let looking = Matrix3::from_rows(&[right.transpose(), down.transpose(), forward.transpose()]);
    let roll = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), roll_deg.to_radians());
    let rotation = roll * UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(looking));
    (rotation, -(rotation * position))
}

fn seen(k: &[f64; 9], rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>, p: [f64; 3]) -> ImagePoint {
    let q = Matrix3::from_row_slice(k) * (rotation * Vector3::from(p) + translation);
    assert!(q.z > 0.0, "behind the camera");
    ImagePoint::new(q.x / q.z, q.y / q.z)
}

fn homography(k: &[f64; 9], rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>) -> Homography {
    let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [8.0, 8.0, 0.0], [0.0, 8.0, 0.0]];
    let corners = corners.map(|p| seen(k, rotation, translation, p)).map(|p| [p.x, p.y]);
    Homography::from_corners(&Corners::new(corners).expect("seen from above")).expect("not degenerate")
}

/// Largest error over the board of the image of the point a king's height (1.7 squares) up, in squares.
fn worst_top(h: &Homography, v: Vector3<f64>, k: &[f64; 9], r: &UnitQuaternion<f64>, t: &Vector3<f64>) -> f64 {
    let projection = Projection::new(h, v);
    let mut worst = 0.0_f64;
    for (x, y) in [(0.5, 0.5), (7.5, 0.5), (4.0, 4.0), (0.5, 7.5), (7.5, 7.5)] {
        let error = (projection.to_image(x, y, 1.7) - seen(k, r, t, [x, y, 1.7])).norm();
        worst = worst.max(error / h.corners().square_px());
    }
    worst
}

fn pose_under(h: &Homography, k: &[f64; 9]) -> Option<BoardPose> {
    board_pose(h, &Optics::Known(*k), corner_sd_px(h))
}

#[test]
fn known_camera_gives_pose_and_vertical_exactly() {
    for elevation in [30.0, 45.0, 60.0, 80.0, 89.9] {
        for (azimuth, roll) in [(0.0, 0.0), (37.0, 5.0), (90.0, 180.0), (200.0, -80.0)] {
            let k = [1050.0, 0.0, 630.0, 0.0, 1040.0, 365.0, 0.0, 0.0, 1.0];
            let (rotation, translation) = camera(elevation, azimuth, roll, 14.0);
            let h = homography(&k, &rotation, &translation);
            let pose = pose_under(&h, &k).expect("a pose");
            assert!(pose.rotation.angle_to(&rotation) < 1e-6, "{elevation} {azimuth}: {pose:?}");
            assert!((pose.translation - translation).norm() < 1e-5, "{elevation} {azimuth}: {pose:?}");
            assert!(pose.residual_px < 1e-6);
            let vertical = vertical_from_homography(&h, SIZE, Some(k)).expect("a vertical");
            assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 1e-6);
            let centre = Projection::new(&h, vertical).camera_centre();
            assert!(centre.z / centre.w > 5.0, "the camera is above the board: {centre:?}");
        }
    }
}

#[test]
fn unknown_camera_is_estimated_from_an_oblique_board() {
    for (focal, elevation, azimuth) in
        [(1050.0, 30.0, 5.0), (900.0, 45.0, 30.0), (1300.0, 55.0, 85.0), (800.0, 40.0, 45.0)]
    {
        let k = intrinsics(focal, SIZE);
        let (rotation, translation) = camera(elevation, azimuth, 3.0, 13.0 * focal / 1050.0);
        let h = homography(&k, &rotation, &translation);
        let estimate = board_pose(&h, &Optics::Unknown { size_px: SIZE }, corner_sd_px(&h)).expect("a pose").focal_px();
        assert!((estimate / focal).ln().abs() < 0.06, "{focal} at {elevation}: {estimate}");
        let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
        let worst = worst_top(&h, vertical, &k, &rotation, &translation);
        assert!(worst < 0.05, "{focal} at {elevation}: {worst}");
    }
}

#[test]
fn seen_from_above_the_prior_keeps_the_vertical_sane() {
    let k = intrinsics(1100.0, SIZE);
    let (rotation, translation) = camera(89.0, 10.0, 0.0, 16.0);
    let h = homography(&k, &rotation, &translation);
    let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
    assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 0.15);
}

#[test]
fn half_a_pixel_of_noise_costs_little() {
    let k = intrinsics(1050.0, SIZE);
    let (rotation, translation) = camera(45.0, 20.0, 0.0, 14.0);
    let exact = homography(&k, &rotation, &translation).corners().to_array();
    for (i, shift) in [[0.5, 0.3], [-0.4, 0.5], [0.5, -0.5], [-0.5, -0.2]].into_iter().enumerate() {
        let mut corners = exact;
        corners[i] = [corners[i][0] + shift[0], corners[i][1] + shift[1]];
        let h = Homography::from_corners(&Corners::new(corners).expect("corners")).expect("a map");
        let pose = pose_under(&h, &k).expect("a pose");
        assert!(pose.rotation.angle_to(&rotation).to_degrees() < 0.5, "{pose:?}");
        assert!((pose.translation - translation).norm() / translation.norm() < 0.01, "{pose:?}");
        let vertical = vertical_from_homography(&h, SIZE, None).expect("a vertical");
        assert!(worst_top(&h, vertical, &k, &rotation, &translation) < 0.08);
    }
}

#[test]
fn nonsense_is_refused() {
    let k = intrinsics(1050.0, SIZE);
    let (rotation, translation) = camera(45.0, 0.0, 0.0, 14.0);
    let h = homography(&k, &rotation, &translation);
    assert_eq!(pose_under(&h, &[0.0; 9]), None);
    assert_eq!(vertical_from_homography(&h, SIZE, Some([f64::NAN; 9])), None);
}

/// Chance that can be repeated (SplitMix64).
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// What was wrong with one estimate: radians, and logarithms of ratios.
struct Trial {
    angle: f64,
    distance: f64,
    focal: f64,
    pose: BoardPose,
}

/// A camera drawn from what is usual sees a board of `part` of the picture's height, corners off by `noise_px`.
fn trial(chance: &mut Chance, elevation: f64, part: (f64, f64), noise_px: f64, known: bool) -> Option<Trial> {
    let long = f64::from(SIZE.0);
    let mut k = intrinsics(long * USUAL_FOCAL * (FOCAL_SPREAD * chance.normal()).exp(), SIZE);
    k[2] += CENTRE_SPREAD * long * chance.normal();
    k[5] += CENTRE_SPREAD * long * chance.normal();
    // A board of eight squares fills the part of the height at this distance.
    let distance = 8.0 * k[0] / (f64::from(SIZE.1) * chance.between(part.0, part.1));
    let (azimuth, roll) = (chance.between(0.0, 360.0), chance.between(-10.0, 10.0));
    if distance * elevation.to_radians().sin() < 4.0 {
        return None;
    }
    let (rotation, translation) = camera(elevation, azimuth, roll, distance);
    let exact = homography(&k, &rotation, &translation).corners().to_array();
    let noisy = exact.map(|p| p.map(|v| v + noise_px * chance.normal()));
    let h = Homography::from_corners(&Corners::new(noisy).ok()?)?;
    let optics = if known { Optics::Known(k) } else { Optics::Unknown { size_px: SIZE } };
    let pose = board_pose(&h, &optics, noise_px).expect("a pose");
    let centre = Vector3::new(4.0, 4.0, 0.0);
    let far = |r: &UnitQuaternion<f64>, t: &Vector3<f64>| (r * centre + t).norm();
    Some(Trial {
        angle: pose.rotation.angle_to(&rotation),
        distance: (far(&pose.rotation, &pose.translation) / far(&rotation, &translation)).ln(),
        focal: (pose.focal_px() / k[0]).ln(),
        pose,
    })
}

/// Means over many trials: of the squares of errors over claimed deviations, and medians of both.
struct Spread {
    angle_z2: f64,
    distance_z2: f64,
    focal_z2: f64,
    angle_deg: f64,
    distance: f64,
    distance_claimed: f64,
}

fn spread(chance: &mut Chance, elevation: f64, part: (f64, f64), noise_px: f64, known: bool) -> Spread {
    let trials: Vec<Trial> = (0..1000).filter_map(|_| trial(chance, elevation, part, noise_px, known)).collect();
    assert!(trials.len() > 600);
    let mean = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>() / trials.len() as f64;
    let median = |of: &dyn Fn(&Trial) -> f64| {
        let mut all: Vec<f64> = trials.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let spread = Spread {
        angle_z2: mean(&|t| (t.angle / t.pose.angle_sd_rad).powi(2)),
        distance_z2: mean(&|t| (t.distance / t.pose.distance_sd).powi(2)),
        focal_z2: if known { 1.0 } else { mean(&|t| (t.focal / t.pose.focal_sd).powi(2)) },
        angle_deg: median(&|t| t.angle).to_degrees(),
        distance: median(&|t| t.distance.abs()),
        distance_claimed: median(&|t| t.pose.distance_sd),
    };
    println!(
        "{} noise {noise_px} px, elevation {elevation}: median error {:.2}° and {:.2} %, claimed {:.2}° and {:.2} %; \
         mean square of error over claim: angle {:.2}, distance {:.2}, focal length {:.2}",
        if known { "camera_info," } else { "estimated,  " },
        spread.angle_deg,
        100.0 * spread.distance,
        median(&|t| t.pose.angle_sd_rad).to_degrees(),
        100.0 * spread.distance_claimed,
        spread.angle_z2,
        spread.distance_z2,
        spread.focal_z2,
    );
    spread
}

/// Errors over claimed deviations must spread by one: they are neither boasted nor hidden.
#[test]
fn the_claimed_deviations_are_true() {
    let mut chance = Chance(7);
    for (known, noise_px) in [(true, 0.5), (true, 2.0), (false, 0.5), (false, 2.0)] {
        for elevation in [30.0, 45.0, 60.0, 75.0, 90.0] {
            let s = spread(&mut chance, elevation, (0.25, 0.9), noise_px, known);
            // Steeper and noisier, the angle's two sides curve together, which no deviation tells exactly.
            assert!((0.8..1.45).contains(&s.angle_z2), "angle {}", s.angle_z2);
            assert!((0.8..1.25).contains(&s.distance_z2), "distance {}", s.distance_z2);
            assert!((0.8..1.25).contains(&s.focal_z2), "focal length {}", s.focal_z2);
            if noise_px < 1.0 && known {
                assert!(s.angle_deg < 1.0 && s.distance < 0.01);
            } else if noise_px < 1.0 {
                assert!(s.angle_deg < 2.0 && (s.distance < 0.04 || elevation > 65.0));
            }
            // From straight above focal length and distance cannot be told apart.
            assert!(known || elevation < 90.0 || s.distance_claimed > 0.9 * FOCAL_SPREAD);
        }
    }
}

/// A board of a tenth of the picture's height looks the same tilted to either side.
#[test]
fn the_deviation_spans_both_poses_of_a_distant_board() {
    let mut chance = Chance(11);
    for elevation in [60.0, 75.0, 85.0] {
        let trials: Vec<Trial> =
            (0..3000).filter_map(|_| trial(&mut chance, elevation, (0.08, 0.12), 0.7, true)).collect();
        let sum = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>();
        let (squares, claimed) = (sum(&|t| t.angle.powi(2)), sum(&|t| t.pose.angle_sd_rad.powi(2)));
        assert!((0.6..1.6).contains(&(squares / claimed)), "{squares} {claimed}");
        // Some are indeed taken for tilted to the other side.
        let wrong = trials.iter().filter(|t| t.angle.to_degrees() > 90.0 - elevation).count();
        assert!(elevation > 80.0 || wrong > 15, "{wrong}");
    }
}

/// Corners that no square board has under the given camera are not believed to be exact.
#[test]
fn a_wrong_camera_shows_in_the_deviations() {
    let (rotation, translation) = camera(35.0, 20.0, 0.0, 14.0);
    let h = homography(&intrinsics(1050.0, SIZE), &rotation, &translation);
    let with = |focal: f64| board_pose(&h, &Optics::Known(intrinsics(focal, SIZE)), 0.5).expect("a pose");
    let (right, wrong) = (with(1050.0), with(600.0));
    assert!(right.residual_px < 1e-3 && wrong.residual_px > 3.0, "{right:?} {wrong:?}");
    assert!(wrong.angle_sd_rad > 3.0 * right.angle_sd_rad);
}
