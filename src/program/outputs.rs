//! What the commands write: files whose faults are told with their names, and that are not each other.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::files::{self, Output};

/// Opens an output that was asked for.
///
/// # Errors
/// The file, and why it cannot be written.
pub fn open(path: Option<&Path>) -> Result<Option<Output>, String> {
    path.map(|path| Output::open(path).map_err(|e| told(path, &e))).transpose()
}

/// Writes a text that is complete.
///
/// # Errors
/// The file, and why it cannot be written.
pub fn write_to(output: &mut Output, text: &[u8]) -> Result<(), String> {
    output.write(text).and_then(|()| output.finish(text)).map_err(|e| told(output.path(), &e))
}

/// Writes a whole file, or to a pipe or device.
///
/// # Errors
/// The file, and why it cannot be written.
pub fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    files::write(path, text).map_err(|e| told(path, &e))
}

/// Writes the overlay of a picture into a folder, under the picture's name or else its number.
///
/// # Errors
/// The file, and why it cannot be written.
pub fn overlay(folder: &Path, name: Option<&str>, index: usize, overlay: &image::RgbImage) -> Result<(), String> {
    let stem = match name {
        Some(name) => name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned(),
        None => format!("{index:06}"),
    };
    let path = folder.join(format!("{stem}.jpg"));
    overlay.save(&path).map_err(|e| told(&path, &e))
}

/// A file of lines, each of which is there as soon as it is told.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Lines {
    /// Begins the file where one was asked for.
    ///
    /// # Errors
    /// The file, and why it cannot be written.
    pub fn create(path: Option<&Path>) -> Result<Option<Self>, String> {
        let begin = |path: &Path| {
            let file = File::create(path).map_err(|e| told(path, &e))?;
            Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
        };
        path.map(begin).transpose()
    }

    /// Adds a line.
    ///
    /// # Errors
    /// The file, and why it cannot be written.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.file, "{line}").and_then(|()| self.file.flush()).map_err(|e| told(&self.path, &e))
    }
}

/// A fault with the name of the file.
#[must_use]
pub fn told(path: &Path, e: &dyn std::fmt::Display) -> String {
    format!("{}: {e}", path.display())
}

/// A path, and the argument that gave it.
pub type Named<'a> = (&'a str, Option<&'a Path>);

/// Refuses an output that is an input as well, or another output.
///
/// # Errors
/// Both arguments, and the file that they share.
pub fn different(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<(), String> {
    for (i, (name, path)) in outputs.iter().enumerate() {
        let Some(path) = path else { continue };
        for (other_name, other) in inputs.iter().chain(&outputs[..i]) {
            if other.is_some_and(|other| files::is_same(path, other)) {
                return Err(format!("{other_name} and {name} are the same file, {}: give another", path.display()));
            }
        }
    }
    Ok(())
}
