//! The file of each game: what it is called, which one a restart goes on with, and when it is safe.

use std::{
    fmt, fs, io,
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{
    disk::{Desk, Saved, Writer},
    log::Log,
};
use crate::{files, frame::Stamp};

/// How long a move waits for the disk before it is told unsaved. A card that is busy takes some tenths of a second for
/// a sync; longer than this, players would notice, and pictures wait as well.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long somebody who asks for the file waits for it: as long as most clients wait for a service.
const ASKED_PATIENCE: Duration = Duration::from_secs(5);
/// Longest name that a request may give to a file, in bytes: file systems allow 255, and some are for the file aside.
const LONGEST_NAME: usize = 200;

/// In which form games are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Chess.
    Pgn,
    /// Go.
    Sgf,
}

impl Form {
    /// The ending of its files, the topic on which it is told, and what the parameter with the folder begins with.
    const fn word(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Sgf => "sgf",
        }
    }

    fn ending(self) -> String {
        format!(".{}", self.word())
    }
}

/// The file of the current game.
#[derive(Debug)]
pub struct GameFile {
    form: Form,
    /// `None`: no files are wanted.
    folder: Option<PathBuf>,
    /// First part of the files' names.
    stem: String,
    current: Option<PathBuf>,
    /// The highest name so far: time and number.
    newest: Option<(u64, u32)>,
    desk: Desk,
}

/// A copy of the game that somebody asked for, to be written off the observing thread.
#[derive(Debug)]
pub struct Copy {
    path: PathBuf,
    text: String,
    how: How,
}

#[derive(Debug)]
enum How {
    /// The game's own file: it waits at the desk already.
    Own(Desk),
    /// A new file.
    New,
    /// Whatever the user may write, in place of a file of that name.
    Anywhere,
}

