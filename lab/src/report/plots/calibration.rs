//! What was told against what came true, both in log-odds: there 99 % and 99.9 % are as far apart as they are to somebody
//! who relies on them.

use plotters::{
    element::{Circle, PathElement, Text},
    style::{
        Color as _,
        text_anchor::{HPos, VPos},
    },
};

use super::{INK, MEASURED, PlotError, RULE, WARNING, WIDTH_PX, letters, svg};
use crate::calibration::Bin;

/// Percentages with a line and a figure on both axes.
const TICKS: [f64; 9] = [0.01, 0.1, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99];
/// What is told less of, or comes true less often, stands on the edge.
const LEAST: f64 = 0.00003;
/// From the left edge to the axis: room for the widest figure and the axis' name.
const LEFT_PX: i32 = 150;
/// Where the axis ends on the right.
const RIGHT_PX: i32 = WIDTH_PX as i32 - 40;
/// Where it begins above.
const TOP_PX: i32 = 20;
/// Where it ends below.
const BOTTOM_PX: i32 = 620;
/// Height with figures and name of the axis below.
const HEIGHT_PX: u32 = 730;

/// Where a share stands between the ends of an axis, 0 to 1.
fn place(share: f64) -> f64 {
    let log_odds = |p: f64| (p / (1.0 - p)).ln();
    let end = log_odds(1.0 - LEAST);
    (log_odds(share.clamp(LEAST, 1.0 - LEAST)) + end) / (2.0 * end)
}

fn x(share: f64) -> i32 {
    LEFT_PX + (f64::from(RIGHT_PX - LEFT_PX) * place(share)).round() as i32
}

fn y(share: f64) -> i32 {
    BOTTOM_PX - (f64::from(BOTTOM_PX - TOP_PX) * place(share)).round() as i32
}

/// The reliability diagram: bins with their intervals of 95 %, and the diagonal on which the probabilities hold.
///
/// # Errors
/// When plotters refuses.
pub fn calibration(title: &str, bins: &[Bin]) -> Result<String, PlotError> {
    let hold = bins.iter().filter(|bin| bin.holds()).count();
    let says = format!("{title}: {hold} of {} bins hold what was told", bins.len());
    svg(HEIGHT_PX, &says, |area| {
        for percent in TICKS {
            let share = percent / 100.0;
            area.draw(&PathElement::new(vec![(x(share), TOP_PX), (x(share), BOTTOM_PX)], RULE.stroke_width(2)))?;
            area.draw(&PathElement::new(vec![(LEFT_PX, y(share)), (RIGHT_PX, y(share))], RULE.stroke_width(2)))?;
            let text = percent.to_string();
            area.draw(&Text::new(text.clone(), (x(share), BOTTOM_PX + 8), letters(HPos::Center, VPos::Top)))?;
            area.draw(&Text::new(text, (LEFT_PX - 10, y(share)), letters(HPos::Right, VPos::Center)))?;
        }
        let axes = vec![(LEFT_PX, TOP_PX), (LEFT_PX, BOTTOM_PX), (RIGHT_PX, BOTTOM_PX)];
        area.draw(&PathElement::new(axes, INK.stroke_width(2)))?;
        area.draw(&PathElement::new(vec![(x(0.0), y(0.0)), (x(1.0), y(1.0))], WARNING.stroke_width(3)))?;
        let share = |percent: f64| y(percent / 100.0);
        let mut line: Vec<(i32, i32)> = vec![];
        for (bin, x) in bins.iter().map(|bin| (bin, x(bin.told))) {
            let interval = vec![(x, share(bin.happened.low)), (x, share(bin.happened.high))];
            area.draw(&PathElement::new(interval, MEASURED.stroke_width(3)))?;
            // What never or always came true has no place in log-odds: its interval says what is known.
            if bin.happened.right > 0 && bin.happened.right < bin.happened.of {
                let at = (x, share(bin.happened.percent));
                area.draw(&Circle::new(at, 7, MEASURED.filled()))?;
                line.push(at);
            }
        }
        area.draw(&PathElement::new(line, MEASURED.stroke_width(4)))?;
        let middle = (LEFT_PX + RIGHT_PX) / 2;
        area.draw(&Text::new("told (%)", (middle, BOTTOM_PX + 52), letters(HPos::Center, VPos::Top)))?;
        area.draw(&Text::new("came true (%)", (LEFT_PX + 16, TOP_PX + 6), letters(HPos::Left, VPos::Top)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Counter;

    #[test]
    fn axes_are_symmetric_and_rise() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(place(0.5), 0.5) && near(place(0.0), 0.0) && near(place(1.0), 1.0));
        for pair in TICKS.windows(2) {
            assert!(place(pair[0] / 100.0) < place(pair[1] / 100.0));
            assert!((place(pair[0] / 100.0) + place(1.0 - pair[0] / 100.0) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_holds_lies_on_the_diagonal() {
        let mut counter = Counter::default();
        (0..1000).for_each(|i| counter.add(0.7, i % 10 < 7));
        (0..1000).for_each(|i| counter.add(0.97, i % 2 == 0));
        (0..50).for_each(|_| counter.add(0.003, false));
        let drawn = calibration("Test", &counter.bins()).unwrap();
        assert!(drawn.contains("Test: 2 of 3 bins hold what was told"), "{drawn}");
        let number = |part: &str, name: &str| -> i32 {
            part.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let at: Vec<(i32, i32)> =
            drawn.split("<circle").skip(1).map(|part| (number(part, "cx"), number(part, "cy"))).collect();
        // What never came true has an interval and no point.
        assert_eq!(at, [(x(0.7), y(0.7)), (x(0.97), y(0.5))]);
        assert!(drawn.contains(&format!("points=\"{},{}", x(0.003), y(0.0))), "{drawn}");
        assert!(calibration("Nothing", &[]).is_ok());
    }
}
