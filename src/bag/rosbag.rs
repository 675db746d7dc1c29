//! A rosbag2 recording: which files, which topic, and pictures out of messages.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use super::{
    BagError, Item, Source,
    mcap_file::McapFile,
    messages::{CameraInfo, CompressedImage, Image, is_rectified, types},
    metadata::{FILE_NAME, Metadata},
    picture::{Content, Picture},
    sqlite_file::SqliteFile,
    storage::{Storage, Stored, Topic, ZSTD_MAGIC, unpack_message},
};
use crate::{files, frame::Stamp};

/// Most that a compressed storage file may unpack to, as a multiple of its size: simulated pictures without noise pack
/// a few hundred to one.
const MAX_FILE_RATIO: u64 = 2000;

/// A rosbag2 recording, read as a sequence of pictures.
#[derive(Debug)]
pub struct Bag {
    files: VecDeque<PathBuf>,
    current: Option<OpenFile>,
    chosen: Chosen,
    index: usize,
    asides: VecDeque<Item>,
}

/// The topics that are read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chosen {
    pictures: Topic,
    camera_info: String,
}

#[derive(Debug)]
struct OpenFile {
    storage: Box<dyn Storage>,
    /// Number of the pictures' topic in it.
    pictures: Option<usize>,
    /// The unpacked file, which goes when this does.
    _unpacked: Option<tempfile::TempPath>,
}

/// Is this directory a bag: does it hold `metadata.yaml` or storage files?
#[must_use]
pub fn is_bag(directory: &Path) -> bool {
    directory.join(FILE_NAME).is_file() || storage_files(directory).is_ok_and(|files| !files.is_empty())
}

impl Bag {
    /// Opens a rosbag2 directory (also one without `metadata.yaml`, as a crash leaves it) or a single storage file.
    ///
    /// # Errors
    /// When nothing of it can be read, or it is not clear which topic has the pictures.
    pub fn open(path: &Path, topic: Option<&str>) -> Result<Self, BagError> {
        let mut asides = VecDeque::new();
        let (files, mut topics) = if !path.is_dir() {
            (vec![path.to_owned()], Vec::new())
        } else if path.join(FILE_NAME).is_file() {
            let metadata = Metadata::read(path)?;
            let files = metadata.files.iter().map(|name| locate(path, name)).collect::<Result<_, _>>()?;
            (files, metadata.topics)
        } else {
            let note =
                format!("{} has no {FILE_NAME} (recorder not closed?): its files are read by name", path.display());
            asides.push_back(Item::Note(note));
            (storage_files(path)?, Vec::new())
        };
        if topics.is_empty() {
            let mut first_error = None;
            for file in &files {
                match OpenFile::open(file) {
                    Ok(opened) => merge(&mut topics, opened.storage.topics()),
                    Err(e) => {
                        first_error.get_or_insert(e);
                    }
                }
            }
            if let Some(e) = first_error.filter(|_| topics.is_empty()) {
                return Err(e);
            }
        }
        let chosen = choose(&topics, topic).map_err(|why| BagError::Topic { path: path.into(), why })?;
        Ok(Self { files: files.into(), current: None, chosen, index: 0, asides })
    }

    fn open_next(&mut self) -> Option<Result<OpenFile, BagError>> {
        let path = self.files.pop_front()?;
        Some(OpenFile::open(&path).and_then(|mut file| {
            let topics = file.storage.topics();
            let place = |name: &str, kind: &str| topics.iter().position(|t| t.name == name && t.kind == kind);
            file.pictures = place(&self.chosen.pictures.name, &self.chosen.pictures.kind);
            let camera_info = place(&self.chosen.camera_info, types::CAMERA_INFO);
            let wanted: Vec<usize> = file.pictures.into_iter().chain(camera_info).collect();
            file.storage.select(&wanted)?;
            Ok(file)
        }))
    }

