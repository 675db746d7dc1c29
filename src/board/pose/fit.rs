//! The likeliest pose for four corners, by Levenberg and Marquardt's method, and the spread around it.
//!
//! Nine numbers: a turn of the board, the direction and (logarithmic) depth of its centre, and where the camera is not
//! known its (logarithmic) focal length and principal point, each with what is usual as a ninth to eleventh measurement
//! beside the corners' eight coordinates. In these numbers the valley along which a farther board under a longer lens
//! looks the same is straight, so that the spread is right also where nothing but the usual decides.

use nalgebra::{Matrix2, Matrix2x3, Matrix3, Rotation3, SMatrix, SVector, UnitQuaternion, Vector2, Vector3};

use super::{BoardPose, CENTRE_SPREAD, FOCAL_SPREAD, Optics, USUAL_FOCAL};
use crate::board::geometry::{BoardPoint, Homography, ImagePoint, Rectangle};

/// Focal lengths over the longer side from which the search starts without a known camera: the cost may have a valley
/// at short lenses and another at long ones.
const STARTS: [f64; 3] = [0.5, 0.85, 1.8];
/// Steps at most; from a start by the homography's decomposition five to ten are usual.
const STEPS: usize = 40;
/// A step that lowers the cost (in squared standard deviations, halved) by less than this is the last.
const ENOUGH: f64 = 1e-7;
/// Sum of squared residuals, in squared standard deviations, up to which the corners are believed to be as precise as
/// told: 99 % of pictures are below. Beyond, the corners must be worse than told.
const BELIEVED: f64 = 9.0;
/// A mode this much less likely than the best (natural logarithm) is of no consequence.
const NEGLIGIBLE: f64 = 12.0;

type Matrix9 = SMatrix<f64, 9, 9>;
type Vector9 = SVector<f64, 9>;

/// What is to be explained, and what is known of the camera.
struct Problem {
    /// The board's corners and its middle, on its plane.
    corners: [Vector3<f64>; 4],
    centre: Vector3<f64>,
    /// Where the corners are seen.
    seen: [ImagePoint; 4],
    sd_px: f64,
    /// Intrinsic matrix, or one of the usual focal length.
    k: Matrix3<f64>,
    /// Longer side of the picture of an unknown camera.
    unknown_px: Option<f64>,
}

/// A camera over the board.
#[derive(Debug, Clone, Copy)]
struct State {
    rotation: UnitQuaternion<f64>,
    /// Direction of the board's centre (x/z, y/z), and logarithm of its depth.
    at: Vector3<f64>,
    /// Logarithm of the focal length over that of the problem's matrix, and the principal point's distance from its.
    ln_focal: f64,
    shift: Vector2<f64>,
}

/// A state that no small step improves.
struct Mode {
    state: State,
    covariance: Matrix9,
    /// Sum of the squared residuals, in pixels.
    residual2: f64,
    /// Logarithm of its likelihood, with that of its surroundings.
    weight: f64,
}

/// The pose, and the logarithm of its likelihood with that of its surroundings.
pub(super) fn solve(h: &Homography, board: Rectangle, optics: &Optics, sd_px: f64) -> Option<(BoardPose, f64)> {
    let problem = Problem::new(h, board, optics, sd_px)?;
    let mut modes: Vec<Mode> = Vec::new();
    let starts: &[f64] = if problem.unknown_px.is_some() { &STARTS } else { &[USUAL_FOCAL] };
    for start in starts {
        if let Some(start) = problem.decompose(h, (start / USUAL_FOCAL).ln()) {
            add(&mut modes, problem.descend(start));
        }
    }
    let best = modes.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?.state.mirrored();
    add(&mut modes, best.and_then(|start| problem.descend(start)));
    problem.sum_up(&modes)
}

/// Adds a mode that is not yet there and has the camera above the board.
fn add(modes: &mut Vec<Mode>, found: Option<Mode>) {
    let Some(found) = found.filter(|m| m.state.is_from_above()) else { return };
    let known = |m: &Mode| {
        let near = |off: f64, variance: f64| off.abs() < 1e-3 + 0.2 * variance.sqrt();
        near(m.state.rotation.angle_to(&found.state.rotation), m.angle_variance())
            && near(m.state.at.z - found.state.at.z, m.covariance[(5, 5)])
    };
    if !modes.iter().any(known) {
        modes.push(found);
    }
}

impl Problem {
    fn new(h: &Homography, board: Rectangle, optics: &Optics, sd_px: f64) -> Option<Self> {
        let (k, unknown_px) = match optics {
            Optics::Known(k) => (Matrix3::from_row_slice(k), None),
            Optics::Unknown { size_px } => {
                let long = f64::from(size_px.0.max(size_px.1));
                (Matrix3::from_row_slice(&super::intrinsics(USUAL_FOCAL * long, *size_px)), Some(long))
            }
        };
        let corners = board.corners();
        let seen = corners.map(|p| h.to_image(p));
        let on_plane = |p: BoardPoint| Vector3::new(p.x, p.y, 0.0);
        let finite = k.iter().chain(seen.iter().flat_map(|p| p.iter())).all(|v| v.is_finite());
        let camera = k[(0, 0)] > 0.0 && k[(1, 1)] > 0.0 && k.try_inverse().is_some();
        // A thousandth of a pixel is far below what any corner is known to.
        (finite && camera && sd_px.is_finite()).then(|| Self {
            corners: corners.map(on_plane),
            centre: on_plane(board.centre()),
            seen,
            sd_px: sd_px.max(1e-3),
            k,
            unknown_px,
        })
    }

