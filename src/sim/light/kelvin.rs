//! Which colour has a lamp of a colour temperature, and what does a camera's white balance leave of it?

use crate::sim::{
    math::{self, V3},
    scene::{KELVIN, Lamp, Scene},
};

/// Colour of a black body in linear sRGB, of luminance 1. Temperatures beyond [`KELVIN`] count as its ends.
///
/// The Planckian locus after B. Kim et al., US patent 7,024,034 (2006): cubic splines in 1/T; then CIE xyY to linear
/// sRGB (IEC 61966-2-1).
#[must_use]
fn black_body(kelvin: f64) -> [f64; 3] {
    let t = kelvin.clamp(KELVIN[0], KELVIN[1]);
    let cubic = |c: [f64; 4], v: f64| ((c[0] * v + c[1]) * v + c[2]) * v + c[3];
    let x = if t <= 4000.0 {
        cubic([-0.266_123_9e9, -0.234_358_9e6, 0.877_695_6e3, 0.179_910], 1.0 / t)
    } else {
        cubic([-3.025_846_9e9, 2.107_037_9e6, 0.222_634_7e3, 0.240_390], 1.0 / t)
    };
    let y = if t <= 2222.0 {
        cubic([-1.106_381_4, -1.348_110_20, 2.185_558_32, -0.202_196_83], x)
    } else if t <= 4000.0 {
        cubic([-0.954_947_6, -1.374_185_93, 2.091_370_15, -0.167_488_67], x)
    } else {
        cubic([3.081_758_0, -5.873_386_70, 3.751_129_97, -0.370_014_83], x)
    };
    let (big_x, big_z) = (x / y, (1.0 - x - y) / y);
    // Below 1900 K the blue of sRGB would be negative: a little is left, as every sensor sees some.
    [
        3.2406 * big_x - 1.5372 - 0.4986 * big_z,
        -0.9689 * big_x + 1.8758 + 0.0415 * big_z,
        0.0557 * big_x - 0.2040 + 1.0570 * big_z,
    ]
    .map(|v| v.max(0.02))
}

/// What the camera sees of each lamp's colour, as factors of red, green and blue: first the main lamp, then the others.
///
/// The white balance divides by a part of the main lamp's colour (J. von Kries's coefficients, in powers): 0 leaves all
/// of the cast, 1 none.
#[must_use]
pub(crate) fn tints(scene: &Scene) -> Vec<V3> {
    let main = black_body(scene.light.colour.kelvin());
    let balance = main.map(|v| math::pow(v, scene.sensor.white_balance));
    // Such that the main lamp keeps luminance 1: the balance changes colours, the exposure brightness.
    let seen = |colour: [f64; 3]| [0, 1, 2].map(|k| colour[k] / balance[k]);
    let norm = luminance(seen(main));
    let shade = scene.light.tint;
    let first = seen(main).map(|v| v / norm);
    let vector = |v: [f64; 3]| V3::new(v[0] as f32, v[1] as f32, v[2] as f32);
    let others = scene.lamp.iter().map(|lamp: &Lamp| {
        let colour = seen(black_body(lamp.colour.kelvin()));
        vector(colour.map(|v| v / norm * lamp.strength))
    });
    [vector([0, 1, 2].map(|k| first[k] * shade[k]))].into_iter().chain(others).collect()
}

/// Factors of red, green and blue by which the light turns when its temperature goes from one value to another, as the
/// camera's white balance (0 to 1) leaves them; luminance stays.
#[must_use]
pub(crate) fn shift(from_kelvin: f64, to_kelvin: f64, white_balance: f64) -> [f64; 3] {
    let (from, to) = (black_body(from_kelvin), black_body(to_kelvin));
    let ratio = [0, 1, 2].map(|k| math::pow(to[k] / from[k], 1.0 - white_balance));
    let norm = luminance(ratio);
    ratio.map(|v| v / norm)
}

fn luminance(rgb: [f64; 3]) -> f64 {
    0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daylight_is_white_and_bulbs_are_yellow() {
        // sRGB's white is daylight of 6504 K, which lies a little beside the black bodies.
        assert!(black_body(6504.0).iter().all(|v| (v - 1.0).abs() < 0.06), "{:?}", black_body(6504.0));
        // 2700 K is #ffa757 in the usual tables (M. Charity, "What color is a blackbody?", 2001): green over red 0.39.
        let [r, g, b] = black_body(2700.0);
        assert!((g / r - 0.39).abs() < 0.03 && (b / r - 0.10).abs() < 0.03, "{r} {g} {b}");
        for kelvin in [1700.0, 2222.0, 3000.0, 4000.0, 9000.0] {
            assert!((luminance(black_body(kelvin)) - 1.0).abs() < 0.02, "{kelvin} K");
            let (a, b) = (black_body(kelvin - 1.0), black_body(kelvin + 1.0));
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 0.01), "a jump at {kelvin} K");
        }
    }

    #[test]
    fn a_full_white_balance_leaves_no_cast() {
        let mut scene = Scene::default();
        scene.light.tint = [1.0; 3];
        scene.sensor.white_balance = 1.0;
        assert!(tints(&scene)[0].iter().all(|v| (v - 1.0).abs() < 1e-5));
        scene.sensor.white_balance = 0.0;
        let all = tints(&scene)[0];
        scene.sensor.white_balance = 0.7;
        let some = tints(&scene)[0];
        assert!(all.x > some.x && some.x > 1.0 && all.z < some.z && some.z < 1.0);
    }
}
