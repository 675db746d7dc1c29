//! What a lens does to the picture of a pinhole: the three distortion models of `sensor_msgs/CameraInfo`.
//!
//! *Ideal* pixels are those of a pinhole with the same intrinsic matrix: straight lines stay straight, and the board's
//! plane is seen through a homography. A lens bends them to the pixels of the picture (D. C. Brown, "Close-range camera
//! calibration", 1971; J. Kannala and S. S. Brandt, "A generic camera model and calibration method", 2006).

use nalgebra::{Matrix2, Vector2};

use super::geometry::{ImagePoint, enlarged_px, mirrored_px};

/// Steps of Newton's method at most: from the pinhole's place even strong lenses take five.
const STEPS: usize = 20;
/// A straightened pixel must bend back to where it came from, within this many pixels.
const BACK_PX: f64 = 1e-3;
/// Greatest distance from the axis at which a lens is asked, in focal lengths of the ideal picture: 84°.
const WIDEST: f64 = 10.0;
/// Greatest size of a coefficient of radial distortion that is believed. Fisheye lenses under `plumb_bob` reach 1; the
/// rational model's, which cancel each other, are found beyond 100.
const LARGEST_COEFFICIENT: f64 = 1e4;

/// A lens that bends straight lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    focal: Vector2<f64>,
    skew: f64,
    centre: ImagePoint,
    model: Model,
    /// Square of the largest distance from the axis, in focal lengths, up to which the picture grows outwards.
    reach2: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// k1, k2, p1, p2, k3, k4, k5, k6 as in OpenCV; the last three are zero for `plumb_bob`.
    Rational([f64; 8]),
    /// k1 to k4: a fisheye's polynomial in the angle from the axis.
    Equidistant([f64; 4]),
}

/// Why a camera's distortion cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LensError {
    /// Not one of the three models.
    #[error("unknown distortion model {model:?}: expected plumb_bob, rational_polynomial or equidistant")]
    Model {
        /// The name as it came, cut at 40 characters.
        model: String,
    },
    /// Too few or too many coefficients.
    #[error("{model} with {got} coefficients: expected {expected}")]
    Coefficients {
        /// The model.
        model: &'static str,
        /// How many there are.
        got: usize,
        /// How many there may be.
        expected: &'static str,
    },
    /// Something is not a number, or of absurd size.
    #[error("the camera's intrinsic matrix or distortion is not finite, or absurdly large")]
    Absurd,
}

impl Lens {
    /// The lens of a `CameraInfo`: row-major intrinsic matrix `k` in pixels, the model's name and its coefficients.
    /// `None` where it bends nothing: all coefficients zero, or none.
    ///
    /// # Errors
    /// When the model is unknown, the number of coefficients is not its, or a number cannot be true.
    pub fn new(k: &[f64; 9], model: &str, d: &[f64]) -> Result<Option<Self>, LensError> {
        if d.iter().all(|v| *v == 0.0) {
            return Ok(None);
        }
        let believable = |v: &f64| v.is_finite() && v.abs() < LARGEST_COEFFICIENT;
        if !(d.iter().all(believable) && k.iter().all(|v| v.is_finite()) && k[0] > 0.0 && k[4] > 0.0) {
            return Err(LensError::Absurd);
        }
        let wrong = |model, expected| LensError::Coefficients { model, got: d.len(), expected };
        let padded = || std::array::from_fn(|i| d.get(i).copied().unwrap_or(0.0));
        let model = match model {
            "plumb_bob" | "" if (4..=5).contains(&d.len()) => Model::Rational(padded()),
            "plumb_bob" | "" => return Err(wrong("plumb_bob", "4 or 5")),
            "rational_polynomial" if d.len() == 8 => Model::Rational(padded()),
            // OpenCV's thin prism and tilt follow; drivers send them as zeros.
            "rational_polynomial" if (8..=14).contains(&d.len()) && d[8..].iter().all(|v| *v == 0.0) => {
                Model::Rational(padded())
            }
            "rational_polynomial" => return Err(wrong("rational_polynomial", "8")),
            "equidistant" | "fisheye" if d.len() == 4 => Model::Equidistant(std::array::from_fn(|i| d[i])),
            "equidistant" | "fisheye" => return Err(wrong("equidistant", "4")),
            other => return Err(LensError::Model { model: other.chars().take(40).collect() }),
        };
        Ok(Some(Self::of(Vector2::new(k[0], k[4]), k[1], ImagePoint::new(k[2], k[5]), model)))
    }

