//! All boards, and who looks at which of their pictures.
//!
//! Everything is a state with a version. Whoever watches remembers the versions that he was sent and is sent the newest
//! state when he is ready for it; nothing queues.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::sync::watch;

use super::{
    board::Board,
    record::Record,
    words::{BoardWord, Health, Plays, Squares, Word},
};

/// A picture is drawn while somebody has asked for it within this time: three times what a slow page takes to ask again.
const LOOKING: Duration = Duration::from_secs(3);

/// Which picture of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// The camera's, as it came.
    Camera,
    /// The camera's, with what is known drawn in.
    Overlay,
}

impl View {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Camera, Self::Overlay];
}

/// A picture for a page.
#[derive(Debug)]
pub struct Picture {
    /// Counts up.
    pub number: u64,
    /// The picture as JPEG.
    pub jpeg: Vec<u8>,
}

/// One board's states.
struct Entry {
    board: Board,
    version: u64,
    tile: Arc<str>,
    /// When the tile was another one last.
    tile_version: u64,
    pictures: BTreeMap<View, Shown>,
}

struct Shown {
    asked: Instant,
    newest: watch::Sender<Option<Arc<Picture>>>,
}

/// A board's tile as JSON, and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The board's name in addresses.
    pub id: String,
    /// Grows with every change.
    pub version: u64,
    /// What the hall shows.
    pub json: Arc<str>,
}

/// How one board of chess stands: for those who tell programs of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stand {
    /// The board's version.
    pub version: u64,
    /// The game; `None` before the first that can be read.
    pub record: Option<Arc<Record>>,
    /// The legal position as FEN; empty before the first.
    pub fen: String,
    /// Where the board is and what the last look said of it.
    pub place: BoardWord,
    /// How its observer is doing.
    pub health: Health,
}

impl Stand {
    /// Is the board seen, and its observer there?
    #[must_use]
    pub fn responds(&self) -> bool {
        !self.health.gone && self.health.silent.is_empty() && !self.place.lost && !self.fen.is_empty()
    }
}

/// All boards. Cheap to share.
#[derive(Clone)]
pub struct Hall {
    entries: Arc<Mutex<BTreeMap<String, Entry>>>,
    changes: watch::Sender<u64>,
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").field("changes", &*self.changes.borrow()).finish_non_exhaustive()
    }
}

impl Default for Hall {
    fn default() -> Self {
        Self { entries: Arc::default(), changes: watch::Sender::new(0) }
    }
}

impl Hall {
    /// The map is whole after every statement, so a panic elsewhere does not spoil it.
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A board of chess has come, called `id` in addresses and `name` by people. One that is there already stays as it is.
    pub fn open(&self, id: &str, name: &str) {
        self.enter(id, Board::new(name));
    }

    /// A Go board has come. One that is there already stays as it is.
    pub fn open_go(&self, id: &str, name: &str) {
        self.enter(id, Board::of_go(name));
    }

    fn enter(&self, id: &str, board: Board) {
        let mut entries = self.entries();
        // Where the other game is played from now on, nothing of the old one is kept.
        if entries.get(id).is_none_or(|entry| entry.board.plays() != board.plays()) {
            let tile = board.tile(id).to_string().into();
            entries.insert(id.into(), Entry { board, version: 0, tile, tile_version: 0, pictures: BTreeMap::new() });
            drop(entries);
            self.changed(id);
        }
    }

    /// A board tells something. What one that is not there tells is passed over.
    pub fn tell(&self, id: &str, words: impl IntoIterator<Item = Word>) {
        self.change(id, |board| {
            let mut news = false;
            for word in words {
                news |= board.hear(word);
            }
            (news, ())
        });
    }

    /// Somebody has seen to an alarm. False where there is none.
    #[must_use]
    pub(super) fn acknowledge(&self, id: &str, alarm: u64) -> bool {
        let seen = |board: &mut Board| {
            let there = board.acknowledge(alarm);
            (there, there)
        };
        self.change(id, seen).unwrap_or(false)
    }

    /// `change` says whether anything is new, and something else.
    fn change<T>(&self, id: &str, change: impl FnOnce(&mut Board) -> (bool, T)) -> Option<T> {
        let (new, result) = self.entries().get_mut(id).map(|entry| change(&mut entry.board))?;
        if new {
            self.changed(id);
        }
        Some(result)
    }

    fn changed(&self, id: &str) {
        self.changes.send_modify(|changes| {
            *changes += 1;
            if let Some(entry) = self.entries().get_mut(id) {
                let tile = entry.board.tile(id).to_string();
                if *tile != *entry.tile {
                    entry.tile = tile.into();
                    entry.tile_version = *changes;
                }
                entry.version = *changes;
            }
        });
    }

    /// Hears of every change of any board.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The tiles of all boards.
    #[must_use]
    pub(crate) fn tiles(&self) -> Vec<Tile> {
        let tile =
            |(id, e): (&String, &Entry)| Tile { id: id.clone(), version: e.tile_version, json: Arc::clone(&e.tile) };
        self.entries().iter().map(tile).collect()
    }

