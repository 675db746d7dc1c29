//! Files that are replaced as a whole. Links are followed; pipes and devices are written to and never replaced.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::read::kind;

/// Links from name to name before it is a circle: what Linux allows.
const LONGEST_CHAIN: usize = 40;
/// Characters of a file's name in that of the file aside: with four bytes each it stays below the 255 bytes that file
/// systems allow.
const NAME_ASIDE: usize = 50;
/// Characters by chance in the name of a file aside: what [`tempfile`] puts in.
const CHANCE_ASIDE: usize = 6;

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
    /// What a killed program has left beside it is removed.
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
        if let Place::File(goal) = &place {
            tidy_beside(goal);
        }
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

/// The folder that a file is in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
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

/// The name of a file as it stands in that of the file aside.
fn name_aside(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().chars().take(NAME_ASIDE).collect()
}

/// The file that a file aside was to become, by its name: `game.pgn` for `.game.pgn.x8Rt2a.tmp`.
fn meant_by(name: &str) -> Option<&str> {
    let (meant, chance) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    (chance.len() == CHANCE_ASIDE && chance.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(meant)
}

/// An empty file beside `path`, called after it, that goes when it is dropped. Its bytes are to get their name when they
/// are complete.
///
/// # Errors
/// What the system says.
pub fn aside(path: &Path) -> io::Result<NamedTempFile> {
    let prefix = format!(".{}.", name_aside(path));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(CHANCE_ASIDE).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What any new file gets, less what the user's umask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let aside = builder.tempfile_in(folder_of(path))?;
    // Tells [`tidy`] that somebody lives who writes. Not every file system can do this.
    let _ = aside.as_file().try_lock();
    Ok(aside)
}

/// Removes from a folder what killed programs have left half written of the files that `is_ours` says of; names are cut at
/// fifty characters. What somebody is writing now stays.
pub fn tidy(folder: &Path, is_ours: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_left = name.to_str().and_then(meant_by).is_some_and(&is_ours)
            && entry.file_type().is_ok_and(|of| of.is_file())
            // Who writes holds a lock, and the system takes it from the dead.
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_left {
            // Nobody is harmed when it stays.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes what killed programs have left half written of this file.
pub fn tidy_beside(path: &Path) {
    let ours = name_aside(path);
    tidy(folder_of(path), |name| name == ours);
}

/// A file aside with `text` on the disk.
fn written_aside(path: &Path, text: &[u8], old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mut aside = aside(path)?;
    aside.write_all(text)?;
    if let Some(old) = old {
        take_after(aside.path(), old);
    }
    aside.as_file().sync_all()?;
    Ok(aside)
}

/// The renaming itself is safe only when the folder is. Not every file system can do this.
fn sync_folder(path: &Path) {
    let _ = File::open(folder_of(path)).and_then(|f| f.sync_all());
}

/// Replaces a file, or writes one where the name is free, so that at any moment the old or the new text is there, whole.
/// Links are followed.
///
/// # Errors
/// What the system says, also where no regular file is; what is there stays as it is, and nothing is left beside it.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let path = &end_of_links(path)?;
    let old = fs::metadata(path).ok();
    if let Some(there) = old.as_ref().filter(|there| !there.is_file()) {
        return Err(io::Error::other(format!("is {}, expected a file to write", kind(there.file_type()))));
    }
    written_aside(path, text, old.as_ref())?.persist(path).map_err(|e| e.error)?;
    sync_folder(path);
    Ok(())
}

/// Writes a file that is not there yet.
///
/// # Errors
/// What the system says, also where something of that name is there, which stays as it is.
pub fn create(path: &Path, text: &[u8]) -> io::Result<()> {
    written_aside(path, text, None)?.persist_noclobber(path).map_err(|e| e.error)?;
    sync_folder(path);
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

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_file_is_replaced_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        replace(&path, b"three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(names(dir.path()), ["game.pgn"]);
    }

    #[test]
    fn who_reads_meanwhile_has_one_text_as_a_whole() {
        use std::io::Read as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        write(&path, b"the old text").unwrap();
        let (mut meanwhile, mut text) = (File::open(&path).unwrap(), String::new());
        replace(&path, b"new").unwrap();
        meanwhile.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), fs::read_to_string(&path).unwrap().as_str()), ("the old text", "new"));
    }

    #[test]
    fn a_new_file_takes_the_place_of_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        create(&path, b"old").unwrap();
        assert_eq!(create(&path, b"new").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(dir.path())), ("old", vec!["game.pgn".into()]));
    }

    #[test]
    fn what_a_killed_program_left_is_removed_and_what_somebody_writes_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("game.pgn");
        let held = written_aside(&path, b"half", None).unwrap();
        let held_name = held.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(meant_by(&held_name), Some("game.pgn"));
        let others = [".game.pgn.x8Rt2a", ".game.pgn.x8Rt.tmp", ".other.pgn.x8Rt2a.tmp", "game.pgn.x8Rt2a.tmp"];
        for name in others.iter().chain(&[".game.pgn.x8Rt2a.tmp", ".game.pgn.00aaZZ.tmp"]) {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let mut kept = others.map(str::to_owned).to_vec();
        kept.push(held_name.clone());
        kept.sort();
        Output::open(&path).unwrap();
        assert_eq!(names(dir.path()), kept);
        // As a kill would: the lock goes, the file stays.
        held.keep().unwrap();
        Output::open(&path).unwrap();
        kept.retain(|name| *name != held_name);
        assert_eq!(names(dir.path()), kept);
    }

    #[test]
    fn names_of_any_length_are_written_and_tidied() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["x".repeat(255), "é".repeat(127), "棋".repeat(85)] {
            let path = dir.path().join(&name);
            let left = aside(&path).unwrap().into_temp_path().keep().unwrap();
            write(&path, b"text").unwrap();
            assert!(!left.exists() && fs::read_to_string(&path).unwrap() == "text", "{name}");
        }
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
    fn what_is_no_file_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("pipe"), dir.path().join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for at in [&path, &link] {
            // Nobody waits for a reader either.
            assert_eq!(replace(at, b"text").unwrap_err().to_string(), "is a pipe, expected a file to write");
        }
        assert_eq!(replace(dir.path(), b"text").unwrap_err().to_string(), "is a folder, expected a file to write");
        assert_eq!(names(dir.path()), ["link", "pipe"]);
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
