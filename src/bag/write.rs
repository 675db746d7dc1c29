//! Writes rosbag2 recordings: MCAP as rosbag2 does by default, SQLite for older tools.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::BufWriter,
    path::{Path, PathBuf},
};

use mcap::records::{MessageHeader, Metadata};
use rusqlite::{Connection, params};

use super::{
    BagError,
    metadata::{FILE_NAME, Written},
    schemas,
    storage::Topic,
};
use crate::frame::Stamp;

/// How to compress what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Not at all: right for JPEG and PNG.
    #[default]
    None,
    /// MCAP: chunks of a few megabytes, zstd.
    Chunks,
    /// SQLite: each message, zstd (rosbag2's mode `message`).
    Messages,
    /// The whole storage file when it is complete, zstd (rosbag2's mode `file`); only in a directory.
    File,
}

/// Records between two compressed chunks, in bytes before compression: what rosbag2's preset `zstd_small` uses.
const CHUNK_BYTES: u64 = 4 << 20;

/// Writes a recording.
pub struct BagWriter {
    path: PathBuf,
    /// The storage file's name, when `path` is a directory that gets `metadata.yaml`.
    in_directory: Option<String>,
    store: Store,
    compression: Compression,
    topics: Vec<Topic>,
    times_ns: Option<(i64, i64)>,
}

enum Store {
    Mcap { writer: Box<mcap::Writer<BufWriter<File>>>, channels: Vec<u16> },
    Sqlite(Connection),
}

impl std::fmt::Debug for BagWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BagWriter({}, {} topics)", self.path.display(), self.topics.len())
    }
}

/// A topic of the recording that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicId(usize);

impl BagWriter {
    /// Begins an MCAP recording. Where `path` ends in `.mcap`, it is a single file (an old one is replaced);
    /// elsewhere a rosbag2 directory with `metadata.yaml`, which must not hold anything yet.
    ///
    /// # Errors
    /// When it cannot be created, or `compression` is not one of MCAP.
    pub fn mcap(path: &Path, compression: Compression) -> Result<Self, BagError> {
        if compression == Compression::Messages {
            return Err(wrong(path, "MCAP knows no compressed messages: expected chunks or the file"));
        }
        let (file_path, in_directory) = prepare(path, "mcap", compression)?;
        let file = File::create(&file_path).map_err(|source| BagError::Io { path: file_path, source })?;
        let chunked = compression == Compression::Chunks;
        let writer = mcap::WriteOptions::new()
            .profile("ros2")
            .library(concat!("chess_observer ", env!("CARGO_PKG_VERSION")))
            .compression(chunked.then_some(mcap::Compression::Zstd))
            .chunk_size(Some(CHUNK_BYTES))
            .create(BufWriter::new(file))
            .map_err(|e| wrong(path, e))?;
        let store = Store::Mcap { writer: Box::new(writer), channels: Vec::new() };
        Ok(Self { path: path.into(), in_directory, store, compression, topics: Vec::new(), times_ns: None })
    }

