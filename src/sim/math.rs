//! The mathematics of the simulator: points, and transcendental functions from the `libm` crate alone.
//!
//! Those of the standard library come from the platform's C library, and C libraries differ in the last bit. What is
//! here is the same Rust code everywhere, so that the same seed gives the same bytes on any machine. Addition,
//! multiplication, division and square root are exact by IEEE 754 and need no such care. A test holds the rest of
//! `src/sim` against this rule.

use nalgebra::{Matrix3, Vector3};

/// A point or direction in squares.
pub(super) type V3 = Vector3<f32>;

/// Sine and cosine of an angle in radians.
#[must_use]
pub(crate) fn sin_cos(angle_rad: f64) -> (f64, f64) {
    libm::sincos(angle_rad)
}

/// Cosine of an angle in radians: the same number as [`sin_cos`] gives.
#[must_use]
pub(crate) fn cos(angle_rad: f64) -> f64 {
    libm::cos(angle_rad)
}

/// Sine and cosine of an angle in radians.
#[must_use]
pub(super) fn sin_cos_f32(angle_rad: f32) -> (f32, f32) {
    libm::sincosf(angle_rad)
}

/// Tangent of an angle in radians.
#[must_use]
pub(crate) fn tan(angle_rad: f64) -> f64 {
    libm::tan(angle_rad)
}

/// The angle whose tangent is `v`, in radians.
#[must_use]
pub(crate) fn atan(v: f64) -> f64 {
    libm::atan(v)
}

/// The exponential function.
#[must_use]
pub fn exp(v: f64) -> f64 {
    libm::exp(v)
}

/// The natural logarithm.
#[must_use]
pub(crate) fn ln(v: f64) -> f64 {
    libm::log(v)
}

/// `base` to the power of `exponent`.
#[must_use]
pub(crate) fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// A whole power, by repeated squaring.
#[must_use]
pub(crate) fn power(mut base: f32, mut exponent: u32) -> f32 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    product
}

/// Length of a vector (x, y). Squares neither overflow nor vanish at the simulator's lengths.
#[must_use]
pub(crate) fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// The whole part of a number, at least 0 and at most `most`, which is below 2²²; 0 of what is not a number. The same as
/// `as` gives, which processors without its rules at the limits do for one number after the other only.
#[must_use]
#[inline] // drawn with at every pixel
pub(crate) fn whole(v: f32, most: f32) -> i32 {
    /// Numbers between 2²³ and 2²⁴ have no bits after the point, and the least of their bits is 1.
    const WHOLE: f32 = 8_388_608.0;
    let v = if v > 0.0 { v } else { 0.0 };
    let v = if v < most { v } else { most };
    let sum = v + WHOLE;
    // The sum was rounded, not cut.
    let is_above = sum - WHOLE > v;
    sum.to_bits() as i32 - WHOLE.to_bits() as i32 - i32::from(is_above)
}

/// From 0 to 1 with a level start and end, for `t` from 0 to 1.
#[must_use]
#[inline] // drawn with at every sample
pub(super) fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

/// A value within a cell of a grid from those at its corners, `[[(0, 0), (1, 0)], [(0, 1), (1, 1)]]` as (x, y).
#[must_use]
#[inline] // drawn with at every sample
pub fn within([[a, b], [c, d]]: [[f32; 2]; 2], x: f32, y: f32) -> f32 {
    let (top, bottom) = (a * (1.0 - x) + b * x, c * (1.0 - x) + d * x);
    top * (1.0 - y) + bottom * y
}

/// The rotation by an angle in radians about a unit axis (O. Rodrigues, 1840).
#[must_use]
pub fn rotation(axis: &Vector3<f64>, angle_rad: f64) -> Matrix3<f64> {
    let (s, c) = sin_cos(angle_rad);
    Matrix3::identity() * c + axis.cross_matrix() * s + axis * axis.transpose() * (1.0 - c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_turn_by_their_angle_and_keep_their_axis() {
        let axis = Vector3::new(2.0, -1.0, 0.5).normalize();
        let turn = rotation(&axis, 0.7);
        assert!((turn * axis - axis).norm() < 1e-12);
        assert!((turn * turn.transpose() - Matrix3::identity()).norm() < 1e-12);
        assert!((turn.trace() - (1.0 + 2.0 * 0.7f64.cos())).abs() < 1e-12);
        let x = rotation(&Vector3::z(), std::f64::consts::FRAC_PI_2) * Vector3::x();
        assert!((x - Vector3::y()).norm() < 1e-12, "a positive angle is anticlockwise seen against the axis");
    }

    #[test]
    fn powers() {
        assert_eq!(power(1.5, 0), 1.0);
        assert_eq!(power(1.5, 5), 7.593_75);
        assert_eq!(length(3.0, 4.0), 5.0);
    }

    #[test]
    fn whole_parts_are_those_of_as() {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, -0.3, -7.0, 4_095.999_8, 4096.0, 1e30, 1e-30];
        let many = (0..40_000).map(|i| i as f32 * 0.127 - 20.0);
        let beside = (0..5000u32).flat_map(|i| [-1i32, 0, 1].map(|d| (i as f32).to_bits().wrapping_add_signed(d)));
        for v in odd.into_iter().chain(many).chain(beside.map(f32::from_bits)) {
            assert_eq!(whole(v, 4096.0), v.clamp(0.0, 4096.0) as i32, "{v}");
        }
    }

    #[test]
    fn values_between_others() {
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(ease), [0.0, 0.15625, 0.5, 1.0]);
        let plane = |x: f32, y: f32| 3.0 + 2.0 * x - 5.0 * y;
        let corners = [[plane(0.0, 0.0), plane(1.0, 0.0)], [plane(0.0, 1.0), plane(1.0, 1.0)]];
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.25, 0.75)] {
            assert_eq!(within(corners, x, y), plane(x, y));
        }
    }

    /// Nothing of the simulator asks the C library; tests may.
    #[test]
    fn all_of_the_simulator_uses_these_functions() {
        let forbidden = [
            "sin()",
            "cos()",
            "tan()",
            "sin_cos()",
            "asin()",
            "acos()",
            "atan()",
            "atan2(",
            "sinh()",
            "cosh()",
            "tanh()",
            "exp()",
            "exp2()",
            "exp_m1()",
            "ln()",
            "ln_1p()",
            "log2()",
            "log10()",
            ".log(",
            "powf(",
            "powi(",
            "hypot(",
            "cbrt()",
            "mul_add(",
            "from_axis_angle",
            "from_euler",
            "from_scaled",
        ];
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sim")];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("sim/math.rs") || path.ends_with("sim/tests") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                files += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("\n#[cfg(test)]").next().unwrap();
                for word in forbidden {
                    // A method, or a path of the standard library; `math::` is ours.
                    let found = code.match_indices(word).any(|(at, _)| !code[..at].ends_with("math::"));
                    assert!(!found, "{}: {word} is the platform's; use sim::math", path.display());
                }
            }
        }
        assert!(files > 30, "looked at {files} files only");
    }
}
