//! Shares as a grid of cells: the redder, the worse.

use plotters::{
    element::{Rectangle, Text},
    style::{
        Color as _,
        text_anchor::{HPos, VPos},
    },
};

use super::{PlotError, ROW_PX, RULE, WARNING, WIDTH_PX, letters, pale, shortened, svg};
use crate::{experiments::types::Cell, interval::Rate};

/// Width of the names before the rows.
const NAMES_PX: i32 = 190;
/// From one line of a cell to the next.
const LINE_PX: i32 = 38;
/// So many percent wrong, and a cell is as red as it gets.
const WORST_PERCENT: f64 = 25.0;
/// How red that is; letters on it can still be read.
const DEEPEST: f64 = 0.75;

/// Shares by two things: the rows and the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    title: String,
    columns: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    shares: Vec<Rate>,
    /// The last line of each cell.
    theirs: Vec<String>,
}

impl Grid {
    /// Views by disturbances, each in the order in which they come first; `measure` chooses the share.
    #[must_use]
    pub fn new(title: &str, cells: &[Cell], measure: fn(&Cell) -> Rate) -> Self {
        let mut grid = Self { title: title.to_owned(), columns: vec![], rows: vec![] };
        for cell in cells {
            if !grid.columns.contains(&cell.disturbance) {
                grid.columns.push(cell.disturbance.clone());
            }
            if grid.rows.last().is_none_or(|row| row.name != cell.condition) {
                grid.rows.push(Row { name: cell.condition.clone(), shares: vec![], theirs: vec![] });
            }
            if let Some(row) = grid.rows.last_mut() {
                row.shares.push(measure(cell));
                row.theirs.push(if cell.theirs.is_empty() { "–".into() } else { cell.theirs.clone() });
            }
        }
        grid
    }

    /// As SVG.
    ///
    /// # Errors
    /// When plotters refuses.
    pub fn draw(&self) -> Result<String, PlotError> {
        let width = (WIDTH_PX as i32 - NAMES_PX - 8) / self.columns.len().max(1) as i32;
        let height = LINE_PX * 3 + 24;
        let column = |c: usize| NAMES_PX + width * c as i32;
        // Letters of this size are some 14 pixels wide.
        let fit = |pixels: i32| (pixels / 14).max(3) as usize;
        svg((ROW_PX + height * self.rows.len() as i32 + 8) as u32, &self.title, |area| {
            for (c, name) in self.columns.iter().enumerate() {
                let at = (column(c) + width / 2, ROW_PX / 2);
                area.draw(&Text::new(shortened(name, fit(width)), at, letters(HPos::Center, VPos::Center)))?;
            }
            for (r, row) in self.rows.iter().enumerate() {
                let top = ROW_PX + height * r as i32;
                let at = (NAMES_PX - 12, top + height / 2);
                let name = shortened(&row.name, fit(NAMES_PX));
                area.draw(&Text::new(name, at, letters(HPos::Right, VPos::Center)))?;
                for (c, share) in row.shares.iter().enumerate() {
                    let corners = [(column(c) + 3, top + 3), (column(c) + width - 3, top + height - 3)];
                    let depth = DEEPEST * ((100.0 - share.percent) / WORST_PERCENT).clamp(0.0, 1.0);
                    area.draw(&Rectangle::new(corners, pale(WARNING, depth).filled()))?;
                    area.draw(&Rectangle::new(corners, RULE.stroke_width(2)))?;
                    let lines = [format!("{} %", share.percent_text()), share.count_text(), row.theirs[c].clone()];
                    for (line, text) in lines.into_iter().enumerate() {
                        let at = (column(c) + width / 2, top + 12 + LINE_PX / 2 + LINE_PX * line as i32);
                        area.draw(&Text::new(shortened(&text, fit(width)), at, letters(HPos::Center, VPos::Center)))?;
                    }
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_in_their_rows_and_columns() {
        let cell = |condition: &str, disturbance: &str, right| Cell {
            condition: condition.into(),
            disturbance: disturbance.into(),
            in_the_end: Rate::new(right, 4),
            ..Cell::default()
        };
        let cells =
            [cell("good", "none", 4), cell("good", "hidden", 3), cell("fair", "none", 2), cell("fair", "hidden", 1)];
        let grid = Grid::new("Views", &cells, |c| c.in_the_end);
        assert_eq!(grid.columns, ["none", "hidden"]);
        assert_eq!(grid.rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["good", "fair"]);
        assert_eq!(grid.rows[1].shares, [Rate::new(2, 4), Rate::new(1, 4)]);
        let drawn = grid.draw().unwrap();
        assert!(drawn.contains("75.00 %") && drawn.contains("1/4") && drawn.contains("hidden"), "{drawn}");
        assert!(Grid::new("Nothing", &[], |c| c.at_once).draw().is_ok());
    }
}