    /// Begins a SQLite recording: a single file where `path` ends in `.db3`, a directory elsewhere.
    ///
    /// # Errors
    /// When it cannot be created, or `compression` is not one of SQLite.
    pub fn sqlite(path: &Path, compression: Compression) -> Result<Self, BagError> {
        if compression == Compression::Chunks {
            return Err(wrong(path, "SQLite knows no chunks: expected messages or the file"));
        }
        let (file_path, in_directory) = prepare(path, "db3", compression)?;
        if file_path.exists() {
            fs::remove_file(&file_path).map_err(|source| BagError::Io { path: file_path.clone(), source })?;
        }
        let connection = Connection::open(&file_path).map_err(|e| wrong(path, e))?;
        // The tables of rosbag2's third version, which Humble and all after it read. One transaction for all: a
        // recording is complete or it is not.
        connection
            .execute_batch(
                "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
                 CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
                 CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                     serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
                 CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                     data BLOB NOT NULL);
                 CREATE INDEX timestamp_idx ON messages (timestamp ASC);
                 INSERT INTO schema VALUES (3, 'humble');
                 BEGIN;",
            )
            .map_err(|e| wrong(path, e))?;
        let store = Store::Sqlite(connection);
        Ok(Self { path: path.into(), in_directory, store, compression, topics: Vec::new(), times_ns: None })
    }

    /// Adds a topic. The types of [`messages`](super::messages) carry their definition; others none.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn topic(&mut self, name: &str, kind: &str) -> Result<TopicId, BagError> {
        let id = self.topics.len();
        match &mut self.store {
            Store::Mcap { writer, channels } => {
                let text = schemas::definition(kind).unwrap_or_default();
                let profiles = BTreeMap::from([("offered_qos_profiles".to_owned(), String::new())]);
                let channel = writer
                    .add_schema(kind, "ros2msg", text.as_bytes())
                    .and_then(|schema| writer.add_channel(schema, name, "cdr", &profiles))
                    .map_err(|e| wrong(&self.path, e))?;
                channels.push(channel);
            }
            Store::Sqlite(connection) => {
                connection
                    .execute("INSERT INTO topics VALUES (?1, ?2, ?3, 'cdr', '')", params![id as i64 + 1, name, kind])
                    .map_err(|e| wrong(&self.path, e))?;
            }
        }
        self.topics.push(Topic { name: name.into(), kind: kind.into(), serialization: "cdr".into(), count: Some(0) });
        Ok(TopicId(id))
    }

    /// Adds a serialised message.
    ///
    /// # Errors
    /// When the file cannot be written, or the topic is of another recording.
    pub fn write(&mut self, topic: TopicId, time: Stamp, message: &[u8]) -> Result<(), BagError> {
        let Some(of) = self.topics.get_mut(topic.0) else {
            return Err(wrong(&self.path, "the topic is of another recording"));
        };
        match &mut self.store {
            Store::Mcap { writer, channels } => {
                // Recordings begin after 1970; what claims otherwise begins there.
                let time = u64::try_from(time.0).unwrap_or(0);
                let header =
                    MessageHeader { channel_id: channels[topic.0], sequence: 0, log_time: time, publish_time: time };
                writer.write_to_known_channel(&header, message).map_err(|e| wrong(&self.path, e))?;
            }
            Store::Sqlite(connection) => {
                let packed = match self.compression {
                    Compression::Messages => Some(zstd::encode_all(message, 0).map_err(|e| wrong(&self.path, e))?),
                    _ => None,
                };
                let data = packed.as_deref().unwrap_or(message);
                connection
                    .prepare_cached("INSERT INTO messages (topic_id, timestamp, data) VALUES (?1, ?2, ?3)")
                    .and_then(|mut s| s.execute(params![topic.0 as i64 + 1, time.0, data]))
                    .map_err(|e| wrong(&self.path, e))?;
            }
        }
        of.count = of.count.map(|n| n + 1);
        let (first, last) = self.times_ns.unwrap_or((time.0, time.0));
        self.times_ns = Some((first.min(time.0), last.max(time.0)));
        Ok(())
    }

    /// Completes the recording. One that is dropped without this is as a crash leaves it.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn finish(self) -> Result<(), BagError> {
        let path = self.path.clone();
        let yaml = self.yaml();
        match self.store {
            Store::Mcap { mut writer, .. } => {
                let metadata = BTreeMap::from([("serialized_metadata".to_owned(), yaml.clone())]);
                writer
                    .write_metadata(&Metadata { name: "rosbag2".into(), metadata })
                    .and_then(|()| writer.finish())
                    .map_err(|e| wrong(&path, e))?;
                let file = writer.into_inner().into_inner().map_err(|e| wrong(&path, e))?;
                file.sync_all().map_err(|e| wrong(&path, e))?;
            }
            Store::Sqlite(connection) => {
                connection
                    .execute("INSERT INTO metadata VALUES (1, 5, ?1)", params![yaml])
                    .and_then(|_| connection.execute_batch("COMMIT;"))
                    .map_err(|e| wrong(&path, e))?;
                connection.close().map_err(|(_, e)| wrong(&path, e))?;
            }
        }
        let Some(name) = self.in_directory else { return Ok(()) };
        if self.compression == Compression::File {
            pack(&path.join(&name)).map_err(|e| wrong(&path, e))?;
        }
        let target = path.join(FILE_NAME);
        fs::write(&target, yaml).map_err(|source| BagError::Io { path: target, source })
    }

    fn yaml(&self) -> String {
        let storage = match self.store {
            Store::Mcap { .. } => "mcap",
            Store::Sqlite(_) => "sqlite3",
        };
        let plain = match &self.in_directory {
            Some(name) => name.clone(),
            None => self.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        };
        let (file, compression) = match self.compression {
            Compression::File => (format!("{plain}.zstd"), ("zstd", "FILE")),
            Compression::Messages => (plain, ("zstd", "MESSAGE")),
            Compression::None | Compression::Chunks => (plain, ("", "")),
        };
        Written { storage, file: &file, topics: &self.topics, times_ns: self.times_ns, compression }.to_yaml()
    }
}

fn wrong(path: &Path, why: impl std::fmt::Display) -> BagError {
    BagError::Write { path: path.into(), why: why.to_string() }
}

/// The storage file to write, and its name when it lies in a directory of its own.
fn prepare(path: &Path, extension: &str, compression: Compression) -> Result<(PathBuf, Option<String>), BagError> {
    if path.extension().is_some_and(|e| e == extension) {
        if compression == Compression::File {
            return Err(wrong(path, "a single file cannot be compressed as a whole: expected a directory"));
        }
        return Ok((path.into(), None));
    }
    let failed = |source| BagError::Io { path: path.into(), source };
    fs::create_dir_all(path).map_err(failed)?;
    if fs::read_dir(path).map_err(failed)?.next().is_some() {
        return Err(wrong(path, "the directory is not empty"));
    }
    let stem = path.file_name().map_or_else(|| "bag".into(), |n| n.to_string_lossy().into_owned());
    let name = format!("{stem}_0.{extension}");
    Ok((path.join(&name), Some(name)))
}

/// Compresses a file to `NAME.zstd` and removes it.
fn pack(path: &Path) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".zstd");
    let mut packed = File::create(PathBuf::from(name))?;
    zstd::stream::copy_encode(File::open(path)?, &mut packed, 0)?;
    packed.sync_all()?;
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let says = |result: Result<BagWriter, BagError>| {
            result.unwrap_err().to_string().replace(&dir.path().display().to_string(), "DIR")
        };
        fs::write(dir.path().join("x"), "").unwrap();
        assert_eq!(
            says(BagWriter::mcap(dir.path(), Compression::None)),
            "DIR: cannot be written: the directory is not empty"
        );
        assert_eq!(
            says(BagWriter::mcap(&dir.path().join("a.mcap"), Compression::File)),
            "DIR/a.mcap: cannot be written: a single file cannot be compressed as a whole: expected a directory"
        );
        assert_eq!(
            says(BagWriter::sqlite(&dir.path().join("b"), Compression::Chunks)),
            "DIR/b: cannot be written: SQLite knows no chunks: expected messages or the file"
        );
        assert_eq!(
            says(BagWriter::mcap(&dir.path().join("b"), Compression::Messages)),
            "DIR/b: cannot be written: MCAP knows no compressed messages: expected chunks or the file"
        );
    }
}
