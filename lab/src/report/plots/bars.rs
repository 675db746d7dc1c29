//! Bars that lie, each with its name before it: names are long, and a phone is narrow.

use plotters::{
    element::{PathElement, Rectangle, Text},
    style::{
        Color as _,
        text_anchor::{HPos, VPos},
    },
};

use super::{Area, DrawError, INK, MEASURED, PlotError, ROW_PX, RULE, WARNING, letters, shortened, svg};
use crate::{experiments::Tally, interval::Rate, latency::Spread, stalls::Stretch};

/// Where bars begin.
const LEFT_PX: i32 = 440;
/// Where the longest bar ends; there is room for a figure behind it.
const RIGHT_PX: i32 = 680;
/// Letters that fit before a bar.
const NAME_LETTERS: usize = 27;
/// Height of the axis below the bars.
const AXIS_PX: i32 = 88;

/// How many faults of each sort, and out of how many plies.
///
/// # Errors
/// When plotters refuses.
pub fn counts(says: &str, tallies: &[Tally]) -> Result<String, PlotError> {
    let most = tallies.iter().map(|t| t.errors).max().unwrap_or(0).max(1);
    let axis = Axis { end: most as f64, ticks: vec![0.0, most as f64], label: "faults" };
    bars(says, tallies.len(), &axis, |area, row| {
        let tally = &tallies[row];
        let end = axis.place(tally.errors as f64);
        bar(area, row, &tally.name, end)?;
        figure(area, row, end, format!("{} of {}", tally.errors, tally.of))
    })
}

/// Shares of all in percent, each with a line for its interval of 95 %.
///
/// # Errors
/// When plotters refuses.
pub fn shares(says: &str, label: &str, rates: &[(String, Rate)]) -> Result<String, PlotError> {
    let axis = Axis { end: 100.0, ticks: vec![0.0, 50.0, 100.0], label };
    bars(says, rates.len(), &axis, |area, row| {
        let (name, rate) = &rates[row];
        bar(area, row, name, axis.place(rate.percent))?;
        let middle = middle(row);
        let line = vec![(axis.place(rate.low), middle), (axis.place(rate.high), middle)];
        area.draw(&PathElement::new(line, WARNING.stroke_width(6)))?;
        figure(area, row, RIGHT_PX, format!("{} ({})", rate.percent_text(), rate.count_text()))
    })
}

/// Delays in seconds: bars up to the median, lines to where 95 of 100 are, marks at the longest. What was told before its
/// time begins at the axis.
///
/// # Errors
/// When plotters refuses.
pub fn spreads(says: &str, rows: &[(String, Spread)]) -> Result<String, PlotError> {
    let most = rows.iter().map(|(_, spread)| spread.most).fold(0.1, f64::max);
    let axis = Axis { end: most, ticks: vec![0.0, most], label: "seconds" };
    bars(says, rows.len(), &axis, |area, row| {
        let (name, spread) = &rows[row];
        bar(area, row, name, axis.place(spread.median))?;
        let middle = middle(row);
        let line = vec![(axis.place(spread.median), middle), (axis.place(spread.most_of_95), middle)];
        area.draw(&PathElement::new(line, MEASURED.stroke_width(6)))?;
        let most = axis.place(spread.most);
        let mark = vec![(most, middle - ROW_PX / 4), (most, middle + ROW_PX / 4)];
        area.draw(&PathElement::new(mark, WARNING.stroke_width(6)))?;
        figure(area, row, RIGHT_PX, spread.text(1))
    })
}

/// Plies of the longest stretch that went by unread, in the colour of warnings where the observer was silent.
///
/// # Errors
/// When plotters refuses.
pub fn stretches(says: &str, rows: &[(String, Stretch)]) -> Result<String, PlotError> {
    let most = rows.iter().map(|(_, stretch)| stretch.plies).max().unwrap_or(1).max(1);
    let axis = Axis { end: most as f64, ticks: vec![0.0, most as f64], label: "plies" };
    bars(says, rows.len(), &axis, |area, row| {
        let (name, stretch) = &rows[row];
        let end = axis.place(stretch.plies as f64);
        bar(area, row, name, end)?;
        if stretch.is_stall() && !stretch.said {
            let (middle, half) = (middle(row), ROW_PX * 5 / 16);
            area.draw(&Rectangle::new([(LEFT_PX, middle - half), (end, middle + half)], WARNING.filled()))?;
        }
        let seconds = stretch.seconds.map_or_else(String::new, |s| format!(", {s:.0} s"));
        figure(area, row, end, format!("{}{seconds}", stretch.plies))
    })
}

struct Axis<'a> {
    end: f64,
    ticks: Vec<f64>,
    label: &'a str,
}

impl Axis<'_> {
    fn place(&self, value: f64) -> i32 {
        LEFT_PX + (f64::from(RIGHT_PX - LEFT_PX) * (value / self.end).clamp(0.0, 1.0)).round() as i32
    }
}

/// Height of a row's middle.
fn middle(row: usize) -> i32 {
    ROW_PX / 2 + ROW_PX * row as i32
}

fn bars(
    says: &str,
    rows: usize,
    axis: &Axis<'_>,
    draw: impl Fn(&Area<'_>, usize) -> Result<(), DrawError>,
) -> Result<String, PlotError> {
    let bottom = ROW_PX * rows as i32;
    svg((bottom + AXIS_PX) as u32, says, |area| {
        for &tick in &axis.ticks {
            let x = axis.place(tick);
            area.draw(&PathElement::new(vec![(x, 0), (x, bottom)], RULE.stroke_width(2)))?;
            area.draw(&Text::new(super::curves::number(tick), (x, bottom + 8), letters(HPos::Center, VPos::Top)))?;
        }
        (0..rows).try_for_each(|row| draw(area, row))?;
        area.draw(&PathElement::new(vec![(LEFT_PX, 0), (LEFT_PX, bottom)], INK.stroke_width(2)))?;
        let at = ((LEFT_PX + RIGHT_PX) / 2, bottom + 44);
        area.draw(&Text::new(axis.label.to_owned(), at, letters(HPos::Center, VPos::Top)))
    })
}

fn bar(area: &Area<'_>, row: usize, name: &str, end: i32) -> Result<(), DrawError> {
    let middle = middle(row);
    let half = ROW_PX * 5 / 16;
    area.draw(&Rectangle::new([(LEFT_PX, middle - half), (end, middle + half)], MEASURED.filled()))?;
    let name = shortened(name, NAME_LETTERS);
    area.draw(&Text::new(name, (LEFT_PX - 12, middle), letters(HPos::Right, VPos::Center)))
}

/// What the bar says, behind `end`.
fn figure(area: &Area<'_>, row: usize, end: i32, text: String) -> Result<(), DrawError> {
    area.draw(&Text::new(text, (end + 12, middle(row)), letters(HPos::Left, VPos::Center)))
}