    /// A lens of two radial coefficients: k1 and k2 of `plumb_bob` for a focal length in pixels, its axis at `centre`.
    #[must_use]
    pub fn radial(focal_px: f64, centre: ImagePoint, [k1, k2]: [f64; 2]) -> Self {
        let model = Model::Rational([k1, k2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        Self::of(Vector2::new(focal_px, focal_px), 0.0, centre, model)
    }

    /// Its first two radial coefficients.
    pub(crate) const fn first_radials(&self) -> [f64; 2] {
        match &self.model {
            Model::Rational([k1, k2, ..]) | Model::Equidistant([k1, k2, ..]) => [*k1, *k2],
        }
    }

    fn of(focal: Vector2<f64>, skew: f64, centre: ImagePoint, model: Model) -> Self {
        let mut lens = Self { focal, skew, centre, model, reach2: WIDEST * WIDEST };
        // Where the picture folds back, points from outside would appear inside.
        let radius = |r: f64| r * lens.stretch(r * r);
        let steps = 400;
        let step = WIDEST / f64::from(steps);
        let mut last = 0.0;
        for i in 1..=steps {
            let r = f64::from(i) * step;
            let now = radius(r);
            if now <= last || now.is_nan() {
                lens.reach2 = (r - step).powi(2);
                break;
            }
            last = now;
        }
        lens
    }

    /// The same lens for a picture enlarged by `by` (x, y).
    #[must_use]
    pub(crate) fn scaled(&self, by: [f64; 2]) -> Self {
        Self {
            focal: Vector2::new(self.focal.x * by[0], self.focal.y * by[1]),
            skew: self.skew * by[0],
            centre: ImagePoint::new(enlarged_px(self.centre.x, by[0]), enlarged_px(self.centre.y, by[1])),
            ..*self
        }
    }

    /// The same lens for mirror images of `width` pixels in a row.
    #[must_use]
    pub fn mirrored(&self, width: u32) -> Self {
        let model = match self.model {
            // What bends x with y's sign bends it the other way.
            Model::Rational([k1, k2, p1, p2, k3, k4, k5, k6]) => Model::Rational([k1, k2, p1, -p2, k3, k4, k5, k6]),
            fisheye @ Model::Equidistant(_) => fisheye,
        };
        let centre = ImagePoint::new(mirrored_px(self.centre.x, width), self.centre.y);
        Self { skew: -self.skew, centre, model, ..*self }
    }

    /// Factor of a point's distance from the axis, at the square of its undistorted distance.
    fn stretch(&self, r2: f64) -> f64 {
        match &self.model {
            Model::Rational([k1, k2, _, _, k3, k4, k5, k6]) => {
                (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
            }
            Model::Equidistant([k1, k2, k3, k4]) => {
                let r = r2.sqrt();
                if r < 1e-9 {
                    return 1.0;
                }
                let angle = r.atan();
                let a2 = angle * angle;
                angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4)))) / r
            }
        }
    }

    /// Where the picture shows what a pinhole would show at `ideal`, in pixels; not a number where the lens shows
    /// nothing of it.
    #[must_use]
    pub(crate) fn distort(&self, ideal: ImagePoint) -> ImagePoint {
        let p = self.normalised(ideal);
        let r2 = p.norm_squared();
        if r2.is_nan() || r2 > self.reach2 {
            return ImagePoint::new(f64::NAN, f64::NAN);
        }
        self.pixel(self.bend(p, r2))
    }

    fn normalised(&self, p: ImagePoint) -> Vector2<f64> {
        let y = (p.y - self.centre.y) / self.focal.y;
        Vector2::new((p.x - self.centre.x - self.skew * y) / self.focal.x, y)
    }

    fn pixel(&self, v: Vector2<f64>) -> ImagePoint {
        ImagePoint::new(self.focal.x * v.x + self.skew * v.y + self.centre.x, self.focal.y * v.y + self.centre.y)
    }

    fn bend(&self, p: Vector2<f64>, r2: f64) -> Vector2<f64> {
        let straight = p * self.stretch(r2);
        match &self.model {
            Model::Rational([_, _, p1, p2, ..]) => {
                let xy = 2.0 * p.x * p.y;
                straight + Vector2::new(p1 * xy + p2 * (r2 + 2.0 * p.x * p.x), p1 * (r2 + 2.0 * p.y * p.y) + p2 * xy)
            }
            Model::Equidistant(_) => straight,
        }
    }

    /// What a pinhole would show of the picture's pixel `seen`, in its pixels: the inverse of [`Self::distort`], by
    /// Newton's method. `None` where no point of the ideal picture comes out there.
    #[must_use]
    pub(super) fn undistort(&self, seen: ImagePoint) -> Option<ImagePoint> {
        let wanted = self.normalised(seen);
        if !wanted.norm().is_finite() {
            return None;
        }
        let bend = |p: Vector2<f64>| self.bend(p, p.norm_squared());
        // A fisheye's picture ends well before the ideal one does: its own inverse is nearer than the pinhole.
        let mut p = match self.model {
            Model::Equidistant(_) => {
                let angle = wanted.norm();
                if angle > 1e-9 { wanted * (angle.min(1.45).tan() / angle) } else { wanted }
            }
            Model::Rational(_) => wanted,
        };
        for _ in 0..STEPS {
            let r2 = p.norm_squared();
            if r2 > self.reach2 {
                p *= 0.98 * (self.reach2 / r2).sqrt();
            }
            let off = wanted - bend(p);
            // A ten-thousandth of a pixel under any lens.
            if off.norm() * self.focal.x < 1e-4 {
                break;
            }
            let h = 1e-6;
            let (dx, dy) = (Vector2::new(h, 0.0), Vector2::new(0.0, h));
            let slope = Matrix2::from_columns(&[
                (bend(p + dx) - bend(p - dx)) / (2.0 * h),
                (bend(p + dy) - bend(p - dy)) / (2.0 * h),
            ]);
            p += slope.try_inverse()? * off;
        }
        let ideal = self.pixel(p);
        let back = self.distort(ideal);
        ((back - seen).norm() < BACK_PX).then_some(ideal)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const K: [f64; 9] = [610.0, 0.0, 322.0, 0.0, 607.0, 236.0, 0.0, 0.0, 1.0];

    fn lens(model: &str, d: &[f64]) -> Lens {
        Lens::new(&K, model, d).expect("a model").expect("a lens that bends")
    }

    fn lenses() -> Vec<Lens> {
        vec![
            lens("plumb_bob", &[-0.32, 0.11, 0.0012, -0.0008, -0.02]),
            lens("plumb_bob", &[0.08, -0.1, 0.0, 0.0]),
            lens("rational_polynomial", &[3.1, 1.9, 1e-4, -2e-4, 0.09, 3.45, 3.05, 0.6]),
            lens("equidistant", &[-0.013, 0.02, -0.018, 0.005]),
            Lens::radial(640.0, ImagePoint::new(319.5, 239.5), [-0.05, 0.0]),
        ]
    }

    /// The formulas of OpenCV's documentation, written out for the point (0.3, -0.2, 1).
    #[test]
    fn the_models_are_those_of_opencv() {
        let ideal = ImagePoint::new(610.0 * 0.3 + 322.0, -607.0 * 0.2 + 236.0);
        // By hand: r² = 0.13; 1 - 0.32·0.13 + 0.11·0.0169 - 0.02·0.002197 = 0.960215.
        let seen = lenses()[0].distort(ideal);
        let stretch = 1.0 - 0.32 * 0.13 + 0.11 * 0.0169 - 0.02 * 0.002_197;
        let (tx, ty) = (0.0012 * 2.0 * -0.06 - 0.0008 * (0.13 + 0.18), 0.0012 * (0.13 + 0.08) - 0.0008 * 2.0 * -0.06);
        let expected = ImagePoint::new(610.0 * (0.3 * stretch + tx) + 322.0, 607.0 * (-0.2 * stretch + ty) + 236.0);
        assert!((seen - expected).norm() < 1e-9, "{seen} {expected}");
        // A fisheye without coefficients of its own shows the angle itself.
        let plain = lens("equidistant", &[0.0, 0.0, 0.0, 1e-12]);
        let r = 0.13_f64.sqrt();
        let factor = r.atan() / r;
        let expected = ImagePoint::new(610.0 * 0.3 * factor + 322.0, 607.0 * -0.2 * factor + 236.0);
        assert!((plain.distort(ideal) - expected).norm() < 1e-6);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(Lens::new(&K, "plumb_bob", &[]), Ok(None));
        assert_eq!(Lens::new(&K, "anything", &[0.0; 5]), Ok(None));
        assert_eq!(Lens::new(&K, "plumb_bob", &[f64::NAN; 5]), Err(LensError::Absurd));
        assert_eq!(Lens::new(&[0.0; 9], "plumb_bob", &[0.1; 5]), Err(LensError::Absurd));
        assert!(matches!(Lens::new(&K, "plumb_bob", &[0.1; 3]), Err(LensError::Coefficients { got: 3, .. })));
        assert!(matches!(Lens::new(&K, "equidistant", &[0.1; 5]), Err(LensError::Coefficients { got: 5, .. })));
        assert!(matches!(Lens::new(&K, "rational_polynomial", &[0.1; 5]), Err(LensError::Coefficients { .. })));
        assert!(matches!(Lens::new(&K, "omnidirectional", &[0.1; 5]), Err(LensError::Model { .. })));
        let mut tilted = vec![0.1; 14];
        assert!(Lens::new(&K, "rational_polynomial", &tilted).is_err());
        tilted[8..].fill(0.0);
        assert!(Lens::new(&K, "rational_polynomial", &tilted).is_ok());
    }

    #[test]
    fn a_barrel_that_folds_back_shows_nothing_beyond_its_edge() {
        let barrel = lens("plumb_bob", &[-0.4, 0.0, 0.0, 0.0]);
        // r (1 - 0.4 r²) is greatest at r = 0.913.
        assert!(barrel.distort(ImagePoint::new(322.0 + 610.0 * 0.8, 236.0)).x.is_finite());
        assert!(barrel.distort(ImagePoint::new(322.0 + 610.0 * 1.2, 236.0)).x.is_nan());
        assert_eq!(barrel.undistort(ImagePoint::new(322.0 + 610.0 * 0.9, 236.0)), None);
    }

    proptest! {
        #[test]
        fn there_and_back_again(x in 0.0..640.0_f64, y in 0.0..480.0_f64, which in 0..5_usize) {
            let lens = lenses()[which];
            let seen = ImagePoint::new(x, y);
            let ideal = lens.undistort(seen).expect("inside the picture");
            prop_assert!((lens.distort(ideal) - seen).norm() < 1e-3);
        }

        #[test]
        fn in_a_mirror_the_lens_is_mirrored(x in 0.0..640.0_f64, y in 0.0..480.0_f64, which in 0..5_usize) {
            let lens = Lens { skew: 3.0, ..lenses()[which] };
            let mirror = |p: ImagePoint| ImagePoint::new(639.0 - p.x, p.y);
            let p = ImagePoint::new(x, y);
            let (here, there) = (lens.distort(p), lens.mirrored(640).distort(mirror(p)));
            prop_assert!(!here.x.is_finite() || (mirror(here) - there).norm() < 1e-9);
        }

        #[test]
        fn twice_the_picture_is_twice_the_lens(x in 0.0..640.0_f64, y in 0.0..480.0_f64, which in 0..5_usize) {
            let lens = lenses()[which];
            let double = |p: ImagePoint| ImagePoint::new((p.x + 0.5) * 2.0 - 0.5, (p.y + 0.5) * 2.0 - 0.5);
            let p = ImagePoint::new(x, y);
            let (small, large) = (lens.distort(p), lens.scaled([2.0, 2.0]).distort(double(p)));
            prop_assert!(!small.x.is_finite() || (double(small) - large).norm() < 1e-6);
        }
    }
}
