//! The table of features that `replay --features` writes.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use chess_observer::{
    frame::Stamp,
    observer::Figures,
    sight::features::{Features, Part},
};
use shakmaty::Square;

use super::outputs;

const COLUMNS: [&str; 15] = [
    "stamp_s",
    "square",
    "holds",
    "part",
    "points",
    "luminance",
    "lab_l",
    "lab_a",
    "lab_b",
    "chroma",
    "hue_rad",
    "spread_delta_e",
    "edge_levels",
    "difference_levels",
    "disuniformity",
];

/// Every position as it was first seen, one row for each part of each square.
pub struct Table {
    path: PathBuf,
    file: csv::Writer<File>,
    /// The last position that was written.
    last: Option<Stamp>,
}

impl Table {
    /// Creates the file, with its first line.
    pub fn create(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|e| outputs::told(path, &e))?;
        let mut table = Self { path: path.to_owned(), file: csv::Writer::from_writer(file), last: None };
        table.row(COLUMNS.map(str::to_owned))?;
        Ok(table)
    }

    /// Writes a position that was not written yet.
    pub fn take(&mut self, figures: &Figures) -> Result<(), String> {
        if self.last == Some(figures.stamp) {
            return Ok(());
        }
        self.last = Some(figures.stamp);
        for (square, seen) in Square::ALL.into_iter().zip(&figures.squares) {
            let man = figures.men.piece_at(square).map_or_else(String::new, |man| man.char().to_string());
            for part in Part::ALL {
                let Some(of_part) = seen.part(part) else { continue };
                let of_square = [figures.stamp.as_s().to_string(), square.to_string(), man.clone(), part.name().into()];
                self.row(of_square.into_iter().chain(numbers(of_part)).chain([number(seen.disuniformity)]))?;
            }
        }
        self.file.flush().map_err(|e| outputs::told(&self.path, &e))
    }

    fn row(&mut self, fields: impl IntoIterator<Item = String>) -> Result<(), String> {
        self.file.write_record(fields).map_err(|e| outputs::told(&self.path, &e))
    }
}

fn numbers(of: &Features) -> [String; 10] {
    let [l, a, b] = of.lab.map(number);
    [
        of.points.to_string(),
        number(of.luminance),
        l,
        a,
        b,
        number(of.chroma()),
        format!("{:.3}", of.hue_rad()),
        number(of.spread),
        number(of.edge_levels),
        number(of.difference_levels),
    ]
}

/// What is not known is left out.
fn number(value: f32) -> String {
    if value.is_finite() { format!("{value:.2}") } else { String::new() }
}