    /// What a message holds.
    fn item(&mut self, is_picture: bool, time_ns: i64, data: Vec<u8>) -> Item {
        let data = match unpack_message(data) {
            Ok(data) => data,
            Err(why) => return self.bad(is_picture, &why),
        };
        if !is_picture {
            return match CameraInfo::read(&data) {
                Ok(info) => {
                    Item::CameraInfo { info: Box::new(info), rectified: is_rectified(&self.chosen.pictures.name) }
                }
                Err(e) => self.bad(false, &format!("{}: {e}", self.chosen.camera_info)),
            };
        }
        let (header, content) = if self.chosen.pictures.kind == types::IMAGE {
            match Image::locate(&data) {
                Err(e) => return self.bad(true, &e.to_string()),
                Ok((image, pixels)) => {
                    let (width, height, step, encoding) = (image.width, image.height, image.step, image.encoding);
                    (image.header, Content::Raw { width, height, step, encoding, message: data, pixels })
                }
            }
        } else {
            match CompressedImage::locate(&data) {
                Err(e) => return self.bad(true, &e.to_string()),
                Ok((image, place)) => {
                    (image.header, Content::Encoded { format: image.format, message: data, data: place })
                }
            }
        };
        // Drivers that do not know the time leave it 0; then the recorder's counts.
        let stamp = if header.stamp == Stamp(0) { Stamp(time_ns) } else { header.stamp };
        let index = self.index;
        self.index += 1;
        Item::Picture(Picture { index, stamp, name: None, content })
    }

    fn bad(&mut self, is_picture: bool, why: &str) -> Item {
        if !is_picture {
            return Item::Bad { index: None, reason: why.to_owned() };
        }
        let index = self.index;
        self.index += 1;
        Item::Bad { index: Some(index), reason: format!("picture {index}: {why}") }
    }
}

impl Source for Bag {
    fn next_item(&mut self) -> Result<Option<Item>, BagError> {
        loop {
            if let Some(aside) = self.asides.pop_front() {
                return Ok(Some(aside));
            }
            let Some(file) = &mut self.current else {
                match self.open_next() {
                    None => return Ok(None),
                    Some(Ok(file)) => self.current = Some(file),
                    // One file of several may be lost; the others are read.
                    Some(Err(e)) if self.index > 0 || !self.files.is_empty() => {
                        return Ok(Some(Item::Bad { index: None, reason: e.to_string() }));
                    }
                    Some(Err(e)) => return Err(e),
                }
                continue;
            };
            let pictures = file.pictures;
            match file.storage.next_stored() {
                Ok(Some(Stored::Message { topic, time_ns, data })) => {
                    return Ok(Some(self.item(Some(topic) == pictures, time_ns, data)));
                }
                Ok(Some(Stored::Bad { topic, why })) => {
                    return Ok(Some(self.bad(topic.is_some() && topic == pictures, &why)));
                }
                Ok(Some(Stored::Note(text))) => return Ok(Some(Item::Note(text))),
                Ok(None) => self.current = None,
                Err(e) => {
                    self.current = None;
                    self.asides.push_back(Item::Bad { index: None, reason: e.to_string() });
                }
            }
        }
    }

    fn pictures(&self) -> Option<u64> {
        self.chosen.pictures.count
    }
}

impl OpenFile {
    fn open(path: &Path) -> Result<Self, BagError> {
        let failed = |source| BagError::Io { path: path.into(), source };
        let mut start = Vec::new();
        files::open(path).and_then(|f| f.take(16).read_to_end(&mut start)).map_err(failed)?;
        let unpacked = if start.starts_with(&ZSTD_MAGIC) { Some(unpack_file(path).map_err(failed)?) } else { None };
        let plain: &Path = unpacked.as_deref().unwrap_or(path);
        if unpacked.is_some() {
            start.clear();
            File::open(plain).and_then(|f| f.take(16).read_to_end(&mut start)).map_err(failed)?;
        }
        let storage: Box<dyn Storage> = if start.starts_with(b"\x89MCAP") {
            Box::new(McapFile::open(plain)?)
        } else if start.starts_with(b"SQLite format 3\0") {
            Box::new(SqliteFile::open(plain)?)
        } else {
            return Err(BagError::Unknown(path.into()));
        };
        Ok(Self { storage, pictures: None, _unpacked: unpacked })
    }
}

