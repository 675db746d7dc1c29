//! A folder of pictures as a recording.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{BagError, Item, Source, picture::Picture};
use crate::{files, frame::Stamp};

/// Seconds between pictures whose times are unknown: five a second, a usual rate of a recording made for this.
pub const DEFAULT_INTERVAL_S: f64 = 0.2;
/// The folder of a recording's pictures, within its own.
const FRAMES: &str = "frames";
/// The table of their times.
const TIMES: &str = "frames.csv";

/// The pictures (`.jpg`, `.jpeg`, `.png`) of a folder, in the order of their names.
#[derive(Debug)]
pub struct Folder {
    files: Vec<(PathBuf, Stamp)>,
    next: usize,
    timed: bool,
}

impl Folder {
    /// Opens a folder of pictures, or that of a recording, whose pictures are in its folder `frames`. A file `frames.csv`
    /// (columns `frame`, with or without extension, and `stamp_s`), among the pictures or beside `frames`, gives the pictures'
    /// times; otherwise they are [`DEFAULT_INTERVAL_S`] apart.
    ///
    /// # Errors
    /// When the folder cannot be read, holds no picture, or `frames.csv` is malformed or lacks a picture.
    pub fn open(path: &Path) -> Result<Self, BagError> {
        let (path, mut names) = pictures_of(path)?;
        names.sort();
        let table = table_of(&path);
        let times = read_times(&table)?;
        let files = names
            .into_iter()
            .enumerate()
            .map(|(index, name)| {
                let stamp = match &times {
                    None => Stamp::from_s(index as f64 * DEFAULT_INTERVAL_S),
                    Some(times) => *times
                        .get(&name)
                        .or_else(|| times.get(stem(&name)))
                        .ok_or_else(|| BagError::Times(format!("{} has no row for {name}", table.display())))?,
                };
                Ok((path.join(name), stamp))
            })
            .collect::<Result<_, BagError>>()?;
        Ok(Self { files, next: 0, timed: times.is_some() })
    }

    /// The pictures' file names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter_map(|(path, _)| path.file_name()?.to_str())
    }

    /// Replaces the pictures' times; further ones keep theirs.
    pub fn set_stamps(&mut self, stamps: &[Stamp]) {
        for ((_, stamp), new) in self.files.iter_mut().zip(stamps) {
            *stamp = *new;
        }
    }
}

impl Source for Folder {
    fn next_item(&mut self) -> Result<Option<Item>, BagError> {
        let Some((path, stamp)) = self.files.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Some(match Picture::from_file(path, index, *stamp) {
            Ok(picture) => Item::Picture(picture),
            Err(e) => Item::Bad { index: Some(index), reason: format!("{name}: {e}") },
        }))
    }

    fn pictures(&self) -> Option<u64> {
        Some(self.files.len() as u64)
    }

    fn is_timed(&self) -> bool {
        self.timed
    }
}