impl GameFile {
    /// Files of this form in `folder` (empty: none), named after `stem` and the time at which their game begins.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(form: Form, folder: &str, stem: &str) -> io::Result<(Self, Writer)> {
        let (desk, writer) = Desk::new()?;
        let stem = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
        let folder = (!folder.is_empty()).then(|| PathBuf::from(folder));
        let stem = stem.trim_matches('_').into();
        Ok((Self { form, folder, stem, current: None, newest: None, desk }, writer))
    }

    /// Makes the folder where it is missing.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn make_folder(&self) -> io::Result<()> {
        self.folder.as_ref().map_or(Ok(()), fs::create_dir_all)
    }

    /// Where the current game is written, behind the words "its PGN" or "its SGF".
    #[must_use]
    pub(super) fn goes_to(&self) -> String {
        match (&self.current, &self.folder) {
            (Some(path), _) => format!("is in {}", path.display()),
            (None, Some(folder)) => format!("will be a file in {}", folder.display()),
            (None, None) => {
                let word = self.form.word();
                format!("is only on the topic {word}: {word}_directory is empty")
            }
        }
    }

    /// Where the current game is written; `None` where no files are wanted.
    ///
    /// The newest game has the highest name, whatever the clock says: where it went back, the highest time goes on.
    /// And an old game is never overwritten, though two games begin in one second, or two nodes share a folder.
    pub fn path(&mut self) -> Option<PathBuf> {
        if self.current.is_none() {
            let folder = self.folder.clone()?;
            let there = self.newest_there().ok().flatten().map(|(time, number, _)| (time, number));
            let (now, newest) = (time_in_name(SystemTime::now()), there.max(self.newest));
            let (time, first) =
                newest.filter(|(time, _)| *time >= now).map_or((now, 1), |(t, n)| (t, n.saturating_add(1)));
            let named = |number| (number, folder.join(name(&self.stem, time, number, self.form)));
            let free = |path: &Path| !path.exists() && !self.desk.has(path);
            let (number, path) = (first..=u32::MAX).map(named).find(|(_, path)| free(path))?;
            (self.newest, self.current) = (Some((time, number)), Some(path));
        }
        self.current.clone()
    }

    /// The newest file of this node, by its name, and its text; `None` where there is none.
    ///
    /// # Errors
    /// When the folder or the file cannot be read.
    fn latest(&self) -> io::Result<Option<(PathBuf, String)>> {
        let Some((.., path)) = self.newest_there()? else { return Ok(None) };
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        let text = files::text(&path, files::LARGEST_TABLE).map_err(named)?;
        Ok(Some((path, text)))
    }

    /// Time, number and path of the file with the highest name.
    fn newest_there(&self) -> io::Result<Option<(u64, u32, PathBuf)>> {
        let mut newest: Option<(u64, u32, PathBuf)> = None;
        for path in self.paths()? {
            let when = path.file_name().and_then(|name| name.to_str()).and_then(|name| self.when(name));
            if let Some((time, number)) = when
                && newest.as_ref().is_none_or(|(t, n, _)| (time, number) > (*t, *n))
            {
                newest = Some((time, number, path));
            }
        }
        Ok(newest)
    }

    /// Everything in the folder.
    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            entries => entries?.map(|entry| entry.map(|e| e.path())).collect(),
        }
    }

    /// Removes what a killed node of this name has left half written.
    pub fn tidy(&self) {
        if let Some(folder) = &self.folder {
            files::tidy(folder, |name| self.when(name).is_some());
        }
    }

    /// The time in the name of a file of this node, and which of that second it is.
    fn when(&self, name: &str) -> Option<(u64, u32)> {
        let rest = name.strip_prefix(self.stem.as_str())?.strip_prefix('_')?.strip_suffix(&self.form.ending())?;
        let mut parts = rest.split('_');
        let mut digits = |wanted: usize| {
            let part = parts.next().filter(|part| part.len() == wanted)?;
            part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u64>().ok())?
        };
        let (day, second) = (digits(8)?, digits(6)?);
        let number = parts.next().map_or(Some(1), |number| number.parse().ok())?;
        parts.next().is_none().then_some((1_000_000 * day + second, number))
    }

    /// Goes on with the newest game in the folder, if somebody takes it up from its text, and says how far it has come ("3
    /// plies"). The log tells what became of it. False where there is none, or it is not taken up.
    pub fn resume<E: fmt::Display>(&mut self, log: &Log, take_up: impl FnOnce(&str) -> Result<String, E>) -> bool {
        let (path, text) = match self.latest() {
            Ok(Some(latest)) => latest,
            Ok(None) => return false,
            Err(error) => {
                log.warn(&format!("no game to go on with can be read: {error}"));
                return false;
            }
        };
        match take_up(&text) {
            Ok(so_far) => {
                log.info(&format!("the game of {} goes on: {so_far}", path.display()));
                self.go_on(path);
                true
            }
            Err(error) => {
                log.info(&format!("the game of {} does not go on: {error}", path.display()));
                false
            }
        }
    }

    /// What is written from now on goes to this file.
    fn go_on(&mut self, path: PathBuf) {
        self.current = Some(path);
    }

    /// Has `text` written soon, to the file of the current game.
    pub fn write(&mut self, text: &str) {
        if let Some(path) = self.path() {
            self.desk.put(path, text);
        }
    }

    /// Has something been written to the file of the current game, or been chosen to go there?
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.current.is_some()
    }

    /// Waits until everything is on the disk, as long as a move may wait.
    #[must_use]
    pub fn settle(&self) -> Saved {
        self.desk.settle(PATIENCE)
    }

    /// Is everything on the disk?
    #[must_use]
    pub(super) fn is_settled(&self) -> bool {
        self.desk.is_settled()
    }

    /// What is written from now on belongs to another game.
    pub(crate) fn next_game(&mut self) {
        self.current = None;
    }

    /// Prepares what a request for a copy of `text` asks: `request` is empty for the game's own file, or the name of a new
    /// file in the folder; any path where `anywhere` allows it.
    ///
    /// # Errors
    /// Why there cannot be such a copy.
    pub(crate) fn copy(&mut self, request: &str, text: &str, anywhere: bool) -> Result<Copy, String> {
        let copy = |path, how| Ok(Copy { path, text: text.to_owned(), how });
        let (own, folder_is) = (self.path(), format!("{}_directory", self.form.word()));
        if request.is_empty() || own.as_deref() == Some(Path::new(request)) {
            let path = own.ok_or_else(|| format!("no name was given and the parameter {folder_is} is empty"))?;
            self.desk.put(path.clone(), text);
            return copy(path, How::Own(self.desk.clone()));
        }
        if anywhere && Path::new(request).is_absolute() {
            return copy(request.into(), How::Anywhere);
        }
        let name = file_name(request, self.form)?;
        let empty = || format!("files are saved in {folder_is}, and that parameter is empty");
        let folder = self.folder.as_ref().ok_or_else(empty)?;
        copy(folder.join(name), How::New)
    }
}

/// A request's name for a file, with the form's ending where it has none.
fn file_name(request: &str, form: Form) -> Result<String, String> {
    let mut parts = Path::new(request).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == request);
    if !plain || request.starts_with('.') || request.chars().any(char::is_control) || request.len() > LONGEST_NAME {
        return Err(format!(
            "expected the name of a new file in {}_directory (no path, no leading dot, at most {LONGEST_NAME} bytes), got {request:?}",
            form.word()
        ));
    }
    Ok(if Path::new(request).extension().is_some() { request.into() } else { format!("{request}.{}", form.word()) })
}

