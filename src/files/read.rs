//! Reading what users name: regular files of a size that was thought of. Pipes and devices could keep us waiting, or never
//! end.

use std::{
    fs::{self, File, FileType},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Most that is read of games and tables, in bytes: some hundred thousand games.
pub const LARGEST_TABLE: u64 = 256 << 20;
/// Most that is read of settings (parameters, scenes, metadata), in bytes: a hundred times the largest known.
pub const LARGEST_SETTINGS: u64 = 4 << 20;

/// What a directory entry is, in one word for the user.
pub(super) fn kind(of: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if of.is_fifo() {
            return "a pipe";
        }
        if of.is_char_device() || of.is_block_device() {
            return "a device";
        }
        if of.is_socket() {
            return "a socket";
        }
    }
    if of.is_dir() { "a folder" } else { "no regular file" }
}

/// Is it a regular file, links followed? It is not opened: that alone may wait for ever.
///
/// # Errors
/// What it is instead, or what the system says.
pub fn check(path: &Path) -> io::Result<()> {
    let of = fs::metadata(path)?.file_type();
    if of.is_file() { Ok(()) } else { Err(io::Error::other(format!("is {}, expected a file to read", kind(of)))) }
}

/// Opens a regular file.
///
/// # Errors
/// As [`check`].
pub fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Can a database be opened, and is what SQLite reads beside it a regular file, where it is there?
///
/// # Errors
/// The first of them that is none, and what it is instead; or what the system says.
pub fn check_database(path: &Path) -> Result<(), (PathBuf, io::Error)> {
    open(path).map_err(|e| (path.to_owned(), e))?;
    for beside in ["-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        match check(Path::new(&name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err((name.into(), e)),
            _ => {}
        }
    }
    Ok(())
}

/// Reads a regular file of `most` bytes or less.
///
/// # Errors
/// As [`check`], and when it is larger.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    let too_large = |size: u64| io::Error::other(format!("has {size} bytes: at most {most} are read"));
    if size > most {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // Some files say that they are empty, and are not; others grow.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// Reads a text of `most` bytes or less.
///
/// # Errors
/// As [`bytes`], and when it is no text in UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(bytes(path, most)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("is no text in UTF-8 (byte {at})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("text"), "hello").unwrap();
        fs::write(at("bytes"), [b'a', 0xff]).unwrap();
        assert_eq!(text(&at("text"), 5).unwrap(), "hello");
        let says = |result: io::Result<String>| result.unwrap_err().to_string();
        assert_eq!(says(text(&at("text"), 4)), "has 5 bytes: at most 4 are read");
        assert_eq!(says(text(&at("bytes"), 9)), "is no text in UTF-8 (byte 1)");
        assert_eq!(says(text(dir.path(), 9)), "is a folder, expected a file to read");
        assert_eq!(text(&at("missing"), 9).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_waits_for_a_pipe_or_reads_a_device() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("link")).unwrap();
        for (name, what) in [("pipe", "a pipe"), ("socket", "a socket"), ("link", "a device")] {
            let told = bytes(&dir.path().join(name), 9).unwrap_err().to_string();
            assert_eq!(told, format!("is {what}, expected a file to read"));
        }
        // A file of the system that tells no size is read as far as it may be.
        assert!(bytes(Path::new("/proc/self/stat"), 4).is_err());
    }
}