    /// The intrinsic matrix of a state.
    fn camera(&self, state: &State) -> Matrix3<f64> {
        let mut k = self.k;
        if self.unknown_px.is_some() {
            let scale = state.ln_focal.exp();
            k[(0, 0)] *= scale;
            k[(1, 1)] *= scale;
            k[(0, 2)] += state.shift.x;
            k[(1, 2)] += state.shift.y;
        }
        k
    }

    /// The state in which the homography's own columns are the board's axes, as nearly as they can be.
    fn decompose(&self, h: &Homography, ln_focal: f64) -> Option<State> {
        let upright = State {
            rotation: UnitQuaternion::identity(),
            at: Vector3::zeros(),
            ln_focal: if self.unknown_px.is_some() { ln_focal } else { 0.0 },
            shift: Vector2::zeros(),
        };
        let b = self.camera(&upright).try_inverse()? * h.matrix();
        let (first, second, third): (Vector3<f64>, Vector3<f64>, Vector3<f64>) =
            (b.column(0).into(), b.column(1).into(), b.column(2).into());
        let scale = (first.norm() * second.norm()).sqrt();
        if !(scale.is_finite() && scale > 1e-12) {
            return None;
        }
        // The homography is positive in front of the camera, hence so is the scale.
        let (r1, r2) = (first / first.norm(), second / second.norm());
        let rotation = nearest_rotation(&Matrix3::from_columns(&[r1, r2, r1.cross(&r2)]))?;
        let centre = (first * self.centre.x + second * self.centre.y + third) / scale;
        let at = Vector3::new(centre.x / centre.z, centre.y / centre.z, centre.z.ln());
        at.iter().all(|v| v.is_finite()).then_some(State { rotation, at, ..upright })
    }

    /// Half the sum of squares of everything that is off, in standard deviations; with the normal equations.
    fn cost(&self, state: &State) -> Option<(f64, f64, Matrix9, Vector9)> {
        let camera = self.camera(state);
        let centre = state.centre();
        let scale: Matrix2<f64> = camera.fixed_view::<2, 2>(0, 0).into();
        let mut normal = Matrix9::zeros();
        let mut right = Vector9::zeros();
        let mut residual2 = 0.0;
        for (corner, seen) in self.corners.iter().zip(&self.seen) {
            let turned = state.rotation * (corner - self.centre);
            let p = turned + centre;
            if p.z < 1e-6 {
                return None;
            }
            let flat = Vector2::new(p.x / p.z, p.y / p.z);
            let pixel = scale * flat + Vector2::new(camera[(0, 2)], camera[(1, 2)]);
            let by_p = scale * Matrix2x3::new(1.0, 0.0, -flat.x, 0.0, 1.0, -flat.y) / p.z;
            let mut jacobian = SMatrix::<f64, 2, 9>::zeros();
            jacobian.fixed_columns_mut::<3>(0).copy_from(&(by_p * -turned.cross_matrix()));
            jacobian.column_mut(3).copy_from(&(by_p.column(0) * centre.z));
            jacobian.column_mut(4).copy_from(&(by_p.column(1) * centre.z));
            jacobian.column_mut(5).copy_from(&(by_p * centre));
            if self.unknown_px.is_some() {
                jacobian.column_mut(6).copy_from(&(scale * flat));
                jacobian[(0, 7)] = 1.0;
                jacobian[(1, 8)] = 1.0;
            }
            let off = seen.coords - pixel;
            residual2 += off.norm_squared();
            normal += jacobian.transpose() * jacobian;
            right += jacobian.transpose() * off;
        }
        let certainty = 1.0 / (self.sd_px * self.sd_px);
        normal *= certainty;
        right *= certainty;
        let mut twice = residual2 * certainty;
        if let Some(long) = self.unknown_px {
            let usual = [
                state.ln_focal / FOCAL_SPREAD,
                state.shift.x / (CENTRE_SPREAD * long),
                state.shift.y / (CENTRE_SPREAD * long),
            ];
            let spread = [FOCAL_SPREAD, CENTRE_SPREAD * long, CENTRE_SPREAD * long];
            for (i, (off, sd)) in usual.into_iter().zip(spread).enumerate() {
                twice += off * off;
                normal[(6 + i, 6 + i)] += 1.0 / (sd * sd);
                right[6 + i] -= off / sd;
            }
        } else {
            // Nothing to find there.
            (6..9).for_each(|i| normal[(i, i)] = 1.0);
        }
        Some((0.5 * twice, residual2, normal, right))
    }

