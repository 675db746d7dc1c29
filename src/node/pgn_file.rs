//! The game on disk: written after every change, atomically, and tried again until it succeeds.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant, SystemTime},
};

use crate::frame::Stamp;

/// Time between attempts on a disk that refuses: short enough that freeing space is noticed, long enough to be no load.
const RETRY: Duration = Duration::from_secs(1);

/// Writes `text` to `path` so that at any moment either the old or the new file is there, whole.
///
/// # Errors
/// What the system says; the old file is untouched then.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chess_observer_");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut aside = builder.tempfile_in(folder)?;
    aside.write_all(text.as_bytes())?;
    aside.as_file().sync_all()?;
    aside.persist(path).map_err(|e| e.error)?;
    // The renaming itself is safe only when the folder is. Not every file system can do this.
    let _ = File::open(folder).and_then(|f| f.sync_all());
    Ok(())
}

/// How the last writing went.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The file last written, or tried.
    pub path: Option<PathBuf>,
    /// When it was last written.
    pub at: Option<SystemTime>,
    /// Why it is not written now; empty when it is.
    pub error: String,
    /// Files written since the start.
    pub count: u64,
}

#[derive(Default)]
struct State {
    /// What waits to be written, the newest text of each game, oldest game first.
    waiting: Vec<(PathBuf, String)>,
    busy: bool,
    closed: bool,
    written: Written,
}

struct Desk {
    state: Mutex<State>,
    bell: Condvar,
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of the current game. Its writing happens on a thread of its own.
pub struct PgnFile {
    /// `None`: no files are wanted.
    folder: Option<PathBuf>,
    /// First part of the files' names.
    stem: String,
    current: Option<PathBuf>,
    desk: Arc<Desk>,
}

impl std::fmt::Debug for PgnFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgnFile").field("folder", &self.folder).field("current", &self.current).finish_non_exhaustive()
    }
}

/// Hears how the writing goes, and ends it.
pub struct Writer {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("written", &self.written()).finish_non_exhaustive()
    }
}

impl PgnFile {
    /// Files in `folder` (empty: none), named after `stem` and the time at which their game begins.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(folder: &str, stem: &str) -> io::Result<(Self, Writer)> {
        let desk = Arc::new(Desk { state: Mutex::default(), bell: Condvar::new() });
        let thread = {
            let desk = Arc::clone(&desk);
            std::thread::Builder::new().name("pgn".into()).spawn(move || work(&desk))?
        };
        let stem = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
        let folder = (!folder.is_empty()).then(|| PathBuf::from(folder));
        let file = Self { folder, stem: stem.trim_matches('_').into(), current: None, desk: Arc::clone(&desk) };
        Ok((file, Writer { desk, thread: Some(thread) }))
    }

    /// Where the current game is written; `None` where no files are wanted.
    pub fn path(&mut self) -> Option<PathBuf> {
        if self.current.is_none() {
            let folder = self.folder.as_ref()?;
            let name = format!("{}_{}", self.stem, utc_name(SystemTime::now()));
            // Two games may begin in one second, or two nodes share a folder: an old game is never overwritten.
            self.current = (1_u32..)
                .map(|n| folder.join(if n == 1 { format!("{name}.pgn") } else { format!("{name}_{n}.pgn") }))
                .find(|path| !path.exists() && !self.desk.state().waiting.iter().any(|(p, _)| p == path));
        }
        self.current.clone()
    }

    /// The newest file of this node, by the time in its name, and its text; `None` where there is none.
    ///
    /// # Errors
    /// When the folder or the file cannot be read.
    pub fn latest(&self) -> io::Result<Option<(PathBuf, String)>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries?,
        };
        let mut newest: Option<(u64, u64, PathBuf)> = None;
        for entry in entries {
            let path = entry?.path();
            let Some((time, number)) = path.file_name().and_then(|name| name.to_str()).and_then(|name| self.when(name))
            else {
                continue;
            };
            if newest.as_ref().is_none_or(|(t, n, _)| (time, number) > (*t, *n)) {
                newest = Some((time, number, path));
            }
        }
        let Some((.., path)) = newest else { return Ok(None) };
        let text = fs::read_to_string(&path)?;
        Ok(Some((path, text)))
    }

    /// The time in the name of a file of this node, and which of that second it is.
    fn when(&self, name: &str) -> Option<(u64, u64)> {
        let rest = name.strip_prefix(self.stem.as_str())?.strip_prefix('_')?.strip_suffix(".pgn")?;
        let mut parts = rest.split('_').map(|part| part.parse::<u64>().ok().map(|number| (part.len(), number)));
        let ((8, day), (6, second)) = (parts.next()??, parts.next()??) else { return None };
        let number = parts.next().map_or(Some(1), |number| number.map(|(_, n)| n))?;
        parts.next().is_none().then_some((1_000_000 * day + second, number))
    }

    /// What is written from now on goes to this file.
    pub fn go_on(&mut self, path: PathBuf) {
        self.current = Some(path);
    }

    /// Has `text` written soon, to the file of the current game.
    pub fn write(&mut self, text: &str) {
        let Some(path) = self.path() else { return };
        let mut state = self.desk.state();
        match state.waiting.iter_mut().find(|(p, _)| *p == path) {
            Some((_, waiting)) => text.clone_into(waiting),
            None => state.waiting.push((path, text.to_owned())),
        }
        self.desk.bell.notify_all();
    }

    /// What is written from now on belongs to another game.
    pub fn next_game(&mut self) {
        self.current = None;
    }
}

