//! Endings of more men, from Syzygy tables (R. de Man) that the user has: outcomes only, for these tables do not know
//! the distance to mate.

use std::path::Path;

use shakmaty::{Chess, Position as _};
use shakmaty_syzygy::{Tablebase, Wdl};

use super::probe::{Outcome, Probe};
use crate::files;

/// The tables of one folder.
pub struct Syzygy {
    tables: Tablebase<Chess>,
}

impl std::fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Syzygy").field("max_pieces", &self.tables.max_pieces()).finish()
    }
}

/// Why a folder gives no tables, or not all. Play goes on without them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyzygyFault {
    /// It cannot be read.
    #[error(
        "syzygy_directory {directory:?} cannot be read: {reason}; give a folder with .rtbw files, or leave it empty"
    )]
    Unreadable {
        /// As it was given.
        directory: String,
        /// What the system says.
        reason: String,
    },
    /// It can be read, and nothing in it is a table.
    #[error("syzygy_directory {directory:?} holds no Syzygy tables: expected files such as KRPvKR.rtbw")]
    Empty {
        /// As it was given.
        directory: String,
    },
    /// A file has a table's name and cannot be one.
    #[error("syzygy_directory {directory:?}: {reason}; the other tables are used as far as they were read")]
    BadFile {
        /// As it was given.
        directory: String,
        /// What is wrong.
        reason: String,
    },
}

/// A table's name that no regular file has, and why.
fn special(entries: std::fs::ReadDir) -> Option<String> {
    let is_table = |path: &Path| path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz");
    entries.flatten().map(|entry| entry.path()).filter(|path| is_table(path)).find_map(|path| {
        let why = files::check(&path).err()?;
        Some(format!("{} {why}", path.file_name().unwrap_or_default().display()))
    })
}

impl Syzygy {
    /// Looks which tables are in `directory`, not below it. Files are opened when they are asked.
    #[must_use]
    pub fn open(directory: &str) -> (Self, Option<SyzygyFault>) {
        let mut tables = Tablebase::new();
        let path = Path::new(directory);
        // Listed here as well, to tell a folder that cannot be read from a file in it. Who opens a pipe waits for ever.
        let fault = match std::fs::read_dir(path).map(|entries| match special(entries) {
            Some(reason) => Err(std::io::Error::other(reason)),
            None => tables.add_directory(path),
        }) {
            Err(e) => Some(SyzygyFault::Unreadable { directory: directory.into(), reason: e.to_string() }),
            Ok(Err(e)) => Some(SyzygyFault::BadFile { directory: directory.into(), reason: e.to_string() }),
            Ok(Ok(0)) => Some(SyzygyFault::Empty { directory: directory.into() }),
            Ok(Ok(_)) => None,
        };
        (Self { tables }, fault)
    }

    /// The outcome for the side to move under the rule of fifty moves, counted from here; the distance is unknown, and
    /// `best` are the moves that keep the outcome. `None` where a table is missing or damaged, with more men than any
    /// table has, and while castling is possible.
    #[must_use]
    pub fn probe(&self, position: &Chess) -> Option<Probe> {
        let outcome = self.outcome(position)?;
        let best = position.legal_moves().into_iter().filter(|&mv| {
            let mut next = position.clone();
            next.play_unchecked(mv);
            let kept = match outcome {
                Outcome::Win => Outcome::Loss,
                Outcome::Draw => Outcome::Draw,
                Outcome::Loss => Outcome::Win,
            };
            self.outcome(&next) == Some(kept)
        });
        Some(Probe { outcome, distance: None, best: best.collect() })
    }

    /// The outcome alone.
    #[must_use]
    pub fn outcome(&self, position: &Chess) -> Option<Outcome> {
        if position.board().occupied().count() > self.tables.max_pieces() || position.castles().any() {
            return None;
        }
        match self.tables.probe_wdl_after_zeroing(position).ok()? {
            Wdl::Win => Some(Outcome::Win),
            Wdl::Loss => Some(Outcome::Loss),
            // Mate would come after the rule of fifty moves allows a claim.
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Some(Outcome::Draw),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    const ROOK_AND_PAWN: &str = "8/8/5k2/8/8/1r6/3P4/3KR3 w - - 0 1";

    #[test]
    fn a_folder_without_tables_is_told_and_harms_nothing() {
        let (tables, fault) = Syzygy::open("/no/such/folder");
        assert!(matches!(&fault, Some(SyzygyFault::Unreadable { .. })), "{fault:?}");
        assert!(fault.unwrap().to_string().contains("/no/such/folder"));
        assert_eq!(tables.probe(&position(ROOK_AND_PAWN)), None);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        std::fs::write(folder.path().join("readme.txt"), "tables").unwrap();
        assert_eq!(Syzygy::open(&path).1, Some(SyzygyFault::Empty { directory: path }));
    }

    /// Files with a table's name and anything inside: told, or passed over when asked.
    #[test]
    fn damaged_tables_are_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let file = folder.path().join("KRPvKR.rtbw");
        // Sizes of tables are 16 more than a multiple of 64.
        std::fs::write(&file, vec![0x5a; 64 + 16]).unwrap();
        let (tables, fault) = Syzygy::open(&path);
        assert_eq!((fault, tables.probe(&position(ROOK_AND_PAWN))), (None, None));
        std::fs::write(&file, "short").unwrap();
        let (tables, fault) = Syzygy::open(&path);
        assert!(matches!(fault, Some(SyzygyFault::BadFile { .. })), "{fault:?}");
        assert_eq!(tables.probe(&position(ROOK_AND_PAWN)), None);
        assert_eq!(tables.probe(&Chess::default()), None);
    }
}
