//! Play that went by unread, and whether the observer said so.
//!
//! A ply is read when the record shows the position after it, or a later one that stood on the board. From the moment
//! in which a man is let go until then the play is *unread*; it is the same stretch as long as no ply is read. So in
//! quick play, where the record is one ply behind all the time, every stretch has one ply.

use chess_observer::{event::Event, game::start::Start};
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Position as _, uci::UciMove};

use super::{latency::made, truth::Truth};

/// From so many plies on a stretch is a stall: one ply may be on its way and the answer under the next hand.
pub const STALL_PLIES: usize = 3;

/// A stretch of play that went by unread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Number of its first ply, 1 for the first of the game.
    pub ply: usize,
    /// Plies that were played in it.
    pub plies: usize,
    /// Seconds from when the first man was let go until a ply was read, or to the end; where the times are known.
    pub seconds: Option<f64>,
    /// Did the observer say that it is at a loss: uncertain, an illegal change, or a board that is lost?
    pub said: bool,
}

impl Stretch {
    /// Is it a stall?
    #[must_use]
    pub const fn is_stall(&self) -> bool {
        self.plies >= STALL_PLIES
    }

    /// The worse of two: more plies, else more seconds.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let size = |s: &Self| (s.plies, s.seconds.unwrap_or(0.0));
        if size(&other) > size(&self) { other } else { self }
    }

    /// `5 plies, 12.3 s, silent`.
    #[must_use]
    pub fn text(&self) -> String {
        let seconds = self.seconds.map_or_else(String::new, |s| format!(", {s:.1} s"));
        let plies = if self.plies == 1 { "1 ply".into() } else { format!("{} plies", self.plies) };
        format!("{plies}{seconds}, {}", if self.said { "said so" } else { "silent" })
    }
}

/// The record's position, as the events tell it.
struct Record {
    start: Start,
    plies: Vec<UciMove>,
    board: Board,
}

impl Record {
    fn new(start: Start) -> Self {
        Self { board: start.position().board().clone(), start, plies: vec![] }
    }

    fn push(&mut self, event: &Event) {
        match event {
            Event::Move { ply, uci, .. } => {
                self.plies.truncate(ply.saturating_sub(1));
                self.plies.push(*uci);
            }
            Event::Revised { ply, uci, .. } => match ply.checked_sub(1).and_then(|i| self.plies.get_mut(i)) {
                Some(was) => *was = *uci,
                None => return,
            },
            Event::TakeBack { ply, .. } => self.plies.truncate(ply.saturating_sub(1)),
            Event::NewGame { fen } => *self = Self::new(Start::from_fen(&fen.to_string()).unwrap_or_default()),
            _ => return,
        }
        let mut position = self.start.position().clone();
        for uci in &self.plies {
            let Ok(m) = uci.to_move(&position) else { break };
            position.play_unchecked(m);
        }
        self.board = position.board().clone();
    }
}