impl Copy {
    /// Writes it, and waits for that.
    ///
    /// # Errors
    /// The text names the file and what is wrong.
    pub fn carry_out(self) -> Result<PathBuf, String> {
        let done = match &self.how {
            How::Own(desk) => match desk.settle(ASKED_PATIENCE) {
                Saved::All => Ok(()),
                Saved::NotYet(why) => Err(format!("{why}; it is tried again")),
            },
            How::New => fs::create_dir_all(files::folder_of(&self.path))
                .and_then(|()| files::create(&self.path, self.text.as_bytes()))
                .map_err(|e| e.to_string()),
            How::Anywhere => match fs::symlink_metadata(&self.path) {
                Ok(there) if !there.is_file() => Err("it is there and no regular file".into()),
                _ if !self.path.parent().is_some_and(Path::is_dir) => Err("its folder is not there".into()),
                _ => files::replace(&self.path, self.text.as_bytes()).map_err(|e| e.to_string()),
            },
        };
        done.map_err(|e| format!("cannot write {}: {e}", self.path.display()))?;
        Ok(self.path)
    }
}

/// A time as a number that sorts, as it stands in names: 20261120140501, in UTC.
fn time_in_name(time: SystemTime) -> u64 {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (rest, (year, month, day)) = (seconds % 86_400, Stamp::from_s(seconds as f64).utc_date());
    let date = (10_000 * year + 100 * month + day).unsigned_abs();
    1_000_000 * date + 10_000 * (rest / 3600) + 100 * (rest / 60 % 60) + rest % 60
}

