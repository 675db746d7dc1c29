//! Plots with two axes.

use plotters::{
    chart::ChartBuilder,
    element::{Circle, PathElement, Polygon, Text},
    series::LineSeries,
    style::{
        Color as _, TRANSPARENT,
        text_anchor::{HPos, VPos},
    },
};

use super::{Area, DrawError, HEIGHT_PX, INK, MEASURED, PlotError, RULE, WARNING, letters, pale, svg};
use crate::{
    experiments::{Curve, Point},
    report::survival::{Life, survival},
};

/// The share of plies that people ask for, in percent.
const GOOD_PERCENT: f64 = 99.0;
/// Width of lines.
const LINE_PX: u32 = 4;

/// Ranges and names of the axes.
struct Axes<'a> {
    x: [f64; 2],
    y: [f64; 2],
    x_label: &'a str,
    y_label: &'a str,
}

/// How accuracy falls while a disturbance grows: the share of plies right with its interval of 95 %, the line of 99 %,
/// and a mark where the share falls below it.
///
/// # Errors
/// When plotters refuses.
pub fn ladder(curve: &Curve) -> Result<String, PlotError> {
    let points: Vec<&Point> = curve.points.iter().filter(|p| p.x.is_finite() && p.rate.of > 0).collect();
    let (first, last) = (points.first().map_or(0.0, |p| p.x), points.last().map_or(1.0, |p| p.x));
    // The whole band is seen, and figures on the axis stay round.
    let least = points.iter().map(|p| p.rate.low).fold(100.0, f64::min);
    let floor = ((least / 5.0).floor() * 5.0).clamp(0.0, 95.0);
    let axes = Axes {
        // Rungs may fall, as pixels of a picture do. A single rung stands in the middle.
        x: if first == last { [first - 1.0, last + 1.0] } else { [first, last] },
        y: [floor, 100.0],
        x_label: &curve.x_label,
        y_label: "plies right (%)",
    };
    let says = match curve.falls_below_99 {
        Some(x) => format!("{}: falls below 99 % at {}", curve.title, number(x)),
        None => format!("{}: stays at 99 % or above", curve.title),
    };
    svg(HEIGHT_PX, &says, |area| {
        let mut chart = chart(area, &axes)?;
        let band = points.iter().map(|p| (p.x, p.rate.high));
        let band = band.chain(points.iter().rev().map(|p| (p.x, p.rate.low)));
        if points.len() > 1 {
            chart.draw_series([Polygon::new(band.collect::<Vec<_>>(), pale(MEASURED, 0.22))])?;
        }
        let good = axes.x.map(|x| (x, GOOD_PERCENT));
        chart.draw_series(LineSeries::new(good, WARNING.stroke_width(LINE_PX / 2)))?;
        chart.draw_series(LineSeries::new(
            points.iter().map(|p| (p.x, p.rate.percent)),
            MEASURED.stroke_width(LINE_PX),
        ))?;
        chart.draw_series(points.iter().map(|p| Circle::new((p.x, p.rate.percent), 7, MEASURED.filled())))?;
        if let Some(x) = curve.falls_below_99 {
            chart
                .draw_series([PathElement::new(vec![(x, GOOD_PERCENT), (x, floor)], WARNING.stroke_width(LINE_PX))])?;
            let width = axes.x[1] - axes.x[0];
            // The words stand where there is more room.
            let (beside, side) =
                if (x - axes.x[0]) / width < 0.6 { (0.015, HPos::Left) } else { (-0.015, HPos::Right) };
            let at = (x + beside * width, floor + 0.03 * (100.0 - floor));
            chart.draw_series([Text::new(format!("99 % at {}", number(x)), at, letters(side, VPos::Bottom))])?;
        }
        Ok(())
    })
}

/// The share of games without a fault up to each ply.
///
/// # Errors
/// When plotters refuses.
pub fn survivors(lives: &[Life]) -> Result<String, PlotError> {
    let steps = survival(lives);
    let (longest, share) = steps.last().copied().unwrap_or((0, 1.0));
    let axes =
        Axes { x: [0.0, longest.max(1) as f64], y: [0.0, 100.0], x_label: "ply", y_label: "games without a fault (%)" };
    let says = format!("Games without a fault: {:.0} % after {longest} plies", 100.0 * share);
    svg(HEIGHT_PX, &says, |area| {
        let mut chart = chart(area, &axes)?;
        let mut line: Vec<(f64, f64)> = vec![];
        for (ply, share) in &steps {
            // Level up to the fault, then down.
            if let Some(&(_, before)) = line.last() {
                line.push((*ply as f64, before));
            }
            line.push((*ply as f64, 100.0 * share));
        }
        chart.draw_series(LineSeries::new(line, MEASURED.stroke_width(LINE_PX)))?;
        Ok(())
    })
}

type Chart<'a, 'b> = plotters::chart::ChartContext<
    'a,
    plotters::backend::SVGBackend<'b>,
    plotters::coord::cartesian::Cartesian2d<
        plotters::coord::types::RangedCoordf64,
        plotters::coord::types::RangedCoordf64,
    >,
>;

/// Axes with names, round figures and level lines.
fn chart<'a, 'b>(area: &'a Area<'b>, axes: &Axes<'_>) -> Result<Chart<'a, 'b>, DrawError> {
    let top = axes.y[1] + 0.02 * (axes.y[1] - axes.y[0]);
    let mut chart = ChartBuilder::on(area)
        .margin_top(16)
        .margin_right(36)
        .x_label_area_size(96)
        .y_label_area_size(116)
        .build_cartesian_2d(axes.x[0]..axes.x[1], axes.y[0]..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(RULE)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .x_labels(7)
        .y_labels(6)
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&|y| number(*y))
        .x_desc(axes.x_label)
        .y_desc(axes.y_label)
        .label_style(letters(HPos::Left, VPos::Top))
        .axis_desc_style(letters(HPos::Left, VPos::Top))
        .draw()?;
    Ok(chart)
}

/// At most two decimals, and none that says nothing.
pub(super) fn number(x: f64) -> String {
    let rounded = (100.0 * x).round() / 100.0;
    // Not "-0".
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, 12.0, 2.71499, -0.001].map(number), ["0.5", "12", "2.71", "0"]);
    }
}