/// Every stretch of play that went by unread in which at least one ply was played before another was read, in their
/// order.
#[must_use]
pub fn unread(truth: &Truth, events: &[(usize, Event)]) -> Vec<Stretch> {
    let (boards, made) = (truth.boards(), made(truth));
    let start = truth.start_fen.as_deref().and_then(|fen| Start::from_fen(fen).ok()).unwrap_or_default();
    let mut record = Record::new(start);
    let mut events = events.iter().peekable();
    let (mut read, mut lost) = (0, false);
    // Pictures at which the observer says that it is at a loss, and the stretch that goes on: first picture, plies.
    let mut says: Vec<bool> = Vec::with_capacity(truth.rows.len());
    let mut open: Option<(usize, usize)> = None;
    let mut all = vec![];
    let mut close = |open: Option<(usize, usize)>, read: usize, end: usize, says: &[bool]| {
        if let Some((from, plies)) = open {
            let said = says.get(from..=end).is_some_and(|says| says.contains(&true));
            all.push(Stretch { ply: read + 1, plies, seconds: truth.seconds(from, end), said });
        }
    };
    for (picture, row) in truth.rows.iter().enumerate() {
        let mut speaks = false;
        while let Some((_, event)) = events.next_if(|(at, _)| *at <= picture) {
            record.push(event);
            lost = match event {
                Event::BoardLost => true,
                Event::BoardFound { .. } | Event::BoardMoved { .. } => false,
                _ => lost,
            };
            speaks |= matches!(event, Event::BoardLost | Event::Uncertain { .. } | Event::Illegal { .. });
        }
        says.push(speaks || lost);
        let now = row.let_go;
        let shown = truth.placements.get(picture).and_then(Option::as_ref).is_some_and(|men| *men == record.board);
        // A move may be told before the hand has left the man: one ply more than the row says.
        let stood = boards.iter().take(now + 2).rposition(|board| *board == record.board);
        let reads = if shown { now } else { stood.unwrap_or(read.min(now + 1)) };
        if reads != read {
            close(open.take(), read, picture, &says);
            read = reads;
        }
        let behind = now.saturating_sub(read);
        match &mut open {
            Some((_, plies)) if behind > 0 => *plies = behind.max(*plies),
            None if behind > 0 => {
                let from = made.get(read).copied().flatten().map_or(picture, |made| made.let_go.min(picture));
                open = Some((from, behind));
            }
            // What was unread was taken back.
            Some(_) => close(open.take(), read, picture, &says),
            None => {}
        }
    }
    close(open, read, truth.rows.len().saturating_sub(1), &says);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{say, truth::Row};

    const PLIES: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"];

    /// A clean picture of the start and of each ply, a second apart.
    fn truth() -> Truth {
        let row = |ply: usize| Row {
            frame: String::new(),
            time_ms: Some(1000 * ply as i64),
            ply,
            let_go: ply,
            event: "move".into(),
            uci: String::new(),
            state: "clean".into(),
        };
        Truth { plies: PLIES.map(str::to_owned).into(), rows: (0..=6).map(row).collect(), ..Truth::default() }
    }

    fn played(ply: usize, uci: &str) -> Event {
        say::played(ply, uci, 1.0)
    }

    fn stretch(ply: usize, plies: usize, seconds: f64, said: bool) -> Stretch {
        Stretch { ply, plies, seconds: Some(seconds), said }
    }

    #[test]
    fn who_tells_every_ply_at_once_leaves_nothing_unread() {
        let events: Vec<_> = (1..=6).map(|ply| (ply, played(ply, PLIES[ply - 1]))).collect();
        assert_eq!(unread(&truth(), &events), []);
        // Before the man is let go as well.
        let early: Vec<_> = (1..=6).map(|ply| (ply - 1, played(ply, PLIES[ply - 1]))).collect();
        assert_eq!(unread(&truth(), &early), []);
    }

    #[test]
    fn who_is_one_ply_late_has_stretches_of_one_ply() {
        let events: Vec<_> = (1..=5).map(|ply| (ply + 1, played(ply, PLIES[ply - 1]))).collect();
        let all = unread(&truth(), &events);
        assert!(all.iter().all(|s| s.plies == 1 && !s.is_stall()), "{all:?}");
        assert_eq!(all.last(), Some(&stretch(6, 1, 0.0, false)));
    }

    #[test]
    fn a_stop_is_a_stall_to_the_end_or_to_the_next_ply_read() {
        assert_eq!(unread(&truth(), &[]), [stretch(1, 6, 5.0, false)]);
        let uncertain = (3, Event::Uncertain { squares: shakmaty::Bitboard::EMPTY });
        let events = [(1, played(1, "e2e4")), uncertain];
        assert_eq!(unread(&truth(), &events), [stretch(2, 5, 4.0, true)]);
        let mut late = vec![(1, played(1, "e2e4")), (1, Event::BoardLost)];
        late.extend((2..=5).map(|ply| (5, played(ply, PLIES[ply - 1]))));
        late.push((6, played(6, "g8f6")));
        // The board was lost before and is not found again.
        assert_eq!(unread(&truth(), &late), [stretch(2, 3, 3.0, true)]);
        let worst = stretch(2, 3, 3.0, true).worse(stretch(9, 3, 3.5, false)).worse(stretch(1, 2, 99.0, false));
        assert_eq!((worst.ply, worst.is_stall()), (9, true));
        assert_eq!(worst.text(), "3 plies, 3.5 s, silent");
    }

    #[test]
    fn plies_in_another_order_are_read_once_the_position_is_the_same() {
        let told = ["g1f3", "e7e5", "e2e4", "b8c6", "f1c4", "g8f6"];
        let events: Vec<_> = (1..=6).map(|ply| (ply, played(ply, told[ply - 1]))).collect();
        // The positions after one and two plies never stood in the record; that after three does.
        assert_eq!(unread(&truth(), &events), [stretch(1, 2, 2.0, false)]);
    }

    #[test]
    fn what_was_unread_and_is_taken_back_ends_the_stretch() {
        let mut truth = truth();
        truth.rows[2].let_go = 1;
        truth.rows[3].let_go = 2;
        for (i, let_go) in [(1, 1), (2, 0), (3, 1)] {
            truth.rows[i].let_go = let_go;
        }
        let events = [(3, played(1, "e2e4")), (4, played(2, "e7e5"))];
        let all = unread(&truth, &events);
        assert_eq!(all[0].plies, 1);
        assert_eq!(all.last().map(|s| (s.ply, s.plies)), Some((3, 4)));
    }
}
