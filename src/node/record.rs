//! The game's record: what was published of it, and whether the disk has it.

use r2r::chess_observer::msg::Warning;

use super::{disk::Saved, game_file::GameFile};

/// The record of the game as it was published last.
#[derive(Debug, Default)]
pub struct Record {
    text: String,
    /// Games before this one that have got their file.
    finished: usize,
    /// Has the disk not taken what was told last?
    unsaved: bool,
}

impl Record {
    /// A record that says this, and is told already.
    #[must_use]
    pub fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// The game as it was last published.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts what is new in the record on its way to the disk: `now` says what it is, `finished` what all games before were,
    /// and of these `begun` were followed by another one since. `worth` says whether the game is worth a file. Returns the
    /// games that are to be published, oldest first.
    pub fn save(
        &mut self,
        file: &mut GameFile,
        now: String,
        (finished, begun): (&[String], usize),
        worth: impl FnOnce(&GameFile) -> bool,
    ) -> Vec<String> {
        let mut records = Vec::new();
        for _ in 0..begun {
            // Its last ply may be as new as the game after it.
            if let Some(old) = finished.get(self.finished) {
                self.finished += 1;
                if *old != self.text {
                    file.write(old);
                    records.push(old.clone());
                }
            }
            file.next_game();
        }
        if now != self.text {
            if worth(file) {
                file.write(&now);
            }
            records.push(now.clone());
            self.text = now;
        }
        records
    }

    /// Waits until the disk has what is new. What is to be said of it: once that what was told is not saved, and once that
    /// it is.
    pub fn settle(&mut self, file: &GameFile, is_new: bool) -> Option<Warning> {
        let saved = match is_new {
            true => Some(file.settle()),
            false => (self.unsaved && file.is_settled()).then_some(Saved::All),
        }?;
        let unsaved = saved != Saved::All;
        if unsaved == self.unsaved {
            return None;
        }
        self.unsaved = unsaved;
        let (kind, text) = match saved {
            Saved::All => (Warning::KIND_SAVED as u8, "The game is saved again.".to_owned()),
            Saved::NotYet(why) => {
                (Warning::KIND_NOT_SAVED as u8, format!("What is told now is not saved: {why}. It is tried again."))
            }
        };
        Some(Warning { kind, text, ..Warning::default() })
    }
}