/// Unpacks a zstd file beside the other temporary files.
fn unpack_file(path: &Path) -> io::Result<tempfile::TempPath> {
    let packed = File::open(path)?;
    let limit = packed.metadata()?.len().saturating_mul(MAX_FILE_RATIO).max(1 << 30);
    let mut unpacked = tempfile::Builder::new().prefix("chess_observer-").tempfile()?;
    let mut decoder = zstd::stream::read::Decoder::new(packed)?.take(limit);
    // Cut short by a crash: what can be unpacked is used, and the storage file in it says that it is cut.
    let copied = io::copy(&mut decoder, unpacked.as_file_mut());
    match copied {
        Err(e) if e.kind() != io::ErrorKind::UnexpectedEof => return Err(e),
        _ if decoder.limit() == 0 => {
            return Err(io::Error::other(format!("unpacks to more than {} times its size", MAX_FILE_RATIO)));
        }
        _ => {}
    }
    Ok(unpacked.into_temp_path())
}

/// Where a storage file is: in the directory, whatever the metadata say. Early versions wrote the directory's own name
/// before the file's.
fn locate(directory: &Path, name: &str) -> Result<PathBuf, BagError> {
    let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = stays.then(|| directory.join(name)).filter(|path| path.exists());
    let by_name = || Path::new(name).file_name().map(|file| directory.join(file)).filter(|path| path.exists());
    if let Some(path) = path.or_else(by_name) {
        return Ok(path);
    }
    if stays {
        return Ok(directory.join(name));
    }
    let why = format!("names {name:?}, which is not in its folder: a recording's files lie beside its {FILE_NAME}");
    Err(BagError::Storage { path: directory.join(FILE_NAME), why })
}

/// The storage files of a directory in the order of their numbers (`bag_2.mcap` before `bag_10.mcap`).
fn storage_files(directory: &Path) -> Result<Vec<PathBuf>, BagError> {
    let failed = |source| BagError::Io { path: directory.into(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        let plain = name.strip_suffix(".zstd").unwrap_or(&name);
        if let Some(stem) = plain.strip_suffix(".mcap").or_else(|| plain.strip_suffix(".db3"))
            && !name.starts_with('.')
        {
            let number = stem.rsplit('_').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            files.push((number, name));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, name)| directory.join(name)).collect())
}

fn merge(all: &mut Vec<Topic>, more: &[Topic]) {
    for topic in more {
        match all.iter_mut().find(|t| t.name == topic.name && t.kind == topic.kind) {
            Some(known) => known.count = known.count.zip(topic.count).map(|(a, b)| a.saturating_add(b)),
            None => all.push(topic.clone()),
        }
    }
}

fn is_picture(topic: &Topic) -> bool {
    topic.kind == types::IMAGE || topic.kind == types::COMPRESSED_IMAGE
}

/// A name as a file gives it, for one line of text.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The pictures' topic: the one asked for, or the only one.
fn choose(topics: &[Topic], asked: Option<&str>) -> Result<Chosen, String> {
    let mut pictures: Vec<&Topic> = topics.iter().filter(|t| is_picture(t)).collect();
    let list = |topics: &[&Topic]| {
        let one = |t: &&Topic| {
            let count = t.count.map(|n| format!(", {n} messages")).unwrap_or_default();
            format!(
                "{} ({}{count})",
                plain(&t.name),
                if t.kind.is_empty() { "unknown type".into() } else { plain(&t.kind) }
            )
        };
        if topics.is_empty() { "nothing".into() } else { topics.iter().map(one).collect::<Vec<_>>().join(", ") }
    };
    if let Some(name) = asked {
        let same = |t: &Topic| t.name == name || t.name.strip_prefix('/') == Some(name);
        if let Some(other) = topics.iter().find(|t| same(t) && !is_picture(t)) {
            let expected = "expected sensor_msgs/msg/Image or sensor_msgs/msg/CompressedImage";
            return Err(format!(
                "topic {} has messages of type {}: {expected}",
                plain(&other.name),
                plain(&other.kind)
            ));
        }
        let all = list(&pictures);
        pictures.retain(|t| same(t));
        if pictures.is_empty() {
            return Err(format!("no topic {} with pictures: it has {all}", plain(name)));
        }
    } else if pictures.is_empty() {
        return Err(format!("no topic with pictures: it has {}", list(&topics.iter().collect::<Vec<_>>())));
    } else if pictures.iter().filter(|t| t.count != Some(0)).count() > 0 {
        pictures.retain(|t| t.count != Some(0));
    }
    let [only] = pictures.as_slice() else {
        return Err(format!("several topics with pictures: choose one (--topic NAME) of {}", list(&pictures)));
    };
    if only.serialization != "cdr" {
        return Err(format!(
            "topic {} is serialised as {:?}: only \"cdr\" is read",
            plain(&only.name),
            only.serialization
        ));
    }
    Ok(Chosen { pictures: (*only).clone(), camera_info: camera_info_of(only) })
}

