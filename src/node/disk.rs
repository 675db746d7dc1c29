//! Texts on their way to the disk, tried again until it takes them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant, SystemTime},
};

use crate::files;

/// Time between attempts on a disk that refuses: short enough that freeing space is noticed, long enough to be no load.
const RETRY: Duration = Duration::from_secs(1);

/// Replaces a file of ours, in a folder that is made where it is missing.
///
/// # Errors
/// As [`files::replace`].
fn save(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(files::folder_of(path))?;
    files::replace(path, text.as_bytes())
}

/// How the writing goes.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The file last written, or tried.
    pub path: Option<PathBuf>,
    /// When it was last written.
    pub at: Option<SystemTime>,
    /// Why it is not written now; empty when it is, or when the disk has not answered yet.
    pub error: String,
    /// Files written since the start.
    pub count: u64,
    /// Since when something has been waiting that the disk has not taken; `None` when all is saved.
    pub(super) unsaved_since: Option<Instant>,
}

/// Is everything on the disk?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// Everything that was put.
    All,
    /// Not yet, and why.
    NotYet(String),
}

#[derive(Default)]
struct State {
    /// What waits to be written, the newest text of each file, oldest file first.
    waiting: Vec<(PathBuf, String)>,
    busy: bool,
    closed: bool,
    /// The disk was slower than somebody could wait, or has refused, and not everything is saved since.
    behind: bool,
    written: Written,
}

impl State {
    fn why(&self) -> String {
        let why = &self.written.error;
        if why.is_empty() { "the disk has not taken it yet".into() } else { why.clone() }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    bell: Condvar,
}

/// Where texts are put that are to be written; their writing happens on a thread of its own. Cheap to clone.
#[derive(Clone)]
pub struct Desk(Arc<Shared>);

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("written", &self.state().written).finish_non_exhaustive()
    }
}

/// Hears how the writing goes, and ends it.
#[derive(Debug)]
pub struct Writer {
    desk: Desk,
    thread: Option<JoinHandle<()>>,
}

impl Desk {
    /// A desk and the thread behind it.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new() -> io::Result<(Self, Writer)> {
        let desk = Self(Arc::default());
        let thread = {
            let desk = desk.clone();
            std::thread::Builder::new().name("pgn".into()).spawn(move || work(&desk))?
        };
        Ok((desk.clone(), Writer { desk, thread: Some(thread) }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `text` written soon, instead of what still waits for the same file.
    pub(crate) fn put(&self, path: PathBuf, text: &str) {
        let mut state = self.state();
        state.written.unsaved_since.get_or_insert_with(Instant::now);
        match state.waiting.iter_mut().find(|(p, _)| *p == path) {
            Some((_, waiting)) => text.clone_into(waiting),
            None => state.waiting.push((path, text.to_owned())),
        }
        self.0.bell.notify_all();
    }

    /// Does something wait for this file?
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        self.state().waiting.iter().any(|(p, _)| p == path)
    }

    /// Is everything on the disk?
    #[must_use]
    pub(super) fn is_settled(&self) -> bool {
        self.state().waiting.is_empty()
    }

    /// Waits until everything is on the disk, for as long as `patience` allows, and not for a disk that refuses or is
    /// known to be behind.
    #[must_use]
    pub fn settle(&self, patience: Duration) -> Saved {
        let state = self.state();
        let unsaved = |state: &mut State| !state.waiting.is_empty() && !state.behind;
        let waited = self.0.bell.wait_timeout_while(state, patience, unsaved);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.waiting.is_empty() {
            return Saved::All;
        }
        state.behind = true;
        Saved::NotYet(state.why())
    }
}

impl Writer {
    /// How the writing goes.
    #[must_use]
    pub fn written(&self) -> Written {
        self.desk.state().written.clone()
    }