impl Writer {
    /// How the last writing went.
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
        self.desk.bell.notify_all();
        while (state.busy || !state.waiting.is_empty()) && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            state = self.desk.bell.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let lost = state.waiting.first().map(|(path, _)| format!("{}: {}", path.display(), state.written.error));
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
            state = desk.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.busy = true;
        drop(state);
        let result = write_atomically(&path, &text);
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
                desk.bell.notify_all();
            }
            Err(error) => {
                state.written.error = error.to_string();
                if state.waiting.len() > 1 {
                    state.waiting.rotate_left(1);
                }
                let pause = if state.closed { RETRY / 10 } else { RETRY };
                // Not woken by new text: the disk gets its rest.
                drop(state);
                std::thread::sleep(pause);
                state = desk.state();
            }
        }
    }
}

/// A time as a name that sorts: 20261120_140501, in UTC.
fn utc_name(time: SystemTime) -> String {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let rest = seconds % 86_400;
    let (year, month, day) = Stamp::from_s(seconds as f64).utc_date();
    format!("{year:04}{month:02}{day:02}_{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(folder: &Path) -> Vec<String> {
        let mut texts: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| format!("{} {}", path.file_name().unwrap().display(), fs::read_to_string(&path).unwrap()))
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn names_are_utc() {
        let at = |s| utc_name(SystemTime::UNIX_EPOCH + Duration::from_secs(s));
        assert_eq!(at(0), "19700101_000000");
        assert_eq!(at(951_782_399), "20000228_235959");
        assert_eq!(at(951_782_400), "20000229_000000");
        assert_eq!(at(1_795_183_501), "20261120_140501");
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/game.pgn");
        write_atomically(&path, "1. e4 *").unwrap();
        write_atomically(&path, "1. e4 e5 *").unwrap();
        assert_eq!(games(path.parent().unwrap()), ["game.pgn 1. e4 e5 *"]);
    }

    #[test]
    fn every_game_has_its_own_file_with_its_last_text() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut writer) = PgnFile::new(folder.path().to_str().unwrap(), "/board_1/eye").unwrap();
        for text in ["a", "ab", "abc"] {
            file.write(text);
        }
        file.next_game();
        file.write("d");
        writer.finish(Duration::from_secs(5)).unwrap();
        let texts: Vec<_> = games(folder.path()).iter().map(|g| g.split(' ').nth(1).unwrap().to_owned()).collect();
        assert!(texts == ["abc", "d"] || texts == ["d", "abc"], "{texts:?}");
        assert!(games(folder.path())[0].starts_with("board_1_eye_20"));
    }

    #[test]
    fn the_newest_game_of_this_node_is_found_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut writer) = PgnFile::new(folder.path().to_str().unwrap(), "/eye").unwrap();
        assert_eq!(file.latest().unwrap(), None);
        for name in [
            "eye_20261120_140501.pgn",
            "eye_20261120_140501_2.pgn",
            "eye_20261120_140501_10.pgn",
            "eye_20261119_235959.pgn",
            "eye_2_20261121_000000.pgn",
            "eye_20261121_000000.txt",
            "eye_20261121_0000.pgn",
            "eye_20261121_000000_a.pgn",
            "other_20261122_000000.pgn",
            ".chess_observer_x",
        ] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let (path, text) = file.latest().unwrap().unwrap();
        assert_eq!(text, "eye_20261120_140501_10.pgn");
        file.go_on(path.clone());
        file.write("on");
        writer.finish(Duration::from_secs(5)).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "on");
        // A folder that is none is said.
        let (file, _) = PgnFile::new(folder.path().join("eye_20261121_000000.txt").to_str().unwrap(), "/eye").unwrap();
        assert!(file.latest().is_err());
        let (file, _) = PgnFile::new(folder.path().join("not/yet").to_str().unwrap(), "/eye").unwrap();
        assert_eq!(file.latest().unwrap(), None);
    }

    #[test]
    fn no_folder_means_no_file() {
        let (mut file, mut writer) = PgnFile::new("", "eye").unwrap();
        file.write("a");
        assert_eq!(file.path(), None);
        writer.finish(Duration::from_secs(5)).unwrap();
        assert_eq!(writer.written().count, 0);
    }

    #[test]
    fn what_a_disk_refuses_is_said_and_written_later() {
        let folder = tempfile::tempdir().unwrap();
        // A file where the folder should be: refused for root as well.
        let wanted = folder.path().join("games");
        fs::write(&wanted, "in the way").unwrap();
        let (mut file, mut writer) = PgnFile::new(wanted.to_str().unwrap(), "eye").unwrap();
        file.write("first");
        let begun = Instant::now();
        while writer.written().error.is_empty() && begun.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!writer.written().error.is_empty());
        file.write("second");
        fs::remove_file(&wanted).unwrap();
        writer.finish(Duration::from_secs(5)).unwrap();
        assert!(games(&wanted)[0].ends_with(" second"));
    }

    #[test]
    fn patience_ends_and_the_loss_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("games");
        fs::write(&wanted, "in the way").unwrap();
        let (mut file, mut writer) = PgnFile::new(wanted.to_str().unwrap(), "eye").unwrap();
        file.write("first");
        let error = writer.finish(Duration::from_millis(300)).unwrap_err();
        assert!(error.contains("games/eye_"), "{error}");
    }
}
