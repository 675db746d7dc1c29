//! What jobs yielded, kept in a file: the part of a run that one machine has carried out, or what a run had done before it
//! was stopped.
//!
//! A part is written job by job, each in one piece, so that whatever ends the program leaves all earlier jobs readable. After
//! a first line that names the format follow records: the length of a head and of a body (four bytes each, little endian),
//! the head (CBOR), the body (CBOR, compressed with zstd). The first record says which run it is a part of, the last that
//! all jobs are there.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    str::FromStr,
};

use chess_observer::files;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The first line of the file.
const MAGIC: &[u8] = b"chess_observer part 1\n";
/// Ten times as fast as reading and scoring, and a sixth of the size.
const ZSTD_LEVEL: i32 = 3;

/// One of so many parts of a run, as `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, 1 for the first.
    pub number: u64,
    /// How many parts there are.
    pub of: u64,
}

impl Default for Shard {
    /// The whole.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl Shard {
    /// Does it have this job of the run, 0 for the first? Of `of` jobs one after the other each part has one, and in the next
    /// `of` jobs another one, so that what comes in turns (short games and long ones) does not all fall to one part.
    #[must_use]
    pub const fn has(self, job: u64) -> bool {
        (job + job / self.of) % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a part: expected I/N with I from 1 to N, as 2/5");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self { number: number.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(wrong()) }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "part {} of {}", self.number, self.of)
    }
}

/// Which run a part belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the program that made it.
    pub version: String,
    /// Which part it is.
    pub shard: Shard,
    /// Everything that the run follows from.
    pub asked: serde_json::Value,
}

/// What went wrong with a part: the file, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", .path.display())]
pub struct PartError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// The head of a record.
#[derive(Debug, Serialize, Deserialize)]
enum Line {
    /// Which run it is.
    Head(Head),
    /// What a job yielded is in the body.
    Job {
        /// Number of the job in its run, 0 for the first.
        number: u64,
        /// What it is called.
        name: String,
    },
    /// Of so many jobs in the run all of this part are there.
    Complete {
        /// Jobs of the whole run.
        jobs: u64,
    },
}

/// What a job yielded, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    /// The job's name.
    pub name: String,
    /// CBOR, compressed.
    body: Vec<u8>,
}

impl Kept {
    /// What the job yielded.
    pub fn read<R: DeserializeOwned>(&self) -> Result<R, String> {
        let decoder = zstd::stream::read::Decoder::new(self.body.as_slice()).map_err(|e| e.to_string())?;
        ciborium::from_reader(io::BufReader::new(decoder)).map_err(|e| e.to_string())
    }
}

/// A part as it was read.
#[derive(Debug, Clone)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// Which run it belongs to.
    pub head: Head,
    /// Jobs of the whole run, where all of this part are there; `None`: it was stopped before.
    pub complete: Option<u64>,
    /// What the jobs yielded, by their numbers.
    pub(super) kept: BTreeMap<u64, Kept>,
    /// Where the last whole record ends.
    end: u64,
}

impl Part {
    /// Reads a part. What was cut short at its end is left out.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a part.
    pub fn read(path: &Path) -> Result<Self, PartError> {
        let failed = |why: String| PartError { path: path.into(), why };
        let mut file = files::open(path).map_err(|e| failed(e.to_string()))?;
        Self::read_from(&mut file, path)
    }

    fn read_from(file: &mut File, path: &Path) -> Result<Self, PartError> {
        let failed = |why: String| PartError { path: path.into(), why };
        let not_one = || failed("not a part that lab --part has written".into());
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(not_one)?;
        let mut record = || -> Option<(Line, Vec<u8>, u64)> {
            let (line, body, after) = split(rest)?;
            rest = after;
            Some((line, body, (bytes.len() - after.len()) as u64))
        };
        let Some((Line::Head(head), _, mut end)) = record() else { return Err(not_one()) };
        if head.shard.of == 0 || head.shard.number == 0 {
            return Err(not_one());
        }
        let (mut kept, mut complete) = (BTreeMap::new(), None);
        while let Some((line, body, after)) = record() {
            match line {
                Line::Job { number, name } => drop(kept.insert(number, Kept { name, body })),
                Line::Complete { jobs } => complete = Some(jobs),
                Line::Head(_) => return Err(not_one()),
            }
            end = after;
        }
        Ok(Self { path: path.into(), head, complete, kept, end })
    }

    /// How many jobs are there.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.kept.len()
    }
}

/// The first record, and what comes after it; `None` where it is cut short or damaged.
fn split(bytes: &[u8]) -> Option<(Line, Vec<u8>, &[u8])> {
    let (lengths, rest) = bytes.split_first_chunk::<8>()?;
    let length = |i: usize| u32::from_le_bytes([lengths[i], lengths[i + 1], lengths[i + 2], lengths[i + 3]]) as usize;
    let (head, rest) = rest.split_at_checked(length(0))?;
    let (body, rest) = rest.split_at_checked(length(4))?;
    Some((ciborium::from_reader(head).ok()?, body.to_vec(), rest))
}

