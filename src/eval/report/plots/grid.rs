//! A table of shares as a grid of cells: the redder, the worse.

use plotters::{
    element::{Rectangle, Text},
    style::{
        Color as _,
        text_anchor::{HPos, VPos},
    },
};

use super::{PlotError, ROW_PX, RULE, WARNING, WIDTH_PX, letters, pale, shortened, svg};
use crate::eval::experiments::Table;

/// Width of the names before the rows.
const NAMES_PX: i32 = 220;
/// So many percent wrong, and a cell is as red as it gets.
const WORST_PERCENT: f64 = 25.0;
/// How red that is; letters on it can still be read.
const DEEPEST: f64 = 0.75;

/// The table as a grid, where each cell but those of the first column holds a share (`148/150` or `98.7 %`); `None`
/// for any other table.
///
/// # Errors
/// When plotters refuses.
pub fn grid(table: &Table) -> Option<Result<String, PlotError>> {
    let rows: Vec<(&String, Vec<f64>)> = table
        .rows
        .iter()
        .map(|row| {
            let (name, cells) = row.split_first()?;
            Some((name, cells.iter().map(|c| percent(c)).collect::<Option<Vec<_>>>()?))
        })
        .collect::<Option<_>>()?;
    let columns = table.header.len().checked_sub(1)?;
    if columns < 2 || rows.len() < 2 || rows.iter().any(|(_, cells)| cells.len() != columns) {
        return None;
    }
    Some(draw(table, &rows, columns))
}

fn draw(table: &Table, rows: &[(&String, Vec<f64>)], columns: usize) -> Result<String, PlotError> {
    let width = (WIDTH_PX as i32 - NAMES_PX - 8) / columns as i32;
    let height = ROW_PX * 3 / 2;
    let column = |c: usize| NAMES_PX + width * c as i32;
    // Letters of this size are some 15 pixels wide.
    let fit = |pixels: i32| (pixels / 15).max(3) as usize;
    svg((ROW_PX + height * rows.len() as i32 + 8) as u32, &table.title, |area| {
        for (c, name) in table.header.iter().skip(1).enumerate() {
            let at = (column(c) + width / 2, ROW_PX / 2);
            area.draw(&Text::new(shortened(name, fit(width)), at, letters(HPos::Center, VPos::Center)))?;
        }
        for (r, (name, cells)) in rows.iter().enumerate() {
            let top = ROW_PX + height * r as i32;
            let at = (NAMES_PX - 12, top + height / 2);
            area.draw(&Text::new(shortened(name, fit(NAMES_PX)), at, letters(HPos::Right, VPos::Center)))?;
            for (c, share) in cells.iter().enumerate() {
                let corners = [(column(c) + 3, top + 3), (column(c) + width - 3, top + height - 3)];
                let depth = DEEPEST * ((100.0 - share) / WORST_PERCENT).clamp(0.0, 1.0);
                area.draw(&Rectangle::new(corners, pale(WARNING, depth).filled()))?;
                area.draw(&Rectangle::new(corners, RULE.stroke_width(2)))?;
                let at = (column(c) + width / 2, top + height / 2);
                area.draw(&Text::new(format!("{share:.1} %"), at, letters(HPos::Center, VPos::Center)))?;
            }
        }
        Ok(())
    })
}

/// The share that a cell tells, 0 to 100.
fn percent(cell: &str) -> Option<f64> {
    let of_all = |word: &str| {
        let (right, of) = word.trim_matches(['(', ')', ',']).split_once('/')?;
        let (right, of): (f64, f64) = (right.parse().ok()?, of.parse().ok()?);
        (of > 0.0 && (0.0..=of).contains(&right)).then(|| 100.0 * right / of)
    };
    cell.split_whitespace().find_map(of_all).or_else(|| {
        let share: f64 = cell.trim().strip_suffix('%')?.trim().parse().ok()?;
        (0.0..=100.0).contains(&share).then_some(share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_nothing_else() {
        assert_eq!(percent("3/4"), Some(75.0));
        assert_eq!(percent("75.00 (3/4)"), Some(75.0));
        assert_eq!(percent("97.5 %"), Some(97.5));
        for cell in ["–", "12", "0/0", "5/4", "a/b", "120 %", ""] {
            assert_eq!(percent(cell), None, "{cell}");
        }
    }
}
