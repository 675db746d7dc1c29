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
const NAMES_PX: i32 = 190;
/// From one line of a cell to the next.
const LINE_PX: i32 = 38;
/// So many percent wrong, and a cell is as red as it gets.
const WORST_PERCENT: f64 = 25.0;
/// How red that is; letters on it can still be read.
const DEEPEST: f64 = 0.75;

/// A table whose rows hold shares, read from its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    title: String,
    columns: Vec<String>,
    rows: Vec<Row>,
    /// What the last line of a cell tells, where it has one: the name of the last indented row below each.
    pub beside: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    shares: Vec<Share>,
    /// Cells of the last indented row below.
    beside: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Share {
    percent: f64,
    /// `148/150`, where the cell tells it.
    count: Option<String>,
}

impl Grid {
    /// The table as a grid, where each cell but those of the first column holds a share (`148/150`, `98.7 (148/150)` or
    /// `98.7 %`); `None` for any other table. Rows with an indented name belong to the row above.
    #[must_use]
    pub fn read(table: &Table) -> Option<Self> {
        let mut rows: Vec<Row> = vec![];
        let mut beside = None;
        for row in &table.rows {
            let (name, cells) = row.split_first()?;
            match (name.strip_prefix(' '), rows.last_mut()) {
                (Some(indented), Some(above)) => {
                    above.beside = cells.to_vec();
                    beside = Some(indented.trim().to_owned());
                }
                _ => {
                    let shares = cells.iter().map(|c| share(c)).collect::<Option<Vec<_>>>()?;
                    rows.push(Row { name: name.clone(), shares, beside: vec![] });
                }
            }
        }
        let columns = table.header.get(1..)?.to_vec();
        let fits = columns.len() >= 2 && rows.len() >= 2 && rows.iter().all(|r| r.shares.len() == columns.len());
        fits.then(|| Self { title: table.title.clone(), columns, rows, beside })
    }

    /// As SVG.
    ///
    /// # Errors
    /// When plotters refuses.
    pub fn draw(&self) -> Result<String, PlotError> {
        let width = (WIDTH_PX as i32 - NAMES_PX - 8) / self.columns.len() as i32;
        let counted = self.rows.iter().flat_map(|r| &r.shares).any(|s| s.count.is_some());
        let height = LINE_PX * (1 + i32::from(counted) + i32::from(self.beside.is_some())) + 24;
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
                    let lines =
                        [Some(format!("{:.1} %", share.percent)), share.count.clone(), row.beside.get(c).cloned()];
                    for (line, text) in lines.into_iter().flatten().enumerate() {
                        let at = (column(c) + width / 2, top + 12 + LINE_PX / 2 + LINE_PX * line as i32);
                        area.draw(&Text::new(shortened(&text, fit(width)), at, letters(HPos::Center, VPos::Center)))?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// The share that a cell tells.
fn share(cell: &str) -> Option<Share> {
    let of_all = |word: &str| {
        let word = word.trim_matches(['(', ')', ',']);
        let (right, of) = word.split_once('/')?;
        let (right, of): (f64, f64) = (right.parse().ok()?, of.parse().ok()?);
        let fits = of > 0.0 && (0.0..=of).contains(&right);
        fits.then(|| Share { percent: 100.0 * right / of, count: Some(word.to_owned()) })
    };
    cell.split_whitespace().find_map(of_all).or_else(|| {
        let percent: f64 = cell.trim().strip_suffix('%')?.trim().parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(Share { percent, count: None })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_nothing_else() {
        let percent = |cell| share(cell).map(|s| s.percent);
        assert_eq!(percent("3/4"), Some(75.0));
        assert_eq!(share("75.00 (3/4)"), Some(Share { percent: 75.0, count: Some("3/4".into()) }));
        assert_eq!(share("97.5 %"), Some(Share { percent: 97.5, count: None }));
        for cell in ["–", "12", "0/0", "5/4", "a/b", "120 %", "96 (/100)", ""] {
            assert_eq!(percent(cell), None, "{cell}");
        }
    }

    #[test]
    fn indented_rows_belong_to_the_row_above() {
        let cells = |words: [&str; 3]| words.map(str::to_owned).to_vec();
        let mut table = Table { header: cells(["view", "none", "hidden"]), ..Table::default() };
        for row in [
            ["good", "4/4", "3/4"],
            ["  95 % interval", "51.0–100.0", "30.1–95.4"],
            ["  theirs", "100", "–"],
            ["fair", "2/4", "1/4"],
            ["  theirs", "99", "–"],
        ] {
            table.rows.push(cells(row));
        }
        let grid = Grid::read(&table).unwrap();
        assert_eq!((grid.rows.len(), grid.beside.as_deref()), (2, Some("theirs")));
        assert_eq!(grid.rows[0].beside, ["100", "–"]);
        assert_eq!(grid.rows[1].shares[1].percent, 25.0);
        table.rows.push(cells(["bad", "4/4", "many"]));
        assert_eq!(Grid::read(&table), None);
    }
}