/// Name of the file of the game that began at `time`, the `number`th of that second.
fn name(stem: &str, time: u64, number: u32, form: Form) -> String {
    let number = if number == 1 { String::new() } else { format!("_{number}") };
    format!("{stem}_{:08}_{:06}{number}.{}", time / 1_000_000, time % 1_000_000, form.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> (GameFile, Writer) {
        GameFile::new(Form::Pgn, folder.to_str().unwrap(), "/eye").unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn names_are_utc() {
        let at = |s| name("eye", time_in_name(SystemTime::UNIX_EPOCH + Duration::from_secs(s)), 1, Form::Pgn);
        assert_eq!(at(0), "eye_19700101_000000.pgn");
        assert_eq!(at(951_782_399), "eye_20000228_235959.pgn");
        assert_eq!(at(951_782_400), "eye_20000229_000000.pgn");
        assert_eq!(at(1_795_183_501), "eye_20261120_140501.pgn");
        assert_eq!(name("eye", 20_261_120_140_501, 3, Form::Pgn), "eye_20261120_140501_3.pgn");
    }

    #[test]
    fn every_game_has_its_own_file_with_its_last_text() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut writer) = GameFile::new(Form::Pgn, folder.path().to_str().unwrap(), "/board_1/eye").unwrap();
        for text in ["a", "ab", "abc"] {
            file.write(text);
        }
        file.next_game();
        file.write("d");
        writer.finish(Duration::from_secs(5)).unwrap();
        let names = names(folder.path());
        // The second game has the higher name, though both began in one second.
        let texts: Vec<_> = names.iter().map(|n| fs::read_to_string(folder.path().join(n)).unwrap()).collect();
        assert_eq!(texts.len(), 2);
        assert!(names.iter().all(|n| n.starts_with("board_1_eye_20")), "{names:?}");
        assert_eq!(file.latest().unwrap().unwrap().1, "d");
    }

    #[test]
    fn the_newest_game_of_this_node_is_found_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut writer) = files(folder.path());
        assert_eq!(file.latest().unwrap(), None);
        for name in [
            "eye_20261120_140501.pgn",
            "eye_20261120_140501_2.pgn",
            "eye_20261120_140501_10.pgn",
            "eye_20261119_235959.pgn",
            "eye_2_20261121_000000.pgn",
            "eye_20261121_000000.txt",
            "eye_20261121_0000.pgn",
            "eye_+2026112_000000.pgn",
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
        let (file, _) = files(&folder.path().join("eye_20261121_000000.txt"));
        assert!(file.latest().is_err());
        let (file, _) = files(&folder.path().join("not/yet"));
        assert_eq!(file.latest().unwrap(), None);
    }

    #[test]
    fn after_the_clock_went_back_the_newest_game_still_has_the_highest_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("eye_20991231_235959.pgn"), "old").unwrap();
        for (number, text) in [(2, "new"), (3, "newer")] {
            let (mut file, mut writer) = files(folder.path());
            file.write(text);
            writer.finish(Duration::from_secs(5)).unwrap();
            let (path, latest) = file.latest().unwrap().unwrap();
            assert_eq!(path, folder.path().join(format!("eye_20991231_235959_{number}.pgn")));
            assert_eq!(latest, text);
        }
        // Games that the disk has not taken yet count as well.
        let (mut file, _writer) = files(&folder.path().join("eye_20991231_235959.pgn"));
        let first = file.path().unwrap();
        file.next_game();
        assert!(file.path().unwrap() > first);
    }

    #[test]
    fn only_a_file_is_gone_on_with_and_nobody_waits_for_another_thing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("eye_20991231_235959.pgn");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (mut file, mut writer) = files(folder.path());
        let says = file.latest().unwrap_err().to_string();
        assert_eq!(says, format!("{}: is a pipe, expected a file to read", path.display()));
        // The next game gets a name of its own.
        file.write("new");
        writer.finish(Duration::from_secs(5)).unwrap();
        assert_eq!(file.latest().unwrap().unwrap().1, "new");
    }

    #[test]
    fn the_highest_number_of_all_does_not_overflow() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("eye_99999999_999999_{}.pgn", u32::MAX)), "").unwrap();
        let (mut file, _writer) = files(folder.path());
        assert_eq!(file.path(), None);
    }

    #[test]
    fn what_a_killed_node_left_half_written_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ["eye_20261120_140501.pgn", ".eye_2_20261120_140501.pgn.x8Rt2a.tmp", ".eye_notes.pgn.x8Rt2a.tmp"];
        let left = [".eye_20261120_140501.pgn.x8Rt2a.tmp", ".eye_20261120_140501_2.pgn.00aaZZ.tmp"];
        for name in kept.iter().chain(&left) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        files(folder.path()).0.tidy();
        let mut kept = kept.map(str::to_owned);
        kept.sort();
        assert_eq!(names(folder.path()), kept);
    }

    #[test]
    fn where_a_game_goes_is_said() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("club/games");
        let (mut file, _writer) = files(&folder);
        file.make_folder().unwrap();
        assert!(folder.is_dir());
        assert_eq!(file.goes_to(), format!("will be a file in {}", folder.display()));
        let path = file.path().unwrap();
        assert_eq!(file.goes_to(), format!("is in {}", path.display()));
        let (none, _writer) = GameFile::new(Form::Pgn, "", "eye").unwrap();
        none.make_folder().unwrap();
        assert_eq!(none.goes_to(), "is only on the topic pgn: pgn_directory is empty");
    }

    #[test]
    fn no_folder_means_no_file() {
        let (mut file, mut writer) = GameFile::new(Form::Pgn, "", "eye").unwrap();
        file.write("a");
        assert_eq!((file.path(), file.settle()), (None, Saved::All));
        writer.finish(Duration::from_secs(5)).unwrap();
        assert_eq!(writer.written().count, 0);
        let refused = |file: &mut GameFile, request: &str| file.copy(request, "a", false).unwrap_err();
        assert_eq!(refused(&mut file, ""), "no name was given and the parameter pgn_directory is empty");
        assert_eq!(refused(&mut file, "x"), "files are saved in pgn_directory, and that parameter is empty");
    }

    #[test]
    fn a_copy_stays_in_the_folder_and_replaces_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("games");
        let (mut file, _writer) = files(&folder);
        let mut save = |request: &str, text: &str| file.copy(request, text, false).and_then(Copy::carry_out);
        assert_eq!(save("final", "a").unwrap(), folder.join("final.pgn"));
        assert_eq!(save("round 1.txt", "b").unwrap(), folder.join("round 1.txt"));
        assert!(save("final.pgn", "c").unwrap_err().ends_with("File exists (os error 17)"));
        let long = "x".repeat(201);
        for bad in ["/tmp/x.pgn", "../x.pgn", "a/b", "a/", "./a", "..", ".", ".hidden", "a\n", "/", &long] {
            let error = save(bad, "d").unwrap_err();
            assert!(error.starts_with("expected the name of a new file in pgn_directory"), "{bad:?}: {error}");
        }
        let own = save("", "e").unwrap();
        assert_eq!((own.parent(), fs::read_to_string(&own).unwrap()), (Some(folder.as_path()), "e".into()));
        assert_eq!(fs::read_to_string(folder.join("final.pgn")).unwrap(), "a");
        assert_eq!((names(&folder).len(), names(parent.path()).len()), (3, 1));
    }

    #[test]
    fn where_it_is_allowed_a_copy_goes_anywhere_but_over_what_is_no_file() {
        let parent = tempfile::tempdir().unwrap();
        let (mut file, _writer) = files(&parent.path().join("games"));
        let mut save = |path: &Path| file.copy(path.to_str().unwrap(), "a", true).and_then(Copy::carry_out);
        let (path, link) = (parent.path().join("x.pgn"), parent.path().join("link.pgn"));
        save(&path).unwrap();
        save(&path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(save(&link).unwrap_err().ends_with("it is there and no regular file"));
        assert!(save(Path::new("/dev/null")).unwrap_err().ends_with("it is there and no regular file"));
        assert!(save(Path::new("../x.pgn")).unwrap_err().starts_with("expected the name"));
    }
}
