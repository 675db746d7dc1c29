//! Files that are whole at every moment.

use std::{fs, io::Write, path::Path};

/// Writes `text` beside `path`, makes sure that it is on the disk, and only then puts it in its place: whoever reads
/// `path` finds the old text or the new one, also after a power cut or on a full disk.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if path.is_dir() {
        return Err(format!("{}: is a folder, expected a file to write", path.display()));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chess_observer-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What any new file gets, less what the user's umask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut aside = builder.tempfile_in(folder).map_err(failed)?;
    aside.write_all(text.as_bytes()).and_then(|()| aside.as_file().sync_all()).map_err(failed)?;
    if let Ok(old) = fs::metadata(path) {
        let _ = fs::set_permissions(aside.path(), old.permissions());
    }
    aside.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_replaced_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let text = write(&dir.path().join("missing/game.pgn"), "").unwrap_err();
        assert!(text.contains("missing/game.pgn: "), "{text}");
        assert!(write(dir.path(), "").unwrap_err().ends_with("is a folder, expected a file to write"));
    }
}
