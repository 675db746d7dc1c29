//! Who carries out which job: a lab may do all of them, or its share, or look up what others have done.
//!
//! No experiment knows of this: it hands its jobs to the lab, and is given what they yielded.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Serialize, de::DeserializeOwned};

use super::part::{Kept, Part, PartError, Shard, Writer};

/// The share of a run's jobs that a lab carries out, and what is known of the others.
#[derive(Debug, Default)]
pub struct Share {
    shard: Shard,
    /// Nothing is carried out: everything was, elsewhere.
    merged: bool,
    /// Nothing is carried out: what there is to do is counted.
    rehearsal: bool,
    known: Arc<BTreeMap<u64, Kept>>,
    writer: Option<Mutex<Writer>>,
    /// Jobs that have been numbered so far. Equal arguments give equal jobs in equal order, so that a job's number names it
    /// on every machine.
    numbered: AtomicU64,
}

/// What is to be done about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Todo {
    /// It is to be carried out.
    CarryOut,
    /// What it yielded is known.
    LookUp,
    /// It is no affair of this lab's.
    Leave,
}

impl Share {
    /// The jobs of a shard; what they yield goes into its part, and what `part` has already is not made again.
    #[must_use]
    pub fn kept(writer: Writer, part: Part) -> Self {
        Self { shard: part.head.shard, known: Arc::new(part.kept), writer: Some(Mutex::new(writer)), ..Self::default() }
    }

    /// Nothing is carried out: what all jobs yielded is in these parts, as [`whole`](super::part::whole) returns them.
    #[must_use]
    pub fn merged(parts: Vec<Part>) -> Self {
        let known: BTreeMap<u64, Kept> = parts.into_iter().flat_map(|part| part.kept).collect();
        Self { merged: true, known: Arc::new(known), ..Self::default() }
    }

    /// The same share, of which nothing is carried out: whoever watches learns how much there is to do.
    #[must_use]
    pub fn rehearsal(&self) -> Self {
        let known = Arc::clone(&self.known);
        Self { shard: self.shard, merged: self.merged, rehearsal: true, known, ..Self::default() }
    }

    pub(super) const fn is_rehearsal(&self) -> bool {
        self.rehearsal
    }

    /// Are there jobs that others carry out? Then no figures can be made of what is here.
    #[must_use]
    pub const fn is_partial(&self) -> bool {
        self.shard.of > 1
    }

    /// How many jobs the run has, as far as it has come.
    pub fn numbered(&self) -> u64 {
        self.numbered.load(Ordering::Relaxed)
    }

    /// How many jobs were known before the run began.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// Says in the part that all its jobs are there. To be called when every experiment has been made.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn complete(&self) -> Result<(), PartError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        writer.lock().unwrap_or_else(PoisonError::into_inner).complete(self.numbered())
    }

    /// Numbers so many jobs; returns the first number.
    pub(super) fn number(&self, jobs: usize) -> u64 {
        self.numbered.fetch_add(jobs as u64, Ordering::Relaxed)
    }

    pub(super) fn todo(&self, number: u64) -> Todo {
        match (self.merged, self.shard.has(number), self.known.contains_key(&number)) {
            (false, false, _) => Todo::Leave,
            (false, true, false) => Todo::CarryOut,
            // What others have not left behind is missed when it is looked up.
            (true, ..) | (_, _, true) => Todo::LookUp,
        }
    }

    /// What the job yielded when it was carried out.
    pub(super) fn look_up<R: DeserializeOwned>(&self, number: u64, name: &str) -> Result<R, String> {
        let kept = self.known.get(&number).ok_or_else(|| format!("{name}: job {number} is in none of the parts"))?;
        if kept.name != name {
            return Err(format!("job {number} is {name}, but in the part it is {}", kept.name));
        }
        kept.read().map_err(|why| format!("{name}: what the part has cannot be read: {why}"))
    }

    /// Keeps what a job yielded, where there is a place for it.
    pub(super) fn keep<R: Serialize>(&self, number: u64, name: &str, yielded: &R) -> Result<(), PartError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        writer.lock().unwrap_or_else(PoisonError::into_inner).keep(number, name, yielded)
    }
}