/// File name without its extension.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn pictures_in(path: &Path) -> Result<Vec<String>, BagError> {
    let failed = |source: io::Error| BagError::Io { path: path.into(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let Some(name) = name.to_str() else { continue };
        let extension = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
        // A leading dot marks what a file manager left behind (`._a.jpg`).
        if matches!(extension.as_deref(), Some("jpg" | "jpeg" | "png")) && !name.starts_with('.') {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The folder that the pictures are in, and their names.
fn pictures_of(path: &Path) -> Result<(PathBuf, Vec<String>), BagError> {
    let (names, inner) = (pictures_in(path)?, path.join(FRAMES));
    if !names.is_empty() {
        return Ok((path.into(), names));
    }
    let names = if inner.is_dir() { pictures_in(&inner)? } else { Vec::new() };
    if names.is_empty() { Err(BagError::Empty(path.into())) } else { Ok((inner, names)) }
}

/// Where the table of the pictures' times is to be: among them, or else beside their folder where that is a recording's.
fn table_of(pictures: &Path) -> PathBuf {
    let among = pictures.join(TIMES);
    let is_missing = among.try_exists().is_ok_and(|exists| !exists);
    // What `.` and links are called is not how the folder is called.
    match pictures.canonicalize() {
        Ok(pictures) if is_missing && pictures.file_name().is_some_and(|name| name == FRAMES) => {
            pictures.with_file_name(TIMES)
        }
        _ => among,
    }
}

/// `frames.csv` as a table from name to time; `None` where there is no such file.
fn read_times(path: &Path) -> Result<Option<HashMap<String, Stamp>>, BagError> {
    let wrong = |why: String| BagError::Times(format!("{}: {why}", path.display()));
    let text = match files::text(path, files::LARGEST_TABLE) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(BagError::Io { path: path.into(), source: e }),
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
    let column = |name: &str| {
        headers
            .iter()
            .position(|h| h.trim_start_matches('\u{feff}') == name)
            .ok_or_else(|| wrong(format!("no column {name:?}: expected frame,stamp_s")))
    };
    let (frame, stamp) = (column("frame")?, column("stamp_s")?);
    let mut times = HashMap::new();
    for row in reader.records() {
        let row = row.map_err(|e| wrong(e.to_string()))?;
        let line = row.position().map_or(0, csv::Position::line);
        let name = row.get(frame).unwrap_or_default().to_owned();
        let text = row.get(stamp).unwrap_or_default();
        let seconds = text
            .parse::<f64>()
            .ok()
            .filter(|s| s.is_finite())
            .ok_or_else(|| wrong(format!("line {line}: stamp_s {text:?} is not a number of seconds")))?;
        times.insert(name, Stamp::from_s(seconds));
    }
    Ok(Some(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        dir
    }

    fn stamps(folder: &Folder) -> Vec<f64> {
        folder.files.iter().map(|(_, s)| s.as_s()).collect()
    }

    #[test]
    fn pictures_come_in_the_order_of_their_names_five_a_second() {
        let dir = folder(&[("b.PNG", b""), ("a.jpg", b""), ("c.jpeg", b""), ("._a.jpg", b""), ("notes.txt", b"")]);
        let folder = Folder::open(dir.path()).unwrap();
        assert_eq!(folder.names().collect::<Vec<_>>(), ["a.jpg", "b.PNG", "c.jpeg"]);
        assert_eq!(stamps(&folder), [0.0, 0.2, 0.4]);
    }

    #[test]
    fn times_are_read_with_and_without_extension() {
        let dir =
            folder(&[("a.jpg", b""), ("b.png", b""), ("frames.csv", b"stamp_s,frame\n1.5,a\n 2.25 , b.png\n9,gone\n")]);
        assert_eq!(stamps(&Folder::open(dir.path()).unwrap()), [1.5, 2.25]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let says = |files: &[(&str, &[u8])]| {
            let dir = folder(files);
            let text = Folder::open(dir.path()).unwrap_err().to_string();
            text.replace(&dir.path().display().to_string(), "DIR")
        };
        assert_eq!(says(&[("x.txt", b"")]), "DIR: no picture in it (.jpg, .jpeg, .png)");
        assert_eq!(
            says(&[("a.jpg", b""), ("frames.csv", b"frame,stamp_s\nb,1\n")]),
            "DIR/frames.csv has no row for a.jpg"
        );
        assert_eq!(
            says(&[("a.jpg", b""), ("frames.csv", b"frame,stamp_s\na,soon\n")]),
            "DIR/frames.csv: line 2: stamp_s \"soon\" is not a number of seconds"
        );
        assert_eq!(
            says(&[("a.jpg", b""), ("frames.csv", b"frame,time\na,1\n")]),
            "DIR/frames.csv: no column \"stamp_s\": expected frame,stamp_s"
        );
    }

    #[test]
    fn a_recording_is_read_with_its_times_from_above_and_from_its_frames() {
        let dir = tempfile::tempdir().unwrap();
        let frames = dir.path().join("frames");
        fs::create_dir(&frames).unwrap();
        let empty = Folder::open(dir.path()).unwrap_err().to_string();
        assert!(empty.ends_with(": no picture in it (.jpg, .jpeg, .png)"), "{empty}");
        fs::write(frames.join("0.jpg"), b"").unwrap();
        assert_eq!(stamps(&Folder::open(dir.path()).unwrap()), [0.0]);
        fs::write(dir.path().join("frames.csv"), b"frame,stamp_s\n0,1.5\n").unwrap();
        let roundabout = frames.join("../frames/.");
        for path in [dir.path(), &frames, &roundabout] {
            let folder = Folder::open(path).unwrap();
            assert!(folder.timed && stamps(&folder) == [1.5], "{}", path.display());
        }
        // Those among the pictures are meant for them.
        fs::write(frames.join("frames.csv"), b"frame,stamp_s\n0,2.5\n").unwrap();
        assert_eq!(stamps(&Folder::open(dir.path()).unwrap()), [2.5]);
        // A folder that is called otherwise has nothing to do with what lies beside it.
        let photos = dir.path().join("photos");
        fs::create_dir(&photos).unwrap();
        fs::write(photos.join("0.jpg"), b"").unwrap();
        assert!(!Folder::open(&photos).unwrap().timed);
    }

    #[test]
    fn a_file_that_is_no_picture_is_counted_and_does_not_end_the_recording() {
        let mut png = Vec::new();
        image::RgbImage::new(2, 1).write_to(&mut io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        let dir =
            folder(&[("a.png", &png), ("b.png", b"text, no png"), ("c.png", &png[..png.len() / 2]), ("d.png", &png)]);
        let mut folder = Folder::open(dir.path()).unwrap();
        let mut decoded = Vec::new();
        while let Some(item) = folder.next_item().unwrap() {
            let Item::Picture(picture) = item else { panic!("{item:?}") };
            decoded.push(picture.decode().map(|d| d.frame().map(|f| f.width()).unwrap()).map_err(|e| e.to_string()));
        }
        assert_eq!(decoded[0], Ok(2));
        assert_eq!(decoded[1], Err("neither JPEG nor PNG: it begins with [74, 65, 78, 74, 2c, 20, 6e, 6f]".to_owned()));
        assert!(decoded[2].as_ref().unwrap_err().starts_with("cannot decode the PNG: "));
        assert_eq!(decoded[3], Ok(2));
    }
}
