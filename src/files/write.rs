//! Files that are replaced as a whole. Links are followed; pipes and devices are written to and never replaced.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Links from name to name before it is a circle: what Linux allows.
const LONGEST_CHAIN: usize = 40;

/// A file whose text is written anew as a whole, again and again.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A regular file, or a name that is free: where the links lead.
    File(PathBuf),
    /// A pipe or a device. It cannot be taken back, so it gets the last text only.
    Stream(File),
}

impl Output {
    /// Finds out what is at `path`. A pipe is opened, which waits for its reader as everywhere; nothing is written yet.
    ///
    /// # Errors
    /// When a folder is there, there is no folder to write in, or a pipe or device cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let place = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(is_a_folder()),
            Ok(there) if there.is_file() => Place::File(fs::canonicalize(path)?),
            Ok(_) => Place::Stream(File::options().write(true).open(path)?),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let goal = end_of_links(path)?;
                let folder = folder_of(&goal);
                if !fs::metadata(folder)?.is_dir() {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                Place::File(goal)
            }
            Err(e) => return Err(e),
        };
        Ok(Self { path: path.into(), place })
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the file: whoever reads it finds the old text or the new one, also after a power cut or on a full disk.
    /// Pipes and devices wait for [`finish`](Self::finish).
    ///
    /// # Errors
    /// What the system says; the old file is untouched then, and nothing is left beside it.
    pub fn write(&self, text: &[u8]) -> io::Result<()> {
        match &self.place {
            Place::File(path) => replace(path, text),
            Place::Stream(_) => Ok(()),
        }
    }

    /// Writes the last text to a pipe or a device, and nothing to a file, which has it.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(&mut self, text: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::File(_) => Ok(()),
            Place::Stream(stream) => stream.write_all(text),
        }
    }
}

/// Writes `text` to `path` once: a file is replaced as a whole, a pipe or a device is written to.
///
/// # Errors
/// As [`Output::open`] and [`Output::write`].
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut output = Output::open(path)?;
    output.write(text)?;
    output.finish(text)
}

/// Do both paths name one file, or one that is to be? Pipes and devices can be shared, and count as different.
#[must_use]
pub fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| match fs::metadata(path) {
        Ok(there) if there.is_file() => fs::canonicalize(path).ok(),
        Ok(_) => None,
        Err(_) => {
            let goal = end_of_links(path).ok()?;
            Some(fs::canonicalize(folder_of(&goal)).ok()?.join(goal.file_name()?))
        }
    };
    place(a).zip(place(b)).is_some_and(|(a, b)| a == b)
}

fn is_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a folder, expected a file to write")
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where links that end at a free name lead to.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut goal = path.to_path_buf();
    for _ in 0..LONGEST_CHAIN {
        match fs::read_link(&goal) {
            Ok(next) => goal = folder_of(&goal).join(next),
            Err(_) => return Ok(goal),
        }
    }
    Err(io::Error::other("links that lead in a circle"))
}

fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    // Something else may have come there since it was looked at.
    let old = fs::metadata(path).ok();
    match &old {
        Some(there) if there.is_dir() => return Err(is_a_folder()),
        Some(there) if !there.is_file() => return File::options().write(true).open(path)?.write_all(text),
        _ => {}
    }
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chess_observer-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What any new file gets, less what the user's umask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut aside = builder.tempfile_in(folder)?;
    aside.write_all(text)?;
    if let Some(old) = &old {
        take_after(aside.path(), old);
    }
    aside.as_file().sync_all()?;
    aside.persist(path).map_err(|e| e.error)?;
    // The renaming itself is safe only when the folder is. Not every file system can do this.
    let _ = File::open(folder).and_then(|f| f.sync_all());
    Ok(())
}

/// Gives a file the owner and the permissions of the one that it replaces, as far as the system lets us.
fn take_after(path: &Path, old: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let _ = chown(path, Some(old.uid()), Some(old.gid()));
    }
    let _ = fs::set_permissions(path, old.permissions());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_replaced_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_before_anything_is() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Output::open(&dir.path().join("missing/game.pgn")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(Output::open(dir.path()).unwrap_err().to_string(), "is a folder, expected a file to write");
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(Output::open(&dir.path().join("file/game.pgn")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_stay_links() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("games")).unwrap();
        fs::write(at("games/old.pgn"), "old").unwrap();
        symlink("games/old.pgn", at("a.pgn")).unwrap();
        symlink("a.pgn", at("b.pgn")).unwrap();
        symlink("games/new.pgn", at("c.pgn")).unwrap();
        for (link, file) in [("b.pgn", "games/old.pgn"), ("c.pgn", "games/new.pgn")] {
            assert!(is_same(&at(link), &at(file)), "{link}");
            write(&at(link), b"text").unwrap();
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
            assert_eq!(fs::read_to_string(at(file)).unwrap(), "text");
            assert!(is_same(&at(link), &at(file)), "{link}");
        }
        assert!(!is_same(&at("b.pgn"), &at("c.pgn")));
        symlink("y", at("x")).unwrap();
        symlink("x", at("y")).unwrap();
        assert!(write(&at("x"), b"").is_err(), "a circle");
        assert!(fs::symlink_metadata(at("x")).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_outlive_the_replacement() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"text").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn one_file_by_two_names_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        assert!(is_same(&at("new"), &dir.path().join("./new")));
        assert!(!is_same(&at("new"), &at("other")));
        assert!(!is_same(&at("missing/new"), &at("missing/new")), "no such folder: told elsewhere");
        #[cfg(unix)]
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")), "a device is shared");
    }
}
