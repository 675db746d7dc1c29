//! Reading an archive, whole or cut.

use std::{
    collections::BTreeMap,
    io::Read as _,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use serde::Serialize;

use super::{
    ArchiveError,
    file::{APPLICATION, TABLES, VERSION},
    look::{Look, Why},
};
use crate::{
    files,
    params::{Params, Value},
};

/// A look in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Number in its file.
    pub number: u64,
    /// Time of the picture, in seconds since the epoch.
    pub stamp_s: f64,
    /// Why it is kept.
    pub why: Why,
    /// Plies played after it.
    pub ply: usize,
    /// Its picture is still there.
    pub has_picture: bool,
    /// What was told, in short: moves as SAN, warnings as sentences.
    pub told: Vec<String>,
}

/// An archive that is read.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    connection: Connection,
}

impl Archive {
    /// Is this file an archive? Only its first bytes are looked at.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        let mut head = [0; 72];
        let read = files::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && head.starts_with(b"SQLite format 3\0") && head[68..72] == APPLICATION.to_be_bytes()
    }

    /// Opens an archive; one that is being written may be read at the same time.
    ///
    /// # Errors
    /// When it is none.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let fault = |error| ArchiveError::Sqlite { path: path.display().to_string(), error };
        files::check_database(path)
            .map_err(|(path, e)| ArchiveError::Foreign { path: path.display().to_string(), why: e.to_string() })?;
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(fault)?;
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(fault);
        let foreign = |why: String| Err(ArchiveError::Foreign { path: path.display().to_string(), why });
        if number("application_id")? != APPLICATION {
            return foreign("expected an archive of looks, as archive_directory or replay --archive make it".into());
        }
        match number("user_version")? {
            VERSION => Ok(Self { path: path.into(), connection }),
            other => foreign(format!("an archive of version {other}: this program reads version {VERSION}")),
        }
    }

    fn fault(&self, error: rusqlite::Error) -> ArchiveError {
        ArchiveError::Sqlite { path: self.path.display().to_string(), error }
    }

    /// What is noted about the whole: `version`, `params`, `name`, `pgn`.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn about(&self) -> Result<BTreeMap<String, String>, ArchiveError> {
        let read = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut query = self.connection.prepare("SELECT key, value FROM about")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|e| self.fault(e))
    }

    /// The parameters that the observer had. Those that this version does not know, or refuses, keep their defaults.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn params(&self) -> Result<Params, ArchiveError> {
        let text = self.about()?.remove("params").unwrap_or_default();
        let values: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        let mut params = Params::default();
        for (name, value) in values {
            let _ = params.set(&name, &value);
        }
        Ok(params)
    }

    /// Time of the first look, in seconds since the epoch; `None` where there is none yet.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn begun_s(&self) -> Result<Option<f64>, ArchiveError> {
        let sql = "SELECT stamp_ns FROM looks ORDER BY number LIMIT 1";
        let first = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).optional();
        first.map(|stamp_ns| stamp_ns.map(|ns| ns as f64 / 1e9)).map_err(|e| self.fault(e))
    }

    /// All looks, oldest first, without their beliefs and pictures.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn looks(&self) -> Result<Vec<Listed>, ArchiveError> {
        let read = || -> rusqlite::Result<Vec<Listed>> {
            let sql = "SELECT number, number IN (SELECT number FROM pictures), look FROM looks ORDER BY number";
            let mut query = self.connection.prepare(sql)?;
            let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, String>(2)?)))?;
            let mut looks = Vec::new();
            for row in rows {
                let (number, has_picture, text) = row?;
                // A look of which nothing can be read is left out; the others are there.
                if let Ok(look) = serde_json::from_str::<Look>(&text) {
                    looks.push(listed(&look, number.unsigned_abs(), has_picture));
                }
            }
            Ok(looks)
        };
        read().map_err(|e| self.fault(e))
    }

    /// One look; `None` where there is none of this number.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn look(&self, number: u64) -> Result<Option<Look>, ArchiveError> {
        let Ok(wanted) = i64::try_from(number) else { return Ok(None) };
        let sql = "SELECT look FROM looks WHERE number = ?1";
        let text: Option<String> =
            self.connection.query_row(sql, [wanted], |row| row.get(0)).optional().map_err(|e| self.fault(e))?;
        let look = text.and_then(|text| serde_json::from_str::<Look>(&text).ok());
        Ok(look.map(|look| Look { number, ..look }))
    }

    /// The picture of a look as JPEG; `None` where there is none.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn picture(&self, number: u64) -> Result<Option<Vec<u8>>, ArchiveError> {
        let Ok(wanted) = i64::try_from(number) else { return Ok(None) };
        let sql = "SELECT jpeg FROM pictures WHERE number = ?1";
        self.connection.query_row(sql, [wanted], |row| row.get(0)).optional().map_err(|e| self.fault(e))
    }

    /// Writes the archive up to the look `last` as a file of its own: a fault report.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn cut(&self, last: u64, path: &Path) -> Result<(), ArchiveError> {
        let last = i64::try_from(last).unwrap_or(i64::MAX);
        let copy = || -> rusqlite::Result<()> {
            // Read and written by two connections: this one may only read.
            let report = Connection::open(path)?;
            report.pragma_update(None, "application_id", APPLICATION)?;
            report.pragma_update(None, "user_version", VERSION)?;
            report.execute("ATTACH ?1 AS whole", params![self.path.to_string_lossy()])?;
            report.execute_batch(TABLES)?;
            report.execute_batch("INSERT INTO about SELECT key, value FROM whole.about;")?;
            let looks = "INSERT INTO looks SELECT number, stamp_ns, why, ply, look FROM whole.looks WHERE number <= ?1";
            report.execute(looks, [last])?;
            report.execute("INSERT INTO pictures SELECT * FROM whole.pictures WHERE number <= ?1", [last]).map(drop)
        };
        copy().map_err(|error| ArchiveError::Sqlite { path: path.display().to_string(), error })
    }
}

fn listed(look: &Look, number: u64, has_picture: bool) -> Listed {
    use crate::event::Event;
    let told = look.events.iter().filter_map(|event| match event {
        Event::Move { san, .. } => Some(san.to_string()),
        Event::Revised { san, .. } => Some(format!("{san} after all")),
        Event::TakeBack { ply, .. } => Some(format!("ply {ply} taken back")),
        Event::Result { result, .. } => Some(result.to_string()),
        Event::NewGame { .. } => Some("new game".into()),
        event => event.sentence(),
    });
    let stamp_s = look.stamp_ns as f64 / 1e9;
    Listed { number, stamp_s, why: look.why, ply: look.ply, has_picture, told: told.collect() }
}