    /// Writes what still waits, for as long as `patience` allows. Returns why something could not be written.
    ///
    /// # Errors
    /// The text says which file and why.
    pub fn finish(&mut self, patience: Duration) -> Result<(), String> {
        let end = Instant::now() + patience;
        let mut state = self.desk.state();
        state.closed = true;
        self.desk.0.bell.notify_all();
        while (state.busy || !state.waiting.is_empty()) && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            state = self.desk.0.bell.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let lost = state.waiting.first().map(|(path, _)| format!("{}: {}", path.display(), state.why()));
        drop(state);
        match (lost, self.thread.take()) {
            (Some(lost), _) => Err(lost),
            (None, Some(thread)) if thread.is_finished() || Instant::now() < end => {
                thread.join().map_err(|_| "the writing thread has panicked".to_owned())
            }
            (None, _) => Ok(()),
        }
    }
}

fn work(desk: &Desk) {
    let mut state = desk.state();
    loop {
        let Some((path, text)) = state.waiting.first().cloned() else {
            if state.closed {
                return;
            }
            state = desk.0.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.busy = true;
        drop(state);
        let result = save(&path, &text);
        state = desk.state();
        state.busy = false;
        state.written.path = Some(path.clone());
        match result {
            Ok(()) => {
                state.written.at = Some(SystemTime::now());
                state.written.error.clear();
                state.written.count += 1;
                // A newer text may have come meanwhile: then it waits on.
                state.waiting.retain(|(p, t)| *p != path || *t != text);
                if state.waiting.is_empty() {
                    state.behind = false;
                    state.written.unsaved_since = None;
                }
                desk.0.bell.notify_all();
            }
            Err(error) => {
                state.written.error = error.to_string();
                state.behind = true;
                if state.waiting.len() > 1 {
                    state.waiting.rotate_left(1);
                }
                let pause = if state.closed { RETRY / 10 } else { RETRY };
                // Who waits for it need not wait longer. New text wakes nobody: the disk gets its rest.
                desk.0.bell.notify_all();
                drop(state);
                std::thread::sleep(pause);
                state = desk.state();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(10);

    fn names_and_texts(folder: &Path) -> Vec<String> {
        let mut texts: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| format!("{} {}", path.file_name().unwrap().display(), fs::read_to_string(&path).unwrap()))
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn what_has_settled_is_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, writer) = Desk::new().unwrap();
        assert_eq!(desk.settle(LONG), Saved::All);
        for n in 0..50 {
            let path = folder.path().join(format!("deeper/{}.pgn", n % 3));
            desk.put(path.clone(), &n.to_string());
            assert_eq!(desk.settle(LONG), Saved::All);
            assert_eq!(fs::read_to_string(&path).unwrap(), n.to_string());
        }
        assert_eq!((writer.written().count, writer.written().unsaved_since), (50, None));
    }

    #[test]
    fn a_disk_that_refuses_is_waited_for_once_and_written_to_later() {
        let folder = tempfile::tempdir().unwrap();
        // A file where the folder should be: refused for root as well.
        let wanted = folder.path().join("games");
        fs::write(&wanted, "in the way").unwrap();
        let (desk, mut writer) = Desk::new().unwrap();
        desk.put(wanted.join("a.pgn"), "first");
        let Saved::NotYet(why) = desk.settle(LONG) else { panic!("saved in a folder that is none") };
        assert!(!why.is_empty() && why == writer.written().error, "{why}");
        let since = writer.written().unsaved_since.unwrap();
        // Nobody waits again for a disk that is behind.
        let begun = Instant::now();
        desk.put(wanted.join("a.pgn"), "second");
        assert!(matches!(desk.settle(LONG), Saved::NotYet(_)));
        assert!(begun.elapsed() < LONG / 2 && writer.written().unsaved_since == Some(since));
        fs::remove_file(&wanted).unwrap();
        writer.finish(LONG).unwrap();
        assert_eq!(names_and_texts(&wanted), ["a.pgn second"]);
        assert_eq!((desk.settle(LONG), writer.written().unsaved_since), (Saved::All, None));
    }

    #[test]
    fn patience_ends_and_the_loss_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("games");
        fs::write(&wanted, "in the way").unwrap();
        let (desk, mut writer) = Desk::new().unwrap();
        desk.put(wanted.join("a.pgn"), "first");
        let error = writer.finish(Duration::from_millis(300)).unwrap_err();
        assert!(error.contains("games/a.pgn: "), "{error}");
    }
}