/// A part that is being written.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// Begins a part, or goes on with one of the same run; also returns what is in it already.
    ///
    /// # Errors
    /// When the file cannot be written, is no part, or is one of another run, version or number; or when another program
    /// is writing it.
    pub fn open(path: &Path, head: &Head) -> Result<(Self, Part), PartError> {
        let failed = |why: String| PartError { path: path.into(), why };
        let told = |e: io::Error| failed(e.to_string());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(told)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(failed("another program is writing it".into())),
            // A file system without locks: then nobody can tell.
            Err(TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(told)?.len();
        let mut writer;
        let part = if length == 0 {
            writer = Self { path: path.into(), file };
            // Both at once: half a beginning is no part.
            let record = record(&Line::Head(head.clone()), &[]).map_err(failed)?;
            writer.put(&[MAGIC, &record].concat())?;
            Part { path: path.into(), head: head.clone(), complete: None, kept: BTreeMap::new(), end: 0 }
        } else {
            let part = Part::read_from(&mut file, path)?;
            same_run(&part, head).map_err(failed)?;
            if part.head.shard != head.shard {
                return Err(failed(format!("is {}, not {}", part.head.shard, head.shard)));
            }
            // What was cut short makes room.
            file.set_len(part.end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(told)?;
            writer = Self { path: path.into(), file };
            part
        };
        Ok((writer, part))
    }

    /// Keeps what a job yielded.
    pub(super) fn keep<R: Serialize>(&mut self, number: u64, name: &str, yielded: &R) -> Result<(), PartError> {
        let failed = |why: String| PartError { path: self.path.clone(), why };
        let mut body = vec![];
        ciborium::into_writer(yielded, &mut body).map_err(|e| failed(e.to_string()))?;
        let body = zstd::bulk::compress(&body, ZSTD_LEVEL).map_err(|e| failed(e.to_string()))?;
        let record = record(&Line::Job { number, name: name.into() }, &body).map_err(failed)?;
        self.put(&record)
    }

    /// Says that all jobs of the part are there, of so many in the run; and makes sure that they are on the disk.
    pub(super) fn complete(&mut self, jobs: u64) -> Result<(), PartError> {
        let failed = |why: String| PartError { path: self.path.clone(), why };
        let record = record(&Line::Complete { jobs }, &[]).map_err(failed)?;
        self.put(&record)?;
        self.file.sync_all().map_err(|e| PartError { path: self.path.clone(), why: e.to_string() })
    }

    fn put(&mut self, record: &[u8]) -> Result<(), PartError> {
        let told = |e: io::Error| PartError { path: self.path.clone(), why: e.to_string() };
        self.file.write_all(record).map_err(told)
    }
}

fn record(line: &Line, body: &[u8]) -> Result<Vec<u8>, String> {
    let mut head = vec![];
    ciborium::into_writer(line, &mut head).map_err(|e| e.to_string())?;
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| "a job yielded over 4 GB".to_owned());
    Ok([&length(&head)?.to_le_bytes()[..], &length(body)?.to_le_bytes(), &head, body].concat())
}

/// Is it a part of the run that `head` tells of? Else in words what differs.
fn same_run(part: &Part, head: &Head) -> Result<(), String> {
    let own = &part.head;
    if own.version != head.version {
        return Err(format!("made by version {}, this is {}: its figures may be others", own.version, head.version));
    }
    if own.asked == head.asked {
        return Ok(());
    }
    let short = |value: Option<&serde_json::Value>| {
        let text = value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
        // A whole collection of games says nothing on one line.
        if text.chars().count() > 60 { "another one".to_owned() } else { text }
    };
    let names = own.asked.as_object().into_iter().chain(head.asked.as_object()).flat_map(|map| map.keys());
    // The whole spelling comes last: what differs in it has a name of its own as a rule.
    let differs = |name: &&String| own.asked.get(*name) != head.asked.get(*name);
    let all: Vec<&String> = names.filter(differs).collect();
    let differs = all.iter().find(|name| **name != "arguments").or(all.first()).copied();
    let Some(name) = differs else { return Err("of another run".into()) };
    let (theirs, ours) = (short(own.asked.get(name)), short(head.asked.get(name)));
    Err(format!("of another run: its {name} is {theirs}, expected {ours}"))
}

/// Are these all parts of one run, each once and complete, made by `version`? Returns them in their order.
///
/// # Errors
/// In words the first thing that is wrong.
pub fn whole(mut parts: Vec<Part>, version: &str) -> Result<Vec<Part>, PartError> {
    let wrong = |part: &Part, why: String| PartError { path: part.path.clone(), why };
    let Some(first) = parts.first() else { return Ok(parts) };
    let expected = Head { version: version.into(), ..first.head.clone() };
    for part in &parts {
        same_run(part, &expected).map_err(|why| wrong(part, why))?;
        if part.head.shard.of != expected.shard.of {
            let first = first.path.display();
            return Err(wrong(part, format!("is {}, but {first} is {}", part.head.shard, expected.shard)));
        }
    }
    parts.sort_by_key(|part| part.head.shard);
    if let Some([one, other]) = parts.array_windows().find(|[one, other]| one.head.shard == other.head.shard) {
        return Err(wrong(other, format!("is {}, and so is {}", other.head.shard, one.path.display())));
    }
    if let Some(part) = parts.iter().find(|part| part.complete.is_none()) {
        let jobs = part.jobs();
        return Err(wrong(part, format!("not complete ({jobs} jobs): give its command again and it goes on")));
    }
    let has = |number: u64| parts.iter().any(|part| part.head.shard.number == number);
    let missing: Vec<String> =
        (1..=expected.shard.of).filter(|number| !has(*number)).map(|number| number.to_string()).collect();
    match missing.as_slice() {
        [] => Ok(parts),
        [one] => Err(wrong(&parts[0], format!("part {one} of {} is missing", expected.shard.of))),
        many => Err(wrong(&parts[0], format!("of {} parts these are missing: {}", expected.shard.of, many.join(", ")))),
    }
}
