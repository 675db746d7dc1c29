//! From events to the game as it was finally read: all moves, less what was taken back, as revised.

use crate::event::Event;

/// A ply of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPly {
    /// The move as UCI.
    pub uci: String,
    /// Number of the picture at which the record came to say so.
    pub since: usize,
}

/// The record that grows with the events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    plies: Vec<ReadPly>,
    finished: Vec<Vec<ReadPly>>,
    result: Option<String>,
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
                self.plies.push(ReadPly { uci: uci.clone(), since: frame });
            }
            Event::Revised { ply, was, uci, .. } => match ply.checked_sub(1).and_then(|i| self.plies.get_mut(i)) {
                Some(read) => {
                    if read.uci != *was {
                        self.contradictions
                            .push(format!("picture {frame}: ply {ply} revised from {was}, but it was {}", read.uci));
                    }
                    *read = ReadPly { uci: uci.clone(), since: frame };
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
            Event::Result { result, .. } => self.result = Some(result.clone()).filter(|r| r != "*"),
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

    /// `1-0`, `0-1` or `1/2-1/2`; `None` while the game goes on.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }

    /// Events that do not fit the record as told so far, in words; empty for an observer without faults.
    #[must_use]
    pub fn contradictions(&self) -> &[String] {
        &self.contradictions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(ply: usize, uci: &str) -> Event {
        Event::Move { ply, uci: uci.into(), san: String::new(), fen: String::new(), confidence: 1.0 }
    }

    fn revised(ply: usize, was: &str, uci: &str) -> Event {
        Event::Revised { ply, was: was.into(), uci: uci.into(), san: String::new(), fen: String::new() }
    }

    fn read(events: &[Event]) -> (Vec<String>, Vec<String>) {
        let mut line = Line::default();
        events.iter().enumerate().for_each(|(frame, event)| line.push(frame, event));
        (line.plies().iter().map(|p| format!("{}@{}", p.uci, p.since)).collect(), line.contradictions().to_vec())
    }

    #[test]
    fn moves_are_revised_and_taken_back() {
        let back = Event::TakeBack { ply: 3, fen: String::new() };
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
        let new = || Event::NewGame { fen: String::new() };
        assert_eq!(read(&[played(1, "e2e4"), new()]).0, ["e2e4@0"]);
        assert_eq!(read(&[played(1, "e2e4"), new(), played(1, "d2d4")]).0, ["d2d4@2"]);
    }

    #[test]
    fn contradictions_are_told() {
        let back = Event::TakeBack { ply: 1, fen: String::new() };
        let (plies, wrong) =
            read(&[played(2, "e7e5"), revised(1, "a2a3", "a2a4"), revised(3, "x", "y"), back.clone(), back]);
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
        let result = |r: &str| Event::Result { result: r.into(), reason: String::new() };
        line.push(0, &result("1-0"));
        assert_eq!(line.result(), Some("1-0"));
        line.push(1, &result("*"));
        assert_eq!(line.result(), None);
    }
}
