//! The file: its tables, and how it stays within its size.

use std::path::{Path, PathBuf};

use image::{RgbImage, codecs::jpeg::JpegEncoder};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    ArchiveError,
    look::{Look, Why},
};
use crate::files;

/// `LOOK` in SQLite's `application_id`: tells our files from others.
pub(super) const APPLICATION: i32 = 0x4c4f_4f4b;
/// Version of the tables, in SQLite's `user_version`.
pub(super) const VERSION: i32 = 1;
/// Quality of the JPEG of pictures that did not come as one, 1 to 100. At 92 a picture of 1280×720 has some 250 KB, and the
/// noise that sight measures in it is nearly that of the camera.
const QUALITY: u8 = 92;
/// Pictures are kept apart from words: a row whose picture goes would leave a page of its own behind, nearly empty.
pub(super) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS looks (
        number INTEGER PRIMARY KEY, stamp_ns INTEGER NOT NULL, why TEXT NOT NULL, ply INTEGER NOT NULL,
        look TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS pictures (number INTEGER PRIMARY KEY, jpeg BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS looks_why ON looks (why, number);
";

/// A picture to be kept.
pub(super) enum Shown {
    /// It becomes a JPEG.
    Pixels(RgbImage),
    /// The JPEG that it came as: what is looked at again is what was looked at.
    Jpeg(Vec<u8>),
}

/// An archive that is being written.
pub(super) struct Writing {
    path: PathBuf,
    connection: Connection,
    most_bytes: u64,
}

/// An empty archive of this name. It is made aside: who reads beside us never meets half of it.
fn begin(path: &Path) -> Result<(), ArchiveError> {
    let fault = |error| ArchiveError::Sqlite { path: path.display().to_string(), error };
    let foreign = |e: std::io::Error| ArchiveError::Foreign { path: path.display().to_string(), why: e.to_string() };
    let aside = files::aside(path).map_err(foreign)?;
    let connection = Connection::open(aside.path()).map_err(fault)?;
    // Nothing beside it to be left there: what goes wrong here goes with the file.
    connection.pragma_update(None, "journal_mode", "MEMORY").map_err(fault)?;
    connection.pragma_update(None, "application_id", APPLICATION).map_err(fault)?;
    connection.pragma_update(None, "user_version", VERSION).map_err(fault)?;
    // Said here, where nobody reads: a change of it needs the file alone.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
    connection.execute_batch(TABLES).map_err(fault)?;
    connection.close().map_err(|(_, error)| fault(error))?;
    aside.persist_noclobber(path).map_err(|e| foreign(e.error))?;
    Ok(())
}

impl Writing {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path, most_bytes: u64, about: &[(&str, String)]) -> Result<Self, ArchiveError> {
        let fault = |error| ArchiveError::Sqlite { path: path.display().to_string(), error };
        if !path.exists() {
            begin(path)?;
        }
        let connection = Connection::open(path).map_err(fault)?;
        // A power cut may cost the last looks, never the file.
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(fault)?;
        let writing = Self { path: path.into(), connection, most_bytes };
        for (key, value) in about {
            writing.about(key, value)?;
        }
        Ok(writing)
    }

    fn fault(&self, error: rusqlite::Error) -> ArchiveError {
        ArchiveError::Sqlite { path: self.path.display().to_string(), error }
    }

    /// Notes something about the whole.
    pub(super) fn about(&self, key: &str, value: &str) -> Result<(), ArchiveError> {
        let sql = "INSERT INTO about VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
        self.connection.execute(sql, params![key, value]).map(drop).map_err(|e| self.fault(e))
    }

    /// Keeps a look, and lets old ones go where the file has become too large.
    pub(super) fn keep(&self, look: &Look, picture: Option<&Shown>) -> Result<(), ArchiveError> {
        let mut made = Vec::new();
        let jpeg = picture.and_then(|picture| match picture {
            Shown::Jpeg(jpeg) => Some(&**jpeg),
            Shown::Pixels(pixels) => {
                let mut encoder = JpegEncoder::new_with_quality(&mut made, QUALITY);
                encoder.encode_image(pixels).ok().map(|()| &*made)
            }
        });
        self.put(look, jpeg).and_then(|()| self.bound()).map_err(|e| self.fault(e))
    }

    /// Words and picture, both or neither.
    fn put(&self, look: &Look, jpeg: Option<&[u8]>) -> rusqlite::Result<()> {
        let text = serde_json::to_string(look).unwrap_or_default();
        let ply = i64::try_from(look.ply).unwrap_or(i64::MAX);
        let both = self.connection.unchecked_transaction()?;
        let sql = "INSERT INTO looks (stamp_ns, why, ply, look) VALUES (?1, ?2, ?3, ?4)";
        both.execute(sql, params![look.stamp_ns, word(look.why), ply, text])?;
        if let Some(jpeg) = jpeg {
            both.execute("INSERT INTO pictures VALUES (?1, ?2)", params![both.last_insert_rowid(), jpeg])?;
        }
        both.commit()
    }

    /// Bytes in use: pages that were freed are used again.
    fn used(&self) -> rusqlite::Result<u64> {
        let number = |name: &str| -> rusqlite::Result<u64> {
            let value = self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))?;
            Ok(value.unsigned_abs())
        };
        Ok((number("page_count")?.saturating_sub(number("freelist_count")?)) * number("page_size")?)
    }

    /// The oldest quiet looks go first, then doubts, then the pictures of what was told; its words stay.
    fn bound(&self) -> rusqlite::Result<()> {
        while self.used()? > self.most_bytes {
            let oldest = |why: Why| {
                let sql =
                    "SELECT number FROM looks JOIN pictures USING (number) WHERE why = ?1 ORDER BY number LIMIT 1";
                self.connection.query_row(sql, [word(why)], |row| row.get::<_, i64>(0)).optional()
            };
            let without = |number: i64| self.connection.execute("DELETE FROM pictures WHERE number = ?1", [number]);
            if let Some(number) = oldest(Why::Quiet)?.map_or_else(|| oldest(Why::Doubt), |n| Ok(Some(n)))? {
                self.connection.execute("DELETE FROM looks WHERE number = ?1", [number])?;
                without(number)?;
            } else if let Some(number) = oldest(Why::Told)? {
                without(number)?;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }
}

pub(super) const fn word(why: Why) -> &'static str {
    match why {
        Why::Told => "told",
        Why::Doubt => "doubt",
        Why::Quiet => "quiet",
        Why::Said => "said",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;

    fn look(why: Why, ply: usize) -> Look {
        Look {
            number: 0,
            stamp_ns: ply as i64,
            why,
            ply,
            fen_before: String::new(),
            fen: String::new(),
            state: "following".into(),
            corners: None,
            manner: None,
            before: None,
            after: None,
            change_threshold: None,
            noise_levels: None,
            events: Vec::new(),
            explanations: Vec::new(),
        }
    }

    /// A picture that JPEG cannot make small.
    fn noise(seed: u32) -> RgbImage {
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        RgbImage::from_fn(120, 90, |_, _| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            image::Rgb(state.to_le_bytes()[..3].try_into().unwrap())
        })
    }

    fn put(writing: &Writing, why: Why, ply: usize) {
        writing.keep(&look(why, ply), Some(&Shown::Pixels(noise(ply as u32 + 1)))).unwrap();
        assert!(writing.used().unwrap() <= MOST, "ply {ply}");
    }

    /// Some 25 pictures.
    const MOST: u64 = 600_000;

    fn listed(path: &Path) -> Vec<crate::archive::read::Listed> {
        Archive::open(path).unwrap().looks().unwrap()
    }

    #[test]
    fn quiet_looks_go_first_then_doubts_and_the_oldest_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.looks");
        let writing = Writing::open(&path, MOST, &[("version", "1".into())]).unwrap();
        let kind = |ply: usize| match ply % 12 {
            0 => Why::Told,
            1 => Why::Doubt,
            _ => Why::Quiet,
        };
        (0..60).for_each(|ply| put(&writing, kind(ply), ply));
        let looks = listed(&path);
        let numbers = |why: Why| looks.iter().filter(|l| l.why == why).map(|l| l.number).collect::<Vec<_>>();
        assert!(looks.iter().all(|look| look.has_picture));
        assert_eq!((numbers(Why::Told).len(), numbers(Why::Doubt).len()), (5, 5));
        // Of the quiet ones the youngest are there, without a gap.
        let quiet = numbers(Why::Quiet);
        let youngest: Vec<u64> = (1..=60).filter(|n| kind(*n as usize - 1) == Why::Quiet).collect();
        assert!(!quiet.is_empty() && quiet.len() < youngest.len(), "{quiet:?}");
        assert_eq!(quiet, youngest[youngest.len() - quiet.len()..]);
        drop(writing);
        assert!(std::fs::metadata(&path).unwrap().len() < 2 * MOST);
    }

    #[test]
    fn what_was_told_keeps_its_words_and_the_newest_their_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.looks");
        let writing = Writing::open(&path, MOST, &[("version", "1".into())]).unwrap();
        let with_picture = || listed(&path).iter().filter(|l| l.has_picture).map(|l| l.number).collect::<Vec<_>>();
        // More than fit, and as many again.
        let mut at_first = 0;
        for last in [60_u64, 120] {
            (last - 60..last).for_each(|ply| put(&writing, Why::Told, ply as usize));
            assert_eq!(listed(&path).len() as u64, last, "no word is lost");
            let with = with_picture();
            let newest: Vec<u64> = (last + 1 - with.len() as u64..=last).collect();
            assert_eq!(with, newest, "the newest, without a gap");
            assert!(with.len() >= 15, "the room is used: {with:?}");
            // What words take is little: a picture or two of room.
            assert!(at_first == 0 || with.len() + 3 >= at_first, "{at_first}, then {}", with.len());
            at_first = with.len();
        }
        // Room is used again: every page has a use, or will have one.
        drop(writing);
        assert!(std::fs::metadata(&path).unwrap().len() < 2 * MOST);
    }

    #[test]
    fn whoever_reads_while_games_begin_meets_whole_archives_only() {
        let folder = tempfile::tempdir().unwrap();
        let (ended, met) = (std::sync::atomic::AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
        let order = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !ended.load(order) {
                        // The newest ones, where something happens.
                        for path in crate::archive::in_folder(folder.path()).unwrap().into_values().rev().take(2) {
                            let archive = Archive::open(&path).unwrap_or_else(|e| panic!("{e}"));
                            for look in archive.looks().unwrap_or_else(|e| panic!("{e}")) {
                                let picture = archive.picture(look.number).unwrap_or_else(|e| panic!("{e}"));
                                assert!(picture.is_some(), "words and picture come together");
                                met.fetch_add(1, order);
                            }
                            archive.about().unwrap_or_else(|e| panic!("{e}"));
                        }
                    }
                });
            }
            for game in 0..60 {
                let path = folder.path().join(format!("game_{game:02}.looks"));
                let writing = Writing::open(&path, MOST, &[("version", "1".into())]).unwrap();
                (0..3).for_each(|ply| put(&writing, Why::Told, ply));
            }
            ended.store(true, order);
        });
        assert!(met.into_inner() > 60, "the readers were there");
    }
}
