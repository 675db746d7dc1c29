//! What the commands write: files whose faults are told with their names, and that are not each other.

use std::path::Path;

use chess_observer::files::{self, Output};

/// Opens an output that was asked for.
pub fn open(path: Option<&Path>) -> Result<Option<Output>, String> {
    path.map(|path| Output::open(path).map_err(|e| told(path, &e))).transpose()
}

/// Writes a text that is complete.
pub fn write_to(output: &mut Output, text: &[u8]) -> Result<(), String> {
    output.write(text).and_then(|()| output.finish(text)).map_err(|e| told(output.path(), &e))
}

/// Writes a whole file, or to a pipe or device.
pub fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    files::write(path, text).map_err(|e| told(path, &e))
}

/// A fault with the name of the file.
pub fn told(path: &Path, e: &dyn std::fmt::Display) -> String {
    format!("{}: {e}", path.display())
}

/// A path, and the argument that gave it.
pub type Named<'a> = (&'a str, Option<&'a Path>);

/// Refuses an output that is an input as well, or another output.
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