    /// Down to the nearest least cost.
    fn descend(&self, start: State) -> Option<Mode> {
        let mut state = start;
        let (mut cost, mut residual2, mut normal, mut right) = self.cost(&state)?;
        let mut damping = 1e-3;
        for _ in 0..STEPS {
            let mut damped = normal;
            (0..9).for_each(|i| damped[(i, i)] *= 1.0 + damping);
            let step = damped.cholesky()?.solve(&right);
            let next = state.moved(&step);
            match self.cost(&next) {
                Some(found) if found.0 <= cost => {
                    let gained = cost - found.0;
                    state = next;
                    (cost, residual2, normal, right) = found;
                    damping = (damping * 0.1).max(1e-9);
                    if gained < ENOUGH {
                        break;
                    }
                }
                _ if damping > 1e8 => break,
                _ => damping *= 10.0,
            }
        }
        let cholesky = normal.cholesky()?;
        let ln_root_det: f64 = cholesky.l().diagonal().iter().map(|v| v.ln()).sum();
        Some(Mode { state, covariance: cholesky.inverse(), residual2, weight: -cost - ln_root_det })
    }

    /// The likeliest mode, with deviations that span the others.
    fn sum_up(&self, modes: &[Mode]) -> Option<(BoardPose, f64)> {
        let best = modes.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        let excess = best.residual2 / (self.sd_px * self.sd_px) - BELIEVED;
        // Eight coordinates determine six numbers: two are left over.
        let worse = 1.0 + 0.5 * excess.max(0.0);
        let (mut total, mut angle2, mut distance2, mut focal2) = (0.0, 0.0, 0.0, 0.0);
        for mode in modes.iter().filter(|m| best.weight - m.weight < NEGLIGIBLE) {
            let weight = (mode.weight - best.weight).exp();
            total += weight;
            let turned = mode.state.rotation.angle_to(&best.state.rotation);
            angle2 += weight * (mode.angle_variance() + turned * turned);
            let farther = mode.state.ln_distance() - best.state.ln_distance();
            distance2 += weight * (mode.distance_variance() + farther * farther);
            let longer = mode.state.ln_focal - best.state.ln_focal;
            focal2 += weight * (mode.covariance[(6, 6)] + longer * longer);
        }
        let sd = |sum: f64| (worse * sum / total).sqrt();
        let state = &best.state;
        let camera = self.camera(state);
        let pose = BoardPose {
            rotation: state.rotation,
            translation: state.centre() - state.rotation * self.centre,
            residual_px: (best.residual2 / 4.0).sqrt(),
            k: std::array::from_fn(|i| camera[(i / 3, i % 3)]),
            focal_sd: if self.unknown_px.is_some() { sd(focal2) } else { 0.0 },
            angle_sd_rad: sd(angle2),
            distance_sd: sd(distance2),
        };
        let numbers = [pose.residual_px, pose.focal_sd, pose.angle_sd_rad, pose.distance_sd];
        numbers.iter().chain(pose.translation.iter()).all(|v| v.is_finite()).then_some((pose, best.weight))
    }
}

impl State {
    fn centre(&self) -> Vector3<f64> {
        self.at.z.exp() * Vector3::new(self.at.x, self.at.y, 1.0)
    }

    fn ln_distance(&self) -> f64 {
        self.at.z + 0.5 * (1.0 + self.at.x * self.at.x + self.at.y * self.at.y).ln()
    }

    fn is_from_above(&self) -> bool {
        (self.rotation * Vector3::z()).dot(&self.centre()) < 0.0
    }

    fn moved(&self, step: &Vector9) -> Self {
        Self {
            rotation: UnitQuaternion::from_scaled_axis(Vector3::new(step[0], step[1], step[2])) * self.rotation,
            at: self.at + Vector3::new(step[3], step[4], step[5]),
            ln_focal: self.ln_focal + step[6],
            shift: self.shift + Vector2::new(step[7], step[8]),
        }
    }

    /// The pose that looks the same to a camera far away: depths along the line of sight the other way round
    /// (D. Oberkampf, D. DeMenthon and L. Davis, "Iterative pose estimation using coplanar feature points", 1996).
    fn mirrored(&self) -> Option<Self> {
        let sight = self.centre().normalize();
        let over = |v: Vector3<f64>| v - sight * (2.0 * sight.dot(&v));
        let (r1, r2) = (over(self.rotation * Vector3::x()), over(self.rotation * Vector3::y()));
        let rotation = nearest_rotation(&Matrix3::from_columns(&[r1, r2, r1.cross(&r2)]))?;
        Some(Self { rotation, ..*self })
    }
}

impl Mode {
    fn angle_variance(&self) -> f64 {
        (0..3).map(|i| self.covariance[(i, i)]).sum()
    }

    fn distance_variance(&self) -> f64 {
        let at = &self.state.at;
        let r2 = 1.0 + at.x * at.x + at.y * at.y;
        let slope = Vector3::new(at.x / r2, at.y / r2, 1.0);
        (slope.transpose() * self.covariance.fixed_view::<3, 3>(3, 3) * slope)[0]
    }
}

/// The rotation nearest to a matrix in the least-squares sense.
fn nearest_rotation(rough: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let svd = rough.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let sign = (u * v_t).determinant().signum();
    let turn = u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign)) * v_t;
    Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn)))
}