/// The camera's parameters are published beside its pictures (image_transport).
fn camera_info_of(pictures: &Topic) -> String {
    let base = match pictures.kind.as_str() {
        types::COMPRESSED_IMAGE => pictures.name.strip_suffix("/compressed").unwrap_or(&pictures.name),
        _ => &pictures.name,
    };
    format!("{}/camera_info", base.rsplit_once('/').map_or("", |(parent, _)| parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(name: &str, kind: &str, count: Option<u64>) -> Topic {
        Topic { name: name.into(), kind: kind.into(), serialization: "cdr".into(), count }
    }

    fn chosen(topics: &[Topic], asked: Option<&str>) -> Result<(String, String), String> {
        choose(topics, asked).map(|c| (c.pictures.name, c.camera_info))
    }

    #[test]
    fn names_of_several_lines_are_told_on_one() {
        let topics = [topic("/a\nb", types::STRING, None), topic("/c", "x\r\ny", Some(1))];
        let told = choose(&topics, None).map(|_| ()).unwrap_err();
        assert_eq!(
            told,
            "no topic with pictures: it has /a\u{fffd}b (std_msgs/msg/String), /c (x\u{fffd}\u{fffd}y, 1 messages)"
        );
    }

    #[test]
    fn the_only_topic_with_pictures_is_chosen() {
        let info = topic("/cam/camera_info", types::CAMERA_INFO, Some(9));
        let raw = topic("/cam/image_raw", types::IMAGE, Some(9));
        let none = topic("/cam/image_raw/compressed", types::COMPRESSED_IMAGE, Some(0));
        let found = Ok(("/cam/image_raw".to_owned(), "/cam/camera_info".to_owned()));
        assert_eq!(chosen(&[info.clone(), none, raw], None), found);
        let compressed = topic("/cam/image_raw/compressed", types::COMPRESSED_IMAGE, None);
        let found = Ok((compressed.name.clone(), "/cam/camera_info".to_owned()));
        assert_eq!(chosen(&[info, compressed], Some("cam/image_raw/compressed")), found);
        let found = Ok(("/image".to_owned(), "/camera_info".to_owned()));
        assert_eq!(chosen(&[topic("/image", types::IMAGE, None)], None), found);
    }

    #[test]
    fn where_it_is_not_clear_the_choice_is_listed() {
        let a = topic("/a", types::IMAGE, Some(3));
        let b = topic("/b", types::COMPRESSED_IMAGE, None);
        let c = topic("/c", "std_msgs/msg/String", Some(1));
        let all = [a, b, c.clone()];
        let listed = "/a (sensor_msgs/msg/Image, 3 messages), /b (sensor_msgs/msg/CompressedImage)";
        let text = |asked| chosen(&all, asked).unwrap_err();
        assert_eq!(text(None), format!("several topics with pictures: choose one (--topic NAME) of {listed}"));
        assert_eq!(text(Some("/x")), format!("no topic /x with pictures: it has {listed}"));
        assert_eq!(
            text(Some("/c")),
            "topic /c has messages of type std_msgs/msg/String: \
             expected sensor_msgs/msg/Image or sensor_msgs/msg/CompressedImage"
        );
        assert_eq!(
            chosen(&[c], None).unwrap_err(),
            "no topic with pictures: it has /c (std_msgs/msg/String, 1 messages)"
        );
        let ros1 = Topic { serialization: "ros1".into(), ..topic("/a", types::IMAGE, None) };
        assert_eq!(chosen(&[ros1], None).unwrap_err(), "topic /a is serialised as \"ros1\": only \"cdr\" is read");
    }

    #[test]
    fn files_come_in_the_order_of_their_numbers() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["bag_10.mcap", "bag_2.mcap", "bag_0.mcap.zstd", "x.txt", ".bag_1.mcap"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let names: Vec<_> =
            storage_files(dir.path()).unwrap().iter().map(|p| p.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["bag_0.mcap.zstd", "bag_2.mcap", "bag_10.mcap"]);
    }
}
