//! A SQLite database as storage, as rosbag2 has written them since its first version.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};

use super::{
    BagError,
    storage::{MAX_MESSAGE_BYTES, Storage, Stored, Topic, unpack_message},
};
use crate::files;

/// A SQLite storage file.
#[derive(Debug)]
pub(super) struct SqliteFile {
    path: PathBuf,
    connection: Connection,
    /// Row number of each topic in the database.
    ids: Vec<i64>,
    topics: Vec<Topic>,
    /// What is to be read, in the order of time: row, time, topic.
    plan: Vec<(i64, i64, usize)>,
    next: usize,
    /// Why the plan is not complete.
    cut: Option<String>,
}

impl SqliteFile {
    /// Opens a file, read only, and learns its topics. Only the tables `topics` and `messages` are needed, and of
    /// them only the columns that every version has.
    ///
    /// # Errors
    /// When it cannot be read, or is not a rosbag2 database.
    pub fn open(path: &Path) -> Result<Self, BagError> {
        let failed = |e: rusqlite::Error| BagError::Storage { path: path.into(), why: said(&e) };
        files::check_database(path).map_err(|(path, source)| BagError::Io { path, source })?;
        let connection = connect(path).map_err(failed)?;
        let (ids, topics) = read_topics(&connection).map_err(failed)?;
        Ok(Self { path: path.into(), connection, ids, topics, plan: Vec::new(), next: 0, cut: None })
    }

    fn message(&self, row: i64) -> Result<Result<Vec<u8>, String>, rusqlite::Error> {
        // A forged length is never allocated: SQLite reads the blob only when it is small enough.
        let sql = "SELECT length(data), CASE WHEN length(data) <= ?2 THEN data END FROM messages WHERE rowid = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement
            .query_row(params![row, MAX_MESSAGE_BYTES as i64], |r| {
                Ok((r.get::<_, Option<i64>>(0)?, r.get::<_, Option<Vec<u8>>>(1)?))
            })
            .optional()?;
        Ok(match found {
            Some((_, Some(data))) => unpack_message(data),
            Some((Some(len), None)) => Err(format!("message of {len} bytes: at most {MAX_MESSAGE_BYTES} are read")),
            _ => Err("message without data".into()),
        })
    }
}

/// What SQLite says, without our statement.
fn said(e: &rusqlite::Error) -> String {
    let text = match e {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    format!("not a readable rosbag2 database: {text}")
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let escaped: String = absolute
        .to_string_lossy()
        .chars()
        .map(|c| match c {
            '%' => "%25".into(),
            '?' => "%3f".into(),
            '#' => "%23".into(),
            other => other.to_string(),
        })
        .collect();
    let usable = |connection: Connection| -> rusqlite::Result<Connection> {
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    };
    // A database in write-ahead mode cannot be opened in a folder that is not ours to write, unless it is said
    // that nobody else is writing.
    Connection::open_with_flags(format!("file:{escaped}?mode=ro"), flags).and_then(usable).or_else(|first| {
        Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags).and_then(usable).map_err(|_| first)
    })
}

fn read_topics(connection: &Connection) -> rusqlite::Result<(Vec<i64>, Vec<Topic>)> {
    let mut statement = connection.prepare("SELECT id, name, type, serialization_format FROM topics ORDER BY id")?;
    let rows = statement.query_map([], |r| {
        let topic = Topic { name: r.get(1)?, kind: r.get(2)?, serialization: r.get(3)?, count: None };
        Ok((r.get::<_, i64>(0)?, topic))
    })?;
    let (ids, mut topics): (Vec<i64>, Vec<Topic>) = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
    // Damage within the messages is reported when they are read.
    if let Ok(counts) = count_messages(connection) {
        for (id, topic) in ids.iter().zip(&mut topics) {
            topic.count = Some(counts.get(id).copied().unwrap_or(0));
        }
    }
    Ok((ids, topics))
}

fn count_messages(connection: &Connection) -> rusqlite::Result<HashMap<i64, u64>> {
    let mut statement = connection.prepare("SELECT topic_id, count(*) FROM messages GROUP BY topic_id")?;
    let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get::<_, i64>(1)?.unsigned_abs())))?;
    rows.collect()
}

impl Storage for SqliteFile {
    fn topics(&self) -> &[Topic] {
        &self.topics
    }

    fn select(&mut self, topics: &[usize]) -> Result<(), BagError> {
        let failed = |e: rusqlite::Error| BagError::Storage { path: self.path.clone(), why: said(&e) };
        (self.plan, self.next, self.cut) = (Vec::new(), 0, None);
        for topic in topics {
            let Some(id) = self.ids.get(*topic) else { continue };
            let sql = "SELECT rowid, timestamp FROM messages WHERE topic_id = ?1";
            let mut statement = self.connection.prepare(sql).map_err(failed)?;
            let rows = statement.query_map([id], |r| Ok((r.get(0)?, r.get(1)?, *topic))).map_err(failed)?;
            for row in rows {
                match row {
                    Ok(row) => self.plan.push(row),
                    Err(e) => {
                        let name = self.path.display();
                        self.cut.get_or_insert(format!("{name} is damaged: {}; what can be read is used", said(&e)));
                        break;
                    }
                }
            }
        }
        self.plan.sort_by_key(|(row, time, _)| (*time, *row));
        Ok(())
    }

    fn next_stored(&mut self) -> Result<Option<Stored>, BagError> {
        let Some((row, time_ns, topic)) = self.plan.get(self.next).copied() else {
            return Ok(self.cut.take().map(Stored::Note));
        };
        self.next += 1;
        Ok(Some(match self.message(row) {
            Ok(Ok(data)) => Stored::Message { topic, time_ns, data },
            Ok(Err(why)) => Stored::Bad { topic: Some(topic), why: format!("message {row}: {why}") },
            Err(e) => Stored::Bad { topic: Some(topic), why: format!("message {row}: {}", said(&e)) },
        }))
    }
}