    /// A board's page as JSON with its version; `None` where there is no such board.
    #[must_use]
    pub(crate) fn page(&self, id: &str) -> Option<(u64, Value)> {
        self.entries().get(id).map(|entry| (entry.version, entry.board.page(id)))
    }

    /// Is there this board?
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.entries().contains_key(id)
    }

    /// A board's version; `None` where there is no such board.
    #[must_use]
    pub fn version(&self, id: &str) -> Option<u64> {
        self.entries().get(id).map(|entry| entry.version)
    }

    /// What is played on a board, and the game's record as text: PGN or SGF.
    #[must_use]
    pub fn text(&self, id: &str) -> Option<(Plays, String)> {
        self.entries().get(id).map(|entry| (entry.board.plays(), entry.board.text().to_owned()))
    }

    /// What is played on a board; `None` where there is no such board.
    #[must_use]
    pub fn plays(&self, id: &str) -> Option<Plays> {
        self.entries().get(id).map(|entry| entry.board.plays())
    }

    /// The names of all boards of chess in addresses, with those by which people call them: programs and rounds know no others.
    #[must_use]
    pub fn chess_names(&self) -> Vec<(String, String)> {
        let entries = self.entries();
        let chess = entries.iter().filter(|(_, entry)| entry.board.plays() == Plays::Chess);
        chess.map(|(id, entry)| (id.clone(), entry.board.name.clone())).collect()
    }

    /// A board's game as it was heard; `None` where there is no such board, or no game yet.
    #[must_use]
    pub fn record(&self, id: &str) -> Option<Arc<Record>> {
        self.entries().get(id).and_then(|entry| entry.board.record().cloned())
    }

    /// How a board of chess stands; `None` where there is no such board.
    #[must_use]
    pub fn stand(&self, id: &str) -> Option<Stand> {
        let entries = self.entries();
        let entry = entries.get(id)?;
        Some(Stand {
            version: entry.version,
            record: entry.board.record().cloned(),
            fen: entry.board.position()?.fen.clone(),
            place: entry.board.place().clone(),
            health: entry.board.health().clone(),
        })
    }

    /// What the last look at a board said of every square; the inner `None` before the first look.
    #[must_use]
    pub fn squares(&self, id: &str) -> Option<Option<Squares>> {
        self.entries().get(id).map(|entry| entry.board.place().squares.clone())
    }

    /// Somebody looks at a picture of a board: what is shown from now on comes through the receiver. `None` where there
    /// is no such board.
    #[must_use]
    pub fn look(&self, id: &str, view: View) -> Option<watch::Receiver<Option<Arc<Picture>>>> {
        let mut entries = self.entries();
        let shown = entries
            .get_mut(id)?
            .pictures
            .entry(view)
            .or_insert_with(|| Shown { asked: Instant::now(), newest: watch::Sender::new(None) });
        shown.asked = Instant::now();
        Some(shown.newest.subscribe())
    }

    /// Does somebody look at this picture?
    #[must_use]
    pub fn is_looked_at(&self, id: &str, view: View) -> bool {
        let entries = self.entries();
        entries.get(id).and_then(|e| e.pictures.get(&view)).is_some_and(|shown| shown.asked.elapsed() < LOOKING)
    }

    /// Shows a picture to those who look.
    pub fn show(&self, id: &str, view: View, jpeg: Vec<u8>) {
        if let Some(shown) = self.entries().get(id).and_then(|entry| entry.pictures.get(&view)) {
            shown.newest.send_modify(|newest| {
                let number = newest.as_ref().map_or(0, |picture| picture.number) + 1;
                *newest = Some(Arc::new(Picture { number, jpeg }));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::words::Health;

    #[test]
    fn a_change_is_heard_and_versions_grow() {
        let hall = Hall::default();
        hall.open("one", "One");
        hall.open("two", "Two");
        let mut changes = hall.watch();
        let before = hall.tiles();
        hall.tell("two", [Word::Health(Health { silent: "no picture".into(), gone: false })]);
        assert!(changes.has_changed().unwrap());
        changes.mark_unchanged();
        let after = hall.tiles();
        assert_eq!(before[0], after[0]);
        assert!(after[1].version > before[1].version && after[1].json.contains("no picture"));
        hall.tell("three", []);
        assert!(!changes.has_changed().unwrap() && !hall.has("three"));
    }

    #[test]
    fn pictures_are_wanted_only_while_somebody_looks() {
        let hall = Hall::default();
        hall.open("one", "One");
        assert!(!hall.is_looked_at("one", View::Camera));
        hall.show("one", View::Camera, vec![1]);
        let mut seen = hall.look("one", View::Camera).unwrap();
        assert!(hall.is_looked_at("one", View::Camera) && !hall.is_looked_at("one", View::Overlay));
        assert!(seen.borrow_and_update().is_none());
        hall.show("one", View::Camera, vec![2]);
        assert_eq!(seen.borrow_and_update().as_ref().map(|p| (p.number, p.jpeg.clone())), Some((1, vec![2])));
        assert!(hall.look("two", View::Camera).is_none());
    }
}
