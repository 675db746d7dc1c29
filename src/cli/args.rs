//! Arguments that several commands read.

use chess_observer::board::corners::Corners;

/// Reads `x,y,x,y,x,y,x,y`: the outer corners of a1, h1, h8, a8, in pixels; either way round, as the parameters have to judge.
pub fn corners(text: &str) -> Result<Corners, String> {
    Corners::of_either_hand(four_points(text, "a1, h1, h8, a8")?).map_err(|e| e.to_string())
}

/// Reads `x,y,x,y,x,y,x,y`: four points in pixels, of these names.
pub(super) fn four_points(text: &str, names: &str) -> Result<[[f64; 2]; 4], String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|n| n.trim().parse::<f64>().map_err(|_| format!("{:?} is not a number", n.trim())))
        .collect::<Result<_, _>>()?;
    let [a, b, c, d, e, f, g, h] =
        <[f64; 8]>::try_from(numbers).map_err(|n| format!("expected 8 numbers x,y of {names}, got {}", n.len()))?;
    Ok([[a, b], [c, d], [e, f], [g, h]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_read_or_refused_with_a_reason() {
        assert_eq!(
            corners("-0.5, 9,9,9,9,0,0,0").unwrap().to_array(),
            [[-0.5, 9.0], [9.0, 9.0], [9.0, 0.0], [0.0, 0.0]]
        );
        assert_eq!(corners("1,2,3").unwrap_err(), "expected 8 numbers x,y of a1, h1, h8, a8, got 3");
        assert_eq!(corners("1,x,3").unwrap_err(), "\"x\" is not a number");
        assert!(corners("0,0,9,0,0,9,9,9").unwrap_err().contains("convex"));
    }
}
