//! From events to the game as it was finally read: all moves, less what was taken back, as revised. Whoever keeps the
//! record by the events alone reads them so; the tests see that they never contradict one another.

use shakmaty::{KnownOutcome, uci::UciMove};

use super::Event;

/// A ply of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadPly {
    /// The move as UCI.
    pub uci: UciMove,
    /// Number of the picture at which the record came to say so.
    pub since: usize,
}

/// The record that grows with the events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    plies: Vec<ReadPly>,
    finished: Vec<Vec<ReadPly>>,
    result: Option<KnownOutcome>,
    contradictions: Vec<String>,
}

impl Line {
    /// Takes in one event of the picture `frame`.
    pub fn push(&mut self, frame: usize, event: &Event) {
        match event {
            Event::Move { ply, uci, .. } => {
                if *ply != self.plies.len() + 1 {
                    self.contradictions
                        .push(format!("picture {frame}: move {uci} as ply {ply} after {} plies", self.plies.len()));
                }
                self.plies.truncate(ply.saturating_sub(1));
                self.plies.push(ReadPly { uci: *uci, since: frame });
            }
            Event::Revised { ply, was, uci, .. } => match ply.checked_sub(1).and_then(|i| self.plies.get_mut(i)) {
                Some(read) => {
                    if read.uci != *was {
                        self.contradictions
                            .push(format!("picture {frame}: ply {ply} revised from {was}, but it was {}", read.uci));
                    }
                    *read = ReadPly { uci: *uci, since: frame };
                }
                None => self.contradictions.push(format!("picture {frame}: ply {ply} revised before it was played")),
            },
            Event::TakeBack { ply, .. } => {
                if *ply != self.plies.len() {
                    self.contradictions
                        .push(format!("picture {frame}: ply {ply} taken back after {} plies", self.plies.len()));
                }
                self.plies.truncate(ply.saturating_sub(1));
            }
            Event::NewGame { .. } => {
                let plies = std::mem::take(&mut self.plies);
                if !plies.is_empty() {
                    self.finished.push(plies);
                }
                self.result = None;
            }
            Event::Result { result, .. } => self.result = result.known(),
            _ => {}
        }
    }

    /// The game's plies: of the last game in which anything was played.
    #[must_use]
    pub fn plies(&self) -> &[ReadPly] {
        match self.finished.last() {
            Some(last) if self.plies.is_empty() => last,
            _ => &self.plies,
        }
    }

    /// Who has won; `None` while the game goes on.
    #[must_use]
    pub const fn result(&self) -> Option<KnownOutcome> {
        self.result
    }

    /// Events that do not fit the record as told so far, in words; empty for an observer without faults.
    #[must_use]
    pub fn contradictions(&self) -> &[String] {
        &self.contradictions
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Outcome, fen::Fen, san::SanPlus};

    use super::*;
    use crate::event::ending::Ending;

    fn played(ply: usize, uci: &str) -> Event {
        Event::Move { ply, uci: uci.parse().unwrap(), san: san(), fen: Fen::default(), confidence: 1.0 }
    }

    fn san() -> SanPlus {
        "e4".parse().unwrap()
    }

    fn revised(ply: usize, was: &str, uci: &str) -> Event {
        let (was, uci) = (was.parse().unwrap(), uci.parse().unwrap());
        Event::Revised { ply, was, uci, san: san(), fen: Fen::default() }
    }

    fn read(events: &[Event]) -> (Vec<String>, Vec<String>) {
        let mut line = Line::default();
        events.iter().enumerate().for_each(|(frame, event)| line.push(frame, event));
        (line.plies().iter().map(|p| format!("{}@{}", p.uci, p.since)).collect(), line.contradictions().to_vec())
    }

    #[test]
    fn moves_are_revised_and_taken_back() {
        let back = Event::TakeBack { ply: 3, fen: Fen::default() };
        let events = [
            played(1, "e2e4"),
            played(2, "e7e5"),
            revised(1, "e2e4", "d2d4"),
            played(3, "g1f3"),
            back,
            played(3, "b1c3"),
        ];
        let (plies, wrong) = read(&events);
        assert_eq!(plies, ["d2d4@2", "e7e5@1", "b1c3@5"]);
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn the_last_game_counts_unless_nothing_was_played_in_it() {
        let new = || Event::NewGame { fen: Fen::default() };
        assert_eq!(read(&[played(1, "e2e4"), new()]).0, ["e2e4@0"]);
        assert_eq!(read(&[played(1, "e2e4"), new(), played(1, "d2d4")]).0, ["d2d4@2"]);
    }

    #[test]
    fn contradictions_are_told() {
        let back = Event::TakeBack { ply: 1, fen: Fen::default() };
        let (plies, wrong) =
            read(&[played(2, "e7e5"), revised(1, "a2a3", "a2a4"), revised(3, "a2a3", "a2a4"), back.clone(), back]);
        assert_eq!(plies, [""; 0]);
        assert_eq!(
            wrong,
            [
                "picture 0: move e7e5 as ply 2 after 0 plies",
                "picture 1: ply 1 revised from a2a3, but it was e7e5",
                "picture 2: ply 3 revised before it was played",
                "picture 4: ply 1 taken back after 0 plies",
            ]
        );
    }

    #[test]
    fn a_withdrawn_result_is_none() {
        let mut line = Line::default();
        let result = |result: Outcome| Event::Result { result, reason: Ending::SetByHand };
        line.push(0, &result(Outcome::Known(KnownOutcome::Draw)));
        assert_eq!(line.result(), Some(KnownOutcome::Draw));
        line.push(1, &result(Outcome::Unknown));
        assert_eq!(line.result(), None);
    }
}
